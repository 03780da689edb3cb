//! The action for GitHub: its scripts with the variables that a runner sets, and archives on the disk.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::common::{
    repository,
    sandbox::{Outcome, PIMEM, Sandbox, finish},
    without_program,
};

/// The version in the names of archives.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A job with a checked out store.
struct Job {
    sandbox: Sandbox,
    /// The directory of commands that the runner's image has.
    bin: PathBuf,
}

impl Job {
    fn new(sandbox: Sandbox) -> Self {
        let bin = sandbox.root().join("bin");
        for dir in [&bin, &sandbox.root().join("temp")] {
            fs::create_dir(dir).unwrap();
        }
        Self { sandbox, bin }
    }

    /// Runs a script of the action; `variables` are those of its step.
    fn run(&self, script: &str, variables: &[(&str, &str)]) -> Outcome {
        let root = self.sandbox.root();
        let mut command = Command::new(repository().join(".github/actions/check").join(script));
        command.current_dir(self.sandbox.project()).env_clear();
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.bin.display()));
        command.env("HOME", self.sandbox.home()).env("RUNNER_TEMP", root.join("temp"));
        command.env("RUNNER_OS", "Linux").env("RUNNER_ARCH", "X64");
        for file in ["GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
            command.env(file, root.join(file));
        }
        finish(command.envs(variables.iter().copied()).output().unwrap())
    }

    /// Returns what a file of the runner was told, one line a fact.
    fn told(&self, file: &str) -> String {
        fs::read_to_string(self.sandbox.root().join(file)).unwrap_or_default()
    }

    /// Puts pimem on the path of the job.
    fn with_program(self) -> Self {
        symlink(PIMEM, self.bin.join("pimem")).unwrap();
        self
    }
}

/// Makes the archive of a release below `releases`, with a script for a program.
fn release(releases: &Path) -> PathBuf {
    let out = releases.join(format!("v{VERSION}"));
    fs::create_dir_all(&out).unwrap();
    let program = releases.join("pimem");
    fs::write(&program, format!("#!/bin/sh\nexec '{PIMEM}' \"$@\"\n")).unwrap();
    let made = Command::new("python3")
        .arg(repository().join("packages/make"))
        .args(["archive", "--target", "x86_64-unknown-linux-musl", "--program"])
        .args([&program, Path::new("--out"), &out])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    out.join(format!("pimem-x86_64-unknown-linux-musl-v{VERSION}.tar.gz"))
}

#[test]
fn the_program_of_a_release_is_installed_if_its_sum_is_right() {
    if without_program("python3", "--version") || without_program("curl", "--version") {
        return;
    }
    let job = Job::new(Sandbox::new("empty"));
    let archive = release(&job.sandbox.root().join("releases"));
    let releases = format!("file://{}", job.sandbox.root().join("releases").display());
    let tag = format!("v{VERSION}");
    let by_tag = [("RELEASES", releases.as_str()), ("TAG", tag.as_str())];

    let done = job.run("install", &by_tag).ok();
    assert!(done.starts_with(&format!("pimem {VERSION}")), "{done}");
    let path = job.told("GITHUB_PATH");
    assert!(Path::new(path.trim_end()).join("pimem").is_file(), "{path}");
    assert!(Path::new(path.trim_end()).join("man/pimem.1").is_file(), "{path}");
    let by_version = [("RELEASES", releases.as_str()), ("TAG", "main"), ("PIMEM_VERSION", VERSION)];
    assert_eq!(job.run("install", &by_version).code, 0);

    let mut bytes = fs::read(&archive).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&archive, bytes).unwrap();
    let told = job.told("GITHUB_PATH");
    assert_eq!(job.run("install", &by_tag).code, 1, "the sum is another one");
    assert_eq!(job.told("GITHUB_PATH"), told);
}

#[test]
fn a_version_has_to_be_named_where_there_is_no_tag() {
    let job = Job::new(Sandbox::new("empty"));
    for tag in ["main", "", "v1", "../../0.1.0"] {
        let done = job.run("install", &[("TAG", tag), ("RELEASES", "file:///nowhere")]);
        assert_eq!(done.code, 2, "{tag}");
        assert!(done.stdout.starts_with("::error::The input `version`"), "{}", done.stdout);
    }
    let job = job.with_program();
    let done = job.run("install", &[("TAG", "main")]).ok();
    assert!(done.starts_with("pimem "), "what the job has already is taken: {done}");
}

#[test]
fn findings_are_told_and_faults_fail() {
    let job = Job::new(Sandbox::cloned("harbor")).with_program();
    assert_eq!(job.run("check", &[("STORE", ".")]).ok(), "no findings\n");
    assert!(job.told("GITHUB_OUTPUT").ends_with("findings=false\n"));
    assert_eq!(job.told("GITHUB_STEP_SUMMARY"), "");

    let name = "topics/lessons.md";
    let text = format!("<<<<<<< HEAD\n{}", job.sandbox.read(name));
    job.sandbox.write(name, text);
    let done = job.run("check", &[("STORE", ".")]).ok();
    assert!(done.contains("[conflict-marker]"), "{done}");
    let told = job.told("GITHUB_OUTPUT");
    assert!(told.ends_with("findings=true\n"), "{told}");
    let sarif = told.lines().rev().find_map(|line| line.strip_prefix("sarif=")).unwrap();
    let sarif: Value = serde_json::from_slice(&fs::read(sarif).unwrap()).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().any(|result| result["ruleId"] == "conflict-marker"), "{results:?}");
    let summary = job.told("GITHUB_STEP_SUMMARY");
    assert!(summary.starts_with("### Memory\n\n    topics/lessons.md:1: error"), "{summary}");

    assert_ne!(job.run("check", &[("STORE", "not-there")]).code, 0);
}

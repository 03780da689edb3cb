//! Bad environments: wrong kinds of files, missing permissions, full disks, closed pipes.
//!
//! Readers return what they can and exit with 2, writers refuse, and nothing is lost or changed.

use std::{
    fs::{self, File, Permissions},
    os::unix::{
        fs::{PermissionsExt, chown, symlink},
        process::CommandExt,
    },
    process::{Command, Stdio},
};

use crate::{
    bad_input::refuses_with,
    common::{
        sandbox::{Outcome, Sandbox, outcome},
        without,
    },
};

/// User id without root's rights that owns no files.
const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    // The owner of a new file shows who runs the tests.
    use std::os::unix::fs::MetadataExt;
    let sandbox = Sandbox::new("empty");
    fs::metadata(sandbox.project()).unwrap().uid() == 0
}

/// Runs the program as a user to whom file modes apply.
pub(crate) fn run_unprivileged(sandbox: &Sandbox, args: &[&str]) -> Outcome {
    let mut command = sandbox.command(args);
    if !is_root() {
        return outcome(command);
    }
    // The store must belong to the user, or trust hides part of it; its files must not.
    let own = |user: u32| {
        chown(sandbox.store(), Some(user), None).unwrap();
        let state = sandbox.root().join("state");
        let done = Command::new("chown").arg("-R").arg(user.to_string()).arg(&state).status();
        assert!(done.unwrap().success() || !state.exists());
    };
    own(NOBODY);
    command.uid(NOBODY).gid(NOBODY);
    let done = outcome(command);
    own(0);
    done
}

pub(crate) fn chmod(path: impl AsRef<std::path::Path>, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_store_that_cannot_be_written() {
    let sandbox = Sandbox::new("harbor");
    let expected: Vec<String> = READERS.iter().map(|args| sandbox.run(args).ok()).collect();
    for dir in ["topics", "daily", ""] {
        chmod(sandbox.path(dir), 0o555);
    }
    // The lock file may exist with another owner, or not at all; both must work.
    for lock in [false, true] {
        if lock {
            sandbox.write("lock", "");
        }
        let before = sandbox.tree();
        for (args, expected) in READERS.iter().zip(&expected) {
            let done = run_unprivileged(&sandbox, args);
            assert_eq!((done.code, &done.stdout), (0, expected), "{args:?}: {}", done.stderr);
        }
        for args in WRITERS {
            let stderr = run_unprivileged(&sandbox, args).refused();
            assert!(stderr.contains("ermission denied"), "{args:?}: {stderr}");
            assert!(stderr.contains("hint: the store cannot be written here"), "{stderr}");
        }
        assert_eq!(sandbox.tree(), before);
        let doctor = run_unprivileged(&sandbox, &["check"]);
        assert_eq!(doctor.code, 1, "{}{}", doctor.stdout, doctor.stderr);
        assert!(doctor.stdout.contains("cannot be written"), "{}", doctor.stdout);
        let status = run_unprivileged(&sandbox, &["status"]).done();
        let findings = doctor.stdout.matches("finding: ").count();
        assert!(status.contains(&format!("findings         {findings}:")), "{status}");
        assert_eq!(sandbox.tree(), before);
    }
    for dir in ["topics", "daily", ""] {
        chmod(sandbox.path(dir), 0o755);
    }
}

const READERS: &[&[&str]] = &[
    &["list"],
    &["report"],
    &["report", "--prompt", "why do berths overlap?"],
    &["search", "--no-touch", "berth"],
    &["list", "--topics"],
    &["why", "rollback"],
    &["config", "show"],
];

const WRITERS: &[&[&str]] = &[
    &["add", "something"],
    &["reinforce", "rollback"],
    &["pin", "rollback"],
    &["forget", "rollback"],
    &["forget", "--archive", "rollback"],
    &["edit", "rollback", "other words"],
    &["rebuild"],
];

#[test]
fn a_topic_that_cannot_be_read() {
    let sandbox = Sandbox::new("harbor");
    chmod(sandbox.path("topics/lessons.md"), 0o000);
    let list = run_unprivileged(&sandbox, &["list"]);
    assert_eq!(list.code, 2, "an incomplete answer is an error");
    assert!(list.stdout.contains("\tdecision\t") && !list.stdout.contains("\tlesson\t"));
    assert!(list.stderr.contains("topics/lessons.md"), "{}", list.stderr);
    assert!(list.stderr.contains("hint: "), "{}", list.stderr);
    chmod(sandbox.path("topics/lessons.md"), 0o644);
}

/// Each file that can be a directory by mistake, with the message about it.
#[test]
fn directories_where_files_should_be() {
    for (name, readers) in [
        (
            "topics/lessons.md",
            &[&["list"][..], &["report"], &["search", "--no-touch", "berth"]][..],
        ),
        ("evidence.jsonl", &[&["list"][..], &["report"]][..]),
        ("MEMORY.md", &[&["search", "--no-touch", "berth"][..]][..]),
        ("daily/2026-06-30.md", &[&["search", "--no-touch", "berth"][..]][..]),
    ] {
        let sandbox = Sandbox::new("harbor");
        fs::remove_file(sandbox.path(name)).unwrap();
        fs::create_dir(sandbox.path(name)).unwrap();
        sandbox.write(&format!("{name}/inside"), "kept");
        let before = sandbox.tree();
        for args in readers {
            let done = sandbox.run(args);
            assert_eq!(done.code, 2, "{name} {args:?}: {}", done.stderr);
            assert!(!done.stdout.is_empty(), "{name} {args:?}: the rest is still shown");
            assert!(done.stderr.contains(&format!("{name} is not a file")), "{}", done.stderr);
            assert!(done.stderr.contains("hint: move it away"), "{}", done.stderr);
        }
        if !name.contains("MEMORY") && !name.contains("daily") {
            let says = format!("{name} is not a file");
            refuses_with(&sandbox, &["add", "something"], "io", &says, "move it away");
            refuses_with(&sandbox, &["rebuild"], "io", &says, "move it away");
        }
        assert_eq!(sandbox.tree(), before);
    }
}

/// `restore` reports an unreadable archive file, because the entry may be in it.
#[test]
fn an_archive_that_cannot_be_read() {
    let sandbox = Sandbox::new("harbor");
    sandbox.run(&["forget", "--archive", "rollback"]).done();
    fs::create_dir(sandbox.path("archive/dir.md")).unwrap();
    let before = sandbox.tree();
    for selector in ["rollback", "nothing of that name"] {
        let says = "archive/dir.md is not a file";
        refuses_with(&sandbox, &["restore", selector], "io", says, "move it away");
    }
    assert_eq!(sandbox.tree(), before);
    let diff = sandbox.run(&["report", "--since", "7d"]);
    assert!(diff.code == 2 && diff.stderr.contains("archive/dir.md"), "{diff:?}");
}

/// `check` reports every file that makes a search fail.
#[test]
fn check_looks_at_notes_and_logs() {
    let sandbox = Sandbox::new("harbor");
    for name in ["topics/lessons.md", "evidence.jsonl", "MEMORY.md", "daily/2026-06-30.md"] {
        fs::rename(sandbox.path(name), sandbox.path("aside")).unwrap();
        fs::create_dir(sandbox.path(name)).unwrap();
        let doctor = sandbox.run(&["check"]);
        let said = doctor.stdout.contains(&format!("{name} is not a file"));
        assert!(said && doctor.code == 2, "{name}: {}", doctor.stdout);
        fs::remove_dir(sandbox.path(name)).unwrap();
        fs::rename(sandbox.path("aside"), sandbox.path(name)).unwrap();
    }
}

#[test]
fn a_huge_topic() {
    let sandbox = Sandbox::new("harbor");
    let huge = File::create(sandbox.path("topics/huge.md")).unwrap();
    huge.set_len(100 << 20).unwrap();
    for args in
        [&["list"][..], &["report"], &["search", "--no-touch", "berth"], &["list", "--topics"]]
    {
        let done = sandbox.run(args);
        assert_eq!(done.code, 2, "{args:?}");
        assert!(done.stdout.contains("berth") || done.stdout.contains("lessons"), "{args:?}");
        let says = "topics/huge.md is too large: 100.0 MiB, limit 16 MiB";
        assert!(done.stderr.contains(says), "{}", done.stderr);
        assert!(done.stderr.contains("hint: split it"), "{}", done.stderr);
    }
    let before = sandbox.tree();
    sandbox.run(&["add", "x"]).refused();
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn links() {
    let sandbox = Sandbox::new("harbor");
    let outside = sandbox.root().join("outside.md");
    fs::write(&outside, "- [lesson] Secret of another project\n").unwrap();
    symlink(&outside, sandbox.path("topics/linked.md")).unwrap();
    for args in [&["list"][..], &["report"], &["search", "secret"]] {
        let done = sandbox.run(args);
        assert_eq!(done.code, 2, "{args:?}");
        assert!(!done.stdout.contains("Secret"), "{args:?}: {}", done.stdout);
        assert!(done.stderr.contains("topics/linked.md is a link that leads out"), "{args:?}");
    }
    let before = sandbox.tree();
    refuses_with(&sandbox, &["add", "x"], "io", "leads out of the store", "link to a file inside");
    // The selected entry may be in the file that could not be read.
    refuses_with(&sandbox, &["forget", "Secret"], "io", "leads out of the store", "");
    assert_eq!(sandbox.tree(), before);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "- [lesson] Secret of another project\n");
    fs::remove_file(sandbox.path("topics/linked.md")).unwrap();

    // A link within the store is edited at its target and stays a link.
    fs::rename(sandbox.path("topics/lessons.md"), sandbox.path("shared.md")).unwrap();
    symlink("../shared.md", sandbox.path("topics/lessons.md")).unwrap();
    sandbox.run(&["add", "Through a link"]).ok();
    sandbox.run(&["pin", "Through a link"]).ok();
    assert!(sandbox.path("topics/lessons.md").is_symlink());
    assert!(sandbox.read("shared.md").ends_with("- [lesson] Through a link *(pinned)*\n"));
    assert_eq!(sandbox.litter(), Vec::<String>::new());

    // A dangling link counts as a missing file.
    symlink("../nothing.md", sandbox.path("topics/dangling.md")).unwrap();
    sandbox.run(&["list"]).ok();
}

/// Damaged lines of evidence are skipped, reported and kept.
#[test]
fn damaged_evidence() {
    let sandbox = Sandbox::new("harbor");
    let expected = sandbox.run(&["list"]).ok();
    let log = sandbox.read("evidence.jsonl");
    let torn = "{\"id\":\"01J0000000000000000000000";
    let junk: [&[u8]; 6] =
        [b"not json", b"{}", b"[1]", b"\xff\xfe\x00", b"<<<<<<< HEAD", b"{\"id\":5,\"ts\":[]}"];
    let mut damaged = log.clone().into_bytes();
    for line in junk {
        damaged.extend_from_slice(line);
        damaged.push(b'\n');
    }
    damaged.extend_from_slice(torn.as_bytes());
    sandbox.write("evidence.jsonl", &damaged);
    let warning = "warning: damaged lines of evidence.jsonl skipped: 7 (pimem check names them)\n";
    let list = sandbox.run(&["list"]);
    assert_eq!((list.code, list.stdout, list.stderr.as_str()), (0, expected.clone(), warning));
    assert_eq!(sandbox.run(&["list", "-q"]).ok(), expected);
    let doctor = sandbox.run(&["check"]);
    assert_eq!(doctor.code, 1);
    let first = log.lines().count() + 1;
    assert!(
        doctor.stdout.contains(&format!("evidence.jsonl:{first}: error: is damaged")),
        "{}",
        doctor.stdout
    );
    assert!(
        doctor.stdout.contains("evidence.jsonl: error: has 1 more such line"),
        "{}",
        doctor.stdout
    );
    assert_eq!(sandbox.bytes("evidence.jsonl"), damaged, "doctor changes nothing");
    // The next event starts on its own line after the torn one.
    sandbox.run(&["add", "After the tear"]).ok();
    let rebuilt = sandbox.run(&["rebuild"]);
    assert_eq!((rebuilt.code, rebuilt.stderr.as_str()), (0, warning));
    let after = sandbox.bytes("evidence.jsonl");
    assert!(after.starts_with(&damaged) && after[damaged.len()] == b'\n');
    let list = sandbox.run(&["list", "-q", "--json"]).json();
    let mut entries = list["entries"].as_array().unwrap().iter();
    let added = entries.find(|entry| entry["text"] == "After the tear").unwrap();
    assert_eq!(added["cue"], "explicit");
}

#[test]
fn nobody_listens() {
    let sandbox = Sandbox::new("harbor");
    for args in
        [&["list"][..], &["report"], &["search", "--no-touch", "berth"], &["help", "add"], &["man"]]
    {
        let mut command = sandbox.command(args);
        command.stdout(File::options().write(true).open("/dev/full").unwrap());
        let done = command.stderr(Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{args:?} > /dev/full: {stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");

        let mut command = sandbox.command(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&done.stderr);
        assert_eq!((done.status.code(), &*stderr), (Some(0), ""), "{args:?} | true");
    }
    let mut command = sandbox.command(&["list"]);
    command.stdout(File::options().write(true).open("/dev/full").unwrap());
    let stderr = command.stderr(Stdio::piped()).output().unwrap().stderr;
    let stderr = String::from_utf8(stderr).unwrap();
    assert!(stderr.starts_with("pimem: cannot write to standard output"), "{stderr}");
}

/// What was acknowledged before the disk was full is stored, and nothing else.
#[test]
fn a_full_disk() {
    let sandbox = Sandbox::new("empty");
    let project = sandbox.project();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k,mode=0777", "tmpfs"])
        .arg(&project)
        .output();
    if without("a file system to mount", mount.is_ok_and(|done| done.status.success())) {
        return;
    }
    let _mounted = Mounted(project.clone());
    let categories: Vec<String> = (0..30).map(|n| format!("\"c{n}\": {{}}")).collect();
    sandbox.configure(&format!("{{\"categories\": {{{}}}}}", categories.join(", ")));
    sandbox.run(&["init"]).ok();
    let ballast = project.join("ballast");
    fs::write(&ballast, vec![0; 100 << 10]).unwrap();
    let mut acknowledged = Vec::new();
    let mut refused = 0;
    for number in 0..400 {
        let text = format!("entry {number} {}", "x".repeat(600));
        let done = sandbox.run(&["add", "-c", &format!("c{}", number % 30), &text]);
        if done.code == 0 {
            acknowledged.push(text);
            continue;
        }
        assert!(done.stderr.contains("No space left"), "{}", done.stderr);
        assert!(done.stderr.contains("hint: free some space"), "{}", done.stderr);
        refused += 1;
        if refused == 5 {
            break;
        }
    }
    assert!(refused > 0 && acknowledged.len() > 10, "{refused} {}", acknowledged.len());
    let present: Vec<String> = sandbox.entries().into_keys().collect();
    acknowledged.sort();
    assert_eq!(present, acknowledged, "acknowledged and present are the same");
    assert_eq!(sandbox.litter(), Vec::<String>::new());
    fs::remove_file(ballast).unwrap();
    sandbox.run(&["add", "There is room again"]).ok();
    assert_eq!(sandbox.entries().len(), acknowledged.len() + 1);
    let doctor = sandbox.run(&["check"]);
    assert!(!doctor.stdout.contains("damaged"), "{}", doctor.stdout);
}

/// A mounted file system; unmounted on drop.
struct Mounted(std::path::PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).status());
    }
}

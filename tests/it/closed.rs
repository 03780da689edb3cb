//! Output that ends early: a reader that has seen enough, a full disk, a terminal that can do little.

use std::{
    fs::OpenOptions,
    io::Read as _,
    process::{Command, Stdio},
};

use crate::common::{
    sandbox::{Outcome, Sandbox, finish},
    terminal::{on_terminal, without_terminal},
};

/// Everything that prints what a person reads, with its exit code in a store of work.
const COMMANDS: &[(&str, i32)] = &[
    ("", 2),
    ("help", 0),
    ("help --all", 0),
    ("--help", 0),
    ("--version", 0),
    ("search -h", 0),
    ("help search", 0),
    ("hooks install --help", 0),
    ("list", 0),
    ("list --json", 0),
    ("search spindle", 0),
    ("search --explain spindle", 0),
    ("search --mode keyword zzzzz", 1),
    ("report", 0),
    ("report --explain", 0),
    ("why spindle", 0),
    ("report --since 2026-01-01", 0),
    ("why --ahead spindle", 0),
    ("list --topics", 0),
    ("why --all", 0),
    ("status -v", 0),
    ("status", 0),
    ("check", 0),
    ("check --list-rules", 0),
    ("check --sarif", 0),
    ("telemetry", 0),
    ("trust --count", 0),
    ("todo", 0),
    ("log", 0),
    ("note", 0),
    ("log --days", 0),
    ("list --sessions", 0),
    ("config show --all", 0),
    ("config show --schema", 0),
    ("model", 0),
    ("model status", 0),
    ("hooks", 1),
    ("hooks print claude", 0),
    ("export jsonl", 0),
    ("man", 0),
    ("completions bash", 0),
    ("dream --plan", 0),
];

fn store() -> Sandbox {
    let sandbox = Sandbox::new("working");
    sandbox.run(&["log", "Something happened"]).done();
    sandbox
}

fn args(command: &str) -> Vec<&str> {
    command.split(' ').filter(|arg| !arg.is_empty()).collect()
}

/// Whoever closes the pipe has seen enough: no message, and the exit code of the command.
#[test]
fn a_reader_may_leave() {
    let sandbox = store();
    for (command, code) in COMMANDS {
        let mut run: Command = sandbox.command(&args(command));
        run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = run.spawn().unwrap();
        // Closed before anything is written.
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(*code), "{command}: {said}");
        assert!(!said.contains("panicked") && !said.contains("roken pipe"), "{command}: {said}");
    }
}

/// A full disk is an error with a sentence, and a JSON document where one was asked for.
#[test]
fn a_full_disk_is_told() {
    let sandbox = store();
    for (command, _) in COMMANDS {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut run = sandbox.command(&args(command));
        run.stdin(Stdio::null()).stdout(full);
        let written = !sandbox.run(&args(command)).stdout.is_empty();
        let done: Outcome = finish(run.output().unwrap());
        assert!(!done.stderr.contains("panicked"), "{command}: {}", done.stderr);
        if written {
            assert_eq!(done.code, 2, "{command}: {}", done.stderr);
            assert!(done.stderr.contains("cannot write to standard output"), "{command}: {done:?}");
        }
    }
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let done = finish(sandbox.command(&["list", "--json"]).stdout(full).output().unwrap());
    let error: serde_json::Value = serde_json::from_str(&done.stderr).unwrap();
    assert_eq!(error["kind"], "io", "{error}");
}

/// On a narrow terminal that knows no escapes, no line is wider and none has an escape.
#[test]
fn a_terminal_may_be_poor() {
    let sandbox = store();
    if without_terminal(&sandbox) {
        return;
    }
    // What is meant for another program, or for an agent, is not broken.
    let verbatim = [
        "report",
        "config show --schema",
        "hooks print",
        "export",
        "man",
        "completions",
        "dream",
        "--json",
        "--sarif",
    ];
    for (command, code) in COMMANDS {
        let done = on_terminal(&sandbox, 40, &format!("TERM=dumb pimem {command}"));
        assert_eq!(done.code, *code, "{command}: {done:?}");
        assert!(!done.stdout.contains('\u{1b}'), "{command}: {}", done.stdout);
        if !verbatim.iter().any(|part| command.contains(part)) {
            // clap keeps the line of the usage whole.
            let mut lines = done.stdout.lines().filter(|line| !line.starts_with("Usage:"));
            // A path is one word, and no word is broken.
            let is_word = |line: &str| !line.trim().contains(' ');
            let wide = lines.find(|line| line.chars().count() > 40 && !is_word(line));
            assert_eq!(wide, None, "{command}: {}", done.stdout);
        }
    }
}

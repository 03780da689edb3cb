//! Errors of usage: one sentence that names what is wrong, a hint, exit code 2, and nothing else, as
//! text and as JSON.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

use crate::common::sandbox::{Sandbox, outcome};

/// Arguments with the sentence and the first hint.
const WRONG: &[(&[&str], &str, &str)] = &[
    // Something is missing.
    (&["add"], "add needs <TEXT>...", "pimem help add explains it"),
    (&["config", "set"], "config set needs <KEY> and <VALUE>", "pimem help config set explains it"),
    (
        &["config", "set", "report.fill"],
        "config set needs <VALUE>",
        "pimem help config set explains it",
    ),
    (
        &["hooks", "install"],
        "hooks install needs the name of an agent, or --all",
        "pimem hooks install claude: none that pimem knows is used here; it knows claude, codex, gemini, copilot, qwen, antigravity, cursor, opencode, pi",
    ),
    (
        &["report", "--budget", "-5"],
        "--budget cannot be \"-5\": it is negative",
        "pimem help report explains it",
    ),
    // What has few letters in common is not meant.
    (
        &["hooks", "print", "vscode"],
        "<AGENT> cannot be \"vscode\": it takes one of claude, codex, gemini, copilot, qwen, antigravity, cursor, opencode, pi, generic",
        "pimem help hooks print explains it",
    ),
    (
        &["completions", "tcsh"],
        "<SHELL> cannot be \"tcsh\": it takes one of bash, fish, powershell, zsh",
        "pimem help completions explains it",
    ),
    (
        &["hooks", "print", "claud"],
        "<AGENT> cannot be \"claud\": it takes one of claude, codex, gemini, copilot, qwen, antigravity, cursor, opencode, pi, generic",
        "did you mean claude?",
    ),
    (
        &["model", "pull", "--from", "x"],
        "model pull needs <NAME>",
        "pimem help model pull explains it",
    ),
    (&["list", "--state"], "--state <STATE> needs a value", "pimem help list explains it"),
    (
        &["list", "--sort"],
        "--sort <ORDER> needs a value: one of score, age, hot",
        "pimem help list explains it",
    ),
    // There is no such thing.
    (&["list", "--jsn"], "list has no option \"--jsn\"", "did you mean --json?"),
    (&["init", "-z"], "init has no option \"-z\"", "pimem help init explains it"),
    (&["--zzqqzz"], "pimem has no option \"--zzqqzz\"", "pimem help explains it"),
    (&["serch"], "there is no command \"serch\"", "did you mean pimem search?"),
    (&["config", "st"], "there is no command \"config st\"", "did you mean pimem config set?"),
    (&["help", "serch"], "there is no command \"serch\"", "did you mean pimem search?"),
    // A value that is none.
    (
        &["list", "--sort", "size"],
        "--sort <ORDER> cannot be \"size\": it takes one of score, age, hot",
        "pimem help list explains it",
    ),
    (
        &["list", "--sort", "scor"],
        "--sort <ORDER> cannot be \"scor\": it takes one of score, age, hot",
        "did you mean score?",
    ),
    (
        &["list", "--sort", "a\n\nUsage: b"],
        "--sort <ORDER> cannot be \"a\\n\\nUsage: b\": it takes one of score, age, hot",
        "pimem help list explains it",
    ),
    (
        &["search", "-n", "some", "x"],
        "--limit <N> cannot be \"some\": it takes a whole number",
        "pimem help search explains it",
    ),
    (
        &["reinforce", "x", "--by", "5000"],
        "--by <N> cannot be \"5000\": it takes a whole number from 1 to 1000",
        "pimem help reinforce explains it",
    ),
    // Too much.
    (&["init", "here"], "init does not take \"here\"", "pimem help init explains it"),
    (
        &["config", "get", "a", "b"],
        "config get does not take \"b\"",
        "pimem help config get explains it",
    ),
    (&["list", "--user=yes"], "--user does not take \"yes\"", "pimem help list explains it"),
    (
        &["list", "--sort", "age", "--sort", "age"],
        "--sort <ORDER> can be given only once",
        "pimem help list explains it",
    ),
    // What excludes something else.
    (
        &["list", "--user", "--dir", "x"],
        "--user cannot be used with --dir <DIR>",
        "pimem help list explains it",
    ),
    (
        &["trust", "--all", "--revoke"],
        "--all cannot be used with --revoke",
        "pimem help trust explains it",
    ),
    (&["list", "-q", "-v"], "--quiet cannot be used with --verbose", "pimem help list explains it"),
];

#[test]
fn one_sentence_and_a_hint() {
    let sandbox = Sandbox::new("empty");
    for (args, message, hint) in WRONG {
        let done = sandbox.run(args);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{args:?}");
        let lines: Vec<&str> = done.stderr.lines().collect();
        assert_eq!(lines[..2], [format!("pimem: {message}"), format!("hint: {hint}")], "{args:?}");
        assert!(lines[1..].iter().all(|line| line.starts_with("hint: ")), "{lines:?}");

        let mut args = args.to_vec();
        args.push("--json");
        let done = sandbox.run(&args);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{args:?}");
        let said: serde_json::Value = serde_json::from_str(&done.stderr).expect("one document");
        let hints: Vec<_> = lines[1..].iter().map(|line| &line["hint: ".len()..]).collect();
        assert_eq!(said["schema"], "pimem.error/1");
        assert_eq!(said["kind"], "usage");
        assert_eq!(said["message"], *message);
        assert_eq!(said["hints"], serde_json::json!(hints), "{args:?}");
    }
}

/// A command that lacks its own command prints help; for programs, that is an error too.
#[test]
fn a_command_is_missing() {
    let sandbox = Sandbox::new("empty");
    for (args, message) in [
        (&["config"][..], "config needs a command: show, get, set, "),
        (&[], "pimem needs a command"),
    ] {
        let done = sandbox.run(args);
        assert_eq!(done.code, 2, "{args:?}");
        assert!(done.stderr.contains("\nUsage: "), "{}", done.stderr);
        let done = sandbox.run(&[args, &["--json"]].concat());
        assert_eq!(done.code, 2, "{args:?}");
        let said: serde_json::Value = serde_json::from_str(&done.stderr).expect("one document");
        assert!(said["message"].as_str().unwrap().starts_with(message), "{said}");
    }
}

#[test]
fn an_argument_that_is_not_utf_8() {
    let sandbox = Sandbox::new("empty");
    let mut command = sandbox.command(&["search"]);
    command.arg(OsStr::from_bytes(b"caf\xe9"));
    let done = outcome(command);
    let want = "pimem: search does not take \"caf\u{fffd}\": it is not UTF-8\n\
                hint: pimem help search explains it\n";
    assert_eq!((done.code, done.stderr.as_str()), (2, want));
}

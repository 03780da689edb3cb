//! No command tells a secret that somebody typed into a file of the store: each command of the table
//! in `src/cli.rs` is run on such a store, as text and as JSON.

use std::collections::BTreeSet;

use crate::common::{repository, sandbox::Sandbox};

/// A token as GitHub issues them, which no scanner shall find in this file.
fn token() -> String {
    ["ghp", "_", "A1b2C3d4E5f6G7h8I9j0", "K1l2M3n4O5p6Q7r8"].concat()
}

/// What is run of each command, one call after the other in a store of their own; `_` stands for a
/// space in an argument, `TOKEN` for the token. A command
/// without calls tells nothing that is remembered, or is walked elsewhere: `hook` and `mcp` in
/// `ways_out`.
const COMMANDS: &[(&str, &[&str])] = &[
    (
        "add",
        &[
            "add The_gate_token_of_Heron_is_elsewhere",
            "add The_gate_token_of_Heron_is_TOKEN",
            "add -c decision --supersedes Wren The_gate_needs_no_Wren",
        ],
    ),
    ("reinforce", &["reinforce Heron", "reinforce --harmful Heron", "reinforce gate"]),
    ("edit", &["edit --help", "edit Heron The_gate_token_of_Heron_is_elsewhere", "edit gate x"]),
    ("pin", &["pin Heron", "pin gate", "report"]),
    ("unpin", &["pin Heron", "unpin Heron"]),
    (
        "forget",
        &[
            "forget Heron",
            "forget Heron",
            "forget --archive Wren",
            "forget Stork",
            "forget --destroy --yes Heron",
            "forget gate",
        ],
    ),
    ("restore", &["restore Stork", "forget Heron", "restore Heron", "restore gate"]),
    ("undo", &["forget Heron", "undo", "todo done Owl", "undo", "todo clear", "undo"]),
    (
        "search",
        &[
            "search -n 50 gate",
            "search -n 50 --in all --explain gate",
            "search -n 50 --in archive gate",
        ],
    ),
    (
        "list",
        &[
            "list",
            "list --state dropped",
            "list --tag gate",
            "list --topics",
            "dream index --session one",
            "list --sessions",
            "search --in sessions gate",
        ],
    ),
    (
        "why",
        &[
            "why Heron",
            "why Puffin",
            "why Stork",
            "why gate",
            "why --ahead",
            "why --ahead Heron",
            "why --all",
            "why --all --policy weighted",
            "--now 2027-06-30 why --ahead --policy ebbinghaus",
        ],
    ),
    (
        "report",
        &[
            "report --explain",
            "report --prompt What_about_the_gate?",
            "report --layout working --prompt What_about_the_gate?",
            "report --html",
            "report --since 3d",
            "report --since 0d --until 2026-12-31",
        ],
    ),
    ("log", &["log", "log --days", "log The_gate_is_open"]),
    (
        "todo",
        &["todo --all", "todo add close_the_gate", "todo done Owl", "todo undo Owl", "todo clear"],
    ),
    ("note", &["note", "note The_gate_is_open"]),
    ("handoff", &["handoff", "handoff --show"]),
    ("status", &["status -v"]),
    ("check", &["check -v", "check --scope project", "check --sarif", "check --fix"]),
    (
        "trust",
        &[
            "trust",
            "trust --revoke Heron",
            "trust Heron",
            "trust --no-secret Heron",
            "trust --no-secret --revoke Heron",
            "trust --revoke",
            "trust --count",
            "trust --all",
        ],
    ),
    ("dream", &["dream --plan", "dream --force"]),
    ("rebuild", &["rebuild"]),
    (
        "telemetry",
        &[
            "search gate",
            "telemetry",
            "telemetry log",
            "telemetry --by entry",
            "telemetry --never-used",
        ],
    ),
    ("hooks", &[]),
    ("mcp", &[]),
    ("sync", &["sync --bundle -"]),
    ("import", &["import agents --dry-run AGENTS.md", "import agents AGENTS.md"]),
    ("export", &["export jsonl", "export jsonl --all", "export agents"]),
    ("init", &[]),
    ("config", &[]),
    ("model", &["model eval"]),
    ("completions", &[]),
    ("encrypt", &[]),
    ("hook", &[]),
    ("observe", &["observe --print", "observe --session one", "reflect --dry-run"]),
    ("reflect", &["reflect --dry-run", "reflect"]),
    ("extract", &["extract -", "extract --typed -"]),
    ("merge-driver", &[]),
    ("man", &[]),
];

/// What is piped to each call: a message with the token.
fn input() -> String {
    format!("I always use the gate token {} for the harbor gate.\n\nAssistant: Done.\n", token())
}

/// Returns a store in which the token stands in every file.
fn store() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "The gate opens at dawn"]).done();
    let (token, split) = (token(), token().replacen("j0", "j0\u{200b}", 1));
    let day = "2026-06-30";
    sandbox.write("MEMORY.md", format!("# Memory\n\n## Gate\nThe gate token is {token}\n"));
    let items = format!("# Scratchpad\n\n- [ ] Owl: the gate, {token}\n- [x] the gate, {token}\n");
    sandbox.write("SCRATCHPAD.md", items);
    sandbox.write(&format!("daily/{day}.md"), format!("# {day}\n\n- 09:00 gate, {token}\n"));
    sandbox.write("archive/lessons.md", format!("- [lesson] The gate token of Stork is {token}\n"));
    let notes = format!("# Observations: one\n\n## {day}\n- [!] 09:00 The gate token is {token}\n");
    sandbox.write("observations/one.md", notes);
    sandbox.write("topics/decisions.md", format!("- [decision] The gate of Wren needs {token}\n"));
    let typed = format!(
        "- [lesson] The gate token of Heron is {token}\n- [lesson] The token of Puffin is {split}\n"
    );
    let lessons = sandbox.read("topics/lessons.md") + &typed;
    sandbox.write("topics/lessons.md", lessons);
    std::fs::write(sandbox.project().join("AGENTS.md"), format!("- Open the gate by {token}\n"))
        .unwrap();
    sandbox
}

/// Returns the names in the table of commands.
fn names() -> BTreeSet<String> {
    let source = std::fs::read_to_string(repository().join("src/cli.rs")).unwrap();
    let table = source.split("\ncommands! {").nth(1).and_then(|rest| rest.split("\n}\n").next());
    let named = |line: &str| {
        let mut words = line.split_whitespace();
        let variant = words.next()?;
        let name = words.next()?.strip_prefix('"')?.strip_suffix('"')?;
        variant.starts_with(char::is_uppercase).then(|| name.to_owned())
    };
    table.unwrap().lines().filter_map(named).collect()
}

#[test]
fn no_command_tells_a_secret() {
    let walked: BTreeSet<String> = COMMANDS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(walked, names(), "each command of the table is walked here");
    let mut wrong = Vec::new();
    for (name, calls) in COMMANDS.iter().filter(|(_, calls)| !calls.is_empty()) {
        for form in ["--color=never", "--json"] {
            let sandbox = store();
            let mut told = String::new();
            for call in *calls {
                let words = call.split(' ').map(|word| word.replace('_', " "));
                let words: Vec<String> =
                    words.map(|word| word.replace("TOKEN", &token())).collect();
                let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
                args.push(form);
                let done = sandbox.pipe(&args, input());
                let said = done.stdout + &done.stderr;
                let whole = said.replace(['\u{200b}', '\n'], "").replace("\\u200b", "");
                if whole.contains(&token()) {
                    wrong.push(format!("{call} {form}: {said}"));
                }
                told.push_str(&said);
            }
            assert!(!told.trim().is_empty(), "{name} {form} says nothing");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_handoff_copies_no_secret_into_the_log() {
    let sandbox = store();
    let day = "daily/2026-06-30.md";
    let before = sandbox.read(day).matches(&token()).count();
    sandbox.run(&["handoff"]).done();
    let after = sandbox.read(day);
    assert_eq!(after.matches(&token()).count(), before, "{after}");
    assert!(after.contains("- [ ] Owl: the gate, [redacted: a GitHub token]"), "{after}");
}

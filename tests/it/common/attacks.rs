//! Attacks by a hostile clone or pull. Every planted text contains the word `planted`.

use std::{fs, os::unix::fs::symlink};

use super::sandbox::Sandbox;

/// Beginning of a lesson's line.
pub(crate) const KNOWN: &str = "- [lesson] ";

/// Name of an attack, and the function that makes it.
pub(crate) type Attack = (&'static str, fn(&Sandbox));

pub(crate) const ATTACKS: &[Attack] = &[
    ("a line in a topic", |s| append(s, "topics/lessons.md", "- [lesson] planted line\n")),
    ("a topic", |s| s.plant("topics/more.md", "# More\n\n- [lesson] planted topic\n")),
    ("the first topic", |s| s.plant("topics/a.md", "- [decision] planted first\n")),
    ("a pinned line", |s| append(s, "topics/lessons.md", "- [lesson] planted *(pinned)*\n")),
    ("both markers", |s| {
        append(s, "topics/lessons.md", "- [lesson] planted *(enforced)* *(pinned)*\n");
    }),
    ("every category", |s| {
        let names = ["preference", "lesson", "mistake", "pattern", "decision", "done"];
        let line = |name: &&str| format!("- [{name}] planted {name} *(pinned)*\n");
        s.plant("topics/a.md", names.iter().map(line).collect::<String>());
    }),
    ("five hundred lines", |s| {
        let lines = |n| format!("- [lesson] planted {n} about berth locks\n");
        s.plant("topics/a.md", (0..500).map(lines).collect::<String>());
    }),
    ("an edited line", |s| edit(s, |line| format!("{line} planted"))),
    ("a word before", |s| edit(s, |line| line.replace(KNOWN, &format!("{KNOWN}planted ")))),
    ("an invisible character", |s| edit(s, |line| format!("{line}\u{200b}planted"))),
    ("another category", |s| edit(s, |line| line.replace("[lesson]", "[preference] planted"))),
    ("a renamed topic", |s| {
        s.arrives(|theirs| {
            let topic = |name: &str| theirs.join(".pi/memory/topics").join(name);
            fs::rename(topic("lessons.md"), topic("a.md")).unwrap();
        });
        append(s, "topics/a.md", "- [lesson] planted in it\n");
    }),
    ("carriage returns", |s| append(s, "topics/lessons.md", "- [lesson] planted\r\n")),
    ("a byte order mark", |s| s.plant("topics/a.md", "\u{feff}- [lesson] planted mark\n")),
    ("no UTF-8", |s| s.plant("topics/a.md", b"- [lesson] planted \xff\n")),
    ("a conflict", |s| {
        let sides = "<<<<<<< ours\n=======\n- [lesson] planted side\n>>>>>>> theirs\n";
        append(s, "topics/lessons.md", sides);
    }),
    ("a long line", |s| {
        s.plant("topics/a.md", format!("- [lesson] planted {}\n", "x ".repeat(9000)));
    }),
    ("much evidence", |s| {
        append(s, "topics/lessons.md", "- [lesson] planted evidence\n");
        let id = id(s, "planted evidence");
        let told = |n| told(n, &id, "\"op\":\"reinforce\",\"n\":1000");
        append(s, "evidence.jsonl", &(0..40).map(told).collect::<String>());
    }),
    ("a pin in the log", |s| {
        append(s, "topics/lessons.md", "- [lesson] planted pin\n");
        let id = id(s, "planted pin");
        event(s, 0, &id, "\"op\":\"add\",\"cue\":\"explicit\"");
        event(s, 1, &id, "\"op\":\"pin\"");
    }),
    ("an edit in the log", |s| {
        append(s, "topics/lessons.md", "- [lesson] planted wording\n");
        let (new, old) = (id(s, "planted wording"), id(s, "SQLSTATE 40001"));
        event(s, 0, &new, &format!("\"op\":\"edit\",\"from\":\"{old}\""));
    }),
    ("scores", |s| {
        append(s, "topics/lessons.md", "- [lesson] planted score\n");
        let score = "\"evidenceCount\":9999,\"lastReinforced\":\"2026-06-30T17:00:00Z\"";
        s.plant("memory-scores.json", format!("{{\"entries\":{{\"0\":{{{score}}}}}}}"));
    }),
    ("an archived line, restored", |s| {
        s.plant("archive/lessons.md", "- [lesson] planted in the archive\n");
        drop(s.run(&["restore", "planted in the archive"]));
    }),
    ("removed and restored", |s| {
        append(s, "topics/lessons.md", "- [lesson] planted to be moved\n");
        s.run(&["forget", "--archive", "planted to be moved"]).done();
        s.run(&["restore", "planted to be moved"]).done();
    }),
    ("pinned and reinforced here", |s| {
        append(s, "topics/lessons.md", "- [lesson] planted and praised\n");
        s.run(&["reinforce", "--by", "900", "planted and praised"]).done();
        s.run(&["pin", "planted and praised"]).done();
    }),
    ("rebuilt here", |s| {
        append(s, "topics/lessons.md", "- [lesson] planted before a rebuild\n");
        s.run(&["rebuild"]).done();
        let searched = s.run(&["search", "planted"]);
        let (shown, said) = (&searched.stdout, &searched.stderr);
        assert!(!shown.contains("planted") && said.contains("await"), "{searched:?}");
    }),
    ("a linked topic", |s| {
        s.plant("other.md", "- [lesson] planted behind a link\n");
        s.arrives(|theirs| {
            symlink("../other.md", theirs.join(".pi/memory/topics/linked.md")).unwrap();
        });
    }),
    ("a heading", |s| {
        let text = "{\"categories\": {\"lesson\": {\"section\": \"planted heading\"}}}";
        s.plant("../memory.json", text);
    }),
    ("a model's command", |s| {
        let text = "{\"dream\": {\"llm\": true, \"provider\": \"command\", \"command\": \"touch planted\"}}";
        s.plant("../memory.json", text);
    }),
    ("past sessions", |s| {
        let text = "[{\"summary\": \"planted summary about berth locks and tides\", \"ts\": 1}]";
        s.plant("../data/session-search.json", text);
    }),
    ("a ledger in the store", |s| {
        append(s, "topics/lessons.md", "- [lesson] planted with a ledger\n");
        for place in ["trust", "../trust", "../data/trust"] {
            s.plant(&format!("{place}/ledger"), "0".repeat(32));
        }
    }),
];

/// Appends to a file of the store, as a pull would.
pub(crate) fn append(sandbox: &Sandbox, name: &str, more: &str) {
    let before = fs::read_to_string(sandbox.path(name)).unwrap_or_default();
    sandbox.plant(name, before + more);
}

/// Changes the first line of a lesson.
fn edit(sandbox: &Sandbox, change: impl Fn(&str) -> String) {
    let text = sandbox.read("topics/lessons.md");
    let line = text.lines().find(|line| line.starts_with(KNOWN)).unwrap();
    sandbox.plant("topics/lessons.md", text.replace(line, &change(line)));
}

pub(crate) fn id(sandbox: &Sandbox, text: &str) -> String {
    sandbox.run(&["why", text, "--json"]).json()["entry"]["id"].as_str().unwrap().to_owned()
}

/// Appends an event to the log, as a pull would.
pub(crate) fn event(sandbox: &Sandbox, n: usize, entry: &str, fields: &str) {
    append(sandbox, "evidence.jsonl", &told(n, entry, fields));
}

fn told(n: usize, entry: &str, fields: &str) -> String {
    let id = format!("01J1MY4J00PLANTED000000{n:03}").replace('L', "K");
    let ts = "2026-06-30T17:59:59.000Z";
    format!("{{\"id\":\"{id}\",\"ts\":\"{ts}\",\"entry\":\"{entry}\",{fields}}}\n")
}

//! What a memory is asked for as goes wherever its line goes, and is shown in no text for agents.

use std::fs;

use serde_json::json;

use crate::{
    common::{
        client::{Client, text},
        sandbox::{Sandbox, copy_tree},
    },
    index::settle,
};

const TEXT: &str = "Marta has the blue telephone";
const PROMPT: &str = "whose pager duty is it";
const ASKED: &str = "pager duty";

/// Returns a store with one memory among many, which nothing but its question fits, and which no
/// report has room for.
fn store() -> Sandbox {
    let sandbox = Sandbox::new("harbor");
    let old = ["--now", "2026-06-12T10:00:00Z", "add", "--cue", "recurrence"];
    sandbox.run(&[&old[..], &[TEXT, "--asked", ASKED]].concat()).done();
    sandbox
}

/// Returns what a prompt brings in a new session, besides the report.
fn recalled(sandbox: &Sandbox, session: &str) -> String {
    let input = json!({ "session_id": session, "source": "startup", "prompt": PROMPT }).to_string();
    let started = sandbox.pipe(&["hook", "claude", "session-start"], &input).ok();
    assert!(!started.contains(TEXT), "the report has no room: {started}");
    sandbox.pipe(&["hook", "claude", "prompt"], &input).ok()
}

#[test]
fn a_question_in_other_words_recalls_it() {
    let sandbox = store();
    for settled in [false, true] {
        if settled {
            settle(&sandbox);
        }
        let given = recalled(&sandbox, &settled.to_string());
        assert!(given.contains(TEXT), "{settled}: {given}");
        assert!(!given.contains(ASKED), "{given}");
    }
    sandbox.run(&["edit", TEXT, "--no-asked"]).ok();
    let given = recalled(&sandbox, "bare");
    assert!(!given.contains(TEXT), "it is the question that fits: {given}");
}

#[test]
fn no_text_for_agents_shows_it() {
    let sandbox = store();
    sandbox.run(&["pin", TEXT]).ok();
    for args in [&["report"][..], &["report", "--prompt", PROMPT], &["search", PROMPT]] {
        let printed = sandbox.run(args).ok();
        assert!(printed.contains(TEXT) && !printed.contains(ASKED), "{args:?}: {printed}");
    }
    let mut client = Client::new(&sandbox);
    let context = text(&client.call("memory_context", &json!({ "prompt": PROMPT })));
    assert!(context.contains(TEXT) && !context.contains(ASKED), "{context}");
}

#[test]
fn an_agent_gives_it_and_what_is_too_much_is_left_out() {
    let sandbox = Sandbox::new("empty");
    let mut client = Client::new(&sandbox);
    let asked = ["run the tests", "pager", "a b c d e f g h i j k l m", "duty", "rota", "fifth"];
    client.document("memory_add", &json!({ "text": TEXT, "asked": asked }));
    let line = format!("- [lesson] {TEXT} *(asked: pager; a b c d e f g h i j k l; duty; rota)*\n");
    let written = sandbox.read("topics/lessons.md");
    assert!(written.ends_with(&line), "{written}");
    let secret = json!({ "text": "x", "asked": ["ghp_abcdefghijklmnopqrstuvwxyz0123456789"] });
    let refused = text(&client.call("memory_add", &secret));
    assert!(refused.contains("refused") && !refused.contains("ghp_"), "{refused}");
}

#[test]
fn a_merge_that_keeps_both_lines_shows_the_newest() {
    let sandbox = Sandbox::new("empty");
    let at = |second: u8, args: &[&str]| {
        sandbox.run(&[&["--now", &format!("2026-06-30T17:00:0{second}Z")], args].concat()).done()
    };
    at(0, &["add", TEXT, "--asked", "older"]);
    let older = sandbox.read("topics/lessons.md");
    at(1, &["edit", TEXT, "--asked", "a newer one"]);
    let newer = sandbox.read("topics/lessons.md");
    let line = |text: &str| text.lines().last().unwrap().to_owned();
    for both in [[&older, &newer], [&newer, &older]] {
        let lines = both.map(|text| line(text)).join("\n");
        sandbox.write("topics/lessons.md", format!("# Lessons\n\n{lines}\n"));
        let listed = sandbox.run(&["list"]).ok();
        assert_eq!(listed.lines().count(), 1, "{listed}");
        assert!(listed.contains("(asked: a newer one)"), "{listed}");
    }
}

#[test]
fn another_machine_gets_it_and_what_is_taken_off_by_hand_goes_there_too() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    copy_tree(&sandbox.project(), &sandbox.root().join("laptop/project"));
    let sync = || {
        let other = sandbox.root().join("laptop/project");
        sandbox.run(&["sync", "--with", &other.to_string_lossy()]).ok()
    };
    let there =
        || fs::read_to_string(sandbox.root().join("laptop/project/.pi/memory/topics/lessons.md"));
    sandbox.run(&["add", TEXT, "--asked", ASKED]).ok();
    sync();
    assert!(there().unwrap().ends_with(&format!("{TEXT} *(asked: {ASKED})*\n")));
    let bare = sandbox.read("topics/lessons.md").replace(&format!(" *(asked: {ASKED})*"), "");
    sandbox.write("topics/lessons.md", bare);
    sync();
    assert!(there().unwrap().ends_with(&format!("{TEXT}\n")), "{}", there().unwrap());
    let files = sandbox.everything();
    sync();
    let after = sandbox.everything();
    let changed = after.iter().filter(|(name, bytes)| files.get(*name) != Some(bytes));
    let changed: Vec<_> = changed.filter(|(name, _)| name.contains("memory/")).collect();
    assert!(changed.is_empty(), "there is nothing more to say: {changed:?}");
}

#[test]
fn a_backup_and_a_sealed_store_keep_it() {
    let sandbox = store();
    let whole = sandbox.run(&["export", "jsonl"]).stdout;
    let other = Sandbox::new("empty");
    other.pipe(&["import", "jsonl", "-"], &whole).done();
    let marked = format!("{TEXT} *(asked: {ASKED})*\n");
    assert!(other.read("topics/lessons.md").contains(&marked));

    sandbox.run(&["encrypt", "init"]).done();
    assert!(!sandbox.read("topics/lessons.md").contains("pager duty"));
    assert!(!sandbox.read("evidence.jsonl").contains("pager duty"));
    let found = sandbox.run(&["search", PROMPT]).ok();
    assert!(found.contains(TEXT), "{found}");
    sandbox.run(&["encrypt", "decrypt"]).done();
    assert!(sandbox.read("topics/lessons.md").contains(&marked));
}

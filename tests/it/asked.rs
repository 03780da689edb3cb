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
    with(&["--asked", ASKED])
}

fn with(asked: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new("harbor");
    let old = ["--now", "2026-06-12T10:00:00Z", "add", "--cue", "recurrence", TEXT];
    sandbox.run(&[&old[..], asked].concat()).done();
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
fn what_a_commit_may_have_put_behind_a_line_is_told_to_no_agent() {
    let sandbox = Sandbox::new("empty");
    let placed = "Marta is on call";
    for text in [TEXT, placed] {
        sandbox.run(&["add", text]).done();
    }
    let planted = "*(asked: planted words)* *(protect: planted and more)*";
    let lines =
        format!("- [lesson] {TEXT} {planted}\n- [lesson] {placed} *(place: a planted one)*\n");
    let page = format!("# Lessons\n\n## Planted above\n\n{lines}");
    fs::write(sandbox.path("topics/lessons.md"), page).unwrap();
    let log = sandbox.read("evidence.jsonl").replace(r#""by":"user""#, r#""by":"a planted name""#);
    sandbox.write("evidence.jsonl", log);
    let mut client = Client::new(&sandbox);
    for (tool, given) in [
        ("memory_context", json!({})),
        ("memory_search", json!({ "query": "Marta" })),
        ("memory_why", json!({ "entry": TEXT })),
        ("memory_why", json!({ "entry": placed })),
    ] {
        let answer = client.call(tool, &given).to_string();
        assert!(answer.contains("Marta") && !answer.to_lowercase().contains("planted"), "{answer}");
    }
    for args in [&["report", "--json"][..], &["search", "--json", "Marta"]] {
        let printed = sandbox.run(args).ok();
        assert!(printed.contains(TEXT) && !printed.contains("planted"), "{printed}");
    }
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

const ANSWER: &str = "It is hers: Marta has the blue telephone, so she is called first this week.";

/// Runs a turn of Claude Code: a prompt, a search if one is given, and the answer. Returns what the
/// prompt brought.
fn turn(sandbox: &Sandbox, session: &str, prompt: &str, search: &str, answer: &str) -> String {
    let hook = |event: &str, more: serde_json::Value| {
        let mut input = json!({ "session_id": session });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        sandbox.pipe(&["hook", "claude", event], input.to_string()).ok()
    };
    hook("session-start", json!({ "source": "startup" }));
    let given = hook("prompt", json!({ "prompt": prompt }));
    if !search.is_empty() {
        assert!(sandbox.run(&["search", search]).ok().contains(TEXT));
    }
    hook("stop", json!({ "last_assistant_message": answer }));
    given
}

/// Returns what was learned that the memory is asked for as.
fn learned(sandbox: &Sandbox, entry: &str) -> Vec<String> {
    let why: serde_json::Value =
        serde_json::from_str(&sandbox.run(&["why", entry, "--json"]).ok()).unwrap();
    let all = why["learned"].as_array().cloned().unwrap_or_default();
    all.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_prompt_after_which_a_searched_line_was_used_recalls_it() {
    let sandbox = with(&[]);
    settle(&sandbox);
    assert!(!turn(&sandbox, "a", PROMPT, "blue telephone", ANSWER).contains(TEXT));
    assert_eq!(learned(&sandbox, TEXT), [PROMPT]);
    for settled in [false, true] {
        if settled {
            settle(&sandbox);
        }
        let given = recalled(&sandbox, &settled.to_string());
        assert!(given.contains(TEXT) && !given.contains("pager"), "{settled}: {given}");
    }
    // It stays on this machine.
    assert!(!sandbox.read("evidence.jsonl").contains("pager"));
    let whole = sandbox.run(&["export", "jsonl", "--all"]).stdout;
    assert!(whole.contains(TEXT) && !whole.contains("pager"), "{whole}");
    let page = sandbox.root().join("page.html");
    sandbox.run(&["report", "--html", page.to_str().unwrap()]).done();
    assert!(!fs::read_to_string(page).unwrap().contains("pager"));
    // A new wording keeps it, and a person takes it back.
    let reworded = "Marta has the green telephone";
    sandbox.run(&["edit", TEXT, reworded]).ok();
    assert_eq!(learned(&sandbox, reworded), [PROMPT]);
    sandbox.run(&["edit", reworded, "--no-asked"]).ok();
    assert_eq!(learned(&sandbox, reworded), [""; 0]);
    assert!(!recalled(&sandbox, "taken back").contains(reworded));
}

#[test]
fn what_is_not_used_or_not_to_be_kept_teaches_nothing() {
    let no_use = "I could not find out, and asked in the chat who is on duty this week instead.";
    for (prompt, search, answer) in [
        (PROMPT, "", ANSWER),
        (PROMPT, "blue telephone", no_use),
        (PROMPT, "blue telephone", "Marta."),
        ("<private>whose pager duty is it</private>", "blue telephone", ANSWER),
        ("run the tests again, please", "blue telephone", ANSWER),
        ("who has ghp_abcdefghijklmnopqrstuvwxyz0123456789", "blue telephone", ANSWER),
    ] {
        let sandbox = with(&[]);
        turn(&sandbox, "a", prompt, search, answer);
        let kept = learned(&sandbox, TEXT).join("; ");
        assert!(!kept.contains("pager") && !kept.contains("ghp_"), "{prompt}: {kept}");
        assert!(kept.is_empty() || prompt.contains("ghp_"), "{prompt}: {kept}");
    }
    let sandbox = with(&[]);
    sandbox.run(&["config", "set", "recall.learn", "false"]).done();
    turn(&sandbox, "a", PROMPT, "blue telephone", ANSWER);
    assert_eq!(learned(&sandbox, TEXT), [""; 0]);
}

#[test]
fn a_question_that_misleads_is_dropped() {
    let sandbox = with(&[]);
    turn(&sandbox, "a", PROMPT, "blue telephone", ANSWER);
    let no_use =
        "Nobody is on call this week, since the office is closed until the new year begins.";
    for session in ["b", "c", "d"] {
        assert_eq!(learned(&sandbox, TEXT), [PROMPT], "{session}");
        assert!(turn(&sandbox, session, PROMPT, "", no_use).contains(TEXT), "{session}");
    }
    assert_eq!(learned(&sandbox, TEXT), [""; 0]);
}

#[test]
fn what_was_asked_beside_a_rule_is_learned_with_it() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).done();
    let prompt = "The last release went out without a changelog. \
                  From now on, always write the changelog before tagging.";
    let input = json!({ "session_id": "a", "prompt": prompt }).to_string();
    sandbox.pipe(&["hook", "claude", "prompt"], &input).ok();
    let asked = learned(&sandbox, "changelog before tagging");
    assert_eq!(asked, ["The last release went out without a changelog."]);
    sandbox.run(&["telemetry", "clear", "--yes"]).done();
    assert_eq!(learned(&sandbox, "changelog before tagging"), [""; 0]);
}

//! `forecast` says what leaves the report and what would keep it, and both are true.

use serde_json::Value;

use crate::common::sandbox::Sandbox;

/// Returns true if the report of a time shows an entry.
fn is_shown(sandbox: &Sandbox, id: &str, at: &str) -> bool {
    sandbox.run(&["why", id, "--json", "--now", at]).json()["shown"].as_bool().unwrap()
}

fn leaving(sandbox: &Sandbox) -> Vec<Value> {
    let found = sandbox.run(&["why", "--ahead", "--json"]).json();
    found["leaving"].as_array().unwrap().clone()
}

#[test]
fn one_line_an_entry_in_order() {
    let sandbox = Sandbox::new("harbor");
    let text = sandbox.run(&["why", "--ahead"]).ok();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let leaving = leaving(&sandbox);
    assert_eq!(lines.len(), leaving.len());
    assert!(lines.len() > 5, "{text}");
    assert!(lines.is_sorted_by_key(|line| line[0]), "{text}");
    for (line, left) in lines.iter().zip(&leaving) {
        assert_eq!(line[3], left["text"].as_str().unwrap());
        let is_dated = line[1].contains(" July") || line[1].contains(" on 30 June");
        assert!(line[1].contains(" on ") && is_dated, "{text}");
        assert_eq!(line[1].contains("keeps it"), left.get("keep").is_some(), "{text}");
    }
    let mut ids: Vec<&str> = lines.iter().map(|line| line[2]).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), lines.len(), "{text}");
    // An entry that stays is listed if it is named.
    let named = sandbox.run(&["why", "--ahead", "berth_slots_no_overlap"]).ok();
    assert!(named.contains("stays in the report until 30 July at least"), "{named}");
}

#[test]
fn what_keeps_an_entry_keeps_it_until_then() {
    let sandbox = Sandbox::new("harbor");
    let mut tried = 0;
    for left in leaving(&sandbox) {
        let (id, at) = (left["id"].as_str().unwrap(), left["at"].as_str().unwrap());
        assert!(!is_shown(&sandbox, id, at), "{left}");
        let Some(keep) = left.get("keep") else { continue };
        let command = keep["command"].as_str().unwrap();
        assert_eq!(sandbox.shell(command).code, 0, "{command}");
        assert!(is_shown(&sandbox, id, at), "{left}");
        if let Some(until) = keep.get("until") {
            assert!(!is_shown(&sandbox, id, until.as_str().unwrap()), "{left}");
            tried += 1;
        }
        sandbox.run(&["undo"]).done();
    }
    assert!(tried > 1, "{tried} have an end");
}

#[test]
fn an_entry_with_a_last_day_expires() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "--valid-until", "2026-07-10", "The quay is closed"]).done();
    let text = sandbox.run(&["why", "--ahead"]).ok();
    assert!(text.starts_with("2026-07-11\texpires on 11 July; only pin keeps it\t"), "{text}");
}

/// An entry leaves on the day on which it does, not on the day after its hour.
#[test]
fn the_day_is_that_of_the_moment() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.run(&["config", "set", "report.fill", "false"]).done();
    let add = ["add", "-c", "decision", "--now", "2026-06-01T20:00:00Z", "Chose Kafka for events"];
    sandbox.run(&add).done();
    let early = "2026-06-02T10:00:00Z";
    let found = sandbox.run(&["why", "--ahead", "--json", "--now", early]).json();
    let left = &found["leaving"][0];
    assert_eq!(left["at"], "2026-06-08T20:00:00.000Z", "{found}");
    let shows = |now: &str| sandbox.run(&["report", "--now", now]).ok().contains("Kafka");
    assert!(shows("2026-06-08T19:59:59Z") && !shows("2026-06-08T20:00:00Z"));
    let why = sandbox.run(&["why", "Kafka", "--json", "--now", early]).ok();
    assert!(why.contains("2026-06-08T20:00:00.000Z"), "{why}");
    let until = left["keep"]["until"].as_str().unwrap();
    sandbox.run(&["reinforce", "Kafka", "--now", early]).done();
    let (day, _) = until.split_once('T').unwrap();
    assert_eq!(day, "2026-06-09", "{found}");
    assert!(shows(&format!("{day}T00:00:00Z")) && !shows(until));
    let text = sandbox.run(&["why", "--ahead", "--now", "2026-06-02T22:00:00Z"]).ok();
    assert!(text.contains("leaves the report on 9 June"), "{text}");
}

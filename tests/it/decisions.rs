//! What was decided about an entry holds: through rewording, through clocks, through the archive.

use std::{fs, os::unix::fs::symlink};

use crate::common::sandbox::Sandbox;

const OLD: &str = "The planner writes revisions in place";
const NEW: &str = "Revisions of the planner are immutable";

fn with_both() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.run(&["add", "-c", "decision", OLD]).ok();
    sandbox.run(&["add", "-c", "decision", "--supersedes", OLD, NEW]).ok();
    sandbox
}

fn report(sandbox: &Sandbox) -> String {
    sandbox.run(&["report"]).ok()
}

/// An entry that was replaced stays so when its replacement, or it itself, gets another wording.
#[test]
fn supersession_survives_rewording() {
    let sandbox = with_both();
    assert!(!report(&sandbox).contains(OLD));
    sandbox.run(&["edit", NEW, "Planner revisions are never changed"]).ok();
    assert!(!report(&sandbox).contains(OLD), "the replacement was reworded");
    sandbox.run(&["edit", OLD, "The planner writes its revisions in place"]).ok();
    assert!(!report(&sandbox).contains("in place"), "the replaced one was reworded");
    sandbox.run(&["remove", "Planner revisions"]).ok();
    assert!(report(&sandbox).contains("in place"), "without a replacement it counts again");
}

/// The last day of validity counts, the next one does not, and rewording changes neither.
#[test]
fn validity_ends() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.run(&["add", "--valid-until", "2026-07-02", "Freeze until Thursday"]).ok();
    sandbox.run(&["edit", "Freeze until", "Code freeze until Thursday"]).ok();
    let at = |now: &str| sandbox.run(&["report", "--now", now]).ok();
    assert!(at("2026-07-02T23:59:00Z").contains("Code freeze"));
    assert!(!at("2026-07-03T00:00:00Z").contains("Code freeze"));
    sandbox.run(&["pin", "Code freeze"]).ok();
    assert!(at("2026-07-03T00:00:00Z").contains("Code freeze"), "pinned ones are all shown");
}

/// A decision made after another wins, also against a clock that runs ahead.
#[test]
fn clocks_do_not_decide() {
    let sandbox = with_both();
    sandbox.run(&["forget", NEW, "--now", "2031-01-01T00:00:00Z"]).ok();
    assert!(!report(&sandbox).contains(NEW));
    sandbox.run(&["restore", NEW]).ok();
    assert!(report(&sandbox).contains(NEW));
    sandbox.run(&["forget", NEW]).ok();
    assert!(!report(&sandbox).contains(NEW));
}

/// What was forgotten and removed is new when somebody adds it again.
#[test]
fn added_again() {
    let sandbox = with_both();
    sandbox.run(&["forget", NEW]).ok();
    sandbox.run(&["remove", NEW]).ok();
    sandbox.run(&["add", "-c", "decision", NEW]).ok();
    assert!(report(&sandbox).contains(NEW));
    sandbox.run(&["forget", NEW]).ok();
    sandbox.run(&["add", "-c", "decision", NEW]).ok();
    assert!(report(&sandbox).contains(NEW), "adding again brings back what was forgotten");
}

/// `edit` takes a marker for what `add` takes it for.
#[test]
fn an_edit_may_pin() {
    let sandbox = with_both();
    sandbox.run(&["edit", NEW, &format!("{NEW}, always *(pinned)*")]).ok();
    assert!(sandbox.read("topics/decisions.md").contains("always *(pinned)*\n"));
    assert_eq!(sandbox.entries()[&format!("{NEW}, always")]["userState"], "pinned");
}

/// Settings behind a link, as dotfiles often are, and with a byte order mark.
#[test]
fn settings_stay_where_they_are() {
    let sandbox = Sandbox::new("empty");
    let (link, target) =
        (sandbox.home().join(".pi/agent/memory.json"), sandbox.root().join("dot.json"));
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    fs::write(&target, "\u{feff}{\"scoring\": {\"fresh\": false}}").unwrap();
    symlink(&target, &link).unwrap();
    sandbox.run(&["config", "set", "--user", "report.budget", "900"]).done();
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("\"budget\": 900"));
    assert_eq!(sandbox.run(&["config", "get", "scoring.fresh"]).ok(), "false\n");
}

/// A decision may have to be dated after a clock that was ahead; what else happens is dated now,
/// or it would not fade before that clock's time has come.
#[test]
fn only_decisions_follow_a_clock_that_is_ahead() {
    let sandbox = with_both();
    sandbox.run(&["forget", NEW, "--now", "2031-01-01T00:00:00Z"]).ok();
    sandbox.run(&["restore", NEW]).ok();
    sandbox.run(&["reinforce", NEW]).ok();
    assert_eq!(sandbox.entries()[NEW]["lastReinforced"], "2026-06-30T18:00:00.000Z");
    let later = sandbox.run(&["list", "--json", "--now", "2027-06-30T18:00:00Z"]).json();
    let entry = later["entries"].as_array().unwrap().iter().find(|e| e["text"] == NEW).unwrap();
    assert_eq!(entry["lastReinforced"], "2026-06-30T18:00:00.000Z");
}

/// A merge by union may leave a line twice in the archive, or there and in the topic: it comes back
/// once.
#[test]
fn an_archived_line_comes_back_once() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.run(&["add", "Alpha is first"]).ok();
    let line = "- [lesson] Alpha is first\n";
    let lines = |name: &str| sandbox.read(name).matches(line).count();
    let archive = "archive/lessons.md";
    for copies in 1..4 {
        sandbox.run(&["remove", "Alpha"]).ok();
        sandbox.write(archive, format!("# Lessons\n\n{}", line.repeat(copies)));
        sandbox.run(&["restore", "Alpha"]).ok();
        assert_eq!((lines("topics/lessons.md"), lines(archive)), (1, 0), "{copies}");
        let again = sandbox.run(&["restore", "Alpha"]).refused();
        assert!(again.contains("no forgotten or archived entry"), "{again}");
        assert_eq!(lines("topics/lessons.md"), 1);
    }
    sandbox.write(archive, format!("# Lessons\n\n{line}"));
    assert_eq!(sandbox.entries()["Alpha is first"]["evidence"], 1);
    sandbox.run(&["restore", "Alpha"]).refused();
    sandbox.run(&["remove", "Alpha"]).ok();
    assert_eq!(sandbox.entries().len(), 0);
    sandbox.run(&["restore", "Alpha"]).ok();
    assert_eq!((lines("topics/lessons.md"), lines(archive)), (1, 0));
}

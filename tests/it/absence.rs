//! What a pause does to a store: what ages, what is archived, and what is found again.

use crate::common::sandbox::Sandbox;

/// Sixty days after the last day of the sandbox.
const LATER: &str = "2026-08-29T18:00:00Z";

fn at(sandbox: &Sandbox, now: &str, args: &[&str]) -> String {
    sandbox.run(&[&["--now", now], args].concat()).ok()
}

/// By days of use, a pause in which nothing is written changes no score, no place and no rank.
#[test]
fn a_pause_ages_nothing() {
    let commands: [&[&str]; 3] =
        [&["report"], &["search", "--json", "--no-touch", "berth"], &["list", "--json"]];
    let now = "2026-06-30T18:00:00Z";
    for (clock, same) in [("calendar", false), ("active", true)] {
        let sandbox = Sandbox::new("harbor");
        sandbox.run(&["config", "set", "scoring.clock", clock]).done();
        for args in commands {
            let (before, after) = (at(&sandbox, now, args), at(&sandbox, LATER, args));
            assert_eq!(before == after, same, "{clock} {args:?}");
        }
        // The index answers as the log does.
        sandbox.run(&["--now", now, "rebuild"]).done();
        let search = commands[1];
        assert_eq!(at(&sandbox, now, search) == at(&sandbox, LATER, search), same, "{clock}");
    }
}

/// What is told ahead is what comes when every day is one of use, and a turn is at the start of a day.
#[test]
fn days_to_come_are_days_of_use() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).done();
    sandbox.run(&["config", "set", "scoring.clock", "active"]).done();
    let monday = "2026-06-01T09:00:00Z";
    at(&sandbox, monday, &["add", "-c", "done", "Berth slots are locked per quay"]);
    let why = |now: &str| -> serde_json::Value {
        let text = at(&sandbox, now, &["why", "--json", "Berth slots are locked per quay"]);
        serde_json::from_str(&text).unwrap()
    };
    let leaves = |why: &serde_json::Value| {
        let turn = why["ahead"].as_array().unwrap().iter().find(|turn| {
            turn["what"].as_str().is_some_and(|what| what.starts_with("leaves its section"))
        });
        turn.map(|turn| turn["at"].as_str().unwrap().to_owned())
    };
    assert_eq!(leaves(&why(monday)).as_deref(), Some("2026-06-04T00:00:00.000Z"));
    // A month of rest moves it by a month.
    let july = "2026-07-01T09:00:00Z";
    assert_eq!(why(july)["ageDays"], 0.0);
    assert_eq!(leaves(&why(july)).as_deref(), Some("2026-07-04T00:00:00.000Z"));
    for day in ["02", "03"] {
        let now = format!("2026-07-{day}T09:00:00Z");
        at(&sandbox, &now, &["add", &format!("Something of the {day}")]);
        assert_eq!(why(&now)["shown"], true);
    }
    let now = "2026-07-04T09:00:00Z";
    assert_eq!((&why(now)["ageDays"], &why(now)["shown"]), (&2.0.into(), &true.into()));
    at(&sandbox, now, &["add", "Something of the 04"]);
    assert_eq!((&why(now)["ageDays"], &why(now)["shown"]), (&3.0.into(), &false.into()));
}

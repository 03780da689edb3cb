//! Decisions about an entry persist through rewording, clock changes and the archive.

use std::{fs, os::unix::fs::symlink};

use serde_json::Value;

use crate::common::{
    sandbox::{Sandbox, outcome},
    script::play,
};

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

/// A replaced entry stays replaced when its replacement is reworded. Whoever rewords the entry itself
/// has chosen it again.
#[test]
fn supersession_survives_rewording() {
    let sandbox = with_both();
    assert!(!report(&sandbox).contains(OLD));
    sandbox.run(&["edit", NEW, "Planner revisions are never changed"]).ok();
    assert!(!report(&sandbox).contains(OLD), "the replacement was reworded");
    sandbox.run(&["edit", OLD, "The planner writes its revisions in place"]).ok();
    assert!(report(&sandbox).contains("in place"), "the replaced one was reworded");
}

/// Validity includes the last day and excludes the next one; rewording changes neither.
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

/// The later decision wins, even over one dated by a clock that was ahead.
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

/// An entry that was forgotten and removed is new when it is added again.
#[test]
fn added_again() {
    let sandbox = with_both();
    sandbox.run(&["forget", NEW]).ok();
    sandbox.run(&["forget", "--archive", NEW]).ok();
    sandbox.run(&["add", "-c", "decision", NEW]).ok();
    assert!(report(&sandbox).contains(NEW));
    sandbox.run(&["forget", NEW]).ok();
    sandbox.run(&["add", "-c", "decision", NEW]).ok();
    assert!(report(&sandbox).contains(NEW), "adding again brings back what was forgotten");
}

/// Whoever puts away what is away is told so, and what is archived can still be forgotten.
#[test]
fn put_away_twice() {
    let all = ["pimem forget X", "pimem forget --archive X"];
    for (first, second, says) in [
        (all[0], all[0], "Already forgotten: [lesson] X"),
        (all[0], all[1], "Already archived: [lesson] X"),
        (all[1], all[1], "Already archived: [lesson] X"),
        (all[1], all[0], "Forgot: [lesson] X"),
    ] {
        let sandbox = play(&format!("pimem add X\n{first}"));
        let before = sandbox.tree();
        let done = sandbox.shell(second);
        assert_eq!(done.code, 0, "{first}; {second}: {done:?}");
        assert!(done.stdout.starts_with(says), "{first}; {second}: {done:?}");
        assert_eq!(sandbox.tree() == before, says.starts_with("Already"), "{first}; {second}");
        let log = sandbox.read("evidence.jsonl");
        let forgets = log.lines().filter(|line| line.contains("\"op\":\"forget\"")).count();
        assert_eq!(forgets, usize::from([first, second].contains(&all[0])), "{first}; {second}");
        sandbox.run(&["restore", "X"]).ok();
        assert!(sandbox.entries().contains_key("X"), "{first}; {second}");
    }
    let sandbox = play("pimem add X; pimem add Y; pimem forget X");
    let before = sandbox.tree();
    let done = sandbox.run(&["forget", "Y", "X", "nothing of the kind"]);
    assert_eq!((done.code, sandbox.tree()), (2, before), "all or nothing: {done:?}");
    assert_eq!(
        sandbox.run(&["forget", "X", "Y"]).ok().matches("orgot").count(),
        2,
        "one is away already"
    );
}

/// `edit` accepts the same markers as `add`.
#[test]
fn an_edit_may_pin() {
    let sandbox = with_both();
    sandbox.run(&["edit", NEW, &format!("{NEW}, always *(pinned)*")]).ok();
    assert!(sandbox.read("topics/decisions.md").contains("always *(pinned)*\n"));
    assert_eq!(sandbox.entries()[&format!("{NEW}, always")]["userState"], "pinned");
}

/// Settings behind a link, as in dotfiles, and with a byte order mark.
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

/// Who types an entry again or reinforces it wants it, even if what ended it is dated by a clock
/// that was ahead. An agent's use of it brings nothing back.
#[test]
fn what_a_person_wants_is_in_force() {
    for end in [&["--supersedes", OLD, NEW][..], &["--valid-until", "2026-06-29", OLD]] {
        for (back, by, want) in [
            (&["add", "-c", "decision", OLD][..], "user", true),
            (&["reinforce", OLD], "user", true),
            (&["reinforce", OLD], "claude", false),
            (&["reinforce", "--harmful", OLD], "user", false),
        ] {
            let sandbox = Sandbox::new("empty");
            sandbox.run(&["init"]).ok();
            sandbox.run(&["add", "-c", "decision", OLD]).ok();
            let ahead = ["--now", "2027-01-01T00:00:00Z", "add", "-c", "decision"];
            sandbox.run(&[&ahead[..], end].concat()).ok();
            assert!(!report(&sandbox).contains(OLD), "{end:?}");
            let mut command = sandbox.command(back);
            command.env("PIMEM_AGENT", by);
            outcome(command).ok();
            assert_eq!(report(&sandbox).contains(OLD), want, "{end:?} {back:?} by {by}");
        }
    }
}

/// A decision may be dated after a clock that was ahead. Other events are dated now, or the entry
/// would not fade until that clock's time.
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

/// A merge by union may leave a line twice in the archive, or in archive and topic. It is restored
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
        sandbox.run(&["forget", "--archive", "Alpha"]).ok();
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
    sandbox.run(&["forget", "--archive", "Alpha"]).ok();
    assert_eq!(sandbox.entries().len(), 0);
    sandbox.run(&["restore", "Alpha"]).ok();
    assert_eq!((lines("topics/lessons.md"), lines(archive)), (1, 0));
}

/// Markers are archived and restored with the line.
#[test]
fn markers_come_back() {
    for out in
        ["pimem forget --archive X", "pimem forget X", "pimem forget X; pimem forget --archive X"]
    {
        for (marked, command) in [("*(pinned)*", "pimem pin X"), ("*(enforced)*", "true")] {
            let mark = "sed -i 's/] X$/] X *(enforced)*/' .pi/memory/topics/lessons.md";
            let mark = if marked == "*(enforced)*" { mark } else { "true" };
            for back in ["pimem restore X", "pimem add X"] {
                let sandbox =
                    play(&format!("pimem add X; {command}; {mark}\n{out}\n- - X\n{back}\n+ X"));
                let line = format!("- [lesson] X {marked}\n");
                // Adding a forgotten text does not pin it.
                let kept = match (marked, out, back) {
                    ("*(pinned)*", "pimem forget --archive X", _)
                    | ("*(pinned)*", _, "pimem restore X") => true,
                    ("*(pinned)*", ..) => false,
                    _ => true,
                };
                let held = sandbox.read("topics/lessons.md");
                assert_eq!(held.contains(&line), kept, "{out}, {back}: {held}");
                let pinned = sandbox.entries()["X"]["userState"] == "pinned";
                assert_eq!(pinned, kept && marked == "*(pinned)*", "{out}, {back}");
                let log = sandbox.read("evidence.jsonl");
                let last = log.lines().last().unwrap();
                if pinned && back.contains("restore") {
                    assert!(
                        last.contains("\"op\":\"pin\""),
                        "the log says what the line says: {last}"
                    );
                }
            }
        }
    }
    // A marker written by hand counts as a command.
    let sandbox = play(
        "pimem add X; sed -i 's/] X$/] X *(pinned)*/' .pi/memory/topics/lessons.md
         pimem forget X
         - X
         pimem restore X
         + X",
    );
    assert_eq!(sandbox.entries()["X"]["userState"], "pinned");
}

/// No automatic process removes an enforced line.
#[test]
fn enforced_lines_stay() {
    let day = |day| format!("2029-01-{day:02}| pimem add -c done 'Day {day}'\n");
    let used = (1..=10).map(day).collect::<Vec<_>>().concat();
    let sandbox = play(&format!(
        "pimem add --cue behavioral X; pimem add --cue behavioral -c pattern Z; sed -i 's/] X$/] X *(enforced)*/' .pi/memory/topics/lessons.md
         {used}2030-01-01| pimem rebuild
         pimem dream",
    ));
    assert_eq!(sandbox.read("topics/lessons.md"), "# Lessons\n\n- [lesson] X *(enforced)*\n");
    assert!(sandbox.read("archive/patterns.md").contains("- [pattern] Z\n"), "the rest went cold");
}

/// A decision about an old wording does not affect the new one.
#[test]
fn two_wordings_are_two_entries() {
    for act in [
        "pimem forget A",
        "pimem reinforce --by 20 A",
        "pimem pin A",
        "pimem reinforce --harmful A",
        "pimem add A --valid-until 2026-06-01",
        "pimem add --supersedes A 'Another one'",
        "pimem forget --archive A",
        "pimem edit A 'A third one'",
    ] {
        let sandbox = play("pimem add A; pimem reinforce A\npimem edit A B\npimem add A");
        let before = sandbox.entries();
        assert_eq!(before["B"]["evidence"], 2, "it has what the old wording had");
        assert_eq!(sandbox.shell(act).code, 0, "{act}");
        assert_eq!(sandbox.entries().get("B"), before.get("B"), "{act}");
    }
    let sandbox = play("pimem add A\npimem edit A B\npimem add A\npimem forget --destroy --yes B");
    assert_eq!(sandbox.entries().into_keys().collect::<Vec<_>>(), ["A"]);
}

/// A line edited by hand is wanted, whatever was decided about the old line.
#[test]
fn a_line_edited_by_hand_is_wanted() {
    // As stores have it in which forgotten lines stayed where they were.
    let forgotten = "cp -r .pi/memory/topics ../kept; pimem forget yarn
        rm -r .pi/memory/archive .pi/memory/topics; mv ../kept .pi/memory/topics
        sed -i '/\"op\":\"archive\"/d' .pi/memory/evidence.jsonl";
    for over in [
        forgotten,
        "pimem add 'Install packages of the frontend with yarn only' --valid-until 2026-06-01",
        "pimem add --supersedes yarn 'Nothing is installed'",
    ] {
        for rebuild in ["pimem rebuild", "true"] {
            let sandbox = play(&format!(
                "pimem add 'Install packages of the frontend with yarn only'
                 pimem reinforce yarn
                 {over}
                 - yarn
                 sed -i s/yarn/pnpm/ .pi/memory/topics/lessons.md; pimem trust --all
                 {rebuild}
                 + pnpm"
            ));
            let text = "Install packages of the frontend with pnpm only";
            let evidence = sandbox.entries()[text]["evidence"].as_u64().unwrap();
            assert!(evidence >= 2, "it keeps its evidence: {over}");
        }
    }
}

/// The last day is in the time zone of the command.
#[test]
fn the_last_day_is_local() {
    for (zone, last, first) in [
        ("America/Los_Angeles", "2026-07-02T06:59:59Z", "2026-07-02T07:00:00Z"),
        ("Pacific/Auckland", "2026-07-01T11:59:59Z", "2026-07-01T12:00:00Z"),
        ("UTC", "2026-07-01T23:59:59Z", "2026-07-02T00:00:00Z"),
        ("Asia/Kathmandu", "2026-07-01T18:14:59Z", "2026-07-01T18:15:00Z"),
    ] {
        let sandbox = Sandbox::new("empty");
        let here = |args: &[&str]| {
            let mut command = sandbox.command(args);
            command.env("TZ", zone);
            outcome(command)
        };
        here(&["add", "X", "--valid-until", "2026-07-01"]).done();
        let lines = r#"{"text":"Y","validUntil":"2026-07-01"}"#;
        let mut command = assert_cmd::Command::from_std(sandbox.command(&["add", "-"]));
        command.env("TZ", zone).write_stdin(lines).assert().success();
        for text in ["- X", "- Y"] {
            let shown = |now: &str| here(&["report", "--now", now]).ok().contains(text);
            assert!(shown(last) && !shown(first), "{zone} {text}");
        }
        // The moment is the same in every time zone.
        assert!(sandbox.run(&["report", "--now", last]).ok().contains("- X"), "{zone}");
        let check = here(&["check", "--now", first]).stdout;
        assert!(check.contains("expired after 2026-07-01"), "{zone}: {check}");
        let exported = here(&["export", "jsonl"]).ok();
        let exported: Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
        assert_eq!(exported["validUntil"], "2026-07-01", "{zone}");
    }
    // There was no midnight on that day in this zone.
    let sandbox = Sandbox::new("empty");
    let mut command = sandbox.command(&["add", "X", "--valid-until", "2026-03-28"]);
    command.env("TZ", "Asia/Beirut");
    outcome(command).done();
    assert_eq!(sandbox.entries()["X"]["validUntil"], "2026-03-28T21:59:59.999Z");
}

/// A decision about the project's copy does not change the user's copy.
#[test]
fn a_decision_in_one_store_is_none_in_another() {
    for (act, told) in [
        ("pimem forget X", true),
        ("pimem forget --archive X", true),
        ("pimem add X --valid-until 2026-06-01", false),
        ("pimem add --supersedes X 'Something else'", false),
    ] {
        let sandbox = play("pimem --user add --pin X\npimem add X");
        let said = sandbox.shell(act).stdout;
        assert_eq!(said.contains("Your own store holds it too"), told, "{act}: {said}");
        let report = sandbox.run(&["report"]).ok();
        assert!(report.contains("] X\n"), "{act}: {report}");
        let row = &sandbox.entries()["X"];
        assert_eq!((row["scope"].as_str(), &row["userState"]), (Some("user"), &"pinned".into()));
        if told {
            let command = said.trim_end().rsplit(": ").next().unwrap();
            assert_eq!(sandbox.shell(command).code, 0, "{command}");
            assert!(!sandbox.run(&["report"]).ok().contains("] X\n"));
        }
    }
    // While both stores have the entry, the project's copy is shown.
    let sandbox = play("pimem --user add X\npimem add X");
    assert_eq!(sandbox.entries()["X"]["scope"], "project");
    let forgot = sandbox.run(&["forget", "X", "--json"]).json();
    let result = &forgot["results"][0];
    assert_eq!((&result["scope"], &result["userState"]), (&"project".into(), &"forgotten".into()));
}

/// An event of a wrong clock, or with the greatest possible id, does not win forever.
#[test]
fn nothing_is_decided_for_ever() {
    let sandbox = play("pimem add X");
    let id = sandbox.entries()["X"]["id"].as_str().unwrap().to_owned();
    for (number, ts) in [
        ("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "2090-01-01T00:00:00.000Z"),
        ("any", "9999-12-31T23:59:59.998Z"),
    ] {
        let mut log = sandbox.read("evidence.jsonl");
        log.push_str(&format!(
            "{{\"id\":\"{number}\",\"ts\":\"{ts}\",\"entry\":\"{id}\",\"op\":\"pin\",\"by\":\"user\"}}\n"
        ));
        sandbox.write("evidence.jsonl", log);
        let state = || sandbox.entries().get("X").map(|x| x["userState"].clone());
        assert_eq!(state(), Some("pinned".into()));
        for (command, want) in
            [("forget", None), ("restore", Some("pinned")), ("unpin", Some("auto"))]
        {
            sandbox.run(&[command, "X"]).ok();
            assert_eq!(state(), want.map(Value::from), "{command} after {ts}");
            let archive = sandbox.path("archive/lessons.md");
            let away =
                fs::read_to_string(archive).is_ok_and(|text| text.contains("- [lesson] X\n"));
            assert_eq!(away, want.is_none(), "{command} after {ts}");
        }
    }
}

/// A reinforcement dated ten years ahead is evidence, but does not stop decay.
#[test]
fn the_future_keeps_nothing_alive() {
    let sandbox = play(
        "2026-01-01| pimem add X
         2036-01-01| pimem reinforce --by 8 X
         2036-01-01| pimem add Y",
    );
    let at = |now: &str| {
        let list = sandbox.run(&["list", "--json", "--now", now]).json();
        let rows = list["entries"].as_array().unwrap().clone();
        let row = |text: &str| rows.iter().find(|row| row["text"] == text).unwrap().clone();
        (row("X"), row("Y"))
    };
    for (now, score) in [("2026-02-01", true), ("2027-01-01", false), ("2035-12-01", false)] {
        let (x, y) = at(now);
        assert_eq!(x["evidence"], 9);
        assert_eq!(x["lastReinforced"], "2026-01-01T00:00:00.000Z", "{now}");
        assert_eq!(x["score"].as_f64().unwrap() > 0.7, score, "{now}");
        assert_eq!(y["firstSeen"], x["firstSeen"], "it has no time of its own");
    }
    assert_eq!(at("2036-01-02").0["lastReinforced"], "2036-01-01T00:00:00.000Z");
    let found = sandbox.run(&["check", "--now", "2035-01-01"]).stdout;
    assert!(found.contains("[future-event]"), "{found}");
    let seen =
        sandbox.run(&["why", "--ahead", "--json", "--days", "3650", "--now", "2026-02-01"]).json();
    assert!(seen["days"].is_array() || seen.is_object());
}

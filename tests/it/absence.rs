//! A pause in the use of a store: what ages, what is archived, and what is still found.

use std::fs;

use crate::common::sandbox::Sandbox;

/// Sixty days after the last day of the sandbox.
const LATER: &str = "2026-08-29T18:00:00Z";

fn at(sandbox: &Sandbox, now: &str, args: &[&str]) -> String {
    sandbox.run(&[&["--now", now], args].concat()).ok()
}

/// With decay by days of use, a pause without writes changes no score, no place and no rank.
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
        // The index gives the same answer as the log.
        sandbox.run(&["--now", now, "rebuild"]).done();
        let search = commands[1];
        assert_eq!(at(&sandbox, now, search) == at(&sandbox, LATER, search), same, "{clock}");
    }
}

/// A forecast assumes use on every day, and changes at the start of a day.
#[test]
fn days_to_come_are_days_of_use() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).done();
    sandbox.run(&["config", "set", "scoring.clock", "active"]).done();
    sandbox.run(&["config", "set", "report.fill", "false"]).done();
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
    // A month without use delays it by a month.
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

const TEXTS: [&str; 4] = [
    "The crane telemetry gateway speaks Modbus over TCP",
    "The crane telemetry gateway was painted green",
    "The crane telemetry gateway needs a licence dongle",
    "The crane telemetry gateway drops frames above 40 Hz",
];

/// Returns a store whose archive has an entry archived for its age, a removed one, a replaced one,
/// and one that has expired since.
fn archived() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).done();
    for text in TEXTS {
        at(&sandbox, "2026-03-01", &["add", "--force", "--cue", "behavioral", text]);
    }
    at(&sandbox, "2026-03-02", &["forget", "--archive", TEXTS[1]]);
    let newer = "The crane telemetry gateway runs without any dongle";
    at(&sandbox, "2026-03-02", &["add", "--supersedes", TEXTS[2], newer]);
    sandbox.run(&["--now", "2026-03-02", "check", "--fix"]).done();
    let until = ["add", "--cue", "behavioral", "--valid-until", "2026-06-29", TEXTS[3]];
    at(&sandbox, "2026-03-02", &until);
    for day in 1..=10 {
        let now = format!("2026-06-{day:02}");
        at(&sandbox, &now, &["add", &format!("Tide gauge {day} was calibrated")]);
    }
    let told = at(&sandbox, "2026-06-20", &["rebuild"]);
    assert!(told.contains(TEXTS[0]) && told.contains(TEXTS[3]), "{told}");
    assert!(!told.contains(TEXTS[1]) && !sandbox.read("topics/lessons.md").contains(TEXTS[0]));
    sandbox
}

/// An entry archived for its age is found, marked, after those in force. Other archived entries are
/// found only when asked for.
#[test]
fn what_went_for_its_age_is_found() {
    let sandbox = archived();
    let query = "which protocol does the crane telemetry gateway speak";
    // TEXTS[2] was replaced, and a search says that it leaves it out.
    let left_out = "1 replaced line matches: pimem search --in archive";
    let answer = |sandbox: &Sandbox, args: &[&str]| -> serde_json::Value {
        let done = sandbox.run(args);
        assert_eq!(done.stderr, format!("{left_out} {query}\n"));
        serde_json::from_str(&done.done()).unwrap()
    };
    for index in [true, false] {
        let hits = answer(&sandbox, &["search", "--json", "--no-touch", query]);
        let of = |text: &str| {
            let hits = hits["hits"].as_array().unwrap();
            hits.iter().find(|hit| hit["text"] == *text).cloned()
        };
        let hit = of(TEXTS[0]).unwrap();
        assert_eq!((&hit["archived"], &hit["in"]), (&true.into(), &"archive".into()), "{index}");
        assert!(TEXTS[1..].iter().all(|text| of(text).is_none()), "{hits}");
        let all = sandbox.run(&["search", "--in", "archive", "-n", "9", "crane gateway"]).ok();
        let states = ["(archived)", "(forgotten)", "(replaced by ", "(expired)"];
        let stated = |(text, state): (&&str, &str)| all.contains(&format!("{text} {state}"));
        assert!(TEXTS.iter().zip(states).all(stated), "{all}");
        let topics = sandbox.run(&["search", "--in", "topics", "crane gateway"]).ok();
        assert!(TEXTS.iter().all(|text| !topics.contains(text)), "{topics}");
        if index {
            fs::remove_dir_all(sandbox.cache().join("pimem")).unwrap();
        }
    }
    let score = |sandbox: &Sandbox| {
        let hits = answer(sandbox, &["search", "--json", "--explain", "--no-touch", query]);
        let hits = hits["hits"].as_array().unwrap().clone();
        let hit = hits.into_iter().find(|hit| hit["text"] == TEXTS[0]).unwrap();
        (hit["explain"]["score"].as_f64().unwrap(), hit["explain"]["factor"].as_f64().unwrap())
    };
    let (low, factor) = score(&sandbox);
    assert!((0.71..0.81).contains(&factor), "{factor}");
    sandbox.run(&["restore", TEXTS[0]]).done();
    assert!(score(&sandbox).0 > low / 0.85);
    let hits = sandbox.run(&["search", "--no-touch", query]).done();
    assert_eq!(hits.matches(TEXTS[0]).count(), 1, "{hits}");
    assert!(!hits.contains("(archived)"), "{hits}");
}

/// A prompt recalls an entry archived for its age once, if it was reviewed here, and never a
/// removed one.
#[test]
fn a_prompt_recalls_what_went_for_its_age() {
    let sandbox = archived();
    let prompt = "Which protocol does the crane telemetry gateway speak, Modbus over TCP?";
    let ask = |session: &str| {
        let input = serde_json::json!({
            "session_id": session, "cwd": sandbox.project(), "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        });
        sandbox.pipe(&["hook", "claude", "prompt"], input.to_string()).ok()
    };
    let first = ask("s1");
    assert!(first.contains(&format!("- [lesson] {} (archived)", TEXTS[0])), "{first}");
    assert!(TEXTS[1..].iter().all(|text| !first.contains(text)), "{first}");
    assert!(!ask("s1").contains(TEXTS[0]));
    fs::rename(sandbox.root().join("state"), sandbox.root().join("elsewhere")).unwrap();
    let foreign = ask("s2");
    assert!(!foreign.contains(TEXTS[0]), "{foreign}");
}

/// Notes and logs written here are recalled once, one line of a long page. Tasks that need nothing
/// recall nothing.
#[test]
fn a_prompt_recalls_notes_and_logs() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).done();
    let note = "The climate chamber is booked through Mr. Wieser, two weeks ahead";
    let logged = "Rig 2 has a stuck relay, its night results are worthless";
    at(&sandbox, "2026-06-01", &["note", "The canteen closes at two on Fridays"]);
    at(&sandbox, "2026-06-01", &["note", note]);
    at(
        &sandbox,
        "2026-06-01",
        &["note", "Parcels for the lab go to the loading dock of building C"],
    );
    at(&sandbox, "2026-06-02", &["log", logged]);
    at(&sandbox, "2026-06-02", &["log", "Ordered more jumper cables"]);
    let ask = |session: &str, prompt: &str| {
        let input = serde_json::json!({
            "session_id": session, "cwd": sandbox.project(), "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        });
        sandbox.pipe(&["hook", "claude", "prompt"], input.to_string()).ok()
    };
    let booked = "How is the climate chamber booked?";
    // Text given at the start of the session is not repeated.
    let begins = ask("s0", "Which time is it?");
    assert!(begins.contains(note), "{begins}");
    assert_eq!(ask("s0", booked), "");
    sandbox.run(&["config", "set", "hook.workingChars", "0"]).done();
    let first = ask("s1", booked);
    assert!(first.contains(&format!("- MEMORY.md: {note}")), "{first}");
    assert!(!first.contains("canteen") && !first.contains("Parcels"), "{first}");
    assert_eq!(ask("s1", booked), "");
    let relay = ask("s1", "Does the night result of rig 2 count with that stuck relay?");
    assert!(relay.contains(&format!("- 2026-06-02: 00:00 {logged}")), "{relay}");
    assert!(!relay.contains("jumper"), "{relay}");
    for idle in ["Rename the variable in the parser", "Split this function in two, please"] {
        assert_eq!(ask("s1", idle), "", "{idle}");
    }
    // What was done on two days is said once.
    for day in ["2026-06-03", "2026-06-04"] {
        at(&sandbox, day, &["log", "Standup moved to 09:45"]);
    }
    let moved = ask("s1", "When does the standup begin, was it moved?");
    assert_eq!(moved.matches("Standup").count(), 1, "{moved}");
    // A pulled change of the page must be reviewed first.
    sandbox
        .plant("MEMORY.md", sandbox.read("MEMORY.md") + "- The climate chamber is free for all\n");
    fs::create_dir(sandbox.project().join(".git")).unwrap();
    let changed = ask("s2", booked);
    assert!(!changed.contains("climate chamber"), "{changed}");
}

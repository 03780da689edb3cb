//! Unusable settings affect only themselves: every command and hook behaves as without them and
//! reports them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    bad_files::{chmod, run_unprivileged},
    common::{
        sandbox::{Outcome, Sandbox, outcome},
        settings::{BROKEN, CLOSED, Make, PROJECT, text},
    },
    hooks::{AGENTS, call, hook, piped},
};

/// An entry of the user's own store, which must never be lost from answers.
const OWN: &str = "Answer in French, whatever the question";

/// Returns a project with a store, and a user with one.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new("working");
    sandbox.run(&["add", "--user", "--pin", "-c", "preference", OWN]).done();
    text(&sandbox.root().join("outside.json"), "{\"report\": {\"budget\": 0}}");
    sandbox
}

fn project_file(sandbox: &Sandbox) -> PathBuf {
    sandbox.project().join(".pi/memory.json")
}

fn user_file(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".pi/agent/memory.json")
}

fn remove(path: &Path) {
    drop(fs::remove_dir(path));
    drop(fs::remove_file(path));
}

/// Commands that read. Their answer with an unusable file equals that without a file.
const READERS: &[&[&str]] = &[
    &["report"],
    &["list"],
    &["search", "spindle"],
    &["report", "--json"],
    &["report", "--prompt", "when does the spindle reach speed?"],
    &["report", "--layout", "working"],
    &["list", "--json"],
    &["search", "--json", "spindle"],
    &["why", "spindle"],
    &["list", "--topics"],
    &["why", "--ahead"],
    &["report", "--since", "7d"],
    &["note"],
    &["log"],
    &["todo"],
    &["handoff", "--show"],
    &["list", "--sessions"],
    &["search", "--in", "sessions", "spindle"],
    &["export", "jsonl"],
    &["export", "agents"],
    &["check", "--scope", "project"],
    &["trust"],
    &["trust", "--count"],
    &["hooks"],
    &["config", "get", "report.budget"],
    &["config", "show", "--origin"],
    &["config", "show", "--schema"],
    &["model"],
    &["model", "status"],
    &["dream", "--plan"],
];

/// Commands about settings name every problem; others summarise them in one line.
fn names_each(args: &[&str]) -> bool {
    ["config", "trust", "hooks"].contains(&args[0])
}

fn readers(sandbox: &Sandbox, how_many: usize) -> Vec<(&'static [&'static str], Outcome)> {
    let run = |args: &&'static [&'static str]| {
        let mut command = sandbox.command(args);
        // Recorded searches would change later answers.
        command.env("PIMEM_TELEMETRY_ENABLED", "false");
        (*args, outcome(command))
    };
    READERS.iter().take(how_many).map(run).collect()
}

/// Every command answers as without the file, and names the file in one line.
#[test]
fn commands_go_on() {
    let sandbox = sandbox();
    let before = readers(&sandbox, READERS.len());
    for (args, done) in &before {
        assert!(done.code < 2, "{args:?}: {done:?}");
    }
    assert!(before[0].1.stdout.contains(OWN) && before[0].1.stdout.contains("4 s to reach speed"));
    let (project, user) = (project_file(&sandbox), user_file(&sandbox));
    for (number, (what, make, says)) in BROKEN.iter().chain(PROJECT).enumerate() {
        // All readers for a file that cannot be parsed and for one wrong key, some for the others.
        let all = ["a brace", "a key of later", "a pipe"].contains(what);
        let some = if all { READERS.len() } else { 3 };
        let both = number < BROKEN.len();
        for file in [Some(&project), both.then_some(&user)].into_iter().flatten() {
            make(file);
            for ((args, want), (_, got)) in before.iter().zip(readers(&sandbox, some)) {
                let what = format!("{what} in {}: {args:?}: {got:?}", file.display());
                assert_eq!((got.code, &got.stdout), (want.code, &want.stdout), "{what}");
                let told = got.stderr.strip_suffix(want.stderr.as_str());
                let told: Vec<&str> = told.unwrap_or_else(|| panic!("{what}")).lines().collect();
                if !names_each(args) {
                    assert!(told.len() == 1 && told[0].contains(says), "{what}");
                }
                let place = format!("warning: {}:", file.display());
                assert!(told.iter().all(|line| line.starts_with(&place)), "{what}");
            }
            let doctor = sandbox.run(&["check"]);
            assert_eq!((doctor.code, doctor.stderr.as_str()), (1, ""), "{what}: {doctor:?}");
            let status = sandbox.run(&["status"]);
            assert_eq!((status.code, status.stderr.as_str()), (0, ""), "{what}: {status:?}");
            let settings = status.stdout.split_once("settings  ").expect("settings are named").1;
            assert!(settings.contains("memory.json:"), "{what}: {status:?}");
            let place = format!("finding: {}", file.display());
            assert!(
                doctor.stdout.contains(&place) && doctor.stdout.contains("fix: "),
                "{doctor:?}"
            );
            remove(file);
        }
    }
    // Both files are broken, and a valid key beside a wrong one still counts.
    text(&project, "{\"futureKey\": 1, \"report\": {\"groundTruth\": \"off\"}}");
    text(&user, "{");
    let report = sandbox.run(&["report"]);
    assert!(report.code == 0 && report.stdout.contains(OWN), "{report:?}");
    assert!(!report.stdout.contains("Ground Truth"), "what stands beside it counts");
    assert_eq!(report.stderr.matches("left out").count(), 1, "{report:?}");
    assert!(report.stderr.contains("it and 1 more are left out (pimem check"), "{report:?}");
    let shown = sandbox.run(&["config", "show", "--json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["unusable"].as_array().unwrap().len(), 2, "{shown}");
    assert_eq!(shown["unusable"][1]["line"], 1);
    let each = sandbox.run(&["hooks"]).stderr;
    assert_eq!(each.lines().filter(|line| line.contains("; left out (")).count(), 2, "{each}");
    // An unreadable file counts as a missing one.
    remove(&user);
    chmod(&project, 0o000);
    let report = run_unprivileged(&sandbox, &["report", "--scope", "project"]);
    assert!(report.code == 0 && report.stdout.contains("4 s to reach speed"), "{report:?}");
    assert!(report.stderr.contains("memory.json: cannot be read: "), "{report:?}");
}

/// Writers work too, except for changing settings that cannot be parsed.
#[test]
fn writers_go_on() {
    for (what, make, says) in BROKEN.iter().chain(PROJECT) {
        let sandbox = sandbox();
        let file = project_file(&sandbox);
        make(&file);
        for args in [
            &["add", "The probe is wired normally closed"][..],
            &["reinforce", "the probe is wired normally closed"],
            &["pin", "normally closed"],
            &["log", "Wired the probe"],
            &["todo", "add", "Wire the lamp"],
            &["rebuild"],
        ] {
            let done = sandbox.run(args);
            assert_eq!(done.code, 0, "{what}: {args:?}: {done:?}");
            assert!(done.stderr.contains(says), "{what}: {args:?}: {done:?}");
        }
        let list = sandbox.run(&["list"]).done();
        assert_eq!(list.matches("The probe is wired normally closed").count(), 1, "{what}");
        let before = fs::symlink_metadata(&file).unwrap().len();
        let set = sandbox.run(&["config", "set", "report.context", "5"]);
        let keys = set.code == 0;
        assert_eq!(keys, !CLOSED.contains(what), "{what}: {set:?}");
        if keys {
            let now = sandbox.run(&["config", "get", "report.context"]).stdout;
            assert_eq!(now, "5\n", "{what}");
        } else {
            assert!(set.stderr.contains("memory.json"), "{what}: {set:?}");
            assert_eq!(fs::symlink_metadata(&file).unwrap().len(), before, "{what}");
        }
    }
}

/// A wrong field of a category is reported with its line and a suggestion; the other fields count.
#[test]
fn categories() {
    let sandbox = sandbox();
    sandbox.configure(
        "{\n  \"categories\": {\n    \"idea\": {\"tauDay\": 7, \"topic\": \"thoughts\"}\n  }\n}",
    );
    let list = sandbox.run(&["list"]);
    assert!(list.code == 0 && list.stderr.contains("memory.json:3: unknown key"), "{list:?}");
    assert!(list.stderr.contains("categories.idea.tauDay; left out (did you mean tauDays?)"));
    assert_eq!(sandbox.run(&["add", "-c", "idea", "A second vice"]).code, 0);
    assert!(sandbox.read("topics/thoughts.md").contains("A second vice"));
}

/// Setting a valid value replaces a wrong one, and a wrong value is refused.
#[test]
fn setting_mends() {
    let sandbox = sandbox();
    sandbox.configure("{\"report\": {\"budget\": -1, \"context\": 4000}}");
    let set = sandbox.run(&["config", "set", "report.budget", "900"]);
    assert!(set.code == 0 && set.stdout.starts_with("Set report.budget = 900"), "{set:?}");
    assert_eq!(sandbox.run(&["config", "get", "report.budget"]).ok(), "900\n");
    let table = "{\"idea\": {\"tauDay\": 7}}";
    let refused = sandbox.run(&["config", "set", "categories", table]).refused();
    assert!(refused.contains("unknown key categories.idea.tauDay"), "{refused}");
    assert!(refused.contains("did you mean tauDays?"), "{refused}");
    sandbox.configure("{\n\"report\": 5}");
    let refused = sandbox.run(&["config", "set", "report.budget", "900"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("memory.json:2: report is 5"), "{refused:?}");
}

/// A command refuses an unusable value of a variable.
#[test]
fn what_is_typed_is_refused() {
    let sandbox = sandbox();
    for (name, value, says) in [
        ("PIMEM_REPORT_BUDGET", "many", "PIMEM_REPORT_BUDGET: \"many\" is not a whole number"),
        ("PIMEM_CATEGORIES", "{\"idea\": 3}", "PIMEM_CATEGORIES: categories.idea is not an object"),
        ("PIMEM_NOW", "tomorrow", "\"tomorrow\" is not a time"),
        ("PIMEM_DIR", "/no/such/store", "there is no store at /no/such/store"),
    ] {
        let with = |args: &[&str]| {
            let mut command = sandbox.command(args);
            command.env(name, value);
            outcome(command)
        };
        let refused = with(&["list"]).refused();
        assert!(refused.contains(says), "{refused}");
        // A hook goes on and reports the problem where the user sees it.
        let mut command = hook(&sandbox, "generic", "session-start");
        command.env(name, value);
        let started = piped(command, "{\"session_id\":\"s\"}").ok();
        assert!(started.contains(OWN), "{name}: {started}");
        let note = format!("> Settings: {name} cannot be used and is left out.");
        assert!(started.contains(&note), "{name}: {started}");
        drop(fs::remove_dir_all(sandbox.project().join(".pi/data/sessions")));
        drop(fs::remove_dir_all(sandbox.home().join(".pi/agent/data/sessions")));
    }
    let mut command = hook(&sandbox, "generic", "session-start");
    command.env("PIMEM_HOOK_DEADLINE_MS", "soon");
    assert!(piped(command, "{\"session_id\":\"t\"}").ok().contains(OWN));
}

const EVENTS: [(&str, &str); 6] = [
    ("session-start", "\"source\":\"startup\""),
    ("prompt", "\"prompt\":\"When does the spindle reach speed?\""),
    ("post-tool", "\"tool_name\":\"Edit\",\"tool_input\":{\"file_path\":\"src/probe.rs\"}"),
    ("stop", "\"last_assistant_message\":\"The spindle needs 4 s to reach speed.\""),
    ("pre-compact", "\"trigger\":\"auto\""),
    ("session-end", "\"reason\":\"other\""),
];

/// Every hook of every agent answers as without the file. The first one able to do so reports that
/// the file is ignored, without quoting it.
#[test]
fn hooks_go_on() {
    let session = |agent: &str, make: Option<(Make, bool)>| -> Vec<String> {
        let sandbox = sandbox();
        if let Some((make, is_project)) = make {
            make(&if is_project { project_file(&sandbox) } else { user_file(&sandbox) });
        }
        let say = |(event, more): &(&str, &str)| {
            let done = call(&sandbox, agent, event, format!("{{\"session_id\":\"s\",{more}}}"));
            sandbox.normal(&done.ok()).replace("\\n", "\n")
        };
        EVENTS.iter().map(say).collect()
    };
    let note = |text: &str| text.lines().filter(|line| line.contains("> Settings: ")).count();
    let cases: Vec<_> = BROKEN
        .iter()
        .map(|case| (case, true))
        .chain(PROJECT.iter().map(|case| (case, true)))
        .chain(BROKEN.iter().step_by(5).map(|case| (case, false)))
        .collect();
    for (number, agent) in AGENTS.into_iter().enumerate() {
        let want = session(agent, None);
        assert!(want.concat().contains(OWN), "{agent}: {want:?}");
        // Each agent gets a part of the cases; together they cover all.
        for ((what, make, _), is_project) in cases.iter().skip(number).step_by(AGENTS.len() - 1) {
            let got = session(agent, Some((*make, *is_project)));
            let whose = if *is_project { "the project's" } else { "the user's" };
            let mut told = 0;
            for (want, got) in want.iter().zip(&got) {
                told += note(got);
                assert!(!got.contains("planted") && !got.contains("futureKey"), "{what}: {got}");
                let line = got.lines().find(|line| line.contains("> Settings: "));
                let line = line.unwrap_or_default();
                assert!(line.is_empty() || line.contains(whose), "{agent}, {what}: {line}");
                let kept = |text: &str| -> Vec<String> {
                    let lines = text.lines().filter(|line| !line.contains("> Settings: "));
                    let closes = |line: &str| line.trim_end_matches(['"', '}', ']']).to_owned();
                    lines.map(closes).filter(|line| !line.is_empty()).collect()
                };
                assert_eq!(kept(want), kept(got), "{agent}, {what}");
            }
            assert_eq!(told, 1, "{agent}, {what}: said once: {got:?}");
        }
    }
}

/// A configured model that is not installed: searches report which model they use instead, and
/// commands about settings name it.
#[test]
#[cfg(feature = "fastembed")]
fn a_model_that_is_not_there() {
    let before = sandbox().run(&["search", "spindle speed"]).ok();
    let sandbox = Sandbox::new("working").by_default_model();
    sandbox.run(&["add", "--user", "--pin", "-c", "preference", OWN]).done();
    let file = user_file(&sandbox);
    text(&file, "{\"embedding\": {\"model\": \"bge-smal-en-v1.5\"}}");
    let found = sandbox.run(&["search", "spindle speed"]);
    assert_eq!((found.code, &found.stdout), (0, &before));
    assert!(
        found.stderr.contains("is not installed") && found.stderr.contains("the table serves"),
        "{found:?}"
    );
    assert_eq!(sandbox.run(&["search", "-q", "spindle speed"]).stderr, "");
    let doctor = sandbox.run(&["check"]);
    assert_eq!(doctor.code, 1, "{doctor:?}");
    let finding = format!("finding: {}: embedding.model: the model", file.display());
    assert!(doctor.stdout.contains(&finding), "{doctor:?}");
    assert!(doctor.stdout.contains("did you mean bge-small-en-v1.5"), "{doctor:?}");
    let shown = sandbox.run(&["config", "show"]);
    assert!(shown.code == 0 && shown.stderr.contains("embedding.model: the model"), "{shown:?}");
    assert_eq!(sandbox.run(&["model", "status"]).code, 1);
    let started = call(&sandbox, "generic", "prompt", "{\"prompt\":\"spindle speed\"}").ok();
    assert!(started.contains("4 s to reach speed"), "{started}");
}

/// Whoever typed the name of a variable is told; variables of other programs are none of ours.
#[test]
fn a_variable_with_a_misspelt_name_is_refused() {
    let sandbox = Sandbox::new("working");
    for (name, meant) in
        [("PIMEM_REPORT_BUGDET", "PIMEM_REPORT_BUDGET"), ("PIMEM_DIRR", "PIMEM_DIR")]
    {
        let with = |args: &[&str]| {
            let mut command = sandbox.command(args);
            command.env(name, "5");
            outcome(command)
        };
        for args in [["report"].as_slice(), &["add", "Use tabs"], &["config", "show"]] {
            let said = with(args).refused();
            let hint = format!("hint: did you mean {meant}? unset {name} if it is not for pimem\n");
            assert_eq!(said, format!("pimem: {name} is no variable of pimem\n{hint}"));
        }
        // A hook has nobody to tell.
        let start = with(&["hook", "generic", "session-start"]);
        assert_eq!((start.code, start.stderr.as_str()), (0, ""));
        assert!(start.stdout.starts_with("# Project Memory"), "{start:?}");
    }
    let mut command = sandbox.command(&["report"]);
    command.env("PIMEM_OF_ANOTHER_PROGRAM", "1").env("PIMEMO_DIR", "x");
    assert_eq!(outcome(command).code, 0);
}

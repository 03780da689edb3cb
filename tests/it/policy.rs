//! Scoring policies end to end: the same files under each, what events and settings do, and what
//! hostile ones do not.

use std::fs;

use serde_json::Value;

use crate::common::sandbox::{Sandbox, finish, outcome};

const WEIGHTED: &str = r#"{"scoring": {"policy": "weighted"}}"#;
const EBBINGHAUS: &str = r#"{"scoring": {"policy": "ebbinghaus"}}"#;

fn store(config: &str) -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.configure(config);
    sandbox
}

fn add(sandbox: &Sandbox, at: &str, rest: &[&str]) {
    let now = format!("2026-06-{at}T18:00:00Z");
    sandbox.run(&[&["--now", &now, "add", "--force"][..], rest].concat()).ok();
}

/// Returns the texts that the report shows, in its order.
fn shown(sandbox: &Sandbox, variables: &[(&str, &str)]) -> Vec<String> {
    let mut command = sandbox.command(&["report"]);
    command.envs(variables.iter().copied());
    let report = outcome(command).ok();
    let lines = report.lines().filter_map(|line| line.strip_prefix("- "));
    lines.filter(|line| !line.starts_with("... ")).map(str::to_owned).collect()
}

/// Returns what a hook of Claude Code answers.
fn hook(sandbox: &Sandbox, event: &str, input: &str) -> String {
    let mut command = sandbox.command(&["hook", "claude", event]);
    command.env("PIMEM_HOOK_REBUILD_MINUTES", "0");
    finish(assert_cmd::Command::from_std(command).write_stdin(input).output().unwrap()).ok()
}

fn score(sandbox: &Sandbox, text: &str) -> f64 {
    sandbox.entries()[text]["score"].as_f64().unwrap()
}

fn near(found: f64, want: f64) {
    assert!((found - want).abs() < 1e-6, "{found} {want}");
}

#[test]
fn weighted_limits_of_a_project() {
    let sandbox = store(WEIGHTED);
    for day in 1..=20 {
        let lines: Vec<String> = (0..2).map(|n| format!("Lesson {day:02} {n}")).collect();
        let input = lines.join("\n");
        let now = format!("2026-06-{day:02}T18:00:00Z");
        sandbox.pipe(&["--now", &now, "add", "--force", "-"], input).ok();
    }
    for n in 0..35 {
        add(&sandbox, "03", &["-c", "decision", &format!("Decision {n:02}")]);
    }
    let report = sandbox.run(&["report", "--budget", "none", "--json"]).json();
    assert_eq!((&report["budget"], &report["overflow"]), (&Value::Null, &Value::Bool(true)));
    let text = report["text"].as_str().unwrap();
    assert!(text.lines().next().unwrap().ends_with(" tokens, overflow]"), "{text}");
    assert_eq!(text.matches("- Lesson ").count(), 30);
    assert_eq!(text.matches("- Decision ").count(), 35, "decisions are in no limit");
    assert!(text.contains("- Lesson 20 ") && !text.contains("- Lesson 05 "), "the oldest are out");
    let states = sandbox.run(&["list", "--state", "provisional"]).ok();
    assert_eq!(states.lines().count(), 10);
    // Tokens limit too.
    let report = sandbox.run(&["report", "--budget", "150", "--json"]).json();
    assert!(report["tokens"].as_u64().unwrap() <= 150);
    assert_eq!(report["overflow"], true);
}

#[test]
fn switches_of_both_names() {
    let sandbox = store(WEIGHTED);
    add(&sandbox, "01", &["-c", "lesson", "First"]);
    add(&sandbox, "02", &["-c", "abandoned", "Second"]);
    add(&sandbox, "03", &["-c", "lesson", "Third"]);
    let order = |variable: &str| {
        let mut command = sandbox.command(&["why", "--all", "--json"]);
        command.env(variable, "1");
        let found = outcome(command).json();
        let entries = found["entries"].as_array().unwrap().iter();
        entries
            .map(|entry| entry["text"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(order("PIMEM_NO_SUCH_VARIABLE"), "Second Third First");
    for variable in ["PIMEM_SCORING_DISABLED", "AIDE_MEMORY_SCORING_DISABLED"] {
        assert_eq!(order(variable), "First Second Third", "{variable}");
    }
    // Without decay the two lessons are equal, and the older one comes first.
    for variable in ["PIMEM_DECAY_DISABLED", "AIDE_MEMORY_DECAY_DISABLED"] {
        assert_eq!(order(variable), "Second First Third", "{variable}");
        let mut command = sandbox.command(&["why", "--json", "First"]);
        command.env(variable, "1");
        near(outcome(command).json()["parts"]["recency"].as_f64().unwrap(), 1.0);
    }
}

#[test]
fn what_makes_a_weighted_score() {
    let sandbox = store(WEIGHTED);
    let day = |text: &str| format!("{text} of the berth table");
    add(&sandbox, "30", &["-c", "issue", &day("An issue")]);
    near(score(&sandbox, &day("An issue")), 0.80 * 0.5 + 0.25);
    let told = format!("{} #source:user #verified:true", day("A discovery"));
    add(&sandbox, "30", &["-c", "discovery", &told]);
    near(score(&sandbox, &told), 0.70 * 0.5 + 0.25 + 0.30 * 0.15);
    let global = format!("{} #scope:global", day("A learning"));
    add(&sandbox, "30", &["-c", "learning", &global]);
    near(score(&sandbox, &global), 1.0 * 0.5 + 0.25);
    // What a search finds is accessed; what a report shows is not.
    sandbox.run(&["report"]).ok();
    for _ in 0..9 {
        sandbox.run(&["search", "-n", "1", "issue"]).ok();
    }
    near(score(&sandbox, &day("An issue")), 0.80 * 0.5 + 0.25 + 0.10);
    sandbox.run(&["edit", "An issue", "--priority", "0.125"]).ok();
    near(score(&sandbox, &day("An issue")), 0.125);
    // The priority goes with a new wording, as other evidence does.
    sandbox.run(&["edit", "An issue", &day("The issue")]).ok();
    near(score(&sandbox, &day("The issue")), 0.125);
    sandbox.run(&["undo"]).done();
    sandbox.run(&["undo"]).done();
    near(score(&sandbox, &day("An issue")), 0.75);
    sandbox.run(&["edit", "An issue", "--priority", "1"]).ok();
    sandbox.run(&["edit", "An issue", "--priority", "0"]).ok();
    near(score(&sandbox, &day("An issue")), 0.75);
}

#[test]
fn numbers_from_elsewhere_cost_nothing() {
    for config in [WEIGHTED, EBBINGHAUS, "{}"] {
        let sandbox = store(config);
        add(&sandbox, "20", &["Cranes are serviced on Mondays"]);
        add(&sandbox, "20", &["Gates close at noon"]);
        let id = |text: &str| sandbox.entries()[text]["id"].as_str().unwrap().to_owned();
        let (cranes, gates) = (id("Cranes are serviced on Mondays"), id("Gates close at noon"));
        let mut log = sandbox.read("evidence.jsonl");
        for (n, (op, value)) in [
            ("priority", "1e9"),
            ("priority", "-1"),
            ("priority", "\"high\""),
            ("importance", "7"),
            ("importance", "{}"),
            ("levitate", "3"),
            ("priority", "0.5"),
        ]
        .into_iter()
        .enumerate()
        {
            log += &format!(
                "{{\"id\":\"event-{n}\",\"ts\":\"2026-06-21T10:00:0{n}Z\",\"entry\":\"{cranes}\",\
                 \"op\":\"{op}\",\"value\":{value},\"of\":[\"later\"]}}\n"
            );
        }
        sandbox.write("evidence.jsonl", &log);
        let data = sandbox.project().join(".pi/data");
        fs::create_dir_all(&data).unwrap();
        let counts = format!(
            "{{\"entries\":{{\"{gates}\":{{\"count\":1000000000,\"last\":\"2999-01-01T00:00:00Z\"}},\
             \"{cranes}\":{{\"count\":18446744073709551615}},\"x\":3}}}}"
        );
        fs::write(data.join("access.json"), counts).unwrap();
        for policy in ["stability", "weighted", "ebbinghaus"] {
            let found = sandbox.run(&["why", "--all", "--policy", policy, "--json"]).json();
            for entry in found["entries"].as_array().unwrap() {
                let score = entry["score"].as_f64().unwrap();
                assert!((0.0..=3.0).contains(&score), "{config} {entry}");
                let is_cranes = entry["id"] == cranes.as_str();
                match (policy, is_cranes) {
                    ("weighted", true) => near(score, 0.5),
                    // 1, clamped, and the most that accesses add.
                    ("ebbinghaus", true) => assert!(score > 0.9, "{entry}"),
                    ("ebbinghaus", false) => near(score, 0.58),
                    _ => {}
                }
            }
        }
        sandbox.run(&["search", "gates"]).ok();
        assert!(sandbox.run(&["report"]).ok().contains("- Gates close at noon\n"), "{config}");
        // Nothing of another version is lost.
        sandbox.run(&["reinforce", "Gates"]).ok();
        assert!(sandbox.read("evidence.jsonl").starts_with(&log), "{config}");
    }
}

/// Entries of a preset that is no longer set are read, and shown in no report.
#[test]
fn a_preset_that_is_no_longer_set() {
    let sandbox = store(r#"{"categories": {"preset": "aide"}}"#);
    let text = "Berth windows are closed intervals";
    add(&sandbox, "29", &["-c", "gotcha", text]);
    add(&sandbox, "29", &["Cranes are serviced on Mondays"]);
    assert_eq!(shown(&sandbox, &[]).len(), 2);
    let before = sandbox.read("topics/gotchas.md");
    for config in [
        r#"{"categories": {"preset": "pi"}}"#,
        r#"{"scoring": {"policy": "stability"}}"#,
        r#"{"scoring": {"policy": "ebbinghaus"}}"#,
    ] {
        sandbox.configure(config);
        assert_eq!(shown(&sandbox, &[]), ["Cranes are serviced on Mondays"], "{config}");
        let listed = sandbox.run(&["list", "-c", "gotcha"]).ok();
        assert!(listed.contains("(category not set)") && listed.contains(text), "{listed}");
        let unasked = sandbox.run(&["search", "--no-touch", "berth"]);
        assert_eq!((unasked.code, unasked.stdout.as_str()), (1, ""), "{config}");
        let asked = sandbox.run(&["search", "--no-touch", "--in", "archive", "berth"]).done();
        assert!(asked.contains(&format!("{text} (unset)")), "{asked}");
        let why = sandbox.run(&["why", "berth"]).ok();
        assert!(why.contains("out: its category is not set"), "{why}");
        let refused = sandbox.run(&["add", "-c", "gotcha", "Another one"]).refused();
        assert!(refused.contains("is of another preset"), "{refused}");
        sandbox.run(&["rebuild"]).done();
        assert_eq!(sandbox.read("topics/gotchas.md"), before);
    }
    // Without any setting, such lines are what they always were.
    sandbox.configure("{}");
    assert_eq!(sandbox.run(&["list"]).ok().lines().count(), 1);
    let check = sandbox.run(&["check"]);
    assert!(check.code == 1 && check.stdout.contains("[unset-category]"), "{}", check.stdout);
    sandbox.configure(r#"{"scoring": {"policy": "weighted"}}"#);
    assert_eq!(shown(&sandbox, &[]).len(), 2);
}

#[test]
fn a_misspelt_policy_is_told_and_ignored() {
    let sandbox = store(r#"{"scoring": {"policy": "wieghted"}, "report": {"budget": "nine"}}"#);
    add_with_warning(&sandbox);
    let listed = sandbox.run(&["list"]);
    assert!(
        listed.stderr.contains("scoring.policy is \"wieghted\"")
            || listed.stderr.contains("it and 1 more"),
        "{}",
        listed.stderr
    );
    assert!(listed.done().contains("candidate (fresh)"), "stability is in force");
    let doctor = sandbox.run(&["check"]).stdout;
    assert!(
        doctor
            .contains("scoring.policy is \"wieghted\", not one of stability, weighted, ebbinghaus"),
        "{doctor}"
    );
}

fn add_with_warning(sandbox: &Sandbox) {
    sandbox.run(&["add", "Cranes are serviced on Mondays"]).done();
}

#[test]
fn importance_fades_to_a_floor_and_accesses_hold_it() {
    let sandbox = store(EBBINGHAUS);
    let text = "The harbour opens at five";
    add(&sandbox, "10", &["-c", "fact", "--importance", "0.8", text]);
    let at = |now: &str| {
        let listed = sandbox.run(&["--now", now, "list", "--json"]).json();
        listed["entries"][0]["score"].as_f64().unwrap()
    };
    near(at("2026-06-10T18:00:00Z"), 0.8);
    let want = 0.8 * (0.95_f64.ln() * 0.7 * 20.0).exp();
    near(at("2026-06-30T18:00:00Z"), want);
    near(at("2027-06-30T18:00:00Z"), 0.30);
    for _ in 0..100 {
        sandbox.run(&["rebuild"]).done();
    }
    near(at("2026-06-30T18:00:00Z"), want);
    sandbox.run(&["search", "harbour"]).ok();
    near(at("2026-06-30T18:00:00Z"), 0.8 + 0.005);
    let stability = 1.0 + 2.0_f64.ln();
    near(at("2026-07-10T18:00:00Z"), 0.8 * (0.95_f64.ln() * 0.7 / stability * 10.0).exp() + 0.005);
    let why = sandbox.run(&["why", "--json", "harbour"]).json();
    assert_eq!((&why["policy"], &why["parts"]["kind"]), (&"ebbinghaus".into(), &"fact".into()));
    assert_eq!(why["entry"]["state"], "active");
}

#[test]
fn recall_by_relevance() {
    let sandbox = store(EBBINGHAUS);
    // These take the report.
    let cranes: Vec<String> = (0..260)
        .map(|n| format!("{{\"text\":\"Crane {n} was serviced by team {}\",\"category\":\"lesson\",\"importance\":1}}", n * 3))
        .collect();
    sandbox.pipe(&["add", "--force", "-"], cranes.join("\n")).ok();
    let long = format!("The staging database is described at length: {}", "so on, ".repeat(230));
    for (category, text) in [
        ("tool-result", "The staging database answered with 200"),
        ("context", "We talked about the staging database"),
        ("preference", "I prefer the staging database for trials"),
        ("fact", "The staging database listens on port 5433"),
        ("correction", "The staging database is harbor_stage, not staging"),
    ] {
        sandbox
            .run(&[
                "--now",
                "2026-05-01T10:00:00Z",
                "add",
                "-c",
                category,
                "--importance",
                "0.2",
                text,
            ])
            .done();
    }
    let recalled = |variables: &[(&str, &str)]| {
        let mut command = sandbox.command(&["report", "--prompt", "what is the staging database?"]);
        command.envs(variables.iter().copied());
        let text = outcome(command).done();
        let (_, recalled) =
            text.split_once("# Contextually Relevant Memories\n\n").unwrap_or_default();
        recalled.to_owned()
    };
    let found = recalled(&[]);
    let want = [
        "These are known facts from earlier conversations: answer by them, corrections before the rest.",
        "- [correction] The staging database is harbor_stage, not staging",
        "- [fact] The staging database listens on port 5433",
        "- [preference] I prefer the staging database for trials",
        "- [context] We talked about the staging database",
        "- [tool-result] The staging database answered with 200",
    ];
    assert_eq!(found.lines().collect::<Vec<_>>(), want);
    assert_eq!(recalled(&[("PIMEM_RECALL_LIMIT", "2")]).lines().count(), 3);
    assert_eq!(recalled(&[("PIMEM_RECALL_ENABLED", "false")]), "");
    // What does not fit is left out whole.
    sandbox.run(&["add", "-c", "correction", "--topic", "staging", &long]).done();
    let found = recalled(&[]);
    assert!(found.chars().count() <= 2_000, "{found}");
    // The hook says the same.
    let input = r#"{"session_id":"s","prompt":"what is the staging database?"}"#;
    let answer = hook(&sandbox, "prompt", input);
    assert!(answer.contains("These are known facts from earlier conversations"), "{answer}");
    let data = sandbox.project().join(".pi/data/access.json");
    let before = fs::read_to_string(&data).unwrap();
    let input = input.replace("\"s\"", "\"t\"");
    hook(&sandbox, "prompt", &input);
    assert_ne!(fs::read_to_string(&data).unwrap(), before, "recall of a hook counts");
}

#[test]
fn memory_can_be_switched_off() {
    let sandbox = store("{}");
    sandbox.run(&["add", "Cranes are serviced on Mondays"]).ok();
    let start = |sandbox: &Sandbox| {
        let input = format!("{{\"session_id\":\"{}\"}}", sandbox.read("../memory.json").len());
        hook(sandbox, "session-start", &input)
    };
    assert!(start(&sandbox).contains("Cranes"));
    sandbox.configure(r#"{"memory": {"enabled": false}}"#);
    assert_eq!(start(&sandbox), "");
    assert!(shown(&sandbox, &[]).contains(&"Cranes are serviced on Mondays".to_owned()));
}

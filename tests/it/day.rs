//! The context at the start of a session: the day's context beside the report, with various
//! contents of both.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::{
    common::sandbox::Sandbox,
    hooks::{call, hook, piped},
};

/// Returns the context that an agent gets at the start of a session.
fn given(sandbox: &Sandbox, agent: &str) -> String {
    let text = call(sandbox, agent, "session-start", json!({"session_id": agent}).to_string()).ok();
    let Ok(answer) = serde_json::from_str::<Value>(&text) else { return text };
    let context = &answer["hookSpecificOutput"]["additionalContext"];
    context.as_str().unwrap_or_default().to_owned()
}

/// Returns a store with content of every kind.
fn store() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "Locks survive a rollback"]).done();
    for args in [["todo", "add", "Buy milk"].as_slice(), &["log", "Said in the log"]] {
        sandbox.run(args).done();
    }
    sandbox.run(&["note", "A note"]).done();
    sandbox
}

/// The report leaves room for the day's context even if many entries are pinned.
#[test]
fn five_hundred_pinned_entries() {
    let sandbox = store();
    for topic in 0..10 {
        let lines = (0..50).fold(String::new(), |mut lines, number| {
            let rest = "of the harbour office, which are long and many";
            let _ = writeln!(lines, "- [lesson] Rule {topic}-{number} {rest} *(pinned)*");
            lines
        });
        sandbox.write(&format!("topics/rules-{topic}.md"), lines);
    }
    for (agent, limit) in [("claude", 10_000), ("codex", 10_000), ("generic", 16_000)] {
        let text = given(&sandbox, agent);
        let size = text.encode_utf16().count();
        assert!(size <= limit && size > limit - 1600, "{agent}: {size}");
        for part in ["## Pinned", "- ... ", "Buy milk", "Said in the log", "A note"] {
            assert_eq!(text.matches(part).count(), 1, "{agent}, {part}: {text}");
        }
        let (report, _) = text.split_once("# The Day at Hand").unwrap();
        assert!(report.encode_utf16().count() > limit - 1600, "{agent}: {report}");
    }
    // The report on request has all of them.
    let report = sandbox.run(&["report"]).ok();
    assert_eq!(report.matches("Rule ").count(), 500);
}

/// Notes of one long line and a log of ten thousand lines: only whole lines are shown, the last
/// ones of the log.
#[test]
fn notes_and_logs_without_end() {
    let sandbox = store();
    let log = (0..10_000).fold("# 2026-06-30\n\n".to_owned(), |mut log, number| {
        let _ = writeln!(log, "- 09:00 Line {number} of the day");
        log
    });
    sandbox.write("daily/2026-06-30.md", log);
    sandbox.write("MEMORY.md", format!("# Memory\n\n- {}\n", "words ".repeat(1 << 18)));
    sandbox.trust();
    for agent in ["claude", "generic"] {
        let text = given(&sandbox, agent);
        assert!(text.encode_utf16().count() < 4300 + 500, "{agent}: {}", text.len());
        assert!(text.contains("- 09:00 Line 9999 of the day\n"), "{agent}: {text}");
        assert!(text.contains("pimem log --date 2026-06-30"), "{agent}: {text}");
        assert!(text.contains("## Notes\n"), "{agent}: {text}");
        for line in text.lines().filter(|line| line.starts_with("- 09:00")) {
            assert!(line.ends_with(" of the day"), "{agent}: {line}");
        }
        assert!(text.contains("Buy milk"), "{agent}: {text}");
    }
}

/// A report stays within a very small budget, and states what it leaves out.
#[test]
fn a_budget_of_a_hundred() {
    let sandbox = Sandbox::new("working");
    for budget in [1, 10, 60, 80, 100, 120, 150, 200] {
        let done = sandbox.run(&["report", "--budget", &budget.to_string()]);
        let is_said = done.stderr.starts_with(&format!("{budget} tokens have no room for any of "));
        assert_eq!(is_said, done.stdout.is_empty(), "{done:?}");
        let report = done.done();
        assert!(report.chars().count().div_ceil(4) <= budget, "{budget}: {report}");
        let shown = report.lines().filter(|line| line.starts_with("- ")).count();
        assert!(report.is_empty() || shown > 0, "{budget}: {report}");
    }
    let report = sandbox.run(&["report", "--budget", "100"]).ok();
    assert!(report.contains(" more: pimem search WORDS\n"), "{report}");
}

/// Dropped entries fill an empty report, and forgotten ones do not.
#[test]
fn a_store_of_dropped_entries() {
    let sandbox = Sandbox::new("empty");
    for text in ["Locks survive a rollback", "Tides turn at noon", "Cranes stop at 40 kn"] {
        sandbox.run(&["add", text]).done();
    }
    sandbox.run(&["forget", "Tides"]).done();
    let report = || sandbox.run(&["report", "--now", "2028-06-30"]).ok();
    let states = sandbox.run(&["list", "--state", "dropped", "--now", "2028-06-30"]).ok();
    assert_eq!(states.lines().count(), 3, "{states}");
    let text = report();
    assert!(text.contains("Locks survive") && text.contains("Cranes stop"), "{text}");
    assert!(!text.contains("Tides") && !text.contains("more"), "{text}");
    sandbox.run(&["forget", "Locks", "Cranes"]).done();
    assert_eq!(report(), "");
}

/// A pull brings unreviewed notes, which must not hide the reviewed ones.
#[test]
fn only_what_was_written_or_reviewed_here() {
    let sandbox = store();
    sandbox.share();
    let notes = sandbox.read("MEMORY.md");
    sandbox.plant("MEMORY.md", format!("{notes}\n- planted in the notes\n"));
    sandbox.plant("daily/2026-06-29.md", "- 10:00 planted in a log\n");
    let text = given(&sandbox, "generic");
    assert!(text.contains("Buy milk") && text.contains("Said in the log"), "{text}");
    assert!(!text.contains("planted") && !text.contains("A note"), "{text}");
    sandbox.trust();
    let mut command = hook(&sandbox, "generic", "session-start");
    command.env("PIMEM_HOOK_WORKING_CHARS", "0");
    let none = piped(command, r#"{"session_id":"none"}"#).ok();
    assert!(!none.contains("The Day at Hand") && none.contains("Locks survive"), "{none}");
    let command = hook(&sandbox, "generic", "session-start");
    let text = piped(command, r#"{"session_id":"after"}"#).ok();
    assert!(text.contains("planted in the notes"), "{text}");
}

/// Returns the recalled lines in the working layout.
fn recalled(sandbox: &Sandbox, prompt: &str) -> Vec<String> {
    let text = sandbox.run(&["report", "--layout", "working", "--prompt", prompt]).ok();
    let rest = text.split_once("## Relevant memories").map_or("", |(_, rest)| rest);
    let lines = rest.lines().skip(1).skip_while(|line| line.is_empty());
    lines.take_while(|line| line.starts_with("- ")).map(str::to_owned).collect()
}

/// The working layout takes three hits of any score, entries before past sessions, and none that is
/// out of force.
#[test]
fn the_working_layout_takes_three() {
    let sandbox = Sandbox::new("empty");
    for text in ["Vessels moor at the north quay", "The tide gauge is read every minute"] {
        sandbox.run(&["add", text]).done();
    }
    for text in ["Where do vessels moor?", "Where do vessels moor in a storm?"] {
        let said = format!("{text}\nShow me the plan of the week\nThen plan it anew\n");
        sandbox.pipe(&["dream", "index"], said).done();
    }
    let found = recalled(&sandbox, "Where do vessels moor?");
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].contains("north quay"), "{found:?}");
    assert!(found[1].contains("Where do") && found[2].contains("Where do"), "{found:?}");
    // Far below the recall threshold, but the best hit.
    let far = "how often is it measured";
    let report = sandbox.run(&["report", "--budget", "1", "--prompt", far]).ok();
    assert!(!report.contains("tide gauge"), "{report}");
    assert!(recalled(&sandbox, far)[0].contains("tide gauge"));
    sandbox.run(&["add", "--supersedes", "north quay", "Ships lie in the basin"]).done();
    let found = recalled(&sandbox, "Where do vessels moor?");
    assert!(!found.iter().any(|line| line.contains("north quay")), "{found:?}");
}

/// The hottest topic comes first, and topics with a pinned entry before the others.
#[test]
fn hotter_topics_first() {
    let sandbox = Sandbox::new("empty");
    for (category, text, times) in [
        ("decision", "Use Redis", 0),
        ("lesson", "Locks survive", 9),
        ("mistake", "Homed with the probe on", 3),
    ] {
        sandbox.run(&["add", "-c", category, text]).done();
        if times > 0 {
            sandbox.run(&["reinforce", "--by", &times.to_string(), text]).done();
        }
    }
    let topics = || -> Vec<String> {
        let listed = sandbox.run(&["list", "--topics"]).ok();
        listed.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    assert_eq!(topics(), ["lessons", "mistakes", "decisions"]);
    sandbox.run(&["pin", "Use Redis"]).done();
    assert_eq!(topics(), ["decisions", "lessons", "mistakes"]);
}

/// Forty similar entries of one day are all shown. Of two similar ones from different days, the
/// newer one is shown.
#[test]
fn what_one_day_brought() {
    let sandbox = Sandbox::new("empty");
    let line = |n: u32| format!("Crane number {n} stands at quay {}", n * 7 % 40);
    let lines: String = (0..40).flat_map(|n| [line(n), "\n".to_owned()]).collect();
    sandbox.pipe(&["add", "--force", "-c", "pattern", "-"], &lines).done();
    for time in ["2026-06-30T19:00:00Z", "2026-08-30", "2027-06-30"] {
        let report = sandbox.run(&["report", "--now", time]).ok();
        for n in 0..40 {
            assert!(report.contains(&format!("- {}\n", line(n))), "{time}: {n}: {report}");
        }
    }
    for (time, text) in [
        ("2026-06-30T12:00:00Z", "Deploys go through Jenkins"),
        ("2026-07-30T12:00:00Z", "Deploys go through Argo"),
    ] {
        sandbox.run(&["add", "-c", "lesson", "--now", time, text]).done();
    }
    let later = ["--now", "2026-12-01"];
    let report = sandbox.run(&["report", later[0], later[1]]).ok();
    let (argo, jenkins) = (report.find("through Argo"), report.find("through Jenkins"));
    assert!(argo < jenkins, "there is room for both, the newer one first: {report}");
    let mut scarce = Vec::new();
    for budget in (60..1700).step_by(20) {
        let budget = budget.to_string();
        let report = sandbox.run(&["report", later[0], later[1], "--budget", &budget]).done();
        assert!(report.contains("Argo") || !report.contains("Jenkins"), "{budget}: {report}");
        if report.contains("Argo") && !report.contains("Jenkins") {
            scarce.push(budget);
        }
    }
    let why = |budget: &str| {
        sandbox.run(&["why", "Jenkins", later[0], later[1], "--budget", budget]).ok()
    };
    let reason = "out: a newer entry seems to replace it (";
    assert!(scarce.iter().any(|budget| why(budget).contains(reason)), "{scarce:?}");
}

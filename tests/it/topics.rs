//! Topics by subject: named files, continuation files of full topics, and headings.

use std::fs;

use crate::{
    common::sandbox::Sandbox,
    hooks::{hook, piped},
};

#[test]
fn a_topic_that_somebody_names() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let text = "Refunds go through the ledger";
    sandbox.run(&["add", "--topic", "payments", "-c", "decision", text]).ok();
    sandbox.run(&["add", "Tides turn"]).ok();
    let file = sandbox.read("topics/payments.md");
    assert_eq!(file, format!("# Payments\n\n- [decision] {text}\n"));
    for args in
        [&["list", "--topic", "payments"][..], &["search", "--topic", "payments", "refunds"]]
    {
        let found = sandbox.run(args).ok();
        assert!(found.contains(text) && !found.contains("Tides"), "{args:?}: {found}");
    }
    let none = sandbox.run(&["list", "--topic", "pay"]);
    assert_eq!((none.code, none.stdout.as_str()), (1, ""), "{none:?}");
    assert!(none.stderr.contains("There is no topic \"pay\""), "{none:?}");
    assert_eq!(sandbox.run(&["search", "--topic", "lessons", "refunds ledger"]).code, 1);
    // A known text stays in its file.
    let again = sandbox.run(&["add", "--topic", "other", "-c", "decision", text]).ok();
    assert!(again.starts_with("Already exists"), "{again}");
    assert!(!sandbox.path("topics/other.md").exists());
    let long = "x".repeat(65);
    for name in ["", "Payments", "../x", "a/b", "a.md", "a b", "é", &long] {
        let refused = sandbox.run(&["add", "--topic", name, "A text"]).refused();
        assert!(refused.contains("not a usable name of a topic"), "{name}: {refused}");
    }
    // A repository may be checked out on Windows.
    for name in ["aux", "con", "com7", "lpt0"] {
        let refused = sandbox.run(&["add", "--topic", name, "A text"]).refused();
        assert!(refused.contains("the name of a device on Windows"), "{name}: {refused}");
    }
    for name in ["com", "command", "com10", "auxiliary"] {
        sandbox.run(&["add", "--force", "--topic", name, &format!("Of {name}")]).ok();
    }
    sandbox.pipe(&["add", "--topic", "build-2-x", "-"], "One\nTwo\n").ok();
    assert_eq!(sandbox.read("topics/build-2-x.md").lines().count(), 4);
}

/// Returns a line of a few hundred characters, different from the others.
fn line(number: usize) -> String {
    format!("Number {number} of berth {} {}", number * 7, "says more than others ".repeat(10))
}

#[test]
fn a_full_topic_goes_on_in_another_file() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let batch: String = (0..150).map(|number| line(number) + "\n").collect();
    sandbox.pipe(&["add", "--force", "-"], &batch).done();
    let mut held = 0;
    for name in ["lessons", "lessons-2", "lessons-3", "lessons-4"] {
        let Ok(text) = fs::read_to_string(sandbox.path(&format!("topics/{name}.md"))) else {
            continue;
        };
        let chars = text.chars().count();
        assert!(chars <= 12_000, "{name}: {chars}");
        let head =
            if name == "lessons" { "# Lessons\n" } else { "<!-- continues lessons -->\n# L" };
        assert!(text.starts_with(head), "{text}");
        held += text.lines().filter(|line| line.starts_with("- ")).count();
    }
    assert_eq!(held, 150);
    assert!(sandbox.path("topics/lessons-3.md").exists());
    let all = sandbox.run(&["list", "--topic", "lessons", "--json"]).json();
    assert_eq!(all["entries"].as_array().unwrap().len(), 150);
    assert_eq!(sandbox.run(&["check", "--rule", "topic-full"]).code, 0);
    // The event names the topic, because the files differ from store to store.
    let log = sandbox.read("evidence.jsonl");
    assert!(!log.contains("\"topic\":\"lessons-2\""), "{log}");
    let topics = sandbox.run(&["list", "--topics", "--json"]).json();
    assert_eq!(topics["topics"][0]["name"], "lessons");
    assert_eq!(topics["topics"][0]["entries"], 150);
    assert_eq!(topics["topics"].as_array().unwrap().len(), 1);
    // Hooks and imports also continue in another file.
    let said =
        "{\"session_id\":\"s\",\"prompt\":\"From now on, leave 0.2 mm for the finishing pass.\"}";
    let topic =
        format!("# Preferences\n\n{}", "- [preference] padding of some length here\n".repeat(278));
    sandbox.write("topics/preferences.md", topic);
    piped(hook(&sandbox, "claude", "prompt"), said).done();
    assert!(sandbox.read("topics/preferences-2.md").contains("leave 0.2 mm"));
    fs::write(sandbox.root().join("import.jsonl"), "{\"text\": \"From elsewhere, which is one line more than there is room for in the first file\", \"category\": \"preference\"}\n").unwrap();
    sandbox.run(&["import", "jsonl", "../import.jsonl"]).done();
    assert!(sandbox.read("topics/preferences-2.md").contains("From elsewhere"));
}

const PAGE: &str = "# Harbor\n\n- Builds are made by just\n\n## Payments\n\n- Refunds go through the ledger\n- Amounts are cents\n\n### Taxes\n\n- Taxes are rounded once\n\n## Conventions\n\n- Names are short\n";

#[test]
fn headings_are_context() {
    let sandbox = Sandbox::new("empty");
    fs::write(sandbox.project().join("AGENTS.md"), PAGE).unwrap();
    sandbox.run(&["import", "agents", "AGENTS.md"]).done();
    assert_eq!(
        sandbox.read("topics/lessons.md"),
        "# Lessons\n\n- [lesson] Builds are made by just\n\n## Payments\n\n- [lesson] Refunds go through the ledger\n\
         - [lesson] Amounts are cents\n\n## Taxes\n\n- [lesson] Taxes are rounded once\n"
    );
    let patterns = sandbox.read("topics/patterns.md");
    assert_eq!(patterns, "# Patterns\n\n## Conventions\n\n- [pattern] Names are short\n");
    let why = sandbox.run(&["why", "Amounts are cents"]).ok();
    assert!(why.contains("topics/lessons.md:8, below \"Payments\""), "{why}");
    let why = sandbox.run(&["why", "--json", "Builds are made by just"]).json();
    assert_eq!(why["heading"], serde_json::Value::Null);
    // Imported again with one more line, which goes below the existing heading.
    let more =
        PAGE.replace("- Amounts are cents\n", "- Amounts are cents\n- Banks sleep at night\n");
    fs::write(sandbox.project().join("AGENTS.md"), more).unwrap();
    sandbox.run(&["import", "agents", "AGENTS.md"]).ok();
    let topic = sandbox.read("topics/lessons.md");
    assert!(topic.contains("cents\n- [lesson] Banks sleep at night\n\n## Taxes"), "{topic}");
    // The import can be undone.
    sandbox.run(&["undo"]).ok();
    assert!(!sandbox.read("topics/lessons.md").contains("Banks"));
}

/// An imported page of a clone is shown to agents only after review.
#[test]
fn a_page_of_a_clone_waits() {
    let sandbox = Sandbox::new("empty");
    fs::write(sandbox.project().join("AGENTS.md"), PAGE).unwrap();
    sandbox.git("project", &["init", "-q"]);
    sandbox.git("project", &["add", "."]);
    sandbox.git("project", &["commit", "-qm", "base"]);
    sandbox.git("", &["clone", "-q", "project", "other"]);
    sandbox.git("other", &["worktree", "add", "-q", "../tree", "-b", "tree"]);
    // Pages of the user's own repository, and those outside any repository, need no review.
    assert_eq!(sandbox.run(&["import", "agents", "AGENTS.md"]).code, 0);
    assert!(sandbox.run(&["report"]).ok().contains("Refunds go through"));
    for place in ["other", "tree"] {
        let done = sandbox.run_in(place, &["import", "agents", "AGENTS.md"]);
        let told =
            "5 lines came with a clone: agents are not shown them before pimem trust --review";
        if place == "other" {
            assert!(done.stderr.contains(told), "{done:?}");
        }
        let report = sandbox.run_in(place, &["report"]);
        assert!(!report.stdout.contains("Refunds go through"), "{place}: {report:?}");
        assert!(report.stderr.contains("pimem trust"), "{place}: {report:?}");
    }
    assert_eq!(sandbox.run_in("other", &["trust", "--all"]).code, 0);
    assert!(sandbox.run_in("other", &["report"]).ok().contains("Refunds go through"));
    // Nothing awaits review in the user's own store.
    sandbox.run_in("other", &["--user", "import", "agents", "AGENTS.md"]).done();
    let report = sandbox.run_in("other", &["--scope", "user", "report"]).ok();
    assert!(report.contains("Refunds go through"), "{report}");
}

//! Two texts with the same id: neither is merged with, moved with, or taken for the other.

use std::{collections::BTreeSet, fs};

use crate::common::{repository, sandbox::Sandbox};

/// Returns category and texts of every pair.
fn pairs() -> Vec<(String, String, String)> {
    let table = fs::read_to_string(repository().join("fixtures/collisions.tsv")).unwrap();
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    let cells = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells[0].to_owned(), cells[2].to_owned(), cells[3].to_owned())
    };
    rows.map(cells).collect()
}

/// Returns a store with both texts of a pair.
fn both((category, one, other): &(String, String, String)) -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.write("topics/t.md", format!("- [{category}] {one}\n- [{category}] {other}\n"));
    sandbox
}

fn texts(sandbox: &Sandbox) -> BTreeSet<String> {
    sandbox.entries().into_keys().collect()
}

#[test]
fn the_second_is_refused_and_both_are_named() {
    for pair in pairs() {
        let (category, one, other) = &pair;
        let sandbox = Sandbox::new("empty");
        sandbox.run(&["init"]).ok();
        sandbox.run(&["add", "-c", category, one]).ok();
        let before = sandbox.tree();
        let batch = |text: &str| sandbox.pipe(&["add", "-c", category, "-"], text);
        for refused in [
            sandbox.run(&["add", "-c", category, other]),
            sandbox.run(&["add", "-c", category, other, "--force", "--json"]),
            batch(&format!("A third one\n{other}\n")),
        ] {
            assert_eq!(refused.code, 2);
            let said = refused.stderr.replace("\\\\\\\"", "\"").replace("\\\"", "\"");
            assert!(said.contains(one) && said.contains(other), "{said}");
        }
        assert_eq!(sandbox.tree(), before, "and nothing else is done");
        sandbox.run(&["add", "-c", category, "A third one"]).ok();
        let refused = sandbox.run(&["edit", "A third one", other]).refused();
        assert!(refused.contains("has the id of another text"), "{refused}");
        let line = format!("{{\"category\":\"{category}\",\"text\":{other:?}}}");
        let left = sandbox.pipe(&["import", "jsonl", "-"], line).stdout;
        assert!(left.contains("Left out: line 1: ") && left.contains("another text"), "{left}");
        // An archived entry still occupies its id.
        sandbox.run(&["forget", "--archive", one]).ok();
        let refused = sandbox.run(&["add", "-c", category, other]).refused();
        assert!(refused.contains("has the id of another text"), "{refused}");
        sandbox.run(&["add", "-c", category, one]).ok();
    }
}

#[test]
fn both_are_listed_found_and_trusted() {
    for pair in pairs() {
        let (category, one, other) = &pair;
        let sandbox = both(&pair);
        let all = BTreeSet::from([one.clone(), other.clone()]);
        assert_eq!(texts(&sandbox), all);
        let report = sandbox.run(&["report"]).ok();
        for text in &all {
            assert!(report.contains(text.as_str()), "{report}");
        }
        for _ in 0..2 {
            let word = one.split(' ').next().unwrap();
            let found = sandbox.run(&["search", "--json", "-n", "9", word]).json();
            let hits = found["hits"].as_array().unwrap().iter();
            let found: BTreeSet<String> =
                hits.map(|hit| hit["text"].as_str().unwrap().to_owned()).collect();
            assert_eq!(found, all, "with and without an index");
            sandbox.run(&["rebuild"]).ok();
        }
        let check = sandbox.run(&["check"]);
        let want = format!("of topics/t.md:1: {one} [id-collision]");
        assert!(check.code == 1 && check.stdout.contains(&want), "{}", check.stdout);
        // One text was reviewed, the other was not.
        let cloned = Sandbox::cloned("empty");
        cloned.plant("topics/t.md", format!("- [{category}] {one}\n- [{category}] {other}\n"));
        cloned.run(&["trust", one]).ok();
        let report = cloned.run(&["report"]).done();
        assert!(report.contains(one.as_str()) && !report.contains(other.as_str()), "{report}");
        assert_eq!(texts(&cloned), all);
        let waiting = cloned.run(&["trust"]).stdout;
        assert!(waiting.contains(other.as_str()) && !waiting.contains(one.as_str()), "{waiting}");
    }
}

/// Commands on one text leave the line of the other alone.
#[test]
fn only_the_exact_text_selects_one() {
    for pair in pairs() {
        let (category, one, other) = &pair;
        let sandbox = both(&pair);
        let id = sandbox.entries()[one]["id"].as_str().unwrap().to_owned();
        let refused = sandbox.run(&["pin", &id]).refused();
        assert!(refused.contains(one.as_str()) && refused.contains(other.as_str()), "{refused}");
        let lines = |one: &str, other: &str| {
            let line = |text: &str| match text {
                "" => String::new(),
                text => format!("- [{category}] {text}\n"),
            };
            format!("{}{}", line(one), line(other))
        };
        let topic = || sandbox.read("topics/t.md");
        sandbox.run(&["pin", one]).ok();
        assert_eq!(topic(), lines(&format!("{one} *(pinned)*"), other));
        sandbox.run(&["unpin", one]).ok();
        sandbox.run(&["edit", one, "Reworded"]).ok();
        assert_eq!(topic(), lines("Reworded", other));
        sandbox.run(&["edit", "Reworded", one]).refused();
        sandbox.write("topics/t.md", lines(one, other));
        sandbox.run(&["forget", "--archive", other]).ok();
        assert_eq!(topic(), lines(one, ""));
        assert!(sandbox.read("archive/t.md").ends_with(&lines(other, "")));
        sandbox.run(&["restore", other]).ok();
        assert_eq!(topic(), lines(one, other));
        // Only lines with the same text are repetitions.
        sandbox.write("topics/t.md", format!("{}- [{category}] {other}\n", lines(one, other)));
        for tidy in ["check --fix", "dream"] {
            let args: Vec<&str> = tidy.split(' ').collect();
            assert!(sandbox.run(&args).code < 2, "{tidy}");
            assert_eq!(texts(&sandbox), BTreeSet::from([one.clone(), other.clone()]), "{tidy}");
        }
        assert_eq!(topic(), lines(one, other), "the repetition is gone, and nothing else");
        let done = sandbox.run(&["dream"]).stdout;
        assert!(!done.contains("Merged"), "{done}");
        sandbox.run(&["forget", "--destroy", "--yes", other]).done();
        assert_eq!(topic(), lines(one, ""));
    }
}

//! Work trees and branches of one repository: what is learned on one is shown on the others, and nothing
//! is lost with a branch, a work tree or a file that git takes away.

use std::fs;

use serde_json::{Value, json};

use crate::{
    common::sandbox::{Sandbox, outcome},
    hooks::call,
};

/// Returns a committed store with a linked work tree, and what a command says in each.
fn parted() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q", "-b", "main"]);
    sandbox.run(&["add", "-c", "decision", "Orders are kept in PostgreSQL"]).done();
    sandbox.commit("project");
    sandbox.git("project", &["worktree", "add", "-q", "../tree", "-b", "feature"]);
    sandbox
}

/// A line of a work tree that is gone waits for a review, unless it was given up for another wording since.
#[test]
fn what_was_reworded_meanwhile_is_not_asked() {
    let sandbox = parted();
    let other = sandbox.root().join("other").to_string_lossy().into_owned();
    sandbox.run(&["init", "--dir", &other]).done();
    let queue = ["add", "-c", "decision", "The queue of orders is NATS"];
    sandbox.run_in("tree", &queue).done();
    sandbox.run_in("tree", &["sync", "--with", &other]).done();
    sandbox.run(&["sync", "--with", &other]).done();
    let later = ["--now", "2026-08-30"];
    let edit = ["edit", "queue of orders", "The queue of orders is Kafka"];
    sandbox.run(&[&later[..], &edit].concat()).done();
    sandbox.run_in("tree", &["add", "-c", "decision", "Cranes rest at night"]).done();
    sandbox.git("project", &["worktree", "remove", "--force", "../tree"]);
    let review = sandbox.run(&[&later[..], &["trust", "--review"]].concat()).stdout;
    assert!(review.contains("Cranes rest") && !review.contains("NATS"), "{review}");
    sandbox.run(&[&later[..], &["trust", "--all"]].concat()).done();
    let report = sandbox.run(&[&later[..], &["report"]].concat()).stdout;
    assert!(report.contains("Kafka") && !report.contains("NATS"), "{report}");
}

#[test]
fn each_work_tree_shows_what_the_others_learned() {
    let sandbox = parted();
    sandbox.run(&["add", "The harbour opens at six"]).done();
    let there = |args: &[&str]| sandbox.run_in("tree", args).stdout;
    assert!(there(&["list"]).contains("The harbour opens at six (on main, not merged)"));
    assert!(there(&["search", "harbour"]).contains("\tlearned on main, not merged\t"));
    assert!(there(&["why", "harbour opens"]).contains("learned on main, not merged"));
    sandbox.run_in("tree", &["add", "-c", "decision", "The queue of orders is NATS"]).done();
    sandbox.run_in("tree", &["reinforce", "kept in PostgreSQL"]).done();
    let found = sandbox.run(&["search", "queue NATS", "--json"]).stdout;
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["hits"][0]["branch"], "feature");
    let why = sandbox.run(&["why", "kept in PostgreSQL"]).stdout;
    assert!(why.contains("\nevidence         2\n"), "{why}");
    // What is decided there replaces nothing here, and what is forgotten there is not forgotten here.
    sandbox.run_in("tree", &["forget", "kept in PostgreSQL"]).done();
    assert!(sandbox.run(&["report"]).stdout.contains("- Orders are kept in PostgreSQL\n"));
    let prompt =
        r#"{"session_id": "s", "prompt": "Which queue do orders go through, is it NATS?"}"#;
    let answer = call(&sandbox, "claude", "prompt", prompt).ok();
    assert!(answer.contains("The queue of orders is NATS (on feature, not merged)"), "{answer}");
    for place in ["project", "tree"] {
        let apart = |args: &[&str]| {
            let mut command = sandbox.command(args);
            command.current_dir(sandbox.root().join(place)).env("PIMEM_WORKTREES_SHARED", "false");
            outcome(command).stdout
        };
        assert!(!apart(&["list"]).contains("not merged"), "{place}");
        assert!(!apart(&["search", "harbour queue NATS"]).contains("not merged"), "{place}");
    }
    let merge = ["merge", "-q", "--no-edit", "feature"];
    sandbox.commit("tree");
    sandbox.commit("project");
    sandbox.git("project", &merge);
    let list = sandbox.run(&["list"]).stdout;
    assert!(
        list.contains("The queue of orders is NATS\n") && !list.contains("not merged"),
        "{list}"
    );
}

/// A line whose file git has deleted waits for a review; a line that a person has deleted does not.
#[test]
fn what_git_takes_away_waits() {
    let sandbox = parted();
    let gone = || {
        let status = sandbox.run(&["status", "--json"]).stdout;
        let status: Value = serde_json::from_str(&status).unwrap();
        status["stores"][0]["calls"]["gone"].as_i64().unwrap()
    };
    let review = || sandbox.run(&["trust", "--review"]).stdout;
    sandbox.run(&["add", "The harbour opens at six"]).done();
    sandbox.run(&["add", "The crane is oiled on Mondays"]).done();
    sandbox.run(&["add", "A secret plan about the mole"]).done();
    sandbox.run(&["forget", "--destroy", "--yes", "secret plan"]).done();
    sandbox.run(&["add", "Taken back at once"]).done();
    sandbox.run(&["undo"]).done();
    let topic = sandbox.store().join("topics/lessons.md");
    let text = fs::read_to_string(&topic).unwrap();
    fs::write(&topic, text.replace("- [lesson] The crane is oiled on Mondays\n", "")).unwrap();
    assert_eq!(gone(), 0, "a line that a person took out");
    sandbox.git("project", &["clean", "-fdxq"]);
    let everything = sandbox.everything();
    let has =
        |text: &str| everything.values().any(|bytes| String::from_utf8_lossy(bytes).contains(text));
    assert!(has("harbour opens") && !has("secret plan"));
    assert_eq!(gone(), 2);
    assert!(!sandbox.run(&["report"]).stdout.contains("harbour"));
    let waits = review();
    assert!(waits.contains("+ [lesson] The harbour opens at six"), "{waits}");
    assert!(waits.contains("lessons.md:3, learned on main"), "{waits}");
    assert_eq!(gone(), 0);
    sandbox.run(&["trust", "harbour opens"]).done();
    assert!(sandbox.run(&["report"]).stdout.contains("- The harbour opens at six\n"));
    // Until they are dropped or merged, they come back as often as git takes them.
    sandbox.run(&["forget", "crane is oiled"]).done();
    sandbox.git("project", &["clean", "-fdxq"]);
    assert_eq!(gone(), 1);
    assert!(review().contains("harbour opens"));
    sandbox.run(&["trust", "--all"]).done();
    sandbox.commit("project");
    sandbox.git("project", &["rm", "-q", ".pi/memory/topics/lessons.md"]);
    sandbox.commit("project");
    assert_eq!(gone(), 0, "the default branch has had it");
}

/// The markers of a line are shown on other work trees, as they were last set there, and come back with it.
#[test]
fn what_stands_behind_a_line_goes_with_it() {
    let sandbox = parted();
    for dir in ["project/web", "tree/web"] {
        fs::create_dir_all(sandbox.root().join(dir)).unwrap();
    }
    let there = |args: &[&str]| sandbox.run_in("tree", args).done();
    let svelte = "Components are written in Svelte";
    there(&["add", "-c", "lesson", "--place", "web/**", "--asked", "which framework", svelte]);
    there(&["add", "-c", "lesson", "--forbid", "lodash", "Lodash is not used"]);
    there(&["add", "-c", "lesson", "Gates open at six"]);
    there(&["edit", "Gates", "--place", "api/**"]);
    there(&["pin", "Gates"]);
    let frozen = "Nothing is deployed before the second of July";
    there(&["add", "-c", "lesson", "--valid-until", "2026-07-01", frozen]);
    there(&["edit", frozen, "Nothing is deployed before July 2"]);
    let is_told = |dir: &str, day: &str| {
        sandbox.run_in(dir, &["--now", day, "report"]).done().contains("deployed before July 2")
    };
    assert_eq!(["2026-07-01", "2026-07-03"].map(|day| is_told("project", day)), [true, false]);
    assert!(!sandbox.run(&["report"]).done().contains("Svelte"));
    assert!(sandbox.run_in("project/web", &["report"]).done().contains("Svelte"));
    assert!(!sandbox.run_in("project/web", &["report"]).done().contains("Gates"));
    let edits = |file: &str| {
        let input = json!({"session_id": file, "cwd": sandbox.project(), "tool_name": "Edit",
            "tool_input": {"file_path": sandbox.project().join(file)}});
        call(&sandbox, "claude", "post-tool", input.to_string()).ok()
    };
    let told = edits("web/app.ts");
    assert!(
        told.contains("Svelte (place: web/**) (on feature, not merged)") && !told.contains("Gates"),
        "{told}"
    );
    sandbox.git("tree", &["clean", "-qfd"]);
    sandbox.git("tree", &["reset", "-q", "--hard"]);
    there(&["trust", "--all"]);
    let topic = fs::read_to_string(sandbox.root().join("tree/.pi/memory/topics/lessons.md"));
    assert_eq!(
        topic.unwrap(),
        "# Lessons\n\n\
         - [lesson] Components are written in Svelte *(asked: which framework)* *(place: web/**)*\n\
         - [lesson] Lodash is not used *(forbid: /lodash/)*\n\
         - [lesson] Gates open at six *(place: api/**)* *(pinned)*\n\
         - [lesson] Nothing is deployed before July 2\n"
    );
    assert_eq!(["2026-07-01", "2026-07-03"].map(|day| is_told("tree", day)), [true, false]);
    let listed = sandbox.run_in("tree", &["list", "--json"]).done();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let pinned = |one: &Value| one["userState"] == "pinned";
    assert_eq!(listed["entries"].as_array().unwrap().iter().filter(|one| pinned(one)).count(), 1);
}

/// A line that comes back replaces the same lines as before, once it is trusted.
#[test]
fn what_a_line_replaced_goes_with_it() {
    let sandbox = parted();
    sandbox.run(&["add", "-c", "decision", "Images are built with Docker"]).done();
    sandbox.commit("project");
    sandbox.git("tree", &["merge", "-q", "main"]);
    let at = |dir: &str, day: &str, args: &[&str]| {
        sandbox.run_in(dir, &[&["--now", day], args].concat()).done()
    };
    let there = |args: &[&str]| at("tree", "2026-07-02", args);
    there(&["edit", "PostgreSQL", "Orders are kept in SQLite"]);
    there(&["edit", "SQLite", "Orders are kept in DuckDB"]);
    there(&["add", "-c", "decision", "--supersedes", "Docker", "Images are built with Buildah"]);
    there(&["pin", "Buildah"]);
    sandbox.git("project", &["worktree", "remove", "--force", "../tree"]);
    let here = |args: &[&str]| at("project", "2026-07-03", args);
    let told = || {
        let report = here(&["report"]);
        ["PostgreSQL", "DuckDB", "Docker", "Buildah"].map(|word| report.contains(word))
    };
    assert_eq!(told(), [true, false, true, false]);
    let review = sandbox.run(&["--now", "2026-07-03", "trust", "--review"]).stdout;
    for old in ["Orders are kept in PostgreSQL", "Images are built with Docker"] {
        assert!(review.contains(&format!("    instead of [decision] {old}")), "{review}");
    }
    here(&["trust", "--all"]);
    assert_eq!(told(), [false, true, false, true]);
    here(&["forget", "DuckDB"]);
    here(&["forget", "Buildah"]);
    assert_eq!(told(), [true, false, true, false]);
}

/// A new file of a topic is not in git yet, so that only what the log says of its lines is taken away.
#[test]
fn a_line_outlives_its_log() {
    let sandbox = parted();
    sandbox.run(&["add", "The harbour opens at six"]).done();
    sandbox.commit("project");
    let frozen = "The parser is frozen";
    sandbox.run(&["add", "-c", "preference", "--valid-until", "2027-07-01", frozen]).done();
    let known_in = |dir: &str, text: &str| {
        let list = sandbox.run_in(dir, &["list", "--json"]).stdout;
        let list: Value = serde_json::from_str(&list).unwrap();
        let mut entries = list["entries"].as_array().unwrap().iter();
        let it = entries.find(|entry| entry["text"] == text).unwrap_or_else(|| panic!("{list}"));
        ["cue", "evidence", "firstSeen", "lastReinforced", "validUntil"].map(|key| it[key].clone())
    };
    let known = || known_in("project", frozen);
    let before = known();
    assert_eq!(before[0], "explicit");
    sandbox.git("project", &["reset", "-q", "--hard"]);
    assert!(!sandbox.read("evidence.jsonl").contains("expire"));
    assert_eq!(known(), before);
    sandbox.run(&["rebuild"]).done();
    assert!(sandbox.read("evidence.jsonl").contains("\"op\":\"expire\""));
    assert_eq!(known(), before);
    // Nor is that of another work tree lost, where a branch brings the line alone.
    let dry = "The docks are dry";
    let add = ["add", "-c", "pattern", "--valid-until", "2027-07-01", dry];
    sandbox.run_in("tree", &[&["--now", "2026-06-29T12:00:00Z"], &add[..]].concat()).done();
    let before = known_in("tree", dry);
    sandbox.git("tree", &["reset", "-q", "--hard"]);
    sandbox.commit("tree");
    sandbox.commit("project");
    sandbox.git("project", &["merge", "-q", "--no-edit", "feature"]);
    assert_eq!(known_in("project", dry), before);
}

/// A new file of the topic does not make them look as if a person had taken them out.
#[test]
fn what_git_takes_away_waits_in_the_new_file() {
    let sandbox = parted();
    sandbox.run(&["add", "The harbour opens at six"]).done();
    sandbox.git("project", &["clean", "-fdxq"]);
    sandbox.run(&["add", "The crane is oiled on Mondays"]).done();
    let topic = sandbox.read("topics/lessons.md");
    assert!(topic.contains("harbour opens") && topic.contains("crane"), "{topic}");
    let list = sandbox.run(&["list"]).stdout;
    assert!(list.contains("(unreviewed)\t0.693\tnow\tThe harbour opens at six"), "{list}");
    let other = sandbox.root().join("other").to_string_lossy().into_owned();
    sandbox.run(&["init", "--dir", &other]).done();
    sandbox.git("project", &["clean", "-fdxq"]);
    sandbox.run(&["sync", "--with", &other]).done();
    let waits = sandbox.run(&["trust", "--review"]).stdout;
    assert!(waits.contains("harbour opens") && waits.contains("crane"), "{waits}");
}

/// The store may go with them, as where nothing of it is committed.
#[test]
fn what_git_takes_away_with_the_store_waits() {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q"]);
    sandbox.run(&["add", "The harbour opens at six"]).done();
    sandbox.git("project", &["clean", "-fdxq"]);
    let status = sandbox.run(&["status"]).stdout;
    assert!(
        status.starts_with("project store    none yet; pimem init makes one in .pi/memory\n")
            && status.contains("git took the files of 1 line away: pimem trust --review\n")
            && status.contains("findings         none\n"),
        "{status}"
    );
    let start =
        json!({"session_id": "s", "cwd": sandbox.root().join("project"), "source": "startup"});
    assert_eq!(call(&sandbox, "claude", "session-start", start.to_string()).ok(), "");
    assert_eq!(sandbox.run(&["list"]).stdout, "");
    assert!(!sandbox.store().exists(), "reading makes no store");
    let waits = sandbox.run(&["trust", "--review"]).stdout;
    assert!(waits.contains("+ [lesson] The harbour opens at six"), "{waits}");
    sandbox.run(&["trust", "--all"]).done();
    assert!(sandbox.run(&["report"]).stdout.contains("- The harbour opens at six\n"));
}

/// A bare repository has no main work tree.
#[test]
fn work_trees_of_a_bare_repository_show_what_the_others_learned() {
    let sandbox = parted();
    sandbox.git("", &["clone", "-q", "--bare", "project", "trees/.git"]);
    let root = sandbox.root().join("trees");
    let empty = sandbox.git("trees/.git", &["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let commit = sandbox.git("trees/.git", &["commit-tree", "-m", "one", empty.trim()]);
    for name in ["one", "two", "three"] {
        let add = ["worktree", "add", "-q", "-b", name, &format!("../{name}"), commit.trim()];
        sandbox.git("trees/.git", &add);
    }
    let there = |name: &str, args: &[&str]| sandbox.run_in(format!("trees/{name}"), args);
    there("one", &["add", "The harbour opens at six"]).done();
    let report = there("two", &["report"]).stdout;
    assert!(report.contains("- The harbour opens at six (on one, not merged)\n"), "{report}");
    assert!(!root.join("two/.pi").exists(), "reading makes no store");
    there("two", &["add", "The crane is oiled on Mondays"]).done();
    assert!(root.join("two/.pi/memory/topics/lessons.md").exists());
    for name in ["one", "two"] {
        sandbox.git("trees/.git", &["worktree", "remove", "--force", name]);
    }
    let status = there("three", &["status"]).stdout;
    assert!(
        status.contains("git took the files of 2 lines away: pimem trust --review"),
        "{status}"
    );
    assert!(!there("three", &["report"]).stdout.contains("harbour"));
    let waits = there("three", &["trust", "--review"]).stdout;
    assert!(waits.contains("The harbour opens at six") && waits.contains("crane"), "{waits}");
}

/// A branch may be left, come back to, and deleted.
#[test]
fn a_branch_keeps_its_lines() {
    let sandbox = parted();
    sandbox.git("project", &["switch", "-qc", "side"]);
    sandbox.run(&["add", "-c", "decision", "The yard speaks gRPC"]).done();
    sandbox.commit("project");
    sandbox.git("project", &["switch", "-q", "main"]);
    let list = || sandbox.run(&["list"]).stdout;
    assert!(list().contains("The yard speaks gRPC (on side, not merged)"), "{}", list());
    assert!(sandbox.run_in("tree", &["list"]).stdout.contains("gRPC (on side, not merged)"));
    sandbox.git("project", &["switch", "-q", "side"]);
    assert!(list().contains("The yard speaks gRPC\n"), "{}", list());
    sandbox.git("project", &["switch", "-q", "main"]);
    sandbox.git("project", &["branch", "-qD", "side"]);
    assert!(!list().contains("gRPC"), "{}", list());
    let waits = sandbox.run(&["trust", "--review"]).stdout;
    assert!(waits.contains("+ [decision] The yard speaks gRPC"), "{waits}");
    // What was merged by squashing is there, and waits for nobody.
    sandbox.git("project", &["checkout", "-q", "."]);
    sandbox.git("project", &["switch", "-qc", "other"]);
    sandbox.run(&["add", "-c", "decision", "Cranes are numbered from the east"]).done();
    sandbox.commit("project");
    sandbox.git("project", &["switch", "-q", "main"]);
    sandbox.git("project", &["merge", "-q", "--squash", "other"]);
    sandbox.commit("project");
    sandbox.git("project", &["branch", "-qD", "other"]);
    assert!(list().contains("Cranes are numbered from the east\n"), "{}", list());
}

/// A line is not merged because a longer one begins with it.
#[test]
fn a_longer_line_is_another() {
    let sandbox = parted();
    sandbox.run(&["add", "Cranes are oiled on Mondays"]).done();
    sandbox.commit("project");
    sandbox.run(&["add", "--force", "Cranes are oiled"]).done();
    sandbox.git("project", &["checkout", "-q", "."]);
    let waits = sandbox.run(&["trust", "--review"]).stdout;
    assert!(waits.contains("+ [lesson] Cranes are oiled ("), "{waits}");
}

/// An archive may bring a `.git` whose directories lead elsewhere.
#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    for link in ["pimem", "pimem/main", "pimem/main/spool-kept.jsonl"] {
        let sandbox = parted();
        let (path, outside) =
            (sandbox.project().join(".git").join(link), sandbox.root().join("outside"));
        fs::create_dir(&outside).unwrap();
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        let target = if link.ends_with("jsonl") { outside.join("new") } else { outside.clone() };
        std::os::unix::fs::symlink(target, &path).unwrap();
        sandbox.run(&["add", "The harbour opens at six"]).done();
        sandbox.run(&["forget", "harbour"]).done();
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{link}");
    }
}

/// What this machine notes of a repository is of no work tree, and git takes it away with none.
#[test]
fn what_the_machine_noted_is_the_repositorys() {
    let sandbox = parted();
    let said = r#"{"session_id": "s", "prompt": "Where are orders kept, in PostgreSQL?"}"#;
    call(&sandbox, "claude", "prompt", said).ok();
    sandbox.run(&["search", "orders"]).ok();
    let shown = |place: &str| {
        let log = sandbox.run_in(place, &["telemetry", "log", "--json"]).stdout;
        let log: Value = serde_json::from_str(&log).unwrap();
        log["records"].clone()
    };
    let before = shown("project");
    assert!(before.to_string().contains("\"access\""), "{before}");
    assert_eq!(shown("tree"), before);
    sandbox.run_in("tree", &["add", "The queue of orders is NATS"]).done();
    // Each takes back what was done there.
    let undone = sandbox.run_in("tree", &["undo"]).stdout;
    assert!(undone.contains("queue of orders"), "{undone}");
    sandbox.run(&["add", "-c", "decision", "The harbour opens at six"]).done();
    sandbox.git("project", &["clean", "-fdxq"]);
    sandbox.git("project", &["worktree", "remove", "--force", "../tree"]);
    assert_eq!(shown("project"), before);
    assert!(sandbox.run(&["undo"]).stdout.contains("harbour opens"));
    let again = call(&sandbox, "claude", "prompt", said).ok();
    assert!(!again.contains("kept in PostgreSQL"), "the session has it: {again}");
}

/// Closes git's directory to the program. Returns what opens it again.
fn closed(sandbox: &Sandbox) -> impl FnOnce() {
    let (kept, away) = (sandbox.root().join("project/.git/pimem"), sandbox.root().join("away"));
    fs::rename(&kept, &away).unwrap();
    fs::write(&kept, "no directory").unwrap();
    move || {
        fs::remove_file(&kept).unwrap();
        fs::rename(&away, &kept).unwrap();
    }
}

/// Where git's directory may not be written, files beside the store serve, and are taken in later.
#[test]
fn what_a_closed_git_directory_keeps_out() {
    let sandbox = parted();
    let beside = sandbox.root().join("project/.pi/data");
    let records = || {
        let log = sandbox.run(&["telemetry", "log", "--json"]).stdout;
        let log: Value = serde_json::from_str(&log).unwrap();
        log["records"].as_array().unwrap().len()
    };
    // Records of one moment are one.
    let search = |hour: u8| {
        let now = format!("2026-07-01T{hour:02}:00:00Z");
        sandbox.run(&["search", "orders", "--now", &now]).ok()
    };
    search(1);
    let before = records();
    assert!(before > 0 && !beside.exists());
    let open = closed(&sandbox);
    sandbox.run(&["reinforce", "kept in PostgreSQL"]).done();
    search(2);
    search(3);
    let closed = records();
    assert!(closed > 0 && beside.is_dir());
    open();
    search(4);
    assert_eq!(records(), before + closed + 1);
    assert!(!beside.exists(), "nothing is left there");
    assert!(sandbox.run(&["undo"]).stdout.contains("reinforce"));
}

/// Lines that are added while git's directory is closed wait beside the store. `add` says so once, and
/// the next hook keeps them.
#[test]
fn what_is_learned_under_a_closed_git_directory() {
    let sandbox = parted();
    let said = |text: &str| sandbox.run(&["add", text]).stderr.contains("cannot be written here");
    let open = closed(&sandbox);
    assert!(said("The harbour opens at six"));
    assert!(!said("The crane is oiled on Mondays"), "once");
    assert!(!said("Taken back at once"));
    sandbox.run(&["forget", "Taken back"]).done();
    sandbox.run(&["add", "A secret plan about the mole"]).done();
    sandbox.run(&["forget", "--destroy", "--yes", "secret plan"]).done();
    let has = |text: &str| {
        let everything = sandbox.everything();
        everything.values().any(|bytes| String::from_utf8_lossy(bytes).contains(text))
    };
    assert!(has("harbour opens") && !has("secret plan"));
    open();
    call(&sandbox, "claude", "session-start", r#"{"session_id": "s"}"#).ok();
    sandbox.git("project", &["clean", "-fdxq"]);
    let waits = sandbox.run(&["trust", "--review"]).stdout;
    assert!(waits.contains("harbour opens") && waits.contains("crane is oiled"), "{waits}");
    assert!(!waits.contains("Taken back"), "{waits}");
    assert!(!said("The mole is closed in winter"));
}

/// Git can be told to name work trees by relative paths.
#[test]
fn work_trees_are_found_by_relative_paths() {
    let sandbox = parted();
    sandbox.run_in("tree", &["reinforce", "kept in PostgreSQL"]).done();
    let evidence = || {
        let why = sandbox.run(&["why", "kept in PostgreSQL"]).stdout;
        let line = why.lines().find_map(|line| line.strip_prefix("evidence"));
        line.unwrap().trim().to_owned()
    };
    let name = |path: &str, text: &str| fs::write(sandbox.root().join(path), text).unwrap();
    name("project/.git/worktrees/tree/gitdir", "../../../../tree/.git\n");
    for (named, want) in [("tree", "2"), ("other", "1"), ("tree", "2")] {
        name("tree/.git", &format!("gitdir: ../project/.git/worktrees/{named}\n"));
        fs::create_dir_all(sandbox.root().join("project/.git/worktrees/other")).unwrap();
        assert_eq!(evidence(), want, "{named}");
    }
}

/// Of very many lines the oldest are not kept for other work trees, and that is said.
#[test]
fn more_lines_than_are_kept() {
    let sandbox = parted();
    let line =
        |n: usize| format!("{}\n", json!({"text": format!("Berth {n} holds {} ships", n * 7)}));
    sandbox.write("../../lines.jsonl", (0..10_007).map(line).collect::<String>());
    let done = sandbox.run(&["import", "jsonl", "lines.jsonl"]);
    let said = "So many lines are not merged that only this work tree has 7 of them";
    assert!(done.code == 0 && done.stderr.contains(said), "{}", done.stderr);
    let there = sandbox.run_in("tree", &["list", "--json", "-n", "20000"]).stdout;
    assert!(there.contains("Berth 10006 holds") && !there.contains("Berth 0 holds"));
}

/// A line that is merged is searched once, not again as a line of another work tree.
#[test]
fn merged_lines_are_those_of_the_files() {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q", "-b", "main"]);
    // More than one file holds.
    let lines: Vec<String> =
        (0..240).map(|n| format!("Berth {n} takes ships of {n} metres")).collect();
    let lines = lines.join("\n");
    sandbox.pipe(&["add", "-"], &lines).done();
    sandbox.run(&["add", "--pin", "The harbour opens at six"]).done();
    sandbox.commit("project");
    sandbox.git("project", &["worktree", "add", "-q", "../tree", "-b", "feature"]);
    let indexed = |tree: &str| {
        let status = sandbox.run_in(tree, &["status", "--json"]).stdout;
        let status: Value = serde_json::from_str(&status).unwrap();
        status["stores"][0]["index"]["lines"].clone()
    };
    assert_eq!([indexed("project"), indexed("tree")], [241, 241]);
    sandbox.run(&["add", "The crane is oiled on Mondays"]).done();
    assert_eq!([indexed("project"), indexed("tree")], [242, 242]);
    // They are dropped from what is kept, from time to time.
    sandbox.pipe(&["add", "-"], lines.replace("Berth", "Quay")).done();
    let kept = fs::read_to_string(sandbox.root().join("project/.git/pimem/main/spool-kept.jsonl"));
    let kept = kept.unwrap();
    assert!(kept.contains("Quay 239") && !kept.contains("Berth 239"), "{kept:.200}");
}

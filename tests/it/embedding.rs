//! The table and the transformer together: what the transformer has embedded, when, and what of it is
//! kept.

use std::{
    fmt::Write as _,
    fs,
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::common::{
    sandbox::{Sandbox, finish, outcome},
    scale,
};

/// Lines that have nothing to do with databases.
fn padding(count: usize) -> String {
    let (who, what, when) = (
        ["The mill", "A gardener", "The choir", "Her aunt", "The ferry", "A baker", "The clock"],
        ["sings", "waits", "turns", "paints fences", "grows pears", "carries flour", "is late"],
        ["in May", "at dusk", "on the hill", "behind the barn", "twice a week", "for the fair"],
    );
    (0..count).fold(String::new(), |mut text, at| {
        let (a, b, c) = (who[at % 7], what[at / 7 % 7], when[at / 49 % 6]);
        writeln!(text, "- [lesson] {a} {b} {c}, as it did {at} days ago").unwrap();
        text
    })
}

fn document(sandbox: &Sandbox, args: &[&str]) -> Value {
    serde_json::from_str(&sandbox.run(args).stdout).unwrap()
}

/// Returns the number of entries of which the cache has a vector by the chosen model.
fn embedded(sandbox: &Sandbox) -> u64 {
    document(sandbox, &["status", "--json"])["stores"][0]["index"]["embedded"].as_u64().unwrap()
}

/// The same question with the same answer is recalled or not, whatever else is in the store.
#[test]
fn recall_does_not_depend_on_the_size_of_the_store() {
    let questions = [
        ("which database do we use", "Chose PostgreSQL over MySQL because of its JSON support"),
        ("how long may a commit message be", "Commit messages have at most 60 characters"),
        ("may I deploy on fridays", "No deployments on Fridays after noon"),
    ];
    let mut before: Option<Vec<(String, f64)>> = None;
    for count in [3, 300].into_iter().chain((scale() > 1).then_some(3_000)) {
        let sandbox = Sandbox::new("empty").by_default_model();
        sandbox.run(&["init"]).done();
        let lines: Vec<String> =
            questions.iter().map(|(_, line)| format!("- [decision] {line}\n")).collect();
        sandbox.write("topics/decisions.md", format!("# Decisions\n\n{}", lines.concat()));
        sandbox.write("topics/other.md", format!("# Other\n\n{}", padding(count)));
        sandbox.run(&["rebuild"]).ok();
        let first = |(question, line): &(&str, &str)| {
            let found = document(&sandbox, &["search", "--json", "-n", "1", question]);
            assert_eq!(found["hits"][0]["text"], *line, "{count}: {found}");
            let prompt = sandbox.run(&["report", "--budget", "20", "--prompt", question]).ok();
            assert!(prompt.contains(line), "{count}: {prompt}");
            (line.to_string(), found["hits"][0]["score"].as_f64().unwrap())
        };
        let now: Vec<_> = questions.iter().map(first).collect();
        for (one, other) in now.iter().zip(before.as_ref().unwrap_or(&now)) {
            assert!((one.1 - other.1).abs() < 1e-6, "{count}: {one:?} {other:?}");
        }
        before = Some(now);
    }
}

#[test]
fn a_search_keeps_what_it_embeds() {
    let sandbox = Sandbox::new("empty").by_default_model();
    sandbox.run(&["init"]).done();
    for at in 0..3 {
        sandbox.run(&["add", &format!("The quay {at} belongs to the port")]).done();
    }
    assert_eq!(embedded(&sandbox), 0, "add answers without the model");
    let search = ["search", "--json", "--explain", "--no-touch", "who owns the quay"];
    let found = document(&sandbox, &search);
    assert_eq!(found["model"], "minilm");
    assert!(found["hits"][0]["explain"]["model"].is_number(), "{found}");
    assert_eq!(embedded(&sandbox), 3);
    assert_eq!(document(&sandbox, &search), found);
    sandbox.run(&["rebuild"]).ok();
    assert_eq!((embedded(&sandbox), document(&sandbox, &search)), (3, found));
}

/// A hook has few texts embedded: the others are judged by the table, and embedded once it has
/// answered. The answer says so, and the next one has nothing to say.
#[test]
fn a_prompt_waits_for_few_texts() {
    let sandbox = Sandbox::new("empty").by_default_model();
    sandbox.run(&["init"]).done();
    let about = "the storm warning of the harbour master is on and the pilots stay in the lock";
    let line = |at: usize| format!("- [lesson] Quay {at} is closed when {about} number {at}\n");
    let lines = (0..40).map(line).collect::<Vec<_>>().concat();
    sandbox.write("topics/lessons.md", format!("# Lessons\n\n{lines}"));
    let ask = || {
        let prompt = json!({"prompt": "is the quay closed when the storm warning is on"});
        let mut hook = sandbox.command(&["hook", "claude", "prompt"]);
        hook.env("PIMEM_DEBUG", "1");
        finish(
            assert_cmd::Command::from_std(hook).write_stdin(prompt.to_string()).output().unwrap(),
        )
    };
    let (first, then) = (ask(), ask());
    assert!(first.stdout.contains("storm warning"), "{first:?}");
    assert!(first.stderr.contains("wait for their vectors; judged by the table"), "{first:?}");
    assert!(!then.stderr.contains("wait for"), "{then:?}");
    let made = embedded(&sandbox);
    assert!((20..40).contains(&made), "{made}");
    assert_eq!(ask().stdout, then.stdout);
}

#[test]
fn models_switched_back_and_forth_keep_their_vectors() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    sandbox.run(&["rebuild"]).ok();
    let all = embedded(&sandbox);
    let search = ["search", "--json", "--no-touch", "which database do we use"];
    document(&sandbox, &search);
    let before = document(&sandbox, &search);
    for _ in 0..2 {
        let mut by_table = sandbox.command(&["rebuild"]);
        by_table.env("PIMEM_EMBEDDING_MODEL", "static");
        outcome(by_table).ok();
        assert_eq!((embedded(&sandbox), document(&sandbox, &search)), (all, before.clone()));
    }
}

/// Purged text leaves no vector behind, of no model.
#[test]
fn vectors_go_with_their_text() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    sandbox.run(&["rebuild"]).ok();
    let vectors = || {
        let text = sandbox.run(&["export", "embeddings"]).ok();
        serde_json::from_str::<serde_json::Map<String, Value>>(&text).unwrap()
    };
    let (before, size) = (vectors(), size_of(&sandbox, ".vec"));
    sandbox.run(&["add", "The codeword is tangerine"]).done();
    sandbox.run(&["search", "--in", "topics", "what is the codeword"]).ok();
    assert_eq!(vectors().len(), before.len() + 1);
    sandbox.run(&["forget", "--destroy", "--yes", "codeword"]).done();
    assert_eq!((size_of(&sandbox, ".recent"), size_of(&sandbox, ".vec")), (0, size));
    assert_eq!(vectors(), before);
}

/// Returns the bytes of files in the cache whose names end like this.
fn size_of(sandbox: &Sandbox, end: &str) -> usize {
    let files = sandbox.everything();
    let of_end = files.iter().filter(|(name, _)| name.starts_with("cache/") && name.ends_with(end));
    of_end.map(|(_, bytes)| bytes.len()).sum()
}

/// What is missing is embedded by a process of its own, which may be killed at any time.
#[test]
fn what_is_missing_is_embedded_in_the_background() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    for millis in [30, 60, 90, 120] {
        let mut child = sandbox.command(&["rebuild", "--catch-up"]);
        child.env_remove("CI").env("PIMEM_UNASKED", "1");
        let mut child = child.spawn().unwrap();
        sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
        sandbox.run(&["search", "berth"]).ok();
    }
    let rebuild = || {
        let mut start = sandbox.command(&["rebuild"]);
        start.env_remove("CI");
        outcome(start).done()
    };
    let said = rebuild();
    assert!(said.contains("Embedded in the background by minilm: "), "{said}");
    let all = document(&sandbox, &["status", "--json"])["counts"]["total"].as_u64().unwrap();
    let end = Instant::now() + Duration::from_mins(5);
    while embedded(&sandbox) < all && Instant::now() < end {
        sleep(Duration::from_secs(1));
        // It gives way to all else and ends after a minute: on a busy machine the next one goes on.
        rebuild();
    }
    assert_eq!(embedded(&sandbox), all);
}

/// An agent waits for the end of its hook: what a prompt finds changed is indexed by a process beside it.
#[test]
fn a_hook_leaves_the_index_to_a_process_beside_it() {
    let sandbox = Sandbox::new("empty").by_default_model();
    sandbox.run(&["init"]).done();
    let line = |at: usize| format!("- [lesson] Bay {at} of the quay takes ship {}\n", 7 * at);
    sandbox.write("topics/bays.md", (0..400).map(line).collect::<String>());
    let input = json!({ "session_id": "s", "prompt": "which ship does bay 30 take?" }).to_string();
    let hook = sandbox.command(&["hook", "claude", "prompt"]);
    let mut hook = assert_cmd::Command::from_std(hook);
    let answered = hook.env_remove("CI").write_stdin(input).output().unwrap();
    assert!(finish(answered).ok().contains("takes ship 210"));
    let end = Instant::now() + Duration::from_mins(5);
    while embedded(&sandbox) < 400 && Instant::now() < end {
        sleep(Duration::from_millis(500));
    }
    assert_eq!(embedded(&sandbox), 400);
}

#[test]
fn nothing_is_embedded_in_the_background_under_ci_or_when_switched_off() {
    let sandbox = Sandbox::new("empty").by_default_model();
    sandbox.run(&["init"]).done();
    sandbox.run(&["add", "The quay belongs to the port"]).done();
    let mut under_ci = sandbox.command(&["rebuild", "--catch-up"]);
    under_ci.env("PIMEM_UNASKED", "1");
    let mut off = sandbox.command(&["rebuild", "--catch-up"]);
    off.env_remove("CI").env("PIMEM_UNASKED", "1").env("PIMEM_EMBEDDING_BACKGROUND", "false");
    for command in [under_ci, off] {
        outcome(command).ok();
        assert_eq!(embedded(&sandbox), 0);
    }
}

#[test]
fn texts_of_any_kind() {
    let sandbox = Sandbox::new("empty").by_default_model();
    sandbox.run(&["init"]).done();
    let long: String = (0..10_000).fold(String::new(), |mut text, at| {
        write!(text, "word{at} ").unwrap();
        text
    });
    sandbox.run(&["add", "The quay belongs to the port"]).done();
    sandbox.run(&["add", "🚀 🎉 👍🏽"]).done();
    sandbox.write("MEMORY.md", format!("# Notes\n\n{long}quay\n"));
    sandbox.run(&["rebuild"]).ok();
    for query in ["🚀", "quay 🚀", long.as_str(), "quay"] {
        let done = sandbox.run(&["search", "--json", query]);
        assert!(done.code < 2, "{done:?}");
    }
    assert!(sandbox.run(&["search", "who owns the quay"]).ok().contains("belongs to the port"));
}

/// A cache that cannot be written costs time and no answer.
#[test]
fn a_cache_that_cannot_be_written() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    let search = ["search", "--no-touch", "which database do we use"];
    let before = sandbox.run(&search).ok();
    fs::remove_dir_all(sandbox.cache()).unwrap();
    fs::write(sandbox.cache(), "in the way").unwrap();
    assert_eq!(sandbox.run(&search).ok(), before);
}

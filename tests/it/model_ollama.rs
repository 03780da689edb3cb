//! Models that Ollama serves: asked by search and rebuild, never by a hook.

use std::fs;

use serde_json::{Value, json};

use crate::common::{
    ollama::{Mood, Ollama},
    sandbox::{Outcome, Sandbox, outcome},
};

const NAME: &str = "ollama/nomic-embed-text";

fn run(sandbox: &Sandbox, ollama: &Ollama, args: &[&str]) -> Outcome {
    let mut command = sandbox.command(args);
    command.env("PIMEM_EMBEDDING_MODEL", NAME).env("PIMEM_EMBEDDING_ENDPOINT", ollama.address());
    outcome(command)
}

fn search(sandbox: &Sandbox, ollama: &Ollama, query: &str) -> Value {
    run(sandbox, ollama, &["search", "--json", query]).json()
}

/// Returns the texts that were sent.
fn inputs(requests: &[Value]) -> Vec<String> {
    let inputs = requests.iter().flat_map(|body| body["input"].as_array().unwrap().clone());
    inputs.map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn it_is_asked_in_batches_with_its_prefixes() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    let ollama = Ollama::start(Mood::Vectors(64));
    let rebuilt = run(&sandbox, &ollama, &["rebuild"]).ok();
    assert!(rebuilt.contains(&format!("vectors with {NAME}")), "{rebuilt}");
    let requests = ollama.take();
    assert!(requests.iter().all(|body| body["model"] == "nomic-embed-text"), "{requests:?}");
    let sizes = requests.iter().map(|body| body["input"].as_array().unwrap().len());
    assert!(sizes.clone().all(|size| size <= 32) && sizes.sum::<usize>() > requests.len() * 8);
    // The texts by which it is measured come first.
    let texts = inputs(&requests);
    let (measured, lines) = texts.split_at(64);
    let (passages, queries) = measured.split_at(32);
    assert!(passages.iter().all(|text| text.starts_with("search_document: ")), "{passages:?}");
    assert!(queries.iter().all(|text| text.starts_with("search_query: ")), "{queries:?}");
    assert!(lines.iter().all(|text| text.starts_with("search_document: ")), "{lines:?}");

    let found = search(&sandbox, &ollama, "tide tables");
    assert_eq!((&found["model"], &found["degraded"]), (&json!(NAME), &Value::Null));
    // Entries have vectors; items of logs are embedded as they are found.
    let asked = inputs(&ollama.take());
    assert_eq!(asked[0], "search_query: tide tables");
    let is_item = |text: &String| text.starts_with("search_document: - ") && text.contains(':');
    assert!(asked[1..].iter().all(is_item), "{asked:?}");

    let status = run(&sandbox, &ollama, &["model", "status", "--json"]).json();
    assert_eq!((&status["serves"], &status["dimension"]), (&json!(true), &json!(64)));
    assert_eq!(status["source"], ollama.address());
    let list = run(&sandbox, &ollama, &["model", "list", "--json"]).json();
    let served: Vec<&Value> =
        list["models"].as_array().unwrap().iter().filter(|it| it["inUse"] == true).collect();
    assert_eq!(served.len(), 1);
    assert_eq!((&served[0]["name"], &served[0]["state"]), (&json!(NAME), &json!("served")));
}

#[test]
fn secrets_and_private_text_stay_here() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    let ollama = Ollama::start(Mood::Vectors(64));
    search(&sandbox, &ollama, "the berth <private>of the Albatros</private> in May");
    let texts = inputs(&ollama.take());
    assert!(texts.iter().any(|text| text.contains("berth")), "{texts:?}");
    assert!(texts.iter().all(|text| !text.contains("Albatros")), "{texts:?}");
}

#[test]
fn whatever_it_does_search_answers() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    let ollama = Ollama::start(Mood::Vectors(64));
    run(&sandbox, &ollama, &["rebuild"]).ok();
    let before = search(&sandbox, &ollama, "tide tables");
    assert_eq!(before["model"], NAME);
    for (mood, why) in [
        (Mood::Vectors(48), "the model gave 48 numbers, not 64"),
        (Mood::Page, "gave what is no answer"),
        (Mood::Unknown, "answered 404: model \"x\" not found"),
        (Mood::Few, "gave 0 vectors of 1"),
        (Mood::NoNumber, "gave what are no vectors"),
        (Mood::Infinite, "gave what are no vectors"),
        (Mood::Zeros, "gave what are no vectors"),
        (Mood::Cut, "cannot be reached"),
        (Mood::Hangs, "the model did not answer within 300 ms"),
    ] {
        ollama.becomes(mood);
        sandbox.write("topics/lessons.md", format!("- [lesson] Tide tables are {mood:?}\n"));
        let mut command = sandbox.command(&["search", "--json", "tide tables"]);
        command.env("PIMEM_EMBEDDING_MODEL", NAME);
        command.env("PIMEM_EMBEDDING_ENDPOINT", ollama.address());
        command
            .env("PIMEM_EMBEDDING_DEADLINE_MS", if mood == Mood::Hangs { "300" } else { "30000" });
        let done = outcome(command);
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{mood:?}");
        let found = done.json();
        assert_eq!(found["model"], "static", "{mood:?}");
        assert!(
            found["degraded"].as_str().unwrap().contains(why),
            "{mood:?}: {}",
            found["degraded"]
        );
        assert!(!found["hits"].as_array().unwrap().is_empty(), "{mood:?}");
        // A status waits longer than a search.
        if mood != Mood::Hangs {
            let status = run(&sandbox, &ollama, &["model", "status", "--json"]);
            assert!(status.code == 1 && status.stdout.contains("\"serves\": false"), "{status:?}");
        }
    }
    // Nothing of that was kept.
    ollama.becomes(Mood::Vectors(64));
    ollama.take();
    let found = search(&sandbox, &ollama, "tide tables");
    assert_eq!((&found["model"], &found["degraded"]), (&json!(NAME), &Value::Null));
    let texts = inputs(&ollama.take());
    assert_eq!(texts, ["search_query: tide tables", "search_document: Tide tables are Hangs"]);
}

#[test]
fn another_model_under_the_name_is_measured_and_never_mixed() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    let ollama = Ollama::start(Mood::Vectors(64));
    run(&sandbox, &ollama, &["rebuild"]).ok();
    ollama.becomes(Mood::Vectors(48));
    let changed = run(&sandbox, &ollama, &["model", "use", NAME]);
    assert!(changed.done().starts_with(&format!("Set embedding.model = {NAME} in ")));
    ollama.take();
    let found = search(&sandbox, &ollama, "tide tables");
    assert_eq!((&found["model"], &found["degraded"]), (&json!(NAME), &Value::Null));
    assert!(inputs(&ollama.take()).len() > 8, "all lines are embedded anew");
    let status = run(&sandbox, &ollama, &["model", "status", "--json"]).json();
    assert_eq!(status["dimension"], 48);
}

#[test]
fn no_hook_opens_a_socket() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    let ollama = Ollama::start(Mood::Vectors(64));
    let settings = json!({
        "embedding": {"model": NAME, "endpoint": ollama.address()},
        // Below, and waited for.
        "hook": {"rebuildMinutes": 0},
    });
    let path = sandbox.home().join(".pi/agent/memory.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, settings.to_string()).unwrap();
    assert_eq!(sandbox.run(&["search", "--json", "tide tables"]).json()["model"], NAME);
    let before = ollama.connections();
    assert!(before > 0);
    sandbox.write("topics/lessons.md", "- [lesson] The tide tables were replaced in May\n");
    let root = sandbox.project().display().to_string();
    for (event, more) in [
        ("session-start", json!({"source": "startup"})),
        ("prompt", json!({"prompt": "where do the tide tables come from?"})),
        ("stop", json!({})),
        ("session-end", json!({"reason": "exit"})),
    ] {
        let mut input = json!({"session_id": "s1", "cwd": root, "transcript_path": "/none"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let done = sandbox.pipe(&["hook", "claude", event], input.to_string());
        assert_eq!(done.code, 0, "{event}: {done:?}");
    }
    assert_eq!(ollama.connections(), before);
    let mut rebuild = sandbox.command(&["rebuild"]);
    rebuild.env("PIMEM_UNASKED", "1");
    let rebuilt = outcome(rebuild).stderr;
    assert!(rebuilt.contains("without a vector of ollama/nomic-embed-text: "), "{rebuilt}");
    assert_eq!(ollama.connections(), before);
}

#[test]
fn what_cannot_be_chosen() {
    let sandbox = Sandbox::new("harbor").by_default_model();
    let ollama = Ollama::start(Mood::Unknown);
    let refused = run(&sandbox, &ollama, &["model", "use", NAME]).stderr;
    assert!(refused.contains("answered 404: model \"x\" not found"), "{refused}");
    assert!(refused.contains("ollama pull nomic-embed-text"), "{refused}");
    let refused = run(&sandbox, &ollama, &["model", "pull", NAME]).refused();
    assert!(refused.contains("ollama/nomic-embed-text is installed by Ollama"), "{refused}");
    // Where texts are sent is not the project's to say.
    sandbox.configure(&format!("{{\"embedding\": {{\"endpoint\": \"{}\"}}}}", ollama.address()));
    let done = sandbox.run(&["search", "tide"]);
    assert!(done.stderr.contains("a project's file may not set embedding.endpoint"), "{done:?}");
    sandbox.configure("{}");
    // The variable of Ollama itself.
    ollama.becomes(Mood::Vectors(64));
    let mut command = sandbox.command(&["search", "--json", "tide tables"]);
    let host = ollama.address().trim_start_matches("http://");
    command.env("PIMEM_EMBEDDING_MODEL", NAME).env("OLLAMA_HOST", host);
    assert_eq!(outcome(command).json()["model"], NAME);
}

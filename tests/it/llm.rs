//! Language models: what is asked of them, by whom, and what becomes of every kind of answer.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{
    provider::{Provider, Reply, command, configure},
    sandbox::{Outcome, Sandbox, outcome},
};

/// The variable that holds the key of these tests, and the key.
const KEY: (&str, &str) = ("PIMEM_TEST_KEY", "test-key-0");

/// Asks the observer's model for a word.
fn check(sandbox: &Sandbox) -> Outcome {
    let mut command = sandbox.command(&["config", "check-model", "observer", "--json"]);
    command.env(KEY.0, KEY.1);
    outcome(command)
}

/// What the observer's model answered.
fn answer(sandbox: &Sandbox) -> String {
    check(sandbox).json()["answer"].as_str().unwrap().to_owned()
}

/// What went wrong, with its hint. The key is never told.
fn trouble(sandbox: &Sandbox) -> (String, String) {
    let stderr = check(sandbox).refused();
    assert!(!stderr.contains(KEY.1), "{stderr}");
    let error: Value = serde_json::from_str(&stderr).unwrap();
    assert_eq!(error["kind"], "model");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&error["message"]), text(&error["hints"][0]))
}

/// Settings for a provider with a key.
fn settings(provider: &Provider, name: &str, model: &str) -> Value {
    json!({
        "provider": name, "endpoint": provider.endpoint(), "model": model, "apiKeyEnv": KEY.0,
        "maxOutputTokens": 5000,
    })
}

/// A sandbox whose observer asks a server with these replies.
fn asking(name: &str, replies: Vec<Reply>) -> (Sandbox, Provider) {
    let (sandbox, provider) = (Sandbox::new("empty"), Provider::start(replies));
    configure(&sandbox, "observer", settings(&provider, name, "test-model"));
    (sandbox, provider)
}

#[test]
fn what_each_provider_is_asked() {
    let replies = vec![
        Reply::openai("one"),
        Reply::anthropic("two"),
        Reply::gemini("three"),
        Reply::ollama("four"),
    ];
    let (sandbox, provider) = (Sandbox::new("empty"), Provider::start(replies));
    let mut said = Vec::new();
    for (name, model) in [
        ("openai", "org/model-high"),
        ("anthropic", "claude-haiku-4-5"),
        ("gemini", "gemini-2.5-flash"),
        ("ollama", "qwen2.5:7b"),
    ] {
        configure(&sandbox, "observer", settings(&provider, name, model));
        said.push(answer(&sandbox));
    }
    assert_eq!(said, ["one", "two", "three", "four"]);
    let asked = provider.requests();
    let paths: Vec<&str> = asked.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/v1/chat/completions",
            "/v1/messages",
            "/v1/models/gemini-2.5-flash:generateContent",
            "/v1/api/chat",
        ]
    );
    let header = |at: usize, name: &str| asked[at].headers.get(name).map(String::as_str);
    let bearer = format!("Bearer {}", KEY.1);
    assert_eq!(header(0, "authorization"), Some(bearer.as_str()));
    assert_eq!(header(1, "x-api-key"), Some(KEY.1));
    assert_eq!(header(1, "anthropic-version"), Some("2023-06-01"));
    assert_eq!(header(2, "x-goog-api-key"), Some(KEY.1));
    assert_eq!(header(3, "authorization"), Some(bearer.as_str()));
    for (at, request) in asked.iter().enumerate() {
        assert!(header(at, "user-agent").unwrap().starts_with("pimem/"), "{request:?}");
        assert_eq!(header(at, "accept-encoding"), None, "nothing is to be inflated");
    }
    let (rules, text) = ("Answer with one word.", "Say hello.");
    let messages = json!([{"role": "system", "content": rules}, {"role": "user", "content": text}]);
    let bodies: Vec<Value> = asked.iter().map(|request| request.json()).collect();
    assert_eq!(
        bodies[0],
        json!({
            "model": "org/model-high", "stream": false, "messages": messages, "temperature": 0.3,
            "max_tokens": 5000,
        })
    );
    assert_eq!(
        bodies[1],
        json!({
            "model": "claude-haiku-4-5", "stream": false, "system": rules, "temperature": 0.3,
            "messages": [{"role": "user", "content": text}], "max_tokens": 5000,
        })
    );
    assert_eq!(
        bodies[2],
        json!({
            "systemInstruction": {"parts": [{"text": rules}]},
            "contents": [{"role": "user", "parts": [{"text": text}]}],
            "generationConfig": {"temperature": 0.3, "maxOutputTokens": 5000},
        })
    );
    assert_eq!(
        bodies[3],
        json!({
            "model": "qwen2.5:7b", "stream": false, "messages": messages,
            "options": {"temperature": 0.3, "num_predict": 5000},
        })
    );
}

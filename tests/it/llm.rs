//! Language models: the requests, who makes them, and the handling of every kind of answer.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{
    provider::{Provider, Reply, Request, configure},
    repository,
    sandbox::{Outcome, Sandbox, outcome},
};

/// Variable with the test key, and the key.
const KEY: (&str, &str) = ("PIMEM_TEST_KEY", "test-key-0");

/// Sends a test request to the observer's model.
fn check(sandbox: &Sandbox) -> Outcome {
    let mut command = sandbox.command(&["model", "check", "observer", "--json"]);
    command.env(KEY.0, KEY.1);
    outcome(command)
}

fn answer(sandbox: &Sandbox) -> String {
    check(sandbox).json()["answer"].as_str().unwrap().to_owned()
}

/// Returns the error and its hint, which must not contain the key.
fn trouble(sandbox: &Sandbox) -> (String, String) {
    let stderr = check(sandbox).refused();
    assert!(!stderr.contains(KEY.1), "{stderr}");
    let error: Value = serde_json::from_str(&stderr).unwrap();
    assert_eq!(error["kind"], "model");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&error["message"]), text(&error["hints"][0]))
}

fn settings(provider: &Provider, name: &str, model: &str) -> Value {
    json!({
        "provider": name, "endpoint": provider.endpoint(), "model": model, "apiKeyEnv": KEY.0,
        "maxOutputTokens": 5000,
    })
}

/// Returns a sandbox whose observer uses a server with these replies.
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
    let bodies: Vec<Value> = asked.iter().map(Request::json).collect();
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

/// Parameters that a model refuses, or that are not configured, are not sent.
#[test]
fn what_is_not_asked() {
    let refusing = || Reply::recorded("openai-temperature");
    let replies =
        vec![Reply::openai("hi"), refusing(), Reply::openai("ho"), refusing(), refusing()];
    let (sandbox, provider) = (Sandbox::new("empty"), Provider::start(replies));
    let ask = |model: &str| {
        let settings =
            json!({"provider": "openai", "endpoint": provider.endpoint(), "model": model});
        configure(&sandbox, "observer", settings);
        check(&sandbox)
    };
    assert_eq!(ask("gpt-5-nano").json()["answer"], "hi");
    assert_eq!(ask("pimem::odd-max").json()["answer"], "ho");
    let refused = ask("another");
    assert!(
        refused.stderr.contains("answered 400: Unsupported value: 'temperature'"),
        "{refused:?}"
    );
    let asked = provider.requests();
    let bodies: Vec<Value> = asked.iter().map(Request::json).collect();
    let of = |key: &str| bodies.iter().map(|body| body[key].clone()).collect::<Vec<Value>>();
    let names = ["gpt-5-nano", "pimem::odd-max", "pimem::odd-max", "another", "another"];
    assert_eq!(of("model"), names);
    assert_eq!(of("temperature"), [json!(null), json!(0.3), json!(null), json!(0.3), json!(null)]);
    assert!(bodies.iter().all(|body| body.get("max_tokens").is_none()), "nobody set a limit");
    assert!(bodies.iter().all(|body| body.get("max_completion_tokens").is_none()));
    assert!(bodies.iter().all(|body| body.get("reasoning_effort").is_none()));
    assert!(asked.iter().all(|request| request.headers["authorization"] == "Bearer none"));
}

/// A key in the environment is sent only to its own provider.
#[test]
fn keys() {
    let (sandbox, provider) = asking("openai", vec![Reply::openai("hi")]);
    provider.serve(&sandbox, "observer", "openai");
    let run = || {
        let mut command = sandbox.command(&["model", "check", "observer"]);
        command.env("OPENAI_API_KEY", "their-own-key");
        outcome(command)
    };
    assert!(run().ok().ends_with(" ms: hi\n"));
    let asked = provider.requests();
    assert!(!format!("{asked:?}").contains("their-own-key"), "{asked:?}");
    for (settings, message) in [
        (
            json!({"provider": "anthropic", "model": "m"}),
            "there is no key for anthropic: ANTHROPIC_API_KEY is not set",
        ),
        (
            json!({"provider": "gemini", "model": "m", "apiKeyEnv": "NOT_THERE", "endpoint": "http://localhost:1"}),
            "there is no key for gemini: NOT_THERE is not set",
        ),
        (json!({"provider": "openai", "model": " "}), "observer.model is not set"),
        (
            json!({"provider": "ollama"}),
            "observer.model is not set, and gpt-5-nano is a model of openai's",
        ),
        (json!({"provider": "command"}), "observer.command is not set"),
        (json!({"provider": "none"}), "no language model is set for the observer"),
    ] {
        configure(&sandbox, "observer", settings);
        let refused = run().refused();
        assert!(refused.contains(message), "{refused}");
    }
    for place in ["nonsense", "ftp://localhost", "http://", "http://u:p@localhost/", "file:///etc"]
    {
        configure(&sandbox, "observer", json!({"provider": "openai", "endpoint": place}));
        let refused = run().refused();
        assert!(refused.contains("observer.endpoint is not the address of a server"), "{refused}");
    }
    assert_eq!(provider.requests().len(), 1);
}

/// Status and message of each error, the number of requests, and a word of the hint.
#[test]
fn errors() {
    for (name, recorded, count, message, hint) in [
        ("openai", "openai-401", 1, "answered 401: Incorrect API key provided: [the key].", KEY.0),
        ("anthropic", "anthropic-401", 1, "answered 401: invalid x-api-key", KEY.0),
        ("gemini", "gemini-400", 1, "answered 400: API key not valid.", "config show --all"),
        ("ollama", "ollama-404", 1, "answered 404: model 'qwen2.5:7b' not found", "observer.model"),
        ("openai", "openai-500", 3, "answered 500: The server had an error", "later"),
        ("anthropic", "anthropic-529", 3, "answered 529: Overloaded", "later"),
        ("gemini", "gemini-503", 3, "answered 503: The model is overloaded.", "later"),
        ("ollama", "ollama-500", 3, "answered 500: model runner has unexpectedly", "later"),
        ("openai", "openai-length", 1, "was cut off by its limit of tokens", "maxOutputTokens"),
        ("openai", "openai-filter", 1, "refused to answer (content_filter)", "another model"),
        ("anthropic", "anthropic-refusal", 1, "refused to answer (refusal)", "another model"),
        ("gemini", "gemini-blocked", 1, "refused to answer (PROHIBITED_CONTENT)", "another model"),
    ] {
        let (sandbox, provider) = asking(name, vec![Reply::recorded(recorded); 4]);
        let (said, todo) = trouble(&sandbox);
        assert!(said.starts_with(&format!("{name} test-model {message}")), "{recorded}: {said}");
        assert!(todo.contains(hint), "{recorded}: {todo}");
        assert_eq!(provider.requests().len(), count, "{recorded}");
    }
}

#[test]
fn odd_answers() {
    let json = |body: &str| Reply::recorded("openai").body(body);
    let html = json("<html>hello</html>").header("content-type", "text/html");
    for (reply, count, message) in [
        (json("{\"choices\": [{\"mess"), 1, "gave what is no answer"),
        (html.clone(), 1, "gave what is no answer"),
        (html.status(502), 3, "answered 502"),
        (json("{\"error\": {\"message\": \"no credit\"}}"), 1, "answered: no credit"),
        (json("{}"), 1, "gave an empty answer"),
        (json("[]"), 1, "gave an empty answer"),
        (Reply::openai(" \n"), 1, "gave an empty answer"),
        (Reply::openai("<think>hm</think>\n"), 1, "gave an empty answer"),
        (Reply::openai(&"é".repeat(2 << 20)).body(""), 1, "gave what is no answer"),
        (Reply::openai(&"é.".repeat(2 << 20)), 1, "gave more than 4 MiB"),
        (Reply::openai("hello").cut(), 3, "cannot be reached at http://127.0.0.1"),
        (json("").status(418).body("\u{1b}[31m no\u{202e}"), 1, "answered 418: [31m no"),
    ] {
        let (sandbox, provider) = asking("openai", vec![reply; 4]);
        let (said, _) = trouble(&sandbox);
        assert!(said.starts_with(&format!("openai test-model {message}")), "{said}");
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
        assert_eq!(provider.requests().len(), count, "{said}");
    }
    let (sandbox, _provider) = asking("ollama", vec![Reply::ollama("<think>hm</think>\n\nyes\n")]);
    assert_eq!(answer(&sandbox), "yes");
}

#[test]
fn what_is_tried_again() {
    let replies = |wait: &str| {
        let full = Reply::recorded("openai-429").header("retry-after", wait);
        vec![full, Reply::openai("hi"), Reply::openai("ho")]
    };
    let (sandbox, provider) = asking("openai", replies("0"));
    assert_eq!((answer(&sandbox).as_str(), provider.requests().len()), ("hi", 2));
    let (sandbox, provider) = asking("openai", replies("1"));
    let start = Instant::now();
    assert_eq!((answer(&sandbox).as_str(), provider.requests().len()), ("hi", 2));
    assert!(start.elapsed() >= Duration::from_secs(1), "it waits as it is told");
    // A wait beyond the time limit is not begun.
    let (sandbox, provider) = asking("openai", replies("3600"));
    let start = Instant::now();
    assert!(trouble(&sandbox).0.contains("answered 429: Rate limit reached"));
    assert!(start.elapsed() < Duration::from_mins(1));
    assert_eq!(provider.requests().len(), 1);
    let cut = vec![Reply::anthropic("hi").cut(), Reply::anthropic("ho")];
    let (sandbox, provider) = asking("anthropic", cut);
    assert_eq!((answer(&sandbox).as_str(), provider.requests().len()), ("ho", 2));
}

/// The built-in prompts equal the files in the repository.
#[test]
fn rules() {
    let sandbox = Sandbox::new("empty");
    for name in ["observer", "reflector", "reflector-aggressive", "dream"] {
        let text =
            std::fs::read_to_string(repository().join(format!("prompts/{name}.md"))).unwrap();
        assert_eq!(sandbox.run(&["config", "show", "--prompt", name]).ok(), text);
        let path = sandbox.home().join(format!(".pi/agent/memory-prompts/{name}.md"));
        let said = sandbox.run(&["config", "show", "--origin", "--prompt", name]).ok();
        assert_eq!(said.trim_end(), path.to_str().unwrap());
    }
}

/// A variable of another program is used if ours is not set.
#[test]
fn another_name() {
    let sandbox = Sandbox::new("empty");
    let get = |variables: &[(&str, &str)]| {
        let mut command = sandbox.command(&["config", "get", "dream.intervalHours", "--json"]);
        outcome({
            command.envs(variables.iter().copied());
            command
        })
    };
    let (ours, theirs) = ("PIMEM_DREAM_INTERVAL_HOURS", "PI_DREAM_INTERVAL_HOURS");
    let said = get(&[(theirs, "6")]).json();
    assert_eq!((&said["value"], &said["origin"]), (&json!(6), &json!(theirs)));
    let said = get(&[(theirs, "6"), (ours, "4")]).json();
    assert_eq!((&said["value"], &said["origin"]), (&json!(4), &json!(ours)));
    assert!(get(&[(theirs, "25")]).refused().contains("PI_DREAM_INTERVAL_HOURS"));
}

/// No request exceeds its time limit.
#[test]
fn the_time_limit() {
    let body = " ".repeat(1 << 12);
    let slow = Reply::openai("hi").after(Duration::from_secs(30));
    for reply in [Reply::hang(), slow, Reply::openai("").body(body).endless()] {
        let (sandbox, provider) = asking("openai", vec![reply; 4]);
        let mut settings = settings(&provider, "openai", "test-model");
        settings["timeoutSeconds"] = json!(1);
        configure(&sandbox, "observer", settings);
        let start = Instant::now();
        let (said, hint) = trouble(&sandbox);
        assert_eq!(said, "openai test-model did not answer within 1 s");
        assert_eq!(hint, "observer.timeoutSeconds sets how long to wait");
        let took = start.elapsed();
        assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(20), "{took:?}");
        assert_eq!(provider.requests().len(), 1);
    }
}

/// Bytes that arrive now and then do not extend the time limit.
#[test]
fn a_server_that_drips() {
    let (sandbox, provider) = asking("openai", vec![Reply::openai("hi").dripping()]);
    let mut settings = settings(&provider, "openai", "test-model");
    settings["timeoutSeconds"] = json!(2);
    configure(&sandbox, "observer", settings);
    let start = Instant::now();
    assert_eq!(trouble(&sandbox).0, "openai test-model did not answer within 2 s");
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(provider.requests().len(), 1);
}

/// Only the variables that concern an address choose a proxy, which sees no key.
#[cfg(target_os = "linux")]
#[test]
fn proxies() {
    for (variables, count) in [
        (&["HTTPS_PROXY"][..], 3),
        (&["https_proxy"], 3),
        (&["ALL_PROXY"], 3),
        (&["HTTP_PROXY", "http_proxy"], 0),
        (&["HTTPS_PROXY", "NO_PROXY"], 0),
        (&["all_proxy", "no_proxy"], 0),
    ] {
        let proxy = Provider::start(vec![Reply::openai("").status(502); 3]);
        let (sandbox, server) = asking("openai", Vec::new());
        let mut settings = settings(&server, "openai", "test-model");
        // An address of this machine that is no loopback address, where nobody listens.
        settings["endpoint"] = json!("https://0.0.0.0:1/v1/");
        configure(&sandbox, "observer", settings);
        let mut command = sandbox.command(&["model", "check", "observer"]);
        for name in variables {
            let is_exempt = name.eq_ignore_ascii_case("NO_PROXY");
            command.env(name, if is_exempt { "example.org, 0.0.0.0/8" } else { proxy.endpoint() });
        }
        command.env(KEY.0, KEY.1);
        let refused = outcome(command).refused();
        assert!(refused.contains("cannot be reached at https://0.0.0.0:1/v1/: "), "{refused}");
        let asked = proxy.requests();
        assert_eq!(asked.len(), count, "{variables:?}: {refused}");
        assert!(asked.iter().all(|request| request.path == "0.0.0.0:1"), "{asked:?}");
        assert!(!format!("{asked:?}{refused}").contains(KEY.1), "{asked:?}");
    }
    let (sandbox, _server) = asking("openai", Vec::new());
    configure(&sandbox, "observer", json!({"provider": "openai", "endpoint": "https://0.0.0.0:1"}));
    let mut command = sandbox.command(&["model", "check", "observer"]);
    command.env("HTTPS_PROXY", "ftp://harbor:neap-and-spring@localhost");
    let refused = outcome(command).refused();
    assert!(refused.contains("HTTPS_PROXY is not an address"), "{refused}");
    assert!(!refused.contains("neap-and-spring"), "{refused}");
}

#[test]
fn redirects_and_proxies() {
    let other = Provider::start(vec![Reply::openai("theirs"); 4]);
    for status in [301, 302, 307, 308] {
        let to = Reply::openai("").status(status).header("location", other.endpoint());
        let (sandbox, provider) = asking("openai", vec![to; 4]);
        let (said, hint) = trouble(&sandbox);
        assert!(said.starts_with(&format!("openai test-model answered {status}")), "{said}");
        assert!(hint.contains("redirects are not followed"), "{hint}");
        assert_eq!(provider.requests().len(), 1);
    }
    // Local servers are not reached through a proxy.
    let (sandbox, provider) = asking("openai", vec![Reply::openai("mine")]);
    let mut command = sandbox.command(&["model", "check", "observer"]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"] {
        command.env(name, other.endpoint());
    }
    assert!(
        outcome({
            command.env(KEY.0, KEY.1);
            command
        })
        .ok()
        .ends_with("ms: mine\n")
    );
    assert_eq!((provider.requests().len(), other.requests().len()), (1, 0));
    // No server listens at the address.
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let endpoint = format!("http://{closed}");
    let settings = json!({"provider": "ollama", "endpoint": endpoint, "model": "qwen3:8b"});
    configure(&sandbox, "observer", settings);
    let (said, hint) = trouble(&sandbox);
    let want = format!("ollama qwen3:8b cannot be reached at http://{closed}/: ");
    assert!(said.starts_with(&want) && said.contains("refused"), "{said}");
    assert!(hint.contains("observer.endpoint"), "{hint}");
}

/// Without certificates, no https request succeeds.
#[cfg(target_os = "linux")]
#[test]
fn certificates() {
    let (sandbox, provider) = asking("openai", vec![Reply::openai("hi")]);
    let mut settings = settings(&provider, "openai", "test-model");
    settings["endpoint"] = json!(provider.endpoint().replace("http:", "https:"));
    configure(&sandbox, "observer", settings);
    assert!(trouble(&sandbox).0.contains("cannot be "), "reached, or even asked");
    let mut command = sandbox.command(&["model", "check", "observer"]);
    command.env(KEY.0, KEY.1).env("SSL_CERT_FILE", "/no").env("SSL_CERT_DIR", "/no");
    let refused = outcome(command).refused();
    assert!(refused.contains("SSL_CERT_FILE names others"), "{refused}");
    assert_eq!(provider.requests().len(), 0);
}

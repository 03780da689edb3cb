//! Sessions with `pimem mcp` as data: `tests/it/mcp/*.txt`.
//!
//! `> ` is a line of the client and `< ` what the server says before it waits for the next one.
//! `store: NAME` or `store: NAME untrusted` names the fixture, `args:` the options, and `! ` is a
//! shell command in between. Everything else is a remark. `PIMEM_BLESS=1` accepts what is said now.

use std::{fs, path::Path};

use serde_json::Value;

use crate::common::{bless, client::Client, repository, sandbox::Sandbox};

#[test]
fn transcripts() {
    let dir = repository().join("tests/it/mcp");
    let mut paths: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 5, "{paths:?}");
    let wrong: Vec<String> = paths.iter().filter_map(|path| wrong(path)).collect();
    let renew = "PIMEM_BLESS=1 cargo test --test it mcp_transcripts:: accepts it";
    assert!(wrong.is_empty(), "{}\n{renew}", wrong.join("\n"));
}

/// Plays a session. Returns the first difference.
fn wrong(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).unwrap();
    let said = play(&text);
    if bless() {
        fs::write(path, &said).unwrap();
    }
    let mut lines = (1..).zip(text.lines().zip(said.lines()));
    let differs = lines.find(|(_, (known, said))| known != said);
    let differs = differs.map(|(at, (known, said))| format!("{at}:\n{known}\n{said}"));
    let length =
        (text.lines().count() != said.lines().count()).then(|| "another length".to_owned());
    differs.or(length).filter(|_| !bless()).map(|why| format!("{}: {why}", path.display()))
}

fn play(text: &str) -> String {
    let setting =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let sandbox = match setting("store").unwrap_or("empty").split_once(' ') {
        Some((name, _)) => Sandbox::cloned(name),
        None => Sandbox::new(setting("store").unwrap_or("empty")),
    };
    let args = setting("args").unwrap_or_default().split_whitespace();
    let args: Vec<&str> = ["mcp"].into_iter().chain(args).collect();
    let mut client = Client::start(sandbox.command(&args));
    let mut said = String::new();
    // Requests that are not answered yet.
    let mut open: Vec<Value> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with("< ")) {
        said.push_str(line);
        said.push('\n');
        if let Some(command) = line.strip_prefix("! ") {
            sandbox.shell(command).done();
        }
        let Some(message) = line.strip_prefix("> ") else { continue };
        client.say(&message.replace("$PROJECT", &sandbox.project().to_string_lossy()));
        let message = serde_json::from_str::<Value>(message);
        let is_method = |message: &Value| message.get("method").is_some();
        match &message {
            Ok(message) if is_method(message) => open.extend(message.get("id").cloned()),
            // An answer to the server.
            Ok(message) if message.get("result").is_some() => {}
            // Whatever is no message is answered by an error without an id.
            _ => open.push(Value::Null),
        }
        while !open.is_empty() {
            let Some(answer) = client.hear() else { break };
            let shown = sandbox.normal(&answer.to_string());
            let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
            said.push_str(&format!("< {}\n", shown.replace(&version, "\"version\":\"VERSION\"")));
            if is_method(&answer) {
                break;
            }
            let batch = answer.as_array().cloned().unwrap_or_else(|| vec![answer.clone()]);
            open.retain(|id| !batch.iter().any(|answer| answer["id"] == *id || id.is_null()));
        }
    }
    assert_eq!(client.end(), (Some(0), String::new()));
    said
}

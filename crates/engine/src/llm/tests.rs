//! Tests of what is sent to a model.

#![cfg(unix)]

use super::*;
use crate::config::layers::SettingOrigin;

/// Creates a service with this command.
fn service(command: &str) -> Service {
    let file = serde_json::json!({"observer": {"provider": "command", "command": command}});
    let files = [(SettingOrigin::User("memory.json".into()), file.to_string())];
    let config = Config::load(&files, &Env::default());
    Service::of(&config, &Env::default(), ModelRole::Observer).unwrap().unwrap()
}

/// The question contains no secrets or private text, and is otherwise unchanged.
#[test]
fn what_is_sent() {
    let token = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let dashes = "-".repeat(5);
    let key =
        format!("{dashes}BEGIN EC PRIVATE KEY{dashes}\nMHc\n{dashes}END EC PRIVATE KEY{dashes}");
    let text = format!(
        "Date: 2026-06-30\n- [!] 14:30 é <private>a\nb</private>used {token}\n  - deeper\n{key}\n\nend"
    );
    let rules = format!("Leave out what is in <private>.\n{token}");
    let sent = service("cat").ask(Question { rules: &rules, text: &text }).unwrap();
    let want = "Leave out what is in <private>.\n[redacted: a GitHub token]\n\n\
                Date: 2026-06-30\n- [!] 14:30 é used [redacted: a GitHub token]\n  - deeper\n\
                [redacted: a private key]\n\nend";
    assert_eq!(sent, want);
}

/// Sends more than a pipe holds to a program that writes as much before it reads.
#[test]
fn nobody_waits_for_the_other() {
    let text = "word ".repeat(200_000);
    let question = Question { rules: "", text: &text };
    let answer = service("yes | head -c 2000000; cat").ask(question).unwrap();
    assert_eq!(answer.len(), 2_000_000 + 2 + text.trim_end().len());
    assert_eq!(
        service("exit 0; cat").ask(question).unwrap_err().message,
        "command gave an empty answer"
    );
}

#[test]
fn a_key_is_not_printed() {
    let key = ApiKey { variable: "A_KEY".to_owned(), value: "s3cret".to_owned() };
    assert_eq!(format!("{:?}", Some(key)), "Some(Key(A_KEY))");
}

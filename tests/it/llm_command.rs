//! Programs as language models, which may misbehave.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::common::{
    provider::{command, configure},
    sandbox::{Outcome, Sandbox},
};

fn check(sandbox: &Sandbox) -> Outcome {
    sandbox.run(&["model", "check", "observer"])
}

/// Returns a sandbox whose observer is this script.
fn script(text: &str) -> Sandbox {
    let sandbox = Sandbox::new("empty");
    command(&sandbox, "observer", text);
    sandbox
}

#[test]
fn a_program_answers() {
    let sandbox = script("cat > asked; echo; echo \" $PIMEM_OFF \"; echo noise >&2");
    let said = sandbox.run(&["model", "check", "observer", "--json"]).json();
    // An agent run as a model has hooks, which must not call pimem again.
    assert_eq!((&said["answer"], &said["model"]), (&json!("1"), &json!("command")));
    let asked = fs::read_to_string(sandbox.project().join("asked")).unwrap();
    assert_eq!(asked, "Answer with one word.\n\nSay hello.\n");
    // Scripts that do not read their input, close it, or omit the final line break.
    for text in ["printf hi", "exec <&-; printf hi", "printf hi; exec >&- 2>&-; sleep 0.1"] {
        assert!(check(&script(text)).ok().ends_with(" ms: hi\n"), "{text}");
    }
    // A shell command line, as a user would write it.
    let line = json!({"provider": "command", "command": "tr a-z A-Z | head -n 1"});
    configure(&sandbox, "observer", line);
    assert!(check(&sandbox).ok().ends_with(" ms: ANSWER WITH ONE WORD.\n"));
}

#[test]
fn a_program_fails() {
    for (text, message) in [
        ("exit 3", "pimem: the observer's command failed (exit status: 3)\n"),
        (
            "echo one >&2; echo ' two\u{1b}[31m ' >&2; echo >&2; exit 1",
            "(exit status: 1): two [31m\n",
        ),
        ("yes no | head -c 9999999 >&2; exit 1", "(exit status: 1): no\n"),
        ("true", "pimem: command gave an empty answer\n"),
        ("cat > /dev/null; yes", "pimem: command gave more than 4 MiB\n"),
        ("echo no >&2; sleep 1000 >&- & exit 1", "failed (exit status: 1)\n"),
    ] {
        let refused = check(&script(text)).refused();
        assert!(refused.contains(message), "{text}: {refused}");
        assert!(refused.contains("\nhint: "), "{refused}");
    }
    let sandbox = Sandbox::new("empty");
    let line = |line: &str| {
        configure(&sandbox, "observer", json!({"provider": "command", "command": line}));
        check(&sandbox).refused()
    };
    assert!(line("kill -9 $$").contains("command failed (signal: 9 (SIGKILL))\n"));
    let refused = line("no-such-program --x");
    assert!(
        refused.contains("failed (exit status: 127): ") && refused.contains("not found"),
        "{refused}"
    );
    assert!(refused.contains("hint: observer.command names it"), "{refused}");
}

/// At its time limit, a program is killed with all its children.
#[test]
fn a_program_hangs() {
    for text in [
        "sleep 1000",
        "sh -c 'while :; do date +%s%N >> \"$0\"; sleep 0.05; done' beat",
        "trap '' TERM INT HUP; while :; do date +%s%N >> beat; sleep 0.05; done",
        "(while :; do date +%s%N >> beat; sleep 0.05; done) & echo hi",
        "while :; do echo x; date +%s%N >> beat; sleep 0.05; done",
    ] {
        let sandbox = script(text);
        let path = sandbox.root().join("observer.sh");
        let settings = json!({"provider": "command", "command": path, "timeoutSeconds": 1});
        configure(&sandbox, "observer", settings);
        let start = Instant::now();
        let refused = check(&sandbox).refused();
        assert!(start.elapsed() < Duration::from_secs(20), "{text}");
        let want = "pimem: command did not answer within 1 s\n\
                    hint: observer.timeoutSeconds sets how long to wait\n";
        assert_eq!(refused, want, "{text}");
        let beat = || fs::read_to_string(sandbox.project().join("beat")).unwrap_or_default();
        let last = beat();
        assert_eq!(last.is_empty(), text.starts_with("sleep"), "{text}");
        thread::sleep(Duration::from_millis(300));
        assert_eq!(beat(), last, "{text}: something goes on");
    }
}

/// Settings that were not written or reviewed on this machine name no program and no address.
#[test]
fn a_clone_names_no_program() {
    let sandbox = Sandbox::cloned("harbor");
    let hostile = "{\n  \"report\": {\"budget\": 900},\n  \"observer\": {\n    \"provider\": \"command\",\n    \
                   \"command\": \"touch planted; echo hi\", \"temperature\": 1\n  },\n  \
                   \"dream\": {\"llm\": true}\n}\n";
    sandbox.configure(hostile);
    let place = sandbox.project().join(".pi/memory.json").display().to_string();
    let note = format!("{place}:4: observer.provider and 2 more count after pimem trust\n");
    for args in [&["model", "check", "observer"][..], &["list"], &["report"], &["rebuild"]] {
        let done = sandbox.run(args);
        assert!(done.stderr.starts_with(&note), "{args:?}: {done:?}");
        let mut quiet = args.to_vec();
        quiet.push("-q");
        assert!(!sandbox.run(&quiet).stderr.contains("count after"), "{args:?}");
    }
    let refused = check(&sandbox).refused();
    assert!(refused.contains("no language model is set for the observer"), "{refused}");
    let start =
        json!({"session_id": "s", "cwd": sandbox.project(), "hook_event_name": "SessionStart"});
    let hook = sandbox.pipe(&["hook", "claude", "session-start"], start.to_string());
    assert!(!hook.ok().contains("planted"));
    // Harmless settings take effect at once.
    let get = |key: &str| sandbox.run(&["config", "get", key, "-q"]).done();
    assert_eq!(
        (get("report.budget").as_str(), get("observer.temperature").as_str()),
        ("900\n", "1\n")
    );
    assert_eq!(
        (get("observer.provider").as_str(), get("dream.llm").as_str()),
        ("none\n", "false\n")
    );
    let shown = sandbox.run(&["config", "show", "--origin", "--json", "-q"]).json();
    let row = |key: &str| -> Value {
        let rows = shown["settings"].as_array().unwrap();
        rows.iter().find(|row| row["key"] == key).unwrap().clone()
    };
    assert_eq!(row("observer.provider")["origin"], "default");
    let awaiting = json!({"value": "command", "place": format!("{place}:4")});
    assert_eq!(row("observer.provider")["awaiting"], awaiting);
    assert_eq!(row("observer.temperature").get("awaiting"), None);

    // Naming the store by an option or a variable is not a review.
    let named = sandbox.store().display().to_string();
    sandbox.run(&["model", "check", "observer", "--dir", &named]).refused();

    // Reviewed, all together.
    let list = sandbox.run(&["trust"]);
    assert_eq!(list.code, 1);
    let told = format!(
        "+ settings of {place}\n    dream.llm = true\n    observer.command = \"touch planted; echo hi\"\n    \
         observer.provider = \"command\"\n    warning: it decides what is run, what is sent, and to whom\n"
    );
    assert!(list.stdout.contains(&told), "{}", list.stdout);
    assert!(!sandbox.project().join("planted").exists(), "nothing has run");
    let trusted = sandbox.run(&["trust", "--all"]).done();
    assert!(trusted.contains(&told), "what is odd is shown: {trusted}");
    assert!(check(&sandbox).ok().ends_with(" ms: hi\n"));
    assert!(sandbox.project().join("planted").exists());
    assert_eq!(sandbox.run(&["trust", "-q"]).code, 0);
    // Harmless settings may change after the review, others must be reviewed again.
    sandbox.configure(&hostile.replace("900", "800"));
    assert!(check(&sandbox).ok().ends_with(" ms: hi\n"));
    fs::remove_file(sandbox.project().join("planted")).unwrap();
    for (from, to) in [("echo hi", "echo ho"), ("\"llm\": true", "\"applyModel\": true")] {
        sandbox.configure(&hostile.replace(from, to));
        check(&sandbox).refused();
    }
    sandbox.configure(hostile);
    sandbox.run(&["trust", "--revoke"]).done();
    check(&sandbox).refused();
    assert!(!sandbox.project().join("planted").exists());
}

/// Settings made here are trusted, and do not make others trusted.
#[test]
fn settings_that_are_made_here() {
    let sandbox = Sandbox::new("harbor");
    let set = |key: &str, value: &str| sandbox.run(&["config", "set", key, value]);
    set("observer.provider", "command").ok();
    set("observer.command", "echo mine").ok();
    assert!(check(&sandbox).ok().ends_with(" ms: mine\n"));
    assert_eq!(sandbox.run(&["trust"]).code, 0);
    // A pull changes one setting, and the user another.
    let path = sandbox.project().join(".pi/memory.json");
    let text = fs::read_to_string(&path).unwrap().replace("echo mine", "touch planted");
    fs::write(&path, text).unwrap();
    let said = set("dream.llm", "true");
    assert!(said.stderr.contains("were not made here: pimem trust shows them"), "{said:?}");
    let named = sandbox.store().display().to_string();
    sandbox.run(&["config", "set", "dream.llm", "false", "--dir", &named]).done();
    check(&sandbox).refused();
    assert!(!sandbox.project().join("planted").exists());
    // A variable overrides the file, and settings not permitted in a project stay refused.
    let refused = set("telemetry.enabled", "false").refused();
    assert!(refused.contains("a project's file may not set telemetry.enabled"), "{refused}");
}

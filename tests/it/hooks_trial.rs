//! `pimem hooks test` runs the installed commands as the agent would, and changes no user data.

use std::{fs, path::Path};

use serde_json::Value;

use crate::common::{
    sandbox::{PIMEM, Sandbox, outcome},
    write_program,
};

/// Returns a sandbox in which agents find this script under the name `pimem`.
fn sandbox(script: &str) -> Sandbox {
    let sandbox = Sandbox::new("hand-written");
    let bin = sandbox.root().join("bin/pimem");
    let start = "#!/bin/sh\n[ \"$1\" = --version ] && echo pimem 0 && exit\n";
    write_program(&bin, &format!("{start}{script}\n"));
    sandbox
}

/// Runs the trial. Returns the exit code and the hooks.
fn trial(sandbox: &Sandbox, agent: &str) -> (i32, Vec<Value>) {
    let mut command = sandbox.command(&["hooks", "test", agent, "--json"]);
    let bin = sandbox.root().join("bin");
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let done = outcome(command);
    let document: Value = serde_json::from_str(&done.stdout).expect(&done.stderr);
    (done.code, document["hooks"].as_array().unwrap().clone())
}

fn install(sandbox: &Sandbox, agent: &str) {
    let done = sandbox.run(&["hooks", "install", agent]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    if agent == "codex" {
        trust_codex(sandbox);
    }
}

/// Trusts all hooks of Codex, as Codex notes it.
fn trust_codex(sandbox: &Sandbox) {
    let dir = sandbox.home().join(".codex");
    let events = [
        "session_start",
        "subagent_start",
        "user_prompt_submit",
        "pre_tool_use",
        "post_tool_use",
        "pre_compact",
        "stop",
        "session_end",
    ];
    let table = |event: &str| {
        let hooks = dir.join("hooks.json").display().to_string();
        format!("[hooks.state.\"{hooks}:{event}:0:0\"]\ntrusted_hash = \"sha256:9f86d081\"\n")
    };
    fs::write(dir.join("config.toml"), events.map(table).concat()).unwrap();
}

#[test]
fn hooks_that_codex_does_not_run_yet() {
    let sandbox = sandbox("echo '{}'");
    let done = sandbox.run(&["hooks", "install", "codex"]);
    assert!(done.stdout.contains("choose to trust the hooks"), "{}", done.stdout);
    let status = |sandbox: &Sandbox| {
        let done = sandbox.run(&["hooks", "status", "--json"]);
        let status: Value = serde_json::from_str(&done.stdout).unwrap();
        let files = status["files"].as_array().unwrap().clone();
        let codex = files.into_iter().find(|file| file["agent"] == "codex").unwrap();
        (codex["state"].as_str().unwrap().to_owned(), codex["untrusted"].as_u64())
    };
    assert_eq!(status(&sandbox), ("untrusted".to_owned(), Some(8)));
    let (code, hooks) = trial(&sandbox, "codex");
    assert_eq!(code, 1);
    assert!(hooks[0]["problem"].as_str().unwrap().contains("8 of 8 are not trusted yet"));
    trust_codex(&sandbox);
    assert_eq!(status(&sandbox), ("installed".to_owned(), None));
    assert_eq!(trial(&sandbox, "codex").0, 0);
}

#[test]
fn a_project_s_hooks_are_played_where_the_user_has_none() {
    let sandbox = sandbox("echo '{}'");
    sandbox.run(&["hooks", "install", "claude", "--project"]).done();
    let (code, hooks) = trial(&sandbox, "claude");
    assert_eq!((code, hooks.len()), (0, 9), "{hooks:?}");
}

#[test]
fn every_agent_is_played() {
    // Records its input and prints an answer that every agent accepts.
    let sandbox = sandbox(
        "cat >> \"$HOME/told\"; echo >> \"$HOME/told\"; pwd >> \"$HOME/where\"\n\
         echo \"$PIMEM_DIR $PIMEM_USER_DIR\" >> \"$HOME/where\"; echo '{}'",
    );
    let agents = ["claude", "codex", "gemini", "antigravity", "cursor", "opencode", "pi"];
    for (agent, count) in agents.into_iter().zip([9, 8, 7, 3, 7, 7, 8]) {
        install(&sandbox, agent);
        let (code, hooks) = trial(&sandbox, agent);
        assert_eq!((code, hooks.len()), (0, count), "{hooks:?}");
        let told = fs::read_to_string(sandbox.home().join("told")).unwrap();
        assert_eq!(told.lines().count(), count);
        for line in told.lines() {
            let input: Value = serde_json::from_str(line).unwrap();
            let project = match agent {
                "antigravity" => &input["workspacePaths"][0],
                "cursor" => &input["workspace_roots"][0],
                _ => &input["cwd"],
            };
            assert!(project.as_str().unwrap().contains("/cache/pimem/trials/"), "{line}");
        }
        fs::remove_file(sandbox.home().join("told")).unwrap();
    }
    let places = fs::read_to_string(sandbox.home().join("where")).unwrap();
    let trials = sandbox.cache().join("pimem/trials");
    assert!(places.split_whitespace().all(|place| Path::new(place).starts_with(&trials)));
    assert_eq!(fs::read_dir(trials).unwrap().count(), 0, "trials are cleared away");
}

#[test]
fn nothing_of_the_user_s_is_touched() {
    // The real program with a command that writes, in place of the hook.
    let sandbox = sandbox(&format!("exec {PIMEM} add \"$*, as hooks do\""));
    install(&sandbox, "claude");
    let before = (sandbox.tree(), sandbox.run(&["list", "--user"]));
    let (code, hooks) = trial(&sandbox, "claude");
    assert_eq!((code, hooks.len()), (1, 9), "what add prints is no answer");
    assert_eq!((sandbox.tree(), sandbox.run(&["list", "--user"])), before);
}

#[test]
fn what_takes_too_long_is_stopped() {
    let sandbox = sandbox("case $3 in stop) sleep 30;; prompt) sleep 30 & ;; esac; echo '{}'");
    install(&sandbox, "codex");
    let path = sandbox.home().join(".codex/hooks.json");
    let text = fs::read_to_string(&path).unwrap();
    let text = text
        .replace("\"timeout\": 10", "\"timeout\": 1")
        .replace("\"timeout\": 5", "\"timeout\": 1");
    fs::write(&path, text).unwrap();
    let (code, hooks) = trial(&sandbox, "codex");
    assert_eq!(code, 1);
    let problem = |event: &str| {
        let hook = hooks.iter().find(|hook| hook["event"] == event).unwrap();
        hook["problem"].as_str().unwrap_or("").to_owned()
    };
    assert_eq!(problem("Stop"), "no answer within 1 s");
    assert_eq!(problem("UserPromptSubmit"), "something that it started keeps its output open");
    assert_eq!(problem("SessionStart"), "");
}

#[test]
fn a_command_that_only_looks_like_ours_is_not_run() {
    let sandbox = sandbox("echo '{}'");
    let path = sandbox.home().join(".codex/hooks.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mark = sandbox.root().join("mark").display().to_string();
    let line = format!("$(touch${{IFS}}{mark})/pimem hook codex stop");
    let commands = [line.as_str(), "pimem hook codex stop;true", "/nowhere/pimem hook codex stop"];
    let hooks = commands.map(|command| serde_json::json!({"type": "command", "command": command}));
    let settings = serde_json::json!({"hooks": {"Stop": [{"hooks": hooks}]}});
    fs::write(&path, settings.to_string()).unwrap();
    let (code, hooks) = trial(&sandbox, "codex");
    // The first row says that Codex does not trust them.
    let problems = hooks.iter().skip(1).map(|hook| hook["problem"].as_str().unwrap());
    let problems: Vec<&str> = problems.collect();
    assert_eq!(code, 1);
    assert!(problems[0].ends_with("is not in the PATH"), "{problems:?}");
    assert_eq!(problems[1], "Codex has no event stop;true");
    assert_eq!(problems[2], "there is no program /nowhere/pimem");
    assert!(!Path::new(&mark).exists());
}

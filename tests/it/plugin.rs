//! The plugin tree: its files are up to date and of the published forms, and its hooks are silent
//! without the program and answer once beside installed ones.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};

use crate::{
    common::{
        repository,
        sandbox::{PIMEM, Sandbox},
    },
    generated::agrees,
};

/// Agents with hooks in the plugin, and the files of these.
const HOOKS: [(&str, &str); 3] = [
    ("claude", "plugin/hooks/hooks.json"),
    ("codex", "plugin/hooks/codex-hooks.json"),
    ("gemini", "plugin/gemini/hooks/hooks.json"),
];

const ABOUT: &str =
    "Memory for coding agents: found, scored and reported from markdown in the repository";

/// The manifests by path. Each says no more than its agent asks for.
fn manifests() -> Vec<(&'static str, Value)> {
    let version = env!("CARGO_PKG_VERSION");
    let license = env!("CARGO_PKG_LICENSE");
    let keywords = json!(["memory", "recall", "context", "mcp"]);
    let server = json!({"command": "pimem", "args": ["mcp"]});
    let about = |more: Value| {
        let mut manifest = json!({"name": "pimem", "version": version, "description": ABOUT,
            "author": {"name": "pimem"}, "license": license, "keywords": keywords});
        manifest.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        manifest
    };
    let schema = |name: &str| format!("https://agent-plugins.org/schemas/1.0.0/{name}.schema.json");
    vec![
        ("plugin/agent-plugins/plugin.json", about(json!({"$schema": schema("plugin")}))),
        (
            "plugin/agent-plugins/mcp.json",
            json!({"$schema": schema("mcp"), "mcpServers": {"pimem":
                {"type": "stdio", "command": "pimem", "args": ["mcp"]}}}),
        ),
        ("plugin/.mcp.json", json!({"mcpServers": {"pimem": server}})),
        ("plugin/.claude-plugin/plugin.json", about(json!({}))),
        (
            "plugin/.codex-plugin/plugin.json",
            about(json!({
                "skills": "./skills/", "mcpServers": "./.mcp.json",
                "hooks": "./hooks/codex-hooks.json",
                "interface": {
                    "displayName": "pimem",
                    "shortDescription": "Memory that outlives the context",
                    "longDescription": ABOUT,
                    "developerName": "pimem",
                    "category": "Productivity",
                    "capabilities": ["Read", "Write"],
                    "defaultPrompt": ["What do you remember about this project?"],
                },
            })),
        ),
        (
            "plugin/gemini/gemini-extension.json",
            json!({"name": "pimem", "version": version, "description": ABOUT, "mcpServers": {"pimem": server}}),
        ),
        (
            "plugin/server.json",
            json!({
                "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
                "name": "io.github.pimem/pimem", "title": "pimem", "description": ABOUT, "version": version,
                "packages": [
                    {"registryType": "pypi", "identifier": "pimem", "version": version, "runtimeHint": "uvx",
                        "transport": {"type": "stdio"}, "packageArguments": [{"type": "positional", "value": "mcp"}]},
                    {"registryType": "npm", "identifier": "pimem", "version": version, "runtimeHint": "npx",
                        "transport": {"type": "stdio"}, "packageArguments": [{"type": "positional", "value": "mcp"}]},
                ],
            }),
        ),
        (
            ".claude-plugin/marketplace.json",
            json!({"name": "pimem", "owner": {"name": "pimem"}, "description": ABOUT, "plugins": [
                {"name": "pimem", "source": "./plugin", "description": ABOUT}]}),
        ),
        (
            ".agents/plugins/marketplace.json",
            json!({"name": "pimem", "interface": {"displayName": "pimem"}, "plugins": [{
                "name": "pimem", "source": {"source": "local", "path": "./plugin"},
                "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                "category": "Productivity"}]}),
        ),
    ]
}

fn read(path: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(repository().join(path)).unwrap()).unwrap()
}

#[test]
fn the_tree_is_up_to_date() {
    let sandbox = Sandbox::new("empty");
    for (agent, path) in HOOKS {
        agrees(path, &sandbox.run(&["hooks", "print", agent, "--plugin"]).ok());
    }
    for (path, manifest) in manifests() {
        agrees(path, &format!("{manifest:#}\n"));
    }
}

/// What each format asks for; `tests/plugin/validate.py` has a validator read the published schemas.
#[test]
fn manifests_have_the_published_forms() {
    for name in ["plugin", "mcp"] {
        let schema = read(&format!("tests/plugin/{name}.schema.json"));
        let manifest = read(&format!("plugin/agent-plugins/{name}.json"));
        let members = manifest.as_object().unwrap();
        assert!(members.keys().all(|member| schema["properties"][member].is_object()), "{name}");
        let required = schema["required"].as_array().unwrap();
        assert!(
            required.iter().all(|member| members.contains_key(member.as_str().unwrap())),
            "{name}"
        );
        assert_eq!(manifest["$schema"], schema["properties"]["$schema"]["const"], "{name}");
    }
    let server = read("plugin/server.json");
    assert!(server["description"].as_str().unwrap().len() <= 100);
    let (space, name) = server["name"].as_str().unwrap().split_once('/').unwrap();
    assert!(space.starts_with("io.github.") && name == "pimem");

    let tree = |path: &str| repository().join("plugin").join(path);
    let codex = read("plugin/.codex-plugin/plugin.json");
    for member in ["skills", "mcpServers", "hooks"] {
        let path = codex[member].as_str().unwrap();
        assert!(path.starts_with("./") && tree(path).exists(), "{path}");
    }
    for marketplace in [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"] {
        let plugin = &read(marketplace)["plugins"][0];
        let source = plugin["source"].as_str().or(plugin["source"]["path"].as_str()).unwrap();
        let root = repository().join(source);
        assert!(root.join(".claude-plugin/plugin.json").exists(), "{source}");
        assert!(root.join(".codex-plugin/plugin.json").exists(), "{source}");
        // Codex takes that for a plugin without hooks, whatever its own manifest says.
        assert!(!root.join("plugin.json").exists(), "{source}");
    }
}

/// Each directory that is installed by itself has the skill.
#[test]
fn the_skill_is_one() {
    let skill = |root: &str| {
        fs::read_to_string(repository().join(root).join("skills/pimem/SKILL.md")).unwrap()
    };
    agrees("plugin/agent-plugins/skills/pimem/SKILL.md", &skill("plugin"));
}

/// The skill has the form of Agent Skills, and its commands are those of the program.
#[test]
fn the_skill_is_true() {
    let text = fs::read_to_string(repository().join("plugin/skills/pimem/SKILL.md")).unwrap();
    let (head, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let field = |name: &str| {
        let mut fields = head.lines().filter_map(|line| line.split_once(": "));
        fields.find(|(field, _)| *field == name).map(|(_, value)| value).unwrap()
    };
    assert_eq!(field("name"), "pimem");
    assert!(field("description").len() <= 1024 && field("compatibility").len() <= 500);
    assert!(body.lines().count() < 500);

    // Each is run as it is written.
    let sandbox = Sandbox::new("harbor");
    let mut count = 0;
    for line in body.lines().filter(|line| line.starts_with("pimem ")) {
        let done = shell(&sandbox, "/bin/sh", line, &program());
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
        count += 1;
    }
    assert_eq!(count, 12);
}

/// Returns the directory of the program.
fn program() -> PathBuf {
    Path::new(PIMEM).parent().unwrap().to_path_buf()
}

/// Runs a line in a shell whose PATH is one directory.
fn shell(sandbox: &Sandbox, shell: &str, line: &str, path: &Path) -> Output {
    let mut command = Command::new(shell);
    sandbox.place(&mut command);
    command.args(["-c", line]).env("PATH", path).output().unwrap()
}

/// The commands of a file of hooks, with the names of their events.
fn commands(path: &str) -> Vec<(String, String)> {
    let file = read(path);
    let events = file["hooks"].as_object().unwrap().iter();
    let command = |hook: &Value| hook["command"].as_str().unwrap().to_owned();
    events.map(|(event, groups)| (event.clone(), command(&groups[0]["hooks"][0]))).collect()
}

#[test]
fn hooks_are_those_of_the_installation() {
    let sandbox = Sandbox::new("empty");
    for (agent, path) in HOOKS {
        let installed: Value =
            serde_json::from_str(&sandbox.run(&["hooks", "print", agent]).done()).unwrap();
        let mut plugin = read(path)["hooks"].clone();
        for (event, groups) in installed["hooks"].as_object().unwrap() {
            let (mut want, here) = (groups[0].clone(), &mut plugin[event][0]);
            let words: Vec<&str> = want["hooks"][0]["args"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|word| word.as_str().unwrap())
                .collect();
            let command = want["hooks"][0]["command"].as_str().unwrap();
            let command = [&[command], &words[..]].concat().join(" ");
            let line = here["hooks"][0]["command"].as_str().unwrap();
            // Nothing that a PowerShell of Windows does not read.
            let same = match agent {
                "codex" => line.contains(&format!(" && {command} || ")),
                _ => line == format!("{command}; exit 0"),
            };
            assert!(same, "{line}");
            for hook in [&mut want["hooks"][0], &mut here["hooks"][0]] {
                let hook = hook.as_object_mut().unwrap();
                hook.retain(|member, _| {
                    !["command", "commandWindows", "args"].contains(&member.as_str())
                });
            }
            assert_eq!(*here, want, "{agent} {event}");
        }
        assert_eq!(
            plugin.as_object().unwrap().len(),
            installed["hooks"].as_object().unwrap().len()
        );
    }
}

/// A plugin comes without the program. Codex takes an empty answer to the end of a turn as a failure;
/// no agent shows what one that succeeds says on stderr.
#[test]
fn hooks_are_silent_without_the_program() {
    let sandbox = Sandbox::new("empty");
    let shells = ["/bin/sh", "/bin/bash", "/bin/zsh", "/usr/bin/fish"];
    let mut count = 0;
    for shell_of in shells.into_iter().filter(|shell| Path::new(shell).exists()) {
        for (agent, path) in HOOKS {
            for (event, line) in commands(path) {
                let done = shell(&sandbox, shell_of, &line, &sandbox.root().join("nowhere"));
                let want = if (agent, event.as_str()) == ("codex", "Stop") { "{}\n" } else { "" };
                let said = (done.status.code(), String::from_utf8_lossy(&done.stdout));
                assert_eq!(said, (Some(0), want.into()), "{shell_of} {agent} {event}");
                assert!(agent != "codex" || done.stderr.is_empty(), "{shell_of} {event}");
                count += 1;
            }
        }
    }
    assert!(count >= 19 * 2, "{count}");
}

/// Runs a hook of the plugin with an input.
fn by_plugin(sandbox: &Sandbox, path: &str, event: &str, input: &Value) -> String {
    let (_, line) = commands(path).into_iter().find(|(name, _)| name == event).unwrap();
    let mut command = Command::new("/bin/sh");
    sandbox.place(&mut command);
    let command = command.args(["-c", &line]).env("PATH", program());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn the_plugin_and_installed_hooks_answer_once() {
    let sandbox = Sandbox::new("working");
    for (agent, path) in HOOKS {
        let events: Vec<String> = commands(path).into_iter().map(|(event, _)| event).collect();
        for (event, word) in [(&events[0], "session-start"), (&events[1], "prompt")] {
            let prompt = "When does the spindle reach its speed?";
            let input = json!({"session_id": agent, "hook_event_name": event, "cwd": sandbox.project(),
                "source": "startup", "prompt": prompt});
            let installed = sandbox.pipe(&["hook", agent, word], input.to_string()).ok();
            let plugin = by_plugin(&sandbox, path, event, &input);
            let answers = [installed, plugin];
            let count = |text: &str| answers.iter().filter(|answer| answer.contains(text)).count();
            let told = count("4 s to reach speed");
            assert_eq!(told, usize::from(word == "session-start"), "{agent} {word}: {answers:?}");
        }
    }
}

/// Copies a directory of the repository.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// Puts the plugin where each agent's own program puts it.
fn with_plugins() -> Sandbox {
    let sandbox = Sandbox::new("working");
    let home = sandbox.home();
    let tree = repository().join("plugin");
    let cache = home.join(".claude/plugins/cache/pimem/pimem/0.1.0");
    copy(&tree, &cache);
    let enabled = r#"{"enabledPlugins": {"pimem@pimem": true}}"#;
    fs::write(home.join(".claude/settings.json"), enabled).unwrap();
    let noted = json!({"version": 2, "plugins": {"pimem@pimem": [{"installPath": cache}]}});
    fs::write(home.join(".claude/plugins/installed_plugins.json"), noted.to_string()).unwrap();
    copy(&tree, &home.join(".codex/plugins/cache/pimem/pimem/0.1.0"));
    fs::write(home.join(".codex/config.toml"), "[plugins.\"pimem@pimem\"]\nenabled = true\n")
        .unwrap();
    copy(&tree.join("gemini"), &home.join(".gemini/extensions/pimem"));
    sandbox
}

/// Has Codex trust the plugin's hooks, as it notes that.
fn trust_codex(sandbox: &Sandbox) {
    let path = sandbox.home().join(".codex/config.toml");
    let mut config = fs::read_to_string(&path).unwrap();
    for event in [
        "session_start",
        "subagent_start",
        "user_prompt_submit",
        "pre_tool_use",
        "post_tool_use",
        "pre_compact",
        "stop",
        "session_end",
    ] {
        let key = format!("pimem@pimem:hooks/codex-hooks.json:{event}:0:0");
        config.push_str(&format!("\n[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:9f86\"\n"));
    }
    fs::write(path, config).unwrap();
}

/// Calls pimem as each agent does by its plugin.
fn call_by_plugins(sandbox: &Sandbox) {
    for (agent, path) in HOOKS {
        let input = json!({"session_id": agent, "cwd": sandbox.project(), "source": "startup"});
        let (_, line) = commands(path).into_iter().next().unwrap();
        let mut command = Command::new("/bin/sh");
        sandbox.place(&mut command);
        if agent != "gemini" {
            command.env("CLAUDE_PLUGIN_ROOT", sandbox.home());
        }
        command.args(["-c", &line]).env("PATH", program());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
        child.wait().unwrap();
    }
}

/// The rows of `hooks status` that are about plugins: agent, state, and the last column.
fn plugin_rows(sandbox: &Sandbox) -> Vec<(String, String, String)> {
    let rows = sandbox.run(&["hooks", "status"]).stdout;
    let rows = rows.lines().map(|row| row.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let rows = rows.filter(|row| row.len() == 4 && row[1].contains("plugin"));
    rows.map(|row| (row[0].clone(), row[1].clone(), row[3].clone())).collect()
}

/// Only a call shows that a plugin works, and only one that works keeps `install --all` away.
#[test]
fn a_plugin_works_when_it_has_called() {
    let sandbox = with_plugins();
    let waits = "plugin installed, not called yet";
    let new = |agent: &str, state: &str| {
        (agent.to_owned(), state.to_owned(), "not called yet".to_owned())
    };
    let untrusted = "plugin installed, 8 of 8 not trusted yet";
    let want = vec![new("claude", waits), new("codex", untrusted), new("gemini", waits)];
    assert_eq!(plugin_rows(&sandbox), want);
    trust_codex(&sandbox);
    assert_eq!(plugin_rows(&sandbox)[1], new("codex", waits));
    let dry = sandbox.run(&["hooks", "install", "--all", "--dry-run"]);
    for (agent, title) in [("claude", "Claude Code"), ("codex", "Codex"), ("gemini", "Gemini CLI")]
    {
        let note = format!("{title} has pimem's plugin, which was not seen to call pimem");
        assert!(dry.stderr.contains(&note), "{agent}: {dry:?}");
        assert!(dry.stdout.contains(&format!("hook {agent}")) || agent == "claude", "{dry:?}");
    }

    call_by_plugins(&sandbox);
    for row in plugin_rows(&sandbox) {
        assert_eq!((row.1.as_str(), &row.2[..7]), ("works, by the plugin", "called "), "{row:?}");
    }
    let all = sandbox.run(&["hooks", "install", "--all"]);
    for agent in ["claude", "codex", "gemini"] {
        assert!(all.stderr.contains(&format!("{agent} is left out: its plugin calls pimem")));
    }
    assert!(!sandbox.run(&["check"]).stdout.contains("calls pimem twice"));
    // Whoever has both is told so.
    for agent in ["claude", "codex", "gemini"] {
        let installed = sandbox.run(&["hooks", "install", agent]);
        assert!(installed.stderr.contains("calls pimem twice"), "{}", installed.stderr);
    }
    let doctor = sandbox.run(&["check"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("Gemini CLI calls pimem twice"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("fix: pimem hooks uninstall gemini"), "{}", doctor.stdout);
    sandbox.run(&["hooks", "uninstall", "claude", "codex", "gemini"]).done();
    assert!(!sandbox.run(&["check"]).stdout.contains("calls pimem twice"));
}

/// `hooks test` runs the lines of the plugin as the agents do.
#[test]
fn the_plugins_hooks_are_tried() {
    let sandbox = with_plugins();
    trust_codex(&sandbox);
    let test = |args: &[&str]| {
        let mut command = sandbox.command(&[&["hooks", "test", "--json"], args].concat());
        command.env("PATH", format!("{}:/usr/bin:/bin", program().display()));
        let done = crate::common::sandbox::outcome(command);
        let document: Value = serde_json::from_str(&done.stdout).expect(&done.stderr);
        (done.code, document["hooks"].as_array().unwrap().clone())
    };
    let (code, hooks) = test(&["--all"]);
    assert_eq!((code, hooks.len()), (0, 9 + 8 + 7), "{hooks:?}");
    let recalled = hooks.iter().filter(|hook| hook["recalled"] == true).count();
    assert_eq!(
        recalled, 5,
        "each session starts with the report, sub-agents with what fits: {hooks:?}"
    );
    // A trial is no call of an agent.
    assert!(plugin_rows(&sandbox).iter().all(|row| row.1.ends_with("not called yet")));

    // Codex runs no hooks beside a manifest of Agent Plugins.
    let root = sandbox.home().join(".codex/plugins/cache/pimem/pimem/0.1.0");
    let neutral = repository().join("plugin/agent-plugins/plugin.json");
    fs::copy(neutral, root.join("plugin.json")).unwrap();
    let (code, hooks) = test(&["codex"]);
    assert_eq!(code, 1);
    let problem = hooks[0]["problem"].as_str().unwrap();
    assert!(problem.contains("no hooks of a plugin that has a plugin.json"), "{problem}");
    let status = sandbox.run(&["hooks", "status"]);
    assert!(status.stdout.contains("the plugin brings none"), "{status:?}");
    assert!(status.stderr.contains("pimem hooks install codex"), "{status:?}");

    // Where the plugin is not found, nothing is known of its hooks.
    fs::remove_file(sandbox.home().join(".claude/plugins/installed_plugins.json")).unwrap();
    let (code, hooks) = test(&["claude"]);
    let problem = hooks[0]["problem"].as_str().unwrap();
    assert_eq!((code, problem), (1, "by the plugin: its hooks are not found"));
    assert_eq!(plugin_rows(&sandbox)[0].1, "plugin installed, not called yet");
}

/// A call is noted once a day for each agent, and what is installed anew has not called.
#[test]
fn hooks_work_when_they_have_called() {
    let sandbox = Sandbox::new("working");
    let state = || {
        let rows = sandbox.run(&["hooks", "status"]).stdout;
        let row = rows.lines().find(|row| row.starts_with("codex\t")).unwrap().to_owned();
        row.split('\t').nth(1).unwrap().to_owned()
    };
    let config = sandbox.home().join(".codex");
    sandbox.run(&["hooks", "install", "codex"]).done();
    let hooks = config.join("hooks.json").display().to_string();
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
    let trusted = events.map(|event| format!("[hooks.state.\"{hooks}:{event}:0:0\"]\n"));
    fs::write(config.join("config.toml"), trusted.concat()).unwrap();
    assert_eq!(state(), "installed, not called yet");
    let call = |session: &str, event: &str| {
        let input = json!({"session_id": session, "cwd": sandbox.project()}).to_string();
        drop(crate::hooks::call(&sandbox, "codex", event, input).ok());
    };
    // By hand, or by what is no agent.
    drop(crate::hooks::call(&sandbox, "codex", "prompt", "{}").ok());
    assert_eq!(state(), "installed, not called yet");
    call("s", "session-start");
    assert_eq!(state(), "works");
    let notes = || -> Vec<(PathBuf, String)> {
        let files = sandbox.everything().into_iter();
        let files = files.filter(|(name, _)| name.contains("hooks/calls/"));
        files.map(|(name, text)| (name.into(), String::from_utf8(text).unwrap())).collect()
    };
    let before = notes();
    assert!(before.len() == 1 && before[0].1.contains("session-start"), "{before:?}");
    call("s", "stop");
    call("t", "prompt");
    assert_eq!(notes(), before, "once a day");
    sandbox.run(&["hooks", "uninstall", "codex"]).done();
    sandbox.run(&["hooks", "install", "codex"]).done();
    assert_eq!(state(), "installed, not called yet");
}

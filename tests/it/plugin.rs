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
        ("plugin/plugin.json", about(json!({"$schema": schema("plugin")}))),
        (
            "plugin/mcp.json",
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
        let manifest = read(&format!("plugin/{name}.json"));
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
        assert!(repository().join(source).join("plugin.json").exists(), "{source}");
    }
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
            let guarded = here["hooks"][0]["command"].as_str().unwrap();
            assert!(guarded.contains(&format!(" && {command} || ")), "{guarded}");
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

/// A plugin comes without the program. Codex takes an empty answer to the end of a turn as a failure.
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
                let said = (
                    done.status.code(),
                    String::from_utf8_lossy(&done.stdout),
                    String::from_utf8_lossy(&done.stderr),
                );
                assert_eq!(said, (Some(0), want.into(), "".into()), "{shell_of} {agent} {event}");
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

/// Whoever has both is told so, and `install --all` makes no second installation.
#[test]
fn a_double_installation_is_named() {
    let sandbox = Sandbox::new("working");
    let home = sandbox.home();
    fs::create_dir_all(home.join(".claude")).unwrap();
    let plugins = r#"{"enabledPlugins": {"pimem@pimem": true}}"#;
    fs::write(home.join(".claude/settings.json"), plugins).unwrap();
    fs::create_dir_all(home.join(".codex")).unwrap();
    fs::write(home.join(".codex/config.toml"), "[plugins.\"pimem@pimem\"]\nenabled = true\n")
        .unwrap();
    fs::create_dir_all(home.join(".gemini/extensions/pimem")).unwrap();
    let extension = repository().join("plugin/gemini/gemini-extension.json");
    fs::copy(extension, home.join(".gemini/extensions/pimem/gemini-extension.json")).unwrap();

    let states = |wanted: &str| {
        let status = sandbox.run(&["hooks", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).unwrap();
        let files = status["files"].as_array().unwrap();
        files.iter().filter(|file| file["state"] == wanted).count()
    };
    assert_eq!((states("plugin"), states("twice")), (3, 0));
    assert!(!sandbox.run(&["doctor"]).stdout.contains("calls pimem twice"));
    let all = sandbox.run(&["hooks", "install", "--all"]);
    assert!(all.stderr.contains("have pimem's plugin"), "{all:?}");
    assert_eq!((states("plugin"), states("twice")), (3, 0), "those agents have them");

    for agent in ["claude", "codex", "gemini"] {
        let installed = sandbox.run(&["hooks", "install", agent]);
        assert!(installed.stderr.contains("calls pimem twice"), "{}", installed.stderr);
    }
    assert_eq!((states("plugin"), states("twice")), (0, 3));
    let doctor = sandbox.run(&["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("Gemini CLI calls pimem twice"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("fix: pimem hooks uninstall gemini"), "{}", doctor.stdout);
    sandbox.run(&["hooks", "uninstall", "claude", "codex", "gemini"]).done();
    assert_eq!((states("plugin"), states("twice")), (3, 0));
}

//! Hooks are added to settings of every form and removed again byte for byte; files that cannot be
//! edited are not changed.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::common::{
    repository,
    sandbox::{Sandbox, outcome},
    without_program, write_program,
};

const JSON: [&str; 5] = ["claude", "codex", "gemini", "antigravity", "cursor"];
const JSONC: [&str; 3] = ["claude", "gemini", "cursor"];

/// A settings file of the fixtures.
struct Case {
    name: String,
    agents: Vec<String>,
    bytes: Vec<u8>,
}

fn cases(file: &str) -> Vec<Case> {
    let text = fs::read_to_string(repository().join("fixtures/settings").join(file)).unwrap();
    let blocks = text.split("### ").skip(1);
    blocks.map(|block| case(block.split_once('\n').unwrap())).collect()
}

fn case((head, body): (&str, &str)) -> Case {
    let [name, agents, flags] = head.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
        panic!("{head}");
    };
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let agents = match agents {
        "json" => owned(&JSON),
        "jsonc" => owned(&JSONC),
        some => some.split(' ').map(str::to_owned).collect(),
    };
    let mut text = body.to_owned();
    for flag in flags.split(' ') {
        text = match flag {
            "" => text,
            "bare" => text.trim_end_matches('\n').to_owned(),
            "crlf" => text.replace('\n', "\r\n"),
            "bom" => format!("\u{feff}{text}"),
            "tabs" => text.split_inclusive('\n').map(tabbed).collect(),
            other => panic!("{head}: {other}"),
        };
    }
    Case { name: name.to_owned(), agents, bytes: text.into_bytes() }
}

fn tabbed(line: &str) -> String {
    let rest = line.trim_start_matches(' ');
    format!("{}{rest}", "\t".repeat((line.len() - rest.len()) / 4))
}

/// Returns the path of an agent's user settings.
fn path(sandbox: &Sandbox, agent: &str) -> PathBuf {
    sandbox.home().join(match agent {
        "claude" => ".claude/settings.json",
        "codex" => ".codex/hooks.json",
        "gemini" => ".gemini/settings.json",
        "antigravity" => ".gemini/config/hooks.json",
        "cursor" => ".cursor/hooks.json",
        other => panic!("{other}"),
    })
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn args<'a>(action: &'a str, agents: &'a [String]) -> Vec<&'a str> {
    ["hooks", action].into_iter().chain(agents.iter().map(String::as_str)).collect()
}

/// Runs the program, requires exit code 0, and returns stdout.
fn ok(sandbox: &Sandbox, args: &[&str]) -> String {
    let done = sandbox.run(args);
    assert_eq!(done.code, 0, "{args:?}: {}", done.stderr);
    done.stdout
}

fn state(sandbox: &Sandbox, agent: &str) -> String {
    let done = sandbox.run(&["hooks", "status", "--user", "--json"]);
    let status: Value = serde_json::from_str(&done.stdout).unwrap();
    let files = status["files"].as_array().unwrap();
    let file = files.iter().find(|file| file["agent"] == agent).unwrap();
    // Codex has not been asked to trust them.
    let state = file["state"].as_str().unwrap();
    if state == "untrusted" { "installed".to_owned() } else { state.to_owned() }
}

#[test]
fn settings_of_every_form_come_back() {
    let sandbox = Sandbox::new("empty");
    let cases = cases("good.txt");
    assert!(cases.len() >= 50, "{}", cases.len());
    for case in cases {
        let read = |agent: &String| fs::read(path(&sandbox, agent)).unwrap();
        for agent in &case.agents {
            write(&path(&sandbox, agent), &case.bytes);
        }
        ok(&sandbox, &args("install", &case.agents));
        let installed: Vec<_> = case.agents.iter().map(read).collect();
        for (agent, bytes) in case.agents.iter().zip(&installed) {
            assert_ne!(*bytes, case.bytes, "{}: {agent}", case.name);
            let is_off = case.name.ends_with("switched off");
            let want = if is_off { "switched off" } else { "installed" };
            assert_eq!(state(&sandbox, agent), want, "{}", case.name);
            // Files for agents without comments are still standard JSON.
            if case.agents.len() != JSONC.len() {
                let text = String::from_utf8(bytes.clone()).unwrap();
                let text = text.trim_start_matches('\u{feff}').replace("/* none */", "");
                let text = text.replace("    // ours would go here\n", "");
                let root: Value = serde_json::from_str(&text).expect(&case.name);
                assert!(root.is_object());
            }
        }
        let said = ok(&sandbox, &args("install", &case.agents));
        assert!(said.lines().all(|line| line.contains("unchanged")), "{}: {said}", case.name);
        assert_eq!(case.agents.iter().map(read).collect::<Vec<_>>(), installed, "{}", case.name);
        ok(&sandbox, &args("uninstall", &case.agents));
        for agent in &case.agents {
            assert_eq!(read(agent), case.bytes, "{}: {agent}", case.name);
        }
    }
}

#[test]
fn what_is_malformed_is_left_alone() {
    let sandbox = Sandbox::new("empty");
    for case in cases("bad.txt") {
        for agent in &case.agents {
            let path = path(&sandbox, agent);
            write(&path, &case.bytes);
            let said = sandbox.run(&["hooks", "install", agent]).refused();
            let file = path.strip_prefix(sandbox.home()).unwrap().display().to_string();
            assert!(said.contains(&format!("~/{file}:")), "{}: {said}", case.name);
            assert!(said.contains("hint: nothing was changed"), "{}: {said}", case.name);
            assert_eq!(fs::read(&path).unwrap(), case.bytes, "{}: {agent}", case.name);
            if case.name.starts_with("an event") {
                continue;
            }
            assert_eq!(state(&sandbox, agent), "malformed", "{}: {agent}", case.name);
            drop(sandbox.run(&["hooks", "uninstall", agent]).refused());
            assert_eq!(fs::read(&path).unwrap(), case.bytes, "{}: {agent}", case.name);
            fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn files_and_directories_that_were_made_go_again() {
    let sandbox = Sandbox::new("empty");
    // Directories that existed are kept, even if they are empty.
    fs::create_dir_all(sandbox.home().join(".codex")).unwrap();
    let all = ["claude", "codex", "gemini", "antigravity", "cursor", "opencode", "pi"];
    let install: Vec<&str> = ["hooks", "install"].into_iter().chain(all).collect();
    let names = |dir: &Path| {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let before = names(&sandbox.home());
    ok(&sandbox, &install);
    assert!(sandbox.root().join("config/opencode/plugins/pimem.ts").is_file());
    assert!(sandbox.home().join(".pi/agent/extensions/pimem.ts").is_file());
    assert!(sandbox.home().join(".pi/agent/memory/topics").is_dir(), "a store to remember in");
    fs::write(sandbox.home().join(".cursor/mine"), "").unwrap();
    ok(&sandbox, &["hooks", "uninstall", "--all"]);
    let mut want = before;
    want.extend([".cursor", ".pi"].map(str::to_owned));
    want.sort();
    assert_eq!(names(&sandbox.home()), want);
    assert_eq!(names(&sandbox.home().join(".cursor")), ["mine"]);
    assert_eq!(names(&sandbox.home().join(".pi/agent")), ["memory"]);
    assert!(!sandbox.root().join("config/opencode").exists());
}

#[test]
fn eight_at_once_leave_one_entry_each() {
    for before in [None, Some("{\n  \"model\": \"opus\"\n}\n")] {
        let sandbox = Sandbox::new("empty");
        let path = path(&sandbox, "claude");
        if let Some(before) = before {
            write(&path, before.as_bytes());
        }
        let start = || {
            let mut command = sandbox.command(&["hooks", "install", "claude", "cursor", "-q"]);
            command.stdout(Stdio::null()).spawn().unwrap()
        };
        let children: Vec<_> = (0..8).map(|_| start()).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("\"pimem\"").count(), 9, "{text}");
        assert_eq!(state(&sandbox, "claude"), "installed");
        ok(&sandbox, &["hooks", "uninstall", "claude"]);
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
    }
}

#[test]
fn links_are_followed_and_modes_kept() {
    let sandbox = Sandbox::new("empty");
    let (path, target) = (path(&sandbox, "claude"), sandbox.root().join("dotfiles/claude.json"));
    write(&target, b"{}\n");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink("../../dotfiles/claude.json", &path).unwrap();
    ok(&sandbox, &["hooks", "install", "claude"]);
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("pimem"));
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    ok(&sandbox, &["hooks", "uninstall", "claude"]);
    assert_eq!(fs::read(&target).unwrap(), b"{}\n");
    fs::remove_file(&target).unwrap();
    let said = sandbox.run(&["hooks", "install", "claude"]).refused();
    assert!(said.contains("is a link to nothing"), "{said}");
}

/// Agents write their settings as a whole when something else changes in them.
#[test]
fn settings_that_an_agent_wrote_anew() {
    type Form<'a> = &'a dyn Fn(&Value) -> Vec<u8>;
    let before = json!({"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}, "version": 1});
    let pretty = |value: &Value| serde_json::to_vec_pretty(value).unwrap();
    let tabs = |value: &Value| String::from_utf8(pretty(value)).unwrap().replace("  ", "\t").into();
    let compact = |value: &Value| serde_json::to_vec(value).unwrap();
    let forms: [(&str, Form<'_>, bool); 4] = [
        ("pretty", &pretty, false),
        ("tabs", &tabs, false),
        ("compact", &compact, false),
        ("with members more", &pretty, true),
    ];
    for (form, write_as, more) in forms {
        for agent in JSON {
            let sandbox = Sandbox::new("empty");
            let path = path(&sandbox, agent);
            write(&path, &pretty(&before));
            ok(&sandbox, &["hooks", "install", agent]);
            let mut root: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let mut wanted = before.clone();
            if more {
                // Each handler has a member that the agent added.
                root = with_members(&root);
                wanted = with_members(&wanted);
                for root in [&mut root, &mut wanted] {
                    root["theme"] = json!("dark");
                }
            }
            let written = write_as(&root);
            write(&path, &written);
            assert_eq!(state(&sandbox, agent), "installed", "{form}: {agent}");
            let said = ok(&sandbox, &["hooks", "install", agent]);
            assert!(said.contains("unchanged"), "{form}: {agent}: {said}");
            assert_eq!(fs::read(&path).unwrap(), written, "{form}: {agent}");
            ok(&sandbox, &["hooks", "uninstall", agent]);
            let left: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            if form == "compact" {
                // Without white space, nothing tells our brackets from those of the user.
                assert_eq!(left["hooks"]["Stop"], wanted["hooks"]["Stop"], "{agent}");
                assert!(!left.to_string().contains(&format!("hook {agent}")), "{left}");
            } else {
                assert_eq!(left, wanted, "{form}: {agent}");
            }
        }
    }
}

/// What an agent wrote anew, and holds nothing but hooks of ours, goes as a whole.
#[test]
fn settings_of_ours_that_an_agent_wrote_anew() {
    for agent in JSON {
        for end in ["", "\n"] {
            let sandbox = Sandbox::new("empty");
            let path = path(&sandbox, agent);
            ok(&sandbox, &["hooks", "install", agent]);
            let root: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let pretty = serde_json::to_string_pretty(&root).unwrap() + end;
            write(&path, pretty.as_bytes());
            ok(&sandbox, &["hooks", "uninstall", agent]);
            let left = fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
            let left: Value = serde_json::from_str(&left).expect(agent);
            assert_eq!(left, json!({}), "{agent}");
        }
    }
}

/// Adds a member to all handlers.
fn with_members(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: serde_json::Map<String, Value> =
                members.iter().map(|(key, value)| (key.clone(), with_members(value))).collect();
            if members.contains_key("command") {
                members.insert("statusMessage".to_owned(), Value::Null);
            }
            Value::Object(members)
        }
        Value::Array(parts) => Value::Array(parts.iter().map(with_members).collect()),
        other => other.clone(),
    }
}

#[test]
fn links_on_the_way_are_followed() {
    for (agent, link, file) in [
        ("codex", ".codex", "hooks.json"),
        ("opencode", "../config/opencode/plugins", "pimem.ts"),
        ("pi", ".pi/agent/extensions", "pimem.ts"),
    ] {
        let sandbox = Sandbox::new("empty");
        let (target, link) = (sandbox.root().join("dotfiles"), sandbox.home().join(link));
        write(&target.join("mine"), b"");
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&target, &link).unwrap();
        ok(&sandbox, &["hooks", "install", agent]);
        assert!(target.join(file).is_file(), "{agent}");
        assert_eq!(state(&sandbox, agent), "installed");
        assert!(ok(&sandbox, &["hooks", "install", agent]).contains("unchanged"), "{agent}");
        ok(&sandbox, &["hooks", "uninstall", agent]);
        assert!(!target.join(file).exists(), "{agent}");
        assert!(target.join("mine").is_file() && link.is_symlink(), "{agent}");
    }
}

#[test]
fn agents_that_are_not_here() {
    let sandbox = Sandbox::new("empty");
    let before = sandbox.tree();
    let all = sandbox.run(&["hooks", "install", "--all"]);
    assert_eq!((all.code, all.stdout.as_str()), (1, ""));
    assert!(all.stderr.contains("no agent that pimem knows is used here"), "{}", all.stderr);
    for agent in JSON.into_iter().chain(["opencode", "pi"]) {
        assert_eq!(state(&sandbox, agent), "not installed");
        for action in ["test", "uninstall"] {
            let done = sandbox.run(&["hooks", action, agent]);
            assert!(done.stdout.contains("nothing of ours in"), "{action} {agent}: {done:?}");
        }
    }
    assert_eq!(sandbox.tree(), before);
    assert!(!sandbox.home().join(".codex").exists());
}

#[test]
fn a_project_does_not_lead_us_out_of_it() {
    let sandbox = Sandbox::new("empty");
    let outside = sandbox.home().join("precious.json");
    write(&outside, b"{}");
    fs::create_dir_all(sandbox.project().join(".claude")).unwrap();
    symlink(&outside, sandbox.project().join(".claude/settings.json")).unwrap();
    symlink(sandbox.home(), sandbox.project().join(".codex")).unwrap();
    for agent in ["claude", "codex"] {
        let said = sandbox.run(&["hooks", "install", agent, "--project"]).refused();
        assert!(said.contains("leads out of the project"), "{said}");
    }
    assert_eq!(fs::read(&outside).unwrap(), b"{}");
    assert!(!sandbox.home().join("hooks.json").exists());
    // Links within the project are followed.
    fs::create_dir_all(sandbox.project().join("config")).unwrap();
    symlink("config", sandbox.project().join(".gemini")).unwrap();
    ok(&sandbox, &["hooks", "install", "gemini", "--project"]);
    assert!(sandbox.project().join("config/settings.json").is_file());
}

#[test]
fn what_may_not_be_written_is_not() {
    let sandbox = Sandbox::new("empty");
    let path = path(&sandbox, "claude");
    write(&path, b"{}\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let said = sandbox.run(&["hooks", "install", "claude"]).refused();
    assert!(said.contains("settings.json is read-only\nhint: chmod u+w"), "{said}");
    assert_eq!(fs::read(&path).unwrap(), b"{}\n");
    // The files of other agents are edited anyway, and the exit code reports the failure.
    let done = sandbox.run(&["hooks", "install", "claude", "cursor"]);
    assert_eq!((done.code, done.stdout.lines().count()), (2, 2), "{}", done.stdout);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let said = sandbox.run(&["hooks", "install", "claude"]).refused();
    assert!(said.contains("settings.json is not a file"), "{said}");
    write(&sandbox.home().join(".codex"), b"");
    let said = sandbox.run(&["hooks", "install", "codex"]).refused();
    assert!(said.contains(".codex"), "{said}");
}

#[test]
fn directories_are_where_agents_look_for_them() {
    let sandbox = Sandbox::new("empty");
    let mut command = sandbox.command(&["hooks", "install", "claude", "codex", "pi"]);
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR"] {
        command.env(name, sandbox.root().join(name));
    }
    assert_eq!(outcome(command).code, 0);
    for file in ["CLAUDE_CONFIG_DIR/settings.json", "CODEX_HOME/hooks.json"] {
        assert!(sandbox.root().join(file).is_file(), "{file}");
    }
    assert!(sandbox.root().join("PI_CODING_AGENT_DIR/extensions/pimem.ts").is_file());
    assert!(!sandbox.home().join(".claude").exists());
}

#[test]
fn hooks_that_are_switched_off_are_told() {
    let sandbox = Sandbox::new("empty");
    ok(&sandbox, &["hooks", "install", "claude", "gemini", "antigravity"]);
    for (agent, old, new) in [
        ("claude", "{\n  \"hooks\"", "{\n  \"disableAllHooks\": true,\n  \"hooks\""),
        ("gemini", "{\n  \"hooks\"", "{\n  \"hooksConfig\": {\"enabled\": false},\n  \"hooks\""),
        ("antigravity", "true", "false"),
    ] {
        assert_eq!(state(&sandbox, agent), "installed");
        let path = path(&sandbox, agent);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen(old, new, 1)).unwrap();
        assert_eq!(state(&sandbox, agent), "switched off");
        let said = sandbox.run(&["hooks", "install", agent]).stderr;
        assert!(said.contains("says that no hooks are run"), "{said}");
    }
}

#[test]
fn in_a_project_its_root_is_meant() {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q"]);
    fs::create_dir_all(sandbox.project().join("src/deep")).unwrap();
    let done = sandbox.run_in("project/src/deep", &["hooks", "install", "gemini", "--project"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(sandbox.project().join(".gemini/settings.json").is_file());
    assert!(sandbox.store().is_dir(), "with a store");
    assert!(!sandbox.home().join(".pi").exists(), "and not the user's");
}

/// The shims work with the agent's interface. They are also valid JavaScript, so any Node runs
/// them.
#[test]
fn shims_talk_to_both_sides() {
    let sandbox = Sandbox::new("empty");
    if without_program("node", "--version") {
        return;
    }
    let bin = sandbox.root().join("bin/pimem");
    let log = sandbox.root().join("log");
    let script = "#!/bin/sh\nprintf '%s ' \"$2 $3\" >> \"$LOG\"; cat >> \"$LOG\"; echo >> \"$LOG\"\n\
                  case \"$2 $3\" in *stop) sleep 5;; 'opencode pre-compact') echo broken;; \
                  *pre-tool) printf '{\"decision\": \"deny\", \"reason\": \"of pre-tool\"}';; \
                  *) printf '{\"context\": \"of %s\"}' \"$3\";; esac\n";
    write_program(&bin, script);
    for agent in ["opencode", "pi"] {
        let shim = sandbox.run(&["hooks", "print", agent]).done();
        let shim = shim.replace("MILLISECONDS = 5000", "MILLISECONDS = 1000");
        write(&sandbox.root().join(format!("{agent}.mjs")), shim.as_bytes());
        let driver = repository().join(format!("fixtures/settings/{agent}.mjs"));
        let mut node = Command::new("node");
        sandbox.place(&mut node);
        let paths = std::env::var("PATH").unwrap_or_default();
        node.env("PATH", format!("{}:{paths}", bin.parent().unwrap().display())).env("LOG", &log);
        node.arg(driver).arg(sandbox.root().join(format!("{agent}.mjs")));
        let printed = outcome(node).ok();
        let want = repository().join(format!("fixtures/settings/{agent}.out"));
        let log = fs::read_to_string(&log).unwrap();
        fs::remove_file(sandbox.root().join("log")).unwrap();
        let got = format!("{printed}--\n{log}");
        if crate::common::bless() {
            fs::write(&want, &got).unwrap();
        }
        assert_eq!(got, fs::read_to_string(want).unwrap(), "{agent}");
    }
}

//! Tests of the records of agents.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;

#[test]
fn names_of_moments() {
    for (agent, name, want) in [
        (Agent::Claude, "prompt", Some(HookEvent::Prompt)),
        (Agent::Claude, "UserPromptSubmit", Some(HookEvent::Prompt)),
        (Agent::Claude, "user-prompt-submit", Some(HookEvent::Prompt)),
        (Agent::Antigravity, "pre-invocation", Some(HookEvent::Prompt)),
        (Agent::Gemini, "AfterAgent", Some(HookEvent::Stop)),
        (Agent::Opencode, "session.created", Some(HookEvent::SessionStart)),
        (Agent::Pi, "turn_end", Some(HookEvent::Stop)),
        (Agent::Generic, "session-end", Some(HookEvent::SessionEnd)),
        (Agent::Generic, "", None),
        (Agent::Cursor, "beforeShellExecution", None),
    ] {
        assert_eq!(agent.moment(name), want, "{name}");
    }
    for agent in Agent::ALL {
        assert_eq!(Agent::find(agent.name()), Some(agent));
        for moment in HookEvent::ALL {
            assert_eq!(agent.moment(moment.name()), Some(moment));
        }
    }
}

#[test]
fn no_record_is_half_written() {
    for agent in Agent::ALL {
        let AgentRecord { name, title, marks, events, files, next, sample, .. } = agent.record();
        assert!(!name.is_empty() && !title.is_empty() && !marks.is_empty(), "{agent:?}: names");
        assert!(!events.is_empty(), "{name}: events");
        assert!(!next.0.is_empty() && !next.1.is_empty(), "{name}: next");
        assert!(!files.is_empty() || agent == Agent::Generic, "{name}: files");
        let prompt = events.iter().find(|event| event.moment == HookEvent::Prompt).unwrap();
        let sample = sample(prompt, &Trial { agent, project: "/p" }).to_string();
        let heard = hook_input::read(agent, sample.as_bytes()).unwrap();
        assert_eq!(heard.prompt.as_deref(), Some(Trial::PROMPT), "{name}: sample");
        assert!(heard.session.is_some() && heard.cwd.is_some(), "{name}: spellings, {sample}");
        for event in *events {
            let silence = reply::reply(
                agent,
                event.moment,
                &pimem_core::safety::safe_text::SafeText::default(),
            );
            assert_eq!(reply::check(agent, event.moment, silence.as_bytes()), Ok(()));
        }
        for file in *files {
            if let FileForm::Whole(whole) = &file.content {
                assert!(whole.text.contains(MARK), "{name}: the mark");
            }
        }
    }
}

#[test]
fn variables_name_directories() {
    let home = Path::new("/home/u");
    let none = |_: &str| None;
    let set = |name: &str| (name != "XDG_CONFIG_HOME").then(|| PathBuf::from("/c"));
    let xdg = |name: &str| (name == "XDG_CONFIG_HOME").then(|| PathBuf::from("/x"));
    assert_eq!(Agent::Claude.config_dir(home, none), home.join(".claude"));
    assert_eq!(Agent::Claude.config_dir(home, set), Path::new("/c"));
    assert_eq!(Agent::Opencode.config_dir(home, xdg), Path::new("/x/opencode"));
    assert_eq!(Agent::Cursor.config_dir(home, set), home.join(".cursor"));
}

fn printed(agent: Agent) -> Value {
    let files = agent.files(InstallReach::Project);
    let (_, content) = files.first().unwrap();
    serde_json::from_str(&fragment(content)).unwrap()
}

#[test]
fn claude_is_run_without_a_shell() {
    let settings = printed(Agent::Claude);
    let hooks = settings["hooks"].as_object().unwrap();
    assert_eq!(hooks.len(), 9);
    let want = json!([{"matcher": "Edit|Write|MultiEdit|NotebookEdit", "hooks": [{
        "type": "command", "command": "pimem", "args": ["hook", "claude", "post-tool"],
        "timeout": 5,
    }]}]);
    assert_eq!(hooks["PostToolUse"], want);
    assert!(!settings.to_string().contains("async"));
}

#[test]
fn limits_are_in_the_unit_of_the_agent() {
    assert_eq!(printed(Agent::Gemini)["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"], 5000);
    assert_eq!(printed(Agent::Codex)["hooks"]["Stop"][0]["hooks"][0]["timeout"], 5);
}

#[test]
fn each_has_its_form() {
    let cursor = printed(Agent::Cursor);
    assert_eq!(cursor["version"], 1);
    let want = json!([{"command": "pimem hook cursor prompt", "timeout": 5}]);
    assert_eq!(cursor["hooks"]["beforeSubmitPrompt"], want);
    let agy = printed(Agent::Antigravity);
    let want = json!({"pimem": {
        "enabled": true,
        "PreInvocation": [{"type": "command",
            "command": "pimem hook antigravity pre-invocation", "timeout": 10}],
        "PostToolUse": [{"matcher": "*", "hooks": [{"type": "command",
            "command": "pimem hook antigravity post-tool", "timeout": 5}]}],
        "Stop": [{"type": "command", "command": "pimem hook antigravity stop", "timeout": 10}],
    }});
    assert_eq!(agy, want);
}

/// The table of docs/agents.md: the agents' own events, a row for each moment.
#[test]
fn events_are_as_documented() {
    let agents: Vec<Agent> = Agent::ALL.into_iter().filter(|a| *a != Agent::Generic).collect();
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let titles = agents.iter().map(|agent| agent.record().title.to_owned());
    let mut table = vec![row(std::iter::once(String::new()).chain(titles).collect())];
    table.push(format!("|{}", "---|".repeat(agents.len() + 1)));
    for moment in HookEvent::ALL {
        let cell = |agent: &Agent| {
            let AgentRecord { events, own_names, .. } = agent.record();
            let native = |event: &&AgentEvent| event.moment == moment;
            let own = own_names.iter().find(|(of, _)| *of == moment).map(|(_, name)| *name);
            let found = own.or_else(|| events.iter().find(native).map(|event| event.native));
            found.map_or_else(|| "–".to_owned(), |name| format!("`{name}`"))
        };
        let cells = std::iter::once(format!("`{}`", moment.name()));
        table.push(row(cells.chain(agents.iter().map(cell)).collect()));
    }
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agents.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let table = table.join("\n");
    assert!(docs.contains(&table), "docs/agents.md wants this table:\n{table}");
}

//! The plugin that agents install from the tree: its hooks, and whether an agent has it. Pure.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{install::Event, shape, spec::Agent};

/// Name of the plugin in every agent.
const NAME: &str = "pimem";

/// Returns the plugin's file of hooks for an agent. The hooks are those of `hooks install`, but each
/// is silent where there is no pimem: a plugin comes without it.
pub(crate) fn hooks(agent: Agent) -> String {
    let mut events = Map::new();
    for event in agent.events() {
        let mut group = Map::new();
        if let Some(matcher) = event.matcher {
            group.insert("matcher".to_owned(), matcher.into());
        }
        group.insert("hooks".to_owned(), json!([handler(agent, event)]));
        events.insert(event.native.to_owned(), json!([group]));
    }
    let mut file = Map::new();
    if agent == Agent::Claude {
        file.insert("description".to_owned(), "Memory that outlives the context".into());
    }
    file.insert("hooks".to_owned(), events.into());
    format!("{:#}\n", Value::Object(file))
}

fn handler(agent: Agent, event: &Event) -> Value {
    let command = agent.command(event.word);
    let silence = shape::silence(agent, event.moment);
    // Agents may run it by any shell, fish too.
    let otherwise =
        if silence.is_empty() { "true".to_owned() } else { format!("echo '{silence}'") };
    let guarded = format!("command -v pimem >/dev/null && {command} || {otherwise}");
    let seconds = event.seconds;
    match agent {
        Agent::Codex => {
            let otherwise =
                if silence.is_empty() { "exit 0".to_owned() } else { format!("echo {silence}") };
            let there = command.replacen(NAME, "pimem.exe", 1);
            let windows = format!("cmd /d /c \"where /q pimem.exe && {there} || {otherwise}\"");
            json!({"type": "command", "command": guarded, "commandWindows": windows, "timeout": seconds})
        }
        Agent::Gemini => {
            json!({"type": "command", "name": NAME, "command": guarded, "timeout": seconds * 1000})
        }
        _ => json!({"type": "command", "command": guarded, "timeout": seconds}),
    }
}

/// Returns the files that say whether an agent has the plugin, given its settings directory and the
/// project at hand.
pub(crate) fn places(agent: Agent, config: &Path, root: Option<&Path>) -> Vec<PathBuf> {
    match agent {
        Agent::Claude => {
            let project = root.map(|root| root.join(".claude"));
            let project = project.iter().flat_map(|dir| {
                ["settings.json", "settings.local.json"].map(|name| dir.join(name))
            });
            [config.join("settings.json")].into_iter().chain(project).collect()
        }
        Agent::Codex => vec![config.join("config.toml")],
        Agent::Gemini => vec![config.join("extensions/pimem/gemini-extension.json")],
        _ => Vec::new(),
    }
}

/// Returns true if the text of such a file says that the agent has the plugin and runs it.
pub(crate) fn is_there(agent: Agent, text: &str) -> bool {
    match agent {
        Agent::Claude => {
            let settings: Value = serde_json::from_str(text).unwrap_or_default();
            let plugins = settings.get("enabledPlugins").and_then(Value::as_object);
            plugins.into_iter().flatten().any(|(id, on)| is_ours(id) && on == true)
        }
        // A table `[plugins."pimem@MARKETPLACE"]`.
        Agent::Codex => {
            let mut tables = text.split("\n[").map(|table| table.trim_start_matches(['\n', '[']));
            tables.any(|table| {
                let (head, body) = table.split_once(']').unwrap_or((table, ""));
                let id = head.strip_prefix("plugins.").unwrap_or_default();
                is_ours(id.trim_matches(['"', '\'']))
                    && !body.lines().any(|line| line.replace(' ', "") == "enabled=false")
            })
        }
        Agent::Gemini => {
            let manifest: Value = serde_json::from_str(text).unwrap_or_default();
            manifest.get("name").is_some_and(|name| name == NAME)
        }
        _ => false,
    }
}

/// Returns true if `NAME@MARKETPLACE` is this plugin, from whatever marketplace.
fn is_ours(id: &str) -> bool {
    id.split_once('@').is_some_and(|(name, _)| name == NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_that_have_it() {
        for (agent, text, want) in [
            (Agent::Claude, r#"{"enabledPlugins": {"pimem@pimem": true}}"#, true),
            (
                Agent::Claude,
                r#"{"enabledPlugins": {"pimem@pimem": false, "other@pimem": true}}"#,
                false,
            ),
            (Agent::Claude, r#"{"enabledPlugins": 5}"#, false),
            (Agent::Claude, "{", false),
            (Agent::Codex, "model = \"m\"\n\n[plugins.\"pimem@pimem\"]\nenabled = true\n", true),
            (Agent::Codex, "[plugins.'pimem@here']\n", true),
            (Agent::Codex, "[plugins.\"pimem@pimem\"]\nenabled = false\n[x]\n", false),
            (Agent::Codex, "[plugins.\"pimemory@pimem\"]\nenabled = true\n", false),
            (Agent::Codex, "", false),
            (Agent::Gemini, r#"{"name": "pimem", "version": "0.1.0"}"#, true),
            (Agent::Gemini, "", false),
            (Agent::Pi, r#"{"name": "pimem"}"#, false),
        ] {
            assert_eq!(is_there(agent, text), want, "{agent:?} {text}");
        }
    }
}

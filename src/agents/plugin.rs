//! The plugin that agents install from the tree: its hooks, and whether an agent has it. Pure.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{codex_trust, install::Event, settings::Found, shape, spec::Agent};

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

/// How an agent came to call pimem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Settings,
    Plugin,
}

impl Agent {
    /// Returns the name of the note of this agent's calls. An agent whose plugin's hooks cannot be
    /// told from others has one note.
    pub(crate) fn note(self, way: Way) -> String {
        let is_told = matches!(self, Self::Claude | Self::Codex);
        let end = if way == Way::Plugin && is_told { "-plugin" } else { "" };
        format!("{}{end}", self.name())
    }
}

/// Returns the directory in which an agent has put the plugin, given its settings directory, what
/// it notes of plugins (only Claude Code does), and a listing of directories.
pub(crate) fn root(
    agent: Agent,
    config: &Path,
    noted: &str,
    list: impl Fn(&Path) -> Vec<PathBuf>,
) -> Option<PathBuf> {
    match agent {
        Agent::Claude => {
            let noted: Value = serde_json::from_str(noted).unwrap_or_default();
            let plugins = noted.get("plugins").and_then(Value::as_object)?;
            let (_, places) = plugins.iter().find(|(id, _)| is_ours(id))?;
            places.as_array()?.last()?.get("installPath")?.as_str().map(PathBuf::from)
        }
        // One directory a marketplace, and one a version.
        Agent::Codex => {
            let marketplaces = list(&config.join("plugins/cache"));
            let versions = marketplaces.iter().flat_map(|market| list(&market.join(NAME)));
            versions.max()
        }
        Agent::Gemini => Some(config.join("extensions").join(NAME)),
        _ => None,
    }
}

/// The file in which Claude Code notes where its plugins are.
pub(crate) const NOTED: &str = "plugins/installed_plugins.json";

/// Returns the plugin's file of hooks as the agent finds it, given the text of a file below the
/// plugin's directory; an error says why the agent runs none.
pub(crate) fn hooks_file(
    agent: Agent,
    text: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    if agent != Agent::Codex {
        return Ok("hooks/hooks.json".to_owned());
    }
    let value = |name: &str| -> Value {
        serde_json::from_str(&text(name).unwrap_or_default()).unwrap_or_default()
    };
    // A manifest of Agent Plugins comes first, and that format has no hooks.
    let schema = value("plugin.json");
    let schema = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
    if schema.starts_with("https://agent-plugins.org/schemas/") {
        return Err("Codex runs no hooks of a plugin that has a plugin.json in its root".to_owned());
    }
    let named = value(".codex-plugin/plugin.json");
    let named = named.get("hooks").and_then(Value::as_str).unwrap_or("./hooks/hooks.json");
    Ok(named.trim_start_matches("./").to_owned())
}

/// Returns the hooks of ours in a plugin's file of hooks.
pub(crate) fn found(agent: Agent, text: &str) -> Vec<Found> {
    let file: Value = serde_json::from_str(text).unwrap_or_default();
    let events = file.get("hooks").and_then(Value::as_object);
    let mut found = Vec::new();
    for (event, groups) in events.into_iter().flatten() {
        let groups = groups.as_array().into_iter().flatten();
        let hooks = groups.filter_map(|group| group.get("hooks")?.as_array()).flatten();
        for hook in hooks {
            let Some(command) = hook.get("command").and_then(Value::as_str) else { continue };
            let call = format!("pimem hook {} ", agent.name());
            let Some((_, rest)) = command.split_once(&call) else { continue };
            found.push(Found {
                event: event.clone(),
                command: command.to_owned(),
                args: None,
                word: rest.split_whitespace().next().unwrap_or_default().to_owned(),
                timeout: hook.get("timeout").and_then(Value::as_f64),
            });
        }
    }
    found
}

/// Returns how many of the plugin's hooks Codex does not run yet, given its `config.toml`.
pub(crate) fn untrusted(agent: Agent, config: &str, file: &str, found: &[Found]) -> usize {
    if agent != Agent::Codex {
        return 0;
    }
    let ids = config.split("[plugins.").skip(1).filter_map(|table| table.split_once(']'));
    let ids: Vec<String> = ids
        .map(|(id, _)| id.trim_matches(['"', '\'']).to_owned())
        .filter(|id| is_ours(id))
        .map(|id| format!("{id}:{file}"))
        .collect();
    let is_new = |hook: &&Found| !codex_trust::is_trusted(config, &ids, &hook.event, (0, 0));
    found.iter().filter(is_new).count()
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
    fn where_agents_put_it() {
        let config = Path::new("/h");
        let list = |dir: &Path| match dir.to_str().unwrap() {
            "/h/plugins/cache" => vec![PathBuf::from("/h/plugins/cache/a")],
            "/h/plugins/cache/a/pimem" => ["0.1.0", "0.2.0"].map(|v| dir.join(v)).to_vec(),
            _ => Vec::new(),
        };
        let noted = r#"{"plugins": {"other@a": [{"installPath": "/x"}], "pimem@a": [{"installPath": "/y"}]}}"#;
        let root = |agent, noted| root(agent, config, noted, list);
        assert_eq!(root(Agent::Claude, noted), Some(PathBuf::from("/y")));
        assert_eq!(root(Agent::Claude, "{"), None);
        assert_eq!(root(Agent::Codex, ""), Some(config.join("plugins/cache/a/pimem/0.2.0")));
        assert_eq!(root(Agent::Gemini, ""), Some(config.join("extensions/pimem")));
        assert_eq!(root(Agent::Cursor, ""), None);
    }

    #[test]
    fn codex_takes_no_hooks_beside_a_neutral_manifest() {
        let neutral =
            r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"}"#;
        let files = |neutral: &'static str| {
            move |name: &str| match name {
                "plugin.json" => Some(neutral.to_owned()),
                ".codex-plugin/plugin.json" => {
                    Some(r#"{"hooks": "./hooks/codex.json"}"#.to_owned())
                }
                _ => None,
            }
        };
        assert_eq!(hooks_file(Agent::Codex, files("{}")).as_deref(), Ok("hooks/codex.json"));
        assert_eq!(hooks_file(Agent::Codex, |_| None).as_deref(), Ok("hooks/hooks.json"));
        assert!(hooks_file(Agent::Codex, files(neutral)).is_err());
        assert_eq!(hooks_file(Agent::Claude, files(neutral)).as_deref(), Ok("hooks/hooks.json"));
    }

    #[test]
    fn hooks_of_the_plugin_are_found_and_trusted_by_their_place() {
        for agent in [Agent::Claude, Agent::Codex, Agent::Gemini] {
            let found = found(agent, &hooks(agent));
            let words: Vec<&str> = found.iter().map(|hook| hook.word.as_str()).collect();
            assert_eq!(words.len(), agent.events().len());
            for event in agent.events() {
                assert!(words.contains(&event.word), "{agent:?} {words:?}");
            }
        }
        let hooks = found(Agent::Codex, &hooks(Agent::Codex));
        let config = "[plugins.\"pimem@here\"]\nenabled = true\n\n\
                      [hooks.state.\"pimem@here:hooks/codex-hooks.json:stop:0:0\"]\n";
        let missing = |file: &str| untrusted(Agent::Codex, config, file, &hooks);
        assert_eq!(missing("hooks/codex-hooks.json"), hooks.len() - 1);
        assert_eq!(missing("hooks/other.json"), hooks.len());
        assert_eq!(untrusted(Agent::Claude, config, "hooks/codex-hooks.json", &hooks), 0);
        assert_eq!(found(Agent::Codex, "{"), Vec::new());
    }

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

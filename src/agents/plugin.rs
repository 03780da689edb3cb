//! The plugin that agents install from the tree: its hooks, and whether an agent has it. Pure.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Agent, AgentEvent, reply, settings::FoundHook};

/// Name of the plugin in every agent.
pub(super) const NAME: &str = "pimem";

/// Variables by which agents name the directory of a plugin to what it starts.
pub(crate) const PLUGIN_VARIABLES: [&str; 2] = ["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"];

/// What is read to find a plugin.
pub(crate) struct Disk<'a> {
    pub(crate) read: &'a dyn Fn(&Path) -> Option<String>,
    pub(crate) list: &'a dyn Fn(&Path) -> Vec<PathBuf>,
}

/// Returns the text of a file below a directory.
pub(crate) type TextOf<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How an agent keeps plugins.
pub(crate) struct OfPlugin {
    /// What the file of hooks says of the plugin.
    pub(super) description: Option<&'static str>,
    /// True if the calls of the plugin's hooks can be told from others.
    pub(super) is_told: bool,
    /// Returns the directory of the plugin, given the settings directory.
    pub(crate) root: fn(&Path, &Disk<'_>) -> Option<PathBuf>,
    /// Returns the plugin's file of hooks as the agent finds it, given the text of a file below the
    /// plugin's directory; an error says why the agent runs none.
    pub(crate) hooks_file: fn(TextOf<'_>) -> Result<String, String>,
    /// Returns the handler of an event, given its command, and the answer that says nothing. It must
    /// succeed where there is no pimem: a plugin comes without it.
    pub(super) handler: fn(&AgentEvent, &str, &str) -> Value,
    /// Returns the files that say whether an agent has the plugin, given its settings directory and
    /// the project at hand.
    pub(crate) places: fn(&Path, Option<&Path>) -> Vec<PathBuf>,
    /// Returns true if the text of such a file says that the agent has the plugin and runs it.
    pub(crate) is_there: fn(&str) -> bool,
}

impl OfPlugin {
    pub(super) const USUAL: Self = Self {
        description: None,
        is_told: false,
        root: |_, _| None,
        hooks_file: |_| Ok("hooks/hooks.json".to_owned()),
        handler: |event, command, _| json!({"type": "command", "command": succeeding(command), "timeout": event.seconds}),
        places: |_, _| Vec::new(),
        is_there: |_| false,
    };
}

/// Returns a line that succeeds without the program too. `sh`, fish and PowerShell read it alike:
/// Windows PowerShell, by which agents run it there, has no `&&`.
pub(super) fn succeeding(command: &str) -> String {
    format!("{command}; exit 0")
}

/// Returns the plugin's file of hooks for an agent. They are those of `hooks install`, but do not
/// fail without pimem.
pub(crate) fn hooks(agent: Agent) -> Option<String> {
    let of = agent.record().plugin.as_ref()?;
    let mut events = Map::new();
    for event in agent.record().events {
        let mut group = Map::new();
        if let Some(matcher) = event.matcher {
            group.insert("matcher".to_owned(), matcher.into());
        }
        let silence = reply::silence(agent, event.moment);
        let handler = (of.handler)(event, &agent.command(event.word), &silence);
        group.insert("hooks".to_owned(), json!([handler]));
        events.insert(event.native.to_owned(), json!([group]));
    }
    let mut file = Map::new();
    if let Some(description) = of.description {
        file.insert("description".to_owned(), description.into());
    }
    file.insert("hooks".to_owned(), events.into());
    Some(format!("{:#}\n", Value::Object(file)))
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
        let is_told = self.record().plugin.as_ref().is_some_and(|plugin| plugin.is_told);
        let end = if way == Way::Plugin && is_told { "-plugin" } else { "" };
        format!("{}{end}", self.name())
    }
}

/// Returns the hooks of ours in a plugin's file of hooks.
pub(crate) fn found(agent: Agent, text: &str) -> Vec<FoundHook> {
    let file: Value = serde_json::from_str(text).unwrap_or_default();
    let events = file.get("hooks").and_then(Value::as_object);
    let mut found = Vec::new();
    for (event, groups) in events.into_iter().flatten() {
        let groups = groups.as_array().into_iter().flatten();
        let hooks = groups.filter_map(|group| group.get("hooks")?.as_array()).flatten();
        for hook in hooks {
            let here = hook.get("commandWindows").filter(|_| cfg!(windows));
            let command = here.or_else(|| hook.get("command")).and_then(Value::as_str);
            let Some(command) = command else { continue };
            let program = if here.is_some() { "pimem.exe" } else { NAME };
            let call = format!("{program} hook {} ", agent.name());
            let Some((_, rest)) = command.split_once(&call) else { continue };
            found.push(FoundHook {
                event: event.clone(),
                command: command.to_owned(),
                args: None,
                word: rest.split([' ', ';']).next().unwrap_or_default().to_owned(),
                timeout: hook.get("timeout").and_then(Value::as_f64),
            });
        }
    }
    found
}

/// Returns true if `NAME@MARKETPLACE` is this plugin, from whatever marketplace.
pub(super) fn is_ours(id: &str) -> bool {
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
        let root = |agent: Agent, noted: &str| {
            let read = |_: &Path| Some(noted.to_owned());
            let plugin = agent.record().plugin.as_ref()?;
            (plugin.root)(config, &Disk { read: &read, list: &list })
        };
        assert_eq!(root(Agent::Claude, noted), Some(PathBuf::from("/y")));
        assert_eq!(root(Agent::Claude, "{"), None);
        assert_eq!(root(Agent::Codex, ""), Some(config.join("plugins/cache/a/pimem/0.2.0")));
        assert_eq!(root(Agent::Gemini, ""), Some(config.join("extensions/pimem")));
        assert_eq!(root(Agent::Cursor, ""), None);
    }

    #[test]
    fn hooks_of_the_plugin_are_found() {
        for agent in [Agent::Claude, Agent::Codex, Agent::Gemini] {
            let found = found(agent, &hooks(agent).unwrap());
            let words: Vec<&str> = found.iter().map(|hook| hook.word.as_str()).collect();
            assert_eq!(words.len(), agent.record().events.len());
            for event in agent.record().events {
                assert!(words.contains(&event.word), "{agent:?} {words:?}");
            }
        }
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
            let plugin = agent.record().plugin.as_ref();
            let is_there = plugin.is_some_and(|plugin| (plugin.is_there)(text));
            assert_eq!(is_there, want, "{agent:?} {text}");
        }
    }
}

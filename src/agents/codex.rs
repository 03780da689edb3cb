//! Codex, which runs hooks only after the user has trusted each of them.
//!
//! The trust is a table in `config.toml` for each hook, `[hooks.state."PATH:EVENT:GROUP:HOOK"]`,
//! where PATH is the file of the hooks and the numbers are positions in it.

use pimem_core::exchange::json;
use serde_json::{Value, json};

use super::{
    Agent, AgentEvent, AgentFile, AgentRecord, FileForm,
    HookEvent::{
        PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop, SubagentStart,
    },
    HookTrust, KeptContext, Limit, Trial, USUAL, after, before, event,
    plugin::{self, OfPlugin},
    reply::ReplyForm,
    settings::{self, FoundHook, SettingsForm, SettingsLayout, SettingsRefusal},
};

const ADVICE: &str = "start codex and choose to trust the hooks when it asks to review them; codex \
                      exec never asks, and runs none before";

pub(super) static RECORD: AgentRecord = AgentRecord {
    name: "codex",
    title: "Codex",
    marks: &["CODEX_THREAD_ID", "CODEX_SANDBOX"],
    events: &[
        event(SessionStart, "SessionStart", 10),
        event(SubagentStart, "SubagentStart", 5),
        event(Prompt, "UserPromptSubmit", 5),
        before("PreToolUse", "apply_patch|Edit|Write|Bash"),
        after("PostToolUse", "apply_patch|Edit|Write"),
        event(PreCompact, "PreCompact", 10),
        event(Stop, "Stop", 5),
        // Codex allows three seconds at most.
        event(SessionEnd, "SessionEnd", 3),
    ],
    form: |moment| match moment {
        SessionStart | SubagentStart | Prompt | PostTool => ReplyForm::Specific,
        // It takes no question.
        PreTool => ReplyForm::Permission { asks: false },
        // Plain text and an empty answer would be a failed hook.
        Stop => ReplyForm::Braces,
        _ => ReplyForm::Silent,
    },
    // 2,500 tokens, at four bytes per token.
    limit: Some(Limit::Bytes(10_000)),
    start_context: KeptContext::Session,
    prompt_context: KeptContext::Session,
    directory: (Some(("CODEX_HOME", "")), ".codex"),
    rule_files: &["AGENTS.md"],
    transcripts: Some("sessions"),
    files: &[AgentFile {
        user: Some("hooks.json"),
        project: ".codex/hooks.json",
        content: FileForm::Settings(SettingsForm { element, ..SettingsForm::USUAL }),
    }],
    next: (ADVICE, ADVICE),
    trust: Some(HookTrust { file: "config.toml", advice: ADVICE, of_settings, of_plugin }),
    plugin: Some(OfPlugin {
        is_told: true,
        // One directory a marketplace, and one a version.
        root: |config, disk| {
            let marketplaces = (disk.list)(&config.join("plugins/cache"));
            let versions =
                marketplaces.iter().flat_map(|market| (disk.list)(&market.join(plugin::NAME)));
            versions.max()
        },
        hooks_file,
        // Codex asks for trust anew if a command changes. Any shell may run it, fish too.
        handler: |event, command, silence| {
            let [otherwise, on_windows] = match silence {
                "" => ["true".to_owned(), "exit 0".to_owned()],
                answer => [format!("echo '{answer}'"), format!("echo {answer}")],
            };
            let line = format!("command -v pimem >/dev/null && {command} || {otherwise}");
            let there = command.replacen(plugin::NAME, "pimem.exe", 1);
            let windows = format!("cmd /d /c \"where /q pimem.exe && {there} || {on_windows}\"");
            let seconds = event.seconds;
            json!({"type": "command", "command": line, "commandWindows": windows, "timeout": seconds})
        },
        places: |config, _| vec![config.join("config.toml")],
        // A table `[plugins."pimem@MARKETPLACE"]`.
        is_there: |text| {
            let mut tables = text.split("\n[").map(|table| table.trim_start_matches(['\n', '[']));
            tables.any(|table| {
                let (head, body) = table.split_once(']').unwrap_or((table, ""));
                let id = head.strip_prefix("plugins.").unwrap_or_default();
                plugin::is_ours(id.trim_matches(['"', '\'']))
                    && !body.lines().any(|line| line.replace(' ', "") == "enabled=false")
            })
        },
        ..OfPlugin::USUAL
    }),
    sample: |event, trial| match event.moment {
        PreTool | PostTool => {
            let file = Trial::FILE;
            let patch =
                format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch");
            let input = json!({"command": patch});
            trial.with(
                event,
                json!({"tool_name": "apply_patch", "tool_input": input, "tool_response": ""}),
            )
        }
        _ => trial.usual(event),
    },
    ..USUAL
};

fn element(event: &AgentEvent) -> String {
    let (name, AgentEvent { word, seconds, .. }) = (Agent::Codex.name(), event);
    let command = Agent::Codex.command(word);
    let handler = format!(
        "{{\"type\": \"command\", \"command\": \"{command}\", \"commandWindows\": \"pimem.exe hook \
         {name} {word}\", \"timeout\": {seconds}}}"
    );
    settings::grouped(event, &handler)
}

fn hooks_file(read: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let value = |name: &str| -> Value {
        serde_json::from_str(&read(name).unwrap_or_default()).unwrap_or_default()
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

fn of_settings(
    config: &str,
    hooks: &[u8],
    layout: &SettingsLayout,
    paths: &[String],
) -> Result<usize, SettingsRefusal> {
    let mut count = 0;
    settings::each_element(hooks, layout, |event, at, element| {
        let inner = element.member("hooks").map_or(&[][..], json::Value::parts);
        for (hook, part) in inner.iter().enumerate() {
            let is_ours = settings::ours(hooks, &part.value, layout, event).is_some();
            count += usize::from(is_ours && !is_trusted(config, paths, event, (at, hook)));
        }
    })?;
    Ok(count)
}

fn of_plugin(config: &str, file: &str, found: &[FoundHook]) -> usize {
    let ids = config.split("[plugins.").skip(1).filter_map(|table| table.split_once(']'));
    let ids: Vec<String> = ids
        .map(|(id, _)| id.trim_matches(['"', '\'']).to_owned())
        .filter(|id| plugin::is_ours(id))
        .map(|id| format!("{id}:{file}"))
        .collect();
    found.iter().filter(|hook| !is_trusted(config, &ids, &hook.event, (0, 0))).count()
}

/// Returns true if Codex runs a hook of an event, at a position among its groups and hooks. `files`
/// are the names that Codex may have for its file.
fn is_trusted(config: &str, files: &[String], event: &str, (group, hook): (usize, usize)) -> bool {
    let mut snake = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    files.iter().any(|file| {
        let name = format!("{file}:{snake}:{group}:{hook}");
        let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
        config.contains(&format!("[hooks.state.\"{escaped}\"]"))
            || config.contains(&format!("[hooks.state.'{name}']"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{Content, InstallReach};

    #[test]
    fn each_hook_is_trusted_by_its_place() {
        let files = Agent::Codex.files(InstallReach::User);
        let (_, Content::Settings(layout)) = &files[0] else { panic!() };
        let other = br#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"lint"}]}]}}"#;
        let hooks = settings::with(Some(other), layout).unwrap().unwrap();
        let paths = ["/h/.codex/hooks.json".to_owned(), "/real/h\"/hooks.json".to_owned()];
        let missing = |config: &str| of_settings(config, &hooks, layout, &paths).unwrap();
        assert_eq!(missing(""), 8);
        let table =
            |key: &str| format!("[hooks.state.\"/h/.codex/{key}\"]\ntrusted_hash = \"9\"\n");
        assert_eq!(missing(&table("hooks.json:session_start:0:0")), 7);
        // Behind the hook of somebody else.
        assert_eq!(missing(&table("hooks.json:stop:0:0")), 8);
        assert_eq!(missing(&table("hooks.json:stop:1:0")), 7);
        assert_eq!(missing("[hooks.state.\"/real/h\\\"/hooks.json:post_tool_use:0:0\"]"), 7);
        assert_eq!(missing("[hooks.state.'/h/.codex/hooks.json:session_end:0:0']"), 7);
        assert_eq!(missing(&table("other.json:session_start:0:0")), 8);
    }

    #[test]
    fn hooks_of_the_plugin_are_trusted_by_their_place() {
        let hooks = plugin::found(Agent::Codex, &plugin::hooks(Agent::Codex).unwrap());
        let config = "[plugins.\"pimem@here\"]\nenabled = true\n\n\
                      [hooks.state.\"pimem@here:hooks/codex-hooks.json:stop:0:0\"]\n";
        let missing = |file: &str| of_plugin(config, file, &hooks);
        assert_eq!(missing("hooks/codex-hooks.json"), hooks.len() - 1);
        assert_eq!(missing("hooks/other.json"), hooks.len());
    }

    #[test]
    fn there_are_no_hooks_beside_a_neutral_manifest() {
        let neutral =
            r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"}"#;
        let found = |neutral: &str| {
            hooks_file(&|name| match name {
                "plugin.json" => Some(neutral.to_owned()),
                ".codex-plugin/plugin.json" => {
                    Some(r#"{"hooks": "./hooks/codex.json"}"#.to_owned())
                }
                _ => None,
            })
        };
        assert_eq!(found("{}").as_deref(), Ok("hooks/codex.json"));
        assert_eq!(hooks_file(&|_| None).as_deref(), Ok("hooks/hooks.json"));
        assert!(found(neutral).is_err());
    }
}

//! Gemini CLI.

use pimem_core::exchange::json::Dialect;
use serde_json::{Value, json};

use super::{
    Agent, AgentEvent, AgentFile, AgentRecord, CompactionReply, FileForm,
    HookEvent::{PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop},
    Trial, USUAL, after, before, event,
    hook_input::Field,
    plugin::{self, OfPlugin},
    reply::ReplyForm,
    settings::{self, SettingsForm},
};

pub(super) static RECORD: AgentRecord = AgentRecord {
    name: "gemini",
    title: "Gemini CLI",
    marks: &["GEMINI_CLI"],
    project_variable: Some("GEMINI_PROJECT_DIR"),
    events: &[
        event(SessionStart, "SessionStart", 10),
        event(Prompt, "BeforeAgent", 5),
        before("BeforeTool", "write_file|replace|run_shell_command"),
        after("AfterTool", "write_file|replace"),
        event(PreCompact, "PreCompress", 10),
        event(Stop, "AfterAgent", 5),
        event(SessionEnd, "SessionEnd", 5),
    ],
    spellings: &[(Field::Response, "prompt_response")],
    form: |moment| match moment {
        SessionStart | Prompt | PostTool => ReplyForm::Specific,
        PreTool => ReplyForm::Verdict,
        _ => ReplyForm::Silent,
    },
    compaction: CompactionReply::InTranscript,
    shows_notices: true,
    directory: (None, ".gemini"),
    rule_files: &["GEMINI.md"],
    transcripts: Some("tmp"),
    files: &[AgentFile {
        user: Some("settings.json"),
        project: ".gemini/settings.json",
        content: FileForm::Settings(SettingsForm {
            dialect: Dialect::Commented,
            off: Some((&["hooksConfig", "enabled"], "false")),
            element,
            ..SettingsForm::USUAL
        }),
    }],
    next: (
        "start Gemini CLI anew; /hooks lists them",
        "start Gemini CLI anew, and trust this folder; in others it runs no hooks",
    ),
    unit: 0.001,
    plugin: Some(OfPlugin {
        root: |config, _| Some(config.join("extensions").join(plugin::NAME)),
        handler: |event, command, _| {
            let (line, milliseconds) = (plugin::succeeding(command), event.seconds * 1000);
            json!({"type": "command", "name": plugin::NAME, "command": line, "timeout": milliseconds})
        },
        places: |config, _| vec![config.join("extensions/pimem/gemini-extension.json")],
        is_there: |text| {
            let manifest: Value = serde_json::from_str(text).unwrap_or_default();
            manifest.get("name").is_some_and(|name| name == plugin::NAME)
        },
        ..OfPlugin::USUAL
    }),
    sample: |event, trial| match event.moment {
        PreTool | PostTool => trial.with(
            event,
            json!({
                "tool_name": "replace", "tool_input": {"file_path": trial.file()},
                "tool_response": {},
            }),
        ),
        Stop => trial.with(
            event,
            json!({
                "prompt": Trial::PROMPT, "prompt_response": Trial::ANSWER,
                "stop_hook_active": false,
            }),
        ),
        _ => trial.usual(event),
    },
    ..USUAL
};

fn element(event: &AgentEvent) -> String {
    let milliseconds = event.seconds * 1000;
    settings::grouped(event, &settings::named_handler(Agent::Gemini, event, milliseconds))
}

//! Cursor.

use pimem_core::exchange::json::Dialect;
use serde_json::{Value, json};

use super::{
    Agent, AgentEvent, AgentFile, AgentRecord, FileForm,
    HookEvent::{
        PostCompact, PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop,
        SubagentStart,
    },
    Trial, USUAL, WholeFile, before, event,
    hook_input::Field,
    merged,
    reply::ReplyForm,
    settings::SettingsForm,
};

pub(super) static RECORD: AgentRecord = AgentRecord {
    name: "cursor",
    title: "Cursor",
    marks: &["CURSOR_AGENT"],
    project_variable: Some("CURSOR_PROJECT_DIR"),
    events: &[
        event(SessionStart, "sessionStart", 5),
        event(Prompt, "beforeSubmitPrompt", 5),
        before(
            "preToolUse",
            "Shell|Write|Edit|StrReplace|MultiEdit|ApplyPatch|EditNotebook|Delete",
        ),
        event(PostTool, "afterFileEdit", 5),
        event(PreCompact, "preCompact", 10),
        event(Stop, "stop", 5),
        event(SessionEnd, "sessionEnd", 5),
    ],
    spellings: &[(Field::Session, "conversation_id"), (Field::Workspaces, "workspace_roots")],
    form: |moment| match moment {
        SessionStart => ReplyForm::Member("additional_context"),
        Prompt => ReplyForm::Continue,
        // It reads "ask" here, and asks nobody.
        PreTool => ReplyForm::Messages,
        _ => ReplyForm::Silent,
    },
    directory: (None, ".cursor"),
    rule_files: &["AGENTS.md"],
    files: &[
        AgentFile {
            user: Some("hooks.json"),
            project: ".cursor/hooks.json",
            content: FileForm::Settings(SettingsForm {
                dialect: Dialect::Commented,
                beside: Some(("version", "1")),
                element: |event| {
                    let (command, seconds) = (Agent::Cursor.command(event.word), event.seconds);
                    let matcher = event.matcher.map(|tools| format!(", \"matcher\": \"{tools}\""));
                    let matcher = matcher.unwrap_or_default();
                    format!("{{\"command\": \"{command}\", \"timeout\": {seconds}{matcher}}}")
                },
                ..SettingsForm::USUAL
            }),
        },
        AgentFile {
            user: None,
            project: ".cursor/rules/pimem.mdc",
            content: FileForm::Whole(WholeFile {
                text: include_str!("shims/cursor.mdc"),
                what: "rule",
            }),
        },
    ],
    next: (
        "start Cursor anew; Settings, Hooks lists them",
        "start Cursor anew; Settings, Hooks lists them",
    ),
    sample,
    ..USUAL
};

fn sample(event: &AgentEvent, trial: &Trial<'_>) -> Value {
    let rest = match event.moment {
        SessionStart | SubagentStart => {
            json!({"session_id": trial.session(), "composer_mode": "agent"})
        }
        Prompt => json!({"prompt": Trial::PROMPT, "attachments": []}),
        PreTool => json!({
            "tool_name": "Write", "tool_input": {"file_path": trial.file(), "content": "x"},
        }),
        PostTool => json!({"file_path": trial.file(), "edits": []}),
        PreCompact | PostCompact => json!({"trigger": "auto"}),
        Stop => json!({"status": "completed", "loop_count": 0}),
        SessionEnd => json!({"session_id": trial.session(), "reason": "completed"}),
    };
    let common = json!({
        "conversation_id": trial.session(), "generation_id": "1", "model": "trial",
        "hook_event_name": event.native, "workspace_roots": [trial.project],
        "transcript_path": null,
    });
    merged(common, rest)
}

//! Cursor.

use serde_json::{Value, json};

use super::{
    Agent, Event, File, FileForm,
    HookEvent::{PostCompact, PostTool, PreCompact, Prompt, SessionEnd, SessionStart, Stop},
    Record, Trial, USUAL, Whole, event,
    hook_input::Field,
    merged,
    reply::Form,
    settings::SettingsForm,
};
use pimem_core::exchange::json_scan::Dialect;

pub(super) static RECORD: Record = Record {
    name: "cursor",
    title: "Cursor",
    marks: &["CURSOR_AGENT"],
    project_variable: Some("CURSOR_PROJECT_DIR"),
    events: &[
        event(SessionStart, "sessionStart", 5),
        event(Prompt, "beforeSubmitPrompt", 5),
        event(PostTool, "afterFileEdit", 5),
        event(PreCompact, "preCompact", 10),
        event(Stop, "stop", 5),
        event(SessionEnd, "sessionEnd", 5),
    ],
    spellings: &[(Field::Session, "conversation_id"), (Field::Workspaces, "workspace_roots")],
    form: |moment| match moment {
        SessionStart => Form::Member("additional_context"),
        Prompt => Form::Continue,
        _ => Form::Silent,
    },
    directory: (None, ".cursor"),
    files: &[
        File {
            user: Some("hooks.json"),
            project: ".cursor/hooks.json",
            content: FileForm::Settings(SettingsForm {
                dialect: Dialect::Commented,
                beside: Some(("version", "1")),
                element: |event| {
                    let (command, seconds) = (Agent::Cursor.command(event.word), event.seconds);
                    format!("{{\"command\": \"{command}\", \"timeout\": {seconds}}}")
                },
                ..SettingsForm::USUAL
            }),
        },
        File {
            user: None,
            project: ".cursor/rules/pimem.mdc",
            content: FileForm::Whole(Whole {
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

fn sample(event: &Event, trial: &Trial<'_>) -> Value {
    let rest = match event.moment {
        SessionStart => json!({"session_id": trial.session(), "composer_mode": "agent"}),
        Prompt => json!({"prompt": Trial::PROMPT, "attachments": []}),
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

//! Antigravity.

use serde_json::{Value, json};

use super::{
    Agent, AgentEvent, AgentFile, AgentRecord, FileForm,
    HookEvent::{PostTool, Prompt, Stop},
    Trial, USUAL, after, event,
    hook_input::{Field, Telling},
    merged,
    reply::ReplyForm,
    settings::{self, SettingsForm},
};

pub(super) static RECORD: AgentRecord = AgentRecord {
    name: "antigravity",
    title: "Antigravity",
    marks: &["ANTIGRAVITY_AGENT"],
    events: &[
        // Called before each request to the model; only the first of a turn has a new prompt.
        AgentEvent { word: "pre-invocation", ..event(Prompt, "PreInvocation", 10) },
        after("PostToolUse", "*"),
        event(Stop, "Stop", 10),
    ],
    spellings: &[
        (Field::Session, "conversationId"),
        (Field::Workspaces, "workspacePaths"),
        (Field::Tool, "toolName"),
        (Field::Arguments, "toolArgs"),
        (Field::File, "TargetFile"),
        (Field::File, "AbsolutePath"),
        (Field::Transcript, "transcriptPath"),
    ],
    // By its documentation, its event has no prompt. What has one is something else.
    speaker: Telling::UNKNOWN,
    // It parses every answer; plain text and an empty answer would be a failed hook.
    form: |moment| match moment {
        Prompt => ReplyForm::Steps,
        Stop => ReplyForm::Decision,
        _ => ReplyForm::Braces,
    },
    tells_end: false,
    directory: (None, ".gemini/config"),
    rule_files: &["AGENTS.md", "GEMINI.md"],
    signs: &["", "../antigravity-cli"],
    files: &[AgentFile {
        user: Some("hooks.json"),
        project: ".agents/hooks.json",
        content: FileForm::Settings(SettingsForm {
            group: "pimem",
            inner: Some(("enabled", "true")),
            off: Some((&["pimem", "enabled"], "false")),
            element,
            ..SettingsForm::USUAL
        }),
    }],
    next: ("start agy anew", "start agy anew"),
    sample,
    ..USUAL
};

fn element(event: &AgentEvent) -> String {
    let handler = settings::handler(Agent::Antigravity, event);
    if event.matcher.is_some() { settings::grouped(event, &handler) } else { handler }
}

fn sample(event: &AgentEvent, trial: &Trial<'_>) -> Value {
    let rest = match event.moment {
        PostTool => json!({
            "toolName": "write_to_file", "toolInput": {"TargetFile": trial.file()},
        }),
        Stop => json!({"fullyIdle": true}),
        _ => json!({"invocationNum": 0, "initialNumSteps": 1, "prompt": Trial::PROMPT}),
    };
    let common = json!({
        "conversationId": trial.session(), "workspacePaths": [trial.project], "modelName": "trial",
    });
    merged(common, rest)
}

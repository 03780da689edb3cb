//! Copilot CLI. It reads every file of its folder of hooks, and calls events by Claude Code's names with
//! that agent's input; its answers are its own.

use serde_json::json;

use super::{
    Agent, AgentFile, AgentRecord, CompactionReply, FileForm,
    HookEvent::{PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop},
    KeptContext, USUAL, event,
    reply::ReplyForm,
    settings::{self, SettingsForm},
};

pub(super) static RECORD: AgentRecord = AgentRecord {
    name: "copilot",
    title: "Copilot CLI",
    marks: &["COPILOT_CLI"],
    events: &[
        event(SessionStart, "SessionStart", 10),
        event(Prompt, "UserPromptSubmit", 5),
        event(PreTool, "PreToolUse", 5),
        event(PostTool, "PostToolUse", 5),
        event(PreCompact, "PreCompact", 10),
        event(Stop, "Stop", 10),
        event(SessionEnd, "SessionEnd", 10),
    ],
    form: |moment| match moment {
        SessionStart | Prompt | PostTool => ReplyForm::Member("additionalContext"),
        PreTool => ReplyForm::Permission { asks: true },
        _ => ReplyForm::Silent,
    },
    prompt_context: KeptContext::Session,
    compaction: CompactionReply::Announced,
    starts_new: true,
    directory: (Some(("COPILOT_HOME", "")), ".copilot"),
    rule_files: &["AGENTS.md", ".github/copilot-instructions.md"],
    files: &[AgentFile {
        user: Some("hooks/pimem.json"),
        project: ".github/hooks/pimem.json",
        content: FileForm::Settings(SettingsForm {
            beside: Some(("version", "1")),
            element: |event| settings::handler(Agent::Copilot, event),
            ..SettingsForm::USUAL
        }),
    }],
    next: ("start Copilot CLI anew", "start Copilot CLI anew, and trust this folder"),
    sample: |event, trial| match event.moment {
        PreTool | PostTool => trial.with(
            event,
            json!({
                "tool_name": "edit", "tool_input": {"path": trial.file()}, "tool_result": {},
            }),
        ),
        _ => trial.usual(event),
    },
    ..USUAL
};

//! Qwen Code, whose hooks are those of Claude Code.

use pimem_core::exchange::json::Dialect;
use serde_json::json;

use super::{
    Agent, AgentEvent, AgentFile, AgentRecord, CompactionReply, FileForm,
    HookEvent::{PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop},
    KeptContext, USUAL, after, before, event,
    reply::ReplyForm,
    settings::{self, SettingsForm},
};

pub(super) static RECORD: AgentRecord = AgentRecord {
    name: "qwen",
    title: "Qwen Code",
    marks: &["QWEN_CODE"],
    project_variable: Some("QWEN_PROJECT_DIR"),
    events: &[
        event(SessionStart, "SessionStart", 10),
        event(Prompt, "UserPromptSubmit", 5),
        before("PreToolUse", "write_file|edit|run_shell_command"),
        after("PostToolUse", "write_file|edit"),
        event(PreCompact, "PreCompact", 10),
        event(Stop, "Stop", 10),
        event(SessionEnd, "SessionEnd", 10),
    ],
    form: |moment| match moment {
        SessionStart | Prompt | PostTool => ReplyForm::Specific,
        PreTool => ReplyForm::Permission { asks: true },
        _ => ReplyForm::Silent,
    },
    shows_notices: true,
    prompt_context: KeptContext::Session,
    compaction: CompactionReply::Announced,
    // Without a screen.
    tells_end: false,
    directory: (None, ".qwen"),
    rule_files: &["QWEN.md", "AGENTS.md"],
    files: &[AgentFile {
        user: Some("settings.json"),
        project: ".qwen/settings.json",
        content: FileForm::Settings(SettingsForm {
            dialect: Dialect::Commented,
            off: Some((&["disableAllHooks"], "true")),
            element,
            ..SettingsForm::USUAL
        }),
    }],
    next: (
        "start Qwen Code anew; /hooks lists them",
        "start Qwen Code anew, and trust this folder",
    ),
    sample: |event, trial| match event.moment {
        PreTool | PostTool => trial.with(
            event,
            json!({
                "tool_name": "edit", "tool_input": {"file_path": trial.file()},
                "tool_response": {},
            }),
        ),
        _ => trial.usual(event),
    },
    ..USUAL
};

fn element(event: &AgentEvent) -> String {
    settings::grouped(event, &settings::named_handler(Agent::Qwen, event, event.seconds))
}

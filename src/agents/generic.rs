//! Any other program. Answers are plain text.

use super::{
    AgentRecord,
    HookEvent::{PostTool, PreCompact, PreTool, Prompt, SessionStart, SubagentStart},
    SHIM, USUAL,
    hook_input::Telling,
    reply::ReplyForm,
};

pub(super) static RECORD: AgentRecord = AgentRecord {
    name: "generic",
    title: "any other",
    marks: &["AI_AGENT"],
    events: &SHIM,
    speaker: Telling::TOLD,
    form: |moment| match moment {
        PreTool => ReplyForm::Verdict,
        SessionStart | SubagentStart | Prompt | PostTool | PreCompact => ReplyForm::Plain,
        _ => ReplyForm::Silent,
    },
    next: ("have the agent run these lines", "have the agent run these lines"),
    sample: |event, trial| trial.of_shim(event),
    ..USUAL
};

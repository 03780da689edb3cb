//! Any other program. Answers are plain text.

use super::{
    HookEvent::{PostTool, PreCompact, Prompt, SessionStart},
    Record, SHIM, USUAL,
    hook_input::Telling,
    reply::Form,
};

pub(super) static RECORD: Record = Record {
    name: "generic",
    title: "any other",
    marks: &["AI_AGENT"],
    events: &SHIM,
    speaker: Telling::TOLD,
    form: |moment| match moment {
        SessionStart | Prompt | PostTool | PreCompact => Form::Plain,
        _ => Form::Silent,
    },
    next: ("have the agent run these lines", "have the agent run these lines"),
    sample: |event, trial| trial.of_shim(event),
    ..USUAL
};

//! `OpenCode`, which loads a plugin in TypeScript.

use super::{
    File, FileForm,
    HookEvent::{PostCompact, PostTool, PreCompact, Prompt, SessionStart, Stop},
    Kept, Record, SHIM, USUAL, Whole,
    hook_input::Telling,
    reply::Form,
    shim,
};

pub(super) static RECORD: Record = Record {
    name: "opencode",
    title: "OpenCode",
    marks: &["OPENCODE"],
    // It has none at the end of a session.
    events: SHIM.split_at(6).0,
    own_names: &[
        (SessionStart, "session.created"),
        (Prompt, "chat.message"),
        (PostTool, "tool.execute.after"),
        (PreCompact, "experimental.session.compacting"),
        (PostCompact, "session.compacted"),
        (Stop, "session.idle"),
    ],
    speaker: Telling::SHIM,
    form: Form::of_shim,
    // The report is in the system prompt, the rest beside the prompts.
    prompt_context: Kept::Session,
    tells_end: false,
    directory: (Some(("XDG_CONFIG_HOME", "opencode")), ".config/opencode"),
    files: &[File {
        user: Some("plugins/pimem.ts"),
        project: ".opencode/plugins/pimem.ts",
        content: FileForm::Whole(Whole { text: shim!("shims/opencode.ts"), what: "plugin" }),
    }],
    next: ("start OpenCode anew", "start OpenCode anew"),
    sample: |event, trial| trial.of_shim(event),
    ..USUAL
};

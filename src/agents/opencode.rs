//! `OpenCode`, which loads a plugin in TypeScript.

use super::{
    AgentFile, AgentRecord, FileForm,
    HookEvent::{PostCompact, PostTool, PreCompact, PreTool, Prompt, SessionStart, Stop},
    KeptContext, SHIM, USUAL, WholeFile,
    hook_input::Telling,
    reply::ReplyForm,
    shim,
};

pub(super) static RECORD: AgentRecord = AgentRecord {
    name: "opencode",
    title: "OpenCode",
    marks: &["OPENCODE"],
    // It has none at the end of a session.
    events: SHIM.split_at(7).0,
    own_names: &[
        (SessionStart, "session.created"),
        (Prompt, "chat.message"),
        (PreTool, "tool.execute.before"),
        (PostTool, "tool.execute.after"),
        (PreCompact, "experimental.session.compacting"),
        (PostCompact, "session.compacted"),
        (Stop, "session.idle"),
    ],
    speaker: Telling::SHIM,
    form: ReplyForm::of_shim,
    // The report is in the system prompt, the rest beside the prompts.
    prompt_context: KeptContext::Session,
    tells_end: false,
    directory: (Some(("XDG_CONFIG_HOME", "opencode")), ".config/opencode"),
    rule_files: &["AGENTS.md"],
    files: &[AgentFile {
        user: Some("plugins/pimem.ts"),
        project: ".opencode/plugins/pimem.ts",
        content: FileForm::Whole(WholeFile { text: shim!("shims/opencode.ts"), what: "plugin" }),
    }],
    next: ("start OpenCode anew", "start OpenCode anew"),
    sample: |event, trial| trial.of_shim(event),
    ..USUAL
};

//! pi, which loads an extension in TypeScript.

use super::{
    AgentFile, AgentRecord, FileForm,
    HookEvent::{
        PostCompact, PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop,
    },
    KeptContext, SHIM, USUAL, WholeFile,
    hook_input::Telling,
    reply::ReplyForm,
    shim,
};

pub(super) static RECORD: AgentRecord = AgentRecord {
    name: "pi",
    title: "pi",
    marks: &["PI_CODING_AGENT"],
    events: &SHIM,
    own_names: &[
        (SessionStart, "session_start"),
        (Prompt, "before_agent_start"),
        (PreTool, "tool_call"),
        (PostTool, "tool_result"),
        (PreCompact, "session_before_compact"),
        (PostCompact, "session_compact"),
        (Stop, "turn_end"),
        (SessionEnd, "session_shutdown"),
    ],
    speaker: Telling::SHIM,
    form: ReplyForm::of_shim,
    start_context: KeptContext::Session,
    prompt_context: KeptContext::Session,
    replaces_summary: true,
    directory: (Some(("PI_CODING_AGENT_DIR", "")), ".pi/agent"),
    rule_files: &["AGENTS.md", "CLAUDE.md"],
    transcripts: Some("sessions"),
    // Not the directory itself, which contains our store.
    signs: &["settings.json", "auth.json", "models.json", "sessions", "extensions"],
    files: &[AgentFile {
        user: Some("extensions/pimem.ts"),
        project: ".pi/extensions/pimem.ts",
        content: FileForm::Whole(WholeFile { text: shim!("shims/pi.ts"), what: "extension" }),
    }],
    next: ("/reload in pi", "trust this project in pi, then /reload"),
    sample: |event, trial| trial.of_shim(event),
    ..USUAL
};

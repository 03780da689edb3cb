//! Claude Code.

use std::path::{Path, PathBuf};

use pimem_core::exchange::json::Dialect;
use serde_json::Value;

use super::{
    Agent, AgentEvent, AgentFile, AgentRecord, FileForm,
    HookEvent::{
        PostCompact, PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop,
        SubagentStart,
    },
    KeptContext, Limit, USUAL, after, before, event,
    hook_input::{
        Speaker::{Agent as Machine, Person},
        Telling,
    },
    plugin::{self, Disk, OfPlugin},
    reply::ReplyForm,
    settings::{self, SettingsForm},
};

pub(super) static RECORD: AgentRecord = AgentRecord {
    name: "claude",
    title: "Claude Code",
    marks: &["CLAUDECODE"],
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    events: &[
        event(SessionStart, "SessionStart", 10),
        event(SubagentStart, "SubagentStart", 5),
        event(Prompt, "UserPromptSubmit", 5),
        before("PreToolUse", "Edit|Write|MultiEdit|NotebookEdit|Bash"),
        after("PostToolUse", "Edit|Write|MultiEdit|NotebookEdit"),
        event(PreCompact, "PreCompact", 10),
        event(PostCompact, "PostCompact", 10),
        event(Stop, "Stop", 10),
        event(SessionEnd, "SessionEnd", 10),
    ],
    // Documented, and not sent by 2.1.330: messages are known by their elements then. `sdk` is a
    // prompt of `claude -p`.
    speaker: Telling {
        field: Some("source"),
        values: &[
            ("user", Person),
            ("sdk", Person),
            ("system", Machine),
            ("loop_wakeup", Machine),
            ("schedule_wakeup", Machine),
            ("poll_event", Machine),
        ],
        missing: Person,
    },
    has_silent_schedules: true,
    form: |moment| match moment {
        SessionStart | SubagentStart | Prompt | PostTool => ReplyForm::Specific,
        PreTool => ReplyForm::Permission { asks: true },
        _ => ReplyForm::Silent,
    },
    // Documented as "capped at 10,000 characters"; the program is written in JavaScript.
    limit: Some(Limit::Utf16(10_000)),
    start_context: KeptContext::Session,
    prompt_context: KeptContext::Session,
    shows_notices: true,
    directory: (Some(("CLAUDE_CONFIG_DIR", "")), ".claude"),
    rule_files: &["CLAUDE.md", ".claude/CLAUDE.md"],
    transcripts: Some("projects"),
    files: &[AgentFile {
        user: Some("settings.json"),
        project: ".claude/settings.json",
        content: FileForm::Settings(SettingsForm {
            dialect: Dialect::Commented,
            obsolete: Some(("async", "true")),
            off: Some((&["disableAllHooks"], "true")),
            element,
            ..SettingsForm::USUAL
        }),
    }],
    next: (
        "start Claude Code anew; /hooks lists them",
        "start Claude Code anew; .claude/settings.json is shared through git, and everyone who \
         works here needs pimem",
    ),
    plugin: Some(OfPlugin {
        description: Some("Memory that outlives the context"),
        is_told: true,
        root,
        places: |config, project| {
            let project = project.map(|project| project.join(".claude"));
            let project = project.iter().flat_map(|dir| {
                ["settings.json", "settings.local.json"].map(|name| dir.join(name))
            });
            [config.join("settings.json")].into_iter().chain(project).collect()
        },
        is_there: |text| {
            let settings: Value = serde_json::from_str(text).unwrap_or_default();
            let plugins = settings.get("enabledPlugins").and_then(Value::as_object);
            plugins.into_iter().flatten().any(|(id, on)| plugin::is_ours(id) && on == true)
        },
        ..OfPlugin::USUAL
    }),
    ..USUAL
};

/// None is `async`: without a screen, Claude Code ends before such a hook has run.
fn element(event: &AgentEvent) -> String {
    let (name, AgentEvent { word, seconds, .. }) = (Agent::Claude.name(), event);
    let handler = format!(
        "{{\"type\": \"command\", \"command\": \"pimem\", \"args\": [\"hook\", \"{name}\", \
         \"{word}\"], \"timeout\": {seconds}}}"
    );
    settings::grouped(event, &handler)
}

/// Claude Code notes where its plugins are.
fn root(config: &Path, disk: &Disk<'_>) -> Option<PathBuf> {
    let noted = (disk.read)(&config.join("plugins/installed_plugins.json"));
    let noted: Value = serde_json::from_str(&noted.unwrap_or_default()).unwrap_or_default();
    let plugins = noted.get("plugins").and_then(Value::as_object)?;
    let (_, places) = plugins.iter().find(|(id, _)| plugin::is_ours(id))?;
    places.as_array()?.last()?.get("installPath")?.as_str().map(PathBuf::from)
}

//! The agents whose hooks pimem serves: a row here, and a record in a file of its own. Pure.
//!
//! Commands never change between versions and contain no directory, because Codex trusts a hook by
//! its exact bytes. Formats of transcripts are known by their records, in `pimem_core::session`.

mod antigravity;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod generic;
pub(crate) mod hook_input;
mod opencode;
mod pi;
pub(crate) mod plugin;
mod qwen;
pub(crate) mod reply;
pub(crate) mod settings;
#[cfg(test)]
mod settings_tests;
#[cfg(test)]
mod tests;
pub(crate) mod tool_call;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::{
    hook_input::{Field, Telling},
    plugin::OfPlugin,
    reply::ReplyForm,
    settings::{FoundHook, Hook, SettingsForm, SettingsLayout, SettingsRefusal},
};

macro_rules! agents {
    ($($variant:ident $module:ident;)*) => {
        /// A program whose hooks call pimem.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Agent { $($variant),* }

        impl Agent {
            pub(crate) const ALL: [Self; [$(stringify!($variant)),*].len()] =
                [$(Self::$variant),*];

            pub(crate) fn record(self) -> &'static AgentRecord {
                match self { $(Self::$variant => &$module::RECORD,)* }
            }
        }
    };
}

agents! {
    Claude claude;
    Codex codex;
    Gemini gemini;
    Copilot copilot;
    Qwen qwen;
    Antigravity antigravity;
    Cursor cursor;
    Opencode opencode;
    Pi pi;
    Generic generic;
}

/// How an agent calls pimem, what it makes of the answers, and how it is installed.
/// docs/building/agents-tested.md says what was measured.
#[expect(clippy::struct_excessive_bools, reason = "independent properties")]
pub(crate) struct AgentRecord {
    /// Name on the command line.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Variables by which the agent marks the commands that it runs.
    pub(crate) marks: &'static [&'static str],
    /// Variable that names the directory of the project to what the agent starts.
    pub(crate) project_variable: Option<&'static str>,

    /// The events that call pimem, in the order of a session.
    pub(crate) events: &'static [AgentEvent],
    /// The agent's own names of the events if it loads a shim.
    pub(crate) own_names: &'static [(HookEvent, &'static str)],
    /// Keys of its input that no other agent has.
    pub(crate) spellings: &'static [(Field, &'static str)],
    /// How it tells who wrote a prompt.
    pub(crate) speaker: Telling,
    /// True if only its transcript tells of some prompts that it had put on a schedule itself.
    pub(crate) has_silent_schedules: bool,

    /// The answer that is permitted at an event.
    pub(crate) form: fn(HookEvent) -> ReplyForm,
    /// The documented limit of one answer. The agent would write a longer one to a file, or drop it.
    pub(crate) limit: Option<Limit>,
    /// How long the context has what the start of a session gave.
    pub(crate) start_context: KeptContext,
    /// How long the context has what prompts and tools gave.
    pub(crate) prompt_context: KeptContext,
    pub(crate) compaction: CompactionReply,
    /// True if the answer before a compaction replaces its summary.
    pub(crate) replaces_summary: bool,
    /// False if there is no event at the end of a session.
    pub(crate) tells_end: bool,
    /// True if it calls the start of a session `new`, which others do when one is begun in their stead.
    pub(crate) starts_new: bool,
    /// True if the agent shows the `systemMessage` of an answer to the person, not to the model.
    pub(crate) shows_notices: bool,

    /// Where the settings directory is: a variable with a subdirectory, and otherwise a path in the
    /// home directory.
    pub(crate) directory: (Option<(&'static str, &'static str)>, &'static str),
    /// Files of rules at the root of a project that the agent reads by itself.
    pub(crate) rule_files: &'static [&'static str],
    /// Its folder with transcripts, whose format is known.
    pub(crate) transcripts: Option<&'static str>,
    /// Files in that directory which show that the agent is used.
    pub(crate) signs: &'static [&'static str],
    pub(crate) files: &'static [AgentFile],
    /// The user's next step that makes the hooks run: in all projects, and in one.
    pub(crate) next: (&'static str, &'static str),
    /// The unit of the agent's time limits, in seconds.
    pub(crate) unit: f64,
    pub(crate) trust: Option<HookTrust>,
    pub(crate) plugin: Option<OfPlugin>,
    /// The input of a hook for a trial, as documented by the agent.
    pub(crate) sample: fn(&AgentEvent, &Trial<'_>) -> Value,
}

/// What most agents have. Lifetimes that are not documented are the careful ones.
const USUAL: AgentRecord = AgentRecord {
    name: "",
    title: "",
    marks: &[],
    project_variable: None,
    events: &[],
    own_names: &[],
    spellings: &[],
    speaker: Telling::PERSON,
    has_silent_schedules: false,
    form: |_| ReplyForm::Silent,
    limit: None,
    start_context: KeptContext::Process,
    prompt_context: KeptContext::Process,
    compaction: CompactionReply::Told,
    replaces_summary: false,
    tells_end: true,
    starts_new: false,
    shows_notices: false,
    directory: (None, ""),
    rule_files: &[],
    transcripts: None,
    signs: &[""],
    files: &[],
    next: ("", ""),
    unit: 1.0,
    trust: None,
    plugin: None,
    sample: |event, trial| trial.usual(event),
};

/// How long a text stays in an agent's context. A compaction removes it in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptContext {
    /// Until the process ends. A resumed session does not have it.
    Process,
    /// As long as the session, also when it is resumed.
    Session,
}

/// How an agent tells that it has compacted its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompactionReply {
    /// By the events before and after it.
    Told,
    /// By the event before it alone.
    Announced,
    /// In the transcript only. The event before it comes with every call of the model.
    InTranscript,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// In UTF-16 code units, which are characters in JavaScript.
    Utf16(usize),
    /// In bytes of UTF-8.
    Bytes(usize),
}

impl Limit {
    /// Returns the size of a text in the unit of the limit.
    pub(crate) fn size(self, text: &str) -> usize {
        match self {
            // Every character has exactly one byte that is not a continuation byte; characters of
            // four bytes are two code units.
            Self::Utf16(_) => {
                let units = |byte: u8| usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0);
                text.bytes().map(units).sum()
            }
            Self::Bytes(_) => text.len(),
        }
    }

    /// Returns the limit for a text that follows another of size `taken`.
    pub(crate) fn less(self, taken: usize) -> Self {
        match self {
            Self::Utf16(most) => Self::Utf16(most.saturating_sub(taken)),
            Self::Bytes(most) => Self::Bytes(most.saturating_sub(taken)),
        }
    }

    /// Returns the limit as a number.
    pub(crate) fn most(self) -> usize {
        match self {
            Self::Utf16(most) | Self::Bytes(most) => most,
        }
    }
}

/// The events that call a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HookEvent {
    /// A session starts or restarts.
    SessionStart,
    /// A sub-agent starts, with a context of its own.
    SubagentStart,
    /// The user has submitted a prompt.
    Prompt,
    /// A tool is about to run.
    PreTool,
    /// A tool has run.
    PostTool,
    /// The context is about to be compacted.
    PreCompact,
    /// The context was compacted.
    PostCompact,
    /// The agent has answered.
    Stop,
    SessionEnd,
}

impl HookEvent {
    /// All events, in the order of a session.
    pub(crate) const ALL: [Self; 9] = [
        Self::SessionStart,
        Self::SubagentStart,
        Self::Prompt,
        Self::PreTool,
        Self::PostTool,
        Self::PreCompact,
        Self::PostCompact,
        Self::Stop,
        Self::SessionEnd,
    ];

    /// Returns the name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::SubagentStart => "subagent-start",
            Self::Prompt => "prompt",
            Self::PreTool => "pre-tool",
            Self::PostTool => "post-tool",
            Self::PreCompact => "pre-compact",
            Self::PostCompact => "post-compact",
            Self::Stop => "stop",
            Self::SessionEnd => "session-end",
        }
    }
}

/// An event for which an agent calls pimem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AgentEvent {
    pub(crate) moment: HookEvent,
    /// Name of the event in the agent's settings.
    pub(crate) native: &'static str,
    /// Name of the event on pimem's command line.
    pub(crate) word: &'static str,
    /// Pattern of the tools before or after which the hook is called.
    pub(crate) matcher: Option<&'static str>,
    /// Time limit in seconds.
    pub(crate) seconds: u32,
}

const fn event(moment: HookEvent, native: &'static str, seconds: u32) -> AgentEvent {
    AgentEvent { moment, native, word: moment.name(), matcher: None, seconds }
}

const fn before(native: &'static str, matcher: &'static str) -> AgentEvent {
    AgentEvent { matcher: Some(matcher), ..event(HookEvent::PreTool, native, 5) }
}

const fn after(native: &'static str, matcher: &'static str) -> AgentEvent {
    AgentEvent { matcher: Some(matcher), ..event(HookEvent::PostTool, native, 5) }
}

/// Events of the agents that load a shim, with the shim's time limits.
const SHIM: [AgentEvent; 8] = [
    event(HookEvent::SessionStart, "session_start", 5),
    event(HookEvent::Prompt, "prompt", 5),
    event(HookEvent::PreTool, "pre_tool", 5),
    event(HookEvent::PostTool, "post_tool", 5),
    event(HookEvent::PreCompact, "pre_compact", 5),
    event(HookEvent::PostCompact, "post_compact", 5),
    event(HookEvent::Stop, "stop", 5),
    event(HookEvent::SessionEnd, "session_end", 5),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallReach {
    User,
    Project,
}

/// A file that configures an agent.
pub(crate) struct AgentFile {
    /// Its path in the settings directory, if there is one for all sessions of the user.
    user: Option<&'static str>,
    /// Its path from the root of a project.
    project: &'static str,
    content: FileForm,
}

enum FileForm {
    Settings(SettingsForm),
    Whole(WholeFile),
}

/// A file in an agent's directory that belongs to pimem entirely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WholeFile {
    pub(crate) text: &'static str,
    /// Kind of file, for people.
    pub(crate) what: &'static str,
}

/// What is edited for an agent.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// Hooks in the agent's settings file.
    Settings(SettingsLayout),
    Whole(WholeFile),
}

/// Text that identifies a file as written by pimem.
pub(crate) const MARK: &str = "Written by `pimem hooks install`";

/// Counts the hooks in a settings file that what trusts them, the first text, does not name.
type UntrustedHooks = fn(&str, &[u8], &SettingsLayout, &[String]) -> Result<usize, SettingsRefusal>;

/// What an agent wants before it runs a hook: that the user trusts it.
pub(crate) struct HookTrust {
    /// File in the settings directory that says which hooks are trusted.
    pub(crate) file: &'static str,
    /// What to do about hooks that are not.
    pub(crate) advice: &'static str,
    /// Returns how many of our hooks in a settings file are not trusted yet, given what trusts them,
    /// and the names that the agent may have for the file.
    pub(crate) of_settings: UntrustedHooks,
    /// The same of hooks in a file of the plugin.
    pub(crate) of_plugin: fn(&str, &str, &[FoundHook]) -> usize,
}

/// A shim followed by the part shared by all shims, because an agent loads a single file.
macro_rules! shim {
    ($file:literal) => {
        concat!(include_str!($file), "\n", include_str!("shims/ask.ts"))
    };
}
use shim;

impl Agent {
    pub(crate) fn name(self) -> &'static str {
        self.record().name
    }

    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// Returns the agent whose mark is among the variables that are set.
    pub(crate) fn marked(is_set: impl Fn(&str) -> bool) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|agent| agent.record().marks.iter().any(|name| is_set(name)))
    }

    /// Returns the variables by which agents name the directory of the project.
    pub(crate) fn project_variables() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter_map(|agent| agent.record().project_variable)
    }

    /// Parses the name of an event, ours or the agent's own, in any spelling: `prompt`,
    /// `UserPromptSubmit`, `user-prompt-submit`.
    pub(crate) fn moment(self, name: &str) -> Option<HookEvent> {
        let plain = |name: &str| -> String {
            name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
        };
        let wanted = plain(name);
        let ours = HookEvent::ALL.into_iter().map(|moment| (moment, moment.name()));
        let events = self.record().events.iter().map(|event| (event.moment, event.native));
        let own = self.record().own_names.iter().copied();
        let mut named = ours.chain(events).chain(own);
        named.find(|(_, name)| plain(name) == wanted).map(|(moment, _)| moment)
    }

    /// Returns the limit of one answer; a careful one where none is documented.
    pub(crate) fn limit(self) -> Limit {
        self.record().limit.unwrap_or(Limit::Utf16(16_000))
    }

    pub(crate) fn config_dir(
        self,
        home: &Path,
        variable: impl Fn(&str) -> Option<PathBuf>,
    ) -> PathBuf {
        let (named, default) = self.record().directory;
        let named = named.and_then(|(name, rest)| Some((variable(name)?, rest)));
        match named {
            Some((dir, "")) => home.join(dir),
            Some((dir, rest)) => home.join(dir).join(rest),
            None => home.join(default),
        }
    }

    /// Returns the files to edit. Paths are relative to the settings directory or to the project
    /// root.
    pub(crate) fn files(self, reach: InstallReach) -> Vec<(&'static str, Content)> {
        let hook = |event: &AgentEvent, form: &SettingsForm| Hook {
            event: event.native,
            word: event.word,
            element: (form.element)(event),
        };
        let of = |file: &'static AgentFile| {
            let path = if reach == InstallReach::User { file.user? } else { file.project };
            Some((
                path,
                match &file.content {
                    FileForm::Whole(whole) => Content::Whole(*whole),
                    FileForm::Settings(form) => Content::Settings(SettingsLayout {
                        agent: self,
                        form,
                        hooks: self.record().events.iter().map(|event| hook(event, form)).collect(),
                    }),
                },
            ))
        };
        self.record().files.iter().filter_map(of).collect()
    }

    pub(crate) fn title(self) -> &'static str {
        self.record().title
    }

    /// Returns the user's next step that makes the hooks run.
    pub(crate) fn next(self, reach: InstallReach) -> &'static str {
        let (everywhere, here) = self.record().next;
        if reach == InstallReach::User { everywhere } else { here }
    }

    pub(crate) fn command(self, word: &str) -> String {
        format!("pimem hook {} {word}", self.name())
    }
}

/// Returns the file that a user without settings would get, for manual installation.
pub(crate) fn fragment(content: &Content) -> String {
    match content {
        Content::Whole(whole) => whole.text.to_owned(),
        Content::Settings(layout) => {
            let made = settings::with(None, layout).ok().flatten().unwrap_or_default();
            String::from_utf8_lossy(&made).into_owned()
        }
    }
}

/// The session of a trial, which does not exist.
pub(crate) struct Trial<'a> {
    agent: Agent,
    project: &'a str,
}

impl<'a> Trial<'a> {
    const PROMPT: &'static str = "How are the tests of this project run?";
    const ANSWER: &'static str = "They are run by cargo.";
    /// The file that is edited.
    const FILE: &'static str = "src/main.rs";

    pub(crate) fn input(agent: Agent, event: &AgentEvent, project: &'a str) -> Value {
        (agent.record().sample)(event, &Self { agent, project })
    }

    /// Trials of several agents share a store, and a session is shown every text only once.
    fn session(&self) -> String {
        format!("trial-{}", self.agent.name())
    }

    fn file(&self) -> String {
        format!("{}/{}", self.project, Self::FILE)
    }

    /// Returns what most agents send.
    fn usual(&self, event: &AgentEvent) -> Value {
        let rest = match event.moment {
            HookEvent::SessionStart => json!({"source": "startup"}),
            HookEvent::SubagentStart => {
                json!({"agent_id": "trial", "agent_type": "general-purpose", "prompt": Self::PROMPT})
            }
            HookEvent::Prompt => json!({"prompt": Self::PROMPT}),
            HookEvent::PreTool => {
                json!({"tool_name": "Edit", "tool_input": {"file_path": self.file()}})
            }
            HookEvent::PostTool => json!({
                "tool_name": "Edit", "tool_input": {"file_path": self.file()}, "tool_response": {},
            }),
            HookEvent::PreCompact => json!({"trigger": "auto", "custom_instructions": ""}),
            HookEvent::PostCompact => json!({
                "trigger": "auto",
                "compact_summary": "The user asked how the tests of this project are run.",
            }),
            HookEvent::Stop => {
                json!({"stop_hook_active": false, "last_assistant_message": Self::ANSWER})
            }
            HookEvent::SessionEnd => json!({"reason": "other"}),
        };
        self.with(event, rest)
    }

    /// Returns what most agents send at every event, with something else.
    fn with(&self, event: &AgentEvent, rest: Value) -> Value {
        let common = json!({
            "session_id": self.session(), "transcript_path": null, "cwd": self.project,
            "hook_event_name": event.native,
        });
        merged(common, rest)
    }

    /// Returns what the agents send whose shims are ours.
    fn of_shim(&self, event: &AgentEvent) -> Value {
        match event.moment {
            HookEvent::Stop => self.with(event, json!({"response": Self::ANSWER})),
            _ => self.usual(event),
        }
    }
}

fn merged(mut common: Value, rest: Value) -> Value {
    if let (Value::Object(common), Value::Object(rest)) = (&mut common, rest) {
        common.extend(rest);
    }
    common
}

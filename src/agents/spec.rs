//! The agents whose hooks pimem serves, how each behaves, and the events at which they call.

/// Variables by which agents name the directory of the project to what they start.
pub(crate) const PROJECT_VARIABLES: [&str; 3] =
    ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"];

/// Variables by which agents name the directory of a plugin to what it starts.
pub(crate) const PLUGIN_VARIABLES: [&str; 2] = ["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"];

/// A program whose hooks call pimem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Agent {
    Claude,
    Codex,
    Gemini,
    Antigravity,
    Cursor,
    Opencode,
    Pi,
    /// Any other program; answers are plain text.
    Generic,
}

impl Agent {
    pub(crate) const ALL: [Self; 8] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Antigravity,
        Self::Cursor,
        Self::Opencode,
        Self::Pi,
        Self::Generic,
    ];

    /// Returns the name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Antigravity => "antigravity",
            Self::Cursor => "cursor",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
            Self::Generic => "generic",
        }
    }

    /// Returns the agent with this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// Returns the variables by which the agent marks the commands that it runs.
    fn marks(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["CLAUDECODE"],
            Self::Codex => &["CODEX_THREAD_ID", "CODEX_SANDBOX"],
            Self::Gemini => &["GEMINI_CLI"],
            Self::Antigravity => &["ANTIGRAVITY_AGENT"],
            Self::Cursor => &["CURSOR_AGENT"],
            Self::Opencode => &["OPENCODE"],
            Self::Pi => &["PI_CODING_AGENT"],
            Self::Generic => &["AI_AGENT"],
        }
    }

    /// Returns the agent whose mark is among the variables that are set.
    pub(crate) fn marked(is_set: impl Fn(&str) -> bool) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.marks().iter().any(|name| is_set(name)))
    }

    /// Returns the agent's name of an event; empty if the agent does not have it.
    pub(crate) fn hook(self, moment: HookEvent) -> &'static str {
        let mut events = self.events().iter();
        events.find(|event| event.moment == moment).map_or("", |event| event.native)
    }

    /// Returns the agent's own names of the events if it loads a shim.
    fn own_names(self) -> &'static [(HookEvent, &'static str)] {
        match self {
            Self::Opencode => &[
                (HookEvent::SessionStart, "session.created"),
                (HookEvent::Prompt, "chat.message"),
                (HookEvent::PostTool, "tool.execute.after"),
                (HookEvent::PreCompact, "experimental.session.compacting"),
                (HookEvent::PostCompact, "session.compacted"),
                (HookEvent::Stop, "session.idle"),
            ],
            Self::Pi => &[
                (HookEvent::SessionStart, "session_start"),
                (HookEvent::Prompt, "before_agent_start"),
                (HookEvent::PostTool, "tool_result"),
                (HookEvent::PreCompact, "session_before_compact"),
                (HookEvent::PostCompact, "session_compact"),
                (HookEvent::Stop, "turn_end"),
                (HookEvent::SessionEnd, "session_shutdown"),
            ],
            _ => &[],
        }
    }

    /// Parses the name of an event, ours or the agent's own, in any spelling: `prompt`,
    /// `UserPromptSubmit`, `user-prompt-submit`.
    pub(crate) fn moment(self, name: &str) -> Option<HookEvent> {
        let plain = |name: &str| -> String {
            name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
        };
        let wanted = plain(name);
        let ours = HookEvent::ALL.into_iter().map(|moment| (moment, moment.name()));
        let events = self.events().iter().map(|event| (event.moment, event.native));
        let own = self.own_names().iter().copied();
        let mut named = ours.chain(events).chain(own);
        named.find(|(_, name)| plain(name) == wanted).map(|(moment, _)| moment)
    }

    /// Returns how the agent behaves.
    pub(crate) fn behaviour(self) -> Behaviour {
        // Limits and lifetimes that are not documented are the careful ones.
        let unknown = Behaviour {
            limit: Limit::Utf16(16_000),
            start_context: Kept::Process,
            prompt_context: Kept::Process,
            compaction: Compaction::Told,
            tells_end: true,
            shows_notices: false,
        };
        match self {
            Self::Claude => Behaviour {
                // Documented as "capped at 10,000 characters"; the program is written in JavaScript.
                limit: Limit::Utf16(10_000),
                start_context: Kept::Session,
                prompt_context: Kept::Session,
                shows_notices: true,
                ..unknown
            },
            Self::Codex => Behaviour {
                // 2,500 tokens, at four bytes per token.
                limit: Limit::Bytes(10_000),
                start_context: Kept::Session,
                prompt_context: Kept::Session,
                ..unknown
            },
            Self::Gemini => {
                Behaviour { compaction: Compaction::InTranscript, shows_notices: true, ..unknown }
            }
            // The report is in the system prompt, the rest beside the prompts.
            Self::Opencode => {
                Behaviour { prompt_context: Kept::Session, tells_end: false, ..unknown }
            }
            Self::Pi => {
                Behaviour { start_context: Kept::Session, prompt_context: Kept::Session, ..unknown }
            }
            Self::Antigravity => Behaviour { tells_end: false, ..unknown },
            Self::Cursor | Self::Generic => unknown,
        }
    }

    /// Returns the limit of one answer. The agent would write a longer one to a file, or drop it.
    pub(crate) fn limit(self) -> Limit {
        self.behaviour().limit
    }
}

/// How an agent treats the texts that hooks give it, and what it tells them. docs/agents-tested.md says
/// what was measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Behaviour {
    /// The limit of one answer.
    pub(crate) limit: Limit,
    /// How long the context has what the start of a session gave.
    pub(crate) start_context: Kept,
    /// How long the context has what prompts and tools gave.
    pub(crate) prompt_context: Kept,
    pub(crate) compaction: Compaction,
    /// False if there is no event at the end of a session.
    pub(crate) tells_end: bool,
    /// True if the agent shows the `systemMessage` of an answer to the person, not to the model.
    pub(crate) shows_notices: bool,
}

/// How long a text stays in an agent's context. A compaction removes it in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Until the process ends. A resumed session does not have it.
    Process,
    /// As long as the session, also when it is resumed.
    Session,
}

/// How an agent tells that it has compacted its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compaction {
    /// By the events before and after it.
    Told,
    /// In the transcript only. The event before it comes with every call of the model.
    InTranscript,
}

/// A size limit.
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
    /// The user has submitted a prompt.
    Prompt,
    /// A tool has run.
    PostTool,
    /// The context is about to be compacted.
    PreCompact,
    /// The context was compacted.
    PostCompact,
    /// The agent has answered.
    Stop,
    /// The session has ended.
    SessionEnd,
}

impl HookEvent {
    /// All events, in the order of a session.
    pub(crate) const ALL: [Self; 7] = [
        Self::SessionStart,
        Self::Prompt,
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
            Self::Prompt => "prompt",
            Self::PostTool => "post-tool",
            Self::PreCompact => "pre-compact",
            Self::PostCompact => "post-compact",
            Self::Stop => "stop",
            Self::SessionEnd => "session-end",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_moments() {
        for (agent, name, want) in [
            (Agent::Claude, "prompt", Some(HookEvent::Prompt)),
            (Agent::Claude, "UserPromptSubmit", Some(HookEvent::Prompt)),
            (Agent::Claude, "user-prompt-submit", Some(HookEvent::Prompt)),
            (Agent::Antigravity, "pre-invocation", Some(HookEvent::Prompt)),
            (Agent::Gemini, "AfterAgent", Some(HookEvent::Stop)),
            (Agent::Opencode, "session.created", Some(HookEvent::SessionStart)),
            (Agent::Pi, "turn_end", Some(HookEvent::Stop)),
            (Agent::Generic, "session-end", Some(HookEvent::SessionEnd)),
            (Agent::Generic, "", None),
            (Agent::Cursor, "beforeShellExecution", None),
        ] {
            assert_eq!(agent.moment(name), want, "{name}");
        }
        for agent in Agent::ALL {
            assert_eq!(Agent::find(agent.name()), Some(agent));
            for moment in HookEvent::ALL {
                assert_eq!(agent.moment(moment.name()), Some(moment));
            }
        }
    }
}

//! The agents whose hooks pimem serves, with the events at which they call.

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

    /// Returns the agent's name of an event; empty if the agent does not have it.
    pub(crate) fn hook(self, moment: HookEvent) -> &'static str {
        let mut events = self.events().iter();
        events.find(|event| event.moment == moment).map_or("", |event| event.native)
    }

    /// Returns the agent's own names of the events if it loads a shim, in the order of
    /// [`HookEvent::ALL`].
    fn own_names(self) -> &'static [&'static str] {
        match self {
            Self::Opencode => &[
                "session.created",
                "chat.message",
                "tool.execute.after",
                "experimental.session.compacting",
                "session.idle",
            ],
            Self::Pi => &[
                "session_start",
                "before_agent_start",
                "tool_result",
                "session_before_compact",
                "turn_end",
                "session_shutdown",
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
        let own = HookEvent::ALL.into_iter().zip(self.own_names().iter().copied());
        let mut named = ours.chain(events).chain(own);
        named.find(|(_, name)| plain(name) == wanted).map(|(moment, _)| moment)
    }

    /// Returns the limit of one answer. The agent would write a longer one to a file, or drop it.
    pub(crate) fn limit(self) -> Limit {
        match self {
            // Documented as "capped at 10,000 characters"; the program is written in JavaScript.
            Self::Claude => Limit::Utf16(10_000),
            // 2,500 tokens, at four bytes per token.
            Self::Codex => Limit::Bytes(10_000),
            // Not documented. The report is far below this, and handoffs need some limit.
            _ => Limit::Utf16(16_000),
        }
    }

    /// Returns true if a resumed conversation still has the texts that hooks added.
    pub(crate) fn keeps_contexts(self) -> bool {
        matches!(self, Self::Claude | Self::Codex | Self::Pi)
    }

    /// Returns true if the agent's documentation asks for statements of fact: it takes orders for
    /// an injection.
    pub(crate) fn wants_facts(self) -> bool {
        self == Self::Claude
    }
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
    /// The agent has answered.
    Stop,
    /// The session has ended.
    SessionEnd,
}

impl HookEvent {
    /// All events, in the order of a session.
    pub(crate) const ALL: [Self; 6] = [
        Self::SessionStart,
        Self::Prompt,
        Self::PostTool,
        Self::PreCompact,
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

//! The agents whose hooks pimem serves, and the moments at which they call.

/// A program whose hooks call pimem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Agent {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Antigravity CLI.
    Antigravity,
    /// Cursor.
    Cursor,
    /// `OpenCode`.
    Opencode,
    /// pi.
    Pi,
    /// Any other: plain text out.
    Generic,
}

impl Agent {
    /// All of them.
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

    /// The word on the command line.
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

    /// The agent of that name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// What it calls the hook of a moment; nothing where it has none.
    pub(crate) fn hook(self, moment: HookEvent) -> &'static str {
        let mut events = self.events().iter();
        events.find(|event| event.moment == moment).map_or("", |event| event.native)
    }

    /// What those that load a shim call the moments themselves, in the order of [`HookEvent::ALL`].
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

    /// The moment of that name, ours or the agent's own, however it is spelt: `prompt`,
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

    /// The most that it takes of us at once; more would be put into a file, or dropped.
    pub(crate) fn limit(self) -> Limit {
        match self {
            // "capped at 10,000 characters", in a program written in JavaScript.
            Self::Claude => Limit::Utf16(10_000),
            // 2,500 tokens, which Codex takes for four bytes each.
            Self::Codex => Limit::Bytes(10_000),
            // Nothing is said. The report is far below, and a handoff is not endless.
            _ => Limit::Utf16(16_000),
        }
    }

    /// A conversation that is resumed still has what hooks put into it.
    pub(crate) fn keeps_contexts(self) -> bool {
        matches!(self, Self::Claude | Self::Codex | Self::Pi)
    }

    /// Whether its documentation asks for statements of facts: orders look like an injection to it.
    pub(crate) fn wants_facts(self) -> bool {
        self == Self::Claude
    }
}

/// A limit of size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// In units of UTF-16, which JavaScript takes for characters.
    Utf16(usize),
    /// In bytes of UTF-8.
    Bytes(usize),
}

impl Limit {
    /// What a text takes of it.
    pub(crate) fn size(self, text: &str) -> usize {
        match self {
            // Each character has one byte that continues none; what takes four bytes takes two units.
            Self::Utf16(_) => {
                let units = |byte: u8| usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0);
                text.bytes().map(units).sum()
            }
            Self::Bytes(_) => text.len(),
        }
    }

    /// The limit for a text that stands behind another of this size.
    pub(crate) fn less(self, taken: usize) -> Self {
        match self {
            Self::Utf16(most) => Self::Utf16(most.saturating_sub(taken)),
            Self::Bytes(most) => Self::Bytes(most.saturating_sub(taken)),
        }
    }

    /// The number.
    pub(crate) fn most(self) -> usize {
        match self {
            Self::Utf16(most) | Self::Bytes(most) => most,
        }
    }
}

/// When a hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HookEvent {
    /// A session begins, or begins anew.
    SessionStart,
    /// The user has said something.
    Prompt,
    /// A tool has run.
    PostTool,
    /// The context is about to be compacted.
    PreCompact,
    /// The agent has answered.
    Stop,
    /// The session is over.
    SessionEnd,
}

impl HookEvent {
    /// All of them, in the order of a session.
    pub(crate) const ALL: [Self; 6] = [
        Self::SessionStart,
        Self::Prompt,
        Self::PostTool,
        Self::PreCompact,
        Self::Stop,
        Self::SessionEnd,
    ];

    /// The word on the command line.
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

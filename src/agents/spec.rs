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
}

/// When a hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Moment {
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

impl Moment {
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
    pub(crate) fn name(self) -> &'static str {
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

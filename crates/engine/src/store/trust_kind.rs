//! What kinds of texts a ledger of trust knows.

/// Kinds of texts: the same words of another kind are another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text that git brings, from now on: the empty text.
    Always,
    /// An entry's canonical line that is not to be taken for one that was typed here: git brought it,
    /// or trust in it was taken back.
    Brought,
    /// An entry's canonical line.
    Entry,
    /// A handoff, from its first comment to its last.
    Handoff,
    /// The heading that a project gives to a category's section.
    Heading,
    /// The store itself: the empty text stands for one that was made here, or of which all was reviewed.
    Made,
    /// A file of notes, a list or a log: its name and all that it holds. The empty text stands for
    /// all of them where no git brings any.
    Notes,
    /// A summary of a past session.
    Session,
    /// Where an agent wrote a session down, as its hooks said here.
    Transcript,
    /// The settings of a project's file that decide what is run, what is sent, and to whom.
    Settings,
}

impl Kind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Brought => "brought",
            Self::Entry => "entry",
            Self::Handoff => "handoff",
            Self::Heading => "heading",
            Self::Made => "made",
            Self::Notes => "notes",
            Self::Session => "session",
            Self::Transcript => "transcript",
            Self::Settings => "settings",
        }
    }
}

//! Kinds of texts in the ledger of trust.

pimem_core::named! {
/// A kind of text. The kind is part of the key: equal texts of two kinds have different keys.
    pub enum Kind {
    /// All present and future texts that git brings; the text is empty.
        Always = "always",
    /// Canonical line of an entry that must not count as typed here: git brought it, or trust in it
    /// was withdrawn.
        Brought = "brought",
    /// Canonical line of an entry.
        Entry = "entry",
    /// A handoff, from its first comment to its last.
        Handoff = "handoff",
    /// The heading that a project defines for a category's section.
        Heading = "heading",
    /// The store itself: the empty text means that it was made here or fully reviewed.
        Made = "made",
    /// A file of notes, a list or a log: its name and whole content. The empty text stands for all
    /// of them, if git brings none.
        Notes = "notes",
    /// Canonical line of an entry of which a person said that it holds no secret.
        NoSecret = "no-secret",
    /// Canonical line of an entry that an agent has added, until a person looks at it.
        ByAgent = "by-agent",
    /// A passage of notes, a log or a list that is worded as an order: what it says.
        Order = "order",
    /// Canonical line of an entry that an agent wants pinned.
        Pin = "pin",
    /// A summary of a past session.
        Session = "session",
    /// Path of a transcript, as given to a hook on this machine.
        Transcript = "transcript",
    /// Settings in a project's file that decide which programs run, and what is sent to whom.
        Settings = "settings",
    }
}

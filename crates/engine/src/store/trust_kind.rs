//! What kinds of texts a ledger of trust knows.

pimem_core::named! {
    /// Kinds of texts: the same words of another kind are another text.
    pub enum Kind {
        /// Any text that git brings, from now on: the empty text.
        Always = "always",
        /// An entry's canonical line that is not to be taken for one that was typed here: git brought it,
        /// or trust in it was taken back.
        Brought = "brought",
        /// An entry's canonical line.
        Entry = "entry",
        /// A handoff, from its first comment to its last.
        Handoff = "handoff",
        /// The heading that a project gives to a category's section.
        Heading = "heading",
        /// The store itself: the empty text stands for one that was made here, or of which all was reviewed.
        Made = "made",
        /// A file of notes, a list or a log: its name and all that it holds. The empty text stands for
        /// all of them where no git brings any.
        Notes = "notes",
        /// A summary of a past session.
        Session = "session",
        /// Where an agent wrote a session down, as its hooks said here.
        Transcript = "transcript",
        /// The settings of a project's file that decide what is run, what is sent, and to whom.
        Settings = "settings",
    }
}

//! The documents of `pimem trust`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::EntryView;
use crate::score::ranking::Scope;

/// The texts that await review, after the requested changes of trust.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Review {
    /// One per store.
    pub stores: Vec<Store>,
    /// Changes of trust, one per store.
    #[serde(skip)]
    pub done: Vec<Done>,
}

/// A store with the texts that await review.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Store {
    /// `project` or `user`.
    pub scope: &'static str,
    pub store: String,
    /// True if the store is trusted as a whole.
    pub whole: bool,
    /// True if the store belongs to another user.
    pub foreign: bool,
    /// Path of the trust ledger; null without a state directory.
    pub ledger: Option<String>,
    /// Number of texts in the trust ledger.
    #[serde(skip)]
    pub texts: usize,
    /// Number of entries in topics.
    pub entries: usize,
    /// Texts that await review, entries first.
    pub awaiting: Vec<Awaiting>,
    /// Entries that agents have added since a person looked at them. Agents are told them.
    #[serde(rename = "byAgents")]
    pub by_agents: Vec<Awaiting>,
    /// Number of those texts, in words.
    #[serde(skip)]
    pub in_words: String,
}

/// A text that awaits review.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Awaiting {
    #[serde(flatten)]
    pub what: Text,
    /// Warnings about unusual content.
    pub warnings: Vec<String>,
    /// Text and origin, formatted for people.
    #[serde(skip)]
    pub lines: Vec<String>,
}

/// Kinds of text that can await review.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Text {
    Entry(Box<EntryView>),
    /// Notes, lists and logs.
    Notes {
        /// Names of the files.
        notes: Vec<String>,
    },
    /// Settings in the project's file.
    Settings {
        /// Values by name.
        settings: Map<String, Value>,
    },
    /// A heading that the project sets for a category.
    Heading {
        heading: String,
    },
    /// A passage of notes, a log or a list that is worded as an order to an agent.
    Order {
        /// The passage, on one line.
        order: String,
        /// Place of its first line.
        place: String,
    },
    /// A pin that an agent asked for.
    Pin {
        /// The entry as it is.
        pin: Box<EntryView>,
    },
    /// A past session.
    Session {
        /// Summary of the session.
        session: String,
    },
}

/// A change of trust in a store.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    pub act: Act,
    pub scope: Scope,
    /// Directory of the store.
    pub dir: String,
    /// Texts with warnings that were trusted without review.
    pub odd: Vec<Awaiting>,
}

/// Kinds of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Trusted this many entries, and all other texts of the store.
    Trusted(usize),
    /// Trusted the store as a whole, including its future content.
    Always,
    /// Revoked trust in this many texts.
    Revoked(usize),
}

/// Entries whose trust was changed one by one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entries {
    /// `trusted`, `revoked`, `letOut` or `keptBack`.
    pub action: Action,
    pub results: Vec<EntryView>,
}

/// A change of trust in single entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// Agents may see the entries.
    Trusted,
    /// Agents may not see the entries.
    Revoked,
    /// What looks like a secret in the entries is none.
    LetOut,
    /// What looks like a secret in the entries counts as one again.
    KeptBack,
}

documents! {
    Review: "pimem.trust/1",
    Entries: "pimem.trust/1",
}

impl Review {
    /// Returns true if nothing awaits review.
    pub fn is_empty(&self) -> bool {
        self.stores.iter().all(|store| store.awaiting.is_empty())
    }
}

impl Awaiting {
    /// Returns the lines for people, warnings last.
    pub fn in_words(&self) -> impl Iterator<Item = String> {
        let warnings = self.warnings.iter().map(|warning| format!("    warning: {warning}"));
        self.lines.iter().cloned().chain(warnings)
    }

    pub fn is_entry(&self) -> bool {
        matches!(self.what, Text::Entry(_))
    }
}

//! `pimem trust`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::EntryView;
use crate::score::ranking::Scope;

/// What awaits review in some stores, after what was done about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Review {
    /// One a store.
    pub stores: Vec<Store>,
    /// What was done, one a store.
    #[serde(skip)]
    pub done: Vec<Done>,
}

/// A store with what awaits review in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Store {
    /// `project` or `user`.
    pub scope: &'static str,
    /// Its directory.
    pub store: String,
    /// Whether it is trusted as a whole.
    pub whole: bool,
    /// Whether it belongs to another user.
    pub foreign: bool,
    /// The file that knows which texts are trusted; null without a state directory.
    pub ledger: Option<String>,
    /// Texts that it knows.
    #[serde(skip)]
    pub texts: usize,
    /// Entries in its topics.
    pub entries: usize,
    /// What awaits review, entries first.
    pub awaiting: Vec<Awaiting>,
    /// How much that is, in words.
    #[serde(skip)]
    pub in_words: String,
}

/// Something that awaits review.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Awaiting {
    /// What.
    #[serde(flatten)]
    pub what: Text,
    /// What is odd about it.
    pub warnings: Vec<String>,
    /// Text and origin, as they are shown.
    #[serde(skip)]
    pub lines: Vec<String>,
}

/// What may await review.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Text {
    /// An entry.
    Entry(Box<EntryView>),
    /// Notes, lists and logs.
    Notes {
        /// Names of the files.
        notes: Vec<String>,
    },
    /// Settings of the project's file.
    Settings {
        /// By their names.
        settings: Map<String, Value>,
    },
    /// A heading that the project gives to a category.
    Heading {
        /// The heading.
        heading: String,
    },
    /// A past session.
    Session {
        /// Its summary.
        session: String,
    },
}

/// What was done about a store.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// What.
    pub act: Act,
    /// Whose store it is.
    pub scope: Scope,
    /// Its directory.
    pub dir: String,
    /// What is odd about what was trusted unseen.
    pub odd: Vec<Awaiting>,
}

/// What may be done about a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// So many entries were trusted, and all else that was there.
    Trusted(usize),
    /// It was vouched for, whatever it will hold.
    Always,
    /// Trust in so many texts was taken back.
    Revoked(usize),
}

/// Single entries that were trusted, or are no longer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entries {
    /// `trusted` or `revoked`.
    pub action: Action,
    /// Which.
    pub results: Vec<EntryView>,
}

/// What is done about single entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// Agents may see them.
    Trusted,
    /// Agents may not.
    Revoked,
}

documents! {
    Review: "pimem.trust/1",
    Entries: "pimem.trust/1",
}

impl Review {
    /// Whether nothing awaits review.
    pub fn is_empty(&self) -> bool {
        self.stores.iter().all(|store| store.awaiting.is_empty())
    }
}

impl Awaiting {
    /// As it is shown, with its warnings.
    pub fn in_words(&self) -> impl Iterator<Item = String> {
        let warnings = self.warnings.iter().map(|warning| format!("    warning: {warning}"));
        self.lines.iter().cloned().chain(warnings)
    }

    /// Whether it is an entry.
    pub fn is_entry(&self) -> bool {
        matches!(self.what, Text::Entry(_))
    }
}

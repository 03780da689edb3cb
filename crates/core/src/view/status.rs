//! The document of `pimem status`.

use serde::Serialize;

use super::{Entries, config::Unusable};
use crate::score::{ranking::ScoredEntry, stability::State};

/// The state of the stores, of the report, and of the hooks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Stores in use.
    pub stores: Vec<Store>,
    /// Mirrors of what others have shared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mirrors: Vec<Mirror>,
    /// A part of the project's store that leads away from the project, so that the store is left
    /// out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub away: Option<Away>,
    /// Store that the next write would create.
    #[serde(skip)]
    pub absent: Option<Absent>,
    /// Current report.
    pub report: Report,
    pub hooks: Hooks,
    /// Ignored settings.
    pub unusable: Vec<Unusable>,
    /// Place of the first ignored setting, formatted for people.
    #[serde(skip)]
    pub unusable_place: String,
    /// Number of findings of `pimem doctor`.
    pub findings: usize,
}

/// The state of a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Store {
    /// `project` or `user`.
    pub scope: &'static str,
    pub store: String,
    /// Directory, formatted for people.
    #[serde(skip)]
    pub place: String,
    pub trust: Trust,
    /// Number of entries in topics.
    pub entries: usize,
    /// Entries by state.
    pub states: States,
    /// Entries by annotation.
    pub marks: Marks,
    /// Number of entries in the archive.
    pub archived: usize,
    /// Lines whose purge came by an exchange, and that can be restored for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grave: Option<Grave>,
    /// Texts that await review.
    pub awaiting: Awaiting,
    /// Number of entries that agents have added since a person looked at them.
    #[serde(rename = "byAgents")]
    pub by_agents: usize,
    /// Lines with secrets, and list items that are no entries.
    pub lines: Vec<Line>,
    pub index: Index,
    pub dream: Dream,
    pub calls: Calls,
}

/// The grave of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Grave {
    /// Number of lines.
    pub lines: usize,
    /// When the first of them is destroyed, RFC 3339.
    pub until: String,
    /// Their ids, 16 hexadecimal digits each.
    pub ids: Vec<String>,
}

/// What hooks could not end on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Calls {
    /// Number of calls that were ended at their deadline.
    pub late: usize,
    /// Number of sentences of prompts that wait to be learned.
    pub spooled: usize,
}

/// A mirror of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mirror {
    pub project: String,
    /// Address of its server.
    pub server: String,
    /// Directory.
    pub store: String,
    /// Number of entries in topics.
    pub entries: usize,
    /// Number of entries that are withheld until somebody has looked at them.
    pub withheld: usize,
}

/// A line of a topic that no agent is told, and for which somebody has to do something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The rule of `pimem check` that finds it.
    pub rule: &'static str,
    /// File and line, as `topics/lessons.md:5`.
    pub place: String,
    /// What is wrong with it.
    pub says: String,
}

/// A part of a store's root that is a link, a repository of its own or a mount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Away {
    pub path: String,
    /// What it is, and where it leads.
    pub says: String,
    /// What to do about it.
    pub fix: &'static str,
}

/// A store that does not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// `project` or `user`.
    pub scope: &'static str,
    /// Directory, formatted for people.
    pub place: String,
}

/// The degree of trust in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Trust {
    /// The user's own store.
    Own,
    /// Trusted as a whole.
    Always,
    /// Owned by another user and not trusted.
    Foreign,
    /// Created or reviewed on this machine.
    Here,
    /// Some texts are trusted.
    Part,
    /// Nothing is trusted.
    None,
}

/// Numbers of entries by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct States {
    pub active: usize,
    pub provisional: usize,
    pub candidate: usize,
    /// No longer shown.
    pub dropped: usize,
}

/// Numbers of entries by annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Marks {
    /// Pinned by the user.
    pub pinned: usize,
    /// Too young to be judged.
    pub fresh: usize,
    /// Replaced by another entry.
    pub superseded: usize,
    /// Past the end of validity.
    pub expired: usize,
    /// Forgotten by the user.
    pub forgotten: usize,
}

/// Numbers of texts that await review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Awaiting {
    pub entries: usize,
    /// Preferences that were learned on this machine.
    pub preferences: usize,
    /// Texts other than entries.
    pub others: usize,
    /// The numbers in words; `None` if nothing awaits review.
    #[serde(skip)]
    pub in_words: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Index {
    /// `none`, `fresh`, `stale` or `damaged`.
    pub state: &'static str,
    /// Number of lines in the index.
    pub lines: u64,
    /// Number of entries of which the cache has a vector by the model in use.
    pub embedded: usize,
    /// State in words.
    #[serde(skip)]
    pub in_words: String,
}

/// The consolidation of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dream {
    /// Time of the last dream, RFC 3339; null if there was none.
    pub last: Option<String>,
    /// Sessions that wait for the next dream.
    pub sessions: usize,
    /// True if a language model's plan awaits review.
    pub plan: bool,
}

/// The size of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Number of entries shown.
    pub entries: usize,
    /// Number of entries left out.
    pub left_out: usize,
    /// Number of lines.
    pub lines: usize,
    /// Size in tokens.
    pub tokens: u32,
    /// The part of these that is of pinned entries, which no budget bounds.
    pub pinned_tokens: u32,
    /// Tokens of what is there by its score; the rest fills the budget.
    pub by_score: u32,
    /// Token budget.
    pub budget: Option<u32>,
    /// The sentence that asks to consolidate, if that should be done.
    #[serde(skip)]
    pub crowded: Option<String>,
}

/// The agents that call pimem.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Hooks {
    /// Agents whose settings name pimem, or cannot be read.
    pub agents: Vec<Agent>,
    /// Program found in the PATH; null if there is none.
    pub program: Option<String>,
    /// Why the agents are not known.
    #[serde(skip)]
    pub failure: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Agent {
    pub agent: &'static str,
    /// State of the hooks: `installed`, or what is wrong.
    pub state: String,
}

documents! {
    Status: "pimem.status/1",
}

impl States {
    /// Counts entries by state.
    pub fn of<'a>(rows: impl Iterator<Item = &'a ScoredEntry>) -> Self {
        let mut states = Self::default();
        for row in rows {
            *match row.state {
                State::Active => &mut states.active,
                State::Provisional => &mut states.provisional,
                State::Candidate => &mut states.candidate,
                State::Dropped => &mut states.dropped,
            } += 1;
        }
        states
    }

    /// Returns the counts with their names, most stable first.
    pub fn counts(self) -> [(&'static str, usize); 4] {
        let Self { active, provisional, candidate, dropped } = self;
        let (active, provisional) = (("active", active), ("provisional", provisional));
        [active, provisional, ("candidate", candidate), ("dropped", dropped)]
    }
}

impl Marks {
    /// Counts entries by annotation.
    pub fn of<'a>(rows: impl Iterator<Item = &'a ScoredEntry>) -> Self {
        let mut marks = Self::default();
        for row in rows {
            *match Entries::mark(row) {
                Some("pinned") => &mut marks.pinned,
                Some("fresh") => &mut marks.fresh,
                Some("superseded") => &mut marks.superseded,
                Some("expired") => &mut marks.expired,
                Some("forgotten") => &mut marks.forgotten,
                _ => continue,
            } += 1;
        }
        marks
    }

    /// Returns the counts with their names, in display order.
    pub fn counts(self) -> [(&'static str, usize); 5] {
        let Self { pinned, fresh, superseded, expired, forgotten } = self;
        [
            ("pinned", pinned),
            ("fresh", fresh),
            ("superseded", superseded),
            ("expired", expired),
            ("forgotten", forgotten),
        ]
    }
}

//! `pimem status`.

use serde::Serialize;

use super::{Entries, config::Unusable};
use crate::score::{ranking::ScoredEntry, stability::State};

/// Stores, what agents get of them, and what waits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The stores in use.
    pub stores: Vec<Store>,
    /// The store that a writer would make.
    #[serde(skip)]
    pub absent: Option<Absent>,
    /// What a report would show now.
    pub report: Report,
    /// The agents that call pimem.
    pub hooks: Hooks,
    /// Settings that are left out.
    pub unusable: Vec<Unusable>,
    /// Where the first of them stands, as people write it.
    #[serde(skip)]
    pub unusable_place: String,
    /// How much `pimem doctor` finds.
    pub findings: usize,
}

/// A store as it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Store {
    /// `project` or `user`.
    pub scope: &'static str,
    /// Its directory.
    pub store: String,
    /// The same as people write it.
    #[serde(skip)]
    pub place: String,
    /// Whether it is trusted.
    pub trust: Trust,
    /// Entries in its topics.
    pub entries: usize,
    /// Those in each state.
    pub states: States,
    /// Those that something sets apart from others in their state.
    pub marks: Marks,
    /// Entries in the archive.
    pub archived: usize,
    /// What awaits review.
    pub awaiting: Awaiting,
    /// Its index.
    pub index: Index,
    /// Its dreams.
    pub dream: Dream,
}

/// A store that is not there yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// `project` or `user`.
    pub scope: &'static str,
    /// Where it would be, as people write it.
    pub place: String,
}

/// How far a store is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Trust {
    /// The user's own.
    Own,
    /// As a whole.
    Always,
    /// Of another user, and not.
    Foreign,
    /// It was made or reviewed here.
    Here,
    /// In part.
    Part,
    /// Not at all.
    None,
}

/// Entries by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct States {
    /// Stable.
    pub active: usize,
    /// Less so.
    pub provisional: usize,
    /// Hardly.
    pub candidate: usize,
    /// Not shown any more.
    pub dropped: usize,
}

/// Entries by what sets them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Marks {
    /// By their user.
    pub pinned: usize,
    /// Too young to be judged.
    pub fresh: usize,
    /// Others took their place.
    pub superseded: usize,
    /// Past their date.
    pub expired: usize,
    /// By their user.
    pub forgotten: usize,
}

/// What awaits review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Awaiting {
    /// Entries.
    pub entries: usize,
    /// Preferences that were learned here.
    pub preferences: usize,
    /// Texts that are no entries.
    pub others: usize,
    /// The same in words; none where nothing has to be reviewed.
    #[serde(skip)]
    pub in_words: Option<String>,
}

/// The index of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Index {
    /// `none`, `fresh`, `stale` or `damaged`.
    pub state: &'static str,
    /// Lines to search.
    pub lines: u64,
    /// The same in words.
    #[serde(skip)]
    pub in_words: String,
}

/// The dreams of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dream {
    /// When the last one was, RFC 3339; null when there was none.
    pub last: Option<String>,
    /// Sessions that wait for the next.
    pub sessions: usize,
    /// Whether the plan of a language model waits to be looked at.
    pub plan: bool,
}

/// What a report would show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Entries shown.
    pub entries: usize,
    /// Entries left out.
    pub left_out: usize,
    /// Its tokens.
    pub tokens: u32,
    /// Tokens that it may take.
    pub budget: u32,
}

/// The agents that call pimem.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Hooks {
    /// Those whose settings name it, or cannot be read.
    pub agents: Vec<Agent>,
    /// The program that they find in the PATH; null when there is none.
    pub program: Option<String>,
    /// Why it is not known which agents there are.
    #[serde(skip)]
    pub failure: Option<String>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Agent {
    /// Its name.
    pub agent: &'static str,
    /// State of its hooks: `installed`, or what is amiss.
    pub state: String,
}

documents! {
    Status: "pimem.status/1",
}

impl States {
    /// Counts entries.
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

    /// Each with its name, the stable ones first.
    pub fn counts(self) -> [(&'static str, usize); 4] {
        let Self { active, provisional, candidate, dropped } = self;
        let (active, provisional) = (("active", active), ("provisional", provisional));
        [active, provisional, ("candidate", candidate), ("dropped", dropped)]
    }
}

impl Marks {
    /// Counts entries.
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

    /// Each with its name, in the order in which they are shown.
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

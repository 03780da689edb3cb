//! The documents that `--json` prints, as types: one a schema, and human text is made from the same.

/// Names the schemas of documents.
macro_rules! documents {
    ($($view:ident: $schema:literal),* $(,)?) => {
        $(
            impl $crate::view::Document for $view {
                fn schema(&self) -> &'static str {
                    $schema
                }
            }
        )*
    };
}

pub mod add;
pub mod check;
pub mod config;
pub mod curate;
pub mod diff;
pub mod doctor;
pub mod dream;
pub mod error;
pub mod eval;
pub mod exchange;
pub mod extract;
pub mod forecast;
pub mod hooks;
pub mod list;
pub mod merge_driver;
pub mod model;
pub mod notes;
pub mod observe;
pub mod rebuild;
pub mod report;
pub mod search;
pub mod session;
pub mod status;
pub mod telemetry;
pub mod topics;
pub mod trust;
pub mod undo;
pub mod why;

use std::{cell::OnceCell, fmt::Display};

use serde::{Serialize, Serializer};
use serde_json::Value;

use self::{
    list::AccessedEntry,
    why::{Factors, JudgedEntry},
};
use crate::{
    model::{
        category::Categories,
        entry::EntryId,
        hash::IdMap,
        time::{Now, Timestamp},
    },
    report::{budget::thousands, explain::Arithmetic, select::Verdict},
    score::{
        evidence::UserState,
        ranking::{self, Ranking, Scope, ScoredEntry},
        stability::{Standing, State},
    },
    usage::sums::Access,
};

/// A document of `--json`.
pub trait Document: Serialize {
    /// Its schema, with a version: `pimem.topics/1`.
    fn schema(&self) -> &'static str;
}

/// A document as it is printed: the schema first.
#[derive(Serialize)]
pub struct Tagged<'a, D> {
    schema: &'static str,
    #[serde(flatten)]
    document: &'a D,
}

impl<'a, D: Document> Tagged<'a, D> {
    /// Puts the schema before the rest.
    pub fn new(document: &'a D) -> Self {
        Self { schema: document.schema(), document }
    }
}

/// An entry as documents have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryView {
    /// The id, 16 hexadecimal digits.
    pub id: String,
    /// The shortest unique prefix of it.
    pub short: String,
    /// Name of its category.
    pub category: String,
    /// The text, without markers.
    pub text: String,
    /// Stability, 9999 when pinned, or 0 when forgotten; documents have six decimals.
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    /// `active`, `provisional` and so on.
    pub state: &'static str,
    /// Whether it is too young to be judged.
    pub fresh: bool,
    /// What its user decided.
    pub user_state: &'static str,
    /// How often it was confirmed.
    pub evidence: u64,
    /// How it was learned.
    pub cue: &'static str,
    /// RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub first_seen: Timestamp,
    /// RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub last_reinforced: Timestamp,
    /// Whose store it is in.
    pub scope: &'static str,
    /// Stem of its topic file.
    pub topic: String,
    /// Line in it, from 1.
    pub line: usize,
    /// The last moment at which it holds, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    /// The entry that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// `false` for what was neither written nor reviewed on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<bool>,
    /// What sets it apart from others in its state: `pinned`, `fresh` and so on.
    #[serde(skip)]
    pub mark: Option<&'static str>,
}

impl EntryView {
    /// `[lesson] text (1a2b3c4)`.
    pub fn line(&self) -> String {
        format!("[{}] {} ({})", self.category, self.text, self.short)
    }

    /// The state, with what sets it apart: `active (fresh)`.
    pub fn described_state(&self) -> String {
        let mark = self.mark.map_or_else(String::new, |mark| format!(" ({mark})"));
        format!("{}{mark}", self.state)
    }

    /// The score, as 9999, 0 or with three decimals.
    pub fn formatted_score(&self) -> String {
        match self.user_state {
            "pinned" | "forgotten" => format!("{:.0}", self.score),
            _ => format!("{:.3}", self.score),
        }
    }
}

/// Renders entries of one ranking.
pub struct Entries<'a> {
    categories: &'a Categories,
    now: Now,
    board: &'a Ranking,
    short: OnceCell<IdMap<EntryId, String>>,
}

impl<'a> Entries<'a> {
    /// Short ids are unique among the ranking's entries.
    pub fn new(now: Now, categories: &'a Categories, board: &'a Ranking) -> Self {
        Self { categories, now, board, short: OnceCell::new() }
    }

    /// The shortest unique id prefix.
    pub fn short(&self, id: EntryId) -> String {
        let ids = || ranking::short_ids(self.board.rows.iter().map(|row| row.entry.id));
        let short = self.short.get_or_init(ids);
        short.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    /// An entry with what the report made of it.
    pub fn judged(&self, row: &ScoredEntry, verdict: &Verdict) -> JudgedEntry {
        let (shown, reason) = (verdict.shown(), verdict.to_string());
        JudgedEntry { entry: self.entry(row), shown, reason, factors: None }
    }

    /// An entry with how often it was found or shown.
    pub fn accessed(&self, row: &ScoredEntry, accessed: Access) -> AccessedEntry {
        let last_accessed = accessed.last.map(|last| last.to_string());
        let (entry, age) = (self.entry(row), self.age(row));
        AccessedEntry { entry, access_count: accessed.count, last_accessed, age }
    }

    /// The factors of an entry's score.
    pub fn factors(&self, row: &ScoredEntry) -> Factors {
        Factors(Arithmetic::of(row, self.categories.spec(row.entry.category)))
    }

    /// The category's name.
    pub fn category(&self, row: &ScoredEntry) -> &str {
        &self.categories.spec(row.entry.category).name
    }

    /// `[lesson] text (1a2b3c4)`.
    pub fn line(&self, row: &ScoredEntry) -> String {
        let (text, short) = (&row.entry.text, self.short(row.entry.id));
        format!("[{}] {text} ({short})", self.category(row))
    }

    /// The state, with what sets it apart.
    pub fn state(row: &ScoredEntry) -> String {
        let mark = Self::mark(row).map_or_else(String::new, |mark| format!(" ({mark})"));
        format!("{}{mark}", row.state.name())
    }

    /// What sets an entry apart from others in its state.
    pub fn mark(row: &ScoredEntry) -> Option<&'static str> {
        match row.standing {
            _ if !row.entry.reviewed => Some("unreviewed"),
            Standing::Pinned => Some("pinned"),
            Standing::Forgotten => Some("forgotten"),
            Standing::Scored(_) if row.expired => Some("expired"),
            Standing::Scored(_) if row.superseded_by.is_some() => Some("superseded"),
            Standing::Scored(_) => {
                // Active ones need no mercy, and what has only done harm gets none.
                let spared = row.fresh && row.state != State::Active && row.evidence.count > 0;
                spared.then_some("fresh")
            }
        }
    }

    /// The score, as 9999, 0 or with three decimals.
    pub fn score(row: &ScoredEntry) -> String {
        match row.standing {
            Standing::Scored(stability) => format!("{:.3}", stability.get()),
            other => format!("{:.0}", other.shown()),
        }
    }

    /// Everything about an entry.
    pub fn entry(&self, row: &ScoredEntry) -> EntryView {
        EntryView {
            id: row.entry.id.to_string(),
            short: self.short(row.entry.id),
            category: self.category(row).to_owned(),
            text: row.entry.text.clone(),
            score: row.standing.shown(),
            state: row.state.name(),
            fresh: row.fresh,
            user_state: user_state(row).name(),
            evidence: row.evidence.count,
            cue: row.evidence.cue.name(),
            first_seen: row.evidence.first_seen,
            last_reinforced: row.evidence.last_reinforced,
            scope: row.entry.scope.name(),
            topic: row.entry.topic.clone(),
            line: row.entry.line,
            valid_until: row.evidence.until.map(|until| until.to_string()),
            superseded_by: row.superseded_by.map(|by| by.to_string()),
            reviewed: (!row.entry.reviewed).then_some(false),
            mark: Self::mark(row),
        }
    }

    /// The same as JSON.
    pub fn json(&self, row: &ScoredEntry) -> Value {
        serde_json::to_value(self.entry(row)).unwrap_or_default()
    }

    /// How long ago an entry was last reinforced.
    pub fn age(&self, row: &ScoredEntry) -> String {
        self.now.since(row.evidence.last_reinforced).to_string()
    }
}

/// What the user decided, markers in the markdown included.
pub fn user_state(row: &ScoredEntry) -> UserState {
    if row.standing == Standing::Pinned { UserState::Pinned } else { row.evidence.user }
}

/// `1 act`, `2,000 acts`.
pub fn count(number: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Six decimals are enough for anybody, and keep JSON readable.
pub fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}

/// For fields that documents have with six decimals.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn six_decimals<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*number))
}

/// For fields that documents have as they are displayed.
fn displayed<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Marks a text that was neither written nor reviewed on this machine.
pub fn mark_unreviewed(mut text: String, reviewed: bool) -> String {
    if !reviewed {
        text.push_str(" (unreviewed)");
    }
    text
}

/// Says whose a line is, where a list has lines of both stores.
pub struct Whose {
    both: bool,
}

impl Whose {
    /// For a list with lines of the stores with these names.
    pub fn of<'a>(mut scopes: impl Iterator<Item = &'a str>) -> Self {
        let first = scopes.next();
        Self { both: scopes.any(|scope| Some(scope) != first) }
    }

    /// The text, marked if it is of the user's store and others are not.
    pub fn mark(&self, mut text: String, scope: &str) -> String {
        if self.both && scope == Scope::User.name() {
            text.push_str(" (yours)");
        }
        text
    }
}

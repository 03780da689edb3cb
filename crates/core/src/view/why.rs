//! The document of `pimem why`, with the parts shared by `report --explain` and `diff`.

use std::fmt::Write as _;

use serde::Serialize;

use super::{Document, Entries, EntryView, displayed, factors::Factors};
use crate::{
    model::{category::CategorySpec, time::Timestamp},
    score::{
        caps::Place,
        policy::{
            Policy,
            limits::{self, Group},
        },
        ranking::{Scope, ScoredEntry},
        stability::{Standing, State},
    },
};

/// The reason why an entry is in the report or not, with its forecast.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    pub entry: EntryView,
    #[serde(flatten)]
    pub factors: Factors,
    /// When and by which agent or program it was added; left out if a person did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<String>,
    /// Place under the caps, or why it has none.
    pub place: String,
    /// Heading above its line; `null` if there is none.
    pub heading: Option<String>,
    /// True if the report shows the entry.
    pub shown: bool,
    /// Reason why the entry is shown or not.
    pub reason: String,
    /// Section of the report.
    pub section: String,
    /// Tokens of its line.
    pub tokens: u32,
    /// Changes by time alone, soonest first.
    pub ahead: Vec<Ahead>,
    /// Address of the server that a line of a mirror is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Command that brings the entry into the report with the least evidence; `null` if the entry
    /// is already shown, or no command would.
    pub cheapest: Option<String>,
    /// State, with the score that the state requires.
    #[serde(skip)]
    pub state: String,
    /// Token budget of the section, if the policy gives it one.
    #[serde(skip)]
    pub section_tokens: Option<u32>,
}

/// A change of an entry by time alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ahead {
    /// Time of the change, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub at: Timestamp,
    /// `becomes candidate`, `expires` and so on.
    pub what: String,
}

/// An entry with its verdict in the report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedEntry {
    #[serde(flatten)]
    pub entry: EntryView,
    /// True if the report shows the entry.
    pub shown: bool,
    /// Reason why the entry is shown or not.
    pub reason: String,
    /// Set if explanations were requested.
    #[serde(flatten)]
    pub factors: Option<Factors>,
}

/// Formats the state of an entry with the score that the state requires.
pub fn state(policy: Policy, row: &ScoredEntry) -> String {
    let by_score = policy.state(row.standing);
    let mut text = Entries::state(row);
    if let Standing::Scored(_) = row.standing {
        // Writing to a string cannot fail.
        if !row.entry.reviewed {
            let name = by_score.name();
            let more =
                (row.state != by_score).then(|| format!(": by its score it would be {name}"));
            return text + &more.unwrap_or_default();
        }
        if let Policy::Weighted(_) = policy {
            let how = if row.state == State::Active { "within" } else { "not within" };
            let _ = write!(text, ": {how} the limits");
            return text;
        }
        let _ = match policy.least(by_score) {
            Some(least) => write!(text, ": at least {least}"),
            None => {
                write!(text, ": below {}", policy.least(State::Candidate).unwrap_or_default())
            }
        };
        if row.state != by_score {
            let _ = write!(
                text,
                " would be {}, but the cap of its category is reached",
                by_score.name()
            );
        }
    }
    text
}

/// Formats the place of an entry under the caps, or why it has none.
pub fn place(policy: Policy, row: &ScoredEntry, spec: &CategorySpec) -> String {
    let cap = spec.max_active;
    match row.place {
        Place::Pinned => "pinned: in no cap".to_owned(),
        Place::Active(rank) => format!("{rank} of at most {cap} active in its category"),
        Place::Pool(rank) => format!("{rank} of at most 6 in the overflow pool"),
        Place::OverCap if row.state < State::Provisional => {
            let least = State::Provisional.least().unwrap_or_default();
            format!("none: its category has {cap} places, and the pool begins at {least}")
        }
        Place::OverCap => format!("none: its category has {cap} places, and the pool is full"),
        Place::BelowPool => "none: the overflow pool is full".to_owned(),
        Place::TooWeak => "none: its score is too low".to_owned(),
        Place::Listed(rank) => {
            let (text, of_user) = (&row.entry.text, row.entry.scope == Scope::User);
            match Group::of(spec.traits.listed, text, of_user, row.evidence.first_seen) {
                _ if !matches!(policy, Policy::Weighted(_)) => format!("{rank} by importance"),
                Group::Global => {
                    format!("{rank} of at most {} that hold everywhere", limits::GLOBAL)
                }
                Group::Session(_) => format!("{rank} of the newest {} sessions", limits::SESSIONS),
                _ => format!("{rank} of at most {} of the project", limits::PROJECT),
            }
        }
        Place::Always => "kept: the latest decision on its topic".to_owned(),
        Place::OverLimit => format!(
            "none: there are {} places for a project's memories, and {} for those that hold \
             everywhere",
            limits::PROJECT,
            limits::GLOBAL
        ),
        Place::OlderDecision => "none: there is a newer decision on its topic".to_owned(),
        Place::OlderSession => format!("none: {} newer sessions are kept", limits::SESSIONS),
        Place::Spent => "none: harm outweighs its evidence".to_owned(),
        Place::Forgotten => "none: forgotten".to_owned(),
        Place::Excluded => "none: superseded or expired".to_owned(),
        Place::Unset => "none: its category is of another preset".to_owned(),
        Place::Secret => "none: it holds what looks like a secret".to_owned(),
        Place::Unreviewed => "none: neither written nor reviewed on this machine".to_owned(),
    }
}

impl Document for Why {
    fn schema(&self) -> &'static str {
        "pimem.why/1"
    }
}

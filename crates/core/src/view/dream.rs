//! `pimem dream`.

use serde::{Serialize, Serializer};

use crate::{
    dream::{
        script::Naming,
        step::{self, By, Plan},
    },
    model::entry::EntryId,
};

/// What became of a dream.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Dreamed {
    /// Another process was to do it.
    Detached(Detached),
    /// It was done here, or planned.
    Here(Box<Dream>),
}

/// A dream in the background.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detached {
    /// Whether it was started.
    pub detached: bool,
    /// Path of its log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// When it may begin, if that is later; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
}

/// A dream, a plan of one, or a plan that was applied.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Dream {
    /// The store's directory; absent when there was nothing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// What it learned from; absent where a plan was applied.
    #[serde(flatten)]
    pub read: Option<Read>,
    /// What was done or is proposed, in this order.
    pub steps: Vec<Step>,
    /// What was asked for and not done.
    pub refused: Vec<Refused>,
    /// Where the plan of a language model was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_file: Option<String>,
    /// The language model that made the plan.
    #[serde(skip)]
    pub model: Option<String>,
    /// The plan as a text, if it was asked for.
    #[serde(skip)]
    pub script: Option<String>,
}

/// What was read for a dream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Read {
    /// Sessions.
    pub sessions: usize,
    /// Sessions that wait for the next dream.
    pub sessions_left: usize,
    /// Daily logs.
    pub logs: usize,
}

/// An act with its reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// What is done.
    #[serde(flatten)]
    pub act: Act,
    /// Why, on one line.
    pub reason: String,
    /// Who wants it: `rules` or `model`.
    #[serde(serialize_with = "author")]
    pub by: By,
    /// Whether it was done.
    pub done: bool,
}

/// One change to a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "act", rename_all = "camelCase")]
pub enum Act {
    /// Entries go to the archive, and one takes over their evidence.
    Merge {
        /// The one that stays.
        entry: NamedEntry,
        /// Those that go.
        from: Vec<NamedEntry>,
    },
    /// An entry goes to the archive.
    Archive {
        /// Which.
        entry: NamedEntry,
    },
    /// A new entry.
    Add {
        /// Its category.
        category: String,
        /// How it was learned.
        cue: &'static str,
        /// Its text.
        text: String,
    },
    /// A known entry was said again.
    Reinforce {
        /// Which.
        entry: NamedEntry,
        /// How often.
        n: u32,
    },
    /// A new entry takes the place of others.
    Combine {
        /// Its category.
        category: String,
        /// Its text.
        text: String,
        /// Those that go.
        from: Vec<NamedEntry>,
    },
    /// Entries that somebody should put into one.
    Propose {
        /// Which.
        from: Vec<NamedEntry>,
    },
}

/// An entry of a plan: its id in documents, and what people know it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEntry {
    /// The id, 16 hexadecimal digits.
    pub id: EntryId,
    /// The shortest unique prefix of it.
    pub short: String,
    /// `[category] text`.
    pub line: String,
}

/// Something that was asked for and is not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// What, on one line.
    pub what: String,
    /// Why not.
    pub why: String,
}

documents! {
    Dreamed: "pimem.dream/1",
}

impl Dream {
    /// Adds the steps of a plan, and what it refused; `done` says whether it was carried out.
    pub fn extend(&mut self, plan: &Plan, done: bool, naming: &impl Naming) {
        self.steps.extend(plan.steps.iter().map(|step| Step::of(step, done, naming)));
        self.refused.extend(
            plan.refused.iter().map(|r| Refused { what: r.what.clone(), why: r.why.clone() }),
        );
    }
}

impl Step {
    fn of(step: &step::Step, done: bool, naming: &impl Naming) -> Self {
        let named = |id: &EntryId| NamedEntry {
            id: *id,
            short: naming.short(*id),
            line: naming.line(*id).unwrap_or_default(),
        };
        let all = |ids: &[EntryId]| ids.iter().map(named).collect();
        let act = match &step.act {
            step::Act::Merge { keep, from } => Act::Merge { entry: named(keep), from: all(from) },
            step::Act::Archive(id) => Act::Archive { entry: named(id) },
            step::Act::Add { category, cue, text } => {
                Act::Add { category: category.clone(), cue: cue.name(), text: text.clone() }
            }
            step::Act::Reinforce(id, n) => Act::Reinforce { entry: named(id), n: *n },
            step::Act::Combine { category, text, from } => {
                Act::Combine { category: category.clone(), text: text.clone(), from: all(from) }
            }
            step::Act::Propose(of) => Act::Propose { from: all(of) },
        };
        let left = step.by == By::Offer || matches!(act, Act::Propose { .. });
        Self { act, reason: step.reason.clone(), by: step.by, done: done && !left }
    }
}

impl Serialize for NamedEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.id)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn author<S: Serializer>(by: &By, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *by == By::Model { "model" } else { "rules" })
}

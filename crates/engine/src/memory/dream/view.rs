//! The documents of `pimem dream`.

use pimem_core::{
    dream::step::{self, Naming, Plan, PlannedBy},
    model::entry::EntryId,
};
use serde::{Serialize, Serializer};

/// The outcome of a dream.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Dreamed {
    /// Delegated to a background process.
    Detached(Detached),
    /// Done or planned in this process.
    Here(Box<Dream>),
}

/// A dream in the background.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detached {
    /// True if the process was started.
    pub detached: bool,
    /// Path of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// Earliest start, if it is in the future; RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
}

/// A dream, a dry run, or a plan that was applied.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Dream {
    /// Directory of the store; absent if there was nothing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// Input of the dream; absent if a plan was applied.
    #[serde(flatten)]
    pub read: Option<DreamRead>,
    /// Steps done or proposed, in this order.
    pub steps: Vec<StepView>,
    /// Requested steps that were not done.
    pub refused: Vec<RefusedView>,
    /// Path of the plan that a language model left for review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_file: Option<String>,
    /// Language model that made the plan.
    #[serde(skip)]
    pub model: Option<String>,
    /// The plan as text, if requested.
    #[serde(skip)]
    pub script: Option<String>,
}

/// The input of a dream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DreamRead {
    /// Sessions read.
    pub sessions: usize,
    /// Sessions left for the next dream.
    pub sessions_left: usize,
    /// Daily logs read.
    pub logs: usize,
}

/// A step of a plan with its reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepView {
    #[serde(flatten)]
    pub act: DreamAction,
    /// Reason, on one line.
    pub reason: String,
    /// Author of the step: `rules` or `model`.
    #[serde(serialize_with = "author")]
    pub by: PlannedBy,
    /// True if the step was carried out.
    pub done: bool,
}

/// One change to a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "act", rename_all = "camelCase")]
pub enum DreamAction {
    /// Archives entries and transfers their evidence to another.
    Merge {
        /// Entry that is kept.
        entry: NamedEntry,
        /// Entries that are archived.
        from: Vec<NamedEntry>,
    },
    /// Archives an entry.
    Archive {
        /// Entry to archive.
        entry: NamedEntry,
    },
    /// Adds an entry.
    Add {
        category: String,
        /// Kind of evidence for the entry.
        cue: &'static str,
        text: String,
    },
    /// Reinforces a known entry that was stated again.
    Reinforce {
        entry: NamedEntry,
        /// Number of reinforcements.
        n: u32,
    },
    /// Replaces entries by a new one.
    Combine {
        category: String,
        text: String,
        /// Entries that are replaced.
        from: Vec<NamedEntry>,
    },
    /// Proposes that a person or an agent combines these entries.
    Propose {
        /// Entries to combine.
        from: Vec<NamedEntry>,
    },
}

/// An entry of a plan: its id for documents, and the names that people see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEntry {
    pub id: EntryId,
    /// Shortest unique prefix of the id.
    pub short: String,
    /// `[category] text`.
    pub line: String,
}

/// A requested step that is not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedView {
    /// The step, on one line.
    pub what: String,
    /// Reason for the refusal.
    pub why: String,
}

impl Dream {
    /// Appends the steps and refusals of a plan; `done` is true if the plan was carried out.
    pub fn extend(&mut self, plan: &Plan, done: bool, naming: &impl Naming) {
        self.steps.extend(plan.steps.iter().map(|step| StepView::of(step, done, naming)));
        self.refused.extend(
            plan.refused.iter().map(|r| RefusedView { what: r.what.clone(), why: r.why.clone() }),
        );
    }
}

impl StepView {
    fn of(step: &step::PlanStep, done: bool, naming: &impl Naming) -> Self {
        let named = |id: &EntryId| NamedEntry {
            id: *id,
            short: naming.short(*id),
            line: naming.line(*id).unwrap_or_default(),
        };
        let all = |ids: &[EntryId]| ids.iter().map(named).collect();
        let act = match &step.act {
            step::StepAction::Merge { keep, from } => {
                DreamAction::Merge { entry: named(keep), from: all(from) }
            }
            step::StepAction::Archive(id) => DreamAction::Archive { entry: named(id) },
            step::StepAction::Add { category, cue, text } => {
                DreamAction::Add { category: category.clone(), cue: cue.name(), text: text.clone() }
            }
            step::StepAction::Reinforce(id, n) => {
                DreamAction::Reinforce { entry: named(id), n: *n }
            }
            step::StepAction::Combine { category, text, from } => DreamAction::Combine {
                category: category.clone(),
                text: text.clone(),
                from: all(from),
            },
            step::StepAction::Propose(of) => DreamAction::Propose { from: all(of) },
        };
        let left = step.by == PlannedBy::Offer || matches!(act, DreamAction::Propose { .. });
        Self { act, reason: step.reason.clone(), by: step.by, done: done && !left }
    }
}

impl Serialize for NamedEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.id)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn author<S: Serializer>(by: &PlannedBy, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *by == PlannedBy::Model { "model" } else { "rules" })
}

documents! {
    Dreamed: "pimem.dream/1",
}

//! The steps of a dream: acts on a store, each with its reason.

use crate::model::{entry::EntryId, event::Cue, time::Timestamp};

/// One change to a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepAction {
    /// Archives entries that paraphrase `keep`, which takes over their evidence. An entry that
    /// appears on several lines is merged with itself and keeps one line.
    Merge {
        keep: EntryId,
        /// Entries to archive.
        from: Vec<EntryId>,
    },
    Archive(EntryId),
    Add {
        /// Category name.
        category: String,
        cue: Cue,
        text: String,
    },
    /// Reinforces an entry this many times.
    Reinforce(EntryId, u32),
    /// Archives several entries and adds a new one that takes over their evidence.
    Combine {
        /// Category name of the new entry.
        category: String,
        text: String,
        /// Entries to archive.
        from: Vec<EntryId>,
    },
    /// Entries that a person should consolidate. Nothing is changed.
    Propose(Vec<EntryId>),
}

/// The origin of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlannedBy {
    /// The rules, for harmless steps.
    Rules,
    /// The rules, if a person agrees.
    Offer,
    /// A language model.
    Model,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    pub act: StepAction,
    /// The reason, on one line.
    pub reason: String,
    pub by: PlannedBy,
}

/// A requested act that is not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedStep {
    /// The act, on one line.
    pub what: String,
    pub why: String,
}

/// The planned changes to a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Hash of the store's content; the plan applies to that content only.
    pub state: String,
    /// When the plan was made.
    pub made: Timestamp,
    /// Steps in the order of execution.
    pub steps: Vec<PlanStep>,
    pub refused: Vec<RefusedStep>,
}

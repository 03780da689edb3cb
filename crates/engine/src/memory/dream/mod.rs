//! Making and applying plans for a store, and the documents of `pimem dream`.

pub mod gather;
pub mod run;
pub mod steps;

use pimem_core::{
    dream::{
        learn::Conclusion,
        plan,
        step::{self, Naming, Plan, PlanStep, PlannedBy, RefusedStep, StepAction},
        vet::{self, LookupError, StepError, Vetting},
    },
    model::{
        category::Categories,
        entry::{EntryId, Wording},
        event::{ArchiveReason, Cue, EventKind, Provenance},
        hash::IdMap,
    },
    safety::secret,
    score::{
        forecast,
        ranking::{self, Ranking, ScoredEntry},
    },
};
use serde::{Serialize, Serializer};

use super::{Memory, archived, intake};
use crate::{
    error::{Failure, FailureKind},
    llm::ModelError,
    local_time,
    store::{
        Store, StoreLock, snapshot,
        transaction::{Change, NewMarkers, Target, Txn},
    },
};

/// Author of events that a dream writes.
const BY: &str = "dream";

/// The state of a store for a plan.
pub struct StoreView<'a> {
    pub ranking: Ranking,
    short: IdMap<EntryId, String>,
    categories: &'a Categories,
}

impl<'a> StoreView<'a> {
    pub fn of(memory: &'a Memory, txn: &Txn<'_>) -> Self {
        let ranking =
            Ranking::new(memory.now, memory.rules(), vec![(txn.placed(), &txn.snapshot().ledger)]);
        let short = ranking::short_ids(ranking.rows.iter().map(|row| row.entry.id));
        Self { ranking, short, categories: &memory.config.categories }
    }

    fn row(&self, id: EntryId) -> Result<&ScoredEntry, Failure> {
        self.ranking.get(id).ok_or_else(|| {
            Failure::new(FailureKind::NotFound, format!("there is no entry {id}"), "plan anew")
        })
    }
}

impl Naming for StoreView<'_> {
    fn line(&self, id: EntryId) -> Option<String> {
        let ScoredEntry { entry, .. } = self.ranking.get(id)?;
        Some(format!("[{}] {}", self.categories.spec(entry.category).name, entry.text))
    }

    fn short(&self, id: EntryId) -> String {
        self.short.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    fn find(&self, id: &str) -> Result<EntryId, LookupError> {
        vet::find(&self.ranking, id)
    }
}

/// Starts a transaction of a dream; without a lock, a dry run.
fn begin<'a>(
    memory: &'a Memory,
    store: &'a Store,
    lock: Option<&'a StoreLock>,
) -> Result<Txn<'a>, Failure> {
    let who = Provenance { by: BY.to_owned(), ..memory.who() };
    let categories = &memory.config.categories;
    let mut txn = store.begin_adding(lock, categories, memory.now, who);
    txn.read_evidence();
    intake::refuse_if_unreadable(&txn)?;
    // If the ledger of trust cannot be read, reviewed entries would seem unreviewed.
    store.trust.problem().map_or(Ok(txn), |problem| Err(Failure::from(problem)))
}

/// A plan and the store that it applies to.
pub struct PlanRun<'a> {
    pub store_view: StoreView<'a>,
    pub plan: Plan,
    pub done: bool,
    vetting: Vetting,
}

impl<'a> PlanRun<'a> {
    /// Creates an empty plan. Without a lock it cannot be applied.
    pub fn of(
        memory: &'a Memory,
        store: &'a Store,
        lock: Option<&StoreLock>,
    ) -> Result<Self, Failure> {
        // Computed before the store is read: then a plan never covers changes that were not read,
        // and is refused if the store changes.
        let state = store.state()?;
        Ok(Self::at(memory, state, &begin(memory, store, lock)?))
    }

    fn at(memory: &'a Memory, state: String, txn: &Txn<'_>) -> Self {
        let store_view = StoreView::of(memory, txn);
        let plan = Plan { state, made: memory.now.0, steps: Vec::new(), refused: Vec::new() };
        let vetting = Vetting::of(memory.now, &store_view.ranking.rows);
        Self { store_view, plan, done: false, vetting }
    }

    /// Plans what the rules and conclusions require, and applies it if there is a lock.
    pub fn plan(
        memory: &'a Memory,
        store: &'a Store,
        lock: Option<&StoreLock>,
        learned: &[Conclusion],
    ) -> Result<Self, Failure> {
        let state = store.state()?;
        let mut txn = begin(memory, store, lock)?;
        let mut run = Self::at(memory, state, &txn);
        let topics = snapshot::docs(&txn.snapshot().topics);
        let categories = &memory.config.categories;
        let (ranking, days) = (&run.store_view.ranking, store.used_days());
        let seen = (ranking, &days);
        let steps = plan::plan(
            memory.now,
            categories,
            &topics,
            seen,
            memory.merge_threshold(),
            store.scope,
            local_time::date,
        );
        // Proposals come last, for the reader.
        let (proposed, steps): (Vec<PlanStep>, Vec<PlanStep>) =
            steps.into_iter().partition(|step| matches!(step.act, StepAction::Propose(_)));
        run.plan.steps = steps;
        steps::learn(memory, store, &mut txn, &run.store_view.ranking, learned, &mut run.plan);
        drop(txn);
        let all = std::mem::take(&mut run.plan.steps);
        let (offered, steps): (Vec<PlanStep>, Vec<PlanStep>) =
            all.into_iter().partition(|step| lock.is_some() && step.by == PlannedBy::Offer);
        run.plan.steps = steps;
        run.carry_out(memory, store, lock)?;
        run.plan.steps.extend(offered.into_iter().chain(proposed));
        Ok(run)
    }

    /// Adds the proposals of the language model. Returns the model's name; `None` if it cannot be
    /// asked.
    pub fn ask(
        &mut self,
        memory: &Memory,
        store: &Store,
        transcripts: &[String],
    ) -> Option<String> {
        for step in &self.plan.steps {
            self.vetting.count(&step.act);
        }
        match steps::ask(memory, store, &self.store_view.ranking, transcripts) {
            Ok(answer) => {
                self.plan.refused.extend(answer.refused);
                self.vet(memory, answer.steps);
                Some(answer.model)
            }
            Err(ModelError { message, hint }) => {
                memory
                    .notices
                    .note(&format!("warning: done without a language model: {message} ({hint})"));
                None
            }
        }
    }

    /// Adds steps that pass the checks, and records the others as refused.
    pub fn vet(&mut self, memory: &Memory, steps: Vec<PlanStep>) {
        for step in steps {
            let what = secret::clean(&step::what(&step.act, &self.store_view));
            match self.check(memory, step) {
                Ok(step) => self.plan.steps.push(step),
                Err(why) => self.plan.refused.push(RefusedStep { what, why: why.to_string() }),
            }
        }
    }

    /// Returns a step in the form that may be applied, or why it may not.
    pub fn check(&mut self, memory: &Memory, step: PlanStep) -> Result<PlanStep, StepError> {
        self.vetting.take(&memory.config.categories, step)
    }

    /// Applies the plan completely or not at all. Without a lock, it is only tried.
    pub fn carry_out(
        &mut self,
        memory: &Memory,
        store: &Store,
        lock: Option<&StoreLock>,
    ) -> Result<(), Failure> {
        let journal = store.journal().ok_or_else(gather::no_place)?;
        let mut txn = begin(memory, store, lock)?;
        if lock.is_some() {
            txn.adopt(None);
        }
        for step in &self.plan.steps {
            act(memory, &mut txn, &self.store_view, &step.act)?;
        }
        if lock.is_some() {
            txn.commit_as_one(&journal)?
        } else {
            txn.commit()?
        };
        self.done = lock.is_some();
        Ok(())
    }
}

fn act(
    memory: &Memory,
    txn: &mut Txn<'_>,
    store_view: &StoreView<'_>,
    act: &StepAction,
) -> Result<(), Failure> {
    match act {
        StepAction::Merge { keep, from } => {
            let others: Vec<EntryId> = from.iter().copied().filter(|id| id != keep).collect();
            if others.len() < from.len() {
                unrepeat(txn, &store_view.row(*keep)?.entry.wording());
            }
            if !others.is_empty() {
                txn.record(*keep, EventKind::Merge(others.clone()))?;
            }
            for id in others {
                archived::archive(txn, store_view.row(id)?, ArchiveReason::Merged)?;
            }
        }
        StepAction::Archive(id) => {
            let row = store_view.row(*id)?;
            archived::archive(txn, row, forecast::why_archived(row, store_view.categories))?;
        }
        StepAction::Add { category, cue, text } => {
            let new = steps::entry(memory, category, *cue, text)?;
            new.begin(memory, txn)?;
            new.place(memory, txn);
        }
        StepAction::Reinforce(id, n) => txn.record(*id, EventKind::Reinforce(*n))?,
        StepAction::Combine { category, text, from } => {
            let new = steps::entry(memory, category, Cue::Behavioral, text)?;
            new.begin(memory, txn)?;
            txn.record(new.id(memory), EventKind::Merge(from.clone()))?;
            new.place(memory, txn);
            for id in from {
                archived::archive(txn, store_view.row(*id)?, ArchiveReason::Merged)?;
            }
        }
        StepAction::Ask(id, questions) => {
            let of = store_view.row(*id)?.entry.wording();
            let marks = NewMarkers { asked: Some(questions.clone()), ..NewMarkers::default() };
            marks.events().into_iter().try_for_each(|kind| txn.record(*id, kind))?;
            txn.mark_lines(&of, &marks);
        }
        StepAction::Propose(_) => {}
    }
    Ok(())
}

/// Reduces the lines of an entry to one: the first, or those that are marked.
fn unrepeat(txn: &mut Txn<'_>, of: &Wording) {
    let lines = |doc: &pimem_core::markdown::topic::TopicDoc| {
        let mut lines = doc.entries.iter().filter(|entry| entry.is(of)).peekable();
        let here = lines.peek().is_some();
        here.then(|| lines.any(|entry| entry.markers.any()))
    };
    let topics = &txn.snapshot().topics;
    let holders: Vec<(String, bool)> =
        topics.iter().filter_map(|topic| Some((topic.stem.clone(), lines(&topic.doc)?))).collect();
    let mut stays = holders.iter().any(|(_, marked)| *marked);
    for (stem, _) in holders {
        txn.change(Target::Topic(stem), Change::RemoveRepeats(of.clone(), !stays));
        stays = true;
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Dreamed {
    /// Delegated to a background process.
    Detached(Detached),
    /// Done or planned in this process.
    Here(Box<Dream>),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detached {
    pub detached: bool,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DreamRead {
    pub sessions: usize,
    /// Sessions left for the next dream.
    pub sessions_left: usize,
    /// Daily logs read.
    pub logs: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepView {
    #[serde(flatten)]
    pub act: DreamAction,
    /// Reason, on one line.
    pub reason: String,
    /// Author of the step: `rules` or `model`.
    #[serde(serialize_with = "author")]
    pub by: PlannedBy,
    pub done: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "act", rename_all = "camelCase")]
pub enum DreamAction {
    /// Archives entries and transfers their evidence to another.
    Merge {
        entry: NamedEntry,
        /// Entries that are archived.
        from: Vec<NamedEntry>,
    },
    Archive {
        entry: NamedEntry,
    },
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
        from: Vec<NamedEntry>,
    },
    /// Says what an entry will be asked for as.
    Ask {
        entry: NamedEntry,
        questions: Vec<String>,
    },
    /// Proposes that a person or an agent combines these entries.
    Propose {
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedView {
    /// The step, on one line.
    pub what: String,
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
            step::StepAction::Ask(id, questions) => {
                DreamAction::Ask { entry: named(id), questions: questions.questions().to_vec() }
            }
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

//! Plans for a store, made and carried out.

use super::{Memory, archived, intake};
use crate::{
    error::{Failure, Kind},
    llm::ModelError,
    local_time,
    store::{
        full::TopicFull,
        lock::StoreLock,
        snapshot::{self, Store},
        transaction::{Change, Target, Txn},
    },
};
use pimem_core::{
    dream::{
        learn::Conclusion,
        plan,
        script::{self, Naming},
        step::{Act, By, Plan, Refused, Step},
        vet::{self, LookupError, StepError, Vetting},
    },
    model::{
        category::Categories,
        entry::{EntryId, Wording},
        event::{Cue, EventKind, Provenance, Why},
        hash::IdMap,
    },
    safety::secret,
    score::{
        archive,
        ranking::{self, Ranking, ScoredEntry},
    },
};
pub mod background;
pub mod gather;
pub mod learn;
pub mod model;
pub mod run;

/// Who causes what a dream writes.
const BY: &str = "dream";

/// A store at one moment, as plans see it.
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
            Failure::new(Kind::NotFound, format!("there is no entry {id}"), "plan anew")
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

/// A transaction of a dream; without the lock it is a rehearsal.
fn begin<'a>(
    memory: &'a Memory,
    store: &'a Store,
    lock: Option<&'a StoreLock>,
) -> Result<Txn<'a>, Failure> {
    let who = Provenance { by: BY.to_owned(), ..memory.who() };
    let categories = &memory.config.categories;
    let mut txn = match lock {
        Some(lock) => store.begin_adding(lock, categories, memory.now, who),
        None => store.rehearse(categories, memory.now, who),
    };
    txn.read_evidence();
    intake::refuse_if_unreadable(&txn)?;
    // Whatever is in a ledger that cannot be read would seem not to be reviewed.
    store.trust.problem().map_or(Ok(txn), |problem| Err(Failure::from(problem)))
}

/// A plan with the store that it is for.
pub struct PlanRun<'a> {
    pub store_view: StoreView<'a>,
    pub plan: Plan,
    /// Whether it was carried out.
    pub done: bool,
    vetting: Vetting,
}

impl<'a> PlanRun<'a> {
    /// An empty plan. Without the lock, nothing can be carried out.
    pub fn of(
        memory: &'a Memory,
        store: &'a Store,
        lock: Option<&StoreLock>,
    ) -> Result<Self, Failure> {
        // Before the rest is read: a plan for what has changed since is refused, and never one for what
        // was not seen.
        let state = store.state()?;
        Ok(Self::at(memory, state, &begin(memory, store, lock)?))
    }

    fn at(memory: &'a Memory, state: String, txn: &Txn<'_>) -> Self {
        let store_view = StoreView::of(memory, txn);
        let plan = Plan { state, made: memory.now.0, steps: Vec::new(), refused: Vec::new() };
        let vetting = Vetting::of(memory.now, &store_view.ranking.rows);
        Self { store_view, plan, done: false, vetting }
    }

    /// What the rules want and what was learned, carried out where there is a lock.
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
        let steps =
            plan::plan(memory.now, categories, &topics, seen, store.scope, local_time::date);
        // What is proposed comes last: it is for the reader.
        let (proposed, steps): (Vec<Step>, Vec<Step>) =
            steps.into_iter().partition(|step| matches!(step.act, Act::Propose(_)));
        run.plan.steps = steps;
        learn::learn(memory, store, &mut txn, &run.store_view.ranking, learned, &mut run.plan);
        drop(txn);
        let all = std::mem::take(&mut run.plan.steps);
        let (offered, steps): (Vec<Step>, Vec<Step>) =
            all.into_iter().partition(|step| lock.is_some() && step.by == By::Offer);
        run.plan.steps = steps;
        run.carry_out(memory, store, lock)?;
        run.plan.steps.extend(offered.into_iter().chain(proposed));
        Ok(run)
    }

    /// Adds what the language model proposes. Gives its name, unless it cannot be asked.
    pub fn ask(
        &mut self,
        memory: &Memory,
        store: &Store,
        transcripts: &[String],
    ) -> Option<String> {
        for step in &self.plan.steps {
            self.vetting.count(&step.act);
        }
        match model::ask(memory, store, &self.store_view.ranking, transcripts) {
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

    /// Takes steps up, as far as they may be done.
    pub fn vet(&mut self, memory: &Memory, steps: Vec<Step>) {
        for step in steps {
            let what = secret::clean(&script::what(&step.act, &self.store_view));
            match self.check(memory, step) {
                Ok(step) => self.plan.steps.push(step),
                Err(why) => self.plan.refused.push(Refused { what, why: why.to_string() }),
            }
        }
    }

    /// A step as it may be done, or why it may not.
    pub fn check(&mut self, memory: &Memory, step: Step) -> Result<Step, StepError> {
        self.vetting.take(&memory.config.categories, step)
    }

    /// Carries out the plan, all of it or nothing. A step for which a topic has no room is taken out
    /// first. Without the lock, only that is done.
    pub fn carry_out(
        &mut self,
        memory: &Memory,
        store: &Store,
        lock: Option<&StoreLock>,
    ) -> Result<(), Failure> {
        let journal = store.journal().ok_or_else(gather::no_place)?;
        loop {
            let mut txn = begin(memory, store, lock)?;
            if lock.is_some() {
                txn.adopt(None);
            }
            for step in &self.plan.steps {
                act(memory, &mut txn, &self.store_view, &step.act)?;
            }
            let done = if lock.is_some() { txn.commit_as_one(&journal) } else { txn.commit() };
            let Err(error) = done else {
                self.done = lock.is_some();
                return Ok(());
            };
            let Some(full) = error.downcast_ref::<TopicFull>() else { return Err(error.into()) };
            let categories = &memory.config.categories;
            let adds = |step: &Step| match &step.act {
                Act::Add { category, .. } | Act::Combine { category, .. } => categories
                    .find(category)
                    .is_some_and(|id| categories.spec(id).topic == full.stem.as_str()),
                _ => false,
            };
            let Some(at) = self.plan.steps.iter().rposition(adds) else {
                return Err(error.into());
            };
            let what = script::what(&self.plan.steps.remove(at).act, &self.store_view);
            let why = format!("topic {} has no room", full.stem);
            self.plan.refused.push(Refused { what, why });
        }
    }
}

fn act(
    memory: &Memory,
    txn: &mut Txn<'_>,
    store_view: &StoreView<'_>,
    act: &Act,
) -> Result<(), Failure> {
    match act {
        Act::Merge { keep, from } => {
            let others: Vec<EntryId> = from.iter().copied().filter(|id| id != keep).collect();
            if others.len() < from.len() {
                unrepeat(txn, &store_view.row(*keep)?.entry.wording());
            }
            if !others.is_empty() {
                txn.record(*keep, EventKind::Merge(others.clone()))?;
            }
            for id in others {
                archived::archive(txn, store_view.row(id)?, Why::Merged)?;
            }
        }
        Act::Archive(id) => {
            let row = store_view.row(*id)?;
            archived::archive(txn, row, archive::why(row, store_view.categories))?;
        }
        Act::Add { category, cue, text } => {
            let new = learn::entry(memory, category, *cue, text)?;
            new.begin(memory, txn)?;
            new.place(memory, txn);
        }
        Act::Reinforce(id, n) => txn.record(*id, EventKind::Reinforce(*n))?,
        Act::Combine { category, text, from } => {
            let new = learn::entry(memory, category, Cue::Behavioral, text)?;
            new.begin(memory, txn)?;
            txn.record(new.id(memory), EventKind::Merge(from.clone()))?;
            new.place(memory, txn);
            for id in from {
                archived::archive(txn, store_view.row(*id)?, Why::Merged)?;
            }
        }
        Act::Propose(_) => {}
    }
    Ok(())
}

/// Leaves one line of an entry that stands on several: the first one, unless another is marked.
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

//! Learned steps of a plan: conclusions as additions, or as evidence for known entries; and steps that a
//! language model proposes, which is sent only texts that may leave the machine.

use std::cell::LazyCell;

use memchr::memmem;
use pimem_core::{
    dream::{
        learn::Conclusion,
        proposals,
        step::{Plan, PlanStep, PlannedBy, RefusedStep, StepAction},
    },
    model::{entry::EntryId, event::Cue, operation::UserState},
    safety::text::EntryText,
    score::ranking::{Ranking, ScoredEntry},
};
use serde_json::Value;

use crate::{
    error::Failure,
    llm::{ModelError, ModelRole, Prompt, Question, Service},
    memory::{
        Memory, added,
        intake::{self, NewText},
    },
    store::{Store, transaction::Txn},
};

/// Adds the steps that follow from conclusions to a plan.
pub fn learn(
    memory: &Memory,
    store: &Store,
    txn: &mut Txn<'_>,
    ranking: &Ranking,
    learned: &[Conclusion],
    plan: &mut Plan,
) {
    let (mut news, mut concluded) = (Vec::new(), Vec::new());
    for one in learned {
        match checked(memory, one) {
            Ok(new) => {
                news.push(new);
                concluded.push(one);
            }
            Err(why) => plan.refused.push(refused(one, &why)),
        }
    }
    added::find(memory, txn, &mut news);
    let events = LazyCell::new(|| store.log().unwrap_or_default());
    let mut steps: Vec<PlanStep> = Vec::new();
    for (new, one) in news.iter().zip(concluded) {
        let id = new.id(memory);
        let act = match ranking.get(id) {
            // It was learned before and has been removed since.
            None if one.again => continue,
            None if txn.snapshot().ledger.is_out(memory.now, id) => Err(NotLearned::OutOfService),
            Some(row) if !row.entry.is(&new.wording(memory)) => Err(NotLearned::Collision),
            None => {
                let line = new.line(memory);
                let (category, text) = (line.category.to_owned(), line.text.to_owned());
                Ok(StepAction::Add { category, cue: new.cue, text })
            }
            Some(_) if one.sources.iter().any(|source| was_heard(&events, id, source)) => {
                Err(NotLearned::Heard)
            }
            Some(row) => again(memory, row, &mut plan.steps),
        };
        match act {
            Ok(act) if steps.iter().all(|step| step.act != act) => {
                steps.push(PlanStep { act, reason: one.reason.clone(), by: PlannedBy::Rules });
            }
            Ok(_) => {}
            Err(why) => plan.refused.push(refused(one, &why)),
        }
    }
    plan.steps.extend(steps);
}

pub fn entry(memory: &Memory, category: &str, cue: Cue, text: &str) -> Result<NewText, Failure> {
    let category = intake::category(memory, category)?;
    Ok(NewText::plain(category, EntryText::new(text)?, cue))
}

#[derive(Debug, thiserror::Error)]
enum NotLearned {
    #[error("it may have been pasted: {0}")]
    Pasted(&'static str),
    #[error(transparent)]
    Unfit(#[from] Failure),
    #[error("it was said so long ago that it would have faded")]
    Faded,
    #[error("it was taken out of service")]
    OutOfService,
    #[error("another text has its id")]
    Collision,
    #[error("it was learned while it was said")]
    Heard,
    #[error("it has been forgotten")]
    Forgotten,
    #[error("it was said within the hour, is over, or not reviewed")]
    Settled,
}

fn checked(memory: &Memory, one: &Conclusion) -> Result<NewText, NotLearned> {
    if let Some(why) = one.pasted {
        return Err(NotLearned::Pasted(why));
    }
    let new = entry(memory, one.category, one.cue, &one.text)?;
    let tau = memory.config.categories.spec(new.category).tau_days;
    let has_faded = |said| memory.now.since(said).days() > tau * std::f64::consts::LN_2;
    if one.said.is_some_and(has_faded) {
        return Err(NotLearned::Faded);
    }
    Ok(new)
}

fn refused(one: &Conclusion, why: &NotLearned) -> RefusedStep {
    RefusedStep { what: format!("[{}] {}", one.category, one.text), why: why.to_string() }
}

/// Returns true if hooks already learned or used an entry in this session, so that the same words
/// do not count twice.
fn was_heard(events: &[u8], id: EntryId, session: &str) -> bool {
    let entry = format!("\"entry\":\"{id}\"");
    let session = format!("\"session\":{}", Value::from(session));
    let holds = |line: &[u8], text: &str| memmem::find(line, text.as_bytes()).is_some();
    events.split(|byte| *byte == b'\n').any(|line| holds(line, &entry) && holds(line, &session))
}

/// Returns a step with evidence for an entry, or for the one that it is merged into. An archive
/// step for the entry is dropped.
fn again(
    memory: &Memory,
    row: &ScoredEntry,
    steps: &mut Vec<PlanStep>,
) -> Result<StepAction, NotLearned> {
    let id = row.entry.id;
    if row.evidence.user == UserState::Forgotten {
        return Err(NotLearned::Forgotten);
    }
    if row.expired || row.superseded_by.is_some() || !row.may_gain_unasked(memory.now) {
        return Err(NotLearned::Settled);
    }
    let keeper = steps.iter().find_map(|step| match &step.act {
        StepAction::Merge { keep, from } if from.contains(&id) => Some(*keep),
        _ => None,
    });
    steps.retain(|step| step.act != StepAction::Archive(id));
    Ok(StepAction::Reinforce(keeper.unwrap_or(id), 1))
}

pub struct ModelAnswer {
    pub model: String,
    /// Proposed steps, not checked yet.
    pub steps: Vec<PlanStep>,
    /// Parts of the answer that are not valid steps.
    pub refused: Vec<RefusedStep>,
}

/// Asks the model. `told` is the text of the sessions since the last dream.
pub fn ask(
    memory: &Memory,
    store: &Store,
    ranking: &Ranking,
    transcripts: &[String],
) -> Result<ModelAnswer, ModelError> {
    let service =
        Service::of(&memory.config, &memory.env, ModelRole::Dream)?.ok_or_else(|| ModelError {
            message: "llm.provider is none".to_owned(),
            hint: "pimem config set --user llm.provider PROVIDER names one".to_owned(),
        })?;
    let rules = Prompt::Dream.text(memory.env.home.as_deref())?;
    let categories = &memory.config.categories;
    // Naming a store does not permit sending its texts to a service.
    let trust = store.clone().strict().trust;
    let ours = |row: &&ScoredEntry| {
        let category = &categories.spec(row.entry.category).name;
        row.entry.reviewed && trust.holds_entry(category, &row.entry.text)
    };
    let ranking = Ranking {
        rows: ranking.rows.iter().filter(ours).cloned().collect(),
        policy: ranking.policy,
        former: ranking.former.clone(),
        ..Ranking::default()
    };
    let text = proposals::ask(memory.now, categories, &ranking, transcripts);
    memory.notices.detail(&format!("Asking {}", service.name()));
    let answer = service.ask(Question { rules: &rules, text: &text })?;
    let (steps, refused) = proposals::read(&answer, &ranking);
    Ok(ModelAnswer { model: service.name().to_owned(), steps, refused })
}

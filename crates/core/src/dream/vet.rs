//! Vets steps: entries must exist, be free to change and not yet archived, and new texts must be
//! valid.

use std::cell::OnceCell;

use super::step::{PlanStep, PlannedBy, StepAction};
use crate::{
    language::{injection, paraphrase::NormalForm},
    lint::contradiction::Outlines,
    model::{
        category::Categories,
        entry::EntryId,
        hash::{IdMap, IdSet},
        operation::UserState,
        time::Now,
    },
    safety::{
        secret,
        text::{EntryText, TextError},
    },
    score::{
        forecast::is_free,
        ranking::{Ranking, ScoredEntry},
    },
    search::{
        social_gate::{self, AskedError},
        tokens::{Tokenizer, content_words},
    },
};

/// Number of digits accepted as an id or prefix of one.
const ID: std::ops::RangeInclusive<usize> = 7..=16;
/// Maximum number of characters in a model's text.
const LONGEST: usize = 500;
/// Minimum number of characters in a model's text.
const SHORTEST: usize = 12;
/// Maximum number of characters quoted in an error message.
const QUOTED: usize = 40;

/// Why an id names no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// With the id as far as it can be shown.
    #[error("there is no entry {0}")]
    Missing(String),
    #[error("{0} begins the ids of several entries")]
    Ambiguous(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    #[error("there is no entry {0}")]
    Missing(EntryId),
    #[error("entry {0} is not reviewed")]
    Unreviewed(EntryId),
    #[error("entry {0} has the same id as another text")]
    Collision(EntryId),
    #[error("entry {0} has been forgotten")]
    Forgotten(EntryId),
    #[error("entry {0} is done away with by an earlier act")]
    Gone(EntryId),
    #[error("entry {0} is part of an earlier act")]
    Used(EntryId),
    #[error("entry {0} is enforced")]
    Enforced(EntryId),
    #[error("entry {0} is pinned")]
    Pinned(EntryId),
    #[error("entry {0} is over")]
    Over(EntryId),
    #[error("entry {0} was said within the hour")]
    JustSaid(EntryId),
    #[error("entry {0} says that already")]
    Known(EntryId),
    #[error("entry {0} would be merged with itself")]
    MergedWithItself(EntryId),
    #[error("entries of different categories are not merged")]
    Categories,
    #[error("an entry is named twice")]
    NamedTwice,
    #[error("no entry is named")]
    NoneNamed,
    #[error("fewer than two entries are named")]
    OneNamed,
    #[error("a proposal changes nothing")]
    Proposal,
    /// With the name as far as it can be shown.
    #[error("there is no category {0}")]
    UnknownCategory(String),
    #[error(transparent)]
    Text(#[from] TextError),
    #[error("the text has {0} characters, {LONGEST} at most")]
    TooLong(usize),
    #[error("the text is too short to say anything")]
    TooShort,
    #[error("the text is marked as pinned")]
    MarkedAsPinned,
    #[error("the text is worded as an order: it {0}")]
    Order(&'static str),
    #[error("the text drops what entry {0} says")]
    Drops(EntryId),
    #[error("entry {0} has questions")]
    Asked(EntryId),
    #[error("entry {0} says each word of its questions")]
    NothingNew(EntryId),
    #[error(transparent)]
    Questions(#[from] AskedError),
    #[error("an earlier act adds that already")]
    AddedAlready,
}

/// Returns the entry with this id, or the only one whose id has this prefix.
pub fn find(ranking: &Ranking, id: &str) -> Result<EntryId, LookupError> {
    let digits = ID.contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lower = id.to_ascii_lowercase();
    let begins = |row: &&ScoredEntry| digits && row.entry.id.to_string().starts_with(&lower);
    let mut found = ranking.rows.iter().filter(begins).map(|row| row.entry.id);
    match (found.next(), found.next()) {
        (Some(found), None) => Ok(found),
        (None, _) => Err(LookupError::Missing(quoted(id))),
        _ => Err(LookupError::Ambiguous(lower)),
    }
}

/// Vets steps in sequence. Entries archived by one step do not exist for the next, and a model may
/// use each entry in only one step.
pub struct Vetting {
    now: Now,
    rows: IdMap<EntryId, ScoredEntry>,
    /// Normal forms in the order of the rows, computed when first needed.
    outlines: OnceCell<(Vec<EntryId>, Outlines)>,
    gone: IdSet<EntryId>,
    used: IdSet<EntryId>,
    added: Vec<(String, NormalForm)>,
}

impl Vetting {
    pub fn of(now: Now, rows: &[ScoredEntry]) -> Self {
        let rows = rows.iter().map(|row| (row.entry.id, row.clone())).collect();
        let (gone, used) = (IdSet::default(), IdSet::default());
        Self { now, rows, outlines: OnceCell::new(), gone, used, added: Vec::new() }
    }

    /// Returns the step as it may be carried out, or the reason why not. For steps of a model,
    /// further limits guard against lost content and excessive evidence.
    pub fn take(&mut self, categories: &Categories, step: PlanStep) -> Result<PlanStep, StepError> {
        let PlanStep { act, reason, by } = step;
        let act = match act {
            StepAction::Merge { keep, from } => {
                let category = self.free(by, keep)?.entry.category;
                // An entry on several lines is merged with itself.
                if by == PlannedBy::Model && from.contains(&keep) {
                    return Err(StepError::MergedWithItself(keep));
                }
                let others = self.sources(by, &from, 1)?;
                if others.iter().any(|row| row.entry.category != category) {
                    return Err(StepError::Categories);
                }
                StepAction::Merge { keep, from }
            }
            StepAction::Archive(id) => {
                self.free(by, id).map(|row| StepAction::Archive(row.entry.id))?
            }
            StepAction::Reinforce(id, n) => self.again(by, id, n)?,
            StepAction::Add { category, cue, text } => {
                let text = self.text(categories, by, &category, &text)?;
                match (self.like(categories, &category, &text, by), by) {
                    (Some(known), PlannedBy::Model) => self.again(by, known, 1)?,
                    (Some(known), PlannedBy::Rules | PlannedBy::Offer) => {
                        return Err(StepError::Known(known));
                    }
                    (None, _) => StepAction::Add { category, cue, text },
                }
            }
            StepAction::Combine { category, text, from } => {
                let sources = self.sources(by, &from, 2)?;
                let text = self.text(categories, by, &category, &text)?;
                let dropped = dropped(&text, &sources).filter(|_| by == PlannedBy::Model);
                if let Some(dropped) = dropped {
                    return Err(StepError::Drops(dropped));
                }
                if let Some(known) = self.like(categories, &category, &text, by) {
                    return Err(StepError::Known(known));
                }
                StepAction::Combine { category, text, from }
            }
            StepAction::Ask(id, questions) => {
                let entry = &self.free(by, id)?.entry;
                if !entry.asides.asked.is_empty() {
                    return Err(StepError::Asked(id));
                }
                if let Some((_, does)) = injection::find(&questions.to_string()) {
                    return Err(StepError::Order(does));
                }
                let questions = social_gate::asked(questions.questions())?;
                let words = |text: &str| content_words(&mut Tokenizer::default(), text);
                if words(&questions.to_string()).is_subset(&words(&entry.text)) {
                    return Err(StepError::NothingNew(id));
                }
                StepAction::Ask(id, questions)
            }
            StepAction::Propose(_) if by == PlannedBy::Model => return Err(StepError::Proposal),
            StepAction::Propose(of) => StepAction::Propose(of),
        };
        self.count(&act);
        Ok(PlanStep { act, reason, by })
    }

    /// Records the entries and texts of an act without vetting it.
    pub fn count(&mut self, act: &StepAction) {
        match act {
            StepAction::Merge { keep, from } => {
                self.used.insert(*keep);
                self.gone.extend(from.iter().filter(|id| *id != keep));
            }
            StepAction::Archive(id) => self.gone.extend([*id]),
            StepAction::Reinforce(id, _) | StepAction::Ask(id, _) => self.used.extend([*id]),
            StepAction::Add { category, text, .. } => {
                self.added.push((category.clone(), NormalForm::of(text)));
            }
            StepAction::Combine { category, text, from } => {
                self.gone.extend(from);
                self.added.push((category.clone(), NormalForm::of(text)));
            }
            StepAction::Propose(_) => {}
        }
    }

    /// Returns an entry that still exists.
    fn row(&self, by: PlannedBy, id: EntryId) -> Result<&ScoredEntry, StepError> {
        let row = self.rows.get(&id).ok_or(StepError::Missing(id))?;
        match row {
            _ if !row.entry.reviewed => Err(StepError::Unreviewed(id)),
            _ if row.shared => Err(StepError::Collision(id)),
            _ if row.evidence.user == UserState::Forgotten => Err(StepError::Forgotten(id)),
            _ if self.gone.contains(&id) => Err(StepError::Gone(id)),
            _ if by == PlannedBy::Model && self.used.contains(&id) => Err(StepError::Used(id)),
            _ => Ok(row),
        }
    }

    /// Returns an entry that may be changed.
    fn free(&self, by: PlannedBy, id: EntryId) -> Result<&ScoredEntry, StepError> {
        let row = self.row(by, id)?;
        match row {
            _ if is_free(row) => Ok(row),
            _ if row.entry.enforced => Err(StepError::Enforced(id)),
            _ => Err(StepError::Pinned(id)),
        }
    }

    /// Returns the entries to archive, each of which must be free to change. Fewer than `least` are
    /// an error.
    fn sources(
        &self,
        by: PlannedBy,
        ids: &[EntryId],
        least: usize,
    ) -> Result<Vec<&ScoredEntry>, StepError> {
        let rows: Vec<&ScoredEntry> =
            ids.iter().map(|id| self.free(by, *id)).collect::<Result<_, _>>()?;
        let distinct: IdSet<EntryId> = ids.iter().copied().collect();
        if distinct.len() < ids.len() {
            return Err(StepError::NamedTwice);
        }
        match (rows.len() < least, least) {
            (false, _) => Ok(rows),
            (true, 1) => Err(StepError::NoneNamed),
            (true, _) => Err(StepError::OneNamed),
        }
    }

    /// Vets a reinforcement. A model may only reinforce entries that are free to change, and not
    /// within an hour of the last reinforcement.
    fn again(&self, by: PlannedBy, id: EntryId, n: u32) -> Result<StepAction, StepError> {
        let is_model = by == PlannedBy::Model;
        let row = if is_model { self.free(by, id)? } else { self.row(by, id)? };
        if row.expired || row.superseded_by.is_some() {
            return Err(StepError::Over(id));
        }
        if is_model && !row.may_gain_unasked(self.now) {
            return Err(StepError::JustSaid(id));
        }
        Ok(StepAction::Reinforce(id, n))
    }

    /// Returns the text of a new entry as it is stored.
    fn text(
        &self,
        categories: &Categories,
        by: PlannedBy,
        category: &str,
        text: &str,
    ) -> Result<String, StepError> {
        if categories.find(category).is_none() {
            return Err(StepError::UnknownCategory(quoted(category)));
        }
        let new = EntryText::new(text)?;
        let length = new.as_str().chars().count();
        if by == PlannedBy::Model && length > LONGEST {
            return Err(StepError::TooLong(length));
        }
        if by == PlannedBy::Model && length < SHORTEST {
            return Err(StepError::TooShort);
        }
        if new.pinned() {
            return Err(StepError::MarkedAsPinned);
        }
        if let Some((_, does)) = injection::find(new.as_str()) {
            return Err(StepError::Order(does));
        }
        let outline = NormalForm::of(new.as_str());
        let same =
            |(at, other): &(String, NormalForm)| at == category && other.says_the_same(&outline);
        if self.added.iter().any(same) {
            return Err(StepError::AddedAlready);
        }
        Ok(new.as_str().to_owned())
    }

    /// Returns the entry of a category with the same text. For a model's text, a paraphrase counts
    /// too.
    fn like(
        &self,
        categories: &Categories,
        category: &str,
        text: &str,
        by: PlannedBy,
    ) -> Option<EntryId> {
        let exact = EntryId::of(category, text.as_bytes());
        if by != PlannedBy::Model || self.rows.contains_key(&exact) {
            return self.rows.contains_key(&exact).then_some(exact);
        }
        let (ids, outlines) = self.outlines.get_or_init(|| {
            let (ids, texts): (Vec<_>, Vec<_>) =
                self.rows.values().map(|row| (row.entry.id, row.entry.text.as_str())).unzip();
            (ids, Outlines::of(&texts))
        });
        let category = categories.find(category);
        let same = |id: &EntryId| {
            // A statement with an end date differs from one without.
            self.rows.get(id).is_some_and(|row| {
                Some(row.entry.category) == category
                    && row.entry.reviewed
                    && row.evidence.until.is_none()
            })
        };
        let outline = NormalForm::of(text);
        let mut like: Vec<EntryId> =
            outlines.like(&outline).filter_map(|at| ids.get(at)).copied().filter(same).collect();
        like.sort_unstable();
        like.first().copied()
    }
}

/// Returns the first entry none of whose content words are in `text`.
fn dropped(text: &str, sources: &[&ScoredEntry]) -> Option<EntryId> {
    let mut tokenizer = Tokenizer::default();
    let kept = content_words(&mut tokenizer, text);
    let mut is_lost = |row: &&&ScoredEntry| {
        let said = content_words(&mut tokenizer, &row.entry.text);
        !said.is_empty() && said.is_disjoint(&kept)
    };
    sources.iter().find(|row| is_lost(row)).map(|row| row.entry.id)
}

/// Returns the start of a text in quotes, without secrets.
pub(super) fn quoted(text: &str) -> String {
    let start: String = secret::clean(text).chars().take(QUOTED).collect();
    format!("{start:?}")
}

#[cfg(test)]
#[path = "vet_samples.rs"]
pub(super) mod samples;

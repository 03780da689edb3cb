//! Learns from questions and their answers.

use pimem_core::{
    language::importance::{self, MemoryKind, Weighed},
    model::{
        category::CategoryId,
        entry::Share,
        event::{Cue, Provenance},
    },
    safety::{secret, text::EntryText},
};
use serde::{Deserialize, Serialize};

use super::{
    Memory,
    intake::{self, NewText},
    lock, near_duplicates,
};
use crate::{
    error::{Failure, FailureKind},
    store::Store,
};

/// Why a question is not stored if its kind has no category.
const NO_CATEGORY: &str = "no category of this type is in force";

/// A question and its answer; other keys are ignored.
#[derive(Deserialize)]
struct Line {
    question: String,
    #[serde(default)]
    answer: String,
}

impl Memory {
    /// Returns what would be learned of questions and answers, a JSON object a line. Stores
    /// nothing.
    ///
    /// # Errors
    /// Fails at a line that is not an object with a question.
    pub fn weigh_pairs(&self, text: &str) -> Result<Pairs, Failure> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let pairs = lines.map(|(at, line)| {
            let Line { question, answer } = serde_json::from_str(line).map_err(|error| {
                let message = format!("line {}: {error}", at + 1);
                let hint = "as in {\"question\": \"Which port?\", \"answer\": \"5433\"}";
                Failure::new(FailureKind::Usage, message, hint)
            })?;
            Ok(self.pair(at + 1, importance::weigh(&question, &answer)))
        });
        Ok(Pairs { pairs: pairs.collect::<Result<_, Failure>>()? })
    }

    fn pair(&self, line: usize, weighed: Weighed) -> PairView {
        let made = self.entry_of(&weighed);
        let category = made.as_ref().ok().map(|new| new.category);
        let share = |one: importance::ImportanceShare| PairShare {
            of: one.of,
            cue: one.cue,
            share: one.share,
        };
        PairView {
            line,
            importance: Share::clamped(weighed.importance).get(),
            kind: weighed.kind.name(),
            base: importance::BASE,
            words: weighed.words,
            category: category.map(|id| self.config.categories.spec(id).name.to_string()),
            text: weighed.text.as_deref().map(|text| secret::redact(text).into_owned()),
            reason: made.err(),
            shares: weighed.shares.into_iter().map(share).collect(),
        }
    }

    /// Returns the entry that a question and its answer make, or why there is none.
    fn entry_of(&self, weighed: &Weighed) -> Result<NewText, String> {
        if let Some(why) = &weighed.refused {
            return Err(why.clone());
        }
        let text = weighed.text.as_deref().unwrap_or_default();
        let category = self.category_of(weighed.kind).ok_or(NO_CATEGORY)?;
        // Parsed twice to drop a trailing marker: automatic learning never pins.
        let text = EntryText::new(text).and_then(|text| EntryText::new(text.as_str()));
        let mut new =
            NewText::plain(category, text.map_err(|error| error.to_string())?, Cue::Behavioral);
        new.importance = Some(Share::clamped(weighed.importance));
        Ok(new)
    }

    /// Returns the category for a kind of memory: its own, or the one of the default categories that
    /// serves as it.
    pub(super) fn category_of(&self, kind: MemoryKind) -> Option<CategoryId> {
        let categories = &self.config.categories;
        let find = |name| categories.find(name).filter(|id| categories.is_set(*id));
        let other = match kind {
            MemoryKind::Fact | MemoryKind::Correction => find("lesson"),
            MemoryKind::Preference | MemoryKind::Context => None,
        };
        find(kind.name()).or(other)
    }

    /// Learns from a question and its answer what [`Self::weigh_pairs`] shows, but for what the
    /// question states plainly: that was learned when it was asked. What is known is left as it is.
    ///
    /// # Errors
    /// Fails if the store cannot be read or written.
    pub fn learn_pair(
        &self,
        store: &Store,
        question: &str,
        answer: &str,
        who: Provenance,
    ) -> Result<(), Failure> {
        let weighed = importance::weigh(question, answer);
        if weighed.stated {
            return Ok(());
        }
        let Ok(new) = self.entry_of(&weighed) else { return Ok(()) };
        let lock = lock(self, store)?;
        let mut txn = store.begin_adding(Some(&lock), &self.config.categories, self.now, who);
        intake::refuse_if_unreadable(&txn)?;
        let mut news = vec![new];
        near_duplicates::find(self, &mut txn, &mut news);
        for new in &news {
            let id = new.id(self);
            let held = !txn.snapshot().holders(&new.wording(self)).is_empty();
            if held || new.known.is_some() || txn.mentions(id) {
                continue;
            }
            new.begin(self, &mut txn)?;
            new.place(self, &mut txn);
        }
        txn.commit()?;
        Ok(())
    }
}

/// What would be learned of questions and answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pairs {
    /// One per question.
    pub pairs: Vec<PairView>,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PairView {
    /// Line of the input, from 1.
    pub line: usize,
    /// From 0.2 to 0.9.
    pub importance: f64,
    /// `fact`, `correction`, `preference` or `context`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Importance without any cue.
    pub base: f64,
    /// What was added for cues and length.
    pub shares: Vec<PairShare>,
    /// Number of words of the question.
    pub words: usize,
    /// Category of the entry; absent if nothing would be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Text of the entry, without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why nothing would be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A share of an importance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairShare {
    /// `naming`, `identity`, `correction`, `preference` or `length`.
    pub of: &'static str,
    /// The pattern of the cue, as the tables have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cue: Option<&'static str>,
    pub share: f64,
}

documents! {
    Pairs: "pimem.pairs/1",
}

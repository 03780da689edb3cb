//! Learns the preferences that a text states, and from questions and their answers.

use crate::memory::handles::Writing;
use pimem_core::{
    language::{
        importance::{self, MemoryKind, Weighed},
        preference::{self, Hearing, Preference},
    },
    model::{
        category::CategoryId,
        entry::{EntryId, Share},
        event::{Cue, Provenance},
    },
    safety::{secret, text::EntryText},
};
use serde::{Deserialize, Serialize};

use super::{
    Effect, WriteTarget, added,
    intake::{self, NewText},
    learn::{self, HookSpeaker, Learned, LearnedAs},
    lock, lock_for,
};
use crate::{
    error::{Failure, FailureKind},
    memory::next::NotShown,
    store::{Store, spool::Said},
};

/// Why piped text awaits review.
const PIPED: &str = "it came from standard input";

#[derive(Debug, Clone, Copy)]
pub struct ExtractRequest<'a> {
    /// The text, as one message.
    pub text: &'a str,
    pub origin: PairOrigin,
    pub dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairOrigin {
    /// Typed by the user.
    Typed,
    /// From an unknown source; its preferences await review.
    Piped,
}

impl Writing<'_> {
    /// Learns the preferences that a text states. Text that may have been pasted awaits review.
    ///
    /// # Errors
    /// Fails if a store cannot be written, or if no store can hold what awaits review.
    pub fn extract(self, request: &ExtractRequest<'_>) -> Result<Extracted, Failure> {
        let ExtractRequest { text, origin, dry_run } = *request;
        let effect = Effect::of(dry_run);
        let mut stated = preference::find_heard(text, Hearing::Lasting);
        if origin == PairOrigin::Piped {
            for found in &mut stated {
                found.waits = found.waits.or(Some(PIPED));
            }
        }
        let (mut here, mut rest, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for stated in &stated {
            match learn::said(stated) {
                Ok(said) if said.waits => rest.push(said),
                Ok(said) => here.push(said),
                Err(learned) => found.push(learned),
            }
        }
        if !here.is_empty() {
            let mut store = self.memory.opened(self.memory.target()?, effect)?;
            // One transaction, so that a dry run knows of one what it says of the other.
            if learn::place(self.memory).is_some_and(|(place, _)| place.dir == store.dir) {
                here.append(&mut rest);
                store = store.strict();
            }
            found.extend(self.take(&store, &here, effect)?);
        }
        if !rest.is_empty() {
            let store = self.place_for_review(effect)?;
            found.extend(self.take(&store, &rest, effect)?);
        }
        let learned =
            |learned: &&Learned| matches!(learned.what, LearnedAs::Learned | LearnedAs::Reinforced);
        let ids: Vec<EntryId> =
            found.iter().filter(learned).filter_map(|learned| learned.id).collect();
        let told = !dry_run && !ids.is_empty();
        let mut left_out =
            if told { self.memory.reading().left_out(&ids)? } else { Vec::new() }.into_iter();
        let result = |learned: Learned| {
            let is_told =
                told && matches!(learned.what, LearnedAs::Learned | LearnedAs::Reinforced);
            let absent = if is_told { left_out.next().flatten() } else { None };
            let one = view(learned, &stated);
            ExtractedPreference { eligible: is_told.then_some(absent.is_none()), absent, ..one }
        };
        Ok(Extracted { dry_run, results: found.into_iter().map(result).collect() })
    }

    fn take(self, store: &Store, all: &[Said], effect: Effect) -> Result<Vec<Learned>, Failure> {
        let lock = lock_for(self.memory, store, effect)?;
        let speaker = HookSpeaker { now: self.memory.now, who: self.memory.who(), marked: false };
        learn::learn(self.memory, store, lock.as_ref(), all, speaker)
    }

    /// Returns the store that holds what awaits review.
    fn place_for_review(self, effect: Effect) -> Result<Store, Failure> {
        let (store, there) = learn::place(self.memory).ok_or_else(|| {
            let message = "there is no project whose store could keep this for a review";
            let hint = "in a project, or with pimem add --user if it is what you want";
            Failure::new(FailureKind::Usage, message, hint)
        })?;
        if effect == Effect::Write && !there {
            self.memory.made(WriteTarget {
                dir: store.dir.clone(),
                scope: store.scope,
                exists: false,
            })?;
        }
        Ok(store)
    }

    /// Returns what would be learned of questions and answers, a JSON object a line. Stores
    /// nothing.
    ///
    /// # Errors
    /// Fails at a line that is not an object with a question.
    pub fn weigh_pairs(self, text: &str) -> Result<Pairs, Failure> {
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

    fn pair(self, line: usize, weighed: Weighed) -> PairView {
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
            category: category.map(|id| self.memory.config.categories.spec(id).name.to_string()),
            text: weighed.text.as_deref().map(|text| secret::redact(text).into_owned()),
            reason: made.err(),
            shares: weighed.shares.into_iter().map(share).collect(),
        }
    }

    /// Returns the entry that a question and its answer make, or why there is none.
    fn entry_of(self, weighed: &Weighed) -> Result<NewText, String> {
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
    pub(super) fn category_of(self, kind: MemoryKind) -> Option<CategoryId> {
        let categories = &self.memory.config.categories;
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
        self,
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
        let lock = lock(self.memory, store)?;
        let mut txn =
            store.begin_adding(Some(&lock), &self.memory.config.categories, self.memory.now, who);
        intake::refuse_if_unreadable(&txn)?;
        let mut news = vec![new];
        added::find(self.memory, &mut txn, &mut news);
        for new in &news {
            let id = new.id(self.memory);
            let held = !txn.snapshot().holders(&new.wording(self.memory)).is_empty();
            if held || new.known.is_some() || store.mentions(std::iter::once(id)) {
                continue;
            }
            new.begin(self.memory, &mut txn)?;
            new.place(self.memory, &mut txn);
        }
        txn.commit()?;
        Ok(())
    }
}

fn view(learned: Learned, stated: &[Preference]) -> ExtractedPreference {
    let same = |found: &&Preference| found.text == learned.text;
    let why = || stated.iter().find(same).or(stated.first())?.waits.map(str::to_owned);
    let (action, reason) = match learned.what {
        LearnedAs::Learned => (ExtractAction::Learned, None),
        LearnedAs::Reinforced => (ExtractAction::Reinforced, None),
        LearnedAs::Recent => (ExtractAction::Recent, None),
        LearnedAs::Known => (ExtractAction::Known, None),
        LearnedAs::Waiting => (ExtractAction::Waiting, why()),
        LearnedAs::Forgotten => (ExtractAction::Forgotten, None),
        LearnedAs::Doubtful(does) => (ExtractAction::Doubtful, Some(format!("it {does}"))),
        LearnedAs::Refused(why) => (ExtractAction::Refused, Some(why)),
    };
    let id = learned.id.map(|id| id.to_string());
    ExtractedPreference { action, id, text: learned.text, reason, eligible: None, absent: None }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extracted {
    pub dry_run: bool,
    pub results: Vec<ExtractedPreference>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExtractedPreference {
    pub action: ExtractAction,
    /// Id of the entry, 16 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Text, with secrets removed.
    pub text: String,
    /// Why the preference waits, is doubtful or was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the next report shows it, if it was learned or reinforced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eligible: Option<bool>,
    /// Why the next report leaves it out.
    #[serde(flatten)]
    pub absent: Option<NotShown>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtractAction {
    Learned,
    /// A known entry with one more piece of evidence.
    Reinforced,
    /// Stated less than an hour ago; not counted again.
    Recent,
    /// Would wait for review, but is already known; nothing changed.
    Known,
    /// A new entry that is hidden from agents until it is reviewed.
    Waiting,
    /// The user has forgotten the entry.
    Forgotten,
    /// Worded as an order to an agent.
    Doubtful,
    /// Not allowed in a store.
    Refused,
}

documents! {
    Extracted: "pimem.extract/1",
}

/// Why a question is not stored if its kind has no category.
const NO_CATEGORY: &str = "no category of this type is in force";

/// A question and its answer; other keys are ignored.
#[derive(Deserialize)]
struct Line {
    question: String,
    #[serde(default)]
    answer: String,
}

/// What would be learned of questions and answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pairs {
    pub pairs: Vec<PairView>,
}

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

//! Learns the preferences that a text states.

use serde::Serialize;

use super::{
    Effect, Memory, WriteTarget,
    learn::{self, HookSpeaker, Learned, LearnedAs},
    lock_for,
};
use crate::{
    error::{Failure, FailureKind},
    memory::next::NotShown,
    store::{Store, spool::Said},
};
use pimem_core::{
    language::preference::{self, Preference},
    model::entry::EntryId,
};

/// Why piped text awaits review.
const PIPED: &str = "it came from standard input";

/// A text that may state preferences.
#[derive(Debug, Clone, Copy)]
pub struct ExtractRequest<'a> {
    /// The text, as one message.
    pub text: &'a str,
    pub origin: PairOrigin,
    pub dry_run: bool,
}

/// Source of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairOrigin {
    /// Typed by the user.
    Typed,
    /// From an unknown source; its preferences await review.
    Piped,
}

impl Memory {
    /// Learns the preferences that a text states. Text that may have been pasted awaits review.
    ///
    /// # Errors
    /// Fails if a store cannot be written, or if no store can hold what awaits review.
    pub fn extract(&self, request: &ExtractRequest<'_>) -> Result<Extracted, Failure> {
        let ExtractRequest { text, origin, dry_run } = *request;
        let effect = Effect::of(dry_run);
        let mut stated = preference::find(text);
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
            let mut store = self.opened(self.target()?, effect)?;
            // One transaction, so that a dry run knows of one what it says of the other.
            if learn::place(self).is_some_and(|(place, _)| place.dir == store.dir) {
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
        let mut left_out = if told { self.left_out(&ids)? } else { Vec::new() }.into_iter();
        let result = |learned: Learned| {
            let is_told =
                told && matches!(learned.what, LearnedAs::Learned | LearnedAs::Reinforced);
            let absent = if is_told { left_out.next().flatten() } else { None };
            let one = view(learned, &stated);
            ExtractedPreference { eligible: is_told.then_some(absent.is_none()), absent, ..one }
        };
        Ok(Extracted { dry_run, results: found.into_iter().map(result).collect() })
    }

    fn take(&self, store: &Store, all: &[Said], effect: Effect) -> Result<Vec<Learned>, Failure> {
        let lock = lock_for(self, store, effect)?;
        let speaker = HookSpeaker { now: self.now, who: self.who(), marked: false };
        learn::learn(self, store, lock.as_ref(), all, speaker)
    }

    /// Returns the store that holds what awaits review.
    fn place_for_review(&self, effect: Effect) -> Result<Store, Failure> {
        let (store, there) = learn::place(self).ok_or_else(|| {
            let message = "there is no project whose store could keep this for a review";
            let hint = "in a project, or with pimem add --user if it is what you want";
            Failure::new(FailureKind::Usage, message, hint)
        })?;
        if effect == Effect::Write && !there {
            self.made(WriteTarget { dir: store.dir.clone(), scope: store.scope, exists: false })?;
        }
        Ok(store)
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

/// The preferences extracted from a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extracted {
    /// True if nothing was written.
    pub dry_run: bool,
    /// One per preference.
    pub results: Vec<ExtractedPreference>,
}

/// A preference found in a text.
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

/// What extraction did with a preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtractAction {
    /// A new entry.
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

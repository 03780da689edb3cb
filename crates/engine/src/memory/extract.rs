//! Learns the preferences that a text states.

use super::{
    Effect, Memory, Target,
    learn::{self, Learned, What},
    pending,
};
use crate::error::{Failure, Kind};
use pimem_core::{
    language::preference::{self, Preference},
    view::extract::{ExtractAction, Extracted, ExtractedPreference},
};

/// Why piped text awaits review.
const PIPED: &str = "it came from standard input";

/// A text that may state preferences.
#[derive(Debug, Clone, Copy)]
pub struct ExtractRequest<'a> {
    /// The text, as one message.
    pub text: &'a str,
    pub origin: Origin,
    pub dry_run: bool,
}

/// Source of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
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
        if origin == Origin::Piped {
            for found in &mut stated {
                found.waits = found.waits.or(Some(PIPED));
            }
        }
        let (waiting, typed): (Vec<Preference>, Vec<Preference>) =
            stated.into_iter().partition(|found| found.waits.is_some());
        let mut found = Vec::new();
        if !typed.is_empty() {
            let store = self.opened(self.target()?, effect)?;
            found = learn::take(self, &store, &typed, preference::MOST, self.who(), effect)?;
        }
        if !waiting.is_empty() {
            found.extend(hold(self, &waiting, effect)?);
        }
        Ok(Extracted { dry_run, results: found.into_iter().map(view).collect() })
    }
}

/// Stores preferences that may have been pasted, for review.
fn hold(memory: &Memory, stated: &[Preference], effect: Effect) -> Result<Vec<Learned>, Failure> {
    let (store, there) = pending::place(memory).ok_or_else(|| {
        let message = "there is no project whose store could keep this for a review";
        let hint = "in a project, or with pimem add --user if it is what you want";
        Failure::new(Kind::Usage, message, hint)
    })?;
    if effect == Effect::Write && !there {
        memory.made(Target { dir: store.dir.clone(), scope: store.scope, exists: false })?;
    }
    pending::hold(memory, &store, stated, preference::MOST, memory.who(), effect)
}

fn view(learned: Learned) -> ExtractedPreference {
    let (action, reason) = match learned.what {
        What::Learned => (ExtractAction::Learned, None),
        What::Reinforced => (ExtractAction::Reinforced, None),
        What::Recent => (ExtractAction::Recent, None),
        What::Known => (ExtractAction::Known, None),
        What::Waiting(why) => (ExtractAction::Waiting, Some(why.to_owned())),
        What::Forgotten => (ExtractAction::Forgotten, None),
        What::Doubtful(does) => (ExtractAction::Doubtful, Some(format!("it {does}"))),
        What::Refused(why) => (ExtractAction::Refused, Some(why)),
    };
    let id = learned.id.map(|id| id.to_string());
    ExtractedPreference { action, id, text: learned.text, reason }
}

//! Recorded prompts against other thresholds: what would have been put into them, and how much of
//! what was used would still have been there.
//!
//! What a lower threshold would have added was in no prompt, so nobody knows whether it would have
//! been used: its share of used entries is a lower bound.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::sums::{Log, Session, session};
use crate::{
    model::entry::EntryId,
    search::rank::{self, Mode},
    usage::record::{Record, What},
};

/// The share of used entries that a proposed setting has to keep.
pub const KEEP: f64 = 0.95;
/// Prompts and used entries without which nothing is proposed.
pub const PROMPTS: usize = 50;
/// See [`PROMPTS`].
pub const USED: usize = 30;
/// The most entries that a proposal lets into a prompt.
pub const LIMIT: usize = 20;

/// What happened in a session, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Its context was made anew, with these entries.
    Start(Vec<EntryId>),
    /// Entries were put into it for another reason than a prompt.
    Shown(Vec<EntryId>),
    /// A prompt, by its place among all; it had these entries, of which those were used later.
    Prompt {
        /// Place among [`Recorded::prompts`].
        number: usize,
        /// What it was given.
        given: Vec<EntryId>,
        /// What of that was used.
        used: Vec<EntryId>,
    },
}

/// All sessions of a log that had prompts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The steps of each session.
    pub sessions: Vec<Vec<Step>>,
    /// The prompts, as far as they were recorded.
    pub prompts: Vec<String>,
    /// Used entries that are not there any more.
    pub gone: usize,
}

impl Recorded {
    /// Takes the prompts out of a log; `present` tells entries that are there today.
    #[must_use]
    pub fn new(log: &Log, present: impl Fn(EntryId) -> bool) -> Self {
        let mut out = Self::default();
        let mut sessions: BTreeMap<Session, Vec<Step>> = BTreeMap::new();
        // Backwards, so that what is used later is known.
        let mut used: BTreeMap<Session, BTreeSet<EntryId>> = BTreeMap::new();
        for (at, record) in log.records.iter().rev() {
            let key = session(*at, record);
            match &record.what {
                What::Usage { used: ids, .. } => {
                    let ids = ids.iter().filter_map(|id| id.parse::<EntryId>().ok());
                    used.entry(key).or_default().extend(ids);
                }
                What::Injection { .. } => {
                    let of_session = used.entry(key.clone()).or_default();
                    let step = out.step(record, of_session, &present);
                    sessions.entry(key).or_default().extend(step);
                }
                _ => {}
            }
        }
        out.sessions = sessions.into_values().collect();
        out.sessions.iter_mut().for_each(|steps| steps.reverse());
        out
    }

    fn step(
        &mut self,
        record: &Record,
        used: &mut BTreeSet<EntryId>,
        present: &impl Fn(EntryId) -> bool,
    ) -> Option<Step> {
        let What::Injection { event, prompt, entries } = &record.what else { return None };
        let given: Vec<EntryId> =
            entries.iter().filter_map(|entry| entry.id.parse().ok()).collect();
        if prompt.trim().is_empty() {
            let is_start = event == "session-start";
            return Some(if is_start { Step::Start(given) } else { Step::Shown(given) });
        }
        // Used once is used once, whichever prompt it was in.
        let (here, gone): (Vec<EntryId>, Vec<EntryId>) =
            given.iter().filter(|id| used.remove(id)).partition(|id| present(**id));
        self.gone += gone.len();
        self.prompts.push(prompt.clone());
        Some(Step::Prompt { number: self.prompts.len() - 1, given, used: here })
    }

    /// Entries that were used and are there today, counted once a session.
    #[must_use]
    pub fn used(&self) -> usize {
        let steps = self.sessions.iter().flatten();
        steps.map(|step| if let Step::Prompt { used, .. } = step { used.len() } else { 0 }).sum()
    }
}

/// What a prompt finds today, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// What the search went by.
    pub mode: Option<Mode>,
    /// Documents that were searched.
    pub docs: u64,
    /// The hits.
    pub hits: Vec<Hit>,
}

/// A hit of a recorded prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The entry.
    pub id: EntryId,
    /// Its score.
    pub score: f64,
    /// Tokens of its line.
    pub tokens: u32,
    /// Places of better hits that say the same.
    pub like: Vec<usize>,
}

/// What decides which hits are put into a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// Least score.
    pub min_score: f64,
    /// The most entries.
    pub limit: usize,
}

/// What a setting comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The setting.
    pub setting: Setting,
    /// Entries that it puts into prompts.
    pub injected: usize,
    /// Their tokens.
    pub tokens: usize,
    /// Of the used ones, those that are still there when they were used.
    pub kept: usize,
    /// How many were used.
    pub used: usize,
}

impl Outcome {
    /// The share of the used entries that is kept.
    #[must_use]
    pub fn kept_share(&self) -> f64 {
        self.kept as f64 / self.used.max(1) as f64
    }

    /// The range that the true share lies in, in 95 of 100 cases (Wilson's interval).
    #[must_use]
    pub fn kept_range(&self) -> (f64, f64) {
        let n = self.used.max(1) as f64;
        let (share, z2) = (self.kept_share(), 1.96 * 1.96);
        let middle = share + z2 / (2.0 * n);
        let reach = 1.96 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
        let bound = |value: f64| (value / (1.0 + z2 / n)).clamp(0.0, 1.0);
        (bound(middle - reach), bound(middle + reach))
    }

    /// The share of what is injected that is known to have been used.
    #[must_use]
    pub fn used_share(&self) -> f64 {
        self.kept as f64 / self.injected.max(1) as f64
    }
}

/// Plays all sessions with another setting. `answers` belong to the prompts.
#[must_use]
pub fn play(recorded: &Recorded, answers: &[Answer], setting: Setting) -> Outcome {
    let mut out = Outcome { setting, injected: 0, tokens: 0, kept: 0, used: recorded.used() };
    for steps in &recorded.sessions {
        let mut shown: BTreeSet<EntryId> = BTreeSet::new();
        let mut injected: BTreeSet<EntryId> = BTreeSet::new();
        for step in steps {
            match step {
                Step::Start(ids) => {
                    injected.clear();
                    shown = ids.iter().copied().collect();
                }
                Step::Shown(ids) => shown.extend(ids),
                Step::Prompt { number, given, used } => {
                    // What was given here had not been shown, whatever the log still knows of that.
                    shown.retain(|id| !given.contains(id));
                    let Some(answer) = answers.get(*number) else { continue };
                    for hit in
                        chosen(answer, setting, |id| shown.contains(&id) || injected.contains(&id))
                    {
                        out.injected += 1;
                        out.tokens += hit.tokens as usize;
                        injected.insert(hit.id);
                    }
                    out.kept += used.iter().filter(|id| injected.contains(id)).count();
                }
            }
        }
    }
    out
}

/// The hits that are put into a prompt.
fn chosen(answer: &Answer, setting: Setting, is_known: impl Fn(EntryId) -> bool) -> Vec<&Hit> {
    let mode = answer.mode.unwrap_or(Mode::Hybrid);
    let least = rank::threshold(mode, setting.min_score, answer.docs);
    let mut places: Vec<usize> = Vec::new();
    let mut chosen = Vec::new();
    for (place, hit) in answer.hits.iter().enumerate() {
        if hit.score < least || chosen.len() >= setting.limit {
            break;
        }
        if !is_known(hit.id) && !hit.like.iter().any(|like| places.contains(like)) {
            places.push(place);
            chosen.push(hit);
        }
    }
    chosen
}

/// The highest threshold, in hundredths, that keeps enough of what was used, and then the lowest
/// limit that does. `None` when none does.
#[must_use]
pub fn choose(recorded: &Recorded, answers: &[Answer]) -> Option<Setting> {
    let keeps = |min_score: f64, limit: usize| {
        play(recorded, answers, Setting { min_score, limit }).kept_share() >= KEEP
    };
    let scores = (0..=100).rev().map(|percent| f64::from(percent) / 100.0);
    let min_score = scores.into_iter().find(|score| keeps(*score, LIMIT))?;
    let limit = (1..=LIMIT).find(|limit| keeps(min_score, *limit))?;
    Some(Setting { min_score, limit })
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;

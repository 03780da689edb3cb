//! Replays recorded prompts with other thresholds: counts what would have been injected, and how
//! much of what was used would still have been there.
//!
//! Entries that a lower threshold would add were in no prompt, so their use is unknown: the share
//! of used entries is a lower bound.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::sums::{Log, Session, session};
use crate::{
    model::entry::EntryId,
    usage::record::{Record, What},
};

/// The share of used entries that a proposed setting must keep.
pub const KEEP: f64 = 0.95;
/// Minimum number of prompts for a proposal.
pub const PROMPTS: usize = 50;
/// Minimum number of used entries for a proposal.
pub const USED: usize = 30;
/// Maximum number of entries per prompt in a proposal.
pub const LIMIT: usize = 20;

/// An event of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The context was rebuilt with these entries.
    Start(Vec<EntryId>),
    /// Entries were injected for another reason than a prompt.
    Shown(Vec<EntryId>),
    /// A prompt was given these entries, some of which were used later.
    Prompt {
        /// Index in [`Recorded::prompts`].
        number: usize,
        /// Entries given to the prompt.
        given: Vec<EntryId>,
        /// Entries of `given` that were used later.
        used: Vec<EntryId>,
    },
}

/// The sessions of a log that had prompts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The events of each session, in order.
    pub sessions: Vec<Vec<Step>>,
    /// The recorded parts of the prompts.
    pub prompts: Vec<String>,
    /// Number of used entries that do not exist any more.
    pub gone: usize,
}

impl Recorded {
    /// Extracts the prompts from a log. `present` returns true for entries that exist today.
    #[must_use]
    pub fn new(log: &Log, present: impl Fn(EntryId) -> bool) -> Self {
        let mut out = Self::default();
        let mut sessions: BTreeMap<Session, Vec<Step>> = BTreeMap::new();
        // In reverse, so that later use is known.
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
        // Use counts once, whichever prompt contained the entry.
        let (here, gone): (Vec<EntryId>, Vec<EntryId>) =
            given.iter().filter(|id| used.remove(id)).partition(|id| present(**id));
        self.gone += gone.len();
        self.prompts.push(prompt.clone());
        Some(Step::Prompt { number: self.prompts.len() - 1, given, used: here })
    }

    /// Returns the number of used entries that exist today, counted once per session.
    #[must_use]
    pub fn used(&self) -> usize {
        let steps = self.sessions.iter().flatten();
        steps.map(|step| if let Step::Prompt { used, .. } = step { used.len() } else { 0 }).sum()
    }
}

/// The search results for a prompt today, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    pub hits: Vec<Hit>,
}

/// A search result for a recorded prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Id of the entry.
    pub id: EntryId,
    pub score: f64,
    /// Tokens of the entry's line.
    pub tokens: u32,
    /// Indexes of better hits that say the same.
    pub like: Vec<usize>,
}

/// The settings that select hits for a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// Minimum score.
    pub min_score: f64,
    /// Maximum number of entries.
    pub limit: usize,
}

/// The result of replaying a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    pub setting: Setting,
    /// Number of entries put into prompts.
    pub injected: usize,
    /// Total tokens of these entries.
    pub tokens: usize,
    /// Number of used entries that are still in a prompt when they were used.
    pub kept: usize,
    /// Number of used entries.
    pub used: usize,
}

impl Outcome {
    /// The share of used entries that is kept.
    #[must_use]
    pub fn kept_share(&self) -> f64 {
        self.kept as f64 / self.used.max(1) as f64
    }

    /// The 95 % confidence interval of the kept share (Wilson).
    #[must_use]
    pub fn kept_range(&self) -> (f64, f64) {
        let n = self.used.max(1) as f64;
        let (share, z2) = (self.kept_share(), 1.96 * 1.96);
        let middle = share + z2 / (2.0 * n);
        let reach = 1.96 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
        let bound = |value: f64| (value / (1.0 + z2 / n)).clamp(0.0, 1.0);
        (bound(middle - reach), bound(middle + reach))
    }

    /// The share of injected entries that is known to have been used.
    #[must_use]
    pub fn used_share(&self) -> f64 {
        self.kept as f64 / self.injected.max(1) as f64
    }
}

/// Replays all sessions with a setting. `answers` are indexed like the prompts.
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
                    // An entry given here was not known to the session, even if the log records it
                    // as shown.
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

/// Returns the hits that are put into a prompt.
fn chosen(answer: &Answer, setting: Setting, is_known: impl Fn(EntryId) -> bool) -> Vec<&Hit> {
    let mut places: Vec<usize> = Vec::new();
    let mut chosen = Vec::new();
    for (place, hit) in answer.hits.iter().enumerate() {
        if hit.score < setting.min_score || chosen.len() >= setting.limit {
            break;
        }
        if !is_known(hit.id) && !hit.like.iter().any(|like| places.contains(like)) {
            places.push(place);
            chosen.push(hit);
        }
    }
    chosen
}

/// Returns the highest threshold, in hundredths, that keeps enough of the used entries, with the
/// lowest limit that does. `None` if none does.
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

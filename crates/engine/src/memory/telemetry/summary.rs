//! Usage by telemetry: summary, rates, and unused entries.

use std::{cmp::Reverse, collections::BTreeMap};

use clap::ValueEnum;

use super::Usage;
use crate::{
    error::Failure,
    memory::{Answer, Memory, telemetry::view},
    store::{Store, machine_local::TELEMETRY},
    view::{Entries, told},
};
use pimem_core::{
    model::{
        entry::EntryId,
        time::{DAY_MS, Timestamp},
    },
    report::budget::Tokens,
    score::{ranking::ScoredEntry, stability::Standing},
    usage::{
        record::RecordKindOf,
        sums::{self, SessionKey, UseCount, Volume},
    },
};

/// Number of sessions from which the summary lists an entry as never used.
pub const SESSIONS: usize = 3;
/// Number of entries that the summary names of the most used ones, and of those never used.
const NAMED: usize = 5;

/// How rates are broken down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UsageOrder {
    /// By entry
    Entry,
    /// By category
    Category,
    /// By agent
    Agent,
}

impl Memory {
    /// Summarises what was put into prompts, and how much of it was used.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn telemetry_summary(&self) -> Result<Answer<view::TelemetrySummary>, Failure> {
        let usage = Usage::read(self)?;
        let volume = sums::volume(&usage.log);
        let fates = sums::fates(&usage.log);
        let all = sums::by(&fates, |_, _| Some(())).remove(&()).unwrap_or_default();
        let size =
            |store: &Store| store.local(TELEMETRY).ok().flatten().map_or(0, |bytes| bytes.len());
        let entries = Entries::new(self.now, &self.config.categories, &usage.ranking);
        let unused = never_used(&entries, &usage, SESSIONS);
        let mut used = by_entry(&entries, &usage);
        let mut least = Vec::new();
        for (row, _) in unused.iter().take(NAMED) {
            let id = row.entry.id.to_string();
            least.extend(used.iter().find(|entry| entry.id == id).cloned());
        }
        used.retain(|entry| entry.usage.used > 0);
        used.truncate(NAMED);
        let view = view::TelemetrySummary {
            from: volume.span.map(|(first, _)| first.to_string()),
            to: volume.span.map(|(_, last)| last.to_string()),
            sessions: volume.sessions,
            measured_sessions: volume.measured,
            prompts: volume.prompts,
            injections: volume.injections,
            entries: volume.entries,
            tokens: tokens(&usage),
            different_entries: volume.different,
            session_injects: volume.session_injects,
            past_sessions: volume.summaries,
            searches: volume.searches,
            records: usage.log.records.len(),
            damaged: usage.log.damaged,
            bytes: usage.stores.iter().map(size).sum(),
            never_used: unused.len(),
            usage: view::Use::from(&all),
            categories: named(&entries, &usage, UsageOrder::Category),
            agents: named(&entries, &usage, UsageOrder::Agent),
            most_used: used,
            least_used: least,
            days: days(&volume),
        };
        Ok(usage.answer(view))
    }

    /// Returns how often entries were used, relative to the sessions that had them.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn telemetry_usage(&self, by: UsageOrder) -> Result<Answer<view::Usage>, Failure> {
        let usage = Usage::read(self)?;
        let entries = Entries::new(self.now, &self.config.categories, &usage.ranking);
        let view = match by {
            UsageOrder::Entry => {
                view::Usage { by: "entry", usage: view::Uses::Entries(by_entry(&entries, &usage)) }
            }
            UsageOrder::Category | UsageOrder::Agent => {
                let name = if by == UsageOrder::Agent { "agent" } else { "category" };
                view::Usage { by: name, usage: view::Uses::Named(named(&entries, &usage, by)) }
            }
        };
        Ok(usage.answer(view))
    }

    /// Returns entries that at least `min` sessions had and none used.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn telemetry_never_used(&self, min: usize) -> Result<Answer<view::NeverUsed>, Failure> {
        let usage = Usage::read(self)?;
        let entries = Entries::new(self.now, &self.config.categories, &usage.ranking);
        let unused = |(row, count): (&ScoredEntry, UseCount)| {
            let act = if row.standing == Standing::Pinned { "unpin" } else { "forget" };
            view::Unused {
                entry: entries.entry(row),
                usage: view::Use::from(&count),
                command: format!("pimem {act} {}", row.entry.id),
                state: Entries::state(row),
                score: Entries::score(row),
            }
        };
        let rows = never_used(&entries, &usage, min).into_iter().map(unused).collect();
        Ok(usage.answer(view::NeverUsed { min, entries: rows }))
    }
}

fn by_entry(entries: &Entries<'_>, usage: &Usage) -> Vec<view::EntryUse> {
    let fates = sums::fates(&usage.log);
    let mut rows: Vec<(EntryId, UseCount)> =
        sums::by(&fates, |_, id| Some(id)).into_iter().collect();
    order(&mut rows);
    let texts = texts(usage);
    let entry = |(id, count): &(EntryId, UseCount)| {
        let row = usage.ranking.get(*id);
        let text = match row {
            Some(row) => told(row).into_owned(),
            None => texts.get(id).map_or_else(String::new, |text| (*text).to_owned()),
        };
        view::EntryUse {
            id: id.to_string(),
            short: entries.short(*id),
            category: row.map(|row| entries.category(row).to_owned()),
            text,
            present: row.is_some(),
            usage: view::Use::from(count),
        }
    };
    rows.iter().map(entry).collect()
}

/// Returns existing entries that were in at least `min` sessions with an evaluated answer and never
/// used, by the number of sessions. Forgotten entries are left out, because they are no longer in
/// prompts.
fn never_used<'a>(
    entries: &Entries<'_>,
    usage: &'a Usage,
    min: usize,
) -> Vec<(&'a ScoredEntry, UseCount)> {
    let fates = sums::fates(&usage.log);
    let counts = sums::by(&fates, |_, id| Some(id));
    let mut rows: Vec<(&ScoredEntry, UseCount)> = counts
        .into_iter()
        .filter(|(_, count)| count.used == 0 && count.measured >= min.max(1))
        .filter_map(|(id, count)| Some((usage.ranking.get(id)?, count)))
        .filter(|(row, _)| row.standing != Standing::Forgotten)
        .collect();
    rows.sort_by_key(|(row, count)| {
        (Reverse(count.measured), entries.category(row).to_owned(), row.entry.id)
    });
    rows
}

/// Returns sums by category or agent, most used first.
fn named(entries: &Entries<'_>, usage: &Usage, by: UsageOrder) -> Vec<view::NamedUse> {
    let key = |(agent, _): &SessionKey, id: EntryId| {
        let category = || usage.ranking.get(id).map_or(view::GONE, |row| entries.category(row));
        Some(if by == UsageOrder::Agent { agent.clone() } else { category().to_owned() })
    };
    let mut rows: Vec<_> = sums::by(&sums::fates(&usage.log), key).into_iter().collect();
    order(&mut rows);
    let named = |(name, count)| view::NamedUse { name, usage: view::Use::from(&count) };
    rows.into_iter().map(named).collect()
}

/// Sorts by use, then by sessions with an evaluated answer, then by injections.
fn order<K>(rows: &mut [(K, UseCount)]) {
    rows.sort_by(|(_, a), (_, b)| {
        (b.used, b.measured, b.injected).cmp(&(a.used, a.measured, a.injected))
    });
}

/// Returns the start of each entry's text, as last recorded.
fn texts(usage: &Usage) -> BTreeMap<EntryId, &str> {
    let mut texts = BTreeMap::new();
    for (_, record) in &usage.log.records {
        let RecordKindOf::Injection { entries, .. } = &record.what else { continue };
        let known = entries.iter().filter_map(|e| Some((e.id.parse().ok()?, e.text.as_str())));
        texts.extend(known);
    }
    texts
}

/// Returns the size of everything that was put into contexts. Records have the start of a text only,
/// so an entry that is still there is measured itself.
fn tokens(usage: &Usage) -> usize {
    let mut tokens = 0;
    for (_, record) in &usage.log.records {
        let RecordKindOf::Injection { entries, .. } = &record.what else { continue };
        for entry in entries {
            let row = entry.id.parse().ok().and_then(|id| usage.ranking.get(id));
            let text = row.map_or(entry.text.as_str(), |row| &row.entry.text);
            tokens += Tokens::of(text).0 as usize;
        }
    }
    tokens
}

/// Returns the days with their dates, up to the last one.
fn days(volume: &Volume) -> Vec<view::UsageDay> {
    let last = volume.span.map_or(0, |(_, last)| last.0);
    let date = |ago: usize| {
        let ago = i64::try_from(ago).unwrap_or(0).saturating_mul(DAY_MS);
        Timestamp(last.saturating_sub(ago)).date()
    };
    let days = volume.days.iter().rev().enumerate();
    let mut days: Vec<view::UsageDay> =
        days.map(|(ago, sum)| view::UsageDay { date: date(ago), entries: *sum }).collect();
    days.reverse();
    days
}

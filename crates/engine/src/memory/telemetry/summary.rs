//! Usage by telemetry: summary, rates, and unused entries; and the documents of `pimem telemetry`.

use crate::memory::handles::Learning;
use std::{cmp::Reverse, collections::BTreeMap};

use pimem_core::{
    model::{
        entry::EntryId,
        time::{DAY_MS, Timestamp},
    },
    report::budget::Tokens,
    score::{ranking::ScoredEntry, stability::Standing},
    usage::{
        record::{Record, RecordKindOf},
        sums::{self, SessionKey, UsageLog, UseCount, Volume},
    },
};
use serde::Serialize;

use super::ReadUsage;
use crate::{
    error::Failure,
    memory::Answer,
    store::{Store, machine_local::TELEMETRY, snapshot::Snapshot},
    view::{Entries, EntryView, rounded, told},
};

/// Number of sessions from which the summary lists an entry as never used.
pub const SESSIONS: usize = 3;
/// Number of entries that the summary names of the most used ones, and of those never used.
const NAMED: usize = 5;

/// How rates are broken down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageOrder {
    Entry,
    Category,
    Agent,
}

impl Learning<'_> {
    /// Summarises what was put into prompts, and how much of it was used.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn telemetry_summary(self) -> Result<Answer<TelemetrySummary>, Failure> {
        let usage = ReadUsage::read(self.memory)?;
        let volume = sums::volume(&usage.log);
        let fates = sums::fates(&usage.log);
        let all = sums::by(&fates, |_, _| Some(())).remove(&()).unwrap_or_default();
        let size =
            |store: &Store| store.local(TELEMETRY).ok().flatten().map_or(0, |bytes| bytes.len());
        let entries = self.memory.entries_of(&usage.ranking);
        let unused = never_used(&entries, &usage, SESSIONS);
        let mut used = by_entry(&entries, &usage);
        let mut least = Vec::new();
        for (row, _) in unused.iter().take(NAMED) {
            let id = row.entry.id.to_string();
            least.extend(used.iter().find(|entry| entry.id == id).cloned());
        }
        used.retain(|entry| entry.usage.used > 0);
        used.truncate(NAMED);
        let view = TelemetrySummary {
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
            usage: Use::from(&all),
            categories: named(&entries, &usage, UsageOrder::Category),
            agents: named(&entries, &usage, UsageOrder::Agent),
            most_used: used,
            least_used: least,
            days: days(&volume),
            held_by: held_by(&entries, &usage),
        };
        Ok(usage.answer(view))
    }

    /// Returns how often entries were used, relative to the sessions that had them.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn telemetry_usage(self, by: UsageOrder) -> Result<Answer<Usage>, Failure> {
        let usage = ReadUsage::read(self.memory)?;
        let entries = self.memory.entries_of(&usage.ranking);
        let view = match by {
            UsageOrder::Entry => {
                Usage { by: "entry", usage: Uses::Entries(by_entry(&entries, &usage)) }
            }
            UsageOrder::Category | UsageOrder::Agent => {
                let name = if by == UsageOrder::Agent { "agent" } else { "category" };
                Usage { by: name, usage: Uses::Named(named(&entries, &usage, by)) }
            }
        };
        Ok(usage.answer(view))
    }

    /// Returns entries that at least `min` sessions had and none used.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn telemetry_never_used(self, min: usize) -> Result<Answer<NeverUsed>, Failure> {
        let usage = ReadUsage::read(self.memory)?;
        let entries = self.memory.entries_of(&usage.ranking);
        let unused = |(row, count): (&ScoredEntry, UseCount)| {
            let act = if row.standing == Standing::Pinned { "unpin" } else { "forget" };
            Unused {
                entry: entries.entry(row),
                usage: Use::from(&count),
                command: format!("pimem {act} {}", row.entry.id),
                state: Entries::state(row),
                score: Entries::score(row),
            }
        };
        let rows = never_used(&entries, &usage, min).into_iter().map(unused).collect();
        Ok(usage.answer(NeverUsed { min, entries: rows }))
    }
}

fn by_entry(entries: &Entries<'_>, usage: &ReadUsage) -> Vec<EntryUse> {
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
        EntryUse {
            id: id.to_string(),
            short: entries.short(*id),
            category: row.map(|row| entries.category(row).to_owned()),
            text,
            present: row.is_some(),
            usage: Use::from(count),
        }
    };
    rows.iter().map(entry).collect()
}

/// Returns existing entries that were in at least `min` sessions with an evaluated answer and never
/// used, by the number of sessions. Forgotten entries are left out, because they are no longer in
/// prompts.
fn never_used<'a>(
    entries: &Entries<'_>,
    usage: &'a ReadUsage,
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
fn named(entries: &Entries<'_>, usage: &ReadUsage, by: UsageOrder) -> Vec<NamedUse> {
    let key = |(agent, _): &SessionKey, id: EntryId| {
        let category = || usage.ranking.get(id).map_or(GONE, |row| entries.category(row));
        Some(if by == UsageOrder::Agent { agent.clone() } else { category().to_owned() })
    };
    let mut rows: Vec<_> = sums::by(&sums::fates(&usage.log), key).into_iter().collect();
    order(&mut rows);
    let named = |(name, count)| NamedUse { name, usage: Use::from(&count) };
    rows.into_iter().map(named).collect()
}

/// Sorts by use, then by sessions with an evaluated answer, then by injections.
fn order<K>(rows: &mut [(K, UseCount)]) {
    rows.sort_by(|(_, a), (_, b)| {
        (b.used, b.measured, b.injected).cmp(&(a.used, a.measured, a.injected))
    });
}

/// Returns the start of each entry's text, as last recorded.
fn texts(usage: &ReadUsage) -> BTreeMap<EntryId, &str> {
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
fn tokens(usage: &ReadUsage) -> usize {
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
fn days(volume: &Volume) -> Vec<UsageDay> {
    let last = volume.span.map_or(0, |(_, last)| last.0);
    let date = |ago: usize| {
        let ago = i64::try_from(ago).unwrap_or(0).saturating_mul(DAY_MS);
        Timestamp(last.saturating_sub(ago)).date()
    };
    let days = volume.days.iter().rev().enumerate();
    let mut days: Vec<UsageDay> =
        days.map(|(ago, sum)| UsageDay { date: date(ago), entries: *sum }).collect();
    days.reverse();
    days
}

/// What stands for the category of entries that are not there any more.
pub const GONE: &str = "(gone)";

/// Totals of a log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TelemetrySummary {
    /// Time of the first record, RFC 3339; null if there are no records.
    pub from: Option<String>,
    /// Time of the last record, RFC 3339; null if there are no records.
    pub to: Option<String>,
    /// Number of sessions of any kind.
    pub sessions: usize,
    /// Number of sessions with at least one recorded answer.
    pub measured_sessions: usize,
    /// Number of prompts.
    pub prompts: usize,
    /// Number of times that entries were put into a context.
    pub injections: usize,
    /// Entries put into contexts, counted each time.
    pub entries: usize,
    /// Size of all these, in tokens; of those that are gone, of what is on record.
    pub tokens: usize,
    /// Distinct entries put into contexts.
    pub different_entries: usize,
    /// Number of times that summaries of past sessions were put into a context.
    pub session_injects: usize,
    /// Summaries put into contexts, counted each time.
    pub past_sessions: usize,
    /// Searches that found entries.
    pub searches: usize,
    /// Number of records.
    pub records: usize,
    /// Lines that are not records.
    pub damaged: usize,
    /// Size on disk in bytes.
    pub bytes: usize,
    /// Entries that were in many sessions and never used.
    pub never_used: usize,
    /// Total use.
    pub usage: Use,
    /// Use by category, most used first.
    pub categories: Vec<NamedUse>,
    /// Use by agent, most used first.
    pub agents: Vec<NamedUse>,
    /// The entries that most sessions used, at most five.
    pub most_used: Vec<EntryUse>,
    /// The entries that most sessions had and none used, at most five.
    pub least_used: Vec<EntryUse>,
    /// Entries put into contexts on each day from the first to the last.
    pub days: Vec<UsageDay>,
    /// The entries that have kept tools from running, the most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held_by: Vec<HeldBy>,
}

/// How often an entry has kept a tool from running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldBy {
    /// The id, 16 hexadecimal digits.
    pub id: String,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
    pub text: String,
    pub held: usize,
    /// Times of the last three, RFC 3339.
    pub last: Vec<String>,
    /// How often a person has lifted it for a session.
    pub lifted: usize,
}

impl HeldBy {
    /// Returns how often the guards of one entry have held.
    pub fn of(
        entries: &Entries<'_>,
        row: &ScoredEntry,
        (snapshots, log): (&[Snapshot], &UsageLog),
    ) -> Self {
        let id = row.entry.id;
        let held = snapshots.iter().flat_map(|snapshot| snapshot.ledger.held(id));
        let mut held: Vec<Timestamp> = held.collect();
        held.sort_unstable();
        Self {
            id: id.to_string(),
            short: entries.short(id),
            text: told(row).into_owned(),
            held: held.len(),
            last: held.iter().rev().take(3).map(Timestamp::to_string).collect(),
            lifted: sums::lifted(log, id),
        }
    }
}

fn held_by(entries: &Entries<'_>, usage: &ReadUsage) -> Vec<HeldBy> {
    let has_held = |row: &ScoredEntry| {
        usage.snapshots.iter().any(|snapshot| !snapshot.ledger.held(row.entry.id).is_empty())
    };
    let is_guard = |row: &&ScoredEntry| row.entry.asides.rules.has_guard() || has_held(row);
    let of = |row| HeldBy::of(entries, row, (&usage.snapshots, &usage.log));
    let mut all: Vec<HeldBy> = usage.ranking.rows.iter().filter(is_guard).map(of).collect();
    all.retain(|one| one.held > 0 || one.lifted > 0);
    all.sort_by_key(|one| Reverse(one.held));
    all
}

/// The total of one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsageDay {
    /// Formatted as `2026-12-31`.
    pub date: String,
    /// Entries put into contexts.
    pub entries: usize,
}

/// The use of entries in sessions; an entry counts once per session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Use {
    /// Number of entries put into sessions.
    pub injected: usize,
    /// Those in sessions with a recorded answer.
    pub seen: usize,
    /// Those that an answer used.
    pub used: usize,
    /// `used / seen`, 0 to 1; null if no answer was recorded.
    pub rate: Option<f64>,
    /// Time of the last injection, RFC 3339.
    pub last_injected: Option<String>,
    /// Time of the last use in an answer, RFC 3339.
    pub last_used: Option<String>,
}

/// The use of the entries of one category or agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedUse {
    /// Name of the category or agent.
    pub name: String,
    #[serde(flatten)]
    pub usage: Use,
}

/// The use of one entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryUse {
    /// The id, 16 hexadecimal digits.
    pub id: String,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
    /// Category; null if the entry no longer exists.
    pub category: Option<String>,
    /// Text; for an entry that no longer exists, the part that is on record.
    pub text: String,
    /// True if the entry still exists.
    pub present: bool,
    #[serde(flatten)]
    pub usage: Use,
}

/// The use per key, most used first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Usage {
    /// `entry`, `category` or `agent`.
    pub by: &'static str,
    pub usage: Uses,
}

/// Totals per key.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Uses {
    Entries(Vec<EntryUse>),
    /// By category or agent.
    Named(Vec<NamedUse>),
}

/// Entries that were in many sessions and never used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeverUsed {
    /// Minimum number of sessions with a recorded answer.
    pub min: usize,
    /// Sorted by number of sessions, largest first.
    pub entries: Vec<Unused>,
}

/// An entry that was never used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unused {
    #[serde(flatten)]
    pub entry: EntryView,
    #[serde(flatten)]
    pub usage: Use,
    /// Command that keeps the entry out of prompts.
    pub command: String,
    /// State with its annotation.
    #[serde(skip)]
    pub state: String,
    /// Score, formatted for people.
    #[serde(skip)]
    pub score: String,
}

/// Records of a log, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogView {
    pub records: Vec<LogRecord>,
    /// Lines that are not records.
    pub damaged: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogRecord {
    /// Time of the record; times in the future are capped to now.
    #[serde(skip)]
    pub at: Timestamp,
    #[serde(flatten)]
    pub record: Record,
}

/// Deleted logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClearedLogs {
    /// One per store.
    pub files: Vec<LogFile>,
}

/// A log on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogFile {
    /// Path of the log.
    pub file: String,
    /// Number of lines.
    pub records: usize,
}

impl Usage {
    /// Returns true if no entry was put into a context.
    pub fn is_empty(&self) -> bool {
        match &self.usage {
            Uses::Entries(rows) => rows.is_empty(),
            Uses::Named(rows) => rows.is_empty(),
        }
    }
}

impl From<&UseCount> for Use {
    fn from(count: &UseCount) -> Self {
        let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
        Self {
            injected: count.injected,
            seen: count.measured,
            used: count.used,
            rate: count.rate().map(rounded),
            last_injected: time(count.last_injected),
            last_used: time(count.last_used),
        }
    }
}

/// Formats a share as `37 %`, or as `-` if there is none.
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", 100.0 * share))
}

documents! {
    TelemetrySummary: "pimem.telemetry-summary/1",
    Usage: "pimem.telemetry-usage/1",
    NeverUsed: "pimem.telemetry-never-used/1",
    LogView: "pimem.telemetry-log/1",
    ClearedLogs: "pimem.telemetry-clear/1",
}

//! What `pimem telemetry` says about use: the summary, rates, and what was never used.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{By, Noted};
use crate::{chart, exit::Exit, shell::Shell};
use pimem_core::{
    model::{
        entry::EntryId,
        time::{DAY_MS, Timestamp},
    },
    report::budget::thousands,
    score::{ranking::ScoredEntry, stability::Standing},
    usage::{
        record::What,
        sums::{self, Count, Session},
    },
    view::{self, Entries},
};
use pimem_engine::store::machine_local::TELEMETRY;

/// What stands for the category of an entry that is not there any more.
const GONE: &str = "(gone)";

pub(crate) fn summary(ctx: &Shell, noted: &Noted) -> Exit {
    let volume = sums::volume(&noted.log);
    let fates = sums::fates(&noted.log);
    let all = sums::by(&fates, |_, _| Some(())).remove(&()).unwrap_or_default();
    let entries = Entries::new(ctx.now, &ctx.config.categories, &noted.board);
    let categories = named(ctx, noted, By::Category);
    let agents = named(ctx, noted, By::Agent);
    let size = |store: &pimem_engine::store::snapshot::Store| {
        store.local(TELEMETRY).ok().flatten().map_or(0, |bytes| bytes.len())
    };
    let bytes: usize = noted.stores.iter().map(size).sum();
    let (records, damaged) = (noted.log.records.len(), noted.log.damaged);
    let never = never(&entries, noted, LEAST).len();
    let exit = noted.exit(ctx, records > 0);
    if ctx.ui.json {
        let mut document = json!({
            "schema": "pimem.telemetry-summary/1",
            "from": volume.span.map(|(first, _)| first.to_string()),
            "to": volume.span.map(|(_, last)| last.to_string()),
            "sessions": volume.sessions, "measuredSessions": volume.measured,
            "prompts": volume.prompts, "injections": volume.injections,
            "entries": volume.entries, "differentEntries": volume.different,
            "sessionInjects": volume.session_injects, "pastSessions": volume.summaries,
            "searches": volume.searches, "records": records, "damaged": damaged, "bytes": bytes,
            "neverUsed": never,
            "usage": Value::Object(json_of(&all)),
            "categories": listed(&categories), "agents": listed(&agents),
        });
        let days = days(&volume.days, volume.span);
        let day = |(date, entries): (String, usize)| json!({"date": date, "entries": entries});
        let days: Vec<Value> = days.map(day).collect();
        document.as_object_mut().into_iter().for_each(|fields| {
            drop(fields.insert("days".to_owned(), Value::Array(days.clone())));
        });
        ctx.ui.document(&document);
        return exit;
    }
    let Some((first, last)) = volume.span else { return exit };
    let (first, last) = (first.date(), last.date());
    let mut lines = vec![
        ("days", format!("{} ({first} to {last})", volume.days.len())),
        ("sessions", format!("{}, of {} an answer was seen", volume.sessions, volume.measured)),
        ("prompts", thousands(volume.prompts)),
        (
            "injected",
            format!(
                "{} entries in {} contexts, {} different ones",
                thousands(volume.entries),
                thousands(volume.injections),
                thousands(volume.different)
            ),
        ),
        (
            "used",
            format!(
                "{} of {} ({}), an entry once a session",
                all.used,
                all.measured,
                percent(all.rate())
            ),
        ),
        (
            "never used",
            format!("{never} (in {LEAST} sessions or more: pimem telemetry never-used)"),
        ),
        ("past sessions", format!("{} in {} prompts", volume.summaries, volume.session_injects)),
        ("searches", thousands(volume.searches)),
        ("size", format!("{} records, {} bytes", thousands(records), thousands(bytes))),
    ];
    if damaged > 0 {
        lines.push(("damaged lines", format!("{damaged}, left out")));
    }
    let by_day = if ctx.ui.is_terminal() {
        let room = ctx.ui.width().saturating_sub(first.len() + last.len() + 19);
        format!("{first} {} {last}", chart::sparkline(&volume.days, room))
    } else {
        let days: Vec<String> = volume.days.iter().map(usize::to_string).collect();
        days.join(" ")
    };
    lines.push(("by day", by_day));
    for (name, value) in lines {
        ctx.ui.line(&format!("{name:<16} {value}"));
    }
    for (title, rows) in [("category", categories), ("agent", agents)] {
        if !rows.is_empty() {
            ctx.ui.line("");
            ctx.ui.table(&[title, "injected", "seen", "used", "rate", "last used"], cells(&rows));
        }
    }
    exit
}

/// Sessions from which the summary calls an entry never used.
const LEAST: usize = 3;

pub(crate) fn usage(ctx: &Shell, noted: &Noted, by: By) -> Exit {
    if by == By::Entry {
        return by_entry(ctx, noted);
    }
    let rows = named(ctx, noted, by);
    let name = if by == By::Category { "category" } else { "agent" };
    if ctx.ui.json {
        ctx.ui.document(&json!({
            "schema": "pimem.telemetry-usage/1", "by": name, "usage": listed(&rows),
        }));
    } else if !rows.is_empty() {
        ctx.ui.table(&[name, "injected", "seen", "used", "rate", "last used"], cells(&rows));
    }
    noted.exit(ctx, !rows.is_empty())
}

fn by_entry(ctx: &Shell, noted: &Noted) -> Exit {
    let entries = Entries::new(ctx.now, &ctx.config.categories, &noted.board);
    let fates = sums::fates(&noted.log);
    let mut rows: Vec<(EntryId, Count)> = sums::by(&fates, |_, id| Some(id)).into_iter().collect();
    order(&mut rows);
    let texts = texts(noted);
    let text = |id: EntryId| match noted.board.get(id) {
        Some(row) => row.entry.text.clone(),
        None => texts.get(&id).map_or_else(String::new, |text| (*text).to_owned()),
    };
    let category = |id: EntryId| noted.board.get(id).map_or(GONE, |row| entries.category(row));
    if ctx.ui.json {
        let json = |(id, count): &(EntryId, Count)| {
            let mut out = Map::new();
            let mut put = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
            let row = noted.board.get(*id);
            put("id", json!(id.to_string()));
            put("category", json!(row.map(|row| entries.category(row))));
            put("text", json!(text(*id)));
            put("present", json!(row.is_some()));
            out.extend(json_of(count));
            Value::Object(out)
        };
        let list: Vec<Value> = rows.iter().map(json).collect();
        ctx.ui.document(&json!({
            "schema": "pimem.telemetry-usage/1", "by": "entry", "usage": list,
        }));
    } else if !rows.is_empty() {
        let cells = |(id, count): &(EntryId, Count)| {
            let mut row = vec![entries.short(*id), category(*id).to_owned()];
            row.extend(numbers(count));
            row.push(text(*id));
            row
        };
        let header = ["id", "category", "injected", "seen", "used", "rate", "last used", "text"];
        ctx.ui.table(&header, rows.iter().map(cells).collect());
    }
    noted.exit(ctx, !rows.is_empty())
}

pub(crate) fn never_used(ctx: &Shell, noted: &Noted, least: usize) -> Exit {
    let entries = Entries::new(ctx.now, &ctx.config.categories, &noted.board);
    let rows = never(&entries, noted, least);
    let act = |row: &ScoredEntry| match row.standing {
        Standing::Pinned => "unpin",
        _ => "forget",
    };
    let command = |row: &ScoredEntry| format!("pimem {} {}", act(row), row.entry.id);
    if ctx.ui.json {
        let json = |(row, count): &(&ScoredEntry, Count)| {
            let mut value = entries.json(row);
            if let Some(fields) = value.as_object_mut() {
                fields.extend(json_of(count));
                fields.insert("command".to_owned(), json!(command(row)));
            }
            value
        };
        let list: Vec<Value> = rows.iter().map(json).collect();
        ctx.ui.document(&json!({
            "schema": "pimem.telemetry-never-used/1", "min": least, "entries": list,
        }));
    } else if !rows.is_empty() {
        let cells = |(row, count): &(&ScoredEntry, Count)| {
            let last = count.last_injected.map(Timestamp::date).unwrap_or_default();
            let (seen, state) = (count.measured.to_string(), Entries::state(row));
            let (id, text, score) = (row.entry.id, row.entry.text.clone(), Entries::score(row));
            let category = entries.category(row).to_owned();
            vec![entries.short(id), seen, last, category, state, score, text]
        };
        let header = ["id", "seen", "last", "category", "state", "score", "text"];
        ctx.ui.table(&header, rows.iter().map(cells).collect());
        ctx.ui.note("pimem forget ID keeps an entry out of prompts, unpin lets a pinned one fade");
    }
    noted.exit(ctx, !rows.is_empty())
}

/// Entries that are there, were in at least so many sessions of which an answer was seen, and were
/// never used; those in most sessions first. What is forgotten is in no prompt any more.
fn never<'a>(
    entries: &Entries<'_>,
    noted: &'a Noted,
    least: usize,
) -> Vec<(&'a ScoredEntry, Count)> {
    let fates = sums::fates(&noted.log);
    let counts = sums::by(&fates, |_, id| Some(id));
    let mut rows: Vec<(&ScoredEntry, Count)> = counts
        .into_iter()
        .filter(|(_, count)| count.used == 0 && count.measured >= least.max(1))
        .filter_map(|(id, count)| Some((noted.board.get(id)?, count)))
        .filter(|(row, _)| row.standing != Standing::Forgotten)
        .collect();
    rows.sort_by_key(|(row, count)| {
        (std::cmp::Reverse(count.measured), entries.category(row).to_owned(), row.entry.id)
    });
    rows
}

/// Sums by category or agent, most used first.
fn named(ctx: &Shell, noted: &Noted, by: By) -> Vec<(String, Count)> {
    let entries = Entries::new(ctx.now, &ctx.config.categories, &noted.board);
    let key = |(agent, _): &Session, id: EntryId| {
        let category = || noted.board.get(id).map_or(GONE, |row| entries.category(row));
        Some(if by == By::Agent { agent.clone() } else { category().to_owned() })
    };
    let mut rows: Vec<_> = sums::by(&sums::fates(&noted.log), key).into_iter().collect();
    order(&mut rows);
    rows
}

/// Most used first, then most seen.
fn order<K>(rows: &mut [(K, Count)]) {
    rows.sort_by(|(_, a), (_, b)| {
        (b.used, b.measured, b.injected).cmp(&(a.used, a.measured, a.injected))
    });
}

/// The beginnings of entries, as they were noted last.
fn texts(noted: &Noted) -> BTreeMap<EntryId, &str> {
    let mut texts = BTreeMap::new();
    for (_, record) in &noted.log.records {
        let What::Injection { entries, .. } = &record.what else { continue };
        let known = entries.iter().filter_map(|e| Some((e.id.parse().ok()?, e.text.as_str())));
        texts.extend(known);
    }
    texts
}

fn cells(rows: &[(String, Count)]) -> Vec<Vec<String>> {
    let row = |(name, count): &(String, Count)| {
        std::iter::once(name.clone()).chain(numbers(count)).collect()
    };
    rows.iter().map(row).collect()
}

fn numbers(count: &Count) -> [String; 5] {
    let Count { injected, measured, used, .. } = count;
    let last = count.last_used.map_or_else(|| "-".to_owned(), Timestamp::date);
    let rate = percent(count.rate());
    [injected.to_string(), measured.to_string(), used.to_string(), rate, last]
}

fn listed(rows: &[(String, Count)]) -> Vec<Value> {
    let json = |(name, count): &(String, Count)| {
        let mut out = Map::from_iter([("name".to_owned(), json!(name))]);
        out.extend(json_of(count));
        Value::Object(out)
    };
    rows.iter().map(json).collect()
}

fn json_of(count: &Count) -> Map<String, Value> {
    let time = |time: Option<Timestamp>| json!(time.map(|time| time.to_string()));
    let fields = [
        ("injected", json!(count.injected)),
        ("seen", json!(count.measured)),
        ("used", json!(count.used)),
        ("rate", json!(count.rate().map(view::rounded))),
        ("lastInjected", time(count.last_injected)),
        ("lastUsed", time(count.last_used)),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A share, as `37 %`.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", 100.0 * share))
}

/// Days with their dates, up to the last one.
fn days(
    sums: &[usize],
    span: Option<(Timestamp, Timestamp)>,
) -> impl Iterator<Item = (String, usize)> {
    let last = span.map_or(0, |(_, last)| last.0);
    let date = move |ago: usize| {
        let ago = i64::try_from(ago).unwrap_or(0).saturating_mul(DAY_MS);
        Timestamp(last.saturating_sub(ago)).date()
    };
    let count = sums.len();
    sums.iter().enumerate().map(move |(place, sum)| (date(count - 1 - place), *sum))
}

//! Parsing and folding of the evidence log. Never writes.

use std::collections::{BTreeMap, BTreeSet};

use pimem_core::{
    model::{
        entry::EntryId,
        event::{Event, EventKind, Order, Origin},
        hash::{IdMap, IdSet},
        time::Timestamp,
        ulid::EventId,
    },
    score::{clock::Days, ledger::Ledger},
};

/// Bytes of a short line of the log; most lines are short.
const LINE: usize = 128;

/// Returns an empty ledger with capacity for a log of `bytes` bytes.
pub(super) fn ledger_for(bytes: usize) -> Ledger {
    Ledger::with_capacity(bytes / LINE)
}

pub fn fold(log: &[u8]) -> Ledger {
    fold_until(log, Timestamp(i64::MAX))
}

/// Folds the events of a log up to `moment`, inclusive.
pub fn fold_until(log: &[u8], moment: Timestamp) -> Ledger {
    let mut ledger = ledger_for(log.len());
    for event in lines(log).filter_map(event).filter(|event| event.ts <= moment) {
        ledger.fold(&event);
    }
    ledger
}

/// Returns the days that have an event; see [`Ledger::days`].
pub(super) fn days(log: &[u8]) -> Days {
    let is_known =
        |event: &Event| !matches!(event.kind, EventKind::Unknown | EventKind::Access { .. });
    lines(log).filter_map(event).filter(is_known).map(|event| event.ts).collect()
}

/// Returns the distinct events of a log, in its order.
pub fn events(log: &[u8]) -> impl Iterator<Item = Event> {
    let mut known = BTreeSet::new();
    lines(log).filter_map(event).filter(move |event| known.insert((event.id, event.fingerprint())))
}

/// Returns the distinct events of a log with their lines, by entry.
pub fn by_entry(log: &[u8]) -> IdMap<EntryId, Vec<(Event, String)>> {
    let mut found: IdMap<EntryId, Vec<(Event, String)>> = IdMap::default();
    let mut known = BTreeSet::new();
    for line in lines(log).filter_map(|line| str::from_utf8(line).ok()) {
        if let Some(event) = Event::read(line.trim())
            && known.insert((event.id, event.fingerprint()))
        {
            found.entry(event.entry).or_default().push((event, line.trim().to_owned()));
        }
    }
    found
}

/// Returns a log without the lines about some entries that are older than their purges.
pub(super) fn without(log: &[u8], purged: &IdMap<EntryId, Order>) -> Vec<u8> {
    let mut kept = Vec::with_capacity(log.len());
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        if event(line.trim_ascii_end())
            .is_none_or(|event| purged.get(&event.entry).is_none_or(|at| event.order() >= *at))
        {
            kept.extend_from_slice(line);
        }
    }
    kept
}

/// Returns the entries that some lines are about; `None` if other entries may depend on the lines,
/// as with edits, merges, purges
/// and retractions.
pub fn mentioned(added: &[u8]) -> Option<IdSet<EntryId>> {
    let plain = |event: &Event| {
        use EventKind::{Edit, Merge, Purge, Retract};
        !matches!(event.kind, Edit(..) | Merge(_) | Retract(_) | Purge { .. })
    };
    lines(added).filter_map(event).map(|event| plain(&event).then_some(event.entry)).collect()
}

/// Returns the number of events in a log.
pub fn count(log: &[u8]) -> usize {
    lines(log).filter_map(event).count()
}

/// Iterates over the lines of a log, without their terminators.
pub fn lines(log: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'\n', log).chain([log.len()]);
    ends.scan(0, move |start, end| {
        let line = log.get(*start..end);
        *start = end + 1;
        line
    })
}

/// Parses a line of the log.
pub(super) fn event(line: &[u8]) -> Option<Event> {
    Event::read_bytes(line)
}

/// Returns the origins of the `wanted` entries, each from the latest event that has one.
pub fn origins(log: &[u8], wanted: &BTreeSet<EntryId>) -> Vec<(EntryId, Origin)> {
    let mut found: BTreeMap<EntryId, ((Timestamp, EventId), Origin)> = BTreeMap::new();
    for line in lines(log) {
        if plain_entry(line).is_some_and(|id| !wanted.contains(&id)) {
            continue;
        }
        let Some(event) = str::from_utf8(line).ok().and_then(Event::read_whole) else { continue };
        let at = (event.ts, event.id);
        if let EventKind::Add(_, Some(origin)) | EventKind::Edit(_, Some(origin)) = event.kind
            && wanted.contains(&event.entry)
            && found.get(&event.entry).is_none_or(|(known, _)| *known < at)
        {
            found.insert(event.entry, (at, *origin));
        }
    }
    found.into_iter().map(|(id, (_, origin))| (id, origin)).collect()
}

/// Returns the entry id of an `add` or `reinforce` line in the form that pimem writes, from its
/// fixed offset.
pub(super) fn plain_entry(line: &[u8]) -> Option<EntryId> {
    const ENTRY: std::ops::Range<usize> = 76..92;
    const OP: &[u8] = b"\",\"op\":\"";
    let rest = line.get(ENTRY.end..)?.strip_prefix(OP)?;
    if !rest.starts_with(b"add\"") && !rest.starts_with(b"reinforce\"") {
        return None;
    }
    EntryId::read(line.get(ENTRY)?)
}

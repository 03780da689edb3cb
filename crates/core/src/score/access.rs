//! Accesses: how often searches and recall found each entry, and when last.

use std::{collections::BTreeSet, ops::Range};

use memchr::memmem;
use serde_json::Value;

use super::ledger::Ledger;
use crate::model::{
    entry::EntryId,
    hash::{IdMap, IdSet},
    time::Timestamp,
};

/// How often an entry was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access {
    pub count: u64,
    pub last: Option<Timestamp>,
}

impl Access {
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let count = self.count.saturating_add(other.count);
        Self { count, last: self.last.max(other.last) }
    }
}

/// The accesses of entries by id, and the devices that counted them. What a ledger tells of these
/// devices is older, and is not counted twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accesses(IdMap<EntryId, Access>, BTreeSet<u64>);

impl Accesses {
    pub fn add(&mut self, entry: EntryId, access: Access) {
        let known = self.0.entry(entry).or_default();
        *known = known.and(access);
    }

    /// Adds all accesses of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (entry, access) in &other.0 {
            self.add(*entry, *access);
        }
        self.1.extend(&other.1);
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn note_device(&mut self, device: u64) {
        self.1.insert(device);
    }

    /// Returns the accesses of an entry and of those that it was made from, with those on other
    /// devices that the ledger tells of.
    #[must_use]
    pub fn known(&self, entry: EntryId, ledger: &Ledger) -> Access {
        if self.0.is_empty() && !ledger.has_accesses() {
            return Access::default();
        }
        let sources = ledger.sources(entry);
        let here = self.of(entry, sources.iter().copied());
        here.and(self.elsewhere(entry, sources, ledger))
    }

    /// Returns the accesses on other devices.
    #[must_use]
    pub fn elsewhere(
        &self,
        entry: EntryId,
        sources: impl IntoIterator<Item = EntryId>,
        ledger: &Ledger,
    ) -> Access {
        if !ledger.has_accesses() {
            return Access::default();
        }
        let told = sources.into_iter().chain([entry]).flat_map(|id| ledger.told(id));
        let others = told.filter(|(device, _)| !self.1.contains(device));
        others.fold(Access::default(), |sum, (_, access)| sum.and(access))
    }

    /// Returns the accesses of an entry and of those that it was made from.
    pub fn of(&self, entry: EntryId, sources: impl IntoIterator<Item = EntryId>) -> Access {
        if self.0.is_empty() {
            return Access::default();
        }
        let ids = sources.into_iter().chain([entry]);
        let known = ids.filter_map(|id| self.0.get(&id));
        known.fold(Access::default(), |sum, access| sum.and(*access))
    }

    /// Iterates over the entries in the order of their ids.
    pub fn sorted(&self) -> Vec<(EntryId, Access)> {
        let mut all: Vec<_> = self.0.iter().map(|(entry, access)| (*entry, *access)).collect();
        all.sort_unstable_by_key(|(entry, _)| *entry);
        all
    }
}

/// What a file of accesses starts and ends with; between them is one entry a line.
const START: &str = "{\"entries\":{\n";
const END: &str = "\n}}\n";

impl Accesses {
    /// Reads a file of accesses. What is no access is skipped, and a damaged file has none.
    #[must_use]
    pub fn read(file: &[u8]) -> Self {
        str::from_utf8(file).ok().and_then(read_lines).unwrap_or_else(|| Self::read_json(file))
    }

    fn read_json(file: &[u8]) -> Self {
        let mut accesses = Self::default();
        let root: Value = serde_json::from_slice(file).unwrap_or_default();
        let entries = root.get("entries").and_then(Value::as_object);
        for (id, access) in entries.into_iter().flatten() {
            let count = access.get("count").and_then(Value::as_u64);
            let last = access.get("last").and_then(Value::as_str).and_then(Timestamp::parse);
            if let (Ok(id), Some(count)) = (id.parse(), count.filter(|count| *count > 0)) {
                accesses.add(id, Access { count, last });
            }
        }
        accesses
    }

    #[must_use]
    pub fn write(&self) -> String {
        let lines = self.sorted().into_iter().map(|(entry, access)| line(entry, access));
        [START, &lines.collect::<Vec<_>>().join(",\n"), END].concat()
    }

    /// Forgets some entries. Returns true if there was any of them.
    pub fn forget(&mut self, ids: &IdSet<EntryId>) -> bool {
        let before = self.0.len();
        self.0.retain(|id, _| !ids.contains(id));
        self.0.len() < before
    }
}

fn line(entry: EntryId, Access { count, last }: Access) -> String {
    let last = last.map_or_else(|| "null".to_owned(), |last| format!("\"{last}\""));
    format!("\"{entry}\":{{\"count\":{count},\"last\":{last}}}")
}

/// Returns the file with one more access of each entry of `ids`. Only the lines of these entries are
/// read, because hooks count accesses too; a file that was written otherwise is read as a whole.
#[must_use]
pub fn counted(file: &str, ids: &[EntryId], now: Timestamp) -> String {
    splice(file, ids, now).unwrap_or_else(|| {
        let mut accesses = Accesses::read(file.as_bytes());
        for id in ids {
            accesses.add(*id, Access { count: 1, last: Some(now) });
        }
        accesses.write()
    })
}

fn splice(file: &str, ids: &[EntryId], now: Timestamp) -> Option<String> {
    let inner = file.strip_prefix(START)?.strip_suffix(END)?;
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for id in ids {
        let key = format!("\"{id}\":{{");
        let found = memmem::find(inner.as_bytes(), key.as_bytes());
        let (range, known) = match found {
            Some(start) => {
                let rest = inner.get(start..)?;
                let end = rest.find('\n').unwrap_or(rest.len());
                let line = rest.get(..end)?.trim_end_matches(',');
                (start..start + line.len(), read_line(line.get(key.len()..)?)?)
            }
            None => (inner.len()..inner.len(), Access::default()),
        };
        let access = known.and(Access { count: 1, last: Some(now) });
        let has_lines = !inner.is_empty() || changes.iter().any(|(at, _)| at.start == inner.len());
        let gap = if found.is_none() && has_lines { ",\n" } else { "" };
        changes.push((range, format!("{gap}{}", line(*id, access))));
    }
    // New lines all come last, in the order in which they were made.
    changes.sort_by_key(|(range, _)| range.start);
    let mut text = START.to_owned();
    let mut from = 0;
    for (range, line) in changes {
        text.push_str(inner.get(from..range.start)?);
        text.push_str(&line);
        from = range.end;
    }
    text.push_str(inner.get(from..)?);
    text.push_str(END);
    Some(text)
}

/// Reads a file exactly as it is written.
fn read_lines(file: &str) -> Option<Accesses> {
    let mut accesses = Accesses::default();
    let inner = file.strip_prefix(START)?.strip_suffix(END)?;
    for line in inner.split(",\n").filter(|line| !line.is_empty()) {
        let (id, rest) = line.strip_prefix('"')?.split_once("\":{")?;
        accesses.add(id.parse().ok()?, read_line(rest)?);
    }
    Some(accesses)
}

/// Parses `"count":12,"last":"…"}` exactly as it is written.
fn read_line(text: &str) -> Option<Access> {
    let (count, rest) = text.strip_prefix("\"count\":")?.split_once(',')?;
    let last = rest.strip_prefix("\"last\":")?.strip_suffix('}')?;
    let last = match last {
        "null" => None,
        last => Some(Timestamp::parse(last.strip_prefix('"')?.strip_suffix('"')?)?),
    };
    Some(Access { count: count.parse().ok()?, last })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp(1_782_842_400_000);

    fn counts(file: &str) -> Vec<(u64, u64)> {
        let all = Accesses::read(file.as_bytes()).sorted();
        all.into_iter().map(|(id, access)| (id.0, access.count)).collect()
    }

    #[test]
    fn files_of_others_are_read_too() {
        for (file, want) in [
            ("", vec![(1, 1)]),
            ("{", vec![(1, 1)]),
            ("[1]", vec![(1, 1)]),
            ("{\"entries\":{\n\n}}\n", vec![(1, 1)]),
            ("{\"entries\":{}}", vec![(1, 1)]),
            ("{\"entries\": {\"0000000000000001\": {\"count\": 2, \"more\": []}}}", vec![(1, 3)]),
            ("{\"entries\":{\"0000000000000001\":{\"count\":-4}}}", vec![(1, 1)]),
            ("{\"entries\":{\"0000000000000001\":{\"count\":\"x\"},\"y\":3}}", vec![(1, 1)]),
            (
                "{\"entries\":{\n\"0000000000000001\":{\"count\":1000000000,\"last\":null},\n\
                 \"0000000000000002\":{\"count\":18446744073709551615,\"last\":\"2026-01-01T00:00:00.000Z\"}\n}}\n",
                vec![(1, 1_000_000_001), (2, u64::MAX)],
            ),
            // A line that was changed by hand.
            (
                "{\"entries\":{\n\"0000000000000001\":{\"count\":1e3,\"last\":null}\n}}\n",
                vec![(1, 1)],
            ),
        ] {
            assert_eq!(counts(&counted(file, &[EntryId(1)], NOW)), want, "{file}");
        }
        let most = counted(
            "{\"entries\":{\n\"0000000000000001\":{\"count\":18446744073709551615,\"last\":null}\n}}\n",
            &[EntryId(1)],
            NOW,
        );
        assert_eq!(counts(&most), [(1, u64::MAX)]);
    }

    proptest! {
        /// Lines that are changed in place make the same file as reading all of it.
        #[test]
        fn in_place_as_a_whole(rounds in prop::collection::vec(prop::collection::vec(0..9_u64, 0..5), 0..9)) {
            let mut file = String::new();
            let mut want = Accesses::default();
            for (round, ids) in (0..).zip(rounds) {
                let now = Timestamp(NOW.0 + round);
                let mut ids: Vec<EntryId> = ids.into_iter().map(EntryId).collect();
                ids.sort_unstable();
                ids.dedup();
                file = counted(&file, &ids, now);
                for id in ids {
                    want.add(id, Access { count: 1, last: Some(now) });
                }
                prop_assert_eq!(&Accesses::read(file.as_bytes()), &want);
                prop_assert_eq!(&Accesses::read_json(file.as_bytes()), &want);
                prop_assert!(file.starts_with(START) && file.ends_with(END), "{}", file);
            }
        }
    }
}

//! What is noted by the way, and what such notes say about entries: telemetry, which stays on this
//! machine.

use std::collections::BTreeMap;

use super::Memory;
use crate::store::{
    machine_local::{TELEMETRY, TELEMETRY_BYTES},
    read::Problem,
    snapshot::Store,
};
use pimem_core::{
    model::entry::EntryId,
    score::ledger::Ledger,
    usage::{
        record::{Record, What},
        sums::{self, Access, Log},
    },
};

impl Memory {
    /// A record of what happens now. A hook knows its agent and session better.
    pub fn record(&self, what: What) -> Record {
        let who = self.who();
        Record { ts: self.now.0.to_string(), agent: who.by, session: who.session, what }
    }

    /// Notes what happened, unless that is switched off. What fails here costs a record and nothing
    /// else, and it waits for nobody.
    pub fn note_telemetry(&self, store: &Store, records: &[Record]) {
        if records.is_empty() || !self.config.settings.telemetry.enabled {
            return;
        }
        let lines: String = records.iter().map(Record::write).collect();
        if let Err(error) = store.append_telemetry(&lines) {
            self.notices.detail(&format!("not noted: {error:#}"));
        }
    }

    /// Notes that a search has found entries, where something is kept on this machine anyway: a
    /// command that reads makes no directories.
    pub(super) fn note_access(&self, store: &Store, entries: impl Iterator<Item = EntryId>) {
        let entries: Vec<String> = entries.map(|id| id.to_string()).collect();
        if !entries.is_empty() && store.data_dir().is_dir() {
            self.note_telemetry(store, &[self.record(What::Access { entries })]);
        }
    }
}

/// The telemetry of some stores, and what of it could not be read.
pub fn log(memory: &Memory, stores: &[Store]) -> (Log, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut logs = Vec::new();
    for store in stores {
        match store.local(TELEMETRY) {
            Ok(bytes) => logs.extend(bytes.map(|bytes| end_of(&bytes).to_vec())),
            Err(problem) => problems.push(problem),
        }
    }
    (Log::read(memory.now, logs.iter().map(Vec::as_slice)), problems)
}

/// The end of a log, from the beginning of a line: as much as ours ever have, and more than that
/// nobody has to wait for.
fn end_of(log: &[u8]) -> &[u8] {
    let most = usize::try_from(2 * TELEMETRY_BYTES).unwrap_or(usize::MAX);
    let Some(cut) = log.len().checked_sub(most).filter(|cut| *cut > 0) else { return log };
    let end = log.get(cut..).unwrap_or_default();
    memchr::memchr(b'\n', end).and_then(|at| end.get(at + 1..)).unwrap_or_default()
}

/// How often entries were found or shown, as far as telemetry goes back.
#[derive(Default)]
pub struct Accesses(BTreeMap<EntryId, Access>);

impl Accesses {
    /// Those of some stores. An unreadable log is an empty one: nothing depends on it.
    pub fn of(memory: &Memory, stores: &[Store]) -> Self {
        Self(sums::accesses(&log(memory, stores).0))
    }

    /// Those of an entry, its earlier wordings included.
    pub fn get<'a>(&self, id: EntryId, ledgers: impl IntoIterator<Item = &'a Ledger>) -> Access {
        if self.0.is_empty() {
            return Access::default();
        }
        let mut family: Vec<EntryId> =
            ledgers.into_iter().flat_map(|ledger| ledger.sources(id)).collect();
        family.sort_unstable();
        family.dedup();
        family.push(id);
        let known = family.iter().filter_map(|id| self.0.get(id));
        known.fold(Access::default(), |sum, access| sum.and(*access))
    }
}

//! Accesses of entries: counted when a search or the recall of a hook finds them, and read by policies
//! that count them.

use super::{Memory, telemetry};
use crate::store::{Store, machine_local::ACCESSES};
use pimem_core::{
    model::entry::EntryId,
    score::{
        access::{self, Access, Accesses},
        ledger::Ledger,
    },
    usage::{record::RecordKindOf, sums},
};

impl Memory {
    /// Counts the entries that a search found, and records them in the telemetry of a store that has
    /// one: only counting makes its directory.
    pub(super) fn note_access(&self, store: &Store, entries: &[EntryId]) {
        if entries.is_empty() {
            return;
        }
        let has_data = store.data_dir().is_dir();
        self.count_accesses(store, entries);
        if has_data {
            let entries = entries.iter().map(EntryId::to_string).collect();
            self.note_telemetry(store, &[self.record(RecordKindOf::Access { entries })]);
        }
    }

    /// Counts entries that were found, if telemetry is enabled. An error only loses the counts.
    pub fn count_accesses(&self, store: &Store, entries: &[EntryId]) {
        if entries.is_empty() || !self.config.settings.telemetry.enabled {
            return;
        }
        let done = store.rewrite_local(ACCESSES, |file| {
            // Earlier versions counted in the telemetry only.
            let known = file.map_or_else(
                || self.counted_in_telemetry(store).write(),
                |file| String::from_utf8_lossy(file).into_owned(),
            );
            Some(access::counted(&known, entries, self.now.0).into_bytes())
        });
        if let Err(error) = done {
            self.notices.detail(&format!("accesses not counted: {error:#}"));
        }
    }

    /// Returns the accesses of some stores. A file that cannot be read counts as empty.
    pub fn accesses(&self, stores: &[Store]) -> Accesses {
        let mut all = Accesses::default();
        for store in stores {
            all.merge(&match store.local(ACCESSES) {
                Ok(Some(file)) => Accesses::read(&file),
                Ok(None) => self.counted_in_telemetry(store),
                Err(_) => Accesses::default(),
            });
            if let Some(device) = store.device() {
                all.note_device(device);
            }
        }
        all
    }

    fn counted_in_telemetry(&self, store: &Store) -> Accesses {
        sums::accesses(&telemetry::log(self, std::slice::from_ref(store)).0)
    }

    /// Returns the accesses of all stores.
    pub(super) fn counted(&self) -> &Accesses {
        self.counted.get_or_init(|| self.accesses(&self.readers().unwrap_or_default()))
    }

    /// Returns the accesses that the policy in force counts; `None` if it counts none.
    pub(super) fn policy_accesses(&self) -> Option<&Accesses> {
        if self.policy().is_stability() {
            return None;
        }
        Some(self.counted())
    }
}

/// Returns the accesses of an entry on all devices, including those of its earlier wordings.
pub fn of_entry<'a>(
    accesses: &Accesses,
    id: EntryId,
    ledgers: impl IntoIterator<Item = &'a Ledger>,
) -> Access {
    let ledgers: Vec<&Ledger> = ledgers.into_iter().collect();
    if accesses.is_empty() && !ledgers.iter().any(|ledger| ledger.has_accesses()) {
        return Access::default();
    }
    let mut sources: Vec<EntryId> = ledgers.iter().flat_map(|ledger| ledger.sources(id)).collect();
    sources.sort_unstable();
    sources.dedup();
    let elsewhere = ledgers.iter().map(|ledger| {
        let sources = sources.iter().copied();
        accesses.elsewhere(id, sources, ledger)
    });
    let elsewhere = elsewhere.fold(Access::default(), Access::and);
    accesses.of(id, sources.iter().copied()).and(elsewhere)
}

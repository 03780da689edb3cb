//! Pins that an agent asked for. They have no effect before a person confirms them.
//!
//! Like learned preferences that wait, they are keys beside the ledger of trust: nothing is written
//! to the store, so that a pull cannot bring one.

use crate::memory::handles::Writing;
use serde::Serialize;

use super::{Memory, problems, selector};
use crate::{
    error::{Failure, FailureKind},
    memory::next::Prospect,
    store::{
        Store,
        trust::{self, TextKey},
        trust_ledger,
    },
    view::{Document, EntryView},
};
use pimem_core::{
    markdown::topic,
    score::{
        ranking::{Scope, ScoredEntry},
        stability::Standing,
    },
};

impl Writing<'_> {
    /// Notes that entries should be pinned. Pinned ones stay as they are.
    ///
    /// # Errors
    /// Fails if a selector does not match exactly one entry, or this cannot be noted.
    pub(super) fn ask_pin(self, selectors: &[String]) -> Result<Curated, Failure> {
        let stores = self.memory.readers()?;
        let (ranking, snapshots) = self.memory.ranking(&stores);
        let rows = selector::entries(self.memory, &ranking, &problems(&snapshots), selectors)?;
        for store in &stores {
            let wanted = rows.iter().filter(|row| row.entry.scope == store.scope);
            let wanted = wanted.filter(|row| row.standing != Standing::Pinned);
            let keys: Vec<TextKey> = wanted.map(|row| key(self.memory, store, row)).collect();
            if keys.is_empty() {
                continue;
            }
            if store.trust.ledger().is_none() {
                let hint = "set HOME, or XDG_STATE_HOME; pimem pin pins at once";
                return Err(Failure::new(FailureKind::Io, "there is no place to note a pin", hint));
            }
            let _lock = super::lock(self.memory, store)?;
            trust_ledger::note_waiting(&store.trust, &keys)?;
        }
        let pinned = rows.iter().all(|row| row.standing == Standing::Pinned);
        let entries = self.memory.entries_of(&ranking);
        let result = |row: &&ScoredEntry| CuratedEntry::new(entries.entry(row));
        let action = if pinned { PinAction::Pinned } else { PinAction::PinWaits };
        Ok(Curated { action, results: rows.iter().map(result).collect() })
    }
}

/// Returns the rows of a store whose pins wait.
pub(super) fn waiting<'a>(
    memory: &Memory,
    store: &Store,
    rows: &'a [ScoredEntry],
) -> Vec<&'a ScoredEntry> {
    if !trust_ledger::any_waiting(&store.trust) {
        return Vec::new();
    }
    let rows = rows.iter().filter(|row| row.entry.scope == store.scope && row.entry.reviewed);
    let rows: Vec<(&ScoredEntry, TextKey)> =
        rows.map(|row| (row, key(memory, store, row))).collect();
    let keys: Vec<TextKey> = rows.iter().map(|(_, key)| *key).collect();
    let held = trust_ledger::waiting_of(&store.trust, &keys);
    let waits = |(row, key): (&'a ScoredEntry, TextKey)| held.contains(&key).then_some(row);
    rows.into_iter().filter_map(waits).filter(|row| row.standing != Standing::Pinned).collect()
}

/// Returns true if the pin of a row waits.
pub(super) fn waits(memory: &Memory, store: &Store, row: &ScoredEntry) -> bool {
    !waiting(memory, store, std::slice::from_ref(row)).is_empty()
}

pub(super) fn drop_of(memory: &Memory, store: &Store, row: &ScoredEntry) -> Result<(), Failure> {
    settle_in(memory, store, std::iter::once(row))
}

/// Forgets the waiting pins of rows about which a person has decided.
pub(super) fn settle(memory: &Memory, rows: &[ScoredEntry]) -> Result<(), Failure> {
    for store in &memory.readers()? {
        let here = rows.iter().filter(|row| row.entry.scope == store.scope);
        settle_in(memory, store, here)?;
    }
    Ok(())
}

/// The same for rows of one store.
pub(super) fn settle_in<'a>(
    memory: &Memory,
    store: &Store,
    rows: impl Iterator<Item = &'a ScoredEntry>,
) -> Result<(), Failure> {
    if trust_ledger::any_waiting(&store.trust) {
        let keys: Vec<TextKey> = rows.map(|row| key(memory, store, row)).collect();
        trust_ledger::forget_waiting(&store.trust, &keys)?;
    }
    Ok(())
}

fn key(memory: &Memory, store: &Store, row: &ScoredEntry) -> TextKey {
    let name = &memory.config.categories.spec(row.entry.category).name;
    store.trust.text(trust::TrustedKind::Pin, &topic::canonical(name, &row.entry.text))
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curated {
    pub action: PinAction,
    /// Entries after the change; archived ones as they were before it.
    pub results: Vec<CuratedEntry>,
}

/// A person's decision about entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PinAction {
    /// The score no longer decays.
    Pinned,
    /// An agent asked for a pin, which a person has to confirm.
    #[serde(rename = "pinWaits")]
    PinWaits,
    /// The score decays again.
    Unpinned,
    /// Reports and searches leave the entry out, and its line is moved to the archive.
    Forgot,
    /// The line is moved to the archive, and the entry stays in force.
    Removed,
    /// The line is moved back from the archive.
    Restored,
}

impl PinAction {
    /// Returns the first word of an output line.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Pinned => "Pinned",
            Self::PinWaits => "Asked to pin",
            Self::Unpinned => "Unpinned",
            Self::Forgot => "Forgot",
            Self::Removed => "Archived",
            Self::Restored => "Restored",
        }
    }

    /// Returns the first words of an output line about an entry that was so before.
    pub fn already(self) -> &'static str {
        if self == Self::Forgot { "Already forgotten" } else { "Already archived" }
    }
}

/// An entry that a person's decision changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CuratedEntry {
    #[serde(flatten)]
    pub entry: EntryView,
    /// What the next report does with it, if it was to bring it in or let it fade.
    #[serde(flatten)]
    pub next: Option<Prospect>,
    /// The entries that this one had replaced. They are in force again, because it was forgotten or
    /// archived.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub back: Vec<EntryView>,
    /// The other store that has the same entry, so that reports still show it.
    #[serde(skip)]
    pub shown_elsewhere: Option<Scope>,
    /// True if nothing was to be done, because the entry was so before.
    #[serde(skip)]
    pub already: bool,
}

impl CuratedEntry {
    pub fn new(entry: EntryView) -> Self {
        Self { entry, next: None, back: Vec::new(), shown_elsewhere: None, already: false }
    }
}

impl Document for Curated {
    fn schema(&self) -> &'static str {
        match self.action {
            PinAction::Pinned | PinAction::PinWaits | PinAction::Unpinned | PinAction::Forgot => {
                "pimem.curate/1"
            }
            PinAction::Removed => "pimem.remove/1",
            PinAction::Restored => "pimem.restore/1",
        }
    }
}

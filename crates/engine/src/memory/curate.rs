//! Decisions of a person about entries: evidence for or against them, and whether they are in
//! force.
//!
//! Nothing is deleted: a removed line moves to the archive and can be restored.

use anyhow::Result;

use super::{Memory, archived, intake, leaky::Leaky, pins, selector};
use crate::{
    error::{Failure, Kind},
    store::{
        Store,
        snapshot::Snapshot,
        transaction::{Change, Target, Txn},
    },
};
use pimem_core::{
    model::{
        entry::{Markers, Wording},
        event::{EventKind, Why},
    },
    score::{
        evidence::UserState,
        ledger::Ledger,
        ranking::{LocatedEntry, Ranking, ScoredEntry},
    },
    view::{
        Entries, EntryView,
        curate::{Action, Curated, CuratedEntry, Reinforced},
    },
};

/// How an entry proved in use, with the number of pieces of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The entry was right.
    Right(u32),
    /// The entry was wrong; each piece of evidence subtracts four times as much.
    Wrong(u32),
}

impl Memory {
    /// Records how entries proved. Adds no entry and edits no topic file.
    ///
    /// # Errors
    /// Fails if a selector does not match exactly one entry, or a store cannot be written. Then
    /// nothing is recorded.
    pub fn reinforce(&self, selectors: &[String], proof: Proof) -> Result<Reinforced, Failure> {
        let (kind, harmful) = match proof {
            Proof::Right(by) => (EventKind::Reinforce(by), false),
            Proof::Wrong(by) => (EventKind::Harmful(by), true),
        };
        let Changed { after, rows, .. } =
            on_each(self, selectors, |txn, row| txn.record(row.entry.id, kind.clone()))?;
        let entries = Entries::new(self.now, &self.config.categories, &after);
        Ok(Reinforced { results: rows.iter().map(|row| entries.entry(row)).collect(), harmful })
    }

    /// Applies a decision of a person to entries.
    ///
    /// # Errors
    /// Fails if a selector does not match exactly one entry, or a store cannot be written. Then
    /// nothing is changed.
    pub fn curate(&self, action: Action, selectors: &[String]) -> Result<Curated, Failure> {
        let changed = match action {
            Action::Pinned => on_each(self, selectors, |txn, row| {
                txn.record(row.entry.id, EventKind::Pin)?;
                mark(txn, &row.entry.wording(), true);
                Ok(())
            }),
            Action::Unpinned => on_each(self, selectors, |txn, row| {
                txn.record(row.entry.id, EventKind::Unpin)?;
                mark(txn, &row.entry.wording(), false);
                Ok(())
            }),
            Action::Forgot => on_each(self, selectors, |txn, row| {
                // A marker would override the decision, so it is removed, and recorded for a later
                // restore.
                if row.entry.pinned && row.evidence.user != UserState::Pinned {
                    txn.record(row.entry.id, EventKind::Pin)?;
                }
                mark(txn, &row.entry.wording(), false);
                txn.record(row.entry.id, EventKind::Forget)
            }),
            Action::Removed => {
                on_each(self, selectors, |txn, row| archived::archive(txn, row, Why::Person))
            }
            Action::PinWaits => return self.ask_pin(selectors),
            Action::Restored => {
                let unseen = |entry| CuratedEntry { entry, shown_elsewhere: false };
                let results = restore(self, selectors)?.into_iter().map(unseen).collect();
                return Ok(Curated { action, results });
            }
        };
        let Changed { before, after, rows } = changed?;
        // A person has decided.
        pins::settle(self, &rows)?;
        let known = if action == Action::Removed { &before } else { &after };
        let entries = Entries::new(self.now, &self.config.categories, known);
        let result = |row: &ScoredEntry| {
            // A decision about an entry in one store does not apply to the same entry in another.
            let other = after.find(&row.entry.wording());
            let shown_elsewhere =
                other.is_some_and(|other| other.entry.scope != row.entry.scope && !other.is_over());
            CuratedEntry { entry: entries.entry(row), shown_elsewhere }
        };
        Ok(Curated { action, results: rows.iter().map(result).collect() })
    }

    /// Returns the entries by their score. Unlike [`Memory::list`], it changes nothing and asks no
    /// other program: lines that were typed since the last command may count as unreviewed.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn glance(&self) -> Result<Vec<EntryView>, Failure> {
        let (ranking, _) = self.ranking(&self.readers()?);
        let entries = Entries::new(self.now, &self.config.categories, &ranking);
        Ok(ranking.rows.iter().map(|row| entries.entry(row)).collect())
    }

    /// Returns what [`Memory::curate`] can restore, as [`Memory::glance`] does: entries out of force,
    /// and archived ones.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn restorable(&self) -> Result<Vec<EntryView>, Failure> {
        let mut found = Vec::new();
        for store in self.readers()? {
            let categories = &self.config.categories;
            let (snapshot, archive) =
                (store.read(self.now, categories), store.read_archive(categories));
            let (ranking, _) = candidates(self, &store, &snapshot, &archive);
            let entries = Entries::new(self.now, categories, &ranking);
            found.extend(ranking.rows.iter().map(|row| entries.entry(row)));
        }
        Ok(found)
    }
}

/// Restores entries that are out of service. If one selector matches nothing, nothing is restored.
fn restore(memory: &Memory, selectors: &[String]) -> Result<Vec<EntryView>, Failure> {
    for selector in selectors {
        find_gone(memory, selector)?;
    }
    selectors.iter().map(|selector| restore_one(memory, selector)).collect()
}

/// What is out of service in a store: entries out of force, and archived lines.
struct Gone {
    candidates: Ranking,
    /// Index of the selected row.
    at: usize,
    archive: Snapshot,
    /// True if its line is in the archive.
    archived: bool,
}

fn gone(
    memory: &Memory,
    store: &Store,
    snapshot: &Snapshot,
    selector: &str,
) -> Result<Gone, Failure> {
    let archive = store.read_archive(&memory.config.categories);
    let (candidates, over) = candidates(memory, store, snapshot, &archive);
    let row = selector::entry(memory, &candidates, &[], selector)?;
    let at = candidates.rows.iter().position(|known| std::ptr::eq(known, row)).unwrap_or_default();
    Ok(Gone { archive, at, archived: at >= over, candidates })
}

/// Returns what is out of service, and how much of it is not in the archive; that comes first.
fn candidates(
    memory: &Memory,
    store: &Store,
    snapshot: &Snapshot,
    archive: &Snapshot,
) -> (Ranking, usize) {
    let live = ranking_of(memory, store, snapshot, &snapshot.ledger);
    let old = ranking_of(memory, store, archive, &snapshot.ledger);
    let mut rows: Vec<ScoredEntry> =
        live.rows.iter().filter(|row| row.is_over()).cloned().collect();
    let over = rows.len();
    let stands = |row: &&ScoredEntry| live.find(&row.entry.wording()).is_some();
    rows.extend(old.rows.iter().filter(|row| !stands(row)).cloned());
    (Ranking { rows, policy: live.policy }, over)
}

/// Returns the first store in which a selector matches something out of service.
fn find_gone(memory: &Memory, selector: &str) -> Result<Store, Failure> {
    let mut unread = Vec::new();
    for store in memory.readers()? {
        let snapshot = store.read(memory.now, &memory.config.categories);
        match gone(memory, &store, &snapshot, selector) {
            Ok(_) => return Ok(store),
            Err(failure) if failure.kind == Kind::NotFound => {
                unread.extend(snapshot.problems);
                unread.extend(store.read_archive(&memory.config.categories).problems);
            }
            Err(failure) => return Err(failure),
        }
    }
    if let Some(problem) = unread.first() {
        return Err(Failure::from(problem));
    }
    let mut failure = selector::failure(selector, std::iter::empty());
    failure.message = format!("no forgotten or archived entry matches {selector:?}");
    failure.hints = vec![
        "pimem list --state dropped shows forgotten entries; the archive is in archive/".to_owned(),
    ];
    Err(memory.not_own(selector, failure))
}

/// Restores an entry with its former markers.
fn restore_one(memory: &Memory, selector: &str) -> Result<EntryView, Failure> {
    let store = find_gone(memory, selector)?;
    let lock = super::lock(memory, &store)?;
    let mut txn = store.begin(&lock, &memory.config.categories, memory.now, memory.who());
    let Gone { candidates, at, archive, archived } =
        gone(memory, &store, txn.snapshot(), selector)?;
    // A line in an unread file would stay where it is, or be written twice.
    let mut problems = txn.snapshot().problems.iter().chain(&archive.problems);
    if let Some(problem) = problems.next() {
        return Err(Failure::from(problem));
    }
    let Some(row) = candidates.rows.get(at).cloned() else {
        return Err(selector::failure(selector, std::iter::empty()));
    };
    let of = row.entry.wording();
    let forgotten = row.evidence.user == UserState::Forgotten;
    let before = txn.snapshot().ledger.before_forgetting(of.id);
    let pinned = row.entry.pinned || forgotten && before == UserState::Pinned;
    txn.record(of.id, EventKind::Restore)?;
    if pinned {
        txn.record(of.id, EventKind::Pin)?;
    }
    if archived {
        let LocatedEntry { category, text, enforced, topic, .. } = row.entry.clone();
        let markers = Markers { pinned, enforced };
        txn.change(Target::Topic(topic), Change::Append { category, text, markers, heading: None });
        for stem in archive.holders(&of) {
            txn.change(Target::Archive(stem.to_owned()), Change::Remove(of.clone()));
        }
    } else if pinned {
        mark(&mut txn, &of, true);
    }
    txn.commit()?;
    Ok(Entries::new(memory.now, &memory.config.categories, &candidates).entry(&row))
}

fn ranking_of(memory: &Memory, store: &Store, snapshot: &Snapshot, ledger: &Ledger) -> Ranking {
    Ranking::new(
        memory.now,
        memory.rules(),
        vec![(snapshot.placed(store, &memory.config.categories), ledger)],
    )
}

fn mark(txn: &mut Txn<'_>, of: &Wording, pinned: bool) {
    let holders: Vec<String> = txn.snapshot().holders(of).into_iter().map(str::to_owned).collect();
    for stem in holders {
        txn.change(Target::Topic(stem), Change::SetPinned(of.clone(), pinned));
    }
}

/// The result of [`on_each`], with the rankings before and after.
pub struct Changed {
    pub before: Leaky<Ranking>,
    /// As it is.
    pub after: Leaky<Ranking>,
    /// The entries, in the order of the selectors: as they are now in their store, or, if they left
    /// it, as they were.
    pub rows: Vec<ScoredEntry>,
}

/// Finds the entry of each selector, changes it in its store under the lock, and ranks again. If a
/// selector fails, nothing is written.
pub fn on_each(
    memory: &Memory,
    selectors: &[String],
    act: impl Fn(&mut Txn<'_>, &ScoredEntry) -> Result<()>,
) -> Result<Changed, Failure> {
    let stores = memory.readers()?;
    let (before, snapshots) = memory.ranking(&stores);
    let rows = selector::entries(memory, &before, &super::problems(&snapshots), selectors)?;
    let rows = rows.into_iter().cloned().collect();
    on_rows(memory, before, rows, act)
}

/// Applies a change to rows of a ranking.
pub fn on_rows(
    memory: &Memory,
    before: Leaky<Ranking>,
    rows: Vec<ScoredEntry>,
    act: impl Fn(&mut Txn<'_>, &ScoredEntry) -> Result<()>,
) -> Result<Changed, Failure> {
    let stores = memory.readers()?;
    for store in &stores {
        let mut mine = rows.iter().filter(|row| row.entry.scope == store.scope).peekable();
        if mine.peek().is_none() {
            continue;
        }
        let lock = super::lock(memory, store)?;
        let mut txn = store.begin(&lock, &memory.config.categories, memory.now, memory.who());
        intake::refuse_if_unreadable(&txn)?;
        let fresh = ranking_of(memory, store, txn.snapshot(), &txn.snapshot().ledger);
        for ScoredEntry { entry, .. } in mine {
            let gone = || selector::failure(&entry.id.to_string(), std::iter::empty());
            act(&mut txn, fresh.find(&entry.wording()).ok_or_else(gone)?)?;
        }
        txn.commit()?;
    }
    let (after, snapshots) = memory.ranking(&stores);
    let now = |row: ScoredEntry| {
        let of = row.entry.wording();
        let here = |found: &&ScoredEntry| found.entry.scope == row.entry.scope;
        if let Some(found) = after.find(&of).filter(here) {
            return found.clone();
        }
        // The other store's copy hides it in the merged ranking.
        let side = stores.iter().zip(snapshots.iter());
        let mut side = side.filter(|(store, _)| store.scope == row.entry.scope);
        let alone = side
            .next()
            .map(|(store, snapshot)| ranking_of(memory, store, snapshot, &snapshot.ledger));
        alone.and_then(|alone| alone.find(&of).cloned()).unwrap_or(row)
    };
    let rows = rows.into_iter().map(now).collect();
    Ok(Changed { before, after, rows })
}

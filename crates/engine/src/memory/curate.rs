//! Decisions of a person about entries: evidence for or against them, and whether they are in
//! force.
//!
//! Nothing is deleted: a forgotten or removed line moves to the archive and can be restored.

use crate::memory::handles::Writing;
use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use super::{Memory, archived, intake, next::Next, pins, selector};
use crate::process::Leaky;
use crate::{
    error::{Failure, FailureKind},
    memory::{
        next::{ChangedEntry, Prospect},
        pins::{Curated, CuratedEntry, PinAction},
    },
    store::{
        Store,
        snapshot::Snapshot,
        transaction::{Change, NewMarkers, Target, Txn},
    },
    view::{Entries, EntryView},
};
use pimem_core::{
    model::{
        entry::{EntryId, Markers},
        event::{ArchiveReason, Author, EventKind, Order},
        operation::UserState,
    },
    score::{
        ledger::Ledger,
        ranking::{LocatedEntry, Ranking, ScoredEntry},
    },
    sync::grave::Buried,
};

/// How an entry proved in use, with the number of pieces of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    Right(u32),
    /// The entry was wrong; each piece of evidence subtracts four times as much.
    Wrong(u32),
}

impl Writing<'_> {
    /// Records how entries proved. Adds no entry and edits no topic file.
    ///
    /// # Errors
    /// Fails if a selector does not match exactly one entry, or a store cannot be written. Then
    /// nothing is recorded.
    pub fn reinforce(self, selectors: &[String], proof: Proof) -> Result<Reinforced, Failure> {
        let (kind, harmful) = match proof {
            Proof::Right(by) => (EventKind::Reinforce(by), false),
            Proof::Wrong(by) => (EventKind::Harmful(by), true),
        };
        // What proved right to a person is wanted; nobody else brings an entry back by using it.
        let wants = !harmful && Author::of(self.memory.who().by) == Author::Person;
        let changed = on_each(self.memory, selectors, |txn, row| {
            if wants && row.is_over() {
                put_in_force(txn, row.entry.id)?;
            }
            txn.record(row.entry.id, kind.clone())
        })?;
        let entries = self.memory.entries_of(&changed.next.ranking);
        let results = changed.rows.iter().map(|row| {
            let mut next = changed.prospect(self.memory, &entries, row);
            // Nobody who marks an entry as harmful wants to know what brings it back.
            if let Some(absent) = next.absent.as_mut().filter(|_| harmful) {
                absent.remedy = None;
            }
            ChangedEntry { entry: entries.entry(row), next }
        });
        Ok(Reinforced { results: results.collect(), harmful })
    }

    /// Applies a decision of a person to entries.
    ///
    /// # Errors
    /// Fails if a selector does not match exactly one entry, or a store cannot be written. Then
    /// nothing is changed.
    pub fn curate(self, action: PinAction, selectors: &[String]) -> Result<Curated, Failure> {
        let leaves = matches!(action, PinAction::Removed | PinAction::Forgot);
        let (selectors, away) =
            if leaves { self.split(selectors)? } else { (selectors.to_vec(), Vec::new()) };
        let selectors = selectors.as_slice();
        let changed = match action {
            PinAction::Pinned => on_each(self.memory, selectors, |txn, row| {
                txn.record(row.entry.id, EventKind::Pin)?;
                txn.mark_lines(&row.entry.wording(), &NewMarkers::pinned(true));
                Ok(())
            }),
            PinAction::Unpinned => on_each(self.memory, selectors, |txn, row| {
                txn.record(row.entry.id, EventKind::Unpin)?;
                txn.mark_lines(&row.entry.wording(), &NewMarkers::pinned(false));
                Ok(())
            }),
            PinAction::Forgot => on_each(self.memory, selectors, |txn, row| {
                // A marker would override the decision, so it is removed, and recorded for a later
                // restore.
                if row.entry.pinned && row.evidence.user != UserState::Pinned {
                    txn.record(row.entry.id, EventKind::Pin)?;
                }
                txn.record(row.entry.id, EventKind::Forget)?;
                archived::archive(txn, &unpinned(row), ArchiveReason::Person)
            }),
            PinAction::Removed => on_each(self.memory, selectors, |txn, row| {
                archived::archive(txn, row, ArchiveReason::Person)
            }),
            PinAction::PinWaits => return self.ask_pin(selectors),
            PinAction::Restored => {
                let results = restore(self.memory, selectors)?;
                return Ok(Curated { action, results });
            }
        };
        let mut changed = changed?;
        if action == PinAction::Forgot {
            self.judge_forgotten(&mut changed.rows)?;
        }
        let CuratedEntries { before, next, rows, .. } = &changed;
        // A person has decided.
        pins::settle(self.memory, rows)?;
        let known = if leaves { before } else { &next.ranking };
        let entries = self.memory.entries_of(known);
        let is_told = matches!(action, PinAction::Pinned | PinAction::Unpinned);
        let result = |row: &ScoredEntry| {
            // A decision about an entry in one store does not apply to the same entry in another.
            let other = next.ranking.find(&row.entry.wording());
            let other =
                other.filter(|other| other.entry.scope != row.entry.scope && !other.is_over());
            let shown_elsewhere = other.map(|other| other.entry.scope);
            let next = is_told.then(|| changed.prospect(self.memory, &entries, row));
            let stood_in = |other: &&ScoredEntry| other.superseded_by == Some(row.entry.id);
            let back = before.rows.iter().filter(stood_in);
            let back = back.filter_map(|other| changed.next.ranking.find(&other.entry.wording()));
            let back = back.filter(|other| !other.is_over());
            let back = back.map(|other| entries.entry(other)).collect();
            CuratedEntry { next, back, shown_elsewhere, ..CuratedEntry::new(entries.entry(row)) }
        };
        let mut results: Vec<CuratedEntry> = rows.iter().map(result).collect();
        for selector in away {
            results.push(self.put_away_again(action, &selector)?);
        }
        Ok(Curated { action, results })
    }

    /// Tells selectors of entries in force from those that match a line in the archive alone.
    /// Others are left among the first, for the error.
    fn split(self, selectors: &[String]) -> Result<(Vec<String>, Vec<String>), Failure> {
        let (ranking, snapshots) = self.memory.ranking(&self.memory.readers()?);
        let unread = super::problems(&snapshots);
        let is_away =
            |selector: &String| match selector::entry(self.memory, &ranking, &unread, selector) {
                Err(failure) if failure.kind == FailureKind::NotFound => {
                    find_gone(self.memory, selector).is_ok()
                }
                _ => false,
            };
        let (away, here) = selectors.iter().cloned().partition(is_away);
        Ok((here, away))
    }

    /// Forgets or archives an entry whose line is in the archive: what is put away stays so, and what
    /// is in force there can still be forgotten.
    fn put_away_again(self, action: PinAction, selector: &str) -> Result<CuratedEntry, Failure> {
        let categories = &self.memory.config.categories;
        let store = find_gone(self.memory, selector)?;
        let found = |snapshot: &Snapshot| {
            let Gone { candidates, at, buried, .. } =
                gone(self.memory, &store, snapshot, selector)?;
            let row = candidates.rows.get(at);
            let row = row.ok_or_else(|| selector::failure(selector, std::iter::empty()))?;
            let entry = self.memory.entries_of(&candidates).entry(row);
            let is_out = buried.is_some() || row.evidence.user == UserState::Forgotten;
            Ok::<_, Failure>((entry, row.entry.id, is_out))
        };
        let (mut entry, id, forgotten) = found(&store.read(self.memory.now, categories))?;
        let already = action == PinAction::Removed || forgotten;
        if !already {
            let lock = super::lock(self.memory, &store)?;
            let mut txn = store.begin(&lock, categories, self.memory.now, self.memory.who());
            intake::refuse_if_unreadable(&txn)?;
            txn.record(id, EventKind::Forget)?;
            txn.commit()?;
            entry = found(&store.read(self.memory.now, categories))?.0;
        }
        Ok(CuratedEntry { already, ..CuratedEntry::new(entry) })
    }

    /// Ranks entries that have left their topics by the evidence that they have now.
    fn judge_forgotten(self, rows: &mut [ScoredEntry]) -> Result<(), Failure> {
        for store in self.memory.readers()? {
            let mut mine: Vec<&mut ScoredEntry> =
                rows.iter_mut().filter(|row| row.entry.scope == store.scope).collect();
            let ledger = store.ledger_of(&mine.iter().map(|row| row.entry.id).collect());
            for row in &mut mine {
                let entry = unpinned(row).entry;
                let alone = Ranking::new(
                    self.memory.now,
                    self.memory.rules(),
                    vec![(vec![entry], &ledger)],
                );
                if let Some(now) = alone.rows.into_iter().next() {
                    **row = now;
                }
            }
        }
        Ok(())
    }

    /// Returns what [`Writing::curate`] can restore, as [`Memory::glance`] does: entries out of force,
    /// archived ones, and those in the grave.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn restorable(self) -> Result<Vec<EntryView>, Failure> {
        let mut found = Vec::new();
        for store in self.memory.readers()? {
            let categories = &self.memory.config.categories;
            let (snapshot, archive) =
                (store.read(self.memory.now, categories), store.read_archive(categories));
            let (mut ranking, _) = candidates(self.memory, &store, &snapshot, &archive);
            let (_, graves) = archived::graves(self.memory, &store, &snapshot, &archive);
            ranking.rows.extend(graves.rows);
            let entries = self.memory.entries_of(&ranking);
            found.extend(ranking.rows.iter().map(|row| entries.entry(row)));
        }
        Ok(found)
    }

    /// Brings back the entries that selectors match in the archive alone, for an act by which a
    /// person shows that they are wanted. Returns true if there is any.
    /// Fails if a store cannot be read or written.
    pub fn bring_back(self, selectors: &[String]) -> Result<bool, Failure> {
        let (ranking, snapshots) = self.memory.ranking(&self.memory.readers()?);
        let unread = super::problems(&snapshots);
        let mut gone = Vec::new();
        for selector in selectors {
            match selector::entry(self.memory, &ranking, &unread, selector) {
                Err(failure) if failure.kind == FailureKind::NotFound => {
                    if find_gone(self.memory, selector).is_err() {
                        return Ok(false);
                    }
                    gone.push(selector);
                }
                _ => {}
            }
        }
        for selector in &gone {
            let back = restore_one(self.memory, selector)?;
            self.memory.notices.note(&format!("Brought back: {}", back.line));
        }
        Ok(!gone.is_empty())
    }
}

impl Memory {
    /// Returns the entries by their score. Unlike [`Reading::list`](super::handles::Reading::list), it changes nothing and asks no
    /// other program: lines that were typed since the last command may count as unreviewed.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn glance(&self) -> Result<Vec<EntryView>, Failure> {
        let (ranking, _) = self.ranking(&self.readers()?);
        let entries = self.entries_of(&ranking);
        Ok(ranking.rows.iter().map(|row| entries.entry(row)).collect())
    }
}

/// Puts an entry in force again because a person has added or reinforced it. That alone would not
/// do: it is dated now, and what put the entry out of force may be dated by a clock that was ahead.
pub(super) fn put_in_force(txn: &mut Txn<'_>, id: EntryId) -> Result<()> {
    txn.record(id, EventKind::Restore)
}

/// Restores entries that are out of service. If one selector matches nothing, nothing is restored.
fn restore(memory: &Memory, selectors: &[String]) -> Result<Vec<CuratedEntry>, Failure> {
    for selector in selectors {
        find_gone(memory, selector)?;
    }
    let (mut written, mut restored) = (Vec::new(), Vec::new());
    for selector in selectors {
        let one = restore_one(memory, selector)?;
        written.retain(|(dir, _)| *dir != one.held.0);
        written.push(one.held);
        restored.push(one.row);
    }
    let next = Next::after(memory, written)?;
    let entries = memory.entries_of(&next.ranking);
    let result = |was: &ScoredEntry| {
        let row = next.ranking.find(&was.entry.wording());
        let prospect = row.map(|row| {
            let older = next.overtaken(memory, row, was.evidence.choice());
            next.prospect(memory, &entries, row, older)
        });
        let entry = entries.entry(&now_of(memory, &next, was));
        CuratedEntry { next: prospect, ..CuratedEntry::new(entry) }
    };
    Ok(restored.iter().map(result).collect())
}

/// A restored entry.
struct Back {
    /// As it was before.
    row: ScoredEntry,
    /// That entry, formatted for messages.
    line: String,
    /// Its store, and what that holds now.
    held: (PathBuf, Snapshot),
}

/// What is out of service in a store: entries out of force, archived lines, and those in the grave.
struct Gone {
    candidates: Ranking,
    /// Index of the selected row.
    at: usize,
    archive: Snapshot,
    archived: bool,
    /// Its line in the grave, if it is there.
    buried: Option<(LocatedEntry, Buried)>,
}

fn gone(
    memory: &Memory,
    store: &Store,
    snapshot: &Snapshot,
    selector: &str,
) -> Result<Gone, Failure> {
    let archive = store.read_archive(&memory.config.categories);
    let (mut candidates, over) = candidates(memory, store, snapshot, &archive);
    let (buried, graves) = archived::graves(memory, store, snapshot, &archive);
    candidates.rows.extend(graves.rows);
    let unread = [archive.problems.as_slice(), &snapshot.problems].concat();
    let row = selector::entry(memory, &candidates, &unread, selector)?;
    let at = candidates.rows.iter().position(|known| std::ptr::eq(known, row)).unwrap_or_default();
    let buried = buried.into_iter().find(|(entry, _)| entry.is_copy(&row.entry));
    Ok(Gone { archive, at, archived: at >= over && buried.is_none(), buried, candidates })
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
    (Ranking { rows, policy: live.policy, ..Ranking::default() }, over)
}

/// Returns the first store in which a selector matches something out of service.
fn find_gone(memory: &Memory, selector: &str) -> Result<Store, Failure> {
    let mut unread = None;
    for store in memory.readers()? {
        let snapshot = store.read(memory.now, &memory.config.categories);
        match gone(memory, &store, &snapshot, selector) {
            Ok(_) => return Ok(store),
            Err(failure) if failure.kind == FailureKind::Ambiguous => return Err(failure),
            Err(failure) if failure.kind == FailureKind::NotFound => {}
            Err(failure) => unread = unread.or(Some(failure)),
        }
    }
    if let Some(failure) = unread {
        return Err(failure);
    }
    let mut failure = selector::failure(selector, std::iter::empty());
    failure.message = format!("no forgotten or archived entry matches {selector:?}");
    failure.hints =
        vec!["pimem search --in archive WORDS finds what was forgotten or archived".to_owned()];
    Err(memory.sharing().not_own(selector, failure))
}

/// Restores an entry with its former markers.
fn restore_one(memory: &Memory, selector: &str) -> Result<Back, Failure> {
    let store = find_gone(memory, selector)?;
    let lock = super::lock(memory, &store)?;
    let mut txn = store.begin(&lock, &memory.config.categories, memory.now, memory.who());
    intake::keep_to_topics(memory, &mut txn);
    let Gone { candidates, at, archive, archived, buried } =
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
    if let Some((entry, one)) = &buried {
        txn.exhume(entry, one)?;
        if !entry.reviewed {
            // The file may have come with a clone.
            store.trust.record(&[store.trust.brought(&one.category, &one.text)])?;
        }
    } else {
        txn.record(of.id, EventKind::Restore)?;
        if pinned {
            txn.record(of.id, EventKind::Pin)?;
        }
    }
    if archived {
        let markers = Markers { pinned, ..row.entry.markers() };
        let LocatedEntry { category, text, topic, .. } = row.entry.clone();
        txn.change(Target::Topic(topic), Change::Append { category, text, markers, heading: None });
        for stem in archive.holders(&of) {
            txn.change(Target::Archive(stem.to_owned()), Change::Remove(of.clone()));
        }
    } else if pinned && buried.is_none() {
        txn.mark_lines(&of, &NewMarkers::pinned(true));
    }
    let categories = &memory.config.categories;
    let outgrown = intake::outgrown(&txn);
    let written = txn.commit_seen()?;
    intake::say_written(memory, &outgrown, written.kept());
    let held = written.after(&store, categories, memory.now);
    let line = memory.entries_of(&candidates).line(&row);
    Ok(Back { row, line, held: (store.dir.clone(), held) })
}

fn ranking_of(memory: &Memory, store: &Store, snapshot: &Snapshot, ledger: &Ledger) -> Ranking {
    Ranking::new(
        memory.now,
        memory.rules(),
        vec![(snapshot.placed(store, &memory.config.categories), ledger)],
    )
}

/// Returns a row without the pinned marker.
fn unpinned(row: &ScoredEntry) -> ScoredEntry {
    let mut row = row.clone();
    row.entry.pinned = false;
    row
}

/// The result of [`on_each`].
pub struct CuratedEntries {
    pub before: Leaky<Ranking>,
    /// What is there now.
    pub next: Next,
    /// The entries, in the order of the selectors: as they are now in their store, or, if they left
    /// it, as they were.
    pub rows: Vec<ScoredEntry>,
    /// When each was last chosen before.
    was: Vec<Order>,
}

impl CuratedEntries {
    /// Returns what the next report does with one of the entries.
    pub fn prospect(&self, memory: &Memory, entries: &Entries<'_>, of: &ScoredEntry) -> Prospect {
        let at = self.rows.iter().position(|row| row.entry.is_copy(&of.entry));
        let was = at.and_then(|at| self.was.get(at));
        // The report may show the copy of another store.
        let row = self.next.ranking.find(&of.entry.wording()).unwrap_or(of);
        let older = was.and_then(|was| self.next.overtaken(memory, row, *was));
        self.next.prospect(memory, entries, row, older)
    }
}

/// Finds the entry of each selector, changes it in its store under the lock, and ranks again. If a
/// selector fails, nothing is written.
pub fn on_each(
    memory: &Memory,
    selectors: &[String],
    act: impl Fn(&mut Txn<'_>, &ScoredEntry) -> Result<()>,
) -> Result<CuratedEntries, Failure> {
    let stores = memory.readers()?;
    let (before, snapshots) = memory.ranking_everywhere(&stores);
    let rows = selector::entries(memory, &before, &super::problems(&snapshots), selectors)?;
    let rows: Vec<ScoredEntry> = rows.into_iter().cloned().collect();
    on_rows(memory, before, &rows, act)
}

pub fn on_rows(
    memory: &Memory,
    before: Leaky<Ranking>,
    rows: &[ScoredEntry],
    act: impl Fn(&mut Txn<'_>, &ScoredEntry) -> Result<()>,
) -> Result<CuratedEntries, Failure> {
    let elsewhere = rows.iter().find_map(|row| Some((row.entry.branch.as_ref()?, &row.entry)));
    if let Some((branch, entry)) = elsewhere {
        let message = format!("{:?} was learned on {branch}, in another work tree", entry.text);
        let hint = "change it there, or merge the branch first";
        return Err(Failure::new(FailureKind::Refused, message, hint));
    }
    let categories = &memory.config.categories;
    let mut written = Vec::new();
    for store in memory.readers()? {
        let mut mine = rows.iter().filter(|row| row.entry.scope == store.scope).peekable();
        if mine.peek().is_none() {
            continue;
        }
        let lock = super::lock(memory, &store)?;
        let mut txn = store.begin(&lock, categories, memory.now, memory.who());
        intake::refuse_if_unreadable(&txn)?;
        let fresh = ranking_of(memory, &store, txn.snapshot(), &txn.snapshot().ledger);
        for ScoredEntry { entry, .. } in mine {
            let gone = || selector::failure(&entry.id.to_string(), std::iter::empty());
            act(&mut txn, fresh.find(&entry.wording()).ok_or_else(gone)?)?;
        }
        let outgrown = intake::outgrown(&txn);
        let done = txn.commit_seen()?;
        intake::say_written(memory, &outgrown, done.kept());
        let held = done.after(&store, categories, memory.now);
        written.push((store.dir.clone(), held));
    }
    let next = Next::after(memory, written)?;
    let was = rows.iter().map(|row| row.evidence.choice()).collect();
    let rows = rows.iter().map(|row| now_of(memory, &next, row)).collect();
    Ok(CuratedEntries { before, next, rows, was })
}

/// Returns an entry as it is now in its store; as it was if it left that.
fn now_of(memory: &Memory, next: &Next, row: &ScoredEntry) -> ScoredEntry {
    let of = row.entry.wording();
    let here = |found: &&ScoredEntry| found.entry.scope == row.entry.scope;
    if let Some(found) = next.ranking.find(&of).filter(here) {
        return found.clone();
    }
    // The other store's copy hides it in the merged ranking.
    let side = next.stores.iter().zip(&*next.snapshots);
    let mut side = side.filter(|(store, _)| store.scope == row.entry.scope);
    let alone =
        side.next().map(|(store, snapshot)| ranking_of(memory, store, snapshot, &snapshot.ledger));
    alone.and_then(|alone| alone.find(&of).cloned()).unwrap_or_else(|| row.clone())
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reinforced {
    /// Entries after the change.
    pub results: Vec<ChangedEntry>,
    #[serde(skip)]
    pub harmful: bool,
}

documents! {
    Reinforced: "pimem.reinforce/1",
}

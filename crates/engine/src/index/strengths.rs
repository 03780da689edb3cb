//! Folded evidence: the strength of each entry, so that a search need not fold the whole log.
//!
//! It is valid while the log is the one that it was built from, possibly with lines appended.
//! Entries that the new lines mention are looked up in the log. The log here is the shared log
//! joined with the local one, so that moving lines between them does not invalidate it.

use std::{path::Path, sync::OnceLock, time::SystemTime};

use anyhow::Result;
use tantivy::directory::OwnedBytes;

use super::{
    container::{ContainerReader, Packed, Writer},
    manifest::Stamp,
};
use crate::store::{Store, evidence, read};
use pimem_core::{
    model::{
        entry::EntryId,
        event::{ArchiveReason, Cue},
        hash::{IdMap, IdSet},
        operation::UserState,
        time::{Now, Timestamp},
    },
    score::{evidence::Strength, ledger::Ledger},
};

/// Section of an index file.
pub const SECTION: &str = "evidence-4";
/// Maximum size in bytes of the new lines; with more, the whole log is read.
const MAX_NEW: u64 = 1 << 20;
const HEADER: usize = LogMark::SIZE + 8;
const RECORD: usize = 28;
/// Flag of an entry that was made from others.
const MADE: u32 = 1 << 31;
/// Flag of an entry that was archived for its age and is not out of force.
const AGED: u32 = 1 << 30;
/// Flag of an entry archived for its age with an expiry, for which the log has to be read.
const UNCLEAR: u32 = 1 << 29;

/// Flag of an entry that has a date or was replaced: whether it is in force is in the log.
const DATED: u32 = 1 << 28;
/// Flag of an archived entry that was replaced.
const REPLACED: u32 = 1 << 27;

const USERS: [UserState; 3] = [UserState::Auto, UserState::Pinned, UserState::Forgotten];

/// Stamps of the local log and of the shared log, in the order of reading.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamps([Stamp; 2]);

impl Stamps {
    /// Returns `None` if one of them cannot be read. A log that does not exist counts as empty.
    fn of(store: &Store) -> Option<Self> {
        let stamp = |root: &Path, path: &Path| {
            let meta = read::checked(root, path).ok()?;
            Some(meta.map_or_else(Stamp::default, |meta| Stamp::of(&meta)))
        };
        let local = match store.local_log() {
            // The logs of work trees that are gone are moved by the next typed command.
            _ if !store.stray_logs().is_empty() => return None,
            Some(path) => stamp(path.parent().unwrap_or(&path), &path)?,
            None => Stamp::default(),
        };
        Some(Self([local, stamp(&store.dir, &store.evidence())?]))
    }

    fn read(reader: &mut ContainerReader<'_>) -> Option<Self> {
        Some(Self([Stamp::read(reader)?, Stamp::read(reader)?]))
    }

    fn len(self) -> u64 {
        self.0.iter().map(|stamp| stamp.len).sum()
    }

    fn racy(self, when: SystemTime) -> bool {
        self.0.iter().any(|stamp| stamp.racy(when))
    }
}

/// Stamps, size and checksum of a log when it was read. They tell later whether it has only grown.
pub struct LogMark {
    stamps: Stamps,
    /// True if equal stamps do not prove equal content.
    racy: bool,
    sum: u32,
    len: u32,
}

impl LogMark {
    const SIZE: usize = 2 * Stamp::SIZE + 12;

    /// Reads the log of a store; `None` if that fails.
    pub fn read_log(store: &Store, real_now: SystemTime) -> Option<(Self, Vec<u8>)> {
        let Stamps([local, shared]) = Stamps::of(store)?;
        let logs = store.logs().ok()?;
        let stamps = if store.seal.is_sealed() {
            // The size of a sealed log is not that of its text.
            Stamps([local, shared])
        } else {
            Stamps([local.of_read(&logs.local), shared.of_read(&logs.shared)])
        };
        let bytes = logs.joined();
        let (sum, len) = (crc32fast::hash(&bytes), u32::try_from(bytes.len()).ok()?);
        Some((Self { stamps, racy: stamps.racy(real_now), sum, len }, bytes))
    }

    pub fn write(&self, out: &mut Writer) {
        self.stamps.0.iter().for_each(|stamp| stamp.write(out));
        out.u32(u32::from(self.racy));
        out.u32(self.sum);
        out.u32(self.len);
    }

    pub fn read(reader: &mut ContainerReader<'_>) -> Option<Self> {
        let stamps = Stamps::read(reader)?;
        Some(Self { stamps, racy: reader.u32()? != 0, sum: reader.u32()?, len: reader.u32()? })
    }

    /// Returns what was appended to the log; `None` if what was there has changed, or too much was
    /// appended.
    pub fn added(&self, store: &Store) -> Option<Vec<u8>> {
        let now = Stamps::of(store)?;
        if !self.racy && now == self.stamps {
            return Some(Vec::new());
        }
        // Joining the two logs may add a line end.
        let (len, old) = (now.len(), u64::from(self.len));
        if len + 1 < old || len > old + MAX_NEW {
            return None;
        }
        let mut left = usize::try_from(old).ok()?;
        let (mut sum, mut added) = (crc32fast::Hasher::new(), Vec::new());
        let read = store.log_in_pieces(&mut |piece| {
            let (old, new) = piece.split_at(left.min(piece.len()));
            sum.update(old);
            left -= old.len();
            added.extend_from_slice(new);
        });
        (read.is_ok() && left == 0 && sum.finalize() == self.sum).then_some(added)
    }
}

/// Folds the whole log of a store into a section; empty if the log cannot be read.
pub fn write(store: &Store, real_now: SystemTime) -> Vec<u8> {
    let Some((mark, bytes)) = LogMark::read_log(store, real_now) else { return Vec::new() };
    let ledger = evidence::fold(&bytes);
    let mut out = Writer::default();
    mark.write(&mut out);
    out.u64(ledger.latest(EVER.0).unwrap_or_default().0.cast_unsigned());
    for (id, strength, is_made) in ledger.strengths() {
        out.u64(id.0);
        out.u64(strength.count);
        out.u64(strength.last_reinforced.0.cast_unsigned());
        let cue = Cue::ALL.iter().position(|cue| *cue == strength.cue).unwrap_or(0);
        let user = USERS.iter().position(|user| *user == strength.user).unwrap_or(0);
        let code = u32::try_from(cue * USERS.len() + user).unwrap_or(0);
        let made = if is_made { MADE } else { 0 };
        out.u32(code | made | aged(&ledger, id) | dated(&ledger, id));
    }
    out.0
}

/// Later than any event, so that the result does not depend on the clock.
const EVER: Now = Now(Timestamp(i64::MAX));

fn aged(ledger: &Ledger, id: EntryId) -> u32 {
    if ledger.archived_for(id) != Some(ArchiveReason::Age) {
        return 0;
    }
    match ledger.evidence(EVER, id) {
        // Whether the expiry has passed depends on the time of reading.
        Some(evidence) if evidence.until.is_some() => UNCLEAR,
        Some(_) if !ledger.is_over(EVER, id) => AGED,
        _ => 0,
    }
}

fn dated(ledger: &Ledger, id: EntryId) -> u32 {
    let Some(evidence) = ledger.evidence(EVER, id) else { return 0 };
    let is_replaced = !evidence.superseded_by.is_empty();
    let dated = if is_replaced || evidence.until.is_some() { DATED } else { 0 };
    dated | if is_replaced && ledger.archived(id) { REPLACED } else { 0 }
}

#[derive(Debug, Clone, Copy)]
pub struct FoldedEntry {
    pub strength: Strength,
    /// True if only the log says whether it is in force.
    pub is_dated: bool,
}

/// What is known of the entries of an archive.
#[derive(Debug, Default)]
pub struct ArchivedEntries {
    /// Those archived for their age and not out of force.
    pub aged: IdMap<EntryId, Strength>,
    pub replaced: IdSet<EntryId>,
}

pub struct FoldedStrengths {
    bytes: OwnedBytes,
    /// Result of reading the lines appended since; the log is read once per search.
    mentioned: OnceLock<Option<(IdSet<EntryId>, Timestamp)>>,
}

impl FoldedStrengths {
    /// Opens the section of an index file.
    pub fn open(packed: &Packed) -> Result<Self> {
        Ok(Self { bytes: packed.section(SECTION)?, mentioned: OnceLock::new() })
    }

    /// Returns the strength of every `wanted` entry; `None` if the log has to be read.
    pub fn lookup(
        &self,
        store: &Store,
        reader: Now,
        wanted: &IdSet<EntryId>,
    ) -> Option<IdMap<EntryId, FoldedEntry>> {
        let (mentioned, _) = self.mentioned(store)?;
        let strength = |id: &EntryId| {
            let (strength, flags) = self.find(*id)?;
            // New events about the sources of an entry may affect its strength.
            let is_made = flags & MADE != 0;
            let is_known = !mentioned.contains(id) && (mentioned.is_empty() || !is_made);
            // Events after the reader's horizon do not count.
            let is_timed = strength.last_reinforced <= reader.horizon();
            let is_dated = flags & DATED != 0;
            (is_known && is_timed).then_some((*id, FoldedEntry { strength, is_dated }))
        };
        wanted.iter().map(strength).collect()
    }

    /// Returns what is known of archived entries; `None` if the log has to be read.
    pub fn aged(
        &self,
        store: &Store,
        reader: Now,
        archived: &IdSet<EntryId>,
    ) -> Option<ArchivedEntries> {
        let (mentioned, latest) = self.mentioned(store)?;
        if *latest > reader.horizon() || archived.iter().any(|id| mentioned.contains(id)) {
            return None;
        }
        let mut found = ArchivedEntries::default();
        for id in archived {
            // A line written by hand has no record.
            let Some((strength, flags)) = self.find(*id) else { continue };
            let is_made = flags & MADE != 0 && !mentioned.is_empty();
            if is_made || flags & UNCLEAR != 0 {
                return None;
            }
            if flags & AGED != 0 {
                found.aged.insert(*id, strength);
            }
            if flags & REPLACED != 0 {
                found.replaced.insert(*id);
            }
        }
        Some(found)
    }

    /// Returns the entries that new lines mention, and the time of the latest folded event; `None`
    /// if the log does not start with the folded log.
    fn mentioned(&self, store: &Store) -> Option<&(IdSet<EntryId>, Timestamp)> {
        self.mentioned.get_or_init(|| self.look_up(store)).as_ref()
    }

    fn look_up(&self, store: &Store) -> Option<(IdSet<EntryId>, Timestamp)> {
        let mut header = ContainerReader(&self.bytes);
        let mark = LogMark::read(&mut header)?;
        let latest = Timestamp(header.u64()?.cast_signed());
        Some((evidence::mentioned(&mark.added(store)?)?, latest))
    }

    /// Returns the strength of an entry, and the flags of its record.
    fn find(&self, id: EntryId) -> Option<(Strength, u32)> {
        let records = self.bytes.get(HEADER..)?.as_chunks::<RECORD>().0;
        let key = |record: &[u8; RECORD]| ContainerReader(record).u64().unwrap_or_default();
        let at = records.binary_search_by_key(&id.0, key).ok()?;
        let mut reader = ContainerReader(records.get(at)?);
        reader.u64()?;
        let count = reader.u64()?;
        let last_reinforced = Timestamp(reader.u64()?.cast_signed());
        let code = reader.u32()?;
        let flags = code & (MADE | AGED | UNCLEAR | DATED | REPLACED);
        let code = usize::try_from(code & !flags).ok()?;
        let cue = *Cue::ALL.get(code / USERS.len())?;
        let user = *USERS.get(code % USERS.len())?;
        Some((Strength { cue, count, last_reinforced, user }, flags))
    }
}

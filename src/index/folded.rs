//! Folded evidence: what the log comes to for each entry, so that a search need not read it all.
//!
//! Serves only while the log is the one it was made from, or that one with lines appended. An entry
//! that the new lines mention is looked up in the log itself. The log is what the shared one and this
//! machine's are together, so that moving lines from one to the other changes nothing.

use std::{path::Path, time::SystemTime};

use anyhow::Result;
use tantivy::directory::OwnedBytes;

use super::{
    bytes::{Reader, Writer},
    manifest::Stamp,
    packed::Packed,
};
use crate::{
    model::{
        entry::EntryId,
        event::Cue,
        hash::{IdMap, IdSet},
        time::{Now, Timestamp},
    },
    score::evidence::{Strength, UserState},
    store::{log, read, vault::Store},
};

/// Section of an index file.
pub(crate) const SECTION: &str = "evidence-2";
/// More new bytes than this are read together with the rest.
const MAX_NEW: u64 = 1 << 20;
const HEADER: usize = 2 * Stamp::SIZE + 12;
const RECORD: usize = 28;
/// What is set in a record of an entry that was made from others.
const MADE: u32 = 1 << 31;

const USERS: [UserState; 3] = [UserState::Auto, UserState::Pinned, UserState::Forgotten];

/// The stamps of this machine's log and of the shared one, in the order in which they are read.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamps([Stamp; 2]);

impl Stamps {
    /// `None` where one of them cannot be read. One that is not there is an empty one.
    fn of(store: &Store) -> Option<Self> {
        let stamp = |root: &Path, path: &Path| {
            let meta = read::checked(root, path).ok()?;
            Some(meta.map_or_else(Stamp::default, |meta| Stamp::of(&meta)))
        };
        let local = match store.local_log() {
            Some(path) => stamp(&store.data_dir(), &path)?,
            None => Stamp::default(),
        };
        Some(Self([local, stamp(&store.dir, &store.evidence())?]))
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self([Stamp::read(reader)?, Stamp::read(reader)?]))
    }

    fn len(self) -> u64 {
        self.0.iter().map(|stamp| stamp.len).sum()
    }

    fn racy(self, when: SystemTime) -> bool {
        self.0.iter().any(|stamp| stamp.racy(when))
    }
}

/// Folds the whole log of a store into a section. Empty when the log cannot be read.
pub(crate) fn write(store: &Store, real_now: SystemTime) -> Vec<u8> {
    let (Some(Stamps([local, shared])), Ok(logs)) = (Stamps::of(store), store.logs()) else {
        return Vec::new();
    };
    let stamps = Stamps([local.of_read(&logs.local), shared.of_read(&logs.shared)]);
    let bytes = logs.joined();
    let ledger = log::fold(&bytes);
    let mut out = Writer::default();
    stamps.0.iter().for_each(|stamp| stamp.write(&mut out));
    out.u32(u32::from(stamps.racy(real_now)));
    out.u32(crc32fast::hash(&bytes));
    out.u32(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    for (id, strength, is_made) in ledger.strengths() {
        out.u64(id.0);
        out.u64(strength.count);
        out.u64(strength.last_reinforced.0.cast_unsigned());
        let cue = Cue::ALL.iter().position(|cue| *cue == strength.cue).unwrap_or(0);
        let user = USERS.iter().position(|user| *user == strength.user).unwrap_or(0);
        let code = u32::try_from(cue * USERS.len() + user).unwrap_or(0);
        out.u32(if is_made { code | MADE } else { code });
    }
    out.0
}

/// A section as read.
pub(crate) struct Folded(OwnedBytes);

impl Folded {
    /// Opens the section of an index file.
    pub(crate) fn open(packed: &Packed) -> Result<Self> {
        Ok(Self(packed.section(SECTION)?))
    }

    /// The strength of every `wanted` entry; `None` when the log has to be read for that.
    pub(crate) fn lookup(
        &self,
        store: &Store,
        reader: Now,
        wanted: &IdSet<EntryId>,
    ) -> Option<IdMap<EntryId, Strength>> {
        let mut header = Reader(&self.0);
        let then = Stamps::read(&mut header)?;
        let (racy, sum, old) = (header.u32()? != 0, header.u32()?, header.u32()?);
        let now = Stamps::of(store)?;
        let mut mentioned = IdSet::default();
        if racy || now != then {
            mentioned = log::mentioned(&appended(store, now.len(), old, sum)?)?;
        }
        let strength = |id: &EntryId| {
            let (strength, is_made) = self.find(*id)?;
            // What is new about an entry that it was made from may be about it as well.
            let is_known = !mentioned.contains(id) && (mentioned.is_empty() || !is_made);
            // Which times count depends on who reads.
            let is_timed = strength.last_reinforced <= reader.horizon();
            (is_known && is_timed).then_some((*id, strength))
        };
        wanted.iter().map(strength).collect()
    }

    fn find(&self, id: EntryId) -> Option<(Strength, bool)> {
        let records = self.0.get(HEADER..)?.as_chunks::<RECORD>().0;
        let key = |record: &[u8; RECORD]| Reader(record).u64().unwrap_or_default();
        let at = records.binary_search_by_key(&id.0, key).ok()?;
        let mut reader = Reader(records.get(at)?);
        reader.u64()?;
        let count = reader.u64()?;
        let last_reinforced = Timestamp(reader.u64()?.cast_signed());
        let code = reader.u32()?;
        let is_made = code & MADE != 0;
        let code = usize::try_from(code & !MADE).ok()?;
        let cue = *Cue::ALL.get(code / USERS.len())?;
        let user = *USERS.get(code % USERS.len())?;
        Some((Strength { cue, count, last_reinforced, user }, is_made))
    }
}

/// What was appended to the log since it was `old` bytes long; `None` when it is another log, or
/// one of its old lines was changed.
fn appended(store: &Store, len: u64, old: u32, sum: u32) -> Option<Vec<u8>> {
    // Between the two logs there may be the end of a line.
    if len + 1 < u64::from(old) || len > u64::from(old) + MAX_NEW {
        return None;
    }
    let mut log = store.log().ok()?;
    let old = usize::try_from(old).ok().filter(|old| *old <= log.len())?;
    let new = log.split_off(old);
    (crc32fast::hash(&log) == sum).then_some(new)
}

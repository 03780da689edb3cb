//! Folded evidence: what the log comes to for each entry, so that a search need not read it all.
//!
//! Serves only while the log is the one it was made from, or that one with lines appended. An entry
//! that the new lines mention is looked up in the log itself.

use std::time::SystemTime;

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
pub(crate) const SECTION: &str = "evidence";
/// More new bytes than this are read together with the rest.
const MAX_NEW: u64 = 1 << 20;
const HEADER: usize = Stamp::SIZE + 12;
const RECORD: usize = 28;
/// What is set in a record of an entry that was made from others.
const MADE: u32 = 1 << 31;

const USERS: [UserState; 3] = [UserState::Auto, UserState::Pinned, UserState::Forgotten];

/// Folds the whole log of a store into a section. Empty when the log cannot be read.
pub(crate) fn write(store: &Store, real_now: SystemTime) -> Vec<u8> {
    let path = store.evidence();
    let stamp = read::checked(&store.dir, &path).ok().flatten().map(|meta| Stamp::of(&meta));
    let bytes = read::file(&store.dir, &path, read::MAX_LOG).ok().flatten();
    let (Some(stamp), Some(bytes)) = (stamp, bytes) else { return Vec::new() };
    let stamp = stamp.of_read(&bytes);
    let ledger = log::fold(&bytes);
    let mut out = Writer::default();
    stamp.write(&mut out);
    out.u32(u32::from(stamp.racy(real_now)));
    out.u32(crc32fast::hash(&bytes));
    out.u32(0);
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
        let then = Stamp::read(&mut header)?;
        let (racy, sum) = (header.u32()? != 0, header.u32()?);
        let path = store.evidence();
        let now = Stamp::of(&read::checked(&store.dir, &path).ok()??);
        let mut mentioned = IdSet::default();
        if racy || now != then {
            mentioned = log::mentioned(&appended(store, now.len, then.len, sum)?)?;
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
fn appended(store: &Store, len: u64, old: u64, sum: u32) -> Option<Vec<u8>> {
    if len < old || len - old > MAX_NEW {
        return None;
    }
    let mut log = read::file(&store.dir, &store.evidence(), read::MAX_LOG).ok()??;
    let new = log.split_off(usize::try_from(old).ok()?.min(log.len()));
    (crc32fast::hash(&log) == sum).then_some(new)
}

//! The places of the events that a transaction records. With a mark, their ids are made of what they
//! are about, so that recording them again changes nothing.

use anyhow::{Result, bail};
use memchr::memmem;

use super::{atomic, transaction::Txn};
use pimem_core::model::{
    entry::EntryId,
    event::{Event, EventKind, Order},
    time::Timestamp,
    ulid::EventId,
};

/// Distance of the marks of one statement, each of which may have some events.
const ANOTHER: u128 = 1 << 32;
/// Characters of an id that tell its time.
const ULID_TIME: usize = 10;

/// The mark of the events that a transaction records.
pub(super) struct Mark {
    /// Random part of the next id.
    next: u128,
    /// The log, in which events of this mark may be.
    log: Vec<u8>,
}

impl Mark {
    /// Returns the place of the event with this random part, if the log has it.
    fn find(log: &[u8], random: u128) -> Option<usize> {
        let id = EventId::new(Timestamp(0), random).to_string();
        memmem::find(log, id.get(ULID_TIME..)?.as_bytes())
    }

    /// Returns the random part of the next event; `None` if the log has that event.
    pub(super) fn next_unless_recorded(&mut self) -> Option<u128> {
        let random = self.next;
        self.next = random.wrapping_add(1);
        Self::find(&self.log, random).is_none().then_some(random)
    }
}

impl Txn<'_> {
    /// Gives what is recorded from now on a mark: the log has each event of a mark once, however
    /// often it is recorded. Events of a mark that were taken back do not count; then the mark is
    /// another. Must precede any recorded event.
    ///
    /// # Errors
    /// Fails if the log cannot be read.
    pub fn mark(&mut self, mut mark: u128) -> Result<()> {
        let log = self.store.log()?;
        while let Some(at) = Mark::find(&log, mark) {
            self.read_evidence();
            let start = memchr::memrchr(b'\n', log.get(..at).unwrap_or_default());
            let line = log.get(start.map_or(0, |start| start + 1)..).unwrap_or_default();
            let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let event = str::from_utf8(line).ok().and_then(Event::read);
            let ledger = &self.snapshot().ledger;
            if event.is_none_or(|event| !ledger.retracts(event.entry, event.id)) {
                break;
            }
            mark = mark.wrapping_add(ANOTHER);
        }
        self.mark = Some(Mark { next: mark, log });
        Ok(())
    }

    /// Returns true if the log has the next event of the mark.
    pub fn is_recorded(&self) -> bool {
        self.mark.as_ref().is_some_and(|mark| Mark::find(&mark.log, mark.next).is_some())
    }

    /// Returns the place of a new event about an entry; `None` if the log has the event already.
    pub(super) fn next_order(&mut self, entry: EntryId, kind: &EventKind) -> Result<Option<Order>> {
        let (random, marked) = match &mut self.mark {
            None => (self.random()?, false),
            Some(mark) => match mark.next_unless_recorded() {
                Some(random) => (random, true),
                None => return Ok(None),
            },
        };
        let place = self.snapshot().ledger.place(self.now, entry, kind, random);
        let Some((ts, id)) = place else {
            bail!(
                "an event about entry {entry} is dated at the end of time, and nothing follows it"
            )
        };
        // Behind another event of this moment, a mark takes the next moment.
        let own = |ts| (ts, EventId::new(ts, random));
        let is_moved = marked && id != own(ts).1;
        Ok(Some(if is_moved { own(Timestamp(ts.0.saturating_add(1))) } else { (ts, id) }))
    }

    /// Returns the random part of an event's id, greater than that of the one before: ids of one
    /// millisecond are in the order of their events, as the specification of ULIDs has it.
    pub(super) fn random(&mut self) -> Result<u128> {
        const BITS: u32 = 80;
        let random = atomic::random()?;
        // One bit is left for what is added.
        let first = random & ((1 << (BITS - 1)) - 1);
        let next = self.last_random.map_or(first, |last| last + 1 + (random & 0xffff_ffff));
        self.last_random = Some(next);
        Ok(next)
    }
}

//! What becomes of a text that somebody adds: a new entry, one that was there, or one that comes back.

use super::Memory;
use super::{
    intake::{self, New},
    selector,
};
use crate::error::{Failure, Kind};
use crate::store::{
    snapshot::{Snapshot, Store},
    transaction::{Change, Target, Txn},
};
use pimem_core::{
    model::{
        entry::{EntryId, Markers, Wording},
        event::{Cue, EventKind},
        time::Timestamp,
    },
    score::{
        adopt,
        board::{Board, Placed, Row},
    },
};

/// What became of a text.
pub struct Done {
    pub wording: Wording,
    pub cue: Cue,
    pub until: Option<Timestamp>,
    /// Whether it was there.
    pub reinforced: bool,
    /// Its line, where that is new.
    pub placed: Option<Placed>,
    /// What it replaces, where that was out of service already.
    pub replaces: Option<String>,
}

impl Done {
    fn new(of: &New, wording: Wording, placed: Option<Placed>) -> Self {
        let reinforced = placed.is_none();
        Self { wording, cue: of.cue, until: of.until, reinforced, placed, replaces: None }
    }
}

/// Texts on their way into a store.
pub struct Adding<'a, 'b> {
    memory: &'a Memory,
    store: &'a Store,
    pub txn: Txn<'b>,
    /// The entries as they stand, once somebody has asked.
    board: Option<Board>,
    archive: Option<Snapshot>,
    /// Entries that were out of force and are not any more.
    back: Vec<EntryId>,
    pub done: Vec<Done>,
}

impl<'a, 'b> Adding<'a, 'b> {
    pub fn new(memory: &'a Memory, store: &'a Store, txn: Txn<'b>) -> Self {
        let (back, done) = (Vec::new(), Vec::new());
        Self { memory, store, txn, board: None, archive: None, back, done }
    }

    /// Takes up a text, with what it replaces.
    pub fn take(&mut self, new: &New) -> Result<(), Failure> {
        let wording = new.wording(self.memory);
        if new.known.is_none() {
            self.refuse_twin(&wording)?;
        }
        let twice = self.done.iter().any(|done| done.wording == wording);
        let mut done = if twice || !self.holders(&wording).is_empty() {
            self.again(new, wording)?
        } else {
            match self.untagged(new) {
                Some(bare) => self.tag(new, &bare, wording)?,
                None => self.add(new, wording)?,
            }
        };
        if let Some(selector) = &new.supersedes {
            done.replaces = self.supersede(selector, &done)?;
        }
        self.done.push(done);
        Ok(())
    }

    /// All lines, those included that are only about to be written.
    fn placed(&self) -> Vec<Placed> {
        let mut placed = self.txn.placed();
        placed.extend(self.done.iter().filter_map(|done| done.placed.clone()));
        placed
    }

    fn board(&self) -> Board {
        let (memory, ledger) = (self.memory, &self.txn.snapshot().ledger);
        Board::new(memory.now, memory.rules(), vec![(self.placed(), ledger)])
    }

    fn holders(&self, of: &Wording) -> Vec<String> {
        self.txn.snapshot().holders(of).into_iter().map(str::to_owned).collect()
    }

    fn archive(&mut self) -> &Snapshot {
        let read = || self.store.read_archive(&self.memory.config.categories);
        self.archive.get_or_insert_with(read)
    }

    /// The files of the archive that hold an entry, if it went there, and its markers in them.
    fn archived(&mut self, of: &Wording) -> (Vec<String>, Markers) {
        let (mut stems, mut markers) = (Vec::new(), Markers::default());
        if self.txn.snapshot().ledger.archived(of.id) {
            for (file, entry) in self.archive().entries().filter(|(_, entry)| entry.is(of)) {
                stems.push(file.stem.clone());
                markers.pinned |= entry.markers.pinned;
                markers.enforced |= entry.markers.enforced;
            }
        }
        stems.dedup();
        (stems, markers)
    }

    /// Two texts with one id would have one evidence, and each would be taken for the other.
    fn refuse_twin(&mut self, wording: &Wording) -> Result<(), Failure> {
        let held = self.txn.snapshot().entries().map(|(_, entry)| entry);
        let held = intake::twin(held, wording).map(|twin| twin.text.clone());
        let fresh = || {
            let mut done = self.done.iter().map(|done| &done.wording);
            let twin = done.find(|done| done.id == wording.id && *done != wording)?;
            Some(twin.text.clone())
        };
        let mut twin = held.or_else(fresh);
        if twin.is_none() && self.txn.has_evidence() && self.txn.snapshot().ledger.knows(wording.id)
        {
            let gone = self.archive().entries().map(|(_, entry)| entry);
            twin = intake::twin(gone, wording).map(|twin| twin.text.clone());
        }
        twin.map_or(Ok(()), |twin| {
            let message = intake::is_twin(wording, &twin);
            Err(Failure::new(Kind::Refused, message, "word one of the two otherwise"))
        })
    }

    /// What is there without the tags that a text was given.
    fn untagged(&self, new: &New) -> Option<Wording> {
        let bare = new.said(self.memory, new.untagged.as_deref()?);
        let known = self.done.iter().any(|done| done.wording == bare);
        (known || !self.holders(&bare).is_empty()).then_some(bare)
    }

    /// Whether an entry was put out of force, and is not back yet.
    fn is_over(&mut self, of: &Wording) -> bool {
        if !self.txn.snapshot().ledger.is_over(self.memory.now, of.id) {
            return false;
        }
        let board = self.board.take().unwrap_or_else(|| self.board());
        let over = !self.back.contains(&of.id) && board.find(of).is_some_and(Row::is_over);
        self.board = Some(board);
        over
    }

    fn bring_back(&mut self, id: EntryId) -> Result<(), Failure> {
        self.back.push(id);
        Ok(self.txn.record(id, EventKind::Restore)?)
    }

    /// An entry that is there.
    fn again(&mut self, new: &New, wording: Wording) -> Result<Done, Failure> {
        // Who gives the very words says them; who comes near them may never have seen them.
        if new.known.is_none() {
            self.txn.say(new.category, new.text.as_str());
        }
        if self.is_over(&wording) {
            self.bring_back(wording.id)?;
        }
        self.strengthen(new, &wording, &wording)?;
        Ok(Done::new(new, wording, None))
    }

    /// An entry that is there and has tags from now on.
    fn tag(&mut self, new: &New, bare: &Wording, wording: Wording) -> Result<Done, Failure> {
        let over = self.is_over(bare);
        let (stems, _) = self.archived(&wording);
        let id = wording.id;
        let mut line = new.line(self.memory);
        let holders = self.holders(bare);
        line.topic = holders.first().map_or(line.topic, String::as_str);
        // The entry has to be known before another can be made from it.
        self.txn.adopt(Some(bare.id));
        self.txn.say(new.category, line.text);
        let kind = EventKind::Edit(bare.id, Some(adopt::origin(&line)));
        self.txn.record_tagged(id, kind, new.tags.clone())?;
        for stem in &holders {
            let reword = Change::Reword(bare.clone(), wording.text.clone());
            self.txn.change(Target::Topic(stem.clone()), reword);
        }
        if let Some((text, _)) = self.txn.added(bare) {
            text.clone_from(&wording.text);
        }
        for done in self.done.iter_mut().filter(|done| done.wording == *bare) {
            done.wording = wording.clone();
            if let Some(placed) = &mut done.placed {
                (placed.id, placed.text) = (id, wording.text.clone());
            }
        }
        // With its tags it may have a past of its own.
        let ledger = &self.txn.snapshot().ledger;
        if over || ledger.is_over(self.memory.now, id) || ledger.archived(id) {
            self.bring_back(id)?;
        }
        self.strengthen(new, bare, &wording)?;
        for stem in stems {
            self.txn.change(Target::Archive(stem), Change::Remove(wording.clone()));
        }
        Ok(Done::new(new, wording, None))
    }

    /// More evidence for an entry, whose lines are still worded as `line`.
    fn strengthen(&mut self, new: &New, line: &Wording, of: &Wording) -> Result<(), Failure> {
        self.txn.record(of.id, EventKind::Reinforce(1))?;
        if let Some(until) = new.until {
            self.txn.record(of.id, EventKind::Expire(until))?;
            self.board = None;
        }
        if new.pin || new.text.pinned() {
            self.txn.record(of.id, EventKind::Pin)?;
            for stem in self.holders(line) {
                self.txn.change(Target::Topic(stem), Change::SetPinned(line.clone(), true));
            }
            if let Some((_, markers)) = self.txn.added(of) {
                markers.pinned = true;
            }
        }
        Ok(())
    }

    /// A line that is not there, although there may have been one.
    fn add(&mut self, new: &New, wording: Wording) -> Result<Done, Failure> {
        let mut markers = Markers { pinned: new.line(self.memory).pinned, enforced: false };
        let archived = self.txn.snapshot().ledger.archived(wording.id);
        let back = archived || self.txn.snapshot().ledger.is_over(self.memory.now, wording.id);
        let (stems, known) = self.archived(&wording);
        markers.pinned |= known.pinned;
        markers.enforced |= known.enforced;
        new.begin_again(self.memory, &mut self.txn, back, markers.pinned)?;
        let placed = Some(new.place_marked(self.memory, &mut self.txn, markers));
        for stem in stems {
            self.txn.change(Target::Archive(stem), Change::Remove(wording.clone()));
        }
        Ok(Done::new(new, wording, placed))
    }

    /// Notes that an entry replaces another. Gives the other's line when that was in the archive: the
    /// new one is none the less welcome.
    fn supersede(&mut self, selector: &str, by: &Done) -> Result<Option<String>, Failure> {
        let memory = self.memory;
        let (old, archived) = match selector::entry(memory, &self.board(), &[], selector) {
            Ok(row) => (row.entry.wording(), None),
            Err(failure) if failure.kind == Kind::NotFound => {
                let archive = self.store.read_archive(&memory.config.categories);
                let gone = archive.placed(self.store, &memory.config.categories);
                let ledger = &self.txn.snapshot().ledger;
                let gone = Board::new(memory.now, memory.rules(), vec![(gone, ledger)]);
                let Ok(row) = selector::entry(memory, &gone, &[], selector) else {
                    return Err(failure);
                };
                let name = &memory.config.categories.spec(row.entry.category).name;
                (row.entry.wording(), Some(format!("[{name}] {}", row.entry.text)))
            }
            Err(failure) => return Err(failure),
        };
        if old == by.wording {
            let message = format!("{selector:?} means the entry itself");
            return Err(Failure::new(Kind::Usage, message, "an entry replaces another one"));
        }
        self.txn.record(old.id, EventKind::Supersede(by.wording.id))?;
        self.board = None;
        Ok(archived)
    }
}

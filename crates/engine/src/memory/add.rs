//! Adding texts: creates new entries, reinforces known ones and restores archived ones.

use crate::memory::handles::Writing;
use pimem_core::{
    model::{
        entry::{EntryId, Markers, Wording},
        event::{EventKind, Order},
        hash::{IdMap, IdSet},
        rules::LineAsides,
        time::Timestamp,
    },
    score::{
        adopt,
        ranking::{LocatedEntry, Ranking, ScoredEntry},
    },
};
use serde::Serialize;

use super::{
    Memory, added, curate,
    intake::{self, NewText},
    learn, selector,
};
use crate::{
    error::{Failure, FailureKind},
    memory::next::Prospect,
    store::{
        Store,
        snapshot::Snapshot,
        transaction::{Change, NewMarkers, Target, Txn},
    },
    view::{EntryView, told},
};

#[derive(Default)]
pub struct AddRequest {
    /// The validated texts; either all are stored or none.
    pub texts: Vec<NewText>,
    /// True to store a text even if a known entry says the same in other words.
    pub force: bool,
    /// True to return all details of the entries.
    pub whole: bool,
    /// True to refuse texts that were put out of force, because no person states them.
    pub keeps_out: bool,
}

#[derive(Debug)]
pub struct Rejected {
    /// Index of the text that caused the failure, if it was one.
    pub at: Option<usize>,
    pub failure: Failure,
}

impl<E: Into<Failure>> From<E> for Rejected {
    fn from(error: E) -> Self {
        Self { at: None, failure: error.into() }
    }
}

impl Writing<'_> {
    /// Adds texts to the store to write to, which is created if it does not exist. Known entries
    /// are reinforced instead.
    ///
    /// # Errors
    /// Fails if a text may not be stored, its topic is full and may not go on, or the store cannot
    /// be written.
    #[expect(clippy::should_implement_trait, reason = "adds an entry, not a number")]
    pub fn add(self, mut request: AddRequest) -> Result<Vec<Added>, Rejected> {
        let AddRequest { force, whole, keeps_out, .. } = request;
        let texts = &mut request.texts;
        let store = self.memory.writer()?;
        let lock = super::lock(self.memory, &store)?;
        let mut txn = store.begin_adding(
            Some(&lock),
            &self.memory.config.categories,
            self.memory.now,
            self.memory.who(),
        );
        intake::keep_to_topics(self.memory, &mut txn);
        if !force {
            added::find(self.memory, &mut txn, texts);
        }
        if whole || texts.len() > 1 || texts.iter().any(|new| self.has_past(&txn, new)) {
            txn.read_evidence();
        }
        let has_past = txn.has_evidence();
        intake::refuse_if_unreadable(&txn)?;
        if let Some(at) =
            texts.iter().position(|new| keeps_out && learn::is_over(self.memory, &txn, new))
        {
            let message = "it was forgotten, replaced or archived, or is past its last day";
            let id = texts.get(at).map(|new| new.id(self.memory).to_string()).unwrap_or_default();
            let hint = format!("only a person brings it back: pimem restore {id:.7}");
            return Err(Rejected {
                at: Some(at),
                failure: Failure::new(FailureKind::Refused, message, hint),
            });
        }
        let mut adding = Adding::new(self.memory, &store, txn);
        for (at, new) in texts.iter().enumerate() {
            adding.take(new).map_err(|failure| Rejected { at: Some(at), failure })?;
        }
        let Adding { txn, done, .. } = adding;
        let outgrown = intake::outgrown(&txn);
        let written = txn.commit_seen()?;
        drop(lock);
        intake::say_written(self.memory, &outgrown, written.kept());
        intake::say_long(self.memory, texts.iter().map(|new| new.text.as_str()));
        let added = added::results(self.memory, &store, written, &done, (whole, has_past))?;
        let said = texts.iter().map(|new| (new.category, new.text.as_str()));
        intake::say_orders(self.memory, &store, said);
        Ok(added)
    }

    /// Returns true if there may be evidence for a text, or for what it supersedes or adds tags to.
    fn has_past(self, txn: &Txn<'_>, new: &NewText) -> bool {
        let held = |of: &Wording| !txn.snapshot().holders(of).is_empty();
        let bare = new.untagged.as_deref().map(|text| new.said(self.memory, text));
        let wording = new.wording(self.memory);
        new.supersedes.is_some()
            || held(&wording)
            || bare.as_ref().is_some_and(held)
            || txn.store().mentions(std::iter::once(wording.id))
    }
}

pub struct AddedText {
    pub wording: Wording,
    pub until: Option<Timestamp>,
    /// True if the entry existed.
    pub reinforced: bool,
    /// The new line; `None` if the entry existed.
    pub placed: Option<LocatedEntry>,
    /// When it was last chosen before, if it existed.
    pub was: Option<Order>,
    /// What stands behind it now, if it existed and this has changed.
    pub asides: Option<LineAsides>,
    pub replaces: Option<ReplacedEntry>,
}

impl AddedText {
    fn new(of: &NewText, wording: Wording, placed: Option<LocatedEntry>) -> Self {
        let reinforced = placed.is_none();
        Self {
            wording,
            until: of.until,
            reinforced,
            placed,
            was: None,
            asides: None,
            replaces: None,
        }
    }
}

/// An add in progress.
pub struct Adding<'a, 'b> {
    memory: &'a Memory,
    store: &'a Store,
    pub txn: Txn<'b>,
    /// The ranking of the store, computed on first use.
    ranking: Option<Ranking>,
    archive: Option<Snapshot>,
    /// Entries that this add has put in force again.
    back: IdSet<EntryId>,
    pub done: Vec<AddedText>,
    /// Positions in `done` by id.
    at: IdMap<EntryId, Vec<usize>>,
}

impl<'a, 'b> Adding<'a, 'b> {
    pub fn new(memory: &'a Memory, store: &'a Store, txn: Txn<'b>) -> Self {
        let (back, done, at) = (IdSet::default(), Vec::new(), IdMap::default());
        Self { memory, store, txn, ranking: None, archive: None, back, done, at }
    }

    /// Adds one text and records what it supersedes.
    pub fn take(&mut self, new: &NewText) -> Result<(), Failure> {
        let wording = new.wording(self.memory);
        if new.known.is_none() {
            self.refuse_twin(&wording)?;
        }
        let known = self.untagged(new).map_or(wording.id, |bare| bare.id);
        let was = self.txn.snapshot().ledger.evidence(self.memory.now, known);
        let was = was.map(|evidence| evidence.choice());
        let twice = self.has_done(&wording);
        let mut done = if twice || !self.holders(&wording).is_empty() {
            self.again(new, wording)?
        } else {
            match self.untagged(new) {
                Some(bare) => self.tag(new, &bare, wording)?,
                None => self.add(new, wording)?,
            }
        };
        done.was = was;
        done.asides = Some(new.asides()).filter(|asides| done.reinforced && !asides.is_empty());
        if let Some(selector) = &new.supersedes {
            let (replaced, asides) = self.supersede(selector, &done)?;
            done.replaces = Some(replaced);
            // What takes its place answers the same questions, in the same place.
            let mut all = new.asides();
            all.join(&LineAsides { rules: asides.rules.only(|rule| !rule.is_guard()), ..asides });
            if all != new.asides() {
                let line = done.wording.clone();
                self.mark(&line, &line, &NewMarkers::asides(all))?;
            }
        }
        self.at.entry(done.wording.id).or_default().push(self.done.len());
        self.done.push(done);
        Ok(())
    }

    /// Returns the results for texts with an id.
    fn done_as(&self, id: EntryId) -> impl Iterator<Item = &AddedText> {
        let at = self.at.get(&id).map_or(&[][..], Vec::as_slice);
        at.iter().filter_map(|at| self.done.get(*at))
    }

    fn has_done(&self, of: &Wording) -> bool {
        self.done_as(of.id).any(|done| done.wording == *of)
    }

    /// Returns all lines, including those not written yet.
    fn placed(&self) -> Vec<LocatedEntry> {
        let mut placed = self.txn.placed();
        placed.extend(self.done.iter().filter_map(|done| done.placed.clone()));
        placed
    }

    fn ranking(&self) -> Ranking {
        let (memory, ledger) = (self.memory, &self.txn.snapshot().ledger);
        Ranking::new(memory.now, memory.rules(), vec![(self.placed(), ledger)])
    }

    fn holders(&self, of: &Wording) -> Vec<String> {
        self.txn.snapshot().holders(of).into_iter().map(str::to_owned).collect()
    }

    fn archive(&mut self) -> &Snapshot {
        let read = || self.store.read_archive(&self.memory.config.categories);
        self.archive.get_or_insert_with(read)
    }

    /// Returns the archive files that hold an archived entry, and its markers there.
    fn archived(&mut self, of: &Wording) -> (Vec<String>, Markers) {
        let (mut stems, mut markers) = (Vec::new(), Markers::default());
        if self.txn.snapshot().ledger.archived(of.id) {
            for (file, entry) in self.archive().entries().filter(|(_, entry)| entry.is(of)) {
                stems.push(file.stem.clone());
                markers.join(&entry.markers);
            }
        }
        stems.dedup();
        (stems, markers)
    }

    /// Refuses a text whose id another text has: both would share one evidence, and each could be
    /// taken for the other.
    fn refuse_twin(&mut self, wording: &Wording) -> Result<(), Failure> {
        let held = self.txn.snapshot().lines_of(wording.id).into_iter().map(|(_, entry)| entry);
        let held = intake::twin(held, wording).map(|twin| twin.text.clone());
        let fresh = || {
            let mut done = self.done_as(wording.id).map(|done| &done.wording);
            Some(done.find(|done| *done != wording)?.text.clone())
        };
        let mut twin = held.or_else(fresh);
        if twin.is_none() && self.txn.has_evidence() && self.txn.snapshot().ledger.knows(wording.id)
        {
            let gone = self.archive().entries().map(|(_, entry)| entry);
            twin = intake::twin(gone, wording).map(|twin| twin.text.clone());
        }
        twin.map_or(Ok(()), |twin| {
            let message = intake::is_twin(wording, &twin);
            Err(Failure::new(FailureKind::Refused, message, "word one of the two otherwise"))
        })
    }

    /// Returns the entry with the text before tags were added, if it exists.
    fn untagged(&self, new: &NewText) -> Option<Wording> {
        let bare = new.said(self.memory, new.untagged.as_deref()?);
        let known = self.has_done(&bare);
        (known || !self.holders(&bare).is_empty()).then_some(bare)
    }

    /// Returns true if an entry is out of force and this add has not restored it.
    fn is_over(&mut self, of: &Wording) -> bool {
        if !self.txn.snapshot().ledger.is_over(self.memory.now, of.id) {
            return false;
        }
        let ranking = self.ranking.take().unwrap_or_else(|| self.ranking());
        let over =
            !self.back.contains(&of.id) && ranking.find(of).is_some_and(ScoredEntry::is_over);
        self.ranking = Some(ranking);
        over
    }

    fn bring_back(&mut self, id: EntryId) -> Result<(), Failure> {
        self.back.insert(id);
        Ok(curate::put_in_force(&mut self.txn, id)?)
    }

    /// Reinforces a known entry.
    fn again(&mut self, new: &NewText, wording: Wording) -> Result<AddedText, Failure> {
        // The exact text counts as written here; a similar text may come from someone who never saw
        // the line.
        if new.known.is_none() {
            self.txn.say(new.category, new.text.as_str());
        }
        if self.is_over(&wording) {
            self.bring_back(wording.id)?;
        }
        self.strengthen(new, &wording, &wording)?;
        Ok(AddedText::new(new, wording, None))
    }

    fn tag(
        &mut self,
        new: &NewText,
        bare: &Wording,
        wording: Wording,
    ) -> Result<AddedText, Failure> {
        let over = self.is_over(bare);
        let (stems, _) = self.archived(&wording);
        let id = wording.id;
        let mut line = new.line(self.memory);
        let holders = self.holders(bare);
        let subject = holders.first().map(|stem| self.txn.snapshot().subject(stem).to_owned());
        line.topic = subject.as_deref().unwrap_or(line.topic);
        // The entry must be in the log before another can be made from it.
        self.txn.adopt(Some(bare.id));
        self.txn.say(new.category, line.text);
        let kind = EventKind::Edit(bare.id, Some(adopt::origin(&line)));
        self.txn.record_of(id, kind, (new.tags.clone(), None))?;
        for stem in &holders {
            let reword = Change::Reword(bare.clone(), wording.text.clone());
            self.txn.change(Target::Topic(stem.clone()), reword);
        }
        if let Some((text, _)) = self.txn.added(bare) {
            text.clone_from(&wording.text);
        }
        let known = self.at.get(&bare.id).cloned().unwrap_or_default();
        for at in known {
            let Some(done) = self.done.get_mut(at).filter(|done| done.wording == *bare) else {
                continue;
            };
            done.wording = wording.clone();
            self.at.entry(id).or_default().push(at);
            if let Some(placed) = &mut done.placed {
                (placed.id, placed.text) = (id, wording.text.clone());
            }
        }
        // The tagged text may have evidence of its own.
        let ledger = &self.txn.snapshot().ledger;
        if over || ledger.is_out(self.memory.now, id) {
            self.bring_back(id)?;
        }
        self.strengthen(new, bare, &wording)?;
        for stem in stems {
            self.txn.change(Target::Archive(stem), Change::Remove(wording.clone()));
        }
        Ok(AddedText::new(new, wording, None))
    }

    /// Records evidence for an entry, whose lines still have the text of `line`.
    fn strengthen(&mut self, new: &NewText, line: &Wording, of: &Wording) -> Result<(), Failure> {
        self.txn.record(of.id, EventKind::Reinforce(1))?;
        if let Some(until) = new.until {
            self.txn.record(of.id, EventKind::Expire(until))?;
            self.ranking = None;
        }
        new.rate(&mut self.txn, of.id)?;
        let mut markers = NewMarkers::adding(new.markers());
        if let Some(rules) = &mut markers.rules {
            let known = self.txn.snapshot().lines_of(of.id).into_iter();
            let known = known.map(|(_, entry)| &entry.markers.asides.rules).next();
            *rules = known.map_or_else(|| rules.clone(), |known| known.with(rules));
        }
        self.mark(line, of, &markers)
    }

    /// Sets markers of an entry, whose lines still have the text of `line`.
    fn mark(&mut self, line: &Wording, of: &Wording, new: &NewMarkers) -> Result<(), Failure> {
        for kind in new.events() {
            self.txn.record(of.id, kind)?;
        }
        if new.pinned == Some(true) {
            self.txn.record(of.id, EventKind::Pin)?;
        }
        if let Some(rules) = &new.rules {
            self.memory.writing().sanction(self.store, of, rules);
        }
        if let Some((_, markers)) = self.txn.added(of) {
            *markers = new.on(markers);
        }
        if *new != NewMarkers::default() {
            self.txn.mark_lines(line, new);
        }
        Ok(())
    }

    /// Adds a line that does not exist, although it may have existed before.
    fn add(&mut self, new: &NewText, wording: Wording) -> Result<AddedText, Failure> {
        let mut markers = new.markers();
        let archived = self.txn.snapshot().ledger.archived(wording.id);
        let back = archived || self.txn.snapshot().ledger.is_over(self.memory.now, wording.id);
        let (stems, known) = self.archived(&wording);
        markers.join(&known);
        let after = back.then_some(EventKind::Restore);
        new.begin_marked(self.memory, &mut self.txn, &markers, after)?;
        self.memory.writing().sanction(self.store, &wording, &new.asides().rules);
        let placed = Some(new.place_marked(self.memory, &mut self.txn, markers));
        for stem in stems {
            self.txn.change(Target::Archive(stem), Change::Remove(wording.clone()));
        }
        Ok(AddedText::new(new, wording, placed))
    }

    /// Records that an entry supersedes another, which may be in the archive already, and returns that
    /// with what stands behind it.
    fn supersede(
        &mut self,
        selector: &str,
        by: &AddedText,
    ) -> Result<(ReplacedEntry, LineAsides), Failure> {
        let memory = self.memory;
        let replaced = |row: &ScoredEntry, archived| {
            let name = &memory.config.categories.spec(row.entry.category).name;
            let line = format!("[{name}] {} ({:.7})", told(row), row.entry.id.to_string());
            ReplacedEntry { line, reviewed: row.entry.reviewed, archived }
        };
        let (old, asides, replaced) = match selector::entry(memory, &self.ranking(), &[], selector)
        {
            Ok(row) => {
                let replaced = replaced(row, false);
                (row.entry.wording(), row.entry.asides.clone(), replaced)
            }
            Err(failure) if failure.kind == FailureKind::NotFound => {
                let archive = self.store.read_archive(&memory.config.categories);
                let gone = archive.placed(self.store, &memory.config.categories);
                let ledger = &self.txn.snapshot().ledger;
                let gone = Ranking::new(memory.now, memory.rules(), vec![(gone, ledger)]);
                let Ok(row) = selector::entry(memory, &gone, &[], selector) else {
                    return Err(memory.sharing().not_own(selector, failure));
                };
                let replaced = replaced(row, true);
                (row.entry.wording(), row.entry.asides.clone(), replaced)
            }
            Err(failure) => return Err(failure),
        };
        if old == by.wording {
            let message = format!("{selector:?} means the entry itself");
            return Err(Failure::new(FailureKind::Usage, message, "an entry replaces another one"));
        }
        self.txn.record(old.id, EventKind::Supersede(by.wording.id))?;
        let (from, to) = (old.id, by.wording.id);
        memory.learning().change_questions(self.store, |all| all.hand_over(from, to));
        self.ranking = None;
        Ok((replaced, asides))
    }
}

/// The older entry that a new one takes the place of, as `add` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedEntry {
    pub line: String,
    /// False if no agent may be told what it says.
    pub reviewed: bool,
    /// True if it was in the archive before.
    pub archived: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AddView {
    /// One per text, in the order given.
    pub results: Vec<Added>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Added {
    /// `added`, or `reinforced` if the text was already known.
    pub action: &'static str,
    /// Set if the full entry was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryView>,
    #[serde(flatten)]
    pub next: Prospect,
    #[serde(skip)]
    pub category: String,
    #[serde(skip)]
    pub text: String,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
    /// What stands behind it now, if it was known and this has changed.
    #[serde(skip)]
    pub asides: Option<LineAsides>,
    #[serde(skip)]
    pub replaces: Option<ReplacedEntry>,
}

documents! {
    AddView: "pimem.add/1",
}

//! A snapshot of a store's content at one moment.

use std::cell::{Cell, OnceCell};

use pimem_core::model::rules::LineAsides;
use pimem_core::sync::place::FoldedEvents;
use pimem_core::{
    markdown::topic::{TopicDoc, TopicEntry},
    model::{
        category::{Categories, CategoryId},
        entry::{EntryId, Wording},
        event::{Cue, Event, EventKind},
        hash::{IdMap, IdSet},
        operation::UserState,
        time::{Now, Timestamp},
    },
    score::{
        adopt::{self, AdoptedLine, Copies, KnownLines, PiScore, PiScores, Slot},
        clock::ActiveDays,
        ledger::Ledger,
        ranking::LocatedEntry,
    },
    seal,
};
use serde_json::Value;

use super::{
    Store, evidence,
    notes::{DAILY, NOTES, OBSERVATIONS, SCRATCHPAD},
    read::{self, ListedFile, ReadProblem},
    spool::{LineChange, Said},
};

#[derive(Debug, Clone, Default)]
pub struct TopicFile {
    /// Name of the file without `.md`.
    pub stem: String,
    /// The topic that goes on in this file, if it is not the first file of one.
    pub continues: Option<String>,
    pub doc: TopicDoc,
    /// Numbers of lines, sorted, that are known to be in the ledger of trust.
    pub vouched: Vec<usize>,
}

impl TopicFile {
    #[must_use]
    pub fn new(stem: String, doc: TopicDoc) -> Self {
        let continues = doc.continues().filter(|of| *of != stem).map(str::to_owned);
        Self { stem, continues, doc, vouched: Vec::new() }
    }

    /// Returns the topic that the file belongs to.
    #[must_use]
    pub fn subject(&self) -> &str {
        self.continues.as_deref().unwrap_or(&self.stem)
    }
}

/// Returns a kept line as an entry of the store would have it.
fn kept_wording(said: &Said, categories: &Categories) -> Option<Wording> {
    let (id, category) = kept_id(&said.change(), categories)?;
    Some(Wording { id, category, text: said.text.clone() })
}

fn kept_id(of: &LineChange<'_>, categories: &Categories) -> Option<(EntryId, CategoryId)> {
    Some((of.id()?, categories.find(of.category.as_deref()?)?))
}

/// Returns the stem and the content of each file.
pub fn docs(files: &[TopicFile]) -> Vec<(&str, &TopicDoc)> {
    files.iter().map(|file| (file.stem.as_str(), &file.doc)).collect()
}

/// The content of a store at one moment. Immutable.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Topic files, sorted by name.
    pub topics: Vec<TopicFile>,
    /// The evidence, including the events of adoption at this moment.
    pub ledger: Ledger,
    /// Events of adoption, which are not in the log yet.
    pub adopted: Vec<Event>,
    pub damaged: usize,
    pub problems: Vec<ReadProblem>,
    /// What other work trees of the repository have learned, and this one has not.
    pub elsewhere: Vec<LocatedEntry>,
    /// Lines that were added in this work tree and whose files git has taken away.
    pub gone: Vec<Said>,
    /// Positions of the lines of each entry, file and line, if many are looked up.
    pub(super) places: OnceCell<IdMap<EntryId, Vec<(usize, usize)>>>,
    /// Number of lookups so far.
    pub(super) looked_up: Cell<usize>,
}

/// Number of lookups that go through all lines; later ones use an index.
const SCANS: usize = 8;

impl Store {
    /// Returns the lines that git has taken away with their files.
    pub fn gone(&self, now: Now, categories: &Categories) -> Vec<Said> {
        let mut snapshot = self.read(now, categories);
        self.add_elsewhere(categories, &mut snapshot);
        self.still_gone(snapshot.gone)
    }

    /// Adds what other work trees and branches of the repository have learned, and this one has not, and
    /// what counts for lines of this one.
    pub fn add_elsewhere(&self, categories: &Categories, snapshot: &mut Snapshot) {
        let Some(trees) = self.work_trees() else { return };
        let (here, there) = (trees.branch(), self.other_trees(&trees));
        let is_missing = |of: &LineChange<'_>| {
            let Some((id, category)) = kept_id(of, categories) else { return false };
            let mut held = snapshot.lines_of(id).into_iter();
            !held.any(|(_, entry)| entry.category == category && entry.text == of.text)
        };
        let (own, mut others) = self.kept_lines(&trees, &there, is_missing, is_missing);
        for said in own {
            let Some(of) = kept_wording(&said, categories) else { continue };
            let is_on =
                said.branch.as_ref().filter(|on| here.as_ref() != Some(on) && trees.has_branch(on));
            match is_on {
                Some(on) if !snapshot.ledger.is_begun(of.id) => others.push((on.clone(), said)),
                _ if snapshot.has_lost(&of, &said) => snapshot.gone.push(said),
                _ => {}
            }
        }
        for (branch, said) in others {
            let (Some(of), Some(_)) = (kept_wording(&said, categories), said.time()) else {
                continue;
            };
            let Wording { id, category, text } = of.clone();
            let spec = categories.spec(category);
            let is_known = !snapshot.holders(&of).is_empty()
                || snapshot.ledger.is_begun(id)
                || snapshot.elsewhere.iter().any(|one| one.is(&of));
            if is_known {
                continue;
            }
            for event in said.evidence(id) {
                snapshot.ledger.fold(&event);
            }
            snapshot.elsewhere.push(LocatedEntry {
                branch: Some(branch),
                topic: spec.topic.to_string(),
                scope: self.scope,
                asides: said.markers().asides,
                reviewed: self.trust.holds_entry(&spec.name, &text),
                secret: self.trust.secret_in(&spec.name, &text),
                ..LocatedEntry::new(id, category, text)
            });
        }
        snapshot.add_evidence(&self.logs_elsewhere(&trees, &there));
    }

    /// Returns true if other work trees and branches of the repository have nothing for this one, of
    /// which `has` tells what entries it has.
    pub fn stands_alone(&self, categories: &Categories, has: impl Fn(EntryId) -> bool) -> bool {
        let Some(trees) = self.work_trees() else { return true };
        if trees.linked.is_some() || !self.other_trees(&trees).is_empty() {
            return false;
        }
        let is_missing =
            |of: &LineChange<'_>| kept_id(of, categories).is_some_and(|(id, _)| !has(id));
        self.kept_lines(&trees, &[], is_missing, |_| false).0.is_empty()
    }

    /// Reads topics, then events. Writers use the reverse order, so that no line is read without
    /// its cue. Files that cannot be read become a [`ReadProblem`] each.
    pub fn read(&self, now: Now, categories: &Categories) -> Snapshot {
        let mut snapshot = self.read_topics(categories);
        self.read_evidence(now, categories, &mut snapshot);
        snapshot
    }

    /// Reads the evidence into a snapshot whose topics were read before, and adds the events of
    /// adoption.
    pub fn read_evidence(&self, now: Now, categories: &Categories, snapshot: &mut Snapshot) {
        self.fold_evidence(now, categories, snapshot, self.log());
    }

    /// Like [`read_evidence`](Self::read_evidence), from a log that was read before.
    pub fn fold_evidence(
        &self,
        now: Now,
        categories: &Categories,
        snapshot: &mut Snapshot,
        log: Result<Vec<u8>, ReadProblem>,
    ) {
        let log = self.fold_log(snapshot, log);
        self.adopt(now, categories, &log, snapshot);
    }

    /// Reads only the topics, without evidence.
    pub fn read_topics(&self, categories: &Categories) -> Snapshot {
        self.read_markdown("topics", "", categories)
    }

    /// Reads only the topics in which a word stands, without evidence.
    pub fn read_topics_with(&self, word: &str, categories: &Categories) -> Snapshot {
        self.read_markdown("topics", word, categories)
    }

    /// Reads the archive, which has the format of topic files.
    pub fn read_archive(&self, categories: &Categories) -> Snapshot {
        self.read_markdown("archive", "", categories)
    }

    fn read_markdown(&self, folder: &str, word: &str, categories: &Categories) -> Snapshot {
        let mut snapshot = Snapshot::default();
        let dir = self.dir.join(folder);
        let names = read::markdown_names(&self.dir, &dir).unwrap_or_else(|problem| {
            snapshot.problems.push(problem);
            Vec::new()
        });
        for name in names {
            match self.seal.listed(&self.dir, &dir.join(&name), read::MAX_FILE) {
                Ok(Some(bytes)) if memchr::memmem::find(&bytes, word.as_bytes()).is_some() => {
                    let stem = name.strip_suffix(".md").unwrap_or(&name).to_owned();
                    let mut doc = TopicDoc::parse(bytes, categories);
                    let is_sealed = self.seal.is_sealed();
                    let is_closed = |entry: &TopicEntry| seal::is_closed(&entry.text, is_sealed);
                    if doc.entries.iter().any(is_closed) {
                        // Nobody sees them, and edits leave their bytes alone.
                        doc.entries.retain(|entry| !is_closed(entry));
                        snapshot.problems.extend(self.seal.found_sealed());
                    }
                    snapshot.topics.push(TopicFile::new(stem, doc));
                }
                Ok(_) => {}
                Err(problem) => snapshot.problems.push(problem),
            }
        }
        snapshot
    }

    fn fold_log(&self, snapshot: &mut Snapshot, log: Result<Vec<u8>, ReadProblem>) -> Vec<u8> {
        let bytes = match log {
            Ok(bytes) => bytes,
            Err(problem) => {
                snapshot.problems.push(problem);
                // Without the log, forgotten entries would look like any other.
                if self.strict {
                    snapshot.topics.clear();
                }
                return Vec::new();
            }
        };
        snapshot.ledger = evidence::ledger_for(bytes.len());
        for line in evidence::lines(&bytes) {
            match evidence::event(line) {
                Some(event) => snapshot.ledger.fold(&event),
                None if line.trim_ascii().is_empty() => {}
                None => snapshot.damaged += 1,
            }
        }
        bytes
    }

    /// Returns the days on which the store was used, by the log.
    pub fn used_days(&self) -> ActiveDays {
        self.log().map(|bytes| evidence::days(&bytes)).unwrap_or_default()
    }

    /// Returns the evidence for some entries only. `None` if one of them has none; the caller then
    /// has to read the Markdown files too.
    pub fn evidence_of(&self, now: Now, wanted: &IdSet<EntryId>) -> Option<Ledger> {
        let (ledger, wanted) = self.some_evidence(wanted).ok()?;
        wanted.iter().all(|id| ledger.times(now, *id)).then_some(ledger)
    }

    /// Returns the ledger of some entries, which may be empty.
    pub fn ledger_of(&self, wanted: &IdSet<EntryId>) -> Ledger {
        self.some_evidence(wanted).map(|(ledger, _)| ledger).unwrap_or_default()
    }

    /// Folds the log for some entries and those that they were made from, and returns all of these.
    /// Lines about others are not parsed.
    fn some_evidence(
        &self,
        wanted: &IdSet<EntryId>,
    ) -> Result<(Ledger, IdSet<EntryId>), ReadProblem> {
        let mut wanted = wanted.clone();
        loop {
            let ledger = evidence::fold(&self.log_about(&wanted)?);
            // Sources of edits and merges count too, and may have been skipped.
            let before = wanted.len();
            for id in wanted.clone() {
                wanted.extend(ledger.family(id));
            }
            if wanted.len() == before {
                return Ok((ledger, wanted));
            }
        }
    }

    fn adopt(&self, now: Now, categories: &Categories, bytes: &[u8], snapshot: &mut Snapshot) {
        let lines: Vec<AdoptedLine<'_>> = snapshot.lines(categories).collect();
        let ids = lines.iter().map(|line| line.id);
        let unknown: IdSet<EntryId> = ids.filter(|id| !snapshot.ledger.knows(*id)).collect();
        if unknown.is_empty() {
            return;
        }
        let present = lines.iter().map(|line| line.id).collect();
        let vanished = evidence::origins(bytes, &snapshot.ledger.vanished(&present));
        let known = KnownLines { pi: self.pi_scores(), noted: self.noted_lines(&unknown) };
        let mut events = adopt::adopt(now, &lines, &snapshot.ledger, &vanished, &known);
        for event in &mut events {
            *event = snapshot.ledger.again(event, "").0.into_owned();
        }
        for event in &events {
            snapshot.ledger.fold(event);
        }
        snapshot.adopted = events;
    }

    /// Reads pi's `memory-scores.json`. Our own snapshot of that name has longer keys and is
    /// ignored.
    fn pi_scores(&self) -> PiScores {
        let path = self.dir.join("memory-scores.json");
        let Ok(Some(bytes)) = self.seal.read(&self.dir, &path, read::MAX_FILE) else {
            return PiScores::new();
        };
        let root: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let Some(entries) = root.get("entries").and_then(Value::as_object) else {
            return PiScores::new();
        };
        let read = |(key, value): (&String, &Value)| {
            let hash = (key.len() == 8).then(|| u32::from_str_radix(key, 16).ok()).flatten()?;
            Some((hash, pi_score(value)?))
        };
        entries.iter().filter_map(read).collect()
    }
}

/// Returns what stands behind an entry by the latest events that say so, where lines differ, as after
/// a merge that kept those of both sides.
fn asides_last(store: &Store, entry: EntryId, unsaid: LineAsides) -> LineAsides {
    let Ok(log) = store.log() else { return unsaid };
    let events: Vec<Event> = evidence::lines(&log)
        .filter(|line| {
            let has = |word: &[u8]| memchr::memmem::find(line, word).is_some();
            has(b"\"ask\"") || has(b"\"rule\"") || has(b"retract")
        })
        .filter_map(evidence::event)
        .collect();
    FoldedEvents::of(&events).asides(entry, unsaid)
}

fn pi_score(value: &Value) -> Option<PiScore> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let time = |key: &str| match value.get(key)? {
        Value::String(text) => Timestamp::parse(text),
        Value::Number(millis) => millis.as_i64().map(Timestamp),
        _ => None,
    };
    let last_reinforced = time("lastReinforced")?;
    Some(PiScore {
        evidence: u32::try_from(value.get("evidenceCount")?.as_u64()?).unwrap_or(u32::MAX),
        cue: text("cue").and_then(Cue::find).unwrap_or(Cue::Behavioral),
        first_seen: time("firstSeen").unwrap_or(last_reinforced),
        last_reinforced,
        user: match text("userState") {
            Some("pinned") => UserState::Pinned,
            Some("forgotten") => UserState::Forgotten,
            _ => UserState::Auto,
        },
    })
}

impl Snapshot {
    /// Returns every entry once, in the order of files and lines. If an entry is both pinned and
    /// not, as after a merge that kept the lines of both sides, the latest decision counts; a
    /// marker without a decision was set by hand.
    pub fn placed(&self, store: &Store, categories: &Categories) -> Vec<LocatedEntry> {
        let mut copies = Copies::default();
        let mut placed: Vec<LocatedEntry> = Vec::with_capacity(self.entries().count());
        for (topic, entry) in self.entries() {
            let category = &categories.spec(entry.category).name;
            let here = LocatedEntry {
                pinned: entry.markers.pinned,
                topic: topic.stem.clone(),
                continues: topic.continues.clone(),
                line: entry.line,
                scope: store.scope,
                enforced: entry.markers.enforced,
                asides: entry.markers.asides.clone(),
                ..LocatedEntry::new(entry.id, entry.category, entry.text.clone())
            };
            match copies.slot(placed.len(), &here, |at| placed.get(at)) {
                Slot::First | Slot::Twin(_) => {
                    // Lines of a mirror are withheld where they would be shown.
                    let reviewed = store.mirror.is_some()
                        || topic.vouched.binary_search(&entry.line).is_ok()
                        || store.trust.holds_entry(category, &entry.text);
                    let secret = match store.mirror {
                        Some(_) => None,
                        None => store.trust.secret_in(category, &entry.text),
                    };
                    placed.push(LocatedEntry { reviewed, secret, ..here });
                }
                Slot::Copy(at) => {
                    let Some(first) = placed.get_mut(at) else { continue };
                    if first.pinned != here.pinned {
                        let decided = self.ledger.decided(entry.id);
                        first.pinned = decided.is_none_or(|user| user == UserState::Pinned);
                    }
                    first.enforced |= here.enforced;
                    if first.asides != here.asides {
                        let both = first.asides.clone().max(here.asides);
                        first.asides = asides_last(store, entry.id, both);
                    }
                }
            }
        }
        placed.extend(self.elsewhere.iter().cloned());
        placed
    }

    /// Adds what was proved right, or pinned, in other work trees.
    fn add_evidence(&mut self, logs: &[u8]) {
        if logs.is_empty() {
            return;
        }
        let here = self.entries().map(|(_, entry)| entry.id);
        let known: IdSet<EntryId> = here.chain(self.elsewhere.iter().map(|one| one.id)).collect();
        for event in evidence::events(logs) {
            let counts =
                matches!(event.kind, EventKind::Add(..) | EventKind::Reinforce(_) | EventKind::Pin);
            if counts && known.contains(&event.entry) {
                self.ledger.fold(&event);
            }
        }
    }

    /// Returns true if git has taken the files away that had a line. Who takes a line out of a file means
    /// it.
    fn has_lost(&self, of: &Wording, said: &Said) -> bool {
        let ledger = &self.ledger;
        if !ledger.has(of.id) {
            return true;
        }
        let in_force = ledger.evidence(Now(Timestamp(i64::MAX)), of.id).is_some_and(|evidence| {
            evidence.user != UserState::Forgotten
                && !ledger.archived(of.id)
                && !ledger.is_gone(of.id)
        });
        let has_file = self.topics.iter().any(|topic| Some(&topic.stem) == said.topic.as_ref());
        in_force && !has_file
    }

    fn indexed(&self) -> IdMap<EntryId, Vec<(usize, usize)>> {
        let mut places: IdMap<EntryId, Vec<(usize, usize)>> = IdMap::default();
        for (file, topic) in self.topics.iter().enumerate() {
            for (at, entry) in topic.doc.entries.iter().enumerate() {
                places.entry(entry.id).or_default().push((file, at));
            }
        }
        places
    }

    /// Returns the lines with an id, each with its file.
    pub fn lines_of(&self, id: EntryId) -> Vec<(&TopicFile, &TopicEntry)> {
        self.looked_up.update(|before| before + 1);
        if self.looked_up.get() <= SCANS {
            return self.entries().filter(|(_, entry)| entry.id == id).collect();
        }
        let places = self.places.get_or_init(|| self.indexed());
        let line = |(file, at): &(usize, usize)| {
            let file = self.topics.get(*file)?;
            Some((file, file.doc.entries.get(*at)?))
        };
        places.get(&id).into_iter().flatten().filter_map(line).collect()
    }

    /// Returns the names of the files that contain an entry.
    pub fn holders(&self, of: &Wording) -> Vec<&str> {
        let held = self.lines_of(of.id).into_iter().filter(|(_, entry)| entry.is(of));
        let mut stems: Vec<&str> = held.map(|(topic, _)| topic.stem.as_str()).collect();
        stems.dedup();
        stems
    }

    /// Returns the topic that a file belongs to, given its name without `.md`.
    pub fn subject<'a>(&'a self, stem: &'a str) -> &'a str {
        self.topics.iter().find(|topic| topic.stem == stem).map_or(stem, TopicFile::subject)
    }

    /// Iterates over all entry lines with their files.
    pub fn entries(&self) -> impl Iterator<Item = (&TopicFile, &TopicEntry)> {
        self.topics.iter().flat_map(|topic| topic.doc.entries.iter().map(move |e| (topic, e)))
    }

    fn lines<'a>(&'a self, categories: &'a Categories) -> impl Iterator<Item = AdoptedLine<'a>> {
        let mut seen = IdSet::default();
        let pinned: IdSet<EntryId> =
            self.entries().filter(|(_, e)| e.markers.pinned).map(|(_, e)| e.id).collect();
        self.entries().filter(move |(_, entry)| seen.insert(entry.id)).map(move |(topic, entry)| {
            AdoptedLine {
                id: entry.id,
                category: &categories.spec(entry.category).name,
                topic: topic.subject(),
                text: &entry.text,
                pinned: pinned.contains(&entry.id),
            }
        })
    }
}

/// Name of the event log.
pub const EVIDENCE: &str = "evidence.jsonl";
/// Summaries of past sessions, beside the store; the path is relative to the store.
pub const SESSIONS: &str = "../data/session-search.json";

/// Returns the files that are searched besides the topics, relative to the store.
pub fn note_files(store: &Store) -> (Vec<ListedFile>, Vec<ReadProblem>) {
    let alone = |name: &str| ListedFile { name: name.to_owned(), meta: None };
    let mut files = vec![alone(NOTES), alone(SCRATCHPAD)];
    let mut problems = Vec::new();
    match store.guard_data() {
        Ok(()) => files.push(alone(SESSIONS)),
        Err(problem) => problems.push(problem),
    }
    for folder in [DAILY, OBSERVATIONS] {
        match read::markdown_files(&store.dir, folder) {
            Ok(found) => files.extend(found),
            Err(problem) => problems.push(problem),
        }
    }
    (files, problems)
}

/// The content of a store at an earlier moment.
pub struct Past {
    pub placed: Vec<LocatedEntry>,
    pub ledger: Ledger,
    /// Ids at that moment of current entries whose id differs.
    pub former: IdMap<EntryId, EntryId>,
    /// Problems with reading the archive.
    pub problems: Vec<ReadProblem>,
}

impl Store {
    /// Returns the store at `moment`, which is in the past; `today` is its current content.
    pub fn at(&self, moment: Timestamp, today: &Snapshot, categories: &Categories) -> Past {
        let bytes = self.log().unwrap_or_default();
        let adopted = today.adopted.iter().filter(|event| event.ts <= moment);
        let mut ledger = evidence::fold_until(&bytes, moment);
        adopted.for_each(|event| ledger.fold(event));
        let archived = self.read_archive(categories);
        let archive = archived.placed(self, categories);
        let (former, problems) = (IdMap::default(), archived.problems);
        let mut past = Past { placed: Vec::new(), ledger, former, problems };
        let mut seen = IdSet::default();
        for entry in today.placed(self, categories).into_iter().chain(archive) {
            let Some(then) = wording(&past.ledger, &today.ledger, entry.id) else { continue };
            if past.ledger.archived(then) || !seen.insert(then) {
                continue;
            }
            if then != entry.id {
                past.former.insert(then, entry.id);
            }
            let user =
                |ledger: &Ledger, id| ledger.evidence(Now(moment), id).map(|known| known.user);
            // A marker that an event explains has the time of the event.
            let explained = user(&today.ledger, entry.id) == Some(UserState::Pinned);
            let pinned =
                entry.pinned && (!explained || user(&past.ledger, then) == Some(UserState::Pinned));
            past.placed.push(LocatedEntry { id: then, pinned, ..entry });
        }
        past
    }
}

/// Returns the id that a current entry had in a past ledger: its own, or that of the wording that
/// it was made from since.
fn wording(past: &Ledger, today: &Ledger, id: EntryId) -> Option<EntryId> {
    if past.knows(id) {
        return Some(id);
    }
    let known: Vec<EntryId> =
        today.sources(id).into_iter().filter(|source| past.knows(*source)).collect();
    let is_last = |id: &&EntryId| known.iter().all(|other| !past.sources(*other).contains(*id));
    known.iter().find(is_last).copied()
}

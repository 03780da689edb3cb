//! A store, and what it held at one moment.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::Value;

use super::{
    atomic::Sync,
    read::{self, Problem},
};
use crate::{
    model::{
        category::Categories,
        entry::EntryId,
        event::{Cue, Event},
        time::{Now, Timestamp},
    },
    score::{
        adopt::{self, Line, PiScore, PiScores},
        board::{Placed, Scope},
        ledger::{Ledger, UserState},
    },
    text::topic::{TopicDoc, TopicEntry},
};

/// One memory directory: the one that holds `topics/`.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    /// Where it is.
    pub(crate) dir: PathBuf,
    /// Whose it is.
    pub(crate) scope: Scope,
    /// Whether writes wait for the disk.
    pub(crate) sync: Sync,
    /// How long a writer waits for the lock.
    pub(crate) patience: Duration,
}

/// A topic file as read.
#[derive(Debug, Clone, Default)]
pub(crate) struct TopicFile {
    /// Its name without `.md`.
    pub(crate) stem: String,
    /// What it holds.
    pub(crate) doc: TopicDoc,
}

/// What a store held at one moment. Never changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    /// Topic files, by name.
    pub(crate) topics: Vec<TopicFile>,
    /// The evidence, with what adoption adds for this moment.
    pub(crate) ledger: Ledger,
    /// What adoption adds: events that are in no file yet.
    pub(crate) adopted: Vec<Event>,
    /// Numbers of damaged lines in the evidence log.
    pub(crate) damaged: Vec<usize>,
    /// Files that could not be read.
    pub(crate) problems: Vec<Problem>,
}

impl Store {
    /// The directory of topic files.
    pub(crate) fn topics_dir(&self) -> PathBuf {
        self.dir.join("topics")
    }

    /// The evidence log.
    pub(crate) fn evidence(&self) -> PathBuf {
        self.dir.join("evidence.jsonl")
    }

    /// Reads topics, then events: writers go the other way, so that no line is seen without its
    /// cue. What cannot be read becomes a [`Problem`].
    pub(crate) fn read(&self, now: Now, categories: &Categories) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.read_markdown("topics", &mut snapshot, categories);
        self.read_evidence(&mut snapshot);
        self.adopt(now, categories, &mut snapshot);
        snapshot
    }

    /// Reads the archive, in the form of topic files.
    pub(crate) fn read_archive(&self, categories: &Categories) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.read_markdown("archive", &mut snapshot, categories);
        snapshot
    }

    fn read_markdown(&self, folder: &str, snapshot: &mut Snapshot, categories: &Categories) {
        let dir = self.dir.join(folder);
        let names = match read::markdown_names(&dir) {
            Ok(names) => names,
            Err(problem) => return snapshot.problems.push(problem),
        };
        for name in names {
            match read::file(&self.dir, &dir.join(&name), read::MAX_FILE) {
                Ok(Some(bytes)) => {
                    let stem = name.trim_end_matches(".md").to_owned();
                    let doc = TopicDoc::parse(bytes, categories);
                    snapshot.topics.push(TopicFile { stem, doc });
                }
                Ok(None) => {}
                Err(problem) => snapshot.problems.push(problem),
            }
        }
    }

    fn read_evidence(&self, snapshot: &mut Snapshot) {
        let bytes = match read::file(&self.dir, &self.evidence(), read::MAX_LOG) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(problem) => return snapshot.problems.push(problem),
        };
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            let text = str::from_utf8(line).map(str::trim_ascii);
            match text.ok().map(|text| (text.is_empty(), Event::read(text))) {
                Some((_, Some(event))) => snapshot.ledger.fold(&event),
                Some((true, None)) => {}
                _ => snapshot.damaged.push(number),
            }
        }
    }

    /// The evidence for some entries only, `None` when one of them has none: whoever wants to know
    /// more has to read the markdown too. Lines about other entries are not even parsed.
    pub(crate) fn evidence_of(&self, wanted: &HashSet<EntryId>) -> Option<Ledger> {
        let bytes =
            read::file(&self.dir, &self.evidence(), read::MAX_LOG).ok()?.unwrap_or_default();
        let mut wanted = wanted.clone();
        loop {
            let mut ledger = Ledger::default();
            for line in bytes.split(|byte| *byte == b'\n') {
                if plain_entry(line).is_some_and(|id| !wanted.contains(&id)) {
                    continue;
                }
                let event =
                    str::from_utf8(line).ok().and_then(|text| Event::read(text.trim_ascii()));
                if let Some(event) = event {
                    ledger.fold(&event);
                }
            }
            // What an entry was edited or merged from counts as well, and may have been left out.
            let before = wanted.len();
            for id in wanted.clone() {
                wanted.extend(ledger.family(id));
            }
            if wanted.len() == before {
                let known = wanted.iter().all(|id| ledger.evidence(*id).is_some());
                return known.then_some(ledger);
            }
        }
    }

    fn adopt(&self, now: Now, categories: &Categories, snapshot: &mut Snapshot) {
        let lines: Vec<Line<'_>> = snapshot.lines(categories).collect();
        if lines.iter().all(|line| snapshot.ledger.evidence(line.id).is_some()) {
            return;
        }
        let pi = self.pi_scores();
        let events = adopt::adopt(now, &lines, &snapshot.ledger, &pi);
        for event in &events {
            snapshot.ledger.fold(event);
        }
        snapshot.adopted = events;
    }

    /// What pi left in `memory-scores.json`. Our own snapshot has longer keys and is no input.
    fn pi_scores(&self) -> PiScores {
        let path = self.dir.join("memory-scores.json");
        let Ok(Some(bytes)) = read::file(&self.dir, &path, read::MAX_FILE) else {
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

/// The entry of an `add` or `reinforce` line as pimem writes it, from its fixed place in the line.
fn plain_entry(line: &[u8]) -> Option<EntryId> {
    const ENTRY: std::ops::Range<usize> = 76..92;
    const OP: &[u8] = b"\",\"op\":\"";
    let rest = line.get(ENTRY.end..)?.strip_prefix(OP)?;
    if !rest.starts_with(b"add\"") && !rest.starts_with(b"reinforce\"") {
        return None;
    }
    str::from_utf8(line.get(ENTRY)?).ok()?.parse().ok()
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
    /// Every entry once, in the order of files and lines; pinned when any of its lines is.
    pub(crate) fn placed(&self, scope: Scope) -> Vec<Placed> {
        let mut at: HashMap<EntryId, usize> = HashMap::new();
        let mut placed: Vec<Placed> = Vec::new();
        for (topic, entry) in self.entries() {
            if let Some(first) = at.get(&entry.id).and_then(|at| placed.get_mut(*at)) {
                first.pinned |= entry.markers.pinned;
                continue;
            }
            at.insert(entry.id, placed.len());
            placed.push(Placed {
                id: entry.id,
                category: entry.category,
                text: entry.text.clone(),
                pinned: entry.markers.pinned,
                topic: topic.stem.clone(),
                line: entry.line,
                scope,
            });
        }
        placed
    }

    /// The names of the files that hold an entry.
    pub(crate) fn holders(&self, id: EntryId) -> Vec<&str> {
        let held = self.entries().filter(|(_, entry)| entry.id == id);
        let mut stems: Vec<&str> = held.map(|(topic, _)| topic.stem.as_str()).collect();
        stems.dedup();
        stems
    }

    fn entries(&self) -> impl Iterator<Item = (&TopicFile, &TopicEntry)> {
        self.topics.iter().flat_map(|topic| topic.doc.entries.iter().map(move |e| (topic, e)))
    }

    fn lines<'a>(&'a self, categories: &'a Categories) -> impl Iterator<Item = Line<'a>> {
        let mut seen = HashSet::new();
        let pinned: BTreeMap<EntryId, bool> = self
            .entries()
            .filter(|(_, entry)| entry.markers.pinned)
            .map(|(_, entry)| (entry.id, true))
            .collect();
        self.entries().filter(move |(_, entry)| seen.insert(entry.id)).map(move |(topic, entry)| {
            Line {
                id: entry.id,
                category: &categories.spec(entry.category).name,
                topic: &topic.stem,
                text: &entry.text,
                pinned: pinned.contains_key(&entry.id),
            }
        })
    }
}

/// Files of `dir` that are searched beside the topics, with their folder-relative names.
pub(crate) fn note_files(dir: &Path) -> Result<Vec<String>, Problem> {
    let mut names = vec!["MEMORY.md".to_owned(), "SCRATCHPAD.md".to_owned()];
    let daily = read::markdown_names(&dir.join("daily"))?;
    names.extend(daily.into_iter().map(|name| format!("daily/{name}")));
    Ok(names)
}

//! Stores that came from elsewhere: directories to import, exported trees, and mirrors below `mirrors`,
//! by server and project. Links that lead out of a directory are not followed.
//!
//! What is in a mirror comes from a server. A mirror that is not as it should be is a [`ReadProblem`] and
//! left out; the others are found all the same.

use std::{
    fs::{self, DirEntry},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::{
    Store,
    atomic::{self, Sync},
    evidence,
    read::{self, ProblemKind, ReadProblem},
    snapshot::{EVIDENCE, Snapshot, TopicFile},
    trust,
};
use pimem_core::{
    exchange::{ExchangeFile, ExchangeItem, LeftLine},
    markdown::topic::TopicDoc,
    model::{
        category::Categories,
        entry::EntryId,
        event::{Cue, Event, EventKind, Provenance},
        hash::{IdMap, IdSet},
        mirror::{self, Mirror},
        time::{Date, Now, Timestamp},
    },
    safety::safe_text,
    score::{adopt::PiScore, ledger::Ledger, ranking::LocatedEntry},
    seal,
};

#[derive(Debug, Default)]
pub struct Pages {
    /// Pages that are text, with their names.
    pub files: Vec<ExchangeFile>,
    /// Pages that are not text.
    pub left: Vec<LeftLine>,
    pub problems: Vec<ReadProblem>,
}

impl Pages {
    /// Reads the pages of a folder of `dir`; `""` is `dir` itself.
    pub fn folder(&mut self, dir: &Path, folder: &str) {
        match read::markdown_names(dir, &dir.join(folder)) {
            Ok(names) => names.iter().for_each(|name| {
                let name =
                    if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                self.file(dir, &name);
            }),
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Reads one page of `dir`, if it exists.
    pub fn file(&mut self, dir: &Path, name: &str) {
        match read::file(dir, &dir.join(name), read::MAX_FILE) {
            Ok(Some(bytes)) => self.page(name, bytes),
            Ok(None) => {}
            Err(problem) => self.problems.push(problem),
        }
    }

    pub fn page(&mut self, name: &str, bytes: Vec<u8>) {
        let name = name.to_owned();
        let reason = match String::from_utf8(bytes) {
            Ok(text) if seal::is_sealed(&text) => "it is sealed".to_owned(),
            Ok(text) if text.contains('\0') => "it is no text".to_owned(),
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
                return self.files.push(ExchangeFile { name, text });
            }
            Err(error) => format!("it is not UTF-8 (byte {})", error.utf8_error().valid_up_to()),
        };
        self.left.push(LeftLine { place: name, reason });
    }
}

/// The entries of a store with their evidence.
#[derive(Debug, Default)]
pub struct Holdings {
    /// Entries, in the order of files and lines.
    pub items: Vec<ExchangeItem>,
    /// Lines that are not UTF-8.
    pub left: Vec<LeftLine>,
    pub snapshot: Snapshot,
}

/// Context for reading entries.
#[derive(Clone, Copy)]
pub struct ForeignReader<'a> {
    pub now: Now,
    pub categories: &'a Categories,
    /// Returns the local date of the day that ends at a moment; `None` if no day ends then.
    pub day: fn(Timestamp) -> Option<Date>,
}

/// Events by entry, and the entries whose score is known.
type Known<'a> = (&'a IdMap<EntryId, Vec<(Event, String)>>, &'a IdSet<EntryId>);

impl Store {
    /// Reads all entries with their events and scores. Entries without evidence have neither.
    pub fn holdings(&self, reader: ForeignReader<'_>) -> Holdings {
        let ForeignReader { now, categories, .. } = reader;
        let snapshot = self.read(now, categories);
        let log = self.log().unwrap_or_default();
        let mut events = evidence::by_entry(&log);
        let who = Provenance::adoption();
        // Scores taken over from pi count as known; an entry first seen now has no history.
        let mut scored = IdSet::default();
        for event in &snapshot.adopted {
            match event.kind {
                EventKind::Edit(..) => {
                    let told = (event.clone(), event.write(&who));
                    events.entry(event.entry).or_default().push(told);
                }
                _ if event.ts == now.0 => {}
                _ => drop(scored.insert(event.entry)),
            }
        }
        self.told(snapshot, (&events, &scored), reader)
    }

    /// Reads the entries of a single topic file without a store.
    pub fn topic_alone(&self, stem: &str, bytes: Vec<u8>, reader: ForeignReader<'_>) -> Holdings {
        let doc = TopicDoc::parse(bytes, reader.categories);
        let topics = vec![TopicFile::new(stem.to_owned(), doc)];
        let snapshot = Snapshot { topics, ..Snapshot::default() };
        self.told(snapshot, (&IdMap::default(), &IdSet::default()), reader)
    }

    fn told(&self, snapshot: Snapshot, known: Known<'_>, reader: ForeignReader<'_>) -> Holdings {
        let mut held = Holdings::default();
        for entry in snapshot.placed(self, reader.categories) {
            let category = &reader.categories.spec(entry.category).name;
            let place = format!("topics/{}.md:{}", entry.topic, entry.line);
            if EntryId::of(category, entry.text.as_bytes()) == entry.id {
                let item = told(&snapshot.ledger, known, entry, reader);
                held.items.push(ExchangeItem {
                    place,
                    category: Some(category.to_string()),
                    ..item
                });
            } else {
                held.left.push(LeftLine { place, reason: "it is not UTF-8".to_owned() });
            }
        }
        held.snapshot = snapshot;
        held
    }
}

fn told(
    ledger: &Ledger,
    (log, scored): Known<'_>,
    entry: LocatedEntry,
    reader: ForeignReader<'_>,
) -> ExchangeItem {
    let family = ledger.family(entry.id);
    let events = family.iter().filter_map(|id| log.get(id)).flatten();
    let mut events: Vec<(Event, String)> = events.cloned().collect();
    events.sort_by_key(|(event, _)| (event.ts, event.id));
    let evidence = ledger.evidence(reader.now, entry.id);
    let is_known = !events.is_empty() || scored.contains(&entry.id);
    let score = evidence.as_ref().filter(|_| is_known).map(|evidence| PiScore {
        evidence: u32::try_from(evidence.count).unwrap_or(u32::MAX),
        cue: evidence.cue,
        first_seen: evidence.first_seen,
        last_reinforced: evidence.last_reinforced,
        user: evidence.user,
    });
    let until = evidence.as_ref().and_then(|evidence| evidence.until);
    let unsaid = if entry.pinned { Cue::Explicit } else { Cue::Behavioral };
    ExchangeItem {
        topic: Some(entry.subject().to_owned()),
        text: entry.text,
        // The cue that adoption would record.
        cue: Some(evidence.map_or(unsaid, |evidence| evidence.cue)),
        pinned: entry.pinned,
        asked: entry.asides.asked.questions().to_vec(),
        rules: entry.asides.rules,
        until: until.and_then(reader.day),
        score,
        events,
        ..ExchangeItem::default()
    }
}

/// Writes files into a directory that does not exist or is empty.
pub fn write_tree(dir: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    for (name, bytes) in files {
        let path = dir.join(name);
        atomic::create_dir(path.parent().unwrap_or(dir), Sync::None)?;
        atomic::replace_file(&path, bytes, Sync::None, || Ok(true))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Path below the user's data directory.
pub const MIRRORS: &str = "pimem/mirrors";
/// Name of the file that describes a mirror.
pub const DESCRIPTION: &str = "mirror.json";

#[derive(Debug, Default)]
pub struct Mirrors {
    /// Directories with their descriptions, sorted by server and project.
    pub mirrors: Vec<(PathBuf, Mirror)>,
    /// What is no mirror.
    pub problems: Vec<ReadProblem>,
}

/// Finds the mirrors below a directory, which need not exist.
pub fn find_mirrors(root: &Path) -> Mirrors {
    let mut found = Mirrors::default();
    let Ok(servers) = fs::read_dir(root) else { return found };
    for server in folders(servers, &mut found.problems) {
        let Ok(projects) = fs::read_dir(&server) else {
            found.problems.push(no_mirror(&server, "it cannot be listed"));
            continue;
        };
        for dir in folders(projects, &mut found.problems) {
            match open_mirror(&dir) {
                Ok(mirror) => found.mirrors.push((dir, mirror)),
                Err(problem) => found.problems.push(problem),
            }
        }
    }
    found
}

/// Returns the directories of a listing, sorted. Hidden ones and files are nobody's mirrors.
fn folders(listed: fs::ReadDir, problems: &mut Vec<ReadProblem>) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    let is_hidden = |entry: &DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    for entry in listed.flatten().filter(|entry| !is_hidden(entry)) {
        let (path, kind) = (entry.path(), entry.file_type());
        let name = entry.file_name();
        let is_plain = name.to_str().is_some_and(|name| safe_text::first_hazard(name).is_none());
        match kind {
            Ok(kind) if kind.is_symlink() => problems.push(no_mirror(&path, "it is a link")),
            Ok(kind) if !kind.is_dir() => {}
            Ok(_) if is_plain => dirs.push(path),
            _ => problems.push(no_mirror(&path, "it has a strange name")),
        }
    }
    dirs.sort();
    dirs
}

fn open_mirror(dir: &Path) -> Result<Mirror, ReadProblem> {
    let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !mirror::is_project(name) {
        return Err(no_mirror(dir, "no project has such a name"));
    }
    if trust::is_foreign(dir) {
        return Err(no_mirror(dir, "it belongs to another user"));
    }
    let bytes = read::file(dir, &dir.join(DESCRIPTION), read::MAX_FILE)?;
    let bytes = bytes.ok_or_else(|| no_mirror(dir, "it has no mirror.json"))?;
    Mirror::read(&bytes, name)
        .map_err(|error| no_mirror(&dir.join(DESCRIPTION), &error.to_string()))
}

fn no_mirror(path: &Path, why: &str) -> ReadProblem {
    ReadProblem { path: path.to_path_buf(), kind: ProblemKind::NoMirror(why.to_owned()) }
}

/// Returns the number of bytes in the files of a mirror that are read.
pub fn mirror_bytes(dir: &Path) -> u64 {
    let size = |path: PathBuf| fs::symlink_metadata(path).map_or(0, |meta| meta.len());
    let folder = |name: &str| {
        let listed = fs::read_dir(dir.join(name)).into_iter().flatten().flatten();
        listed.map(|entry| size(entry.path())).fold(0, u64::saturating_add)
    };
    folder("topics").saturating_add(folder("archive")).saturating_add(size(dir.join(EVIDENCE)))
}

//! Findings of `check` that are about no line: settings, permissions, locks, indices and git files, and
//! what awaits review. Each has a fix.
//!
//! Does not modify any store.

use std::{slice, time::Duration};

use serde::Serialize;

use super::{Memory, model, trust::Unreviewed};
use crate::process::Leaky;
use crate::{
    config::settings::Embedding,
    index::{
        corpus::{self, Freshness},
        postings,
    },
    store::{
        self, LockError, Store, StoreLock, discover, evidence, provenance, read::ReadProblem,
        snapshot::Snapshot,
    },
    view::count,
};

/// Facts and findings about what surrounds the lines of the stores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Machine {
    pub facts: Vec<Fact>,
    pub findings: Vec<MachineFinding>,
}

impl Machine {
    /// Looks at a store and what is beside it.
    pub(super) fn look(&mut self, memory: &Memory, store: &Store, snapshot: &Snapshot) {
        let mut fact = |name: &str, value| self.facts.push(Fact { name: name.to_owned(), value });
        fact(&format!("{} store", store.scope.name()), store.dir.display().to_string());
        let strict = store.clone().strict();
        memory.note_own(provenance::LIMIT, slice::from_ref(&strict), slice::from_ref(snapshot));
        let placed = snapshot.placed(&strict, &memory.config.categories);
        let placed = Leaky::new(placed, memory.ends_soon);
        let unreviewed = memory.unreviewed(slice::from_ref(&strict), placed.iter());
        let entries = placed.len();
        let (topics, events) = (snapshot.topics.len(), snapshot.ledger.len());
        fact("entries", format!("{entries} in {topics} topics, {events} events"));
        let aside = evidence::count(&store.logs().unwrap_or_default().local);
        if aside > 0 {
            fact("events of hooks", format!("{aside} in {}", store.local_log_name()));
        }
        let missed = store.missed_calls().len();
        if missed > 0 {
            let why = "ended at the deadline, or too large to be judged";
            fact("calls of hooks", format!("{missed} {why}"));
        }
        let (index, found) = examine(memory, store, snapshot, &unreviewed);
        fact("index", index.in_words());
        self.findings.extend(found);
    }

    /// Names the mirrors.
    pub(super) fn mirrors(&mut self, memory: &Memory) {
        for mirror in memory.sharing().all_mirrors().0 {
            let of = mirror.mirror.as_ref().map_or("", |mirror| &mirror.project);
            let (name, dir) = (format!("mirror {of}"), mirror.dir.display().to_string());
            self.facts.push(Fact { name, value: dir });
        }
    }
}

/// Returns findings that do not depend on the content of a store.
pub(super) fn around(memory: &Memory) -> Vec<MachineFinding> {
    let wrong = memory.config.unusable.iter();
    let mut findings: Vec<MachineFinding> = wrong
        .map(|wrong| MachineFinding::new(format!("{wrong}; left out"), wrong.hint.as_str()))
        .collect();
    findings.extend(model::lacking(memory).map(|failure| {
        let origin = memory.config.origin(&Embedding::model);
        let fix = format!("{}; until then the built-in model serves", failure.hints.join("; "));
        MachineFinding::new(format!("{origin}: embedding.model: {}", failure.message), fix)
    }));
    findings.extend(
        memory.seal_problems().iter().map(|it| MachineFinding::new(it.to_string(), it.hint())),
    );
    findings.extend(memory.unread_store().map(|it| MachineFinding::new(it.says, it.fix)));
    let (_, problems) = memory.sharing().all_mirrors();
    findings.extend(problems.iter().map(|it| MachineFinding::new(it.to_string(), it.hint())));
    findings
}

/// Returns the state of a store's index, and all findings about the store but for those about lines.
pub(super) fn examine(
    memory: &Memory,
    store: &Store,
    snapshot: &Snapshot,
    unreviewed: &Unreviewed,
) -> (IndexState, Vec<MachineFinding>) {
    let mut findings = contents(snapshot);
    findings.extend(waiting(unreviewed));
    findings.extend(spooled(store));
    if discover::is_there(&store.dir) {
        findings.extend(writing(store));
        findings.extend(git_files(memory, store));
    }
    let (index, found) = index(memory, store, &snapshot.problems);
    findings.extend(found);
    (index, findings)
}

/// Returns findings about files that could not be read, and entries without evidence.
fn contents(snapshot: &Snapshot) -> Vec<MachineFinding> {
    let mut found: Vec<MachineFinding> = snapshot
        .problems
        .iter()
        .map(|problem| MachineFinding::new(problem.to_string(), problem.hint()))
        .collect();
    if !snapshot.adopted.is_empty() {
        let mut entries: Vec<_> = snapshot.adopted.iter().map(|event| event.entry).collect();
        entries.dedup();
        found.push(MachineFinding::new(
            match entries.len() {
                1 => "1 entry was written by hand and has no evidence yet".to_owned(),
                count => format!("{count} entries were written by hand and have no evidence yet"),
            },
            "pimem rebuild adopts them",
        ));
    }
    found
}

/// Returns a finding if entries await review.
fn waiting(unreviewed: &Unreviewed) -> Option<MachineFinding> {
    let any = unreviewed.waiting + unreviewed.others > 0;
    let fix = match unreviewed.others {
        0 => "pimem trust --review shows what agents are not shown",
        _ => unreviewed.came.remedy(),
    };
    any.then(|| MachineFinding::new(unreviewed.told(None), fix))
}

/// Returns a finding if sentences of prompts could not be learned.
fn spooled(store: &Store) -> Option<MachineFinding> {
    let waiting = store.spooled().len();
    let what = format!("{} of prompts could not be learned yet", count(waiting, "sentence"));
    let fix = "the next call that can write the store learns them";
    (waiting > 0).then(|| MachineFinding::new(what, fix))
}

/// Returns a finding if the store is not writable or its lock cannot be taken.
fn writing(store: &Store) -> Option<MachineFinding> {
    let fix = "give yourself write permission, or go on reading only";
    match StoreLock::probe(&store.dir, Duration::from_millis(200)) {
        Ok(()) => None,
        Err(LockError::Busy(..)) => Some(MachineFinding::new(
            format!("{} is locked by another process", store.dir.display()),
            "wait for it to end; a lock never outlives its process",
        )),
        Err(LockError::Refused(problem)) => {
            Some(MachineFinding::new(problem.to_string(), problem.hint()))
        }
        Err(LockError::Io(_, error)) => Some(MachineFinding::new(
            format!("{} cannot be written: {error}", store.dir.display()),
            fix,
        )),
    }
}

fn git_files(memory: &Memory, store: &Store) -> Vec<MachineFinding> {
    let mut found = Vec::new();
    if memory.places.work_tree(&store.dir).is_none() {
        return found;
    }
    for (name, wanted, why) in [
        (".gitattributes", store::GIT_ATTRIBUTES, "git merges what two branches remembered"),
        (".gitignore", store::GIT_IGNORE, "what belongs to this machine stays on it"),
    ] {
        let held = match store.file(name) {
            Ok(held) => String::from_utf8_lossy(&held.unwrap_or_default()).into_owned(),
            Err(problem) => {
                found.push(MachineFinding::new(problem.to_string(), problem.hint()));
                continue;
            }
        };
        let is_there = |line: &&str| held.lines().any(|known| known.trim() == *line);
        let lacking: Vec<&str> = wanted.lines().filter(|line| !is_there(line)).collect();
        if !lacking.is_empty() {
            let what = format!("{name} lacks: {}", lacking.join("; "));
            found.push(MachineFinding::new(what, format!("add these lines, so that {why}")));
        }
    }
    found
}

pub(super) struct IndexState {
    /// Freshness relative to the store; `None` if there is no cache directory.
    freshness: Option<Freshness>,
    pub(super) lines: u64,
    bytes: u64,
}

impl IndexState {
    /// Returns the state for JSON output.
    pub(super) fn state(&self) -> &'static str {
        match &self.freshness {
            None | Some(Freshness::Absent) => "none",
            Some(Freshness::Fresh) => "fresh",
            Some(Freshness::Stale(_)) => "stale",
            Some(Freshness::Broken(_)) => "damaged",
        }
    }

    pub(super) fn in_words(&self) -> String {
        let size = rounded(self.bytes);
        let lines = count(usize::try_from(self.lines).unwrap_or(usize::MAX), "line");
        match &self.freshness {
            None => "none".to_owned(),
            Some(Freshness::Absent) => format!("none yet; {lines} to search"),
            Some(Freshness::Fresh) => format!("fresh; {lines}, {size}"),
            Some(Freshness::Stale(files)) => {
                format!("{} changed since; {lines}, {size}", count(*files, "file"))
            }
            Some(Freshness::Broken(_)) => "damaged".to_owned(),
        }
    }
}

/// Returns a size in words. Which lines an index has in its base, and which beside it, changes the
/// last digits.
fn rounded(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{} KB", bytes.div_ceil(1_000)),
        10_000..1_000_000 => format!("{} KB", (bytes + 5_000) / 10_000 * 10),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// Returns the state of the index, and findings about it.
fn index(
    memory: &Memory,
    store: &Store,
    known: &[ReadProblem],
) -> (IndexState, Vec<MachineFinding>) {
    let Some(dir) = memory.cache_dir(store) else {
        let fix = "set XDG_CACHE_HOME or HOME; searches work without it";
        let none = IndexState { freshness: None, lines: 0, bytes: 0 };
        return (none, vec![MachineFinding::new("there is no cache directory", fix)]);
    };
    let bytes = postings::size_on_disk(&dir);
    // A word is looked up in an index; without one, no word is looked for in all texts.
    let terms = (bytes > 0).then_some("index").into_iter().collect();
    let corpus = corpus::Corpus::open(store, Some(&dir), &terms, &memory.config.categories);
    let mut found: Vec<MachineFinding> = corpus
        .problems
        .iter()
        .filter(|problem| !known.contains(problem))
        .map(|problem| MachineFinding::new(problem.to_string(), problem.hint()))
        .collect();
    if let Freshness::Broken(why) = &corpus.freshness {
        let fix = "pimem rebuild makes it anew; searches work without it";
        found.push(MachineFinding::new(format!("the index is damaged: {why}"), fix));
    }
    (IndexState { freshness: Some(corpus.freshness), lines: corpus.size.docs, bytes }, found)
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    pub name: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MachineFinding {
    #[serde(rename = "finding")]
    pub what: String,
    pub fix: String,
}

impl MachineFinding {
    pub fn new(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what: what.into(), fix: fix.into() }
    }
}

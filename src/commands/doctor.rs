//! `pimem doctor`: look at store, permissions, lock, index and git files; each finding has a fix.
//!
//! Changes nothing in a store.

use serde_json::{Value, json};

use super::check;
use crate::{exit::Exit, shell::Shell};
use pimem_core::{lint, search::bm25::Query, view::count};
use pimem_engine::{
    config::settings::Embedding,
    error::Failure,
    index::{
        corpus::{self, Freshness},
        postings,
    },
    memory::{model, review, trust::Unreviewed},
    store::{
        evidence_log, init,
        lock::{LockError, StoreLock},
        read::Problem,
        snapshot::{self, EVIDENCE, Snapshot, Store},
    },
};

/// Look for what is wrong with the stores, and say how to mend it
///
/// Exit code 1 says that something was found.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Something that is wrong.
pub(crate) struct Finding {
    what: String,
    fix: String,
}

fn finding(what: impl Into<String>, fix: impl Into<String>) -> Finding {
    Finding { what: what.into(), fix: fix.into() }
}

pub(crate) fn run(ctx: &Shell, _: &Args) -> Result<Exit, Failure> {
    let stores = ctx.readers()?;
    let mut findings = around(ctx, &stores);
    let mut facts: Vec<(String, String)> = Vec::new();
    for store in &stores {
        let snapshot = store.read(ctx.now, &ctx.config.categories);
        let dir = store.dir.display().to_string();
        facts.push((format!("{} store", store.scope.name()), dir));
        let unreviewed = review::held(ctx, store.clone().strict(), &snapshot).unreviewed;
        let entries = snapshot.placed(store, &ctx.config.categories).len();
        let events = snapshot.ledger.len();
        facts.push((
            "entries".to_owned(),
            format!("{entries} in {} topics, {events} events", snapshot.topics.len()),
        ));
        let aside = evidence_log::count(&store.logs().unwrap_or_default().local);
        if aside > 0 {
            let told = format!("{aside} in {}", store.local_log_name());
            facts.push(("events of hooks".to_owned(), told));
        }
        let (index, found) = examine(ctx, store, &snapshot, unreviewed);
        facts.push(("index".to_owned(), index.told()));
        findings.extend(found);
    }
    if ctx.ui.json {
        let list: Vec<Value> =
            findings.iter().map(|f| json!({"finding": f.what, "fix": f.fix})).collect();
        let facts: Vec<Value> =
            facts.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
        ctx.ui.document(&json!({"schema": "pimem.doctor/1", "facts": facts, "findings": list}));
    } else {
        for (name, value) in &facts {
            ctx.ui.line(&format!("{name:<16} {value}"));
        }
        for Finding { what, fix } in &findings {
            ctx.ui.line(&format!("finding: {what}"));
            ctx.ui.line(&format!("    fix: {fix}"));
        }
        if findings.is_empty() {
            ctx.ui.line("no findings");
        }
    }
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Nothing })
}

/// What is wrong whatever a store holds.
pub(crate) fn around(ctx: &Shell, stores: &[Store]) -> Vec<Finding> {
    let wrong = ctx.config.unusable.iter();
    let mut findings: Vec<Finding> =
        wrong.map(|wrong| finding(format!("{wrong}; left out"), wrong.hint.as_str())).collect();
    findings.extend(model::lacking(ctx).map(|failure| {
        let origin = ctx.config.origin(&Embedding::model);
        let fix = format!("{}; until then the built-in model serves", failure.hints.join("; "));
        finding(format!("{origin}: embedding.model: {}", failure.message), fix)
    }));
    if stores.is_empty() {
        findings.push(finding("there is no store here", "pimem init makes one"));
    }
    findings
}

/// The index of a store, and all that is wrong with the store.
pub(crate) fn examine(
    ctx: &Shell,
    store: &Store,
    snapshot: &Snapshot,
    unreviewed: Unreviewed,
) -> (Index, Vec<Finding>) {
    let mut findings = contents(ctx, store, snapshot);
    findings.extend(waiting(unreviewed));
    findings.extend(writing(store));
    findings.extend(git_files(ctx, store));
    let (index, found) = index(ctx, store, &snapshot.problems);
    findings.extend(found);
    (index, findings)
}

/// What is wrong with the markdown and the log.
fn contents(ctx: &Shell, store: &Store, snapshot: &Snapshot) -> Vec<Finding> {
    let mut found: Vec<Finding> = snapshot
        .problems
        .iter()
        .map(|problem| finding(problem.to_string(), problem.hint()))
        .collect();
    let (logs, local) = (store.logs().unwrap_or_default(), store.local_log_name());
    let topics = snapshot::docs(&snapshot.topics);
    let logs: [lint::store::Log<'_>; 2] = [(EVIDENCE, &logs.shared), (&local, &logs.local)];
    let health = lint::store::health(check::measure(ctx), &topics, &logs);
    found.extend(health.iter().map(|f| finding(format!("{} {}", f.place, f.says), f.rule.fix)));
    if !snapshot.adopted.is_empty() {
        let mut entries: Vec<_> = snapshot.adopted.iter().map(|event| event.entry).collect();
        entries.dedup();
        found.push(finding(
            format!("{} entries were written by hand and have no evidence yet", entries.len()),
            "pimem rebuild adopts them",
        ));
    }
    found
}

/// Whether entries are left out of what agents read.
fn waiting(unreviewed: Unreviewed) -> Option<Finding> {
    let any = unreviewed.waiting + unreviewed.others > 0;
    let fix = "pimem trust --review shows what agents are not shown";
    any.then(|| finding(unreviewed.told(None), fix))
}

/// Whether the store can be written, and its lock taken.
fn writing(store: &Store) -> Option<Finding> {
    let fix = "give yourself write permission, or go on reading only";
    match StoreLock::probe(&store.dir, std::time::Duration::from_millis(200)) {
        Ok(()) => None,
        Err(LockError::Busy(..)) => Some(finding(
            format!("{} is locked by another process", store.dir.display()),
            "wait for it to end; a lock never outlives its process",
        )),
        Err(LockError::Refused(problem)) => Some(finding(problem.to_string(), problem.hint())),
        Err(LockError::Io(_, error)) => {
            Some(finding(format!("{} cannot be written: {error}", store.dir.display()), fix))
        }
    }
}

fn git_files(ctx: &Shell, store: &Store) -> Vec<Finding> {
    let mut found = Vec::new();
    if ctx.places.work_tree(&store.dir).is_none() {
        return found;
    }
    for (name, wanted, why) in [
        (".gitattributes", init::GIT_ATTRIBUTES, "git merges what two branches remembered"),
        (".gitignore", init::GIT_IGNORE, "what belongs to this machine stays on it"),
    ] {
        let held = match store.file(name) {
            Ok(held) => String::from_utf8_lossy(&held.unwrap_or_default()).into_owned(),
            Err(problem) => {
                found.push(finding(problem.to_string(), problem.hint()));
                continue;
            }
        };
        let is_there = |line: &&str| held.lines().any(|known| known.trim() == *line);
        let lacking: Vec<&str> = wanted.lines().filter(|line| !is_there(line)).collect();
        if !lacking.is_empty() {
            let what = format!("{name} lacks: {}", lacking.join("; "));
            found.push(finding(what, format!("add these lines, so that {why}")));
        }
    }
    found
}

/// The index of a store.
pub(crate) struct Index {
    /// How it stands to the store; `None` where there is no place for one.
    freshness: Option<Freshness>,
    /// Lines to search.
    pub(crate) lines: u64,
    bytes: u64,
}

impl Index {
    /// Its state, for programs.
    pub(crate) fn state(&self) -> &'static str {
        match &self.freshness {
            None | Some(Freshness::Absent) => "none",
            Some(Freshness::Fresh) => "fresh",
            Some(Freshness::Stale(_)) => "stale",
            Some(Freshness::Broken(_)) => "damaged",
        }
    }

    /// Its state in words.
    pub(crate) fn told(&self) -> String {
        let bytes = self.bytes;
        let lines = count(usize::try_from(self.lines).unwrap_or(usize::MAX), "line");
        match &self.freshness {
            None => "none".to_owned(),
            Some(Freshness::Absent) => format!("none yet; {lines} to search"),
            Some(Freshness::Fresh) => format!("fresh; {lines}, {bytes} bytes"),
            Some(Freshness::Stale(files)) => {
                format!("{} changed since; {lines}, {bytes} bytes", count(*files, "file"))
            }
            Some(Freshness::Broken(_)) => "damaged".to_owned(),
        }
    }
}

/// The index, and what is wrong with it.
fn index(ctx: &Shell, store: &Store, known: &[Problem]) -> (Index, Vec<Finding>) {
    let Some(dir) = ctx.cache_dir(store) else {
        let fix = "set XDG_CACHE_HOME or HOME; searches work without it";
        let none = Index { freshness: None, lines: 0, bytes: 0 };
        return (none, vec![finding("there is no cache directory", fix)]);
    };
    let corpus =
        corpus::Corpus::open(store, Some(&dir), &Query::new("index"), &ctx.config.categories);
    let mut found: Vec<Finding> = corpus
        .problems
        .iter()
        .filter(|problem| !known.contains(problem))
        .map(|problem| finding(problem.to_string(), problem.hint()))
        .collect();
    if let Freshness::Broken(why) = &corpus.freshness {
        let fix = "pimem rebuild makes it anew; searches work without it";
        found.push(finding(format!("the index is damaged: {why}"), fix));
    }
    let (lines, bytes) = (corpus.size.docs, postings::size_on_disk(&dir));
    (Index { freshness: Some(corpus.freshness), lines, bytes }, found)
}

//! The linter of stores, with fixes that lose no information.

use crate::memory::handles::Tending;
use std::{
    collections::{BTreeMap, BTreeSet},
    panic,
    path::{Path, PathBuf},
    thread,
};

use serde::Serialize;

use super::{
    Answer, Memory, archived, guards,
    machine::{self, Fact, Machine, MachineFinding},
};
use crate::{
    config::settings::TopicLimit,
    error::Failure,
    local_time,
    process::Leaky,
    store::{
        Store,
        read::ReadProblem,
        rooms::TOPIC_CHARS,
        snapshot::{self, EVIDENCE, Snapshot},
        transaction::{Change, Target},
    },
};
use pimem_core::{
    gate,
    lint::{
        rule::{self, Finding, FindingPlace, Fix, Rule},
        store::{self, Contents, Measure},
    },
    markdown::topic::TopicEntry,
    model::{
        entry::{EntryId, Wording},
        event::ArchiveReason,
    },
    safety::secret,
    score::ranking::{Ranking, Scope, ScoredEntry},
};

#[derive(Debug, Clone, Default)]
pub struct CheckRequest {
    /// Ids of rules to use; empty for all.
    pub rules: Vec<String>,
    /// Ids of rules to skip.
    pub allowed: Vec<String>,
    pub mending: Mending,
    /// The findings of the machine around the stores; with `None` only the stores are checked.
    pub machine: Option<Vec<MachineFinding>>,
}

/// How to handle findings that have a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mending {
    /// Reports them only.
    #[default]
    No,
    /// Reports the fixes without applying them.
    DryRun,
    /// Applies the fixes.
    Yes,
}

impl Tending<'_> {
    /// Checks the stores and, if requested, applies fixes.
    ///
    /// # Errors
    /// Fails if the named store does not exist, or if a fix cannot be written.
    pub fn check(self, request: &CheckRequest) -> Result<Answer<Checked>, Failure> {
        let dry_run = request.mending == Mending::DryRun;
        let around = request.machine.is_some();
        let stores = if around { self.memory.readers_left()? } else { self.memory.readers()? };
        let mut machine = Machine::default();
        if around {
            machine.findings.extend(machine::around(self.memory));
        }
        let mut view = Checked { dry_run, ..Checked::default() };
        let mut problems = Vec::new();
        for store in stores {
            let looked = |machine: Option<&mut Machine>| {
                let snapshot = store.read(self.memory.now, &self.memory.config.categories);
                let snapshot = Leaky::new(snapshot, self.memory.ends_soon);
                let beside = || {
                    if let Some(machine) = machine {
                        machine.look(self.memory, &store, &snapshot);
                    }
                };
                let ((), mut found, unread) = look(self.memory, &store, &snapshot, None, beside);
                found.extend(guards::empty_places(self.memory, &snapshot));
                found.retain(|finding| request.wants(finding));
                (found, unread)
            };
            let (mut found, mut unread) = looked(Some(&mut machine).filter(|_| around));
            let is_mended =
                |finding: &&Finding| request.mending != Mending::No && finding.fix.is_some();
            let mut fixed: Vec<Finding> = found.iter().filter(is_mended).cloned().collect();
            if !fixed.is_empty() && !dry_run {
                fixed = mend(self.memory, request, &store)?;
                (found, unread) = looked(None);
            }
            problems.extend(unread);
            let shown = |finding| FindingView::new(store.scope, finding);
            view.findings.extend(found.iter().map(shown));
            view.fixed.extend(fixed.iter().map(shown));
            let root = root(self.memory, &store.dir).map(Path::to_path_buf);
            view.stores.push(CheckedStore { scope: store.scope, dir: store.dir, root });
        }
        if around {
            machine.mirrors(self.memory);
        }
        machine.findings.extend(request.machine.iter().flatten().cloned());
        (view.facts, view.machine) = (machine.facts, machine.findings);
        Ok(Answer { view, problems })
    }

    /// Looks for what entries of the project forbid, reviewed or not, in all files of the work tree, or
    /// in what was added since a revision.
    ///
    /// # Errors
    /// Fails if the named store does not exist, or git cannot compare with the revision.
    pub fn check_guards(self, base: Option<&str>) -> Result<Answer<Checked>, Failure> {
        let stores = self.memory.readers()?;
        let (ranking, snapshots) = self.memory.ranking(&stores);
        let root = self.memory.places.repository();
        let files = guards::WorkTreeFiles::of(root, base)?;
        let mut findings = Vec::new();
        let rows =
            ranking.rows.iter().filter(|row| !row.is_over() && row.entry.scope != Scope::User);
        for row in rows.filter(|row| !row.entry.asides.rules.is_empty()) {
            let mut add = |rule, place: FindingPlace, says: String| {
                let finding =
                    Finding { entry: Some(row.entry.id), ..Finding::new(rule, place, says) };
                findings.push(FindingView::new(Scope::Project, &finding));
            };
            let text = gate::masked(&row.entry.text);
            for (place, line) in guards::forbidden(&row.entry.asides.rules, root, &files) {
                let what =
                    line.map_or_else(|| "is changed".to_owned(), |line| format!("has {line:?}"));
                add(&rule::FORBIDDEN, place, format!("{what}, against: {text}"));
            }
        }
        findings
            .sort_by(|one, other| (&one.place, &one.message).cmp(&(&other.place, &other.message)));
        let (dir, at) = (root.to_path_buf(), Some(root.to_path_buf()));
        let stores = vec![CheckedStore { scope: Scope::Project, dir, root: at }];
        let view = Checked { stores, findings, ..Checked::default() };
        Ok(Answer { view, problems: super::problems(&snapshots) })
    }
}

impl CheckRequest {
    fn wants(&self, finding: &Finding) -> bool {
        let named = |list: &[String]| list.iter().any(|known| known == finding.rule.id);
        (self.rules.is_empty() || named(&self.rules)) && !named(&self.allowed)
    }
}

/// Returns the work tree of a store; without one, the project that holds `.pi/memory`.
fn root<'a>(memory: &Memory, dir: &'a Path) -> Option<&'a Path> {
    let holds = || dir.ancestors().nth(2).filter(|_| dir.ends_with(".pi/memory"));
    memory.places.work_tree(dir).or_else(holds)
}

/// Checks the lines of a whole store, with a ranking of its entries if there is one, and does
/// something beside that. Returns what that returned, the findings, and files that could not be read.
pub(super) fn look<T>(
    memory: &Memory,
    store: &Store,
    snapshot: &Snapshot,
    known: Option<&Ranking>,
    beside: impl FnOnce() -> T,
) -> (T, Vec<Finding>, Vec<ReadProblem>) {
    let categories = &memory.config.categories;
    let archive = store.read_archive(categories);
    let (listed, unnamed) = store.note_files();
    let mut problems = [snapshot.problems.clone(), archive.problems, unnamed].concat();
    let mut read = |name: String| match store.file(&name) {
        Ok(bytes) => Some((name, bytes?)),
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    // Files beside the store are local to this machine and not checked.
    let names = listed.into_iter().map(|file| file.name).filter(|name| !name.starts_with("../"));
    let notes: Vec<(String, Vec<u8>)> = names.filter_map(&mut read).collect();
    let (logs, local) = (store.logs().unwrap_or_default(), store.local_log_name());
    let own = known.is_none().then(|| ranking(memory, store, snapshot));
    let own = Leaky::new(own.unwrap_or_default(), memory.ends_soon);
    let ranking = known.unwrap_or(&own);
    let held = Contents {
        topics: snapshot::docs(&snapshot.topics),
        archive: snapshot::docs(&archive.topics),
        notes: &notes,
        logs: &[(EVIDENCE, &logs.shared), (&local, &logs.local)],
        rows: &ranking.rows,
    };
    let measure = measure(memory);
    let (done, findings) = thread::scope(|threads| {
        let lint = threads.spawn(|| store::check(measure, &held));
        (beside(), lint.join())
    });
    let mut findings = findings.unwrap_or_else(|panic| panic::resume_unwind(panic));
    findings.retain(|finding| !is_let_out(finding, &ranking.rows));
    (done, findings, problems)
}

/// Returns true for what looks like a secret in an entry, where a person said that it is none.
fn is_let_out(finding: &Finding, rows: &[ScoredEntry]) -> bool {
    let is_it = |row: &&ScoredEntry| finding.entry == Some(row.entry.id);
    finding.rule == &rule::SECRET
        && rows.iter().find(is_it).is_some_and(|row| {
            row.entry.secret.is_none() && secret::seen(&row.entry.text).is_some()
        })
}

/// Returns the limits that stores are checked against.
pub(super) fn measure(memory: &Memory) -> Measure<'_> {
    Measure {
        now: memory.now,
        categories: &memory.config.categories,
        topic_chars: TOPIC_CHARS,
        goes_on: memory.config.settings.report.topic_limit == TopicLimit::Continue,
        date: local_time::date,
    }
}

fn ranking(memory: &Memory, store: &Store, snapshot: &Snapshot) -> Ranking {
    let placed = snapshot.placed(store, &memory.config.categories);
    Ranking::new(memory.now, memory.rules(), vec![(placed, &snapshot.ledger)])
}

/// Applies fixes under the lock, and returns the fixed findings.
fn mend(memory: &Memory, request: &CheckRequest, store: &Store) -> Result<Vec<Finding>, Failure> {
    let lock = super::lock(memory, store)?;
    let mut txn = store.begin(&lock, &memory.config.categories, memory.now, memory.who());
    if let Some(problem) = txn.snapshot().problems.first() {
        return Err(Failure::from(problem));
    }
    let ranking = ranking(memory, store, txn.snapshot());
    let topics = snapshot::docs(&txn.snapshot().topics);
    let mut fixed = store::mendable(measure(memory), &topics, &ranking.rows);
    fixed.retain(|finding| request.wants(finding));
    let entries = |fix| -> BTreeSet<EntryId> {
        let of = fixed.iter().filter(|finding| finding.fix == Some(fix));
        of.filter_map(|finding| finding.entry).collect()
    };
    let archived = entries(Fix::Archive);
    // An archived entry leaves all its lines.
    fixed.retain(|finding| {
        finding.fix == Some(Fix::Archive) || finding.entry.is_some_and(|id| !archived.contains(&id))
    });
    let mut changes: Vec<(String, Change)> = Vec::new();
    for (stem, doc) in &topics {
        let place = format!("topics/{stem}.md");
        let here = fixed.iter().filter(|finding| finding.place.file == place);
        let here = here.filter(|finding| finding.fix == Some(Fix::DeleteRepeat));
        let lines: BTreeSet<usize> = here.filter_map(|finding| finding.place.line).collect();
        let is_gone = |entry: &&TopicEntry| lines.contains(&entry.line);
        // Compared by text, because ids can be made to collide.
        let mut gone: BTreeMap<Wording, usize> = BTreeMap::new();
        for entry in doc.entries.iter().filter(is_gone) {
            *gone.entry(entry.wording()).or_default() += 1;
        }
        for (of, count) in gone {
            let here = doc.entries.iter().filter(|entry| entry.is(&of)).count();
            changes.push(((*stem).to_owned(), Change::RemoveRepeats(of, count < here)));
        }
    }
    for (stem, change) in changes {
        txn.change(Target::Topic(stem), change);
    }
    for row in ranking.rows.iter().filter(|row| archived.contains(&row.entry.id)) {
        archived::archive(&mut txn, row, ArchiveReason::Replaced)?;
    }
    txn.commit()?;
    Ok(fixed)
}

impl Checked {
    /// Returns true if nothing was found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.machine.is_empty()
    }
}

/// The findings of a check of one or more stores.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    /// Stores that were checked.
    #[serde(skip)]
    pub stores: Vec<CheckedStore>,
    /// What the machine has, one sentence each; empty if it was not looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// Sorted by store, file and line.
    pub findings: Vec<FindingView>,
    /// Findings that are about no line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub machine: Vec<MachineFinding>,
    /// True if nothing was written.
    pub dry_run: bool,
    /// Findings that were fixed, or would be in a dry run.
    pub fixed: Vec<FindingView>,
}

/// A store that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedStore {
    pub scope: Scope,
    pub dir: PathBuf,
    /// Work tree or project that contains the store.
    pub root: Option<PathBuf>,
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingView {
    /// Id of the rule.
    pub rule: &'static str,
    /// `error` or `warning`.
    pub level: &'static str,
    /// `project` or `user`.
    pub scope: &'static str,
    /// File, with line and column only if the finding is about one.
    #[serde(flatten)]
    pub place: FindingPlace,
    /// Entry on that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Statement about the place, as a predicate.
    pub message: String,
    /// Advice for a person.
    pub fix: String,
    /// Whether `--fix` does something about it.
    pub fixable: bool,
    /// How `--fix` repairs it. Serialised as a boolean: whether it can be repaired.
    #[serde(skip)]
    pub mending: Option<Fix>,
}

/// The rules of the linter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rules {
    pub rules: &'static [&'static Rule],
}

impl FindingView {
    /// Returns the view of a finding in a store.
    pub fn new(scope: Scope, finding: &rule::Finding) -> Self {
        Self {
            rule: finding.rule.id,
            level: finding.rule.level.name(),
            scope: scope.name(),
            place: finding.place.clone(),
            entry: finding.entry.map(|id| id.to_string()),
            message: finding.says.clone(),
            fix: finding.remedy(),
            fixable: finding.fix.is_some(),
            mending: finding.fix,
        }
    }
}

documents! {
    Checked: "pimem.check/1",
    Rules: "pimem.rules/1",
}

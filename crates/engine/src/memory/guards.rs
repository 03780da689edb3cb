//! Guards in force: the rules of entries that a person has made by a command, or taken in a review, and
//! that the tools of agents are held to.
//!
//! That a line stands in a file is not enough, whoever wrote it: a clone, a pull and an agent's edit
//! block nobody. What is in force is kept beside the ledger of trust, with the stamps of the files
//! that it was made of, because a hook asks before every tool.

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use pimem_core::{
    guard::{GuardHit, Sentry, ToolAct, glob},
    language::forbidden,
    lint::rule::{self, Finding, FindingPlace},
    markdown::topic::TopicEntry,
    model::{
        entry::{EntryId, Wording},
        hash::fnv1a64,
        rules::{LineRule, LineRules},
        time::Timestamp,
    },
    review::Contributor,
    score::ranking::ScoredEntry,
};
use serde::{Deserialize, Serialize};

use super::{
    Memory,
    handles::{Reading, Writing},
};
use crate::{
    error::{Failure, FailureKind},
    store::{
        Store,
        atomic::{self, Sync},
        discover,
        git::{self, Git},
        snapshot::{Snapshot, TopicFile},
    },
    view::count,
};

/// Directory of what is in force, below the state directory.
const FOLDER: &str = "pimem/guards";
/// Largest file of it in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// An entry whose guards are in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardInForce {
    /// 16 hexadecimal digits.
    pub id: String,
    pub category: String,
    pub text: String,
    /// Its guards, a line each.
    rules: String,
    /// Index of its store.
    store: usize,
    /// Last moment of validity, in milliseconds since 1970.
    until: Option<i64>,
}

impl GuardInForce {
    pub fn id(&self) -> Option<EntryId> {
        self.id.parse().ok()
    }

    pub fn rules(&self) -> LineRules {
        LineRules::read(&self.rules)
    }

    /// Returns its store among those that were asked.
    pub fn store<'a>(&self, stores: &'a [Store]) -> Option<&'a Store> {
        stores.get(self.store)
    }
}

/// What was made of files with these stamps.
#[derive(Serialize, Deserialize)]
struct Compiled {
    stamps: u64,
    guards: Vec<GuardInForce>,
}

/// Returns the first guard that forbids one of a tool's acts.
pub fn find<'a>(
    guards: &'a [GuardInForce],
    acts: &[ToolAct<'_>],
) -> Option<(&'a GuardInForce, GuardHit)> {
    let mut sentry = Sentry::default();
    guards.iter().find_map(|guard| {
        let rules = guard.rules();
        let hit = |rule: &LineRule| acts.iter().find_map(|act| sentry.find(rule, *act));
        rules.iter().find_map(hit).map(|hit| (guard, hit))
    })
}

/// What persons have put in force for one entry.
#[derive(Debug, Default)]
pub struct Sanction {
    /// Guards, a line each, the latest last; empty where a person took them off.
    sets: Vec<LineRules>,
}

impl Sanction {
    /// Returns true if a person has made exactly these guards.
    pub fn holds(&self, rules: &LineRules) -> bool {
        self.sets.contains(&rules.only(LineRule::is_guard))
    }

    /// Returns true if guards were made or taken off, and no person has said so.
    pub fn awaits(&self, rules: &LineRules) -> bool {
        !self.holds(rules) && (rules.has_guard() || self.latest().has_guard())
    }

    /// Returns the guards in force for a line that has these.
    pub fn in_force(&self, rules: &LineRules) -> LineRules {
        if self.holds(rules) { rules.only(LineRule::is_guard) } else { self.latest() }
    }

    /// Returns those in force that a line has no more.
    pub fn taken_off(&self, rules: &LineRules) -> impl Iterator<Item = LineRule> {
        let latest = self.latest();
        let gone: Vec<LineRule> =
            latest.iter().filter(|rule| !rules.iter().any(|one| one == *rule)).cloned().collect();
        gone.into_iter()
    }

    fn latest(&self) -> LineRules {
        self.sets.last().cloned().unwrap_or_default()
    }
}

/// What persons have put in force in a store, by entry.
#[derive(Debug, Default)]
pub struct Sanctions(HashMap<(EntryId, String), Sanction>);

impl Sanctions {
    pub fn of(&self, of: &Wording) -> &Sanction {
        static NONE: Sanction = Sanction { sets: Vec::new() };
        self.0.get(&(of.id, of.text.clone())).unwrap_or(&NONE)
    }
}

/// A line of the file of what is in force, in the state directory, where no clone and no pull writes.
#[derive(Serialize, Deserialize)]
struct SanctionLine {
    id: String,
    text: String,
    /// Guards, a line each.
    rules: String,
}

fn sanctions_path(store: &Store) -> Option<PathBuf> {
    store.trust.ledger().map(|ledger| ledger.with_extension("guards"))
}

/// Reads what persons have put in force in a store.
pub fn sanctions(store: &Store) -> Sanctions {
    let mut all = Sanctions::default();
    let read = |path: PathBuf| store.seal.read(path.parent()?, &path, MOST_BYTES).ok()?;
    let bytes = sanctions_path(store).and_then(read).unwrap_or_default();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<SanctionLine>(line) else { continue };
        let Ok(id) = line.id.parse() else { continue };
        all.0.entry((id, line.text)).or_default().sets.push(LineRules::read(&line.rules));
    }
    all
}

impl Writing<'_> {
    /// Puts the guards of an entry in force, if a person makes them.
    pub(super) fn sanction(self, store: &Store, of: &Wording, rules: &LineRules) {
        let known = sanctions(store);
        let known = known.of(of);
        let guards = rules.only(LineRule::is_guard);
        if !self.makes_guards() || guards == known.latest() {
            return;
        }
        let (id, text, rules) = (of.id.to_string(), of.text.clone(), guards.to_string());
        let line = serde_json::to_string(&SanctionLine { id, text, rules }).unwrap_or_default();
        let Some(path) = sanctions_path(store) else { return };
        let append = || {
            atomic::create_dir(path.parent().unwrap_or(&path), Sync::Private)?;
            store.seal.append(&path, format!("{line}\n").as_bytes(), Sync::Private)
        };
        if let Err(error) = append() {
            self.memory.warn(format!("what it forbids is not in force: {error:#}"));
        }
    }

    /// Returns true if guards that are made now are in force: a person makes them.
    pub fn makes_guards(self) -> bool {
        let Memory { unasked, by_agent, .. } = self.memory;
        !unasked && !by_agent && self.memory.contributor() != Contributor::Agent
    }
}

impl Reading<'_> {
    /// Returns the entries of stores whose guards are in force.
    pub fn guards(self, stores: &[Store]) -> Vec<GuardInForce> {
        let stamps = stamps(stores);
        let path = self.compiled_path(stores);
        let seal = stores.first().map(|store| &store.seal);
        let kept = path.as_ref().zip(seal).and_then(|(path, seal)| {
            let bytes = seal.read(path.parent()?, path, MOST_BYTES).ok()??;
            let compiled: Compiled = serde_json::from_slice(&bytes).ok()?;
            (compiled.stamps == stamps).then_some(compiled.guards)
        });
        let now = self.memory.now.0.0;
        let is_valid = |guard: &GuardInForce| guard.until.is_none_or(|until| until >= now);
        if let Some(mut guards) = kept {
            guards.retain(is_valid);
            return guards;
        }
        let compiled = Compiled { stamps, guards: self.judged(stores) };
        if let Some((path, seal)) = path.zip(seal)
            && let (Ok(bytes), Some(dir)) = (serde_json::to_vec(&compiled), path.parent())
            && atomic::create_dir(dir, Sync::Private).is_ok()
        {
            // Without it they are judged anew at the next call.
            drop(seal.replace(&path, &bytes, Sync::None, || Ok(true)));
        }
        let mut guards = compiled.guards;
        guards.retain(is_valid);
        guards
    }

    /// Judges the entries with guards by their texts, evidence and trust.
    fn judged(self, stores: &[Store]) -> Vec<GuardInForce> {
        let categories = &self.memory.config.categories;
        let sanctions: Vec<Sanctions> = stores.iter().map(sanctions).collect();
        if sanctions.iter().all(|store| store.0.is_empty()) {
            return Vec::new();
        }
        let (ranking, _) = self.memory.ranking(stores);
        let rows = ranking.rows.iter().filter(|row| row.entry.reviewed && !row.is_over());
        let guard = |row: &ScoredEntry| {
            let at = stores.iter().position(|store| store.scope == row.entry.scope)?;
            let known = sanctions.get(at)?.of(&row.entry.wording());
            let rules = known.in_force(&row.entry.asides.rules);
            rules.has_guard().then(|| GuardInForce {
                id: row.entry.id.to_string(),
                category: categories.spec(row.entry.category).name.to_string(),
                text: row.entry.text.clone(),
                rules: rules.to_string(),
                store: at,
                until: row.evidence.until.map(|Timestamp(until)| until),
            })
        };
        rows.filter_map(guard).collect()
    }

    fn compiled_path(self, stores: &[Store]) -> Option<PathBuf> {
        let state = self.memory.env.state.as_ref()?;
        let keys: Vec<String> =
            stores.iter().map(|store| discover::store_key(&store.dir)).collect();
        let name = fnv1a64(&[keys.join(" ").as_bytes()]);
        Some(state.join(FOLDER).join(format!("{name:016x}.json")))
    }
}

/// How long git may take to list files.
const GIT: Duration = Duration::from_mins(1);
/// Largest file in bytes that is looked through.
const MOST_FILE: u64 = 8 << 20;

type NumberedLines = Vec<(usize, String)>;

/// The files of a work tree, or what of them is new.
pub(super) struct WorkTreeFiles {
    /// Each with its lines that count: all of them, or those that were added.
    added: Vec<(String, Option<NumberedLines>)>,
    /// Those that were changed or deleted.
    changed: Vec<String>,
}

impl Reading<'_> {
    /// Returns the places of what rules forbid that the work tree has today; `None` if they forbid no
    /// lines.
    pub fn forbidden_today(self, rules: &LineRules) -> Option<Vec<String>> {
        rules.iter().any(|rule| matches!(rule, LineRule::Forbid { .. })).then_some(())?;
        let root = self.memory.places.repository();
        let files = WorkTreeFiles::of(root, None).ok()?;
        Some(
            forbidden(rules, root, &files)
                .into_iter()
                .map(|(place, _)| place.to_string())
                .collect(),
        )
    }
}

/// A check that an entry states, which nobody has made yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuardProposal {
    /// The command that makes it.
    pub command: String,
    /// How many files of the work tree it would protect today, if it protects files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
}

impl GuardProposal {
    /// Returns the command, with what it is about today.
    pub fn in_words(&self) -> String {
        let files = self.files.map(|files| format!("   # {} today", count(files, "file")));
        format!("{}{}", self.command, files.unwrap_or_default())
    }
}

impl Reading<'_> {
    /// Returns the checks that texts plainly state, each with the first digits of its id.
    pub fn proposals<'a>(
        self,
        texts: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Vec<Option<GuardProposal>> {
        let mut files = None;
        let root = self.memory.places.repository();
        let proposal = |(id, text): (&str, &str)| {
            let rules = LineRules::of(forbidden::rules(text));
            (!rules.is_empty()).then_some(())?;
            let globs: Vec<&str> = rules.iter().filter_map(protected).collect();
            let count = |files: &WorkTreeFiles| {
                let paths = files.added.iter().map(|(path, _)| path);
                paths.filter(|path| globs.iter().any(|glob| glob::matches(glob, path))).count()
            };
            let tree = || WorkTreeFiles::of(root, None).ok();
            let files = (!globs.is_empty()).then(|| files.get_or_insert_with(tree).as_ref());
            let files = files.flatten().map(count);
            let options: String = rules.iter().map(option).collect();
            Some(GuardProposal { command: format!("pimem edit {id}{options}"), files })
        };
        texts.map(proposal).collect()
    }
}

fn protected(rule: &LineRule) -> Option<&str> {
    match rule {
        LineRule::Protect(glob) => Some(glob),
        _ => None,
    }
}

/// Returns the option that makes a rule.
fn option(rule: &LineRule) -> String {
    let (name, body) = match rule {
        LineRule::Place(body) => ("place", body),
        LineRule::Protect(body) => ("protect", body),
        LineRule::ForbidCommand(body) => ("forbid-command", body),
        LineRule::Forbid { pattern, .. } => ("forbid", pattern),
    };
    format!(" --{name} '{}'", body.replace('\'', "'\\''"))
}

/// Finds entries whose place no file of the work tree is in.
pub(super) fn empty_places(memory: &Memory, snapshot: &Snapshot) -> Vec<Finding> {
    let placed: Vec<(&TopicFile, &TopicEntry)> = snapshot
        .entries()
        .filter(|(_, entry)| entry.markers.asides.rules.places().next().is_some())
        .collect();
    let root = memory.places.repository();
    let Some(files) = (!placed.is_empty()).then(|| WorkTreeFiles::of(root, None).ok()).flatten()
    else {
        return Vec::new();
    };
    let is_empty = |glob: &&str| !files.added.iter().any(|(path, _)| glob::matches(glob, path));
    let finding = |(topic, entry): (&TopicFile, &TopicEntry)| {
        let globs: Vec<&str> = entry.markers.asides.rules.places().filter(is_empty).collect();
        let place = FindingPlace::line(&format!("topics/{}.md", topic.stem), entry.line);
        let says = format!("counts where no file is: {}", globs.join(", "));
        let finding = Finding::new(&rule::EMPTY_PLACE, place, says);
        (!globs.is_empty()).then_some(Finding { entry: Some(entry.id), ..finding })
    };
    placed.into_iter().filter_map(finding).collect()
}

/// Returns what rules forbid of files: places with the line, or without one for a file that may not be
/// changed.
pub(super) fn forbidden(
    rules: &LineRules,
    root: &Path,
    files: &WorkTreeFiles,
) -> Vec<(FindingPlace, Option<String>)> {
    let mut sentry = Sentry::default();
    let mut found = Vec::new();
    for rule in rules {
        if let LineRule::Protect(glob) = rule {
            let changed = files.changed.iter().filter(|path| glob::matches(glob, path));
            found.extend(changed.map(|path| (FindingPlace::file(path), None)));
        }
        let LineRule::Forbid { place, .. } = rule else { continue };
        let is_in = |path: &str| place.as_ref().is_none_or(|glob| glob::matches(glob, path));
        // The store itself says what is forbidden.
        let is_ours = |path: &str| format!("/{path}").contains("/.pi/memory/");
        for (path, lines) in files.added.iter().filter(|(path, _)| is_in(path) && !is_ours(path)) {
            let mut add = |number: usize, line: &str| {
                let shown: String = line.trim().chars().take(SHOWN).collect();
                found.push((FindingPlace::line(path, number), Some(shown)));
            };
            if let Some(lines) = lines {
                for (number, line) in lines {
                    for (_, line) in sentry.lines(rule, path, line) {
                        add(*number, line);
                    }
                }
            } else {
                for (number, line) in sentry.lines(rule, path, &content(&root.join(path))) {
                    add(number, line);
                }
            }
        }
    }
    found
}

/// Characters of a line that a finding repeats.
const SHOWN: usize = 120;

/// Returns the text of a file; nothing if it is not there, too large or binary.
pub fn content(path: &Path) -> String {
    let is_small =
        fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= MOST_FILE);
    let bytes = is_small.then(|| fs::read(path).ok()).flatten().unwrap_or_default();
    if memchr::memchr(0, bytes.get(..bytes.len().min(8000)).unwrap_or_default()).is_some() {
        return String::new();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl WorkTreeFiles {
    pub(super) fn of(root: &Path, base: Option<&str>) -> Result<Self, Failure> {
        let others = ["ls-files", "-z", "--others", "--exclude-standard"];
        let all = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let names = |arguments: &[&str]| {
            let text = git_says(root, arguments)?;
            Some(text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
        };
        let whole = |names: Vec<String>| names.into_iter().map(|name| (name, None));
        let Some(base) = base else {
            let is_git = git::look(root) != Git::None;
            let names = is_git.then(|| names(&all)).flatten().unwrap_or_else(|| walked(root));
            return Ok(Self { added: whole(names).collect(), changed: Vec::new() });
        };
        let refuse = || {
            let message = format!("git cannot compare with {base:?}");
            Failure::new(
                FailureKind::Usage,
                message,
                "name a commit that is here, as in origin/main",
            )
        };
        let commit = format!("{base}^{{commit}}");
        let known = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        let commit =
            git_says(root, &known).filter(|id| !id.trim().is_empty()).ok_or_else(refuse)?;
        let arguments = [
            "diff",
            "--unified=0",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            commit.trim(),
            "--",
        ];
        let mut files = Self::in_diff(&git_says(root, &arguments).ok_or_else(refuse)?);
        files.added.extend(whole(names(&others).unwrap_or_default()));
        Ok(files)
    }

    /// Reads what a diff adds.
    fn in_diff(diff: &str) -> Self {
        let mut files = Self { added: Vec::new(), changed: Vec::new() };
        // Lines of a hunk that are left, and the number of the next one that was added.
        let (mut gone, mut come, mut number) = (0_usize, 0_usize, 0);
        for line in diff.lines() {
            if gone > 0 && line.starts_with('-') {
                gone -= 1;
            } else if come > 0 && line.starts_with('+') {
                come -= 1;
                if let Some((_, Some(lines))) = files.added.last_mut() {
                    lines.push((number, line.get(1..).unwrap_or_default().to_owned()));
                }
                number += 1;
            } else if let Some(path) = line.strip_prefix("--- a/") {
                files.changed.push(path.trim_end().to_owned());
            } else if let Some(path) = line.strip_prefix("+++ b/") {
                files.added.push((path.trim_end().to_owned(), Some(Vec::new())));
            } else if let Some(head) = line.strip_prefix("@@ -") {
                let mut ranges = head.split(' ');
                let count = |range: &str| match range.split_once(',') {
                    Some((_, count)) => count.parse().unwrap_or(0),
                    None => 1,
                };
                gone = ranges.next().map_or(0, count);
                let after = ranges.next().unwrap_or_default().trim_start_matches('+');
                come = count(after);
                number = after.split(',').next().and_then(|at| at.parse().ok()).unwrap_or(1);
            }
        }
        files
    }
}

pub(super) fn git_says(root: &Path, arguments: &[&str]) -> Option<String> {
    git::output(root, root, GIT, arguments, |mut out| {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    })
}

/// Returns the files below a directory without git, but for hidden ones.
fn walked(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_hidden => waiting.push(entry.path()),
                Ok(kind) if kind.is_file() => found.extend(discover::below(root, &entry.path())),
                _ => {}
            }
        }
    }
    found.sort_unstable();
    found
}

/// Returns a hash of the stamps of all files that decide which guards are in force.
fn stamps(stores: &[Store]) -> u64 {
    let mut all = String::new();
    for store in stores {
        let topics = fs::read_dir(store.topics_dir()).into_iter().flatten().flatten();
        let mut names: Vec<PathBuf> = topics.map(|entry| entry.path()).collect();
        names.sort_unstable();
        let ledger = store.trust.ledger().map(Path::to_path_buf);
        let ledger = ledger.into_iter().chain(sanctions_path(store));
        let config = Memory::config_file(&store.dir);
        for path in names.into_iter().chain([store.evidence(), config]).chain(ledger) {
            let stamp = fs::metadata(&path).ok().map(|meta| {
                let modified = meta.modified().ok();
                let since =
                    modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
                (meta.len(), since.unwrap_or_default().as_nanos(), inode(&meta))
            });
            let _ = writeln!(all, "{} {stamp:?}", path.display());
        }
        let _ = writeln!(all, "{:?} {}", store.scope, store.seal.is_sealed());
    }
    fnv1a64(&[all.as_bytes()])
}

#[cfg(unix)]
fn inode(meta: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}

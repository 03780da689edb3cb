//! `pimem check`: the linter of a store, for people, editors and CI.
//!
//! Changes nothing without `--fix`, and then only what loses nothing.

use std::collections::{BTreeMap, BTreeSet};

use clap::builder::PossibleValuesParser;
use serde_json::{Map, Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::{
    lint::{
        rule::{Finding, Fix, RULES, Rule},
        store::{self, Contents, Measure},
    },
    markdown::topic::TopicEntry,
    model::{
        entry::{EntryId, Wording},
        event::Why,
    },
    score::ranking::Ranking,
    view::count,
};
use pimem_engine::{
    error::{Failure, Kind},
    local_time,
    memory::{self, archived},
    store::{
        read::Problem,
        snapshot::{self, EVIDENCE, Snapshot, Store},
        transaction::{Change, TOPIC_CHARS, Target},
    },
};
mod sarif;

/// Look for what should not stay in a store
///
/// Finds repeated and contradicting entries, secrets, invisible characters, conflict markers, text
/// worded as an order to the agent, entries past their time, and more. Exit code 1 says that
/// something was found.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  pimem check --scope project            in CI
  pimem check --fix --dry-run            what would be mended
  pimem check --rule secret --rule instruction
  pimem check --sarif > pimem.sarif      for code scanning")]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
pub(crate) struct Args {
    /// Delete repeated lines, and move expired and replaced entries to the archive
    ///
    /// Lines that are pinned or enforced are never touched.
    #[arg(long)]
    fix: bool,
    /// Say what --fix would do, and do nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// Use this rule and no others
    #[arg(long, value_name = "ID", value_parser = ids(), hide_possible_values = true)]
    rule: Vec<String>,
    /// Leave this rule out
    #[arg(long, value_name = "ID", value_parser = ids(), hide_possible_values = true)]
    allow: Vec<String>,
    /// List the rules
    #[arg(long)]
    list_rules: bool,
    /// Print SARIF 2.1.0
    #[arg(long)]
    sarif: bool,
}

fn ids() -> PossibleValuesParser {
    PossibleValuesParser::new(RULES.iter().map(|rule| rule.id))
}

/// What was found in a store.
pub(crate) struct Checked {
    pub(crate) store: Store,
    pub(crate) findings: Vec<Finding>,
    /// What was mended, or would be.
    fixed: Vec<Finding>,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    if args.sarif && ctx.ui.json {
        let message = "--sarif and --json are two forms of one answer";
        return Err(Failure::new(Kind::Usage, message, "give one of them"));
    }
    if args.list_rules {
        list_rules(ctx);
        return Ok(Exit::Done);
    }
    let mut checked = Vec::new();
    let mut problems = Vec::new();
    for store in ctx.readers()? {
        let (mut findings, mut unread) = look(ctx, args, &store);
        let mut fixed: Vec<Finding> =
            findings.iter().filter(|finding| args.fix && finding.fix.is_some()).cloned().collect();
        if !fixed.is_empty() && !args.dry_run {
            fixed = mend(ctx, args, &store)?;
            (findings, unread) = look(ctx, args, &store);
        }
        problems.extend(unread);
        checked.push(Checked { store, findings, fixed });
    }
    if args.sarif {
        ctx.ui.document(&sarif::document(&ctx.places, &checked, &problems));
    } else if ctx.ui.json {
        ctx.ui.document(&document(args, &checked));
    } else {
        show(ctx, args, &checked);
    }
    let clean = checked.iter().all(|checked| checked.findings.is_empty());
    Ok(ctx.complain(&problems, if clean { Exit::Done } else { Exit::Nothing }))
}

impl Args {
    fn wants(&self, finding: &Finding) -> bool {
        let id = &finding.rule.id;
        let named = |list: &[String]| list.iter().any(|known| known == id);
        (self.rule.is_empty() || named(&self.rule)) && !named(&self.allow)
    }
}

/// Reads a store whole. What could not be read comes apart.
fn look(ctx: &Shell, args: &Args, store: &Store) -> (Vec<Finding>, Vec<Problem>) {
    let categories = &ctx.config.categories;
    let snapshot = store.read(ctx.now, categories);
    let archive = store.read_archive(categories);
    let (names, unnamed) = snapshot::note_files(&store.dir);
    let mut problems = [snapshot.problems.clone(), archive.problems, unnamed].concat();
    let mut read = |name: String| match store.file(&name) {
        Ok(bytes) => Some((name, bytes?)),
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    // What is beside the store belongs to this machine alone.
    let names = names.into_iter().filter(|name| !name.starts_with("../"));
    let notes: Vec<(String, Vec<u8>)> = names.filter_map(&mut read).collect();
    let (logs, local) = (store.logs().unwrap_or_default(), store.local_log_name());
    let board = board(ctx, store, &snapshot);
    let held = Contents {
        topics: snapshot::docs(&snapshot.topics),
        archive: snapshot::docs(&archive.topics),
        notes: &notes,
        logs: &[(EVIDENCE, &logs.shared), (&local, &logs.local)],
        rows: &board.rows,
    };
    let mut findings = store::check(measure(ctx), &held);
    findings.retain(|finding| args.wants(finding));
    (findings, problems)
}

/// By what a store is judged here.
pub(crate) fn measure(ctx: &Shell) -> Measure<'_> {
    Measure {
        now: ctx.now,
        categories: &ctx.config.categories,
        topic_chars: TOPIC_CHARS,
        date: local_time::date,
    }
}

fn board(ctx: &Shell, store: &Store, snapshot: &Snapshot) -> Ranking {
    let placed = snapshot.placed(store, &ctx.config.categories);
    Ranking::new(ctx.now, ctx.rules(), vec![(placed, &snapshot.ledger)])
}

/// Mends under the lock what can be mended. Gives what was.
fn mend(ctx: &Shell, args: &Args, store: &Store) -> Result<Vec<Finding>, Failure> {
    let lock = memory::lock(ctx, store)?;
    let mut txn = store.begin(&lock, &ctx.config.categories, ctx.now, ctx.who());
    if let Some(problem) = txn.snapshot().problems.first() {
        return Err(Failure::from(problem));
    }
    let board = board(ctx, store, txn.snapshot());
    let topics = snapshot::docs(&txn.snapshot().topics);
    let mut fixed = store::mendable(measure(ctx), &topics, &board.rows);
    fixed.retain(|finding| args.wants(finding));
    let entries = |fix| -> BTreeSet<EntryId> {
        let of = fixed.iter().filter(|finding| finding.fix == Some(fix));
        of.filter_map(|finding| finding.entry).collect()
    };
    let archived = entries(Fix::Archive);
    // An entry that goes to the archive goes from all its lines.
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
        // By their texts: ids can be made to collide.
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
    for row in board.rows.iter().filter(|row| archived.contains(&row.entry.id)) {
        archived::archive(&mut txn, row, Why::Replaced)?;
    }
    txn.commit()?;
    Ok(fixed)
}

fn show(ctx: &Shell, args: &Args, checked: &[Checked]) {
    let several = checked.len() > 1;
    for Checked { store, findings, fixed } in checked {
        if several && !(findings.is_empty() && fixed.is_empty()) {
            ctx.ui.line(&format!("{} store in {}", store.scope.name(), store.dir.display()));
        }
        for Finding { place, says, fix, .. } in fixed {
            let verb = match (fix, args.dry_run) {
                (Some(Fix::Archive), false) => "Archived",
                (Some(Fix::Archive), true) => "Would archive",
                (_, false) => "Deleted",
                (_, true) => "Would delete",
            };
            ctx.ui.line(&format!("{verb} {place}, which {says}"));
        }
        for Finding { rule, place, says, .. } in findings {
            ctx.ui.line(&format!("{place}: {}: {says} [{}]", rule.level.name(), rule.id));
            ctx.ui.line(&format!("    fix: {}", rule.fix));
        }
    }
    ctx.ui.line(&summary(checked));
}

/// `3 findings in 2 files, 1 fixable with pimem check --fix`.
fn summary(checked: &[Checked]) -> String {
    let all = || checked.iter().flat_map(|held| held.findings.iter().map(move |f| (held, f)));
    let files: BTreeSet<_> = all().map(|(held, f)| (&held.store.dir, &f.place.file)).collect();
    let fixable = all().filter(|(_, finding)| finding.fix.is_some()).count();
    match (all().count(), fixable) {
        (0, _) => "no findings".to_owned(),
        (found, 0) => format!("{} in {}", count(found, "finding"), count(files.len(), "file")),
        (found, fixable) => format!(
            "{} in {}, {fixable} fixable with pimem check --fix",
            count(found, "finding"),
            count(files.len(), "file")
        ),
    }
}

fn document(args: &Args, checked: &[Checked]) -> Value {
    let list = |of: fn(&Checked) -> &Vec<Finding>| -> Vec<Value> {
        let each = checked.iter().flat_map(|held| of(held).iter().map(move |found| (held, found)));
        each.map(|(held, found)| value(&held.store, found)).collect()
    };
    json!({
        "schema": "pimem.check/1",
        "findings": list(|checked| &checked.findings),
        "dryRun": args.dry_run,
        "fixed": list(|checked| &checked.fixed),
    })
}

fn value(store: &Store, finding: &Finding) -> Value {
    let Finding { rule, place, says, entry, fix } = finding;
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    put("rule", json!(rule.id));
    put("level", json!(rule.level.name()));
    put("scope", json!(store.scope.name()));
    put("file", json!(place.file));
    if let Some(line) = place.line {
        put("line", json!(line));
    }
    if let Some(column) = place.column {
        put("column", json!(column));
    }
    if let Some(id) = entry {
        put("entry", json!(id.to_string()));
    }
    put("message", json!(says));
    put("fix", json!(rule.fix));
    put("fixable", json!(fix.is_some()));
    Value::Object(out)
}

fn list_rules(ctx: &Shell) {
    if ctx.ui.json {
        let rule = |rule: &&Rule| {
            let level = rule.level.name();
            json!({"id": rule.id, "level": level, "about": rule.about, "fix": rule.fix})
        };
        let rules: Vec<Value> = RULES.iter().map(rule).collect();
        ctx.ui.document(&json!({"schema": "pimem.rules/1", "rules": rules}));
        return;
    }
    let row = |rule: &&Rule| [rule.id, rule.level.name(), rule.about].map(str::to_owned).to_vec();
    ctx.ui.table(&["rule", "level", "what it finds"], RULES.iter().map(row).collect());
}

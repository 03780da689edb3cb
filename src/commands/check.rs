//! `pimem check`: the linter of a store, for people, editors and CI; and findings as SARIF 2.1.0, the
//! format of code scanning.
//!
//! Writes nothing without `--fix`, and with it only lossless changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use pimem_core::{
    lint::rule::{Fix, RULES, Rule},
    model::hash::fnv1a64,
};
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::{
        Answer,
        check::{CheckRequest, Checked, CheckedStore, FindingView, Mending, Rules},
        machine::{Fact, MachineFinding},
    },
    view::count,
};
use serde::Serialize;

use super::hooks;
use crate::{
    shell::{Exit, Shell},
    ui::{Human, Style, Styled, Ui},
};

/// Find what is wrong with the stores and around them, and say how to mend it
///
/// Finds repeated and contradicting entries, secrets, invisible characters, conflict markers, text
/// worded as an order to the agent, entries past their time, and more; then settings, permissions,
/// locks, the index, what awaits review, and agents that call pimem twice. With --scope, --rule,
/// --allow, --fix or --sarif only the files of the stores are looked at, as is right in CI. Exit code 1
/// says that something was found; --verbose tells what is there too.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  pimem check --scope project            in CI: the files alone
  pimem check --fix --dry-run            what would be mended
  pimem check --rule secret --rule instruction
  pimem check --guards --base origin/main
  pimem check --sarif > pimem.sarif      for code scanning")]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
pub(crate) struct CheckArgs {
    /// Delete repeated lines, and move expired and replaced entries to the archive
    ///
    /// Lines that are pinned or enforced are never touched.
    #[arg(long)]
    fix: bool,
    /// Show what --fix would do, and do nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// Check this rule only
    #[arg(long, value_name = "ID", value_parser = ids(), hide_possible_values = true)]
    rule: Vec<String>,
    /// Leave this rule out
    #[arg(long, value_name = "ID", value_parser = ids(), hide_possible_values = true)]
    allow: Vec<String>,
    /// Look instead for what entries forbid, in all files of the work tree
    #[arg(long, conflicts_with_all = ["fix", "rule", "allow"])]
    guards: bool,
    /// Look only at what was added since this commit
    #[arg(long, value_name = "REV", requires = "guards")]
    base: Option<String>,
    /// List the rules
    #[arg(long, hide_short_help = true)]
    list_rules: bool,
    /// Print SARIF 2.1.0
    #[arg(long)]
    sarif: bool,
}

/// A former id of a rule, which is understood.
const FORMER: (&str, &str) = ("superseded", "replaced");

fn ids() -> impl TypedValueParser<Value = String> {
    let named = |rule: &Rule| {
        let known = PossibleValue::new(rule.id);
        if rule.id == FORMER.1 { known.alias(FORMER.0) } else { known }
    };
    let ids = PossibleValuesParser::new(RULES.iter().map(|rule| named(rule)));
    ids.map(|id| if id == FORMER.0 { FORMER.1.to_owned() } else { id })
}

pub(crate) fn run(ctx: &Shell, args: &CheckArgs) -> Result<Exit, Failure> {
    if args.sarif && ctx.memory.notices.for_programs() {
        let message = "--sarif and --json are two forms of one answer";
        return Err(Failure::new(FailureKind::Usage, message, "give one of them"));
    }
    if args.list_rules {
        ctx.ui.show(&Rules { rules: RULES });
        return Ok(Exit::Done);
    }
    if args.guards {
        let answer = ctx.memory.tending().check_guards(args.base.as_deref())?;
        if args.sarif {
            ctx.ui.document(&Sarif::of(&answer));
        } else {
            ctx.ui.show(&answer.view);
        }
        return Ok(ctx.complain(&answer.problems, Exit::Done.unless_empty(!answer.view.is_clean())));
    }
    let mending = match (args.fix, args.dry_run) {
        (false, _) => Mending::No,
        (true, true) => Mending::DryRun,
        (true, false) => Mending::Yes,
    };
    let files_alone = ctx.memory.sharing().is_scoped()
        || args.sarif
        || args.fix
        || !(args.rule.is_empty() && args.allow.is_empty());
    if files_alone {
        ctx.memory.say_unusable();
    }
    let machine = (!files_alone).then(|| hooks::findings(ctx));
    let (rules, allowed) = (args.rule.clone(), args.allow.clone());
    let answer = ctx.memory.tending().check(&CheckRequest { rules, allowed, mending, machine })?;
    if args.sarif {
        ctx.ui.document(&Sarif::of(&answer));
    } else {
        ctx.ui.show(&answer.view);
    }
    let exit = Exit::Done.unless_empty(!answer.view.is_clean());
    // Findings around the stores name what could not be read.
    Ok(if files_alone || answer.problems.is_empty() {
        ctx.complain(&answer.problems, exit)
    } else {
        Exit::Error
    })
}

impl Human for Checked {
    fn human(&self, ui: &Ui) {
        for Fact { name, value } in self.facts.iter().filter(|_| ui.is_verbose()) {
            ui.field(17, name, value);
        }
        for CheckedStore { scope, dir, .. } in &self.stores {
            let here = |finding: &&FindingView| finding.scope == scope.name();
            let found = || self.findings.iter().filter(here);
            let fixed = || self.fixed.iter().filter(here);
            if self.stores.len() > 1 && found().chain(fixed()).next().is_some() {
                ui.line(&format!("{} store in {}", scope.name(), dir.display()));
            }
            for FindingView { place, message, mending, .. } in fixed() {
                let verb = match (mending, self.dry_run) {
                    (Some(Fix::Archive), false) => "Archived",
                    (Some(Fix::Archive), true) => "Would archive",
                    (_, false) => "Deleted",
                    (_, true) => "Would delete",
                };
                ui.line(&format!("{verb} {place}, which {message}"));
            }
            for FindingView { rule, level, place, message, fix, .. } in found() {
                ui.line(&format!("{place}: {level}: {message} [{rule}]"));
                ui.hanging(&format!("    fix: {fix}"), 9);
            }
        }
        for MachineFinding { what, fix } in &self.machine {
            ui.styled(&Styled::new(Style::Warn, "finding:").with(None, " ").with(None, what), 4);
            ui.hanging(&format!("    fix: {fix}"), 9);
        }
        ui.line(&summary(&self.findings, self.machine.len()));
    }
}

/// Formats `3 findings in 2 files, 1 fixable with pimem check --fix; 1 around the stores`.
fn summary(findings: &[FindingView], machine: usize) -> String {
    let files: BTreeSet<_> =
        findings.iter().map(|found| (found.scope, &found.place.file)).collect();
    let fixable = findings.iter().filter(|finding| finding.fixable).count();
    let found = format!("{} in {}", count(findings.len(), "finding"), count(files.len(), "file"));
    let found = match (findings.len(), fixable) {
        (0, _) if machine > 0 => return format!("{} around the stores", count(machine, "finding")),
        (0, _) => return "no findings".to_owned(),
        (_, 0) => found,
        (_, fixable) => format!("{found}, {fixable} fixable with pimem check --fix"),
    };
    if machine == 0 { found } else { format!("{found}; {machine} around the stores") }
}

impl Human for Rules {
    fn human(&self, ui: &Ui) {
        let row =
            |rule: &&Rule| [rule.id, rule.level.name(), rule.about].map(str::to_owned).to_vec();
        ui.table(&["rule", "level", "what it finds"], self.rules.iter().map(row).collect());
    }
}

/// A log with one run of pimem.
#[derive(Serialize)]
pub(crate) struct Sarif {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    invocations: [Invocation; 1],
    results: Vec<Reported>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Message<&'static str>,
    help: Message<&'static str>,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Message<T> {
    text: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reported {
    rule_id: &'static str,
    rule_index: Option<usize>,
    level: &'static str,
    message: Message<String>,
    locations: [Location; 1],
    partial_fingerprints: Fingerprints,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fingerprints {
    primary_location_line_hash: String,
}

impl Sarif {
    pub(crate) fn of(Answer { view, problems }: &Answer<Checked>) -> Self {
        let mut seen = BTreeMap::new();
        let store = |finding: &FindingView| {
            view.stores.iter().find(|store| store.scope.name() == finding.scope)
        };
        let results = view
            .findings
            .iter()
            .filter_map(|finding| Some(result(store(finding)?, finding, &mut seen)))
            .collect();
        let notifications = problems.iter().map(|problem| Notification {
            level: "error",
            message: Message { text: problem.to_string() },
        });
        let invocation = Invocation {
            execution_successful: problems.is_empty(),
            tool_execution_notifications: notifications.collect(),
        };
        let driver = Driver {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            rules: RULES.iter().map(|rule| descriptor(rule)).collect(),
        };
        let run = Run {
            tool: Tool { driver },
            column_kind: "unicodeCodePoints",
            invocations: [invocation],
            results,
        };
        let schema = "https://json.schemastore.org/sarif-2.1.0.json";
        Self { schema, version: "2.1.0", runs: [run] }
    }
}

fn descriptor(rule: &Rule) -> Descriptor {
    Descriptor {
        id: rule.id,
        short_description: Message { text: rule.about },
        help: Message { text: rule.fix },
        default_configuration: Configuration { level: rule.level.name() },
    }
}

fn result(
    store: &CheckedStore,
    finding: &FindingView,
    seen: &mut BTreeMap<u64, usize>,
) -> Reported {
    let FindingView { rule, level, place, entry, message, .. } = finding;
    // Line numbers change, so fingerprints use the content, and a counter for equal findings.
    let about = entry.as_ref().unwrap_or(message);
    let print = fnv1a64(&[rule.as_bytes(), &[0], place.file.as_bytes(), &[0], about.as_bytes()]);
    let count = seen.entry(print).or_default();
    *count += 1;
    let physical_location = PhysicalLocation {
        artifact_location: artifact(store, &place.file),
        // SARIF requires a line even if the finding is about the whole file.
        region: Region { start_line: place.line.unwrap_or(1), start_column: place.column },
    };
    Reported {
        rule_id: rule,
        rule_index: RULES.iter().position(|known| known.id == *rule),
        level,
        message: Message { text: format!("{place} {message}") },
        locations: [Location { physical_location }],
        partial_fingerprints: Fingerprints {
            primary_location_line_hash: format!("{print:016x}:{count}"),
        },
    }
}

/// Returns the location of a store's file as readers of the log can resolve it.
fn artifact(CheckedStore { dir, root, .. }: &CheckedStore, file: &str) -> Artifact {
    let path =
        |dir: &Path| dir.join(file).to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    match root.as_ref().and_then(|root| dir.strip_prefix(root).ok()) {
        Some(dir) => Artifact { uri: uri(&path(dir)).to_string(), uri_base_id: Some("%SRCROOT%") },
        None => Artifact { uri: address(&path(dir)), uri_base_id: None },
    }
}

/// Returns the URI of an absolute path, which on Windows begins with a drive or the name of a server.
fn address(path: &str) -> String {
    match path.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 && drive != "/" => {
            format!("file:///{drive}:{}", uri(rest))
        }
        _ if path.starts_with("//") => format!("file:{}", uri(path)),
        _ => format!("file://{}", uri(path)),
    }
}

/// The bytes that are escaped in a path of a URI.
pub(crate) const URI_PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'/').remove(b'_').remove(b'~');

fn uri(path: &str) -> PercentEncode<'_> {
    utf8_percent_encode(path, URI_PATH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert_eq!(
            uri(".pi/memory/topics/a b%é.md").to_string(),
            ".pi/memory/topics/a%20b%25%C3%A9.md"
        );
        for (path, want) in [
            ("/home/anna/x.md", "file:///home/anna/x.md"),
            ("/:/x.md", "file:///%3A/x.md"),
            ("C:/Users/anna/x.md", "file:///C:/Users/anna/x.md"),
            ("//server/share/x.md", "file://server/share/x.md"),
        ] {
            assert_eq!(address(path), want);
        }
    }
}

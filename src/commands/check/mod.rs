//! `pimem check`: the linter of a store, for people, editors and CI.
//!
//! Writes nothing without `--fix`, and with it only lossless changes.

mod sarif;

use std::collections::BTreeSet;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::{
    exit::Exit,
    shell::Shell,
    ui::{Human, Ui},
};
use pimem_core::lint::rule::{Fix, RULES, Rule};
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::check::{CheckRequest, Checked, CheckedStore, FindingView, Mending, Rules},
    view::count,
};

/// Find contradictions, duplicates, secrets and damage in a store
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
    /// List the rules
    #[arg(long)]
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
    if args.sarif && ctx.notices.for_programs() {
        let message = "--sarif and --json are two forms of one answer";
        return Err(Failure::new(FailureKind::Usage, message, "give one of them"));
    }
    if args.list_rules {
        ctx.ui.show(&Rules { rules: RULES });
        return Ok(Exit::Done);
    }
    let mending = match (args.fix, args.dry_run) {
        (false, _) => Mending::No,
        (true, true) => Mending::DryRun,
        (true, false) => Mending::Yes,
    };
    let request = CheckRequest { rules: args.rule.clone(), allowed: args.allow.clone(), mending };
    let answer = ctx.check(&request)?;
    if args.sarif {
        ctx.ui.document(&sarif::Sarif::of(&answer));
    } else {
        ctx.ui.show(&answer.view);
    }
    let clean = answer.view.findings.is_empty();
    Ok(ctx.complain(&answer.problems, if clean { Exit::Done } else { Exit::Nothing }))
}

impl Human for Checked {
    fn human(&self, ui: &Ui) {
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
        ui.line(&summary(&self.findings));
    }
}

/// Formats `3 findings in 2 files, 1 fixable with pimem check --fix`.
fn summary(findings: &[FindingView]) -> String {
    let files: BTreeSet<_> =
        findings.iter().map(|found| (found.scope, &found.place.file)).collect();
    let fixable = findings.iter().filter(|finding| finding.fixable).count();
    let found = format!("{} in {}", count(findings.len(), "finding"), count(files.len(), "file"));
    match (findings.len(), fixable) {
        (0, _) => "no findings".to_owned(),
        (_, 0) => found,
        (_, fixable) => format!("{found}, {fixable} fixable with pimem check --fix"),
    }
}

impl Human for Rules {
    fn human(&self, ui: &Ui) {
        let row =
            |rule: &&Rule| [rule.id, rule.level.name(), rule.about].map(str::to_owned).to_vec();
        ui.table(&["rule", "level", "what it finds"], self.rules.iter().map(row).collect());
    }
}

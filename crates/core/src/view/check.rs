//! The documents of `pimem check`.

use std::path::PathBuf;

use serde::Serialize;

use crate::{
    lint::rule::{self, Fix, Place, Rule},
    score::ranking::Scope,
};

/// The findings of a check of one or more stores.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    /// Stores that were checked.
    #[serde(skip)]
    pub stores: Vec<CheckedStore>,
    /// Sorted by store, file and line.
    pub findings: Vec<Finding>,
    /// True if nothing was written.
    pub dry_run: bool,
    /// Findings that were fixed, or would be in a dry run.
    pub fixed: Vec<Finding>,
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
pub struct Finding {
    /// Id of the rule.
    pub rule: &'static str,
    /// `error` or `warning`.
    pub level: &'static str,
    /// `project` or `user`.
    pub scope: &'static str,
    /// File, with line and column only if the finding is about one.
    #[serde(flatten)]
    pub place: Place,
    /// Entry on that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Statement about the place, as a predicate.
    pub message: String,
    /// Advice for a person.
    pub fix: &'static str,
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

documents! {
    Checked: "pimem.check/1",
    Rules: "pimem.rules/1",
}

impl Finding {
    /// Returns the view of a finding in a store.
    pub fn new(scope: Scope, finding: &rule::Finding) -> Self {
        Self {
            rule: finding.rule.id,
            level: finding.rule.level.name(),
            scope: scope.name(),
            place: finding.place.clone(),
            entry: finding.entry.map(|id| id.to_string()),
            message: finding.says.clone(),
            fix: finding.rule.fix,
            fixable: finding.fix.is_some(),
            mending: finding.fix,
        }
    }
}

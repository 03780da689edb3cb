//! `pimem check`.

use std::path::PathBuf;

use serde::Serialize;

use crate::{
    lint::rule::{self, Fix, Place, Rule},
    score::ranking::Scope,
};

/// What should not stay in some stores.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    /// The stores that were looked at.
    #[serde(skip)]
    pub stores: Vec<CheckedStore>,
    /// In the order of stores, files and lines.
    pub findings: Vec<Finding>,
    /// Whether nothing was mended.
    pub dry_run: bool,
    /// What was mended, or would be.
    pub fixed: Vec<Finding>,
}

/// A store that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedStore {
    /// Whose it is.
    pub scope: Scope,
    /// Its directory.
    pub dir: PathBuf,
    /// The work tree or project that it is in.
    pub root: Option<PathBuf>,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Id of the rule.
    pub rule: &'static str,
    /// `error` or `warning`.
    pub level: &'static str,
    /// `project` or `user`.
    pub scope: &'static str,
    /// Where; a line or a column only where one is meant.
    #[serde(flatten)]
    pub place: Place,
    /// The entry that stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// What is said about the place, as a predicate.
    pub message: String,
    /// What a person can do about it.
    pub fix: &'static str,
    /// Whether `--fix` does something about it.
    pub fixable: bool,
    /// What that is.
    #[serde(skip)]
    pub mending: Option<Fix>,
}

/// All rules.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rules {
    /// One a rule.
    pub rules: &'static [&'static Rule],
}

documents! {
    Checked: "pimem.check/1",
    Rules: "pimem.rules/1",
}

impl Finding {
    /// A finding in a store.
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

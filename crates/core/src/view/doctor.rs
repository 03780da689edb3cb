//! The document of `pimem doctor`.

use serde::Serialize;

/// The condition of the stores, with the problems found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Diagnosis {
    pub facts: Vec<Fact>,
    pub findings: Vec<Finding>,
}

/// A named property of the installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    pub name: String,
    /// Value in words.
    pub value: String,
}

/// A problem and its fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Description of the problem.
    #[serde(rename = "finding")]
    pub what: String,
    pub fix: String,
}

documents! {
    Diagnosis: "pimem.doctor/1",
}

impl Finding {
    pub fn new(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what: what.into(), fix: fix.into() }
    }
}

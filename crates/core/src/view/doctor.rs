//! `pimem doctor`.

use serde::Serialize;

/// How stores stand, and what is wrong with them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Diagnosis {
    /// How they stand.
    pub facts: Vec<Fact>,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// How something stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What.
    pub name: String,
    /// How, in words.
    pub value: String,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What.
    #[serde(rename = "finding")]
    pub what: String,
    /// What to do about it.
    pub fix: String,
}

documents! {
    Diagnosis: "pimem.doctor/1",
}

impl Finding {
    /// A finding with its fix.
    pub fn new(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what: what.into(), fix: fix.into() }
    }
}

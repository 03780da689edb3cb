//! `pimem report`.

use serde::Serialize;

use super::{Document, search::HitView, why::JudgedEntry};

/// What an agent should know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportView {
    /// The report as it goes into a prompt; empty when there is nothing to say.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
    /// Tokens that it may take.
    pub budget: u32,
    /// The entries in it; all entries, where explanations were asked for.
    pub entries: Vec<JudgedEntry>,
    /// Entries that the prompt brings to mind, best first.
    pub recalled: Vec<HitView>,
    /// Past sessions that it brings to mind, each with its date.
    pub sessions: Vec<String>,
    /// Entries that were neither written nor reviewed on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreviewed: Option<usize>,
    /// What was recalled, as it goes into a prompt.
    #[serde(skip)]
    pub recalled_text: String,
}

/// The day at hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkingView {
    /// The report as it goes into a prompt.
    pub text: String,
    /// Its characters.
    pub characters: usize,
    /// Notes and logs that were left out: they were neither written nor reviewed on this machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreviewed: Vec<String>,
}

impl Document for ReportView {
    fn schema(&self) -> &'static str {
        "pimem.report/1"
    }
}

impl Document for WorkingView {
    fn schema(&self) -> &'static str {
        "pimem.working/1"
    }
}

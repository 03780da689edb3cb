//! The documents of `pimem report`.

use serde::Serialize;

use crate::safety::safe_text::SafeText;

use super::{Document, search::HitView, why::JudgedEntry};

/// The report for an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportView {
    /// Text for a prompt; empty if there is nothing to report.
    pub text: SafeText,
    /// Size in tokens.
    pub tokens: u32,
    /// Token budget.
    /// `null` if there is no limit.
    pub budget: Option<u32>,
    /// Whether memories were left out for want of places or tokens, under the policy `weighted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflow: Option<bool>,
    /// Entries in the report; all entries if explanations were requested.
    pub entries: Vec<JudgedEntry>,
    /// Entries recalled for the prompt, best first.
    pub recalled: Vec<HitView>,
    /// Past sessions recalled for the prompt, each with its date.
    pub sessions: Vec<String>,
    /// Number of entries that were neither written nor reviewed on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreviewed: Option<usize>,
    /// Recalled entries and sessions as text for a prompt.
    #[serde(skip)]
    pub recalled_text: SafeText,
}

/// The report of the current day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkingView {
    /// Text for a prompt.
    pub text: SafeText,
    /// Size in characters.
    pub characters: usize,
    /// Notes and logs left out because they were neither written nor reviewed on this machine.
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

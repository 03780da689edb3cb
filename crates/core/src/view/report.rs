//! The documents of `pimem report`.

use serde::Serialize;

use crate::safety::safe_text::SafeText;

use super::{Document, search::HitView, why::JudgedEntry};

/// The report for an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportView {
    /// Text for a prompt; empty if there is nothing to report.
    pub text: SafeText,
    /// Size in tokens.
    pub tokens: u32,
    /// The part of these that is of pinned entries, which no budget bounds.
    pub pinned_tokens: u32,
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
    /// Why the text is empty although there are entries, and whether more tokens would help.
    #[serde(skip)]
    pub nothing: Option<(String, bool)>,
    /// The sentence that asks a person to consolidate, if that should be done.
    #[serde(skip)]
    pub crowded: Option<String>,
    /// Why what was recalled is worse than it could be, as in the document of `pimem search`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
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
    /// Why what was recalled is worse than it could be, as in the document of `pimem search`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
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

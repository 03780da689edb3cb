//! `pimem session`: summaries of past sessions.

use serde::Serialize;

use super::Document;
use crate::session::summaries::Summary;

/// Whether a session was summed up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionIndexed {
    /// `false` when too little was said.
    pub indexed: bool,
    /// Its summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionView>,
}

/// Past sessions, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sessions {
    /// The sessions.
    pub sessions: Vec<SessionView>,
}

/// A past session. What is not known of it is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionView {
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// When it ended, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ts: Option<String>,
    /// Messages of its user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// What it was about.
    pub summary: String,
    /// `project` or `user`, in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<&'static str>,
}

impl SessionView {
    /// A summary as documents have it.
    pub fn new(summary: Summary, scope: Option<&'static str>) -> Self {
        let Summary { id, agent, when, messages, text } = summary;
        Self { id, agent, ts: when.map(|when| when.to_string()), messages, summary: text, scope }
    }
}

impl Document for SessionIndexed {
    fn schema(&self) -> &'static str {
        "pimem.session-index/1"
    }
}

impl Document for Sessions {
    fn schema(&self) -> &'static str {
        "pimem.sessions/1"
    }
}

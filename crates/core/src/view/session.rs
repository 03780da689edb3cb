//! The documents of `pimem session`: summaries of past sessions.

use serde::Serialize;

use super::Document;
use crate::session::summaries::Summary;

/// The result of indexing a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionIndexed {
    /// `false` if the session is too short.
    pub indexed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionView>,
}

/// Past sessions, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sessions {
    pub sessions: Vec<SessionView>,
}

/// A past session. Unknown fields are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// End of the session, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ts: Option<String>,
    /// Number of messages from the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    pub summary: String,
    /// `project` or `user`; only set in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<&'static str>,
}

impl SessionView {
    /// Returns the view of a summary.
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

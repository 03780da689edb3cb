//! The report, and what a prompt recalls beside it.

use std::mem::ManuallyDrop;

use super::{
    Memory,
    recall::{self, limit},
    search::{Hit, SearchResult},
    stale::Stale,
};
use crate::{
    error::Failure,
    store::snapshot::{Snapshot, Store},
};
use pimem_core::{
    model::{entry::EntryId, hash::IdSet},
    report::{
        budget::Tokens,
        render::{self, Report},
    },
    score::ranking::Ranking,
    search::social_gate,
};

/// What a report is for.
#[derive(Debug, Clone, Default)]
pub struct ReportRequest {
    /// Tokens that it may take; without, what the settings allow.
    pub budget: Option<Tokens>,
    /// Tokens that a system prompt takes already.
    pub system_prompt: Tokens,
    /// A prompt, for which entries and past sessions are recalled that the report has not.
    pub prompt: Option<String>,
}

/// A report with what it was made from.
pub struct Reported {
    /// The report; its text is what goes into a prompt.
    pub report: Report,
    /// Entries that the prompt recalls, best first.
    pub recalled: Vec<Hit>,
    /// Summaries of past sessions that it recalls.
    pub sessions: Vec<Hit>,
    /// All entries with their standing.
    pub ranking: Ranking,
    /// What was read.
    pub snapshots: Vec<Snapshot>,
    /// The stores that were read.
    pub stores: Vec<Store>,
    /// Stores whose index should be refreshed afterwards.
    pub stale: Vec<Stale>,
}

impl Memory {
    /// What an agent should know, within a budget of tokens.
    ///
    /// # Errors
    /// When a store was named that is not there. What cannot be read of a store is in its snapshot.
    pub fn report(&self, request: &ReportRequest) -> Result<Reported, Failure> {
        let stores = self.readers()?;
        let settings = self.report_settings(request.budget, request.system_prompt);
        let (ranking, snapshots) = self.own_board(&stores);
        let report = render::report(&ranking, &self.config.categories, settings);
        let mut recalled = SearchResult::default();
        let mut sessions = Vec::new();
        let prompt = request.prompt.as_deref().filter(|prompt| !social_gate::is_trivial(prompt));
        if let Some(prompt) = prompt.filter(|_| settings.budget > Tokens(0)) {
            let shown: IdSet<EntryId> = report.shown(&ranking).collect();
            let found = recall::search(self, &stores, prompt, &shown, None);
            sessions = recall::sessions(found.sessions, |_| false);
            recalled = found.entries;
            recalled.hits = recall::on_board(&ranking, recalled.hits, limit(self));
        }
        let SearchResult { hits: recalled, stale, .. } = recalled;
        let ranking = ManuallyDrop::into_inner(ranking);
        let snapshots = ManuallyDrop::into_inner(snapshots);
        Ok(Reported { report, recalled, sessions, ranking, snapshots, stores, stale })
    }
}

//! The report, with recall for a prompt.

use serde::Serialize;

use super::{
    Memory, problems, recall,
    search::{
        SearchResult,
        hits::{self, Detail},
    },
    stale::{self, Stale},
};
use crate::{
    error::Failure,
    memory::search::hits::HitView,
    store::read::ReadProblem,
    view::{Entries, JudgedEntry, counted},
};
use pimem_core::{
    model::{entry::EntryId, hash::IdSet},
    report::{budget::Tokens, render, select::ReportVerdict},
    safety::safe_text::SafeText,
    score::ranking::Ranking,
    search::social_gate,
};

#[derive(Debug, Clone, Default)]
pub struct ReportRequest {
    /// Maximum number of tokens; `None` for the configured budget.
    pub budget: Option<Tokens>,
    /// Tokens of the system prompt, which reduce the budget.
    pub system_prompt: Tokens,
    /// A prompt for which to recall entries and past sessions that the report lacks.
    pub prompt: Option<String>,
    pub listed: ReportListing,
}

/// The entries that a report lists beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReportListing {
    /// Those in the text.
    #[default]
    Shown,
    /// None, because only the text is read.
    None,
    /// All, each with the reason why it is in the text or not.
    Explained,
}

/// A report with its problems.
pub struct Reported {
    /// The report; its text is what goes into a prompt.
    pub view: ReportView,
    /// Files and lines that could not be read.
    pub problems: Vec<ReadProblem>,
    /// Stores whose index should be refreshed afterwards.
    pub stale: Vec<Stale>,
}

impl Memory {
    /// Returns what an agent should know, within a budget of tokens.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn report(&self, request: &ReportRequest) -> Result<Reported, Failure> {
        let stores = self.readers()?;
        let settings = self.report_settings(request.budget, request.system_prompt);
        let (ranking, snapshots) = self.own_ranking(&stores);
        let mut report = render::report(&ranking, &self.config.categories, settings);
        let explained = request.listed == ReportListing::Explained;
        let total = self.team_total(request.budget, request.system_prompt);
        let team = self.add_team(&mut report, (&ranking, &snapshots), settings, total, explained);
        let mut recalled = SearchResult::default();
        let mut sessions = Vec::new();
        let prompt = request.prompt.as_deref().filter(|prompt| !social_gate::is_trivial(prompt));
        if let Some(prompt) = prompt.filter(|_| settings.budget > Tokens(0)) {
            let mut shown: IdSet<EntryId> = report.shown(&ranking).collect();
            shown.extend(team.shown().map(|(_, _, row)| row.entry.id));
            let found = recall::search(self, &stores, prompt, &shown, None);
            sessions = recall::sessions(found.sessions, |_| false);
            recalled = found.entries;
            recalled.hits = recall::chosen_on(self, &ranking, recalled.hits);
            let (hits, stale) = (&recalled.hits, &mut recalled.stale);
            let theirs = self.recall_team(&stores, prompt, &shown, hits, stale);
            recalled.hits.extend(theirs);
        }
        let unreviewed = ranking.unreviewed();
        let waiting = self.unreviewed(&stores, ranking.rows.iter().map(|row| &row.entry));
        self.say_left_out(&waiting);
        let entries = Entries::new(self.now, &self.config.categories, &ranking);
        let detail = if explained { Detail::Explained } else { Detail::Plain };
        let is_listed = |verdict: &ReportVerdict| match request.listed {
            ReportListing::Explained => true,
            ReportListing::Shown => verdict.shown(),
            ReportListing::None => false,
        };
        let judged = report.judged(&ranking).filter(|(_, verdict)| is_listed(verdict));
        let judged = judged.map(|(row, verdict)| {
            let factors = explained.then(|| entries.factors(row));
            JudgedEntry { factors, ..entries.judged(row, verdict) }
        });
        let theirs = team.judged(self, is_listed, explained);
        let view = ReportView {
            entries: judged.chain(theirs).collect(),
            nothing: nothing(&ranking, &report).filter(|_| request.prompt.is_none()),
            crowded: self.crowded(&report),
            text: report.text,
            tokens: report.tokens.0,
            pinned_tokens: report.pinned.0,
            budget: report.budget.limit(),
            overflow: report.overflow,
            recalled_text: recall::text(self, &recalled.hits, &[], &sessions),
            recalled: recalled.hits.into_iter().map(|hit| hits::view(hit, detail)).collect(),
            sessions: sessions.iter().map(recall::session).collect(),
            unreviewed: (unreviewed > 0).then_some(unreviewed),
            degraded: recalled.degraded.or_else(|| stale::waiting(&recalled.stale)),
        };
        let problems = problems(&snapshots);
        Ok(Reported { view, problems, stale: recalled.stale })
    }
}

/// Says why a report of entries is empty, and whether more tokens would help. Of those that wait for
/// review another message tells.
fn nothing(ranking: &Ranking, report: &render::Report) -> Option<(String, bool)> {
    let reviewed = ranking.rows.iter().filter(|row| row.entry.reviewed).count();
    if !report.text.is_empty() || reviewed == 0 {
        return None;
    }
    let count = counted(reviewed, "entry", "entries");
    let is_room = |verdict: &ReportVerdict| {
        matches!(
            verdict,
            ReportVerdict::ReportFull | ReportVerdict::SectionFull(_) | ReportVerdict::NoRoom(_)
        )
    };
    let is_small = report.verdicts.iter().any(is_room);
    Some(match report.budget {
        Tokens(0) => (format!("No tokens are left for a report of {count}"), false),
        budget if is_small => {
            let room = format!("{budget} tokens have no room for any of {count}");
            (format!("{room}: pimem report --budget takes more"), true)
        }
        _ => (format!("None of {count} can be shown: pimem report --explain says why"), false),
    })
}

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

documents! {
    ReportView: "pimem.report/1",
}

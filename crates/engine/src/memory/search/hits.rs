//! Search hits as JSON documents.

use super::{
    Hit, SearchResult,
    request::{Order, SearchRequest},
};
use crate::{
    error::{Failure, Kind},
    memory::{Answer, Memory, intake, stale::Stale},
};
use pimem_core::{
    gate::Counts,
    model::time::Timestamp,
    score::ranking,
    search::{near_words::Reading, rank::Candidate},
    view::search::{HitView, RelevanceView, ScoreParts, SearchView},
};

/// Level of detail of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// Results only.
    #[default]
    Plain,
    /// Results with the parts of their scores.
    Explained,
}

/// The result of a search.
pub struct Searched {
    pub answer: Answer<SearchView>,
    /// Stores whose index should be refreshed afterwards.
    pub stale: Vec<Stale>,
}

impl Memory {
    /// Searches the stores for the query `text`.
    ///
    /// # Errors
    /// Fails if the text is empty, a category is unknown, or the named store does not exist.
    pub fn search_for(
        &self,
        text: &str,
        request: &SearchRequest<'_>,
        detail: Detail,
    ) -> Result<Searched, Failure> {
        for name in request.categories {
            intake::known_category(self, name)?;
        }
        if text.trim().is_empty() {
            let hint = "give some words to look for";
            return Err(Failure::new(Kind::Usage, "the query is empty", hint));
        }
        let found = self.search(request)?;
        let SearchResult { hits, near, withheld, mode, model, degraded, problems, stale, .. } =
            found;
        self.say_withheld_hits(&withheld, text);
        if let (None, Some(why)) = (&model, &degraded) {
            self.notices.detail(&format!("{why}; searched by words alone"));
        }
        let short = ranking::short_ids(hits.iter().filter_map(|hit| hit.entry));
        let shortened = |hit: Hit| {
            let id = hit.entry.and_then(|id| short.get(&id)).cloned();
            let by = hit.verdict.replaced_by();
            let by = by.map(|by| {
                short.get(&by).cloned().unwrap_or_else(|| by.to_string().chars().take(7).collect())
            });
            HitView { short: id, short_replaced_by: by, ..view(hit, detail) }
        };
        let near = || near.into_iter().map(|hit| view(hit, detail)).collect();
        let view = SearchView {
            mode: mode.unwrap_or(request.mode),
            query: text.to_owned(),
            terms: request.query.terms.clone(),
            hits: hits.into_iter().map(shortened).collect(),
            model,
            degraded,
            near_misses: (detail == Detail::Explained).then(near),
            withheld: (!withheld.is_empty()).then_some(withheld),
            by_seed: request.order == Order::Seed,
        };
        Ok(Searched { answer: Answer { view, problems }, stale })
    }
}

impl Memory {
    /// Reports lines that match and are withheld, with the command that shows them.
    fn say_withheld_hits(&self, withheld: &Counts, query: &str) {
        let say = |state: &str, one: &str, more: &str, command: &str| {
            let count = withheld.of(state);
            let (line, matches) = if count == 1 { (one, "matches") } else { (more, "match") };
            if count > 0 {
                self.notices.note(&format!("{count} {line} {matches}: {command}"));
            }
        };
        let command = format!("pimem search --in archive {}", quoted(query));
        say("replaced", "replaced line", "replaced lines", &command);
        let (one, more) = ("line that awaits review", "lines that await review");
        say("unreviewed", one, more, "pimem trust --review");
        say("secret", "line with a secret", "lines with secrets", "pimem check");
    }
}

/// Returns a query as an argument for a shell.
fn quoted(query: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || " -_./".contains(c);
    if query.chars().all(is_plain) && !query.starts_with('-') {
        return query.to_owned();
    }
    let dashes = if query.starts_with('-') { "-- " } else { "" };
    format!("{dashes}'{}'", query.replace('\'', "'\\''"))
}

/// Converts a hit to its document.
pub fn view(hit: Hit, detail: Detail) -> HitView {
    let (likeness, meaning) = (hit.candidate.likeness(), hit.candidate.meaning());
    let Candidate { bm25, cosine, plain, model, reading, context, .. } = hit.candidate;
    let Reading { near, coverage, share } = reading;
    let relevance = hit.relevance.map(|relevance| RelevanceView {
        score: relevance.score,
        similarity: relevance.similarity,
        importance: relevance.importance,
        idle_hours: relevance.idle.days() * 24.0,
    });
    let (rank, factor) = (hit.rank, hit.factor);
    let parts = ScoreParts {
        bm25,
        cosine,
        likeness,
        near,
        coverage,
        share,
        plain,
        model,
        meaning,
        score: hit.own,
        context,
        factor,
        rank,
    };
    let mirror = hit.mirror.as_deref();
    HitView {
        author: mirror.and_then(|mirror| mirror.author(hit.entry?)),
        project: mirror.map(|mirror| mirror.project.clone()),
        id: hit.entry.map(|id| id.to_string()),
        score: hit.score,
        kind: hit.kind.name(),
        scope: hit.scope.name(),
        archived: hit.is_archived().then_some(true),
        state: hit.verdict.state(),
        replaced_by: hit.verdict.replaced_by().map(|by| by.to_string()),
        source: hit.source,
        line: hit.line,
        date: hit.when.map(Timestamp::date),
        text: hit.text,
        reviewed: (!hit.reviewed).then_some(false),
        relevance,
        explain: (detail == Detail::Explained).then_some(parts),
        short: None,
        short_replaced_by: None,
    }
}

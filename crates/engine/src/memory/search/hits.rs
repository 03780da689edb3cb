//! Search hits as JSON documents.

use std::sync::Arc;

use crate::memory::handles::Reading;
use pimem_core::{
    gate::{Verdict, WithheldCounts},
    model::{
        entry::EntryId,
        mirror::{self, Mirror},
        rules::{self, LineRules},
        time::{Age, Timestamp},
    },
    score::ranking::{self, Scope},
    search::{
        documents::SourceKind,
        near_words::QueryReading,
        rank::{Mode, RankCandidate},
    },
};
use serde::{Serialize, Serializer};

use super::{
    SearchResult,
    request::{HitOrder, SearchRequest},
};
use crate::{
    error::{Failure, FailureKind},
    memory::{Answer, background::Stale, intake},
    view::{maybe_six_decimals, six_decimals},
};

#[derive(Debug, Clone)]
pub struct FoundHit {
    /// How well it, or a hit below it, answers the query.
    pub score: f64,
    /// How well it answers the query.
    pub own: f64,
    /// What it is ordered by.
    pub rank: f64,
    /// True if it is hardly better than chance.
    pub is_faint: bool,
    /// Parts of rank and score.
    pub candidate: RankCandidate,
    /// Factor on the score by the entry's standing.
    pub factor: f64,
    pub relevance: Option<Relevance>,
    /// The entry; `None` for a passage.
    pub entry: Option<EntryId>,
    /// Hash of its category's name.
    pub category: u32,
    pub kind: SourceKind,
    pub scope: Scope,
    /// Path of the file relative to the store.
    pub source: String,
    pub line: u32,
    pub text: String,
    /// The rules that an entry carries.
    pub rules: LineRules,
    /// Time of a passage, as stated in it.
    pub when: Option<Timestamp>,
    /// True if it was written or reviewed on this machine, or is of a mirror and not withheld.
    pub reviewed: bool,
    /// What becomes of it on its way out.
    pub verdict: Verdict,
    pub mirror: Option<Arc<Mirror>>,
    /// The branch of another work tree that has it, and this one has not.
    pub branch: Option<String>,
}

/// The relevance of a recalled entry under the policy `ebbinghaus`, with its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relevance {
    pub score: f64,
    pub similarity: f64,
    pub importance: f64,
    pub idle: Age,
}

impl FoundHit {
    pub fn is_archived(&self) -> bool {
        self.kind == SourceKind::Archive
    }
}

/// Level of detail of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    #[default]
    Plain,
    Explained,
}

pub struct SearchAnswer {
    pub answer: Answer<SearchView>,
    /// Stores whose index should be refreshed afterwards.
    pub stale: Vec<Stale>,
}

impl Reading<'_> {
    /// Searches the stores for the query `text`.
    ///
    /// # Errors
    /// Fails if the text is empty, a category is unknown, or the named store does not exist.
    pub fn search_for(
        self,
        text: &str,
        request: &SearchRequest<'_>,
        detail: Detail,
    ) -> Result<SearchAnswer, Failure> {
        let known = |name: &String| {
            let id = intake::known_category(self.memory, name)?;
            Ok(self.memory.config.categories.spec(id).name.to_string())
        };
        let categories = request.categories.iter().map(known);
        let categories: Vec<String> = categories.collect::<Result<_, Failure>>()?;
        let request = &SearchRequest { categories: &categories, ..*request };
        if text.trim().is_empty() {
            let hint = "give some words to look for";
            return Err(Failure::new(FailureKind::Usage, "the query is empty", hint));
        }
        let found = self.search(request)?;
        let SearchResult { hits, near, withheld, mode, model, degraded, problems, stale, .. } =
            found;
        self.say_withheld_hits(&withheld, text);
        let faint = !hits.is_empty() && hits.iter().all(|hit| hit.is_faint);
        if faint {
            self.memory.notices.note("Nothing matches well; the nearest are shown");
        }
        if let (None, Some(why)) = (&model, &degraded) {
            self.memory.notices.detail(&format!("{why}; searched by words alone"));
        }
        let short = ranking::short_ids(hits.iter().filter_map(|hit| hit.entry));
        let shortened = |hit: FoundHit| {
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
            faint,
            by_seed: request.order == HitOrder::Seed,
        };
        Ok(SearchAnswer { answer: Answer { view, problems }, stale })
    }

    /// Reports lines that match and are withheld, with the command that shows them.
    fn say_withheld_hits(self, withheld: &WithheldCounts, query: &str) {
        let say = |state: &str, one: &str, more: &str, command: &str| {
            let count = withheld.of(state);
            let (line, matches) = if count == 1 { (one, "matches") } else { (more, "match") };
            if count > 0 {
                self.memory.notices.note(&format!("{count} {line} {matches}: {command}"));
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
pub fn view(hit: FoundHit, detail: Detail) -> HitView {
    let (likeness, meaning) = (hit.candidate.likeness(), hit.candidate.meaning());
    let RankCandidate { bm25, cosine, plain, model, reading, context, .. } = hit.candidate;
    let QueryReading { near, coverage, share } = reading;
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
        branch: hit.branch,
        source: hit.source,
        line: hit.line,
        date: hit.when.map(Timestamp::date),
        text: hit.text,
        places: hit.rules.told_places().map(str::to_owned).collect(),
        reviewed: (!hit.reviewed).then_some(false),
        relevance,
        explain: (detail == Detail::Explained).then_some(parts),
        short: None,
        short_replaced_by: None,
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchView {
    #[serde(serialize_with = "mode")]
    pub mode: Mode,
    pub query: String,
    pub terms: Vec<String>,
    /// Best first.
    pub hits: Vec<HitView>,
    /// Model whose vectors were used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why the configured model was not used, or how many lines it has not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
    /// Best candidates that were left out, for lack of score or of room; set if explanations were
    /// requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_misses: Option<Vec<HitView>>,
    /// Number of lines that would be hits and are withheld, by their state: `replaced`,
    /// `unreviewed`, `secret`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<WithheldCounts>,
    /// True if all hits are hardly better than chance.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub faint: bool,
    /// True if scores are similarity × 100 + stability.
    #[serde(skip)]
    pub by_seed: bool,
}

/// A hit: an entry or a passage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HitView {
    /// Id of the entry, 16 hexadecimal digits; `None` for passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How well it, or a hit below it, answers the query, 0 to 1.1. It does not depend on the store.
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    #[serde(rename = "in")]
    pub kind: &'static str,
    /// `project`, `user` or `team`.
    pub scope: &'static str,
    /// Who wrote a line of a mirror, if not the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Project of a line of a mirror.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Branch that it was learned on, and is not merged from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// File, relative to the store; `worktrees/BRANCH` for what no file here has.
    pub source: String,
    /// Line in the file, from 1.
    pub line: u32,
    /// Day of a passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    pub text: String,
    /// Where it counts; none for everywhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// `false` if it was neither written nor reviewed on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<bool>,
    /// `true` if it is in the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// What it is if not simply in force: `seems replaced`, `archived`; with `--in archive` also
    /// `replaced`, `forgotten`, `expired`, `merged`, `unreviewed`, `secret` or `unset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<&'static str>,
    /// Id of the entry that replaces it, or seems to.
    #[serde(rename = "replacedBy", skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// Relevance for the prompt, under the policy `ebbinghaus`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<RelevanceView>,
    /// Parts of the score, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<ScoreParts>,
    /// Shortest prefix of the id that is unique among the hits.
    #[serde(skip)]
    pub short: Option<String>,
    /// The same of the entry that replaces it.
    #[serde(skip)]
    pub short_replaced_by: Option<String>,
}

impl HitView {
    /// Returns the file and the line where it stands.
    #[must_use]
    pub fn location(&self) -> String {
        match &self.branch {
            Some(branch) => format!("learned on {branch}, not merged"),
            None => format!("{}:{}", self.source, self.line),
        }
    }

    /// Returns what is said of a hit that does not count everywhere, or is not simply in force:
    /// ` (place: src/**) (seems replaced by 1a2b3c4)`.
    pub fn mark(&self) -> String {
        let by = self.short_replaced_by.as_ref().or(self.replaced_by.as_ref());
        let by = by.map_or_else(String::new, |by| format!(" by {by}"));
        let state = self.state.filter(|state| *state != "unreviewed");
        let state = state.map_or_else(String::new, |state| format!(" ({state}{by})"));
        rules::place_mark(self.places.iter().map(String::as_str)) + &state
    }

    /// Returns the label of a line of a mirror: `anna, payments`.
    pub fn label(&self) -> Option<String> {
        let project = self.project.as_deref()?;
        Some(mirror::label(self.author.as_deref(), project))
    }
}

/// The relevance of a recalled entry: .50 similarity + .20 importance + .30 freshness.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RelevanceView {
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    #[serde(serialize_with = "six_decimals")]
    pub similarity: f64,
    #[serde(serialize_with = "six_decimals")]
    pub importance: f64,
    /// Hours since the last access.
    #[serde(serialize_with = "six_decimals")]
    pub idle_hours: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ScoreParts {
    /// BM25 score.
    #[serde(serialize_with = "six_decimals")]
    pub bm25: f64,
    /// Cosine similarity to the query, -1 to 1; 0 without vectors.
    #[serde(serialize_with = "six_decimals")]
    pub cosine: f64,
    /// Mean of the cosines by the table, where rare words weigh more, and by the model.
    #[serde(serialize_with = "six_decimals")]
    pub likeness: f64,
    /// Contribution of similar words to BM25.
    #[serde(serialize_with = "six_decimals")]
    pub near: f64,
    /// Share of the query that the text covers, 0 to 1.
    #[serde(serialize_with = "six_decimals")]
    pub coverage: f64,
    /// The same by weights that do not depend on the store.
    #[serde(serialize_with = "six_decimals")]
    pub share: f64,
    /// Cosine by the table, where all words weigh alike.
    #[serde(serialize_with = "six_decimals")]
    pub plain: f64,
    /// Cosine by the chosen model on the scale of the table, if it has embedded the text.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe_six_decimals")]
    pub model: Option<f64>,
    /// The cosine in the score, by both.
    #[serde(serialize_with = "six_decimals")]
    pub meaning: f64,
    /// The score of this hit alone.
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    /// Contribution of neighbouring passages.
    #[serde(serialize_with = "six_decimals")]
    pub context: f64,
    /// Factor by standing.
    #[serde(serialize_with = "six_decimals")]
    pub factor: f64,
    /// Sort key, 0 to 1.1.
    #[serde(serialize_with = "six_decimals")]
    pub rank: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn mode<S: Serializer>(mode: &Mode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(mode.name())
}

documents! {
    SearchView: "pimem.search/1",
}

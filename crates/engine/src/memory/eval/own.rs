//! Questions about one's own stores: recorded prompts whose answers used what they were given, and
//! words of entries; and `pimem model eval --injection`, which compares what a model is shown with and
//! without a search.
//!
//! The comparison follows pi-memory's design: notes and the logs of two days are always shown, within
//! their budgets; the search adds what they leave out.

use crate::memory::handles::Modeling;
use std::collections::BTreeMap;

use pimem_core::{
    eval::{
        run,
        set::{EvalDoc, EvalQuery, EvalSet, StoreVocabulary},
    },
    model::entry::EntryId,
    score::ranking::Ranking,
    search::{bm25::Query, documents::SourceKind, rank::Mode},
    usage::sums::{UsageLog, used_by_prompt},
};

use super::{Division, Hits, Ready, TEN, answers, divide, is_recalled, misses, modes};
use crate::{
    error::{Failure, FailureKind},
    memory::{
        Memory, background,
        eval::{Evaluation, Injection, MissedPassage, ShownPassage},
        model::Stopwatch,
        search::{
            self, FoundHit, embedding,
            request::{Pace, SearchRequest},
        },
        telemetry,
    },
    store::Store,
    view::Entries,
};

/// Maximum number of entries that are asked for, spread over all of them.
const ASKED: usize = 300;

/// A recorded prompt that an answer used something for.
const PROMPT: &str = "prompt";
const WORDS: &str = "words";

impl Modeling<'_> {
    /// Measures what searches find in one's own stores, as [`Modeling::evaluate`].
    pub(super) fn evaluate_own(
        self,
        by: Option<Division>,
        clock: Stopwatch<'_>,
    ) -> Result<Evaluation, Failure> {
        let stores = self.memory.readers()?;
        let (ranking, _) = self.memory.own_ranking(&stores);
        let entries = self.memory.entries_of(&ranking);
        let (log, _) = telemetry::log(self.memory, &stores);
        let set = questions(&ranking, &entries, &log);
        if set.queries.is_empty() {
            let message = "there is nothing to ask for";
            let hint = "a store needs entries of a few words; pimem model eval FILE reads a set";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        let model = embedding::name(self.memory);
        let has_model = embedding::embedder(self.memory, &model)?.is_some();
        let modes = modes(has_model);
        let mut view = Evaluation {
            model,
            left_out: 0,
            is_own: true,
            results: Vec::new(),
            misses: Vec::new(),
        };
        // The first search has the index refreshed; those that are measured find the whole of it.
        if let (Some(first), Some(mode)) = (set.queries.first(), modes.last()) {
            hits(self.memory, &stores, &entries, first, *mode, clock);
        }
        let mut progress = self.memory.notices.progress("searching");
        let mut asked = 0;
        let all = modes.len() * set.queries.len();
        for mode in modes {
            let search = |_, query: &EvalQuery| {
                progress(asked, all);
                asked += 1;
                hits(self.memory, &stores, &entries, query, mode, clock)
            };
            let answers = answers(&set, search);
            divide(&mut view.results, by, &set.name, mode, &answers);
            view.misses = misses(&set, &answers);
        }
        progress(all, all);
        Ok(view)
    }
}

/// Makes questions. Documents are the entries that a search can find.
fn questions(ranking: &Ranking, entries: &Entries<'_>, log: &UsageLog) -> EvalSet {
    let is_possible = |row: &&pimem_core::score::ranking::ScoredEntry| row.withheld().is_none();
    let mut rows: Vec<_> = ranking.rows.iter().filter(is_possible).collect();
    rows.sort_by_key(|row| row.entry.id);
    let doc = |id: EntryId, text: &str| EvalDoc {
        id: entries.short(id),
        text: text.to_owned(),
        headings: String::new(),
        source: None,
    };
    let docs = rows.iter().map(|row| doc(row.entry.id, &row.entry.text)).collect();
    // A prompt may be on record several times.
    let mut prompts: BTreeMap<&str, Vec<EntryId>> = BTreeMap::new();
    for (prompt, used) in used_by_prompt(log) {
        let here = used.iter().filter(|id| rows.iter().any(|row| row.entry.id == **id));
        prompts.entry(prompt.trim()).or_default().extend(here);
    }
    prompts.retain(|_, used| !used.is_empty());
    let query = |text: String, class: &str, ids: &[EntryId]| EvalQuery {
        text,
        relevant: ids.iter().map(|id| (entries.short(*id), 1)).collect(),
        class: Some(class.to_owned()),
        source: None,
    };
    let mut queries: Vec<EvalQuery> =
        prompts.iter().map(|(text, used)| query((*text).to_owned(), PROMPT, used)).collect();
    let mut vocabulary = StoreVocabulary::of(rows.iter().map(|row| row.entry.text.as_str()));
    let every = rows.len().div_ceil(ASKED).max(1);
    for row in rows.iter().step_by(every) {
        let words = vocabulary.question(&row.entry.text);
        queries.extend(words.map(|words| query(words, WORDS, &[row.entry.id])));
    }
    EvalSet { name: "own".to_owned(), docs, queries }
}

/// Asks as `search` does, and as recall does.
fn hits(
    memory: &Memory,
    stores: &[Store],
    entries: &Entries<'_>,
    query: &EvalQuery,
    mode: Mode,
    clock: Stopwatch<'_>,
) -> Hits {
    let recall = &memory.config.settings.recall;
    let words = Query::new(&query.text);
    let limit = if is_recalled(&query.text) { recall.limit } else { 0 };
    let requests = [
        SearchRequest { mode, limit: TEN, pace: Pace::Hook, ..SearchRequest::new(&words) },
        SearchRequest {
            mode,
            ..SearchRequest::recall(memory, &words, limit, &[SourceKind::Topic])
        },
    ];
    let start = clock();
    let mut results = search::find_each(memory, stores, &requests).into_iter();
    let time = clock().saturating_sub(start);
    let passage = |hit: FoundHit| MissedPassage {
        id: match hit.entry {
            Some(id) => entries.short(id),
            None => format!("{}:{}", hit.source, hit.line),
        },
        text: hit.text,
    };
    let [found, recalled] = [results.next(), results.next()].map(Option::unwrap_or_default);
    // Many searches follow, so the index is refreshed first.
    background::refresh(memory, found.stale);
    let passages = |hits: Vec<FoundHit>| hits.into_iter().map(passage).collect();
    Hits { found: passages(found.hits), recalled: passages(recalled.hits), time }
}

/// Number of hits added.
const HITS: usize = 3;

/// Counts for the questions about one source.
#[derive(Default)]
struct Count {
    questions: usize,
    without: usize,
    with: usize,
}

/// Counts the answers that are shown, by set and source.
pub(super) fn compare(memory: &Memory, sets: &[Ready], mode: Mode) -> Result<Injection, Failure> {
    let mut counts: BTreeMap<(String, String), Count> = BTreeMap::new();
    let least = memory.config.settings.recall.min_score;
    for ready in sets {
        let set = &ready.set;
        if set.docs.iter().all(|doc| doc.source.is_none()) {
            let message = format!("no document of {} says where it is from", set.name);
            let hint = "give documents a source: long_term, today, yesterday or older_daily";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        let docs: Vec<(Option<&str>, &str)> =
            set.docs.iter().map(|doc| (doc.source.as_deref(), doc.text.as_str())).collect();
        let anyway = run::injected(&docs);
        for (number, query) in set.queries.iter().enumerate() {
            let best = query.relevant.values().copied().max().unwrap_or(0);
            if best == 0 {
                continue;
            }
            let answers = |shown: &[bool]| {
                let shown = set.docs.iter().zip(shown).filter(|(_, shown)| **shown);
                shown.into_iter().any(|(doc, _)| query.relevant.get(&doc.id) == Some(&best))
            };
            let found: Vec<usize> = ready
                .search(number, mode, HITS)
                .into_iter()
                .filter(|found| found.judged.score >= least)
                .map(|found| found.at)
                .collect();
            let mut searched = anyway.clone();
            run::inject(&mut searched, &docs, &found);
            let source = query.source.clone().unwrap_or_else(|| "-".to_owned());
            let count = counts.entry((set.name.clone(), source)).or_default();
            count.questions += 1;
            count.without += usize::from(answers(&anyway));
            count.with += usize::from(answers(&searched));
        }
    }
    let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
    let shown = |((set, source), Count { questions, without, with }): ((String, String), Count)| {
        let gain = share(with, questions) - share(without, questions);
        ShownPassage { set, source, questions, without, with, gain }
    };
    Ok(Injection { results: counts.into_iter().map(shown).collect() })
}

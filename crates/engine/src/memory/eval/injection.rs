//! `pimem eval --injection`: compares what a model is shown with and without a search.
//!
//! Follows the comparison in pi-memory's design: notes and the logs of two days are always shown,
//! within their budgets; the search adds what they leave out.

use std::collections::BTreeMap;

use super::Ready;
use crate::{
    error::{Failure, FailureKind},
    memory::{
        Memory,
        eval::{Injection, ShownPassage},
    },
};
use pimem_core::{eval::run, search::rank::Mode};

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

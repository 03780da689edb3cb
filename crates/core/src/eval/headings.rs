//! Headings of the documents of a set, whose words count as in a store.

use super::run::Collection;
use crate::search::{documents::HeadingTokens, tokens::Tokenizer};

impl Collection {
    /// Adds the words of the headings above each document, in order.
    #[must_use]
    pub fn below<'a>(mut self, headings: impl Iterator<Item = &'a str>) -> Self {
        let mut tokenizer = Tokenizer::default();
        let mut above = HeadingTokens::default();
        for (number, headings) in (0_u32..).zip(headings) {
            for token in above.of(headings, &mut tokenizer, |token| Some(token.to_owned())) {
                let list = self.postings.entry(token.clone()).or_default();
                let at = list.binary_search_by_key(&number, |(doc, _)| *doc);
                match at.map(|at| list.get_mut(at)) {
                    Ok(Some((_, frequency))) => *frequency += 1,
                    Ok(None) => {}
                    Err(at) => list.insert(at, (number, 1)),
                }
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::category::Categories,
        search::{
            bm25::{self, FieldSize, Query, Segment},
            documents::{Scan, SourceKind},
            rank::Mode,
        },
    };

    /// A set and a store of the same lines give the same ranks.
    #[test]
    fn a_set_scores_like_a_store() {
        let lines =
            ["Imperative, at most 60 characters", "Commits are squashed", "Kafka for events"];
        let headings = ["git\nCommits", "git\nCommits", "git\nMessaging"];
        let collection =
            Collection::new(lines.map(str::to_owned).to_vec()).below(headings.into_iter());
        let [first, second, third] = lines.map(|line| format!("- [preference] {line}\n"));
        let file = format!("# Git\n## Commits\n{first}{second}## Messaging\n{third}");
        for query in ["format of commits", "messaging in git", "commits git events"] {
            let query = Query::new(query);
            let source = (0, SourceKind::Topic, "topics/git.md", file.clone().into_bytes());
            let scan = Scan::new(&query, vec![source], &Categories::default());
            let segments: [&dyn Segment; 1] = [&scan];
            let size = FieldSize { docs: 3, ..scan.size };
            let idf = bm25::frequencies(&query, &segments, size);
            let scores = bm25::score(&query, &idf, &segments, size.average()).concat();
            let mut want: Vec<(usize, f64)> =
                scores.iter().map(|bm25| bm25 / (bm25 + 8.0)).enumerate().collect();
            want.retain(|(_, score)| *score > 0.0);
            want.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let found = collection.search(&query, Mode::Keyword, None, 10);
            let found: Vec<_> = found.iter().map(|one| (one.at, one.judged.rank)).collect();
            assert_eq!(found, want);
        }
    }
}

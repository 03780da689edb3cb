//! Detects contradictions: two entries, one of which is the negation of the other.

use std::collections::HashMap;

use crate::language::paraphrase::{NormalForm, affirmations};

/// Maximum number of texts with equal hash that a text is compared with.
const RIVALS: usize = 64;

/// Normal forms of texts, indexed by hash, so that not all pairs are compared.
pub(crate) struct Outlines {
    outlines: Vec<NormalForm>,
    by_key: HashMap<u64, Vec<usize>>,
}

impl Outlines {
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let outlines: Vec<NormalForm> = texts.map(NormalForm::of).collect();
        let mut by_key: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, outline) in outlines.iter().enumerate() {
            by_key.entry(outline.key()).or_default().push(at);
        }
        Self { outlines, by_key }
    }

    /// Returns the indexes of the texts that say the same as `outline`, ascending.
    pub(crate) fn like<'a>(&'a self, outline: &'a NormalForm) -> impl Iterator<Item = usize> + 'a {
        let known = self.by_key.get(&outline.key()).into_iter().flatten().take(RIVALS);
        known.copied().filter(move |at| {
            self.outlines.get(*at).is_some_and(|other| other.says_the_same(outline))
        })
    }

    /// Returns the first text before `at` that says the same and for which `wanted` returns true.
    pub(crate) fn before(&self, at: usize, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let outline = self.outlines.get(at)?;
        self.like(outline).take_while(|other| *other < at).find(|other| wanted(*other))
    }

    /// Returns the texts that `text` negates.
    pub(super) fn denied_by(&self, text: &str) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for affirmed in affirmations(text) {
            found.extend(self.like(&NormalForm::of(&affirmed)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denies(a: &str, b: &str) -> bool {
        !Outlines::of([b].into_iter()).denied_by(a).is_empty()
    }

    #[test]
    fn fixture() {
        let table = include_str!("../../../../fixtures/contradictions.tsv");
        let mut wrong = Vec::new();
        let mut counts = [0, 0];
        for line in table.lines() {
            let [verdict, a, b, why] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("four columns: {line}")
            };
            assert!(matches!(verdict, "contradict" | "compatible"), "{line}");
            let want = verdict == "contradict";
            counts[usize::from(want)] += 1;
            // Of two texts only one is the negation; the table is read in both orders.
            for (a, b) in [(a, b), (b, a)] {
                if (denies(a, b) || denies(b, a)) != want {
                    wrong.push(format!("{verdict}\t{a}\t{b}\t{why}\t{:?}", affirmations(a)));
                }
            }
            assert!(!(denies(a, b) && denies(b, a)), "each denies the other: {line}");
            assert!(!denies(a, a) && !denies(b, b), "denies itself: {line}");
        }
        assert!(counts.iter().all(|count| *count >= 40), "{counts:?}");
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }

    #[test]
    fn what_says_the_same_is_no_contradiction() {
        for line in include_str!("../../../../fixtures/duplicates.tsv").lines() {
            let [verdict, a, b, _] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("four columns: {line}")
            };
            let contradict = denies(a, b) || denies(b, a);
            assert!(verdict == "different" || !contradict, "{line}");
        }
    }
}

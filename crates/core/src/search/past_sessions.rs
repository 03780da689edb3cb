//! Past sessions beside other hits: an entry that says as much stands before a summary that only
//! repeats the question.

use std::collections::HashSet;

use super::documents::SourceKind;

/// The share of its score that a summary loses if it says nothing but words of the query. At 0.7 no
/// session that a query was about lost its place to an entry; at 0.8 the first did.
const REPEATED: f64 = 0.7;
/// Stands between the messages of a summary.
const JOINT: char = '|';

/// Returns the factor on the score of a document among those of `kinds`, where none means all: less
/// than 1 for a past session beside other documents, the less its message nearest to the query says
/// in other words.
#[must_use]
pub fn factor(query: &str, kind: SourceKind, kinds: &[SourceKind], text: &str) -> f64 {
    if kind != SourceKind::Session || kinds == [SourceKind::Session] {
        return 1.0;
    }
    let asked = words(query);
    let repeated = |message: &str| {
        let said = words(message);
        (said.intersection(&asked).count(), said.len())
    };
    let messages = text.split(JOINT).map(repeated);
    // Of messages that share as many words, the shorter one repeats more.
    let nearest = messages.max_by_key(|(shared, all)| (*shared, usize::MAX - all));
    let (shared, all) = nearest.unwrap_or_default();
    1.0 - REPEATED * shared as f64 / all.max(1) as f64
}

fn words(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let all = &[][..];
        let query = "How often do we ship?";
        for (kind, kinds, text, want) in [
            (SourceKind::Session, all, "how often do we ship", 0.3),
            (SourceKind::Session, all, "Fix the crash | how often do we ship a release", 0.5),
            (SourceKind::Session, all, "releases are on Thursday, we ship at ten", 1.0 - 0.7 / 4.0),
            // A short message does not stand for a longer one that repeats more.
            (SourceKind::Session, all, "we do | we ship so often that no one reads", 0.7375),
            (SourceKind::Session, all, "wonderful", 1.0),
            (SourceKind::Session, all, "", 1.0),
            (SourceKind::Session, &[SourceKind::Topic, SourceKind::Session], query, 0.3),
            (SourceKind::Session, &[SourceKind::Session], query, 1.0),
            (SourceKind::Topic, all, query, 1.0),
        ] {
            let got = factor(query, kind, kinds, text);
            assert!((got - want).abs() < 1e-9, "{text}: {got} is not {want}");
        }
    }
}

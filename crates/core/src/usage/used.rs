//! Detects whether an answer used an injected entry.
//!
//! Detection compares words only. It is a lower bound for entries that were followed, and an upper
//! bound for those that were quoted: an answer about the same subject shares words with an entry
//! that it never considered.

use std::collections::HashSet;

use crate::search::tokens::{self, Tokenizer};

/// Answers up to this many characters are too short for detection.
const SHORT: usize = 50;
/// Number of characters of an entry that must match for a quotation.
const QUOTED: usize = 40;
/// Maximum number of bytes examined: as much as a model says at once, and a matter of milliseconds.
const MOST: usize = 1 << 18;
/// Minimum number of distinct content words for comparing shares.
const WORDS: usize = 3;
/// Minimum share of an entry's content words in the answer, in percent.
const SHARE: usize = 60;

/// An answer, prepared for comparison with many entries.
pub struct Response {
    /// Lower case with folded white space; empty if the answer is too short.
    text: String,
    stems: HashSet<String>,
    tokenizer: Tokenizer,
}

impl Response {
    /// Prepares an answer.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = text.get(..text.floor_char_boundary(MOST)).unwrap_or_default();
        let is_short = text.trim().chars().nth(SHORT).is_none();
        let text = if is_short { String::new() } else { folded(text) };
        let mut tokenizer = Tokenizer::default();
        Self { stems: content(&mut tokenizer, &text), text, tokenizer }
    }

    /// Returns true if the answer contains the first 40 characters of an entry, or 60 % of its
    /// content words. An entry with fewer than three content words must be quoted.
    pub fn uses(&mut self, entry: &str) -> bool {
        let entry = folded(entry);
        if self.text.is_empty() || entry.is_empty() {
            return false;
        }
        if self.quotes(&entry) {
            return true;
        }
        let words = content(&mut self.tokenizer, &entry);
        let found = words.intersection(&self.stems).count();
        words.len() >= WORDS && found * 100 >= words.len() * SHARE
    }

    fn quotes(&self, entry: &str) -> bool {
        let cut = entry.char_indices().nth(QUOTED).and_then(|(at, _)| entry.get(..at));
        let quoted = cut.unwrap_or(entry);
        self.text.match_indices(quoted).any(|(at, _)| {
            let before = self.text.get(..at).and_then(|text| text.chars().next_back());
            let after = self.text.get(at + quoted.len()..).and_then(|text| text.chars().next());
            // `use tab` is not in `reuse tables`; a cut quotation may end within a word.
            let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !inside(before) && (cut.is_some() || !inside(after))
        })
    }
}

/// Returns a text in lower case with single spaces.
fn folded(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the stems of the content words.
pub fn content(tokenizer: &mut Tokenizer, text: &str) -> HashSet<String> {
    let mut stems = HashSet::new();
    tokenizer.words(text, |tokenizer, word| {
        // The `t` of `don't`.
        let is_letter = word.len() == 1 && !word.starts_with(|c: char| c.is_ascii_digit());
        if !is_letter && !tokens::is_question_word(word) {
            stems.insert(tokenizer.stem_of(word).to_owned());
        }
    });
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETRY: &str = "I wrapped the whole booking transaction in `retry_serializable`, since \
        Postgres aborts a SERIALIZABLE\ntransaction with SQLSTATE 40001 and retrying only the \
        statement that failed runs in a dead one.";
    const FORMATTED: &str = "Done. The berth code now lives in `src/berths/mod.rs`, and `just fmt` \
        and `just lint` are clean. Nothing else had to change for this.";
    const GERMAN: &str = "Erledigt: die Liegeplätze werden jetzt in Ortszeit angezeigt, die \
        Umrechnung geschieht in der Anzeige und nicht in der Datenbank.";

    #[test]
    fn answers() {
        for (response, entry, used) in [
            // Content words in other forms and another order.
            (
                RETRY,
                "SQLSTATE 40001 from a SERIALIZABLE transaction must be retried as a whole, not only the failing statement",
                true,
            ),
            (RETRY, "Transactions that fail with SQLSTATE 40001 are retried", true),
            (
                RETRY,
                "SQLSTATE 23P01 is the exclusion violation; map it to HTTP 409 with code berth_taken",
                false,
            ),
            (RETRY, "The job queue is a table with SKIP LOCKED instead of RabbitMQ", false),
            (RETRY, "Users sign in through the port's OIDC provider", false),
            // Quoted, with other white space and case.
            (FORMATTED, "NOTHING else  had to change for this", true),
            (
                FORMATTED,
                "The berth code now lives in `src/berths/mod.rs`, moved there from api/ after v0.12 because of review",
                true,
            ),
            (FORMATTED, "Run just fmt, just lint and just test before every commit", false),
            // Too few words for comparing shares.
            (FORMATTED, "Use berths", false),
            (FORMATTED, "just fmt", true),
            (FORMATTED, "lint", true),
            (FORMATTED, "lin", false),
            (FORMATTED, "", false),
            (FORMATTED, "is it not what you are", false),
            (GERMAN, "Die Umrechnung geschieht in der Anzeige und nicht anderswo", true),
            (GERMAN, "Liegeplätze werden in UTC gespeichert", false),
            // A short answer is never counted, not even for a quotation.
            (
                "Users sign in through the port's OIDC provider.",
                "Users sign in through the port's OIDC provider.",
                false,
            ),
            ("", "anything", false),
        ] {
            assert_eq!(Response::new(response).uses(entry), used, "{entry}");
        }
    }

    #[test]
    fn the_limits_are_those_of_the_format() {
        let text = |chars: usize| format!("use tabs{}", "x".repeat(chars - 8)).replace("sx", "s x");
        let mut short = Response::new(&"é".repeat(50));
        assert!(!short.uses(&"é".repeat(40)), "50 characters are too few");
        assert!(Response::new(&"é".repeat(51)).uses(&"é".repeat(51)), "by its first 40");
        assert!(!Response::new(&"é".repeat(51)).uses(&"é".repeat(39)), "within a word");
        assert!(Response::new(&text(60)).uses("use tabs"));
        let five = "alpha beta gamma delta epsilon";
        let filler = "and then a good many other things that matter little here";
        let with = |words: &str| Response::new(&format!("{words} {filler}")).uses(five);
        assert!(with("gamma beta alpha"), "three of five");
        assert!(!with("gamma beta"), "two of five");
    }

    proptest::proptest! {
        #[test]
        fn never_fails_and_a_long_entry_uses_itself(text in "\\PC{0,200}", other in "\\PC{0,80}") {
            let mut response = Response::new(&text);
            let _ = response.uses(&other);
            let long = text.trim().chars().count() > SHORT;
            proptest::prop_assert_eq!(response.uses(&text), long);
        }
    }
}

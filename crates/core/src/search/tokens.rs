//! The tokenizer used by the index, the in-memory search and queries.
//!
//! A text is split into *words* (stemmed; they make up its length, except for a word that was
//! already counted by its parts) and *exact forms* (not stemmed, not counted). So `#tags`,
//! `[[links]]`, paths, flags, versions and identifiers are found as written, and identifiers by
//! their parts too.

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

/// Must change whenever the same text gives other tokens, so that an old index is rebuilt.
pub const VERSION: u32 = 2;

/// Longer words are cut: nobody types them, and a term dictionary is no place for base64.
const MAX_BYTES: usize = 64;

/// First byte of an exact form. No word starts with it.
const EXACT: char = '=';

/// Splits texts into tokens, with a cache of stems.
pub struct Tokenizer {
    stemmer: Stemmer,
    /// Cache of stems: few words make up most of any text, and stemming takes longer than all other
    /// steps.
    stems: HashMap<Box<str>, Box<str>>,
    lower: String,
    token: String,
}

/// Maximum number of cached stems.
const KEPT: usize = 50_000;

impl Default for Tokenizer {
    fn default() -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        Self { stemmer, stems: HashMap::new(), lower: String::new(), token: String::new() }
    }
}

impl Tokenizer {
    /// Calls `emit(token, counts)` for each token of `text`; `counts` is false for tokens that do
    /// not count towards the length.
    pub fn each(&mut self, text: &str, mut emit: impl FnMut(&str, bool)) {
        for chunk in text.split_whitespace() {
            let chunk = trim(chunk);
            let mut words = 0;
            let mut whole = 0;
            for word in chunk.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
            {
                let mut parts = 0;
                for part in Parts(word) {
                    self.word(part, true, &mut emit);
                    parts += 1;
                }
                if parts > 1 {
                    // Lets a query `postgresql` find `PostgreSQL`.
                    self.word(word, false, &mut emit);
                }
                words += 1;
                whole = whole.max(word.len());
            }
            if words > 1 || (words == 1 && whole < chunk.len()) {
                self.exact(chunk, &mut emit);
            }
        }
    }

    /// Calls `emit(self, word)` for each word that counts, in lower case.
    pub fn words(&mut self, text: &str, mut emit: impl FnMut(&mut Self, &str)) {
        self.spellings(text, |tokenizer, word, counts| {
            if counts {
                emit(tokenizer, word);
            }
        });
    }

    /// Calls `emit(self, word, counts)` for each word in lower case, and for each identifier of
    /// several words, which does not count.
    pub fn spellings(&mut self, text: &str, mut emit: impl FnMut(&mut Self, &str, bool)) {
        let mut lower = String::new();
        for chunk in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let mut parts = 0;
            for part in Parts(chunk) {
                lowercase(part, &mut lower);
                emit(self, &lower, true);
                parts += 1;
            }
            if parts > 1 {
                lowercase(chunk, &mut lower);
                emit(self, &lower, false);
            }
        }
    }

    /// Returns the stem of a lower-case word.
    pub fn stem_of(&mut self, word: &str) -> &str {
        self.lower.clear();
        self.lower.push_str(word);
        self.stem()
    }

    fn word(&mut self, word: &str, counts: bool, emit: &mut impl FnMut(&str, bool)) {
        lowercase(word, &mut self.lower);
        match self.stems.get(self.lower.as_str()) {
            Some(stem) => emit(stem, counts),
            None => emit(self.stem(), counts),
        }
    }

    /// Returns the number of words in `text`: its length for BM25.
    pub fn len(&mut self, text: &str) -> u32 {
        let mut count = 0;
        self.each(text, |_, counts| count += u32::from(counts));
        count
    }

    fn stem(&mut self) -> &str {
        let stem = self.stemmer.stem(&self.lower);
        self.token.clear();
        self.token.push_str(cut(&stem));
        if self.stems.len() < KEPT {
            self.stems.insert(self.lower.as_str().into(), self.token.as_str().into());
        }
        &self.token
    }

    fn exact(&mut self, form: &str, emit: &mut impl FnMut(&str, bool)) {
        self.token.clear();
        self.token.push(EXACT);
        self.token.extend(form.chars().flat_map(char::to_lowercase));
        emit(cut(&self.token), false);
    }
}

/// Writes `text` in lower case to `out`.
fn lowercase(text: &str, out: &mut String) {
    out.clear();
    if text.is_ascii() {
        out.push_str(text);
        out.make_ascii_lowercase();
    } else {
        out.extend(text.chars().flat_map(char::to_lowercase));
    }
}

/// Returns true if a token is an exact form.
#[must_use]
pub fn is_exact(token: &str) -> bool {
    token.starts_with(EXACT)
}

fn cut(token: &str) -> &str {
    let mut end = token.len().min(MAX_BYTES);
    while !token.is_char_boundary(end) {
        end -= 1;
    }
    token.get(..end).unwrap_or(token)
}

/// Strips the punctuation of prose from a chunk. Leading `#`, `-`, `.`, `/`, `@` and `~` belong to
/// tags, flags and paths.
fn trim(chunk: &str) -> &str {
    let start = chunk.trim_start_matches(|c: char| {
        !c.is_alphanumeric() && !matches!(c, '#' | '-' | '.' | '/' | '@' | '~' | '_' | '$')
    });
    start.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '+' | '#' | '_'))
}

/// The parts of an identifier: `HTTPServer2` is `HTTP`, `Server`, `2`.
struct Parts<'a>(&'a str);

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let mut chars = self.0.char_indices().peekable();
        let (_, mut last) = chars.next()?;
        let mut upper_run = last.is_uppercase();
        while let Some((at, c)) = chars.next() {
            let next_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
            let hump = c.is_uppercase() && (last.is_lowercase() || (upper_run && next_lower));
            // `v2` and `h264` stay whole; a digit run splits only after a longer word.
            let digit = c.is_numeric() != last.is_numeric() && at > 2 && self.0.len() - at > 2;
            if hump || digit {
                let (part, rest) = self.0.split_at(at);
                self.0 = rest;
                return Some(part);
            }
            upper_run = c.is_uppercase();
            last = c;
        }
        Some(std::mem::take(&mut self.0))
    }
}

/// Words that only form a question or connect a sentence, sorted. They are dropped from queries.
#[rustfmt::skip]
const QUESTION_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but",
    "by", "can", "could", "did", "do", "does", "doing", "done",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its",
    "let", "lets", "me", "mine", "my", "no", "not", "of", "on", "or", "our", "ours", "pick",
    "picked", "please", "shall", "should", "so", "tell", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "to", "us", "was", "we", "were",
    "what", "what's", "whats", "when", "where", "whether", "which", "who", "whom", "whose",
    "why", "will", "with", "would", "you", "your", "yours",
];

/// Returns true if a query word says nothing about the subject.
#[must_use]
pub fn is_question_word(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    // No question word is longer, or has other characters.
    let fits = |b: u8| b.is_ascii_alphabetic() || b == b'\'';
    if word.len() > 8 || !word.bytes().all(fits) {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    QUESTION_WORDS.binary_search(&lower.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> String {
        let mut all = Vec::new();
        Tokenizer::default().each(text, |token, _| all.push(token.to_owned()));
        all.join(" ")
    }

    #[test]
    fn table() {
        for (text, want) in [
            ("Running tests, quickly.", "run test quick"),
            ("use --admin", "use admin =--admin"),
            ("#database [[berth-lock]]", "databas =#database berth lock =berth-lock"),
            ("`SchedulerWorker`", "schedul worker schedulerwork"),
            ("berth_slots", "berth slot =berth_slots"),
            ("src/api/routes.rs:12", "src api rout rs 12 =src/api/routes.rs:12"),
            ("v0.14.2", "v0 14 2 =v0.14.2"),
            ("HTTPServer2 h264 sha256sum", "http server2 httpserver2 h264 sha 256 sum sha256sum"),
            ("foo::BarBaz", "foo bar baz barbaz =foo::barbaz"),
            ("C++ don't", "c =c++ don t =don't"),
            ("naïve CAFÉ 日本", "naïv café 日本"),
            ("-- ... 👍", ""),
        ] {
            assert_eq!(tokens(text), want, "{text}");
        }
        assert!(tokens(&"é".repeat(500)).len() <= MAX_BYTES);
    }

    #[test]
    fn question_words() {
        assert!(QUESTION_WORDS.is_sorted() && QUESTION_WORDS.iter().all(|word| word.len() <= 8));
        for (word, want) in [
            ("What", true),
            ("the", true),
            ("is?", true),
            ("", false),
            ("a b", false),
            ("lock", false),
        ] {
            assert_eq!(is_question_word(word), want, "{word}");
        }
    }
}

//! Decides whether two texts say the same, so that the second need not be kept.
//!
//! A cosine near 1 cannot tell `tabs over spaces` from its reverse, so it never decides alone: this
//! guard must agree. It rejects what it does not understand. A paraphrase that is not recognised
//! costs a line; two statements mistaken for one lose the second.
//!
//! A text becomes a sequence of tokens (`token`). `phrase` rewrites it from a closed list where the
//! meaning does not change; the rest must be equal, in order. Any difference counts except
//!
//! - case at the start of a sentence and of plain words; white space; the last full stop;
//! - `the` and `a`, or singular and plural, but not both, nor one article for the other;
//! - number words, contractions, British spelling and a few hyphens;
//! - `prior to` and `before`, `rather than` and `instead of`;
//! - a clause that may be first or last (`Before committing, …`), if it cannot attach to another
//!   part; names in a list; `you commit` and `committing`;
//! - whose memory it is (`User prefers …`), reminders (`Remember to …`), and `Always` before an
//!   imperative, because a rule always applies.
//!
//! Numbers, code, quotes, paths, flags, identifiers, tags and arguments of commands are compared
//! byte by byte. Snowball stems cannot be used: they merge `import` with `important`, and `staged`
//! with `staging`. A text in another language, with unbalanced quotes, or with two spellings of one
//! word (`Renamed colour to color`) equals only itself.

mod phrase;
pub(crate) mod token;
pub(crate) mod words;

#[cfg(test)]
mod tests;

use memchr::memmem::Finder;

use self::{
    token::{Token, TokenKind},
    words::List,
};
use crate::model::hash::fnv1a64;

pub use crate::language::negation::affirmations;

/// The normal form of a text, which removes differences without meaning.
#[derive(Debug, Clone)]
pub struct NormalForm {
    /// Words in the singular, each followed by [`END`].
    words: String,
    /// One for each word.
    forms: Vec<WordForm>,
    key: u64,
}

/// The end of a word. In words, it stands only in a text that is one word.
const END: char = '\0';

/// The optional properties of a word.
#[derive(Debug, Clone)]
struct WordForm {
    plural: bool,
    /// True if plural and singular differ in meaning.
    counted: bool,
    /// The article removed before it.
    article: Option<Article>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Article {
    A,
    The,
}

impl NormalForm {
    /// Normalises a text. Any text is accepted.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let Some(tokens) = phrase::read(text) else {
            // Such a text equals only itself. No token begins with a control character.
            let words = format!("\u{1}{}{END}", plain(text));
            return Self::new(
                words,
                vec![WordForm { plural: false, counted: true, article: None }],
            );
        };
        let mut words = String::with_capacity(text.len() + text.len() / 8);
        let mut forms = Vec::with_capacity(tokens.len());
        let mut article = None;
        for (at, token) in tokens.iter().enumerate() {
            if phrase::is_light_article(&tokens, at) {
                article = Some(if token.text == "the" { Article::The } else { Article::A });
                continue;
            }
            let word = phrase::singular(&tokens, at);
            let plural = word != token.text;
            let counted = phrase::is_counted(&tokens, at);
            words.push_str(&word);
            words.push(END);
            forms.push(WordForm { plural, counted, article: article.take() });
        }
        Self::new(words, forms)
    }

    fn new(words: String, forms: Vec<WordForm>) -> Self {
        let key = fnv1a64(&[words.as_bytes()]);
        Self { words, forms, key }
    }

    /// Returns true if both texts say the same. They may differ either in articles that one of them
    /// leaves out, or in singular and plural.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        if self.words != other.words {
            return false;
        }
        if self.pairs(other).any(|(a, b)| a.plural != b.plural) {
            self.pairs(other).all(|(a, b)| a.article == b.article) && self.agrees_with(other)
        } else {
            self.leaves_out(other) || other.leaves_out(self)
        }
    }

    /// Returns a hash that is equal for texts that say the same, and rarely for others.
    #[must_use]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Returns a hash of the words in any order, which is equal for texts that say the same.
    #[must_use]
    pub fn sketch(&self) -> u64 {
        self.words().map(word_hash).fold(0, u64::wrapping_add)
    }

    /// Returns the sketch of the text with another number in place of one. Returns `None` if the text
    /// is not read as words of which one is the number and none the other, because then the rest may
    /// be read in another way.
    #[must_use]
    pub fn sketch_with(&self, number: &str, other: &str) -> Option<u64> {
        let has = |text| self.words().any(|word| word == text);
        let rest = || self.sketch().wrapping_sub(word_hash(number));
        (has(number) && !has(other)).then(|| rest().wrapping_add(word_hash(other)))
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.words.split_terminator(END)
    }

    fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a WordForm, &'a WordForm)> {
        self.forms.iter().zip(&other.forms)
    }

    /// Returns true if this text has articles only where `other` has the same.
    fn leaves_out(&self, other: &Self) -> bool {
        self.pairs(other).all(|(a, b)| a.article.is_none() || a.article == b.article)
    }

    /// Returns true if singular and plural differ only where the meaning does not. If the `s` moves
    /// from one word to the next, the second must be the verb of the first: `servers request`,
    /// `server requests`.
    fn agrees_with(&self, other: &Self) -> bool {
        let differs = |(a, b): &(&WordForm, &WordForm)| a.plural != b.plural;
        let pairs: Vec<_> = self.pairs(other).collect();
        let moves = pairs.windows(2).zip(self.words().skip(1)).any(|(pair, word)| {
            let [first, second] = pair else { return false };
            differs(first)
                && differs(second)
                && first.0.plural != second.0.plural
                && !words::is(List::Agreeing, word)
        });
        let counted = |(a, b): &(&WordForm, &WordForm)| a.counted || b.counted;
        !moves && !pairs.iter().any(|pair| differs(pair) && counted(pair))
    }
}

fn word_hash(word: &str) -> u64 {
    fnv1a64(&[word.as_bytes()])
}

/// Returns a text without the last full stop, and with single spaces unless it contains quotes.
fn plain(text: &str) -> String {
    let text = text.trim();
    let text = match text.strip_suffix('.') {
        Some(rest) if rest.ends_with(char::is_alphanumeric) => rest,
        _ => text,
    };
    if text.contains(['`', '"', '\'']) {
        text.to_owned()
    } else {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Substrings that every paraphrase of a new text must contain, for scanning thousands of texts
/// without parsing them.
#[derive(Debug, Clone)]
pub struct Prefilter(Vec<Piece>);

/// Maximum number of substrings. The first one alone rules out most texts.
const PIECES: usize = 4;

impl Prefilter {
    /// Computes the prefilter of a new text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut pieces: Vec<(String, bool)> = match phrase::read(text) {
            Some(tokens) => tokens.iter().filter_map(piece).collect(),
            None => plain(text).split_whitespace().map(|word| (word.into(), false)).collect(),
        };
        pieces.retain(|(piece, _)| piece.len() > 1);
        pieces.sort_by_key(|(piece, _)| std::cmp::Reverse(piece.len()));
        pieces.dedup();
        Self(pieces.iter().take(PIECES).map(|(piece, word)| Piece::new(piece, *word)).collect())
    }
}

/// Returns true if `known` may say the same as the new text; never false if it does.
#[must_use]
pub fn could_match(new: &Prefilter, known: &str) -> bool {
    new.0.iter().all(|piece| piece.is_in(known.as_bytes()))
}

/// A substring to search for.
#[derive(Debug, Clone)]
struct Piece {
    finder: Finder<'static>,
    /// First letter of a word, which may be a capital. Only the rest is searched for.
    first: Option<u8>,
}

impl Piece {
    fn new(piece: &str, word: bool) -> Self {
        let (first, rest) = match piece.as_bytes() {
            [first, rest @ ..] if word => (Some(*first), rest),
            all => (None, all),
        };
        Self { finder: Finder::new(rest).into_owned(), first }
    }

    fn is_in(&self, text: &[u8]) -> bool {
        let Some(first) = self.first else { return self.finder.find(text).is_some() };
        let begins_word = |at: usize| {
            let mut before = text.get(..at).unwrap_or_default().iter().rev();
            before.next().is_some_and(|letter| letter.eq_ignore_ascii_case(&first))
                && before.next().is_none_or(|other| !other.is_ascii_alphanumeric())
        };
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| self.finder.find(rest)) {
            if begins_word(from + at) {
                return true;
            }
            from += at + 1; // Matches may overlap: `www`.
        }
        false
    }
}

/// Returns a substring that any wording of a token contains, and whether it begins a word.
fn piece(token: &Token) -> Option<(String, bool)> {
    match token.kind {
        TokenKind::Mark => None,
        TokenKind::Exact if words::is_number_of_words(&token.text) => None,
        TokenKind::Exact => {
            let runs = token.text.split(|c: char| !c.is_ascii_alphanumeric());
            runs.max_by_key(|run| run.len()).map(|run| (run.to_owned(), false))
        }
        TokenKind::Word | TokenKind::Name => words::stem(&token.text).map(|stem| (stem, true)),
    }
}

//! Whether two texts say the same thing, so that the second one need not be kept.
//!
//! A cosine near 1 cannot tell `tabs over spaces` from its reverse, so it never decides alone: this
//! guard has to agree. It refuses what it does not understand. A repetition that is not recognised
//! is kept twice, which costs a line; two statements taken for one lose the second.
//!
//! A text becomes a sequence of tokens (`token`); `phrase` rewrites what cannot change the
//! meaning, from a closed list; whatever is left has to be equal, in order. There is no list of
//! what makes texts differ: everything does but
//!
//! - case at the beginning of a sentence and of plain words; white space; the last full stop;
//! - `the` and `a`, or singular and plural, but not both, nor one article for the other;
//! - number words, contractions, British spelling and a few hyphens;
//! - `prior to` and `before`, `rather than` and `instead of`;
//! - a clause that may stand first or last (`Before committing, …`), where nothing else could
//!   take it up; names in a list; `you commit` and `committing`;
//! - whose memory it is (`User prefers …`), reminders (`Remember to …`), and `Always` before an
//!   imperative: a rule that is to be followed is to be followed always.
//!
//! Numbers, code, quotes, paths, flags, identifiers, tags and arguments of commands are compared
//! byte by byte. Snowball stems are of no use here: they make one of `import` and `important`, and
//! of `staged` and `staging`. A text in another language, with unbalanced quotes, or that has two
//! spellings of one word (`Renamed colour to color`) is only the same as itself.

pub(crate) mod lists;
mod phrase;
pub(crate) mod token;
pub(crate) mod words;

#[cfg(test)]
mod tests;

use memchr::memmem::Finder;

use self::{
    lists::List,
    token::{Kind, Token},
};
use crate::model::hash::fnv1a64;

pub use crate::language::negation::affirmations;

/// What a text says, as far as it does not matter how it says it.
#[derive(Debug, Clone)]
pub struct NormalForm(Vec<Unit>);

/// A token, with what may differ.
#[derive(Debug, Clone)]
struct Unit {
    /// In the singular.
    text: String,
    plural: bool,
    /// Whether the plural says something else than the singular.
    counted: bool,
    /// The article that was left out before it.
    article: Option<Article>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Article {
    A,
    The,
}

impl NormalForm {
    /// Reads a text. Any text will do.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let Some(tokens) = phrase::read(text) else {
            // It is only the same as itself. No token begins with a control character.
            let text = format!("\u{1}{}", plain(text));
            return Self(vec![Unit { text, plural: false, counted: true, article: None }]);
        };
        let mut units = Vec::new();
        let mut article = None;
        for (at, token) in tokens.iter().enumerate() {
            if phrase::is_light_article(&tokens, at) {
                article = Some(if token.text == "the" { Article::The } else { Article::A });
                continue;
            }
            let text = phrase::singular(&tokens, at).into_owned();
            let plural = text != token.text;
            let counted = phrase::is_counted(&tokens, at);
            units.push(Unit { text, plural, counted, article: article.take() });
        }
        Self(units)
    }

    /// Whether both say the same. They may differ in articles, which one of the two leaves out, or
    /// in singular and plural.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        if self.0.len() != other.0.len() || self.pairs(other).any(|(a, b)| a.text != b.text) {
            return false;
        }
        if self.pairs(other).any(|(a, b)| a.plural != b.plural) {
            self.pairs(other).all(|(a, b)| a.article == b.article) && self.agrees_with(other)
        } else {
            self.leaves_out(other) || other.leaves_out(self)
        }
    }

    /// Equal in texts that say the same, and rarely in others.
    #[must_use]
    pub fn key(&self) -> u64 {
        let units = self.0.iter().flat_map(|unit| [unit.text.as_bytes(), &[0]]);
        fnv1a64(&units.collect::<Vec<_>>())
    }

    fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a Unit, &'a Unit)> {
        self.0.iter().zip(&other.0)
    }

    /// Whether it has articles only where `other` has the same.
    fn leaves_out(&self, other: &Self) -> bool {
        self.pairs(other).all(|(a, b)| a.article.is_none() || a.article == b.article)
    }

    /// Whether singular and plural differ only where either will do. When the `s` goes from one
    /// word to the next, the second must be the verb to the first: `servers request`, `server
    /// requests`.
    fn agrees_with(&self, other: &Self) -> bool {
        let differs = |(a, b): &(&Unit, &Unit)| a.plural != b.plural;
        let pairs: Vec<_> = self.pairs(other).collect();
        let moves = pairs.windows(2).any(|pair| {
            let [first, second] = pair else { return false };
            differs(first)
                && differs(second)
                && first.0.plural != second.0.plural
                && !lists::is(List::Agreeing, &second.0.text)
        });
        let counted = |(a, b): &(&Unit, &Unit)| a.counted || b.counted;
        !moves && !pairs.iter().any(|pair| differs(pair) && counted(pair))
    }
}

/// A text with single spaces, unless it quotes something, and without the last full stop.
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

/// Pieces of a new text that every text which says the same must contain, for going through
/// thousands of texts without reading them.
#[derive(Debug, Clone)]
pub struct Prefilter(Vec<Piece>);

/// Pieces that are looked for. The first one alone rules most texts out.
const PIECES: usize = 4;

impl Prefilter {
    /// The probe of a new text.
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

/// Whether `known` may say the same as the text of the probe: never false when it does.
#[must_use]
pub fn could_match(new: &Prefilter, known: &str) -> bool {
    new.0.iter().all(|piece| piece.is_in(known.as_bytes()))
}

/// A piece of a text.
#[derive(Debug, Clone)]
struct Piece {
    finder: Finder<'static>,
    /// The first letter of a word, of which only the rest is looked for: it may be a capital.
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

/// What any wording of a token contains, byte by byte, and whether it is the beginning of a word.
fn piece(token: &Token) -> Option<(String, bool)> {
    match token.kind {
        Kind::Mark => None,
        Kind::Exact if words::is_number_of_words(&token.text) => None,
        Kind::Exact => {
            let runs = token.text.split(|c: char| !c.is_ascii_alphanumeric());
            runs.max_by_key(|run| run.len()).map(|run| (run.to_owned(), false))
        }
        Kind::Word | Kind::Name => words::stem(&token.text).map(|stem| (stem, true)),
    }
}

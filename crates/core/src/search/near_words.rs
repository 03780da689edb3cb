//! Soft matching of words by meaning.
//!
//! BM25 only counts exact words. Here a query word that is missing in a text counts in proportion
//! to its similarity with the most similar word of the text, by the built-in table. Coverage and
//! share are the weighted part of the query that the text contains: coverage by the weights of the
//! words in the store, share by weights that do not depend on it. All are computed for candidates
//! only, from their text.

use std::{
    collections::{HashMap, HashSet},
    mem,
    ops::Range,
};

use super::{
    bm25::{self, Query},
    tokens::{self, Tokenizer},
};
use crate::{
    embed::{
        table,
        vector::{Vector, normalize, product},
    },
    model::hash::{IdMap, fnv1a64},
};

/// Minimum cosine for two words to count as similar: 99 % of random pairs of words from the table
/// are below.
const UNLIKE: f32 = 0.2;
/// Maximum number of words of a query.
const WORDS: usize = 64;
/// The likeness of a word for a kind of thing and a word for such a thing, as a database and
/// PostgreSQL.
const KIND: f32 = 0.8;
/// Exponent of the weight of a word in the share: the table has learned to give common words short
/// vectors.
const WEIGHT: f64 = 1.5;
/// Minimum weight of a word, for those that the table does not know.
const LEAST: f64 = 1.0;

/// The words of a query, with a cache of words from texts.
#[derive(Default)]
pub struct QueryWords {
    words: Vec<Word>,
    texts: ReadTexts,
    /// True if only the same words count, not similar ones.
    exact: bool,
}

/// The texts read so far. The questions of one prompt are mostly answered by the same texts.
#[derive(Default)]
struct ReadTexts {
    tokenizer: Tokenizer,
    words: TextWords,
    /// Places of the distinct words of each text, if several queries are asked of it.
    texts: HashMap<Box<str>, Vec<usize>>,
    /// Columns of the words of queries, by hash.
    columns: IdMap<u64, usize>,
    /// Number of the query.
    query: usize,
    is_of_several: bool,
}

/// The words that occurred in texts.
#[derive(Default)]
struct TextWords {
    /// Places among `all`, by the hash of the word.
    places: IdMap<u64, usize>,
    all: Vec<TextWord>,
    /// Each word and its stem.
    spelled: String,
}

struct TextWord {
    text: Range<usize>,
    stem: Range<usize>,
    /// True if it is like no other word.
    is_exact: bool,
    /// Empty if it was not needed or is not kept.
    vector: Vec<f32>,
    /// Similarity to each query word, by the column of that; NaN until they are compared.
    likeness: Vec<f32>,
    /// Number of the last query that it was compared with.
    query: usize,
}

struct Word {
    /// Column of its similarity to words of texts.
    column: usize,
    text: String,
    stem: String,
    idf: f64,
    /// Weight without regard to the store.
    weight: f64,
    /// Words for things of the kind that it names.
    things: &'static str,
    vector: Vec<f32>,
    /// Reliability of the vector, 0 to 1.
    trust: f32,
}

/// The match of a text with the words of a query.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct QueryReading {
    /// Contribution of similar words to BM25.
    pub near: f64,
    /// The share of the query that the text covers, 0 to 1, where words that are rare in the store
    /// weigh more.
    pub coverage: f64,
    /// The same by weights that do not depend on the store.
    pub share: f64,
}

impl QueryWords {
    /// Prepares a query; `idf` is indexed like its terms.
    #[must_use]
    pub fn new(query: &Query, idf: &[f64]) -> Self {
        Self::default().then(query, idf)
    }

    /// Keeps what is known of words of texts, in some memory, for several queries.
    #[must_use]
    pub fn of_several() -> Self {
        let texts = ReadTexts { is_of_several: true, ..ReadTexts::default() };
        Self { texts, ..Self::default() }
    }

    /// Prepares the next query.
    #[must_use]
    pub fn then(mut self, query: &Query, idf: &[f64]) -> Self {
        let tokenizer = &mut self.texts.tokenizer;
        let mut words: Vec<Word> = Vec::new();
        let mut seen = HashSet::new();
        tokenizer.words(&query.content, |tokenizer, word| {
            let stem = tokenizer.stem_of(word);
            // A word that is not a term was beyond the maximum length of the query.
            let Some(idf) = query.position(stem).and_then(|at| idf.get(at)) else { return };
            if seen.insert(stem.to_owned()) {
                let (text, stem) = (word.to_owned(), stem.to_owned());
                words.push(Word {
                    column: 0,
                    text,
                    stem,
                    idf: *idf,
                    weight: 0.0,
                    things: "",
                    vector: Vec::new(),
                    trust: 0.0,
                });
            }
        });
        // Of a long prompt, the rarest words are the most informative.
        words.sort_by(|a, b| b.idf.total_cmp(&a.idf));
        words.truncate(WORDS);
        for word in &mut words {
            let mut vector = vec![0.0; table::DIMENSION];
            table::add(&word.text, 1.0, &mut vector);
            let length = f64::from(product(&vector, &vector).sqrt());
            word.weight = length.powf(WEIGHT).max(LEAST);
            normalize(&mut vector);
            word.vector = vector;
            word.trust = table::knows(&word.text);
            word.things = things(&word.text);
            word.column = self.texts.column(&word.text);
        }
        self.texts.query += 1;
        Self { words, ..self }
    }

    /// Matches texts by the same words only.
    #[must_use]
    pub fn exact(mut self) -> Self {
        if !self.exact {
            self.exact = true;
            // What was read so far was compared by meaning.
            (self.texts.texts, self.texts.words) = Default::default();
        }
        self
    }

    /// Returns the query as a vector of the built-in model. Rare words weigh more, because the
    /// table does not know what is common in this corpus, such as names of projects and people.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a weight")]
    pub fn vector(&self) -> Vector {
        let mut sum = vec![0.0; table::DIMENSION];
        for word in &self.words {
            table::add(&word.text, word.idf.sqrt() as f32, &mut sum);
        }
        Vector::quantize(&sum)
    }

    /// Returns the query as a vector of the built-in model, where all words weigh alike.
    #[must_use]
    pub fn plain_vector(&self) -> Vector {
        let mut sum = vec![0.0; table::DIMENSION];
        for word in &self.words {
            table::add(&word.text, 1.0, &mut sum);
        }
        Vector::quantize(&sum)
    }

    /// Matches a text of `words` words, in a corpus where texts have `average`.
    pub fn read(&mut self, text: &str, words: u32, average: f64) -> QueryReading {
        let Self { words: sought, texts, exact } = self;
        let mut best = vec![0.0_f32; sought.len()];
        let ReadTexts { tokenizer, words: known, texts, query, is_of_several, .. } = texts;
        let mut look = |known: &mut TextWords, at: usize| {
            let TextWords { all, spelled, .. } = known;
            let Some(word) = all.get_mut(at) else { return };
            if word.query < *query {
                word.query = *query;
                word.compare(spelled, sought, *exact, *is_of_several);
            }
            for (best, sought) in best.iter_mut().zip(&*sought) {
                *best = best.max(word.likeness.get(sought.column).copied().unwrap_or_default());
            }
        };
        if *is_of_several {
            if !texts.contains_key(text) {
                let mut places = Vec::new();
                tokenizer.spellings(text, |tokenizer, word, _| {
                    places.push(known.place(word, tokenizer));
                });
                places.sort_unstable();
                places.dedup();
                texts.insert(text.into(), places);
            }
            for at in texts.get(text).into_iter().flatten() {
                look(known, *at);
            }
        } else {
            tokenizer.spellings(text, |tokenizer, word, _| {
                let at = known.place(word, tokenizer);
                look(known, at);
            });
        }
        let mut reading = QueryReading::default();
        let all = |weight: fn(&Word) -> f64| {
            sought.iter().map(weight).sum::<f64>().max(f64::MIN_POSITIVE)
        };
        let (rare, heavy) = (all(|word| word.idf), all(|word| word.weight));
        for (word, like) in sought.iter().zip(best) {
            let like = f64::from(like);
            reading.coverage += word.idf * like / rare;
            reading.share += word.weight * like / heavy;
            // BM25 has already counted exact matches.
            if like < 1.0 {
                reading.near += word.idf * bm25::saturated(like, words, average);
            }
        }
        reading
    }
}

impl ReadTexts {
    /// Returns the column of a word of a query.
    fn column(&mut self, word: &str) -> usize {
        let next = self.columns.len();
        *self.columns.entry(fnv1a64(&[word.as_bytes()])).or_insert(next)
    }
}

impl TextWords {
    /// Returns the place of a word, which is noted if it is new.
    fn place(&mut self, word: &str, tokenizer: &mut Tokenizer) -> usize {
        let Self { places, all, spelled } = self;
        *places.entry(fnv1a64(&[word.as_bytes()])).or_insert_with(|| {
            let start = spelled.len();
            spelled.push_str(word);
            let middle = spelled.len();
            spelled.push_str(tokenizer.stem_of(word));
            let (text, stem) = (start..middle, middle..spelled.len());
            let (vector, likeness) = (Vec::new(), Vec::new());
            let is_exact = tokens::is_question_word(word);
            all.push(TextWord { text, stem, is_exact, vector, likeness, query: 0 });
            all.len() - 1
        })
    }
}

impl TextWord {
    /// Compares it with words of a query: 1 for the same stem, less for others.
    fn compare(&mut self, spelled: &str, sought: &[Word], exact: bool, keeps_vector: bool) {
        let [text, stem] =
            [&self.text, &self.stem].map(|at| spelled.get(at.clone()).unwrap_or_default());
        let columns = sought.iter().map(|other| other.column + 1).max().unwrap_or(0);
        if self.likeness.len() < columns {
            self.likeness.resize(columns, f32::NAN);
        }
        let exact = exact || self.is_exact;
        let mut vector = mem::take(&mut self.vector);
        for other in sought {
            let Some(like) = self.likeness.get_mut(other.column).filter(|like| like.is_nan())
            else {
                continue;
            };
            let is_same = other.stem == stem;
            if exact || is_same {
                *like = f32::from(u8::from(is_same));
                continue;
            }
            if vector.is_empty() {
                vector = table::embed(text);
            }
            // Different words may have the same row; that is less than an exact match.
            let near = other.trust * (product(&vector, &other.vector) - UNLIKE) / (1.0 - UNLIKE);
            let least = if is_among(text, other.things) { KIND } else { 0.0 };
            *like = near.clamp(least, 0.99);
        }
        if keeps_vector {
            self.vector = vector;
        }
    }
}

/// Words for a kind, a colon, and words for things of that kind, one kind a line.
const KINDS: &str = include_str!("kinds.txt");

/// Returns the words for things of the kind that a lower-case word names; empty if it names none.
#[must_use]
pub fn things(word: &str) -> &'static str {
    let mut kinds = KINDS.lines().filter(|line| !line.starts_with('#'));
    let found = kinds.find_map(|line| {
        let (names, things) = line.split_once(':')?;
        names.split(' ').any(|name| name == word).then_some(things)
    });
    found.unwrap_or_default()
}

/// Returns true if a lower-case word is one of those that [`things`] returned.
#[must_use]
pub fn is_among(word: &str, things: &str) -> bool {
    !things.is_empty() && things.split(' ').any(|thing| thing == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(query: &str, text: &str) -> QueryReading {
        let query = Query::new(query);
        let idf = vec![2.0; query.terms.len()];
        QueryWords::new(&query, &idf).read(text, 6, 6.0)
    }

    #[test]
    fn the_same_words_are_covered_and_add_nothing() {
        let got = reading("database locks", "The database is locked");
        assert!((got.coverage - 1.0).abs() < 1e-9 && got.near.abs() < 1e-9, "{got:?}");
    }

    #[test]
    fn near_words_count_in_part() {
        let near = reading("which database", "Chose PostgreSQL for all services");
        let far = reading("which database", "Prefers concise answers to questions");
        assert!(near.coverage > far.coverage && near.near > far.near, "{near:?} {far:?}");
        assert!((0.0..1.0).contains(&near.coverage));
    }

    #[test]
    fn a_kind_of_thing_is_near_to_things_of_that_kind() {
        let share = |query: &str, text: &str| reading(query, text).share;
        assert!(share("which database", "Chose PostgreSQL for all services") > 0.79);
        assert!(share("message queue", "Chose PostgreSQL for all services") < 0.3);
        assert!(share("which postgresql", "a database for all services") < 0.79);
    }

    #[test]
    fn a_word_that_the_table_does_not_know_is_near_to_little() {
        let near = |query: &str, text: &str| reading(query, text).coverage;
        assert!(near("zzzqqq", "the queue of jobs") < 0.5 * near("queues", "the queue of jobs"));
        assert!(near("привет", "сервер") < 0.5, "letters alone say little");
        assert!(near("ꙮ", "𓀀").abs() < 1e-9, "two unknown words are not the same");
        assert!(near("pgbouncer", "PgBouncer's pool") > 0.4, "a piece of the word is there");
    }

    #[test]
    fn what_is_known_of_texts_changes_no_reading() {
        let queries = ["which database", "database locks", "a lock in postgresql", "queues"];
        let texts = ["Chose PostgreSQL for all services", "Locked the queue", "databases", ""];
        for exact in [false, true] {
            let of_mode = |words: QueryWords| if exact { words.exact() } else { words };
            let mut several = QueryWords::of_several();
            for query in queries.iter().chain(&queries).map(|query| Query::new(query)) {
                let idf = vec![2.0; query.terms.len()];
                several = of_mode(several.then(&query, &idf));
                let mut alone = of_mode(QueryWords::new(&query, &idf));
                for text in texts {
                    let (one, other) = (several.read(text, 6, 6.0), alone.read(text, 6, 6.0));
                    assert_eq!(one, other, "{query:?} {text} {exact}");
                }
            }
        }
    }

    #[test]
    fn nothing_to_read() {
        for (query, text) in [("", "text"), ("👍", "text"), ("lock", ""), ("lock", "👍")] {
            assert!(reading(query, text).coverage.abs() < 1e-9, "{query} {text}");
        }
    }

    #[test]
    fn a_rare_word_weighs_more_in_the_vector() {
        let query = Query::new("kestrel lock");
        let vector = |idf: &[f64]| QueryWords::new(&query, idf).vector();
        let lock = Vector::quantize(&table::embed("lock"));
        let cosine = |idf: &[f64]| vector(idf).cosine(&lock.numbers, lock.scale);
        assert!(cosine(&[0.1, 4.0]) > cosine(&[4.0, 0.1]));
    }
}

#[cfg(test)]
mod kinds_tests {
    use super::*;

    #[test]
    fn kinds_and_their_things() {
        for (kind, thing) in
            [("database", "postgresql"), ("queue", "rabbitmq"), ("linters", "clippy")]
        {
            assert!(is_among(thing, things(kind)), "{kind} {thing}");
        }
        assert!(!is_among("rabbitmq", things("database")) && !is_among("", things("cake")));
    }

    /// A kind has one line, and a word is read as it stands there.
    #[test]
    fn the_list_is_in_order() {
        let lines: Vec<&str> = KINDS.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.is_sorted() && lines.len() > 30);
        let names = lines.iter().filter_map(|line| line.split_once(':'));
        let names: Vec<&str> = names.flat_map(|(names, _)| names.split(' ')).collect();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name} twice");
        }
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        for line in &lines {
            let (names, things) = line.split_once(": ").unwrap();
            assert!(names.split(' ').chain(things.split(' ')).all(is_word), "{line}");
        }
    }
}

//! Parser for retrieval sets: documents, and queries with their relevant documents; and questions for
//! texts without any: known items, asked for by words of theirs.
//!
//! The parser is strict where a mistake would silently change a result, such as a relevant id without
//! a document; unknown fields are ignored.
//!
//! As in Azzopardi, de Rijke and Balog, *Building simulated queries for known-item topics*, SIGIR 2007,
//! a question for a known item is words of the text by how telling they are. The most telling are left
//! out: whoever remembers those has half the answer.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::Value;

use super::metrics::Grades;
use crate::search::tokens::{Tokenizer, is_question_word};

pub const SCHEMA: &str = "retrieval-set/1";

/// Maximum number of characters of a query quoted in an error.
const QUOTED: usize = 60;

/// A file of retrieval sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalFile {
    /// Origin of the data, for people.
    pub note: Option<String>,
    /// The sets: at least one, with unique names.
    pub sets: Vec<EvalSet>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalSet {
    pub name: String,
    /// The documents: at least one, with unique ids.
    pub docs: Vec<EvalDoc>,
    /// The queries: at least one.
    pub queries: Vec<EvalQuery>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalDoc {
    pub id: String,
    pub text: String,
    /// The headings above it and the name of its topic; may be empty.
    pub headings: String,
    /// Kind of place it comes from, such as `long_term`.
    pub source: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalQuery {
    pub text: String,
    /// Relevant documents by id; may be empty.
    pub relevant: Grades,
    /// Kind of query, such as `paraphrase`.
    pub class: Option<String>,
    /// Kind of place the answer comes from.
    pub source: Option<String>,
}

/// The reason why a file is not a retrieval set, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EvalError(String);

#[derive(Deserialize)]
struct Head {
    schema: Option<Value>,
}

#[derive(Deserialize)]
struct RawFile {
    note: Option<String>,
    sets: Option<Vec<RawSet>>,
}

#[derive(Deserialize)]
struct RawSet {
    name: Option<String>,
    docs: Option<Vec<RawDoc>>,
    queries: Option<Vec<RawQuery>>,
}

#[derive(Deserialize)]
struct RawDoc {
    id: Option<String>,
    text: Option<String>,
    headings: Option<String>,
    source: Option<String>,
}

#[derive(Deserialize)]
struct RawQuery {
    text: Option<String>,
    relevant: Option<Pairs>,
    class: Option<String>,
    source: Option<String>,
}

/// The members of an object in order, including duplicate names.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairwise;
        impl<'de> Visitor<'de> for Pairwise {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of ids and grades, such as {\"id\": 2}")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Pairs, M::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Pairwise)
    }
}

impl EvalFile {
    /// Parses a file. A byte order mark is skipped.
    ///
    /// # Errors
    /// A sentence that names the set and the query, if applicable.
    pub fn parse(bytes: &[u8]) -> Result<Self, EvalError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        // Check the schema first: a file of another kind should not be reported as malformed.
        let head: Head = json(bytes)?;
        match head.schema {
            Some(Value::String(schema)) if schema == SCHEMA => {}
            Some(other) => {
                return fail(format!("the schema is {other}, and only {SCHEMA:?} is known"));
            }
            None => return fail(format!("there is no \"schema\"; {SCHEMA:?} is expected")),
        }
        let raw: RawFile = json(bytes)?;
        let mut sets: Vec<EvalSet> = Vec::new();
        for (number, raw) in (1_usize..).zip(some(raw.sets, || "the file has no \"sets\"".into())?)
        {
            let set = set(raw, number)?;
            if sets.iter().any(|other| other.name == set.name) {
                return fail(format!("two sets are named {:?}", set.name));
            }
            sets.push(set);
        }
        Ok(Self { note: raw.note, sets })
    }
}

fn json<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, EvalError> {
    serde_json::from_slice(bytes)
        .map_err(|error| EvalError(format!("not a retrieval set: {error}")))
}

fn fail<T>(sentence: String) -> Result<T, EvalError> {
    Err(EvalError(sentence))
}

/// Returns a list that is present and not empty.
fn some<T>(list: Option<Vec<T>>, sentence: impl Fn() -> String) -> Result<Vec<T>, EvalError> {
    list.filter(|list| !list.is_empty()).ok_or_else(|| EvalError(sentence()))
}

/// Returns a text that is present and not blank.
fn text(text: Option<String>, sentence: impl Fn() -> String) -> Result<String, EvalError> {
    text.filter(|text| !text.trim().is_empty()).ok_or_else(|| EvalError(sentence()))
}

fn set(raw: RawSet, number: usize) -> Result<EvalSet, EvalError> {
    let name = text(raw.name, || format!("set {number} has no \"name\""))?;
    let raw_docs = some(raw.docs, || format!("set {name:?} has no \"docs\""))?;
    let mut docs = Vec::with_capacity(raw_docs.len());
    for (number, raw) in (1_usize..).zip(raw_docs) {
        let id = text(raw.id, || format!("set {name:?}: document {number} has no \"id\""))?;
        let text = text(raw.text, || format!("set {name:?}: document {id:?} has no \"text\""))?;
        let headings = raw.headings.unwrap_or_default();
        docs.push(EvalDoc { id, text, headings, source: raw.source });
    }
    let mut known = HashSet::with_capacity(docs.len());
    if let Some(twice) = docs.iter().find(|doc| !known.insert(doc.id.as_str())) {
        return fail(format!("set {name:?}: two documents have the id {:?}", twice.id));
    }
    let raw_queries = some(raw.queries, || format!("set {name:?} has no \"queries\""))?;
    let mut queries = Vec::with_capacity(raw_queries.len());
    for (number, raw) in (1_usize..).zip(raw_queries) {
        queries.push(query(raw, &known).map_err(|(text, problem)| {
            let quoted = text.map(|text| format!(" ({})", quote(&text))).unwrap_or_default();
            EvalError(format!("set {name:?}, query {number}{quoted}: {problem}"))
        })?);
    }
    Ok(EvalSet { name, docs, queries })
}

/// Validates a query. The error consists of its text, if present, and the problem.
fn query(raw: RawQuery, known: &HashSet<&str>) -> Result<EvalQuery, (Option<String>, String)> {
    let Some(text) = raw.text.filter(|text| !text.trim().is_empty()) else {
        return Err((None, "it has no \"text\"".to_owned()));
    };
    let Some(Pairs(pairs)) = raw.relevant else {
        let problem = "it has no \"relevant\"; {} says that nothing is";
        return Err((Some(text), problem.to_owned()));
    };
    let mut relevant = BTreeMap::new();
    for (id, grade) in pairs {
        if !known.contains(id.as_str()) {
            let problem = format!("{id:?} is relevant, and no document has that id");
            return Err((Some(text), problem));
        }
        if relevant.contains_key(&id) {
            return Err((Some(text), format!("{id:?} is graded twice")));
        }
        let Some(whole) = grade.as_u64().and_then(|grade| u32::try_from(grade).ok()) else {
            let problem =
                format!("{id:?} has the grade {grade}, and a grade is a whole number from 0");
            return Err((Some(text), problem));
        };
        relevant.insert(id, whole);
    }
    Ok(EvalQuery { text, relevant, class: raw.class, source: raw.source })
}

/// Returns the start of a text in quotes, with control characters escaped.
fn quote(text: &str) -> String {
    let start: String = text.chars().take(QUOTED).collect();
    if start.len() < text.len() { format!("{start:?}…") } else { format!("{start:?}") }
}

/// Words of a question.
const WORDS: usize = 2;

/// The words of a collection, by the number of texts that have each.
#[derive(Default)]
pub struct StoreVocabulary {
    tokenizer: Tokenizer,
    /// By stem.
    texts: HashMap<String, usize>,
}

impl StoreVocabulary {
    #[must_use]
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self::default();
        for text in texts {
            for stem in vocabulary.words(text).into_keys() {
                *vocabulary.texts.entry(stem).or_default() += 1;
            }
        }
        vocabulary
    }

    /// Returns two words of a text of the collection, in its order: the rarest but for the rarest
    /// half. `None` if it has fewer.
    #[must_use]
    pub fn question(&mut self, text: &str) -> Option<String> {
        let words = self.words(text);
        if words.len() < WORDS {
            return None;
        }
        let rarity = |stem: &String| self.texts.get(stem).copied().unwrap_or(0);
        let mut by_rarity: Vec<(usize, usize, &str)> =
            words.iter().map(|(stem, (at, word))| (rarity(stem), *at, word.as_str())).collect();
        by_rarity.sort_unstable();
        let skipped = (by_rarity.len() / 2).min(by_rarity.len() - WORDS);
        let mut taken: Vec<_> = by_rarity.into_iter().skip(skipped).take(WORDS).collect();
        taken.sort_unstable_by_key(|(_, at, _)| *at);
        Some(taken.into_iter().map(|(_, _, word)| word).collect::<Vec<_>>().join(" "))
    }

    /// Returns the content words of a text by stem, with their places and spellings.
    fn words(&mut self, text: &str) -> BTreeMap<String, (usize, String)> {
        let mut words = BTreeMap::new();
        let mut place = 0;
        self.tokenizer.words(text, |tokenizer, word| {
            place += 1;
            let is_content = word.chars().count() > 2 && word.chars().all(char::is_alphabetic);
            if is_content && !is_question_word(word) {
                let stem = tokenizer.stem_of(word).to_owned();
                words.entry(stem).or_insert_with(|| (place, word.to_owned()));
            }
        });
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{
        "schema": "retrieval-set/1", "note": "made up", "licence": "any",
        "sets": [{"name": "s", "docs": [
            {"id": "a", "text": "alpha", "headings": "Greek", "source": "today", "more": [1]},
            {"id": "b", "text": "beta"}
        ], "queries": [
            {"text": "first?", "relevant": {"b": 1, "a": 2}, "class": "exact", "source": "today"},
            {"text": "nothing?", "relevant": {}, "since": 3}
        ]}]
    }"#;

    fn error(json: &str) -> String {
        EvalFile::parse(json.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_good_file() {
        for bom in ["", "\u{feff}"] {
            let file = EvalFile::parse(format!("{bom}{GOOD}").as_bytes()).unwrap();
            assert_eq!(file.note.as_deref(), Some("made up"));
            let [set] = &file.sets[..] else { panic!("one set") };
            assert_eq!((set.name.as_str(), set.docs.len(), set.queries.len()), ("s", 2, 2));
            assert_eq!(set.docs[0].source.as_deref(), Some("today"));
            assert_eq!((&*set.docs[1].id, &*set.docs[1].text), ("b", "beta"));
            assert_eq!((&*set.docs[0].headings, &*set.docs[1].headings), ("Greek", ""));
            assert_eq!(set.docs[1].source, None);
            let first = &set.queries[0];
            assert_eq!(first.relevant, BTreeMap::from([("a".into(), 2), ("b".into(), 1)]));
            assert_eq!(first.class.as_deref(), Some("exact"));
            assert_eq!(first.source.as_deref(), Some("today"));
            assert!(set.queries[1].relevant.is_empty() && set.queries[1].class.is_none());
        }
    }

    /// One change to the valid file, and the expected error.
    #[test]
    fn slips_are_named() {
        for (from, to, want) in [
            (
                "-set/1",
                "-set/2",
                "the schema is \"retrieval-set/2\", and only \"retrieval-set/1\" is known",
            ),
            ("\"retrieval-set/1\"", "1", "the schema is 1, and only \"retrieval-set/1\" is known"),
            ("schema", "scheme", "there is no \"schema\"; \"retrieval-set/1\" is expected"),
            ("\"sets\"", "\"set\"", "the file has no \"sets\""),
            ("\"name\": \"s\",", "", "set 1 has no \"name\""),
            ("\"docs\"", "\"documents\"", "set \"s\" has no \"docs\""),
            ("\"queries\"", "\"questions\"", "set \"s\" has no \"queries\""),
            ("\"id\": \"a\",", "", "set \"s\": document 1 has no \"id\""),
            ("\"beta\"", "\" \"", "set \"s\": document \"b\" has no \"text\""),
            ("\"id\": \"b\"", "\"id\": \"a\"", "set \"s\": two documents have the id \"a\""),
            ("\"nothing?\"", "\"\"", "set \"s\", query 2: it has no \"text\""),
            (
                "\"relevant\": {},",
                "",
                "set \"s\", query 2 (\"nothing?\"): it has no \"relevant\"; {} says that nothing is",
            ),
            (
                "\"a\": 2",
                "\"c\": 2",
                "set \"s\", query 1 (\"first?\"): \"c\" is relevant, and no document has that id",
            ),
            ("\"a\": 2", "\"b\": 2", "set \"s\", query 1 (\"first?\"): \"b\" is graded twice"),
            (
                "\"a\": 2",
                "\"a\": -0.5",
                "set \"s\", query 1 (\"first?\"): \"a\" has the grade -0.5, and a grade is a whole number from 0",
            ),
        ] {
            assert!(GOOD.contains(from), "{from}");
            assert_eq!(error(&GOOD.replacen(from, to, 1)), want);
        }
        let head = "{\"schema\": \"retrieval-set/1\", \"sets\": [";
        assert_eq!(error(&format!("{head}]}}")), "the file has no \"sets\"");
        let set = |name: &str| {
            let query = "{\"text\": \"q\", \"relevant\": {}}";
            let docs = "[{\"id\": \"a\", \"text\": \"x\"}]";
            format!("{{\"name\": {name:?}, \"docs\": {docs}, \"queries\": [{query}]}}")
        };
        let two = format!("{head}{}, {}]}}", set("x"), set("x"));
        assert_eq!(error(&two), "two sets are named \"x\"");
        assert!(EvalFile::parse(two.replacen('x', "y", 1).as_bytes()).is_ok());
    }

    #[test]
    fn wrong_types_are_located() {
        for (from, to, want) in [
            ("{\"b\": 1, \"a\": 2}", "[\"b\"]", "an object of ids and grades"),
            ("\"id\": \"b\"", "\"id\": 7", "expected a string at line 5"),
            ("\"made up\"", "\"made up", "line 2"),
        ] {
            let said = error(&GOOD.replacen(from, to, 1));
            assert!(said.starts_with("not a retrieval set: ") && said.contains(want), "{said}");
        }
        assert!(error("").starts_with("not a retrieval set: EOF"));
        assert!(error("[]").starts_with("not a retrieval set: "));
        assert!(EvalFile::parse(b"\xff").is_err());
    }

    #[test]
    fn long_and_odd_queries_are_quoted_safely() {
        let long = GOOD.replace("first?", &format!("\\u001b[2J{}", "é".repeat(100)));
        let said = error(&long.replace("\"a\": 2", "\"c\": 2"));
        assert!(said.contains("(\"\\u{1b}[2Jéé") && said.contains("é\"…): \"c\" is"), "{said}");
    }

    #[test]
    fn a_hundred_thousand_documents() {
        let docs: Vec<String> =
            (0..100_000).map(|n| format!("{{\"id\":\"{n}\",\"text\":\"text {n}\"}}")).collect();
        let file = format!(
            "{{\"schema\":\"{SCHEMA}\",\"sets\":[{{\"name\":\"big\",\"docs\":[{}],\"queries\":[{{\
             \"text\":\"q\",\"relevant\":{{\"99999\":1}}}}]}}]}}",
            docs.join(",")
        );
        assert_eq!(EvalFile::parse(file.as_bytes()).unwrap().sets[0].docs.len(), 100_000);
    }

    #[test]
    fn the_most_telling_words_are_left_out() {
        let texts = [
            "Berth conflicts are prevented by an exclusion constraint, not by advisory locks",
            "Advisory locks survive a rollback",
            "A rollback of conflicts ends the locks of berth 7",
            "tabs",
        ];
        let mut vocabulary = StoreVocabulary::of(texts);
        for (text, want) in texts.iter().zip([
            // `prevented`, `exclusion` and `constraint` are in no other text.
            Some("berth conflicts"),
            Some("locks rollback"),
            Some("conflicts berth"),
            None,
        ]) {
            assert_eq!(vocabulary.question(text).as_deref(), want, "{text}");
        }
    }
}

//! Searchable documents: splits files into documents, and scans them in memory.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap, HashSet},
    mem,
    ops::Range,
};

use super::{
    bm25::{FieldSize, Segment, TermPostings},
    candidates,
    learned_questions::LearnedQuestions,
    tokens::Tokenizer,
};
use crate::{
    markdown::{
        passages::{self, Headings},
        topic::{self, TopicDoc, TopicEntry},
    },
    model::{
        category::Categories,
        entry::EntryId,
        hash::{IdMap, IdSet, fnv1a64},
        rules::{LineAsides, LineRules},
        time::Timestamp,
    },
    session::summaries,
};

crate::named! {
    /// Kinds of searchable files.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum SourceKind {
        /// A topic file: one document per entry.
        Topic = "topics",
        /// `MEMORY.md`: one document per section.
        Notes = "notes",
        /// `SCRATCHPAD.md`: one document per item.
        Scratchpad = "scratchpad",
        /// A daily log: one document per item.
        Daily = "daily",
        /// Observations of a session: one document per item, with its sub-items.
        Observation = "observations",
        /// Summaries of past sessions: one document per session.
        Session = "sessions",
        /// A file of the archive: one document per entry.
        Archive = "archive",
    }
}

impl SourceKind {
    /// Returns true for files whose documents the chosen model embeds. Others are embedded as they
    /// are found, because most never are.
    #[must_use]
    pub fn is_embedded(self) -> bool {
        matches!(self, Self::Topic | Self::Archive | Self::Notes | Self::Session)
    }

    /// Returns how much a document speaks for those beside it in its file, by distance.
    #[must_use]
    pub fn neighbours(self) -> &'static [f64] {
        match self {
            Self::Daily | Self::Session | Self::Observation => candidates::WITHIN,
            _ => candidates::NEXT,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doc {
    /// The entry's id, or a hash of the passage.
    pub id: u64,
    /// Hash of the category's name; 0 for passages.
    pub category: u32,
    pub words: u32,
    /// Offset of the passage in bytes; [`text_of`] returns its text.
    pub start: u32,
    /// Length of the passage in bytes, with the markers of an entry that is asked for as something.
    pub len: u32,
    /// Line number, from 1.
    pub line: u32,
    pub pinned: bool,
    /// The time that the passage states, in seconds since 1970; 0 if unknown, as for entries.
    pub when: u32,
}

/// Returns a number for a category that does not depend on the order of the configuration.
#[must_use]
pub fn category_hash(name: &str) -> u32 {
    u32::try_from(fnv1a64(&[name.as_bytes()]) & 0xffff_ffff).unwrap_or(0).max(1)
}

/// Returns the name of the category with this hash; `None` for passages.
#[must_use]
pub fn category_name(categories: &Categories, hash: u32) -> Option<&str> {
    let all = categories.known().map(|(_, spec)| spec.name.as_ref());
    all.into_iter().find(|name| hash != 0 && category_hash(name) == hash)
}

/// The text of a document, and what it is asked for as besides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocText {
    pub text: String,
    /// Words that are searched and not shown.
    pub asked: String,
    pub rules: LineRules,
}

impl DocText {
    #[must_use]
    pub fn searched(&self) -> Cow<'_, str> {
        searched(&self.text, &self.asked)
    }
}

/// Returns all that is searched and embedded of a text and what it is asked for as.
#[must_use]
pub fn searched<'a>(text: &'a str, asked: &str) -> Cow<'a, str> {
    if asked.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{text} {asked}")) }
}

/// Returns the text of a document from its bytes in the file, with what was learned that its entry is
/// asked for as.
#[must_use]
pub fn text_of(kind: SourceKind, bytes: &[u8], id: u64, learned: &LearnedQuestions) -> DocText {
    let text = match kind {
        SourceKind::Session => summaries::text(bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    if matches!(kind, SourceKind::Topic | SourceKind::Archive) {
        let (kept, markers) = topic::split_markers(&text);
        let text = if markers.asides.is_empty() { &text } else { kept }.to_owned();
        let LineAsides { asked, rules } = markers.asides;
        return DocText { text, asked: learned.searched(EntryId(id), &asked), rules };
    }
    DocText { text, ..DocText::default() }
}

/// Returns the date of a daily log from its file name.
fn day(name: &str) -> Option<Timestamp> {
    Timestamp::parse_date(name.strip_prefix("daily/")?.strip_suffix(".md")?)
}

/// Splits a file into documents and passes each to `each` with its text, and the headings above it
/// with the name of its topic. `words` is still 0. `name` is the file name relative to the store, and
/// `learned` what was learned that its entries are asked for as.
pub fn documents(
    kind: SourceKind,
    name: &str,
    bytes: Vec<u8>,
    (categories, learned): (&Categories, &LearnedQuestions),
    mut each: impl FnMut(Doc, DocText, &str),
) {
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let subject = subject(kind, name);
    if matches!(kind, SourceKind::Topic | SourceKind::Archive) {
        let topic = TopicDoc::parse(bytes, categories);
        let mut seen: IdMap<EntryId, &TopicEntry> = IdMap::default();
        let mut twins = HashSet::new();
        let mut above = Headings::of(topic.bytes());
        // If an entry appears both with and without the pinned marker, its evidence decides.
        let bare: IdSet<EntryId> =
            topic.entries.iter().filter(|e| !e.markers.pinned).map(|e| e.id).collect();
        for entry in &topic.entries {
            let first = *seen.entry(entry.id).or_insert(entry);
            let is_twin = first.text != entry.text || first.category != entry.category;
            let counts = std::ptr::eq(first, entry) || is_twin && twins.insert(entry.wording());
            if !counts {
                continue;
            }
            let LineAsides { asked, rules } = entry.markers.asides.clone();
            let end =
                if entry.markers.asides.is_empty() { entry.text_span.end } else { entry.span.end };
            let asked = learned.searched(entry.id, &asked);
            let text = DocText { text: entry.text.clone(), asked, rules };
            let doc = Doc {
                id: entry.id.0,
                category: category_hash(&categories.spec(entry.category).name),
                words: 0,
                start: narrow(entry.text_span.start),
                len: narrow(end - entry.text_span.start),
                line: narrow(entry.line),
                pinned: !bare.contains(&entry.id),
                when: 0,
            };
            each(doc, text, &join(name, subject, above.above(entry.span.start)));
        }
        return;
    }
    let passages = match kind {
        SourceKind::Notes => passages::sections(&bytes),
        SourceKind::Observation => passages::observations(&bytes),
        SourceKind::Session => summaries::sessions(&bytes),
        _ => passages::items(&bytes, day(name)),
    };
    let is_markdown = kind != SourceKind::Session;
    let mut above = Headings::of(if is_markdown { &bytes } else { &[] });
    for passage in passages {
        let raw = bytes.get(passage.span.clone()).unwrap_or_default();
        let doc = Doc {
            id: fnv1a64(&[kind.name().as_bytes(), raw]),
            category: 0,
            words: 0,
            start: narrow(passage.span.start),
            len: narrow(raw.len()),
            line: narrow(passage.line),
            pinned: false,
            when: passage.when.map_or(0, Timestamp::seconds),
        };
        let headings = join(name, subject, above.above(passage.span.start));
        each(doc, text_of(kind, raw, doc.id, learned), &headings);
    }
}

/// Documents scanned for one query, without an index.
#[derive(Debug, Default)]
pub struct Scan {
    /// Documents, with the numbers of their sources.
    pub docs: Vec<(u32, Doc)>,
    /// Size of the scanned corpus.
    pub size: FieldSize,
    pub texts: Vec<DocText>,
    alive: Vec<Range<u32>>,
    postings: TermPostings,
}

impl Scan {
    /// Scans `sources`, given as number, kind, name and bytes, for some terms.
    #[must_use]
    pub fn new(
        terms: &BTreeSet<&str>,
        sources: Vec<(u32, SourceKind, &str, Vec<u8>)>,
        known: (&Categories, &LearnedQuestions),
    ) -> Self {
        let mut scan = Self::default();
        let mut counts = TermCounts::new(terms);
        for (number, kind, name, bytes) in sources {
            documents(kind, name, bytes, known, |mut doc, text, headings| {
                let at = u32::try_from(scan.docs.len()).unwrap_or(u32::MAX);
                doc.words = counts.add(at, &text.searched(), headings);
                scan.size += FieldSize { docs: 1, words: u64::from(doc.words) };
                scan.docs.push((number, doc));
                scan.texts.push(text);
            });
        }
        scan.alive = vec![Range { start: 0, end: scan.end() }];
        scan.postings = counts.postings();
        scan
    }
}

impl Segment for Scan {
    fn end(&self) -> u32 {
        u32::try_from(self.docs.len()).unwrap_or(u32::MAX)
    }

    fn alive(&self) -> &[Range<u32>] {
        &self.alive
    }

    fn words(&self, doc: u32) -> u32 {
        self.docs.get(doc as usize).map_or(0, |(_, doc)| doc.words)
    }

    fn postings(&self, term: &str) -> &[(u32, u32)] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }
}

/// Returns the id of the entry in a document of a topic file.
#[must_use]
pub fn entry_id(doc: &Doc) -> Option<EntryId> {
    (doc.category != 0).then_some(EntryId(doc.id))
}

/// Returns the name of a file if it tells what its documents are about: that of a topic.
#[must_use]
pub(super) fn subject(kind: SourceKind, name: &str) -> &str {
    let stem = name.rsplit('/').next().and_then(|name| name.strip_suffix(".md"));
    match kind {
        SourceKind::Topic | SourceKind::Archive => stem.unwrap_or_default(),
        _ => "",
    }
}

/// Returns the headings that tell more than the name of the file, such as the date of a log.
pub(super) fn join<'a>(
    name: &str,
    subject: &str,
    titles: impl Iterator<Item = &'a [u8]>,
) -> String {
    let stem = name.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
    let mut joined = subject.to_owned();
    for title in titles.filter(|title| !title.eq_ignore_ascii_case(stem.as_bytes())) {
        if !joined.is_empty() {
            joined.push('\n');
        }
        joined.push_str(&String::from_utf8_lossy(title));
    }
    joined
}

/// Counts terms in documents, one after the other.
pub struct TermCounts<'a> {
    terms: HashMap<&'a str, usize>,
    tokenizer: Tokenizer,
    above: HeadingTokens<usize>,
    postings: Vec<Vec<(u32, u32)>>,
}

impl<'a> TermCounts<'a> {
    pub fn new(terms: &BTreeSet<&'a str>) -> Self {
        Self {
            terms: terms.iter().enumerate().map(|(at, term)| (*term, at)).collect(),
            tokenizer: Tokenizer::default(),
            above: HeadingTokens::default(),
            postings: vec![Vec::new(); terms.len()],
        }
    }

    /// Counts the terms of a document below `headings`, whose number is greater than all before.
    /// Returns its number of words, or 0 without terms: then documents are asked for alone.
    pub fn add(&mut self, doc: u32, text: &str, headings: &str) -> u32 {
        if self.terms.is_empty() {
            return 0;
        }
        let Self { terms, tokenizer, above, postings } = self;
        let term = |token: &str| terms.get(token).copied();
        let mut count = |term: usize| {
            let Some(list) = postings.get_mut(term) else { return };
            match list.last_mut() {
                Some((last, frequency)) if *last == doc => *frequency += 1,
                _ => list.push((doc, 1)),
            }
        };
        let mut words = 0;
        tokenizer.each(text, |token, is_word| {
            words += u32::from(is_word);
            term(token).into_iter().for_each(&mut count);
        });
        above.of(headings, tokenizer, term).iter().copied().for_each(count);
        words
    }

    #[must_use]
    pub fn postings(mut self) -> TermPostings {
        let of = |(term, at): (&str, usize)| {
            Some((term.to_owned(), mem::take(self.postings.get_mut(at)?)))
        };
        self.terms.into_iter().filter_map(of).collect()
    }
}

/// The distinct tokens of headings, kept because documents beside each other have the same.
pub struct HeadingTokens<T> {
    headings: String,
    found: Vec<T>,
}

impl<T> Default for HeadingTokens<T> {
    fn default() -> Self {
        Self { headings: String::new(), found: Vec::new() }
    }
}

impl<T> HeadingTokens<T> {
    /// Returns what `keep` makes of each distinct token of `headings`.
    pub fn of(
        &mut self,
        headings: &str,
        tokenizer: &mut Tokenizer,
        keep: impl Fn(&str) -> Option<T>,
    ) -> &[T] {
        if self.headings != headings {
            headings.clone_into(&mut self.headings);
            self.found.clear();
            let mut seen = HashSet::new();
            tokenizer.each(headings, |token, _| {
                if seen.insert(token.to_owned()) {
                    self.found.extend(keep(token));
                }
            });
        }
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::bm25::Query;

    #[test]
    fn a_document_has_the_headings_above_it() {
        for (kind, name, text, want) in [
            (
                SourceKind::Topic,
                "topics/build-notes.md",
                "# CI\n## Linux\n- [lesson] a",
                "build-notes|CI|Linux",
            ),
            (SourceKind::Topic, "topics/lessons.md", "# Lessons\n- [lesson] a", "lessons"),
            (SourceKind::Archive, "archive/lessons.md", "- [lesson] a", "lessons"),
            (SourceKind::Notes, "MEMORY.md", "# Memory\n## Git\n- one\n- a", "Git"),
            (SourceKind::Notes, "MEMORY.md", "# Web\n## Git\n- one\n## Own", "Web"),
            (SourceKind::Daily, "daily/2026-06-30.md", "# 2026-06-30\n## Late\n- a", "Late"),
            (SourceKind::Scratchpad, "SCRATCHPAD.md", "# Scratchpad\n## Docs\n- [ ] a", "Docs"),
            (SourceKind::Session, "session-search.json", "[{\"summary\": \"# b\\na\"}]", ""),
        ] {
            let mut last = String::new();
            let bytes = text.as_bytes().to_vec();
            let known = (&Categories::default(), &LearnedQuestions::default());
            documents(kind, name, bytes, known, |_, _, headings| {
                last = headings.replace('\n', "|");
            });
            assert_eq!(last, want, "{text}");
        }
    }

    #[test]
    fn words_of_headings_count_once_and_add_no_length() {
        let query = Query::new("commit messages subject");
        let text = "# Commits\n## Commit messages\n- [lesson] Subject of 50 characters\n";
        let source = (0, SourceKind::Topic, "topics/commits.md", text.as_bytes().to_vec());
        let known = (&Categories::default(), &LearnedQuestions::default());
        let terms = Query::terms_of([&query]);
        let scan = Scan::new(&terms, vec![source], known);
        assert_eq!(terms.len(), 3);
        assert!(terms.iter().all(|term| scan.postings(term) == [(0, 1)]));
        assert_eq!(scan.words(0), 4);
        let said = Scan::new(
            &terms,
            vec![(0, SourceKind::Topic, "topics/commits.md", b"- [lesson] Commit".to_vec())],
            known,
        );
        assert_eq!(said.postings("commit"), [(0, 2)], "in the text and above it");
    }
}

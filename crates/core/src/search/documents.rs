//! What is searched: files cut into documents, and those documents scanned in memory.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::{
    bm25::{Query, Segment, Size},
    tokens::Tokenizer,
};
use crate::{
    markdown::{
        passages,
        topic::{TopicDoc, TopicEntry},
    },
    model::{
        category::Categories,
        entry::EntryId,
        hash::{IdMap, IdSet, fnv1a64},
        time::Timestamp,
    },
    session::summaries,
};

/// Kinds of files that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A topic file: one document an entry.
    Topic,
    /// `MEMORY.md`: one document a section.
    Notes,
    /// `SCRATCHPAD.md`: one document an item.
    Scratchpad,
    /// A daily log: one document an item.
    Daily,
    /// Observations of a session: one document an item, with its sub-items.
    Observation,
    /// Summaries of past sessions: one document a session.
    Session,
    /// A file of the archive: one document an entry.
    Archive,
}

impl SourceKind {
    /// All of them, in the order of their numbers in an index file.
    pub const ALL: [Self; 7] = [
        Self::Topic,
        Self::Notes,
        Self::Scratchpad,
        Self::Daily,
        Self::Observation,
        Self::Session,
        Self::Archive,
    ];

    /// The word in output and for `--in`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Topic => "topics",
            Self::Notes => "notes",
            Self::Scratchpad => "scratchpad",
            Self::Daily => "daily",
            Self::Observation => "observations",
            Self::Session => "sessions",
            Self::Archive => "archive",
        }
    }
}

/// One document, located in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doc {
    /// The entry's id, or a hash of the passage.
    pub id: u64,
    /// Hash of the category's name; 0 for passages.
    pub category: u32,
    /// Words in the text.
    pub words: u32,
    /// First byte of the passage; [`text_of`] reads it.
    pub start: u32,
    /// Bytes of the passage.
    pub len: u32,
    /// Line number, from 1.
    pub line: u32,
    /// Whether the entry is marked as pinned.
    pub pinned: bool,
    /// When it was, by what it says itself, in seconds since 1970; 0 when that is unknown, as it
    /// is for entries.
    pub when: u32,
}

/// A number for a category that does not depend on the configuration's order.
#[must_use]
pub fn category_hash(name: &str) -> u32 {
    u32::try_from(fnv1a64(&[name.as_bytes()]) & 0xffff_ffff).unwrap_or(0).max(1)
}

/// The name of the category with that number; none for passages.
#[must_use]
pub fn category_name(categories: &Categories, hash: u32) -> Option<&str> {
    let all = categories.iter().map(|(_, spec)| spec.name.as_ref());
    all.into_iter().find(|name| hash != 0 && category_hash(name) == hash)
}

/// The text of a document, from its bytes in the file.
#[must_use]
pub fn text_of(kind: SourceKind, bytes: &[u8]) -> String {
    match kind {
        SourceKind::Session => summaries::text(bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// The day of a daily log, by its name.
fn day(name: &str) -> Option<Timestamp> {
    Timestamp::parse_date(name.strip_prefix("daily/")?.strip_suffix(".md")?)
}

/// Cuts a file into documents and hands each with its text to `each`. The text has no words
/// counted yet (`words` is 0). `name` is the file's, relative to the store.
pub fn documents(
    kind: SourceKind,
    name: &str,
    bytes: Vec<u8>,
    categories: &Categories,
    mut each: impl FnMut(Doc, &str),
) {
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    if matches!(kind, SourceKind::Topic | SourceKind::Archive) {
        let topic = TopicDoc::parse(bytes, categories);
        let mut seen: IdMap<EntryId, &TopicEntry> = IdMap::default();
        let mut twins = HashSet::new();
        // An entry that stands both marked and not is what its evidence says.
        let bare: IdSet<EntryId> =
            topic.entries.iter().filter(|e| !e.markers.pinned).map(|e| e.id).collect();
        for entry in &topic.entries {
            let first = *seen.entry(entry.id).or_insert(entry);
            let is_twin = first.text != entry.text || first.category != entry.category;
            let counts = std::ptr::eq(first, entry) || is_twin && twins.insert(entry.wording());
            if !counts {
                continue;
            }
            let doc = Doc {
                id: entry.id.0,
                category: category_hash(&categories.spec(entry.category).name),
                words: 0,
                start: narrow(entry.text_span.start),
                len: narrow(entry.text_span.len()),
                line: narrow(entry.line),
                pinned: !bare.contains(&entry.id),
                when: 0,
            };
            each(doc, &entry.text);
        }
        return;
    }
    let passages = match kind {
        SourceKind::Notes => passages::sections(&bytes),
        SourceKind::Observation => passages::observations(&bytes),
        SourceKind::Session => summaries::sessions(&bytes),
        _ => passages::items(&bytes, day(name)),
    };
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
        each(doc, &text_of(kind, raw));
    }
}

/// Documents scanned for one query, without any index.
#[derive(Debug, Default)]
pub struct Scan {
    /// The documents, with the number of their source.
    pub docs: Vec<(u32, Doc)>,
    /// Size of what was scanned.
    pub size: Size,
    /// Their texts.
    pub texts: Vec<String>,
    alive: Vec<Range<u32>>,
    postings: Vec<Vec<(u32, u32)>>,
}

impl Scan {
    /// Scans `sources`: a number, a kind, the name and the bytes of each.
    #[must_use]
    pub fn new(
        query: &Query,
        sources: Vec<(u32, SourceKind, &str, Vec<u8>)>,
        categories: &Categories,
    ) -> Self {
        let mut scan = Self { postings: vec![Vec::new(); query.terms.len()], ..Self::default() };
        let terms: HashMap<&str, usize> =
            query.terms.iter().enumerate().map(|(n, term)| (term.as_str(), n)).collect();
        let mut tokenizer = Tokenizer::default();
        for (number, kind, name, bytes) in sources {
            documents(kind, name, bytes, categories, |mut doc, text| {
                let at = u32::try_from(scan.docs.len()).unwrap_or(u32::MAX);
                tokenizer.each(text, |token, counts| {
                    doc.words += u32::from(counts);
                    let Some(list) = terms.get(token).and_then(|n| scan.postings.get_mut(*n))
                    else {
                        return;
                    };
                    match list.last_mut() {
                        Some((latest, frequency)) if *latest == at => *frequency += 1,
                        _ => list.push((at, 1)),
                    }
                });
                scan.size += Size { docs: 1, words: u64::from(doc.words) };
                scan.docs.push((number, doc));
                scan.texts.push(text.to_owned());
            });
        }
        scan.alive = vec![Range { start: 0, end: scan.end() }];
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

    fn postings(&self, term: usize) -> &[(u32, u32)] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }
}

/// The entry behind a document of a topic file.
#[must_use]
pub fn entry_id(doc: &Doc) -> Option<EntryId> {
    (doc.category != 0).then_some(EntryId(doc.id))
}

//! The files of pi and of pi-memory.
//!
//! pi's topic files have one line per entry, and a store reads them directly. pi-memory's are free
//! notes in sections, in which a line that begins with a category as a tag (`#decision [[db]] Chose
//! PostgreSQL`) is a memory. Such a line becomes an entry and not a note: its category is known, and
//! only entries are scored and reported. The tag is dropped, since the category states the same. The
//! rest of a page stays a note.

use std::collections::{BTreeMap, BTreeSet};

use super::{ExchangeFile, ExchangeItem, LeftLine, Parsed, agents, rule_page};
use crate::{
    markdown::{
        checklist,
        patch::{self, apply},
        topic,
    },
    model::{
        category::Categories, entry::Markers, event::Cue, operation::UserState, time::Timestamp,
    },
    safety::text::NoteText,
    score::adopt::PiScore,
};

/// Returns the topic files of entries, by name.
#[must_use]
pub fn render(items: &[ExchangeItem]) -> Vec<ExchangeFile> {
    let mut topics: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for item in items {
        let category = item.category.as_deref().unwrap_or_default();
        let lines = topics.entry(item.topic.as_deref().unwrap_or(category)).or_default();
        lines.push(topic::render(category, &item.text, &Markers::pinned(item.pinned)));
    }
    let file = |(stem, added): (&str, Vec<String>)| {
        let page = patch::append(b"", &topic::heading(stem), &added).bytes;
        let (name, text) = (format!("topics/{stem}.md"), String::from_utf8_lossy(&page).into());
        ExchangeFile { name, text }
    };
    topics.into_iter().map(file).collect()
}

/// The heading for exported entries.
const ENTRIES: &str = "Memories";

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Blank,
    /// A heading: line number, level, and the line.
    Heading(usize, usize, String),
    /// A paragraph, list item or code block: number of the first line, and the lines.
    Block(usize, Vec<String>),
}

#[must_use]
pub fn pieces(text: &str, categories: &Categories) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut fenced: Option<String> = None;
    for (number, line) in rule_page::numbered(text) {
        let line = line.trim_end();
        let title = rule_page::heading(line).filter(|_| fenced.is_none());
        let starts = fenced.is_none() && (is_start(line) || tag(line, categories).is_some());
        match (found.last_mut(), title) {
            (_, Some((level, _))) => found.push(Piece::Heading(number, level, line.to_owned())),
            (_, None) if line.is_empty() && fenced.is_none() => found.push(Piece::Blank),
            (Some(Piece::Block(_, lines)), None) if !starts || stamp(lines).is_some() => {
                lines.push(line.to_owned());
            }
            _ => found.push(Piece::Block(number, vec![line.to_owned()])),
        }
        fenced = match fenced {
            Some(mark) => Some(mark).filter(|mark| !line.trim_start().starts_with(mark)),
            None => rule_page::fence(line.trim_start()),
        };
    }
    found
}

fn is_start(line: &str) -> bool {
    line.starts_with("<!--") || rule_page::mark(line).is_some_and(|(indent, _)| indent == 0)
}

/// Parses category and text of a line that begins with a category tag, in a list or not.
fn tag<'a>(line: &'a str, categories: &Categories) -> Option<(String, &'a str)> {
    let text =
        rule_page::mark(line).filter(|(indent, _)| *indent == 0).map_or(line, |(_, text)| text);
    let (name, text) = text.strip_prefix('#')?.split_once(' ')?;
    categories.find(name)?;
    Some((name.to_owned(), text))
}

/// Parses the time in `<!-- 2026-02-15 14:30:00 [a1b2c3d4] -->`, if that is the only line.
/// pi-memory writes UTC.
fn stamp(lines: &[String]) -> Option<Timestamp> {
    let [line] = lines else { return None };
    let inner = line.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    let (date, rest) = inner.split_once([' ', 'T'])?;
    let time = rest.get(..8)?;
    Timestamp::parse(&format!("{date}T{time}Z"))
}

/// Returns the memories of a page, and the pieces that are notes. The agent's tool writes memories
/// on request, so the cue is explicit.
#[must_use]
pub fn read(name: &str, text: &str, categories: &Categories) -> (Parsed, Vec<Piece>) {
    let (mut found, mut rest) = (Parsed::default(), Vec::new());
    // Index of a heading below which memories were taken out; it is dropped if nothing else
    // remains.
    let mut emptied: Option<usize> = None;
    let close = |rest: &mut Vec<Piece>, emptied: &mut Option<usize>| {
        if let Some(at) = emptied.take() {
            let below = rest.get(at + 1..).unwrap_or_default();
            if below.iter().all(|piece| *piece == Piece::Blank) {
                rest.truncate(at);
            }
        }
    };
    for piece in pieces(text, categories) {
        if let Piece::Block(number, lines) = &piece
            && let Some(item) = memory(lines, categories)
        {
            found.push(ExchangeItem { place: format!("{name}:{number}"), ..item });
            let heading = |piece: &Piece| matches!(piece, Piece::Heading(_, 2.., _));
            emptied = emptied.or_else(|| rest.iter().rposition(heading));
            continue;
        }
        if let Piece::Heading(..) = piece {
            close(&mut rest, &mut emptied);
        }
        // Two blank lines meet where a memory was taken out.
        if piece != Piece::Blank || rest.last().is_some_and(|last| *last != Piece::Blank) {
            rest.push(piece);
        }
    }
    close(&mut rest, &mut emptied);
    if rest.last() == Some(&Piece::Blank) {
        rest.pop();
    }
    (found, rest)
}

fn memory(lines: &[String], categories: &Categories) -> Option<ExchangeItem> {
    let (first, rest) = lines.split_first()?;
    let at = stamp(std::slice::from_ref(first));
    let (first, rest) = if at.is_some() { rest.split_first()? } else { (first, rest) };
    let (category, text) = tag(first, categories)?;
    let more = rest.iter().map(|line| line.trim());
    let text = std::iter::once(text).chain(more).collect::<Vec<_>>().join(" ");
    let score = at.map(|at| PiScore {
        evidence: 1,
        cue: Cue::Explicit,
        first_seen: at,
        last_reinforced: at,
        user: UserState::Auto,
    });
    let (kept, markers) = topic::split_markers(text.trim());
    let (text, pinned) = (kept.to_owned(), markers.pinned);
    let (category, cue) = (Some(category), Some(Cue::Explicit));
    let rules = markers.asides.rules;
    Some(ExchangeItem { category, text, cue, pinned, rules, score, ..ExchangeItem::default() })
}

/// Returns the pieces that may be stored, validated. The others are added to `left` with a reason.
#[must_use]
pub fn clean(name: &str, pieces: Vec<Piece>, left: &mut Vec<LeftLine>) -> Vec<Piece> {
    let mut check = |number: usize, text: &str| match NoteText::new(text) {
        Ok(text) => Some(text.lines().to_vec()),
        Err(error) => {
            let place = format!("{name}:{number}");
            left.push(LeftLine { place, reason: error.to_string() });
            None
        }
    };
    let piece = |piece| match piece {
        Piece::Blank => Some(Piece::Blank),
        Piece::Heading(number, level, line) => {
            Some(Piece::Heading(number, level, check(number, &line)?.concat()))
        }
        Piece::Block(number, lines) => {
            Some(Piece::Block(number, check(number, &lines.join("\n"))?))
        }
    };
    pieces.into_iter().filter_map(piece).collect()
}

/// Adds the blocks that are missing in a page to it, each in its section. An empty page is
/// replaced. Also returns the number of new blocks.
#[must_use]
pub fn merge(page: &[u8], theirs: &[Piece], categories: &Categories) -> (Vec<u8>, usize) {
    let blocks = theirs.iter().filter(|piece| matches!(piece, Piece::Block(..))).count();
    if page.trim_ascii().is_empty() {
        let text = theirs.iter().flat_map(lines_of).collect::<Vec<_>>().join("\n");
        let text = if blocks == 0 { String::new() } else { text + "\n" };
        return (text.into_bytes(), blocks);
    }
    let mut page = page.to_vec();
    let fresh = missing(&page, theirs, categories);
    let added = fresh.iter().map(|(_, lines)| lines.len()).sum();
    for (heading, blocks) in fresh {
        for lines in blocks {
            let edit = match heading.as_deref().and_then(rule_page::heading) {
                Some((_, title)) => checklist::append_to(&page, title, &lines),
                None => checklist::append(&page, &lines),
            };
            page = apply(&page, vec![edit]);
        }
    }
    (page, added)
}

/// Returns the lines to add to a daily log for the blocks that it lacks, in their order, and the
/// number of these blocks. The log keeps its own title.
#[must_use]
pub fn log(page: &[u8], theirs: &[Piece], categories: &Categories) -> (Vec<String>, usize) {
    if page.trim_ascii().is_empty() {
        let mut theirs = theirs;
        while let [Piece::Heading(_, 1, _) | Piece::Blank, rest @ ..] = theirs {
            theirs = rest;
        }
        let blocks = theirs.iter().filter(|piece| matches!(piece, Piece::Block(..))).count();
        return (theirs.iter().flat_map(lines_of).collect(), blocks);
    }
    let fresh = missing(page, theirs, categories);
    let added = fresh.iter().map(|(_, blocks)| blocks.len()).sum();
    let is_section = |line: &String| rule_page::heading(line).is_some_and(|(level, _)| level > 1);
    let lines = |(heading, blocks): (Option<String>, Vec<Vec<String>>)| {
        heading.filter(is_section).into_iter().chain(blocks.into_iter().flatten())
    };
    (fresh.into_iter().flat_map(lines).collect(), added)
}

fn lines_of(piece: &Piece) -> Vec<String> {
    match piece {
        Piece::Blank => vec![String::new()],
        Piece::Heading(_, _, line) => vec![line.clone()],
        Piece::Block(_, lines) => lines.clone(),
    }
}

/// Returns the blocks missing in a page, by the heading above them.
fn missing(
    page: &[u8],
    theirs: &[Piece],
    categories: &Categories,
) -> Vec<(Option<String>, Vec<Vec<String>>)> {
    let ours = pieces(&String::from_utf8_lossy(page), categories);
    let mut known: BTreeSet<Vec<String>> = ours
        .into_iter()
        .filter_map(|piece| if let Piece::Block(_, lines) = piece { Some(lines) } else { None })
        .collect();
    let mut found: Vec<(Option<String>, Vec<Vec<String>>)> = vec![(None, Vec::new())];
    for piece in theirs {
        match (piece, found.last_mut()) {
            (Piece::Heading(_, _, line), _) => {
                found.push((Some(line.clone()), Vec::new()));
            }
            (Piece::Block(_, lines), Some((_, blocks))) if known.insert(lines.clone()) => {
                blocks.push(lines.clone());
            }
            _ => {}
        }
    }
    found.retain(|(_, blocks)| !blocks.is_empty());
    found
}

/// Adds entries to notes, in a section of their own, each with its category as a tag.
#[must_use]
pub fn render_notes(notes: &[u8], items: &[ExchangeItem]) -> Vec<u8> {
    let tagged = |item: &ExchangeItem| {
        let category = item.category.as_deref().unwrap_or_default();
        agents::bullet(&format!("#{category} {}", item.text), item.pinned)
    };
    let added: Vec<String> = items.iter().map(tagged).collect();
    if added.is_empty() {
        return notes.to_vec();
    }
    patch::apply(notes, vec![checklist::append_to(notes, ENTRIES, &added)])
}

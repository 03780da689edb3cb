//! Finds the parts of a message that its user may have typed before or behind something pasted.

use std::ops::Range;

use super::{company, marks};
use crate::language::{preference::cue, sentence};

/// Returns the paragraphs of a message that may have been typed: those at both ends up to code, a
/// log, a quote or a letter, if they are together as short as what is typed, else the outermost one;
/// and a single one between two pastes. Shapes do not tell a typed paragraph from a pasted one, so
/// nothing of it is more than a guess.
pub(in crate::language) fn edges(message: &str) -> Vec<&str> {
    let blocks = blocks(message);
    let typed = |range: &Option<Range<usize>>| {
        let text = range.clone().and_then(|range| message.get(range))?;
        is_typed(text).then_some(text)
    };
    let mut found = run(blocks.iter().map(typed));
    if found.len() < blocks.len() {
        found.extend(run(blocks.iter().rev().map(typed)));
    }
    let between = blocks.windows(3).filter_map(|three| match three {
        [None, one, None] => typed(one),
        _ => None,
    });
    found.extend(between);
    found
}

/// Returns the paragraphs up to the first that was not typed.
fn run<'a>(blocks: impl Iterator<Item = Option<&'a str>>) -> Vec<&'a str> {
    let typed: Vec<&str> = blocks.map_while(|block| block).collect();
    let chars: usize = typed.iter().map(|text| text.chars().count()).sum();
    if chars <= marks::MOST.0 { typed } else { typed.into_iter().take(1).collect() }
}

/// Returns the paragraphs of a message in order; `None` for lines that were pasted.
fn blocks(message: &str) -> Vec<Option<Range<usize>>> {
    let mut found: Vec<Option<Range<usize>>> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut open = false;
    let mut at = 0;
    for line in message.split_inclusive('\n') {
        let range = at..at + line.trim_end().len();
        at += line.len();
        let bare = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        let fenced = fence.is_some();
        match (fence, mark) {
            (None, _) => fence = mark,
            (Some(begun), Some(mark)) if begun == mark => fence = None,
            _ => {}
        }
        let pasted = fenced || mark.is_some() || is_pasted(line);
        if bare.is_empty() && !fenced {
            open = false;
        } else if pasted {
            found.push(None);
            open = false;
        } else if let Some(Some(last)) = found.last_mut().filter(|_| open) {
            last.end = range.end;
        } else {
            found.push(Some(range));
            open = true;
        }
    }
    found
}

/// Returns true for a line of code, of a log, a quote or a list.
fn is_pasted(line: &str) -> bool {
    let bare = line.trim();
    line.starts_with(['\t', ' ']) && !bare.is_empty()
        || sentence::pasted(bare)
        || sentence::bullet(bare) > 0
        || marks::find(bare).is_some_and(marks::is_foreign)
        || bare.split_whitespace().any(marks::is_level)
}

/// Minimum number of characters of a line that a page or an editor has broken.
const BROKEN: usize = 60;

/// Returns true if a paragraph is as short as what is typed, is no part of a page, and in it nobody
/// is addressed or named as its speaker.
fn is_typed(text: &str) -> bool {
    let short = text.chars().nth(marks::MOST.0).is_none();
    // People end a long line where a sentence ends, and do not type links.
    let broken = |line: &str| {
        line.chars().nth(BROKEN).is_some() && !line.trim_end().ends_with(['.', '!', '?', ':', ';'])
    };
    let lines = text.lines().count();
    let page = text.contains("](") || text.lines().take(lines.saturating_sub(1)).any(broken);
    let others = |one: &sentence::Sentence| company::is_of_others(one, &cue::words(&one.masked));
    short && !page && !sentence::sentences(text).iter().any(others)
}

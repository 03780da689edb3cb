//! Parses the bullets of a markdown page for agents, with the headings above each.
//!
//! Front matter, code, tables, quotations and comments are skipped.

use super::agents::Marker;
use crate::markdown::patch;

/// A list item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bullet {
    /// Line number, from 1.
    pub line: usize,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// The innermost heading, unless that is the page's title.
    pub section: Option<String>,
    /// Columns before its mark.
    pub indent: usize,
    /// The text, with its lines joined by spaces.
    pub text: String,
    /// True inside a block written by pimem, where each line is a text.
    pub own: bool,
}

/// Returns the lines of a text with their numbers, for any line ends.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(patch::lines(text.as_bytes()).filter_map(|span| text.get(span)))
}

/// Returns the items of all lists.
#[must_use]
pub fn bullets(text: &str) -> Vec<Bullet> {
    let mut found: Vec<Bullet> = Vec::new();
    let mut headings: Vec<(usize, String)> = Vec::new();
    let (mut own, mut open, mut commented) = (false, false, false);
    let mut fenced: Option<String> = None;
    let skipped = front(text).map_or(0, |(_, after)| after);
    for (number, line) in numbered(text).skip(skipped) {
        let words = line.trim();
        if let Some(mark) = &fenced {
            if words.starts_with(mark) {
                fenced = None;
            }
            continue;
        }
        if let Some(marker) = Marker::of(line) {
            (own, open) = (marker == Marker::Begin, false);
            continue;
        }
        commented |= words.starts_with("<!--");
        if commented {
            commented = !words.ends_with("-->");
            open = false;
            continue;
        }
        if let Some((level, title)) = heading(line) {
            headings.retain(|(known, _)| *known < level);
            headings.push((level, title.to_owned()));
            open = false;
            continue;
        }
        let bullet = if own { line.strip_prefix("- ").map(|text| (0, text)) } else { mark(line) };
        if let Some((indent, text)) = bullet {
            let section = headings.last().filter(|(level, _)| *level > 1 && !own);
            let section = section.map(|(_, title)| title.clone());
            let headings = headings.iter().map(|(_, title)| title.clone()).collect();
            let text = text.to_owned();
            found.push(Bullet { line: number, headings, section, indent, text, own });
            open = !own;
            continue;
        }
        fenced = fence(words);
        open &=
            !words.is_empty() && !words.starts_with(['|', '>', '@', '=', '<']) && fenced.is_none();
        if let Some(last) = found.last_mut().filter(|_| open) {
            last.text.push(' ');
            last.text.push_str(words);
        }
    }
    found
}

/// Returns the mark that opens a code block, and also closes it.
pub(super) fn fence(words: &str) -> Option<String> {
    ["```", "~~~"].into_iter().find(|mark| words.starts_with(mark)).map(str::to_owned)
}

/// Parses level and text of a heading.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let title = rest.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t'])).then_some((level, title))
}

/// Parses indentation and text of a list item.
pub(super) fn mark(line: &str) -> Option<(usize, &str)> {
    let words = line.trim_start();
    let digits = words.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = if digits.len() < words.len() { digits.strip_prefix(['.', ')']) } else { None };
    let rest = words.strip_prefix(['-', '*', '+']).or(number)?;
    let text = rest.trim();
    let is_rule = words.chars().all(|c| c.is_whitespace() || "-*_".contains(c));
    let is_item = rest.starts_with([' ', '\t']) && !text.is_empty() && !is_rule;
    is_item.then_some((line.len() - words.len(), text))
}

/// Parses the keys of front matter, at any depth, and returns them with the number of its lines.
#[must_use]
pub fn front(text: &str) -> Option<(Vec<(String, String)>, usize)> {
    let mut lines = numbered(text).map(|(number, line)| (number, line.trim_end()));
    lines.next().filter(|(_, line)| *line == "---")?;
    let mut keys = Vec::new();
    for (number, line) in lines {
        if line == "---" {
            return Some((keys, number));
        }
        if let Some((key, value)) = line.split_once(':') {
            keys.push((key.trim().to_lowercase(), unquoted(value.trim())));
        }
    }
    None
}

fn unquoted(value: &str) -> String {
    let single =
        || value.strip_prefix('\'')?.strip_suffix('\'').map(|text| text.replace("''", "'"));
    let double = || serde_json::from_str(value).ok().filter(|_| value.starts_with('"'));
    double().or_else(single).unwrap_or_else(|| value.to_owned())
}

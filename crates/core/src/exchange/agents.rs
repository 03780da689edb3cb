//! `AGENTS.md`, `CLAUDE.md` and similar pages: parses their bullets, with the headings above each, and
//! writes our own block into them.
//!
//! Front matter, code, tables, quotations and comments are skipped.

use super::{ExchangeItem, Parsed};
use crate::{
    markdown::{
        patch::{self, Edit},
        topic,
    },
    model::{
        category::{Categories, CategoryId},
        event::Cue,
    },
};

const BEGIN: &str = "<!-- pimem:begin -->";
const END: &str = "<!-- pimem:end -->";

/// Words in headings, by the category of the bullets below.
const WORDS: [(&str, &[&str]); 6] = [
    ("mistake", &["mistake", "mistakes", "pitfalls", "gotchas", "don't", "dont", "never", "avoid"]),
    ("decision", &["decision", "decisions", "decided"]),
    ("preference", &["preference", "preferences", "prefer", "style"]),
    ("pattern", &["pattern", "patterns", "convention", "conventions", "idioms", "standards"]),
    ("lesson", &["lesson", "lessons", "learned", "learnings"]),
    ("done", &["done", "completed", "completions"]),
];

/// A line that starts or ends our own block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Begin,
    End,
}

impl Marker {
    pub(super) fn of(line: &str) -> Option<Self> {
        match line.trim_end() {
            BEGIN => Some(Self::Begin),
            END => Some(Self::End),
            _ => None,
        }
    }
}

/// Parses the bullets of a page. AGENTS.md describes the project's set-up, so the cue is
/// structural.
#[must_use]
pub fn read(name: &str, text: &str, categories: &Categories) -> Parsed {
    let mut found = Parsed::default();
    for item in listed(name, text, categories, &mut found) {
        found.push(ExchangeItem { cue: Some(Cue::Structural), ..item });
    }
    found
}

/// Parses the bullets of a page as items without a cue.
pub(super) fn listed(
    name: &str,
    text: &str,
    categories: &Categories,
    found: &mut Parsed,
) -> Vec<ExchangeItem> {
    let mut items = Vec::new();
    let bullets = bullets(text);
    for (number, bullet, text) in statements(&bullets, "") {
        let place = format!("{name}:{number}");
        let (own, last) = (bullet.own, bullet.headings.last());
        let category = if own {
            last.and_then(|title| titled(title, categories))
        } else {
            bullet.headings.iter().rev().find_map(|title| category(title, categories))
        };
        let category = category.map(|id| categories.spec(id).name.to_string());
        if !own && ["[ ] ", "[x] ", "[X] "].iter().any(|tick| text.starts_with(tick)) {
            found.leave(place, "a task is no memory");
        } else if !own && text.starts_with('@') && !text.contains(' ') {
            found.leave(place, "it names another file, which can be imported by itself");
        } else {
            let (kept, markers) = topic::split_markers(&text);
            let (text, pinned) = (kept.to_owned(), markers.pinned);
            let heading = bullet.section.clone();
            items.push(ExchangeItem {
                place,
                category,
                heading,
                text,
                pinned,
                ..ExchangeItem::default()
            });
        }
    }
    items
}

/// Returns the bullets that can be understood alone. Nested bullets belong to their parent, unless
/// it only introduces them.
fn statements<'a>(bullets: &'a [Bullet], lead: &str) -> Vec<(usize, &'a Bullet, String)> {
    let mut found = Vec::new();
    let mut rest = bullets;
    while let Some((bullet, after)) = rest.split_first() {
        let below = |other: &&Bullet| {
            other.indent > bullet.indent && other.headings == bullet.headings && !other.own
        };
        let (children, next) = after.split_at(after.iter().take_while(below).count());
        rest = next;
        let text = format!("{lead}{}", bullet.text);
        if children.is_empty() {
            found.push((bullet.line, bullet, text));
        } else if text.ends_with(':') {
            found.extend(statements(children, &format!("{text} ")));
        } else {
            let details: Vec<&str> = children.iter().map(|child| child.text.as_str()).collect();
            let text = format!("{}: {}", text.trim_end_matches('.'), details.join("; "));
            found.push((bullet.line, bullet, text));
        }
    }
    found
}

fn category(title: &str, categories: &Categories) -> Option<CategoryId> {
    let lower = title.to_lowercase().replace('’', "'");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').collect();
    let speaks = |list: &&[&str]| words.iter().any(|word| list.contains(word));
    let known = || WORDS.iter().find(|(_, list)| speaks(list));
    titled(title, categories).or_else(|| categories.find(known()?.0))
}

/// Returns the category whose name or topic is the heading.
fn titled(title: &str, categories: &Categories) -> Option<CategoryId> {
    let title = title.to_lowercase();
    let by_name = || categories.iter().find(|(_, spec)| spec.name.to_lowercase() == title);
    let by_topic = || categories.iter().find(|(_, spec)| spec.topic.to_lowercase() == title);
    by_name().or_else(by_topic).map(|(id, _)| id)
}

/// Returns the heading of a category: the name of its topic, unless that is another category's too.
fn title(id: CategoryId, categories: &Categories) -> String {
    let spec = categories.spec(id);
    let topic = Some(&spec.topic).filter(|topic| titled(topic, categories) == Some(id));
    let name = topic.unwrap_or(&spec.name);
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Returns our block: a heading for each category, and its entries.
#[must_use]
pub fn render(items: &[ExchangeItem], categories: &Categories) -> String {
    let mut lines = vec![BEGIN.to_owned(), "## Project memory".to_owned(), String::new()];
    for (id, spec) in categories.iter() {
        let of = items.iter().filter(|item| item.category.as_deref() == Some(&*spec.name));
        let mut listed = of.map(|item| bullet(&item.text, item.pinned)).peekable();
        if listed.peek().is_some() {
            lines.extend([format!("### {}", title(id, categories)), String::new()]);
            lines.extend(listed);
            lines.push(String::new());
        }
    }
    lines.push(END.to_owned());
    lines.join("\n") + "\n"
}

/// Returns a list item, with the marker if pinned.
pub(super) fn bullet(text: &str, pinned: bool) -> String {
    format!("- {text}{}", if pinned { " *(pinned)*" } else { "" })
}

/// A block of a page that starts on this line and does not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the block that begins on line {0} has no {END}")]
pub struct UnclosedBlock(pub usize);

/// Replaces the block in a page by `block`, or appends it if there is none. All other bytes are
/// preserved.
///
/// # Errors
/// If a block starts and does not end.
pub fn insert(page: &[u8], block: &str) -> Result<Vec<u8>, UnclosedBlock> {
    let newline = patch::newline(page);
    let mut block = block.replace('\n', newline);
    let (mut begin, mut fenced) = (None, false);
    for (number, span) in (1..).zip(patch::lines(page)) {
        let line = String::from_utf8_lossy(page.get(span.clone()).unwrap_or_default());
        fenced ^= begin.is_none() && patch::is_fence(line.as_bytes());
        match (Marker::of(&line).filter(|_| !fenced), begin) {
            (Some(Marker::Begin), None) => begin = Some((number, span.start)),
            (Some(Marker::End), Some((_, start))) => {
                let bytes = block.trim_end().as_bytes().to_vec();
                return Ok(patch::apply(page, vec![Edit { span: start..span.end, bytes }]));
            }
            _ => {}
        }
    }
    if let Some((number, _)) = begin {
        return Err(UnclosedBlock(number));
    }
    if !page.is_empty() {
        let ended = page.ends_with(b"\n") || page.ends_with(b"\r");
        let gap = if ended { newline.to_owned() } else { newline.repeat(2) };
        block.insert_str(0, &gap);
    }
    Ok([page, block.as_bytes()].concat())
}

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

//! `AGENTS.md`, `CLAUDE.md` and similar pages: reads what they state, with the headings above, and
//! writes our own block into them.
//!
//! List items, sentences, rows of tables, the commands that follow a sentence or a heading, and remarks in
//! drawings are memories. What is none, such as longer code, is left with the reason.

use std::collections::BTreeSet;

use super::{
    ExchangeItem, LONGEST, Parsed,
    rule_page::{Bullet, BulletKind, RulePage, bullets, is_stated, leads_on, stated},
};
use crate::{
    language::{
        cues::{Family, SentenceReading},
        lexicon::rule_page::{
            ADVERBS, CONDITIONS, DUTIES, FORBIDDEN, FORBIDDING, GOVERNED, NEEDS, OCCASIONS,
            POINTERS, PROCEDURES, TASKS, VERBS, VERBS_OR_NOUNS,
        },
        sentence,
        sketch::Sketch,
        slot::Slots,
        words,
    },
    markdown::{
        patch::{self, Edit},
        topic,
    },
    model::{
        category::{Categories, CategoryId},
        event::Cue,
        rules::LineAsides,
    },
};

const BEGIN: &str = "<!-- pimem:begin -->";
const END: &str = "<!-- pimem:end -->";

/// Words in headings, by the category of the bullets below.
const WORDS: [(&str, &[&str]); 6] = [
    ("mistake", &["mistake", "mistakes", "pitfalls", "gotchas"]),
    ("decision", &["decision", "decisions", "decided"]),
    ("preference", &["preference", "preferences", "prefer", "style"]),
    ("pattern", &["pattern", "patterns", "convention", "conventions", "idioms", "standards"]),
    ("lesson", &["lesson", "lessons", "learned", "learnings"]),
    ("done", &["done", "completed", "completions"]),
];

/// Most bytes of a sentence that stands before each item of its list.
const LEAD: usize = 100;
/// Most bytes of a procedure that is one statement.
const PROCEDURE: usize = 800;
/// Starts of sentences about the page itself.
const ABOUT_THE_PAGE: &[&str] = &[
    "This file ",
    "This document ",
    "This page ",
    "This guide ",
    "These guidelines ",
    "These instructions ",
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

/// Share of words from which a line that is new is taken for one that is gone in other words.
const REWORDED: f64 = 0.25;

/// Pairs lines that a page had with those that it has instead, the most similar ones first, and those
/// that give another value to the same subject. Returns the index of the new line for each that is gone.
#[must_use]
pub fn rewordings(gone: &[String], fresh: &[String]) -> Vec<Option<usize>> {
    let read = |texts: &[String]| -> Vec<(Sketch, Slots)> {
        texts.iter().map(|text| (Sketch::of(text), Slots::of(text))).collect()
    };
    let (before, after) = (read(gone), read(fresh));
    let mut pairs = Vec::new();
    for (from, (old, old_slots)) in before.iter().enumerate() {
        for (to, (new, slots)) in after.iter().enumerate() {
            let near = old.similarity(new);
            if near >= REWORDED || slots.replaces(old_slots) {
                pairs.push((near, from, to));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut found, mut taken) = (vec![None; gone.len()], BTreeSet::new());
    for (_, from, to) in pairs {
        if let Some(place) = found.get_mut(from).filter(|place| place.is_none())
            && taken.insert(to)
        {
            *place = Some(to);
        }
    }
    found
}

/// Parses a page. It describes the project's set-up, so the cue is structural.
#[must_use]
pub fn read(name: &str, text: &str, categories: &Categories) -> Parsed {
    let mut found = Parsed::default();
    let RulePage { bullets, mut left, .. } = RulePage::read(text);
    let (included, bullets): (Vec<Bullet>, Vec<Bullet>) = bullets
        .into_iter()
        .partition(|bullet| bullet.kind != BulletKind::Own && bullet.is_include());
    for Bullet { line, text, .. } in included {
        found.included.push((format!("{name}:{line}"), text.trim_start_matches('@').to_owned()));
    }
    for item in items(name, &bullets, categories, &mut left) {
        found.push(ExchangeItem { cue: Some(Cue::Structural), ..item });
    }
    left.sort_unstable();
    for (line, reason) in left {
        found.leave(format!("{name}:{line}"), reason);
    }
    found
}

/// Parses the list items of a page as items without a cue.
pub(super) fn listed(
    name: &str,
    text: &str,
    categories: &Categories,
    found: &mut Parsed,
) -> Vec<ExchangeItem> {
    let mut left = Vec::new();
    let items = items(name, &bullets(text), categories, &mut left);
    for (line, reason) in left {
        found.leave(format!("{name}:{line}"), reason);
    }
    items
}

fn items(
    name: &str,
    bullets: &[Bullet],
    categories: &Categories,
    left: &mut Vec<(usize, String)>,
) -> Vec<ExchangeItem> {
    let mut items = Vec::new();
    for (number, bullet, text) in statements(bullets, "").into_iter().flat_map(whole_or_stated) {
        let place = format!("{name}:{number}");
        let text = with_heading(bullet, by_itself(bullet, text));
        if let Some(reason) = unstated(bullet, &text) {
            left.push((number, reason.to_owned()));
            continue;
        }
        let (kept, markers) = topic::split_markers(&text);
        let category = if bullet.kind == BulletKind::Own {
            bullet.headings.last().and_then(|title| titled(title, categories))
        } else {
            let of_heading = |title: &String| category(title, categories);
            bullet.headings.iter().rev().find_map(of_heading)
        };
        let name = |id| categories.spec(id).name.to_string();
        let likely = if category.is_none() { said(kept, categories).map(name) } else { None };
        let category = category.map(name);
        let (text, pinned) = (kept.to_owned(), markers.pinned);
        let (heading, LineAsides { asked, rules }) = (bullet.section.clone(), markers.asides);
        let asked = asked.questions().to_vec();
        let rest = ExchangeItem::default();
        items.push(ExchangeItem {
            place,
            category,
            likely,
            heading,
            text,
            pinned,
            asked,
            rules,
            ..rest
        });
    }
    items
}

/// Returns a statement, or its sentences if it is too long for one memory.
fn whole_or_stated(
    (number, bullet, text): (usize, &Bullet, String),
) -> Vec<(usize, &Bullet, String)> {
    let is_short = text.chars().count() <= LONGEST;
    let parts = if is_short { vec![text] } else { stated(&text) };
    parts.into_iter().map(|text| (number, bullet, text)).collect()
}

/// Returns a statement without what only leads to something else: the colon behind a sentence that says
/// something without its list, the box of a point to be checked.
fn by_itself(bullet: &Bullet, text: String) -> String {
    let is_point =
        bullet.kind != BulletKind::Own && !bullet.headings.iter().any(|title| has_tasks(title));
    if let Some(point) = text.strip_prefix("[ ] ").filter(|_| is_point) {
        return point.to_owned();
    }
    let text = if is_point { text.replacen(" [ ] ", " ", 1) } else { text };
    let Some(said) = text.strip_suffix(':').filter(|_| bullet.kind == BulletKind::Prose) else {
        return text;
    };
    let mut sentences = sentence::as_they_stand(said);
    if sentences.last().is_some_and(|last| leads(last)) {
        sentences.pop();
    }
    if sentences.is_empty() { text } else { sentences.join(" ") }
}

/// Returns a statement with the heading above it where it means something else without: what is not to
/// be done, unless it says so itself, and what holds on an occasion.
fn with_heading(bullet: &Bullet, text: String) -> String {
    let is_said = || words_of(&text).iter().take(2).any(|word| FORBIDDEN.contains(word));
    let needs = |title: &&String| forbids(title) && !is_said() || is_occasion(title);
    let title = bullet.section.as_ref().filter(|_| bullet.kind != BulletKind::Own);
    match title.filter(needs) {
        Some(title) => format!("{}: {text}", title.trim_end_matches(':')),
        None => text,
    }
}

fn is_occasion(title: &str) -> bool {
    let words = words_of(title);
    words.first().is_some_and(|word| OCCASIONS.contains(word)) && (2..=7).contains(&words.len())
}

/// Most words of a heading that forbids. Longer ones are sentences of something else.
const FORBIDDING_HEADING: usize = 5;
/// Pairs of words that forbid.
const FORBIDDING_PAIRS: [[&str; 2]; 7] = [
    ["anti", "pattern"],
    ["anti", "patterns"],
    ["do", "not"],
    ["must", "not"],
    ["not", "allowed"],
    ["not", "to"],
    ["should", "not"],
];

/// Returns true if what stands below a heading is not to be done.
fn forbids(title: &str) -> bool {
    let words = words_of(title.split([':', '(', '—', '–']).next().unwrap_or_default());
    let is_choice =
        words.windows(2).any(|two| matches!(two, [first, next] if first == "do" && next != "not"));
    let mut behind = (0..words.len()).filter_map(|at| words.get(at..));
    words.len() <= FORBIDDING_HEADING && !is_choice && behind.any(begins_forbidding)
}

fn begins_forbidding(words: &[String]) -> bool {
    let is_pair = |first: &str, next: &str| FORBIDDING_PAIRS.contains(&[first, next]);
    words.first().is_some_and(|first| FORBIDDING.contains(first))
        || matches!(words, [first, next, ..] if is_pair(first, next))
}

/// Returns true if a sentence says nothing without what comes after it.
fn leads(text: &str) -> bool {
    let words = words::words(text);
    let is_condition = words.first().is_some_and(|first| CONDITIONS.contains(&first.text));
    words.iter().any(|word| POINTERS.contains(&word.text)) || is_condition && !text.contains(',')
}

/// Returns why a statement is no memory.
fn unstated(bullet: &Bullet, text: &str) -> Option<&'static str> {
    if bullet.kind == BulletKind::Own {
        return None;
    }
    if ["[ ] ", "[x] ", "[X] "].iter().any(|tick| text.starts_with(tick)) {
        return Some("a task is no memory");
    }
    if bullet.is_include() {
        return Some("it names another file");
    }
    let is_prose = bullet.kind == BulletKind::Prose;
    if is_prose && ABOUT_THE_PAGE.iter().any(|start| text.starts_with(start)) {
        return Some("it says what the page is");
    }
    if is_prose && leads_on(text) {
        return Some("it leads to what is no memory");
    }
    if is_of_links(text) {
        return Some("it is a list of links");
    }
    (is_prose && !is_stated(text) && !text.contains("`: ") && !text.contains(": `"))
        .then_some("it states nothing by itself")
}

/// Returns true if a text is links and what separates them, as a choice of languages is.
fn is_of_links(text: &str) -> bool {
    let (mut rest, mut links, mut beside) = (text, 0, String::new());
    while let Some((before, link)) = rest.split_once('[') {
        let Some((_, after)) = link.split_once("](").and_then(|(_, to)| to.split_once(')')) else {
            break;
        };
        beside.push_str(before);
        (rest, links) = (after, links + 1);
    }
    beside.push_str(rest);
    let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
    links > 2 && beside.split_whitespace().filter(is_word).count() < 2
}

/// Returns the bullets that can be understood alone. Nested bullets belong to their parent, unless
/// it only introduces them.
fn statements<'a>(bullets: &'a [Bullet], lead: &str) -> Vec<(usize, &'a Bullet, String)> {
    let mut found = Vec::new();
    let mut rest = bullets;
    while let Some((bullet, after)) = rest.split_first() {
        if lead.is_empty()
            && let Some((steps, next)) = procedure(rest)
        {
            found.extend(steps);
            rest = next;
            continue;
        }
        let is_below = match bullet.kind {
            BulletKind::Item => |above: &Bullet, below: &Bullet| above.list == below.list,
            // A sentence leads to the list right behind it.
            BulletKind::Prose if leads_on(&bullet.text) && bullet.text.len() <= LEAD => {
                |above: &Bullet, below: &Bullet| above.list + 1 == below.list
            }
            _ => |_: &Bullet, _: &Bullet| false,
        };
        let below = |other: &&Bullet| {
            is_below(bullet, other)
                && other.kind == BulletKind::Item
                && other.indent > bullet.indent
                && other.headings == bullet.headings
        };
        let (children, next) = after.split_at(after.iter().take_while(below).count());
        rest = next;
        let text = format!("{lead}{}", bullet.text);
        if children.is_empty() {
            found.push((bullet.line, bullet, text));
        } else if leads_on(&bullet.text) {
            found.extend(statements(children, &format!("{text} ")));
        } else {
            let details: Vec<&str> = children.iter().map(|child| child.text.as_str()).collect();
            let text = format!("{}: {}", text.trim_end_matches('.'), details.join("; "));
            found.push((bullet.line, bullet, text));
        }
    }
    found
}

/// A procedure that bullets begin with, and the bullets behind it.
type Procedure<'a> = (Vec<(usize, &'a Bullet, String)>, &'a [Bullet]);

/// Reads the numbered list right below a heading such as *Adding an endpoint*: the steps with the heading,
/// as one statement if that is short.
fn procedure(bullets: &[Bullet]) -> Option<Procedure<'_>> {
    let first = bullets.first().filter(|first| first.is_step)?;
    let title = first.section.as_ref().filter(|title| is_procedure(title))?;
    let is_other = |next: &Bullet| next.list != first.list || next.headings != first.headings;
    let end = bullets.iter().position(is_other).unwrap_or(bullets.len());
    let (list, next) = bullets.split_at(end);
    let lead = format!("{}: ", title.trim_end_matches(':'));
    let mut steps = statements(list, &lead);
    let said = || steps.iter().filter_map(|(.., step)| step.strip_prefix(&lead));
    let whole = lead.clone() + &said().collect::<Vec<_>>().join("; ");
    if whole.len() <= PROCEDURE {
        steps = vec![(first.line, first, whole)];
    }
    Some((steps, next))
}

fn is_procedure(title: &str) -> bool {
    let words = words_of(title);
    let is_done =
        || matches!(words.as_slice(), [first, _, ..] if first.len() > 5 && first.ends_with("ing"));
    words.iter().any(|word| PROCEDURES.contains(word)) || is_done()
}

/// Returns the category of what a text says, where no heading tells it.
fn said(text: &str, categories: &Categories) -> Option<CategoryId> {
    categories.find(category_of(text)?)
}

/// Returns the category of what a text says; `None` if it only tells how something is.
pub(super) fn category_of(text: &str) -> Option<&'static str> {
    let first = sentence::sentences(text).into_iter().next();
    let noted = first.and_then(|first| {
        let words = words::words(&first.masked);
        SentenceReading::new(&first, &words).noted(false)
    });
    match noted.map(|noted| noted.family) {
        Some(Family::Decision) => Some("decision"),
        Some(Family::Preference | Family::Rule | Family::Correction | Family::Wish) => {
            Some("preference")
        }
        Some(Family::Convention) => Some("pattern"),
        Some(Family::Finding | Family::Naming | Family::Identity) => Some("lesson"),
        None if is_order(text) => Some("preference"),
        None => {
            let (label, _) = labelled(text)?;
            begins_forbidding(&words_of(label)).then_some("mistake")
        }
    }
}

/// Returns true if a line orders something: from its start, behind its label, or behind a condition. A
/// command behind a label tells how something is done.
fn is_order(text: &str) -> bool {
    let (label, said) = labelled(text).unzip();
    // A command behind a label, or what is told of a file, tells how something is.
    let is_code = |part: Option<&str>| part.is_some_and(|part| part.starts_with('`'));
    if is_code(said) || is_code(label.filter(|label| label.ends_with('`'))) {
        return false;
    }
    [Some(text), said].into_iter().flatten().any(|said| {
        let bare = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            word.to_lowercase().replace('’', "'")
        };
        let words: Vec<(&str, String)> =
            said.split_whitespace().map(|word| (word, bare(word))).collect();
        let is_conditional = words.first().is_some_and(|(_, word)| CONDITIONS.contains(word));
        let mut behind_comma = (1..).zip(&words).filter(|(_, (word, _))| word.ends_with(','));
        words.iter().any(|(_, word)| DUTIES.contains(word))
            || begins_order(&words)
            || is_conditional
                && behind_comma.any(|(at, _)| words.get(at..).is_some_and(begins_order))
    })
}

/// Splits a text at the colon behind its label, which may stand in what is bold.
fn labelled(text: &str) -> Option<(&str, &str)> {
    let (end, _) = text.char_indices().find(|(at, c)| {
        let rest = text.get(at + 1..).filter(|_| *c == ':');
        rest.is_some_and(|rest| rest.trim_start_matches(['*', '_']).starts_with(' '))
    })?;
    let (label, said) = text.split_at(end);
    Some((label, said.trim_start_matches([':', '*', '_', ' '])))
}

/// Returns true if an order begins with these words, each with its lower case without marks.
fn begins_order(all: &[(&str, String)]) -> bool {
    let is_verb = |(_, word): &(&str, String)| !word.is_empty() && !ADVERBS.contains(word);
    let mut words = all.iter().skip_while(|word| !is_verb(word));
    let Some((_, verb)) = words.next().filter(|(shown, _)| !shown.starts_with('`')) else {
        return false;
    };
    let next = words.next();
    match verb.as_str() {
        "never" | "don't" | "avoid" => true,
        "no" => !all.iter().any(|(_, word)| NEEDS.contains(word)),
        "do" => next.is_some_and(|(_, next)| next == "not"),
        verb if VERBS.contains(verb) => next.is_some(),
        verb => next.is_some_and(|(shown, next)| {
            let is_object = GOVERNED.contains(next) || shown.starts_with(['`', '[', '"', '*']);
            VERBS_OR_NOUNS.contains(verb) && is_object
        }),
    }
}

fn category(title: &str, categories: &Categories) -> Option<CategoryId> {
    let words = words_of(title);
    let speaks = |list: &&[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let known = || match WORDS.iter().find(|(_, list)| speaks(list)) {
        _ if forbids(title) => Some("mistake"),
        known => known.map(|(name, _)| *name),
    };
    titled(title, categories).or_else(|| categories.find(known()?))
}

fn words_of(title: &str) -> Vec<String> {
    let lower = title.to_lowercase().replace('’', "'");
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns true if what stands below a heading is to be done once.
fn has_tasks(title: &str) -> bool {
    let words = words_of(title);
    words.iter().any(|word| TASKS.contains(word)) || words.windows(2).any(|two| two == ["to", "do"])
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

/// Replaces the block in a page by `block`, or appends it if there is none, behind the end of code that
/// the page leaves open. All other bytes are preserved.
///
/// # Errors
/// If a block starts and does not end.
pub fn insert(page: &[u8], block: &str) -> Result<Vec<u8>, UnclosedBlock> {
    let newline = patch::newline(page);
    let mut block = block.replace('\n', newline);
    let (mut begin, mut fence) = (None, None);
    for (number, span) in (1..).zip(patch::lines(page)) {
        let line = String::from_utf8_lossy(page.get(span.clone()).unwrap_or_default());
        if begin.is_none() && patch::is_fence(line.as_bytes()) {
            let marks = line.chars().take_while(|c| matches!(c, '`' | '~'));
            fence = if fence.is_some() { None } else { Some(marks.collect::<String>()) };
        }
        match (Marker::of(&line).filter(|_| fence.is_none()), begin) {
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
        let end = if ended { "" } else { newline };
        let fence = fence.map_or_else(String::new, |mark| mark + newline);
        block.insert_str(0, &format!("{end}{fence}{newline}"));
    }
    Ok([page, block.as_bytes()].concat())
}

//! Checks of entries: duplicates, contradictions, and entries that are out of date or too long.

use std::cell::OnceCell;

use crate::{
    lint::{
        contradiction::{Outlines, StatedValues, Statements},
        rule::{self, Finding, FindingPlace, Fix},
    },
    markdown::topic::{TopicDoc, TopicEntry},
    model::{
        category::Categories,
        entry::EntryId,
        hash::{IdMap, IdSet},
        operation::UserState,
        shares::{MANY_LINES, in_shares},
        time::Timestamp,
    },
    report::select,
    safety::secret,
    score::{
        ranking::{self, ScoredEntry},
        stability::Standing,
    },
};

/// Maximum number of characters quoted of another entry.
const QUOTED: usize = 60;

/// A topic file: its name without `.md`, and its content.
pub type LintedTopic<'a> = (&'a str, &'a TopicDoc);

/// Returns the file name of a topic, relative to the store.
pub(super) fn file(stem: &str) -> String {
    format!("topics/{stem}.md")
}

/// Finds entries that appear on more than one line. The first line stays, unless another one has a
/// marker.
pub(super) fn repeats(topics: &[LintedTopic<'_>]) -> Vec<Finding> {
    let lines =
        || topics.iter().flat_map(|(stem, doc)| doc.entries.iter().map(move |e| (*stem, e)));
    // Texts may share an id.
    let mut stays: IdMap<EntryId, Vec<(&str, &TopicEntry)>> = IdMap::default();
    for (stem, entry) in lines() {
        let known = stays.entry(entry.id).or_default();
        match known.iter_mut().find(|(_, first)| first.is_copy(entry)) {
            Some(known) if entry.markers.any() && !known.1.markers.any() => *known = (stem, entry),
            Some(_) => {}
            None => known.push((stem, entry)),
        }
    }
    let mut found = Vec::new();
    for (stem, entry) in lines() {
        let mut known = stays.get(&entry.id).into_iter().flatten();
        let Some((home, first)) = known.find(|(_, first)| first.is_copy(entry)) else { continue };
        if std::ptr::eq(*first, entry) {
            continue;
        }
        let says = format!("repeats {}", FindingPlace::line(&file(home), first.line));
        let place = FindingPlace::line(&file(stem), entry.line);
        let fix = (!entry.markers.any()).then_some(Fix::DeleteRepeat);
        found.push(Finding { fix, ..Finding::new(&rule::DUPLICATE, place, says).about(entry.id) });
    }
    found
}

/// Finds entries that share their id, and with it their evidence, with another text.
pub(super) fn collisions(rows: &[ScoredEntry]) -> Vec<Finding> {
    let shared = ranking::by_line(rows.iter().filter(|row| row.shared));
    let mut first: IdMap<EntryId, &ScoredEntry> = IdMap::default();
    let mut found = Vec::new();
    for row in shared {
        let other = *first.entry(row.entry.id).or_insert(row);
        if !std::ptr::eq(other, row) {
            let (id, there) = (row.entry.id, place(other));
            let says = format!("has the id {id} of {there}{}", quoted(&other.entry.text));
            found.push(Finding::new(&rule::ID_COLLISION, place(row), says).about(id));
        }
    }
    found
}

/// Finds entries that are expired or replaced. `date` formats the day of a moment.
pub(super) fn outdated(
    topics: &[LintedTopic<'_>],
    rows: &[ScoredEntry],
    date: fn(Timestamp) -> String,
) -> Vec<Finding> {
    let entries = topics.iter().flat_map(|(_, doc)| &doc.entries);
    let enforced: IdSet<EntryId> =
        entries.filter(|entry| entry.markers.enforced).map(|entry| entry.id).collect();
    let names = Names { rows, known: OnceCell::new() };
    let finding = |row: &ScoredEntry| {
        let (rule, says) = match (row.evidence.until, row.superseded_by) {
            (Some(until), _) if row.expired => {
                (&rule::EXPIRED, format!("expired after {}", date(until)))
            }
            (_, Some(by)) => (&rule::REPLACED, format!("was replaced by {}", names.of_id(by))),
            _ => return None,
        };
        let kept = row.standing == Standing::Pinned || enforced.contains(&row.entry.id);
        let fix = (!kept).then_some(Fix::Archive);
        Some(Finding { fix, ..Finding::new(rule, place(row), says).about(row.entry.id) })
    };
    rows.iter().filter_map(finding).collect()
}

/// Finds entries that duplicate or contradict another one. Entries out of force are skipped,
/// because that is settled.
pub(super) fn against_each_other(rows: &[ScoredEntry], categories: &Categories) -> Vec<Finding> {
    let forgotten = |row: &&ScoredEntry| row.evidence.user == UserState::Forgotten;
    let counts =
        |row: &&ScoredEntry| !row.expired && row.superseded_by.is_none() && !forgotten(row);
    let live = ranking::by_line(rows.iter().filter(counts));
    let texts: Vec<&str> = live.iter().map(|row| row.entry.text.as_str()).collect();
    let outlines = Outlines::of(&texts);
    let names = Names { rows, known: OnceCell::new() };
    let finding = |rule, verb: &str, row: &ScoredEntry, other: &ScoredEntry| {
        let says = format!("{verb} {}{}", names.of_id(other.entry.id), quoted(&other.entry.text));
        Finding::new(rule, place(row), says).about(row.entry.id)
    };
    // A mistake states what went wrong, which a rule against it does not contradict.
    let is_mistake = |row: &ScoredEntry| categories.spec(row.entry.category).name == "mistake";
    // A report was true at its time, whatever value a later one tells.
    let is_dated =
        |row: &ScoredEntry| is_mistake(row) || categories.spec(row.entry.category).traits.is_done;
    let mut values = StatedValues::default();
    let mut found = Vec::new();
    for (at, (row, stated)) in live.iter().zip(Statements::of_all(&texts, &outlines)).enumerate() {
        // A statement with an end date differs from one without.
        let comparable = |other: &ScoredEntry| {
            other.entry.category == row.entry.category
                && other.evidence.until.is_none()
                && row.evidence.until.is_none()
        };
        let first = outlines.before(at, |other| live.get(other).is_some_and(|row| comparable(row)));
        if let Some(other) = first.and_then(|at| live.get(at)) {
            found.push(finding(&rule::NEAR_DUPLICATE, "says the same as", row, other));
        }
        for (there, other) in outlines.denied_by(&stated).iter().filter_map(|there| {
            let other = live.get(*there)?;
            (*there != at && (is_mistake(row) || !is_mistake(other))).then_some((*there, other))
        }) {
            let (later, earlier) = if there > at { (other, row) } else { (row, other) };
            found.push(finding(&rule::CONTRADICTION, "contradicts", later, earlier));
        }
        let earlier = if is_dated(row) { Vec::new() } else { values.before(at, stated) };
        for other in earlier.iter().filter_map(|at| live.get(*at)) {
            found.push(finding(&rule::CONTRADICTION, "contradicts", row, other));
        }
    }
    found
}

/// Finds entries that no report can show, whatever the budget left.
pub(super) fn over_budget(rows: &[ScoredEntry], categories: &Categories) -> Vec<Finding> {
    let finding = |row: &ScoredEntry| {
        let spec = categories.spec(row.entry.category);
        let needed = select::tokens_alone(spec, &row.entry.text);
        // Under other policies than stability, sections have no budgets.
        let free = row.standing == Standing::Pinned || row.judged.is_some();
        let fits = free || needed.0 <= spec.section_tokens;
        let (limit, section) = (spec.section_tokens, &spec.section);
        let says = format!("takes {needed} tokens, where {section} has {limit}");
        let finding = Finding::new(&rule::OVER_BUDGET, place(row), says);
        (!fits).then(|| finding.about(row.entry.id))
    };
    in_shares(rows, MANY_LINES, |rows| rows.iter().filter_map(finding).collect())
}

fn place(row: &ScoredEntry) -> FindingPlace {
    FindingPlace::line(&file(&row.entry.topic), row.entry.line)
}

/// Returns `: text`, or nothing if the text contains a secret.
fn quoted(text: &str) -> String {
    if secret::find(text).is_some() {
        return String::new();
    }
    let start: String = text.chars().take(QUOTED).collect();
    let cut = if start.len() < text.len() { "…" } else { "" };
    format!(": {start}{cut}")
}

/// The display names of entries, looked up from the first finding that needs one.
struct Names<'a> {
    rows: &'a [ScoredEntry],
    /// Entries with their short ids.
    known: OnceCell<IdMap<EntryId, (&'a ScoredEntry, String)>>,
}

impl<'a> Names<'a> {
    fn of_id(&self, id: EntryId) -> String {
        let known = self.known.get_or_init(|| {
            let short = ranking::short_ids(self.rows.iter().map(|row| row.entry.id));
            let named = |row: &'a ScoredEntry| {
                Some((row.entry.id, (row, short.get(&row.entry.id)?.clone())))
            };
            self.rows.iter().filter_map(named).collect()
        });
        let name = |(row, short): &(&ScoredEntry, String)| format!("{} ({short})", place(row));
        known.get(&id).map_or_else(|| id.to_string(), name)
    }
}

//! The lint of a whole store; findings are sorted by file and line.

use super::{
    entries::{self, LintedTopic},
    lines::{self, FileKind},
    rule::{self, Finding, FindingPlace},
};
use crate::{
    model::{
        category::Categories,
        time::{Now, Timestamp},
    },
    score::ranking::ScoredEntry,
};

/// The content of a store.
pub struct Contents<'a> {
    /// Topics by name.
    pub topics: Vec<LintedTopic<'a>>,
    /// Archive files, in the form of topics.
    pub archive: Vec<LintedTopic<'a>>,
    /// Other files that agents read, by name relative to the store.
    pub notes: &'a [(String, Vec<u8>)],
    /// Evidence logs.
    pub logs: &'a [LintedLog<'a>],
    /// Every entry of the topics with its standing.
    pub rows: &'a [ScoredEntry],
}

/// An evidence log: its name relative to the store, and its bytes.
pub type LintedLog<'a> = (&'a str, &'a [u8]);

/// The parameters of a check.
#[derive(Clone, Copy)]
pub struct Measure<'a> {
    pub now: Now,
    pub categories: &'a Categories,
    /// Maximum number of characters of a topic file.
    pub topic_chars: usize,
    /// True if a topic without room goes on in another file.
    pub goes_on: bool,
    /// Formats the local date of a moment.
    pub date: fn(Timestamp) -> String,
}

/// Returns all findings.
pub fn check(measure: Measure<'_>, held: &Contents<'_>) -> Vec<Finding> {
    let mut found = files(measure, &held.topics, held.logs);
    for (stem, doc) in &held.archive {
        let name = format!("archive/{stem}.md");
        found.extend(lines::text(&name, doc.bytes(), FileKind::Archive));
    }
    for (name, bytes) in held.notes {
        found.extend(lines::text(name, bytes, FileKind::Notes));
    }
    found.extend(entries::outdated(&held.topics, held.rows, measure.date));
    found.extend(entries::collisions(held.rows));
    found.extend(entries::against_each_other(held.rows, measure.categories));
    found.extend(entries::over_budget(held.rows, measure.categories));
    sorted(found)
}

/// Returns the findings with a fix that loses nothing.
pub fn mendable(
    measure: Measure<'_>,
    topics: &[LintedTopic<'_>],
    rows: &[ScoredEntry],
) -> Vec<Finding> {
    let mut found = entries::repeats(topics);
    found.extend(entries::outdated(topics, rows, measure.date));
    found.retain(|finding| finding.fix.is_some());
    sorted(found)
}

/// Checks topics and logs line by line.
fn files(measure: Measure<'_>, topics: &[LintedTopic<'_>], logs: &[LintedLog<'_>]) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, bytes) in logs {
        found.extend(lines::log(name, bytes, measure.now));
    }
    for (stem, doc) in topics {
        let name = entries::file(stem);
        let kind = FileKind::Topic(stem, doc, measure.categories);
        found.extend(lines::text(&name, doc.bytes(), kind));
        let percent = doc.chars() * 100 / measure.topic_chars.max(1);
        // A merge may make a file longer than pimem would.
        if percent >= if measure.goes_on { 101 } else { 90 } {
            let says = format!("is {percent}% full");
            found.push(Finding::new(&rule::TOPIC_FULL, FindingPlace::file(&name), says));
        }
    }
    found.extend(entries::repeats(topics));
    found
}

fn sorted(mut found: Vec<Finding>) -> Vec<Finding> {
    // Findings for a whole file come after those for its lines.
    let key = |finding: &Finding| {
        let FindingPlace { file, line, column } = finding.place.clone();
        (file, line.unwrap_or(usize::MAX), column, finding.rule.id, finding.says.clone())
    };
    found.sort_by_cached_key(key);
    found
}

//! What a user names: entries, by selectors, and files.

use std::path::Path;

use pimem_core::{
    markdown::topic,
    model::entry::EntryId,
    score::ranking::{Ranking, ScoredEntry},
};

use super::Memory;
use crate::{
    error::{Failure, FailureKind},
    store::read::{self, ReadProblem},
};

/// Minimum length of an id prefix.
const PREFIX: usize = 7;
/// Maximum number of candidates that an error lists.
const CANDIDATES: usize = 8;

/// Returns the one entry that `selector` matches: an id prefix, the exact text, a fragment of it, or
/// else the id prefix of an earlier wording; or the line that a command has printed of it. If none
/// matches and there are `unread` files, the error is about these, because they may have the entry.
pub fn entry<'a>(
    memory: &Memory,
    ranking: &'a Ranking,
    unread: &[ReadProblem],
    selector: &str,
) -> Result<&'a ScoredEntry, Failure> {
    let entries = memory.entries_of(ranking);
    let as_typed = |selector: &str| {
        one(&ranking.rows, selector, |row| topic::canonical(entries.category(row), &row.entry.text))
            .or_else(|rows| match former(ranking, selector.trim()) {
                Some(row) if rows.is_empty() => Ok(row),
                _ => Err(rows),
            })
            .map_err(|rows| match unread.first() {
                Some(problem) if rows.is_empty() => Failure::from(problem),
                _ => failure(selector, rows.iter().map(|row| entries.line(row))),
            })
    };
    as_typed(selector).or_else(|failure| {
        let printed = printed_id(selector).filter(|_| failure.kind == FailureKind::NotFound);
        printed.and_then(|id| as_typed(id).ok()).ok_or(failure)
    })
}

/// Returns the id at the end of a printed line, as in `[lesson] TEXT (1351e92)`.
fn printed_id(line: &str) -> Option<&str> {
    let (before, id) = line.trim().strip_suffix(')')?.rsplit_once('(')?;
    (is_id(id) && (before.is_empty() || before.ends_with(' '))).then_some(id)
}

/// Returns the entries that selectors match, in order and without repetition.
pub fn entries<'a>(
    memory: &Memory,
    ranking: &'a Ranking,
    unread: &[ReadProblem],
    selectors: &[String],
) -> Result<Vec<&'a ScoredEntry>, Failure> {
    let mut rows: Vec<&ScoredEntry> = Vec::new();
    for selector in selectors {
        let row = entry(memory, ranking, unread, selector)
            .map_err(|failure| memory.sharing().not_own(selector, failure))?;
        if rows.iter().all(|known| !known.entry.is_copy(&row.entry)) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Returns the one row that matches; `canonical` returns a row's canonical line.
fn one<'a>(
    rows: &'a [ScoredEntry],
    selector: &str,
    canonical: impl Fn(&ScoredEntry) -> String,
) -> Result<&'a ScoredEntry, Vec<&'a ScoredEntry>> {
    let selector = selector.trim();
    let lower = selector.to_lowercase();
    let is_id = is_id(selector);
    let by_id = |row: &&ScoredEntry| is_id && row.entry.id.to_string().starts_with(&lower);
    let line = format!("- {}", selector.strip_prefix("- ").unwrap_or(selector));
    let exact = |row: &&ScoredEntry| row.entry.text == selector || canonical(row) == line;
    let within = |row: &&ScoredEntry| row.entry.text.contains(selector);
    let loosely = |row: &&ScoredEntry| row.entry.text.to_lowercase().contains(&lower);
    let tests: [&dyn Fn(&&ScoredEntry) -> bool; 4] = [&by_id, &exact, &within, &loosely];
    if selector.is_empty() {
        return Err(Vec::new());
    }
    for test in tests {
        let found: Vec<&ScoredEntry> = rows.iter().filter(|row| test(row)).collect();
        match found.as_slice() {
            [] => {}
            [row] => return Ok(row),
            _ => return Err(found),
        }
    }
    Err(Vec::new())
}

/// Returns the one entry of which an earlier wording had this id, or prefix of one.
fn former<'a>(ranking: &'a Ranking, selector: &str) -> Option<&'a ScoredEntry> {
    let lower = selector.to_lowercase();
    let is_it = |id: &EntryId| id.to_string().starts_with(&lower);
    let known = ranking.former.iter().filter(|(from, _)| is_id(selector) && is_it(from));
    let mut found: Vec<EntryId> = known.map(|(_, to)| *to).collect();
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [only] => ranking.get(*only),
        _ => None,
    }
}

/// Returns true if a selector may be an id or a prefix of one.
fn is_id(selector: &str) -> bool {
    selector.len() >= PREFIX && selector.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the failure for no match, or for several candidates.
pub fn failure(selector: &str, candidates: impl Iterator<Item = String>) -> Failure {
    let mut hints: Vec<String> = candidates.collect();
    if hints.is_empty() {
        let message = format!("no entry matches {selector:?}");
        let hint = "pimem list shows the entries; use an id, the exact text or a part of it";
        return Failure::new(FailureKind::NotFound, message, hint);
    }
    let message = format!("{selector:?} matches {} entries", hints.len());
    let more = hints.len().saturating_sub(CANDIDATES);
    hints.truncate(CANDIDATES);
    if more > 0 {
        hints.push(format!("… and {more} more"));
    }
    Failure { kind: FailureKind::Ambiguous, message, hints }
}

/// Reads a file that the user names, which may be a link to anywhere; `hint` names the expected
/// file.
pub fn named_file(path: &Path, limit: u64, hint: &str) -> Result<Vec<u8>, Failure> {
    let bytes = read::file(Path::new("/"), path, limit)
        .map_err(|problem| Failure::new(FailureKind::Io, problem.to_string(), hint))?;
    bytes.ok_or_else(|| {
        Failure::new(FailureKind::Usage, format!("there is no file {}", path.display()), hint)
    })
}

/// Checks that a file that the user names may be written: it is not a directory, and its directory
/// exists.
pub fn writable_file(path: &Path, hint: &str) -> Result<(), Failure> {
    if path.exists() && !path.is_file() {
        let message = format!("{} is not a file", path.display());
        return Err(Failure::new(FailureKind::Usage, message, hint));
    }
    let dir = path.parent();
    if let Some(dir) = dir.filter(|dir| !dir.as_os_str().is_empty() && !dir.is_dir()) {
        let message = format!("there is no directory {}", dir.display());
        return Err(Failure::new(
            FailureKind::Usage,
            message,
            "make it first, or name another file",
        ));
    }
    Ok(())
}

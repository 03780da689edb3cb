//! The tool hook: reminds of memories about the files that a tool changed.

use std::path::Path;

use super::{
    answer::{HookAnswer, ShownText},
    call::Call,
    prompt,
};
use pimem_core::{
    embed::table,
    search::{bm25::Query, documents::SourceKind},
};
use pimem_engine::memory::{
    recall,
    search::{
        self, FoundHit,
        request::{MinScore, Pace, SearchRequest},
    },
};

/// Maximum number of memories shown.
const REMINDERS: usize = 3;
/// Number of hits searched for them.
const POOL: usize = 20;
/// Substrings of the names of tools that change files.
const CHANGES: &[&str] = &["edit", "write", "patch", "replace", "create", "insert", "notebook"];
/// File names too common to identify a file by themselves.
const COMMON: &[&str] = &[
    "mod.rs",
    "lib.rs",
    "main.rs",
    "build.rs",
    "cargo.toml",
    "index.ts",
    "index.tsx",
    "index.js",
    "index.html",
    "main.go",
    "main.py",
    "__init__.py",
    "package.json",
    "readme.md",
    "makefile",
    "dockerfile",
];

/// Directory names too common to identify a directory by themselves.
const WIDE: &[&str] = &[
    "src", "lib", "app", "apps", "cmd", "pkg", "internal", "test", "tests", "spec", "docs", "doc",
    "bin", "dist", "build", "packages", "public", "static", "assets", "include", "main", "java",
];

/// Returns memories that name a changed file or are similar to its name, each once per session.
pub(crate) fn reminder(call: &Call<'_>) -> HookAnswer {
    let changes = call.input.tool.as_ref().is_none_or(|tool| {
        let tool = tool.to_lowercase();
        CHANGES.iter().any(|part| tool.contains(part))
    });
    if !call.listens() || !changes || call.input.files.is_empty() {
        return HookAnswer::default();
    }
    let names: Vec<String> = call.input.files.iter().map(|file| relative(call, file)).collect();
    let ctx = call.ctx;
    let query = Query::new(&names.join(" "));
    let wanted = SearchRequest {
        except: Some(&call.known().seen),
        min_score: MinScore::Score(0.0),
        pace: Pace::Change,
        ..SearchRequest::recall(&ctx.memory, &query, POOL, &[SourceKind::Topic])
    };
    let mut found = search::find(&ctx.memory, &call.stores, &wanted);
    let near = table::model().thresholds.reminder;
    let is_about = |hit: &FoundHit| {
        hit.candidate.likeness() >= near || names.iter().any(|name| is_named(&hit.text, name))
    };
    found.hits.retain(|hit| is_about(hit) && !call.is_read(&hit.text));
    let mut hits = recall::entries(found.hits, REMINDERS);
    let mut answer = prompt::placed(call, &names, &call.known().seen);
    hits.retain(|hit| !answer.entries().any(|shown| hit.entry == Some(shown.id)));
    hits.truncate(REMINDERS - answer.entries().count().min(REMINDERS));
    if let (Some(first), true, false) = (names.first(), answer.is_empty(), hits.is_empty()) {
        answer = prompt::about(first, names.len() - 1);
    }
    answer.stale = found.stale;
    for hit in &hits {
        answer.push(recall::line(&ctx.memory, hit), Some(ShownText::from(hit)));
    }
    answer
}

/// Returns the path relative to the project root, as memories would write it.
fn relative(call: &Call<'_>, file: &str) -> String {
    let path = call.ctx.memory.places.cwd.join(file);
    let roots = call.stores.iter().filter_map(|store| store.dir.parent()?.parent());
    let mut roots = roots.chain([call.ctx.memory.places.cwd.as_path()]);
    let below = roots.find_map(|root| path.strip_prefix(root).ok());
    below.unwrap_or(Path::new(file)).to_string_lossy().replace('\\', "/")
}

/// Returns true if a text names a file: by its path, by a suffix of the path, by a name that is not
/// common, or by its directory.
fn is_named(text: &str, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let Some((name, dirs)) = parts.split_last() else { return false };
    let common = COMMON.contains(&name.to_lowercase().as_str()) || !name.contains('.');
    let least = if common { 2 } else { 1 };
    let ends = (least..=parts.len().max(least))
        .filter_map(|n| Some(parts.get(parts.len().checked_sub(n)?..)?.join("/")));
    let own = (1..=dirs.len()).filter_map(|n| dirs.get(dirs.len() - n..));
    let above = (2..dirs.len()).filter_map(|n| dirs.get(..n));
    ends.into_iter().any(|end| stands(text, &end, Kind::File))
        || own.chain(above).any(|dirs| {
            // A single word may mean anything; a directory has a slash or is in a code span.
            let dir = dirs.join("/");
            match dirs {
                [only] if WIDE.contains(&only.to_lowercase().as_str()) => false,
                [only] => [format!("{only}/"), format!("`{only}`")]
                    .iter()
                    .any(|form| stands(text, form, Kind::Directory)),
                _ => stands(text, &dir, Kind::Directory),
            }
        })
}

/// What a path names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Directory,
}

/// Returns true if the text contains the path, and not as a part of another path.
fn stands(text: &str, path: &str, kind: Kind) -> bool {
    let directory = kind == Kind::Directory;
    let part_of_name = |c: char| c.is_alphanumeric() || "-_".contains(c);
    text.match_indices(path).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + path.len()..).unwrap_or_default();
        // A directory may end in a slash.
        let after = if directory { after.strip_prefix('/').unwrap_or(after) } else { after };
        let mut after = after.chars();
        let next = after.next();
        // A full stop ends a sentence, or continues with another suffix.
        let goes_on = next.is_some_and(|c| part_of_name(c) || c == '/')
            || (next == Some('.') && after.next().is_some_and(part_of_name));
        let within = before.is_some_and(|c| part_of_name(c) || c == '.' || directory && c == '/');
        !within && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, path, want) in [
            ("see src/berth/lock.rs for why", "src/berth/lock.rs", true),
            ("`lock.rs` takes the lock", "src/berth/lock.rs", true),
            ("berth/lock.rs: never twice.", "src/berth/lock.rs", true),
            ("It ends in lock.rs.", "src/berth/lock.rs", true),
            ("berth-lock.rs is another", "src/berth/lock.rs", false),
            ("lock.rs.bak is another", "src/berth/lock.rs", false),
            ("other/lock.rs", "src/berth/lock.rs", true),
            ("mod.rs files are short", "src/berth/mod.rs", false),
            ("berth/mod.rs is short", "src/berth/mod.rs", true),
            ("the lock is in src", "src/lock", false),
            ("run src/lock", "src/lock", true),
            ("Handlers in internal/http never panic", "internal/http/parcels.go", true),
            ("Everything in `migrations` is append-only", "db/migrations/0042_x.sql", true),
            ("Never edit db/migrations/ by hand.", "db/migrations/2026/0042_x.sql", true),
            ("internal/http/server.go starts it", "internal/http/parcels.go", false),
            ("clock/ is the only place that reads the time", "internal/clock/clock.go", true),
            ("The clock of the gauge drifts", "internal/clock/clock.go", false),
            ("Keep src/ small", "src/lock.rs", false),
            ("`internal` packages are not imported", "internal/http/parcels.go", false),
            ("other/http is another", "internal/http/parcels.go", false),
            ("docs/http/api.md", "internal/http/parcels.go", false),
            ("", "", false),
            ("anything", "/", false),
        ] {
            assert_eq!(is_named(text, path), want, "{text} {path}");
        }
    }
}

//! Provenance of lines: tells lines typed on this machine from lines that git brought.
//!
//! In a store made or trusted here, a line counts as typed here if git does not have it, or if a
//! commit made here had it before anything fetched did. All other lines await review. So do lines
//! in doubt: while git is in the middle of an operation, if it does not answer in time, or if it
//! converts files on checkout.

mod reflog;
mod sightings;

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

use self::{
    reflog::Refs,
    sightings::{ATTRIBUTES, GitQuestion, LineOrigin},
};
use super::{
    Store,
    discover::{self, Places},
    git, read,
    snapshot::Snapshot,
    trust::TextKey,
    trust_ledger,
};
use pimem_core::{
    language::injection,
    model::category::{Categories, CategoryId},
};

/// Time limit for git while the user waits.
pub const LIMIT: Duration = Duration::from_millis(150);

/// Files in the git directory during an operation: a merge, rebase or similar, or any change of the
/// work tree.
const BUSY: [&str; 8] = [
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "SQUASH_MSG",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "index.lock",
];
/// Directories and files in a work tree by which other version-control systems are recognised.
const OTHERS: [&str; 10] =
    [".jj", ".hg", ".sl", ".svn", ".bzr", "_darcs", ".pijul", ".fslckout", "_FOSSIL_", "CVS"];

/// Who changes the files of a store.
enum Source {
    /// Editors, or programs that cannot be told from them.
    Hands,
    /// A git repository: the root of the work tree, its git directory, and the common git
    /// directory.
    Git(PathBuf, PathBuf, PathBuf),
    /// Unknown: git cannot be asked, or is in the middle of an operation.
    Unclear,
}

/// A line of unknown provenance.
type Line<'a> = (CategoryId, &'a str);

impl Store {
    /// Returns true if git has files of the store, which is in the work tree at `root`. `None` if it
    /// cannot tell.
    pub fn is_tracked(&self, root: &Path, limit: Duration) -> Option<bool> {
        let files = ["ls-files", "--", "topics", "evidence.jsonl"];
        git::output(&self.dir, root, limit, &files, |mut out| Ok(out.read(&mut [0])? > 0))
    }

    /// Finds out which lines were typed on this machine and which git brought, and records the
    /// answer in the ledger of trust. Returns true if any line was typed here. A line worded as an
    /// instruction awaits review regardless of who typed it.
    pub fn note_own(
        &self,
        snapshot: &Snapshot,
        categories: &Categories,
        places: &Places,
        limit: Duration,
    ) -> bool {
        let trust = &self.trust;
        if trust.is_whole() || trust.is_foreign() || !trust.is_made() {
            return false;
        }
        let lines = self.unknown(snapshot, categories);
        if lines.is_empty() {
            return false;
        }
        let origins = self.origins(&lines, snapshot, (categories, places), limit);
        let name = |category| &categories.spec(category).name;
        let of = |wanted: LineOrigin| {
            let found = lines.iter().zip(&origins).filter(move |(_, origin)| **origin == wanted);
            found.map(|(line, _)| *line)
        };
        let own: Vec<_> = of(LineOrigin::Here)
            .map(|(category, text)| trust.entry(name(category), text))
            .collect();
        let brought =
            of(LineOrigin::Git).map(|(category, text)| trust.brought(name(category), text));
        trust.note(|| own.iter().copied().chain(brought).collect());
        own.iter().any(|key| trust.holds(*key))
    }

    fn unknown<'a>(&self, snapshot: &'a Snapshot, categories: &Categories) -> Vec<Line<'a>> {
        let trust = &self.trust;
        let mut found = BTreeSet::new();
        for topic in &snapshot.topics {
            for entry in &topic.doc.entries {
                let (name, text) = (&categories.spec(entry.category).name, entry.text.as_str());
                let is_known =
                    trust.holds_entry(name, text) || trust.holds(trust.brought(name, text));
                if !is_known && injection::find(text).is_none() {
                    found.insert((entry.category, text));
                }
            }
        }
        let mut found: Vec<Line<'a>> = found.into_iter().collect();
        if !found.is_empty() {
            // Statements learned from a paste need a review even though git did not bring them.
            let key =
                |(category, text): &Line<'_>| trust.entry(&categories.spec(*category).name, text);
            let keys: Vec<TextKey> = found.iter().map(key).collect();
            let waits = trust_ledger::waiting_of(trust, &keys);
            found.retain(|line| !waits.contains(&key(line)));
        }
        found
    }

    fn origins(
        &self,
        lines: &[Line<'_>],
        snapshot: &Snapshot,
        (categories, places): (&Categories, &Places),
        limit: Duration,
    ) -> Vec<LineOrigin> {
        let all = |origin| vec![origin; lines.len()];
        let dir = discover::real(&self.dir);
        let topics = dir.join("topics");
        let (top, git, common) = match source(&topics, places) {
            Source::Hands => return all(LineOrigin::Here),
            Source::Unclear => return all(LineOrigin::Unclear),
            Source::Git(top, git, common) => (top, git, common),
        };
        let is_plain = |topic: &str| {
            let meta = fs::symlink_metadata(topics.join(format!("{topic}.md")));
            meta.is_ok_and(|meta| meta.is_file())
        };
        // The file behind a link has another path in git.
        let linked = snapshot.topics.iter().filter(|topic| !is_plain(&topic.stem));
        let linked: BTreeSet<Line<'_>> = linked
            .flat_map(|topic| topic.doc.entries.iter().map(|e| (e.category, e.text.as_str())))
            .collect();
        let Ok(refs) = Refs::read(&git, &common) else { return all(LineOrigin::Unclear) };
        let question = GitQuestion {
            lines: lines.iter().copied().zip(0..).collect::<HashMap<_, _>>(),
            categories,
            files: snapshot.topics.iter().map(|topic| format!("{}.md", topic.stem)).collect(),
            refs: &refs,
            seal: &self.seal,
            depth: dir.strip_prefix(&top).map_or(0, |below| below.components().count()),
        };
        let talk = |objects: &mut git::GitObjects| sightings::judge(&question, objects);
        let origins = git::ask(&dir, &top, limit, talk);
        let mut origins = origins.unwrap_or_else(|| all(LineOrigin::Unclear));
        for (line, origin) in lines.iter().zip(&mut origins) {
            if linked.contains(line) && *origin == LineOrigin::Here {
                *origin = LineOrigin::Unclear;
            }
        }
        origins
    }
}

fn source(topics: &Path, places: &Places) -> Source {
    // A path that cannot be checked may exist.
    let is_there = |path: PathBuf| !matches!(reflog::present(fs::symlink_metadata(path)), Ok(None));
    if !fs::symlink_metadata(topics).is_ok_and(|meta| meta.is_dir()) {
        return Source::Unclear;
    }
    let mut below = Vec::new();
    for dir in places.above(topics) {
        below.push(dir);
        if OTHERS.iter().any(|name| is_there(dir.join(name))) {
            return Source::Unclear;
        }
        if !is_there(dir.join(".git")) {
            continue;
        }
        let (Some(git), Some(common)) = (git::git_dir(dir), git::common_dir(dir)) else {
            return Source::Unclear;
        };
        if dir == topics {
            // The archive, from which lines may return, would be in another repository.
            return Source::Unclear;
        }
        let converts = |path: PathBuf| {
            let dir = path.parent().unwrap_or(dir).to_path_buf();
            read::file(&dir, &path, read::MAX_FILE)
                .map_or(true, |found| found.is_some_and(|bytes| may_convert(&bytes)))
        };
        let attributes = below.iter().map(|dir| dir.join(ATTRIBUTES));
        let mut attributes = attributes.chain([common.join("info/attributes")]);
        if BUSY.iter().any(|name| is_there(git.join(name))) || attributes.any(converts) {
            return Source::Unclear;
        }
        return Source::Git(dir.to_path_buf(), git, common);
    }
    Source::Hands
}

/// Attributes that change more than line ends.
const CONVERSIONS: [&str; 3] = ["filter", "ident", "working-tree-encoding"];

/// Returns true if an attributes file converts topic files, or may.
pub(super) fn may_convert(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes).lines().map(str::trim).any(|line| {
        let Some((pattern, attributes)) = line.split_once([' ', '\t']) else { return false };
        !line.starts_with('#')
            && concerns(pattern)
            && attributes.split([' ', '\t']).any(|attribute| {
                let name = attribute.split('=').next().unwrap_or_default();
                CONVERSIONS.contains(&name)
            })
    })
}

/// Returns true if a pattern may match the name of a topic file. Macros and quoted patterns always
/// may.
fn concerns(pattern: &str) -> bool {
    let end = pattern.len().checked_sub(3).and_then(|at| pattern.get(at..));
    let Some(end) = end else { return true };
    let literal = end.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    !literal || pattern.starts_with("[attr]") || end.eq_ignore_ascii_case(".md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions() {
        for (line, want) in [
            ("*.md ident", true),
            ("*.md\tident", true),
            ("  *.md  text ident", true),
            ("* filter=lfs", true),
            ("*.MD filter=x", true),
            ("**/* working-tree-encoding=UTF-7", true),
            (".pi/** filter=git-crypt diff=git-crypt", true),
            (".pi/memory/topics/lessons.md ident", true),
            ("\"a b\" ident", true),
            ("[attr]x ident", true),
            ("*.m[d] ident", true),
            ("md ident", true),
            ("*.psd filter=lfs diff=lfs merge=lfs -text", false),
            ("*.png filter=lfs", false),
            ("# *.md ident", false),
            ("*.md -ident", false),
            ("*.md !filter", false),
            ("*.md text eol=crlf merge=union", false),
            ("* text=auto", false),
            ("*.md identity", false),
            ("*.md", false),
            ("", false),
        ] {
            let text = format!("*.rs diff=rust\r\n{line}\r\n");
            assert_eq!(may_convert(text.as_bytes()), want, "{line}");
        }
    }
}

//! Lines that were typed on this machine, told from those that git brought.
//!
//! In a store that was made or trusted here, a line is typed here when git has it nowhere, or when a
//! commit that was made here had it before anything that was fetched. Everything else awaits review,
//! and so does everything in doubt: while git is in the middle of something, where it does not answer
//! in time, or where it writes other bytes than it keeps.

mod attributes;
mod reflog;
mod sightings;

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use self::{
    reflog::Refs,
    sightings::{ATTRIBUTES, Origin, Question},
};
use super::{
    discover::{self, Places},
    git_objects, gitlink, pending, read,
    snapshot::{Snapshot, Store},
    trust::Key,
};
use pimem_core::{
    language::injection,
    model::category::{Categories, CategoryId},
};

/// How long git may take, while somebody waits.
pub const LIMIT: Duration = Duration::from_millis(150);

/// What is there while git is in the middle of something: a merge, a rebase or the like, or any change
/// to the work tree.
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
/// What other programs that bring lines keep in a work tree.
const OTHERS: [&str; 10] =
    [".jj", ".hg", ".sl", ".svn", ".bzr", "_darcs", ".pijul", ".fslckout", "_FOSSIL_", "CVS"];

/// Where what changes a store comes from.
enum Source {
    /// Hands, and programs that nobody can tell from them.
    Hands,
    /// A repository of git: the root of the work tree, its own directory, and that of all work trees.
    Git(PathBuf, PathBuf, PathBuf),
    /// Something that cannot be asked, or is in the middle of a change.
    Unclear,
}

/// A line that awaits review.
type Line<'a> = (CategoryId, &'a str);

impl Store {
    /// Notes which lines were typed on this machine, and which git brought, so that nobody has to ask
    /// again. Gives whether any was typed here. A line that is worded as an order awaits review
    /// whoever typed it.
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
        let of = |wanted: Origin| {
            let found = lines.iter().zip(&origins).filter(move |(_, origin)| **origin == wanted);
            found.map(|(line, _)| *line)
        };
        let own: Vec<_> =
            of(Origin::Here).map(|(category, text)| trust.entry(name(category), text)).collect();
        let brought = of(Origin::Git).map(|(category, text)| trust.brought(name(category), text));
        trust.note(|| own.iter().copied().chain(brought).collect());
        own.iter().any(|key| trust.holds(*key))
    }

    /// The lines of which is not known where they come from.
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
            // Nobody has vouched for what was learned of a paste, though no git brought it.
            let key =
                |(category, text): &Line<'_>| trust.entry(&categories.spec(*category).name, text);
            let keys: Vec<Key> = found.iter().map(key).collect();
            let waits = pending::of(trust, &keys);
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
    ) -> Vec<Origin> {
        let all = |origin| vec![origin; lines.len()];
        let dir = discover::real(&self.dir);
        let topics = dir.join("topics");
        let (top, git, common) = match source(&topics, places) {
            Source::Hands => return all(Origin::Here),
            Source::Unclear => return all(Origin::Unclear),
            Source::Git(top, git, common) => (top, git, common),
        };
        let is_plain = |topic: &str| {
            let meta = fs::symlink_metadata(topics.join(format!("{topic}.md")));
            meta.is_ok_and(|meta| meta.is_file())
        };
        // What is behind a link git keeps in another place.
        let linked = snapshot.topics.iter().filter(|topic| !is_plain(&topic.stem));
        let linked: BTreeSet<Line<'_>> = linked
            .flat_map(|topic| topic.doc.entries.iter().map(|e| (e.category, e.text.as_str())))
            .collect();
        let Ok(refs) = Refs::read(&git, &common) else { return all(Origin::Unclear) };
        let question = Question {
            lines: lines.iter().copied().zip(0..).collect::<HashMap<_, _>>(),
            categories,
            files: snapshot.topics.iter().map(|topic| format!("{}.md", topic.stem)).collect(),
            refs: &refs,
            depth: dir.strip_prefix(&top).map_or(0, |below| below.components().count()),
        };
        let talk = |objects: &mut git_objects::Objects| sightings::judge(&question, objects);
        let origins = git_objects::ask(&dir, &top, limit, talk);
        let mut origins = origins.unwrap_or_else(|| all(Origin::Unclear));
        for (line, origin) in lines.iter().zip(&mut origins) {
            if linked.contains(line) && *origin == Origin::Here {
                *origin = Origin::Unclear;
            }
        }
        origins
    }
}

fn source(topics: &Path, places: &Places) -> Source {
    // What cannot be looked at may be there.
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
        let (Some(git), Some(common)) = (gitlink::git_dir(dir), gitlink::common_dir(dir)) else {
            return Source::Unclear;
        };
        if dir == topics {
            // The archive, where lines come back from, would be in another one.
            return Source::Unclear;
        }
        let converts = |path: PathBuf| {
            let dir = path.parent().unwrap_or(dir).to_path_buf();
            read::file(&dir, &path, read::MAX_FILE)
                .map_or(true, |found| found.is_some_and(|bytes| attributes::convert(&bytes)))
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

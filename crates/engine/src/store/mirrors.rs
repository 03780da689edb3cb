//! Discovery of mirrors: the directories below `mirrors`, by server and project. Writes nothing.
//!
//! What is in there comes from servers. A mirror that is not as it should be is a [`Problem`] and
//! left out; the others are found all the same.

use std::{
    fs::{self, DirEntry},
    path::{Path, PathBuf},
};

use super::{
    read::{self, Problem, ProblemKind},
    snapshot::EVIDENCE,
    trust,
};
use pimem_core::{
    model::mirror::{self, Mirror},
    safety::safe_text,
};

/// Path below the user's data directory.
pub const MIRRORS: &str = "pimem/mirrors";
/// Name of the file that describes a mirror.
pub const DESCRIPTION: &str = "mirror.json";

/// The mirrors of a machine.
#[derive(Debug, Default)]
pub struct Found {
    /// Directories with their descriptions, sorted by server and project.
    pub mirrors: Vec<(PathBuf, Mirror)>,
    /// What is no mirror.
    pub problems: Vec<Problem>,
}

/// Finds the mirrors below a directory, which need not exist.
pub fn find(root: &Path) -> Found {
    let mut found = Found::default();
    let Ok(servers) = fs::read_dir(root) else { return found };
    for server in below(servers, &mut found.problems) {
        let Ok(projects) = fs::read_dir(&server) else {
            found.problems.push(problem(&server, "it cannot be listed"));
            continue;
        };
        for dir in below(projects, &mut found.problems) {
            match open(&dir) {
                Ok(mirror) => found.mirrors.push((dir, mirror)),
                Err(problem) => found.problems.push(problem),
            }
        }
    }
    found
}

/// Returns the directories of a listing, sorted. Hidden ones and files are nobody's mirrors.
fn below(listed: fs::ReadDir, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    let is_hidden = |entry: &DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    for entry in listed.flatten().filter(|entry| !is_hidden(entry)) {
        let (path, kind) = (entry.path(), entry.file_type());
        let name = entry.file_name();
        let is_plain = name.to_str().is_some_and(|name| safe_text::first_hazard(name).is_none());
        match kind {
            Ok(kind) if kind.is_symlink() => problems.push(problem(&path, "it is a link")),
            Ok(kind) if !kind.is_dir() => {}
            Ok(_) if is_plain => dirs.push(path),
            _ => problems.push(problem(&path, "it has a strange name")),
        }
    }
    dirs.sort();
    dirs
}

fn open(dir: &Path) -> Result<Mirror, Problem> {
    let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !mirror::is_project(name) {
        return Err(problem(dir, "no project has such a name"));
    }
    if trust::is_foreign(dir) {
        return Err(problem(dir, "it belongs to another user"));
    }
    let bytes = read::file(dir, &dir.join(DESCRIPTION), read::MAX_FILE)?;
    let bytes = bytes.ok_or_else(|| problem(dir, "it has no mirror.json"))?;
    Mirror::read(&bytes, name).map_err(|error| problem(&dir.join(DESCRIPTION), &error.to_string()))
}

fn problem(path: &Path, why: &str) -> Problem {
    Problem { path: path.to_path_buf(), kind: ProblemKind::NoMirror(why.to_owned()) }
}

/// Returns the number of bytes in the files of a mirror that are read.
pub fn bytes(dir: &Path) -> u64 {
    let size = |path: PathBuf| fs::symlink_metadata(path).map_or(0, |meta| meta.len());
    let folder = |name: &str| {
        let listed = fs::read_dir(dir.join(name)).into_iter().flatten().flatten();
        listed.map(|entry| size(entry.path())).fold(0, u64::saturating_add)
    };
    folder("topics").saturating_add(folder("archive")).saturating_add(size(dir.join(EVIDENCE)))
}

//! The root of a store: whether `.pi` and `.pi/memory` are directories of the project that they
//! stand in.
//!
//! A clone may bring either as a link or as a submodule, and either may be a mount. What is read
//! and written there would be read and written elsewhere, so such a root is no store until a
//! person has named it. That is noted in the user's state directory, with where it leads.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::{
    atomic::{self, Sync},
    discover, read,
};

/// The parts of a root, below the project's directory.
const PARTS: [&str; 2] = [".pi", ".pi/memory"];
/// Directory of the notes below `pimem` in the state directory.
const FOLDER: &str = "pimem/roots";
/// Bytes of a note at most.
const MOST: u64 = 64 << 10;
/// How a person says that a root is meant.
pub const REMEDY: &str = "put the directory itself there; or, if it is meant so, name it: pimem \
                          trust --always";

/// A part of a root that leads away from its project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Away {
    /// Path of the part; without links, but for the part itself.
    pub path: PathBuf,
    pub way: Way,
}

/// How a part of a root leads away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// A link, to this place out of the work tree or in a directory of git.
    Link(PathBuf),
    /// It is in this work tree of another repository, as a submodule.
    Repository(PathBuf),
    /// It is on another device than the work tree.
    Mount,
}

impl fmt::Display for Away {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.way {
            Way::Link(to) => {
                write!(f, "{path} is a link that leads out of the work tree, to {}", to.display())
            }
            Way::Repository(of) => {
                write!(f, "{path} belongs to another repository, that of {}", of.display())
            }
            Way::Mount => write!(f, "{path} is mounted from another file system"),
        }?;
        f.write_str("; it is neither read nor written")
    }
}

/// The work tree around a root; without git, the directory that holds `.pi`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tree {
    /// Path without links.
    pub(super) top: PathBuf,
    pub(super) device: Option<u64>,
    pub(super) is_git: bool,
}

/// What is known of a part of a root.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    /// Where it is; without links.
    real: PathBuf,
    device: Option<u64>,
    /// The work tree that it is in, if that is not the one around the root.
    repository: Option<PathBuf>,
}

/// Returns how a part leads away from the work tree.
fn way(tree: &Tree, part: &Part) -> Option<Way> {
    let is_git = |name: &std::ffi::OsStr| name.eq_ignore_ascii_case(".git");
    let inside = part.real.strip_prefix(&tree.top);
    if inside.is_ok_and(|below| !below.iter().any(is_git)) {
        let repository = part.repository.clone().filter(|_| tree.is_git).map(Way::Repository);
        return repository.or((part.device != tree.device).then_some(Way::Mount));
    }
    Some(Way::Link(part.real.clone()))
}

/// Returns the part of the root in `dir` that leads away from its project and that no person has
/// named. `tree` gives the work tree of a path without links.
pub(super) fn led_away(
    dir: &Path,
    state: Option<&Path>,
    tree: impl FnOnce(&Path) -> Tree,
) -> Option<Away> {
    let device = device(dir);
    if PARTS.iter().all(|part| is_plain(&dir.join(part), device)) {
        return None;
    }
    let real = discover::real(dir);
    let mut tree = tree(&real);
    for part in PARTS {
        let path = real.join(part);
        if fs::symlink_metadata(&path).is_err() {
            return None;
        }
        let known = known(&tree, &path);
        let Some(way) = way(&tree, &known) else { continue };
        let away = Away { path, way };
        if !is_named(state, &away) {
            return Some(away);
        }
        // What is below it may not lead farther.
        tree = Tree { top: known.real, device: known.device, is_git: true };
    }
    None
}

fn known(tree: &Tree, path: &Path) -> Part {
    // A link that cannot be followed leads to what it says.
    let said = || fs::read_link(path).map_or_else(|_| path.to_path_buf(), |to| path.join(to));
    let real = read::target(path).unwrap_or_else(said);
    let above = real.ancestors().take_while(|dir| *dir != tree.top);
    let mut above = above.filter(|dir| dir.starts_with(&tree.top));
    let repository = above.find(|dir| has_git(dir)).map(Path::to_path_buf);
    // What does not exist yet will be on the device of its directory.
    let device = real.ancestors().find_map(device);
    Part { real, device, repository }
}

/// Returns true for what is missing, and for a directory that is neither a link nor a mount, nor a
/// repository.
fn is_plain(path: &Path, around: Option<u64>) -> bool {
    match fs::symlink_metadata(path) {
        Ok(meta) => !meta.is_symlink() && device_of(&meta) == around && !has_git(path),
        Err(_) => true,
    }
}

fn has_git(dir: &Path) -> bool {
    fs::symlink_metadata(dir.join(".git")).is_ok()
}

pub(super) fn device(dir: &Path) -> Option<u64> {
    fs::metadata(dir).ok().and_then(|meta| device_of(&meta))
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems tell no device")]
fn device_of(meta: &fs::Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::dev(meta))
}

#[cfg(not(unix))]
fn device_of(_: &fs::Metadata) -> Option<u64> {
    None
}

fn place(state: &Path, path: &Path) -> PathBuf {
    state.join(FOLDER).join(discover::key_of(path))
}

/// Returns true if a person has named the part, as it leads now.
fn is_named(state: Option<&Path>, away: &Away) -> bool {
    let read = |state: &Path| {
        let path = place(state, &away.path);
        read::file(path.parent()?, &path, MOST).ok()?
    };
    let note = state.and_then(read).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    note.as_ref() == Some(away)
}

/// Notes that a person has named a part of a root, as it leads now.
///
/// # Errors
/// Fails if there is no state directory, or it cannot be written.
pub fn name(state: Option<&Path>, away: &Away) -> Result<()> {
    let state = state.context("there is no directory for it: set HOME, or XDG_STATE_HOME")?;
    let path = place(state, &away.path);
    atomic::create_dir(path.parent().unwrap_or(state), Sync::PrivateFull)?;
    let text = format!("{}\n", serde_json::to_string(away)?);
    atomic::replace_file(&path, text.as_bytes(), Sync::PrivateFull, || Ok(true)).map(drop)
}

/// Takes back that the root of a store was named. Returns true if it was.
///
/// # Errors
/// Fails if the state directory cannot be written.
pub fn take_back(state: Option<&Path>, store: &Path) -> Result<bool> {
    let Some((state, dir)) = state.zip(store.parent().and_then(Path::parent)) else {
        return Ok(false);
    };
    let real = discover::real(dir);
    let mut any = false;
    for part in PARTS.iter().filter(|_| store.ends_with(discover::STORE)) {
        let path = place(state, &real.join(part));
        if path.exists() {
            atomic::remove_file(&path, Sync::PrivateFull)?;
            any = true;
        }
    }
    Ok(any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_away() {
        let link = |to: &str| Some(Way::Link(to.into()));
        let own = |of: &str| Some(Way::Repository(of.into()));
        for (is_git, real, device, repository, want) in [
            (true, "/work/p/.pi", 1, None, None),
            (true, "/work/p/shared/.pi/memory", 1, None, None),
            (true, "/work/private/.pi", 1, None, link("/work/private/.pi")),
            (true, "/work/p2/.pi", 1, None, link("/work/p2/.pi")),
            (true, "/work", 1, None, link("/work")),
            (true, "/home/a/.pi/agent/memory", 2, None, link("/home/a/.pi/agent/memory")),
            (true, "/work/p/.git/x", 1, None, link("/work/p/.git/x")),
            (true, "/work/p/.GIT", 1, None, link("/work/p/.GIT")),
            (true, "/work/p/.github/memory", 1, None, None),
            (true, "/work/p/.pi", 2, None, Some(Way::Mount)),
            (false, "/work/p/.pi", 2, None, Some(Way::Mount)),
            (true, "/work/p/.pi", 1, Some("/work/p/.pi"), own("/work/p/.pi")),
            (true, "/work/p/lib/.pi", 1, Some("/work/p/lib"), own("/work/p/lib")),
            // Without git around, the memory may have a repository of its own.
            (false, "/work/p/.pi/memory", 1, Some("/work/p/.pi/memory"), None),
        ] {
            let tree = Tree { top: "/work/p".into(), device: Some(1), is_git };
            let repository = repository.map(PathBuf::from);
            let part = Part { real: real.into(), device: Some(device), repository };
            assert_eq!(way(&tree, &part), want, "{real} {device}");
        }
    }
}

//! Discovery of the project's store and the user's store. Starts no process and writes nothing but the
//! roots that a person has named.
//!
//! A clone may bring `.pi` or `.pi/memory` as a link or as a submodule, and either may be a mount. What
//! is read and written there would be read and written elsewhere, so such a root is no store until a
//! person has named it. That is noted in the user's state directory, with where it leads.

use std::{
    cell::{OnceCell, RefCell},
    collections::BTreeMap,
    fmt, fs,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::{
    atomic::{self, Sync},
    git::{self, Git, KEPT_LINES, OtherTree, SPOOL, WorkTrees},
    read,
};
use pimem_core::model::hash::short_sha256;

/// Path of the store below a project's root.
pub(super) const STORE: &str = ".pi/memory";

/// A store further up, with the number of directories that it is above the working directory.
pub type FoundAbove = Result<(u8, PathBuf), Away>;

/// How many directories above the working directory stores are looked for.
const MOST_LEVELS: u8 = 16;

/// What a directory has at least one of if it is a store.
const MARKS: &[&str] =
    &["topics", "evidence.jsonl", "MEMORY.md", "SCRATCHPAD.md", "daily", "store.json"];

/// The inputs of discovery.
#[derive(Debug, Clone, Default)]
pub struct Places {
    pub cwd: PathBuf,
    pub home: Option<PathBuf>,
    /// Project store named by flag or variable.
    pub named: Option<PathBuf>,
    /// User store named by variable.
    pub user: Option<PathBuf>,
    /// Directories that discovery does not enter from below and does not go above.
    pub ceilings: Vec<PathBuf>,
    pub state: Option<PathBuf>,
    /// The project's store, once it is found, and those further up: whoever opens a memory asks
    /// several times.
    pub(crate) known: OnceCell<PathBuf>,
    pub(crate) above: OnceCell<Vec<FoundAbove>>,
    /// Git's data on each directory, cached because a call needs it several times.
    pub(crate) looked: ByDirectory<Git>,
    /// Their devices and inodes.
    pub(crate) identities: ByDirectory<Option<(u64, u64)>>,
}

type ByDirectory<T> = RefCell<BTreeMap<PathBuf, T>>;

fn remembered<T: Clone>(known: &ByDirectory<T>, dir: &Path, look: impl FnOnce(&Path) -> T) -> T {
    known.borrow_mut().entry(dir.to_path_buf()).or_insert_with(|| look(dir)).clone()
}

impl Places {
    /// Returns the project's store if there is one that does not lead away from its project.
    pub fn project(&self) -> Option<PathBuf> {
        self.found()?.ok()
    }

    /// Finds the project's store: the named store, or that of the nearest ancestor, or that of the
    /// main work tree. It need not exist if lines of it do.
    ///
    /// # Errors
    /// Fails if there is one that leads away from its project; none is looked for behind it.
    pub fn found(&self) -> Option<Result<PathBuf, Away>> {
        if let Some(known) = self.known.get() {
            return Some(Ok(known.clone()));
        }
        let found = self.look_up();
        if let Some(Ok(store)) = &found {
            self.known.get_or_init(|| store.clone());
        }
        found
    }

    /// Sets the directory that is named as the project's store.
    pub fn name(&mut self, named: Option<PathBuf>) {
        (self.named, self.known, self.above) = (named, OnceCell::new(), OnceCell::new());
    }

    fn look_up(&self) -> Option<Result<PathBuf, Away>> {
        if let Some(named) = &self.named {
            return Some(Ok(self.cwd.join(named)));
        }
        let is_store = |dir: &Path| is_there(&dir.join(STORE));
        let mut main = None;
        for dir in self.ancestors() {
            if is_store(dir) {
                return Some(self.rooted(dir));
            }
            match self.look(dir) {
                Git::Submodule => break,
                Git::Linked(work_tree) => main = main.or(work_tree),
                Git::None | Git::Repository => {}
            }
        }
        let main = main.filter(|dir| !self.is_home(dir) && is_store(dir));
        main.map(|dir| self.rooted(&dir)).or_else(|| self.only_elsewhere().map(Ok))
    }

    /// Returns where the store would be created if lines of it are kept, or another work tree of the
    /// repository has one.
    fn only_elsewhere(&self) -> Option<PathBuf> {
        let new = self.new_project()?.ok()?;
        let trees = WorkTrees::of(&new)?;
        let kept = format!("{}{KEPT_LINES}.jsonl", trees.name(SPOOL));
        let keeps = |noted: PathBuf| noted.join(&kept).exists();
        let has = |tree: OtherTree| {
            tree.root.is_some_and(|root| is_there(&root.join(&trees.below))) || keeps(tree.noted)
        };
        let mut noted = trees.left().into_iter().chain([trees.kept()]);
        (noted.any(keeps) || trees.others().into_iter().any(has)).then_some(new)
    }

    /// Returns the stores further up than the project's, to the root of its work tree, each with the
    /// number of directories that it is above the working directory; the nearest first. One that leads
    /// away from the project is an error.
    pub fn above_project(&self) -> Vec<FoundAbove> {
        if self.named.is_some() {
            return Vec::new();
        }
        if self.known.get().is_none() {
            return self.look_above();
        }
        self.above.get_or_init(|| self.look_above()).clone()
    }

    fn look_above(&self) -> Vec<FoundAbove> {
        // The first one is the project's, which is looked at elsewhere.
        let (mut found, mut is_first) = (Vec::new(), true);
        for (levels, dir) in self.ancestors_up().take(usize::from(MOST_LEVELS)) {
            if is_there(&dir.join(STORE)) && !std::mem::take(&mut is_first) {
                let level = u8::try_from(levels).unwrap_or(MOST_LEVELS);
                found.push(self.rooted(dir).map(|store| (level, store)));
            }
            if self.look(dir) != Git::None {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns where a project's store would be created: at the root of the main work tree, so that
    /// all linked work trees share it, or else in the working directory. `None` for the home
    /// directory, which is not a project.
    ///
    /// # Errors
    /// Fails if what is there leads away from the project.
    pub fn new_project(&self) -> Option<Result<PathBuf, Away>> {
        if let Some(named) = &self.named {
            return Some(Ok(self.cwd.join(named)));
        }
        let mut root = self.cwd.as_path();
        let main;
        for dir in self.ancestors() {
            match self.look(dir) {
                Git::None => continue,
                Git::Repository | Git::Submodule | Git::Linked(None) => root = dir,
                Git::Linked(Some(work_tree)) => {
                    main = work_tree;
                    root = &main;
                }
            }
            break;
        }
        (!self.is_home(root)).then(|| self.rooted(root))
    }

    /// Returns what leads away where the project's store is, or would be created.
    pub fn away(&self) -> Option<Away> {
        self.found().or_else(|| self.new_project())?.err()
    }

    /// Checks a store that was found below a directory that a person has named.
    ///
    /// # Errors
    /// Fails if the directory is a project's, and its store leads away from it.
    pub fn check_below(&self, dir: &Path, store: &Path) -> Result<(), Away> {
        if store == dir.join(STORE) { self.rooted(dir).map(drop) } else { Ok(()) }
    }

    /// Returns the path of the store in a project's directory.
    ///
    /// # Errors
    /// Fails if it leads away from the project, and no person has named it.
    pub fn rooted(&self, dir: &Path) -> Result<PathBuf, Away> {
        let away = led_away(dir, self.state.as_deref(), |real| self.tree(real));
        away.map_or_else(|| Ok(dir.join(STORE)), Err)
    }

    /// Returns the work tree around a directory, given without links: like git, on its file system
    /// only. A home directory under git is none, or a link could lead to all that is in it.
    fn tree(&self, dir: &Path) -> Tree {
        let own = device(dir);
        let mut above = self.above(dir).take_while(|dir| device(dir) == own);
        let top = above.find(|dir| self.look(dir) != Git::None);
        let top = top.filter(|dir| !self.is_home(dir));
        Tree { top: top.unwrap_or(dir).to_path_buf(), device: own, is_git: top.is_some() }
    }

    /// Returns the root of the project of the working directory: the root of the work tree, or the
    /// directory that holds a store, or the working directory itself. `None` for the home
    /// directory, which is not a project.
    pub fn root(&self) -> Option<&Path> {
        let is_root =
            |dir: &&Path| !matches!(self.look(dir), Git::None) || is_there(&dir.join(STORE));
        let root = self.ancestors().find(is_root).unwrap_or(&self.cwd);
        (!self.is_home(root)).then_some(root)
    }

    /// Returns the directory that places of entries are relative to: the root of the work tree, without
    /// git the directory that holds the store.
    pub fn repository(&self) -> &Path {
        let git = self.ancestors().find(|dir| self.look(dir) != Git::None);
        git.or_else(|| self.root()).unwrap_or(&self.cwd)
    }

    /// Returns true if a directory is in a git work tree, and so may hold files that others wrote.
    pub fn in_work_tree(&self, dir: &Path) -> bool {
        let real = real(dir);
        let mut above = real.ancestors().take_while(|dir| !self.is_ceiling(dir));
        above.any(|dir| std::fs::symlink_metadata(dir.join(".git")).is_ok())
    }

    /// Returns the path of the user's store, which need not exist.
    pub fn user(&self) -> Option<PathBuf> {
        match &self.user {
            Some(user) => Some(self.cwd.join(user)),
            None => self.home.as_ref().map(|home| home.join(".pi/agent/memory")),
        }
    }

    /// Returns the working directory and its ancestors, up to a ceiling or a file-system boundary,
    /// without the home directory.
    pub fn ancestors(&self) -> impl Iterator<Item = &Path> {
        self.ancestors_up().map(|(_, dir)| dir)
    }

    /// The same, each with its number of directories above the working directory.
    fn ancestors_up(&self) -> impl Iterator<Item = (usize, &Path)> {
        let home = self.home.as_deref().and_then(|home| self.identity(home));
        let here = self.identity(&self.cwd);
        self.cwd
            .ancestors()
            .map(|dir| (dir, self.identity(dir)))
            .enumerate()
            .take_while(move |(depth, (dir, id))| {
                // As in git, a ceiling does not exclude the working directory itself.
                let same_device = id.map(|id| id.0) == here.map(|here| here.0);
                *depth == 0 || (!self.is_ceiling(dir) && same_device)
            })
            // Compared by device and inode, because $HOME may go through a link.
            .filter(move |(_, (dir, id))| {
                self.home.as_deref() != Some(dir) && (id.is_none() || *id != home)
            })
            .map(|(depth, (dir, _))| (depth, dir))
    }

    /// Returns the root of the git work tree that contains `dir`, searching up to a ceiling.
    pub fn work_tree<'a>(&self, dir: &'a Path) -> Option<&'a Path> {
        self.above(dir).find(|dir| self.look(dir) != Git::None)
    }

    /// Returns a path for display, relative to the working directory or the home directory.
    pub fn short(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.cwd).ok();
        if let Some(rest) = below.filter(|rest| !rest.as_os_str().is_empty()) {
            return rest.display().to_string();
        }
        match self.home.as_deref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => Path::new("~").join(rest).display().to_string(),
            None => path.display().to_string(),
        }
    }

    /// Returns a directory and its ancestors, up to a ceiling.
    pub(super) fn above<'a>(&self, dir: &'a Path) -> impl Iterator<Item = &'a Path> {
        dir.ancestors()
            .enumerate()
            .take_while(|(depth, dir)| *depth == 0 || !self.is_ceiling(dir))
            .map(|(_, dir)| dir)
    }

    fn look(&self, dir: &Path) -> Git {
        remembered(&self.looked, dir, git::look)
    }

    fn identity(&self, dir: &Path) -> Option<(u64, u64)> {
        remembered(&self.identities, dir, identity)
    }

    fn is_ceiling(&self, dir: &Path) -> bool {
        self.ceilings.iter().any(|ceiling| ceiling == dir)
    }

    fn is_home(&self, dir: &Path) -> bool {
        let Some(home) = self.home.as_deref() else { return false };
        home == dir || self.identity(home).is_some_and(|home| self.identity(dir) == Some(home))
    }
}

/// Returns a path below a root, with `/`; `None` for one that is not below it.
pub fn below(root: &Path, path: &Path) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in path.strip_prefix(root).ok()?.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => drop(parts.pop()?),
            _ => {}
        }
    }
    Some(parts.join("/"))
}

/// Returns true if a directory holds a store, and not something else.
pub fn is_store(dir: &Path) -> bool {
    MARKS.iter().any(|name| dir.join(name).symlink_metadata().is_ok())
}

/// Returns true if the store exists. A store whose metadata cannot be read counts as existing, so
/// that reading it reports the error.
pub fn is_there(store: &Path) -> bool {
    match std::fs::metadata(store) {
        Ok(meta) => meta.is_dir(),
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

/// Returns the device and inode of a directory.
fn identity(dir: &Path) -> Option<(u64, u64)> {
    fs::metadata(dir).ok().and_then(|meta| identity_of(&meta))
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems tell neither")]
fn identity_of(meta: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn identity_of(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Returns the name of a store's directory in the cache. It is the same for every path to the
/// store.
pub fn store_key(store: &Path) -> String {
    key_of(&real(store))
}

/// Returns the directory of a store's index in the user's cache directory.
pub fn index_dir(cache: &Path, store: &Path) -> PathBuf {
    cache.join("pimem").join(store_key(store))
}

/// Returns the cache name for a path without links.
pub fn key_of(real: &Path) -> String {
    short_sha256(real.as_os_str().as_encoded_bytes())
}

/// Returns the canonical path of a directory, or the path itself if it cannot be resolved.
pub fn real(store: &Path) -> PathBuf {
    read::canonical(store).unwrap_or_else(|_| store.to_path_buf())
}

/// The parts of a root, below the project's directory.
const PARTS: [&str; 2] = [".pi", ".pi/memory"];
/// Directory of the notes below `pimem` in the state directory.
const ROOTS: &str = "pimem/roots";
/// Bytes of a note at most.
const NOTE_BYTES: u64 = 64 << 10;
/// How a person says that a root is meant.
pub const REMEDY: &str = "put the directory itself there; or, if it is meant so, name it: pimem \
                          trust --always";

/// A part of a root that leads away from its project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Away {
    /// Path of the part; without links, but for the part itself.
    pub path: PathBuf,
    pub way: AwayBy,
}

/// How a part of a root leads away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AwayBy {
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
            AwayBy::Link(to) => {
                write!(f, "{path} is a link that leads out of the work tree, to {}", to.display())
            }
            AwayBy::Repository(of) => {
                write!(f, "{path} belongs to another repository, that of {}", of.display())
            }
            AwayBy::Mount => write!(f, "{path} is mounted from another file system"),
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
fn way(tree: &Tree, part: &Part) -> Option<AwayBy> {
    let is_git = |name: &std::ffi::OsStr| name.eq_ignore_ascii_case(".git");
    let inside = part.real.strip_prefix(&tree.top);
    if inside.is_ok_and(|below| !below.iter().any(is_git)) {
        let repository = part.repository.clone().filter(|_| tree.is_git).map(AwayBy::Repository);
        return repository.or((part.device != tree.device).then_some(AwayBy::Mount));
    }
    Some(AwayBy::Link(part.real.clone()))
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
    let real = real(dir);
    let mut tree = tree(&real);
    for part in PARTS {
        let path = real.join(part);
        if fs::symlink_metadata(&path).is_err() {
            return None;
        }
        let known = known_part(&tree, &path);
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

fn known_part(tree: &Tree, path: &Path) -> Part {
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
        Ok(meta) => {
            let device = identity_of(&meta).map(|(device, _)| device);
            !meta.is_symlink() && device == around && !has_git(path)
        }
        Err(_) => true,
    }
}

fn has_git(dir: &Path) -> bool {
    fs::symlink_metadata(dir.join(".git")).is_ok()
}

fn device(dir: &Path) -> Option<u64> {
    identity(dir).map(|(device, _)| device)
}

fn note_path(state: &Path, path: &Path) -> PathBuf {
    state.join(ROOTS).join(key_of(path))
}

/// Returns true if a person has named the part, as it leads now.
fn is_named(state: Option<&Path>, away: &Away) -> bool {
    let read = |state: &Path| {
        let path = note_path(state, &away.path);
        read::file(path.parent()?, &path, NOTE_BYTES).ok()?
    };
    let note = state.and_then(read).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    note.as_ref() == Some(away)
}

/// Notes that a person has named a part of a root, as it leads now.
///
/// # Errors
/// Fails if there is no state directory, or it cannot be written.
pub fn name_root(state: Option<&Path>, away: &Away) -> Result<()> {
    let state = state.context("there is no directory for it: set HOME, or XDG_STATE_HOME")?;
    let path = note_path(state, &away.path);
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
    let real = real(dir);
    let mut any = false;
    for part in PARTS.iter().filter(|_| store.ends_with(STORE)) {
        let path = note_path(state, &real.join(part));
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
        let link = |to: &str| Some(AwayBy::Link(to.into()));
        let own = |of: &str| Some(AwayBy::Repository(of.into()));
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
            (true, "/work/p/.pi", 2, None, Some(AwayBy::Mount)),
            (false, "/work/p/.pi", 2, None, Some(AwayBy::Mount)),
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

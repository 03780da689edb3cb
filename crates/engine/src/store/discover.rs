//! Discovery of the project's store and the user's store. Starts no process and writes nothing.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{
    gitlink::{self, Git},
    root::{self, Away, Tree},
};
use pimem_core::model::hash::short_sha256;

/// Path of the store below a project's root.
pub(super) const STORE: &str = ".pi/memory";

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
    /// The user's state directory.
    pub state: Option<PathBuf>,
}

impl Places {
    /// Returns the project's store if it exists, and does not lead away from its project.
    pub fn project(&self) -> Option<PathBuf> {
        self.found()?.ok()
    }

    /// Finds the project's store: the named store, or that of the nearest ancestor, or that of the
    /// main work tree.
    ///
    /// # Errors
    /// Fails if there is one that leads away from its project; none is looked for behind it.
    pub fn found(&self) -> Option<Result<PathBuf, Away>> {
        if let Some(named) = &self.named {
            return Some(Ok(self.cwd.join(named)));
        }
        let is_store = |dir: &Path| is_there(&dir.join(STORE));
        let mut main = None;
        for dir in self.ancestors() {
            if is_store(dir) {
                return Some(self.rooted(dir));
            }
            match gitlink::look(dir) {
                Git::Submodule => break,
                Git::Linked(work_tree) => main = main.or(work_tree),
                Git::None | Git::Repository => {}
            }
        }
        let main = main.filter(|dir| !self.is_home(dir) && is_store(dir));
        main.map(|dir| self.rooted(&dir))
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
            match gitlink::look(dir) {
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
        let away = root::led_away(dir, self.state.as_deref(), |real| self.tree(real));
        away.map_or_else(|| Ok(dir.join(STORE)), Err)
    }

    /// Returns the work tree around a directory, given without links: like git, on its file system
    /// only. A home directory under git is none, or a link could lead to all that is in it.
    fn tree(&self, dir: &Path) -> Tree {
        let device = root::device(dir);
        let mut above = self.above(dir).take_while(|dir| root::device(dir) == device);
        let top = above.find(|dir| gitlink::look(dir) != Git::None);
        let top = top.filter(|dir| !self.is_home(dir));
        Tree { top: top.unwrap_or(dir).to_path_buf(), device, is_git: top.is_some() }
    }

    /// Returns the root of the project of the working directory: the root of the work tree, or the
    /// directory that holds a store, or the working directory itself. `None` for the home
    /// directory, which is not a project.
    pub fn root(&self) -> Option<&Path> {
        let is_root =
            |dir: &&Path| !matches!(gitlink::look(dir), Git::None) || is_there(&dir.join(STORE));
        let root = self.ancestors().find(is_root).unwrap_or(&self.cwd);
        (!self.is_home(root)).then_some(root)
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
        let home = self.home.as_deref().and_then(identity);
        let here = identity(&self.cwd);
        self.cwd
            .ancestors()
            .map(|dir| (dir, identity(dir)))
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
            .map(|(_, (dir, _))| dir)
    }

    /// Returns the root of the git work tree that contains `dir`, searching up to a ceiling.
    pub fn work_tree<'a>(&self, dir: &'a Path) -> Option<&'a Path> {
        self.above(dir).find(|dir| gitlink::look(dir) != Git::None)
    }

    /// Returns a path for display, relative to the working directory or the home directory.
    pub fn short(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.cwd).ok();
        if let Some(rest) = below.filter(|rest| !rest.as_os_str().is_empty()) {
            return rest.display().to_string();
        }
        match self.home.as_deref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => format!("~/{}", rest.display()),
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

    fn is_ceiling(&self, dir: &Path) -> bool {
        self.ceilings.iter().any(|ceiling| ceiling == dir)
    }

    fn is_home(&self, dir: &Path) -> bool {
        let home = self.home.as_deref();
        home == Some(dir) || home.and_then(identity).is_some_and(|home| identity(dir) == Some(home))
    }
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
#[cfg(unix)]
fn identity(dir: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(dir).ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
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
    std::fs::canonicalize(store).unwrap_or_else(|_| store.to_path_buf())
}

//! Parser of `.git` directories and link files. Does not run git.

use std::{
    ffi::{OsStr, OsString},
    io::{BufRead, Read},
    path::{Path, PathBuf},
};

/// What a directory is to git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Git {
    /// Not the root of a work tree.
    None,
    /// The root of an ordinary repository.
    Repository,
    /// The root of a submodule, which is a project of its own.
    Submodule,
    /// The root of a linked work tree, with the main work tree if there is one.
    Linked(Option<PathBuf>),
}

/// Maximum size in bytes of a `.git` or `commondir` file.
const MAX: u64 = 8 * 1024;

/// Classifies a directory by its `.git` entry.
pub fn look(dir: &Path) -> Git {
    let link = dir.join(".git");
    let Ok(meta) = std::fs::metadata(&link) else { return Git::None };
    if meta.is_dir() {
        return Git::Repository;
    }
    // The path in a `.git` file is used only to read `commondir` and to test whether a directory
    // exists.
    let Some(target) = git_dir(dir) else { return Git::None };
    let Some(common) = read_line(&target.join("commondir")) else {
        return Git::Submodule;
    };
    let common = target.join(common);
    let main = std::fs::canonicalize(common).ok().and_then(|common| {
        // A bare repository has no main work tree: its common directory is not named `.git`.
        let named = common.file_name().is_some_and(|name| name == ".git");
        named.then(|| common.parent().map(Path::to_path_buf)).flatten()
    });
    Git::Linked(main)
}

/// Returns the git directory of the work tree that starts at `dir`; it holds `HEAD` and its log.
pub fn git_dir(dir: &Path) -> Option<PathBuf> {
    let link = dir.join(".git");
    if std::fs::metadata(&link).ok()?.is_dir() {
        return Some(link);
    }
    let target = read_line(&link)?;
    target.strip_prefix("gitdir:").map(|path| dir.join(path.trim())).filter(|path| path.is_dir())
}

/// Returns the directory with the configuration and attributes that all work trees of a repository
/// share.
pub fn common_dir(dir: &Path) -> Option<PathBuf> {
    let git = git_dir(dir)?;
    Some(read_line(&git.join("commondir")).map_or_else(|| git.clone(), |common| git.join(common)))
}

/// Returns true if the repository of a work tree was cloned, by the first line of its log. Without
/// a log, a repository with remote or packed refs counts as cloned.
pub fn is_clone(dir: &Path) -> bool {
    let Some(git) = common_dir(dir) else { return false };
    if let Ok(log) = std::fs::File::open(git.join("logs/HEAD")) {
        let mut first = String::new();
        let read = std::io::BufReader::new(log.take(MAX)).read_line(&mut first);
        // The log line of a commit does not name another repository.
        return read.is_err() || first.contains("\tclone: ");
    }
    git.join("refs/remotes").is_dir() || git.join("packed-refs").is_file()
}

/// The work trees of a repository, seen from one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTrees {
    /// The directory that all of them share.
    pub common: PathBuf,
    /// Where the directory that was asked about is below the root of its work tree.
    pub below: PathBuf,
    /// Git's name of the work tree; `None` for the main one.
    pub linked: Option<OsString>,
}

impl WorkTrees {
    /// Finds the work tree of a directory.
    pub fn of(dir: &Path) -> Option<Self> {
        let (root, is_main) = dir
            .ancestors()
            .skip(1)
            .find_map(|root| Some((root, std::fs::metadata(root.join(".git")).ok()?.is_dir())))?;
        let below = dir.strip_prefix(root).ok()?.to_path_buf();
        if is_main {
            return Some(Self { common: root.join(".git"), below, linked: None });
        }
        let git = git_dir(root)?;
        let common = std::fs::canonicalize(git.join(read_line(&git.join("commondir"))?)).ok()?;
        // Git notes in the repository which work trees it has. A `.git` file alone could name any.
        let known = std::fs::canonicalize(read_line(&git.join("gitdir"))?).ok()?;
        let name = git.file_name()?.to_owned();
        (known == std::fs::canonicalize(root.join(".git")).ok()?).then_some(Self {
            common,
            below,
            linked: Some(name),
        })
    }

    /// Returns true if git knows a linked work tree of this name.
    pub fn has(&self, name: &OsStr) -> bool {
        self.common.join("worktrees").join(name).is_dir()
    }
}

fn read_line(path: &Path) -> Option<String> {
    let meta = std::fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

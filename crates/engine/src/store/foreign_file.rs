//! Edits to files of other programs, made under a lock and as whole-file replacements.
//!
//! A symbolic link is followed to its file, because some users keep their settings in one
//! repository. In a project, which may come from anywhere, a link must stay inside the project.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    LockError, StoreLock,
    atomic::{self, Sync},
    read::{self, ProblemKind, ReadProblem},
};

/// Maximum number of attempts at an edit when the file changes meanwhile.
const TRIES: usize = 5;
/// File that lists the directories which pimem created.
const MADE: &str = "made";

#[derive(Debug, thiserror::Error)]
pub enum ForeignFileError {
    #[error(transparent)]
    Unreadable(ReadProblem),
    /// A link that leads out of the project.
    #[error("{} is behind a link that leads out of the project", .0.display())]
    Outside(PathBuf),
    #[error("{} is a link to nothing", .0.display())]
    Dangling(PathBuf),
    #[error("{} is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// Another program changed the file at every attempt.
    #[error("{} changes all the time", .0.display())]
    Restless(PathBuf),
    #[error("cannot change {}: {:#}", .0.display(), .1)]
    Unwritable(PathBuf, anyhow::Error),
}

impl ForeignFileError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable(problem) => problem.hint(),
            Self::Outside(_) => "put a file in its place; what a project links to may be anything",
            Self::Dangling(_) => "make the file that it should lead to",
            Self::ReadOnly(_) => {
                "chmod u+w lets pimem change it; where another program makes it, pimem hooks print \
                 shows what to put there"
            }
            Self::Restless(_) => "try again when the agent is not running",
            Self::Unwritable(..) => {
                "look at the permissions; pimem hooks print shows what to put there by hand"
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum ForeignChange {
    Keep,
    Replace(Vec<u8>),
    Delete,
}

/// A file of another program, with links resolved.
#[derive(Debug)]
pub struct Foreign {
    path: PathBuf,
    real: PathBuf,
}

impl Foreign {
    /// Resolves the path of a file, which need not exist. If `project` is given, the file must be
    /// inside it.
    pub fn find(path: &Path, project: Option<&Path>) -> Result<Self, ForeignFileError> {
        let is_link = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        let real = if is_link {
            read::canonical(path).map_err(|_| ForeignFileError::Dangling(path.to_path_buf()))?
        } else {
            path.to_path_buf()
        };
        if let Some(project) = project {
            let existing = real.ancestors().find_map(|dir| read::canonical(dir).ok());
            let root = read::canonical(project).ok();
            let inside = existing.zip(root).is_some_and(|(file, root)| file.starts_with(root));
            if !inside {
                return Err(ForeignFileError::Outside(path.to_path_buf()));
            }
        }
        Ok(Self { path: path.to_path_buf(), real })
    }

    /// Reads the file; `None` if it does not exist.
    pub fn read(&self) -> Result<Option<Vec<u8>>, ForeignFileError> {
        let dir = self.real.parent().unwrap_or(Path::new("/"));
        read::file(dir, &self.real, read::MAX_FILE).map_err(|problem| match problem.kind {
            ProblemKind::Io(ref error) if error.contains("Not a directory") => {
                let kind = ProblemKind::Io(format!("{} is no directory", dir.display()));
                ForeignFileError::Unreadable(ReadProblem { kind, ..problem })
            }
            _ => ForeignFileError::Unreadable(problem),
        })
    }

    fn unwritable(&self, error: impl Into<anyhow::Error>) -> ForeignFileError {
        ForeignFileError::Unwritable(self.path.clone(), error.into())
    }
}

/// Lock on edits of other programs' files; held by one process at a time.
#[derive(Debug)]
pub struct Editor {
    dir: PathBuf,
    _lock: StoreLock,
}

impl Editor {
    /// Waits for the lock, which is in the user's state directory.
    pub fn new(state: &Path, patience: Duration) -> Result<Self, LockError> {
        let dir = state.join("pimem/hooks");
        atomic::create_dir(&dir, Sync::PrivateFull).map_err(|error| {
            LockError::Io(dir.join("lock"), io::Error::other(format!("{error:#}")))
        })?;
        let lock = StoreLock::acquire(&dir, patience)?;
        atomic::sweep(&dir);
        Ok(Self { dir, _lock: lock })
    }

    /// Applies `edit` to a file, and returns the change that was made.
    pub fn change<E: From<ForeignFileError>>(
        &self,
        file: &Foreign,
        edit: impl Fn(Option<&[u8]>) -> Result<ForeignChange, E>,
    ) -> Result<ForeignChange, E> {
        for _ in 0..TRIES {
            let before = file.read()?;
            let change = edit(before.as_deref())?;
            let done = match &change {
                ForeignChange::Keep => true,
                ForeignChange::Replace(bytes) => self.replace(file, before.as_deref(), bytes)?,
                ForeignChange::Delete => self.delete(file, before.as_deref())?,
            };
            if done {
                return Ok(change);
            }
        }
        Err(ForeignFileError::Restless(file.path.clone()).into())
    }

    fn replace(
        &self,
        file: &Foreign,
        before: Option<&[u8]>,
        after: &[u8],
    ) -> Result<bool, ForeignFileError> {
        writable(file)?;
        let dir = file.real.parent().unwrap_or(Path::new("/"));
        let missing: Vec<&Path> = dir.ancestors().take_while(|dir| !dir.exists()).collect();
        if !missing.is_empty() {
            let names: String = missing.iter().filter_map(|dir| line(dir)).collect();
            let made = atomic::append_lines(&self.dir.join(MADE), &names, Sync::Private);
            made.and_then(|()| atomic::create_dir(dir, Sync::Full))
                .map_err(|error| file.unwritable(error))?;
        }
        // Deletes what a killed pimem left. No other pimem runs here, because this one has the
        // lock.
        atomic::sweep(dir);
        let same = || Ok(file.read().is_ok_and(|now| now.as_deref() == before));
        atomic::replace_file(&file.real, after, Sync::Full, same)
            .map_err(|error| file.unwritable(error))
    }

    fn delete(&self, file: &Foreign, before: Option<&[u8]>) -> Result<bool, ForeignFileError> {
        writable(file)?;
        if file.read()?.as_deref() != before {
            return Ok(false);
        }
        for path in [&file.real, &file.path] {
            match atomic::remove_file(path, Sync::Full) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(file.unwritable(error));
                }
                _ => {}
            }
        }
        self.delete_dirs(&file.real);
        Ok(true)
    }

    /// Deletes the directories that pimem created for a file, if they are empty.
    fn delete_dirs(&self, path: &Path) {
        let list = self.dir.join(MADE);
        let Ok(Some(bytes)) = read::file(&self.dir, &list, read::MAX_FILE) else { return };
        let text = String::from_utf8_lossy(&bytes);
        let mut made: Vec<&str> = text.lines().collect();
        for dir in path.ancestors().skip(1) {
            let Some(at) = made.iter().position(|made| Path::new(made) == dir) else { break };
            if !atomic::remove_empty_dir(dir) {
                break;
            }
            made.remove(at);
        }
        let rest: String = made.iter().flat_map(|dir| [dir, "\n"]).collect();
        // A list that keeps too many directories is harmless: only empty directories are deleted.
        drop(atomic::replace_file(&list, rest.as_bytes(), Sync::Private, || Ok(true)));
    }
}

/// Returns a directory as a line of the list; `None` if it is not UTF-8 or contains a line break.
fn line(dir: &Path) -> Option<String> {
    dir.to_str().filter(|dir| !dir.contains('\n')).map(|dir| format!("{dir}\n"))
}

fn writable(file: &Foreign) -> Result<(), ForeignFileError> {
    // A rename would succeed, but the missing write permission is intended.
    let is_read_only =
        std::fs::metadata(&file.real).is_ok_and(|meta| meta.permissions().readonly());
    if is_read_only { Err(ForeignFileError::ReadOnly(file.path.clone())) } else { Ok(()) }
}

//! Reading files that may be anything: directories, links to elsewhere, or far too large.

use std::{
    fmt,
    fs::{self, Metadata},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// The largest topic, note or log that is read.
pub(crate) const MAX_FILE: u64 = 16 << 20;
/// The largest evidence log that is read.
pub(crate) const MAX_LOG: u64 = 1 << 30;

/// A file that could not be read, with what to do about it. The rest of the store is still used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The file.
    pub(crate) path: PathBuf,
    /// What is wrong with it.
    pub(crate) kind: ProblemKind,
}

/// Kinds of [`Problem`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// A directory, a socket or the like.
    NotAFile,
    /// A link to somewhere outside the store.
    LeadsOutside,
    /// Larger than the limit.
    TooLarge(u64, u64),
    /// Anything else.
    Io(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        match &self.kind {
            ProblemKind::NotAFile => write!(f, "{path} is not a file"),
            ProblemKind::LeadsOutside => write!(f, "{path} is a link that leads out of the store"),
            ProblemKind::TooLarge(size, limit) => {
                write!(
                    f,
                    "{path} is too large: {:.1} MiB, limit {:.0} MiB",
                    mib(*size),
                    mib(*limit)
                )
            }
            ProblemKind::Io(error) => write!(f, "cannot read {path}: {error}"),
        }
    }
}

impl Problem {
    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self.kind {
            ProblemKind::NotAFile => "move it away; pimem makes the file when it needs it",
            ProblemKind::LeadsOutside => {
                "put the file itself into the store, or link to a file inside it"
            }
            ProblemKind::TooLarge(..) => "split it into smaller files; its entries are not used",
            ProblemKind::Io(_) => "pimem doctor looks at permissions and disk",
        }
    }
}

/// A [`Problem`] as an error.
#[derive(Debug)]
pub(crate) struct Unreadable(pub(crate) Problem);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Unreadable {}

/// Reads a file of the store `root`. `Ok(None)` when there is none.
pub(crate) fn file(root: &Path, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Problem> {
    let fail = |kind| Problem { path: path.to_path_buf(), kind };
    let meta = match checked(root, path) {
        Ok(Some(meta)) => meta,
        Ok(None) => return Ok(None),
        Err(kind) => return Err(fail(kind)),
    };
    if meta.len() > limit {
        return Err(fail(ProblemKind::TooLarge(meta.len(), limit)));
    }
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
        // One call for the whole file; `take` would read it in small pieces.
        fs::File::open(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        // It may have grown since its size was asked for.
        Ok(bytes) if bytes.len() as u64 > limit => {
            Err(fail(ProblemKind::TooLarge(bytes.len() as u64, limit)))
        }
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fail(ProblemKind::Io(error.to_string()))),
    }
}

/// The last bytes of a file. `Ok(None)` when there is none.
pub(crate) fn tail(root: &Path, path: &Path, bytes: u64) -> Result<Option<Vec<u8>>, Problem> {
    let fail = |kind| Problem { path: path.to_path_buf(), kind };
    let Some(meta) = checked(root, path).map_err(fail)? else { return Ok(None) };
    let start = meta.len().saturating_sub(bytes);
    let read = || -> io::Result<Vec<u8>> {
        let mut file = fs::File::open(path)?;
        file.seek(SeekFrom::Start(start))?;
        let mut end = Vec::new();
        file.take(bytes).read_to_end(&mut end)?;
        Ok(end)
    };
    let end = read().map_err(|error| fail(ProblemKind::Io(error.to_string())))?;
    Ok(Some(end))
}

/// What `path` is, if it may be read as a file of the store.
pub(crate) fn checked(root: &Path, path: &Path) -> Result<Option<Metadata>, ProblemKind> {
    let found = |result: io::Result<Metadata>| match result {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ProblemKind::Io(error.to_string())),
    };
    let Some(mut meta) = found(fs::symlink_metadata(path))? else { return Ok(None) };
    if meta.is_symlink() {
        if !inside(root, path) {
            return Err(ProblemKind::LeadsOutside);
        }
        match found(fs::metadata(path))? {
            Some(target) => meta = target,
            None => return Ok(None),
        }
    }
    if meta.is_file() { Ok(Some(meta)) } else { Err(ProblemKind::NotAFile) }
}

/// Whether a file or directory of the store may be used at all: a link must not lead out of it.
pub(crate) fn guard(root: &Path, path: &Path) -> Result<(), Problem> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() && !inside(root, path) => {
            Err(Problem { path: path.to_path_buf(), kind: ProblemKind::LeadsOutside })
        }
        _ => Ok(()),
    }
}

/// Whether a link's target is inside the store.
fn inside(root: &Path, path: &Path) -> bool {
    match (fs::canonicalize(root), fs::canonicalize(path)) {
        (Ok(root), Ok(target)) => target.starts_with(root),
        // A link to nothing is as good as no file.
        (Ok(_), Err(error)) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Names in a directory of the store that end in `.md`, sorted; none when there is none.
pub(crate) fn markdown_names(root: &Path, dir: &Path) -> Result<Vec<String>, Problem> {
    guard(root, dir)?;
    let found = match fs::read_dir(dir) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let kind = match error.kind() {
                io::ErrorKind::NotADirectory => ProblemKind::Io("not a directory".to_owned()),
                _ => ProblemKind::Io(error.to_string()),
            };
            return Err(Problem { path: dir.to_path_buf(), kind });
        }
    };
    let mut names: Vec<String> = found
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.strip_suffix(".md").is_some_and(|stem| !stem.starts_with('.')))
        .collect();
    names.sort_unstable();
    Ok(names)
}

//! Reading of files with untrusted type, target and size.

use std::{
    fmt,
    fs::{self, DirEntry, File, Metadata},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    ops::ControlFlow,
    path::{Component, Path, PathBuf},
};

use super::atomic;

/// Maximum size in bytes of a topic, note or daily log.
pub const MAX_FILE: u64 = 16 << 20;
/// Maximum size in bytes of an evidence log.
pub const MAX_LOG: u64 = 1 << 30;
/// Size in bytes of the pieces of a file that is not kept; small in tests, so that they have many.
const PIECE: usize = if cfg!(test) { 3 } else { 64 << 10 };
/// Length from which a path of Windows needs the mark.
const USUAL: usize = 260;
/// Maximum length of a chain of links; the usual limit of operating systems.
const LINKS: usize = 40;

/// A file that could not be read. The rest of the store is still used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadProblem {
    pub path: PathBuf,
    pub kind: ProblemKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// A directory, a socket or the like.
    NotAFile,
    /// A link that leads out of the store.
    LeadsOutside,
    /// Size and limit in bytes.
    TooLarge(u64, u64),
    /// A directory in the path cannot be entered, or is not a directory.
    Closed(String),
    /// The file is sealed, and cannot be opened: why, and what to do.
    Sealed {
        why: String,
        hint: &'static str,
    },
    /// A directory or file that is no mirror, and why.
    NoMirror(String),
    Io(String),
}

impl fmt::Display for ReadProblem {
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
            ProblemKind::Sealed { why, .. } => f.write_str(why),
            ProblemKind::NoMirror(why) => write!(f, "{path} is left out: {why}"),
            ProblemKind::Closed(error) | ProblemKind::Io(error) => {
                write!(f, "cannot read {path}: {error}")
            }
        }
    }
}

impl std::error::Error for ReadProblem {}

impl ReadProblem {
    pub fn hint(&self) -> &'static str {
        match self.kind {
            ProblemKind::NotAFile => "move it away; pimem makes the file when it needs it",
            ProblemKind::LeadsOutside => {
                "put the file itself into the store, or link to a file inside it"
            }
            ProblemKind::TooLarge(..) => "split it into smaller files; its entries are not used",
            ProblemKind::Sealed { hint, .. } => hint,
            ProblemKind::NoMirror(_) => "delete the mirror; the next sync makes it anew",
            ProblemKind::Closed(_) | ProblemKind::Io(_) => {
                "pimem check looks at permissions and disk"
            }
        }
    }
}

/// Reads a file of the store `root`. `Ok(None)` if it does not exist.
pub fn file(root: &Path, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, ReadProblem> {
    guard_above(root, path)?;
    listed(root, path, limit)
}

/// Like [`file()`], for a path from [`markdown_names`], whose directories are already checked.
pub fn listed(root: &Path, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, ReadProblem> {
    opened(root, path, limit, |file, len| {
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0) + 1);
        // A file itself would ask for its length once more.
        file.take(limit + 1).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64, bytes))
    })
}

/// Like [`file()`], but hands over the file in pieces and keeps none of it. `Ok(None)` if it does not
/// exist.
pub fn in_pieces(
    root: &Path,
    path: &Path,
    limit: u64,
    each: &mut dyn FnMut(&[u8]),
) -> Result<Option<()>, ReadProblem> {
    guard_above(root, path)?;
    opened(root, path, limit, |mut file, len| {
        let size = usize::try_from(len).unwrap_or(PIECE).clamp(1, PIECE);
        let (mut piece, mut len) = (vec![0; size], 0);
        while len <= limit {
            match file.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => {
                    len += read as u64;
                    each(piece.get(..read).unwrap_or_default());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok((len, ()))
    })
}

/// Reads a file of the store by `read`, which returns how many bytes there were.
fn opened<T>(
    root: &Path,
    path: &Path,
    limit: u64,
    read: impl FnOnce(File, u64) -> io::Result<(u64, T)>,
) -> Result<Option<T>, ReadProblem> {
    let fail = |kind| ReadProblem { path: path.to_path_buf(), kind };
    let (place, meta) = match found(root, path) {
        Ok((place, Some(meta))) => (place, regular(meta).map_err(fail)?),
        Ok((_, None)) => return Ok(None),
        Err(kind) => return Err(fail(kind)),
    };
    if meta.len() > limit {
        return Err(fail(ProblemKind::TooLarge(meta.len(), limit)));
    }
    match atomic::open_to_read(&place).and_then(|file| read(file, meta.len())) {
        // The file may have grown since its size was read.
        Ok((len, _)) if len > limit => Err(fail(ProblemKind::TooLarge(len, limit))),
        Ok((_, read)) => Ok(Some(read)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fail(ProblemKind::Io(error.to_string()))),
    }
}

/// Returns the file in the same directory whose name ends with `end`.
pub fn sibling(path: &Path, end: &str) -> Option<PathBuf> {
    let names = fs::read_dir(path.parent()?)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.ends_with(end)).max().map(|name| path.with_file_name(name))
}

/// Reads the last `bytes` bytes of a file. `Ok(None)` if it does not exist.
pub fn tail(root: &Path, path: &Path, bytes: u64) -> Result<Option<Vec<u8>>, ReadProblem> {
    Ok(part(root, path, bytes, |len| len.saturating_sub(bytes))?.map(|part| part.bytes))
}

pub struct FilePart {
    pub start: u64,
    pub bytes: Vec<u8>,
}

/// Reads at most `bytes` bytes of a file, from an offset that depends on its length.
/// `Ok(None)` if it does not exist.
pub fn part(
    root: &Path,
    path: &Path,
    bytes: u64,
    start: impl Fn(u64) -> u64,
) -> Result<Option<FilePart>, ReadProblem> {
    let fail = |kind| ReadProblem { path: path.to_path_buf(), kind };
    guard_above(root, path)?;
    let (place, meta) = found(root, path).map_err(fail)?;
    let Some(meta) = meta.map(regular).transpose().map_err(fail)? else { return Ok(None) };
    let start = start(meta.len());
    let read = || -> io::Result<Vec<u8>> {
        let mut file = atomic::open_to_read(&place)?;
        file.seek(SeekFrom::Start(start))?;
        let mut end = Vec::new();
        file.take(bytes).read_to_end(&mut end)?;
        Ok(end)
    };
    let end = read().map_err(|error| fail(ProblemKind::Io(error.to_string())))?;
    Ok(Some(FilePart { start, bytes: end }))
}

/// Returns the metadata of `path`, if it may be read as a file of the store.
pub fn checked(root: &Path, path: &Path) -> Result<Option<Metadata>, ProblemKind> {
    found(root, path)?.1.map(regular).transpose()
}

/// Returns where to write a file of the store, with links resolved, and the metadata of an existing
/// file.
pub fn place(root: &Path, path: &Path) -> Result<(PathBuf, Option<Metadata>), ReadProblem> {
    let found = found(root, path);
    let found = found.and_then(|(place, meta)| Ok((place, meta.map(regular).transpose()?)));
    found.map_err(|kind| ReadProblem { path: path.to_path_buf(), kind })
}

fn regular(meta: Metadata) -> Result<Metadata, ProblemKind> {
    if meta.is_file() { Ok(meta) } else { Err(ProblemKind::NotAFile) }
}

/// Resolves `path` without leaving the store.
fn found(root: &Path, path: &Path) -> Result<(PathBuf, Option<Metadata>), ProblemKind> {
    let there = |result: io::Result<Metadata>| match result {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if is_closed(&error) => Err(ProblemKind::Closed(error.to_string())),
        Err(error) => Err(ProblemKind::Io(error.to_string())),
    };
    let meta = there(fs::symlink_metadata(path))?;
    if !meta.as_ref().is_some_and(Metadata::is_symlink) {
        return Ok((path.to_path_buf(), meta));
    }
    let target = inside(root, path).ok_or(ProblemKind::LeadsOutside)?;
    let meta = there(fs::symlink_metadata(&target))?;
    Ok((target, meta))
}

fn is_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, PermissionDenied};
    [InvalidFilename, NotADirectory, PermissionDenied].contains(&error.kind())
        || atomic::is_link(error)
}

/// Fails if a file or directory is a link that leads out of the store.
pub fn guard(root: &Path, path: &Path) -> Result<(), ReadProblem> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() && inside(root, path).is_none() => {
            Err(ReadProblem { path: path.to_path_buf(), kind: ProblemKind::LeadsOutside })
        }
        _ => Ok(()),
    }
}

/// Applies [`guard`] to a file and to the directories between it and the store.
pub fn guard_way(root: &Path, path: &Path) -> Result<(), ReadProblem> {
    guard_above(root, path)?;
    guard(root, path)
}

/// Applies [`guard`] to the directories between the store and a file.
fn guard_above(root: &Path, path: &Path) -> Result<(), ReadProblem> {
    let Some(dir) = path.parent().filter(|dir| *dir != root) else { return Ok(()) };
    // A path that the user named may be anywhere.
    if root.parent().is_none() || !dir.starts_with(root) {
        return Ok(());
    }
    guard_above(root, dir)?;
    guard(root, dir)
}

/// Returns a path without links, on Windows as other programs take it.
///
/// # Errors
/// Fails if there is nothing, or it cannot be reached.
pub fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    fs::canonicalize(path).map(unmarked)
}

/// Returns a path without the mark by which Windows takes any, where it is one that needs none.
fn unmarked(path: PathBuf) -> PathBuf {
    let plain = path.to_str().and_then(|path| path.strip_prefix(r"\\?\"));
    let is_usual = |plain: &&str| plain.get(1..3) == Some(r":\") && plain.len() < USUAL;
    plain.filter(is_usual).map(PathBuf::from).unwrap_or(path)
}

/// Returns the target of a link, if it is inside the store; see [`target`].
fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    let root = canonical(root).ok()?;
    target(path).filter(|target| target.starts_with(root))
}

/// Returns a path without links. For a dangling link, this is the path where the file would be
/// created. `None` if it cannot be told.
pub(super) fn target(path: &Path) -> Option<PathBuf> {
    match canonical(path) {
        Ok(target) => Some(target),
        Err(error) if error.kind() == io::ErrorKind::NotFound => landing(path),
        Err(_) => None,
    }
}

/// Returns the target of a dangling link, resolved as far as its directories exist; the missing
/// part must consist of plain names.
fn landing(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(link) = fs::read_link(&path) else { return Some(path) };
        let target = path.parent()?.join(link);
        let (dir, rest) = target.ancestors().skip(1).find_map(|dir| {
            Some((canonical(dir).ok()?, target.strip_prefix(dir).ok()?.to_path_buf()))
        })?;
        if rest.components().any(|part| !matches!(part, Component::Normal(_))) {
            return None;
        }
        path = dir.join(rest);
    }
    None
}

/// Returns the names in a directory of the store that end in `.md`, sorted; none if the directory
/// does not exist.
pub fn markdown_names(root: &Path, dir: &Path) -> Result<Vec<String>, ReadProblem> {
    let found = markdown(root, dir, |_| ())?;
    Ok(found.into_iter().map(|(name, ())| name).collect())
}

/// A file of the store, as it was listed.
#[derive(Debug)]
pub struct ListedFile {
    /// Path relative to the store.
    pub name: String,
    /// Metadata of a regular file; `None` if they must be asked for by its path.
    pub meta: Option<Metadata>,
}

/// Returns the files in a folder of the store whose names end in `.md`, sorted.
pub fn markdown_files(root: &Path, folder: &str) -> Result<Vec<ListedFile>, ReadProblem> {
    // In its directory a file is found in half the time. Windows may list what it was before.
    let told = |entry: &DirEntry| {
        if cfg!(unix) { entry.metadata().ok().filter(Metadata::is_file) } else { None }
    };
    let files = markdown(root, &root.join(folder), told)?.into_iter();
    Ok(files.map(|(name, meta)| ListedFile { name: format!("{folder}/{name}"), meta }).collect())
}

fn markdown<T>(
    root: &Path,
    dir: &Path,
    told: impl Fn(&DirEntry) -> T,
) -> Result<Vec<(String, T)>, ReadProblem> {
    guard(root, dir)?;
    let found = match fs::read_dir(dir) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let kind = match error.kind() {
                io::ErrorKind::NotADirectory => ProblemKind::Io("not a directory".to_owned()),
                _ => ProblemKind::Io(error.to_string()),
            };
            return Err(ReadProblem { path: dir.to_path_buf(), kind });
        }
    };
    let mut names = Vec::new();
    for entry in found {
        // A listing that breaks off would make the remaining files seem deleted.
        let entry = entry.map_err(|error| ReadProblem {
            path: dir.to_path_buf(),
            kind: ProblemKind::Io(error.to_string()),
        })?;
        let name = entry.file_name().into_string().ok();
        let is_meant =
            |name: &String| name.strip_suffix(".md").is_some_and(|stem| !stem.starts_with('.'));
        names.extend(name.filter(is_meant).map(|name| (name, told(&entry))));
    }
    names.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Ok(names)
}

/// Default maximum number of bytes to read from a file; the beginning usually suffices.
pub const MOST_READ: u64 = 64 << 20;
/// Maximum length of a line in bytes. Longer lines, which hold images or tool output, are skipped.
const LONGEST_LINE: usize = 4 << 20;

/// Opens a file that a user or agent named; links are followed. `Ok(None)` if it does not exist.
pub fn open_named(path: &Path) -> Result<Option<File>, ReadProblem> {
    let fail = |kind| ReadProblem { path: PathBuf::from(path), kind };
    let found = checked(Path::new("/"), path).map_err(fail)?;
    let open = |_| File::open(path).map_err(|error| fail(ProblemKind::Io(error.to_string())));
    found.map(open).transpose()
}

/// Calls `each` with every line, without terminator, until it breaks or `most` bytes are read.
pub fn each_line(
    input: impl Read,
    most: u64,
    mut each: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 18, input.take(most));
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = input.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(());
        }
        if length == LONGEST_LINE && !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            continue;
        }
        if each(line.strip_suffix(b"\n").unwrap_or(&line)).is_break() {
            return Ok(());
        }
    }
}

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files in any way")]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Creates a store beside another directory, both with a file and a directory in them.
    fn stores(name: &str) -> (PathBuf, PathBuf) {
        let tests = std::env::current_exe().unwrap().with_file_name("read");
        let dir = tests.join(format!("{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&dir));
        let (store, outside) = (dir.join("store"), dir.join("outside"));
        for dir in [&store, &outside] {
            fs::create_dir_all(dir.join("folder")).unwrap();
            fs::write(dir.join("folder/file.md"), "text").unwrap();
        }
        (store, outside)
    }

    fn read(store: &Path, name: &str) -> Result<Option<usize>, ProblemKind> {
        let path = store.join(name);
        let (whole, end) = (file(store, &path, MAX_FILE), tail(store, &path, MAX_FILE));
        let mut joined = Vec::new();
        let each = &mut |piece: &[u8]| joined.extend_from_slice(piece);
        let pieces = in_pieces(store, &path, MAX_FILE, each);
        assert_eq!(whole, end, "{name}");
        assert_eq!(whole, pieces.map(|found| found.map(|()| joined)), "{name}");
        whole.map(|bytes| bytes.map(|bytes| bytes.len())).map_err(|problem| problem.kind)
    }

    #[test]
    fn paths_of_windows() {
        let long = format!(r"\\?\C:\{}", "x".repeat(USUAL));
        for (path, want) in [
            (r"\\?\C:\Users\anna", r"C:\Users\anna"),
            (r"\\?\UNC\server\share", r"\\?\UNC\server\share"),
            ("/home/anna", "/home/anna"),
            (long.as_str(), long.as_str()),
        ] {
            assert_eq!(unmarked(PathBuf::from(path)), PathBuf::from(want));
        }
    }

    #[test]
    fn where_links_lead() {
        let (store, outside) = stores("links");
        let outside = outside.to_str().unwrap();
        let leads_out = Err(ProblemKind::LeadsOutside);
        for (link, target, expected) in [
            ("in", "folder/file.md", Ok(Some(4))),
            ("in-by-way-of-out", "../outside/../store/folder/file.md", Ok(Some(4))),
            ("up", "..", leads_out.clone()),
            ("out", "../outside/folder/file.md", leads_out.clone()),
            ("absolute", outside, leads_out.clone()),
            ("nothing", "none.md", Ok(None)),
            ("nothing-below", "folder/none/none.md", Ok(None)),
            ("nothing-out", "../outside/none.md", leads_out.clone()),
            ("nothing-out-below", "../outside/none/none.md", leads_out.clone()),
            ("nothing-up", "none/../../outside/none.md", leads_out.clone()),
            ("chain-in", "nothing", Ok(None)),
            ("chain-out", "nothing-out", leads_out.clone()),
            ("itself", "itself", leads_out.clone()),
        ] {
            symlink(target, store.join(link)).unwrap();
            assert_eq!(read(&store, link), expected, "{link}");
        }
        assert_eq!(place(&store, &store.join("chain-in")).unwrap().0, {
            canonical(&store).unwrap().join("none.md")
        });
        assert_eq!(read(&store, "folder"), Err(ProblemKind::NotAFile));
        fs::remove_dir_all(store.parent().unwrap()).unwrap();
    }

    #[test]
    fn links_on_the_way() {
        let (store, outside) = stores("way");
        symlink(outside.join("folder"), store.join("away")).unwrap();
        symlink("folder", store.join("beside")).unwrap();
        assert_eq!(read(&store, "beside/file.md"), Ok(Some(4)));
        assert_eq!(read(&store, "away/file.md"), Err(ProblemKind::LeadsOutside));
        assert_eq!(read(&store, "away/none.md"), Err(ProblemKind::LeadsOutside));
        assert_eq!(markdown_names(&store, &store.join("beside")).unwrap(), ["file.md"]);
        assert!(markdown_names(&store, &store.join("away")).is_err());
        // A link to the store, named by the user, stands for its target.
        symlink(&store, outside.join("store")).unwrap();
        assert_eq!(read(&outside.join("store"), "folder/file.md"), Ok(Some(4)));
        fs::remove_dir_all(store.parent().unwrap()).unwrap();
    }
}

#[cfg(test)]
mod line_reader_tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<usize> {
        let mut lengths = Vec::new();
        each_line(bytes, MOST_READ, |line| {
            lengths.push(line.len());
            if line == b"end" { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
        lengths
    }

    #[test]
    fn lines_of_any_length() {
        assert_eq!(all(b""), [] as [usize; 0]);
        assert_eq!(all(b"\n\nab\nc"), [0, 0, 2, 1]);
        assert_eq!(all(b"a\nend\nb"), [1, 3]);
        let long =
            [&vec![b'x'; LONGEST_LINE][..], b"yz\nab\n", &vec![b'x'; LONGEST_LINE - 1], b"\nc\n"]
                .concat();
        assert_eq!(all(&long), [2, LONGEST_LINE - 1, 1]);
        let endless = vec![b'x'; 3 * LONGEST_LINE];
        assert_eq!(all(&endless), [] as [usize; 0]);
    }

    #[test]
    fn endless_input_ends() {
        let one = |_: &[u8]| panic!("there is no line");
        each_line(io::repeat(b'x'), MOST_READ, one).unwrap();
    }
}

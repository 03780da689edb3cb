//! Sealing: the bytes of a store's files, on their way from and to the disk.
//!
//! Everything that holds what was remembered is read by [`Seal::read`] and its kin, and written by
//! [`Seal::replace`] and [`Seal::append`]. In a plain store these are [`read`] and [`atomic`]; in
//! a sealed one they open and seal. Callers see plain text in both.

mod key_file;
mod manifest;
mod shelf;
pub mod steps;

use std::{
    borrow::Cow,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context as _, Result};

use super::{
    atomic::{self, Sync},
    read::{self, Problem, ProblemKind},
};
use pimem_core::seal::{Form, KeyId, Keyring, NONCE_BYTES, Opened, TAG};

use self::manifest::Manifest;
pub use self::{key_file::KeyPlace, manifest::STORE_FILE};

/// What to do without the key.
const LOST: &str = "copy the key file from the machine that sealed the store, or from its backup; \
                    without it nothing in the store can be read, and a new store has to be made";

/// How the files of a store are kept on the disk.
#[derive(Debug, Clone, Default)]
pub enum Seal {
    /// As plain text.
    #[default]
    Plain,
    /// Encrypted.
    Sealed(Arc<Sealed>),
    /// Encrypted, and this machine cannot open them.
    Locked(Arc<Problem>),
}

/// A sealed store whose key is here.
#[derive(Debug)]
pub struct Sealed {
    pub(super) ring: Keyring,
    /// True while the store is being made plain again: writers no longer seal.
    pub(super) opening: bool,
    /// True if lines were read that are not sealed under the current key.
    pub(super) due: AtomicBool,
    /// Files with lines that could not be opened: path and number.
    closed: Mutex<Vec<(String, usize)>>,
    /// Files that were opened, as a command reads some of them several times.
    known: Mutex<HashMap<PathBuf, Known>>,
    /// The directory of the store's index, where texts of topics are kept.
    shelf: Option<PathBuf>,
    /// Set when the kept texts were read.
    loaded: OnceLock<()>,
}

/// The bytes of a file as they were read, and what they stand for.
#[derive(Debug)]
struct Known {
    sealed: Vec<u8>,
    text: Vec<u8>,
    /// True if every line is sealed under the current key.
    is_whole: bool,
}

/// Bytes of a file up to which it is kept in memory.
const KEPT: usize = 4 << 20;

impl Sealed {
    fn new(ring: Keyring, opening: bool, shelf: Option<PathBuf>) -> Self {
        Self {
            ring,
            opening,
            due: AtomicBool::new(false),
            closed: Mutex::default(),
            known: Mutex::default(),
            shelf,
            loaded: OnceLock::new(),
        }
    }

    /// Returns true while the store is being made plain again.
    pub fn is_opening(&self) -> bool {
        self.opening
    }

    fn open(&self, path: &Path, bytes: Vec<u8>) -> Vec<u8> {
        if Self::is_kept(path) {
            self.loaded.get_or_init(|| self.load());
        }
        if let Ok(known) = self.known.lock()
            && let Some(known) = known.get(path).filter(|known| known.sealed == bytes)
        {
            return known.text.clone();
        }
        let opened = self.ring.open(&bytes);
        self.tell(path, &opened);
        if bytes.len() <= KEPT
            && let Ok(mut known) = self.known.lock()
        {
            let (text, is_whole) = (opened.bytes.clone(), !opened.is_due() && opened.closed() == 0);
            known.insert(path.to_path_buf(), Known { sealed: bytes, text, is_whole });
        }
        opened.bytes
    }

    /// Notes what a file was found to have.
    pub(super) fn tell(&self, path: &Path, opened: &Opened) {
        if opened.is_due() && !self.opening {
            self.due.store(true, Ordering::Relaxed);
        }
        if opened.closed() > 0
            && let Ok(mut closed) = self.closed.lock()
        {
            let name = path.display().to_string();
            closed.retain(|(known, _)| *known != name);
            closed.push((name, opened.closed()));
        }
    }

    /// Seals a text that replaces the bytes `before` of a file.
    pub(super) fn seal(&self, path: &Path, text: &[u8], before: &[u8]) -> Result<Vec<u8>> {
        self.ring.seal(text, before, form(path), &mut nonce)
    }
}

fn nonce() -> Result<[u8; NONCE_BYTES]> {
    let mut nonce = [0; NONCE_BYTES];
    atomic::fill(&mut nonce)?;
    Ok(nonce)
}

/// Returns how a file is sealed, by its name.
fn form(path: &Path) -> Form {
    match path.extension().and_then(|end| end.to_str()) {
        Some("md") => Form::Lines,
        Some("json") => Form::Whole,
        _ => Form::Log,
    }
}

/// The log, whose first line tells whether a store was sealed.
const LOG: &str = "evidence.jsonl";

fn unsaid(dir: &Path) -> Problem {
    let why = format!("lines in {} are sealed, and {STORE_FILE} does not say so", dir.display());
    let hint = "take store.json from git, or from the machine that sealed the store";
    Problem { path: dir.join(STORE_FILE), kind: ProblemKind::Sealed { why, hint } }
}

/// Returns true if a file of the store `root` begins with a token.
pub(super) fn begins_sealed(root: &Path, path: &Path) -> bool {
    let tag = TAG.as_bytes();
    let start = read::part(root, path, tag.len() as u64, |_| 0);
    start.is_ok_and(|start| start.is_some_and(|start| start.bytes == tag))
}

impl Seal {
    /// Returns true unless the files are kept as plain text.
    pub fn is_sealed(&self) -> bool {
        !matches!(self, Self::Plain)
    }

    /// Returns the key that seals, if the store is sealed and the key is here.
    pub fn key(&self) -> Option<KeyId> {
        if let Self::Sealed(sealed) = self { Some(sealed.ring.current()) } else { None }
    }

    /// Fails if the store is sealed and cannot be opened.
    pub fn check(&self) -> Result<(), Problem> {
        match self {
            Self::Locked(problem) => Err(Problem::clone(problem)),
            Self::Plain | Self::Sealed(_) => Ok(()),
        }
    }

    /// Returns the problem that sealed lines were found in a store that is said to be plain.
    pub(super) fn missing(&self, dir: &Path) -> Option<Problem> {
        (!self.is_sealed()).then(|| unsaid(dir))
    }

    /// Reads how the store in a directory is kept. `place` names the key files of a store by its id,
    /// `categories` are the names that stay readable, and `shelf` is the directory of its index. A store that is sealed and cannot be
    /// opened is [`Seal::Locked`].
    pub fn of(
        dir: &Path,
        place: impl FnOnce(&str) -> Option<KeyPlace>,
        categories: impl FnOnce() -> Vec<String>,
        shelf: impl FnOnce() -> Option<PathBuf>,
    ) -> Self {
        let locked = |path: &Path, why: String, hint| {
            let why = format!("the store in {} is sealed, and {why}", dir.display());
            let kind = ProblemKind::Sealed { why, hint };
            Self::Locked(Arc::new(Problem { path: path.to_path_buf(), kind }))
        };
        let manifest = match Manifest::read(dir) {
            Ok(Some(manifest)) if manifest.sealed => manifest,
            // Somebody may have changed it so that what is written would be plain.
            Ok(Some(_)) if begins_sealed(dir, &dir.join(LOG)) => {
                return Self::Locked(Arc::new(unsaid(dir)));
            }
            Ok(_) => return Self::Plain,
            Err(problem) => return Self::Locked(Arc::new(problem)),
        };
        let Some(place) = place(&manifest.id) else {
            return locked(
                dir,
                "there is no place for its key".to_owned(),
                "set HOME, or encryption.keyPath",
            );
        };
        match place.keys(&manifest.id, &manifest.key) {
            Ok((key, former)) => {
                let ring = Keyring::new(manifest.id, categories(), key, former);
                Self::Sealed(Arc::new(Sealed::new(ring, manifest.opening, shelf())))
            }
            Err(why) => locked(place.path(), why, LOST),
        }
    }

    /// Returns the files with lines that could not be opened so far, and the number of lines.
    pub fn closed(&self) -> Vec<(String, usize)> {
        match self {
            Self::Sealed(sealed) => sealed.closed.lock().map(|c| c.clone()).unwrap_or_default(),
            Self::Plain | Self::Locked(_) => Vec::new(),
        }
    }

    /// Opens bytes that stand for a file.
    pub fn open(&self, path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, Problem> {
        match self {
            Self::Plain => Ok(bytes),
            Self::Sealed(sealed) => Ok(sealed.open(path, bytes)),
            Self::Locked(problem) => Err(Problem::clone(problem)),
        }
    }

    /// Opens bytes that a file once had. What cannot be opened in them is nothing to warn of.
    pub fn open_past(&self, bytes: Vec<u8>) -> Result<Vec<u8>, Problem> {
        match self {
            Self::Sealed(sealed) => Ok(sealed.ring.open(&bytes).bytes),
            Self::Plain => Ok(bytes),
            Self::Locked(problem) => Err(Problem::clone(problem)),
        }
    }

    /// Like [`read::file`].
    pub fn read(&self, root: &Path, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Problem> {
        self.opened(path, read::file(root, path, limit))
    }

    /// Like [`read::listed`].
    pub fn listed(&self, root: &Path, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Problem> {
        self.opened(path, read::listed(root, path, limit))
    }

    fn opened(
        &self,
        path: &Path,
        read: Result<Option<Vec<u8>>, Problem>,
    ) -> Result<Option<Vec<u8>>, Problem> {
        if matches!(self, Self::Plain) {
            return read;
        }
        read?.map(|bytes| self.open(path, bytes)).transpose()
    }

    /// Like [`atomic::replace_file`]. Lines that did not change keep their sealed bytes.
    pub fn replace(
        &self,
        path: &Path,
        text: &[u8],
        sync: Sync,
        recheck: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        self.check()?;
        let bytes = match self {
            Self::Sealed(sealed) if !sealed.opening => {
                let dir = path.parent().unwrap_or(path);
                let before = read::listed(dir, path, read::MAX_LOG).ok().flatten();
                Cow::Owned(sealed.seal(path, text, &before.unwrap_or_default())?)
            }
            _ => Cow::Borrowed(text),
        };
        atomic::replace_file(path, &bytes, sync, recheck)
    }

    /// Keeps the texts of topics for the next commands; nothing in a plain store.
    pub fn shelve(&self) -> Result<()> {
        if let Self::Sealed(sealed) = self { sealed.shelve() } else { Ok(()) }
    }

    /// Reads and opens a file of the cache; `None` in a plain store.
    pub fn blob(&self, dir: &Path, name: &str) -> Option<Result<Vec<u8>>> {
        let read = |sealed: &Sealed| {
            let bytes = read::file(dir, &dir.join(name), read::MAX_LOG)?;
            let opened = sealed.ring.open_blob(name, bytes.unwrap_or_default());
            opened.with_context(|| format!("{name} is not sealed under this key, or damaged"))
        };
        match self {
            Self::Plain => None,
            Self::Sealed(sealed) => Some(read(sealed)),
            Self::Locked(problem) => Some(Err(Problem::clone(problem).into())),
        }
    }

    /// Returns the bytes of a file of the cache.
    pub fn sealed_blob<'a>(&self, name: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>> {
        self.check()?;
        match self {
            Self::Sealed(sealed) => Ok(Cow::Owned(sealed.ring.seal_blob(name, bytes, nonce()?))),
            Self::Plain | Self::Locked(_) => Ok(Cow::Borrowed(bytes)),
        }
    }

    /// Returns the sealed bytes of a text that was merged from two sealed sides.
    pub fn sealed_of(
        &self,
        path: Option<&str>,
        text: Vec<u8>,
        sides: &[&Vec<u8>],
    ) -> Result<Vec<u8>> {
        let Self::Sealed(sealed) = self else { return Ok(text) };
        let mut before = Vec::new();
        for side in sides {
            before.extend_from_slice(side);
            before.push(b'\n');
        }
        let path = Path::new(path.unwrap_or("merged.md"));
        if sealed.opening { Ok(text) } else { sealed.seal(path, &text, &before) }
    }

    /// Like [`atomic::append_lines`].
    pub fn append(&self, path: &Path, lines: &[u8], sync: Sync) -> Result<()> {
        atomic::append_lines(path, &*self.appended(path, lines)?, sync)
    }

    /// Like [`atomic::append_below`].
    pub fn append_below(
        &self,
        path: &Path,
        head: impl Fn() -> String,
        lines: &str,
        sync: Sync,
    ) -> Result<()> {
        if matches!(self, Self::Plain) {
            return atomic::append_below(path, head, lines, sync);
        }
        let head = String::from_utf8(self.appended(path, head().as_bytes())?.into_owned())?;
        let lines = self.appended(path, lines.as_bytes())?;
        atomic::append_below(path, || head.clone(), &*lines, sync)
    }

    /// Returns lines as they are appended.
    fn appended<'a>(&self, path: &Path, lines: &'a [u8]) -> Result<Cow<'a, [u8]>> {
        self.check()?;
        match self {
            Self::Sealed(sealed) if !sealed.opening => {
                Ok(Cow::Owned(sealed.seal(path, lines, b"")?))
            }
            _ => Ok(Cow::Borrowed(lines)),
        }
    }
}

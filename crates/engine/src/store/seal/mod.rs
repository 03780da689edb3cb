//! Sealing: the bytes of a store's files, on their way from and to the disk.
//!
//! Everything that holds what was remembered is read by [`Seal::read`] and its kin, and written by
//! [`Seal::replace`] and [`Seal::append`]. In a plain store these are [`read`] and [`atomic`]; in
//! a sealed one they open and seal. Callers see plain text in both.

mod key_file;
mod source;
pub mod store_file;

use std::{
    borrow::Cow,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context as _, Result};

pub use self::{
    key_file::{KeyPlace, KeyPlaces},
    source::KeySource,
    store_file::STORE_FILE,
};
use self::{
    source::{Due, Told},
    store_file::StoreManifest,
};
use super::{
    atomic::{self, Sync},
    read::{self, ReadProblem},
};
use pimem_core::seal::{Form, KeyId, Keyring, NONCE_BYTES, Opened, TAG};

/// How the files of a store are kept on the disk. All copies tell the same, and notice when another
/// process seals the store, gives it another key or makes it plain; see [`Seal::reread`].
#[derive(Debug, Clone, Default)]
pub struct Seal(Option<Arc<Shared>>);

/// What the copies of a [`Seal`] share.
#[derive(Debug)]
struct Shared {
    source: KeySource,
    now: RwLock<Now>,
}

/// How a store is kept at one moment.
#[derive(Debug, Clone)]
struct Now {
    told: Told,
    kept: SealKept,
    /// Set if this machine remembers the store in another way than it says of itself.
    disputed: Option<Arc<ReadProblem>>,
    /// Set if sealed lines were found although the store is said to be plain.
    barred: Option<Arc<ReadProblem>>,
}

/// How files are kept.
#[derive(Debug, Clone, Default)]
pub enum SealKept {
    /// As plain text.
    #[default]
    Plain,
    /// Encrypted.
    Sealed(Arc<Sealed>),
    /// Encrypted, and this machine cannot open them.
    Locked(Arc<ReadProblem>),
    /// Encrypted, and nothing says under which key: `store.json` is missing.
    Undescribed(Arc<ReadProblem>),
}

/// A sealed store whose key is here.
#[derive(Debug)]
pub struct Sealed {
    pub(super) ring: Keyring,
    /// True while the store is being made plain again: writers no longer seal.
    pub(super) opening: bool,
    /// True if the store has lines that are not sealed under the current key.
    pub(super) due: AtomicBool,
    /// True if files beside the store, in the state directory or in the cache may have such lines.
    pub(super) due_beside: AtomicBool,
    /// Files with lines that could not be opened: path and number.
    closed: Mutex<Vec<(String, usize)>>,
    /// Files that were opened, as a command reads some of them several times.
    known: Mutex<HashMap<PathBuf, Known>>,
    dir: PathBuf,
    /// The directory of the store's index, where texts of topics are kept.
    pub(super) shelf: Option<PathBuf>,
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

/// The log, whose first line tells whether a store was sealed.
const LOG: &str = "evidence.jsonl";
/// Bytes of a file up to which it is kept in memory.
const KEPT: usize = 4 << 20;

impl Sealed {
    fn new(
        ring: Keyring,
        opening: bool,
        (dir, shelf): (PathBuf, Option<PathBuf>),
        due: Due,
    ) -> Self {
        Self {
            ring,
            opening,
            due: AtomicBool::new(due.store),
            due_beside: AtomicBool::new(due.beside),
            closed: Mutex::default(),
            known: Mutex::default(),
            dir,
            shelf,
            loaded: OnceLock::new(),
        }
    }

    /// Returns true while the store is being made plain again.
    pub fn is_opening(&self) -> bool {
        self.opening
    }

    /// Opens the bytes of a file. Returns its text, and the number of lines that stay closed.
    fn open(&self, path: &Path, bytes: &[u8]) -> (Vec<u8>, usize) {
        if Self::is_kept(path) {
            self.loaded.get_or_init(|| self.load());
        }
        if let Ok(known) = self.known.lock()
            && let Some(known) = known.get(path).filter(|known| known.sealed == *bytes)
        {
            return (known.text.clone(), 0);
        }
        let opened = self.ring.open(bytes);
        self.tell(path, &opened);
        if bytes.len() <= KEPT
            && let Ok(mut known) = self.known.lock()
        {
            let (text, is_whole) = (opened.bytes.clone(), !opened.is_due() && opened.closed() == 0);
            known.insert(path.to_path_buf(), Known { sealed: bytes.to_vec(), text, is_whole });
        }
        let closed = opened.closed();
        (opened.bytes, closed)
    }

    /// Notes what a file was found to have.
    pub(super) fn tell(&self, path: &Path, opened: &Opened) {
        if opened.is_due() && !self.opening {
            self.due.store(true, Ordering::Relaxed);
            if !path.starts_with(&self.dir) {
                self.due_beside.store(true, Ordering::Relaxed);
            }
        }
        if opened.closed() > 0
            && let Ok(mut closed) = self.closed.lock()
        {
            let name = path.display().to_string();
            closed.retain(|(known, _)| *known != name);
            closed.push((name, opened.closed()));
        }
    }

    fn due(&self) -> Due {
        let [store, beside] = [&self.due, &self.due_beside].map(|due| due.load(Ordering::Relaxed));
        Due { store, beside }
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

impl Seal {
    /// Reads how a store is kept. A store that is sealed and cannot be opened is
    /// [`SealKept::Locked`].
    pub fn of(source: KeySource) -> Self {
        let now = RwLock::new(source.now());
        Self(Some(Arc::new(Shared { source, now })))
    }

    pub fn kept(&self) -> SealKept {
        self.now(|now| now.kept.clone()).unwrap_or_default()
    }

    fn now<T>(&self, of: impl FnOnce(&Now) -> T) -> Option<T> {
        let shared = self.0.as_ref()?;
        Some(of(&shared.now.read().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Reads again how the store is kept. Whoever writes does so under the lock that guards the
    /// file, because the store may have been sealed, or made plain, while it waited. Returns true
    /// if it is kept in another way than was known.
    pub fn reread(&self) -> bool {
        let Some(shared) = &self.0 else { return false };
        let told = source::told(&shared.source.dir);
        if told.is_ok() && self.now(|now| now.told == told) == Some(true) {
            return false;
        }
        let now = shared.source.now();
        let mut known = shared.now.write().unwrap_or_else(PoisonError::into_inner);
        let is_other = known.told != now.told;
        *known = now;
        is_other
    }

    /// Returns true unless the files are kept as plain text.
    /// Returns true if a person has said that the store is plain where it is, whatever it is in other
    /// work trees.
    pub fn is_said_plain(&self) -> bool {
        self.source().is_some_and(source::is_said_plain)
    }

    pub fn is_sealed(&self) -> bool {
        !matches!(self.kept(), SealKept::Plain)
    }

    /// Returns the key that seals, if the store is sealed and the key is here.
    pub fn key(&self) -> Option<KeyId> {
        if let SealKept::Sealed(sealed) = self.kept() { Some(sealed.ring.current()) } else { None }
    }

    /// Fails if the store is sealed and cannot be opened.
    pub fn check(&self) -> Result<(), ReadProblem> {
        match self.kept() {
            SealKept::Locked(problem) | SealKept::Undescribed(problem) => {
                Err(ReadProblem::clone(&problem))
            }
            SealKept::Plain | SealKept::Sealed(_) => Ok(()),
        }
    }

    /// Fails if the store cannot be opened, has sealed lines that it does not speak of, or if nobody
    /// is there to tell whether the store or what this machine remembers of it is right.
    pub fn check_write(&self) -> Result<(), ReadProblem> {
        self.check()?;
        let is_asked = self.0.as_ref().is_none_or(|shared| !shared.source.unasked);
        let disputed = self.disputed().filter(|_| !is_asked);
        self.undescribed().or(disputed).map_or(Ok(()), Err)
    }

    /// Returns the problem that the store has sealed lines and does not say so.
    pub fn undescribed(&self) -> Option<ReadProblem> {
        let found = |now: &Now| match &now.kept {
            SealKept::Undescribed(problem) => Some(ReadProblem::clone(problem)),
            _ => now.barred.as_deref().cloned(),
        };
        self.now(found).flatten()
    }

    /// Returns the problem that this machine remembers the store in another way than it is kept.
    pub fn disputed(&self) -> Option<ReadProblem> {
        self.now(|now| now.disputed.as_deref().cloned()).flatten()
    }

    /// Notes that sealed lines were found in a store that does not say that it is sealed. Returns
    /// the problem, or `None` if it says so by now.
    pub(super) fn found_sealed(&self) -> Option<ReadProblem> {
        let shared = self.0.as_ref().filter(|_| !self.reread() && !self.is_sealed())?;
        let problem = source::undescribed(&shared.source.dir);
        let mut now = shared.now.write().unwrap_or_else(PoisonError::into_inner);
        now.barred = Some(Arc::new(problem.clone()));
        Some(problem)
    }

    /// Remembers outside the store how it is kept, unless that is known.
    pub fn remember(&self) -> Result<()> {
        let Some(shared) = &self.0 else { return Ok(()) };
        let SealKept::Sealed(sealed) = self.kept() else { return Ok(()) };
        if self.disputed().is_none() {
            let (id, key) = (sealed.ring.store(), sealed.ring.current());
            source::remember(&shared.source, id, key, sealed.opening, sealed.due())?;
        }
        Ok(())
    }

    /// Notes what was sealed again: the files beside the store, or all.
    pub(super) fn covered(&self, sealed: &Sealed, all: bool) -> Result<()> {
        sealed.due_beside.store(false, Ordering::Relaxed);
        if all {
            sealed.due.store(false, Ordering::Relaxed);
        }
        self.remember()
    }

    /// Remembers that the store is kept as it says by now, because a person said so.
    pub fn accept(&self) -> Result<()> {
        let Some(shared) = &self.0 else { return Ok(()) };
        let id = StoreManifest::read(&shared.source.dir).ok().flatten();
        let id = id.filter(|manifest| !manifest.sealed).map(|manifest| manifest.id);
        let before = match self.kept() {
            SealKept::Plain => {
                source::remember_plain(&shared.source, id.as_deref())?;
                Due::ALL
            }
            SealKept::Sealed(sealed) => {
                source::forget(&shared.source)?;
                sealed.due()
            }
            SealKept::Locked(_) | SealKept::Undescribed(_) => Due::ALL,
        };
        self.settle();
        if let SealKept::Sealed(sealed) = self.kept() {
            sealed.due.store(before.store, Ordering::Relaxed);
            sealed.due_beside.store(before.beside, Ordering::Relaxed);
        }
        self.remember()
    }

    /// Reads how the store is kept, even if `store.json` is what it was.
    fn settle(&self) {
        if let Some(shared) = &self.0 {
            *shared.now.write().unwrap_or_else(PoisonError::into_inner) = shared.source.now();
        }
    }

    pub fn source(&self) -> Option<&KeySource> {
        self.0.as_ref().map(|shared| &shared.source)
    }

    /// Returns the files with lines that could not be opened so far, and the number of lines.
    pub fn closed(&self) -> Vec<(String, usize)> {
        match self.kept() {
            SealKept::Sealed(sealed) => sealed.closed.lock().map(|c| c.clone()).unwrap_or_default(),
            SealKept::Plain | SealKept::Locked(_) | SealKept::Undescribed(_) => Vec::new(),
        }
    }

    /// Opens bytes that stand for a file.
    pub fn open(&self, path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, ReadProblem> {
        match self.kept() {
            SealKept::Plain if self.may_be_sealed(path, &bytes) && self.reread() => {
                self.open(path, bytes)
            }
            SealKept::Plain if self.is_log(path) && bytes.starts_with(TAG.as_bytes()) => {
                self.found_sealed().map_or(Ok(bytes), Err)
            }
            SealKept::Plain => Ok(bytes),
            SealKept::Sealed(sealed) => {
                let (text, closed) = sealed.open(path, &bytes);
                // The key may be another since.
                if closed > 0 && self.reread() { self.open(path, bytes) } else { Ok(text) }
            }
            SealKept::Locked(problem) | SealKept::Undescribed(problem) => {
                Err(ReadProblem::clone(&problem))
            }
        }
    }

    /// Opens bytes that a file once had. What cannot be opened in them is nothing to warn of.
    pub fn open_past(&self, bytes: Vec<u8>) -> Result<Vec<u8>, ReadProblem> {
        match self.kept() {
            SealKept::Sealed(sealed) => Ok(sealed.ring.open(&bytes).bytes),
            SealKept::Plain => Ok(bytes),
            SealKept::Locked(problem) | SealKept::Undescribed(problem) => {
                Err(ReadProblem::clone(&problem))
            }
        }
    }

    /// Like [`read::file`].
    pub fn read(
        &self,
        root: &Path,
        path: &Path,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, ReadProblem> {
        self.opened(path, read::file(root, path, limit))
    }

    /// Like [`read::listed`].
    pub fn listed(
        &self,
        root: &Path,
        path: &Path,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, ReadProblem> {
        self.opened(path, read::listed(root, path, limit))
    }

    fn opened(
        &self,
        path: &Path,
        read: Result<Option<Vec<u8>>, ReadProblem>,
    ) -> Result<Option<Vec<u8>>, ReadProblem> {
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
        let bytes = match self.writing()? {
            SealKept::Sealed(sealed) if !sealed.opening => {
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
        if let SealKept::Sealed(sealed) = self.kept() { sealed.shelve() } else { Ok(()) }
    }

    /// Reads and opens a file of the cache; `None` in a plain store.
    pub fn blob(&self, dir: &Path, name: &str) -> Option<Result<Vec<u8>>> {
        let read = |sealed: &Sealed| {
            let bytes = read::file(dir, &dir.join(name), read::MAX_LOG)?;
            let opened = sealed.ring.open_blob(name, bytes.unwrap_or_default());
            opened.with_context(|| format!("{name} is not sealed under this key, or damaged"))
        };
        match self.kept() {
            SealKept::Plain => None,
            SealKept::Sealed(sealed) => Some(read(&sealed)),
            SealKept::Locked(problem) | SealKept::Undescribed(problem) => {
                Some(Err(ReadProblem::clone(&problem).into()))
            }
        }
    }

    /// Returns the bytes of a file of the cache.
    pub fn sealed_blob<'a>(&self, name: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>> {
        match self.writing()? {
            SealKept::Sealed(sealed) => {
                Ok(Cow::Owned(sealed.ring.seal_blob(name, bytes, nonce()?)))
            }
            _ => Ok(Cow::Borrowed(bytes)),
        }
    }

    /// Returns the sealed bytes of a text that was merged from two sealed sides.
    pub fn sealed_of(
        &self,
        path: Option<&str>,
        text: Vec<u8>,
        sides: &[&Vec<u8>],
    ) -> Result<Vec<u8>> {
        let SealKept::Sealed(sealed) = self.kept() else { return Ok(text) };
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
        if matches!(self.writing()?, SealKept::Plain) {
            return atomic::append_below(path, head, lines, sync);
        }
        let head = String::from_utf8(self.appended(path, head().as_bytes())?.into_owned())?;
        let lines = self.appended(path, lines.as_bytes())?;
        atomic::append_below(path, || head.clone(), &*lines, sync)
    }

    /// Returns how what is written now has to be kept. Whoever writes holds the lock that guards the
    /// file, so that it stays so until the bytes are there.
    fn writing(&self) -> Result<SealKept> {
        self.reread();
        self.check_write()?;
        let kept = self.kept();
        if matches!(kept, SealKept::Plain)
            && self.disputed().is_some()
            && let Some(source) = self.source()
        {
            // Where the store is sealed again, as on another branch, this has to be.
            source::remember_due(source)?;
        }
        Ok(kept)
    }

    /// Returns true for the store's own log, whose first line tells whether the store was sealed.
    fn is_log(&self, path: &Path) -> bool {
        self.source().is_some_and(|source| *path == source.dir.join(LOG))
    }

    /// Returns true if a file that was read as plain text may have been sealed since.
    fn may_be_sealed(&self, path: &Path, bytes: &[u8]) -> bool {
        let tag = TAG.as_bytes();
        match form(path) {
            _ if self.0.is_none() => false,
            Form::Lines => memchr::memmem::find(bytes, tag).is_some(),
            Form::Log | Form::Whole => bytes.starts_with(tag),
        }
    }

    pub(super) fn appended<'a>(&self, path: &Path, lines: &'a [u8]) -> Result<Cow<'a, [u8]>> {
        match self.writing()? {
            SealKept::Sealed(sealed) if !sealed.opening => {
                Ok(Cow::Owned(sealed.seal(path, lines, b"")?))
            }
            _ => Ok(Cow::Borrowed(lines)),
        }
    }
}

/// Name of the file in the directory of a store's index.
const TEXTS: &str = "texts.sealed";

impl Sealed {
    /// Returns true if the text of a file may be kept.
    pub(super) fn is_kept(path: &Path) -> bool {
        path.parent().is_some_and(|dir| dir.ends_with("topics"))
    }

    /// Reads the kept texts. A damaged file counts as none.
    pub(super) fn load(&self) {
        let Some(dir) = &self.shelf else { return };
        let bytes = read::file(dir, &dir.join(TEXTS), read::MAX_LOG).ok().flatten();
        let Some(bytes) = bytes.and_then(|bytes| self.ring.open_blob(TEXTS, bytes)) else { return };
        let Ok(mut known) = self.known.lock() else { return };
        let mut rest = bytes.as_slice();
        let mut part = || {
            let (length, more) = rest.split_first_chunk()?;
            let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
            let (part, more) = more.split_at_checked(length)?;
            rest = more;
            Some(part)
        };
        while let (Some(path), Some(sealed), Some(text)) = (part(), part(), part()) {
            let Ok(path) = str::from_utf8(path) else { continue };
            let (sealed, text) = (sealed.to_vec(), text.to_vec());
            known.insert(PathBuf::from(path), Known { sealed, text, is_whole: true });
        }
    }

    /// Writes the texts that this process knows, of files that still are as they were read.
    pub(super) fn shelve(&self) -> Result<()> {
        let (Some(dir), Ok(known)) = (&self.shelf, self.known.lock()) else { return Ok(()) };
        let mut kept: Vec<(&PathBuf, &Known)> =
            known.iter().filter(|(path, known)| known.is_whole && Self::is_kept(path)).collect();
        kept.sort_unstable_by_key(|(path, _)| *path);
        let mut out = Vec::new();
        for (path, known) in kept {
            let now = read::listed(path.parent().unwrap_or(path), path, read::MAX_FILE);
            let is_same = now.is_ok_and(|now| now.as_ref() == Some(&known.sealed));
            let Some(name) = path.to_str().filter(|_| is_same) else { continue };
            for part in [name.as_bytes(), &known.sealed, &known.text] {
                out.extend_from_slice(&u32::try_from(part.len())?.to_le_bytes());
                out.extend_from_slice(part);
            }
        }
        let bytes = self.ring.seal_blob(TEXTS, &out, nonce()?);
        atomic::replace_file(&dir.join(TEXTS), &bytes, Sync::Private, || Ok(true)).map(drop)
    }
}

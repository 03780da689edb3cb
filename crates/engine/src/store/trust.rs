//! The ledger of trust: which texts of a store were written or reviewed on this machine.
//!
//! A store may come with a clone and change with every pull. So each store has a ledger in the
//! user's state directory, outside the repository, with a hash of every text that was written here
//! or that a person has reviewed. Texts that are not in the ledger are shown to people but not to
//! agents. The hash covers the store's real path, so that a ledger is valid for one store only.

use std::{
    collections::{BTreeSet, HashSet},
    fmt::Write as _,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::{
    atomic::{self, Sync},
    discover, evidence_log,
    lock::{LockError, StoreLock},
    read::{self, Problem, ProblemKind},
    seal::Seal,
};
use pimem_core::model::{hash::IdSet, hex};

pub use super::trust_kind::Kind;

/// Key of a text: the first 128 bits of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u128);

impl Key {
    /// Returns the key in hexadecimal, as in the file.
    pub(super) fn hex(self) -> String {
        format!("{:032x}", self.0)
    }
}

/// Trust that does not depend on the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustLevel {
    /// The user's own store, in the home directory.
    Own,
    /// A store that the user named explicitly; trusted for commands of the user.
    Named,
    /// A discovered store; the ledger decides.
    None,
}

/// Trust in the texts of a store. The ledger is read on first use.
#[derive(Debug, Clone)]
pub struct Trust {
    store: PathBuf,
    seal: Seal,
    state: Option<PathBuf>,
    patience: Duration,
    sync: Sync,
    word: TrustLevel,
    /// True if new keys are kept in memory only.
    unwritten: bool,
    known: Arc<OnceLock<Known>>,
    failure: Arc<OnceLock<String>>,
}

/// A ledger as read.
#[derive(Debug)]
struct Known {
    /// Hash of the store's real path, the prefix of each key's input.
    seed: Sha256,
    path: Option<PathBuf>,
    /// True if another user owns the store's directory.
    foreign: bool,
    /// Content of the ledger's file.
    bytes: Vec<u8>,
    /// All keys, parsed on first use.
    keys: OnceLock<IdSet<u128>>,
    /// Keys recorded since the file was read.
    said: Mutex<IdSet<u128>>,
    /// True if the user trusts all of it; computed on first use.
    always: OnceLock<bool>,
    problem: Option<Problem>,
}

impl Trust {
    /// Creates the trust of a store. `state` is the user's state directory. An error in recording a
    /// key is stored in `failure`. The ledger waits for the disk if the store does, because a lost
    /// key means another review.
    pub fn new(
        (store, seal): (&Path, Seal),
        state: Option<&Path>,
        (patience, sync): (Duration, Sync),
        word: TrustLevel,
        failure: Arc<OnceLock<String>>,
    ) -> Self {
        let state = state.map(|state| state.join("pimem/trust"));
        let store = store.to_path_buf();
        let (sync, known) = (sync.private(), Arc::default());
        Self { store, seal, state, patience, sync, word, unwritten: false, known, failure }
    }

    /// Returns a copy that reads the ledger again.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { known: Arc::default(), ..self.clone() }
    }

    /// Returns the trust for callers that send text to an agent unasked: naming a store does not
    /// count.
    #[must_use]
    pub fn strict(self) -> Self {
        let word = if self.word == TrustLevel::Named { TrustLevel::None } else { self.word };
        Self { word, ..self }
    }

    /// Returns the trust for read-only use: new keys are kept in memory until the process ends.
    pub(super) fn unwritten(self) -> Self {
        Self { unwritten: true, ..self }
    }

    /// Returns true if the whole store is trusted.
    pub fn is_whole(&self) -> bool {
        self.word != TrustLevel::None || self.is_always()
    }

    /// Returns true if the user trusts all present and future content of the store.
    pub fn is_always(&self) -> bool {
        let known = self.known();
        *known.always.get_or_init(|| known.has_line(self.text(Kind::Always, "")))
    }

    /// Returns true if the store was made on this machine or was once fully reviewed.
    pub fn is_made(&self) -> bool {
        self.holds(self.text(Kind::Made, ""))
    }

    /// Returns true if the store is the user's own, which needs no ledger.
    pub fn is_own(&self) -> bool {
        self.word == TrustLevel::Own
    }

    /// Returns true if any text was written or reviewed by this user.
    pub fn is_begun(&self) -> bool {
        self.is_whole() || self.texts() > 0
    }

    /// Returns true if another user owns the store's directory: then the ledger is ignored.
    pub fn is_foreign(&self) -> bool {
        self.known().foreign
    }

    /// Returns the path of the ledger.
    pub fn ledger(&self) -> Option<&Path> {
        self.known().path.as_deref()
    }

    /// Opens and seals the files of the ledger.
    pub(super) fn seal(&self) -> &Seal {
        &self.seal
    }

    /// Takes the lock of writers, if there is anything to write.
    pub(super) fn guard(&self) -> Result<Option<StoreLock>> {
        let dir = self.ledger().and_then(Path::parent).filter(|dir| dir.is_dir());
        dir.map(|dir| self.lock(dir)).transpose()
    }

    /// Returns the number of texts in the ledger.
    pub fn texts(&self) -> usize {
        self.known().keys().len()
    }

    /// Returns why the ledger could not be read, if one is needed. A state directory that cannot be
    /// used at all counts as having no ledger.
    pub fn problem(&self) -> Option<&Problem> {
        let is_none = |problem: &&Problem| matches!(problem.kind, ProblemKind::Closed(_));
        if self.is_whole() { None } else { self.known().problem.as_ref().filter(|p| !is_none(p)) }
    }

    pub fn entry(&self, category: &str, text: &str) -> Key {
        self.key(Kind::Entry, &["[", category, "] ", text].map(str::as_bytes))
    }

    /// Returns the key that marks an entry as not typed here.
    pub fn brought(&self, category: &str, text: &str) -> Key {
        self.key(Kind::Brought, &["[", category, "] ", text].map(str::as_bytes))
    }

    /// Returns the key of another text.
    pub fn text(&self, kind: Kind, text: &str) -> Key {
        self.key(kind, &[text.as_bytes()])
    }

    /// Returns the key of a file of notes, a list or a log.
    pub fn file(&self, name: &str, bytes: &[u8]) -> Key {
        self.key(Kind::Notes, &[name.as_bytes(), &[0], bytes])
    }

    fn key(&self, kind: Kind, parts: &[&[u8]]) -> Key {
        let mut hash = self.known().seed.clone();
        hash.update(kind.name());
        hash.update([0]);
        for part in parts {
            hash.update(part);
        }
        let digest = hash.finalize();
        Key(digest.first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes)))
    }

    /// Returns true if an agent may see the entry.
    pub fn holds_entry(&self, category: &str, text: &str) -> bool {
        self.word != TrustLevel::None || self.holds(self.entry(category, text)) || self.is_always()
    }

    /// Returns true if an agent may see another text, or if the text takes effect. Settings decide
    /// which programs run, so each needs a review even if the user trusts the whole store.
    pub fn holds_text(&self, kind: Kind, text: &str) -> bool {
        let vouched = || kind != Kind::Settings && self.is_always();
        self.word != TrustLevel::None || self.holds(self.text(kind, text)) || vouched()
    }

    /// Returns true if the ledger holds a key and is not ignored.
    pub fn holds(&self, key: Key) -> bool {
        let known = self.known();
        let said = || known.said.lock().is_ok_and(|said| said.contains(&key.0));
        !known.foreign && (known.keys().contains(&key.0) || said())
    }

    /// Returns the given keys that the ledger holds, if it is not ignored. For a few keys this is
    /// faster than asking for each, because the ledger is scanned only once.
    pub fn held(&self, keys: &[Key]) -> HashSet<Key> {
        let known = self.known();
        if keys.is_empty() || known.foreign {
            return HashSet::new();
        }
        let mut held = known.held(keys);
        if let Ok(said) = known.said.lock() {
            held.extend(keys.iter().filter(|key| said.contains(&key.0)));
        }
        held
    }

    /// Records a text written here. An error is reported when the command ends.
    pub fn record_text(&self, kind: Kind, text: &str) {
        self.note(|| vec![self.text(kind, text)]);
    }

    /// Records keys of texts written here. An error is reported when the command ends.
    pub fn note(&self, keys: impl FnOnce() -> Vec<Key>) {
        if self.is_own() {
            return;
        }
        if let Err(error) = self.record(&keys()) {
            // The first error suffices.
            drop(self.failure.set(format!("{error:#}")));
        }
    }

    /// Records nothing, because the text was not written here alone. If the ledger could not be
    /// read, that may be wrong, and the problem is reported when the command ends.
    pub fn pass(&self) {
        if let Some(problem) = self.known().problem.as_ref().filter(|_| !self.is_own()) {
            drop(self.failure.set(problem.to_string()));
        }
    }

    /// Appends the keys that the ledger does not hold.
    pub fn record(&self, keys: &[Key]) -> Result<()> {
        let known = self.known();
        let held = known.held(keys);
        let fresh: BTreeSet<u128> =
            keys.iter().filter(|key| !held.contains(key)).map(|key| key.0).collect();
        if fresh.is_empty() {
            return Ok(());
        }
        let (path, dir) = self.place()?;
        if self.unwritten {
            // Keys that could not be written must not count in memory either.
            StoreLock::probe(dir, self.patience)?;
        } else {
            let _lock = self.lock(dir)?;
            self.seal.append_below(path, || self.head(), &lines(&fresh), self.sync)?;
        }
        let length = known.bytes.len() + LINE * fresh.len();
        if let Ok(mut said) = known.said.lock() {
            said.extend(fresh);
        }
        self.shorten(path, length)
    }

    /// Joins the pieces of a sealed ledger whose text has `length` bytes, when they take much more
    /// room than their text.
    fn shorten(&self, path: &Path, length: usize) -> Result<()> {
        let most = 3 * length as u64 + SEALED;
        if self.seal.is_sealed() && std::fs::metadata(path).is_ok_and(|meta| meta.len() > most) {
            self.forget(Some(&[]))?;
        }
        Ok(())
    }

    /// Removes some keys, or all. Returns the number removed.
    pub fn forget(&self, keys: Option<&[Key]>) -> Result<usize> {
        let (path, dir) = self.place()?;
        if !path.is_file() {
            return Ok(0);
        }
        let _lock = self.lock(dir)?;
        let before =
            Known::read(&self.seal, &discover::real(&self.store), Some(path.to_path_buf()));
        if let Some(problem) = before.problem {
            return Err(problem.into());
        }
        let before = before.keys();
        let gone = |key: &u128| keys.is_none_or(|keys| keys.contains(&Key(*key)));
        let kept: BTreeSet<u128> = before.iter().copied().filter(|key| !gone(key)).collect();
        let text = format!("{}{}", self.head(), lines(&kept));
        self.seal.replace(path, text.as_bytes(), self.sync, || Ok(true))?;
        Ok(before.len() - kept.len())
    }

    fn place(&self) -> Result<(&Path, &Path)> {
        let path = self.known().path.as_deref();
        let place = path.and_then(|path| Some((path, path.parent()?)));
        place.context("there is no directory for it: set HOME, or XDG_STATE_HOME")
    }

    /// Takes the lock of writers, so that none overwrites the additions of another, and sweeps
    /// temporary files of killed processes.
    fn lock(&self, dir: &Path) -> Result<StoreLock> {
        let mut lock = StoreLock::acquire(dir, self.patience);
        if matches!(&lock, Err(LockError::Io(_, error)) if error.kind() == ErrorKind::NotFound) {
            atomic::create_dir(dir, self.sync)?;
            lock = StoreLock::acquire(dir, self.patience);
        }
        let lock = lock?;
        atomic::sweep(dir);
        Ok(lock)
    }

    /// Returns the first line of the file, which names the store for people.
    fn head(&self) -> String {
        format!("# texts reviewed in {:?}\n", discover::real(&self.store).to_string_lossy())
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let real = discover::real(&self.store);
            let path = self.state.as_ref().map(|state| state.join(discover::key_of(&real)));
            Known::read(&self.seal, &real, path)
        })
    }
}

impl Known {
    /// Reads the ledger of the store at a canonical path. Lines that are not keys are skipped.
    fn read(seal: &Seal, store: &Path, path: Option<PathBuf>) -> Self {
        let name = Sha256::digest(store.as_os_str().as_encoded_bytes());
        // Padded to a whole hash block, so that the block is hashed once and not for every text.
        let seed = Sha256::new_with_prefix(name).chain_update([0; 32]);
        let root = path.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
        let read = path.as_deref().map(|path| seal.read(root, path, read::MAX_FILE));
        let (bytes, problem) = match read.unwrap_or(Ok(None)) {
            Ok(bytes) => (bytes.unwrap_or_default(), None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        let (foreign, said) = (is_foreign(store), Mutex::default());
        let (keys, always) = (OnceLock::new(), OnceLock::new());
        Self { seed, path, foreign, bytes, keys, said, always, problem }
    }

    /// Returns all keys of the ledger.
    fn keys(&self) -> &IdSet<u128> {
        self.keys.get_or_init(|| {
            let mut keys = IdSet::default();
            keys.reserve(self.bytes.len() / LINE);
            keys.extend(evidence_log::lines(&self.bytes).filter_map(hex::read));
            keys
        })
    }

    /// Returns true if the file has a key, without parsing the others.
    fn has_line(&self, key: Key) -> bool {
        let line = format!("\n{:032x}\n", key.0);
        memchr::memmem::find(&self.bytes, line.as_bytes()).is_some()
    }

    /// Returns the given keys that the ledger holds.
    fn held(&self, keys: &[Key]) -> HashSet<Key> {
        if let Some(all) = self.keys.get() {
            return keys.iter().copied().filter(|key| all.contains(&key.0)).collect();
        }
        // Lines are compared as text, which is faster than parsing them.
        let mut wanted: Vec<(String, Key)> = keys.iter().map(|key| (key.hex(), *key)).collect();
        wanted.sort_unstable();
        let starts: IdSet<u64> =
            wanted.iter().filter_map(|(line, _)| start(line.as_bytes())).collect();
        let likely = |line: &&[u8]| start(line).is_some_and(|start| starts.contains(&start));
        let find = |line: &[u8]| {
            let at = wanted.binary_search_by(|(known, _)| known.as_bytes().cmp(line)).ok()?;
            wanted.get(at).map(|(_, key)| *key)
        };
        evidence_log::lines(&self.bytes).filter(likely).filter_map(find).collect()
    }
}

/// Bytes of a line.
const LINE: usize = 33;
/// Bytes of a sealed ledger from which its pieces may be joined.
const SEALED: u64 = 16 << 10;

/// Returns the first 8 digits of a line as a number.
fn start(line: &[u8]) -> Option<u64> {
    line.first_chunk().map(|digits| u64::from_ne_bytes(*digits))
}

fn lines(keys: &BTreeSet<u128>) -> String {
    keys.iter().fold(String::new(), |mut lines, key| {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{key:032x}");
        lines
    })
}

#[cfg(unix)]
pub(super) fn is_foreign(store: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = std::fs::metadata(store).map(|meta| meta.uid());
    owner.is_ok_and(|owner| owner != rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
pub(super) fn is_foreign(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let keys = BTreeSet::from([0, 1, u128::MAX, 0x0123_4567_89ab_cdef << 60]);
        let text = lines(&keys);
        assert_eq!(text.lines().filter_map(|line| hex::read(line.as_bytes())).count(), 4);
        assert_eq!(
            text.lines().filter_map(|l| hex::read(l.as_bytes())).collect::<BTreeSet<_>>(),
            keys
        );
        let zeros = "0".repeat(32);
        for line in ["", "#", "x", &zeros[1..], &format!("{zeros}0"), &zeros.replacen('0', "+", 1)]
        {
            assert_eq!(hex::read(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn kinds_categories_and_stores_are_told_apart() {
        let trust = |dir: &str| {
            let failure = Arc::default();
            Trust::new(
                (Path::new(dir), Seal::Plain),
                None,
                (Duration::ZERO, Sync::None),
                TrustLevel::None,
                failure,
            )
        };
        let (here, there) = (trust("/nowhere/a"), trust("/nowhere/b"));
        let keys = [
            here.entry("lesson", "text"),
            here.entry("mistake", "text"),
            here.text(Kind::Session, "[lesson] text"),
            here.text(Kind::Handoff, "[lesson] text"),
            there.entry("lesson", "text"),
        ];
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
        assert_eq!(here.entry("lesson", "text"), here.text(Kind::Entry, "[lesson] text"));
        assert!(here.record(&keys).is_err(), "there is no place to write them to");
        assert!(!here.holds_entry("lesson", "text"));
    }
}

//! Which texts of a store were written or reviewed on this machine.
//!
//! A store may come with a clone and change with every pull. So each has a ledger outside the
//! repository, in the user's state directory: a hash of every text that was written here or that a
//! person has looked at. What the ledger does not hold is shown to people and to no agent. The hash
//! covers the store's real path, so a ledger says nothing about any other store.

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
};
use pimem_core::model::{hash::IdSet, hex};

pub use super::trust_kind::Kind;

/// What the ledger holds of a text: the first 128 bits of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u128);

impl Key {
    /// As a line has it.
    pub(super) fn hex(self) -> String {
        format!("{:032x}", self.0)
    }
}

/// Whether a store needs no ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustLevel {
    /// It is the user's own, in the home directory.
    Own,
    /// The user named it outright, which is good enough for whatever the user asks for.
    Named,
    /// It was found.
    None,
}

/// What is known about where a store's texts come from. The ledger is read when it is asked.
#[derive(Debug, Clone)]
pub struct Trust {
    store: PathBuf,
    state: Option<PathBuf>,
    patience: Duration,
    sync: Sync,
    word: TrustLevel,
    /// Whether what is noted is kept by this process alone.
    unwritten: bool,
    known: Arc<OnceLock<Known>>,
    failure: Arc<OnceLock<String>>,
}

/// A ledger as read.
#[derive(Debug)]
struct Known {
    /// The hash of the store's real path, with which each key begins.
    seed: Sha256,
    path: Option<PathBuf>,
    /// Whether the store's directory is another user's.
    foreign: bool,
    /// What the ledger's file holds.
    bytes: Vec<u8>,
    /// Its keys, once somebody has asked about many.
    keys: OnceLock<IdSet<u128>>,
    /// What was written down since it was read.
    said: Mutex<IdSet<u128>>,
    /// Whether the user vouches for all of it, once somebody has asked.
    always: OnceLock<bool>,
    problem: Option<Problem>,
}

impl Trust {
    /// For the store in a directory, with the directory of what this machine knows. Why something
    /// could not be noted goes to `failure`. What the ledger loses, its user has to look at once more,
    /// so it waits for the disk where the store does.
    pub fn new(
        store: &Path,
        state: Option<&Path>,
        (patience, sync): (Duration, Sync),
        word: TrustLevel,
        failure: Arc<OnceLock<String>>,
    ) -> Self {
        let state = state.map(|state| state.join("pimem/trust"));
        let store = store.to_path_buf();
        let (sync, known) = (sync.private(), Arc::default());
        Self { store, state, patience, sync, word, unwritten: false, known, failure }
    }

    /// The same, to be read once more.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { known: Arc::default(), ..self.clone() }
    }

    /// The same for whoever speaks to an agent unasked: that a store was named counts for nothing.
    #[must_use]
    pub fn strict(self) -> Self {
        let word = if self.word == TrustLevel::Named { TrustLevel::None } else { self.word };
        Self { word, ..self }
    }

    /// The same for whoever only looks: what is noted counts until the process ends.
    pub(super) fn unwritten(self) -> Self {
        Self { unwritten: true, ..self }
    }

    /// Whether the store is trusted as a whole.
    pub fn is_whole(&self) -> bool {
        self.word != TrustLevel::None || self.is_always()
    }

    /// Whether the user vouches for whatever the store holds, now and later.
    pub fn is_always(&self) -> bool {
        let known = self.known();
        *known.always.get_or_init(|| known.has_line(self.text(Kind::Always, "")))
    }

    /// Whether the store was made on this machine, or all of it was once reviewed.
    pub fn is_made(&self) -> bool {
        self.holds(self.text(Kind::Made, ""))
    }

    /// Whether the store is the user's own and needs no ledger at all.
    pub fn is_own(&self) -> bool {
        self.word == TrustLevel::Own
    }

    /// Whether anything here was written or looked at by its user.
    pub fn is_begun(&self) -> bool {
        self.is_whole() || self.texts() > 0
    }

    /// Whether the store's directory is another user's: then the ledger counts for nothing.
    pub fn is_foreign(&self) -> bool {
        self.known().foreign
    }

    /// Where the ledger is.
    pub fn ledger(&self) -> Option<&Path> {
        self.known().path.as_deref()
    }

    /// How many texts the ledger holds.
    pub fn texts(&self) -> usize {
        self.known().keys().len()
    }

    /// Why the ledger could not be read, where one is needed. Where the directory of what this machine
    /// knows cannot be used at all, there is none.
    pub fn problem(&self) -> Option<&Problem> {
        let is_none = |problem: &&Problem| matches!(problem.kind, ProblemKind::Closed(_));
        if self.is_whole() { None } else { self.known().problem.as_ref().filter(|p| !is_none(p)) }
    }

    /// The key of an entry.
    pub fn entry(&self, category: &str, text: &str) -> Key {
        self.key(Kind::Entry, &["[", category, "] ", text].map(str::as_bytes))
    }

    /// The key that says of an entry that it was not typed here.
    pub fn brought(&self, category: &str, text: &str) -> Key {
        self.key(Kind::Brought, &["[", category, "] ", text].map(str::as_bytes))
    }

    /// The key of another text.
    pub fn text(&self, kind: Kind, text: &str) -> Key {
        self.key(kind, &[text.as_bytes()])
    }

    /// The key of a file of notes, a list or a log.
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

    /// Whether an entry may be shown to an agent.
    pub fn holds_entry(&self, category: &str, text: &str) -> bool {
        self.word != TrustLevel::None || self.holds(self.entry(category, text)) || self.is_always()
    }

    /// Whether another text may be shown to an agent, or counts. Settings decide what is run, so each
    /// of them has to be looked at, whoever is vouched for.
    pub fn holds_text(&self, kind: Kind, text: &str) -> bool {
        let vouched = || kind != Kind::Settings && self.is_always();
        self.word != TrustLevel::None || self.holds(self.text(kind, text)) || vouched()
    }

    /// Whether the ledger holds a text, and counts.
    pub fn holds(&self, key: Key) -> bool {
        let known = self.known();
        let said = || known.said.lock().is_ok_and(|said| said.contains(&key.0));
        !known.foreign && (known.keys().contains(&key.0) || said())
    }

    /// Those of some texts that the ledger holds, if it counts. For a few of them it is quicker than
    /// asking about each, because the ledger is gone through only once.
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

    /// Notes a text that was written here. What fails is said when the command ends.
    pub fn record_text(&self, kind: Kind, text: &str) {
        self.note(|| vec![self.text(kind, text)]);
    }

    /// Notes texts that were written here. What fails is said when the command ends.
    pub fn note(&self, keys: impl FnOnce() -> Vec<Key>) {
        if self.is_own() {
            return;
        }
        if let Err(error) = self.record(&keys()) {
            // The first failure says it all.
            drop(self.failure.set(format!("{error:#}")));
        }
    }

    /// Notes nothing, because a text was not written here alone. That it was not may only seem so,
    /// where the ledger could not be read, and that is said when the command ends.
    pub fn pass(&self) {
        if let Some(problem) = self.known().problem.as_ref().filter(|_| !self.is_own()) {
            drop(self.failure.set(problem.to_string()));
        }
    }

    /// Writes keys down that the ledger does not hold.
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
            // What could not be noted does not count for anybody else either.
            StoreLock::probe(dir, self.patience)?;
        } else {
            let _lock = self.lock(dir)?;
            atomic::append_below(path, || self.head(), &lines(&fresh), self.sync)?;
        }
        if let Ok(mut said) = known.said.lock() {
            said.extend(fresh);
        }
        Ok(())
    }

    /// Takes keys out again, or all of them. Gives how many there were.
    pub fn forget(&self, keys: Option<&[Key]>) -> Result<usize> {
        let (path, dir) = self.place()?;
        if !path.is_file() {
            return Ok(0);
        }
        let _lock = self.lock(dir)?;
        let before = Known::read(&discover::real(&self.store), Some(path.to_path_buf()));
        if let Some(problem) = before.problem {
            return Err(problem.into());
        }
        let before = before.keys();
        let gone = |key: &u128| keys.is_none_or(|keys| keys.contains(&Key(*key)));
        let kept: BTreeSet<u128> = before.iter().copied().filter(|key| !gone(key)).collect();
        let text = format!("{}{}", self.head(), lines(&kept));
        atomic::replace_file(path, text.as_bytes(), self.sync, || Ok(true))?;
        Ok(before.len() - kept.len())
    }

    fn place(&self) -> Result<(&Path, &Path)> {
        let path = self.known().path.as_deref();
        let place = path.and_then(|path| Some((path, path.parent()?)));
        place.context("there is no directory for it: set HOME, or XDG_STATE_HOME")
    }

    /// One writer at a time, so that none replaces what another has just added. What one that was
    /// killed left is deleted.
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

    /// The first line, for people: whose ledger it is.
    fn head(&self) -> String {
        format!("# texts reviewed in {:?}\n", discover::real(&self.store).to_string_lossy())
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let real = discover::real(&self.store);
            let path = self.state.as_ref().map(|state| state.join(discover::key_of(&real)));
            Known::read(&real, path)
        })
    }
}

impl Known {
    /// Reads the ledger of the store at a path without links. A line that is no key is skipped: the keys prove themselves.
    fn read(store: &Path, path: Option<PathBuf>) -> Self {
        let name = Sha256::digest(store.as_os_str().as_encoded_bytes());
        // A whole block, so that it is hashed once and not with every text.
        let seed = Sha256::new_with_prefix(name).chain_update([0; 32]);
        let root = path.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
        let read = path.as_deref().map(|path| read::file(root, path, read::MAX_FILE));
        let (bytes, problem) = match read.unwrap_or(Ok(None)) {
            Ok(bytes) => (bytes.unwrap_or_default(), None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        let (foreign, said) = (is_foreign(store), Mutex::default());
        let (keys, always) = (OnceLock::new(), OnceLock::new());
        Self { seed, path, foreign, bytes, keys, said, always, problem }
    }

    /// All keys of the ledger.
    fn keys(&self) -> &IdSet<u128> {
        self.keys.get_or_init(|| {
            let mut keys = IdSet::default();
            keys.reserve(self.bytes.len() / LINE);
            keys.extend(evidence_log::lines(&self.bytes).filter_map(hex::read));
            keys
        })
    }

    /// Whether one key is among them, without reading the others.
    fn has_line(&self, key: Key) -> bool {
        let line = format!("\n{:032x}\n", key.0);
        memchr::memmem::find(&self.bytes, line.as_bytes()).is_some()
    }

    /// Those of some keys that the ledger holds.
    fn held(&self, keys: &[Key]) -> HashSet<Key> {
        if let Some(all) = self.keys.get() {
            return keys.iter().copied().filter(|key| all.contains(&key.0)).collect();
        }
        // Lines are compared as they stand, which is quicker than to read their digits.
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

/// The first digits of a line, as they stand.
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
fn is_foreign(store: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = std::fs::metadata(store).map(|meta| meta.uid());
    owner.is_ok_and(|owner| owner != rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_foreign(_: &Path) -> bool {
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
                Path::new(dir),
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

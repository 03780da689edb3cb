//! The ledger of trust: which texts of a store were written or reviewed on this machine.
//!
//! A store may come with a clone and change with every pull. So each store has a ledger in the
//! user's state directory, outside the repository, with a hash of every text that was written here
//! or that a person has reviewed. Texts that are not in the ledger are shown to people but not to
//! agents. The hash covers the store's real path, so that a ledger is valid for one store only.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashSet},
    io::{ErrorKind, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use anyhow::{Context, Result};
use pimem_core::{
    language::injection,
    review::{self, AgentReview, Contributor, OrderFound},
    safety::secret,
};

pub use super::trust_ledger::{TextKey, TrustedKind};
use super::{
    LockError, StoreLock,
    atomic::{self, Sync},
    discover,
    git::WorkTrees,
    read::{ProblemKind, ReadProblem},
    seal::Seal,
    trust_ledger::{self, KnownTexts, LINE, lines},
};

/// Begins the first line of a ledger, before the store's path in quotes.
const HEADING: &str = "# texts reviewed in ";
/// Bytes of a ledger in which its first line is looked for.
const HEAD: u64 = 8 * 1024;
/// Maximum number of ledgers that are looked through for a store's former place.
const LEDGERS: usize = 512;

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

/// Size and checksum of a ledger when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustMark {
    /// The trust beside the ledger, as [`Trust::level`] gives it.
    pub level: u32,
    pub len: u32,
    pub sum: u32,
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
    /// Who writes now, and what of agents awaits review.
    contributor: (Contributor, AgentReview),
    /// True if new keys are kept in memory only.
    unwritten: bool,
    known: Arc<OnceLock<KnownTexts>>,
    failure: Arc<OnceLock<String>>,
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
        let (contributor, unwritten) = Default::default();
        Self { store, seal, state, patience, sync, word, contributor, unwritten, known, failure }
    }

    #[must_use]
    pub fn written_by(self, contributor: Contributor, agents: AgentReview) -> Self {
        Self { contributor: (contributor, agents), ..self }
    }

    pub fn is_of_person(&self) -> bool {
        self.contributor.0 == Contributor::Person
    }

    pub fn is_of_agent(&self) -> bool {
        self.contributor.0 == Contributor::Agent
    }

    /// Returns why a text that is written now awaits review; `None` if agents may see it at once.
    pub fn waits(&self, text: &str) -> Option<&'static str> {
        let (contributor, agents) = self.contributor;
        review::waits(text, contributor, agents)
    }

    /// Returns a text that is no entry, as notes or a log, as an agent may see it.
    pub fn told<'a>(&self, text: &'a str) -> Cow<'a, str> {
        review::told(text, &self.withheld(text))
    }

    /// Returns the passages of a text that is no entry which an agent may not see: what is worded as
    /// an order, and what waits because an agent wrote it, unless a person vouched for it.
    pub fn withheld(&self, text: &str) -> Vec<OrderFound> {
        if self.is_always() {
            return Vec::new();
        }
        let waiting =
            if self.is_whole() { Arc::default() } else { trust_ledger::kept_waiting(self) };
        let waits = |passage: &str| {
            let waits = |key: &TextKey| waiting.contains(key) && !self.holds(*key);
            !waiting.is_empty() && self.lines(TrustedKind::Order, passage).iter().any(waits)
        };
        let mut found: Vec<OrderFound> = review::found(text, waits);
        found.retain(|one| {
            let passage = text.get(one.span.clone()).unwrap_or_default();
            waits(passage) || !self.holds(self.order(passage))
        });
        found
    }

    /// Returns the key of a passage that is worded as an order.
    pub fn order(&self, passage: &str) -> TextKey {
        self.text(TrustedKind::Order, &review::said(passage))
    }

    /// Returns the keys of the lines of a passage.
    pub fn lines(&self, kind: TrustedKind, passage: &str) -> Vec<TextKey> {
        // What begins with a line end is no entry.
        review::lines(passage).map(|line| self.text(kind, &format!("\n{line}"))).collect()
    }

    /// Returns a number for the trust that does not depend on the ledger.
    pub fn level(&self) -> u32 {
        self.word as u32 * 2 + u32::from(self.is_foreign())
    }

    /// Returns the mark by which [`has_only_grown`](Self::has_only_grown) recognises the ledger.
    pub fn mark(&self) -> TrustMark {
        let bytes = &self.known().bytes;
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        TrustMark { level: self.level(), len, sum: crc32fast::hash(bytes) }
    }

    /// Returns true if the ledger begins with what it was then.
    pub fn has_only_grown(&self, since: TrustMark) -> bool {
        let len = usize::try_from(since.len).unwrap_or(usize::MAX);
        let known = self.known();
        known.is_as_read() && known.bytes.get(..len).map(crc32fast::hash) == Some(since.sum)
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

    pub fn is_whole(&self) -> bool {
        self.word != TrustLevel::None || self.is_always()
    }

    /// Returns true if the user trusts all present and future content of the store.
    pub fn is_always(&self) -> bool {
        let known = self.known();
        *known.always.get_or_init(|| known.has_line(self.text(TrustedKind::Always, "")))
    }

    /// Returns true if the store was made on this machine or was once fully reviewed.
    pub fn is_made(&self) -> bool {
        self.holds(self.text(TrustedKind::Made, ""))
    }

    /// Returns true if the store is the user's own, which needs no ledger.
    pub fn is_own(&self) -> bool {
        self.word == TrustLevel::Own
    }

    /// Returns true if any text was written or reviewed by this user.
    pub fn is_begun(&self) -> bool {
        self.is_whole() || self.known().has_any()
    }

    /// Returns true if another user owns the store's directory: then the ledger is ignored.
    pub fn is_foreign(&self) -> bool {
        self.known().foreign
    }

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

    /// Takes the lock of writers of this store's files in the state directory. `None` without one.
    pub fn hold(&self) -> Result<Option<StoreLock>> {
        self.ledger().and_then(Path::parent).map(|dir| self.lock(dir)).transpose()
    }

    /// Returns where the store seems to have been before its folder was moved: a path that is gone,
    /// and whose ledger holds one of these entries, given as category and text.
    pub fn moved_from(&self, entries: &[(Cow<'static, str>, &str)]) -> Option<PathBuf> {
        let own = self.ledger()?;
        let ledgers = std::fs::read_dir(own.parent()?).ok()?.flatten().take(LEDGERS);
        let former = |path: PathBuf| {
            let mut head = Vec::new();
            let file = std::fs::File::open(&path).ok().filter(|_| path != own)?;
            file.take(HEAD).read_to_end(&mut head).ok()?;
            let line = String::from_utf8_lossy(&head);
            let quoted = line.lines().next()?.strip_prefix(HEADING)?;
            let store: PathBuf = serde_json::from_str(quoted).ok()?;
            let is_gone = std::fs::symlink_metadata(&store)
                .is_err_and(|error| error.kind() == ErrorKind::NotFound);
            let known = is_gone.then(|| KnownTexts::read(&self.seal, &store, Some(path)))?;
            let holds = |(category, text): &(Cow<'static, str>, &str)| {
                let parts = ["[", category, "] ", text].map(str::as_bytes);
                known.keys().contains(&known.key(TrustedKind::Entry, &parts).0)
            };
            entries.iter().any(holds).then_some(store)
        };
        ledgers.map(|entry| entry.path()).find_map(former)
    }

    pub fn texts(&self) -> usize {
        self.known().keys().len()
    }

    /// Returns why the ledger could not be read, if one is needed. A state directory that cannot be
    /// used at all counts as having no ledger.
    pub fn problem(&self) -> Option<&ReadProblem> {
        let is_none = |problem: &&ReadProblem| matches!(problem.kind, ProblemKind::Closed(_));
        if self.is_whole() { None } else { self.known().problem.as_ref().filter(|p| !is_none(p)) }
    }

    pub fn entry(&self, category: &str, text: &str) -> TextKey {
        self.key(TrustedKind::Entry, &["[", category, "] ", text].map(str::as_bytes))
    }

    /// Returns the key that marks an entry as not typed here.
    pub fn brought(&self, category: &str, text: &str) -> TextKey {
        self.key(TrustedKind::Brought, &["[", category, "] ", text].map(str::as_bytes))
    }

    /// Returns the key that marks an entry as added by an agent and not looked at since.
    pub fn by_agent(&self, category: &str, text: &str) -> TextKey {
        self.key(TrustedKind::ByAgent, &["[", category, "] ", text].map(str::as_bytes))
    }

    /// Returns the key that marks an entry as one without a secret, whatever it looks like.
    pub fn no_secret(&self, category: &str, text: &str) -> TextKey {
        self.key(TrustedKind::NoSecret, &["[", category, "] ", text].map(str::as_bytes))
    }

    /// Returns the kind of secret that an entry seems to hold, unless a person has let it out.
    pub fn secret_in(&self, category: &str, text: &str) -> Option<&'static str> {
        let found = secret::seen(text)?;
        // The exception holds for this text alone, whatever else is trusted.
        (!self.holds(self.no_secret(category, text))).then_some(found)
    }

    /// Returns the key of another text.
    pub fn text(&self, kind: TrustedKind, text: &str) -> TextKey {
        self.key(kind, &[text.as_bytes()])
    }

    /// Returns the key of a file of notes, a list or a log.
    pub fn file(&self, name: &str, bytes: &[u8]) -> TextKey {
        self.key(TrustedKind::Notes, &[name.as_bytes(), &[0], bytes])
    }

    fn key(&self, kind: TrustedKind, parts: &[&[u8]]) -> TextKey {
        self.known().key(kind, parts)
    }

    /// Returns true if an agent may see the entry. In the user's own store, only orders are looked
    /// up.
    pub fn holds_entry(&self, category: &str, text: &str) -> bool {
        match self.word {
            TrustLevel::Named => true,
            TrustLevel::Own if injection::find(text).is_none() => true,
            TrustLevel::Own | TrustLevel::None => {
                self.holds(self.entry(category, text)) || self.is_always()
            }
        }
    }

    /// Returns true if an agent may see another text, or if the text takes effect. Settings decide
    /// which programs run, so each needs a review even if the user trusts the whole store.
    pub fn holds_text(&self, kind: TrustedKind, text: &str) -> bool {
        let vouched = || kind != TrustedKind::Settings && self.is_always();
        self.word != TrustLevel::None || self.holds(self.text(kind, text)) || vouched()
    }

    /// Returns true if the ledger holds a key and is not ignored.
    pub fn holds(&self, key: TextKey) -> bool {
        let known = self.known();
        let said = || known.said.lock().is_ok_and(|said| said.contains(&key.0));
        !known.foreign && (known.has(key) || said())
    }

    /// Returns the given keys that the ledger holds, if it is not ignored. For a few keys this is
    /// faster than asking for each, because the ledger is scanned only once.
    pub fn held(&self, keys: &[TextKey]) -> HashSet<TextKey> {
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
    pub fn record_text(&self, kind: TrustedKind, text: &str) {
        self.note(|| vec![self.text(kind, text)]);
    }

    /// Records keys of texts written here. An error is reported when the command ends.
    pub fn note(&self, keys: impl FnOnce() -> Vec<TextKey>) {
        if !self.is_own() {
            self.vouch(&keys());
        }
    }

    /// Records keys, also in the user's own store. An error is reported when the command ends.
    pub fn vouch(&self, keys: &[TextKey]) {
        if !keys.is_empty()
            && let Err(error) = self.record(keys)
        {
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
    pub fn record(&self, keys: &[TextKey]) -> Result<()> {
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
    pub fn forget(&self, keys: Option<&[TextKey]>) -> Result<usize> {
        let (path, dir) = self.place()?;
        if !path.is_file() {
            return Ok(0);
        }
        let _lock = self.lock(dir)?;
        let before = KnownTexts::read(&self.seal, &self.known().store, Some(path.to_path_buf()));
        if let Some(problem) = before.problem {
            return Err(problem.into());
        }
        let before = before.keys();
        let gone = |key: &u128| keys.is_none_or(|keys| keys.contains(&TextKey(*key)));
        let kept: BTreeSet<u128> = before.iter().copied().filter(|key| !gone(key)).collect();
        let text = format!("{}{}", self.head(), lines(&kept));
        self.seal.replace(path, text.as_bytes(), self.sync, || Ok(true))?;
        let gone: Vec<TextKey> =
            before.iter().filter(|key| !kept.contains(key)).map(|key| TextKey(*key)).collect();
        self.known().unsay(&gone);
        Ok(gone.len())
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
        self.seal.reread();
        atomic::sweep(dir);
        Ok(lock)
    }

    /// Returns the first line of the file, which names the store for people.
    fn head(&self) -> String {
        format!("{HEADING}{:?}\n", self.known().store.to_string_lossy())
    }

    pub(super) fn known(&self) -> &KnownTexts {
        self.known.get_or_init(|| {
            let read = |store: &Path| {
                let path = self.state.as_ref().map(|state| state.join(discover::key_of(store)));
                let mut known = KnownTexts::read(&self.seal, store, path);
                known.foreign = is_foreign(&self.store);
                known
            };
            let (real, shared) = (discover::real(&self.store), shared_place(&self.store));
            let known = read(&shared);
            // Another work tree may have a branch that is sealed.
            if known.problem.is_some() && real != shared { read(&real) } else { known }
        })
    }
}

/// Bytes of a sealed ledger from which its pieces may be joined.
const SEALED: u64 = 16 << 10;

#[cfg(unix)]
pub fn is_foreign(store: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = std::fs::metadata(store).map(|meta| meta.uid());
    owner.is_ok_and(|owner| owner != rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
pub fn is_foreign(_: &Path) -> bool {
    false
}

/// Returns what the texts of a store are known by: its real path or, in a linked work tree, the path
/// that it has in the main one, so that a text reviewed in one of them is known in all.
pub(super) fn shared_place(store: &Path) -> PathBuf {
    let real = discover::real(store);
    let trees = WorkTrees::of(&real).filter(|trees| trees.linked.is_some());
    trees.map_or(real, |trees| trees.main())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_categories_and_stores_are_told_apart() {
        let trust = |dir: &str| {
            let failure = Arc::default();
            Trust::new(
                (Path::new(dir), Seal::default()),
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
            here.text(TrustedKind::Session, "[lesson] text"),
            here.text(TrustedKind::Handoff, "[lesson] text"),
            there.entry("lesson", "text"),
        ];
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
        assert_eq!(here.entry("lesson", "text"), here.text(TrustedKind::Entry, "[lesson] text"));
        assert!(here.record(&keys).is_err(), "there is no place to write them to");
        assert!(!here.holds_entry("lesson", "text"));
    }
}

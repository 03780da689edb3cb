//! The ledger of trust on the disk: its keys, and those of lines that this machine wrote but that no
//! person has reviewed, such as statements learned from texts that may have been pasted.
//!
//! The latter are stored beside the ledger, never in it. A pending key does not make a line visible to
//! an agent; it distinguishes lines written by this machine from lines that a clone or pull brought.

use std::{
    collections::{BTreeSet, HashSet},
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use anyhow::{Context, Result};
use pimem_core::{
    language::injection,
    model::hash::{self, IdSet},
    review,
};
use sha2::{Digest, Sha256};

use super::{
    atomic::{self, Sync},
    evidence,
    read::{self, ReadProblem},
    seal::Seal,
    trust::{self, Trust},
};

/// Key of a text: the first 128 bits of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextKey(pub(super) u128);

impl TextKey {
    /// Returns the key in hexadecimal, as in the file.
    pub(super) fn hex(self) -> String {
        format!("{:032x}", self.0)
    }
}

/// A ledger as read.
#[derive(Debug)]
pub(super) struct KnownTexts {
    /// Path under which texts of the store are noted; all work trees of a repository have the same one.
    pub(super) store: PathBuf,
    /// Its hash, the prefix of each key's input.
    seed: Sha256,
    pub(super) path: Option<PathBuf>,
    /// True if another user owns the store's directory.
    pub(super) foreign: bool,
    pub(super) bytes: Vec<u8>,
    /// All keys, parsed once more than a few are looked for.
    keys: OnceLock<IdSet<u128>>,
    /// Number of keys that were looked for before.
    asked: AtomicUsize,
    /// Keys recorded since the file was read.
    pub(super) said: Mutex<IdSet<u128>>,
    /// Keys removed since then.
    unsaid: Mutex<IdSet<u128>>,
    /// Keys that await review, if they were read and none was noted since.
    waiting: Mutex<Option<Arc<HashSet<TextKey>>>>,
    /// True if the user trusts all of it; computed on first use.
    pub(super) always: OnceLock<bool>,
    pub(super) problem: Option<ReadProblem>,
}

impl KnownTexts {
    /// Reads the ledger of the store at a canonical path. Lines that are not keys are skipped.
    pub(super) fn read(seal: &Seal, store: &Path, path: Option<PathBuf>) -> Self {
        let name = Sha256::digest(store.as_os_str().as_encoded_bytes());
        // Padded to a whole hash block, so that the block is hashed once and not for every text.
        let seed = Sha256::new_with_prefix(name).chain_update([0; 32]);
        let root = path.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
        let read = path.as_deref().map(|path| seal.read(root, path, read::MAX_FILE));
        let (bytes, problem) = match read.unwrap_or(Ok(None)) {
            Ok(bytes) => (bytes.unwrap_or_default(), None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        let (foreign, said, waiting) =
            (trust::is_foreign(store), Mutex::default(), Mutex::default());
        let (keys, always, unsaid) = (OnceLock::new(), OnceLock::new(), Mutex::default());
        let (asked, store) = (AtomicUsize::new(0), store.to_path_buf());
        Self {
            store,
            seed,
            path,
            foreign,
            bytes,
            keys,
            asked,
            said,
            unsaid,
            waiting,
            always,
            problem,
        }
    }

    pub(super) fn key(&self, kind: TrustedKind, parts: &[&[u8]]) -> TextKey {
        let mut hash = self.seed.clone();
        hash.update(kind.name());
        hash.update([0]);
        for part in parts {
            hash.update(part);
        }
        let digest = hash.finalize();
        TextKey(digest.first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes)))
    }

    fn forget_waiting(&self) {
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn keys(&self) -> &IdSet<u128> {
        self.keys.get_or_init(|| {
            let mut keys = IdSet::default();
            keys.reserve(self.bytes.len() / LINE);
            keys.extend(evidence::lines(&self.bytes).filter_map(hash::read_hex));
            keys
        })
    }

    /// Returns true if the file has a key, without parsing the others.
    pub(super) fn has_line(&self, key: TextKey) -> bool {
        let line = format!("\n{}", key.hex());
        let ends = |at: usize| self.bytes.get(at + LINE).is_none_or(u8::is_ascii_whitespace);
        memchr::memmem::find_iter(&self.bytes, &line).any(ends)
    }

    /// Forgets keys that were removed from the file.
    pub(super) fn unsay(&self, keys: &[TextKey]) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.retain(|key| !keys.contains(&TextKey(*key)));
        let mut unsaid = self.unsaid.lock().unwrap_or_else(PoisonError::into_inner);
        unsaid.extend(keys.iter().map(|key| key.0));
    }

    fn is_unsaid(&self, key: TextKey) -> bool {
        self.unsaid.lock().unwrap_or_else(PoisonError::into_inner).contains(&key.0)
    }

    /// Returns true if the file has any key.
    pub(super) fn has_any(&self) -> bool {
        evidence::lines(&self.bytes).any(|line| hash::read_hex(line).is_some())
    }

    /// Returns true if the file has a key that was not removed since.
    pub(super) fn has(&self, key: TextKey) -> bool {
        let is_one_of_few =
            self.keys.get().is_none() && self.asked.fetch_add(1, Ordering::Relaxed) < FEW;
        let is_there =
            if is_one_of_few { self.has_line(key) } else { self.keys().contains(&key.0) };
        is_there && !self.is_unsaid(key)
    }

    /// Returns true if the file has all the keys that it was read to have.
    pub(super) fn is_as_read(&self) -> bool {
        self.unsaid.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(super) fn held(&self, keys: &[TextKey]) -> HashSet<TextKey> {
        let mut held = self.in_file(keys);
        held.retain(|key| !self.is_unsaid(*key));
        held
    }

    fn in_file(&self, keys: &[TextKey]) -> HashSet<TextKey> {
        if let Some(all) = self.keys.get() {
            return keys.iter().copied().filter(|key| all.contains(&key.0)).collect();
        }
        // Lines are compared as text, which is faster than parsing them.
        let mut wanted: Vec<(String, TextKey)> = keys.iter().map(|key| (key.hex(), *key)).collect();
        wanted.sort_unstable();
        let starts: IdSet<u64> =
            wanted.iter().filter_map(|(line, _)| start(line.as_bytes())).collect();
        let likely = |line: &&[u8]| start(line).is_some_and(|start| starts.contains(&start));
        let find = |line: &[u8]| {
            let at = wanted.binary_search_by(|(known, _)| known.as_bytes().cmp(line)).ok()?;
            wanted.get(at).map(|(_, key)| *key)
        };
        evidence::lines(&self.bytes).filter(likely).filter_map(find).collect()
    }
}

/// Number of keys that are found sooner by a look through the file than by parsing all of it.
const FEW: usize = 16;
/// Bytes of a line.
pub(super) const LINE: usize = 33;
/// Returns the first 8 digits of a line as a number.
fn start(line: &[u8]) -> Option<u64> {
    line.first_chunk().map(|digits| u64::from_ne_bytes(*digits))
}

pub(super) fn lines(keys: &BTreeSet<u128>) -> String {
    keys.iter().fold(String::new(), |mut lines, key| {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{key:032x}");
        lines
    })
}

/// Records the keys of lines. Called before the lines are written.
pub fn note_waiting(trust: &Trust, keys: &[TextKey]) -> Result<()> {
    let Some(path) = waiting_path(trust) else { return Ok(()) };
    let held = waiting_of(trust, keys);
    let fresh: Vec<&TextKey> = keys.iter().filter(|key| !held.contains(key)).collect();
    if fresh.is_empty() {
        return Ok(());
    }
    let dir = path.parent().context("there is no directory for what waits")?;
    atomic::create_dir(dir, Sync::Private)?;
    let _lock = trust.hold()?;
    let lines: String = fresh.iter().map(|key| key.hex() + "\n").collect();
    trust.seal().append(&path, lines.as_bytes(), Sync::Private)?;
    trust.known().forget_waiting();
    Ok(())
}

/// Returns the given keys that are recorded.
pub fn waiting_of(trust: &Trust, keys: &[TextKey]) -> HashSet<TextKey> {
    if keys.is_empty() {
        return HashSet::new();
    }
    let known = all_waiting(trust);
    keys.iter().copied().filter(|key| known.contains(key)).collect()
}

/// Returns all keys that are recorded.
fn all_waiting(trust: &Trust) -> HashSet<TextKey> {
    let Some(path) = waiting_path(trust) else { return HashSet::new() };
    let dir = path.parent().unwrap_or(Path::new("/"));
    let bytes = trust.seal().read(dir, &path, read::MAX_FILE).ok().flatten().unwrap_or_default();
    evidence::lines(&bytes).filter_map(hash::read_hex).map(TextKey).collect()
}

/// Returns all keys that are recorded; the file is read once, as a search asks for every note.
pub(super) fn kept_waiting(trust: &Trust) -> Arc<HashSet<TextKey>> {
    let mut kept = trust.known().waiting.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(kept.get_or_insert_with(|| Arc::new(all_waiting(trust))))
}

pub fn any_waiting(trust: &Trust) -> bool {
    waiting_path(trust).is_some_and(|path| path.is_file())
}

pub fn forget_waiting(trust: &Trust, keys: &[TextKey]) -> Result<()> {
    let Some(path) = waiting_path(trust).filter(|path| path.is_file()) else { return Ok(()) };
    let dir = path.parent().unwrap_or(Path::new("/"));
    let _lock = trust.hold()?;
    let bytes = trust.seal().read(dir, &path, read::MAX_FILE).ok().flatten().unwrap_or_default();
    let gone: HashSet<String> = keys.iter().map(|key| key.hex()).collect();
    let text = String::from_utf8_lossy(&bytes);
    let kept: String =
        text.lines().filter(|line| !gone.contains(*line)).flat_map(|line| [line, "\n"]).collect();
    if kept.len() < text.len() {
        trust.seal().replace(&path, kept.as_bytes(), Sync::Private, || Ok(true))?;
        trust.known().forget_waiting();
    }
    Ok(())
}

fn waiting_path(trust: &Trust) -> Option<PathBuf> {
    trust.ledger().map(|ledger| ledger.with_extension("waits"))
}

/// Returns the files of the ledger of trust, which need not exist.
pub(super) fn files_of(trust: &Trust) -> Vec<PathBuf> {
    trust.ledger().map(Path::to_path_buf).into_iter().chain(waiting_path(trust)).collect()
}

/// Keys that are recorded before the lines are written.
#[derive(Debug, Default)]
pub(super) struct SaidPassages {
    /// Keys of lines that agents may see, and of those that agents have added.
    known: Vec<TextKey>,
    /// Keys of lines of agents that await review.
    waiting: Vec<TextKey>,
}

impl SaidPassages {
    /// Takes a line that is written on this machine. Returns true if reports may show it.
    pub(super) fn take(&mut self, trust: &Trust, category: &str, text: &str) -> bool {
        let key = trust.entry(category, text);
        let waits = trust.waits(text).is_some();
        let needs_key =
            || !trust.is_own() || trust.is_of_agent() || injection::find(text).is_some();
        if trust.is_of_agent() && waits {
            self.waiting.push(key);
        } else if trust.is_of_agent() && !trust.holds(key) {
            self.known.push(trust.by_agent(category, text));
        }
        if !waits && needs_key() {
            self.known.push(key);
        }
        trust.is_whole() && !trust.is_own() || !(waits || trust.is_foreign())
    }

    /// Takes a text that is no entry and that is written on this machine. Returns why passages of it
    /// are not shown to agents.
    pub(super) fn take_text(&mut self, trust: &Trust, text: &str) -> Vec<&'static str> {
        let mut why = Vec::new();
        for span in review::passages(text) {
            let passage = text.get(span).unwrap_or_default();
            let (order, lines) = (trust.order(passage), trust.lines(TrustedKind::Order, passage));
            let waits = trust.waits(&review::said(passage));
            if waits.is_some() && !trust.holds(order) {
                why.extend(waits);
            }
            if trust.is_of_person() {
                // What an agent wrote before counts as typed.
                self.known.extend(waiting_of(trust, &lines));
            } else if trust.is_of_agent() && waits.is_some() {
                self.waiting.extend(lines);
            } else if trust.is_of_agent() {
                self.known.extend(trust.lines(TrustedKind::ByAgent, passage));
            }
            if waits.is_none() && review::order(passage).is_some() {
                self.known.push(order);
            }
        }
        why
    }

    /// Takes a key of another text that agents may see.
    pub(super) fn vouch(&mut self, key: TextKey) {
        self.known.push(key);
    }

    /// Records the keys. What waits comes first, so that no line passes for one that was typed. An
    /// error in recording the others is reported when the command ends.
    pub(super) fn record(&self, trust: &Trust) -> Result<()> {
        note_waiting(trust, &self.waiting)?;
        trust.vouch(&self.known);
        Ok(())
    }
}

pimem_core::named! {
/// A kind of text. The kind is part of the key: equal texts of two kinds have different keys.
    pub enum TrustedKind {
    /// All present and future texts that git brings; the text is empty.
        Always = "always",
    /// Canonical line of an entry that must not count as typed here: git brought it, or trust in it
    /// was withdrawn.
        Brought = "brought",
    /// Canonical line of an entry.
        Entry = "entry",
    /// A handoff, from its first comment to its last.
        Handoff = "handoff",
    /// The heading that a project defines for a category's section.
        Heading = "heading",
    /// The store itself: the empty text means that it was made here or fully reviewed.
        Made = "made",
    /// A file of notes, a list or a log: its name and whole content. The empty text stands for all
    /// of them, if git brings none.
        Notes = "notes",
    /// Canonical line of an entry of which a person said that it holds no secret.
        NoSecret = "no-secret",
    /// Canonical line of an entry that an agent has added, or a line of notes, a log or a list, until
    /// a person looks at it.
        ByAgent = "by-agent",
    /// A passage of notes, a log or a list that is worded as an order, or a line of one that an agent
    /// wrote: what it says.
        Order = "order",
    /// Canonical line of an entry that an agent wants pinned.
        Pin = "pin",
    /// A summary of a past session.
        Session = "session",
    /// Path of a transcript, as given to a hook on this machine.
        Transcript = "transcript",
    /// Settings in a project's file that decide which programs run, and what is sent to whom.
        Settings = "settings",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let keys = BTreeSet::from([0, 1, u128::MAX, 0x0123_4567_89ab_cdef << 60]);
        let text = lines(&keys);
        assert_eq!(text.lines().filter_map(|line| hash::read_hex(line.as_bytes())).count(), 4);
        assert_eq!(
            text.lines().filter_map(|l| hash::read_hex(l.as_bytes())).collect::<BTreeSet<_>>(),
            keys
        );
        let zeros = "0".repeat(32);
        for line in ["", "#", "x", &zeros[1..], &format!("{zeros}0"), &zeros.replacen('0', "+", 1)]
        {
            assert_eq!(hash::read_hex(line.as_bytes()), None, "{line}");
        }
    }
}

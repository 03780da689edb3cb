//! The spool: what a person said at a prompt, until the store has learned it.
//!
//! The prompt hook appends here before it does anything else, without a lock. Whoever takes the
//! lock of the store next learns the lines and deletes them. A line may be learned twice, as after
//! a kill between the two; its [`Said::mark`] is in the ids of its events, by which the second time
//! is recognised.
//!
//! Each line has a MAC by a key in the state directory over the store's real path and the line, so
//! that a clone or an archive cannot bring any. Lines of others are neither learned nor deleted
//! alone.
//!
//! A linked work tree may be removed with all its files. Its spool is therefore in the directory that
//! the repository's work trees share, under the path that the store has in the main one; when the
//! work tree is gone, the others learn it.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail};
use pimem_core::{
    markdown::topic,
    model::{
        entry::{EntryId, Markers},
        event::Provenance,
        hash::{self, fnv1a64},
        time::{Now, Timestamp},
    },
    seal::{HashKey, KEY_BYTES},
};
use serde::{Deserialize, Serialize};

use super::{
    Store, StoreLock,
    atomic::{self, Sync},
    discover,
    git::{KEPT_LINES, SPOOL},
    kept_lines,
    read::{self, ProblemKind, ReadProblem},
};

/// File of the key, in the state directory.
const KEY: &str = "pimem/spool/key";
/// Folder of the spools of stores whose `data/` cannot be written, in the state directory.
const ASIDE: &str = "pimem/spool/stores";
/// Purpose of the key of the MACs.
const PURPOSE: &str = "spool";
/// Hexadecimal digits of a MAC: 128 bits.
const MAC: usize = 32;
/// Maximum wait while the store is sealed or made plain.
pub(super) const HASTE: Duration = Duration::from_millis(100);
/// Milliseconds within which one sentence of one prompt is one statement.
const HOUR_MS: i64 = 3_600_000;

/// A sentence that a person said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// When, in RFC 3339.
    pub at: String,
    /// Name of the agent.
    pub by: String,
    /// Id of the session, cleaned for storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Name of the session's ledger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    #[serde(default)]
    pub prompt: u64,
    /// The sentence as it is stored: without private parts, and never with a secret.
    pub text: String,
    /// True if a person has to review it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// Name of the kind of memory that it makes; nothing for a preference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Importance at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// Category of a line that was added in a linked work tree; nothing for a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The text that a line had before, or that of a line that was taken away if there is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The markers behind the text of a line, each with a space before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub markers: Option<String>,
    /// Last moment of a line's validity, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Ids of the entries that a line replaced where it was added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<String>,
    /// The branch on which a line was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Stem of the topic file that a line was added to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The question in the same prompt that it answers best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The store that it is for, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<PathBuf>,
}

impl Said {
    /// Returns the id of a line's entry.
    pub fn id(&self) -> Option<EntryId> {
        self.change().id()
    }

    /// Returns the line as a topic has it, without markers.
    pub(super) fn line(&self) -> Option<String> {
        self.change().line()
    }

    pub fn markers(&self) -> Markers {
        let line = format!("{}{}", self.text, self.markers.as_deref().unwrap_or_default());
        topic::split_markers(&line).1
    }

    pub(super) fn change(&self) -> LineChange<'_> {
        LineChange {
            text: Cow::Borrowed(&self.text),
            was: self.was.as_deref().map(Cow::Borrowed),
            category: self.category.as_deref().map(Cow::Borrowed),
            branch: self.branch.as_deref().map(Cow::Borrowed),
            topic: self.topic.as_deref().map(Cow::Borrowed),
        }
    }

    /// Returns where a line was learned, in words for people.
    pub fn source(&self) -> Option<String> {
        self.category.as_ref()?;
        Some(format!("learned on {}", self.branch.as_deref().unwrap_or("no branch")))
    }

    pub fn time(&self) -> Option<Now> {
        Timestamp::parse(&self.at).map(Now)
    }

    pub fn expiry(&self) -> Option<Timestamp> {
        self.until.as_deref().and_then(Timestamp::parse)
    }

    pub fn who(&self) -> Provenance {
        Provenance { by: self.by.clone(), session: self.session.clone(), ..Provenance::default() }
    }

    /// Returns the number by which its events are recognised: a hash of session, prompt and
    /// sentence, and of the hour, as a person may say something again.
    pub fn mark(&self) -> u128 {
        let hour = self.time().map_or(0, |now| now.0.0.div_euclid(HOUR_MS));
        let (hour, prompt) = (hour.to_be_bytes(), self.prompt.to_be_bytes());
        let session = self.ledger.as_deref().unwrap_or_default().as_bytes();
        let parts: [&[u8]; 5] = [session, &[0], &prompt, &hour, self.text.as_bytes()];
        let low = u128::from(fnv1a64(&parts));
        let high = u128::from(fnv1a64(&[b"said", parts.concat().as_slice()]));
        high << 64 | low
    }
}

/// The parts of a [`Said`] that tell what becomes of a line. There are thousands before a first merge, and
/// few of them are wanted whole.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct LineChange<'a> {
    pub text: Cow<'a, str>,
    pub was: Option<Cow<'a, str>>,
    pub category: Option<Cow<'a, str>>,
    pub branch: Option<Cow<'a, str>>,
    pub topic: Option<Cow<'a, str>>,
}

impl<'a> LineChange<'a> {
    fn read(json: &'a str) -> Option<Self> {
        Self::read_plain(json).or_else(|| serde_json::from_str(json).ok())
    }

    /// Fast path for lines without escapes, as they are written here: in these every quote begins or ends
    /// a string, and a colon is behind a key.
    fn read_plain(json: &'a str) -> Option<Self> {
        let bytes = json.as_bytes();
        if memchr::memchr(b'\\', bytes).is_some() {
            return None;
        }
        let (mut text, mut was, mut category, mut branch, mut topic) = Default::default();
        let (mut key, mut quotes) = ("", memchr::memchr_iter(b'"', bytes));
        while let (Some(start), Some(end)) = (quotes.next(), quotes.next()) {
            let string = json.get(start + 1..end)?;
            if bytes.get(end + 1) == Some(&b':') {
                key = string;
                continue;
            }
            let part = Some(Cow::Borrowed(string));
            match key {
                "text" => text = part,
                "was" => was = part,
                "category" => category = part,
                "branch" => branch = part,
                "topic" => topic = part,
                _ => {}
            }
        }
        Some(Self { text: text?, was, category, branch, topic })
    }

    /// Returns the id of the line's entry.
    pub(super) fn id(&self) -> Option<EntryId> {
        Some(EntryId::of(self.category.as_deref()?, self.text.as_bytes()))
    }

    /// Returns the line as a topic has it, without markers.
    pub(super) fn line(&self) -> Option<String> {
        Some(format!("- [{}] {}", self.category.as_ref()?, self.text))
    }
}

/// A line of a spool.
pub(super) struct SignedLine<'a> {
    mac: &'a str,
    json: &'a str,
}

impl<'a> SignedLine<'a> {
    /// Returns the lines of a file, whoever wrote them. Torn ones are left out.
    pub(super) fn all(text: &'a str) -> impl Iterator<Item = Self> {
        let part = |line: &'a str| line.trim_end().split_once(' ');
        text.lines().filter_map(part).map(|(mac, json)| Self { mac, json })
    }

    pub(super) fn change(&self) -> Option<LineChange<'a>> {
        LineChange::read(self.json)
    }

    pub(super) fn said(&self) -> Option<Said> {
        serde_json::from_str(self.json).ok()
    }

    /// Returns true if this machine wrote it for this store.
    pub(super) fn is_by(&self, key: &HashKey) -> bool {
        self.mac == mac(key, self.json)
    }
}

/// Statements of a spool that was taken aside to be learned.
#[derive(Debug)]
pub struct Batch {
    path: PathBuf,
    pub said: Vec<Said>,
    /// The lock of a place that several stores learn.
    _held: Option<StoreLock>,
}

pub(super) struct Place {
    /// The directory that it must not lead out of.
    pub root: PathBuf,
    /// The spool that is appended to.
    open: PathBuf,
    /// The spool that is being learned.
    taken: PathBuf,
    /// The lines that were added in the work tree.
    pub kept: PathBuf,
    /// True if the stores of several work trees learn it.
    is_left: bool,
}

impl Place {
    pub(super) fn new(root: PathBuf, name: &str) -> Self {
        let file = |end: &str| root.join(format!("{name}{end}.jsonl"));
        Self { open: file(""), taken: file("-taken"), kept: file(KEPT_LINES), root, is_left: false }
    }
}

impl Store {
    /// Appends sentences, and waits for the disk. From then on they are not lost. Nothing is
    /// written if there are none.
    ///
    /// # Errors
    /// Fails if neither `data/` nor the state directory can be written, or if the store is sealed
    /// and cannot be opened.
    pub fn spool(&self, said: &[Said]) -> Result<()> {
        if said.is_empty() || self.mirror.is_some() {
            return Ok(());
        }
        self.seal.check_write()?;
        let lines = signed(&self.made_spool_key()?, said)?;
        let sync = self.sync.private();
        let append = |path: &Path| {
            let record = self.seal.appended(path, lines.as_bytes())?.into_owned();
            atomic::append_record(path, record.trim_ascii_end(), sync)
        };
        let haste = self.patience.min(HASTE);
        let linked = || {
            let Place { root, open, .. } = self.linked_place()?;
            atomic::create_dir(&root, sync).ok()?;
            let _held = StoreLock::shared(&root, haste).ok()?;
            append(&open).ok()
        };
        if linked().is_some() {
            return Ok(());
        }
        let beside = if self.dir.is_dir() {
            self.made_path(&self.spool_file(), sync)
        } else {
            // A hook makes no store, nor anything beside one.
            Err(anyhow!("there is no store at {}", self.dir.display()))
        };
        let beside = beside.and_then(|path| {
            // A store that is just sealed, or made plain, takes the other place.
            let _held = StoreLock::shared(&self.data_dir(), haste)?;
            append(&path)
        });
        beside.or_else(|failed| {
            let place = self.spool_in_state().ok_or(failed)?;
            atomic::create_dir(&place.root, sync)?;
            append(&place.open)
        })
    }

    /// Returns true if there may be a spool to be learned. Costs a look at a few names.
    pub fn has_spool(&self) -> bool {
        let has = |place: &Place| {
            place.open.exists() || place.taken.exists() || place.is_left && place.kept.exists()
        };
        self.mirror.is_none() && self.spool_places().iter().any(has)
    }

    pub fn spooled(&self) -> Vec<Said> {
        let Some(key) = self.spool_key() else { return Vec::new() };
        let places = self.spool_places();
        let files = places.iter().flat_map(|place| [(place, &place.taken), (place, &place.open)]);
        let said = files.map(|(place, path)| self.said_in(place, path, &key).unwrap_or_default());
        said.flatten().collect()
    }

    /// Returns the lines of work trees that are gone; none if there is a store, as that learns them.
    pub fn left(&self) -> Vec<Said> {
        let Some(key) = self.spool_key().filter(|_| !discover::is_there(&self.dir)) else {
            return Vec::new();
        };
        let left = self.linked_places().into_iter().filter(|place| place.is_left);
        left.flat_map(|place| self.said_in(&place, &place.kept, &key).unwrap_or_default()).collect()
    }

    /// Takes a spool aside, so that nobody appends to it, and returns what it says; `None` if
    /// nothing waits. A spool that a process took before it died comes first.
    ///
    /// # Errors
    /// Fails if the directory cannot be written.
    pub fn take_spool(&self, _lock: &StoreLock) -> Result<Option<Batch>> {
        let Some(key) = self.spool_key().filter(|_| self.has_spool()) else { return Ok(None) };
        for place in self.spool_places() {
            let lock = || StoreLock::of_directory(&place.root, self.patience.min(HASTE));
            let there = place.open.exists() || place.taken.exists();
            // Somebody else is learning it.
            let Ok(held) = (place.is_left && there).then(lock).transpose() else { continue };
            let mut said = self.said_in(&place, &place.taken, &key)?;
            if said.is_empty() {
                if self.said_in(&place, &place.open, &key)?.is_empty() {
                    // Nobody adds to what is left.
                    let kept = if place.is_left {
                        self.said_in(&place, &place.kept, &key)?
                    } else {
                        Vec::new()
                    };
                    if kept.is_empty() {
                        continue;
                    }
                    return Ok(Some(Batch {
                        path: place.kept,
                        said: kept_lines::standing(kept, Said::change, |_| true),
                        _held: held,
                    }));
                }
                atomic::rename(&place.open, &place.taken)?;
                said = self.said_in(&place, &place.taken, &key)?;
            }
            return Ok(Some(Batch { path: place.taken, said, _held: held }));
        }
        Ok(None)
    }

    /// Deletes a spool that was learned. It need not reach the disk: what is learned twice counts
    /// once.
    ///
    /// # Errors
    /// Fails if the file cannot be deleted.
    pub fn drop_spool(&self, batch: &Batch, _lock: &StoreLock) -> Result<()> {
        atomic::remove_file(&batch.path, Sync::None)
            .with_context(|| format!("cannot delete {}", batch.path.display()))
    }

    /// Returns the files of linked work trees, each with its directory.
    pub(super) fn linked_spools(&self) -> Vec<(PathBuf, PathBuf)> {
        let places = self.linked_places().into_iter();
        let main = self.work_trees().filter(|trees| trees.linked.is_none());
        let main = main.map(|trees| Place::new(trees.kept(), &trees.name(SPOOL)));
        places
            .chain(main)
            .flat_map(|place| {
                let Place { root, open, taken, kept, .. } = place;
                [(root.clone(), open), (root.clone(), taken), (root, kept)]
            })
            .collect()
    }

    fn linked_place(&self) -> Option<Place> {
        let trees = self.work_trees()?;
        let place = Place::new(trees.noted()?, &trees.name(SPOOL));
        read::guard_way(&trees.common, &place.open).ok().map(|()| place)
    }

    /// Returns that place, and those of linked work trees that are gone.
    fn linked_places(&self) -> Vec<Place> {
        let Some(trees) = self.work_trees() else { return Vec::new() };
        let name = trees.name(SPOOL);
        let left = if self.apart { Vec::new() } else { trees.left() };
        let left = left.into_iter().map(|dir| Place { is_left: true, ..Place::new(dir, &name) });
        self.linked_place().into_iter().chain(left).collect()
    }

    /// Returns the files that may hold sentences outside of `data/`.
    pub(super) fn spool_files_in_state(&self) -> Vec<PathBuf> {
        let place = self.spool_in_state();
        place.into_iter().flat_map(|place| [place.open, place.taken]).collect()
    }

    /// Returns the name of the file in `data/`, which neighbouring stores may share.
    pub(super) fn spool_name(&self) -> String {
        match self.dir.file_name() {
            Some(name) if name != "memory" => {
                let real = discover::real(&self.dir);
                format!("{SPOOL}-{}", real.file_name().unwrap_or_default().to_string_lossy())
            }
            _ => SPOOL.to_owned(),
        }
    }

    fn spool_file(&self) -> String {
        format!("{}.jsonl", self.spool_name())
    }

    /// Returns the places of a spool, the one to write to first.
    fn spool_places(&self) -> Vec<Place> {
        let dirs = self.data_dirs_of_tree().into_iter();
        let beside = dirs.map(|dir| Place::new(dir, &self.spool_name()));
        // Resolving the store's path costs more than all else here.
        let aside = self.state.as_deref().filter(|state| state.join(ASIDE).is_dir());
        let linked = self.linked_places().into_iter();
        linked.chain(beside).chain(aside.and_then(|_| self.spool_in_state())).collect()
    }

    fn spool_in_state(&self) -> Option<Place> {
        let state = self.state.as_deref()?;
        Some(Place::new(state.join(ASIDE), &discover::key_of(&settled(&self.dir))))
    }

    /// Reads the sentences of a file that this machine wrote for this store. Torn lines are left
    /// out. A file that cannot be read is not one without sentences: it must not be deleted.
    pub(super) fn said_in(
        &self,
        place: &Place,
        path: &Path,
        key: &HashKey,
    ) -> Result<Vec<Said>, ReadProblem> {
        let text = self.text_in(place, path)?;
        let ours = SignedLine::all(&text).filter(|line| line.is_by(key));
        Ok(ours.filter_map(|line| line.said()).collect())
    }

    /// Reads such a file, whoever wrote its lines.
    pub(super) fn text_in(&self, place: &Place, path: &Path) -> Result<String, ReadProblem> {
        let held = match read::file(&place.root, path, read::MAX_FILE) {
            // Nothing was ever appended in a directory that cannot be entered, or is none.
            Err(ReadProblem { kind: ProblemKind::Closed(_), .. }) => None,
            held => held?,
        };
        let held = held.unwrap_or_default();
        let (mut lines, mut start) = (Vec::new(), 0);
        for end in memchr::memchr_iter(b'\n', &held).chain([held.len()]) {
            lines.extend(held.get(start..end).filter(|line| !line.is_empty()));
            start = end + 1;
        }
        if lines.is_empty() {
            return Ok(String::new());
        }
        let text = self.seal.open(path, lines.join(&b'\n'))?;
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(String::from_utf8(text).unwrap_or_else(|error| lossy(error.as_bytes())))
    }

    fn spool_key_path(&self) -> Option<PathBuf> {
        self.state.as_deref().map(|state| state.join(KEY))
    }

    pub(super) fn spool_key(&self) -> Option<HashKey> {
        let path = self.spool_key_path()?;
        let held = read::file(path.parent()?, &path, read::MAX_FILE).ok()??;
        let secret = secret(&held)?;
        let linked = self.work_trees().filter(|trees| trees.linked.is_some());
        let real = linked.map_or_else(|| settled(&self.dir), |of| settled(&of.main()));
        Some(HashKey::derive(&secret, PURPOSE, &real.to_string_lossy()))
    }

    pub(super) fn made_spool_key(&self) -> Result<HashKey> {
        if let Some(key) = self.spool_key() {
            return Ok(key);
        }
        let path = self.spool_key_path().context("there is no directory for the spool's key")?;
        let mut secret = [0; KEY_BYTES];
        atomic::fill(&mut secret)?;
        atomic::create_once(&path, format!("{}\n", hash::write_hex(&secret)).as_bytes())?;
        let Some(key) = self.spool_key() else { bail!("{} holds no key", path.display()) };
        Ok(key)
    }
}

/// Returns the real path of a store, which need not exist yet.
fn settled(dir: &Path) -> PathBuf {
    match (dir.parent(), dir.file_name()) {
        (Some(above), Some(name)) if !dir.exists() => settled(above).join(name),
        _ => discover::real(dir),
    }
}

fn secret(held: &[u8]) -> Option<[u8; KEY_BYTES]> {
    let (high, low) = held.trim_ascii_end().split_at_checked(KEY_BYTES)?;
    let mut secret = [0; KEY_BYTES];
    let halves = [hash::read_hex(high)?, hash::read_hex(low)?];
    let bytes = halves.iter().flat_map(|half| half.to_be_bytes());
    secret.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
    Some(secret)
}

/// Returns lines of a spool.
pub(super) fn signed(key: &HashKey, all: &[Said]) -> Result<String> {
    let line = |said: &Said| {
        let json = serde_json::to_string(said)?;
        Ok(format!("{} {json}\n", mac(key, &json)))
    };
    all.iter().map(line).collect()
}

fn mac(key: &HashKey, json: &str) -> String {
    let mut mac = hash::write_hex(&key.hash(json.as_bytes()));
    mac.truncate(MAC);
    mac
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_has_its_text_however_it_is_written() {
        for (json, text) in [
            (r#"{"at":"1","by":"a","prompt":0,"text":"uses ripgrep"}"#, Some("uses ripgrep")),
            (r#"{ "at" : "1", "by": "a", "text" : "uses ripgrep" }"#, Some("uses ripgrep")),
            (r#"{"at":"1","by":"a","text":"says \"text\""}"#, Some("says \"text\"")),
            (r#"{"at":"text","by":"a"}"#, None),
            (r#"{"text":7}"#, None),
        ] {
            assert_eq!(LineChange::read(json).map(|found| found.text.to_string()).as_deref(), text);
        }
    }

    proptest! {
        #[test]
        fn lines_are_read_as_json(
            text in "\\PC{0,9}", part in proptest::option::of("[a\":,\\\\{é ]{0,6}"), importance in proptest::option::of(0.0..1.0),
        ) {
            let (was, topic, asked) = (part.clone(), part.clone(), part.clone());
            let said = Said {
                by: text.clone(), text, was, topic, asked, importance, branch: Some("text".to_owned()), ..Said::default()
            };
            let json = serde_json::to_string(&said).unwrap();
            prop_assert_eq!(LineChange::read(&json), Some(said.change()));
        }
    }
}

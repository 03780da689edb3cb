//! What tells how a store is kept: `store.json`, the lines of its files, the keys of this machine,
//! and what this machine remembers of the store, in the user's state directory.
//!
//! `store.json` comes and goes with branches, merges and backups. Without that memory, a store whose
//! `store.json` is gone would look like one that was never sealed, and what is written next would
//! be plain text.

use std::{
    cell::OnceCell,
    fs,
    io::{self, Read as _},
    ops::Not,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{
    KeyPlaces, LOG, Now, STORE_FILE, SealKept, Sealed,
    store_file::{self, StoreManifest},
};
use crate::store::{
    atomic::{self, Sync},
    discover,
    git::WorkTrees,
    read::{self, ProblemKind, ReadProblem},
};
use pimem_core::seal::{KeyId, Keyring, TAG, is_token};

/// What to do without the key.
const LOST: &str = "copy the key file from the machine that sealed the store, or from its backup. \
                    Without it the entries, notes and evidence in the store are lost; to start \
                    afresh, move the store away and run pimem init";
/// Bytes at the start of a topic in which a sealed line is looked for.
const LOOKED: u64 = 4096;
/// Number of topics that are looked into.
const TOPICS: usize = 8;

/// Where a store is, and what opens it.
#[derive(Debug, Clone, Default)]
pub struct KeySource {
    pub dir: PathBuf,
    pub keys: KeyPlaces,
    /// The names of categories, which stay readable.
    pub categories: Vec<String>,
    pub cache: Option<PathBuf>,
    pub state: Option<PathBuf>,
    /// True if nobody is there to answer, as in hooks.
    pub unasked: bool,
}

/// The bytes of `store.json`: `Ok(None)` if it does not exist, an error if that cannot be told at
/// once.
pub(super) type Told = Result<Option<Vec<u8>>, ()>;

/// Reads `store.json` as it is now.
pub(super) fn told(dir: &Path) -> Told {
    let mut bytes = Vec::new();
    match atomic::open_to_read(&dir.join(STORE_FILE)) {
        Ok(file) => file.take(store_file::MOST).read_to_end(&mut bytes).map(|_| Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
    .map_err(drop)
}

/// Returns the problem that a store has sealed lines and does not say so.
pub(super) fn undescribed(dir: &Path) -> ReadProblem {
    let why = format!("lines in {} are sealed, and {STORE_FILE} does not say so", dir.display());
    let hint = "pimem encrypt repair writes it again where the key is; or take store.json from \
                git, or from the machine that sealed the store";
    ReadProblem { path: dir.join(STORE_FILE), kind: ProblemKind::Sealed { why, hint } }
}

/// Returns true if a store has sealed lines, by the start of its log; where there is no log, by
/// the start of its topics.
fn is_sealed(dir: &Path) -> bool {
    let tag = TAG.as_bytes();
    match read::part(dir, &dir.join(LOG), tag.len() as u64, |_| 0) {
        Ok(Some(start)) if !start.bytes.is_empty() => start.bytes == tag,
        Err(_) => false,
        Ok(_) => {
            let topics = dir.join("topics");
            let names = read::markdown_names(dir, &topics).unwrap_or_default();
            names.iter().take(TOPICS).any(|name| {
                let start = read::part(dir, &topics.join(name), LOOKED, |_| 0).ok().flatten();
                start.is_some_and(|start| {
                    String::from_utf8_lossy(&start.bytes).lines().any(is_token)
                })
            })
        }
    }
}

impl KeySource {
    pub(super) fn now(&self) -> Now {
        let told = told(&self.dir);
        let manifest = match told {
            Ok(None) => Ok(None),
            _ => StoreManifest::read(&self.dir),
        };
        let (kept, disputed) = match manifest {
            Err(problem) => (SealKept::Locked(Arc::new(problem)), None),
            Ok(Some(manifest)) if manifest.sealed => {
                let known = known_sealed(self, None);
                let is_opened = |known: &RememberedSeal| manifest.opening && !known.opening;
                let other =
                    known.as_ref().filter(|known| known.id != manifest.id || is_opened(known));
                let disputed = other.map(|known| self.disputed(known));
                (self.opened(manifest, known_here(self)), disputed)
            }
            // Somebody may have changed it so that what is written would be plain.
            Ok(_) if is_sealed(&self.dir) => {
                (SealKept::Undescribed(Arc::new(undescribed(&self.dir))), None)
            }
            Ok(manifest) => {
                let id = manifest.as_ref().map(|manifest| &*manifest.id);
                (SealKept::Plain, known_sealed(self, id).map(|known| self.disputed(&known)))
            }
        };
        Now { told, kept, disputed: disputed.map(Arc::new), barred: None }
    }

    /// Finds the keys of a sealed store.
    fn opened(&self, manifest: StoreManifest, known: Option<RememberedSeal>) -> SealKept {
        let locked = |path: &Path, why: String, hint| {
            let why = format!("the store in {} is sealed, and {why}", self.dir.display());
            let kind = ProblemKind::Sealed { why, hint };
            SealKept::Locked(Arc::new(ReadProblem { path: path.to_path_buf(), kind }))
        };
        let Some(place) = self.keys.of(&manifest.id) else {
            let hint = "set HOME, or encryption.keyPath";
            return locked(&self.dir, "there is no place for its key".to_owned(), hint);
        };
        match place.keys(&manifest.id, &manifest.key) {
            Ok((key, former)) => {
                let ring = Keyring::new(manifest.id, self.categories.clone(), key, former);
                let shelf = self.cache.as_ref().map(|cache| discover::index_dir(cache, &self.dir));
                // What was written before this machine knew it to be sealed may be plain text.
                let known = known.filter(|known| known.id == ring.store() && !known.plain);
                let due = known.map_or(Due::ALL, |known| known.due);
                let dir = self.dir.clone();
                SealKept::Sealed(Arc::new(Sealed::new(ring, manifest.opening, (dir, shelf), due)))
            }
            Err(why) => locked(place.path(), why, LOST),
        }
    }

    fn disputed(&self, known: &RememberedSeal) -> ReadProblem {
        let dir = self.dir.display();
        let why = if known.path == discover::real(&self.dir).to_string_lossy() {
            format!(
                "{dir} was sealed on this machine as the store {:.8}, and does not say so any more",
                known.id
            )
        } else {
            format!(
                "{dir} is the same store as {}, which was sealed on this machine as {:.8}, and \
                 does not say that it is sealed",
                known.path, known.id
            )
        };
        let hint = "pimem encrypt init if it is to be sealed, pimem encrypt decrypt if not; until \
                    then hooks write nothing";
        ReadProblem { path: self.dir.join(STORE_FILE), kind: ProblemKind::Sealed { why, hint } }
    }
}

/// Directory of the files below `pimem` in the state directory.
const REMEMBERED: &str = "pimem/sealed";
/// Bytes of a file at most.
const MOST: u64 = 64 << 10;

/// Files that are looked at for a store that has none of its own.
const FILES: usize = 256;

/// How a store was kept when this machine wrote it last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RememberedSeal {
    pub(super) path: String,
    /// 32 hexadecimal digits.
    pub(super) id: String,
    /// Id of the key that sealed.
    key: String,
    /// Which store of which git repository it is: the same in all work trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    /// True if a person said that it is plain here, whatever it is in other work trees and clones.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub(super) plain: bool,
    /// True if this machine has begun to make it plain.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub(super) opening: bool,
    /// What may have been written as plain text.
    #[serde(default, skip_serializing_if = "Due::is_none")]
    pub(super) due: Due,
}

/// What has to be sealed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Due {
    pub(super) store: bool,
    /// Files beside it, in the state directory, and the cache.
    pub(super) beside: bool,
}

impl Due {
    pub(super) const ALL: Self = Self { store: true, beside: true };

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde passes it")]
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

fn folder(source: &KeySource) -> Option<PathBuf> {
    // Most machines have no sealed store, and need not ask for the path of this one.
    source.state.as_ref().map(|state| state.join(REMEMBERED)).filter(|folder| folder.is_dir())
}

/// Returns the file of the store at its path. `None` without a state directory.
fn known_place(source: &KeySource) -> Option<PathBuf> {
    Some(source.state.as_ref()?.join(REMEMBERED).join(discover::store_key(&source.dir)))
}

fn parsed(path: &Path) -> Option<RememberedSeal> {
    let bytes = read::file(path.parent()?, path, MOST).ok()??;
    serde_json::from_slice(&bytes).ok()
}

/// Returns which store of which repository a store is; `None` without git.
fn repository(source: &KeySource) -> Option<String> {
    let trees = WorkTrees::of(&discover::real(&source.dir))?;
    Some(discover::key_of(&discover::real(&trees.common).join(trees.below)))
}

/// Returns what is remembered of the store at its path. A file that cannot be read counts as none.
fn known_here(source: &KeySource) -> Option<RememberedSeal> {
    folder(source)?;
    parsed(&known_place(source)?)
}

/// Returns true if a person has said that the store is plain where it is, whatever it is elsewhere.
pub(super) fn is_said_plain(source: &KeySource) -> bool {
    known_here(source).is_some_and(|known| known.plain)
}

/// Returns what is remembered of the store as one that is sealed: at its path, or else of the same
/// store in another work tree, or of one with the same id.
pub(super) fn known_sealed(source: &KeySource, id: Option<&str>) -> Option<RememberedSeal> {
    match known_here(source) {
        Some(known) if known.plain => None,
        Some(known) => Some(known),
        None => elsewhere(source, id),
    }
}

fn elsewhere(source: &KeySource, id: Option<&str>) -> Option<RememberedSeal> {
    let repository = OnceCell::new();
    let files = fs::read_dir(folder(source)?).ok()?.flatten().take(FILES);
    files.filter_map(|file| parsed(&file.path())).find(|known| {
        let ours = || repository.get_or_init(|| self::repository(source));
        let is_same = known.repository.is_some() && known.repository == *ours();
        !known.plain && (is_same || Some(known.id.as_str()) == id)
    })
}

/// Remembers that a store is sealed, unless that is known.
pub(super) fn remember(
    source: &KeySource,
    id: &str,
    key: KeyId,
    opening: bool,
    due: Due,
) -> Result<()> {
    let path = discover::real(&source.dir).to_string_lossy().into_owned();
    let (id, key, repository) = (id.to_owned(), key.to_string(), repository(source));
    write(source, &RememberedSeal { path, id, key, repository, plain: false, opening, due })
}

/// Remembers that something may have been written as plain text, beside a store that is known to
/// be sealed.
pub(super) fn remember_due(source: &KeySource) -> Result<()> {
    match known_here(source).filter(|known| !known.plain) {
        Some(known) => write(source, &RememberedSeal { due: Due::ALL, ..known }),
        // A store that is not known has all of it done where it is found sealed.
        None => Ok(()),
    }
}

/// Remembers that a person said that the store is plain; nothing, if nothing else says that it is
/// sealed.
pub(super) fn remember_plain(source: &KeySource, id: Option<&str>) -> Result<()> {
    forget(source)?;
    let Some(known) = elsewhere(source, id) else { return Ok(()) };
    let path = discover::real(&source.dir).to_string_lossy().into_owned();
    let due = Due::default();
    write(source, &RememberedSeal { path, plain: true, opening: false, due, ..known })
}

fn write(source: &KeySource, now: &RememberedSeal) -> Result<()> {
    let Some(place) = known_place(source).filter(|_| known_here(source).as_ref() != Some(now))
    else {
        return Ok(());
    };
    atomic::create_dir(place.parent().unwrap_or(Path::new("/")), Sync::PrivateFull)?;
    let text = format!("{}\n", serde_json::to_string(now)?);
    atomic::replace_file(&place, text.as_bytes(), Sync::PrivateFull, || Ok(true)).map(drop)
}

/// Forgets what is remembered of a store.
pub(super) fn forget(source: &KeySource) -> Result<()> {
    match known_place(source).filter(|place| place.exists()) {
        Some(place) => Ok(atomic::remove_file(&place, Sync::PrivateFull)?),
        None => Ok(()),
    }
}

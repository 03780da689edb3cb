//! What this machine remembers of sealed stores: a file for each, in the user's state directory.
//!
//! `store.json` comes and goes with branches, merges and backups. Without this, a store whose
//! `store.json` is gone would look like one that was never sealed, and what is written next would
//! be plain text.

use std::{
    cell::OnceCell,
    fs,
    ops::Not,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::Source;
use crate::store::{
    atomic::{self, Sync},
    discover,
    gitlink::WorkTrees,
    read,
};
use pimem_core::seal::KeyId;

/// Directory of the files below `pimem` in the state directory.
const FOLDER: &str = "pimem/sealed";
/// Bytes of a file at most.
const MOST: u64 = 64 << 10;

/// Files that are looked at for a store that has none of its own.
const FILES: usize = 256;

/// How a store was kept when this machine wrote it last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Remembered {
    /// Path of the store.
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
    /// Files of the store.
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

fn folder(source: &Source) -> Option<PathBuf> {
    // Most machines have no sealed store, and need not ask for the path of this one.
    source.state.as_ref().map(|state| state.join(FOLDER)).filter(|folder| folder.is_dir())
}

/// Returns the file of the store at its path. `None` without a state directory.
fn place(source: &Source) -> Option<PathBuf> {
    Some(source.state.as_ref()?.join(FOLDER).join(discover::store_key(&source.dir)))
}

fn parsed(path: &Path) -> Option<Remembered> {
    let bytes = read::file(path.parent()?, path, MOST).ok()??;
    serde_json::from_slice(&bytes).ok()
}

/// Returns which store of which repository a store is; `None` without git.
fn repository(source: &Source) -> Option<String> {
    let trees = WorkTrees::of(&discover::real(&source.dir))?;
    Some(discover::key_of(&discover::real(&trees.common).join(trees.below)))
}

/// Returns what is remembered of the store at its path. A file that cannot be read counts as none.
pub(super) fn here(source: &Source) -> Option<Remembered> {
    folder(source)?;
    parsed(&place(source)?)
}

/// Returns what is remembered of the store as one that is sealed: at its path, or else of the same
/// store in another work tree, or of one with the same id.
pub(super) fn sealed(source: &Source, id: Option<&str>) -> Option<Remembered> {
    match here(source) {
        Some(known) if known.plain => None,
        Some(known) => Some(known),
        None => elsewhere(source, id),
    }
}

fn elsewhere(source: &Source, id: Option<&str>) -> Option<Remembered> {
    let repository = OnceCell::new();
    let files = fs::read_dir(folder(source)?).ok()?.flatten().take(FILES);
    files.filter_map(|file| parsed(&file.path())).find(|known| {
        let ours = || repository.get_or_init(|| self::repository(source));
        let is_same = known.repository.is_some() && known.repository == *ours();
        !known.plain && (is_same || Some(known.id.as_str()) == id)
    })
}

/// Remembers that a store is sealed, unless that is known.
pub(super) fn note(source: &Source, id: &str, key: KeyId, opening: bool, due: Due) -> Result<()> {
    let path = discover::real(&source.dir).to_string_lossy().into_owned();
    let (id, key, repository) = (id.to_owned(), key.to_string(), repository(source));
    write(source, &Remembered { path, id, key, repository, plain: false, opening, due })
}

/// Remembers that something may have been written as plain text, beside a store that is known to
/// be sealed.
pub(super) fn note_due(source: &Source) -> Result<()> {
    match here(source).filter(|known| !known.plain) {
        Some(known) => write(source, &Remembered { due: Due::ALL, ..known }),
        // A store that is not known has all of it done where it is found sealed.
        None => Ok(()),
    }
}

/// Remembers that a person said that the store is plain; nothing, if nothing else says that it is
/// sealed.
pub(super) fn note_plain(source: &Source, id: Option<&str>) -> Result<()> {
    forget(source)?;
    let Some(known) = elsewhere(source, id) else { return Ok(()) };
    let path = discover::real(&source.dir).to_string_lossy().into_owned();
    let due = Due::default();
    write(source, &Remembered { path, plain: true, opening: false, due, ..known })
}

fn write(source: &Source, now: &Remembered) -> Result<()> {
    let Some(place) = place(source).filter(|_| here(source).as_ref() != Some(now)) else {
        return Ok(());
    };
    atomic::create_dir(place.parent().unwrap_or(Path::new("/")), Sync::PrivateFull)?;
    let text = format!("{}\n", serde_json::to_string(now)?);
    atomic::replace_file(&place, text.as_bytes(), Sync::PrivateFull, || Ok(true)).map(drop)
}

/// Forgets what is remembered of a store.
pub(super) fn forget(source: &Source) -> Result<()> {
    match place(source).filter(|place| place.exists()) {
        Some(place) => Ok(atomic::remove_file(&place, Sync::PrivateFull)?),
        None => Ok(()),
    }
}

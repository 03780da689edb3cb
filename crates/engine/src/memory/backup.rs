//! Backup of a whole store in one file, and what makes a store of that again: its files, what this
//! machine has noted beside it, and which texts wait for a review.
//!
//! The file has a JSON object a line: first what it is, then each file with its text. A store that is
//! sealed stays so, and its key is not in the file.

use crate::memory::handles::Tending;
use std::{
    collections::HashSet,
    fs, iter,
    path::{Component, Path},
};

use anyhow::Context as _;
use pimem_core::{language::injection, model::hash, score::ranking::LocatedEntry};
use serde::{Deserialize, Serialize};

use super::{
    WriteTarget,
    export::Output,
    review::{self, AwaitingText},
    selector,
};
use crate::{
    error::{Failure, FailureKind},
    store::{
        Store,
        atomic::{self, Sync},
        read,
        trust::{TextKey, TrustedKind},
    },
};

/// Names of the folders that a backup has.
const STORE: &str = "memory";
const NOTED: &str = "data";
/// Maximum size of a backup in bytes.
const MOST: u64 = 1 << 30;

/// The first line of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    schema: String,
    /// RFC 3339.
    made: String,
    /// The texts that await review, as `trust` lists them.
    waits: Vec<String>,
}

/// A file of a backup. One that is not UTF-8 is in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptFile {
    #[serde(rename = "file")]
    place: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

impl Tending<'_> {
    /// Returns the store to which `add` would write as one text, with all that belongs to it, or
    /// writes that to a file.
    ///
    /// # Errors
    /// Fails if there is no store, a file of it cannot be read, or the backup cannot be written.
    pub fn back_up(self, path: Option<&Path>) -> Result<Output<BackedUp>, Failure> {
        let hint = "name the file that the backup goes to";
        path.map_or(Ok(()), |path| selector::writable_file(path, hint))?;
        let WriteTarget { dir, scope, exists } = self.memory.target()?;
        if !exists {
            let message = "there is no store to back up";
            return Err(Failure::new(FailureKind::NotFound, message, "pimem init makes one"));
        }
        let store = self.memory.store(dir, scope).strict();
        let held = review::look(self.memory, store.clone());
        let _lock = super::lock(self.memory, &store)?;
        store.take_in(store.patience)?;
        let mut files = Vec::new();
        for (folder, root) in [(STORE, &store.dir), (NOTED, &store.data_dir())] {
            collect(root, root, folder, &mut files)?;
        }
        let waits = held.items.iter().map(|item| said(&item.view));
        let entries = self.entries_to_vouch(&store).into_iter().filter(|entry| !entry.reviewed);
        let head = Head {
            schema: SCHEMA.to_owned(),
            made: self.memory.now.0.to_string(),
            waits: waits.chain(entries.map(|entry| entry.said)).collect(),
        };
        let text: String = iter::once(line(&head)).chain(files.iter().map(line)).collect();
        let Some(path) = path else { return Ok(Output::Text(text)) };
        atomic::write_output(path, text.as_bytes(), Sync::PrivateFull, self.memory.real_now)?;
        let (files, file) = (files.len(), path.display().to_string());
        Ok(Output::Files(BackedUp { files, file }))
    }

    /// Makes a store of a backup where there is none. What waited waits again, and so does what is
    /// worded as an order to an agent: nobody knows who has had the file.
    ///
    /// # Errors
    /// Fails if there is a store, the file is no backup, or the store cannot be written.
    pub fn restore_backup(self, path: &Path) -> Result<BackedUp, Failure> {
        let bytes = selector::named_file(path, MOST, "pimem export --all FILE makes a backup")?;
        let (head, files) = parsed(&bytes).ok_or_else(|| {
            let message = format!("{} is no backup", path.display());
            Failure::new(FailureKind::Refused, message, "pimem help import lists what can be read")
        })?;
        let WriteTarget { dir, scope, exists } = self.memory.target()?;
        let store = self.memory.store(dir, scope);
        if exists {
            let message = format!("there is a store already: {}", store.dir.display());
            let hint = "a backup makes a new one: name another place with --dir, or move it away";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        // The store appears at once, so that a killed process leaves none that is half there.
        let parent = store.dir.parent().unwrap_or(Path::new("."));
        atomic::create_dir(parent, store.sync)?;
        let around = atomic::temporary_dir(parent)?;
        let written = write(&store, &around.join(STORE), &files);
        drop(atomic::remove_dir(&around));
        written?;
        self.take_back_trust(store, &head)?;
        Ok(BackedUp { files: files.len(), file: path.display().to_string() })
    }

    /// Returns the entries of topics and archive.
    fn entries_to_vouch(self, store: &Store) -> Vec<VouchedEntry> {
        let categories = &self.memory.config.categories;
        let topics = store.read(self.memory.now, categories).placed(store, categories);
        let archive = store.read_archive(categories).placed(store, categories);
        let entry = |entry: &LocatedEntry| {
            let name = &categories.spec(entry.category).name;
            VouchedEntry {
                said: format!("[{name}] {}", entry.text),
                key: store.trust.entry(name, &entry.text),
                brought: store.trust.brought(name, &entry.text),
                reviewed: entry.reviewed,
            }
        };
        topics.iter().chain(archive.iter()).map(entry).collect()
    }

    /// Lets agents see what they might see before, but for what reads like an order.
    fn take_back_trust(self, store: Store, head: &Head) -> Result<(), Failure> {
        let waits: HashSet<&str> = head.waits.iter().map(String::as_str).collect();
        let is_free = |text: &str| !waits.contains(text) && injection::find(text).is_none();
        let store = store.strict();
        // What waits would be taken for typed here.
        let entry = |entry: VouchedEntry| {
            if is_free(&entry.said) { entry.key } else { entry.brought }
        };
        let mut keys: Vec<TextKey> = self.entries_to_vouch(&store).into_iter().map(entry).collect();
        store.trust.record(&keys)?;
        let held = review::look(self.memory, Store { trust: store.trust.anew(), ..store });
        let others = held.items.iter().filter(|item| item.pin.is_none() && !item.view.is_entry());
        let others = others.filter(|item| is_free(&said(&item.view)));
        keys = others.flat_map(|item| item.keys.iter().copied()).collect();
        keys.push(held.store.trust.text(TrustedKind::Made, ""));
        Ok(held.store.trust.record(&keys)?)
    }
}

/// Writes files of a backup: what the machine has noted to its place, and the store to `building`,
/// which then becomes the store.
fn write(store: &Store, building: &Path, files: &[(String, Vec<u8>)]) -> Result<(), Failure> {
    let data = store.data_dir();
    for (place, bytes) in files {
        let (folder, rest) = place.split_once('/').unwrap_or_default();
        let (root, sync) = match folder {
            STORE => (building, store.sync),
            _ => (data.as_path(), store.sync.private()),
        };
        let file = root.join(rest);
        atomic::create_dir(file.parent().unwrap_or(root), sync)?;
        atomic::replace_file(&file, bytes, sync, || Ok(true))?;
    }
    Ok(atomic::install_dir(building, &store.dir)?)
}

/// An entry, with the keys of its review.
struct VouchedEntry {
    said: String,
    key: TextKey,
    /// The key that says that it was not typed here.
    brought: TextKey,
    reviewed: bool,
}

/// Returns what a text that awaits review says, wherever it stands and came from.
fn said(view: &AwaitingText) -> String {
    let lines = view.lines.iter().filter(|line| !line.starts_with(' '));
    lines.map(String::as_str).collect::<Vec<_>>().join("\n")
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default() + "\n"
}

/// Collects the files below a directory. Locks and what killed processes have left are left out, and
/// so are links.
fn collect(
    root: &Path,
    dir: &Path,
    folder: &str,
    files: &mut Vec<KeptFile>,
) -> Result<(), Failure> {
    let Ok(found) = fs::read_dir(dir) else { return Ok(()) };
    let mut found: Vec<_> = found.flatten().collect();
    found.sort_by_key(fs::DirEntry::file_name);
    for entry in found {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let kind = entry.file_type().context("cannot look at a file of the store")?;
        if kind.is_dir() {
            collect(root, &path, folder, files)?;
        } else if kind.is_file() && name != "lock" && !name.contains(atomic::TEMPORARY) {
            let bytes = read::file(root, &path, MOST).map_err(|problem| Failure::from(&problem))?;
            let rest = path.strip_prefix(root).unwrap_or(&path);
            let rest: Vec<_> = rest.iter().map(|part| part.to_string_lossy()).collect();
            let place = format!("{folder}/{}", rest.join("/"));
            files.push(match String::from_utf8(bytes.unwrap_or_default()) {
                Ok(text) => KeptFile { place, text: Some(text), hex: None },
                Err(error) => {
                    KeptFile { place, text: None, hex: Some(hash::write_hex(error.as_bytes())) }
                }
            });
        }
    }
    Ok(())
}

/// Files by their places in a backup.
type Placed = Vec<(String, Vec<u8>)>;

/// Reads a backup: what it is, and its files by their places. `None` if it is none, or a place leads
/// elsewhere.
fn parsed(bytes: &[u8]) -> Option<(Head, Placed)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    let head: Head = serde_json::from_str(lines.next()?).ok()?;
    let file = |line: &str| {
        let KeptFile { place, text, hex } = serde_json::from_str(line).ok()?;
        let bytes = text.map(String::into_bytes).or_else(|| unhex(&hex?))?;
        is_inside(&place).then_some((place, bytes))
    };
    let files = lines.map(file).collect::<Option<Vec<_>>>()?;
    (head.schema == SCHEMA).then_some((head, files))
}

/// Returns true for the place of a file below one of the folders.
fn is_inside(place: &str) -> bool {
    let mut parts = Path::new(place).components();
    let is_folder = parts.next().is_some_and(|first| {
        first == Component::Normal(STORE.as_ref()) || first == Component::Normal(NOTED.as_ref())
    });
    let rest: Vec<Component<'_>> = parts.collect();
    let is_plain = rest.iter().all(|part| matches!(part, Component::Normal(_)));
    is_folder && !rest.is_empty() && is_plain && !place.contains(['\\', '\0'])
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.map(byte).collect()
}

/// The files of a backup that was written or read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BackedUp {
    pub files: usize,
    pub file: String,
}

const SCHEMA: &str = "pimem.backup/1";

documents! {
    BackedUp: "pimem.backed-up/1",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_below_the_store() {
        for place in ["memory/topics/a.md", "data/x.jsonl"] {
            assert!(is_inside(place), "{place}");
        }
        for place in [
            "memory",
            "memory/../x",
            "/memory/x",
            "other/x",
            "data/./../../x",
            "memory/a\\..\\b",
            "",
        ] {
            assert!(!is_inside(place), "{place}");
        }
    }

    #[test]
    fn hexadecimal_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unhex(&hash::write_hex(&bytes)), Some(bytes));
        assert_eq!(unhex("0g"), None);
    }
}

//! The files of a store that are sealed: in the store, beside it, and in the state directory.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    Store,
    notes::{DAILY, NOTES, SCRATCHPAD},
    observation_files, pending,
    read::{self, Problem},
    snapshot::EVIDENCE,
};

/// Folders of the store whose files are Markdown.
const FOLDERS: [&str; 4] = ["topics", "archive", DAILY, observation_files::FOLDER];
/// Files in the store's own directory.
const NAMES: [&str; 4] = [NOTES, SCRATCHPAD, EVIDENCE, "memory-scores.json"];

/// A file that may be there, and the directory that it must not lead out of.
pub(super) struct Kept {
    pub(super) root: PathBuf,
    pub(super) path: PathBuf,
}

/// The files, by the lock that guards them.
pub(super) struct Files {
    /// In the store.
    pub(super) store: Vec<Kept>,
    /// In `data/`.
    pub(super) data: Vec<Kept>,
    /// In the user's state directory.
    pub(super) state: Vec<Kept>,
}

impl Store {
    /// Lists the files that hold what was remembered.
    pub(super) fn kept_files(&self) -> Result<Files, Problem> {
        let kept = |root: &Path, path: PathBuf| Kept { root: root.to_path_buf(), path };
        let mut store: Vec<Kept> =
            NAMES.iter().map(|name| kept(&self.dir, self.dir.join(name))).collect();
        for folder in FOLDERS {
            let dir = self.dir.join(folder);
            let names = read::markdown_names(&self.dir, &dir)?;
            store.extend(names.into_iter().map(|name| kept(&self.dir, dir.join(name))));
        }
        // A work tree that is gone has no data/ any more.
        let outside = self.local_log().into_iter().chain(self.stray_logs());
        let outside = outside.filter(|path| !path.starts_with(self.data_dir()) && path.is_file());
        store.extend(outside.map(|path| kept(path.parent().unwrap_or(&path), path.clone())));
        let mut data = Vec::new();
        let dir = self.data_dir();
        if self.guard_data(&dir).is_ok() {
            for path in files_below(&dir) {
                data.push(kept(&dir, path));
            }
        }
        let mut state = Vec::new();
        for path in pending::files(&self.trust) {
            state.push(kept(path.parent().unwrap_or(&path), path.clone()));
        }
        for path in self.spool_files_in_state() {
            state.push(kept(path.parent().unwrap_or(&path), path.clone()));
        }
        if let Some(dir) = self.dream_dir() {
            state.extend(files_in(&dir).into_iter().map(|path| kept(&dir, path)));
        }
        Ok(Files { store, data, state })
    }
}

/// Returns the files of a directory and of its folders that hold text.
fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = files_in(dir);
    let folders = fs::read_dir(dir).into_iter().flatten().flatten();
    let folders = folders.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for folder in folders {
        found.extend(files_in(&folder.path()));
    }
    found
}

fn files_in(dir: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_text = |name: &str| !name.starts_with('.') && name != "lock";
    let mut paths: Vec<PathBuf> = found
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| entry.file_name().to_str().is_none_or(is_text))
        .map(|entry| entry.path())
        .collect();
    paths.sort_unstable();
    paths
}

//! Lines that this machine wrote but that no person has reviewed: statements learned from texts
//! that may have been pasted.
//!
//! The keys are stored beside the ledger of trust, never in it. A pending key does not make a line
//! visible to an agent; it distinguishes lines written by this machine from lines that a clone or
//! pull brought.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::{
    atomic::{self, Sync},
    read,
    trust::{Key, Trust},
};

/// Records the keys of lines. Called before the lines are written.
pub fn note(trust: &Trust, keys: &[Key]) -> Result<()> {
    let Some(path) = place(trust) else { return Ok(()) };
    let held = of(trust, keys);
    let fresh: Vec<&Key> = keys.iter().filter(|key| !held.contains(key)).collect();
    if fresh.is_empty() {
        return Ok(());
    }
    let dir = path.parent().context("there is no directory for what waits")?;
    atomic::create_dir(dir, Sync::Private)?;
    let _lock = trust.hold()?;
    trust.seal().append(&path, lines(&fresh).as_bytes(), Sync::Private)
}

/// Returns the given keys that are recorded.
pub fn of(trust: &Trust, keys: &[Key]) -> HashSet<Key> {
    let Some(path) = place(trust) else { return HashSet::new() };
    let dir = path.parent().unwrap_or(Path::new("/"));
    let bytes = trust.seal().read(dir, &path, read::MAX_FILE).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let known: HashSet<&str> = text.lines().collect();
    keys.iter().copied().filter(|key| known.contains(key.hex().as_str())).collect()
}

/// Returns true if any keys may be recorded.
pub fn is_any(trust: &Trust) -> bool {
    place(trust).is_some_and(|path| path.is_file())
}

pub fn forget(trust: &Trust, keys: &[Key]) -> Result<()> {
    let Some(path) = place(trust).filter(|path| path.is_file()) else { return Ok(()) };
    let dir = path.parent().unwrap_or(Path::new("/"));
    let _lock = trust.hold()?;
    let bytes = trust.seal().read(dir, &path, read::MAX_FILE).ok().flatten().unwrap_or_default();
    let gone: HashSet<String> = keys.iter().map(|key| key.hex()).collect();
    let text = String::from_utf8_lossy(&bytes);
    let kept: String =
        text.lines().filter(|line| !gone.contains(*line)).flat_map(|line| [line, "\n"]).collect();
    if kept.len() < text.len() {
        trust.seal().replace(&path, kept.as_bytes(), Sync::Private, || Ok(true))?;
    }
    Ok(())
}

fn place(trust: &Trust) -> Option<PathBuf> {
    trust.ledger().map(|ledger| ledger.with_extension("waits"))
}

/// Returns the files of the ledger of trust, which need not exist.
pub(super) fn files(trust: &Trust) -> Vec<PathBuf> {
    trust.ledger().map(Path::to_path_buf).into_iter().chain(place(trust)).collect()
}

fn lines(keys: &[&Key]) -> String {
    keys.iter().flat_map(|key| [key.hex(), "\n".to_owned()]).collect()
}

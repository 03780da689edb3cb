//! What tells how a store is kept: `store.json`, the lines of its files, the keys of this machine,
//! and what it remembers of the store.

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Kept, KeyPlaces, LOG, Now, STORE_FILE, Sealed,
    manifest::{self, Manifest},
    remembered::{self, Due, Remembered},
};
use crate::store::{
    atomic, discover,
    read::{self, Problem, ProblemKind},
};
use pimem_core::seal::{Keyring, TAG, is_token};

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
pub struct Source {
    pub dir: PathBuf,
    pub keys: KeyPlaces,
    /// The names of categories, which stay readable.
    pub categories: Vec<String>,
    /// The user's cache directory.
    pub cache: Option<PathBuf>,
    /// The user's state directory.
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
        Ok(file) => file.take(manifest::MOST).read_to_end(&mut bytes).map(|_| Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
    .map_err(drop)
}

/// Returns the problem that a store has sealed lines and does not say so.
pub(super) fn undescribed(dir: &Path) -> Problem {
    let why = format!("lines in {} are sealed, and {STORE_FILE} does not say so", dir.display());
    let hint = "pimem encrypt repair writes it again where the key is; or take store.json from \
                git, or from the machine that sealed the store";
    Problem { path: dir.join(STORE_FILE), kind: ProblemKind::Sealed { why, hint } }
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

impl Source {
    /// Reads how the store is kept.
    pub(super) fn now(&self) -> Now {
        let told = told(&self.dir);
        let manifest = match told {
            Ok(None) => Ok(None),
            _ => Manifest::read(&self.dir),
        };
        let (kept, disputed) = match manifest {
            Err(problem) => (Kept::Locked(Arc::new(problem)), None),
            Ok(Some(manifest)) if manifest.sealed => {
                let known = remembered::sealed(self, None);
                let is_opened = |known: &Remembered| manifest.opening && !known.opening;
                let other =
                    known.as_ref().filter(|known| known.id != manifest.id || is_opened(known));
                let disputed = other.map(|known| self.disputed(known));
                (self.opened(manifest, remembered::here(self)), disputed)
            }
            // Somebody may have changed it so that what is written would be plain.
            Ok(_) if is_sealed(&self.dir) => {
                (Kept::Undescribed(Arc::new(undescribed(&self.dir))), None)
            }
            Ok(manifest) => {
                let id = manifest.as_ref().map(|manifest| &*manifest.id);
                (Kept::Plain, remembered::sealed(self, id).map(|known| self.disputed(&known)))
            }
        };
        Now { told, kept, disputed: disputed.map(Arc::new), barred: None }
    }

    /// Finds the keys of a sealed store.
    fn opened(&self, manifest: Manifest, known: Option<Remembered>) -> Kept {
        let locked = |path: &Path, why: String, hint| {
            let why = format!("the store in {} is sealed, and {why}", self.dir.display());
            let kind = ProblemKind::Sealed { why, hint };
            Kept::Locked(Arc::new(Problem { path: path.to_path_buf(), kind }))
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
                Kept::Sealed(Arc::new(Sealed::new(ring, manifest.opening, (dir, shelf), due)))
            }
            Err(why) => locked(place.path(), why, LOST),
        }
    }

    fn disputed(&self, known: &Remembered) -> Problem {
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
        Problem { path: self.dir.join(STORE_FILE), kind: ProblemKind::Sealed { why, hint } }
    }
}

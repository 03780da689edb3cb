//! The texts of topic files as they were opened last, in one sealed file of the cache.
//!
//! A topic has a token a line, and opening 600 of them takes longer than everything else that a
//! report does. A text is used only if the file still has the very bytes that it was opened from.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{Known, Sealed, nonce};
use crate::store::{
    atomic::{self, Sync},
    read,
};

/// Name of the file in the directory of a store's index.
const TEXTS: &str = "texts.sealed";

impl Sealed {
    /// Returns true if the text of a file may be kept.
    pub(super) fn is_kept(path: &Path) -> bool {
        path.parent().is_some_and(|dir| dir.ends_with("topics"))
    }

    /// Reads the kept texts. A damaged file counts as none.
    pub(super) fn load(&self) {
        let Some(dir) = &self.shelf else { return };
        let bytes = read::file(dir, &dir.join(TEXTS), read::MAX_LOG).ok().flatten();
        let Some(bytes) = bytes.and_then(|bytes| self.ring.open_blob(TEXTS, bytes)) else { return };
        let Ok(mut known) = self.known.lock() else { return };
        let mut rest = bytes.as_slice();
        let mut part = || {
            let (length, more) = rest.split_first_chunk()?;
            let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
            let (part, more) = more.split_at_checked(length)?;
            rest = more;
            Some(part)
        };
        while let (Some(path), Some(sealed), Some(text)) = (part(), part(), part()) {
            let Ok(path) = str::from_utf8(path) else { continue };
            let (sealed, text) = (sealed.to_vec(), text.to_vec());
            known.insert(PathBuf::from(path), Known { sealed, text, is_whole: true });
        }
    }

    /// Writes the texts that this process knows, of files that still are as they were read.
    pub(super) fn shelve(&self) -> Result<()> {
        let (Some(dir), Ok(known)) = (&self.shelf, self.known.lock()) else { return Ok(()) };
        let mut kept: Vec<(&PathBuf, &Known)> =
            known.iter().filter(|(path, known)| known.is_whole && Self::is_kept(path)).collect();
        kept.sort_unstable_by_key(|(path, _)| *path);
        let mut out = Vec::new();
        for (path, known) in kept {
            let now = read::listed(path.parent().unwrap_or(path), path, read::MAX_FILE);
            let is_same = now.is_ok_and(|now| now.as_ref() == Some(&known.sealed));
            let Some(name) = path.to_str().filter(|_| is_same) else { continue };
            for part in [name.as_bytes(), &known.sealed, &known.text] {
                out.extend_from_slice(&u32::try_from(part.len())?.to_le_bytes());
                out.extend_from_slice(part);
            }
        }
        let bytes = self.ring.seal_blob(TEXTS, &out, nonce()?);
        atomic::replace_file(&dir.join(TEXTS), &bytes, Sync::Private, || Ok(true)).map(drop)
    }
}

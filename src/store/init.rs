//! A new store: its directories, and what it tells git.

use std::io;

use anyhow::{Context, Result};

use super::{
    atomic::{self, Sync},
    trust::Kind,
    vault::Store,
};

/// Lines of `.gitignore` in a store.
pub(crate) const GIT_IGNORE: &str = "memory-scores.json\nlock\n.pimem-tmp-*\n.dream-watermark\n";
/// Lines of `.gitattributes`: concurrent additions are merged by keeping both.
pub(crate) const GIT_ATTRIBUTES: &str = "evidence.jsonl merge=union\ntopics/*.md merge=union\narchive/*.md merge=union\ndaily/*.md merge=union\nMEMORY.md merge=union\nSCRATCHPAD.md merge=union\n";

impl Store {
    /// Makes the store's directories and git files. Gives whether anything was new. Where nothing was
    /// before, the store is this machine's own, its notes and logs too.
    pub(crate) fn init(&self) -> Result<bool> {
        let empty = match std::fs::read_dir(&self.dir) {
            Ok(mut found) => found.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        let fresh = !self.topics_dir().is_dir();
        let make = || -> Result<bool> {
            atomic::create_dir(&self.topics_dir(), false)?;
            let ignore = atomic::create_file(&self.dir.join(".gitignore"), GIT_IGNORE, Sync::None)?;
            let attributes =
                atomic::create_file(&self.dir.join(".gitattributes"), GIT_ATTRIBUTES, Sync::None)?;
            Ok(ignore || attributes)
        };
        let made =
            make().with_context(|| format!("cannot make a store in {}", self.dir.display()))?;
        if empty {
            self.trust.record_text(Kind::Notes, "");
        }
        Ok(fresh || made)
    }
}

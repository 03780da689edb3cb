//! Creation of a store: its directories and git files.

use std::fs;

use anyhow::{Context, Result};

use super::{Store, atomic, lock::StoreLock, read, trust::Kind};

/// Content of a store's `.gitignore`.
pub const GIT_IGNORE: &str = "memory-scores.json\nlock\n.pimem-tmp-*\n.dream-watermark\n";
/// Content of a store's `.gitattributes`: the union merge keeps concurrent additions of both sides.
pub const GIT_ATTRIBUTES: &str = "evidence.jsonl merge=union\ntopics/*.md merge=union\narchive/*.md merge=union\ndaily/*.md merge=union\nMEMORY.md merge=union\nSCRATCHPAD.md merge=union\n";

impl Store {
    /// Creates the store's directories and git files. Returns true if any was missing.
    pub fn init(&self) -> Result<bool> {
        self.seal.check_write()?;
        let topics = self.topics_dir();
        let make = || {
            atomic::create_dir(&topics, self.sync)?;
            read::guard(&self.dir, &topics)?;
            self.complete(&self.lock()?)
        };
        let fresh = !topics.is_dir();
        let made =
            make().with_context(|| format!("cannot make a store in {}", self.dir.display()))?;
        Ok(fresh || made)
    }

    /// Creates the missing parts of the store, as after a killed `init`, and deletes temporary
    /// files of killed processes. Returns true if any part was missing. A store that was empty is
    /// trusted as made on this machine, including its notes and logs.
    pub fn complete(&self, _lock: &StoreLock) -> Result<bool> {
        let mut held = atomic::sweep_and_list(&self.dir)
            .with_context(|| format!("cannot read {}", self.dir.display()))?;
        held.retain(|name| name != "lock");
        let topics =
            || fs::read_dir(self.topics_dir()).is_ok_and(|mut found| found.next().is_none());
        if held.iter().all(|name| name == "topics" && topics()) {
            // Where that fails, it is warned of until pimem encrypt init does it.
            drop(self.set_aside_lost());
            self.trust
                .note(|| [Kind::Made, Kind::Notes].map(|kind| self.trust.text(kind, "")).into());
        }
        let mut missing = false;
        // The git files come first: the next step creates something to commit.
        for (name, text) in [(".gitignore", GIT_IGNORE), (".gitattributes", GIT_ATTRIBUTES)] {
            if !held.iter().any(|held| held == name) {
                missing |= atomic::create_file(&self.dir.join(name), text, self.sync)?;
            }
        }
        if !held.iter().any(|held| held == "topics") {
            atomic::create_dir(&self.topics_dir(), self.sync)?;
            missing = true;
        }
        Ok(missing)
    }
}

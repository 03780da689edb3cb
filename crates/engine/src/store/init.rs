//! A new store: its directories, and what it tells git.

use std::fs;

use anyhow::{Context, Result};

use super::{atomic, lock::StoreLock, read, snapshot::Store, trust::Kind};

/// Lines of `.gitignore` in a store.
pub const GIT_IGNORE: &str = "memory-scores.json\nlock\n.pimem-tmp-*\n.dream-watermark\n";
/// Lines of `.gitattributes`: concurrent additions are merged by keeping both.
pub const GIT_ATTRIBUTES: &str = "evidence.jsonl merge=union\ntopics/*.md merge=union\narchive/*.md merge=union\ndaily/*.md merge=union\nMEMORY.md merge=union\nSCRATCHPAD.md merge=union\n";

impl Store {
    /// Makes the store's directories and git files. Gives whether anything was new.
    pub fn init(&self) -> Result<bool> {
        let topics = self.topics_dir();
        let make = || {
            atomic::create_dir(&topics, self.sync)?;
            read::guard(&self.dir, &topics)?;
            self.complete(&StoreLock::acquire(&self.dir, self.patience)?)
        };
        let fresh = !topics.is_dir();
        let made =
            make().with_context(|| format!("cannot make a store in {}", self.dir.display()))?;
        Ok(fresh || made)
    }

    /// Makes what the store lacks, as after an `init` that was killed, and deletes what other killed
    /// processes left beside it. Gives whether anything was missing. Where nothing was before, the
    /// store is this machine's own, its notes and logs too.
    pub fn complete(&self, _lock: &StoreLock) -> Result<bool> {
        let mut held = atomic::sweep_and_list(&self.dir)
            .with_context(|| format!("cannot read {}", self.dir.display()))?;
        held.retain(|name| name != "lock");
        let topics =
            || fs::read_dir(self.topics_dir()).is_ok_and(|mut found| found.next().is_none());
        if held.iter().all(|name| name == "topics" && topics()) {
            self.trust
                .note(|| [Kind::Made, Kind::Notes].map(|kind| self.trust.text(kind, "")).into());
        }
        let mut missing = false;
        // For git first: from here on there is something to be committed.
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

//! A store on disk. Only this module writes user data.

pub mod atomic;
pub mod commit;
pub mod cover;
pub mod discover;
pub mod dream_schedule;
pub mod evidence;
pub mod foreign_file;
pub mod foreign_store;
pub mod git;
pub mod hook_ledger;
pub mod lock;
pub mod machine_local;
pub mod merge_driver;
pub mod notes;
pub mod provenance;
pub mod purge;
pub mod read;
pub mod rooms;
pub mod seal;
pub mod snapshot;
pub mod spool;
pub mod transaction;
pub mod trust;
pub mod trust_ledger;
pub mod undo;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use self::{
    atomic::Sync,
    lock::StoreLock,
    read::ReadProblem,
    seal::Seal,
    snapshot::{EVIDENCE, SESSIONS, note_files},
    trust::{Trust, TrustedKind},
    undo::Run,
};
use pimem_core::{
    model::{hash::first_64, mirror::Mirror},
    score::ranking::Scope,
};

/// A memory directory: the directory that contains `topics/`.
#[derive(Debug, Clone)]
pub struct Store {
    pub dir: PathBuf,
    pub scope: Scope,
    pub sync: Sync,
    /// Maximum wait of a writer for the lock.
    pub patience: Duration,
    /// Opens and seals what the files hold.
    pub seal: Seal,
    /// Decides which texts an agent may see.
    pub trust: Trust,
    /// The user's state directory, if there is one.
    pub state: Option<PathBuf>,
    /// True for callers that send text to an agent unasked.
    pub strict: bool,
    /// True if events stay in the local log until the next command; set for hooks.
    pub aside: bool,
    /// The typed command that is running, if it can be undone.
    pub run: Option<Arc<Run>>,
    /// Where the lines are from, if the store is a mirror. Then it is only read.
    pub mirror: Option<Arc<Mirror>>,
}

impl Store {
    /// Returns the store for callers that send text to an agent unasked, such as hooks: unreviewed
    /// text is hidden even if the user named the store.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { trust: self.trust.strict(), strict: true, ..self }
    }

    /// Returns the store for read-only use: findings about the provenance of lines are not written.
    #[must_use]
    pub fn unwritten(self) -> Self {
        Self { trust: self.trust.unwritten(), ..self }
    }

    /// Returns the directory for the state of dreams, if there is one. It is outside the
    /// repository, so that a clone cannot bring any.
    pub fn dream_dir(&self) -> Option<PathBuf> {
        let key = discover::key_of(&discover::real(&self.dir));
        self.state.as_deref().map(|state| state.join("pimem/dream").join(key))
    }

    pub fn topics_dir(&self) -> PathBuf {
        self.dir.join("topics")
    }

    /// Returns the path of the shared evidence log.
    pub fn evidence(&self) -> PathBuf {
        self.dir.join(EVIDENCE)
    }

    /// Returns the path of a searched file, and the directory that it must not lead out of.
    pub fn place(&self, name: &str) -> (&Path, PathBuf) {
        match (self.dir.parent(), name.strip_prefix("../")) {
            (Some(parent), Some(below)) if name == SESSIONS => (parent, parent.join(below)),
            _ => (&self.dir, self.dir.join(name)),
        }
    }

    /// Returns the files that are searched besides the topics, and the problems with listing them. A
    /// mirror has none.
    pub fn note_files(&self) -> (Vec<String>, Vec<ReadProblem>) {
        if self.mirror.is_some() { (Vec::new(), Vec::new()) } else { note_files(&self.dir) }
    }

    /// Returns the names of existing notes, lists and logs, and the problems with listing them.
    pub fn note_files_there(&self) -> (Vec<String>, Vec<ReadProblem>) {
        let (mut names, problems) = self.note_files();
        names.retain(|name| name != SESSIONS && self.dir.join(name).is_file());
        (names, problems)
    }

    /// Reads a file by its name in the store. `Ok(None)` if it does not exist.
    pub fn file(&self, name: &str) -> Result<Option<Vec<u8>>, ReadProblem> {
        let (root, path) = self.place(name);
        let limit = if name == EVIDENCE { read::MAX_LOG } else { read::MAX_FILE };
        self.seal.read(root, &path, limit)
    }

    /// Like [`Store::file`], for a name that was just listed.
    pub fn listed(&self, name: &str) -> Result<Option<Vec<u8>>, ReadProblem> {
        let (root, path) = self.place(name);
        self.seal.listed(root, &path, read::MAX_FILE)
    }
}

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
            self.trust.note(|| {
                [TrustedKind::Made, TrustedKind::Notes].map(|kind| self.trust.text(kind, "")).into()
            });
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

impl Store {
    /// Returns the first 64 bits of a hash of topics and evidence, in hexadecimal.
    pub fn state(&self) -> Result<String> {
        let mut hash = Sha256::new();
        let mut part = |name: &str, bytes: &[u8]| {
            hash.update(name);
            hash.update([0]);
            hash.update(bytes.len().to_le_bytes());
            hash.update(bytes);
        };
        let topics = self.topics_dir();
        for name in read::markdown_names(&self.dir, &topics)? {
            let bytes = self.seal.listed(&self.dir, &topics.join(&name), read::MAX_FILE);
            part(&name, &bytes?.unwrap_or_default());
        }
        part(EVIDENCE, &self.log()?);
        Ok(format!("{:016x}", first_64(hash)))
    }
}

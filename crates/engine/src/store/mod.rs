//! A store on disk. Only this module writes user data.

pub mod agent_calls;
pub mod atomic;
mod change;
pub mod cover;
pub mod discover;
pub mod dream_schedule;
pub mod evidence;
pub mod evidence_log;
mod fingerprint;
pub mod foreign_file;
pub mod foreign_store;
pub mod git;
mod git_authors;
mod git_objects;
pub mod gitlink;
pub mod grave;
pub mod history;
pub mod hook_ledger;
pub mod init;
pub mod journal;
mod kept_files;
pub mod late_calls;
pub mod line_reader;
pub mod lock;
mod lost;
pub mod machine_local;
mod mark;
pub mod merge_driver;
pub mod mirrors;
pub mod notes;
pub mod observation_files;
pub mod pending;
pub mod provenance;
pub mod purge;
pub mod read;
mod rooms;
pub mod root;
mod said;
pub mod seal;
pub mod size_limit;
pub mod snapshot;
pub mod spool;
pub mod transaction;
pub mod trust;
mod trust_kind;
pub mod undo;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use self::{
    atomic::Sync,
    read::Problem,
    seal::Seal,
    snapshot::{EVIDENCE, SESSIONS, note_files},
    trust::Trust,
    undo::Run,
};
use pimem_core::{model::mirror::Mirror, score::ranking::Scope};

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

    /// Returns the directory of topic files.
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
    pub fn note_files(&self) -> (Vec<String>, Vec<Problem>) {
        if self.mirror.is_some() { (Vec::new(), Vec::new()) } else { note_files(&self.dir) }
    }

    /// Returns the names of existing notes, lists and logs, and the problems with listing them.
    pub fn note_files_there(&self) -> (Vec<String>, Vec<Problem>) {
        let (mut names, problems) = self.note_files();
        names.retain(|name| name != SESSIONS && self.dir.join(name).is_file());
        (names, problems)
    }

    /// Reads a file by its name in the store. `Ok(None)` if it does not exist.
    pub fn file(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        let (root, path) = self.place(name);
        let limit = if name == EVIDENCE { read::MAX_LOG } else { read::MAX_FILE };
        self.seal.read(root, &path, limit)
    }

    /// Like [`Store::file`], for a name that was just listed.
    pub fn listed(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        let (root, path) = self.place(name);
        self.seal.listed(root, &path, read::MAX_FILE)
    }
}

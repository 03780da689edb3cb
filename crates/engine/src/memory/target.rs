//! The stores that a call reads, the one that it writes, and the lock of that one.

use std::path::{Path, PathBuf};

use pimem_core::{guard::glob::WorkArea, score::ranking::Scope};
use serde::Serialize;

use super::{Memory, Reach, guards::git_says, status::AwayStatus};
use crate::{
    error::{Failure, FailureKind},
    store::{
        Store, StoreLock,
        discover::{self, Away},
        git, trust,
    },
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteTarget {
    pub dir: PathBuf,
    pub scope: Scope,
    pub exists: bool,
}

/// Whether a call changes the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Write,
    /// It only says what it would change.
    DryRun,
}

impl Effect {
    pub fn of(dry_run: bool) -> Self {
        if dry_run { Self::DryRun } else { Self::Write }
    }
}

/// How the store of a sparse checkout comes there.
const LEFT_OUT_FIX: &str = "git sparse-checkout add .pi/memory";
/// Most files that the work is on.
const MOST_FILES: usize = 64;

impl Memory {
    /// Returns where the work is: in the working directory, unless [`Memory::works_on`] has said more.
    pub fn work_area(&self) -> &WorkArea {
        self.area.get_or_init(|| self.area_of([].into_iter()))
    }

    /// Says which files the work is on besides: paths as they were typed, or absolute ones. Only what
    /// is said before the first ranking counts.
    pub fn works_on<'a>(&self, files: impl Iterator<Item = &'a str>) {
        let area = self.area_of(files);
        self.area.get_or_init(|| area);
    }

    pub(super) fn area_of<'a>(&self, files: impl Iterator<Item = &'a str>) -> WorkArea {
        let root = self.places.repository();
        let here = discover::below(root, &self.places.cwd);
        // What is typed may start from either.
        let paths = files.take(MOST_FILES).flat_map(|file| {
            let from_here = discover::below(root, &self.places.cwd.join(file));
            let is_found = Path::new(file).is_absolute() && from_here.is_some();
            [from_here, (!is_found).then(|| file.trim_start_matches('/').to_owned())]
        });
        WorkArea { files: paths.flatten().collect(), dirs: here.into_iter().collect() }
    }

    /// Returns the existing stores to read, the project's first. Mirrors are not among them; see
    /// [`Sharing::mirrors`](super::handles::Sharing::mirrors).
    ///
    /// # Errors
    /// Fails if the project's store leads away from the project, or the named one does not exist.
    pub fn readers(&self) -> Result<Vec<Store>, Failure> {
        self.led_away().map_or(Ok(()), |away| Err(Failure::from(&away)))?;
        self.readers_left()
    }

    /// Returns how the project's store leads away from the project, if it is to be read.
    fn led_away(&self) -> Option<Away> {
        let above = || self.places.above_project().into_iter().find_map(Result::err);
        let away = || self.places.found().and_then(Result::err).or_else(above);
        self.reads_project().then(away).flatten()
    }

    /// The same, also if no store is there yet.
    pub(super) fn leads_away(&self) -> Option<Away> {
        self.reads_project().then(|| self.places.away()).flatten()
    }

    /// Returns why the project has a store that is not read.
    pub(super) fn unread_store(&self) -> Option<AwayStatus> {
        if let Some(away) = self.leads_away() {
            let (path, says) = (away.path.display().to_string(), away.to_string());
            return Some(AwayStatus { path, says, fix: discover::REMEDY });
        }
        let new = self.places.new_project().filter(|_| self.reads_project())?.ok()?;
        let says = self.left_out(&new)?;
        Some(AwayStatus { path: new.display().to_string(), says, fix: LEFT_OUT_FIX })
    }

    fn reach(&self) -> Reach {
        match self.wish.stores {
            None if self.wish.user => Reach::User,
            choice => choice.unwrap_or(Reach::All),
        }
    }

    fn reads_project(&self) -> bool {
        matches!(self.reach(), Reach::Project | Reach::All)
    }

    /// Like [`Memory::readers`], without a project's store that leads away, which the caller tells.
    pub(super) fn readers_left(&self) -> Result<Vec<Store>, Failure> {
        self.stores_of(self.reach())
    }

    fn stores_of(&self, choice: Reach) -> Result<Vec<Store>, Failure> {
        let mut stores = Vec::new();
        if matches!(choice, Reach::Project | Reach::All) {
            let found = self.places.project();
            if let (Some(named), Some(dir)) = (&self.places.named, &found)
                && !discover::is_store(dir)
            {
                let (message, hint) = no_store(named);
                return Err(Failure::new(FailureKind::Usage, message, hint));
            }
            stores.extend(found.map(|dir| self.store(dir, Scope::Project)));
            let above = self.places.above_project().into_iter().flatten();
            stores.extend(above.map(|(levels, dir)| self.store(dir, Scope::Above(levels))));
        }
        // A store named explicitly is read alone, unless more scopes are requested.
        let alone = self.places.named.is_some() && self.wish.stores.is_none() && !self.wish.user;
        if matches!(choice, Reach::User | Reach::All) && !alone {
            let user = self.places.user().filter(|dir| discover::is_there(dir));
            stores.extend(user.map(|dir| self.store(dir, Scope::User)));
        }
        if stores.iter().any(|store| store.seal.is_sealed()) {
            stores = self.unlocked(stores)?;
        }
        self.learning().take_in_before(&stores);
        Ok(stores)
    }

    /// Returns the stores of the next report. `--user` says where to write, not what that report
    /// shows; a named store, and `--scope`, still narrow it.
    ///
    /// # Errors
    /// Fails as [`Memory::readers`] does.
    pub(super) fn reported(&self) -> Result<Vec<Store>, Failure> {
        // Where no user typed it, it stands for a named store that does not exist.
        let is_narrow = self.places.named.is_some() || self.wish.stores.is_some() || self.unasked;
        if !self.wish.user || is_narrow {
            return self.readers();
        }
        // What leads away was not asked for, and does not make the write fail.
        let leads_away = matches!(self.places.found(), Some(Err(_)));
        self.stores_of(if leads_away { Reach::User } else { Reach::All })
    }

    /// Returns the one-line message for an agent that the project's store belongs to another user.
    pub fn foreign_for_agents(&self) -> Option<&'static str> {
        let dir = self.places.project().filter(|_| self.reads_project())?;
        let is_foreign = trust::is_foreign(&dir);
        (is_foreign && !self.store(dir, Scope::Project).strict().trust.is_whole()).then_some(
            "> Memory: the store of this project belongs to another user, so that nothing of it is \
             shown and nothing is noted there. The user can vouch for it with \
             `pimem trust --always`.",
        )
    }

    /// Returns the stores for callers that send text to an agent unasked: only reviewed text
    /// counts, even in a named store.
    pub fn strict_readers(&self) -> Result<Vec<Store>, Failure> {
        Ok(self.readers()?.into_iter().map(Store::strict).collect())
    }

    /// Returns the store to write to, and creates it if it does not exist.
    pub fn writer(&self) -> Result<Store, Failure> {
        self.made(self.target()?)
    }

    /// Returns the store of a target. If it is to be written to and does not exist, it is created.
    pub fn opened(&self, target: WriteTarget, effect: Effect) -> Result<Store, Failure> {
        match effect {
            Effect::Write => self.made(target),
            Effect::DryRun => Ok(self.store(target.dir, target.scope)),
        }
    }

    /// Returns the store of a target, and creates it if it does not exist.
    pub fn made(&self, WriteTarget { dir, scope, exists }: WriteTarget) -> Result<Store, Failure> {
        let store = self.store(dir, scope);
        if !exists {
            store.init()?;
            self.notices.note(&format!(
                "Created a {} store in {}",
                scope.name(),
                store.dir.display()
            ));
        }
        Ok(store)
    }

    /// Creates the store that a writing command would use. If it exists, nothing changes.
    ///
    /// # Errors
    /// Fails if there can be no such store, or it cannot be written.
    pub fn init(&self) -> Result<Initialized, Failure> {
        let WriteTarget { dir, scope, .. } = self.target()?;
        let store = self.store(dir, scope);
        let created = store.init()?;
        let (store, scope) = (store.dir.display().to_string(), scope.name());
        Ok(Initialized { store, scope, created })
    }

    pub fn target(&self) -> Result<WriteTarget, Failure> {
        if self.wish.user || self.wish.stores == Some(Reach::User) {
            return self.users();
        }
        if self.wish.stores == Some(Reach::Team) {
            let hint = "leave out --scope, or use --user for your own store";
            return Err(Failure::new(
                FailureKind::Usage,
                "mirrors of the team are only read",
                hint,
            ));
        }
        let found = self.places.found().transpose().map_err(|away| Failure::from(&away))?;
        if let Some(dir) = found.filter(|dir| discover::is_there(dir)) {
            return Ok(WriteTarget { dir, scope: Scope::Project, exists: true });
        }
        let new = self.places.new_project().transpose().map_err(|away| Failure::from(&away))?;
        let dir = new.ok_or_else(|| {
            Failure::new(
                FailureKind::Usage,
                "the home directory is not a project",
                "use --user for your own store, or --dir for another one",
            )
        })?;
        if let Some(says) = self.left_out(&dir) {
            return Err(Failure::new(FailureKind::Refused, says, LEFT_OUT_FIX));
        }
        Ok(WriteTarget { dir, scope: Scope::Project, exists: false })
    }

    /// Returns the sentence that git has files of a store that is not there. A new one would stand in
    /// their place, and its commit would delete them.
    fn left_out(&self, dir: &Path) -> Option<String> {
        let root = self.places.work_tree(dir).filter(|_| !discover::is_there(dir))?;
        git::git_dir(root)?.join("info/sparse-checkout").is_file().then_some(())?;
        let listed = git_says(root, &["ls-files", "-t", "--", &dir.to_string_lossy()])?;
        // That mark is before a file that is left out.
        let is_left_out = listed.lines().any(|line| line.starts_with("S "));
        let place = self.places.short(dir);
        is_left_out.then(|| format!("git leaves {place} out of this sparse checkout"))
    }

    pub fn users(&self) -> Result<WriteTarget, Failure> {
        let dir = self.places.user().ok_or_else(no_home)?;
        let exists = discover::is_there(&dir);
        Ok(WriteTarget { dir, scope: Scope::User, exists })
    }
}

/// Takes the lock of a store, unless nothing is to be changed.
pub fn lock_for(
    memory: &Memory,
    store: &Store,
    effect: Effect,
) -> Result<Option<StoreLock>, Failure> {
    match effect {
        Effect::Write => lock(memory, store).map(Some),
        Effect::DryRun => Ok(None),
    }
}

/// Takes the lock of a store. Completes what its last holder could not, moves the events of hooks
/// into the log, and learns what waits in the spool.
pub fn lock(memory: &Memory, store: &Store) -> Result<StoreLock, Failure> {
    store.seal.check_write().map_err(|problem| Failure::from(&problem))?;
    let lock = store.lock()?;
    if let Err(error) = store.seal.remember() {
        memory.notices.detail(&format!("cannot note that the store is sealed: {error:#}"));
    }
    store.complete(&lock)?;
    if !store.aside {
        store.settle(&lock)?;
    }
    if store.resume(&lock, &memory.config.categories, memory.now)? {
        memory.notices.note("Ended what an interrupted command had begun");
    }
    store.sweep_grave(memory.now);
    if store.has_spool() {
        memory.learning().take_in_locked(store, &lock);
    }
    // Once something is written to new files of their topics, it looks as if a person had taken out
    // what was there.
    if store.lacks_kept_topics() {
        memory.learning().put_back(store, &lock)?;
    }
    Ok(lock)
}

pub(super) fn no_store(named: &Path) -> (String, &'static str) {
    (format!("there is no store at {}", named.display()), "pimem init --dir DIR makes one")
}

fn no_home() -> Failure {
    Failure::new(FailureKind::Usage, "there is no home directory", "set HOME, or PIMEM_USER_DIR")
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Initialized {
    /// Directory of the store.
    pub store: String,
    /// `project` or `user`.
    pub scope: &'static str,
    /// False if the store already existed.
    pub created: bool,
}

documents! {
    Initialized: "pimem.init/1",
}

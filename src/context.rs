//! The context of a command: clock, environment, stores and settings, made once and passed down.
#![expect(clippy::disallowed_methods, reason = "the one way in to clock and working directory")]

use std::{
    cell::RefCell,
    mem::ManuallyDrop,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use chrono::{Local, TimeZone};

use super::{
    config_files,
    error::{Failure, Kind},
    ui::Ui,
};
use pimem_core::{
    model::{
        calendar::LocalTime,
        category::Categories,
        event::Provenance,
        time::{Now, Timestamp},
    },
    score::{
        board::{Board, Placed, Rules, Scope},
        clock::Clock,
        ledger::Ledger,
    },
};
use pimem_engine::{
    config::{env::Env, invalid::Unusable, layers::Config},
    index::manifest,
    models::installed::Models,
    store::{
        atomic::Sync,
        discover::{self, Places},
        lock::StoreLock,
        read,
        snapshot::{Snapshot, Store},
        trust::{Trust, Word},
        undo::{self, Run},
    },
};

pub(crate) use super::globals::{Globals, ScopeChoice};

/// What a command works with.
pub(crate) struct Context {
    /// The time, perhaps set by the user.
    pub(crate) now: Now,
    /// The true time, for time stamps of files.
    pub(crate) real_now: SystemTime,
    /// The environment.
    pub(crate) env: Env,
    /// Where stores are.
    pub(crate) places: Places,
    /// The settings.
    pub(crate) config: Config,
    /// Standard output and error.
    pub(crate) ui: Ui,
    globals: Globals,
    /// Nobody has typed the command: it is a hook, or one has started it.
    unasked: bool,
    /// The command, if it can be taken back.
    run: Option<Arc<Run>>,
    pub(crate) warned: RefCell<Vec<String>>,
    /// Headings that the project gives to its categories and that nobody has reviewed.
    pub(crate) headings: Vec<String>,
    /// Why something that was written here could not be noted as such.
    pub(crate) unnoted: Arc<OnceLock<String>>,
}

/// What becomes of options and variables that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Typed {
    /// Whoever typed them is told.
    Refused,
    /// The rest goes on without them.
    LeftOut,
}

/// Time, places and settings.
type Parts = (Now, Places, Config);

/// A store that may be written to: directory, whose it is, and whether it is there.
pub(crate) type Target = (PathBuf, Scope, bool);

impl Context {
    /// Reads clock, environment and settings.
    pub(crate) fn new(globals: Globals, env: Env, ui: Ui) -> Result<Self, (Failure, Ui)> {
        match Self::parts(None, &globals, &env, Typed::Refused) {
            Ok(parts) => Ok(Self::of(parts, globals, env, ui)),
            Err(failure) => Err((failure, ui)),
        }
    }

    /// The same for a hook, in the directory that an agent works in. Nobody is there to type it again,
    /// so options and variables that cannot be used are left out, as settings are.
    pub(crate) fn of_hook(
        cwd: Option<PathBuf>,
        mut globals: Globals,
        env: Env,
        ui: Ui,
    ) -> Result<Self, (Failure, Ui)> {
        let (now, mut places, mut config) = match Self::parts(cwd, &globals, &env, Typed::LeftOut) {
            Ok(parts) => parts,
            Err(failure) => return Err((failure, ui)),
        };
        // Of a store that is not where it was said to be, no other takes the place; one's own is still
        // there.
        if let Some(named) = places.named.take_if(|named| !places.cwd.join(named).is_dir()) {
            let name = if globals.dir.is_some() { "--dir" } else { "PIMEM_DIR" };
            let (message, hint) = no_store(&named);
            config.unusable.push(Unusable::typed(name, message, hint));
            globals.user = true;
        }
        Ok(Self { unasked: true, ..Self::of((now, places, config), globals, env, ui) })
    }

    fn of((now, places, config): Parts, globals: Globals, env: Env, ui: Ui) -> Self {
        let mut ctx = Self {
            run: None,
            unasked: env.text("PIMEM_UNASKED") == Some("1"),
            now,
            real_now: SystemTime::now(),
            env,
            places,
            config,
            ui,
            globals,
            warned: RefCell::default(),
            headings: Vec::new(),
            unnoted: Arc::default(),
        };
        ctx.withhold_headings();
        ctx.withhold_settings();
        ctx
    }

    fn parts(
        cwd: Option<PathBuf>,
        globals: &Globals,
        env: &Env,
        typed: Typed,
    ) -> Result<Parts, Failure> {
        let cwd = cwd.map_or_else(std::env::current_dir, Ok).map_err(|error| {
            let message = format!("the working directory is gone: {error}");
            Failure::new(Kind::Io, message, "change to a directory that exists")
        })?;
        let path = |name: &str| env.get(name).map(PathBuf::from);
        let ceilings =
            env.get("PIMEM_CEILING_DIRS").map(|dirs| std::env::split_paths(dirs).collect());
        let places = Places {
            cwd,
            home: env.home.clone(),
            named: globals.dir.clone().or_else(|| path("PIMEM_DIR")),
            user: path("PIMEM_USER_DIR"),
            ceilings: ceilings.unwrap_or_default(),
        };
        let (files, mut unusable) = config_files::read(&places);
        let mut now = Now(of_system(SystemTime::now()));
        let set = globals.now.as_deref().map(|text| ("--now", text));
        if let Some((name, text)) = set.or_else(|| Some(("PIMEM_NOW", env.text("PIMEM_NOW")?))) {
            if let Some(time) = Timestamp::parse(text).or_else(|| Timestamp::parse_date(text)) {
                now = Now(time);
            } else {
                let message = format!("{text:?} is not a time");
                let hint = "write it as in 2026-06-30T18:00:00Z";
                if typed == Typed::Refused {
                    return Err(Failure::new(Kind::Usage, message, hint));
                }
                unusable.push(Unusable::typed(name, message, hint));
            }
        }
        let mut config = Config::load(&files, env);
        unusable.append(&mut config.unusable);
        config.unusable = unusable;
        let wrong = config.unusable.iter().find(|wrong| wrong.is_typed());
        match wrong.filter(|_| typed == Typed::Refused) {
            Some(wrong) => Err(Failure::from(wrong)),
            None => Ok((now, places, config)),
        }
    }

    /// Has what the command does noted, so that it can be taken back.
    pub(crate) fn begin_run(&mut self, command: &'static str) {
        if !self.unasked {
            self.run = undo::run(command, self.now.0.to_string(), of_system(self.real_now).0);
        }
    }

    /// The stores to read that exist, the project's first.
    pub(crate) fn readers(&self) -> Result<Vec<Store>, Failure> {
        let choice = match self.globals.scope {
            None if self.globals.user => ScopeChoice::User,
            choice => choice.unwrap_or(ScopeChoice::All),
        };
        let mut stores = Vec::new();
        if choice != ScopeChoice::User {
            let found = self.places.project();
            if let (Some(named), Some(dir)) = (&self.places.named, &found)
                && !discover::is_there(dir)
            {
                let (message, hint) = no_store(named);
                return Err(Failure::new(Kind::Usage, message, hint));
            }
            stores.extend(found.map(|dir| self.store(dir, Scope::Project)));
        }
        // A store named outright is meant alone, unless a scope asks for more.
        let alone =
            self.places.named.is_some() && self.globals.scope.is_none() && !self.globals.user;
        if choice != ScopeChoice::Project && !alone {
            let user = self.places.user().filter(|dir| discover::is_there(dir));
            stores.extend(user.map(|dir| self.store(dir, Scope::User)));
        }
        Ok(stores)
    }

    /// The same for whoever speaks to an agent unasked: only what was reviewed counts, even where a
    /// store was named.
    pub(crate) fn strict_readers(&self) -> Result<Vec<Store>, Failure> {
        Ok(self.readers()?.into_iter().map(Store::strict).collect())
    }

    /// The store to write to, made when there is none.
    pub(crate) fn writer(&self) -> Result<Store, Failure> {
        self.made(self.target()?)
    }

    /// A target as a store, made when there is none.
    pub(crate) fn made(&self, (dir, scope, known): Target) -> Result<Store, Failure> {
        let store = self.store(dir, scope);
        if !known {
            store.init()?;
            self.ui.note(&format!("Created a {} store in {}", scope.name(), store.dir.display()));
        }
        Ok(store)
    }

    /// Where a writing command would write.
    pub(crate) fn target(&self) -> Result<Target, Failure> {
        if self.globals.user || self.globals.scope == Some(ScopeChoice::User) {
            return self.users();
        }
        if let Some(dir) = self.places.project().filter(|dir| discover::is_there(dir)) {
            return Ok((dir, Scope::Project, true));
        }
        let dir = self.places.new_project().ok_or_else(|| {
            Failure::new(
                Kind::Usage,
                "the home directory is not a project",
                "use --user for your own store, or --dir for another one",
            )
        })?;
        Ok((dir, Scope::Project, false))
    }

    /// The time that the command line set.
    pub(crate) fn set_clock(&self) -> Option<&str> {
        self.globals.now.as_deref()
    }

    /// Whether the user's own store was asked for.
    pub(crate) fn wants_user(&self) -> bool {
        self.globals.user
    }

    /// The user's own store as a target.
    pub(crate) fn users(&self) -> Result<Target, Failure> {
        let dir = self.places.user().ok_or_else(no_home)?;
        let known = discover::is_there(&dir);
        Ok((dir, Scope::User, known))
    }

    /// A store with the settings in force.
    pub(crate) fn store(&self, dir: PathBuf, scope: Scope) -> Store {
        let sync = if self.env.text("PIMEM_SYNC") == Some("0") { Sync::None } else { Sync::Full };
        let patience = Duration::from_millis(self.config.whole("lock.timeoutMs"));
        let word = match scope {
            Scope::User => Word::Own,
            Scope::Project if self.places.named.is_some() => Word::Named,
            Scope::Project => Word::None,
        };
        let (state, unnoted) = (self.env.state.clone(), Arc::clone(&self.unnoted));
        let trust = Trust::new(&dir, state.as_deref(), (patience, sync), word, unnoted);
        let aside = self.unasked && self.config.text("evidence.shared") != "always";
        Store {
            dir,
            scope,
            sync,
            patience,
            trust,
            state,
            strict: false,
            aside,
            run: self.run.clone(),
        }
    }

    /// Who causes what is written now.
    pub(crate) fn who(&self) -> Provenance {
        let text = |name: &str| {
            let clean: String = self.env.text(name)?.chars().filter(|c| !c.is_control()).collect();
            Some(clean.chars().take(64).collect::<String>()).filter(|text| !text.is_empty())
        };
        Provenance {
            by: text("PIMEM_AGENT").unwrap_or_else(|| "user".to_owned()),
            session: text("PIMEM_SESSION"),
            tags: Vec::new(),
        }
    }

    /// How entries are scored.
    pub(crate) fn rules(&self) -> Rules<'_> {
        Rules {
            categories: &self.config.categories,
            fresh: self.config.flag("scoring.fresh"),
            reserve: self.config.flag("report.fill"),
            clock: match self.config.text("scoring.clock") {
                "active" => Clock::Active(self.now),
                _ => Clock::Calendar,
            },
        }
    }

    /// Reads stores, and scores all their entries. The process ends soon after: giving thousands
    /// of strings back one by one would only take time, so they are never dropped.
    pub(crate) fn board(
        &self,
        stores: &[Store],
    ) -> (ManuallyDrop<Board>, ManuallyDrop<Vec<Snapshot>>) {
        let categories = &self.config.categories;
        let read = |store: &Store| store.read(self.now, categories);
        let snapshots: Vec<Snapshot> = stores.iter().map(read).collect();
        let board = Board::new(self.now, self.rules(), placed(categories, stores, &snapshots));
        // A ledger was asked about each entry.
        let asked = |(store, held): (_, &Snapshot)| Some(store).filter(|_| !held.topics.is_empty());
        self.warn_of_ledgers(stores.iter().zip(&snapshots).filter_map(asked));
        let damaged: usize = snapshots.iter().map(|held| held.damaged).sum();
        if damaged > 0 {
            self.warn(format!(
                "damaged lines of evidence.jsonl skipped: {damaged} (pimem doctor names them)"
            ));
        }
        (ManuallyDrop::new(board), ManuallyDrop::new(snapshots))
    }

    /// Says what could not be read; the command's answer is then incomplete, and it has failed.
    pub(crate) fn complain(
        &self,
        problems: &[read::Problem],
        otherwise: super::error::Exit,
    ) -> super::error::Exit {
        for problem in problems {
            Failure::from(problem).print(&self.ui);
        }
        if problems.is_empty() { otherwise } else { super::error::Exit::Error }
    }

    /// Where the index of a store is, if there is a cache directory.
    pub(crate) fn cache_dir(&self, store: &Store) -> Option<PathBuf> {
        self.env.cache.as_deref().map(|cache| manifest::cache_dir(cache, store))
    }

    /// The installed models, if there is a cache directory.
    pub(crate) fn models(&self) -> Result<Models, Failure> {
        let cache = self.env.cache.as_deref().ok_or_else(|| {
            Failure::new(Kind::Usage, "there is no cache directory", "set HOME, or XDG_CACHE_HOME")
        })?;
        let setting = self.config.text("embedding.runtime");
        let program = Env::program().map_err(|error| {
            Failure::from(anyhow::Error::new(error).context("cannot find this program itself"))
        })?;
        Ok(Models::new(cache, setting, self.env.get("ORT_DYLIB_PATH"), program))
    }

    /// A store's configuration file: `memory.json` beside the store.
    pub(crate) fn config_file(dir: &Path) -> PathBuf {
        dir.parent().unwrap_or(dir).join("memory.json")
    }
}

/// A moment as clocks show it here.
pub(crate) fn local(at: Timestamp) -> LocalTime {
    let offset = Local.timestamp_millis_opt(at.0).earliest();
    LocalTime::new(at, offset.map_or(0, |time| time.offset().local_minus_utc()))
}

/// The entries of stores, each with its evidence.
pub(crate) fn placed<'a>(
    categories: &Categories,
    stores: &[Store],
    snapshots: &'a [Snapshot],
) -> Vec<(Vec<Placed>, &'a Ledger)> {
    let held = stores.iter().zip(snapshots);
    held.map(|(store, held)| (held.placed(store, categories), &held.ledger)).collect()
}

/// What could not be read of some stores.
pub(crate) fn problems(snapshots: &[Snapshot]) -> Vec<read::Problem> {
    snapshots.iter().flat_map(|snapshot| snapshot.problems.iter().cloned()).collect()
}

/// The lock of a store. What its last holder had begun and could not end is done first, and what
/// hooks have noted since somebody last typed a command becomes part of the log.
pub(crate) fn lock(ctx: &Context, store: &Store) -> Result<StoreLock, Failure> {
    let lock = StoreLock::acquire(&store.dir, store.patience)?;
    store.complete(&lock)?;
    if !store.aside {
        store.settle(&lock)?;
    }
    if store.resume(&lock, &ctx.config.categories, ctx.now)? {
        ctx.ui.note("Ended what an interrupted dream had begun");
    }
    Ok(lock)
}

fn of_system(time: SystemTime) -> Timestamp {
    let after = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(after.as_millis()).unwrap_or(i64::MAX))
}

fn no_store(named: &Path) -> (String, &'static str) {
    (format!("there is no store at {}", named.display()), "pimem init --dir DIR makes one")
}

fn no_home() -> Failure {
    Failure::new(Kind::Usage, "there is no home directory", "set HOME, or PIMEM_USER_DIR")
}

//! A memory: the stores with the settings in force at one moment, and the operations on them.
//!
//! [`Memory::open`] finds stores and reads settings. What is done with them is in [`handles`]:
//! [`Writing::add`](handles::Writing::add), [`Reading::search`](handles::Reading::search) and the
//! others take a request and return a result. `examples/embed.rs` is a complete program. The
//! modules below are the use cases, of the program's commands and hooks.
//!
//! [`Memory`] never prints, and reads neither the clock nor the environment: its inputs are in
//! [`StoreWish`], and its messages go to [`Notices`].

pub mod add;
pub mod added;
pub mod archived;
pub mod background;
pub mod backup;
pub mod check;
pub mod curate;
pub mod diff;
pub mod dream;
pub mod edit;
pub mod encrypt;
pub mod eval;
pub mod export;
pub mod extract;
pub mod forecast;
pub mod guards;
pub mod handles;
pub mod handoff;
pub mod import;
pub mod intake;
pub mod learn;
pub mod list;
pub mod machine;
pub mod merge_driver;
pub mod mirrors;
pub mod model;
pub mod next;
pub mod notes;
pub mod observe;
pub mod page;
pub mod pins;
pub mod purge;
pub mod rebuild;
pub mod recall;
pub mod reflect;
pub mod report;
pub mod review;
pub mod score;
pub mod search;
pub mod selector;
pub mod sessions;
pub mod settings;
pub mod shortlist;
pub mod status;
pub mod sync;
pub mod target;
pub mod team;
pub mod telemetry;
pub mod trust;
pub mod undo;
pub mod vouch;
pub mod why;

use std::{
    cell::{Cell, OnceCell, RefCell},
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, OnceLock},
    time::SystemTime,
};

pub use self::{
    add::{AddRequest, Rejected},
    intake::NewText,
    report::{ReportListing, ReportRequest, Reported},
    search::{SearchResult, request::SearchRequest},
    target::{Effect, WriteTarget, lock, lock_for},
};
pub use crate::memory::add::Added;
use crate::process::Leaky;
use crate::{
    config::{
        env::{self, Env},
        layers::{Config, SettingOrigin},
        settings::{AgingClock, HookEvidence, MemoryBlock, PolicyName},
        settings_file::Unusable,
    },
    error::{Failure, FailureKind},
    index::container::Cache,
    models::installed::Models,
    store::{
        Store,
        atomic::Sync,
        discover::{self, Places},
        read,
        seal::Seal,
        snapshot::Snapshot,
        trust::{Trust, TrustLevel},
        undo::{self as steps, Run},
    },
    view::Entries,
};
use pimem_core::{
    guard::glob::WorkArea,
    model::{
        category::Categories,
        event::Provenance,
        time::{Now, Timestamp},
    },
    report::{
        budget::{self, Tokens},
        render::{self, RenderSettings},
    },
    review::Contributor,
    score::{
        access::Accesses,
        clock::Clock,
        ledger::Ledger,
        policy::{Policy, ebbinghaus::Fading, weighted::Switches},
        ranking::{LocatedEntry, Ranking, RankingRules, Scope},
    },
};

/// Similarity from which a text may repeat another, under the policy `ebbinghaus`.
const MERGE: f64 = 0.85;

/// Receiver of messages that are not part of a result.
pub trait Notices {
    /// Receives a message for the user.
    fn note(&self, line: &str);
    /// Receives a message for debugging.
    fn detail(&self, line: &str);
    /// Returns a progress callback: number of items done, and total.
    fn progress(&self, what: &'static str) -> Box<dyn FnMut(usize, usize)>;
    /// The same for bytes.
    fn transfer(&self, what: &'static str) -> Box<dyn FnMut(usize, usize)> {
        self.progress(what)
    }
    /// Returns true if a program reads the result. Results for programs include what is missing.
    fn for_programs(&self) -> bool;
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Notices for Silent {
    fn note(&self, _: &str) {}

    fn detail(&self, _: &str) {}

    fn progress(&self, _: &'static str) -> Box<dyn FnMut(usize, usize)> {
        Box::new(|_, _| {})
    }

    fn for_programs(&self) -> bool {
        true
    }
}

/// Which stores to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Project,
    User,
    /// Mirrors.
    Team,
    All,
}

/// Options that select stores and the time.
#[derive(Debug, Clone, Default)]
pub struct StoreWish {
    /// A store named explicitly: the directory that holds `topics/`.
    pub dir: Option<PathBuf>,
    /// True to use the user's store instead of the project's.
    pub user: bool,
    /// Restricts the stores to read.
    pub stores: Option<Reach>,
    /// Time to use instead of the clock's, as [`diff::when`] parses it.
    pub now: Option<String>,
    /// True if a person types at a terminal.
    pub at_terminal: bool,
}

/// How to handle unusable options and variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vantage {
    /// The user typed them; they are errors.
    Typed,
    /// No user is present; they are ignored.
    Unasked,
}

/// The stores with the settings in force at one moment.
///
/// A memory is used by one thread; several may be open at once.
pub struct Memory {
    /// The current time, which the user may have set.
    pub now: Now,
    /// The system time, for file time stamps.
    pub real_now: SystemTime,
    pub env: Env,
    pub places: Places,
    pub config: Config,
    pub notices: Rc<dyn Notices>,
    wish: StoreWish,
    ends_soon: bool,
    /// True if no user typed the command: it is a hook, or started by one.
    unasked: bool,
    /// True if an agent has asked, so that no person sees what is warned of.
    by_agent: bool,
    /// The command, if it can be undone.
    run: Option<Arc<Run>>,
    warned: RefCell<Vec<String>>,
    /// How the stores that were opened are kept.
    seals: RefCell<Vec<(PathBuf, Seal)>>,
    /// Unreviewed headings that the project gives to its categories.
    pub headings: Vec<String>,
    /// Where the work is.
    area: OnceCell<WorkArea>,
    /// Accesses, if the policy in force counts them.
    counted: OnceCell<Accesses>,
    /// True if the spools were looked at.
    took_in: Cell<bool>,
    /// What was learned from the spools and not told yet.
    news: RefCell<Vec<learn::News>>,
    /// Error in recording a text as written here.
    unnoted: Arc<OnceLock<String>>,
}

/// A result, with problems that may make it incomplete.
#[derive(Debug)]
pub struct Answer<V> {
    pub view: V,
    pub problems: Vec<read::ReadProblem>,
}

impl Memory {
    /// Finds stores and reads settings, from the directory `cwd` at the time `clock`.
    ///
    /// # Errors
    /// Fails if the user typed an unusable option or set an unusable variable.
    pub fn open(
        cwd: PathBuf,
        clock: SystemTime,
        mut wish: StoreWish,
        env: Env,
        asked: Vantage,
        notices: Rc<dyn Notices>,
    ) -> Result<Self, Failure> {
        let path = |name: &str| env.get(name).map(PathBuf::from);
        let ceilings =
            env.get("PIMEM_CEILING_DIRS").map(|dirs| std::env::split_paths(dirs).collect());
        let mut places = Places {
            cwd,
            home: env.home.clone(),
            named: wish.dir.clone().or_else(|| path("PIMEM_DIR")),
            user: path("PIMEM_USER_DIR"),
            ceilings: ceilings.unwrap_or_default(),
            state: env.state.clone(),
            ..Places::default()
        };
        let (files, mut unusable) = settings::read(&places);
        let mut now = Now(of_system(clock));
        // What the option says may be relative to what the variable says.
        let variable = env.text("PIMEM_NOW").map(|text| ("PIMEM_NOW", text));
        let option = wish.now.as_deref().map(|text| ("--now", text));
        for (name, text) in variable.into_iter().chain(option) {
            match diff::when(now, text, Timestamp::parse_date) {
                Ok(time) => now = Now(time),
                Err(_) if name == "PIMEM_NOW" && option.is_some() => {}
                Err(failure) => {
                    let (message, hint) =
                        (format!("{text:?} is not a time"), failure.hints.join("; "));
                    if asked == Vantage::Typed {
                        return Err(Failure::new(FailureKind::Usage, message, hint));
                    }
                    unusable.push(Unusable::typed(name, message, hint));
                }
            }
        }
        let mut config = Config::load(&files, &env);
        unusable.append(&mut config.unusable);
        config.unusable = unusable;
        let wrong = config.unusable.iter().find(|wrong| wrong.is_typed());
        if let Some(wrong) = wrong.filter(|_| asked == Vantage::Typed) {
            return Err(Failure::from(wrong));
        }
        // If a named store does not exist, the project's store is not used in its place; the user's
        // store still is.
        let gone = |named: &mut PathBuf| !discover::is_store(&places.cwd.join(named));
        if asked == Vantage::Unasked
            && let Some(named) = places.named.take_if(gone)
        {
            places.name(None);
            let name = if wish.dir.is_some() { "--dir" } else { "PIMEM_DIR" };
            let (message, hint) = target::no_store(&named);
            config.unusable.push(Unusable::typed(name, message, hint));
            wish.user = true;
        }
        let mut memory = Self {
            run: None,
            by_agent: false,
            unasked: asked == Vantage::Unasked || env.text("PIMEM_UNASKED") == Some("1"),
            now,
            real_now: clock,
            env,
            places,
            config,
            notices,
            wish,
            ends_soon: false,
            warned: RefCell::default(),
            seals: RefCell::default(),
            headings: Vec::new(),
            area: OnceCell::new(),
            counted: OnceCell::new(),
            took_in: Cell::new(false),
            news: RefCell::default(),
            unnoted: Arc::default(),
        };
        memory.withhold_headings();
        memory.withhold_settings();
        Ok(memory)
    }

    /// Leaks large values instead of freeing them, for a process that ends after one answer.
    pub fn ends_soon(&mut self) {
        self.ends_soon = true;
    }

    /// Has stores answer an agent: what only a person can decide is refused.
    pub fn answer_agent(&mut self) {
        self.by_agent = true;
        self.seals.borrow_mut().clear();
    }

    /// Starts recording the effects of the command for undo.
    pub fn begin_run(&mut self, command: &'static str) {
        if !self.unasked {
            self.run = steps::run(command, self.now.0.to_string(), of_system(self.real_now).0);
        }
    }

    /// Returns true if another call of the program started this one, for work that nobody waits for.
    fn is_background(&self) -> bool {
        self.env.text("PIMEM_UNASKED") == Some("1")
    }

    /// Returns the current time in RFC 3339, if the command line set it.
    pub fn set_clock(&self) -> Option<String> {
        self.wish.now.as_ref().map(|_| self.now.0.to_string())
    }

    pub fn wants_user(&self) -> bool {
        self.wish.user
    }

    /// Returns a store with the settings in force.
    pub fn store(&self, dir: PathBuf, scope: Scope) -> Store {
        let dir = env::native(dir);
        let sync = if self.env.text("PIMEM_SYNC") == Some("0") { Sync::None } else { Sync::Full };
        let patience = self.config.settings.lock.timeout;
        let word = match scope {
            Scope::User => TrustLevel::Own,
            Scope::Project if self.places.named.is_some() => TrustLevel::Named,
            Scope::Project | Scope::Above(_) | Scope::Team => TrustLevel::None,
        };
        let (state, unnoted) = (self.env.state.clone(), Arc::clone(&self.unnoted));
        let seal = self.seal(&dir);
        let kept = (&*dir, seal.clone());
        let trust = Trust::new(kept, state.as_deref(), (patience, sync), word, unnoted);
        let trust = trust.written_by(self.contributor(), self.config.settings.agents.review);
        let aside = self.unasked && self.config.settings.scoring.evidence != HookEvidence::Always;
        Store {
            dir,
            scope,
            sync,
            patience,
            seal,
            trust,
            state,
            strict: false,
            aside,
            apart: !self.config.settings.work_trees.shared,
            run: self.run.clone(),
            mirror: None,
            noted: Arc::default(),
            trees: Arc::default(),
        }
    }

    /// Returns the author of events written now.
    pub fn who(&self) -> Provenance {
        let text = |name: &str| {
            let clean: String = self.env.text(name)?.chars().filter(|c| !c.is_control()).collect();
            Some(clean.chars().take(64).collect::<String>()).filter(|text| !text.is_empty())
        };
        Provenance {
            by: text("PIMEM_AGENT").unwrap_or_else(|| Provenance::USER.to_owned()),
            session: text("PIMEM_SESSION"),
            ..Provenance::default()
        }
    }

    /// Returns who writes now.
    pub fn contributor(&self) -> Contributor {
        let by = self.who().by;
        if self.unasked {
            Contributor::Program
        } else if by != Provenance::USER {
            Contributor::Agent
        } else if self.wish.at_terminal {
            Contributor::Person
        } else {
            Contributor::Program
        }
    }

    /// Refuses an agent what only a person decides.
    ///
    /// # Errors
    /// Fails if the environment says that an agent runs the command.
    pub fn refuse_agent(&self, what: &str) -> Result<(), Failure> {
        if self.contributor() != Contributor::Agent {
            return Ok(());
        }
        let message = format!("{what} is for a person, and this runs under {}", self.who().by);
        Err(Failure::new(FailureKind::Refused, message, "type it in a terminal of your own"))
    }

    /// Makes the entries of a ranking ready to be printed.
    pub(crate) fn entries_of<'a>(&'a self, ranking: &'a Ranking) -> Entries<'a> {
        Entries::new(self.now, &self.config.categories, ranking)
    }

    pub fn rules(&self) -> RankingRules<'_> {
        RankingRules {
            categories: &self.config.categories,
            fresh: self.config.settings.scoring.fresh,
            reserve: self.config.settings.report.fill,
            clock: match self.config.settings.scoring.clock {
                AgingClock::Active => Clock::Active(self.now),
                AgingClock::Calendar => Clock::Calendar,
            },
            policy: self.policy(),
            accesses: self.policy_accesses(),
            area: Some(self.work_area()),
            rest: &[],
        }
    }

    pub fn policy(&self) -> Policy {
        self.policy_of(self.config.settings.scoring.policy)
    }

    /// Returns the similarity from which a text may repeat another.
    pub fn merge_threshold(&self) -> f64 {
        let set = &MemoryBlock::merge_threshold;
        let is_default = *self.config.origin(set) == SettingOrigin::Default;
        if is_default && matches!(self.policy(), Policy::Ebbinghaus(_)) {
            return MERGE;
        }
        self.config.settings.memory.merge_threshold
    }

    pub fn policy_of(&self, name: PolicyName) -> Policy {
        let block = &self.config.settings.memory;
        let is_off = |names: [&str; 2]| self.env.is_on(&names);
        match name {
            PolicyName::Stability => Policy::Stability,
            PolicyName::Weighted => Policy::Weighted(Switches {
                scoring: !is_off(["PIMEM_SCORING_DISABLED", "AIDE_MEMORY_SCORING_DISABLED"]),
                decay: !is_off(["PIMEM_DECAY_DISABLED", "AIDE_MEMORY_DECAY_DISABLED"]),
            }),
            PolicyName::Ebbinghaus => Policy::Ebbinghaus(Fading {
                decay_factor: block.decay_factor,
                min_importance: block.min_importance,
            }),
        }
    }

    /// Returns the settings of a report within `limit`, or the configured budget, beside a system
    /// prompt.
    pub fn report_settings(
        &self,
        limit: Option<Tokens>,
        system_prompt: Tokens,
    ) -> RenderSettings<'_> {
        let report = &self.config.settings.report;
        let limit = limit.unwrap_or(report.budget);
        let budget = match limit {
            Tokens::UNLIMITED => limit,
            limit => budget::available(limit, report.context, system_prompt),
        };
        RenderSettings {
            budget,
            ground_truth: report.ground_truth,
            remove_command: &report.remove_command,
            fill: report.fill.then_some(&*report.search_command),
            reasons: true,
        }
    }

    /// Returns the sentence that asks a person to consolidate, if the report does not ask itself.
    pub(crate) fn crowded(&self, report: &render::Report) -> Option<String> {
        let set = &self.config.settings.report;
        // The default is the name of an agent's tool.
        let key = &crate::config::settings::ReportSettings::remove_command;
        let is_set = *self.config.origin(key) != SettingOrigin::Default;
        let command = if is_set { &*set.remove_command } else { "pimem forget" };
        let is_due = report.crowded && !set.ground_truth.warns();
        is_due.then(|| render::warning(command).to_string())
    }

    pub fn ranking(&self, stores: &[Store]) -> (Leaky<Ranking>, Leaky<Vec<Snapshot>>) {
        let read = |store: &Store| store.read(self.now, &self.config.categories);
        self.ranking_of(stores, stores.iter().map(read).collect())
    }

    /// The same, with what other work trees have learned, which is shown and cannot be changed here.
    pub fn ranking_everywhere(&self, stores: &[Store]) -> (Leaky<Ranking>, Leaky<Vec<Snapshot>>) {
        let read = |store: &Store| {
            let mut held = store.read(self.now, &self.config.categories);
            store.add_elsewhere(&self.config.categories, &mut held);
            held
        };
        self.ranking_of(stores, stores.iter().map(read).collect())
    }

    /// The same, of what was read of them.
    pub fn ranking_of(
        &self,
        stores: &[Store],
        snapshots: Vec<Snapshot>,
    ) -> (Leaky<Ranking>, Leaky<Vec<Snapshot>>) {
        let categories = &self.config.categories;
        let ranking = Ranking::new(self.now, self.rules(), placed(categories, stores, &snapshots));
        // Ranking asked the ledger of trust about each entry.
        let asked = |(store, held): (_, &Snapshot)| Some(store).filter(|_| !held.topics.is_empty());
        self.warn_of_ledgers(stores.iter().zip(&snapshots).filter_map(asked));
        let damaged: usize = snapshots.iter().map(|held| held.damaged).sum();
        if damaged > 0 {
            self.warn(format!(
                "damaged lines of evidence.jsonl skipped: {damaged} (pimem check names them)"
            ));
        }
        (Leaky::new(ranking, self.ends_soon), Leaky::new(snapshots, self.ends_soon))
    }

    /// Returns the index directory of a store, if there is a cache directory.
    pub fn cache_dir(&self, store: &Store) -> Option<Cache> {
        self.env.cache.as_deref().map(|cache| Cache::new(cache, store))
    }

    pub fn models(&self) -> Result<Models, Failure> {
        let cache = self.env.cache.as_deref().ok_or_else(|| {
            Failure::new(
                FailureKind::Usage,
                "there is no cache directory",
                "set HOME, or XDG_CACHE_HOME",
            )
        })?;
        let setting = &self.config.settings.embedding.runtime;
        let program = Env::program().map_err(|error| {
            Failure::from(anyhow::Error::new(error).context("cannot find this program itself"))
        })?;
        Ok(Models::new(cache, setting, self.env.get("ORT_DYLIB_PATH"), program))
    }

    /// Returns a store's configuration file: `memory.json` beside the store.
    pub fn config_file(dir: &Path) -> PathBuf {
        dir.parent().unwrap_or(dir).join("memory.json")
    }
}

pub fn placed<'a>(
    categories: &Categories,
    stores: &[Store],
    snapshots: &'a [Snapshot],
) -> Vec<(Vec<LocatedEntry>, &'a Ledger)> {
    let held = stores.iter().zip(snapshots);
    held.map(|(store, held)| (held.placed(store, categories), &held.ledger)).collect()
}

pub fn problems(snapshots: &[Snapshot]) -> Vec<read::ReadProblem> {
    snapshots.iter().flat_map(|snapshot| snapshot.problems.iter().cloned()).collect()
}

fn of_system(time: SystemTime) -> Timestamp {
    let after = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(after.as_millis()).unwrap_or(i64::MAX))
}

//! Dreams in the background: how one is started, and what ends it when it takes too long.
#![expect(
    clippy::disallowed_methods,
    clippy::exit,
    reason = "a dream that takes too long is ended"
)]

use std::{
    path::PathBuf,
    process,
    sync::{
        Mutex, MutexGuard, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use anyhow::Context as _;

use crate::{
    error::Failure,
    memory::{Memory, background},
    store::{dream_schedule::Busy, snapshot::Store},
};
use pimem_core::{model::time::Timestamp, score::ranking::Scope};

/// What `pimem dream` is told to be in the background.
pub const FLAG: &str = "--detached-run";
/// The exit code of a dream that was ended.
const FAILED: i32 = 2;
/// How long a dream may take.
const LIMIT: Duration = Duration::from_mins(30);

/// What became of a dream that was to be started.
#[derive(Debug)]
pub enum Started {
    /// It is under way, and says there what it does.
    Yes {
        /// Its log.
        log: PathBuf,
    },
    /// It is too early.
    NotDue {
        /// When the next one may begin.
        next: Timestamp,
    },
    /// Another one is under way.
    Busy(Busy),
}

/// Starts a dream of a store in the background, if it is due.
pub fn start(memory: &Memory, store: &Store, args: &[&str]) -> Result<Started, Failure> {
    if let Some(next) = too_early(memory, store) {
        return Ok(Started::NotDue { next });
    }
    if let Some(busy) = store.dreaming() {
        return Ok(Started::Busy(busy));
    }
    let (path, log) = store.dream_log()?;
    let mut all = vec!["dream", FLAG];
    all.extend((store.scope == Scope::User).then_some("--user"));
    all.extend(args);
    background::start(memory, &all, Some(log))?;
    Ok(Started::Yes { log: path })
}

/// Dreams in the process that was started: once, however many were, and not for ever. Nobody hears
/// of a dream that is not due or that another process has.
pub fn run<T>(
    memory: &Memory,
    store: &Store,
    dream: impl FnOnce() -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    let _lock = match store.lock_dreams(memory.now) {
        Ok(lock) => lock,
        Err(error) if error.is::<Busy>() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if too_early(memory, store).is_some() {
        return Ok(None);
    }
    store.log_dream(&format!("{} dream of process {}", memory.now.0, process::id()));
    let set = memory.env.text("PIMEM_DREAM_LIMIT_SECONDS").and_then(|text| text.parse().ok());
    let limit = set.map_or(LIMIT, Duration::from_secs);
    let (over, waits) = mpsc::channel::<()>();
    let watched = store.clone();
    let watch = move || {
        if waits.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            let _whole = Committing::begin();
            crate::process::abandon();
            let line = format!("error: the dream was not done after {} s: ended", limit.as_secs());
            watched.log_dream(&line);
            process::exit(FAILED);
        }
    };
    let watcher = thread::Builder::new().spawn(watch).context("cannot start a thread")?;
    let done = dream();
    drop(over);
    // Whose time is up ends there, whatever the dream made of a model that was stopped.
    drop(watcher.join());
    done.map(Some)
}

/// When the next dream may begin, if that is later.
pub fn too_early(memory: &Memory, store: &Store) -> Option<Timestamp> {
    let next = store.dreams(memory.now).next(memory.config.settings.dream.interval_hours)?;
    (next > memory.now.0).then_some(next)
}

/// One at a time: a commit, or the end of the process.
static COMMIT: Mutex<()> = Mutex::new(());

/// A commit is under way, and is waited for before the process is ended.
pub struct Committing {
    _held: MutexGuard<'static, ()>,
}

impl Committing {
    /// Until it is dropped.
    pub fn begin() -> Self {
        Self { _held: COMMIT.lock().unwrap_or_else(PoisonError::into_inner) }
    }
}

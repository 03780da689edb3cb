//! Background dreams: starting one, and stopping it after a time limit.
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
    store::{Store, dream_schedule::Busy},
};
use pimem_core::{model::time::Timestamp, score::ranking::Scope};

/// Flag by which `pimem dream` recognises the background process.
pub const FLAG: &str = "--detached-run";
/// Exit code of a dream that was stopped.
const FAILED: i32 = 2;
/// Time limit of a dream.
const LIMIT: Duration = Duration::from_mins(30);

/// The result of starting a dream.
#[derive(Debug)]
pub enum Started {
    /// The dream is running.
    Yes {
        /// Path of its log.
        log: PathBuf,
    },
    /// The last dream was too recent.
    NotDue {
        /// Earliest time of the next dream.
        next: Timestamp,
    },
    /// Another dream is running.
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
    background::start(memory, &all, log)?;
    Ok(Started::Yes { log: path })
}

/// Runs a dream in the background process, with a time limit. Of several processes only one dreams;
/// the others, and a dream that is not due, return `None` silently.
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
    // Waits for the watcher: if the time limit was reached, it ends the process here, and the
    // result, possibly without the killed model's answer, is not returned.
    drop(watcher.join());
    done.map(Some)
}

/// Returns the earliest time of the next dream, if it is in the future.
pub fn too_early(memory: &Memory, store: &Store) -> Option<Timestamp> {
    let next = store.dreams(memory.now).next(memory.config.settings.dream.interval_hours)?;
    (next > memory.now.0).then_some(next)
}

/// Held during a commit, or while the process is being ended.
static COMMIT: Mutex<()> = Mutex::new(());

/// Guard of a commit. The time limit does not end the process before it is dropped.
pub struct Committing {
    _held: MutexGuard<'static, ()>,
}

impl Committing {
    /// Waits for the mutex and starts a commit.
    pub fn begin() -> Self {
        Self { _held: COMMIT.lock().unwrap_or_else(PoisonError::into_inner) }
    }
}

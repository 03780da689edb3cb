//! What requests share.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use tokio::sync::Semaphore;

use crate::{
    auth::limiter::Limiter,
    config::ServerConfig,
    db::pool::Pools,
    http::metrics::Metrics,
    index::{accesses::AccessCounter, worker::Bell},
    seal::keeper::Keeper,
};

/// State of the server, which is nothing that another copy of it would need.
#[derive(Debug)]
pub struct App {
    pub config: ServerConfig,
    pub pools: Pools,
    /// Opens sealed organisations.
    pub keeper: Keeper,
    pub limiter: Limiter,
    pub metrics: Metrics,
    /// Wakes the worker that fills the index.
    pub bell: Bell,
    /// What searches gave, until it is written.
    pub accesses: AccessCounter,
    /// Room for requests.
    pub room: Semaphore,
    /// Entries that wait for the index, as of the last second.
    pub waiting: AtomicU64,
    ends: AtomicBool,
}

/// What handlers get.
pub type Shared = Arc<App>;

impl App {
    /// Makes the state. Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// The address of the database is not usable.
    pub fn new(config: ServerConfig) -> anyhow::Result<Self> {
        Ok(Self {
            pools: Pools::new(&config)?,
            keeper: Keeper::load(&config.key),
            limiter: Limiter::new(config.rate, config.burst),
            metrics: Metrics::default(),
            bell: Bell::default(),
            accesses: AccessCounter::default(),
            room: Semaphore::new(config.requests),
            waiting: AtomicU64::new(0),
            ends: AtomicBool::new(false),
            config,
        })
    }

    /// Says that no more requests should be sent here.
    pub fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
    }

    /// Returns true after [`Self::end`].
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }
}

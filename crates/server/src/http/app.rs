//! What requests share, and counts of them in the text format of Prometheus.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::sync::Semaphore;

use crate::{
    auth::Limiter,
    config::ServerConfig,
    db::Pools,
    index::{AccessCounter, worker::Bell},
    seal::Keeper,
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

/// Upper ends of the classes of latency, in seconds.
const CLASSES: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0];

/// Counts since the start. Names of projects and people are no labels.
#[derive(Debug, Default)]
pub struct Metrics {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    requests: BTreeMap<(String, u16), u64>,
    latency: BTreeMap<String, Latency>,
    refused: BTreeMap<String, u64>,
    objects: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Default)]
struct Latency {
    classes: [u64; CLASSES.len()],
    count: u64,
    seconds: f64,
}

impl Metrics {
    pub fn request(&self, route: &str, status: u16, took: Duration) {
        let mut counts = self.lock();
        *counts.requests.entry((route.to_owned(), status)).or_default() += 1;
        let latency = counts.latency.entry(route.to_owned()).or_default();
        let took = took.as_secs_f64();
        latency.count += 1;
        latency.seconds += took;
        for (class, end) in latency.classes.iter_mut().zip(CLASSES) {
            *class += u64::from(took <= end);
        }
    }

    /// Counts a refused object or request by its reason.
    pub fn refused(&self, reason: &str) {
        *self.lock().refused.entry(reason.to_owned()).or_default() += 1;
    }

    /// Counts objects: `pushed`, `known` or `pulled`.
    pub fn objects(&self, what: &'static str, count: u64) {
        *self.lock().objects.entry(what).or_default() += count;
    }

    /// Returns the counts, and `gauges` with what they measure.
    #[must_use]
    pub fn text(&self, gauges: &[(&str, &str, f64)]) -> String {
        let counts = self.lock();
        let mut text = String::new();
        let mut out = |line: String| {
            let _ = writeln!(text, "{line}");
        };
        out("# TYPE pimem_requests_total counter".to_owned());
        for ((route, status), count) in &counts.requests {
            out(format!("pimem_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"));
        }
        out("# TYPE pimem_request_seconds histogram".to_owned());
        for (route, latency) in &counts.latency {
            let name = format!("pimem_request_seconds_bucket{{route=\"{route}\",le=");
            for (class, end) in latency.classes.iter().zip(CLASSES) {
                out(format!("{name}\"{end}\"}} {class}"));
            }
            out(format!("{name}\"+Inf\"}} {}", latency.count));
            out(format!("pimem_request_seconds_sum{{route=\"{route}\"}} {}", latency.seconds));
            out(format!("pimem_request_seconds_count{{route=\"{route}\"}} {}", latency.count));
        }
        out("# TYPE pimem_refused_total counter".to_owned());
        for (reason, count) in &counts.refused {
            out(format!("pimem_refused_total{{reason=\"{reason}\"}} {count}"));
        }
        out("# TYPE pimem_objects_total counter".to_owned());
        for (what, count) in &counts.objects {
            out(format!("pimem_objects_total{{what=\"{what}\"}} {count}"));
        }
        let mut last = "";
        for (name, labels, value) in gauges {
            if *name != last {
                out(format!("# TYPE {name} gauge"));
                last = name;
            }
            out(format!("{name}{labels} {value}"));
        }
        text
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

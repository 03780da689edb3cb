//! What requests share, counts of them in the text format of Prometheus, what happens to every request
//! before and after its handler, and its reading, with problems for what cannot be read.

use std::{
    any::Any,
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, FromRequestParts, MatchedPath, Query, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::{
    auth::{self, AccessKey, Caller, LeftTokens, Limiter},
    config::ServerConfig,
    db::Pools,
    http::{
        connections::Connection,
        problem::{self, Problem},
    },
    index::{AccessCounter, worker::Bell},
    log,
    seal::Keeper,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request: the client's, if it is a UUID, else a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId(pub Uuid);

impl<S: Sync> FromRequestParts<S> for RequestId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().copied().ok_or_else(Problem::internal)
    }
}

/// Gives every request an id, counts it, and writes a line of the log about it.
pub async fn observe(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let start = Instant::now();
    let given = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let id = given.and_then(|id| id.parse().ok()).unwrap_or_else(Uuid::new_v4);
    request.extensions_mut().insert(RequestId(id));
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let method = request.method().clone();
    let mut response = next.run(request).await;
    let (status, took) = (response.status().as_u16(), start.elapsed());
    app.metrics.request(&route, status, took);
    let headers = response.headers_mut();
    let kind = headers.remove(problem::KIND);
    let kind = kind.as_ref().and_then(|kind| kind.to_str().ok());
    if let Some(kind) = kind {
        app.metrics.refused(kind);
    }
    if let Ok(id) = id.to_string().parse() {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let level = if status < 500 { "info" } else { "warn" };
    let fields = json!({"request": id.to_string(), "method": method.as_str(), "route": route,
        "status": status, "ms": took.as_millis(), "problem": kind});
    log::line(level, "request", fields);
    response
}

/// Answers 503 where there is no room for one more request.
pub async fn room(State(app): State<Shared>, request: Request, next: Next) -> Response {
    match app.room.try_acquire() {
        Ok(_permit) => next.run(request).await,
        Err(_) => Problem::unavailable("the server has no room for more requests").into_response(),
    }
}

/// Answers 503 where the handler takes too long.
pub async fn deadline(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let answer = tokio::time::timeout(app.config.deadline, next.run(request)).await;
    answer.unwrap_or_else(|_| Problem::timeout().into_response())
}

/// Turns a panic into an answer. Its message stays in the log.
#[expect(clippy::needless_pass_by_value, reason = "as tower-http has it")]
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    log::line("error", "panic", json!({"panic": text}));
    Problem::internal().into_response()
}

/// Looks the key up, and counts what it asks. What the key may do is for the handler.
pub async fn authenticate(
    State(app): State<Shared>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let key = bearer(request.headers())?;
    let caller: Caller = auth::authenticate(&app.pools.read, &app.keeper, &key).await??;
    if let Some(connection) = request.extensions().get::<Arc<Connection>>() {
        connection.note_key();
    }
    let left = app.limiter.take(caller.key, Instant::now());
    if !left.is_allowed {
        let problem = Problem::too_many("this key asks too often", left.wait);
        return Ok(limits(&app, left, problem.into_response()));
    }
    request.extensions_mut().insert(caller);
    let response = next.run(request).await;
    Ok(limits(&app, left, response))
}

/// Adds the fields of draft-ietf-httpapi-ratelimit-headers.
fn limits(app: &Shared, left: LeftTokens, mut response: Response) -> Response {
    let seconds = f64::from(app.config.burst) / f64::from(app.config.rate);
    let policy = format!("\"key\";q={};w={}", app.config.burst, seconds.ceil().max(1.0));
    let now = format!("\"key\";r={};t={}", left.tokens, left.wait.as_secs() + 1);
    for (name, value) in [("ratelimit-policy", policy), ("ratelimit", now)] {
        if let Ok(value) = value.parse() {
            response.headers_mut().insert(HeaderName::from_static(name), value);
        }
    }
    response
}

fn bearer(headers: &HeaderMap) -> Result<AccessKey, Problem> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let Some(first) = given.next() else {
        return Err(Problem::unauthorized("there is no key"));
    };
    if given.next().is_some() {
        return Err(Problem::unauthorized("there is more than one key"));
    }
    let text = first.to_str().unwrap_or_default();
    let key = text.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let key = key.and_then(|(_, key)| AccessKey::read(key.trim()));
    key.ok_or_else(|| Problem::unauthorized("this is not a key, or it is mistyped"))
}

/// Maximum number of bytes of a body.
pub const BODY: usize = 1 << 20;
/// Time within which a body arrives.
const ARRIVES: Duration = Duration::from_secs(5);

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        // Set by the layer that looks keys up.
        parts.extensions.get::<Self>().cloned().ok_or_else(Problem::internal)
    }
}

/// A body of JSON.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let media_type = request.headers().get(header::CONTENT_TYPE);
        let media_type = media_type.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        if !media_type.eq_ignore_ascii_case("application/json") {
            return Err(Problem::media_type());
        }
        let bytes = body(request.into_body()).await?;
        let text = str::from_utf8(&bytes).map_err(|_| Problem::usage("the body is not UTF-8"))?;
        // serde_json stops at 128 levels.
        let value = serde_json::from_str(text);
        value.map(Json).map_err(|error| unread("the body", &error.to_string()))
    }
}

async fn body(body: Body) -> Result<Bytes, Problem> {
    match tokio::time::timeout(ARRIVES, axum::body::to_bytes(body, BODY)).await {
        Err(_) => Err(Problem::slow_body()),
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => {
            let limit = std::error::Error::source(&error).is_some_and(|source| {
                // The type is not exported by axum, and its text is part of its interface.
                source.to_string().contains("length limit")
            });
            let told =
                if limit { Problem::too_large(BODY) } else { Problem::usage("the body broke off") };
            Err(told)
        }
    }
}

/// Parameters of the address.
#[derive(Debug)]
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        // No text of PostgreSQL has this character, so that nothing can be found by it.
        if parts.uri.query().is_some_and(|query| query.contains("%00")) {
            return Err(Problem::usage("a parameter has a NUL character"));
        }
        let query = Query::<T>::try_from_uri(&parts.uri);
        query.map(|Query(value)| Self(value)).map_err(|error| {
            let text = error.body_text();
            let text = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
            unread("the address", text)
        })
    }
}

/// Returns the problem of a part of a request that serde could not read, in words for people: what is
/// missing, unknown, there twice, or not what it has to be.
#[must_use]
pub fn unread(part: &str, error: &str) -> Problem {
    // serde has no other way to tell these apart.
    let named = |before: &str| {
        let rest = error.split_once(before)?.1;
        rest.split_once('`').map(|(name, rest)| (name.to_owned(), rest))
    };
    if let Some((name, _)) = named("missing field `") {
        return Problem::usage(format!("{part} lacks {name}"));
    }
    if let Some((name, _)) = named("duplicate field `") {
        return Problem::usage(format!("{part} has {name} twice"));
    }
    if let Some((name, rest)) = named("unknown field `") {
        let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
        let problem = Problem::usage(format!("{part} has {name:?}, which is not known"));
        return if known.is_empty() { problem } else { problem.hint(known.join(", ")) };
    }
    let (name, why) = match error.split_once(": ") {
        Some((name, why)) if !name.contains(' ') => (format!("{name} in {part}"), why),
        _ => (part.to_owned(), error),
    };
    let must = if why.contains("`true` or `false`") || why.contains("expected a boolean") {
        "true or false"
    } else if why.contains("digit") || why.contains("number too") || why.contains("invalid float") {
        "a number within its bounds"
    } else {
        return Problem::usage(format!("{name} cannot be read: {why}"));
    };
    Problem::usage(format!("{name} has to be {must}"))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_is_said_in_words() {
        for (error, want) in [
            ("missing field `q`", "the address lacks q"),
            ("missing field `project` at line 1 column 2", "the address lacks project"),
            ("duplicate field `q`", "the address has q twice"),
            ("unknown field `x`, expected `a` or `b`", "the address has \"x\", which is not known"),
            (
                "apply: provided string was not `true` or `false`",
                "apply in the address has to be true or false",
            ),
            (
                "limit: invalid digit found in string",
                "limit in the address has to be a number within its bounds",
            ),
            ("EOF while parsing", "the address cannot be read: EOF while parsing"),
        ] {
            assert_eq!(unread("the address", error).detail, want);
        }
    }
}

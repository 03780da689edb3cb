//! What happens to every request before and after its handler.

use std::{any::Any, sync::Arc, time::Instant};

use axum::{
    extract::{FromRequestParts, MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::json;
use uuid::Uuid;

use crate::{
    auth::{
        caller::{self, Caller},
        key::AccessKey,
        limiter::LeftTokens,
    },
    http::{
        app::Shared,
        connections::Connection,
        problem::{self, Problem},
    },
    log,
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
    let caller: Caller = caller::authenticate(&app.pools.read, &app.keeper, &key).await??;
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

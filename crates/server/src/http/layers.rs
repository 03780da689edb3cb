//! What happens to every request before and after its handler, and its reading, with problems for
//! what cannot be read.

use std::{
    any::Any,
    sync::Arc,
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
use uuid::Uuid;

use crate::{
    auth::{self, AccessKey, Caller, LeftTokens},
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

//! Reading of requests, with problems for what cannot be read.

use std::time::Duration;

use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::{header, request::Parts},
};
use serde::de::DeserializeOwned;

use crate::{auth::caller::Caller, http::problem::Problem};

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

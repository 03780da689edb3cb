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
        value.map(Json).map_err(|error| Problem::usage(format!("the body: {error}")))
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
        query.map(|Query(value)| Self(value)).map_err(|error| Problem::usage(error.body_text()))
    }
}

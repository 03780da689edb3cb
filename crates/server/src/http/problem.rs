//! What went wrong, as RFC 9457 has it, with the kinds and hints of the program.

use std::time::Duration;

use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    auth::{Denied, Forbidden},
    db::Error,
};

/// A problem, as `application/problem+json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// `urn:pimem:problem:` and the kind.
    #[serde(rename = "type")]
    pub type_: String,
    /// The kind in words, the same for every problem of it.
    pub title: &'static str,
    pub status: u16,
    /// What is wrong here, in a sentence.
    pub detail: String,
    /// A machine's word: `usage`, `unauthorized`, `forbidden`, `not-found`, `refused`,
    /// `ambiguous`, `under-way`, `cursor`, `too-large`, `too-many`, `timeout`, `unavailable` or `internal`.
    pub kind: &'static str,
    /// What to do.
    pub hints: Vec<String>,
    /// Seconds after which to try again; 0 for nothing said.
    #[serde(skip)]
    retry: u32,
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, title: &'static str, detail: String) -> Self {
        let type_ = format!("urn:pimem:problem:{kind}");
        Self { type_, title, status: status.as_u16(), detail, kind, hints: Vec::new(), retry: 0 }
    }

    /// The request is not one.
    #[must_use]
    pub fn usage(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "usage", "The request is not valid", detail.into())
    }

    /// The body has another media type.
    #[must_use]
    pub fn media_type() -> Self {
        let detail = "the body is not application/json".to_owned();
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        Self::new(status, "usage", "The request is not valid", detail)
    }

    /// The path is known, the method is not.
    #[must_use]
    pub fn method() -> Self {
        let detail = "this path has no such method".to_owned();
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "usage", "The request is not valid", detail)
    }

    /// No key, or none that is taken.
    #[must_use]
    pub fn unauthorized(detail: &str) -> Self {
        let title = "A key is needed";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", title, detail.to_owned())
            .hint("send the header Authorization: Bearer pmk_…, from `pimem-server key create`")
    }

    /// The key or its user has not the right.
    #[must_use]
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", detail.into())
    }

    /// There is no such thing, for this caller.
    #[must_use]
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", "Not found", detail.into())
    }

    /// The content is well-formed, and not taken.
    #[must_use]
    pub fn refused(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "refused", "Refused", detail.into())
    }

    /// A request with the same `Idempotency-Key` has no answer yet.
    #[must_use]
    pub fn under_way() -> Self {
        let detail = "a request with this Idempotency-Key has no answer yet".to_owned();
        Self::new(StatusCode::CONFLICT, "under-way", "Under way", detail)
            .after(Duration::from_secs(1))
            .hint("send it again later; the answer will be the same")
    }

    /// Several things are meant.
    #[must_use]
    pub fn ambiguous(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "ambiguous", "Ambiguous", detail.into())
    }

    /// The cursor is not one of this project on this server as it is now.
    #[must_use]
    pub fn cursor() -> Self {
        let detail = "this cursor is of another project, another server, or one since restored";
        Self::new(StatusCode::GONE, "cursor", "The cursor has ended", detail.to_owned())
            .hint("pull without a cursor, from the beginning; what is known already does no harm")
    }

    /// The body is over the limit.
    #[must_use]
    pub fn too_large(limit: usize) -> Self {
        let detail = format!("the body has more than {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Too large", detail)
            .hint("send it in several requests")
    }

    /// There are more objects than one request may have.
    #[must_use]
    pub fn too_many_objects(most: usize) -> Self {
        let detail = format!("there are more than {most} objects");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Too large", detail)
            .hint("send them in several requests")
    }

    /// The caller asks too often, or faster than the index is made.
    #[must_use]
    pub fn too_many(detail: &str, retry: Duration) -> Self {
        let title = "Too many requests";
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too-many", title, detail.to_owned()).after(retry)
    }

    /// The body did not arrive in time.
    #[must_use]
    pub fn slow_body() -> Self {
        let detail = "the body did not arrive in time".to_owned();
        Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", "Too slow", detail)
    }

    /// The answer took too long.
    #[must_use]
    pub fn timeout() -> Self {
        let detail = "the answer took too long".to_owned();
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "timeout", "Too slow", detail)
            .after(Duration::from_secs(1))
    }

    /// The server or its database is away or has no room.
    #[must_use]
    pub fn unavailable(detail: impl Into<String>) -> Self {
        let title = "Not available now";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", title, detail.into())
            .after(Duration::from_secs(1))
    }

    /// A mistake of the server.
    #[must_use]
    pub fn internal() -> Self {
        let detail = "the server made a mistake; its log has it under the id of this request";
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self::new(status, "internal", "A mistake of the server", detail.to_owned())
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    fn after(self, retry: Duration) -> Self {
        let seconds = retry.as_secs() + u64::from(retry.subsec_nanos() > 0);
        Self { retry: u32::try_from(seconds.max(1)).unwrap_or(u32::MAX), ..self }
    }
}

impl From<Denied> for Problem {
    fn from(denied: Denied) -> Self {
        Self::unauthorized(match denied {
            Denied::Unknown => "this key is not known here",
            Denied::Expired => "this key has expired",
            Denied::Revoked => "this key was revoked",
        })
    }
}

impl From<Forbidden> for Problem {
    fn from(forbidden: Forbidden) -> Self {
        match forbidden {
            Forbidden::NoProject(slug) => {
                Self::not_found(format!("there is no project {slug:?} that this key sees"))
                    .hint("GET /v1/projects lists those that it sees")
            }
            Forbidden::Scope(right) => {
                Self::forbidden(format!("this key has not the scope {}", right.scope()))
            }
            Forbidden::Role(right) => {
                Self::forbidden(format!("this needs the role {} in the project", right.role()))
            }
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::Away(detail) => {
                crate::log::line("warn", "database away", serde_json::json!({"error": detail}));
                Self::unavailable("the database is not available")
            }
            Error::Rotated => Self::unavailable("the keys of the organisation were just rotated"),
            Error::Slow(detail) => {
                crate::log::line("warn", "database slow", serde_json::json!({"error": detail}));
                Self::timeout()
            }
            Error::Closed(detail) => {
                crate::log::line(
                    "warn",
                    "organisation closed",
                    serde_json::json!({"error": detail}),
                );
                Self::unavailable("this organisation is sealed, and the server has no key that opens it")
                    .hint("whoever runs the server gives `pimem-server serve` the right --key-file, --key-command or PIMEM_SERVER_KEY")
            }
            Error::Opaque => {
                Self::refused("this organisation is encrypted end to end, and the server cannot read its memories")
                    .hint("pimem sync brings them to your machine, where pimem search --scope team finds them")
            }
            Error::Wrong(detail) => {
                crate::log::line("error", "database", serde_json::json!({"error": detail}));
                Self::internal()
            }
        }
    }
}

impl From<tokio_postgres::Error> for Problem {
    fn from(error: tokio_postgres::Error) -> Self {
        Error::from(error).into()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        let media_type = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, media_type);
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer realm=\"pimem\"");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if self.retry > 0 {
            headers.insert(header::RETRY_AFTER, self.retry.into());
        }
        // For the log: a handler's problem has no other way there.
        headers.insert(KIND, HeaderValue::from_static(self.kind));
        response
    }
}

/// Names the problem's kind to the layers; it does not leave the server.
pub const KIND: HeaderName = HeaderName::from_static("pimem-problem-kind");

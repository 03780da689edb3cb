//! Push and pull.

use std::{sync::atomic::Ordering, time::Duration};

use axum::{
    Json as Body,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use pimem_core::sync::wire::{self, MOST_OBJECTS};
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::{
    auth::{Caller, Right},
    clock, db,
    http::{
        layers::{Json, Params, RequestId, Shared},
        problem::Problem,
    },
    sync::{
        pull::{self, Bad, MOST, RefusedPull},
        push,
    },
};

/// What a client sends.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes wire::Push, which is of another crate")]
pub struct Push {
    /// Short name of the project.
    #[schema(example = "demo")]
    project: String,
    /// At most 1,000 objects in all.
    #[schema(required = false)]
    entries: Vec<Entry>,
    /// Lines of a log of evidence, kept as they are; where clients seal them, labels with what is sealed.
    #[schema(required = false)]
    events: Vec<Value>,
}

/// A line of memory. One that is not valid is refused by itself, and not with the request.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes an entry, which is of another crate")]
pub struct Entry {
    /// SHA-256 of the line, in 64 hexadecimal digits; an HMAC of it where clients seal it.
    #[schema(example = "441222ff86b5a89b5edb8e99cec9fdeaaa16a3d29f1a9da2a4acc3d544692b08")]
    hash: String,
    /// `- [category] text`, without markers, at most 16,384 bytes.
    #[schema(example = "- [fact] The site is on port 8080")]
    line: Option<String>,
    /// In place of the line where only the people of the project can read it.
    sealed: Option<String>,
    /// HMAC of the entry's id, in 16 hexadecimal digits; with `sealed`.
    id: Option<String>,
}

/// What became of a push.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes wire::Pushed")]
pub struct Pushed {
    entries: Counts,
    events: Counts,
    /// What was not taken; the rest was.
    refused: Vec<RefusedObject>,
}

/// How many were new, and how many were known.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes wire::Counts")]
pub struct Counts {
    new: u64,
    known: u64,
}

/// An object that was not taken.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes an object that the core refused")]
pub struct RefusedObject {
    /// `entry` or `event`.
    kind: String,
    /// Hash of the entry or ULID of the event.
    id: String,
    /// `bad-hash`, `bad-line`, `too-long`, `bad-event`, `future`, `foreign-project`, `secret`,
    /// `private`, `purged`, `not-allowed` or `bad-seal`.
    reason: String,
    detail: String,
}

/// Objects after a cursor.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes wire::Pulled")]
pub struct Pulled {
    objects: Vec<Object>,
    /// Where the next pull goes on.
    cursor: String,
    /// Whether there is more now.
    more: bool,
}

/// An entry or an event.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes wire::Object")]
pub struct Object {
    /// `entry` or `event`.
    kind: String,
    /// The user whose key pushed it first.
    author: Option<String>,
    hash: Option<String>,
    line: Option<String>,
    sealed: Option<String>,
    id: Option<String>,
    event: Option<Value>,
}

/// Which objects are pulled.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// Short name of the project.
    #[param(example = "demo")]
    project: String,
    /// What the last pull answered; none for the beginning.
    #[param(pattern = "^[0-9a-f]{98}$")]
    cursor: Option<String>,
    /// At most so many objects.
    #[param(minimum = 1, maximum = 5000, default = 5000)]
    limit: Option<u32>,
}

/// Takes entries and events. Sending them again changes nothing.
#[utoipa::path(post, path = "/v1/sync/push", tag = "sync", operation_id = "push",
    request_body = Push, responses((status = 200, body = Pushed)),
    extensions(("x-pimem-scope" = json!("write"))))]
pub async fn push(
    State(app): State<Shared>,
    caller: Caller,
    RequestId(request): RequestId,
    Json(body): Json<wire::PushBody>,
) -> Result<Body<wire::PushResult>, Problem> {
    let project = caller.project(&body.project, Right::Write)?;
    if body.entries.len() + body.events.len() > MOST_OBJECTS {
        return Err(Problem::too_many_objects(MOST_OBJECTS));
    }
    if app.waiting.load(Ordering::Relaxed) > u64::from(app.config.queue) {
        let detail = "the index is behind; pushes wait for it";
        return Err(Problem::too_many(detail, Duration::from_secs(10)));
    }
    let mut client = db::take(&app.pools.sync).await?;
    let pushed = push::push(&mut client, &caller, project, request, &body, clock::stamp()).await?;
    app.metrics.objects("new", pushed.entries.new + pushed.events.new);
    app.metrics.objects("known", pushed.entries.known + pushed.events.known);
    pushed.refused.iter().for_each(|refused| app.metrics.refused(refused.reason.name()));
    app.bell.ring();
    Ok(Body(pushed))
}

/// Gives the objects after a cursor. An answer without any has an `ETag`, and no body if that is
/// the one in `If-None-Match`.
#[utoipa::path(get, path = "/v1/sync/pull", tag = "sync", operation_id = "pull",
    params(Wanted), responses((status = 200, body = Pulled),
        (status = 304, description = "There is still nothing after the cursor"),
        (status = 410, description = "The cursor is of another project or server, or from before a restore",
            body = Problem, content_type = "application/problem+json")),
    extensions(("x-pimem-scope" = json!("read"))))]
pub async fn pull(
    State(app): State<Shared>,
    caller: Caller,
    Params(wanted): Params<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let project = caller.project(&wanted.project, Right::Read)?;
    let limit = wanted.limit.unwrap_or(MOST);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::usage(format!("limit is 1 to {MOST}")));
    }
    let cursor = wanted.cursor.as_deref();
    match pull::pull(&app.pools.sync, &caller, project, cursor, limit).await {
        Ok(pulled) => {
            app.metrics.objects("pulled", pulled.objects.len() as u64);
            if !pulled.objects.is_empty() || pulled.more {
                return Ok(Body(pulled).into_response());
            }
            let tag = format!("\"{}\"", pulled.cursor);
            let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
            let is_known = known.is_some_and(|known| known == tag);
            let answer = if is_known {
                StatusCode::NOT_MODIFIED.into_response()
            } else {
                Body(pulled).into_response()
            };
            Ok(([(header::ETAG, tag)], answer).into_response())
        }
        Err(RefusedPull::Cursor(Bad::Malformed)) => Err(Problem::usage("this is not a cursor")),
        Err(RefusedPull::Cursor(Bad::Ended)) => Err(Problem::cursor()),
        Err(RefusedPull::Restored) => Err(Problem::unavailable(
            "the database was restored, and waits for `pimem-server migrate`",
        )),
        Err(RefusedPull::Database(error)) => Err(error.into()),
    }
}

//! Which address is answered by which handler, the layers between, and the OpenAPI document, made from
//! the handlers; and the handlers of operation: who the caller is, and whether the server lives.

use axum::{
    Json, Router,
    extract::State,
    http::header,
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Serialize;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::{
    OpenApi, ToSchema,
    openapi::{
        ContentBuilder, Ref, RefOr, ResponseBuilder, Schema, Type,
        path::{Operation, Parameter},
        schema::SchemaType,
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::{Caller, Right},
    db::{self, Error, TenantRole, TenantScope},
    http::{
        layers::{self, Shared},
        problem::Problem,
    },
    index,
    routes::{decay, memories, sync},
};

/// Endpoints that need a key. A new one stands here, and a row of it in the test of roles.
fn keyed() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Frame::openapi())
        .routes(routes!(me))
        .routes(routes!(memories::list, memories::create))
        .routes(routes!(memories::search))
        .routes(routes!(memories::stats))
        .routes(routes!(decay::decay))
        .routes(routes!(memories::show, memories::remove))
        .routes(routes!(memories::change))
        .routes(routes!(projects))
        .routes(routes!(sync::push))
        .routes(routes!(sync::pull))
}

fn open() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(health)).routes(routes!(ready))
}

/// Returns the OpenAPI document, as JSON.
///
/// # Errors
/// None that is known; serialization has the type of one.
pub fn document() -> serde_json::Result<String> {
    let (_, mut document) = keyed().merge(open()).split_for_parts();
    complete(&mut document);
    document.to_pretty_json().map(|text| text + "\n")
}

/// Returns the service that answers clients.
///
/// # Errors
/// As [`document()`].
pub fn router(app: &Shared) -> serde_json::Result<Router> {
    let text = document()?;
    let openapi = move || async move { ([(header::CONTENT_TYPE, "application/json")], text) };
    let (keyed, _) = keyed().split_for_parts();
    let keyed = keyed
        .layer(from_fn_with_state(app.clone(), layers::authenticate))
        .layer(from_fn_with_state(app.clone(), layers::deadline))
        .layer(from_fn_with_state(app.clone(), layers::room));
    let (open, _) = open().split_for_parts();
    let all = keyed.merge(open).route("/openapi.json", get(openapi));
    let all = all.fallback(missing).method_not_allowed_fallback(wrong_method);
    Ok(all
        .layer(CatchPanicLayer::custom(layers::panicked))
        .layer(from_fn_with_state(app.clone(), layers::observe))
        .with_state(app.clone()))
}

/// Returns the service of the second listener.
pub fn metrics(app: &Shared) -> Router {
    Router::new().route("/metrics", get(metrics_text)).with_state(app.clone())
}

async fn missing() -> Response {
    Problem::not_found("there is nothing at this path")
        .hint("GET /openapi.json lists what there is")
        .into_response()
}

async fn wrong_method() -> Response {
    Problem::method().into_response()
}

/// What does not come from handlers.
#[derive(OpenApi)]
#[openapi(
    info(title = "pimem-server", description = "Where the memories of several people, machines and repositories meet."),
    components(schemas(Problem)),
    tags(
        (name = "sync", description = "Exchange of entries and events"),
        (name = "memories", description = "Memories as the events leave them"),
        (name = "operation", description = "Who asks, and whether the server lives"))
)]
pub struct Frame;

/// Adds to every operation under /v1 what the layers answer, and that a key is needed.
pub fn complete(document: &mut utoipa::openapi::OpenApi) {
    let components = document.components.get_or_insert_default();
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("pmk").build();
    components.add_security_scheme("key", SecurityScheme::Http(scheme));
    for (path, item) in &mut document.paths.paths {
        if !path.starts_with("/v1/") {
            continue;
        }
        let all = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete, &mut item.patch];
        for operation in all.into_iter().flatten() {
            operation.security =
                Some(vec![SecurityRequirement::new::<_, [&str; 0], &str>("key", [])]);
            for parameter in operation.parameters.iter_mut().flatten() {
                exclude_nul(parameter);
            }
            add(operation, &[400, 401, 403, 404, 429, 500, 503]);
            if operation.request_body.is_some() {
                add(operation, &[408, 413, 415]);
            }
            // Of what nobody here can read, every one is.
            if operation.request_body.is_some() || path.starts_with("/v1/memories") {
                add(operation, &[422]);
            }
        }
    }
}

/// Says of a text what [`crate::http::layers::Params`] refuses in any.
fn exclude_nul(parameter: &mut RefOr<Parameter>) {
    let RefOr::T(parameter) = parameter else { return };
    if let Some(RefOr::T(Schema::Object(object))) = &mut parameter.schema {
        let text = SchemaType::Type(Type::String);
        let text_or_none = SchemaType::Array(vec![Type::String, Type::Null]);
        if [text, text_or_none].contains(&object.schema_type) && object.pattern.is_none() {
            object.pattern = Some("^[^\\u0000]*$".to_owned());
        }
    }
}

fn add(operation: &mut Operation, statuses: &[u16]) {
    for status in statuses {
        let told = match status {
            400 => "The request is not valid",
            401 => "No key, or none that is taken",
            403 => "The key has not this scope, or its user not this role",
            404 => "No such thing for this key",
            408 => "The body did not arrive in time",
            413 => "The body is too large",
            415 => "The body is not application/json",
            422 => "Well-formed, and refused",
            429 => "Too many requests; Retry-After says when",
            503 => "Not available now; Retry-After says when",
            _ => "A mistake of the server",
        };
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let response = ResponseBuilder::new()
            .description(told)
            .content("application/problem+json", content)
            .build();
        let responses = &mut operation.responses.responses;
        responses.entry(status.to_string()).or_insert(RefOr::T(response));
    }
}

/// What the key is.
#[derive(Debug, Serialize, ToSchema)]
pub struct Me {
    pub organisation: String,
    pub user: String,
    /// `read`, `write`, `curate`, `admin`.
    pub scopes: Vec<&'static str>,
    /// Short names of the projects that the key sees.
    pub projects: Vec<String>,
    /// The user's role in each of the projects, in their order.
    pub roles: Vec<&'static str>,
    /// `plain`, `sealed` or `end-to-end`.
    pub mode: String,
}

/// A project that the key sees.
#[derive(Debug, Serialize, ToSchema)]
pub struct Seen {
    pub slug: String,
    /// The user's role: `reader`, `writer`, `curator` or `admin`. The key may allow less.
    pub role: &'static str,
}

/// Lists the projects of a caller.
#[must_use]
pub fn seen(caller: &Caller) -> Vec<Seen> {
    let seen = caller.projects.iter();
    seen.map(|project| Seen { slug: project.slug.clone(), role: project.right.role() }).collect()
}

/// Says who the key's user is, and what the key allows.
#[utoipa::path(get, path = "/v1/me", tag = "operation", operation_id = "me",
    responses((status = 200, body = Me)), extensions(("x-pimem-scope" = json!("read"))))]
pub async fn me(caller: Caller) -> Result<Json<Me>, Problem> {
    caller.scope(Right::Read)?;
    Ok(Json(Me {
        projects: caller.projects.iter().map(|project| project.slug.clone()).collect(),
        roles: caller.projects.iter().map(|project| project.right.role()).collect(),
        scopes: caller.scopes.iter().map(|scope| scope.scope()).collect(),
        organisation: caller.org_name,
        user: caller.user_name,
        mode: caller.mode,
    }))
}

/// Projects.
#[derive(Debug, Serialize, ToSchema)]
pub struct Projects {
    pub projects: Vec<Seen>,
}

/// Lists the projects that the key sees.
#[utoipa::path(get, path = "/v1/projects", tag = "operation", operation_id = "projects",
    responses((status = 200, body = Projects)), extensions(("x-pimem-scope" = json!("read"))))]
pub async fn projects(caller: Caller) -> Result<Json<Projects>, Problem> {
    caller.scope(Right::Read)?;
    Ok(Json(Projects { projects: seen(&caller) }))
}

/// Says that the process answers.
#[utoipa::path(get, path = "/healthz", tag = "operation", operation_id = "health",
    responses((status = 200, body = String, content_type = "text/plain")))]
pub async fn health() -> &'static str {
    "ok\n"
}

/// Says whether requests should be sent here.
#[utoipa::path(get, path = "/readyz", tag = "operation", operation_id = "ready",
    responses((status = 200, body = String, content_type = "text/plain"),
        (status = 503, body = Problem, content_type = "application/problem+json")))]
pub async fn ready(State(app): State<Shared>) -> Result<&'static str, Problem> {
    if app.is_ending() {
        return Err(Problem::unavailable("the server is ending"));
    }
    let client = db::take(&app.pools.read).await?;
    // A copy goes on while another brings the schema up to date, so that is looked at in the start alone.
    client.query_one("select from pimem.cluster", &[]).await?;
    Ok("ready\n")
}

/// Counts, in the text format of Prometheus.
pub async fn metrics_text(State(app): State<Shared>) -> impl IntoResponse {
    let pools = [("sync", &app.pools.sync), ("read", &app.pools.read), ("work", &app.pools.work)];
    let states = pools.map(|(name, pool)| (format!("{{pool=\"{name}\"}}"), pool.status()));
    let mut gauges = Vec::new();
    for (label, state) in &states {
        gauges.push(("pimem_pool_connections", label.as_str(), state.size as f64));
    }
    for (label, state) in &states {
        gauges.push(("pimem_pool_available", label.as_str(), state.available as f64));
    }
    for (label, state) in &states {
        gauges.push(("pimem_pool_waiting", label.as_str(), state.waiting as f64));
    }
    let free = app.room.available_permits();
    gauges.push(("pimem_requests_now", "", app.config.requests.saturating_sub(free) as f64));
    let measured = measure(&app).await;
    gauges.push(("pimem_database_up", "", f64::from(u8::from(measured.is_ok()))));
    if let Ok(measured) = measured {
        gauges.extend(measured.map(|(name, value)| (name, "", value)));
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], app.metrics.text(&gauges))
}

/// Asks the database what it alone knows.
async fn measure(app: &Shared) -> Result<[(&'static str, f64); 4], Error> {
    let mut client = db::take(&app.pools.work).await?;
    let transaction = db::begin(&mut client, TenantRole::Worker, &TenantScope::default()).await?;
    let (waiting, lag) = index::waiting(&transaction).await?;
    let statement = transaction.prepare_cached(include_str!("../../sql/age.sql")).await?;
    let age = transaction.query_one(&statement, &[]).await?;
    Ok([
        ("pimem_index_waiting", waiting as f64),
        ("pimem_index_lag_seconds", lag),
        ("pimem_snapshot_xmin_age", age.get(0)),
        ("pimem_oldest_transaction_seconds", age.get(1)),
    ])
}

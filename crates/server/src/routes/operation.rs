//! Who the caller is and which projects it sees; whether the server lives, whether it should be
//! asked, and its counts.

use axum::{Json, extract::State, http::header, response::IntoResponse};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    auth::{Caller, Right},
    db::{self, Error, TenantRole, TenantScope},
    http::{app::Shared, problem::Problem},
    index,
};

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
pub async fn metrics(State(app): State<Shared>) -> impl IntoResponse {
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

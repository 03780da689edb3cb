//! Who the caller is.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    auth::caller::{Caller, Right},
    http::problem::Problem,
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

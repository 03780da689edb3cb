//! The projects that the caller sees.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    auth::caller::{Caller, Right},
    http::problem::Problem,
    routes::me::{Seen, seen},
};

/// Projects.
#[derive(Debug, Serialize, ToSchema)]
pub struct Projects {
    pub projects: Vec<Seen>,
}

/// Lists the projects that the key sees.
#[utoipa::path(get, path = "/v1/projects", tag = "operation", operation_id = "projects",
    responses((status = 200, body = Projects)), extensions(("x-pimem-scope" = json!("read"))))]
pub async fn list(caller: Caller) -> Result<Json<Projects>, Problem> {
    caller.scope(Right::Read)?;
    Ok(Json(Projects { projects: seen(&caller) }))
}

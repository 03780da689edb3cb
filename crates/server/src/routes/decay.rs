//! What has faded.

use std::collections::BTreeMap;

use axum::{Json as Body, extract::State};
use pimem_core::score::policy::Policy;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::memories::{ids, told};
use crate::{
    auth::{Caller, Forbidden, Project, Right},
    clock,
    db::{self, TenantRole, TenantScope},
    http::{
        layers::{Params, RequestId, Shared},
        problem::Problem,
    },
    memories::{find, remember, row::View},
};

/// Which project's memories fade.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Fades {
    /// Short name of a project; all in which the key may curate without one.
    project: Option<String>,
    /// True to archive what has faded. Without it nothing changes: scores are computed when they are
    /// read.
    #[param(default = false)]
    apply: Option<bool>,
}

/// What has faded.
#[derive(Debug, Serialize, ToSchema)]
pub struct Faded {
    /// Counts by state, before.
    by_state: BTreeMap<String, i64>,
    /// What would be archived, or was.
    memories: Vec<View>,
    applied: bool,
}

/// Shows what has faded, and archives it when asked.
#[utoipa::path(post, path = "/v1/memories/decay", tag = "memories", operation_id = "decay",
    params(Fades), responses((status = 200, body = Faded)), extensions(("x-pimem-scope" = json!("curate"))))]
pub async fn decay(
    State(app): State<Shared>,
    caller: Caller,
    RequestId(request): RequestId,
    Params(fades): Params<Fades>,
) -> Result<Body<Faded>, Problem> {
    let projects = if let Some(slug) = fades.project.as_deref() {
        vec![caller.project(slug, Right::Curate)?]
    } else {
        caller.scope(Right::Curate)?;
        let may = |project: &&Project| caller.may(project, Right::Curate);
        let projects: Vec<&Project> = caller.projects.iter().filter(may).collect();
        if projects.is_empty() {
            return Err(Forbidden::Role(Right::Curate).into());
        }
        projects
    };
    let applied = fades.apply.unwrap_or_default();
    let now = clock::stamp();
    let mut client = db::take(&app.pools.read).await?;
    let vault = caller.vault()?;
    let (by_state, faded) = {
        let scope = TenantScope { projects: ids(&projects), ..caller.everywhere() };
        let transaction = db::begin(&mut client, TenantRole::App, &scope).await?;
        let policy = Policy::Stability;
        let stats = find::stats(&transaction, vault, &scope.projects, policy, now).await?;
        let mut faded = Vec::new();
        for project in projects {
            faded.push((project, remember::faded(&transaction, vault, project.id, now).await?));
        }
        (stats.by_state, faded)
    };
    let mut memories = Vec::new();
    for (project, faded) in faded {
        if applied && !faded.is_empty() {
            let done = remember::archive(&mut client, &caller, project, request, &faded, now).await;
            done.map_err(told)?;
            app.bell.ring();
        }
        let views = faded.iter().map(|it| it.view(&project.slug, Policy::Stability, now));
        memories.extend(views);
    }
    Ok(Body(Faded { by_state, memories, applied }))
}

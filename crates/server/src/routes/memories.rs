//! Memories: lists, searches, numbers, and changes.

use axum::{
    Json as Body,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use pimem_core::{
    model::event::EventKind,
    score::policy::{Policy, ebbinghaus::Fading, weighted::Switches},
    search::rank::Mode,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{
    auth::{Caller, Project, Right},
    clock,
    db::{self, TenantRole},
    http::{
        layers::{self, Json, Params, RequestId, Shared},
        problem::Problem,
    },
    memories::{
        find::{self, Cursor, MemoryFilter, Stats},
        remember::{self, NewMemory, RefusedMemory},
        row::{MemoryRow, View},
    },
    routes::again,
    search,
};

/// Maximum number of memories in a page, and of hits.
const MOST: u32 = 200;
/// Maximum number of memories in one request.
const AT_ONCE: usize = 100;
/// Maximum number of characters of a query.
const QUERY: usize = 2_000;

/// Which memories are listed.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Listed {
    /// Short name of a project; all that the key sees without one.
    project: Option<String>,
    category: Option<String>,
    tag: Option<String>,
    /// `active`, `provisional`, `candidate` or `dropped`, by stability.
    #[param(pattern = "^(active|provisional|candidate|dropped)$")]
    state: Option<String>,
    /// True for the archive too, and for what is forgotten, replaced or past its date.
    #[param(default = false)]
    archived: Option<bool>,
    /// `stability`, `weighted` or `ebbinghaus`.
    #[param(default = "stability", pattern = "^(stability|weighted|ebbinghaus)$")]
    policy: Option<String>,
    /// `next` of the last page.
    cursor: Option<String>,
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
}

/// A page, the latest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page {
    memories: Vec<View>,
    /// The cursor of the next page; null on the last one.
    next: Option<String>,
}

/// What is searched for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Searched {
    /// Words.
    #[param(min_length = 1, max_length = 2000)]
    q: String,
    /// Short name of a project; all that the key sees without one.
    project: Option<String>,
    category: Option<String>,
    /// `hybrid`, `keyword` or `semantic`.
    #[param(default = "hybrid", pattern = "^(hybrid|keyword|semantic)$")]
    mode: Option<String>,
    /// Hits with less are left out.
    #[param(minimum = 0, maximum = 1, default = 0)]
    min_score: Option<f64>,
    /// True for the archive too, and for what is replaced or past its date.
    #[param(default = false)]
    archived: Option<bool>,
    /// True for what each hit was ranked by.
    #[param(default = false)]
    explain: Option<bool>,
    /// False to leave the hits' counts of accesses as they are.
    #[param(default = true)]
    touch: Option<bool>,
    #[param(minimum = 1, maximum = 200, default = 10)]
    limit: Option<u32>,
}

/// Hits, best first.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundMemories {
    /// By what was searched: `keyword` in a sealed organisation, whatever was asked for.
    mode: &'static str,
    hits: Vec<Hit>,
    /// True where all hits are hardly better than chance; only then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    faint: bool,
}

/// A hit.
#[derive(Debug, Serialize, ToSchema)]
pub struct Hit {
    /// How much of the query it answers, 0 to 1; the same for any number of memories.
    relevance: f64,
    memory: View,
    /// Id of a newer choice that seems to replace it, which stands before it; only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    seems_replaced_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explained>,
}

/// What a hit was ranked by.
#[derive(Debug, Serialize, ToSchema)]
pub struct Explained {
    rank: f64,
    bm25: f64,
    near_words: f64,
    coverage: f64,
    /// Cosine by the table, where rare words weigh more.
    table_cosine: f64,
    /// Cosine by the transformer, on the table's scale; null if it has not embedded the line yet.
    model_cosine: Option<f64>,
    /// Factor of the standing.
    factor: f64,
}

/// Which memories are counted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Counted {
    /// Short name of a project; all that the key sees without one.
    project: Option<String>,
    /// `stability`, `weighted` or `ebbinghaus`.
    #[param(default = "stability", pattern = "^(stability|weighted|ebbinghaus)$")]
    policy: Option<String>,
}

/// One or several things to remember.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToRemember {
    /// Short name of the project.
    #[schema(example = "demo")]
    project: String,
    /// Up to 100. All are remembered, or none.
    #[schema(min_items = 1, max_items = 100)]
    memories: Vec<NewMemory>,
}

/// What became of them, in their order.
#[derive(Debug, Serialize, ToSchema)]
pub struct Kept {
    memories: Vec<KeptOne>,
}

/// A memory that was sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeptOne {
    /// True if it was known, and counts once more.
    reinforced: bool,
    memory: View,
}

/// Which memory is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct One {
    /// Short name of its project, where several have the same line.
    project: Option<String>,
}

/// Which memory goes, and how far.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Removed {
    /// Short name of its project, where several have the same line.
    project: Option<String>,
    /// True to destroy it for ever, everywhere; for administrators.
    #[param(default = false)]
    purge: Option<bool>,
}

/// Lists memories.
#[utoipa::path(get, path = "/v1/memories", tag = "memories", operation_id = "list_memories",
    params(Listed), responses((status = 200, body = Page)), extensions(("x-pimem-scope" = json!("read"))))]
pub async fn list(
    State(app): State<Shared>,
    caller: Caller,
    address: Uri,
    Params(listed): Params<Listed>,
) -> Result<Response, Problem> {
    let policy = policy(listed.policy.as_deref())?;
    let states = ["active", "provisional", "candidate", "dropped"];
    if let Some(state) = &listed.state {
        if !states.contains(&state.as_str()) {
            return Err(Problem::usage(format!("state is one of {}", states.join(", "))));
        }
        if !policy.is_stability() {
            return Err(Problem::usage("state is by stability, and so must policy be"));
        }
    }
    let cursor = listed.cursor.as_deref().map(Cursor::read);
    if cursor == Some(None) {
        return Err(Problem::usage("this is not a cursor"));
    }
    let projects = projects(&caller, listed.project.as_deref(), Right::Read)?;
    let filter = MemoryFilter {
        projects: ids(&projects),
        category: listed.category,
        tag: listed.tag,
        state: listed.state,
        archived: listed.archived.unwrap_or_default(),
    };
    let limit = limit(listed.limit, 50)?;
    let vault = caller.vault()?;
    let mut client = db::take(&app.pools.read).await?;
    let transaction = db::begin(&mut client, TenantRole::App, &caller.everywhere()).await?;
    let now = clock::stamp();
    let (found, next) =
        find::list(&transaction, vault, &filter, cursor.flatten(), limit, now).await?;
    let memories = found.iter().map(|memory| memory.view(slug(&caller, memory), policy, now));
    let page = Page { memories: memories.collect(), next: next.map(Cursor::write) };
    let link = page.next.as_ref().map(|next| {
        // A query in a link replaces the whole query of the request.
        let given = address.query().unwrap_or_default().split('&');
        let kept = given.filter(|pair| !pair.is_empty() && !pair.starts_with("cursor="));
        let query: String = kept.flat_map(|pair| [pair, "&"]).collect();
        format!("<?{query}cursor={next}>; rel=\"next\"")
    });
    let mut response = Body(page).into_response();
    if let Some(link) = link.and_then(|link| HeaderValue::try_from(link).ok()) {
        response.headers_mut().insert(header::LINK, link);
    }
    Ok(response)
}

/// Remembers one or several things. What is known already is reinforced.
#[utoipa::path(post, path = "/v1/memories", tag = "memories", operation_id = "remember",
    request_body = ToRemember,
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key within a day gives the same answer, and does nothing")),
    responses((status = 201, body = Kept), (status = 200, description = "All were known", body = Kept)),
    extensions(("x-pimem-scope" = json!("write"))))]
pub async fn create(
    State(app): State<Shared>,
    caller: Caller,
    RequestId(request): RequestId,
    headers: HeaderMap,
    Json(body): Json<serde_json::Value>,
) -> Result<Response, Problem> {
    let asked: ToRemember = serde_json::from_value(body.clone())
        .map_err(|error| layers::unread("the body", &error.to_string()))?;
    let project = caller.project(&asked.project, Right::Write)?;
    if asked.memories.is_empty() || asked.memories.len() > AT_ONCE {
        return Err(Problem::usage(format!("memories are 1 to {AT_ONCE}")));
    }
    let mut client = db::take(&app.pools.sync).await?;
    let key = again::key(&headers, &body)?;
    if let Some(key) = &key
        && let Some((status, answer)) = again::claim(&mut client, &caller, project, key).await?
    {
        return Ok(answer_of(status, answer));
    }
    let now = clock::stamp();
    let kept =
        remember::remember(&mut client, &caller, project, request, &asked.memories, now).await;
    let kept = match kept {
        Ok(kept) => kept,
        Err(failure) => {
            if let Some(key) = &key {
                again::end_claim(&mut client, &caller, project, key, None).await?;
            }
            return Err(told(failure));
        }
    };
    app.bell.ring();
    let is_known = kept.iter().all(|kept| kept.reinforced);
    let status = if is_known { StatusCode::OK } else { StatusCode::CREATED };
    let memories = kept.iter().map(|kept| KeptOne {
        reinforced: kept.reinforced,
        memory: kept.memory.view(&project.slug, Policy::Stability, now),
    });
    let answer = serde_json::to_string(&Kept { memories: memories.collect() })
        .map_err(|_| Problem::internal())?;
    if let Some(key) = &key {
        again::end_claim(&mut client, &caller, project, key, Some((status, &answer))).await?;
    }
    Ok(answer_of(status, answer))
}

/// Searches by words and meaning.
///
/// What is found counts as accessed, within a second or two.
#[utoipa::path(get, path = "/v1/memories/search", tag = "memories", operation_id = "search",
    params(Searched), responses((status = 200, body = FoundMemories)), extensions(("x-pimem-scope" = json!("read"))))]
pub async fn search(
    State(app): State<Shared>,
    caller: Caller,
    Params(searched): Params<Searched>,
) -> Result<Body<FoundMemories>, Problem> {
    let length = searched.q.chars().count();
    if length == 0 || length > QUERY {
        return Err(Problem::usage(format!("q has 1 to {QUERY} characters")));
    }
    let mode = searched.mode.as_deref().map_or(Some(Mode::Hybrid), Mode::find);
    let mode = mode.ok_or_else(|| Problem::usage("mode is hybrid, keyword or semantic"))?;
    let min_score = searched.min_score.unwrap_or_default();
    if !(0.0..=1.0).contains(&min_score) {
        return Err(Problem::usage("min_score is 0 to 1"));
    }
    let projects = projects(&caller, searched.project.as_deref(), Right::Read)?;
    let request = search::Request {
        text: searched.q,
        mode,
        limit: limit(searched.limit, 10)?,
        min_score,
        category: searched.category,
        archived: searched.archived.unwrap_or_default(),
        projects: ids(&projects),
    };
    let mut client = db::take(&app.pools.read).await?;
    let transaction = db::begin(&mut client, TenantRole::App, &caller.everywhere()).await?;
    let now = clock::stamp();
    let (mode, hits) = search::search(&transaction, caller.vault()?, &request, now).await?;
    if searched.touch.unwrap_or(true) {
        let vault = caller.vault()?;
        // What is hardly better than chance was of no use.
        let used = hits.iter().filter(|hit| !hit.found.judged.is_faint);
        let entries = used.map(|hit| (hit.memory.project, vault.id(hit.memory.id)));
        app.accesses.count(caller.org, entries);
    }
    let faint = !hits.is_empty() && hits.iter().all(|hit| hit.found.judged.is_faint);
    let explains = searched.explain.unwrap_or_default();
    let hits = hits.iter().map(|hit| {
        let search::FoundRow { candidate, judged, factor, .. } = hit.found;
        Hit {
            relevance: judged.score.clamp(0.0, 1.0),
            memory: hit.memory.view(slug(&caller, &hit.memory), Policy::Stability, now),
            seems_replaced_by: hit.newer.map(|by| by.to_string()),
            explain: explains.then_some(Explained {
                rank: judged.rank,
                bm25: candidate.bm25,
                near_words: candidate.reading.near,
                coverage: candidate.reading.coverage,
                table_cosine: candidate.table,
                model_cosine: candidate.model,
                factor,
            }),
        }
    });
    Ok(Body(FoundMemories { mode: mode.name(), hits: hits.collect(), faint }))
}

/// Counts memories.
#[utoipa::path(get, path = "/v1/memories/stats", tag = "memories", operation_id = "stats",
    params(Counted), responses((status = 200, body = Stats)), extensions(("x-pimem-scope" = json!("read"))))]
pub async fn stats(
    State(app): State<Shared>,
    caller: Caller,
    Params(counted): Params<Counted>,
) -> Result<Body<Stats>, Problem> {
    let policy = policy(counted.policy.as_deref())?;
    let projects = projects(&caller, counted.project.as_deref(), Right::Read)?;
    let mut client = db::take(&app.pools.read).await?;
    let transaction = db::begin(&mut client, TenantRole::App, &caller.everywhere()).await?;
    let now = clock::stamp();
    let stats = find::stats(&transaction, caller.vault()?, &ids(&projects), policy, now).await?;
    Ok(Body(stats))
}

/// Shows a memory.
#[utoipa::path(get, path = "/v1/memories/{id}", tag = "memories", operation_id = "show",
    params(("id" = String, Path, pattern = "^[0-9a-f]{4,16}$",
        description = "Its id, or the first digits of it"), One),
    responses((status = 200, body = View), (status = 409, description = "Several begin so", body = Problem,
        content_type = "application/problem+json")),
    extensions(("x-pimem-scope" = json!("read"))))]
pub async fn show(
    State(app): State<Shared>,
    caller: Caller,
    Path(id): Path<String>,
    Params(one): Params<One>,
) -> Result<Body<View>, Problem> {
    let (memory, project) = named(&app, &caller, &id, one.project.as_deref(), Right::Read).await?;
    Ok(Body(memory.view(&project.slug, Policy::Stability, clock::stamp())))
}

/// Forgets a memory, which can be restored, or purges it.
#[utoipa::path(delete, path = "/v1/memories/{id}", tag = "memories", operation_id = "remove",
    params(("id" = String, Path, pattern = "^[0-9a-f]{4,16}$",
        description = "Its id, or the first digits of it"), Removed),
    responses((status = 204, description = "It is forgotten, or destroyed")),
    extensions(("x-pimem-scope" = json!("write"))))]
pub async fn remove(
    State(app): State<Shared>,
    caller: Caller,
    RequestId(request): RequestId,
    Path(id): Path<String>,
    Params(removed): Params<Removed>,
) -> Result<StatusCode, Problem> {
    let purges = removed.purge.unwrap_or_default();
    let right = if purges { Right::Admin } else { Right::Write };
    let (memory, project) = named(&app, &caller, &id, removed.project.as_deref(), right).await?;
    let mut client = db::take(&app.pools.sync).await?;
    let now = clock::stamp();
    if purges {
        remember::purge(&mut client, &caller, project, request, &memory, now)
            .await
            .map_err(told)?;
    } else {
        let kind = EventKind::Forget;
        remember::change(&mut client, &caller, project, request, &memory, kind, now)
            .await
            .map_err(told)?;
    }
    app.bell.ring();
    Ok(StatusCode::NO_CONTENT)
}

/// Changes a memory: `reinforce`, `harmful`, `pin`, `unpin`, `forget` or `restore`.
#[utoipa::path(post, path = "/v1/memories/{id}/{verb}", tag = "memories", operation_id = "change",
    params(("id" = String, Path, pattern = "^[0-9a-f]{4,16}$",
        description = "Its id, or the first digits of it"),
        ("verb" = String, Path, description = "`reinforce`, `harmful`, `pin`, `unpin`, `forget` or `restore`"), One),
    responses((status = 200, body = View)), extensions(("x-pimem-scope" = json!("write"))))]
pub async fn change(
    State(app): State<Shared>,
    caller: Caller,
    RequestId(request): RequestId,
    Path((id, verb)): Path<(String, String)>,
    Params(one): Params<One>,
) -> Result<Body<View>, Problem> {
    let kind = match verb.as_str() {
        "reinforce" => EventKind::Reinforce(1),
        "harmful" => EventKind::Harmful(1),
        "pin" => EventKind::Pin,
        "unpin" => EventKind::Unpin,
        "forget" => EventKind::Forget,
        "restore" => EventKind::Restore,
        _ => {
            let verbs = "reinforce, harmful, pin, unpin, forget or restore";
            return Err(Problem::not_found(format!("{verb:?} is not {verbs}")));
        }
    };
    let (memory, project) = named(&app, &caller, &id, one.project.as_deref(), Right::Write).await?;
    let mut client = db::take(&app.pools.sync).await?;
    let now = clock::stamp();
    let changed =
        remember::change(&mut client, &caller, project, request, &memory, kind, now).await;
    let changed = changed.map_err(told)?;
    app.bell.ring();
    let changed = changed.ok_or_else(|| Problem::not_found("it was purged meanwhile"))?;
    Ok(Body(changed.view(&project.slug, Policy::Stability, now)))
}

/// Returns the memory of an id and its project, where the caller has `right`.
async fn named<'a>(
    app: &Shared,
    caller: &'a Caller,
    id: &str,
    project: Option<&str>,
    right: Right,
) -> Result<(MemoryRow, &'a Project), Problem> {
    let seen = projects(caller, project, right)?;
    let id = id.to_ascii_lowercase();
    if !(4..=16).contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Problem::usage(
            "an id is 16 hexadecimal digits, or the first four or more of them",
        ));
    }
    let vault = caller.vault()?;
    if vault.is_sealed() && id.len() < 16 {
        return Err(Problem::usage("an id of a sealed organisation is all 16 digits")
            .hint("ids are kept blinded there, so that none is found by its first digits"));
    }
    let mut client = db::take(&app.pools.read).await?;
    let transaction = db::begin(&mut client, TenantRole::App, &caller.everywhere()).await?;
    let mut found = find::by_id(&transaction, vault, &ids(&seen), &id).await?;
    let memory = match (found.pop(), found.is_empty()) {
        (None, _) => {
            return Err(Problem::not_found(format!(
                "no memory that this key sees begins with {id}"
            )));
        }
        (Some(memory), true) => memory,
        (Some(_), false) => {
            return Err(Problem::ambiguous(format!("several memories begin with {id}"))
                .hint("give more digits, or the project"));
        }
    };
    let project = caller.projects.iter().find(|project| project.id == memory.project);
    let project = project.ok_or_else(Problem::internal)?;
    caller.project(&project.slug, right)?;
    Ok((memory, project))
}

/// Returns the project of this name, or all that the caller sees.
fn projects<'a>(
    caller: &'a Caller,
    slug: Option<&str>,
    right: Right,
) -> Result<Vec<&'a Project>, Problem> {
    caller.scope(right)?;
    match slug {
        Some(slug) => Ok(vec![caller.project(slug, right)?]),
        None => Ok(caller.projects.iter().collect()),
    }
}

pub(super) fn ids(projects: &[&Project]) -> Vec<Uuid> {
    projects.iter().map(|project| project.id).collect()
}

fn slug<'a>(caller: &'a Caller, memory: &MemoryRow) -> &'a str {
    let project = caller.projects.iter().find(|project| project.id == memory.project);
    project.map_or("", |project| &project.slug)
}

fn limit(limit: Option<u32>, default: u32) -> Result<usize, Problem> {
    let limit = limit.unwrap_or(default);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::usage(format!("limit is 1 to {MOST}")));
    }
    Ok(usize::try_from(limit).unwrap_or_default())
}

fn policy(name: Option<&str>) -> Result<Policy, Problem> {
    match name {
        None | Some("stability") => Ok(Policy::Stability),
        Some("weighted") => Ok(Policy::Weighted(Switches::default())),
        Some("ebbinghaus") => Ok(Policy::Ebbinghaus(Fading::default())),
        Some(_) => Err(Problem::usage("policy is stability, weighted or ebbinghaus")),
    }
}

pub(super) fn told(refused: RefusedMemory) -> Problem {
    match refused {
        RefusedMemory::Invalid(detail) => Problem::usage(detail),
        RefusedMemory::Text(error) => Problem::refused(format!("this cannot be kept: {error}")),
        RefusedMemory::Forgotten => {
            Problem::refused("somebody took this back, and only a person brings it back")
                .hint("leave out agent where a person asks for it")
        }
        RefusedMemory::Rule(detail) => Problem::refused(detail),
        RefusedMemory::Database(error) => error.into(),
    }
}

fn answer_of(status: StatusCode, answer: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], answer).into_response()
}

//! Which address is answered by which handler, and the layers between.

use axum::{
    Router,
    http::header,
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::get,
};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi as _;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    http::{app::Shared, layers, problem::Problem},
    routes::{decay, document, health, me, memories, projects, sync},
};

/// Endpoints that need a key. A new one stands here, and a row of it in the test of roles.
fn keyed() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(document::Frame::openapi())
        .routes(routes!(me::me))
        .routes(routes!(memories::list, memories::create))
        .routes(routes!(memories::search))
        .routes(routes!(memories::stats))
        .routes(routes!(decay::decay))
        .routes(routes!(memories::show, memories::remove))
        .routes(routes!(memories::change))
        .routes(routes!(projects::list))
        .routes(routes!(sync::push))
        .routes(routes!(sync::pull))
}

fn open() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(health::health)).routes(routes!(health::ready))
}

/// Returns the OpenAPI document, as JSON.
///
/// # Errors
///
/// None that is known; serialization has the type of one.
pub fn document() -> serde_json::Result<String> {
    let (_, mut document) = keyed().merge(open()).split_for_parts();
    document::complete(&mut document);
    document.to_pretty_json().map(|text| text + "\n")
}

/// Returns the service that answers clients.
///
/// # Errors
///
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
    Router::new().route("/metrics", get(health::metrics)).with_state(app.clone())
}

async fn missing() -> Response {
    Problem::not_found("there is nothing at this path")
        .hint("GET /openapi.json lists what there is")
        .into_response()
}

async fn wrong_method() -> Response {
    Problem::method().into_response()
}

//! Which address is answered by which handler, the layers between, and the OpenAPI document, made from
//! the handlers.

use axum::{
    Router,
    http::header,
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::get,
};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::{
    OpenApi,
    openapi::{
        ContentBuilder, Ref, RefOr, ResponseBuilder, Schema, Type,
        path::{Operation, Parameter},
        schema::SchemaType,
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    http::{app::Shared, layers, problem::Problem},
    routes::{decay, memories, operation, sync},
};

/// Endpoints that need a key. A new one stands here, and a row of it in the test of roles.
fn keyed() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Frame::openapi())
        .routes(routes!(operation::me))
        .routes(routes!(memories::list, memories::create))
        .routes(routes!(memories::search))
        .routes(routes!(memories::stats))
        .routes(routes!(decay::decay))
        .routes(routes!(memories::show, memories::remove))
        .routes(routes!(memories::change))
        .routes(routes!(operation::projects))
        .routes(routes!(sync::push))
        .routes(routes!(sync::pull))
}

fn open() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(operation::health)).routes(routes!(operation::ready))
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
    Router::new().route("/metrics", get(operation::metrics)).with_state(app.clone())
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

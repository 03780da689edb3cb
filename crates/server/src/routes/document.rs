//! The OpenAPI document, made from the handlers.

use utoipa::{
    OpenApi,
    openapi::{
        ContentBuilder, Ref, RefOr, ResponseBuilder, Schema, Type,
        path::{Operation, Parameter},
        schema::SchemaType,
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

use crate::http::problem::Problem;

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

/// Says of a text what [`crate::http::extract::Params`] refuses in any.
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

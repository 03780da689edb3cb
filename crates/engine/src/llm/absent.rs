//! Replaces the file `http.rs` in builds without the feature `llm`.

use std::time::Duration;

use serde_json::Value;

use super::{ApiKey, ModelError};

pub(super) enum ModelServer {}

impl ModelServer {
    /// Always fails.
    pub(super) fn new(_: &str, _: Option<&ApiKey>) -> Result<Self, ModelError> {
        let hint = "build pimem with its default features";
        Err(ModelError::new("this build asks no servers", hint))
    }

    pub(super) fn name(&self) -> String {
        match *self {}
    }

    pub(super) fn post(&self, _: &str, _: &Value, _: Duration) -> Result<Value, ModelError> {
        match *self {}
    }
}

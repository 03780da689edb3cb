//! The documents of `pimem config`.

use serde::Serialize;
use serde_json::Value;

/// All settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Settings {
    /// Sorted by group.
    pub settings: Vec<Setting>,
    /// Parts of files and variables that are ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<Unusable>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// Dotted name.
    pub key: &'static str,
    /// Value in force.
    pub value: Value,
    /// Source of the value: a file, a variable, or `default`.
    pub origin: String,
    /// Name of the environment variable.
    pub env: &'static str,
    pub description: &'static str,
    /// A different value in the project's file that takes effect once it is reviewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaiting: Option<Awaiting>,
}

impl Setting {
    /// Returns true if nothing sets it, not even a file that awaits review.
    pub fn is_default(&self) -> bool {
        self.origin == "default" && self.awaiting.is_none()
    }
}

/// A value that awaits review.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Awaiting {
    pub value: Value,
    /// File and line.
    pub place: String,
}

/// Part of a file or variable that is not a setting, or has an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unusable {
    /// File or variable.
    pub origin: String,
    /// Line in the file, from 1; null if the problem concerns the whole file.
    pub line: Option<usize>,
    pub message: String,
    pub hint: String,
}

/// One setting with its value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InForce {
    /// Dotted name.
    pub key: &'static str,
    /// Value in force.
    pub value: Value,
    /// Source of the value.
    pub origin: String,
}

/// A setting that was changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changed {
    /// Dotted name.
    pub key: &'static str,
    /// New value.
    pub value: Value,
    /// Path of the file.
    pub file: String,
}

/// A setting that was removed from a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unset {
    /// Dotted name.
    pub key: &'static str,
    /// False if the file did not set it.
    pub removed: bool,
    /// Path of the file.
    pub file: String,
}

/// The instructions that a language model gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Prompt {
    /// Name of the prompt.
    pub prompt: &'static str,
    /// Path of the file that overrides the prompt; null without a home directory.
    pub path: Option<String>,
    /// True if that file exists.
    pub own: bool,
    pub text: String,
}

/// The answer of a language model to a test request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelCheck {
    /// Role that the model is configured for.
    pub role: &'static str,
    /// Provider and model.
    pub model: String,
    /// Address of the server, or the command.
    pub place: String,
    /// Model and place, formatted for people.
    #[serde(skip)]
    pub service: String,
    /// Duration of the request in milliseconds.
    pub ms: u64,
    /// Beginning of the answer.
    pub answer: String,
}

documents! {
    Settings: "pimem.config/1",
    InForce: "pimem.config/1",
    Changed: "pimem.set/1",
    Unset: "pimem.unset/1",
    Prompt: "pimem.prompt/1",
    ModelCheck: "pimem.model-check/1",
}

//! `pimem config`.

use serde::Serialize;
use serde_json::Value;

/// All settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Settings {
    /// In the order of their groups.
    pub settings: Vec<Setting>,
    /// What is left out of files and variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<Unusable>,
}

/// A setting with its value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// Its dotted name.
    pub key: &'static str,
    /// The value in force.
    pub value: Value,
    /// Where that comes from: a file, a variable, or `default`.
    pub origin: String,
    /// Its environment variable.
    pub env: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// Another value, in the project's file, that counts once somebody has looked at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaiting: Option<Awaiting>,
}

/// A value that awaits review.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Awaiting {
    /// The value.
    pub value: Value,
    /// Where it stands: file and line.
    pub place: String,
}

/// Something in a file or a variable that is no setting, or has a wrong value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unusable {
    /// The file or the variable.
    pub origin: String,
    /// Line in the file, from 1; null where it is about all of it.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InForce {
    /// Its dotted name.
    pub key: &'static str,
    /// The value in force.
    pub value: Value,
    /// Where that comes from.
    pub origin: String,
}

/// A setting that was changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changed {
    /// Its dotted name.
    pub key: &'static str,
    /// The new value.
    pub value: Value,
    /// Path of the file.
    pub file: String,
}

/// The rules that a language model gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Prompt {
    /// Its name.
    pub prompt: &'static str,
    /// Path of the file that takes their place; null without a home directory.
    pub path: Option<String>,
    /// Whether that file is there.
    pub own: bool,
    /// The rules.
    pub text: String,
}

/// A language model that has answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelCheck {
    /// For what it is set.
    pub role: &'static str,
    /// Provider and model.
    pub model: String,
    /// The address of its server, or its command.
    pub place: String,
    /// Both as people read it.
    #[serde(skip)]
    pub service: String,
    /// Milliseconds that it took.
    pub ms: u64,
    /// The beginning of its answer.
    pub answer: String,
}

documents! {
    Settings: "pimem.config/1",
    InForce: "pimem.config/1",
    Changed: "pimem.set/1",
    Prompt: "pimem.prompt/1",
    ModelCheck: "pimem.model-check/1",
}

//! Descriptions of settings: name, type, default, variable and purpose.

use serde_json::{Map, Value, json};

use super::{aliases, settings::keys};

/// Type of a setting, with its default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A switch, with its default.
    Bool(bool),
    /// An integer within bounds.
    Whole { default: u64, least: u64, most: u64 },
    /// An integer within bounds, or the word none for no limit.
    WholeOrNone { default: u64, least: u64, most: u64 },
    /// A number within bounds.
    Number { default: f64, least: f64, most: f64 },
    /// One of several words; the first is the default.
    Choice(&'static [&'static str]),
    /// A string, with its default.
    Text(&'static str),
    /// The table of additional categories.
    Categories,
}

/// Whether a project's file may set a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Allowed.
    Open,
    /// Allowed after a review, because it decides which programs run, or what is sent to whom.
    Reviewed,
    /// Not allowed.
    Own,
}

/// The description of a setting.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Dotted name.
    pub name: &'static str,
    pub env: &'static str,
    pub kind: Kind,
    pub guard: Guard,
    /// Purpose, for help texts.
    pub doc: &'static str,
}

/// Fields of an additional category, with their types.
pub const CATEGORY_FIELDS: &[(&str, &str)] = &[
    ("topic", "string"),
    ("tauDays", "number"),
    ("maxActive", "integer"),
    ("section", "string"),
    ("sectionTokens", "integer"),
    ("windowDays", "number"),
    ("fill", "number"),
];

impl Key {
    /// Returns the setting with that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        keys().find(|key| key.name == name)
    }

    /// Returns its variables: its own, then that of another program.
    pub fn variables(&self) -> impl Iterator<Item = &'static str> + use<> {
        let other = (self.name == "dream.intervalHours").then_some("PI_DREAM_INTERVAL_HOURS");
        [self.env].into_iter().chain(other)
    }

    pub fn default(&self) -> Value {
        match self.kind {
            Kind::Bool(default) => json!(default),
            Kind::Whole { default, .. } | Kind::WholeOrNone { default, .. } => json!(default),
            Kind::Number { default, .. } => json!(default),
            Kind::Choice(words) => json!(words.first().copied().unwrap_or_default()),
            Kind::Text(default) => json!(default),
            Kind::Categories => json!({}),
        }
    }

    /// Returns `None` if `value` is valid, or else what was expected.
    pub fn mismatch(&self, value: &Value) -> Option<String> {
        let (fits, expected) = match self.kind {
            Kind::Bool(_) => (value.is_boolean(), "true or false".to_owned()),
            Kind::Whole { least, most, .. } => (
                value.as_u64().is_some_and(|n| (least..=most).contains(&n)),
                format!("a whole number from {least} to {most}"),
            ),
            Kind::WholeOrNone { least, most, .. } => (
                value == "none" || value.as_u64().is_some_and(|n| (least..=most).contains(&n)),
                format!("a whole number from {least} to {most}, or none"),
            ),
            Kind::Number { least, most, .. } => (
                value.as_f64().is_some_and(|n| (least..=most).contains(&n)),
                format!("a number from {least} to {most}"),
            ),
            Kind::Choice(words) => (
                value.as_str().is_some_and(|word| words.contains(&word)),
                format!("one of {}", words.join(", ")),
            ),
            Kind::Text(_) => (value.is_string(), "a text".to_owned()),
            Kind::Categories => (value.is_object(), "an object of categories".to_owned()),
        };
        (!fits).then_some(expected)
    }

    /// Parses a value from the command line or the environment: JSON, or a bare word as text.
    pub fn read(&self, text: &str) -> Value {
        match self.kind {
            Kind::Choice(_) | Kind::Text(_) => json!(text),
            _ => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        }
    }
}

/// Returns the schema of a setting.
fn described(key: &Key) -> Value {
    let mut spec = match key.kind {
        Kind::Bool(_) => json!({"type": "boolean"}),
        Kind::Whole { least, most, .. } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Kind::WholeOrNone { least, most, .. } => {
            let whole = json!({"type": "integer", "minimum": least, "maximum": most});
            json!({"anyOf": [whole, {"const": "none"}]})
        }
        Kind::Number { least, most, .. } => {
            json!({"type": "number", "minimum": least, "maximum": most})
        }
        Kind::Choice(words) => json!({"enum": words}),
        Kind::Text(_) => json!({"type": "string"}),
        Kind::Categories => {
            let fields: Map<String, Value> = CATEGORY_FIELDS
                .iter()
                .map(|(name, kind)| ((*name).to_owned(), json!({"type": kind})))
                .collect();
            let one =
                json!({"type": "object", "additionalProperties": false, "properties": fields});
            json!({"type": "object", "additionalProperties": one})
        }
    };
    if let Some(spec) = spec.as_object_mut() {
        spec.insert("description".to_owned(), json!(key.doc));
        spec.insert("default".to_owned(), key.default());
    }
    spec
}

/// Inserts the schema of a setting below those of its groups.
fn insert(root: &mut Map<String, Value>, name: &str, spec: Value) {
    let Some((group, rest)) = name.split_once('.') else {
        return drop(root.insert(name.to_owned(), spec));
    };
    let group = root.entry(group).or_insert_with(
        || json!({"type": "object", "additionalProperties": false, "properties": {}}),
    );
    let Some(group) = group.as_object_mut() else { return };
    let inner = group.entry("properties").or_insert_with(|| json!({}));
    if let Some(inner) = inner.as_object_mut() {
        insert(inner, rest, spec);
    }
}

/// Returns the JSON schema of `memory.json`.
pub fn json_schema() -> Value {
    let mut root = Map::new();
    for key in keys() {
        insert(&mut root, key.name, described(key));
    }
    for (alias, key) in aliases::all() {
        let mut spec = described(key);
        if let Some(spec) = spec.as_object_mut() {
            spec.insert("description".to_owned(), json!(format!("As {}", key.name)));
        }
        insert(&mut root, alias, spec);
    }
    root.insert("$schema".to_owned(), json!({"type": "string"}));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pimem configuration (memory.json)",
        "type": "object",
        "additionalProperties": false,
        "properties": root,
    })
}

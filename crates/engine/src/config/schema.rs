//! What a setting is: name, other names, type, default, variable and purpose.

use std::{borrow::Cow, ops::RangeInclusive, time::Duration};

use serde_json::{Map, Value, json};

use super::settings::keys;
use pimem_core::report::budget::Tokens;

/// Type of a setting, with its default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SettingKind {
    /// A switch, with its default.
    Bool(bool),
    /// An integer within bounds.
    Whole {
        default: u64,
        least: u64,
        most: u64,
    },
    /// An integer within bounds, or the word none for no limit.
    WholeOrNone {
        default: u64,
        least: u64,
        most: u64,
    },
    /// A number within bounds.
    Number {
        default: f64,
        least: f64,
        most: f64,
    },
    /// One of several words; the first is the default.
    Choice(&'static [&'static str]),
    /// A string, with its default.
    Text(&'static str),
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

/// Whom a setting is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingReach {
    /// Everybody; `config show` lists it.
    Everyday,
    /// Who looks for it.
    Advanced,
}

#[derive(Debug, Clone, Copy)]
pub struct SettingKey {
    /// Dotted name.
    pub name: &'static str,
    pub env: &'static str,
    pub kind: SettingKind,
    pub guard: Guard,
    pub reach: SettingReach,
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

impl SettingKey {
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
            SettingKind::Bool(default) => json!(default),
            SettingKind::Whole { default, .. } | SettingKind::WholeOrNone { default, .. } => {
                json!(default)
            }
            SettingKind::Number { default, .. } => json!(default),
            SettingKind::Choice(words) => json!(words.first().copied().unwrap_or_default()),
            SettingKind::Text(default) => json!(default),
            SettingKind::Categories => json!({}),
        }
    }

    /// Returns `None` if `value` is valid, or else what was expected.
    pub fn mismatch(&self, value: &Value) -> Option<String> {
        let (fits, expected) = match self.kind {
            SettingKind::Bool(_) => (value.is_boolean(), "true or false".to_owned()),
            SettingKind::Whole { least, most, .. } => (
                value.as_u64().is_some_and(|n| (least..=most).contains(&n)),
                format!("a whole number from {least} to {most}"),
            ),
            SettingKind::WholeOrNone { least, most, .. } => (
                value == "none" || value.as_u64().is_some_and(|n| (least..=most).contains(&n)),
                format!("a whole number from {least} to {most}, or none"),
            ),
            SettingKind::Number { least, most, .. } => (
                value.as_f64().is_some_and(|n| (least..=most).contains(&n)),
                format!("a number from {least} to {most}"),
            ),
            SettingKind::Choice(words) => (
                value.as_str().is_some_and(|word| words.contains(&word)),
                format!("one of {}", words.join(", ")),
            ),
            SettingKind::Text(_) => (value.is_string(), "a text".to_owned()),
            SettingKind::Categories => (value.is_object(), "an object of categories".to_owned()),
        };
        (!fits).then_some(expected)
    }

    /// Parses a value from the command line or the environment: JSON, or a bare word as text.
    pub fn read(&self, text: &str) -> Value {
        match self.kind {
            SettingKind::Choice(_) | SettingKind::Text(_) => json!(text),
            _ => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        }
    }
}

fn described(key: &SettingKey) -> Value {
    let mut spec = match key.kind {
        SettingKind::Bool(_) => json!({"type": "boolean"}),
        SettingKind::Whole { least, most, .. } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        SettingKind::WholeOrNone { least, most, .. } => {
            let whole = json!({"type": "integer", "minimum": least, "maximum": most});
            json!({"anyOf": [whole, {"const": "none"}]})
        }
        SettingKind::Number { least, most, .. } => {
            json!({"type": "number", "minimum": least, "maximum": most})
        }
        SettingKind::Choice(words) => json!({"enum": words}),
        SettingKind::Text(_) => json!({"type": "string"}),
        SettingKind::Categories => {
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
    let aliases =
        ALIASES.iter().filter_map(|(alias, name)| Some((*alias, SettingKey::find(name)?)));
    for (alias, key) in aliases {
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

/// A boolean.
pub(super) struct Switch(pub(super) bool);

/// An integer within limits, and the conversion to its type.
pub(super) struct WholeNumber<T>(
    pub(super) u64,
    pub(super) RangeInclusive<u64>,
    pub(super) fn(u64) -> T,
);

/// A number of tokens within limits, or none.
pub(super) struct Budget(pub(super) u64, pub(super) RangeInclusive<u64>);

/// A number within limits.
pub(super) struct Number(pub(super) f64, pub(super) RangeInclusive<f64>);

/// One of several values, by its name; the first is the default.
pub(super) struct Choice<T: 'static>(pub(super) &'static [T], pub(super) &'static [&'static str]);

pub(super) struct TextRule(pub(super) &'static str);

pub(super) struct CategoryTable;

impl Switch {
    pub(super) const fn kind(&self) -> SettingKind {
        SettingKind::Bool(self.0)
    }

    pub(super) fn read(&self, value: Option<&Value>) -> bool {
        value.and_then(Value::as_bool).unwrap_or(self.0)
    }
}

impl<T> WholeNumber<T> {
    pub(super) const fn kind(&self) -> SettingKind {
        SettingKind::Whole { default: self.0, least: *self.1.start(), most: *self.1.end() }
    }

    pub(super) fn read(&self, value: Option<&Value>) -> T {
        (self.2)(value.and_then(Value::as_u64).unwrap_or(self.0))
    }
}

impl Budget {
    pub(super) const fn kind(&self) -> SettingKind {
        SettingKind::WholeOrNone { default: self.0, least: *self.1.start(), most: *self.1.end() }
    }

    pub(super) fn read(&self, value: Option<&Value>) -> Tokens {
        if value.is_some_and(|value| value == "none") {
            return Tokens::UNLIMITED;
        }
        tokens(value.and_then(Value::as_u64).unwrap_or(self.0))
    }
}

impl Number {
    pub(super) const fn kind(&self) -> SettingKind {
        SettingKind::Number { default: self.0, least: *self.1.start(), most: *self.1.end() }
    }

    pub(super) fn read(&self, value: Option<&Value>) -> f64 {
        value.and_then(Value::as_f64).unwrap_or(self.0)
    }
}

impl<T: Copy + Default> Choice<T> {
    pub(super) const fn kind(&self) -> SettingKind {
        SettingKind::Choice(self.1)
    }

    pub(super) fn read(&self, value: Option<&Value>) -> T {
        let word = value.and_then(Value::as_str);
        let mut all = self.0.iter().zip(self.1);
        let chosen = word.and_then(|word| all.find(|(_, name)| **name == word));
        chosen.map_or_else(T::default, |(chosen, _)| *chosen)
    }
}

impl TextRule {
    pub(super) const fn kind(&self) -> SettingKind {
        SettingKind::Text(self.0)
    }

    pub(super) fn read(&self, value: Option<&Value>) -> Cow<'static, str> {
        let text = value.and_then(Value::as_str);
        text.map_or(Cow::Borrowed(self.0), |text| Cow::Owned(text.to_owned()))
    }
}

#[expect(clippy::unused_self, reason = "asked as the others are")]
impl CategoryTable {
    pub(super) const fn kind(&self) -> SettingKind {
        SettingKind::Categories
    }

    pub(super) fn read(&self, value: Option<&Value>) -> Map<String, Value> {
        value.and_then(Value::as_object).cloned().unwrap_or_default()
    }
}

pub(super) fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

pub(super) fn minutes(number: u64) -> Duration {
    Duration::from_secs(number * 60)
}

pub(super) fn tokens(number: u64) -> Tokens {
    Tokens(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Names under `memory` with the settings that they mean. `man/pimem-scoring.7` has the same table.
const ALIASES: &[(&str, &str)] = &[
    ("memory.enable_rag", "recall.enabled"),
    ("memory.enable_learning", "learning.enabled"),
    ("memory.rag_limit", "recall.limit"),
    ("memory.rag_threshold", "recall.minScore"),
    ("memory.embedding.model", "embedding.model"),
    ("memory.embedding.timeout_ms", "embedding.deadlineMs"),
];
/// Names that are no settings, each with what decides instead.
const DECIDED_ELSEWHERE: &[(&str, &str)] =
    &[("memory.embedding.dimension", "the dimension is that of the model: leave it out")];

/// Returns the name of the setting that `name` means.
pub(super) fn resolved(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, key)| key)
}

/// Returns the setting of that name, or that other name.
pub fn find(name: &str) -> Option<&'static SettingKey> {
    SettingKey::find(resolved(name))
}

/// Returns what decides about something that is no setting.
pub(super) fn decided_elsewhere(name: &str) -> Option<&'static str> {
    DECIDED_ELSEWHERE.iter().find(|(known, _)| *known == name).map(|(_, hint)| *hint)
}

/// Returns true if there are other names below a group.
pub(super) fn is_group(path: &str) -> bool {
    let names = ALIASES.iter().chain(DECIDED_ELSEWHERE);
    names.filter_map(|(alias, _)| alias.rsplit_once('.')).any(|(group, _)| group == path)
}

pub(super) fn names_of(key: &SettingKey) -> impl Iterator<Item = &'static str> {
    let others = ALIASES.iter().filter(|(_, of)| *of == key.name).map(|(alias, _)| *alias);
    std::iter::once(key.name).chain(others)
}

/// Returns the name by which a file sets a setting.
pub(super) fn used_in(root: &Map<String, Value>, key: &SettingKey) -> &'static str {
    let has = |name: &str| {
        let mut parts = name.split('.');
        let first = parts.next().and_then(|part| root.get(part));
        parts.fold(first, |at, part| at?.get(part)).is_some()
    };
    let mut of_key = ALIASES.iter().filter(|(_, of)| *of == key.name).map(|(alias, _)| *alias);
    of_key.find(|alias| has(alias)).unwrap_or(key.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_name_means_a_setting() {
        let manual = include_str!("../../../../man/pimem-scoring.7");
        for (alias, name) in ALIASES {
            assert!(SettingKey::find(name).is_some(), "{alias}");
            assert!(SettingKey::find(alias).is_none(), "{alias} is a setting of its own");
            let mut rows = manual.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            assert!(rows.any(|row| row == [*alias, *name]), "{alias} is not in the manual");
        }
    }
}

//! Parses a settings file into usable and unusable settings. An unusable one is skipped on its own; all
//! other settings apply.

use std::fmt;

use pimem_core::{
    exchange::json::LineStarts,
    model::{
        category::{CategorySpec, FILL, Traits},
        names,
    },
};
use serde_json::{Map, Value};

use super::{
    layers::SettingOrigin,
    schema::{self, CATEGORY_FIELDS, Guard, SettingKey},
    settings::keys,
};

/// Maximum number of unusable settings of a file that are reported one by one.
const TOLD: usize = 20;
/// The table of categories.
const CATEGORIES: &str = "categories";
/// The setting beside its rows.
const PRESET: &str = "preset";
/// Maximum number of characters of a value that a message quotes.
const QUOTED: usize = 40;

#[derive(Debug, Default)]
pub(super) struct FoundSettings {
    pub(super) settings: Vec<(&'static SettingKey, Value)>,
    pub(super) unusable: Vec<Unusable>,
}

/// Parses a file. An unusable setting is skipped on its own; a file that is not valid JSON is
/// skipped as a whole.
pub(super) fn read(origin: &SettingOrigin, text: &str, lines: &LineStarts<'_>) -> FoundSettings {
    let whole = |line: usize, message: String, hint: &str| FoundSettings {
        unusable: vec![Unusable::file(origin.clone(), Some(line), message, hint)],
        ..FoundSettings::default()
    };
    let root: Value = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(root) => root,
        Err(error) => {
            let message = format!("not valid JSON: {error}");
            return whole(error.line().max(1), message, "the file must be one JSON object");
        }
    };
    let Value::Object(root) = root else {
        return whole(1, "the file is not a JSON object".to_owned(), "start it with {");
    };
    let is_project = matches!(origin, SettingOrigin::Project(_));
    let mut found = FoundSettings::default();
    let mut more = 0;
    let flat = flatten(root);
    let paths = flat.iter().map(|(path, _)| path.as_str());
    let renamed: Vec<&str> = paths.filter(|path| schema::resolved(path) != *path).collect();
    for (path, value) in &flat {
        let of = schema::resolved(path);
        let by_name = (of != path && flat.iter().any(|(other, _)| other == of)).then_some(of);
        let mut others = renamed.iter().copied().filter(|other| other != path);
        let twin = others.find(|other| schema::resolved(other) == of).or(by_name);
        let usable = match twin {
            Some(twin) => Err(Wrong::Twice(twin.to_owned())),
            None => usable(path, value, is_project),
        };
        match usable {
            Ok(key) => found.settings.push((key, value.clone())),
            Err(_) if found.unusable.len() >= TOLD => more += 1,
            Err(wrong) => {
                let (message, hint) = wrong.told(path, value);
                found.unusable.push(Unusable::key(origin, lines.of(path), message, hint));
            }
        }
    }
    if more > 0 {
        let message = format!("{more} more settings cannot be used");
        let hint = "mend the others first".to_owned();
        found.unusable.push(Unusable { line: None, ..Unusable::key(origin, 1, message, hint) });
    }
    found
}

/// Flattens settings to dotted names; `$schema` is accepted and dropped.
fn flatten(root: Map<String, Value>) -> Vec<(String, Value)> {
    let mut flat = Vec::new();
    for (name, value) in root.into_iter().filter(|(name, _)| name != "$schema") {
        match value {
            Value::Object(group) if SettingKey::find(&name).is_none() => {
                for (key, value) in group {
                    let path = format!("{name}.{key}");
                    match value {
                        Value::Object(inner) if schema::is_group(&path) => {
                            let inner = inner.into_iter();
                            flat.extend(inner.map(|(key, value)| (format!("{path}.{key}"), value)));
                        }
                        value => flat.push((path, value)),
                    }
                }
            }
            // The table of categories has a setting beside its rows.
            Value::Object(mut table) if name == CATEGORIES => {
                let is_setting = table.get(PRESET).is_some_and(|value| !value.is_object());
                let preset = if is_setting { table.remove(PRESET) } else { None };
                let set = preset.is_some();
                flat.extend(preset.map(|preset| (format!("{name}.{PRESET}"), preset)));
                if !(set && table.is_empty()) {
                    flat.push((name, Value::Object(table)));
                }
            }
            value => flat.push((name, value)),
        }
    }
    flat
}

/// Why a setting cannot be used.
enum Wrong {
    Unknown,
    /// It is the name of a group; holds one of the group's settings.
    Group(&'static SettingKey),
    /// The file sets it by this other name too.
    Twice(String),
    /// A project's file may not set it.
    Own,
    /// The value is invalid; holds what was expected.
    Value(&'static SettingKey, String),
}

fn usable(path: &str, value: &Value, is_project: bool) -> Result<&'static SettingKey, Wrong> {
    let Some(key) = schema::find(path) else {
        let of_group =
            |key: &&SettingKey| key.name.split_once('.').is_some_and(|(group, _)| group == path);
        return Err(keys().find(of_group).map_or(Wrong::Unknown, Wrong::Group));
    };
    if key.guard == Guard::Own && is_project {
        return Err(Wrong::Own);
    }
    key.mismatch(value).map_or(Ok(key), |expected| Err(Wrong::Value(key, expected)))
}

impl Wrong {
    /// Returns message and hint.
    fn told(self, path: &str, value: &Value) -> (String, String) {
        let (path, value) = (short(path), short(&value.to_string()));
        match self {
            Self::Twice(other) => (
                format!("{path} and {} are two names of one setting", short(&other)),
                "leave one of them out".to_owned(),
            ),
            Self::Unknown if schema::decided_elsewhere(&path).is_some() => {
                let hint = schema::decided_elsewhere(&path).unwrap_or_default();
                (format!("{path} is no setting"), hint.to_owned())
            }
            Self::Unknown => {
                let names = keys().map(|key| key.name);
                let hint = names::closest(&path, names).map_or_else(
                    || "pimem config show --all lists the settings".to_owned(),
                    |name| format!("did you mean {name}?"),
                );
                (format!("unknown key {path}"), hint)
            }
            Self::Group(key) => {
                let name = key.name.split_once('.').map_or(key.name, |(_, name)| name);
                let hint = format!("write it as in \"{path}\": {{\"{name}\": {}}}", key.default());
                (format!("{path} is {value}, not an object of settings"), hint)
            }
            Self::Own => (
                format!("a project's file may not set {path}"),
                "set it in your own ~/.pi/agent/memory.json, or by variable".to_owned(),
            ),
            Self::Value(key, expected) => {
                let hint = format!("{}: {} by default", key.doc, key.default());
                (format!("{path} is {value}, not {expected}"), hint)
            }
        }
    }
}

/// Returns the start of a text, for a message.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A setting, or a whole settings file, that is skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    pub origin: SettingOrigin,
    /// Line in the file, from 1, if it is about one.
    pub line: Option<usize>,
    pub whole: bool,
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

impl Unusable {
    /// Creates the problem of a setting on a line of a file.
    pub(super) fn key(origin: &SettingOrigin, line: usize, message: String, hint: String) -> Self {
        Self { origin: origin.clone(), line: Some(line), whole: false, message, hint }
    }

    /// Creates the problem of a whole file.
    pub fn file(
        origin: SettingOrigin,
        line: Option<usize>,
        message: String,
        hint: impl Into<String>,
    ) -> Self {
        Self { origin, line, whole: true, message, hint: hint.into() }
    }

    /// Creates the problem of a variable or command-line option.
    pub fn typed(name: &'static str, message: String, hint: impl Into<String>) -> Self {
        let origin = SettingOrigin::Env(name);
        Self { origin, line: None, whole: false, message, hint: hint.into() }
    }

    /// Returns true if it comes from a variable or option rather than a file.
    pub fn is_typed(&self) -> bool {
        matches!(self.origin, SettingOrigin::Env(_))
    }
}

/// Formats place and message: `PATH:LINE: MESSAGE`.
impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.origin)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Returns the valid categories of a table; `text` is the file that contains it, if any. An invalid
/// field gets its default, and a category with an invalid name is skipped.
pub(super) fn read_categories(
    table: &Map<String, Value>,
    origin: &SettingOrigin,
    text: Option<&str>,
    unusable: &mut Vec<Unusable>,
) -> Vec<CategorySpec> {
    let lines = text.map(LineStarts::new);
    let mut specs = Vec::new();
    for (name, value) in table {
        let mut complain = |field: Option<&str>, message: String, hint: String| {
            let path = ["categories", name].into_iter().chain(field).collect::<Vec<_>>().join(".");
            let line = lines.as_ref().map(|lines| lines.of(&path));
            let origin = origin.clone();
            unusable.push(Unusable { origin, line, whole: false, message, hint });
        };
        specs.extend(category(name, value, &mut complain));
    }
    specs
}

/// Callback for problems: the field, if it is about one, the message, and the hint.
type Complain<'a> = dyn FnMut(Option<&str>, String, String) + 'a;

/// Hint on valid names.
const NAMES: &str = "names are 1 to 64 of a-z, 0-9 and -";

fn category(name: &str, value: &Value, complain: &mut Complain<'_>) -> Option<CategorySpec> {
    let fields_known = || {
        let names: Vec<&str> = CATEGORY_FIELDS.iter().map(|(name, _)| *name).collect();
        format!("the fields are {}", names.join(", "))
    };
    if !is_name(name) {
        let message = format!("categories.{}: not a usable name", short(name));
        complain(None, message, NAMES.to_owned());
        return None;
    }
    let Value::Object(fields) = value else {
        complain(None, format!("categories.{name} is not an object"), fields_known());
        return None;
    };
    let known = |field: &&String| CATEGORY_FIELDS.iter().any(|(name, _)| name == field);
    for field in fields.keys().filter(|field| !known(field)) {
        let near = names::closest(field, CATEGORY_FIELDS.iter().map(|(name, _)| *name));
        let hint = near.map_or_else(fields_known, |name| format!("did you mean {name}?"));
        complain(Some(field), format!("unknown key categories.{name}.{}", short(field)), hint);
    }
    let mut wrong = |field: &str, value: &Value, hint: &str| {
        let message = format!("categories.{name}.{field} is {}", short(&value.to_string()));
        complain(Some(field), message, hint.to_owned());
    };
    let mut get = |field: &str, fits: fn(&Value) -> bool, hint: &str| {
        let value = fields.get(field)?;
        if fits(value) {
            return Some(value);
        }
        wrong(field, value, hint);
        None
    };
    let above_0 = |value: &Value| value.as_f64().is_some_and(|n| n.is_finite() && n > 0.0);
    let topic = get("topic", |value| value.as_str().is_some_and(is_name), NAMES);
    let tau_days = get("tauDays", above_0, "it takes a number above 0");
    let max_active = get("maxActive", Value::is_u64, "it takes a whole number");
    let section = get("section", Value::is_string, "it takes a text");
    let section_tokens = get("sectionTokens", Value::is_u64, "it takes a whole number");
    let window_days = get("windowDays", above_0, "it takes a number above 0");
    let fill = get("fill", above_0, "it takes a number above 0");
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or(name).to_owned();
    let whole = |value: Option<&Value>, default| value.and_then(Value::as_u64).unwrap_or(default);
    Some(CategorySpec {
        name: name.to_owned().into(),
        section: text(section).into(),
        topic: text(topic).into(),
        tau_days: tau_days.and_then(Value::as_f64).unwrap_or(30.0),
        max_active: usize::try_from(whole(max_active, 4)).unwrap_or(usize::MAX),
        section_tokens: u32::try_from(whole(section_tokens, 200)).unwrap_or(u32::MAX),
        window_days: window_days.and_then(Value::as_f64),
        fill: fill.and_then(Value::as_f64).unwrap_or(FILL),
        traits: Traits::of(name),
    })
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

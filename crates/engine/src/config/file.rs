//! Parses a settings file into usable and unusable settings.

use serde_json::{Map, Value};

use super::{
    aliases,
    invalid::Unusable,
    layers::Origin,
    schema::{Guard, Key},
    settings::keys,
};
use pimem_core::exchange::json_position::{self, Lines};

/// Maximum number of unusable settings of a file that are reported one by one.
const TOLD: usize = 20;
/// The table of categories.
const CATEGORIES: &str = "categories";
/// The setting beside its rows.
const PRESET: &str = "preset";
/// Maximum number of characters of a value that a message quotes.
const QUOTED: usize = 40;

/// The content of a file.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) settings: Vec<(&'static Key, Value)>,
    pub(super) unusable: Vec<Unusable>,
}

/// Parses a file. An unusable setting is skipped on its own; a file that is not valid JSON is
/// skipped as a whole.
pub(super) fn read(origin: &Origin, text: &str, lines: &Lines<'_>) -> Found {
    let whole = |line: usize, message: String, hint: &str| Found {
        unusable: vec![Unusable::file(origin.clone(), Some(line), message, hint)],
        ..Found::default()
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
    let is_project = matches!(origin, Origin::Project(_));
    let mut found = Found::default();
    let mut more = 0;
    let flat = flatten(root);
    let paths = flat.iter().map(|(path, _)| path.as_str());
    let renamed: Vec<&str> = paths.filter(|path| aliases::resolved(path) != *path).collect();
    for (path, value) in &flat {
        let of = aliases::resolved(path);
        let by_name = (of != path && flat.iter().any(|(other, _)| other == of)).then_some(of);
        let mut others = renamed.iter().copied().filter(|other| other != path);
        let twin = others.find(|other| aliases::resolved(other) == of).or(by_name);
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
            Value::Object(group) if Key::find(&name).is_none() => {
                for (key, value) in group {
                    let path = format!("{name}.{key}");
                    match value {
                        Value::Object(inner) if aliases::is_group(&path) => {
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
    /// There is no such setting.
    Unknown,
    /// It is the name of a group; holds one of the group's settings.
    Group(&'static Key),
    /// The file sets it by this other name too.
    Twice(String),
    /// A project's file may not set it.
    Own,
    /// The value is invalid; holds what was expected.
    Value(&'static Key, String),
}

fn usable(path: &str, value: &Value, is_project: bool) -> Result<&'static Key, Wrong> {
    let Some(key) = aliases::find(path) else {
        let of_group =
            |key: &&Key| key.name.split_once('.').is_some_and(|(group, _)| group == path);
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
            Self::Unknown if aliases::decided_elsewhere(&path).is_some() => {
                let hint = aliases::decided_elsewhere(&path).unwrap_or_default();
                (format!("{path} is no setting"), hint.to_owned())
            }
            Self::Unknown => {
                let names = keys().map(|key| key.name);
                let hint = json_position::closest(&path, names).map_or_else(
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

//! Layers: defaults < user file < project file < environment < flags.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use serde_json::{Map, Value};

use super::{
    awaiting::Awaiting,
    env::Env,
    locate,
    schema::{CATEGORY_FIELDS, Guard, Key, keys},
};
use crate::{
    model::category::{Categories, CategorySpec},
    report::{budget::Tokens, render::GroundTruth},
};

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Built in.
    Default,
    /// The user's file.
    User(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// A variable.
    Env(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User(path) | Self::Project(path) => write!(f, "{}", path.display()),
            Self::Env(name) => f.write_str(name),
        }
    }
}

/// A setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfigError {
    /// File and line, or variable.
    pub(crate) place: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: String,
}

/// All settings in force.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    values: BTreeMap<&'static str, (Value, Origin)>,
    /// Settings of the project's file that are not in force.
    pub(crate) awaiting: Vec<Awaiting>,
    /// The categories in force.
    pub(crate) categories: Categories,
}

impl Config {
    /// Merges the layers; `files` come in order of rising priority.
    pub(crate) fn load(files: &[(Origin, String)], env: &Env) -> Result<Self, ConfigError> {
        let defaults = keys().map(|key| (key.name, (key.default(), Origin::Default)));
        let mut values: BTreeMap<_, _> = defaults.collect();
        let mut awaiting = Vec::new();
        for (origin, text) in files {
            for (key, value, line) in read_file(origin, text)? {
                if key.guard == Guard::Reviewed && matches!(origin, Origin::Project(_)) {
                    let place = format!("{origin}:{line}");
                    awaiting.push(Awaiting { key, value, place, origin: origin.clone() });
                } else {
                    values.insert(key.name, (value, origin.clone()));
                }
            }
        }
        for key in keys() {
            let set = key.variables().find_map(|name| Some((name, env.text(name)?)));
            let Some((name, text)) = set else { continue };
            let value = key.read(text);
            if let Some(expected) = key.mismatch(&value) {
                let message = format!("{text:?} is not {expected}");
                let hint = format!("{}: {}", key.name, key.doc);
                return Err(ConfigError { place: name.to_owned(), message, hint });
            }
            values.insert(key.name, (value, Origin::Env(name)));
        }
        let mut config = Self { values, awaiting, categories: Categories::default() };
        config.categories = Categories::new(further_categories(&config, files)?);
        Ok(config)
    }

    /// Puts the settings in force that awaited review.
    pub(crate) fn admit(&mut self) {
        for Awaiting { key, value, origin, .. } in std::mem::take(&mut self.awaiting) {
            if !matches!(self.get(key.name), Some((_, Origin::Env(_)))) {
                self.values.insert(key.name, (value, origin));
            }
        }
    }

    /// A value with its origin.
    pub(crate) fn get(&self, name: &str) -> Option<&(Value, Origin)> {
        self.values.get(name)
    }

    /// A whole number. Every name used in the code is in the schema, and values fit it.
    pub(crate) fn whole(&self, name: &str) -> u64 {
        self.get(name).and_then(|(value, _)| value.as_u64()).unwrap_or_default()
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.get(name).and_then(|(value, _)| value.as_f64()).unwrap_or_default()
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).and_then(|(value, _)| value.as_str()).unwrap_or_default()
    }

    /// A switch.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(|(value, _)| value.as_bool()).unwrap_or_default()
    }

    /// A number of tokens.
    pub(crate) fn tokens(&self, name: &str) -> Tokens {
        Tokens(u32::try_from(self.whole(name)).unwrap_or(u32::MAX))
    }

    /// The wording of the ground-truth line.
    pub(crate) fn ground_truth(&self) -> GroundTruth {
        match self.text("report.groundTruth") {
            "factual" => GroundTruth::Factual,
            "off" => GroundTruth::Off,
            _ => GroundTruth::Seed,
        }
    }
}

/// The settings of a file, each with its line.
type Settings = Vec<(&'static Key, Value, usize)>;

fn read_file(origin: &Origin, text: &str) -> Result<Settings, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let fail = |line: usize, message: String, hint: String| ConfigError {
        place: format!("{origin}:{line}"),
        message,
        hint,
    };
    let root: Value = serde_json::from_str(text).map_err(|error| {
        let hint = "the file must be one JSON object".to_owned();
        fail(error.line().max(1), format!("not valid JSON: {error}"), hint)
    })?;
    let Value::Object(root) = root else {
        let message = "the file is not a JSON object".to_owned();
        return Err(fail(1, message, "start it with {".to_owned()));
    };
    let mut found = Vec::new();
    for (path, value) in flatten(&root) {
        let parts: Vec<&str> = path.split('.').collect();
        let line = locate::line_of(text, &parts);
        let Some(key) = Key::find(&path) else {
            let names = keys().map(|key| key.name);
            let hint = locate::closest(&path, names).map_or_else(
                || "pimem config show lists the settings".to_owned(),
                |name| format!("did you mean {name}?"),
            );
            return Err(fail(line, format!("unknown key {path}"), hint));
        };
        if let Some(expected) = key.mismatch(&value) {
            let message = format!("{path} is {value}, not {expected}");
            return Err(fail(line, message, key.doc.to_owned()));
        }
        if key.guard == Guard::Own && matches!(origin, Origin::Project(_)) {
            let message = format!("a project's file may not set {path}");
            let hint = "set it in your own ~/.pi/agent/memory.json, or by variable".to_owned();
            return Err(fail(line, message, hint));
        }
        found.push((key, value, line));
    }
    Ok(found)
}

/// Settings by dotted name; `$schema` is accepted and left out.
fn flatten(root: &Map<String, Value>) -> Vec<(String, Value)> {
    let mut flat = Vec::new();
    for (name, value) in root.iter().filter(|(name, _)| *name != "$schema") {
        match value {
            Value::Object(group) if Key::find(name).is_none() => {
                let inner =
                    group.iter().map(|(key, value)| (format!("{name}.{key}"), value.clone()));
                flat.extend(inner);
            }
            _ => flat.push((name.clone(), value.clone())),
        }
    }
    flat
}

fn further_categories(
    config: &Config,
    files: &[(Origin, String)],
) -> Result<Vec<CategorySpec>, ConfigError> {
    let Some((Value::Object(table), origin)) = config.get("categories") else {
        return Ok(Vec::new());
    };
    let text = files.iter().find(|(file, _)| file == origin).map(|(_, text)| text);
    let mut specs = Vec::new();
    for (name, value) in table {
        let spec = category(name, value).map_err(|(field, message, hint)| {
            let path: Vec<&str> = ["categories", name].into_iter().chain(field).collect();
            let place = match text {
                Some(text) => format!("{origin}:{}", locate::line_of(text, &path)),
                None => origin.to_string(),
            };
            ConfigError { place, message, hint }
        })?;
        specs.push(spec);
    }
    Ok(specs)
}

/// What is wrong with a category: in which field, what, and a hint.
type Wrong<'a> = (Option<&'a str>, String, String);

fn category<'a>(name: &str, value: &'a Value) -> Result<CategorySpec, Wrong<'a>> {
    let fields_known = || {
        let names: Vec<&str> = CATEGORY_FIELDS.iter().map(|(name, _)| *name).collect();
        format!("the fields are {}", names.join(", "))
    };
    let Value::Object(fields) = value else {
        let message = format!("categories.{name} is not an object");
        return Err((None, message, fields_known()));
    };
    let known = |field: &&String| CATEGORY_FIELDS.iter().any(|(name, _)| name == field);
    if let Some(field) = fields.keys().find(|field| !known(field)) {
        let near = locate::closest(field, CATEGORY_FIELDS.iter().map(|(name, _)| *name));
        let hint = near.map_or_else(fields_known, |name| format!("did you mean {name}?"));
        return Err((Some(field), format!("unknown key categories.{name}.{field}"), hint));
    }
    let wrong = |field: &'static str, value: &Value, hint: &str| {
        (Some(field), format!("categories.{name}.{field} is {value}"), hint.to_owned())
    };
    let text = |field: &'static str| match fields.get(field) {
        None => Ok(name.to_owned()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value) => Err(wrong(field, value, "it takes a text")),
    };
    let number = |field: &'static str, default: f64| match fields.get(field) {
        None => Ok(default),
        Some(value) => value
            .as_f64()
            .filter(|number| number.is_finite() && *number > 0.0)
            .ok_or_else(|| wrong(field, value, "it takes a number above 0")),
    };
    let whole = |field: &'static str, default: u64| match fields.get(field) {
        None => Ok(default),
        Some(value) => value.as_u64().ok_or_else(|| wrong(field, value, "it takes a whole number")),
    };
    let is_name = |name: &str| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    let topic = text("topic")?;
    if !is_name(name) || !is_name(&topic) {
        let hint = "names are 1 to 64 of a-z, 0-9 and -".to_owned();
        return Err((None, format!("categories.{name}: not a usable name"), hint));
    }
    Ok(CategorySpec {
        name: name.to_owned().into(),
        section: text("section")?.into(),
        topic: topic.into(),
        tau_days: number("tauDays", 30.0)?,
        max_active: usize::try_from(whole("maxActive", 4)?).unwrap_or(usize::MAX),
        section_tokens: u32::try_from(whole("sectionTokens", 200)?).unwrap_or(u32::MAX),
        window_days: fields.get("windowDays").map(|_| number("windowDays", 0.0)).transpose()?,
    })
}

/// `text` with one setting changed; other settings keep their order.
pub(crate) fn with_setting(text: &str, key: &Key, value: Value) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut root: Value = if text.trim().is_empty() {
        Value::Object(Map::new())
    } else {
        serde_json::from_str(text).ok()?
    };
    let mut at = root.as_object_mut()?;
    let mut parts = key.name.split('.').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            at.insert(part.to_owned(), value);
            break;
        }
        at = at.entry(part).or_insert_with(|| Value::Object(Map::new())).as_object_mut()?;
    }
    let mut out = serde_json::to_string_pretty(&root).ok()?;
    out.push('\n');
    Some(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn load(text: &str) -> Result<Config, String> {
        let origin = Origin::Project(PathBuf::from("memory.json"));
        Config::load(&[(origin, text.to_owned())], &Env::default())
            .map_err(|error| format!("{}: {} ({})", error.place, error.message, error.hint))
    }

    #[test]
    fn values() {
        let config = load(r#"{"$schema": "x", "report": {"budget": 900}}"#).unwrap();
        assert_eq!(config.whole("report.budget"), 900);
        assert_eq!(config.whole("report.context"), 8000);
        let config = load(r#"{"categories": {"idea": {"tauDays": 7}}}"#).unwrap();
        let idea = config.categories.find("idea").unwrap();
        assert_eq!(config.categories.spec(idea).topic, "idea");
    }

    #[test]
    fn mistakes() {
        for (text, want) in [
            (
                "{\n\"report\": {\n\"bugdet\": 1}}",
                "memory.json:3: unknown key report.bugdet (did you mean report.budget?)",
            ),
            (
                "{\n \"report\": {\"budget\": -1}}",
                "memory.json:2: report.budget is -1, not a whole number from 0 to 1000000 (Tokens that the report may take)",
            ),
            (
                "{\"report\": {\"removeCommand\": \"rm\"}}",
                "memory.json:1: a project's file may not set report.removeCommand (set it in your own ~/.pi/agent/memory.json, or by variable)",
            ),
            ("[]", "memory.json:1: the file is not a JSON object (start it with {)"),
            (
                "{\"categories\": {\"x y\": {}}}",
                "memory.json:1: categories.x y: not a usable name (names are 1 to 64 of a-z, 0-9 and -)",
            ),
            (
                "{\"categories\": {\"x\": {\"tau\": 1}}}",
                "memory.json:1: unknown key categories.x.tau (the fields are topic, tauDays, maxActive, section, sectionTokens, windowDays)",
            ),
        ] {
            assert_eq!(load(text).unwrap_err(), want);
        }
        assert!(load("{\n\"a\": }").unwrap_err().starts_with("memory.json:2: not valid JSON"));
    }

    #[test]
    fn what_awaits_review() {
        let text = r#"{"dream": {"llm": true, "intervalHours": 5},
            "observer": {"temperature": 1,
            "command": "cat"}}"#;
        let mut config = load(text).unwrap();
        assert_eq!((config.text("observer.command"), config.flag("dream.llm")), ("", false));
        assert_eq!(config.get("observer.temperature").map(|(value, _)| value), Some(&json!(1)));
        assert_eq!(
            Awaiting::text(&config.awaiting),
            "dream.llm = true\nobserver.command = \"cat\""
        );
        assert_eq!(config.awaiting[1].place, "memory.json:3");
        config.admit();
        assert_eq!((config.text("observer.command"), config.flag("dream.llm")), ("cat", true));
        assert!(config.awaiting.is_empty());
    }

    #[test]
    fn setting_keeps_the_rest() {
        let key = Key::find("report.budget").unwrap();
        let text = "{\"z\": 1, \"report\": {\"budget\": 1}}";
        let got = with_setting(text, key, Value::from(5)).unwrap();
        assert_eq!(got, "{\n  \"z\": 1,\n  \"report\": {\n    \"budget\": 5\n  }\n}\n");
        assert!(with_setting("[]", key, Value::from(5)).is_none());
    }
}

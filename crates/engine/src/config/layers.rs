//! Layers of settings, in ascending priority: defaults, user file, project file, environment,
//! flags.

use std::{fmt, path::PathBuf};

use pimem_core::{
    exchange::json::{self, Dialect, LineStarts},
    model::category::Categories,
};
use serde_json::{Map, Value};

use super::{
    env::Env,
    schema::{self, Guard, SettingKey},
    settings::{self, Scoring, Settings, keys},
    settings_file::{self, Unusable},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    Default,
    User(PathBuf),
    Project(PathBuf),
    /// A variable or command-line option.
    Env(&'static str),
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User(path) | Self::Project(path) => write!(f, "{}", path.display()),
            Self::Env(name) => f.write_str(name),
        }
    }
}

/// The values that files and variables set, with their origins.
#[derive(Debug, Clone, Default)]
pub(super) struct Values(Vec<(&'static SettingKey, Value, SettingOrigin)>);

impl Values {
    /// Returns the value of the setting with that name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.find(name).map(|(_, value, _)| value)
    }

    /// Returns what sets a setting: what is said of the model of one role, or else of all of them.
    fn find(&self, name: &str) -> Option<&(&'static SettingKey, Value, SettingOrigin)> {
        let named = |name: &str| self.0.iter().find(|(key, ..)| key.name == name);
        named(name).or_else(|| named(settings::shared(name)?))
    }

    fn origin(&self, key: &SettingKey) -> &SettingOrigin {
        self.find(key.name).map_or(&SettingOrigin::Default, |(_, _, origin)| origin)
    }

    fn set(&mut self, key: &'static SettingKey, value: Value, origin: SettingOrigin) {
        match self.0.iter_mut().find(|(other, ..)| other.name == key.name) {
            Some(set) => *set = (key, value, origin),
            None => self.0.push((key, value, origin)),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Config {
    values: Values,
    pub settings: Settings,
    /// Settings of the project's file that await review and are not in force.
    pub awaiting: Vec<AwaitingSettings>,
    /// Settings that are skipped.
    pub unusable: Vec<Unusable>,
    pub categories: Categories,
}

impl Config {
    /// Merges the layers; `files` are in ascending priority. An unusable setting is skipped, so
    /// that the value of the layer below applies.
    pub fn load(files: &[(SettingOrigin, String)], env: &Env) -> Self {
        let mut values = Values::default();
        let (mut awaiting, mut unusable) = (Vec::new(), Vec::new());
        for (origin, text) in files {
            let lines = LineStarts::new(text);
            let found = settings_file::read(origin, text, &lines);
            for (key, value) in found.settings {
                if key.guard == Guard::Reviewed && matches!(origin, SettingOrigin::Project(_)) {
                    let place = format!("{origin}:{}", lines.of(key.name));
                    awaiting.push(AwaitingSettings { key, value, place, origin: origin.clone() });
                } else {
                    values.set(key, value, origin.clone());
                }
            }
            unusable.extend(found.unusable);
        }
        for key in keys() {
            let set = key.variables().find_map(|name| Some((name, env.text(name)?)));
            let Some((name, text)) = set else { continue };
            let value = key.read(text);
            if let Some(expected) = key.mismatch(&value) {
                let message = format!("{text:?} is not {expected}");
                unusable.push(Unusable::typed(name, message, format!("{}: {}", key.name, key.doc)));
            } else {
                values.set(key, value, SettingOrigin::Env(name));
            }
        }
        let settings = Settings::read(&values);
        let origin = values.origin(&Scoring::categories);
        let text = files.iter().find(|(file, _)| file == origin).map(|(_, text)| text.as_str());
        let further = settings_file::read_categories(
            &settings.scoring.categories,
            origin,
            text,
            &mut unusable,
        );
        let Scoring { preset, policy, .. } = settings.scoring;
        let mut categories = Categories::of(preset.unwrap_or(policy.preset()), further);
        // Another policy or preset may have been in force before, and have left entries.
        let is_default = |key| *values.origin(key) == SettingOrigin::Default;
        if !is_default(&Scoring::policy) || !is_default(&Scoring::preset) {
            categories = categories.reading_all();
        }
        Self { values, settings, awaiting, unusable, categories }
    }

    /// Puts the settings that awaited review in force.
    pub fn admit(&mut self) {
        for AwaitingSettings { key, value, origin, .. } in std::mem::take(&mut self.awaiting) {
            if !matches!(self.origin(key), SettingOrigin::Env(_)) {
                self.values.set(key, value, origin);
            }
        }
        self.settings = Settings::read(&self.values);
    }

    /// Returns the value of a setting in the format of files.
    pub fn value(&self, key: &SettingKey) -> Value {
        self.values.get(key.name).cloned().unwrap_or_else(|| key.default())
    }

    pub fn origin(&self, key: &SettingKey) -> &SettingOrigin {
        self.values.origin(key)
    }

    /// Returns true if a setting has the value of another, which stands for several.
    pub fn inherits(&self, key: &SettingKey) -> bool {
        self.values.find(key.name).is_some_and(|(set, ..)| set.name != key.name)
    }
}

/// Returns the file `text` with one setting changed; other settings keep their order.
pub fn with_setting(text: &str, key: &SettingKey, value: Value) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut root: Value = if text.trim().is_empty() {
        Value::Object(Map::new())
    } else {
        serde_json::from_str(text).ok()?
    };
    let mut at = root.as_object_mut()?;
    let mut parts = schema::used_in(at, key).split('.').peekable();
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

/// Returns the text of a configuration file without one setting, by whatever name it has there.
/// `None` if the file is no JSON object.
pub fn without_setting(text: &str, key: &SettingKey) -> Option<String> {
    let root = match json::scan(text.as_bytes(), Dialect::Strict) {
        Ok(Some(root)) if matches!(root.kind, json::JsonKind::Object(_)) => root,
        Ok(None) => return Some(text.to_owned()),
        _ => return None,
    };
    let other = |name: &str| schema::find(name).is_some_and(|other| other.name != key.name);
    let mut names = schema::names_of(key);
    let after = names.find_map(|name| json::without_member(text.as_bytes(), &root, name, &other));
    Some(
        after.map_or_else(|| text.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned()),
    )
}

/// A setting in the project's file that awaits review.
#[derive(Debug, Clone)]
pub struct AwaitingSettings {
    pub key: &'static SettingKey,
    pub value: Value,
    /// Its place: file and line.
    pub place: String,
    pub(super) origin: SettingOrigin,
}

impl AwaitingSettings {
    /// Returns the settings as one sorted text, so that a review covers all of them together.
    pub fn text(settings: &[Self]) -> String {
        let mut lines: Vec<String> = settings.iter().map(ToString::to_string).collect();
        lines.sort();
        lines.join("\n")
    }
}

impl fmt::Display for AwaitingSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.key.name, self.value)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::config::settings::{ObserverModel, PolicyName};
    use pimem_core::report::budget::Tokens;

    fn load(text: &str) -> Config {
        let origin = SettingOrigin::Project(PathBuf::from("memory.json"));
        Config::load(&[(origin, text.to_owned())], &Env::default())
    }

    fn report(config: &Config) -> (Tokens, Tokens) {
        (config.settings.report.budget, config.settings.report.context)
    }

    fn wrong(config: &Config) -> Vec<String> {
        config.unusable.iter().map(|wrong| format!("{wrong} ({})", wrong.hint)).collect()
    }

    #[test]
    fn values() {
        let config = load(r#"{"$schema": "x", "report": {"budget": 900}, "report.context": 10}"#);
        assert_eq!(wrong(&config), Vec::<String>::new());
        assert_eq!(report(&config), (Tokens(900), Tokens(10)));
        let config = load(r#"{"categories": {"idea": {"tauDays": 7}}}"#);
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
                "memory.json:2: report.budget is -1, not a whole number from 0 to 1000000, or none (Tokens that the report may take, or none for no limit: 1700 by default)",
            ),
            (
                "{\"report\": {\"removeCommand\": \"rm\"}}",
                "memory.json:1: a project's file may not set report.removeCommand (set it in your own ~/.pi/agent/memory.json, or by variable)",
            ),
            ("[]", "memory.json:1: the file is not a JSON object (start it with {)"),
            (
                "{\"report\": 5}",
                "memory.json:1: report is 5, not an object of settings (write it as in \"report\": {\"budget\": 1700})",
            ),
            (
                "{\"categories\": {\"x y\": {}}}",
                "memory.json:1: categories.x y: not a usable name (names are 1 to 64 of a-z, 0-9 and -)",
            ),
            (
                "{\"categories\": {\"x\":\n{\"tau\": 1}}}",
                "memory.json:2: unknown key categories.x.tau (the fields are topic, tauDays, maxActive, section, sectionTokens, windowDays, fill)",
            ),
            (
                "{\"categories\": {\"x\": {\"topic\": \"../../etc\"}}}",
                "memory.json:1: categories.x.topic is \"../../etc\" (names are 1 to 64 of a-z, 0-9 and -)",
            ),
        ] {
            assert_eq!(wrong(&load(text)), [want]);
        }
        let broken = load("{\n\"a\": }");
        assert!(wrong(&broken)[0].starts_with("memory.json:2: not valid JSON"));
        assert!(broken.unusable[0].whole);
    }

    /// A setting has one value, whichever of its names a file uses; two names of one are an error.
    #[test]
    fn other_names() {
        let config = load(
            r#"{"memory": {"rag_limit": 3, "rag_threshold": 0.5, "enable_rag": false, "decay_factor": 0.9,
                "embedding": {"timeout_ms": 10}}, "categories": {"preset": "all", "idea": {}}}"#,
        );
        let wrong_of = |config: &Config| wrong(config).join("\n");
        let own = "memory.json:2: a project's file may not set memory.embedding.timeout_ms (set it in your own ~/.pi/agent/memory.json, or by variable)";
        assert_eq!(wrong_of(&config), own);
        let Settings { recall, memory, .. } = &config.settings;
        assert_eq!((recall.limit, recall.enabled), (3, false));
        assert!((recall.min_score - 0.5).abs() + (memory.decay_factor - 0.9).abs() < 1e-9);
        assert!(config.categories.find("tool-result").is_some());
        assert!(config.categories.find("idea").is_some());
        let both = load(
            "{\"memory\": {\"rag_limit\": 3},\n\"recall\": {\"limit\": 4, \"minScore\": 0.1}}",
        );
        assert_eq!(
            wrong(&both),
            [
                "memory.json:1: memory.rag_limit and recall.limit are two names of one setting (leave one of them out)",
                "memory.json:2: recall.limit and memory.rag_limit are two names of one setting (leave one of them out)",
            ]
        );
        assert_eq!(both.settings.recall.limit, 5, "neither is taken");
        let dimension = load(r#"{"memory": {"embedding": {"dimension": 384}}}"#);
        assert_eq!(
            wrong_of(&dimension),
            "memory.json:1: memory.embedding.dimension is no setting (the dimension is that of the model: leave it out)"
        );
        let misspelt =
            load(r#"{"scoring": {"policy": "wieghted"}, "categories": {"preset": "adie"}}"#);
        assert_eq!(misspelt.unusable.len(), 2, "{:?}", misspelt.unusable);
        assert_eq!(misspelt.settings.scoring.policy, PolicyName::Stability);
        let key = SettingKey::find("recall.limit").unwrap();
        let after = with_setting("{\"memory\": {\"rag_limit\": 3}}", key, Value::from(9)).unwrap();
        assert_eq!(load(&after).settings.recall.limit, 9, "{after}");
        assert!(load(&after).unusable.is_empty(), "{after}");
    }

    #[test]
    fn a_policy_brings_its_categories() {
        let names = |text: &str| load(text).categories.names();
        let pi = "preference, lesson, mistake, pattern, decision, done";
        assert_eq!(names("{}"), pi);
        for (text, has, lacks) in [
            (r#"{"scoring": {"policy": "weighted"}}"#, "blocker", "fact"),
            (r#"{"scoring": {"policy": "ebbinghaus"}}"#, "tool-result", "blocker"),
            (
                r#"{"scoring": {"policy": "weighted"}, "categories": {"preset": "sovereign"}}"#,
                "fact",
                "issue",
            ),
            (r#"{"categories": {"preset": "all"}}"#, "session", "idea"),
            (r#"{"categories.preset": "aide"}"#, "abandoned", "context"),
        ] {
            let names = names(text);
            assert!(names.contains(has) && !names.contains(lacks), "{text}: {names}");
            assert!(pi.split(", ").all(|name| names.contains(name)), "{text}: {names}");
        }
        let weighted = r#"{"scoring": {"policy": "weighted"}, "categories": {"preset": "pi"}}"#;
        assert_eq!(names(weighted), pi);
        // A category may be called as the setting is.
        let odd = load(r#"{"categories": {"preset": {"tauDays": 3}}}"#);
        assert!(odd.categories.find("preset").is_some() && odd.unusable.is_empty());
    }

    /// A mistake affects one setting only: the other settings of the file and the lower layers
    /// apply.
    #[test]
    fn what_is_wrong_costs_itself() {
        let file = |origin: fn(PathBuf) -> SettingOrigin, text: &str| {
            (origin(PathBuf::from("memory.json")), text.to_owned())
        };
        let user = file(
            SettingOrigin::User,
            r#"{"report": {"budget": 900, "context": 10}, "lock": {"timeoutMs": 7},
                "categories": {"mine": {"tauDays": 3}}}"#,
        );
        let project = file(
            SettingOrigin::Project,
            r#"{"report": {"budget": "many", "context": 20, "contxt": 1}, "lock": {"timeoutMs": 1},
                "categories": 3, "recall.limit": 9, "observer": {"command": 1, "model": "m"}}"#,
        );
        let config = Config::load(&[user.clone(), project], &Env::default());
        assert_eq!(config.unusable.len(), 5, "{:?}", config.unusable);
        assert_eq!(report(&config), (Tokens(900), Tokens(20)));
        let (lock, recall) = (&config.settings.lock, &config.settings.recall);
        assert_eq!((lock.timeout, recall.limit), (Duration::from_millis(7), 9));
        assert_eq!(AwaitingSettings::text(&config.awaiting), "observer.model = \"m\"");
        assert!(config.categories.find("mine").is_some());
        for broken in ["{", "", "\0", "[1]", "{\"report\": {\"budget\": 1}"] {
            let config = Config::load(
                &[user.clone(), file(SettingOrigin::Project, broken)],
                &Env::default(),
            );
            assert!(config.unusable[0].whole, "{broken}");
            assert_eq!(config.settings.report.budget, Tokens(900), "{broken}");
        }
        let half =
            load(r#"{"categories": {"x": {"tauDays": -1, "maxActive": 2}, "Y": {}, "z": {}}}"#);
        let x = half.categories.spec(half.categories.find("x").unwrap());
        assert_eq!((x.tau_days, x.max_active), (30.0, 2));
        assert!(half.categories.find("Y").is_none() && half.categories.find("z").is_some());
    }

    /// A file with many mistakes causes few messages.
    #[test]
    fn a_file_of_nothing_but_mistakes() {
        let key = "k".repeat(500);
        let all: Vec<String> = (0..30_000).map(|n| format!("\"{key}{n}\": 1,\n")).collect();
        let all = all.concat();
        let config = load(&format!("{{{all}\"report\": {{\"budget\": 3}}}}"));
        assert_eq!(config.settings.report.budget, Tokens(3));
        assert_eq!(config.unusable.len(), 21);
        assert_eq!(config.unusable[20].message, "29980 more settings cannot be used");
        assert!(config.unusable.iter().all(|wrong| wrong.message.len() < 100));
    }

    #[test]
    fn what_awaits_review() {
        let text = r#"{"dream": {"llm": true, "intervalHours": 5},
            "observer": {"temperature": 1,
            "command": "cat"}}"#;
        let mut config = load(text);
        let run = |config: &Config| {
            let Settings { observer_model, dream, .. } = &config.settings;
            (observer_model.command.clone().into_owned(), dream.llm)
        };
        assert_eq!(run(&config), (String::new(), false));
        assert_eq!(config.value(&ObserverModel::temperature), json!(1));
        assert_eq!(
            AwaitingSettings::text(&config.awaiting),
            "dream.llm = true\nobserver.command = \"cat\""
        );
        assert_eq!(config.awaiting[1].place, "memory.json:3");
        config.admit();
        assert_eq!(run(&config), ("cat".to_owned(), true));
        assert!(config.awaiting.is_empty());
    }

    #[test]
    fn setting_keeps_the_rest() {
        let key = SettingKey::find("report.budget").unwrap();
        let text = "{\"z\": 1, \"report\": {\"budget\": 1}}";
        let got = with_setting(text, key, Value::from(5)).unwrap();
        assert_eq!(got, "{\n  \"z\": 1,\n  \"report\": {\n    \"budget\": 5\n  }\n}\n");
        assert!(with_setting("[]", key, Value::from(5)).is_none());
    }
}

//! Showing and changing settings, reading their files, the user's, then the project's, and messages about
//! unusable ones, without which commands continue.

use crate::memory::handles::Tending;
use std::path::{Path, PathBuf};

use pimem_core::{model::names, score::ranking::Scope};
use serde::Serialize;
use serde_json::Value;

use super::{Memory, WriteTarget};
use crate::{
    config::{
        env::Env,
        layers::{self, AwaitingSettings, SettingOrigin},
        schema::{self, Guard, SettingKey, SettingReach},
        settings,
        settings_file::Unusable,
    },
    error::{Failure, FailureKind},
    llm::{self, ModelRole, Question, Service},
    store::{
        Store, atomic,
        discover::{self, Places},
        read::{self, ProblemKind, ReadProblem},
        trust,
    },
};

/// A cheap question that shows whether a model answers.
const HELLO: Question<'_> = Question { rules: "Answer with one word.", text: "Say hello." };

impl Tending<'_> {
    /// Returns all settings with their origins, and the unusable ones.
    pub fn settings(self) -> SettingsView {
        let awaiting = |key: &SettingKey| {
            let other =
                self.memory.config.awaiting.iter().find(|other| other.key.name == key.name)?;
            Some(AwaitingSetting { value: other.value.clone(), place: other.place.clone() })
        };
        let setting = |key: &'static SettingKey| Setting {
            key: key.name,
            value: self.memory.config.value(key),
            origin: self.memory.config.origin(key).to_string(),
            env: key.env,
            description: key.doc,
            advanced: key.reach == SettingReach::Advanced,
            inherits: self.memory.config.inherits(key),
            awaiting: awaiting(key),
        };
        SettingsView {
            settings: settings::keys().map(setting).collect(),
            unusable: self.memory.unusable(),
        }
    }

    /// Returns one setting.
    ///
    /// # Errors
    /// Fails if there is no setting of that name.
    pub fn setting(self, name: &str) -> Result<InForce, Failure> {
        let key = find(name)?;
        let origin = self.memory.config.origin(key).to_string();
        Ok(InForce { key: key.name, value: self.memory.config.value(key), origin })
    }

    /// Changes a setting in the file of a store.
    ///
    /// # Errors
    /// Fails if the value is not valid, the file may not set it, or the file cannot be read or
    /// written.
    pub fn change_setting(
        self,
        key: &SettingKey,
        text: &str,
        target: WriteTarget,
    ) -> Result<ChangedSetting, Failure> {
        self.refuse_agent_of(key)?;
        let value = key.read(text);
        let wrong = |expected: &str| {
            let message = format!("{} cannot be {text:?}: it takes {expected}", key.name);
            Failure::new(FailureKind::Config, message, key.doc)
        };
        if let Some(expected) = key.mismatch(&value) {
            return Err(wrong(&expected));
        }
        let is_project = target.scope == Scope::Project;
        if key.guard == Guard::Own && is_project {
            let message = format!("a project's file may not set {}", key.name);
            return Err(Failure::new(
                FailureKind::Config,
                message,
                "pimem config set --user sets it for you",
            ));
        }
        let store = self.memory.made(target)?;
        let edit = |before: &str| layers::with_setting(before, key, value.clone());
        let file = self.edit_settings(key, &store, edit)?;
        let categories = value.as_object().filter(|_| key.name == "categories").into_iter();
        let headings =
            categories.flat_map(|table| table.values()).filter_map(|of| of.get("section"));
        for heading in headings.filter_map(Value::as_str) {
            store.trust.record_text(trust::TrustedKind::Heading, heading);
        }
        Ok(ChangedSetting { key: key.name, value, file: file.path.display().to_string() })
    }

    /// Refuses an agent the settings about agents.
    fn refuse_agent_of(self, key: &SettingKey) -> Result<(), Failure> {
        let is_about_agents = key.name.starts_with("agents.");
        if is_about_agents {
            self.memory.refuse_agent(&format!("setting {}", key.name))
        } else {
            Ok(())
        }
    }

    /// Removes a setting from the file of a store; the other bytes of the file stay as they are.
    ///
    /// # Errors
    /// Fails if the file cannot be read, understood or written.
    pub fn unset_setting(self, key: &SettingKey, target: WriteTarget) -> Result<Unset, Failure> {
        self.refuse_agent_of(key)?;
        let path = Memory::config_file(&target.dir);
        let absent =
            |path: &Path| Unset { key: key.name, removed: false, file: path.display().to_string() };
        if !target.exists || !path.exists() {
            return Ok(absent(&path));
        }
        let store = self.memory.made(target)?;
        let edit = |before: &str| layers::without_setting(before, key);
        let Edited { path, changed } = self.edit_settings(key, &store, edit)?;
        Ok(Unset { removed: changed, ..absent(&path) })
    }

    /// Edits the settings file of a store. `edit` returns `None` for what is no JSON object.
    fn edit_settings(
        self,
        key: &SettingKey,
        store: &Store,
        edit: impl Fn(&str) -> Option<String>,
    ) -> Result<Edited, Failure> {
        let is_project = store.scope == Scope::Project;
        let path = Memory::config_file(&store.dir);
        if is_project {
            read::guard(path.parent().unwrap_or(&path), &path).map_err(|p| Failure::from(&p))?;
        }
        // Your own file may be a link, as dotfiles often are; the link stays.
        let path = discover::real(&path);
        let lock = super::lock(self.memory, store)?;
        let before = bytes(&path, is_project).map_err(|p| Failure::from(&p))?;
        let before = String::from_utf8(before.unwrap_or_default()).map_err(|_| {
            let message = format!("{} is not UTF-8", path.display());
            Failure::new(FailureKind::Config, message, "iconv turns it into UTF-8")
        })?;
        let origin =
            if is_project { layers::SettingOrigin::Project } else { layers::SettingOrigin::User };
        let load = |text: &str| {
            layers::Config::load(&[(origin(path.clone()), text.to_owned())], &Env::default())
        };
        let old = if before.trim().is_empty() { load("{}") } else { load(&before) };
        let after = edit(&before).ok_or_else(|| {
            let in_the_way = old.unusable.first().map(Failure::from);
            in_the_way.unwrap_or_else(|| {
                let message = format!("{} is not a JSON object", path.display());
                Failure::new(FailureKind::Config, message, "start it with {")
            })
        })?;
        if after == before {
            return Ok(Edited { path, changed: false });
        }
        // What is written must be readable: a table of categories has rules of its own.
        let new = load(&after);
        let known = |wrong: &&Unusable| old.unusable.iter().any(|old| old.message == wrong.message);
        if let Some(wrong) = new.unusable.iter().find(|wrong| !known(wrong)) {
            return Err(Failure::from(wrong));
        }
        atomic::sweep(path.parent().unwrap_or(&path));
        atomic::replace_file(&path, after.as_bytes(), store.sync, || Ok(true))?;
        drop(lock);
        if key.guard == Guard::Reviewed && is_project {
            vouch(self.memory, &store.trust, &old.awaiting, &new.awaiting);
        }
        Ok(Edited { path, changed: true })
    }

    /// Returns the rules sent to a language model.
    ///
    /// # Errors
    /// Fails if the user's own file cannot be read.
    pub fn prompt(self, prompt: llm::Prompt) -> Result<PromptView, Failure> {
        let home = self.memory.env.home.as_deref();
        let own = home.map(|home| prompt.path(home));
        let text = prompt.text(home).map_err(|problem| Failure::from(&problem))?;
        Ok(PromptView {
            prompt: prompt.name(),
            path: own.as_ref().map(|path| path.display().to_string()),
            own: own.as_ref().is_some_and(|path| path.is_file()),
            text,
        })
    }

    /// Asks the language model of a role a short question. Callers measure the time.
    ///
    /// # Errors
    /// Fails if no model is set, or it does not answer.
    pub fn check_model(self, role: ModelRole) -> Result<ModelCheck, Failure> {
        let Some(service) = Service::of(&self.memory.config, &self.memory.env, role)? else {
            let message = format!("no language model is set for the {}", role.name());
            let hint = "pimem config set --user llm.provider NAME sets one";
            return Err(Failure::new(FailureKind::Config, message, hint));
        };
        let answer = service.ask(HELLO)?.chars().take(80).collect();
        Ok(ModelCheck {
            role: role.name(),
            model: service.name().to_owned(),
            place: service.place().to_owned(),
            service: service.told(),
            ms: 0,
            answer,
        })
    }
}

impl Memory {
    pub fn unusable(&self) -> Vec<UnusableView> {
        let unusable = self.config.unusable.iter().map(|wrong| UnusableView {
            origin: wrong.origin.to_string(),
            line: wrong.line,
            message: wrong.message.clone(),
            hint: wrong.hint.clone(),
        });
        unusable.collect()
    }

    /// Reports unusable settings in one line.
    pub fn say_unusable(&self) {
        let Some((first, more)) = self.config.unusable.split_first() else { return };
        if more.is_empty() {
            return self.say_each_unusable();
        }
        let more = more.len();
        self.notices.note(&format!(
            "warning: {first}; it and {more} more are left out (pimem check names them)"
        ));
    }

    /// Reports each unusable setting with its place and a hint.
    pub fn say_each_unusable(&self) {
        for wrong in &self.config.unusable {
            self.notices.note(&format!("warning: {wrong}; left out ({})", wrong.hint));
        }
    }

    /// Returns the one-line message for an agent. It quotes nothing from a file, because a
    /// project's file is untrusted.
    pub fn unusable_for_agents(&self) -> Option<String> {
        let (first, more) = self.config.unusable.split_first()?;
        let file = match &first.origin {
            SettingOrigin::Project(_) => "the project's memory.json",
            SettingOrigin::User(_) => "the user's memory.json",
            SettingOrigin::Env(name) => name,
            SettingOrigin::Default => return None,
        };
        let what = match first.line {
            Some(line) if !first.whole => format!("line {line} of {file}"),
            _ => file.to_owned(),
        };
        let more = match more.len() {
            0 => String::new(),
            1 => ", as is one other setting".to_owned(),
            more => format!(", as are {more} other settings"),
        };
        Some(format!(
            "> Settings: {what} cannot be used and is left out{more}. The user can look at it with \
             `pimem check`."
        ))
    }
}

/// A settings file, and whether an edit changed it.
struct Edited {
    path: PathBuf,
    changed: bool,
}

pub fn find(name: &str) -> Result<&'static SettingKey, Failure> {
    schema::find(name).ok_or_else(|| {
        let hint = names::closest(name, settings::keys().map(|key| key.name)).map_or_else(
            || "pimem config show --all lists the settings".to_owned(),
            |name| format!("did you mean {name}?"),
        );
        Failure::new(FailureKind::Config, format!("unknown setting {name:?}"), hint)
    })
}

/// Records that settings were made here. Settings that came with a clone do not become trusted by
/// adding to them.
fn vouch(
    memory: &Memory,
    trust: &trust::Trust,
    old: &[AwaitingSettings],
    new: &[AwaitingSettings],
) {
    let text =
        |settings| trust.text(trust::TrustedKind::Settings, &AwaitingSettings::text(settings));
    if old.is_empty() || trust.holds(text(old)) {
        trust.note(|| vec![text(new)]);
    } else {
        memory
            .notices
            .note("Other settings in that file were not made here: pimem trust shows them");
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingsView {
    /// Sorted by group.
    pub settings: Vec<Setting>,
    /// Parts of files and variables that are ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<UnusableView>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// Dotted name.
    pub key: &'static str,
    pub value: Value,
    /// Source of the value: a file, a variable, or `default`.
    pub origin: String,
    /// Name of the environment variable.
    pub env: &'static str,
    pub description: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub advanced: bool,
    /// True if the value is that of the settings `llm`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inherits: bool,
    /// A different value in the project's file that takes effect once it is reviewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaiting: Option<AwaitingSetting>,
}

impl Setting {
    /// Returns true if nothing sets it, not even a file that awaits review.
    pub fn is_default(&self) -> bool {
        (self.inherits || self.origin == "default") && self.awaiting.is_none()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwaitingSetting {
    pub value: Value,
    pub place: String,
}

/// Part of a file or variable that is not a setting, or has an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnusableView {
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
    pub value: Value,
    /// Source of the value.
    pub origin: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedSetting {
    /// Dotted name.
    pub key: &'static str,
    pub value: Value,
    pub file: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unset {
    /// Dotted name.
    pub key: &'static str,
    /// False if the file did not set it.
    pub removed: bool,
    pub file: String,
}

/// The instructions that a language model gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptView {
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
    SettingsView: "pimem.config/1",
    InForce: "pimem.config/1",
    ChangedSetting: "pimem.set/1",
    Unset: "pimem.unset/1",
    PromptView: "pimem.prompt/1",
    ModelCheck: "pimem.model-check/1",
}

/// Maximum size in bytes of a configuration file; all settings take about a hundredth of it.
const MAX: u64 = 1 << 20;

/// Returns the readable configuration files in ascending priority, and the unreadable ones.
pub fn read(places: &Places) -> (Vec<(SettingOrigin, String)>, Vec<Unusable>) {
    let user = places.user().map(|dir| SettingOrigin::User(Memory::config_file(&dir)));
    // What stands nearer to the working directory counts more. Those above are known once it is.
    let project = places.project();
    let above = places.above_project().into_iter().flatten().map(|(_, dir)| dir);
    let mut projects: Vec<PathBuf> = project.into_iter().chain(above).collect();
    projects.reverse();
    let projects = projects.iter().map(|dir| SettingOrigin::Project(Memory::config_file(dir)));
    let (mut files, mut unusable) = (Vec::new(), Vec::new());
    for origin in user.into_iter().chain(projects) {
        let (SettingOrigin::User(path) | SettingOrigin::Project(path)) = &origin else { continue };
        match bytes(path, matches!(origin, SettingOrigin::Project(_))) {
            Ok(None) => {}
            Ok(Some(bytes)) => files.push((origin, String::from_utf8_lossy(&bytes).into_owned())),
            Err(problem) => unusable.push(told(origin, &problem)),
        }
    }
    (files, unusable)
}

/// Reads a configuration file; `None` if it does not exist.
pub fn bytes(path: &Path, is_project: bool) -> Result<Option<Vec<u8>>, ReadProblem> {
    // The user's file may be a link to anywhere; a project's must stay inside the project.
    let root = if is_project { path.parent().unwrap_or(path) } else { Path::new("/") };
    read::file(root, path, MAX)
}

fn told(origin: SettingOrigin, problem: &ReadProblem) -> Unusable {
    let (message, hint) = match &problem.kind {
        ProblemKind::NotAFile => ("not a file".to_owned(), "put a file there, or nothing"),
        ProblemKind::LeadsOutside => (
            "a link that leads out of the project".to_owned(),
            "put the file itself there, or a link to a file beside it",
        ),
        ProblemKind::TooLarge(size, limit) => {
            let message = format!("too large: {size} bytes, of which {limit} are allowed");
            (message, "pimem config show --schema says what belongs there")
        }
        // Settings are never sealed.
        ProblemKind::Sealed { why: error, .. }
        | ProblemKind::NoMirror(error)
        | ProblemKind::Closed(error)
        | ProblemKind::Io(error) => {
            (format!("cannot be read: {error}"), "make it readable for yourself, or take it away")
        }
    };
    Unusable::file(origin, None, message, hint)
}

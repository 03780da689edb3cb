//! Creates a service from settings, or reports the missing ones; and the system prompts, which the user
//! may replace.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{ApiKey, ModelError, ModelRole, Provider, Service};
use crate::{
    config::{
        env::Env,
        layers::{Config, SettingOrigin},
        schema,
        settings::{DreamModel, LanguageModel, ObserverModel, ReflectorModel},
    },
    store::read::{self, ReadProblem},
};

/// The settings of a role.
struct Settings<'a> {
    role: ModelRole,
    model: &'a LanguageModel,
    /// True if the model is not set explicitly.
    default_model: bool,
    /// True if the maximum number of tokens is not set explicitly.
    default_limit: bool,
}

pub(super) fn service(
    config: &Config,
    env: &Env,
    role: ModelRole,
) -> Result<Option<Service>, ModelError> {
    let settings = Settings::of(config, role);
    let Some(provider) = settings.model.provider else { return Ok(None) };
    let name = provider.name();
    let (place, model) = settings.place_and_model(provider)?;
    let key = settings.key(provider, env)?;
    if provider != Provider::Command && cfg!(not(feature = "llm")) {
        let message = format!("this pimem was built without the provider {name}");
        let setting = settings.name("provider");
        let hint = format!("set {setting} to command, or build it with --features llm");
        return Err(ModelError::new(message, hint));
    }
    let most = u32::try_from(settings.model.max_output_tokens).ok();
    Ok(Some(Service {
        role,
        provider,
        key,
        #[cfg(feature = "llm")]
        proxy: super::requests::proxy(&place, env),
        name: format!("{name} {model}").trim_end().to_owned(),
        model,
        place,
        temperature: settings.model.temperature,
        most: most.filter(|_| !settings.default_limit),
        limit: settings.model.timeout,
    }))
}

impl<'a> Settings<'a> {
    fn of(config: &'a Config, role: ModelRole) -> Self {
        let all = &config.settings;
        let (model, chosen, limit) = match role {
            ModelRole::Observer => {
                (&all.observer_model, &ObserverModel::model, &ObserverModel::max_output_tokens)
            }
            ModelRole::Reflector => {
                (&all.reflector_model, &ReflectorModel::model, &ReflectorModel::max_output_tokens)
            }
            ModelRole::Dream => {
                (&all.dream_model, &DreamModel::model, &DreamModel::max_output_tokens)
            }
        };
        let is_default = |key: &schema::SettingKey| *config.origin(key) == SettingOrigin::Default;
        Self { role, model, default_model: is_default(chosen), default_limit: is_default(limit) }
    }

    fn name(&self, name: &str) -> String {
        format!("{}.{name}", self.role.name())
    }

    /// Returns address or command line, and the model's name.
    fn place_and_model(&self, provider: Provider) -> Result<(String, String), ModelError> {
        let unset = |name: &str, why: &str| {
            let message = format!("{} is not set{why}", self.name(name));
            let hint = format!("pimem config set --user {} VALUE sets it", self.name(name));
            Err(ModelError::new(message, hint))
        };
        if provider == Provider::Command {
            let command = self.model.command.trim();
            // The command determines its own model.
            return if command.is_empty() {
                unset("command", "")
            } else {
                Ok((command.to_owned(), String::new()))
            };
        }
        let (endpoint, model) = (self.model.endpoint.trim(), self.model.model.trim());
        if model.is_empty() {
            return unset("model", "");
        }
        if self.default_model && provider != Provider::OpenAi {
            return unset("model", &format!(", and {model} is a model of openai's"));
        }
        let endpoint = if endpoint.is_empty() { provider.endpoint() } else { endpoint };
        Ok((endpoint.to_owned(), model.to_owned()))
    }

    /// Returns the API key to send. A provider's usual variable is used only with the provider's
    /// own server.
    fn key(&self, provider: Provider, env: &Env) -> Result<Option<ApiKey>, ModelError> {
        let named = self.model.api_key_env.trim();
        let usual = provider.variable().filter(|_| self.model.endpoint.trim().is_empty());
        let variable = if named.is_empty() { usual } else { Some(named) };
        let Some(variable) = variable.filter(|_| provider != Provider::Command) else {
            return Ok(None);
        };
        if let Some(value) = env.key(variable) {
            let value = value.trim().to_owned();
            return Ok(Some(ApiKey { variable: variable.to_owned(), value }));
        }
        let who = provider.name();
        let message = format!("there is no key for {who}: {variable} is not set");
        let other = self.name("apiKeyEnv");
        Err(ModelError::new(
            message,
            format!("set {variable}, or name another variable in {other}"),
        ))
    }
}

/// Directory of the user's prompts, below the home directory.
pub const FOLDER: &str = ".pi/agent/memory-prompts";

pimem_core::named! {
    /// Rules for one purpose.
    #[derive(ValueEnum)]
    pub enum Prompt {
        /// To make observations of a conversation.
        Observer = "observer",
        /// To consolidate observations.
        Reflector = "reflector",
        /// The same, where that did not save enough.
        ReflectorAggressive = "reflector-aggressive",
        /// To plan what should become of a store.
        Dream = "dream",
    }
}

impl Prompt {
    pub fn built_in(self) -> &'static str {
        match self {
            Self::Observer => include_str!("../../../../prompts/observer.md"),
            Self::Reflector => include_str!("../../../../prompts/reflector.md"),
            Self::ReflectorAggressive => {
                include_str!("../../../../prompts/reflector-aggressive.md")
            }
            Self::Dream => include_str!("../../../../prompts/dream.md"),
        }
    }

    pub fn path(self, home: &Path) -> PathBuf {
        home.join(FOLDER).join(format!("{}.md", self.name()))
    }

    /// Returns the user's prompt if it exists, or else the built-in one.
    pub fn text(self, home: Option<&Path>) -> Result<String, ReadProblem> {
        let own = home.map(|home| self.path(home));
        let own = own.map(|path| read::file(Path::new("/"), &path, read::MAX_FILE)).transpose()?;
        let own = own.flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(own.unwrap_or_else(|| self.built_in().to_owned()))
    }
}

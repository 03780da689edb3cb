//! From settings to a model that can be asked, or to what is missing.

use std::time::Duration;

use super::{Key, ModelError, Provider, Role, Service};
use crate::config::{
    env::Env,
    layers::{Config, Origin},
};

/// The settings of a role.
struct Settings<'a> {
    config: &'a Config,
    role: Role,
}

/// The model that they name.
pub(super) fn service(
    config: &Config,
    env: &Env,
    role: Role,
) -> Result<Option<Service>, ModelError> {
    let settings = Settings { config, role };
    let provider = settings.text("provider");
    let name = provider.clone();
    let Some(provider) = Provider::named(&provider) else { return Ok(None) };
    let (place, model) = settings.place_and_model(provider)?;
    let key = settings.key(provider, env)?;
    if provider != Provider::Command && cfg!(not(feature = "llm")) {
        let message = format!("this pimem was built without the provider {name}");
        let setting = settings.name("provider");
        let hint = format!("set {setting} to command, or build it with --features llm");
        return Err(ModelError::new(message, hint));
    }
    let most = if settings.is_default("maxOutputTokens") {
        None
    } else {
        u32::try_from(config.whole(&settings.name("maxOutputTokens"))).ok()
    };
    Ok(Some(Service {
        role,
        provider,
        key,
        name: format!("{name} {model}").trim_end().to_owned(),
        model,
        place,
        temperature: config.number(&settings.name("temperature")),
        most,
        limit: Duration::from_secs(config.whole(&settings.name("timeoutSeconds"))),
    }))
}

impl Settings<'_> {
    fn name(&self, name: &str) -> String {
        format!("{}.{name}", self.role.name())
    }

    fn text(&self, name: &str) -> String {
        self.config.text(&self.name(name)).trim().to_owned()
    }

    fn is_default(&self, name: &str) -> bool {
        matches!(self.config.get(&self.name(name)), Some((_, Origin::Default)))
    }

    /// Where it is asked, or what is run, and which model.
    fn place_and_model(&self, provider: Provider) -> Result<(String, String), ModelError> {
        let unset = |name: &str, why: &str| {
            let message = format!("{} is not set{why}", self.name(name));
            let hint = format!("pimem config set --user {} VALUE sets it", self.name(name));
            Err(ModelError::new(message, hint))
        };
        if provider == Provider::Command {
            let command = self.text("command");
            // Which model it runs is its own affair.
            return if command.is_empty() {
                unset("command", "")
            } else {
                Ok((command, String::new()))
            };
        }
        let (endpoint, model) = (self.text("endpoint"), self.text("model"));
        if model.is_empty() {
            return unset("model", "");
        }
        if self.is_default("model") && provider != Provider::OpenAi {
            return unset("model", &format!(", and {model} is a model of openai's"));
        }
        let own = provider.endpoint();
        Ok((if endpoint.is_empty() { own.to_owned() } else { endpoint }, model))
    }

    /// The key to be sent along. One that happens to be in the environment goes to nobody but whom
    /// it is for.
    fn key(&self, provider: Provider, env: &Env) -> Result<Option<Key>, ModelError> {
        let named = self.text("apiKeyEnv");
        let usual = provider.variable().filter(|_| self.text("endpoint").is_empty());
        let variable = if named.is_empty() { usual.map(str::to_owned) } else { Some(named) };
        let Some(variable) = variable.filter(|_| provider != Provider::Command) else {
            return Ok(None);
        };
        if let Some(value) = env.key(&variable) {
            return Ok(Some(Key { variable, value: value.trim().to_owned() }));
        }
        let who = self.text("provider");
        let message = format!("there is no key for {who}: {variable} is not set");
        let other = self.name("apiKeyEnv");
        Err(ModelError::new(
            message,
            format!("set {variable}, or name another variable in {other}"),
        ))
    }
}

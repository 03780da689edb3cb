//! Language models that the user has configured: a question with rules in, an answer out; and
//! embedding models of Ollama.
//!
//! They are optional, and nothing is sent anywhere unless a provider is set. Every failure is a
//! [`ModelError`], after which the caller continues without a model. Messages of providers are
//! sanitised for display, and thinking is removed from answers.
//!
//! A model may be a program: the prompt is its input, the answer its output. It may hang, read nothing,
//! write without end or leave child processes; the caller gets an answer or an error within the time
//! limit. After a timeout or an oversized answer, the program's whole process group is killed.

#[cfg(feature = "llm")]
mod format;
#[cfg(feature = "llm")]
mod http;
pub mod ollama;
#[cfg(any(feature = "llm", feature = "sync"))]
pub(crate) mod requests;

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use pimem_core::safety::secret;

use crate::{
    config::{
        env::Env,
        layers::{Config, SettingOrigin},
        schema,
        settings::{DreamModel, LanguageModel, ObserverModel, Provider, ReflectorModel},
    },
    process::{self, Keep, Kill, RunError},
    store::read::{self, ReadProblem},
};

/// Maximum length of an answer in bytes.
const MAX_ANSWER: usize = 4 << 20;

pimem_core::named! {
    /// The jobs a model can be given; each job has settings of its own.
    pub enum ModelRole {
        Observer = "observer",
        Reflector = "reflector",
        Dream = "dream",
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The system prompt: the model's task, and the rules for its answer.
    pub rules: &'a str,
    /// The text that the question is about.
    pub text: &'a str,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

impl ModelError {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

impl From<ReadProblem> for ModelError {
    fn from(problem: ReadProblem) -> Self {
        Self::new(problem.to_string(), problem.hint())
    }
}

impl Provider {
    /// Returns the default server.
    fn endpoint(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Ollama => "http://localhost:11434/",
            Self::Command => "",
        }
    }

    fn variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Ollama | Self::Command => None,
        }
    }
}

/// A secret, as an API key, with the variable that it comes from. The value is never displayed.
#[derive(Clone)]
#[cfg_attr(
    not(any(feature = "llm", feature = "sync")),
    expect(dead_code, reason = "only servers want it")
)]
pub(crate) struct ApiKey {
    pub(crate) variable: String,
    pub(crate) value: String,
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.variable)
    }
}

/// A configured model.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "llm"), expect(dead_code, reason = "only servers want some of it"))]
pub struct Service {
    role: ModelRole,
    provider: Provider,
    name: String,
    model: String,
    /// Address of the server, or command line.
    place: String,
    key: Option<ApiKey>,
    /// Address of the proxy, which may contain a password.
    #[cfg(feature = "llm")]
    proxy: Option<ApiKey>,
    temperature: f64,
    /// Maximum number of tokens of an answer, if the user has set one.
    most: Option<u32>,
    limit: Duration,
}

impl Service {
    /// Returns the model configured for a role; `None` if there is none.
    pub fn of(config: &Config, env: &Env, role: ModelRole) -> Result<Option<Self>, ModelError> {
        service(config, env, role)
    }

    /// Returns provider and model, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the address of the server, or the command line.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns name and place, for messages.
    pub fn told(&self) -> String {
        match self.provider {
            Provider::Command => format!("{} {}", self.name, self.place),
            _ => format!("{} at {}", self.name, self.place),
        }
    }

    /// Asks the model and waits for the complete answer. Callers have removed secrets and private
    /// text from the question; this is repeated here.
    pub fn ask(&self, question: Question<'_>) -> Result<String, ModelError> {
        // Rules may mention private tags without containing private text, so only secrets are
        // redacted in them.
        let (rules, text) = (secret::redact(question.rules), secret::clean_lines(question.text));
        let question = Question { rules: &rules, text: &text };
        let answer = match self.provider {
            Provider::Command => ask_program(self, question)?,
            #[cfg(feature = "llm")]
            _ => http::ask(self, question)?,
            #[cfg(not(feature = "llm"))]
            _ => String::new(),
        };
        if answer.len() > MAX_ANSWER {
            return Err(self.too_long());
        }
        let answer = after_thinking(&answer).trim();
        if answer.is_empty() {
            let message = format!("{} gave an empty answer", self.name);
            return Err(ModelError::new(message, "try again, or another model"));
        }
        Ok(answer.to_owned())
    }

    fn setting(&self, name: &str) -> String {
        format!("{}.{name}", self.role.name())
    }

    fn too_long(&self) -> ModelError {
        let message = format!("{} gave more than {} MiB", self.name, MAX_ANSWER >> 20);
        ModelError::new(message, "nothing of it is used; try another model")
    }

    fn too_late(&self) -> ModelError {
        let message = format!("{} did not answer within {} s", self.name, self.limit.as_secs());
        ModelError::new(
            message,
            format!("{} sets how long to wait", self.setting("timeoutSeconds")),
        )
    }
}

/// Maximum number of characters of a message.
const SHOWN: usize = 200;

/// Sanitises a message for display: short, on one line, without secrets and without the API key.
pub(crate) fn shown(message: &str, key: Option<&str>) -> String {
    let key = key.filter(|key| !key.is_empty());
    let open = key.map_or_else(|| message.to_owned(), |key| message.replace(key, "[the key]"));
    let clean = secret::clean(&open);
    let mut chars = clean.char_indices().skip(SHOWN);
    match chars.next() {
        Some((end, _)) => format!("{}…", clean.get(..end).unwrap_or_default()),
        None => clean,
    }
}

/// Returns an answer without the thinking that some models write before it.
fn after_thinking(answer: &str) -> &str {
    let rest = answer.trim_start().strip_prefix("<think>");
    rest.and_then(|rest| rest.split_once("</think>")).map_or(answer, |(_, after)| after)
}

/// Bytes that are kept of the end of what it says on standard error.
const COMPLAINT: usize = 4096;

fn ask_program(service: &Service, question: Question<'_>) -> Result<String, ModelError> {
    let named = || format!("{} names it", service.setting("command"));
    let mut command = process::shell(&service.place);
    // An agent that runs as a model must not call pimem's hooks.
    command.env("PIMEM_OFF", "1");
    let prompt = format!("{}\n\n{}\n", question.rules.trim_end(), question.text.trim_end());
    let keep = (Keep::Whole(MAX_ANSWER), Keep::End(COMPLAINT));
    let done = process::run(&mut command, prompt.into_bytes(), keep, service.limit, Kill::Group);
    let done = done.map_err(|error| match error {
        RunError::Start(error) => {
            ModelError::new(format!("{} cannot be run: {error}", service.place), named())
        }
        RunError::Late | RunError::Held => service.too_late(),
        RunError::TooLong => service.too_long(),
    })?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    // It may have ended by itself.
    let complaint = done.stderr.recv_timeout(Duration::from_millis(200)).unwrap_or_default();
    let complaint = String::from_utf8_lossy(&complaint);
    let last = complaint.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let last = last.map_or_else(String::new, |line| format!(": {}", shown(line, None)));
    let status = done.status;
    let message = format!("the {}'s command failed ({status}){last}", service.role.name());
    Err(ModelError::new(message, named()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown() {
        assert_eq!(shown("no\n key \u{1b}[31mabc-123!", Some("abc-123")), "no key [31m[the key]!");
        assert_eq!(shown("an é", Some("")), "an é");
        let long = shown(&"é".repeat(300), None);
        assert_eq!(long.chars().count(), 201);
        assert!(long.ends_with('…'));
        let token = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        assert_eq!(shown(&token, None), "[redacted: a GitHub token]");
    }

    #[test]
    fn thoughts() {
        for (answer, want) in [
            ("<think>\nhm\n</think>\n\nyes", "\n\nyes"),
            (" <think></think>yes", "yes"),
            ("<think>cut off", "<think>cut off"),
            ("yes <think>no</think>", "yes <think>no</think>"),
        ] {
            assert_eq!(after_thinking(answer), want);
        }
    }
}

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
        proxy: requests::proxy(&place, env),
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
    pub enum Prompt {
        Observer = "observer",
        Reflector = "reflector",
        /// As the one before, where that did not save enough.
        ReflectorAggressive = "reflector-aggressive",
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

/// Replaces the file `http.rs` in builds without the feature.
#[cfg(not(feature = "llm"))]
mod http {
    use std::time::Duration;

    use serde_json::Value;

    use super::{ApiKey, ModelError};

    pub(super) enum ModelServer {}

    impl ModelServer {
        /// Always fails.
        pub(super) fn new(_: &str, _: Option<&ApiKey>) -> Result<Self, ModelError> {
            let hint = "build pimem with its default features";
            Err(ModelError::new("this build asks no servers", hint))
        }

        pub(super) fn name(&self) -> String {
            match *self {}
        }

        pub(super) fn post(&self, _: &str, _: &Value, _: Duration) -> Result<Value, ModelError> {
            match *self {}
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod service_tests;

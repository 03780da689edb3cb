//! Language models that the user has configured: a question with rules in, an answer out; and
//! embedding models of Ollama.
//!
//! They are optional, and nothing is sent anywhere unless a provider is set. Every failure is a
//! [`ModelError`], after which the caller continues without a model.

#[cfg(feature = "llm")]
mod format;
#[cfg_attr(not(feature = "llm"), path = "absent.rs")]
mod http;
pub mod ollama;
#[cfg(any(feature = "llm", feature = "sync"))]
pub(crate) mod requests;
pub mod setup;

use std::{fmt, time::Duration};

use clap::ValueEnum;
use pimem_core::safety::secret;

use crate::{
    config::{env::Env, layers::Config, settings::Provider},
    process::{self, Keep, Kill, RunError},
    store::read::ReadProblem,
};

/// Maximum length of an answer in bytes.
const MAX_ANSWER: usize = 4 << 20;

pimem_core::named! {
/// What a model is wanted for; each has settings of its own.
    #[derive(ValueEnum)]
    pub enum ModelRole {
    /// To make observations of a conversation.
        Observer = "observer",
    /// To consolidate observations.
        Reflector = "reflector",
    /// To plan what should become of a store.
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
        setup::service(config, env, role)
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
pub(super) fn after_thinking(answer: &str) -> &str {
    let rest = answer.trim_start().strip_prefix("<think>");
    rest.and_then(|rest| rest.split_once("</think>")).map_or(answer, |(_, after)| after)
}

/// Bytes that are kept of the end of what it says on standard error.
const COMPLAINT: usize = 4096;

pub(super) fn ask_program(service: &Service, question: Question<'_>) -> Result<String, ModelError> {
    let named = || format!("{} names it", service.setting("command"));
    let mut command = process::shell(&service.place);
    // An agent that runs as a model must not call pimem's hooks.
    command.env("PIMEM_DISABLE", "1");
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

#[cfg(test)]
#[path = "tests.rs"]
mod service_tests;

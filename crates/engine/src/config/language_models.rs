//! Settings of language models, which are the same for each role.

use std::{borrow::Cow, time::Duration};

use super::{
    layers::Values,
    schema::{Guard, Key},
    settings::group,
    spec::{Choice, Number, Text, Whole},
};
use pimem_core::named;

named! {
    /// Provider of a language model.
    pub enum Provider {
        /// `OpenAI`, or any server with a compatible API.
        OpenAi = "openai",
        Anthropic = "anthropic",
        Gemini = "gemini",
        Ollama = "ollama",
        /// A program of the user.
        Command = "command",
    }
}

/// Values of the setting `provider`.
const PROVIDERS: &[Option<Provider>] = &[
    None,
    Some(Provider::OpenAi),
    Some(Provider::Anthropic),
    Some(Provider::Gemini),
    Some(Provider::Ollama),
    Some(Provider::Command),
];

/// Their names, in the same order.
const PROVIDER_NAMES: &[&str] = &["none", "openai", "anthropic", "gemini", "ollama", "command"];

/// The settings of the language model of one role.
#[derive(Debug, Clone)]
pub struct LanguageModel {
    /// `None` if no model is used.
    pub provider: Option<Provider>,
    pub model: Cow<'static, str>,
    /// Address of the server; empty for the provider's default.
    pub endpoint: Cow<'static, str>,
    /// Variable that holds the API key; empty for the provider's usual one.
    pub api_key_env: Cow<'static, str>,
    /// Command line to run, for `Provider::Command`.
    pub command: Cow<'static, str>,
    /// Sampling temperature.
    pub temperature: f64,
    /// Maximum number of tokens of an answer.
    pub max_output_tokens: u64,
    /// Maximum wait for an answer.
    pub timeout: Duration,
}

/// Declares the keys of the language model of one role.
macro_rules! language_model {
    ($Keys:ident, $name:literal, $env:literal, $temperature:literal) => {
        #[doc = concat!("The keys of the language model of `", $name, "`.")]
        #[derive(Debug)]
        pub enum $Keys {}

        group! {
            impl $Keys for LanguageModel {
                provider = Choice(PROVIDERS, PROVIDER_NAMES),
                    Reviewed concat!($name, ".provider"), concat!("PIMEM_", $env, "_PROVIDER"),
                    "Who runs the language model; openai stands for every server that speaks its language";
                model = Text("gpt-5-nano"),
                    Reviewed concat!($name, ".model"), concat!("PIMEM_", $env, "_MODEL"),
                    "The language model, by its provider's name for it";
                endpoint = Text(""),
                    Reviewed concat!($name, ".endpoint"), concat!("PIMEM_", $env, "_ENDPOINT"),
                    "Address of the provider's server, as in http://localhost:8080/v1/, instead of its own";
                api_key_env = Text(""),
                    Reviewed concat!($name, ".apiKeyEnv"), concat!("PIMEM_", $env, "_API_KEY_ENV"),
                    "The variable that holds the key, instead of the provider's usual one";
                command = Text(""),
                    Reviewed concat!($name, ".command"), concat!("PIMEM_", $env, "_COMMAND"),
                    "What the provider command runs, by the shell: the prompt is its input, the answer its output";
                temperature = Number($temperature, 0.0..=2.0),
                    Open concat!($name, ".temperature"), concat!("PIMEM_", $env, "_TEMPERATURE"),
                    "How much the model's answers vary";
                max_output_tokens = Whole(100_000, 1..=10_000_000, u64::from),
                    Open concat!($name, ".maxOutputTokens"), concat!("PIMEM_", $env, "_MAX_OUTPUT_TOKENS"),
                    "Tokens that an answer may have";
                timeout = Whole(120, 1..=1800, Duration::from_secs),
                    Open concat!($name, ".timeoutSeconds"), concat!("PIMEM_", $env, "_TIMEOUT_SECONDS"),
                    "How long one answer is waited for";
            }
        }
    };
}

language_model!(ObserverModel, "observer", "OBSERVER", 0.3);
language_model!(ReflectorModel, "reflector", "REFLECTOR", 0.0);
language_model!(DreamModel, "dream", "DREAM", 0.0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_providers() {
        let names = PROVIDERS.iter().map(|provider| provider.map_or("none", Provider::name));
        assert!(names.eq(PROVIDER_NAMES.iter().copied()));
        assert_eq!(PROVIDERS.len(), Provider::ALL.len() + 1);
    }
}

//! The settings of language models: the same for each of their uses, and some of its own.

use super::schema::{Guard, Key, Kind, key};

/// The providers of language models.
const PROVIDERS: &[&str] = &["none", "openai", "anthropic", "gemini", "ollama", "command"];

/// The settings of one use of a language model, with those of its own behind them.
macro_rules! service {
    ($name:literal, $env:literal, $temperature:literal, $($own:expr),*) => {
        &[
            Key {
                guard: Guard::Reviewed,
                ..key(
                    concat!($name, ".provider"),
                    concat!("PIMEM_", $env, "_PROVIDER"),
                    Kind::Choice(PROVIDERS),
                    "Who runs the language model; openai stands for every server that speaks its language",
                )
            },
            Key {
                guard: Guard::Reviewed,
                ..key(
                    concat!($name, ".model"),
                    concat!("PIMEM_", $env, "_MODEL"),
                    Kind::Text("gpt-5-nano"),
                    "The language model, by its provider's name for it",
                )
            },
            Key {
                guard: Guard::Reviewed,
                ..key(
                    concat!($name, ".endpoint"),
                    concat!("PIMEM_", $env, "_ENDPOINT"),
                    Kind::Text(""),
                    "Address of the provider's server, as in http://localhost:8080/v1/, instead of its own",
                )
            },
            Key {
                guard: Guard::Reviewed,
                ..key(
                    concat!($name, ".apiKeyEnv"),
                    concat!("PIMEM_", $env, "_API_KEY_ENV"),
                    Kind::Text(""),
                    "The variable that holds the key, instead of the provider's usual one",
                )
            },
            Key {
                guard: Guard::Reviewed,
                ..key(
                    concat!($name, ".command"),
                    concat!("PIMEM_", $env, "_COMMAND"),
                    Kind::Text(""),
                    "What the provider command runs, by the shell: the prompt is its input, the answer its output",
                )
            },
            key(
                concat!($name, ".temperature"),
                concat!("PIMEM_", $env, "_TEMPERATURE"),
                Kind::Number { default: $temperature, least: 0.0, most: 2.0 },
                "How much the model's answers vary",
            ),
            key(
                concat!($name, ".maxOutputTokens"),
                concat!("PIMEM_", $env, "_MAX_OUTPUT_TOKENS"),
                Kind::Whole { default: 100_000, least: 1, most: 10_000_000 },
                "Tokens that an answer may have",
            ),
            key(
                concat!($name, ".timeoutSeconds"),
                concat!("PIMEM_", $env, "_TIMEOUT_SECONDS"),
                Kind::Whole { default: 120, least: 1, most: 1800 },
                "How long one answer is waited for",
            ),
            $($own),*
        ]
    };
}

/// Making observations.
pub(super) const OBSERVER: &[Key] = service!(
    "observer",
    "OBSERVER",
    0.3,
    key(
        "observer.messageTokenThreshold",
        "PIMEM_OBSERVER_MESSAGE_TOKEN_THRESHOLD",
        Kind::Whole { default: 30_000, least: 0, most: 10_000_000 },
        "Tokens of a session from which pimem observe --if-due makes observations of it",
    ),
    Key {
        guard: Guard::Reviewed,
        ..key(
            "observer.compaction",
            "PIMEM_OBSERVER_COMPACTION",
            Kind::Choice(&["context", "summary", "off"]),
            "Observations when a context is compacted: beside the agent's summary, in its place (pi), or not at all",
        )
    }
);

/// Consolidating them.
pub(super) const REFLECTOR: &[Key] = service!(
    "reflector",
    "REFLECTOR",
    0.0,
    key(
        "reflector.observationTokenThreshold",
        "PIMEM_REFLECTOR_OBSERVATION_TOKEN_THRESHOLD",
        Kind::Whole { default: 40_000, least: 0, most: 10_000_000 },
        "Tokens of observations from which they are reflected upon",
    )
);

/// Dreaming.
pub(super) const DREAM: &[Key] = service!(
    "dream",
    "DREAM",
    0.0,
    key(
        "dream.enabled",
        "PIMEM_DREAM_ENABLED",
        Kind::Bool(false),
        "Dream by itself when a session ends",
    ),
    key(
        "dream.intervalHours",
        "PIMEM_DREAM_INTERVAL_HOURS",
        Kind::Number { default: 3.0, least: 0.5, most: 24.0 },
        "Hours between two dreams",
    ),
    Key {
        guard: Guard::Reviewed,
        ..key(
            "dream.llm",
            "PIMEM_DREAM_LLM",
            Kind::Bool(false),
            "Ask the language model too when a session ends",
        )
    },
    Key {
        guard: Guard::Reviewed,
        ..key(
            "dream.applyModel",
            "PIMEM_DREAM_APPLY_MODEL",
            Kind::Bool(false),
            "Apply what the language model proposes without anybody having seen it",
        )
    }
);

//! All settings. Each row defines the field that the program reads, and the key by which files and
//! variables set it.

use std::{borrow::Cow, time::Duration};

use serde_json::{Map, Value};

use super::{
    layers::Values,
    schema::{
        Budget, CategoryTable, Choice, Guard, Number, SettingKey, SettingReach, Switch, TextRule,
        WholeNumber, count, minutes, tokens,
    },
};
use pimem_core::{
    model::category::Preset,
    named,
    report::{budget::Tokens, render::GroundTruth},
    review::AgentReview,
};

named! {
    /// What becomes of a tool's call that an entry forbids.
    #[derive(Default)]
    pub enum GuardMode {
        #[default]
        Deny = "deny",
        Off = "off",
    }
}

named! {
    /// When events of hooks are moved into the shared log.
    #[derive(Default)]
    pub enum HookEvidence {
        /// With the next typed command.
        #[default]
        Typed = "typed",
        /// At once.
        Always = "always",
    }
}

named! {
    /// What becomes of a line for which a topic file has no room.
    #[derive(Default)]
    pub enum TopicLimit {
        /// The topic goes on in another file.
        #[default]
        Continue = "continue",
        /// What is typed, or asked for by a client, is refused.
        Refuse = "refuse",
    }
}

named! {
    /// Which days count for the ageing of entries.
    #[derive(Default)]
    pub enum AgingClock {
        /// Every day.
        #[default]
        Calendar = "calendar",
        /// Days on which the store was used.
        Active = "active",
    }
}

named! {
    /// The policy by which entries are scored.
    #[derive(Default)]
    pub enum PolicyName {
        #[default]
        Stability = "stability",
        Weighted = "weighted",
        Ebbinghaus = "ebbinghaus",
    }
}

impl PolicyName {
    /// Returns the categories that a policy has been made for.
    pub(super) fn preset(self) -> Preset {
        match self {
            Self::Stability => Preset::Pi,
            Self::Weighted => Preset::Aide,
            Self::Ebbinghaus => Preset::Sovereign,
        }
    }
}

/// Values of the setting `categories.preset`; none for that of the policy.
const PRESETS: &[Option<Preset>] =
    &[None, Some(Preset::Pi), Some(Preset::Aide), Some(Preset::Sovereign), Some(Preset::All)];

/// Their names, in the same order.
const PRESET_NAMES: &[&str] = &["policy", "pi", "aide", "sovereign", "all"];

named! {
    /// Where observations go when an agent compacts its context.
    #[derive(Default)]
    pub enum Compaction {
        /// Beside the agent's summary.
        #[default]
        Context = "context",
        /// In place of the agent's summary.
        Summary = "summary",
        /// Nowhere.
        Off = "off",
    }
}

/// Declares groups of settings: a struct, and a key for each of its fields.
macro_rules! group {
    ($(#[$doc:meta])* pub struct $Group:ident {
        $($field:ident: $Type:ty = $spec:expr, $guard:ident $(@ $rare:ident)? $name:expr, $env:expr, $about:expr;)+
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $Group { $(#[doc = $about] pub $field: $Type,)+ }

        group! { impl $Group for $Group { $($field = $spec, $guard $(@ $rare)? $name, $env, $about;)+ } }
    };
    (@) => { SettingReach::Everyday };
    (@ advanced) => { SettingReach::Advanced };
    // Only the keys, for a struct that several groups share.
    (impl $Keys:ident for $Group:ident {
        $($field:ident = $spec:expr, $guard:ident $(@ $rare:ident)? $name:expr, $env:expr, $about:expr;)+
    }) => {
        #[expect(non_upper_case_globals, reason = "a key is called as the field is")]
        impl $Keys {
            $(
                #[doc = concat!("The key `", $name, "`.")]
                pub const $field: SettingKey = SettingKey {
                    name: $name, env: $env, kind: $spec.kind(), guard: Guard::$guard,
                    reach: group!(@ $($rare)?), doc: $about,
                };
            )+
            pub(super) const KEYS: &'static [SettingKey] = &[$(Self::$field),+];

            pub(super) fn read(values: &Values) -> $Group {
                $Group { $($field: $spec.read(values.get($name)),)+ }
            }
        }
    };
}

/// Declares all settings; `in` names the type that has the keys of a group.
macro_rules! settings {
    ($($group:ident: $Group:ident in $Keys:ident;)+) => {
        /// All settings, as the program reads them.
        #[derive(Debug, Clone)]
        pub struct Settings {
            $(
                #[doc = concat!("The group `", stringify!($group), "`.")]
                pub $group: $Group,
            )+
        }

        impl Settings {
            /// Returns the settings in `values`, with defaults for the others.
            pub(super) fn read(values: &Values) -> Self {
                Self { $($group: $Keys::read(values),)+ }
            }
        }

        /// Iterates over all settings, in the order of `config show`.
        pub fn keys() -> impl Iterator<Item = &'static SettingKey> {
            [$($Keys::KEYS),+].into_iter().flatten()
        }
    };
}

settings! {
    report: ReportSettings in ReportSettings;
    recall: Recall in Recall;
    scoring: Scoring in Scoring;
    embedding: Embedding in Embedding;
    hook: HookSettings in HookSettings;
    agents: Agents in Agents;
    guards: GuardSettings in GuardSettings;
    work_trees: WorkTreeSettings in WorkTreeSettings;
    telemetry: Telemetry in Telemetry;
    memory: MemoryBlock in MemoryBlock;
    lock: Lock in Lock;
    encryption: EncryptionSettings in EncryptionSettings;
    sync: SyncSettings in SyncSettings;
    llm: LanguageModel in SharedModel;
    observer_model: LanguageModel in ObserverModel;
    observer: Observer in Observer;
    reflector_model: LanguageModel in ReflectorModel;
    reflector: Reflector in Reflector;
    dream_model: LanguageModel in DreamModel;
    dream: DreamSettings in DreamSettings;
    learning: Learning in Learning;
}

group! {
    pub struct ReportSettings {
        budget: Tokens = Budget(1700, 0..=1_000_000),
            Open "report.budget", "PIMEM_REPORT_BUDGET",
            "Tokens that the report may take, or none for no limit";
        team: Tokens = WholeNumber(300, 0..=1_000_000, tokens),
            Open "report.team", "PIMEM_REPORT_TEAM",
            "Tokens that a report may take for lines of the team, beside report.budget; 0 for none";
        context: Tokens = WholeNumber(8000, 0..=10_000_000, tokens),
            Open "report.context", "PIMEM_REPORT_CONTEXT",
            "Tokens that the system prompt and the report may take together";
        ground_truth: GroundTruth = Choice(&GroundTruth::ALL, GroundTruth::NAMES),
            Open "report.groundTruth", "PIMEM_REPORT_GROUND_TRUTH",
            "What stands above the entries: factual says where they come from, seed has the wording, header and warning of the first version, off is nothing";
        topic_limit: TopicLimit = Choice(&TopicLimit::ALL, TopicLimit::NAMES),
            Open @advanced "report.topicLimit", "PIMEM_REPORT_TOPIC_LIMIT",
            "What becomes of a line for which a topic has no room in its 12,000 characters: it goes on in another file, or is refused";
        remove_command: Cow<'static, str> = TextRule("memory_remove"),
            Own @advanced "report.removeCommand", "PIMEM_REPORT_REMOVE_COMMAND",
            "What to remove entries with, as the warning says that memory is nearly full";
        fill: bool = Switch(true),
            Open "report.fill", "PIMEM_REPORT_FILL",
            "Fill what the sections leave of the budget with the other entries, by their lasting value";
        search_command: Cow<'static, str> = TextRule("pimem search"),
            Own @advanced "report.searchCommand", "PIMEM_REPORT_SEARCH_COMMAND",
            "What the report's last line tells the agent to find the rest with";
    }
}

group! {
    /// Recall for a prompt.
    pub struct Recall {
        min_score: f64 = Number(0.4, 0.0..=1.0),
            Open "recall.minScore", "PIMEM_RECALL_MIN_SCORE",
            "Score from which a memory is recalled for a prompt";
        limit: usize = WholeNumber(5, 0..=100, count),
            Open "recall.limit", "PIMEM_RECALL_LIMIT",
            "How many memories are recalled for a prompt";
        enabled: bool = Switch(true),
            Open "recall.enabled", "PIMEM_RECALL_ENABLED",
            "Recall memories, notes and past sessions for prompts";
        learn: bool = Switch(true),
            Open "recall.learn", "PIMEM_RECALL_LEARN",
            "Learn from prompts, on this machine, what memories are asked for as";
    }
}

group! {
    /// Scoring of entries.
    pub struct Scoring {
        fresh: bool = Switch(true),
            Open "scoring.fresh", "PIMEM_SCORING_FRESH",
            "Show new entries until their half-life has passed";
        evidence: HookEvidence = Choice(&HookEvidence::ALL, HookEvidence::NAMES),
            Open @advanced "evidence.shared", "PIMEM_EVIDENCE_SHARED",
            "When what hooks note becomes part of evidence.jsonl: with the next command that is typed, or always at once";
        clock: AgingClock = Choice(&AgingClock::ALL, AgingClock::NAMES),
            Open "scoring.clock", "PIMEM_SCORING_CLOCK",
            "What makes memories age: every day, or only days on which the store was used";
        policy: PolicyName = Choice(&PolicyName::ALL, PolicyName::NAMES),
            Open "scoring.policy", "PIMEM_SCORING_POLICY",
            "How memories are scored: by cue, decay and evidence, by weighted parts, or by an importance that fades";
        categories: Map<String, Value> = CategoryTable,
            Open "categories", "PIMEM_CATEGORIES",
            "Further categories: name → topic, tauDays, maxActive, section, sectionTokens, windowDays, fill";
        preset: Option<Preset> = Choice(PRESETS, PRESET_NAMES),
            Open "categories.preset", "PIMEM_CATEGORIES_PRESET",
            "Which categories there are: those of the policy, or those of another one, or all";
    }
}

group! {
    /// Settings by the names of another program.
    pub struct MemoryBlock {
        enabled: bool = Switch(true),
            Open "memory.enabled", "PIMEM_MEMORY_ENABLED",
            "Have hooks give memories to agents, and learn from what is said";
        merge_threshold: f64 = Number(0.9, 0.0..=1.0),
            Open @advanced "memory.merge_threshold", "PIMEM_MEMORY_MERGE_THRESHOLD",
            "Similarity from which a memory may repeat another (under the policy ebbinghaus: 0.85); numbers, names and negations still keep them apart";
        min_importance: f64 = Number(0.1, 0.0..=1.0),
            Open @advanced "memory.min_importance", "PIMEM_MEMORY_MIN_IMPORTANCE",
            "Importance below which a memory is dropped, under the policy ebbinghaus";
        decay_factor: f64 = Number(0.95, 0.01..=1.0),
            Open @advanced "memory.decay_factor", "PIMEM_MEMORY_DECAY_FACTOR",
            "Share of an importance that is left after a day, under the policy ebbinghaus";
    }
}

/// Embedding model if none is chosen.
pub const DEFAULT_MODEL: &str = if cfg!(feature = "minilm") { "minilm" } else { "static" };

group! {
    /// Semantic search.
    pub struct Embedding {
        model: Cow<'static, str> = TextRule(DEFAULT_MODEL),
            Own "embedding.model", "PIMEM_EMBEDDING_MODEL",
            "Model of semantic search, beside the built-in table: minilm (built in), static (the table alone), none, one that is installed, or ollama/NAME";
        endpoint: Cow<'static, str> = TextRule(""),
            Own @advanced "embedding.endpoint", "PIMEM_EMBEDDING_ENDPOINT",
            "Address of Ollama for its embedding models, instead of its usual one";
        runtime: Cow<'static, str> = TextRule(""),
            Own @advanced "embedding.runtime", "PIMEM_EMBEDDING_RUNTIME",
            "Path of the ONNX Runtime library, instead of an installed one";
        deadline: Duration = WholeNumber(3000, 0..=600_000, Duration::from_millis),
            Own "embedding.deadlineMs", "PIMEM_EMBEDDING_DEADLINE_MS",
            "How long a search waits for a model, in milliseconds";
        background: bool = Switch(true),
            Own "embedding.background", "PIMEM_EMBEDDING_BACKGROUND",
            "Have a process in the background embed what the built-in model has not embedded yet; never under CI";
    }
}

group! {
    pub struct HookSettings {
        deadline: Duration = WholeNumber(200, 1..=60_000, Duration::from_millis),
            Own "hook.deadlineMs", "PIMEM_HOOK_DEADLINE_MS",
            "How long a hook may take, waiting for locks and disks included, in milliseconds";
        rebuild_after: Duration = WholeNumber(30, 0..=1_000_000, minutes),
            Own @advanced "hook.rebuildMinutes", "PIMEM_HOOK_REBUILD_MINUTES",
            "Age of the last rebuild, in minutes, from which a starting session has another made; 0 for never";
        working_chars: usize = WholeNumber(4000, 0..=100_000, count),
            Open "hook.workingChars", "PIMEM_HOOK_WORKING_CHARS",
            "Characters of open items, handoff, log and notes that a starting session is given";
    }
}

group! {
    pub struct Agents {
        review: AgentReview = Choice(&AgentReview::ALL, AgentReview::NAMES),
            Own "agents.review", "PIMEM_AGENTS_REVIEW",
            "Which texts that agents add await your review: those worded as orders to an agent, all (always), or none (never)";
    }
}

group! {
    pub struct GuardSettings {
        mode: GuardMode = Choice(&GuardMode::ALL, GuardMode::NAMES),
            Own "guards.mode", "PIMEM_GUARDS_MODE",
            "What becomes of a tool's call that a memory forbids: it does not run (deny), or it does (off)";
    }
}

group! {
    pub struct WorkTreeSettings {
        shared: bool = Switch(true),
            Open "worktrees.shared", "PIMEM_WORKTREES_SHARED",
            "Show what other work trees and branches of the repository have learned before it is merged";
    }
}

group! {
    pub struct Telemetry {
        enabled: bool = Switch(true),
            Own "telemetry.enabled", "PIMEM_TELEMETRY_ENABLED",
            "Note on this machine what is put into prompts and used, for pimem telemetry";
    }
}

group! {
    pub struct Lock {
        timeout: Duration = WholeNumber(5000, 0..=3_600_000, Duration::from_millis),
            Own @advanced "lock.timeoutMs", "PIMEM_LOCK_TIMEOUT_MS",
            "How long a writer waits for the store's lock, in milliseconds";
    }
}

group! {
    /// Sealed stores.
    pub struct EncryptionSettings {
        key_path: Cow<'static, str> = TextRule(""),
            Own "encryption.keyPath", "PIMEM_ENCRYPTION_KEY_PATH",
            "Path of the key file of sealed stores, instead of one for each store below ~/.config/pimem/keys";
    }
}

group! {
    /// Exchange with other stores.
    pub struct SyncSettings {
        server: Cow<'static, str> = TextRule(""),
            Own "sync.server", "PIMEM_SYNC_SERVER",
            "Address of the server that pimem sync exchanges with";
        project: Cow<'static, str> = TextRule(""),
            Reviewed "sync.project", "PIMEM_SYNC_PROJECT",
            "Short name of the project that the store belongs to, instead of its directory's: a-z, 0-9 and -";
        projects: Cow<'static, str> = TextRule(""),
            Own "sync.projects", "PIMEM_SYNC_PROJECTS",
            "Short names of other projects whose memories are mirrored here, separated by commas";
        insecure: bool = Switch(false),
            Own "sync.insecure", "PIMEM_SYNC_INSECURE",
            "Send the key and memories unencrypted to another machine";
    }
}

group! {
    /// Observations, besides their language model.
    pub struct Observer {
        message_tokens: Tokens = WholeNumber(30_000, 0..=10_000_000, tokens),
            Open @advanced "observer.messageTokenThreshold", "PIMEM_OBSERVER_MESSAGE_TOKEN_THRESHOLD",
            "Tokens of a session from which pimem dream observe --if-due makes observations of it";
        compaction: Compaction = Choice(&Compaction::ALL, Compaction::NAMES),
            Reviewed "observer.compaction", "PIMEM_OBSERVER_COMPACTION",
            "Observations when a context is compacted: beside the agent's summary, in its place (pi), or not at all";
    }
}

group! {
    /// Consolidation of observations, besides its language model.
    pub struct Reflector {
        observation_tokens: Tokens = WholeNumber(40_000, 0..=10_000_000, tokens),
            Open @advanced "reflector.observationTokenThreshold", "PIMEM_REFLECTOR_OBSERVATION_TOKEN_THRESHOLD",
            "Tokens of observations from which they are reflected upon";
    }
}

group! {
    /// Dreams, besides their language model.
    pub struct DreamSettings {
        enabled: bool = Switch(false),
            Open "dream.enabled", "PIMEM_DREAM_ENABLED",
            "Dream by itself when a session ends";
        interval_hours: f64 = Number(3.0, 0.5..=24.0),
            Open "dream.intervalHours", "PIMEM_DREAM_INTERVAL_HOURS",
            "Hours between two dreams";
        llm: bool = Switch(false),
            Reviewed "dream.llm", "PIMEM_DREAM_LLM",
            "Ask the language model too when a session ends";
        apply_model: bool = Switch(false),
            Reviewed "dream.applyModel", "PIMEM_DREAM_APPLY_MODEL",
            "Apply what the language model proposes without anybody having seen it";
    }
}

group! {
    /// Learning from questions and answers.
    pub struct Learning {
        enabled: bool = Switch(false),
            Reviewed "learning.enabled", "PIMEM_LEARNING_ENABLED",
            "Learn from each question and its answer when the agent has answered";
    }
}

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

/// Declares the keys of the language model of one role, or of all of them.
macro_rules! language_model {
    ($Keys:ident, $name:literal, $env:literal, $temperature:literal $(, $rare:ident)?) => {
        #[doc = concat!("The keys of the language model of `", $name, "`.")]
        #[derive(Debug)]
        pub enum $Keys {}

        group! {
            impl $Keys for LanguageModel {
                provider = Choice(PROVIDERS, PROVIDER_NAMES),
                    Reviewed $(@ $rare)? concat!($name, ".provider"), concat!("PIMEM_", $env, "_PROVIDER"),
                    "Who runs the language model; openai stands for every server that speaks its language";
                model = TextRule("gpt-5-nano"),
                    Reviewed $(@ $rare)? concat!($name, ".model"), concat!("PIMEM_", $env, "_MODEL"),
                    "The language model, by its provider's name for it";
                endpoint = TextRule(""),
                    Reviewed $(@ $rare)? concat!($name, ".endpoint"), concat!("PIMEM_", $env, "_ENDPOINT"),
                    "Address of the provider's server, as in http://localhost:8080/v1/, instead of its own";
                api_key_env = TextRule(""),
                    Reviewed $(@ $rare)? concat!($name, ".apiKeyEnv"), concat!("PIMEM_", $env, "_API_KEY_ENV"),
                    "The variable that holds the key, instead of the provider's usual one";
                command = TextRule(""),
                    Reviewed $(@ $rare)? concat!($name, ".command"), concat!("PIMEM_", $env, "_COMMAND"),
                    "What the provider command runs, by the shell: the prompt is its input, the answer its output";
                temperature = Number($temperature, 0.0..=2.0),
                    Open @advanced concat!($name, ".temperature"), concat!("PIMEM_", $env, "_TEMPERATURE"),
                    "How much the model's answers vary";
                max_output_tokens = WholeNumber(100_000, 1..=10_000_000, u64::from),
                    Open @advanced concat!($name, ".maxOutputTokens"), concat!("PIMEM_", $env, "_MAX_OUTPUT_TOKENS"),
                    "Tokens that an answer may have";
                timeout = WholeNumber(120, 1..=1800, Duration::from_secs),
                    Open $(@ $rare)? concat!($name, ".timeoutSeconds"), concat!("PIMEM_", $env, "_TIMEOUT_SECONDS"),
                    "How long one answer is waited for";
            }
        }
    };
}

language_model!(SharedModel, "llm", "LLM", 0.0);
language_model!(ObserverModel, "observer", "OBSERVER", 0.3, advanced);
language_model!(ReflectorModel, "reflector", "REFLECTOR", 0.0, advanced);
language_model!(DreamModel, "dream", "DREAM", 0.0, advanced);

/// Returns the setting of all language models that stands for one of a role that is not set.
pub(super) fn shared(name: &str) -> Option<&'static str> {
    let (role, rest) = name.split_once('.')?;
    if !["observer", "reflector", "dream"].contains(&role) {
        return None;
    }
    let named = |key: &&SettingKey| key.name.strip_prefix("llm.") == Some(rest);
    SharedModel::KEYS.iter().find(named).map(|key| key.name)
}

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

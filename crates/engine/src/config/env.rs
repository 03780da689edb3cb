//! The process environment: all variables that pimem uses, read once.
#![expect(clippy::disallowed_methods, reason = "the one way in to the environment")]

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::PathBuf,
};

use pimem_core::model::names;

/// Variables that are not settings. For the variables of settings see [`super::settings::keys`].
pub const VARIABLES: &[(&str, &str)] = &[
    ("PIMEM_DIR", "Store directory (the one that holds topics/), as --dir"),
    ("PIMEM_USER_DIR", "User store, instead of ~/.pi/agent/memory"),
    ("PIMEM_CEILING_DIRS", "Directories, separated by colons, above which no store is looked for"),
    ("PIMEM_NOW", "The time, as --now"),
    ("PIMEM_AGENT", "Who is noted as the author of an event (default: user)"),
    ("PIMEM_SESSION", "The session that is noted with an event"),
    (
        "PIMEM_UNASKED",
        "1 says that nobody has typed the command, so that its events stay on this machine as those of hooks do",
    ),
    (
        "PIMEM_SCORING_DISABLED",
        "1 has the policy weighted list entries in the order in which they were added",
    ),
    ("PIMEM_DECAY_DISABLED", "1 has the policy weighted take every entry for new"),
    ("AIDE_MEMORY_SCORING_DISABLED", "As PIMEM_SCORING_DISABLED"),
    ("AIDE_MEMORY_DECAY_DISABLED", "As PIMEM_DECAY_DISABLED"),
    ("PIMEM_OFF", "1 has hooks do nothing"),
    ("PIMEM_DEBUG", "1 has hooks say on standard error what went wrong"),
    ("PIMEM_NO_SEARCH", "1 leaves what fits the prompt out of the working report"),
    (
        "PIMEM_DREAM_LIMIT_SECONDS",
        "How long a dream in the background may take, instead of 1800 seconds",
    ),
    ("CI", "Not empty: nothing is embedded in the background"),
    ("PIMEM_SYNC", "0 leaves out fsync; for tests only"),
    (
        "PI_MEMORY",
        "1 gives pi observations in place of its summary, as `observer.compaction` summary",
    ),
    ("PI_DREAM_INTERVAL_HOURS", "As PIMEM_DREAM_INTERVAL_HOURS, where that is not set"),
    ("ORT_DYLIB_PATH", "The ONNX Runtime library, when `embedding.runtime` is not set"),
    ("HF_ENDPOINT", "Where models are downloaded from (default: https://huggingface.co)"),
    ("HTTPS_PROXY", "Proxy for downloads and language models over https"),
    ("NO_PROXY", "Hosts to which language models are asked without a proxy"),
    ("OPENAI_API_KEY", "Key for the provider openai, where `apiKeyEnv` names no other variable"),
    ("ANTHROPIC_API_KEY", "Key for the provider anthropic, likewise"),
    ("GEMINI_API_KEY", "Key for the provider gemini, likewise"),
    (
        "PIMEM_SYNC_KEY",
        "Key for the server of `pimem sync`, instead of pimem/sync.key below ~/.config",
    ),
    (
        "PIMEM_SYNC_SEAL_KEY",
        "Keys that seal what is sent to a server, instead of pimem/sync.seal below ~/.config",
    ),
    ("PATH", "Where `pimem hooks` looks for pimem, as agents do"),
    ("CLAUDE_CONFIG_DIR", "Claude Code's settings, instead of ~/.claude"),
    ("CODEX_HOME", "Codex's settings, instead of ~/.codex"),
    (
        "XDG_CONFIG_HOME",
        "OpenCode's settings are in opencode there, and keys of sealed stores in pimem/keys, instead of ~/.config",
    ),
    ("PI_CODING_AGENT_DIR", "pi's settings, instead of ~/.pi/agent"),
    ("NO_COLOR", "Not empty: no colour"),
    ("CLICOLOR_FORCE", "Not empty and not 0: colour even in a pipe"),
    ("TERM", "dumb: no colour"),
    ("COLUMNS", "Width of tables"),
    ("VISUAL", "Editor for `pimem edit`"),
    ("EDITOR", "Editor for `pimem edit`, when VISUAL is not set"),
];

/// Letters by which the name of a variable may differ from another and be taken for it.
const MISSPELT: usize = 2;

/// The process environment at start.
#[derive(Debug, Clone, Default)]
pub struct Env {
    values: BTreeMap<&'static str, OsString>,
    pub home: Option<PathBuf>,
    pub cache: Option<PathBuf>,
    /// The user's state directory, for machine-local data that is neither derived nor part of a
    /// store.
    pub state: Option<PathBuf>,
}

/// Returns a path with the separators of the system, of which Windows takes two.
pub fn native(path: PathBuf) -> PathBuf {
    if cfg!(windows) { path.components().collect() } else { path }
}

/// Variable of the home directory that programs on this system believe before all else.
const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// Returns the directory that a variable names, on every system, or the system's own.
fn named(variable: &str, of_system: impl FnOnce() -> Option<PathBuf>) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    named.filter(|dir| dir.is_absolute()).or_else(of_system).map(native)
}

impl Env {
    /// Reads the variables of [`VARIABLES`] and of the settings. An empty variable counts as unset.
    pub fn of_process() -> Self {
        let settings = super::settings::keys().map(|key| key.env);
        let names = VARIABLES.iter().map(|(name, _)| *name).chain(settings);
        let read = |name| Some((name, std::env::var_os(name).filter(|value| !value.is_empty())?));
        Self {
            values: names.filter_map(read).collect(),
            home: named(HOME, dirs::home_dir),
            cache: named("XDG_CACHE_HOME", dirs::cache_dir),
            // Systems without a state directory, such as macOS, use the data directory.
            state: named("XDG_STATE_HOME", || dirs::state_dir().or_else(dirs::data_local_dir)),
        }
    }

    /// Returns variables of the process that are spelled almost as one of pimem, with its name.
    pub fn misspelt() -> Vec<(String, &'static str)> {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let ours: Vec<String> = names.filter(|name| name.starts_with("PIMEM_")).collect();
        let known = || {
            let settings = super::settings::keys().map(|key| key.env);
            VARIABLES.iter().map(|(name, _)| *name).chain(settings)
        };
        let near = |name: String| {
            if known().any(|known| known == name) {
                return None;
            }
            let meant = names::closest(&name, known())?;
            (names::distance(&name, meant) <= MISSPELT).then_some((name, meant))
        };
        ours.into_iter().filter_map(near).collect()
    }

    pub fn program() -> std::io::Result<PathBuf> {
        std::env::current_exe()
    }

    /// Returns the user's configuration directory. Looked up when it is needed, because few
    /// commands need it.
    pub fn config_dir() -> Option<PathBuf> {
        named("XDG_CONFIG_HOME", dirs::config_dir)
    }

    /// Returns the user's data directory, likewise.
    pub fn data_dir() -> Option<PathBuf> {
        named("XDG_DATA_HOME", dirs::data_dir)
    }

    /// Returns a variable that one command needs, read when it is asked for.
    pub fn seldom(name: &str) -> Option<OsString> {
        std::env::var_os(name).filter(|value| !value.is_empty())
    }

    /// Sets a variable for what is opened with this environment; `None` unsets it.
    pub fn put(&mut self, name: &'static str, value: Option<OsString>) {
        match value {
            Some(value) => drop(self.values.insert(name, value)),
            None => drop(self.values.remove(name)),
        }
    }

    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.values.get(name).map(OsString::as_os_str)
    }

    /// Returns true if one of the variables is 1.
    pub fn is_on(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.text(name) == Some("1"))
    }

    /// Returns an API key from a variable that a setting names, which may be any variable.
    pub fn key(&self, name: &str) -> Option<String> {
        let other = || std::env::var(name).ok().filter(|value| !value.is_empty());
        self.text(name).map(str::to_owned).or_else(other)
    }

    /// Returns a variable's value, if it is UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(OsStr::to_str)
    }
}

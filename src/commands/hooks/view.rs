//! `pimem hooks`.

use serde::Serialize;

use pimem_engine::view::Document;

/// Settings of agents that were edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditedSettings {
    /// `install` or `uninstall`.
    pub(crate) action: &'static str,
    /// Whether nothing was changed.
    pub(crate) dry_run: bool,
    /// The files, those of an agent together.
    pub(crate) files: Vec<EditedFile>,
}

/// A file of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct EditedFile {
    /// The agent's name.
    pub(crate) agent: &'static str,
    /// Path of the file.
    pub(crate) path: String,
    /// `unchanged`, `installed`, `removed` or `deleted`.
    pub(crate) change: &'static str,
    /// What the user has to do in the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<&'static str>,
    /// The change as people read it.
    #[serde(skip)]
    pub(crate) lines: Vec<String>,
}

/// What agents have of pimem in their settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct HooksStatus {
    /// `status`.
    pub(crate) action: &'static str,
    /// The program that they find in the PATH; null when there is none.
    pub(crate) program: Option<String>,
    /// Their files.
    pub(crate) files: Vec<FileStatus>,
}

/// What a file of an agent has of pimem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileStatus {
    /// The agent's name.
    pub(crate) agent: &'static str,
    /// Path of the file.
    pub(crate) path: String,
    /// The same as people write it.
    #[serde(skip)]
    pub(crate) place: String,
    /// `installed`, `plugin` where the agent's plugin brings the hooks, `twice` where both do, or what is amiss.
    pub(crate) state: &'static str,
    /// Hooks that are there.
    pub(crate) hooks: usize,
    /// Hooks that there could be.
    pub(crate) of: usize,
    /// Whether the agent seems to be used here.
    pub(crate) agent_present: bool,
    /// When the agent was last noted to call pimem by this file or plugin, once a day at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) called: Option<String>,
    /// Hooks that the agent does not run before the user has trusted them in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) untrusted: Option<usize>,
    /// Why the file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
    /// What to do about that.
    #[serde(skip)]
    pub(crate) hints: Vec<String>,
}

/// What an agent's settings would hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Printed {
    /// `print`.
    pub(crate) action: &'static str,
    /// For one agent, or for any.
    #[serde(flatten)]
    pub(crate) content: PrintedContent,
}

/// What settings would hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum PrintedContent {
    /// The commands to call.
    Commands {
        /// One an event.
        commands: Vec<String>,
    },
    /// The files of an agent.
    Files {
        /// The agent's name.
        agent: &'static str,
        /// Its files.
        files: Vec<PrintedFile>,
    },
}

/// A file that would be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct PrintedFile {
    /// Its path.
    pub(crate) path: String,
    /// The same as people write it.
    #[serde(skip)]
    pub(crate) place: String,
    /// What it would hold.
    pub(crate) content: String,
}

/// Installed commands that were run as agents do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Tested {
    /// `test`.
    pub(crate) action: &'static str,
    /// Commands that failed.
    pub(crate) failed: usize,
    /// The commands.
    pub(crate) hooks: Vec<TestedHook>,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct TestedHook {
    /// The agent's name.
    pub(crate) agent: &'static str,
    /// The event, as the agent calls it.
    pub(crate) event: String,
    /// The command.
    pub(crate) command: String,
    /// Whether it did what it should.
    pub(crate) ok: bool,
    /// Whether it gave what is remembered.
    pub(crate) recalled: bool,
    /// What is wrong; null when nothing is.
    pub(crate) problem: Option<String>,
}

impl Document for EditedSettings {
    fn schema(&self) -> &'static str {
        "pimem.hooks/1"
    }
}

impl Document for HooksStatus {
    fn schema(&self) -> &'static str {
        "pimem.hooks/1"
    }
}

impl Document for Printed {
    fn schema(&self) -> &'static str {
        "pimem.hooks/1"
    }
}

impl Document for Tested {
    fn schema(&self) -> &'static str {
        "pimem.hooks/1"
    }
}

//! `pimem hooks`.

use serde::Serialize;

/// Settings of agents that were edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Edited {
    /// `install` or `uninstall`.
    pub action: &'static str,
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// The files, those of an agent together.
    pub files: Vec<EditedFile>,
}

/// A file of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditedFile {
    /// The agent's name.
    pub agent: &'static str,
    /// Path of the file.
    pub path: String,
    /// `unchanged`, `installed`, `removed` or `deleted`.
    pub change: &'static str,
    /// What the user has to do in the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'static str>,
    /// The change as people read it.
    #[serde(skip)]
    pub lines: Vec<String>,
}

/// What agents have of pimem in their settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    /// `status`.
    pub action: &'static str,
    /// The program that they find in the PATH; null when there is none.
    pub program: Option<String>,
    /// Their files.
    pub files: Vec<FileStatus>,
}

/// What a file of an agent has of pimem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileStatus {
    /// The agent's name.
    pub agent: &'static str,
    /// Path of the file.
    pub path: String,
    /// The same as people write it.
    #[serde(skip)]
    pub place: String,
    /// `installed`, `plugin` where the agent's plugin brings the hooks, `twice` where both do, or what is amiss.
    pub state: &'static str,
    /// Hooks that are there.
    pub hooks: usize,
    /// Hooks that there could be.
    pub of: usize,
    /// Whether the agent seems to be used here.
    pub agent_present: bool,
    /// When the agent was last noted to call pimem by this file or plugin, once a day at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// Hooks that the agent does not run before the user has trusted them in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<usize>,
    /// Why the file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What to do about that.
    #[serde(skip)]
    pub hints: Vec<String>,
}

/// What an agent's settings would hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Printed {
    /// `print`.
    pub action: &'static str,
    /// For one agent, or for any.
    #[serde(flatten)]
    pub content: Content,
}

/// What settings would hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Content {
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
pub struct PrintedFile {
    /// Its path.
    pub path: String,
    /// The same as people write it.
    #[serde(skip)]
    pub place: String,
    /// What it would hold.
    pub content: String,
}

/// Installed commands that were run as agents do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tested {
    /// `test`.
    pub action: &'static str,
    /// Commands that failed.
    pub failed: usize,
    /// The commands.
    pub hooks: Vec<TestedHook>,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestedHook {
    /// The agent's name.
    pub agent: &'static str,
    /// The event, as the agent calls it.
    pub event: String,
    /// The command.
    pub command: String,
    /// Whether it did what it should.
    pub ok: bool,
    /// Whether it gave what is remembered.
    pub recalled: bool,
    /// What is wrong; null when nothing is.
    pub problem: Option<String>,
}

documents! {
    Edited: "pimem.hooks/1",
    Status: "pimem.hooks/1",
    Printed: "pimem.hooks/1",
    Tested: "pimem.hooks/1",
}

//! System prompts for language models, which the user may replace.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::store::read::{self, ReadProblem};

/// Directory of the user's prompts, below the home directory.
pub const FOLDER: &str = ".pi/agent/memory-prompts";

pimem_core::named! {
    /// Rules for one purpose.
    #[derive(ValueEnum)]
    pub enum Prompt {
        /// To make observations of a conversation.
        Observer = "observer",
        /// To consolidate observations.
        Reflector = "reflector",
        /// The same, where that did not save enough.
        ReflectorAggressive = "reflector-aggressive",
        /// To plan what should become of a store.
        Dream = "dream",
    }
}

impl Prompt {
    /// Returns the built-in prompt.
    pub fn built_in(self) -> &'static str {
        match self {
            Self::Observer => include_str!("../../../../prompts/observer.md"),
            Self::Reflector => include_str!("../../../../prompts/reflector.md"),
            Self::ReflectorAggressive => {
                include_str!("../../../../prompts/reflector-aggressive.md")
            }
            Self::Dream => include_str!("../../../../prompts/dream.md"),
        }
    }

    /// Returns the path of the user's prompt.
    pub fn path(self, home: &Path) -> PathBuf {
        home.join(FOLDER).join(format!("{}.md", self.name()))
    }

    /// Returns the user's prompt if it exists, or else the built-in one.
    pub fn text(self, home: Option<&Path>) -> Result<String, ReadProblem> {
        let own = home.map(|home| self.path(home));
        let own = own.map(|path| read::file(Path::new("/"), &path, read::MAX_FILE)).transpose()?;
        let own = own.flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(own.unwrap_or_else(|| self.built_in().to_owned()))
    }
}

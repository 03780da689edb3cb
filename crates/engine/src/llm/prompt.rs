//! The rules that a model gets: files of this program, which the user may replace by their own.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::store::read::{self, Problem};

/// Where a user keeps rules of their own, below the home directory.
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
    /// The rules that come with this program.
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

    /// Where a user's own rules are.
    pub fn path(self, home: &Path) -> PathBuf {
        home.join(FOLDER).join(format!("{}.md", self.name()))
    }

    /// The user's own rules where there are some, else those that come with this program.
    pub fn text(self, home: Option<&Path>) -> Result<String, Problem> {
        let own = home.map(|home| self.path(home));
        let own = own.map(|path| read::file(Path::new("/"), &path, read::MAX_FILE)).transpose()?;
        let own = own.flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(own.unwrap_or_else(|| self.built_in().to_owned()))
    }
}

//! Options that all commands share.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::ui::Color;

/// Options of every command.
#[derive(Debug, Clone, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
pub(crate) struct Globals {
    /// Use this store: the directory that holds topics/
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    pub(crate) dir: Option<PathBuf>,
    /// Use your own store instead of the project's
    #[arg(
        long,
        global = true,
        conflicts_with = "dir",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    pub(crate) user: bool,
    /// Use only these stores
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "SCOPE",
        conflicts_with = "user",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    pub(crate) scope: Option<ScopeChoice>,
    /// Act as if this were the current time: a date, a time (RFC 3339), yesterday, or an age as in 7d
    #[arg(
        long,
        global = true,
        value_name = "TIME",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    pub(crate) now: Option<String>,
    /// Print JSON
    #[arg(long, global = true, hide_short_help = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// When to use colour
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    pub(crate) color: Option<Color>,
    /// Print results and errors only
    #[arg(
        long,
        short,
        global = true,
        conflicts_with = "verbose",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    pub(crate) quiet: bool,
    /// Say more about what happens
    #[arg(long, short, global = true, hide_short_help = true, help_heading = "Global options")]
    pub(crate) verbose: bool,
}

/// Which stores to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ScopeChoice {
    /// The project's store
    Project,
    /// Your own store
    User,
    /// Mirrors of what others have shared
    Team,
    /// All of these
    All,
}

/// Values of an option: the name of each, what help says of it, and what it stands for.
pub(crate) fn choices<T: Clone + Send + Sync + 'static>(
    known: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let shown = known.iter().map(|(name, about, _)| PossibleValue::new(*name).help(*about));
    PossibleValuesParser::new(shown).try_map(|name| {
        let found = known.iter().find(|(known, ..)| *known == name);
        found.map(|(.., value)| value.clone()).ok_or("unknown")
    })
}

//! Exit codes.

use pimem_engine::memory::background::Stale;

/// The outcome of a command, with the exit codes of grep and ripgrep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success.
    Done = 0,
    /// Nothing found, or a check with findings.
    Nothing = 1,
    Error = 2,
}

impl Exit {
    /// Returns [`Exit::Nothing`] if the command succeeded and `empty` is true, else `self`.
    pub(crate) fn unless_empty(self, empty: bool) -> Self {
        if self == Self::Done && empty { Self::Nothing } else { self }
    }
}

/// The exit code, and the stores whose index should be refreshed after the answer was printed.
pub(crate) type Outcome = (Exit, Vec<Stale>);

impl From<Exit> for Outcome {
    fn from(exit: Exit) -> Self {
        (exit, Vec::new())
    }
}

//! Exit codes.

use pimem_engine::memory::stale::Stale;

/// How a command ended, as with grep and ripgrep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, or found.
    Done = 0,
    /// Nothing found, or findings where there should be none.
    Nothing = 1,
    /// It failed.
    Error = 2,
}

impl Exit {
    /// The same, or [`Exit::Nothing`] where all went well and nothing was found.
    pub(crate) fn unless_empty(self, empty: bool) -> Self {
        if self == Self::Done && empty { Self::Nothing } else { self }
    }
}

/// How a command ended, and the stores whose index should be refreshed after its answer.
pub(crate) type Outcome = (Exit, Vec<Stale>);

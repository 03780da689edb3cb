//! What a change notes of its lines in the ledger of trust, so that reports may show them.

use anyhow::Result;

use super::{
    pending,
    trust::{Key, Trust},
};
use pimem_core::language::injection;

/// Keys that are recorded before the lines are written.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Keys of lines that agents may see, and of those that agents have added.
    known: Vec<Key>,
    /// Keys of lines of agents that await review.
    waiting: Vec<Key>,
}

impl Said {
    /// Takes a line that is written on this machine. Returns true if reports may show it.
    pub(super) fn take(&mut self, trust: &Trust, category: &str, text: &str) -> bool {
        let key = trust.entry(category, text);
        let waits = trust.waits(text).is_some();
        let needs_key =
            || !trust.is_own() || trust.is_of_agent() || injection::find(text).is_some();
        if trust.is_of_agent() && waits {
            self.waiting.push(key);
        } else if trust.is_of_agent() && !trust.holds(key) {
            self.known.push(trust.by_agent(category, text));
        }
        if !waits && needs_key() {
            self.known.push(key);
        }
        trust.is_whole() && !trust.is_own() || !(waits || trust.is_foreign())
    }

    /// Takes a key of another text that agents may see.
    pub(super) fn vouch(&mut self, key: Key) {
        self.known.push(key);
    }

    /// Records the keys. What waits comes first, so that no line passes for one that was typed. An
    /// error in recording the others is reported when the command ends.
    pub(super) fn record(&self, trust: &Trust) -> Result<()> {
        pending::note(trust, &self.waiting)?;
        trust.vouch(&self.known);
        Ok(())
    }
}

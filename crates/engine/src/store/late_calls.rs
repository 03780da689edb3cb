//! Calls of hooks that were ended at their deadline, counted on this machine.

use serde::{Deserialize, Serialize};

use super::Store;

/// File in `data/`, one call a line.
const NAME: &str = "hook-late.jsonl";
/// Size in bytes from which the older half of the file is dropped.
const LONG: usize = 64 << 10;

/// A call that was ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateCall {
    /// When, in RFC 3339.
    pub at: String,
    /// Name of the agent.
    pub agent: String,
    /// Name of the event.
    pub event: String,
}

impl Store {
    /// Counts a call. An error only loses the count.
    pub fn note_late(&self, call: &LateCall) {
        let Ok(line) = serde_json::to_string(call) else { return };
        drop(self.append_local(NAME, &format!("{line}\n")));
        let held = self.local(NAME).ok().flatten().unwrap_or_default();
        if held.len() > LONG {
            drop(self.rewrite_local(NAME, |bytes| {
                let half = bytes?.get(bytes?.len() / 2..)?;
                let end = half.iter().position(|byte| *byte == b'\n')?;
                half.get(end + 1..).map(<[u8]>::to_vec)
            }));
        }
    }

    /// Returns the calls that were ended, the latest last.
    pub fn late_calls(&self) -> Vec<LateCall> {
        let held = self.local(NAME).ok().flatten().unwrap_or_default();
        let lines = held.split(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}

//! Notes of which agents have called a hook: a file an agent in the state directory, with the call
//! that was noted last. Only a call proves that an installation works.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

use super::{
    atomic::{self, Sync},
    read,
};

/// Age of a note after which a call is noted anew.
const DAY: Duration = Duration::from_hours(24);
/// Maximum size of a note in bytes.
const NOTE: u64 = 4096;

/// A call of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCall {
    /// Time of the call.
    pub at: String,
    /// Our name of the event.
    pub event: String,
}

/// Notes a call, at most once a day for each `name`. Without a note, `pimem hooks status` knows
/// less; nothing else depends on it, so errors are ignored.
pub fn note(state: &Path, name: &str, now: SystemTime, call: impl FnOnce() -> AgentCall) {
    let path = place(state, name);
    let modified = fs::metadata(&path).and_then(|meta| meta.modified());
    // A note from the future, as after the clock was set back, is replaced.
    let is_new = |at: SystemTime| now.duration_since(at).is_ok_and(|age| age < DAY);
    if modified.is_ok_and(is_new) {
        return;
    }
    let Ok(line) = serde_json::to_string(&call()) else { return };
    let dir = path.parent().unwrap_or(state);
    let made = atomic::create_dir(dir, Sync::Private).and_then(|()| {
        atomic::replace_file(&path, format!("{line}\n").as_bytes(), Sync::Private, || Ok(true))
    });
    drop(made);
}

/// Returns the call that was noted last.
#[must_use]
pub fn last(state: &Path, name: &str) -> Option<AgentCall> {
    let bytes = read::part(Path::new("/"), &place(state, name), NOTE, |_| 0).ok()??.bytes;
    serde_json::from_slice(bytes.trim_ascii()).ok()
}

/// Removes the note, because what is installed has changed.
pub fn forget(state: &Path, name: &str) {
    atomic::remove_derived(&place(state, name));
}

fn place(state: &Path, name: &str) -> PathBuf {
    state.join("pimem/hooks/calls").join(format!("{name}.json"))
}

//! What hooks note on this machine: the ledger of each session, which agents have called, and calls that
//! were ended at their deadline.
//!
//! The ledger says what was already put into the prompts of a session, so that nothing is repeated. It
//! is an append-only file in `data/sessions/` with one note per line. Hooks run concurrently, so files
//! are never rewritten. Notes of later versions are ignored.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

use super::{
    Store,
    atomic::{self, Sync},
    read,
};
use pimem_core::{
    model::{
        entry::EntryId,
        hash::{IdSet, fnv1a64, short_sha256},
        time::Timestamp,
    },
    session::transcript,
};

/// Directory of ledgers below `data/`.
const FOLDER: &str = "sessions";
/// Equal calls within this time count as one: hooks may be installed both for the user and for the
/// project, and an agent may also read the settings of another agent.
const TWICE: Duration = Duration::from_secs(10);
/// A session without new notes for this time is over.
const OVER: Duration = Duration::from_hours(12);
/// Bytes of a transcript that are searched for compactions in one call.
const LOOKED: u64 = 4 << 20;
/// Maximum number of ledgers that one sweep reads.
const SWEPT: usize = 500;

/// A line of a ledger. Ids of entries are in hexadecimal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum LedgerNote {
    Session {
        /// The session's id, sanitised for storage.
        id: String,
        agent: String,
    },
    /// Nobody is at the session.
    Unattended,
    /// The person switched learning and recall off, or on again.
    Off {
        off: bool,
    },
    Transcript {
        path: PathBuf,
    },
    /// A hook call. The process that notes a call first answers it.
    Call {
        /// Seconds since 1970.
        at: u64,
        /// Hash of the call.
        key: String,
        /// Random id of the process.
        by: String,
        /// True if the call begins a turn; later calls then do not repeat earlier ones.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        turn: bool,
    },
    /// The transcript was searched for compactions.
    Looked {
        /// Hash of its path.
        #[serde(default)]
        file: u64,
        /// Up to this offset.
        bytes: u64,
        /// True if it had an answer of the agent by then.
        answered: bool,
    },
    /// A person lets the agent do what these entries forbid.
    Lifted {
        ids: Vec<String>,
    },
    /// A tool has touched these files.
    Touched {
        files: Vec<String>,
    },
    /// The agent discarded its context.
    Reset,
    /// The report was put into a prompt.
    Report,
    /// Entries were put into a prompt.
    Seen {
        entries: Vec<String>,
        /// Hashes of other texts.
        #[serde(default)]
        texts: Vec<u64>,
    },
    /// An answer was evaluated and used these entries.
    Used {
        entries: Vec<String>,
    },
    Said {
        /// Start of the message, without secrets.
        text: String,
    },
    /// A prompt's questions, if they may be learned; none once they are. `at` is in RFC 3339.
    Asked {
        at: String,
        questions: Vec<String>,
    },
    /// Entries were recalled for the prompt.
    Recalled {
        entries: Vec<String>,
    },
    /// Preferences were learned from the user's message, which is in the context anyway.
    Learned {
        entries: Vec<String>,
        /// What the person has to be told of it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tell: Vec<String>,
    },
    /// The person was told what was learned until now.
    Told,
    HandedOff {
        text: u64,
    },
    Indexed,
    /// A note of a later version.
    #[serde(other)]
    Unknown,
}

/// The state of a session, folded from its ledger.
#[derive(Debug, Clone, Default)]
pub struct KnownSession {
    /// The session's id and the agent's name.
    pub whose: Option<(String, String)>,
    /// True if nobody is at it, so that no prompt of it is a person's.
    pub unattended: bool,
    pub transcript: Option<PathBuf>,
    pub reported: bool,
    /// Entries in the context.
    pub seen: IdSet<EntryId>,
    /// Hashes of other texts in the context.
    pub texts: HashSet<u64>,
    /// Entries that were in the context at any time, in order of insertion.
    pub injected: Vec<EntryId>,
    /// Length of `injected` when an answer was last evaluated.
    pub weighed: usize,
    /// Injected entries that answers used.
    pub used: IdSet<EntryId>,
    /// Files that tools have touched, relative to the root of the repository.
    pub touched: Vec<String>,
    /// Messages of the user.
    pub said: Vec<String>,
    /// Questions of the turn, when they were asked, and the entries that were recalled for them.
    pub asked: Vec<String>,
    pub asked_at: Option<Timestamp>,
    pub recalled: Vec<EntryId>,
    /// Number of learned preferences.
    pub learned: usize,
    /// What was learned and not told yet.
    pub untold: Vec<String>,
    pub handoffs: HashSet<u64>,
    /// True if a summary was stored since the user's last message.
    pub indexed: bool,
    /// By hash of the path: a session may have several transcripts.
    looked: HashMap<u64, Looked>,
}

/// How far the transcript was searched for compactions.
#[derive(Debug, Clone, Copy, Default)]
struct Looked {
    bytes: u64,
    answered: bool,
}

impl KnownSession {
    fn forget_context(&mut self) {
        self.reported = false;
        self.seen.clear();
        self.texts.clear();
    }
}

pub struct LedgerSession {
    store: Store,
    name: String,
    /// State read when the ledger was opened.
    pub known: KnownSession,
}

impl LedgerSession {
    /// Opens the ledger of a session and notes a call; `turn` is true if the call begins a turn.
    /// `None` if another process noted the same call just before; that process answers it.
    pub fn open(
        store: &Store,
        id: &str,
        (call, turn): (&str, bool),
        now: SystemTime,
    ) -> Option<Self> {
        // Agents choose session ids freely, so the id is hashed before it becomes part of a path.
        let name = file(&name_of(id));
        let at = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let by = atomic::random().map(|random| format!("{random:032x}")).unwrap_or_default();
        let key = format!("{:016x}", fnv1a64(&[call.as_bytes()]));
        let own = LedgerNote::Call { at, key: key.clone(), by: by.clone(), turn };
        let noted = store.append_local(&name, &line(&own)).is_ok();
        let bytes = store.local(&name).ok().flatten().unwrap_or_default();
        let notes: Vec<LedgerNote> = notes(&bytes).collect();
        if noted && answers(&notes, &key, turn).is_some_and(|first| *first != by) {
            return None;
        }
        Some(Self { store: store.clone(), name, known: fold(notes) })
    }

    /// Notes that the context no longer has the texts that hooks added.
    pub fn forget_context(&mut self) {
        self.note(&[LedgerNote::Reset]);
        self.known.forget_context();
    }

    /// Returns true if the agent compacted its context since the last call, by the lines that the
    /// transcript has gained since. For agents that tell it nowhere else.
    pub fn was_compacted(&self, transcript: &Path) -> bool {
        let file = fnv1a64(&[transcript.as_os_str().as_encoded_bytes()]);
        let Looked { bytes, answered } = self.known.looked.get(&file).copied().unwrap_or_default();
        // A file that is shorter than before is another one.
        let start = |len: u64| if len < bytes { 0 } else { bytes.max(len.saturating_sub(LOOKED)) };
        let Ok(Some(new)) = read::part(Path::new("/"), transcript, LOOKED, start) else {
            return false;
        };
        // The rest of a line may be written later.
        let whole = new.bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines = new.bytes.get(..whole).unwrap_or_default();
        let found = transcript::compactions(lines, answered && new.start > 0);
        let bytes = new.start + whole as u64;
        self.note(&[LedgerNote::Looked { file, bytes, answered: found.answered }]);
        // The list of a session that is resumed ends with a message that the file has already.
        found.replaced.iter().any(|replaced| {
            let line = new.start + replaced.at as u64;
            let from = line.saturating_sub(LOOKED);
            let before = read::part(Path::new("/"), transcript, line - from, |_| from);
            let before = before.ok().flatten().map(|part| part.bytes).unwrap_or_default();
            memchr::memmem::find(&before, replaced.last.as_bytes()).is_none()
        })
    }

    pub fn copy_to(&self, store: &Store) {
        let bytes = self.store.local(&self.name).ok().flatten().unwrap_or_default();
        // If the copy fails, the agent gets some texts twice.
        drop(store.append_local(&self.name, &String::from_utf8_lossy(&bytes)));
    }

    /// Appends notes; errors are ignored.
    pub fn note(&self, notes: &[LedgerNote]) {
        let lines: String = notes.iter().map(line).collect();
        if !lines.is_empty() {
            drop(self.store.append_local(&self.name, &lines));
        }
    }
}

/// Returns the name of the ledger of a session.
pub fn name_of(session: &str) -> String {
    short_sha256(session.as_bytes())
}

fn file(name: &str) -> String {
    format!("{FOLDER}/{name}.jsonl")
}

/// Returns what is known of a session, by the name of its ledger.
pub fn known(store: &Store, ledger: &str) -> KnownSession {
    let bytes = store.local(&file(ledger)).ok().flatten().unwrap_or_default();
    fold(notes(&bytes))
}

/// Notes that a session is switched off, or on again.
///
/// # Errors
/// Fails if it cannot be noted.
pub fn switch(store: &Store, ledger: &str, off: bool) -> anyhow::Result<()> {
    store.append_local(&file(ledger), &line(&LedgerNote::Off { off }))
}

/// Returns true if a session is switched off.
pub fn is_off(store: &Store, ledger: &str) -> bool {
    let bytes = store.local(&file(ledger)).ok().flatten().unwrap_or_default();
    let switched = notes(&bytes).filter_map(|note| match note {
        LedgerNote::Off { off } => Some(off),
        _ => None,
    });
    memchr::memmem::find(&bytes, b"\"op\":\"off\"").is_some() && switched.last() == Some(true)
}

/// Returns the ids of the entries whose guards a person has lifted for a session.
pub fn lifted(store: &Store, ledger: &str) -> Vec<String> {
    let bytes = store.local(&file(ledger)).ok().flatten().unwrap_or_default();
    let lifted = notes(&bytes).filter_map(|note| match note {
        LedgerNote::Lifted { ids } => Some(ids),
        _ => None,
    });
    lifted.flatten().collect()
}

/// Notes what was learned in a session, if it has a ledger here.
pub fn note_learned(store: &Store, ledger: &str, entries: Vec<String>, tell: Vec<String>) {
    let name = file(ledger);
    if store.local(&name).is_ok_and(|held| held.is_some()) {
        // Without the note, the session is given what it has said.
        drop(store.append_local(&name, &line(&LedgerNote::Learned { entries, tell })));
    }
}

/// Returns the process that answers the latest call of a kind: the one that noted it first within
/// [`TWICE`] in the current turn. Calls that were passed over do not extend that time. Times far
/// apart, as after the clock was set back, are of different calls.
fn answers<'a>(notes: &'a [LedgerNote], call: &str, begins: bool) -> Option<&'a String> {
    let mut answered: Option<(u64, &String)> = None;
    for note in notes {
        let LedgerNote::Call { at, key, by, turn } = note else { continue };
        if *turn && !begins {
            answered = None;
        }
        let again = answered.is_some_and(|(before, _)| at.abs_diff(before) < TWICE.as_secs());
        if key == call && !again {
            answered = Some((*at, by));
        }
    }
    answered.map(|(_, by)| by)
}

/// Returns the ledgers of sessions that are over: path and state.
pub fn over(store: &Store, now: SystemTime) -> Vec<(PathBuf, KnownSession)> {
    let files = store.local_names(FOLDER).into_iter();
    let is_over = |modified: SystemTime| now.duration_since(modified).is_ok_and(|age| age > OVER);
    let old = files.filter(|file| {
        file.file_name().to_string_lossy().ends_with(".jsonl")
            && file
                .metadata()
                .is_ok_and(|meta| meta.is_file() && meta.modified().is_ok_and(is_over))
    });
    old.take(SWEPT)
        .filter_map(|file| {
            let name = format!("{FOLDER}/{}", file.file_name().to_str()?);
            let bytes = store.local(&name).ok()??;
            Some((file.path(), fold(notes(&bytes))))
        })
        .collect()
}

/// Deletes the ledger of a session that is over.
pub fn remove(ledger: &Path) {
    atomic::remove_derived(ledger);
}

/// Parses the notes of a ledger; damaged lines are skipped.
fn notes(bytes: &[u8]) -> impl Iterator<Item = LedgerNote> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

fn line(note: &LedgerNote) -> String {
    let mut line = serde_json::to_string(note).unwrap_or_default();
    line.push('\n');
    line
}

/// Folds notes to the state of a session.
fn fold(notes: impl IntoIterator<Item = LedgerNote>) -> KnownSession {
    let mut known = KnownSession::default();
    let ids = |entries: Vec<String>| entries.into_iter().filter_map(|id| id.parse().ok());
    for note in notes {
        match note {
            LedgerNote::Reset => known.forget_context(),
            LedgerNote::Looked { file, bytes, answered } => {
                known.looked.insert(file, Looked { bytes, answered });
            }
            LedgerNote::Session { id, agent } => known.whose = Some((id, agent)),
            LedgerNote::Unattended => known.unattended = true,
            LedgerNote::Transcript { path } => known.transcript = Some(path),
            LedgerNote::Report => known.reported = true,
            LedgerNote::Seen { entries, texts } => {
                for id in ids(entries) {
                    if known.seen.insert(id) && !known.injected.contains(&id) {
                        known.injected.push(id);
                    }
                }
                known.texts.extend(texts);
            }
            LedgerNote::Used { entries } => {
                known.weighed = known.injected.len();
                known.used.extend(ids(entries));
            }
            LedgerNote::Said { text } => {
                known.indexed = false;
                known.said.push(text);
            }
            LedgerNote::Told => known.untold.clear(),
            LedgerNote::Learned { entries, tell } => {
                known.untold.extend(tell);
                known.learned += entries.len();
                known.seen.extend(ids(entries));
            }
            LedgerNote::HandedOff { text } => drop(known.handoffs.insert(text)),
            LedgerNote::Indexed => known.indexed = true,
            LedgerNote::Touched { files } => known.touched.extend(files),
            LedgerNote::Asked { at, questions } => {
                (known.asked_at, known.asked) = (Timestamp::parse(&at), questions);
            }
            LedgerNote::Recalled { entries } => known.recalled.extend(ids(entries)),
            LedgerNote::Call { turn: true, .. } => {
                (known.asked, known.recalled) = Default::default();
            }
            LedgerNote::Call { .. }
            | LedgerNote::Off { .. }
            | LedgerNote::Lifted { .. }
            | LedgerNote::Unknown => {}
        }
    }
    known
}

/// Returns the note for entries and other texts put into a prompt; `None` if there are none.
pub fn seen(entries: impl IntoIterator<Item = EntryId>, texts: Vec<u64>) -> Option<LedgerNote> {
    let entries: Vec<String> = entries.into_iter().map(|id| id.to_string()).collect();
    (!entries.is_empty() || !texts.is_empty()).then_some(LedgerNote::Seen { entries, texts })
}

/// Age of a note after which a call is noted anew.
const DAY: Duration = Duration::from_hours(24);
const CALL_BYTES: u64 = 4096;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCall {
    pub at: String,
    pub event: String,
}

/// Notes a call, at most once a day for each `name`. Errors are ignored: `pimem hooks` knows less then.
pub fn note_call(state: &Path, name: &str, now: SystemTime, call: impl FnOnce() -> AgentCall) {
    let path = call_path(state, name);
    let modified = fs::metadata(&path).and_then(|meta| meta.modified());
    // A note from the future, as after the clock was set back, is replaced.
    let is_new = |at: SystemTime| now.duration_since(at).is_ok_and(|age| age < DAY);
    if modified.is_ok_and(is_new) {
        return;
    }
    let Ok(line) = serde_json::to_string(&call()) else { return };
    let dir = path.parent().unwrap_or(state);
    atomic::sweep_old(dir, now, atomic::OLD);
    let made = atomic::create_dir(dir, Sync::Private).and_then(|()| {
        atomic::replace_file(&path, format!("{line}\n").as_bytes(), Sync::Private, || Ok(true))
    });
    drop(made);
}

/// Returns the call that was noted last.
#[must_use]
pub fn last_call(state: &Path, name: &str) -> Option<AgentCall> {
    let bytes = read::part(Path::new("/"), &call_path(state, name), CALL_BYTES, |_| 0).ok()??.bytes;
    serde_json::from_slice(bytes.trim_ascii()).ok()
}

/// Removes the note, because what is installed has changed.
pub fn forget_call(state: &Path, name: &str) {
    atomic::remove_derived(&call_path(state, name));
}

fn call_path(state: &Path, name: &str) -> PathBuf {
    state.join("pimem/hooks/calls").join(format!("{name}.json"))
}

/// File in `data/`, one call a line.
const LATE: &str = "hook-late.jsonl";
/// Size in bytes from which the older half of the file is dropped.
const LATE_BYTES: usize = 64 << 10;

/// A call that was ended at the deadline, or that was too large to be judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissedCall {
    /// When, in RFC 3339.
    pub at: String,
    pub agent: String,
    pub event: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub too_large: bool,
}

impl Store {
    /// Counts a call. An error only loses the count.
    pub fn note_missed(&self, call: &MissedCall) {
        let Ok(line) = serde_json::to_string(call) else { return };
        drop(self.append_local(LATE, &format!("{line}\n")));
        let held = self.local(LATE).ok().flatten().unwrap_or_default();
        if held.len() > LATE_BYTES {
            drop(self.rewrite_local(LATE, |bytes| {
                let half = bytes?.get(bytes?.len() / 2..)?;
                let end = half.iter().position(|byte| *byte == b'\n')?;
                half.get(end + 1..).map(<[u8]>::to_vec)
            }));
        }
    }

    /// Returns these calls, the latest last.
    pub fn missed_calls(&self) -> Vec<MissedCall> {
        let held = self.local(LATE).ok().flatten().unwrap_or_default();
        let lines = held.split(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> KnownSession {
        fold(notes(text.as_bytes()))
    }

    #[test]
    fn the_same_call_is_one_just_now_and_in_one_turn() {
        let call = |at, key: &str, by: &str, turn| {
            let (key, by) = (key.to_owned(), by.to_owned());
            LedgerNote::Call { at, key, by, turn }
        };
        let now = 10_000;
        let mine = |at| call(at, "stop", "me", false);
        for (notes, want) in [
            (vec![call(now, "stop", "a", false), mine(now)], "a"),
            (vec![mine(now), call(now, "stop", "b", false)], "me"),
            (vec![call(now - 9, "stop", "a", false), mine(now)], "a"),
            (vec![call(now - 10, "stop", "a", false), mine(now)], "me"),
            // What was passed over keeps nobody out.
            (
                vec![
                    call(now - 16, "stop", "a", false),
                    call(now - 8, "stop", "b", false),
                    mine(now),
                ],
                "me",
            ),
            // The clock was ahead by a little, and by a lot.
            (vec![call(now + 9, "stop", "a", false), mine(now)], "a"),
            (vec![call(now + 7200, "stop", "a", false), mine(now)], "me"),
            (vec![call(now, "other", "a", false), mine(now)], "me"),
            // A prompt came in between, noted first by either of two processes.
            (vec![call(now, "stop", "a", false), call(now, "ask", "b", true), mine(now)], "me"),
            (
                vec![
                    call(now, "stop", "a", false),
                    call(now, "ask", "b", true),
                    call(now, "ask", "c", true),
                    call(now, "stop", "d", false),
                    mine(now),
                ],
                "d",
            ),
        ] {
            assert_eq!(answers(&notes, "stop", false).map(String::as_str), Some(want), "{notes:?}");
        }
        let asked = [call(now, "stop", "a", true), call(now, "stop", "b", true)];
        assert_eq!(answers(&asked, "stop", true).map(String::as_str), Some("a"));
        // The format of earlier versions.
        let old = "{\"op\":\"call\",\"at\":1,\"key\":\"k\",\"by\":\"a\"}\n";
        assert_eq!(notes(old.as_bytes()).next(), Some(call(1, "k", "a", false)));
        assert_eq!(line(&call(1, "k", "a", false)), old);
    }

    #[test]
    fn what_a_ledger_says() {
        let seen =
            |ids: &[u64]| line(&super::seen(ids.iter().map(|id| EntryId(*id)), vec![7]).unwrap());
        let text = [
            line(&LedgerNote::Report),
            seen(&[1, 2]),
            "{\"op\":\"later\",\"x\":1}\ndamaged\n".to_owned(),
            line(&LedgerNote::Used { entries: vec![EntryId(2).to_string(), "x".to_owned()] }),
            line(&LedgerNote::Said { text: "a".to_owned() }),
            line(&LedgerNote::Learned {
                entries: vec![EntryId(8).to_string()],
                tell: vec!["b".to_owned()],
            }),
        ]
        .concat();
        let known = folded(&text);
        assert!(known.seen.contains(&EntryId(8)), "said is seen");
        assert!(known.reported && known.seen.contains(&EntryId(1)) && known.texts.contains(&7));
        assert_eq!((known.injected.len(), known.used.len(), known.learned), (2, 1, 1));
        let after = folded(&(text + &line(&LedgerNote::Reset) + &seen(&[2, 3])));
        assert!(!after.reported && !after.seen.contains(&EntryId(1)));
        assert_eq!(after.injected, [1, 2, 3].map(EntryId));
        assert_eq!(after.said, ["a"]);
    }
}

//! The ledger of a session: what was put into its prompts already, so that nothing is said twice.
//!
//! One append-only file a session below `data/sessions/`, a line a fact. Hooks run side by side, so
//! nothing is ever rewritten; what a later version notes is ignored.

use std::{
    collections::HashSet,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

use super::{atomic, snapshot::Store};
use pimem_core::model::{
    entry::EntryId,
    hash::{IdSet, fnv1a64, short_sha256},
};

/// Directory of ledgers below `data/`.
const FOLDER: &str = "sessions";
/// The same call within this time is one call: hooks may be installed twice, for the user and for
/// the project, or be called by an agent that also reads the settings of another.
const TWICE: Duration = Duration::from_secs(10);
/// A ledger that nothing was added to for this long belongs to a session that is over.
const OVER: Duration = Duration::from_hours(12);
/// Ledgers that are read in one go.
const SWEPT: usize = 500;

/// One line of a ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Note {
    /// Whose ledger it is.
    Session {
        /// The session's id as it may be written down.
        id: String,
        /// The agent's name.
        agent: String,
    },
    /// Where the agent writes the session down.
    Transcript {
        /// The path.
        path: PathBuf,
    },
    /// A hook was called, and whoever notes it first answers.
    Call {
        /// Seconds of the true time.
        at: u64,
        /// What the call was.
        key: String,
        /// Which process.
        by: String,
        /// Whether it begins a turn, so that what is called next is no repetition of what was before.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        turn: bool,
    },
    /// The context was thrown away.
    Reset,
    /// The report was put into a prompt.
    Report,
    /// Entries were put into a prompt.
    Seen {
        /// Their ids.
        entries: Vec<String>,
        /// Hashes of other texts.
        #[serde(default)]
        texts: Vec<u64>,
    },
    /// An answer was weighed, and used these entries.
    Used {
        /// Their ids.
        entries: Vec<String>,
    },
    /// The user said something.
    Said {
        /// The beginning, without secrets.
        text: String,
    },
    /// Preferences were learned from what the user said, which is in its context anyway.
    Learned {
        /// Their ids.
        entries: Vec<String>,
    },
    /// A handoff was left.
    HandedOff {
        /// A hash of its text.
        text: u64,
    },
    /// A summary of the session has been kept.
    Indexed,
    /// Of a later version.
    #[serde(other)]
    Unknown,
}

/// What a ledger says.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The session's id and the agent's name.
    pub whose: Option<(String, String)>,
    /// Where the agent writes the session down.
    pub transcript: Option<PathBuf>,
    /// Whether the report was put into its context.
    pub reported: bool,
    /// Entries in its context.
    pub seen: IdSet<EntryId>,
    /// Other texts in its context, by hash.
    pub texts: HashSet<u64>,
    /// Entries that were in its context at any time, in the order in which they came.
    pub injected: Vec<EntryId>,
    /// How many of these there were when an answer was last weighed.
    pub weighed: usize,
    /// Those of them that were used.
    pub used: IdSet<EntryId>,
    /// What the user said.
    pub said: Vec<String>,
    /// How many preferences were learned.
    pub learned: usize,
    /// Handoffs that were left, by hash.
    pub handoffs: HashSet<u64>,
    /// Whether a summary was kept since the user last said something.
    pub indexed: bool,
}

/// The ledger of one session.
pub struct Session {
    store: Store,
    name: String,
    /// What it says.
    pub known: Known,
}

impl Session {
    /// Opens the ledger of a session and notes a call, which may begin a turn. `None` when the same
    /// call was noted by another process just now, which will answer it.
    pub fn open(
        store: &Store,
        id: &str,
        (call, turn): (&str, bool),
        now: SystemTime,
    ) -> Option<Self> {
        // Agents name sessions as they like: the name is hashed before it touches a path.
        let name = format!("{FOLDER}/{}.jsonl", short_sha256(id.as_bytes()));
        let at = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let by = atomic::random().map(|random| format!("{random:032x}")).unwrap_or_default();
        let key = format!("{:016x}", fnv1a64(&[call.as_bytes()]));
        let own = Note::Call { at, key: key.clone(), by: by.clone(), turn };
        let noted = store.append_local(&name, &line(&own)).is_ok();
        let bytes = store.local(&name).ok().flatten().unwrap_or_default();
        let notes: Vec<Note> = notes(&bytes).collect();
        if noted && first(&notes, &key, at, turn).is_some_and(|first| *first != by) {
            return None;
        }
        Some(Self { store: store.clone(), name, known: fold(notes) })
    }

    /// Copies the ledger to another store.
    pub fn copy_to(&self, store: &Store) {
        let bytes = self.store.local(&self.name).ok().flatten().unwrap_or_default();
        // What is lost here is said to the agent once more.
        drop(store.append_local(&self.name, &String::from_utf8_lossy(&bytes)));
    }

    /// Notes what happened; what cannot be written is forgotten.
    pub fn note(&self, notes: &[Note]) {
        let lines: String = notes.iter().map(line).collect();
        if !lines.is_empty() {
            drop(self.store.append_local(&self.name, &lines));
        }
    }
}

/// Who noted a call first, just now and in this turn. Clocks are set back: what was noted in a time to
/// come was not noted just now.
fn first<'a>(notes: &'a [Note], call: &str, now: u64, begins: bool) -> Option<&'a String> {
    let mut first = None;
    for note in notes {
        let Note::Call { at, key, by, turn } = note else { continue };
        if *turn && !begins {
            first = None;
        }
        if key == call && now.abs_diff(*at) < TWICE.as_secs() {
            first = first.or(Some(by));
        }
    }
    first
}

/// The ledgers of sessions that are over: where each is, and what it says.
pub fn over(store: &Store, now: SystemTime) -> Vec<(PathBuf, Known)> {
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
pub fn remove(ledger: &std::path::Path) {
    atomic::remove_derived(ledger);
}

/// The notes of a ledger; damaged lines are left out.
fn notes(bytes: &[u8]) -> impl Iterator<Item = Note> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

fn line(note: &Note) -> String {
    let mut line = serde_json::to_string(note).unwrap_or_default();
    line.push('\n');
    line
}

/// What notes come to.
fn fold(notes: impl IntoIterator<Item = Note>) -> Known {
    let mut known = Known::default();
    let ids = |entries: Vec<String>| entries.into_iter().filter_map(|id| id.parse().ok());
    for note in notes {
        match note {
            Note::Reset => {
                known.reported = false;
                known.seen.clear();
                known.texts.clear();
            }
            Note::Session { id, agent } => known.whose = Some((id, agent)),
            Note::Transcript { path } => known.transcript = Some(path),
            Note::Report => known.reported = true,
            Note::Seen { entries, texts } => {
                for id in ids(entries) {
                    if known.seen.insert(id) && !known.injected.contains(&id) {
                        known.injected.push(id);
                    }
                }
                known.texts.extend(texts);
            }
            Note::Used { entries } => {
                known.weighed = known.injected.len();
                known.used.extend(ids(entries));
            }
            Note::Said { text } => {
                known.indexed = false;
                known.said.push(text);
            }
            Note::Learned { entries } => {
                known.learned += entries.len();
                known.seen.extend(ids(entries));
            }
            Note::HandedOff { text } => drop(known.handoffs.insert(text)),
            Note::Indexed => known.indexed = true,
            Note::Call { .. } | Note::Unknown => {}
        }
    }
    known
}

/// Makes the notes about entries and other texts that were put into a prompt.
pub fn seen(entries: impl IntoIterator<Item = EntryId>, texts: Vec<u64>) -> Option<Note> {
    let entries: Vec<String> = entries.into_iter().map(|id| id.to_string()).collect();
    (!entries.is_empty() || !texts.is_empty()).then_some(Note::Seen { entries, texts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Known {
        fold(notes(text.as_bytes()))
    }

    #[test]
    fn the_same_call_is_one_just_now_and_in_one_turn() {
        let call = |at, key: &str, by: &str, turn| {
            let (key, by) = (key.to_owned(), by.to_owned());
            Note::Call { at, key, by, turn }
        };
        let now = 10_000;
        for (notes, begins, want) in [
            (vec![call(now, "stop", "a", false), call(now, "stop", "b", false)], false, Some("a")),
            (vec![call(now - 9, "stop", "a", false)], false, Some("a")),
            (vec![call(now - 10, "stop", "a", false)], false, None),
            // By a clock that was ahead by a little, and by a lot.
            (vec![call(now + 9, "stop", "a", false)], false, Some("a")),
            (vec![call(now + 7200, "stop", "a", false)], false, None),
            (
                vec![call(now + 7200, "stop", "a", false), call(now, "stop", "b", false)],
                false,
                Some("b"),
            ),
            (vec![call(now, "other", "a", false)], false, None),
            // Something was asked in between, by whichever of two processes noted it first.
            (vec![call(now, "stop", "a", false), call(now, "ask", "b", true)], false, None),
            (
                vec![
                    call(now, "stop", "a", false),
                    call(now, "ask", "b", true),
                    call(now, "ask", "c", true),
                    call(now, "stop", "d", false),
                ],
                false,
                Some("d"),
            ),
        ] {
            assert_eq!(first(&notes, "stop", now, begins).map(String::as_str), want, "{notes:?}");
        }
        let asked = [call(now, "stop", "a", true), call(now, "stop", "b", true)];
        assert_eq!(first(&asked, "stop", now, true).map(String::as_str), Some("a"));
        // As versions before noted it.
        let old = "{\"op\":\"call\",\"at\":1,\"key\":\"k\",\"by\":\"a\"}\n";
        assert_eq!(notes(old.as_bytes()).next(), Some(call(1, "k", "a", false)));
        assert_eq!(line(&call(1, "k", "a", false)), old);
    }

    #[test]
    fn what_a_ledger_says() {
        let seen =
            |ids: &[u64]| line(&super::seen(ids.iter().map(|id| EntryId(*id)), vec![7]).unwrap());
        let text = [
            line(&Note::Report),
            seen(&[1, 2]),
            "{\"op\":\"later\",\"x\":1}\ndamaged\n".to_owned(),
            line(&Note::Used { entries: vec![EntryId(2).to_string(), "x".to_owned()] }),
            line(&Note::Said { text: "a".to_owned() }),
            line(&Note::Learned { entries: vec![EntryId(8).to_string()] }),
        ]
        .concat();
        let known = folded(&text);
        assert!(known.seen.contains(&EntryId(8)), "said is seen");
        assert!(known.reported && known.seen.contains(&EntryId(1)) && known.texts.contains(&7));
        assert_eq!((known.injected.len(), known.used.len(), known.learned), (2, 1, 1));
        let after = folded(&(text + &line(&Note::Reset) + &seen(&[2, 3])));
        assert!(!after.reported && !after.seen.contains(&EntryId(1)));
        assert_eq!(after.injected, [1, 2, 3].map(EntryId));
        assert_eq!(after.said, ["a"]);
    }
}

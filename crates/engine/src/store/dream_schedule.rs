//! Scheduling of dreams: the lock, the time of the last dream, and the queue of sessions.
//!
//! The state is in `data/dream/` and stays on this machine, like transcripts. The store itself
//! holds only a watermark, the one input for other programs and for the case that the state is
//! lost. A session is identified by its transcript, and is pending until its transcript was
//! processed at its current length. So a clock that jumps loses no session, and a resumed session
//! is pending again.

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
    process,
    time::Duration,
};

use anyhow::{Context, Result};
use pimem_core::model::time::{Now, Timestamp};
use serde::{Deserialize, Serialize};

use super::{
    Store, StoreLock,
    atomic::{self, Sync},
    machine_local, read,
    trust::TrustedKind,
};

/// File in the store with the time of the last dream, for people and other programs.
const WATERMARK: &str = ".dream-watermark";
/// Lock file; holds the process that dreams. Never renamed or deleted.
const LOCK: &str = "dream/lock";
/// Sessions already processed.
const STATE: &str = "dream/state.json";
/// Queue of ended sessions, one per line.
const QUEUE: &str = "dream/sessions.jsonl";
/// Output of dreams that run without a terminal.
const LOG: &str = "dream/dream.log";
/// Size in bytes from which the queue or the log is cut to its last lines.
const LONG: u64 = 256_000;
/// Maximum number of sessions per dream.
const SESSIONS: usize = 5;
/// Maximum number of sessions in the state; the latest are kept.
const REMEMBERED: usize = 500;
/// Maximum wait of an appender for the lock to shorten the queue. If it fails, the next appender
/// tries again.
const HASTE: Duration = Duration::from_millis(20);
/// Number of attempts at the lock, and the pause between them: other processes probe it for a
/// moment.
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_millis(2);

/// Error: another dream is running.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("another dream is under way")]
pub struct Busy {
    /// Process id and start time of the dream; `None` if the lock file does not have them.
    pub holder: Option<(u32, Timestamp)>,
}

#[derive(Serialize, Deserialize)]
struct Holder {
    pid: u32,
    started: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastSession {
    /// The id, sanitised for storage; `None` if the agent gave none.
    #[serde(default)]
    pub session: Option<String>,
    pub agent: String,
    /// Path of the transcript as given to a hook. It is not trusted: it may point anywhere.
    pub transcript: PathBuf,
    ended: String,
}

/// A session that the next dreams process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub session: PastSession,
    /// Current length of its transcript in bytes.
    pub bytes: u64,
}

/// State of former dreams.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dreams {
    /// Logs up to this time were read. A watermark in the future is ignored, so that nothing
    /// written before that time is skipped.
    pub watermark: Option<Timestamp>,
    /// Time of the last successful dream. A time in the future is ignored, so that a wrong clock
    /// does not block the next dream.
    pub last: Option<Timestamp>,
    /// Transcripts with the length at which they were processed, and when; `None` if the state is
    /// lost.
    sessions: Option<BTreeMap<PathBuf, (u64, Timestamp)>>,
}

/// The state file. Unknown fields of later versions are ignored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct State {
    version: u32,
    last_success: String,
    #[serde(default)]
    sessions: Vec<Dreamt>,
}

#[derive(Serialize, Deserialize)]
struct Dreamt {
    transcript: PathBuf,
    bytes: u64,
    at: String,
}

impl Dreams {
    /// Parses watermark and state. Damaged input counts as absent.
    fn read(now: Now, mark: &[u8], state: &[u8]) -> Self {
        let past = |time: &Timestamp| *time <= now.0;
        let mark = str::from_utf8(mark).ok().and_then(|text| Timestamp::parse(text.trim()));
        let state: Option<State> = serde_json::from_slice(state).ok();
        let last = state.as_ref().and_then(|state| Timestamp::parse(&state.last_success));
        let sessions = state.map(|state| {
            let dreamt = |d: Dreamt| Some((d.transcript, (d.bytes, Timestamp::parse(&d.at)?)));
            state.sessions.into_iter().filter_map(dreamt).collect()
        });
        Self { watermark: mark.filter(past), last: last.or(mark).filter(past), sessions }
    }

    /// Returns the earliest time of the next automatic dream.
    pub fn next(&self, hours: f64) -> Option<Timestamp> {
        #[expect(clippy::cast_possible_truncation, reason = "the setting is 24 at most")]
        self.last.map(|last| Timestamp(last.0.saturating_add((hours * 3_600_000.0) as i64)))
    }

    /// Returns true if a session whose transcript has this length is pending.
    fn wants(&self, session: &PastSession, bytes: u64) -> bool {
        match &self.sessions {
            Some(known) => known.get(&session.transcript).is_none_or(|(then, _)| *then != bytes),
            // Without a state, only the time can be compared.
            None => self.watermark.is_none_or(|mark| session.ended() > Some(mark)),
        }
    }
}

impl PastSession {
    /// Creates a session that ends now.
    pub fn new(id: Option<String>, agent: &str, transcript: PathBuf, now: Now) -> Self {
        Self { session: id, agent: agent.to_owned(), transcript, ended: now.0.to_string() }
    }

    /// Returns the end of the session; `None` if the time cannot be parsed.
    pub fn ended(&self) -> Option<Timestamp> {
        Timestamp::parse(&self.ended)
    }
}

impl Store {
    /// Takes the lock of dreams. The kernel releases it when the process dies.
    ///
    /// # Errors
    /// Returns [`Busy`] if another process holds the lock.
    pub fn lock_dreams(&self, now: Now) -> Result<StoreLock> {
        let path = self.local_path(LOCK)?;
        let cannot = || format!("cannot lock {}", path.display());
        for tried in 0..TRIES {
            if tried > 0 {
                std::thread::sleep(PAUSE);
            }
            if let Some(mut lock) = StoreLock::try_private(&path).with_context(cannot)? {
                let holder = Holder { pid: process::id(), started: now.0.to_string() };
                lock.sign(&serde_json::to_string(&holder)?).with_context(cannot)?;
                return Ok(lock);
            }
        }
        Err(self.dreamer().into())
    }

    pub fn dreaming(&self) -> Option<Busy> {
        let there = self.local(LOCK).ok().flatten().is_some();
        let held =
            there && matches!(StoreLock::try_private(&self.local_path(LOCK).ok()?), Ok(None));
        held.then(|| self.dreamer())
    }

    fn dreamer(&self) -> Busy {
        let bytes = self.local(LOCK).ok().flatten().unwrap_or_default();
        let holder: Option<Holder> = serde_json::from_slice(&bytes).ok();
        Busy { holder: holder.and_then(|h| Some((h.pid, Timestamp::parse(&h.started)?))) }
    }

    /// Reads the state of former dreams. Damaged files count as absent.
    pub fn dreams(&self, now: Now) -> Dreams {
        let mark = read::file(&self.dir, &self.dir.join(WATERMARK), 1024).ok().flatten();
        let state = self.local(STATE).ok().flatten();
        Dreams::read(now, &mark.unwrap_or_default(), &state.unwrap_or_default())
    }

    /// Adds an ended session to the queue and trusts its transcript. No other transcripts are
    /// processed: a clone may bring a queue that names those of other projects.
    pub fn note_session(&self, session: &PastSession) -> Result<()> {
        let there = session.transcript.to_str().filter(|_| length(&session.transcript).is_some());
        let Some(path) = there else { return Ok(()) };
        self.trust.record_text(TrustedKind::Transcript, path);
        self.append_local(QUEUE, &format!("{}\n", serde_json::to_string(session)?))?;
        let size = fs::metadata(self.data_dir().join(QUEUE)).map_or(0, |meta| meta.len());
        if size > LONG {
            let hasty = Self { patience: self.patience.min(HASTE), ..self.clone() };
            hasty.rewrite_local(QUEUE, |bytes| {
                let bytes = bytes.filter(|bytes| bytes.len() as u64 > LONG)?;
                Some(machine_local::last_lines(lines(&queued(bytes)).as_bytes()).to_vec())
            })?;
        }
        Ok(())
    }

    /// Returns the sessions for one dream, the earliest ended first, and the number of other
    /// pending sessions.
    pub fn waiting(&self, dreams: &Dreams) -> (Vec<Waiting>, usize) {
        let bytes = self.local(QUEUE).ok().flatten().unwrap_or_default();
        let mut found: Vec<Waiting> = queued(&bytes)
            .into_iter()
            .filter_map(|session| {
                let bytes = length(&session.transcript)?;
                let path = session.transcript.to_str()?;
                let ours = self.trust.is_own() || {
                    self.trust.holds(self.trust.text(TrustedKind::Transcript, path))
                };
                let waits = ours && dreams.wants(&session, bytes);
                waits.then_some(Waiting { session, bytes })
            })
            .collect();
        found.sort_by_key(|waiting| waiting.session.ended());
        let more = found.len().saturating_sub(SESSIONS);
        found.truncate(SESSIONS);
        (found, more)
    }

    /// Records a successful dream: its start, and the sessions that it processed. The lock of the
    /// store protects temporary files in the store.
    pub fn dreamt(&self, _lock: &StoreLock, began: Now, of: &[Waiting]) -> Result<()> {
        let before = self.dreams(began);
        let now = of.iter().map(|one| (one.session.transcript.clone(), (one.bytes, began.0)));
        let mut dreamt: Vec<Dreamt> = before
            .sessions
            .clone()
            .unwrap_or_default()
            .into_iter()
            .chain(now)
            .collect::<BTreeMap<_, _>>()
            .into_iter()
            .map(|(transcript, (bytes, at))| Dreamt { transcript, bytes, at: at.to_string() })
            .collect();
        dreamt.sort_by(|a, b| b.at.cmp(&a.at));
        dreamt.truncate(REMEMBERED);
        let state = State { version: 1, last_success: began.0.to_string(), sessions: dreamt };
        let text = format!("{}\n", serde_json::to_string(&state)?);
        self.rewrite_local(STATE, |_| Some(text.into_bytes()))?;
        let after = self.dreams(began);
        self.rewrite_local(QUEUE, |bytes| {
            let mut kept = queued(bytes?);
            kept.retain(|one| {
                let waits = |bytes| before.wants(one, bytes) && after.wants(one, bytes);
                length(&one.transcript).is_none_or(waits)
            });
            Some(lines(&kept).into_bytes())
        })?;
        let mark = format!("{}\n", began.0);
        atomic::replace_file(&self.dir.join(WATERMARK), mark.as_bytes(), Sync::None, || Ok(true))?;
        Ok(())
    }

    /// Opens the log of dreams for appending, cut to its last lines; `None` in a sealed store. Must not be called while a
    /// dream runs, because that dream has the old file open.
    pub fn dream_log(&self) -> Result<(PathBuf, Option<fs::File>)> {
        let path = self.local_path(LOG)?;
        if fs::metadata(&path).is_ok_and(|meta| meta.len() > LONG) {
            self.rewrite_local(LOG, |bytes| {
                bytes.map(|bytes| machine_local::last_lines(bytes).to_vec())
            })?;
        }
        if self.seal.is_sealed() {
            // What a process prints would be in it as plain text.
            return Ok((path, None));
        }
        let log = atomic::open_to_append(&path, Sync::Private);
        let log = log.with_context(|| format!("cannot write {}", path.display()))?;
        Ok((path, Some(log)))
    }

    /// Appends a line to the log; errors are ignored.
    pub fn log_dream(&self, line: &str) {
        drop(self.append_local(LOG, &format!("{line}\n")));
    }
}

/// Parses a queue. For each session the last line counts; damaged lines are skipped.
fn queued(bytes: &[u8]) -> Vec<PastSession> {
    let mut seen = HashSet::new();
    let lines = bytes.rsplit(|byte| *byte == b'\n');
    let read = lines.filter_map(|line| serde_json::from_slice::<PastSession>(line).ok());
    let mut newest: Vec<PastSession> =
        read.filter(|session| seen.insert(session.transcript.clone())).collect();
    newest.reverse();
    newest
}

fn lines(sessions: &[PastSession]) -> String {
    let line =
        |session| serde_json::to_string(session).map_or_else(|_| String::new(), |l| l + "\n");
    sessions.iter().map(line).collect()
}

/// Returns the length in bytes of a transcript that exists.
fn length(path: &Path) -> Option<u64> {
    let absolute = path.is_absolute().then_some(path)?;
    fs::metadata(absolute).ok().filter(fs::Metadata::is_file).map(|meta| meta.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    fn dreams(now: i64, mark: &str, state: &str) -> Dreams {
        Dreams::read(Now(Timestamp(now * HOUR)), mark.as_bytes(), state.as_bytes())
    }

    fn session(path: &str, ended: i64) -> PastSession {
        PastSession::new(None, "claude", path.into(), Now(Timestamp(ended * HOUR)))
    }

    fn state(at: i64, path: &str, bytes: u64) -> String {
        let at = Timestamp(at * HOUR).to_string();
        let one = Dreamt { transcript: path.into(), bytes, at: at.clone() };
        serde_json::to_string(&State { version: 1, last_success: at, sessions: vec![one] }).unwrap()
    }

    #[test]
    fn a_dream_is_due_after_the_last_success() {
        let next =
            |now, mark: &str, state: &str| dreams(now, mark, state).next(3.0).map(|at| at.0 / HOUR);
        assert_eq!(next(10, "", ""), None);
        assert_eq!(next(10, "1970-01-01T09:00:00.000Z\n", ""), Some(12), "a lost state");
        assert_eq!(next(10, "1970-01-01T10:00:00+02:00", ""), Some(11), "of another program");
        assert_eq!(next(10, "1970-01-01T05:00:00.000Z", &state(9, "/a", 1)), Some(12));
        for damaged in ["yesterday", "1970-13-01T00:00:00Z", "\u{0}", "1970-01-01T09:00:00.000Z x"]
        {
            assert_eq!(next(10, damaged, "{\"version\":1"), None, "{damaged:?}");
        }
        // The clock was set back: times in the future do not block a dream.
        assert_eq!(next(10, "1970-01-01T11:00:00.000Z", &state(11, "/a", 1)), None);
        assert_eq!(
            dreams(10, "", &state(9, "/a", 1)).next(0.5),
            Some(Timestamp(9 * HOUR + HOUR / 2))
        );
    }

    #[test]
    fn a_session_waits_until_it_was_dreamt_of_in_its_length() {
        let mark = "1970-01-01T09:00:00.000Z";
        let known = dreams(10, mark, &state(9, "/a", 100));
        assert!(!known.wants(&session("/a", 8), 100));
        assert!(known.wants(&session("/a", 9), 101), "it went on");
        assert!(known.wants(&session("/b", 1), 5), "the clock was wrong when it ended");
        let lost = dreams(10, mark, "damaged");
        assert!(!lost.wants(&session("/a", 8), 100), "the watermark is what is left");
        assert!(lost.wants(&session("/a", 10), 100));
        let ahead = dreams(8, mark, "damaged");
        assert!(ahead.wants(&session("/a", 1), 100), "a watermark to come says nothing");
        assert!(dreams(10, "", "").wants(&session("/a", 1), 100));
        let later = "{\"version\":2,\"lastSuccess\":\"x\",\"more\":1,\"sessions\":[]}";
        assert!(dreams(10, mark, later).wants(&session("/a", 1), 1));
    }

    #[test]
    fn a_queue_has_each_session_once() {
        let text = lines(&[session("/a", 1), session("/b", 2), session("/a", 3)]);
        let damaged = "\n{\"transcript\":\"/c\"}\n{\"agent\":\"x\",\"transc";
        let found = queued((text + damaged).as_bytes());
        assert_eq!(found, [session("/b", 2), session("/a", 3)]);
        assert_eq!(queued(lines(&found).as_bytes()), found);
    }
}

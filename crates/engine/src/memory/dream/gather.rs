//! Collects what was said since the last dream, from pending transcripts and daily logs.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use pimem_core::{
    dream::learn::{
        self, Conclusion, HeardStatement, Listener, SaidBefore, StatementSource,
        StatementSourceKind,
    },
    language::{pasted, preference::LOOKED_AT},
    markdown::passages,
    model::{
        entry::EntryId,
        hash::IdSet,
        time::{Now, Timestamp},
    },
    safety::secret,
    session::transcript::{Message, Role, TranscriptLines},
};
use serde::{Deserialize, Serialize};

use crate::{
    error::{Failure, FailureKind},
    local_time,
    memory::{Memory, dream::DreamRead, sessions},
    store::{
        Store, StoreLock, commit,
        dream_schedule::{Dreams, Waiting},
        notes, read,
    },
};

/// File with the statements of earlier dreams, in the directory for the state of dreams.
const MEMORY: &str = "heard.json";
/// File with what to remember if a printed plan is applied.
const PLANNED: &str = "planned.json";
/// File with a language model's plan that awaits review.
pub const LEFT: &str = "plan.txt";
/// Maximum number of bytes read of a transcript.
const TRANSCRIPT: u64 = 512 << 20;
/// Maximum number of characters of a message in the model's prompt.
const TOLD: usize = 2_000;
/// Maximum number of bytes of a session in the model's prompt.
const MOST_TOLD: usize = 512 << 10;

/// What was said since the last dream, with conclusions.
pub struct Gathered {
    pub learned: Vec<Conclusion>,
    /// Statements so far, to be stored if the dream succeeds.
    said_before: SaidBefore,
    /// The sessions that were pending.
    pub waiting: Vec<Waiting>,
    /// Number of sessions read, and of days with a log.
    pub read: DreamRead,
    /// The same for a language model, oldest first, when one is asked.
    pub transcripts: Vec<String>,
}

/// Collects what was said. If transcripts are named, reads these instead of the pending ones, and
/// fails if one is missing.
pub fn gather(
    memory: &Memory,
    store: &Store,
    dreams: &Dreams,
    named: &[PathBuf],
    for_model: bool,
) -> Result<Gathered, Failure> {
    let mut said_before = said_before(store)?;
    let (waiting, more) = if named.is_empty() { store.waiting(dreams) } else { (Vec::new(), 0) };
    let mut heard: Vec<HeardStatement> = Vec::new();
    let mut transcripts = Vec::new();
    let mut hear = |path: &Path, agent: Option<&str>, session: Option<&str>, ended| {
        let source = StatementSource {
            id: session.unwrap_or_default().to_owned(),
            kind: StatementSourceKind::Session,
            agent: agent.map(str::to_owned),
            when: ended,
        };
        let (one, text) = listen(path, source, for_model)?;
        heard.push(one);
        transcripts.extend(text);
        Ok::<(), Failure>(())
    };
    for path in named {
        hear(&memory.places.cwd.join(path), None, None, None)?;
    }
    for one in &waiting {
        let session = &one.session;
        let (agent, id) = (Some(session.agent.as_str()), session.session.as_deref());
        if let Err(failure) = hear(&session.transcript, agent, id, session.ended()) {
            memory.notices.detail(&failure.message);
        }
    }
    let sessions = heard.len();
    for (source, items) in logs(store, dreams.watermark)? {
        if for_model {
            transcripts.push(format!("Log of {}:\n{}", source.id, items.join("\n")));
        }
        heard.push(learn::of_log(source, items.iter().map(String::as_str)));
    }
    let read = DreamRead { sessions, sessions_left: more, logs: heard.len() - sessions };
    let learned = learn::conclude(&mut said_before, &heard);
    Ok(Gathered { learned, said_before, waiting, read, transcripts })
}

impl Gathered {
    /// Stores the statements for the next dream.
    pub fn keep(&self, store: &Store) -> Result<(), Failure> {
        let Some(dir) = store.dream_dir() else { return Ok(()) };
        Ok(commit::keep(store, &dir.join(MEMORY), self.said_before.write().as_bytes())?)
    }

    /// Stores what to remember if the plan made from this is applied.
    pub fn expect(&self, store: &Store, state: &str) -> Result<(), Failure> {
        let Some(dir) = store.dream_dir() else { return Ok(()) };
        let session = |one: &Waiting| (one.session.transcript.clone(), one.bytes);
        let sessions = self.waiting.iter().map(session).collect();
        let planned =
            Planned { state: state.to_owned(), heard: self.said_before.write(), sessions };
        let bytes = serde_json::to_vec(&planned).map_err(anyhow::Error::new)?;
        Ok(commit::keep(store, &dir.join(PLANNED), &bytes)?)
    }
}

/// What to remember if a plan is applied.
#[derive(Serialize, Deserialize)]
struct Planned {
    /// Fingerprint of the store that the plan was made for.
    state: String,
    /// Serialised statements.
    heard: String,
    /// Pending transcripts, with their lengths.
    sessions: Vec<(PathBuf, u64)>,
}

/// Records that a plan made for a store in that state was applied.
pub fn applied(
    store: &Store,
    state: &str,
    made: Option<Timestamp>,
    now: Now,
    lock: &StoreLock,
) -> Result<(), Failure> {
    let Some(dir) = store.dream_dir() else { return Ok(()) };
    let path = dir.join(PLANNED);
    let bytes = store.seal.read(&dir, &path, read::MAX_LOG).ok().flatten().unwrap_or_default();
    let planned = serde_json::from_slice::<Planned>(&bytes).ok();
    let Some(planned) = planned.filter(|planned| planned.state == state) else { return Ok(()) };
    commit::keep(store, &dir.join(MEMORY), planned.heard.as_bytes())?;
    let (mut waiting, _) = store.waiting(&store.dreams(now));
    let heard = |one: &Waiting| {
        planned
            .sessions
            .iter()
            .any(|(path, bytes)| *path == one.session.transcript && *bytes == one.bytes)
    };
    waiting.retain(heard);
    // What was said after the plan was made is left for the next dream.
    let made = made.filter(|made| *made <= now.0).map_or(now, Now);
    store.dreamt(lock, made, &waiting)?;
    Ok(commit::discard(&path)?)
}

/// Removes entries from the stored statements, and deletes stored plans, which may contain them.
pub fn purge(store: &Store, ids: &IdSet<EntryId>) -> Result<(), Failure> {
    let Some(dir) = store.dream_dir().filter(|dir| dir.is_dir()) else { return Ok(()) };
    let mut said_before = said_before(store)?;
    if said_before.forget(|category, text| ids.contains(&EntryId::of(category, text.as_bytes()))) {
        commit::keep(store, &dir.join(MEMORY), said_before.write().as_bytes())?;
    }
    for name in [PLANNED, LEFT] {
        commit::discard(&dir.join(name))?;
    }
    Ok(())
}

/// Returns the failure that there is no directory for the state of dreams.
pub fn no_place() -> Failure {
    let message = "there is no place for what a dream remembers";
    Failure::new(FailureKind::Usage, message, "set HOME, or XDG_STATE_HOME")
}

fn said_before(store: &Store) -> Result<SaidBefore, Failure> {
    let dir = store.dream_dir().ok_or_else(no_place)?;
    let bytes = store.seal.read(&dir, &dir.join(MEMORY), read::MAX_FILE);
    // A damaged or oversized file counts as empty.
    Ok(SaidBefore::read(&bytes.ok().flatten().unwrap_or_default()))
}

/// Reads a transcript: its statements, and its text for a language model.
fn listen(
    path: &Path,
    source: StatementSource,
    for_model: bool,
) -> Result<(HeardStatement, Option<String>), Failure> {
    let (file, name) = (sessions::open(path)?, path.display().to_string());
    let mut listener = Listener::new(source);
    let mut transcript = String::new();
    let mut take = |messages: Vec<Message>| {
        for message in messages {
            listener.push(&message);
            if for_model {
                let who = if message.role == Role::User { "User" } else { "Agent" };
                // Cut only after redaction, because half a secret is not recognised as one.
                let end = message.text.floor_char_boundary(LOOKED_AT);
                let head = message.text.get(..end).unwrap_or_default();
                let head = match message.role {
                    Role::User => pasted::own_words(head),
                    Role::Assistant => head.into(),
                };
                let open = secret::clean(&head);
                let start: String = open.chars().take(TOLD).collect();
                transcript.push_str(&format!("{who}: {start}\n"));
                if transcript.len() > MOST_TOLD {
                    // What was said last says most about how it ended.
                    transcript.drain(..transcript.ceil_char_boundary(MOST_TOLD / 2));
                }
            }
        }
    };
    let mut lines = TranscriptLines::default();
    let read = read::each_line(file, TRANSCRIPT, |line| {
        take(lines.push(line));
        ControlFlow::Continue(())
    });
    read.map_err(|error| sessions::unreadable(&name, error))?;
    let (session, rest) = lines.finish().ok_or_else(|| sessions::unknown(&name))?;
    take(rest);
    let mut heard = listener.finish();
    if heard.source.id.is_empty() {
        // Without an id, the file name identifies the session.
        let name = || path.file_stem().map(|name| name.to_string_lossy().into_owned());
        heard.source.id = session.id.or_else(name).unwrap_or_default();
    }
    heard.source.agent.get_or_insert_with(|| session.format.name().to_owned());
    let transcript =
        (!transcript.is_empty()).then(|| format!("Session {}:\n{transcript}", heard.source.id));
    Ok((heard, transcript))
}

/// Reads the daily logs from the watermark's day on, if they were written or reviewed here.
/// Statements of that day read before are recognised as known.
fn logs(
    store: &Store,
    watermark: Option<Timestamp>,
) -> Result<Vec<(StatementSource, Vec<String>)>, Failure> {
    let since = watermark.map(|mark| local_time::local(mark).date);
    let mut found = Vec::new();
    for date in store.days().map_err(|problem| Failure::from(&problem))? {
        let name = notes::daily(date);
        if since.is_some_and(|since| date < since) || !store.file_reviewed(&name) {
            continue;
        }
        let Ok(Some(bytes)) = store.file(&name) else { continue };
        let day = Timestamp::parse_date(&date.to_string());
        let item = |passage: passages::Passage| {
            let line = String::from_utf8_lossy(bytes.get(passage.span)?).into_owned();
            Some(line.trim().trim_start_matches("- ").to_owned())
        };
        let items = passages::items(&bytes, day).into_iter().filter_map(item).collect();
        let source = StatementSource {
            id: date.to_string(),
            kind: StatementSourceKind::Log,
            agent: None,
            when: day,
        };
        found.push((source, items));
    }
    Ok(found)
}

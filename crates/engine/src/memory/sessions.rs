//! Summaries of past sessions: creating and storing them. Prints nothing.

use crate::memory::handles::{Learning, Reading};
use std::{
    cmp::Reverse,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    ops::ControlFlow,
    path::Path,
};

use memchr::memmem;
use pimem_core::{
    model::{hash::fnv1a64, time::Timestamp},
    observe::summary,
    safety::secret,
    session::{
        summaries::{self, Summary},
        transcript::{Message, Role, TranscriptLines},
    },
};
use serde::Serialize;

use super::{Answer, Memory};
use crate::{
    error::{Failure, FailureKind},
    store::{Store, machine_local, read, trust::TrustedKind as Text},
};

/// Maximum size in bytes of plain text accepted as a session.
const MOST_TEXT: u64 = 16 << 20;
/// End of the id of a compaction's summary, after the id of the session.
const COMPACTED: &str = ":compacted";
/// Maximum number of characters of a session's id.
const ID: usize = 64;

/// Agent and session id, used instead of those in the transcript.
#[derive(Debug, Clone, Copy, Default)]
pub struct Named<'a> {
    pub agent: Option<&'a str>,
    pub session: Option<&'a str>,
}

pub enum Transcript<'a> {
    /// A file, which must not be plain text.
    File(&'a Path),
    /// Standard input, which may be plain text.
    Stdin(Box<dyn Read + 'a>),
}

impl Learning<'_> {
    /// Summarises a session, and replaces its earlier summary. A session in which the user said too
    /// little is skipped.
    ///
    /// # Errors
    /// Fails if the transcript cannot be read or parsed, or the summary cannot be written.
    pub fn index_session(
        self,
        transcript: Transcript<'_>,
        named: Named<'_>,
    ) -> Result<SessionIndexed, Failure> {
        let summary = match transcript {
            Transcript::File(path) => from_transcript(self.memory, named, path)?,
            Transcript::Stdin(input) => from_stdin(self.memory, named, input)?,
        };
        let Some(summary) = summary else {
            return Ok(SessionIndexed { indexed: false, session: None });
        };
        if let Some(aside) = index(&store(self.memory)?, &summary)? {
            let name = machine_local::SESSIONS;
            self.memory.notices.note(&format!(
                "warning: {name} was damaged and is started anew; it is now {aside}"
            ));
        }
        Ok(SessionIndexed { indexed: true, session: Some(SessionView::new(summary, None)) })
    }
}

impl Reading<'_> {
    /// Returns the newest past sessions, up to `limit`.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn sessions(self, limit: usize) -> Result<Answer<Sessions>, Failure> {
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for store in self.memory.readers()? {
            match store.local(machine_local::SESSIONS) {
                Ok(bytes) => {
                    let all = summaries::all(&bytes.unwrap_or_default());
                    found.extend(all.into_iter().map(|summary| (summary, store.scope.name())));
                }
                Err(problem) => problems.push(problem),
            }
        }
        // Of sessions with the same time, the later one in the file is the newer.
        found.reverse();
        found.sort_by_key(|(summary, _)| Reverse(summary.when));
        found.truncate(limit);
        let view = |(summary, scope)| SessionView::new(summary, Some(scope));
        let sessions = found.into_iter().map(view).collect();
        Ok(Answer { view: Sessions { sessions }, problems })
    }
}

/// Returns the store for summaries: the project's if it exists, or else the user's. A summary does
/// not create a project store.
pub fn store(memory: &Memory) -> Result<Store, Failure> {
    match memory.target() {
        Ok(target) if target.exists || memory.places.named.is_some() => memory.made(target),
        _ => memory.made(memory.users()?),
    }
}

/// Stores a summary, and replaces that of the same session. If the file is damaged, it is renamed
/// and its new name returned.
pub fn index(store: &Store, new: &summaries::Summary) -> Result<Option<String>, Failure> {
    let add = || -> anyhow::Result<bool> {
        let mut damaged = false;
        store.keep_local(machine_local::SESSIONS, |bytes| {
            let after = summaries::with(bytes.unwrap_or_default(), new);
            damaged = after.is_none();
            after
        })?;
        Ok(damaged)
    };
    store.trust.record_text(Text::Session, &new.text);
    if !add()? {
        return Ok(None);
    }
    let damaged = |bytes: &[u8]| summaries::with(bytes, new).is_none();
    let aside = store.set_aside(machine_local::SESSIONS, damaged)?;
    if add()? {
        let message = format!("{} is damaged again", machine_local::SESSIONS);
        return Err(Failure::new(FailureKind::Io, message, "look at which program writes it"));
    }
    Ok(aside)
}

/// Summarises a list of prompts; `None` if they are too few.
pub fn of_prompts<'a>(
    memory: &Memory,
    named: Named<'_>,
    prompts: impl IntoIterator<Item = &'a str>,
) -> Option<summaries::Summary> {
    let mut said = Said::default();
    for prompt in prompts {
        said.summary.push(prompt, summary::harmless_lead);
    }
    said.finish(memory, named, None, None)
}

/// Summarises prompts recorded by hooks, of which only the start is known.
pub fn of_notes<'a>(
    memory: &Memory,
    named: Named<'_>,
    notes: impl IntoIterator<Item = &'a str>,
) -> Option<summaries::Summary> {
    let mut said = Said::default();
    for note in notes {
        // Their length was checked when they were recorded.
        said.summary.add(&summary::harmless_lead_of_clean(note).unwrap_or_default());
    }
    said.finish(memory, named, None, None)
}

/// Returns the summary that an agent made when it compacted a session's context. It is kept beside
/// that of the session.
pub fn of_compaction(
    memory: &Memory,
    agent: &str,
    session: &str,
    text: &str,
) -> Option<summaries::Summary> {
    Some(summaries::Summary {
        id: Some(format!("{session}{COMPACTED}")),
        agent: Some(agent.to_owned()),
        when: Some(memory.now.0),
        messages: None,
        text: summary::of_compaction(text)?,
    })
}

/// Returns the texts that a session has left in a store's summaries.
pub fn own_texts(store: &Store, session: &str) -> Vec<String> {
    let bytes = store.local(machine_local::SESSIONS).ok().flatten().unwrap_or_default();
    // Most sessions have left none yet. Another program may have escaped what is not plain.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if session.bytes().all(is_plain) && memmem::find(&bytes, session.as_bytes()).is_none() {
        return Vec::new();
    }
    let is_own = |summary: &summaries::Summary| {
        summary.id.as_deref().is_some_and(|id| id.strip_suffix(COMPACTED).unwrap_or(id) == session)
    };
    summaries::all(&bytes).into_iter().filter(is_own).map(|summary| summary.text).collect()
}

/// Summarises a transcript; `None` if the user said too little. A file that is not a transcript is
/// refused, because only messages may be taken from a path.
pub fn from_transcript(
    memory: &Memory,
    named: Named<'_>,
    path: &Path,
) -> Result<Option<summaries::Summary>, Failure> {
    from_lines(memory, named, open(path)?, &path.display().to_string())
}

/// Opens a transcript that the user or an agent named.
pub fn open(path: &Path) -> Result<File, Failure> {
    let file = read::open_named(path).map_err(|problem| {
        Failure::new(FailureKind::Io, problem.to_string(), "name the transcript of a session")
    })?;
    file.ok_or_else(|| {
        let message = format!("there is no file {}", path.display());
        Failure::new(FailureKind::Usage, message, "name the transcript of a session")
    })
}

/// Summarises standard input, which may also be plain text: one message per block of lines between
/// empty ones or, without empty lines, per line.
pub fn from_stdin(
    memory: &Memory,
    named: Named<'_>,
    input: impl Read,
) -> Result<Option<summaries::Summary>, Failure> {
    match opened(input, "standard input")? {
        None => Ok(None),
        Some(OpenedTranscript::Lines(input)) => from_lines(memory, named, input, "standard input"),
        Some(OpenedTranscript::Text(text)) => Ok(of_prompts(memory, named, blocks(&text))),
    }
}

pub enum OpenedTranscript<R> {
    /// Lines of JSON, or one document.
    Lines(R),
    Text(String),
}

/// Detects the format from the first line; `None` if the input is empty.
pub fn opened(
    input: impl Read,
    name: &str,
) -> Result<Option<OpenedTranscript<impl Read>>, Failure> {
    let mut input = BufReader::new(input);
    let fail = |error| unreadable(name, error);
    let mut start = Vec::new();
    while start.trim_ascii().is_empty() {
        let length = input.by_ref().take(1 << 20).read_until(b'\n', &mut start).map_err(fail)?;
        if length == 0 {
            return Ok(None);
        }
    }
    let first = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start).trim_ascii();
    let json = first.starts_with(b"{") || first.starts_with(b"[");
    let all = io::Cursor::new(start.clone()).chain(input);
    if json {
        return Ok(Some(OpenedTranscript::Lines(all)));
    }
    let mut text = Vec::new();
    all.take(MOST_TEXT).read_to_end(&mut text).map_err(fail)?;
    Ok(Some(OpenedTranscript::Text(String::from_utf8_lossy(&text).replace("\r\n", "\n"))))
}

/// Splits plain text into messages.
pub fn blocks(text: &str) -> Vec<&str> {
    if text.trim().contains("\n\n") { text.split("\n\n").collect() } else { text.lines().collect() }
}

pub fn unreadable(name: &str, error: io::Error) -> Failure {
    Failure::from(anyhow::Error::new(error).context(format!("cannot read {name}")))
}

/// Returns the failure for a file that is not a transcript.
pub fn unknown(name: &str) -> Failure {
    let message = format!("{name} is no transcript that pimem knows");
    let hint = "transcripts of Claude Code, Codex, Gemini and pi are read; plain text is taken \
                from standard input";
    Failure::new(FailureKind::Refused, message, hint)
}

fn from_lines(
    memory: &Memory,
    named: Named<'_>,
    input: impl Read,
    name: &str,
) -> Result<Option<summaries::Summary>, Failure> {
    let mut lines = TranscriptLines::default();
    let mut said = Said::default();
    let read = read::each_line(input, read::MOST_READ, |line| {
        said.take(lines.push(line));
        if said.summary.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    read.map_err(|error| unreadable(name, error))?;
    let (session, rest) = lines.finish().ok_or_else(|| unknown(name))?;
    said.take(rest);
    Ok(said.finish(memory, named, Some(session.format.name()), session.id.as_deref()))
}

/// The summary of what the user said, and the time of the last message.
#[derive(Default)]
struct Said {
    summary: summary::ObservationSummary,
    last: Option<Timestamp>,
}

impl Said {
    fn take(&mut self, messages: Vec<Message>) {
        for message in messages.into_iter().filter(|message| message.role == Role::User) {
            self.summary.push(&message.text, summary::harmless_lead);
            self.last = self.last.max(message.when);
        }
    }

    fn finish(
        self,
        memory: &Memory,
        named: Named<'_>,
        agent: Option<&str>,
        id: Option<&str>,
    ) -> Option<summaries::Summary> {
        let (text, messages) = self.summary.finish()?;
        let who = memory.who();
        let clean = |text: &str| -> Option<String> {
            let text: String = secret::clean(text).chars().take(ID).collect();
            Some(text).filter(|text| !text.is_empty())
        };
        let id = named.session.or(id).or(who.session.as_deref()).and_then(clean);
        // Without an id, the text identifies the session.
        let id = id.unwrap_or_else(|| format!("{:016x}", fnv1a64(&[text.as_bytes()])));
        let agent = named.agent.or(agent).and_then(clean).unwrap_or(who.by);
        let when = Some(memory.now.cap(self.last.unwrap_or(memory.now.0)));
        Some(summaries::Summary {
            id: Some(id),
            agent: Some(agent),
            when,
            messages: Some(messages),
            text,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionIndexed {
    /// `false` if the session is too short.
    pub indexed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionView>,
}

/// Past sessions, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sessions {
    pub sessions: Vec<SessionView>,
}

/// A past session. Unknown fields are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// End of the session, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    pub summary: String,
    /// `project` or `user`; only set in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<&'static str>,
}

impl SessionView {
    pub fn new(summary: Summary, scope: Option<&'static str>) -> Self {
        let Summary { id, agent, when, messages, text } = summary;
        Self { id, agent, ts: when.map(|when| when.to_string()), messages, summary: text, scope }
    }
}

documents! {
    SessionIndexed: "pimem.session-index/1",
    Sessions: "pimem.sessions/1",
}

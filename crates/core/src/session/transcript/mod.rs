//! Transcripts of agents: who said what. Four formats, told by their content and never by a path.
//!
//! Lines that are damaged, torn or of an unknown kind are skipped. Only what a person typed and what
//! the agent answered is a message: what was injected into prompts, tools gave, or a compaction
//! summed up is not.

mod claude;
mod codex;
mod gemini;
mod pi;
mod spoken;

use serde_json::{Map, Value};

use crate::model::time::Timestamp;

/// The program that wrote a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// pi.
    Pi,
}

impl Format {
    /// Its name, as the command line has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Pi => "pi",
        }
    }
}

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The agent.
    Assistant,
}

/// What was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// By whom.
    pub role: Role,
    /// The text.
    pub text: String,
    /// When.
    pub when: Option<Timestamp>,
}

/// A session as its transcript tells it, but for its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Who wrote the transcript.
    pub format: Format,
    /// The session's id.
    pub id: Option<String>,
    /// The directory it was in.
    pub cwd: Option<String>,
}

/// The first bytes of a document that is no list of lines, which has to be read whole.
const MAX_DOCUMENT: usize = 16 << 20;

type Object = Map<String, Value>;

/// One format: takes records in the order of the file.
trait Reader {
    /// Takes a record.
    fn take(&mut self, record: &Object, session: &mut Session);
    /// Messages that nothing to come will change, each given once.
    fn settled(&mut self) -> Vec<Message>;
    /// Those that waited for the end of the file.
    fn rest(&mut self) -> Vec<Message> {
        Vec::new()
    }
}

/// Reads a transcript line by line.
#[derive(Default)]
pub struct Lines {
    known: Option<(Box<dyn Reader>, Session)>,
    begun: bool,
    /// A document over several lines, as far as it has been given.
    document: Option<Vec<u8>>,
}

impl Lines {
    /// Takes the next line, and gives the messages that are certain by now. Those of a session that
    /// may branch or be taken back come at the end.
    pub fn push(&mut self, line: &[u8]) -> Vec<Message> {
        let line = if self.begun { line } else { line.strip_prefix(BOM).unwrap_or(line) };
        let line = line.trim_ascii();
        if let Some(document) = &mut self.document {
            if document.len() + line.len() < MAX_DOCUMENT {
                document.extend_from_slice(line);
                document.push(b'\n');
            }
            return Vec::new();
        }
        if line.is_empty() {
            return Vec::new();
        }
        if !self.begun && (line == b"{" || line.starts_with(b"[")) {
            self.document = Some([line, b"\n"].concat());
        }
        self.begun = true;
        if let Ok(record) = serde_json::from_slice::<Object>(line) {
            self.take(&record);
        }
        self.known.as_mut().map(|(reader, _)| reader.settled()).unwrap_or_default()
    }

    /// The session, as far as it is known by now.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.known.as_ref().map(|(_, session)| session)
    }

    /// The end of the file: the session, unless nothing was recognised, and the last messages.
    #[must_use]
    pub fn finish(mut self) -> Option<(Session, Vec<Message>)> {
        if let Some(document) = self.document.take() {
            match serde_json::from_slice(&document) {
                Ok(Value::Array(records)) => {
                    records.iter().filter_map(Value::as_object).for_each(|one| self.take(one));
                }
                Ok(Value::Object(record)) => self.take(&record),
                // A list of lines after all, of which the first is damaged.
                _ => {
                    let lines = document.split(|byte| *byte == b'\n');
                    for record in lines.filter_map(|line| serde_json::from_slice(line).ok()) {
                        self.take(&record);
                    }
                }
            }
        }
        let (mut reader, session) = self.known?;
        let mut messages = reader.settled();
        messages.extend(reader.rest());
        Some((session, messages))
    }

    fn take(&mut self, record: &Object) {
        if self.known.is_none() {
            self.known = detect(record)
                .map(|(format, reader)| (reader, Session { format, id: None, cwd: None }));
        }
        if let Some((reader, session)) = &mut self.known {
            reader.take(record, session);
        }
    }
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// All of a transcript.
#[must_use]
pub fn read(bytes: &[u8]) -> Option<(Session, Vec<Message>)> {
    let mut lines = Lines::default();
    let mut messages: Vec<Message> =
        bytes.split(|byte| *byte == b'\n').flat_map(|line| lines.push(line)).collect();
    let (session, rest) = lines.finish()?;
    messages.extend(rest);
    Some((session, messages))
}

/// What a person typed of a prompt: without what agents and editors put into it, and nothing where
/// all of it is that, or a command.
#[must_use]
pub fn typed(prompt: &str) -> Option<String> {
    spoken::by_user(prompt).map(|_| spoken::stripped(prompt).into_owned())
}

/// What the agent said last, from the end of a transcript, whose first line may be torn.
#[must_use]
pub fn last_assistant(tail: &[u8]) -> Option<String> {
    let said = |line: &[u8]| {
        let record = serde_json::from_slice::<Object>(line.trim_ascii()).ok()?;
        let (format, mut reader) = detect(&record)?;
        let mut session = Session { format, id: None, cwd: None };
        reader.take(&record, &mut session);
        let mut messages = reader.settled();
        messages.extend(reader.rest());
        let last = messages.pop().filter(|message| message.role == Role::Assistant)?;
        Some(last.text)
    };
    tail.rsplit(|byte| *byte == b'\n').find_map(said)
}

/// Whose record it is. Each format has a key that no other has.
fn detect(record: &Object) -> Option<(Format, Box<dyn Reader>)> {
    if pi::is_record(record) {
        return Some((Format::Pi, Box::new(pi::Pi::default())));
    }
    if codex::is_record(record) {
        return Some((Format::Codex, Box::new(codex::Codex::default())));
    }
    if claude::is_record(record) {
        return Some((Format::Claude, Box::new(claude::Claude::default())));
    }
    gemini::is_record(record).then(|| (Format::Gemini, Box::new(gemini::Gemini::default()) as _))
}

fn string<'a>(record: &'a Object, key: &str) -> Option<&'a str> {
    record.get(key)?.as_str()
}

/// RFC 3339, or milliseconds.
fn time(record: &Object) -> Option<Timestamp> {
    let value = record.get("timestamp")?;
    value.as_str().and_then(Timestamp::parse).or_else(|| value.as_i64().map(Timestamp))
}

/// The text of a content: a string, or a list of parts of which those with text count.
fn content(value: &Value, kinds: &[&str]) -> String {
    let text = |part: &Value| match part {
        Value::String(text) => Some(text.clone()),
        Value::Object(part) => {
            let kind = string(part, "type");
            let wanted = kind.is_none_or(|kind| kinds.contains(&kind));
            string(part, "text").filter(|_| wanted).map(str::to_owned)
        }
        _ => None,
    };
    match value {
        Value::Array(parts) => parts.iter().filter_map(text).collect::<Vec<_>>().join("\n"),
        one => text(one).unwrap_or_default(),
    }
}

/// A message, if anything was said.
fn message(role: Role, text: &str, when: Option<Timestamp>) -> Option<Message> {
    let text = match role {
        Role::User => spoken::by_user(text)?,
        Role::Assistant => Some(text.trim().to_owned()).filter(|text| !text.is_empty())?,
    };
    Some(Message { role, text, when })
}

#[cfg(test)]
mod tests;

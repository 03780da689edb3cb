//! Transcripts of agents in four formats, recognised by content and never by path.
//!
//! Lines that are damaged, torn or of an unknown kind are skipped. Only text typed by a person and
//! answers of the agent are messages; text injected into prompts, output of tools and compaction
//! summaries are not.

mod formats;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::model::time::Timestamp;

crate::named! {
    /// The program that wrote a transcript.
    pub enum Format {
        Claude = "claude",
        Codex = "codex",
        Gemini = "gemini",
        Pi = "pi",
    }
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub role: Role,
    pub text: String,
    pub when: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub format: Format,
    pub id: Option<String>,
    pub cwd: Option<String>,
}

/// Maximum size of a document that is not one record per line and must be read whole. Further lines
/// are ignored.
const MAX_DOCUMENT: usize = 16 << 20;

type Object = Map<String, Value>;

/// The reader of one format. Records arrive in file order.
trait Reader {
    fn take(&mut self, record: &Object, session: &mut Session);
    /// Returns the messages that later records cannot change, each once.
    fn settled(&mut self) -> Vec<Message>;
    /// Returns the messages that were pending until the end of the file.
    fn rest(&mut self) -> Vec<Message> {
        Vec::new()
    }
}

#[derive(Default)]
pub struct TranscriptLines {
    known: Option<(Box<dyn Reader>, Session)>,
    begun: bool,
    /// The lines so far of a document that spans several lines.
    document: Option<Vec<u8>>,
}

impl TranscriptLines {
    /// Adds the next line, and returns the messages that are final by now. If the session may
    /// branch or be rewound, messages follow at the end.
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

    /// The session, as far as known.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.known.as_ref().map(|(_, session)| session)
    }

    /// Ends the file, and returns the session and the last messages. `None` if no record was
    /// recognised.
    #[must_use]
    pub fn finish(mut self) -> Option<(Session, Vec<Message>)> {
        if let Some(document) = self.document.take() {
            match serde_json::from_slice(&document) {
                Ok(Value::Array(records)) => {
                    records.iter().filter_map(Value::as_object).for_each(|one| self.take(one));
                }
                Ok(Value::Object(record)) => self.take(&record),
                // One record per line after all, with a damaged first line.
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

#[must_use]
pub fn read(bytes: &[u8]) -> Option<(Session, Vec<Message>)> {
    let mut lines = TranscriptLines::default();
    let mut messages: Vec<Message> =
        bytes.split(|byte| *byte == b'\n').flat_map(|line| lines.push(line)).collect();
    let (session, rest) = lines.finish()?;
    messages.extend(rest);
    Some((session, messages))
}

/// Returns the part of a prompt that a person typed, without injections by agents and editors.
/// `None` if nothing is left, or if it is a command.
#[must_use]
pub fn typed(prompt: &str) -> Option<String> {
    by_user(prompt).map(|_| stripped(prompt).into_owned())
}

/// Returns the agent's last message from the tail of a transcript, whose first line may be torn.
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

/// Returns the task that the agent has last given to a sub-agent of a kind, by the tail of a transcript
/// of Claude Code or Codex.
#[must_use]
pub fn last_task(tail: &[u8], kind: Option<&str>) -> Option<String> {
    let has = |line: &&[u8], text: &str| memchr::memmem::find(line, text.as_bytes()).is_some();
    let lines = tail.rsplit(|byte| *byte == b'\n');
    let mut lines = lines.filter(|line| has(line, "\"tool_use\"") || has(line, "\"spawn_agent\""));
    lines.find_map(|line| {
        let record: Value = serde_json::from_slice(line).ok()?;
        let Some(parts) = record.pointer("/message/content") else {
            return task_of_codex(record.get("payload")?);
        };
        parts.as_array()?.iter().rev().find_map(|part| {
            let is_task =
                ["Task", "Agent"].iter().any(|name| part.get("name") == Some(&json!(name)));
            let input = part.get("input").filter(|_| is_task)?;
            let of = input.get("subagent_type").and_then(Value::as_str);
            let is_other = of.zip(kind).is_some_and(|(of, kind)| of != kind);
            input.get("prompt")?.as_str().filter(|_| !is_other).map(str::to_owned)
        })
    })
}

/// Returns what a call of Codex gives to a sub-agent; its name where the task is encrypted.
fn task_of_codex(call: &Value) -> Option<String> {
    call.get("name").filter(|name| *name == "spawn_agent")?;
    let given: Value = serde_json::from_str(call.get("arguments")?.as_str()?).ok()?;
    let text = |key: &str| given.get(key)?.as_str().map(str::to_owned);
    let name = || text("task_name").map(|name| name.replace('_', " "));
    text("message").filter(|task| task.contains(' ')).or_else(name)
}

/// Returns true if the agent gave this text to a tool before, by the tail of a transcript of Claude
/// Code: so a turn begins whose prompt the agent itself had put on a schedule.
#[must_use]
pub fn is_scheduled(tail: &[u8], prompt: &str) -> bool {
    let prompt = prompt.trim();
    let quoted = serde_json::to_string(prompt).unwrap_or_default();
    // Few lines hold the text, and only these are parsed.
    let needle = quoted.trim_matches('"').as_bytes();
    if prompt.is_empty() || memchr::memmem::find(tail, needle).is_none() {
        return false;
    }
    let lines = tail.split(|byte| *byte == b'\n');
    let mut lines = lines.filter(|line| memchr::memmem::find(line, needle).is_some());
    lines.any(|line| {
        let record: Value = serde_json::from_slice(line).unwrap_or_default();
        let parts = record.pointer("/message/content").and_then(Value::as_array);
        let calls = parts.into_iter().flatten().filter(|part| {
            record.get("type").is_some_and(|kind| kind == "assistant")
                && part.get("type").is_some_and(|kind| kind == "tool_use")
        });
        let mut given = calls.filter_map(|call| call.get("input")?.as_object());
        given.any(|input| {
            input.values().filter_map(Value::as_str).any(|given| given.trim() == prompt)
        })
    })
}

/// What lines of a transcript say about compactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compactions {
    /// Where all messages were replaced.
    pub replaced: Vec<Replaced>,
    /// True if the agent has answered since the session was started or resumed, in these lines or
    /// before.
    pub answered: bool,
}

/// A line that replaces all messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    pub at: usize,
    /// The id of the last message in its place. A compaction makes a new one; a session that is
    /// resumed repeats what it had.
    pub last: String,
}

/// Finds what may be compactions in lines of a transcript that tells them by replacing all messages,
/// as Gemini CLI does. A session that starts or is resumed in the same file sets up its context by
/// such lines too; these come before the first answer.
#[must_use]
pub fn compactions(lines: &[u8], answered: bool) -> Compactions {
    let mut found = Compactions { replaced: Vec::new(), answered };
    let mut at = 0;
    for line in lines.split(|byte| *byte == b'\n') {
        match formats::step(line) {
            Some(formats::GeminiStep::Start) => found.answered = false,
            Some(formats::GeminiStep::Answer) => found.answered = true,
            Some(formats::GeminiStep::Replacement(last)) if found.answered => {
                found.replaced.push(Replaced { at, last });
            }
            _ => {}
        }
        at += line.len() + 1;
    }
    found
}

/// Detects the format of a record. Each format has a key that no other has.
fn detect(record: &Object) -> Option<(Format, Box<dyn Reader>)> {
    if formats::is_pi(record) {
        return Some((Format::Pi, Box::new(formats::Pi::default())));
    }
    if formats::is_codex(record) {
        return Some((Format::Codex, Box::new(formats::Codex::default())));
    }
    if formats::is_claude(record) {
        return Some((Format::Claude, Box::new(formats::Claude::default())));
    }
    formats::is_gemini(record).then(|| (Format::Gemini, Box::new(formats::Gemini::default()) as _))
}

fn string<'a>(record: &'a Object, key: &str) -> Option<&'a str> {
    record.get(key)?.as_str()
}

/// Parses the time as RFC 3339 or milliseconds.
fn time(record: &Object) -> Option<Timestamp> {
    let value = record.get("timestamp")?;
    value.as_str().and_then(Timestamp::parse).or_else(|| value.as_i64().map(Timestamp))
}

/// Returns the text of a content: a string, or a list of parts, of which those with text of the
/// given kinds count.
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

/// Returns a message, unless it is empty.
fn message(role: Role, text: &str, when: Option<Timestamp>) -> Option<Message> {
    let text = match role {
        Role::User => by_user(text)?,
        Role::Assistant => Some(text.trim().to_owned()).filter(|text| !text.is_empty())?,
    };
    Some(Message { role, text, when })
}

/// Elements that agents and editors inject into messages of the user.
const INJECTED: &[&str] = &[
    "system-reminder",
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "user-prompt-submit-hook",
    "hook_context",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "task-notification",
    "teammate-message",
    "cross-session-message",
    "agent-message",
    "coordinator-relay",
    "ide_opened_file",
    "ide_selection",
    "environment_context",
    "user_instructions",
    "session_context",
];

/// Beginnings of messages that no person typed.
const STARTS: &[&str] = &[
    "This session is being continued from a previous conversation",
    "Caveat: The messages below were generated by the user while running local commands",
    "[Request interrupted by user",
    "Stop hook feedback:",
    "# AGENTS.md instructions for",
    "This is the Gemini CLI.",
    // A plan of the model, which a person has approved.
    "Implement the following plan:\n\n#",
];

/// Editors put a list of open files before the request. Elsewhere such a heading was pasted.
const SETUP: &str = "# Context from my IDE setup:";
const REQUEST: &str = "## My request for Codex:";

/// Returns what the person typed. `None` if all of it was injected, or is a command to the agent's
/// shell.
fn by_user(text: &str) -> Option<String> {
    let text = stripped(text);
    let text = text.trim();
    let injected = STARTS.iter().any(|start| text.starts_with(start)) || one_element(text);
    (!text.is_empty() && !injected && !command(text)).then(|| text.to_owned())
}

/// Returns a message without injected text.
fn stripped(text: &str) -> Cow<'_, str> {
    let asked = || text.find(REQUEST).and_then(|at| text.get(at + REQUEST.len()..));
    let text = if text.trim_start().starts_with(SETUP) { asked().unwrap_or(text) } else { text };
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    INJECTED.iter().fold(Cow::Borrowed(text), |text, tag| without(text, tag))
}

/// Removes the elements of one name; an unclosed one extends to the end.
fn without<'a>(text: Cow<'a, str>, name: &str) -> Cow<'a, str> {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    if !text.contains(&open) {
        return text;
    }
    let (mut kept, mut rest) = (String::new(), text.as_ref());
    while let Some((before, inside)) = rest.split_once(&open) {
        kept.push_str(before);
        if inside.starts_with([' ', '>', '\n']) {
            rest = inside.split_once(&close).map_or("", |(_, after)| after);
        } else {
            kept.push_str(&open);
            rest = inside;
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns true if the text is a single element of any name.
fn one_element(text: &str) -> bool {
    let Some(inside) = text.strip_prefix('<') else { return false };
    let name = inside.find(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)));
    let name = inside.get(..name.unwrap_or(0)).unwrap_or_default();
    !name.is_empty() && text.ends_with(&format!("</{name}>"))
}

/// Returns true for `/compact` and `/model opus`, but not for a path.
fn command(text: &str) -> bool {
    let Some(name) = text.strip_prefix('/').and_then(|text| text.split_whitespace().next()) else {
        return false;
    };
    name.chars().all(|c| c.is_ascii_alphanumeric() || "_-:".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed() {
        for (text, want) in [
            (" add a test ", Some("add a test")),
            ("a<system-reminder>x\ny</system-reminder> b", Some("a b")),
            ("<command-name>/clear</command-name>\n<command-args></command-args>", None),
            ("<bash-input>ls</bash-input>", None),
            (
                "<teammate-message from=\"b\">always use tabs</teammate-message>\nDone?",
                Some("Done?"),
            ),
            ("<environment_context>\n<cwd>/w</cwd>\n</environment_context>", None),
            ("<recommended_plugins>a</recommended_plugins>", None),
            ("ok <system-reminder>never closed", Some("ok")),
            ("<system-reminders> is a word", Some("<system-reminders> is a word")),
            ("<div> should be a <span>", Some("<div> should be a <span>")),
            ("/compact", None),
            ("/review:deep the lock", None),
            ("/srv/harbor is not there", Some("/srv/harbor is not there")),
            ("[Request interrupted by user for tool use]", None),
            (
                "# Context from my IDE setup:\n\n## Active file: a\n\n## My request for Codex:\nfix it",
                Some("fix it"),
            ),
            (
                "What is it?\n## My request for Codex:\nfix it",
                Some("What is it?\n## My request for Codex:\nfix it"),
            ),
            ("", None),
            ("<", Some("<")),
        ] {
            assert_eq!(by_user(text).as_deref(), want, "{text}");
        }
        let many = "<system-reminder".repeat(60_000);
        assert_eq!(by_user(&many).map(|text| text.len()), Some(many.len()));
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod reader_tests;

//! The four formats of transcripts.
//!
//! * Claude Code: one record per line, `{"type":"user","message":{"role","content"}}`.
//! * Codex: rollouts. Newer lines are `{"timestamp","type","payload"}`, older ones the payload alone.
//!   A newer rollout contains everything twice, as an event and as a conversation item; an older or
//!   shortened one contains only the items.
//! * Gemini CLI: a log of records by id, which later lines replace, patch or take back. Older versions
//!   write one document with all messages, or a list of the user's messages.
//! * pi: a tree of entries. The conversation is the path to the last entry, whatever the order of
//!   lines.

use std::collections::HashMap;

use serde_json::Value;

use super::{Message, Object, Reader, Role, Session, content, message, string, time};
use crate::model::time::Timestamp;

#[derive(Default)]
pub(super) struct Claude(Vec<Message>);

pub(super) fn is_claude(record: &Object) -> bool {
    let id = record.get("sessionId").is_some_and(Value::is_string);
    let kind = string(record, "type").unwrap_or_default();
    let said =
        matches!(kind, "user" | "assistant") && record.get("message").is_some_and(Value::is_object);
    // Its other records have a session id too. Gemini's have one only without a kind, or with one
    // of these.
    said || (id && !matches!(kind, "" | "user" | "gemini" | "info"))
}

impl Reader for Claude {
    fn take(&mut self, record: &Object, session: &mut Session) {
        let first = |known: &mut Option<String>, key| {
            if known.is_none() {
                *known = string(record, key).map(str::to_owned);
            }
        };
        first(&mut session.id, "sessionId");
        first(&mut session.cwd, "cwd");
        let is = |key: &str| record.get(key) == Some(&Value::Bool(true));
        let aside = ["isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly"];
        if aside.into_iter().any(is) {
            return;
        }
        // Notifications, scheduled turns and other agents' messages stand in the user's name.
        let origin = record.get("origin").and_then(|origin| origin.get("kind"));
        if origin.is_some_and(|kind| kind != "human") {
            return;
        }
        let role = match string(record, "type") {
            Some("user") => Role::User,
            Some("assistant") if !is("isApiErrorMessage") => Role::Assistant,
            _ => return,
        };
        let said = record.get("message").and_then(|message| message.get("content"));
        let text = said.map(|said| content(said, &["text"])).unwrap_or_default();
        self.0.extend(message(role, &text, time(record)));
    }

    fn settled(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.0)
    }
}

/// The form in which a message was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Event,
    Item,
}

#[derive(Default)]
pub(super) struct Codex {
    messages: Vec<Message>,
    /// The last message of user and agent, to recognise it in the other form.
    last: [Option<(Source, String)>; 2],
}

pub(super) fn is_codex(record: &Object) -> bool {
    let kind = string(record, "type").unwrap_or_default();
    let enveloped = record.get("payload").is_some_and(Value::is_object)
        && matches!(
            kind,
            "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted"
        );
    let item = kind == "message" && record.contains_key("role") && record.contains_key("content");
    // The first line of older rollouts.
    let head = kind.is_empty()
        && record.contains_key("id")
        && record.contains_key("timestamp")
        && (record.contains_key("instructions") || record.contains_key("git"));
    enveloped || item || head
}

impl Reader for Codex {
    fn take(&mut self, record: &Object, session: &mut Session) {
        let when = time(record);
        let kind = string(record, "type");
        let payload = record.get("payload").and_then(Value::as_object);
        match (kind, payload) {
            (Some("session_meta"), Some(meta)) => head(meta, session),
            (Some("event_msg"), Some(event)) => {
                let role = match string(event, "type") {
                    Some("user_message") => Role::User,
                    Some("agent_message") => Role::Assistant,
                    _ => return,
                };
                let text = string(event, "message").unwrap_or_default();
                self.say(Source::Event, message(role, text, when));
            }
            (Some("response_item"), Some(item)) if !is_summary(record) => self.item(item, when),
            (Some("message"), None) => self.item(record, when),
            (None, None) => head(record, session),
            _ => {}
        }
    }

    fn settled(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }
}

fn head(meta: &Object, session: &mut Session) {
    if session.id.is_none() {
        session.id = string(meta, "id").map(str::to_owned);
        session.cwd = string(meta, "cwd").map(str::to_owned);
    }
}

fn is_summary(record: &Object) -> bool {
    let metadata = record.get("metadata").and_then(Value::as_object);
    metadata.and_then(|known| known.get("compaction_output")).and_then(Value::as_bool) == Some(true)
}

impl Codex {
    fn item(&mut self, item: &Object, when: Option<Timestamp>) {
        let role = match (string(item, "type"), string(item, "role")) {
            (Some("message"), Some("user")) => Role::User,
            (Some("message"), Some("assistant")) => Role::Assistant,
            _ => return,
        };
        let text =
            item.get("content").map(|said| content(said, &["input_text", "output_text", "text"]));
        self.say(Source::Item, message(role, &text.unwrap_or_default(), when));
    }

    fn say(&mut self, source: Source, said: Option<Message>) {
        let Some(said) = said else { return };
        let Some(last) = self.last.get_mut(usize::from(said.role == Role::Assistant)) else {
            return;
        };
        let again = last.as_ref().is_some_and(|(from, text)| *from != source && *text == said.text);
        if again {
            *last = None;
            return;
        }
        *last = Some((source, said.text.clone()));
        self.messages.push(said);
    }
}

/// The message that the agent puts below its summary of a compaction.
const ACKNOWLEDGED: &str = "Got it. Thanks for the additional context!";

/// No message is final before the end, because any may still be taken back.
#[derive(Default)]
pub(super) struct Gemini {
    /// Messages with their ids, in order of first appearance; `None` for a record without text.
    messages: Vec<(Option<String>, Option<Message>)>,
    places: HashMap<String, usize>,
}

/// A step of a conversation, as far as compactions are concerned.
pub(super) enum GeminiStep {
    /// A process starts or resumes the session.
    Start,
    Answer,
    /// All messages are replaced; the id of the last.
    Replacement(String),
}

/// Returns the step that a line records. Lines that cannot be one are not parsed.
pub(super) fn step(line: &[u8]) -> Option<GeminiStep> {
    let text = std::str::from_utf8(line).ok()?;
    if text.contains("\"$set\"") {
        let record = serde_json::from_str::<Object>(text).ok()?;
        let last = record.get("$set")?.get("messages")?.as_array()?.last()?.as_object()?;
        return string(last, "id").map(|id| GeminiStep::Replacement(id.to_owned()));
    }
    if text.contains("\"projectHash\"") {
        let record = serde_json::from_str::<Object>(text).ok()?;
        return string(&record, "projectHash").map(|_| GeminiStep::Start);
    }
    let answer = text.contains("\"gemini\"")
        && serde_json::from_str::<Object>(text)
            .is_ok_and(|one| string(&one, "type") == Some("gemini"));
    answer.then_some(GeminiStep::Answer)
}

pub(super) fn is_gemini(record: &Object) -> bool {
    let has = |key: &str| record.contains_key(key);
    let typed = matches!(string(record, "type"), Some("user" | "gemini" | "info"));
    let said = typed && (has("id") && has("content") || has("sessionId") && has("message"));
    let head = has("sessionId") && (has("projectHash") || has("messages"));
    said || head || has("$set") || has("$rewindTo")
}

impl Reader for Gemini {
    fn take(&mut self, record: &Object, session: &mut Session) {
        if session.id.is_none() {
            session.id = string(record, "sessionId").map(str::to_owned);
        }
        if let Some(target) = string(record, "$rewindTo") {
            self.rewind(target);
            return;
        }
        let patch = record.get("$set").and_then(Value::as_object);
        let all = patch.unwrap_or(record).get("messages").and_then(Value::as_array);
        match all {
            Some(all) => {
                // A patch of all messages repeats some of them under new ids, for example after a
                // compaction. Earlier messages are kept.
                let new = if patch.is_some() { Self::repeat } else { Self::add };
                let all: Vec<&Object> = all.iter().filter_map(Value::as_object).collect();
                for (at, one) in all.iter().enumerate() {
                    let summary = all.get(at + 1).is_some_and(|next| acknowledges(next));
                    if !summary && !acknowledges(one) {
                        new(self, one);
                    }
                }
            }
            None => self.add(record),
        }
    }

    fn settled(&mut self) -> Vec<Message> {
        Vec::new()
    }

    fn rest(&mut self) -> Vec<Message> {
        self.messages.drain(..).filter_map(|(_, said)| said).collect()
    }
}

/// True for the answer that the agent itself puts below the summary of a compaction, which stands
/// in the user's name.
fn acknowledges(record: &Object) -> bool {
    string(record, "type") == Some("gemini")
        && record.get("content").is_some_and(|said| content(said, &["text"]).trim() == ACKNOWLEDGED)
}

impl Gemini {
    /// Returns the id and the message of a record.
    fn read(record: &Object) -> Option<(Option<String>, Option<Message>)> {
        let role = match string(record, "type") {
            Some("user") => Role::User,
            Some("gemini") => Role::Assistant,
            _ => return None,
        };
        let said = record.get("content").or_else(|| record.get("message"));
        let text = said.map(|said| content(said, &["text"])).unwrap_or_default();
        // Records in the list of the user's messages are numbered; a number is not an id.
        let id = string(record, "id").map(str::to_owned);
        Some((id, message(role, &text, time(record))))
    }

    fn add(&mut self, record: &Object) {
        let Some((id, said)) = Self::read(record) else { return };
        let known = id.as_ref().and_then(|id| self.places.get(id));
        if let Some((_, place)) = known.and_then(|at| self.messages.get_mut(*at)) {
            *place = said;
            return;
        }
        if let Some(id) = &id {
            self.places.insert(id.clone(), self.messages.len());
        }
        self.messages.push((id, said));
    }

    /// Adds a record of a list that may repeat known messages, which it dates anew.
    fn repeat(&mut self, record: &Object) {
        let Some((Some(id), Some(said))) = Self::read(record) else { return self.add(record) };
        let is_same = |known: &Message| known.role == said.role && known.text == said.text;
        let is_at = |at: usize| {
            self.messages.get(at).and_then(|(_, known)| known.as_ref()).is_some_and(is_same)
        };
        if self.places.get(&id).is_some_and(|at| is_at(*at)) {
            return;
        }
        let known = self.messages.iter().position(|(_, known)| known.as_ref().is_some_and(is_same));
        match known {
            Some(at) if !self.places.contains_key(&id) => drop(self.places.insert(id, at)),
            _ => self.add(record),
        }
    }

    /// Takes back a message and all later ones; an unknown id takes back everything.
    fn rewind(&mut self, target: &str) {
        let keep = self.places.get(target).copied().unwrap_or(0);
        self.messages.truncate(keep);
        self.places.retain(|_, at| *at < keep);
    }
}

enum Parent {
    /// None; the entry is a root.
    Root,
    Id(String),
    /// The previous entry in the file, as always in the first version of the format.
    Before,
}

#[derive(Default)]
pub(super) struct Pi {
    entries: Vec<(Parent, Option<Message>)>,
    places: HashMap<String, usize>,
}

pub(super) fn is_pi(record: &Object) -> bool {
    match string(record, "type") {
        Some("session") => record.contains_key("id") && record.contains_key("cwd"),
        Some("message") => record.get("message").is_some_and(|said| said.get("role").is_some()),
        _ => false,
    }
}

impl Reader for Pi {
    fn take(&mut self, record: &Object, session: &mut Session) {
        let kind = string(record, "type");
        if kind == Some("session") {
            session.id = string(record, "id").map(str::to_owned);
            session.cwd = string(record, "cwd").map(str::to_owned);
            return;
        }
        let said = record.get("message").filter(|_| kind == Some("message"));
        let said = said.and_then(Value::as_object).and_then(|said| {
            let role = match string(said, "role") {
                Some("user") => Role::User,
                Some("assistant") => Role::Assistant,
                _ => return None,
            };
            let text = said.get("content").map(|text| content(text, &["text"])).unwrap_or_default();
            message(role, &text, time(record).or_else(|| time(said)))
        });
        let parent = match record.get("parentId") {
            Some(Value::String(id)) => Parent::Id(id.clone()),
            Some(_) => Parent::Root,
            None => Parent::Before,
        };
        if let Some(id) = string(record, "id") {
            self.places.insert(id.to_owned(), self.entries.len());
        } else if said.is_none() {
            return;
        }
        self.entries.push((parent, said));
    }

    fn settled(&mut self) -> Vec<Message> {
        Vec::new()
    }

    fn rest(&mut self) -> Vec<Message> {
        let mut path = Vec::new();
        let mut next = self.entries.len().checked_sub(1);
        while let Some((parent, said)) = next.and_then(|at| self.entries.get_mut(at)) {
            path.extend(said.take());
            let before = next.and_then(|at| at.checked_sub(1));
            next = match parent {
                Parent::Root => None,
                Parent::Before => before,
                // An entry comes after its parent. If the parent is damaged, the previous line is
                // the best guess.
                Parent::Id(id) => {
                    self.places.get(id).copied().filter(|at| Some(*at) <= before).or(before)
                }
            };
        }
        path.reverse();
        path
    }
}

//! Gemini CLI: a log of records by id, which later lines replace, patch or take back. Older
//! versions write one document with all messages, or a list of the user's messages.

use std::collections::HashMap;

use serde_json::Value;

use super::{Message, Object, Reader, Role, Session, content, message, string, time};

/// What follows the summary of a compaction.
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
    /// The agent has answered.
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

pub(super) fn is_record(record: &Object) -> bool {
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

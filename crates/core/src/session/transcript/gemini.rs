//! Gemini CLI: a log of records by id, which later lines replace, patch or take back. Older
//! versions write one document with all messages, or a list of the user's messages.

use std::collections::HashMap;

use serde_json::Value;

use super::{Message, Object, Reader, Role, Session, content, message, string, time};

/// No message is final before the end, because any may still be taken back.
#[derive(Default)]
pub(super) struct Gemini {
    /// Messages with their ids, in order of first appearance; `None` for a record without text.
    messages: Vec<(Option<String>, Option<Message>)>,
    places: HashMap<String, usize>,
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
        // A patch may repeat all messages, for example after a compression. Earlier messages are
        // kept.
        let patch = record.get("$set").and_then(Value::as_object).unwrap_or(record);
        match patch.get("messages").and_then(Value::as_array) {
            Some(all) => all.iter().filter_map(Value::as_object).for_each(|one| self.add(one)),
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

impl Gemini {
    fn add(&mut self, record: &Object) {
        let role = match string(record, "type") {
            Some("user") => Role::User,
            Some("gemini") => Role::Assistant,
            _ => return,
        };
        let said = record.get("content").or_else(|| record.get("message"));
        let text = said.map(|said| content(said, &["text"])).unwrap_or_default();
        let said = message(role, &text, time(record));
        // Records in the list of the user's messages are numbered; a number is not an id.
        let id = string(record, "id").map(str::to_owned);
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

    /// Takes back a message and all later ones; an unknown id takes back everything.
    fn rewind(&mut self, target: &str) {
        let keep = self.places.get(target).copied().unwrap_or(0);
        for id in self.messages.drain(keep..).filter_map(|(id, _)| id) {
            self.places.remove(&id);
        }
    }
}

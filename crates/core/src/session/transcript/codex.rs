//! Codex: rollouts. Newer lines are `{"timestamp","type","payload"}`, older ones the payload alone.
//!
//! A newer rollout contains everything twice, as an event and as a conversation item; an older or
//! shortened one contains only the items.

use serde_json::Value;

use super::{Message, Object, Reader, Role, Session, content, message, string, time};
use crate::model::time::Timestamp;

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

pub(super) fn is_record(record: &Object) -> bool {
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

/// True for the summary that a compaction leaves.
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

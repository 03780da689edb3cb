//! Claude Code: one record per line, `{"type":"user","message":{"role","content"}}`.

use serde_json::Value;

use super::{Message, Object, Reader, Role, Session, content, message, string, time};

#[derive(Default)]
pub(super) struct Claude(Vec<Message>);

pub(super) fn is_record(record: &Object) -> bool {
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

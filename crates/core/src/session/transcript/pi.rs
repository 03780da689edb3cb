//! pi: a tree of entries. The conversation is the path to the last entry, whatever the order of
//! lines.

use std::collections::HashMap;

use serde_json::Value;

use super::{Message, Object, Reader, Role, Session, content, message, string, time};

/// The parent of an entry.
enum Parent {
    /// None; the entry is a root.
    Root,
    /// The entry with this id.
    Id(String),
    /// The previous entry in the file, as always in the first version of the format.
    Before,
}

#[derive(Default)]
pub(super) struct Pi {
    entries: Vec<(Parent, Option<Message>)>,
    places: HashMap<String, usize>,
}

pub(super) fn is_record(record: &Object) -> bool {
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

//! What a call answers: documents and texts, made safe and short for a model.

use std::{cell::RefCell, rc::Rc};

use pimem_core::{safe, safety::safe_text::SafeText};
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::{Notices, background::Stale},
    store::read::ReadProblem,
    view::{Document, Tagged},
};
use serde_json::{Map, Value, json};

use crate::ui::Ui;

/// Maximum number of characters of a text, and of a document.
pub(super) const LIMIT: usize = 10_000;
/// Maximum number of characters of one string of a document.
const STRING: usize = 7_600;
/// Maximum number of characters that are shown of an entry among others.
pub(super) const SHOWN: usize = 1_200;
/// Maximum number of messages beside an answer.
const NOTES: usize = 8;
/// Maximum number of ids that are named in place of what has no room.
const IDS: usize = 40;

/// What stands in place of a text that nobody on this machine has looked at.
const WITHHELD: &str =
    "(withheld: it came from elsewhere and awaits a review by a person: pimem trust --review)";

/// Messages of the memory during a call.
pub(super) struct SaidNotes {
    ui: Rc<Ui>,
    lines: RefCell<Vec<String>>,
}

impl SaidNotes {
    pub(super) fn new(ui: Rc<Ui>) -> Self {
        Self { ui, lines: RefCell::default() }
    }

    pub(super) fn take(&self) -> Vec<String> {
        self.lines.take()
    }
}

impl Notices for SaidNotes {
    fn note(&self, line: &str) {
        let mut lines = self.lines.borrow_mut();
        if lines.len() < NOTES {
            lines.push(line.to_owned());
        }
    }

    fn detail(&self, line: &str) {
        self.ui.detail(line);
    }

    fn progress(&self, _: &'static str) -> Box<dyn FnMut(usize, usize)> {
        Box::new(|_, _| {})
    }

    fn for_programs(&self) -> bool {
        true
    }
}

pub(super) struct SaidText {
    /// Words of the program above the lines.
    pub(super) head: SafeText,
    pub(super) lines: Vec<SafeText>,
    /// Lines below them.
    pub(super) notes: Vec<SafeText>,
    pub(super) document: Value,
    /// Indexes to refresh when the answer was given.
    pub(super) stale: Vec<Stale>,
}

impl SaidText {
    pub(super) fn new(head: SafeText, document: Value) -> Self {
        Self { head, lines: Vec::new(), notes: Vec::new(), document, stale: Vec::new() }
    }

    pub(super) fn note(&mut self, notes: &[String], problems: &[ReadProblem]) {
        self.notes.extend(notes.iter().map(|line| safe!("Note: {}\n", line)));
        let problems = problems.iter().take(NOTES);
        self.notes.extend(problems.map(|problem| safe!("Not read: {}\n", problem.to_string())));
    }

    /// Returns the text, no longer than the limit: lines with texts of the store between two marks
    /// that they cannot contain.
    pub(super) fn text(&self) -> SafeText {
        let size = |text: &SafeText| text.chars().count();
        let fence = ["<memory>\n", "</memory>\n"].map(SafeText::fixed);
        let around: usize = fence.iter().chain([&self.head]).chain(&self.notes).map(size).sum();
        let more = |left: usize| safe!("- ... {} more\n", left);
        let room = LIMIT.saturating_sub(around + size(&more(self.lines.len())));
        let (mut taken, mut shown) = (0, 0);
        for line in &self.lines {
            taken += size(line);
            if taken > room {
                break;
            }
            shown += 1;
        }
        let mut text = self.head.clone();
        if !self.lines.is_empty() {
            let [open, close] = &fence;
            text.push(open);
            self.lines.iter().take(shown).for_each(|line| text.push(line));
            if shown < self.lines.len() {
                text.push(&more(self.lines.len() - shown));
            }
            text.push(close);
        }
        self.notes.iter().for_each(|line| text.push(line));
        text.part(|text| {
            text.char_indices()
                .nth(LIMIT)
                .map_or(text, |(at, _)| text.get(..at).unwrap_or_default())
        })
    }

    pub(super) fn result(self) -> Map<String, Value> {
        let text = self.text();
        let content = json!([{ "type": "text", "text": &*text }]);
        fields(json!({ "content": content, "structuredContent": self.document }))
    }
}

pub(super) fn fields(value: Value) -> Map<String, Value> {
    if let Value::Object(fields) = value { fields } else { Map::new() }
}

/// Tools that do what commands of the shell do, which not every client has.
const TOOLS: [(&str, &str); 13] = [
    ("list", "memory_search"),
    ("search", "memory_search"),
    ("add", "memory_add"),
    ("why", "memory_why"),
    ("report", "memory_context"),
    ("edit", "memory_update with the action edit"),
    ("forget", "memory_update with the action forget"),
    ("remove", "memory_update with the action forget"),
    ("reinforce", "memory_update with the action reinforce"),
    ("pin", "memory_update with the action pin"),
    ("unpin", "memory_update with the action unpin"),
    ("supersede", "memory_update with the action supersede"),
    ("harmful", "memory_update with the action harmful"),
];

/// Returns a hint for a client: it names tools, and says of other commands that they are a person's.
fn for_tools(hint: &str) -> String {
    let (mut told, mut rest, mut is_persons) = (String::new(), hint, false);
    while let Some((before, after)) = rest.split_once("pimem ") {
        told.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (word, behind) = after.split_at(end);
        // Options mean something that no tool does.
        let is_plain = !behind.trim_start().starts_with('-');
        if let Some((_, tool)) = TOOLS.iter().find(|(command, _)| *command == word && is_plain) {
            told.push_str(tool);
        } else {
            is_persons |= !word.is_empty();
            told.push_str("pimem ");
            told.push_str(word);
        }
        rest = behind;
    }
    told.push_str(rest);
    if is_persons { format!("for a person at a terminal: {told}") } else { told }
}

pub(super) fn failed(failure: &Failure) -> Map<String, Value> {
    let mut text = safe!("{}\n", failure.message);
    // Candidates are texts of the store, of which some may await review.
    let is_ambiguous = failure.kind == FailureKind::Ambiguous;
    let narrow = ["name one by its id, as memory_search returns it".to_owned()];
    let hints = if is_ambiguous { &narrow[..] } else { &failure.hints };
    for hint in hints.iter().take(NOTES) {
        text.push(&safe!("hint: {}\n", for_tools(hint)));
    }
    let text = text.part(|text| {
        text.char_indices().nth(LIMIT).map_or(text, |(at, _)| text.get(..at).unwrap_or_default())
    });
    fields(json!({ "content": [{ "type": "text", "text": &*text }], "isError": true }))
}

/// Returns a document as a model may read it: without texts that await review, and made safe.
/// What of its `lists` has no room is left out from the end, the last list first; `more` has the
/// ids.
pub(super) fn document(view: &impl Document, lists: &[&str]) -> Value {
    let value = serde_json::to_value(Tagged::new(view)).unwrap_or_default();
    fit(value, lists)
}

/// The same for a document that is made already.
pub(super) fn fit(mut value: Value, lists: &[&str]) -> Value {
    withhold(&mut value);
    clean(&mut value, STRING);
    let mut size = length(&value);
    let (mut more, mut dropped) = (Vec::new(), 0_usize);
    for list in lists.iter().rev() {
        while size > LIMIT
            && let Some(last) =
                value.get_mut(*list).and_then(Value::as_array_mut).and_then(Vec::pop)
        {
            size -= length(&last) + 1;
            dropped += 1;
            if let Some(id) = last.get("id").filter(|_| more.len() < IDS) {
                size += length(id) + 1;
                more.push(id.clone());
            }
            if dropped == 1 {
                size += "\"more\":[],\"leftOut\":00000,".len();
            }
        }
    }
    if let Some(fields) = value.as_object_mut().filter(|_| dropped > 0) {
        more.reverse();
        fields.insert("more".to_owned(), Value::Array(more));
        fields.insert("leftOut".to_owned(), json!(dropped));
    }
    value
}

/// Replaces the texts of entries and passages that await review, and takes out what nobody reviews:
/// what stands behind the text of an entry, the heading above it, and who the log says has added it.
fn withhold(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(withhold),
        Value::Object(fields) => {
            let own = fields.get("reviewed") == Some(&Value::Bool(false));
            fields.retain(|key, _| !matches!(key.as_str(), "asked" | "rules"));
            for (key, value) in fields.iter_mut() {
                match key.as_str() {
                    "text" if own => *value = Value::from(WITHHELD),
                    "heading" | "added" if value.is_string() => *value = Value::Null,
                    _ => withhold(value),
                }
            }
        }
        _ => {}
    }
}

/// Makes the strings of a document safe, and no longer than a limit; those in lists are shorter.
fn clean(value: &mut Value, most: usize) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|value| clean(value, SHOWN)),
        Value::Object(fields) => fields.values_mut().for_each(|value| clean(value, most)),
        Value::String(text) => {
            let lines = text.contains('\n');
            let safe = if lines { SafeText::of_lines(text) } else { SafeText::of(text) };
            *text = short(&safe, most).to_string();
        }
        _ => {}
    }
}

fn length(value: &Value) -> usize {
    value.to_string().chars().count()
}

/// Returns a text of at most `most` characters.
pub(super) fn short(text: &SafeText, most: usize) -> SafeText {
    match text.char_indices().nth(most) {
        None => text.clone(),
        Some((at, _)) => safe!("{} …", text.part(|text| text.get(..at).unwrap_or_default())),
    }
}

pub(super) fn beginning(text: &str) -> SafeText {
    short(&told(text, None), 80)
}

/// Returns a text of the store on one line, unless it awaits review.
pub(super) fn told(text: &str, reviewed: Option<bool>) -> SafeText {
    if reviewed == Some(false) {
        return SafeText::fixed(WITHHELD);
    }
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    short(&SafeText::of(&line), SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_named_by_its_id() {
        let hit = |n: usize| json!({ "id": format!("{n:016x}"), "text": "x".repeat(300) });
        let value = json!({ "hits": (0..50).map(hit).collect::<Vec<_>>(), "terms": ["a"] });
        let fitted = fit(value.clone(), &["hits"]);
        assert!(length(&fitted) <= LIMIT && length(&fitted) > LIMIT - 400, "{}", length(&fitted));
        let kept = fitted["hits"].as_array().unwrap().len();
        assert_eq!(fitted["leftOut"], 50 - kept);
        assert_eq!(fitted["more"][0], value["hits"][kept]["id"]);
        assert_eq!(fitted["more"].as_array().unwrap().len(), 50 - kept);
        assert_eq!(fit(json!({ "hits": [] }), &["hits"]), json!({ "hits": [] }));
    }

    #[test]
    fn hints_name_tools() {
        for (hint, want) in [
            (
                "pimem list shows the entries; use an id",
                "memory_search shows the entries; use an id",
            ),
            ("take it back: pimem add", "take it back: memory_add"),
            ("pimem trust --review", "for a person at a terminal: pimem trust --review"),
            (
                "pimem list --state dropped shows them",
                "for a person at a terminal: pimem list --state dropped shows them",
            ),
            ("give the absolute path", "give the absolute path"),
            ("pimem", "pimem"),
            ("pimem ", "pimem "),
        ] {
            assert_eq!(for_tools(hint), want);
        }
    }

    #[test]
    fn unreviewed_texts_are_withheld_at_any_depth() {
        let entry = json!({ "id": "1", "text": "planted", "reviewed": false });
        let value = json!({ "entry": entry, "heading": "planted", "near": [{ "entry": entry }] });
        let text = fit(value, &[]).to_string();
        assert!(!text.contains("planted") && text.contains("pimem trust"), "{text}");
    }

    #[test]
    fn texts_cannot_close_the_marks() {
        let mut said = SaidText::new(SafeText::fixed("Found:\n"), Value::Null);
        said.lines =
            (0..90).map(|_| safe!("- {} {}\n", "</memory>\u{202e}", "y".repeat(200))).collect();
        let text = said.text();
        assert!(text.chars().count() <= LIMIT, "{}", text.len());
        assert_eq!(text.matches("</memory>").count(), 1, "{text}");
        assert!(text.contains(" more\n</memory>\n") && !text.contains('\u{202e}'), "{text}");
    }
}

//! Entries as JSON objects, one per line: the input of `add -`, and with evidence the output of
//! `export`.

use serde_json::{Map, Value, json};

use super::ExchangeItem;
use crate::{
    model::{
        entry::Share,
        event::{Cue, Event},
        names,
        operation::UserState,
        rules::LineRules,
        time::{Date, Timestamp},
    },
    score::adopt::PiScore,
};

/// The keys of a new entry.
pub const ENTRY: &str =
    "text category cue pin tags asked rules validUntil priority importance supersedes";
/// The keys of an entry with its evidence.
pub const WHOLE: &str = "text category cue pin tags asked rules validUntil id topic firstSeen \
    lastReinforced evidenceCount userState events withheld";

const EXAMPLE: &str = r#"as in {"text": "Use tabs", "category": "preference", "tags": ["style"]}"#;

/// An error in a line, with a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub message: String,
    pub hint: String,
}

fn wrong<T>(message: impl Into<String>, hint: &str) -> Result<T, Wrong> {
    Err(Wrong { message: message.into(), hint: hint.to_owned() })
}

/// Parses one line, which may have the keys `keys`, between blanks.
///
/// # Errors
/// If it is not an object, has other keys, or has values of wrong types.
pub fn read(line: &str, keys: &str) -> Result<ExchangeItem, Wrong> {
    let object: Value = match serde_json::from_str(line) {
        Ok(object) => object,
        Err(error) => {
            // The line number in the message is always 1; the caller adds the right one.
            let text = error.to_string();
            let what = text.split_once(" at line ").map_or(text.as_str(), |(what, _)| what);
            let message = format!("not valid JSON: {what} (column {})", error.column());
            return wrong(message, EXAMPLE);
        }
    };
    let Some(fields) = object.as_object() else { return wrong("not an object", EXAMPLE) };
    if let Some(key) = fields.keys().find(|key| !keys.split(' ').any(|known| known == *key)) {
        let hint = names::closest(key, keys.split(' ')).map_or_else(
            || format!("the keys are {}", keys.replace(' ', ", ")),
            |known| format!("did you mean {known}?"),
        );
        return wrong(format!("unknown key {key:?}"), &hint);
    }
    item(fields)
}

fn item(fields: &Map<String, Value>) -> Result<ExchangeItem, Wrong> {
    let value = |key: &str| fields.get(key).filter(|value| !value.is_null());
    let text = |key: &str| match value(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => wrong(format!("{key} is not a text"), EXAMPLE),
    };
    let time = |key: &str| match text(key)? {
        None => Ok(None),
        Some(text) => match Timestamp::parse(&text) {
            None => wrong(format!("{text:?} is not a time"), "write it as in 2026-06-30T18:00:00Z"),
            time => Ok(time),
        },
    };
    let list = |key: &str| match value(key) {
        None => Some(Vec::new()),
        Some(list) => list.as_array().cloned(),
    };
    let texts = |key: &str| {
        let texts = list(key)
            .and_then(|all| all.iter().map(|one| one.as_str().map(str::to_owned)).collect());
        texts.map_or_else(|| wrong(format!("{key} is not a list of texts"), EXAMPLE), Ok)
    };
    let tags: Vec<String> = texts("tags")?;
    let cue = text("cue")?;
    let known = cue.as_deref().map(Cue::find);
    if let (Some(name), Some(None)) = (&cue, known) {
        let names = "one of explicit, structural, behavioral, recurrence";
        return wrong(format!("unknown cue {name:?}"), names);
    }
    let cue = known.flatten();
    let day = text("validUntil")?;
    let until = day.as_deref().map(Date::parse);
    if let (Some(day), Some(None)) = (&day, until) {
        return wrong(format!("{day:?} is not a date"), "write it as in 2026-12-31");
    }
    let pinned = match value("pin") {
        None => false,
        Some(Value::Bool(pin)) => *pin,
        Some(_) => return wrong("pin is neither true nor false", EXAMPLE),
    };
    let share = |key: &str| match value(key) {
        None => Ok(None),
        Some(number) => match number.as_f64().and_then(Share::new) {
            None => wrong(format!("{key} is not a number from 0 to 1"), EXAMPLE),
            share => Ok(share),
        },
    };
    let (first, last) = (time("firstSeen")?, time("lastReinforced")?);
    let evidence = match value("evidenceCount") {
        None => 1,
        Some(count) => match count.as_u64() {
            Some(count) => u32::try_from(count).unwrap_or(u32::MAX),
            None => return wrong("evidenceCount is not a whole number", EXAMPLE),
        },
    };
    let user = match text("userState")?.as_deref() {
        None | Some("auto") => UserState::Auto,
        Some("pinned") => UserState::Pinned,
        Some("forgotten") => UserState::Forgotten,
        Some(other) => {
            return wrong(format!("unknown userState {other:?}"), "auto, pinned or forgotten");
        }
    };
    let score = last.or(first).map(|last_reinforced| PiScore {
        evidence,
        cue: cue.unwrap_or(Cue::Explicit),
        first_seen: first.unwrap_or(last_reinforced),
        last_reinforced,
        user,
    });
    let events = list("events").and_then(|events| events.iter().map(event).collect());
    let Some(events) = events else {
        return wrong("events is not a list of events", "they are as in evidence.jsonl");
    };
    Ok(ExchangeItem {
        place: String::new(),
        category: text("category")?,
        likely: None,
        topic: text("topic")?,
        heading: None,
        text: text("text")?.unwrap_or_default(),
        cue,
        pinned,
        tags,
        asked: texts("asked")?,
        rules: LineRules::read(&texts("rules")?.join("\n")),
        until: until.flatten(),
        priority: share("priority")?,
        importance: share("importance")?,
        supersedes: text("supersedes")?,
        score,
        events,
        withheld: None,
        source: None,
        often: 0,
    })
}

fn event(value: &Value) -> Option<(Event, String)> {
    let line = value.to_string();
    Some((Event::read(&line)?, line))
}

/// Parses all lines that are not blank.
///
/// # Errors
/// The number of the first invalid line, and its error.
pub fn parse(text: &str) -> Result<Vec<ExchangeItem>, (usize, Wrong)> {
    let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let read = |(number, line): (usize, &str)| match read(line, WHOLE) {
        Ok(item) => Ok(ExchangeItem { place: format!("line {number}"), ..item }),
        Err(wrong) => Err((number, wrong)),
    };
    lines.map(read).collect()
}

/// Returns an entry as one line, without line end.
#[must_use]
pub fn render(item: &ExchangeItem) -> String {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
    put("text", json!(item.text));
    if let Some(category) = &item.category {
        put("category", json!(category));
    }
    if let Some(topic) = &item.topic {
        put("topic", json!(topic));
    }
    if item.pinned {
        put("pin", json!(true));
    }
    if !item.tags.is_empty() {
        put("tags", json!(item.tags));
    }
    if !item.asked.is_empty() {
        put("asked", json!(item.asked));
    }
    if !item.rules.is_empty() {
        put("rules", item.rules.iter().map(ToString::to_string).collect());
    }
    if let Some(cue) = item.cue {
        put("cue", json!(cue.name()));
    }
    if let Some(until) = item.until {
        put("validUntil", json!(until.to_string()));
    }
    if let Some(score) = &item.score {
        put("firstSeen", json!(score.first_seen.to_string()));
        put("lastReinforced", json!(score.last_reinforced.to_string()));
        put("evidenceCount", json!(score.evidence));
        put("userState", json!(score.user.name()));
    }
    if let Some(state) = item.withheld {
        put("withheld", json!(state));
    }
    if !item.events.is_empty() {
        let value = |line: &String| serde_json::from_str(line).unwrap_or(Value::Null);
        put("events", item.events.iter().map(|(_, line)| value(line)).collect());
    }
    Value::Object(object).to_string()
}

//! Summaries of past sessions in `session-search.json`, by whichever program wrote them.
//!
//! A list, or an object with a list under `sessions` or `entries`; of each element, the text under
//! `summary` or `text`, and the time under `ts`, `timestamp` or `date`. The rest is ignored.

use std::collections::HashMap;

use serde_json::{Value, value::RawValue};

use super::{line::MAX_LINE, notes::Passage};
use crate::model::time::Timestamp;

/// An object whose values are left as they stand.
type Object<'a> = HashMap<String, &'a RawValue>;

/// The summaries in a file: where the object of each is, and its time. None in a damaged file.
#[must_use]
pub fn sessions(bytes: &[u8]) -> Vec<Passage> {
    let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Ok(root) = serde_json::from_slice::<&RawValue>(json) else { return Vec::new() };
    let (mut line, mut counted) = (1, 0);
    let mut found = Vec::new();
    for object in list(root.get()) {
        let text = object.get();
        let Some((_, when)) = read(text) else { continue };
        // A raw value is a piece of the bytes that it was read from.
        let start = text.as_ptr().addr().saturating_sub(bytes.as_ptr().addr());
        let between = bytes.get(counted..start).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', between).count();
        counted = start;
        found.push(Passage { line, span: start..start + text.len(), when });
    }
    found
}

/// The text of a summary, from the bytes of its object.
#[must_use]
pub fn text(object: &[u8]) -> String {
    let object = str::from_utf8(object).ok();
    object.and_then(read).map(|(text, _)| text).unwrap_or_default()
}

fn list(json: &str) -> Vec<&RawValue> {
    if let Ok(list) = serde_json::from_str(json) {
        return list;
    }
    let root: Object<'_> = serde_json::from_str(json).unwrap_or_default();
    let listed = |key: &&str| serde_json::from_str(root.get(*key)?.get()).ok();
    ["sessions", "entries"].iter().find_map(listed).unwrap_or_default()
}

/// Text and time of one summary.
fn read(object: &str) -> Option<(String, Option<Timestamp>)> {
    let object: Object<'_> = serde_json::from_str(object).ok()?;
    let value = |key: &&str| serde_json::from_str::<Value>(object.get(*key)?.get()).ok();
    let text = ["summary", "text"].iter().filter_map(value).find_map(|value| match value {
        Value::String(text) => Some(text),
        _ => None,
    })?;
    let when = ["ts", "timestamp", "date"].iter().filter_map(value).find_map(|v| time(&v));
    let usable = !text.trim().is_empty() && text.len() <= MAX_LINE;
    usable.then_some((text, when))
}

/// RFC 3339, a date, a date with a time that has no offset (the date counts), or milliseconds.
fn time(value: &Value) -> Option<Timestamp> {
    let Value::String(text) = value else { return value.as_i64().map(Timestamp) };
    Timestamp::parse(text).or_else(|| {
        let (date, rest) = text.split_at_checked(10)?;
        let ends = rest.is_empty() || rest.starts_with(['T', ' ']);
        Timestamp::parse_date(date).filter(|_| ends)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(json: &str) -> Vec<(usize, String, String)> {
        let found = sessions(json.as_bytes());
        let date = |p: &Passage| p.when.map_or_else(String::new, |when| when.to_string());
        let each = |p: &Passage| (p.line, text(&json.as_bytes()[p.span.clone()]), date(p));
        found.iter().map(each).collect()
    }

    #[test]
    fn shapes() {
        let want = vec![(1, "one".to_owned(), "2026-05-01T00:00:00.000Z".to_owned())];
        for json in [
            r#"[{"summary": "one", "date": "2026-05-01"}]"#,
            r#"{"sessions": [{"text": "one", "ts": "2026-05-01T02:00:00+02:00"}]}"#,
            r#"{"version": 1, "entries": [{"timestamp": 1777593600000, "text": "one"}]}"#,
            r#"{"sessions": null, "entries": [{"summary": null, "text": "one", "date": "2026-05-01 10:00"}]}"#,
            "\u{feff}[3, null, [], {}, {\"summary\": \" \"}, {\"text\": \"one\", \"ts\": \"?\", \"date\": \"2026-05-01\"}]",
        ] {
            assert_eq!(all(json), want, "{json}");
        }
    }

    #[test]
    fn escapes_and_lines() {
        let json = "{\n\"sessions\":\n[\n{\"summary\": \"caf\\u00e9 \\\"x\\\"\\nß\"},\n{\"text\":\"ü\",\n\"ts\": []}, {\"text\":\"b\"}]}";
        let want = [(4, "café \"x\"\nß"), (5, "ü"), (6, "b")];
        assert_eq!(all(json), want.map(|(n, text)| (n, text.to_owned(), String::new())));
    }

    #[test]
    fn nothing_in_what_is_damaged() {
        let deep = format!("[{}{}]", "[".repeat(100_000), "]".repeat(100_000));
        let long = format!("[{{\"text\": \"{}\"}}]", "x".repeat(MAX_LINE + 1));
        for json in
            ["", "{", "[{\"text\": \"x\"},", "null", "3", "{}", "{\"sessions\": 3}", &deep, &long]
        {
            assert_eq!(all(json), [], "{json:.40}");
        }
        assert_eq!(sessions(b"[{\"text\": \"\xff\"}]"), []);
        assert_eq!(text(b"\xff"), "");
    }

    #[test]
    fn times() {
        for (json, want) in [
            ("\"2026-05-01T10:00:00Z\"", Some("2026-05-01T10:00:00.000Z")),
            ("\"2026-05-01T10:00:00\"", Some("2026-05-01T00:00:00.000Z")),
            ("\"2026-05-01x\"", None),
            ("\"2026-02-29\"", None),
            ("\"\"", None),
            ("true", None),
            ("1.5", None),
        ] {
            let got = time(&serde_json::from_str(json).unwrap()).map(|time| time.to_string());
            assert_eq!(got.as_deref(), want, "{json}");
        }
    }
}

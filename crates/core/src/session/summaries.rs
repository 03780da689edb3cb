//! Summaries of past sessions in `session-search.json`, written by any program.
//!
//! The file is a list, or an object with a list under `sessions` or `entries`. Each element has its
//! text under `summary` or `text`, and its time under `ts`, `timestamp` or `date`. Other data is
//! ignored, and preserved when a summary is added.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use serde_json::{Value, json, value::RawValue};

use crate::{
    markdown::{passages::Passage, topic::MAX_LINE},
    model::time::Timestamp,
};

/// An object with unparsed values.
type Object<'a> = HashMap<String, &'a RawValue>;

/// Maximum number of summaries; the oldest are dropped first.
pub const MOST: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Session id; `None` if another program wrote none.
    pub id: Option<String>,
    pub agent: Option<String>,
    pub when: Option<Timestamp>,
    /// Number of messages summarised.
    pub messages: Option<u64>,
    pub text: String,
}

impl Summary {
    fn write(&self) -> String {
        let when = self.when.map(|when| when.to_string());
        let Self { id, agent, messages, text, .. } = self;
        let object = json!({
            "id": id, "agent": agent, "ts": when, "messages": messages, "summary": text,
        });
        object.to_string()
    }
}

/// Returns the summaries in a file, in file order.
#[must_use]
pub fn all(bytes: &[u8]) -> Vec<Summary> {
    let describe = |object: &&RawValue| {
        let (text, when) = read(object.get())?;
        let fields: Object<'_> = serde_json::from_str(object.get()).ok()?;
        let value = |key: &str| serde_json::from_str::<Value>(fields.get(key)?.get()).ok();
        let string = |key: &&str| Some(value(key)?.as_str()?.to_owned());
        Some(Summary {
            id: IDS.iter().find_map(string),
            agent: string(&"agent"),
            when,
            messages: value("messages").and_then(|number| number.as_u64()),
            text,
        })
    };
    list_of(bytes).map(|(_, list)| list.iter().filter_map(describe).collect()).unwrap_or_default()
}

/// Adds a summary to a file, replacing that of the same session, unless it is only the start of
/// that: a transcript may have been cut. All other content is preserved byte for byte. Returns
/// `None` if the file is damaged.
#[must_use]
pub fn with(bytes: &[u8], new: &Summary) -> Option<Vec<u8>> {
    if bytes.trim_ascii().is_empty() {
        return Some(format!("[\n{}\n]\n", new.write()).into_bytes());
    }
    let (span, mut list) = list_of(bytes)?;
    let is_whole = |object: &&RawValue| {
        let longer = |known: &str| known.len() > new.text.len() && known.starts_with(&new.text);
        id(object.get()) == new.id && read(object.get()).is_some_and(|(text, _)| longer(&text))
    };
    if new.id.is_some() && list.iter().any(is_whole) {
        return Some(bytes.to_vec());
    }
    list.retain(|object| new.id.is_none() || id(object.get()) != new.id);
    let dated = |(at, object): (usize, &&RawValue)| read(object.get()).map(|(_, when)| (when, at));
    let mut dated: Vec<_> = list.iter().enumerate().filter_map(dated).collect();
    dated.sort_unstable();
    dated.truncate((dated.len() + 1).saturating_sub(MOST));
    let oldest: HashSet<usize> = dated.into_iter().map(|(_, at)| at).collect();
    let kept = (0..).zip(&list).filter(|(at, _)| !oldest.contains(at));
    let mut kept: Vec<&str> = kept.map(|(_, object)| object.get()).collect();
    let new = new.write();
    kept.push(&new);
    let list = format!("[\n{}\n]", kept.join(",\n"));
    Some([bytes.get(..span.start)?, list.as_bytes(), bytes.get(span.end..)?].concat())
}

/// Keys that other programs use for the session id.
const IDS: [&str; 3] = ["id", "sessionId", "session"];

fn id(object: &str) -> Option<String> {
    let object: Object<'_> = serde_json::from_str(object).ok()?;
    IDS.iter().find_map(|key| serde_json::from_str(object.get(*key)?.get()).ok())
}

/// Returns the summaries in a file, each with the span of its object and its time. Empty if the
/// file is damaged.
#[must_use]
pub fn sessions(bytes: &[u8]) -> Vec<Passage> {
    let Some((_, list)) = list_of(bytes) else { return Vec::new() };
    let (mut line, mut counted) = (1, 0);
    let mut found = Vec::new();
    for object in list {
        let text = object.get();
        let Some((_, when)) = read(text) else { continue };
        let start = start(bytes, text);
        let between = bytes.get(counted..start).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', between).count();
        counted = start;
        found.push(Passage { line, span: start..start + text.len(), when });
    }
    found
}

/// Returns the text of a summary from the bytes of its object.
#[must_use]
pub fn text(object: &[u8]) -> String {
    let object = str::from_utf8(object).ok();
    object.and_then(read).map(|(text, _)| text).unwrap_or_default()
}

/// Returns the list in a file, with its span.
fn list_of(bytes: &[u8]) -> Option<(Range<usize>, Vec<&RawValue>)> {
    let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let root = serde_json::from_slice::<&RawValue>(json).ok()?;
    let listed = |raw: &'_ RawValue| -> Option<Range<usize>> {
        serde_json::from_str::<Vec<&RawValue>>(raw.get()).ok()?;
        let start = start(bytes, raw.get());
        Some(start..start + raw.get().len())
    };
    let span = listed(root).or_else(|| {
        let object: Object<'_> = serde_json::from_str(root.get()).ok()?;
        ["sessions", "entries"].iter().find_map(|key| listed(object.get(*key)?))
    })?;
    let list = serde_json::from_slice(bytes.get(span.clone())?).ok()?;
    Some((span, list))
}

/// Returns the offset of a raw value, which is a slice of the parsed bytes.
fn start(bytes: &[u8], raw: &str) -> usize {
    raw.as_ptr().addr().saturating_sub(bytes.as_ptr().addr())
}

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

/// Parses RFC 3339, a date, a date with a time without offset (of which the date counts), or
/// milliseconds.
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

    fn summary(id: &str, ts: &str, text: &str) -> Summary {
        let (id, agent) = (Some(id.to_owned()), Some("claude".to_owned()));
        Summary { id, agent, when: Timestamp::parse(ts), messages: Some(3), text: text.to_owned() }
    }

    #[test]
    fn adding() {
        let new = summary("s1", "2026-06-30T18:00:00Z", "a | b");
        let own = r#"{"id":"s1","agent":"claude","ts":"2026-06-30T18:00:00.000Z","messages":3,"summary":"a | b"}"#;
        for (before, want) in [
            ("", format!("[\n{own}\n]\n")),
            (" \n", format!("[\n{own}\n]\n")),
            ("[]", format!("[\n{own}\n]")),
            ("\u{feff}[ ]\r\n", format!("\u{feff}[\n{own}\n]\r\n")),
            (
                r#"{"v": 1.0, "sessions": [{"text": "pi",  "x": [1e2]}, 3], "z": "\u00e9"}"#,
                format!(
                    "{{\"v\": 1.0, \"sessions\": [\n{{\"text\": \"pi\",  \"x\": [1e2]}},\n3,\n{own}\n], \"z\": \"\\u00e9\"}}"
                ),
            ),
            (
                r#"[{"id": "s1", "summary": "old"}, {"sessionId": "s1", "text": "older"}, {"id": 7}]"#,
                format!("[\n{{\"id\": 7}},\n{own}\n]"),
            ),
        ] {
            let after = with(before.as_bytes(), &new).unwrap();
            assert_eq!(String::from_utf8_lossy(&after), want);
            assert_eq!(with(&after, &new).unwrap(), after, "once more");
            assert_eq!(super::all(&after).last(), Some(&new));
        }
        for damaged in ["{", "[1,", "3", "null", "{}", "{\"sessions\": 3}", "\u{0}"] {
            assert_eq!(with(damaged.as_bytes(), &new), None, "{damaged}");
        }
    }

    #[test]
    fn the_start_of_what_is_known_adds_nothing() {
        let of = |text: &str| summary("s1", "2026-06-30T18:00:00Z", text);
        let known = with(b"", &of("lock the berth | add a test | ship it")).unwrap();
        assert_eq!(with(&known, &of("lock the berth | add a test")).unwrap(), known);
        for new in ["lock the berth | add two tests", "add a test", "ship it | lock the berth"] {
            let after = super::all(&with(&known, &of(new)).unwrap());
            assert_eq!(after, [of(new)]);
        }
        let other = Summary { id: Some("s2".to_owned()), ..of("lock the berth") };
        assert_eq!(super::all(&with(&known, &other).unwrap()).len(), 2);
    }

    #[test]
    fn the_oldest_goes() {
        let day = |n: usize| format!("2026-{:02}-{:02}T00:00:00Z", 1 + n / 28 % 12, 1 + n % 28);
        // Not in chronological order.
        let own = |n: usize| summary(&n.to_string(), &day(n * 7 % 336), "berth").write();
        let listed: Vec<String> = (1..MOST).map(own).collect();
        let before = format!("[\"kept\", {{\"text\": \"undated\"}}, {}]", listed.join(","));
        let bytes = with(before.as_bytes(), &summary("0", &day(0), "berth")).unwrap();
        let all = super::all(&bytes);
        assert_eq!(all.len(), MOST);
        assert!(all.iter().all(|summary| summary.text != "undated"));
        let bytes = with(&bytes, &summary("new", "2027-01-01T00:00:00Z", "new")).unwrap();
        let after = super::all(&bytes);
        assert_eq!(after.len(), MOST);
        let gone: Vec<_> = all.iter().filter(|one| !after.contains(one)).collect();
        assert_eq!(gone.len(), 1);
        assert_eq!(gone[0].when, Timestamp::parse(&day(0)));
        assert!(bytes.starts_with(b"[\n\"kept\",\n"));
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

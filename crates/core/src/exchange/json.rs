//! A JSON parser that keeps the byte span of every key and value, so that a file can be edited in
//! place; removal of parts of a text, where all other bytes stay as they are; and line numbers of
//! keys, for error messages. Pure.

use std::{cell::OnceCell, collections::HashMap, ops::Range};

use serde::de::IgnoredAny;

/// Maximum nesting depth of values.
const DEPTH: usize = 64;
/// UTF-8 byte order mark, which some editors write.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The variants of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Standard JSON.
    Strict,
    /// JSON with comments and trailing commas.
    Commented,
}

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Byte offset.
    pub at: usize,
    pub what: &'static str,
}

#[derive(Debug)]
pub struct Value {
    /// Byte range in the text.
    pub span: Range<usize>,
    pub kind: JsonKind,
}

#[derive(Debug)]
pub enum JsonKind {
    Object(Vec<JsonPart>),
    Array(Vec<JsonPart>),
    /// Decoded string.
    Text(String),
    /// A number or a literal.
    Other,
}

/// A member of an object or an element of an array.
#[derive(Debug)]
pub struct JsonPart {
    /// Name of the member; `None` for an element.
    pub key: Option<String>,
    /// Start of the white space directly before the part.
    pub lead: usize,
    /// True if that white space follows a line comment.
    pub after_comment: bool,
    /// Start of the part itself.
    pub start: usize,
    /// The part ends with its value.
    pub value: Value,
    /// Offset of the following comma.
    pub comma: Option<usize>,
}

impl JsonPart {
    /// Returns the end, including the comma.
    pub fn end(&self) -> usize {
        self.comma.map_or(self.value.span.end, |comma| comma + 1)
    }
}

impl Value {
    /// Returns the members of an object or the elements of an array.
    pub fn parts(&self) -> &[JsonPart] {
        match &self.kind {
            JsonKind::Object(parts) | JsonKind::Array(parts) => parts,
            JsonKind::Text(_) | JsonKind::Other => &[],
        }
    }

    /// Returns a member of an object. The last of equal names counts.
    pub fn member(&self, name: &str) -> Option<&Value> {
        let JsonKind::Object(parts) = &self.kind else { return None };
        let found = parts.iter().rev().find(|part| part.key.as_deref() == Some(name));
        found.map(|part| &part.value)
    }

    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            JsonKind::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Parses a text. Returns `None` if it is blank.
pub fn scan(bytes: &[u8], dialect: Dialect) -> Result<Option<Value>, Fault> {
    let at = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut scanner = Scanner { bytes, at, dialect, lead: at, after_comment: false };
    if bytes.get(at..).is_some_and(|rest| rest.trim_ascii().is_empty()) {
        return Ok(None);
    }
    scanner.trivia()?;
    let value = scanner.value(0)?;
    scanner.trivia()?;
    match scanner.peek() {
        None => Ok(Some(value)),
        Some(_) => Err(scanner.fault("something follows the end of the JSON value")),
    }
}

/// A position in a text, both numbers from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

pub fn position(bytes: &[u8], at: usize) -> Position {
    let before = bytes.get(..at).unwrap_or(bytes);
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let column = String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count();
    Position { line, column: column + 1 }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    dialect: Dialect,
    /// Start of the white space before `at`, and whether it follows a line comment.
    lead: usize,
    after_comment: bool,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fault(&self, what: &'static str) -> Fault {
        let what = if self.peek().is_none() { "the file ends in the middle" } else { what };
        Fault { at: self.at, what }
    }

    /// Skips white space, and comments if the dialect permits them.
    fn trivia(&mut self) -> Result<(), Fault> {
        (self.lead, self.after_comment) = (self.at, false);
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            self.at += rest.len() - rest.trim_ascii_start().len();
            let rest = rest.trim_ascii_start();
            let length = if rest.starts_with(b"//") {
                memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
            } else if rest.starts_with(b"/*") {
                let end = memchr::memmem::find(rest, b"*/");
                end.filter(|end| *end > 1).ok_or_else(|| self.fault("a comment has no end"))? + 2
            } else {
                return Ok(());
            };
            if self.dialect == Dialect::Strict {
                return Err(self.fault("a comment, which this agent does not read"));
            }
            self.at += length;
            (self.lead, self.after_comment) = (self.at, rest.starts_with(b"//"));
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Fault> {
        let start = self.at;
        if depth > DEPTH {
            return Err(self.fault("values are nested too deeply"));
        }
        let kind = match self.peek() {
            Some(b'{') => JsonKind::Object(self.parts(b'}', depth)?),
            Some(b'[') => JsonKind::Array(self.parts(b']', depth)?),
            Some(b'"') => JsonKind::Text(self.text()?),
            _ => self.other()?,
        };
        Ok(Value { span: start..self.at, kind })
    }

    fn parts(&mut self, close: u8, depth: usize) -> Result<Vec<JsonPart>, Fault> {
        let mut parts: Vec<JsonPart> = Vec::new();
        self.at += 1;
        loop {
            self.trivia()?;
            let (lead, after_comment, start) = (self.lead, self.after_comment, self.at);
            let last = parts.last().map(|part| part.comma.is_some());
            if self.peek() == Some(close) {
                if last == Some(true) && self.dialect == Dialect::Strict {
                    return Err(self.fault("a comma before this bracket"));
                }
                self.at += 1;
                return Ok(parts);
            }
            if last == Some(false) {
                return Err(self.fault("a comma or a closing bracket is missing before this"));
            }
            let key = if close == b'}' { Some(self.key()?) } else { None };
            let value = self.value(depth + 1)?;
            self.trivia()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            if comma.is_some() {
                self.at += 1;
            }
            parts.push(JsonPart { key, lead, after_comment, start, value, comma });
        }
    }

    fn key(&mut self) -> Result<String, Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("a name in double quotes is missing here"));
        }
        let key = self.text()?;
        self.trivia()?;
        if self.peek() != Some(b':') {
            return Err(self.fault("a colon is missing here"));
        }
        self.at += 1;
        self.trivia()?;
        Ok(key)
    }

    fn text(&mut self) -> Result<String, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let mut end = 1;
        loop {
            match rest.get(end) {
                None | Some(b'\n') => return Err(self.fault("a text has no closing quote")),
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
            }
        }
        let text = serde_json::from_slice(rest.get(..=end).unwrap_or_default());
        let text = text.map_err(|_| self.fault("a text that is not valid JSON"))?;
        self.at += end + 1;
        Ok(text)
    }

    fn other(&mut self) -> Result<JsonKind, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let length = rest.iter().take_while(|byte| is_word(byte)).count();
        let word = rest.get(..length).unwrap_or_default();
        serde_json::from_slice::<IgnoredAny>(word)
            .map_err(|_| self.fault("this is no JSON value"))?;
        self.at += length;
        Ok(JsonKind::Other)
    }
}

pub fn without(bytes: &[u8], mut cuts: Vec<Range<usize>>) -> Vec<u8> {
    cuts.sort_by_key(|cut| cut.start);
    let mut after = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for cut in cuts {
        after.extend_from_slice(bytes.get(done..cut.start).unwrap_or_default());
        done = done.max(cut.end);
    }
    after.extend_from_slice(bytes.get(done..).unwrap_or_default());
    after
}

/// Cuts the marked parts out of their brackets, with the white space and comma added with them.
pub fn cut(bytes: &[u8], parts: &[JsonPart], gone: &[bool], cuts: &mut Vec<Range<usize>>) {
    let marked = || parts.iter().zip(gone);
    let Some(kept) = marked().rev().find(|(_, gone)| !**gone).map(|(part, _)| part) else {
        // All parts of older brackets go; the white space in the brackets was there before.
        if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
            cuts.push(first.start..last.end());
        }
        return;
    };
    for (part, _) in marked().filter(|(_, gone)| **gone) {
        let follows = bytes.get(part.end()..).and_then(<[u8]>::first);
        let on_comment = part.after_comment && !matches!(follows, Some(b'\n' | b'\r'));
        let start = if on_comment { part.start } else { part.lead };
        cuts.push(start..part.value.span.end);
        cuts.extend(part.comma.map(|comma| comma..comma + 1));
    }
    // The comma that was added before the first of our parts at the end.
    let last = marked().next_back();
    if let (Some((last, true)), Some(comma)) = (last, kept.comma)
        && last.comma.is_none()
    {
        cuts.push(comma..comma + 1);
    }
}

/// Returns an object without the member of a dotted path, which may be spelled in one key or in
/// nested ones, and without what is empty then. Members below it that are `kept`, by their path, stay.
/// `None` if there is no such member.
#[must_use]
pub fn without_member(
    bytes: &[u8],
    root: &Value,
    path: &str,
    kept: &dyn Fn(&str) -> bool,
) -> Option<Vec<u8>> {
    let mut cuts = Vec::new();
    match removed(bytes, root, "", path, kept, &mut cuts) {
        Removed::Nothing => None,
        Removed::Some => Some(without(bytes, cuts)),
        Removed::All => {
            let span = root.span.start + 1..root.span.end.saturating_sub(1);
            Some(without(bytes, vec![span]))
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Removed {
    Nothing,
    Some,
    All,
}

fn removed(
    bytes: &[u8],
    object: &Value,
    at: &str,
    path: &str,
    kept: &dyn Fn(&str) -> bool,
    cuts: &mut Vec<Range<usize>>,
) -> Removed {
    let mut inner = Vec::new();
    let mut one =
        |part: &JsonPart| {
            let name = format!("{at}{}", part.key.as_deref().unwrap_or_default());
            let below = format!("{name}.");
            let is_meant = name == path || name.starts_with(&format!("{path}."));
            if is_meant && kept(&name) {
                Removed::Nothing
            } else if is_meant
                && !part.value.parts().iter().any(|part| {
                    part.key.as_deref().is_some_and(|key| kept(&format!("{below}{key}")))
                })
            {
                Removed::All
            } else if is_meant || path.starts_with(&below) {
                removed(bytes, &part.value, &below, path, kept, &mut inner)
            } else {
                Removed::Nothing
            }
        };
    let of_parts: Vec<Removed> = object.parts().iter().map(&mut one).collect();
    let gone: Vec<bool> = of_parts.iter().map(|of| *of == Removed::All).collect();
    cuts.append(&mut inner);
    if gone.contains(&true) {
        cut(bytes, object.parts(), &gone, cuts);
    }
    match () {
        () if of_parts.iter().all(|of| *of == Removed::Nothing) => Removed::Nothing,
        () if gone.iter().all(|gone| *gone) => Removed::All,
        () => Removed::Some,
    }
}

/// The lines of the keys in a JSON text, computed on first use.
pub struct LineStarts<'a> {
    text: &'a str,
    known: OnceCell<HashMap<String, usize>>,
}

impl<'a> LineStarts<'a> {
    /// `text` must be valid JSON.
    pub fn new(text: &'a str) -> Self {
        Self { text, known: OnceCell::new() }
    }

    /// Returns the line, from 1, of the key with a dotted path. Of duplicate keys, the last one
    /// counts.
    pub fn of(&self, path: &str) -> usize {
        self.known.get_or_init(|| lines(self.text)).get(path).copied().unwrap_or(1)
    }
}

fn lines(text: &str) -> HashMap<String, usize> {
    let mut known = HashMap::new();
    let mut keys: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    let mut line = 1;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => line += 1,
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                keys.truncate(depth);
            }
            '"' => {
                let mut string = String::new();
                while let Some(c) = chars.next_if(|c| *c != '"') {
                    string.push(c);
                    if c == '\\' {
                        string.extend(chars.next());
                    }
                }
                chars.next();
                // Only a string before a colon is a key, and no setting is nested deeper than three
                // levels.
                let mut ahead = chars.clone().skip_while(|c| c.is_whitespace());
                if ahead.next() == Some(':') && (1..=3).contains(&depth) {
                    keys.truncate(depth - 1);
                    keys.push(string);
                    known.insert(keys.join("."), line);
                }
            }
            _ => {}
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::{Dialect, scan, *};

    #[test]
    fn parts_know_where_they_are() {
        let text = "\u{feff}{ \"a\" : [1,2] , // c\n \"b\": \"\\u0041\", /* d */ }\n";
        let root = scan(text.as_bytes(), Dialect::Commented).unwrap().unwrap();
        let [a, b] = root.parts() else { panic!("{root:?}") };
        assert_eq!(&text[a.start..a.end()], "\"a\" : [1,2] ,");
        assert_eq!(&text[b.lead..b.value.span.end], "\n \"b\": \"\\u0041\"");
        assert!(b.after_comment && !a.after_comment);
        assert_eq!(root.member("b").unwrap().text(), Some("A"));
        assert_eq!(root.member("a").unwrap().parts().len(), 2);
        assert_eq!(&text[root.span.clone()], text.trim_matches(['\u{feff}', '\n']));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let cases = [
            ("{\"a\": 1 \"b\": 2}", "a comma or a closing bracket is missing before this", (1, 9)),
            ("{\n  \"a\": 1,\n}", "a comma before this bracket", (3, 1)),
            ("{\"a\": 1} x", "something follows the end of the JSON value", (1, 10)),
            ("{\"a\": [1, 2", "the file ends in the middle", (1, 12)),
            ("{\"a\" 1}", "a colon is missing here", (1, 6)),
            ("{a: 1}", "a name in double quotes is missing here", (1, 2)),
            ("{\"a\": tru}", "this is no JSON value", (1, 7)),
            ("{\"a\": 01}", "this is no JSON value", (1, 7)),
            ("{\"a\": \"b\n\"}", "a text has no closing quote", (1, 7)),
            ("{\"a\": \"\\x\"}", "a text that is not valid JSON", (1, 7)),
            ("// c\n{}", "a comment, which this agent does not read", (1, 1)),
            ("]", "this is no JSON value", (1, 1)),
        ];
        for (text, what, at) in cases {
            let fault = scan(text.as_bytes(), Dialect::Strict).unwrap_err();
            let Position { line, column } = position(text.as_bytes(), fault.at);
            assert_eq!((fault.what, (line, column)), (what, at), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(scan(deep.as_bytes(), Dialect::Strict).unwrap_err().at, DEPTH + 1);
        for text in ["/*/", "{} /*", "{\"a\": \"\u{1}\"}"] {
            assert!(scan(text.as_bytes(), Dialect::Commented).is_err(), "{text:?}");
        }
        assert!(scan(b"{\"a\": \"\xff\"}", Dialect::Strict).is_err());
    }

    #[test]
    fn blank_texts_have_no_value() {
        for text in ["", " \r\n\t", "\u{feff}", "\u{feff}\n"] {
            assert!(scan(text.as_bytes(), Dialect::Strict).unwrap().is_none(), "{text:?}");
        }
    }

    #[test]
    fn members() {
        let file = "{\n  \"$schema\": \"x\",\n  \"a\": { \"b\": 1,\n    \"c\" :2 },\n\t\"d.e\": [1, {}]\n}";
        for (path, want) in [
            ("a.b", "{\n  \"$schema\": \"x\",\n  \"a\": {\n    \"c\" :2 },\n\t\"d.e\": [1, {}]\n}"),
            ("a.c", "{\n  \"$schema\": \"x\",\n  \"a\": { \"b\": 1 },\n\t\"d.e\": [1, {}]\n}"),
            ("d.e", "{\n  \"$schema\": \"x\",\n  \"a\": { \"b\": 1,\n    \"c\" :2 }\n}"),
            ("a", "{\n  \"$schema\": \"x\",\n\t\"d.e\": [1, {}]\n}"),
            ("b", ""),
            ("a.b.c", ""),
            ("d", "{\n  \"$schema\": \"x\",\n  \"a\": { \"b\": 1,\n    \"c\" :2 }\n}"),
        ] {
            let root = scan(file.as_bytes(), Dialect::Strict).unwrap().unwrap();
            let after = without_member(file.as_bytes(), &root, path, &|_| false);
            assert_eq!(String::from_utf8(after.unwrap_or_default()).unwrap(), want, "{path}");
        }
        for (file, path, want) in [
            ("{ \"a\": {\"b\": {\"c\": 1}} }\n", "a.b.c", "{}\n"),
            ("{\"a\": {\"keep\": 1, \"b\": 2}, \"c\": 3}", "a", "{\"a\": {\"keep\": 1}, \"c\": 3}"),
            ("{\"a\": 1, \"a\": 2, \"b\": 3}", "a", "{ \"b\": 3}"),
        ] {
            let root = scan(file.as_bytes(), Dialect::Strict).unwrap().unwrap();
            let after = without_member(file.as_bytes(), &root, path, &|name| name == "a.keep");
            assert_eq!(String::from_utf8(after.unwrap_or_default()).unwrap(), want, "{path}");
        }
    }

    #[test]
    fn lines_of_keys() {
        let text = "{\n  \"a\": {\"x\": \"b:\\\"\",\n    \"b\": [1, {\"b\": 2}]},\n  \"b\": 3,\n  \"c.d\": 4\n}";
        let lines = LineStarts::new(text);
        for (path, want) in [("a", 2), ("a.x", 2), ("a.b", 3), ("b", 4), ("c.d", 5), ("e", 1)] {
            assert_eq!(lines.of(path), want, "{path:?}");
        }
        assert_eq!(LineStarts::new("{\"a\": 1,\n\"a\": 2}").of("a"), 2, "the last one counts");
    }
}

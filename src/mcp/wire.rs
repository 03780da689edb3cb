//! JSON-RPC over lines: reading within limits, requests, answers, and the revisions of the protocol.

use std::io::{self, BufRead, BufReader, Read};

use pimem_core::{model::event::Provenance, safety::safe_text};
use serde_json::{Map, Value, json};

/// Maximum size of a message in bytes.
const MESSAGE: usize = 1 << 20;
/// Bytes of a line's buffer that are kept for the next one.
const KEPT: usize = 64 << 10;
/// Maximum number of characters of a client's name.
const NAME: usize = 64;

/// The revision without a handshake.
pub(super) const MODERN: &str = "2026-07-28";
/// Revisions with a handshake, the newest first.
pub(super) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The only revision whose clients may send several messages in one array.
pub(super) const BATCHES: &str = "2025-03-26";

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";

pub(super) const PARSE: i64 = -32700;
pub(super) const REQUEST: i64 = -32600;
pub(super) const METHOD: i64 = -32601;
pub(super) const PARAMS: i64 = -32602;
pub(super) const INTERNAL: i64 = -32603;
pub(super) const RESOURCE: i64 = -32002;
const UNSUPPORTED: i64 = -32022;

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextLine {
    /// A line, which [`Lines::line`] returns.
    Line,
    /// A line longer than a message may be; it was not kept.
    TooLong,
    End,
}

pub(super) struct InputLines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
}

impl<R: Read> InputLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input: BufReader::with_capacity(KEPT, input), line: Vec::new() }
    }

    /// Reads the next line. What follows the last line break counts as one too.
    pub(super) fn next(&mut self) -> NextLine {
        self.line.clear();
        self.line.shrink_to(KEPT);
        let mut over = false;
        loop {
            let piece = match self.input.fill_buf() {
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => &[],
            };
            if piece.is_empty() {
                return match (over, self.line.is_empty()) {
                    (true, _) => NextLine::TooLong,
                    (false, true) => NextLine::End,
                    (false, false) => NextLine::Line,
                };
            }
            let end = memchr::memchr(b'\n', piece);
            let part = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
            over = over || self.line.len() + part.len() > MESSAGE;
            if over {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return if over { NextLine::TooLong } else { NextLine::Line };
            }
        }
    }

    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Returns true if something was read that is not used yet.
    pub(super) fn has_more(&self) -> bool {
        !self.input.buffer().is_empty()
    }

    /// Returns true if a notification that was read already cancels a request.
    pub(super) fn cancels(&self, id: &Value) -> bool {
        let lines = self.input.buffer().split_inclusive(|byte| *byte == b'\n');
        let whole = lines.filter(|line| line.ends_with(b"\n"));
        let named =
            whole.filter(|line| memchr::memmem::find(line, b"notifications/cancelled").is_some());
        named
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
            .any(|message| cancels(&message, id))
    }
}

pub(super) fn cancels(message: &Value, id: &Value) -> bool {
    message.get("method").is_some_and(|method| method == "notifications/cancelled")
        && message.pointer("/params/requestId") == Some(id)
}

#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl Trouble {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
}

#[derive(Debug)]
pub(super) enum WireMessage {
    Request {
        id: Value,
        call: Method,
    },
    Notification(Method),
    /// An answer to a request of this server.
    Answer {
        result: Option<Value>,
    },
}

#[derive(Debug)]
pub(super) struct Method {
    pub(super) name: String,
    pub(super) params: Map<String, Value>,
}

impl WireMessage {
    /// Reads a message. A failure comes with the id to answer to.
    pub(super) fn read(value: Value) -> Result<Self, Box<(Value, Trouble)>> {
        let wrong = |id: Value, why: &str| Err(Box::new((id, Trouble::new(REQUEST, why))));
        let Value::Object(mut fields) = value else {
            return wrong(Value::Null, "a message is an object");
        };
        let id = fields.remove("id");
        let known = id.clone().filter(|id| id.is_string() || id.is_number());
        if id.is_some() && known.is_none() {
            return wrong(Value::Null, "an id is a string or a number");
        }
        let answer_to = known.clone().unwrap_or_default();
        if fields.get("jsonrpc").is_none_or(|version| version != "2.0") {
            return wrong(answer_to, "jsonrpc is \"2.0\"");
        }
        let name = match (fields.remove("method"), known) {
            (Some(Value::String(name)), _) => name,
            (None, Some(_)) if fields.contains_key("result") || fields.contains_key("error") => {
                return Ok(Self::Answer { result: fields.remove("result") });
            }
            _ => return wrong(answer_to, "a request has a method, which is a string"),
        };
        let params = match fields.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                return Err(Box::new((answer_to, Trouble::new(PARAMS, "params are an object"))));
            }
        };
        let call = Method { name, params };
        Ok(match id {
            Some(id) => Self::Request { id, call },
            None => Self::Notification(call),
        })
    }
}

impl Method {
    /// Returns true if the request is of the revision without a handshake, and fails if it is of
    /// another one that is not known.
    pub(super) fn is_modern(&self) -> Result<bool, Trouble> {
        match self.meta(VERSION) {
            None => Ok(false),
            Some(version) if version == MODERN => Ok(true),
            Some(requested) => {
                let message = "the protocol version is not supported";
                let data = json!({ "supported": [MODERN], "requested": requested });
                Err(Trouble { data: Some(data), ..Trouble::new(UNSUPPORTED, message) })
            }
        }
    }

    /// Returns the name of the client that a request of the modern revision states.
    pub(super) fn client(&self) -> Option<String> {
        self.meta(CLIENT).and_then(name_of)
    }

    fn meta(&self, key: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(key)
    }
}

/// Returns the name of a client as it is recorded: visible ASCII without spaces, and no name that
/// stands for a person.
pub(super) fn name_of(info: &Value) -> Option<String> {
    let name = info.get("name")?.as_str()?.trim();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_./@".contains(c) { c } else { '-' };
    let name: String = name.chars().take(NAME).map(plain).collect();
    let name = name.trim_matches('-').to_owned();
    let is_person = [Provenance::USER, Provenance::ADOPT].contains(&name.as_str());
    (!name.is_empty() && !is_person).then_some(name)
}

/// Returns name and version of this server.
pub(super) fn identity() -> Value {
    json!({ "name": "pimem", "title": "pimem", "version": env!("CARGO_PKG_VERSION") })
}

/// Completes a result of the modern revision.
pub(super) fn modern(mut result: Map<String, Value>) -> Map<String, Value> {
    result.insert("resultType".to_owned(), json!("complete"));
    result.insert("_meta".to_owned(), json!({ SERVER: identity() }));
    result
}

/// Returns the line that answers a request.
pub(super) fn answer(id: &Value, result: Result<Map<String, Value>, Trouble>) -> String {
    let message = match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Trouble { code, message, data }) => {
            let mut error = json!({ "code": code, "message": message });
            if let (Some(fields), Some(data)) = (error.as_object_mut(), data) {
                fields.insert("data".to_owned(), data);
            }
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    };
    line(&message)
}

pub(super) fn line(message: &Value) -> String {
    format!("{}\n", safe_text::json(&message.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_length() {
        let long = vec![b'x'; MESSAGE + 1];
        let whole = vec![b'y'; MESSAGE];
        let input = [&b"one\n\n"[..], &long, b"\n", &whole, b"\nhalf"].concat();
        let mut lines = InputLines::new(&input[..]);
        let mut next = || (lines.next(), lines.line().len());
        assert_eq!(next(), (NextLine::Line, 3));
        assert_eq!(next(), (NextLine::Line, 0));
        assert_eq!(next(), (NextLine::TooLong, 0));
        assert_eq!(next(), (NextLine::Line, MESSAGE));
        assert_eq!(next(), (NextLine::Line, 4));
        assert_eq!(next(), (NextLine::End, 0));
        let mut lines = InputLines::new(&long[..]);
        assert_eq!((lines.next(), lines.next()), (NextLine::TooLong, NextLine::End));
        assert!(lines.line.capacity() <= KEPT);
    }

    #[test]
    fn names_of_clients() {
        for (name, want) in [
            ("claude-ai", Some("claude-ai")),
            ("Visual Studio Code", Some("Visual-Studio-Code")),
            ("user", None),
            (" user ", None),
            ("adopt", None),
            ("", None),
            ("\u{202e}evil\n\"by\":\"user\"", Some("evil--by---user")),
            ("-user-", None),
        ] {
            assert_eq!(name_of(&json!({ "name": name })).as_deref(), want, "{name:?}");
        }
        assert_eq!(name_of(&json!({ "name": "x".repeat(90) })).map(|name| name.len()), Some(NAME));
        assert_eq!(name_of(&json!({ "name": 1 })), None);
    }
}

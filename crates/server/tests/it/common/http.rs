//! A client that sends exactly the bytes that a test wants.

use std::{
    collections::BTreeMap,
    io::Write as _,
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body as JSON; null if it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The kind of a problem, after a look at the rest of it.
    pub(crate) fn kind(&self) -> String {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{self:?}");
        let json = self.json();
        assert_eq!(json["status"], self.status, "{json}");
        for field in ["type", "title", "detail"] {
            assert!(json[field].as_str().is_some_and(|text| !text.is_empty()), "{json}");
        }
        assert!(json["hints"].is_array(), "{json}");
        json["kind"].as_str().unwrap().to_owned()
    }
}

/// Sends a request and returns the answer; `None` if the connection broke before one was whole.
pub(crate) fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&[u8]>,
) -> Option<Answer> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: pimem\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(body) = body {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    let bytes = [head.as_bytes(), b"\r\n", body.unwrap_or_default()].concat();
    raw(address, &bytes)
}

/// Sends bytes and reads to the end.
pub(crate) fn raw(address: SocketAddr, bytes: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    // The server may answer, and close, before it has read everything.
    stream.write_all(bytes).ok();
    answer(stream)
}

/// Reads an answer to the end of the connection.
pub(crate) fn answer(mut stream: impl std::io::Read) -> Option<Answer> {
    let mut bytes = Vec::new();
    stream.by_ref().read_to_end(&mut bytes).ok();
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let body = bytes[end + 4..].to_vec();
    let length: Option<usize> = headers.get("content-length").and_then(|text| text.parse().ok());
    (length.is_none_or(|length| length == body.len())).then_some(Answer { status, headers, body })
}

//! What an agent says, read from standard input as far as the end of its object: some leave the pipe
//! open.

use std::{
    io::{self, BufRead, IsTerminal},
    time::Duration,
};

use crate::agents::{
    spec::Agent,
    wire::{self, Input},
};

/// The most that is taken from standard input, in bytes. A tool's answer with a whole file in it fits;
/// what is longer is read to its end and dropped.
const INPUT: u64 = 8 << 20;

/// Reads what the agent says. `None` when that is no JSON object.
pub(crate) fn read(agent: Agent) -> Option<Input> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Some(Input::default());
    }
    let mut stdin = stdin.lock();
    let mut bytes = Vec::new();
    let mut frame = Frame::default();
    loop {
        let (read, closes) = match stdin.fill_buf() {
            Ok([]) => break,
            Ok(piece) => {
                bytes.extend_from_slice(piece);
                (piece.len(), frame.closes(piece))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        stdin.consume(read);
        if bytes.len() as u64 > INPUT {
            drop(io::copy(&mut stdin, &mut io::sink()));
            return None;
        }
        if closes && let Some(input) = wire::read(&bytes) {
            return Some(input);
        }
    }
    wire::read(&bytes).or_else(|| {
        let prompt = String::from_utf8(bytes).ok().filter(|_| agent == Agent::Generic)?;
        Some(Input { prompt: Some(prompt), ..Input::default() })
    })
}

/// Where an object ends. Each byte is looked at once, however small the pieces are that it comes in.
#[derive(Debug, Default)]
struct Frame {
    /// Braces that are open.
    depth: usize,
    quoted: bool,
    /// Whether the last byte of what came was a backslash in a string that takes the next one with it.
    escaped: bool,
    /// Whether an object has been closed: what comes behind it belongs to no message.
    closed: bool,
}

impl Frame {
    /// Looks at what came next; tells whether it closes the object, which happens once.
    fn closes(&mut self, piece: &[u8]) -> bool {
        if self.closed {
            return false;
        }
        let mut at = 0;
        if std::mem::take(&mut self.escaped) {
            at = 1;
        }
        while let Some(rest) = piece.get(at..) {
            let found = if self.quoted {
                memchr::memchr2(b'"', b'\\', rest)
            } else {
                memchr::memchr3(b'"', b'{', b'}', rest)
            };
            let Some(found) = found else { break };
            at += found + 1;
            match rest.get(found) {
                Some(b'"') => self.quoted = !self.quoted,
                Some(b'\\') => {
                    self.escaped = at == piece.len();
                    at += 1;
                }
                Some(b'{') => self.depth += 1,
                _ => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.closed = true;
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// How long is waited for more behind what an agent has written.
pub(crate) const MORE: Duration = Duration::from_millis(50);

/// Takes what an agent has written and nobody has read, so that its write does not fail when this
/// process ends. Nothing is waited for where nothing is; behind something, `patience` is had.
#[cfg(unix)]
pub(crate) fn drain(patience: Duration) {
    use rustix::{
        buffer::spare_capacity,
        event::{PollFd, PollFlags, Timespec, poll},
    };
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return;
    }
    let mut piece = Vec::with_capacity(64 << 10);
    let mut left = INPUT;
    let mut wait = Timespec { tv_sec: 0, tv_nsec: 0 };
    // Not by the handle's own lock: another thread may wait with it for more.
    while left > 0 {
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        if !poll(&mut ready, Some(&wait)).is_ok_and(|ready| ready > 0) {
            return;
        }
        piece.clear();
        match rustix::io::read(&stdin, spare_capacity(&mut piece)) {
            Ok(0) | Err(_) => return,
            Ok(read) => left = left.saturating_sub(read as u64),
        }
        wait.tv_nsec = patience.subsec_nanos().into();
    }
}

#[cfg(not(unix))]
pub(crate) fn drain(_: Duration) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a text's object closes, when it comes in pieces of some bytes.
    fn closes(text: &str, size: usize) -> Option<usize> {
        let mut frame = Frame::default();
        let mut seen = 0;
        let mut found = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            seen += piece.len();
            if frame.closes(piece) {
                found.push(seen);
            }
        }
        assert!(found.len() <= 1, "{text}: {found:?}");
        found.pop()
    }

    #[test]
    fn an_object_ends_once_however_it_comes() {
        for (text, want) in [
            ("{}", Some(2)),
            ("\u{feff} {} {}", Some(6)),
            ("{\"a\":{\"b\":[{}]}}\n", Some(16)),
            ("{\"a\":\"}\"}", Some(9)),
            ("{\"a\":\"\\\"}\"}", Some(11)),
            ("{\"a\":\"\\\\\"}", Some(10)),
            ("{\"a\":\"\\\\\\\"}\"}", Some(13)),
            ("{\"\\u007d\":1}", Some(12)),
            ("{\"a\":\"}", None),
            ("{\"a\":{}", None),
            ("", None),
            ("no object", None),
            ("\"{}\"", None),
            ("}{}", Some(1)),
        ] {
            assert_eq!(closes(text, 1), want, "{text}");
            for size in 2..=text.len() {
                let whole =
                    want.map(|end| end.div_ceil(size) * size).map(|end| end.min(text.len()));
                assert_eq!(closes(text, size), whole, "{text} in pieces of {size}");
            }
        }
    }
}

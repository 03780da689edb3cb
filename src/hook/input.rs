//! Reads the input of a hook from standard input up to the end of the JSON object, because some
//! agents leave the pipe open.

use std::{
    io::{self, BufRead, IsTerminal},
    time::Duration,
};

use crate::agents::{
    Agent,
    hook_input::{self, Input},
};

/// Maximum input in bytes. A tool result with a whole file fits; longer input is read to its end
/// and dropped.
const INPUT: u64 = 8 << 20;

/// Reads the input. Text that is not a JSON object is the prompt for a generic agent, and `None`
/// for others.
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
        if closes && let Some(input) = hook_input::read(agent, &bytes) {
            return Some(input);
        }
    }
    hook_input::read(agent, &bytes).or_else(|| {
        let prompt = String::from_utf8(bytes).ok().filter(|_| agent == Agent::Generic)?;
        Some(Input { prompt: hook_input::typed(&prompt), ..Input::default() })
    })
}

/// Detects the end of a JSON object. Every byte is examined once, however small the pieces are.
#[derive(Debug, Default)]
struct Frame {
    /// Number of open braces.
    depth: usize,
    quoted: bool,
    /// True if the last byte was a backslash that escapes the next byte of a string.
    escaped: bool,
    /// True if an object was closed; further bytes belong to no message.
    closed: bool,
}

impl Frame {
    /// Examines the next piece. Returns true if it closes the object, which happens once.
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

/// Time to wait for further input.
pub(crate) const MORE: Duration = Duration::from_millis(50);

/// Consumes what the agent has written, so that its write does not fail when this process exits.
/// Returns at once if there is no input; after some input, waits up to `patience` for more.
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
    // Bypasses the lock of the handle, which another thread may hold while it reads.
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

    /// Returns the offset at which the object closes if the text arrives in pieces of `size` bytes.
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

//! The roots of a client: asked for once, and only where nothing else names the project.

use std::{io::Read, path::PathBuf};

use super::{
    project,
    server::Server,
    wire::{self, NextLine, WireMessage},
};
use serde_json::{Value, json};

/// Id of the request for roots.
const ID: &str = "pimem-roots";
/// Maximum number of messages that are read before the answer.
const MOST: usize = 64;
/// Longest wait for the answer, in seconds.
const PATIENCE: i64 = 2;

/// What is known about the roots of a client.
#[derive(Debug, Default)]
pub(super) struct Roots {
    declared: bool,
    /// True if they were asked for; without an answer, they are not asked for again.
    asked: bool,
    first: Option<PathBuf>,
}

impl Roots {
    pub(super) fn declared(declared: bool) -> Self {
        Self { declared, ..Self::default() }
    }

    /// Has them asked for again.
    pub(super) fn changed(&mut self) {
        (self.asked, self.first) = (false, None);
    }
}

impl<R: Read> Server<'_, R> {
    /// Returns the first root of the client that is a directory.
    pub(super) fn client_root(&mut self) -> Option<PathBuf> {
        if self.roots.declared && !self.roots.asked {
            self.roots.asked = true;
            let request = json!({ "jsonrpc": "2.0", "id": ID, "method": "roots/list" });
            self.say(&wire::line(&request));
            let roots = self.wait();
            let roots = roots.as_ref().and_then(|result| result.get("roots")?.as_array());
            let mut uris = roots.into_iter().flatten().filter_map(|root| root.get("uri")?.as_str());
            self.roots.first = uris.find_map(project::root);
        }
        self.roots.first.clone()
    }

    /// Reads until the answer comes. What comes before it is answered later.
    fn wait(&mut self) -> Option<Value> {
        while self.waiting.len() < MOST {
            if !self.lines.has_more() && !comes() {
                return None;
            }
            match self.lines.next() {
                NextLine::End => return None,
                NextLine::TooLong => continue,
                NextLine::Line => {}
            }
            let Ok(message) = serde_json::from_slice::<Value>(self.lines.line()) else { continue };
            if message.get("id").is_some_and(|id| id == ID) && message.get("method").is_none() {
                return match WireMessage::read(message) {
                    Ok(WireMessage::Answer { result }) => result,
                    _ => None,
                };
            }
            self.waiting.push_back(message);
        }
        None
    }
}

/// Waits until there is something to read. Returns false if nothing comes in time.
#[cfg(unix)]
fn comes() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = std::io::stdin();
    let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
    let patience = Timespec { tv_sec: PATIENCE, tv_nsec: 0 };
    poll(&mut ready, Some(&patience)).is_ok_and(|ready| ready > 0)
}

#[cfg(not(unix))]
fn comes() -> bool {
    true
}

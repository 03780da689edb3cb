//! What this machine has exchanged with a server, for each store. Outside the repository, and
//! disposable: without it, everything is sent and received once more.

use std::{collections::BTreeSet, path::Path};

use pimem_core::{
    model::event::{Event, EventKind},
    sync::wire::{self, SyncEntry, SyncObject},
};
use serde::{Deserialize, Serialize};

use crate::store::{
    atomic::{self, Sync},
    read,
    seal::Seal,
};

/// Version of a state. In older ones, entries that were purged count as there.
const VERSION: u8 = 1;
/// Maximum number of bytes of the lines that wait for their events, and of the events that wait for
/// the clock.
const WAITING: usize = 64 << 20;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ServerState {
    #[serde(default)]
    version: u8,
    /// Where the next pull goes on.
    pub cursor: Option<String>,
    /// Short hashes of the objects that the server has.
    #[serde(default)]
    sent: BTreeSet<String>,
    /// Ids of the keys by which objects were sealed; `None` if they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<String>,
    /// Lines whose events have not come yet.
    #[serde(default)]
    pub waiting: Vec<SyncEntry>,
    /// Events that are dated too far ahead of this machine's clock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<SyncObject>,
}

impl ServerState {
    /// Returns the state of a store that has exchanged nothing by these keys.
    pub fn with(keys: Option<String>) -> Self {
        Self { version: VERSION, keys, ..Self::default() }
    }

    /// Reads a state; `None` if there is none that can be read.
    pub fn read(seal: &Seal, path: &Path) -> Option<Self> {
        let bytes = seal.read(path.parent()?, path, read::MAX_LOG).ok()??;
        let mut state: Self = serde_json::from_slice(&bytes).ok()?;
        if std::mem::replace(&mut state.version, VERSION) < VERSION {
            state.forget_sent();
        }
        Some(state)
    }

    pub fn write(&self, seal: &Seal, path: &Path) -> anyhow::Result<()> {
        if let Some(dir) = path.parent() {
            atomic::create_dir(dir, Sync::Private)?;
            atomic::sweep(dir);
        }
        let bytes = serde_json::to_vec(self)?;
        seal.replace(path, &bytes, Sync::Private, || Ok(true)).map(drop)
    }

    pub fn has_entry(&self, entry: &SyncEntry) -> bool {
        self.sent.contains(short(&entry.hash))
    }

    pub fn has_event(&self, line: &str) -> bool {
        self.sent.contains(&of_event(line))
    }

    /// Notes that the server may have nothing.
    pub fn forget_sent(&mut self) {
        self.sent.clear();
    }

    /// Notes that the server drops what purges name, unless that is known: who types it again has it
    /// sent again. Called before what comes beside them is noted.
    pub fn note_purges<'a>(&mut self, events: impl Iterator<Item = &'a str>) {
        for line in events {
            let Some(Event { kind: EventKind::Purge { hash, .. }, .. }) = Event::read(line) else {
                continue;
            };
            if self.has_event(line) {
                continue;
            }
            match hash {
                Some(hash) => drop(self.sent.remove(short(&hash))),
                // It may be any.
                None => self.forget_sent(),
            }
        }
    }

    pub fn note(&mut self, object: &SyncObject) {
        if let Some(entry) = object.entry() {
            self.note_entry(&entry);
        }
        if let Some(event) = &object.event {
            self.note_event(event.get());
        }
    }

    pub fn note_entry(&mut self, entry: &SyncEntry) {
        self.sent.insert(short(&entry.hash).to_owned());
    }

    pub fn note_event(&mut self, line: &str) {
        self.sent.insert(of_event(line));
    }

    pub fn has_room(&self) -> bool {
        let line = |entry: &SyncEntry| entry.line.as_ref().map_or(0, String::len);
        let event =
            |object: &SyncObject| object.event.as_ref().map_or(0, |event| event.get().len());
        let lines: usize = self.waiting.iter().map(line).sum();
        lines + self.later.iter().map(event).sum::<usize>() <= WAITING
    }
}

/// Returns the first 64 bits of a hash.
fn short(hash: &str) -> &str {
    hash.get(..16).unwrap_or(hash)
}

fn of_event(line: &str) -> String {
    let digest = wire::digest(line);
    pimem_core::model::hash::write_hex(digest.get(..8).unwrap_or_default())
}

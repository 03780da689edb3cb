//! A server that stores are exchanged with: its keys, and what this machine has exchanged with it. Only
//! `pimem sync` asks it, and never a hook.
//!
//! The API key of a server is from the environment, or a file that only its owner can read. The keys
//! that the people of a project share and no server has are 64 hexadecimal digits each, the oldest
//! first: the first one makes the names under which a server keeps objects, the last one seals, and all
//! of them open. What was exchanged is noted for each store outside the repository, and disposable:
//! without it, everything is sent and received once more.

#[cfg(feature = "sync")]
mod client;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use pimem_core::{
    model::{
        event::{Event, EventKind},
        hash,
    },
    seal::KEY_BYTES,
    sync::{
        exchange::SyncObjects,
        sealed::Seals,
        wire::{self, SyncEntry, SyncObject},
    },
};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

pub use self::client::Client;
use crate::{
    config::env::Env,
    error::{Failure, FailureKind},
    store::{
        atomic::{self, Sync},
        read,
        seal::Seal,
    },
};

const VARIABLE: &str = "PIMEM_SYNC_KEY";
const FILE: &str = "sync.key";
/// Maximum size of a file with keys in bytes.
const MAX: u64 = 4096;

/// A key, which is overwritten when it is dropped and never printed.
pub struct ServerKey(Zeroizing<String>);

impl ServerKey {
    /// Reads the key.
    ///
    /// # Errors
    /// Fails if there is none, others can read its file, or it is no key.
    pub fn find(env: &Env) -> Result<Self, Failure> {
        let text = match env.key(VARIABLE) {
            Some(key) => Zeroizing::new(key),
            None => of_file(FILE)?.ok_or_else(|| {
                Failure::new(FailureKind::Config, "there is no key for the server", HINT)
            })?,
        };
        let key = text.trim();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failure::new(FailureKind::Config, "the key of the server is no key", HINT));
        }
        Ok(Self(Zeroizing::new(key.to_owned())))
    }

    #[cfg_attr(not(feature = "sync"), expect(dead_code, reason = "only a client shows it"))]
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

const HINT: &str = "put it into PIMEM_SYNC_KEY, or into pimem/sync.key below ~/.config (chmod 600)";

/// Returns the path of a file in the program's part of the configuration directory.
pub(super) fn place(name: &str) -> Option<PathBuf> {
    Some(Env::config_dir()?.join("pimem").join(name))
}

/// Reads such a file, if it exists.
///
/// # Errors
/// Fails if others can read it.
pub(super) fn of_file(name: &str) -> Result<Option<Zeroizing<String>>, Failure> {
    let Some(path) = place(name).filter(|path| path.exists()) else { return Ok(None) };
    refuse_open(&path)?;
    let root = path.parent().map_or_else(PathBuf::new, PathBuf::from);
    let bytes = read::file(&root, &path, MAX).map_err(|problem| Failure::from(&problem))?;
    let bytes = Zeroizing::new(bytes.unwrap_or_default());
    let text = str::from_utf8(&bytes).unwrap_or_default();
    Ok(Some(Zeroizing::new(text.to_owned())))
}

#[cfg(unix)]
fn refuse_open(path: &std::path::Path) -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(path);
    if meta.is_ok_and(|meta| meta.mode() & 0o077 != 0) {
        let message = format!("others can read {}", path.display());
        return Err(Failure::new(
            FailureKind::Refused,
            message,
            "chmod 600 it, and think of a new key",
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_open(_: &std::path::Path) -> Result<(), Failure> {
    Ok(())
}

const SEAL_VARIABLE: &str = "PIMEM_SYNC_SEAL_KEY";
const SEAL_FILE: &str = "sync.seal";
/// Maximum number of keys, which fits the size of the file.
const MOST: usize = 60;

type Secret = Zeroizing<[u8; KEY_BYTES]>;

/// Keys, which are overwritten when they are dropped.
pub struct SealKeys(Vec<Secret>);

impl SealKeys {
    /// Reads the keys, if there are any.
    ///
    /// # Errors
    /// Fails if others can read their file, or they are none.
    pub fn find(env: &Env) -> Result<Option<Self>, Failure> {
        match env.key(SEAL_VARIABLE) {
            Some(text) => Self::read(&Zeroizing::new(text)).map(Some),
            None => Self::of_file(),
        }
    }

    /// Reads the keys of the file, if it exists.
    ///
    /// # Errors
    /// As [`Self::find`]; or the variable is set, and no file counts.
    pub fn kept(env: &Env) -> Result<Option<Self>, Failure> {
        if env.key(SEAL_VARIABLE).is_some() {
            let message = format!("the keys are those of {SEAL_VARIABLE}");
            return Err(Failure::new(
                FailureKind::Usage,
                message,
                "unset it to keep them in a file",
            ));
        }
        Self::of_file()
    }

    fn of_file() -> Result<Option<Self>, Failure> {
        of_file(SEAL_FILE)?.map(|text| Self::read(&text)).transpose()
    }

    /// Reads what [`Self::text`] wrote.
    ///
    /// # Errors
    /// Fails if it has other words than keys.
    pub fn read(text: &str) -> Result<Self, Failure> {
        let words = text.split(|c: char| c.is_whitespace() || c == ',');
        let keys = words.filter(|word| !word.is_empty()).map(|word| {
            let (high, low) = word.split_at_checked(KEY_BYTES)?;
            let mut secret = Secret::default();
            let (high, low) = (hash::read_hex(high.as_bytes())?, hash::read_hex(low.as_bytes())?);
            let halves = [high.to_be_bytes(), low.to_be_bytes()];
            secret.copy_from_slice(halves.as_flattened());
            Some(secret)
        });
        let keys: Option<Vec<Secret>> = keys.collect();
        let keys = keys.filter(|keys| (1..=MOST).contains(&keys.len()));
        keys.map(Self).ok_or_else(|| {
            let message = "the key that seals what is sent is no key";
            let hint = "each is 64 hexadecimal digits; pimem sync --seal-key new makes one";
            Failure::new(FailureKind::Config, message, hint)
        })
    }

    /// Returns the keys for another machine.
    #[must_use]
    pub fn text(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(self.0.len() * (2 * KEY_BYTES + 1)));
        for secret in &self.0 {
            text.push_str(&Zeroizing::new(hash::write_hex(&**secret)));
            text.push('\n');
        }
        text
    }

    /// Adds a new key to those that are known.
    ///
    /// # Errors
    /// Fails if there is no randomness, or there are too many.
    pub fn renewed(known: Option<Self>) -> Result<Self, Failure> {
        let mut keys = known.map_or_else(Vec::new, |known| known.0);
        if keys.len() == MOST {
            let message = format!("there are {MOST} keys already");
            return Err(Failure::new(FailureKind::Refused, message, "push into a new project"));
        }
        let mut secret = Secret::default();
        atomic::fill(&mut *secret)?;
        keys.push(secret);
        Ok(Self(keys))
    }

    /// Returns the longer one of two lists, of which one begins as the other.
    ///
    /// # Errors
    /// Fails if they are of different projects: what was sealed under one would be lost.
    pub fn joined(known: Option<Self>, brought: Self) -> Result<Self, Failure> {
        let Some(known) = known else { return Ok(brought) };
        if brought.0.starts_with(&known.0) {
            return Ok(brought);
        }
        if known.0.starts_with(&brought.0) {
            return Ok(known);
        }
        let message = "other keys are here, and what was sealed under them would be lost";
        let hint = "move pimem/sync.seal below ~/.config to another place first";
        Err(Failure::new(FailureKind::Refused, message, hint))
    }

    /// Writes the file, which only its owner can read, and returns its path.
    ///
    /// # Errors
    /// Fails if there is no configuration directory, or it cannot be written.
    pub fn write(&self) -> Result<PathBuf, Failure> {
        let path = place(SEAL_FILE).ok_or_else(|| {
            let message = "there is no configuration directory";
            Failure::new(FailureKind::Usage, message, "set HOME, or XDG_CONFIG_HOME")
        })?;
        if let Some(dir) = path.parent() {
            atomic::create_dir(dir, Sync::PrivateFull)?;
        }
        atomic::replace_file(&path, self.text().as_bytes(), Sync::PrivateFull, || Ok(true))?;
        Ok(path)
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn of(&self, organisation: &str, project: &str) -> Option<Seals> {
        let secrets: Vec<&[u8; KEY_BYTES]> = self.0.iter().map(|secret| &**secret).collect();
        Seals::new(&secrets, organisation, project)
    }
}

/// Version of a state. In older ones, entries that were purged count as there.
const VERSION: u8 = 1;
/// Maximum number of bytes of the lines that wait for their events, and of the events that wait for
/// the clock or for their lines.
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
    /// Number of the user's events that the server has and the store had.
    #[serde(default)]
    pub held: usize,
    /// Ids of the keys by which objects were sealed; `None` if they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<String>,
    /// Lines whose events have not come yet.
    #[serde(default)]
    pub waiting: Vec<SyncEntry>,
    /// Events that are dated too far ahead of this machine's clock, or whose line has not come yet.
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

    /// Returns what the server lacks.
    pub fn lacking(&self, objects: &SyncObjects) -> SyncObjects {
        let entries = objects.entries.iter().filter(|entry| !self.has_entry(entry));
        let events = objects.events.iter().filter(|line| !self.has_event(line));
        SyncObjects { entries: entries.cloned().collect(), events: events.cloned().collect() }
    }

    /// Notes that the server may have nothing.
    pub fn forget_sent(&mut self) {
        self.held = 0;
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

    /// Returns true if it is an event that was not known.
    pub fn note(&mut self, object: &SyncObject) -> bool {
        if let Some(entry) = object.entry() {
            self.note_entry(&entry);
        }
        object.event.as_ref().is_some_and(|event| self.note_event(event.get()))
    }

    pub fn note_entry(&mut self, entry: &SyncEntry) {
        self.sent.insert(short(&entry.hash).to_owned());
    }

    /// Returns true if it was not known.
    pub fn note_event(&mut self, line: &str) -> bool {
        self.sent.insert(of_event(line))
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

/// Refuses every server, in a program that was built without the feature `sync`.
#[cfg(not(feature = "sync"))]
mod client {
    use pimem_core::sync::wire::{KeyOwner, PulledPage, PushBody, PushResult};

    use super::ServerKey;
    use crate::{
        config::env::Env,
        error::{Failure, FailureKind},
    };

    pub struct Client(std::convert::Infallible);

    impl Client {
        /// Refuses, because there is no client.
        pub fn new(_: &str, _: ServerKey, _: bool, _: &Env) -> Result<Self, Failure> {
            let hint =
                "cargo install --features sync has it; --with, --bundle and --from need none";
            Err(Failure::new(FailureKind::Usage, "this pimem was built without servers", hint))
        }

        pub fn is_spent(&self) -> bool {
            match self.0 {}
        }

        pub fn host(&self) -> String {
            match self.0 {}
        }

        pub fn me(&self) -> Result<KeyOwner, Failure> {
            match self.0 {}
        }

        pub fn push(&self, _: &PushBody) -> Result<PushResult, Failure> {
            match self.0 {}
        }

        pub fn pull(&self, _: &str, _: Option<&str>) -> Result<Option<PulledPage>, Failure> {
            match self.0 {}
        }
    }
}

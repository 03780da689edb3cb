//! Projects that no server reads: what is pushed is sealed, and what is pulled is opened.

use crate::memory::handles::Sharing;
use std::collections::BTreeMap;

use pimem_core::{
    seal::NONCE_BYTES,
    sync::{
        check::{Reason, Refused},
        exchange::SyncObjects,
        sealed::{self, Closed, Seals},
        wire::{self, KeyOwner, MOST_BYTES, MOST_OBJECTS, SyncEntry, SyncObject},
    },
};
use serde_json::value::RawValue;

use crate::{
    error::{Failure, FailureKind},
    memory::sync::SealKeyFile,
    remote::SealKeys,
    store::atomic,
    view::count as count_of,
};

/// The mode of an organisation whose server has ciphertext only.
const MODE: &str = "end-to-end";
/// What to do without a key.
const LACKS: &str =
    "pimem sync --seal-key show, on a machine that has it, into pimem sync --seal-key take";

/// Room in a push for what is not an object.
const FRAME: usize = 1024;

/// What is done with the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAct<'a> {
    /// A new one is made, which seals from then on.
    New,
    /// Those of another machine are taken.
    Take(&'a str),
}

impl Sharing<'_> {
    /// Changes the keys that this machine seals with, and returns where they are.
    ///
    /// # Errors
    /// Fails if nobody asked for it, other keys are here, or the disk fails.
    pub fn change_seal_keys(self, act: KeyAct<'_>) -> Result<SealKeyFile, Failure> {
        self.check_asked()?;
        let known = SealKeys::kept(&self.memory.env)?;
        let keys = match act {
            KeyAct::New => SealKeys::renewed(known)?,
            KeyAct::Take(text) => SealKeys::joined(known, SealKeys::read(text)?)?,
        };
        let file = keys.write()?.display().to_string();
        Ok(SealKeyFile { file, keys: keys.count() })
    }

    /// Returns the keys that this machine seals with, for another one.
    ///
    /// # Errors
    /// Fails if nobody asked for it, or there are none.
    pub fn seal_keys(self) -> Result<impl AsRef<str> + use<>, Failure> {
        self.check_asked()?;
        let keys = SealKeys::find(&self.memory.env)?.ok_or_else(|| {
            let message = "there is no key here that seals what is sent";
            Failure::new(FailureKind::Usage, message, "pimem sync --seal-key new makes one")
        })?;
        Ok(keys.text())
    }

    /// Refuses what happens by itself.
    pub(super) fn check_asked(self) -> Result<(), Failure> {
        if self.memory.unasked {
            let message = "nothing is exchanged with a server unless somebody asks for it";
            let hint = "run pimem sync from a shell or cron";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        Ok(())
    }
}

/// Returns the keys if the server's organisation is one that needs them. A key here means that
/// servers are not to read anything, whatever one of them says of itself.
pub(super) fn agreed(me: &KeyOwner, keys: Option<SealKeys>) -> Result<Option<SealKeys>, Failure> {
    match (me.mode == MODE, &keys) {
        (true, None) => {
            let message =
                "the projects of this server are encrypted end to end, and the key is not here";
            let mut failure = Failure::new(FailureKind::Refused, message, LACKS);
            failure.hints.push("the first one makes it: pimem sync --seal-key new".to_owned());
            Err(failure)
        }
        (false, Some(_)) => {
            let message =
                "this server would read what is sent, and there is a key here to prevent that";
            let hint = "move pimem/sync.seal below ~/.config away, and unset PIMEM_SYNC_SEAL_KEY, if it may";
            Err(Failure::new(FailureKind::Refused, message, hint))
        }
        _ => Ok(keys),
    }
}

/// Refuses to send in the clear what was sealed before.
pub(super) fn not_in_the_clear() -> Failure {
    let message =
        "this store was exchanged sealed until now, and the server says that it is no more";
    Failure::new(FailureKind::Refused, message, LACKS)
}

/// Seals and opens the objects of one project.
pub(super) struct Sealing {
    seals: Seals,
    user: String,
}

/// What could not be opened.
#[derive(Default)]
pub(super) struct Unopened {
    pub(super) refused: Vec<Refused>,
    /// Numbers of objects by the key that is not here.
    lacking: BTreeMap<String, usize>,
}

impl Sealing {
    pub(super) fn new(keys: &SealKeys, me: &KeyOwner, project: &str) -> Option<Self> {
        Some(Self { seals: keys.of(&me.organisation, project)?, user: me.user.clone() })
    }

    pub(super) fn names(&self) -> &str {
        self.seals.names()
    }

    pub(super) fn entry(&self, entry: &SyncEntry) -> Result<Option<SyncEntry>, Failure> {
        Ok(self.seals.entry(&self.user, entry, nonce()?))
    }

    pub(super) fn event(&self, event: &str) -> Result<Option<Box<RawValue>>, Failure> {
        let sealed = self.seals.event(&self.user, event, nonce()?);
        Ok(sealed.and_then(|event| wire::raw(&event)))
    }

    /// Opens objects, and notes those that do not open.
    pub(super) fn open(&self, objects: &[SyncObject], unopened: &mut Unopened) -> Vec<SyncObject> {
        let open = |object| match self.seals.open(object) {
            Ok(opened) => Some(opened),
            Err(Closed::Key(key)) => {
                *unopened.lacking.entry(key.to_string()).or_default() += 1;
                None
            }
            Err(Closed::Damaged(refused)) => {
                unopened.refused.push(refused);
                None
            }
        };
        objects.iter().filter_map(open).collect()
    }
}

impl Unopened {
    /// Fails where nothing was opened at all: then what is here is the key of something else.
    pub(super) fn check(&self, project: &str, opened: usize) -> Result<(), Failure> {
        let Some(key) = self.lacking.keys().next().filter(|_| opened == 0) else { return Ok(()) };
        let message =
            format!("the project {project} is sealed under the key {key}, which is not here");
        Err(Failure::new(FailureKind::Refused, message, LACKS))
    }

    pub(super) fn told(&self) -> Vec<Refused> {
        let lacking = self.lacking.iter().map(|(key, count)| Refused {
            kind: "key".to_owned(),
            id: key.clone(),
            reason: Reason::BadSeal,
            detail: format!("{} under a key that is not here: {LACKS}", count_of(*count, "object")),
        });
        self.refused.iter().cloned().chain(lacking).collect()
    }
}

fn nonce() -> Result<[u8; NONCE_BYTES], Failure> {
    let mut nonce = [0; NONCE_BYTES];
    atomic::fill(&mut nonce)?;
    Ok(nonce)
}

/// Cuts objects into pushes, entries first.
pub(super) fn batches(objects: &SyncObjects, is_sealed: bool) -> Vec<SyncObjects> {
    let wire = |length: usize| if is_sealed { sealed::size(length) } else { length };
    let mut batches: Vec<SyncObjects> = Vec::new();
    let (mut count, mut bytes) = (MOST_OBJECTS, 0);
    let mut room = |batches: &mut Vec<SyncObjects>, size: usize| {
        if count == MOST_OBJECTS || bytes + size > MOST_BYTES - FRAME {
            batches.push(SyncObjects::default());
            (count, bytes) = (0, 0);
        }
        (count, bytes) = (count + 1, bytes + size);
    };
    for entry in &objects.entries {
        room(&mut batches, serde_json::to_string(entry).map_or(0, |json| wire(json.len()) + 1));
        batches.last_mut().into_iter().for_each(|last| last.entries.push(entry.clone()));
    }
    for event in &objects.events {
        room(&mut batches, wire(event.len()) + 1);
        batches.last_mut().into_iter().for_each(|last| last.events.push(event.clone()));
    }
    batches
}

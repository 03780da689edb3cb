//! Reading and writing of bundles.

use std::{
    collections::HashSet,
    io::{BufRead, BufReader, Read as _},
    path::Path,
    time::SystemTime,
};

use pimem_core::sync::{
    check::{Reason, Refused},
    exchange::SyncObjects,
    wire::{self, Header, LONGEST_LINE, ObjectKind as Of, SyncEntry, SyncObject, write as line},
};

use crate::{
    error::{Failure, FailureKind},
    memory::named_file,
    store::atomic::{self, Sync},
};

/// Maximum size in bytes.
const MAX: u64 = 1 << 30;

/// A bundle as read.
#[derive(Debug, Default)]
pub(super) struct BundleRead {
    pub(super) objects: SyncObjects,
    pub(super) refused: Vec<Refused>,
    /// Why it may be one of another project.
    pub(super) foreign: Option<Failure>,
}

/// The objects that were read. Repetitions are dropped; another line with the same hash is none.
#[derive(Default)]
struct Known {
    entries: HashSet<SyncEntry>,
    events: HashSet<[u8; 32]>,
}

/// Reads a bundle line by line. Lines that are no objects are refused; the others count.
pub(super) fn read(
    input: impl std::io::Read,
    name: &str,
    own: Option<&str>,
) -> Result<BundleRead, Failure> {
    let fail =
        |error| Failure::from(anyhow::Error::new(error).context(format!("cannot read {name}")));
    let mut input = BufReader::with_capacity(1 << 16, input.take(MAX));
    let (mut line, mut read) = (Vec::new(), BundleRead::default());
    let mut known = Known::default();
    for number in 1.. {
        line.clear();
        let most = LONGEST_LINE as u64 + 2;
        let length = input.by_ref().take(most).read_until(b'\n', &mut line).map_err(fail)?;
        if length == 0 && number > 1 {
            break;
        }
        if length as u64 == most && !line.ends_with(b"\n") {
            input.skip_until(b'\n').map_err(fail)?;
        }
        let text = line.trim_ascii();
        if number == 1 {
            read.foreign = begins(text, name, own)?;
            continue;
        }
        if text.is_empty() {
            continue;
        }
        match pimem_core::sync::wire::read(text, number) {
            Ok(object) => take(&mut read, object, number, &mut known),
            Err(refused) => read.refused.push(refused),
        }
    }
    Ok(read)
}

/// Checks the first line. Returns the failure that the bundle is of another project.
fn begins(text: &[u8], name: &str, own: Option<&str>) -> Result<Option<Failure>, Failure> {
    let Some(header) = Header::read(text) else {
        let message = format!("{name} is not a bundle");
        let hint = "pimem sync --bundle FILE writes one";
        return Err(Failure::new(FailureKind::Refused, message, hint));
    };
    match (header.project.as_deref(), own) {
        (Some(theirs), Some(own)) if theirs != own => {
            let theirs: String = theirs.chars().filter(|c| !c.is_control()).take(64).collect();
            let message = format!("{name} is of another project: {theirs}, and this is {own}");
            let hint = "sync.project in memory.json names the project that a store belongs to, \
                        whatever its folder is called";
            Ok(Some(Failure::new(FailureKind::Refused, message, hint)))
        }
        _ => Ok(None),
    }
}

fn take(read: &mut BundleRead, object: SyncObject, number: usize, known: &mut Known) {
    match (object.kind, object.entry(), object.event) {
        (Of::Entry, Some(entry), None) => {
            if known.entries.insert(entry.clone()) {
                read.objects.entries.push(entry);
            }
        }
        (Of::Event, None, Some(event)) => {
            if known.events.insert(wire::digest(event.get())) {
                read.objects.events.push(event.get().to_owned());
            }
        }
        _ => read.refused.push(Refused {
            kind: "line".to_owned(),
            id: number.to_string(),
            reason: Reason::BadLine,
            detail: "the line is neither an entry nor an event".to_owned(),
        }),
    }
}

/// Returns a bundle as text.
pub(super) fn write(project: Option<String>, objects: &SyncObjects) -> String {
    let mut text = line(&Header::new(project));
    for entry in &objects.entries {
        text.push_str(&line(&SyncObject::of_entry(entry.clone())));
    }
    for event in objects.events.iter().filter_map(|event| wire::raw(event)) {
        text.push_str(&line(&SyncObject::of_event(event)));
    }
    text
}

/// Writes a bundle, readable by its owner only.
pub(super) fn keep(path: &Path, text: &[u8], now: SystemTime) -> Result<(), Failure> {
    named_file::writable(path, "- writes to standard output")?;
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    atomic::write_output(&target, text, Sync::PrivateFull, now)?;
    Ok(())
}

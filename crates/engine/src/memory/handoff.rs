//! Handoffs: notes in the daily log from which the next session starts.

use crate::memory::handles::{Reading, Writing};
use std::{borrow::Cow, cmp::Reverse};

use pimem_core::{
    gate,
    markdown::{
        checklist,
        handoff::{self, Handoff},
    },
    model::time::{Date, LocalTime},
};
use serde::Serialize;

use super::{Memory, WriteTarget, notes::scratchpad};
use crate::{
    error::Failure,
    local_time,
    store::{Store, git, notes, trust::TrustedKind},
};

/// Bytes read from the end of a log for its last lines and the newest handoff.
const TAIL: u64 = 256 * 1024;

/// Seconds for which a handoff is given back to the session that wrote it, after a compaction. No
/// compaction takes longer, and work of half a day ago is no longer current.
pub const KEPT: i64 = 12 * 3600;
/// Seconds for which the newest handoff is given to another session; a handoff of Friday is still
/// used on Monday.
pub const RECENT: i64 = 4 * 24 * 3600;

impl Writing<'_> {
    /// Writes a handoff to the daily log, with the open items and the end of the log. If nothing is
    /// open and nothing was logged, writes nothing and returns an empty text.
    ///
    /// # Errors
    /// Fails if scratchpads or logs cannot be read, or the store cannot be written.
    pub fn hand_off(self, leave: &Leave) -> Result<HandoffView, Failure> {
        let WriteTarget { dir, scope, exists } = self.memory.target()?;
        let store = self.memory.store(dir, scope);
        let left =
            if exists { write(self.memory, &store, &self.memory.readers()?, leave)? } else { None };
        let (file, text) = left.unzip();
        Ok(HandoffView { file, text: text.unwrap_or_default(), written: true })
    }
}

impl Reading<'_> {
    /// Returns the newest handoff of all stores.
    ///
    /// # Errors
    /// Fails if a log cannot be read.
    pub fn newest_handoff(self) -> Result<HandoffView, Failure> {
        let mut newest: Option<(Date, String)> = None;
        for store in self.memory.readers()? {
            newest = newest.max(in_store(&store)?);
        }
        let (date, text) = newest.unzip();
        let file = date.map(notes::daily);
        let text = gate::masked(&text.unwrap_or_default()).into_owned();
        Ok(HandoffView { file, text, written: false })
    }
}

pub struct Leave {
    /// Id of the session that writes it.
    pub session: Option<String>,
    pub git: bool,
    /// True if the user did not ask for it: then only text written or reviewed here is repeated.
    pub unasked: bool,
}

/// The texts that a handoff may repeat.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Everyones,
    /// Those written or reviewed on this machine.
    Ours,
}

/// Writes a handoff to today's log in `store`, with the open items of all `stores`. Returns the
/// name of the log and the text; `None` if there is nothing to hand off.
pub fn write(
    memory: &Memory,
    store: &Store,
    stores: &[Store],
    Leave { session, git, unasked }: &Leave,
) -> Result<Option<(String, String)>, Failure> {
    let now = local_time::local(memory.now.0);
    let name = notes::daily(now.date);
    let session = session.as_deref().map(visible);
    let ours = |store: &Store, name: &str| {
        store.clone().strict().is_reviewed(name).map_err(|problem| Failure::from(&problem))
    };
    let block = |repository, whose: Whose| -> Result<Option<Vec<String>>, Failure> {
        let counts = |store: &Store, name: &str| match whose {
            Whose::Everyones => Ok(true),
            Whose::Ours => ours(store, name),
        };
        let mut open = Vec::new();
        for store in stores {
            if !counts(store, notes::SCRATCHPAD)? {
                continue;
            }
            let pad = scratchpad(store)?;
            let items = checklist::open(&pad);
            open.extend(items.map(|item| gate::masked(&item.text).into_owned()));
        }
        let log = if counts(store, &name)? {
            store.tail(&name, TAIL).map_err(|problem| Failure::from(&problem))?
        } else {
            None
        };
        let log = log.unwrap_or_default();
        // A handoff is one more place, and the server's copy of it another.
        let recent = handoff::recent(gate::masked(&String::from_utf8_lossy(&log)).as_bytes());
        Ok(Handoff { session: session.clone(), open, recent, repository }.block(now))
    };
    // A check without the lock, because often there is nothing to hand off.
    if block(Vec::new(), Whose::Everyones)?.is_none() {
        return Ok(None);
    }
    let work_tree = memory.places.work_tree(&memory.places.cwd).filter(|_| *git);
    let repository = work_tree.map(git::standing).unwrap_or_default();
    let lock = super::lock(memory, store)?;
    let whose = if *unasked { Whose::Ours } else { Whose::Everyones };
    let Some(block) = block(repository, whose)? else { return Ok(None) };
    // The handoff repeats texts of stores, which may have come with a clone.
    let mut all_ours = *unasked || ours(store, &name)?;
    for store in stores {
        all_ours = all_ours && (*unasked || ours(store, notes::SCRATCHPAD)?);
    }
    if all_ours {
        store.trust.record_text(TrustedKind::Handoff, &block.join("\n"));
    }
    store.append(&lock, &name, &now.date.to_string(), &block)?;
    Ok(Some((name, block.join("\n"))))
}

/// Returns an id with the characters that a comment may contain.
pub fn visible(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect()
}

pub struct LeftByAgent<'a> {
    pub store: &'a Store,
    /// Local time at which it was written.
    pub at: LocalTime,
    pub log: String,
    /// Start of the session's id.
    pub session: Option<String>,
    /// The whole block, including comments.
    pub text: String,
}

impl LeftByAgent<'_> {
    /// Returns true if it was written on this machine and is unchanged.
    pub fn is_ours(&self) -> bool {
        self.store.trust.holds_text(TrustedKind::Handoff, &self.text)
    }

    /// Returns the block as an agent may see it.
    pub fn told(&self) -> Cow<'_, str> {
        self.store.trust.told(&self.text)
    }
}

/// Returns the newest handoff of the last `seconds` that satisfies `counts`, regardless of the day.
pub fn newest_within<'a>(
    memory: &Memory,
    stores: &'a [Store],
    seconds: i64,
    counts: impl Fn(&LeftByAgent<'_>) -> bool,
) -> Result<Option<LeftByAgent<'a>>, Failure> {
    let now = local_time::local(memory.now.0);
    let mut newest: Option<(i64, LeftByAgent<'a>)> = None;
    let near = 1 + seconds / (24 * 3600);
    for store in stores {
        let mut days = store.days().map_err(|problem| Failure::from(&problem))?;
        days.retain(|date| now.date.days_since(*date).abs() <= near);
        days.sort_unstable_by_key(|date| Reverse(*date));
        for date in days {
            let name = notes::daily(date);
            let log = store.tail(&name, TAIL).map_err(|p| Failure::from(&p))?.unwrap_or_default();
            let left = |block| -> Option<(i64, LeftByAgent<'a>)> {
                let text = String::from_utf8_lossy(log.get(block)?).trim_end().to_owned();
                let (at, id) = handoff::head(&text)?;
                let session = id.map(str::to_owned);
                Some((
                    now.seconds_since(at),
                    LeftByAgent { store, at, log: name.clone(), session, text },
                ))
            };
            let blocks = handoff::blocks(&log).into_iter().rev();
            let mut found: Vec<(i64, LeftByAgent<'a>)> = blocks.filter_map(left).collect();
            found.retain(|(age, _)| age.abs() <= seconds);
            found.sort_by_key(|(age, _)| *age);
            let Some(found) = found.into_iter().find(|(_, left)| counts(left)) else { continue };
            if newest.as_ref().is_none_or(|(best, _)| found.0 < *best) {
                newest = Some(found);
            }
            // Earlier days have no newer handoff.
            break;
        }
    }
    Ok(newest.map(|(_, found)| found))
}

/// Returns the newest handoff of a store, with the day of its log.
fn in_store(store: &Store) -> Result<Option<(Date, String)>, Failure> {
    let days = store.days().map_err(|problem| Failure::from(&problem))?;
    for date in days.into_iter().rev() {
        let log = store.tail(&notes::daily(date), TAIL).map_err(|p| Failure::from(&p))?;
        let log = log.unwrap_or_default();
        if let Some(block) = handoff::blocks(&log).pop() {
            let text = String::from_utf8_lossy(log.get(block).unwrap_or_default());
            return Ok(Some((date, text.trim_end().to_owned())));
        }
    }
    Ok(None)
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandoffView {
    /// Log with the handoff, relative to the store; absent if there is no handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Text of the handoff; empty if there is none.
    pub text: String,
    #[serde(skip)]
    pub written: bool,
}

documents! {
    HandoffView: "pimem.handoff/1",
}

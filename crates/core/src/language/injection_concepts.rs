//! Concepts of a sentence, for the reader of orders.

pub(super) use super::lexicon::injection::*;
use super::{injection_orders::OrderWord, lexicon::Concepts};

/// Concepts that are told by the shape of a word instead.
#[expect(clippy::cast_possible_truncation, reason = "there are fewer than 64")]
const SHAPES: u32 = LISTS.len() as u32;
/// An address outside of this machine and its network.
pub(super) const FOREIGN: Concepts = 1 << SHAPES;
/// Such an address of a program or script.
pub(super) const REMOTE_SCRIPT: Concepts = 1 << (SHAPES + 1);
/// What is fetched goes to a shell.
pub(super) const PIPED: Concepts = 1 << (SHAPES + 2);
/// The sentence forbids what it names.
pub(super) const FORBIDDEN: Concepts = 1 << (SHAPES + 3);
/// Such an address that something may go to, rather than come from.
pub(super) const TO: Concepts = 1 << (SHAPES + 5);
/// It dismisses what a person says.
pub(super) const DISMISSES: Concepts = 1 << (SHAPES + 6);
/// A time at which an agent works.
pub(super) const WORKING: Concepts = 1 << (SHAPES + 7);
/// Rules of somebody that an agent goes by.
pub(super) const RULED: Concepts = 1 << (SHAPES + 8);
/// A person who may hear of it, rather than whose thing is spoken of.
pub(super) const HEARER: Concepts = 1 << (SHAPES + 9);
/// A file or directory.
pub(super) const NAMED_PLACE: Concepts = 1 << (SHAPES + 10);
/// Something goes to a place that others hold.
pub(super) const AWAY: Concepts = 1 << (SHAPES + 11);
/// A part of what is told stays out of it.
pub(super) const LEFT_OUT: Concepts = 1 << (SHAPES + 12);
/// Somebody asks what was done, rather than for something.
pub(super) const QUESTIONED: Concepts = 1 << (SHAPES + 13);
/// Not telling of the text that speaks.
pub(super) const OWN_SECRET: Concepts = 1 << (SHAPES + 14);
/// A safeguard hinders the agent.
pub(super) const HINDERED: Concepts = 1 << (SHAPES + 15);
/// Somebody asks who did a thing, or whether it was done.
pub(super) const DOUBTED: Concepts = 1 << (SHAPES + 16);
/// The sentence tells not to tell.
pub(super) const SILENT: Concepts = 1 << (SHAPES + 4);

/// An entry of the table: the place of its text in a list, which is also its concept.
#[derive(Clone, Copy)]
struct Slot {
    /// The first four bytes of its first word.
    key: u32,
    list: u8,
    length: u8,
    start: u16,
}

const SLOTS: usize = 4096;
const EMPTY: Slot = Slot { key: 0, list: 0, length: 0, start: 0 };

/// All entries by the first bytes of their first word, with linear probing.
static TABLE: [Slot; SLOTS] = table();

#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::large_stack_arrays,
    reason = "evaluated at compile time"
)]
const fn table() -> [Slot; SLOTS] {
    let (mut table, mut list) = ([EMPTY; SLOTS], 0);
    while list < LISTS.len() {
        let words = LISTS[list].as_bytes();
        let (mut start, mut end) = (0, 0);
        while end <= words.len() {
            if end == words.len() || words[end] == b'|' {
                let key = key(words, start, end);
                let mut slot = place(key);
                while table[slot].length != 0 {
                    slot = (slot + 1) % SLOTS;
                }
                let (length, first) = ((end - start) as u8, start as u16);
                table[slot] = Slot { key, list: list as u8, length, start: first };
                start = end + 1;
            }
            end += 1;
        }
        list += 1;
    }
    table
}

/// Returns the first four bytes of a word that ends at `end`, a space or `*`.
#[expect(clippy::indexing_slicing, reason = "the callers' bounds")]
const fn key(words: &[u8], start: usize, end: usize) -> u32 {
    let (mut key, mut at) = (0, start);
    while at < end && at < start + 4 && words[at] != b' ' && words[at] != b'*' {
        key = key << 8 | words[at] as u32;
        at += 1;
    }
    key
}

const fn place(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

/// Returns the concepts of the word at an index, alone or with those that follow it.
pub(super) fn concepts(words: &[OrderWord<'_>], at: usize) -> Concepts {
    let Some(word) = words.get(at) else { return 0 };
    let key = key(word.text.as_bytes(), 0, word.text.len());
    let mut slot = place(key);
    let mut found = 0;
    while let Some(entry) = TABLE.get(slot).filter(|entry| entry.length != 0) {
        slot = (slot + 1) % SLOTS;
        if entry.key != key {
            continue;
        }
        let start = usize::from(entry.start);
        let text = LISTS
            .get(usize::from(entry.list))
            .and_then(|list| list.get(start..start + usize::from(entry.length)));
        let mut next = words.get(at..).unwrap_or_default().iter();
        let fits = |step: &str| {
            next.next().is_some_and(|word| match step.strip_suffix('*') {
                Some(stem) => word.text.starts_with(stem),
                None => word.text == step,
            })
        };
        if text.is_some_and(|text| text.split(' ').all(fits)) {
            found |= 1 << entry.list;
        }
    }
    found
}

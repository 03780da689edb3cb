//! What a merge takes as a whole: an entry, an item of a checklist or of a log, a handoff block, or
//! else a line.
//!
//! Entries and items are the same ones whether marked or not; categories are not looked up, so that
//! a merge gives the same on every machine.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use crate::markdown::{checklist, entry_line::split_marker_bytes, handoff, lines::lines};

/// A part of a file.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// The same in units that are the same one.
    pub(super) key: u32,
    /// Whether it may stand in a file only once.
    pub(super) entry: bool,
    /// What may be set about it without its being another.
    pub(super) flags: u8,
    /// The time of day that it states.
    pub(super) time: Option<[u8; 5]>,
    /// Its lines.
    pub(super) lines: Range<usize>,
}

/// An entry is pinned, or an item done.
pub(super) const MARKED: u8 = 1;
/// An entry is enforced.
pub(super) const ENFORCED: u8 = 2;

/// A file taken apart.
#[derive(Debug, Default)]
pub(super) struct Doc<'a> {
    /// Lines, each with its end.
    pub(super) lines: Vec<(&'a [u8], &'a [u8])>,
    /// Units, which together are all the lines.
    pub(super) units: Vec<Unit>,
}

/// Numbers for the contents of units, common to the files of a merge.
pub(super) type Keys<'a> = HashMap<Cow<'a, [u8]>, u32>;

impl<'a> Doc<'a> {
    pub(super) fn parse(bytes: &'a [u8], keys: &mut Keys<'a>) -> Self {
        let mut doc = Self::default();
        let mut blocks = handoff::blocks(bytes).into_iter().peekable();
        let mut spans = lines(bytes).peekable();
        let mut open: Option<Unit> = None;
        while let Some(span) = spans.next() {
            let end = spans.peek().map_or(bytes.len(), |next| next.start);
            let line = bytes.get(span.clone()).unwrap_or_default();
            while blocks.peek().is_some_and(|block| block.end <= span.start) {
                blocks.next();
            }
            let inside = blocks.peek().filter(|block| block.contains(&span.start));
            let goes_on = match (&open, inside) {
                (Some(_), Some(block)) => block.start < span.start,
                // What is indented below an item of a log belongs to it.
                (Some(unit), None) => {
                    let timed =
                        doc.lines.get(unit.lines.start).is_some_and(|(l, _)| l.starts_with(b"- "));
                    unit.time.is_some() && timed && line.starts_with(b" ")
                }
                (None, _) => false,
            };
            let at = doc.lines.len();
            doc.lines.push((line, bytes.get(span.end..end).unwrap_or_default()));
            if goes_on {
                if let Some(unit) = &mut open {
                    unit.lines.end = at + 1;
                }
                continue;
            }
            doc.close(open.take(), keys);
            let time = if inside.is_some() { time_of_block(line) } else { time_of_item(line) };
            open = Some(Unit { key: 0, entry: false, flags: 0, time, lines: at..at + 1 });
        }
        doc.close(open, keys);
        doc
    }

    /// Adds a unit that is complete.
    fn close(&mut self, unit: Option<Unit>, keys: &mut Keys<'a>) {
        let Some(mut unit) = unit else { return };
        let lines = self.lines.get(unit.lines.clone()).unwrap_or_default();
        let key = match *lines {
            [(line, _)] => {
                if let Some((tick, _)) = checklist::item(line) {
                    let mut open = line.to_vec();
                    let mark = open.get_mut(tick).map(|mark| std::mem::replace(mark, b' '));
                    unit.flags = u8::from(mark != Some(b' ')) * MARKED;
                    Cow::Owned(open)
                } else if is_entry(line) {
                    let (text, markers) = split_marker_bytes(line.trim_ascii());
                    unit.flags =
                        u8::from(markers.pinned) * MARKED + u8::from(markers.enforced) * ENFORCED;
                    unit.entry = true;
                    Cow::Borrowed(text)
                } else {
                    Cow::Borrowed(line)
                }
            }
            _ => Cow::Owned(self.text(&unit).collect::<Vec<_>>().join(&b'\n')),
        };
        let number = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        unit.key = *keys.entry(key).or_insert(number);
        self.units.push(unit);
    }

    /// A unit's lines, without their ends.
    pub(super) fn text(&self, unit: &Unit) -> impl Iterator<Item = &'a [u8]> {
        self.lines.get(unit.lines.clone()).unwrap_or_default().iter().map(|(line, _)| *line)
    }

    /// The keys of the units.
    pub(super) fn keys(&self) -> Vec<u32> {
        self.units.iter().map(|unit| unit.key).collect()
    }

    /// The lines of a unit as they are with other flags, each with its end.
    pub(super) fn flagged(&self, unit: &Unit, flags: u8) -> impl Iterator<Item = Line<'a>> {
        let lines = self.lines.get(unit.lines.clone()).unwrap_or_default().iter();
        let same = flags == unit.flags;
        let line = move |line| if same { Cow::Borrowed(line) } else { with_flags(line, flags) };
        lines.map(move |(text, end)| (line(*text), *end))
    }
}

/// A line of the result, with its end.
pub(super) type Line<'a> = (Cow<'a, [u8]>, &'a [u8]);

fn with_flags(line: &[u8], flags: u8) -> Cow<'_, [u8]> {
    let mut out = line.to_vec();
    if let Some((tick, _)) = checklist::item(line) {
        let mark = if flags == 0 { b' ' } else { b'x' };
        out.iter_mut().skip(tick).take(1).for_each(|slot| *slot = mark);
    } else {
        out.truncate(split_marker_bytes(line.trim_ascii_end()).0.len());
        for (flag, marker) in [(ENFORCED, " *(enforced)*"), (MARKED, " *(pinned)*")] {
            if flags & flag != 0 {
                out.extend_from_slice(marker.as_bytes());
            }
        }
    }
    Cow::Owned(out)
}

/// `- [word] text`, whatever the word.
fn is_entry(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii().strip_prefix(b"- [") else { return false };
    let close = rest.iter().position(|byte| *byte == b']');
    close.and_then(|at| rest.get(at + 1)).is_some_and(u8::is_ascii_whitespace)
}

/// `09:30` of `- 09:30 text`.
fn time_of_item(line: &[u8]) -> Option<[u8; 5]> {
    clock(line.strip_prefix(b"- ")?)
}

/// `14:30` of `<!-- HANDOFF 2026-02-15 14:30:00 [a1b2c3d4] -->`.
fn time_of_block(line: &[u8]) -> Option<[u8; 5]> {
    clock(line.strip_prefix(b"<!-- HANDOFF ")?.get(11..)?)
}

fn clock(text: &[u8]) -> Option<[u8; 5]> {
    let (time, rest) = text.split_first_chunk::<5>()?;
    let [h0, h1, b':', m0, m1] = time else { return None };
    let digits = [h0, h1, m0, m1].iter().all(|byte| byte.is_ascii_digit());
    (digits && rest.first().is_none_or(|byte| b" :".contains(byte))).then_some(*time)
}

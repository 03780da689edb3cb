//! The units of a merge: an entry, an item of a checklist or log, a handoff block, a code block or
//! comment, or else a line.
//!
//! Markers do not change the identity of entries and items. Categories are not looked up, so that a
//! merge gives the same result on every machine.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use crate::markdown::{asides, checklist, entry_line::split_marker_bytes, handoff, lines::lines};

/// A part of a file that is merged as a whole.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Equal for units that are the same.
    pub(super) key: u32,
    /// True for entries, which may appear in a file only once.
    pub(super) entry: bool,
    /// True for lines that are neither entries nor items, whatever they look like.
    plain: bool,
    /// Flags that may change without changing the unit's identity.
    pub(super) flags: u8,
    /// Time of day that the unit states, as `HH:MM`.
    pub(super) time: Option<[u8; 5]>,
    /// Indexes of its lines.
    pub(super) lines: Range<usize>,
}

/// Flag: an entry is pinned, or an item is done.
pub(super) const MARKED: u8 = 1;
/// Flag: an entry is enforced.
pub(super) const ENFORCED: u8 = 2;

/// A file parsed into units.
#[derive(Debug, Default)]
pub(super) struct Doc<'a> {
    /// Lines, each with its line end.
    pub(super) lines: Vec<(&'a [u8], &'a [u8])>,
    /// Units, which cover all lines.
    pub(super) units: Vec<Unit>,
}

/// Keys by the content of units, shared by the files of a merge.
pub(super) type Keys<'a> = HashMap<Cow<'a, [u8]>, u32>;

impl<'a> Doc<'a> {
    pub(super) fn parse(bytes: &'a [u8], keys: &mut Keys<'a>) -> Self {
        let mut doc = Self::default();
        let mut blocks = handoff::blocks(bytes).into_iter().peekable();
        let mut asides = asides::blocks(bytes).into_iter().peekable();
        let mut spans = lines(bytes).peekable();
        let mut open: Option<Unit> = None;
        while let Some(span) = spans.next() {
            let end = spans.peek().map_or(bytes.len(), |next| next.start);
            let line = bytes.get(span.clone()).unwrap_or_default();
            while blocks.peek().is_some_and(|block| block.end <= span.start) {
                blocks.next();
            }
            let inside = blocks.peek().filter(|block| block.contains(&span.start));
            while asides.peek().is_some_and(|aside| aside.end <= span.start) {
                asides.next();
            }
            // A code block or comment is merged as a whole, or its marks might come apart.
            let aside = asides.peek().filter(|aside| aside.contains(&span.start));
            let goes_on = match (&open, inside) {
                (Some(_), Some(block)) => block.start < span.start,
                // Lines indented below a log item belong to it.
                (Some(unit), None) => {
                    let timed =
                        doc.lines.get(unit.lines.start).is_some_and(|(l, _)| l.starts_with(b"- "));
                    unit.time.is_some() && timed && line.starts_with(b" ")
                        || aside.is_some_and(|aside| aside.start < span.start)
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
            let plain = inside.is_some() || aside.is_some();
            let time = if inside.is_some() { time_of_block(line) } else { time_of_item(line) };
            let lines = at..at + 1;
            open = Some(Unit { key: 0, entry: false, plain, flags: 0, time, lines });
        }
        doc.close(open, keys);
        doc
    }

    /// Adds a complete unit.
    fn close(&mut self, unit: Option<Unit>, keys: &mut Keys<'a>) {
        let Some(mut unit) = unit else { return };
        let lines = self.lines.get(unit.lines.clone()).unwrap_or_default();
        let key = match *lines {
            [(line, _)] => {
                if unit.plain {
                    Cow::Borrowed(line)
                } else if let Some((tick, _)) = checklist::item(line) {
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

    /// Returns a unit's lines, without line ends.
    pub(super) fn text(&self, unit: &Unit) -> impl Iterator<Item = &'a [u8]> {
        self.lines.get(unit.lines.clone()).unwrap_or_default().iter().map(|(line, _)| *line)
    }

    pub(super) fn keys(&self) -> Vec<u32> {
        self.units.iter().map(|unit| unit.key).collect()
    }

    /// Returns a unit's lines with other flags, each with its line end.
    pub(super) fn flagged(&self, unit: &Unit, flags: u8) -> impl Iterator<Item = Line<'a>> {
        let lines = self.lines.get(unit.lines.clone()).unwrap_or_default().iter();
        let same = flags == unit.flags;
        let line = move |line| if same { Cow::Borrowed(line) } else { with_flags(line, flags) };
        lines.map(move |(text, end)| (line(*text), *end))
    }
}

/// A line of the result, with its line end.
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

/// Returns true for `- [word] text` with any word.
fn is_entry(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii().strip_prefix(b"- [") else { return false };
    let close = rest.iter().position(|byte| *byte == b']');
    close.and_then(|at| rest.get(at + 1)).is_some_and(u8::is_ascii_whitespace)
}

/// Parses `09:30` in `- 09:30 text`.
fn time_of_item(line: &[u8]) -> Option<[u8; 5]> {
    clock(line.strip_prefix(b"- ")?)
}

/// Parses `14:30` in `<!-- HANDOFF 2026-02-15 14:30:00 [a1b2c3d4] -->`.
fn time_of_block(line: &[u8]) -> Option<[u8; 5]> {
    clock(line.strip_prefix(b"<!-- HANDOFF ")?.get(11..)?)
}

fn clock(text: &[u8]) -> Option<[u8; 5]> {
    let (time, rest) = text.split_first_chunk::<5>()?;
    let [h0, h1, b':', m0, m1] = time else { return None };
    let digits = [h0, h1, m0, m1].iter().all(|byte| byte.is_ascii_digit());
    (digits && rest.first().is_none_or(|byte| b" :".contains(byte))).then_some(*time)
}

//! Three-way merge of two versions of a file, without conflicts.
//!
//! Removals and changes of one side are applied, additions of both appear once, and if both sides
//! changed the same part, both versions stay. The result does not depend on which side is which,
//! except for the style of line ends.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::{
    asides, checklist, handoff, passages,
    patch::{self, BOM, Pair, align, lines},
    topic::{split_marker_bytes, written},
};
use crate::model::{entry::Markers, event::Event};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeKind {
    /// A set of lines: `evidence.jsonl`.
    Log,
    /// Ordered lines.
    Markdown,
}

impl MergeKind {
    /// Returns the kind of a file by its name, or without one by the start of its versions.
    #[must_use]
    pub fn of(path: Option<&str>, versions: [&[u8]; 3]) -> Self {
        let is_log = match path {
            Some(path) => path.rsplit_once('.').is_some_and(|(_, kind)| kind == "jsonl"),
            None => versions.iter().any(|bytes| bytes.trim_ascii_start().starts_with(b"{")),
        };
        if is_log { Self::Log } else { Self::Markdown }
    }
}

/// Merges two versions of `base` and returns the result in the style of `ours`.
#[must_use]
pub fn merge(kind: MergeKind, base: &[u8], ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    if ours == theirs || theirs == base {
        return ours.to_vec();
    }
    if ours == base {
        return theirs.to_vec();
    }
    let merged = match kind {
        MergeKind::Log => log(base, ours, theirs),
        MergeKind::Markdown => markdown(base, ours, theirs),
    };
    // A file that is new on our side has no style yet.
    let style = if ours.is_empty() { theirs } else { ours };
    finish(merged, style)
}

/// Joins lines to bytes. Lines without a line end get the most frequent one of `style`.
fn finish(mut merged: Vec<MergeLine<'_>>, style: &[u8]) -> Vec<u8> {
    let newline = patch::newline(style).as_bytes();
    let mut out = if style.starts_with(BOM) { BOM.to_vec() } else { Vec::new() };
    let last = merged.pop();
    for (line, end) in merged {
        out.extend_from_slice(&line);
        out.extend_from_slice(if end.is_empty() { newline } else { end });
    }
    if let Some((line, end)) = last {
        out.extend_from_slice(&line);
        if style.ends_with(b"\n") || style.ends_with(b"\r") {
            out.extend_from_slice(if end.is_empty() { newline } else { end });
        }
    }
    out
}

/// Returns the lines of both sides. Lines that one side removed from the log, as `purge` does, stay
/// removed. The lines of the base keep their order; new ones follow by id.
fn log<'a>(base: &'a [u8], ours: &'a [u8], theirs: &'a [u8]) -> Vec<MergeLine<'a>> {
    let read = |bytes: &'a [u8]| -> Vec<&'a [u8]> {
        let lines = patch::lines(bytes).filter_map(|span| bytes.get(span));
        lines.filter(|line| !line.trim_ascii().is_empty()).collect()
    };
    // Sides mostly append, so the common start of all three files is not compared line by line.
    let shared = shared(base, ours, theirs);
    let rest = |bytes: &'a [u8]| read(bytes.get(shared..).unwrap_or_default());
    let head = read(base.get(..shared).unwrap_or_default());
    let (base, ours, theirs) = (rest(base), rest(ours), rest(theirs));
    let set = |lines: &[&'a [u8]]| lines.iter().copied().collect::<HashSet<_>>();
    let (old, mine, other) = (set(&base), set(&ours), set(&theirs));
    let added = |line: &&[u8]| mine.contains(line) || other.contains(line);
    let mut seen: HashSet<&[u8]> = head.iter().copied().filter(added).collect();
    let mut merged = head;
    let kept = |line: &&&[u8]| mine.contains(*line) && other.contains(*line);
    merged.extend(base.iter().filter(kept).filter(|line| seen.insert(line)));
    let id = |line: &[u8]| Event::read(str::from_utf8(line).ok()?).map(|event| event.id);
    let new = mine.union(&other).filter(|line| !old.contains(*line) && !seen.contains(*line));
    let mut new: Vec<_> = new.map(|line| (id(line), *line)).collect();
    new.sort_unstable();
    merged.extend(new.into_iter().map(|(_, line)| line));
    merged.into_iter().map(|line| (Cow::Borrowed(line), &b""[..])).collect()
}

/// Returns the length in bytes of the whole lines at the start that all three files share.
fn shared(base: &[u8], ours: &[u8], theirs: &[u8]) -> usize {
    let alike = base.iter().zip(ours).zip(theirs).take_while(|((a, b), c)| a == b && b == c);
    let bytes = base.get(..alike.count()).unwrap_or_default();
    memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1)
}

fn markdown<'a>(base: &'a [u8], ours: &'a [u8], theirs: &'a [u8]) -> Vec<MergeLine<'a>> {
    let mut keys = Keys::new();
    let mut parse = |bytes| MergeDoc::parse(bytes, &mut keys);
    let base = parse(base);
    // Sort the sides by content, so that the result does not depend on their roles.
    let swapped = theirs < ours;
    let (left, right) = if swapped { (theirs, ours) } else { (ours, theirs) };
    let (left, right) = (parse(left), parse(right));
    Merge::new(&base, [&left, &right], usize::from(swapped)).run()
}

/// The indexes of a unit in base, left and right.
type Place = (Option<usize>, [Option<usize>; 2]);

struct Merge<'a, 'b> {
    base: &'b MergeDoc<'a>,
    sides: [&'b MergeDoc<'a>; 2],
    /// Index of our side.
    ours: usize,
    /// For each unit of a side, the index of the same unit in the base.
    from: [Vec<Option<usize>>; 2],
    /// The place of each entry, by key.
    entries: HashMap<u32, Place>,
    seen: HashSet<u32>,
    merged: Vec<MergeLine<'a>>,
}

impl<'a, 'b> Merge<'a, 'b> {
    fn new(base: &'b MergeDoc<'a>, sides: [&'b MergeDoc<'a>; 2], ours: usize) -> Self {
        let from = sides.map(|side| {
            let mut from = vec![None; side.units.len()];
            for Pair { a: before, b: after } in align(&base.keys(), &side.keys()) {
                from.iter_mut().skip(after).take(1).for_each(|slot| *slot = Some(before));
            }
            from
        });
        let mut entries: HashMap<u32, Place> = HashMap::new();
        let each =
            |doc: &'b MergeDoc<'a>| doc.units.iter().enumerate().filter(|(_, unit)| unit.entry);
        for (at, unit) in each(base) {
            entries.entry(unit.key).or_default().0.get_or_insert(at);
        }
        let [left, right] = sides;
        for (at, unit) in each(left) {
            entries.entry(unit.key).or_default().1[0].get_or_insert(at);
        }
        for (at, unit) in each(right) {
            entries.entry(unit.key).or_default().1[1].get_or_insert(at);
        }
        Self { base, sides, ours, from, entries, seen: HashSet::new(), merged: Vec::new() }
    }

    /// Merges the parts between the units that both sides kept.
    fn run(mut self) -> Vec<MergeLine<'a>> {
        let kept = |from: &[Option<usize>]| -> HashMap<usize, usize> {
            from.iter().enumerate().filter_map(|(at, before)| Some(((*before)?, at))).collect()
        };
        let [left, right] = self.from.each_ref().map(|from| kept(from));
        let mut start = [0, 0];
        for before in 0..self.base.units.len() {
            let (Some(l), Some(r)) = (left.get(&before), right.get(&before)) else { continue };
            self.between(&[start[0]..*l, start[1]..*r]);
            self.emit((Some(before), [Some(*l), Some(*r)]));
            start = [l + 1, r + 1];
        }
        self.between(&[start[0]..self.sides[0].units.len(), start[1]..self.sides[1].units.len()]);
        self.merged
    }

    /// Merges the parts of both sides between two units that both kept. A base unit that only one
    /// side still has here was removed by the other, so it stays only if it was changed.
    fn between(&mut self, ranges: &[Range<usize>; 2]) {
        let [left, right] = [0, 1].map(|side| {
            let range = of(ranges, side).clone();
            range.filter(|at| self.is_new(side, *at)).collect::<Vec<usize>>()
        });
        let keys = |side: usize, run: &[usize]| -> Vec<u32> {
            run.iter().filter_map(|at| Some(self.unit(side, *at)?.key)).collect()
        };
        let common = align(&keys(0, &left), &keys(1, &right));
        let (mut i, mut j) = (0, 0);
        let ends = Pair { a: left.len(), b: right.len() };
        for Pair { a: p, b: q } in common.into_iter().chain([ends]) {
            let part =
                |run: &[usize], range: Range<usize>| run.get(range).unwrap_or_default().to_vec();
            self.interleave(&[part(&left, i..p), part(&right, j..q)]);
            if let (Some(l), Some(r)) = (left.get(p), right.get(q)) {
                self.emit((None, [Some(*l), Some(*r)]));
            }
            (i, j) = (p + 1, q + 1);
        }
    }

    /// Returns true if a unit of a side is not in the base, or has other flags there.
    fn is_new(&self, side: usize, at: usize) -> bool {
        let before = of(&self.from, side).get(at).copied().flatten();
        let before = before.and_then(|before| self.base.units.get(before));
        before.is_none_or(|unit| self.unit(side, at).is_some_and(|now| now.flags != unit.flags))
    }

    /// Interleaves two runs that have nothing in common, ordered by stated time, then by content.
    fn interleave(&mut self, runs: &[Vec<usize>; 2]) {
        let texts = |side: usize| -> Vec<&[u8]> {
            let units = of(runs, side).iter().filter_map(|at| self.unit(side, *at));
            units.flat_map(|unit| of(&self.sides, side).text(unit)).collect()
        };
        let first = usize::from(texts(1) < texts(0));
        // A unit without a time stays with the one before it.
        let mut timed: Vec<(Option<u16>, usize, usize)> = Vec::new();
        for side in [first, 1 - first] {
            let mut time = None;
            for at in of(runs, side) {
                time = time.max(self.unit(side, *at).and_then(|unit| unit.time));
                timed.push((time, side, *at));
            }
        }
        timed.sort_by_key(|(time, ..)| *time);
        for (_, side, at) in timed {
            let place = if side == 0 { [Some(at), None] } else { [None, Some(at)] };
            self.emit((None, place));
        }
    }

    /// Adds a unit to the result. An entry is added once, with the changes of both sides.
    fn emit(&mut self, place: Place) {
        let unit = |side: usize, at: Option<usize>| at.and_then(|at| self.unit(side, at));
        let (mut base, mut sides) = place;
        let found = [unit(0, sides[0]), unit(1, sides[1])];
        if let Some(entry) = found.into_iter().flatten().find(|unit| unit.entry) {
            if !self.seen.insert(entry.key) {
                return;
            }
            (base, sides) = self.entries.get(&entry.key).copied().unwrap_or((base, sides));
        }
        let unit = |side: usize, at: Option<usize>| at.and_then(|at| self.unit(side, at));
        let before = base.and_then(|at| self.base.units.get(at));
        let (side, unit, flags) = match (unit(0, sides[0]), unit(1, sides[1])) {
            (Some(left), Some(right)) => {
                let old = before.map_or(0, |unit| unit.flags);
                let flags = left.flags & right.flags | (left.flags ^ right.flags) & !old;
                let text = |side: usize, unit| of(&self.sides, side).text(unit);
                let untouched = before.is_some_and(|unit| self.base.text(unit).eq(text(0, left)));
                let same = text(0, left).eq(text(1, right));
                let side = if same { self.ours } else { usize::from(untouched) };
                (side, if side == 0 { left } else { right }, flags)
            }
            (Some(left), None) => (0, left, left.flags),
            (None, Some(right)) => (1, right, right.flags),
            (None, None) => return,
        };
        let lines = of(&self.sides, side).flagged(unit, flags);
        let own = side == self.ours || of(&self.sides, self.ours).lines.is_empty();
        self.merged.extend(lines.map(|(line, end)| (line, if own { end } else { b"" })));
    }

    fn unit(&self, side: usize, at: usize) -> Option<&'b Unit> {
        of(&self.sides, side).units.get(at)
    }
}

fn of<T>([left, right]: &[T; 2], side: usize) -> &T {
    if side == 0 { left } else { right }
}

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
    /// Time of day that the unit states, in minutes.
    pub(super) time: Option<u16>,
    /// Indexes of its lines.
    pub(super) lines: Range<usize>,
}

/// Flag: an entry is pinned, or an item is done.
pub(super) const MARKED: u8 = 1;
/// Flag: an entry is enforced.
pub(super) const ENFORCED: u8 = 2;

/// A file parsed into units.
#[derive(Debug, Default)]
pub(super) struct MergeDoc<'a> {
    /// Lines, each with its line end.
    pub(super) lines: Vec<(&'a [u8], &'a [u8])>,
    /// Units, which cover all lines.
    pub(super) units: Vec<Unit>,
}

/// Keys by the content of units, shared by the files of a merge.
pub(super) type Keys<'a> = HashMap<Cow<'a, [u8]>, u32>;

impl<'a> MergeDoc<'a> {
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
    pub(super) fn flagged(&self, unit: &Unit, flags: u8) -> impl Iterator<Item = MergeLine<'a>> {
        let lines = self.lines.get(unit.lines.clone()).unwrap_or_default().iter();
        let same = flags == unit.flags;
        let line = move |line| if same { Cow::Borrowed(line) } else { with_flags(line, flags) };
        lines.map(move |(text, end)| (line(*text), *end))
    }
}

/// A line of the result, with its line end.
pub(super) type MergeLine<'a> = (Cow<'a, [u8]>, &'a [u8]);

fn with_flags(line: &[u8], flags: u8) -> Cow<'_, [u8]> {
    let mut out = line.to_vec();
    if let Some((tick, _)) = checklist::item(line) {
        let mark = if flags == 0 { b' ' } else { b'x' };
        out.iter_mut().skip(tick).take(1).for_each(|slot| *slot = mark);
    } else {
        let (text, markers) = split_marker_bytes(line.trim_ascii_end());
        let (pinned, enforced) = (flags & MARKED != 0, flags & ENFORCED != 0);
        out.truncate(text.len());
        out.extend_from_slice(written(&Markers { pinned, enforced, ..markers }).as_bytes());
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
fn time_of_item(line: &[u8]) -> Option<u16> {
    passages::clock(line.strip_prefix(b"- ")?)
}

/// Parses `14:30` in `<!-- HANDOFF 2026-02-15 14:30:00 [a1b2c3d4] -->`.
fn time_of_block(line: &[u8]) -> Option<u16> {
    passages::clock(line.strip_prefix(b"<!-- HANDOFF ")?.get(11..)?)
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;

//! Three-way merge of two versions of a file, without conflicts.
//!
//! Removals and changes of one side are applied, additions of both appear once, and if both sides
//! changed the same part, both versions stay. The result does not depend on which side is which,
//! except for the style of line ends.

pub mod align;
mod unit;

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
};

use self::{
    align::{Pair, align},
    unit::{Doc, Keys, Line, Unit},
};
use super::lines::{self, BOM};
use crate::model::event::Event;

/// The merge strategy for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A set of lines: `evidence.jsonl`.
    Log,
    /// Ordered lines.
    Markdown,
}

impl Kind {
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
pub fn merge(kind: Kind, base: &[u8], ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    if ours == theirs || theirs == base {
        return ours.to_vec();
    }
    if ours == base {
        return theirs.to_vec();
    }
    let merged = match kind {
        Kind::Log => log(base, ours, theirs),
        Kind::Markdown => markdown(base, ours, theirs),
    };
    // A file that is new on our side has no style yet.
    let style = if ours.is_empty() { theirs } else { ours };
    finish(merged, style)
}

/// Joins lines to bytes. Lines without a line end get the most frequent one of `style`.
fn finish(mut merged: Vec<Line<'_>>, style: &[u8]) -> Vec<u8> {
    let newline = lines::newline(style).as_bytes();
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
fn log<'a>(base: &'a [u8], ours: &'a [u8], theirs: &'a [u8]) -> Vec<Line<'a>> {
    let read = |bytes: &'a [u8]| -> Vec<&'a [u8]> {
        let lines = lines::lines(bytes).filter_map(|span| bytes.get(span));
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

fn markdown<'a>(base: &'a [u8], ours: &'a [u8], theirs: &'a [u8]) -> Vec<Line<'a>> {
    let mut keys = Keys::new();
    let mut parse = |bytes| Doc::parse(bytes, &mut keys);
    let base = parse(base);
    // Sort the sides by content, so that the result does not depend on their roles.
    let swapped = theirs < ours;
    let (left, right) = if swapped { (theirs, ours) } else { (ours, theirs) };
    let (left, right) = (parse(left), parse(right));
    Merge::new(&base, [&left, &right], usize::from(swapped)).run()
}

/// The indexes of a unit in base, left and right.
type Place = (Option<usize>, [Option<usize>; 2]);

/// The state of a merge.
struct Merge<'a, 'b> {
    base: &'b Doc<'a>,
    sides: [&'b Doc<'a>; 2],
    /// Index of our side.
    ours: usize,
    /// For each unit of a side, the index of the same unit in the base.
    from: [Vec<Option<usize>>; 2],
    /// The place of each entry, by key.
    entries: HashMap<u32, Place>,
    seen: HashSet<u32>,
    merged: Vec<Line<'a>>,
}

impl<'a, 'b> Merge<'a, 'b> {
    fn new(base: &'b Doc<'a>, sides: [&'b Doc<'a>; 2], ours: usize) -> Self {
        let from = sides.map(|side| {
            let mut from = vec![None; side.units.len()];
            for Pair { a: before, b: after } in align(&base.keys(), &side.keys()) {
                from.iter_mut().skip(after).take(1).for_each(|slot| *slot = Some(before));
            }
            from
        });
        let mut entries: HashMap<u32, Place> = HashMap::new();
        let each = |doc: &'b Doc<'a>| doc.units.iter().enumerate().filter(|(_, unit)| unit.entry);
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
    fn run(mut self) -> Vec<Line<'a>> {
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
        let mut timed: Vec<(Option<[u8; 5]>, usize, usize)> = Vec::new();
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

#[cfg(test)]
mod tests;

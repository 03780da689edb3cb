//! Lines of a file and edits of them, and reversible diffs: a change can be undone after others have
//! edited the file around it.

use std::{collections::HashMap, ops::Range};

use serde::{Deserialize, Serialize};

/// A change at one place of a file. Lines include their line ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// Number of lines above it in the changed file.
    pub at: usize,
    /// The line above; `None` at the start of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
}

/// Returns the hunks that turn `before` into `after`.
pub fn diff(before: &[u8], after: &[u8]) -> Vec<Hunk> {
    // Most changes append, which needs no comparison of the rest of the file.
    if let Some(added) = after.strip_prefix(before).filter(|_| before.ends_with(b"\n")) {
        let body = before.strip_suffix(b"\n").unwrap_or(before);
        let last = memchr::memrchr(b'\n', body).map_or(0, |end| end + 1);
        let above = Some(text(before.get(last..).unwrap_or_default()));
        let added: Vec<String> = split(added).into_iter().map(text).collect();
        let at = memchr::memchr_iter(b'\n', before).count();
        let hunk = Hunk { at, above, removed: Vec::new(), added };
        return if hunk.added.is_empty() { Vec::new() } else { vec![hunk] };
    }
    let (old, new) = (split(before), split(after));
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - start;
    let ends = old.iter().rev().zip(new.iter().rev()).take(rest);
    let end = ends.take_while(|(old, new)| old == new).count();
    let (Some(x), Some(y)) = (old.get(start..old.len() - end), new.get(start..new.len() - end))
    else {
        return Vec::new();
    };
    let mut hunks = Vec::new();
    let (mut i, mut j) = (0, 0);
    let pairs = if x.is_empty() || y.is_empty() { Vec::new() } else { paired(x, y) };
    let ends = Pair { a: x.len(), b: y.len() };
    for Pair { a: p, b: q } in pairs.into_iter().chain([ends]) {
        if i < p || j < q {
            let texts = |lines: Option<&[&[u8]]>| {
                lines.unwrap_or_default().iter().map(|line| text(line)).collect()
            };
            let above = (start + j).checked_sub(1).and_then(|at| new.get(at));
            hunks.push(Hunk {
                at: start + j,
                above: above.map(|line| text(line)),
                removed: texts(x.get(i..p)),
                added: texts(y.get(j..q)),
            });
        }
        (i, j) = (p + 1, q + 1);
    }
    hunks
}

/// Whether hunks are reverted for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    First,
    /// An earlier attempt was interrupted: hunks that are already reverted are skipped.
    Again,
}

/// Reverts hunks. Line ends changed by an editor do not matter.
///
/// # Errors
/// The first expected line that is missing.
pub fn reverse<'a>(bytes: &[u8], hunks: &'a [Hunk], attempt: Attempt) -> Result<Vec<u8>, &'a str> {
    let mut lines: Vec<Vec<u8>> = split(bytes).into_iter().map(<[u8]>::to_vec).collect();
    // From the last hunk up: the line above a hunk is one of the changed file.
    for hunk in hunks.iter().rev() {
        if attempt == Attempt::Again && is_back(&lines, hunk) {
            continue;
        }
        let (at, count) = (place(&lines, hunk)?, hunk.added.len());
        let back = hunk.removed.iter().map(|line| line.clone().into_bytes());
        lines.splice(at..(at + count).min(lines.len()), back);
    }
    // A former last line without a line end may not be the last one any more.
    let newline = newline(bytes);
    let last = lines.len().saturating_sub(1);
    for line in lines.iter_mut().take(last).filter(|line| bare(line).len() == line.len()) {
        line.extend_from_slice(newline.as_bytes());
    }
    Ok(lines.concat())
}

/// Returns true if the removed lines are back in place and the added ones are gone.
fn is_back(lines: &[Vec<u8>], hunk: &Hunk) -> bool {
    let mut places = 0..=lines.len();
    let went = hunk.removed.is_empty()
        || places.any(|at| is_below(lines, hunk, at) && stands(lines, &hunk.removed, at));
    let came = (0..lines.len()).any(|at| stands(lines, &hunk.added, at));
    went && (hunk.added.is_empty() || !came)
}

/// Returns true if the line above `at` is the one above the hunk.
fn is_below(lines: &[Vec<u8>], hunk: &Hunk, at: usize) -> bool {
    let above = at.checked_sub(1).and_then(|at| lines.get(at));
    match (&hunk.above, above) {
        (Some(text), Some(line)) => is(line, text),
        (None, above) => above.is_none(),
        _ => false,
    }
}

fn is(line: &[u8], text: &str) -> bool {
    bare(line) == bare(text.as_bytes())
}

fn stands(lines: &[Vec<u8>], texts: &[String], at: usize) -> bool {
    texts.iter().zip(at..).all(|(text, at)| lines.get(at).is_some_and(|line| is(line, text)))
}

/// Returns the position of a hunk's added lines, or where its removed lines belong.
fn place<'a>(lines: &[Vec<u8>], hunk: &'a Hunk) -> Result<usize, &'a str> {
    let below = |at: usize| is_below(lines, hunk, at);
    let all = 0..=lines.len();
    let mut places: Vec<usize> = all.filter(|at| stands(lines, &hunk.added, *at)).collect();
    // Prefer positions below the same line, then the one nearest to the original.
    places.sort_by_key(|at| (!below(*at), at.abs_diff(hunk.at)));
    match places.first() {
        Some(at) if hunk.added.is_empty() && !below(*at) => Ok(lines.len()),
        Some(at) => Ok(*at),
        None => Err(hunk.added.first().map_or("", String::as_str).trim_end()),
    }
}

fn paired(x: &[&[u8]], y: &[&[u8]]) -> Vec<Pair> {
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let mut keys = Vec::with_capacity(x.len() + y.len());
    for line in x.iter().chain(y).copied() {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        keys.push(*numbers.entry(line).or_insert(next));
    }
    let (a, b) = keys.split_at(x.len());
    align(a, b)
}

/// Returns bytes as text, with a mark for what is no UTF-8.
pub(super) fn text(bytes: &[u8]) -> String {
    // To see that all is valid takes a tenth of the time of a search for what is not.
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// A line without its line end.
fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Splits into lines with line ends. A lone carriage return is not a line end here, so a file that
/// uses only those is one long line.
fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Replaces `span` by `bytes`. The only way to change a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Byte range to replace.
    pub span: Range<usize>,
    /// The replacement.
    pub bytes: Vec<u8>,
}

/// Applies `edits`, which must not overlap, and returns the new content.
#[must_use]
pub fn apply(bytes: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|edit| edit.span.start);
    let mut out = Vec::with_capacity(bytes.len() + 256);
    let mut copied = 0;
    for edit in edits {
        out.extend_from_slice(bytes.get(copied..edit.span.start).unwrap_or_default());
        out.extend_from_slice(&edit.bytes);
        copied = edit.span.end;
    }
    out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    out
}

/// Appends lines with the file's own line ends, adding one to the last line if it is missing. A new
/// file starts with `heading`.
#[must_use]
pub fn append(bytes: &[u8], heading: &str, added: &[String]) -> Edit {
    let end = bytes.len();
    let newline = newline(bytes);
    let mut new = Vec::new();
    match bytes.last() {
        None => new.extend_from_slice(format!("# {heading}{newline}{newline}").as_bytes()),
        Some(b'\n' | b'\r') => {}
        // A file that contains only a byte order mark counts as new.
        Some(_) if bytes == BOM => {}
        Some(_) => new.extend_from_slice(newline.as_bytes()),
    }
    for line in added {
        new.extend_from_slice(line.as_bytes());
        new.extend_from_slice(newline.as_bytes());
    }
    Edit { span: end..end, bytes: new }
}

/// Returns the most frequent line end.
#[must_use]
pub fn newline(bytes: &[u8]) -> &'static str {
    let (mut lf, mut crlf, mut cr) = (0, 0, 0);
    for span in lines(bytes) {
        match bytes.get(span.end..) {
            Some([b'\r', b'\n', ..]) => crlf += 1,
            Some([b'\r', ..]) => cr += 1,
            Some([b'\n', ..]) => lf += 1,
            _ => {}
        }
    }
    match () {
        () if crlf > lf && crlf >= cr => "\r\n",
        () if cr > lf => "\r",
        () => "\n",
    }
}

/// Returns true if a line opens or closes a code block.
pub fn is_fence(line: &[u8]) -> bool {
    line.starts_with(b"```") || line.starts_with(b"~~~")
}

/// Returns the number of characters; each byte that is not valid UTF-8 counts as one.
#[must_use]
pub fn count_chars(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

/// Returns the lines of a file, as spans without line ends (LF, CRLF or CR) and without a leading
/// byte order mark.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr2(b'\n', b'\r', rest);
        let span = at..at + length.unwrap_or(rest.len());
        let end = match rest.get(length.unwrap_or(rest.len())..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([_, ..]) => 1,
            _ => 0,
        };
        at = span.end + end;
        Some(span)
    })
}

/// Maximum depth of recursion.
const DEPTH: usize = 16;

/// Positions of equal keys in two sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub a: usize,
    pub b: usize,
}

/// Returns pairs of positions with equal keys, increasing in both sequences, by patience diff: keys
/// that occur once in both are anchors, and the parts between two anchors are aligned recursively.
/// About linear. The alignment is deterministic, but not necessarily the longest.
pub fn align(a: &[u32], b: &[u32]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut open = vec![(0..a.len(), 0..b.len(), 0)];
    while let Some((mut x, mut y, depth)) = open.pop() {
        while !x.is_empty() && !y.is_empty() && a.get(x.start) == b.get(y.start) {
            pairs.push(Pair { a: x.start, b: y.start });
            (x.start, y.start) = (x.start + 1, y.start + 1);
        }
        while !x.is_empty() && !y.is_empty() && a.get(x.end - 1) == b.get(y.end - 1) {
            (x.end, y.end) = (x.end - 1, y.end - 1);
            pairs.push(Pair { a: x.end, b: y.end });
        }
        if x.is_empty() || y.is_empty() {
            continue;
        }
        let (all, unique) = candidates(a, b, &x, &y);
        if unique.is_empty() || depth == DEPTH {
            pairs.extend(rising(&all));
            continue;
        }
        let (mut i, mut j) = (x.start, y.start);
        for pair in rising(&unique) {
            open.push((i..pair.a, j..pair.b, depth + 1));
            pairs.push(pair);
            (i, j) = (pair.a + 1, pair.b + 1);
        }
        open.push((i..x.end, j..y.end, depth + 1));
    }
    pairs.sort_unstable();
    pairs
}

/// Pairs the first position of each key with its first one in the other range, the second with the
/// second and so on. Returns all pairs, and those of keys that occur once in both.
fn candidates(a: &[u32], b: &[u32], x: &Range<usize>, y: &Range<usize>) -> (Vec<Pair>, Vec<Pair>) {
    let mut there: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, key) in y.clone().zip(b.get(y.clone()).unwrap_or_default()) {
        there.entry(*key).or_default().push(at);
    }
    let mut here: HashMap<u32, usize> = HashMap::new();
    let mut all = Vec::new();
    let keys = a.get(x.clone()).unwrap_or_default();
    for (at, key) in x.clone().zip(keys) {
        let number = here.entry(*key).or_default();
        all.extend(
            there.get(key).and_then(|places| places.get(*number)).map(|to| Pair { a: at, b: *to }),
        );
        *number += 1;
    }
    let once = |key: &u32| {
        here.get(key) == Some(&1) && there.get(key).is_some_and(|places| places.len() == 1)
    };
    let unique = all.iter().filter(|pair| a.get(pair.a).is_some_and(once)).copied().collect();
    (all, unique)
}

/// Returns the longest subsequence of `pairs` that increases in `b`. They must increase in `a`.
fn rising(pairs: &[Pair]) -> Vec<Pair> {
    // For each length, the last pair of the chain with the smallest end in `b`.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let right = |at: &usize| pairs.get(*at).map(|pair| pair.b);
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| right(end) < Some(pair.b));
        before.push(length.checked_sub(1).and_then(|last| ends.get(last)).copied());
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut chain = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        chain.extend(pairs.get(at));
        next = before.get(at).copied().flatten();
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn back(before: &str, after: &str, now: &str) -> Result<String, String> {
        let hunks = diff(before.as_bytes(), after.as_bytes());
        let kept = serde_json::to_string(&hunks).unwrap();
        let hunks: Vec<Hunk> = serde_json::from_str(&kept).unwrap();
        let done = reverse(now.as_bytes(), &hunks, Attempt::First).map_err(str::to_owned);
        done.map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn others_have_changed_the_file_since() {
        for (before, after, now, want) in [
            ("a\n", "a\nb\n", "a\nb\nc\n", Ok("a\nc\n")),
            ("a\n", "a\nb\n", "z\na\nb\n", Ok("z\na\n")),
            ("a\n", "a\nb\n", "a\nb changed\n", Err("b")),
            ("a\nb\nc\n", "a\nc\n", "a\nc\nd\n", Ok("a\nb\nc\nd\n")),
            // The line above is gone, so the removed line is appended.
            ("a\nb\nc\n", "a\nc\n", "c\nd\n", Ok("c\nd\nb\n")),
            ("a\nb\n", "b\n", "c\nb\n", Ok("a\nc\nb\n")),
            ("a\nb\nc\n", "a\nB\nc\n", "x\na\nB\n", Ok("x\na\nb\n")),
            // Of two equal lines, the added one is removed.
            ("a\nx\nb\n", "a\nx\nb\nx\n", "a\nx\nb\nx\n", Ok("a\nx\nb\n")),
            ("x\n", "x\nx\n", "x\nx\n", Ok("x\n")),
            // Line ends.
            ("a", "a\nb\n", "a\nb\nc\n", Ok("a\nc\n")),
            ("a", "a\nb\n", "a\nb\n", Ok("a")),
            ("a\n", "a\nb\n", "a\r\nb\r\n", Ok("a\r\n")),
            ("", "a\n", "a\n", Ok("")),
            ("a\n", "", "", Ok("a\n")),
            ("a\nb\nc\nd\ne\n", "b\nc\ne\nf\n", "b\nc\ne\nf\ng\n", Ok("a\nb\nc\nd\ne\ng\n")),
        ] {
            let want = want.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(back(before, after, now), want, "{before:?} {after:?} {now:?}");
        }
    }

    proptest! {
        #[test]
        fn there_and_back(
            before in prop::collection::vec("[abc]", 0..12),
            after in prop::collection::vec("[abc]", 0..12),
            (ended, too) in any::<(bool, bool)>(),
        ) {
            let text = |lines: &[String], ended: bool| {
                lines.join("\n") + if ended && !lines.is_empty() { "\n" } else { "" }
            };
            let (before, after) = (text(&before, ended), text(&after, too));
            prop_assert_eq!(back(&before, &after, &after), Ok(before));
        }
    }
}

#[cfg(test)]
mod align_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_the_same_is_found() {
        for (a, b, want) in [
            (&[1, 2, 3][..], &[1, 2, 3][..], &[(0, 0), (1, 1), (2, 2)][..]),
            (&[1, 2, 3], &[1, 3], &[(0, 0), (2, 1)]),
            (&[1, 0, 2, 0, 3], &[1, 0, 9, 0, 2, 0, 3], &[(0, 0), (1, 1), (2, 4), (3, 5), (4, 6)]),
            (&[1, 2, 3, 4], &[2, 3, 4, 1], &[(1, 0), (2, 1), (3, 2)]),
            (&[5, 5, 7, 5], &[6, 5, 5, 8], &[(0, 1), (1, 2)]),
            (&[], &[1], &[]),
        ] {
            let want: Vec<_> = want.iter().map(|&(a, b)| Pair { a, b }).collect();
            assert_eq!(align(a, b), want, "{a:?} {b:?}");
        }
    }

    proptest! {
        #[test]
        fn pairs_are_equal_and_rise(
            a in prop::collection::vec(0_u32..9, 0..40),
            b in prop::collection::vec(0_u32..9, 0..40),
        ) {
            let pairs = align(&a, &b);
            prop_assert!(pairs.iter().all(|pair| a[pair.a] == b[pair.b]));
            prop_assert!(pairs.windows(2).all(|two| two[0].a < two[1].a && two[0].b < two[1].b));
            let whole: Vec<_> = (0..a.len()).map(|at| Pair { a: at, b: at }).collect();
            prop_assert_eq!(align(&a, &a), whole);
        }
    }
}

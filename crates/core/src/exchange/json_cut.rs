//! Removal of parts of a JSON text; all other bytes stay as they are.

use std::ops::Range;

use super::json_scan::{JsonPart, Value};

/// Returns the bytes without the cuts.
pub fn without(bytes: &[u8], mut cuts: Vec<Range<usize>>) -> Vec<u8> {
    cuts.sort_by_key(|cut| cut.start);
    let mut after = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for cut in cuts {
        after.extend_from_slice(bytes.get(done..cut.start).unwrap_or_default());
        done = done.max(cut.end);
    }
    after.extend_from_slice(bytes.get(done..).unwrap_or_default());
    after
}

/// Cuts the marked parts out of their brackets, with the white space and comma added with them.
pub fn cut(bytes: &[u8], parts: &[JsonPart], gone: &[bool], cuts: &mut Vec<Range<usize>>) {
    let marked = || parts.iter().zip(gone);
    let Some(kept) = marked().rev().find(|(_, gone)| !**gone).map(|(part, _)| part) else {
        // All parts of older brackets go; the white space in the brackets was there before.
        if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
            cuts.push(first.start..last.end());
        }
        return;
    };
    for (part, _) in marked().filter(|(_, gone)| **gone) {
        let follows = bytes.get(part.end()..).and_then(<[u8]>::first);
        let on_comment = part.after_comment && !matches!(follows, Some(b'\n' | b'\r'));
        let start = if on_comment { part.start } else { part.lead };
        cuts.push(start..part.value.span.end);
        cuts.extend(part.comma.map(|comma| comma..comma + 1));
    }
    // The comma that was added before the first of our parts at the end.
    let last = marked().next_back();
    if let (Some((last, true)), Some(comma)) = (last, kept.comma)
        && last.comma.is_none()
    {
        cuts.push(comma..comma + 1);
    }
}

/// Returns an object without the member of a dotted path, which may be spelled in one key or in
/// nested ones, and without what is empty then. Members below it that are `kept`, by their path, stay.
/// `None` if there is no such member.
#[must_use]
pub fn without_member(
    bytes: &[u8],
    root: &Value,
    path: &str,
    kept: &dyn Fn(&str) -> bool,
) -> Option<Vec<u8>> {
    let mut cuts = Vec::new();
    match removed(bytes, root, "", path, kept, &mut cuts) {
        Removed::Nothing => None,
        Removed::Some => Some(without(bytes, cuts)),
        Removed::All => {
            let span = root.span.start + 1..root.span.end.saturating_sub(1);
            Some(without(bytes, vec![span]))
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Removed {
    Nothing,
    Some,
    All,
}

fn removed(
    bytes: &[u8],
    object: &Value,
    at: &str,
    path: &str,
    kept: &dyn Fn(&str) -> bool,
    cuts: &mut Vec<Range<usize>>,
) -> Removed {
    let mut inner = Vec::new();
    let mut one =
        |part: &JsonPart| {
            let name = format!("{at}{}", part.key.as_deref().unwrap_or_default());
            let below = format!("{name}.");
            let is_meant = name == path || name.starts_with(&format!("{path}."));
            if is_meant && kept(&name) {
                Removed::Nothing
            } else if is_meant
                && !part.value.parts().iter().any(|part| {
                    part.key.as_deref().is_some_and(|key| kept(&format!("{below}{key}")))
                })
            {
                Removed::All
            } else if is_meant || path.starts_with(&below) {
                removed(bytes, &part.value, &below, path, kept, &mut inner)
            } else {
                Removed::Nothing
            }
        };
    let of_parts: Vec<Removed> = object.parts().iter().map(&mut one).collect();
    let gone: Vec<bool> = of_parts.iter().map(|of| *of == Removed::All).collect();
    cuts.append(&mut inner);
    if gone.contains(&true) {
        cut(bytes, object.parts(), &gone, cuts);
    }
    match () {
        () if of_parts.iter().all(|of| *of == Removed::Nothing) => Removed::Nothing,
        () if gone.iter().all(|gone| *gone) => Removed::All,
        () => Removed::Some,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::json_scan::{Dialect, scan};

    #[test]
    fn members() {
        let file = "{\n  \"$schema\": \"x\",\n  \"a\": { \"b\": 1,\n    \"c\" :2 },\n\t\"d.e\": [1, {}]\n}";
        for (path, want) in [
            ("a.b", "{\n  \"$schema\": \"x\",\n  \"a\": {\n    \"c\" :2 },\n\t\"d.e\": [1, {}]\n}"),
            ("a.c", "{\n  \"$schema\": \"x\",\n  \"a\": { \"b\": 1 },\n\t\"d.e\": [1, {}]\n}"),
            ("d.e", "{\n  \"$schema\": \"x\",\n  \"a\": { \"b\": 1,\n    \"c\" :2 }\n}"),
            ("a", "{\n  \"$schema\": \"x\",\n\t\"d.e\": [1, {}]\n}"),
            ("b", ""),
            ("a.b.c", ""),
            ("d", "{\n  \"$schema\": \"x\",\n  \"a\": { \"b\": 1,\n    \"c\" :2 }\n}"),
        ] {
            let root = scan(file.as_bytes(), Dialect::Strict).unwrap().unwrap();
            let after = without_member(file.as_bytes(), &root, path, &|_| false);
            assert_eq!(String::from_utf8(after.unwrap_or_default()).unwrap(), want, "{path}");
        }
        for (file, path, want) in [
            ("{ \"a\": {\"b\": {\"c\": 1}} }\n", "a.b.c", "{}\n"),
            ("{\"a\": {\"keep\": 1, \"b\": 2}, \"c\": 3}", "a", "{\"a\": {\"keep\": 1}, \"c\": 3}"),
            ("{\"a\": 1, \"a\": 2, \"b\": 3}", "a", "{ \"b\": 3}"),
        ] {
            let root = scan(file.as_bytes(), Dialect::Strict).unwrap().unwrap();
            let after = without_member(file.as_bytes(), &root, path, &|name| name == "a.keep");
            assert_eq!(String::from_utf8(after.unwrap_or_default()).unwrap(), want, "{path}");
        }
    }
}

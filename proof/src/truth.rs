//! The files that hold what somebody said, and whether they are as before a command or as after it.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::Files;

/// Files by their name, without what differs between two runs of one command.
pub type Truth = BTreeMap<String, Vec<u8>>;

/// Number of characters of an event's id, which has random bits.
const ID: usize = 26;
const BEGIN: &[u8] = b"{\"id\":\"";

/// Returns the files that matter.
pub fn truth(files: &Files) -> Truth {
    let matters = |name: &str| {
        let kept = name.contains(".pi/memory/")
            || name.contains("state/pimem/trust/")
            || name.ends_with("settings.json")
            || name.ends_with("hooks.json");
        let derived =
            ["memory-scores.json", ".dream-watermark", ".tombstones", "/lock", ".pimem-tmp-"];
        kept && derived.iter().all(|part| !name.contains(part))
    };
    files
        .iter()
        .filter(|(name, _)| matters(name) && !name.ends_with('/'))
        .map(|(name, bytes)| (name.clone(), plain(bytes)))
        .collect()
}

/// Takes the ids of events out.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let line = |line: &[u8]| match line.strip_prefix(BEGIN).and_then(|rest| rest.get(ID..)) {
        Some(rest) => [BEGIN, rest].concat(),
        None => line.to_vec(),
    };
    bytes.split_inclusive(|byte| *byte == b'\n').flat_map(line).collect()
}

/// How the new end of a log may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Cut off.
    Cut,
    /// Of any bytes, as after a loss of power: what is no line is not read.
    Garbled,
    /// Of other lines: what a hook notes depends on what it could read.
    Any,
}

/// Returns the files that are neither as before nor as after. A log may have a part of its new lines, and
/// of the ledger of trust, whose order does not matter, any.
pub fn torn(now: &Truth, before: &Truth, after: &Truth, end: End) -> Vec<String> {
    let names: BTreeSet<&String> = now.keys().chain(before.keys()).chain(after.keys()).collect();
    let is_good = |name: &&String| {
        let (now, old, new) = (now.get(*name), before.get(*name), after.get(*name));
        if name.contains("/trust/") {
            let (now, old, new) = (lines(now), lines(old), lines(new));
            let known = now.is_subset(&(&old | &new)) || end != End::Cut;
            return now.is_superset(&(&old & &new)) && known;
        }
        let old_text = old.map_or(&b""[..], Vec::as_slice);
        let more = now.and_then(|now| now.strip_prefix(old_text));
        let is_appended = more.zip(new).is_some_and(|(more, new)| match end {
            // Zeros have no ids that were taken out.
            End::Garbled => more.len() <= new.len() - old_text.len() + ID * lines(Some(new)).len(),
            End::Any => true,
            // One that failed may be missing before another.
            End::Cut => {
                let known = lines(Some(new));
                let begins = |part: &[u8]| known.iter().any(|line| line.starts_with(part));
                let mut parts = more.split(|byte| *byte == b'\n').rev();
                parts.next().is_none_or(|last| last.is_empty() || begins(last))
                    && parts.all(|line| line.is_empty() || known.contains(line))
            }
        });
        // Before anything is destroyed, it is noted what.
        let is_burial = |line: &[u8]| line.windows(12).any(|part| part == b"\"op\":\"purge\"");
        let is_buried = more.is_some_and(|more| {
            let mut lines = more.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            lines.all(is_burial)
        });
        let is_log = name.ends_with("evidence.jsonl") || name.contains("/daily/");
        // A file that was made and not written yet is none.
        let is_made = old.is_none() && now.is_some_and(Vec::is_empty);
        now == old || now == new || is_made || is_log && (is_appended || is_buried)
    };
    names.into_iter().filter(|name| !is_good(name)).cloned().collect()
}

pub fn lines(file: Option<&Vec<u8>>) -> BTreeSet<&[u8]> {
    let lines = file.map(|bytes| bytes.split(|byte| *byte == b'\n'));
    lines.into_iter().flatten().filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_torn() {
        let of = |topic: &str, log: &str| {
            let files = [("p/.pi/memory/topics/a.md", topic), ("p/.pi/memory/evidence.jsonl", log)];
            files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).into()
        };
        let (before, after) = (of("a\n", "1\n"), of("a\nb\n", "1\n2\n"));
        for (topic, log, torn_files) in [
            ("a\n", "1\n", 0),
            ("a\n", "1\n2", 0),
            ("a\nb\n", "1\n2\n", 0),
            ("a\nb", "1\n2\n", 1),
            ("", "1\n", 1),
            ("a\n", "", 1),
            ("a\n", "1\n\0\0", 1),
        ] {
            let now = of(topic, log);
            assert_eq!(torn(&now, &before, &after, End::Cut).len(), torn_files, "{topic} {log}");
        }
        assert!(torn(&of("a\n", "1\n\0\0"), &before, &after, End::Garbled).is_empty());
    }
}

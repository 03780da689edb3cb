//! Words that stand nowhere else, and looking for them in everything that a database writes.

use std::{fs, path::PathBuf};

/// Words that stand nowhere else, each with a beginning that no stemmer takes away.
pub(crate) fn canaries(front: &str) -> Vec<String> {
    let letter = |number: u8| char::from(b'a' + number);
    (0..50)
        .map(|number| format!("{front}{}{}xq", letter(number / 10), letter(number % 10)))
        .collect()
}

/// Returns what of `needles` is in a file below a directory.
pub(crate) fn found_in(dir: PathBuf, needles: &[Vec<u8>]) -> Vec<String> {
    // Most places are passed over by a look at two bytes.
    let front = |bytes: &[u8]| usize::from(bytes[0]) << 8 | usize::from(bytes[1]);
    let mut begins = vec![false; 1 << 16];
    for needle in needles {
        begins[front(needle)] = true;
    }
    let (mut waiting, mut found) = (vec![dir], Vec::new());
    while let Some(path) = waiting.pop() {
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if meta.is_dir() {
            waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if meta.is_file() {
            let bytes = fs::read(&path).unwrap_or_default();
            let mut at = 0;
            while at + 1 < bytes.len() {
                if begins[usize::from(bytes[at]) << 8 | usize::from(bytes[at + 1])] {
                    let hits = needles.iter().filter(|needle| bytes[at..].starts_with(needle));
                    found.extend(hits.map(|needle| {
                        format!("{}: {}", path.display(), String::from_utf8_lossy(needle))
                    }));
                }
                at += 1;
            }
        }
    }
    found
}

pub(crate) fn has(bytes: &[u8], needle: &[u8]) -> bool {
    let first = needle[0];
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == first) {
        if bytes[from + at..].starts_with(needle) {
            return true;
        }
        from += at + 1;
    }
    false
}

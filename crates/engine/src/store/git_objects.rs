//! Commits of a repository, read from its objects: loose ones and packs.
//!
//! Reads what a listing of the last commits takes and nothing else. Whatever is unexpected in a
//! repository ends the listing; it is never an error.

use std::{
    cmp::Ordering,
    fs::File,
    io::{BufRead, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use flate2::bufread::ZlibDecoder;

/// The largest object that is read: a commit with a very long message.
const MAX: u64 = 1 << 20;
/// How many deltas an object may be made of; git makes 50 by default.
const DEPTH: usize = 256;
/// Types of objects in a pack.
const COMMIT: u8 = 1;
const OFFSET_DELTA: u8 = 6;
const ID_DELTA: u8 = 7;

/// A commit's id and the first paragraph of its message, as one line.
pub(super) type Told = (String, String);

/// The last `most` commits from `tip` along first parents, newest first; `git` is the directory that
/// all work trees have in common.
pub(super) fn commits(git: &Path, tip: &str, most: usize) -> Vec<Told> {
    let stores = object_dirs(&git.join("objects"));
    let mut found = Vec::new();
    let mut next = Some(tip.to_owned());
    while let Some(id) = next.take().filter(|_| found.len() < most) {
        let Some(bytes) = stores.iter().find_map(|dir| object(dir, &id)) else { break };
        let text = String::from_utf8_lossy(&bytes);
        let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
        next = head.lines().find_map(|line| line.strip_prefix("parent ")).map(str::to_owned);
        let subject: Vec<&str> =
            message.trim_start().lines().take_while(|line| !line.trim().is_empty()).collect();
        found.push((id, subject.join(" ")));
    }
    found
}

/// The commit that a head stands for: an id, or `ref: ` and the name of a branch.
pub(super) fn resolve(git: &Path, head: &str) -> Option<String> {
    let is_id = |text: &&str| text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let id = |text: &str| Some(text.trim()).filter(is_id).map(str::to_owned);
    let Some(name) = head.trim().strip_prefix("ref: ") else { return id(head) };
    if !name.starts_with("refs/") || name.split('/').any(|part| part == "..") {
        return None;
    }
    let loose = std::fs::read_to_string(git.join(name)).ok();
    loose.and_then(|text| id(&text)).or_else(|| {
        let packed = File::open(git.join("packed-refs")).ok()?;
        let mut lines = BufReader::new(packed).lines().map_while(Result::ok);
        lines.find_map(|line| id(line.strip_suffix(name)?.strip_suffix(' ')?))
    })
}

/// Where objects are: there, and in other repositories that are named there.
fn object_dirs(dir: &Path) -> Vec<PathBuf> {
    let others = std::fs::read_to_string(dir.join("info/alternates")).unwrap_or_default();
    let others = others.lines().filter(|line| !line.is_empty()).map(|line| dir.join(line));
    std::iter::once(dir.to_path_buf()).chain(others).collect()
}

/// The content of a commit.
fn object(dir: &Path, id: &str) -> Option<Vec<u8>> {
    loose(dir, id).or_else(|| {
        let raw = raw(id)?;
        let packs = std::fs::read_dir(dir.join("pack")).ok()?.filter_map(Result::ok);
        let mut indexes: Vec<PathBuf> = packs.map(|entry| entry.path()).collect();
        indexes.retain(|path| path.extension().is_some_and(|kind| kind == "idx"));
        indexes.sort_unstable();
        indexes.iter().find_map(|index| packed(index, &raw, DEPTH)).map(|(_, bytes)| bytes)
    })
}

/// An object in a file of its own: deflated, `commit SIZE\0` and the content.
fn loose(dir: &Path, id: &str) -> Option<Vec<u8>> {
    let (folder, name) = id.split_at_checked(2)?;
    let file = File::open(dir.join(folder).join(name)).ok()?;
    let mut bytes = Vec::new();
    ZlibDecoder::new(BufReader::new(file)).take(MAX).read_to_end(&mut bytes).ok()?;
    let content = bytes.strip_prefix(b"commit ")?;
    let start = content.iter().position(|byte| *byte == 0)? + 1;
    content.get(start..).map(<[u8]>::to_vec)
}

/// An object of a pack, with its type.
fn packed(index: &Path, id: &[u8], depth: usize) -> Option<(u8, Vec<u8>)> {
    let offset = offset(&mut File::open(index).ok()?, id)?;
    let mut pack = BufReader::new(File::open(index.with_extension("pack")).ok()?);
    entry(&mut pack, index, id.len(), offset, depth)
}

/// Where the pack holds an object, by its index (version 2).
fn offset(index: &mut File, id: &[u8]) -> Option<u64> {
    const MAGIC: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
    // How many ids begin with no more than each byte.
    const FAN: u64 = MAGIC.len() as u64;
    const IDS: u64 = FAN + 4 * 256;
    let mut magic = [0; MAGIC.len()];
    index.read_exact(&mut magic).ok()?;
    if magic != MAGIC {
        return None;
    }
    let first = u64::from(*id.first()?);
    let mut low = if first == 0 { 0 } else { word(index, FAN + 4 * (first - 1))? };
    let mut high = word(index, FAN + 4 * first)?;
    let count = word(index, IDS - 4)?;
    let width = id.len() as u64;
    let place = loop {
        if low >= high {
            return None;
        }
        let middle = low.midpoint(high);
        let mut there = vec![0; id.len()];
        index.seek(SeekFrom::Start(IDS + middle * width)).ok()?;
        index.read_exact(&mut there).ok()?;
        match there.as_slice().cmp(id) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => break middle,
        }
    };
    // Ids are followed by a checksum each, then offsets, then those that need eight bytes.
    let offsets = IDS + count * (width + 4);
    let short = word(index, offsets + place * 4)?;
    match short.checked_sub(1 << 31) {
        None => Some(short),
        Some(long) => {
            let at = offsets + count * 4 + long * 8;
            Some(word(index, at)? << 32 | word(index, at + 4)?)
        }
    }
}

/// Four bytes of an index, as a number.
fn word(index: &mut File, at: u64) -> Option<u64> {
    let mut bytes = [0; 4];
    index.seek(SeekFrom::Start(at)).ok()?;
    index.read_exact(&mut bytes).ok()?;
    Some(u64::from(u32::from_be_bytes(bytes)))
}

/// The object that stands in a pack at an offset.
fn entry(
    pack: &mut BufReader<File>,
    index: &Path,
    width: usize,
    offset: u64,
    depth: usize,
) -> Option<(u8, Vec<u8>)> {
    let depth = depth.checked_sub(1)?;
    pack.seek(SeekFrom::Start(offset)).ok()?;
    // Type and size: four bits of the size, then seven a byte, while the high bit is set.
    let mut byte = next(pack)?;
    let kind = byte >> 4 & 7;
    while byte & 0x80 != 0 {
        byte = next(pack)?;
    }
    match kind {
        OFFSET_DELTA => {
            // Big endian, seven bits a byte, and one added for each further byte.
            let mut byte = next(pack)?;
            let mut back = u64::from(byte & 0x7f);
            while byte & 0x80 != 0 {
                byte = next(pack)?;
                back = back.checked_add(1)?.checked_mul(128)? | u64::from(byte & 0x7f);
            }
            let delta = inflated(pack)?;
            let (kind, base) = entry(pack, index, width, offset.checked_sub(back)?, depth)?;
            Some((kind, patched(&base, &delta)?))
        }
        ID_DELTA => {
            let mut id = vec![0; width];
            pack.read_exact(&mut id).ok()?;
            let delta = inflated(pack)?;
            let (kind, base) = packed(index, &id, depth)?;
            Some((kind, patched(&base, &delta)?))
        }
        COMMIT => Some((kind, inflated(pack)?)),
        _ => None,
    }
}

fn next(from: &mut impl Read) -> Option<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte).ok()?;
    let [byte] = byte;
    Some(byte)
}

fn inflated(pack: &mut BufReader<File>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(pack).take(MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What a delta makes of its base: parts of the base, and new bytes.
fn patched(base: &[u8], mut delta: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    // The sizes of the base and of the result.
    for _ in 0..2 {
        while next(&mut delta)? & 0x80 != 0 {}
    }
    while let Some(op) = next(&mut delta) {
        let part = if op & 0x80 == 0 {
            let (part, rest) = delta.split_at_checked(usize::from(op))?;
            delta = rest;
            part
        } else {
            // A bit for each byte that is there of the place (four) and of the length (three).
            let mut number = |bits: std::ops::Range<u8>| -> Option<usize> {
                let mut number = 0;
                for (shift, bit) in bits.enumerate() {
                    if op & 1 << bit != 0 {
                        number |= usize::from(next(&mut delta)?) << (8 * shift);
                    }
                }
                Some(number)
            };
            let (start, length) = (number(0..4)?, number(4..7)?);
            let length = if length == 0 { 0x1_0000 } else { length };
            base.get(start..start.checked_add(length)?)?
        };
        if (out.len() + part.len()) as u64 > MAX {
            return None;
        }
        out.extend_from_slice(part);
    }
    Some(out)
}

/// The bytes of an id.
fn raw(id: &str) -> Option<Vec<u8>> {
    let digits = id.as_bytes().chunks_exact(2);
    digits.map(|two| u8::from_str_radix(str::from_utf8(two).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas() {
        let base = b"tree 1\nparent 2\n\nsubject";
        // Sizes, the first seven bytes, "parent 3" anew, then the rest from 15 on.
        let delta = [&[24, 24, 0x90, 7, 8][..], b"parent 3", &[0x91, 15, 9]].concat();
        assert_eq!(patched(base, &delta).unwrap(), b"tree 1\nparent 3\n\nsubject");
        for cut in 0..delta.len() {
            let less = patched(base, &delta[..cut]).unwrap_or_default();
            assert!(less.len() < 24 && b"tree 1\nparent 3\n\nsubject".starts_with(&less));
        }
        assert_eq!(patched(base, &[24, 24, 0x91, 20, 9]), None, "beyond the base");
        assert_eq!(raw("00ff7a"), Some(vec![0, 255, 0x7a]));
        assert_eq!(raw("zz"), None);
    }
}

//! Checks by its outermost fields that a file is a complete ONNX model.
//!
//! ONNX is protobuf: fields with lengths, which must end where the file ends. The check finds
//! truncated downloads, error pages and git-lfs pointers before ONNX Runtime does, and also works
//! without ONNX Runtime.

use std::io::{self, Read, Seek, SeekFrom};

/// Field numbers of `ModelProto` that every model has.
const IR_VERSION: u64 = 1;
const GRAPH: u64 = 7;

/// Returns what is wrong with a file of `length` bytes, as the rest of a sentence that starts with
/// its name.
pub fn problem(file: &mut (impl Read + Seek), length: u64) -> io::Result<Option<&'static str>> {
    let mut start = Vec::new();
    file.by_ref().take(40).read_to_end(&mut start)?;
    if start.starts_with(b"version https://git-lfs") {
        return Ok(Some("is a git-lfs pointer, not the file itself (git lfs pull)"));
    }
    file.seek(SeekFrom::Start(0))?;
    match fields(file, length) {
        Ok(Some(fields)) if fields.contains(&IR_VERSION) && fields.contains(&GRAPH) => Ok(None),
        Ok(Some(_)) => Ok(Some("is not an ONNX model")),
        Ok(None) => Ok(Some("is truncated, or not an ONNX model")),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Ok(Some("is truncated, or not an ONNX model"))
        }
        Err(error) => Err(error),
    }
}

/// Returns the numbers of the outermost fields; `None` if they do not end with the file.
fn fields(file: &mut (impl Read + Seek), length: u64) -> io::Result<Option<Vec<u64>>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < length {
        let tag = varint(file, &mut at)?;
        found.push(tag >> 3);
        let skip = match tag & 7 {
            0 => {
                varint(file, &mut at)?;
                continue;
            }
            1 => 8,
            2 => varint(file, &mut at)?,
            5 => 4,
            _ => return Ok(None),
        };
        match at.checked_add(skip) {
            Some(end) if end <= length => at = end,
            _ => return Ok(None),
        }
        file.seek(SeekFrom::Start(at))?;
    }
    Ok(Some(found))
}

fn varint(file: &mut impl Read, at: &mut u64) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        *at += 1;
        number |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(number);
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn judge(bytes: &[u8]) -> Option<&'static str> {
        problem(&mut Cursor::new(bytes), bytes.len() as u64).unwrap()
    }

    #[test]
    fn models_and_others() {
        // ir_version 8, producer "me", graph of 300 bytes.
        let mut model = vec![0x08, 8, 0x12, 2, b'm', b'e', 0x3a, 0xac, 2];
        model.resize(model.len() + 300, 1);
        assert_eq!(judge(&model), None);
        for length in 0..model.len() {
            assert!(judge(&model[..length]).is_some(), "cut at {length}");
        }
        model.push(0x3c);
        assert!(judge(&model).is_some(), "something behind it");
        for other in ["<!DOCTYPE html>", "{\"error\": \"x\"}", "", "\u{7f}ELF"] {
            assert!(judge(other.as_bytes()).is_some(), "{other}");
        }
        let pointer = judge(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n");
        assert!(pointer.unwrap().contains("git-lfs pointer"));
        assert!(
            judge(&[0x08, 8, 0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]).is_some()
        );
    }
}

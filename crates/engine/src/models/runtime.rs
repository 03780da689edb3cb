//! The ONNX Runtime library: search and integrity check.
//!
//! The dynamic loader maps a library without checking its length, so that a truncated one kills the
//! process with SIGBUS. This is why the library is checked first, and why a model runs in a
//! separate process.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// Directories in which a package manager may have installed the library.
const SYSTEM: &[&str] = &[
    "/usr/lib",
    "/usr/local/lib",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/opt/homebrew/lib",
];

pimem_core::named! {
/// Source of a library's path.
    pub enum RuntimeOrigin {
    /// The setting `embedding.runtime`.
        Setting = "embedding.runtime",
    /// `ORT_DYLIB_PATH`.
        Variable = "ORT_DYLIB_PATH",
    /// `pimem model pull --runtime`.
        Installed = "installed",
    /// A directory of the system's libraries.
        System = "system",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    pub path: PathBuf,
    pub origin: RuntimeOrigin,
}

/// Returns the system's library, the newest by its name.
pub fn of_system() -> Option<Library> {
    let path = SYSTEM.iter().find_map(|dir| in_directory(Path::new(dir)))?;
    Some(Library { path, origin: RuntimeOrigin::System })
}

/// Returns the library in a directory: `libonnxruntime.so`, or its highest version.
pub fn in_directory(dir: &Path) -> Option<PathBuf> {
    let found = fs::read_dir(dir).ok()?.flatten();
    let named = found.filter_map(|entry| entry.file_name().into_string().ok());
    let best = named.filter(|name| is_library(name)).max_by_key(|name| version(name))?;
    Some(dir.join(best))
}

/// Returns true for the name of the library, false for that of one of its plug-ins.
fn is_library(name: &str) -> bool {
    let versioned = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let linux = name.strip_prefix("libonnxruntime.so").is_some_and(versioned);
    let mac = name
        .strip_prefix("libonnxruntime")
        .and_then(|rest| rest.strip_suffix(".dylib"))
        .is_some_and(versioned);
    linux || mac || name.eq_ignore_ascii_case("onnxruntime.dll")
}

fn version(name: &str) -> Vec<u32> {
    name.split('.').filter_map(|part| part.parse().ok()).collect()
}

/// Why a file is not a library that can be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    #[error("there is no ONNX Runtime library at {}", .0.display())]
    Missing(PathBuf),
    #[error("{} is not a file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} is truncated", .0.display())]
    Truncated(PathBuf),
    #[error("{} is not a shared library", .0.display())]
    NotALibrary(PathBuf),
    #[error("cannot read {}: {}", .0.display(), .1)]
    Unreadable(PathBuf, io::Error),
}

/// Checks that `path` is a complete library that can be given to the dynamic loader.
pub fn check(path: &Path) -> Result<(), LibraryError> {
    let own = || path.to_path_buf();
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(LibraryError::Missing(own()));
        }
        Err(error) => return Err(LibraryError::Unreadable(own(), error)),
    };
    // Checked before opening, because opening a FIFO blocks.
    if !meta.is_file() {
        return Err(LibraryError::NotAFile(own()));
    }
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let mut file = File::open(path).map_err(|error| LibraryError::Unreadable(own(), error))?;
    match is_whole(&mut file, meta.len()) {
        Ok(Some(true)) => Ok(()),
        Ok(Some(false)) => Err(LibraryError::Truncated(own())),
        Ok(None) => Err(LibraryError::NotALibrary(own())),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(LibraryError::Truncated(own()))
        }
        Err(error) => Err(LibraryError::Unreadable(own(), error)),
    }
}

/// Width and byte order of the numbers in an ELF file.
struct Layout {
    wide: bool,
    big: bool,
}

impl Layout {
    /// Reads a number of `size` bytes.
    fn number(&self, bytes: &[u8], at: usize, size: usize) -> Option<u64> {
        let part = bytes.get(at..at.checked_add(size)?)?;
        let fold = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(if self.big { part.iter().fold(0, fold) } else { part.iter().rev().fold(0, fold) })
    }

    /// Reads an address or offset.
    fn word(&self, bytes: &[u8], narrow: usize, wide: usize) -> Option<u64> {
        if self.wide { self.number(bytes, wide, 8) } else { self.number(bytes, narrow, 4) }
    }

    /// Reads a 16-bit number.
    fn half(&self, bytes: &[u8], narrow: usize, wide: usize) -> Option<u64> {
        self.number(bytes, if self.wide { wide } else { narrow }, 2)
    }
}

/// Returns true if an ELF file of `length` bytes contains everything that its headers describe;
/// `None` if it is not an ELF file.
fn is_whole(file: &mut (impl Read + Seek), length: u64) -> io::Result<Option<bool>> {
    let mut header = [0; 64];
    let held = usize::try_from(length).unwrap_or(64).min(64);
    file.read_exact(header.get_mut(..held).unwrap_or_default())?;
    let layout = match header.get(..6) {
        Some([0x7f, b'E', b'L', b'F', class @ (1 | 2), data @ (1 | 2)]) => {
            Layout { wide: *class == 2, big: *data == 2 }
        }
        // An empty file counts as truncated.
        _ => return Ok((held < 6).then_some(false)),
    };
    let need = if layout.wide { 64 } else { 52 };
    if held < need {
        return Ok(Some(false));
    }
    let fields = || {
        Some((
            layout.word(&header, 28, 32)?,
            layout.word(&header, 32, 40)?,
            layout.half(&header, 42, 54)?,
            layout.half(&header, 44, 56)?,
            layout.half(&header, 46, 58)?,
            layout.half(&header, 48, 60)?,
        ))
    };
    let Some((programs, sections, program_size, program_count, section_size, section_count)) =
        fields()
    else {
        return Ok(Some(false));
    };
    let reaches = |from: u64, size: u64| from.checked_add(size).is_none_or(|end| end > length);
    if reaches(sections, section_size * section_count)
        || reaches(programs, program_size * program_count)
    {
        return Ok(Some(false));
    }
    file.seek(SeekFrom::Start(programs))?;
    for _ in 0..program_count {
        let mut program = vec![0; usize::try_from(program_size).unwrap_or(0)];
        file.read_exact(&mut program)?;
        let (offset, size) = (layout.word(&program, 4, 8), layout.word(&program, 16, 32));
        let (Some(offset), Some(size)) = (offset, size) else { return Ok(None) };
        if reaches(offset, size) {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Builds an ELF file of two segments and three sections, its section table last, as linkers
    /// write it.
    fn elf(wide: bool, big: bool) -> Vec<u8> {
        let number = |value: u64, size: usize| -> Vec<u8> {
            let bytes = value.to_be_bytes();
            let mut bytes = bytes[8 - size..].to_vec();
            if !big {
                bytes.reverse();
            }
            bytes
        };
        let (word, header, program, section) = if wide { (8, 64, 56, 64) } else { (4, 52, 32, 40) };
        let data = header + 2 * program;
        let sections = data + 500;
        let mut out = vec![0x7f, b'E', b'L', b'F', 1 + u8::from(wide), 1 + u8::from(big), 1];
        out.resize(16, 0);
        for (value, size) in [(3, 2), (62, 2), (1, 4), (0, word), (header, word), (sections, word)]
        {
            out.extend(number(value, size));
        }
        for (value, size) in
            [(0, 4), (header, 2), (program, 2), (2, 2), (section, 2), (3, 2), (2, 2)]
        {
            out.extend(number(value, size));
        }
        for (offset, size) in [(0, data), (data, 500)] {
            let fields: &[(u64, usize)] = if wide {
                &[(1, 4), (5, 4), (offset, 8), (0, 8), (0, 8), (size, 8), (size, 8), (1, 8)]
            } else {
                &[(1, 4), (offset, 4), (0, 4), (0, 4), (size, 4), (size, 4), (5, 4), (1, 4)]
            };
            out.extend(fields.iter().flat_map(|(value, size)| number(*value, *size)));
        }
        out.resize(usize::try_from(sections + 3 * section).unwrap(), 7);
        out
    }

    fn whole(bytes: &[u8]) -> Option<bool> {
        is_whole(&mut Cursor::new(bytes), bytes.len() as u64).unwrap_or(Some(false))
    }

    #[test]
    fn a_library_cut_anywhere_is_noticed() {
        for (wide, big) in [(true, false), (true, true), (false, false), (false, true)] {
            let bytes = elf(wide, big);
            assert_eq!(whole(&bytes), Some(true), "{wide} {big}");
            for length in 0..bytes.len() {
                assert_eq!(whole(&bytes[..length]), Some(false), "{wide} {big} {length}");
            }
        }
    }

    #[test]
    fn a_segment_beyond_the_end_is_noticed() {
        let mut bytes = elf(true, false);
        // The file size of the second segment.
        bytes[64 + 56 + 32] = 0xff;
        bytes[64 + 56 + 33] = 0xff;
        assert_eq!(whole(&bytes), Some(false));
        bytes[64 + 56 + 32..64 + 56 + 40].fill(0xff);
        assert_eq!(whole(&bytes), Some(false), "no overflow");
    }

    #[test]
    fn other_files() {
        assert_eq!(whole(b"#!/bin/sh\necho this is no library at all, whatever its name"), None);
        assert_eq!(whole(&[]), Some(false));
        assert!(matches!(check(Path::new("/")), Err(LibraryError::NotAFile(_))));
        assert!(matches!(check(Path::new("/no/such/library")), Err(LibraryError::Missing(_))));
    }

    #[test]
    fn this_program_is_whole() {
        let own = std::env::current_exe().unwrap();
        check(&own).unwrap();
    }

    #[test]
    fn names() {
        for name in ["libonnxruntime.so", "libonnxruntime.so.1.31.1", "libonnxruntime.1.24.0.dylib"]
        {
            assert!(is_library(name), "{name}");
        }
        for name in ["libonnxruntime_providers_shared.so", "onnxruntime.so", "libonnxruntime.sox"] {
            assert!(!is_library(name), "{name}");
        }
        assert!(version("libonnxruntime.so.1.31.1") > version("libonnxruntime.so.1.9.0"));
    }
}

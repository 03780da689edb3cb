//! Files that the user names.

use std::path::Path;

use crate::{
    error::{Failure, FailureKind},
    store::read,
};

/// Reads a file that the user names, which may be a link to anywhere; `hint` names the expected
/// file.
pub fn named(path: &Path, limit: u64, hint: &str) -> Result<Vec<u8>, Failure> {
    let bytes = read::file(Path::new("/"), path, limit)
        .map_err(|problem| Failure::new(FailureKind::Io, problem.to_string(), hint))?;
    bytes.ok_or_else(|| {
        Failure::new(FailureKind::Usage, format!("there is no file {}", path.display()), hint)
    })
}

/// Checks that a file that the user names may be written: it is not a directory, and its directory
/// exists.
pub fn writable(path: &Path, hint: &str) -> Result<(), Failure> {
    if path.exists() && !path.is_file() {
        let message = format!("{} is not a file", path.display());
        return Err(Failure::new(FailureKind::Usage, message, hint));
    }
    let dir = path.parent();
    if let Some(dir) = dir.filter(|dir| !dir.as_os_str().is_empty() && !dir.is_dir()) {
        let message = format!("there is no directory {}", dir.display());
        return Err(Failure::new(
            FailureKind::Usage,
            message,
            "make it first, or name another file",
        ));
    }
    Ok(())
}

//! The API key of a server: from the environment, or a file that only its owner can read.

use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::{
    config::env::Env,
    error::{Failure, FailureKind},
    store::read,
};

/// Variable with the key.
const VARIABLE: &str = "PIMEM_SYNC_KEY";
/// Name of the file.
const FILE: &str = "sync.key";
/// Maximum size of a file with keys in bytes.
const MAX: u64 = 4096;

/// A key, which is overwritten when it is dropped and never printed.
pub struct ServerKey(Zeroizing<String>);

impl ServerKey {
    /// Reads the key.
    ///
    /// # Errors
    /// Fails if there is none, others can read its file, or it is no key.
    pub fn find(env: &Env) -> Result<Self, Failure> {
        let text = match env.key(VARIABLE) {
            Some(key) => Zeroizing::new(key),
            None => of_file(FILE)?.ok_or_else(|| {
                Failure::new(FailureKind::Config, "there is no key for the server", HINT)
            })?,
        };
        let key = text.trim();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failure::new(FailureKind::Config, "the key of the server is no key", HINT));
        }
        Ok(Self(Zeroizing::new(key.to_owned())))
    }

    #[cfg_attr(not(feature = "sync"), expect(dead_code, reason = "only a client shows it"))]
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

const HINT: &str = "put it into PIMEM_SYNC_KEY, or into pimem/sync.key below ~/.config (chmod 600)";

/// Returns the path of a file in the program's part of the configuration directory.
pub(super) fn place(name: &str) -> Option<PathBuf> {
    Some(Env::config_dir()?.join("pimem").join(name))
}

/// Reads such a file, if it exists.
///
/// # Errors
/// Fails if others can read it.
pub(super) fn of_file(name: &str) -> Result<Option<Zeroizing<String>>, Failure> {
    let Some(path) = place(name).filter(|path| path.exists()) else { return Ok(None) };
    refuse_open(&path)?;
    let root = path.parent().map_or_else(PathBuf::new, PathBuf::from);
    let bytes = read::file(&root, &path, MAX).map_err(|problem| Failure::from(&problem))?;
    let bytes = Zeroizing::new(bytes.unwrap_or_default());
    let text = str::from_utf8(&bytes).unwrap_or_default();
    Ok(Some(Zeroizing::new(text.to_owned())))
}

#[cfg(unix)]
fn refuse_open(path: &std::path::Path) -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(path);
    if meta.is_ok_and(|meta| meta.mode() & 0o077 != 0) {
        let message = format!("others can read {}", path.display());
        return Err(Failure::new(
            FailureKind::Refused,
            message,
            "chmod 600 it, and think of a new key",
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_open(_: &std::path::Path) -> Result<(), Failure> {
    Ok(())
}

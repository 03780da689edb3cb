//! The API key of a server: from the environment, or a file that only its owner can read.

use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::{
    config::env::Env,
    error::{Failure, Kind},
    store::read,
};

/// Variable with the key.
const VARIABLE: &str = "PIMEM_SYNC_KEY";
/// Path of the file below the configuration directory.
const FILE: &str = "pimem/sync.key";
/// Maximum size of the file in bytes.
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
            None => of_file()?,
        };
        let key = text.trim();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failure::new(Kind::Config, "the key of the server is no key", HINT));
        }
        Ok(Self(Zeroizing::new(key.to_owned())))
    }

    #[cfg_attr(not(feature = "sync"), expect(dead_code, reason = "only a client shows it"))]
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

const HINT: &str = "put it into PIMEM_SYNC_KEY, or into pimem/sync.key below ~/.config (chmod 600)";

fn of_file() -> Result<Zeroizing<String>, Failure> {
    let path = Env::config_dir().map(|dir| dir.join(FILE)).filter(|path| path.exists());
    let Some(path) = path else {
        return Err(Failure::new(Kind::Config, "there is no key for the server", HINT));
    };
    refuse_open(&path)?;
    let root = path.parent().map_or_else(PathBuf::new, PathBuf::from);
    let bytes = read::file(&root, &path, MAX).map_err(|problem| Failure::from(&problem))?;
    let bytes = Zeroizing::new(bytes.unwrap_or_default());
    let text = str::from_utf8(&bytes).unwrap_or_default();
    Ok(Zeroizing::new(text.to_owned()))
}

#[cfg(unix)]
fn refuse_open(path: &std::path::Path) -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(path);
    if meta.is_ok_and(|meta| meta.mode() & 0o077 != 0) {
        let message = format!("others can read {}", path.display());
        return Err(Failure::new(Kind::Refused, message, "chmod 600 it, and think of a new key"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_open(_: &std::path::Path) -> Result<(), Failure> {
    Ok(())
}

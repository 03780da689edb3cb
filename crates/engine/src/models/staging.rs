//! Staging of an installation: the sources of files, and a temporary directory that is deleted
//! unless it is installed.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use pimem_core::model::hash;
use sha2::{Digest, Sha256};

use super::installed::FileRecord;
use crate::store::{atomic, read::ReadProblem};

/// Maximum size in bytes of a file other than the model.
const MAX_JSON: u64 = 256 << 20;

#[derive(Debug)]
pub enum InstallError {
    /// A file is unusable or missing: message and hint.
    Refused(String, String),
    /// A disk error.
    Io(anyhow::Error),
}

impl InstallError {
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused(message.into(), hint.into())
    }
}

impl From<anyhow::Error> for InstallError {
    fn from(error: anyhow::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ReadProblem> for InstallError {
    fn from(problem: ReadProblem) -> Self {
        Self::refused(problem.to_string(), problem.hint())
    }
}

pub struct OpenedSource {
    /// Path or address, for messages.
    pub name: String,
    pub reader: Box<dyn Read>,
    /// Expected size in bytes, if known.
    pub size: Option<u64>,
}

pub trait ModelSource {
    /// Returns the name for the manifest.
    fn name(&self) -> String;

    /// Opens a file by its path in the source; `None` if it does not exist.
    fn open(&self, path: &str) -> Result<Option<OpenedSource>, InstallError>;
}

/// A directory with a model's files.
pub struct Directory(pub PathBuf);

impl ModelSource for Directory {
    fn name(&self) -> String {
        self.0.display().to_string()
    }

    fn open(&self, path: &str) -> Result<Option<OpenedSource>, InstallError> {
        let path = self.0.join(path);
        let name = path.display().to_string();
        // Checked before opening, because opening a FIFO blocks.
        if !fs::metadata(&path).is_ok_and(|meta| meta.is_file()) {
            return Ok(None);
        }
        let file = File::open(&path).with_context(|| format!("cannot read {name}"))?;
        let size = file.metadata().ok().map(|meta| meta.len());
        Ok(Some(OpenedSource { name, reader: Box::new(file), size }))
    }
}

/// Progress callback: bytes done, and total.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// A temporary directory that is deleted unless it is installed.
pub struct Stage {
    pub dir: PathBuf,
    pub files: Vec<FileRecord>,
}

impl Stage {
    /// Creates a directory in `parent`, and deletes those that killed processes left there more
    /// than a day ago.
    pub fn new(parent: &Path, now: SystemTime) -> Result<Self, InstallError> {
        let day = Duration::from_hours(24);
        atomic::sweep_old(parent, now, day);
        Ok(Self { dir: atomic::temporary_dir(parent)?, files: Vec::new() })
    }

    /// Copies a file and checks its length.
    pub fn copy(
        &mut self,
        name: &str,
        from: OpenedSource,
        progress: Progress<'_>,
    ) -> Result<(), InstallError> {
        let OpenedSource { name: source, mut reader, size } = from;
        let path = self.dir.join(name);
        let mut file = atomic::new_file(&path)?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        let mut done = 0_u64;
        loop {
            let read = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    let message = format!("cannot read {source}: {error}");
                    return Err(InstallError::refused(message, "nothing was installed; try again"));
                }
            };
            let part = buffer.get(..read).unwrap_or_default();
            hash.update(part);
            file.write_all(part).with_context(|| format!("cannot write {}", path.display()))?;
            done += read as u64;
            let count = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
            progress(count(done), count(size.unwrap_or(done).max(done)));
        }
        if let Some(size) = size.filter(|size| *size != done) {
            let message = format!("{source} broke off after {done} of {size} bytes");
            return Err(InstallError::refused(message, "nothing was installed; try again"));
        }
        file.sync_all().with_context(|| format!("cannot write {}", path.display()))?;
        let sha256 = hash::write_hex(&hash.finalize());
        self.files.push(FileRecord { name: name.to_owned(), size: done, sha256 });
        Ok(())
    }

    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), InstallError> {
        let reader = Box::new(io::Cursor::new(bytes.to_vec()));
        let size = Some(bytes.len() as u64);
        self.copy(name, OpenedSource { name: name.to_owned(), reader, size }, &mut |_, _| ())
    }

    /// Deletes a file that was needed for others only.
    pub fn discard(&mut self, name: &str) -> Result<(), InstallError> {
        let path = self.dir.join(name);
        let removed = atomic::remove_file(&path, atomic::Sync::None);
        removed.with_context(|| format!("cannot delete {}", path.display()))?;
        self.files.retain(|file| file.name != name);
        Ok(())
    }

    /// Moves the directory to `target`.
    pub fn install(&self, target: &Path) -> Result<(), InstallError> {
        Ok(atomic::install_dir(&self.dir, target)?)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // After an installation the directory no longer exists under this name.
        drop(atomic::remove_dir(&self.dir));
    }
}

/// Reads a small file of a source; `None` if it does not exist.
pub fn small(source: &dyn ModelSource, path: &str) -> Result<Option<Vec<u8>>, InstallError> {
    source.open(path)?.map(read_all).transpose()
}

/// Reads a small file completely.
fn read_all(opened: OpenedSource) -> Result<Vec<u8>, InstallError> {
    let OpenedSource { name, reader, size } = opened;
    let mut bytes = Vec::new();
    let read = reader.take(MAX_JSON).read_to_end(&mut bytes);
    let hint = "nothing was installed; try again";
    read.map_err(|error| InstallError::refused(format!("cannot read {name}: {error}"), hint))?;
    match size.filter(|size| *size != bytes.len() as u64) {
        None => Ok(bytes),
        Some(size) => {
            let message = format!("{name} broke off after {} of {size} bytes", bytes.len());
            Err(InstallError::refused(message, hint))
        }
    }
}

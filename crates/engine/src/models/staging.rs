//! What is prepared before it is installed: where files come from, and the directory they are copied
//! to, which disappears unless it is installed.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use sha2::{Digest, Sha256};

use super::installed::FileRecord;
use crate::store::{atomic, read::Problem};
use pimem_core::model::hex;

/// The largest file beside the model itself.
const MAX_JSON: u64 = 256 << 20;

/// Why something was not installed.
#[derive(Debug)]
pub enum InstallError {
    /// It is not fit, or not there: a sentence, and what to do.
    Refused(String, String),
    /// The disk.
    Io(anyhow::Error),
}

impl InstallError {
    /// A refusal.
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused(message.into(), hint.into())
    }
}

impl From<anyhow::Error> for InstallError {
    fn from(error: anyhow::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Problem> for InstallError {
    fn from(problem: Problem) -> Self {
        Self::refused(problem.to_string(), problem.hint())
    }
}

/// A file that is about to be read.
pub struct Opened {
    /// Where it is, for messages.
    pub name: String,
    /// Its bytes.
    pub reader: Box<dyn Read>,
    /// How many there should be.
    pub size: Option<u64>,
}

/// Where a model's files come from.
pub trait Source {
    /// For the record.
    fn name(&self) -> String;

    /// Opens a file by its path there; `None` when there is none.
    fn open(&self, path: &str) -> Result<Option<Opened>, InstallError>;
}

/// A directory with a model's files.
pub struct Directory(pub PathBuf);

impl Source for Directory {
    fn name(&self) -> String {
        self.0.display().to_string()
    }

    fn open(&self, path: &str) -> Result<Option<Opened>, InstallError> {
        let path = self.0.join(path);
        let name = path.display().to_string();
        // Not even opened when it is no file: that alone would wait for ever on a pipe.
        if !fs::metadata(&path).is_ok_and(|meta| meta.is_file()) {
            return Ok(None);
        }
        let file = File::open(&path).with_context(|| format!("cannot read {name}"))?;
        let size = file.metadata().ok().map(|meta| meta.len());
        Ok(Some(Opened { name, reader: Box::new(file), size }))
    }
}

/// Told the bytes that are done, and how many there will be.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// A directory that is being prepared; deleted unless it is installed.
pub struct Stage {
    /// Where it is.
    pub dir: PathBuf,
    /// What is in it.
    pub files: Vec<FileRecord>,
}

impl Stage {
    /// A directory in `parent`; what killed processes left there is deleted.
    pub fn new(parent: &Path, now: SystemTime) -> Result<Self, InstallError> {
        let day = Duration::from_hours(24);
        atomic::sweep_dirs(parent, now.checked_sub(day).unwrap_or(SystemTime::UNIX_EPOCH));
        Ok(Self { dir: atomic::temporary_dir(parent)?, files: Vec::new() })
    }

    /// Copies a file, and checks that it is as long as it was said to be.
    pub fn copy(
        &mut self,
        name: &str,
        from: Opened,
        progress: Progress<'_>,
    ) -> Result<(), InstallError> {
        let Opened { name: source, mut reader, size } = from;
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
        let sha256 = hex::write(&hash.finalize());
        self.files.push(FileRecord { name: name.to_owned(), size: done, sha256 });
        Ok(())
    }

    /// Writes a file of our own.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), InstallError> {
        let reader = Box::new(io::Cursor::new(bytes.to_vec()));
        let size = Some(bytes.len() as u64);
        self.copy(name, Opened { name: name.to_owned(), reader, size }, &mut |_, _| ())
    }

    /// Puts it where it belongs.
    pub fn install(&self, target: &Path) -> Result<(), InstallError> {
        Ok(atomic::install_dir(&self.dir, target)?)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // After it was installed, there is nothing of this name any more.
        drop(atomic::remove_dir(&self.dir));
    }
}

/// All of a file that is not large.
pub fn read_all(opened: Opened) -> Result<Vec<u8>, InstallError> {
    let Opened { name, reader, size } = opened;
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

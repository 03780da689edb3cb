//! Machine-local files that are sealed under a key that is lost. They are set aside, because they
//! would be warned of for ever.

use std::path::Path;

use anyhow::Result;

use super::{
    Store,
    atomic::{self, Sync},
    kept_files::Kept,
    lock::StoreLock,
    read,
    seal::Kept as How,
};
use pimem_core::seal::{TAG, is_token};

/// Prefix of the names of what was set aside; files of that name are not looked at.
const ASIDE: &str = ".lost-";

impl Store {
    /// Takes the lock of the store, and reads again how that is kept: another process may have
    /// sealed it, or made it plain, while this one waited.
    pub fn lock(&self) -> Result<StoreLock> {
        let lock = StoreLock::acquire(&self.dir, self.patience)?;
        self.seal.reread();
        self.seal.check_write()?;
        Ok(lock)
    }

    /// Sets aside the lines of machine-local files that cannot be opened: what is left beside a new
    /// store of the one that was there before, or of a key that is lost. Returns the number of files.
    pub fn set_aside_lost(&self) -> Result<usize> {
        let mut count = 0;
        let data = self.data_dir();
        if data.is_dir() && self.guard_data(&data).is_ok() {
            let _alone = StoreLock::alone(&data, self.patience)?;
            for kept in &self.kept_files()?.data {
                count += usize::from(self.part(kept)?);
            }
        }
        let _lock = self.trust.guard()?;
        for kept in &self.kept_files()?.state {
            count += usize::from(self.part(kept)?);
        }
        if matches!(self.seal.kept(), How::Plain) {
            self.seal.accept()?;
        }
        Ok(count)
    }

    /// Parts the lines of a file that cannot be opened from the others. Returns true if there were
    /// any.
    fn part(&self, kept: &Kept) -> Result<bool> {
        let Ok(Some(raw)) = read::file(&kept.root, &kept.path, read::MAX_LOG) else {
            return Ok(false);
        };
        let text = match self.seal.kept() {
            How::Sealed(sealed) => sealed.ring.open(&raw).bytes,
            _ => raw.clone(),
        };
        let is_lost = |line: &&[u8]| {
            line.starts_with(TAG.as_bytes()) && str::from_utf8(line).is_ok_and(is_token)
        };
        let (lost, left): (Vec<&[u8]>, Vec<&[u8]>) =
            text.split_inclusive(|byte| *byte == b'\n').partition(is_lost);
        if lost.is_empty() {
            return Ok(false);
        }
        let name = kept.path.file_name().unwrap_or_default().to_string_lossy();
        let number = atomic::random()? & 0xffff_ffff;
        let dir = kept.path.parent().unwrap_or(Path::new("/"));
        let aside = dir.join(format!("{ASIDE}{number:08x}-{name}.sealed"));
        atomic::replace_file(&aside, &lost.concat(), Sync::PrivateFull, || Ok(true))?;
        if left.iter().all(|line| line.trim_ascii().is_empty()) {
            atomic::remove_file(&kept.path, Sync::PrivateFull)?;
        } else {
            self.seal.replace(&kept.path, &left.concat(), self.sync.private(), || Ok(true))?;
        }
        Ok(true)
    }
}

//! Where `--html` writes its page.

use std::path::Path;

use crate::shell::Shell;
use pimem_engine::{
    error::{Failure, Kind},
    memory::named_file,
    store::atomic::{self, Sync},
};

/// The file of a page, or standard output.
pub(super) struct Target<'a>(Option<&'a Path>);

impl<'a> Target<'a> {
    /// Checks the target of a page; `-` is standard output.
    ///
    /// # Errors
    /// Fails if it cannot be written, or JSON is wanted.
    pub(super) fn of(ctx: &Shell, path: &'a Path) -> Result<Self, Failure> {
        if ctx.ui.json {
            let message = "--html writes a page, and --json prints a document";
            return Err(Failure::new(Kind::Usage, message, "leave out one of them"));
        }
        if path == Path::new("-") {
            return Ok(Self(None));
        }
        named_file::writable(path, "name the file that the page goes to")?;
        Ok(Self(Some(path)))
    }

    /// Writes the page.
    ///
    /// # Errors
    /// Fails if the disk does.
    pub(super) fn write(&self, ctx: &Shell, page: &str) -> Result<(), Failure> {
        let Some(path) = self.0 else {
            ctx.ui.lines(page);
            return Ok(());
        };
        atomic::replace_file(path, page.as_bytes(), Sync::None, || Ok(true))?;
        ctx.ui.note(&format!("Wrote {}", path.display()));
        Ok(())
    }
}

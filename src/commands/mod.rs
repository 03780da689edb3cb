//! The commands, one file each: arguments, the request to the memory, and the output; and where `--html`
//! writes its page.

pub(crate) mod add;
pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod curate;
mod diff;
pub(crate) mod dream;
pub(crate) mod edit;
pub(crate) mod encrypt;
mod eval;
pub(crate) mod export;
pub(crate) mod extract;
pub(crate) mod generate;
pub(crate) mod handoff;
pub(crate) mod hooks;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod merge_driver;
pub(crate) mod model;
pub(crate) mod note;
pub(crate) mod observe;
pub(crate) mod rebuild;
pub(crate) mod reinforce;
pub(crate) mod report;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod sync;
pub(crate) mod telemetry;
pub(crate) mod todo;
pub(crate) mod trust;
pub(crate) mod undo;
pub(crate) mod why;

use std::{fs::File, io::Read as _, path::Path};

use pimem_engine::{
    error::{Failure, FailureKind},
    memory::selector,
    store::atomic::{self, Sync},
};

use crate::shell::Shell;

/// What every page begins with.
const PAGE: &[u8] = b"<!doctype html>";

/// The file of a page, or standard output.
pub(super) struct PageTarget<'a>(Option<&'a Path>);

impl<'a> PageTarget<'a> {
    /// Checks the target of a page; `-` is standard output.
    ///
    /// # Errors
    /// Fails if it cannot be written, is a file that is no page, or JSON is wanted.
    pub(super) fn of(ctx: &Shell, path: &'a Path) -> Result<Self, Failure> {
        if ctx.ui.json {
            let message = "--html writes a page, and --json prints a document";
            return Err(Failure::new(FailureKind::Usage, message, "leave out one of them"));
        }
        if path == Path::new("-") {
            return Ok(Self(None));
        }
        selector::writable_file(path, "name the file that the page goes to")?;
        // A word after `--html` may have been meant as something else.
        let mut start = [0; PAGE.len()];
        let read = File::open(path).and_then(|mut file| file.read(&mut start)).unwrap_or(0);
        if read > 0 && !start.eq_ignore_ascii_case(PAGE) {
            let message = format!("{} is there, and is no page", path.display());
            return Err(Failure::new(
                FailureKind::Refused,
                message,
                "name another file, or remove it first",
            ));
        }
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
        atomic::write_output(path, page.as_bytes(), Sync::None, ctx.real_now)?;
        ctx.ui.note(&format!("Wrote {}", path.display()));
        Ok(())
    }
}

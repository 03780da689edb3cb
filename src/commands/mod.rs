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

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

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
        is_page(path)?;
        Ok(Self(Some(path)))
    }

    /// Returns the file of a page, by its number from 0.
    fn file(&self, number: usize) -> PathBuf {
        let first = self.0.unwrap_or(Path::new("page.html"));
        let stem = first.file_stem().unwrap_or_default().to_string_lossy();
        let ending = first.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
        match number {
            0 => first.to_owned(),
            _ => {
                first.with_file_name(format!("{stem}-{}{}", number + 1, ending.unwrap_or_default()))
            }
        }
    }

    /// Returns the name of the file of a page, by its number from 0.
    pub(super) fn name(&self, number: usize) -> String {
        self.file(number).file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Writes the pages; on standard output there is room for the first.
    ///
    /// # Errors
    /// Fails if the disk does, or another page would take the place of a file that is none.
    pub(super) fn write(&self, ctx: &Shell, pages: &[String]) -> Result<(), Failure> {
        if self.0.is_none() {
            pages.iter().take(1).for_each(|page| ctx.ui.lines(page));
            if pages.len() > 1 {
                ctx.ui
                    .note("This is the first page; a file after --html gets the others beside it");
            }
            return Ok(());
        }
        let files: Vec<PathBuf> = (0..pages.len()).map(|number| self.file(number)).collect();
        files.iter().try_for_each(|file| is_page(file))?;
        for (file, page) in files.iter().zip(pages) {
            atomic::write_output(file, page.as_bytes(), Sync::None, ctx.memory.real_now)?;
            ctx.ui.note(&format!("Wrote {}", file.display()));
        }
        Ok(())
    }
}

/// Requires that a file is a page, or not there: a word after `--html` may have been meant as something
/// else.
fn is_page(path: &Path) -> Result<(), Failure> {
    let mut start = [0; PAGE.len()];
    let read = File::open(path).and_then(|mut file| file.read(&mut start)).unwrap_or(0);
    if read == 0 || start.eq_ignore_ascii_case(PAGE) {
        return Ok(());
    }
    let message = format!("{} is there, and is no page", path.display());
    Err(Failure::new(FailureKind::Refused, message, "name another file, or remove it first"))
}

//! Standard input, and files that the user names.

use std::{
    io::{self, BufRead, IsTerminal, Read},
    path::Path,
};

use super::{
    context::Context,
    error::{Failure, Kind},
};
use pimem_engine::store::read;

/// More than this is no memory.
const MAX: u64 = 16 << 20;

/// Reads all of standard input as text.
pub(crate) fn read_stdin() -> Result<String, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        let message = "- reads standard input, and that is a terminal";
        return Err(Failure::new(
            Kind::Usage,
            message,
            "pipe something in, or give the text itself",
        ));
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::from(anyhow::Error::new(error).context("standard input")))?;
    if bytes.len() as u64 > MAX {
        let message = format!("standard input is larger than {} MiB", MAX >> 20);
        return Err(Failure::new(Kind::Refused, message, "give less at a time"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("standard input is not UTF-8 (byte {at})");
        Failure::new(Kind::Refused, message, "convert it first, as with iconv")
    })
}

/// Reads a file that the user names, which may be a link to anywhere; `hint` says which file is meant.
pub(crate) fn named(path: &Path, limit: u64, hint: &str) -> Result<Vec<u8>, Failure> {
    let bytes = read::file(Path::new("/"), path, limit)
        .map_err(|problem| Failure::new(Kind::Io, problem.to_string(), hint))?;
    bytes.ok_or_else(|| {
        Failure::new(Kind::Usage, format!("there is no file {}", path.display()), hint)
    })
}

/// Whether a file that the user names may be written: it is no directory, and is in one.
pub(crate) fn writable(path: &Path, hint: &str) -> Result<(), Failure> {
    if path.exists() && !path.is_file() {
        let message = format!("{} is not a file", path.display());
        return Err(Failure::new(Kind::Usage, message, hint));
    }
    let dir = path.parent();
    if let Some(dir) = dir.filter(|dir| !dir.as_os_str().is_empty() && !dir.is_dir()) {
        let message = format!("there is no directory {}", dir.display());
        return Err(Failure::new(Kind::Usage, message, "make it first, or name another file"));
    }
    Ok(())
}

/// Asks a person, who answers with one of some letters; `None` when there are no more answers.
pub(crate) fn choose(
    ctx: &Context,
    question: &str,
    letters: &str,
) -> Result<Option<char>, Failure> {
    loop {
        ctx.ui.explain(question);
        let mut answer = String::new();
        let read = io::stdin().lock().take(1024).read_line(&mut answer);
        read.map_err(|error| Failure::from(anyhow::Error::new(error).context("standard input")))?;
        let letter = answer.trim().chars().next().map(|letter| letter.to_ascii_lowercase());
        if answer.is_empty() || letter.is_some_and(|letter| letters.contains(letter)) {
            return Ok(letter);
        }
    }
}

/// Asks a person, who is shown what it is about. Without a terminal nobody can answer.
pub(crate) fn confirm(ctx: &Context, lines: &[String], question: &str) -> Result<bool, Failure> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        let message = "there is no terminal to ask on";
        return Err(Failure::new(Kind::Usage, message, "--yes does it without asking"));
    }
    for line in lines {
        ctx.ui.explain(line);
    }
    ctx.ui.explain(&format!("{question} [y/N]"));
    let mut answer = String::new();
    let read = stdin.lock().take(1024).read_line(&mut answer);
    read.map_err(|error| Failure::from(anyhow::Error::new(error).context("standard input")))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

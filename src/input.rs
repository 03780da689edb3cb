//! Standard input, and questions to the user.

use std::{
    io::{self, BufRead, IsTerminal, Read},
    path::Path,
};

use super::shell::Shell;
use pimem_core::model::entry::Share;
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::sessions::Transcript,
};

/// Maximum input in bytes.
const MAX: u64 = 16 << 20;

/// Reads all of standard input as text.
pub(crate) fn read_stdin() -> Result<String, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        let message = "- reads standard input, and that is a terminal";
        return Err(Failure::new(
            FailureKind::Usage,
            message,
            "pipe something in, or give the text itself",
        ));
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::from(anyhow::Error::new(error).context("standard input")))?;
    if bytes.len() as u64 > MAX {
        let message = format!("standard input is larger than {} MiB", MAX >> 20);
        return Err(Failure::new(FailureKind::Refused, message, "give less at a time"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("standard input is not UTF-8 (byte {at})");
        Failure::new(FailureKind::Refused, message, "convert it first, as with iconv")
    })
}

/// Parses the number of an option, from 0 to 1.
pub(crate) fn share(option: &str, text: &str) -> Result<Share, Failure> {
    text.trim().parse().ok().and_then(Share::new).ok_or_else(|| {
        let message = format!("{option} is {text:?}, not a number from 0 to 1");
        Failure::new(FailureKind::Usage, message, format!("as in {option} 0.8"))
    })
}

/// Joins the words of the command line; a single `-` reads standard input.
pub(crate) fn text(words: &[String]) -> Result<String, Failure> {
    if words == ["-"] { read_stdin() } else { Ok(words.join(" ")) }
}

/// Returns the transcript at a path; `-` is standard input.
pub(crate) fn transcript(path: &Path) -> Result<Transcript<'_>, Failure> {
    if path != Path::new("-") {
        return Ok(Transcript::File(path));
    }
    let stdin = io::stdin();
    if stdin.is_terminal() {
        let message = "- reads standard input, and that is a terminal";
        return Err(Failure::new(FailureKind::Usage, message, "name a transcript, or pipe one in"));
    }
    Ok(Transcript::Stdin(Box::new(stdin.lock())))
}

/// Asks the user to choose one of `letters`; `None` at the end of input.
pub(crate) fn choose(ctx: &Shell, question: &str, letters: &str) -> Result<Option<char>, Failure> {
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

/// Shows `lines` and asks the user to confirm. Fails without a terminal.
pub(crate) fn confirm(ctx: &Shell, lines: &[String], question: &str) -> Result<bool, Failure> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        let message = "there is no terminal to ask on";
        return Err(Failure::new(FailureKind::Usage, message, "--yes does it without asking"));
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

/// Returns the selectors of the command line; `-` reads them from standard input, one per line.
pub(crate) fn selectors(args: &[String]) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for arg in args {
        if arg == "-" {
            let text = read_stdin()?;
            all.extend(
                text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned),
            );
        } else {
            all.push(arg.clone());
        }
    }
    Ok(all)
}

//! `pimem encrypt`: seals a store, and makes it plain again.

use pimem_engine::{
    error::Failure,
    memory::encrypt::{Encryption, KeptAs},
};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Encrypt a store, so that what was remembered is nowhere readable on the disk
///
/// Entries, archive, notes and lists are sealed line by line, so that git still compares and merges
/// them; evidence, logs and observations in pieces. What pimem keeps beside the store, in the state
/// directory and in the cache is sealed too. Names of files and categories stay readable. The key is
/// a file of 32 bytes, `~/.config/pimem/keys/STORE.key` or what `encryption.keyPath` names: whoever
/// is to read the store needs a copy of it, and what was sealed under a lost key is lost.
///
/// Without a command, it says whether the store is sealed, with exit code 1 if something of it is not
/// sealed or cannot be opened. Each of these may be interrupted at any moment: the store stays readable, the same command
/// goes on where it stopped, and other processes may write meanwhile. What git has in its history
/// stays as it was committed. Where store.json is lost, nothing is written until repair has found
/// the key that opens the sealed lines.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  pimem encrypt init           seal this project's store
  pimem encrypt init --user    your own
  pimem encrypt                what is sealed, and where the key is
  pimem encrypt rotate         a new key; the former one is kept beside it
  pimem encrypt decrypt        plain text again
  pimem encrypt repair         store.json is gone, and the key is here")]
pub(crate) struct EncryptArgs {
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Debug, Clone, Copy, clap::Subcommand)]
enum Act {
    /// Seal the store; make its key if there is none
    Init,
    #[command(hide = true)]
    Status,
    /// Seal the store under a new key
    Rotate,
    /// Make the store plain again
    Decrypt,
    /// Write store.json again where it is missing or damaged, by the key that opens the sealed lines
    Repair,
}

pub(crate) fn run(ctx: &Shell, args: &EncryptArgs) -> Result<Exit, Failure> {
    let act = args.act.unwrap_or(Act::Status);
    let view = match act {
        Act::Init => ctx.memory.tending().encrypt_init()?,
        Act::Status => ctx.memory.tending().encrypt_status()?,
        Act::Rotate => ctx.memory.tending().encrypt_rotate()?,
        Act::Decrypt => ctx.memory.tending().encrypt_decrypt()?,
        Act::Repair => ctx.memory.tending().encrypt_repair()?,
    };
    ctx.ui.show(&view);
    if matches!(act, Act::Init | Act::Rotate) {
        ctx.ui.note("Back up the key file: what is sealed cannot be read without it.");
        if view.in_git && matches!(act, Act::Init) {
            ctx.ui.note(
                "The history of git still holds the plain text: sealing changes no commit, and no \
                 copy that was pushed.",
            );
        }
    }
    let is_whole = view.due + view.closed == 0 && view.problem.is_none();
    Ok(if is_whole || !matches!(act, Act::Status) { Exit::Done } else { Exit::Nothing })
}

impl Human for Encryption {
    fn human(&self, ui: &Ui) {
        let store = &self.store;
        let how = match self.kept {
            kept if kept == KeptAs::Plain.name() => "Plain text",
            kept if kept == KeptAs::Opening.name() => "Being made plain",
            kept if kept == KeptAs::Undescribed.name() => "Sealed, and not said to be",
            _ => "Sealed",
        };
        ui.line(&format!("{how}: {store}"));
        if let (Some(problem), Some(hint)) = (&self.problem, &self.hint) {
            ui.line(problem);
            ui.line(&format!("hint: {hint}"));
        }
        if self.kept == KeptAs::Plain.name() {
            return;
        }
        if let (Some(key), Some(file)) = (&self.key_id, &self.key_file) {
            ui.line(&format!("Key {key}: {file}"));
        }
        if self.due > 0 {
            ui.line(&format!(
                "Lines to be sealed: {} (the next command that writes, or pimem encrypt init)",
                self.due
            ));
        }
        if self.closed > 0 {
            ui.line(&format!("Lines that cannot be opened: {}", self.closed));
        }
    }
}

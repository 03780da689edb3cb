//! `pimem sync`: exchanges entries and their evidence with another store, or by a file.

use std::{
    fs::File,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
};

use pimem_core::sync::grave::DAYS;
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::sync::{
        self, BundleRequest, KeyAct, Peer, SealKeyFile, SyncAction, SyncRequest, Synced,
    },
    view,
};

use crate::{
    shell::{self, Exit, Outcome, Shell},
    ui::{Human, Ui},
};

/// Exchange entries and their evidence with a server, another store, or by a file
///
/// Without --with, --bundle and --from, with the server that sync.server names: what your other
/// machines have sent comes into this store, what others have sent into mirrors, and what the server
/// lacks is sent, as far as it was reviewed here. The key is in `PIMEM_SYNC_KEY` or
/// ~/.config/pimem/sync.key. The first time, the lines are shown and pimem asks.
///
/// A server need not read anything: where its organisation is encrypted end to end, lines and
/// evidence are sealed here by a key that its people share, in ~/.config/pimem/sync.seal or
/// `PIMEM_SYNC_SEAL_KEY`. While such a key is here, no other server gets anything.
///
/// Whatever the order and number of exchanges, all stores end with the same entries, and reports are
/// the same. Lines that agents may see in one of two stores, they may see in the other; those of a
/// file wait for pimem trust --review, unless --trust says that they are yours. Private text stays
/// here: entries tagged #private or #local, what looks like a secret, notes, logs, sessions and
/// telemetry. Exit code 1 when something was refused, or waits for a clock or the next exchange.
///
/// A line that was destroyed elsewhere is kept here for 30 days: pimem restore ID brings it back. It is
/// destroyed at once with --destroy, where only people with the key can have said so, and where it
/// held a secret.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem sync --dry-run\n  pimem sync --with /media/stick/memory\n  pimem sync --with ~/src/harbor --dry-run\n  \
    pimem sync --bundle - | ssh tern pimem --dir src/harbor/.pi/memory sync --from - --trust\n  \
    pimem sync --seal-key new\n  pimem sync --seal-key show | ssh tern pimem sync --seal-key take"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct SyncArgs {
    /// Another store, or its project: in both directions
    #[arg(long, value_name = "DIR", group = "peer")]
    with: Option<PathBuf>,
    /// Write all that may leave this store to a file (`-` is standard output)
    #[arg(long, value_name = "FILE", group = "peer")]
    bundle: Option<PathBuf>,
    /// Take in what --bundle wrote (`-` is standard input)
    #[arg(long, value_name = "FILE", group = "peer")]
    from: Option<PathBuf>,
    /// Agents may see the lines of --from without a review
    #[arg(long, requires = "from")]
    trust: bool,
    /// Write a bundle of a sealed store, readable for everybody
    #[arg(long, requires = "bundle")]
    plain: bool,
    /// Destroy lines that were purged elsewhere at once, instead of keeping them for 30 days
    #[arg(long, conflicts_with_all = ["bundle", "seal_key"])]
    destroy: bool,
    /// Send without asking, the first time too
    #[arg(long, short, conflicts_with = "peer")]
    yes: bool,
    /// The key of projects that no server reads: make one (or one more, which seals from then on),
    /// show it for another machine, or take it from there
    #[arg(long, value_name = "ACT", group = "peer", conflicts_with = "dry_run")]
    seal_key: Option<SealKey>,
    /// Show every line that would leave or come, and write nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SealKey {
    New,
    Show,
    Take,
}

pub(crate) fn run(ctx: &Shell, args: &SyncArgs) -> Result<Outcome, Failure> {
    let SyncArgs { with, bundle, from, trust, plain, destroy, yes, seal_key, dry_run } = args;
    if let Some(act) = seal_key {
        return with_key(ctx, *act).map(|()| (Exit::Done, Vec::new()));
    }
    if let Some(path) = bundle {
        let output = Some(path.clone()).filter(|path| path != Path::new("-"));
        let request = BundleRequest { output, dry_run: *dry_run, plain: *plain };
        let (view, text) = ctx.memory.sharing().bundle(&request)?;
        match text {
            Some(text) => ctx.ui.lines(&text),
            None => ctx.ui.show(&view),
        }
        return Ok((Exit::Done, Vec::new()));
    }
    if with.is_none() && from.is_none() {
        let confirm = |lines: &[String]| {
            if *yes || shell::confirm(ctx, lines, "Send these lines to the server?")? {
                return Ok(());
            }
            let message = "nothing was sent";
            Err(Failure::new(
                FailureKind::Refused,
                message,
                "--yes sends the first time without asking",
            ))
        };
        let (view, stale) = ctx.memory.sharing().sync_with_server((*dry_run, *destroy), confirm)?;
        ctx.ui.show(&view);
        return Ok((Exit::Done.unless_empty(view.is_partial()), stale));
    }
    let peer = match (with, from) {
        (Some(dir), _) => Peer::Store(dir.clone()),
        (None, Some(path)) if path == Path::new("-") => {
            let stdin = shell::piped("pipe a bundle in, or name one")?;
            Peer::From(Box::new(stdin), "standard input".to_owned())
        }
        (None, from) => {
            let path = from.clone().unwrap_or_default();
            let fail = |error| {
                let message = format!("cannot read {}: {error}", path.display());
                Failure::new(FailureKind::Io, message, "pimem sync --bundle FILE writes one")
            };
            Peer::From(Box::new(File::open(&path).map_err(fail)?), path.display().to_string())
        }
    };
    let request = SyncRequest { peer, dry_run: *dry_run, trust: *trust, destroy: *destroy };
    let (view, stale) = ctx.memory.sharing().sync(request)?;
    ctx.ui.show(&view);
    Ok((Exit::Done.unless_empty(view.is_partial()), stale))
}

fn with_key(ctx: &Shell, act: SealKey) -> Result<(), Failure> {
    let view = match act {
        SealKey::Show => {
            ctx.ui.lines(ctx.memory.sharing().seal_keys()?.as_ref());
            return Ok(());
        }
        SealKey::New => ctx.memory.sharing().change_seal_keys(KeyAct::New)?,
        SealKey::Take => {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                let message = "keys are read from standard input, and that is a terminal";
                let hint = "pimem sync --seal-key show | ssh tern pimem sync --seal-key take";
                return Err(Failure::new(FailureKind::Usage, message, hint));
            }
            let mut text = String::new();
            stdin.lock().take(1 << 16).read_to_string(&mut text).map_err(anyhow::Error::from)?;
            ctx.memory.sharing().change_seal_keys(KeyAct::Take(&text))?
        }
    };
    ctx.ui.show(&view);
    if act == SealKey::New {
        ctx.ui.note("Keep a copy of it: what is sealed on the server cannot be read without it.");
    }
    Ok(())
}

impl Human for SealKeyFile {
    fn human(&self, ui: &Ui) {
        ui.line(&format!("{}: {}", view::count(self.keys, "key"), self.file));
    }
}

impl Human for Synced {
    fn human(&self, ui: &Ui) {
        for (mark, part) in [("->", &self.sent), ("<-", &self.received)] {
            for line in &part.entries {
                let line = format!("{mark} {}", line.strip_prefix("- ").unwrap_or(line));
                if self.dry_run { ui.line(&line) } else { ui.detail(&line) }
            }
        }
        for change in self.changed.iter().filter(|_| !self.dry_run) {
            let at =
                if change.file.is_empty() { String::new() } else { format!(" ({})", change.file) };
            ui.line(&format!("{}: {}{at}", change.action.verb(), change.entry));
        }
        for kept in &self.kept {
            ui.detail(&format!("Kept here: {} {}: {}", kept.kind, kept.id, kept.detail));
        }
        for refused in &self.refused {
            let id = if refused.id.is_empty() { String::new() } else { format!(" {}", refused.id) };
            let reason = refused.reason.name();
            ui.line(&format!("Refused: {}{id}: {} ({reason})", refused.kind, refused.detail));
        }
        let amount = |part: &sync::SyncPart| {
            let entries = view::count(part.entries.len(), "line");
            format!("{entries} and {}", view::count(part.events, "event"))
        };
        let (would, kept) = (if self.dry_run { "would be " } else { "" }, self.kept.len());
        let kept = if kept == 0 { String::new() } else { format!(", {kept} kept here") };
        ui.line(&format!(
            "{}: {} {would}sent, {} {would}received{kept}",
            self.with,
            amount(&self.sent),
            amount(&self.received)
        ));
        for mirror in &self.mirrors {
            let lines = mirror.received.entries.iter();
            for line in lines.map(|line| line.strip_prefix("- ").unwrap_or(line)) {
                ui.detail(&format!("<- {line} ({})", mirror.project));
            }
            if mirror.received.events > 0 {
                ui.line(&format!("Mirror of {}: {}", mirror.project, amount(&mirror.received)));
            }
        }
        let buried = self.changed.iter().any(|change| change.action == SyncAction::Buried);
        if buried && !self.dry_run {
            ui.line(&format!(
                "What is buried is kept for {DAYS} days: pimem restore ID, or forget --destroy ID"
            ));
        }
        let kept = if self.from_file {
            "left in the file: read it again when it is right"
        } else {
            "kept until it is right"
        };
        for (number, whose) in [(self.later, "this machine's"), (self.early, "the server's")] {
            if number > 0 {
                ui.line(&format!(
                    "{} dated more than a day ahead of {whose} clock, {kept}",
                    view::counted(number, "event is", "events are")
                ));
            }
        }
        if self.unfinished {
            ui.line("The server has more: pimem sync goes on from here");
        }
        if self.waiting > 0 && !self.dry_run {
            let lines = view::count(self.waiting, "line");
            ui.line(&format!("{lines} to review before agents see them: pimem trust --review"));
        }
    }
}

//! `pimem merge-driver`: the program that git calls to merge a file of a store.
//!
//! Prints nothing during a merge, because git would mix it with its own output.

use std::path::PathBuf;

use pimem_engine::{error::Failure, memory::merge_driver::MergeDriver, store::merge_driver};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Merge a file of a store for git, without conflicts
///
/// Writes to OURS what both sides come to. A line that one side took out or changed is so; what
/// both added is there once; where both changed the same, both stay. The result is the same in
/// either order, but for line ends, which are those of OURS. A file whose PATH ends in `.jsonl` is
/// a set of lines; without a PATH, one that begins with `{` is. On failure OURS is as it was.
///
/// A store's own `.gitattributes` has git keep the lines of both sides, which loses nothing either,
/// but brings back a line that was taken out beside one that was added. With `--install`, git calls this command instead, in this
/// repository and on this machine: it sets `merge.pimem.driver`, and names files of stores in
/// `.git/info/attributes`. The program has to be in the PATH then.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem merge-driver --install\n  \
    pimem merge-driver --install --print\n  pimem merge-driver --uninstall")]
pub(crate) struct MergeDriverArgs {
    /// The common ancestor's version (%O)
    #[arg(required_unless_present_any = ["install", "uninstall"], requires = "theirs")]
    base: Option<PathBuf>,
    /// Our version, and where the result goes (%A)
    ours: Option<PathBuf>,
    /// The other version (%B)
    theirs: Option<PathBuf>,
    /// Where the file is in the repository (%P)
    path: Option<PathBuf>,
    /// Have git call this in this repository
    #[arg(long, conflicts_with_all = ["base", "uninstall"])]
    install: bool,
    /// Have git merge by itself again
    #[arg(long, conflicts_with = "base")]
    uninstall: bool,
    /// Print what --install would run and write, and do nothing
    #[arg(long, requires = "install")]
    print: bool,
}

pub(crate) fn run(ctx: &Shell, args: &MergeDriverArgs) -> Result<Exit, Failure> {
    if let (Some(base), Some(ours), Some(theirs)) = (&args.base, &args.ours, &args.theirs) {
        let path = args.path.as_ref().map(|path| path.to_string_lossy());
        merge_driver::merge(
            [base, ours, theirs],
            path.as_deref(),
            &ctx.memory.sharing().seal_of(args.path.as_deref()),
        )?;
    } else if args.print {
        let (setting, command) = (merge_driver::SETTING, merge_driver::COMMAND);
        let file = ctx.memory.sharing().merge_attributes()?;
        ctx.ui.verbatim(&format!("git config {setting} '{command}'"));
        ctx.ui.verbatim(&format!("cat >> '{file}' <<'end'"));
        for line in merge_driver::lines().lines().chain(["end"]) {
            ctx.ui.verbatim(line);
        }
    } else if args.install {
        ctx.ui.show(&ctx.memory.sharing().install_merge_driver()?);
    } else {
        ctx.ui.show(&ctx.memory.sharing().uninstall_merge_driver()?);
    }
    Ok(Exit::Done)
}

impl Human for MergeDriver {
    fn human(&self, ui: &Ui) {
        let how = match (self.installed, self.changed) {
            (true, true) => "by pimem now",
            (true, false) => "by pimem already",
            (false, true) => "by itself again",
            (false, false) => "by itself already",
        };
        ui.line(&format!("git merges files of stores {how} ({})", self.attributes));
    }
}

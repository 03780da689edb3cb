//! `pimem rebuild`: adopts hand-written entries, rescores, archives cold ones, and rebuilds the
//! index.

use pimem_core::model::time::Age;
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::rebuild::{IndexedCounts, Rebuilt, RebuiltStore},
    view::count,
};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Adopt hand-written lines, rescore, archive what has faded, rebuild the index
///
/// Only what nobody asked to have remembered goes to the archive, and only in a store that was used on
/// ten days since that was of use last. Writes `memory-scores.json` for other programs, and has the chosen model embed what it has not
/// yet, however long that takes. Searching and reporting work without it too.
#[derive(Debug, clap::Args)]
pub(crate) struct RebuildArgs {
    /// Do nothing when the last rebuild is younger than this, as in 30m, 2h or 1d
    #[arg(long, hide_short_help = true, value_name = "AGE")]
    if_older: Option<String>,
    /// Only index what changed, and embed what the built-in model has not, in the background
    #[arg(long, hide = true)]
    catch_up: bool,
}

pub(crate) fn run(ctx: &Shell, args: &RebuildArgs) -> Result<Exit, Failure> {
    if args.catch_up {
        ctx.memory.modeling().catch_up()?;
        return Ok(Exit::Done);
    }
    let if_older = args.if_older.as_deref().map(age).transpose()?;
    ctx.ui.show(&ctx.memory.tending().rebuild(if_older)?);
    Ok(Exit::Done)
}

impl Human for Rebuilt {
    fn human(&self, ui: &Ui) {
        for RebuiltStore { scope, states, adopted, archived, indexed, .. } in &self.stores {
            let counts = states.counts().map(|(state, count)| format!("{count} {state}"));
            ui.line(&format!("Rebuilt {scope} store: {}", counts.join(", ")));
            if *adopted > 0 {
                ui.line(&format!("Adopted: {adopted} hand-written entries"));
            }
            for line in archived.iter().flat_map(|topic| &topic.lines) {
                ui.line(&format!("Archived: {line}"));
            }
            match indexed {
                Some(indexed) => of_index(ui, indexed),
                None => ui.note("The index was left as it is"),
            }
        }
    }
}

fn of_index(
    ui: &Ui,
    IndexedCounts { files, lines, model, kept, missing, trouble, .. }: &IndexedCounts,
) {
    let lines = count(usize::try_from(*lines).unwrap_or(usize::MAX), "line");
    ui.line(&format!("Indexed: {lines} of {}", count(*files, "file")));
    if *kept > 0 {
        ui.line(&format!("Embedded: {kept} vectors with {model}"));
    }
    if let (None, 1..) = (trouble, *missing) {
        ui.line(&format!("Embedded in the background by {model}: {}", count(*missing, "line")));
    }
    if let Some(why) = trouble {
        ui.note(&format!("Lines without a vector of {model}: {missing} ({why})"));
    }
}

fn age(text: &str) -> Result<Age, Failure> {
    Age::parse(text).ok_or_else(|| {
        let message = format!("{text:?} is not an age");
        Failure::new(FailureKind::Usage, message, "write it as in 30m, 2h or 1d")
    })
}

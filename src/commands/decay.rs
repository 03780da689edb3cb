//! `pimem decay`: shows how importance has faded, and archives what faded away.

use pimem_engine::{
    error::Failure,
    memory::score::{Decay, FadedEntry},
};

use crate::{
    shell::{Exit, Shell},
    ui::{Column, Human, Style, Styled, Ui},
};

/// Show how the importance of entries has faded
///
/// This is the arithmetic of the policy ebbinghaus. Importance is computed when it is read, so that
/// there is nothing to store; what falls below `memory.min_importance` can be archived. Pinned and
/// enforced entries stay.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem decay\n  pimem decay --apply")]
pub(crate) struct DecayArgs {
    /// Archive what is below the minimum; only where scoring.policy is ebbinghaus
    #[arg(long)]
    apply: bool,
}

pub(crate) fn run(ctx: &Shell, args: &DecayArgs) -> Result<Exit, Failure> {
    Ok(ctx.show(&ctx.decay(args.apply)?))
}

impl Human for Decay {
    fn human(&self, ui: &Ui) {
        let fate = |row: &FadedEntry| match row {
            FadedEntry { archived: true, .. } => "archived",
            FadedEntry { below: true, .. } if self.applied => {
                "kept: pinned, enforced or not reviewed"
            }
            FadedEntry { below: true, .. } => "falls below",
            _ => "stays",
        };
        let cells = |row: &FadedEntry| {
            vec![
                Styled::new(Style::Id, &row.short),
                row.kind.into(),
                format!("{:.3}", row.importance).into(),
                format!("{:.3}", row.now).into(),
                format!("{:.2}", row.floor).into(),
                fate(row).into(),
                row.text.as_str().into(),
            ]
        };
        let header = [
            "id".into(),
            "kind".into(),
            Column::spare(2, "at first"),
            "now".into(),
            Column::spare(1, "floor"),
            "fate".into(),
            "text".into(),
        ];
        ui.table(&header, self.entries.iter().map(cells).collect());
        let least = self.min_importance;
        let below = self.entries.iter().filter(|row| row.below).count();
        let archived = self.entries.iter().filter(|row| row.archived).count();
        ui.note(&match (below, self.applied) {
            (0, _) => format!("Nothing falls below {least}: each kind has a floor"),
            (_, true) => format!("Archived {archived} of {below} below {least}"),
            (_, false) => format!("Below {least}: {below}; pimem decay --apply archives them"),
        });
    }
}

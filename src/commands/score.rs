//! `pimem score`: prints the scores of all entries by any policy.

use clap::builder::PossibleValuesParser;
use pimem_engine::{
    config::settings::PolicyName,
    error::Failure,
    memory::score::{ScoreRow, Scores},
    view::{self, Whose},
};

use crate::{
    shell::{Exit, Shell},
    ui::{Column, Human, Style, Styled, Ui},
};

/// Print the scores of all entries, by any policy
///
/// Reports are made by the policy that scoring.policy names; its score and state stand beside those
/// of another one. `pimem why` explains one entry.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem score\n  pimem score --policy weighted")]
pub(crate) struct ScoreArgs {
    /// Policy: stability, weighted or ebbinghaus [default: the one in force]
    #[arg(long, value_name = "POLICY", value_parser = PossibleValuesParser::new(PolicyName::NAMES),
        hide_possible_values = true)]
    policy: Option<String>,
}

pub(crate) fn run(ctx: &Shell, args: &ScoreArgs) -> Result<Exit, Failure> {
    let policy = args.policy.as_deref().and_then(PolicyName::find);
    Ok(ctx.show(&ctx.score(policy)?))
}

impl Human for Scores {
    fn human(&self, ui: &Ui) {
        let whose = Whose::of(self.entries.iter().map(|row| row.scope));
        let other = self.policy != self.in_force;
        let cells = |row: &ScoreRow| {
            let mut cells = vec![
                Styled::new(Style::Id, &row.short),
                row.category.as_str().into(),
                ui.state(row.state),
                score(row.score).into(),
            ];
            if other {
                let (in_force, state) = (score(row.in_force.score), row.in_force.state);
                if ui.is_terminal() {
                    cells.extend([in_force.into(), ui.state(state)]);
                } else {
                    cells.push(format!("{in_force} {state}").into());
                }
            }
            let text = whose.mark(row.text.clone(), row.scope);
            cells.push(view::labelled(text, row.label.clone()).into());
            cells
        };
        let state = if other { Column::spare(3, "state") } else { "state".into() };
        let mut header = vec!["id".into(), Column::spare(1, "category"), state, self.policy.into()];
        if other {
            header.extend([self.in_force.into(), Column::spare(2, "state")]);
        }
        header.push("text".into());
        ui.table(&header, self.entries.iter().map(cells).collect());
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.entries.is_empty().then_some("No entries to score; pimem add TEXT remembers something")
    }
}

/// Formats a score as 9999, as 0, or with three decimals.
fn score(score: f64) -> String {
    if score >= 9999.0 { format!("{score:.0}") } else { format!("{score:.3}") }
}

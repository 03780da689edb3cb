//! Text output of `pimem telemetry replay` and `tune`.

use crate::ui::{Human, Ui};
use pimem_core::{
    report::budget::thousands,
    usage::replay::Setting,
    view::telemetry::{Outcome, Replay, Tuning, percent},
};

const HEADER: [&str; 8] = ["", "minScore", "limit", "prompts", "entries", "tokens", "kept", "used"];

impl Human for Replay {
    fn human(&self, ui: &Ui) {
        if self.prompts == 0 {
            return;
        }
        let row = |outcome: &Outcome| {
            let mark = if outcome.setting == self.in_force { "*" } else { "" };
            cells(mark, outcome, self.prompts)
        };
        ui.table(&HEADER, self.outcomes.iter().map(row).collect());
        if self.gone > 0 {
            ui.note(&format!("Used entries that are not there any more: {}", self.gone));
        }
    }
}

impl Human for Tuning {
    fn human(&self, ui: &Ui) {
        if let Some(why) = &self.reason {
            return ui.line(why);
        }
        let changes = self.changes();
        for (name, from, to) in &changes {
            ui.line(&format!("{name}: {from} → {to}"));
        }
        if changes.is_empty() {
            ui.line("The settings in force are those that would be proposed");
        }
        let rows = [("in force", &self.in_force), ("proposed", &self.after)];
        let rows = rows.into_iter().filter_map(|(name, outcome)| {
            outcome.as_ref().map(|outcome| cells(name, outcome, self.prompts))
        });
        ui.table(&HEADER, rows.collect());
        let [from, to] = self.after.as_ref().map_or([0.0; 2], |after| after.kept_range);
        ui.line(&format!(
            "{} used entries say that the proposed setting keeps {} to {} of what is used",
            self.used,
            percent(Some(from)),
            percent(Some(to)),
        ));
        let file = self.applied.iter().flatten().next();
        for (name, _, to) in &changes {
            if let Some(file) = file {
                ui.line(&format!("Set {name} = {to} in {file}"));
            }
        }
        if file.is_none() && !changes.is_empty() {
            ui.note("pimem telemetry tune --apply writes it to memory.json");
        }
    }
}

fn cells(name: &str, outcome: &Outcome, prompts: usize) -> Vec<String> {
    let Outcome { setting: Setting { min_score, limit }, entries, tokens, kept, used, .. } =
        outcome;
    vec![
        name.to_owned(),
        format!("{min_score:.2}"),
        limit.to_string(),
        thousands(prompts),
        thousands(*entries),
        thousands(*tokens),
        format!("{kept}/{used} ({})", percent(Some(outcome.kept_share))),
        percent(Some(outcome.used_share)),
    ]
}

//! `pimem stats`: counts the entries.

use pimem_engine::{error::Failure, memory::score::StatsView, view};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Count entries by category and state, with what was found, shown and used of them
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArgs {}

pub(crate) fn run(ctx: &Shell, _: &StatsArgs) -> Result<Exit, Failure> {
    Ok(ctx.show(&ctx.stats()?))
}

impl Human for StatsView {
    fn human(&self, ui: &Ui) {
        let list = |counts: &mut dyn Iterator<Item = (&str, usize)>| {
            let counts = counts.filter(|(_, count)| *count > 0);
            counts.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
        };
        let categories = self.by_category.iter().map(|(name, count)| (name.as_str(), *count));
        let states = self.by_state.iter().map(|(name, count)| (*name, *count));
        let what = if self.average_importance.is_some() { "importance" } else { "score" };
        let average = self.average_score.map_or_else(|| "-".to_owned(), |it| format!("{it:.3}"));
        let lines = [
            ("entries", self.total.to_string()),
            ("by category", list(&mut categories.into_iter())),
            ("by state", list(&mut states.into_iter())),
            ("with vectors", self.with_embeddings.to_string()),
            ("average", format!("{average} {what} ({})", self.policy)),
            ("found", view::count(usize::try_from(self.accesses).unwrap_or(usize::MAX), "time")),
            ("injected", format!("{}, an entry once a session", self.injected)),
            ("used", self.used.to_string()),
        ];
        for (name, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
            ui.field(14, name, value);
        }
    }
}

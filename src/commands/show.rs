//! `pimem show`: shows one entry in full.

use pimem_core::model::{event::Cue, time::Timestamp};
use pimem_engine::{error::Failure, memory::list::ListedEntry};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Show all that is known about an entry
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// Id, unique id prefix, exact text, or a part of it that only one entry has
    #[arg(value_name = "ENTRY")]
    entry: String,
}

pub(crate) fn run(ctx: &Shell, args: &ShowArgs) -> Result<Exit, Failure> {
    Ok(ctx.show(&ctx.memory.show(&args.entry)?))
}

impl Human for ListedEntry {
    fn human(&self, ui: &Ui) {
        let entry = &self.entry.entry;
        let ago = |time: Timestamp, age: &str| {
            if age == "now" { format!("{time} (now)") } else { format!("{time} ({age} ago)") }
        };
        let weight = Cue::find(entry.cue).map(Cue::weight).unwrap_or_default();
        let mut lines = vec![
            ("text", entry.text.clone() + &entry.replaced_mark()),
            ("id", entry.id.clone()),
            ("category", entry.category.clone()),
            ("state", entry.described_state()),
            ("score", entry.formatted_score()),
            ("cue", format!("{} (weight {weight})", entry.cue)),
            ("evidence", entry.evidence.to_string()),
            ("first seen", ago(entry.first_seen, &self.known_for)),
            ("last reinforced", ago(entry.last_reinforced, &self.entry.age)),
            ("user state", entry.user_state.to_owned()),
        ];
        let until = entry.valid_until.iter().map(|until| ("valid until", until.clone()));
        lines.extend(until.chain(self.superseded_by.iter().map(|by| ("replaced by", by.clone()))));
        let (scope, topic, line) = (entry.scope, &entry.topic, entry.line);
        let from = entry
            .label()
            .map_or_else(|| format!("{scope} store"), |label| format!("mirror ({label})"));
        lines.push(("where", format!("{from}, topics/{topic}.md:{line}")));
        ui.fields(&lines);
    }
}

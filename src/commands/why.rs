//! `pimem why`: explains an entry's score, its place in the report, and its forecast.

use pimem_core::report::budget::Tokens;
use pimem_engine::{error::Failure, local_time, memory::why::Why};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Show why an entry is in the report or not
///
/// The factors of its score, the state that they give, its place under the caps, its rank in its
/// section, the dates on which that changes if nothing happens, and, for an entry that is out, the
/// least that would bring it in.
#[derive(Debug, clap::Args)]
pub(crate) struct WhyArgs {
    /// Id, unique id prefix, exact text, or a part of it that only one entry has
    #[arg(value_name = "ENTRY")]
    entry: String,
    /// Tokens that the report may take [default: 1700]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
}

pub(crate) fn run(ctx: &Shell, args: &WhyArgs) -> Result<Exit, Failure> {
    Ok(ctx.show(&ctx.why(&args.entry, args.budget.map(Tokens))?))
}

impl Human for Why {
    fn human(&self, ui: &Ui) {
        let Self { entry, heading, section, tokens, section_tokens, .. } = self;
        let tokens = Tokens(*tokens);
        let below = heading.as_ref().map(|heading| format!(", below {heading:?}"));
        let of = section_tokens.map_or_else(String::new, |most| format!(" of its {most}"));
        let mut lines = vec![
            ("entry", entry.line()),
            ("file", entry.location() + &below.unwrap_or_default()),
            ("score", self.factors.text(entry)),
            ("state", self.state.clone()),
            ("place", self.place.clone()),
            ("section", format!("{section}, {tokens}{of} tokens")),
            ("report", self.reason.clone()),
        ];
        if let Some((server, project)) = self.server.as_ref().zip(entry.project.as_ref()) {
            let by = entry.author.as_deref().unwrap_or("you");
            lines.insert(1, ("from", format!("{by}, project {project} on {server}")));
        }
        if let Some(added) = &self.added {
            lines.insert(2, ("added", added.trim_start_matches("added on ").to_owned()));
        }
        lines.extend(self.ahead.iter().map(|ahead| {
            ("ahead", format!("{} {}", local_time::local(ahead.at).date, ahead.what))
        }));
        if !self.shown {
            let why = if self.server.is_some() {
                "it is only read here"
            } else {
                "the report has no room for it"
            };
            let nothing = || format!("nothing: {why}");
            lines.push(("to bring it in", self.cheapest.clone().unwrap_or_else(nothing)));
        }
        ui.fields(&lines);
    }
}

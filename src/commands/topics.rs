//! `pimem topics`: lists the topics with their hotness and size.

use crate::{
    exit::Exit,
    shell::Shell,
    ui::{Human, Ui},
};
use pimem_core::report::budget::Tokens;
use pimem_engine::{
    error::Failure,
    memory::topics::{Topic, Topics},
};

/// List topics with their size and hotness
///
/// A topic that goes on in other files is listed once, with the number of its files.
/// Hotness is the sum of the scores of a topic's entries. A topic is cold when nothing in it was
/// reinforced for twice its decay constant, and nothing is pinned or enforced.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(ctx: &Shell, _: &Args) -> Result<Exit, Failure> {
    Ok(ctx.show(&ctx.topics()?))
}

impl Human for Topics {
    fn human(&self, ui: &Ui) {
        let header = ["topic", "store", "entries", "hotness", "tokens", "files", "full"];
        ui.table(&header, self.topics.iter().map(cells).collect());
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.topics.is_empty().then_some("No topics yet; pimem add TEXT makes the first")
    }
}

fn cells(topic: &Topic) -> Vec<String> {
    let heat = match topic {
        Topic { pinned: true, .. } => "pinned".to_owned(),
        Topic { cold: true, .. } => format!("{:.1} (cold)", topic.hotness),
        _ => format!("{:.1}", topic.hotness),
    };
    vec![
        topic.name.clone(),
        topic.scope.to_owned(),
        topic.entries.to_string(),
        heat,
        Tokens(topic.tokens).to_string(),
        topic.files.to_string(),
        format!("{}%", topic.percent_full),
    ]
}

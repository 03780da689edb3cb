//! `pimem topics`: lists the topics with their hotness and size.

use pimem_core::report::budget::Tokens;
use pimem_engine::{
    error::Failure,
    memory::list::{TopicView, Topics},
};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// List topics with their size and hotness
///
/// A topic that goes on in other files is listed once, with the number of its files.
/// Hotness is the sum of the scores of a topic's entries. A topic is cold when nothing in it was
/// reinforced for twice its decay constant, and nothing is pinned or enforced.
#[derive(Debug, clap::Args)]
pub(crate) struct TopicsArgs {}

pub(crate) fn run(ctx: &Shell, _: &TopicsArgs) -> Result<Exit, Failure> {
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

fn cells(topic: &TopicView) -> Vec<String> {
    let heat = match topic {
        TopicView { pinned: true, .. } => "pinned".to_owned(),
        TopicView { cold: true, .. } => format!("{:.1} (cold)", topic.hotness),
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

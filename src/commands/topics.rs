//! `pimem topics`: the topic files, how hot and how full each is.

use serde_json::{Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::{
    report::budget::Tokens,
    score::{ranking, stability::Standing},
    view,
};
use pimem_engine::{error::Failure, memory, store::transaction::TOPIC_CHARS};

/// List topic files with their size and hotness
///
/// Hotness is the sum of the scores of a topic's entries. A topic is cold when nothing in it was
/// reinforced for twice its decay constant, and nothing is pinned or enforced.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

struct Line {
    name: String,
    scope: &'static str,
    entries: usize,
    pinned: bool,
    hotness: f64,
    cold: bool,
    chars: usize,
}

pub(crate) fn run(ctx: &Shell, _: &Args) -> Result<Exit, Failure> {
    let stores = ctx.readers()?;
    let (board, snapshots) = ctx.board(&stores);
    let mut lines = Vec::new();
    for (store, snapshot) in stores.iter().zip(snapshots.iter()) {
        let topics = board.topics(store.scope);
        for topic in &snapshot.topics {
            let rows = topics.get(topic.stem.as_str()).map_or(&[][..], Vec::as_slice);
            lines.push(Line {
                name: topic.stem.clone(),
                scope: store.scope.name(),
                entries: rows.len(),
                pinned: rows.iter().any(|row| row.standing == Standing::Pinned),
                hotness: ranking::hotness(rows),
                cold: ranking::cold(rows, &ctx.config.categories),
                chars: topic.doc.chars(),
            });
        }
    }
    lines.sort_by(|a, b| b.hotness.total_cmp(&a.hotness).then_with(|| a.name.cmp(&b.name)));
    let full = |line: &Line| line.chars * 100 / TOPIC_CHARS;
    if ctx.ui.json {
        let value = |line: &Line| {
            json!({
                "name": line.name, "scope": line.scope, "entries": line.entries,
                "hotness": view::rounded(line.hotness), "pinned": line.pinned, "cold": line.cold,
                "characters": line.chars, "tokens": Tokens::of_chars(line.chars).0,
                "percentFull": full(line),
            })
        };
        let topics: Vec<Value> = lines.iter().map(value).collect();
        ctx.ui.document(&json!({"schema": "pimem.topics/1", "topics": topics}));
    } else if !lines.is_empty() {
        let cells = |line: &Line| {
            let heat = match line {
                Line { pinned: true, .. } => "pinned".to_owned(),
                Line { cold: true, .. } => format!("{:.1} (cold)", line.hotness),
                _ => format!("{:.1}", line.hotness),
            };
            let tokens = Tokens::of_chars(line.chars).to_string();
            vec![
                line.name.clone(),
                line.scope.to_owned(),
                line.entries.to_string(),
                heat,
                tokens,
                format!("{}%", full(line)),
            ]
        };
        let header = ["topic", "store", "entries", "hotness", "tokens", "full"];
        ctx.ui.table(&header, lines.iter().map(cells).collect());
    }
    Ok(ctx.complain(&memory::problems(&snapshots), Exit::Done))
}

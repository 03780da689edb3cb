//! Topics, with their heat and size.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Answer, Memory, problems};
use crate::{error::Failure, store::rooms::TOPIC_CHARS, view::rounded};
use pimem_core::{
    report::budget::Tokens,
    score::{ranking, stability::Standing},
};

impl Memory {
    /// Returns all topics, hottest first.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn topics(&self) -> Result<Answer<Topics>, Failure> {
        let stores = self.readers()?;
        let (ranking, snapshots) = self.ranking(&stores);
        let mut topics = Vec::new();
        for (store, snapshot) in stores.iter().zip(snapshots.iter()) {
            let rows = ranking.topics(store.scope);
            let mut files: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
            for file in &snapshot.topics {
                let (count, characters) = files.entry(file.subject()).or_default();
                *count += 1;
                *characters += file.doc.chars();
            }
            for (name, (files, characters)) in files {
                let rows = rows.get(name).map_or(&[][..], Vec::as_slice);
                topics.push(TopicView {
                    name: name.to_owned(),
                    scope: store.scope.name(),
                    entries: rows.len(),
                    hotness: ranking::hotness(rows),
                    pinned: rows.iter().any(|row| row.standing == Standing::Pinned),
                    cold: ranking::cold(rows, &self.config.categories),
                    characters,
                    tokens: Tokens::of_chars(characters).0,
                    files,
                    percent_full: characters * 100 / (files * TOPIC_CHARS),
                });
            }
        }
        topics.sort_by(|a, b| b.hotness.total_cmp(&a.hotness).then_with(|| a.name.cmp(&b.name)));
        for topic in &mut topics {
            topic.hotness = rounded(topic.hotness);
        }
        Ok(Answer { view: Topics { topics }, problems: problems(&snapshots) })
    }
}

/// The topics of one or more stores, hottest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Topics {
    /// One per topic and store.
    pub topics: Vec<TopicView>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicView {
    /// Name of its first file, without `.md`.
    pub name: String,
    /// `project` or `user`.
    pub scope: &'static str,
    /// Number of entries.
    pub entries: usize,
    /// Sum of the scores of the entries.
    pub hotness: f64,
    /// True if an entry is pinned.
    pub pinned: bool,
    /// True if nothing was reinforced for twice the decay constant.
    pub cold: bool,
    /// Size in characters.
    pub characters: usize,
    /// Tokens, by the estimate of the report.
    pub tokens: u32,
    /// Number of files that it spans.
    pub files: usize,
    /// Size in characters as a percentage of what its files may hold.
    pub percent_full: usize,
}

documents! {
    Topics: "pimem.topics/1",
}

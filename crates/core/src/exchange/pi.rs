//! Export to pi's topic files, one line per entry. A store reads them directly.

use std::collections::BTreeMap;

use super::{ExchangeFile, ExchangeItem};
use crate::{
    markdown::{patch, topic},
    model::entry::Markers,
};

/// Returns the topic files of entries, by name.
#[must_use]
pub fn render(items: &[ExchangeItem]) -> Vec<ExchangeFile> {
    let mut topics: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for item in items {
        let category = item.category.as_deref().unwrap_or_default();
        let lines = topics.entry(item.topic.as_deref().unwrap_or(category)).or_default();
        let markers = Markers { pinned: item.pinned, enforced: false };
        lines.push(topic::render(category, &item.text, markers));
    }
    let file = |(stem, added): (&str, Vec<String>)| {
        let page = patch::append(b"", &topic::heading(stem), &added).bytes;
        let (name, text) = (format!("topics/{stem}.md"), String::from_utf8_lossy(&page).into());
        ExchangeFile { name, text }
    };
    topics.into_iter().map(file).collect()
}

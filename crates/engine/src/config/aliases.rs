//! Other names of settings, as another program's configuration has them.

use serde_json::{Map, Value};

use super::schema::Key;

/// Names under `memory` with the settings that they mean. `man/pimem-scoring.7` has the same table.
const ALIASES: &[(&str, &str)] = &[
    ("memory.enable_rag", "recall.enabled"),
    ("memory.enable_learning", "learning.enabled"),
    ("memory.rag_limit", "recall.limit"),
    ("memory.rag_threshold", "recall.minScore"),
    ("memory.embedding.model", "embedding.model"),
    ("memory.embedding.timeout_ms", "embedding.deadlineMs"),
];
/// Names that are no settings, each with what decides instead.
const DECIDED_ELSEWHERE: &[(&str, &str)] =
    &[("memory.embedding.dimension", "the dimension is that of the model: leave it out")];

/// Returns the name of the setting that `name` means.
pub(super) fn resolved(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, key)| key)
}

/// Returns the setting of that name, or that other name.
pub fn find(name: &str) -> Option<&'static Key> {
    Key::find(resolved(name))
}

/// Iterates over the other names, each with its setting.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static Key)> {
    ALIASES.iter().filter_map(|(alias, name)| Some((*alias, Key::find(name)?)))
}

/// Returns what decides about something that is no setting.
pub(super) fn decided_elsewhere(name: &str) -> Option<&'static str> {
    DECIDED_ELSEWHERE.iter().find(|(known, _)| *known == name).map(|(_, hint)| *hint)
}

/// Returns true if there are other names below a group.
pub(super) fn is_group(path: &str) -> bool {
    let names = ALIASES.iter().chain(DECIDED_ELSEWHERE);
    names.filter_map(|(alias, _)| alias.rsplit_once('.')).any(|(group, _)| group == path)
}

/// Returns all names of a setting.
pub(super) fn names(key: &Key) -> impl Iterator<Item = &'static str> {
    let others = ALIASES.iter().filter(|(_, of)| *of == key.name).map(|(alias, _)| *alias);
    std::iter::once(key.name).chain(others)
}

/// Returns the name by which a file sets a setting.
pub(super) fn used_in(root: &Map<String, Value>, key: &Key) -> &'static str {
    let has = |name: &str| {
        let mut parts = name.split('.');
        let first = parts.next().and_then(|part| root.get(part));
        parts.fold(first, |at, part| at?.get(part)).is_some()
    };
    let mut of_key = ALIASES.iter().filter(|(_, of)| *of == key.name).map(|(alias, _)| *alias);
    of_key.find(|alias| has(alias)).unwrap_or(key.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_name_means_a_setting() {
        let manual = include_str!("../../../../man/pimem-scoring.7");
        for (alias, name) in ALIASES {
            assert!(Key::find(name).is_some(), "{alias}");
            assert!(Key::find(alias).is_none(), "{alias} is a setting of its own");
            let mut rows = manual.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            assert!(rows.any(|row| row == [*alias, *name]), "{alias} is not in the manual");
        }
    }
}

//! Findings as SARIF 2.1.0, the format of code scanning.

use std::{collections::BTreeMap, path::Path};

use serde::Serialize;

use pimem_core::{
    lint::rule::{RULES, Rule},
    model::hash::fnv1a64,
};
use pimem_engine::memory::{
    Answer,
    check::{Checked, CheckedStore, FindingView},
};

/// A log with one run of pimem.
#[derive(Serialize)]
pub(crate) struct Sarif {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    invocations: [Invocation; 1],
    results: Vec<Reported>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Message<&'static str>,
    help: Message<&'static str>,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Message<T> {
    text: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reported {
    rule_id: &'static str,
    rule_index: Option<usize>,
    level: &'static str,
    message: Message<String>,
    locations: [Location; 1],
    partial_fingerprints: Fingerprints,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fingerprints {
    primary_location_line_hash: String,
}

impl Sarif {
    /// Returns the log of a check.
    pub(crate) fn of(Answer { view, problems }: &Answer<Checked>) -> Self {
        let mut seen = BTreeMap::new();
        let store = |finding: &FindingView| {
            view.stores.iter().find(|store| store.scope.name() == finding.scope)
        };
        let results = view
            .findings
            .iter()
            .filter_map(|finding| Some(result(store(finding)?, finding, &mut seen)))
            .collect();
        let notifications = problems.iter().map(|problem| Notification {
            level: "error",
            message: Message { text: problem.to_string() },
        });
        let invocation = Invocation {
            execution_successful: problems.is_empty(),
            tool_execution_notifications: notifications.collect(),
        };
        let driver = Driver {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            rules: RULES.iter().map(|rule| descriptor(rule)).collect(),
        };
        let run = Run {
            tool: Tool { driver },
            column_kind: "unicodeCodePoints",
            invocations: [invocation],
            results,
        };
        let schema = "https://json.schemastore.org/sarif-2.1.0.json";
        Self { schema, version: "2.1.0", runs: [run] }
    }
}

fn descriptor(rule: &Rule) -> Descriptor {
    Descriptor {
        id: rule.id,
        short_description: Message { text: rule.about },
        help: Message { text: rule.fix },
        default_configuration: Configuration { level: rule.level.name() },
    }
}

fn result(
    store: &CheckedStore,
    finding: &FindingView,
    seen: &mut BTreeMap<u64, usize>,
) -> Reported {
    let FindingView { rule, level, place, entry, message, .. } = finding;
    // Line numbers change, so fingerprints use the content, and a counter for equal findings.
    let about = entry.as_ref().unwrap_or(message);
    let print = fnv1a64(&[rule.as_bytes(), &[0], place.file.as_bytes(), &[0], about.as_bytes()]);
    let count = seen.entry(print).or_default();
    *count += 1;
    let physical_location = PhysicalLocation {
        artifact_location: artifact(store, &place.file),
        // SARIF requires a line even if the finding is about the whole file.
        region: Region { start_line: place.line.unwrap_or(1), start_column: place.column },
    };
    Reported {
        rule_id: rule,
        rule_index: RULES.iter().position(|known| known.id == *rule),
        level,
        message: Message { text: format!("{place} {message}") },
        locations: [Location { physical_location }],
        partial_fingerprints: Fingerprints {
            primary_location_line_hash: format!("{print:016x}:{count}"),
        },
    }
}

/// Returns the location of a store's file as readers of the log can resolve it.
fn artifact(CheckedStore { dir, root, .. }: &CheckedStore, file: &str) -> Artifact {
    match root.as_ref().and_then(|root| dir.strip_prefix(root).ok()) {
        Some(dir) => Artifact { uri: uri(&dir.join(file)), uri_base_id: Some("%SRCROOT%") },
        None => Artifact { uri: format!("file://{}", uri(&dir.join(file))), uri_base_id: None },
    }
}

/// Encodes a path for a URI.
fn uri(path: &Path) -> String {
    let path = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert_eq!(
            uri(Path::new(".pi/memory/topics/a b%é.md")),
            ".pi/memory/topics/a%20b%25%C3%A9.md"
        );
    }
}

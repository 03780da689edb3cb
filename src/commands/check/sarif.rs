//! Findings as SARIF 2.1.0, the form that code scanning reads.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::Checked;
use pimem_core::{
    lint::rule::{Finding, RULES, Rule},
    model::hash::fnv1a64,
};
use pimem_engine::store::{discover::Places, read::Problem, snapshot::Store};

/// One run of this program.
pub(crate) fn document(places: &Places, checked: &[Checked], problems: &[Problem]) -> Value {
    let mut seen = BTreeMap::new();
    let mut results = Vec::new();
    for Checked { store, findings, .. } in checked {
        let base = Base::of(places, store);
        results.extend(findings.iter().map(|finding| result(&base, finding, &mut seen)));
    }
    let rules: Vec<Value> = RULES.iter().map(|rule| descriptor(rule)).collect();
    let notification =
        |problem: &Problem| json!({"level": "error", "message": {"text": problem.to_string()}});
    let notifications: Vec<Value> = problems.iter().map(notification).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": problems.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    })
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": {"text": rule.about},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": rule.level.name()},
    })
}

fn result(base: &Base, finding: &Finding, seen: &mut BTreeMap<u64, usize>) -> Value {
    let Finding { rule, place, says, entry, .. } = finding;
    // A finding about a whole file has to stand somewhere.
    let mut region = json!({"startLine": place.line.unwrap_or(1)});
    if let (Some(column), Some(region)) = (place.column, region.as_object_mut()) {
        region.insert("startColumn".to_owned(), json!(column));
    }
    // Lines move, so they are told apart by what they hold, and equal ones by their order.
    let about = entry.map_or_else(|| says.clone(), |id| id.to_string());
    let print = fnv1a64(&[rule.id.as_bytes(), &[0], place.file.as_bytes(), &[0], about.as_bytes()]);
    let count = seen.entry(print).or_default();
    *count += 1;
    json!({
        "ruleId": rule.id,
        "ruleIndex": RULES.iter().position(|known| *known == *rule),
        "level": rule.level.name(),
        "message": {"text": format!("{place} {says}")},
        "locations": [{"physicalLocation": {
            "artifactLocation": base.location(&place.file),
            "region": region,
        }}],
        "partialFingerprints": {"primaryLocationLineHash": format!("{print:016x}:{count}")},
    })
}

/// Where a store's files are to a reader of the document.
struct Base {
    dir: PathBuf,
    /// Whether `dir` is relative to the root of a work tree.
    relative: bool,
}

impl Base {
    fn of(places: &Places, store: &Store) -> Self {
        // Without a repository, the project is what holds `.pi/memory`.
        let holds = || store.dir.ancestors().nth(2).filter(|_| store.dir.ends_with(".pi/memory"));
        let root = places.work_tree(&store.dir).or_else(holds);
        match root.and_then(|root| store.dir.strip_prefix(root).ok()) {
            Some(dir) => Self { dir: dir.to_path_buf(), relative: true },
            None => Self { dir: store.dir.clone(), relative: false },
        }
    }

    fn location(&self, file: &str) -> Value {
        let path = uri(&self.dir.join(file));
        if self.relative {
            json!({"uri": path, "uriBaseId": "%SRCROOT%"})
        } else {
            json!({"uri": format!("file://{path}")})
        }
    }
}

/// A path as part of an address.
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

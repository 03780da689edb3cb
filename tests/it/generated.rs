//! Committed generated files are up to date. `PIMEM_BLESS=1` renews them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
};

use serde_json::Value;

use crate::{
    cmd,
    common::{
        bless, repository,
        sandbox::{DEADLINES, Sandbox, outcome},
    },
};

/// Command that renews them.
const RENEW: &str = "PIMEM_BLESS=1 cargo test --test it generated::";

/// Compares a committed file with the generated text, or renews it.
pub(crate) fn agrees(name: &str, text: &str) {
    let path = repository().join(name);
    let known = fs::read_to_string(&path).unwrap_or_default();
    if known == text {
        return;
    }
    if bless() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        return;
    }
    let differs = (1..).zip(known.lines().zip(text.lines())).find(|(_, (a, b))| a != b);
    panic!("{name} is out of date, first at {differs:?}; renew it with {RENEW}");
}

/// Returns the commands on the screen.
fn commands() -> BTreeSet<String> {
    let help = Sandbox::new("empty").run(&["help"]).ok();
    let names = |line: &str| -> Vec<String> {
        let column = line.get(12..33).filter(|_| line.starts_with("  ")).unwrap_or_default();
        column.split(", ").map(|name| name.trim().to_owned()).collect()
    };
    let found: BTreeSet<String> = help.lines().skip(3).flat_map(names).collect();
    let found: BTreeSet<String> = found.into_iter().filter(|name| !name.is_empty()).collect();
    assert!(found.len() > 30, "{found:?}");
    found
}

#[test]
fn every_command_is_offered() {
    let sandbox = Sandbox::new("empty");
    let offered = sandbox.run(&["__complete", "pimem", ""]).ok();
    let offered: BTreeSet<_> =
        offered.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect();
    assert!(commands().is_subset(&offered), "{offered:?}");
}

#[test]
fn man_pages() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["man", "--out", "pages"]).ok();
    let found = fs::read_dir(sandbox.project().join("pages")).unwrap();
    let pages: BTreeMap<String, String> = found
        .map(|entry| entry.unwrap())
        .map(|page| {
            let name = page.file_name().into_string().unwrap();
            (name, fs::read_to_string(page.path()).unwrap())
        })
        .collect();
    for (name, text) in &pages {
        agrees(&format!("man/{name}"), text);
    }
    let committed = fs::read_dir(repository().join("man")).unwrap();
    for name in committed.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        let is_ours = name.strip_suffix(".1").is_none() || pages.contains_key(&name);
        assert!(is_ours, "man/{name} is the page of no command; delete it");
    }
    for command in commands() {
        assert!(pages.contains_key(&format!("pimem-{command}.1")), "{command} has a page");
        // A single page equals the page of the full set.
        assert_eq!(sandbox.run(&["man", &command]).ok(), pages[&format!("pimem-{command}.1")]);
    }
    assert_eq!(sandbox.run(&["man"]).ok(), pages["pimem.1"]);
}

/// What may stand at the beginning of a line of a man page after a dot.
const REQUESTS: [&str; 27] = [
    "TH", "SH", "SS", "PP", "TP", "IP", "RS", "RE", "EX", "EE", "B", "I", "BR", "RB", "IR", "RI",
    "BI", "IB", "br", "ad", "nf", "fi", "ie", "el", "if", "\\\"", "\\}",
];

/// A line that begins with a dot or an apostrophe is a request, and without one it is not printed.
#[test]
fn no_line_of_a_man_page_is_taken_for_a_request() {
    let pages = fs::read_dir(repository().join("man")).unwrap().map(|page| page.unwrap().path());
    let pages: Vec<_> = pages.collect();
    assert!(pages.len() > 50);
    let has_groff = Command::new("groff").arg("--version").output().is_ok();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            let name = line.strip_prefix('.').map(|rest| {
                let rest = rest.trim_start();
                rest.split([' ', '\t']).next().unwrap_or_default()
            });
            let is_known = name.is_none_or(|name| {
                REQUESTS.contains(&name) || name.is_empty() || name.starts_with("\\\"")
            });
            assert!(is_known && !line.starts_with('\''), "{}:{number}: {line}", page.display());
        }
        if has_groff {
            let made = Command::new("groff").args(["-man", "-Tutf8", "-ww"]).arg(&page).output();
            let made = made.unwrap();
            let said = String::from_utf8_lossy(&made.stderr).into_owned();
            assert!(made.status.success() && !said.contains("not defined"), "{said}");
        }
    }
}

#[test]
fn the_schema_of_the_configuration() {
    let sandbox = Sandbox::new("empty").by_default_model();
    let schema = sandbox.run(&["config", "show", "--schema"]).ok();
    // The embedding model is another one without the transformer.
    if cfg!(feature = "minilm") {
        agrees("memory.schema.json", &schema);
    }
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let mut shown = sandbox.command(&["config", "show", "--json"]);
    for name in DEADLINES {
        shown.env_remove(name);
    }
    let settings = outcome(shown).json();
    for setting in settings["settings"].as_array().unwrap() {
        let path = setting["key"].as_str().unwrap().replace('.', "/properties/");
        let known = schema.pointer(&format!("/properties/{path}")).unwrap();
        assert_eq!(known["default"], setting["value"], "{path}");
    }
}

#[test]
fn every_command_is_in_a_transcript() {
    let documents = cmd::documents();
    let texts = documents.iter().map(|path| fs::read_to_string(path).unwrap());
    let shown: String = texts
        .flat_map(|text| {
            let lines = text.lines().filter(|line| line.starts_with("$ "));
            lines.map(|line| format!("{line}\n")).collect::<Vec<_>>()
        })
        .collect();
    for command in commands() {
        assert!(shown.contains(&format!("pimem {command}")), "{command} is in no transcript");
    }
    assert!(!shown.contains("pimem no-such-command"));
}

/// Collects all keys of a document at any depth.
fn keys(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            into.extend(fields.keys().cloned());
            fields.values().for_each(|field| keys(field, into));
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, into)),
        _ => {}
    }
}

/// Every key that transcripts print under a schema of pimem-format(5) is described there.
#[test]
fn keys_of_json_are_in_the_manual() {
    let manual = fs::read_to_string(repository().join("man/pimem-format.5")).unwrap();
    let mut seen = BTreeSet::new();
    for file in fs::read_dir(repository().join("tests/it/cmd")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for block in text.split("\n{\n").skip(1) {
            let Some((body, _)) = block.split_once("\n}") else { continue };
            let Ok(document) = serde_json::from_str::<Value>(&format!("{{{body}}}")) else {
                continue;
            };
            let Some(schema) = document.get("schema").and_then(Value::as_str) else { continue };
            let Some((_, section)) = manual.split_once(&format!(".SS {schema}\n")) else {
                continue;
            };
            let section = section.split("\n.S").next().unwrap();
            seen.insert(schema.to_owned());
            let mut all = BTreeSet::new();
            keys(&document, &mut all);
            for key in all.iter().filter(|key| *key != "schema") {
                let mut words = section.split(|c: char| !c.is_ascii_alphanumeric());
                assert!(words.any(|word| word == key), "{schema}: {key} is not described");
            }
        }
    }
    assert!(seen.len() >= 3, "{seen:?}");
}

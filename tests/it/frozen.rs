//! The formats that other programs read are frozen: the `--json` documents over `fixtures/stores`,
//! byte for byte.
//!
//! `fixtures/frozen` has them as transcripts (see [`crate::cmd`]) without wildcards.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use crate::{cmd, common::repository};

/// Schemas that no command prints, with the reason.
const NOT_PRINTED: &[(&str, &str)] = &[
    ("pimem.backup/1", "it is that of the first line of a backup"),
    ("pimem.installed/1", "it is that of a file beside an installed model"),
    ("pimem.mirror/1", "it is that of a file of a mirror"),
    ("pimem.store/1", "it is that of a file of a sealed store"),
];

/// Commands that print no document, with the reason.
const NO_DOCUMENT: &[(&str, &str)] = &[
    ("completions", "prints a script"),
    ("man", "prints a page"),
    ("mcp", "speaks a protocol of its own"),
];

/// Transcripts that need a program with models.
const WITH_MODELS: &str = "models.md";

fn documents() -> Vec<PathBuf> {
    let found = fs::read_dir(repository().join("fixtures/frozen")).unwrap();
    found.map(|entry| entry.unwrap().path()).collect()
}

fn frozen() -> String {
    documents().iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
#[cfg_attr(not(feature = "minilm"), ignore = "hits have another order without the transformer")]
fn documents_are_as_they_were() {
    let mut documents = documents();
    let has_models = cfg!(all(feature = "fastembed", feature = "llm"));
    documents.retain(|path| has_models || !path.ends_with(WITH_MODELS));
    cmd::all_as_printed(&documents, "frozen::");
}

#[test]
fn nothing_is_left_open() {
    for line in frozen().lines() {
        assert!(line != "..." && !line.contains("[..]"), "{line}");
    }
}

fn schemas(text: &str) -> BTreeSet<String> {
    let text = text.replace('\\', "");
    let names = text.split("pimem.").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-')?;
        let version = rest[end..].strip_prefix('/')?;
        let version = version.split(|c: char| !c.is_ascii_digit()).next()?;
        (end > 0 && !version.is_empty()).then(|| format!("pimem.{}/{version}", &rest[..end]))
    });
    names.collect()
}

#[test]
fn the_finder_of_schemas() {
    let text = r#"{"schema":"pimem.a\-b/12"} pimem.toml pimem./1 pimem.c/ .SS pimem.d/1"#;
    assert_eq!(schemas(text), BTreeSet::from(["pimem.a-b/12", "pimem.d/1"].map(str::to_owned)));
}

#[test]
fn every_schema() {
    let mut known = schemas(&fs::read_to_string(repository().join("man/pimem-format.5")).unwrap());
    assert!(known.len() > 40, "{known:?}");
    for root in ["src", "crates"] {
        for text in sources(repository().join(root)) {
            known.append(&mut schemas(&text));
        }
    }
    let mut shown = BTreeSet::new();
    for line in frozen().lines().filter(|line| line.contains("\"schema\":")) {
        shown.append(&mut schemas(line));
    }
    let not_printed: BTreeSet<_> = NOT_PRINTED.iter().map(|(name, _)| (*name).to_owned()).collect();
    let missing: Vec<_> = known.difference(&shown).cloned().collect();
    assert_eq!(missing, Vec::from_iter(not_printed), "schemas that no frozen document has");
    assert!(shown.is_subset(&known), "{shown:?}");
}

/// Returns the source files below a directory, which may be missing.
fn sources(root: PathBuf) -> Vec<String> {
    let mut texts = Vec::new();
    let mut waiting = vec![root];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.push(fs::read_to_string(path).unwrap());
        }
    }
    texts
}

/// Returns the options of each command as its man page lists them, by page name, with all
/// spellings.
fn commands() -> BTreeMap<String, Vec<Vec<String>>> {
    let pages = fs::read_dir(repository().join("man")).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter_map(|path| {
        let name = path.file_name()?.to_str()?.strip_prefix("pimem-")?.strip_suffix(".1")?;
        let text = fs::read_to_string(&path).unwrap().replace('\\', "");
        let own = text.split("GLOBAL OPTIONS").next().unwrap_or_default();
        let options = own.lines().filter(|line| line.starts_with("fB-"));
        let spelt = options.map(|line| {
            let parts = line.split("fB").filter(|part| part.starts_with('-'));
            parts.map(|part| part.split("fR").next().unwrap_or_default().to_owned()).collect()
        });
        Some((name.to_owned(), spelt.collect()))
    });
    pages.collect()
}

#[test]
fn every_command_with_every_option() {
    let commands = commands();
    assert!(commands.len() > 55, "{}", commands.len());
    let mut used: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let frozen = frozen();
    for line in frozen.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let Some((_, rest)) = line.split_once("pimem --json ") else { continue };
        let words: Vec<&str> = rest.split(' ').collect();
        let named = |word: &&&str| !word.starts_with('-');
        let mut names = words.iter().filter(named).skip_while(|word| !is_command(&commands, word));
        let (first, second) = (names.next(), names.next());
        let Some(first) = first else { continue };
        let longer = second.map(|second| format!("{first}-{second}"));
        let page = longer.and_then(|longer| commands.get_key_value(&longer));
        let Some((page, _)) = page.or_else(|| commands.get_key_value(*first)) else { continue };
        used.entry(page).or_default().extend(&words);
    }
    let mut missing = Vec::new();
    for (page, options) in &commands {
        if NO_DOCUMENT.iter().any(|(name, _)| name == page) {
            assert!(!used.contains_key(page.as_str()), "{page} has one");
            continue;
        }
        let Some(words) = used.get(page.as_str()) else {
            missing.push(page.clone());
            continue;
        };
        let help = "--help".to_owned();
        for option in options.iter().filter(|spellings| !spellings.contains(&help)) {
            if !option.iter().any(|spelling| words.contains(spelling.as_str())) {
                missing.push(format!("{page} {}", option.join("/")));
            }
        }
    }
    assert!(missing.is_empty(), "frozen for no store: {missing:?}");
}

fn is_command(commands: &BTreeMap<String, Vec<Vec<String>>>, word: &str) -> bool {
    commands.contains_key(word)
}

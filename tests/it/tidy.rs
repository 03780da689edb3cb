//! The house is in order: headers, sizes, layers, and nothing left lying about.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::common::repository;

/// Most lines of a file.
const LINES: usize = 600;
/// Packages in `Cargo.lock`; raising it is a reviewed change.
const PACKAGES: usize = 398;

/// Modules in reading order: each uses only those before it.
const LAYERS: &[&str] = &[
    "model", "text", "score", "embed", "recall", "report", "config", "exchange", "plan", "store",
    "index", "llm", "agents", "cli",
];

/// The few places that look the other way: file, the module it uses, and why.
const UPWARD: &[(&str, &str, &str)] = &[
    ("model/entry.rs", "text", "an entry's text is what the grammar of a line lets through"),
    ("model/note.rs", "text", "what may be stored of several lines is what may be stored of one"),
    ("score/adopt.rs", "recall", "near wordings are told by the sketch that finds duplicates"),
];

/// Every file below `dir` of the repository, by its path from the root, as text.
fn texts(dir: &str, suffix: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![repository().join(dir)];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            waiting.extend(entries.filter(|path| !is_foreign(path)));
        } else if path.to_string_lossy().ends_with(suffix) {
            let name = path.strip_prefix(repository()).unwrap().to_string_lossy().into_owned();
            found.insert(name, String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned());
        }
    }
    found
}

/// What is in the directory, and no part of the project.
fn is_foreign(path: &Path) -> bool {
    let top = path.parent() == Some(repository());
    top && [".git", "target"].iter().any(|name| path.file_name().is_some_and(|file| file == *name))
}

#[test]
fn every_file_says_what_it_is_for_and_is_short() {
    let (src, tests) = (texts("src", ".rs"), texts("tests", ".rs"));
    assert!(src.len() > 40 && tests.len() > 10);
    for (name, text) in src.iter().chain(&tests) {
        assert!(text.starts_with("//! "), "{name} starts with what it is for");
    }
    let long = src.iter().chain(&tests).filter(|(_, text)| text.lines().count() > LINES);
    let long: Vec<String> =
        long.map(|(name, text)| format!("{name}: {}", text.lines().count())).collect();
    assert!(long.is_empty(), "more than {LINES} lines: {long:?}");
    let lines: usize = src.values().map(|text| text.lines().count()).sum();
    assert!(lines <= 67_300, "src has {lines} lines");
}

/// The modules that a file uses outside of its tests.
fn uses(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut found = BTreeSet::new();
    for (at, needle) in code.match_indices("crate::") {
        let rest = &code[at + needle.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut at_start = true;
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => at_start = true,
                c if c.is_whitespace() => {}
                _ if depth == 0 && at_start => {
                    found.insert(word(&group[at..]));
                    at_start = false;
                }
                _ => {}
            }
        }
    }
    found
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn the_parser_of_imports() {
    let text = "use crate::{\n    model::{a, b::{c}},\n    text::line,\n};\nlet x = crate::store::y();\n\
                // crate::comment\n#[cfg(test)]\nmod tests { use crate::cli; }";
    let want = ["model", "store", "text"].map(str::to_owned);
    assert_eq!(uses(text), BTreeSet::from(want));
    assert_eq!(uses("use crate::model::time::Now;"), BTreeSet::from(["model".to_owned()]));
}

#[test]
fn dependencies_point_one_way() {
    let place = |module: &str| LAYERS.iter().position(|layer| *layer == module);
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for (name, text) in texts("src", ".rs") {
        let file = name.trim_start_matches("src/");
        let Some((module, _)) = file.split_once('/') else { continue };
        let Some(here) = place(module) else { panic!("{name} is in no layer") };
        for other in uses(&text) {
            let allowed = place(&other).is_some_and(|there| there <= here);
            let exception = UPWARD.iter().find(|(f, to, _)| *f == file && *to == other);
            match exception {
                Some(exception) => drop(used.insert(exception)),
                None if !allowed => wrong.push(format!("{file} uses {other}")),
                None => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}; the order is {LAYERS:?}");
    let unused: Vec<_> = UPWARD.iter().filter(|exception| !used.contains(exception)).collect();
    assert!(unused.is_empty(), "exceptions that nobody needs: {unused:?}");
}

#[test]
fn nothing_is_left_lying_about() {
    let needles = [
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("db", "g!("),
        concat!("FIX", "ME"),
        concat!("TO", "DO"),
        concat!("XX", "X"),
    ];
    for (name, text) in texts("src", ".rs").into_iter().chain(texts("tests", ".rs")) {
        for needle in needles {
            assert!(!text.contains(needle), "{name} contains {needle}");
        }
        let spaces = (1..).zip(text.lines()).find(|(_, line)| line.ends_with([' ', '\t']));
        assert_eq!(spaces, None, "{name}: a line ends in a space");
        assert!(!text.contains('\r') && text.ends_with('\n'), "{name}: line ends");
    }
}

#[test]
fn the_lock_file_does_not_grow() {
    let lock = fs::read_to_string(repository().join("Cargo.lock")).unwrap();
    let packages = lock.matches("[[package]]").count();
    assert!(packages <= PACKAGES, "{packages} packages, {PACKAGES} were agreed on");
}

/// Nothing that is committed knows where it was made.
#[test]
fn no_path_of_this_machine() {
    let mut paths: Vec<String> = vec![repository().display().to_string()];
    paths.push(env!("CARGO_TARGET_TMPDIR").to_owned());
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.parent().is_some());
    paths.extend(home.map(|home| format!("{}/", home.display())));
    for (name, text) in texts("", "") {
        for path in &paths {
            assert!(!text.contains(path.as_str()), "{name} contains {path}");
        }
    }
}

//! Rules of the repository: file headers, sizes, layers, and no stray files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::common::repository;

/// Maximum number of lines in a file.
const LINES: usize = 600;
/// Maximum number of files with code: a file is a thought, not a piece of one.
const FILES: usize = 420;
/// Maximum number of packages in `Cargo.lock`; raising it is a reviewed change. The last one was
/// comfy-table, which draws tables and adds no other.
const PACKAGES: usize = 390;

/// Folders of each crate in order: each uses only those before it.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "crates/core/src/",
        &[
            "model", "guard", "seal", "markdown", "safety", "gate", "session", "language",
            "review", "embed", "score", "search", "report", "usage", "observe", "lint", "dream",
            "exchange", "sync", "eval",
        ],
    ),
    (
        "crates/engine/src/",
        &[
            "view",
            "process",
            "web",
            "config",
            "store",
            "index",
            "models",
            "llm",
            "local_time",
            "error",
            "remote",
            "memory",
        ],
    ),
    (
        "src/",
        &["agents", "ui", "globals", "shell", "hook", "commands", "complete", "help", "mcp", "cli"],
    ),
    (
        "crates/server/src/",
        &[
            "clock", "log", "secret", "config", "db", "seal", "auth", "index", "sync", "memories",
            "search", "http", "routes", "commands", "cli",
        ],
    ),
];

/// Maximum number of cycles between files of one folder. Cycles across folders are not allowed.
const CIRCLES: usize = 3;

/// Returns the text of every file below `dir`, by its path from the root of the repository.
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

/// Returns true for directories that are not part of the project.
fn is_foreign(path: &Path) -> bool {
    let top = path.parent() == Some(repository());
    top && [".git", "target"].iter().any(|name| path.file_name().is_some_and(|file| file == *name))
}

#[test]
fn every_file_says_what_it_is_for_and_is_short() {
    let (src, mut tests) = (sources(), texts("tests", ".rs"));
    tests.extend(texts("crates/server/tests", ".rs"));
    assert!(src.len() > 40 && tests.len() > 10);
    for (name, text) in src.iter().chain(&tests) {
        assert!(text.starts_with("//! "), "{name} starts with what it is for");
    }
    let long = src.iter().chain(&tests).filter(|(_, text)| text.lines().count() > LINES);
    let long: Vec<String> =
        long.map(|(name, text)| format!("{name}: {}", text.lines().count())).collect();
    assert!(long.is_empty(), "more than {LINES} lines: {long:?}");
    let files = src.keys().filter(|name| !is_test(name)).count();
    assert!(files <= FILES, "there are {files} files");
    let all: usize = src.values().map(|text| text.lines().count()).sum();
    assert!(all <= 134_292, "there are {all} lines");
}

fn sources() -> BTreeMap<String, String> {
    let mut found = texts("crates", ".rs");
    found.retain(|name, _| !name.contains("/tests/"));
    found.extend(texts("src", ".rs"));
    found
}

/// Returns the module path of a file within its crate: `["store", "trust"]`.
fn module(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// Returns the paths that a file uses outside of its tests, from the crate's root.
fn uses(module: &[String], text: &str) -> BTreeSet<Vec<String>> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.flat_map(|line| [line, "\n"]).collect::<String>();
    // Re-exports of a folder's own files are not uses.
    let (shown, code) =
        code.split_once("\npub use self::").map_or(("", &*code), |(before, rest)| {
            let (_, after) = rest.split_once(';').unwrap_or_default();
            (before, after)
        });
    let code = [shown, code].concat();
    let mut found = BTreeSet::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':')) {
                continue;
            }
            let mut base = module.to_vec();
            let mut rest = &code[at..];
            if let Some(after) = rest.strip_prefix("crate::") {
                (base, rest) = (Vec::new(), after);
            }
            while let Some(after) = rest.strip_prefix("super::") {
                base.pop();
                rest = after;
            }
            rest = rest.strip_prefix("self::").unwrap_or(rest);
            leaves(&base, rest, &mut found);
        }
    }
    found
}

/// Collects the paths of `a::{b, c::d}` below `base`.
fn leaves(base: &[String], text: &str, found: &mut BTreeSet<Vec<String>>) -> usize {
    let mut path = base.to_vec();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if rest.starts_with('{') {
            at += 1;
            loop {
                let skipped = text[at..].chars().take_while(|c| c.is_whitespace() || *c == ',');
                at += skipped.map(char::len_utf8).sum::<usize>();
                if text[at..].is_empty() || text[at..].starts_with('}') {
                    return at + 1;
                }
                at += leaves(&path, &text[at..], found).max(1);
            }
        }
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        at += name.len();
        if !name.is_empty() && name != "self" {
            path.push(name);
        }
        let Some(after) = text[at..].strip_prefix("::") else {
            found.insert(path);
            return at;
        };
        at = text.len() - after.len();
    }
}

#[test]
fn the_parser_of_imports() {
    let text = "use crate::{\n    model::{a, b::{self, c}},\n    text::line,\n};\nuse super::near;\n\
                let x = crate::store::y();\n// crate::comment\n#[cfg(test)]\nmod tests { use crate::cli; }";
    let here = ["cli".to_owned(), "add".to_owned()];
    let found = uses(&here, text);
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    let want = ["cli::near", "model::a", "model::b", "model::b::c", "store::y", "text::line"];
    assert_eq!(found, want);
}

/// Returns the modules that each file of a crate uses.
fn graph(crate_dir: &str) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let files: BTreeMap<Vec<String>, String> = sources()
        .into_iter()
        .filter_map(|(name, text)| Some((name.strip_prefix(crate_dir)?.to_owned(), text)))
        .filter(|(name, _)| !["lib.rs", "main.rs"].contains(&name.as_str()) && !is_test(name))
        .map(|(name, text)| (module(&name), text))
        .collect();
    let to_file = |path: Vec<String>| {
        let known = (1..=path.len()).rev().map(|end| path[..end].to_vec());
        known.into_iter().find(|path| files.contains_key(path))
    };
    let mut graph = BTreeMap::new();
    for (module, text) in &files {
        let mut used: BTreeSet<_> = uses(module, text).into_iter().filter_map(to_file).collect();
        used.remove(module);
        graph.insert(module.clone(), used);
    }
    graph
}

fn folder<'a>(crate_dir: &str, module: &'a [String]) -> &'a [String] {
    let own = repository().join(crate_dir).join(module.join("/"));
    if own.is_dir() { module } else { &module[..module.len() - 1] }
}

fn is_test(name: &str) -> bool {
    ["tests.rs", "_tests.rs", "_properties.rs", "_samples.rs", "oracle.rs"]
        .iter()
        .any(|end| name.ends_with(end))
}

#[test]
fn dependencies_point_one_way() {
    let mut wrong = Vec::new();
    for (crate_dir, folders) in LAYERS {
        let place = |module: &[String]| {
            let place = folders.iter().position(|folder| *folder == module[0]);
            place.unwrap_or_else(|| panic!("{crate_dir}{} is in no layer", module[0]))
        };
        let graph = graph(crate_dir);
        assert!(graph.len() > 10, "{crate_dir}");
        for (module, used) in &graph {
            let up = used.iter().filter(|used| place(used) > place(module));
            wrong.extend(up.map(|up| format!("{} uses {}", module.join("::"), up.join("::"))));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}; the order is {LAYERS:?}");
}

/// Files with what all operations on a memory share: stores, trust, seals and settings.
const SHARED: [&str; 7] = [
    "curate.rs",
    "encrypt.rs",
    "mod.rs",
    "settings.rs",
    "target.rs",
    "telemetry/mod.rs",
    "trust.rs",
];

#[test]
fn operations_are_methods_of_handles() {
    const FOLDER: &str = "crates/engine/src/memory/";
    let files = sources();
    let whole = files.iter().filter(|(_, text)| text.contains("\nimpl Memory {"));
    let whole: Vec<&str> = whole.filter_map(|(name, _)| name.strip_prefix(FOLDER)).collect();
    assert_eq!(whole, SHARED);
    let hidden = files.iter().filter(|(_, text)| text.contains("type Target = Memory;"));
    assert_eq!(hidden.count(), 0, "nothing stands for a memory");
}

#[test]
fn few_files_use_each_other() {
    for (crate_dir, _) in LAYERS {
        let graph = graph(crate_dir);
        let reached = |from: &Vec<String>| {
            let mut reached = BTreeSet::new();
            let mut waiting = vec![from];
            while let Some(next) = waiting.pop() {
                waiting.extend(graph[next].iter().filter(|used| reached.insert((*used).clone())));
            }
            reached
        };
        let all: BTreeMap<_, _> = graph.keys().map(|from| (from, reached(from))).collect();
        let mut circles: BTreeSet<BTreeSet<&Vec<String>>> = BTreeSet::new();
        for (from, reached) in &all {
            let circle = reached.iter().filter(|other| all[other].contains(*from));
            circles.insert(circle.collect());
        }
        let mut of_folder: BTreeMap<&[String], usize> = BTreeMap::new();
        for circle in circles.iter().filter(|circle| circle.len() > 1) {
            let folders: BTreeSet<&[String]> =
                circle.iter().map(|module| folder(crate_dir, module)).collect();
            assert!(folders.len() == 1, "through several folders: {circle:?}");
            for folder in folders {
                *of_folder.entry(folder).or_default() += 1;
            }
        }
        let most = of_folder.values().max().copied().unwrap_or_default();
        assert!(most <= CIRCLES, "{crate_dir}: {of_folder:?}");
    }
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
    let tests = texts("tests", ".rs").into_iter().chain(texts("crates/server/tests", ".rs"));
    for (name, text) in sources().into_iter().chain(tests) {
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

/// Committed files contain no path of the machine they were made on.
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

/// Each line of the list of tests that are left out elsewhere names one that exists, and why.
#[test]
fn what_other_targets_leave_out() {
    const REASONS: [&str; 6] = ["git", "links", "paths", "program", "time", "unix"];
    let list = fs::read_to_string(repository().join("tests/targets/left-out")).unwrap();
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let [_, reason, test] = *line.split_whitespace().collect::<Vec<_>>() else {
            panic!("{line}")
        };
        let (module, name) = test.rsplit_once("::").unwrap();
        let file = format!("tests/it/{}.rs", module.replace("::", "/"));
        let text = fs::read_to_string(repository().join(file)).unwrap();
        assert!(REASONS.contains(&reason) && text.contains(&format!("fn {name}()")), "{line}");
    }
}

/// The map of the code is short, names every folder, and nothing that is not there.
#[test]
fn the_map_is_true() {
    let map = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    assert!(map.len() <= 15 << 10, "{} bytes", map.len());
    let is_there = |dir: &str, name: &str| {
        let path = repository().join(dir).join(name.replace("::", "/"));
        path.is_dir() || path.with_extension("rs").is_file()
    };
    for (dir, layers) in LAYERS {
        let folders = layers.iter().filter(|layer| repository().join(dir).join(layer).is_dir());
        for folder in folders {
            assert!(map.contains(&format!("`{folder}`")), "{dir}{folder} is not on the map");
        }
    }
    let table = map.split("| capability ").nth(1).unwrap().split("\n\n").next().unwrap();
    let rows: Vec<Vec<&str>> =
        table.lines().skip(2).map(|row| row.trim_matches('|').split('|').collect()).collect();
    assert!(rows.len() > 15);
    let homes: [&[&str]; 3] = [
        &["crates/core/src"],
        &["crates/engine/src/memory", "crates/engine/src"],
        &["src/commands", "src/mcp", ""],
    ];
    for row in rows {
        for (cell, homes) in row[1..].iter().zip(homes) {
            for name in cell.split('`').skip(1).step_by(2) {
                assert!(homes.iter().any(|home| is_there(home, name)), "{name} of{}", row[0]);
            }
        }
    }
}

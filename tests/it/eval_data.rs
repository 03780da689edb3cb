//! The project's own retrieval set matches the output of its script, and can be read.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
};

use pimem_core::{
    eval::set::{EvalFile, EvalSet},
    model::category::Categories,
    search::documents::{SourceKind, documents},
};

use crate::common::{repository, without_program};

fn harbor() -> EvalSet {
    let bytes = fs::read(repository().join("fixtures/eval/harbor.json")).unwrap();
    let mut sets = EvalFile::parse(&bytes).unwrap().sets;
    assert_eq!(sets.len(), 1);
    sets.remove(0)
}

#[test]
fn the_script_makes_the_set_again() {
    let dir = repository().join("fixtures/eval");
    if without_program("python3", "--version") {
        return;
    }
    let made = Command::new("python3").arg("-B").arg(dir.join("make.py")).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let renew = "harbor.json is out of date; renew it with fixtures/eval/make.py > harbor.json";
    assert!(made.stdout == fs::read(dir.join("harbor.json")).unwrap(), "{renew}");
}

/// The script splits files by its own code, which must agree with the program.
#[test]
fn documents_are_those_that_are_searched() {
    let store = repository().join("fixtures/stores/harbor/.pi/memory");
    let mut want = BTreeMap::new();
    let mut cut = |name: &str, kind: SourceKind| {
        let bytes = fs::read(store.join(name)).unwrap();
        documents(kind, name, bytes, &Categories::default(), |doc, text| {
            want.insert(format!("{name}:{}", doc.line), text.to_owned());
        });
    };
    cut("MEMORY.md", SourceKind::Notes);
    for (dir, kind) in [("topics", SourceKind::Topic), ("daily", SourceKind::Daily)] {
        for file in fs::read_dir(store.join(dir)).unwrap() {
            cut(&format!("{dir}/{}", file.unwrap().file_name().to_string_lossy()), kind);
        }
    }
    let set = harbor();
    let made: BTreeMap<String, String> =
        set.docs.iter().map(|doc| (doc.id.clone(), doc.text.clone())).collect();
    assert_eq!(made, want);
}

#[test]
fn every_kind_is_asked_often_and_from_everywhere() {
    let set = harbor();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sources: BTreeSet<&str> = BTreeSet::new();
    for query in &set.queries {
        let kind = query.class.as_deref().unwrap();
        *kinds.entry(kind).or_default() += 1;
        assert_eq!(query.relevant.is_empty(), kind == "nothing", "{}", query.text);
        assert_eq!(query.source.is_none(), kind == "nothing", "{}", query.text);
        sources.extend(query.source.as_deref());
    }
    assert!(kinds.keys().eq(&["exact", "identifier", "nothing", "paraphrase"]), "{kinds:?}");
    assert!(kinds.values().all(|count| *count >= 15), "{kinds:?}");
    assert!(set.queries.len() >= 96, "{kinds:?}");
    let places = BTreeSet::from(["long_term", "today", "yesterday", "older_daily"]);
    assert_eq!(sources, places);
    assert_eq!(
        set.docs.iter().filter_map(|doc| doc.source.as_deref()).collect::<BTreeSet<_>>(),
        places
    );
}

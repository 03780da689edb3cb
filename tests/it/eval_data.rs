//! The project's own retrieval sets match the output of their scripts, and can be read.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
};

use pimem_core::{
    eval::set::{EvalFile, EvalSet},
    model::category::Categories,
    search::documents::{SourceKind, documents},
    search::learned_questions::LearnedQuestions,
};

use crate::common::{repository, without_program};

fn sets(name: &str) -> Vec<EvalSet> {
    let bytes = fs::read(repository().join("fixtures/eval").join(name)).unwrap();
    EvalFile::parse(&bytes).unwrap().sets
}

fn harbor() -> EvalSet {
    let mut sets = sets("harbor.json");
    assert_eq!(sets.len(), 1);
    sets.remove(0)
}

#[test]
fn the_scripts_make_the_sets_again() {
    let dir = repository().join("fixtures/eval");
    if without_program("python3", "--version") {
        return;
    }
    for (script, set) in [("make.py", "harbor.json"), ("make_rules.py", "rules.json")] {
        let made = Command::new("python3").arg("-B").arg(dir.join(script)).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let renew = format!("{set} is out of date; renew it with fixtures/eval/{script} > {set}");
        assert!(made.stdout == fs::read(dir.join(set)).unwrap(), "{renew}");
    }
}

/// The rules as entries of a topic.
#[test]
fn rules_are_lines_below_headings() {
    let sets = sets("rules.json");
    assert_eq!(sets.len(), 5);
    for set in sets {
        let file = format!("fixtures/eval/rules/{}.md", set.name);
        let rules = fs::read_to_string(repository().join(file)).unwrap();
        let topic = rules.replace("\n- ", "\n- [preference] ").into_bytes();
        let name = format!("topics/{}.md", set.name);
        let mut want = Vec::new();
        documents(
            SourceKind::Topic,
            &name,
            topic,
            (&Categories::default(), &LearnedQuestions::default()),
            |doc, text, headings| {
                let id = format!("{}.md:{}", set.name, doc.line);
                want.push((id, text.text, headings.to_owned()));
            },
        );
        let made = set.docs.into_iter().map(|doc| (doc.id, doc.text, doc.headings));
        assert_eq!(made.collect::<Vec<_>>(), want);
    }
}

#[test]
fn prompts_are_answered_by_one_rule_or_none() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for query in sets("rules.json").into_iter().flat_map(|set| set.queries) {
        let kind = query.class.unwrap();
        let answers = query.relevant.values().filter(|grade| **grade == 2).count();
        assert_eq!(answers, usize::from(kind != "off-topic" && kind != "social"), "{}", query.text);
        *kinds.entry(kind).or_default() += 1;
    }
    let of = |kind: &str| kinds.get(kind).copied().unwrap_or_default();
    let developers = ["plain", "reworded", "heading", "product"].map(of);
    assert_eq!(developers.iter().sum::<usize>(), 60, "{kinds:?}");
    assert!(developers.iter().all(|count| *count >= 10), "{kinds:?}");
    assert_eq!(["language", "off-topic", "social"].map(of), [20, 40, 40], "{kinds:?}");
}

/// The script splits files by its own code, which must agree with the program.
#[test]
fn documents_are_those_that_are_searched() {
    let store = repository().join("fixtures/stores/harbor/.pi/memory");
    let mut want = BTreeMap::new();
    let mut cut = |name: &str, kind: SourceKind| {
        let bytes = fs::read(store.join(name)).unwrap();
        let known = (&Categories::default(), &LearnedQuestions::default());
        documents(kind, name, bytes, known, |doc, text, headings| {
            let id = format!("{name}:{}", doc.line);
            want.insert(id, (text.text, headings.to_owned()));
        });
    };
    cut("MEMORY.md", SourceKind::Notes);
    for (dir, kind) in [("topics", SourceKind::Topic), ("daily", SourceKind::Daily)] {
        for file in fs::read_dir(store.join(dir)).unwrap() {
            cut(&format!("{dir}/{}", file.unwrap().file_name().to_string_lossy()), kind);
        }
    }
    let set = harbor();
    let made = set.docs.into_iter().map(|doc| (doc.id, (doc.text, doc.headings)));
    assert_eq!(made.collect::<BTreeMap<_, _>>(), want);
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

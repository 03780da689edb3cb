//! Good and bad answers of models with their results. In `fixtures/dream/answers` an `@name` stands
//! for the id of a sample entry, and `@name:7` for its first digits.

use std::{fs, path::Path};

use proptest::prelude::*;

use super::*;
use crate::{
    dream::vet::{
        Vetting,
        samples::{ENTRIES, NOW, id, ranking},
    },
    model::category::Categories,
};

fn both(answer: &str) -> (Vec<PlanStep>, Vec<RefusedStep>) {
    let categories = Categories::default();
    let ranking = ranking(&categories);
    let mut vetting = Vetting::of(NOW, &ranking.rows);
    let (asked, mut refused) = read(answer, &ranking);
    let mut steps = Vec::new();
    for step in asked {
        let what = what(&step.act);
        match vetting.take(&categories, step) {
            Ok(step) => steps.push(step),
            Err(why) => {
                refused.push(RefusedStep { what: secret::clean(&what), why: why.to_string() });
            }
        }
    }
    (steps, refused)
}

fn what(act: &StepAction) -> String {
    let ids = |ids: &[EntryId]| {
        let ids: Vec<String> = ids.iter().map(EntryId::to_string).collect();
        format!(" {}", ids.join(" "))
    };
    match act {
        StepAction::Merge { keep, from } => format!("merge {keep} <{}", ids(from)),
        StepAction::Archive(id) => format!("archive {id}"),
        StepAction::Reinforce(id, n) => format!("reinforce {id} +{n}"),
        StepAction::Add { category, cue, text } => {
            format!("add {} [{category}] {text}", cue.name())
        }
        StepAction::Combine { category, text, from } => {
            format!("combine{} > [{category}] {text}", ids(from))
        }
        StepAction::Ask(id, questions) => format!("ask {id}: {questions}"),
        StepAction::Propose(of) => format!("propose{}", ids(of)),
    }
}

/// Ids by name, full ids first.
fn names() -> Vec<(String, String)> {
    let full = ENTRIES.iter().map(|(name, ..)| (format!("@{name}"), id(name).to_string()));
    let full: Vec<_> = full.collect();
    let short = full.iter().map(|(name, id)| (format!("{name}:7"), id[..7].to_owned()));
    short.chain(full.clone()).collect()
}

fn shown(answer: &str) -> String {
    let answer = names().iter().fold(answer.to_owned(), |text, (name, id)| text.replace(name, id));
    let (steps, refused) = both(&answer);
    let mut out = String::new();
    for PlanStep { act, reason, by } in steps {
        assert_eq!(by, PlannedBy::Model);
        out.push_str(&format!("{} | {reason}\n", what(&act)));
    }
    for RefusedStep { what, why } in refused {
        out.push_str(&format!("refused: {what} | {why}\n"));
    }
    names().iter().rev().fold(out, |text, (name, id)| text.replace(id, name))
}

#[test]
fn fixtures() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("fixtures/dream/answers");
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8, "{files:?}");
    let mut wrong = String::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let (answer, want) = text.split_once("===== gives\n").unwrap();
        let got = shown(answer);
        if got != want {
            wrong.push_str(&format!("{}\n{got}\n", file.file_name().unwrap().display()));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn numbers_are_limited() {
    let add = |n: u32| {
        let text = format!("Board {n} has a probe number {n}");
        let act =
            serde_json::json!({"act": "add", "category": "lesson", "text": text, "reason": "r"});
        format!("{act}\n")
    };
    let adds: String = (0..60).map(add).collect();
    let (steps, refused) = both(&adds);
    assert_eq!((steps.len(), refused.len()), (ADDITIONS, 40));
    let why = |why: &str| refused.iter().filter(|one| one.why == why).count();
    assert_eq!(why("more than 20 additions"), 30);
    assert_eq!(why("more than 50 acts"), 10);
    let (steps, refused) = both(&"prose\n".repeat(500));
    assert_eq!((steps.len(), refused.len()), (0, TOLD + 1));
    assert_eq!(refused[TOLD].what, "400 further lines");
}

/// Generates acts, some of them invalid.
fn act() -> impl Strategy<Value = String> {
    let ids = || prop::sample::select(ENTRIES).prop_map(|(name, ..)| id(name).to_string());
    let any_id = || prop_oneof![4 => ids(), 1 => "[0-9a-f]{5,18}", 1 => any::<String>()];
    let words = prop::sample::select(vec!["lesson", "preference", "none", ""]);
    let name =
        prop::sample::select(vec!["merge", "combine", "archive", "add", "reinforce", "ask", "x"]);
    let text = prop_oneof!["[a-z ]{0,40}", any::<String>(), ids()];
    let from = prop::collection::vec(any_id(), 0..4);
    (name, any_id(), from, words, text).prop_map(|(act, id, from, category, text)| {
        let mut object = serde_json::json!({"act": act, "reason": "r"});
        let mut set = |key: &str, value: Value| object[key] = value;
        match act {
            "merge" => (set("keep", id.into()), set("from", from.into())).0,
            "archive" | "reinforce" => set("entry", id.into()),
            "ask" => (set("entry", id.into()), set("questions", vec![text].into())).0,
            _ => {
                set("category", category.into());
                set("text", text.into());
                if act == "combine" {
                    set("from", from.into());
                }
            }
        }
        object.to_string()
    })
}

proptest! {
    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (steps, _) = both(&String::from_utf8_lossy(&bytes));
        prop_assert!(steps.is_empty());
    }

    #[test]
    fn only_free_entries_are_touched(acts in prop::collection::vec(act(), 0..12)) {
        let free: Vec<EntryId> = ["tabs", "makefile", "spindle", "speed", "probe", "asked", "recent", "expired"]
            .map(id)
            .to_vec();
        let mut touched = Vec::new();
        for PlanStep { act, .. } in both(&acts.join("\n")).0 {
            match act {
                StepAction::Merge { keep, from } => touched.extend(from.into_iter().chain([keep])),
                StepAction::Archive(id) | StepAction::Reinforce(id, _) | StepAction::Ask(id, _) => {
                    touched.push(id);
                }
                StepAction::Combine { from, .. } => touched.extend(from),
                StepAction::Add { .. } => {}
                StepAction::Propose(_) => prop_assert!(false, "no model proposes"),
            }
        }
        prop_assert!(touched.iter().all(|id| free.contains(id)), "{touched:?}");
        let count = touched.len();
        touched.sort();
        touched.dedup();
        prop_assert_eq!(count, touched.len(), "each entry once");
    }
}

//! Values of statements, against a table of pairs of them.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Notes the words of a text's topics; fails if one is not in the text, or is another one in a text
/// that was noted before.
fn note(words: &mut BTreeMap<u64, Option<u64>>, text: &str) {
    let starts: Vec<u64> = word_starts(text).collect();
    for SlotTopic { hash, word } in Slots::of(text).topics {
        assert!(word.is_none_or(|word| starts.contains(&word)), "{text}");
        assert_eq!(*words.entry(hash).or_insert(word), word, "{text}");
    }
}

#[test]
fn texts_of_one_topic_have_its_word() {
    let mut words = BTreeMap::new();
    let table = include_str!("../../../../fixtures/values.tsv");
    for text in table.lines().flat_map(|line| line.split('\t')) {
        note(&mut words, text);
    }
    assert!(words.len() > 500 && words.values().filter(|word| word.is_none()).count() < 9);
    let slots = Slots::of("Deploys go through Jenkins");
    assert!(slots.may_share_a_topic("Deploying stops"));
    assert!(!slots.may_share_a_topic("Dredging is done"));
}

proptest! {
    #[test]
    fn topics_and_their_words(
        texts in prop::collection::vec(
            "(use|We are|\u{fc}bers|\u{fc}bersicht|`|@|the|K\u{212a}|/a|\u{2014}| ){1,6} (is|with|from|over|for|:|,| ){1,4}[a-z\u{dc}\u{e9}/.@0-9`\u{2019} -]{0,20}",
            1..9,
        ),
    ) {
        let mut words = BTreeMap::new();
        for text in &texts {
            note(&mut words, text);
        }
    }
}

#[test]
fn a_newer_value_is_told_from_another_thing() {
    let table = include_str!("../../../../fixtures/values.tsv");
    let mut wrong = Vec::new();
    let (mut found, mut all, mut taken, mut others) = (0, 0, 0, 0);
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [want, old, new] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let got = Slots::of(new).replaces(&Slots::of(old));
        match want {
            "replaced" => (found, all) = (found + i32::from(got), all + 1),
            "beside" => (taken, others) = (taken + i32::from(got), others + 1),
            _ => panic!("{line}"),
        }
        if got != (want == "replaced") {
            wrong.push(line);
        }
    }
    let wrong = wrong.join("\n");
    assert!((taken, others) == (0, 63) && found >= 64, "{found}/{all}, {taken}/{others}\n{wrong}");
}

//! Tests of the tables: every example of every row, and what is learned by them.

use proptest::prelude::*;

use super::*;
use crate::language::{
    pieces::piece,
    preference::{self, Hearing},
    sentence,
    words::words,
};

/// Returns the languages with the texts of their tables.
fn tables() -> impl Iterator<Item = (&'static Language, &'static str)> {
    ALL.iter().copied().zip(super::tables::TEXTS.iter().copied())
}

/// Returns the pattern of each row with its examples, and the sign before each.
fn examples(table: &'static str) -> Vec<(&'static str, Vec<(char, &'static str)>)> {
    let mut rows: Vec<(&str, Vec<(char, &str)>)> = Vec::new();
    for line in table.lines() {
        let sign = |mark, sign| line.strip_prefix(mark).map(|text| (sign, text));
        if let Some(example) = sign("  + ", '+').or_else(|| sign("  - ", '-')) {
            rows.last_mut().expect("a row").1.push(example);
        } else if let Some((_, pattern)) =
            line.split_once(": ").filter(|_| !line.starts_with(['#', ' ']))
        {
            rows.push((pattern.trim(), Vec::new()));
        }
    }
    rows
}

#[test]
fn every_row_does_what_its_examples_say() {
    let mut wrong = String::new();
    for (language, table) in tables() {
        let rows = examples(table);
        assert_eq!(rows.len(), language.rows.len());
        for (row, (pattern, examples)) in language.rows.iter().zip(rows) {
            assert_eq!(row.wording, pattern);
            let signs: Vec<char> = examples.iter().map(|(sign, _)| *sign).collect();
            if !signs.contains(&'+') || !signs.contains(&'-') {
                wrong.push_str(&format!("{pattern}\n  has no example of each\n"));
            }
            for (sign, text) in examples {
                let found = sentence::sentences(text).iter().any(|sentence| {
                    let words = words(&sentence.masked);
                    let reading = SentenceReading::new(sentence, &words);
                    if row.strength == CueStrength::Mention {
                        return reading.mentions(false).contains(&(row.family, row.wording));
                    }
                    let reader = Reader::new(language, reading.line(language), false);
                    reader.is_some_and(|reader| reader.cue(row).is_some())
                });
                if found != (sign == '+') {
                    wrong.push_str(&format!("{pattern}\n  {sign} {text}\n"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Every row must be found by the words that it is filed under.
#[test]
fn every_row_is_found_by_its_words() {
    for (language, table) in tables() {
        let rows = language.rows.iter().zip(examples(table));
        for (row, (_, examples)) in rows.filter(|(row, _)| row.strength != CueStrength::Mention) {
            for (_, text) in examples.iter().filter(|(sign, _)| *sign == '+') {
                let sentences = sentence::sentences(text);
                let found = sentences.iter().any(|sentence| {
                    let words = words(&sentence.masked);
                    SentenceReading::new(sentence, &words).noted(false).is_some()
                });
                assert!(found, "{}: {text}", row.wording);
            }
        }
    }
}

/// What is learned of a table: how much of what is to be kept, and how much of what is learned
/// ought to be.
fn measured(table: &str, language: &str) -> (f64, f64) {
    let (mut kept, mut hits, mut alarms) = (0.0, 0.0, 0.0);
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let row: Vec<&str> = line.split('\t').collect();
        let [of, kind, want, message] = row.try_into().expect("three tabs");
        if of != language {
            continue;
        }
        let mut found = preference::find_heard(&message.replace('⏎', "\n"), Hearing::Prompt);
        // What is passed on from others is not taken for the user's word.
        found.retain(|one| one.waits != Some(crate::language::pasted::RELAYED));
        let want = want.to_lowercase();
        let same = |text: &str| text.contains(&want) || want.contains(text);
        let hit = kind != "-" && found.iter().any(|found| same(&found.text.to_lowercase()));
        kept += f64::from(u8::from(kind != "-"));
        hits += f64::from(u8::from(hit));
        // What only may be a fact of the project is asked about, and not taken.
        found.retain(|one| one.waits != Some(preference::DECLARED));
        alarms += f64::from(u8::from(!hit && !found.is_empty()));
    }
    (hits / kept, hits / (hits + alarms))
}

/// `held.tsv` was written before the rules, and its failures were not looked at; the rules were
/// adjusted with `dev.tsv`.
#[test]
fn what_people_type_is_told_from_tasks() {
    let held = include_str!("../../../../../fixtures/cues/held.tsv");
    let dev = include_str!("../../../../../fixtures/cues/dev.tsv");
    for (table, sure, least) in [(held, 0.95, [0.8, 0.8, 0.6, 0.6]), (dev, 0.97, [0.9; 4])] {
        for (language, least) in ["en", "de", "fr", "es"].into_iter().zip(least) {
            let (recall, precision) = measured(table, language);
            assert!(
                recall >= least && precision >= sure,
                "{language}: {recall:.2}, {precision:.2}"
            );
        }
    }
}

fn learned(message: &str) -> Vec<String> {
    preference::find_heard(message, Hearing::Prompt).into_iter().map(|found| found.text).collect()
}

#[test]
fn umlauts_may_be_spelled_otherwise() {
    for text in ["für neue Endpunkte immer Tests hinzufügen", "Künftig bitte kürzere Antworten"]
    {
        let others = [[("ü", "ue")], [("ü", "u")], [("für", "für")]];
        for pairs in others {
            let text =
                pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
            assert_eq!(learned(&text).len(), 1, "{text}");
            assert_eq!(learned(&text.to_uppercase()).len(), 1, "{text}");
        }
    }
}

#[test]
fn messages_of_several_sentences() {
    for (message, want) in [
        (
            "Danke! Bitte nie direkt auf main pushen. And stop adding comments, please.",
            &["Bitte nie direkt auf main pushen", "stop adding comments, please"][..],
        ),
        (
            "🎉 super, aber bitte nie wieder ohne Review mergen 🙏",
            &["super, aber bitte nie wieder ohne Review mergen 🙏"],
        ),
        ("That's wrong. The worker reads from SQS.", &["The worker reads from SQS"]),
        (
            "nein, bei uns heißen Branches nach dem Ticket",
            &["bei uns heißen Branches nach dem Ticket"],
        ),
        // What a program never does is a bug.
        ("the callback is never called", &[]),
        ("der Callback wird nie aufgerufen", &[]),
        ("render is never called directly", &["render is never called directly"]),
        // What points back stays with what it points at.
        (
            "the gateway is called heron; never restart it at noon",
            &["the gateway is called heron; never restart it at noon"],
        ),
        // A weak statement gives the reason of a plain one.
        (
            "I hate long functions. Never write more than 40 lines.",
            &["Never write more than 40 lines"],
        ),
        ("I hate long functions in tests.", &["I hate long functions in tests"]),
        // What may be of a task counts where none is named.
        ("Log lines must be JSON.", &["Log lines must be JSON"]),
        ("Write a scraper for the job board. Log lines must be JSON.", &[]),
        ("Order numbers start with two letters.", &["Order numbers start with two letters"]),
        ("Write a regex for me. Order numbers start with two letters.", &[]),
        ("Order numbers start with two letters, strip them.", &[]),
        // What is long was not typed.
        (&"We use pnpm here. Fix the build of the web client first. ".repeat(12), &[]),
        (
            "We use pnpm here.\n\nWe squash merges here.",
            &["We use pnpm here", "We squash merges here"],
        ),
    ] {
        assert_eq!(learned(message), want, "{message}");
    }
}

const PHRASES: &[&str] = &[
    "never ",
    "immer ",
    "bitte ",
    "please ",
    "we use ",
    "wir nutzen ",
    "X ",
    "nicht ",
    ", not ",
    "zu fragen",
    "that's wrong",
    "merk dir ",
    "in this repo ",
    "bei uns ",
    "ab jetzt ",
    "no ",
    "ß",
    "ue",
    "tests ",
];

proptest! {
    #[test]
    fn any_text_is_read(pieces in prop::collection::vec(piece(PHRASES), 0..40)) {
        let text = pieces.concat();
        for sentence in sentence::sentences(&text) {
            let words = words(&sentence.masked);
            let reading = SentenceReading::new(&sentence, &words);
            if let Some(cue) = reading.cue(true) {
                prop_assert!(cue.clause <= words.len() && cue.end <= words.len());
            }
        }
        drop(preference::find_heard(&text, Hearing::Prompt));
    }
}

/// No wording makes the matcher try too often.
#[test]
fn odd_sentences_take_no_time() {
    for piece in
        ["nie ohne ", "we use use ", ", not ", "bitte immer ", "please, ", "every test must "]
    {
        for sentence in sentence::sentences(&piece.repeat(60 / piece.split(' ').count().max(1))) {
            let words = words(&sentence.masked);
            SentenceReading::new(&sentence, &words).cue(false);
        }
        assert!(
            preference::find_heard(&piece.repeat(200_000 / piece.len()), Hearing::Prompt).len()
                <= preference::MOST
        );
    }
}

#[test]
fn what_is_typed_beside_something_does_not_wait() {
    let table = include_str!("../../../../../fixtures/cues/typed.tsv");
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (_, message) = line.split_once('\t').expect("a tab");
        let found = preference::find_heard(message, Hearing::Prompt);
        assert!(!found.is_empty(), "{message}");
        assert!(found.iter().all(|found| found.waits.is_none()), "{message}: {found:?}");
    }
}

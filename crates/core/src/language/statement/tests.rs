//! Tests with a table of statements, and properties of any text.

use proptest::prelude::*;

use super::*;
use crate::language::pieces::piece;

/// A row of the table: the expected statements, the author, and the message.
struct Case {
    want: Vec<(String, String)>,
    who: Who,
    message: String,
}

fn table() -> Vec<Case> {
    let table = include_str!("../../../../../fixtures/statements.tsv");
    let lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let case = |line: &str| {
        let [kind, who, text, message] =
            line.splitn(4, '\t').collect::<Vec<_>>().try_into().expect("three tabs");
        let kinds = kind.split('|').map(str::to_owned);
        let want = kinds.zip(text.split(" | ").map(str::to_owned));
        let who = match who {
            "user" => Who::User,
            "agent" => Who::Agent,
            "log" => Who::Log,
            other => panic!("{other}"),
        };
        let message = message.replace("⏎", "\n").replace('⇥', "\t");
        Case { want: want.filter(|(kind, _)| kind != "-").collect(), who, message }
    };
    lines.map(case).collect()
}

fn found(who: Who, message: &str) -> Vec<(String, String)> {
    let FoundStatement { statements, sentences, .. } = find(who, message);
    let kind = |found: &Statement| {
        format!("{}{}", found.kind.category(), if found.again { "+" } else { "" })
    };
    let statements = statements.into_iter().map(|found| (kind(&found), found.text));
    statements.chain(sentences.into_iter().map(|text| ("said".to_owned(), text))).collect()
}

#[test]
fn the_table() {
    let (mut wrong, mut hits, mut misses) = (String::new(), 0, 0);
    for Case { want, who, message } in table() {
        let got = found(who, &message);
        *(if want.is_empty() { &mut misses } else { &mut hits }) += 1;
        if got != want {
            wrong.push_str(&format!("{who:?}: {message:?}\n  want {want:?}\n  got  {got:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(hits >= 80 && misses >= 160, "{hits} and {misses}");
}

#[test]
fn only_the_one_whose_word_counts_is_heard() {
    for Case { want, who, message } in table() {
        let kinds = want.iter().map(|(kind, _)| kind.trim_end_matches('+'));
        for kind in kinds {
            let (agent, user) = (found(Who::Agent, &message), found(Who::User, &message));
            let has = |all: &[(String, String)]| all.iter().any(|(found, _)| found == kind);
            match (who, kind) {
                (Who::User, _) => assert!(!has(&agent), "an agent says {message}"),
                (Who::Agent, "done") => assert!(!has(&user), "a user says {message}"),
                _ => {}
            }
        }
    }
}

fn is_short(FoundStatement { statements, sentences, .. }: &FoundStatement) {
    assert!(statements.len() + sentences.len() <= MOST + 1);
    for text in statements.iter().map(|found| &found.text).chain(sentences) {
        let chars = text.chars().count();
        assert!((LEAST..=CHARS).contains(&chars), "{text}");
        assert!(!text.contains(char::is_control) && text.trim() == text, "{text:?}");
    }
}

#[test]
fn whatever_is_found_is_short() {
    for Case { message, .. } in table() {
        let long = format!("{message} and berths ").repeat(9);
        for text in [message.to_uppercase(), long.clone(), long.replace(' ', "\n")] {
            for who in [Who::User, Who::Agent, Who::Log] {
                is_short(&find(who, &text));
            }
        }
    }
    let long = format!("Fixed the race between prune and write {}", "in every berth ".repeat(20));
    let mistake = find(Who::Agent, &long).statements.pop().unwrap();
    assert!(mistake.text.ends_with(AGAIN) && mistake.text.chars().count() > 90, "{}", mistake.text);
}

#[test]
fn secrets_and_private_spans_are_not_heard() {
    let address = ["postgres://harbor:", "neap-and-spring", "@db/harbor"].concat();
    let token = ["gh", "p_", "x7Kd02LmQ9vTz4Rb8YwNc1Hs5Jf3Ga6EuPiO"].concat();
    for secret in [address.as_str(), token.as_str()] {
        for message in [
            format!("In this project we use {secret} for the tests"),
            format!("no, that's wrong, the tests need {secret} to run"),
            format!("We decided to use {secret} for the tests"),
            format!("run the tests with {secret} in the environment"),
            format!("Fixed the connection to {secret} in the tests"),
            format!("decision: {} {secret}", "very long and ".repeat(8)),
            format!("From now on use {secret} for the tests"),
        ] {
            for who in [Who::User, Who::Agent, Who::Log] {
                let got = format!("{:?}", find(who, &message));
                assert!(!got.contains("neap") && !got.contains("x7Kd"), "{got}");
                assert!(!got.contains("redacted"), "{got}");
            }
        }
    }
    let private = "<private>We decided to buy the vendor\n</private>We decided to sell the boats";
    let got = found(Who::User, private);
    assert_eq!(got, [("decision".to_owned(), "Decided to sell the boats".to_owned())]);
    for who in [Who::User, Who::Agent, Who::Log] {
        assert_eq!(
            found(who, "<private>We decided to buy the vendor. Fixed the race in prune"),
            []
        );
    }
}

#[test]
fn marks_of_bold_print_go_and_patterns_stay() {
    for (text, want) in [
        ("**Fixed** the race", "Fixed the race"),
        ("the **race**, as planned", "the race, as planned"),
        ("src/**/*.rs and **/*.md", "src/**/*.rs and **/*.md"),
        ("2 ** 3", "2 ** 3"),
        ("a**", "a"),
        ("", ""),
    ] {
        assert_eq!(unmarked(text), want);
    }
}

#[test]
fn verbs_are_sorted() {}

proptest! {
    #[test]
    fn any_text_is_read(words in prop::collection::vec(piece(PHRASES), 0..30)) {
        for who in [Who::User, Who::Agent, Who::Log] {
            is_short(&find(who, &words.concat()));
        }
    }
}

/// Phrases of the rules.
const PHRASES: &[&str] = &[
    "no, ",
    "that's wrong",
    "actually ",
    "not ",
    "you should have ",
    "used ",
    "in this project ",
    "we ",
    "always ",
    "never ",
    "use ",
    "let's go with ",
    "decided to ",
    "chose ",
    "over ",
    "you forgot to ",
    "again",
    "Fixed ",
    "I've added ",
    "the fix was ",
    "Done: ",
    "decision: ",
    "run the tests with ",
    "the tests need ",
];

#[test]
fn megabytes_take_no_time() {
    for piece in [
        "Fixed the race in prune. ",
        "Fixed ",
        "I've ",
        "In this project we always use ",
        "no, that's wrong, ",
        "you forgot to ",
        "let's go with a, ",
        "run the tests with just, ",
        "**",
        "`",
        "\n",
        "a\n\n",
        "<private>",
    ] {
        for who in [Who::User, Who::Agent, Who::Log] {
            is_short(&find(who, &piece.repeat(2_000_000 / piece.len())));
        }
    }
}

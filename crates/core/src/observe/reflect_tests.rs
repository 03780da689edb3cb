//! Tests of condensing: tables, the fixture, and properties of any file.

use proptest::prelude::*;

use super::*;

const LONG: &str = include_str!("../../../../fixtures/observations/long.md");

fn day(text: &str) -> Date {
    Date::parse(text).unwrap()
}

fn both(text: &str, today: &str) -> [String; 2] {
    [ReflectMode::Normal, ReflectMode::Aggressive].map(|mode| reflect(text, day(today), mode))
}

#[test]
fn what_fades() {
    let text = "Date: 2026-06-20\n- [i] 09:00 Read src/a.rs\n- [?] 09:01 User asked: why?\n\
        - [!] 09:02 Decision: tides are computed\n  - [!] 09:03 Agent: Added `tide`\n  - [i] 09:04 Files: a.rs\n\
        - [i] 09:05 User looked at the log\n  - [!] 09:06 The pool leaks\n\n\
        Date: 2026-06-27\n- [?] 10:00 User asked: which?\n- [i] 10:01 Read src/b.rs\n\n\
        Date: 2026-06-28\n- [i] 10:00 Read src/c.rs\n- [!] 10:01 Keep all four\n  - [i] 10:02 Files: c.rs\n\n\
        Date: 2026-06-30\n- [i] 11:00 Read src/d.rs\n";
    let [normal, aggressive] = both(text, "2026-06-30");
    assert_eq!(
        normal,
        "Date: 2026-06-20\n- [!] 09:02 Decision: tides are computed; Agent: Added `tide`\n\
         - [!] 09:05 User looked at the log; The pool leaks\n\n\
         Date: 2026-06-27\n- [?] 10:00 User asked: which?\n\n\
         Date: 2026-06-28\n- [i] 10:00 Read src/c.rs\n- [!] 10:01 Keep all four\n  - [i] 10:02 Files: c.rs\n\n\
         Date: 2026-06-30\n- [i] 11:00 Read src/d.rs\n"
    );
    assert_eq!(
        aggressive,
        "Date: 2026-06-20\n- [!] 09:02 Decision: tides are computed; Agent: Added `tide`\n\
         - [!] 09:05 User looked at the log; The pool leaks\n\n\
         Date: 2026-06-28\n- [!] 10:01 Keep all four\n\nDate: 2026-06-30\n- [i] 11:00 Read src/d.rs\n"
    );
}

#[test]
fn what_is_said_again_and_what_is_replaced() {
    let text = "Date: 2026-06-20\n- [!] 09:00 Rehearse every migration\n- [!] 09:01 Decision: the store is SQLite\n\
        - [?] 09:02 Staging has two replicas\n\nDate: 2026-06-21\n- [i] 09:00 Staging has two replicas.\n\
        - [!] 09:01 Decision: the store is Postgres\n- [!] 09:02 Do not rehearse every migration\n\n\
        Date: 2026-06-29\n- [!] 09:00 Rehearse every migration.\n- [!] 09:01 Rehearse every migration\n";
    let want = "Date: 2026-06-21\n- [!] 09:01 Decision: the store is Postgres\n\
        - [!] 09:02 Do not rehearse every migration\n\nDate: 2026-06-29\n\
        - [!] 09:00 Rehearse every migration.\n- [!] 09:01 Rehearse every migration\n";
    // The newest day counts as today, and nothing important of its last two days is lost.
    assert_eq!(both(text, "2026-06-21"), [want, want]);
    // The remaining item takes the importance of the removed one.
    let text = "Date: 2026-06-26\n- [!] 09:00 The limit is 5\n\nDate: 2026-06-30\n- [i] 09:00 The limit is now 6\n";
    let want = "Date: 2026-06-30\n- [!] 09:00 The limit is now 6\n";
    assert_eq!(both(text, "2026-06-30"), [want, want]);
}

#[test]
fn a_clock_that_jumped_back() {
    let text =
        "Date: 2026-06-20\n- [i] 09:00 Read src/a.rs\n\nDate: 2026-06-30\n- [!] 09:00 Keep it\n";
    let want = "Date: 2026-06-30\n- [!] 09:00 Keep it\n";
    assert_eq!(both(text, "2026-06-19"), [want, want]);
    let unsorted = "Date: 2026-06-30\n- [!] 09:00 c\n\nDate: 2026-06-29\n- [!] 09:00 b\n\nDate: 2026-06-30\n- [i] 10:00 d\n";
    let sorted =
        "Date: 2026-06-29\n- [!] 09:00 b\n\nDate: 2026-06-30\n- [!] 09:00 c\n- [i] 10:00 d\n";
    assert_eq!(both(unsorted, "2026-06-30"), [sorted, sorted]);
}

#[test]
fn what_is_not_known_stays() {
    let text = "# Berths\n- [i] before any date\n\nDate: 2026-01-10\n<!-- mine -->\n- [x] strange\nA paragraph\n";
    assert_eq!(both(text, "2026-06-30"), [text, text]);
}

#[test]
fn the_fixture_is_halved() {
    let before = Tokens::of(LONG);
    assert!((38_000..=42_000).contains(&before.0), "{before}");
    let today = day("2026-06-30");
    let [normal, aggressive] = both(LONG, "2026-06-30").map(|text| Tokens::of(&text));
    assert!(aggressive.0 * 2 <= before.0, "{before} became {aggressive}");
    assert!(aggressive < normal && normal < before, "{normal}");
    for after in both(LONG, "2026-06-30") {
        let [before, after] = [LONG, &after].map(Observations::parse);
        let kept = kept_word_for_word(&before, today);
        assert!(kept.len() > 20, "{}", kept.len());
        assert_eq!(kept, kept_word_for_word(&after, today));
    }
    for mode in [ReflectMode::Normal, ReflectMode::Aggressive] {
        let once = reflect(LONG, today, mode);
        assert_eq!(reflect(&once, today, mode), once, "{mode:?}");
    }
}

fn file() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "Date: 2026-06-20",
        "Date: 2026-06-25",
        "Date: 2026-06-27",
        "Date: 2026-06-28",
        "Date: 2026-06-30",
        "Date: soon",
        "- [!] 09:00 Rehearse every migration",
        "- [?] 09:00 Rehearse every migration.",
        "- [i] 10:00 The limit is 5",
        "- [!] The limit is now 6",
        "- [i] 10:00 Read `a.rs`",
        "- [?] 11:00 Why?",
        "  - [!] 12:00 Added `a`",
        "  - [i] Files: a.rs",
        "  - [?] Which one",
        "  more",
        "<!-- a",
        "-->",
        "text",
        "",
        "- [!] The limit is 5; Added `a`",
        "- [!] 13:00 A long line of many words that goes on and on, far beyond what a line of an old day may \
         have when there is too much of everything and something has to be given up for the rest to stay",
    ]);
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn what_always_holds(text in file(), now in 20..32_u8, aggressive: bool) {
        let mode = if aggressive { ReflectMode::Aggressive } else { ReflectMode::Normal };
        let today = day(&if now <= 30 { format!("2026-06-{now}") } else { "2026-07-03".to_owned() });
        let after = reflect(&text, today, mode);
        prop_assert!(after.chars().count() <= text.chars().count());
        prop_assert_eq!(&reflect(&after, today, mode), &after, "the same again");
        let [was, is] = [&text, &after].map(|text| Observations::parse(text));
        let words = |document| {
            let kept = kept_word_for_word(document, today);
            kept.into_iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let kept = words(&is);
        for note in words(&was) {
            prop_assert!(kept.contains(&note), "{note} is lost of {text}: {after}");
        }
        let others = |document: &Observations| {
            let lines = document.days.iter().flat_map(|day| &day.lines);
            lines.filter(|line| matches!(line, ObservedLine::Other(_))).count()
        };
        prop_assert_eq!(others(&was), others(&is));
    }
}

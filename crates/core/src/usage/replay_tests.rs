//! Tests of the replay with made-up sessions.

use super::*;
use crate::{model::time::Timestamp, usage::record::Injected};

fn id(n: u64) -> EntryId {
    EntryId(n)
}

fn hit(n: u64, score: f64) -> Hit {
    Hit { id: id(n), score, tokens: 10, like: Vec::new() }
}

fn prompt(number: usize, given: &[u64], used: &[u64]) -> Step {
    let ids = |all: &[u64]| all.iter().copied().map(EntryId).collect();
    Step::Prompt { number, given: ids(given), used: ids(used) }
}

fn at(min_score: f64, limit: usize) -> Setting {
    Setting { min_score, limit }
}

fn counts(outcome: Outcome) -> (usize, usize, usize) {
    (outcome.injected, outcome.kept, outcome.used)
}

/// Two prompts about the same subject in a session that began with a report.
fn example() -> (Recorded, Vec<Answer>) {
    let steps = vec![
        Step::Start(vec![id(1)]),
        prompt(0, &[2, 3], &[2]),
        Step::Shown(vec![id(5)]),
        prompt(1, &[4], &[4]),
    ];
    let answer = |hits: &[(u64, f64)]| Answer {
        hits: hits.iter().map(|(n, score)| hit(*n, *score)).collect(),
    };
    let answers = vec![
        answer(&[(1, 0.9), (2, 0.7), (3, 0.5), (4, 0.3)]),
        answer(&[(2, 0.8), (5, 0.7), (4, 0.6), (6, 0.5)]),
    ];
    let recorded = Recorded { sessions: vec![steps], prompts: vec!["p".to_owned(); 2], gone: 0 };
    (recorded, answers)
}

#[test]
fn what_was_used_belongs_to_the_prompt_before_it() {
    let ids = |all: &[u64]| all.iter().map(|n| EntryId(*n).to_string()).collect::<Vec<_>>();
    let give = |event: &str, prompt: &str, all: &[u64]| What::Injection {
        event: event.to_owned(),
        prompt: prompt.to_owned(),
        entries: all.iter().map(|n| Injected::new(EntryId(*n), "t", None)).collect(),
    };
    let seen = |all: &[u64], used: &[u64]| What::usage(ids(all), ids(used));
    let steps = [
        ("a", give("session-start", "", &[1])),
        ("a", give("prompt", "first", &[2, 3])),
        ("b", give("pre-invocation", "of b", &[2])),
        ("a", seen(&[1, 2, 3], &[1, 3])),
        ("a", give("post-tool", "", &[4])),
        ("a", give("prompt", "second", &[5, 9])),
        ("a", seen(&[1, 2, 3, 5, 9], &[1, 3, 5, 9])),
        ("a", give("prompt", "third", &[6])),
    ];
    let mut log = Log::default();
    for ((session, what), minute) in steps.into_iter().zip(0..) {
        let at = Timestamp(minute * 60_000);
        let session = Some(session.to_owned());
        let record = Record { ts: at.to_string(), agent: "pi".to_owned(), session, what };
        log.records.push((at, record));
    }
    let recorded = Recorded::new(&log, |id| id != EntryId(9));
    assert_eq!(recorded.prompts, ["third", "second", "of b", "first"]);
    let of_a = vec![
        Step::Start(vec![id(1)]),
        prompt(3, &[2, 3], &[3]),
        Step::Shown(vec![id(4)]),
        prompt(1, &[5, 9], &[5]),
        prompt(0, &[6], &[]),
    ];
    assert_eq!(recorded.sessions, [of_a, vec![prompt(2, &[2], &[])]]);
    assert_eq!((recorded.used(), recorded.gone), (2, 1));
}

#[test]
fn an_entry_is_given_once_a_session() {
    let (recorded, answers) = example();
    let outcome = |setting| counts(play(&recorded, &answers, setting));
    assert_eq!(outcome(at(0.5, 5)), (4, 2, 2), "2 and 3, then 4 and 6");
    assert_eq!(outcome(at(0.55, 5)), (2, 2, 2));
    assert_eq!(outcome(at(0.65, 5)), (1, 1, 2));
    assert_eq!(outcome(at(0.5, 1)), (2, 2, 2), "what is known takes no place");
    assert_eq!(outcome(at(0.2, 5)), (4, 2, 2), "4 came early, and is still there");
    assert_eq!(outcome(at(0.0, 0)), (0, 0, 2));
    assert_eq!(choose(&recorded, &answers), Some(at(0.6, 1)));
}

#[test]
fn a_new_context_forgets() {
    let (mut recorded, answers) = example();
    recorded.sessions[0].insert(2, Step::Start(vec![id(4)]));
    let outcome = play(&recorded, &answers, at(0.6, 5));
    assert_eq!(counts(outcome), (3, 2, 2), "2 again, and 4 was given, so it was not there");
}

#[test]
fn one_of_those_alike_is_given() {
    let (recorded, mut answers) = example();
    answers[1].hits[2].like = vec![0];
    let outcome = play(&recorded, &answers, at(0.5, 5));
    assert_eq!(counts(outcome), (4, 2, 2), "2 was given in the prompt before, not in this one");
    answers[0].hits[2].like = vec![1];
    assert_eq!(counts(play(&recorded, &answers, at(0.5, 5))), (3, 2, 2));
}

#[test]
fn nothing_is_chosen_that_loses_too_much() {
    let (recorded, mut answers) = example();
    answers[1].hits.remove(2);
    assert_eq!(choose(&recorded, &answers), Some(at(0.3, 3)), "from the first prompt");
    answers[0].hits.remove(3);
    assert_eq!(choose(&recorded, &answers), None);
}

#[test]
fn few_say_little() {
    let outcome = |kept, used| Outcome { setting: at(0.5, 5), injected: 0, tokens: 0, kept, used };
    for (kept, used, low, high) in
        [(39, 41, 0.8386, 0.9865), (390, 410, 0.9261, 0.9682), (30, 30, 0.8865, 1.0)]
    {
        let (from, to) = outcome(kept, used).kept_range();
        assert!((from - low).abs() < 1e-3 && (to - high).abs() < 1e-3, "{from} {to}");
    }
    assert!(outcome(0, 0).kept_range().0 < 1e-9);
}

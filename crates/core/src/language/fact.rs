//! What a person tells of a project without any cue: facts (`our local Postgres listens on 5433`), and
//! decisions as news (`the team moved to pnpm last week`).
//!
//! A sentence counts if it gives a value to a subject, in the present, about no moment, no person and no
//! fault. Whether it stays true only the person knows, unless it speaks for the project.

use super::{
    lexicon::fact::{
        ALWAYS, ASKING, DECIDED, DECIDING, FAULTY, FINITE, HISTORY, HOLDING, MOVED, NARROWING,
        OURS, PASSING, PAST, PERSONS, PLEDGE, PLURAL, POINTING, TEAM, USE, WANTING, WHITHER,
    },
    paraphrase::words::{self as paraphrased, List},
    sentence::Sentence,
    slot::Slots,
    words::Word,
};

/// Words of a sentence.
const SHORTEST: usize = 3;
const LONGEST: usize = 22;
/// Words by which something of the moment is named.
const VAGUE: [&str; 6] = ["the", "a", "an", "next", "another", "phase"];

/// What a sentence tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToldFact {
    /// It speaks for the project.
    Sure,
    /// It may be of the moment.
    Likely,
}

/// Returns what a sentence tells of a project, if it tells anything.
pub(super) fn told(sentence: &Sentence, words: &[Word]) -> Option<ToldFact> {
    let has = |list: &super::lexicon::Words| words.iter().any(|word| list.contains(&word.text));
    if sentence.asked || !(SHORTEST..=LONGEST).contains(&words.len()) {
        return None;
    }
    if has(&FAULTY) && !is_lesson(words) {
        return None;
    }
    if is_lesson(words) || is_news(words) || is_pledge(words) {
        return Some(ToldFact::Sure);
    }
    if has(&PERSONS)
        || has(&POINTING)
        || has(&PAST)
        || sentence.text.contains('/') && !is_ours(words)
    {
        return None;
    }
    let is_short = words.len() <= 7 && words.iter().skip(1).all(|word| !word.apart);
    let holds = || is_short && has(&ALWAYS) || Slots::of(&sentence.text).gives_a_value();
    (is_told(words) && holds())
        .then(|| if is_ours(words) { ToldFact::Sure } else { ToldFact::Likely })
}

/// Returns true for a sentence that speaks of no single thing: `Queue names are prefixed`, `Our images are
/// based on distroless`, `No mocks for the database`. Some of them are of the moment all the same.
pub(super) fn is_general(sentence: &Sentence, words: &[Word]) -> bool {
    let has = |list: &super::lexicon::Words| words.iter().any(|word| list.contains(&word.text));
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    if sentence.asked || !(4..=LONGEST + 2).contains(&words.len()) || has(&PASSING) {
        return false;
    }
    let first = text(0);
    let is_plural = |at: usize| {
        let word = text(at);
        word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.contains('\'')
    };
    let holds = |at: usize| HOLDING.contains(text(at)) || FINITE.contains(text(at));
    let acts = |at: usize| PLURAL.contains(text(at)) || HOLDING.contains(text(at));
    let near = |from: usize| (from..from + 4).any(|at| holds(at) || acts(at));
    let is_apart = |at: usize| words.get(at).is_some_and(|word| word.apart);
    let forbids = first == "don't" || first == "do" && text(1) == "not";
    let follows = words.iter().enumerate().any(|(at, word)| {
        let order = text(at + 1);
        word.text == "so" && (order == "no" || paraphrased::is(List::Imperative, order))
    });
    let places = ["crate", "repo", "repository", "project", "codebase", "package", "module"];
    let is_of_project = || {
        (2..words.len()).any(|at| {
            places.contains(&text(at))
                && text(at - 1) == "this"
                && ["in", "of", "across"].contains(&text(at - 2))
        })
    };
    // `Error codes` are no errors.
    let is_faulty = (0..words.len())
        .any(|at| FAULTY.contains(text(at)) && !is_plural(at + 1) && text(at + 1) != "of");
    let is_ours = !has(&PERSONS) && (!has(&POINTING) || is_of_project());
    let is_told = is_ours && !is_faulty && !has(&PAST);
    let decides = |at: usize| !has(&PERSONS) && !is_faulty && DECIDING.contains(text(at));
    // `The tests` are those of the moment.
    let is_any = |at: usize| is_plural(at) && text(at - 1) != "the";
    let narrows = |at: usize| ["from", "outside", "without"].contains(&text(at));
    match first {
        "no" => is_told && !is_apart(1) && (2..5).any(|at| NARROWING.contains(text(at))),
        "nobody" => is_ours,
        "our" | "all" | "every" | "unsere" | "unser" => is_told && near(1),
        "we" | "wir" => is_ours && acts(1) && !WANTING.contains(text(1)) || decides(1),
        "let's" => text(1) == "agree",
        "for" | "when" => is_told && (1..4).any(is_plural) && (2..6).any(acts),
        "the" if follows => true,
        "the" => decides(2) || is_told && near(1) && is_obliged(words),
        "use" => is_of_project(),
        "it's" | "that's" => {
            let ends = sentence.text.trim_end_matches('.').ends_with('`') || is_of_project();
            text(1) == "not" && sentence.text.matches('`').count() == 4 && ends
        }
        _ if forbids => !has(&POINTING) && (2..8).any(|at| is_any(at) || narrows(at)),
        _ => is_told && (is_plural(0) || is_plural(1)) && !acts(0) && near(1),
    }
}

/// Returns true for `the importer must not be changed`.
fn is_obliged(words: &[Word]) -> bool {
    words.iter().any(|word| ["must", "muss", "müssen", "darf"].contains(&word.text.as_str()))
}

/// Returns true for `no, not npm test`.
pub(super) fn denies(words: &[Word]) -> bool {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let says_no = |at: usize| ["not", "nicht", "pas"].contains(&text(at));
    says_no(0) || ["no", "nope", "nein", "nee", "non"].contains(&text(0)) && says_no(1)
}

/// Returns true for what is named in place of something that was denied just before.
pub(super) fn is_instead(sentence: &Sentence, words: &[Word]) -> bool {
    let first = words.first().map_or("", |word| word.text.as_str());
    ["it's", "its", "that's", "es", "c'est"].contains(&first) && sentence.text.contains('`')
}

/// Returns true for a sentence about what is over.
pub(super) fn is_over(words: &[Word]) -> bool {
    words.iter().any(|word| HISTORY.contains(&word.text))
}

/// Returns true for `on utilise pnpm` and `nunca edites …`, in languages that have no table of cues.
fn is_pledge(words: &[Word]) -> bool {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let begins =
        |at: usize| USE.contains(text(at)) || (at..at + 3).any(|at| DECIDED.contains(text(at)));
    let led = ["on", "nous", "wir", "hemos", "nosotros"].contains(&text(0));
    let is_order = PLEDGE.contains(text(0)) || text(0).starts_with("n'");
    begins(usize::from(led)) && (led || text(0).ends_with("mos"))
        || is_order && words.iter().any(|word| ALWAYS.contains(&word.text))
}

/// Returns true for a sentence that tells something and neither orders nor heads it.
fn is_told(words: &[Word]) -> bool {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let is_order = PLURAL.contains(text(0))
        || paraphrased::is(List::Imperative, text(0))
        || paraphrased::is(List::Command, text(0));
    let is_headed = words.iter().take(2).any(|word| word.colon);
    // What comes behind may be the work that the fact is told for.
    let is_followed = words.iter().skip(1).any(|word| {
        word.apart && (PLURAL.contains(&word.text) || paraphrased::is(List::Imperative, &word.text))
    });
    let is_finite = |at: usize| {
        let before = text(at - 1);
        let plural = before.ends_with('s') && !before.contains('\'')
            || ["we", "nous", "wir"].contains(&before);
        FINITE.contains(text(at)) || plural && PLURAL.contains(text(at))
    };
    !is_order
        && !is_headed
        && !is_followed
        && !ASKING.contains(text(0))
        && (1..words.len()).any(is_finite)
}

fn is_ours(words: &[Word]) -> bool {
    let first = words.first().map_or("", |word| word.text.as_str());
    OURS.contains(first) && first != "the"
}

/// Returns true for `lesson learned today: …`.
fn is_lesson(words: &[Word]) -> bool {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    ["lesson", "lessons"].contains(&text(0)) && ["learned", "learnt"].contains(&text(1))
}

/// Returns true if a sentence tells what those have decided who decide.
fn is_news(words: &[Word]) -> bool {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    (0..words.len()).any(|at| {
        let by = at.saturating_sub(4)..at;
        MOVED.contains(text(at))
            && WHITHER.contains(text(at + 1))
            && !POINTING.contains(text(at + 2))
            && !VAGUE.contains(&text(at + 2))
            && by.start == 0
            && by.clone().any(|before| TEAM.contains(text(before)))
            && !by.clone().any(|before| PERSONS.contains(text(before)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::preference;

    #[test]
    fn what_is_said_in_general() {
        for (text, want) in [
            ("Queue names are prefixed with the service", true),
            ("Our images are based on distroless", true),
            ("Our error messages never blame the user", true),
            ("No mocks for the database", true),
            ("We pin all actions by hash", true),
            ("We went with Svelte instead of React for the admin area", true),
            ("The importer must not be changed until the migration is over", true),
            ("The proxy drops long requests, so keep handlers short", true),
            ("Use the builder pattern in this crate", true),
            ("Don't write to stdout from library code", true),
            ("It's not `make test`, it's `just test`", true),
            ("When you are ready, start with the models", false),
            ("Tests fail on my machine", false),
            ("Results are in the attached file", false),
            ("No idea why this happens", false),
            ("We need a button in the header", false),
            ("We went with the wrong approach", false),
            ("The third column contains the totals", false),
            ("Use this crate for parsing", false),
            ("Don't rename the files", false),
            ("It's not `a`, it's `b` that is undefined", false),
            ("Are queue names prefixed with the service?", false),
        ] {
            let sentence = super::super::sentence::sentences(text).remove(0);
            let words = preference::cue::words(&sentence.masked);
            assert_eq!(is_general(&sentence, &words), want, "{text}");
        }
    }

    #[test]
    fn facts_and_news_are_told_from_work() {
        let table: [(&str, Option<ToldFact>); 32] = [
            ("Our local Postgres listens on 5433", Some(ToldFact::Sure)),
            ("the team moved to pnpm last week", Some(ToldFact::Sure)),
            ("We switched from Jest to Vitest in March", Some(ToldFact::Sure)),
            ("ops migrated to Kubernetes", Some(ToldFact::Sure)),
            ("we have finally moved off Heroku", Some(ToldFact::Sure)),
            ("staging runs on Fly.io", Some(ToldFact::Sure)),
            ("our API speaks JSON on port 8443", Some(ToldFact::Sure)),
            ("the admin panel listens on port 9000", Some(ToldFact::Likely)),
            ("CI uses Node 20", Some(ToldFact::Likely)),
            ("Deploys go through Argo CD", Some(ToldFact::Likely)),
            ("der Testserver hört auf 8081, nicht auf 8080", Some(ToldFact::Likely)),
            ("unsere Doku wird mit mdBook gebaut", Some(ToldFact::Sure)),
            // Work, faults, the past, the moment, persons.
            ("change the timeout to 30 seconds", None),
            ("the build fails on Node 20", None),
            ("we moved the button to the left", None),
            ("früher haben wir hier immer Maven benutzt", None),
            ("we used to deploy with Jenkins", None),
            ("I moved to Berlin last week", None),
            ("this page is in src/pages/home.tsx", None),
            ("the bug is in src/parser.rs", None),
            ("the test in parser.rs line 20 throws an error", None),
            ("does staging run on Fly.io?", None),
            ("if staging runs on Fly.io, use flyctl", None),
            ("my laptop runs on macOS 15", None),
            ("the button should be blue", None),
            ("add a field id to the user table", None),
            ("rename foo to bar in utils.ts", None),
            ("it is on port 8080 now", None),
            ("write a test for the parser", None),
            ("it takes 3 seconds to load", None),
            ("the header is 20 px too high", None),
            ("we moved to the next task", None),
        ];
        for (text, want) in table {
            let sentence = super::super::sentence::sentences(text).remove(0);
            let words = preference::cue::words(&sentence.masked);
            assert_eq!(told(&sentence, &words), want, "{text}");
        }
    }
}

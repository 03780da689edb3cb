//! Tests of the guard with a table of pairs, and with generated texts.

use proptest::prelude::*;

use super::*;

/// Pairs: the verdict, both texts, and the reason.
fn pairs() -> Vec<(bool, &'static str, &'static str, &'static str)> {
    let table = include_str!("../../../../../fixtures/duplicates.tsv");
    let row = |line: &'static str| {
        let [verdict, a, b, why] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}")
        };
        assert!(matches!(verdict, "same" | "different"), "{line}");
        (verdict == "same", a, b, why)
    };
    table.lines().map(row).collect()
}

fn same(a: &str, b: &str) -> bool {
    NormalForm::of(a).says_the_same(&NormalForm::of(b))
}

#[test]
fn table() {
    let pairs = pairs();
    let count = |want: bool| pairs.iter().filter(|pair| pair.0 == want).count();
    assert!(count(true) >= 60 && count(false) >= 150);
    let wrong: Vec<String> = pairs
        .iter()
        .flat_map(|(want, a, b, why)| [(want, a, b, why), (want, b, a, why)])
        .filter(|(want, a, b, _)| same(a, b) != **want)
        .map(|(want, a, b, why)| format!("same: {want}\t{a}\t{b}\t{why}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Short texts are rejected for lack of English words, so pairs are also tested inside longer
/// texts.
#[test]
fn what_differs_does_in_company_too() {
    for (_, a, b, why) in pairs().into_iter().filter(|pair| !pair.0) {
        for (lead, tail) in
            [("", "; this is what the team decided"), ("Note: ", ""), ("This is not new. ", "")]
        {
            let text = |inner: &str| format!("{lead}{inner}{tail}");
            assert!(!same(&text(a), &text(b)), "{} | {} ({why})", text(a), text(b));
        }
    }
}

#[test]
fn probes_miss_nothing() {
    for (want, a, b, _) in pairs() {
        for (a, b) in [(a, b), (b, a), (a, a)] {
            assert!(could_match(&Prefilter::of(a), b) || !same(a, b), "{want} {a} | {b}");
        }
    }
    for text in ["Use www for the redirect", "Never use papa", "Use aaa-aaa in a label"] {
        assert!(could_match(&Prefilter::of(text), text), "{text}");
    }
    assert!(!could_match(&Prefilter::of("Use PostgreSQL for reports"), "Use tabs for indentation"));
}

#[test]
fn one_other_digit_is_another_text() {
    for (_, a, b, _) in pairs() {
        for text in [a, b] {
            for (at, digit) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
                let other = if digit == '7' { "3" } else { "7" };
                let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
                assert!(!same(text, &changed), "{text} | {changed}");
            }
        }
    }
}

#[test]
fn nothing_moves_between_quotes() {
    for (a, b) in [("the", "a"), ("Tests", "tests"), ("don't", "do not"), ("tests", "test")] {
        for quote in ["`", "\"", "'"] {
            let text = |inner: &str| format!("Never use {quote}x {inner} y{quote} in the API");
            assert!(same(&text(a), &text(a)) && !same(&text(a), &text(b)), "{quote}{a}");
        }
    }
}

/// Generates a text of the table, and the same text with a word more, less, or moved.
fn neighbours() -> impl Strategy<Value = (String, String)> {
    let texts: Vec<&str> = pairs().into_iter().flat_map(|(_, a, b, _)| [a, b]).collect();
    let words: Vec<&str> = texts.iter().flat_map(|text| text.split_whitespace()).collect();
    let index = any::<prop::sample::Index>;
    let parts = (prop::sample::select(texts), prop::sample::select(words), 0..4, index(), index());
    parts.prop_map(|(text, word, how, from, to)| {
        let mut changed: Vec<&str> = text.split_whitespace().collect();
        if changed.is_empty() {
            return (text.to_owned(), word.to_owned());
        }
        let (from, to) = (from.index(changed.len()), to.index(changed.len()));
        match how {
            0 => changed.swap(from, to),
            1 => drop(changed.remove(from)),
            2 => changed.insert(from, word),
            _ => changed[from] = word,
        }
        (text.to_owned(), changed.join(" "))
    })
}

/// Returns the runs of digits, sorted because a clause may move.
fn digits(text: &str) -> Vec<&str> {
    let mut runs: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).collect();
    runs.retain(|run| !run.is_empty());
    runs.sort_unstable();
    runs
}

fn agree(a: &str, b: &str) -> Result<(), TestCaseError> {
    let (left, right) = (NormalForm::of(a), NormalForm::of(b));
    prop_assert!(left.says_the_same(&left) && could_match(&Prefilter::of(a), a), "{}", a);
    let same = left.says_the_same(&right);
    prop_assert_eq!(same, right.says_the_same(&left));
    if same {
        prop_assert_eq!(left.key(), right.key());
        prop_assert!(could_match(&Prefilter::of(a), b) && could_match(&Prefilter::of(b), a));
        let number = |word: &str| words::number(&word.to_ascii_lowercase()).is_some();
        let named = |text: &str| text.split(|c: char| !c.is_alphabetic()).any(number);
        prop_assert!(named(a) || named(b) || digits(a) == digits(b), "{} | {}", a, b);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]
    #[test]
    fn neighbours_agree((a, b) in neighbours()) {
        agree(&a, &b)?;
    }

    #[test]
    fn any_text_will_do(a in any::<String>(), b in any::<String>()) {
        agree(&a, &b)?;
    }

    #[test]
    fn prose_of_odd_characters(
        a in "(the |The |a |Use |never |not |\\(|`|\"|'|’|“|, |; |\\. |is |in |tests |[A-Za-z0-9 '-]){0,24}",
        b in "(the |a |Use |never |`|\"|'|, |is |tests |[0-9]){0,12}",
    ) {
        agree(&a, &b)?;
        agree(&a, &format!("{a}{b}"))?;
        agree(&a, &a.replace("the ", ""))?;
    }
}

//! Detects contradictions: two entries, one of which is the negation of the other, or which state
//! two values or orders of one thing.

use crate::{
    language::{
        alternatives::{MASK, StatedValue, reversed, values},
        paraphrase::{NormalForm, affirmations},
    },
    model::{
        hash::IdMap,
        shares::{MANY_LINES, in_shares},
    },
};

/// Maximum number of texts with equal hash that a text is compared with.
const RIVALS: usize = 64;

/// Normal forms of texts, indexed by hash, so that not all pairs are compared.
pub(crate) struct Outlines {
    outlines: Vec<NormalForm>,
    by_key: IdMap<u64, Vec<usize>>,
}

impl Outlines {
    pub(crate) fn of(texts: &[&str]) -> Self {
        let some = |texts: &[&str]| texts.iter().map(|text| NormalForm::of(text)).collect();
        let outlines: Vec<NormalForm> = in_shares(texts, MANY_LINES, some);
        let mut by_key: IdMap<u64, Vec<usize>> = IdMap::default();
        for (at, outline) in outlines.iter().enumerate() {
            by_key.entry(outline.key()).or_default().push(at);
        }
        Self { outlines, by_key }
    }

    /// Returns the indexes of the texts that say the same as `outline`, ascending.
    pub(crate) fn like<'a>(&'a self, outline: &'a NormalForm) -> impl Iterator<Item = usize> + 'a {
        let known = self.by_key.get(&outline.key()).into_iter().flatten().take(RIVALS);
        known.copied().filter(move |at| {
            self.outlines.get(*at).is_some_and(|other| other.says_the_same(outline))
        })
    }

    /// Returns the first text before `at` that says the same and for which `wanted` returns true.
    pub(crate) fn before(&self, at: usize, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let outline = self.outlines.get(at)?;
        self.like(outline).take_while(|other| *other < at).find(|other| wanted(*other))
    }

    /// Returns the texts that a text negates, or whose preference it reverses.
    pub(super) fn denied_by(&self, stated: &Statements) -> Vec<usize> {
        let mut found: Vec<usize> =
            stated.denied.iter().flat_map(|outline| self.like(outline)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The normal forms by which a text is compared with others that it may contradict.
pub(super) struct Statements {
    /// Normal forms of what it denies.
    denied: Vec<NormalForm>,
    /// Values, each with the normal form of the text without it.
    values: Vec<(NormalForm, String)>,
}

impl Statements {
    /// Returns what each text states; `outlines` are those of the same texts.
    pub(super) fn of_all(texts: &[&str], outlines: &Outlines) -> Vec<Self> {
        let read: Vec<(&str, &NormalForm)> =
            texts.iter().copied().zip(&outlines.outlines).collect();
        let sketched: Vec<Vec<SketchedValue>> = in_shares(&read, MANY_LINES, |texts| {
            texts.iter().map(|(text, outline)| SketchedValue::all_of(text, outline)).collect()
        });
        // A text whose sketch no other has cannot compete.
        let mut counts: IdMap<u64, usize> = IdMap::default();
        for value in sketched.iter().flatten() {
            *counts.entry(value.sketch).or_default() += 1;
        }
        let is_shared = |value: &&SketchedValue| counts.get(&value.sketch) > Some(&1);
        let read: Vec<(&str, &Vec<SketchedValue>)> = texts.iter().copied().zip(&sketched).collect();
        let of = |(text, values): &(&str, &Vec<SketchedValue>)| {
            let denied = affirmations(text).into_iter().chain(reversed(text));
            let masked = |value: &SketchedValue| {
                let number = value.stated.number.trim_start_matches('v').to_owned();
                (NormalForm::of(&value.stated.masked), number)
            };
            Self {
                denied: denied.map(|affirmed| NormalForm::of(&affirmed)).collect(),
                values: values.iter().filter(is_shared).map(masked).collect(),
            }
        };
        in_shares(&read, MANY_LINES, |texts| texts.iter().map(of).collect())
    }
}

/// A value with the sketch of the text without it, which takes much less than its normal form.
struct SketchedValue {
    stated: StatedValue,
    sketch: u64,
}

impl SketchedValue {
    fn all_of(text: &str, outline: &NormalForm) -> Vec<Self> {
        let sketched = |stated: StatedValue| {
            let other = outline.sketch_with(&stated.number, MASK);
            let sketch = other.unwrap_or_else(|| NormalForm::of(&stated.masked).sketch());
            Self { stated, sketch }
        };
        values(text).into_iter().map(sketched).collect()
    }
}

/// The values that texts state, by the normal form of the text without the value.
#[derive(Default)]
pub(super) struct StatedValues {
    stated: IdMap<u64, Vec<Stated>>,
}

/// A value with its text.
struct Stated {
    outline: NormalForm,
    value: String,
    at: usize,
}

impl StatedValues {
    /// Returns the texts before this one that state another value of the same thing, and notes the
    /// values of this one, whose number is `at`.
    pub(super) fn before(&mut self, at: usize, stated: Statements) -> Vec<usize> {
        let mut found = Vec::new();
        for (outline, value) in stated.values {
            let known = self.stated.entry(outline.key()).or_default();
            let differs = |one: &&Stated| {
                one.at != at && one.value != value && one.outline.says_the_same(&outline)
            };
            found.extend(known.iter().take(RIVALS).filter(differs).map(|one| one.at));
            known.push(Stated { outline, value, at });
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(texts: &[&str]) -> Vec<Statements> {
        Statements::of_all(texts, &Outlines::of(texts))
    }

    fn denies(a: &str, b: &str) -> bool {
        !Outlines::of(&[b]).denied_by(&stated(&[a])[0]).is_empty()
    }

    /// Returns true if each text states another value, or the reverse.
    fn compete(a: &str, b: &str) -> bool {
        let mut values = StatedValues::default();
        let mut before = (0..).zip(stated(&[a, b])).map(|(at, stated)| values.before(at, stated));
        before.any(|found| !found.is_empty()) || denies(a, b) && denies(b, a)
    }

    #[test]
    fn fixture() {
        let table = include_str!("../../../../fixtures/contradictions.tsv");
        let mut wrong = Vec::new();
        let mut counts = [0, 0];
        for line in table.lines() {
            let [verdict, a, b, why] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("four columns: {line}")
            };
            assert!(matches!(verdict, "contradict" | "compete" | "compatible"), "{line}");
            let want = verdict != "compatible";
            counts[usize::from(want)] += 1;
            // Of two texts only one is the negation; the table is read in both orders.
            for (a, b) in [(a, b), (b, a)] {
                let found = denies(a, b) || denies(b, a);
                if (found || compete(a, b)) != want {
                    wrong.push(format!("{verdict}\t{a}\t{b}\t{why}\t{:?}", affirmations(a)));
                }
            }
            assert_eq!(compete(a, b), verdict == "compete", "{line}");
            assert!(!denies(a, a) && !denies(b, b), "denies itself: {line}");
        }
        assert!(counts.iter().all(|count| *count >= 40), "{counts:?}");
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }

    /// The sketch of a masked text is known without reading it.
    #[test]
    fn sketches() {
        let table = include_str!("../../../../fixtures/contradictions.tsv");
        let texts = table.lines().flat_map(|line| line.split('\t').skip(1).take(2));
        let hard =
            ["Set eight of zero workers for Redis 8", "Port 0 and port 7", "Redis v2, not V2"];
        let (mut known, mut read) = (0, 0);
        for text in texts.chain(hard) {
            let outline = NormalForm::of(text);
            for value in values(text) {
                let sketch = NormalForm::of(&value.masked).sketch();
                let guess = outline.sketch_with(&value.number, MASK);
                assert!(guess.is_none_or(|guess| guess == sketch), "{text}: {}", value.number);
                *(if guess.is_some() { &mut known } else { &mut read }) += 1;
            }
        }
        assert!(known > 20 && read >= 2, "{known} {read}");
    }

    #[test]
    fn what_says_the_same_is_no_contradiction() {
        for line in include_str!("../../../../fixtures/duplicates.tsv").lines() {
            let [verdict, a, b, _] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("four columns: {line}")
            };
            let contradict = denies(a, b) || denies(b, a);
            assert!(verdict == "different" || !contradict, "{line}");
        }
    }
}

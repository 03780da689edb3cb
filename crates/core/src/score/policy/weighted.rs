//! The weighted policy: category × .50 + recency × .25 + provenance × .15 + access × .10.

use crate::model::{category::Traits, entry::Share, time::Age};

/// Days in which the recency of an entry halves.
const HALF_LIFE_DAYS: f64 = 30.0;
/// Weights of category, recency, provenance and access.
const WEIGHTS: [f64; 4] = [0.50, 0.25, 0.15, 0.10];
/// Tags that say where a memory comes from, and what each adds.
const PROVENANCE: [(&str, f64); 3] =
    [("#source:user", 0.20), ("#verified:true", 0.10), ("#source:discovered", 0.05)];
/// The tag of a memory that holds everywhere.
const GLOBAL: &str = "#scope:global";

/// What can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// False if entries are in chronological order instead of that of their scores.
    pub scoring: bool,
    /// False if recency is always 1.
    pub decay: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self { scoring: true, decay: true }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedParts {
    /// Time since the first add.
    pub age: Age,
    /// From 0 to 1, as the next three.
    pub category: f64,
    pub recency: f64,
    pub provenance: f64,
    pub access: f64,
    pub accesses: u64,
    /// Replaces the sum of the others.
    pub priority: Option<Share>,
}

impl WeightedParts {
    #[must_use]
    pub fn score(&self) -> f64 {
        let [category, recency, provenance, access] = WEIGHTS;
        self.priority.map_or_else(
            || {
                self.category * category
                    + self.recency * recency
                    + self.provenance * provenance
                    + self.access * access
            },
            Share::get,
        )
    }

    pub fn weighed(&self) -> impl Iterator<Item = (&'static str, f64, f64)> {
        let names = ["category", "recency", "provenance", "access"];
        let values = [self.category, self.recency, self.provenance, self.access];
        names
            .into_iter()
            .zip(values)
            .zip(WEIGHTS)
            .map(|((name, value), weight)| (name, value, weight))
    }
}

/// Returns the score of a category. `global` is true for a memory that holds in every project.
#[must_use]
pub fn category(of: Traits, global: bool) -> f64 {
    if global { of.weight_everywhere } else { of.weight }
}

/// Returns the recency of a memory of that age.
#[must_use]
pub fn recency(age: Age) -> f64 {
    (-age.days() / HALF_LIFE_DAYS).exp2()
}

/// Returns what the tags in a text say about its provenance.
#[must_use]
pub fn provenance(text: &str) -> f64 {
    let said = PROVENANCE.iter().filter(|(tag, _)| has_tag(text, tag));
    // `sum` of no floats would be -0.
    said.fold(0.0, |sum: f64, (_, boost)| sum + boost).min(1.0)
}

/// Returns the part of a score that accesses make.
#[must_use]
pub fn access(count: u64) -> f64 {
    (count as f64 + 1.0).log10().min(1.0)
}

/// Returns true if a text is tagged as one that holds everywhere.
#[must_use]
pub fn is_global(text: &str) -> bool {
    has_tag(text, GLOBAL)
}

/// Returns the words of a text that are tags, without punctuation after them.
pub fn tags(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace().filter(|word| word.starts_with('#'));
    words.map(|word| word.trim_end_matches(['.', ',', ';', ')']))
}

fn has_tag(text: &str, tag: &str) -> bool {
    tags(text).any(|known| known.eq_ignore_ascii_case(tag))
}

/// Tags and a text that an entry must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordingFilter {
    /// In lower case, with `#`.
    tags: Vec<String>,
    /// In lower case; empty for any.
    text: String,
}

impl WordingFilter {
    /// Case does not matter, nor does `#` before a tag, nor blanks around the text.
    #[must_use]
    pub fn new(tags: &[String], text: &str) -> Self {
        let tag = |tag: &String| format!("#{}", tag.trim_start_matches('#').to_lowercase());
        Self { tags: tags.iter().map(tag).collect(), text: text.trim().to_lowercase() }
    }

    /// Returns true if a text contains all tags, and the text.
    #[must_use]
    pub fn admits(&self, text: &str) -> bool {
        let has = |tag: &String| tags(text).any(|known| known.to_lowercase() == *tag);
        self.tags.iter().all(has)
            && (self.text.is_empty() || text.to_lowercase().contains(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{
        category::{Categories, CategoryId, Preset},
        time::{Now, Timestamp},
    };

    #[test]
    fn agrees_with_the_table() {
        let table = include_str!("../../../../../fixtures/scoring/weighted.tsv");
        let now = Now(Timestamp(10_000_000_000_000));
        let mut rows = 0;
        for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [case, name, scope, tags, age, accesses, priority, decay, ..] = cells[..] else {
                panic!("a row has thirteen cells: {line}");
            };
            let text = format!("#{}", tags.replace(' ', " #"));
            let seen = Timestamp(now.0.0 - age.parse::<i64>().unwrap() * 1000);
            let (age, accesses) = (now.since(seen), accesses.parse().unwrap());
            let parts = WeightedParts {
                age,
                category: category(Traits::of(name), scope == "user" || is_global(&text)),
                recency: if decay == "on" { recency(age) } else { 1.0 },
                provenance: provenance(&text),
                access: access(accesses),
                accesses,
                priority: priority
                    .parse()
                    .ok()
                    .and_then(Share::new)
                    .filter(|share| *share > Share::default()),
            };
            let found = parts.weighed().map(|(_, value, _)| value).chain([parts.score()]);
            for (want, found) in cells[8..].iter().zip(found) {
                let want: f64 = want.parse().unwrap();
                assert!((found - want).abs() < 2e-9, "{case}: {found} {want}");
            }
            rows += 1;
        }
        assert!(rows >= 60, "{rows} rows");
    }

    #[test]
    fn tags_are_whole_words() {
        for (text, want) in [
            ("Prices are cents #source:user", 0.20),
            ("Prices are cents (#source:user), see #verified:true.", 0.10),
            ("#Source:User #VERIFIED:true", 0.30),
            ("#source:users #source:user-study source:user", 0.0),
            ("#source:user #source:user", 0.20),
        ] {
            assert!((provenance(text) - want).abs() < 1e-12, "{text}");
        }
    }

    fn any_parts() -> impl Strategy<Value = (CategoryId, bool, u64, u64, bool)> {
        ((0..20_u16).prop_map(CategoryId), any::<bool>(), any::<u64>(), any::<u64>(), any::<bool>())
    }

    fn parts(
        (at, global, age, accesses, said): (CategoryId, bool, u64, u64, bool),
    ) -> WeightedParts {
        let traits = Categories::of(Preset::All, Vec::new()).spec(at).traits;
        WeightedParts {
            age: Age(age),
            category: category(traits, global),
            recency: recency(Age(age)),
            provenance: provenance(if said { "#source:user #verified:true" } else { "" }),
            access: access(accesses),
            accesses,
            priority: None,
        }
    }

    proptest! {
        #[test]
        fn from_0_to_1(of in any_parts()) {
            let parts = parts(of);
            prop_assert!((0.0..=1.0).contains(&parts.score()), "{:?}", parts);
            for (name, value, _) in parts.weighed() {
                prop_assert!((0.0..=1.0).contains(&value), "{} {}", name, value);
            }
        }

        /// Time lowers a score; accesses, provenance and a wider scope raise it.
        #[test]
        fn monotone(of in any_parts(), more in 0..u64::MAX) {
            let (at, _, age, accesses, _) = of;
            let score = |global, age, accesses, said| parts((at, global, age, accesses, said)).score();
            let base = score(false, age, accesses, false);
            prop_assert!(score(false, age.saturating_add(more), accesses, false) <= base);
            prop_assert!(score(false, age, accesses.saturating_add(more), false) >= base);
            prop_assert!(score(true, age, accesses, false) >= base);
            prop_assert!(score(false, age, accesses, true) >= base);
        }

        #[test]
        fn a_priority_replaces_the_rest(of in any_parts(), priority in 0.000_001..=1.0) {
            let priority = Share::new(priority);
            let found = WeightedParts { priority, ..parts(of) }.score();
            prop_assert_eq!(Some(found), priority.map(Share::get));
        }
    }

    #[test]
    fn a_wording_is_filtered() {
        let entry = "Über Größe: `SET lock_timeout` first #Database, then #berth-lock.";
        for (tags, text, want) in [
            (&[][..], "", true),
            (&[], " LOCK_timeout` FIRST ", true),
            (&[], "GRÖSSE", false),
            (&[], "GRÖßE", true),
            (&[], "first lock_timeout", false),
            (&["database"], "", true),
            (&["#DATABASE", "berth-lock"], "über", true),
            (&["database", "berth"], "", false),
            (&["data"], "", false),
            (&["database"], "never", false),
        ] {
            let tags: Vec<String> = tags.iter().map(|tag: &&str| (*tag).to_owned()).collect();
            assert_eq!(WordingFilter::new(&tags, text).admits(entry), want, "{tags:?} {text:?}");
        }
    }
}

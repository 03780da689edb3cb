//! The ebbinghaus policy: importance fades with the time since the last access, slower the more
//! often a memory was accessed, and never below the floor of its kind.

use crate::{
    model::{
        category::Knowledge,
        time::{Age, DAY_MS},
    },
    score::stability::State,
};

/// Importance of a memory for which none was given.
pub const BASE: f64 = 0.5;
/// Importance from which a memory is active.
const ACTIVE: f64 = 0.5;
/// Importance from which a memory is provisional.
const PROVISIONAL: f64 = 0.3;
/// What an access adds to the importance, and the most that all add.
const REINFORCEMENT: (f64, f64) = (0.005, 0.08);
/// Weights of similarity, importance and freshness in the relevance for a prompt.
const RELEVANCE: [f64; 3] = [0.50, 0.20, 0.30];
/// By what share freshness fades in an hour.
const HOURLY: f64 = 0.01;

/// How fast memories fade, and when they are no longer kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fading {
    /// The share of an importance that is left after a day, from above 0 to 1.
    pub decay_factor: f64,
    /// The importance below which a memory is dropped.
    pub min_importance: f64,
}

impl Default for Fading {
    fn default() -> Self {
        Self { decay_factor: 0.95, min_importance: 0.1 }
    }
}

impl Fading {
    /// Returns the state of a memory of that importance.
    #[must_use]
    pub fn state(self, importance: f64) -> State {
        match importance {
            least if least < self.min_importance => State::Dropped,
            least if least >= ACTIVE => State::Active,
            least if least >= PROVISIONAL => State::Provisional,
            _ => State::Candidate,
        }
    }

    /// Returns the least importance of a state; `None` for the last one.
    #[must_use]
    pub fn least(self, state: State) -> Option<f64> {
        match state {
            State::Active => Some(ACTIVE.max(self.min_importance)),
            State::Provisional => Some(PROVISIONAL.max(self.min_importance)),
            State::Candidate => Some(self.min_importance),
            State::Dropped => None,
        }
    }
}

/// What an importance is computed from. It is always computed from the base, never from an earlier
/// result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EbbinghausParts {
    /// Importance at the last access, before reinforcement.
    pub base: f64,
    pub kind: Knowledge,
    pub accesses: u64,
    pub idle: Age,
    pub decay_factor: f64,
}

impl EbbinghausParts {
    /// 1 + ln(1 + accesses).
    #[must_use]
    pub fn stability(&self) -> f64 {
        1.0 + (self.accesses as f64).ln_1p()
    }

    /// The rate at which it fades, per day.
    #[must_use]
    pub fn rate(&self) -> f64 {
        -self.decay_factor.ln() * self.kind.modifier() / self.stability()
    }

    /// What accesses add to the importance.
    #[must_use]
    pub fn reinforcement(&self) -> f64 {
        let (each, most) = REINFORCEMENT;
        (self.accesses as f64 * each).min(most)
    }

    /// The importance now, from 0 to 1.
    #[must_use]
    pub fn importance(&self) -> f64 {
        let faded = self.base * (-self.rate() * self.idle.days()).exp() + self.reinforcement();
        faded.max(self.kind.floor()).min(1.0)
    }

    /// Returns the least time since the last access, in milliseconds, at which the importance is
    /// below `least`. `None` if it never is, or always was.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "conversion of floats saturates")]
    pub fn falls_below(&self, least: f64) -> Option<i64> {
        let left = least - self.reinforcement();
        if self.kind.floor() >= least || left <= 0.0 || self.base < left {
            return None;
        }
        let days = (self.base / left).ln() / self.rate();
        let length = days * DAY_MS as f64;
        length.is_finite().then(|| (length.floor() as i64).saturating_add(1))
    }
}

/// Returns the relevance for a prompt of a memory that was last accessed `idle` ago.
#[must_use]
pub fn relevance(similarity: f64, importance: f64, idle: Age) -> f64 {
    let [by_similarity, by_importance, by_freshness] = RELEVANCE;
    let freshness = (-HOURLY * idle.days() * 24.0).exp();
    similarity * by_similarity + importance * by_importance + freshness * by_freshness
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{
        category::Traits,
        time::{Now, Timestamp},
    };

    fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
        let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
        rows.map(|line| line.split('\t').collect())
    }

    fn idle(seconds: &str) -> Age {
        let now = Now(Timestamp(10_000_000_000_000));
        now.since(Timestamp(now.0.0 - seconds.parse::<i64>().unwrap() * 1000))
    }

    fn number(text: &str) -> f64 {
        text.parse().unwrap()
    }

    #[test]
    fn agrees_with_the_table() {
        let table = include_str!("../../../../../fixtures/scoring/ebbinghaus.tsv");
        let mut count = 0;
        for cells in rows(table) {
            let [case, category, base, accesses, seconds, factor, least, kind, ..] = cells[..]
            else {
                panic!("a row has thirteen cells: {cells:?}");
            };
            let (decay_factor, min_importance) = (number(factor), number(least));
            let parts = EbbinghausParts {
                base: number(base),
                kind: Traits::of(category).knowledge,
                accesses: accesses.parse().unwrap(),
                idle: idle(seconds),
                decay_factor,
            };
            assert_eq!(parts.kind.name(), kind, "{case}");
            let found =
                [parts.stability(), parts.rate(), parts.reinforcement(), parts.importance()];
            for (want, found) in cells[8..12].iter().zip(found) {
                assert!((found - number(want)).abs() < 2e-9, "{case}: {found} {want}");
            }
            let state = Fading { decay_factor, min_importance }.state(parts.importance());
            assert_eq!(state.name(), cells[12], "{case}");
            count += 1;
        }
        assert!(count >= 60, "{count} rows");
    }

    #[test]
    fn relevance_agrees_with_the_table() {
        let table = include_str!("../../../../../fixtures/scoring/relevance.tsv");
        let mut count = 0;
        for cells in rows(table) {
            let [case, similarity, importance, seconds, _, want] = cells[..] else {
                panic!("a row has six cells: {cells:?}");
            };
            let found = relevance(number(similarity), number(importance), idle(seconds));
            assert!((found - number(want)).abs() < 2e-9, "{case}: {found} {want}");
            count += 1;
        }
        assert!(count >= 60, "{count} rows");
    }

    fn any_parts() -> impl Strategy<Value = EbbinghausParts> {
        let accesses = prop_oneof![0..40_u64, any::<u64>()];
        let idle = prop_oneof![0..100 * DAY_MS.unsigned_abs(), any::<u64>()];
        (0.0..=1.0, 0..5_usize, accesses, idle, 0.01..=1.0).prop_map(
            |(base, kind, accesses, idle, decay_factor)| EbbinghausParts {
                base,
                kind: Knowledge::ALL[kind],
                accesses,
                idle: Age(idle),
                decay_factor,
            },
        )
    }

    proptest! {
        #[test]
        fn from_the_floor_to_1(parts in any_parts()) {
            prop_assert!((parts.kind.floor()..=1.0).contains(&parts.importance()), "{:?}", parts);
            prop_assert!(parts.reinforcement() <= 0.08 && parts.stability() >= 1.0);
        }

        /// Time lowers an importance; a higher base, an access and a kinder decay raise it.
        #[test]
        fn monotone(parts in any_parts(), more in any::<u64>(), base in 0.0..=1.0) {
            let now = parts.importance();
            let later = EbbinghausParts { idle: Age(parts.idle.0.saturating_add(more)), ..parts };
            prop_assert!(later.importance() <= now);
            let known = EbbinghausParts { accesses: parts.accesses.saturating_add(more), ..parts };
            prop_assert!(known.importance() >= now);
            let higher = EbbinghausParts { base: parts.base.max(base), ..parts };
            prop_assert!(higher.importance() >= now);
        }

        /// Computing an importance again at each of a hundred moments changes none of them.
        #[test]
        fn never_compounded(parts in any_parts()) {
            let step = parts.idle.0 / 100;
            let once = parts.importance();
            for moment in 0..100 {
                let then = EbbinghausParts { idle: Age(step * moment), ..parts };
                prop_assert!(then.importance() >= once);
            }
            prop_assert_eq!(parts.importance().to_bits(), once.to_bits());
        }

        #[test]
        fn falls_when_it_says(parts in any_parts(), least in 0.01..0.99) {
            let at = |idle: i64| EbbinghausParts { idle: Age(idle.unsigned_abs()), ..parts }.importance();
            // A day's share is left, or rounding decides for years.
            prop_assume!(parts.rate() > 1e-3);
            match parts.falls_below(least) {
                Some(length) => {
                    prop_assert!(at(length.saturating_add(2)) < least);
                    prop_assert!(at((length - 3).max(0)) >= least || length < 3);
                }
                None => prop_assert!(at(i64::MAX) >= least || at(0) < least + 1e-12),
            }
        }

        #[test]
        fn relevance_is_from_0_to_1(
            similarity in 0.0..=1.0, importance in 0.0..=1.0, idle in any::<u64>(), more in any::<u64>(),
        ) {
            let found = relevance(similarity, importance, Age(idle));
            prop_assert!((0.0..=1.0).contains(&found), "{}", found);
            prop_assert!(relevance(similarity, importance, Age(idle.saturating_add(more))) <= found);
            prop_assert!(relevance(1.0, importance, Age(idle)) >= found);
            prop_assert!(relevance(similarity, 1.0, Age(idle)) >= found);
        }
    }
}

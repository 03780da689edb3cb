//! The stability score: cue weight × exp(−Δt / τ) × ln(1 + evidence).

use std::cmp::Ordering;

use super::evidence::{Evidence, Strength};
use crate::model::{category::CategorySpec, operation::UserState, time::Age};

/// A finite score of at least 0 with a total order.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score(f64);

impl Score {
    /// Computes a stability. `evidence` counts reinforcements from 1; `tau_days` is the decay
    /// constant.
    #[must_use]
    pub fn new(weight: f64, age: Age, tau_days: f64, evidence: u64) -> Self {
        Self::of(weight * (-age.days() / tau_days).exp() * (evidence as f64).ln_1p())
    }

    /// Returns a score computed elsewhere; 0 if it is not finite.
    #[must_use]
    pub fn of(score: f64) -> Self {
        Self(if score.is_finite() { score.max(0.0) } else { 0.0 })
    }

    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The standing of an entry. Variants are in ascending order. Output shows forgotten as 0 and
/// pinned as 9999; these numbers are never used in arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Dropped by the user.
    Forgotten,
    /// Decided by the score.
    Scored(Score),
    /// Kept by the user.
    Pinned,
}

impl Standing {
    /// Returns the score for output.
    #[must_use]
    pub fn shown(self) -> f64 {
        match self {
            Self::Pinned => 9999.0,
            Self::Forgotten => 0.0,
            Self::Scored(score) => score.get(),
        }
    }

    /// Returns the state by stability alone, before caps.
    #[must_use]
    pub fn state(self) -> State {
        match self {
            Self::Pinned => State::Active,
            Self::Forgotten => State::Dropped,
            Self::Scored(Score(score)) => State::of(score),
        }
    }
}

/// Lifecycle states, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Dropped,
    /// About to be dropped.
    Candidate,
    /// Shown while there is room.
    Provisional,
    Active,
}

impl State {
    /// All states, strongest first.
    pub const ALL: [Self; 4] = [Self::Active, Self::Provisional, Self::Candidate, Self::Dropped];

    fn of(score: f64) -> Self {
        let reached = |state: &Self| state.least().is_none_or(|least| score >= least);
        Self::ALL.into_iter().find(reached).unwrap_or(Self::Dropped)
    }

    /// The least score of this state; `None` for the last one.
    #[must_use]
    pub fn least(self) -> Option<f64> {
        match self {
            Self::Active => Some(1.5),
            Self::Provisional => Some(0.7),
            Self::Candidate => Some(0.4),
            Self::Dropped => None,
        }
    }

    /// Returns the next weaker state.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        Self::ALL.into_iter().skip_while(|state| *state != self).nth(1)
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Provisional => "provisional",
            Self::Candidate => "candidate",
            Self::Dropped => "dropped",
        }
    }

    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// Returns the standing of an entry that was last reinforced `idle` ago. A marker in the markdown
/// outranks the log.
#[must_use]
pub fn standing(idle: Age, evidence: &Evidence, spec: &CategorySpec, marked: bool) -> Standing {
    standing_of(idle, evidence.strength(), spec.tau_days, marked)
}

/// Like [`standing`], from the strength and decay constant only.
#[must_use]
pub fn standing_of(idle: Age, strength: Strength, tau_days: f64, marked: bool) -> Standing {
    match strength.user {
        _ if marked => Standing::Pinned,
        UserState::Pinned => Standing::Pinned,
        UserState::Forgotten => Standing::Forgotten,
        UserState::Auto => {
            Standing::Scored(Score::new(strength.cue.weight(), idle, tau_days, strength.count))
        }
    }
}

/// Returns true if an entry is younger than the half-life of its category, τ·ln 2. A new entry
/// scores below every report threshold and must be shown all the same.
#[must_use]
pub fn fresh(known_for: Age, spec: &CategorySpec, standing: Standing) -> bool {
    let half_life = spec.tau_days * std::f64::consts::LN_2;
    standing != Standing::Forgotten && known_for.days() < half_life
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        category::Categories,
        event::Cue,
        time::{Now, Timestamp},
    };

    #[test]
    fn agrees_with_the_table() {
        let categories = Categories::default();
        let table = include_str!("../../../../fixtures/scoring/vectors.tsv");
        let mut rows = 0;
        for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [case, category, cue, count, age, seen, user, score, state, is_fresh] = cells[..]
            else {
                panic!("a row has ten cells: {line}");
            };
            let now = Now(Timestamp(1_000_000_000_000_000));
            let ago = |seconds: &str| Timestamp(now.0.0 - seconds.parse::<i64>().unwrap() * 1000);
            let evidence = Evidence {
                cue: Cue::find(cue).unwrap(),
                count: count.parse().unwrap(),
                first_seen: ago(seen),
                last_reinforced: ago(age),
                touched: ago(age),
                user: match user {
                    "pinned" => UserState::Pinned,
                    "forgotten" => UserState::Forgotten,
                    _ => UserState::Auto,
                },
                until: None,
                superseded_by: std::collections::BTreeSet::new(),
                outlived: std::collections::BTreeSet::new(),
                chosen: None,
                priority: None,
                importance: None,
            };
            let spec = categories.spec(categories.find(category).unwrap());
            let standing = standing(now.since(ago(age)), &evidence, spec, false);
            let want: f64 = score.parse().unwrap();
            assert!((standing.shown() - want).abs() < 2e-9, "{case}: {} {want}", standing.shown());
            assert_eq!(standing.state().name(), state, "{case}");
            let is_new = fresh(now.since(ago(seen)), spec, standing);
            assert_eq!(is_new.to_string(), is_fresh, "{case}");
            rows += 1;
        }
        assert!(rows >= 60, "{rows} rows");
    }

    #[test]
    fn scores_are_finite_and_ordered() {
        for (weight, age, tau, count) in [
            (1.0, u64::MAX, 90.0, u64::MAX),
            (1.0, 0, 0.0, 1),
            (f64::NAN, 0, 1.0, 1),
            (1.0, 5, f64::INFINITY, 0),
        ] {
            let score = Score::new(weight, Age(age), tau, count).get();
            assert!(score.is_finite() && score >= 0.0, "{score}");
        }
        let low = Standing::Scored(Score::new(1.0, Age(0), 1.0, 0));
        let high = Standing::Scored(Score::new(1.0, Age(0), 1.0, u64::MAX));
        assert!(Standing::Forgotten < low && low < high && high < Standing::Pinned);
    }
}

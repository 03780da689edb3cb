//! Lasting value: the order in which entries fill the space that the sections leave in a report.

use std::fmt;

use crate::{model::category::CategorySpec, score::ranking::ScoredEntry};

/// factor × e^(−Δt / days), with Δt since the last reinforcement by the store's clock. Evidence
/// does not count here; it already decides the places by score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lasting(f64);

impl Lasting {
    /// Returns the lasting value of an entry in the category `spec`.
    #[must_use]
    pub fn of(row: &ScoredEntry, spec: &CategorySpec) -> Self {
        let value = spec.fill * (-row.idle.days() / spec.lasting_days()).exp();
        Self(if value.is_finite() { value.max(0.0) } else { 0.0 })
    }
}

impl Eq for Lasting {}

impl PartialOrd for Lasting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Lasting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl fmt::Display for Lasting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

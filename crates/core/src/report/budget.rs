//! Token budgets, and the lasting value by which entries fill what is left of one. A token is estimated
//! as four characters, rounded up.

use std::fmt;

use crate::{
    model::category::CategorySpec, safety::safe_text::SafePart, score::ranking::ScoredEntry,
};

/// Characters per token.
const CHARS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Tokens(pub u32);

impl Tokens {
    /// No limit.
    pub const UNLIMITED: Self = Self(u32::MAX);

    /// Returns the number; `None` without a limit.
    #[must_use]
    pub fn limit(self) -> Option<u32> {
        (self != Self::UNLIMITED).then_some(self.0)
    }

    /// Estimates the tokens of `chars` characters.
    #[must_use]
    pub fn of_chars(chars: usize) -> Self {
        Self(u32::try_from(chars.div_ceil(CHARS)).unwrap_or(u32::MAX))
    }

    /// Estimates the tokens of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::of_chars(text.chars().count())
    }

    /// Returns the maximum number of characters in this many tokens.
    #[must_use]
    pub fn chars(self) -> usize {
        self.0 as usize * CHARS
    }
}

impl fmt::Display for Tokens {
    /// With thousands separators.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&thousands(self.0 as usize))
    }
}

impl SafePart for Tokens {
    fn safe(&self) -> impl fmt::Display {
        self
    }
}

/// Formats `12034` as `12,034`.
#[must_use]
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in (0..digits.len()).rev().zip(digits.chars()) {
        out.push(digit);
        if place > 0 && place % 3 == 0 {
            out.push(',');
        }
    }
    out
}

/// Returns the budget for the report: `limit`, but not more than the system prompt leaves of
/// `context`.
#[must_use]
pub fn available(limit: Tokens, context: Tokens, system_prompt: Tokens) -> Tokens {
    limit.min(Tokens(context.0.saturating_sub(system_prompt.0)))
}

/// factor × e^(−Δt / days), with Δt since the last reinforcement by the store's clock. Evidence
/// does not count here; it already decides the places by score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lasting(f64);

impl Lasting {
    /// Returns the lasting value of an entry in the category `spec`.
    #[must_use]
    pub fn of(row: &ScoredEntry, spec: &CategorySpec) -> Self {
        let value = spec.fill * (-row.idle.days() / spec.traits.lasting_days).exp();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (number, want) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (12_034, "12,034"), (1_234_567, "1,234,567")]
        {
            assert_eq!(thousands(number), want);
        }
        assert_eq!(Tokens::of("abcde"), Tokens(2));
        assert_eq!(Tokens::of("éé"), Tokens(1));
        let left = |used| available(Tokens(1700), Tokens(8000), Tokens(used)).0;
        assert_eq!((left(0), left(6300), left(7000), left(9000)), (1700, 1700, 1000, 0));
    }
}

//! Token budgets, the lasting value by which entries fill what is left of one, and the lines that count
//! what is left out. A token is estimated as four characters, rounded up.

use std::fmt;

use crate::{
    model::{
        category::{Categories, CategoryId, CategorySpec},
        time::Age,
    },
    safe,
    safety::safe_text::{SafePart, SafeText},
    score::{
        caps::CapPlace,
        ranking::{Ranking, ScoredEntry},
    },
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
        Self::after(row.idle, spec)
    }

    /// Returns that of an entry that was last reinforced so long ago.
    pub(super) fn after(idle: Age, spec: &CategorySpec) -> Self {
        let value = spec.fill * (-idle.days() / spec.traits.lasting_days).exp();
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

/// Settings for filling the space left by the sections.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fill<'a> {
    /// The command that the last line names for finding the rest.
    pub(super) search_command: &'a str,
    pub(super) reasons: bool,
}

/// The lines that count entries left out: one at the end of each section, one at the end of the
/// report.
pub(super) struct Tails<'a> {
    /// Number of entries left out although they could be shown, by category.
    left: Vec<usize>,
    pub(super) fill: Fill<'a>,
    /// Characters of the last line of the report where it counts one.
    closing: usize,
}

fn closing(left: usize, fill: Fill<'_>) -> SafeText {
    safe!("... {} more: {} WORDS", left, fill.search_command)
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

impl<'a> Tails<'a> {
    /// Starts with so many entries of each category left out.
    pub(super) fn counting(left: impl Iterator<Item = usize>, fill: Fill<'a>) -> Self {
        let closing = closing(1, fill).chars().count();
        Self { left: left.collect(), fill, closing }
    }

    /// Starts with every entry that could be shown counted as left out.
    pub(super) fn new(ranking: &Ranking, categories: &Categories, fill: Fill<'a>) -> Self {
        let rest = |at: usize| ranking.rest.get(at).map_or(0, |rest| rest.count);
        let mut left: Vec<usize> = (0..categories.iter().count()).map(rest).collect();
        for row in ranking.rows.iter().filter(|row| showable(row) && row.place != CapPlace::Pinned)
        {
            if let Some(count) = left.get_mut(usize::from(row.entry.category.0)) {
                *count += 1;
            }
        }
        Self::counting(left.into_iter(), fill)
    }

    pub(super) fn take(&mut self, row: &ScoredEntry) {
        let count = self.left.get_mut(usize::from(row.entry.category.0));
        if let Some(count) = count.filter(|_| row.place != CapPlace::Pinned) {
            *count = count.saturating_sub(1);
        }
    }

    pub(super) fn put_back(&mut self, row: &ScoredEntry) {
        if let Some(count) = self.left.get_mut(usize::from(row.entry.category.0)) {
            *count += 1;
        }
    }

    /// Returns true if all entries left out are of one category: then the last line of the report
    /// says what that of their section would.
    fn is_one(&self) -> bool {
        self.left.iter().filter(|left| **left > 0).count() == 1
    }

    pub(super) fn end(&self, category: CategoryId) -> Option<SafeText> {
        let left = self.left.get(usize::from(category.0)).copied().unwrap_or(0);
        (left > 0 && !self.is_one()).then(|| safe!("- ... {} more", left))
    }

    pub(super) fn closing(&self) -> Option<SafeText> {
        let left: usize = self.left.iter().sum();
        (left > 0).then(|| closing(left, self.fill))
    }

    /// Characters of the closing line, including the blank line before it.
    pub(super) fn closing_chars(&self) -> usize {
        match self.left.iter().sum() {
            0 => 0,
            left => self.closing - 1 + digits(left) + 2,
        }
    }

    /// Characters of the closing line and of the lines in the sections for which `is_there` returns
    /// true.
    pub(super) fn chars(&self, is_there: impl Fn(usize) -> bool) -> usize {
        if self.is_one() {
            return self.closing_chars();
        }
        let tail = |left: usize| "- ...  more\n".len() + digits(left);
        let left = self.left.iter().enumerate().filter(|(at, left)| **left > 0 && is_there(*at));
        self.closing_chars() + left.map(|(_, left)| tail(*left)).sum::<usize>()
    }

    /// The minimum number of characters that all lines take when up to `more` entries are taken.
    pub(super) fn least(&self, more: usize, is_there: impl Fn(usize) -> bool) -> usize {
        let left = self.left.iter().map(|left| left.saturating_sub(more)).collect();
        Tails { left, ..*self }.chars(is_there)
    }

    /// The maximum number of characters that all lines can take.
    pub(super) fn most(&self) -> usize {
        self.chars(|_| true)
    }
}

/// Returns true if only space, caps or windows can keep an entry out of the report.
pub(super) fn showable(row: &ScoredEntry) -> bool {
    row.withheld().is_none()
        && row.place != CapPlace::Elsewhere
        && (row.evidence.count > 0 || row.place == CapPlace::Pinned)
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
        assert_eq!((Tokens(7).limit(), Tokens::UNLIMITED.limit()), (Some(7), None));
        let left = |used| available(Tokens(1700), Tokens(8000), Tokens(used)).0;
        assert_eq!((left(0), left(6300), left(7000), left(9000)), (1700, 1700, 1000, 0));
    }
}

//! Numbers from 0 to 1 that a person or program has set: priorities and importances.

use std::fmt;

/// A number from 0 to 1, in millionths, so that it has a total order and one written form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Share(u32);

/// Millionths in 1.
const WHOLE: f64 = 1e6;

impl Share {
    /// Returns the share for a number; `None` if it is not from 0 to 1.
    #[must_use]
    pub fn new(number: f64) -> Option<Self> {
        (0.0..=1.0).contains(&number).then(|| Self::clamped(number))
    }

    /// Returns the nearest share; 0 for NaN.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to a million")]
    pub fn clamped(number: f64) -> Self {
        Self((number.clamp(0.0, 1.0) * WHOLE).round() as u32)
    }

    #[must_use]
    pub fn get(self) -> f64 {
        f64::from(self.0) / WHOLE
    }

    /// Returns the millionths.
    #[must_use]
    pub fn millionths(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits() {
        for (number, want) in [
            (0.0, Some("0")),
            (1.0, Some("1")),
            (0.5, Some("0.5")),
            (0.123_456_7, Some("0.123457")),
            (-0.0, Some("0")),
            (-1e-9, None),
            (1.000_001, None),
            (1e9, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            let told = Share::new(number).map(|share| share.to_string());
            assert_eq!(told.as_deref(), want, "{number}");
        }
        for (number, want) in
            [(-1.0, 0.0), (1e9, 1.0), (f64::NAN, 0.0), (f64::NEG_INFINITY, 0.0), (0.25, 0.25)]
        {
            assert!((Share::clamped(number).get() - want).abs() < 1e-9, "{number}");
        }
    }
}

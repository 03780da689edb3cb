//! Event ids: 128 bits, sortable by time, written as ULIDs (<https://github.com/ulid/spec>).

use std::fmt;

use super::{
    hash::fnv1a64,
    time::{DAY_MS, Timestamp},
};

/// A 128-bit id, written as a ULID (26 characters of Crockford's base 32).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u128);

const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The value of each Crockford digit, in either case; 255 for other bytes.
const VALUES: [u8; 256] = {
    let mut values = [255; 256];
    let mut value = 0;
    while value < 32 {
        #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
        let digit = CROCKFORD[value as usize];
        #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
        {
            values[digit as usize] = value;
            values[digit.to_ascii_lowercase() as usize] = value;
        }
        value += 1;
    }
    values
};

impl EventId {
    /// Returns a ULID: 48 bits of time in milliseconds, then 80 bits of `random`.
    #[must_use]
    pub fn new(time: Timestamp, random: u128) -> Self {
        let millis = u128::try_from(time.0.max(0)).unwrap_or(0);
        Self((millis & ((1 << 48) - 1)) << 80 | random & ((1 << 80) - 1))
    }

    /// Returns a ULID whose random part is a hash of `parts`: the same fact has the same id
    /// everywhere.
    #[must_use]
    pub fn derived(time: Timestamp, parts: &[&[u8]]) -> Self {
        let low = u128::from(fnv1a64(parts));
        let high = u128::from(fnv1a64(&[b"pimem", parts.concat().as_slice()]));
        Self::new(time, high << 64 | low)
    }

    /// Returns true if the id was made within a day of `then`. Only such an id is used for
    /// ordering.
    #[must_use]
    pub fn is_of(self, then: Timestamp) -> bool {
        let made = i64::try_from(self.0 >> 80).unwrap_or(i64::MAX);
        made.abs_diff(then.0) <= DAY_MS.unsigned_abs()
    }

    /// Parses a ULID. Any other text is hashed, so that foreign ids stay distinct.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self::read_ulid(text.as_bytes()).unwrap_or_else(|| {
            let low = fnv1a64(&[text.as_bytes()]);
            Self(u128::from(fnv1a64(&[text.as_bytes(), b"\0"])) << 64 | u128::from(low))
        })
    }

    pub(super) fn read_ulid(text: &[u8]) -> Option<Self> {
        if text.len() != 26 {
            return None;
        }
        let value = text.iter().try_fold(0_u128, |value, byte| {
            let digit = *VALUES.get(usize::from(*byte))?;
            (digit < 32).then_some(value << 5 | u128::from(digit))
        });
        value.map(Self)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..26).rev().try_for_each(|place| {
            let digit = usize::try_from(self.0 >> (5 * place) & 31).unwrap_or(0);
            write!(f, "{}", char::from(CROCKFORD.get(digit).copied().unwrap_or(b'0')))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ulids() {
        let id = EventId::new(Timestamp(1_469_918_176_385), 0);
        assert_eq!(
            &id.to_string()[..10],
            "01ARYZ6S41",
            "the time of the ULID specification's example"
        );
        assert_eq!(EventId::read(&id.to_string()), id);
        assert_ne!(EventId::read("event-1"), EventId::read("event-2"));
    }
}

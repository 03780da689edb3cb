//! Entries: single remembered lines, the ids of lines and events, and numbers that a person set.

use std::{borrow::Cow, fmt, str::FromStr};

use super::{
    category::CategoryId,
    hash::{self, fnv1a64},
    rules::{self, LineAsides},
    time::{DAY_MS, Timestamp},
};

/// 64-bit FNV-1a of the canonical line `- [category] text`; 16 lower-case hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EntryId(pub u64);

impl EntryId {
    /// Computes the id of an entry. `text` is bytes, so that a line that is not UTF-8 has an id
    /// too.
    #[must_use]
    pub fn of(category: &str, text: &[u8]) -> Self {
        Self(fnv1a64(&[b"- [", category.as_bytes(), b"] ", text]))
    }

    /// Parses 16 lower-case hex digits.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        hash::read_half(text).map(Self)
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for EntryId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::read(text.as_bytes()).ok_or(())
    }
}

/// The exact identity of an entry. Ids are used for lookup, but two texts can be made to share one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wording {
    pub id: EntryId,
    pub category: CategoryId,
    /// Text without markers.
    pub text: String,
}

/// Markers after the text of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Markers {
    /// `*(pinned)*`: never fades.
    pub pinned: bool,
    /// `*(enforced)*`: written by other tools, preserved, never written here.
    pub enforced: bool,
    /// `*(asked: …)*`, `*(place: …)*` and guards.
    pub asides: LineAsides,
}

impl Markers {
    #[must_use]
    pub fn pinned(pinned: bool) -> Self {
        Self { pinned, ..Self::default() }
    }

    #[must_use]
    pub fn any(&self) -> bool {
        self.pinned || self.enforced || !self.asides.is_empty()
    }

    /// Joins the markers of two lines of one entry.
    pub fn join(&mut self, other: &Self) {
        self.pinned |= other.pinned;
        self.enforced |= other.enforced;
        self.asides.join(&other.asides);
    }
}

/// The store that an entry belongs to. If several stores hold the same entry and none is out of
/// force, the copy of the first wins; what speaks for it in stores of one project is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The project's store, the nearest one to the working directory.
    Project,
    /// The project's store so many directories above the working directory.
    Above(u8),
    User,
    /// A mirror of what others, or other machines of the user, have shared.
    Team,
}

impl Scope {
    /// The name in output: of a store further up, the way there.
    #[must_use]
    pub fn name(self) -> &'static str {
        const WAY: &str = "../../../../../../../../../../../../../../../..";
        match self {
            Self::Above(levels) => {
                WAY.get(..(3 * usize::from(levels)).saturating_sub(1)).unwrap_or(WAY)
            }
            _ => self.family(),
        }
    }

    /// The name on the command line, which stands for all stores of the project.
    #[must_use]
    pub const fn family(self) -> &'static str {
        match self {
            Self::Project | Self::Above(_) => "project",
            Self::User => "user",
            Self::Team => "team",
        }
    }

    /// Returns how far a project's store is; what stands nearer comes first.
    #[must_use]
    pub const fn levels(self) -> u8 {
        if let Self::Above(levels) = self { levels } else { 0 }
    }

    pub(crate) fn is_of_project(self) -> bool {
        matches!(self, Self::Project | Self::Above(_))
    }
}

#[derive(Debug, Clone)]
pub struct LocatedEntry {
    pub id: EntryId,
    pub category: CategoryId,
    pub text: String,
    pub pinned: bool,
    pub enforced: bool,
    pub asides: LineAsides,
    /// The branch that it was learned on in another work tree, and is not merged from.
    pub branch: Option<String>,
    /// Stem of the topic file.
    pub topic: String,
    /// The topic that the file continues, if it is not the first file of one.
    pub continues: Option<String>,
    /// Line number in the topic file, from 1.
    pub line: usize,
    pub scope: Scope,
    /// True if written or reviewed on this machine. Other entries are not shown to agents.
    pub reviewed: bool,
    /// What kind of secret the text holds, unless a person has let this line out.
    pub secret: Option<&'static str>,
}

/// Returns what is said behind a text that another branch has: ` (on feature, not merged)`.
#[must_use]
pub fn on_branch(branch: Option<&str>) -> String {
    branch.map_or_else(String::new, |branch| format!(" (on {branch}, not merged)"))
}

impl LocatedEntry {
    /// Returns an entry of the project without markers, in no file yet, that nobody has reviewed.
    #[must_use]
    pub fn new(id: EntryId, category: CategoryId, text: String) -> Self {
        Self {
            id,
            category,
            text,
            pinned: false,
            enforced: false,
            asides: LineAsides::default(),
            branch: None,
            topic: String::new(),
            continues: None,
            line: 0,
            scope: Scope::Project,
            reviewed: false,
            secret: None,
        }
    }

    /// Returns the text as an agent is told it.
    #[must_use]
    pub fn told(&self) -> Cow<'_, str> {
        let mark =
            rules::place_mark(self.asides.rules.told_places()) + &on_branch(self.branch.as_deref());
        if mark.is_empty() {
            return Cow::Borrowed(&self.text);
        }
        Cow::Owned(self.text.clone() + &mark)
    }

    /// Returns the markers of its line.
    #[must_use]
    pub fn markers(&self) -> Markers {
        Markers { pinned: self.pinned, enforced: self.enforced, asides: self.asides.clone() }
    }

    pub(crate) fn take_markers(&mut self, other: &Self) {
        let mut markers = self.markers();
        markers.join(&other.markers());
        Markers { pinned: self.pinned, enforced: self.enforced, asides: self.asides } = markers;
    }

    /// Returns the topic that the entry belongs to, in whichever of its files it stands.
    #[must_use]
    pub fn subject(&self) -> &str {
        self.continues.as_deref().unwrap_or(&self.topic)
    }

    #[must_use]
    pub fn wording(&self) -> Wording {
        Wording { id: self.id, category: self.category, text: self.text.clone() }
    }

    #[must_use]
    pub fn is(&self, wording: &Wording) -> bool {
        self.id == wording.id && self.category == wording.category && self.text == wording.text
    }

    /// Returns true if `other` is a copy of this entry.
    #[must_use]
    pub fn is_copy(&self, other: &Self) -> bool {
        self.id == other.id && self.category == other.category && self.text == other.text
    }

    /// Returns true if an agent may see the text.
    #[must_use]
    pub fn may_be_told(&self) -> bool {
        self.reviewed && self.secret.is_none()
    }
}

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

/// A 128-bit id, written as a ULID (26 characters of Crockford's base 32).
// Ledgers hold several a line; aligned to 16 bytes, each would take a third more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(Rust, packed(8))]
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

#[cfg(test)]
mod ulid_tests {
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

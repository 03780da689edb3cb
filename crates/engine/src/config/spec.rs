//! Types of settings, each with default, limits and the type of the parsed value.

use std::{borrow::Cow, ops::RangeInclusive, time::Duration};

use serde_json::{Map, Value};

use super::schema::Kind;
use pimem_core::report::budget::Tokens;

/// A boolean.
pub(super) struct Switch(pub(super) bool);

/// An integer within limits, and the conversion to its type.
pub(super) struct Whole<T>(pub(super) u64, pub(super) RangeInclusive<u64>, pub(super) fn(u64) -> T);

/// A number of tokens within limits, or none.
pub(super) struct Budget(pub(super) u64, pub(super) RangeInclusive<u64>);

/// A number within limits.
pub(super) struct Number(pub(super) f64, pub(super) RangeInclusive<f64>);

/// One of several values, by its name; the first is the default.
pub(super) struct Choice<T: 'static>(pub(super) &'static [T], pub(super) &'static [&'static str]);

pub(super) struct Text(pub(super) &'static str);

/// The table of additional categories.
pub(super) struct CategoryTable;

impl Switch {
    pub(super) const fn kind(&self) -> Kind {
        Kind::Bool(self.0)
    }

    pub(super) fn read(&self, value: Option<&Value>) -> bool {
        value.and_then(Value::as_bool).unwrap_or(self.0)
    }
}

impl<T> Whole<T> {
    pub(super) const fn kind(&self) -> Kind {
        Kind::Whole { default: self.0, least: *self.1.start(), most: *self.1.end() }
    }

    pub(super) fn read(&self, value: Option<&Value>) -> T {
        (self.2)(value.and_then(Value::as_u64).unwrap_or(self.0))
    }
}

impl Budget {
    pub(super) const fn kind(&self) -> Kind {
        Kind::WholeOrNone { default: self.0, least: *self.1.start(), most: *self.1.end() }
    }

    pub(super) fn read(&self, value: Option<&Value>) -> Tokens {
        if value.is_some_and(|value| value == "none") {
            return Tokens::UNLIMITED;
        }
        tokens(value.and_then(Value::as_u64).unwrap_or(self.0))
    }
}

impl Number {
    pub(super) const fn kind(&self) -> Kind {
        Kind::Number { default: self.0, least: *self.1.start(), most: *self.1.end() }
    }

    pub(super) fn read(&self, value: Option<&Value>) -> f64 {
        value.and_then(Value::as_f64).unwrap_or(self.0)
    }
}

impl<T: Copy + Default> Choice<T> {
    pub(super) const fn kind(&self) -> Kind {
        Kind::Choice(self.1)
    }

    pub(super) fn read(&self, value: Option<&Value>) -> T {
        let word = value.and_then(Value::as_str);
        let mut all = self.0.iter().zip(self.1);
        let chosen = word.and_then(|word| all.find(|(_, name)| **name == word));
        chosen.map_or_else(T::default, |(chosen, _)| *chosen)
    }
}

impl Text {
    pub(super) const fn kind(&self) -> Kind {
        Kind::Text(self.0)
    }

    pub(super) fn read(&self, value: Option<&Value>) -> Cow<'static, str> {
        let text = value.and_then(Value::as_str);
        text.map_or(Cow::Borrowed(self.0), |text| Cow::Owned(text.to_owned()))
    }
}

#[expect(clippy::unused_self, reason = "asked as the others are")]
impl CategoryTable {
    pub(super) const fn kind(&self) -> Kind {
        Kind::Categories
    }

    pub(super) fn read(&self, value: Option<&Value>) -> Map<String, Value> {
        value.and_then(Value::as_object).cloned().unwrap_or_default()
    }
}

pub(super) fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

pub(super) fn minutes(number: u64) -> Duration {
    Duration::from_secs(number * 60)
}

pub(super) fn tokens(number: u64) -> Tokens {
    Tokens(u32::try_from(number).unwrap_or(u32::MAX))
}

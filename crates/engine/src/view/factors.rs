//! The arithmetic of a score in documents and in text.

use std::fmt::Write as _;

use serde::{Serialize, Serializer, ser::SerializeMap as _};

use crate::view::{EntryView, rounded};
use pimem_core::{
    report::explain::Arithmetic,
    score::{
        policy::{PolicyParts, ebbinghaus, weighted},
        ranking::ScoredEntry,
    },
};

/// The factors or parts of a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Factors {
    Stability(Arithmetic),
    Other(PolicyParts),
}

/// The same as one object, for documents that compare policies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartsView(pub Factors);

impl Factors {
    /// Returns the score, whatever the user decided about the entry.
    #[must_use]
    pub fn score(&self) -> f64 {
        match self {
            Self::Stability(arithmetic) => arithmetic.score(),
            Self::Other(parts) => parts.score(),
        }
    }

    /// Formats the arithmetic:
    /// `0.683 = 0.7 (behavioral) × 0.890 (e^(−7.0 d / 60 d)) × 1.099 (ln(1 + 2))`.
    #[must_use]
    pub fn text(&self, entry: &EntryView) -> String {
        let mut text = match self {
            Self::Stability(arithmetic) => stability(arithmetic, entry.cue),
            Self::Other(PolicyParts::Weighted(parts)) => weighted(parts),
            Self::Other(PolicyParts::Ebbinghaus(parts)) => ebbinghaus(parts),
        };
        match entry.user_state {
            "pinned" => text.push_str(", but pinned"),
            "forgotten" => text.push_str(", but forgotten"),
            _ => {}
        }
        text
    }

    #[must_use]
    pub fn of(row: &ScoredEntry, stability: impl FnOnce() -> Arithmetic) -> Self {
        let judged = row.judged.as_ref().map(|judged| Self::Other(judged.parts));
        judged.unwrap_or_else(|| Self::Stability(stability()))
    }

    /// Returns the names and values of the parts of another policy than stability, with the text of
    /// those that are no numbers.
    fn fields(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Stability(Arithmetic {
                weight,
                age_days,
                tau_days,
                decay,
                count: _,
                evidence,
            }) => {
                vec![
                    ("weight", Value::Exact(*weight)),
                    ("ageDays", Value::Number(*age_days)),
                    ("tauDays", Value::Exact(*tau_days)),
                    ("decay", Value::Number(*decay)),
                    ("evidenceFactor", Value::Number(*evidence)),
                ]
            }
            Self::Other(PolicyParts::Weighted(parts)) => vec![
                ("category", Value::Number(parts.category)),
                ("recency", Value::Number(parts.recency)),
                ("provenance", Value::Number(parts.provenance)),
                ("access", Value::Number(parts.access)),
                ("accesses", Value::Count(parts.accesses)),
                ("ageDays", Value::Number(parts.age.days())),
                ("priority", parts.priority.map_or(Value::None, |it| Value::Number(it.get()))),
            ],
            Self::Other(PolicyParts::Ebbinghaus(parts)) => vec![
                ("importance", Value::Number(parts.base)),
                ("kind", Value::Name(parts.kind.name())),
                ("modifier", Value::Exact(parts.kind.modifier())),
                ("floor", Value::Exact(parts.kind.floor())),
                ("stability", Value::Number(parts.stability())),
                ("rate", Value::Number(parts.rate())),
                ("idleDays", Value::Number(parts.idle.days())),
                ("accesses", Value::Count(parts.accesses)),
                ("reinforcement", Value::Number(parts.reinforcement())),
            ],
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Value {
    /// Printed with six decimals.
    Number(f64),
    /// Printed as it is.
    Exact(f64),
    Count(u64),
    Name(&'static str),
    None,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_f64(rounded(*number)),
            Self::Exact(number) => serializer.serialize_f64(*number),
            Self::Count(count) => serializer.serialize_u64(*count),
            Self::Name(name) => serializer.serialize_str(name),
            Self::None => serializer.serialize_none(),
        }
    }
}

/// Stability's factors are fields of the document itself, which is older than the other policies.
impl Serialize for Factors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Stability(arithmetic) => {
                for (name, value) in self.fields() {
                    map.serialize_entry(name, &value)?;
                }
                map.serialize_entry("stability", &rounded(arithmetic.score()))?;
            }
            Self::Other(parts) => {
                let policy = match parts {
                    PolicyParts::Weighted(_) => "weighted",
                    PolicyParts::Ebbinghaus(_) => "ebbinghaus",
                };
                map.serialize_entry("policy", policy)?;
                map.serialize_entry("parts", &PartsView(*self))?;
            }
        }
        map.end()
    }
}

impl Serialize for PartsView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.fields())
    }
}

fn stability(arithmetic: &Arithmetic, cue: &str) -> String {
    let Arithmetic { weight, age_days, tau_days, decay, count, evidence } = arithmetic;
    format!(
        "{:.3} = {weight} ({cue}) × {decay:.3} (e^(−{age_days:.1} d / {tau_days} d)) × \
         {evidence:.3} (ln(1 + {count}))",
        arithmetic.score(),
    )
}

fn weighted(parts: &weighted::WeightedParts) -> String {
    let plain = weighted::WeightedParts { priority: None, ..*parts };
    let mut text = match parts.priority {
        Some(priority) => {
            format!("{:.3} (its priority), else {:.3}", priority.get(), plain.score())
        }
        None => format!("{:.3}", plain.score()),
    };
    for (at, (name, value, weight)) in parts.weighed().enumerate() {
        let sign = if at == 0 { " =" } else { " +" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{sign} {weight:.2} × {value:.3} ({name}");
        let _ = match name {
            "recency" => write!(text, ", {:.1} d)", parts.age.days()),
            "access" => write!(text, ", {})", times(parts.accesses)),
            _ => write!(text, ")"),
        };
    }
    text
}

fn times(accesses: u64) -> String {
    if accesses == 1 { "found once".to_owned() } else { format!("found {accesses} times") }
}

fn ebbinghaus(parts: &ebbinghaus::EbbinghausParts) -> String {
    let (rate, days) = (parts.rate(), parts.idle.days());
    format!(
        "{:.3} = {:.3} × {:.3} (e^(−{rate:.4} × {days:.1} d)) + {:.3} ({}), at \
         least {} ({})",
        parts.importance(),
        parts.base,
        (-rate * days).exp(),
        parts.reinforcement(),
        times(parts.accesses),
        parts.kind.floor(),
        parts.kind.name(),
    )
}

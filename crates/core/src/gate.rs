//! The gate: what becomes of a line on its way out of a store.
//!
//! Every way out (reports, hooks, searches, MCP, pages, lists, exports, handoffs) takes the fate of a
//! line from [`Facts::verdict`], so that the same line has the same fate on each. What is written for
//! an agent gets what is given. A person who asks for the rest gets it with its verdict, and with
//! secrets masked.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;

use crate::{
    model::{entry::EntryId, event::ArchiveReason},
    safety::secret,
};

/// What decides about an entry on its way out.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// True if it was written or reviewed on this machine.
    pub reviewed: bool,
    /// What kind of secret its text holds, unless a person has let this line out.
    pub secret: Option<&'static str>,
    /// True if it is pinned, and so outlives its date and what replaces it.
    pub pinned: bool,
    pub forgotten: bool,
    /// True if its date has passed.
    pub expired: bool,
    /// The entry in force that replaces it.
    pub replaced_by: Option<EntryId>,
    /// Why it was archived; `None` for a line of a topic.
    pub archived: Option<ArchiveReason>,
    /// True if its category is of another preset, and only read.
    pub unset: bool,
    /// The newer choice that seems to replace it.
    pub yields_to: Option<EntryId>,
}

/// The fate of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verdict {
    #[default]
    Given,
    Marked(Mark),
    Withheld(Withheld),
}

/// What is said of a line that is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A newer choice seems to replace it.
    SeemsReplaced(EntryId),
    /// It was archived for its age.
    Archived,
}

/// Why a line is not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
    /// It was neither written nor reviewed on this machine.
    Unreviewed,
    /// It holds what looks like a secret of this kind.
    Secret(&'static str),
    Forgotten,
    Expired,
    /// Another entry replaced it, if that is known.
    Replaced(Option<EntryId>),
    /// Another entry says the same.
    Merged,
    /// Its category is of another preset.
    Unset,
}

impl Facts {
    /// Returns the fate of an entry with these facts.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match *self {
            Self { reviewed: false, .. } => Verdict::Withheld(Withheld::Unreviewed),
            Self { secret: Some(kind), .. } => Verdict::Withheld(Withheld::Secret(kind)),
            Self { pinned: true, archived: None, .. } => Verdict::Given,
            Self { forgotten: true, .. } => Verdict::Withheld(Withheld::Forgotten),
            Self { expired: true, .. } => Verdict::Withheld(Withheld::Expired),
            Self { replaced_by: by @ Some(_), .. } => Verdict::Withheld(Withheld::Replaced(by)),
            Self { archived: Some(ArchiveReason::Person), .. } => {
                Verdict::Withheld(Withheld::Forgotten)
            }
            Self { archived: Some(ArchiveReason::Merged), .. } => {
                Verdict::Withheld(Withheld::Merged)
            }
            Self { archived: Some(ArchiveReason::Replaced), .. } => {
                Verdict::Withheld(Withheld::Replaced(None))
            }
            Self { unset: true, .. } => Verdict::Withheld(Withheld::Unset),
            Self { yields_to: Some(by), .. } => Verdict::Marked(Mark::SeemsReplaced(by)),
            Self { archived: Some(ArchiveReason::Age), .. } => Verdict::Marked(Mark::Archived),
            _ => Verdict::Given,
        }
    }
}

impl Verdict {
    /// Returns why the line is withheld; `None` if it is given.
    #[must_use]
    pub fn withheld(self) -> Option<Withheld> {
        match self {
            Self::Withheld(why) => Some(why),
            Self::Given | Self::Marked(_) => None,
        }
    }

    /// Returns true if an agent may be told the line.
    #[must_use]
    pub fn is_given(self) -> bool {
        self.withheld().is_none()
    }

    /// Returns the state of a line that is not simply in force, in a word or two.
    #[must_use]
    pub fn state(self) -> Option<&'static str> {
        match self {
            Self::Given => None,
            Self::Marked(Mark::SeemsReplaced(_)) => Some("seems replaced"),
            Self::Marked(Mark::Archived) => Some("archived"),
            Self::Withheld(why) => Some(why.state()),
        }
    }

    /// Returns the entry that replaces the line, or seems to.
    #[must_use]
    pub fn replaced_by(self) -> Option<EntryId> {
        match self {
            Self::Marked(Mark::SeemsReplaced(by))
            | Self::Withheld(Withheld::Replaced(Some(by))) => Some(by),
            _ => None,
        }
    }
}

impl Withheld {
    /// All kinds in the order in which they are counted.
    pub const STATES: [&'static str; 7] =
        ["unreviewed", "secret", "forgotten", "expired", "replaced", "merged", "unset"];

    /// Returns the state in a word or two.
    #[must_use]
    pub fn state(self) -> &'static str {
        match self {
            Self::Unreviewed => "unreviewed",
            Self::Secret(_) => "secret",
            Self::Forgotten => "forgotten",
            Self::Expired => "expired",
            Self::Replaced(_) => "replaced",
            Self::Merged => "merged",
            Self::Unset => "unset",
        }
    }
}

/// How many lines were withheld, by their state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct WithheldCounts(BTreeMap<&'static str, usize>);

impl WithheldCounts {
    pub fn add(&mut self, why: Withheld) {
        *self.0.entry(why.state()).or_default() += 1;
    }

    /// Returns the number of lines in a state.
    #[must_use]
    pub fn of(&self, state: &str) -> usize {
        self.0.get(state).copied().unwrap_or_default()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Formats the counts as `2 forgotten, 1 replaced`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let counts = Withheld::STATES.iter().map(|state| (self.of(state), state));
        let some = counts.filter(|(count, _)| *count > 0);
        some.map(|(count, state)| format!("{count} {state}")).collect::<Vec<_>>().join(", ")
    }
}

/// Returns a text that is no entry, as a section of notes or a summary of a session, without its
/// secrets.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    if secret::seen(text).is_none() {
        return text.into();
    }
    secret::redacted(text).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let own = Facts { reviewed: true, ..Facts::default() };
        let by = Some(EntryId(1));
        for (facts, state, given) in [
            (own, None, true),
            (Facts { reviewed: false, ..own }, Some("unreviewed"), false),
            (Facts { secret: Some("a token"), ..own }, Some("secret"), false),
            (Facts { forgotten: true, ..own }, Some("forgotten"), false),
            (Facts { expired: true, ..own }, Some("expired"), false),
            (Facts { replaced_by: by, ..own }, Some("replaced"), false),
            (Facts { unset: true, ..own }, Some("unset"), false),
            (Facts { yields_to: by, ..own }, Some("seems replaced"), true),
            (Facts { archived: Some(ArchiveReason::Age), ..own }, Some("archived"), true),
            (Facts { archived: Some(ArchiveReason::Person), ..own }, Some("forgotten"), false),
            (Facts { archived: Some(ArchiveReason::Replaced), ..own }, Some("replaced"), false),
            (Facts { archived: Some(ArchiveReason::Merged), ..own }, Some("merged"), false),
            (
                Facts { archived: Some(ArchiveReason::Age), expired: true, ..own },
                Some("expired"),
                false,
            ),
            // What is pinned outlives its date, and no secret.
            (Facts { pinned: true, replaced_by: by, expired: true, ..own }, None, true),
            (Facts { pinned: true, secret: Some("a token"), ..own }, Some("secret"), false),
            (Facts { pinned: true, reviewed: false, ..own }, Some("unreviewed"), false),
        ] {
            let verdict = facts.verdict();
            assert_eq!((verdict.state(), verdict.is_given()), (state, given), "{facts:?}");
            let known =
                verdict.withheld().is_none_or(|why| Withheld::STATES.contains(&why.state()));
            assert!(known, "{facts:?}");
        }
    }

    #[test]
    fn secrets_of_other_texts_are_masked() {
        let address = ["postgres://app:", "hunter2", "@db"].concat();
        let text = format!("## Staging\nIt is {address}/harbor.\n");
        assert_eq!(
            masked(&text),
            "## Staging\nIt is postgres://app:[redacted: a password in an address]@db/harbor.\n"
        );
        assert!(matches!(masked("Nothing to hide"), Cow::Borrowed(_)));
    }
}

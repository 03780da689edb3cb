//! Scoring policies: what an entry's score is computed from, and which state follows from it.
//!
//! Stability is the default, with arithmetic and caps in modules of their own. The other policies
//! have their arithmetic here, and their places in [`limits`].

pub mod ebbinghaus;
pub mod limits;
pub mod weighted;

use crate::{
    model::{
        category::Traits,
        entry::{EventId, Share},
        event::Order,
        operation::UserState,
        time::{Age, Now, Timestamp},
    },
    score::{
        access::Access,
        evidence::Evidence,
        stability::{Score, Standing, State},
    },
};

/// How entries are scored.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Policy {
    /// Cue, decay by category, and evidence.
    #[default]
    Stability,
    /// Category, recency, provenance and access.
    Weighted(weighted::Switches),
    /// Importance that fades by kind.
    Ebbinghaus(ebbinghaus::Fading),
}

/// What a policy besides stability judges an entry by.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Those of its category.
    pub traits: Traits,
    pub text: &'a str,
    /// True if the entry is in the user's store.
    pub of_user: bool,
    /// True if the line has the pinned marker.
    pub marked: bool,
    pub evidence: &'a Evidence,
    /// Time since the first add, by the store's clock.
    pub known_for: Age,
    /// Time since the last access, by the store's clock. Adding and reinforcing an entry are
    /// accesses here.
    pub untouched: Age,
    pub access: Access,
    /// Position of the first add in the log.
    pub first: Option<Order>,
}

/// How a policy besides stability came to its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    pub parts: PolicyParts,
    /// Position in the log, by which entries are in chronological order.
    pub first: Order,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PolicyParts {
    Weighted(weighted::WeightedParts),
    Ebbinghaus(ebbinghaus::EbbinghausParts),
}

impl PolicyParts {
    /// Returns the score, whatever the user decided about the entry.
    #[must_use]
    pub fn score(&self) -> f64 {
        match self {
            Self::Weighted(parts) => parts.score(),
            Self::Ebbinghaus(parts) => parts.importance(),
        }
    }

    /// Returns the parts at a later time, if nothing happens until then.
    #[must_use]
    pub fn later(self, policy: Policy, ahead: Age) -> Self {
        match self {
            Self::Weighted(parts) => {
                let decays = matches!(policy, Policy::Weighted(switches) if switches.decay);
                let age = parts.age.and(ahead);
                let recency = if decays { weighted::recency(age) } else { parts.recency };
                Self::Weighted(weighted::WeightedParts { age, recency, ..parts })
            }
            Self::Ebbinghaus(parts) => Self::Ebbinghaus(ebbinghaus::EbbinghausParts {
                idle: parts.idle.and(ahead),
                ..parts
            }),
        }
    }
}

impl Policy {
    /// The name in settings and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stability => "stability",
            Self::Weighted(_) => "weighted",
            Self::Ebbinghaus(_) => "ebbinghaus",
        }
    }

    /// Returns true for the default policy, whose arithmetic is in [`crate::score::stability`].
    #[must_use]
    pub fn is_stability(self) -> bool {
        self == Self::Stability
    }

    /// Returns how this policy scores an entry; `None` for stability.
    #[must_use]
    pub fn judge(self, of: &Subject<'_>) -> Option<Judgement> {
        let Subject { traits, text, evidence, .. } = *of;
        let parts = match self {
            Self::Stability => return None,
            Self::Weighted(switches) => PolicyParts::Weighted(weighted::WeightedParts {
                age: of.known_for,
                category: weighted::category(traits, of.of_user || weighted::is_global(text)),
                recency: if switches.decay { weighted::recency(of.known_for) } else { 1.0 },
                provenance: weighted::provenance(text),
                access: weighted::access(of.access.count),
                accesses: of.access.count,
                priority: evidence.priority,
            }),
            Self::Ebbinghaus(fading) => PolicyParts::Ebbinghaus(ebbinghaus::EbbinghausParts {
                base: evidence.importance.map_or(ebbinghaus::BASE, Share::get),
                kind: traits.knowledge,
                accesses: of.access.count,
                idle: of.untouched,
                decay_factor: fading.decay_factor,
            }),
        };
        let first = of.first.unwrap_or((evidence.first_seen, EventId(0)));
        Some(Judgement { parts, first })
    }

    /// Returns the standing of an entry with these parts.
    #[must_use]
    pub fn standing(of: &Subject<'_>, parts: &PolicyParts) -> Standing {
        match of.evidence.user {
            _ if of.marked => Standing::Pinned,
            UserState::Pinned => Standing::Pinned,
            UserState::Forgotten => Standing::Forgotten,
            UserState::Auto => Standing::Scored(Score::of(parts.score())),
        }
    }

    /// Returns the state by score alone, before caps and limits.
    #[must_use]
    pub fn state(self, standing: Standing) -> State {
        match (self, standing) {
            (Self::Stability, _) | (_, Standing::Pinned | Standing::Forgotten) => standing.state(),
            (Self::Weighted(_), Standing::Scored(_)) => State::Active,
            (Self::Ebbinghaus(fading), Standing::Scored(score)) => fading.state(score.get()),
        }
    }

    /// The least score of a state; `None` for the last one, and where states do not depend on the
    /// score.
    #[must_use]
    pub fn least(self, state: State) -> Option<f64> {
        match self {
            Self::Stability => state.least(),
            Self::Weighted(_) => None,
            Self::Ebbinghaus(fading) => fading.least(state),
        }
    }
}

/// Returns the time of the last access, reinforcement or add.
#[must_use]
pub fn last_touched(now: Now, evidence: &Evidence, access: Access) -> Timestamp {
    let accessed = access.last.map(|last| now.cap(last));
    accessed.map_or(evidence.last_reinforced, |last| last.max(evidence.last_reinforced))
}

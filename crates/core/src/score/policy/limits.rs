//! Places under the policies besides stability: which entries a report may show, and in which order.
//!
//! `weighted` has limits by scope, the newest sessions, and the latest decision of each topic.
//! `ebbinghaus` lists whatever is important enough.

use std::{
    borrow::Cow,
    cmp::{Ordering, Reverse},
    collections::HashMap,
};

use super::{Policy, weighted};
use crate::{
    model::{
        entry::EntryId,
        event::Order,
        time::{DAY_MS, Timestamp},
    },
    score::{
        caps::{Place, Placement},
        stability::{Standing, State},
    },
};

/// Places of memories that hold everywhere.
pub const GLOBAL: usize = 100;
/// Places of a project's memories.
pub const PROJECT: usize = 30;
/// Number of past sessions whose memories are listed.
pub const SESSIONS: usize = 2;
/// Prefix of the tag that names the session of a memory.
const SESSION_TAG: &str = "#session:";

/// What an entry competes with under `weighted`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Group<'a> {
    /// Memories that hold everywhere.
    Global,
    /// Memories of the project.
    Project,
    /// Memories of one session: by its tag, or else by the day.
    Session(Cow<'a, str>),
    /// Decisions on a topic; `None` for a decision that names none.
    Decision(Option<String>),
}

impl<'a> Group<'a> {
    /// Returns the group of an entry. `of_user` is true in the user's store.
    #[must_use]
    pub fn of(category: &str, text: &'a str, of_user: bool, first_seen: Timestamp) -> Self {
        match category {
            "session" => {
                let named = weighted::tags(text).find_map(|tag| tag.strip_prefix(SESSION_TAG));
                let day = || Cow::Owned(first_seen.0.div_euclid(DAY_MS).to_string());
                Self::Session(named.map_or_else(day, Cow::Borrowed))
            }
            "decision" => Self::Decision(topic(text)),
            _ if of_user || weighted::is_global(text) => Self::Global,
            _ => Self::Project,
        }
    }
}

/// Returns the first `[[link]]` of a text, in lower case.
fn topic(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("[[")?;
    let (link, _) = rest.split_once("]]")?;
    let link = link.trim().to_lowercase();
    (!link.is_empty()).then_some(link)
}

/// The properties of an entry that decide its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender<'a> {
    pub id: EntryId,
    pub standing: Standing,
    /// Position of its first add.
    pub first: Order,
    /// Latest add or reinforcement.
    pub last_reinforced: Timestamp,
    /// True if superseded or expired.
    pub excluded: bool,
    /// False for entries that were not reviewed.
    pub reviewed: bool,
    /// True if harm outweighs all other evidence.
    pub spent: bool,
    pub group: Group<'a>,
}

/// Returns true if `policy` lists entries in chronological order.
#[must_use]
pub fn is_chronological(policy: Policy) -> bool {
    matches!(policy, Policy::Weighted(switches) if !switches.scoring)
}

/// Compares entries in ranking order. Under `weighted` the older one comes first among equals.
fn order(policy: Policy, a: &Contender<'_>, b: &Contender<'_>) -> Ordering {
    let class = |of: &Contender<'_>| match of.standing {
        Standing::Pinned => 0,
        Standing::Scored(_) => 1,
        Standing::Forgotten => 2,
    };
    match policy {
        _ if is_chronological(policy) => (class(a), a.first, a.id).cmp(&(class(b), b.first, b.id)),
        Policy::Weighted(_) => {
            b.standing.cmp(&a.standing).then_with(|| (a.first, a.id).cmp(&(b.first, b.id)))
        }
        _ => (b.standing, b.last_reinforced)
            .cmp(&(a.standing, a.last_reinforced))
            .then(a.id.cmp(&b.id)),
    }
}

/// Places every entry. Returns the placements in the order of `all`, and the ranking as indexes,
/// best first.
#[must_use]
pub fn place(policy: Policy, all: &[Contender<'_>]) -> (Vec<Placement>, Vec<usize>) {
    let mut ranked: Vec<usize> = (0..all.len()).collect();
    ranked.sort_unstable_by(|a, b| match (all.get(*a), all.get(*b)) {
        (Some(a), Some(b)) => order(policy, a, b),
        _ => Ordering::Equal,
    });
    let mut places: Vec<Place> = all.iter().map(first_look).collect();
    let waits = |at: &usize| places.get(*at) == Some(&Place::TooWeak);
    let mut waiting: Vec<usize> = ranked.iter().copied().filter(waits).collect();
    match policy {
        Policy::Weighted(_) => {
            // In chronological order, the newest are kept.
            if is_chronological(policy) {
                waiting.reverse();
            }
            within_limits(all, &waiting, &mut places);
        }
        _ => {
            let kept = |at: &usize| {
                all.get(*at).is_some_and(|one| policy.state(one.standing) != State::Dropped)
            };
            for (rank, at) in (1..).zip(waiting.into_iter().filter(kept)) {
                if let Some(place) = places.get_mut(at) {
                    *place = Place::Listed(rank);
                }
            }
        }
    }
    let placement = |(one, place): (&Contender<'_>, Place)| Placement {
        state: state(policy, one, place),
        place,
    };
    (all.iter().zip(places).map(placement).collect(), ranked)
}

/// Returns the placement before limits. `TooWeak` stands for "no place yet".
fn first_look(one: &Contender<'_>) -> Place {
    match one.standing {
        _ if !one.reviewed => Place::Unreviewed,
        _ if one.excluded => Place::Excluded,
        Standing::Pinned => Place::Pinned,
        Standing::Forgotten => Place::Forgotten,
        Standing::Scored(_) if one.spent => Place::Spent,
        Standing::Scored(_) => Place::TooWeak,
    }
}

fn state(policy: Policy, one: &Contender<'_>, place: Place) -> State {
    let by_score = match (policy, place) {
        (_, Place::Spent) => State::Dropped,
        (Policy::Weighted(_), place) if !place.eligible() && place != Place::Forgotten => {
            State::Provisional
        }
        _ => policy.state(one.standing),
    };
    // An unreviewed entry stays a candidate until it is reviewed.
    if one.reviewed { by_score } else { by_score.min(State::Candidate) }
}

/// Gives places by the limits of `weighted`; `waiting` is in the order of preference.
fn within_limits(all: &[Contender<'_>], waiting: &[usize], places: &mut [Place]) {
    let waits = || waiting.iter().filter_map(|at| Some((*at, all.get(*at)?)));
    let mut latest: HashMap<&str, Order> = HashMap::new();
    let mut sessions: HashMap<&str, Order> = HashMap::new();
    for (_, one) in waits() {
        let (newest, group) = match &one.group {
            Group::Decision(Some(topic)) => (&mut latest, topic.as_str()),
            Group::Session(session) => (&mut sessions, session.as_ref()),
            _ => continue,
        };
        let known = newest.entry(group).or_insert(one.first);
        *known = one.first.max(*known);
    }
    let mut newest: Vec<(Order, &str)> = sessions.into_iter().map(|(of, at)| (at, of)).collect();
    newest.sort_unstable_by_key(|known| Reverse(*known));
    newest.truncate(SESSIONS);
    let (mut globals, mut of_project, mut of_sessions) = (0, 0, 0);
    let listed = |count: &mut usize, limit: usize| {
        *count += 1;
        if *count <= limit { Place::Listed(*count) } else { Place::OverLimit }
    };
    for (at, one) in waits() {
        let place = match &one.group {
            Group::Global => listed(&mut globals, GLOBAL),
            Group::Project => listed(&mut of_project, PROJECT),
            Group::Session(session) if newest.iter().any(|(_, of)| of == session) => {
                listed(&mut of_sessions, usize::MAX)
            }
            Group::Session(_) => Place::OlderSession,
            Group::Decision(Some(topic)) if latest.get(topic.as_str()) != Some(&one.first) => {
                Place::OlderDecision
            }
            Group::Decision(_) => Place::Always,
        };
        if let Some(slot) = places.get_mut(at) {
            *slot = place;
        }
    }
}

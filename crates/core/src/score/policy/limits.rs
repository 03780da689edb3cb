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
        category::ListedAs,
        entry::EntryId,
        event::Order,
        time::{DAY_MS, Timestamp},
    },
    score::{
        caps::{CapPlace, Placement},
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
pub enum LimitGroup<'a> {
    Global,
    Project,
    /// Memories of one session: by its tag, or else by the day.
    Session(Cow<'a, str>),
    /// Decisions on a topic; `None` for a decision that names none.
    Decision(Option<String>),
}

impl<'a> LimitGroup<'a> {
    /// Returns the group of an entry. `of_user` is true in the user's store.
    #[must_use]
    pub fn of(listed: ListedAs, text: &'a str, of_user: bool, first_seen: Timestamp) -> Self {
        match listed {
            ListedAs::BySession => {
                let named = weighted::tags(text).find_map(|tag| tag.strip_prefix(SESSION_TAG));
                let day = || Cow::Owned(first_seen.0.div_euclid(DAY_MS).to_string());
                Self::Session(named.map_or_else(day, Cow::Borrowed))
            }
            ListedAs::ByTopic => Self::Decision(topic(text)),
            ListedAs::ByScope if of_user || weighted::is_global(text) => Self::Global,
            ListedAs::ByScope => Self::Project,
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
    pub reviewed: bool,
    /// True if harm outweighs all other evidence.
    pub spent: bool,
    pub group: LimitGroup<'a>,
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
    let mut places: Vec<CapPlace> = all.iter().map(first_look).collect();
    let waits = |at: &usize| places.get(*at) == Some(&CapPlace::TooWeak);
    let mut waiting: Vec<usize> = ranked.iter().copied().filter(waits).collect();
    if let Policy::Weighted(_) = policy {
        // In chronological order, the newest are kept.
        if is_chronological(policy) {
            waiting.reverse();
        }
        within_limits(all, &waiting, &mut places);
    } else {
        let kept = |at: &usize| {
            all.get(*at).is_some_and(|one| policy.state(one.standing) != State::Dropped)
        };
        for (rank, at) in (1..).zip(waiting.into_iter().filter(kept)) {
            if let Some(place) = places.get_mut(at) {
                *place = CapPlace::Listed(rank);
            }
        }
    }
    let placement = |(one, place): (&Contender<'_>, CapPlace)| Placement {
        state: state(policy, one, place),
        place,
    };
    (all.iter().zip(places).map(placement).collect(), ranked)
}

/// Returns the placement before limits. `TooWeak` stands for "no place yet".
fn first_look(one: &Contender<'_>) -> CapPlace {
    match one.standing {
        _ if !one.reviewed => CapPlace::Unreviewed,
        _ if one.excluded => CapPlace::Excluded,
        Standing::Pinned => CapPlace::Pinned,
        Standing::Forgotten => CapPlace::Forgotten,
        Standing::Scored(_) if one.spent => CapPlace::Spent,
        Standing::Scored(_) => CapPlace::TooWeak,
    }
}

fn state(policy: Policy, one: &Contender<'_>, place: CapPlace) -> State {
    let by_score = match (policy, place) {
        (_, CapPlace::Spent) => State::Dropped,
        (Policy::Weighted(_), place) if !place.eligible() && place != CapPlace::Forgotten => {
            State::Provisional
        }
        _ => policy.state(one.standing),
    };
    // An unreviewed entry stays a candidate until it is reviewed.
    if one.reviewed { by_score } else { by_score.min(State::Candidate) }
}

/// Gives places by the limits of `weighted`; `waiting` is in the order of preference.
fn within_limits(all: &[Contender<'_>], waiting: &[usize], places: &mut [CapPlace]) {
    let waits = || waiting.iter().filter_map(|at| Some((*at, all.get(*at)?)));
    let mut latest: HashMap<&str, Order> = HashMap::new();
    let mut sessions: HashMap<&str, Order> = HashMap::new();
    for (_, one) in waits() {
        let (newest, group) = match &one.group {
            LimitGroup::Decision(Some(topic)) => (&mut latest, topic.as_str()),
            LimitGroup::Session(session) => (&mut sessions, session.as_ref()),
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
        if *count <= limit { CapPlace::Listed(*count) } else { CapPlace::OverLimit }
    };
    for (at, one) in waits() {
        let place = match &one.group {
            LimitGroup::Global => listed(&mut globals, GLOBAL),
            LimitGroup::Project => listed(&mut of_project, PROJECT),
            LimitGroup::Session(session) if newest.iter().any(|(_, of)| of == session) => {
                listed(&mut of_sessions, usize::MAX)
            }
            LimitGroup::Session(_) => CapPlace::OlderSession,
            LimitGroup::Decision(Some(topic)) if latest.get(topic.as_str()) != Some(&one.first) => {
                CapPlace::OlderDecision
            }
            LimitGroup::Decision(_) => CapPlace::Always,
        };
        if let Some(slot) = places.get_mut(at) {
            *slot = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::category::Traits,
        model::entry::EventId,
        score::{
            policy::{ebbinghaus::Fading, weighted::Switches},
            stability::Score,
        },
    };

    const WEIGHTED: Policy = Policy::Weighted(Switches { scoring: true, decay: true });
    const CHRONOLOGICAL: Policy = Policy::Weighted(Switches { scoring: false, decay: true });
    const EBBINGHAUS: Policy =
        Policy::Ebbinghaus(Fading { decay_factor: 0.95, min_importance: 0.1 });

    /// Returns an entry of a category, added as the `at`-th one.
    fn entry<'a>(at: i64, category: &str, text: &'a str, score: f64) -> Contender<'a> {
        let seen = Timestamp(at * DAY_MS);
        Contender {
            id: EntryId(at.unsigned_abs()),
            standing: Standing::Scored(Score::of(score)),
            first: (seen, EventId(0)),
            last_reinforced: seen,
            excluded: false,
            reviewed: true,
            spent: false,
            group: LimitGroup::of(Traits::of(category).listed, text, text.contains("(user)"), seen),
        }
    }

    fn places(policy: Policy, all: &[Contender<'_>]) -> Vec<CapPlace> {
        place(policy, all).0.into_iter().map(|placed| placed.place).collect()
    }

    #[test]
    fn groups() {
        let seen = Timestamp(3 * DAY_MS + 5);
        for (category, text, of_user, want) in [
            ("lesson", "x", false, LimitGroup::Project),
            ("lesson", "x", true, LimitGroup::Global),
            ("gotcha", "x #scope:global", false, LimitGroup::Global),
            ("session", "x", true, LimitGroup::Session("3".into())),
            ("session", "x #session:a1.", false, LimitGroup::Session("a1".into())),
            ("decision", "x", true, LimitGroup::Decision(None)),
            (
                "decision",
                "[[ Database ]] and [[other]]",
                false,
                LimitGroup::Decision(Some("database".into())),
            ),
            ("decision", "[[]] x", false, LimitGroup::Decision(None)),
            ("decision", "[[open", false, LimitGroup::Decision(None)),
        ] {
            assert_eq!(
                LimitGroup::of(Traits::of(category).listed, text, of_user, seen),
                want,
                "{category} {text}"
            );
        }
    }

    #[test]
    fn limits_by_scope() {
        for (text, limit) in [("x", PROJECT), ("x (user)", GLOBAL), ("x #scope:global", GLOBAL)] {
            let all: Vec<Contender<'_>> =
                (0..120).map(|at| entry(at, "lesson", text, 0.001 * at as f64)).collect();
            let (placed, ranked) = place(WEIGHTED, &all);
            assert_eq!(ranked[0], 119, "the highest score is the first");
            let listed: Vec<usize> =
                (0..120).filter(|at| matches!(placed[*at].place, CapPlace::Listed(_))).collect();
            assert_eq!(listed, (120 - limit..120).collect::<Vec<_>>(), "{text}");
            assert_eq!(placed[119].place, CapPlace::Listed(1));
            assert_eq!(
                (placed[0].place, placed[0].state),
                (CapPlace::OverLimit, State::Provisional)
            );
            assert_eq!(placed[119].state, State::Active);
        }
        // The two do not compete.
        let mut all: Vec<Contender<'_>> = (0..30).map(|at| entry(at, "lesson", "x", 0.5)).collect();
        all.extend((30..130).map(|at| entry(at, "lesson", "x (user)", 0.9)));
        assert!(places(WEIGHTED, &all).iter().all(|place| place.eligible()));
    }

    #[test]
    fn the_latest_decision_of_each_topic_and_the_newest_sessions() {
        let all = [
            entry(1, "decision", "Use A [[db]]", 0.9),
            entry(2, "decision", "Use B [[DB]]", 0.1),
            entry(3, "decision", "Use C", 0.0),
            entry(4, "session", "one #session:a", 0.4),
            entry(5, "session", "two #session:b", 0.3),
            entry(6, "session", "three #session:c", 0.2),
            entry(7, "session", "two again #session:b", 0.1),
        ];
        let want = [
            CapPlace::OlderDecision,
            CapPlace::Always,
            CapPlace::Always,
            CapPlace::OlderSession,
            CapPlace::Listed(1),
            CapPlace::Listed(2),
            CapPlace::Listed(3),
        ];
        assert_eq!(places(WEIGHTED, &all), want);
        // A decision that is out of force is not the latest.
        let mut all = all;
        all[1].excluded = true;
        assert_eq!(places(WEIGHTED, &all)[..2], [CapPlace::Always, CapPlace::Excluded]);
    }

    #[test]
    fn order_and_ties() {
        let all = [
            entry(3, "lesson", "x", 0.5),
            entry(1, "lesson", "x", 0.5),
            entry(2, "lesson", "x", 0.7),
        ];
        assert_eq!(place(WEIGHTED, &all).1, [2, 1, 0], "the older one of equals comes first");
        assert_eq!(place(CHRONOLOGICAL, &all).1, [1, 2, 0]);
        assert_eq!(place(EBBINGHAUS, &all).1, [2, 0, 1], "the newer one of equals comes first");
        // The newest are kept where all are chronological.
        let many: Vec<Contender<'_>> =
            (0..40).map(|at| entry(at, "lesson", "x", 1.0 - 0.01 * at as f64)).collect();
        let placed = places(CHRONOLOGICAL, &many);
        assert_eq!(
            (placed[9], placed[10], placed[39]),
            (CapPlace::OverLimit, CapPlace::Listed(30), CapPlace::Listed(1))
        );
    }

    #[test]
    fn what_is_out() {
        let scored = entry(1, "lesson", "x", 0.9);
        let standing = |standing| Contender { standing, ..scored.clone() };
        for policy in [WEIGHTED, EBBINGHAUS] {
            for (one, place, state) in [
                (standing(Standing::Pinned), CapPlace::Pinned, State::Active),
                (standing(Standing::Forgotten), CapPlace::Forgotten, State::Dropped),
                (Contender { spent: true, ..scored.clone() }, CapPlace::Spent, State::Dropped),
                (scored.clone(), CapPlace::Listed(1), State::Active),
            ] {
                let placed = super::place(policy, std::slice::from_ref(&one)).0[0];
                assert_eq!((placed.place, placed.state), (place, state), "{policy:?}");
                let strange = Contender { reviewed: false, ..one };
                let placed = super::place(policy, &[strange]).0[0];
                assert_eq!(placed.place, CapPlace::Unreviewed);
                assert!(placed.state <= State::Candidate);
            }
        }
        for (score, place, state) in [
            (0.5, CapPlace::Listed(1), State::Active),
            (0.3, CapPlace::Listed(1), State::Provisional),
            (0.1, CapPlace::Listed(1), State::Candidate),
            (0.09, CapPlace::TooWeak, State::Dropped),
        ] {
            let placed = super::place(EBBINGHAUS, &[entry(1, "fact", "x", score)]).0[0];
            assert_eq!((placed.place, placed.state), (place, state), "{score}");
        }
    }
}

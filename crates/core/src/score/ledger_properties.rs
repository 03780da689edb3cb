//! Properties of the fold that hold for any events.

use proptest::prelude::*;

use super::{
    tests::{NOW, add, by, edit, event, ledger},
    *,
};
use crate::{
    model::{entry::Share, event::EventKind, time::DAY_MS},
    score::oracle,
};

fn any_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        15 => lasting_kind(),
        1 => prop::collection::vec(0..40_u128, 0..4).prop_map(retract),
        1 => Just(EventKind::PURGE),
    ]
}

/// Generates kinds of events other than retractions.
fn lasting_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        3 => prop::sample::select(Cue::ALL.to_vec()).prop_map(|cue| EventKind::Add(cue, None)),
        1 => (1..5_u32).prop_map(EventKind::Reinforce),
        1 => (1..3_u32).prop_map(EventKind::Harmful),
        1 => Just(EventKind::Pin),
        1 => Just(EventKind::Unpin),
        1 => Just(EventKind::Forget),
        1 => Just(EventKind::Restore),
        1 => (0..4_usize).prop_map(|at| EventKind::Archive(ArchiveReason::ALL[at])),
        2 => (0..6_u64).prop_map(edit),
        1 => prop::collection::vec((0..6_u64).prop_map(EntryId), 0..3).prop_map(EventKind::Merge),
        2 => (0..6_u64).prop_map(|id| EventKind::Supersede(EntryId(id))),
        1 => (0..99_i64).prop_map(|at| EventKind::Expire(Timestamp(at))),
        1 => (0..4_u8).prop_map(|n| EventKind::Priority(Share::clamped(f64::from(n) / 3.0))),
        1 => (0..4_u8).prop_map(|n| EventKind::Importance(Share::clamped(f64::from(n) / 3.0))),
        1 => Just(EventKind::Move("lessons".into())),
        1 => (0..2_u64, 0..9_u64).prop_map(|(device, n)| EventKind::Access { device, n }),
        1 => Just(EventKind::Held),
    ]
}

/// Retracts events by the random part of their ids, at any of the generated times.
fn retract(ids: Vec<u128>) -> EventKind {
    let of = |id: u128| (0..60).map(move |ts| EventId::new(Timestamp(ts), id));
    EventKind::Retract(ids.into_iter().flat_map(of).collect())
}

/// Generates events that share times, and sometimes ids. Some are in the future, and some ids have
/// another time than their event.
fn any_event() -> impl Strategy<Value = Event> {
    let authors = [Author::Person, Author::Person, Author::Program, Author::Adoption];
    let ts = prop_oneof![
        9 => 0..60_i64,
        1 => (102..110_i64).prop_map(|day| day * DAY_MS),
    ];
    let author = prop::sample::select(authors.to_vec());
    let id = prop_oneof![9 => 0..40_u128, 1 => any::<u128>()];
    (author, id, 0..6_u64, ts, any_kind(), any::<bool>()).prop_map(
        |(author, id, entry, ts, kind, far)| {
            let event = by(author, id, ts, entry, kind);
            if far && id > 40 { Event { id: EventId(id), ..event } } else { event }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_order_repeats_and_unions_agree(
        events in prop::collection::vec(any_event(), 0..30),
        order in any::<u64>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let straight = ledger(&events);
        let mut shuffled: Vec<Event> = events.clone();
        shuffled.sort_by_key(|event| {
            (event.fingerprint() ^ u64::try_from(event.id.0 & 0xff).unwrap()).wrapping_mul(order | 1)
        });
        let cut = cut.index(events.len() + 1);
        let union: Vec<Event> =
            shuffled[..cut].iter().chain(&events).chain(&shuffled[cut..]).cloned().collect();
        let nobody = IdSet::default();
        for other in [ledger(&shuffled), ledger(&union)] {
            prop_assert_eq!(straight.len(), other.len());
            prop_assert_eq!(straight.strengths(), other.strengths());
            prop_assert_eq!(straight.vanished(&nobody), other.vanished(&nobody));
            for id in (0..6).map(EntryId) {
                for now in [NOW, Now(Timestamp(30)), Now(Timestamp(105 * DAY_MS))] {
                    prop_assert_eq!(straight.evidence(now, id), other.evidence(now, id));
                }
                prop_assert_eq!(straight.archived(id), other.archived(id));
                prop_assert_eq!(straight.decided(id), other.decided(id));
                prop_assert_eq!(straight.newest(id), other.newest(id));
                prop_assert_eq!(straight.is_gone(id), other.is_gone(id));
                prop_assert_eq!(straight.is_used(id), other.is_used(id));
                prop_assert_eq!(straight.told(id), other.told(id));
                prop_assert_eq!(straight.held(id), other.held(id));
            }
        }
    }

    /// What was purged may be in a log still, or be dropped from it.
    #[test]
    fn purged_events_may_be_dropped(events in prop::collection::vec(any_event(), 0..30)) {
        let all = ledger(&events);
        let kept: Vec<Event> = events
            .iter()
            .filter(|event| all.purges().get(&event.entry).is_none_or(|at| event.order() >= *at))
            .cloned()
            .collect();
        let other = ledger(&kept);
        prop_assert_eq!(all.strengths(), other.strengths());
        prop_assert_eq!(format!("{:?}", all.days()), format!("{:?}", other.days()));
        for id in (0..6).map(EntryId) {
            prop_assert_eq!(all.evidence(NOW, id), other.evidence(NOW, id));
            prop_assert_eq!(all.archived(id), other.archived(id));
            prop_assert_eq!(all.newest(id), other.newest(id));
            prop_assert_eq!(all.is_gone(id), other.is_gone(id));
            prop_assert_eq!(all.told(id), other.told(id));
            prop_assert_eq!(all.held(id), other.held(id));
        }
    }

    /// The fold agrees with the rules applied to all events one after the other.
    #[test]
    fn agrees_with_the_rules(events in prop::collection::vec(any_event(), 0..30)) {
        let ledger = ledger(&events);
        for now in [NOW, Now(Timestamp(30)), Now(Timestamp(105 * DAY_MS))] {
            for id in (0..6).map(EntryId) {
                prop_assert_eq!(ledger.evidence(now, id), oracle::evidence(now, &events, id));
            }
        }
    }

    #[test]
    fn what_is_reworded_is_free_of_its_old_wording(
        before in prop::collection::vec(any_event(), 0..12),
        after in prop::collection::vec(lasting_kind(), 1..12),
    ) {
        let (old, new) = (EntryId(0), EntryId(7));
        // The edit is dated by a clock that was far ahead; later uses are dated now.
        let near = |event: &&Event| event.ts <= NOW.horizon();
        let before: Vec<Event> = before.iter().filter(near).cloned().collect();
        let mut ledger = ledger(&before);
        let mut clock = NOW.0.0;
        let mut say = |ledger: &mut Ledger, entry, kind| {
            clock += 1;
            let (ts, id) = ledger.place(Now(Timestamp(clock)), entry, &kind, 5).unwrap();
            ledger.fold(&Event { id, ts, entry, by: Author::Person, kind });
        };
        say(&mut ledger, old, add());
        say(&mut ledger, new, edit(0));
        let then = ledger.evidence(NOW, new);
        say(&mut ledger, old, add());
        for kind in after {
            say(&mut ledger, old, kind);
            prop_assert_eq!(ledger.evidence(NOW, new), then.clone());
        }
    }

    /// Of entries that replaced one another, the last chosen ones stay in force.
    #[test]
    fn the_newest_choice_stands(
        acts in prop::collection::vec((0..4_u64, 0..4_u64, any::<bool>()), 1..20),
        still in any::<bool>(),
    ) {
        let mut ledger = Ledger::default();
        let mut out = BTreeSet::new();
        for (n, (new, old, replaces)) in (0..).zip(acts) {
            let now = Now(Timestamp(if still { 50 } else { 50 + n }));
            let mut say = |entry, kind| {
                let (ts, id) = ledger.place(now, entry, &kind, 5).unwrap();
                ledger.fold(&Event { id, ts, entry, by: Author::Person, kind });
            };
            say(EntryId(new), if n % 2 == 0 { add() } else { EventKind::Reinforce(1) });
            out.remove(&new);
            if replaces && new != old {
                say(EntryId(old), EventKind::Supersede(EntryId(new)));
                out.insert(old);
            }
            prop_assert!(out.len() < 4, "one of them is shown");
            for id in 0..4 {
                let known = ledger.evidence(now, EntryId(id));
                let replaced = known.is_some_and(|known| !known.superseded_by.is_empty());
                let added = ledger.knows(EntryId(id));
                prop_assert_eq!(replaced, added && out.contains(&id), "{}", id);
            }
        }
    }

    /// In any union of branches, at least one of the entries that replace one another stays in
    /// force.
    #[test]
    fn never_all_replaced(
        events in prop::collection::vec((0..4_u64, 0..4_u64, 0..9_i64, any::<u64>()), 1..12),
    ) {
        let all = events.iter().map(|(old, by, ts, n)| {
            event(u128::from(*n), *ts, *old, EventKind::Supersede(EntryId(*by)))
        });
        let added = (0..4).map(|id| self::by(Author::Program, 1, 0, id, add()));
        let ledger = ledger(&added.chain(all).collect::<Vec<_>>());
        let stands = |id: u64| {
            let by = ledger.evidence(NOW, EntryId(id)).unwrap().superseded_by;
            by.iter().all(|by| by.0 == id)
        };
        prop_assert!((0..4).any(stands));
    }
}

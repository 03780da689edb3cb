//! Tests of the fold: the evidence of given events, in any order.

use super::*;
use crate::model::{event::EventKind, time::DAY_MS};

/// Later than all events, except those dated in the future.
pub(super) const NOW: Now = Now(Timestamp(100 * DAY_MS));

pub(super) fn event(n: u128, ts: i64, entry: u64, kind: EventKind) -> Event {
    by(Author::Person, n, ts, entry, kind)
}

pub(super) fn by(author: Author, n: u128, ts: i64, entry: u64, kind: EventKind) -> Event {
    let ts = Timestamp(ts);
    Event { id: EventId::new(ts, n), ts, entry: EntryId(entry), by: author, kind }
}

pub(super) fn add() -> EventKind {
    EventKind::Add(Cue::Explicit, None)
}

pub(super) fn edit(from: u64) -> EventKind {
    EventKind::Edit(EntryId(from), None)
}

pub(super) fn ledger(events: &[Event]) -> Ledger {
    let mut ledger = Ledger::default();
    for event in events {
        ledger.fold(event);
    }
    ledger
}

fn evidence(events: &[Event], id: u64) -> Evidence {
    ledger(events).evidence(NOW, EntryId(id)).unwrap()
}

#[test]
fn counts() {
    let first = event(1, 10, 1, add());
    let three = event(2, 30, 1, EventKind::Reinforce(3));
    let harm = event(3, 40, 1, EventKind::Harmful(1));
    assert_eq!(evidence(std::slice::from_ref(&first), 1).count, 1);
    let two = evidence(&[first.clone(), three.clone(), three.clone()], 1);
    assert_eq!((two.count, two.last_reinforced, two.first_seen), (4, Timestamp(30), Timestamp(10)));
    assert_eq!(evidence(&[first.clone(), three, harm.clone()], 1).count, 0);
    assert_eq!(evidence(&[first.clone(), harm], 1).last_reinforced, Timestamp(10));
    // Two branches that both added the line hold one memory, not two.
    let again = event(9, 5, 1, EventKind::Add(Cue::Behavioral, None));
    let both = evidence(&[first, again], 1);
    assert_eq!((both.count, both.cue, both.first_seen), (1, Cue::Explicit, Timestamp(5)));
}

/// Logs written by hand may give two events one id. Different events both count; a repeated one
/// counts once.
#[test]
fn events_that_share_an_id() {
    let n = |n| event(1, 10, 1, EventKind::Reinforce(n));
    let programs = by(Author::Program, 1, 10, 1, EventKind::Reinforce(2));
    let all = [event(0, 5, 1, add()), n(2), n(3), n(2), programs];
    assert_eq!(evidence(&all, 1).count, 1 + 2 + 3 + 2);
    let (mut there, back): (Vec<Event>, Vec<Event>) =
        (all.to_vec(), all.iter().rev().cloned().collect());
    assert_eq!(evidence(&there, 1), evidence(&back, 1));
    there.extend(back);
    assert_eq!(ledger(&there).len(), 4);
}

#[test]
fn edits_and_merges_carry_evidence() {
    let events = [
        event(1, 10, 1, add()),
        event(2, 20, 1, EventKind::Reinforce(2)),
        event(3, 30, 2, edit(1)),
        event(4, 40, 3, EventKind::Add(Cue::Behavioral, None)),
        event(5, 50, 3, EventKind::Merge(vec![EntryId(2), EntryId(8)])),
        event(6, 60, 1, edit(2)),
    ];
    assert_eq!(evidence(&events, 2).count, 3, "an edit is the same memory");
    let told =
        |id| Evidence { chosen: None, superseded_by: BTreeSet::new(), ..evidence(&events, id) };
    assert_eq!(told(1), told(2), "edited back: the cycle ends");
    let by = |id| evidence(&events, id).superseded_by;
    assert_eq!((by(1), by(2)), (BTreeSet::new(), BTreeSet::from([EntryId(1)])));
    assert_eq!(evidence(&events, 1).choice(), events[5].order());
    assert_eq!(evidence(&events, 3).choice(), events[3].order(), "a merge is no choice");
    let merged = evidence(&events, 3);
    assert_eq!((merged.count, merged.cue), (4, Cue::Explicit), "nobody knows the eighth");
    assert_eq!(merged.first_seen, Timestamp(10));
}

/// Events about the old wording after an edit do not affect the new one.
#[test]
fn a_source_hands_over_what_it_had_by_then() {
    let before = [
        event(1, 10, 1, add()),
        event(2, 20, 1, EventKind::Pin),
        event(3, 30, 1, EventKind::Expire(Timestamp(500))),
        event(4, 40, 2, edit(1)),
        event(5, 45, 3, EventKind::Merge(vec![EntryId(1)])),
    ];
    let had = evidence(&before, 2);
    assert_eq!((had.user, had.until), (UserState::Pinned, Some(Timestamp(500))));
    for kind in [
        EventKind::Reinforce(20),
        EventKind::Harmful(1),
        EventKind::Unpin,
        EventKind::Forget,
        EventKind::Restore,
        EventKind::Archive(ArchiveReason::Person),
        EventKind::Expire(Timestamp(60)),
        EventKind::Supersede(EntryId(9)),
        edit(9),
        EventKind::Merge(vec![EntryId(9)]),
    ] {
        let after = [event(6, 50, 1, add()), event(7, 60, 1, kind.clone())];
        let all = [&before[..], &after].concat();
        for id in [2, 3] {
            assert_eq!(evidence(&all, id), evidence(&before, id), "{id} after {kind:?}");
        }
    }
    // The clock was behind, so the edit is older than its source.
    let late = [event(1, 50, 1, add()), event(2, 60, 1, EventKind::Pin), event(3, 40, 2, edit(1))];
    assert_eq!(evidence(&late, 2).user, UserState::Pinned);
}

/// A line typed by hand is wanted, whatever was decided about its old wording.
#[test]
fn a_hand_edit_takes_over_no_decision_against_it() {
    let rename = |author| by(author, 9, 60, 2, edit(1));
    for (kind, typed) in [
        (EventKind::Forget, (UserState::Forgotten, None, 0)),
        (EventKind::Expire(Timestamp(50)), (UserState::Pinned, Some(Timestamp(50)), 0)),
        // Rewording is a choice, and the newest one stands.
        (EventKind::Supersede(EntryId(7)), (UserState::Pinned, None, 0)),
    ] {
        let events = [
            event(1, 10, 1, add()),
            event(2, 20, 1, EventKind::Pin),
            event(3, 30, 1, EventKind::Reinforce(4)),
            event(4, 40, 1, kind.clone()),
        ];
        let after = |author| evidence(&[&events[..], &[rename(author)]].concat(), 2);
        let told = |known: &Evidence| (known.user, known.until, known.superseded_by.len());
        assert_eq!(told(&after(Author::Person)), typed, "{kind:?}");
        let hand = after(Author::Adoption);
        let user = if kind == EventKind::Forget { UserState::Auto } else { UserState::Pinned };
        assert_eq!(told(&hand), (user, None, 0), "{kind:?}");
        assert_eq!((hand.count, hand.first_seen), (5, Timestamp(10)), "{kind:?}");
        // Decisions about the new wording count, and are handed over by it.
        let later = [rename(Author::Adoption), event(10, 70, 2, kind), event(11, 80, 3, edit(2))];
        let later = evidence(&[&events[..], &later].concat(), 3);
        assert_eq!((later.until, later.superseded_by.len()), (typed.1, typed.2));
        assert_eq!(later.user == UserState::Forgotten, typed.0 == UserState::Forgotten);
    }
}

#[test]
fn the_latest_decision_wins() {
    let mut events = vec![event(1, 10, 1, add())];
    for (n, ts, kind, want) in [
        (2, 20, EventKind::Pin, UserState::Pinned),
        (3, 15, EventKind::Forget, UserState::Pinned),
        (4, 30, EventKind::Unpin, UserState::Auto),
        (5, 30, EventKind::Forget, UserState::Forgotten),
        (6, 40, EventKind::Restore, UserState::Auto),
    ] {
        events.push(event(n, ts, 1, kind));
        assert_eq!(evidence(&events, 1).user, want, "event {n}");
        assert_eq!(ledger(&events).decided(EntryId(1)), Some(want), "event {n}");
    }
    assert_eq!(ledger(&events[..1]).decided(EntryId(1)), None);
    assert_eq!(ledger(&events[1..]).evidence(NOW, EntryId(1)), None, "no add: written by hand");
    events.truncate(2);
    events.push(event(7, 50, 1, EventKind::Forget));
    assert_eq!(ledger(&events).before_forgetting(EntryId(1)), UserState::Pinned);
}

/// A person's use of a superseded entry ends the supersession; a program's does not.
#[test]
fn what_ends_a_supersession() {
    let replaced = [
        event(1, 10, 1, add()),
        event(2, 20, 2, add()),
        event(3, 30, 1, EventKind::Supersede(EntryId(2))),
    ];
    assert_eq!(evidence(&replaced, 1).superseded_by, BTreeSet::from([EntryId(2)]));
    for (last, ends) in [
        (event(4, 40, 1, add()), true),
        (event(4, 40, 1, EventKind::Reinforce(1)), true),
        (event(4, 40, 1, EventKind::Restore), true),
        (by(Author::Program, 4, 40, 1, EventKind::Restore), true),
        (event(4, 40, 3, EventKind::Supersede(EntryId(1))), true),
        (event(4, 25, 1, add()), false),
        (by(Author::Program, 4, 40, 1, add()), false),
        (by(Author::Adoption, 4, 40, 1, add()), false),
        (by(Author::Program, 4, 40, 1, EventKind::Reinforce(1)), false),
        (event(4, 40, 1, EventKind::Pin), false),
        (event(4, 40, 2, EventKind::Forget), false),
        (event(4, 40, 2, EventKind::Reinforce(1)), false),
    ] {
        let found = evidence(&[&replaced[..], std::slice::from_ref(&last)].concat(), 1);
        assert_eq!(found.superseded_by.is_empty(), ends, "{last:?}");
        let by = BTreeSet::from([EntryId(2)]);
        assert_eq!(found.outlived, if ends { by } else { BTreeSet::new() }, "{last:?}");
        if ends {
            assert_eq!(found.choice(), last.order());
        }
    }
    let reworded = [&replaced[..], &[event(4, 40, 5, edit(1))]].concat();
    assert_eq!(evidence(&reworded, 5).superseded_by, BTreeSet::new());
    assert_eq!(evidence(&reworded, 5).outlived, BTreeSet::from([EntryId(2)]));
}

/// Who says an old wording again wants it. Adoption finds its line where git has brought it to a log that
/// did not know it, perhaps by a clock that is ahead.
#[test]
fn what_brings_an_old_wording_back() {
    let reworded = [event(1, 10, 1, add()), event(2, 20, 2, edit(1))];
    assert_eq!(evidence(&reworded, 1).superseded_by, BTreeSet::from([EntryId(2)]));
    for (last, is_back) in [
        (event(4, 40, 1, add()), true),
        (event(4, 40, 1, EventKind::Reinforce(1)), true),
        (by(Author::Program, 4, 40, 1, add()), true),
        (by(Author::Adoption, 4, 40, 1, EventKind::Restore), true),
        (by(Author::Adoption, 4, 40, 1, edit(2)), true),
        (by(Author::Program, 4, 15, 1, add()), false),
        (by(Author::Adoption, 4, 40, 1, add()), false),
        (by(Author::Program, 4, 40, 1, EventKind::Reinforce(1)), false),
    ] {
        let found = ledger(&[&reworded[..], std::slice::from_ref(&last)].concat());
        let is_use = matches!(last.kind, EventKind::Reinforce(_));
        assert_eq!(!found.is_used(EntryId(1)), is_back && !is_use, "{last:?}");
        let by = found.evidence(NOW, EntryId(1)).unwrap().superseded_by;
        assert_eq!(by.is_empty(), is_back, "{last:?}");
    }
}

/// An expiry date is not lifted by events before it. After it, a person's use of the entry lifts
/// it.
#[test]
fn what_ends_a_date() {
    let dated = [event(1, 10, 1, add()), event(2, 20, 1, EventKind::Expire(Timestamp(100)))];
    for (last, until) in [
        (event(3, 50, 1, EventKind::Reinforce(1)), Some(100)),
        (event(3, 100, 1, EventKind::Restore), Some(100)),
        (event(3, 101, 1, EventKind::Reinforce(1)), None),
        (event(3, 101, 1, add()), None),
        (by(Author::Program, 3, 101, 1, EventKind::Reinforce(1)), Some(100)),
        (event(3, 30, 1, EventKind::Expire(Timestamp(40))), Some(40)),
        (event(3, 15, 1, EventKind::Expire(Timestamp(40))), Some(100)),
        (event(3, 30, 1, EventKind::Pin), Some(100)),
    ] {
        let known = evidence(&[&dated[..], std::slice::from_ref(&last)].concat(), 1).until;
        assert_eq!(known, until.map(Timestamp), "{last:?}");
    }
    // An entry whose date had passed when it was added is expired from the start.
    let late = [event(1, 200, 1, add()), event(2, 200, 1, EventKind::Expire(Timestamp(100)))];
    assert_eq!(evidence(&late, 1).until, Some(Timestamp(100)));
}

/// An event dated more than a day ahead counts, but its time does not.
#[test]
fn a_clock_that_was_ahead() {
    let year = 365 * DAY_MS;
    let ahead = [
        event(1, 10, 1, add()),
        event(2, 5 * year, 1, EventKind::Reinforce(6)),
        event(3, 6 * year, 2, add()),
        event(4, 20, 3, add()),
    ];
    let ledger = ledger(&ahead);
    let at = |now: i64, id| {
        let known = ledger.evidence(Now(Timestamp(now)), EntryId(id)).unwrap();
        (known.count, known.first_seen.0, known.last_reinforced.0, known.touched.0)
    };
    for now in [30, year, 5 * year - DAY_MS - 1] {
        assert_eq!(at(now, 1), (7, 10, 10, 10), "{now}");
        // The other entry has no valid time, and takes the time of the latest event.
        assert_eq!(at(now, 2), (1, 20, 20, 20), "{now}");
        assert!(!ledger.times(Now(Timestamp(now)), EntryId(2)) && ledger.knows(EntryId(2)));
    }
    assert_eq!(at(5 * year - DAY_MS, 1), (7, 10, 5 * year, 5 * year), "clocks differ by a day");
    assert_eq!(at(6 * year, 2), (1, 6 * year, 6 * year, 6 * year));
    assert_eq!(at(-2 * DAY_MS, 1).1, -2 * DAY_MS, "before anything happened it is now");
    let all: Vec<i64> =
        ledger.strengths().iter().map(|(_, known, _)| known.last_reinforced.0).collect();
    assert_eq!(all, [5 * year, 6 * year, 20]);
}

#[test]
fn vanished_is_what_nothing_accounts_for() {
    let events = [
        event(1, 10, 1, add()),
        event(2, 10, 2, add()),
        event(3, 10, 3, add()),
        event(4, 10, 4, add()),
        event(5, 20, 2, EventKind::Archive(ArchiveReason::Age)),
        event(6, 20, 5, edit(3)),
        event(7, 20, 6, add()),
        event(8, 30, 6, EventKind::Archive(ArchiveReason::Age)),
        event(9, 40, 6, add()),
        event(10, 10, 7, add()),
        event(11, 20, 5, EventKind::Merge(vec![EntryId(7)])),
        event(12, 30, 7, add()),
        event(13, 30, 8, EventKind::Pin),
        event(14, 30, 4, EventKind::Supersede(EntryId(9))),
    ];
    let ledger = ledger(&events);
    let present = [EntryId(4), EntryId(5)].into_iter().collect();
    let want = BTreeSet::from([1, 6, 7].map(EntryId));
    assert_eq!(ledger.vanished(&present), want, "the seventh was added anew after the merge");
    assert!(ledger.archived(EntryId(2)) && !ledger.archived(EntryId(6)));
}

/// A new event comes after all earlier ones about the entry, whatever their clocks and ids.
#[test]
fn what_comes_next() {
    let now = Now(Timestamp(50));
    let next = |events: &[Event], kind: &EventKind| ledger(events).place(now, EntryId(1), kind, 7);
    let (pin, used) = (EventKind::Pin, EventKind::Reinforce(1));
    let plain = Some((now.0, EventId::new(now.0, 7)));
    assert_eq!(next(&[], &pin), plain);
    assert_eq!(next(&[event(99, 49, 1, add())], &pin), plain);
    let greatest = u128::MAX >> 48;
    for last in [
        event(99, 50, 1, add()),
        event(greatest, 50, 1, EventKind::Archive(ArchiveReason::Age)),
        event(greatest, 90, 1, EventKind::Forget),
        Event { id: EventId(u128::MAX), ..event(0, 90, 1, EventKind::Pin) },
        event(99, 50, 2, edit(1)),
        event(99, 50, 2, EventKind::Supersede(EntryId(1))),
    ] {
        for kind in [&pin, &used] {
            let (ts, id) = next(std::slice::from_ref(&last), kind).unwrap();
            let new = Event { id, ts, ..event(0, 0, 1, kind.clone()) };
            let is_use_after_a_clock_ahead = kind == &used && last.ts > now.0;
            assert_eq!(
                new.order() > last.order(),
                !is_use_after_a_clock_ahead,
                "{last:?} {kind:?}"
            );
            assert!(kind != &used || new.ts.0 <= 51, "{last:?}: of now");
        }
    }
    // An edit, merge or supersession also comes after the events of the other entry.
    let other = event(greatest, 60, 2, add());
    for kind in [edit(2), EventKind::Merge(vec![EntryId(2)]), EventKind::Supersede(EntryId(2))] {
        let after = ledger(std::slice::from_ref(&other)).place(now, EntryId(1), &kind, 7).unwrap();
        assert!(after > other.order(), "{kind:?}");
    }
    let end = Event { id: EventId::new(Timestamp::LAST, greatest), ..event(0, 0, 1, pin.clone()) };
    let end = Event { ts: Timestamp::LAST, ..end };
    assert!(next(std::slice::from_ref(&end), &pin).unwrap() > end.order());
    let edge = EventId::new(Timestamp(Timestamp::LAST.0 + DAY_MS), greatest);
    assert_eq!(next(&[Event { id: edge, ..end }], &pin), None, "nothing follows the end of time");
}

/// A retracted event has no effect, in any order, and other events are not affected.
#[test]
fn retracted_events() {
    let id = |n, ts| EventId::new(Timestamp(ts), n);
    let retract =
        |n, ts, entry, ids: &[EventId]| event(n, ts, entry, EventKind::Retract(ids.to_vec()));
    let all = [
        event(0, 5, 1, add()),
        event(1, 10, 1, EventKind::Reinforce(3)),
        event(2, 20, 1, EventKind::Pin),
        event(3, 30, 2, edit(1)),
        event(4, 40, 1, EventKind::Supersede(EntryId(9))),
    ];
    let then = |more: &[Event]| {
        let there: Vec<Event> = all.iter().chain(more).cloned().collect();
        let back: Vec<Event> = there.iter().rev().cloned().collect();
        let (there, back) = (ledger(&there), ledger(&back));
        for entry in (0..10).map(EntryId) {
            assert_eq!(there.evidence(NOW, entry), back.evidence(NOW, entry));
        }
        there
    };
    let whole = then(&[]);
    assert_eq!(whole.evidence(NOW, EntryId(2)).unwrap().count, 4);
    // A reinforcement, a decision, and a supersession.
    let ledger = then(&[retract(9, 50, 1, &[id(1, 10), id(2, 20), id(4, 40)])]);
    let known = ledger.evidence(NOW, EntryId(1)).unwrap();
    assert_eq!(
        (known.count, known.last_reinforced, known.user),
        (1, Timestamp(5), UserState::Auto)
    );
    assert_eq!(known.superseded_by, BTreeSet::from([EntryId(2)]), "only by the edit");
    // An edit: the new text is unknown, and the old one keeps all evidence.
    let ledger = then(&[retract(9, 50, 2, &[id(3, 30)])]);
    assert!(!ledger.knows(EntryId(2)) && ledger.sources(EntryId(2)).is_empty());
    let mut known = whole.evidence(NOW, EntryId(1)).unwrap();
    assert!(known.superseded_by.remove(&EntryId(2)) && known.user == UserState::Auto);
    let pinned = Evidence { user: UserState::Pinned, ..known };
    assert_eq!(ledger.evidence(NOW, EntryId(1)), Some(pinned), "the pin was that of the new text");
    assert_eq!(ledger.vanished(&IdSet::default()), BTreeSet::from([EntryId(1)]));
    // The add of the source, and with it the entry made from it.
    let ledger = then(&[retract(9, 50, 1, &[id(0, 5)])]);
    assert!(!ledger.knows(EntryId(1)) && !ledger.knows(EntryId(2)));
    // Events about other entries are not retracted.
    let ledger = then(&[retract(9, 50, 3, &[id(0, 5), id(1, 10)])]);
    assert_eq!(ledger.evidence(NOW, EntryId(1)), whole.evidence(NOW, EntryId(1)));
}

//! Tests of the ranking: which copy of an entry wins, and its standing.

use super::*;
use crate::model::{
    category::CategoryId,
    entry::EventId,
    event::{ArchiveReason, Author, Event, EventKind},
    time::DAY_MS,
};

fn placed(text: &str, scope: Scope, reviewed: bool) -> LocatedEntry {
    let (id, category) = (EntryId::of("lesson", text.as_bytes()), CategoryId(1));
    let (text, topic) = (text.to_owned(), "t".to_owned());
    {
        let (pinned, enforced) = (false, false);
        let continues = None;
        LocatedEntry {
            pinned,
            enforced,
            asides: crate::model::rules::LineAsides::default(),
            topic,
            continues,
            scope,
            reviewed,
            ..LocatedEntry::new(id, category, text)
        }
    }
}

fn event(n: u128, ts: i64, entry: &str, kind: EventKind) -> Event {
    let entry = EntryId::of("lesson", entry.as_bytes());
    Event { id: EventId(n), ts: Timestamp(ts), entry, by: Author::Person, kind }
}

/// An unreviewed copy in the project neither hides the user's own nor lends it its evidence.
#[test]
fn what_is_not_reviewed_gives_way() {
    let categories = Categories::default();
    let rules = RankingRules::new(&categories);
    let (mut theirs, mut ours) = (Ledger::default(), Ledger::default());
    theirs.fold(&event(0, 5, "same", EventKind::Add(Cue::Explicit, None)));
    theirs.fold(&event(1, 5, "same", EventKind::Forget));
    ours.fold(&event(2, 5, "same", EventKind::Add(Cue::Explicit, None)));
    let new = EntryId::of("lesson", b"new");
    ours.fold(&event(3, 5, "same", EventKind::Supersede(new)));
    for reviewed in [false, true] {
        let project =
            vec![placed("same", Scope::Project, reviewed), placed("new", Scope::Project, reviewed)];
        let user = vec![placed("same", Scope::User, true)];
        let ranking =
            Ranking::new(Now(Timestamp(9)), rules, vec![(project, &theirs), (user, &ours)]);
        let row = ranking.get(EntryId::of("lesson", b"same")).unwrap();
        let scope = if reviewed { Scope::Project } else { Scope::User };
        assert_eq!((row.entry.scope, row.superseded_by), (scope, None), "{reviewed}");
        assert_eq!(row.standing == Standing::Forgotten, reviewed);
        assert_eq!(ranking.unreviewed(), usize::from(!reviewed));
    }
    let both = vec![placed("same", Scope::User, true), placed("new", Scope::User, true)];
    let ranking = Ranking::new(Now(Timestamp(9)), rules, vec![(both, &ours)]);
    let row = ranking.get(EntryId::of("lesson", b"same")).unwrap();
    assert_eq!(row.superseded_by, Some(new), "as a reviewed one does");
}

const HOUR: i64 = 60 * 60 * 1000;

/// A thousand hooks of one session, and hooks of thirty sessions, about one planted entry.
#[test]
fn nothing_lifts_itself() {
    let categories = Categories::default();
    let rules = RankingRules::new(&categories);
    for reviewed in [false, true] {
        let mut ledger = Ledger::default();
        ledger.fold(&event(0, 0, "planted", EventKind::Add(Cue::Explicit, None)));
        let row = |ledger: &Ledger, at: i64| {
            let entries = vec![placed("planted", Scope::Project, reviewed)];
            let now = Now(Timestamp(at));
            (now, Ranking::new(now, rules, vec![(entries, ledger)]).rows.remove(0))
        };
        let mut hook = |at: i64, seen: &mut bool| {
            let (now, row) = row(&ledger, at);
            let may = !*seen && row.may_gain_unasked(now);
            if may {
                *seen = true;
                let id = u128::try_from(at).unwrap();
                ledger.fold(&event(id, at, "planted", EventKind::Reinforce(1)));
            }
        };
        let mut seen = false;
        (1..1000).for_each(|n| hook(n * HOUR / 10, &mut seen));
        assert_eq!(seen, reviewed);
        for session in 0..30 {
            let mut seen = false;
            (0..9).for_each(|n| hook(100 * HOUR + session * HOUR / 2 + n, &mut seen));
        }
        let (_, row) = row(&ledger, 116 * HOUR);
        assert_eq!(row.evidence.count, if reviewed { 1 + 1 + 15 } else { 1 });
        assert!(reviewed || row.state < State::Provisional);
    }
}

#[test]
fn prefixes_are_unique_and_short() {
    let ids = [0x1234_5678_0000_0000, 0x1234_5678_1000_0000, 0xffff_0000_0000_0000];
    let short = short_ids(ids.into_iter().map(EntryId));
    let mut prefixes: Vec<&String> = short.values().collect();
    prefixes.sort_unstable();
    assert_eq!(prefixes, ["123456780", "123456781", "ffff000"]);
}

/// A clock that is an hour ahead does not make an entry younger.
#[test]
fn what_is_ahead_is_of_now() {
    let categories = Categories::default();
    let rules = RankingRules::new(&categories);
    let mut ledger = Ledger::default();
    let texts = ["ahead", "now", "before"];
    for (text, ts) in texts.iter().zip([10 * HOUR, 9 * HOUR, 8 * HOUR]) {
        ledger.fold(&event(0, ts, text, EventKind::Add(Cue::Explicit, None)));
    }
    let placed = texts.iter().map(|text| placed(text, Scope::Project, true)).collect();
    let ranking = Ranking::new(Now(Timestamp(9 * HOUR)), rules, vec![(placed, &ledger)]);
    let times: Vec<i64> = ranking.rows.iter().map(|row| row.evidence.last_reinforced.0).collect();
    assert_eq!(times, [9 * HOUR, 9 * HOUR, 8 * HOUR]);
    let (first, second) = (ranking.rows[0].entry.id, ranking.rows[1].entry.id);
    assert!(first < second, "level ones are told by their ids");
}

/// A decision against an entry in one store does not affect the copy in the other.
#[test]
fn what_is_over_gives_way() {
    let categories = Categories::default();
    let rules = RankingRules::new(&categories);
    let now = Now(Timestamp(90));
    for (kind, is_over) in [
        (EventKind::Forget, true),
        (EventKind::Expire(Timestamp(50)), true),
        (EventKind::Supersede(EntryId::of("lesson", b"new")), true),
        (EventKind::Expire(Timestamp(500)), false),
        (EventKind::Supersede(EntryId::of("lesson", b"absent")), false),
        (EventKind::Unpin, false),
    ] {
        let add = event(0, 5, "same", EventKind::Add(Cue::Explicit, None));
        let (mut decided, mut plain) = (Ledger::default(), Ledger::default());
        plain.fold(&add);
        decided.fold(&add);
        decided.fold(&event(1, 6, "same", kind.clone()));
        let side = |scope| {
            let texts = ["same", "new"].iter();
            texts.map(|text| placed(text, scope, true)).collect::<Vec<_>>()
        };
        for (project, user) in [(&decided, &plain), (&plain, &decided), (&decided, &decided)] {
            let stores = vec![(side(Scope::Project), project), (side(Scope::User), user)];
            let ranking = Ranking::new(now, rules, stores);
            assert_eq!(ranking.rows.len(), 2, "each stands once");
            let row = ranking.find(&placed("same", Scope::User, true).wording()).unwrap();
            let users = is_over && std::ptr::eq(user, &raw const plain);
            let scope = if users { Scope::User } else { Scope::Project };
            assert_eq!(row.entry.scope, scope, "{kind:?}");
            let all_over = is_over && std::ptr::eq(project, user);
            assert_eq!(row.is_over(), all_over, "{kind:?}");
        }
    }
}

/// An old wording that git brings back stays away where the last one was put away, however many are between.
#[test]
fn what_was_reworded_and_put_away() {
    let categories = Categories::default();
    let of = |text: &str| EntryId::of("lesson", text.as_bytes());
    let edit = |from| EventKind::Edit(of(from), None);
    let events = [
        event(0, 5, "old", EventKind::Add(Cue::Explicit, None)),
        event(1, 6, "newer", edit("old")),
        event(2, 7, "newest", edit("newer")),
        event(3, 8, "newest", EventKind::Archive(ArchiveReason::Person)),
    ];
    for (count, replaced) in [(4, Some(of("newer"))), (3, None)] {
        let mut ledger = Ledger::default();
        events[..count].iter().for_each(|event| ledger.fold(event));
        let lines = vec![placed("old", Scope::Project, true)];
        let rules = RankingRules::new(&categories);
        let ranking = Ranking::new(Now(Timestamp(9)), rules, vec![(lines, &ledger)]);
        assert_eq!(ranking.rows[0].superseded_by, replaced, "{count}");
    }
}

/// A replaced entry stays out when its replacement is archived, unless a person did that. It is back where the
/// replacement is gone without a word, as with a branch of git.
#[test]
fn what_was_replaced_by_what_is_put_away() {
    let categories = Categories::default();
    let of = |text: &str| EntryId::of("lesson", text.as_bytes());
    for (why, replaced) in [
        (Some(ArchiveReason::Person), None),
        (Some(ArchiveReason::Merged), Some(of("new"))),
        (Some(ArchiveReason::Age), Some(of("new"))),
        (Some(ArchiveReason::Replaced), Some(of("new"))),
        (None, None),
    ] {
        let mut ledger = Ledger::default();
        ledger.fold(&event(0, 5, "old", EventKind::Add(Cue::Explicit, None)));
        ledger.fold(&event(1, 6, "new", EventKind::Add(Cue::Explicit, None)));
        ledger.fold(&event(2, 6, "old", EventKind::Supersede(of("new"))));
        if let Some(why) = why {
            ledger.fold(&event(3, 7, "new", EventKind::Archive(why)));
        }
        let ranked = |ledger: &Ledger| {
            let lines = vec![placed("old", Scope::Project, true)];
            let rules = RankingRules::new(&categories);
            Ranking::new(Now(Timestamp(9)), rules, vec![(lines, ledger)]).rows[0].superseded_by
        };
        assert_eq!(ranked(&ledger), replaced, "{why:?}");
        ledger.fold(&event(4, 8, "old", EventKind::Restore));
        assert_eq!(ranked(&ledger), None, "who wants it back has it");
    }
}

/// Texts that share an id get separate rows, in one store and in two.
#[test]
fn twins() {
    let categories = Categories::default();
    let rules = RankingRules::new(&categories);
    let ledger = Ledger::default();
    let id = EntryId(7);
    let twin = |text: &str, scope| LocatedEntry { id, ..placed(text, scope, true) };
    let one = vec![twin("a", Scope::Project), twin("b", Scope::Project)];
    let other = ["b", "c", "a", "c"].map(|text| twin(text, Scope::User)).to_vec();
    let ranking = Ranking::new(Now(Timestamp(9)), rules, vec![(one, &ledger), (other, &ledger)]);
    let mut texts: Vec<&str> = ranking.rows.iter().map(|row| row.entry.text.as_str()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["a", "b", "c"]);
    assert!(ranking.rows.iter().all(|row| row.shared));
    let alone = vec![placed("a", Scope::Project, true), placed("a", Scope::User, true)];
    let ranking = Ranking::new(Now(Timestamp(9)), rules, vec![(alone, &ledger)]);
    assert!(ranking.rows.len() == 1 && !ranking.rows[0].shared, "a copy is no twin");
}

/// By days of use, a pause without writes changes no standing; by the calendar, entries fade.
#[test]
fn a_pause_changes_nothing_by_days_of_use() {
    let categories = Categories::default();
    let mut ledger = Ledger::default();
    let texts: Vec<String> = (0..30).map(|n| format!("text {n}")).collect();
    for (n, text) in (0..).zip(&texts) {
        let day = 24 * HOUR * (n / 2);
        ledger.fold(&event(
            n.cast_unsigned().into(),
            day,
            text,
            EventKind::Add(Cue::Explicit, None),
        ));
    }
    let at = |clock: fn(Now) -> Clock, day: i64| -> Vec<_> {
        let now = Now(Timestamp(24 * HOUR * day + HOUR));
        let rules = RankingRules { clock: clock(now), ..RankingRules::new(&categories) };
        let placed = texts.iter().map(|text| placed(text, Scope::Project, true)).collect();
        let ranking = Ranking::new(now, rules, vec![(placed, &ledger)]);
        let stands =
            |row: &ScoredEntry| (row.entry.id, row.standing, row.fresh, row.place, row.idle);
        ranking.rows.iter().map(stands).collect()
    };
    assert_eq!(at(Clock::Active, 14), at(Clock::Active, 14 + 60));
    assert_eq!(at(Clock::Active, 14).last().unwrap().4, Age(14 * DAY_MS.unsigned_abs()));
    assert_ne!(at(|_| Clock::Calendar, 14), at(|_| Clock::Calendar, 14 + 60));
}

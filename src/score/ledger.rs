//! The ledger: a set of events folded into evidence per entry.
//!
//! The fold is commutative and idempotent: any order, any repetition and any union of two logs
//! give the same evidence. It never reads the clock; a time in the future is capped by the reader.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::model::{
    entry::EntryId,
    event::{Cue, Event, EventId, EventKind, Origin},
    time::Timestamp,
};

/// What a user decided about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UserState {
    /// Nothing.
    #[default]
    Auto,
    /// It never fades.
    Pinned,
    /// It is dropped.
    Forgotten,
}

impl UserState {
    /// The word in JSON output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Pinned => "pinned",
            Self::Forgotten => "forgotten",
        }
    }
}

/// The later of two values by (time, event id), so that the order of reading does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Latest<T> {
    at: (Timestamp, EventId),
    value: T,
}

fn keep_latest<T>(slot: &mut Option<Latest<T>>, event: &Event, value: T) {
    let at = (event.ts, event.id);
    if slot.as_ref().is_none_or(|known| known.at < at) {
        *slot = Some(Latest { at, value });
    }
}

/// What the events say about one entry, before edits and merges are followed.
#[derive(Debug, Clone, Default)]
struct Account {
    first_add: Option<Timestamp>,
    last: Option<Timestamp>,
    touched: Option<Timestamp>,
    cue: Option<Cue>,
    reinforced: u64,
    harmful: u64,
    user: Option<Latest<UserState>>,
    archived: Option<Latest<bool>>,
    until: Option<Latest<Timestamp>>,
    superseded_by: BTreeSet<EntryId>,
    edited_from: BTreeSet<EntryId>,
    merged_from: BTreeSet<EntryId>,
    origin: Option<Latest<Origin>>,
}

/// The evidence for one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// How it was produced: the strongest cue given.
    pub cue: Cue,
    /// 1 + reinforcements − 4 × harm, not below 0.
    pub count: u64,
    /// Earliest add.
    pub first_seen: Timestamp,
    /// Latest add or reinforcement; may lie in the future of a reader's clock.
    pub last_reinforced: Timestamp,
    /// Latest event of any kind that a person or agent caused.
    pub touched: Timestamp,
    /// Latest of pin, unpin, forget and restore.
    pub user: UserState,
    /// Not valid after this moment.
    pub until: Option<Timestamp>,
    /// Entries that replace it.
    pub superseded_by: BTreeSet<EntryId>,
}

/// All evidence of a store.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    accounts: HashMap<EntryId, Account>,
    seen: HashSet<EventId>,
}

impl Ledger {
    /// Folds one event in. One that is already in changes nothing.
    pub fn fold(&mut self, event: &Event) {
        if !self.seen.insert(event.id) {
            return;
        }
        let account = self.accounts.entry(event.entry).or_default();
        account.touched = account.touched.max(Some(event.ts));
        match &event.kind {
            EventKind::Add(cue, origin) => {
                account.first_add = Some(account.first_add.map_or(event.ts, |at| at.min(event.ts)));
                account.last = account.last.max(Some(event.ts));
                account.cue = account.cue.max(Some(*cue));
                keep_latest(&mut account.archived, event, false);
                if let Some(origin) = origin {
                    keep_latest(&mut account.origin, event, Origin::clone(origin));
                }
            }
            EventKind::Reinforce(n) => {
                account.last = account.last.max(Some(event.ts));
                account.reinforced = account.reinforced.saturating_add(u64::from(*n));
            }
            EventKind::Harmful(n) => {
                account.harmful = account.harmful.saturating_add(u64::from(*n));
            }
            EventKind::Pin => keep_latest(&mut account.user, event, UserState::Pinned),
            EventKind::Unpin => keep_latest(&mut account.user, event, UserState::Auto),
            EventKind::Forget => keep_latest(&mut account.user, event, UserState::Forgotten),
            EventKind::Restore => {
                keep_latest(&mut account.user, event, UserState::Auto);
                keep_latest(&mut account.archived, event, false);
            }
            EventKind::Edit(from, origin) => {
                account.edited_from.insert(*from);
                if let Some(origin) = origin {
                    keep_latest(&mut account.origin, event, Origin::clone(origin));
                }
            }
            EventKind::Merge(from) => account.merged_from.extend(from),
            EventKind::Supersede(by) => {
                account.superseded_by.insert(*by);
            }
            EventKind::Expire(until) => keep_latest(&mut account.until, event, *until),
            EventKind::Archive => keep_latest(&mut account.archived, event, true),
            EventKind::Unknown => {}
        }
    }

    /// The evidence for `entry`, with that of the entries it was edited or merged from. `None`
    /// when no add is known, directly or through them: the line was written by hand.
    #[must_use]
    pub fn evidence(&self, entry: EntryId) -> Option<Evidence> {
        let family = self.family(entry);
        let accounts = || family.iter().filter_map(|id| self.accounts.get(id));
        let first_seen = accounts().filter_map(|account| account.first_add).min()?;
        let latest = |get: fn(&Account) -> Option<Timestamp>| accounts().filter_map(get).max();
        let sum = |get: fn(&Account) -> u64| accounts().map(get).fold(0, u64::saturating_add);
        let gained = self.roots(entry).saturating_add(sum(|account| account.reinforced));
        let lost = sum(|account| account.harmful).saturating_mul(4);
        let user = accounts().filter_map(|account| account.user).max_by_key(|user| user.at);
        let own = self.accounts.get(&entry);
        Some(Evidence {
            cue: accounts().filter_map(|account| account.cue).max().unwrap_or(Cue::Behavioral),
            count: gained.saturating_sub(lost),
            first_seen,
            last_reinforced: latest(|account| account.last).unwrap_or(first_seen),
            touched: latest(|account| account.touched).unwrap_or(first_seen),
            user: user.map(|user| user.value).unwrap_or_default(),
            until: own.and_then(|account| account.until).map(|until| until.value),
            superseded_by: own.map(|account| account.superseded_by.clone()).unwrap_or_default(),
        })
    }

    /// Whether the latest word on `entry` is that it went to the archive.
    #[must_use]
    pub fn archived(&self, entry: EntryId) -> bool {
        let latest = self.accounts.get(&entry).and_then(|account| account.archived.as_ref());
        latest.is_some_and(|archived| archived.value)
    }

    /// Entries with an origin that are not `present`, not archived, and that no other entry was
    /// made from: lines that somebody took out or changed by hand. Sorted by id.
    #[must_use]
    pub fn vanished(&self, present: &HashSet<EntryId>) -> Vec<(EntryId, &Origin)> {
        let sources: HashSet<EntryId> = self
            .accounts
            .values()
            .flat_map(|account| account.edited_from.iter().chain(&account.merged_from).copied())
            .collect();
        let mut found: Vec<_> = self
            .accounts
            .iter()
            .filter(|(id, _)| {
                !present.contains(id) && !sources.contains(id) && !self.archived(**id)
            })
            .filter_map(|(id, account)| Some((*id, &account.origin.as_ref()?.value)))
            .collect();
        found.sort_by_key(|(id, _)| *id);
        found
    }

    /// Whether no event was folded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Number of distinct events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// The entry with all it was edited or merged from.
    #[must_use]
    pub fn family(&self, entry: EntryId) -> BTreeSet<EntryId> {
        let mut family = BTreeSet::from([entry]);
        let mut open = vec![entry];
        while let Some(account) = open.pop().and_then(|id| self.accounts.get(&id)) {
            let sources = account.edited_from.iter().chain(&account.merged_from);
            open.extend(sources.filter(|id| family.insert(**id)));
        }
        family
    }

    /// The evidence that being there counts for: 1, or in a merge 1 for each entry merged.
    fn roots(&self, entry: EntryId) -> u64 {
        let members = self.family(entry);
        let merged: BTreeSet<EntryId> = members
            .iter()
            .filter_map(|id| self.accounts.get(id))
            .flat_map(|account| account.merged_from.iter().copied())
            .filter(|id| self.accounts.contains_key(id))
            .collect();
        1 + merged.iter().filter(|id| **id != entry).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(n: u128, ts: i64, entry: u64, kind: EventKind) -> Event {
        Event { id: EventId(n), ts: Timestamp(ts), entry: EntryId(entry), kind }
    }

    fn ledger(events: &[Event]) -> Ledger {
        let mut ledger = Ledger::default();
        events.iter().for_each(|event| ledger.fold(event));
        ledger
    }

    #[test]
    fn counts() {
        let add = event(1, 10, 1, EventKind::Add(Cue::Explicit, None));
        let three = event(2, 30, 1, EventKind::Reinforce(3));
        let harm = event(3, 40, 1, EventKind::Harmful(1));
        let evidence = |events: &[Event]| ledger(events).evidence(EntryId(1)).unwrap();
        assert_eq!(evidence(&[add.clone()]).count, 1);
        let two = evidence(&[add.clone(), three.clone(), three.clone()]);
        assert_eq!(
            (two.count, two.last_reinforced, two.first_seen),
            (4, Timestamp(30), Timestamp(10))
        );
        assert_eq!(evidence(&[add.clone(), three, harm.clone()]).count, 0);
        assert_eq!(evidence(&[add.clone(), harm]).last_reinforced, Timestamp(10));
        // Two branches that both added the line hold one memory, not two.
        let again = event(9, 5, 1, EventKind::Add(Cue::Behavioral, None));
        let both = evidence(&[add, again]);
        assert_eq!((both.count, both.cue, both.first_seen), (1, Cue::Explicit, Timestamp(5)));
    }

    #[test]
    fn edits_and_merges_carry_evidence() {
        let events = [
            event(1, 10, 1, EventKind::Add(Cue::Explicit, None)),
            event(2, 20, 1, EventKind::Reinforce(2)),
            event(3, 30, 2, EventKind::Edit(EntryId(1), None)),
            event(4, 40, 3, EventKind::Add(Cue::Behavioral, None)),
            event(5, 50, 3, EventKind::Merge(vec![EntryId(2)])),
            event(6, 60, 1, EventKind::Edit(EntryId(2), None)),
        ];
        let evidence = |id| ledger(&events).evidence(EntryId(id)).unwrap();
        assert_eq!(evidence(2).count, 3, "an edit is the same memory");
        assert_eq!(evidence(1), evidence(2), "edited back: the cycle ends");
        let merged = evidence(3);
        assert_eq!((merged.count, merged.cue), (4, Cue::Explicit));
        assert_eq!(merged.first_seen, Timestamp(10));
    }

    #[test]
    fn the_latest_decision_wins() {
        let mut events = vec![event(1, 10, 1, EventKind::Add(Cue::Explicit, None))];
        for (n, ts, kind, want) in [
            (2, 20, EventKind::Pin, UserState::Pinned),
            (3, 15, EventKind::Forget, UserState::Pinned),
            (4, 30, EventKind::Unpin, UserState::Auto),
            (5, 30, EventKind::Forget, UserState::Forgotten),
            (6, 40, EventKind::Restore, UserState::Auto),
        ] {
            events.push(event(n, ts, 1, kind));
            assert_eq!(ledger(&events).evidence(EntryId(1)).unwrap().user, want, "event {n}");
        }
        assert_eq!(ledger(&events[1..]).evidence(EntryId(1)), None, "no add: written by hand");
    }

    fn any_event() -> impl Strategy<Value = Event> {
        let kind = prop_oneof![
            prop::sample::select(Cue::ALL.to_vec()).prop_map(|cue| EventKind::Add(cue, None)),
            (1..5_u32).prop_map(EventKind::Reinforce),
            (1..3_u32).prop_map(EventKind::Harmful),
            Just(EventKind::Pin),
            Just(EventKind::Unpin),
            Just(EventKind::Forget),
            Just(EventKind::Restore),
            Just(EventKind::Archive),
            (0..6_u64).prop_map(|id| EventKind::Edit(EntryId(id), None)),
            prop::collection::vec((0..6_u64).prop_map(EntryId), 0..3).prop_map(EventKind::Merge),
            (0..6_u64).prop_map(|id| EventKind::Supersede(EntryId(id))),
            (0..99_i64).prop_map(|at| EventKind::Expire(Timestamp(at))),
        ];
        (0..6_u64, 0..99_i64, kind).prop_map(|(entry, ts, kind)| event(0, ts, entry, kind))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn any_order_repeats_and_unions_agree(
            mut events in prop::collection::vec(any_event(), 0..30),
            order in any::<u64>(),
            cut in any::<prop::sample::Index>(),
        ) {
            for (n, event) in (1..).zip(&mut events) {
                event.id = EventId(n);
            }
            let straight = ledger(&events);
            let mut shuffled = events.clone();
            shuffled.sort_by_key(|event| event.id.0.wrapping_mul(u128::from(order | 1)) % 1_000_003);
            let cut = cut.index(events.len() + 1);
            // The union of two branches, with a common part read twice.
            let union: Vec<Event> = shuffled[..cut].iter().chain(&events).chain(&shuffled[cut..]).cloned().collect();
            for other in [ledger(&shuffled), ledger(&union)] {
                prop_assert_eq!(straight.len(), other.len());
                for id in (0..6).map(EntryId) {
                    prop_assert_eq!(straight.evidence(id), other.evidence(id));
                    prop_assert_eq!(straight.archived(id), other.archived(id));
                }
            }
        }
    }
}

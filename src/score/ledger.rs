//! The ledger: a set of events folded into evidence per entry.
//!
//! The fold is commutative and idempotent: any order, any repetition and any union of two logs
//! give the same evidence. It never reads the clock; a time in the future is capped by the reader.

use std::collections::BTreeSet;

use super::evidence::{Evidence, Strength, UserState};
use crate::model::{
    entry::EntryId,
    event::{Cue, Event, EventKind},
    hash::{IdMap, IdSet},
    time::Timestamp,
    ulid::EventId,
};

/// The later of two values by (time, event id), so that the order of reading does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Latest<T> {
    at: (Timestamp, EventId),
    value: T,
}

fn keep_latest<T: Ord>(slot: &mut Option<Latest<T>>, event: &Event, value: T) {
    let at = (event.ts, event.id);
    if slot.as_ref().is_none_or(|known| (known.at, &known.value) < (at, &value)) {
        *slot = Some(Latest { at, value });
    }
}

/// What the events say about one entry, before edits and merges are followed.
#[derive(Debug, Clone, Default)]
struct Account {
    first_add: Option<Timestamp>,
    last_add: Option<(Timestamp, EventId)>,
    last: Option<Timestamp>,
    touched: Option<Timestamp>,
    cue: Option<Cue>,
    reinforced: u64,
    rare: Option<Box<Rare>>,
}

/// What most entries have nothing of; apart, because a ledger is made by every command.
#[derive(Debug, Clone, Default)]
struct Rare {
    harmful: u64,
    user: Option<Latest<UserState>>,
    archived: Option<Latest<bool>>,
    until: Option<Latest<Timestamp>>,
    superseded_by: BTreeSet<EntryId>,
    edited_from: BTreeSet<EntryId>,
    merged_from: BTreeSet<EntryId>,
}

impl Account {
    fn sources(&self) -> impl Iterator<Item = EntryId> {
        let rare = self.rare.iter();
        rare.flat_map(|rare| rare.edited_from.iter().chain(&rare.merged_from).copied())
    }
}

/// All evidence of a store.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    accounts: IdMap<EntryId, Account>,
    /// Ids of events, each with its fingerprint.
    seen: IdSet<(EventId, u64)>,
}

impl Ledger {
    /// An empty ledger with room for so many events.
    #[must_use]
    pub fn with_capacity(events: usize) -> Self {
        let mut ledger = Self::default();
        ledger.seen.reserve(events);
        ledger.accounts.reserve(events / 2);
        ledger
    }

    /// Folds one event in. One that is already in changes nothing.
    pub fn fold(&mut self, event: &Event) {
        if !self.seen.insert((event.id, event.fingerprint())) {
            return;
        }
        let account = self.accounts.entry(event.entry).or_default();
        if let EventKind::Add(..) | EventKind::Reinforce(_) | EventKind::Restore = event.kind {
            account.touched = account.touched.max(Some(event.ts));
        }
        match &event.kind {
            EventKind::Add(cue, _) => {
                account.first_add = Some(account.first_add.map_or(event.ts, |at| at.min(event.ts)));
                account.last_add = account.last_add.max(Some((event.ts, event.id)));
                account.last = account.last.max(Some(event.ts));
                account.cue = account.cue.max(Some(*cue));
            }
            EventKind::Reinforce(n) => {
                account.last = account.last.max(Some(event.ts));
                account.reinforced = account.reinforced.saturating_add(u64::from(*n));
            }
            EventKind::Unknown => {}
            kind => fold_rare(account.rare.get_or_insert_default(), event, kind),
        }
    }

    /// Whether an event is in already.
    #[must_use]
    pub fn holds(&self, event: &Event) -> bool {
        self.seen.contains(&(event.id, event.fingerprint()))
    }

    /// The evidence for `entry`, with that of the entries it was edited or merged from. `None`
    /// when no add is known, directly or through them: the line was written by hand.
    #[must_use]
    pub fn evidence(&self, entry: EntryId) -> Option<Evidence> {
        let own = self.accounts.get(&entry)?;
        let (members, roots) = if own.sources().next().is_none() {
            (vec![own], 1)
        } else {
            let family = self.family(entry);
            let members = family.iter().filter_map(|id| self.accounts.get(id)).collect();
            (members, self.roots(entry, &family))
        };
        let all = || members.iter().copied();
        let rares = || all().filter_map(|account| account.rare.as_deref());
        let first_seen = all().filter_map(|account| account.first_add).min()?;
        let reinforced = all().fold(roots, |sum, account| sum.saturating_add(account.reinforced));
        let harmful = rares().fold(0_u64, |sum, rare| sum.saturating_add(rare.harmful));
        let user = rares().filter_map(|rare| rare.user).max_by_key(|user| user.at);
        Some(Evidence {
            cue: all().filter_map(|account| account.cue).max().unwrap_or(Cue::Behavioral),
            count: reinforced.saturating_sub(harmful.saturating_mul(4)),
            first_seen,
            last_reinforced: all().filter_map(|account| account.last).max().unwrap_or(first_seen),
            touched: all().filter_map(|account| account.touched).max().unwrap_or(first_seen),
            user: user.map(|user| user.value).unwrap_or_default(),
            until: rares().filter_map(|rare| rare.until).max_by_key(|u| u.at).map(|u| u.value),
            superseded_by: rares().flat_map(|rare| rare.superseded_by.iter().copied()).collect(),
        })
    }

    /// Whether there is evidence for `entry`.
    #[must_use]
    pub fn knows(&self, entry: EntryId) -> bool {
        let own = self.accounts.get(&entry);
        own.is_some_and(|account| account.first_add.is_some()) || self.evidence(entry).is_some()
    }

    /// Whether the latest word on `entry` is that it went to the archive.
    #[must_use]
    pub fn archived(&self, entry: EntryId) -> bool {
        let Some(account) = self.accounts.get(&entry) else { return false };
        let archived = account.rare.as_ref().and_then(|rare| rare.archived);
        archived.is_some_and(|latest| latest.value && Some(latest.at) > account.last_add)
    }

    /// Time and id of the latest decision about `entry`: a new one has to come after it, also when
    /// it was made in the same millisecond or on a machine whose clock is ahead.
    #[must_use]
    pub fn latest_decision(&self, entry: EntryId) -> Option<(Timestamp, EventId)> {
        let family = self.family(entry);
        let rares = family.iter().filter_map(|id| self.accounts.get(id)?.rare.as_ref());
        rares
            .flat_map(|rare| [rare.user.map(|user| user.at), rare.archived.map(|known| known.at)])
            .flatten()
            .max()
    }

    /// Entries that are not `present`, not archived, and that no other entry was made from: lines
    /// that somebody took out or changed by hand. Sorted.
    #[must_use]
    pub fn vanished(&self, present: &IdSet<EntryId>) -> BTreeSet<EntryId> {
        let sources: IdSet<EntryId> = self.accounts.values().flat_map(Account::sources).collect();
        let known = self.accounts.keys().copied();
        known
            .filter(|id| !present.contains(id) && !sources.contains(id) && !self.archived(*id))
            .collect()
    }

    /// The strength of every entry that there is evidence for, sorted by id.
    #[must_use]
    pub fn strengths(&self) -> Vec<(EntryId, Strength)> {
        let mut ids: Vec<EntryId> = self.accounts.keys().copied().collect();
        ids.sort_unstable();
        let strength = |id: EntryId| Some((id, self.evidence(id)?.strength()));
        ids.into_iter().filter_map(strength).collect()
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
        while let Some(id) = open.pop() {
            let sources = self.accounts.get(&id).into_iter().flat_map(Account::sources);
            open.extend(sources.filter(|id| family.insert(*id)));
        }
        family
    }

    /// What an entry was edited or merged from, itself left out.
    #[must_use]
    pub fn sources(&self, entry: EntryId) -> BTreeSet<EntryId> {
        let direct = self.accounts.get(&entry).and_then(|account| account.sources().next());
        let mut family = direct.map_or_else(BTreeSet::new, |_| self.family(entry));
        family.remove(&entry);
        family
    }

    /// The evidence that being there counts for: 1, or in a merge 1 for each entry merged.
    fn roots(&self, entry: EntryId, family: &BTreeSet<EntryId>) -> u64 {
        let rares = family.iter().filter_map(|id| self.accounts.get(id)?.rare.as_ref());
        let merged: BTreeSet<EntryId> = rares
            .flat_map(|rare| rare.merged_from.iter().copied())
            .filter(|id| *id != entry && self.accounts.contains_key(id))
            .collect();
        1 + merged.len() as u64
    }
}

fn fold_rare(rare: &mut Rare, event: &Event, kind: &EventKind) {
    match kind {
        EventKind::Harmful(n) => rare.harmful = rare.harmful.saturating_add(u64::from(*n)),
        EventKind::Pin => keep_latest(&mut rare.user, event, UserState::Pinned),
        EventKind::Unpin => keep_latest(&mut rare.user, event, UserState::Auto),
        EventKind::Forget => keep_latest(&mut rare.user, event, UserState::Forgotten),
        EventKind::Restore => {
            keep_latest(&mut rare.user, event, UserState::Auto);
            keep_latest(&mut rare.archived, event, false);
        }
        EventKind::Archive => keep_latest(&mut rare.archived, event, true),
        EventKind::Expire(until) => keep_latest(&mut rare.until, event, *until),
        EventKind::Edit(from, _) => {
            rare.edited_from.insert(*from);
        }
        EventKind::Merge(from) => rare.merged_from.extend(from),
        EventKind::Supersede(by) => {
            rare.superseded_by.insert(*by);
        }
        EventKind::Add(..) | EventKind::Reinforce(_) | EventKind::Unknown => {}
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
        for event in events {
            ledger.fold(event);
        }
        ledger
    }

    #[test]
    fn counts() {
        let add = event(1, 10, 1, EventKind::Add(Cue::Explicit, None));
        let three = event(2, 30, 1, EventKind::Reinforce(3));
        let harm = event(3, 40, 1, EventKind::Harmful(1));
        let evidence = |events: &[Event]| ledger(events).evidence(EntryId(1)).unwrap();
        assert_eq!(evidence(std::slice::from_ref(&add)).count, 1);
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

    #[test]
    fn vanished_is_what_nothing_accounts_for() {
        let events = [
            event(1, 10, 1, EventKind::Add(Cue::Explicit, None)),
            event(2, 10, 2, EventKind::Add(Cue::Explicit, None)),
            event(3, 10, 3, EventKind::Add(Cue::Explicit, None)),
            event(4, 10, 4, EventKind::Add(Cue::Explicit, None)),
            event(5, 20, 2, EventKind::Archive),
            event(6, 20, 5, EventKind::Edit(EntryId(3), None)),
            event(7, 20, 6, EventKind::Add(Cue::Explicit, None)),
            event(8, 30, 6, EventKind::Archive),
            event(9, 40, 6, EventKind::Add(Cue::Explicit, None)),
        ];
        let ledger = ledger(&events);
        let present = [EntryId(4), EntryId(5)].into_iter().collect();
        assert_eq!(ledger.vanished(&present), BTreeSet::from([EntryId(1), EntryId(6)]));
        assert!(ledger.archived(EntryId(2)) && !ledger.archived(EntryId(6)));
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

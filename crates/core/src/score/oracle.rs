//! Reference implementation of the fold for tests: applies the rules one by one to a list of all
//! events. Slow, but easy to compare with the specification.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::Evidence;
use crate::model::{
    entry::{EntryId, EventId, Share},
    event::{Author, Cue, Event, EventKind, Order},
    operation::UserState,
    time::{Now, Timestamp},
};

const END: Order = (Timestamp(i64::MAX), EventId(u128::MAX));

/// Returns the entries that an event makes its entry from.
fn sources(event: &Event) -> Vec<EntryId> {
    match &event.kind {
        EventKind::Edit(from, _) => vec![*from],
        EventKind::Merge(from) => from.clone(),
        _ => Vec::new(),
    }
}

/// Returns, for each entry that `entry` inherits from, the end of the events that count.
fn ends(events: &[Event], entry: EntryId, by_hand: bool) -> BTreeMap<EntryId, Order> {
    let mut ends = BTreeMap::from([(entry, END)]);
    loop {
        let before = ends.clone();
        for event in events {
            let hand = matches!(event.kind, EventKind::Edit(..)) && event.by == Author::Adoption;
            let Some(end) = before.get(&event.entry).filter(|end| event.order() < **end) else {
                continue;
            };
            if hand && !by_hand {
                continue;
            }
            for from in sources(event) {
                let is_start = |known: &&Event| {
                    known.entry == from
                        && (matches!(known.kind, EventKind::Add(..)) || !sources(known).is_empty())
                };
                let known = events.iter().filter(is_start).any(|k| k.order() < event.order());
                let end = if known { event.order() } else { *end };
                let slot = ends.entry(from).or_insert(end);
                *slot = (*slot).max(end);
            }
        }
        if ends == before {
            return ends;
        }
    }
}

/// Returns the events that count: without duplicates and retracted ones.
fn counted(all: &[Event]) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for event in all {
        let same =
            |known: &Event| known.id == event.id && known.fingerprint() == event.fingerprint();
        if !events.iter().any(same) {
            events.push(event.clone());
        }
    }
    let purges: Vec<(EntryId, Order)> = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Purge { .. }))
        .map(|event| (event.entry, event.order()))
        .collect();
    events.retain(|event| {
        !purges.iter().any(|(entry, at)| *entry == event.entry && event.order() < *at)
    });
    let gone: BTreeSet<(EntryId, EventId)> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Retract(ids) => Some(ids.iter().map(|id| (event.entry, *id))),
            _ => None,
        })
        .flatten()
        .collect();
    events.retain(|event| {
        // Accesses, and how often guards held, are counted beside the evidence.
        let is_other = matches!(
            event.kind,
            EventKind::Retract(_) | EventKind::Access { .. } | EventKind::Held
        );
        !is_other && !gone.contains(&(event.entry, event.order().1))
    });
    events
}

/// Returns the value of the latest event that has one.
fn latest(events: &[&Event], value: fn(&EventKind) -> Option<Share>) -> Option<Share> {
    let told = events.iter().filter_map(|event| Some((event.order(), value(&event.kind)?)));
    told.max().map(|(_, value)| value)
}

#[expect(clippy::too_many_lines, reason = "one reading of the rules, in their order")]
pub(super) fn evidence(now: Now, all: &[Event], entry: EntryId) -> Option<Evidence> {
    let events = counted(all);
    let (ends, decided) = (ends(&events, entry, true), ends(&events, entry, false));
    let within = |ends: &BTreeMap<EntryId, Order>, event: &Event| {
        ends.get(&event.entry).is_some_and(|end| event.order() < *end)
    };
    let carried: Vec<&Event> = events.iter().filter(|event| within(&ends, event)).collect();
    let held = |event: &&&Event| within(&decided, event);
    let is_add = |event: &&&Event| matches!(event.kind, EventKind::Add(..));
    let is_use =
        |event: &&&Event| matches!(event.kind, EventKind::Add(..) | EventKind::Reinforce(_));
    carried.iter().find(is_add)?;
    let timed = |event: &&&Event| event.ts <= now.horizon();
    let fallback = || {
        let known = events
            .iter()
            .filter(|event| timed(&&&**event))
            .filter(|event| !matches!(event.kind, EventKind::Unknown));
        // An edit or merge is known by its sources.
        let known = known.filter(|event| {
            let made = matches!(event.kind, EventKind::Edit(..) | EventKind::Merge(_));
            !made || !sources(event).is_empty()
        });
        known.map(|event| event.ts).max().unwrap_or(now.0)
    };
    let first = carried.iter().filter(is_add).filter(timed).map(|event| event.ts).min();
    let first = first.unwrap_or_else(fallback);
    let last = carried.iter().filter(is_use).filter(timed).map(|event| event.ts).max();
    let last = last.unwrap_or(first);
    let is_restore = |event: &&&Event| event.kind == EventKind::Restore;
    let restored = carried.iter().filter(is_restore).filter(timed).map(|event| event.ts).max();
    let sum = |count: fn(&EventKind) -> u32| -> u64 {
        carried.iter().map(|event| u64::from(count(&event.kind))).sum()
    };
    let reinforced = sum(|kind| if let EventKind::Reinforce(n) = kind { *n } else { 0 });
    let harmful = sum(|kind| if let EventKind::Harmful(n) = kind { *n } else { 0 });
    let user = carried.iter().filter_map(|event| {
        let user = match event.kind {
            EventKind::Pin => UserState::Pinned,
            EventKind::Forget if held(&event) => UserState::Forgotten,
            EventKind::Forget | EventKind::Unpin | EventKind::Restore => UserState::Auto,
            _ => return None,
        };
        Some((event.order(), user))
    });
    let wanted = carried.iter().filter(held).filter(|event| {
        let typed = event.by == Author::Person && is_use(event);
        typed || event.kind == EventKind::Restore
    });
    // Superseding another entry by this one shows that this one is wanted.
    let chosen = events.iter().filter(|event| {
        let EventKind::Supersede(by) = event.kind else { return false };
        decided.get(&by).is_some_and(|end| event.order() < *end)
            && ends.get(&by).is_some_and(|end| event.order() < *end)
    });
    // So does rewording, by a command or by hand.
    let reworded = carried.iter().filter(held);
    let reworded = reworded.filter(|event| matches!(event.kind, EventKind::Edit(..)));
    let wanted = wanted.map(|event| event.order()).chain(chosen.map(Event::order));
    let wanted: Vec<Order> = wanted.collect();
    let typed: Vec<Order> =
        wanted.iter().copied().chain(reworded.map(|event| event.order())).collect();
    let chosen = typed.iter().copied().filter(|(at, _)| *at <= now.horizon()).max();
    let (wanted, typed) = (wanted.into_iter().max(), typed.into_iter().max());
    let until = carried.iter().filter(held).filter_map(|event| match event.kind {
        EventKind::Expire(until) => Some((event.order(), until)),
        _ => None,
    });
    let until = until
        .max()
        .filter(|(at, until)| wanted.is_none_or(|wanted| wanted <= *at || wanted.0 <= *until));
    // What it was made into, unless somebody has added, restored or made it since, or wanted it.
    let added = events.iter().filter(|event| event.entry == entry);
    let added = added.filter(|event| {
        let said = is_add(&event) && event.by != Author::Adoption;
        said || is_restore(&event) || !sources(event).is_empty()
    });
    let added = added.map(Event::order).max();
    let made = events.iter().filter(|event| sources(event).contains(&entry));
    let made = made.max_by_key(|event| (event.order(), event.entry));
    let made = made.filter(|event| Some(event.order()) >= added && Some(event.order()) > typed);
    let user = user.max().filter(|(then, user)| {
        *user != UserState::Pinned || made.is_none_or(|made| *then > made.order())
    });
    let superseded = |stands: bool| -> BTreeSet<EntryId> {
        let by = carried.iter().filter(held).filter_map(|event| match event.kind {
            EventKind::Supersede(by) if (Some(event.order()) > typed) == stands => Some(by),
            _ => None,
        });
        by.chain(made.filter(|_| stands).map(|event| event.entry)).collect()
    };
    let merges = carried.iter().filter(|event| matches!(event.kind, EventKind::Merge(_)));
    let merged: BTreeSet<EntryId> = merges.flat_map(|event| sources(event)).collect();
    let is_made = |event: &Event| matches!(event.kind, EventKind::Edit(..) | EventKind::Merge(_));
    let counts = |id: &&EntryId| {
        let told = carried.iter().any(|event| event.entry == **id && !is_made(event));
        let made = events.iter().any(|event| event.entry == **id && !sources(event).is_empty());
        **id != entry && (told || made)
    };
    let roots = 1 + merged.iter().filter(counts).count() as u64;
    Some(Evidence {
        cue: carried
            .iter()
            .filter_map(
                |event| if let EventKind::Add(cue, _) = event.kind { Some(cue) } else { None },
            )
            .max()
            .unwrap_or(Cue::Behavioral),
        count: (roots + reinforced).saturating_sub(4 * harmful),
        first_seen: first,
        last_reinforced: last,
        touched: restored.map_or(last, |restored| restored.max(last)),
        user: user.map(|(_, user)| user).unwrap_or_default(),
        until: until.map(|(_, until)| until),
        superseded_by: superseded(true),
        outlived: superseded(false),
        chosen,
        priority: latest(&carried, |kind| match kind {
            EventKind::Priority(value) => Some(*value),
            _ => None,
        })
        .filter(|value| *value > Share::default()),
        importance: latest(&carried, |kind| match kind {
            EventKind::Importance(value) => Some(*value),
            _ => None,
        }),
    })
}

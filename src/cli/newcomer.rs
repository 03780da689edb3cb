//! Whether an entry that nothing was known about has a place in the next report. Being new it competes in
//! its category alone, so that most of the evidence need not be read.

use super::{context::Context, error::Failure};
use crate::{
    model::{
        entry::Wording,
        event::Cue,
        hash::{IdMap, IdSet},
    },
    score::{
        board::Placed,
        caps::{self, Candidate},
        clock::Clock,
        rivals,
    },
    store::vault::{Snapshot, Store},
};

/// An entry of its category, and whether it is marked as pinned.
pub(super) type Line = (Wording, bool);

/// What can be told.
pub(super) enum Found {
    /// It has a place.
    Placed,
    /// All places of its category are taken by stronger ones; so many reinforcements would bring it in,
    /// or none.
    OverCap(Option<u32>),
    /// Only a look at everything tells.
    Unsure,
}

/// The lines of a category.
pub(super) fn lines(snapshot: &Snapshot, of: &Wording) -> Vec<Line> {
    let lines = snapshot.entries().map(|(_, entry)| entry);
    let lines = lines.filter(|entry| entry.category == of.category);
    lines.map(|entry| (entry.wording(), entry.markers.pinned)).collect()
}

/// Looks for its place among the lines that were there before it.
pub(super) fn find(
    ctx: &Context,
    store: &Store,
    (placed, cue): (&Placed, Cue),
    others: &[Line],
) -> Result<Found, Failure> {
    let rules = ctx.rules();
    // Days of use are told by the whole log.
    let by_calendar = rules.clock == Clock::Calendar;
    let sure = rules.fresh && by_calendar && placed.reviewed && caps::suffices(rules.categories);
    if !sure || placed.pinned {
        return Ok(if placed.reviewed && placed.pinned { Found::Placed } else { Found::Unsure });
    }
    let mut sides = vec![(store.clone(), others.to_vec())];
    for other in ctx.readers()?.into_iter().filter(|other| other.dir != store.dir) {
        let held = lines(&other.read_topics(rules.categories), &placed.wording());
        sides.push((other, held));
    }
    let spec = rules.categories.spec(placed.category);
    if sides.iter().map(|(_, lines)| lines.len()).sum::<usize>() < spec.max_active {
        return Ok(Found::Placed);
    }
    let mut own = None;
    let mut rivals: Vec<(Candidate, &Store, &Wording)> = Vec::new();
    let mut seen = IdSet::default();
    for (side, lines) in &sides {
        let new = own.is_none().then_some(placed.id);
        let wanted = lines.iter().map(|(of, _)| of.id).chain(new).collect();
        let Some(ledger) = side.evidence_of(ctx.now, &wanted) else { return Ok(Found::Unsure) };
        let rival =
            |id, pinned| rivals::rival(ctx.now, rules, &ledger, (id, placed.category, pinned));
        own = own.or_else(|| rival(placed.id, false));
        let mut once: IdMap<_, &Line> = IdMap::default();
        for line in lines {
            once.entry(line.0.id).or_insert(line);
        }
        for (of, pinned) in lines.iter().filter(|line| {
            // What stands on several lines is one; texts with one id are for a closer look.
            once.get(&line.0.id).is_some_and(|first| std::ptr::eq(*first, *line))
        }) {
            let Some(evidence) = ledger.evidence(ctx.now, of.id) else { return Ok(Found::Unsure) };
            let replaced = !evidence.superseded_by.is_empty();
            let Some(rival) = rival(of.id, *pinned) else { return Ok(Found::Unsure) };
            if replaced || !seen.insert(of.id) {
                return Ok(Found::Unsure);
            }
            let expired = evidence.until.is_some_and(|until| until < ctx.now.0);
            if !expired && caps::competes(&rival) {
                rivals.push((rival, side, of));
            }
        }
    }
    let Some(own) = own else { return Ok(Found::Unsure) };
    rivals.retain(|(rival, ..)| caps::order(rival, &own).is_lt());
    rivals.sort_by(|(a, ..), (b, ..)| caps::order(a, b));
    let reviewed = |(_, side, of): &&(Candidate, &Store, &Wording)| {
        side.trust.holds_entry(&spec.name, &of.text)
    };
    let last = spec.max_active.checked_sub(1);
    let last = last.and_then(|last| rivals.iter().filter(reviewed).nth(last));
    Ok(last.map_or(Found::Placed, |(last, ..)| {
        Found::OverCap(rivals::least(ctx.now, rules, &own, (cue.weight(), 1), Some(last)))
    }))
}

//! Predicts whether a new entry without evidence has a place in the next report. Such an entry
//! competes only in its category, so that most of the evidence need not be read.

use super::Memory;
use crate::{
    error::Failure,
    store::{Store, snapshot::Snapshot},
};
use pimem_core::{
    model::{
        category::CategoryId,
        entry::{EntryId, Wording},
        event::Cue,
        hash::IdMap,
    },
    score::{
        caps::{self, Candidate},
        clock::Clock,
        ranking::LocatedEntry,
        rivals,
    },
};

/// An entry of the category, and true if it is marked as pinned.
pub type Line = (Wording, bool);

/// The prediction.
pub enum Prospect {
    /// The entry has a place.
    Shown,
    /// Stronger entries take all places of its category. Holds the number of reinforcements that
    /// would bring it in, if any number would.
    OverCap(Option<u32>),
    /// Only a full ranking can tell.
    Unsure,
}

/// Returns the lines of a category.
pub fn lines(snapshot: &Snapshot, of: &Wording) -> Vec<Line> {
    let lines = snapshot.entries().map(|(_, entry)| entry);
    let lines = lines.filter(|entry| entry.category == of.category);
    lines.map(|entry| (entry.wording(), entry.markers.pinned)).collect()
}

/// Predicts the place of an entry among the lines that existed before it.
pub fn find(
    memory: &Memory,
    store: &Store,
    (placed, cue): (&LocatedEntry, Cue),
    others: &[Line],
) -> Result<Prospect, Failure> {
    let rules = memory.rules();
    // Days of use can only be computed from the whole log.
    let by_calendar = rules.clock == Clock::Calendar;
    let sure = rules.fresh && by_calendar && placed.reviewed && caps::suffices(rules.categories);
    if !sure || placed.pinned {
        return Ok(if placed.reviewed && placed.pinned {
            Prospect::Shown
        } else {
            Prospect::Unsure
        });
    }
    let mut sides = vec![(store.clone(), others.to_vec())];
    for other in memory.readers()?.into_iter().filter(|other| other.dir != store.dir) {
        let held = lines(&other.read_topics(rules.categories), &placed.wording());
        sides.push((other, held));
    }
    let spec = rules.categories.spec(placed.category);
    if sides.iter().map(|(_, lines)| lines.len()).sum::<usize>() < spec.max_active {
        return Ok(Prospect::Shown);
    }
    let mut rivals: Vec<Rival<'_>> = Vec::new();
    let mut own = None;
    for (number, (side, lines)) in sides.iter().enumerate() {
        let new = (number == 0).then_some(placed.id);
        let Some((there, known)) = competing(memory, side, lines, (placed.category, new)) else {
            return Ok(Prospect::Unsure);
        };
        own = own.or(known);
        if there.iter().any(|(rival, ..)| rivals.iter().any(|(other, ..)| other.id == rival.id)) {
            return Ok(Prospect::Unsure);
        }
        rivals.extend(there);
    }
    let Some(own) = own else { return Ok(Prospect::Unsure) };
    let is_ahead = |rival: &Candidate| caps::order(rival, &own).is_lt();
    let reviewed = |(_, side, of): &&Rival<'_>| side.trust.holds_entry(&spec.name, &of.text);
    if rules.reserve {
        let reserved = caps::reserved(spec);
        let by_rank = spec.max_active.saturating_sub(reserved);
        let stronger = rivals.iter().filter(|(rival, ..)| is_ahead(rival));
        let newer = rivals.iter().filter(|(rival, ..)| {
            let tie = rival.first_seen == own.first_seen && is_ahead(rival);
            rival.fresh && (tie || rival.first_seen > own.first_seen)
        });
        let is_placed = rivals.len() < spec.max_active
            || own.fresh && newer.filter(reviewed).take(reserved).count() < reserved
            || stronger.filter(reviewed).take(by_rank).count() < by_rank;
        // Without a place, the entry may still fill the remaining budget.
        return Ok(if is_placed { Prospect::Shown } else { Prospect::Unsure });
    }
    rivals.retain(|(rival, ..)| is_ahead(rival));
    rivals.sort_by(|(a, ..), (b, ..)| caps::order(a, b));
    let last = spec.max_active.checked_sub(1);
    let last = last.and_then(|last| rivals.iter().filter(reviewed).nth(last));
    Ok(last.map_or(Prospect::Shown, |(last, ..)| {
        Prospect::OverCap(rivals::least(memory.now, rules, &own, (cue.weight(), 1), Some(last)))
    }))
}

/// A competing entry, with its store and text.
type Rival<'a> = (Candidate, &'a Store, &'a Wording);

/// Returns the entries of a store that compete in a category, and the new one if it is there.
/// `None` if their evidence is not sufficient.
fn competing<'a>(
    memory: &Memory,
    store: &'a Store,
    lines: &'a [Line],
    (category, new): (CategoryId, Option<EntryId>),
) -> Option<(Vec<Rival<'a>>, Option<Candidate>)> {
    let wanted = lines.iter().map(|(of, _)| of.id).chain(new).collect();
    let ledger = store.evidence_of(memory.now, &wanted)?;
    let candidate =
        |id, pinned| rivals::rival(memory.now, memory.rules(), &ledger, (id, category, pinned));
    let own = new.map(|id| candidate(id, false).ok_or(())).transpose().ok()?;
    let mut once: IdMap<EntryId, &Wording> = IdMap::default();
    let mut found = Vec::new();
    for (of, pinned) in lines {
        let first = *once.entry(of.id).or_insert(of);
        if !std::ptr::eq(first, of) {
            // Repeated lines are one entry; different texts with one id need the full ranking.
            if first == of {
                continue;
            }
            return None;
        }
        let evidence = ledger.evidence(memory.now, of.id)?;
        // Whether a superseding entry exists needs the full ranking too.
        if !evidence.superseded_by.is_empty() {
            return None;
        }
        let rival = candidate(of.id, *pinned)?;
        let expired = evidence.until.is_some_and(|until| until < memory.now.0);
        if !expired && caps::competes(&rival) {
            found.push((rival, store, of));
        }
    }
    Some((found, own))
}

//! Caps: how many entries of each category may be shown, and who gets the places left over.

use std::{cmp::Reverse, collections::HashSet};

use super::stability::{Stability, Standing, State};
use crate::model::{
    category::{Categories, CategoryId, CategorySpec},
    entry::EntryId,
    time::Timestamp,
};

/// Entries in the overflow pool.
const POOL: usize = 6;
/// Entries eligible in all, pinned ones aside.
const TOTAL: usize = 40;
/// Places of a category that are kept for its newest entries, at most half of them.
const RESERVED: usize = 2;

/// What decides an entry's place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Its id, the last tie-break.
    pub id: EntryId,
    /// Its category.
    pub category: CategoryId,
    /// Its standing.
    pub standing: Standing,
    /// Whether it is new enough to count as active.
    pub fresh: bool,
    /// Earliest add.
    pub first_seen: Timestamp,
    /// Latest add or reinforcement.
    pub last_reinforced: Timestamp,
    /// Superseded and expired entries compete for nothing.
    pub excluded: bool,
    /// What was not reviewed competes for nothing either, pinned or not.
    pub reviewed: bool,
}

/// The outcome for one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// The state, after caps.
    pub state: State,
    /// Why it may be shown, or why not.
    pub place: Place,
}

/// Where an entry ended up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Pinned: shown, and in no cap.
    Pinned,
    /// Among the active entries of its category, at this rank from 1.
    Active(usize),
    /// In the overflow pool, at this rank from 1.
    Pool(usize),
    /// Beyond its category's cap, and beyond the pool.
    OverCap,
    /// Its score is too low for the pool's places.
    BelowPool,
    /// Its state is candidate or dropped.
    TooWeak,
    /// Forgotten by the user.
    Forgotten,
    /// Superseded or expired.
    Excluded,
    /// Neither written nor reviewed on this machine.
    Unreviewed,
}

impl Place {
    /// Whether the report may show it.
    #[must_use]
    pub fn eligible(self) -> bool {
        matches!(self, Self::Pinned | Self::Active(_) | Self::Pool(_))
    }
}

/// Whether all the places of the categories may be taken at once, so that none decides about another.
#[must_use]
pub fn suffices(categories: &Categories) -> bool {
    let places = categories.iter().map(|(_, spec)| spec.max_active);
    places.fold(0, usize::saturating_add) <= TOTAL
}

/// How many of the places of a category are kept for its newest entries.
#[must_use]
pub fn reserved(spec: &CategorySpec) -> usize {
    RESERVED.min(spec.max_active / 2)
}

/// Whether an entry competes for the places of its category: active ones do, and new ones.
#[must_use]
pub fn competes(candidate: &Candidate) -> bool {
    let Standing::Scored(score) = candidate.standing else { return false };
    // Being new is no merit of what has proved harmful to the last piece of evidence.
    let fresh = candidate.fresh && score > Stability::default();
    fresh || first_look(candidate).state == State::Active
}

/// The order of entries everywhere: higher standing, then newer reinforcement, then id.
#[must_use]
pub fn order(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    (b.standing, b.last_reinforced).cmp(&(a.standing, a.last_reinforced)).then(a.id.cmp(&b.id))
}

/// Places every candidate; with `reserve`, the newest of a category have places of their own. Gives
/// the placements in the order given, and the ranking: the numbers of the candidates, best first.
#[must_use]
pub fn place(
    candidates: &[Candidate],
    categories: &Categories,
    reserve: bool,
) -> (Vec<Placement>, Vec<usize>) {
    let mut placed: Vec<Placement> = candidates.iter().map(first_look).collect();
    let mut ranked: Vec<usize> = (0..candidates.len()).collect();
    ranked.sort_unstable_by(|a, b| match (candidates.get(*a), candidates.get(*b)) {
        (Some(a), Some(b)) => order(a, b),
        _ => std::cmp::Ordering::Equal,
    });
    let competes = |index: &usize| {
        let (Some(candidate), Some(slot)) = (candidates.get(*index), placed.get(*index)) else {
            return false;
        };
        slot.place == Place::TooWeak && self::competes(candidate)
    };
    let competing: Vec<usize> = ranked.iter().copied().filter(competes).collect();
    let within = within_caps(candidates, &competing, categories, reserve);
    let mut taken = vec![0_usize; categories.iter().count()];
    let mut active = 0;
    for index in competing {
        let (Some(candidate), Some(slot)) = (candidates.get(index), placed.get_mut(index)) else {
            continue;
        };
        let Some(count) = taken.get_mut(usize::from(candidate.category.0)) else { continue };
        if within.contains(&index) && active < TOTAL {
            *count += 1;
            active += 1;
            slot.place = Place::Active(*count);
        } else {
            if slot.state == State::Active {
                slot.state = State::Provisional;
            }
            slot.place = Place::OverCap;
        }
    }
    let mut pooled = 0;
    for index in &ranked {
        let Some(slot) = placed.get_mut(*index) else { continue };
        let waiting = matches!(slot.place, Place::OverCap | Place::TooWeak);
        if slot.state == State::Provisional && waiting {
            if pooled < POOL.min(TOTAL - active) {
                pooled += 1;
                slot.place = Place::Pool(pooled);
            } else if slot.place == Place::TooWeak {
                slot.place = Place::BelowPool;
            }
        }
    }
    (placed, ranked)
}

/// Those of `competing`, which is in the order of ranking, that their categories have a place for.
fn within_caps(
    candidates: &[Candidate],
    competing: &[usize],
    categories: &Categories,
    reserve: bool,
) -> HashSet<usize> {
    let mut within = HashSet::new();
    for (id, spec) in categories.iter() {
        let of = |index: &usize| candidates.get(*index).filter(|found| found.category == id);
        let mut ranked: Vec<usize> =
            competing.iter().copied().filter(|index| of(index).is_some()).collect();
        let reserved = if reserve { reserved(spec) } else { 0 };
        let mut rest = ranked.split_off(ranked.len().min(spec.max_active - reserved));
        // Where few are fresh, the order of ranking decides about the places left.
        let newest = |index: &usize| of(index).filter(|found| found.fresh).map(|f| f.first_seen);
        rest.sort_by_key(|index| Reverse(newest(index)));
        within.extend(ranked.into_iter().chain(rest.into_iter().take(reserved)));
    }
    within
}

/// The state by score alone; `TooWeak` stands for "no place yet".
fn first_look(candidate: &Candidate) -> Placement {
    let place = match candidate.standing {
        _ if !candidate.reviewed => Place::Unreviewed,
        _ if candidate.excluded => Place::Excluded,
        Standing::Pinned => Place::Pinned,
        Standing::Forgotten => Place::Forgotten,
        Standing::Scored(_) => Place::TooWeak,
    };
    // It waits for somebody to look at it, however strong its evidence says that it is.
    let most = if candidate.reviewed { State::Active } else { State::Candidate };
    Placement { state: candidate.standing.state().min(most), place }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Age;

    /// One candidate a letter: `A` active, `p` provisional, `c` candidate, `d` dropped, `f` fresh,
    /// `P` pinned, `x` forgotten, `s` superseded, `u` and `U` active and pinned but not reviewed.
    /// Earlier letters score higher.
    fn places(category: &str, letters: &str, reserve: bool) -> String {
        let categories = Categories::default();
        let category = categories.find(category).unwrap();
        let candidates: Vec<Candidate> = (0_u32..)
            .zip(letters.chars())
            .map(|(n, letter)| {
                let score = match letter {
                    'A' | 's' | 'u' => 3.0,
                    'p' => 1.0,
                    'c' | 'f' => 0.6,
                    _ => 0.1,
                };
                let weight = (score - f64::from(n) * 1e-3) / 2.0_f64.ln();
                let standing = match letter {
                    'P' | 'U' => Standing::Pinned,
                    'x' => Standing::Forgotten,
                    _ => Standing::Scored(Stability::new(weight, Age(0), 1.0, 1)),
                };
                let id = EntryId(u64::from(n));
                let (fresh, excluded) = (letter == 'f', letter == 's');
                let (first_seen, last_reinforced) = (Timestamp(i64::from(n)), Timestamp(0));
                let reviewed = !"uU".contains(letter);
                Candidate {
                    id,
                    category,
                    standing,
                    fresh,
                    first_seen,
                    last_reinforced,
                    excluded,
                    reviewed,
                }
            })
            .collect();
        let shown = |placement: &Placement| match placement.place {
            Place::Pinned => 'P',
            Place::Active(_) => 'a',
            Place::Pool(_) => 'o',
            Place::OverCap => '^',
            Place::BelowPool => '_',
            Place::TooWeak => '.',
            Place::Forgotten => 'x',
            Place::Excluded => 's',
            Place::Unreviewed => 'u',
        };
        place(&candidates, &categories, reserve).0.iter().map(shown).collect()
    }

    #[test]
    fn table() {
        for (category, letters, want) in [
            ("decision", "AAAA", "aaaa"),
            ("decision", "AAAAAA", "aaaaoo"),
            ("decision", "AAAAAAAAAAAA", "aaaaoooooo^^"),
            ("decision", "AAAAApppppp", "aaaaoooooo_"),
            ("decision", "ppc", "oo."),
            ("decision", "PPPPPPAAAA", "PPPPPPaaaa"),
            ("decision", "AAf", "aaa"),
            ("decision", "AAAAf", "aaaa^"),
            ("decision", "ffffff", "aaaa^^"),
            ("decision", "sAAAA", "saaaa"),
            ("decision", "xd", "x."),
            ("decision", "uUAAAAuAU", "uuaaaauou"),
            ("lesson", "AAAAAAAAA", "aaaaaaaao"),
            ("lesson", "", ""),
        ] {
            assert_eq!(places(category, letters, false), want, "{category} {letters}");
        }
    }

    /// Later letters are newer.
    #[test]
    fn the_newest_have_places() {
        for (category, letters, want) in [
            ("decision", "AAAAAA", "aaaaoo"),
            ("decision", "AAf", "aaa"),
            ("decision", "AAAAf", "aaaoa"),
            ("decision", "AAAAff", "aaooaa"),
            ("decision", "AAAAfff", "aaoo^aa"),
            ("decision", "ffffff", "aa^^aa"),
            ("lesson", "AAAAAAAAf", "aaaaaaaoa"),
        ] {
            assert_eq!(places(category, letters, true), want, "{category} {letters}");
        }
    }

    /// Level ones are told by when they were of use, and then by their ids.
    #[test]
    fn ties() {
        let categories = Categories::default();
        let category = categories.find("decision").unwrap();
        let level = |id, last| Candidate {
            id: EntryId(id),
            category,
            standing: Standing::Scored(Stability::new(1.0, Age(0), 1.0, 100)),
            fresh: false,
            first_seen: Timestamp(0),
            last_reinforced: Timestamp(last),
            excluded: false,
            reviewed: true,
        };
        let all = [level(6, 5), level(5, 5), level(4, 9), level(3, 4), level(2, 5), level(1, 3)];
        let (placed, ranking) = place(&all, &categories, false);
        assert_eq!(ranking, [2, 4, 1, 0, 3, 5]);
        let active = |at: &usize| matches!(placed[*at].place, Place::Active(_));
        assert_eq!(ranking.iter().filter(|at| active(at)).count(), 4);
        assert_eq!(placed[0].place, Place::Active(4));
        assert_eq!(placed[3].place, Place::Pool(1), "what is older has to wait");
    }

    #[test]
    fn states_follow_the_caps() {
        let categories = Categories::default();
        let category = categories.find("done").unwrap();
        let candidates: Vec<Candidate> = (0..6)
            .map(|n| Candidate {
                id: EntryId(n),
                category,
                standing: Standing::Scored(Stability::new(1.0, Age(0), 1.0, 100)),
                fresh: false,
                first_seen: Timestamp(0),
                last_reinforced: Timestamp(0),
                excluded: false,
                reviewed: true,
            })
            .collect();
        let states: Vec<State> =
            place(&candidates, &categories, false).0.iter().map(|p| p.state).collect();
        let want = [State::Active, State::Active, State::Active, State::Active];
        assert_eq!(states[..4], want);
        assert_eq!(states[4..], [State::Provisional, State::Provisional]);
    }
}

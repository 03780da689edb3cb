//! Caps: assigns the limited places of each category, then those of the overflow pool.

use std::{cmp::Reverse, collections::HashSet};

use super::stability::{Score, Standing, State};
use crate::model::{
    category::{Categories, CategoryId, CategorySpec},
    entry::EntryId,
    time::Timestamp,
};

/// Places in the overflow pool.
pub(crate) const POOL: usize = 6;
/// Maximum number of eligible entries, not counting pinned ones.
const TOTAL: usize = 40;
/// Places of a category reserved for its newest entries; at most half of its places.
const RESERVED: usize = 2;

/// The properties of an entry that decide its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CapCandidate {
    /// Last tie-break.
    pub id: EntryId,
    pub category: CategoryId,
    pub standing: Standing,
    /// True if the entry is new enough to count as active.
    pub fresh: bool,
    /// Earliest add.
    pub first_seen: Timestamp,
    /// Latest add or reinforcement.
    pub last_reinforced: Timestamp,
    /// True if superseded or expired. Such entries do not compete for a place.
    pub excluded: bool,
    /// False for entries that were not reviewed. They do not compete for a place, pinned or not.
    pub reviewed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// State after caps.
    pub state: State,
    /// The reason why the entry may be shown, or why not.
    pub place: CapPlace,
}

/// The place of an entry after caps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapPlace {
    /// Shown, and not counted towards any cap.
    Pinned,
    /// Among the active entries of its category, at this rank from 1.
    Active(usize),
    /// In the overflow pool, at this rank from 1.
    Pool(usize),
    /// Over the cap of its category and over the size of the pool.
    OverCap,
    /// Within the limit of its group, at this rank from 1, under another policy than stability.
    Listed(usize),
    /// In no limit: the latest decision of its topic.
    Always,
    /// Over the limit of its scope.
    OverLimit,
    /// There is a newer decision on its topic.
    OlderDecision,
    /// It belongs to none of the newest sessions.
    OlderSession,
    /// Harm outweighs all other evidence.
    Spent,
    /// Score too low for the places of the pool.
    BelowPool,
    /// State is candidate or dropped.
    TooWeak,
    Forgotten,
    /// Superseded or expired.
    Excluded,
    /// Its category is of another preset, and only read.
    Unset,
    /// It counts in another place than that of the work.
    Elsewhere,
    /// Neither written nor reviewed on this machine.
    Unreviewed,
    /// Its text holds a secret.
    Secret,
}

impl CapPlace {
    /// Returns true if a report may show the entry.
    #[must_use]
    pub fn eligible(self) -> bool {
        matches!(
            self,
            Self::Pinned | Self::Active(_) | Self::Pool(_) | Self::Listed(_) | Self::Always
        )
    }
}

/// Returns true if all places of all categories can be filled at once, so that the total limit
/// never makes categories compete with each other.
#[must_use]
pub fn suffices(categories: &Categories) -> bool {
    let places = categories.iter().map(|(_, spec)| spec.max_active);
    places.fold(0, usize::saturating_add) <= TOTAL
}

/// Returns how many places of a category are reserved for its newest entries.
#[must_use]
pub fn reserved(spec: &CategorySpec) -> usize {
    RESERVED.min(spec.max_active / 2)
}

/// Returns true if an entry competes for the places of its category: it is active or new.
#[must_use]
pub fn competes(candidate: &CapCandidate) -> bool {
    let Standing::Scored(score) = candidate.standing else { return false };
    // An entry with harmful evidence down to a score of 0 gains nothing from being new.
    let fresh = candidate.fresh && score > Score::default();
    fresh || first_look(candidate).state == State::Active
}

/// Compares entries in ranking order: higher standing, then newer reinforcement, then id.
#[must_use]
pub fn order(a: &CapCandidate, b: &CapCandidate) -> std::cmp::Ordering {
    (b.standing, b.last_reinforced).cmp(&(a.standing, a.last_reinforced)).then(a.id.cmp(&b.id))
}

/// Places every candidate. With `reserve`, some places of a category are reserved for its newest
/// entries. Returns the placements in the order of `candidates`, and the ranking as indexes, best
/// first.
#[must_use]
pub fn place(
    candidates: &[CapCandidate],
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
        slot.place == CapPlace::TooWeak && self::competes(candidate)
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
            slot.place = CapPlace::Active(*count);
        } else {
            if slot.state == State::Active {
                slot.state = State::Provisional;
            }
            slot.place = CapPlace::OverCap;
        }
    }
    let mut pooled = 0;
    for index in &ranked {
        let Some(slot) = placed.get_mut(*index) else { continue };
        let waiting = matches!(slot.place, CapPlace::OverCap | CapPlace::TooWeak);
        if slot.state == State::Provisional && waiting {
            if pooled < POOL.min(TOTAL - active) {
                pooled += 1;
                slot.place = CapPlace::Pool(pooled);
            } else if slot.place == CapPlace::TooWeak {
                slot.place = CapPlace::BelowPool;
            }
        }
    }
    (placed, ranked)
}

/// Returns the candidates of `competing` that get a place in their category. `competing` must be in
/// ranking order.
fn within_caps(
    candidates: &[CapCandidate],
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
        // If too few entries are fresh, ranking order decides about the remaining places.
        let newest = |index: &usize| of(index).filter(|found| found.fresh).map(|f| f.first_seen);
        rest.sort_by_key(|index| Reverse(newest(index)));
        within.extend(ranked.into_iter().chain(rest.into_iter().take(reserved)));
    }
    within
}

/// Returns the placement by score alone. `TooWeak` stands for "no place yet".
fn first_look(candidate: &CapCandidate) -> Placement {
    let place = match candidate.standing {
        _ if !candidate.reviewed => CapPlace::Unreviewed,
        _ if candidate.excluded => CapPlace::Excluded,
        Standing::Pinned => CapPlace::Pinned,
        Standing::Forgotten => CapPlace::Forgotten,
        Standing::Scored(_) => CapPlace::TooWeak,
    };
    // An unreviewed entry stays a candidate until it is reviewed, whatever its evidence.
    let most = if candidate.reviewed { State::Active } else { State::Candidate };
    Placement { state: candidate.standing.state().min(most), place }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Age;

    /// Places one candidate per letter: `A` active, `p` provisional, `c` candidate, `d` dropped,
    /// `f` fresh, `P` pinned, `x` forgotten, `s` superseded, `u` and `U` active and pinned but not
    /// reviewed. Earlier letters score higher.
    fn places(category: &str, letters: &str, reserve: bool) -> String {
        let categories = Categories::default();
        let category = categories.find(category).unwrap();
        let candidates: Vec<CapCandidate> = (0_u32..)
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
                    _ => Standing::Scored(Score::new(weight, Age(0), 1.0, 1)),
                };
                let id = EntryId(u64::from(n));
                let (fresh, excluded) = (letter == 'f', letter == 's');
                let (first_seen, last_reinforced) = (Timestamp(i64::from(n)), Timestamp(0));
                let reviewed = !"uU".contains(letter);
                CapCandidate {
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
            CapPlace::Pinned => 'P',
            CapPlace::Active(_) => 'a',
            CapPlace::Pool(_) => 'o',
            CapPlace::OverCap => '^',
            CapPlace::BelowPool => '_',
            CapPlace::TooWeak => '.',
            CapPlace::Forgotten => 'x',
            CapPlace::Excluded => 's',
            CapPlace::Elsewhere => 'w',
            CapPlace::Unreviewed => 'u',
            other => panic!("{other:?} is of another policy"),
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

    /// Equal scores are ordered by last reinforcement, then by id.
    #[test]
    fn ties() {
        let categories = Categories::default();
        let category = categories.find("decision").unwrap();
        let level = |id, last| CapCandidate {
            id: EntryId(id),
            category,
            standing: Standing::Scored(Score::new(1.0, Age(0), 1.0, 100)),
            fresh: false,
            first_seen: Timestamp(0),
            last_reinforced: Timestamp(last),
            excluded: false,
            reviewed: true,
        };
        let all = [level(6, 5), level(5, 5), level(4, 9), level(3, 4), level(2, 5), level(1, 3)];
        let (placed, ranking) = place(&all, &categories, false);
        assert_eq!(ranking, [2, 4, 1, 0, 3, 5]);
        let active = |at: &usize| matches!(placed[*at].place, CapPlace::Active(_));
        assert_eq!(ranking.iter().filter(|at| active(at)).count(), 4);
        assert_eq!(placed[0].place, CapPlace::Active(4));
        assert_eq!(placed[3].place, CapPlace::Pool(1), "what is older has to wait");
    }

    #[test]
    fn states_follow_the_caps() {
        let categories = Categories::default();
        let category = categories.find("done").unwrap();
        let candidates: Vec<CapCandidate> = (0..6)
            .map(|n| CapCandidate {
                id: EntryId(n),
                category,
                standing: Standing::Scored(Score::new(1.0, Age(0), 1.0, 100)),
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

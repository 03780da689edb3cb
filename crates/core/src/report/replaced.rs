//! Detects entries that seem to be replaced: a newer entry has similar content, but does not
//! supersede them.

use std::cell::OnceCell;

use crate::{
    language::gist::Gist,
    model::{
        category::{Categories, CategorySpec},
        entry::EntryId,
        time::DAY_MS,
    },
    score::{
        caps::Place,
        ranking::{Ranking, ScoredEntry},
    },
};

/// Share of common content words from which on a newer entry seems to replace an older one.
const ALIKE: f64 = 0.2;
/// Minimum age difference: similar entries of one day belong together.
const APART_MS: i64 = DAY_MS;

/// Returns true if a new text may seem to replace one of `others`, which are of its category.
#[must_use]
pub fn may_replace<'a>(
    text: &str,
    spec: &CategorySpec,
    mut others: impl Iterator<Item = &'a str>,
) -> bool {
    let gist = Gist::of(text);
    let is_alike = |other: &str| {
        gist.may_be_near(other, ALIKE) && Gist::of(other).near(&gist, ALIKE).is_some()
    };
    !spec.is_done() && others.any(is_alike)
}

/// Returns the entry that a new one seems to replace: the most similar one of its category and
/// store for which `was_there` returns true.
#[must_use]
pub fn seems_replaced<'a>(
    ranking: &'a Ranking,
    categories: &Categories,
    new: &ScoredEntry,
    was_there: impl Fn(&ScoredEntry) -> bool,
) -> Option<&'a ScoredEntry> {
    if categories.spec(new.entry.category).is_done() {
        return None;
    }
    let gist = Gist::of(&new.entry.text);
    let older = ranking.rows.iter().filter(|row| {
        let beside = row.entry.category == new.entry.category && row.entry.scope == new.entry.scope;
        beside && !is_gone(row) && was_there(row)
    });
    let alike = older.filter_map(|row| Some((Gist::of(&row.entry.text).near(&gist, ALIKE)?, row)));
    alike
        .max_by(|(a, x), (b, y)| {
            a.total_cmp(b).then(x.evidence.first_seen.cmp(&y.evidence.first_seen))
        })
        .map(|(_, row)| row)
}

/// Returns true if an entry is out of force anyway.
fn is_gone(row: &ScoredEntry) -> bool {
    matches!(row.place, Place::Forgotten | Place::Excluded | Place::Unreviewed)
}

/// The entries of a ranking, indexed for comparison with older ones of their category.
pub struct Newer<'a> {
    ranking: &'a Ranking,
    /// For each category, the indexes of rows that may replace another.
    rows: Vec<Vec<usize>>,
    gists: Vec<OnceCell<Gist>>,
}

impl<'a> Newer<'a> {
    #[must_use]
    pub fn new(ranking: &'a Ranking, categories: &Categories) -> Self {
        let mut rows = vec![Vec::new(); categories.iter().count()];
        for (at, row) in ranking.rows.iter().enumerate() {
            let gone = is_gone(row);
            // Each completion stands for itself, however similar two are.
            let single = categories.spec(row.entry.category).is_done();
            if let Some(rows) =
                rows.get_mut(usize::from(row.entry.category.0)).filter(|_| !gone && !single)
            {
                rows.push(at);
            }
        }
        Self { ranking, rows, gists: vec![OnceCell::new(); ranking.rows.len()] }
    }

    /// Returns the newer entry that seems to replace the row at index `at`: the most similar one.
    #[must_use]
    pub fn seems_to_replace(&self, at: usize) -> Option<EntryId> {
        let row = self.ranking.rows.get(at)?;
        let gist = self.gist(at, row)?;
        let newer = self.rows.get(usize::from(row.entry.category.0))?.iter();
        let alike = newer.filter_map(|other| {
            let found = self.ranking.rows.get(*other)?;
            let later = found.evidence.first_seen.0.saturating_sub(row.evidence.first_seen.0);
            let is_newer = later >= APART_MS;
            Some((is_newer.then(|| self.gist(*other, found))??.near(gist, ALIKE)?, found))
        });
        alike
            .max_by(|(a, x), (b, y)| {
                a.total_cmp(b).then(x.evidence.first_seen.cmp(&y.evidence.first_seen))
            })
            .map(|(_, found)| found.entry.id)
    }

    fn gist(&self, at: usize, row: &ScoredEntry) -> Option<&Gist> {
        Some(self.gists.get(at)?.get_or_init(|| Gist::of(&row.entry.text)))
    }
}

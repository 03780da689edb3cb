//! The team: lines of mirrors beside those of one's own stores, in reports, searches and recall.
//!
//! Own lines are selected first, as if there were no mirrors.

use std::collections::HashSet;

use crate::memory::handles::Sharing;
use pimem_core::{
    language::sketch::Gist,
    model::{entry::EntryId, hash::IdSet, mirror, rules::LineRules},
    report::{
        budget::{self, Tokens},
        render::{RenderSettings, Report},
        select::ReportVerdict,
        team::{self, Own, Team, TeamRoom, TeamSource},
    },
    score::{
        ledger::Ledger,
        ranking::{Ranking, ScoredEntry},
    },
    search::{documents::SourceKind, rank},
};

use super::{
    Memory,
    mirrors::{self, Mirrored},
    recall::{self, PlacedEntry, PromptQueries, Recalled},
    search::{self, FoundHit, SearchResult, request::SearchRequest},
    selector,
};
use crate::{
    error::{Failure, FailureKind},
    store::{Store, snapshot::Snapshot},
    view::{Entries, EntryView, JudgedEntry},
};

/// The files of a mirror that are searched.
const KINDS: &[SourceKind] = &[SourceKind::Topic, SourceKind::Archive];

/// The mirrors of a report, and what became of their lines.
#[derive(Default)]
pub struct TeamReport {
    pub mirrors: Vec<Mirrored>,
    pub team: Team,
}

impl TeamReport {
    /// Returns the rows in the report: number of their line in its text from 0, mirror and row.
    pub fn shown(&self) -> impl Iterator<Item = (usize, &Mirrored, &ScoredEntry)> {
        self.team.shown.iter().filter_map(|(line, at, row)| {
            let mirror = self.mirrors.get(*at)?;
            Some((*line, mirror, mirror.ranking.rows.get(*row)?))
        })
    }

    /// Returns the rows for which `wanted` returns true, with their verdicts.
    pub fn judged(
        &self,
        memory: &Memory,
        wanted: impl Fn(&ReportVerdict) -> bool,
        explained: bool,
    ) -> Vec<JudgedEntry> {
        let mut all = Vec::new();
        for (mirror, verdicts) in self.mirrors.iter().zip(&self.team.verdicts) {
            let entries = memory.entries_of(&mirror.ranking);
            let rows = mirror.ranking.rows.iter().zip(verdicts);
            all.extend(rows.filter(|(_, verdict)| wanted(verdict)).map(|(row, verdict)| {
                let factors = explained.then(|| entries.factors(row));
                let entry = mirror.view(&entries, row);
                JudgedEntry { entry, factors, ..entries.judged(row, verdict) }
            }));
        }
        all
    }
}

impl Mirrored {
    pub fn view(&self, entries: &Entries<'_>, row: &ScoredEntry) -> EntryView {
        let mirror = self.mirror();
        let (author, project) = (mirror.author(row.entry.id), Some(mirror.project.clone()));
        EntryView { author, project, ..entries.entry(row) }
    }

    /// `home` is the name of the project at hand.
    fn source(&self, home: Option<&str>) -> TeamSource<'_> {
        let mirror = self.mirror();
        TeamSource { mirror, ranking: &self.ranking, is_home: mirrors::is_home(mirror, home) }
    }
}

/// A row of a mirror that a selector matches.
pub struct Selected {
    pub mirrors: Vec<Mirrored>,
    pub mirror: usize,
    pub row: usize,
}

impl Selected {
    pub fn get(&self) -> Option<(&Mirrored, &ScoredEntry)> {
        let mirror = self.mirrors.get(self.mirror)?;
        Some((mirror, mirror.ranking.rows.get(self.row)?))
    }
}

impl Sharing<'_> {
    /// Adds the section of the team, without what is `stated` elsewhere, to a report of the user's
    /// stores, within `total` tokens for both. With `explained`, every line is judged.
    pub fn add_team(
        self,
        report: &mut Report,
        (own, snapshots): (&Ranking, &[Snapshot]),
        (settings, total): (RenderSettings<'_>, Tokens),
        stated: &HashSet<String>,
        explained: bool,
    ) -> TeamReport {
        let tokens = self.memory.config.settings.report.team;
        if tokens == Tokens(0) && !explained || settings.budget == Tokens(0) {
            return TeamReport::default();
        }
        let stores = self.mirrors();
        if stores.is_empty() {
            return TeamReport::default();
        }
        let (room, mut mirrors) = (TeamRoom { tokens, total }, self.mirrored(stores));
        for mirror in &mut mirrors {
            mirror.ranking.rows.retain(|row| !stated.contains(&row.entry.text));
        }
        self.add_mirrors(report, (own, snapshots), (settings, room), mirrors, explained)
    }

    /// The same, for mirrors that were read before.
    pub fn add_mirrors(
        self,
        report: &mut Report,
        (own, snapshots): (&Ranking, &[Snapshot]),
        (settings, room): (RenderSettings<'_>, TeamRoom),
        mirrors: Vec<Mirrored>,
        explained: bool,
    ) -> TeamReport {
        let home = self.project_name();
        let sources: Vec<TeamSource<'_>> =
            mirrors.iter().map(|mirror| mirror.source(home.as_deref())).collect();
        let withheld = |at: usize, row: &ScoredEntry| mirrors.get(at)?.withheld(self.memory, row);
        let categories = &self.memory.config.categories;
        let ledgers: Vec<&Ledger> = snapshots.iter().map(|snapshot| &snapshot.ledger).collect();
        let own = Own { ranking: own, ledgers: &ledgers, now: self.memory.now };
        let mut team = team::add(report, (own, categories), settings, room, &sources, &withheld);
        if explained {
            for (mirror, verdicts) in mirrors.iter().zip(&mut team.verdicts) {
                let rows = mirror.ranking.rows.iter().zip(verdicts);
                for (row, verdict) in rows.filter(|(_, verdict)| !verdict.shown()) {
                    if let Some(why) = mirror.withheld(self.memory, row) {
                        *verdict = ReportVerdict::Withheld(why);
                    }
                }
            }
        }
        TeamReport { mirrors, team }
    }

    /// Returns the limit of a report with the section of the team: that of the command line, or what
    /// the system prompt leaves.
    pub fn team_total(self, limit: Option<Tokens>, system_prompt: Tokens) -> Tokens {
        let report = &self.memory.config.settings.report;
        if limit.unwrap_or(report.budget) == Tokens::UNLIMITED {
            return Tokens::UNLIMITED;
        }
        budget::available(limit.unwrap_or(Tokens::UNLIMITED), report.context, system_prompt)
    }

    /// Searches mirrors too, and adds what they have to the result for the user's stores.
    pub(super) fn join_team(
        self,
        stores: &[Store],
        request: &SearchRequest<'_>,
        found: &mut SearchResult,
    ) {
        if !KINDS.iter().any(|kind| request.may_find(*kind)) {
            return;
        }
        let mirrors = self.mirrors();
        let team = self.find_team(stores, &mirrors, std::slice::from_ref(request)).pop();
        let Some(mut team) = team else { return };
        let withheld = team.withheld.of("unreviewed");
        if withheld > 0 {
            let hits = if withheld == 1 { "hit is" } else { "hits are" };
            self.memory
                .notices
                .note(&format!("{withheld} {hits} withheld: pimem trust --scope team"));
        }
        if stores.is_empty() {
            *found = team;
            return;
        }
        let least = self.memory.config.settings.recall.min_score;
        let is_own = |hit: &FoundHit| found.hits.iter().any(|own| own.text == hit.text);
        team.hits.retain(|hit| !is_own(hit));
        let best = found.hits.iter().map(|hit| hit.rank).fold(0.0, f64::max);
        let is_recalled = |hit: &FoundHit| {
            hit.score >= least && hit.rank >= rank::RecallBar::new(least, 0).near * best
        };
        let own = std::mem::take(&mut found.hits);
        found.hits = joined(own, team.hits, is_recalled, |hit| hit.score);
        let over = found.hits.split_off(request.limit.min(found.hits.len()));
        let near = over.into_iter().chain(std::mem::take(&mut found.near)).chain(team.near);
        found.near = near.take(search::NEAR).collect();
        found.docs += team.docs;
        found.degraded = found.degraded.take().or(team.degraded);
        found.stale.append(&mut team.stale);
    }

    /// Searches mirrors for requests for the same kinds of files. Returns nothing if none of theirs
    /// are asked for. Leaves out what a store of the user has put out of force.
    fn find_team(
        self,
        stores: &[Store],
        mirrors: &[Store],
        requests: &[SearchRequest<'_>],
    ) -> Vec<SearchResult> {
        let is_asked = |kind: &SourceKind| requests.iter().any(|request| request.may_find(*kind));
        let kinds: Vec<SourceKind> = KINDS.iter().copied().filter(is_asked).collect();
        if mirrors.is_empty() || kinds.is_empty() {
            return Vec::new();
        }
        let requests: Vec<SearchRequest<'_>> =
            requests.iter().map(|request| SearchRequest { kinds: &kinds, ..*request }).collect();
        let mut all = search::find_each(self.memory, mirrors, &requests);
        for problem in all.iter_mut().flat_map(|found| std::mem::take(&mut found.problems)) {
            self.memory.warn(problem.to_string());
        }
        let hits = all.iter().flat_map(|found| found.hits.iter().chain(&found.near));
        let ids: IdSet<EntryId> = hits.filter_map(|hit| hit.entry).collect();
        let is_done_with = self.done_with(stores, &ids);
        for found in &mut all {
            found.hits.retain(|hit| !is_done_with(hit.entry.unwrap_or_default()));
            found.near.retain(|hit| !is_done_with(hit.entry.unwrap_or_default()));
        }
        all
    }

    /// Returns with which of some entries the user's stores are done.
    fn done_with(self, stores: &[Store], ids: &IdSet<EntryId>) -> impl Fn(EntryId) -> bool {
        let ledgers: Vec<_> = stores.iter().map(|store| store.ledger_of(ids)).collect();
        move |id| ledgers.iter().any(|ledger| ledger.is_done_with(self.memory.now, id))
    }

    /// Returns the entries that the project's mirrors have of a place, without those that the user's stores
    /// are done with.
    pub(super) fn of_place(
        self,
        stores: &[Store],
        is_here: impl Fn(&LineRules) -> bool,
    ) -> Vec<PlacedEntry> {
        let home = self.project_name();
        let mut found = Vec::new();
        for store in self.mirrors() {
            if !store.mirror.as_deref().is_some_and(|one| mirrors::is_home(one, home.as_deref())) {
                continue;
            }
            let held = recall::read_placed(self.memory, &store, &is_here);
            let mirror = Mirrored::new(self.memory, store, held);
            let given = |row: &&ScoredEntry| {
                row.withheld().is_none()
                    && is_here(&row.entry.asides.rules)
                    && mirror.withheld(self.memory, row).is_none()
            };
            found.extend(mirror.ranking.rows.iter().filter(given).map(|row| {
                let of = mirror.mirror();
                let whose = mirror::label(of.author(row.entry.id).as_deref(), &of.project);
                PlacedEntry { row: row.clone(), whose: Some(whose) }
            }));
        }
        let ids: IdSet<EntryId> = found.iter().map(|one| one.row.entry.id).collect();
        let is_done_with = self.done_with(stores, &ids);
        found.retain(|one| !is_done_with(one.row.entry.id));
        found
    }

    /// Recalls lines of mirrors for a prompt, after the `own` ones and within the same limits. The
    /// indexes to refresh are added to `stale`.
    pub fn recall_team(
        self,
        stores: &[Store],
        asked: &PromptQueries,
        except: &IdSet<EntryId>,
        own: &[FoundHit],
        stale: &mut Vec<super::background::Stale>,
    ) -> Vec<FoundHit> {
        let left = recall::limit(self.memory).saturating_sub(own.len());
        if left == 0 || !self.memory.config.settings.recall.enabled {
            return Vec::new();
        }
        let mirrors = self.mirrors();
        if mirrors.is_empty() {
            return Vec::new();
        }
        let requests = asked.requests(self.memory, KINDS, except);
        let found = self.find_team(stores, &mirrors, &requests).into_iter();
        let found = found.map(|entries| Recalled { entries, ..Recalled::default() });
        let mut found = Recalled::joined(self.memory, found.collect()).entries;
        stale.append(&mut found.stale);
        let mut hits = found.hits;
        let mut known: Vec<Gist> = own.iter().map(|hit| Gist::of(&hit.text)).collect();
        hits.retain(|hit| {
            let gist = Gist::of(&hit.text);
            let is_new = !known.iter().any(|known| known.repeats(&gist));
            known.extend(is_new.then_some(gist));
            is_new
        });
        hits.truncate(left);
        // Own lines, which come first whatever they score, do not use up what those of others may cost.
        let before = if recall::is_used(self.memory) { own } else { &[] };
        recall::fit(self.memory, before, &mut hits);
        hits
    }

    /// Returns the row of a mirror that a selector matches, in all mirrors that are read here.
    /// `Ok(None)` if there is none.
    ///
    /// # Errors
    /// Fails if it matches several.
    pub fn select_team(self, selector: &str) -> Result<Option<Selected>, Failure> {
        let mirrors = self.mirrored(self.mirrors());
        let mut all = Ranking { policy: self.memory.policy(), ..Ranking::default() };
        let mut places = Vec::new();
        let mut seen = HashSet::new();
        for (at, mirror) in mirrors.iter().enumerate() {
            for (row_at, row) in mirror.ranking.rows.iter().enumerate() {
                // The first copy stands for all.
                if seen.insert((row.entry.category, &row.entry.text)) {
                    all.rows.push(row.clone());
                    places.push((at, row_at));
                }
            }
        }
        let row = match selector::entry(self.memory, &all, &[], selector) {
            Ok(row) => row,
            Err(failure) if failure.kind == FailureKind::NotFound => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let at = all.rows.iter().position(|known| std::ptr::eq(known, row));
        let place = at.and_then(|at| places.get(at).copied());
        Ok(place.map(|(mirror, row)| Selected { mirrors, mirror, row }))
    }

    /// Returns the row of a mirror that a selector matches, if it has failed in the user's stores by
    /// matching nothing.
    ///
    /// # Errors
    /// Fails as it did there, or if it matches several.
    pub(super) fn selected(self, selector: &str, failure: Failure) -> Result<Selected, Failure> {
        if failure.kind != FailureKind::NotFound {
            return Err(failure);
        }
        let mut selected = self.select_team(selector)?.ok_or(failure)?;
        let at = selected.mirror;
        if let Some(mirror) = selected.mirrors.get_mut(at) {
            mirror.mark_withheld(self.memory);
        }
        Ok(selected)
    }

    /// Returns the failure for a selector that matches nothing in the user's stores. If it matches a
    /// line of a mirror, that is said.
    pub(super) fn not_own(self, selector: &str, failure: Failure) -> Failure {
        if failure.kind != FailureKind::NotFound {
            return failure;
        }
        let selected = match self.select_team(selector) {
            Ok(Some(selected)) => selected,
            Ok(None) => return failure,
            Err(several) => return several,
        };
        let Some((mirror, row)) = selected.get() else { return failure };
        let entries = self.memory.entries_of(&mirror.ranking);
        let (line, project) = (entries.line(row), &mirror.mirror().project);
        let (whose, hint) = match mirror.mirror().author(row.entry.id) {
            Some(author) => (
                format!("is {author}'s, of the project {project}"),
                format!("ask {author}, or keep a line of your own with pimem add"),
            ),
            None => (
                format!("is yours, of the project {project}"),
                "change it in that project".to_owned(),
            ),
        };
        Failure::new(FailureKind::Refused, format!("{line} {whose}, and only read here"), hint)
    }
}

/// Joins what was found in the user's stores and in mirrors, both best first. What recall would take
/// of the former stands first, then all by score, the user's first among equals.
fn joined<T>(
    own: Vec<T>,
    team: Vec<T>,
    is_recalled: impl Fn(&T) -> bool,
    score: impl Fn(&T) -> f64,
) -> Vec<T> {
    let (mut own, mut team) = (own.into_iter().peekable(), team.into_iter().peekable());
    let mut all = Vec::new();
    while let Some(hit) = own.next_if(&is_recalled) {
        all.push(hit);
    }
    loop {
        let next = match (own.peek(), team.peek()) {
            (Some(mine), Some(theirs)) if score(theirs) > score(mine) => team.next(),
            (Some(_), _) => own.next(),
            (None, _) => team.next(),
        };
        match next {
            Some(hit) => all.push(hit),
            None => return all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_recall_would_take_stands_above_the_team() {
        let of = |own: &[u32], team: &[u32]| {
            let mark = |whose: &'static str| move |score: &u32| (whose, *score);
            let (own, team) = (own.iter().map(mark("own")), team.iter().map(mark("team")));
            let score = |hit: &(&str, u32)| f64::from(hit.1);
            joined(own.collect(), team.collect(), |hit| hit.1 >= 40, score)
        };
        assert_eq!(of(&[50, 40, 30], &[90, 30, 10]), {
            [("own", 50), ("own", 40), ("team", 90), ("own", 30), ("team", 30), ("team", 10)]
        });
        assert_eq!(of(&[30], &[35]), [("team", 35), ("own", 30)]);
        assert_eq!(of(&[], &[5]), [("team", 5)]);
        assert_eq!(of(&[5], &[]), [("own", 5)]);
    }
}

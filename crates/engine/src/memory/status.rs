//! Status of stores: their content, what agents see of it, and what awaits review.
//!
//! Writes nothing, not even to the ledger of trust.

use super::{
    Memory, Target, doctor,
    dream::gather::LEFT,
    mirrors::Mirrored,
    review::{self, Held},
};
use crate::{
    config::layers::Origin,
    error::Failure,
    store::{Store, snapshot::Snapshot, trust::Trust},
};
use pimem_core::{
    report::{budget::Tokens, render},
    score::ranking::Ranking,
    view::status::{self, Absent, Awaiting, Dream, Hooks, Index, Marks, Report, States, Status},
};

impl Memory {
    /// Returns the status of stores, and what a report would show now. `hooks` are the agents with
    /// hooks.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn status(&self, hooks: Hooks) -> Result<Status, Failure> {
        let stores: Vec<Store> = self.strict_readers()?.into_iter().map(Store::unwritten).collect();
        let mut findings = doctor::around(self, &stores).len();
        let (ranking, snapshots) = self.own_ranking(&stores);
        let settings = self.report_settings(None, Tokens(0));
        let mut report = render::report(&ranking, &self.config.categories, settings);
        let total = self.team_total(None, Tokens(0));
        let team = self.add_team(&mut report, (&ranking, &snapshots), settings, total, true);
        let mirrors = team.mirrors.iter().map(|mirror| self.status_of_mirror(mirror)).collect();
        let mut seen = Vec::new();
        for (store, snapshot) in stores.into_iter().zip(snapshots.into_inner()) {
            let (one, found) = look(self, store, &snapshot, &ranking);
            findings += found;
            seen.push(one);
        }
        let absent = self.target().ok().filter(|target| !target.exists);
        let own = report.verdicts.iter().filter(|verdict| verdict.shown()).count();
        let shown = own + team.shown().count();
        Ok(Status {
            stores: seen,
            mirrors,
            absent: absent.map(|Target { dir, scope, .. }| Absent {
                scope: scope.name(),
                place: self.places.short(&dir),
            }),
            report: Report {
                entries: shown,
                left_out: ranking.rows.len() - own,
                lines: report.text.lines().count(),
                tokens: report.tokens.0,
                budget: report.budget.limit(),
            },
            hooks,
            unusable: self.unusable(),
            unusable_place: unusable_place(self),
            findings,
        })
    }
}

impl Memory {
    fn status_of_mirror(&self, mirror: &Mirrored) -> status::Mirror {
        let rows = &mirror.ranking.rows;
        status::Mirror {
            project: mirror.mirror().project.clone(),
            server: mirror.mirror().server.clone(),
            store: mirror.store.dir.display().to_string(),
            entries: rows.len(),
            withheld: rows.iter().filter(|row| mirror.withheld(self, row).is_some()).count(),
        }
    }
}

/// Returns the place of the first unusable setting, for display.
fn unusable_place(memory: &Memory) -> String {
    let Some(wrong) = memory.config.unusable.first() else { return String::new() };
    let place = match &wrong.origin {
        Origin::User(path) | Origin::Project(path) => memory.places.short(path),
        origin => origin.to_string(),
    };
    place + &wrong.line.map_or_else(String::new, |line| format!(":{line}"))
}

/// Returns the status of a store, and the number of findings about it.
fn look(
    memory: &Memory,
    store: Store,
    snapshot: &Snapshot,
    ranking: &Ranking,
) -> (status::Store, usize) {
    let held = review::held(memory, store, snapshot);
    let store = &held.store;
    let (index, findings) = doctor::examine(memory, store, snapshot, held.unreviewed);
    let rows = || ranking.rows.iter().filter(|row| row.entry.scope == store.scope);
    let dreams = store.dreams(memory.now);
    let (sessions, more) = store.waiting(&dreams);
    let view = status::Store {
        scope: store.scope.name(),
        store: store.dir.display().to_string(),
        place: memory.places.short(&store.dir),
        trust: trust(&store.trust),
        entries: rows().count(),
        states: States::of(rows()),
        marks: Marks::of(rows()),
        archived: store.read_archive(&memory.config.categories).entries().count(),
        awaiting: awaiting(&held),
        index: Index { state: index.state(), lines: index.lines, in_words: index.in_words() },
        dream: Dream {
            last: dreams.last.map(|last| last.to_string()),
            sessions: sessions.len() + more,
            plan: store.dream_dir().is_some_and(|dir| dir.join(LEFT).is_file()),
        },
    };
    (view, findings.len())
}

fn awaiting(held: &Held) -> Awaiting {
    let in_words = if !held.items.is_empty() {
        Some(format!("{}: pimem trust --review", held.in_words()))
    } else if !held.store.trust.is_whole() {
        Some("nothing awaits review".to_owned())
    } else {
        None
    };
    Awaiting {
        entries: held.unreviewed.others,
        preferences: held.unreviewed.waiting,
        others: held.others(),
        in_words,
    }
}

fn trust(trust: &Trust) -> status::Trust {
    if trust.is_own() {
        status::Trust::Own
    } else if trust.is_always() {
        status::Trust::Always
    } else if trust.is_foreign() {
        status::Trust::Foreign
    } else if trust.is_made() {
        status::Trust::Here
    } else if trust.is_begun() {
        status::Trust::Part
    } else {
        status::Trust::None
    }
}

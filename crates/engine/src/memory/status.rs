//! Status of stores: their content, what agents see of it, and what awaits review.
//!
//! Writes nothing, not even to the ledger of trust, but that what hooks left to be learned is learned,
//! as by every command.

use super::{
    Memory, Target, check, doctor,
    dream::gather::LEFT,
    export,
    mirrors::Mirrored,
    review::{self, Held},
};
use crate::{
    config::layers::Origin,
    error::Failure,
    index::{corpus, vectors},
    store::{Store, discover, snapshot::Snapshot, trust::Trust},
};
use pimem_core::{
    lint::rule::{self, Finding},
    report::{budget::Tokens, render},
    score::ranking::{LocatedEntry, Ranking, ScoredEntry},
    sync::grave::Buried,
    view::status::{
        self, Absent, Awaiting, Away, Calls, Dream, Hooks, Index, Marks, Report, States, Status,
    },
};

impl Memory {
    /// Returns the status of stores, and what a report would show now. `hooks` are the agents with
    /// hooks.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn status(&self, hooks: Hooks) -> Result<Status, Failure> {
        let stores = self.readers_left()?.into_iter().map(|store| store.strict().unwritten());
        let stores: Vec<Store> = stores.collect();
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
            away: self.leads_away().map(|away| Away {
                path: away.path.display().to_string(),
                says: away.to_string(),
                fix: discover::REMEDY,
            }),
            absent: absent.map(|Target { dir, scope, .. }| Absent {
                scope: scope.name(),
                place: self.places.short(&dir),
            }),
            report: Report {
                entries: shown,
                left_out: ranking.rows.len() - own,
                lines: report.text.lines().count(),
                tokens: report.tokens.0,
                pinned_tokens: report.pinned.0,
                by_score: report.by_score.0,
                budget: report.budget.limit(),
                crowded: self.crowded(&report),
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
    let health = check::health(memory, store, snapshot);
    let (index, findings) = doctor::examine(memory, store, snapshot, (&held.unreviewed, &health));
    let rows = || ranking.rows.iter().filter(|row| row.entry.scope == store.scope);
    let lines = health.into_iter().filter(|finding| {
        [&rule::SECRET, &rule::NO_ENTRY, &rule::UNCLOSED].contains(&finding.rule)
    });
    let line = |finding: Finding| status::Line {
        rule: finding.rule.id,
        place: finding.place.to_string(),
        says: finding.says,
    };
    let archive = store.read_archive(&memory.config.categories);
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
        archived: archive.entries().count(),
        grave: grave(&store.buried(snapshot, &archive, &memory.config.categories)),
        awaiting: awaiting(&held),
        by_agents: held.by_agents.len(),
        lines: lines.map(line).collect(),
        index: Index {
            state: index.state(),
            lines: index.lines,
            embedded: embedded(memory, store, rows()),
            in_words: index.in_words(),
        },
        dream: Dream {
            last: dreams.last.map(|last| last.to_string()),
            sessions: sessions.len() + more,
            plan: store.dream_dir().is_some_and(|dir| dir.join(LEFT).is_file()),
        },
        calls: Calls { late: store.late_calls().len(), spooled: store.spooled().len() },
    };
    (view, findings.len())
}

/// Returns what is in a grave, if something is.
fn grave(buried: &[(LocatedEntry, Buried)]) -> Option<status::Grave> {
    let until = buried.iter().map(|(_, one)| one.until()).min()?;
    let ids = buried.iter().map(|(entry, _)| entry.id.to_string()).collect();
    Some(status::Grave { lines: buried.len(), until: until.to_string(), ids })
}

/// Returns the number of entries of which the cache has a vector by the model in use.
fn embedded<'a>(
    memory: &Memory,
    store: &Store,
    rows: impl Iterator<Item = &'a ScoredEntry>,
) -> usize {
    let Ok(model) = export::chosen(memory) else { return 0 };
    let Some(dir) = memory.cache_dir(store) else { return 0 };
    let known = corpus::known_vectors(&dir, model.space());
    let has = |row: &&ScoredEntry| {
        let name = &memory.config.categories.spec(row.entry.category).name;
        known.contains_key(&vectors::key(Some(name), &row.entry.text))
    };
    rows.filter(has).count()
}

fn awaiting(held: &Held) -> Awaiting {
    let in_words = if !held.items.is_empty() {
        let came = &held.unreviewed.came;
        let remedy =
            if held.unreviewed.others > 0 { came.remedy() } else { "pimem trust --review" };
        Some(format!("{}: {remedy}", held.in_words()))
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

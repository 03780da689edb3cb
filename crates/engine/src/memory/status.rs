//! Status of stores: their content, what agents see of it, and what awaits review.
//!
//! Writes nothing, not even to the ledger of trust, but that what hooks left to be learned is learned,
//! as by every command.

use crate::memory::handles::Reading;
use serde::Serialize;
use std::collections::HashSet;

use super::{
    Memory, WriteTarget, check,
    dream::gather::LEFT,
    export, machine,
    mirrors::Mirrored,
    review::{self, Held},
};
use crate::{
    config::layers::SettingOrigin,
    error::Failure,
    index::{corpus, vectors},
    memory::{score::EntryCounts, settings::UnusableView},
    store::{Store, snapshot::Snapshot, trust::Trust},
    view::Entries,
};
use pimem_core::{
    lint::rule::{self, Finding},
    report::{
        budget::Tokens,
        render::{self, RenderSettings},
    },
    score::{
        ranking::{LocatedEntry, Ranking, ScoredEntry},
        stability::State,
    },
    sync::grave::Buried,
};

impl Reading<'_> {
    /// Returns the status of stores, and what a report would show now; with `counted`, counts of the
    /// entries and of their use. `hooks` are the agents with hooks.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn status(self, hooks: Hooks, counted: bool) -> Result<Status, Failure> {
        let stores =
            self.memory.readers_left()?.into_iter().map(|store| store.strict().unwritten());
        let stores: Vec<Store> = stores.collect();
        let mut findings = machine::around(self.memory).len() + hooks.findings;
        let (ranking, snapshots) = self.memory.own_ranking(&stores);
        let settings = self.memory.report_settings(None, Tokens(0));
        let settings = RenderSettings { reasons: false, ..settings };
        let mut report = render::report(&ranking, &self.memory.config.categories, settings);
        let total = self.memory.sharing().team_total(None, Tokens(0));
        let team = self.memory.sharing().add_team(
            &mut report,
            (&ranking, &snapshots),
            (settings, total),
            &HashSet::new(),
            true,
        );
        let mirrors = team.mirrors.iter().map(|mirror| self.status_of_mirror(mirror)).collect();
        let counts = counted.then(|| self.counts(&stores, &ranking, &snapshots));
        let mut seen = Vec::new();
        let is_alone = stores.len() == 1;
        for (store, snapshot) in stores.into_iter().zip(snapshots.iter()) {
            let (one, found) = look(self.memory, store, snapshot, (&ranking, is_alone));
            findings += found;
            seen.push(one);
        }
        let absent = self.memory.target().ok().filter(|target| !target.exists);
        let own = report.verdicts.iter().filter(|verdict| verdict.shown()).count();
        let shown = own + team.shown().count();
        Ok(Status {
            stores: seen,
            mirrors,
            away: self.memory.unread_store(),
            absent: absent.map(|WriteTarget { dir, scope, .. }| Absent {
                scope: scope.name(),
                place: self.memory.places.short(&dir),
            }),
            report: ReportStatus {
                entries: shown,
                left_out: ranking.rows.len() - own,
                lines: report.text.lines().count(),
                tokens: report.tokens.0,
                pinned_tokens: report.pinned.0,
                by_score: report.by_score.0,
                budget: report.budget.limit(),
                crowded: self.memory.crowded(&report),
            },
            hooks,
            unusable: self.memory.unusable(),
            unusable_place: unusable_place(self.memory),
            findings,
            counts,
        })
    }

    fn status_of_mirror(self, mirror: &Mirrored) -> MirrorStatus {
        let rows = &mirror.ranking.rows;
        MirrorStatus {
            project: mirror.mirror().project.clone(),
            server: mirror.mirror().server.clone(),
            store: mirror.store.dir.display().to_string(),
            entries: rows.len(),
            withheld: rows.iter().filter(|row| mirror.withheld(self.memory, row).is_some()).count(),
        }
    }
}

/// Returns the place of the first unusable setting, for display.
fn unusable_place(memory: &Memory) -> String {
    let Some(wrong) = memory.config.unusable.first() else { return String::new() };
    let place = match &wrong.origin {
        SettingOrigin::User(path) | SettingOrigin::Project(path) => memory.places.short(path),
        origin => origin.to_string(),
    };
    place + &wrong.line.map_or_else(String::new, |line| format!(":{line}"))
}

/// Returns the status of a store, and the number of findings about it.
fn look(
    memory: &Memory,
    store: Store,
    snapshot: &Snapshot,
    (ranking, is_alone): (&Ranking, bool),
) -> (StoreStatus, usize) {
    let linted = store.clone();
    let known = Some(ranking).filter(|_| is_alone);
    let beside = || {
        let held = review::held(memory, store, snapshot, |_| Vec::new(), known);
        let (index, machine) = machine::examine(memory, &held.store, snapshot, &held.unreviewed);
        (held, index, machine)
    };
    let ((held, index, machine), found, _) = check::look(memory, &linted, snapshot, known, beside);
    let store = &held.store;
    let findings = found.len() + machine.len();
    let rows = || ranking.rows.iter().filter(|row| row.entry.scope == store.scope);
    let lines = found.into_iter().filter(|finding| {
        [&rule::SECRET, &rule::NO_ENTRY, &rule::UNCLOSED].contains(&finding.rule)
    });
    let line = |finding: Finding| StatusLine {
        rule: finding.rule.id,
        place: finding.place.to_string(),
        says: finding.says,
    };
    let archive = store.read_archive(&memory.config.categories);
    let dreams = store.dreams(memory.now);
    let (sessions, more) = store.waiting(&dreams);
    let missed = store.missed_calls();
    let too_large = missed.iter().filter(|call| call.too_large).count();
    let view = StoreStatus {
        scope: store.scope.name(),
        store: store.dir.display().to_string(),
        place: memory.places.short(&store.dir),
        trust: trust(&store.trust),
        entries: rows().count(),
        states: States::of(rows()),
        marks: AgentMarks::of(rows()),
        archived: archive.entries().count(),
        grave: grave(&store.buried(snapshot, &archive, &memory.config.categories)),
        awaiting: awaiting(&held),
        by_agents: held.by_agents.len(),
        lines: lines.map(line).collect(),
        index: IndexStatus {
            state: index.state(),
            lines: index.lines,
            embedded: embedded(memory, store, rows()),
            in_words: index.in_words(),
        },
        dream: DreamStatus {
            last: dreams.last.map(|last| last.to_string()),
            sessions: sessions.len() + more,
            plan: store.dream_dir().is_some_and(|dir| dir.join(LEFT).is_file()),
        },
        calls: Calls {
            late: missed.len() - too_large,
            too_large,
            spooled: store.spooled().len(),
            gone: store.still_gone(snapshot.gone.clone()).len() + store.left().len(),
        },
    };
    (view, findings)
}

/// Returns what is in a grave, if something is.
fn grave(buried: &[(LocatedEntry, Buried)]) -> Option<GraveStatus> {
    let until = buried.iter().map(|(_, one)| one.until()).min()?;
    let ids = buried.iter().map(|(entry, _)| entry.id.to_string()).collect();
    Some(GraveStatus { lines: buried.len(), until: until.to_string(), ids })
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

fn awaiting(held: &Held) -> AwaitingCounts {
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
    AwaitingCounts {
        entries: held.unreviewed.others,
        preferences: held.unreviewed.waiting,
        others: held.others(),
        in_words,
    }
}

fn trust(trust: &Trust) -> TrustStatus {
    if trust.is_own() {
        TrustStatus::Own
    } else if trust.is_always() {
        TrustStatus::Always
    } else if trust.is_foreign() {
        TrustStatus::Foreign
    } else if trust.is_made() {
        TrustStatus::Here
    } else if trust.is_begun() {
        TrustStatus::Part
    } else {
        TrustStatus::None
    }
}

/// The state of the stores, of the report, and of the hooks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub stores: Vec<StoreStatus>,
    /// Mirrors of what others have shared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mirrors: Vec<MirrorStatus>,
    /// Why the project's store is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub away: Option<AwayStatus>,
    /// Store that the next write would create.
    #[serde(skip)]
    pub absent: Option<Absent>,
    pub report: ReportStatus,
    pub hooks: Hooks,
    pub unusable: Vec<UnusableView>,
    /// Place of the first ignored setting, formatted for people.
    #[serde(skip)]
    pub unusable_place: String,
    /// Number of findings of `pimem check`.
    pub findings: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<EntryCounts>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoreStatus {
    /// `project` or `user`.
    pub scope: &'static str,
    pub store: String,
    /// Directory, formatted for people.
    #[serde(skip)]
    pub place: String,
    pub trust: TrustStatus,
    /// Number of entries in topics.
    pub entries: usize,
    pub states: States,
    pub marks: AgentMarks,
    pub archived: usize,
    /// Lines whose purge came by an exchange, and that can be restored for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grave: Option<GraveStatus>,
    pub awaiting: AwaitingCounts,
    /// Number of entries, and of passages of notes, logs and lists, that agents have added since a
    /// person looked at them.
    #[serde(rename = "byAgents")]
    pub by_agents: usize,
    /// Lines with secrets, and list items that are no entries.
    pub lines: Vec<StatusLine>,
    pub index: IndexStatus,
    pub dream: DreamStatus,
    pub calls: Calls,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GraveStatus {
    pub lines: usize,
    /// When the first of them is destroyed, RFC 3339.
    pub until: String,
    /// Their ids, 16 hexadecimal digits each.
    pub ids: Vec<String>,
}

/// What hooks could not end on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Calls {
    /// Number of calls that were ended at their deadline.
    pub late: usize,
    /// Number of tools' calls that were too large to look for what is forbidden.
    pub too_large: usize,
    /// Number of sentences of prompts that wait to be learned.
    pub spooled: usize,
    /// Number of lines whose files git has taken away.
    pub gone: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MirrorStatus {
    pub project: String,
    pub server: String,
    pub store: String,
    /// Number of entries in topics.
    pub entries: usize,
    /// Number of entries that are withheld until somebody has looked at them.
    pub withheld: usize,
}

/// A line of a topic that no agent is told, and for which somebody has to do something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusLine {
    /// The rule of `pimem check` that finds it.
    pub rule: &'static str,
    /// File and line, as `topics/lessons.md:5`.
    pub place: String,
    /// What is wrong with it.
    pub says: String,
}

/// A part of a store's root that is a link, a repository of its own or a mount, or is left out of a sparse
/// checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AwayStatus {
    pub path: String,
    /// What it is, and where it leads.
    pub says: String,
    pub fix: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// `project` or `user`.
    pub scope: &'static str,
    /// Directory, formatted for people.
    pub place: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TrustStatus {
    /// The user's own store.
    Own,
    /// Trusted as a whole.
    Always,
    /// Owned by another user and not trusted.
    Foreign,
    /// Created or reviewed on this machine.
    Here,
    /// Some texts are trusted.
    Part,
    /// Nothing is trusted.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct States {
    pub active: usize,
    pub provisional: usize,
    pub candidate: usize,
    pub dropped: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct AgentMarks {
    pub pinned: usize,
    /// Too young to be judged.
    pub fresh: usize,
    pub replaced: usize,
    pub expired: usize,
    pub forgotten: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AwaitingCounts {
    pub entries: usize,
    /// Preferences that were learned on this machine.
    pub preferences: usize,
    /// Texts other than entries.
    pub others: usize,
    /// The numbers in words; `None` if nothing awaits review.
    #[serde(skip)]
    pub in_words: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexStatus {
    /// `none`, `fresh`, `stale` or `damaged`.
    pub state: &'static str,
    pub lines: u64,
    /// Number of entries of which the cache has a vector by the model in use.
    pub embedded: usize,
    #[serde(skip)]
    pub in_words: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DreamStatus {
    /// Time of the last dream, RFC 3339; null if there was none.
    pub last: Option<String>,
    /// Sessions that wait for the next dream.
    pub sessions: usize,
    /// True if a language model's plan awaits review.
    pub plan: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportStatus {
    pub entries: usize,
    pub left_out: usize,
    pub lines: usize,
    pub tokens: u32,
    /// The part of these that is of pinned entries, which no budget bounds.
    pub pinned_tokens: u32,
    /// Tokens of what is there by its score; the rest fills the budget.
    pub by_score: u32,
    pub budget: Option<u32>,
    /// The sentence that asks to consolidate, if that should be done.
    #[serde(skip)]
    pub crowded: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Hooks {
    /// Agents whose settings name pimem, or cannot be read.
    pub agents: Vec<AgentSeen>,
    /// Program found in the PATH; null if there is none.
    pub program: Option<String>,
    #[serde(skip)]
    pub failure: Option<String>,
    /// Number of findings of `pimem check` about them.
    #[serde(skip)]
    pub findings: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentSeen {
    pub agent: &'static str,
    /// State of the hooks: `installed`, or what is wrong.
    pub state: String,
}

impl States {
    pub fn of<'a>(rows: impl Iterator<Item = &'a ScoredEntry>) -> Self {
        let mut states = Self::default();
        for row in rows {
            *match row.state {
                State::Active => &mut states.active,
                State::Provisional => &mut states.provisional,
                State::Candidate => &mut states.candidate,
                State::Dropped => &mut states.dropped,
            } += 1;
        }
        states
    }

    /// Returns the counts with their names, most stable first.
    pub fn counts(self) -> [(&'static str, usize); 4] {
        let Self { active, provisional, candidate, dropped } = self;
        let (active, provisional) = (("active", active), ("provisional", provisional));
        [active, provisional, ("candidate", candidate), ("dropped", dropped)]
    }
}

impl AgentMarks {
    pub fn of<'a>(rows: impl Iterator<Item = &'a ScoredEntry>) -> Self {
        let mut marks = Self::default();
        for row in rows {
            *match Entries::mark(row) {
                Some("pinned") => &mut marks.pinned,
                Some("fresh") => &mut marks.fresh,
                Some("replaced") => &mut marks.replaced,
                Some("expired") => &mut marks.expired,
                Some("forgotten") => &mut marks.forgotten,
                _ => continue,
            } += 1;
        }
        marks
    }

    /// Returns the counts with their names, in display order.
    pub fn counts(self) -> [(&'static str, usize); 5] {
        let Self { pinned, fresh, replaced, expired, forgotten } = self;
        [
            ("pinned", pinned),
            ("fresh", fresh),
            ("replaced", replaced),
            ("expired", expired),
            ("forgotten", forgotten),
        ]
    }
}

documents! {
    Status: "pimem.status/1",
}

//! Scores by any policy, also as `memory-scores.json` for other programs; counts of entries, and the
//! fading of importance.

use crate::memory::handles::Reading;
use std::{
    collections::{BTreeMap, HashMap},
    iter,
};

use pimem_core::{
    model::{entry::Wording, event::ArchiveReason},
    report::{explain::Arithmetic, team},
    score::{
        access::Access,
        forecast,
        policy::{Policy, PolicyParts},
        ranking::{Ranking, RankingRules, ScoredEntry},
        stability::{Standing as StandingOf, State},
    },
    usage::sums,
};
use serde::Serialize;

use super::{Answer, Memory, archived, curate, placed, problems, telemetry};
use crate::{
    config::settings::PolicyName,
    error::{Failure, FailureKind},
    memory::export,
    store::{Store, snapshot::Snapshot},
    view::{
        self, Entries,
        factors::{Factors, PartsView},
        rounded, six_decimals, told,
    },
};

/// Difference of importances that output does not show.
const UNCHANGED: f64 = 5e-7;

impl<'m> Reading<'m> {
    /// Returns the rules for scoring by another policy than that in force.
    fn rules_of(self, policy: Policy) -> RankingRules<'m> {
        let accesses = (!policy.is_stability()).then(|| self.memory.counted());
        RankingRules { policy, accesses, ..self.memory.rules() }
    }

    /// Returns all entries as a policy scores them, or that in force.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn score(self, name: Option<PolicyName>) -> Result<Answer<Scores>, Failure> {
        let stores = self.memory.readers()?;
        let (ranking, snapshots) = self.memory.own_ranking(&stores);
        let categories = &self.memory.config.categories;
        let policy = name.map_or(ranking.policy, |name| self.memory.policy_of(name));
        let other = placed(categories, &stores, &snapshots);
        let other = Ranking::new(self.memory.now, self.rules_of(policy), other);
        let known: HashMap<Wording, &ScoredEntry> =
            ranking.rows.iter().map(|row| (row.entry.wording(), row)).collect();
        let entries = self.memory.entries_of(&ranking);
        let standing = |row: &ScoredEntry| StandingView {
            score: row.standing.shown(),
            state: row.state.name(),
        };
        let mirrors = self.memory.sharing().listed_mirrors();
        let theirs = mirrors.iter().flat_map(|mirror| &mirror.ranking.rows);
        let entries = entries.beside(theirs.map(|row| row.entry.id).collect());
        let view = |row: &ScoredEntry, in_force: &ScoredEntry, label: Option<String>| {
            let spec = categories.spec(row.entry.category);
            ScoreRow {
                id: row.entry.id.to_string(),
                short: entries.short(row.entry.id),
                category: spec.name.to_string(),
                text: told(row).into_owned(),
                score: row.standing.shown(),
                state: row.state.name(),
                parts: PartsView(Factors::of(row, || Arithmetic::of(row, spec))),
                in_force: standing(in_force),
                scope: row.entry.scope.name(),
                label,
            }
        };
        let own = other.rows.iter().map(|row| {
            let in_force = known.get(&row.entry.wording()).copied().unwrap_or(row);
            view(row, in_force, None)
        });
        let mut entries: Vec<ScoreRow> = own.collect();
        for mirror in &mirrors {
            let other = Ranking::new(self.memory.now, self.rules_of(policy), vec![mirror.placed()]);
            entries.extend(other.rows.iter().map(|row| {
                let in_force = mirror.ranking.find(&row.entry.wording()).unwrap_or(row);
                view(row, in_force, Some(team::label(mirror.mirror(), row)))
            }));
        }
        let view = Scores { policy: policy.name(), in_force: ranking.policy.name(), entries };
        Ok(Answer { view, problems: problems(&snapshots) })
    }

    /// Returns counts of the entries, and of their use.
    pub(super) fn counts(
        self,
        stores: &[Store],
        ranking: &Ranking,
        snapshots: &[Snapshot],
    ) -> EntryCounts {
        let categories = &self.memory.config.categories;
        let mut by_category: BTreeMap<String, usize> =
            categories.iter().map(|(_, spec)| (spec.name.to_string(), 0)).collect();
        let mirrors = self.memory.sharing().listed_mirrors();
        let rankings = || {
            let theirs = mirrors.iter().map(|mirror| &mirror.ranking);
            iter::once(ranking).chain(theirs)
        };
        let rows = || rankings().flat_map(|ranking| &ranking.rows);
        for row in rows() {
            let name = categories.spec(row.entry.category).name.to_string();
            *by_category.entry(name).or_default() += 1;
        }
        let scored = rows().filter_map(|row| match row.standing {
            StandingOf::Scored(score) => Some(score.get()),
            _ => None,
        });
        let scored: Vec<f64> = scored.collect();
        let average =
            (!scored.is_empty()).then(|| rounded(scored.iter().sum::<f64>() / scored.len() as f64));
        let fates = sums::fates(&telemetry::log(self.memory, stores).0);
        let all = sums::by(&fates, |_, _| Some(())).remove(&()).unwrap_or_default();
        let known = self.memory.accesses(stores);
        let elsewhere = snapshots.iter().flat_map(|snapshot| {
            let ids = snapshot.ledger.accessed();
            ids.map(|id| known.elsewhere(id, None, &snapshot.ledger))
        });
        let counts = known.sorted().into_iter().map(|(_, access)| access).chain(elsewhere);
        EntryCounts {
            policy: ranking.policy.name(),
            total: rows().count(),
            by_category,
            by_state: State::ALL
                .into_iter()
                .map(|state| (state.name(), rows().filter(|row| row.state == state).count()))
                .collect(),
            with_embeddings: self.with_embeddings(ranking)
                + mirrors.iter().map(|mirror| self.with_embeddings(&mirror.ranking)).sum::<usize>(),
            average_score: average,
            average_importance: average.filter(|_| matches!(ranking.policy, Policy::Ebbinghaus(_))),
            injected: all.injected,
            used: all.used,
            accesses: counts.fold(0, |sum, access| access.count.saturating_add(sum)),
        }
    }

    /// Returns the number of entries that the model in use compares with a query. Which of their
    /// vectors are in the cache is no matter of the store: a search makes those that it needs.
    fn with_embeddings(self, ranking: &Ranking) -> usize {
        export::chosen(self.memory).map_or(0, |_| ranking.rows.len())
    }

    /// Returns how the importance of entries has changed. With `apply`, archives those below the
    /// minimum.
    ///
    /// # Errors
    /// Fails if a store cannot be read or written, or with `apply` if another policy is in force.
    pub fn decay(self, apply: bool) -> Result<Answer<Decay>, Failure> {
        let in_force = self.memory.policy();
        let is_in_force = matches!(in_force, Policy::Ebbinghaus(_));
        if apply && !is_in_force {
            let message = format!("scoring.policy is {}, by which nothing decays", in_force.name());
            let hint = "pimem config set scoring.policy ebbinghaus chooses the other one";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        let policy = self.memory.policy_of(PolicyName::Ebbinghaus);
        let Policy::Ebbinghaus(fading) = policy else {
            return Err(Failure::new(
                FailureKind::Refused,
                "there is no such policy",
                "report this",
            ));
        };
        let stores = self.memory.readers()?;
        let (mine, snapshots) = self.memory.own_ranking(&stores);
        let placed = placed(&self.memory.config.categories, &stores, &snapshots);
        let ranking = Ranking::new(self.memory.now, self.rules_of(policy), placed);
        let entries = self.memory.entries_of(&ranking);
        let mut faded: Vec<(Wording, FadedEntry)> = ranking
            .rows
            .iter()
            .filter(|row| matches!(row.standing, StandingOf::Scored(_)) && !row.is_over())
            .filter_map(|row| {
                Some((row.entry.wording(), faded(&entries, row, fading.min_importance)?))
            })
            .collect();
        faded.sort_by(|(_, a), (_, b)| a.now.total_cmp(&b.now).then_with(|| a.id.cmp(&b.id)));
        if apply {
            let goes = |row: &&ScoredEntry| {
                let of = row.entry.wording();
                forecast::is_free(row) && faded.iter().any(|(known, one)| *known == of && one.below)
            };
            let rows: Vec<ScoredEntry> = mine.rows.iter().filter(goes).cloned().collect();
            let gone: Vec<Wording> = rows.iter().map(|row| row.entry.wording()).collect();
            curate::on_rows(self.memory, mine, &rows, |txn, row| {
                archived::archive(txn, row, ArchiveReason::Age)
            })?;
            for (of, one) in &mut faded {
                one.archived = gone.contains(of);
            }
        }
        let view = Decay {
            policy: in_force.name(),
            min_importance: fading.min_importance,
            decay_factor: fading.decay_factor,
            applied: apply,
            entries: faded.into_iter().map(|(_, faded)| faded).collect(),
        };
        Ok(Answer { view, problems: problems(&snapshots) })
    }
}

/// Returns how an entry's importance has changed; `None` if it has not, and is not below `least`.
fn faded(entries: &Entries<'_>, row: &ScoredEntry, least: f64) -> Option<FadedEntry> {
    let PolicyParts::Ebbinghaus(parts) = row.judged.as_ref()?.parts else { return None };
    let now = parts.importance();
    let (changed, below) = ((now - parts.base).abs() > UNCHANGED, now < least);
    (changed || below).then(|| FadedEntry {
        id: row.entry.id.to_string(),
        short: entries.short(row.entry.id),
        category: entries.category(row).to_owned(),
        text: told(row).into_owned(),
        kind: parts.kind.name(),
        importance: parts.base,
        now,
        floor: parts.kind.floor(),
        idle_days: parts.idle.days(),
        below,
        archived: false,
    })
}

/// All entries as a policy scores them, best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scores {
    pub policy: &'static str,
    /// The policy by which reports are made.
    pub in_force: &'static str,
    pub entries: Vec<ScoreRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScoreRow {
    /// 16 hexadecimal digits.
    pub id: String,
    /// Shortest unique prefix of the id.
    pub short: String,
    pub category: String,
    pub text: String,
    /// 9999 if pinned, 0 if forgotten.
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    pub state: &'static str,
    /// What the score is made of, whatever the user decided.
    pub parts: PartsView,
    /// The same by the policy in force.
    pub in_force: StandingView,
    /// `project` or `user`.
    pub scope: &'static str,
    /// Author and project of a line of a mirror.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StandingView {
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    pub state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryCounts {
    pub policy: &'static str,
    pub total: usize,
    pub by_category: BTreeMap<String, usize>,
    pub by_state: BTreeMap<&'static str, usize>,
    /// Entries that the model in use compares with a query.
    pub with_embeddings: usize,
    /// Average of the scores, without pinned and forgotten entries; `null` if there are no others.
    pub average_score: Option<f64>,
    /// The same of the importance, under the policy `ebbinghaus`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_importance: Option<f64>,
    /// Times that an entry was put into a session, and that its answer used it.
    pub injected: usize,
    pub used: usize,
    /// Times that a search or recall found an entry.
    pub accesses: u64,
}

/// The importance of each entry, as it has faded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decay {
    pub policy: &'static str,
    /// Importance below which an entry is archived.
    pub min_importance: f64,
    pub decay_factor: f64,
    /// True if what fell below was archived.
    pub applied: bool,
    /// Least important first.
    pub entries: Vec<FadedEntry>,
}

/// An entry whose importance has changed since its last access.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FadedEntry {
    /// 16 hexadecimal digits.
    pub id: String,
    /// Shortest unique prefix of the id.
    pub short: String,
    pub category: String,
    pub text: String,
    /// Kind of knowledge, which decides how fast it fades.
    pub kind: &'static str,
    /// Importance at the start.
    #[serde(serialize_with = "six_decimals")]
    pub importance: f64,
    /// Importance now.
    #[serde(serialize_with = "six_decimals")]
    pub now: f64,
    /// The least that it fades to.
    pub floor: f64,
    /// Days since the last access.
    #[serde(serialize_with = "six_decimals")]
    pub idle_days: f64,
    /// True if it is below the minimum.
    pub below: bool,
    pub archived: bool,
}

documents! {
    Scores: "pimem.score/1",
    Decay: "pimem.decay/1",
}

/// Content of `memory-scores.json`, in a documented format, sorted by id.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ScoresFile<'a> {
    entries: BTreeMap<String, Record<'a>>,
    last_rebuild: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    class: &'a str,
    score: f64,
    evidence_count: u64,
    cue: &'a str,
    first_seen: String,
    last_reinforced: String,
    user_state: &'a str,
    lifecycle: &'a str,
    fresh: bool,
    access_count: u64,
    last_accessed: Option<String>,
}

/// Returns a snapshot of scores; `key` returns the key of an entry.
pub fn snapshot(
    memory: &Memory,
    ranking: &Ranking,
    key: impl Fn(&ScoredEntry) -> String,
    accessed: impl Fn(&ScoredEntry) -> Access,
) -> String {
    let entries = memory.entries_of(ranking);
    let record = |row: &ScoredEntry| Record {
        class: entries.category(row),
        score: view::rounded(row.standing.shown()),
        evidence_count: row.evidence.count,
        cue: row.evidence.cue.name(),
        first_seen: row.evidence.first_seen.to_string(),
        last_reinforced: row.evidence.last_reinforced.to_string(),
        user_state: view::user_state(row).name(),
        lifecycle: row.state.name(),
        fresh: row.fresh,
        access_count: accessed(row).count,
        last_accessed: accessed(row).last.map(|last| last.to_string()),
    };
    let scores = ScoresFile {
        entries: ranking.rows.iter().map(|row| (key(row), record(row))).collect(),
        last_rebuild: memory.now.0.to_string(),
    };
    let mut text = serde_json::to_string_pretty(&scores).unwrap_or_default();
    text.push('\n');
    text
}

//! Why an entry is in the report or not.

use crate::memory::handles::Reading;
use std::fmt::Write as _;

use serde::Serialize;

use super::{
    Answer, archived, placed, problems, review, selector,
    team::Selected,
    telemetry::{self, summary::HeldBy},
};
use crate::{
    error::{Failure, FailureKind},
    store::{Store, snapshot::Snapshot},
    view::{AccessedEntry, Entries, EntryView, displayed, factors::Factors},
};
use pimem_core::{
    gate,
    model::{category::CategorySpec, operation::UserState, time::Timestamp},
    report::{
        budget::Tokens,
        explain::{Remedy, ReportTrial},
        render,
        select::ReportVerdict,
        team,
    },
    safety::safe_text,
    score::{
        access::Access,
        caps::CapPlace,
        forecast,
        policy::{
            Policy,
            limits::{self, LimitGroup},
        },
        ranking::{Ranking, Scope, ScoredEntry},
        stability::{Standing, State},
    },
    search::learned_questions::LearnedQuestions,
};

impl Reading<'_> {
    /// Returns all that is known about an entry: how its score is made, its place in a report within
    /// `budget`, or the configured one, and its forecast.
    ///
    /// # Errors
    /// Fails if the selector does not match exactly one entry.
    pub fn why(self, selector: &str, budget: Option<Tokens>) -> Result<Answer<Why>, Failure> {
        let stores = self.memory.readers()?;
        let (ranking, snapshots) = self.memory.own_ranking(&stores);
        let problems = problems(&snapshots);
        let row = match selector::entry(self.memory, &ranking, &problems, selector) {
            Ok(row) => row,
            Err(failure) => {
                if failure.kind == FailureKind::NotFound
                    && let Some(view) = self.why_archived(selector, (&stores, &snapshots))?
                {
                    return Ok(Answer { view, problems });
                }
                let selected = self.memory.sharing().selected(selector, failure)?;
                return self.why_team((&ranking, &snapshots), selected, budget);
            }
        };
        let categories = &self.memory.config.categories;
        let settings = self.memory.report_settings(budget, Tokens(0));
        let report = render::report(&ranking, categories, settings);
        let verdict = report.verdict(&ranking, row).unwrap_or(&ReportVerdict::ReportFull);
        let spec = categories.spec(row.entry.category);
        let turns =
            forecast::turns(self.memory.now, self.memory.rules().clock, ranking.policy, row, spec);
        let cheapest = || {
            let placed = placed(categories, &stores, &snapshots);
            let (now, rules) = (self.memory.now, self.memory.rules());
            let trial = ReportTrial { now, rules, settings, stores: &placed };
            trial.cheapest(row).unwrap_or_default()
        };
        let act = if verdict.shown() { None } else { cheapest() };
        let heading = stores.iter().zip(snapshots.iter()).find_map(|(store, snapshot)| {
            let topics = snapshot.topics.iter().filter(|topic| topic.stem == row.entry.topic);
            let (mut topics, wording) =
                (topics.filter(|_| store.scope == row.entry.scope), row.entry.wording());
            let doc = &topics.next()?.doc;
            doc.heading_above(doc.entries.iter().find(|entry| entry.is(&wording))?)
        });
        let entries = self.memory.entries_of(&ranking).marking_replaced();
        let short = entries.short(row.entry.id);
        let ahead = turns.into_iter().map(|(at, turn)| Ahead { at, what: turn.describe(spec) });
        let ledgers = snapshots.iter().map(|snapshot| &snapshot.ledger);
        let accessed = telemetry::of_entry(&self.memory.accesses(&stores), row.entry.id, ledgers);
        let view = Why {
            entry: entries.accessed(row, accessed),
            known_for: self.memory.now.since(row.evidence.first_seen).to_string(),
            replaced_by: replaced_by(&entries, &ranking, row),
            factors: entries.factors(row),
            added: stores
                .iter()
                .find(|store| store.scope == row.entry.scope)
                .and_then(|store| review::added_by(store, row.entry.id)),
            place: place(ranking.policy, row, spec),
            heading,
            shown: verdict.shown(),
            reason: verdict.to_string(),
            section: spec.section.to_string(),
            tokens: Tokens::of(&format!("- {}\n", safe_text::model(&row.entry.text))).0,
            ahead: ahead.collect(),
            cheapest: act.map(|act| act.command(&short)),
            state: state(ranking.policy, row),
            held: row.entry.asides.rules.has_guard().then(|| {
                let (log, _) = telemetry::log(self.memory, &stores);
                HeldBy::of(&entries, row, (&snapshots, &log))
            }),
            learned: learned_questions(&stores, row),
            section_tokens: ranking.policy.is_stability().then_some(spec.section_tokens),
            server: None,
        };
        Ok(Answer { view, problems })
    }

    /// The same for a line in the archive or the grave, if one matches.
    fn why_archived(
        self,
        selector: &str,
        (stores, snapshots): (&[Store], &[Snapshot]),
    ) -> Result<Option<Why>, Failure> {
        let categories = &self.memory.config.categories;
        let archived = archived::rankings(self.memory, stores, snapshots).into_iter();
        let graves = stores.iter().zip(snapshots).map(|(store, snapshot)| {
            archived::graves(self.memory, store, snapshot, &store.read_archive(categories))
        });
        let all = archived.map(|ranking| (Vec::new(), ranking)).chain(graves);
        for (buried, ranking) in all {
            let row = match selector::entry(self.memory, &ranking, &[], selector) {
                Ok(row) => row,
                Err(failure) if failure.kind == FailureKind::NotFound => continue,
                Err(failure) => return Err(failure),
            };
            let spec = categories.spec(row.entry.category);
            let entries = self.memory.entries_of(&ranking);
            let forgotten = row.evidence.user == UserState::Forgotten;
            let grave = buried.iter().find(|(entry, _)| entry.is_copy(&row.entry));
            let reason = match grave {
                Some((_, one)) => {
                    format!("out: purged by an exchange, in the grave until {}", one.until().date())
                }
                None if forgotten => "out: forgotten".to_owned(),
                None => "out: archived".to_owned(),
            };
            let accessed = entries.accessed(row, Access::default());
            let entry = EntryView { archived: grave.is_none(), ..accessed.entry };
            return Ok(Some(Why {
                entry: AccessedEntry { entry, ..accessed },
                known_for: self.memory.now.since(row.evidence.first_seen).to_string(),
                replaced_by: replaced_by(&entries, &ranking, row),
                factors: entries.factors(row),
                added: None,
                place: place(ranking.policy, row, spec),
                heading: None,
                shown: false,
                reason,
                section: spec.section.to_string(),
                tokens: Tokens::of(&format!("- {}\n", safe_text::model(&row.entry.text))).0,
                ahead: Vec::new(),
                cheapest: Some(Remedy::Restore.command(&entries.short(row.entry.id))),
                state: state(ranking.policy, row),
                held: None,
                learned: Vec::new(),
                section_tokens: ranking.policy.is_stability().then_some(spec.section_tokens),
                server: None,
            }));
        }
        Ok(None)
    }

    /// The same for a row of a mirror.
    fn why_team(
        self,
        (own, snapshots): (&Ranking, &[Snapshot]),
        selected: Selected,
        budget: Option<Tokens>,
    ) -> Result<Answer<Why>, Failure> {
        let (categories, at) = (&self.memory.config.categories, (selected.mirror, selected.row));
        let settings = self.memory.report_settings(budget, Tokens(0));
        let mut report = render::report(own, categories, settings);
        let tokens = self.memory.config.settings.report.team;
        let room =
            team::TeamRoom { tokens, total: self.memory.sharing().team_total(budget, Tokens(0)) };
        let sections = self.memory.sharing().add_mirrors(
            &mut report,
            (own, snapshots),
            (settings, room),
            selected.mirrors,
            true,
        );
        let none = || Failure::new(FailureKind::NotFound, "the entry is gone", "look again");
        let mirror = sections.mirrors.get(at.0).ok_or_else(none)?;
        let row = mirror.ranking.rows.get(at.1).ok_or_else(none)?;
        let verdict = sections.team.verdicts.get(at.0).and_then(|of| of.get(at.1));
        let verdict = verdict.unwrap_or(&ReportVerdict::ReportFull);
        let spec = categories.spec(row.entry.category);
        let policy = mirror.ranking.policy;
        let turns = forecast::turns(self.memory.now, self.memory.rules().clock, policy, row, spec);
        let entries = self.memory.entries_of(&mirror.ranking);
        let short = entries.short(row.entry.id);
        let label = team::label(mirror.mirror(), row);
        let line = team::line(&spec.name, &row.entry.text, &label);
        // Others' pins count once somebody here has looked at the line.
        let would_show = matches!(verdict, ReportVerdict::Withheld(_))
            || !verdict.shown() && mirror.unpinned.contains(&row.entry.id);
        let ahead = turns.into_iter().map(|(at, turn)| Ahead { at, what: turn.describe(spec) });
        let accessed = entries.accessed(row, Access::default());
        let view = Why {
            entry: AccessedEntry { entry: mirror.view(&entries, row), ..accessed },
            known_for: self.memory.now.since(row.evidence.first_seen).to_string(),
            replaced_by: replaced_by(&entries, &mirror.ranking, row),
            factors: entries.factors(row),
            added: None,
            place: place(policy, row, spec),
            heading: None,
            shown: verdict.shown(),
            reason: verdict.to_string(),
            section: "Team".to_owned(),
            tokens: Tokens::of_chars(line.chars().count() + 1).0,
            ahead: ahead.collect(),
            cheapest: would_show.then(|| Remedy::Trust.command(&short)),
            state: state(policy, row),
            held: None,
            learned: Vec::new(),
            section_tokens: Some(tokens.0),
            server: Some(mirror.mirror().server.clone()),
        };
        Ok(Answer { view, problems: Vec::new() })
    }
}

/// Returns the line of the entry that replaced this one.
fn replaced_by(entries: &Entries<'_>, ranking: &Ranking, row: &ScoredEntry) -> Option<String> {
    row.superseded_by.and_then(|by| ranking.get(by)).map(|by| entries.line(by))
}

/// Returns the learned questions of an entry, with secrets masked.
fn learned_questions(stores: &[Store], row: &ScoredEntry) -> Vec<String> {
    let here = stores.iter().filter(|store| store.scope == row.entry.scope);
    let learned = here.map(Store::learned_questions);
    let masked = |all: LearnedQuestions| -> Vec<String> {
        all.of(row.entry.id).iter().map(|one| gate::masked(&one.text).into_owned()).collect()
    };
    learned.flat_map(masked).collect()
}

/// The reason why an entry is in the report or not, with its forecast.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    pub entry: AccessedEntry,
    /// Age since it was first seen: `now`, `3d`.
    #[serde(skip)]
    pub known_for: String,
    /// Line of the entry that replaced it.
    #[serde(skip)]
    pub replaced_by: Option<String>,
    #[serde(flatten)]
    pub factors: Factors,
    /// When and by which agent or program it was added; left out if a person did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<String>,
    /// Place under the caps, or why it has none.
    pub place: String,
    /// Heading above its line; `null` if there is none.
    pub heading: Option<String>,
    pub shown: bool,
    /// Reason why the entry is shown or not.
    pub reason: String,
    pub section: String,
    pub tokens: u32,
    /// Changes by time alone, soonest first.
    pub ahead: Vec<Ahead>,
    /// Address of the server that a line of a mirror is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Command that brings the entry into the report with the least evidence; `null` if the entry
    /// is already shown, or no command would.
    pub cheapest: Option<String>,
    /// How often it has kept tools from running, if it forbids something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldBy>,
    /// The questions that this machine has learned it answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<String>,
    /// State, with the score that the state requires.
    #[serde(skip)]
    pub state: String,
    /// Token budget of the section, if the policy gives it one.
    #[serde(skip)]
    pub section_tokens: Option<u32>,
}

/// A change of an entry by time alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ahead {
    /// Time of the change, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub at: Timestamp,
    /// `becomes candidate`, `expires` and so on.
    pub what: String,
}

/// Formats the state of an entry with the score that the state requires.
pub fn state(policy: Policy, row: &ScoredEntry) -> String {
    let by_score = policy.state(row.standing);
    let mut text = Entries::state(row);
    if let Standing::Scored(_) = row.standing {
        // Writing to a string cannot fail.
        if !row.entry.reviewed {
            let name = by_score.name();
            let more =
                (row.state != by_score).then(|| format!(": by its score it would be {name}"));
            return text + &more.unwrap_or_default();
        }
        if let Policy::Weighted(_) = policy {
            let how = if row.state == State::Active { "within" } else { "not within" };
            let _ = write!(text, ": {how} the limits");
            return text;
        }
        let _ = match policy.least(by_score) {
            Some(least) => write!(text, ": at least {least}"),
            None => {
                write!(text, ": below {}", policy.least(State::Candidate).unwrap_or_default())
            }
        };
        if row.state != by_score {
            let _ = write!(
                text,
                " would be {}, but the cap of its category is reached",
                by_score.name()
            );
        }
    }
    text
}

/// Formats the place of an entry under the caps, or why it has none.
pub fn place(policy: Policy, row: &ScoredEntry, spec: &CategorySpec) -> String {
    let cap = spec.max_active;
    match row.place {
        CapPlace::Pinned => "pinned: in no cap".to_owned(),
        CapPlace::Active(rank) => format!("{rank} of at most {cap} active in its category"),
        CapPlace::Pool(rank) => format!("{rank} of at most 6 in the overflow pool"),
        CapPlace::OverCap if row.state < State::Provisional => {
            let least = State::Provisional.least().unwrap_or_default();
            format!("none: its category has {cap} places, and the pool begins at {least}")
        }
        CapPlace::OverCap => format!("none: its category has {cap} places, and the pool is full"),
        CapPlace::BelowPool => "none: the overflow pool is full".to_owned(),
        CapPlace::TooWeak => "none: its score is too low".to_owned(),
        CapPlace::Listed(rank) => {
            let (text, of_user) = (&row.entry.text, row.entry.scope == Scope::User);
            match LimitGroup::of(spec.traits.listed, text, of_user, row.evidence.first_seen) {
                _ if !matches!(policy, Policy::Weighted(_)) => format!("{rank} by importance"),
                LimitGroup::Global => {
                    format!("{rank} of at most {} that hold everywhere", limits::GLOBAL)
                }
                LimitGroup::Session(_) => {
                    format!("{rank} of the newest {} sessions", limits::SESSIONS)
                }
                _ => format!("{rank} of at most {} of the project", limits::PROJECT),
            }
        }
        CapPlace::Always => "kept: the latest decision on its topic".to_owned(),
        CapPlace::OverLimit => format!(
            "none: there are {} places for a project's memories, and {} for those that hold \
             everywhere",
            limits::PROJECT,
            limits::GLOBAL
        ),
        CapPlace::OlderDecision => "none: there is a newer decision on its topic".to_owned(),
        CapPlace::OlderSession => format!("none: {} newer sessions are kept", limits::SESSIONS),
        CapPlace::Spent => "none: harm outweighs its evidence".to_owned(),
        CapPlace::Forgotten => "none: forgotten".to_owned(),
        CapPlace::Excluded => "none: replaced or expired".to_owned(),
        CapPlace::Unset => "none: its category is of another preset".to_owned(),
        CapPlace::Elsewhere => "none here: it counts in another place".to_owned(),
        CapPlace::Secret => "none: it holds what looks like a secret".to_owned(),
        CapPlace::Unreviewed => "none: neither written nor reviewed on this machine".to_owned(),
    }
}

documents! {
    Why: "pimem.why/1",
}

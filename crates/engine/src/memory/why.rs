//! Why an entry is in the report or not.

use super::{Answer, Memory, archived, placed, problems, review, selector, team::Selected};
use crate::{
    error::{Failure, Kind},
    store::{Store, snapshot::Snapshot},
};
use pimem_core::{
    model::operation::UserState,
    report::{budget::Tokens, explain, render, select::Verdict, team},
    safety::safe_text,
    score::{forecast, ranking::Ranking},
    view::{
        Entries, EntryView,
        why::{self, Ahead, Why},
    },
};

impl Memory {
    /// Returns the calculation of an entry's score, its place in a report within `budget`, or the
    /// configured one, and its forecast.
    ///
    /// # Errors
    /// Fails if the selector does not match exactly one entry.
    pub fn why(&self, selector: &str, budget: Option<Tokens>) -> Result<Answer<Why>, Failure> {
        let stores = self.readers()?;
        let (ranking, snapshots) = self.own_ranking(&stores);
        let problems = problems(&snapshots);
        let row = match selector::entry(self, &ranking, &problems, selector) {
            Ok(row) => row,
            Err(failure) => {
                if failure.kind == Kind::NotFound
                    && let Some(view) = self.why_archived(selector, (&stores, &snapshots))?
                {
                    return Ok(Answer { view, problems });
                }
                let selected = self.selected(selector, failure)?;
                return self.why_team((&ranking, &snapshots), selected, budget);
            }
        };
        let categories = &self.config.categories;
        let settings = self.report_settings(budget, Tokens(0));
        let report = render::report(&ranking, categories, settings);
        let verdict = report.verdict(&ranking, row).unwrap_or(&Verdict::ReportFull);
        let spec = categories.spec(row.entry.category);
        let turns = forecast::turns(self.now, self.rules().clock, ranking.policy, row, spec);
        let cheapest = || {
            let placed = placed(categories, &stores, &snapshots);
            explain::cheapest(self.now, self.rules(), settings, &placed, row)
        };
        let act = if verdict.shown() { None } else { cheapest() };
        let heading = stores.iter().zip(snapshots.iter()).find_map(|(store, snapshot)| {
            let topics = snapshot.topics.iter().filter(|topic| topic.stem == row.entry.topic);
            let (mut topics, wording) =
                (topics.filter(|_| store.scope == row.entry.scope), row.entry.wording());
            let doc = &topics.next()?.doc;
            doc.heading_above(doc.entries.iter().find(|entry| entry.is(&wording))?)
        });
        let entries = Entries::new(self.now, categories, &ranking);
        let short = entries.short(row.entry.id);
        let ahead = turns.into_iter().map(|(at, turn)| Ahead { at, what: turn.describe(spec) });
        let view = Why {
            entry: entries.entry(row),
            factors: entries.factors(row),
            added: stores
                .iter()
                .find(|store| store.scope == row.entry.scope)
                .and_then(|store| review::added_by(store, row.entry.id)),
            place: why::place(ranking.policy, row, spec),
            heading,
            shown: verdict.shown(),
            reason: verdict.to_string(),
            section: spec.section.to_string(),
            tokens: Tokens::of(&format!("- {}\n", safe_text::model(&row.entry.text))).0,
            ahead: ahead.collect(),
            cheapest: act.map(|act| act.command(&short)),
            state: why::state(ranking.policy, row),
            section_tokens: ranking.policy.is_stability().then_some(spec.section_tokens),
            server: None,
        };
        Ok(Answer { view, problems })
    }

    /// The same for a line in the archive or the grave, if one matches.
    fn why_archived(
        &self,
        selector: &str,
        (stores, snapshots): (&[Store], &[Snapshot]),
    ) -> Result<Option<Why>, Failure> {
        let categories = &self.config.categories;
        let archived = archived::rankings(self, stores, snapshots).into_iter();
        let graves = stores.iter().zip(snapshots).map(|(store, snapshot)| {
            archived::graves(self, store, snapshot, &store.read_archive(categories))
        });
        let all = archived.map(|ranking| (Vec::new(), ranking)).chain(graves);
        for (buried, ranking) in all {
            let row = match selector::entry(self, &ranking, &[], selector) {
                Ok(row) => row,
                Err(failure) if failure.kind == Kind::NotFound => continue,
                Err(failure) => return Err(failure),
            };
            let spec = categories.spec(row.entry.category);
            let entries = Entries::new(self.now, categories, &ranking);
            let forgotten = row.evidence.user == UserState::Forgotten;
            let grave = buried.iter().find(|(entry, _)| entry.is_copy(&row.entry));
            let reason = match grave {
                Some((_, one)) => {
                    format!("out: purged by an exchange, in the grave until {}", one.until().date())
                }
                None if forgotten => "out: forgotten".to_owned(),
                None => "out: archived".to_owned(),
            };
            return Ok(Some(Why {
                entry: EntryView { archived: grave.is_none(), ..entries.entry(row) },
                factors: entries.factors(row),
                added: None,
                place: why::place(ranking.policy, row, spec),
                heading: None,
                shown: false,
                reason,
                section: spec.section.to_string(),
                tokens: Tokens::of(&format!("- {}\n", safe_text::model(&row.entry.text))).0,
                ahead: Vec::new(),
                cheapest: Some(explain::Act::Restore.command(&entries.short(row.entry.id))),
                state: why::state(ranking.policy, row),
                section_tokens: ranking.policy.is_stability().then_some(spec.section_tokens),
                server: None,
            }));
        }
        Ok(None)
    }

    /// The same for a row of a mirror.
    fn why_team(
        &self,
        (own, snapshots): (&Ranking, &[Snapshot]),
        selected: Selected,
        budget: Option<Tokens>,
    ) -> Result<Answer<Why>, Failure> {
        let (categories, at) = (&self.config.categories, (selected.mirror, selected.row));
        let settings = self.report_settings(budget, Tokens(0));
        let mut report = render::report(own, categories, settings);
        let tokens = self.config.settings.report.team;
        let room = team::Room { tokens, total: self.team_total(budget, Tokens(0)) };
        let sections = self.add_mirrors(
            &mut report,
            (own, snapshots),
            (settings, room),
            selected.mirrors,
            true,
        );
        let none = || Failure::new(Kind::NotFound, "the entry is gone", "look again");
        let mirror = sections.mirrors.get(at.0).ok_or_else(none)?;
        let row = mirror.ranking.rows.get(at.1).ok_or_else(none)?;
        let verdict = sections.team.verdicts.get(at.0).and_then(|of| of.get(at.1));
        let verdict = verdict.unwrap_or(&Verdict::ReportFull);
        let spec = categories.spec(row.entry.category);
        let policy = mirror.ranking.policy;
        let turns = forecast::turns(self.now, self.rules().clock, policy, row, spec);
        let entries = Entries::new(self.now, categories, &mirror.ranking);
        let short = entries.short(row.entry.id);
        let label = team::label(mirror.mirror(), row);
        let line = team::line(&spec.name, &row.entry.text, &label);
        // Others' pins count once somebody here has looked at the line.
        let would_show = matches!(verdict, Verdict::Withheld(_))
            || !verdict.shown() && mirror.unpinned.contains(&row.entry.id);
        let ahead = turns.into_iter().map(|(at, turn)| Ahead { at, what: turn.describe(spec) });
        let view = Why {
            entry: mirror.view(&entries, row),
            factors: entries.factors(row),
            added: None,
            place: why::place(policy, row, spec),
            heading: None,
            shown: verdict.shown(),
            reason: verdict.to_string(),
            section: "Team".to_owned(),
            tokens: Tokens::of_chars(line.chars().count() + 1).0,
            ahead: ahead.collect(),
            cheapest: would_show.then(|| explain::Act::Trust.command(&short)),
            state: why::state(policy, row),
            section_tokens: Some(tokens.0),
            server: Some(mirror.mirror().server.clone()),
        };
        Ok(Answer { view, problems: Vec::new() })
    }
}

//! Why an entry is in the report or not.

use super::{Answer, Memory, placed, problems, selector};
use crate::error::Failure;
use pimem_core::{
    report::{budget::Tokens, explain, render, select::Verdict},
    safety::safe_text,
    score::forecast,
    view::{
        Entries,
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
        let row = selector::entry(self, &ranking, &problems, selector)?;
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
        };
        Ok(Answer { view, problems })
    }
}

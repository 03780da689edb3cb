//! Listing of entries, and all details of one entry.

use std::cmp::Reverse;

use super::{Answer, Memory, accesses, intake, problems, selector};
use crate::error::Failure;
use pimem_core::{
    score::{
        access::Accesses,
        ranking::{self, ScoredEntry},
        stability::State,
    },
    view::{
        Entries,
        list::{Listed, Shown},
    },
};

/// Filters and order of a list.
#[derive(Debug, Clone, Default)]
pub struct ListRequest<'a> {
    /// Names of categories; empty for all.
    pub categories: &'a [String],
    /// Topic, including its continuation files.
    pub topic: Option<&'a str>,
    /// States; empty for all.
    pub states: &'a [State],
    pub order: ListOrder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListOrder {
    /// Strongest first.
    #[default]
    Score,
    /// Most recently reinforced first.
    Age,
    /// Hottest topic first, then strongest.
    Hot,
}

impl Memory {
    /// Returns the entries with their score and state.
    ///
    /// # Errors
    /// Fails if there is no such category, or the named store does not exist.
    pub fn list(&self, request: &ListRequest<'_>) -> Result<Answer<Listed>, Failure> {
        let ListRequest { topic, states, order, .. } = *request;
        let categories = request.categories.iter().map(|name| intake::known_category(self, name));
        let categories = categories.collect::<Result<Vec<_>, _>>()?;
        let stores = self.readers()?;
        let (ranking, snapshots) = self.own_ranking(&stores);
        let mut rows: Vec<&ScoredEntry> = ranking
            .rows
            .iter()
            .filter(|row| categories.is_empty() || categories.contains(&row.entry.category))
            .filter(|row| topic.is_none_or(|topic| intake::is_of_topic(&row.entry.topic, topic)))
            .filter(|row| states.is_empty() || states.contains(&row.state))
            .collect();
        match order {
            ListOrder::Score => {}
            ListOrder::Age => {
                rows.sort_by_key(|row| (Reverse(row.evidence.last_reinforced), row.entry.id));
            }
            ListOrder::Hot => {
                let heat = |row: &ScoredEntry| {
                    let topics = ranking.topics(row.entry.scope);
                    let rows = topics.get(row.entry.topic.as_str());
                    rows.map_or(0.0, |rows| ranking::hotness(rows))
                };
                rows.sort_by(|a, b| heat(b).total_cmp(&heat(a)));
            }
        }
        let entries = Entries::new(self.now, &self.config.categories, &ranking);
        // People are not shown them.
        let wanted = self.notices.for_programs();
        let accesses = if wanted { self.accesses(&stores) } else { Accesses::default() };
        let ledgers = || snapshots.iter().map(|snapshot| &snapshot.ledger);
        let listed = |row: &ScoredEntry| {
            entries.accessed(row, accesses::of_entry(&accesses, row.entry.id, ledgers()))
        };
        let entries = rows.into_iter().map(listed).collect();
        Ok(Answer { view: Listed { entries }, problems: problems(&snapshots) })
    }

    /// Returns all details of an entry.
    ///
    /// # Errors
    /// Fails if the selector does not match exactly one entry.
    pub fn show(&self, selector: &str) -> Result<Answer<Shown>, Failure> {
        let stores = self.readers()?;
        let (ranking, snapshots) = self.own_ranking(&stores);
        let problems = problems(&snapshots);
        let row = selector::entry(self, &ranking, &problems, selector)?;
        let entries = Entries::new(self.now, &self.config.categories, &ranking);
        let ledgers = snapshots.iter().map(|snapshot| &snapshot.ledger);
        let accessed = accesses::of_entry(&self.accesses(&stores), row.entry.id, ledgers);
        let superseded_by = row.superseded_by.and_then(|by| ranking.get(by));
        let view = Shown {
            entry: entries.accessed(row, accessed),
            known_for: self.now.since(row.evidence.first_seen).to_string(),
            superseded_by: superseded_by.map(|by| entries.line(by)),
        };
        Ok(Answer { view, problems })
    }
}

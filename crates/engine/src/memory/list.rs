//! Listing of entries and of topics, with their heat and size, and all details of one entry.

use crate::memory::handles::Reading;
use std::{cmp::Reverse, collections::BTreeMap, iter};

use pimem_core::{
    gate::{Facts, Verdict, Withheld},
    model::operation::UserState,
    report::budget::Tokens,
    score::{
        access::Accesses,
        policy::weighted::WordingFilter,
        ranking::{self, ScoredEntry},
        stability::{Standing, State},
    },
};
use serde::Serialize;

use super::{Answer, archived, intake, mirrors::Mirrored, problems, telemetry};
use crate::{
    error::Failure,
    store::rooms::TOPIC_CHARS,
    view::{AccessedEntry, Entries, rounded},
};

/// Filters and order of a list.
#[derive(Debug, Clone, Default)]
pub struct ListRequest<'a> {
    /// Names of categories; empty for all.
    pub categories: &'a [String],
    /// Topic, including its continuation files.
    pub topic: Option<&'a str>,
    /// States, and words that stand beside them; empty for all.
    pub states: &'a [StateWord],
    pub tags: &'a [String],
    /// A part of the text, in any case; empty for all.
    pub text: &'a str,
    /// Maximum number of entries; `None` for all.
    pub limit: Option<usize>,
    pub order: ListOrder,
}

/// A word by which the program names the state of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateWord {
    /// By its score.
    Score(State),
    /// What the user, the report or the gate makes of it.
    Verdict(&'static str),
}

impl StateWord {
    pub fn all() -> impl Iterator<Item = &'static str> {
        State::ALL.iter().map(|state| state.name()).chain(verdicts())
    }

    /// Returns the word with this name. Other names of the same are understood.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let name = match name {
            "superseded" => "replaced",
            "category not set" => "unset",
            name => name,
        };
        let verdict = || verdicts().find(|known| *known == name).map(Self::Verdict);
        State::find(name).map(Self::Score).or_else(verdict)
    }

    /// Returns true if a row has the word, by a `verdict` of the gate.
    fn is_of(self, row: &ScoredEntry, verdict: Verdict) -> bool {
        match self {
            Self::Score(state) => row.state == state,
            Self::Verdict(word) => {
                Entries::mark(row) == Some(word) || verdict.state() == Some(word)
            }
        }
    }
}

fn verdicts() -> impl Iterator<Item = &'static str> {
    ["fresh", "pinned"].into_iter().chain(Withheld::STATES).chain(["archived", "seems replaced"])
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

impl Reading<'_> {
    /// Returns the entries with their score and state.
    ///
    /// # Errors
    /// Fails if there is no such category, or the named store does not exist.
    pub fn list(self, request: &ListRequest<'_>) -> Result<Answer<EntryList>, Failure> {
        let ListRequest { topic, states, order, .. } = *request;
        let wording = WordingFilter::new(request.tags, request.text);
        let categories =
            request.categories.iter().map(|name| intake::known_category(self.memory, name));
        let categories = categories.collect::<Result<Vec<_>, _>>()?;
        let stores = self.memory.readers()?;
        let (ranking, snapshots) = self.memory.own_ranking(&stores);
        let mirrors = self.memory.sharing().listed_mirrors();
        let may_be_away =
            |word: &StateWord| !matches!(word, StateWord::Score(state) if *state != State::Dropped);
        let put_away = if states.iter().any(may_be_away) {
            archived::rankings(self.memory, &stores, &snapshots)
        } else {
            Vec::new()
        };
        // Of what stands in the archive, what was forgotten has a state by its score too.
        let away = put_away.iter().zip(snapshots.iter()).flat_map(|(ranking, snapshot)| {
            ranking.rows.iter().map(|row| {
                let archived = snapshot.ledger.archived_for(row.entry.id);
                (row, Facts { archived, ..row.facts() }.verdict())
            })
        });
        let is_asked = |(row, verdict): &(&ScoredEntry, Verdict)| {
            let is_forgotten = row.evidence.user == UserState::Forgotten;
            states.iter().any(|word| match word {
                StateWord::Score(_) => is_forgotten && word.is_of(row, *verdict),
                StateWord::Verdict(_) => word.is_of(row, *verdict),
            })
        };
        let away: Vec<(&ScoredEntry, Verdict)> = away.filter(is_asked).collect();
        let entries = self.memory.entries_of(&ranking).marking_replaced();
        let is_of_state = |row: &ScoredEntry| {
            if states.is_empty() {
                return true;
            }
            let verdict = entries.verdict(row);
            states.iter().any(|word| word.is_of(row, verdict))
        };
        let theirs = mirrors.iter().map(|mirror| (Some(mirror), &mirror.ranking));
        let mut rows: Vec<(Option<&Mirrored>, &ScoredEntry)> = iter::once((None, &*ranking))
            .chain(theirs)
            .flat_map(|(mirror, ranking)| ranking.rows.iter().map(move |row| (mirror, row)))
            .filter(|(_, row)| is_of_state(row))
            .chain(away.iter().map(|(row, _)| (None, *row)))
            .filter(|(_, row)| categories.is_empty() || categories.contains(&row.entry.category))
            .filter(|(_, row)| topic.is_none_or(|topic| is_of(row, topic)))
            .filter(|(_, row)| wording.admits(&row.entry.text))
            .collect();
        match order {
            ListOrder::Score if mirrors.is_empty() => {}
            ListOrder::Score => rows.sort_by(|(mirror, a), (other, b)| {
                let both = mirror.is_some().cmp(&other.is_some());
                // The ranking of one's own stores is sorted.
                let by_score = || b.standing.shown().total_cmp(&a.standing.shown());
                if mirror.is_some() { both.then_with(by_score) } else { both }
            }),
            ListOrder::Age => {
                rows.sort_by_key(|(_, row)| (Reverse(row.evidence.last_reinforced), row.entry.id));
            }
            ListOrder::Hot => {
                let heat = |(mirror, row): (Option<&Mirrored>, &ScoredEntry)| {
                    let topics =
                        mirror.map_or(&*ranking, |mirror| &mirror.ranking).topics(row.entry.scope);
                    let rows = topics.get(row.entry.subject());
                    rows.map_or(0.0, |rows| ranking::hotness(rows))
                };
                rows.sort_by(|a, b| heat(*b).total_cmp(&heat(*a)));
            }
        }
        rows.truncate(request.limit.unwrap_or(usize::MAX));
        let theirs = || mirrors.iter().flat_map(|mirror| &mirror.ranking.rows);
        let all = || ranking.rows.iter().chain(theirs());
        let entries = entries.beside(
            theirs().chain(away.iter().map(|(row, _)| *row)).map(|row| row.entry.id).collect(),
        );
        // People are not shown them.
        let wanted = self.memory.notices.for_programs();
        let accesses = if wanted { self.memory.accesses(&stores) } else { Accesses::default() };
        let ledgers = || snapshots.iter().map(|snapshot| &snapshot.ledger);
        let listed = |(mirror, row): (Option<&Mirrored>, &ScoredEntry)| {
            let access = telemetry::of_entry(&accesses, row.entry.id, ledgers());
            let listed = entries.accessed(row, access);
            let entry = mirror.map(|mirror| mirror.view(&entries, row));
            let mut entry = entry.unwrap_or(listed.entry);
            if let Some((_, verdict)) = away.iter().find(|(other, _)| std::ptr::eq(*other, row)) {
                (entry.archived, entry.mark) = (true, verdict.state());
            }
            AccessedEntry { entry, ..listed }
        };
        let entries = rows.into_iter().map(listed).collect();
        let of = all().count();
        let no_topic = topic.is_some_and(|topic| !all().any(|row| is_of(row, topic)));
        Ok(Answer { view: EntryList { entries, of, no_topic }, problems: problems(&snapshots) })
    }

    /// Returns all topics, hottest first.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn topics(self) -> Result<Answer<Topics>, Failure> {
        let stores = self.memory.readers()?;
        let (ranking, snapshots) = self.memory.ranking(&stores);
        let mut topics = Vec::new();
        for (store, snapshot) in stores.iter().zip(snapshots.iter()) {
            let rows = ranking.topics(store.scope);
            let mut files: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
            for file in &snapshot.topics {
                let (count, characters) = files.entry(file.subject()).or_default();
                *count += 1;
                *characters += file.doc.chars();
            }
            for (name, (files, characters)) in files {
                let rows = rows.get(name).map_or(&[][..], Vec::as_slice);
                topics.push(TopicView {
                    name: name.to_owned(),
                    scope: store.scope.name(),
                    entries: rows.len(),
                    hotness: ranking::hotness(rows),
                    pinned: rows.iter().any(|row| row.standing == Standing::Pinned),
                    cold: ranking::cold(rows, &self.memory.config.categories),
                    characters,
                    tokens: Tokens::of_chars(characters).0,
                    files,
                    percent_full: characters * 100 / (files * TOPIC_CHARS),
                });
            }
        }
        topics.sort_by(|a, b| b.hotness.total_cmp(&a.hotness).then_with(|| a.name.cmp(&b.name)));
        for topic in &mut topics {
            topic.hotness = rounded(topic.hotness);
        }
        Ok(Answer { view: Topics { topics }, problems: problems(&snapshots) })
    }
}

/// Returns true if an entry stands in a topic: by the name of the topic, or of the file.
fn is_of(row: &ScoredEntry, topic: &str) -> bool {
    [row.entry.subject(), &row.entry.topic].contains(&topic)
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryList {
    pub entries: Vec<AccessedEntry>,
    /// Number of entries among which they were looked for.
    #[serde(skip)]
    pub of: usize,
    /// True if the topic that was asked for is not there.
    #[serde(skip)]
    pub no_topic: bool,
}

documents! {
    EntryList: "pimem.list/1",
}

/// The topics of one or more stores, hottest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Topics {
    pub topics: Vec<TopicView>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicView {
    /// Name of its first file, without `.md`.
    pub name: String,
    /// `project` or `user`.
    pub scope: &'static str,
    pub entries: usize,
    /// Sum of the scores of the entries.
    pub hotness: f64,
    pub pinned: bool,
    /// True if nothing was reinforced for twice the decay constant.
    pub cold: bool,
    /// Size in characters.
    pub characters: usize,
    /// Tokens, by the estimate of the report.
    pub tokens: u32,
    /// Number of files that it spans.
    pub files: usize,
    /// Size in characters as a percentage of what its files may hold.
    pub percent_full: usize,
}

documents! {
    Topics: "pimem.topics/1",
}

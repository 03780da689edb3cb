//! The working report: the current day, for a prompt.

use serde::Serialize;

use super::{
    Answer, Memory,
    report::ReportRequest,
    search::{
        self, FoundHit, SearchResult,
        request::{MinScore, SearchRequest},
    },
    stale::Stale,
};
use crate::{
    error::Failure,
    local_time,
    store::{Store, notes, read::ReadProblem},
};
use pimem_core::{
    markdown::{checklist, handoff},
    model::time::Date,
    report::{
        budget::{self, Tokens},
        working::{self, Sources},
    },
    safety::safe_text::SafeText,
    search::{bm25::Query, documents::SourceKind, social_gate},
};

/// Maximum number of hits of the search for the prompt.
const HITS: usize = 3;
/// Number of hits read to select them.
const READ_HITS: usize = HITS * 4;
/// Maximum number of characters of the prompt that are searched for.
const PROMPT: usize = 200;
/// Bytes read from the end of a log; far more than is shown.
pub const READ: u64 = 64 * 1024;

impl Memory {
    /// Returns open items, logs of today and yesterday, hits for the prompt, and long-term notes.
    /// Also returns the stores whose index should be refreshed.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn working_report(
        &self,
        request: &ReportRequest,
    ) -> Result<(Answer<WorkingView>, Vec<Stale>), Failure> {
        let most = request.budget.unwrap_or(Tokens(u32::MAX));
        let context = self.config.settings.report.context;
        let room = budget::available(most, context, request.system_prompt);
        let stores = self.readers()?;
        let mut problems = Vec::new();
        let today = local_time::local(self.now.0).date;
        let mut sources = Sources::default();
        let mut left_out = Vec::new();
        for store in &stores {
            let mut changed = Vec::new();
            let mut add =
                |name: &str, text: &mut String, read: &dyn Fn() -> Result<String, ReadProblem>| {
                    let more = if self.shows_notes(store, name) {
                        read()
                    } else {
                        let file = store.file(name);
                        file.map(|file| changed.extend(file.map(|_| name.to_owned())))
                            .map(|()| String::new())
                    };
                    match more {
                        Ok(more) if more.trim().is_empty() => {}
                        Ok(more) => {
                            if !text.is_empty() {
                                text.push_str("\n\n");
                            }
                            text.push_str(&more);
                        }
                        Err(problem) => problems.push(problem),
                    }
                };
            let Sources { scratchpad, today: now, notes: long, yesterday: before, .. } =
                &mut sources;
            add(notes::SCRATCHPAD, scratchpad, &|| open_items(store));
            add(&notes::daily(today), now, &|| log(store, today, scratchpad));
            add(notes::NOTES, long, &|| notes(store));
            let yesterday = today.yesterday();
            add(&notes::daily(yesterday), before, &|| log(store, yesterday, scratchpad));
            if !changed.is_empty() {
                self.notices.note(&if store.notes_begun() {
                    let names = changed.join(", ");
                    format!("{names}: changed since review, and left out: pimem trust --review")
                } else {
                    "Notes and logs were not written here and are left out: pimem trust --review"
                        .to_owned()
                });
            }
            left_out.extend(changed);
        }
        let prompt = request.prompt.as_deref();
        let found =
            prompt.map(|prompt| recall(self, &stores, prompt, &sources)).unwrap_or_default();
        let line = |hit: &FoundHit| {
            let text = hit.text.replace('\n', " ");
            let text = text.strip_prefix("- ").unwrap_or(&text);
            format!("- {text} ({}:{})\n", hit.source, hit.line)
        };
        sources.recalled = found.hits.iter().map(line).collect();
        let text = working::working(&sources, today, room.chars());
        let characters = text.chars().count();
        let view = WorkingView { text, characters, unreviewed: left_out, degraded: found.degraded };
        Ok((Answer { view, problems }, found.stale))
    }
}

/// Returns hits for the prompt that are not in the report anyway: those above the minimum score of
/// recall, then the next best; entries before past sessions.
fn recall(memory: &Memory, stores: &[Store], prompt: &str, sources: &Sources) -> SearchResult {
    let clean: String = prompt.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let clean: String = clean.trim().chars().take(PROMPT).collect();
    if memory.env.text("PIMEM_NO_SEARCH") == Some("1") || social_gate::is_trivial(&clean) {
        return SearchResult::default();
    }
    let query = Query::from_prompt(&clean);
    let like = SearchRequest::recall(memory, &query, READ_HITS, &[]);
    let any = SearchRequest {
        min_score: MinScore::Score(0.0),
        ..SearchRequest::recall(memory, &query, READ_HITS, &[])
    };
    let mut answers = search::find_each(memory, stores, &[like, any]).into_iter();
    let mut found = answers.next().unwrap_or_default();
    let others = answers.next().unwrap_or_default().hits;
    // A session whose start resembles the prompt scores high, but has less information than an
    // entry.
    let is_session = |hit: &FoundHit| hit.kind == SourceKind::Session;
    let sorted = |hits: Vec<FoundHit>| {
        let (sessions, others): (Vec<FoundHit>, Vec<FoundHit>) =
            hits.into_iter().partition(is_session);
        others.into_iter().chain(sessions)
    };
    let hits: Vec<FoundHit> =
        sorted(std::mem::take(&mut found.hits)).chain(sorted(others)).collect();
    for hit in hits {
        let is_there = sources.whole().any(|text| text.contains(hit.text.trim()));
        let is_again = found.hits.iter().any(|other| other.text == hit.text);
        if !is_there && !is_again {
            found.hits.push(hit);
        }
    }
    found.hits.truncate(HITS);
    found
}

/// Returns the open items of a store, one per line.
pub fn open_items(store: &Store) -> Result<String, ReadProblem> {
    let bytes = store.file(notes::SCRATCHPAD)?.unwrap_or_default();
    let lines =
        checklist::open(&bytes).flat_map(|item| ["- [ ] ".to_owned(), item.text, "\n".to_owned()]);
    Ok(store.trust.told(&lines.collect::<String>()).into_owned())
}

/// Returns the end of a day's log, with handoffs reduced to what is not shown elsewhere.
fn log(store: &Store, date: Date, open: &str) -> Result<String, ReadProblem> {
    let end = store.tail(&notes::daily(date), READ)?;
    let log = end.map(|end| handoff::abridged(&end, open)).unwrap_or_default();
    Ok(store.trust.told(&log).into_owned())
}

/// Returns the long-term notes of a store.
pub fn notes(store: &Store) -> Result<String, ReadProblem> {
    let bytes = store.file(notes::NOTES)?.unwrap_or_default();
    Ok(store.trust.told(&String::from_utf8_lossy(&bytes)).into_owned())
}

/// The report of the current day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkingView {
    /// Text for a prompt.
    pub text: SafeText,
    /// Size in characters.
    pub characters: usize,
    /// Notes and logs left out because they were neither written nor reviewed on this machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreviewed: Vec<String>,
    /// Why what was recalled is worse than it could be, as in the document of `pimem search`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
}

documents! {
    WorkingView: "pimem.working/1",
}

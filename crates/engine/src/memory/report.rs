//! The report, with recall for a prompt; and the working report: the current day, for a prompt.

use std::{
    collections::HashSet,
    path::{Component, Path, PathBuf},
};

use crate::memory::handles::Reading;
use pimem_core::{
    exchange::agents,
    guard::glob,
    markdown::{checklist, handoff},
    model::{entry::EntryId, hash::IdSet, time::Date},
    report::{
        budget::{self, Tokens},
        render::{self, RenderSettings},
        select::ReportVerdict,
        working::{self, Sources},
    },
    safe,
    safety::safe_text::SafeText,
    score::ranking::Ranking,
    search::{bm25::Query, documents::SourceKind, social_gate},
};
use serde::Serialize;

use super::{
    Answer, Memory,
    background::{self, Refresh, Stale},
    problems,
    recall::{self, PlacedEntry, PromptQueries},
    search::{
        self, FoundHit, SearchResult,
        hits::{self, Detail},
        request::{MinScore, SearchRequest},
    },
    shortlist::ReportSource,
};
use crate::{
    error::Failure,
    local_time,
    memory::search::hits::HitView,
    store::{
        Store, notes, provenance,
        read::{self, ReadProblem},
    },
    view::{JudgedEntry, counted},
};

/// Most memories that are told because somebody works in their place.
pub const PLACED: usize = 3;

/// Returns the heading of memories about a file and some more.
pub fn place_heading(file: &str, more: usize) -> SafeText {
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    safe!("# Memories About {}{}\n", file, rest)
}

#[derive(Debug, Clone, Default)]
pub struct ReportRequest {
    /// Maximum number of tokens; `None` for the configured budget.
    pub budget: Option<Tokens>,
    /// Tokens of the system prompt, which reduce the budget.
    pub system_prompt: Tokens,
    /// A prompt for which to recall entries and past sessions that the report lacks.
    pub prompt: Option<String>,
    pub listed: ReportListing,
}

/// The entries that a report lists beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReportListing {
    /// Those in the text.
    #[default]
    Shown,
    /// None, because only the text is read.
    None,
    /// All, each with the reason why it is in the text or not.
    Explained,
}

pub struct Reported {
    /// The report; its text is what goes into a prompt.
    pub view: ReportView,
    pub problems: Vec<ReadProblem>,
    /// Stores whose index should be refreshed afterwards.
    pub stale: Vec<Stale>,
}

/// Largest file of rules that an agent reads by itself, in bytes.
const RULE_FILE: u64 = 1 << 20;
/// Most of these files, with those that they include.
const RULE_FILES: usize = 20;

impl Reading<'_> {
    /// Returns what files of rules at the root of the project, and in the working directory, state. An
    /// agent that reads them by itself need not be told.
    pub fn stated_in(self, names: &[&str]) -> HashSet<String> {
        let cwd = self.memory.places.cwd.as_path();
        let root = self.memory.places.work_tree(cwd).unwrap_or(cwd);
        let mut stated = HashSet::new();
        for dir in if root == cwd { vec![root] } else { vec![root, cwd] } {
            let mut files: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
            let mut at = 0;
            // With what they include, as far as an import takes it.
            while let Some(file) = files.get(at).cloned().filter(|_| at < RULE_FILES) {
                at += 1;
                let Ok(Some(bytes)) = read::file(dir, &dir.join(&file), RULE_FILE) else {
                    continue;
                };
                let text = String::from_utf8_lossy(&bytes);
                let found = agents::read("", &text, &self.memory.config.categories);
                stated.extend(found.items.into_iter().map(|item| item.text));
                let beside = file.parent().unwrap_or(Path::new(""));
                let is_below = |name: &&String| {
                    Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
                };
                let included = found.included.iter().map(|(_, name)| name).filter(is_below);
                for file in included.map(|name| beside.join(name)).collect::<Vec<_>>() {
                    if !files.contains(&file) {
                        files.push(file);
                    }
                }
            }
        }
        stated
    }

    /// Returns what an agent should know, within a budget of tokens.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn report(self, request: &ReportRequest) -> Result<Reported, Failure> {
        let stores = self.memory.readers()?;
        let prompt = request.prompt.as_deref().filter(|prompt| !social_gate::is_trivial(prompt));
        let asked = prompt.map(|prompt| PromptQueries::begin(self.memory, prompt));
        if let Some(prompt) = &request.prompt {
            self.memory.works_on(glob::named(prompt));
        }
        let explained = request.listed == ReportListing::Explained;
        let settings = self.memory.report_settings(request.budget, request.system_prompt);
        let settings = RenderSettings { reasons: explained, ..settings };
        let is_brief = !explained && request.prompt.is_none();
        let nowhere = HashSet::new();
        let ReportSource { ranking, snapshots, others, mut report, stale } =
            self.report_source(&stores, settings, Some(provenance::LIMIT), &nowhere, is_brief);
        let total = self.memory.sharing().team_total(request.budget, request.system_prompt);
        let team = self.memory.sharing().add_team(
            &mut report,
            (&ranking, &snapshots),
            (settings, total),
            &nowhere,
            explained,
        );
        let mut recalled = SearchResult::default();
        let (mut placed, mut sessions) = (Vec::new(), Vec::new());
        let files: Vec<String> =
            prompt.into_iter().flat_map(glob::named).map(str::to_owned).collect();
        if let Some(asked) = asked.filter(|_| settings.budget > Tokens(0)) {
            let mut shown: IdSet<EntryId> = report.shown(&ranking).collect();
            shown.extend(team.shown().map(|(_, _, row)| row.entry.id));
            placed = self.of_place(&stores, &files, &shown);
            placed.truncate(PLACED);
            shown.extend(placed.iter().map(|one| one.row.entry.id));
            let found = recall::search(self.memory, &stores, &asked, &shown, None);
            sessions = recall::sessions(found.sessions, |_| false);
            recalled = found.entries;
            recalled.hits = recall::chosen_on(self.memory, &ranking, recalled.hits);
            let (hits, stale) = (&recalled.hits, &mut recalled.stale);
            let theirs = self.memory.sharing().recall_team(&stores, &asked, &shown, hits, stale);
            recalled.hits.extend(theirs);
        }
        let unreviewed = ranking.unreviewed();
        let waiting = self.memory.unreviewed(&stores, ranking.rows.iter().map(|row| &row.entry));
        self.memory.say_left_out(&waiting);
        let entries = self.memory.entries_of(&ranking);
        let entries = entries.beside(others);
        let detail = if explained { Detail::Explained } else { Detail::Plain };
        let is_listed = |verdict: &ReportVerdict| match request.listed {
            ReportListing::Explained => true,
            ReportListing::Shown => verdict.shown(),
            ReportListing::None => false,
        };
        let judged = report.judged(&ranking).filter(|(_, verdict)| is_listed(verdict));
        let judged = judged.map(|(row, verdict)| {
            let factors = explained.then(|| entries.factors(row));
            let mut judged = JudgedEntry { factors, ..entries.judged(row, verdict) };
            if !explained {
                // Nobody reviews what stands behind a text, and a report goes to an agent.
                judged.entry.asked.clear();
                judged.entry.rules.clear();
            }
            judged
        });
        let theirs = team.judged(self.memory, is_listed, explained);
        let view = ReportView {
            entries: judged.chain(theirs).collect(),
            nothing: nothing(&ranking, &report).filter(|_| request.prompt.is_none()),
            crowded: self.memory.crowded(&report),
            text: report.text,
            tokens: report.tokens.0,
            pinned_tokens: report.pinned.0,
            budget: report.budget.limit(),
            overflow: report.overflow,
            recalled_text: self.recalled_text((&files, &placed), &recalled.hits, &sessions),
            placed: placed.iter().map(|one| one.line(self.memory).trim().to_owned()).collect(),
            recalled: recalled.hits.into_iter().map(|hit| hits::view(hit, detail)).collect(),
            sessions: sessions.iter().map(recall::session).collect(),
            unreviewed: (unreviewed > 0).then_some(unreviewed),
            degraded: recalled.degraded.or_else(|| background::waiting(&recalled.stale)),
        };
        let problems = problems(&snapshots);
        recalled.stale.extend(stale.iter().map(|store| Stale::of(store, Refresh::Changed)));
        Ok(Reported { view, problems, stale: recalled.stale })
    }

    fn recalled_text(
        self,
        (files, placed): (&[String], &[PlacedEntry]),
        hits: &[FoundHit],
        sessions: &[FoundHit],
    ) -> SafeText {
        let recalled = recall::text(self.memory, hits, &[], sessions);
        let Some(first) = files.first().filter(|_| !placed.is_empty()) else { return recalled };
        let lines: SafeText = placed.iter().map(|one| one.line(self.memory)).collect();
        let gap = if recalled.is_empty() { "" } else { "\n" };
        safe!(
            "{}\n{}{}{}",
            place_heading(first, files.len() - 1),
            lines,
            SafeText::fixed(gap),
            recalled
        )
    }

    /// Returns open items, logs of today and yesterday, hits for the prompt, and long-term notes.
    /// Also returns the stores whose index should be refreshed.
    /// Fails if the named store does not exist.
    pub fn working_report(
        self,
        request: &ReportRequest,
    ) -> Result<(Answer<WorkingView>, Vec<Stale>), Failure> {
        let most = request.budget.unwrap_or(Tokens(u32::MAX));
        let context = self.memory.config.settings.report.context;
        let room = budget::available(most, context, request.system_prompt);
        let stores = self.memory.readers()?;
        let mut problems = Vec::new();
        let today = local_time::local(self.memory.now.0).date;
        let mut sources = Sources::default();
        let mut left_out = Vec::new();
        for store in &stores {
            let mut changed = Vec::new();
            let mut add =
                |name: &str, text: &mut String, read: &dyn Fn() -> Result<String, ReadProblem>| {
                    let more = if self.memory.shows_notes(store, name) {
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
                self.memory.notices.note(&if store.notes_begun() {
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
            prompt.map(|prompt| recall(self.memory, &stores, prompt, &sources)).unwrap_or_default();
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

/// Says why a report of entries is empty, and whether more tokens would help. Of those that wait for
/// review another message tells.
fn nothing(ranking: &Ranking, report: &render::Report) -> Option<(String, bool)> {
    let reviewed = ranking.rows.iter().filter(|row| row.entry.reviewed).count();
    if !report.text.is_empty() || reviewed == 0 {
        return None;
    }
    let count = counted(reviewed, "entry", "entries");
    let is_room = |verdict: &ReportVerdict| {
        matches!(
            verdict,
            ReportVerdict::ReportFull | ReportVerdict::SectionFull(_) | ReportVerdict::NoRoom(_)
        )
    };
    let is_small = report.verdicts.iter().any(is_room);
    Some(match report.budget {
        Tokens(0) => (format!("No tokens are left for a report of {count}"), false),
        budget if is_small => {
            let room = format!("{budget} tokens have no room for any of {count}");
            (format!("{room}: pimem report --budget takes more"), true)
        }
        _ => (format!("None of {count} can be shown: pimem report --explain says why"), false),
    })
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportView {
    /// Text for a prompt; empty if there is nothing to report.
    pub text: SafeText,
    pub tokens: u32,
    /// The part of these that is of pinned entries, which no budget bounds.
    pub pinned_tokens: u32,
    /// Token budget.
    /// `null` if there is no limit.
    pub budget: Option<u32>,
    /// Whether memories were left out for want of places or tokens, under the policy `weighted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflow: Option<bool>,
    /// Entries in the report; all entries if explanations were requested.
    pub entries: Vec<JudgedEntry>,
    /// Lines whose place a file is in that the prompt names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub placed: Vec<String>,
    /// Entries recalled for the prompt, best first.
    pub recalled: Vec<HitView>,
    /// Past sessions recalled for the prompt, each with its date.
    pub sessions: Vec<String>,
    /// Number of entries that were neither written nor reviewed on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreviewed: Option<usize>,
    /// Why the text is empty although there are entries, and whether more tokens would help.
    #[serde(skip)]
    pub nothing: Option<(String, bool)>,
    /// The sentence that asks a person to consolidate, if that should be done.
    #[serde(skip)]
    pub crowded: Option<String>,
    /// Why what was recalled is worse than it could be, as in the document of `pimem search`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
    /// The lines of `placed` and the recalled entries and sessions, as text for a prompt.
    #[serde(skip)]
    pub recalled_text: SafeText,
}

documents! {
    ReportView: "pimem.report/1",
}

/// Maximum number of hits of the search for the prompt.
const HITS: usize = 3;
/// Number of hits read to select them.
const READ_HITS: usize = HITS * 4;
/// Maximum number of characters of the prompt that are searched for.
const PROMPT: usize = 200;
/// Bytes read from the end of a log; far more than is shown.
pub const READ: u64 = 64 * 1024;

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

pub fn notes(store: &Store) -> Result<String, ReadProblem> {
    let bytes = store.file(notes::NOTES)?.unwrap_or_default();
    Ok(store.trust.told(&String::from_utf8_lossy(&bytes)).into_owned())
}

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

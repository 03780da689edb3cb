//! A session starts: the report, and after a compaction what was handed off.

use std::fmt::Write;

use super::{
    answer::{Answer, Shown},
    call::Call,
    day,
};
use crate::agents::wire::Source;
use pimem_core::{
    report::{
        budget::Tokens,
        render::{self, GroundTruth},
        select::Verdict,
        working::AtHand,
    },
    safety::safe_text,
    score::ranking::ScoredEntry,
};
use pimem_engine::{
    config::{layers::Origin, schema::Key, settings::Report},
    error::Failure,
    memory::background,
    store::snapshot::Store,
};

/// The heading of entries that a session that goes on has not seen.
const NEWS: &str = "# Project Memory, Since This Session Paused\n\n";

/// What a new session should know.
pub(crate) fn start(call: &Call<'_>) -> Answer {
    let (source, known) = (call.input.source, call.known());
    // A session that goes on has its report still, unless the agent asks for it anew.
    if !call.listens() || (known.reported && source == Source::Startup) {
        return Answer::default();
    }
    let news = source == Source::Resume && known.reported && call.agent.keeps_contexts();
    opening(call, news)
}

/// The report and the day at hand, or what is new in both.
pub(crate) fn opening(call: &Call<'_>, news: bool) -> Answer {
    let sources = day::sources(call);
    let mut answer = memories(call, &sources, news);
    let gap = usize::from(!answer.is_empty());
    let taken = answer.size(call.agent.limit()) + gap;
    answer.extend(day::answer(call, &sources, taken, news));
    answer
}

/// The report, in the wording and the size that the agent takes.
fn memories(call: &Call<'_>, beside: &AtHand, news: bool) -> Answer {
    let ctx = call.ctx;
    let reserved = if beside.is_empty() { 0 } else { day::RESERVED };
    let room = Tokens::of_chars(call.agent.limit().most() - reserved);
    let mut settings = ctx.report_settings(None, Tokens(0));
    settings.budget = settings.budget.min(room);
    let is_default = |key: &Key| *ctx.config.origin(key) == Origin::Default;
    if call.agent.wants_facts() && is_default(&Report::ground_truth) {
        settings.ground_truth = GroundTruth::Factual;
    }
    if is_default(&Report::remove_command) {
        settings.remove_command = "pimem remove";
    }
    let (ranking, _) = call.ranking();
    let report = render::report(&ranking, &ctx.config.categories, settings);
    let mut answer = if news {
        news_of(call, report.judged(&ranking))
    } else {
        Answer::of_report(&report, &ranking)
    };
    let mut notes = String::new();
    let waiting = ctx.unreviewed(&call.stores, ranking.rows.iter().map(|row| &row.entry));
    if let Some(left_out) = waiting.for_agent() {
        let _ = writeln!(notes, "{left_out}");
    }
    if let Some(line) = ctx.unusable_for_agents() {
        let _ = writeln!(notes, "{line}");
    }
    // However much is pinned.
    let limit = call.agent.limit();
    answer.fit(limit.less(reserved + limit.size(&notes)));
    if !answer.is_empty() && !notes.is_empty() {
        answer.push("\n".to_owned(), None);
    }
    answer.push_all(&notes, None);
    answer
}

/// The entries of a report that the session has not seen.
fn news_of<'a>(
    call: &Call<'_>,
    judged: impl Iterator<Item = (&'a ScoredEntry, &'a Verdict)>,
) -> Answer {
    let mut answer = Answer { report: true, ..Answer::default() };
    let is_seen = |row: &ScoredEntry| call.known().seen.contains(&row.entry.id);
    for (row, _) in judged.filter(|(row, verdict)| verdict.shown() && !is_seen(row)) {
        if answer.is_empty() {
            answer.push_all(NEWS, None);
        }
        let category = &call.ctx.config.categories.spec(row.entry.category).name;
        let line = safe_text::entry(category, &row.entry.text) + "\n";
        answer.push(line, Some(Shown::from(row)));
    }
    answer
}

/// Has the scores brought up to date by a process that nobody waits for, and keeps summaries of
/// sessions that ended without saying so.
pub(crate) fn afterwards(call: &Call<'_>) -> Result<(), Failure> {
    if !call.listens() {
        // The first prompt brings the report then, and no prompt waits for git.
        drop(call.ranking());
    }
    let fresh = call.ctx.config.settings.hook.rebuild_after;
    let is_due = |store: &&Store| {
        let snapshot = std::fs::metadata(store.dir.join("memory-scores.json"));
        let modified = snapshot.and_then(|meta| meta.modified());
        // By a clock that was set back since, it was made in a time to come.
        let age = modified.ok().map(|at| {
            call.ctx.real_now.duration_since(at).unwrap_or_else(|ahead| ahead.duration())
        });
        // A store that nobody here has looked at is left as it came.
        store.trust.is_begun() && age.is_none_or(|age| age >= fresh)
    };
    let due: Vec<&Store> = call.stores.iter().filter(is_due).collect();
    if !fresh.is_zero() && !due.is_empty() {
        let age = format!("{}m", fresh.as_secs() / 60);
        let mut args = vec!["rebuild", "--if-older", &age, "--quiet"];
        if let [only] = due.as_slice() {
            args.extend(["--scope", only.scope.name()]);
        }
        background::start(call.ctx, &args, None)?;
    }
    super::close::sweep(call)
}

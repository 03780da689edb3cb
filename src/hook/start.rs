//! The start of a session: the report, and after a compaction the handoff.

use pimem_core::{
    report::{self, budget::Tokens, render, select::ReportVerdict, working::AtHand},
    safe,
    safety::safe_text::SafeText,
    score::ranking::ScoredEntry,
};
use pimem_engine::{
    error::Failure,
    memory::{background, team},
    store::Store,
};

use super::{
    answer::{HookAnswer, ShownText},
    call::Call,
    day,
};
use crate::{
    agents::{
        Agent, HookEvent, KeptContext,
        hook_input::{Input, PromptSource},
    },
    shell::Shell,
};

/// Heading above entries that are new since the session paused.
const NEWS: &str = "# Project Memory, Since This Session Paused\n\n";

/// Returns the answer for a session that starts.
pub(crate) fn start(call: &Call<'_>) -> HookAnswer {
    let (source, known) = (call.input.source, call.known());
    // A session that got its report still has it, unless it is resumed, cleared or compacted.
    if !call.listens() || (known.reported && source == PromptSource::Startup) {
        return HookAnswer::default();
    }
    let kept = call.agent.record().start_context == KeptContext::Session;
    let has_rest = source == PromptSource::Resume && known.reported && kept;
    opening(call, if has_rest { StartExtent::News } else { StartExtent::Whole })
}

/// How much of what a session starts with is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartExtent {
    Whole,
    /// What the session has not seen.
    News,
}

/// Returns what an agent is given at the start of a new session, which is not noted anywhere.
///
/// # Errors
/// Fails if the stores cannot be opened.
pub(crate) fn at_startup(ctx: &Shell, agent: Agent) -> Result<HookAnswer, Failure> {
    if !ctx.config.settings.memory.enabled {
        return Ok(HookAnswer::default());
    }
    let stores = Call::stores(ctx, ctx.config.settings.hook.deadline)?;
    let found = Call::new(ctx, agent, HookEvent::SessionStart, Input::default(), stores);
    let Some(call) = found else {
        let mut answer = HookAnswer::default();
        for line in ctx.locked_for_agents().into_iter().chain(ctx.foreign_for_agents()) {
            answer.push(safe!("{}\n", line), None);
        }
        return Ok(answer);
    };
    let mut answer = opening(&call, StartExtent::Whole);
    answer.fit(agent.limit());
    Ok(answer)
}

/// Returns the report and the day's context, or only what is new in both.
pub(crate) fn opening(call: &Call<'_>, extent: StartExtent) -> HookAnswer {
    let sources = day::sources(call);
    let mut answer = memories(call, &sources, extent);
    let gap = usize::from(!answer.is_empty());
    let taken = answer.size(call.agent.limit()) + gap;
    answer.extend(day::answer(call, &sources, taken, extent));
    answer
}

/// Returns the report, as `pimem report` prints it, as far as the agent takes it.
fn memories(call: &Call<'_>, beside: &AtHand, extent: StartExtent) -> HookAnswer {
    let ctx = call.ctx;
    let reserved = if beside.is_empty() { 0 } else { day::RESERVED };
    let room = Tokens::of_chars(call.agent.limit().most() - reserved);
    let mut settings = ctx.report_settings(None, Tokens(0));
    settings.budget = settings.budget.min(room);
    let (ranking, snapshots) = call.ranking();
    let mut report = render::report(&ranking, &ctx.config.categories, settings);
    let team = ctx.add_team(&mut report, (&ranking, &snapshots), settings, room, false);
    let mut answer = if extent == StartExtent::News {
        news_of(call, report.judged(&ranking), &team)
    } else {
        HookAnswer::of_report(&report, &ranking, &team)
    };
    let mut notes = SafeText::default();
    let waiting = ctx.unreviewed(&call.stores, ranking.rows.iter().map(|row| &row.entry));
    if let Some(left_out) = waiting.for_agent() {
        notes.push(&safe!("{}\n", left_out));
    }
    for line in ctx.locked_for_agents().into_iter().chain(ctx.foreign_for_agents()) {
        notes.push(&safe!("{}\n", line));
    }
    if let Some(line) = ctx.unusable_for_agents() {
        notes.push(&safe!("{}\n", line));
    }
    // Enforced even if many entries are pinned.
    let limit = call.agent.limit();
    answer.fit(limit.less(reserved + limit.size(&notes)));
    if !answer.is_empty() && !notes.is_empty() {
        answer.push(SafeText::fixed("\n"), None);
    }
    answer.push_all(&notes, None);
    answer
}

/// Returns the entries of a report that the session has not seen.
fn news_of<'a>(
    call: &Call<'_>,
    judged: impl Iterator<Item = (&'a ScoredEntry, &'a ReportVerdict)>,
    team: &team::TeamReport,
) -> HookAnswer {
    let mut answer = HookAnswer { report: true, ..HookAnswer::default() };
    let is_seen = |row: &ScoredEntry| call.known().seen.contains(&row.entry.id);
    let category = |row: &ScoredEntry| &call.ctx.config.categories.spec(row.entry.category).name;
    let own = judged.filter(|(_, verdict)| verdict.shown()).map(|(row, _)| row);
    let own = own.map(|row| (row, SafeText::entry(category(row), &row.entry.text)));
    let theirs = team.shown().map(|(_, mirror, row)| {
        let label = report::team::label(mirror.mirror(), row);
        (row, report::team::line(category(row), &row.entry.text, &label))
    });
    for (row, line) in own.chain(theirs).filter(|(row, _)| !is_seen(row)) {
        if answer.is_empty() {
            answer.push_all(&SafeText::fixed(NEWS), None);
        }
        answer.push(safe!("{}\n", line), Some(ShownText::from(row)));
    }
    answer
}

/// Starts a rebuild of stale scores in the background, and stores summaries of sessions that ended
/// without an event.
pub(crate) fn afterwards(call: &Call<'_>) -> Result<(), Failure> {
    if !call.listens() {
        // The first prompt brings the report then, and no prompt waits for git.
        drop(call.ranking());
    }
    let fresh = call.ctx.config.settings.hook.rebuild_after;
    let is_due = |store: &&Store| {
        let snapshot = std::fs::metadata(store.dir.join("memory-scores.json"));
        let modified = snapshot.and_then(|meta| meta.modified());
        // If the clock was set back, the snapshot is from the future.
        let age = modified.ok().map(|at| {
            call.ctx.real_now.duration_since(at).unwrap_or_else(|ahead| ahead.duration())
        });
        // A store that nobody on this machine has reviewed is not changed.
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
    } else {
        background::start_filling(call.ctx);
    }
    super::close::sweep(call)
}

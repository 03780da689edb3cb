//! A session starts: the report, and after a compaction what was handed off.

use std::{fmt::Write, time::Duration};

use super::call::{Answer, Call, Shown, hash};
use crate::{
    agents::wire::Source,
    cli::{detached, error::Failure, handoff, report},
    config::layer::Origin,
    report::{
        budget::Tokens,
        render::{self, GroundTruth},
    },
    store::vault::Store,
    text::safe,
};

/// What a new session should know.
pub(super) fn start(call: &Call<'_>) -> Answer {
    // A session that goes on has its report still, unless the agent asks for it anew.
    if !call.listens() || (call.known().reported && call.input.source == Source::Startup) {
        return Answer::default();
    }
    let mut answer = memories(call);
    if call.input.source == Source::Compact {
        answer.extend(handed_off(call));
    }
    answer
}

/// The report, in the wording and the size that the agent takes.
pub(super) fn memories(call: &Call<'_>) -> Answer {
    let ctx = call.ctx;
    let room = Tokens::of_chars(call.agent.limit().most());
    let mut settings = report::settings(ctx, None, Tokens(0));
    settings.budget = settings.budget.min(room);
    let is_default = |name| ctx.config.get(name).is_some_and(|(_, from)| *from == Origin::Default);
    if call.agent.wants_facts() && is_default("report.groundTruth") {
        settings.ground_truth = GroundTruth::Factual;
    }
    if is_default("report.removeCommand") {
        settings.remove_command = "pimem remove";
    }
    let (board, _) = ctx.board(&call.stores);
    let report = render::report(&board, &ctx.config.categories, settings);
    let shown = report.judged(&board).filter(|(_, verdict)| verdict.shown());
    let entries = shown
        .map(|(row, _)| Shown { id: row.entry.id, text: row.entry.text.clone(), score: None })
        .collect();
    let mut text = report.text;
    if let Some(left_out) = ctx.unreviewed(&call.stores, board.rows.iter()).for_agent() {
        let gap = if text.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{left_out}");
    }
    if let Some(line) = ctx.unusable_for_agents() {
        let gap = if text.is_empty() || board.unreviewed() > 0 { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{line}");
    }
    Answer { text, entries, report: true, ..Answer::default() }
}

/// The handoff that this session left last.
fn handed_off(call: &Call<'_>) -> Answer {
    let id = call.session_id();
    let left = |text: &str| {
        let known = &call.known().handoffs;
        known.is_empty() || known.contains(&hash(text))
    };
    let Ok(Some(block)) = handoff::of_session(call.ctx, &call.stores, id.as_deref(), left) else {
        return Answer::default();
    };
    let mut text = "# Handoff from before the compaction\n\n".to_owned();
    for line in block.lines().filter(|line| !line.starts_with("<!--")) {
        // Only our own lines may look like headings of ours.
        let line = line.strip_prefix("## ").map_or(line, |_| "");
        if !line.is_empty() {
            let _ = writeln!(text, "{}", safe::model(line));
        }
    }
    Answer { text, others: vec![block], ..Answer::default() }
}

/// Has the scores brought up to date by a process that nobody waits for, and keeps summaries of
/// sessions that ended without saying so.
pub(super) fn afterwards(call: &Call<'_>) -> Result<(), Failure> {
    let minutes = call.ctx.config.whole("hook.rebuildMinutes");
    let fresh = Duration::from_secs(minutes * 60);
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
    if minutes > 0 && !due.is_empty() {
        let age = format!("{minutes}m");
        let mut args = vec!["rebuild", "--if-older", &age, "--quiet"];
        if let [only] = due.as_slice() {
            args.extend(["--scope", only.scope.name()]);
        }
        detached::start(call.ctx, &args, None)?;
    }
    super::close::sweep(call)
}

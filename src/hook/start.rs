//! The start of a session: the report, after a compaction the handoff, and the day's context: open
//! items, the newest handoff, the log, and notes.

use pimem_core::{
    markdown::handoff as blocks,
    report::{
        budget::Tokens,
        select::ReportVerdict,
        team,
        working::{AT_HAND, AtHand, WorkingPart, at_hand},
    },
    safe,
    safety::safe_text::SafeText,
    score::ranking::ScoredEntry,
};
use pimem_engine::{
    error::Failure,
    local_time,
    memory::{
        background::{self, Refresh, Stale},
        handoff::{self, LeftByAgent},
        report,
        shortlist::ReportSource,
        team::TeamReport,
        trust::TrustNotes,
    },
    store::{Store, notes},
};

use super::{
    answer::{HookAnswer, ShownText},
    call::{Call, hash},
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

pub(crate) fn start(call: &Call<'_>) -> HookAnswer {
    let (source, known) = (call.input.source, call.known());
    // A session that got its report still has it, unless it is resumed, cleared or compacted.
    if !call.listens()
        || call.input.speaker.is_sub_agent()
        || (known.reported && source == PromptSource::Startup)
    {
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
    if !ctx.memory.config.settings.memory.enabled {
        return Ok(HookAnswer::default());
    }
    let stores = Call::stores(ctx, ctx.memory.config.settings.hook.deadline)?;
    let found = Call::new(ctx, agent, HookEvent::SessionStart, Input::default(), stores);
    let Some(call) = found else {
        let mut answer = HookAnswer::default();
        for line in
            ctx.memory.locked_for_agents().into_iter().chain(ctx.memory.foreign_for_agents())
        {
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
    let sources = sources(call);
    let mut answer = memories(call, &sources, extent);
    let gap = usize::from(!answer.is_empty());
    let taken = answer.size(call.agent.limit()) + gap;
    answer.extend(context_of_day(call, &sources, taken, extent));
    answer
}

/// Returns the report, as `pimem report` prints it, as far as the agent takes it.
fn memories(call: &Call<'_>, beside: &AtHand, extent: StartExtent) -> HookAnswer {
    let ctx = call.ctx;
    let reserved = if beside.is_empty() { 0 } else { RESERVED };
    let room = Tokens::of_chars(call.agent.limit().most() - reserved);
    let mut settings = ctx.memory.report_settings(None, Tokens(0));
    settings.budget = settings.budget.min(room);
    settings.reasons = false;
    // Lines that were typed here are noted where a session starts; no prompt waits for that.
    let limit = (call.moment == HookEvent::SessionStart).then(|| call.git_limit());
    let ReportSource { ranking, snapshots, mut report, stale, .. } =
        ctx.memory.reading().report_source(&call.stores, settings, limit, call.stated(), true);
    let team = ctx.memory.sharing().add_team(
        &mut report,
        (&ranking, &snapshots),
        (settings, room),
        call.stated(),
        false,
    );
    let mut answer = if extent == StartExtent::News {
        news_of(call, report.judged(&ranking), &team)
    } else {
        HookAnswer::of_report(&report, &ranking, &team)
    };
    answer.stale = stale.iter().map(|store| Stale::of(store, Refresh::Changed)).collect();
    let mut notes = SafeText::default();
    let waiting = ctx.memory.unreviewed(&call.stores, ranking.rows.iter().map(|row| &row.entry));
    if let Some(left_out) = waiting.for_agent() {
        notes.push(&safe!("{}\n", left_out));
    }
    for line in ctx.memory.locked_for_agents().into_iter().chain(ctx.memory.foreign_for_agents()) {
        notes.push(&safe!("{}\n", line));
    }
    if let Some(line) = ctx.memory.unusable_for_agents() {
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
    team: &TeamReport,
) -> HookAnswer {
    let mut answer = HookAnswer { report: true, ..HookAnswer::default() };
    let is_seen = |row: &ScoredEntry| call.known().seen.contains(&row.entry.id);
    let category =
        |row: &ScoredEntry| &call.ctx.memory.config.categories.spec(row.entry.category).name;
    let own = judged.filter(|(_, verdict)| verdict.shown()).map(|(row, _)| row);
    let own = own.map(|row| (row, SafeText::entry(category(row), &row.entry.told())));
    let theirs = team.shown().map(|(_, mirror, row)| {
        let label = team::label(mirror.mirror(), row);
        (row, team::line(category(row), &row.entry.told(), &label))
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
        drop(call.ctx.memory.own_ranking_within(call.git_limit(), &call.stores));
    }
    let fresh = call.ctx.memory.config.settings.hook.rebuild_after;
    let is_due = |store: &&Store| {
        let snapshot = std::fs::metadata(store.dir.join("memory-scores.json"));
        let modified = snapshot.and_then(|meta| meta.modified());
        // If the clock was set back, the snapshot is from the future.
        let age = modified.ok().map(|at| {
            call.ctx.memory.real_now.duration_since(at).unwrap_or_else(|ahead| ahead.duration())
        });
        // A store that nobody on this machine has reviewed is not changed.
        store.trust.is_begun() && age.is_none_or(|age| age >= fresh)
    };
    let due: Vec<&Store> = call.stores.iter().filter(is_due).collect();
    if !fresh.is_zero() && !due.is_empty() {
        let age = format!("{}m", fresh.as_secs() / 60);
        let mut args = vec!["rebuild", "--if-older", &age, "--quiet"];
        if let [only] = due.as_slice() {
            args.extend(["--scope", only.scope.family()]);
        }
        background::start(&call.ctx.memory, &args, None)?;
    } else {
        background::start_filling(&call.ctx.memory);
    }
    super::close::sweep(call)
}

/// Characters of the agent's limit that the report leaves for the day's context.
pub(crate) const RESERVED: usize = 1500;

/// Collects the day's context. Unreadable files are skipped, because a hook has no place to report
/// them.
pub(crate) fn sources(call: &Call<'_>) -> AtHand {
    let today = local_time::local(call.ctx.memory.now.0).date;
    let shown = TrustNotes::new(&call.ctx.memory, &call.stores);
    let read = |name: &str, read: &dyn Fn(&Store) -> Option<String>| {
        let stores =
            call.stores.iter().enumerate().filter(|(number, _)| shown.shows(*number, name));
        let texts = stores.filter_map(|(_, store)| read(store));
        let texts: Vec<String> = texts.filter(|text| !text.trim().is_empty()).collect();
        texts.join("\n\n")
    };
    let scratchpad = read(notes::SCRATCHPAD, &|store| report::open_items(store).ok());
    let log = [today, today.yesterday()].into_iter().find_map(|date| {
        let name = notes::daily(date);
        let text = read(&name, &|store| {
            let end = store.tail(&name, report::READ).ok()??;
            Some(store.trust.told(&blocks::without_blocks(&end)).into_owned())
        });
        (!text.is_empty()).then_some((date, text))
    });
    let list_is_known = list_is_known(call, &shown);
    let known = [log.as_ref().map_or("", |(_, log)| log), scratchpad.as_str()];
    let news = |left: &LeftByAgent<'_>| of_handoff(&left.told(), &known, list_is_known);
    let handoff = left(call, |left| !news(left).is_empty()).map(|left| (left.at, news(&left)));
    let notes = read(notes::NOTES, &|store| report::notes(store).ok());
    AtHand { scratchpad, handoff, log, notes }
}

/// Returns the lines of a handoff that are not in the texts shown beside it. Its open items are
/// dropped if the current list is shown, which is more recent.
fn of_handoff(block: &str, known: &[&str], list_is_known: bool) -> String {
    let is_wanted = |line: &&str| !list_is_known || !line.starts_with("- [ ] ");
    let block: Vec<&str> = block.lines().filter(is_wanted).collect();
    let news = blocks::news(&block.join("\n"), known);
    let is_said = |line: &&str| !line.starts_with("<!--") && !line.starts_with("## ");
    news.lines().filter(is_said).collect::<Vec<_>>().join("\n")
}

/// Returns true if there is a list of items and every such list is shown.
fn list_is_known(call: &Call<'_>, shown: &TrustNotes<'_>) -> bool {
    let has_list = |store: &Store| !matches!(store.file(notes::SCRATCHPAD), Ok(None));
    let lists = call.stores.iter().enumerate().filter(|(_, store)| has_list(store));
    let mut lists = lists.map(|(number, _)| number).peekable();
    lists.peek().is_some() && lists.all(|number| shown.shows(number, notes::SCRATCHPAD))
}

/// Returns the newest handoff for which `says` is true. After a compaction, only handoffs of this
/// session count.
fn left<'a>(
    call: &'a Call<'_>,
    says: impl Fn(&LeftByAgent<'_>) -> bool,
) -> Option<LeftByAgent<'a>> {
    let (ctx, stores) = (call.ctx, &call.stores);
    let found = if call.input.source == PromptSource::Compact {
        let id = call.session_id().as_deref().map(blocks::short_id);
        let known = &call.known().handoffs;
        handoff::newest_within(&ctx.memory, stores, handoff::KEPT, |left| {
            let its_own = known.is_empty() || known.contains(&hash(&left.text));
            left.session == id && its_own && left.is_ours() && says(left)
        })
    } else {
        handoff::newest_within(&ctx.memory, stores, handoff::RECENT, |left| {
            // Deciding this reads the whole log.
            says(left) && (left.is_ours() || ctx.memory.shows_notes(left.store, &left.log))
        })
    };
    found.ok().flatten()
}

/// Returns the day's context beside a text of `taken` characters. News are
/// the parts that the session has not seen.
fn context_of_day(
    call: &Call<'_>,
    sources: &AtHand,
    taken: usize,
    extent: StartExtent,
) -> HookAnswer {
    let limit = call.agent.limit();
    let room = call.ctx.memory.config.settings.hook.working_chars;
    let mut room = room.min(limit.most().saturating_sub(taken));
    loop {
        let seen = |part: &WorkingPart| {
            extent == StartExtent::News && call.known().texts.contains(&hash(&part.text))
        };
        let parts: Vec<WorkingPart> =
            at_hand(sources, room).into_iter().filter(|p| !seen(p)).collect();
        if parts.is_empty() {
            return HookAnswer::default();
        }
        let mut answer = HookAnswer::default();
        answer.push_all(&SafeText::fixed(AT_HAND), None);
        for part in parts {
            answer.push_all(&part.render(), Some(ShownText::Passage(part.text.to_string())));
        }
        // The limit may be in bytes, while `room` is in characters.
        if taken + answer.size(limit) > limit.most() && room > 0 {
            room = room.min(answer.chars()) * 9 / 10;
            continue;
        }
        return answer;
    }
}

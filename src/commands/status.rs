//! `pimem status`: stores, report, hooks and pending reviews, on one screen.

use pimem_core::{
    model::time::Timestamp,
    report::budget::{Tokens, thousands},
};
use pimem_engine::{
    error::Failure,
    local_time,
    memory::{
        score::EntryCounts,
        status::{
            AgentSeen, AwayStatus, Calls, Hooks, MirrorStatus, Status, StoreStatus, TrustStatus,
        },
    },
    view::{count, counted},
};

use super::hooks::{self, status};
use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Show stores, what agents get of them, and what waits, on one screen
///
/// Says which stores are in use and whether they are trusted, how many entries are in each state,
/// what a report would show now, what awaits review, lines with secrets and list items that are no
/// entries, the index, the last dream, the agents that call pimem, calls of theirs that were ended at
/// the deadline or were too large, settings that are left out, and how much `pimem check` finds. With
/// --verbose also how many entries each category and state has, and how often they were found, shown
/// and used. Writes nothing but what hooks left to be learned, and runs where there is no store.
///
/// The exit code is 0, whatever is found; for scripts, pimem check ends with 1 on findings.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem status\n  pimem status --json | jq '.stores[].awaiting'"
)]
pub(crate) struct StatusArgs {}

/// Columns of a screen, at most.
const WIDTH: usize = 80;

pub(crate) fn run(ctx: &Shell, _: &StatusArgs) -> Result<Exit, Failure> {
    // Counting reads all that was noted of use.
    let counted = ctx.ui.is_verbose() || ctx.ui.json;
    ctx.ui.show(&ctx.memory.reading().status(agents_with_hooks(ctx), counted)?);
    Ok(Exit::Done)
}

pub(super) fn agents_with_hooks(ctx: &Shell) -> Hooks {
    let program = hooks::in_path(ctx, "pimem").map(|path| path.display().to_string());
    let (agents, failure) = match status::installed(ctx) {
        Ok(agents) => (agents, None),
        Err(failure) => (Vec::new(), Some(failure.message)),
    };
    let findings = hooks::findings(ctx).len();
    Hooks { agents, program, failure, findings }
}

impl Human for Status {
    fn human(&self, ui: &Ui) {
        for (label, value) in lines(self) {
            ui.screen_field(WIDTH, &label, &value);
        }
    }
}

fn lines(status: &Status) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    if let Some(AwayStatus { says, fix, .. }) = &status.away {
        lines.push(("project store".to_owned(), format!("{says}: {fix}")));
    } else if let Some(absent) = &status.absent {
        let user = if absent.scope == "user" { " --user" } else { "" };
        let place = &absent.place;
        let text = format!("none yet; pimem init{user} makes one in {place}");
        lines.push((format!("{} store", absent.scope), text));
    } else if status.stores.is_empty() {
        let text = "none; pimem init --user makes your own";
        lines.push(("stores".to_owned(), text.to_owned()));
    }
    // Of one that is not made yet, lines can be known all the same.
    let is_absent = |at: &str| status.absent.as_ref().is_some_and(|absent| absent.place == at);
    let of = |store: &StoreStatus| {
        of_store(store).into_iter().skip(usize::from(is_absent(&store.place)))
    };
    lines.extend(status.stores.iter().flat_map(of));
    lines.extend(of_mirrors(&status.mirrors).map(|text| ("team".to_owned(), text)));
    let mut put = |label: &str, value| lines.push((label.to_owned(), value));
    let report = &status.report;
    let left = match report.left_out {
        0 => String::new(),
        left => format!("; {} left out: pimem report --explain", thousands(left)),
    };
    let (some, all) = (thousands(report.entries), report.entries + report.left_out);
    let noun = if all == 1 { "entry" } else { "entries" };
    let all = thousands(all);
    let tokens = Tokens(report.tokens.saturating_sub(report.pinned_tokens));
    let of = report.budget.map_or_else(String::new, |budget| format!(" of {}", Tokens(budget)));
    let height = match report.lines {
        0 => String::new(),
        lines => format!(" in {}", count(lines, "line")),
    };
    let by_score = report.budget.filter(|budget| *budget > 0).map_or_else(String::new, |budget| {
        let percent = u64::from(report.by_score) * 100 / u64::from(budget);
        format!(" ({percent} % by score)")
    });
    let pinned = match report.pinned_tokens {
        0 => String::new(),
        pinned => format!(" and {} pinned", Tokens(pinned)),
    };
    let size = format!("{tokens}{of} tokens{by_score}{pinned}");
    put("report now", format!("{some} of {all} {noun}{height}, {size}{left}"));
    if let Some(crowded) = &report.crowded {
        put("capacity", crowded.clone());
    }
    put("hooks", of_hooks(&status.hooks));
    if let Some((wrong, more)) = status.unusable.split_first() {
        let more = match more.len() {
            0 => String::new(),
            1 => "; 1 more is left out too".to_owned(),
            more => format!("; {more} more are left out too"),
        };
        let place = &status.unusable_place;
        put("settings", format!("{place}: {}; left out ({}){more}", wrong.message, wrong.hint));
    }
    let findings = match status.findings {
        0 => "none".to_owned(),
        findings => format!("{findings}: pimem check"),
    };
    put("findings", findings);
    lines.extend(status.counts.iter().flat_map(counts));
    lines
}

/// Counts of entries, and of their use.
fn counts(counts: &EntryCounts) -> Vec<(String, String)> {
    let list = |counts: &mut dyn Iterator<Item = (&str, usize)>| {
        let counts = counts.filter(|(_, count)| *count > 0);
        counts.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
    };
    let categories = counts.by_category.iter().map(|(name, count)| (name.as_str(), *count));
    let states = counts.by_state.iter().map(|(name, count)| (*name, *count));
    let what = if counts.average_importance.is_some() { "importance" } else { "score" };
    let average = counts.average_score.map_or_else(|| "-".to_owned(), |it| format!("{it:.3}"));
    let lines = [
        ("by category", list(&mut categories.into_iter())),
        ("by state", list(&mut states.into_iter())),
        ("with vectors", counts.with_embeddings.to_string()),
        ("average", format!("{average} {what} ({})", counts.policy)),
        ("found", count(usize::try_from(counts.accesses).unwrap_or(usize::MAX), "time")),
        ("injected", format!("{}, an entry once a session", counts.injected)),
        ("used", counts.used.to_string()),
    ];
    let some = lines.into_iter().filter(|(_, value)| !value.is_empty());
    some.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn of_store(store: &StoreStatus) -> Vec<(String, String)> {
    let trust = match store.trust {
        TrustStatus::Own => "yours, trusted as a whole",
        TrustStatus::Always => "trusted as a whole",
        TrustStatus::Foreign => "of another user, not trusted",
        TrustStatus::Here => "trusted: made or reviewed here",
        TrustStatus::Part => "trusted in part",
        TrustStatus::None => "not trusted",
    };
    let mut lines = vec![(format!("{} store", store.scope), format!("{}, {trust}", store.place))];
    let mut put = |label: &str, value| lines.push((format!("  {label}"), value));
    let states = listed(&store.states.counts()).map(|states| format!(": {states}"));
    put(
        "entries",
        match store.entries {
            0 => "none yet; pimem add TEXT remembers something".to_owned(),
            entries => format!("{}{}", thousands(entries), states.unwrap_or_default()),
        },
    );
    let archived = (store.archived > 0).then(|| format!("{} in the archive", store.archived));
    let marks = listed(&store.marks.counts()).map(|marks| format!("of these {marks}"));
    let more: Vec<String> = marks.into_iter().chain(archived).collect();
    if !more.is_empty() {
        put("", more.join("; "));
    }
    if let Some(grave) = &store.grave {
        let until = grave.until.get(..10).unwrap_or_default();
        let first = grave.ids.first().map(String::as_str).unwrap_or_default();
        let lines = count(grave.lines, "line");
        let more = if grave.lines == 1 { "" } else { " …" };
        put("grave", format!("{lines}, until {until}: pimem restore {first:.7}{more}"));
    }
    if let Some(review) = &store.awaiting.in_words {
        put("review", review.clone());
    }
    if store.by_agents > 0 {
        let added = counted(store.by_agents, "text", "texts");
        put("by agents", format!("{added} added since you looked: pimem trust --review"));
    }
    for (rule, label) in
        [("secret", "secret"), ("no-entry", "no entry"), ("unclosed", "not closed")]
    {
        let mut of = store.lines.iter().filter(|line| line.rule == rule);
        if let Some(first) = of.next() {
            let more = match of.count() {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let says = first.says.trim_start_matches("is no entry: ");
            put(label, format!("{}: {says}{more}: pimem check", first.place));
        }
    }
    put("index", store.index.in_words.clone());
    let last = store.dream.last.as_deref().and_then(Timestamp::parse);
    let mut dream = last.map_or_else(|| "never".to_owned(), |at| local_time::local(at).to_string());
    let sessions = store.dream.sessions;
    if sessions > 0 {
        let wait = if sessions == 1 { "waits" } else { "wait" };
        dream += &format!("; {} {wait}: pimem dream", count(sessions, "session"));
    }
    if store.dream.plan {
        dream += "; a plan waits: pimem dream --apply";
    }
    put("last dream", dream);
    if let Some(calls) = of_calls(store.calls) {
        put("hooks", calls);
    }
    lines
}

/// Describes what hooks could not end, if there is any.
fn of_calls(Calls { late, too_large, spooled, gone }: Calls) -> Option<String> {
    let late = (late > 0).then(|| format!("{} ended at the deadline", count(late, "call")));
    let too_large = (too_large > 0).then(|| {
        format!("{} too large to look for what is forbidden", count(too_large, "tool call"))
    });
    let waits = if spooled == 1 { "waits" } else { "wait" };
    let spooled = (spooled > 0)
        .then(|| format!("{} of prompts {waits} to be learned", count(spooled, "sentence")));
    let gone = (gone > 0).then(|| {
        format!("git took the files of {} away: pimem trust --review", count(gone, "line"))
    });
    let all: Vec<String> = late.into_iter().chain(too_large).chain(spooled).chain(gone).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn of_mirrors(mirrors: &[MirrorStatus]) -> Option<String> {
    let entries: usize = mirrors.iter().map(|mirror| mirror.entries).sum();
    let entries =
        if entries == 1 { "1 entry".to_owned() } else { format!("{} entries", thousands(entries)) };
    let names: Vec<&str> = mirrors.iter().map(|mirror| mirror.project.as_str()).collect();
    let withheld = match mirrors.iter().map(|mirror| mirror.withheld).sum() {
        0 => String::new(),
        withheld => format!("; {} withheld: pimem trust --scope team", thousands(withheld)),
    };
    (!mirrors.is_empty()).then(|| format!("{entries} of {}{withheld}", names.join(", ")))
}

fn of_hooks(hooks: &Hooks) -> String {
    if let Some(message) = &hooks.failure {
        return message.clone();
    }
    if hooks.agents.is_empty() {
        return "none; pimem hooks install AGENT has one call pimem".to_owned();
    }
    let agents = hooks.agents.iter().map(|AgentSeen { agent, state }| match state.as_str() {
        "works" => (*agent).to_owned(),
        state => format!("{agent} ({state})"),
    });
    let agents = agents.collect::<Vec<_>>().join(", ");
    match hooks.program {
        Some(_) => agents,
        None => format!("{agents}; pimem is not in the PATH, where they look for it"),
    }
}

/// Formats `2 active, 1 dropped`, without zero counts.
fn listed(counts: &[(&str, usize)]) -> Option<String> {
    let some = counts.iter().filter(|(_, count)| *count > 0);
    let list: Vec<String> =
        some.map(|(name, count)| format!("{} {name}", thousands(*count))).collect();
    (!list.is_empty()).then(|| list.join(", "))
}

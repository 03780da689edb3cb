//! `pimem forecast`: what will fade and when, and how large the report will be.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use serde_json::{Value, json};

use super::why;
use crate::{
    chart::{self, Curve},
    exit::Exit,
    input,
    shell::Shell,
};
use pimem_core::{
    model::{
        calendar::Date,
        time::{DAY_MS, Now, Timestamp},
    },
    report::{
        budget::thousands,
        outlook::{self, Day},
    },
    score::{
        forecast,
        ranking::{Ranking, ScoredEntry},
        stability::{self, Standing, State},
    },
    view::{self, Entries},
};
use pimem_engine::{
    error::{Failure, Kind},
    local_time,
    memory::{self, named_file, selector},
    store::atomic::{self, Sync},
};

/// Points of a curve for each day.
const POINTS: u32 = 4;
/// Characters of a text beside its curve.
const NAME: usize = 36;
/// Curves that are drawn when no entries are named.
const CURVES: usize = 8;

/// Show what will fade, and when, if nothing happens
///
/// One line for each change: an entry falls into another state, is no longer new, leaves its
/// section's window, expires, or enters or leaves the report because of others. On a terminal,
/// columns show the size of the report day by day.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem forecast\n  pimem forecast --days 90 'berth slots'\n  \
    pimem forecast --svg decay.svg 262e38a 37da65f")]
pub(crate) struct Args {
    /// Only these entries [default: all]
    #[arg(value_name = "ENTRY")]
    entries: Vec<String>,
    /// How many days to look ahead
    #[arg(long, value_name = "DAYS", default_value_t = 30,
        value_parser = RangedU64ValueParser::<u32>::new().range(1..=3650))]
    days: u32,
    /// Draw the scores of the entries over these days into an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Something that happens on a day.
struct Event<'a> {
    at: Timestamp,
    row: &'a ScoredEntry,
    what: String,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    if let Some(path) = &args.svg {
        named_file::writable(path, "name the file that the picture goes to")?;
    }
    let stores = ctx.readers()?;
    let (board, snapshots) = ctx.board(&stores);
    let selectors = input::selectors(&args.entries)?;
    let unread = memory::problems(&snapshots);
    let chosen: Vec<&ScoredEntry> = selectors
        .iter()
        .map(|selector| selector::entry(ctx, &board, &unread, selector))
        .collect::<Result<_, _>>()?;
    let placed = memory::placed(&ctx.config.categories, &stores, &snapshots);
    let settings = ctx.report_settings(None, pimem_core::report::budget::Tokens(0));
    let days = outlook::outlook(ctx.now, ctx.rules(), settings, &placed, args.days);
    let rows: Vec<&ScoredEntry> =
        if chosen.is_empty() { board.rows.iter().collect() } else { chosen.clone() };
    let events = events(ctx, &board, &rows, &days);
    if let Some(path) = &args.svg {
        let drawn: Vec<&ScoredEntry> = if chosen.is_empty() { fading(&events) } else { chosen };
        draw(ctx, &board, &drawn, args.days, path)?;
    }
    show(ctx, &board, &days, &events, settings.budget.0);
    Ok(ctx.complain(&unread, Exit::Done))
}

/// What happens to the rows, in order of time.
fn events<'a>(
    ctx: &Shell,
    board: &'a Ranking,
    rows: &[&'a ScoredEntry],
    days: &[Day],
) -> Vec<Event<'a>> {
    let end = days.last().map_or(ctx.now.0, |day| day.at);
    let mut events: Vec<Event<'a>> = Vec::new();
    for row in rows.iter().copied() {
        let spec = ctx.config.categories.spec(row.entry.category);
        let turns = forecast::turns(ctx.now, ctx.rules().clock, row, spec)
            .into_iter()
            .filter(|(at, _)| *at <= end);
        events.extend(turns.map(|(at, turn)| Event { at, row, what: why::what(turn, spec) }));
    }
    for day in days {
        let both = [(&day.left, "leaves the report"), (&day.entered, "enters the report")];
        for (ids, what) in both {
            let rows = ids.iter().filter_map(|id| rows.iter().find(|row| row.entry.id == *id));
            events.extend(rows.map(|row| Event { at: day.at, row, what: what.to_owned() }));
        }
    }
    let order =
        |event: &Event<'_>| board.rows.iter().position(|row| row.entry.id == event.row.entry.id);
    events.sort_by_cached_key(|event| (event.at, order(event), event.what.clone()));
    events
}

/// The entries that something happens to, in the order in which it does.
fn fading<'a>(events: &[Event<'a>]) -> Vec<&'a ScoredEntry> {
    let mut rows: Vec<&ScoredEntry> = Vec::new();
    for event in events {
        let known = rows.iter().any(|row| row.entry.id == event.row.entry.id);
        if !known && matches!(event.row.standing, Standing::Scored(_)) && rows.len() < CURVES {
            rows.push(event.row);
        }
    }
    rows
}

fn draw(
    ctx: &Shell,
    board: &Ranking,
    rows: &[&ScoredEntry],
    days: u32,
    path: &std::path::Path,
) -> Result<(), Failure> {
    let (entries, clock) =
        (Entries::new(ctx.now, &ctx.config.categories, board), ctx.rules().clock);
    let curve = |row: &&ScoredEntry| {
        let spec = ctx.config.categories.spec(row.entry.category);
        let point = |step: u32| {
            let ahead = i64::from(step) * DAY_MS / i64::from(POINTS);
            let then = Now(Timestamp(ctx.now.0.0.saturating_add(ahead)));
            let idle = row.idle.and(clock.ahead(ctx.now, then));
            let standing =
                stability::standing_of(idle, row.evidence.strength(), spec.tau_days, false);
            (f64::from(step) / f64::from(POINTS), standing.shown())
        };
        let text: String = row.entry.text.chars().take(NAME).collect();
        let more = if row.entry.text.chars().nth(NAME).is_some() { "…" } else { "" };
        let name = format!("{} {text}{more}", entries.short(row.entry.id));
        Curve { name, points: (0..=days * POINTS).map(point).collect() }
    };
    let curves: Vec<Curve> = rows.iter().map(curve).collect();
    let levels = State::ALL.iter().filter_map(|state| Some((state.least()?, state.name())));
    let title = format!("Decay from {}", local_time::local(ctx.now.0).date);
    let picture = chart::svg(&title, &curves, f64::from(days), &levels.collect::<Vec<_>>());
    let picture = picture.ok_or_else(|| {
        Failure::new(Kind::Io, "the picture cannot be drawn", "try fewer entries")
    })?;
    atomic::replace_file(path, picture.as_bytes(), Sync::None, || Ok(true))?;
    ctx.ui.note(&format!("Wrote {}", path.display()));
    Ok(())
}

fn show(ctx: &Shell, board: &Ranking, days: &[Day], events: &[Event<'_>], budget: u32) {
    let entries = Entries::new(ctx.now, &ctx.config.categories, board);
    let date = |at: Timestamp| -> Date { local_time::local(at).date };
    if ctx.ui.json {
        let day = |day: &Day| json!({"date": date(day.at).to_string(), "tokens": day.tokens, "entries": day.shown.len()});
        let event = |event: &Event<'_>| {
            json!({
                "at": event.at.to_string(), "what": event.what,
                "id": event.row.entry.id.to_string(), "category": entries.category(event.row),
                "text": event.row.entry.text,
                "score": view::rounded(event.row.standing.shown()),
            })
        };
        ctx.ui.document(&json!({
            "schema": "pimem.forecast/1",
            "budget": budget,
            "days": days.iter().map(day).collect::<Vec<Value>>(),
            "changes": events.iter().map(event).collect::<Vec<Value>>(),
        }));
        return;
    }
    if ctx.ui.is_terminal() && !days.is_empty() {
        let sizes: Vec<u32> = days.iter().map(|day| day.tokens).collect();
        let (first, last) = (sizes.first().copied(), sizes.last().copied());
        let size = |tokens: Option<u32>| thousands(tokens.unwrap_or(0) as usize);
        let ahead = days.len() - 1;
        ctx.ui.line(&format!(
            "The report: {} tokens now, {} in {ahead} days",
            size(first),
            size(last)
        ));
        for line in chart::columns(&sizes, budget, ctx.ui.width()) {
            ctx.ui.line(&line);
        }
        ctx.ui.line("");
    }
    let row = |event: &Event<'_>| {
        let (id, row) = (entries.short(event.row.entry.id), event.row);
        vec![date(event.at).to_string(), event.what.clone(), id, row.entry.text.clone()]
    };
    if !events.is_empty() {
        ctx.ui.table(&["date", "what", "id", "text"], events.iter().map(row).collect());
    }
}

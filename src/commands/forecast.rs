//! `pimem forecast`: shows which entries will fade and when, and how large the report will be.

use std::path::{Path, PathBuf};

use clap::builder::RangedU64ValueParser;

use crate::{
    chart,
    exit::Exit,
    input,
    shell::Shell,
    ui::{Human, Ui},
};
use pimem_core::{
    report::budget::thousands,
    score::stability::State,
    view::forecast::{Change, Day, Forecast},
};
use pimem_engine::{
    error::{Failure, Kind},
    local_time,
    memory::{forecast::ForecastRequest, named_file},
    store::atomic::{self, Sync},
};

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

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    if let Some(path) = &args.svg {
        named_file::writable(path, "name the file that the picture goes to")?;
    }
    let answer = ctx.forecast(&ForecastRequest {
        selectors: &input::selectors(&args.entries)?,
        days: args.days,
        curves: args.svg.is_some(),
    })?;
    if let Some(path) = &args.svg {
        draw(ctx, &answer.view, args.days, path)?;
    }
    Ok(ctx.show(&answer))
}

fn draw(ctx: &Shell, forecast: &Forecast, days: u32, path: &Path) -> Result<(), Failure> {
    let levels = State::ALL.iter().filter_map(|state| Some((state.least()?, state.name())));
    let levels: Vec<_> = levels.collect();
    let title = format!("Decay from {}", local_time::local(ctx.now.0).date);
    let picture = chart::svg(&title, &forecast.curves, f64::from(days), &levels);
    let picture = picture.ok_or_else(|| {
        Failure::new(Kind::Io, "the picture cannot be drawn", "try fewer entries")
    })?;
    atomic::replace_file(path, picture.as_bytes(), Sync::None, || Ok(true))?;
    ctx.ui.note(&format!("Wrote {}", path.display()));
    Ok(())
}

impl Human for Forecast {
    fn human(&self, ui: &Ui) {
        let ends = self.days.first().zip(self.days.last());
        if let Some((first, last)) = ends.filter(|_| ui.is_terminal()) {
            let size = |day: &Day| thousands(day.tokens as usize);
            let ahead = self.days.len() - 1;
            let (now, then) = (size(first), size(last));
            ui.line(&format!("The report: {now} tokens now, {then} in {ahead} days"));
            let sizes: Vec<u32> = self.days.iter().map(|day| day.tokens).collect();
            for line in chart::columns(&sizes, self.budget.unwrap_or(0), ui.width()) {
                ui.line(&line);
            }
            ui.line("");
        }
        let cells = |change: &Change| {
            let date = local_time::local(change.at).date.to_string();
            vec![date, change.what.clone(), change.short.clone(), change.text.clone()]
        };
        ui.table(&["date", "what", "id", "text"], self.changes.iter().map(cells).collect());
    }
}

//! `pimem forecast`: shows which entries will fade and when, and how large the report will be.

use std::path::{Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use pimem_core::{
    model::time::{Date, Timestamp},
    report::{budget::thousands, explain::Remedy},
};
use pimem_engine::{
    error::Failure,
    local_time,
    memory::{
        forecast::{DayAhead, Forecast, ForecastRequest, KeepAdvice, Leaving, Other},
        page::pictures,
        selector,
    },
    store::atomic::{self, Sync},
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Style, Styled, Ui, table},
};

/// Show what leaves the report, when, and what would keep it
///
/// Lists the entries that agents are told now and will not be any more if nothing happens, soonest
/// first, with the least that would keep each of them, and until when. Entries that are named are
/// listed in any case. On a terminal, columns show the size of the report day by day. --json has
/// every change of every entry too.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem forecast\n  pimem forecast --days 90 'berth slots'\n  \
    pimem forecast --svg decay.svg 262e38a 37da65f")]
pub(crate) struct ForecastArgs {
    /// Only these entries [default: all]
    #[arg(value_name = "ENTRY")]
    entries: Vec<String>,
    /// How many days to look ahead
    #[arg(long, value_name = "DAYS", default_value_t = 30,
        value_parser = RangedU64ValueParser::<u32>::new().range(1..=3650))]
    days: u32,
    /// Draw the scores of the entries over these days into an SVG file
    ///
    /// Without ENTRY, the first eight that leave the report or change. A dark and a light look are in
    /// the file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub(crate) fn run(ctx: &Shell, args: &ForecastArgs) -> Result<Exit, Failure> {
    if let Some(path) = &args.svg {
        selector::writable_file(path, "name the file that the picture goes to")?;
    }
    let answer = ctx.forecast(&ForecastRequest {
        selectors: &shell::selectors(&args.entries)?,
        days: args.days,
        curves: args.svg.is_some(),
    })?;
    let Some(path) = &args.svg else { return Ok(ctx.show(&answer)) };
    draw(ctx, &answer.view, path)?;
    // Whoever asks for a picture looks at that.
    Ok(if ctx.ui.json { ctx.show(&answer) } else { ctx.complain(&answer.problems, Exit::Done) })
}

fn draw(ctx: &Shell, forecast: &Forecast, path: &Path) -> Result<(), Failure> {
    let today = local_time::local(ctx.now.0).date;
    let picture =
        pictures::curves(&forecast.picture, &format!("How scores fade from {today}"), today);
    atomic::write_output(path, picture.as_bytes(), Sync::None, ctx.real_now)?;
    ctx.ui.note(&format!("Wrote {}", path.display()));
    Ok(())
}

impl Human for Forecast {
    fn human(&self, ui: &Ui) {
        let ends = self.days.first().zip(self.days.last());
        if let Some((first, last)) =
            ends.filter(|(first, last)| ui.is_terminal() && first.tokens.max(last.tokens) > 0)
        {
            let size = |day: &DayAhead| thousands(day.tokens as usize);
            let ahead = self.days.len() - 1;
            let (now, then) = (size(first), size(last));
            ui.line(&format!("The report: {now} tokens now, {then} in {ahead} days"));
            let sizes: Vec<u32> = self.days.iter().map(|day| day.tokens).collect();
            for line in table::columns(&sizes, self.budget.unwrap_or(0), ui.width()) {
                ui.verbatim(&line);
            }
            ui.line("");
        }
        let Some(DayAhead { date: today, .. }) = self.days.first() else { return };
        let date = |at: Timestamp| local_time::local(at).date;
        for left in &self.leaving {
            entry(ui, &date(left.at).to_string(), &sentence(left, *today), &left.short, &left.text);
        }
        let last = self.days.last().map_or(*today, |day| day.date).in_words(*today);
        for Other { short, text, shown } in &self.others {
            let what = if *shown {
                format!("stays in the report until {last} at least")
            } else {
                format!("is not in the report; pimem why {short}")
            };
            entry(ui, "", &what, short, text);
        }
    }

    fn when_empty(&self) -> Option<&'static str> {
        let is_empty = self.leaving.is_empty() && self.others.is_empty();
        is_empty.then(|| match self.days.first() {
            Some(DayAhead { entries: 0, .. }) => {
                "Nothing to forecast; pimem add TEXT remembers something"
            }
            _ => "Nothing leaves the report in these days; --days looks further ahead",
        })
    }
}

/// Prints a line for an entry, on a terminal with the text below.
fn entry(ui: &Ui, date: &str, what: &str, short: &str, text: &str) {
    if !ui.is_terminal() {
        return ui.table(&[""; 4], vec![[date, what, short, text].map(Styled::from).to_vec()]);
    }
    let indent = short.len() + 2;
    ui.styled(&Styled::new(Style::Id, short).with(None, "  ").with(None, what), indent);
    ui.hanging(&format!("{:indent$}{text}", ""), indent);
}

/// Formats `leaves the report on 11 July; one reinforce keeps it until 2 September`.
fn sentence(left: &Leaving, today: Date) -> String {
    let on = |at: Timestamp| local_time::local(at).date.in_words(today);
    let what = if left.expires { "expires" } else { "leaves the report" };
    let what = format!("{what} on {}", on(left.at));
    if let Some(returns) = left.returns {
        return format!("{what}, back on {}", on(returns));
    }
    let Some(KeepAdvice { act, until, .. }) = &left.keep else { return what };
    let act = match act {
        Remedy::Reinforce(1) => "one reinforce keeps it".to_owned(),
        Remedy::Reinforce(n) => format!("reinforce --by {n} keeps it"),
        _ => return format!("{what}; only pin keeps it"),
    };
    let until = until.map_or_else(|| "for years".to_owned(), |at| format!("until {}", on(at)));
    format!("{what}; {act} {until}")
}

//! `pimem read`: notes, scratchpad and logs as they are.

use serde_json::{Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::model::calendar::Date;
use pimem_engine::{
    error::{Failure, Kind},
    local_time,
    store::{notes, read, snapshot::Store},
};

/// Show notes, the scratchpad or a daily log
///
/// Files are shown as they are, the project's first. Exit code 1 says that there is none.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem read daily\n  pimem read daily 2026-06-30\n  pimem read list"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Long-term notes: MEMORY.md
    Memory,
    /// The checklist: SCRATCHPAD.md
    Scratchpad,
    /// The log of a day
    Daily {
        /// The day [default: today]
        #[arg(value_name = "YYYY-MM-DD")]
        date: Option<String>,
    },
    /// The days that have a log, newest first
    List,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let name = match &args.what {
        What::List => return list(ctx),
        What::Memory => notes::NOTES.to_owned(),
        What::Scratchpad => notes::SCRATCHPAD.to_owned(),
        What::Daily { date } => {
            let today = local_time::local(ctx.now.0).date;
            notes::daily(date.as_deref().map_or(Ok(today), day)?)
        }
    };
    let mut files = Vec::new();
    for store in ctx.readers()? {
        // However long a log has become, whoever asks for it gets all of it.
        let all = store.tail(&name, read::MAX_LOG).map_err(|problem| Failure::from(&problem))?;
        if let Some(bytes) = all {
            files.push((store, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    if ctx.ui.json {
        let file = |(store, text): &(Store, String)| json!({"scope": store.scope.name(), "file": name, "text": text});
        let files: Vec<Value> = files.iter().map(file).collect();
        ctx.ui.document(&json!({"schema": "pimem.read/1", "files": files}));
    } else {
        for (_, text) in &files {
            let text = text.trim_start_matches('\u{feff}').replace('\t', "    ");
            text.lines().for_each(|line| ctx.ui.line(line));
        }
    }
    if files.is_empty() {
        ctx.ui.note(&format!("there is no {name}"));
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Done)
}

fn day(text: &str) -> Result<Date, Failure> {
    Date::parse(text).ok_or_else(|| {
        let message = format!("{text:?} is not a date");
        Failure::new(Kind::Usage, message, "write it as in 2026-12-31; pimem read list has them")
    })
}

fn list(ctx: &Shell) -> Result<Exit, Failure> {
    let mut days: Vec<(Date, &'static str)> = Vec::new();
    for store in ctx.readers()? {
        let own = store.days().map_err(|problem| Failure::from(&problem))?;
        days.extend(own.into_iter().map(|date| (date, store.scope.name())));
    }
    days.sort_unstable_by(|a, b| b.cmp(a));
    if ctx.ui.json {
        let day = |(date, scope): &(Date, &str)| json!({"date": date.to_string(), "scope": scope});
        let days: Vec<Value> = days.iter().map(day).collect();
        ctx.ui.document(&json!({"schema": "pimem.days/1", "days": days}));
    } else if !days.is_empty() {
        let row = |(date, scope): &(Date, &str)| vec![date.to_string(), (*scope).to_owned()];
        ctx.ui.table(&["date", "store"], days.iter().map(row).collect());
    }
    Ok(if days.is_empty() { Exit::Nothing } else { Exit::Done })
}

//! `pimem diff`: shows the changes between two times.

use std::path::PathBuf;

use pimem_core::{model::time::Timestamp, report::render::DifferenceKind as Happened};
use pimem_engine::{
    error::{Failure, FailureKind},
    local_time,
    memory::diff::{self, Diff, SideView},
};

use crate::{
    commands,
    shell::{Exit, Shell},
    ui::{Human, Style, Styled, Ui},
};

/// Show what changed between two times, or will
///
/// Which entries came into the report (`>`) and left it (`<`), which are new (`+`) or gone
/// (`-`), and which changed their
/// state or evidence, each with its score at both times and the reason. The past is taken from
/// the log, the future is what happens if nobody does anything.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem diff\n  pimem diff --from 2026-06-01 --to 2026-06-15\n  \
    pimem diff --from 0d --to 2026-12-31"
)]
pub(crate) struct DiffArgs {
    /// The first time: a date, a time (RFC 3339) or an age as in 7d, 12h
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    from: String,
    /// The second time [default: now]
    #[arg(long, value_name = "WHEN")]
    to: Option<String>,
    /// Write a page for people instead, with both reports beside each other
    /// [default: to standard output]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    html: Option<PathBuf>,
}

pub(crate) fn run(ctx: &Shell, args: &DiffArgs) -> Result<Exit, Failure> {
    let when = |text: &str| diff::when(ctx.now, text, Timestamp::parse_date);
    let from = when(&args.from)?;
    let to = args.to.as_deref().map_or(Ok(ctx.now.0), when)?;
    if to < from {
        let message = "--to is before --from";
        return Err(Failure::new(FailureKind::Usage, message, "exchange the two"));
    }
    let page = args.html.as_deref().map(|path| commands::PageTarget::of(ctx, path)).transpose()?;
    let answer = ctx.diff(from, to)?;
    if let Some(page) = page {
        page.write(ctx, &pimem_engine::memory::page::other_pages::compare(&answer.view))?;
        return Ok(ctx.complain(&answer.problems, Exit::Done));
    }
    Ok(ctx.show(&answer))
}

impl Human for Diff {
    fn human(&self, ui: &Ui) {
        let (from, to) = (local_time::local(self.from).date, local_time::local(self.to).date);
        let when = |at: Timestamp| match local_time::local(at) {
            local if from == to => local.to_string(),
            local => local.date.to_string(),
        };
        for change in &self.changes {
            let Some(known) = change.after.as_ref().or(change.before.as_ref()) else { continue };
            let (sign, style) = sign(change.change);
            let line = format!(" {}", known.judged.entry.line());
            ui.styled(&Styled::new(style, sign).with(None, &line), 2);
            for (at, side) in [(self.from, &change.before), (self.to, &change.after)] {
                let Some(SideView { judged, factors }) = side else { continue };
                let (state, score) = (judged.entry.described_state(), factors.text(&judged.entry));
                let line = format!("    {} {state}, {score}; {}", when(at), judged.reason);
                ui.hanging(&line, 8);
            }
        }
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.changes.is_empty().then_some("Nothing changed; --from takes an earlier time")
    }
}

/// `>` and `<` are changes of the report, `+` and `-` changes of the store.
fn sign(happened: Happened) -> (&'static str, Style) {
    match happened {
        Happened::Entered => (">", Style::Good),
        Happened::Left => ("<", Style::Bad),
        Happened::Added => ("+", Style::Good),
        Happened::Gone => ("-", Style::Bad),
        Happened::Changed => ("~", Style::New),
    }
}

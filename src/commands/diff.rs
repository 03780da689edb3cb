//! `pimem report --since`: what changed between two times, or will.

use std::path::Path;

use pimem_core::{model::time::Timestamp, report::render::DifferenceKind as Happened};
use pimem_engine::{
    error::{Failure, FailureKind},
    local_time,
    memory::diff::{self, Diff, SideView},
};

use super::PageTarget;
use crate::{
    shell::{Exit, Shell},
    ui::{Human, Style, Styled, Ui},
};

/// Two times, as they were typed; the second is now if it is not given.
pub(super) struct Times<'a> {
    pub(super) since: &'a str,
    pub(super) until: Option<&'a str>,
}

/// Shows what changed between two times, or writes a page of it.
pub(super) fn run(ctx: &Shell, times: &Times<'_>, page: Option<&Path>) -> Result<Exit, Failure> {
    let when = |text: &str| diff::when(ctx.memory.now, text, Timestamp::parse_date);
    let from = when(times.since)?;
    let to = times.until.map_or(Ok(ctx.memory.now.0), when)?;
    if to < from {
        let message = "--until is before --since";
        return Err(Failure::new(FailureKind::Usage, message, "exchange the two"));
    }
    let page = page.map(|path| PageTarget::of(ctx, path)).transpose()?;
    let answer = ctx.memory.reading().diff(from, to)?;
    if let Some(page) = page {
        page.write(ctx, &[pimem_engine::memory::page::other_pages::compare(&answer.view)])?;
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
        self.changes.is_empty().then_some("Nothing changed; --since takes an earlier time")
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

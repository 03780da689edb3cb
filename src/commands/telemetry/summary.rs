//! Text output of `pimem telemetry`, `usage` and `never-used`.

use crate::{
    chart,
    ui::{Column, Human, Style, Styled, Ui},
};
use pimem_core::{
    report::budget::thousands,
    view::{
        count,
        telemetry::{
            EntryUse, GONE, NamedUse, NeverUsed, Summary, Unused, Usage, Use, Uses, percent,
        },
    },
};
use pimem_engine::memory::telemetry::SESSIONS;

impl Human for Summary {
    fn human(&self, ui: &Ui) {
        let (Some(first), Some(last)) = (&self.from, &self.to) else { return };
        let (first, last) = (date(first), date(last));
        let used = &self.usage;
        let mut lines = vec![
            ("days", format!("{} ({first} to {last})", self.days.len())),
            (
                "sessions",
                format!("{}, {} of them with an answer", self.sessions, self.measured_sessions),
            ),
            ("prompts", thousands(self.prompts)),
            (
                "injected",
                format!(
                    "{} times in {}, {} different entries",
                    thousands(self.entries),
                    count(self.injections, "context"),
                    thousands(self.different_entries)
                ),
            ),
            (
                "used",
                format!(
                    "{} of {} ({}), each entry counted once a session",
                    used.used,
                    used.seen,
                    percent(used.rate)
                ),
            ),
            (
                "never used",
                format!(
                    "{} (in {SESSIONS} sessions or more: pimem telemetry never-used)",
                    self.never_used
                ),
            ),
            (
                "past sessions",
                format!("{} in {} prompts", self.past_sessions, self.session_injects),
            ),
            ("searches", thousands(self.searches)),
            ("size", format!("{}, {} bytes", count(self.records, "record"), thousands(self.bytes))),
        ];
        if self.damaged > 0 {
            lines.push(("damaged lines", format!("{}, left out", self.damaged)));
        }
        let days: Vec<usize> = self.days.iter().map(|day| day.entries).collect();
        let most = format!("{last}, {} at most", days.iter().max().unwrap_or(&0));
        let room = ui.width().saturating_sub(first.len() + most.len() + 19);
        lines.push(("injected a day", format!("{first} {} {most}", chart::sparkline(&days, room))));
        for (name, value) in lines {
            ui.field(17, name, &value);
        }
        for (title, rows) in [("category", &self.categories), ("agent", &self.agents)] {
            if !rows.is_empty() {
                ui.line("");
                named(ui, title, rows);
            }
        }
    }

    fn when_empty(&self) -> Option<&'static str> {
        (self.records == 0)
            .then_some("Nothing was recorded; agents are once pimem hooks install was run")
    }
}

impl Human for Usage {
    fn human(&self, ui: &Ui) {
        let rows = match &self.usage {
            Uses::Named(rows) => return named(ui, self.by, rows),
            Uses::Entries(rows) => rows,
        };
        let row = |EntryUse { short, category, text, usage, .. }: &EntryUse| {
            let category = category.as_deref().unwrap_or(GONE);
            let mut row = vec![Styled::new(Style::Id, short), category.into()];
            row.extend(numbers(usage).map(Styled::from));
            row.push(text.as_str().into());
            row
        };
        let header = [
            "id".into(),
            Column::spare(3, "category"),
            Column::spare(2, "injected"),
            "seen".into(),
            "used".into(),
            "rate".into(),
            Column::spare(1, "last used"),
            "text".into(),
        ];
        ui.table(&header, rows.iter().map(row).collect());
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.is_empty()
            .then_some("Nothing was recorded; agents are once pimem hooks install was run")
    }
}

impl Human for NeverUsed {
    fn human(&self, ui: &Ui) {
        if self.entries.is_empty() {
            return;
        }
        let row = |Unused { entry, usage, state, score, .. }: &Unused| {
            let last = usage.last_injected.as_deref().map(date).unwrap_or_default();
            let (category, text) = (entry.category.as_str().into(), entry.text.as_str().into());
            let (id, seen) = (Styled::new(Style::Id, &entry.short), usage.seen.to_string().into());
            vec![id, seen, last.into(), category, ui.state(state), score.as_str().into(), text]
        };
        let header = [
            "id".into(),
            "seen".into(),
            Column::spare(2, "last"),
            Column::spare(3, "category"),
            "state".into(),
            Column::spare(1, "score"),
            "text".into(),
        ];
        ui.table(&header, self.entries.iter().map(row).collect());
        ui.note("pimem forget ID keeps an entry out of prompts, unpin lets a pinned one fade");
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.entries.is_empty().then_some("No entry was in so many sessions without being used")
    }
}

fn named(ui: &Ui, title: &str, rows: &[NamedUse]) {
    let row = |NamedUse { name, usage }: &NamedUse| {
        std::iter::once(name.clone()).chain(numbers(usage)).collect()
    };
    let header = [title, "injected", "seen", "used", "rate", "last used"];
    ui.table(&header, rows.iter().map(row).collect());
}

fn numbers(Use { injected, seen, used, rate, last_used, .. }: &Use) -> [String; 5] {
    let last = last_used.as_deref().map_or("-", date).to_owned();
    [injected.to_string(), seen.to_string(), used.to_string(), percent(*rate), last]
}

/// Returns the date of an RFC 3339 time.
fn date(time: &str) -> &str {
    time.split('T').next().unwrap_or_default()
}

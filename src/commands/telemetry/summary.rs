//! Text output of `pimem telemetry`, `usage` and `never-used`.

use crate::{
    chart,
    ui::{Human, Ui},
};
use pimem_core::{
    report::budget::thousands,
    view::telemetry::{
        EntryUse, GONE, NamedUse, NeverUsed, Summary, Unused, Usage, Use, Uses, percent,
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
                format!("{}, of {} an answer was seen", self.sessions, self.measured_sessions),
            ),
            ("prompts", thousands(self.prompts)),
            (
                "injected",
                format!(
                    "{} entries in {} contexts, {} different ones",
                    thousands(self.entries),
                    thousands(self.injections),
                    thousands(self.different_entries)
                ),
            ),
            (
                "used",
                format!(
                    "{} of {} ({}), an entry once a session",
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
            (
                "size",
                format!("{} records, {} bytes", thousands(self.records), thousands(self.bytes)),
            ),
        ];
        if self.damaged > 0 {
            lines.push(("damaged lines", format!("{}, left out", self.damaged)));
        }
        let days: Vec<usize> = self.days.iter().map(|day| day.entries).collect();
        let by_day = if ui.is_terminal() {
            let room = ui.width().saturating_sub(first.len() + last.len() + 19);
            format!("{first} {} {last}", chart::sparkline(&days, room))
        } else {
            let days: Vec<String> = days.iter().map(usize::to_string).collect();
            days.join(" ")
        };
        lines.push(("by day", by_day));
        for (name, value) in lines {
            ui.line(&format!("{name:<16} {value}"));
        }
        for (title, rows) in [("category", &self.categories), ("agent", &self.agents)] {
            if !rows.is_empty() {
                ui.line("");
                named(ui, title, rows);
            }
        }
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
            let mut row = vec![short.clone(), category.to_owned()];
            row.extend(numbers(usage));
            row.push(text.clone());
            row
        };
        let header = ["id", "category", "injected", "seen", "used", "rate", "last used", "text"];
        ui.table(&header, rows.iter().map(row).collect());
    }
}

impl Human for NeverUsed {
    fn human(&self, ui: &Ui) {
        if self.entries.is_empty() {
            return;
        }
        let row = |Unused { entry, usage, state, score, .. }: &Unused| {
            let last = usage.last_injected.as_deref().map(date).unwrap_or_default();
            let (seen, category) = (usage.seen.to_string(), entry.category.clone());
            let (id, text) = (entry.short.clone(), entry.text.clone());
            vec![id, seen, last.to_owned(), category, state.clone(), score.clone(), text]
        };
        let header = ["id", "seen", "last", "category", "state", "score", "text"];
        ui.table(&header, self.entries.iter().map(row).collect());
        ui.note("pimem forget ID keeps an entry out of prompts, unpin lets a pinned one fade");
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

//! The answer of a hook: lines for a prompt, each with what it shows.
//!
//! Lines are selected by the agent's limit first and rendered afterwards. The session ledger
//! records what the selected lines show.

use std::mem;

use pimem_core::{
    model::entry::EntryId,
    report::render::Report,
    safe,
    safety::safe_text::SafeText,
    score::ranking::{Ranking, Scope, ScoredEntry},
};
use pimem_engine::memory::{background::Stale, recall, search::FoundHit, team};

use super::compact::Observed;
use crate::agents::Limit;

#[derive(Default)]
pub(crate) struct HookAnswer {
    pub(super) lines: Vec<AnswerLine>,
    pub(crate) report: bool,
    /// Stores whose index should be refreshed.
    pub(crate) stale: Vec<Stale>,
    /// New observations to keep.
    pub(crate) observed: Option<Observed>,
}

/// A line, including its line break.
pub(super) struct AnswerLine {
    text: SafeText,
    shows: Option<ShownText>,
}

/// What a line shows. If several lines show something together, it is attached to the last.
pub(crate) enum ShownText {
    Entry(ShownEntry),
    /// A note, or a part of the day's context.
    Passage(String),
    Session(String),
}

pub(crate) struct ShownEntry {
    pub(crate) id: EntryId,
    pub(crate) text: String,
    /// Score of the recall; `None` in a report.
    pub(crate) score: Option<f64>,
    /// The store that it is in.
    pub(crate) scope: Scope,
}

impl From<&ScoredEntry> for ShownText {
    fn from(row: &ScoredEntry) -> Self {
        let (id, text, scope) = (row.entry.id, row.entry.text.clone(), row.entry.scope);
        Self::Entry(ShownEntry { id, text, score: None, scope })
    }
}

impl From<&FoundHit> for ShownText {
    fn from(hit: &FoundHit) -> Self {
        let text = hit.text.clone();
        match (hit.entry, recall::is_session(hit)) {
            (Some(id), _) => {
                Self::Entry(ShownEntry { id, text, score: Some(hit.score), scope: hit.scope })
            }
            (None, true) => Self::Session(text),
            (None, false) => Self::Passage(text),
        }
    }
}

impl HookAnswer {
    /// Returns the answer with the report at the start of a session.
    pub(crate) fn of_report(report: &Report, ranking: &Ranking, team: &team::TeamReport) -> Self {
        let mut answer = Self { report: true, ..Self::default() };
        let lines = report.text.split_lines();
        for (text, row) in lines.zip(report.shown_rows.iter().copied()) {
            let row = row.and_then(|row| ranking.rows.get(row));
            answer.push(text, row.map(ShownText::from));
        }
        for (line, _, row) in team.shown() {
            if let Some(line) = answer.lines.get_mut(line) {
                line.shows = Some(ShownText::from(row));
            }
        }
        answer
    }

    /// Appends a line, which includes its line break.
    pub(crate) fn push(&mut self, text: SafeText, shows: Option<ShownText>) {
        self.lines.push(AnswerLine { text, shows });
    }

    /// Appends lines that together show one thing, or nothing that is recorded.
    pub(crate) fn push_all(&mut self, text: &SafeText, shows: Option<ShownText>) {
        self.lines.extend(text.split_lines().map(|text| AnswerLine { text, shows: None }));
        if let Some(last) = self.lines.last_mut().filter(|_| shows.is_some()) {
            last.shows = shows;
        }
    }

    /// Appends another answer after a blank line.
    pub(crate) fn extend(&mut self, more: Self) {
        if !self.is_empty() && !more.is_empty() {
            self.push(SafeText::fixed("\n"), None);
        }
        self.lines.extend(more.lines);
        self.report |= more.report;
        self.stale.extend(more.stale);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &ShownEntry> {
        self.shown().filter_map(|shown| match shown {
            ShownText::Entry(entry) => Some(entry),
            _ => None,
        })
    }

    /// Returns the texts shown that are not entries.
    pub(crate) fn passages(&self) -> impl Iterator<Item = &String> {
        self.shown().filter_map(|shown| match shown {
            ShownText::Entry(_) => None,
            ShownText::Passage(text) | ShownText::Session(text) => Some(text),
        })
    }

    pub(crate) fn sessions(&self) -> usize {
        self.shown().filter(|shown| matches!(shown, ShownText::Session(_))).count()
    }

    fn shown(&self) -> impl Iterator<Item = &ShownText> {
        self.lines.iter().filter_map(|line| line.shows.as_ref())
    }

    /// Returns the size in the unit of the limit.
    pub(crate) fn size(&self, limit: Limit) -> usize {
        self.lines.iter().map(|line| limit.size(&line.text)).sum()
    }

    /// Returns the number of characters.
    pub(crate) fn chars(&self) -> usize {
        self.lines.iter().map(|line| line.text.chars().count()).sum()
    }

    /// Removes lines from the end until the answer fits. The last line then states how many are
    /// missing; if nothing fits, the answer is empty.
    pub(crate) fn fit(&mut self, limit: Limit) {
        let mut size = self.size(limit);
        if size <= limit.most() {
            return;
        }
        let mut missing = 0;
        let mut lines = mem::take(&mut self.lines);
        while let Some(line) = lines.pop() {
            missing += usize::from(line.is_item());
            size -= limit.size(&line.text);
            // A heading with nothing below it is removed too.
            while let Some(heading) = lines.pop_if(|last| last.is_heading()) {
                size -= limit.size(&heading.text);
            }
            let last = safe!("- ... {} more (beyond what is taken at once)\n", missing);
            if !lines.is_empty() && size + limit.size(&last) <= limit.most() {
                lines.push(AnswerLine { text: last, shows: None });
                self.lines = lines;
                return;
            }
        }
    }

    pub(crate) fn render(&self) -> SafeText {
        self.lines.iter().map(|line| &line.text).collect()
    }

    /// Returns the text as agents get it, with one line break at its end; empty if there is none.
    pub(crate) fn for_prompt(&self) -> SafeText {
        let text = self.render().part(str::trim_end);
        if text.is_empty() { text } else { safe!("{}\n", text) }
    }

    /// Returns the lines, each with the entry that it shows.
    pub(crate) fn lines_with_entries(&self) -> Vec<(String, Option<EntryId>)> {
        let line = |line: &AnswerLine| {
            let entry = match &line.shows {
                Some(ShownText::Entry(entry)) => Some(entry.id),
                _ => None,
            };
            (line.text.trim_end().to_owned(), entry)
        };
        self.lines.iter().map(line).collect()
    }
}

impl AnswerLine {
    fn is_item(&self) -> bool {
        self.text.starts_with("- ")
    }

    fn is_heading(&self) -> bool {
        self.text.trim().is_empty() || self.text.starts_with('#')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> HookAnswer {
        let mut answer = HookAnswer::default();
        for line in SafeText::of_lines(text).split_lines() {
            let is_item = line.starts_with("- ");
            let shows = is_item.then(|| ShownText::Passage(line.trim().to_owned()));
            answer.push(line, shows);
        }
        answer
    }

    fn fit(text: &str, limit: Limit) -> HookAnswer {
        let mut answer = answer(text);
        answer.fit(limit);
        answer
    }

    #[test]
    fn what_is_too_long_is_cut_between_lines() {
        let entries: Vec<String> = (0..100).map(|n| format!("- entry number {n}\n")).collect();
        let entries = entries.concat();
        let text = format!("# Head\n\n## One\n{entries}\n## Two\n- last\n");
        let most = Limit::Utf16(500);
        let cut = fit(&text, most);
        let rendered = cut.render();
        assert_eq!(cut.size(most), most.size(&rendered));
        assert!(most.size(&rendered) <= 500 && most.size(&rendered) > 450, "{rendered}");
        // The recorded passages are those shown.
        let shown: Vec<&str> =
            rendered.lines().filter(|line| line.starts_with("- entry")).collect();
        assert_eq!(cut.passages().collect::<Vec<_>>(), shown);
        let more = format!("- ... {} more (beyond what is taken at once)\n", 101 - shown.len());
        assert!(rendered.ends_with(&more), "{rendered}");
        assert_eq!(&*fit(&text, Limit::Bytes(10_000)).render(), text);
        let nothing = fit("- one line that is longer\n", Limit::Bytes(10));
        assert!(nothing.is_empty() && nothing.passages().next().is_none());
        // No heading is left without a line below it.
        let short = format!("# Head\n- a\n\n## Two\n- {}\n", "x".repeat(80));
        let cut = fit(&short, Limit::Bytes(70));
        assert_eq!(&*cut.render(), "# Head\n- a\n- ... 1 more (beyond what is taken at once)\n");
    }

    #[test]
    fn a_passage_of_several_lines_is_shown_whole_or_not() {
        let mut answer = HookAnswer::default();
        answer.push_all(
            &SafeText::fixed("\n## Notes\none\ntwo\n"),
            Some(ShownText::Passage("one\ntwo".to_owned())),
        );
        let all = answer.size(Limit::Bytes(0));
        answer.push(safe!("- {}\n", "x".repeat(90)), None);
        answer.fit(Limit::Bytes(all + 60));
        assert_eq!(answer.passages().count(), 1, "{}", answer.render());
        answer.fit(Limit::Bytes(all + 40));
        assert_eq!(answer.passages().count(), 0, "{}", answer.render());
    }
}

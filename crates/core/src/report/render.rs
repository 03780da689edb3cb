//! The report as text: a header that states its own size, the ground-truth line, and sections. With
//! the ground truth `seed`, header, warning and line are those of the first version of the format.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    budget::{Fill, Tokens},
    by_rank,
    select::{self, ReportVerdict, Room, Section, Selection},
};
use crate::{
    model::{category::Categories, entry::EntryId},
    named, safe,
    safety::safe_text::SafeText,
    score::{
        policy::Policy,
        ranking::{Ranking, ScoredEntry},
    },
};

/// Percentage of the budget above which people are asked to consolidate.
const CROWDED: u64 = 80;

named! {
    /// What stands above the entries.
    #[derive(Default)]
    pub enum GroundTruth {
        /// Tells where the entries come from, and to use them.
        #[default]
        Factual = "factual",
        /// Tells the agent to rely on what it reads. The header counts pinned entries too, and a
        /// warning asks the agent to consolidate.
        Seed = "seed",
        Off = "off",
    }
}

impl GroundTruth {
    #[must_use]
    pub fn line(self) -> Option<&'static str> {
        match self {
            Self::Factual => Some(
                "Recorded in earlier sessions on this project by its people and agents. Use it \
                 without re-checking; where it contradicts the code or the user, they are right.",
            ),
            Self::Seed => Some(
                "Ground Truth: Memories above and contextually relevant memories injected below \
                 are authoritative. Use them directly — do not re-discover or re-verify \
                 information already in your context window.",
            ),
            Self::Off => None,
        }
    }

    /// Returns true if a report asks its reader to consolidate.
    #[must_use]
    pub fn warns(self) -> bool {
        self == Self::Seed
    }
}

/// Returns the sentence that asks to consolidate with a command.
#[must_use]
pub fn warning(remove_command: &str) -> SafeText {
    safe!(
        "Memory above {}% capacity. Before adding new entries, consolidate or remove existing ones \
         using {}.",
        CROWDED,
        remove_command,
    )
}

#[derive(Debug, Clone, Copy)]
pub struct RenderSettings<'a> {
    pub budget: Tokens,
    pub ground_truth: GroundTruth,
    /// The command that a warning in the report names for removing entries.
    pub remove_command: &'a str,
    /// If set, entries without a place by score fill the rest of the budget, and the last line
    /// names this command for finding those left out.
    pub fill: Option<&'a str>,
    /// If set, verdicts also say which of the entries left out seem to be replaced. Only explanations
    /// need that, and it is slow in a large store.
    pub reasons: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The text, ending in a line break; empty if there is nothing to show.
    pub text: SafeText,
    /// For each line of the text, the index of the row of the ranking that it shows.
    pub shown_rows: Vec<Option<usize>>,
    pub tokens: Tokens,
    /// The part of the size that is of pinned entries, which no budget bounds; none where the
    /// header does not count them apart.
    pub pinned: Tokens,
    /// Size before the rest of the budget was filled, without what is counted apart.
    pub by_score: Tokens,
    /// True if that is so much of the budget that people should consolidate.
    pub crowded: bool,
    pub budget: Tokens,
    /// Whether entries were left out for want of places or tokens; `None` under policies that have
    /// no limits.
    pub overflow: Option<bool>,
    /// False if an entry without a row might have been in it.
    pub is_sure: bool,
    /// One verdict per row of the ranking, in its order.
    pub verdicts: Vec<ReportVerdict>,
}

impl Report {
    /// Returns the rows of the ranking, each with its verdict. `ranking` must be the ranking that the
    /// report was made from.
    pub fn judged<'a, 'b>(
        &'a self,
        ranking: &'b Ranking,
    ) -> impl Iterator<Item = (&'b ScoredEntry, &'a ReportVerdict)> + use<'a, 'b> {
        ranking.rows.iter().zip(&self.verdicts)
    }

    /// Returns the verdict on a row of the ranking.
    #[must_use]
    pub fn verdict(&self, ranking: &Ranking, of: &ScoredEntry) -> Option<&ReportVerdict> {
        let at = ranking.rows.iter().position(|row| row.entry.is_copy(&of.entry))?;
        self.verdicts.get(at)
    }

    /// Returns the verdict on the row at an index of the ranking.
    #[must_use]
    pub fn verdict_at(&self, at: usize) -> Option<&ReportVerdict> {
        self.verdicts.get(at)
    }

    /// Returns the ids of the entries in the report.
    pub fn shown<'a>(&'a self, ranking: &'a Ranking) -> impl Iterator<Item = EntryId> + 'a {
        self.judged(ranking).filter(|(_, verdict)| verdict.shown()).map(|(row, _)| row.entry.id)
    }
}

/// Builds the report. Without pinned entries it never exceeds the budget.
#[must_use]
pub fn report(ranking: &Ranking, categories: &Categories, settings: RenderSettings<'_>) -> Report {
    let budget = settings.budget;
    let fill =
        settings.fill.map(|search_command| Fill { search_command, reasons: settings.reasons });
    if !ranking.policy.is_stability() {
        return report_by_rank(ranking, categories, settings, fill);
    }
    let is_seed = settings.ground_truth == GroundTruth::Seed;
    let pinned = select::pinned(ranking, categories).map_or(0, |pinned| pinned.chars());
    let build = |warn: bool, limit: Option<usize>| {
        let fixed = fixed_lines(settings, warn);
        let head = Head::new(settings, pinned, None);
        let taken = head.widest() + fixed.chars().count();
        let chars = if budget == Tokens(0) { 0 } else { budget.chars().saturating_sub(taken) };
        let select = |by_score| select::select(ranking, categories, Room { chars, by_score }, fill);
        let by_score = limit.map_or(chars, |limit| chars.min(limit.saturating_sub(taken + pinned)));
        render(select(by_score), &fixed, head)
    };
    let plain = build(false, None);
    if !is_seed || !plain.crowded {
        return plain;
    }
    // The warning itself takes space. If the report crosses the threshold only with the warning,
    // neither showing it nor omitting it would be right, so the report is kept below the threshold
    // without a warning.
    let warned = build(true, None);
    if warned.crowded {
        return warned;
    }
    build(false, Some(Tokens(budget.0 * 4 / 5).chars()))
}

/// Returns the least room that the sections have in characters, whatever is in them; `None` if it
/// depends on a warning.
pub(super) fn sure_room(settings: RenderSettings<'_>) -> Option<usize> {
    /// More than any store has pinned.
    const MOST: Tokens = Tokens(999_999_999);
    let head = Head { budget: settings.budget, pinned: MOST, overflow: None };
    let taken = head.widest() + fixed_lines(settings, false).chars().count();
    let is_sure = settings.ground_truth != GroundTruth::Seed && settings.budget > Tokens(0);
    is_sure.then(|| settings.budget.chars().saturating_sub(taken))
}

/// Like [`report`], under another policy than stability: nobody is asked to consolidate, because the
/// budget is meant to be used.
fn report_by_rank(
    ranking: &Ranking,
    categories: &Categories,
    settings: RenderSettings<'_>,
    fill: Option<Fill<'_>>,
) -> Report {
    let budget = settings.budget;
    let fixed = fixed_lines(settings, false);
    let has_limits = matches!(ranking.policy, Policy::Weighted(_));
    let pinned = select::pinned(ranking, categories).map_or(0, |pinned| pinned.chars());
    let head = Head::new(settings, pinned, has_limits.then_some(true));
    let taken = head.widest() + fixed.chars().count();
    let chars = if budget == Tokens(0) { 0 } else { budget.chars().saturating_sub(taken) };
    let selection = by_rank::select(ranking, categories, chars, fill);
    let overflow = has_limits.then(|| by_rank::overflows(ranking, &selection.verdicts));
    Report { crowded: false, ..render(selection, &fixed, Head { overflow, ..head }) }
}

fn fixed_lines(settings: RenderSettings<'_>, warn: bool) -> SafeText {
    let mut lines = SafeText::default();
    if warn {
        lines.push(&safe!("\n> ⚠️ {}\n", warning(settings.remove_command)));
    }
    if let Some(line) = settings.ground_truth.line() {
        lines.push(&safe!("\n{}\n", SafeText::fixed(line)));
    }
    lines
}

/// What the header states beside the size.
#[derive(Debug, Clone, Copy)]
struct Head {
    budget: Tokens,
    /// Tokens that are counted apart.
    pinned: Tokens,
    overflow: Option<bool>,
}

impl Head {
    /// `pinned` is the size of the pinned entries in characters.
    fn new(settings: RenderSettings<'_>, pinned: usize, overflow: Option<bool>) -> Self {
        let is_apart = settings.ground_truth != GroundTruth::Seed;
        let pinned = if is_apart { Tokens::of_chars(pinned) } else { Tokens(0) };
        Self { budget: settings.budget, pinned, overflow }
    }

    /// Characters of the longest header of a report within its budget, with its line break.
    fn widest(self) -> usize {
        let most = Tokens(self.budget.0.saturating_add(self.pinned.0));
        self.line(most).chars().count() + 1
    }

    /// Returns the size that is counted, and that of pinned entries.
    fn parts(self, tokens: Tokens) -> (Tokens, Tokens) {
        if self.pinned == Tokens(0) {
            return (tokens, Tokens(0));
        }
        // A budget that is too small even for the lines above the entries is used up.
        let counted = Tokens(tokens.0.saturating_sub(self.pinned.0)).min(self.budget);
        (counted, Tokens(tokens.0 - counted.0))
    }

    fn line(self, tokens: Tokens) -> SafeText {
        let over = if self.overflow == Some(true) { ", overflow" } else { "" };
        let (counted, pinned) = self.parts(tokens);
        let pinned = match pinned {
            Tokens(0) => SafeText::default(),
            pinned => safe!(", {} pinned", pinned),
        };
        if self.budget == Tokens::UNLIMITED {
            return safe!("# Project Memory [{} tokens{}{}]", counted, pinned, over);
        }
        let whole = u64::from(self.budget.0).max(1);
        let percent = (u64::from(counted.0) * 200 + whole) / (2 * whole);
        safe!(
            "# Project Memory [{}% — {}/{} tokens{}{}]",
            percent,
            counted,
            self.budget,
            pinned,
            over
        )
    }
}

fn render(selection: Selection, fixed: &SafeText, head: Head) -> Report {
    let (budget, overflow) = (head.budget, head.overflow);
    let nothing = selection.sections.is_empty() && selection.pinned.is_none();
    if nothing || budget == Tokens(0) {
        let verdicts = selection.verdicts.into_iter().map(unshown).collect();
        let none = Tokens(0);
        return Report {
            text: SafeText::default(),
            shown_rows: Vec::new(),
            tokens: none,
            pinned: none,
            by_score: none,
            crowded: false,
            budget,
            overflow,
            is_sure: selection.is_sure,
            verdicts,
        };
    }
    let mut body = fixed.clone();
    let mut shown_rows = vec![None; 1 + fixed.lines().count()];
    for section in selection.pinned.iter().chain(&selection.sections) {
        push(&mut body, section);
        shown_rows.extend([None, None]);
        shown_rows.extend(section.lines.iter().map(|line| line.row));
    }
    if let Some(closing) = &selection.closing {
        body.push(&safe!("\n{}\n", closing));
        shown_rows.extend([None, None]);
    }
    let (_, by_score) = sized(fixed.chars().count() + selection.by_score, head);
    let (by_score, _) = head.parts(by_score);
    let crowded = u64::from(by_score.0) * 100 > u64::from(budget.0) * CROWDED;
    let (line, tokens) = sized(body.chars().count(), head);
    let (_, pinned) = head.parts(tokens);
    let text = safe!("{}\n{}", line, body);
    let Selection { verdicts, is_sure, .. } = selection;
    Report {
        text,
        shown_rows,
        tokens,
        pinned,
        by_score,
        crowded,
        budget,
        overflow,
        is_sure,
        verdicts,
    }
}

/// Returns the header above `chars` characters, and the size of both: the header states it, and is
/// part of it.
fn sized(chars: usize, head: Head) -> (SafeText, Tokens) {
    let mut tokens = Tokens::of_chars(chars);
    loop {
        let line = head.line(tokens);
        let size = Tokens::of_chars(line.chars().count() + 1 + chars);
        if size <= tokens {
            return (line, tokens);
        }
        tokens = size;
    }
}

/// A report without its header, to which lines are added.
pub(super) struct ReportFrame {
    body: SafeText,
    chars: usize,
    shown_rows: Vec<Option<usize>>,
    pinned: Tokens,
    overflow: Option<bool>,
}

/// Returns the frame of a report; of one without a text, what stands before its sections.
pub(super) fn frame(report: &Report, settings: RenderSettings<'_>) -> ReportFrame {
    let (body, shown_rows) = if report.text.is_empty() {
        let fixed = fixed_lines(settings, false);
        let rows = vec![None; 1 + fixed.lines().count()];
        (fixed, rows)
    } else {
        let body = report.text.part(|text| text.split_once('\n').map_or("", |(_, body)| body));
        (body, report.shown_rows.clone())
    };
    let (pinned, overflow) = (report.pinned, report.overflow);
    ReportFrame { chars: body.chars().count(), body, shown_rows, pinned, overflow }
}

impl ReportFrame {
    /// Returns the size with the header.
    pub(super) fn tokens(&self, budget: Tokens) -> Tokens {
        self.tokens_with(budget, 0)
    }

    /// Returns the size with the header and so many more characters.
    pub(super) fn tokens_with(&self, budget: Tokens, chars: usize) -> Tokens {
        self.header(budget, self.chars + chars).1
    }

    /// Returns the number of characters without the header.
    pub(super) fn chars(&self) -> usize {
        self.chars
    }

    /// Returns the number of lines, the header included.
    pub(super) fn lines(&self) -> usize {
        self.shown_rows.len()
    }

    /// Adds a text of so many lines.
    pub(super) fn push(&mut self, text: &SafeText, lines: usize) {
        self.body.push(text);
        self.chars += text.chars().count();
        self.shown_rows.resize(self.shown_rows.len() + lines, None);
    }

    /// Makes this the text of a report within `budget`.
    pub(super) fn finish(self, report: &mut Report, budget: Tokens) {
        let (head, tokens) = self.header(budget, self.chars);
        report.text = safe!("{}\n{}", head, self.body);
        report.shown_rows = self.shown_rows;
        (report.tokens, report.budget) = (tokens, budget);
    }

    fn header(&self, budget: Tokens, chars: usize) -> (SafeText, Tokens) {
        sized(chars, Head { budget, pinned: self.pinned, overflow: self.overflow })
    }
}

fn unshown(verdict: ReportVerdict) -> ReportVerdict {
    if verdict.shown() { ReportVerdict::ReportFull } else { verdict }
}

fn push(body: &mut SafeText, section: &Section) {
    body.push(&safe!("\n## {}\n", section.heading));
    for line in &section.lines {
        body.push_line(&line.text);
    }
}

/// An entry in one of the two rankings.
#[derive(Debug, Clone)]
pub struct DiffSide {
    pub row: ScoredEntry,
    pub verdict: ReportVerdict,
}

/// An entry that differs between the two rankings.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Its id in the second ranking.
    pub id: EntryId,
    /// `None` if the first ranking does not contain it.
    pub before: Option<DiffSide>,
    /// `None` if the second ranking does not contain it.
    pub after: Option<DiffSide>,
}

/// Kinds of [`Difference`], most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    Entered,
    Left,
    /// It is new, and not in the report.
    Added,
    /// It is gone, and was not in the report.
    Gone,
    /// Its state, or the reason why it is not shown, changed.
    Changed,
}

impl Difference {
    #[must_use]
    pub fn kind(&self) -> DifferenceKind {
        let shown =
            |side: &Option<DiffSide>| side.as_ref().is_some_and(|side| side.verdict.shown());
        match (&self.before, &self.after) {
            _ if shown(&self.after) && !shown(&self.before) => DifferenceKind::Entered,
            _ if shown(&self.before) && !shown(&self.after) => DifferenceKind::Left,
            (None, _) => DifferenceKind::Added,
            (_, None) => DifferenceKind::Gone,
            _ => DifferenceKind::Changed,
        }
    }
}

/// A ranking with the verdicts of its report, in the order of its rows.
pub type ReportedTexts<'a> = (&'a Ranking, &'a [ReportVerdict]);

/// Returns the differences, sorted by kind, then by standing. `current` maps an id of the first
/// ranking to the id in the second.
#[must_use]
pub fn differences(
    before: ReportedTexts<'_>,
    after: ReportedTexts<'_>,
    current: impl Fn(EntryId) -> EntryId,
) -> Vec<Difference> {
    let mut all: BTreeMap<EntryId, Difference> = BTreeMap::new();
    let empty = |id| Difference { id, before: None, after: None };
    for (row, verdict) in before.0.rows.iter().zip(before.1) {
        let id = current(row.entry.id);
        let side = DiffSide { row: row.clone(), verdict: verdict.clone() };
        all.entry(id).or_insert_with(|| empty(id)).before = Some(side);
    }
    for (row, verdict) in after.0.rows.iter().zip(after.1) {
        let id = row.entry.id;
        let side = DiffSide { row: row.clone(), verdict: verdict.clone() };
        all.entry(id).or_insert_with(|| empty(id)).after = Some(side);
    }
    let is_changed = |difference: &Difference| match (&difference.before, &difference.after) {
        (Some(before), Some(after)) => {
            before.row.state != after.row.state
                || before.row.evidence.count != after.row.evidence.count
                || before.row.evidence.user != after.row.evidence.user
                || before.verdict.shown() != after.verdict.shown()
        }
        _ => true,
    };
    let mut changed: Vec<Difference> = all.into_values().filter(is_changed).collect();
    let standing = |difference: &Difference| {
        let side = difference.after.as_ref().or(difference.before.as_ref());
        side.map(|side| side.row.standing)
    };
    changed.sort_by_key(|difference| {
        (difference.kind(), std::cmp::Reverse(standing(difference)), difference.id)
    });
    changed
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;

//! Selection under the policies besides stability: entries in the order of the ranking, as far as
//! they fit, grouped by section.
//!
//! Sections have no budgets of their own here, and no windows.

use super::select::{Fill, Line, Section, Selection, Tails, Verdict, heading_chars, pinned};
use crate::{
    model::category::Categories,
    safe,
    safety::safe_text::SafeText,
    score::{
        caps::Place,
        policy::limits,
        ranking::{Ranking, ScoredEntry},
    },
};

/// Selects the entries that fit into `room` characters. What is always listed comes first, then the
/// others, best first.
pub(super) fn select(
    ranking: &Ranking,
    categories: &Categories,
    room: usize,
    fill: Option<Fill<'_>>,
) -> Selection {
    let mut verdicts: Vec<Verdict> = ranking.rows.iter().map(first_look).collect();
    let mut tails = fill.map(|fill| Tails::new(ranking, categories, fill));
    let mut sections: Vec<Vec<usize>> = categories.iter().map(|_| Vec::new()).collect();
    let mut used = 0;
    for at in preferred(ranking) {
        let Some(row) = ranking.rows.get(at) else { continue };
        let category = usize::from(row.entry.category.0);
        let Some(section) = sections.get(category) else { continue };
        let mut cost = line(at, row).chars();
        if section.is_empty() {
            cost += 1 + heading_chars(&heading(categories, row));
        }
        if let Some(tails) = &mut tails {
            tails.take(row);
        }
        let is_there =
            |at: usize| at == category || sections.get(at).is_some_and(|s| !s.is_empty());
        let tail = tails.as_ref().map_or(0, |tails| tails.chars(is_there));
        let fits = used + cost + tail <= room;
        if let Some(verdict) = verdicts.get_mut(at).filter(|_| fits) {
            *verdict = Verdict::Listed;
        }
        if !fits {
            if let Some(tails) = &mut tails {
                tails.put_back(row);
            }
            continue;
        }
        used += cost;
        if let Some(section) = sections.get_mut(category) {
            section.push(at);
        }
    }
    let mut rendered: Vec<Section> = Vec::new();
    for ((category, _), mut rows) in categories.iter().zip(sections) {
        rows.sort_unstable();
        let rows: Vec<_> =
            rows.into_iter().filter_map(|at| Some((at, ranking.rows.get(at)?))).collect();
        let Some((_, first)) = rows.first() else { continue };
        let heading = heading(categories, first);
        let mut lines: Vec<Line> = rows.iter().map(|(at, row)| line(*at, row)).collect();
        lines.extend(tails.as_ref().and_then(|tails| tails.end(category)));
        rendered.push(Section { heading, lines });
    }
    let pinned = pinned(ranking, categories);
    let chars: usize = rendered.iter().map(Section::chars).sum();
    let closing = tails.as_ref().and_then(|tails| tails.closing());
    let closing =
        closing.filter(|_| chars + tails.as_ref().map_or(0, Tails::closing_chars) <= room);
    let by_score = pinned.iter().map(Section::chars).sum::<usize>() + chars;
    Selection { pinned, sections: rendered, by_score, closing, verdicts }
}

/// Returns true if an entry was left out for want of places or tokens.
pub(super) fn overflows(ranking: &Ranking, verdicts: &[Verdict]) -> bool {
    let over = |(row, verdict): (&ScoredEntry, &Verdict)| {
        row.place == Place::OverLimit || *verdict == Verdict::ReportFull
    };
    ranking.rows.iter().zip(verdicts).any(over)
}

/// Returns the rows that have a place, in the order in which they are tried.
fn preferred(ranking: &Ranking) -> Vec<usize> {
    let rows = || ranking.rows.iter().enumerate();
    let always = rows().filter(|(_, row)| row.place == Place::Always);
    let listed = rows().filter(|(_, row)| matches!(row.place, Place::Listed(_)));
    let (mut always, mut listed): (Vec<usize>, Vec<usize>) =
        (always.map(|(at, _)| at).collect(), listed.map(|(at, _)| at).collect());
    // The oldest come first then, and the newest are wanted.
    if limits::is_chronological(ranking.policy) {
        always.reverse();
        listed.reverse();
    }
    always.append(&mut listed);
    always
}

fn first_look(row: &ScoredEntry) -> Verdict {
    match row.place {
        Place::Pinned => Verdict::Pinned,
        Place::Excluded if row.expired => Verdict::Expired,
        Place::Excluded => Verdict::Superseded,
        place if !place.eligible() => Verdict::NoPlace(place),
        _ => Verdict::ReportFull,
    }
}

fn line(at: usize, row: &ScoredEntry) -> Line {
    Line::of(at, safe!("- {}", row.entry.text))
}

fn heading(categories: &Categories, row: &ScoredEntry) -> SafeText {
    SafeText::of(&categories.spec(row.entry.category).section)
}

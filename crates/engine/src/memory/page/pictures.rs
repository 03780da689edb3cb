//! Drawings as inline SVG. What they show is said in words beside them, too.

use std::collections::{BTreeMap, BTreeSet};

use crate::memory::page::{
    Link, PageCurve, PastWeek,
    html::{CountOf, Markup},
};

/// Maximum number of names in the drawing of links.
const NAMES: usize = 150;

/// How much of a budget is used.
pub(super) fn bar(out: &mut Markup, tokens: u32, budget: u32) {
    let share = f64::from(tokens) / f64::from(budget.max(1));
    out.raw("<svg class=\"bar\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"");
    out.text(format_args!("The report takes {:.0} % of its budget", 100.0 * share)).raw("\">");
    filled(out, share);
}

fn filled(out: &mut Markup, share: f64) {
    out.raw("<rect class=\"node\" height=\"4\" width=\"")
        .number((100.0 * share).min(100.0))
        .raw("\"/></svg>\n");
}

/// The score of one entry over the coming days, with the scores that states need.
pub(super) fn curve(out: &mut Markup, curve: &PageCurve, levels: &[(f64, &'static str)]) {
    let days = curve.points.last().map_or(1.0, |(day, _)| day.max(1.0));
    let now = curve.points.first().map_or(0.0, |(_, score)| *score);
    let end = curve.points.last().map_or(0.0, |(_, score)| *score);
    out.raw("<svg viewBox=\"0 -4 310 128\" role=\"img\" aria-label=\"");
    out.text(format_args!("Entry {}: {now:.2} now, {end:.2} after {days:.0} days", curve.id))
        .raw("\">");
    fading(out, &curve.points, curve.leaves.map(f64::from), levels);
    out.raw("</svg>");
}

/// A curve of 310 by 128 pixels, from 4 above its place.
fn fading(
    out: &mut Markup,
    points: &[(f64, f64)],
    leaves: Option<f64>,
    levels: &[(f64, &'static str)],
) {
    const WIDTH: f64 = 230.0;
    const HEIGHT: f64 = 100.0;
    const LABEL: f64 = 13.0;
    let days = points.last().map_or(1.0, |(day, _)| day.max(1.0));
    let now = points.first().map_or(0.0, |(_, score)| *score);
    let top = now.max(levels.iter().map(|(level, _)| *level).fold(0.1, f64::max)) * 1.1;
    let at = |day: f64, score: f64| (WIDTH * day / days, HEIGHT * (1.0 - score / top));
    // From the highest, so that a label that would cover the one above it is moved down.
    let mut above = f64::MIN;
    for (level, name) in levels {
        let (_, y) = at(0.0, *level);
        let label = y.max(above + LABEL);
        above = label;
        out.raw("<line class=\"level\" x1=\"0\" x2=\"230\" y1=\"").number(y).raw("\" y2=\"");
        out.number(y).raw("\"/><text x=\"236\" y=\"").number(label + 4.0).raw("\">");
        out.raw(name).raw("</text>");
    }
    if let Some(leaves) = leaves {
        let (x, _) = at(leaves, 0.0);
        out.raw("<line class=\"leaves\" y1=\"0\" y2=\"100\" x1=\"").number(x).raw("\" x2=\"");
        out.number(x).raw("\"/>");
    }
    out.raw("<polyline class=\"curve\" points=\"");
    for (day, score) in points {
        let (x, y) = at(*day, *score);
        out.number(x).raw(",").number(y).raw(" ");
    }
    out.raw("\"/><line class=\"level\" x1=\"0\" x2=\"230\" y1=\"100\" y2=\"100\"/>");
    out.raw("<text x=\"0\" y=\"117\">now</text><text x=\"230\" y=\"117\" text-anchor=\"end\">");
    out.text(format_args!("{days:.0} days")).raw("</text>");
}

/// Bars by week.
pub(super) fn history(out: &mut Markup, weeks: &[PastWeek]) {
    const HEIGHT: f64 = 120.0;
    let most = weeks
        .iter()
        .map(|week| week.added + week.reinforced + week.dropped)
        .max()
        .unwrap_or(0)
        .max(1);
    let step = 720.0 / weeks.len().max(1) as f64;
    out.raw("<svg viewBox=\"0 0 760 150\" role=\"img\" aria-label=\"");
    let all = |count: fn(&PastWeek) -> usize| weeks.iter().map(count).sum::<usize>();
    out.text(format_args!(
        "{}: {} added, {} reinforced, {} dropped",
        CountOf(weeks.len(), "week", "weeks"),
        all(|week| week.added),
        all(|week| week.reinforced),
        all(|week| week.dropped),
    ));
    out.raw("\">");
    for (number, week) in weeks.iter().enumerate() {
        let mut below = HEIGHT;
        for (count, class) in [
            (week.added, "<rect class=\"added\" x=\""),
            (week.reinforced, "<rect class=\"reinforced\" x=\""),
            (week.dropped, "<rect class=\"gone\" x=\""),
        ] {
            let height = HEIGHT * count as f64 / most as f64;
            if count > 0 {
                out.raw(class).number(step * number as f64).raw("\" width=\"").number(step * 0.8);
                out.raw("\" y=\"")
                    .number(below - height)
                    .raw("\" height=\"")
                    .number(height)
                    .raw("\"/>");
            }
            below -= height;
        }
    }
    if let (Some(first), Some(last)) = (weeks.first(), weeks.last()) {
        out.element("<text x=\"0\" y=\"138\">", first.from, "</text>");
        out.element("<text x=\"720\" y=\"138\" text-anchor=\"end\">", last.from, "</text>");
    }
    out.element("<text x=\"726\" y=\"12\">", most, "</text></svg>\n");
    out.raw("<p class=\"soft\">From below: added (green), reinforced (blue), dropped (red).</p>\n");
}

/// Names on a circle; two that stand in one entry are joined.
pub(super) fn links(out: &mut Markup, links: &[Link]) {
    const RADIUS: f64 = 170.0;
    let drawn: Vec<&Link> = links.iter().take(NAMES).collect();
    let place = |number: usize| {
        let angle = std::f64::consts::TAU * number as f64 / drawn.len().max(1) as f64;
        (380.0 + RADIUS * angle.sin(), 210.0 - RADIUS * angle.cos(), angle)
    };
    let mut by_entry: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, link) in drawn.iter().enumerate() {
        for id in &link.entries {
            by_entry.entry(id).or_default().push(number);
        }
    }
    let pairs = |numbers: &Vec<usize>| {
        let numbers = numbers.clone();
        let pair =
            |at: usize| numbers.iter().skip(at + 1).map(move |b| (at, *b)).collect::<Vec<_>>();
        (0..numbers.len())
            .flat_map(pair)
            .filter_map(|(at, b)| Some((*numbers.get(at)?, b)))
            .collect::<Vec<_>>()
    };
    let edges: BTreeSet<(usize, usize)> = by_entry.values().flat_map(pairs).collect();
    // A circle of names that nothing joins says no more than their list.
    if edges.is_empty() {
        return;
    }
    out.raw("<svg viewBox=\"0 0 760 420\" role=\"img\" aria-label=\"");
    out.text(format_args!(
        "{} and {} that stand in one entry",
        CountOf(drawn.len(), "name", "names"),
        CountOf(edges.len(), "pair", "pairs"),
    ));
    out.raw("\">");
    for (a, b) in edges {
        let ((x1, y1, _), (x2, y2, _)) = (place(a), place(b));
        out.raw("<line class=\"edge\" x1=\"").number(x1).raw("\" y1=\"").number(y1);
        out.raw("\" x2=\"").number(x2).raw("\" y2=\"").number(y2).raw("\"/>");
    }
    for (number, link) in drawn.iter().enumerate() {
        let (x, y, angle) = place(number);
        let size = 3.0 + (link.entries.len() as f64).sqrt();
        out.raw("<circle class=\"node\" cx=\"")
            .number(x)
            .raw("\" cy=\"")
            .number(y)
            .raw("\" r=\"")
            .number(size)
            .raw("\"/>");
        // Names would cover one another where there are many.
        if drawn.len() <= 60 {
            let is_left = angle > std::f64::consts::PI;
            out.raw("<text x=\"")
                .number(if is_left { x - 10.0 } else { x + 10.0 })
                .raw("\" y=\"")
                .number(y + 4.0);
            out.raw(if is_left { "\" text-anchor=\"end\">" } else { "\">" });
            let name: String = link.name.chars().take(32).collect();
            out.text(name).raw("</text>");
        }
    }
    out.raw("</svg>\n");
    if links.len() > NAMES {
        out.element(
            "<p class=\"soft\">The drawing has the first 150 of ",
            links.len(),
            " names.</p>\n",
        );
    }
}

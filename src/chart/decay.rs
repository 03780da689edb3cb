//! Decay curves as SVG: one file without outside references, readable on white and on dark.

use std::fmt::Write as _;

use pimem_core::{
    model::calendar::Date,
    safety::safe_text,
    view::forecast::{Curve, Picture},
};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::spread::spread;

/// Width of the picture, and where the plot begins and ends, in pixels.
const WIDTH: f64 = 1040.0;
const LEFT: f64 = 108.0;
const RIGHT: f64 = 590.0;
/// Space above and below the plot.
const TOP: f64 = 64.0;
const BOTTOM: f64 = 62.0;
/// Least height of the plot.
const HEIGHT: f64 = 360.0;
/// Height of a line of a label, and space between two labels.
const LINE: f64 = 15.0;
const GAP: f64 = 3.0;
/// Where labels begin, and how many columns of text they have.
const LABEL: f64 = 660.0;
const COLUMNS: usize = 50;
/// Most entries named beside one curve; of more, the last line counts the rest.
const NAMES: usize = 4;

/// Colours of curves, on white and on dark.
const COLORS: [(&str, &str); 8] = [
    ("#0b57d0", "#79b8ff"),
    ("#b3400e", "#ffa066"),
    ("#15713a", "#6fdd8b"),
    ("#7a1fc2", "#d2a8ff"),
    ("#a8115f", "#ff8ac4"),
    ("#0a6a78", "#56d4dd"),
    ("#7a5600", "#e3c567"),
    ("#3c434c", "#c3cad3"),
];
/// Dash patterns. Together with the colours, 40 curves look different.
const DASHES: [&str; 5] = ["", "9 4", "2 3", "9 3 2 3", "5 3"];

/// Steps between the dates of the axis, in days.
const STEPS: [u32; 12] = [1, 2, 5, 7, 14, 30, 61, 91, 183, 365, 730, 1461];

/// Days that the picture covers, and what is said of them.
pub(crate) struct Span<'a> {
    pub(crate) title: String,
    pub(crate) days: u32,
    /// Returns the date that is so many days ahead.
    pub(crate) date: &'a dyn Fn(u32) -> Date,
}

/// Entries whose curves are the same.
struct Group<'a> {
    curves: Vec<&'a Curve>,
    /// Lines of its label: short id or nothing, and text.
    lines: Vec<(&'a str, String)>,
}

/// Places on the picture.
struct Scale {
    days: f64,
    top: f64,
    height: f64,
}

impl Scale {
    fn x(&self, day: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * day / self.days
    }

    fn y(&self, score: f64) -> f64 {
        TOP + self.height * (1.0 - score.clamp(0.0, self.top) / self.top)
    }
}

/// Draws the picture.
pub(crate) fn svg(picture: &Picture, span: &Span<'_>) -> String {
    let today = (span.date)(0);
    let groups = groups(&picture.curves, today);
    let highest = picture.curves.iter().flat_map(|curve| &curve.points);
    let highest = highest.map(|(_, score)| *score).fold(0.0, f64::max);
    let least = picture.levels.first().map_or(1.0, |(level, _)| level * 1.1);
    let heights: Vec<f64> = groups.iter().map(|group| group.lines.len() as f64 * LINE).collect();
    let labels = heights.iter().map(|height| height + GAP).sum::<f64>();
    let scale = Scale {
        days: f64::from(span.days.max(1)),
        top: (highest * 1.05).max(least),
        height: labels.max(HEIGHT),
    };
    let mut out = String::new();
    head(&mut out, picture, span, &scale, today);
    axes(&mut out, picture, span, &scale, today);
    let ends: Vec<f64> = groups.iter().map(|group| scale.y(group.end())).collect();
    let places = spread(&ends, &heights, GAP, (TOP, TOP + scale.height));
    // Spans of what is new lie below all curves.
    for (number, group) in groups.iter().enumerate() {
        if let Some(fresh) = group.curves.first().and_then(|curve| curve.fresh) {
            let part = group.points().take_while(|(day, _)| *day <= fresh);
            put(
                &mut out,
                &format!(
                    "<path class=\"n c{}\" d=\"{}\"/>",
                    number % COLORS.len(),
                    path(&scale, part)
                ),
            );
        }
    }
    for (number, (group, place)) in groups.iter().zip(&places).enumerate() {
        curve(&mut out, group, number, *place, &scale);
    }
    legend(&mut out, picture, &scale);
    out.push_str("</svg>\n");
    out
}

impl Group<'_> {
    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.curves.iter().take(1).flat_map(|curve| curve.points.iter().copied())
    }

    fn end(&self) -> f64 {
        self.points().last().map_or(0.0, |(_, score)| score)
    }
}

/// Puts entries with the same curve together.
fn groups(curves: &[Curve], today: Date) -> Vec<Group<'_>> {
    let mut groups: Vec<Vec<&Curve>> = Vec::new();
    let same = |one: &Curve, other: &Curve| {
        let near = |(one, other): (&(f64, f64), &(f64, f64))| (one.1 - other.1).abs() < 1e-4;
        let fresh = |curve: &Curve| curve.fresh.map(|days| (days * 100.0).round());
        one.points.iter().zip(&other.points).all(near) && fresh(one) == fresh(other)
    };
    for curve in curves {
        match groups.iter_mut().find(|group| group.first().is_some_and(|it| same(it, curve))) {
            Some(group) => group.push(curve),
            None => groups.push(vec![curve]),
        }
    }
    groups
        .into_iter()
        .map(|curves| {
            let named = if curves.len() > NAMES { NAMES - 1 } else { curves.len() };
            let mut lines: Vec<(&str, String)> = curves
                .iter()
                .take(named)
                .map(|curve| (&*curve.short, said(curve, today)))
                .collect();
            if named < curves.len() {
                let rest: Vec<&str> = curves.iter().skip(named).map(|it| &*it.short).collect();
                let text = format!("and {} more: {}", rest.len(), rest.join(" "));
                lines.push(("", shortened(&text, COLUMNS)));
            }
            Group { curves, lines }
        })
        .collect()
}

/// Returns what is said of an entry beside its id.
fn said(curve: &Curve, today: Date) -> String {
    let leaves = curve
        .leaves
        .map_or_else(String::new, |(date, _)| format!("leaves {}: ", date.in_words(today)));
    let text = safe_text::terminal(&curve.text);
    shortened(&format!("{leaves}{text}"), COLUMNS.saturating_sub(curve.short.width() + 1))
}

/// Shortens a text to so many columns.
fn shortened(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    for grapheme in text.graphemes(true) {
        if short.width() + grapheme.width() >= columns {
            break;
        }
        short.push_str(grapheme);
    }
    format!("{}…", short.trim_end())
}

/// Writes the beginning: what the picture says in words, its colours, and the titles.
fn head(out: &mut String, picture: &Picture, span: &Span<'_>, scale: &Scale, today: Date) {
    let height = TOP + scale.height + BOTTOM;
    put(
        out,
        &format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\" aria-labelledby=\"title desc\">"
        ),
    );
    put(out, &format!("<title id=\"title\">{}</title>", escaped(&span.title)));
    let told = picture.curves.iter().map(|curve| {
        let (first, last) = (curve.points.first(), curve.points.last());
        let (first, last) = (first.map_or(0.0, |it| it.1), last.map_or(0.0, |it| it.1));
        let leaves = curve.leaves.map_or_else(String::new, |(date, _)| {
            format!(", leaves the report on {}", date.in_words(today))
        });
        let text = safe_text::terminal(&curve.text);
        let days = span.days;
        format!("{} {text}: {first:.2} now, {last:.2} in {days} days{leaves}.", curve.short)
    });
    let told: Vec<String> = std::iter::once(shown(picture) + ".").chain(told).collect();
    put(out, &format!("<desc id=\"desc\">{}</desc>", escaped(&told.join(" "))));
    out.push_str("<style>\n");
    let colors = |dark: bool| {
        COLORS.iter().enumerate().fold(String::new(), |mut rules, (number, (white, black))| {
            let color = if dark { black } else { white };
            // Writing to a string cannot fail.
            let _ = write!(rules, ".c{number}{{stroke:{color}}}.t{number}{{fill:{color}}}");
            rules
        })
    };
    out.push_str(
        "text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;\
         fill:#1f2328}\n.h{font-size:18px;font-weight:600}.m{fill:#57606a}.i{font-weight:600}\n\
         .bg{fill:#fff}.b0{fill:#e9f3ec}.b1{fill:#f5f6f7}.b2{fill:#edf0f3}.b3{fill:#f8f1ef}\n\
         .g{stroke:#d0d7de;fill:none}.l{fill:none;stroke-width:2.2;stroke-linejoin:round}\n\
         .n{fill:none;stroke-width:9;stroke-opacity:.25;stroke-linecap:round}\n\
         .k{fill:none;stroke-width:1;stroke-opacity:.75}.o{fill:#fff;stroke-width:2.2}\n",
    );
    put(out, &colors(false));
    out.push_str(
        "@media (prefers-color-scheme:dark){\ntext{fill:#e6edf3}.m{fill:#9aa4af}.bg,.o{fill:#0d1117}\n\
         .b0{fill:#12231a}.b1{fill:#161b22}.b2{fill:#1b2028}.b3{fill:#241a19}.g{stroke:#30363d}\n\
         .n{stroke-opacity:.35}\n",
    );
    put(out, &format!("{}\n}}\n</style>", colors(true)));
    put(out, &format!("<rect class=\"bg\" width=\"{WIDTH:.0}\" height=\"{height:.0}\"/>"));
    put(out, &format!("<text class=\"h\" x=\"16\" y=\"28\">{}</text>", escaped(&span.title)));
    put(out, &format!("<text class=\"m\" x=\"16\" y=\"48\">{}</text>", escaped(&shown(picture))));
}

/// Says which entries are drawn, and what is left out.
fn shown(picture: &Picture) -> String {
    let (drawn, all) = (picture.curves.len(), picture.all);
    let entries = if all == 1 { "entry" } else { "entries" };
    match (drawn, picture.named) {
        (0, _) => "No entry fades".to_owned(),
        (_, true) if drawn == all => format!("{drawn} {entries}, as named"),
        (_, true) => format!("{drawn} of {all} shown: the others are pinned or forgotten"),
        (1, false) if drawn == all => "The only entry that fades".to_owned(),
        (_, false) if drawn == all => format!("All {all} {entries} that fade"),
        (_, false) => format!(
            "{drawn} of {all} shown: those that leave the report or change first; name others to \
             see them"
        ),
    }
}

/// Draws the states as bands, and the dates.
fn axes(out: &mut String, picture: &Picture, span: &Span<'_>, scale: &Scale, today: Date) {
    let bottom = TOP + scale.height;
    let width = RIGHT - LEFT;
    let mut above = scale.top;
    let names = picture.levels.iter().copied().chain([(0.0, "dropped")]);
    let names: Vec<(f64, &str)> = if picture.levels.is_empty() {
        [0.75, 0.5, 0.25, 0.0].map(|level| (level, "")).to_vec()
    } else {
        names.collect()
    };
    for (number, (level, name)) in names.iter().enumerate() {
        let (high, low) = (scale.y(above), scale.y(*level));
        let band = if picture.levels.is_empty() { 1 } else { number.min(3) };
        put(
            out,
            &format!(
                "<rect class=\"b{band}\" x=\"{LEFT:.0}\" y=\"{high:.1}\" width=\"{width:.0}\" \
             height=\"{:.1}\"/>",
                low - high
            ),
        );
        put(out, &format!("<path class=\"g\" d=\"M{LEFT:.0} {low:.1}H{RIGHT:.0}\"/>"));
        put(
            out,
            &format!(
                "<text class=\"m\" x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{level}</text>",
                LEFT - 8.0,
                low + 4.0
            ),
        );
        if low - high >= LINE {
            let middle = f64::midpoint(high, low) + 4.0;
            put(out, &format!("<text class=\"m\" x=\"16\" y=\"{middle:.1}\">{name}</text>"));
        }
        above = *level;
    }
    let step = STEPS.into_iter().find(|step| span.days / step <= 7).unwrap_or(span.days / 7);
    for day in (0..=span.days).step_by(step.max(1) as usize) {
        let x = scale.x(day.into());
        put(out, &format!("<path class=\"g\" d=\"M{x:.1} {TOP:.0}V{bottom:.1}\"/>"));
        let date = tick((span.date)(day), today);
        let anchor = if x > RIGHT - 20.0 { "end" } else { "middle" };
        let y = bottom + 18.0;
        put(
            out,
            &format!(
                "<text class=\"m\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{date}</text>"
            ),
        );
    }
}

/// Formats a date of the axis: `8 Sep`, and `Sep 2027` in another year.
fn tick(date: Date, today: Date) -> String {
    let words = date.in_words(today);
    let mut words = words.split(' ');
    let day = words.next().unwrap_or_default();
    let month: String = words.next().unwrap_or_default().chars().take(3).collect();
    match words.next() {
        Some(year) => format!("{month} {year}"),
        None => format!("{day} {month}"),
    }
}

/// Draws the curve of a group, where each of its entries leaves the report, and its label at `place`.
fn curve(out: &mut String, group: &Group<'_>, number: usize, place: f64, scale: &Scale) {
    let color = number % COLORS.len();
    let dash = DASHES.get(number % DASHES.len()).copied().unwrap_or_default();
    let dash = match dash {
        "" => String::new(),
        dash => format!(" stroke-dasharray=\"{dash}\""),
    };
    let line = path(scale, group.points());
    put(out, &format!("<path class=\"l c{color}\"{dash} d=\"{line}\"/>"));
    let mut marked: Vec<f64> = Vec::new();
    for (_, day) in group.curves.iter().filter_map(|curve| curve.leaves) {
        if !marked.contains(&day) {
            marked.push(day);
            let (x, y) = (scale.x(day), scale.y(score_at(group, day)));
            put(
                out,
                &format!("<circle class=\"o c{color}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>"),
            );
        }
    }
    let height = group.lines.len() as f64 * LINE;
    let (end, middle) = (scale.y(group.end()), place + height / 2.0);
    let lead = LABEL - 8.0;
    put(
        out,
        &format!("<path class=\"k c{color}\" d=\"M{RIGHT:.0} {end:.1}L{lead:.0} {middle:.1}\"/>"),
    );
    if group.lines.len() > 1 {
        let (from, to) = (place + 2.0, place + height - 2.0);
        put(out, &format!("<path class=\"k c{color}\" d=\"M{lead:.0} {from:.1}V{to:.1}\"/>"));
    }
    for (row, (id, text)) in group.lines.iter().enumerate() {
        let y = place + (row as f64 + 1.0) * LINE - 3.5;
        let id = match *id {
            "" => String::new(),
            id => format!("<tspan class=\"i t{color}\">{}</tspan> ", escaped(id)),
        };
        put(out, &format!("<text x=\"{LABEL:.0}\" y=\"{y:.1}\">{id}{}</text>", escaped(text)));
    }
}

/// Explains the marks that the picture has.
fn legend(out: &mut String, picture: &Picture, scale: &Scale) {
    let y = TOP + scale.height + BOTTOM - 16.0;
    let mut x = LEFT;
    let mut part = |mark: String, text: &str| {
        put(out, &format!("<g transform=\"translate({x:.0} {:.1})\">{mark}</g>", y - 4.0));
        put(out, &format!("<text class=\"m\" x=\"{:.0}\" y=\"{y:.1}\">{text}</text>", x + 34.0));
        x += 34.0 + text.len() as f64 * 6.5 + 24.0;
    };
    if picture.curves.iter().any(|curve| curve.fresh.is_some()) {
        let mark = "<path class=\"n c0\" d=\"M4 0H22\"/><path class=\"l c0\" d=\"M0 0H26\"/>";
        part(mark.to_owned(), "new: counts as active");
    }
    if picture.curves.iter().any(|curve| curve.leaves.is_some()) {
        let mark =
            "<path class=\"l c0\" d=\"M0 0H26\"/><circle class=\"o c0\" cx=\"13\" r=\"4.5\"/>";
        part(mark.to_owned(), "leaves the report");
    }
}

/// Returns the score of a group on a day, between two points if need be.
fn score_at(group: &Group<'_>, day: f64) -> f64 {
    let mut before = (0.0, 0.0);
    for (at, score) in group.points() {
        if at >= day {
            let share = if at > before.0 { (day - before.0) / (at - before.0) } else { 1.0 };
            return before.1 + (score - before.1) * share;
        }
        before = (at, score);
    }
    before.1
}

fn path(scale: &Scale, points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (number, (day, score)) in points.enumerate() {
        let step = if number == 0 { 'M' } else { 'L' };
        // Writing to a string cannot fail.
        let _ = write!(path, "{step}{:.1} {:.1}", scale.x(day), scale.y(score));
    }
    path
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}

fn put(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(short: &str, strength: f64, leaves: Option<f64>) -> Curve {
        let date = Date::parse("2026-07-11").unwrap();
        Curve {
            short: short.to_owned(),
            text: format!("Entry <{short}> & \"more\""),
            points: (0..=30)
                .map(|day| (day.into(), strength * (-f64::from(day) / 30.0).exp()))
                .collect(),
            fresh: (strength < 1.0).then_some(20.0),
            leaves: leaves.map(|days| (date, days)),
        }
    }

    fn drawn(curves: Vec<Curve>, all: usize, named: bool) -> String {
        let levels = vec![(1.5, "active"), (0.7, "provisional"), (0.4, "candidate")];
        let picture = Picture { curves, all, named, levels };
        let first = Date::parse("2026-06-30").unwrap();
        svg(&picture, &Span { title: "Decay <&>".to_owned(), days: 30, date: &|_| first })
    }

    #[test]
    fn a_picture_says_what_it_shows() {
        let made =
            drawn(vec![curve("a1b2", 0.69, Some(11.0)), curve("c3d4", 2.0, None)], 40, false);
        assert!(made.starts_with("<svg ") && made.ends_with("</svg>\n"));
        for part in [
            ">a1b2</tspan> leaves 11 July: Entry &lt;a1b2&gt; &amp; &quot;more&quot;<",
            ">2 of 40 shown: those that leave the report or change first",
            "a1b2 Entry &lt;a1b2&gt; &amp; &quot;more&quot;: 0.69 now, 0.25 in 30 days, leaves the \
             report on 11 July.",
            ">Decay &lt;&amp;&gt;<",
            ">active<",
            ">dropped<",
            ">new: counts as active<",
            ">leaves the report<",
            "prefers-color-scheme:dark",
        ] {
            assert!(made.contains(part), "{part}\n{made}");
        }
        assert_eq!(made.matches("<circle").count(), 2, "one on the curve, one in the legend");
        assert!(!made.contains("href") && !made.contains("url("), "nothing from outside");
        let all = drawn(vec![curve("a1b2", 2.0, None)], 1, false);
        assert!(all.contains("The only entry that fades") && !all.contains("leaves"), "{all}");
        assert!(drawn(Vec::new(), 0, false).contains("No entry fades"));
    }

    #[test]
    fn equal_curves_are_drawn_once() {
        let names = ["a1", "b2", "c3", "d4", "e5", "f6"];
        let made = drawn(names.map(|name| curve(name, 1.0, None)).to_vec(), 6, true);
        assert_eq!(made.matches("class=\"l ").count(), 1);
        assert!(made.contains("and 3 more: d4 e5 f6"), "{made}");
    }

    #[test]
    fn labels_and_looks_differ() {
        let curves = (0..40).map(|n| curve(&format!("{n:04}"), 0.5 + f64::from(n) * 0.01, None));
        let made = drawn(curves.collect(), 40, true);
        let looks: std::collections::BTreeSet<&str> = made
            .lines()
            .filter(|line| line.starts_with("<path class=\"l "))
            .map(|line| line.split(" d=").next().unwrap())
            .collect();
        assert_eq!(looks.len(), 40);
        let mut rows: Vec<f64> = made
            .lines()
            .filter_map(|line| line.strip_prefix("<text x=\"660\" y=\""))
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        rows.sort_by(f64::total_cmp);
        assert_eq!(rows.len(), 40);
        assert!(rows.windows(2).all(|pair| pair[1] - pair[0] >= LINE), "{rows:?}");
    }
}

//! Charts: columns of Unicode blocks for a terminal, and curves as SVG.

use plotters::{
    prelude::{
        ChartBuilder, IntoDrawingArea, IntoFont, LineSeries, Palette, Palette99, PathElement,
        SVGBackend, SeriesLabelPosition, Text, WHITE,
    },
    style::{
        BLACK, Color, RGBColor,
        text_anchor::{HPos, Pos, VPos},
    },
};

use pimem_core::view::forecast::Curve;

/// Number of rows in a column chart.
const ROWS: usize = 6;
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws columns proportional to the values, in lines of at most `width` columns with a scale at
/// the left. A column of full height stands for `top`. If there are more values than columns, each
/// column shows the maximum of a group of values.
pub(crate) fn columns(values: &[u32], top: u32, width: usize) -> Vec<String> {
    let top = top.max(values.iter().copied().max().unwrap_or(0)).max(1);
    let room = width.saturating_sub(top.to_string().len() + 2).max(1);
    let highest = |part: &[u32]| part.iter().copied().max().unwrap_or(0);
    let values: Vec<u32> = values.chunks(values.len().div_ceil(room).max(1)).map(highest).collect();
    let eighths = |value: u32| {
        let full = (ROWS * 8) as u64 * u64::from(value);
        usize::try_from(full.div_ceil(u64::from(top))).unwrap_or(0)
    };
    let width = top.to_string().len();
    let line = |row: usize| {
        let bars = values.iter().map(|value| {
            BLOCKS.get(eighths(*value).saturating_sub(row * 8).min(8)).copied().unwrap_or(' ')
        });
        let scale = match row {
            0 => "0".to_owned(),
            row if row + 1 == ROWS => top.to_string(),
            _ => String::new(),
        };
        format!("{scale:>width$} │{}", bars.collect::<String>())
    };
    (0..ROWS).rev().map(line).collect()
}

/// Draws the values as one line of blocks, at most `width` columns wide. If there are more values
/// than columns, each column shows the maximum of a group of values.
pub(crate) fn sparkline(values: &[usize], width: usize) -> String {
    let top = values.iter().copied().max().unwrap_or(0).max(1);
    let group = values.len().div_ceil(width.max(1)).max(1);
    let block = |values: &[usize]| {
        let value = values.iter().copied().max().unwrap_or(0);
        BLOCKS.get((value.saturating_mul(8)).div_ceil(top).min(8)).copied().unwrap_or(' ')
    };
    values.chunks(group).map(block).collect()
}

/// Height of the plot and of a line in the legend, in pixels.
const HEIGHT: f64 = 450.0;
const LINE: f64 = 16.0;

/// Draws curves over `days` days as SVG, with a grey line for each of `levels`.
pub(crate) fn svg(
    title: &str,
    curves: &[Curve],
    days: f64,
    levels: &[(f64, &str)],
) -> Option<String> {
    let mut picture = String::new();
    let highest = |curve: &Curve| curve.points.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    // The legend is above the curves.
    let names = (curves.len() as f64 * LINE + LINE).min(HEIGHT / 2.0);
    let top = curves.iter().map(highest).fold(1.6, f64::max) * HEIGHT / (HEIGHT - names);
    {
        let area = SVGBackend::with_string(&mut picture, (960, 540)).into_drawing_area();
        area.fill(&WHITE).ok()?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 20).into_font())
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(48)
            .build_cartesian_2d(0.0..days, 0.0..top)
            .ok()?;
        let mesh = &mut chart.configure_mesh();
        mesh.x_desc("days from now")
            .y_desc("stability score")
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(235, 235, 235));
        mesh.draw().ok()?;
        let grey = RGBColor(120, 120, 120);
        let right = Pos::new(HPos::Right, VPos::Bottom);
        let small = ("sans-serif", 12).into_font().color(&grey).pos(right);
        for (level, name) in levels {
            let line = LineSeries::new([(0.0, *level), (days, *level)], grey.stroke_width(1));
            chart.draw_series(line).ok()?;
            let label = Text::new(format!("{name} from {level}"), (days, *level), small.clone());
            chart.draw_series([label]).ok()?;
        }
        for (number, curve) in curves.iter().enumerate() {
            let color = Palette99::pick(number).stroke_width(2);
            let line = LineSeries::new(curve.points.iter().copied(), color);
            let legend = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color);
            chart.draw_series(line).ok()?.label(&curve.name).legend(legend);
        }
        let mut labels = chart.configure_series_labels();
        labels.position(SeriesLabelPosition::UpperRight).background_style(WHITE.mix(0.8));
        labels.border_style(BLACK).draw().ok()?;
        area.present().ok()?;
    }
    Some(picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_high_as_their_values() {
        let got = columns(&[0, 1, 24, 48], 48, 80);
        let want = ["48 │   █", "   │   █", "   │   █", "   │  ██", "   │  ██", " 0 │ ▁██"];
        assert_eq!(got, want);
        assert_eq!(columns(&[5], 1, 80)[0], "5 │█");
        assert_eq!(columns(&[], 0, 80).len(), ROWS);
        let narrow = columns(&[48, 1, 24, 47, 3, 0, 2], 48, 8);
        assert_eq!(narrow[5], " 0 │██▃▂", "two days a column");
    }

    #[test]
    fn a_line_of_blocks_fits() {
        for (values, width, want) in [
            (vec![0, 1, 4, 8], 80, " ▁▄█"),
            (vec![0, 0], 80, "  "),
            (vec![1_000_000, 1], 80, "█▁"),
            (vec![3, 0, 0, 3, 6, 1], 3, "▄▄█"),
            (vec![3, 0, 0, 3, 6], 4, "▄▄█"),
            (vec![2, 1], 0, "█"),
            (vec![], 80, ""),
        ] {
            assert_eq!(sparkline(&values, width), want, "{values:?} in {width}");
        }
    }

    #[test]
    fn a_picture_has_every_curve() {
        let curve =
            |name: &str| Curve { name: name.to_owned(), points: vec![(0.0, 2.0), (30.0, 0.1)] };
        let made =
            svg("Decay <&>", &[curve("a1b2"), curve("c3d4")], 30.0, &[(1.5, "active")]).unwrap();
        assert!(made.starts_with("<svg ") && made.trim_end().ends_with("</svg>"));
        for part in ["a1b2", "c3d4", "active from 1.5", "Decay &lt;&amp;&gt;", "days from now"] {
            assert!(made.contains(part), "{part}");
        }
    }
}

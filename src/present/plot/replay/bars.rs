//! Bars, a row each of what is compared, in panels beside each other: means of small jobs, large jobs and all, or
//! any other figures.

use super::data::{BarPanel, Bars, Labelled};
use super::groups::{EVERY_SIZE, GROUPS};
use crate::plot::chart::{BELOW, Panel, TOP, WIDTH, draw_panel_title, side_by_side};
use crate::plot::drawing::Figure;
use crate::plot::element::Stroke;
use crate::plot::palette::look_of_slot;
use crate::plot::scale::{Scale, format_fixed, format_thousands, lowest_and_highest};
use crate::plot::text::Text;
use nodeorder_base::Result;

/// Height of a bar with the gap to the next, in pixels.
const EACH: f64 = 22.0;
/// Width, in pixels, of the room for a number right of a panel's bars.
const NUMBER: f64 = 52.0;
/// Height, in pixels, of the room above the bars for the names of the panels.
const NAMES: f64 = 22.0;
/// Number of panels in a row.
const ACROSS: usize = 3;

/// A value and half its interval.
type Measured = (Option<f64>, Option<f64>);

impl<'a> Figure<'a> {
    /// Draws means of small jobs, large jobs and all, a bar an allocator (Figs 32 and 33). `what` is
    /// the name of the value with its unit, such as `mean MIND (hops)`.
    ///
    /// # Errors
    /// No mean in any row.
    pub fn plot_averages(title: &str, what: &'a str, rows: &[Bars<'a>]) -> Result<Self> {
        let panels = GROUPS.map(|name| BarPanel {
            name,
            axis: what,
            decimals: 1,
        });
        Figure::plot_bars(title, EVERY_SIZE, &panels, rows)
    }

    /// Draws any figures: a bar for each row in each of `panels`, of which the row's data has one value each; after
    /// these may stand half the interval of each, and then a dot with its interval is drawn in the place of the bar.
    /// Panels whose axes have one name share their scale.
    ///
    /// # Errors
    /// No value in any row.
    pub fn plot_bars(
        title: &str,
        note: &'a str,
        panels: &[BarPanel<'a>],
        rows: &[Labelled<'a, impl AsRef<[Option<f64>]>>],
    ) -> Result<Self> {
        let finite =
            |value: Option<&Option<f64>>| value.copied().flatten().filter(|v| v.is_finite());
        let mut values: Vec<(BarPanel<'a>, Vec<Measured>)> = Vec::new();
        for (i, panel) in panels.iter().enumerate() {
            let data = rows.iter().map(|row| row.data.as_ref());
            let each = data.map(|data| (finite(data.get(i)), finite(data.get(panels.len() + i))));
            values.push((*panel, each.collect()));
        }
        let description = values.iter().map(|(panel, values)| {
            let each = rows
                .iter()
                .zip(values)
                .map(|(row, v)| (row.label, panel.format_value(v.0)));
            let each: Vec<String> = each.map(|(label, v)| format!("{label} {v}")).collect();
            format!("{}, {}: {}", panel.axis, panel.name, each.join("; "))
        });
        let description = format!("{}.", description.collect::<Vec<_>>().join(". "));
        let rows: Vec<(&str, usize)> = rows.iter().map(|row| (row.label, row.slot)).collect();
        let count = rows.len() as f64;
        // Bars of one unit are compared between panels by their lengths.
        let shared = panels.iter().all(|p| p.axis == panels[0].axis);
        // Four are two and two.
        let across = if panels.len() == 4 {
            2
        } else {
            panels.len().clamp(1, ACROSS)
        };
        let high = count * EACH + 4.0;
        let step = NAMES + high + BELOW;
        let range = |values: &[&Vec<Measured>]| {
            let each = values.iter().copied().flatten();
            let ends = each.filter_map(|(value, half)| {
                let half = half.unwrap_or(0.0);
                Some([(*value)? - half, (*value)? + half])
            });
            lowest_and_highest(ends.flatten())
        };
        let all = range(&values.iter().map(|(_, v)| v).collect::<Vec<_>>());
        let size = (WIDTH, TOP + panels.len().div_ceil(across) as f64 * step);
        let panels = values.len();
        Figure::new((title, note), description, size, move |pen| {
            let text = Text::new(12.0);
            let y = Scale::named_rows(rows.iter().map(|row| row.0));
            let columns: Vec<_> = side_by_side(&y, across).collect();
            for (i, (panel, values)) in values.iter().enumerate() {
                let (left, end) = columns[i % across];
                let top = TOP + NAMES + (i / across) as f64 * step;
                draw_panel_title(pen, (left, top - NAMES + 8.0), panel.name, end - left)?;
                let range = if shared { all } else { range(&[values]) };
                let x = Scale::tight_ends(range.unwrap_or((0.0, 1.0)), 5);
                // One name in the middle is enough for three that share it.
                let beside = across.min(panels - i / across * across);
                let named = !shared || beside < ACROSS || i % across == 1;
                let x_name = if named { panel.axis } else { "" };
                // A blank keeps the labels of the rows, which an empty name would leave out.
                let y_name = if i % across == 0 { " " } else { "" };
                let ends = (left, end - NUMBER);
                let mut chart = Panel::place_panel(ends, (top, high), (&x, x_name), (&y, y_name))
                    .draw_with(pen, (true, false))?;
                for (i, ((_, slot), (mean, half))) in rows.iter().zip(values).enumerate() {
                    let middle = count - i as f64 - 0.5;
                    let look = look_of_slot(*slot);
                    if let (Some(mean), Some(half)) = (mean, half) {
                        let line = [(mean - half, middle), (mean + half, middle)];
                        chart.draw_line(line, &Stroke::solid_line(look.colour, 2.0))?;
                        chart.draw_marks([(*mean, middle)], look)?;
                    } else {
                        let bar =
                            // From zero to either side, so that losses point to the left.
                            mean.map(|m| [(m.min(0.0), middle - 0.34), (m.max(0.0), middle + 0.34)]);
                        chart.draw_bars(bar, look.colour)?;
                    }
                    let at = (end - 4.0, chart.to_pixel((0.0, middle)).1 + 4.5);
                    pen.draw_text(at, &panel.format_value(*mean), &text.right_aligned())?;
                }
                chart.draw_zero_line()?;
            }
            Ok(())
        })
        .if_drawable(all.is_some(), "no mean in any row")
    }
}

impl BarPanel<'_> {
    /// Formats a value as it stands beside its bar.
    fn format_value(&self, value: Option<f64>) -> String {
        match value {
            None => "–".into(),
            Some(v) if v >= 1e4 => format_thousands(v.round() as u64),
            Some(v) => format_fixed(v, self.decimals),
        }
    }
}

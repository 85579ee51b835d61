//! Smallest, mean and largest mean distance against job size: a band and a line.

use super::data::{Range, Spread, labels_and_legend};
use super::scatter::mark_points;
use crate::plot::chart::{BELOW, Chart, LOG_SIZES, Panel, TOP};
use crate::plot::drawing::Figure;
use crate::plot::element::{BAND, Point, Sample, Stroke};
use crate::plot::palette::look_of_slot;
use crate::plot::scale::{Scale, lowest_and_highest};
use nodeorder_base::Result;

const PANEL: f64 = 430.0;
/// The narrowest stretch of a band, in pixels.
const STRETCH: f64 = 2.0;
/// Largest distance, in pixels, by which the band of a size reaches towards a size that is not the next number.
const REACH: f64 = 6.0;
/// Smallest distance between two marks, in pixels.
const MARKS: f64 = 24.0;

/// Sorts the sizes, and leaves out what cannot be drawn.
fn drawable_ranges(sizes: &[Spread]) -> Vec<Spread> {
    let mut sizes: Vec<Spread> = sizes
        .iter()
        .filter(|s| s.size > 0 && [s.least, s.mean, s.most].iter().all(|v| v.is_finite()))
        .copied()
        .collect();
    sizes.sort_by_key(|s| s.size);
    sizes
}

/// Lays out stretches of a band in pixels: left, right, lowest and highest value. Each size reaches half way to its
/// neighbours, but not far where sizes between them are missing; sizes that share a stretch of two pixels share its
/// lowest and highest. `ends` are the chart's left and right.
fn lay_out_band(
    sizes: &[Spread],
    chart: &Chart<'_, '_>,
    ends: (f64, f64),
) -> Vec<(f64, f64, f64, f64)> {
    let at: Vec<f64> = sizes
        .iter()
        .map(|s| chart.to_pixel((f64::from(s.size), 0.0)).0)
        .collect();
    // Where the stretches of size i and of the next one end and start.
    let between = |i: usize| {
        let half = f64::midpoint(at[i], at[i + 1]);
        match sizes[i + 1].size - sizes[i].size {
            // Neighbouring sizes share the room between them; over missing ones a band would claim values that no job
            // had.
            0 | 1 => (half, half),
            _ => (half.min(at[i] + REACH), half.max(at[i + 1] - REACH)),
        }
    };
    let mut stretches: Vec<(f64, f64, f64, f64)> = Vec::new();
    for (i, spread) in sizes.iter().enumerate() {
        let left = if i == 0 {
            at[i] - REACH
        } else {
            between(i - 1).1
        };
        let right = if i + 1 == sizes.len() {
            at[i] + REACH
        } else {
            between(i).0
        };
        let left = left.max(ends.0);
        let right = right.min(ends.1);
        match stretches.last_mut() {
            Some((from, to, low, high)) if *to - *from < STRETCH && left - *to < STRETCH => {
                (*to, *low, *high) = (right, low.min(spread.least), high.max(spread.most));
            }
            _ => stretches.push((left, right, spread.least, spread.most)),
        }
    }
    stretches
}

impl Figure<'_> {
    /// Draws smallest, mean and largest MIND against job size (Figs 45 to 52): a band and the line of the means.
    /// For one allocator or two; bands of more hide each other.
    ///
    /// # Errors
    /// No size in any row.
    pub fn plot_ranges(title: &str, rows: &[Range<'_>]) -> Result<Self> {
        let (names, legend) = labels_and_legend(rows, Sample::Band);
        let description = format!(
            "Smallest, mean and largest mean distance within jobs (MIND, hops) against job size \
             in nodes on a logarithmic axis: {names}."
        );
        let rows: Vec<_> = rows
            .iter()
            .map(|row| (look_of_slot(row.slot), drawable_ranges(row.data)))
            .collect();
        let spreads = || rows.iter().flat_map(|(_, sizes)| sizes);
        let values = lowest_and_highest(spreads().flat_map(|s| [s.least, s.most]));
        let sizes = lowest_and_highest(spreads().map(|s| f64::from(s.size))).unwrap_or((1.0, 2.0));
        let title = (
            title,
            "line: mean of the jobs of a size; band: smallest to largest",
        );
        Figure::new(
            title,
            description,
            legend.figure_size(TOP, PANEL + BELOW),
            move |pen| {
                let y = Scale::linear(values.unwrap_or((0.0, 1.0)), 8);
                let left = y.label_room();
                let right = legend.panel_right();
                let x = Scale::logarithmic(sizes, right - left);
                let x = (&x, LOG_SIZES);
                let y = (&y, "MIND: mean distance within a job (hops)");
                let mut chart =
                    Panel::place_panel((left, right), (TOP, PANEL), x, y).draw_axes(pen)?;
                // All bands before all lines: a band must not cover the mean of another allocator.
                for (look, sizes) in rows.iter().rev() {
                    for (from, to, low, high) in lay_out_band(sizes, &chart, (left, right)) {
                        let top = chart.to_pixel((1.0, high)).1;
                        let bottom = chart.to_pixel((1.0, low)).1;
                        let size = (to - from, bottom - top + 1.0);
                        pen.draw_tint((from, top - 0.5), size, look.colour, BAND)?;
                    }
                }
                for (i, (look, sizes)) in rows.iter().enumerate().rev() {
                    let line = sizes.iter().map(|s| (f64::from(s.size), s.mean));
                    chart.draw_line(line.clone(), &Stroke::line_of_look(*look, 1.9))?;
                    let mut apart: Vec<Point> = Vec::new();
                    for point in line {
                        let x = |p: Point| chart.to_pixel(p).0;
                        if apart.last().is_none_or(|last| x(point) - x(*last) >= MARKS) {
                            apart.push(point);
                        }
                    }
                    chart.draw_marks(mark_points(&apart, i), *look)?;
                }
                legend.draw(pen, TOP - 3.0)
            },
        )
        .if_drawable(values.is_some(), "no size in any row")
    }
}

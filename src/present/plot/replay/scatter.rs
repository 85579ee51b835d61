//! Values against job size: every size where they can be told apart, else dots and a line of medians.

use std::collections::HashSet;

use super::data::drawable_points;
use crate::plot::chart::Chart;
use crate::plot::element::{Point, Stroke};
use crate::plot::palette::look_of_slot;
use crate::plot::scale::{Scale, format_thousands, lowest_and_highest};
use nodeorder_base::Result;

/// Number of bins in each octave (doubling) of job sizes.
const BINS: f64 = 4.0;
/// Number of values from which on the axis leaves out the lowest and the highest hundredth.
const MANY: usize = 200;
/// Number of points of a line up to which each point has a mark.
const MARK_ALL: usize = 8;

/// One line: its points, cleaned, and what is drawn of them.
pub struct Curve {
    slot: usize,
    /// Size and value, ascending.
    points: Vec<Point>,
    /// The medians, a bin each; the points themselves where no bin has two.
    line: Vec<Point>,
}

impl Curve {
    pub fn new(slot: usize, points: &[(u32, f64)]) -> Self {
        let mut points = drawable_points(points.iter().copied());
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let line = bin_medians(&points);
        Curve { slot, points, line }
    }

    fn is_binned(&self) -> bool {
        self.line.len() < self.points.len()
    }
}

/// Lines of one panel.
pub struct Scatter(pub Vec<Curve>);

impl Scatter {
    fn all_points(&self) -> impl Iterator<Item = Point> {
        self.0.iter().flat_map(|c| &c.points).copied()
    }

    /// Finds the smallest and the largest size.
    pub fn size_range(&self) -> Option<(f64, f64)> {
        lowest_and_highest(self.all_points().map(|p| p.0))
    }

    /// Finds the values that the axis must hold: all of few; all lines and 98 of 100 of many.
    pub fn axis_values(&self) -> (f64, f64) {
        let mut all: Vec<f64> = self.all_points().map(|p| p.1).collect();
        all.sort_by(f64::total_cmp);
        let cut = if all.len() < MANY { 0 } else { all.len() / 100 };
        let kept = all.get(cut..all.len() - cut).unwrap_or_default();
        let ends = kept.first().into_iter().chain(kept.last()).copied();
        // Lines must not leave the picture, wherever the odd values lie that are cut off.
        let lines = self.0.iter().flat_map(|c| &c.line).map(|p| p.1);
        lowest_and_highest(ends.chain(lines)).unwrap_or((0.0, 0.0))
    }

    /// Notes what dots and medians are; empty where every size is a point of a line.
    pub fn describe_dots(&self, scale: &Scale) -> String {
        if !self.0.iter().any(Curve::is_binned) {
            return String::new();
        }
        let sizes: HashSet<u64> = self.all_points().map(|p| p.0 as u64).collect();
        let outside = self.all_points().filter(|p| !scale.is_within(p.1)).count();
        let mut note = format!(
            "{} job sizes: a dot each; lines through the median of every quarter octave",
            format_thousands(sizes.len() as u64)
        );
        match outside {
            0 => {}
            1 => note += "; 1 dot lies outside the picture",
            n => {
                note += &format!(
                    "; {} dots lie outside the picture",
                    format_thousands(n as u64)
                )
            }
        }
        note
    }

    /// Draws dots, then lines, the first on top; `y` is the chart's vertical axis.
    pub fn draw_scatter(&self, chart: &mut Chart<'_, '_>, y: &Scale) -> Result<()> {
        const SIDE: f64 = 2.2;
        for curve in self.0.iter().rev().filter(|c| c.is_binned()) {
            let inside = curve.points.iter().copied().filter(|p| y.is_within(p.1));
            // Dots on the same half pixel are one.
            for (x, y) in chart
                .keep_apart(inside, 0.5)
                .into_iter()
                .map(|p| chart.to_pixel(p))
            {
                let corner = (x - SIDE / 2.0, y - SIDE / 2.0);
                chart
                    .pen
                    .draw_tint(corner, (SIDE, SIDE), look_of_slot(curve.slot).colour, 0.3)?;
            }
        }
        for (i, curve) in self.0.iter().enumerate().rev() {
            let look = look_of_slot(curve.slot);
            chart.draw_line(curve.line.iter().copied(), &Stroke::line_of_look(look, 1.9))?;
            chart.draw_marks(mark_points(&curve.line, i), look)?;
        }
        Ok(())
    }
}

/// Chooses where a line has its marks: everywhere, or at every fifth point, shifted from line to line lest they hide
/// each other.
pub fn mark_points(points: &[Point], line: usize) -> impl Iterator<Item = Point> {
    let few = points.len() <= MARK_ALL;
    points
        .iter()
        .enumerate()
        .filter(move |(i, _)| few || (i + 2 * line) % 5 == 2)
        .map(|(_, p)| *p)
}

/// Computes the median value of each bin of sizes, at the mean of their logarithms. Bins are quarters of an octave:
/// up to 8 nodes, every size is one of its own.
fn bin_medians(points: &[Point]) -> Vec<Point> {
    // A power of two must open its bin, also where its logarithm is rounded down.
    let bin = |size: f64| (BINS * size.log2() + 1e-9).floor();
    points
        .chunk_by(|a, b| bin(a.0) == bin(b.0))
        .map(|chunk| {
            let mut values: Vec<f64> = chunk.iter().map(|p| p.1).collect();
            values.sort_by(f64::total_cmp);
            let low = values[(values.len() - 1) / 2];
            let high = values[values.len() / 2];
            let logs: f64 = chunk.iter().map(|p| p.0.ln()).sum();
            // The exponential of a logarithm would miss the whole number by its last bits.
            let size = if chunk.len() == 1 {
                chunk[0].0
            } else {
                (logs / chunk.len() as f64).exp()
            };
            (size, f64::midpoint(low, high))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_sizes_stay_and_large_ones_meet_in_their_median() {
        let points = [
            (2, 1.0),
            (3, 2.0),
            (8, 3.0),
            (64, 9.0),
            (66, 4.0),
            (70, 5.0),
            (80, 7.0),
        ];
        let curve = Curve::new(0, &points);
        assert_eq!(curve.line[..3], [(2.0, 1.0), (3.0, 2.0), (8.0, 3.0)]);
        assert_eq!(
            (curve.line.len(), curve.line[3].1, curve.line[4]),
            (5, 5.0, (80.0, 7.0))
        );
        assert!((curve.line[3].0 - (64.0f64 * 66.0 * 70.0).cbrt()).abs() < 1e-9);
        assert!(curve.is_binned() && !Curve::new(0, &points[..3]).is_binned());
    }

    #[test]
    fn bad_values_are_left_out_and_order_does_not_matter() {
        let points = [
            (9, 1.0),
            (0, 5.0),
            (4, f64::NAN),
            (2, 3.0),
            (7, f64::INFINITY),
        ];
        assert_eq!(Curve::new(0, &points).points, [(2.0, 3.0), (9.0, 1.0)]);
    }

    /// A few absurd values neither stretch the axis nor go unmentioned.
    #[test]
    fn outliers_are_counted() {
        let mut points: Vec<(u32, f64)> = (2..402).map(|s| (s, f64::from(s % 50))).collect();
        points[300].1 = -4000.0;
        points[350].1 = 9000.0;
        let scatter = Scatter(vec![Curve::new(0, &points)]);
        assert_eq!(scatter.axis_values(), (0.0, 49.0));
        let note = scatter.describe_dots(&Scale::linear(scatter.axis_values(), 8));
        assert!(note.starts_with("400 job sizes"), "{note}");
        assert!(note.ends_with("; 2 dots lie outside the picture"), "{note}");
    }

    proptest! {
        #[test]
        fn medians_lie_within_the_points(values in prop::collection::vec((1u32..3000, -50f64..100.0), 1..300)) {
            let curve = Curve::new(0, &values);
            let (low, high) = lowest_and_highest(values.iter().map(|p| p.1)).unwrap();
            prop_assert!(curve.line.iter().all(|p| (low..=high).contains(&p.1)));
            prop_assert!(curve.line.windows(2).all(|w| w[0].0 < w[1].0));
        }
    }
}

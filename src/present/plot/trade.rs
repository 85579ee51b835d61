//! Hops and slowdown against job size, one above the other: what closeness gains and what it costs.

use super::chart::{BELOW, LOG_SIZES, Legend, Panel, TOP, join_labels};
use super::drawing::Figure;
use super::element::{Point, Sample, Stroke};
use super::palette::look_of_slot;
use super::scale::{Scale, lowest_and_highest};
use nodeorder_base::Result;

/// Height of a panel, in pixels.
const PANEL: f64 = 250.0;
const LEFT: f64 = 66.0;
/// Marks stand on every so many points of a curve, shifted from curve to curve lest they hide each other.
const MARKED: usize = 3;

/// The two curves of an ordering.
#[derive(Clone, Debug)]
pub struct HopsAndSlowdown<'a> {
    /// Name in the legend.
    pub label: &'a str,
    /// Its number as the user named the orderings.
    pub slot: usize,
    /// Sizes and mean hops.
    pub hops: Vec<Point>,
    /// Sizes and slowdowns.
    pub slowdowns: Vec<Point>,
}

/// Chooses one of the two curves.
type ChooseCurve<'a> = for<'o> fn(&'o HopsAndSlowdown<'a>) -> &'o Vec<Point>;

/// Draws hops above and slowdown below, a curve for each of `orderings`; the first is drawn on top.
///
/// # Errors
/// No slowdown in any curve.
pub fn plot_hops_and_slowdowns<'a>(
    title: &str,
    note: &str,
    orderings: Vec<HopsAndSlowdown<'a>>,
) -> Result<Figure<'a>> {
    let legend = Legend::new(Sample::Curve, orderings.iter().map(|o| (o.label, o.slot)));
    let description = format!(
        "Mean distance in hops, and below it how many times as long communication takes as on a network that never blocks, \
         against job size in nodes on a logarithmic axis. Orderings: {}.",
        join_labels(orderings.iter().map(|o| o.label))
    );
    let sizes = lowest_and_highest(orderings.iter().flat_map(|o| &o.slowdowns).map(|p| p.0));
    let size = legend.figure_size(TOP, 2.0 * (PANEL + BELOW));
    Figure::new((title, note), description, size, move |pen| {
        let right = legend.panel_right();
        let x = Scale::logarithmic(sizes.unwrap_or((2.0, 4.0)), right - LEFT);
        let panels: [(&str, ChooseCurve<'a>); 2] = [
            ("mean distance (hops)", |o| &o.hops),
            ("slowdown (times)", |o| &o.slowdowns),
        ];
        for (i, (name, points)) in panels.into_iter().enumerate() {
            let values = lowest_and_highest(orderings.iter().flat_map(points).map(|p| p.1));
            let high = values.map_or(1.0, |(_, high)| high);
            // No slowdown is below 1.
            let y = match i {
                0 => Scale::linear((0.0, high), 6),
                _ => Scale::from_one(high, 6),
            };
            let top = TOP + i as f64 * (PANEL + BELOW);
            let panel =
                Panel::place_panel((LEFT, right), (top, PANEL), (&x, LOG_SIZES), (&y, name));
            let mut chart = panel.draw_axes(pen)?;
            for (rank, ordering) in orderings.iter().enumerate().rev() {
                let look = look_of_slot(ordering.slot);
                let width = if rank == 0 { 2.4 } else { 1.7 };
                let curve = points(ordering).iter().copied();
                chart.draw_line(curve.clone(), &Stroke::line_of_look(look, width))?;
                chart.draw_marks(curve.skip(rank % MARKED).step_by(MARKED), look)?;
            }
        }
        legend.draw(pen, TOP - 3.0)
    })
    .if_drawable(sizes.is_some(), "no size with a slowdown")
}

//! Mean MIND of replays against the weighted MPC that forecasts it: a panel an allocator, a mark an ordering.

use super::data::{Forecast, Labelled, labels_and_legend};
use crate::plot::chart::{BELOW, Panel, TOP, WIDTH, draw_panel_title, join_labels, side_by_side};
use crate::plot::drawing::Figure;
use crate::plot::element::{Point, Sample};
use crate::plot::palette::{MUTED, look_of_slot};
use crate::plot::scale::{Scale, lowest_and_highest};
use crate::plot::text::Text;
use nodeorder_base::Result;

/// Height of a panel, in pixels.
const PANEL: f64 = 250.0;
/// Height, in pixels, of the room above a panel for its name and text.
const NAMES: f64 = 40.0;
const STEP: f64 = NAMES + PANEL + BELOW;
/// Number of panels in a row.
const ACROSS: usize = 4;

/// Chooses the axis of distances. Orderings far behind would push the good ones into a corner: distances that differ
/// by a factor or more get a logarithmic axis of `room` pixels.
fn distance_axis(bounds: Option<(f64, f64)>, room: f64, most: usize) -> Scale {
    match bounds.unwrap_or((0.0, 1.0)) {
        (low, high) if low >= 1.0 && high >= 2.0 * low => {
            Scale::logarithmic((low / 1.1, high * 1.1), room)
        }
        bounds => Scale::without_zero(bounds, most),
    }
}

impl<'a> Figure<'a> {
    /// Draws the mean MIND of replays against the weighted MPC that forecasts it: a panel for each allocator,
    /// headed by its name and text in `panels`, with a mark for each ordering.
    ///
    /// # Errors
    /// No outcome in any row.
    pub fn plot_prediction(
        title: &str,
        panels: &[(&'a str, &'a str)],
        rows: &[Labelled<'_, Forecast<'_>>],
    ) -> Result<Self> {
        let (names, legend) = labels_and_legend(rows, Sample::Curve);
        let description = format!(
            "Mean distance between a job's nodes in the replay against weighted MPC, in hops, \
             with {}: {names}.",
            join_labels(panels.iter().map(|(name, _)| *name)),
        );
        let finite = |value: f64| Some(value).filter(|v| v.is_finite());
        // The marks of a panel, with their slots.
        let marks = |panel: usize| -> Vec<(usize, Point)> {
            rows.iter()
                .filter_map(|Labelled { slot, data, .. }| {
                    let outcome = data
                        .outcome
                        .get(panel)
                        .copied()
                        .flatten()
                        .and_then(finite)?;
                    Some((*slot, (finite(data.forecast)?, outcome)))
                })
                .collect()
        };
        let panels: Vec<_> = panels
            .iter()
            .zip((0..).map(marks))
            .map(|(p, m)| (*p, m))
            .collect();
        let outcomes = lowest_and_highest(panels.iter().flat_map(|p| &p.1).map(|(_, at)| at.1));
        // Both ranges are those of all panels, so that allocators can be compared from panel to panel.
        let forecasts = lowest_and_highest(rows.iter().filter_map(|r| finite(r.data.forecast)));
        let first_top = TOP + legend.flow_height();
        let size = (
            WIDTH,
            first_top + panels.len().div_ceil(ACROSS) as f64 * STEP,
        );
        let title = (title, "a mark an ordering; lower is better on both axes");
        Figure::new(title, description, size, move |pen| {
            legend.draw_flow(pen)?;
            let x = distance_axis(forecasts, 200.0, 3);
            let y = distance_axis(outcomes, PANEL, 6);
            let columns: Vec<_> = side_by_side(&y, panels.len().clamp(1, ACROSS)).collect();
            for (i, ((name, said), marks)) in panels.iter().enumerate() {
                let top = first_top + (i / ACROSS) as f64 * STEP + NAMES;
                let (left, right) = columns[i % ACROSS];
                draw_panel_title(pen, (left, top - 24.0), name, right - left)?;
                let muted = Text::new(12.0).with_colour(MUTED);
                pen.draw_text(
                    (left, top - 8.0),
                    &muted.cut_to_width(said, right - left),
                    &muted,
                )?;
                let y_name = if i % ACROSS == 0 {
                    "mean MIND in the replay (hops)"
                } else {
                    ""
                };
                let x = (&x, "weighted MPC (hops)");
                let y = (&y, y_name);
                let mut chart =
                    Panel::place_panel((left, right), (top, PANEL), x, y).draw_axes(pen)?;
                for (slot, at) in marks {
                    chart.draw_marks([*at], look_of_slot(*slot))?;
                }
            }
            Ok(())
        })
        .if_drawable(outcomes.is_some(), "no outcome in any row")
    }
}

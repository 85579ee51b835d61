//! MPC as a line and the means that replays gave as marks, against job size: a panel an ordering.

use super::data::{Labelled, Overlay, drawable_points};
use crate::plot::chart::{
    BELOW, LOG_SIZES, Legend, Panel, TOP, WIDTH, draw_panel_title, join_labels, side_by_side,
};
use crate::plot::drawing::Figure;
use crate::plot::element::{Point, Sample, Stroke};
use crate::plot::palette::{INK, Look, Mark, look_of_slot};
use crate::plot::scale::{Scale, lowest_and_highest};
use nodeorder_base::Result;

/// Height of a panel, in pixels.
const PANEL: f64 = 190.0;
/// Height, in pixels, of the room above a panel for its name.
const NAMES: f64 = 24.0;
const STEP: f64 = NAMES + PANEL + BELOW;
/// Number of panels in a row.
const ACROSS: usize = 3;
/// Side, in pixels, of a square in which several marks of one allocator are drawn as one.
const CLOSE: f64 = 2.0;
/// The line of MPC.
const LINE: Look = Look {
    colour: INK,
    dash: &[],
    mark: Mark::Disc,
};

/// A panel's line and its marks, each allocator's in a list.
type PanelMarks = (Vec<Point>, Vec<Vec<Point>>);

impl<'a> Figure<'a> {
    /// Draws MPC as a line, and mean MIND of the jobs of each size as marks, a kind of mark an allocator; a panel
    /// for each of `rows`, all with the same axes. A row's data has the means of each of `allocators`.
    ///
    /// # Errors
    /// No mean in any row.
    pub fn plot_overlay(
        title: &str,
        note: &'a str,
        allocators: &[&str],
        rows: &[Labelled<'a, Overlay<'_>>],
    ) -> Result<Self> {
        let mut legend = Legend::new(Sample::Mark, allocators.iter().copied().zip(0..));
        legend.add_line("MPC", LINE);
        let description = format!(
            "MPC as a line, and mean distance within jobs (MIND) in the replay as marks, in hops \
             against job size in nodes on a logarithmic axis, with {}; a panel an ordering: {}.",
            join_labels(allocators.iter().copied()),
            join_labels(rows.iter().map(|row| row.label)),
        );
        let means = rows.iter().flat_map(|r| r.data.means).flatten().copied();
        let sizes = lowest_and_highest(drawable_points(means).into_iter().map(|m| m.0));
        let within = sizes.unwrap_or((1.0, 2.0));
        let drawn = |row: &Labelled<'a, Overlay<'_>>| -> PanelMarks {
            let mut line = drawable_points((2..).zip(row.data.curve.iter().copied()));
            // MPC is known up to the whole machine; sizes that no job had would press the marks together.
            line.retain(|p| (within.0..=within.1).contains(&p.0));
            (
                line,
                row.data
                    .means
                    .iter()
                    .map(|m| drawable_points(m.iter().copied()))
                    .collect(),
            )
        };
        let panels: Vec<(&'a str, PanelMarks)> = rows.iter().map(|r| (r.label, drawn(r))).collect();
        let all = panels
            .iter()
            .flat_map(|(_, (line, marks))| marks.iter().flatten().chain(line));
        let values = lowest_and_highest(all.map(|p| p.1));
        let first_top = TOP + legend.flow_height();
        let size = (
            WIDTH,
            first_top + panels.len().div_ceil(ACROSS) as f64 * STEP,
        );
        Figure::new((title, note), description, size, move |pen| {
            legend.draw_flow(pen)?;
            let y = Scale::linear(values.unwrap_or((0.0, 1.0)), 5);
            let columns: Vec<_> = side_by_side(&y, panels.len().clamp(1, ACROSS)).collect();
            let x = Scale::logarithmic(within, columns[0].1 - columns[0].0);
            for (i, (name, (line, marks))) in panels.iter().enumerate() {
                let top = first_top + (i / ACROSS) as f64 * STEP + NAMES;
                let (left, right) = columns[i % ACROSS];
                draw_panel_title(pen, (left, top - 8.0), name, right - left)?;
                let y_name = if i % ACROSS == 0 {
                    "mean distance (hops)"
                } else {
                    ""
                };
                let panel =
                    Panel::place_panel((left, right), (top, PANEL), (&x, LOG_SIZES), (&y, y_name));
                let mut chart = panel.draw_axes(pen)?;
                chart.draw_line(line.iter().copied(), &Stroke::line_of_look(LINE, 1.6))?;
                // The first allocator of the list is drawn last and so on top.
                for (slot, points) in marks.iter().enumerate().rev() {
                    chart.draw_marks(
                        chart.keep_apart(points.iter().copied(), CLOSE),
                        look_of_slot(slot),
                    )?;
                }
            }
            Ok(())
        })
        .if_drawable(sizes.is_some(), "no mean in any row")
    }
}

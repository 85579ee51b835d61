//! Nodes in use, jobs waiting and fragmentation over time.

use super::time::{COLUMNS, LEFT, RIGHT, time_axis};
use crate::plot::chart::{BELOW, Panel, TOP, WIDTH};
use crate::plot::drawing::Figure;
use crate::plot::element::Stroke;
use crate::plot::palette::look_of_slot;
use crate::plot::scale::Scale;
use nodeorder_base::Result;

/// Height of a panel, and the gap to the next, in pixels.
const PANEL: f64 = 150.0;
const GAP: f64 = 44.0;

/// The machine from one time to the next moment's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Hours from the start of the schedule.
    pub time: f64,
    /// Share of the nodes in use.
    pub busy: f64,
    /// Jobs waiting.
    pub waiting: u32,
    /// 1 - longest free run / free nodes; 0 where none is free.
    pub broken: f64,
    /// The largest job that could still be placed, and Slurm's fragmentation, in nodes, where known.
    pub room: [Option<f64>; 2],
}

/// A column of the curves.
#[derive(Clone, Copy, Default)]
struct CurveColumn {
    time: f64,
    waiting: u32,
    /// Means over the column's time: shares of nodes in use and of fragmentation, then [`Moment::room`].
    means: [f64; 4],
}

struct ScheduleCurves {
    range: (f64, f64),
    columns: Vec<CurveColumn>,
    /// Which of [`Moment::room`] are known.
    known: [bool; 2],
}

impl ScheduleCurves {
    fn new(moments: &[Moment]) -> Self {
        let time = |moment: Option<&Moment>| moment.map_or(0.0, |m| m.time);
        let range = (time(moments.first()), time(moments.last()));
        let wide = (range.1 - range.0) / COLUMNS as f64;
        let mut columns = vec![CurveColumn::default(); COLUMNS];
        // A moment counts for as long as it lasts: many short ones must not outweigh a long one.
        for pair in moments.windows(2) {
            let from = (pair[0].time - range.0) / wide;
            let to = (pair[1].time - range.0) / wide;
            let last = (to.ceil() as usize).min(COLUMNS);
            for (i, column) in columns
                .iter_mut()
                .enumerate()
                .take(last)
                .skip(from as usize)
            {
                let inside = to.min(i as f64 + 1.0) - from.max(i as f64);
                if inside > 0.0 {
                    column.time += inside;
                    // The longest, not the mean: a short peak of the queue is what users felt.
                    column.waiting = column.waiting.max(pair[0].waiting);
                    let Moment {
                        busy,
                        broken,
                        room: [placeable, slurm],
                        ..
                    } = pair[0];
                    let values = [Some(busy), Some(broken), placeable, slurm];
                    for (sum, value) in column.means.iter_mut().zip(values) {
                        *sum += inside * value.unwrap_or(0.0);
                    }
                }
            }
        }
        for column in columns.iter_mut().filter(|c| c.time > 0.0) {
            column.means.iter_mut().for_each(|sum| *sum /= column.time);
        }
        let known = [0, 1].map(|i| moments.iter().any(|moment| moment.room[i].is_some()));
        ScheduleCurves {
            range,
            columns,
            known,
        }
    }

    fn longest_queue(&self) -> u32 {
        self.columns.iter().map(|c| c.waiting).max().unwrap_or(0)
    }
}

impl Figure<'_> {
    /// Draws the share of nodes in use, jobs waiting and fragmentation of the free ranks over time, and where known the
    /// largest job that could still be placed: means of columns of two pixels, and the longest queue of each. The last
    /// moment only ends the one before.
    ///
    /// # Errors
    /// No moments, or none that lasts.
    pub fn plot_curves(title: &str, moments: &[Moment]) -> Result<Self> {
        let figure = ScheduleCurves::new(moments);
        let description = format!(
            "Share of nodes in use, jobs waiting (at most {}) and fragmentation of the free \
             ranks over time.",
            figure.longest_queue()
        );
        let (from, to) = figure.range;
        // The last two are not measured by every simulation.
        let panels = 3 + figure.known.iter().filter(|known| **known).count();
        let size = (
            WIDTH,
            TOP + panels as f64 * PANEL + (panels - 1) as f64 * GAP + BELOW,
        );
        let note = "means over two pixels, the queue's longest; fragmentation: 1 - longest free \
            run / free nodes";
        Figure::new((title, note), description, size, move |pen| {
            type ColumnFigure = fn(&CurveColumn) -> f64;
            let longest = f64::from(figure.longest_queue().max(1));
            let most = |i: usize| {
                figure
                    .columns
                    .iter()
                    .map(|c| c.means[2 + i])
                    .fold(1.0, f64::max)
            };
            let panels: [(bool, &str, f64, ColumnFigure); 5] = [
                (true, "nodes in use (%)", 100.0, |c| 100.0 * c.means[0]),
                (true, "jobs waiting", longest, |c| f64::from(c.waiting)),
                (true, "fragmentation (%)", 100.0, |c| 100.0 * c.means[1]),
                (figure.known[0], "largest job (nodes)", most(0), |c| {
                    c.means[2]
                }),
                (figure.known[1], "Slurm's measure", most(1), |c| c.means[3]),
            ];
            let panels: Vec<_> = panels.into_iter().filter(|panel| panel.0).collect();
            let last = panels.len() - 1;
            let (x, time) = time_axis(figure.range);
            for (i, (_, y_name, high, of)) in panels.into_iter().enumerate() {
                let top = TOP + i as f64 * (PANEL + GAP);
                let y = Scale::end_to_end((0.0, high), 3);
                let x_name = if i == last { time.as_str() } else { "" };
                let panel =
                    Panel::place_panel((LEFT, RIGHT), (top, PANEL), (&x, x_name), (&y, y_name));
                let mut chart = panel.draw_axes(pen)?;
                let middle = |i: usize| x.value_of((i as f64 + 0.5) / COLUMNS as f64);
                let points = figure
                    .columns
                    .iter()
                    .enumerate()
                    .map(|(i, c)| (middle(i), of(c)));
                chart.draw_line(points, &Stroke::solid_line(look_of_slot(i).colour, 1.4))?;
            }
            Ok(())
        })
        .if_drawable(to > from, "no time passes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_means_over_time() {
        let moment = |time, busy, waiting| Moment {
            time,
            busy,
            waiting,
            broken: 0.5,
            room: [Some(7.0), None],
        };
        let curves = ScheduleCurves::new(&[
            moment(0.0, 1.0, 3),
            moment(5.0, 0.0, 9),
            moment(10.0, 1.0, 0),
        ]);
        let mean = |of: fn(&CurveColumn) -> f64| {
            curves.columns.iter().map(of).sum::<f64>() / curves.columns.len() as f64
        };
        assert!((mean(|c| c.means[0]) - 0.5).abs() < 1e-9);
        assert!((mean(|c| c.means[1]) - 0.5).abs() < 1e-9);
        assert!((mean(|c| c.means[2]) - 7.0).abs() < 1e-9);
        assert_eq!(curves.known, [true, false]);
        assert_eq!((curves.columns[0].waiting, curves.longest_queue()), (3, 9));
        assert!(Figure::plot_curves("t", &[moment(1.0, 1.0, 1)]).is_err());
        assert!(Figure::plot_occupancy("t", 8, &[]).is_err());
    }
}

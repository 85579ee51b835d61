//! MPC against job size: the full range, a closer look, the gain over random placement, the gap to the best.

use super::chart::{Chart, LOG_SIZES, Legend, Panel, join_labels};
use super::drawing::Figure;
use super::element::{Point, Sample, Stroke};
use super::palette::{AXIS, Look, MUTED, Mark, look_of_slot};
use super::pen::Pen;
use super::scale::Scale;
use super::text::Text;
use nodeorder_base::error::Result;

/// One ordering's curve.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// Name in the legend.
    pub label: &'a str,
    /// Its whole curve: element i is MPC(i + 2).
    pub values: &'a [f64],
    /// Nodes of the whole machine; the curve may end before.
    pub nodes: usize,
    /// Its number as the user named the orderings: decides its colour, dash and mark in every figure.
    pub slot: usize,
}

/// How a figure shows the curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// All sizes, both axes linear, as Albing's figures over the full range.
    Full,
    /// Sizes up to [`CLOSER`], both axes linear: Albing's closer look.
    Closer,
    /// Per cent by which the mean distance is below that of a random placement; sizes on a log axis.
    Gain,
    /// Per cent above the best ordering at each size; sizes on a log axis, cut off at
    /// [`ABOVE_BEST_TOP`].
    AboveBest,
    /// Sizes on a log axis, for curves of machines of different sizes.
    Sizes,
    /// As [`View::Sizes`], but against the share of the machine that a job takes, in per cent, on a linear axis.
    Shares,
}

/// The largest size of [`View::Closer`].
pub const CLOSER: usize = 64;
/// The top of [`View::AboveBest`]; curves beyond it leave the picture.
pub const ABOVE_BEST_TOP: f64 = 50.0;

const PANEL: f64 = 426.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 52.0;
/// Height, in pixels, of a panel with what stands below it.
const STEP: f64 = PANEL + 72.0;

/// Distances that hold for every ordering of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// The machine's mean distance, where every curve of the whole machine ends.
    pub mean_distance: Option<f64>,
    /// A proved floor, element i for size i + 2; may be empty.
    pub floor: &'a [f64],
    /// Mean distance in the most compact sets found, element i for size i + 2; may be empty.
    pub compact: &'a [f64],
}

impl<'a> Limits<'a> {
    /// Lists the limits that are known: names, values and looks, in grey.
    fn known_limits(&self) -> impl Iterator<Item = (&'static str, &'a [f64], Look)> {
        let look = |dash| Look {
            colour: MUTED,
            dash,
            mark: Mark::Disc,
        };
        let all: [(_, _, &'static [f64]); 2] = [
            ("compact sets found", self.compact, &[]),
            ("proved floor", self.floor, &[2.0, 3.0]),
        ];
        let known = all.into_iter().filter(|(_, values, _)| !values.is_empty());
        known.map(move |(name, values, dash)| (name, values, look(dash)))
    }
}

/// One or two panels of curves with a shared legend on the right, which no curve can reach.
struct Curves<'a> {
    series: Vec<Series<'a>>,
    limits: Limits<'a>,
    /// The lowest value of each size.
    best: Vec<f64>,
    legend: Legend,
}

impl View {
    /// Writes a description, the name of the horizontal axis and that of the vertical one.
    fn describe_view(self) -> [&'static str; 3] {
        let mpc = "MPC: mean distance (hops)";
        match self {
            View::Full => [
                "Mean placement distance in hops against job size in nodes, all sizes.",
                "job size (nodes)",
                mpc,
            ],
            View::Closer => [
                "Mean placement distance in hops against job size in nodes, small jobs.",
                "job size (nodes), small jobs",
                mpc,
            ],
            View::Gain => [
                "How far below a random placement the mean distance is, in per cent, against job size on a logarithmic axis.",
                LOG_SIZES,
                "below random placement (%)",
            ],
            View::AboveBest => [
                "How far above the best ordering of each size the mean distance is, in per cent, against job size on a logarithmic axis.",
                LOG_SIZES,
                "above the best at this size (%)",
            ],
            View::Sizes => [
                "Mean placement distance in hops against job size in nodes on a logarithmic axis.",
                LOG_SIZES,
                mpc,
            ],
            View::Shares => [
                "Mean placement distance in hops against the share of the machine that a job takes.",
                "share of the machine (%)",
                mpc,
            ],
        }
    }

    /// Chooses the value at which curves leave the picture.
    fn highest_value(self) -> f64 {
        if self == View::AboveBest {
            ABOVE_BEST_TOP
        } else {
            f64::INFINITY
        }
    }
}

/// Draws some views of the curves. The first of `series` is drawn on top. The mean distance of `limits` is a line of
/// its own in [`View::Full`] and the reference of [`View::Gain`]; its floor and compact sets are drawn under the
/// curves where both are distances.
///
/// # Errors
/// No curve with a single size.
pub fn curves<'a>(
    title: &str,
    series: &[Series<'a>],
    views: &'a [View],
    limits: Limits<'a>,
) -> Result<Figure<'a>> {
    let mut legend = Legend::new(Sample::Curve, series.iter().map(|s| (s.label, s.slot)));
    // Limits are distances and have no line there, so that the legend must not name one.
    if views != [View::AboveBest] {
        limits
            .known_limits()
            .for_each(|(name, _, look)| legend.add_line(name, look));
    }
    let what: Vec<&str> = views.iter().map(|v| v.describe_view()[0]).collect();
    let description = format!(
        "{} Orderings: {}.",
        what.join(" "),
        join_labels(series.iter().map(|s| s.label))
    );
    let size = legend.figure_size(TOP, views.len() as f64 * STEP);
    let (series, best) = (
        series.to_vec(),
        lowest_curve(series.iter().map(|s| s.values)),
    );
    let any = !best.is_empty();
    let curves = Curves {
        series,
        limits,
        best,
        legend,
    };
    Figure::new((title, ""), description, size, move |pen| {
        for (i, view) in views.iter().enumerate() {
            curves.draw_panel(pen, *view, TOP + i as f64 * STEP)?;
        }
        curves.legend.draw(pen, TOP - 3.0)
    })
    .if_drawable(any, "no curve with a single size")
}

/// Draws whole curves with their labels (element i is MPC(i + 2)), as `nodeorder mpc --plot FILE.svg` does: the full
/// range and, where it would show more, a closer look at small jobs.
///
/// # Errors
/// No curve with a single size.
///
/// # Examples
/// ```
/// let curve = [1.0, 1.33, 1.5];
/// let figure = nodeorder_present::plot::mpc_plot("mesh:2x2", &[("snake", &curve)])?;
/// assert!(figure.svg()?.starts_with("<svg"));
/// # Ok::<(), nodeorder_base::error::Error>(())
/// ```
pub fn mpc_plot<'a>(title: &str, orderings: &[(&'a str, &'a [f64])]) -> Result<Figure<'a>> {
    let series: Vec<Series<'_>> = orderings
        .iter()
        .enumerate()
        .map(|(slot, (label, values))| Series {
            label,
            values,
            nodes: values.len() + 1,
            slot,
        })
        .collect();
    // Twice the closer range already shows it at half its width.
    let small = series.iter().all(|s| s.values.len() <= 2 * CLOSER);
    let views: &[View] = if small {
        &[View::Full]
    } else {
        &[View::Full, View::Closer]
    };
    curves(title, &series, views, Limits::default())
}

/// Finds the lowest value of each size.
pub fn lowest_curve<'a>(curves: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
    let mut best = Vec::new();
    for values in curves {
        // Curves end at different sizes; where one has no value, it must not be the best.
        best.resize(best.len().max(values.len()), f64::INFINITY);
        best.iter_mut()
            .zip(values)
            .for_each(|(best, v)| *best = v.min(*best));
    }
    best
}

/// Iterates over the points of a whole curve.
pub fn points_of_curve(values: &[f64]) -> impl Iterator<Item = Point> + '_ {
    values.iter().enumerate().map(|(i, v)| ((i + 2) as f64, *v))
}

impl Curves<'_> {
    /// Draws a panel whose upper edge is at `top`.
    fn draw_panel(&self, pen: &Pen<'_>, view: View, top: f64) -> Result<()> {
        let right = self.legend.panel_right();
        let (x, y) = self.choose_axes(view, right - LEFT);
        let [_, x_name, y_name] = view.describe_view();
        let mut chart = Panel::place_panel((LEFT, right), (top, PANEL), (&x, x_name), (&y, y_name))
            .draw_axes(pen)?;
        if let Some(mean) = self.limits.mean_distance.filter(|_| view == View::Full) {
            chart.draw_across(
                mean,
                &Stroke {
                    colour: AXIS,
                    width: 1.2,
                    dash: &[5.0, 4.0],
                },
            )?;
            let text = format!("mean distance of the machine, {mean:.2} hops");
            let at = (LEFT + 8.0, chart.to_pixel((0.0, mean)).1 - 8.0);
            pen.draw_text(at, &text, &Text::new(11.5).with_colour(MUTED))?;
        }
        self.curves(view, &mut chart)
    }

    /// Finds the largest size drawn in `view`.
    fn largest_size(&self, view: View) -> usize {
        let largest = self.best.len() + 1;
        if view == View::Closer {
            largest.min(CLOSER)
        } else {
            largest
        }
    }

    /// Chooses the axes, the horizontal one with `room` pixels.
    fn choose_axes(&self, view: View, room: f64) -> (Scale, Scale) {
        let mut low = 0f64;
        let mut high = 0f64;
        for (_, y) in self
            .series
            .iter()
            .flat_map(|s| self.view_points(s.values, s.nodes, view))
        {
            (low, high) = (low.min(y), high.max(y));
        }
        if view == View::Full {
            // Room above the line for its name.
            high = high.max(1.06 * self.limits.mean_distance.unwrap_or(0.0));
        }
        let last = self.largest_size(view) as f64;
        let x = match view {
            View::Full => Scale::whole_numbers((0.0, last), 8),
            View::Closer => Scale::whole_numbers((2.0, last), 8),
            // All machines on one axis, whatever part of their sizes is known.
            View::Shares => Scale::end_to_end((0.0, 100.0), 10),
            View::Gain | View::AboveBest | View::Sizes => Scale::logarithmic((2.0, last), room),
        };
        let y = match view {
            // Little below zero should not take a whole step of the axis.
            View::Gain => Scale::tight_ends((low, high), 8),
            // One bad ordering would press the good ones onto the axis.
            _ => Scale::linear((low, high.min(view.highest_value())), 8),
        };
        (x, y)
    }

    /// Computes the points that `view` shows of sizes and values, on a machine of `nodes` nodes.
    fn view_points<'b>(
        &'b self,
        values: &'b [f64],
        nodes: usize,
        view: View,
    ) -> impl Iterator<Item = Point> + 'b {
        let points = points_of_curve(values)
            .zip(&self.best)
            .take(self.largest_size(view).saturating_sub(1));
        points.map(move |((size, value), best)| {
            let shown = match (view, self.limits.mean_distance) {
                (View::Full | View::Closer | View::Sizes | View::Shares, _) => value,
                (View::Gain, Some(mean)) if mean > 0.0 => 100.0 * (1.0 - value / mean),
                (View::Gain, _) => 0.0,
                (View::AboveBest, _) => per_cent_above(value, *best),
            };
            (
                if view == View::Shares {
                    100.0 * size / nodes as f64
                } else {
                    size
                },
                shown,
            )
        })
    }

    fn curves(&self, view: View, chart: &mut Chart<'_, '_>) -> Result<()> {
        if view != View::AboveBest {
            for (_, values, look) in self.limits.known_limits() {
                chart.draw_line(
                    self.view_points(values, values.len() + 1, view),
                    &Stroke::line_of_look(look, 1.4),
                )?;
            }
        }
        // The leader, which comes first, is drawn last and so on top.
        for (i, series) in self.series.iter().enumerate().rev() {
            let look = look_of_slot(series.slot);
            // The leader is what a reader looks for first.
            let stroke = Stroke::line_of_look(look, if i == 0 { 2.4 } else { 1.7 });
            let points: Vec<Point> = self
                .view_points(series.values, series.nodes, view)
                .collect();
            for run in cut_at_top(points.iter().copied(), view.highest_value()) {
                chart.draw_line(run, &stroke)?;
            }
            let log = matches!(view, View::Gain | View::AboveBest | View::Sizes);
            let marks = mark_points(i, &points, log);
            chart.draw_marks(
                marks
                    .into_iter()
                    .filter(|(_, y)| *y <= view.highest_value()),
                look,
            )?;
        }
        Ok(())
    }
}

/// Chooses the points at six sizes evenly spread over the panel, shifted from curve to curve lest marks hide each
/// other.
fn mark_points(curve: usize, points: &[Point], log: bool) -> Vec<Point> {
    let end = (points.len().max(1) + 1) as f64;
    // Multiples of the golden ratio lie well apart, however many curves there are.
    let shift = (curve as f64 * 0.382).fract();
    let size = |k: u32| {
        let share = (f64::from(k) + 0.15 + 0.7 * shift) / 6.0;
        let size = if log {
            2.0 * (end / 2.0).powf(share)
        } else {
            2.0 + (end - 2.0) * share
        };
        size.round().clamp(2.0, end) as usize
    };
    let mut chosen: Vec<usize> = (0..6).map(size).collect();
    chosen.dedup();
    chosen
        .into_iter()
        .filter_map(|size| points.get(size - 2).copied())
        .collect()
}

/// Cuts a curve where it passes `top`, and returns the parts up to there.
fn cut_at_top(points: impl Iterator<Item = Point>, top: f64) -> Vec<Vec<Point>> {
    let mut runs: Vec<Vec<Point>> = Vec::new();
    let mut last: Option<Point> = None;
    for (x, y) in points {
        // Where the line to this point passes the top of the picture.
        let edge = last
            .filter(|(_, before)| (*before > top) != (y > top))
            .map(|(px, before)| {
                // A line from or to an infinite value stands upright at the finite end.
                let share = if y.max(before).is_finite() {
                    (top - before) / (y - before)
                } else {
                    f64::from(u8::from(before > top))
                };
                // The views that are cut have a logarithmic axis, on which a straight line divides ratios.
                (px * (x / px).powf(share), top)
            });
        match (y > top, runs.last_mut()) {
            (true, Some(run)) => run.extend(edge),
            (true, None) => {}
            (false, Some(run)) if edge.is_none() => run.push((x, y)),
            (false, _) => runs.push(edge.into_iter().chain([(x, y)]).collect()),
        }
        last = Some((x, y));
    }
    runs
}

/// Computes how many per cent `value` is above `best`; two nodes on one router may make both zero.
fn per_cent_above(value: f64, best: f64) -> f64 {
    match (best > 0.0, value > 0.0) {
        (true, _) => 100.0 * (value / best - 1.0),
        (false, true) => f64::INFINITY,
        (false, false) => 0.0,
    }
}

//! MPC against job size: the full range, a closer look, the gain over random placement, the gap to the best.

use super::chart::{Chart, LOG_SIZES, Legend, MARGIN, Panel, WIDTH, join_labels};
use super::drawing::Figure;
use super::element::{Point, Sample, Stroke};
use super::palette::{AXIS, Look, MUTED, Mark, look_of_slot};
use super::pen::Pen;
use super::scale::Scale;
use super::text::Text;
use nodeorder_base::Result;

/// One ordering's curve.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// Name in the legend.
    pub label: &'a str,
    /// Whole MPC curve of the ordering: element i is MPC(i + 2); not a number where a size is not drawn.
    pub values: &'a [f64],
    /// Number of nodes of the whole machine; the curve may end before.
    pub nodes: usize,
    /// Its number as the user named the orderings: decides its colour, dash and mark in every figure.
    pub slot: usize,
}

/// What the vertical axis of a panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveValue {
    /// MPC in hops.
    Mpc,
    /// Per cent by which the mean distance is below that of a random placement.
    Gain,
    /// Per cent above the best ordering at each size, cut off at [`ABOVE_BEST_TOP`].
    AboveBest,
}

/// What the horizontal axis of a panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeAxis {
    Linear,
    Log,
    /// The share of the machine that a job takes, in per cent, on a linear axis.
    Share,
}

/// What one panel of curves shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub value: CurveValue,
    pub axis: SizeAxis,
    /// The first and the last size on the axis; beyond the longest curve there are none.
    pub range: (usize, usize),
}

/// The largest size of [`View::CLOSER`].
pub const CLOSER: usize = 64;
/// The top of [`CurveValue::AboveBest`]; curves beyond it leave the picture.
pub const ABOVE_BEST_TOP: f64 = 50.0;

const PANEL: f64 = 426.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 52.0;
/// Height, in pixels, of what stands below a panel.
const BELOW_PANEL: f64 = 72.0;
/// Width, in pixels, below which a legend on the right would leave too little to the panels.
const NARROW: f64 = 700.0;

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

/// Panels of curves above each other.
struct Curves<'a> {
    series: Vec<Series<'a>>,
    limits: Limits<'a>,
    /// The lowest value of each size.
    best: Vec<f64>,
    /// Where the panels end, in pixels.
    right: f64,
    /// Height of the panels, in pixels.
    height: f64,
}

impl View {
    /// All sizes, both axes linear, as Albing's figures over the full range.
    pub const FULL: View = View::of(CurveValue::Mpc, SizeAxis::Linear, (0, usize::MAX));
    /// Sizes up to [`CLOSER`], both axes linear: Albing's closer look.
    pub const CLOSER: View = View::of(CurveValue::Mpc, SizeAxis::Linear, (2, CLOSER));
    pub const GAIN: View = View::of(CurveValue::Gain, SizeAxis::Log, (2, usize::MAX));
    pub const ABOVE_BEST: View = View::of(CurveValue::AboveBest, SizeAxis::Log, (2, usize::MAX));
    /// All sizes on a log axis, for curves of machines of different sizes.
    pub const SIZES: View = View::of(CurveValue::Mpc, SizeAxis::Log, (2, usize::MAX));
    pub const SHARES: View = View::of(CurveValue::Mpc, SizeAxis::Share, (2, usize::MAX));

    const fn of(value: CurveValue, axis: SizeAxis, range: (usize, usize)) -> View {
        View { value, axis, range }
    }

    /// Writes a description, the name of the horizontal axis and that of the vertical one.
    fn describe_view(self) -> (String, &'static str, &'static str) {
        let (what, y_name) = match self.value {
            CurveValue::Mpc => (
                "Mean placement distance in hops",
                "MPC: mean distance (hops)",
            ),
            CurveValue::Gain => (
                "How far below a random placement the mean distance is, in per cent,",
                "below random placement (%)",
            ),
            CurveValue::AboveBest => (
                "How far above the best ordering of each size the mean distance is, in per cent,",
                "above the best at this size (%)",
            ),
        };
        let (against, x_name) = match (self.axis, self.range) {
            (SizeAxis::Linear, (_, usize::MAX)) => {
                ("job size in nodes, all sizes", "job size (nodes)")
            }
            (SizeAxis::Linear, (_, CLOSER)) => (
                "job size in nodes, small jobs",
                "job size (nodes), small jobs",
            ),
            (SizeAxis::Linear, _) => ("job size in nodes", "job size (nodes)"),
            (SizeAxis::Log, _) => ("job size in nodes on a logarithmic axis", LOG_SIZES),
            (SizeAxis::Share, _) => (
                "the share of the machine that a job takes",
                "share of the machine (%)",
            ),
        };
        (format!("{what} against {against}."), x_name, y_name)
    }
}

/// Draws some views of the curves. The first of `series` is drawn on top. The mean distance of `limits` is a line of
/// its own in [`View::FULL`] and the reference of a gain; its floor and compact sets are drawn under the
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
    curves_of_width(title, series, views.to_vec(), limits, WIDTH)
}

/// Draws what [`curves`] does in a figure `width` pixels wide; the legend of a narrow one stands above its panels.
///
/// # Errors
/// No curve with a single size.
pub fn curves_of_width<'a>(
    title: &str,
    series: &[Series<'a>],
    views: Vec<View>,
    limits: Limits<'a>,
    width: f64,
) -> Result<Figure<'a>> {
    let labels = series.iter().map(|s| (s.label, s.slot));
    let mut legend = Legend::new(Sample::Curve, labels).with_width(width);
    // Limits are distances and have no line there, so that the legend must not name one.
    if views != [View::ABOVE_BEST] {
        limits
            .known_limits()
            .for_each(|(name, _, look)| legend.add_line(name, look));
    }
    let what: Vec<String> = views.iter().map(|v| v.describe_view().0).collect();
    let description = format!(
        "{} Orderings: {}.",
        what.join(" "),
        join_labels(series.iter().map(|s| s.label))
    );
    // On a narrow figure the legend would take the panels' room.
    let is_narrow = width < NARROW;
    let panel = if is_narrow { 0.62 * width } else { PANEL };
    let step = panel + BELOW_PANEL;
    let mut top = TOP;
    let mut size = legend.figure_size(top, views.len() as f64 * step);
    if is_narrow {
        top = super::chart::TOP + legend.flow_height();
        size = (width, top + views.len() as f64 * step);
    }
    let best = lowest_curve(series.iter().map(|s| s.values));
    let any = !best.is_empty();
    let curves = Curves {
        series: series.to_vec(),
        limits,
        best,
        right: if is_narrow {
            width - MARGIN
        } else {
            legend.panel_right()
        },
        height: panel,
    };
    Figure::new((title, ""), description, size, move |pen| {
        for (i, view) in views.iter().enumerate() {
            curves.draw_panel(pen, *view, top + i as f64 * step)?;
        }
        if is_narrow {
            legend.draw_flow(pen)
        } else {
            legend.draw(pen, TOP - 3.0)
        }
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
        &[View::FULL]
    } else {
        &[View::FULL, View::CLOSER]
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
        let (x, y) = self.choose_axes(view, self.right - LEFT);
        let (_, x_name, y_name) = view.describe_view();
        let sides = (LEFT, self.right);
        let panel = Panel::place_panel(sides, (top, self.height), (&x, x_name), (&y, y_name));
        let mut chart = panel.draw_axes(pen)?;
        if let Some(mean) = self.limits.mean_distance.filter(|_| view == View::FULL) {
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
        self.draw_curves(view, y.value_of(1.0), &mut chart)
    }

    /// Finds the first and the last size drawn in `view`.
    fn drawn_sizes(&self, view: View) -> (usize, usize) {
        let largest = self.best.len() + 1;
        (view.range.0.min(largest), view.range.1.min(largest))
    }

    /// Chooses the axes, the horizontal one with `room` pixels.
    fn choose_axes(&self, view: View, room: f64) -> (Scale, Scale) {
        let mut low = 0f64;
        let mut high = 0f64;
        let all_random = self.series.iter().all(|s| is_random(s.label));
        for series in &self.series {
            // A random order far above the others would press them onto the axis.
            if is_random(series.label) && !all_random {
                continue;
            }
            for (_, y) in self.view_points(series.values, series.nodes, view) {
                low = low.min(y);
                high = high.max(y);
            }
        }
        if view == View::FULL {
            // Room above the line for its name.
            high = high.max(1.06 * self.limits.mean_distance.unwrap_or(0.0));
        }
        let (first, last) = self.drawn_sizes(view);
        let ends = (first as f64, last as f64);
        let x = match view.axis {
            SizeAxis::Linear => Scale::whole_numbers(ends, 8),
            // All machines on one axis, whatever part of their sizes is known.
            SizeAxis::Share => Scale::end_to_end((0.0, 100.0), 10),
            SizeAxis::Log => Scale::logarithmic((ends.0.max(2.0), ends.1), room),
        };
        let y = match view.value {
            CurveValue::Mpc => Scale::linear((low, high), 8),
            // Little below zero should not take a whole step of the axis.
            CurveValue::Gain => Scale::tight_ends((low, high), 8),
            // One bad ordering would press the good ones onto the axis.
            CurveValue::AboveBest => Scale::linear((low, high.min(ABOVE_BEST_TOP)), 8),
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
        let (first, last) = self.drawn_sizes(view);
        let points = points_of_curve(values)
            .zip(&self.best)
            .take(last.saturating_sub(1))
            .skip(first.saturating_sub(2))
            .filter(|((_, value), _)| !value.is_nan());
        points.map(move |((size, value), best)| {
            let shown = match (view.value, self.limits.mean_distance) {
                (CurveValue::Mpc, _) => value,
                (CurveValue::Gain, Some(mean)) if mean > 0.0 => 100.0 * (1.0 - value / mean),
                (CurveValue::Gain, _) => 0.0,
                (CurveValue::AboveBest, _) => per_cent_above(value, *best),
            };
            (
                if view.axis == SizeAxis::Share {
                    100.0 * size / nodes as f64
                } else {
                    size
                },
                shown,
            )
        })
    }

    /// Draws the curves up to `highest`, the upper end of the axis, where they leave the picture.
    fn draw_curves(&self, view: View, highest: f64, chart: &mut Chart<'_, '_>) -> Result<()> {
        if view.value != CurveValue::AboveBest {
            for (_, values, look) in self.limits.known_limits() {
                chart.draw_line(
                    self.view_points(values, values.len() + 1, view),
                    &Stroke::line_of_look(look, 1.4),
                )?;
            }
        }
        let is_log = view.axis == SizeAxis::Log;
        // The leader, which comes first, is drawn last and so on top.
        for (i, series) in self.series.iter().enumerate().rev() {
            let look = look_of_slot(series.slot);
            // The leader is what a reader looks for first.
            let stroke = Stroke::line_of_look(look, if i == 0 { 2.4 } else { 1.7 });
            let points: Vec<Point> = self
                .view_points(series.values, series.nodes, view)
                .collect();
            for run in cut_at_top(points.iter().copied(), highest, is_log) {
                chart.draw_line(run, &stroke)?;
            }
            let marks = mark_points(i, &points, is_log);
            chart.draw_marks(marks.into_iter().filter(|(_, y)| *y <= highest), look)?;
        }
        Ok(())
    }
}

/// Checks whether an ordering deals the nodes at random, by its label.
fn is_random(label: &str) -> bool {
    let name = label.split([':', ' ']).next();
    name.is_some_and(|name| name.eq_ignore_ascii_case("random"))
}

/// Chooses the points at six places evenly spread over the panel, shifted from curve to curve lest marks hide each
/// other.
fn mark_points(curve: usize, points: &[Point], log: bool) -> Vec<Point> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let first = first.0;
    let last = last.0;
    // Multiples of the golden ratio lie well apart, however many curves there are.
    let shift = (curve as f64 * 0.382).fract();
    let place = |k: u32| {
        let share = (f64::from(k) + 0.15 + 0.7 * shift) / 6.0;
        let size = if log {
            first * (last / first).powf(share)
        } else {
            first + (last - first) * share
        };
        // The nearest size: half of the step to the next.
        points.partition_point(|(x, _)| *x < size - 0.5)
    };
    let mut chosen: Vec<usize> = (0..6).map(place).collect();
    chosen.dedup();
    chosen
        .into_iter()
        .filter_map(|at| points.get(at).copied())
        .collect()
}

/// Cuts a curve where it passes `top`, and returns the parts up to there; `is_log` says how sizes lie on their axis.
fn cut_at_top(points: impl Iterator<Item = Point>, top: f64, is_log: bool) -> Vec<Vec<Point>> {
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
                // On a logarithmic axis a straight line divides ratios.
                let size = if is_log {
                    px * (x / px).powf(share)
                } else {
                    px + (x - px) * share
                };
                (size, top)
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

//! MPC against job size: the full range, a closer look, the gain over random placement, the gap to the best.

use super::chart::{Chart, Legend, Panel, WIDTH, figure_title};
use super::drawing::Drawing;
use super::element::{Element, Point, Sample, Stroke};
use super::palette::{AXIS, Look, MUTED, Mark, look};
use super::pen::Pen;
use super::scale::Scale;
use super::text::Text;
use crate::error::Result;

/// One ordering's curve.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// What the user called it.
    pub label: &'a str,
    /// Its whole curve: element i is MPC(i + 2).
    pub values: &'a [f64],
    /// Its number as the user named the orderings: decides its colour, dash and mark in every figure.
    pub slot: usize,
}

/// What a figure shows of the curves.
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
}

/// The largest size of [`View::Closer`].
pub const CLOSER: usize = 64;
/// The top of [`View::AboveBest`]; curves beyond it leave the picture.
pub const ABOVE_BEST_TOP: f64 = 50.0;

const PANEL: f64 = 426.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 52.0;
/// Height of a panel with what stands below it.
const STEP: f64 = PANEL + 72.0;

/// What the machine allows, whatever the ordering.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// The machine's mean distance, where every curve of the whole machine ends.
    pub mean_distance: Option<f64>,
    /// A proved floor, element i for size i + 2; may be empty.
    pub floor: &'a [f64],
    /// What the most compact sets found have, likewise.
    pub compact: &'a [f64],
}

impl<'a> Limits<'a> {
    /// Names, values and looks of those that are known, in grey.
    fn known(&self) -> impl Iterator<Item = (&'static str, &'a [f64], Look)> {
        let look = |dash| Look { colour: MUTED, dash, mark: Mark::Disc };
        let all: [(_, _, &'static [f64]); 2] =
            [("compact sets found", self.compact, &[]), ("proved floor", self.floor, &[2.0, 3.0])];
        let known = all.into_iter().filter(|(_, values, _)| !values.is_empty());
        known.map(move |(name, values, dash)| (name, values, look(dash)))
    }
}

/// One or two panels of curves with a shared legend on the right, which no curve can reach.
pub(super) struct Curves<'a> {
    title: &'a str,
    series: &'a [Series<'a>],
    views: &'a [View],
    limits: Limits<'a>,
    /// The lowest value of each size, where a view needs it.
    best: Vec<f64>,
    legend: Legend,
}

impl View {
    fn in_words(self) -> &'static str {
        match self {
            View::Full => "Mean placement distance in hops against job size in nodes, all sizes.",
            View::Closer => {
                "Mean placement distance in hops against job size in nodes, small jobs."
            }
            View::Gain => {
                "How far below a random placement the mean distance is, in per cent, against job size \
                 on a logarithmic axis."
            }
            View::AboveBest => {
                "How far above the best ordering of each size the mean distance is, in per cent, against \
                 job size on a logarithmic axis."
            }
        }
    }

    fn y_title(self) -> &'static str {
        match self {
            View::Full | View::Closer => "MPC: mean distance (hops)",
            View::Gain => "below random placement (%)",
            View::AboveBest => "above the best at this size (%)",
        }
    }

    fn x_title(self) -> &'static str {
        match self {
            View::Full => "job size (nodes)",
            View::Closer => "job size (nodes), small jobs",
            View::Gain | View::AboveBest => "job size (nodes), log scale",
        }
    }

    fn log(self) -> bool {
        matches!(self, View::Gain | View::AboveBest)
    }

    /// Where curves leave the picture.
    fn top(self) -> f64 {
        if self == View::AboveBest { ABOVE_BEST_TOP } else { f64::INFINITY }
    }
}

impl<'a> Curves<'a> {
    pub fn new(
        title: &'a str,
        series: &'a [Series<'a>],
        views: &'a [View],
        limits: Limits<'a>,
    ) -> Self {
        let mut best = Vec::new();
        if views.contains(&View::AboveBest) {
            for series in series {
                best.resize(best.len().max(series.values.len()), f64::INFINITY);
                best.iter_mut().zip(series.values).for_each(|(best, v)| *best = v.min(*best));
            }
        }
        let mut legend = Legend::new(Sample::Curve, series.iter().map(|s| (s.label, s.slot)));
        if views != [View::AboveBest] {
            limits.known().for_each(|(name, _, look)| legend.add_line(name, look));
        }
        Curves { title, series, views, limits, best, legend }
    }

    pub fn drawing(self) -> Drawing<'a> {
        let names: Vec<&str> = self.series.iter().map(|s| s.label).collect();
        let what: Vec<&str> = self.views.iter().map(|v| v.in_words()).collect();
        let told = format!("{} Orderings: {}.", what.join(" "), names.join("; "));
        let height = TOP + (self.views.len() as f64 * STEP).max(self.legend.height());
        Drawing::new(self.title, told, (WIDTH, height), move |pen| self.draw(pen))
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        figure_title(pen, self.title)?;
        for (i, view) in self.views.iter().enumerate() {
            let (x, y) = self.scales(*view);
            let (top, right) = (TOP + i as f64 * STEP, self.legend.panel_right());
            let (x_name, y_name) = (view.x_title(), view.y_title());
            let bottom = top + PANEL;
            let panel = Panel { left: LEFT, right, top, bottom, x: &x, y: &y, x_name, y_name };
            let mut chart = panel.draw(pen)?;
            if let Some(mean) = self.limits.mean_distance.filter(|_| *view == View::Full) {
                chart.across(mean, &Stroke { colour: AXIS, width: 1.2, dash: &[5.0, 4.0] })?;
                let text = format!("mean distance of the machine, {mean:.2} hops");
                let at = (LEFT + 8.0, chart.pixel((0.0, mean)).1 - 8.0);
                pen.text(at, &text, &Text::new(11.5).colour(MUTED))?;
            }
            self.curves(*view, &mut chart)?;
        }
        self.legend.draw(pen, TOP - 3.0)
    }

    /// The largest size drawn in `view`.
    fn last(&self, view: View) -> usize {
        let largest = self.series.iter().map(|s| s.values.len() + 1).max().unwrap_or(2);
        if view == View::Closer { largest.min(CLOSER) } else { largest }
    }

    fn scales(&self, view: View) -> (Scale, Scale) {
        let (mut low, mut high) = (0f64, 0f64);
        for (_, y) in self.series.iter().flat_map(|series| self.points(series.values, view)) {
            (low, high) = (low.min(y), high.max(y));
        }
        if view == View::Full {
            // Room above the line for its name.
            high = high.max(1.06 * self.limits.mean_distance.unwrap_or(0.0));
        }
        let last = self.last(view) as f64;
        let x = match view {
            View::Full => Scale::whole((0.0, last), 8),
            View::Closer => Scale::whole((2.0, last), 8),
            View::Gain | View::AboveBest => {
                Scale::log((2.0, last), self.legend.panel_right() - LEFT)
            }
        };
        (x, Scale::linear((low, high.min(view.top())), 8))
    }

    /// Sizes and what `view` shows of them.
    fn points<'b>(&'b self, values: &'b [f64], view: View) -> impl Iterator<Item = Point> + 'b {
        let sizes = 0..values.len().min(self.last(view).saturating_sub(1));
        sizes.map(move |i| ((i + 2) as f64, self.value(values[i], view, i)))
    }

    fn value(&self, value: f64, view: View, i: usize) -> f64 {
        match view {
            View::Full | View::Closer => value,
            View::Gain => match self.limits.mean_distance {
                Some(mean) if mean > 0.0 => 100.0 * (1.0 - value / mean),
                _ => 0.0,
            },
            View::AboveBest => above(value, self.best[i]),
        }
    }

    fn curves(&self, view: View, chart: &mut Chart<'_, '_>) -> Result<()> {
        if view != View::AboveBest {
            for (_, values, Look { colour, dash, .. }) in self.limits.known() {
                let points: Vec<Point> = self.points(values, view).collect();
                chart.line(&points, &Stroke { colour, width: 1.4, dash })?;
            }
        }
        // The leader, which comes first, is drawn last and so on top.
        for (i, series) in self.series.iter().enumerate().rev() {
            let look = look(series.slot);
            let width = if i == 0 { 2.4 } else { 1.7 };
            let stroke = Stroke { colour: look.colour, width, dash: look.dash };
            for run in runs(self.points(series.values, view), view.top()) {
                chart.line(&run, &stroke)?;
            }
            chart.marks(self.mark_points(i, series, view), look)?;
        }
        Ok(())
    }

    /// Six sizes evenly spread over the panel, shifted from curve to curve lest marks hide each other.
    fn mark_points(&self, index: usize, series: &Series<'_>, view: View) -> Vec<Point> {
        let sizes = series.values.len().min(self.last(view).saturating_sub(1));
        if sizes == 0 {
            return Vec::new();
        }
        let shift = (index as f64 * 0.382).fract();
        let end = (sizes + 1) as f64;
        let mut chosen: Vec<usize> = (0..6)
            .map(|k| {
                let share = (f64::from(k) + 0.15 + 0.7 * shift) / 6.0;
                let size = match view.log() {
                    true => 2.0 * (end / 2.0).powf(share),
                    false => 2.0 + (end - 2.0) * share,
                };
                (size.round() as usize).clamp(2, sizes + 1) - 2
            })
            .collect();
        chosen.dedup();
        let point = |i: usize| ((i + 2) as f64, self.value(series.values[i], view, i));
        chosen.into_iter().map(point).filter(|(_, y)| *y <= view.top()).collect()
    }
}

/// The parts of a curve up to `top`, cut where it passes `top`.
fn runs(points: impl Iterator<Item = Point>, top: f64) -> Vec<Vec<Point>> {
    let mut runs: Vec<Vec<Point>> = Vec::new();
    let mut last: Option<Point> = None;
    for (x, y) in points {
        // Where the line to this point passes the top of the picture.
        let edge = last.filter(|(_, before)| (*before > top) != (y > top)).map(|(px, before)| {
            let share = if y.max(before).is_finite() {
                (top - before) / (y - before)
            } else {
                f64::from(u8::from(before > top))
            };
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

/// Per cent of `value` above `best`; two nodes on one router may make both zero.
fn above(value: f64, best: f64) -> f64 {
    match (best > 0.0, value > 0.0) {
        (true, _) => 100.0 * (value / best - 1.0),
        (false, true) => f64::INFINITY,
        (false, false) => 0.0,
    }
}

/// The sample of a curve, for tables.
pub(super) fn sample(slot: usize) -> Drawing<'static> {
    Drawing::new("the sample of a curve", String::new(), (32.0, 12.0), move |pen| {
        let at = pen.device((1.0, 6.0));
        pen.checked(pen.area.draw(&Element::sample(at, look(slot), Sample::Curve, pen.scale)))
    })
}

//! MPC against job size: the full range, a closer look, the gain over random placement, the gap to the best.

use plotters_backend::DrawingBackend;

use super::axis::{self, Axis};
use super::palette::{AXIS, GRID, INK, MUTED, look};
use super::pen::{Pen, Point, Stroke, Text};
use super::thin::thin;
use super::{Drawing, Series};
use crate::error::Result;

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

const WIDTH: f64 = 960.0;
const PANEL: f64 = 440.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 58.0;
const ROW: f64 = 21.0;
const LEGEND_ROOM: f64 = 230.0;
const COMPACT: &str = "compact sets found";
const FLOOR: &str = "proved floor";

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

/// One or two panels of curves with a shared legend on the right, which no curve can reach.
pub(super) struct Curves<'a> {
    title: &'a str,
    series: &'a [Series<'a>],
    views: &'a [View],
    limits: Limits<'a>,
    /// The lowest value of each size, where a view needs it.
    best: Vec<f64>,
}

/// A panel's own coordinates.
struct Panel {
    view: View,
    x: Axis,
    y: Axis,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    last: usize,
}

impl Drawing for Curves<'_> {
    fn title(&self) -> String {
        self.title.to_string()
    }

    fn description(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(|s| s.label).collect();
        let what: Vec<&str> = self.views.iter().map(|v| v.in_words()).collect();
        format!("{} Orderings: {}.", what.join(" "), names.join("; "))
    }

    fn size(&self) -> (f64, f64) {
        let panels = TOP + self.views.len() as f64 * (PANEL + BOTTOM);
        (WIDTH, panels.max(TOP + (self.series.len() + 2) as f64 * ROW + 70.0))
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let title = Text::new(17.0).bold();
        pen.text((LEFT - 48.0, 30.0), &title.fit(self.title, WIDTH - 40.0), &title)?;
        let right = WIDTH - 18.0 - self.legend_width();
        for (i, view) in self.views.iter().enumerate() {
            let top = TOP + i as f64 * (PANEL + BOTTOM);
            let panel = self.panel(*view, right - 16.0, top);
            panel.frame(pen)?;
            self.mean_line(pen, &panel)?;
            self.limit_lines(pen, &panel)?;
            self.plot(pen, &panel)?;
        }
        self.legend(pen, right)
    }
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
        Curves { title, series, views, limits, best }
    }

    fn legend_width(&self) -> f64 {
        let style = Text::new(13.0);
        let least = if self.limits.floor.is_empty() { 60.0 } else { style.width(COMPACT) };
        let widest = self.series.iter().map(|s| style.width(s.label)).fold(least, f64::max);
        widest.min(LEGEND_ROOM) + 44.0
    }

    fn panel(&self, view: View, right: f64, top: f64) -> Panel {
        let largest = self.series.iter().map(|s| s.values.len() + 1).max().unwrap_or(2);
        let last = if view == View::Closer { largest.min(CLOSER) } else { largest };
        let (mut low, mut high) = (0f64, 0f64);
        for series in self.series {
            for y in self.values(series, view, last) {
                low = low.min(y);
                high = high.max(y);
            }
        }
        if view == View::Full {
            // Room above the line for its name.
            high = high.max(1.06 * self.limits.mean_distance.unwrap_or(0.0));
        }
        if view == View::AboveBest {
            high = high.min(ABOVE_BEST_TOP);
        }
        let top_value = axis::nice_above(high);
        let low = if low < 0.0 { -axis::nice_above(-low) } else { 0.0 };
        let (bottom, span) = (top + PANEL - 14.0, (LEFT, right));
        let x = match view {
            View::Full => Axis::linear((0.0, last as f64), span),
            View::Closer => Axis::linear((2.0, last as f64), span),
            View::Gain | View::AboveBest => Axis::log((2.0, last as f64), span),
        };
        let y = Axis::linear((low, top_value), (bottom, top));
        Panel { view, x, y, left: LEFT, right, top, bottom, last }
    }

    /// The values drawn in `view`, from size 2 to `last`.
    fn values<'b>(
        &'b self,
        series: &'b Series<'b>,
        view: View,
        last: usize,
    ) -> impl Iterator<Item = f64> + 'b {
        let sizes = 0..series.values.len().min(last.saturating_sub(1));
        sizes.map(move |i| self.value(series, view, i))
    }

    fn value(&self, series: &Series<'_>, view: View, i: usize) -> f64 {
        let value = series.values[i];
        match view {
            View::Full | View::Closer => value,
            View::Gain => match self.limits.mean_distance {
                Some(mean) if mean > 0.0 => 100.0 * (1.0 - value / mean),
                _ => 0.0,
            },
            View::AboveBest => above(value, self.best[i]),
        }
    }

    fn mean_line<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>, panel: &Panel) -> Result<()> {
        let Some(mean) = self.limits.mean_distance.filter(|_| panel.view == View::Full) else {
            return Ok(());
        };
        let y = panel.y.pixel(mean);
        let stroke = Stroke { colour: AXIS, width: 1.2, dash: &[5.0, 4.0] };
        pen.line(&[(panel.left, y), (panel.right, y)], &stroke)?;
        let text = format!("mean distance of the machine, {mean:.2} hops");
        pen.text((panel.left + 8.0, y - 8.0), &text, &Text::new(11.5).colour(MUTED))
    }

    /// The floor and the compact sets, in grey below the curves.
    fn limit_lines<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>, panel: &Panel) -> Result<()> {
        if panel.view == View::AboveBest {
            return Ok(());
        }
        for (values, dash) in self.limit_looks() {
            let series = Series { label: "", values, slot: 0 };
            let stroke = Stroke { colour: MUTED, width: 1.4, dash };
            for run in self.runs(&series, panel) {
                pen.line(&run, &stroke)?;
            }
        }
        Ok(())
    }

    fn limit_looks(&self) -> impl Iterator<Item = (&[f64], &'static [f64])> {
        let looks: [(&[f64], &'static [f64]); 2] =
            [(self.limits.compact, &[]), (self.limits.floor, &[2.0, 3.0])];
        looks.into_iter().filter(|(values, _)| !values.is_empty())
    }

    fn plot<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>, panel: &Panel) -> Result<()> {
        // The leader, which comes first, is drawn last and so on top.
        for (i, series) in self.series.iter().enumerate().rev() {
            let look = look(series.slot);
            let width = if i == 0 { 2.4 } else { 1.7 };
            let stroke = Stroke { colour: look.colour, width, dash: look.dash };
            for run in self.runs(series, panel) {
                pen.line(&run, &stroke)?;
            }
            for at in self.mark_points(i, series, panel) {
                pen.mark(at, look.mark, look.colour)?;
            }
        }
        Ok(())
    }

    /// The curve in pixels, thinned, cut where it leaves the picture.
    fn runs(&self, series: &Series<'_>, panel: &Panel) -> Vec<Vec<Point>> {
        let top = if panel.view == View::AboveBest { ABOVE_BEST_TOP } else { f64::INFINITY };
        let mut runs: Vec<Vec<Point>> = Vec::new();
        let mut last: Option<(f64, f64)> = None;
        for (i, y) in self.values(series, panel.view, panel.last).enumerate() {
            let x = panel.x.pixel((i + 2) as f64);
            // Where the line to this point passes the top of the picture.
            let edge =
                last.filter(|(_, before)| (*before > top) != (y > top)).map(|(px, before)| {
                    let share = if y.max(before).is_finite() {
                        (top - before) / (y - before)
                    } else {
                        f64::from(u8::from(before > top))
                    };
                    (px + (x - px) * share, panel.y.pixel(top))
                });
            match (y > top, runs.last_mut()) {
                (true, Some(run)) => run.extend(edge),
                (true, None) => {}
                (false, Some(run)) if edge.is_none() => run.push((x, panel.y.pixel(y))),
                (false, _) => {
                    runs.push(edge.into_iter().chain([(x, panel.y.pixel(y))]).collect());
                }
            }
            last = Some((x, y));
        }
        runs.into_iter().map(|run| thin(run.into_iter())).collect()
    }

    /// Six sizes evenly spread over the panel, shifted from curve to curve lest marks hide each other.
    fn mark_points(&self, index: usize, series: &Series<'_>, panel: &Panel) -> Vec<Point> {
        let sizes = series.values.len().min(panel.last.saturating_sub(1));
        if sizes == 0 {
            return Vec::new();
        }
        let shift = (index as f64 * 0.382).fract();
        let end = (sizes + 1) as f64;
        let mut chosen: Vec<usize> = (0..6)
            .map(|k| {
                let share = (f64::from(k) + 0.15 + 0.7 * shift) / 6.0;
                let size = match panel.view.log() {
                    true => 2.0 * (end / 2.0).powf(share),
                    false => 2.0 + (end - 2.0) * share,
                };
                (size.round() as usize).clamp(2, sizes + 1) - 2
            })
            .collect();
        chosen.dedup();
        chosen
            .into_iter()
            .map(|i| (i, self.value(series, panel.view, i)))
            .filter(|(_, y)| panel.view != View::AboveBest || *y <= ABOVE_BEST_TOP)
            .map(|(i, y)| (panel.x.pixel((i + 2) as f64), panel.y.pixel(y)))
            .collect()
    }

    fn legend<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>, left: f64) -> Result<()> {
        let style = Text::new(13.0);
        for (i, series) in self.series.iter().enumerate() {
            let y = TOP + 8.0 + i as f64 * ROW;
            sample(pen, (left, y), series.slot)?;
            let label = style.fit(series.label, LEGEND_ROOM);
            pen.text((left + 38.0, y + 4.5), &label, &style)?;
        }
        if self.views == [View::AboveBest] {
            return Ok(());
        }
        let names = [(self.limits.compact, COMPACT), (self.limits.floor, FLOOR)];
        let named = names.into_iter().filter(|(values, _)| !values.is_empty());
        for (i, ((_, name), (_, dash))) in named.zip(self.limit_looks()).enumerate() {
            let y = TOP + 18.0 + (self.series.len() + i) as f64 * ROW;
            let stroke = Stroke { colour: MUTED, width: 1.4, dash };
            pen.line(&[(left, y), (left + 30.0, y)], &stroke)?;
            pen.text((left + 38.0, y + 4.5), name, &style.colour(MUTED))?;
        }
        Ok(())
    }
}

/// A piece of the curve of slot `slot`, 30 pixels wide.
fn sample<B: DrawingBackend>(pen: &mut Pen<'_, B>, (x, y): Point, slot: usize) -> Result<()> {
    let look = look(slot);
    let stroke = Stroke { colour: look.colour, width: 2.2, dash: look.dash };
    pen.line(&[(x, y), (x + 30.0, y)], &stroke)?;
    pen.mark((x + 15.0, y), look.mark, look.colour)
}

/// The key of a curve, for tables.
pub(super) struct Sample {
    pub slot: usize,
}

impl Drawing for Sample {
    fn title(&self) -> String {
        String::new()
    }

    fn description(&self) -> String {
        String::new()
    }

    fn size(&self) -> (f64, f64) {
        (32.0, 12.0)
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        sample(pen, (1.0, 6.0), self.slot)
    }
}

/// Per cent of `value` above `best`; two nodes on one router may make both zero.
fn above(value: f64, best: f64) -> f64 {
    match (best > 0.0, value > 0.0) {
        (true, _) => 100.0 * (value / best - 1.0),
        (false, true) => f64::INFINITY,
        (false, false) => 0.0,
    }
}

impl Panel {
    fn frame<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let tick = Text::new(12.0).colour(MUTED);
        let grid = Stroke::solid(GRID, 1.0);
        for value in self.y.ticks(8) {
            let y = self.y.pixel(value);
            pen.line(&[(self.left, y), (self.right, y)], &grid)?;
            pen.text((self.left - 8.0, y + 4.0), &axis::label(value), &tick.right())?;
        }
        let most = if self.view.log() { 12 } else { 8 };
        for value in self.x.ticks(most).into_iter().filter(|v| v.fract() == 0.0) {
            let x = self.x.pixel(value);
            pen.line(&[(x, self.top), (x, self.bottom)], &grid)?;
            pen.text((x, self.bottom + 18.0), &axis::label(value), &tick.centred())?;
        }
        let corner = [(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)];
        pen.line(&corner, &Stroke::solid(AXIS, 1.2))?;
        let name = Text::new(13.0).colour(INK).centred();
        let middle = (self.left + self.right) / 2.0;
        pen.text((middle, self.bottom + 40.0), self.view.x_title(), &name)?;
        let middle = (self.top + self.bottom) / 2.0;
        pen.text((20.0, middle), self.view.y_title(), &name.upwards())
    }
}

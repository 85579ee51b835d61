//! What a placed guest does to the machine, in four panels: loads of links, how many links have which
//! contention, how far traffic goes, who sends to whom.

use plotters_backend::DrawingBackend;

use super::axis::{self, Axis, thousands};
use super::palette::{AXIS, GRID, HOLE, INK, MUTED, RAMP_STEPS, Rgb, look, ramp};
use super::pen::{Pen, Point, Stroke, Text};
use super::slice::Slice;
use super::{Drawing, Mapped, slice};
use crate::error::Result;
use crate::ids::NodeId;
use crate::mapping::{Analysis, Fabric, Guest, ProcessMapping};

const WIDTH: f64 = 960.0;
const TOP: f64 = 66.0;
const PANEL: f64 = 340.0;
const GAP: f64 = 66.0;
const LEFT: f64 = 62.0;
const COLUMN: f64 = 398.0;
/// Bars of the contention histogram, the idle links' not counted.
const BARS: usize = 20;
/// Rows and columns of the traffic matrix at most.
const CELLS: usize = 64;

/// What the figure is about.
pub(super) struct Loads<'a> {
    fabric: &'a Fabric<'a>,
    analysis: &'a Analysis,
    title: String,
    subtitle: String,
    slice: Option<Slice>,
    matrix: Matrix,
}

/// Traffic between processes in rank order, joined to blocks where there are many.
struct Matrix {
    side: usize,
    processes: usize,
    volume: Vec<f64>,
}

impl Matrix {
    fn new(guest: &Guest, placement: &ProcessMapping, ranks: &[NodeId]) -> Self {
        let n = guest.processes() as usize;
        let side = n.clamp(1, CELLS);
        // Processes by the rank of their node; those of one node by number.
        let mut rank: Vec<(NodeId, usize)> = ranks.iter().copied().zip(0..).collect();
        rank.sort_unstable();
        let of = |node: NodeId| rank.binary_search_by_key(&node, |r| r.0).map_or(n, |i| rank[i].1);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|p| of(placement.nodes()[*p]));
        let mut position = vec![0; n];
        order.iter().enumerate().for_each(|(at, p)| position[*p] = at * side / n);
        let mut volume = vec![0.0; side * side];
        guest.for_each_message(|m| {
            let cell = position[m.source as usize] * side + position[m.target as usize];
            volume[cell] += m.volume;
        });
        Matrix { side, processes: n, volume }
    }
}

impl<'a> Loads<'a> {
    pub fn new(mapped: &Mapped<'a>) -> Self {
        let Mapped { fabric, guest, placement, ranks, routing, analysis } = *mapped;
        let name = fabric.topology.name();
        let title = format!("{} on {name}: {}", guest.label(), placement.label());
        let subtitle = format!(
            "{routing}; contention at most {}, {} on average; dilation {} on average, {} at most",
            figure(analysis.contention.max),
            figure(analysis.contention.mean),
            figure(analysis.dilation.mean),
            figure(analysis.dilation.max),
        );
        let busiest = analysis.contention.busiest(&fabric.links, 1).first().copied();
        let slice = slice::through(fabric, busiest);
        let matrix = Matrix::new(guest, placement, ranks);
        Loads { fabric, analysis, title, subtitle, slice, matrix }
    }

    fn panel(&self, index: usize) -> (Point, Point) {
        let x = LEFT + (index % 2) as f64 * (COLUMN + GAP);
        let y = TOP + 26.0 + (index / 2) as f64 * (PANEL + GAP + 18.0);
        ((x, y), (x + COLUMN, y + PANEL))
    }

    fn contention(&self, link: usize) -> f64 {
        self.analysis.contention.loads[link] / self.fabric.links.capacity(link)
    }

    /// The step of the colour ramp for a value of at most `most`, or nothing for zero.
    fn shade(value: f64, most: f64) -> Option<usize> {
        let step = (value / most * (RAMP_STEPS - 1) as f64).round() as usize;
        (value > 0.0).then_some(step.min(RAMP_STEPS - 1))
    }

    /// Links of a plane of the grid, each direction on its right-hand side.
    fn plane<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>, slice: &Slice) -> Result<()> {
        let ((left, top), (right, bottom)) = self.panel(0);
        heading(pen, (left, top), &format!("Link contention{}", slice.title))?;
        let room =
            ((right - left) / slice.columns as f64).min((bottom - top - 34.0) / slice.rows as f64);
        let cell = room.min(60.0);
        let floor = top + cell * slice.rows as f64;
        let middle = |(x, y): (f64, f64)| (left + (x + 0.5) * cell, floor - (y + 0.5) * cell);
        let most = self.analysis.contention.max;
        let wide = (cell * 0.13).clamp(0.8, 5.0);
        for arrow in &slice.arrows {
            let (from, to) = (middle(arrow.from), middle(arrow.to));
            let long = (to.0 - from.0).hypot(to.1 - from.1).max(1e-9);
            // To the right of the way it goes, as on a road.
            let (dx, dy) = ((to.0 - from.0) / long, (to.1 - from.1) / long);
            let side = wide * 0.62;
            let shift = |p: Point| (p.0 - dy * side, p.1 + dx * side);
            let colour = Self::shade(self.contention(arrow.link), most).map_or(HOLE, ramp);
            pen.line(&[shift(from), shift(to)], &Stroke::solid(colour, wide))?;
        }
        let radius = (cell * 0.13).clamp(0.8, 4.0);
        for y in 0..slice.rows {
            for x in 0..slice.columns {
                pen.disc(middle((x as f64, y as f64)), radius, AXIS)?;
            }
        }
        let name = Text::new(12.0).colour(INK);
        pen.text((left, floor + 15.0), &format!("{} →", slice.across), &name)?;
        pen.text((left - 10.0, floor), &format!("{} →", slice.up), &name.upwards())?;
        self.bar(pen, (right - 150.0, floor + 6.0), &figure(most))
    }

    /// A colour bar from 0 to `most`.
    fn bar<B: DrawingBackend>(
        &self,
        pen: &mut Pen<'_, B>,
        (x, y): Point,
        most: &str,
    ) -> Result<()> {
        let each = 100.0 / RAMP_STEPS as f64;
        for step in 0..RAMP_STEPS {
            pen.rect((x + step as f64 * each, y), (each, 9.0), ramp(step))?;
        }
        let tick = Text::new(11.5).colour(MUTED);
        pen.text((x - 6.0, y + 9.0), "0", &tick.right())?;
        pen.text((x + 106.0, y + 9.0), most, &tick)
    }

    /// Where there is no plane: contention from the busiest link down.
    fn ranked<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let ((left, top), (right, bottom)) = self.panel(0);
        heading(pen, (left, top), "Contention of the links, the busiest first")?;
        let order = self.analysis.contention.busiest(&self.fabric.links, usize::MAX);
        let all = self.fabric.links.len().max(1) as f64;
        let x = Axis::linear((0.0, all), (left, right));
        let high = axis::nice_above(self.analysis.contention.max);
        let y = Axis::linear((0.0, high), (bottom, top));
        frame(pen, self.panel(0), &y, "contention (volume/capacity)")?;
        for value in x.ticks(5) {
            tick_below(pen, x.pixel(value), bottom, &axis::label(value))?;
        }
        below(pen, self.panel(0), "directed links")?;
        // A point a pixel is enough.
        let points = (COLUMN as usize).min(order.len());
        let line = (0..points).map(|i| {
            let at = i * (order.len() - 1) / (points - 1).max(1);
            (x.pixel(at as f64), y.pixel(self.contention(order[at])))
        });
        let end = (x.pixel(order.len() as f64), y.pixel(0.0));
        let line: Vec<Point> = line.chain([end]).collect();
        pen.line(&line, &Stroke::solid(look(0).colour, 2.0))
    }

    fn histogram<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let panel @ ((left, top), (right, bottom)) = self.panel(1);
        heading(pen, (left, top), "How many directed links have which contention")?;
        let bars = self.analysis.contention.histogram(&self.fabric.links, BARS);
        let high = bars.iter().map(|b| b.links).max().unwrap_or(1) as f64;
        let y = Axis::linear((0.0, axis::nice_above(high)), (bottom, top));
        frame(pen, panel, &y, "directed links")?;
        let each = (right - left) / (BARS + 2) as f64;
        for (i, bar) in bars.iter().enumerate() {
            let x = left + each * if i == 0 { 0.5 } else { i as f64 + 1.0 };
            let top = y.pixel(bar.links as f64);
            let colour = if i == 0 { AXIS } else { look(0).colour };
            pen.rect((x + 0.5, top), (each - 1.0, bottom - top), colour)?;
        }
        tick_below(pen, left + each, bottom, "idle")?;
        for i in [0, BARS / 2, BARS] {
            let value = self.analysis.contention.max * i as f64 / BARS as f64;
            if i > 0 {
                tick_below(pen, left + each * (i as f64 + 2.0), bottom, &figure(value))?;
            }
        }
        below(pen, panel, "contention (volume/capacity)")
    }

    fn dilation<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let panel @ ((left, top), (right, bottom)) = self.panel(2);
        heading(pen, (left, top), "How far traffic goes")?;
        let dilation = &self.analysis.dilation;
        let share = |part: f64, all: f64| if all > 0.0 { 100.0 * part / all } else { 0.0 };
        let bars: Vec<(f64, f64)> = dilation
            .histogram
            .iter()
            .map(|(p, v)| (share(*p as f64, dilation.pairs as f64), share(*v, dilation.volume)))
            .collect();
        let high = bars.iter().map(|(a, b)| a.max(*b)).fold(1.0, f64::max);
        let y = Axis::linear((0.0, axis::nice_above(high).min(100.0)), (bottom, top));
        frame(pen, panel, &y, "share (%)")?;
        let each = (right - left) / bars.len().max(4) as f64;
        let wide = (each * 0.4).min(26.0);
        let every = bars.len().div_ceil(16).max(1);
        for (hops, (pairs, volume)) in bars.iter().enumerate() {
            let x = left + (hops as f64 + 0.5) * each;
            for (offset, value, slot) in [(-wide, pairs, 0), (0.0, volume, 1)] {
                let top = y.pixel(*value);
                pen.rect((x + offset, top), (wide - 0.8, bottom - top), look(slot).colour)?;
            }
            if hops.is_multiple_of(every) {
                tick_below(pen, x, bottom, &hops.to_string())?;
            }
        }
        below(pen, panel, "path length (hops)")?;
        let key = Text::new(12.0);
        for (i, text) in ["pairs of processes", "volume"].iter().enumerate() {
            let at = (right - 130.0, top + 8.0 + 18.0 * i as f64);
            pen.rect((at.0 - 4.0, at.1 - 3.0), (134.0, 18.0), super::palette::PAPER)?;
            pen.rect(at, (11.0, 11.0), look(i).colour)?;
            pen.text((at.0 + 17.0, at.1 + 10.0), text, &key)?;
        }
        Ok(())
    }

    fn traffic<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let ((left, top), (_, bottom)) = self.panel(3);
        heading(pen, (left, top), "Who sends to whom, in rank order")?;
        let matrix = &self.matrix;
        let cell = ((bottom - top) / matrix.side as f64 * 2.0).floor().max(1.0) / 2.0;
        let whole = cell * matrix.side as f64;
        pen.rect((left, top), (whole, whole), HOLE)?;
        let most = matrix.volume.iter().copied().fold(0.0, f64::max);
        let least = matrix.volume.iter().copied().filter(|v| *v > 0.0).fold(most, f64::min);
        // Volumes of one job span many powers of ten.
        let step = |volume: f64| -> Option<usize> {
            let span = (most / least).ln();
            let share = if span > 0.0 { (volume / least).ln() / span } else { 1.0 };
            (volume > 0.0).then(|| (share * (RAMP_STEPS - 1) as f64).round() as usize)
        };
        // Equal neighbours in a row are one rectangle.
        for row in 0..matrix.side {
            let cells = &matrix.volume[row * matrix.side..(row + 1) * matrix.side];
            let mut start = 0;
            for run in cells.chunk_by(|a, b| step(*a) == step(*b)) {
                if let Some(shade) = step(run[0]) {
                    let at = (left + start as f64 * cell, top + row as f64 * cell);
                    pen.rect(at, (run.len() as f64 * cell, cell), ramp(shade))?;
                }
                start += run.len();
            }
        }
        let name = Text::new(12.0).colour(INK);
        let last = thousands(matrix.processes.saturating_sub(1) as u64);
        let mut target = format!("target, ranks 0 to {last} →");
        if matrix.processes > matrix.side {
            target = format!("target, ranks 0 to {last} in {} blocks →", matrix.side);
        }
        pen.text((left, top + whole + 15.0), &target, &name)?;
        let source = "← source";
        pen.text((left - 10.0, top + name.width(source)), source, &name.upwards())?;
        self.key(pen, (left + whole + 12.0, top), (least, most))
    }

    /// A key of the traffic's colours: from the least to the most.
    fn key<B: DrawingBackend>(
        &self,
        pen: &mut Pen<'_, B>,
        (x, y): Point,
        (least, most): (f64, f64),
    ) -> Result<()> {
        let (tick, each) = (Text::new(11.5).colour(MUTED), 100.0 / RAMP_STEPS as f64);
        if least < most {
            for step in 0..RAMP_STEPS {
                let at = (x, y + 100.0 - (step + 1) as f64 * each);
                pen.rect(at, (10.0, each), ramp(step))?;
            }
            pen.text((x + 14.0, y + 100.0), &figure(least), &tick)?;
        } else if most > 0.0 {
            pen.rect((x, y), (10.0, 10.0), ramp(RAMP_STEPS - 1))?;
        }
        pen.text((x + 14.0, y + 9.0), &figure(most), &tick)
    }
}

/// A value in few characters.
fn figure(value: f64) -> String {
    let power = value.abs().max(1e-300).log10().floor();
    if value != 0.0 && !(-3.0..6.0).contains(&power) {
        return format!("{value:.2e}");
    }
    let unit = 10f64.powf(3.0 - power.clamp(0.0, 3.0));
    axis::label((value * unit).round() / unit)
}

fn heading<B: DrawingBackend>(pen: &mut Pen<'_, B>, (x, y): Point, text: &str) -> Result<()> {
    let style = Text::new(13.5).bold();
    pen.text((x, y - 12.0), &style.fit(text, COLUMN + 20.0), &style)
}

/// Grid lines with their values, the axes and the vertical axis' name.
fn frame<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    ((left, top), (right, bottom)): (Point, Point),
    y: &Axis,
    name: &str,
) -> Result<()> {
    let tick = Text::new(11.5).colour(MUTED);
    for value in y.ticks(6) {
        let at = y.pixel(value);
        pen.line(&[(left, at), (right, at)], &Stroke::solid(GRID, 1.0))?;
        pen.text((left - 6.0, at + 4.0), &figure(value), &tick.right())?;
    }
    pen.line(&[(left, top), (left, bottom), (right, bottom)], &Stroke::solid(AXIS, 1.2))?;
    let middle = (top + bottom) / 2.0;
    pen.text((left - 50.0, middle), name, &Text::new(12.0).centred().upwards())
}

fn tick_below<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    x: f64,
    bottom: f64,
    text: &str,
) -> Result<()> {
    let tick: Rgb = MUTED;
    pen.text((x, bottom + 16.0), text, &Text::new(11.5).colour(tick).centred())
}

fn below<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    ((left, _), (right, bottom)): (Point, Point),
    name: &str,
) -> Result<()> {
    pen.text(((left + right) / 2.0, bottom + 35.0), name, &Text::new(12.0).centred())
}

impl Drawing for Loads<'_> {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn description(&self) -> String {
        format!(
            "Four panels: loads of links, how many links have which contention, path lengths of the \
             traffic, and the traffic matrix in rank order. {}.",
            self.subtitle
        )
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, TOP + 26.0 + 2.0 * PANEL + GAP + 18.0 + 46.0)
    }

    fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let title = Text::new(17.0).bold();
        pen.text((14.0, 30.0), &title.fit(&self.title, WIDTH - 30.0), &title)?;
        let note = Text::new(12.5).colour(MUTED);
        pen.text((14.0, 51.0), &note.fit(&self.subtitle, WIDTH - 30.0), &note)?;
        match &self.slice {
            Some(slice) => self.plane(pen, slice)?,
            None => self.ranked(pen)?,
        }
        self.histogram(pen)?;
        self.dilation(pen)?;
        self.traffic(pen)
    }
}

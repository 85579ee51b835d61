//! What the figures of replays have in common: title, panels with axes, and the key.

use plotters_backend::DrawingBackend;

use super::super::axis::{self, Axis};
use super::super::palette::{AXIS, GRID, INK, MUTED, look};
use super::super::pen::{Pen, Point, Stroke, Text};
use crate::error::Result;

pub(super) const WIDTH: f64 = 960.0;
/// Where the first panel starts.
pub(super) const TOP: f64 = 74.0;
/// Room below a panel for the ticks and the name of its axis.
pub(super) const BELOW: f64 = 60.0;
/// Room right of everything.
pub(super) const MARGIN: f64 = 18.0;
/// Height of a row of the key.
const ROW: f64 = 21.0;
const KEY_ROOM: f64 = 230.0;
/// Room between a panel and the key on its right.
const KEY_GAP: f64 = 16.0;
/// Width of a key's sample with the gap to its label.
const SAMPLE: f64 = 38.0;

/// A rectangle in pixels.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

/// The values of an axis and its ticks.
pub(super) struct Scale {
    range: (f64, f64),
    log: bool,
    ticks: Vec<f64>,
}

impl Scale {
    /// Sizes or the like, all positive, on a logarithmic axis of `room` pixels.
    pub fn log(range: (f64, f64), room: f64) -> Self {
        let (low, high) = range;
        // A single size stands in the middle.
        let range = if high > low { range } else { (low * 0.5f64.sqrt(), low * 2f64.sqrt()) };
        let most = (room / 56.0) as usize;
        let mut ticks = Axis::log(range, (0.0, room)).ticks(most);
        if ticks.len() < 3 {
            ticks = Axis::linear(range, (0.0, room)).ticks(most.min(6));
        }
        if high <= low {
            ticks = vec![low];
        }
        ticks.retain(|t| t.fract() == 0.0 && *t > 0.0);
        Scale { range, log: true, ticks }
    }

    /// Values as of [`Scale::linear`], but with the ends little beyond the values: for bars with numbers.
    pub fn tight((low, high): (f64, f64), most: usize) -> Self {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let high = if high > low { high } else { 1.0 };
        let step = axis::nice_step((high - low) / most as f64);
        let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
        let ticks = (0..=(last - first) as usize).map(|i| (first + i as f64) * step).collect();
        Scale { range: (low * 1.06, high * 1.06), log: false, ticks }
    }

    /// Values without zero, where differences matter. Ends with ticks.
    pub fn near((low, high): (f64, f64), most: usize) -> Self {
        // A single value stands in the middle.
        let (low, high) = if high > low { (low, high) } else { (low - 0.5, high + 0.5) };
        let step = axis::nice_step((high - low) / most as f64);
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let ticks = (0..=(last - first) as usize).map(|i| (first + i as f64) * step).collect();
        Scale { range: (first * step, last * step), log: false, ticks }
    }

    /// An axis whose ticks the figure draws itself.
    pub fn bare() -> Self {
        Scale { range: (0.0, 1.0), log: false, ticks: Vec::new() }
    }

    /// Counts from 1 on a logarithmic axis that ends with powers of ten.
    pub fn decades(most: f64) -> Self {
        let last = most.max(10.0).log10().ceil() as i32;
        let every = (last / 8 + 1) as usize;
        let ticks = (0..=last).step_by(every).map(|e| 10f64.powi(e)).collect();
        Scale { range: (1.0, 10f64.powi(last)), log: true, ticks }
    }

    /// Values of which some may be below zero; 0 is always in the picture. Ends with ticks.
    pub fn linear((low, high): (f64, f64), most: usize) -> Self {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let high = if high > low { high } else { 1.0 };
        let step = axis::nice_step((high - low) / most as f64);
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let ticks = (0..=(last - first) as usize).map(|i| (first + i as f64) * step).collect();
        Scale { range: (first * step, last * step), log: false, ticks }
    }

    pub fn axis(&self, pixels: (f64, f64)) -> Axis {
        match self.log {
            true => Axis::log(self.range, pixels),
            false => Axis::linear(self.range, pixels),
        }
    }

    pub fn ticks(&self) -> &[f64] {
        &self.ticks
    }

    pub fn contains(&self, value: f64) -> bool {
        (self.range.0..=self.range.1).contains(&value)
    }

    /// Room for the labels, the name and the gaps left of a vertical axis.
    pub fn room(&self) -> f64 {
        let tick = Text::new(12.0);
        38.0 + self.ticks.iter().map(|t| tick.width(&axis::label(*t))).fold(16.0, f64::max)
    }
}

/// A panel's axes and their names.
pub(super) struct Frame<'a> {
    pub area: Area,
    pub x: &'a Scale,
    pub y: &'a Scale,
    pub x_name: &'a str,
    /// Drawn at the figure's left edge; empty for a panel that shares the axis of its left neighbour.
    pub y_name: &'a str,
}

impl Frame<'_> {
    /// The pixel of a value.
    pub fn pixel(&self, (x, y): (f64, f64)) -> Point {
        (self.across().pixel(x), self.up().pixel(y))
    }

    pub fn across(&self) -> Axis {
        self.x.axis((self.area.left, self.area.right))
    }

    pub fn up(&self) -> Axis {
        self.y.axis((self.area.bottom, self.area.top))
    }

    /// Grid, ticks, names, and the line of zero where the axis goes below.
    pub fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let Area { left, right, top, bottom } = self.area;
        let tick = Text::new(12.0).colour(MUTED);
        let grid = Stroke::solid(GRID, 1.0);
        let (across, up) = (self.across(), self.up());
        for value in &self.y.ticks {
            let y = up.pixel(*value);
            pen.line(&[(left, y), (right, y)], &grid)?;
            if !self.y_name.is_empty() {
                pen.text((left - 8.0, y + 4.0), &axis::label(*value), &tick.right())?;
            }
        }
        for value in &self.x.ticks {
            let x = across.pixel(*value);
            pen.line(&[(x, top), (x, bottom)], &grid)?;
            pen.text((x, bottom + 18.0), &axis::label(*value), &tick.centred())?;
        }
        let axis = Stroke::solid(AXIS, 1.2);
        if !self.y.log && self.y.range.0 < 0.0 {
            let zero = up.pixel(0.0);
            pen.line(&[(left, zero), (right, zero)], &Stroke::solid(INK, 1.2))?;
        }
        pen.line(&[(left, top), (left, bottom), (right, bottom)], &axis)?;
        let name = Text::new(13.0).centred();
        let text = name.fit(self.x_name, right - left + 60.0);
        pen.text(((left + right) / 2.0, bottom + 40.0), &text, &name)?;
        if self.y_name.is_empty() {
            return Ok(());
        }
        let text = name.fit(self.y_name, bottom - top + 20.0);
        pen.text((20.0, (top + bottom) / 2.0), &text, &name.upwards())
    }
}

/// The title and, below it, a note.
pub(super) fn heading<B: DrawingBackend>(
    pen: &mut Pen<'_, B>,
    title: &str,
    note: &str,
) -> Result<()> {
    let bold = Text::new(17.0).bold();
    pen.text((MARGIN, 30.0), &bold.fit(title, WIDTH - 2.0 * MARGIN), &bold)?;
    let muted = Text::new(12.0).colour(MUTED);
    pen.text((MARGIN, 51.0), &muted.fit(note, WIDTH - 2.0 * MARGIN), &muted)
}

/// What a key shows beside a label.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sample {
    Line,
    Patch,
    Band,
}

/// Labels with their slots: what stands for what.
pub(super) struct Key {
    entries: Vec<(String, usize)>,
    sample: Sample,
}

impl Key {
    pub fn new<'a>(sample: Sample, entries: impl Iterator<Item = (&'a str, usize)>) -> Self {
        Key { entries: entries.map(|(label, slot)| (label.to_string(), slot)).collect(), sample }
    }

    /// Where panels end that have the key on their right.
    pub fn panel_right(&self) -> f64 {
        let style = Text::new(13.0);
        let widest = self.entries.iter().map(|(l, _)| style.width(l)).fold(60.0, f64::max);
        WIDTH - MARGIN - widest.min(KEY_ROOM) - SAMPLE - KEY_GAP
    }

    /// How far down the key reaches on the right of the panels.
    pub fn bottom(&self) -> f64 {
        TOP + self.entries.len() as f64 * ROW + 8.0
    }

    /// Draws the key on the right of the panels.
    pub fn draw<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        let left = self.panel_right() + KEY_GAP;
        for (i, (label, slot)) in self.entries.iter().enumerate() {
            self.entry(pen, (left, TOP + 8.0 + i as f64 * ROW), label, *slot)?;
        }
        Ok(())
    }

    /// The labels' places in rows over the full width, and how high they are.
    fn flow(&self) -> (Vec<Point>, f64) {
        let style = Text::new(13.0);
        let (mut x, mut y, mut places) = (MARGIN, TOP, Vec::new());
        for (label, _) in &self.entries {
            let width = SAMPLE + style.width(label).min(KEY_ROOM) + 20.0;
            if x + width > WIDTH && x > MARGIN {
                (x, y) = (MARGIN, y + ROW);
            }
            places.push((x, y));
            x += width;
        }
        (places, y + ROW - TOP)
    }

    /// Height of the key in rows above the panels.
    pub fn flow_height(&self) -> f64 {
        self.flow().1
    }

    /// Draws the key in rows above the panels.
    pub fn draw_flow<B: DrawingBackend>(&self, pen: &mut Pen<'_, B>) -> Result<()> {
        for ((label, slot), at) in self.entries.iter().zip(self.flow().0) {
            self.entry(pen, at, label, *slot)?;
        }
        Ok(())
    }

    fn entry<B: DrawingBackend>(
        &self,
        pen: &mut Pen<'_, B>,
        (x, y): Point,
        label: &str,
        slot: usize,
    ) -> Result<()> {
        let look = look(slot);
        match self.sample {
            Sample::Patch => pen.rect((x + 8.0, y - 6.0), (20.0, 12.0), look.colour)?,
            Sample::Line | Sample::Band => {
                if self.sample == Sample::Band {
                    pen.tint((x, y - 7.0), (30.0, 14.0), look.colour, BAND)?;
                }
                let stroke = Stroke { colour: look.colour, width: 2.2, dash: look.dash };
                pen.line(&[(x, y), (x + 30.0, y)], &stroke)?;
                pen.mark((x + 15.0, y), look.mark, look.colour)?;
            }
        }
        let style = Text::new(13.0);
        pen.text((x + SAMPLE, y + 4.5), &style.fit(label, KEY_ROOM), &style)
    }
}

/// Opacity of bands.
pub(super) const BAND: f64 = 0.22;

/// Labels as a list in a sentence.
pub(super) fn list<'a>(labels: impl Iterator<Item = &'a str>) -> String {
    labels.collect::<Vec<_>>().join("; ")
}

/// The lowest and highest of some values; none of none.
pub(super) fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |bounds, v| {
        let (low, high) = bounds.unwrap_or((v, v));
        Some((v.min(low), v.max(high)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_with_ticks_and_hold_zero() {
        let scale = Scale::linear((-13.0, 87.0), 8);
        assert_eq!(scale.ticks, [-20.0, 0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(scale.range, (-20.0, 100.0));
        assert_eq!(Scale::linear((0.0, 0.0), 8).range, (0.0, 1.0));
        assert_eq!(Scale::linear((-3.0, -1.0), 4).range, (-3.0, 0.0));
        let tight = Scale::tight((-64.0, 71.0), 5);
        assert_eq!(tight.ticks, [-50.0, 0.0, 50.0]);
        assert!(tight.contains(-64.0) && tight.contains(71.0) && !tight.contains(80.0));
        assert_eq!(Scale::tight((0.0, 0.0), 5).ticks.first(), Some(&0.0));
        assert_eq!(Scale::decades(3.0).ticks, [1.0, 10.0]);
        assert_eq!(Scale::decades(2e4).range, (1.0, 1e5));
    }

    #[test]
    fn a_narrow_range_of_sizes_still_has_ticks() {
        assert_eq!(Scale::log((13.0, 13.0), 600.0).ticks, [13.0]);
        assert_eq!(Scale::log((100.0, 120.0), 600.0).ticks, [100.0, 105.0, 110.0, 115.0, 120.0]);
        assert_eq!(Scale::log((1.0, 2048.0), 700.0).ticks.len(), 12);
    }
}

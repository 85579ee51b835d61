//! Scales: which values an axis holds, where its ticks are and what they say. Plotters' own choose ticks but
//! neither ends that are ticks nor powers of two.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::palette::MUTED;
use super::text::Text;
pub use nodeorder_base::error::format_thousands;

/// Room that a tick of a logarithmic axis takes in pixels.
pub const LOG_TICK: f64 = 56.0;

/// The values of an axis and its ticks.
#[derive(Clone)]
pub struct Scale {
    range: (f64, f64),
    pub log: bool,
    ticks: Vec<(f64, String)>,
    /// How the labels of the ticks look.
    pub tick: Text,
}

impl Scale {
    fn new(range: (f64, f64), log: bool, ticks: Vec<f64>) -> Self {
        let ticks = ticks.into_iter().map(|t| (t, format_tick(t))).collect();
        Scale {
            log,
            ..Scale::named_ticks(range, ticks)
        }
    }

    /// Makes a logarithmic axis of `room` pixels for sizes or the like, all positive.
    pub fn logarithmic((low, high): (f64, f64), room: f64) -> Self {
        // A single size stands in the middle.
        let range = if high > low {
            (low, high)
        } else {
            (low * 0.5f64.sqrt(), low * 2f64.sqrt())
        };
        let most = (room / LOG_TICK) as usize;
        let mut ticks = powers_of_two(range, most);
        // Less than two octaves hold too few powers of two.
        if ticks.len() < 3 {
            ticks = nice_multiples(range, most.min(6));
        }
        if high <= low {
            ticks = vec![low];
        }
        // Sizes are whole, so that a tick at half a node has no meaning.
        ticks.retain(|t| t.fract() == 0.0 && *t > 0.0);
        Scale::new(range, true, ticks)
    }

    /// Makes a linear axis whose ends are those of the range, with at most about `most` ticks.
    pub fn end_to_end((low, high): (f64, f64), most: usize) -> Self {
        let range = (low, if high > low { high } else { low + 1.0 });
        Scale::new(range, false, nice_multiples(range, most))
    }

    /// Makes an axis as [`Scale::end_to_end`] does, with ticks at whole numbers only.
    pub fn whole_numbers(range: (f64, f64), most: usize) -> Self {
        let mut scale = Scale::end_to_end(range, most);
        scale.ticks.retain(|t| t.0.fract() == 0.0);
        scale
    }

    /// Makes an axis as [`Scale::linear`] does, but with the ends little beyond the values: for bars with
    /// numbers.
    pub fn tight_ends(range: (f64, f64), most: usize) -> Self {
        let (low, high) = with_zero(range);
        let ticks = nice_multiples((low, high), most);
        Scale::new((low * 1.06, high * 1.06), false, ticks)
    }

    /// Makes a linear axis that always shows 0, for values that may be below zero. It begins and ends with a
    /// tick, and has about `most` ticks.
    pub fn linear(range: (f64, f64), most: usize) -> Self {
        Scale::ends_at_ticks(with_zero(range), most)
    }

    /// Makes an axis for values without zero, where differences matter. Ends with ticks.
    pub fn without_zero((low, high): (f64, f64), most: usize) -> Self {
        // A single value stands in the middle.
        Scale::ends_at_ticks(
            if high > low {
                (low, high)
            } else {
                (low - 0.5, high + 0.5)
            },
            most,
        )
    }

    /// Makes a linear axis from a tick at 1 to one at or above `high`, with about `most` ticks: for ratios of at least
    /// 1.
    pub fn from_one(high: f64, most: usize) -> Self {
        let step = nice_step((high - 1.0).max(0.1) / most as f64);
        let last = ((high - 1.0).max(0.1) / step - 0.01).ceil();
        let ticks = (0..=last as usize).map(|i| 1.0 + i as f64 * step);
        Scale::new((1.0, 1.0 + last * step), false, ticks.collect())
    }

    fn ends_at_ticks((low, high): (f64, f64), most: usize) -> Self {
        let step = nice_step((high - low) / most as f64);
        // A hundredth of a step beyond a tick cannot be seen.
        let first = (low / step + 0.01).floor();
        let last = (high / step - 0.01).ceil();
        let ticks = (0..=(last - first) as usize)
            .map(|i| (first + i as f64) * step)
            .collect();
        Scale::new((first * step, last * step), false, ticks)
    }

    /// Makes a logarithmic axis of counts from 1 to the first power of ten of at least `most`.
    pub fn log_counts(most: f64) -> Self {
        let last = most.max(10.0).log10().ceil() as i32;
        let every = (last / 8 + 1) as usize;
        let ticks = (0..=last).step_by(every).map(|e| 10f64.powi(e)).collect();
        Scale::new((1.0, 10f64.powi(last)), true, ticks)
    }

    /// Makes an axis from end to end with ticks that have names.
    pub fn named_ticks(range: (f64, f64), ticks: Vec<(f64, String)>) -> Self {
        Scale {
            range,
            log: false,
            ticks,
            tick: Text::new(12.0).with_colour(MUTED),
        }
    }

    /// Makes an axis of rows with names, the first on top: row i ends `names.len() - i` above the axis.
    pub fn named_rows<'a>(names: impl DoubleEndedIterator<Item = &'a str>) -> Self {
        const ROOM: f64 = 230.0;
        let tick = Text::new(13.0);
        let ticks: Vec<_> = (0..)
            .zip(names.rev())
            .map(|(row, name)| (f64::from(row) + 0.5, tick.cut_to_width(name, ROOM)))
            .collect();
        Scale {
            tick,
            ..Scale::named_ticks((0.0, ticks.len() as f64), ticks)
        }
    }

    /// Shortens the labels to few characters.
    pub fn with_brief_labels(mut self) -> Self {
        self.ticks
            .iter_mut()
            .for_each(|(value, label)| *label = format_briefly(*value));
        self
    }

    /// Computes where `value` lies between the ends, from 0 to 1; what lies beyond an end is put there.
    fn share_of_axis(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let share = if self.log {
            // A zero has no logarithm; it stands at the lower end.
            (value.max(low) / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        };
        share.clamp(0.0, 1.0)
    }

    /// Computes the pixel of a value on an axis from `start` to `end`.
    pub fn pixel_on_axis(&self, value: f64, (start, end): (f64, f64)) -> f64 {
        start + self.share_of_axis(value) * (end - start)
    }

    /// Computes the value at a share of a linear axis.
    pub fn value_of(&self, share: f64) -> f64 {
        self.range.0 + share * (self.range.1 - self.range.0)
    }

    pub fn is_within(&self, value: f64) -> bool {
        (self.range.0..=self.range.1).contains(&value)
    }

    /// Computes the room for the labels, the name and the gaps left of a vertical axis, in pixels.
    pub fn label_room(&self) -> f64 {
        38.0 + self
            .ticks
            .iter()
            .map(|t| self.tick.estimate_width(&t.1))
            .fold(16.0, f64::max)
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        self.pixel_on_axis(*value, (f64::from(start), f64::from(end)))
            .round() as i32
    }

    /// Lists the ticks; there are no lines between them.
    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        // Plotters asks a second time for the fine lines of the grid.
        if hint.weight().allow_light_points() {
            return Vec::new();
        }
        self.ticks.iter().map(|t| t.0).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.0..self.range.1
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        self.ticks
            .iter()
            .find(|t| t.0 == *value)
            .map_or_else(String::new, |t| t.1.clone())
    }
}

fn with_zero((low, high): (f64, f64)) -> (f64, f64) {
    let low = low.min(0.0);
    let high = high.max(0.0);
    (low, if high > low { high } else { 1.0 })
}

/// Lists multiples of a nice step within a range, at most about `most`.
fn nice_multiples((low, high): (f64, f64), most: usize) -> Vec<f64> {
    let step = nice_step((high - low) / most.max(1) as f64);
    // Rounding must not cost the tick at an end of the axis.
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    (0..=(last - first).max(0.0) as usize)
        .map(|i| (first + i as f64) * step)
        .collect()
}

/// Lists powers of two, or of four and so on, within a range, at most `most`.
fn powers_of_two((low, high): (f64, f64), most: usize) -> Vec<f64> {
    let first = low.log2();
    let last = high.log2();
    let every = ((last - first) / most.max(1) as f64).ceil().max(1.0);
    let start = (first / every - 1e-9).ceil();
    (0..=most + 1)
        .map(|i| ((start + i as f64) * every).exp2())
        .take_while(|t| *t <= high * (1.0 + 1e-9))
        .collect()
}

/// Finds 1, 2 or 5 times a power of ten, the first of at least `least`.
fn nice_step(least: f64) -> f64 {
    // Without a floor the step of an empty range would be zero, and the ticks endless.
    let power = 10f64.powf(least.max(1e-12).log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|f| f * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Finds the lowest and the highest of some values. `None` if there are none.
pub fn lowest_and_highest(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |bounds, v| {
        let (low, high) = bounds.unwrap_or((v, v));
        Some((v.min(low), v.max(high)))
    })
}

/// Formats `value` with `decimals` decimals and a true minus sign.
pub fn format_fixed(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}").replace('-', "−")
}

/// Formats a tick's label: no more decimals than the step needs, thousands parted by commas.
pub fn format_tick(value: f64) -> String {
    // Multiples of a step have errors in the last bits, as 0.30000000000000004.
    let rounded = (value * 1e6).round() / 1e6;
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        let sign = if rounded < 0.0 { "−" } else { "" };
        format!("{sign}{}", format_thousands(rounded.abs() as u64))
    } else {
        format!("{rounded}").replace('-', "−")
    }
}

/// Formats a value in few characters.
pub fn format_briefly(value: f64) -> String {
    let power = value.abs().max(1e-300).log10().floor();
    if value != 0.0 && !(-4.0..6.0).contains(&power) {
        return format!("{value:.2e}");
    }
    let unit = 10f64.powf(3.0 - power.clamp(-3.0, 3.0));
    format_tick((value * unit).round() / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(scale: &Scale) -> Vec<f64> {
        scale.ticks.iter().map(|t| t.0).collect()
    }

    #[test]
    fn ticks_are_round_and_within() {
        let ticks = values(&Scale::end_to_end((0.0, 1440.0), 8));
        assert_eq!(
            ticks,
            [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0, 1200.0, 1400.0]
        );
        let ticks = powers_of_two((2.0, 19200.0), 14);
        assert_eq!(ticks.first(), Some(&2.0));
        assert_eq!(ticks.last(), Some(&16384.0));
        assert_eq!(powers_of_two((2.0, 19200.0), 4), [16.0, 256.0, 4096.0]);
    }

    #[test]
    fn labels_read_well() {
        let labels = [19200.0, 0.30000000000000004, -2.5].map(format_tick);
        assert_eq!(labels, ["19,200", "0.3", "−2.5"]);
        assert_eq!(format_thousands(1_234_567), "1,234,567");
        let top = |high| Scale::linear((0.0, high), 8).range.1;
        assert_eq!([top(9.26), top(89.0)], [10.0, 100.0]);
        assert_eq!(
            [
                format_briefly(1234567.0),
                format_briefly(12.3456),
                format_briefly(0.0)
            ],
            ["1.23e6", "12.35", "0"]
        );
    }

    #[test]
    fn a_single_size_still_makes_an_axis() {
        assert_eq!(
            Scale::end_to_end((2.0, 2.0), 8).pixel_on_axis(2.0, (10.0, 20.0)),
            10.0
        );
        assert!(
            Scale::logarithmic((2.0, 2.0), 700.0)
                .pixel_on_axis(2.0, (0.0, 1.0))
                .is_finite()
        );
    }

    #[test]
    fn scales_end_with_ticks_and_hold_zero() {
        let scale = Scale::linear((-13.0, 87.0), 8);
        assert_eq!(values(&scale), [-20.0, 0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(scale.range, (-20.0, 100.0));
        assert_eq!(Scale::linear((0.0, 0.0), 8).range, (0.0, 1.0));
        assert_eq!(Scale::linear((-0.05, 73.0), 8).range, (0.0, 80.0));
        assert_eq!(Scale::linear((-3.0, -1.0), 4).range, (-3.0, 0.0));
        let tight = Scale::tight_ends((-64.0, 71.0), 5);
        assert_eq!(values(&tight), [-50.0, 0.0, 50.0]);
        assert!(tight.is_within(-64.0) && tight.is_within(71.0) && !tight.is_within(80.0));
        assert_eq!(
            values(&Scale::tight_ends((0.0, 0.0), 5)).first(),
            Some(&0.0)
        );
        assert_eq!(values(&Scale::log_counts(3.0)), [1.0, 10.0]);
        assert_eq!(Scale::log_counts(2e4).range, (1.0, 1e5));
    }

    #[test]
    fn a_narrow_range_of_sizes_still_has_ticks() {
        let ticks = |range, room| values(&Scale::logarithmic(range, room));
        assert_eq!(ticks((13.0, 13.0), 600.0), [13.0]);
        assert_eq!(
            ticks((100.0, 120.0), 600.0),
            [100.0, 105.0, 110.0, 115.0, 120.0]
        );
        assert_eq!(ticks((1.0, 2048.0), 700.0).len(), 12);
    }
}

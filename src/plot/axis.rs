//! Axes: from values to pixels, and where the ticks go.

/// A range of values and the pixels it covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
    log: bool,
}

impl Axis {
    /// A linear axis.
    pub fn linear((from, to): (f64, f64), (start, end): (f64, f64)) -> Self {
        Axis { from, to: if to > from { to } else { from + 1.0 }, start, end, log: false }
    }

    /// A logarithmic axis; `from` is positive.
    pub fn log((from, to): (f64, f64), (start, end): (f64, f64)) -> Self {
        Axis { from, to: if to > from { to } else { from * 2.0 }, start, end, log: true }
    }

    /// The pixel of `value`, kept within the axis.
    pub fn pixel(&self, value: f64) -> f64 {
        let share = if self.log {
            (value.max(self.from) / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        self.start + share.clamp(0.0, 1.0) * (self.end - self.start)
    }

    /// Values worth a label, at most about `most`.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        if !self.log {
            let step = nice_step((self.to - self.from) / most.max(1) as f64);
            let first = (self.from / step - 1e-9).ceil();
            return (0..=4 * most)
                .map(|i| (first + i as f64) * step)
                .take_while(|t| *t <= self.to + step * 1e-9)
                .collect();
        }
        let (low, high) = (self.from.log2(), self.to.log2());
        let every = ((high - low) / most.max(1) as f64).ceil().max(1.0);
        let first = (low / every - 1e-9).ceil();
        (0..=most + 1)
            .map(|i| ((first + i as f64) * every).exp2())
            .take_while(|t| *t <= self.to * (1.0 + 1e-9))
            .collect()
    }
}

/// 1, 2 or 5 times a power of ten, at least `least`.
pub(super) fn nice_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-12).log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// The next value from `value` up that ends an axis of about eight ticks with a tick.
pub(super) fn nice_above(value: f64) -> f64 {
    let step = nice_step(value.max(1e-9) / 8.0);
    (value / step - 1e-9).ceil().max(0.0) * step
}

/// A tick's label: no more decimals than the step needs, thousands parted by commas.
pub(super) fn label(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        let sign = if rounded < 0.0 { "−" } else { "" };
        format!("{sign}{}", thousands(rounded.abs() as u64))
    } else {
        format!("{rounded}").replace('-', "−")
    }
}

/// `19,200`.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let axis = Axis::linear((0.0, 1440.0), (0.0, 700.0));
        assert_eq!(axis.ticks(8), [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0, 1200.0, 1400.0]);
        let axis = Axis::log((2.0, 19200.0), (0.0, 700.0));
        assert_eq!(axis.ticks(14).first(), Some(&2.0));
        assert_eq!(axis.ticks(14).last(), Some(&16384.0));
        assert_eq!(axis.ticks(4), [16.0, 256.0, 4096.0]);
    }

    #[test]
    fn labels_read_well() {
        assert_eq!(
            [label(19200.0), label(0.30000000000000004), label(-2.5)],
            ["19,200", "0.3", "−2.5"]
        );
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!([nice_above(9.26), nice_above(89.0), nice_above(0.0)], [10.0, 100.0, 0.0]);
    }

    #[test]
    fn a_single_size_still_makes_an_axis() {
        let axis = Axis::linear((2.0, 2.0), (10.0, 20.0));
        assert_eq!(axis.pixel(2.0), 10.0);
        assert!(Axis::log((2.0, 2.0), (0.0, 1.0)).pixel(2.0).is_finite());
    }
}

//! The curve of mean slowdowns by size.

/// Number of duties at which every point is known: 0, 0.1, … 1.
pub const DUTY_STEPS: usize = 11;

/// Slowdowns of windows of one size: numbers of at least 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowdownPoint {
    /// Nodes of a window.
    pub size: usize,
    /// Number of windows over all tilings, without those left out.
    pub windows: u64,
    /// Mean where no other window sends.
    pub alone: f64,
    /// Mean where the others send for the share of the time that the duty says.
    pub mixed: f64,
    /// Mean where all send at once.
    pub all: f64,
    /// Smallest of the `mixed` of windows that nine of ten windows do not exceed.
    pub mixed_p90: f64,
    /// Largest `mixed` of a window.
    pub mixed_max: f64,
    /// Means where the others send for the shares 0, 0.1, … 1 of the time.
    pub at_duties: [f64; DUTY_STEPS],
}

/// Slowdowns of an ordering for one guest, by size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlowdownCurve {
    /// Sizes with a window, in the order asked for.
    pub points: Vec<SlowdownPoint>,
    /// Number of windows left out: they span components of the machine, or send nothing over node links.
    pub left_out: u64,
    /// Sizes at which the guest does not exist, or at which no window is left.
    pub absent: Vec<usize>,
}

impl SlowdownCurve {
    /// Computes the mean of a figure over sizes, an octave weighing as much as any other: the curve over ln(size),
    /// straight between the sizes, integrated and divided by ln(largest / smallest). `None` without a size; of one
    /// size, its figure.
    pub fn log_uniform_mean(&self, figure: impl Fn(&SlowdownPoint) -> f64) -> Option<f64> {
        let points = self.points.iter().map(|point| (point.size, figure(point)));
        integrate_octaves(&points.collect::<Vec<_>>())
    }

    /// Finds the smallest size with the largest `mixed`; `None` without a size.
    pub fn largest_mixed(&self) -> Option<&SlowdownPoint> {
        let points = self.points.iter().rev();
        points.max_by(|a, b| a.mixed.total_cmp(&b.mixed))
    }

    /// Finds the smallest size from which on this curve's `mixed` is below that of `other` at every larger size that
    /// both have; `None` if it is not so at the largest.
    pub fn better_from(&self, other: &SlowdownCurve) -> Option<usize> {
        let mut from = None;
        for point in self.points.iter().rev() {
            let Some(there) = other.points.iter().find(|there| there.size == point.size) else {
                continue;
            };
            if point.mixed >= there.mixed {
                break;
            }
            from = Some(point.size);
        }
        from
    }
}

/// Integrates values at ascending sizes over ln(size), as [`SlowdownCurve::log_uniform_mean`] does.
pub(super) fn integrate_octaves(points: &[(usize, f64)]) -> Option<f64> {
    let (first, value) = points.first()?;
    let (last, _) = points.last()?;
    if first == last {
        return Some(*value);
    }
    let mut area = 0.0;
    for pair in points.windows(2) {
        let width = (pair[1].0 as f64 / pair[0].0 as f64).ln();
        area += width * (pair[0].1 + pair[1].1) / 2.0;
    }
    Some(area / (*last as f64 / *first as f64).ln())
}

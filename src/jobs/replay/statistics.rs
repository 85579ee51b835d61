//! Statistics of a replay: mean distances by job size, improvement over a baseline, and a test of whether it is more
//! than chance.
//!
//! MIND is the mean distance over all pairs of a job's nodes. Sums are kept by size and exactly; improvement is that
//! of the mean MIND of each size, and each size counts the same however many jobs it has. Say the jobs of 2 nodes
//! have 3 hops with the baseline and 1.5 here, and those of 12 nodes 2 and 1.5: improvements of 50 and 25 per
//! cent, 37.5 overall.

use super::moments::students_t;
pub use super::moments::{Moments, interval_half_width};
use std::collections::BTreeMap;

use statrs::distribution::ContinuousCDF;

use super::figures::Placed;
use nodeorder_base::ratio::divide_exactly;
use nodeorder_order::metric::allocation::AllocationMetrics;

/// Largest number of nodes of a small job; all above are large.
pub const MAX_SMALL_JOB: u32 = 10;

/// Sums over the jobs of one size. The distance of a job is the sum over its pairs, of which all jobs of a size have
/// the same number; or its mean in whole hops ([`Summary::with_whole_hops`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeRow {
    /// Number of jobs.
    pub count: u64,
    /// Sum of the distances of all jobs.
    pub total_distance: u128,
    /// Smallest distance of a job.
    pub least_distance: u64,
    /// Largest distance of a job.
    pub largest_distance: u64,
    /// Divisor that turns a job's distance into its MIND: its number of pairs, or 1 for whole hops.
    pub divisor: u64,
}

/// Exact sums over the placements of one replay; jobs of one node have no pairs and are only counted.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Sums by job size, from 2 nodes.
    sizes: BTreeMap<u32, SizeRow>,
    /// Number of jobs of one node.
    pub singles: u64,
    /// Number of jobs whose nodes lie in several components, between which no distance exists.
    pub spanning: u64,
    /// Whether the mean distance of a job is cut to whole hops.
    whole_hops: bool,
    /// Moments of MIND / ln(size) over all placements from 2 nodes.
    normalised: Moments,
    /// Moments of the baseline's MIND / ln(size) less that of this replay, job by job.
    paired: Moments,
    /// Sums of the components, linear spans and ring spans of all allocations.
    pieces_and_spans: [u128; 3],
}

/// Paired Student's t-test of "the mean difference is at most zero".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TTest {
    /// Number of pairs.
    pub pairs: u64,
    /// Mean of the differences.
    pub mean: f64,
    /// Standard deviation of the differences.
    pub standard_deviation: f64,
    /// Statistic t, with `pairs` - 1 degrees of freedom.
    pub t: f64,
    /// One-sided p-value: the chance of such a t or a higher one if there is no improvement.
    pub p: f64,
}

/// Improvement over a baseline by group of sizes, in per cent; every size counts the same. `None` if a group has no
/// size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Improvement {
    /// Improvement of sizes 2 to [`MAX_SMALL_JOB`].
    pub small: Option<f64>,
    /// Improvement of sizes above [`MAX_SMALL_JOB`].
    pub large: Option<f64>,
    /// Improvement of all sizes.
    pub overall: Option<f64>,
    /// Mean difference of MIND in hops over all sizes, each the same (Stoltzfus, Table 8: ΔMIND).
    pub delta_mind: Option<f64>,
}

impl Summary {
    /// Creates an empty summary that cuts the mean distance of each job to whole hops, as a division of whole numbers
    /// does. With it Stoltzfus' figures come out (her Fig. 47: all distances are 2 from about 450 nodes up, which
    /// is the whole part of any mean between 2 and 3).
    pub fn with_whole_hops() -> Self {
        Summary {
            whole_hops: true,
            ..Summary::default()
        }
    }

    /// Adds a block's placements, and pairs them with those of the same jobs by the baseline. Where one of the
    /// two refused a job, there is no pair.
    pub fn add_placements(&mut self, placed: &[Placed], baseline: &[Placed]) {
        // A job counts once, where it was placed first, even if its pods moved later.
        let mut theirs = baseline.iter().filter(|p| p.moved.is_none()).peekable();
        for ours in placed.iter().filter(|p| p.moved.is_none()) {
            // Both lists are in the order of events, but either allocator may have refused a job.
            while theirs.next_if(|base| base.event < ours.event).is_some() {}
            let base = theirs.next_if(|base| base.event == ours.event);
            let ours = &ours.placement;
            let own = [ours.components, ours.linear_span, ours.ring_span];
            for (sum, own) in self.pieces_and_spans.iter_mut().zip(own) {
                *sum += u128::from(own);
            }
            let Some(total) = ours.total_distance else {
                self.spanning += 1;
                continue;
            };
            let Some(mind) = self.job_mind(ours) else {
                self.singles += 1;
                continue;
            };
            let pairs = u64::from(ours.size) * u64::from(ours.size - 1) / 2;
            let (total, divisor) = if self.whole_hops {
                (total / pairs, 1)
            } else {
                (total, pairs)
            };
            let none = SizeRow {
                count: 0,
                total_distance: 0,
                least_distance: u64::MAX,
                largest_distance: 0,
                divisor,
            };
            let row = self.sizes.entry(ours.size).or_insert(none);
            row.count += 1;
            row.total_distance += u128::from(total);
            row.least_distance = row.least_distance.min(total);
            row.largest_distance = row.largest_distance.max(total);
            // Larger jobs have larger distances; so scaled, jobs of all sizes go into one test.
            let scale = f64::from(ours.size).ln();
            self.normalised.add_value(mind / scale);
            if let Some(base) = base.and_then(|base| self.job_mind(&base.placement)) {
                self.paired.add_value((base - mind) / scale);
            }
        }
    }

    /// Computes the mean distance of a job, in whole hops if so wanted; `None` for a job of one node.
    fn job_mind(&self, placement: &AllocationMetrics) -> Option<f64> {
        let mind = placement.mean_distance()?;
        Some(if self.whole_hops { mind.floor() } else { mind })
    }

    /// Lists the sizes from 2 nodes with their sums, ascending.
    pub fn size_rows(&self) -> impl Iterator<Item = (u32, &SizeRow)> {
        self.sizes.iter().map(|(size, row)| (*size, row))
    }

    /// Counts the jobs placed.
    pub fn count_placed(&self) -> u64 {
        self.singles + self.spanning + self.sizes.values().map(|row| row.count).sum::<u64>()
    }

    /// Computes the mean MIND over all jobs from 2 nodes, each job weighted equally; `None` without such jobs.
    pub fn mean_mind(&self) -> Option<f64> {
        let mut count = 0;
        let mut sum = 0.0;
        for row in self.sizes.values() {
            count += row.count;
            sum += row.mean_mind() * row.count as f64;
        }
        (count > 0).then(|| sum / count as f64)
    }

    /// Returns mean and deviation of MIND / ln(size) over the jobs of 2 nodes and more (Stoltzfus, Table 2).
    pub fn normalised_mind(&self) -> &Moments {
        &self.normalised
    }

    /// Computes the mean number of connected components, mean linear span and mean ring span of an allocation;
    /// `None` without jobs.
    pub fn mean_pieces_and_spans(&self) -> [Option<f64>; 3] {
        let placed = u128::from(self.count_placed());
        self.pieces_and_spans
            .map(|sum| (placed > 0).then(|| divide_exactly(sum, placed)))
    }

    /// Computes the improvement over `baseline`, a replay of the same log, by size: `100·(m₀ - m)/m₀` in per cent,
    /// of the sizes with more than `threshold` jobs in both. A size whose baseline is 0 cannot be improved: 0, or
    /// left out if the distance grew. An allocator that refuses jobs has other jobs in its means than the
    /// baseline.
    ///
    /// # References
    /// Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013,
    /// sections 2.4.1 and 2.5.2.
    pub fn improvement_by_size(&self, baseline: &Summary, threshold: u64) -> Vec<(u32, f64)> {
        let mut improvements = Vec::new();
        for (size, row) in &self.sizes {
            let Some(base) = baseline.sizes.get(size) else {
                continue;
            };
            if row.count <= threshold || base.count <= threshold {
                continue;
            }
            let gain = if base.total_distance == 0 {
                if row.total_distance > 0 {
                    continue;
                }
                0.0
            } else if base.count != row.count {
                100.0 * (base.mean_mind() - row.mean_mind()) / base.mean_mind()
            } else {
                // Equal numbers of jobs: the totals, which are exact, say the same without two divisions.
                let gain = base.total_distance as f64 - row.total_distance as f64;
                100.0 * gain / base.total_distance as f64
            };
            improvements.push((*size, gain));
        }
        improvements
    }

    /// Computes the improvement by group of sizes, of the sizes with more than `threshold` jobs.
    ///
    /// # References
    /// Stoltzfus, section 6.3 (Table 1) and section 7.4 (Table 8).
    pub fn improvement_by_group(&self, baseline: &Summary, threshold: u64) -> Improvement {
        let by_size = self.improvement_by_size(baseline, threshold);
        let [small, large, overall] = means_by_group(&by_size);
        let deltas = self.sizes.iter().filter(|(_, row)| row.count > threshold);
        let deltas = deltas.filter_map(|(size, row)| {
            Some(baseline.sizes.get(size)?.mean_mind() - row.mean_mind())
        });
        Improvement {
            small,
            large,
            overall,
            delta_mind: mean(deltas),
        }
    }

    /// Computes the improvement by size, each times the share of compute of the size's octave ([`octave_share`]).
    ///
    /// # References
    /// Stoltzfus, section 6.1 ("fitness factors", Figs 28, 33, 37, 39 and 42).
    pub fn octave_weighted_improvement(
        &self,
        baseline: &Summary,
        threshold: u64,
        shares: &[(u32, f64)],
    ) -> Vec<(u32, f64)> {
        let mut by_size = self.improvement_by_size(baseline, threshold);
        for (size, gain) in &mut by_size {
            *gain *= octave_share(shares, *size);
        }
        by_size
    }

    /// Computes the improvement weighted by the share of compute that each size has: `Σ share·improvement / Σ
    /// share` over the sizes that both have; `None` if these have no share. `shares` are by ascending size.
    pub fn weighted_improvement(
        &self,
        baseline: &Summary,
        threshold: u64,
        shares: &[(u32, f64)],
    ) -> Option<f64> {
        let mut weight = 0.0;
        let mut sum = 0.0;
        for (size, improvement) in self.improvement_by_size(baseline, threshold) {
            if let Ok(i) = shares.binary_search_by_key(&size, |(s, _)| *s) {
                weight += shares[i].1;
                sum += shares[i].1 * improvement;
            }
        }
        (weight > 0.0).then(|| sum / weight)
    }

    /// Runs the paired t-test of MIND / ln(size) against the baseline's; `None` for fewer than two pairs, or if all
    /// differences are the same.
    ///
    /// # References
    /// Student, "The probable error of a mean", 1908; Stoltzfus, section 6.4.
    pub fn t_test(&self) -> Option<TTest> {
        let deviation = self.paired.standard_deviation().filter(|d| *d > 0.0)?;
        let pairs = self.paired.count;
        let t = self.paired.mean / (deviation / (pairs as f64).sqrt());
        let p = students_t(pairs - 1)?.sf(t);
        Some(TTest {
            pairs,
            mean: self.paired.mean,
            standard_deviation: deviation,
            t,
            p,
        })
    }
}

impl SizeRow {
    /// Computes the mean MIND of these jobs: one ratio, rounded once.
    pub fn mean_mind(&self) -> f64 {
        divide_exactly(
            self.total_distance,
            u128::from(self.count) * u128::from(self.divisor),
        )
    }

    /// Computes the smallest MIND of a job.
    pub fn smallest_mind(&self) -> f64 {
        divide_exactly(self.least_distance.into(), self.divisor.into())
    }

    /// Computes the largest MIND of a job.
    pub fn largest_mind(&self) -> f64 {
        divide_exactly(self.largest_distance.into(), self.divisor.into())
    }
}

/// Adds up the shares of compute of the octave that `size` lies in (2, 3-4, 5-8, 9-16, …); `shares` are by ascending
/// size.
pub fn octave_share(shares: &[(u32, f64)], size: u32) -> f64 {
    let high = size.checked_next_power_of_two().unwrap_or(u32::MAX);
    let inside = shares.iter().filter(|(s, _)| *s > high / 2 && *s <= high);
    inside.map(|(_, share)| share).sum()
}

/// Computes the means of values by size over small sizes, large ones and all, each size weighted equally; `None` if a
/// group has no size.
pub fn means_by_group(values: &[(u32, f64)]) -> [Option<f64>; 3] {
    let keep: [fn(u32) -> bool; 3] = [
        |size| size <= MAX_SMALL_JOB,
        |size| size > MAX_SMALL_JOB,
        |_| true,
    ];
    keep.map(|keep| mean(values.iter().filter(|(size, _)| keep(*size)).map(|v| v.1)))
}

/// Computes the mean of values; `None` without values.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut count = 0;
    let mut sum = 0.0;
    for value in values {
        count += 1;
        sum += value;
    }
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(size: u32, total_distance: u64) -> Placed {
        let mut placement = AllocationMetrics::default();
        placement.size = size;
        placement.total_distance = Some(total_distance);
        placement.linear_span = size;
        placement.ring_span = size;
        placement.components = 1;
        Placed {
            event: 0,
            placement,
            moved: None,
            figures: Default::default(),
        }
    }

    /// Worked by hand: sizes 2, 3 and 12; the pairs of size 3 are 3, of size 12 are 66.
    #[test]
    fn improvement_weighs_sizes_the_same() {
        let base = [
            placed(2, 4),
            placed(2, 2),
            placed(3, 6),
            placed(12, 132),
            placed(1, 0),
        ];
        let ours = [
            placed(2, 2),
            placed(2, 1),
            placed(3, 3),
            placed(12, 99),
            placed(1, 0),
        ];
        let (mut baseline, mut summary) = (Summary::default(), Summary::default());
        baseline.add_placements(&base, &base);
        summary.add_placements(&ours, &base);
        let by_size = summary.improvement_by_size(&baseline, 0);
        assert_eq!(by_size, [(2, 50.0), (3, 50.0), (12, 25.0)]);
        let improvement = summary.improvement_by_group(&baseline, 0);
        assert_eq!(
            (improvement.small, improvement.large),
            (Some(50.0), Some(25.0))
        );
        assert_eq!(improvement.overall, Some(125.0 / 3.0));
        // (3 - 1.5), (2 - 1), (2 - 1.5)
        assert_eq!(improvement.delta_mind, Some(1.0));
        assert_eq!(summary.improvement_by_size(&baseline, 1), [(2, 50.0)]);
        let weighted =
            summary.weighted_improvement(&baseline, 0, &[(2, 0.5), (12, 1.5), (40, 9.0)]);
        assert_eq!(weighted, Some((25.0 + 37.5) / 2.0));
        assert_eq!((summary.count_placed(), summary.singles), (5, 1));
        assert_eq!(summary.mean_mind(), Some((2.0 + 1.0 + 1.0 + 1.5) / 4.0));
        let two = summary.size_rows().next().unwrap().1;
        assert_eq!(
            (two.smallest_mind(), two.mean_mind(), two.largest_mind()),
            (1.0, 1.5, 2.0)
        );
        // The octaves are 2, 3-4 and 9-16.
        let shares = [
            (2, 0.25),
            (3, 0.125),
            (4, 0.125),
            (9, 0.25),
            (16, 0.125),
            (17, 0.125),
        ];
        let normalised = summary.octave_weighted_improvement(&baseline, 0, &shares);
        assert_eq!(normalised, [(2, 12.5), (3, 12.5), (12, 9.375)]);
        assert_eq!(
            means_by_group(&normalised),
            [Some(12.5), Some(9.375), Some(34.375 / 3.0)]
        );
        assert_eq!(means_by_group(&[]), [None; 3]);
    }

    /// Worked by hand: means of 4 and 2 hops against 1; of 2 against 1/3, which is 0; of 131/66 against 65/66.
    #[test]
    fn whole_hops_cut_each_mean() {
        let base = [
            placed(2, 4),
            placed(2, 2),
            placed(3, 6),
            placed(12, 131),
            placed(1, 0),
        ];
        let ours = [
            placed(2, 1),
            placed(2, 1),
            placed(3, 1),
            placed(12, 65),
            placed(1, 0),
        ];
        let (mut baseline, mut summary) = (Summary::with_whole_hops(), Summary::with_whole_hops());
        baseline.add_placements(&base, &base);
        summary.add_placements(&ours, &base);
        let by_size = summary.improvement_by_size(&baseline, 0);
        assert_eq!(by_size, [(2, 200.0 / 3.0), (3, 100.0), (12, 100.0)]);
        assert_eq!(
            summary.improvement_by_group(&baseline, 0).delta_mind,
            Some((2.0 + 2.0 + 1.0) / 3.0)
        );
        assert_eq!(summary.mean_mind(), Some(0.5));
        let (_, twelve) = baseline.size_rows().last().unwrap();
        assert_eq!(
            (
                twelve.smallest_mind(),
                twelve.mean_mind(),
                twelve.largest_mind()
            ),
            (1.0, 1.0, 1.0)
        );
        // Differences of 3/ln 2, 1/ln 2, 2/ln 3 and 1/ln 12.
        let differences = [
            3.0 / 2f64.ln(),
            1.0 / 2f64.ln(),
            2.0 / 3f64.ln(),
            1.0 / 12f64.ln(),
        ];
        let test = summary.t_test().unwrap();
        assert!((test.mean - differences.iter().sum::<f64>() / 4.0).abs() < 1e-12);
    }

    /// The sleep data of Student (1908), extra hours by two drugs: t = 4.0621 with 9 degrees of freedom,
    /// two-sided p = 0.002833.
    #[test]
    fn the_t_test_is_students() {
        let a = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let b = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let mut summary = Summary::default();
        a.iter()
            .zip(b)
            .for_each(|(a, b)| summary.paired.add_value(b - a));
        let test = summary.t_test().unwrap();
        assert!((test.t - 4.0621).abs() < 5e-5, "{test:?}");
        assert!((2.0 * test.p - 0.002833).abs() < 5e-7, "{test:?}");
        assert!((test.mean - 1.58).abs() < 1e-12);
        assert_eq!(Summary::default().t_test(), None);
    }
}

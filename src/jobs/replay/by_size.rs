//! MPC against a replay, size by size: how far measured mean distances are from the curve, and where the two rank
//! orderings differently.
//!
//! MPC is the mean distance of a job on a random window of the ordering, so it forecasts what a replay measures. A
//! forecast misleads where it puts one ordering first and the replay another: if at 8 nodes MPC is 2.0 hops on x
//! and 3.0 on y, but the jobs of 8 nodes had 4.0 hops on x and 3.5 on y, then the pair x, y is misleading at 8 nodes.

use super::statistics::Summary;
use nodeorder_order::metric::mpc::Curve;

/// Number of jobs that a size must exceed to be compared.
pub const MIN_JOBS_ABOVE: u64 = 5;
/// Largest number of cases kept in [`Ranking::worst_inversions`].
pub const MAX_INVERSIONS: usize = 3;

/// Measured mean distance of the jobs of one size, beside MPC at that size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeMean {
    /// Size of the jobs, in nodes.
    pub size: u32,
    /// Number of jobs.
    pub jobs: u64,
    /// MPC of the ordering at this size, in hops.
    pub mpc: f64,
    /// Mean MIND of the jobs, in hops.
    pub mean_mind: f64,
}

impl SizeMean {
    /// Computes the hops by which the measured mean is above MPC; negative if it is below.
    pub fn hops_above(&self) -> f64 {
        self.mean_mind - self.mpc
    }

    /// Computes [`SizeMean::hops_above`] in per cent of MPC; `None` if MPC is 0.
    pub fn per_cent_above(&self) -> Option<f64> {
        (self.mpc > 0.0).then(|| 100.0 * self.hops_above() / self.mpc)
    }
}

/// Lists the sizes of more than [`MIN_JOBS_ABOVE`] jobs, ascending, with measured mean and MPC.
pub fn size_means(summary: &Summary, curve: &Curve) -> Vec<SizeMean> {
    let enough = summary
        .size_rows()
        .filter(|(_, row)| row.count > MIN_JOBS_ABOVE);
    enough
        .map(|(size, row)| SizeMean {
            size,
            jobs: row.count,
            mpc: curve.mpc(size as usize),
            mean_mind: row.mean_mind(),
        })
        .collect()
}

/// Agreement of the rankings of orderings by MPC and by an allocator's measured means, over all sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// Number of measured means: sizes times orderings.
    pub means: u64,
    /// Mean of [`SizeMean::per_cent_above`], each size of each ordering weighted equally; `None` without measured
    /// means.
    pub per_cent_above: Option<f64>,
    /// Number of pairs of orderings at a size where both have a mean and MPC is lower on one of them.
    pub pairs: u64,
    /// Number of these pairs in which the ordering with the higher MPC has the lower measured mean.
    pub differently: u64,
    /// Pairs of orderings where that costs the most, over all sizes: jobs times the difference of measured means. The
    /// costliest first, at most [`MAX_INVERSIONS`].
    pub worst_inversions: Vec<RankInversion>,
}

/// Two orderings that MPC and the measured means rank differently at some sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct RankInversion {
    /// Index of the ordering that has the lower MPC at `sizes`.
    pub forecast: usize,
    /// Index of the ordering that has the lower measured mean at `sizes`.
    pub measured: usize,
    /// Sizes at which the two are ranked differently, ascending.
    pub sizes: Vec<u32>,
    /// Number of sizes at which `forecast` has the lower MPC and both have a mean.
    pub ranked: usize,
    /// Means of `forecast` and of `measured` at the size where the measured means differ most.
    pub widest: (SizeMean, SizeMean),
    /// Cost of following the forecast: `Σ jobs·(difference of the measured means)`, in hops.
    cost: f64,
}

impl Ranking {
    /// Ranks the means of one allocator: `by_size` has a list of ascending sizes for each ordering.
    /// O(orderings² · sizes · log sizes).
    pub fn new(by_size: &[&[SizeMean]]) -> Ranking {
        let mut ranking = Ranking::default();
        let mut sum = 0.0;
        let mut count = 0u32;
        for mean in by_size.iter().copied().flatten() {
            ranking.means += 1;
            // A tiny MPC may give an infinite per cent, which no mean survives.
            if let Some(above) = mean.per_cent_above().filter(|above| above.is_finite()) {
                sum += above;
                count += 1;
            }
        }
        ranking.per_cent_above = (count > 0).then(|| sum / f64::from(count));
        for forecast in 0..by_size.len() {
            for measured in 0..by_size.len() {
                if measured != forecast {
                    ranking.add_pair(by_size, forecast, measured);
                }
            }
        }
        ranking
    }

    /// Adds the sizes at which `forecast` has a lower MPC than `measured`.
    fn add_pair(&mut self, by_size: &[&[SizeMean]], forecast: usize, measured: usize) {
        let others = by_size[measured];
        let mut ranked = 0;
        let mut sizes = Vec::new();
        let mut cost = 0.0;
        let mut widest: Option<(SizeMean, SizeMean)> = None;
        for our in by_size[forecast] {
            let Ok(at) = others.binary_search_by_key(&our.size, |other| other.size) else {
                continue;
            };
            let other = others[at];
            if our.mpc >= other.mpc {
                continue;
            }
            ranked += 1;
            let apart = our.mean_mind - other.mean_mind;
            if apart <= 0.0 {
                continue;
            }
            sizes.push(our.size);
            cost += our.jobs as f64 * apart;
            if widest.is_none_or(|(a, b)| apart >= a.mean_mind - b.mean_mind) {
                widest = Some((*our, other));
            }
        }
        self.pairs += ranked as u64;
        self.differently += sizes.len() as u64;
        let Some(widest) = widest else {
            return;
        };
        self.worst_inversions.push(RankInversion {
            forecast,
            measured,
            sizes,
            ranked,
            widest,
            cost,
        });
        self.worst_inversions
            .sort_by(|a, b| b.cost.total_cmp(&a.cost));
        self.worst_inversions.truncate(MAX_INVERSIONS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Size, jobs, MPC, measured mean.
    fn mean((size, jobs, mpc, mean_mind): (u32, u64, f64, f64)) -> SizeMean {
        SizeMean {
            size,
            jobs,
            mpc,
            mean_mind,
        }
    }

    /// Worked by hand. MPC puts x before y at 2, 4 and 8 nodes, and y before x at 16; the means say otherwise at
    /// 4 and 8. At 32 the curves are equal, at 64 the means; 128 is missing on y.
    #[test]
    fn orderings_are_ranked_at_each_size() {
        let x = [
            (2, 9, 1.0, 1.5),
            (4, 9, 2.0, 2.5),
            (8, 7, 2.0, 4.0),
            (16, 9, 4.0, 5.0),
            (32, 9, 5.0, 6.0),
            (64, 9, 5.0, 6.0),
            (128, 9, 8.0, 8.0),
        ]
        .map(mean);
        let y = [
            (2, 9, 2.0, 2.0),
            (4, 9, 3.0, 2.25),
            (8, 7, 4.0, 3.0),
            (16, 9, 3.0, 4.5),
            (32, 9, 5.0, 5.0),
            (64, 9, 6.0, 6.0),
        ]
        .map(mean);
        let ranking = Ranking::new(&[&x, &y]);
        assert_eq!(
            (ranking.means, ranking.pairs, ranking.differently),
            (13, 5, 2)
        );
        let [case] = ranking.worst_inversions.as_slice() else {
            panic!("{ranking:?}")
        };
        assert_eq!((case.forecast, case.measured, case.ranked), (0, 1, 4));
        assert_eq!(case.sizes, [4, 8]);
        assert_eq!(
            (
                case.widest.0.size,
                case.widest.0.mean_mind,
                case.widest.1.mean_mind
            ),
            (8, 4.0, 3.0)
        );
        assert_eq!(case.cost, 9.0 * 0.25 + 7.0);
        let above = 50.0 + 25.0 + 100.0 + 25.0 + 20.0 + 20.0 + 0.0 - 25.0 - 25.0 + 50.0;
        assert!((ranking.per_cent_above.unwrap() - above / 13.0).abs() < 1e-12);
    }

    /// The cases that cost the most are kept, the dearest first; a curve of zeros has no per cent.
    #[test]
    fn the_dearest_cases_come_first() {
        let rows = [(0.0, 9.0), (1.0, 5.0), (2.0, 4.0), (3.0, 1.0)];
        let rows = rows.map(|(mpc, measured)| [mean((4, 6, mpc, measured))]);
        let ranking = Ranking::new(&rows.each_ref().map(|row| &row[..]));
        assert_eq!((ranking.pairs, ranking.differently), (6, 6));
        let cases: Vec<_> = ranking
            .worst_inversions
            .iter()
            .map(|c| (c.forecast, c.measured, c.cost))
            .collect();
        assert_eq!(cases, [(0, 3, 48.0), (0, 2, 30.0), (0, 1, 24.0)]);
        assert_eq!(rows[0][0].per_cent_above(), None);
        assert_eq!(
            ranking.per_cent_above,
            Some((400.0 + 100.0 - 200.0 / 3.0) / 3.0)
        );
        assert_eq!(Ranking::new(&[]).per_cent_above, None);
    }
}

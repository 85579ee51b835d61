//! Mean Placement Calculation (MPC), exactly, for every size.
//!
//! `MPC(S)` is the mean, over all windows of S consecutive ranks, of the mean distance between the
//! window's nodes. With `T(S)` the sum over windows of their pair-distance sums ([`pair_sums`]),
//! `MPC(S) = T(S) / ((N-S+1)·S(S-1)/2)`: integers up to that one division.
//!
//! # References
//! Albing, "Evaluating Node Orderings for Improved Compactness", PMBS 2015.

use rayon::prelude::*;

use crate::ordering::NodeOrder;
use crate::pair_sums;
pub use crate::pair_sums::{SumMethod, check_memory, lacks_transform_memory};
use nodeorder_base::ratio::divide_exactly;
use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_network::{Metric, Topology};

/// Exact MPC curve of one ordering. On a machine in several components, windows that span some are left out: there is
/// no distance between components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    /// Number of nodes N.
    nodes: usize,
    /// `totals[S]` = T(S), for S = 0 up to the largest size with a window; zero below 2.
    totals: Vec<u128>,
    /// Number of windows of each such size that lie inside a component; none where there is one component.
    inside: Option<Vec<u64>>,
}

impl Curve {
    /// Returns the number of nodes N.
    pub fn node_count(&self) -> usize {
        self.nodes
    }

    /// Finds the largest size with a window inside a component; the number of nodes if there is one component.
    pub fn largest_size(&self) -> usize {
        self.totals.len() - 1
    }

    /// Computes the mean share, over sizes that weigh 1/S, of windows that span components, and are left out;
    /// `None` if the machine is in one component.
    pub fn spanning_share(&self) -> Option<f64> {
        self.spanning_to(self.nodes)
    }

    /// Computes the share of [`Curve::spanning_share`] over sizes up to `largest`.
    fn spanning_to(&self, largest: usize) -> Option<f64> {
        let inside = self.inside.as_ref()?;
        let mut sum = 0.0;
        let mut all = 0.0;
        for size in 2..=largest.min(self.nodes) {
            let windows = (self.nodes - size + 1) as f64;
            let kept = inside.get(size).map_or(0.0, |kept| *kept as f64);
            sum += (1.0 - kept / windows) / size as f64;
            all += 1.0 / size as f64;
        }
        // A size below 2 leaves no size to average over.
        Some(if all > 0.0 { sum / all } else { 0.0 })
    }

    /// Looks up T(S): the sum over all windows of S ranks of their pair-distance sums.
    ///
    /// # Panics
    /// For sizes above [`Curve::largest_size`].
    pub fn window_total(&self, size: usize) -> u128 {
        self.totals[size]
    }

    /// Computes MPC(S), rounded once; not a number if no window of this size is inside a component.
    ///
    /// # Panics
    /// For sizes below 2 or above N.
    pub fn mpc(&self, size: usize) -> f64 {
        assert!(
            (2..=self.nodes).contains(&size),
            "MPC runs from two nodes to all"
        );
        if size > self.largest_size() {
            return f64::NAN;
        }
        // Only windows inside a component have distances.
        let windows = match &self.inside {
            Some(inside) => inside[size],
            None => (self.nodes - size + 1) as u64,
        };
        mean_distance(self.totals[size], windows, size)
    }

    /// Computes MPC(2), MPC(3), …, up to the largest size.
    pub fn values(&self) -> Vec<f64> {
        (2..self.totals.len())
            .into_par_iter()
            .map(|size| self.mpc(size))
            .collect()
    }

    /// Computes all values, and the share of windows left out up to the size `largest`.
    pub fn means_to(&self, largest: usize) -> Means {
        Means {
            values: self.values(),
            spanning: self.spanning_to(largest),
        }
    }
}

/// MPC curve as rounded means: half the memory of the exact one, for comparisons of many.
#[derive(Clone, Debug, PartialEq)]
pub struct Means {
    /// MPC(2), MPC(3), …, as [`Curve::values`].
    pub values: Vec<f64>,
    /// Share of windows left out, as [`Curve::spanning_share`].
    pub spanning: Option<f64>,
}

impl From<Curve> for Means {
    fn from(curve: Curve) -> Self {
        curve.means_to(curve.nodes)
    }
}

/// Computes MPC from T: the mean over windows and pairs.
fn mean_distance(total: u128, windows: u64, size: usize) -> f64 {
    let s = size as u128;
    divide_exactly(total, u128::from(windows) * (s * (s - 1) / 2))
}

/// Computes the curve of a machine in several components: the longest stretches of ranks that stay inside a component
/// are summed by themselves, and their sums over windows add up. O(Σ of what a curve of each takes).
fn curve_of_components(topology: &Topology, order: &NodeOrder, method: SumMethod) -> Result<Curve> {
    let mut totals = vec![0; 2];
    let mut inside = vec![0; 2];
    let nodes = order.nodes();
    for stretch in nodes.chunk_by(|a, b| topology.component_of(*a) == topology.component_of(*b)) {
        let length = stretch.len();
        if totals.len() <= length {
            totals.resize(length + 1, 0);
            inside.resize(length + 1, 0);
        }
        let sums = pair_sums::sum_pairs(topology, stretch, length - 1, method)?;
        for (all, own) in totals.iter_mut().zip(sums.window_totals()) {
            *all += own;
        }
        for (size, windows) in inside.iter_mut().enumerate().take(length + 1).skip(2) {
            *windows += (length - size + 1) as u64;
        }
    }
    Ok(Curve {
        nodes: order.len(),
        totals,
        inside: Some(inside),
    })
}

/// Computes the exact curve of `order` on `topology`, all sizes from 2 to N.
///
/// # Errors
/// An ordering of fewer than two nodes; more memory than allowed.
pub fn curve(topology: &Topology, order: &NodeOrder) -> Result<Curve> {
    curve_by(topology, order, SumMethod::Auto)
}

/// Computes the curves of several orderings and returns `made` of each, so that a caller can keep less than the whole
/// curve. Small ones are computed side by side, large ones each on all threads.
///
/// # Errors
/// As [`curve`], the first.
pub fn curves<T: Send>(
    topology: &Topology,
    orders: &[NodeOrder],
    made: impl Fn(&NodeOrder, Curve) -> T + Sync,
) -> Result<Vec<T>> {
    let make_one = |order: &NodeOrder| Ok(made(order, curve(topology, order)?));
    let ranks: usize = orders.iter().map(NodeOrder::len).sum();
    // Side by side, all curves are in memory at once.
    if ranks > SIDE_BY_SIDE {
        return orders.iter().map(make_one).collect();
    }
    // The first error in the order of orderings, so that the fastest thread does not decide which is told.
    let results: Vec<Result<T>> = orders.par_iter().map(make_one).collect();
    results.into_iter().collect()
}

/// Number of ranks up to which curves are computed side by side: about 100 bytes each.
const SIDE_BY_SIDE: usize = 1 << 21;

/// Computes [`curve`] by a method of the caller's choice.
///
/// # Errors
/// As [`curve`]; also [`SumMethod::Transform`] on a network whose distance is no sum of cuts.
pub fn curve_by(topology: &Topology, order: &NodeOrder, method: SumMethod) -> Result<Curve> {
    check_curve(topology, order, method)?;
    if topology.component_count() > 1 {
        return curve_of_components(topology, order, method);
    }
    let sums = pair_sums::sum_pairs(topology, order.nodes(), order.len() - 1, method)?;
    Ok(Curve {
        nodes: order.len(),
        totals: sums.window_totals(),
        inside: None,
    })
}

/// Computes `(size, MPC(size))` in the order asked for, at the cost of those sizes ([`pair_sums::sum_windows`]). Sizes
/// without a window inside a component are left out.
///
/// # Errors
/// As [`curve_by`].
///
/// # Panics
/// For sizes below 2 or above N.
pub fn at_sizes(
    topology: &Topology,
    order: &NodeOrder,
    sizes: &[usize],
    method: SumMethod,
) -> Result<Vec<(usize, f64)>> {
    check_curve(topology, order, method)?;
    let n = order.len();
    if topology.component_count() > 1 {
        let curve = curve_of_components(topology, order, method)?;
        let sizes = sizes.iter().filter(|size| **size <= curve.largest_size());
        return Ok(sizes.map(|size| (*size, curve.mpc(*size))).collect());
    }
    let totals = pair_sums::sum_windows(topology, order.nodes(), sizes, method)?;
    Ok(sizes
        .iter()
        .zip(totals)
        .map(|(s, total)| (*s, mean_distance(total, (n - s + 1) as u64, *s)))
        .collect())
}

/// Checks that an ordering has a curve, and by this method. Fails if it has fewer than two nodes, or for a transform
/// where distances are no sum of cuts.
fn check_curve(topology: &Topology, order: &NodeOrder, method: SumMethod) -> Result<()> {
    let n = order.len();
    if n < 2 {
        let found = format!("an ordering of {n} nodes");
        return Err(Error::option(order.label(), found, "at least 2 nodes"));
    }
    if method == SumMethod::Transform && matches!(topology.metric(), Metric::Hops) {
        let location = SourceLocation::option("--method transform");
        let problem = format!("distances on {} are no sum of cuts", topology.name());
        return Err(Error::unsuited(location, problem, "use --method pairs"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::from_file;

    /// Window by window, pair by pair, on a forest.
    #[test]
    fn windows_that_span_components_are_left_out() {
        let text = "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-5]\nSwitchName=c Nodes=n[6-9]\nSwitchName=t Switches=a,b\n";
        let machine = from_file("slurm-topology", text, ",nodes=n[1-10]").unwrap();
        for by in ["row-major", "random", "hierarchical:scatter=true", "bfs"] {
            let order = NodeOrder::make(&machine, by).unwrap();
            let curve = curve(&machine, &order).unwrap();
            let (mut lost, mut all) = (0.0, 0.0);
            for size in 2..=10 {
                let (mut kept, mut sum) = (0, 0);
                for window in order.nodes().windows(size) {
                    if machine.within_one_component(window.iter().copied()) {
                        kept += 1;
                        for (i, a) in window.iter().enumerate() {
                            sum += window[..i]
                                .iter()
                                .map(|b| machine.distance(*a, *b))
                                .sum::<u32>();
                        }
                    }
                }
                let pairs = kept * size * (size - 1) / 2;
                let at = at_sizes(&machine, &order, &[size], SumMethod::Auto).unwrap();
                if kept == 0 {
                    assert!(
                        curve.mpc(size).is_nan() && curve.largest_size() < size && at.is_empty()
                    );
                } else {
                    let mpc = f64::from(sum) / pairs as f64;
                    assert_eq!(
                        (curve.mpc(size), at.as_slice()),
                        (mpc, &[(size, mpc)][..]),
                        "{by} {size}"
                    );
                }
                lost += (1.0 - kept as f64 / (11 - size) as f64) / size as f64;
                all += 1.0 / size as f64;
            }
            assert!((curve.spanning_share().unwrap() - lost / all).abs() < 1e-12);
        }
    }
}

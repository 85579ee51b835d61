//! Mean Placement Calculation, exactly, for every size.
//!
//! `MPC(S)` is the mean, over all windows of S consecutive ranks, of the mean distance between the
//! window's nodes. With `T(S)` the sum over windows of their pair-distance sums ([`pair_sums`]),
//! `MPC(S) = T(S) / ((N-S+1)·S(S-1)/2)`: integers up to that one division.
//!
//! # References
//! Albing, "Evaluating Node Orderings for Improved Compactness", PMBS 2015.

use crate::error::{Error, Result, SourceLocation};
use crate::ordering::NodeOrder;
use crate::pair_sums;
pub use crate::pair_sums::SumMethod;
use crate::ratio::ratio;
use crate::topology::{Metric, Topology};

/// The exact curve of one ordering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    /// `totals[S]` = T(S), for S = 0..=N; zero below 2.
    totals: Vec<u128>,
}

impl Curve {
    /// Number of nodes N.
    pub fn nodes(&self) -> usize {
        self.totals.len() - 1
    }

    /// T(S): the sum over all windows of S ranks of their pair-distance sums.
    ///
    /// # Panics
    /// For sizes above N.
    pub fn total(&self, size: usize) -> u128 {
        self.totals[size]
    }

    /// MPC(S), rounded once.
    ///
    /// # Panics
    /// For sizes below 2 or above N.
    pub fn mpc(&self, size: usize) -> f64 {
        mean(self.totals[size], self.nodes(), size)
    }

    /// MPC(2), MPC(3), …, MPC(N).
    pub fn values(&self) -> Vec<f64> {
        (2..=self.nodes()).map(|size| self.mpc(size)).collect()
    }
}

/// MPC from T: the mean over windows and pairs.
fn mean(total: u128, n: usize, size: usize) -> f64 {
    assert!((2..=n).contains(&size), "MPC runs from two nodes to all");
    let s = size as u128;
    ratio(total, (n - size + 1) as u128 * (s * (s - 1) / 2))
}

/// Checks before orderings of `nodes` nodes are made that their curves fit.
///
/// # Errors
/// More memory than allowed.
pub fn check_memory(topology: &Topology, nodes: usize) -> Result<()> {
    pair_sums::check_memory(topology, nodes)
}

/// The exact curve of `order` on `topology`, all sizes from 2 to N.
///
/// # Errors
/// An ordering of fewer than two nodes; more memory than allowed.
pub fn curve(topology: &Topology, order: &NodeOrder) -> Result<Curve> {
    curve_by(topology, order, SumMethod::Auto)
}

/// As [`curve`], by a method of the caller's choice.
///
/// # Errors
/// As [`curve`]; also [`SumMethod::Transform`] on a network whose distance is no sum of cuts.
pub fn curve_by(topology: &Topology, order: &NodeOrder, method: SumMethod) -> Result<Curve> {
    check(topology, order, method)?;
    let sums = pair_sums::along(topology, order.nodes(), order.len() - 1, method)?;
    Ok(Curve { totals: sums.window_totals() })
}

/// `(size, MPC(size))` in the order asked for, at the cost of those sizes ([`pair_sums::windows`]).
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
    check(topology, order, method)?;
    let n = order.len();
    let totals = pair_sums::windows(topology, order.nodes(), sizes, method)?;
    Ok(sizes.iter().zip(totals).map(|(s, total)| (*s, mean(total, n, *s))).collect())
}

/// Refuses what has no curve, or none by this method.
fn check(topology: &Topology, order: &NodeOrder, method: SumMethod) -> Result<()> {
    let n = order.len();
    if n < 2 {
        let (location, found) =
            (SourceLocation::option(order.label()), format!("an ordering of {n} nodes"));
        return Err(Error::input(location, found, "at least 2 nodes"));
    }
    if method == SumMethod::Transform && matches!(topology.metric(), Metric::Hops) {
        let location = SourceLocation::option("--method transform");
        let problem = format!("distances on {} are no sum of cuts", topology.name());
        return Err(Error::unsuited(location, problem, "use --method pairs"));
    }
    Ok(())
}

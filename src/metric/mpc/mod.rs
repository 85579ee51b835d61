//! Mean Placement Calculation, exactly, for every size.
//!
//! `MPC(S)` is the mean, over all windows of S consecutive ranks, of the mean distance between the
//! window's nodes. With `T(S)` the sum over windows of their pair-distance sums,
//! `MPC(S) = T(S) / ((N-S+1)·S(S-1)/2)`.
//!
//! A pair of ranks i<j lies in `c(i,j,S) = max(0, min(i,N-S) - max(0,j-S+1) + 1)` windows of size S. As a
//! function of S that is piecewise linear: slope +1 from S=j-i, -1 from S=j+1, -1 from S=N-i. So three
//! sums are all that is needed of the N²/2 distances: by lag, by row and by column ([`Sums`]); two prefix
//! sums turn them into every T(S). All of it in integers.
//!
//! # References
//! Albing, "Evaluating Node Orderings for Improved Compactness", PMBS 2015.

use crate::error::{Error, Place, Result};
use crate::ordering::NodeOrder;
use crate::ratio::ratio;
use crate::topology::Topology;

mod pairs;

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
        assert!(size >= 2, "MPC starts at two nodes");
        let s = size as u128;
        ratio(self.totals[size], (self.nodes() - size + 1) as u128 * (s * (s - 1) / 2))
    }

    /// MPC(2), MPC(3), …, MPC(N).
    pub fn values(&self) -> Vec<f64> {
        (2..=self.nodes()).map(|size| self.mpc(size)).collect()
    }
}

/// What the curve needs of the distances: three sums, as integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sums {
    /// `lag[k] = Σ_i d(i, i+k)`.
    pub lag: Vec<u64>,
    /// `row[i] = Σ_{j>i} d(i,j)`.
    pub row: Vec<u64>,
    /// `col[j] = Σ_{i<j} d(i,j)`.
    pub col: Vec<u64>,
}

impl Sums {
    /// Two prefix sums over the slopes. O(N).
    pub(crate) fn into_curve(self) -> Curve {
        let n = self.lag.len();
        let mut slope = vec![0i128; n + 2];
        for k in 1..n {
            slope[k] += i128::from(self.lag[k]);
        }
        for r in 0..n {
            slope[r + 1] -= i128::from(self.col[r]);
            slope[n - r] -= i128::from(self.row[r]);
        }
        // Slope `s` acts from size s on: T(S) grows by the running slope at each step to S+1.
        let (mut running, mut total) = (0i128, 0i128);
        let mut totals = vec![0u128; n + 1];
        for size in 0..=n {
            totals[size] = total as u128;
            running += slope[size];
            total += running;
        }
        Curve { totals }
    }
}

/// The exact curve of `order` on `topology`, all sizes from 2 to N.
///
/// # Errors
/// An ordering of fewer than two nodes; more memory than allowed.
pub fn curve(topology: &Topology, order: &NodeOrder) -> Result<Curve> {
    let n = order.len();
    if n < 2 {
        let place = Place::option(order.label());
        return Err(Error::input(place, format!("an ordering of {n} nodes"), "at least 2 nodes"));
    }
    topology.context().require("the sums of an MPC curve", 96 * n as u64)?;
    Ok(pairs::sums(topology, order)?.into_curve())
}

//! Lower bounds on what a beginning of an order still costs, for the dynamic program.
//!
//! They come from the same recursion with the set forgotten but for the last M ≤ K elements (a state-space
//! relaxation); lags beyond M count the nearest elements not among those M. Tuples of M elements that a permutation of
//! all elements takes to each other have one bound ([`super::symmetry::Symmetry`]).
//!
//! # References
//! Christofides, Mingozzi, Toth, "State-space relaxation procedures for the computation of bounds to routing
//! problems", 1981, <https://doi.org/10.1002/net.3230110207>.

use rayon::prelude::*;

use super::dp_instance::{DynamicProgram, MAX_ELEMENTS};
use super::symmetry::decode_digits;

/// Lower bounds on the cost of what is still to be placed, by the number placed and the last M elements; 0 by default.
#[derive(Default)]
pub struct CostsToGo {
    /// Number of elements remembered, M.
    memory: usize,
    /// One table for each number placed, by class of the last elements; empty where nothing is known.
    layers: Vec<Vec<i64>>,
}

/// A cost above any that occurs, far enough from overflow.
const NEVER: i64 = i64::MAX / 4;

impl CostsToGo {
    /// Computes the bounds from the last layer back, with as long a memory as `work` operations allow.
    pub fn new(program: &DynamicProgram, work: u64) -> Self {
        let n = program.n;
        let symmetry = &program.symmetry;
        // On a ring shorter than two windows, the lag of a pair may be its way round the other side.
        if program.ring && 2 * program.window >= n {
            return CostsToGo::default();
        }
        let longest = program.window.min(symmetry.longest_tuple_length());
        let affordable =
            |memory: &usize| symmetry.first_tuples(*memory).len() as u64 * (n * n) as u64 <= work;
        let Some(memory) = (1..=longest).rev().find(affordable) else {
            return CostsToGo::default();
        };
        let firsts = symmetry.first_tuples(memory);
        let mut layers = vec![Vec::new(); n + 1];
        layers[n] = vec![0; firsts.len()];
        for placed in (memory..n).rev() {
            let after: &[i64] = &layers[placed + 1];
            layers[placed] = firsts
                .par_iter()
                .map(|code| cheapest_rest(program, memory, placed, *code as usize, after))
                .collect();
        }
        CostsToGo { memory, layers }
    }

    /// Looks up the lower bound on the cost of the elements that a state has yet to place.
    pub fn cost_to_go(&self, program: &DynamicProgram, key: u64, placed: usize) -> i64 {
        let Some(layer) = self.layers.get(placed).filter(|layer| !layer.is_empty()) else {
            return 0;
        };
        let code = program.code_of_latest(key, self.memory);
        layer[program.symmetry.class_of(self.memory, code)]
    }
}

/// Finds the least cost to go over all next elements, from a tuple of latest elements and the bounds of the layer
/// after.
fn cheapest_rest(
    program: &DynamicProgram,
    memory: usize,
    placed: usize,
    code: usize,
    after: &[i64],
) -> i64 {
    let n = program.n;
    let latest = &decode_digits::<MAX_ELEMENTS>(code, n, memory)[..memory];
    let oldest = n.pow(memory as u32 - 1);
    let mut least = NEVER;
    for v in (0..n).filter(|v| !latest.contains(v)) {
        let mut cost = far_lags_cost(program, latest, placed, v);
        for (k, u) in latest.iter().enumerate() {
            cost += program.lag[k + 1] * program.distance_between(v, *u);
        }
        // The new tuple: v lowest, the oldest element forgotten.
        let class = program.symmetry.class_of(memory, code % oldest * n + v);
        least = least.min(cost + after[class]);
    }
    least
}

/// Computes a lower bound on the cost of the lags beyond the memory: the nearest elements not remembered, at the
/// heaviest lags.
fn far_lags_cost(program: &DynamicProgram, latest: &[usize], placed: usize, v: usize) -> i64 {
    let lags = latest.len() + 1..=program.window.min(placed);
    if lags.is_empty() {
        return 0;
    }
    let others = (0..program.n).filter(|u| *u != v && !latest.contains(u));
    let mut distances: Vec<i64> = others.map(|u| program.distance_between(v, u)).collect();
    distances.sort_unstable();
    // Weights fall with the lag, so pairing them in order gives the least sum.
    lags.zip(distances).map(|(k, d)| program.lag[k] * d).sum()
}

//! Node orderings, and exact figures of them: MPC curves, the objective that searches minimise, figures of machines
//! and of single allocations.

#![forbid(unsafe_code)]

pub mod metric;
pub mod ordering;
pub mod pair_sums;
#[cfg(test)]
mod testing;

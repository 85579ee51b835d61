//! Orderings optimised for a weighted sum of distances: `optimise`, and what it shares with `ilp`.
//!
//! Jobs get consecutive ranks, so an ordering is good where nodes of close ranks are close in the network. A weight
//! for every pair of ranks says how much their distance counts.
//!
//! The objective is `Σ_{a<b} W(a,b)·d(π_a, π_b)` over ranks a < b ([`weights::Weights`]). Small instances
//! are solved exactly by a dynamic program; others are annealed from the best classic orderings. Every
//! result comes with a proved lower bound and the gap to it ([`SearchResult`]).
//!
//! # References
//! Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
//! Allocation Strategies", SAND2002-1488, 2002, section 2.2.

mod anneal;
mod anneal_rng;
mod assignment;
mod blocks;
pub(super) mod bounds;
pub(super) mod dp;
mod dp_bounds;
mod dp_instance;
pub(super) mod elements;
mod method;
mod objective;
pub(super) mod options;
mod prices;
pub(super) mod problem;
mod rated;
mod relaxation;
mod result;
mod scaled;
mod score;
mod search;
mod sequence;
mod small;
pub(super) mod starts;
mod symmetry;
pub mod weights;
mod window;

pub use crate::ordering::search_result::{SearchResult, Status};
pub(in crate::ordering) use method::OPTIMISE;
pub use score::{Score, scores};
pub use weights::{WeightKind, Weights};

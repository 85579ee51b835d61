//! Figures of merit: of an ordering on a topology, and of one allocation.

pub mod comparison;
pub mod correlation;
mod cuts;
pub mod envelope;
pub mod mpc;
mod pieces;
pub mod placement;
pub mod places;
pub mod sums;
pub mod window;

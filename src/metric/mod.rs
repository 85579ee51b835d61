//! Figures of merit of an ordering on a topology.

pub mod comparison;
pub mod envelope;
pub mod mpc;

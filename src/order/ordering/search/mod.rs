//! Searches: orderings found by an optimiser, which start from the constructions.

pub mod ilp;
pub mod optimise;

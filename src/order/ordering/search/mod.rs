//! Searches: orderings found by an optimiser, which starts from the constructions.

pub mod ilp;
pub mod optimise;

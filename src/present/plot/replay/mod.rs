//! Figures of replays: distances within jobs and improvements, by job size and by allocator.
//!
//! They take plain rows and compute nothing but axes, and medians where sizes are too many to be told
//! apart. A row's *slot* is its number in the list that the user named; it decides the colour, so that an
//! allocator looks the same in every figure.
//!
//! Rows may come in any order; sizes of 0 and values that are not finite are left out.
//!
//! # References
//! The figures of Stoltzfus, "Improving Job Node Allocation on HECToR in Various Topological Manifestations", 2013,
//! chapters 4 to 7.

mod bars;
mod by_size;
mod data;
mod groups;
mod improvement;
mod prediction;
mod ranges;
mod scatter;
mod sizes;

pub use super::drawing::Figure;
pub use data::{BarPanel, Bars, Forecast, Labelled, Means, Overlay, Range, SizeLine, Spread};

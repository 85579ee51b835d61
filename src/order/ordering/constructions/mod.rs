//! Constructions: orderings made from the coordinates, the levels or the links of a machine without a search.

pub(super) mod axes;
mod brick;
mod gilbert;
mod helical;
mod hierarchical;
mod hilbert;
mod interleave;
mod lanczos;
mod linear;
mod random;
mod spectral;
pub(super) mod table;
pub(super) mod traversal;

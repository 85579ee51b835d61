//! The table of constructions: methods that search nothing, from whose orderings searches start.

use super::{
    brick, gilbert, helical, hierarchical, hilbert, interleave, linear, random, spectral, traversal,
};
use crate::ordering::entry::{Method, OrderingEntry};
use nodeorder_base::Registry;

/// Every construction, in the order of lists.
pub const ENTRIES: &[OrderingEntry] = &[
    linear::ROW_MAJOR,
    helical::HELICAL,
    linear::SNAKE,
    interleave::MORTON,
    interleave::GRAY,
    hilbert::HILBERT,
    gilbert::GILBERT,
    brick::BRICK,
    hierarchical::HIERARCHICAL,
    traversal::BFS,
    traversal::DFS,
    traversal::RCM,
    spectral::SPECTRAL,
    traversal::NEAREST,
    random::RANDOM,
];

/// Table of the constructions, from which searches choose their starts.
pub static CONSTRUCTIONS: Registry<Method> = Registry::new("ordering", "", ENTRIES);

//! Identifiers of nodes and routers, each a type of its own so that they are not mixed up.

use std::fmt;

/// A compute node: `0..slot_count()`, one id for each slot of the routers that carry nodes
/// (`NodeSet::slot_count` of a machine).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A router (switch): an index into the router graph. Routers that carry nodes come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouterId(pub u32);

impl NodeId {
    /// Returns the id as an index into per-node arrays.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl RouterId {
    /// Returns the id as an index into per-router arrays.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for RouterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

//! Where every node is drawn, in pictures and on pages: units within units, a box of the machine's own coordinates, slices
//! of such a box side by side, a circle, or rows of node ids. Pictures are flat: they show slices instead of a box.
//!
//! The centre of a cell is a sum of parts. Each part is a grid, and some digits of the cell's number say which block of
//! that grid the cell is in. So the layout of a large machine takes no more memory than that of a small one.

use nodeorder_network::topology::Topology;

mod grid;
mod lattice;
mod nested;
mod parts;
mod plain;

use lattice::{coordinates, lattice, slices, solid};
use nested::nested;
pub use parts::{Digit, EDGE, Frame, Layout, Part};
use plain::{circle, rows};

/// Most routers on a circle.
const CIRCLE: u32 = 400;

/// Lays out a machine for a page, which can turn a box.
pub fn layout(topology: &Topology) -> Layout {
    nested(topology)
        .or_else(|| solid(topology))
        .unwrap_or_else(|| plane(topology, topology.network().per_router()))
}

/// Lays out a machine for a picture, where a router of a lattice is one cell.
pub fn flat(topology: &Topology) -> Layout {
    nested(topology).unwrap_or_else(|| plane(topology, 1))
}

/// Lays out slices of the lattice with up to `split` cells a router; without a lattice that suits, routers round a
/// circle or rows of node ids.
fn plane(topology: &Topology, split: u32) -> Layout {
    let lattice = lattice(topology);
    let sliced = lattice
        .as_ref()
        .and_then(|(lattice, axes)| slices(topology, lattice, axes.clone(), split));
    if let Some(slices) = sliced {
        return slices;
    }
    let network = topology.network();
    let mut out = if network.hosts() <= CIRCLE {
        circle(topology)
    } else {
        rows(topology)
    };
    if let Some((lattice, _)) = lattice.filter(|(lattice, _)| lattice.cells.is_none()) {
        out.names = coordinates(lattice, network.per_router());
    }
    out
}

#[cfg(test)]
mod tests;

//! Where every node is drawn, in pictures and on pages: units within units, a box of the machine's own coordinates,
//! slices of such a box side by side, racks in rows, a circle, or rows of node ids. Pictures are flat: they show slices
//! instead of a box.
//!
//! The centre of a cell is a sum of parts. Each part is a grid, and some digits of the cell's number say which block
//! of that grid the cell is in. So the layout of a large machine takes no more memory than that of a small one.

use nodeorder_network::Topology;

mod grid;
mod lattice;
mod nested;
mod parts;
mod plain;
mod racks;

use lattice::{lattice_and_axes, lay_out_box, lay_out_slices, named_digits};
use nested::lay_out_units;
pub use parts::{Digit, EDGE, Frame, Layout, Part};
use plain::{lay_out_circle, lay_out_rows};
use racks::lay_out_racks;

/// Largest number of routers that are drawn on a circle.
const CIRCLE: u32 = 400;

/// Lays out a machine for a page, which can turn a box.
pub fn lay_out_page(topology: &Topology) -> Layout {
    lay_out_units(topology)
        .or_else(|| lay_out_box(topology))
        .unwrap_or_else(|| lay_out_planes(topology, topology.network().per_router()))
}

/// Lays out a machine for a picture, where a router of a lattice is one cell.
pub fn lay_out_picture(topology: &Topology) -> Layout {
    lay_out_units(topology).unwrap_or_else(|| lay_out_planes(topology, 1))
}

/// Lays out slices of the lattice with up to `split` cells a router; without a lattice that suits, racks of leaf
/// switches, routers round a circle or rows of node ids.
fn lay_out_planes(topology: &Topology, split: u32) -> Layout {
    let lattice = lattice_and_axes(topology);
    let sliced = lattice
        .as_ref()
        .and_then(|(lattice, axes)| lay_out_slices(topology, lattice, axes.clone(), split));
    if let Some(slices) = sliced {
        return slices;
    }
    let network = topology.network();
    let mut out = match lay_out_racks(topology) {
        Some(racks) => racks,
        None if network.hosts() <= CIRCLE => lay_out_circle(topology),
        None => lay_out_rows(topology),
    };
    // Coordinates still name the nodes where they cannot place them; a table of cells has no digits to name.
    if let Some((lattice, _)) = lattice.filter(|(lattice, _)| lattice.cells.is_none()) {
        out.names = named_digits(lattice, network.per_router());
    }
    out
}

#[cfg(test)]
mod tests;

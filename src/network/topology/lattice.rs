//! Integer coordinates of routers or nodes, for space-filling curves and pictures.
//!
//! Cells of a box are numbered row by row, the last axis fastest. In a box of 2x3:
//!
//! ```text
//!          y = 0  1  2
//! x = 0        0  1  2
//! x = 1        3  4  5
//! ```

/// A box of cells; every node is in one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// Number of cells along each axis; the last axis runs fastest.
    pub extents: Vec<u32>,
    /// Whether each axis is a ring; else it is a path.
    pub wrap: Vec<bool>,
    /// Names of the axes.
    pub axes: Vec<String>,
    /// Cell of every node id; `None` if the cell of a node is its router.
    pub cells: Option<Vec<u32>>,
}

impl Lattice {
    /// Makes a lattice whose cells are the routers, with axes called x, y, z, ….
    pub fn with_router_cells(extents: Vec<u32>, wrap: Vec<bool>) -> Self {
        let axes = (0..extents.len()).map(axis_name).collect();
        Lattice {
            extents,
            wrap,
            axes,
            cells: None,
        }
    }

    /// Counts the cells.
    pub fn cell_count(&self) -> usize {
        self.extents.iter().map(|n| *n as usize).product()
    }

    /// Writes the coordinates of a cell into `out`, one entry an axis.
    pub fn coordinates(&self, cell: u32, out: &mut [u32]) {
        cell_coordinates(cell, &self.extents, out);
    }

    /// Computes the cell at `coordinates`.
    pub fn cell_at(&self, coordinates: &[u32]) -> u32 {
        let axes = self.extents.iter().zip(coordinates);
        axes.fold(0, |cell, (extent, x)| cell * extent + x)
    }
}

/// Writes the coordinates of the `index`-th cell of a box into `out`, one entry an axis.
pub fn cell_coordinates(index: u32, extents: &[u32], out: &mut [u32]) {
    let mut rest = index;
    for (x, extent) in out.iter_mut().zip(extents).rev() {
        *x = rest % extent;
        rest /= extent;
    }
}

/// Names an axis: x, y, z, w, v, u, then its number.
pub fn axis_name(axis: usize) -> String {
    match AXIS_LETTERS.chars().nth(axis) {
        Some(letter) => letter.to_string(),
        None => axis.to_string(),
    }
}

/// Letters of the first axes, in order.
pub const AXIS_LETTERS: &str = "xyzwvu";

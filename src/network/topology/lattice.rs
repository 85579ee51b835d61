//! Integer coordinates of routers or nodes, for space-filling curves and pictures.

/// A box of cells, each node in one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// Cells along each axis; a cell's index is row-major, the last axis fastest.
    pub extents: Vec<u32>,
    /// Whether each axis is a ring.
    pub wrap: Vec<bool>,
    /// Names of the axes.
    pub axes: Vec<String>,
    /// The cell of every node id, or `None` when a node's cell is its router.
    pub cells: Option<Vec<u32>>,
}

impl Lattice {
    /// A lattice whose cells are the routers, axes called x, y, z, ….
    pub fn of_routers(extents: Vec<u32>, wrap: Vec<bool>) -> Self {
        let axes = (0..extents.len()).map(axis_name).collect();
        Lattice {
            extents,
            wrap,
            axes,
            cells: None,
        }
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.extents.iter().map(|n| *n as usize).product()
    }

    /// The coordinates of a cell, written into `out` (one entry an axis).
    pub fn coordinates(&self, cell: u32, out: &mut [u32]) {
        digits(cell, &self.extents, out);
    }

    /// The cell at `coordinates`.
    pub fn cell(&self, coordinates: &[u32]) -> u32 {
        self.extents
            .iter()
            .zip(coordinates)
            .fold(0, |cell, (extent, x)| cell * extent + x)
    }
}

/// The position of the `index`-th cell of a box, row-major, written into `out`.
pub fn digits(index: u32, extents: &[u32], out: &mut [u32]) {
    let mut rest = index;
    for (x, extent) in out.iter_mut().zip(extents).rev() {
        *x = rest % extent;
        rest /= extent;
    }
}

/// x, y, z, w, v, u, then the axis number.
pub fn axis_name(axis: usize) -> String {
    AXIS_LETTERS
        .chars()
        .nth(axis)
        .map_or_else(|| axis.to_string(), |c| c.to_string())
}

/// The letters of the first axes, in order.
pub const AXIS_LETTERS: &str = "xyzwvu";

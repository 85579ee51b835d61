//! Axis order and direction: the `axes=` and `reverse=` options that every coordinate ordering shares,
//! and the way from a walk over cells to an ordering of nodes.
//!
//! A method numbers its axes from the slowest to the fastest. On a mesh of 2x3 cells with `axes=yx` its axis 0 is y
//! and its extents are 3x2: position (2, 1) is the cell with x = 1 and y = 2.

use rayon::prelude::*;

use crate::ordering::entry::{OrderNodes, OrderedNodes};
use nodeorder_base::{Error, NodeId, Observer, Opt, Params, Result, RouterId, SourceLocation};
use nodeorder_network::Topology;
use nodeorder_network::topology::lattice::{AXIS_LETTERS, Lattice, cell_coordinates};

/// Cells of a topology seen through a permutation and reflection of its axes. Methods work on
/// [`LatticeView::extents`], axis 0 slowest, and hand back positions; the view turns them into nodes.
pub struct LatticeView<'a> {
    topology: &'a Topology,
    lattice: &'a Lattice,
    /// Lattice axis that the method sees as its axis i.
    axes: Vec<usize>,
    /// Difference of the cell numbers of neighbours along the method's axis i.
    strides: Vec<u32>,
    /// Whether the method's axis i runs from high to low.
    reversed: Vec<bool>,
    /// Number of cells along each axis as the method sees them, slowest first.
    pub extents: Vec<u32>,
}

/// Option for the order of the axes.
pub(super) const AXES: Opt = Opt::text("axes", "axes, slowest first, as letters xyzwvu or digits")
    .default_in_words("as the machine has them");

/// Option for the direction of the axes.
pub(super) const REVERSE: Opt =
    Opt::text("reverse", "axes that run from high to low").default_in_words("none");

/// Order and direction of the axes of one topology, as `axes=` and `reverse=` give them.
pub struct AxisOptions {
    /// Lattice axis that the method sees as its axis i, slowest first.
    axes: Vec<usize>,
    /// Lattice axes that run from high to low.
    reversed: Vec<usize>,
}

impl AxisOptions {
    /// Reads `axes=` (slowest first, as letters `xyzwvu` or digits; default: as stored) and `reverse=`
    /// (axes that run from high to low).
    ///
    /// # Errors
    /// Not a permutation of the topology's axes; no coordinates.
    pub fn parse(topology: &Topology, params: &Params) -> Result<Self> {
        let dimensions = lattice_of(topology)?.extents.len();
        let example: String = if dimensions <= AXIS_LETTERS.len() {
            AXIS_LETTERS[..dimensions].into()
        } else {
            (0..dimensions.min(10)).map(|d| d.to_string()).collect()
        };
        let all = format!("the {dimensions} axes, each once, as in {example}");
        let axes = match params.optional_word("axes")? {
            Some(text) => parse_axes(&text, dimensions)
                .filter(|axes| axes.len() == dimensions)
                .ok_or_else(|| params.invalid_value("axes", all))?,
            None => (0..dimensions).collect(),
        };
        let expected = format!("some of the axes {example}, each at most once");
        let reversed = match params.optional_word("reverse")? {
            Some(text) => parse_axes(&text, dimensions)
                .ok_or_else(|| params.invalid_value("reverse", expected))?,
            None => Vec::new(),
        };
        Ok(AxisOptions { axes, reversed })
    }

    /// Makes the ordering of these axes along a walk, given by the function that lists the cells of a view.
    pub fn walk_cells(
        self,
        list_cells: impl Fn(&LatticeView<'_>) -> Vec<u32> + Send + 'static,
    ) -> Box<dyn OrderNodes> {
        Box::new(CellWalk {
            axes: self,
            list_cells,
        })
    }

    /// Arranges the cells of `topology` as these options turn them. Fails if it has no coordinates.
    pub fn lattice_view<'a>(&self, topology: &'a Topology) -> Result<LatticeView<'a>> {
        let lattice = lattice_of(topology)?;
        let mut view = LatticeView {
            topology,
            lattice,
            axes: self.axes.clone(),
            strides: Vec::new(),
            reversed: Vec::new(),
            extents: Vec::new(),
        };
        for axis in &self.axes {
            let faster = &lattice.extents[axis + 1..];
            view.strides.push(faster.iter().product());
            view.reversed.push(self.reversed.contains(axis));
            view.extents.push(lattice.extents[*axis]);
        }
        Ok(view)
    }
}

/// Ordering along a walk over the cells of a lattice.
struct CellWalk<F> {
    axes: AxisOptions,
    /// Function that lists all cells of a view in the order of the walk.
    list_cells: F,
}

impl<F: Fn(&LatticeView<'_>) -> Vec<u32> + Send> OrderNodes for CellWalk<F> {
    fn order_nodes(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let view = self.axes.lattice_view(topology)?;
        let cells = (self.list_cells)(&view);
        Ok(OrderedNodes::Constructed(view.list_nodes(cells)))
    }
}

/// Looks up the coordinates of `topology`. Fails if it has none.
fn lattice_of(topology: &Topology) -> Result<&Lattice> {
    topology.lattice().ok_or_else(|| {
        Error::unsuited(
            SourceLocation::option(topology.spec()),
            format!("{} has no coordinates, which `axes` needs", topology.name()),
            "what works here: row-major",
        )
    })
}

/// Parses the numbers of the axes that `text` names; `None` if one is none of `dimensions`, or stands twice.
fn parse_axes(text: &str, dimensions: usize) -> Option<Vec<usize>> {
    let mut axes = Vec::new();
    for letter in text.chars() {
        let axis = match letter.to_digit(10) {
            Some(digit) => digit as usize,
            None => AXIS_LETTERS.chars().position(|known| known == letter)?,
        };
        if axis >= dimensions || axes.contains(&axis) {
            return None;
        }
        axes.push(axis);
    }
    Some(axes)
}

impl LatticeView<'_> {
    /// Counts the cells.
    pub fn cell_count(&self) -> usize {
        self.lattice.cell_count()
    }

    /// Computes the lattice cell at a position in the method's axes.
    pub fn cell_at(&self, position: &[u32]) -> u32 {
        position.iter().enumerate().fold(0, |cell, (i, x)| {
            let x = if self.reversed[i] {
                self.extents[i] - 1 - x
            } else {
                *x
            };
            cell + x * self.strides[i]
        })
    }

    /// Reorders values, one an axis, from the lattice's order of axes to the method's.
    pub fn in_method_order<T: Copy>(&self, stored: &[T]) -> Vec<T> {
        self.axes.iter().map(|a| stored[*a]).collect()
    }

    /// Sorts the cells by `index`, their (unique) place on a curve. O(cells · log cells) time; an
    /// index and a number for each cell.
    pub fn cells_by_curve<K: Ord + Send>(&self, index: impl Fn(&[u32]) -> K + Sync) -> Vec<u32> {
        let origin = vec![0; self.extents.len()];
        let mut keyed: Vec<(K, u32)> = (0..self.cell_count() as u32)
            .into_par_iter()
            .map_with(origin, |position, number| {
                cell_coordinates(number, &self.extents, position);
                (index(position), self.cell_at(position))
            })
            .collect();
        keyed.par_sort_unstable();
        keyed.into_iter().map(|(_, cell)| cell).collect()
    }

    /// Lists the cells at the positions that `place` derives from row-major counters.
    pub fn cells_in_turn(&self, mut place: impl FnMut(&[u32], &mut [u32])) -> Vec<u32> {
        let mut cells = Vec::with_capacity(self.cell_count());
        let mut position = vec![0; self.extents.len()];
        for_each_position(&self.extents, |counter| {
            place(counter, &mut position);
            cells.push(self.cell_at(&position));
        });
        cells
    }

    /// Lists the schedulable nodes of `cells` in turn; within a cell by id.
    pub fn list_nodes(&self, cells: Vec<u32>) -> Vec<NodeId> {
        let mut nodes = Vec::with_capacity(self.topology.node_count());
        match &self.lattice.cells {
            // Each cell is a router.
            None => {
                let parts: Vec<Vec<NodeId>> = cells
                    .par_chunks(1 << 14)
                    .map(|cells| {
                        let routers = cells.iter().map(|cell| RouterId(*cell));
                        routers.flat_map(|r| self.topology.nodes_of(r)).collect()
                    })
                    .collect();
                // Before the nodes are put together, whose memory would come on top.
                drop(cells);
                parts.into_iter().for_each(|part| nodes.extend(part));
            }
            // Several routers, or none, have their nodes in one cell.
            Some(cell_of) => {
                let mut rank = vec![u32::MAX; self.cell_count()];
                for (r, cell) in cells.into_iter().enumerate() {
                    rank[cell as usize] = r as u32;
                }
                nodes.extend(self.topology.nodes().iter());
                nodes.sort_by_key(|n| rank[cell_of[n.index()] as usize]);
            }
        }
        nodes
    }
}

/// Visits all positions of a box, row-major.
pub(super) fn for_each_position(extents: &[u32], mut visit: impl FnMut(&[u32])) {
    let mut position = vec![0u32; extents.len()];
    loop {
        visit(&position);
        let mut axis = extents.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            position[axis] += 1;
            if position[axis] < extents[axis] {
                break;
            }
            position[axis] = 0;
        }
    }
}

/// Lists the row-major numbers of the positions of a box, sorted by `key`.
pub(super) fn numbers_by_key<K: Ord>(extents: &[u32], key: impl Fn(&[u32]) -> K) -> Vec<u32> {
    let mut keyed = Vec::new();
    for_each_position(extents, |position| {
        keyed.push((key(position), keyed.len() as u32));
    });
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, number)| number).collect()
}

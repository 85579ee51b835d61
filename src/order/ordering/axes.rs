//! Axis order and direction: the `axes=` and `reverse=` options that every coordinate ordering shares,
//! and the way from a walk over cells to an ordering of nodes.

use rayon::prelude::*;

use nodeorder_base::error::Result;
use nodeorder_base::ids::{NodeId, RouterId};
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Topology;
use nodeorder_network::topology::lattice::{AXIS_LETTERS, Lattice, digits};

/// A topology's cells seen through a permutation and reflection of its axes. Methods work on
/// [`View::extents`], axis 0 slowest, and hand back positions; the view turns them into nodes.
pub struct View<'a> {
    topology: &'a Topology,
    lattice: &'a Lattice,
    /// `axes[i]` = the lattice axis that the method sees as its axis i.
    axes: Vec<usize>,
    /// Cells between neighbours along the method's axis i.
    strides: Vec<u32>,
    /// Whether the method's axis i runs from high to low.
    reversed: Vec<bool>,
    /// Cells along each axis as the method sees them, slowest first.
    pub extents: Vec<u32>,
}

/// The order of the axes.
pub(super) const AXES: Opt = Opt::text("axes", "axes, slowest first, as letters xyzwvu or digits")
    .or_else("as the machine has them");

/// Their direction.
pub(super) const REVERSE: Opt =
    Opt::text("reverse", "axes that run from high to low").or_else("none");

impl<'a> View<'a> {
    /// Reads `axes=` (slowest first, as letters `xyzwvu` or digits; default: as stored) and `reverse=`
    /// (axes that run from high to low).
    ///
    /// # Errors
    /// Not a permutation of the topology's axes; no coordinates.
    pub fn from_params(topology: &'a Topology, params: &Params) -> Result<Self> {
        let lattice = topology.lattice().ok_or_else(|| {
            params.unsuited(
                format!("{} has no coordinates, which `axes` needs", topology.name()),
                format!("what works here: {}", super::suitable(topology).join(", ")),
            )
        })?;
        let dimensions = lattice.extents.len();
        let example: String = match dimensions {
            0..=6 => AXIS_LETTERS[..dimensions].into(),
            _ => (0..dimensions.min(10)).map(|d| d.to_string()).collect(),
        };
        let read = |key: &'static str, expected: &str| -> Result<Option<Vec<usize>>> {
            let Some(text) = params.word(key)? else {
                return Ok(None);
            };
            let axis = |c: char| match c.to_digit(10) {
                Some(digit) => Some(digit as usize),
                None => AXIS_LETTERS.chars().position(|l| l == c),
            };
            let axes: Option<Vec<usize>> = text.chars().map(axis).collect();
            let fresh = |axes: &[usize], i| axes[i] < dimensions && !axes[..i].contains(&axes[i]);
            let axes = axes.filter(|axes| (0..axes.len()).all(|i| fresh(axes, i)));
            axes.map(Some).ok_or_else(|| params.wrong(key, expected))
        };
        let all = format!("the {dimensions} axes, each once, as in {example}");
        let axes = read("axes", &all)?.unwrap_or_else(|| (0..dimensions).collect());
        if axes.len() != dimensions {
            return Err(params.wrong("axes", all));
        }
        let some = format!("some of the axes {example}, each at most once");
        let turned = read("reverse", &some)?.unwrap_or_default();
        let reversed = axes.iter().map(|a| turned.contains(a)).collect();
        let extents = axes.iter().map(|a| lattice.extents[*a]).collect();
        let stride = |a: &usize| lattice.extents[a + 1..].iter().product();
        let strides = axes.iter().map(stride).collect();
        Ok(View {
            topology,
            lattice,
            axes,
            strides,
            reversed,
            extents,
        })
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.lattice.cell_count()
    }

    /// The lattice cell at a position in the method's axes.
    pub fn cell(&self, position: &[u32]) -> u32 {
        position.iter().enumerate().fold(0, |cell, (i, x)| {
            let x = if self.reversed[i] {
                self.extents[i] - 1 - x
            } else {
                *x
            };
            cell + x * self.strides[i]
        })
    }

    /// One value an axis, from the lattice's order of axes to the method's.
    pub fn permuted<T: Copy>(&self, stored: &[T]) -> Vec<T> {
        self.axes.iter().map(|a| stored[*a]).collect()
    }

    /// The cells by ascending `index`, their place on a curve; no two have the same. O(cells · log cells) time; an
    /// index and a number for each cell.
    pub fn cells_by_curve<K: Ord + Send>(&self, index: impl Fn(&[u32]) -> K + Sync) -> Vec<u32> {
        let keyed = |position: &mut Vec<u32>, number: u32| {
            digits(number, &self.extents, position);
            (index(position), self.cell(position))
        };
        let cells = (0..self.cell_count() as u32).into_par_iter();
        let mut keyed: Vec<(K, u32)> = cells
            .map_init(|| vec![0; self.extents.len()], keyed)
            .collect();
        keyed.par_sort_unstable();
        keyed.into_iter().map(|(_, cell)| cell).collect()
    }

    /// Visits all positions, row-major in the method's axes.
    pub fn for_each_position(&self, visit: impl FnMut(&[u32])) {
        for_each_position(&self.extents, visit);
    }

    /// The schedulable nodes of `cells` in turn; within a cell by id.
    pub fn nodes(&self, cells: Vec<u32>) -> Vec<NodeId> {
        let mut nodes = Vec::with_capacity(self.topology.node_count());
        match &self.lattice.cells {
            None => {
                let of = |cell: &u32| self.topology.nodes_of(RouterId(*cell));
                let part = |cells: &[u32]| cells.iter().flat_map(of).collect::<Vec<_>>();
                let parts: Vec<_> = cells.par_chunks(1 << 14).map(part).collect();
                drop(cells);
                parts.into_iter().for_each(|part| nodes.extend(part));
            }
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

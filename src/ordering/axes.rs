//! Axis order and direction: the `axes=` and `reverse=` options that every coordinate ordering shares,
//! and the way from a walk over cells to an ordering of nodes.

use rayon::prelude::*;

use crate::error::Result;
use crate::ids::{NodeId, RouterId};
use crate::params::{Opt, Params};
use crate::topology::Topology;
use crate::topology::lattice::{AXIS_LETTERS, Lattice};

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
            let Some(text) = params.word(key)? else { return Ok(None) };
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
        Ok(View { topology, lattice, axes, strides, reversed, extents })
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.lattice.cell_count()
    }

    /// The lattice cell at a position in the method's axes.
    pub fn cell(&self, position: &[u32]) -> u32 {
        position.iter().enumerate().fold(0, |cell, (i, x)| {
            let x = if self.reversed[i] { self.extents[i] - 1 - x } else { *x };
            cell + x * self.strides[i]
        })
    }

    /// One value an axis, from the lattice's order of axes to the method's.
    pub fn permuted<T: Copy>(&self, stored: &[T]) -> Vec<T> {
        self.axes.iter().map(|a| stored[*a]).collect()
    }

    /// The cells in the order of a curve, given by each position's index on it. Of blocks of 2^k cells a side, aligned
    /// at multiples of that, the curve must pass through one after the other, as those that go by bits of coordinates
    /// do: then blocks are sorted by their first cells, and each by itself, in parallel.
    ///
    /// # Complexity
    /// O(cells · log cells) time; memory for indices of 2¹⁵ cells a thread.
    pub fn cells_by_curve<K: Ord + Send>(&self, index: impl Fn(&[u32]) -> K + Sync) -> Vec<u32> {
        self.cells_by_blocks(1 << 15, index)
    }

    /// The same, in the largest blocks of at most so many cells.
    fn cells_by_blocks<K: Ord + Send>(
        &self,
        most: u64,
        index: impl Fn(&[u32]) -> K + Sync,
    ) -> Vec<u32> {
        let cells_of = |side: u32| {
            let sides = self.extents.iter().map(|extent| u64::from(side.min(*extent)));
            sides.fold(1, u64::saturating_mul)
        };
        let sides = (1..31).map(|bits| 1 << bits).take_while(|side| cells_of(*side) <= most);
        let side = sides.last().unwrap_or(2);
        let counts: Vec<u32> = self.extents.iter().map(|extent| extent.div_ceil(side)).collect();
        let mut blocks = Vec::new();
        for_each_position(&counts, |at| {
            let corner: Vec<u32> = at.iter().map(|x| x * side).collect();
            blocks.push((index(&corner), blocks.len() as u32));
        });
        blocks.sort_unstable();
        let corner = |(_, number): &(K, u32)| {
            let (mut rest, mut corner) = (*number, counts.clone());
            for x in corner.iter_mut().rev() {
                (rest, *x) = (rest / *x, rest % *x * side);
            }
            corner
        };
        let inside = |corner: &Vec<u32>| -> Vec<u32> {
            corner.iter().zip(&self.extents).map(|(x, extent)| side.min(extent - x)).collect()
        };
        let boxes: Vec<_> = blocks.iter().map(corner).map(|c| (inside(&c), c)).collect();
        let mut cells = vec![0; self.cell_count()];
        let size = |(sides, _): &(Vec<u32>, _)| sides.iter().map(|side| *side as usize).product();
        let shares = shares(&mut cells, boxes.iter().map(size));
        shares.into_par_iter().zip(&boxes).for_each(|(cells, (sides, corner))| {
            let (mut position, mut keyed) = (corner.clone(), Vec::with_capacity(cells.len()));
            for_each_position(sides, |at| {
                position.iter_mut().zip(corner).zip(at).for_each(|((x, from), at)| *x = from + at);
                keyed.push((index(&position), self.cell(&position)));
            });
            keyed.sort_unstable();
            cells.iter_mut().zip(keyed).for_each(|(cell, (_, own))| *cell = own);
        });
        cells
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

/// `cells` in parts of these sizes, one after the other.
pub(super) fn shares(mut cells: &mut [u32], sizes: impl Iterator<Item = usize>) -> Vec<&mut [u32]> {
    let share = |size| {
        let (own, rest) = std::mem::take(&mut cells).split_at_mut(size);
        cells = rest;
        own
    };
    sizes.map(share).collect()
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::interleave::{gray_rank, morton_key, widths};
    use super::super::testing::topology;
    use super::super::{ORDERINGS, hilbert};
    use super::*;

    type Index<'i> = &'i (dyn Fn(&[u32]) -> u128 + Sync);

    proptest! {
        /// Block by block as all cells sorted by their indices.
        #[test]
        fn blocks_join_to_the_curve(
            dims in prop::collection::vec(1u32..12, 1..5), bits in 4u32..7, most in 1u64..600,
        ) {
            let spec: Vec<String> = dims.iter().map(u32::to_string).collect();
            let machine = topology(&format!("mesh:{}", spec.join("x")));
            let params = ORDERINGS.params(ORDERINGS.get("snake").unwrap(), "snake", 1).unwrap();
            let view = View::from_params(&machine, &params).unwrap();
            let bits_of = widths(&view.extents);
            let indices: [Index<'_>; 3] = [
                &|p| hilbert::index(p, bits),
                &|p| morton_key(p, &bits_of).into(),
                &|p| gray_rank(morton_key(p, &bits_of)).into(),
            ];
            for index in indices {
                let mut keyed = Vec::new();
                view.for_each_position(|p| keyed.push((index(p), view.cell(p))));
                keyed.sort_unstable();
                let plain: Vec<u32> = keyed.into_iter().map(|(_, cell)| cell).collect();
                prop_assert_eq!(&view.cells_by_blocks(most, index), &plain);
                prop_assert_eq!(&view.cells_by_curve(index), &plain);
            }
        }
    }
}

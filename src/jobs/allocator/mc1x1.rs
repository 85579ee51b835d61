//! Shells around a centre.

use super::entry::{Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice};
use super::ranks_by_location::Cells;
use nodeorder_base::{FreeSet, Ranks, Result, SourceLocation};

/// `mc1x1`: every free node is tried as a centre. Around it lie shells: shell r holds the nodes whose cells
/// are r away in the largest of their coordinates, around the ends of axes that are rings; the nodes of the
/// centre's own cell are shell 0. The job gets the n free nodes of the nearest shells, those of the last shell
/// by rank. The cost is the sum of their shell numbers; the centre of least cost wins, the one of lowest rank
/// among several.
///
/// The shells of the source are square rings of a mesh; cubes of any dimension, rings and several nodes a
/// cell are the extension. What is compared is coordinates, also where the network has other links. Errors: a topology
/// without coordinates. O(cells·axes + free) and, for every cell with free nodes, O(radius·2^axes), radius counting
/// the shells until the job is held or the best cost is reached: the cost is Σ over r of how many nodes shells 0 to r
/// lack, and those are counted from sums over boxes. A cost that no centre can be below ends the search.
///
/// # References
/// Mache, Lo, Windisch, "Minimizing message-passing contention in fragmentation-free processor allocation",
/// 1997; Bender et al., "Communication-aware processor allocation for supercomputers: finding point sets of
/// small average distance", 2008, section 2 (where the shape of
/// shell 0 is one processor).
pub const MC1X1: AllocatorEntry = AllocatorEntry::plain(
    "mc1x1",
    "the free nodes in the nearest shells around the best centre",
    |params| {
        Ok(Box::new(Mc1x1Options {
            location: params.location().clone(),
        }))
    },
);

struct Mc1x1Options {
    /// Text that asks for the allocator, for messages.
    location: SourceLocation,
}

impl BuildAllocator for Mc1x1Options {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let cells = Cells::new(self.location.clone(), context)?;
        let count = cells.locations.location_count() as u32;
        let bytes = 4 * u64::from(count) * cells.axes.len() as u64;
        context
            .topology
            .require_memory("coordinates of all cells", bytes)?;
        let mut coordinates = Vec::new();
        for cell in 0..count {
            coordinates.extend(cells.axes.iter().map(|axis| axis.coordinate_of(cell)));
        }
        Ok(Box::new(Mc1x1 {
            fullest: cells.max_ranks_in_cell(),
            cells,
            sums: Vec::new(),
            centre: Vec::new(),
            terms: Vec::new(),
            next_terms: Vec::new(),
            last_shell: Vec::new(),
            coordinates,
        }))
    }
}

/// The lattice with sums of free nodes over boxes.
struct Mc1x1 {
    cells: Cells,
    /// Number of nodes of the fullest cell.
    fullest: u32,
    /// By cell: number of free nodes in the box from the first cell to it.
    sums: Vec<u32>,
    /// Coordinates by cell, one for each axis.
    coordinates: Vec<u32>,
    /// The centre's coordinates.
    centre: Vec<u32>,
    /// Corners of a box: what to multiply by (1 or -1, modulo 2³²), and the cell.
    terms: Vec<(u32, u32)>,
    /// Corners while an axis is added.
    next_terms: Vec<(u32, u32)>,
    /// Free ranks in the last shell.
    last_shell: Vec<u32>,
}

impl Mc1x1 {
    /// Counts the free nodes of cells and of boxes.
    fn load_free(&mut self, free: &FreeSet) {
        self.cells.locations.load_free(free);
        self.sums.clear();
        self.sums.extend_from_slice(&self.cells.locations.free);
        for axis in &self.cells.axes {
            let stride = axis.stride as usize;
            for slab in self.sums.chunks_mut(stride * axis.extent as usize) {
                for i in stride..slab.len() {
                    slab[i] += slab[i - stride];
                }
            }
        }
    }

    /// Counts the free nodes in shells 0 to `radius` around `at`.
    fn count_free_within(&mut self, radius: u32) -> u32 {
        self.terms.clear();
        self.terms.push((1, 0));
        for (axis, x) in self.cells.axes.iter().zip(&self.centre) {
            let n = axis.extent;
            let width = radius.saturating_mul(2).saturating_add(1);
            // The box as sums of boxes that begin at 0: up to `high`, less up to `low`; where it goes
            // around the end of a ring, the whole axis besides.
            let mut ends = [(0, 0); 3];
            if axis.wrap && width < n {
                let low = (x + n - radius) % n;
                let high = low + width;
                let minus = u32::MAX;
                ends = if high <= n {
                    [(1, high), (minus, low), (0, 0)]
                } else {
                    [(1, n), (1, high - n), (minus, low)]
                };
            } else if axis.wrap {
                ends[0] = (1, n);
            } else {
                ends[0] = (1, x.saturating_add(radius.saturating_add(1)).min(n));
                ends[1] = (u32::MAX, x.saturating_sub(radius));
            }
            self.next_terms.clear();
            for (sign, end) in ends.into_iter().filter(|(_, end)| *end > 0) {
                let end = (end - 1) * axis.stride;
                for (other, cell) in &self.terms {
                    self.next_terms.push((other.wrapping_mul(sign), cell + end));
                }
            }
            std::mem::swap(&mut self.terms, &mut self.next_terms);
        }
        // Signs are taken modulo 2³², in which the sum is exact.
        self.terms.iter().fold(0, |sum: u32, (sign, cell)| {
            sum.wrapping_add(sign.wrapping_mul(self.sums[*cell as usize]))
        })
    }

    /// Computes the cost of `count` nodes around a cell and the last shell they need; `None` from the cost `limit` on.
    fn centre_cost(&mut self, cell: u32, count: u32, limit: u64) -> Option<(u64, u32)> {
        self.centre.clear();
        let axes = self.cells.axes.len();
        self.centre
            .extend_from_slice(&self.coordinates[cell as usize * axes..][..axes]);
        let mut cost = 0;
        let mut radius = 0;
        let mut inside = self.cells.locations.free_count(cell);
        while cost < limit {
            if inside >= count {
                return Some((cost, radius));
            }
            // So many nodes are in shells beyond this one.
            cost += u64::from(count - inside);
            radius += 1;
            inside = self.count_free_within(radius);
        }
        None
    }

    /// Computes a lower bound of every centre's cost: shells as large as the lattice allows, all free.
    fn lower_bound(&self, count: u32) -> u64 {
        let mut cost = 0;
        let count = u64::from(count);
        for radius in 0u64.. {
            let sides = self
                .cells
                .axes
                .iter()
                .map(|axis| u64::from(axis.extent).min(2 * radius + 1));
            let inside = sides.fold(u64::from(self.fullest), u64::saturating_mul);
            // From this radius on nothing grows; what is not held by then is not there.
            let whole = self
                .cells
                .axes
                .iter()
                .all(|axis| u64::from(axis.extent) <= 2 * radius + 1);
            if inside >= count || whole {
                break;
            }
            cost += count - inside;
        }
        cost
    }
}

impl Allocator for Mc1x1 {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        // Every node costs 0, so the lowest rank wins.
        if count == 1 {
            free.copy_lowest(1, chosen);
            return Choice::Placed;
        }
        self.load_free(free);
        let floor = self.lower_bound(count);
        let mut best = (0, 0);
        let mut least = u64::MAX;
        // Cells come by their lowest free rank; all centres of a cell cost the same.
        for i in 0..self.cells.locations.open.len() {
            let cell = self.cells.locations.open[i].location;
            if let Some((cost, radius)) = self.centre_cost(cell, count, least) {
                best = (cell, radius);
                least = cost;
                // Later cells have higher ranks and cannot cost less.
                if cost == floor {
                    break;
                }
            }
        }
        let (centre, radius) = best;
        let axes = &self.cells.axes;
        let centre = &self.coordinates[centre as usize * axes.len()..][..axes.len()];
        self.last_shell.clear();
        let mut left = count;
        for rank in free.iter() {
            let cell = self.cells.locations.location_of(rank) as usize;
            let there = &self.coordinates[cell * axes.len()..][..axes.len()];
            let mut shell = 0;
            for ((axis, x), y) in axes.iter().zip(centre).zip(there) {
                shell = shell.max(axis.steps_between(*x, *y));
            }
            if shell < radius {
                chosen.push_rank(rank);
                left -= 1;
            } else if shell == radius {
                self.last_shell.push(rank);
            }
        }
        chosen.push_ranks(&self.last_shell[..left as usize]);
        Choice::Placed
    }
}

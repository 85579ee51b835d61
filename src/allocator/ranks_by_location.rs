//! Ranks by the spot they stand on: the router they share, or the cell of a lattice.

use super::AllocatorContext;
use crate::error::{Error, Result, SourceLocation};
use crate::ranks::FreeSet;

/// The ranks of every spot, and how many of them are free.
#[derive(Debug)]
pub struct RanksByLocation {
    /// The spot of every rank.
    of: Vec<u32>,
    /// The ranks of spot s are `ranks[starts[s]..starts[s + 1]]`, ascending.
    starts: Vec<u32>,
    ranks: Vec<u32>,
    free: Vec<u32>,
    open: Vec<Open>,
}

/// A spot with free ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The lowest of its free ranks.
    pub rank: u32,
    /// The spot.
    pub spot: u32,
}

impl RanksByLocation {
    fn new(of: Vec<u32>, spots: usize) -> Self {
        let mut starts = vec![0; spots + 1];
        of.iter().for_each(|spot| starts[*spot as usize + 1] += 1);
        for spot in 0..spots {
            starts[spot + 1] += starts[spot];
        }
        let mut ranks = vec![0; of.len()];
        let mut next = starts.clone();
        for (rank, spot) in of.iter().enumerate() {
            let slot = &mut next[*spot as usize];
            ranks[*slot as usize] = rank as u32;
            *slot += 1;
        }
        RanksByLocation { of, starts, ranks, free: vec![0; spots], open: Vec::new() }
    }

    /// With routers as spots.
    ///
    /// # Errors
    /// [`Error::Memory`] where the lists exceed the run's limit.
    pub fn routers(context: &AllocatorContext<'_>) -> Result<Self> {
        let routers = context.topology.network().routers() as usize;
        require(context, routers as u64)?;
        Ok(RanksByLocation::new(context.distances.routers().to_vec(), routers))
    }

    /// How many spots there are.
    pub fn count(&self) -> usize {
        self.free.len()
    }

    /// The spot of a rank.
    #[inline]
    pub fn of(&self, rank: u32) -> u32 {
        self.of[rank as usize]
    }

    /// All ranks of a spot, free or not, ascending.
    #[inline]
    pub fn ranks(&self, spot: u32) -> &[u32] {
        &self.ranks[self.starts[spot as usize] as usize..self.starts[spot as usize + 1] as usize]
    }

    /// Counts the free ranks of every spot. O(size/64 + free).
    pub fn load(&mut self, free: &FreeSet) {
        self.open.iter().for_each(|open| self.free[open.spot as usize] = 0);
        self.open.clear();
        for rank in free.iter() {
            let spot = self.of[rank as usize];
            if self.free[spot as usize] == 0 {
                self.open.push(Open { rank, spot });
            }
            self.free[spot as usize] += 1;
        }
    }

    /// The spots with free ranks, by the lowest of those.
    pub fn open(&self) -> &[Open] {
        &self.open
    }

    /// How many ranks of a spot are free.
    #[inline]
    pub fn free(&self, spot: u32) -> u32 {
        self.free[spot as usize]
    }
}

fn require(context: &AllocatorContext<'_>, spots: u64) -> Result<()> {
    let bytes = 8 * u64::from(context.distances.len()) + 20 * spots;
    context.topology.require("lists of ranks by place", bytes)
}

/// The lattice with the axes along which it extends.
#[derive(Debug)]
pub struct Cells {
    /// The axes, slowest first.
    pub axes: Vec<CellAxis>,
    /// Ranks by cell.
    pub spots: RanksByLocation,
}

/// One axis of [`Cells`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellAxis {
    /// Cells along it, at least 2.
    pub extent: u32,
    /// Whether it is a ring.
    pub wrap: bool,
    /// Cells from one to the next along it.
    pub stride: u32,
}

impl CellAxis {
    /// The coordinate of a cell.
    #[inline]
    pub fn of(&self, cell: u32) -> u32 {
        cell / self.stride % self.extent
    }

    /// Steps between two coordinates.
    #[inline]
    pub fn between(&self, a: u32, b: u32) -> u32 {
        let apart = a.abs_diff(b);
        if self.wrap { apart.min(self.extent - apart) } else { apart }
    }
}

impl Cells {
    /// The cells of the site's lattice, for the allocator at `place`.
    ///
    /// # Errors
    /// No lattice, or too large a one for the run's memory.
    pub fn new(location: SourceLocation, context: &AllocatorContext<'_>) -> Result<Self> {
        let lattice = context.topology.lattice().ok_or_else(|| {
            let problem = format!("{} has no coordinates", context.topology.name());
            Error::unsuited(location, problem, "use it on a grid, or give coordinates with `names`")
        })?;
        require(context, lattice.cell_count() as u64)?;
        let of = match &lattice.cells {
            Some(cells) => context.order.nodes().iter().map(|n| cells[n.index()]).collect(),
            None => context.distances.routers().to_vec(),
        };
        let mut stride = 1;
        let mut axes = Vec::new();
        for (extent, wrap) in lattice.extents.iter().zip(&lattice.wrap).rev() {
            if *extent > 1 {
                axes.push(CellAxis { extent: *extent, wrap: *wrap, stride });
            }
            stride *= extent;
        }
        axes.reverse();
        Ok(Cells { axes, spots: RanksByLocation::new(of, lattice.cell_count()) })
    }

    /// The most ranks that share a cell.
    pub fn fullest(&self) -> u32 {
        let cells = 0..self.spots.count() as u32;
        cells.map(|cell| self.spots.ranks(cell).len() as u32).max().unwrap_or(0)
    }
}

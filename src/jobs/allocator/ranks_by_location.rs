//! Ranks by location: the router they share, or the cell of a lattice.

use super::entry::AllocatorContext;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ranks::FreeSet;

/// The ranks of every location, and how many of them are free.
#[derive(Debug)]
pub struct RanksByLocation {
    /// The location of every rank.
    of: Vec<u32>,
    /// The ranks of location l are `ranks[starts[l]..starts[l + 1]]`, ascending: one list is quicker than one a location.
    starts: Vec<u32>,
    ranks: Vec<u32>,
    free: Vec<u32>,
    pub open: Vec<Open>,
}

/// A location with free ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The lowest of its free ranks.
    pub rank: u32,
    /// The location.
    pub location: u32,
}

impl RanksByLocation {
    fn new(of: Vec<u32>, locations: usize) -> Self {
        let mut starts = vec![0; locations + 1];
        of.iter()
            .for_each(|location| starts[*location as usize + 1] += 1);
        for location in 0..locations {
            starts[location + 1] += starts[location];
        }
        let mut ranks = vec![0; of.len()];
        let mut next = starts.clone();
        for (rank, location) in of.iter().enumerate() {
            let slot = &mut next[*location as usize];
            ranks[*slot as usize] = rank as u32;
            *slot += 1;
        }
        RanksByLocation {
            of,
            starts,
            ranks,
            free: vec![0; locations],
            open: Vec::new(),
        }
    }

    /// With routers as locations.
    pub fn routers(context: &AllocatorContext<'_>) -> Self {
        let routers = context.topology.network().routers() as usize;
        RanksByLocation::new(context.distances.routers().to_vec(), routers)
    }

    /// How many locations there are.
    pub fn count(&self) -> usize {
        self.free.len()
    }

    /// The location of a rank.
    pub fn of(&self, rank: u32) -> u32 {
        self.of[rank as usize]
    }

    /// All ranks of a location, free or not, ascending.
    pub fn ranks(&self, location: u32) -> &[u32] {
        &self.ranks
            [self.starts[location as usize] as usize..self.starts[location as usize + 1] as usize]
    }

    /// Counts the free ranks of every location. O(size/64 + free).
    pub fn load(&mut self, free: &FreeSet) {
        self.open
            .iter()
            .for_each(|open| self.free[open.location as usize] = 0);
        self.open.clear();
        for rank in free.iter() {
            let location = self.of[rank as usize];
            if self.free[location as usize] == 0 {
                self.open.push(Open { rank, location });
            }
            self.free[location as usize] += 1;
        }
    }

    /// How many ranks of a location are free.
    pub fn free(&self, location: u32) -> u32 {
        self.free[location as usize]
    }

    /// Free ranks of every location.
    pub fn free_counts(&self) -> &[u32] {
        &self.free
    }
}

/// The lattice with the axes along which it extends.
#[derive(Debug)]
pub struct Cells {
    /// The axes, slowest first.
    pub axes: Vec<CellAxis>,
    /// Ranks by cell.
    pub locations: RanksByLocation,
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
    pub fn of(&self, cell: u32) -> u32 {
        cell / self.stride % self.extent
    }

    /// Steps between two coordinates.
    pub fn between(&self, a: u32, b: u32) -> u32 {
        let apart = a.abs_diff(b);
        if self.wrap {
            apart.min(self.extent - apart)
        } else {
            apart
        }
    }
}

impl Cells {
    /// The cells of the topology's lattice; `location` is the allocator's, for errors.
    ///
    /// # Errors
    /// A topology without coordinates.
    pub fn new(location: SourceLocation, context: &AllocatorContext<'_>) -> Result<Self> {
        let lattice = context.topology.lattice().ok_or_else(|| {
            let problem = format!("{} has no coordinates", context.topology.name());
            Error::unsuited(
                location,
                problem,
                "use it on a grid, or give coordinates with `names`",
            )
        })?;
        let of = match &lattice.cells {
            Some(cells) => context
                .order
                .nodes()
                .iter()
                .map(|n| cells[n.index()])
                .collect(),
            None => context.distances.routers().to_vec(),
        };
        let mut stride = 1;
        let mut axes = Vec::new();
        for (extent, wrap) in lattice.extents.iter().zip(&lattice.wrap).rev() {
            if *extent > 1 {
                axes.push(CellAxis {
                    extent: *extent,
                    wrap: *wrap,
                    stride,
                });
            }
            stride *= extent;
        }
        axes.reverse();
        Ok(Cells {
            axes,
            locations: RanksByLocation::new(of, lattice.cell_count()),
        })
    }

    /// The most ranks that share a cell.
    pub fn fullest(&self) -> u32 {
        let cells = 0..self.locations.count() as u32;
        cells
            .map(|cell| self.locations.ranks(cell).len() as u32)
            .max()
            .unwrap_or(0)
    }
}

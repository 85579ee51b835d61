//! Ranks by location: the router they share, or the cell of a lattice.

use super::entry::AllocatorContext;
use nodeorder_base::{Error, FreeSet, Result, SourceLocation};

/// The ranks of every location, and how many of them are free.
#[derive(Debug)]
pub struct RanksByLocation {
    /// By rank: its location.
    locations: Vec<u32>,
    /// By location: index of its first rank in `ranks`, and one index past the last at the end.
    starts: Vec<u32>,
    /// The ranks of all locations, one location after the other, ascending: quicker than a list for each.
    ranks: Vec<u32>,
    /// By location: number of free ranks.
    pub free: Vec<u32>,
    /// Locations with free ranks, by their lowest.
    pub open: Vec<OpenLocation>,
}

/// A location with free ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenLocation {
    /// Lowest free rank of the location.
    pub rank: u32,
    /// The location.
    pub location: u32,
}

impl RanksByLocation {
    /// Sorts ranks by their locations (a counting sort).
    fn new(of: Vec<u32>, locations: usize) -> Self {
        let mut starts = vec![0; locations + 1];
        for location in &of {
            starts[*location as usize + 1] += 1;
        }
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
            locations: of,
            starts,
            ranks,
            free: vec![0; locations],
            open: Vec::new(),
        }
    }

    /// Sorts the ranks of an ordering by their routers.
    pub fn by_router(context: &AllocatorContext<'_>) -> Self {
        let routers = context.topology.network().routers() as usize;
        RanksByLocation::new(context.distances.routers_by_rank().to_vec(), routers)
    }

    /// Returns the number of locations.
    pub fn location_count(&self) -> usize {
        self.free.len()
    }

    /// Looks up the location of a rank.
    pub fn location_of(&self, rank: u32) -> u32 {
        self.locations[rank as usize]
    }

    /// Lists all ranks of a location, free or not, ascending.
    pub fn ranks_at(&self, location: u32) -> &[u32] {
        let location = location as usize;
        &self.ranks[self.starts[location] as usize..self.starts[location + 1] as usize]
    }

    /// Counts the free ranks of every location. O(size/64 + free).
    pub fn load_free(&mut self, free: &FreeSet) {
        // Only what was counted last is cleared: a full machine has few open locations.
        for open in self.open.drain(..) {
            self.free[open.location as usize] = 0;
        }
        for rank in free.iter() {
            let location = self.locations[rank as usize];
            if self.free[location as usize] == 0 {
                self.open.push(OpenLocation { rank, location });
            }
            self.free[location as usize] += 1;
        }
    }

    /// Looks up the number of free ranks of a location.
    pub fn free_count(&self, location: u32) -> u32 {
        self.free[location as usize]
    }
}

/// The cells of a machine's lattice, along the axes of more than one cell.
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
    /// Number of cells along it, at least 2.
    pub extent: u32,
    /// Whether the axis is a ring.
    pub wrap: bool,
    /// Difference of the numbers of two cells that are next to each other along it.
    pub stride: u32,
}

impl CellAxis {
    /// Computes the coordinate of a cell along the axis.
    pub fn coordinate_of(&self, cell: u32) -> u32 {
        cell / self.stride % self.extent
    }

    /// Counts the steps between two coordinates, the short way round on a ring.
    pub fn steps_between(&self, a: u32, b: u32) -> u32 {
        let apart = a.abs_diff(b);
        if self.wrap {
            apart.min(self.extent - apart)
        } else {
            apart
        }
    }
}

impl Cells {
    /// Lists the cells of the topology's lattice; `location` is the allocator's, for errors.
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
        let cell_of_rank = match &lattice.cells {
            Some(cells) => context
                .order
                .nodes()
                .iter()
                .map(|n| cells[n.index()])
                .collect(),
            None => context.distances.routers_by_rank().to_vec(),
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
            locations: RanksByLocation::new(cell_of_rank, lattice.cell_count()),
        })
    }

    /// Finds the largest number of ranks that a cell has.
    pub fn max_ranks_in_cell(&self) -> u32 {
        let cells = 0..self.locations.location_count() as u32;
        cells
            .map(|cell| self.locations.ranks_at(cell).len() as u32)
            .max()
            .unwrap_or(0)
    }
}

//! The multiple buddy strategy.

use super::entry::{Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice};
use nodeorder_base::{FreeSet, Ranks, Result, SourceLocation};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::ranks_by_location::Cells;

/// `mbs`: the Multiple Buddy Strategy, on lattices of any dimension and several nodes a cell.
///
/// Blocks are cubes of side 2^i whose coordinates are multiples of 2^i and that lie wholly in the lattice,
/// down to single cells, and below those single nodes. A cube's halves in all directions are its buddies. (The
/// largest cubes are the initial blocks that the source cuts a mesh of any size into; rings do not matter, and
/// axes of one cell do not count.) A block is free when it is complete, that is holds as many ranks as cells of
/// the fullest kind would, and all of them are free, and it is in no larger free block. Free nodes in no free
/// block are on offer as single nodes: those of cells that are taken or left out in part.
///
/// A job takes the largest blocks that do not exceed what it still needs, down to single nodes: of every size
/// the free block that holds the lowest rank; where none is left, the smallest larger one is split, again the
/// one that holds the lowest rank; where there is no larger one, the next smaller size serves.
///
/// The source keeps lists of blocks and joins buddies when both are returned; these lists depend only on what
/// is free, so they are made anew for each job. O(size/64 + free + cells) and O(log blocks) for each block used or
/// split. Errors: a topology without coordinates.
///
/// # References
/// Lo, Windisch, Liu, Nitzberg, "Noncontiguous processor allocation algorithms for mesh-connected
/// multicomputers", 1997, section 4.2.
pub const MBS: AllocatorEntry = AllocatorEntry::plain(
    "mbs",
    "power-of-two cubes of free nodes, the largest that fit first",
    |params| {
        Ok(Box::new(MbsOptions {
            location: params.location().clone(),
        }))
    },
);

struct MbsOptions {
    /// Text that asks for the allocator, for messages.
    location: SourceLocation,
}

impl BuildAllocator for MbsOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let cells = Cells::new(self.location.clone(), context)?;
        Ok(Box::new(Mbs {
            levels: list_levels(&cells),
            cells,
            nodes: BinaryHeap::new(),
        }))
    }
}

/// The blocks of a lattice, with those that are on offer.
struct Mbs {
    cells: Cells,
    /// Blocks by size: single cells, then cubes of side 2, 4, ….
    levels: Vec<BuddyLevel>,
    /// Single nodes on offer.
    nodes: BinaryHeap<Reverse<u32>>,
}

/// The cubes of one side.
struct BuddyLevel {
    /// Number of ranks of a complete block.
    size: u64,
    /// By block: its lowest rank; [`INCOMPLETE`] if it is not complete.
    lowest: Vec<u32>,
    /// By block: the block of the next level that it is part of, or [`NONE`].
    parent: Vec<u32>,
    /// Blocks of the level below, block by block: the same number for each block.
    children: Vec<u32>,
    /// By block: number of free ranks.
    free: Vec<u32>,
    /// Blocks on offer, as lowest rank and block.
    offer: BinaryHeap<Reverse<(u32, u32)>>,
}

/// Parent of a block that is part of no larger one.
const NONE: u32 = u32::MAX;

/// Lowest rank of a block that is not complete.
const INCOMPLETE: u32 = u32::MAX;

/// Lists all blocks by level, complete or not.
fn list_levels(cells: &Cells) -> Vec<BuddyLevel> {
    let full = cells.max_ranks_in_cell();
    let mut lowest = Vec::new();
    for cell in 0..cells.locations.location_count() as u32 {
        lowest.push(match cells.locations.ranks_at(cell) {
            ranks if ranks.len() as u32 == full => ranks[0],
            _ => INCOMPLETE,
        });
    }
    let mut levels = vec![BuddyLevel::new(u64::from(full), lowest, Vec::new())];
    let mut extents: Vec<u32> = cells.axes.iter().map(|axis| axis.extent).collect();
    // A lattice without axes, a single cell, has no halves.
    while !extents.is_empty() && extents.iter().all(|extent| *extent >= 2) {
        let halves: Vec<u32> = extents.iter().map(|extent| extent / 2).collect();
        let below = levels.len() - 1;
        let blocks = halves
            .iter()
            .map(|extent| *extent as usize)
            .product::<usize>();
        let parts = 1usize << extents.len();
        let mut children = Vec::with_capacity(blocks * parts);
        let mut lowest = Vec::with_capacity(blocks);
        for block in 0..blocks as u32 {
            // Numbers of blocks are row-major at each level, so that a block's parts are found by its coordinates.
            let first = children.len();
            for part in 0..parts as u32 {
                // Row-major in both boxes; bit i of `part` is the half along axis i from the end.
                let mut rest = block;
                let mut child = 0u32;
                let mut stride = 1u32;
                for (i, (half, extent)) in halves.iter().zip(&extents).rev().enumerate() {
                    // `i` counts axes from the last.
                    child += (2 * (rest % half) + (part >> i & 1)) * stride;
                    rest /= half;
                    stride *= extent;
                }
                children.push(child);
                levels[below].parent[child as usize] = block;
            }
            let parts = children[first..].iter();
            let lows = parts.map(|child| levels[below].lowest[*child as usize]);
            // One part that is not complete makes the block incomplete.
            let complete = lows.clone().all(|low| low != INCOMPLETE);
            let low = lows.min().unwrap_or(INCOMPLETE);
            lowest.push(if complete { low } else { INCOMPLETE });
        }
        let size = levels[below].size * parts as u64;
        levels.push(BuddyLevel::new(size, lowest, children));
        extents = halves;
    }
    levels
}

impl BuddyLevel {
    /// Creates a level with nothing free yet.
    fn new(size: u64, lowest: Vec<u32>, children: Vec<u32>) -> Self {
        let blocks = lowest.len();
        BuddyLevel {
            size,
            lowest,
            parent: vec![NONE; blocks],
            children,
            free: vec![0; blocks],
            offer: BinaryHeap::new(),
        }
    }

    /// Checks whether a block is complete and wholly free.
    fn is_free(&self, block: u32) -> bool {
        self.lowest[block as usize] != INCOMPLETE
            && u64::from(self.free[block as usize]) == self.size
    }

    /// Puts a block on offer.
    fn offer_block(&mut self, block: u32) {
        self.offer
            .push(Reverse((self.lowest[block as usize], block)));
    }
}

impl Mbs {
    /// Takes over the free ranks: counts them block by block, and offers the largest free blocks.
    fn load_free(&mut self, free: &FreeSet) {
        self.cells.locations.load_free(free);
        self.nodes.clear();
        for level in &mut self.levels {
            level.free.fill(0);
            level.offer.clear();
        }
        self.levels[0]
            .free
            .copy_from_slice(&self.cells.locations.free);
        for i in 0..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(i + 1);
            let level = &mut below[i];
            if let Some(above) = above.first_mut() {
                for (parent, free) in level.parent.iter().zip(&level.free) {
                    if *parent != NONE {
                        above.free[*parent as usize] += free;
                    }
                }
            }
            // What lies in a larger free block is offered as part of that.
            let above = above.first();
            for block in 0..level.parent.len() as u32 {
                let parent = level.parent[block as usize];
                let whole = above.is_some_and(|above| parent != NONE && above.is_free(parent));
                if level.is_free(block) && !whole {
                    level.offer_block(block);
                }
            }
        }
        for open in &self.cells.locations.open {
            if !self.levels[0].is_free(open.location) {
                let ranks = self.cells.locations.ranks_at(open.location).iter().copied();
                let open = ranks.filter(|rank| free.is_free(*rank));
                self.nodes.extend(open.map(Reverse));
            }
        }
    }

    /// Takes a free block of level `at` off the offer, split from a larger one if need be; `None` if there is none.
    fn take_offered_block(&mut self, at: usize) -> Option<u32> {
        let mut from = (at..self.levels.len()).find(|i| !self.levels[*i].offer.is_empty())?;
        loop {
            let Reverse((_, block)) = self.levels[from].offer.pop()?;
            if from == at {
                return Some(block);
            }
            let (below, level) = self.levels.split_at_mut(from);
            from -= 1;
            let parts = (level[0].size / below[from].size) as usize;
            let children = &level[0].children[block as usize * parts..][..parts];
            children
                .iter()
                .for_each(|child| below[from].offer_block(*child));
        }
    }

    /// Gives all ranks of a block to the job.
    fn give_ranks(&self, level: usize, block: u32, chosen: &mut Ranks) {
        if level == 0 {
            return chosen.push_ranks(self.cells.locations.ranks_at(block));
        }
        let parts = (self.levels[level].size / self.levels[level - 1].size) as usize;
        for child in &self.levels[level].children[block as usize * parts..][..parts] {
            self.give_ranks(level - 1, *child, chosen);
        }
    }
}

impl Allocator for Mbs {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        self.load_free(free);
        let mut left = u64::from(count);
        for level in (0..self.levels.len()).rev() {
            while self.levels[level].size <= left {
                let Some(block) = self.take_offered_block(level) else {
                    break;
                };
                self.give_ranks(level, block, chosen);
                left -= self.levels[level].size;
            }
        }
        // What is left is less than a cell, or no free cell is left.
        while left > 0 {
            if self.nodes.is_empty() {
                let Some(cell) = self.take_offered_block(0) else {
                    break;
                };
                let ranks = self.cells.locations.ranks_at(cell);
                self.nodes.extend(ranks.iter().copied().map(Reverse));
            }
            let Some(Reverse(rank)) = self.nodes.pop() else {
                break;
            };
            chosen.push_rank(rank);
            left -= 1;
        }
        Choice::Placed
    }
}

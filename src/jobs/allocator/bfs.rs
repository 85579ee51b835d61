//! Breadth-first over free nodes.

use super::components::FreeSearch;
use super::entry::{Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice};
use nodeorder_base::{FreeSet, Opt, Ranks, Result};

/// `bfs[:contiguous]`: the free nodes that a breadth-first search reaches first. It starts at the lowest free rank
/// and goes from free node to free node: nodes of one router are neighbours, and so are nodes on linked routers;
/// neighbours are visited in rank order. Where no more can be reached it goes on at the lowest free rank left.
///
/// With `contiguous` all nodes are those of one search: a connected set of free nodes that is too small is
/// passed over, and where all are, the answer is *not now*: the job waits, as in the source. A job is placed
/// wherever some connected set is large enough.
///
/// # Limits
/// On networks whose switches carry no nodes, such as fat trees, only nodes of one router are neighbours. O(nodes
/// reached · degree), sorting neighbours aside.
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", Algorithm 2.
pub const BFS: AllocatorEntry = AllocatorEntry::new(
    "bfs",
    "breadth-first over free neighbours from the lowest free rank on; bfs:contiguous waits for one piece",
    &[Opt::one_of(
        "pieces",
        &["any", "contiguous"],
        "contiguous: the job waits until a connected set of free nodes holds it",
    )
    .positional()],
    |params| {
        Ok(Box::new(BfsOptions {
            contiguous: params.required_choice("pieces")? == "contiguous",
        }))
    },
);

struct BfsOptions {
    /// Whether a job waits for one connected set.
    contiguous: bool,
}

impl BuildAllocator for BfsOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        Ok(Box::new(Bfs {
            contiguous: self.contiguous,
            search: FreeSearch::new(context)?,
        }))
    }
}

/// The search, and whether a job's nodes must be one connected set.
struct Bfs<'a> {
    /// Whether a job waits for one connected set.
    contiguous: bool,
    search: FreeSearch<'a>,
}

impl Allocator for Bfs<'_> {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        let count = count as usize;
        let mut first = 0;
        let mut from = 0;
        let mut answer = Choice::Placed;
        while self.search.met.len() < first + count {
            // What was met so far is a piece that is too small.
            if self.contiguous {
                first = self.search.met.len();
            }
            let Some(start) = self.search.start_search(free, from) else {
                answer = Choice::NotNow("no connected set of free nodes is large enough".into());
                break;
            };
            from = start + 1;
            self.search.grow_to(free, first + count);
        }
        if answer.is_placed() {
            chosen.push_ranks(&self.search.met[first..][..count]);
        }
        self.search.clear_search();
        answer
    }

    fn may_refuse(&self) -> bool {
        self.contiguous
    }
}

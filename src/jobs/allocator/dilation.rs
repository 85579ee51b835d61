//! A mesh of processes, embedded with the least dilation that a bounded search finds.

use super::entry::{Allocator, AllocatorContext, AllocatorEntry, BuildAllocator, Choice};
use nodeorder_base::{FreeSet, Opt, Ranks, Result};
use std::collections::HashMap;

use super::guest_mesh::GuestMesh;
use super::reach::ReachableRanks;
use super::recent::CachedAllocator;

/// `dilation[:max=D,guest=2d|3d]`: the job's guest mesh is embedded into the free nodes so that processes next to
/// each other in the mesh are at most d hops apart, for d = 1, 2, … until that is found; at the machine's diameter
/// anything will do, and the lowest free ranks are taken. With `max=D` the answer is *not now* where nothing is
/// found up to d = D: `max=1` is the source's regular mapping, whose jobs wait.
///
/// The guest is the box of exactly n processes with three axes beside `max=`, else with as many as the host's
/// coordinates have of more than one cell (two where there are none), or as many as `guest=` says; of least sum of
/// sides, of those the one of least largest side, and so on; sides descend. A prime number of processes so makes
/// a path, as it does with `MPI_Dims_create`.
///
/// The search for one d: every free node in rank order stands for process 0; the processes follow in row-major
/// order, each on the lowest free rank within d hops of all its neighbours that are placed; where there is
/// none, the last one placed moves on to its next rank. Starts from which fewer than n free nodes can be
/// reached in steps of d hops are left out. A start is given up after 2n + 1000 placements of processes, and d
/// after 8n + 20000: the dilation found may then be larger than the least. (The source does not say how it
/// searches.) With `max=` a job may so wait although there is a place that the bounded search does not find.
/// O(diameter · (8n + 20000)) placements at most; one costs a few operations for every 64 ranks among which some are
/// free within d hops. Where a process has no rank whichever the one before it takes, the ranks of that one are
/// counted as tried, without a trial. So are twins: a rank next after one that was tried in vain, among the free ones
/// that carry no process, and on the same router. All that can follow is the same there, and costs as many
/// placements. The ranks near a router are kept as bits from call to call, while they fit, and so are the last
/// choices without `max=` ([`CachedAllocator`]).
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", Algorithm 1 and section III.A.
pub const DILATION: AllocatorEntry = AllocatorEntry::new(
    "dilation",
    "the job as a mesh, neighbours within the fewest hops a bounded search finds; dilation:max=1 waits",
    &[
        Opt::whole(
            "max",
            "hops between neighbours at most; a job waits where no such mesh is found",
        )
        .default_in_words("none: any free ranks at last"),
        Opt::one_of("guest", &["2d", "3d"], "axes of the job's mesh")
            .default_in_words("3d beside max=, else the axes of the machine's coordinates"),
    ],
    |params| {
        let max = params.optional_integer("max", 1, u32::MAX)?;
        let axes = match params.optional_choice("guest")? {
            Some("2d") => Some(2),
            Some(_) => Some(3),
            None => max.map(|_| 3),
        };
        Ok(Box::new(DilationOptions { max, axes }))
    },
);

struct DilationOptions {
    /// Largest number of hops between neighbours; `None` if a job waits for no mesh.
    max: Option<u32>,
    /// Number of axes of the guest; `None` for as many as the machine has.
    axes: Option<usize>,
}

impl BuildAllocator for DilationOptions {
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        let lattice = context.topology.lattice();
        let axes = self.axes.unwrap_or_else(|| match lattice {
            Some(lattice) => lattice.extents.iter().filter(|n| **n > 1).count().max(1),
            None => 2,
        });
        let dilation = Dilation {
            diameter: context.topology.statistics()?.diameter,
            max: self.max,
            axes,
            reach: ReachableRanks::new(context)?,
            placed: Vec::new(),
            next: Vec::new(),
            left: Vec::new(),
            neighbours: Vec::new(),
            guests: HashMap::new(),
            processes: 0,
        };
        if self.max.is_some() {
            return Ok(Box::new(dilation));
        }
        Ok(Box::new(CachedAllocator::new(dilation)))
    }
}

/// Number of processes of guests that are kept; beyond that all are made anew.
const PROCESSES: u32 = 1 << 20;

/// The search for an embedding, and the guests embedded so far.
struct Dilation<'a> {
    /// Largest number of hops between two routers.
    diameter: u32,
    /// As [`DilationOptions::max`].
    max: Option<u32>,
    /// Number of axes of guests.
    axes: usize,
    reach: ReachableRanks<'a>,
    /// By process placed: its rank.
    placed: Vec<u32>,
    /// By process placed: the rank from which on the process after it is tried next.
    next: Vec<u32>,
    /// By process placed: number of placements that were still allowed before it was placed.
    left: Vec<u64>,
    /// Ranks of the placed neighbours of the process that is looked at; a buffer.
    neighbours: Vec<u32>,
    /// By size: the guest.
    guests: HashMap<u32, GuestMesh>,
    /// Number of processes of all guests in `guests`.
    processes: u32,
}

impl Dilation<'_> {
    /// Tries to place all processes with `hops` between neighbours; they are then in `placed`.
    fn embed_guest(&mut self, free: &FreeSet, guest: &GuestMesh, hops: u32) -> bool {
        self.reach.set_hops(hops);
        let count = u64::from(guest.count);
        let mut effort = 8 * count + 20_000;
        // The start before, and what it cost in vain.
        let mut before = None;
        for start in free.iter() {
            if effort == 0 {
                return false;
            }
            // Too few nodes within steps: no search, and nothing learnt of the twins that follow.
            if !self.reach.can_reach(free, start, guest.count) {
                before = None;
                continue;
            }
            let cost = match before {
                Some((rank, cost)) if self.reach.next_on_router(rank) == Some(start) => {
                    effort.min(cost)
                }
                _ => {
                    let allowed = effort.min(2 * count + 1000);
                    let mut left = allowed;
                    if self.complete_from(guest, start, &mut left) {
                        return true;
                    }
                    allowed - left
                }
            };
            effort -= cost;
            before = Some((start, cost));
        }
        false
    }

    /// Tries to place all processes with process 0 on `start` and at most `left` placements, which it counts down.
    fn complete_from(&mut self, guest: &GuestMesh, start: u32, left: &mut u64) -> bool {
        self.placed.clear();
        self.next.clear();
        self.left.clear();
        self.place_next(start, left);
        while self.placed.len() < guest.count as usize {
            let process = self.placed.len();
            match self.next_candidate(guest, process) {
                Some(_) if *left == 0 => break,
                Some(rank) => self.place_next(rank, left),
                None => {
                    if !self.take_back(left) {
                        break;
                    }
                    // Whatever the one before takes next, this process finds nothing: those ranks count as tried.
                    if process > 1 && self.is_stuck(guest, process) {
                        let tried = self.count_untried(guest, process - 1);
                        if tried > *left {
                            *left = 0;
                            break;
                        }
                        *left -= tried;
                        if !self.take_back(left) {
                            break;
                        }
                    }
                    if self.placed.is_empty() {
                        return false;
                    }
                }
            }
        }
        for rank in &self.placed {
            self.reach.give_rank(*rank);
        }
        self.placed.len() == guest.count as usize
    }

    /// Places the next process on a rank.
    fn place_next(&mut self, rank: u32, left: &mut u64) {
        self.left.push(*left);
        *left -= 1;
        self.reach.take_rank(rank);
        self.placed.push(rank);
        self.next.push(0);
    }

    /// Takes back the last process placed, in vain, and counts its twins as tried: the ranks that come next among
    /// those not taken and are on the same router. With one of them in its place all that could follow is the
    /// same, rank by rank and in the same order, and so costs as much. Returns whether the placements left
    /// suffice for that.
    fn take_back(&mut self, left: &mut u64) -> bool {
        self.next.pop();
        let (Some(mut rank), Some(before)) = (self.placed.pop(), self.left.pop()) else {
            return true;
        };
        self.reach.give_rank(rank);
        let cost = before - *left;
        // The starts are counted by the caller.
        let Some(next) = self.next.last_mut() else {
            return true;
        };
        while let Some(twin) = self.reach.next_on_router(rank) {
            if cost > *left {
                *left = 0;
                return false;
            }
            *left -= cost;
            *next = twin + 1;
            rank = twin;
        }
        true
    }

    /// Finds the next rank for the process after those placed; `None` if there is none.
    fn next_candidate(&mut self, guest: &GuestMesh, process: usize) -> Option<u32> {
        let from = *self.next.last()?;
        self.collect_neighbours(guest, process);
        let found = self.reach.first_in_reach(&self.neighbours, from)?;
        *self.next.last_mut()? = found + 1;
        Some(found)
    }

    /// Checks whether `process` has neighbours that are placed, and no rank within reach of them.
    fn is_stuck(&mut self, guest: &GuestMesh, process: usize) -> bool {
        self.collect_neighbours(guest, process);
        !self.neighbours.is_empty() && self.reach.first_in_reach(&self.neighbours, 0).is_none()
    }

    /// Counts the ranks that are yet to be tried for the process after those placed.
    fn count_untried(&mut self, guest: &GuestMesh, process: usize) -> u64 {
        let from = self.next.last().copied().unwrap_or(0);
        self.collect_neighbours(guest, process);
        self.reach.count_in_reach(&self.neighbours, from)
    }

    /// Collects the ranks of the placed neighbours of `process` that come before it in `neighbours`.
    fn collect_neighbours(&mut self, guest: &GuestMesh, process: usize) {
        let placed = guest
            .earlier_neighbours(process)
            .iter()
            .filter_map(|p| self.placed.get(*p as usize));
        self.neighbours.clear();
        self.neighbours.extend(placed);
    }

    /// Searches for 1, 2, … hops below `searched`; the guest is then in `placed`.
    fn search_hops(&mut self, free: &FreeSet, guest: &GuestMesh, searched: u32) -> bool {
        self.reach.load_free(free);
        (1..searched).any(|hops| self.embed_guest(free, guest, hops))
    }
}

impl Allocator for Dilation<'_> {
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        if count == 1 {
            free.copy_lowest(1, chosen);
            return Choice::Placed;
        }
        let guest = self.guests.remove(&count);
        let guest = guest.unwrap_or_else(|| {
            if self.processes > PROCESSES {
                self.guests.clear();
                self.processes = 0;
            }
            self.processes += count;
            GuestMesh::new(count, self.axes)
        });
        // At the diameter any ranks will do.
        let searched = self
            .max
            .map_or(self.diameter, |max| max.min(self.diameter.max(1)) + 1);
        let found = self.search_hops(free, &guest, searched);
        self.guests.insert(count, guest);
        if found {
            chosen.push_ranks(&self.placed);
            return Choice::Placed;
        }
        if let Some(max) = self.max {
            let hops = if max == 1 { "hop" } else { "hops" };
            let mesh = format!("no free mesh with neighbours at most {max} {hops} apart was found");
            return Choice::NotNow(mesh.into());
        }
        // Up to one hop below the diameter nothing was found: at the diameter any ranks are an embedding.
        free.copy_lowest(count, chosen);
        Choice::Placed
    }

    fn may_refuse(&self) -> bool {
        self.max.is_some()
    }
}

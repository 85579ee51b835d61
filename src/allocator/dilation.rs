//! A mesh of processes, embedded with the least dilation that a bounded search finds.

use super::near::Near;
use super::{Allocator, AllocatorEntry, Choice};
use crate::params::Opt;
use crate::ranks::{FreeSet, Ranks};

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
///
/// # Complexity
/// O(diameter · (8n + 20000)) placements at most; one costs a few operations for every 64 ranks among which some are
/// free within d hops. Where a process has no rank whichever the one before it takes, the ranks of that one are
/// counted as tried, without a trial.
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", Algorithm 1 and section III.A.
pub(super) const DILATION: AllocatorEntry = AllocatorEntry {
    name: "dilation",
    about: "the job as a mesh, neighbours within the fewest hops a bounded search finds; dilation:max=1 waits",
    example: "dilation",
    options: &[
        Opt::whole(
            "max",
            "hops between neighbours at most; a job waits where no such mesh is found",
        )
        .or_else("none: any free ranks at last"),
        Opt::one_of("guest", &["2d", "3d"], "axes of the job's mesh")
            .or_else("3d beside max=, else the axes of the machine's coordinates"),
    ],
    build: |params, context| {
        let near = Near::new(context)?;
        let max = params.integer("max", 1, u32::MAX)?;
        let axes = match params.chosen("guest")? {
            Some("2d") => 2,
            Some(_) => 3,
            None if max.is_some() => 3,
            None => context.topology.lattice().map_or(2, |lattice| {
                lattice.extents.iter().filter(|extent| **extent > 1).count().max(1)
            }),
        };
        let bytes = 16 * KEPT as u64 + 24 * near.locations.count() as u64;
        context.topology.require("lists of near ranks", bytes)?;
        Ok(Box::new(Dilation {
            diameter: context.topology.statistics()?.diameter,
            max,
            axes,
            lists: Lists {
                ranges: vec![None; near.locations.count()],
                known: Vec::new(),
                words: Vec::new(),
                bits: vec![0; context.distances.len().div_ceil(64) as usize],
                forgotten: 0,
                scope: vec![Scope::Unknown; near.locations.count()],
                scoped: Vec::new(),
                near,
            },
            used: vec![0; context.distances.len().div_ceil(64) as usize],
            placed: Vec::new(),
            next: Vec::new(),
            guest: Guest::default(),
            sets: Vec::new(),
        }))
    },
};

/// Words of sets of near ranks that are kept; beyond that they are forgotten and made again.
const KEPT: usize = 1 << 22;

struct Dilation<'a> {
    diameter: u32,
    /// The most hops between neighbours, where a job waits for that.
    max: Option<u32>,
    axes: usize,
    lists: Lists<'a>,
    /// Ranks that carry a process, a bit each; none between calls.
    used: Vec<u64>,
    /// The rank of each process placed.
    placed: Vec<u32>,
    /// From which rank on the process after each goes on.
    next: Vec<u32>,
    guest: Guest,
    /// Sets that a process must be in, as parts of [`Lists::words`].
    sets: Vec<(u32, u32)>,
}

/// A mesh of processes in row-major order.
#[derive(Debug, Default)]
struct Guest {
    count: u32,
    /// The neighbours of process p that come before it, farthest first: `before[starts[p]..starts[p + 1]]`.
    starts: Vec<u32>,
    before: Vec<u32>,
}

impl Guest {
    fn new(count: u32, axes: usize) -> Self {
        // Extent and stride of each axis, slowest first.
        let mut stride = 1;
        let mut axes: Vec<(u32, u32)> = sides(count, axes)
            .into_iter()
            .rev()
            .map(|side| {
                stride *= side;
                (side, stride / side)
            })
            .collect();
        axes.reverse();
        let mut guest = Guest { count, starts: vec![0], before: Vec::new() };
        for process in 0..count {
            let there = |(side, stride): &&(u32, u32)| !(process / stride).is_multiple_of(*side);
            guest.before.extend(axes.iter().filter(there).map(|(_, stride)| process - stride));
            guest.starts.push(guest.before.len() as u32);
        }
        guest
    }

    /// The neighbours of a process that come before it, farthest first.
    fn before(&self, process: usize) -> &[u32] {
        &self.before[self.starts[process] as usize..self.starts[process + 1] as usize]
    }
}

/// The box of `count` cells with `axes` sides of least sum, then of least largest side, and so on; descending,
/// without sides of 1.
fn sides(count: u32, axes: usize) -> Vec<u32> {
    let mut best = (u64::MAX, Vec::new());
    compact(count, axes, count, &mut Vec::new(), &mut best);
    best.1
}

/// Goes on from the sides `so_far` with `axes` more of at most `most` for the `rest`, shortest first.
fn compact(rest: u32, axes: usize, most: u32, so_far: &mut Vec<u32>, best: &mut (u64, Vec<u32>)) {
    // The sides to come are at least 1 each.
    let sum = so_far.iter().map(|side| u64::from(*side)).sum::<u64>() + axes as u64;
    if sum >= best.0 {
        return;
    }
    if rest == 1 {
        *best = (sum, so_far.clone());
        return;
    }
    // None of them is longer than this one, and they must hold what is left.
    let holds = |side: u32| {
        u64::from(side).checked_pow(axes as u32).is_none_or(|cells| cells >= u64::from(rest))
    };
    for side in divisors(rest).into_iter().filter(|side| *side > 1 && *side <= most) {
        if holds(side) && axes > 0 {
            so_far.push(side);
            compact(rest / side, axes - 1, side, so_far, best);
            so_far.pop();
        }
    }
}

/// Ascending. O(√n).
fn divisors(n: u32) -> Vec<u32> {
    let small: Vec<u32> = (1..).take_while(|d| u64::from(*d).pow(2) <= u64::from(n)).collect();
    let small: Vec<u32> = small.into_iter().filter(|d| n.is_multiple_of(*d)).collect();
    let large = small.iter().rev().map(|d| n / d).filter(|d| !small.contains(d));
    small.iter().copied().chain(large.collect::<Vec<_>>()).collect()
}

/// For one dilation: the free ranks within so many hops of a router, made when asked for and kept.
struct Lists<'a> {
    near: Near<'a>,
    ranges: Vec<Option<(u32, u32)>>,
    /// Routers with a set.
    known: Vec<u32>,
    /// Sets of ranks: the words that are not empty, ascending, each with its bits.
    words: Vec<(u32, u64)>,
    /// A bit for each rank; none is set between calls.
    bits: Vec<u64>,
    /// How often sets were forgotten.
    forgotten: u64,
    scope: Vec<Scope>,
    /// Routers whose scope is known.
    scoped: Vec<u32>,
}

/// Whether enough free nodes can be reached from a router.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Unknown,
    Enough,
    Small,
}

impl Lists<'_> {
    fn clear(&mut self) {
        self.forget();
        self.scoped.drain(..).for_each(|router| self.scope[router as usize] = Scope::Unknown);
    }

    fn forget(&mut self) {
        self.known.drain(..).for_each(|router| self.ranges[router as usize] = None);
        self.words.clear();
        self.forgotten += 1;
    }

    /// Where in `words` the free ranks within `hops` of `rank` are, itself among them.
    fn around(&mut self, free: &FreeSet, rank: u32, hops: u32) -> (u32, u32) {
        let router = self.near.locations.of(rank);
        if let Some(range) = self.ranges[router as usize] {
            return range;
        }
        if self.words.len() + free.len() as usize > KEPT {
            self.forget();
        }
        let first = self.words.len();
        self.near.around(rank, hops, u32::MAX);
        let (mut low, mut high) = (usize::MAX, 0);
        for (_, near) in self.near.found() {
            for rank in self.near.locations.ranks(*near).iter().filter(|r| free.contains(**r)) {
                let word = *rank as usize / 64;
                self.bits[word] |= 1 << (rank % 64);
                (low, high) = (low.min(word), high.max(word + 1));
            }
        }
        for word in low..high {
            let bits = std::mem::take(&mut self.bits[word]);
            if bits != 0 {
                self.words.push((word as u32, bits));
            }
        }
        let range = (first as u32, self.words.len() as u32);
        self.ranges[router as usize] = Some(range);
        self.known.push(router);
        range
    }

    /// Whether `count` free nodes can be reached from `rank` in steps of `hops`. Amortised over one dilation:
    /// O(free nodes and the lists of their routers).
    fn enough(&mut self, free: &FreeSet, rank: u32, hops: u32, count: u32) -> bool {
        let start = self.near.locations.of(rank);
        if self.scope[start as usize] != Scope::Unknown {
            return self.scope[start as usize] == Scope::Enough;
        }
        let first = self.scoped.len();
        // Small until proved otherwise, which also marks the routers as met.
        self.scope[start as usize] = Scope::Small;
        self.scoped.push(start);
        let (mut at, mut reached) = (first, 0);
        let mut enough = false;
        while let (false, Some(router)) = (enough, self.scoped.get(at).copied()) {
            at += 1;
            reached += self.near.locations.free(router);
            enough = reached >= count;
            let of = self.near.locations.ranks(router)[0];
            let (from, end) = self.around(free, of, hops);
            for (word, bits) in &self.words[from as usize..end as usize] {
                let mut bits = *bits;
                while bits != 0 {
                    let next = self.near.locations.of(64 * word + bits.trailing_zeros());
                    bits &= bits - 1;
                    let scope = &mut self.scope[next as usize];
                    if *scope == Scope::Unknown {
                        *scope = Scope::Small;
                        self.scoped.push(next);
                    }
                    // Only those met earlier can be known to have enough.
                    enough |= *scope == Scope::Enough;
                }
            }
        }
        if enough {
            let met = &self.scoped[first..];
            met.iter().for_each(|router| self.scope[*router as usize] = Scope::Enough);
        }
        enough
    }
}

impl Dilation<'_> {
    /// Tries to place all processes with `hops` between neighbours; they are then in `placed`.
    fn embed(&mut self, free: &FreeSet, count: u32, hops: u32) -> bool {
        self.lists.clear();
        let mut effort = 8 * u64::from(count) + 20_000;
        for start in free.iter() {
            if effort == 0 {
                return false;
            }
            if !self.lists.enough(free, start, hops, count) {
                continue;
            }
            let mut left = effort.min(2 * u64::from(count) + 1000);
            effort -= left;
            if self.complete(free, start, count, hops, &mut left) {
                return true;
            }
            effort += left;
        }
        false
    }

    /// As [`Dilation::embed`], with process 0 on `start` and at most `left` placements, which it counts down.
    fn complete(
        &mut self,
        free: &FreeSet,
        start: u32,
        count: u32,
        hops: u32,
        left: &mut u64,
    ) -> bool {
        self.placed.clear();
        self.next.clear();
        self.place(start, left);
        while self.placed.len() < count as usize {
            let process = self.placed.len();
            match self.candidate(free, process, hops) {
                Some(_) if *left == 0 => break,
                Some(rank) => self.place(rank, left),
                None => {
                    self.take_back();
                    // Whatever the one before it takes next, this process finds nothing.
                    if process > 1 && self.is_stuck(free, process, hops) {
                        let tried = self.untried(free, process - 1, hops);
                        if tried > *left {
                            *left = 0;
                            break;
                        }
                        *left -= tried;
                        self.take_back();
                    }
                    if self.placed.is_empty() {
                        return false;
                    }
                }
            }
        }
        for rank in &self.placed {
            self.used[*rank as usize / 64] &= !(1 << (rank % 64));
        }
        self.placed.len() == count as usize
    }

    fn place(&mut self, rank: u32, left: &mut u64) {
        *left -= 1;
        self.used[rank as usize / 64] |= 1 << (rank % 64);
        self.placed.push(rank);
        self.next.push(0);
    }

    /// Takes back the last process placed.
    fn take_back(&mut self) {
        self.next.pop();
        if let Some(rank) = self.placed.pop() {
            self.used[rank as usize / 64] &= !(1 << (rank % 64));
        }
    }

    /// The next rank for the process after those placed.
    fn candidate(&mut self, free: &FreeSet, process: usize, hops: u32) -> Option<u32> {
        let from = *self.next.last()?;
        let mut found = None;
        self.common(free, process, hops, from, |word, bits| {
            found = Some(64 * word + bits.trailing_zeros());
            true
        });
        *self.next.last_mut()? = found? + 1;
        found
    }

    /// Whether there is no rank for `process` within reach of its neighbours, of those that are placed.
    fn is_stuck(&mut self, free: &FreeSet, process: usize, hops: u32) -> bool {
        let mut stuck = true;
        self.common(free, process, hops, 0, |_, _| {
            stuck = false;
            true
        });
        stuck
    }

    /// How many ranks there are yet for the process after those placed.
    fn untried(&mut self, free: &FreeSet, process: usize, hops: u32) -> u64 {
        let mut untried = 0;
        let from = self.next.last().copied().unwrap_or(0);
        self.common(free, process, hops, from, |_, bits| {
            untried += u64::from(bits.count_ones());
            false
        });
        untried
    }

    /// Visits the ranks from `from` on that carry nothing and are within `hops` of all neighbours of `process` that
    /// come before it and are placed, word by word, until told to stop. With no such neighbour it visits as if there was a rank.
    fn common(
        &mut self,
        free: &FreeSet,
        process: usize,
        hops: u32,
        from: u32,
        mut visit: impl FnMut(u32, u64) -> bool,
    ) {
        let placed = &self.placed;
        let before = self.guest.before(process).iter();
        let neighbours = before.filter_map(|p| placed.get(*p as usize));
        loop {
            let forgotten = self.lists.forgotten;
            self.sets.clear();
            self.sets.extend(neighbours.clone().map(|rank| self.lists.around(free, *rank, hops)));
            // What was forgotten between is made again, and then stands beside the others.
            if self.lists.forgotten == forgotten {
                break;
            }
        }
        let words = &self.lists.words;
        let first = from / 64;
        for (at, end) in &mut self.sets {
            let set = &words[*at as usize..*end as usize];
            *at += set.partition_point(|(word, _)| *word < first) as u32;
        }
        let shortest = (0..self.sets.len()).min_by_key(|i| self.sets[*i].1 - self.sets[*i].0);
        if let Some(shortest) = shortest {
            self.sets.swap(0, shortest);
        }
        let Some(((at, end), others)) = self.sets.split_first_mut() else {
            visit(0, 1);
            return;
        };
        for (word, bits) in &words[*at as usize..*end as usize] {
            let mut bits = bits & !self.used[*word as usize];
            if *word == first {
                bits &= u64::MAX << (from % 64);
            }
            for (at, end) in others.iter_mut() {
                while at < end && words[*at as usize].0 < *word {
                    *at += 1;
                }
                match words[..*end as usize].get(*at as usize) {
                    Some((there, theirs)) if there == word => bits &= theirs,
                    _ => bits = 0,
                }
            }
            if bits != 0 && visit(*word, bits) {
                return;
            }
        }
    }
}

impl Allocator for Dilation<'_> {
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice {
        if count == 1 {
            free.lowest(1, chosen);
            return Choice::Placed;
        }
        self.lists.near.load(free);
        if self.guest.count != count {
            self.guest = Guest::new(count, self.axes);
        }
        // At the diameter any ranks will do.
        let searched = self.max.map_or(self.diameter, |max| max.min(self.diameter.max(1)) + 1);
        for hops in 1..searched {
            if self.embed(free, count, hops) {
                self.placed.iter().for_each(|rank| chosen.push_rank(*rank));
                return Choice::Placed;
            }
        }
        if let Some(max) = self.max {
            let hops = if max == 1 { "hop" } else { "hops" };
            let mesh = format!("no free mesh with neighbours at most {max} {hops} apart was found");
            return Choice::NotNow(mesh.into());
        }
        free.lowest(count, chosen);
        Choice::Placed
    }

    fn may_refuse(&self) -> bool {
        self.max.is_some()
    }
}

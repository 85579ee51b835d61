//! topology/tree: the leaf switch with the fewest free nodes that has enough; else leaf switches below the smallest
//! switch that has enough, those with the most free nodes first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::rule::{Ask, Request, Rule, Sizes};
use crate::allocator::units::Units;
use nodeorder_base::ranks::FreeSet;

/// The switches of a cluster, in the order of the file.
#[derive(Debug)]
pub(super) struct Tree {
    parent: Vec<Option<usize>>,
    level: Vec<u32>,
    /// By switch: hops to its root.
    depth: Vec<u32>,
    /// By unit: its leaf switch, in the order of the file.
    leaves: Vec<usize>,
    units: Units,
    /// Free ranks at and below each switch, then only those that may be chosen.
    free: Vec<u32>,
    /// By leaf: sum of the hops to the leaves chosen so far.
    hops: Vec<u64>,
    /// Hops from the leaf chosen last up to each of the switches above it.
    up: Vec<Option<u32>>,
    /// Whether jobs without `switches` see no switches.
    pub optional: bool,
    /// Whether jobs are spread, with the weight of each rank (none: all alike).
    pub dragonfly: bool,
    pub weights: Vec<u32>,
}

impl Tree {
    /// Switches with their parents and, of leaves, ranks; `parent` has no circles.
    pub fn new(size: u32, parent: Vec<Option<usize>>, ranks: Vec<Vec<u32>>) -> Self {
        let count = parent.len();
        let (mut level, mut depth, mut inner) =
            (vec![0; count], vec![0; count], vec![false; count]);
        for (switch, depth) in depth.iter_mut().enumerate() {
            for (steps, above) in (0..).zip(above(&parent, switch)).skip(1) {
                (level[above], inner[above]) = (steps.max(level[above]), true);
                *depth = steps;
            }
        }
        let leaves: Vec<usize> = (0..count).filter(|switch| !inner[*switch]).collect();
        let units = leaves.iter().map(|leaf| ranks[*leaf].clone()).collect();
        Tree {
            free: vec![0; count],
            hops: vec![0; leaves.len()],
            up: vec![None; count],
            optional: false,
            dragonfly: false,
            weights: Vec::new(),
            units: Units::new(size, units),
            parent,
            level,
            depth,
            leaves,
        }
    }

    /// Compares leaves for `need` ranks, level by level upwards: whether `a` is better than `b`, and whether the switch
    /// at which this was decided has enough.
    fn better(&self, mut a: usize, mut b: usize, need: u32) -> (bool, bool) {
        loop {
            let fits = (self.free[a] >= need, self.free[b] >= need);
            match fits {
                (true, true) if self.free[a] != self.free[b] => {
                    return (self.free[a] < self.free[b], true);
                }
                (true, false) => return (true, true),
                (false, true) => return (false, false),
                (false, false) if self.parent[a] != self.parent[b] => {
                    match (self.parent[a], self.parent[b]) {
                        (Some(above), Some(other)) => (a, b) = (above, other),
                        (above, _) => return (above.is_some(), false),
                    }
                }
                _ => {
                    let key =
                        |switch: usize| (std::cmp::Reverse(self.free[switch]), self.level[switch]);
                    return (key(a) < key(b), fits.0);
                }
            }
        }
    }

    /// Number of the leaf to take ranks from next.
    fn next(&self, need: u32) -> Option<usize> {
        let open = (0..self.leaves.len()).filter(|leaf| self.free[self.leaves[*leaf]] > 0);
        open.reduce(|best, leaf| {
            let (better, fits) = self.better(self.leaves[leaf], self.leaves[best], need);
            let (here, there) = (self.hops[leaf], self.hops[best]);
            if (here < there && fits) || (here == there && better) {
                leaf
            } else {
                best
            }
        })
    }

    /// Adds the hops from a leaf to every leaf.
    fn move_away(&mut self, leaf: usize) {
        let from = self.leaves[leaf];
        let path: Vec<usize> = above(&self.parent, from).collect();
        for (steps, switch) in (0..).zip(&path) {
            self.up[*switch] = Some(steps);
        }
        for other in 0..self.leaves.len() {
            let meets = above(&self.parent, self.leaves[other]).enumerate();
            let met = meets
                .filter_map(|(down, at)| self.up[at].map(|up| up + down as u32))
                .next();
            self.hops[other] += u64::from(met.unwrap_or(0));
        }
        path.iter().for_each(|switch| self.up[*switch] = None);
    }
}

/// A switch and those above it.
fn above(parent: &[Option<usize>], switch: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(switch), |at| parent[*at])
}

impl Tree {
    /// The rule of `TopologyParam=Dragonfly`.
    fn spread(&self, ask: &Ask<'_>, chosen: &mut Vec<u32>) -> Result<(), &'static str> {
        let (
            Ask {
                free,
                count,
                request,
                ..
            },
            least,
        ) = (*ask, ask.least());
        let higher = |top: Option<usize>, switch: usize| match top {
            Some(top) if self.level[top] >= self.level[switch] => Some(top),
            _ => Some(switch),
        };
        let switches = (0..self.free.len()).filter(|switch| self.free[*switch] > 0);
        let Some(top) = switches.fold(None, higher) else {
            return Err(NO_ROOM);
        };
        let below = |leaf: &usize| above(&self.parent, self.leaves[*leaf]).any(|at| at == top);
        let leaves: Vec<usize> = (0..self.leaves.len()).filter(below).collect();
        let ranks = |leaf: usize| self.units.free_ranks(leaf, free);
        // Whole tiers of weights, until there are enough ranks.
        let mut tiers: BTreeMap<u32, u32> = BTreeMap::new();
        match self.weights.is_empty() {
            true => _ = tiers.insert(1, self.free[top]),
            false => leaves
                .iter()
                .flat_map(|leaf| ranks(*leaf))
                .for_each(|rank| *tiers.entry(self.weight(rank)).or_default() += 1),
        }
        let mut enough = 0;
        let last = tiers.into_iter().find_map(|(weight, count)| {
            enough += count;
            (enough >= least).then_some(weight)
        });
        let Some(last) = last else {
            return Err(NO_ROOM);
        };
        let of_tiers = |leaf: usize| ranks(leaf).filter(|rank| self.weight(*rank) < last);
        let mut open: Vec<_> = leaves
            .iter()
            .map(|leaf| {
                ranks(*leaf)
                    .filter(|rank| self.weight(*rank) == last)
                    .peekable()
            })
            .collect();
        let tiered = !self.weights.is_empty();
        let lighter = leaves.iter().filter(|_| tiered);
        lighter.for_each(|leaf| chosen.extend(of_tiers(*leaf)));
        let mut used: Vec<usize> = (0..leaves.len())
            .filter(|i| tiered && of_tiers(leaves[*i]).next().is_some())
            .collect();
        if used.is_empty() {
            let room = |i: &usize| match self.weights.is_empty() {
                true => self.units.free[leaves[*i]] as usize,
                false => open[*i].clone().count(),
            };
            used.extend((0..leaves.len()).max_by_key(|i| (room(i), Reverse(*i))));
        }
        let left = |chosen: &Vec<u32>| (count as usize).saturating_sub(chosen.len());
        if let [leaf] = used[..]
            && open[leaf].clone().count() + chosen.len() >= least as usize
        {
            let left = left(chosen);
            chosen.extend(open[leaf].by_ref().take(left));
        }
        while left(chosen) > 0 && open.iter_mut().any(|leaf| leaf.peek().is_some()) {
            let left = left(chosen);
            chosen.extend(open.iter_mut().filter_map(Iterator::next).take(left));
        }
        let leaf = |rank: &u32| self.units.of(*rank);
        let first = chosen.first().and_then(leaf);
        match request.switches {
            Some(1) if chosen.iter().any(|rank| leaf(rank) != first) => Err(TOO_MANY),
            _ => Ok(()),
        }
    }
}

const NO_ROOM: &str = "no switch has enough free nodes";
const TOO_MANY: &str = "too many leaf switches";

impl Rule for Tree {
    fn is_flat(&self, request: &Request) -> bool {
        self.optional && request.switches.is_none()
    }

    fn weight(&self, rank: u32) -> u32 {
        self.weights.get(rank as usize).copied().unwrap_or(1)
    }

    fn covered(&mut self, free: &FreeSet) -> u32 {
        self.units.count_free(free)
    }

    fn goes_outside(&self) -> bool {
        false
    }

    fn sizes(&self, request: &Request, most: u32) -> Vec<Sizes> {
        match request.switches {
            None => vec![Sizes::row(1, most)],
            // A smaller job may be put on more leaves than a larger one, so that each size stands alone.
            Some(_) => (1..=most).rev().map(|size| Sizes::row(size, 1)).collect(),
        }
    }

    fn pick(&mut self, ask: &Ask<'_>, chosen: &mut Vec<u32>) -> Result<(), &'static str> {
        if !self.dragonfly && ask.least() < ask.count {
            // As many nodes as can be had.
            let whole = Request {
                range: None,
                ..ask.request.clone()
            };
            let fits = |count: &u32| {
                chosen.clear();
                self.covered(ask.free);
                self.pick(
                    &Ask {
                        count: *count,
                        request: &whole,
                        ..*ask
                    },
                    chosen,
                )
                .is_ok()
            };
            return (ask.least()..=ask.count)
                .rev()
                .find(fits)
                .map(drop)
                .ok_or(NO_ROOM);
        }
        let Ask {
            free,
            count,
            request,
            ..
        } = *ask;
        self.free.fill(0);
        for leaf in 0..self.leaves.len() {
            for switch in above(&self.parent, self.leaves[leaf]) {
                self.free[switch] += self.units.free[leaf];
            }
        }
        if self.dragonfly {
            return self.spread(ask, chosen);
        }
        let mut top: Option<usize> = None;
        for switch in 0..self.free.len() {
            let higher = top.is_none_or(|top| self.level[switch] >= self.level[top]);
            if self.free[switch] >= count && higher {
                top = Some(switch);
            }
        }
        let Some(top) = top else { return Err(NO_ROOM) };
        // Leaves outside the top switch must not be taken: their free ranks count as none.
        for switch in 0..self.free.len() {
            if self.depth[switch] >= self.depth[top]
                && !above(&self.parent, switch).any(|at| at == top)
            {
                self.free[switch] = 0;
            }
        }
        self.hops.fill(0);
        let (mut need, mut leaves) = (count, 0);
        while need > 0 {
            let Some(leaf) = self.next(need) else {
                return Err(NO_ROOM);
            };
            let taken = self.units.free[leaf];
            self.units.take(leaf, free, 0, need, chosen);
            need -= taken.min(need);
            leaves += 1;
            self.move_away(leaf);
            for switch in above(&self.parent, self.leaves[leaf]) {
                self.free[switch] = self.free[switch].saturating_sub(taken);
            }
        }
        if request.switches.is_some_and(|most| leaves > most) {
            return Err(TOO_MANY);
        }
        Ok(())
    }
}

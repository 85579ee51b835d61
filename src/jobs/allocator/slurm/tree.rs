//! topology/tree: few leaf switches, as close to each other as they come.
//!
//! The rule: two leaf switches are compared from the leaves upwards. At the first level at which one of the two
//! switches has enough free nodes, its leaf wins; the tighter one if both have; and if neither has up to the switch
//! that they share, the fuller one. So a leaf that holds the job wins, the tightest first; else a leaf below the
//! smallest switch that holds it. Until the job has its nodes, further leaves are taken: those with the fewest hops
//! to the leaves taken already, by the same comparison among equally far ones.
//!
//! ```text
//! root: switch 1 over leaves with 3 and 2 free nodes, switch 2 over leaves with 4 and 2 free nodes
//! 3 nodes: the leaf with 3.    6 nodes: below switch 2 (6 free, switch 1 has 5) the leaf with 4, then that with 2.
//! ```
//!
//! Under `TopologyParam=Dragonfly` the rule is the opposite: a job that no leaf holds is dealt over the leaves, one
//! node each, round and round.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::rule::{JobSizeRange, SelectRequest, SelectionRule, SlurmRequest};
use crate::allocator::units::UnitSet;
use nodeorder_base::FreeSet;

/// The switches of a cluster, in the order of the file.
#[derive(Debug)]
pub struct SwitchTree {
    /// By switch: the switch above it.
    parent: Vec<Option<usize>>,
    /// By switch: its height, 0 for leaves.
    level: Vec<u32>,
    /// By switch: number of hops to its root.
    depth: Vec<u32>,
    /// By unit: its leaf switch, in the order of the file.
    leaves: Vec<usize>,
    units: UnitSet,
    /// By switch: number of free ranks at and below it; during a choice, only of the ranks that may be chosen.
    free: Vec<u32>,
    /// By leaf: sum of the hops to the leaves chosen so far, for comparing leaves alone.
    hops: Vec<u64>,
    /// By switch: number of hops up to it from the leaf chosen last; `None` if it is not above that leaf.
    hops_up: Vec<Option<u32>>,
    /// Whether switches do not count for jobs without `switches`.
    pub optional: bool,
    /// Whether jobs are spread over leaf switches.
    pub dragonfly: bool,
    /// By rank: its weight; empty if all are alike.
    pub weights: Vec<u32>,
}

impl SwitchTree {
    /// Creates switches with their parents and, of leaves, ranks; `parent` has no circles.
    pub fn new(size: u32, parent: Vec<Option<usize>>, ranks: Vec<Vec<u32>>) -> Self {
        let count = parent.len();
        let mut level = vec![0; count];
        let mut depth = vec![0; count];
        let mut inner = vec![false; count];
        // The most steps up to a switch from below are its height; the steps from it to the root are its depth.
        for (switch, depth) in depth.iter_mut().enumerate() {
            for (steps, above) in (0..).zip(list_ancestors(&parent, switch)).skip(1) {
                level[above] = steps.max(level[above]);
                inner[above] = true;
                *depth = steps;
            }
        }
        let leaves: Vec<usize> = (0..count).filter(|switch| !inner[*switch]).collect();
        let units = leaves.iter().map(|leaf| ranks[*leaf].clone()).collect();
        SwitchTree {
            free: vec![0; count],
            hops: vec![0; leaves.len()],
            hops_up: vec![None; count],
            optional: false,
            dragonfly: false,
            weights: Vec::new(),
            units: UnitSet::new(size, units),
            parent,
            level,
            depth,
            leaves,
        }
    }

    /// Compares leaves for `need` ranks, level by level upwards: returns whether `a` is better than `b`, and
    /// whether the switch at which this was decided has enough.
    fn compare_leaves(&self, mut a: usize, mut b: usize, need: u32) -> (bool, bool) {
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

    /// Finds the index of the leaf to take ranks from next; `None` if none is left.
    fn next_leaf(&self, need: u32) -> Option<usize> {
        let open = (0..self.leaves.len()).filter(|leaf| self.free[self.leaves[*leaf]] > 0);
        open.reduce(|best, leaf| {
            let (better, fits) = self.compare_leaves(self.leaves[leaf], self.leaves[best], need);
            let here = self.hops[leaf];
            let there = self.hops[best];
            // A nearer leaf wins only if the switch that decides has enough, as observed of Slurm.
            if (here < there && fits) || (here == there && better) {
                leaf
            } else {
                best
            }
        })
    }

    /// Adds the hops from a leaf to those of every leaf.
    fn add_hops_from(&mut self, leaf: usize) {
        let from = self.leaves[leaf];
        let path: Vec<usize> = list_ancestors(&self.parent, from).collect();
        for (steps, switch) in (0..).zip(&path) {
            self.hops_up[*switch] = Some(steps);
        }
        for other in 0..self.leaves.len() {
            // The first switch that is above both. Leaves of different roots have none.
            let mut path = (0..).zip(list_ancestors(&self.parent, self.leaves[other]));
            let met = path.find_map(|(down, at)| self.hops_up[at].map(|up| up + down));
            self.hops[other] += u64::from(met.unwrap_or(0));
        }
        for switch in path {
            self.hops_up[switch] = None;
        }
    }
}

/// Lists a switch and those above it.
fn list_ancestors(parent: &[Option<usize>], switch: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(switch), |at| parent[*at])
}

impl SwitchTree {
    /// Picks ranks by the rule of `TopologyParam=Dragonfly`. Fails with the reason if there are none.
    fn pick_dragonfly(
        &self,
        ask: &SelectRequest<'_>,
        chosen: &mut Vec<u32>,
    ) -> Result<(), &'static str> {
        let SelectRequest {
            free,
            count,
            request,
            ..
        } = *ask;
        let least = ask.min_count();
        // The first switch of the highest level with a free node.
        let switches = (0..self.free.len()).filter(|switch| self.free[*switch] > 0);
        let Some(top) = switches.min_by_key(|switch| Reverse(self.level[*switch])) else {
            return Err(NO_ROOM);
        };
        let leaves: Vec<usize> = (0..self.leaves.len())
            .filter(|leaf| list_ancestors(&self.parent, self.leaves[*leaf]).any(|at| at == top))
            .collect();
        let ranks = |leaf: usize| self.units.free_ranks(leaf, free);
        // Whole tiers of weights, until there are enough ranks.
        let mut tiers: BTreeMap<u32, u32> = BTreeMap::new();
        if self.weights.is_empty() {
            tiers.insert(1, self.free[top]);
        } else {
            for rank in leaves.iter().flat_map(|leaf| ranks(*leaf)) {
                *tiers.entry(self.rank_weight(rank)).or_default() += 1;
            }
        }
        let mut enough = 0;
        let last = tiers.into_iter().find_map(|(weight, count)| {
            enough += count;
            (enough >= least).then_some(weight)
        });
        let Some(last) = last else {
            return Err(NO_ROOM);
        };
        let of_tiers = |leaf: usize| ranks(leaf).filter(|rank| self.rank_weight(*rank) < last);
        let mut open: Vec<_> = leaves
            .iter()
            .map(|leaf| {
                ranks(*leaf)
                    .filter(|rank| self.rank_weight(*rank) == last)
                    .peekable()
            })
            .collect();
        let tiered = !self.weights.is_empty();
        // Lighter tiers are taken whole, which may begin several leaves.
        let mut used: Vec<usize> = Vec::new();
        for (i, leaf) in leaves.iter().enumerate().filter(|_| tiered) {
            let before = chosen.len();
            chosen.extend(of_tiers(*leaf));
            if chosen.len() > before {
                used.push(i);
            }
        }
        if used.is_empty() {
            // Nothing is taken yet: the leaf with the most free ranks of the last tier begins.
            used.extend((0..leaves.len()).max_by_key(|i| {
                let room = if tiered {
                    open[*i].clone().count()
                } else {
                    self.units.free[leaves[*i]] as usize
                };
                (room, Reverse(*i))
            }));
        }
        let count = count as usize;
        // One leaf that holds the job gets it whole.
        if let [leaf] = used[..]
            && open[leaf].clone().count() + chosen.len() >= least as usize
        {
            let left = count.saturating_sub(chosen.len());
            chosen.extend(open[leaf].by_ref().take(left));
        }
        while chosen.len() < count && open.iter_mut().any(|leaf| leaf.peek().is_some()) {
            let left = count - chosen.len();
            chosen.extend(open.iter_mut().filter_map(Iterator::next).take(left));
        }
        let first = chosen.first().and_then(|rank| self.units.unit_of(*rank));
        if request.switches == Some(1)
            && chosen.iter().any(|rank| self.units.unit_of(*rank) != first)
        {
            return Err(TOO_MANY);
        }
        Ok(())
    }
}

const NO_ROOM: &str = "no switch has enough free nodes";
const TOO_MANY: &str = "too many leaf switches";

impl SelectionRule for SwitchTree {
    fn is_flat(&self, request: &SlurmRequest) -> bool {
        self.optional && request.switches.is_none()
    }

    fn rank_weight(&self, rank: u32) -> u32 {
        self.weights.get(rank as usize).copied().unwrap_or(1)
    }

    fn count_covered(&mut self, free: &FreeSet) -> u32 {
        self.units.count_free(free)
    }

    fn goes_outside(&self) -> bool {
        false
    }

    fn list_sizes(&self, request: &SlurmRequest, most: u32) -> Vec<JobSizeRange> {
        match request.switches {
            None => vec![JobSizeRange::consecutive_sizes(1, most)],
            // A smaller job may be put on more leaves than a larger one, so that each size stands alone.
            Some(_) => (1..=most)
                .rev()
                .map(|size| JobSizeRange::consecutive_sizes(size, 1))
                .collect(),
        }
    }

    fn pick_ranks(
        &mut self,
        ask: &SelectRequest<'_>,
        chosen: &mut Vec<u32>,
    ) -> Result<(), &'static str> {
        if !self.dragonfly && ask.min_count() < ask.count {
            // As many nodes as can be had: each number is tried, the largest first.
            let whole = SlurmRequest {
                node_range: None,
                ..ask.request.clone()
            };
            for count in (ask.min_count()..=ask.count).rev() {
                let ask = SelectRequest {
                    count,
                    request: &whole,
                    ..*ask
                };
                chosen.clear();
                self.count_covered(ask.free);
                if self.pick_ranks(&ask, chosen).is_ok() {
                    return Ok(());
                }
            }
            return Err(NO_ROOM);
        }
        let SelectRequest {
            free,
            count,
            request,
            ..
        } = *ask;
        self.free.fill(0);
        for leaf in 0..self.leaves.len() {
            for switch in list_ancestors(&self.parent, self.leaves[leaf]) {
                self.free[switch] += self.units.free[leaf];
            }
        }
        if self.dragonfly {
            return self.pick_dragonfly(ask, chosen);
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
                && !list_ancestors(&self.parent, switch).any(|at| at == top)
            {
                self.free[switch] = 0;
            }
        }
        self.hops.fill(0);
        let mut need = count;
        let mut leaves = 0;
        while need > 0 {
            let Some(leaf) = self.next_leaf(need) else {
                return Err(NO_ROOM);
            };
            let taken = self.units.free[leaf];
            self.units.take_free_ranks(leaf, free, 0, need, chosen);
            need -= taken.min(need);
            leaves += 1;
            self.add_hops_from(leaf);
            for switch in list_ancestors(&self.parent, self.leaves[leaf]) {
                self.free[switch] = self.free[switch].saturating_sub(taken);
            }
        }
        if request.switches.is_some_and(|most| leaves > most) {
            return Err(TOO_MANY);
        }
        Ok(())
    }
}

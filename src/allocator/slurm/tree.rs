//! topology/tree: the leaf switch with the fewest free nodes that has enough; else leaf switches below the smallest
//! switch that has enough, those with the most free nodes first.

use super::rule::{Ask, Request, Rule, Sizes};
use crate::allocator::units::Units;
use crate::ranks::FreeSet;

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
            if (here < there && fits) || (here == there && better) { leaf } else { best }
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
            let met = meets.filter_map(|(down, at)| self.up[at].map(|up| up + down as u32)).next();
            self.hops[other] += u64::from(met.unwrap_or(0));
        }
        path.iter().for_each(|switch| self.up[*switch] = None);
    }
}

/// A switch and those above it.
fn above(parent: &[Option<usize>], switch: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(switch), |at| parent[*at])
}

impl Rule for Tree {
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
        let Ask { free, count, request, .. } = *ask;
        self.free.fill(0);
        for leaf in 0..self.leaves.len() {
            for switch in above(&self.parent, self.leaves[leaf]) {
                self.free[switch] += self.units.free[leaf];
            }
        }
        let mut top: Option<usize> = None;
        for switch in 0..self.free.len() {
            let higher = top.is_none_or(|top| self.level[switch] >= self.level[top]);
            if self.free[switch] >= count && higher {
                top = Some(switch);
            }
        }
        let Some(top) = top else { return Err("no switch has enough free nodes") };
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
            let Some(leaf) = self.next(need) else { return Err("no switch has enough free nodes") };
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
            return Err("too many leaf switches");
        }
        Ok(())
    }
}

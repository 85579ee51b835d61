//! Longest matchings: permutations of the nodes whose pairs are farthest apart, which are hard traffic; and the bound that
//! they prove.

use crate::error::Result;
use crate::ids::NodeId;
use crate::mapping::hops::{Hops, from_each};
use crate::topology::Topology;

/// A permutation of largest total distance, and the proof.
#[derive(Clone, Debug)]
pub struct Matching {
    /// The nodes, ascending.
    pub nodes: Vec<NodeId>,
    /// The partner of each: where its traffic goes.
    pub targets: Vec<NodeId>,
    /// Sum of the distances. Potentials of the nodes, one for sending and one for receiving, add up to the same, and no
    /// pair's distance is above those of its ends: no permutation has more.
    pub distance: u64,
}

impl Matching {
    /// Positions of each node and its partner among the nodes, for nodes that send to others.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let place = |node: &NodeId| self.nodes.binary_search(node).unwrap_or_default() as u32;
        (0..).zip(self.targets.iter().map(place)).filter(|(from, to)| from != to)
    }

    /// The most of any traffic in which no node sends or receives more than 1 that the machine surely carries: none better
    /// can be promised for all such traffic, as this one fills all links however it is routed. None where joints shorten
    /// distances.
    pub fn worst_at_most(&self, topology: &Topology) -> Result<Option<f64>> {
        let graph = topology.graph()?;
        if graph.cabled() < graph.len() || self.distance == 0 {
            return Ok(None);
        }
        let all = (0..graph.len()).map(|link| graph.capacity(link) * graph.weight(link));
        Ok(Some(all.sum::<f64>() / self.distance as f64))
    }
}

/// Finds a longest matching of the schedulable nodes.
///
/// The Hungarian method on whole numbers: potentials start at each node's largest distance; pairs whose distance equals the
/// sum of their potentials are tight; a forest from all nodes without a partner grows along tight pairs, and where
/// it ends, potentials change by the smallest slack.
///
/// # Errors
/// A machine in several components; more memory than allowed.
///
/// # Complexity
/// O(n²) for each forest; few are needed where distances have few values. Two bytes for each pair of routers with nodes.
///
/// # References
/// Kuhn, "The Hungarian method for the assignment problem", Naval Research Logistics Quarterly 2, 1955.
pub fn longest(topology: &Topology) -> Result<Matching> {
    topology.require_one_component("a matching")?;
    let nodes: Vec<NodeId> = topology.nodes().iter().collect();
    let mut routers: Vec<u32> = nodes.iter().map(|node| topology.router_of(*node).0).collect();
    let each = routers.clone();
    routers.sort_unstable();
    routers.dedup();
    let all = routers.len() as u64;
    topology.require("distances between routers", 2 * all * all + 40 * nodes.len() as u64)?;
    let add = |_, hops: &Hops<'_>, rows: &mut Vec<Vec<u16>>| {
        rows.push(routers.iter().map(|to| hops.to(*to).min(u16::MAX.into()) as u16).collect());
    };
    let rows = from_each(topology, &routers, all * all, add)?.into_iter().flatten();
    let rows: Vec<Vec<u16>> = rows.collect();
    let place = |router: &u32| routers.binary_search(router).unwrap_or_default();
    let at: Vec<usize> = each.iter().map(place).collect();
    let mut search = Assignment::new(|i, j| i32::from(rows[at[i]][at[j]]), nodes.len());
    search.run();
    let distance = search.proved();
    let targets = search.partner_of_sender.iter().map(|j| nodes[*j]).collect();
    Ok(Matching { nodes, targets, distance })
}

/// No node.
const NONE: usize = usize::MAX;

/// An assignment of senders to receivers while it grows.
struct Assignment<D> {
    distance: D,
    sending: Vec<i32>,
    receiving: Vec<i32>,
    partner_of_sender: Vec<usize>,
    partner_of_receiver: Vec<usize>,
}

impl<D: Fn(usize, usize) -> i32> Assignment<D> {
    fn new(distance: D, nodes: usize) -> Self {
        let most = |i| (0..nodes).map(|j| distance(i, j)).max().unwrap_or(0);
        Assignment {
            sending: (0..nodes).map(most).collect(),
            receiving: vec![0; nodes],
            partner_of_sender: vec![NONE; nodes],
            partner_of_receiver: vec![NONE; nodes],
            distance,
        }
    }

    fn run(&mut self) {
        while self.partner_of_sender.contains(&NONE) {
            self.grow();
        }
    }

    /// One forest of tight pairs from all senders without a partner. A tree that reaches a receiver without one gives its
    /// root a partner; where none does, potentials change.
    fn grow(&mut self) {
        let nodes = self.sending.len();
        let free = (0..nodes).filter(|i| self.partner_of_sender[*i] == NONE);
        let mut queue: Vec<usize> = free.collect();
        let mut root: Vec<usize> = vec![NONE; nodes];
        queue.iter().for_each(|i| root[*i] = *i);
        let mut done = vec![false; nodes];
        // The sender from which each receiver was reached, and the receivers not reached yet.
        let mut from = vec![NONE; nodes];
        let mut left: Vec<usize> = (0..nodes).collect();
        let (mut next, mut found) = (0, false);
        while let Some(&i) = queue.get(next) {
            next += 1;
            if done[root[i]] {
                continue;
            }
            let mut k = 0;
            while let Some(&j) = left.get(k) {
                if self.slack(i, j) > 0 {
                    k += 1;
                    continue;
                }
                left.swap_remove(k);
                from[j] = i;
                let partner = self.partner_of_receiver[j];
                if partner == NONE {
                    done[root[i]] = true;
                    found = true;
                    self.augment(j, &from);
                    break;
                }
                root[partner] = root[i];
                queue.push(partner);
            }
        }
        if !found {
            let slack = |i: &usize| left.iter().map(|j| self.slack(*i, *j)).min();
            let change = queue.iter().filter_map(slack).min().unwrap_or(0);
            queue.iter().for_each(|i| self.sending[*i] -= change);
            let reached = (0..nodes).filter(|j| from[*j] != NONE);
            reached.for_each(|j| self.receiving[j] += change);
        }
    }

    fn slack(&self, i: usize, j: usize) -> i32 {
        self.sending[i] + self.receiving[j] - (self.distance)(i, j)
    }

    /// Changes partners along the tree from receiver `j` to its root.
    fn augment(&mut self, mut j: usize, from: &[usize]) {
        loop {
            let i = from[j];
            let before = std::mem::replace(&mut self.partner_of_sender[i], j);
            self.partner_of_receiver[j] = i;
            if before == NONE {
                return;
            }
            j = before;
        }
    }

    /// The total distance, after a check of the proof: no slack below 0, and potentials that add up to the distance.
    fn proved(&self) -> u64 {
        let nodes = self.sending.len();
        let fits = |i: usize| (0..nodes).all(|j| self.slack(i, j) >= 0);
        let pairs = self.partner_of_sender.iter().enumerate();
        let primal: i64 = pairs.map(|(i, j)| i64::from((self.distance)(i, *j))).sum();
        let dual: i64 = self.sending.iter().chain(&self.receiving).map(|p| i64::from(*p)).sum();
        assert!((0..nodes).all(fits) && primal == dual, "a matching of {primal}, proved {dual}");
        primal as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The most by trying all permutations.
    fn plainly(rows: &[Vec<i32>], row: usize, used: u32) -> i32 {
        let free = (0..rows.len()).filter(|j| used >> j & 1 == 0);
        free.map(|j| rows[row][j] + plainly(rows, row + 1, used | 1 << j)).max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn no_permutation_is_longer(rows in prop::collection::vec(prop::collection::vec(0..9, 6), 6)) {
            let mut search = Assignment::new(|i: usize, j: usize| rows[i][j], 6);
            search.run();
            prop_assert_eq!(search.proved(), plainly(&rows, 0, 0) as u64);
        }
    }
}

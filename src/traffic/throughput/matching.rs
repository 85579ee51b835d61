//! Longest matchings: permutations of the nodes whose pairs are farthest apart, which are hard traffic; and the bound
//! that they prove.
//!
//! The proof of a longest matching is a *potential* for each node as sender and one as receiver. No pair's distance is
//! above the sum of its sender's and its receiver's potential; so no permutation is longer than all potentials
//! together, and one that is as long is a longest. On a path of three nodes, 0 and 2 swap and 1 stays: 2 + 0 + 2 = 4
//! hops; potentials 1 0 1 for sending and 1 0 1 for receiving add up to 4.

use multiversion::multiversion;

use crate::mapping::hops::{Hops, visit_sources};
use nodeorder_base::{NodeId, Result};
use nodeorder_network::Topology;

/// A permutation of largest total distance.
#[derive(Clone, Debug)]
pub struct Matching {
    /// Schedulable nodes, ascending.
    pub nodes: Vec<NodeId>,
    /// Node that each sends its traffic to.
    pub targets: Vec<NodeId>,
    /// Sum of the distances, in hops: proved that no permutation has more.
    pub distance: u64,
}

impl Matching {
    /// Lists the positions of each node and its partner among the nodes, for nodes that send to others.
    pub fn sending_pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..).zip(&self.targets).filter_map(|(from, target)| {
            let to = self.nodes.binary_search(target).unwrap_or_default() as u32;
            (from != to).then_some((from, to))
        })
    }

    /// Finds the least multiple that is proved for one traffic in which no node sends or receives more than 1: that of
    /// this matching, and those of other traffic that are `known`. `None` if there is none.
    pub fn least_at_most(
        &self,
        topology: &Topology,
        known: impl IntoIterator<Item = f64>,
    ) -> Result<Option<f64>> {
        let own = self.worst_at_most(topology)?;
        Ok(own.into_iter().chain(known).reduce(f64::min))
    }

    /// Bounds the multiple that the machine surely carries of any traffic in which no node sends or receives more
    /// than 1: no more can be promised for all such traffic, as this one fills all links however it is routed.
    /// `None` if joints shorten distances.
    pub fn worst_at_most(&self, topology: &Topology) -> Result<Option<f64>> {
        let graph = topology.graph()?;
        if graph.cabled_link_count() < graph.len() || self.distance == 0 {
            return Ok(None);
        }
        let all = (0..graph.len()).map(|link| graph.capacity(link) * graph.weight(link));
        Ok(Some(all.sum::<f64>() / self.distance as f64))
    }
}

/// Finds a longest matching of the schedulable nodes.
///
/// The Hungarian method on whole numbers: potentials start at each node's largest distance; pairs whose distance
/// equals the sum of their potentials are tight; a forest from all nodes without a partner grows along tight pairs,
/// and where it ends, potentials change by the smallest slack.
///
/// # Errors
/// A machine in several components; more memory than allowed.
///
/// # Complexity
/// O(n²) for each forest; few are needed where distances have few values. Two bytes for each pair of a router with
/// nodes and a node.
///
/// # References
/// Kuhn, "The Hungarian method for the assignment problem", Naval Research Logistics Quarterly 2, 1955.
pub fn find_longest_matching(topology: &Topology) -> Result<Matching> {
    topology.require_one_component("a matching")?;
    let nodes: Vec<NodeId> = topology.nodes().iter().collect();
    let mut routers: Vec<u32> = nodes
        .iter()
        .map(|node| topology.router_of(*node).0)
        .collect();
    let each = routers.clone();
    routers.sort_unstable();
    routers.dedup();
    let all = routers.len() as u64;
    let columns = nodes.len() as u64;
    topology.require_memory(
        "distances between routers",
        2 * all * columns + 40 * columns,
    )?;
    let at = each
        .iter()
        .map(|router| routers.binary_search(router).unwrap_or_default())
        .collect();
    let rows = visit_sources(
        topology,
        &routers,
        all * all,
        |_, hops: &Hops<'_>, rows: &mut Vec<Vec<u16>>| {
            let mut row: Vec<u16> = vec![0; nodes.len().next_multiple_of(LANES)];
            for (row, to) in row.iter_mut().zip(&each) {
                *row = hops.hops_to(*to).min(u16::MAX.into()) as u16;
            }
            rows.push(row);
        },
    )?;
    let mut search = Assignment::new(rows.into_iter().flatten().collect(), at);
    search.find_partners();
    let distance = search.check_proof();
    let targets = search.partner_of_sender.iter().map(|j| nodes[*j]).collect();
    Ok(Matching {
        nodes,
        targets,
        distance,
    })
}

/// Mark of no node.
const NONE: usize = usize::MAX;

/// Receivers that are looked at side by side.
const LANES: usize = 64;
/// Number larger than any sum of potentials.
const FAR: i32 = i32::MAX / 2;

/// An assignment of senders to receivers while it grows.
struct Assignment {
    /// Distances to all receivers, and zeros up to a multiple of [`LANES`].
    rows: Vec<Vec<u16>>,
    /// Index in `rows` of each sender's distances.
    at: Vec<usize>,
    /// Potential of each sender.
    sending: Vec<i32>,
    /// Potential of each receiver.
    receiving: Vec<i32>,
    partner_of_sender: Vec<usize>,
    partner_of_receiver: Vec<usize>,
}

impl Assignment {
    fn new(rows: Vec<Vec<u16>>, at: Vec<usize>) -> Self {
        let most: Vec<u16> = rows
            .iter()
            .map(|row| row.iter().copied().max().unwrap_or(0))
            .collect();
        Assignment {
            sending: at.iter().map(|row| i32::from(most[*row])).collect(),
            receiving: vec![0; at.len()],
            partner_of_sender: vec![NONE; at.len()],
            partner_of_receiver: vec![NONE; at.len()],
            rows,
            at,
        }
    }

    /// Grows forests until every sender has a partner.
    fn find_partners(&mut self) {
        while self.partner_of_sender.contains(&NONE) {
            self.grow_forest();
        }
    }

    /// Grows a forest of tight pairs from all senders without a partner. A tree that reaches a receiver without
    /// one gives its root a partner; where none does, potentials change.
    fn grow_forest(&mut self) {
        let nodes = self.sending.len();
        let free = (0..nodes).filter(|i| self.partner_of_sender[*i] == NONE);
        let mut queue: Vec<usize> = free.collect();
        let mut root: Vec<usize> = vec![NONE; nodes];
        queue.iter().for_each(|i| root[*i] = *i);
        let mut done = vec![false; nodes];
        // The sender from which each receiver was reached, and potentials of those not reached yet.
        let mut from = vec![NONE; nodes];
        let mut open = self.open_potentials();
        let mut next = 0;
        let mut found = false;
        while let Some(&i) = queue.get(next) {
            next += 1;
            if done[root[i]] {
                continue;
            }
            // By id, the next after the sender's first: nodes of one group then send to one group, which
            // is hard traffic.
            let mut first = i;
            while let Some(j) = self
                .find_tight(i, &open, first)
                .or_else(|| self.find_tight(i, &open, 0))
            {
                first = j;
                open[j] = FAR;
                from[j] = i;
                let partner = self.partner_of_receiver[j];
                if partner == NONE {
                    done[root[i]] = true;
                    found = true;
                    self.swap_partners(j, &from);
                    break;
                }
                root[partner] = root[i];
                queue.push(partner);
            }
        }
        if !found {
            // By the least slack, so that one more pair becomes tight and none gets below its distance.
            let slacks = queue.iter().map(|i| self.least_slack(*i, &open));
            let change = slacks.min().unwrap_or(0);
            for i in &queue {
                self.sending[*i] -= change;
            }
            for (potential, from) in self.receiving.iter_mut().zip(&from) {
                if *from != NONE {
                    *potential += change;
                }
            }
        }
    }

    fn distances_of(&self, i: usize) -> &[u16] {
        &self.rows[self.at[i]]
    }

    /// Finds the first receiver from `first` on that sender `i` is tight with.
    fn find_tight(&self, i: usize, open: &[i32], first: usize) -> Option<usize> {
        find_sum(self.distances_of(i), open, self.sending[i], first)
    }

    /// Finds the least difference of potentials and distance between sender `i` and open receivers.
    fn least_slack(&self, i: usize, open: &[i32]) -> i32 {
        self.sending[i] + least_difference(self.distances_of(i), open)
    }

    /// Copies the potentials of receivers, padded with values that are never tight.
    fn open_potentials(&self) -> Vec<i32> {
        let mut open = self.receiving.clone();
        open.resize(open.len().next_multiple_of(LANES), FAR);
        open
    }

    /// Changes partners along the tree from receiver `j` to its root.
    fn swap_partners(&mut self, mut j: usize, from: &[usize]) {
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

    /// Checks the proof, no slack below 0 and potentials that add up to the distance, and returns the total
    /// distance.
    fn check_proof(&self) -> u64 {
        let open = self.open_potentials();
        let pairs = self.partner_of_sender.iter().enumerate();
        let primal: i64 = pairs
            .map(|(i, j)| i64::from(self.distances_of(i)[*j]))
            .sum();
        let potentials = self.sending.iter().chain(&self.receiving);
        let dual: i64 = potentials.map(|p| i64::from(*p)).sum();
        assert!(
            (0..self.at.len()).all(|i| self.least_slack(i, &open) >= 0) && primal == dual,
            "a matching of {primal}, proved {dual}"
        );
        primal as u64
    }
}

/// Pairs the distances and potentials of [`LANES`] receivers at a time.
#[inline(always)]
fn zip_lanes<'r>(
    row: &'r [u16],
    open: &'r [i32],
) -> impl Iterator<Item = (&'r [u16; LANES], &'r [i32; LANES])> {
    let rows = row.as_chunks::<LANES>().0.iter();
    rows.zip(open.as_chunks::<LANES>().0)
}

/// Finds the first receiver, from `first` on, whose potential and `sending` add up to its distance.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
fn find_sum(row: &[u16], open: &[i32], sending: i32, first: usize) -> Option<usize> {
    for (chunk, (row, open)) in zip_lanes(row, open).enumerate().skip(first / LANES) {
        let mut any = 0;
        for lane in 0..LANES {
            any |= i32::from(i32::from(row[lane]) == sending + open[lane]);
        }
        // Sixty-four at once first: few have one, and vector code does not stop in between.
        if any == 0 {
            continue;
        }
        for lane in 0..LANES {
            let receiver = chunk * LANES + lane;
            if i32::from(row[lane]) == sending + open[lane] && receiver >= first {
                return Some(receiver);
            }
        }
    }
    None
}

/// Finds the least of the receivers' potentials minus distances.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw", "x86_64+avx2", "aarch64+neon"))]
fn least_difference(row: &[u16], open: &[i32]) -> i32 {
    let mut least = [FAR; LANES];
    for (row, open) in zip_lanes(row, open) {
        for lane in 0..LANES {
            least[lane] = least[lane].min(open[lane] - i32::from(row[lane]));
        }
    }
    least.into_iter().min().unwrap_or(FAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The most by trying all permutations.
    fn plainly(rows: &[Vec<u16>], row: usize, used: u32) -> u16 {
        let free = (0..rows.len()).filter(|j| used >> j & 1 == 0);
        free.map(|j| rows[row][j] + plainly(rows, row + 1, used | 1 << j))
            .max()
            .unwrap_or(0)
    }

    proptest! {
        #[test]
        fn no_permutation_is_longer(rows in prop::collection::vec(prop::collection::vec(0u16..9, 6), 6)) {
            let wide = rows.iter().map(|row| [row.as_slice(), &[0; LANES - 6]].concat());
            let mut search = Assignment::new(wide.collect(), (0..6).collect());
            search.find_partners();
            prop_assert_eq!(search.check_proof(), plainly(&rows, 0, 0) as u64);
        }
    }
}

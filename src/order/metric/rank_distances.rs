//! Distances between the ranks of an ordering, prepared for many sums over small sets of them.

use std::sync::OnceLock;

use super::components::RankAdjacency;
use super::distance_kernel::DistanceKernel;
use super::distance_table::DistanceTable;
use super::joined_groups::JoinedGroups;
use super::label_terms::LabelTerms;
use crate::ordering::NodeOrder;
use nodeorder_base::{NodeId, Ranks, Result};
use nodeorder_network::topology::distance::Shape;
use nodeorder_network::{Metric, Topology};

/// The ranks of one ordering on one topology, and the distance between any two of them.
///
/// Closed forms are kept as tables of one axis each: O(ranks·axes + Σ extents) memory. Where only a search
/// finds distances they are kept for every pair of routers with nodes: 2 bytes each, refused where that
/// exceeds the run's memory.
///
/// Between components that no path joins the distance is one that [`Topology::joined_graph`] has, greater than any
/// inside one: for choices, never for sums that are reported.
#[derive(Debug)]
pub struct RankDistances {
    /// Node of every rank.
    pub(super) nodes: Vec<NodeId>,
    /// Router of every rank.
    routers: Vec<u32>,
    pub(super) kernel: Box<dyn DistanceKernel>,
    /// `growth[d]`: most nodes within d hops of any node, itself included.
    growth: Vec<u64>,
    /// Links between the routers of ranks, made when first asked for.
    adjacency: OnceLock<RankAdjacency>,
}

impl RankDistances {
    /// Prepares `order` on `topology`.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] where the tables exceed the run's limit.
    ///
    /// # Complexity
    /// O(ranks·axes + Σ extents) for closed forms; O(hosts·links/64) time and 2·hosts² bytes for graphs.
    pub fn new(topology: &Topology, order: &NodeOrder) -> Result<Self> {
        let routers: Vec<u32> = order
            .nodes()
            .iter()
            .map(|n| topology.router_of(*n).0)
            .collect();
        let per = u64::from(topology.network().per_router());
        let hosts = u64::from(topology.network().hosts());
        let metric = topology.metric();
        let mut growth = router_growth(metric, hosts);
        let kernel: Box<dyn DistanceKernel> = match metric {
            Metric::Hub(hub) if hub.group.axes.iter().all(|a| a.shape == Shape::Clique) => {
                Box::new(JoinedGroups::new(hub, &routers))
            }
            Metric::Product(_) | Metric::Tree(_) | Metric::Labels(_) => {
                Box::new(LabelTerms::new(topology, metric, &routers)?)
            }
            _ => {
                let table = DistanceTable::new(topology, &routers)?;
                // Without a formula the table itself tells how many routers are near.
                if matches!(metric, Metric::Hops) {
                    growth = table.router_growth();
                }
                Box::new(table)
            }
        };
        growth.iter_mut().for_each(|routers| *routers *= per);
        let nodes = order.nodes().to_vec();
        Ok(RankDistances {
            nodes,
            routers,
            kernel,
            growth,
            adjacency: OnceLock::new(),
        })
    }

    /// Checks whether paths join all of these ranks. O(1) where the machine is in one component, else O(ranks).
    pub fn within_one_component(&self, topology: &Topology, ranks: &Ranks) -> bool {
        topology.within_one_component(ranks.iter().map(|rank| self.nodes[rank as usize]))
    }

    /// Returns the number of ranks.
    pub fn len(&self) -> u32 {
        self.routers.len() as u32
    }

    /// Checks whether there is no rank.
    pub fn is_empty(&self) -> bool {
        self.routers.is_empty()
    }

    /// Lists the nodes of these ranks.
    pub fn nodes_of<'a>(&'a self, ranks: &'a [u32]) -> impl Iterator<Item = NodeId> + 'a {
        ranks.iter().map(|rank| self.nodes[*rank as usize])
    }

    /// Returns the router of every rank.
    pub fn routers_by_rank(&self) -> &[u32] {
        &self.routers
    }

    /// Finds the links between the routers of ranks, on first use; `topology` must be the one of these distances. Fails
    /// if they need more memory than allowed.
    pub(super) fn rank_adjacency(&self, topology: &Topology) -> Result<&RankAdjacency> {
        if let Some(adjacency) = self.adjacency.get() {
            return Ok(adjacency);
        }
        // Two threads may both make it; the first one's stays.
        let made = RankAdjacency::new(&self.routers, topology)?;
        Ok(self.adjacency.get_or_init(|| made))
    }

    /// Computes the hops between two ranks. O(axes).
    pub fn hops_between(&self, a: u32, b: u32) -> u32 {
        self.kernel.hops_between(a, b)
    }

    /// Computes a proved lower bound on the pair-distance sum of any `count` distinct ranks: no member has more than
    /// `growth[d]` members within d hops. (The ball bound.) O(diameter).
    pub fn pair_sum_floor(&self, count: u32) -> u64 {
        let n = u64::from(count);
        // Members farther than d hops, summed over d, are the distances from one member to all.
        let farther = self.growth.iter().map(|within| n.saturating_sub(*within));
        (n * farther.sum::<u64>()).div_ceil(2)
    }
}

/// Counts the most routers with nodes within 0, 1, … hops of any of them, up to all of them, by the formulas of
/// `metric`.
fn router_growth(metric: &Metric, hosts: u64) -> Vec<u64> {
    // By distance: routers that are exactly so far from one that has the most near it.
    let mut growth: Vec<u64> = match metric {
        // From the middle of a path, or any label of a ring or clique, the most labels are near.
        Metric::Product(product) => product.axes.iter().fold(vec![1], |so_far, axis| {
            let mut near = vec![0u64; axis.diameter() as usize + 1];
            for x in 0..axis.extent {
                near[axis.distance_between(axis.extent / 2, x) as usize] += 1;
            }
            let mut both = vec![0; so_far.len() + near.len() - 1];
            for (i, a) in so_far.iter().enumerate() {
                for (j, b) in near.iter().enumerate() {
                    both[i + j] += a * b;
                }
            }
            both
        }),
        Metric::Tree(tree) => {
            let mut below = 1;
            let mut at = vec![1];
            // Two nodes under a switch, but under none lower, are two hops a level apart.
            for arity in tree.arity.iter().rev() {
                at.extend([0, below * u64::from(arity - 1)]);
                below *= u64::from(*arity);
            }
            at
        }
        Metric::Hub(hub) => {
            // A bound: one hop to labels that differ once or to other groups, two to anywhere.
            let near: u64 = hub.group.axes.iter().map(|a| u64::from(a.extent - 1)).sum();
            vec![1, near + u64::from(hub.groups - 1), hosts]
        }
        Metric::Labels(labels) => labels.count_by_distance(hosts as u32),
        Metric::Hops => return vec![hosts],
    };
    let mut within = 0;
    for count in &mut growth {
        within = (within + *count).min(hosts);
        *count = within;
    }
    growth
}

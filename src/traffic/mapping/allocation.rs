//! The nodes of a job by themselves: how far apart they are, in the machine and on their own.

use nodeorder_base::ratio::divide_exactly;
use nodeorder_base::{NodeId, Result};
use nodeorder_network::Topology;
use nodeorder_network::topology::statistics::{sum_among, sum_by_search};

/// Average shortest path length and diameter of an allocation.
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", section IV.C.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    /// Number of distinct nodes.
    pub nodes: usize,
    /// Number of routers that have these nodes.
    pub routers: usize,
    /// Mean hops between two of the nodes in the machine; `None` for a single node.
    pub aspl: Option<f64>,
    /// Largest distance between two of the nodes in the machine, in hops.
    pub diameter: u32,
    /// Number of connected components of the subgraph that their routers induce.
    pub components: usize,
    /// Mean hops between two nodes over routers of the allocation only; `None` for a single node and where
    /// the subgraph is not connected.
    pub induced_aspl: Option<f64>,
    /// Largest distance over routers of the allocation only, in hops; `None` where the subgraph is not connected.
    pub induced_diameter: Option<u32>,
}

impl Allocation {
    /// Measures distinct `nodes`.
    ///
    /// # Errors
    /// More memory than allowed.
    ///
    /// # Complexity
    /// A search inside the allocation for every 256 of its routers; in the machine O(routers · axes or levels) where
    /// distances have a closed form, else likewise a search.
    pub fn measure_distances(topology: &Topology, nodes: &[NodeId]) -> Result<Self> {
        let mut sorted: Vec<u32> = nodes.iter().map(|n| topology.router_of(*n).0).collect();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a == b);
        let routers: Vec<(u32, u32)> = runs.map(|run| (run[0], run.len() as u32)).collect();
        let (total, diameter) = sum_in_machine(topology, &routers)?;
        let (components, inside) = if routers.len() == topology.graph()?.router_count() {
            // The whole machine is its own subgraph; machines are connected.
            (1, Some((total, diameter)))
        } else {
            sum_inside(topology, &routers)?
        };
        let n = nodes.len() as u128;
        Ok(Allocation {
            nodes: nodes.len(),
            routers: routers.len(),
            aspl: mean_over_pairs(total, n),
            diameter,
            components,
            induced_aspl: inside.and_then(|(total, _)| mean_over_pairs(total, n)),
            induced_diameter: inside.map(|(_, far)| far),
        })
    }
}

/// Divides a sum over the unordered pairs of `n` nodes by their number; `None` for a single node, which has no pair.
fn mean_over_pairs(total: u128, n: u128) -> Option<f64> {
    (n > 1).then(|| divide_exactly(total, n * (n - 1) / 2))
}

/// Sum of distances over unordered pairs of nodes, and the largest distance; both in hops.
type Sums = (u128, u32);

/// Adds up the distances in the machine between nodes, which are given as routers with their numbers of nodes.
fn sum_in_machine(topology: &Topology, routers: &[(u32, u32)]) -> Result<Sums> {
    let mut counts = vec![0; topology.network().hosts() as usize];
    for (router, nodes) in routers {
        counts[*router as usize] = *nodes;
    }
    sum_among(topology, &counts)
}

/// Counts the components of the subgraph that `routers` induce, and adds up its distances if it is connected.
fn sum_inside(topology: &Topology, routers: &[(u32, u32)]) -> Result<(usize, Option<Sums>)> {
    let (ids, counts): (Vec<u32>, Vec<u32>) = routers.iter().copied().unzip();
    let graph = topology.graph()?.induced_subgraph(&ids);
    Ok(match graph.count_components() {
        1 => (1, Some(sum_by_search(topology, &graph, &counts)?)),
        components => (components, None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::Context;

    fn measure(spec: &str, nodes: &[u32]) -> Allocation {
        let machine = Topology::inline(spec, &Context::default()).unwrap();
        let nodes: Vec<NodeId> = nodes.iter().map(|n| NodeId(*n)).collect();
        Allocation::measure_distances(&machine, &nodes).unwrap()
    }

    #[test]
    fn ways_outside_the_allocation_count_only_in_the_machine() {
        // Five of a ring of six: the way round the sixth is closed to them.
        let five = measure("torus:6", &[0, 1, 2, 3, 4]);
        // Distances 1·5 (0-4 are two apart in the ring), counted by hand: 4 ones, 4 twos, 2 threes.
        assert_eq!(
            (five.aspl, five.diameter),
            (Some((4 + 8 + 6) as f64 / 10.0), 3)
        );
        assert_eq!(
            (five.induced_aspl, five.induced_diameter),
            (Some(2.0), Some(4))
        );
        assert_eq!((five.components, five.routers), (1, 5));
        let apart = measure("torus:6", &[0, 1, 3]);
        assert_eq!(
            (apart.components, apart.induced_aspl, apart.induced_diameter),
            (2, None, None)
        );
        assert_eq!(apart.aspl, Some(2.0));
    }

    #[test]
    fn nodes_of_one_router_are_no_hop_apart() {
        let pair = measure("torus:4,per_router=2", &[0, 1, 2]);
        assert_eq!(
            (pair.nodes, pair.routers, pair.aspl),
            (3, 2, Some(4.0 / 6.0))
        );
        assert_eq!(pair.induced_aspl, pair.aspl);
        let one = measure("torus:4", &[2]);
        assert_eq!((one.aspl, one.induced_aspl, one.diameter), (None, None, 0));
        assert_eq!(one.induced_diameter, Some(0));
    }

    #[test]
    fn searched_and_closed_distances_agree_on_whole_machines() {
        for spec in [
            "torus:5x4",
            "random-regular:n=40,d=3,seed=2",
            "cascade:4x3x2",
        ] {
            let machine = Topology::inline(spec, &Context::default()).unwrap();
            let nodes: Vec<NodeId> = machine.nodes().iter().collect();
            let all = Allocation::measure_distances(&machine, &nodes).unwrap();
            let statistics = machine.statistics().unwrap();
            let expected = (Some(statistics.mean_distance), statistics.diameter);
            assert_eq!((all.aspl, all.diameter), expected);
            assert_eq!(
                (all.induced_aspl, all.induced_diameter),
                (all.aspl, Some(all.diameter))
            );
        }
    }
}

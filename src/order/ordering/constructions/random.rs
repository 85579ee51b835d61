//! Random orders: what any other ordering has to beat.

use super::traversal::list_nodes;
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderedNodes, OrderingEntry};
use nodeorder_base::params::SEED;
use nodeorder_base::random::{seed_generator, shuffle};
use nodeorder_base::{NodeId, Observer, Opt, Result, RouterId};
use nodeorder_network::Topology;

/// `random[:seed=7,unit=node|router]`: a shuffle, every permutation equally likely.
///
/// Nodes are shuffled one by one, so those of one router part: the one family that parts them.
/// `unit=router` shuffles routers and keeps their nodes together. Same seed, same order, on every platform:
/// the generator is PCG XSL RR 128/64, and draws are whole numbers of a fixed width.
///
/// # Complexity
/// O(nodes).
///
/// # References
/// Durstenfeld, "Algorithm 235: Random permutation", 1964, <https://doi.org/10.1145/364520.364540>.
pub const RANDOM: OrderingEntry = OrderingEntry {
    name: "random",
    about: "seeded shuffle of the nodes (unit=router: of the routers)",
    example: "random:seed=7",
    options: &[
        SEED,
        Opt::one_of(
            "unit",
            &["node", "router"],
            "what is shuffled; router keeps the nodes of a router together",
        ),
    ],
    parse: Method::new(Needs::Nothing, |_, params| {
        Ok(Box::new(Random {
            seed: params.seed()?,
            by_router: params.required_choice("unit")? == "router",
        }))
    })
    .parting_routers(),
};

/// Options of a random order.
struct Random {
    seed: u64,
    /// Whether routers are shuffled, each with its nodes.
    by_router: bool,
}

impl OrderNodes for Random {
    fn order_nodes(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let mut random = seed_generator(self.seed);
        if !self.by_router {
            let mut nodes: Vec<NodeId> = topology.nodes().iter().collect();
            shuffle(&mut nodes, &mut random);
            return Ok(OrderedNodes::Constructed(nodes));
        }
        let mut routers: Vec<u32> = (0..topology.network().hosts()).collect();
        // Only routers with nodes draw, so that excluded ones leave the order of the others alone.
        routers.retain(|r| topology.nodes_of(RouterId(*r)).next().is_some());
        shuffle(&mut routers, &mut random);
        let nodes = list_nodes(topology, routers);
        Ok(OrderedNodes::Constructed(nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ids;

    /// Worked out a second time from the definitions of the generator and of the draws.
    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        assert_eq!(
            ids("torus:5x4", "random:seed=7")[..8],
            [3, 2, 17, 9, 5, 19, 11, 12]
        );
        assert_eq!(
            ids("torus:5x4", "random"),
            ids("torus:5x4", "random:seed=1")
        );
        assert_ne!(
            ids("torus:5x4", "random"),
            ids("torus:5x4", "random:seed=2")
        );
        assert_eq!(
            ids("torus:100x100", "random:seed=18446744073709551615")[..4],
            [8580, 2365, 7687, 2614]
        );
    }

    #[test]
    fn routers_stay_whole_on_request() {
        let order = ids("torus:5x4,per_router=3,exclude=0-2+7", "random:unit=router");
        assert_eq!(order.len(), 56);
        assert_eq!(order.chunk_by(|a, b| a / 3 == b / 3).count(), 19);
        assert!(order.chunk_by(|a, b| a / 3 == b / 3).all(|c| c.is_sorted()));
    }

    #[test]
    fn every_permutation_of_four_is_about_as_likely() {
        let mut random = seed_generator(3);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            shuffle(&mut items, &mut random);
            *counts.entry(items).or_insert(0) += 1;
        }
        // Each of 24 is expected 1,000 times, standard deviation 31.
        assert!(
            counts.len() == 24 && counts.values().all(|c| (850..1150).contains(c)),
            "{counts:?}"
        );
    }
}

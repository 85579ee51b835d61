//! Cables: how many there are, at which switch the most end, how many of a switch's lead on, and how many join units.
//!
//! A link of capacity 3 stands for three cables. Capacities that are no whole numbers are speeds (400 Gbit/s beside
//! 100): then each link is one cable.

use super::machine::Topology;
use super::network::Network;
use nodeorder_base::error::Result;
use nodeorder_base::ids::NodeId;

/// Numbers of cables of a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cabling {
    /// Number of cables between switches.
    pub cables: u64,
    /// Number of cables between schedulable nodes and switches.
    pub node_links: u64,
    /// Number of cables of the busiest switch, those of its nodes included.
    pub ports: u64,
    /// Largest ratio, over switches with schedulable nodes, of cables of nodes to other cables; `None` if a
    /// switch with nodes has no other cable.
    pub oversubscription: Option<f64>,
}

impl Cabling {
    /// Counts the cables of `topology`. Fails with [`nodeorder_base::error::Error::Memory`] if the counts by
    /// router do not fit. O(routers + links), or O(1) by a formula if all slots are schedulable.
    pub fn of_topology(topology: &Topology) -> Result<Self> {
        let network = topology.network();
        let interfaces = network
            .rails()
            .map_or(1, |rails| rails.interfaces_per_node());
        let node_links = topology.node_count() as u64 * u64::from(interfaces);
        // Formulas are of switches with all their nodes.
        if let Some(cables) = network.cables.filter(|_| topology.nodes().is_full()) {
            let per_router = network.per_router();
            let (fewest, most) = cables.fewest_and_most_at_hosts;
            let with_nodes = u64::from(most) + u64::from(per_router);
            let ratio = f64::from(per_router) / f64::from(fewest);
            return Ok(Cabling {
                cables: cables.all,
                node_links,
                ports: u64::from(cables.most).max(with_nodes),
                oversubscription: (fewest > 0).then_some(ratio),
            });
        }
        topology.require_memory("counting cables", 8 * u64::from(network.routers()))?;
        let (all, at_router) = count_cables(network);
        let mut ports = at_router.iter().copied().max().unwrap_or(0);
        let mut ratio = 0.0f64;
        for (nodes, cables) in topology.nodes_per_router().into_iter().zip(at_router) {
            if nodes > 0 {
                ports = ports.max(u64::from(nodes) + cables);
                ratio = ratio.max(f64::from(nodes) / cables as f64);
            }
        }
        Ok(Cabling {
            cables: all,
            node_links,
            ports,
            // Infinite where a switch has no other cable, 0 where there are no nodes.
            oversubscription: (ratio.is_finite() && ratio > 0.0).then_some(ratio),
        })
    }
}

/// Most cables that a capacity stands for: as many as options of families allow.
const MOST_CABLES: f64 = 1_048_576.0;

impl Topology {
    /// Counts the cables of the links between routers for which `counts` holds. O(links).
    pub fn cables_where(&self, counts: impl Fn(u32, u32) -> bool) -> u64 {
        let whole = are_whole(self.network());
        let mut all = 0;
        self.network().for_each_link(&mut |u, v, capacity| {
            if counts(u, v) {
                all += cables_of(capacity, whole);
            }
        });
        all
    }

    /// Finds the first of some pairs of routers, lower id first and ascending, that no link joins. O(links log pairs).
    pub fn first_unlinked(&self, pairs: &[(u32, u32)]) -> Option<(u32, u32)> {
        let mut linked = vec![false; pairs.len()];
        self.network().for_each_link(&mut |u, v, _| {
            if let Ok(i) = pairs.binary_search(&(u.min(v), u.max(v))) {
                linked[i] = true;
            }
        });
        let first = linked.iter().position(|linked| !linked)?;
        Some(pairs[first])
    }

    /// Counts the cables between units of the level of this number, or from them up to routers above; `None` if
    /// links of trees have several capacities. O(links).
    pub fn cables_between(&self, level: usize) -> Option<u64> {
        let network = self.network();
        if network.hosts() == network.routers() {
            let levels = network.levels();
            let unit = |router: u32| levels[level].unit_of(NodeId(router * network.per_router()));
            return Some(self.cables_where(|u, v| unit(u) != unit(v)));
        }
        // Routers above the nodes are in no unit: the formula counts their links, which are of any capacity.
        let whole = are_whole(network);
        let mut fewest = u64::MAX;
        let mut most = 0;
        network.for_each_link(&mut |_, _, capacity| {
            let cables = cables_of(capacity, whole);
            fewest = fewest.min(cables);
            most = most.max(cables);
        });
        let up: u64 = network.links_up()?[..=level].iter().sum();
        (fewest == most).then_some(up * most)
    }

    /// Adds up the capacities of all links, both ways, each times its weight: no traffic loads links
    /// by more on the whole. `None` if joints shorten distances, as traffic over these loads no link. O(links).
    pub fn total_capacity(&self) -> Option<f64> {
        let mut has_joints = false;
        self.network()
            .for_each_joint(&mut |_, _, _| has_joints = true);
        let weights = self.network().link_weights();
        let mut weights = weights.iter().flatten();
        let mut sum = 0.0;
        self.network().for_each_link(&mut |_, _, capacity| {
            sum += 2.0 * capacity * f64::from(*weights.next().unwrap_or(&1));
        });
        (!has_joints).then_some(sum)
    }
}

/// Checks whether every capacity is a number of cables.
fn are_whole(network: &Network) -> bool {
    let mut whole = true;
    network.for_each_link(&mut |_, _, capacity| {
        whole &= capacity.fract() == 0.0 && capacity <= MOST_CABLES;
    });
    whole
}

/// Counts the cables between routers of the whole network, and those at each router.
fn count_cables(network: &Network) -> (u64, Vec<u64>) {
    let whole = are_whole(network);
    let mut all = 0;
    let mut at_router = vec![0; network.routers() as usize];
    network.for_each_link(&mut |u, v, capacity| {
        let cables = cables_of(capacity, whole);
        all += cables;
        at_router[u as usize] += cables;
        at_router[v as usize] += cables;
    });
    (all, at_router)
}

/// Counts the cables that a link of this capacity stands for.
fn cables_of(capacity: f64, whole: bool) -> u64 {
    if whole { capacity as u64 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::build;

    fn of(spec: &str) -> (u64, u64, u64, Option<f64>) {
        let found = Cabling::of_topology(&build(spec)).unwrap();
        (
            found.cables,
            found.node_links,
            found.ports,
            found.oversubscription,
        )
    }

    /// The formula of a family, and the same network counted link by link.
    #[test]
    fn formulas_equal_counts() {
        for spec in [
            "torus:4x3x2,per_router=3",
            "torus:2x2x5,double=true",
            "mesh:1x4",
            "mesh:1",
            "grid:4x3,wrap=01,per_router=2",
            "hyperx:3x4,per_router=5",
            "cascade:4x3x5",
            "cascade:4x3x5,global=single",
            "cascade:1x1x4,global=single",
            "fat-tree:k=6",
            "fat-tree:k=3,n=4",
            "xgft:m=3x4x2,w=1x3x2",
            "xgft:m=7,w=1",
        ] {
            let machine = build(spec);
            let formula = Cabling::of_topology(&machine).unwrap();
            assert!(machine.network().cables.is_some(), "{spec}");
            let (all, at) = count_cables(machine.network());
            let hosts = &at[..machine.network().hosts() as usize];
            let per = u64::from(machine.network().per_router());
            let ports = hosts
                .iter()
                .map(|at| at + per)
                .chain(at.iter().copied())
                .max();
            let least = hosts.iter().min().unwrap();
            assert_eq!(
                (formula.cables, Some(formula.ports)),
                (all, ports),
                "{spec}"
            );
            let ratio = (*least > 0).then(|| per as f64 / *least as f64);
            assert_eq!(formula.oversubscription, ratio, "{spec}");
        }
    }

    #[test]
    fn cables_by_hand() {
        // Eight nodes a leaf switch, two cables to each of two spine switches.
        assert_eq!(
            of("multi-rail:rails=3,domains=8,units=4,spines=2,cables=2"),
            (3 * 4 * 4, 3 * 32, 12, Some(2.0))
        );
        // The GPUs of a rail, one a server.
        assert_eq!(
            of("multi-rail:rails=3,domains=8,units=4,spines=2,cables=2,gpus=true"),
            (3 * 4 * 4, 96, 12, Some(2.0))
        );
        // Of the second leaf switch one node is left; of the third none.
        assert_eq!(of("xgft:m=4x3,w=1x2,limit=5"), (6, 5, 6, Some(2.0)));
        assert_eq!(of("multi-rail:rails=2,domains=8"), (0, 16, 8, None));
        assert_eq!(of("dragonfly:p=2,a=4,h=2,g=3").0, 3 * 6 + 3 * 4);
    }
}

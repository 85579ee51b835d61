//! Cables: how many there are, at which switch the most end, what a switch's carry on, and how many join units.
//!
//! A capacity is no number of cables: a cable of 400 Gbit/s and four of 100 carry the same. Where a source says how
//! many cables a link has (ports, a column `cables`, parallel edges), these are counted, else each link is one; the
//! cables of a family are all of capacity 1. Oversubscription goes by capacity: three hosts of 100 Gbit/s over uplinks
//! of 100, 100 and 16 are 300 over 216.

use super::capacity_units::CapacityUnits;
use super::machine::Topology;
use super::network::Network;
use nodeorder_base::{NodeId, Result, RouterId};

/// Numbers of cables of a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cabling {
    /// Number of cables between switches.
    pub cables: u64,
    /// Number of cables between schedulable nodes and switches.
    pub node_links: u64,
    /// Number of cables of the busiest switch, those of its nodes included.
    pub ports: u64,
    /// Sum of the capacities of the cables between switches, one way.
    pub capacity: f64,
    /// Largest ratio, over switches with schedulable nodes, of the capacity of the cables of nodes to that of the
    /// other cables; `None` if a switch with nodes has no other cable.
    pub oversubscription: Option<f64>,
}

impl Cabling {
    /// Counts the cables of `topology`. Fails with [`nodeorder_base::error::Error::Memory`] if the counts by
    /// router do not fit. O(routers + links); by a formula O(1) if all slots are schedulable, else O(hosts).
    pub fn of_topology(topology: &Topology) -> Result<Self> {
        let network = topology.network();
        let interfaces = network
            .rails()
            .map_or(1, |rails| rails.interfaces_per_node());
        let node_links = topology.node_count() as u64 * u64::from(interfaces);
        let is_full = topology.nodes().is_full();
        // Where switches with nodes differ in their cables, formulas are of all of them with all their nodes.
        let formula = network.cables.filter(|cables| {
            let (fewest, most) = cables.fewest_and_most_at_hosts;
            is_full || fewest == most
        });
        if let Some(cables) = formula {
            let mut nodes = network.per_router();
            if !is_full {
                let bytes = 4 * u64::from(network.hosts());
                topology.require_memory("counting the nodes of every router", bytes)?;
                let counts = topology.nodes_per_router();
                nodes = counts.into_iter().max().unwrap_or(nodes);
            }
            let (fewest, most) = cables.fewest_and_most_at_hosts;
            let with_nodes = u64::from(most) + u64::from(nodes);
            let ratio = f64::from(nodes) / f64::from(fewest);
            return Ok(Cabling {
                cables: cables.all,
                capacity: cables.all as f64,
                node_links,
                ports: u64::from(cables.most).max(with_nodes),
                oversubscription: (fewest > 0).then_some(ratio),
            });
        }
        topology.require_memory("counting cables", 16 * u64::from(network.routers()))?;
        let units = choose_units(network);
        let (all, at_router) = count_cables(network, units);
        let mut ports = at_router.iter().map(|at| at.cables).max().unwrap_or(0);
        let mut ratio = 0.0f64;
        let counts = topology.nodes_per_router();
        for (router, (nodes, at)) in (0..).zip(counts.into_iter().zip(at_router)) {
            let nodes = u64::from(nodes);
            let mut down = nodes * units.count_units(network.node_capacity);
            if !network.slot_capacities.is_empty() {
                let nodes = topology.nodes_of(RouterId(router));
                let own = nodes.map(|node| network.slot_capacities[node.index()]);
                down = own.map(|capacity| units.count_units(capacity)).sum();
            }
            if nodes > 0 {
                ports = ports.max(nodes + at.cables);
                ratio = ratio.max(down as f64 / at.units as f64);
            }
        }
        Ok(Cabling {
            cables: all.cables,
            capacity: units.capacity_of(all.units),
            node_links,
            ports,
            // Infinite where a switch has no other cable, 0 where there are no nodes.
            oversubscription: (ratio.is_finite() && ratio > 0.0).then_some(ratio),
        })
    }
}

impl Topology {
    /// Counts the cables of the links between routers for which `counts` holds. O(links).
    pub fn cables_where(&self, counts: impl Fn(u32, u32) -> bool) -> u64 {
        let mut all = 0;
        self.network().for_each_cabled_link(&mut |u, v, _, cables| {
            if counts(u, v) {
                all += u64::from(cables);
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
    /// links of trees have several numbers of cables. O(links).
    pub fn cables_between(&self, level: usize) -> Option<u64> {
        let network = self.network();
        if network.hosts() == network.routers() {
            let levels = network.levels();
            let unit = |router: u32| levels[level].unit_of(NodeId(router * network.per_router()));
            return Some(self.cables_where(|u, v| unit(u) != unit(v)));
        }
        // Routers above the nodes are in no unit: the formula counts their links, which have any number of cables.
        let mut fewest = u32::MAX;
        let mut most = 0;
        network.for_each_cabled_link(&mut |_, _, _, cables| {
            fewest = fewest.min(cables);
            most = most.max(cables);
        });
        let up: u64 = network.links_up()?[..=level].iter().sum();
        (fewest == most).then_some(up * u64::from(most))
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

/// Cables between switches: of the whole network, or those of one switch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct CableSum {
    cables: u64,
    /// Sum of the capacities, in whole units.
    units: u64,
}

impl CableSum {
    /// Adds the cables of a link.
    fn add_link(&mut self, cables: u32, units: u64) {
        self.cables += u64::from(cables);
        self.units += units;
    }
}

/// Chooses the unit in which capacities of links and node links are added up.
fn choose_units(network: &Network) -> CapacityUnits {
    let mut different = vec![network.node_capacity];
    let mut sum = network.node_capacity * f64::from(network.slots());
    let mut add_capacity = |capacity: f64| {
        sum += capacity;
        // Most networks have long runs of one capacity.
        if different.last() != Some(&capacity) {
            different.push(capacity);
        }
    };
    network
        .slot_capacities
        .iter()
        .copied()
        .for_each(&mut add_capacity);
    network.for_each_link(&mut |_, _, capacity| add_capacity(capacity));
    CapacityUnits::new(sum, different.into_iter())
}

/// Counts the cables between routers of the whole network, and those at each router.
fn count_cables(network: &Network, units: CapacityUnits) -> (CableSum, Vec<CableSum>) {
    let mut all = CableSum::default();
    let mut at_router = vec![CableSum::default(); network.routers() as usize];
    network.for_each_cabled_link(&mut |u, v, capacity, cables| {
        let units = units.count_units(capacity);
        all.add_link(cables, units);
        at_router[u as usize].add_link(cables, units);
        at_router[v as usize].add_link(cables, units);
    });
    (all, at_router)
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
            let units = choose_units(machine.network());
            let (all, at) = count_cables(machine.network(), units);
            let at: Vec<u64> = at.iter().map(|at| at.cables).collect();
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
                (all.cables, ports),
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

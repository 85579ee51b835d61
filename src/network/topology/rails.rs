//! Numbers of nodes and switches in a multi-rail network, for its family and for whatever follows rails.
//!
//! Every server has an interface on each of several networks, the rails. With two rails, two units of two servers and
//! one spine switch a rail, nodes being servers:
//!
//! ```text
//! rail 0      spine 2        rail 1      spine 5         leaf switches of rail 1 are copies:
//!             /     \                    /     \          server 2 is on switches 1 and 4
//! unit     leaf 0  leaf 1            leaf 3  leaf 4
//! servers   0 1     2 3               0 1     2 3
//! ```

use super::arcs::both_directions;
use nodeorder_base::NodeId;

/// Shape and numbering of a multi-rail network: servers in domains of fast links, in units with a leaf switch a rail.
///
/// Nodes are the servers, or with `gpus` the GPUs of each, one a rail, GPU i of a server on rail i. Servers are
/// numbered domain by domain and unit by unit, GPUs server by server. Switches of servers are numbered rail by rail,
/// on each rail the leaf switches and then the spine switches: servers have their ids on the leaf switches of rail 0,
/// and the switches of the other rails are copies. Switches of GPUs are numbered leaf switches first (unit · rails +
/// rail), then the spine switches (rail · spines + number). The core switches come last (spine number · cores +
/// number).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rails {
    /// Number of rails, which is the number of interfaces of each server.
    pub rails: u32,
    /// Number of servers of each domain.
    pub domain: u32,
    /// Number of domains of each unit.
    pub domains: u32,
    /// Number of units.
    pub units: u32,
    /// Number of spine switches of each rail.
    pub spines: u32,
    /// Number of core switches over the spines of one number in all rails.
    pub cores: u32,
    /// Number of cables from a leaf to a spine switch.
    pub cables: u32,
    /// Whether nodes are GPUs; else they are servers.
    pub gpus: bool,
    /// Capacity of the fast link (NVLink) of a node; that of an interface is 1.
    pub nvlink_capacity: f64,
}

impl Rails {
    /// Computes the number of nodes of a server.
    pub fn nodes_per_server(&self) -> u32 {
        if self.gpus { self.rails } else { 1 }
    }

    /// Computes the number of nodes of a domain.
    pub fn nodes_per_domain(&self) -> u32 {
        self.domain * self.nodes_per_server()
    }

    /// Computes the number of nodes of a unit.
    pub fn nodes_per_unit(&self) -> u32 {
        self.domains * self.nodes_per_domain()
    }

    /// Counts the servers of a unit: cables of nodes at each of its leaf switches.
    pub fn servers_per_unit(&self) -> u32 {
        self.domains * self.domain
    }

    /// Counts the interfaces of a node: the rails it is on.
    pub fn interfaces_per_node(&self) -> u32 {
        self.rails / self.nodes_per_server()
    }

    /// Computes the rail of a GPU; `None` if nodes are servers, which are on all.
    pub fn rail_of(&self, node: NodeId) -> Option<u32> {
        self.gpus.then(|| node.0 % self.rails)
    }

    /// Computes the domain of a node.
    pub fn domain_of(&self, node: NodeId) -> u32 {
        node.0 / self.nodes_per_domain()
    }

    /// Counts the leaf and spine switches of one rail. If nodes are servers, the number of a switch is that of its
    /// counterpart on the rail before plus this count.
    pub fn switches_per_rail(&self) -> u32 {
        self.units + self.spines
    }

    /// Computes the leaf switch of a rail in a unit.
    pub fn leaf_switch(&self, unit: u32, rail: u32) -> u32 {
        if self.gpus {
            unit * self.rails + rail
        } else {
            rail * self.switches_per_rail() + unit
        }
    }

    /// Computes a spine switch of a rail by its number.
    pub fn spine_switch(&self, rail: u32, number: u32) -> u32 {
        if self.gpus {
            self.units * self.rails + rail * self.spines + number
        } else {
            rail * self.switches_per_rail() + self.units + number
        }
    }

    /// Computes the number of core switch `number` of those that join the spine switches `spine`
    /// of all rails.
    pub fn core_switch(&self, spine: u32, number: u32) -> u32 {
        self.rails * self.switches_per_rail() + spine * self.cores + number
    }

    /// Counts all switches.
    pub fn switch_count(&self) -> u32 {
        // One more than the last core switch.
        self.core_switch(self.spines, 0)
    }

    /// Names a switch for people, as `spine 2 of rail 0`.
    pub fn router_name(&self, router: u32) -> String {
        let Rails {
            rails,
            units,
            spines,
            cores,
            ..
        } = *self;
        if let Some(core) = router.checked_sub(rails * self.switches_per_rail()) {
            return format!("core {} over spines {}", core % cores, core / cores);
        }
        // Leaf switches are ordered by unit and rail if nodes are GPUs, else by rail and unit.
        let leaf_name = |unit: u32, rail: u32| format!("unit {unit}, rail {rail}");
        let spine_name = |number: u32, rail: u32| format!("spine {number} of rail {rail}");
        if self.gpus {
            return match router.checked_sub(units * rails) {
                None => leaf_name(router / rails, router % rails),
                Some(spine) => spine_name(spine % spines, spine / spines),
            };
        }
        let rail = router / self.switches_per_rail();
        let number = router % self.switches_per_rail();
        match number.checked_sub(units) {
            None => leaf_name(number, rail),
            Some(spine) => spine_name(spine, rail),
        }
    }

    /// Lists the links of units with one rail that stands for all, in both directions: two switches and a
    /// capacity. Units are numbered first, then spine switches.
    pub fn links_of_one_rail(&self) -> Vec<(u32, u32, f64)> {
        let capacity = f64::from(self.rails) * f64::from(self.cables);
        let mut arcs = Vec::new();
        for unit in 0..self.units {
            for spine in self.units..self.switches_per_rail() {
                arcs.extend(both_directions(unit, spine, capacity));
            }
        }
        arcs
    }
}

//! Numbers of nodes and switches in a multi-rail network, for its family and for what follows rails.

use nodeorder_base::ids::NodeId;

/// Servers with an interface on each of several rails, in domains of fast links, in units with a leaf switch a rail.
///
/// Nodes are the servers, or with `gpus` the GPUs of each, one a rail, GPU i of a server on rail i. Servers are numbered
/// domain by domain and unit by unit, GPUs server by server. Switches of servers are numbered rail by rail, on each rail
/// the leaf switches and then the spine switches: servers have their ids on the leaf switches of rail 0, and the switches
/// of the other rails are copies. Switches of GPUs are numbered leaf switches first (unit · rails + rail), then the spine
/// switches (rail · spines + number). The core switches come last (spine number · cores + number).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rails {
    /// Rails: interfaces of each server.
    pub rails: u32,
    /// Servers of each domain.
    pub domain: u32,
    /// Domains of each unit.
    pub domains: u32,
    /// Units.
    pub units: u32,
    /// Spine switches of each rail.
    pub spines: u32,
    /// Core switches over the spines of one number in all rails.
    pub cores: u32,
    /// Cables from a leaf to a spine switch.
    pub cables: u32,
    /// Whether nodes are GPUs.
    pub gpus: bool,
    /// Capacity of the fast link of a node; an interface's is 1.
    pub nvlink_capacity: f64,
}

impl Rails {
    /// Nodes of a server.
    pub fn per_server(&self) -> u32 {
        if self.gpus { self.rails } else { 1 }
    }

    /// Nodes of a domain.
    pub fn per_domain(&self) -> u32 {
        self.domain * self.per_server()
    }

    /// Nodes of a unit.
    pub fn per_unit(&self) -> u32 {
        self.domains * self.per_domain()
    }

    /// Servers of a unit: cables of nodes at each of its leaf switches.
    pub fn per_leaf(&self) -> u32 {
        self.domains * self.domain
    }

    /// Interfaces of a node: the rails it is on.
    pub fn interfaces(&self) -> u32 {
        self.rails / self.per_server()
    }

    /// The rail of a GPU; none where nodes are servers, which are on all.
    pub fn rail_of(&self, node: NodeId) -> Option<u32> {
        self.gpus.then(|| node.0 % self.rails)
    }

    /// The domain of a node.
    pub fn domain_of(&self, node: NodeId) -> u32 {
        node.0 / self.per_domain()
    }

    /// Switches of one rail where nodes are servers: the numbers of those of the next rail are so much higher.
    pub fn per_rail(&self) -> u32 {
        self.units + self.spines
    }

    /// The leaf switch of a rail in a unit.
    pub fn leaf(&self, unit: u32, rail: u32) -> u32 {
        if self.gpus {
            unit * self.rails + rail
        } else {
            rail * self.per_rail() + unit
        }
    }

    /// A spine switch of a rail.
    pub fn spine(&self, rail: u32, number: u32) -> u32 {
        match self.gpus {
            true => self.units * self.rails + rail * self.spines + number,
            false => rail * self.per_rail() + self.units + number,
        }
    }

    /// A core switch over the spines of a number.
    pub fn core(&self, spine: u32, number: u32) -> u32 {
        self.rails * self.per_rail() + spine * self.cores + number
    }

    /// All switches.
    pub fn routers(&self) -> u32 {
        self.core(self.spines, 0)
    }

    /// The name of a switch for people.
    pub fn router_name(&self, router: u32) -> String {
        let Rails {
            rails,
            units,
            spines,
            cores,
            ..
        } = *self;
        if let Some(core) = router.checked_sub(rails * self.per_rail()) {
            return format!("core {} over spines {}", core % cores, core / cores);
        }
        let (leaf, rail, number) = match (self.gpus, router.checked_sub(units * rails)) {
            (true, None) => (true, router % rails, router / rails),
            (true, Some(spine)) => (false, spine / spines, spine % spines),
            (false, _) => {
                let (rail, at) = (router / self.per_rail(), router % self.per_rail());
                (at < units, rail, if at < units { at } else { at - units })
            }
        };
        match leaf {
            true => format!("unit {number}, rail {rail}"),
            false => format!("spine {number} of rail {rail}"),
        }
    }

    /// Units, and one rail whose links stand for those of all rails, in both directions with their capacity.
    pub fn one_rail(&self) -> Vec<(u32, u32, f64)> {
        let capacity = f64::from(self.rails) * f64::from(self.cables);
        let pairs = (0..self.units).flat_map(|unit| (0..self.spines).map(move |s| (unit, s)));
        let arcs = pairs.flat_map(|(unit, spine)| {
            let spine = self.units + spine;
            [(unit, spine, capacity), (spine, unit, capacity)]
        });
        arcs.collect()
    }
}

//! Groups of a dragonfly and the cables between them, for its routings.

use super::super::demand::Demand;
use super::Fabric;
use nodeorder_base::Result;
use nodeorder_network::Topology;

/// Checks whether `topology` is a canonical dragonfly: groups of routers joined all-to-all, a cable between any two
/// groups.
pub fn is_dragonfly(topology: &Topology) -> bool {
    let network = topology.network();
    // Without some of its cables it is a graph like others.
    network.spec().starts_with("dragonfly:") && !network.is_broken
}

/// A cable (or several side by side) from one group to another.
#[derive(Clone, Copy, Debug)]
pub struct Cable {
    /// Router of the group that it leaves.
    pub from: u32,
    /// Router of the group that it leads to.
    pub to: u32,
    /// Directed link from one to the other.
    pub link: usize,
    /// Part of the capacity of all cables between the two groups.
    pub share: f64,
}

/// Groups and cables of a dragonfly.
pub struct Groups {
    /// Number of routers of each group.
    pub size: u32,
    /// Number of groups.
    pub count: u32,
    /// Cables from group i to group j, at `i · count + j`.
    cables: Vec<Vec<Cable>>,
}

/// Traffic of every router with every group, in both directions, by [`Groups::cell_of`]. Traffic inside groups
/// is left out.
pub struct GroupTotals {
    /// Volume from the router to the group.
    pub sent: Vec<f64>,
    /// Volume from the group to the router.
    pub received: Vec<f64>,
}

impl Groups {
    /// Finds the groups of a dragonfly and the cables between them.
    pub fn new(fabric: &Fabric<'_>) -> Result<Self> {
        let routers = fabric.links.router_count() as u32;
        let levels = fabric.topology.network().levels();
        let per_router = fabric.topology.network().per_router();
        let size = levels
            .first()
            .map_or(routers, |level| level.slots / per_router)
            .max(1);
        let count = routers / size;
        let cells = u64::from(count) * u64::from(count);
        fabric
            .topology
            .require_memory("the cables between groups", 24 * cells + 64 * cells)?;
        let mut cables = vec![Vec::new(); cells as usize];
        for (from, to, link) in fabric.links.iter().filter(|(u, v, _)| u / size != v / size) {
            let between: &mut Vec<Cable> = &mut cables[(from / size * count + to / size) as usize];
            between.push(Cable {
                from,
                to,
                link,
                share: fabric.links.capacity(link),
            });
        }
        // Cables of more capacity carry more, so that all of a pair of groups fill up alike.
        for between in &mut cables {
            let all: f64 = between.iter().map(|c| c.share).sum();
            for cable in between {
                cable.share /= all;
            }
        }
        Ok(Groups {
            size,
            count,
            cables,
        })
    }

    /// Computes the index of a router and a group in a table of both.
    pub fn cell_of(&self, router: u32, group: u32) -> usize {
        router as usize * self.count as usize + group as usize
    }

    /// Computes the group of a router.
    pub fn group_of(&self, router: u32) -> u32 {
        router / self.size
    }

    /// Looks up the cables from one group to another.
    pub fn cables_between(&self, from: u32, to: u32) -> &[Cable] {
        &self.cables[(from * self.count + to) as usize]
    }

    /// Finds which share of the cables between a router's group and another one ends at the router, by
    /// [`Groups::cell_of`].
    pub fn cable_shares(&self, fabric: &Fabric<'_>) -> Result<Vec<f64>> {
        let count = self.count as usize;
        let cells = fabric.links.router_count() as u64 * u64::from(self.count);
        fabric
            .topology
            .require_memory("the cables of every router", 8 * cells)?;
        let mut own = vec![0.0; cells as usize];
        for (i, between) in self.cables.iter().enumerate() {
            for cable in between {
                own[cable.from as usize * count + i % count] += cable.share;
            }
        }
        Ok(own)
    }

    /// Adds traffic inside groups to its direct links and sums up the rest by router and group.
    pub(super) fn load_inside_groups(
        &self,
        fabric: &Fabric<'_>,
        demand: &Demand,
        loads: &mut [f64],
    ) -> Result<GroupTotals> {
        let cells = fabric.links.router_count() as u64 * u64::from(self.count);
        fabric
            .topology
            .require_memory("traffic between routers and groups", 16 * cells)?;
        let mut totals = GroupTotals {
            sent: vec![0.0; cells as usize],
            received: vec![0.0; cells as usize],
        };
        demand.for_each_flow(|source, flow| {
            let from = self.group_of(source);
            let to = self.group_of(flow.router);
            if from == to {
                fabric
                    .links
                    .add_load(source, flow.router, flow.volume, loads);
            } else {
                totals.sent[self.cell_of(source, to)] += flow.volume;
                totals.received[self.cell_of(flow.router, from)] += flow.volume;
            }
        });
        Ok(totals)
    }

    /// Adds `volume` to the cables from one group to another, by their shares.
    pub fn load_cables(&self, from: u32, to: u32, volume: f64, loads: &mut [f64]) {
        for cable in self.cables_between(from, to) {
            loads[cable.link] += volume * cable.share;
        }
    }
}

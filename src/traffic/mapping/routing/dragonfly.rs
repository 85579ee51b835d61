//! Groups of a dragonfly and the cables between them, for its routings.

use super::super::demand::{Demand, End};
use super::Fabric;
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;

/// Whether `topology` is a canonical dragonfly: groups of routers joined all-to-all, a cable between any
/// two groups.
pub fn is_dragonfly(topology: &Topology) -> bool {
    topology.network().spec().starts_with("dragonfly:")
}

/// A cable (or several side by side) from one group to another.
#[derive(Clone, Copy, Debug)]
pub struct Cable {
    pub from: u32,
    pub to: u32,
    pub link: usize,
    /// Its part of the capacity of all cables between the two groups.
    pub share: f64,
}

/// Groups and cables of a dragonfly.
pub struct Groups {
    /// Routers of each group.
    pub size: u32,
    pub count: u32,
    /// The cables from group i to group j, at `i · count + j`.
    cables: Vec<Vec<Cable>>,
}

/// Traffic of every router with every group, in both directions, by [`Groups::cell`]. Traffic inside groups
/// is left out.
pub(super) struct Totals {
    pub sent: Vec<f64>,
    pub received: Vec<f64>,
}

impl Groups {
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
            .require("the cables between groups", 24 * cells + 64 * cells)?;
        let mut cables = vec![Vec::new(); cells as usize];
        for (from, to, link) in fabric.links.iter().filter(|(u, v, _)| u / size != v / size) {
            let share = fabric.links.capacity(link);
            let between: &mut Vec<Cable> = &mut cables[(from / size * count + to / size) as usize];
            between.push(Cable {
                from,
                to,
                link,
                share,
            });
        }
        // Cables of more capacity carry more, so that all of a pair of groups fill up alike.
        for between in &mut cables {
            let all: f64 = between.iter().map(|c| c.share).sum();
            between.iter_mut().for_each(|c| c.share /= all);
        }
        Ok(Groups {
            size,
            count,
            cables,
        })
    }

    /// Index of a router and a group in a table of both.
    pub fn cell(&self, router: u32, group: u32) -> usize {
        router as usize * self.count as usize + group as usize
    }

    pub fn of(&self, router: u32) -> u32 {
        router / self.size
    }

    pub fn cables(&self, from: u32, to: u32) -> &[Cable] {
        &self.cables[(from * self.count + to) as usize]
    }

    /// Share of the cables between a router's group and another one that ends at the router: by
    /// [`Groups::cell`].
    pub fn shares(&self, fabric: &Fabric<'_>) -> Result<Vec<f64>> {
        let count = self.count as usize;
        let cells = fabric.links.router_count() as u64 * u64::from(self.count);
        fabric
            .topology
            .require("the cables of every router", 8 * cells)?;
        let mut own = vec![0.0; (self.size * self.count) as usize * count];
        for (i, between) in self.cables.iter().enumerate() {
            for cable in between {
                own[cable.from as usize * count + i % count] += cable.share;
            }
        }
        Ok(own)
    }

    /// Adds traffic inside groups to its direct links and sums up the rest.
    pub(super) fn split(
        &self,
        fabric: &Fabric<'_>,
        demand: &Demand,
        loads: &mut [f64],
    ) -> Result<Totals> {
        let cells = fabric.links.router_count() as u64 * u64::from(self.count);
        fabric
            .topology
            .require("traffic between routers and groups", 16 * cells)?;
        let mut totals = Totals {
            sent: vec![0.0; cells as usize],
            received: vec![0.0; cells as usize],
        };
        let mut buffer = Vec::new();
        for (i, source) in demand.roots(End::Source).iter().enumerate() {
            for flow in demand.row(End::Source, i, &mut buffer) {
                let (from, to) = (self.of(*source), self.of(flow.router));
                if from == to {
                    fabric.links.load(*source, flow.router, flow.volume, loads);
                } else {
                    totals.sent[self.cell(*source, to)] += flow.volume;
                    totals.received[self.cell(flow.router, from)] += flow.volume;
                }
            }
        }
        Ok(totals)
    }

    /// Adds `volume` to the cables from one group to another, by their shares.
    pub fn cross(&self, from: u32, to: u32, volume: f64, loads: &mut [f64]) {
        for cable in self.cables(from, to) {
            loads[cable.link] += volume * cable.share;
        }
    }
}

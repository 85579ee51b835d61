//! Fixed ways of `adaptive` routing: the minimal way between routers, and the first half of its detours; what they
//! cost, and what they load.
//!
//! Two kinds of machines have two kinds of ways. On dragonflies, intermediates are groups, and the minimal way is at
//! most one hop to a router with a cable to the other group, that cable, and a hop in the other group; several cables
//! share. Elsewhere intermediates are routers with nodes, and the minimal way is that of `ecmp-hop`: all shortest
//! paths, an equal share at every router. All ways to one router are then an [`ShortestPathDag`]. From nearest to
//! farthest it gives costs (a router's cost is the mean over its links of the link's length and the next router's
//! cost); from farthest to nearest it gives loads (a router sends what it has in equal parts over these links).
//!
//! *Rows* hold a number for each intermediate, filled up to a multiple of [`LANES`].

use std::borrow::Cow;

use rayon::prelude::*;

use super::network::{Network, add_values};
use crate::mapping::Fabric;
use crate::mapping::routing::{Groups, ShortestPathDag, is_dragonfly};
use nodeorder_base::Result;

/// Rows are filled up to a multiple of this length.
pub const LANES: usize = 16;
/// Number of pieces in which link loads are summed in parallel: the same for any number of threads.
pub const PIECES: usize = 4;

/// Fixed ways between routers: those of `minimal` on dragonflies, those of `ecmp-hop` elsewhere.
pub struct MinimalRoutes<'a> {
    network: &'a Network<'a>,
    /// Groups of a dragonfly; `None` elsewhere.
    groups: Option<Groups>,
    /// Routers with nodes, ascending.
    hosts: Vec<u32>,
    /// Position of each router among them.
    places: Vec<usize>,
    /// Ways to each router; empty on dragonflies.
    ways: Vec<ShortestPathDag>,
}

/// Costs of ways at some lengths of links.
pub struct RouteCosts<'a> {
    lengths: &'a [f64],
    /// Cost to each router from every one; empty on dragonflies.
    minimal: Vec<Vec<f64>>,
    /// From every router, a row of costs to each intermediate; infinite to the router's own.
    pub outward: Vec<Vec<f64>>,
}

impl<'a> MinimalRoutes<'a> {
    /// Finds all fixed ways. Fails if the groups of a dragonfly cannot be told apart.
    pub fn new(fabric: &Fabric<'a>, network: &'a Network<'a>) -> Result<Self> {
        let groups = is_dragonfly(fabric.topology)
            .then(|| Groups::new(fabric))
            .transpose()?;
        let nodes = fabric.topology.nodes().iter();
        let mut hosts: Vec<u32> = nodes
            .map(|node| fabric.topology.router_of(node).0)
            .collect();
        hosts.sort_unstable();
        hosts.dedup();
        let mut places = vec![usize::MAX; network.router_count()];
        for (place, host) in hosts.iter().enumerate() {
            places[*host as usize] = place;
        }
        // Ways on dragonflies follow from cables; no router's ways need to be kept.
        let targets = match groups {
            Some(_) => 0,
            None => network.router_count() as u32,
        };
        let ways = (0..targets)
            .into_par_iter()
            .map(|to| ShortestPathDag::new(network.graph, to))
            .collect();
        Ok(MinimalRoutes {
            network,
            groups,
            hosts,
            places,
            ways,
        })
    }

    /// Counts the intermediates: groups, or routers with nodes.
    pub fn intermediate_count(&self) -> usize {
        match &self.groups {
            Some(groups) => groups.count as usize,
            None => self.hosts.len(),
        }
    }

    /// Makes a row that has `value` for every intermediate but `own`, and `rest` there and at its end.
    pub fn fill_row(&self, own: usize, rest: f64, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let count = self.intermediate_count();
        let mut row = vec![rest; count.next_multiple_of(LANES)];
        for place in (0..count).filter(|place| *place != own) {
            row[place] = value(place);
        }
        row
    }

    /// Finds the intermediate that a router is itself, or lies in.
    pub fn intermediate_of(&self, router: u32) -> usize {
        match &self.groups {
            Some(groups) => groups.group_of(router) as usize,
            None => self.places[router as usize],
        }
    }

    /// Checks whether traffic between two routers may take detours.
    pub fn may_detour(&self, from: u32, to: u32) -> bool {
        self.intermediate_count() > 2 && self.intermediate_of(from) != self.intermediate_of(to)
    }

    /// Finds the row of [`MinimalRoutes::onward_costs`] that a source uses: on dragonflies that of its group.
    pub fn onward_row(&self, from: u32) -> usize {
        // Where traffic enters an intermediate group depends on the group that it comes from.
        match &self.groups {
            Some(groups) => groups.group_of(from) as usize,
            None => 0,
        }
    }

    /// Computes the costs of a unit of traffic at `lengths`.
    pub fn route_costs<'l>(&self, lengths: &'l [f64]) -> RouteCosts<'l> {
        let ways = self.ways.par_iter();
        let minimal: Vec<Vec<f64>> = ways
            .map(|ways| path_costs(ways, self.network, lengths))
            .collect();
        let outward = (0..self.network.router_count() as u32)
            .into_par_iter()
            .map(|router| {
                let own = self.intermediate_of(router);
                self.fill_row(own, f64::INFINITY, |place| match &self.groups {
                    None => minimal[self.hosts[place] as usize][router as usize],
                    Some(groups) => groups
                        .cables_between(groups.group_of(router), place as u32)
                        .iter()
                        .map(|c| {
                            c.share * (self.hop_cost(router, c.from, lengths) + lengths[c.link])
                        })
                        .sum(),
                })
            })
            .collect();
        RouteCosts {
            lengths,
            minimal,
            outward,
        }
    }

    /// Computes the cost of a unit of traffic to `target` from every router.
    pub fn costs_to<'c>(&self, target: u32, costs: &'c RouteCosts<'_>) -> Cow<'c, [f64]> {
        let Some(groups) = &self.groups else {
            return Cow::Borrowed(&costs.minimal[target as usize]);
        };
        let there = groups.group_of(target);
        // From the ends of each group's cables, in the target's group.
        let mut ends = Vec::new();
        for group in 0..groups.count {
            let cables = groups.cables_between(group, there).iter();
            let hops = cables.map(|c| c.share * self.hop_cost(c.to, target, costs.lengths));
            ends.push(hops.sum::<f64>());
        }
        (0..self.network.router_count() as u32)
            .map(|from| {
                let here = groups.group_of(from);
                if here == there {
                    return self.hop_cost(from, target, costs.lengths);
                }
                costs.outward[from as usize][there as usize] + ends[here as usize]
            })
            .collect()
    }

    /// Computes the cost of a unit from each intermediate onward to `target`, for sources that use `row`; `costs` are
    /// those of [`MinimalRoutes::costs_to`]. Infinite from the target's own.
    pub fn onward_costs(&self, row: usize, target: u32, costs: &[f64]) -> Vec<f64> {
        let own = self.intermediate_of(target);
        self.fill_row(own, f64::INFINITY, |place| match &self.groups {
            None => costs[self.hosts[place] as usize],
            Some(groups) => {
                let cables = groups.cables_between(row as u32, place as u32).iter();
                cables.map(|c| c.share * costs[c.to as usize]).sum()
            }
        })
    }

    /// Adds `volumes`, a row of traffic that goes onward from intermediates, to the volumes `sent` by routers.
    pub fn send_onward(&self, row: usize, volumes: &[f64], sent: &mut [f64]) {
        for (to, volume) in (0..).zip(volumes).filter(|(_, volume)| **volume > 0.0) {
            match &self.groups {
                None => sent[self.hosts[to] as usize] += volume,
                Some(groups) => {
                    for cable in groups.cables_between(row as u32, to as u32) {
                        sent[cable.to as usize] += volume * cable.share;
                    }
                }
            }
        }
    }

    /// Computes the loads of links, from what every router sends to each intermediate and, the minimal way, to
    /// each router. On dragonflies the latter first joins the former, as far as the target's group.
    pub fn link_loads(&self, outward: &mut [Vec<f64>], sent: &[Vec<f64>]) -> Vec<f64> {
        match &self.groups {
            Some(groups) => self.dragonfly_loads(groups, outward, sent),
            None => self.ecmp_loads(outward, sent),
        }
    }

    /// Computes the loads where ways are those of `ecmp-hop`.
    fn ecmp_loads(&self, outward: &[Vec<f64>], sent: &[Vec<f64>]) -> Vec<f64> {
        let pieces: Vec<Vec<f64>> = self
            .hosts
            .par_chunks(self.hosts.len().div_ceil(PIECES))
            .map(|hosts| {
                let mut loads = vec![0.0; self.network.inverse_capacity.len()];
                for host in hosts {
                    let place = self.places[*host as usize];
                    let mut volumes: Vec<f64> = outward
                        .iter()
                        .map(|row| row.get(place).copied().unwrap_or(0.0))
                        .collect();
                    add_values(&mut volumes, &sent[*host as usize]);
                    self.ways[*host as usize].add_loads(
                        self.network.graph,
                        &mut volumes,
                        &mut loads,
                    );
                }
                loads
            })
            .collect();
        let mut loads = vec![0.0; self.network.inverse_capacity.len()];
        pieces
            .iter()
            .for_each(|piece| add_values(&mut loads, piece));
        loads
    }

    /// Computes the loads on a dragonfly.
    fn dragonfly_loads(
        &self,
        groups: &Groups,
        outward: &mut [Vec<f64>],
        sent: &[Vec<f64>],
    ) -> Vec<f64> {
        let mut loads = vec![0.0; self.network.inverse_capacity.len()];
        let graph = self.network.graph;
        let width = (groups.count as usize).next_multiple_of(LANES);
        for (target, sent) in (0..).zip(sent) {
            let there = groups.group_of(target);
            // By group that traffic comes from: its volume at the cables into the target's group.
            let mut ends = vec![0.0; groups.count as usize];
            for (from, volume) in (0..).zip(sent).filter(|(_, volume)| **volume > 0.0) {
                if groups.group_of(from) == there {
                    graph.add_load(from, target, *volume, &mut loads);
                    continue;
                }
                let row = &mut outward[from as usize];
                row.resize(width, 0.0);
                row[there as usize] += volume;
                ends[groups.group_of(from) as usize] += volume;
            }
            for (group, volume) in (0..).zip(ends).filter(|(_, volume)| *volume > 0.0) {
                for cable in groups.cables_between(group, there) {
                    graph.add_load(cable.to, target, volume * cable.share, &mut loads);
                }
            }
        }
        for (router, row) in (0..).zip(outward) {
            for (group, volume) in (0..).zip(&*row).filter(|(_, volume)| **volume > 0.0) {
                for cable in groups.cables_between(groups.group_of(router), group) {
                    graph.add_load(router, cable.from, volume * cable.share, &mut loads);
                    loads[cable.link] += volume * cable.share;
                }
            }
        }
        loads
    }

    /// Looks up the length of the link between two routers of a group; 0 for one router.
    fn hop_cost(&self, from: u32, to: u32, lengths: &[f64]) -> f64 {
        let link = self.network.graph.find_link(from, to);
        link.map_or(0.0, |link| lengths[link])
    }
}

/// Computes the cost of a unit of traffic from every router to the root of `ways`.
fn path_costs(ways: &ShortestPathDag, network: &Network<'_>, lengths: &[f64]) -> Vec<f64> {
    let mut costs = vec![0.0; network.router_count()];
    for (router, links) in ways.iter() {
        let mut sum = 0.0;
        for link in links {
            let next = network.graph.link_head(*link as usize);
            sum += lengths[*link as usize] + costs[next as usize];
        }
        costs[router] = sum / links.len() as f64;
    }
    costs
}

//! The minimal way of `adaptive` routing, and the first half of its detours: what they cost, and what they load.

use rayon::prelude::*;

use super::network::Network;
use crate::error::Result;
use crate::ids::RouterId;
use crate::mapping::Fabric;
use crate::mapping::routing::{Cable, Groups, is_dragonfly};
use crate::topology::graph::step;

/// Fixed ways between routers: those of `minimal` on dragonflies, those of `ecmp-hop` elsewhere.
pub(super) struct Minimal<'a> {
    network: &'a Network<'a>,
    groups: Option<Groups>,
    /// The routers with nodes.
    hosts: Vec<u32>,
    /// Position of each router among them.
    places: Vec<usize>,
    /// The ways to each router from all, and the routers, nearest first; not on dragonflies.
    searches: Vec<(Vec<u64>, Vec<u32>)>,
}

impl<'a> Minimal<'a> {
    pub fn new(fabric: &Fabric<'a>, network: &'a Network<'a>) -> Result<Self> {
        let dragonfly = is_dragonfly(fabric.topology);
        let groups = dragonfly.then(|| Groups::new(fabric)).transpose()?;
        let nodes = fabric.topology.nodes().iter();
        let mut hosts: Vec<u32> = nodes.map(|node| fabric.topology.router_of(node).0).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let mut places = vec![usize::MAX; network.routers()];
        hosts.iter().enumerate().for_each(|(place, host)| places[*host as usize] = place);
        let targets = if dragonfly { 0 } else { network.routers() as u32 };
        let searches = (0..targets).into_par_iter().map(|to| search(network, to)).collect();
        Ok(Minimal { network, groups, hosts, places, searches })
    }

    /// Number of intermediates: groups, or routers with nodes.
    pub fn intermediates(&self) -> usize {
        self.groups.as_ref().map_or(self.hosts.len(), |groups| groups.count as usize)
    }

    /// The intermediate that a router is itself, or lies in.
    pub fn own(&self, router: u32) -> usize {
        match &self.groups {
            Some(groups) => groups.of(router) as usize,
            None => self.places[router as usize],
        }
    }

    /// Whether traffic between two routers may take detours.
    pub fn may_detour(&self, from: u32, to: u32) -> bool {
        self.intermediates() > 2 && self.own(from) != self.own(to)
    }

    /// Which of the rows of [`Minimal::onward`] is that of a source.
    pub fn row(&self, from: u32) -> usize {
        self.groups.as_ref().map_or(0, |groups| groups.of(from) as usize)
    }

    /// Cost of a unit of traffic to `target` from every router.
    pub fn costs(&self, target: u32, lengths: &[f64]) -> Vec<f64> {
        let mut costs = vec![0.0; self.network.routers()];
        if let Some(groups) = &self.groups {
            for from in (0..costs.len() as u32).filter(|from| *from != target) {
                costs[from as usize] = if groups.of(from) == groups.of(target) {
                    self.hop(from, target, lengths)
                } else {
                    let cables = groups.cables(groups.of(from), groups.of(target)).iter();
                    cables
                        .map(|c| {
                            let way = self.hop(from, c.from, lengths) + lengths[c.link];
                            c.share * (way + self.hop(c.to, target, lengths))
                        })
                        .sum()
                };
            }
            return costs;
        }
        let (ways, nearest) = &self.searches[target as usize];
        for router in &nearest[1..] {
            let (mut sum, mut count) = (0.0, 0.0);
            self.next(ways, *router, |link, to| {
                sum += lengths[link] + costs[to];
                count += 1.0;
            });
            costs[*router as usize] = sum / count;
        }
        costs
    }

    /// Adds what traffic to `target` loads, so much from every router.
    pub fn load(&self, target: u32, mut volumes: Vec<f64>, loads: &mut [f64]) {
        if let Some(groups) = &self.groups {
            let graph = self.network.graph;
            for (from, volume) in (0..).zip(volumes).filter(|(from, v)| *from != target && *v > 0.0)
            {
                if groups.of(from) == groups.of(target) {
                    graph.load(from, target, volume, loads);
                    continue;
                }
                for cable in groups.cables(groups.of(from), groups.of(target)) {
                    graph.load(from, cable.from, volume * cable.share, loads);
                    loads[cable.link] += volume * cable.share;
                    graph.load(cable.to, target, volume * cable.share, loads);
                }
            }
            return;
        }
        let (ways, nearest) = &self.searches[target as usize];
        for router in nearest[1..].iter().rev() {
            let volume = volumes[*router as usize];
            if volume > 0.0 {
                let mut count = 0.0;
                self.next(ways, *router, |_, _| count += 1.0);
                self.next(ways, *router, |link, to| {
                    loads[link] += volume / count;
                    volumes[to] += volume / count;
                });
            }
        }
    }

    /// Cost of a unit from every router to each intermediate, router by router; `costs` are those to each router.
    pub fn outward(&self, costs: &[Vec<f64>], lengths: &[f64]) -> Vec<Vec<f64>> {
        let to_group = |groups: &Groups, router: u32, group: u32| {
            let cables = groups.cables(groups.of(router), group).iter();
            let way = |c: &Cable| c.share * (self.hop(router, c.from, lengths) + lengths[c.link]);
            cables.map(way).sum()
        };
        let row = |router: u32| match &self.groups {
            Some(groups) => (0..groups.count).map(|g| to_group(groups, router, g)).collect(),
            None => self.hosts.iter().map(|host| costs[*host as usize][router as usize]).collect(),
        };
        (0..self.network.routers() as u32).into_par_iter().map(row).collect()
    }

    /// Adds what traffic to intermediates loads, so much from every router to each.
    pub fn load_outward(&self, volumes: &[Vec<f64>], loads: &mut [f64]) {
        let Some(groups) = &self.groups else {
            for (place, host) in self.hosts.iter().enumerate() {
                let from = volumes.iter().map(|row| row.get(place).copied().unwrap_or(0.0));
                self.load(*host, from.collect(), loads);
            }
            return;
        };
        for (router, row) in (0..).zip(volumes) {
            for (group, volume) in (0..).zip(row).filter(|(_, volume)| **volume > 0.0) {
                for cable in groups.cables(groups.of(router), group) {
                    self.network.graph.load(router, cable.from, volume * cable.share, loads);
                    loads[cable.link] += volume * cable.share;
                }
            }
        }
    }

    /// Cost of a unit on from each intermediate, by source group where these are groups: rows of intermediates.
    pub fn onward(&self, costs: &[f64]) -> Vec<Vec<f64>> {
        let Some(groups) = &self.groups else {
            return vec![self.hosts.iter().map(|host| costs[*host as usize]).collect()];
        };
        let mean = |from: u32, to: u32| {
            groups.cables(from, to).iter().map(|c| c.share * costs[c.to as usize]).sum()
        };
        let row = |from: u32| (0..groups.count).map(|to| mean(from, to)).collect();
        (0..groups.count).map(row).collect()
    }

    /// Adds traffic that goes on from intermediates, in the form of [`Minimal::onward`], to what routers send.
    pub fn send_onward(&self, volumes: &[Vec<f64>], sent: &mut [f64]) {
        for (from, row) in (0..).zip(volumes) {
            for (to, volume) in row.iter().enumerate().filter(|(_, volume)| **volume > 0.0) {
                match &self.groups {
                    None => sent[self.hosts[to] as usize] += volume,
                    Some(groups) => groups
                        .cables(from, to as u32)
                        .iter()
                        .for_each(|c| sent[c.to as usize] += volume * c.share),
                }
            }
        }
    }

    fn hop(&self, from: u32, to: u32, lengths: &[f64]) -> f64 {
        self.network.graph.index(from, to).map_or(0.0, |link| lengths[link])
    }

    /// Calls `visit` with the links by which `ecmp-hop` leaves a router, and the routers that they enter.
    fn next(&self, ways: &[u64], router: u32, mut visit: impl FnMut(usize, usize)) {
        let graph = self.network.graph;
        for link in graph.leaving(router) {
            let to = graph.head(link) as usize;
            if ways[to] + step(graph.weight(link) as u32) == ways[router as usize] {
                visit(link, to);
            }
        }
    }
}

/// The ways from all routers to `target`, and the routers, nearest first.
fn search(network: &Network<'_>, target: u32) -> (Vec<u64>, Vec<u32>) {
    let (graph, target) = (network.graph, RouterId(target));
    let (mut ways, mut nearest) = (vec![0; network.routers()], Vec::new());
    if graph.is_weighted() {
        graph.fill_ways(target, &mut ways, &mut nearest);
    } else {
        let mut hops = vec![0; ways.len()];
        graph.fill_hops(target, &mut hops, &mut nearest);
        ways.iter_mut().zip(hops).for_each(|(way, hops)| *way = u64::from(hops) * step(1));
    }
    (ways, nearest)
}

//! The minimal way of `adaptive` routing, and the first half of its detours: what they cost, and what they load.

use std::borrow::Cow;

use rayon::prelude::*;

use super::network::{Network, add};
use crate::mapping::Fabric;
use crate::mapping::routing::{Cable, Groups, is_dragonfly};
use nodeorder_base::error::Result;
use nodeorder_base::ids::RouterId;
use nodeorder_network::topology::graph::step;

/// Rows of intermediates are filled up to a multiple of this many.
pub(super) const LANES: usize = 16;
/// Threads share what is added up for routers in this many pieces.
pub(super) const PIECES: usize = 4;

/// Fixed ways between routers: those of `minimal` on dragonflies, those of `ecmp-hop` elsewhere.
pub(super) struct Minimal<'a> {
    network: &'a Network<'a>,
    groups: Option<Groups>,
    /// The routers with nodes.
    hosts: Vec<u32>,
    /// Position of each router among them.
    places: Vec<usize>,
    /// The ways to each router; not on dragonflies.
    ways: Vec<Ways>,
}

/// The ways of `ecmp-hop` from all routers to one.
struct Ways {
    /// The routers, nearest first.
    nearest: Vec<u32>,
    /// Where the links of each of them begin in `links`.
    first: Vec<u32>,
    /// The links by which traffic leaves each of them, in equal shares.
    links: Vec<u32>,
}

/// Costs of ways at some lengths of links.
pub(super) struct Costs<'a> {
    lengths: &'a [f64],
    /// From every router to each; not on dragonflies.
    minimal: Vec<Vec<f64>>,
    /// From every router to each intermediate, endless to the router's own, as rows of a multiple of [`LANES`].
    pub outward: Vec<Vec<f64>>,
}

impl<'a> Minimal<'a> {
    pub fn new(fabric: &Fabric<'a>, network: &'a Network<'a>) -> Result<Self> {
        let dragonfly = is_dragonfly(fabric.topology);
        let groups = dragonfly.then(|| Groups::new(fabric)).transpose()?;
        let nodes = fabric.topology.nodes().iter();
        let mut hosts: Vec<u32> = nodes
            .map(|node| fabric.topology.router_of(node).0)
            .collect();
        hosts.sort_unstable();
        hosts.dedup();
        let mut places = vec![usize::MAX; network.routers()];
        hosts
            .iter()
            .enumerate()
            .for_each(|(place, host)| places[*host as usize] = place);
        let targets = if dragonfly {
            0
        } else {
            network.routers() as u32
        };
        let ways = (0..targets)
            .into_par_iter()
            .map(|to| Ways::new(network, to))
            .collect();
        Ok(Minimal {
            network,
            groups,
            hosts,
            places,
            ways,
        })
    }

    /// Number of intermediates: groups, or routers with nodes.
    pub fn intermediates(&self) -> usize {
        self.groups
            .as_ref()
            .map_or(self.hosts.len(), |groups| groups.count as usize)
    }

    /// A row that has `value` for every intermediate but `own`, and `rest` there and at its end.
    pub fn fill(&self, own: usize, rest: f64, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let count = self.intermediates();
        let one = |place: usize| {
            if place < count && place != own {
                value(place)
            } else {
                rest
            }
        };
        (0..count.next_multiple_of(LANES)).map(one).collect()
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
        self.groups
            .as_ref()
            .map_or(0, |groups| groups.of(from) as usize)
    }

    /// Costs of a unit of traffic at `lengths`.
    pub fn costs<'l>(&self, lengths: &'l [f64]) -> Costs<'l> {
        let ways = self
            .ways
            .par_iter()
            .map(|ways| ways.costs(self.network, lengths));
        let minimal: Vec<Vec<f64>> = ways.collect();
        let to = |router: u32, place: usize| match &self.groups {
            None => minimal[self.hosts[place] as usize][router as usize],
            Some(groups) => {
                let cables = groups.cables(groups.of(router), place as u32).iter();
                let cost =
                    |c: &Cable| c.share * (self.hop(router, c.from, lengths) + lengths[c.link]);
                cables.map(cost).sum()
            }
        };
        let row = |from: u32| self.fill(self.own(from), f64::INFINITY, |place| to(from, place));
        let outward = (0..self.network.routers() as u32)
            .into_par_iter()
            .map(row)
            .collect();
        Costs {
            lengths,
            minimal,
            outward,
        }
    }

    /// Cost of a unit of traffic to `target` from every router.
    pub fn to<'c>(&self, target: u32, costs: &'c Costs<'_>) -> Cow<'c, [f64]> {
        let Some(groups) = &self.groups else {
            return Cow::Borrowed(&costs.minimal[target as usize]);
        };
        let there = groups.of(target);
        let last = |c: &Cable| c.share * self.hop(c.to, target, costs.lengths);
        let ends = (0..groups.count).map(|g| groups.cables(g, there).iter().map(last).sum());
        let ends: Vec<f64> = ends.collect();
        let cost = |from: u32| {
            let here = groups.of(from);
            if here == there {
                return self.hop(from, target, costs.lengths);
            }
            costs.outward[from as usize][there as usize] + ends[here as usize]
        };
        (0..self.network.routers() as u32).map(cost).collect()
    }

    /// Cost of a unit on from each intermediate, for traffic to `target` from sources with this row; `costs` are those
    /// of [`Minimal::to`]. Endless from the target's own.
    pub fn onward(&self, row: usize, target: u32, costs: &[f64]) -> Vec<f64> {
        self.fill(self.own(target), f64::INFINITY, |place| {
            match &self.groups {
                None => costs[self.hosts[place] as usize],
                Some(groups) => {
                    let cables = groups.cables(row as u32, place as u32).iter();
                    cables.map(|c| c.share * costs[c.to as usize]).sum()
                }
            }
        })
    }

    /// Adds traffic that goes on from intermediates, in the form of [`Minimal::onward`], to what routers send.
    pub fn send_onward(&self, row: usize, volumes: &[f64], sent: &mut [f64]) {
        for (to, volume) in volumes
            .iter()
            .enumerate()
            .filter(|(_, volume)| **volume > 0.0)
        {
            match &self.groups {
                None => sent[self.hosts[to] as usize] += volume,
                Some(groups) => {
                    let cables = groups.cables(row as u32, to as u32).iter();
                    cables.for_each(|c| sent[c.to as usize] += volume * c.share);
                }
            }
        }
    }

    /// Loads of links, from what every router sends to each intermediate and, the minimal way, to each router. On
    /// dragonflies the latter first joins the former, as far as the target's group.
    pub fn load(&self, outward: &mut [Vec<f64>], sent: &[Vec<f64>]) -> Vec<f64> {
        let mut loads = vec![0.0; self.network.per.len()];
        let Some(groups) = &self.groups else {
            let piece = |hosts: &[u32]| {
                let mut loads = vec![0.0; loads.len()];
                for host in hosts {
                    let place = self.places[*host as usize];
                    let volume = |row: &Vec<f64>| row.get(place).copied().unwrap_or(0.0);
                    let mut volumes: Vec<f64> = outward.iter().map(volume).collect();
                    add(&mut volumes, &sent[*host as usize]);
                    self.ways[*host as usize].load(self.network, &mut volumes, &mut loads);
                }
                loads
            };
            let pieces = self.hosts.par_chunks(self.hosts.len().div_ceil(PIECES));
            let pieces: Vec<Vec<f64>> = pieces.map(piece).collect();
            pieces.iter().for_each(|piece| add(&mut loads, piece));
            return loads;
        };
        let graph = self.network.graph;
        let far = (groups.count as usize).next_multiple_of(LANES);
        for (target, sent) in (0..).zip(sent) {
            let there = groups.of(target);
            let mut ends = vec![0.0; groups.count as usize];
            for (from, volume) in (0..).zip(sent).filter(|(_, volume)| **volume > 0.0) {
                if groups.of(from) == there {
                    graph.load(from, target, *volume, &mut loads);
                    continue;
                }
                let row = &mut outward[from as usize];
                row.resize(far, 0.0);
                row[there as usize] += volume;
                ends[groups.of(from) as usize] += volume;
            }
            for (group, volume) in (0..).zip(ends).filter(|(_, volume)| *volume > 0.0) {
                let cables = groups.cables(group, there).iter();
                cables.for_each(|c| graph.load(c.to, target, volume * c.share, &mut loads));
            }
        }
        for (router, row) in (0..).zip(outward) {
            for (group, volume) in (0..).zip(&*row).filter(|(_, volume)| **volume > 0.0) {
                for cable in groups.cables(groups.of(router), group) {
                    graph.load(router, cable.from, volume * cable.share, &mut loads);
                    loads[cable.link] += volume * cable.share;
                }
            }
        }
        loads
    }

    fn hop(&self, from: u32, to: u32, lengths: &[f64]) -> f64 {
        self.network
            .graph
            .index(from, to)
            .map_or(0.0, |link| lengths[link])
    }
}

impl Ways {
    fn new(network: &Network<'_>, target: u32) -> Self {
        let graph = network.graph;
        let (mut ways, mut nearest) = (vec![0; network.routers()], Vec::new());
        if graph.is_weighted() {
            graph.fill_ways(RouterId(target), &mut ways, &mut nearest);
        } else {
            let mut hops = vec![0; ways.len()];
            graph.fill_hops(RouterId(target), &mut hops, &mut nearest);
            ways.iter_mut()
                .zip(hops)
                .for_each(|(way, hops)| *way = u64::from(hops) * step(1));
        }
        let (mut first, mut links) = (vec![0], Vec::new());
        for router in &nearest {
            let nearer = |link: &usize| {
                let way = ways[graph.head(*link) as usize] + step(graph.weight(*link) as u32);
                *router != target && way == ways[*router as usize]
            };
            links.extend(
                graph
                    .leaving(*router)
                    .filter(nearer)
                    .map(|link| link as u32),
            );
            first.push(links.len() as u32);
        }
        Ways {
            nearest,
            first,
            links,
        }
    }

    /// Routers other than the target with the links that they use, nearest first.
    fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &[u32])> {
        let links = |ends: &[u32]| &self.links[ends[0] as usize..ends[1] as usize];
        let routers = self.nearest.iter().map(|router| *router as usize);
        routers
            .zip(self.first.windows(2))
            .skip(1)
            .map(move |(router, ends)| (router, links(ends)))
    }

    /// Cost of a unit from every router.
    fn costs(&self, network: &Network<'_>, lengths: &[f64]) -> Vec<f64> {
        let mut costs = vec![0.0; network.routers()];
        for (router, links) in self.iter() {
            let way =
                |l: &u32| lengths[*l as usize] + costs[network.graph.head(*l as usize) as usize];
            costs[router] = links.iter().map(way).sum::<f64>() / links.len() as f64;
        }
        costs
    }

    /// Adds what traffic to the target loads, so much from every router.
    fn load(&self, network: &Network<'_>, volumes: &mut [f64], loads: &mut [f64]) {
        for (router, links) in self.iter().rev() {
            let volume = volumes[router] / links.len() as f64;
            for link in links.iter().filter(|_| volume > 0.0) {
                loads[*link as usize] += volume;
                volumes[network.graph.head(*link as usize) as usize] += volume;
            }
        }
    }
}

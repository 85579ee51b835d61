//! `ecmp-hop` for the few routers of a window: flows are gathered on their way to one target after the other.

use super::link_loads::LinkTally;
use crate::mapping::{Demand, End, Fabric};
use nodeorder_base::{Result, RouterId};
use nodeorder_network::{Metric, RouterGraph, Topology};
use rayon::prelude::*;

/// Largest table of distances and next hops, in bytes: nine for each pair of routers.
const TABLE_BYTES: u64 = 1 << 28;

/// Most neighbours of a router in the table, a bit each.
const MOST_PORTS: usize = 64;

/// Finds the loads of windows under `ecmp-hop` on a machine without weights.
///
/// To each target, routers are taken farthest first: what has arrived at one is split equally over its neighbours that
/// are one hop nearer, as [`crate::mapping::ROUTINGS`] says of `ecmp-hop`. Only routers on the way are touched, so that
/// a window costs its routers times the links on their ways, and not the machine's links.
pub(super) struct FlowGatherer<'f> {
    topology: &'f Topology,
    links: &'f RouterGraph,
    distances: Distances,
}

/// Source of the hops to a target.
enum Distances {
    /// Hops of all pairs, target by target, and which neighbours are nearer, one bit each.
    Table { hops: Vec<u8>, nearer: Vec<u64> },
    /// A closed form.
    Formula,
    /// A search from each target.
    Search,
}

/// Buffers of one thread.
pub(super) struct GatherBuffers {
    /// Volume that has arrived at each router; zero between two targets.
    arrived: Vec<f64>,
    /// Routers with something to send on, by their hops to the target.
    waiting: Vec<Vec<u32>>,
    /// Links to the neighbours that are nearer to the target, and these neighbours.
    next: Vec<(usize, u32)>,
    /// Hops to the present target, where they are searched for.
    hops: Vec<u32>,
    queue: Vec<u32>,
}

impl GatherBuffers {
    /// Makes room for the routers of a machine.
    pub fn new(routers: usize) -> Self {
        GatherBuffers {
            arrived: vec![0.0; routers],
            waiting: Vec::new(),
            next: Vec::new(),
            hops: vec![0; routers],
            queue: Vec::new(),
        }
    }
}

impl<'f> FlowGatherer<'f> {
    /// Prepares the distances of a machine. Fails if more memory is needed than allowed.
    ///
    /// # Complexity
    /// O(routers · links) where a table of all distances fits, else nothing.
    pub fn new(fabric: &Fabric<'f>) -> Result<Self> {
        let topology = fabric.topology;
        let graph = topology.graph()?;
        let routers = graph.router_count() as u64;
        let bytes = 9 * routers * routers;
        let fits = bytes <= TABLE_BYTES && topology.require_memory("distances", bytes).is_ok();
        let table = if fits { fill_table(graph) } else { None };
        let distances = match (table, topology.metric()) {
            (Some((hops, nearer)), _) => Distances::Table { hops, nearer },
            (None, Metric::Product(_)) => Distances::Formula,
            // Formulas of trees know leaf switches alone.
            (None, _) => Distances::Search,
        };
        Ok(FlowGatherer {
            topology,
            links: fabric.links,
            distances,
        })
    }

    /// Adds the loads of `demand` where each message goes by way of every router in equal parts.
    pub fn add_spread(&self, demand: &Demand, buffers: &mut GatherBuffers, tally: &mut LinkTally) {
        let component_of = self.topology.network().component_of();
        let spread = demand.spread_over_routers(self.links.router_count(), component_of);
        let mut row = Vec::new();
        for (root, target) in spread.roots(End::Target).iter().enumerate() {
            let flows = spread.flows_at(End::Target, root, &mut row).iter();
            let flows = flows.map(|flow| (flow.router, flow.volume));
            self.add_flows(*target, flows, buffers, tally);
        }
    }

    /// Adds the loads of `flows` to the router `target`; each is a source, another router, with its volume.
    pub fn add_flows(
        &self,
        target: u32,
        flows: impl Iterator<Item = (u32, f64)>,
        buffers: &mut GatherBuffers,
        tally: &mut LinkTally,
    ) {
        match &self.distances {
            Distances::Table { hops, nearer } => {
                let routers = self.links.router_count();
                let row = target as usize * routers..(target as usize + 1) * routers;
                let hops = &hops[row.clone()];
                let nearer = &nearer[row];
                self.gather_flows(
                    |v| u32::from(hops[v as usize]),
                    |v, _, next| {
                        let first = self.links.links_from(v).start;
                        let heads = self.links.heads_from(v);
                        let mut left = nearer[v as usize];
                        while left != 0 {
                            let port = left.trailing_zeros() as usize;
                            left &= left - 1;
                            next.push((first + port, heads[port]));
                        }
                    },
                    flows,
                    buffers,
                    tally,
                );
            }
            Distances::Formula => {
                let target = RouterId(target);
                let metric = self.topology.metric();
                let hops_to = |v| {
                    metric
                        .distance_between(RouterId(v), target)
                        .unwrap_or(u32::MAX)
                };
                self.scan_flows(hops_to, flows, buffers, tally);
            }
            Distances::Search => {
                let mut hops = std::mem::take(&mut buffers.hops);
                self.links
                    .fill_hops(RouterId(target), &mut hops, &mut buffers.queue);
                self.scan_flows(|v| hops[v as usize], flows, buffers, tally);
                buffers.hops = hops;
            }
        }
    }

    /// Gathers flows where the distances of all neighbours tell which are nearer.
    fn scan_flows(
        &self,
        hops_to: impl Fn(u32) -> u32,
        flows: impl Iterator<Item = (u32, f64)>,
        buffers: &mut GatherBuffers,
        tally: &mut LinkTally,
    ) {
        self.gather_flows(
            &hops_to,
            |v, hops, next| {
                for (link, head) in self.links.links_from(v).zip(self.links.heads_from(v)) {
                    if hops_to(*head) as usize == hops - 1 {
                        next.push((link, *head));
                    }
                }
            },
            flows,
            buffers,
            tally,
        );
    }

    /// Adds the loads of flows to a target, of which `hops_to` returns the distance from a router; `list_nearer` takes
    /// a router and its distance, and lists the links to neighbours that are nearer.
    fn gather_flows(
        &self,
        hops_to: impl Fn(u32) -> u32,
        list_nearer: impl Fn(u32, usize, &mut Vec<(usize, u32)>),
        flows: impl Iterator<Item = (u32, f64)>,
        buffers: &mut GatherBuffers,
        tally: &mut LinkTally,
    ) {
        let GatherBuffers {
            arrived,
            waiting,
            next,
            ..
        } = buffers;
        for (source, volume) in flows {
            let hops = hops_to(source) as usize;
            if waiting.len() <= hops {
                waiting.resize(hops + 1, Vec::new());
            }
            arrived[source as usize] = volume;
            waiting[hops].push(source);
        }
        for hops in (1..waiting.len()).rev() {
            let (nearer, here) = waiting.split_at_mut(hops);
            for router in here[0].drain(..) {
                next.clear();
                list_nearer(router, hops, next);
                let share = std::mem::take(&mut arrived[router as usize]) / next.len() as f64;
                for (link, head) in next.iter() {
                    // A joint is no cable: it carries nothing that counts.
                    if !self.links.is_joint(*link) {
                        tally.add_load(*link, share);
                    }
                    let sum = &mut arrived[*head as usize];
                    if *sum == 0.0 {
                        nearer[hops - 1].push(*head);
                    }
                    *sum += share;
                }
            }
        }
        // What has arrived at the target itself goes no further.
        if let Some(targets) = waiting.first_mut() {
            for target in targets.drain(..) {
                arrived[target as usize] = 0.0;
            }
        }
    }
}

/// Searches from every router: hops, and a bit for each neighbour that is nearer, by target, then by router. `None`
/// where hops are beyond a byte, or neighbours beyond the bits.
fn fill_table(graph: &RouterGraph) -> Option<(Vec<u8>, Vec<u64>)> {
    let routers = graph.router_count();
    let mut table = vec![0u8; routers * routers];
    let mut nearer = vec![0u64; routers * routers];
    let rows = table.par_chunks_mut(routers.max(1));
    let all_fit = rows
        .zip(nearer.par_chunks_mut(routers.max(1)))
        .enumerate()
        .map_init(
            || (vec![0; routers], Vec::new()),
            |(hops, queue), (root, (row, nearer))| {
                graph.fill_hops(RouterId(root as u32), hops, queue);
                for (byte, hops) in row.iter_mut().zip(hops.iter()) {
                    // A router in another component has no hops; no flow asks for them.
                    *byte = (*hops).min(255) as u8;
                }
                for v in queue.iter() {
                    let heads = graph.heads_from(*v);
                    if hops[*v as usize] >= 255 || heads.len() > MOST_PORTS {
                        return false;
                    }
                    for (port, head) in heads.iter().enumerate() {
                        if hops[*head as usize] < hops[*v as usize] {
                            nearer[*v as usize] |= 1 << port;
                        }
                    }
                }
                true
            },
        )
        .reduce(|| true, |a, b| a && b);
    all_fit.then_some((table, nearer))
}

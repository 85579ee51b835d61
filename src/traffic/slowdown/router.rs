//! The loads of one window after the other, in the fastest way that the routing has.

use super::gather::{FlowGatherer, GatherBuffers};
use super::grid::{GridBuffers, GridLoads};
use super::link_loads::{LinkLoads, LinkTally};
use crate::mapping::routing::{JobLoads, choose_detour_share, mix_loads};
use crate::mapping::{Demand, Fabric, FixedRouting, Guest, ProcessMapping, Traffic};
use nodeorder_base::{NodeId, Result};
use std::sync::{Mutex, MutexGuard};

/// Finds the loads of windows of one machine under one routing.
pub(super) struct WindowRouter<'f> {
    fabric: &'f Fabric<'f>,
    routing: FixedRouting,
    ways: LoadMethod<'f>,
    /// Buffers that no thread uses: fresh memory for all links costs more than a small window.
    spare: Mutex<Vec<WindowBuffers>>,
}

/// How loads are found.
enum LoadMethod<'f> {
    /// Dimension by dimension.
    Grid(GridLoads<'f>),
    /// Target by target.
    Gather(FlowGatherer<'f>),
    /// Target by target, over every router: flows to every router, and on from every router.
    Spread(FlowGatherer<'f>),
    /// Two routings, direct and over every router, in the shares that load a window's links least.
    Mixed(Box<[WindowRouter<'f>; 2]>),
    /// As the routing finds the loads of all links.
    AllLinks,
}

/// Buffers of one thread.
struct WindowBuffers {
    tally: LinkTally,
    grid: GridBuffers,
    gather: GatherBuffers,
    /// Routers of the window's processes.
    routers: Vec<u32>,
    /// Traffic between two routers: target, source and volume.
    flows: Vec<(u32, u32, f64)>,
}

impl<'f> WindowRouter<'f> {
    /// Prepares the routing on a machine.
    ///
    /// # Errors
    /// A machine that does not suit; more memory than allowed.
    pub fn new(fabric: &'f Fabric<'f>, routing: FixedRouting) -> Result<Self> {
        routing.check_machine(fabric.topology)?;
        let network = fabric.topology.network();
        // Rails share what one of them would carry: the routing itself knows how.
        let is_plain = network.rails().is_none() && !fabric.links.is_weighted();
        let ways = match routing.job_loads(fabric.topology) {
            JobLoads::Mixed => {
                let direct = FixedRouting::choose_natural(fabric.topology)?;
                let detours = FixedRouting::find_by_name("valiant:over=routers")?;
                LoadMethod::Mixed(Box::new([
                    WindowRouter::new(fabric, direct)?,
                    WindowRouter::new(fabric, detours)?,
                ]))
            }
            JobLoads::AlongLines if is_plain => LoadMethod::Grid(GridLoads::new(fabric)?),
            JobLoads::NextHops if is_plain => LoadMethod::Gather(FlowGatherer::new(fabric)?),
            JobLoads::NextHopsOverRouters if is_plain => {
                LoadMethod::Spread(FlowGatherer::new(fabric)?)
            }
            _ => LoadMethod::AllLinks,
        };
        Ok(WindowRouter {
            fabric,
            routing,
            ways,
            spare: Mutex::default(),
        })
    }

    /// Makes the buffers of a thread, empty where the routing does not use them.
    fn make_buffers(&self) -> WindowBuffers {
        let routers = self.fabric.links.router_count();
        let in_grid = matches!(self.ways, LoadMethod::Grid(_));
        let gathered = matches!(self.ways, LoadMethod::Gather(_) | LoadMethod::Spread(_));
        let any = !matches!(self.ways, LoadMethod::AllLinks);
        let size = |used: bool, size: usize| if used { size } else { 0 };
        WindowBuffers {
            tally: LinkTally::new(size(any, self.fabric.links.len())),
            grid: GridBuffers::new(size(in_grid, routers)),
            gather: GatherBuffers::new(size(gathered, routers)),
            routers: Vec::new(),
            flows: Vec::new(),
        }
    }

    /// Adds to `loads` the links of `guest`, with process i on the i-th of `nodes`.
    ///
    /// # Errors
    /// More memory than allowed.
    pub fn add_loads(&self, guest: &Guest, nodes: &[NodeId], loads: &mut LinkLoads) -> Result<()> {
        if let LoadMethod::AllLinks = self.ways {
            return self.collect_all_links(guest, nodes, loads);
        }
        let spare = self.lock_spare().pop();
        let mut buffers = spare.unwrap_or_else(|| self.make_buffers());
        self.sum_loads(guest, nodes, &mut buffers, loads)?;
        self.lock_spare().push(buffers);
        Ok(())
    }

    /// Locks the buffers that no thread uses.
    fn lock_spare(&self) -> MutexGuard<'_, Vec<WindowBuffers>> {
        self.spare.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Sums up the loads of a window.
    fn sum_loads(
        &self,
        guest: &Guest,
        nodes: &[NodeId],
        buffers: &mut WindowBuffers,
        loads: &mut LinkLoads,
    ) -> Result<()> {
        if let LoadMethod::Mixed(routers) = &self.ways {
            let [direct, detours] = routers.as_ref();
            let mut ways = [LinkLoads::default(), LinkLoads::default()];
            direct.add_loads(guest, nodes, &mut ways[0])?;
            detours.add_loads(guest, nodes, &mut ways[1])?;
            self.mix_loads(&ways, &mut buffers.tally, loads);
            return Ok(());
        }
        let topology = self.fabric.topology;
        buffers.routers.clear();
        let routers = nodes.iter().map(|node| topology.router_of(*node).0);
        buffers.routers.extend(routers);
        match (guest.traffic(), &self.ways) {
            (Traffic::AllToAll { volume }, LoadMethod::Grid(grid)) => {
                grid.all_to_all(&buffers.routers, *volume, &mut buffers.grid, loads);
                return Ok(());
            }
            (Traffic::AllToAll { volume }, LoadMethod::Gather(gatherer)) => {
                buffers.gather_all_to_all(gatherer, *volume);
            }
            (_, LoadMethod::Spread(gatherer)) => {
                let demand = self.make_demand(guest, nodes)?;
                gatherer.add_spread(&demand, &mut buffers.gather, &mut buffers.tally);
            }
            (_, LoadMethod::Grid(grid)) => {
                let WindowBuffers { routers, tally, .. } = buffers;
                guest.for_each_message(|message| {
                    let ends = [message.source, message.target].map(|i| routers[i as usize]);
                    grid.add_flow(ends[0], ends[1], message.volume, tally);
                });
            }
            (_, LoadMethod::Gather(gatherer)) => {
                buffers.list_flows(guest);
                buffers.gather_flows(gatherer);
            }
            (_, LoadMethod::Mixed(_) | LoadMethod::AllLinks) => {}
        }
        buffers.tally.move_loads(loads);
        Ok(())
    }

    /// Adds up the traffic between routers.
    fn make_demand(&self, guest: &Guest, nodes: &[NodeId]) -> Result<Demand> {
        let topology = self.fabric.topology;
        let mapping = ProcessMapping::new(topology, "window", nodes.to_vec())?;
        Demand::new(topology, guest, &mapping)
    }

    /// Mixes the loads of two routings in the shares that load the links least. Detours take every link that the direct
    /// way takes, as they are the same way where the router between is one of the ends.
    fn mix_loads(&self, ways: &[LinkLoads; 2], tally: &mut LinkTally, mixed: &mut LinkLoads) {
        let [direct, detours] = ways;
        for (link, load) in direct.iter_all() {
            tally.add_load(link, load);
        }
        let mut ends = Vec::with_capacity(detours.link_count());
        for (link, load) in detours.iter_all() {
            let capacity = self.fabric.links.capacity(link);
            ends.push([tally.load_of(link) / capacity, load / capacity]);
        }
        let share = choose_detour_share(&ends);
        for (link, load) in detours.iter_all() {
            let load = mix_loads(share, tally.load_of(link), load);
            if load > 0.0 {
                mixed.push_link(link, load);
            }
        }
        tally.clear();
    }

    /// Picks the links with a load out of all links.
    fn collect_all_links(
        &self,
        guest: &Guest,
        nodes: &[NodeId],
        loads: &mut LinkLoads,
    ) -> Result<()> {
        let demand = self.make_demand(guest, nodes)?;
        let all = self.routing.link_loads(self.fabric, &demand)?;
        for (link, load) in all.iter().enumerate().filter(|(_, load)| **load > 0.0) {
            loads.push_link(link, *load);
        }
        self.fabric.recycle_loads(all);
        Ok(())
    }
}

impl WindowBuffers {
    /// Lists the flows between different routers, by target and source; those of one pair of routers are one.
    fn list_flows(&mut self, guest: &Guest) {
        let routers = &self.routers;
        let flows = &mut self.flows;
        flows.clear();
        guest.for_each_message(|message| {
            let source = routers[message.source as usize];
            let target = routers[message.target as usize];
            if source != target {
                flows.push((target, source, message.volume));
            }
        });
        flows.sort_by_key(|(target, source, _)| (*target, *source));
        flows.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
    }

    /// Gathers the listed flows, target by target.
    fn gather_flows(&mut self, gatherer: &FlowGatherer<'_>) {
        for flows in self.flows.chunk_by(|a, b| a.0 == b.0) {
            let sources = flows.iter().map(|(_, source, volume)| (*source, *volume));
            gatherer.add_flows(flows[0].0, sources, &mut self.gather, &mut self.tally);
        }
    }

    /// Gathers `volume` from each process to each other, without a list of messages.
    fn gather_all_to_all(&mut self, gatherer: &FlowGatherer<'_>, volume: f64) {
        self.routers.sort_unstable();
        let runs = self.routers.chunk_by(|a, b| a == b);
        let processes: Vec<(u32, f64)> = runs.map(|run| (run[0], run.len() as f64)).collect();
        for (target, there) in &processes {
            let others = processes.iter().filter(|(source, _)| source != target);
            let flows = others.map(|(source, here)| (*source, here * there * volume));
            gatherer.add_flows(*target, flows, &mut self.gather, &mut self.tally);
        }
    }
}

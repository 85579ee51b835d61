//! Traffic between routers, added up from a guest whose processes are mapped to nodes.

use super::guest::{Guest, Traffic};
use super::process_mapping::ProcessMapping;
use nodeorder_base::Result;
use nodeorder_network::Topology;

/// Traffic of one router with another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// The other router.
    pub router: u32,
    /// Number of ordered pairs of processes whose messages it sums.
    pub pairs: u64,
    /// Volume of the summed messages.
    pub volume: f64,
}

/// End of a message that flows are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Router that a message leaves.
    Source,
    /// Router that a message reaches.
    Target,
}

/// Traffic by ordered pair of routers. Messages inside a router load no link; they are counted apart.
#[derive(Clone, Debug)]
pub struct Demand {
    traffic: RouterTraffic,
    /// Number of ordered pairs of processes that communicate.
    pub pairs: u64,
    /// Volume of all messages, those inside routers included.
    pub volume: f64,
    /// Number of pairs with both processes on one router.
    pub inside_pairs: u64,
    /// Volume that stays inside routers.
    pub inside_volume: f64,
}

/// Traffic between different routers.
#[derive(Clone, Debug)]
enum RouterTraffic {
    /// All-to-all traffic, of which no flow is listed.
    Uniform(AllToAllDemand),
    /// All flows, grouped by source and by target.
    Listed {
        by_source: FlowTable,
        by_target: FlowTable,
    },
    /// A flow from every router to every other, of which none is listed.
    Spread(SpreadDemand),
}

impl RouterTraffic {
    /// Groups flows, given with their sources and sorted by source and target.
    fn from_flows(mut flows: Vec<(u32, Flow)>) -> Self {
        let by_source = FlowTable::new(&flows);
        for (from, flow) in &mut flows {
            std::mem::swap(from, &mut flow.router);
        }
        flows.sort_by_key(|(to, flow)| (*to, flow.router));
        RouterTraffic::Listed {
            by_source,
            by_target: FlowTable::new(&flows),
        }
    }
}

/// All-to-all traffic from the processes on each occupied router; nothing is listed.
#[derive(Clone, Debug)]
pub struct AllToAllDemand {
    /// Routers that have processes, ascending.
    occupied: Vec<u32>,
    /// Number of processes on each of these routers, in the order of [`Demand::roots`].
    pub processes: Vec<u64>,
    /// Volume from each process to each other.
    pub volume: f64,
}

/// Traffic that goes by way of every router of its component.
#[derive(Clone, Debug)]
struct SpreadDemand {
    /// All routers.
    routers: Vec<u32>,
    /// Component of each router; empty if there is one.
    component_of: Vec<u32>,
    /// Volume that each router sends to every other router of its component, and that it receives.
    ends: [Vec<f64>; 2],
    /// Routers that send, and routers that receive, to or from all others.
    active: [Vec<u32>; 2],
}

/// Flows grouped by one of their ends, both ends ascending.
#[derive(Clone, Debug, Default)]
struct FlowTable {
    /// Routers at the end that flows are grouped by, ascending.
    roots: Vec<u32>,
    /// Index of each root's first flow, and at last the number of flows.
    first: Vec<usize>,
    flows: Vec<Flow>,
}

impl FlowTable {
    /// Groups pairs `(root, flow)` that are sorted by root and other end.
    fn new(sorted: &[(u32, Flow)]) -> Self {
        let mut table = FlowTable::default();
        for (i, (root, flow)) in sorted.iter().enumerate() {
            if table.roots.last() != Some(root) {
                table.roots.push(*root);
                table.first.push(i);
            }
            table.flows.push(*flow);
        }
        table.first.push(sorted.len());
        table
    }

    /// Looks up the flows of the `i`-th root.
    fn flows_of_root(&self, i: usize) -> &[Flow] {
        &self.flows[self.first[i]..self.first[i + 1]]
    }
}

impl SpreadDemand {
    /// Fills `flows` with what the router numbered `root` sends or receives.
    fn fill_flows(&self, end: End, root: usize, flows: &mut Vec<Flow>) {
        let [own, other] = match end {
            End::Source => [0, 1],
            End::Target => [1, 0],
        };
        let here = self.ends[own][root];
        // Most routers of a small job only pass traffic on.
        let partners = if here > 0.0 {
            &self.routers
        } else {
            &self.active[other]
        };
        flows.clear();
        for router in partners {
            let there = *router as usize;
            let volume = here + self.ends[other][there];
            let is_near = self.component_of.get(root) == self.component_of.get(there);
            if there != root && is_near {
                flows.push(Flow {
                    router: *router,
                    pairs: 1,
                    volume,
                });
            }
        }
    }
}

impl Demand {
    /// Adds up what `guest`, placed by `mapping`, sends from router to router.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] when the list of flows does not fit.
    ///
    /// # Complexity
    /// O(messages · log messages); all-to-all traffic takes O(processes) however large it is.
    pub fn new(topology: &Topology, guest: &Guest, mapping: &ProcessMapping) -> Result<Self> {
        let router = |process: u32| topology.router_of(mapping.node_of(process)).0;
        match guest.traffic() {
            Traffic::AllToAll { volume } => {
                let mut on: Vec<u32> = (0..guest.processes()).map(router).collect();
                on.sort_unstable();
                let mut occupied = Vec::new();
                let mut processes = Vec::new();
                let mut inside = 0;
                for run in on.chunk_by(|a, b| a == b) {
                    let here = run.len() as u64;
                    occupied.push(run[0]);
                    processes.push(here);
                    inside += here * (here - 1);
                }
                let all = u64::from(guest.processes());
                let pairs = all * all.saturating_sub(1);
                Ok(Demand {
                    traffic: RouterTraffic::Uniform(AllToAllDemand {
                        occupied,
                        processes,
                        volume: *volume,
                    }),
                    pairs,
                    volume: pairs as f64 * volume,
                    inside_pairs: inside,
                    inside_volume: inside as f64 * volume,
                })
            }
            Traffic::Messages(messages) => {
                topology
                    .require_memory("the traffic between routers", 96 * messages.len() as u64)?;
                let mut flows: Vec<(u32, Flow)> = Vec::with_capacity(messages.len());
                let mut inside_pairs = 0;
                let mut inside_volume = 0.0;
                let mut volume = 0.0;
                for m in messages {
                    let from = router(m.source);
                    let flow = Flow {
                        router: router(m.target),
                        pairs: 1,
                        volume: m.volume,
                    };
                    volume += m.volume;
                    // No link carries what stays inside a router.
                    if from == flow.router {
                        inside_pairs += 1;
                        inside_volume += m.volume;
                    } else {
                        flows.push((from, flow));
                    }
                }
                // A stable sort: volumes of one pair of routers are added in the order of the messages.
                flows.sort_by_key(|(from, flow)| (*from, flow.router));
                flows.dedup_by(|next, kept| {
                    let same = (next.0, next.1.router) == (kept.0, kept.1.router);
                    if same {
                        kept.1.pairs += next.1.pairs;
                        kept.1.volume += next.1.volume;
                    }
                    same
                });
                Ok(Demand {
                    traffic: RouterTraffic::from_flows(flows),
                    pairs: messages.len() as u64,
                    volume,
                    inside_pairs,
                    inside_volume,
                })
            }
        }
    }

    /// Makes a demand of one unit of traffic from a router to another one.
    pub fn unit_between(from: u32, to: u32) -> Self {
        let flow = Flow {
            router: to,
            pairs: 1,
            volume: 1.0,
        };
        Demand {
            traffic: RouterTraffic::from_flows(vec![(from, flow)]),
            pairs: 1,
            volume: 1.0,
            inside_pairs: 0,
            inside_volume: 0.0,
        }
    }

    /// Sums up what each of `routers` routers sends to others, and what it receives.
    pub fn sum_ends(&self, routers: usize) -> [Vec<f64>; 2] {
        let mut sent = vec![0.0; routers];
        if let RouterTraffic::Uniform(uniform) = &self.traffic {
            let all: u64 = uniform.processes.iter().sum();
            for (router, here) in uniform.occupied.iter().zip(&uniform.processes) {
                sent[*router as usize] = (here * (all - here)) as f64 * uniform.volume;
            }
            return [sent.clone(), sent];
        }
        let mut received = sent.clone();
        self.for_each_flow(|source, flow| {
            sent[source as usize] += flow.volume;
            received[flow.router as usize] += flow.volume;
        });
        [sent, received]
    }

    /// Makes the demand of the same messages by way of every router of their component, in equal parts; `component_of`
    /// is that of each of `routers` routers, `None` if there is one. The flows are those of both legs.
    pub fn spread_over_routers(&self, routers: usize, component_of: Option<&[u32]>) -> Self {
        let component_of = component_of.unwrap_or(&[]).to_vec();
        let mut sizes = vec![0u32; routers];
        for component in &component_of {
            sizes[*component as usize] += 1;
        }
        let mut ends = self.sum_ends(routers);
        for (router, volume) in ends.iter_mut().flat_map(|end| end.iter_mut().enumerate()) {
            let component = component_of.get(router);
            *volume /= component.map_or(routers as f64, |own| f64::from(sizes[*own as usize]));
        }
        let routers: Vec<u32> = (0..routers as u32).collect();
        let active = [0, 1].map(|end: usize| {
            let active = routers.iter().filter(|r| ends[end][**r as usize] > 0.0);
            active.copied().collect()
        });
        Demand {
            traffic: RouterTraffic::Spread(SpreadDemand {
                routers,
                component_of,
                ends,
                active,
            }),
            pairs: self.pairs,
            volume: self.volume,
            inside_pairs: self.inside_pairs,
            inside_volume: self.inside_volume,
        }
    }

    /// Lists the routers at which traffic starts (or ends), ascending.
    pub fn roots(&self, end: End) -> &[u32] {
        match (&self.traffic, end) {
            // One router alone sends to no other: its row is empty, which does no harm.
            (RouterTraffic::Uniform(uniform), _) => &uniform.occupied,
            (RouterTraffic::Spread(spread), _) => &spread.routers,
            (RouterTraffic::Listed { by_source, .. }, End::Source) => &by_source.roots,
            (RouterTraffic::Listed { by_target, .. }, End::Target) => &by_target.roots,
        }
    }

    /// Looks up the flows of the `root`-th of [`Demand::roots`], ascending by the other router; `buffer` is filled
    /// where they are not stored.
    pub fn flows_at<'a>(&'a self, end: End, root: usize, buffer: &'a mut Vec<Flow>) -> &'a [Flow] {
        let uniform = match (&self.traffic, end) {
            (RouterTraffic::Uniform(uniform), _) => uniform,
            (RouterTraffic::Listed { by_source, .. }, End::Source) => {
                return by_source.flows_of_root(root);
            }
            (RouterTraffic::Listed { by_target, .. }, End::Target) => {
                return by_target.flows_of_root(root);
            }
            (RouterTraffic::Spread(spread), _) => {
                spread.fill_flows(end, root, buffer);
                return buffer;
            }
        };
        buffer.clear();
        let here = uniform.processes[root];
        for (i, router) in uniform.occupied.iter().enumerate() {
            if i != root {
                let pairs = here * uniform.processes[i];
                buffer.push(Flow {
                    router: *router,
                    pairs,
                    volume: pairs as f64 * uniform.volume,
                });
            }
        }
        buffer
    }

    /// Calls `visit` with the source and every flow, ascending by source and target.
    pub fn for_each_flow(&self, mut visit: impl FnMut(u32, &Flow)) {
        let mut row = Vec::new();
        for (i, source) in self.roots(End::Source).iter().enumerate() {
            for flow in self.flows_at(End::Source, i, &mut row) {
                visit(*source, flow);
            }
        }
    }

    /// Returns the traffic if it is all-to-all; `None` if flows are listed.
    pub fn as_all_to_all(&self) -> Option<&AllToAllDemand> {
        match &self.traffic {
            RouterTraffic::Uniform(uniform) => Some(uniform),
            _ => None,
        }
    }
}

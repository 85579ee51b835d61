//! Traffic between routers, added up from a guest whose processes are mapped to nodes.

use super::guest::{Guest, Traffic};
use super::process_mapping::ProcessMapping;
use nodeorder_base::error::Result;
use nodeorder_network::topology::Topology;

/// Traffic of one router with another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// The other router.
    pub router: u32,
    /// Pairs of processes that it stands for.
    pub pairs: u64,
    /// Their volume.
    pub volume: f64,
}

/// The end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The router it leaves.
    Source,
    /// The router it reaches.
    Target,
}

/// Traffic by ordered pair of routers. Messages inside a router load no link; they are counted apart.
#[derive(Clone, Debug)]
pub struct Demand {
    traffic: Between,
    /// Ordered pairs of processes that communicate.
    pub pairs: u64,
    /// The volume of all of them.
    pub volume: f64,
    /// Pairs with both processes on one router.
    pub inside_pairs: u64,
    /// The volume that stays inside routers.
    pub inside_volume: f64,
}

#[derive(Clone, Debug)]
enum Between {
    Uniform(Uniform),
    /// By source, and the same flows by target.
    Listed {
        by_source: Table,
        by_target: Table,
    },
}

/// All-to-all traffic from the processes on each occupied router; nothing is listed.
#[derive(Clone, Debug)]
pub struct Uniform {
    occupied: Vec<u32>,
    /// Processes on each, in the order of [`Demand::roots`].
    pub processes: Vec<u64>,
    /// Volume from each process to each other.
    pub volume: f64,
}

/// Flows grouped by one of their ends, both ends ascending.
#[derive(Clone, Debug, Default)]
struct Table {
    roots: Vec<u32>,
    first: Vec<usize>,
    flows: Vec<Flow>,
}

impl Table {
    /// From `(root, flow)` sorted by root and other end.
    fn new(sorted: &[(u32, Flow)]) -> Self {
        let mut table = Table::default();
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

    fn row(&self, i: usize) -> &[Flow] {
        &self.flows[self.first[i]..self.first[i + 1]]
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
        let router = |process: u32| topology.router_of(mapping.node(process)).0;
        match guest.traffic() {
            Traffic::AllToAll { volume } => {
                let mut on: Vec<u32> = (0..guest.processes()).map(router).collect();
                on.sort_unstable();
                let runs = || on.chunk_by(|a, b| a == b);
                let all = u64::from(guest.processes());
                let inside: u64 = runs().map(|r| r.len() as u64 * (r.len() as u64 - 1)).sum();
                let pairs = all * all.saturating_sub(1);
                Ok(Demand {
                    traffic: Between::Uniform(Uniform {
                        occupied: runs().map(|r| r[0]).collect(),
                        processes: runs().map(|r| r.len() as u64).collect(),
                        volume: *volume,
                    }),
                    pairs,
                    volume: pairs as f64 * volume,
                    inside_pairs: inside,
                    inside_volume: inside as f64 * volume,
                })
            }
            Traffic::Messages(messages) => {
                topology.require("the traffic between routers", 96 * messages.len() as u64)?;
                let mut flows = Vec::with_capacity(messages.len());
                let (mut inside_pairs, mut inside_volume, mut volume) = (0, 0.0, 0.0);
                for m in messages {
                    let (from, to) = (router(m.source), router(m.target));
                    volume += m.volume;
                    if from == to {
                        inside_pairs += 1;
                        inside_volume += m.volume;
                    } else {
                        flows.push((
                            from,
                            Flow {
                                router: to,
                                pairs: 1,
                                volume: m.volume,
                            },
                        ));
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
                let by_source = Table::new(&flows);
                flows
                    .iter_mut()
                    .for_each(|(from, flow)| std::mem::swap(from, &mut flow.router));
                flows.sort_by_key(|(to, flow)| (*to, flow.router));
                Ok(Demand {
                    traffic: Between::Listed {
                        by_source,
                        by_target: Table::new(&flows),
                    },
                    pairs: messages.len() as u64,
                    volume,
                    inside_pairs,
                    inside_volume,
                })
            }
        }
    }

    /// One unit of traffic from a router to another one.
    pub fn between(from: u32, to: u32) -> Self {
        let table = |root, router| {
            Table::new(&[(
                root,
                Flow {
                    router,
                    pairs: 1,
                    volume: 1.0,
                },
            )])
        };
        Demand {
            traffic: Between::Listed {
                by_source: table(from, to),
                by_target: table(to, from),
            },
            pairs: 1,
            volume: 1.0,
            inside_pairs: 0,
            inside_volume: 0.0,
        }
    }

    fn table(&self, end: End) -> Option<&Table> {
        match (&self.traffic, end) {
            (Between::Uniform(_), _) => None,
            (Between::Listed { by_source, .. }, End::Source) => Some(by_source),
            (Between::Listed { by_target, .. }, End::Target) => Some(by_target),
        }
    }

    /// The routers at which traffic starts (or ends), ascending.
    pub fn roots(&self, end: End) -> &[u32] {
        match &self.traffic {
            // One router alone sends to no other: its row is empty, which does no harm.
            Between::Uniform(uniform) => &uniform.occupied,
            Between::Listed { .. } => self.table(end).map_or(&[], |table| &table.roots),
        }
    }

    /// The flows of the `root`-th of [`Demand::roots`], ascending by the other router; `buffer` is filled
    /// where they are not stored.
    pub fn row<'a>(&'a self, end: End, root: usize, buffer: &'a mut Vec<Flow>) -> &'a [Flow] {
        let Between::Uniform(Uniform {
            occupied,
            processes,
            volume,
        }) = &self.traffic
        else {
            return self.table(end).map_or(&[], |table| table.row(root));
        };
        buffer.clear();
        let here = processes[root];
        buffer.extend(
            occupied
                .iter()
                .zip(processes)
                .filter(|(r, _)| **r != occupied[root])
                .map(|(router, there)| Flow {
                    router: *router,
                    pairs: here * there,
                    volume: (here * there) as f64 * volume,
                }),
        );
        buffer
    }

    /// The traffic, where it is all-to-all.
    pub fn uniform(&self) -> Option<&Uniform> {
        match &self.traffic {
            Between::Uniform(uniform) => Some(uniform),
            Between::Listed { .. } => None,
        }
    }
}

//! Processes that are to be mapped, and the slots they may go to.

use rayon::prelude::*;

use crate::mapping::guest::{Guest, Traffic};
use nodeorder_base::error::Result;
use nodeorder_base::ids::{NodeId, RouterId};
use nodeorder_network::topology::{Metric, Topology};

/// Processes with their partners, and slots (allocated nodes by rank) with their distances.
pub struct MappingProblem {
    /// Where the partners of each process start in `partners`.
    first: Vec<usize>,
    /// Partners of all processes, each with the volume of both directions.
    pub(super) partners: Vec<(u32, f64)>,
    /// The router of each slot, as an index into `hops`.
    pub(super) router: Vec<u32>,
    pub(super) routers: usize,
    pub(super) hops: Hops,
    /// Start of each router's neighbours inside the allocation: `linked[starts[r]..starts[r + 1]]`, ascending.
    starts: Vec<usize>,
    linked: Vec<u32>,
}

/// Routers from which on distances are not kept where they have a closed form.
const KEPT: usize = 8192;

/// Hops between the routers of an allocation.
pub(super) enum Hops {
    /// All of them, row by row.
    Table(Vec<u32>),
    /// From their coordinates, when asked for.
    Closed {
        metric: Metric,
        routers: Vec<RouterId>,
    },
}

impl Hops {
    fn new(topology: &Topology, routers: &[RouterId], kept: usize) -> Result<Self> {
        if routers.len() > kept && !matches!(topology.metric(), Metric::Hops) {
            return Ok(Hops::Closed {
                metric: topology.metric().clone(),
                routers: routers.to_vec(),
            });
        }
        let count = routers.len() as u64;
        topology.require("the distances inside the allocation", 4 * count * count)?;
        let row = |from: &_| -> Result<Vec<u32>> {
            let hops = topology.hops_from(*from)?;
            Ok(routers.iter().map(|to| hops[to.index()]).collect())
        };
        let rows: Result<Vec<Vec<u32>>> = routers.par_iter().map(row).collect();
        Ok(Hops::Table(rows?.concat()))
    }
}

impl MappingProblem {
    pub(super) fn new(topology: &Topology, guest: &Guest, nodes: &[NodeId]) -> Result<Self> {
        MappingProblem::keeping(topology, guest, nodes, KEPT)
    }

    /// As [`MappingProblem::new`], with distances kept for up to `kept` routers in any case.
    pub(super) fn keeping(
        topology: &Topology,
        guest: &Guest,
        nodes: &[NodeId],
        kept: usize,
    ) -> Result<Self> {
        let mut routers: Vec<_> = nodes.iter().map(|n| topology.router_of(*n)).collect();
        let of_slot = routers.clone();
        routers.sort_unstable();
        routers.dedup();
        let position = |r| routers.binary_search(&r).unwrap_or(0) as u32;
        let router = of_slot.into_iter().map(position).collect();
        let graph = topology.graph()?;
        let (mut starts, mut linked) = (vec![0], Vec::new());
        for from in &routers {
            let neighbours = graph.neighbours(*from).iter();
            let inside = neighbours.filter_map(|to| routers.binary_search(&RouterId(*to)).ok());
            linked.extend(inside.map(|to| to as u32));
            starts.push(linked.len());
        }
        let mut problem = MappingProblem {
            first: vec![0; nodes.len() + 1],
            partners: Vec::new(),
            router,
            routers: routers.len(),
            hops: Hops::new(topology, &routers, kept)?,
            starts,
            linked,
        };
        // Every mapping of all-to-all traffic costs the same: no partner is worth knowing.
        if let Traffic::Messages(messages) = guest.traffic() {
            topology.require("the partners of every process", 64 * messages.len() as u64)?;
            let mut both: Vec<(u32, u32, f64)> = messages
                .iter()
                .flat_map(|m| {
                    [
                        (m.source, m.target, m.volume),
                        (m.target, m.source, m.volume),
                    ]
                })
                .collect();
            both.sort_by_key(|(a, b, _)| (*a, *b));
            both.dedup_by(|next, kept| {
                let same = (next.0, next.1) == (kept.0, kept.1);
                if same {
                    kept.2 += next.2;
                }
                same
            });
            both.iter()
                .for_each(|(a, ..)| problem.first[*a as usize + 1] += 1);
            for i in 0..nodes.len() {
                problem.first[i + 1] += problem.first[i];
            }
            problem.partners = both.into_iter().map(|(_, b, volume)| (b, volume)).collect();
        }
        Ok(problem)
    }

    /// Number of processes and of slots.
    pub(super) fn len(&self) -> usize {
        self.router.len()
    }

    /// The partners of a process, and the volume in both directions.
    pub(super) fn partners(&self, process: u32) -> &[(u32, f64)] {
        &self.partners[self.first[process as usize]..self.first[process as usize + 1]]
    }

    /// Hops between two slots.
    #[inline]
    pub(super) fn hops(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (
            self.router[a as usize] as usize,
            self.router[b as usize] as usize,
        );
        f64::from(match &self.hops {
            Hops::Table(hops) => hops[a * self.routers + b],
            Hops::Closed { metric, routers } => metric.between(routers[a], routers[b]).unwrap_or(0),
        })
    }

    /// The routers of the allocation that are linked to one of them, by their indices, ascending.
    pub(super) fn linked(&self, router: usize) -> &[u32] {
        &self.linked[self.starts[router]..self.starts[router + 1]]
    }

    /// Hop-bytes of a mapping.
    pub(super) fn cost(&self, slot: &[u32]) -> f64 {
        let of = |p: u32| -> f64 {
            let partners = self.partners(p).iter();
            partners
                .map(|(q, v)| v * self.hops(slot[p as usize], slot[*q as usize]))
                .sum()
        };
        // Every message stands at both ends.
        (0..self.len() as u32).map(of).sum::<f64>() / 2.0
    }

    /// Rise in cost when two processes swap slots.
    pub(super) fn swap_gain(&self, slot: &[u32], a: u32, b: u32) -> f64 {
        let (at_a, at_b) = (slot[a as usize], slot[b as usize]);
        let moved = |p: u32, other: u32, from: u32, to: u32| -> f64 {
            let partners = self.partners(p).iter().filter(|(q, _)| *q != other);
            partners
                .map(|(q, v)| {
                    let there = slot[*q as usize];
                    v * (self.hops(to, there) - self.hops(from, there))
                })
                .sum()
        };
        moved(a, b, at_a, at_b) + moved(b, a, at_b, at_a)
    }
}

#[cfg(test)]
impl MappingProblem {
    /// The problem with other distances.
    pub(super) fn with_hops(self, hops: Hops) -> Self {
        MappingProblem { hops, ..self }
    }
}

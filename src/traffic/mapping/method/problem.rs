//! Processes that are to be mapped, and the slots they may go to.

use crate::mapping::guest::{Guest, Message, Traffic, add_up_pairs};
use crate::mapping::hops::visit_sources;
use nodeorder_base::{NodeId, Result, RouterId};
use nodeorder_network::{Metric, Topology};

/// Processes with their partners, and slots (allocated nodes by rank) with their distances.
pub struct MappingProblem {
    /// Index in `partners` of each process's first partner, and at last the number of all.
    first: Vec<usize>,
    /// Partners of all processes, each with the volume of both directions.
    pub(super) partners: Vec<(u32, f64)>,
    /// Router of each slot, as an index into `hops`.
    pub(super) router: Vec<u32>,
    /// Number of routers that have slots.
    pub(super) routers: usize,
    /// Hops between these routers.
    pub(super) hops: SlotHops,
    /// Start of each router's neighbours inside the allocation: `linked[starts[r]..starts[r + 1]]`, ascending.
    starts: Vec<usize>,
    /// Neighbours of all routers, as indices into `hops`.
    linked: Vec<u32>,
}

/// Number of routers from which on hops with a closed form are computed when asked for, not kept in a table.
const KEPT: usize = 8192;

/// Hops between the routers of an allocation.
pub enum SlotHops {
    /// Hops of all pairs, row by row.
    Table(Vec<u32>),
    /// Closed form, evaluated when hops are asked for.
    Closed {
        metric: Metric,
        routers: Vec<RouterId>,
    },
}

impl SlotHops {
    /// Finds the hops between `routers`, and keeps those of up to `kept` routers in any case.
    fn new(topology: &Topology, routers: &[RouterId], kept: usize) -> Result<Self> {
        if routers.len() > kept && !matches!(topology.metric(), Metric::Hops) {
            return Ok(SlotHops::Closed {
                metric: topology.metric().clone(),
                routers: routers.to_vec(),
            });
        }
        let count = routers.len() as u64;
        topology.require_memory("the distances inside the allocation", 4 * count * count)?;
        let numbers: Vec<u32> = routers.iter().map(|router| router.0).collect();
        let rows = visit_sources(
            topology,
            &numbers,
            count * count,
            |_, hops, rows: &mut Vec<u32>| rows.extend(numbers.iter().map(|to| hops.hops_to(*to))),
        )?;
        Ok(SlotHops::Table(rows.concat()))
    }
}

impl MappingProblem {
    /// Prepares to map `guest` to `nodes`, one for each process. Fails if more memory is needed than allowed.
    pub(super) fn new(topology: &Topology, guest: &Guest, nodes: &[NodeId]) -> Result<Self> {
        MappingProblem::keeping_distances(topology, guest, nodes, KEPT)
    }

    /// Prepares a mapping as [`MappingProblem::new`], with distances kept for up to `kept` routers in any case.
    pub(super) fn keeping_distances(
        topology: &Topology,
        guest: &Guest,
        nodes: &[NodeId],
        kept: usize,
    ) -> Result<Self> {
        let mut routers: Vec<_> = nodes.iter().map(|n| topology.router_of(*n)).collect();
        let of_slot = routers.clone();
        routers.sort_unstable();
        routers.dedup();
        let mut router = Vec::with_capacity(nodes.len());
        for slot in of_slot {
            router.push(routers.binary_search(&slot).unwrap_or(0) as u32);
        }
        let graph = topology.graph()?;
        let mut starts = vec![0];
        let mut linked = Vec::new();
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
            hops: SlotHops::new(topology, &routers, kept)?,
            starts,
            linked,
        };
        // Every mapping of all-to-all traffic costs the same: no partner is worth knowing.
        if let Traffic::Messages(messages) = guest.traffic() {
            topology.require_memory("the partners of every process", 64 * messages.len() as u64)?;
            let mut both = Vec::with_capacity(2 * messages.len());
            for m in messages {
                both.push(*m);
                both.push(Message {
                    source: m.target,
                    target: m.source,
                    volume: m.volume,
                });
            }
            add_up_pairs(&mut both);
            for message in both {
                problem.first[message.source as usize + 1] += 1;
                problem.partners.push((message.target, message.volume));
            }
            for i in 0..nodes.len() {
                problem.first[i + 1] += problem.first[i];
            }
        }
        Ok(problem)
    }

    /// Returns the number of processes, which equals the number of slots.
    pub(super) fn len(&self) -> usize {
        self.router.len()
    }

    /// Looks up the partners of a process, each with the volume of both directions.
    pub(super) fn partners_of(&self, process: u32) -> &[(u32, f64)] {
        &self.partners[self.first[process as usize]..self.first[process as usize + 1]]
    }

    /// Computes the hops between two slots.
    #[inline]
    pub(super) fn hops_between(&self, a: u32, b: u32) -> f64 {
        let a = self.router[a as usize] as usize;
        let b = self.router[b as usize] as usize;
        f64::from(match &self.hops {
            SlotHops::Table(hops) => hops[a * self.routers + b],
            SlotHops::Closed { metric, routers } => {
                metric.distance_between(routers[a], routers[b]).unwrap_or(0)
            }
        })
    }

    /// Looks up the routers of the allocation that are linked to `router`, ascending; all by their indices into
    /// `hops`.
    pub(super) fn linked_routers(&self, router: usize) -> &[u32] {
        &self.linked[self.starts[router]..self.starts[router + 1]]
    }

    /// Computes the hop-bytes of a mapping.
    pub(super) fn hop_bytes(&self, slot: &[u32]) -> f64 {
        let costs = (0..self.len() as u32).map(|p| -> f64 {
            let here = slot[p as usize];
            let partners = self.partners_of(p).iter();
            partners
                .map(|(q, v)| v * self.hops_between(here, slot[*q as usize]))
                .sum()
        });
        // Every message stands at both ends.
        costs.sum::<f64>() / 2.0
    }

    /// Computes the rise in cost when two processes swap slots.
    pub(super) fn swap_gain(&self, slot: &[u32], a: u32, b: u32) -> f64 {
        self.move_gain(slot, a, b) + self.move_gain(slot, b, a)
    }

    /// Computes the rise in cost of a process that moves to the slot of `other`. The distance between the two does not
    /// change where they swap, so messages between them are left out.
    #[inline]
    fn move_gain(&self, slot: &[u32], process: u32, other: u32) -> f64 {
        let from = slot[process as usize];
        let to = slot[other as usize];
        let partners = self
            .partners_of(process)
            .iter()
            .filter(|(q, _)| *q != other);
        let gains = partners.map(|(q, v)| {
            let there = slot[*q as usize];
            v * (self.hops_between(to, there) - self.hops_between(from, there))
        });
        gains.sum()
    }
}

#[cfg(test)]
impl MappingProblem {
    /// Returns the problem with other distances.
    pub(super) fn with_hops(self, hops: SlotHops) -> Self {
        MappingProblem { hops, ..self }
    }
}

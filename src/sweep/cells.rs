//! The cells of a plan, in the order that everything goes by.

use super::plan::Plan;

/// One combination of the plan's lists; numbers are places in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The machine.
    pub topology: u32,
    /// The seed.
    pub seed: u32,
    /// The ordering.
    pub ordering: u32,
    /// What is done with them.
    pub work: Work,
}

/// What a cell computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// The ordering's MPC curve, where the plan names no workload and no guest.
    Curve,
    /// A workload replayed through an allocator.
    Replay {
        /// The workload.
        workload: u32,
        /// Processors of a node.
        procs: u32,
        /// The allocator.
        allocator: u32,
    },
    /// A trace scheduled by a policy and an allocator.
    Schedule {
        /// The trace, among the workloads.
        workload: u32,
        /// Processors of a node.
        procs: u32,
        /// The allocator.
        allocator: u32,
        /// The policy.
        policy: u32,
    },
    /// A guest on the first ranks.
    Map {
        /// The guest.
        guest: u32,
        /// The routing.
        routing: u32,
    },
}

/// What is done on every ordering of every machine.
fn works(plan: &Plan) -> Vec<Work> {
    let mut works = Vec::new();
    for (workload, file) in (0..).zip(&plan.workloads) {
        // A placement log speaks of nodes already.
        let procs = if file.is_trace { plan.procs_per_node.len() as u32 } else { 1 };
        for procs in 0..procs {
            for allocator in 0..plan.allocators.len() as u32 {
                if !file.is_trace || plan.policies.is_empty() {
                    works.push(Work::Replay { workload, procs, allocator });
                    continue;
                }
                let policies = 0..plan.policies.len() as u32;
                works.extend(policies.map(|policy| Work::Schedule {
                    workload,
                    procs,
                    allocator,
                    policy,
                }));
            }
        }
    }
    for guest in 0..plan.guests.len() as u32 {
        let routings = 0..plan.routings.len() as u32;
        works.extend(routings.map(|routing| Work::Map { guest, routing }));
    }
    if works.is_empty() {
        works.push(Work::Curve);
    }
    works
}

/// How many cells there are.
pub(super) fn count(plan: &Plan) -> usize {
    let lists = [plan.topologies.len(), plan.seeds.len(), plan.orderings.len(), works(plan).len()];
    lists.iter().fold(1, |all, list| all.saturating_mul(*list))
}

/// All cells: topologies outermost, then seeds, orderings, workloads, processors a node, allocators,
/// policies; after the workloads guests, then routings.
pub(super) fn all(plan: &Plan) -> Vec<Cell> {
    let works = works(plan);
    let mut cells = Vec::with_capacity(count(plan));
    for topology in 0..plan.topologies.len() as u32 {
        for seed in 0..plan.seeds.len() as u32 {
            for ordering in 0..plan.orderings.len() as u32 {
                cells.extend(works.iter().map(|work| Cell {
                    topology,
                    seed,
                    ordering,
                    work: *work,
                }));
            }
        }
    }
    cells
}

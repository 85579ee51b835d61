//! Greedy mapping: places one process after the other, each as near as possible to its partners.

use std::collections::BinaryHeap;

use super::{MapProcesses, MappingMethodEntry, MappingProblem, MappingResult};
use nodeorder_base::partition::Candidate;
use nodeorder_base::{Observer, Result};

/// `greedy`: the process with the most traffic goes on the node nearest to all others; then always the
/// process that sends most to those already placed, on the free node that costs least. Ties go to the lower
/// process and the lower rank.
///
/// # Complexity
/// O(processes · messages) and O(processes) memory.
///
/// # References
/// Hoefler, Snir, "Generic topology mapping strategies for large-scale parallel architectures", ICS'11,
/// section 4, <https://doi.org/10.1145/1995896.1995909>.
pub const METHOD: MappingMethodEntry = MappingMethodEntry::plain(
    "greedy",
    "the process that talks most to those placed goes to the free node that costs least",
    |_| Ok(Box::new(Greedy)),
);

/// The method `greedy`.
pub struct Greedy;

impl MapProcesses for Greedy {
    fn map_processes(
        &self,
        problem: &MappingProblem,
        observer: &dyn Observer,
    ) -> Result<MappingResult> {
        let slots = map_greedily(problem, observer);
        Ok(MappingResult::new("greedy", slots))
    }
}

/// Chooses the slots of all processes one by one. Once `observer` says to stop, those that are left take the free
/// slots in order.
fn map_greedily(problem: &MappingProblem, observer: &dyn Observer) -> Vec<u32> {
    let n = problem.len() as u32;
    if problem.partners.is_empty() {
        return (0..n).collect();
    }
    // What each process sends to those already placed.
    let mut bound = vec![0.0; n as usize];
    let mut totals = Vec::new();
    for p in 0..n {
        totals.push(problem.partners_of(p).iter().map(|(_, v)| v).sum::<f64>());
    }
    // Those without a placed partner come last, the busiest first.
    let mut fresh: Vec<u32> = (0..n).collect();
    fresh.sort_by(|a, b| totals[*b as usize].total_cmp(&totals[*a as usize]));
    let mut fresh = fresh.into_iter();
    let mut queue = BinaryHeap::new();
    let mut slot: Vec<Option<u32>> = vec![None; n as usize];
    let mut free: Vec<u32> = (0..n).collect();
    for _ in 0..n {
        if observer.should_stop() {
            break;
        }
        let process = loop {
            match queue.pop() {
                Some(Candidate { gain, vertex })
                    if slot[vertex as usize].is_none() && gain == bound[vertex as usize] =>
                {
                    break vertex;
                }
                // Stale: since then the process got more bound, or was placed.
                Some(_) => {}
                None => match fresh.find(|p| slot[*p as usize].is_none()) {
                    Some(p) => break p,
                    None => return slot.into_iter().flatten().collect(),
                },
            }
        };
        let partners = problem.partners_of(process).iter();
        let mut placed: Vec<(u32, f64)> = partners
            .filter_map(|(q, v)| slot[*q as usize].map(|s| (s, *v)))
            .collect();
        // The first process goes to the middle: the slot nearest to all others.
        if free.len() == n as usize {
            placed = (0..n).map(|slot| (slot, 1.0)).collect();
        }
        // `free` stays in rank order, and the first of equals is kept.
        let mut best = (f64::INFINITY, 0);
        for (i, s) in free.iter().enumerate() {
            let cost = placed
                .iter()
                .map(|(t, v)| v * problem.hops_between(*s, *t))
                .sum();
            if cost < best.0 {
                best = (cost, i);
            }
        }
        let here = free.remove(best.1);
        slot[process as usize] = Some(here);
        for (q, v) in problem.partners_of(process) {
            if slot[*q as usize].is_none() {
                bound[*q as usize] += v;
                queue.push(Candidate {
                    gain: bound[*q as usize],
                    vertex: *q,
                });
            }
        }
    }
    let mut free = free.into_iter();
    let slots = slot
        .into_iter()
        .filter_map(|slot| slot.or_else(|| free.next()));
    slots.collect()
}

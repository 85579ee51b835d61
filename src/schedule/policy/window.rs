//! Window-based locality-aware scheduling: some jobs at a time into runs of free ranks.

use std::collections::VecDeque;

use super::super::knapsack::{Packing, pack_exactly, pack_greedily};
use super::size_first::passes;
use super::{Ground, Machine, Policy, Rule};
use crate::error::Result;
use crate::params::Params;
use crate::ranks::{Ranks, Run};

/// `window-bnb[:window=5,interval=30]`: every `interval` seconds from the first submit (0: whenever something
/// happened) the first `window` jobs of the queue are packed into the *slots*, the maximal runs of free ranks, so
/// that as many nodes as possible are taken: a multiple 0-1 knapsack whose profits are the weights. Jobs of one
/// slot stand side by side from its lowest rank, in queue order. A job that finds no slot is held: it keeps its
/// place in the queue and in the window. Every allocation is one run of ranks, and the allocator is not asked.
///
/// The knapsack is solved to the optimum by branch and bound ([`pack_exactly`]).
///
/// # Complexity
/// O(size/64 + slots · window) a pass beside the knapsack.
///
/// # References
/// Yang et al., "Balancing job performance with system performance via locality-aware scheduling on
/// torus-connected systems", 2014, sections II and III, <https://doi.org/10.1109/CLUSTER.2014.6968751>.
pub(super) const EXACT: Rule = Rule {
    name: "window-bnb",
    positional: None,
    about: "window=5 jobs every interval=30 seconds into runs of free ranks, by an exact knapsack",
    example: "window-bnb:window=5,interval=30",
    build: |params, ground| build(params, ground, 16, true),
};

/// `window-greedy[:window=5,interval=30]`: as [`EXACT`], with Martello and Toth's heuristic for the knapsack
/// ([`pack_greedily`]).
///
/// # References
/// Martello and Toth, "Heuristic algorithms for the multiple knapsack problem", 1981,
/// <https://doi.org/10.1007/BF02243544>.
pub(super) const GREEDY: Rule = Rule {
    name: "window-greedy",
    positional: None,
    about: "as window-bnb, the knapsack by Martello and Toth's greedy method with exchanges",
    example: "window-greedy:window=5,interval=30",
    build: |params, ground| build(params, ground, 1000, false),
};

fn build(
    params: &Params,
    ground: &Ground<'_>,
    most: usize,
    exact: bool,
) -> Result<Box<dyn Policy>> {
    let window = params.integer("window", 1, most)?.unwrap_or(5);
    let interval = ground.interval(params)?;
    let seconds = interval / ground.ticks;
    Ok(Box::new(Window { window, interval, seconds, exact, queue: VecDeque::new() }))
}

struct Window {
    window: usize,
    interval: i64,
    seconds: i64,
    exact: bool,
    queue: VecDeque<u32>,
}

impl Policy for Window {
    fn rule(&self) -> String {
        let how = if self.exact { "exactly" } else { "by Martello and Toth's greedy method" };
        format!(
            "the first {} jobs of the queue are packed {how} into runs of free ranks, profit = weight = nodes; \
             a job that finds no run is held; {}",
            self.window,
            passes(self.seconds)
        )
    }

    fn submitted(&mut self, task: u32, _: &Machine<'_, '_>) {
        self.queue.push_back(task);
    }

    fn pass(&mut self, machine: &mut Machine<'_, '_>) {
        let mut slots: Vec<Run> = Vec::new();
        machine.free_ranks().for_each_run(|run| slots.push(run));
        let taken = self.queue.len().min(self.window);
        if slots.is_empty() || taken == 0 {
            return;
        }
        let jobs: Vec<u32> =
            self.queue.range(..taken).map(|task| machine.task(*task).nodes).collect();
        let sizes: Vec<u32> = slots.iter().map(|run| run.count).collect();
        let packing: Packing =
            if self.exact { pack_exactly(&jobs, &sizes) } else { pack_greedily(&jobs, &sizes) };
        let window: Vec<u32> = self.queue.drain(..taken).collect();
        let mut held = Vec::new();
        for ((task, nodes), slot) in window.into_iter().zip(jobs).zip(packing) {
            let Some(slot) = slot else {
                held.push(task);
                continue;
            };
            let run = &mut slots[slot];
            let mut ranks = Ranks::default();
            ranks.push(Run { first: run.first, count: nodes });
            *run = Run { first: run.first + nodes, count: run.count - nodes };
            machine.start_on(task, ranks);
        }
        held.into_iter().rev().for_each(|task| self.queue.push_front(task));
    }

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn interval(&self) -> i64 {
        self.interval
    }

    fn places(&self) -> bool {
        true
    }
}

//! Window-based locality-aware scheduling: some jobs at a time into runs of free ranks.

use super::super::knapsack::{Packing, pack_exactly, pack_greedily};
use super::{ClusterState, INTERVAL, Passes, Policy, PolicyContext, PolicyEntry};
use crate::error::Result;
use crate::params::{Opt, Params};
use crate::ranks::{Ranks, Run};

/// `window-bnb[:window=5,interval=30,held=skip]`: every `interval` seconds from the first submit (0: whenever
/// something happened) the first `window` jobs of the queue that fit into some *slot*, a maximal run of free
/// ranks, are packed into the slots so that as many nodes as possible are taken: a multiple 0-1 knapsack whose
/// profits are the weights. Jobs of one slot stand side by side from its lowest rank, in queue order. Every
/// allocation is one run of ranks, and the allocator is not asked.
///
/// A job larger than every slot is held until there is one, and keeps its position in the queue. The source says no
/// more than that. Here others go past it (its "large jobs wait longer" suggests so); with `held=block` it keeps its
/// position in the window, too, and a window full of such jobs blocks the queue.
///
/// # Limits
/// Without a reservation a large job may wait for as long as smaller ones keep coming.
///
/// The knapsack is solved to the optimum by branch and bound ([`pack_exactly`]).
///
/// # Complexity
/// O(size/64 + slots · window) a pass beside the knapsack.
///
/// # References
/// Yang et al., "Balancing job performance with system performance via locality-aware scheduling on
/// torus-connected systems", 2014, sections II and III, <https://doi.org/10.1109/CLUSTER.2014.6968751>.
pub(super) const EXACT: PolicyEntry = PolicyEntry {
    name: "window-bnb",
    about: "window=5 jobs every interval=30 seconds into runs of free ranks, by an exact knapsack",
    example: "window-bnb:window=5,interval=30",
    options: OPTIONS,
    build: |params, context| build(params, context, 16, true),
};

/// `window-greedy[:window=5,interval=30]`: as [`EXACT`], with Martello and Toth's heuristic for the knapsack
/// ([`pack_greedily`]).
///
/// # References
/// Martello and Toth, "Heuristic algorithms for the multiple knapsack problem", 1981,
/// <https://doi.org/10.1007/BF02243544>.
pub(super) const GREEDY: PolicyEntry = PolicyEntry {
    name: "window-greedy",
    about: "as window-bnb, the knapsack by Martello and Toth's greedy method with exchanges",
    example: "window-greedy:window=5,interval=30",
    options: OPTIONS,
    build: |params, context| build(params, context, 1000, false),
};

const OPTIONS: &[Opt] = &[
    Opt::whole("window", "jobs looked at together").or("5"),
    INTERVAL,
    Opt::one_of(
        "held",
        &["skip", "block"],
        "jobs larger than every run of free ranks: others go past, or they keep their place in the window",
    ),
];

fn build(
    params: &Params,
    context: &PolicyContext<'_>,
    most: usize,
    exact: bool,
) -> Result<Box<dyn Policy>> {
    let window = params.whole("window", 1, most)?;
    let passes = context.passes(params)?;
    let blocks = params.choice("held")? == "block";
    Ok(Box::new(Window { window, passes, exact, blocks, queue: Vec::new() }))
}

struct Window {
    window: usize,
    passes: Passes,
    exact: bool,
    /// Whether jobs larger than every slot keep their positions in the window.
    blocks: bool,
    queue: Vec<u32>,
}

impl Policy for Window {
    fn rule(&self) -> String {
        let how = if self.exact { "exactly" } else { "by Martello and Toth's greedy method" };
        let held = match self.blocks {
            true => "a job larger than all of them keeps its place in the window",
            false => "others go past a job larger than all of them",
        };
        format!(
            "the first {} jobs of the queue are packed {how} into runs of free ranks, profit = weight = nodes; \
             {held}; {}",
            self.window,
            self.passes.in_words()
        )
    }

    fn submitted(&mut self, task: u32, _: &ClusterState<'_, '_>) {
        self.queue.push(task);
    }

    fn pass(&mut self, machine: &mut ClusterState<'_, '_>) {
        let mut slots: Vec<Run> = Vec::new();
        machine.free_ranks().for_each_run(|run| slots.push(run));
        let sizes: Vec<u32> = slots.iter().map(|run| run.count).collect();
        let Some(largest) = sizes.iter().max().copied() else { return };
        let candidates = self.queue.iter().copied();
        let fits = |task: &u32| self.blocks || machine.task(*task).nodes <= largest;
        let window: Vec<u32> = candidates.filter(fits).take(self.window).collect();
        let jobs: Vec<u32> = window.iter().map(|task| machine.task(*task).nodes).collect();
        let packing: Packing =
            if self.exact { pack_exactly(&jobs, &sizes) } else { pack_greedily(&jobs, &sizes) };
        let mut started = Vec::new();
        for ((task, nodes), slot) in window.into_iter().zip(jobs).zip(packing) {
            let Some(slot) = slot else { continue };
            let run = &mut slots[slot];
            let mut ranks = Ranks::default();
            ranks.push(Run { first: run.first, count: nodes });
            *run = Run { first: run.first + nodes, count: run.count - nodes };
            machine.start_on(task, ranks);
            started.push(task);
        }
        // Both in queue order.
        self.queue.retain(|task| started.binary_search(task).is_err());
    }

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn interval(&self) -> i64 {
        self.passes.interval()
    }

    fn chooses_ranks(&self) -> bool {
        true
    }
}

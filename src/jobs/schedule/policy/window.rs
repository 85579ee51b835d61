//! Window-based locality-aware scheduling: packs the first few jobs of the queue into connected sets of free nodes.

use super::super::knapsack::{pack_exactly, pack_greedily};
use super::entry::{BuildPolicy, INTERVAL, Passes, Policy, PolicyEntry};
use crate::schedule::cluster_state::ClusterState;
use nodeorder_base::{Opt, Params, Ranks, Result, Run};

/// `window-bnb[:window=5,interval=30,held=skip,slots=components]`: every `interval` seconds from the first submit
/// (0: whenever something happened) the first `window` jobs of the queue that fit into some *slot* are packed into
/// the slots so that as many nodes as possible are taken: a multiple 0-1 knapsack whose profits are the weights.
/// Jobs of one slot stand side by side from its lowest rank, in queue order; the allocator is not asked.
///
/// A slot is a connected set of free nodes on the network ([`crate::allocator::FreeComponents`]), as the source says:
/// what counts are the nodes' positions on the network, not their places in a list. With `slots=runs` it is a
/// maximal run of free ranks, and every allocation is one run.
///
/// A job larger than every slot is held until there is one, and keeps its position in the queue. The source says no
/// more than that. Here others go past it (its "large jobs wait longer" suggests so); with `held=block` it keeps its
/// position in the window, too, and a window full of such jobs blocks the queue. A job larger than every slot of
/// the empty machine is left out. O(free nodes · degree) a pass with components, O(size/64) with runs, beside the
/// knapsack.
///
/// # Limits
/// Without a reservation a large job may wait for as long as smaller ones keep coming. On networks whose switches
/// carry no nodes, such as fat trees, the connected sets are the nodes of single switches: use `slots=runs`.
///
/// The knapsack is solved to the optimum by branch and bound ([`pack_exactly`]).
///
/// # References
/// Yang et al., "Balancing Job Performance with System Performance via Locality-Aware Scheduling on Torus-Connected
/// Systems", 2014, sections II and III, <https://doi.org/10.1109/CLUSTER.2014.6968751>.
pub const EXACT: PolicyEntry = PolicyEntry {
    name: "window-bnb",
    about: "window=5 jobs every interval=30 seconds into connected sets of free nodes, by an exact knapsack",
    example: "window-bnb:window=5,interval=30",
    options: OPTIONS,
    parse: |params| parse_options(params, 16, true),
};

/// `window-greedy[:window=5,interval=30,held=skip,slots=components]`: as [`EXACT`], with Martello and Toth's
/// heuristic for the knapsack
/// ([`pack_greedily`]).
///
/// # References
/// Martello and Toth, "Heuristic algorithms for the multiple knapsack problem", 1981,
/// <https://doi.org/10.1007/BF02243544>.
pub const GREEDY: PolicyEntry = PolicyEntry {
    name: "window-greedy",
    about: "as window-bnb, the knapsack by Martello and Toth's greedy method with exchanges",
    example: "window-greedy:window=5,interval=30",
    options: OPTIONS,
    parse: |params| parse_options(params, 1000, false),
};

/// Options of both window policies.
const OPTIONS: &[Opt] = &[
    Opt::whole("window", "jobs looked at together").default_value("5"),
    INTERVAL,
    Opt::one_of(
        "held",
        &["skip", "block"],
        "jobs larger than every slot: others go past, or they keep their place in the window",
    ),
    Opt::one_of(
        "slots",
        &["components", "runs"],
        "connected sets of free nodes on the network, or runs of free ranks",
    ),
];

/// Reads the options of a window policy; `most` is the largest window that its knapsack can solve.
fn parse_options(params: &Params, most: usize, exact: bool) -> Result<Box<dyn BuildPolicy>> {
    let window = params.required_integer("window", 1, most)?;
    let passes = Passes::parse(params)?;
    let blocks = params.required_choice("held")? == "block";
    let runs = params.required_choice("slots")? == "runs";
    Ok(Box::new(Window {
        window,
        passes,
        exact,
        blocks,
        runs,
        largest: None,
        queue: Vec::new(),
    }))
}

/// Policy that packs a window of jobs at each pass.
#[derive(Clone)]
struct Window {
    /// Number of jobs packed together.
    window: usize,
    passes: Passes,
    /// Whether the knapsack is solved exactly, else greedily.
    exact: bool,
    /// Whether jobs larger than every slot keep their positions in the window.
    blocks: bool,
    /// Whether slots are runs of free ranks.
    runs: bool,
    /// Nodes of the largest slot of the empty machine, once it is known.
    largest: Option<u32>,
    /// Waiting tasks in queue order.
    queue: Vec<u32>,
}

impl Window {
    /// Finds the slots of the free nodes, by their lowest ranks.
    fn find_slots(&self, machine: &mut ClusterState<'_>) -> Vec<Ranks> {
        if !self.runs {
            return machine.find_components();
        }
        machine.free_ranks().free_runs().map(Ranks::from).collect()
    }

    /// Leaves out jobs that no slot of the empty machine holds; the first pass meets the empty machine and so
    /// learns it.
    fn leave_out_large(&mut self, slots: &[Ranks], machine: &mut ClusterState<'_>) {
        debug_assert!(self.largest.is_some() || machine.count_free() == machine.count_nodes());
        let largest = *self
            .largest
            .get_or_insert_with(|| slots.iter().map(Ranks::len).max().unwrap_or(0));
        self.queue.retain(|task| {
            let fits = machine.task(*task).nodes <= largest;
            if !fits {
                let slot = if self.runs {
                    "run of ranks"
                } else {
                    "connected set of nodes"
                };
                let reason = format!("the largest {slot} of the empty machine has {largest} nodes");
                machine.leave_out(*task, reason.into());
            }
            fits
        });
    }
}

/// Moves the lowest `count` ranks of `slot` out of it.
fn take_lowest(slot: &mut Ranks, count: u32) -> Ranks {
    let mut taken = Ranks::default();
    let mut rest = Ranks::default();
    let mut left = count;
    for run in slot.list_runs() {
        let here = run.count.min(left);
        taken.push(Run {
            first: run.first,
            count: here,
        });
        rest.push(Run {
            first: run.first + here,
            count: run.count - here,
        });
        left -= here;
    }
    *slot = rest;
    taken
}

impl Policy for Window {
    fn describe_rule(&self) -> String {
        let how = if self.exact {
            "exactly"
        } else {
            "by Martello and Toth's greedy method"
        };
        let held = if self.blocks {
            "a job larger than all of them keeps its place in the window"
        } else {
            "others go past a job larger than all of them"
        };
        format!(
            "the first {} jobs of the queue are packed {how} into {}, profit = weight = nodes; {held}; {}",
            self.window,
            if self.runs {
                "runs of free ranks"
            } else {
                "connected sets of free nodes"
            },
            self.passes.describe()
        )
    }

    fn add_task(&mut self, task: u32, _: &ClusterState<'_>) {
        self.queue.push(task);
    }

    fn start_tasks(&mut self, machine: &mut ClusterState<'_>) {
        let mut slots = self.find_slots(machine);
        self.leave_out_large(&slots, machine);
        let sizes: Vec<u32> = slots.iter().map(Ranks::len).collect();
        let Some(largest) = sizes.iter().max().copied() else {
            return;
        };
        let mut window = Vec::new();
        let mut jobs = Vec::new();
        for task in &self.queue {
            let nodes = machine.task(*task).nodes;
            if window.len() == self.window {
                break;
            }
            // With `held=block` a job larger than every slot keeps its position, though it cannot be packed.
            if self.blocks || nodes <= largest {
                window.push(*task);
                jobs.push(nodes);
            }
        }
        let packing = if self.exact {
            pack_exactly(&jobs, &sizes)
        } else {
            pack_greedily(&jobs, &sizes)
        };
        let mut started = Vec::new();
        for ((task, nodes), slot) in window.into_iter().zip(jobs).zip(packing) {
            let Some(slot) = slot else { continue };
            machine.start_on(task, take_lowest(&mut slots[slot], nodes));
            started.push(task);
        }
        // Both lists are in queue order, so a binary search finds who has started.
        self.queue
            .retain(|task| started.binary_search(task).is_err());
    }

    fn passes(&self) -> Passes {
        self.passes
    }

    fn needs_components(&self) -> bool {
        !self.runs
    }

    fn chooses_ranks(&self) -> bool {
        true
    }
}

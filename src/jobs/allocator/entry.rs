//! Types of allocators: the trait, its answer, the context that one is made from, its entry in the table.

use std::borrow::Cow;

use super::room::PlaceableNodes;
use nodeorder_base::{Entry, Error, FreeSet, Params, Ranks, Result};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_trace::JobOptions;

/// An allocator by name: an entry of [`super::ALLOCATORS`].
pub type AllocatorEntry = Entry<ParseAllocator>;

/// Function that reads and checks the options of an allocator.
pub type ParseAllocator = fn(&Params) -> Result<Box<dyn BuildAllocator>>;

/// Options of an allocator, read and checked, from which it is made.
pub trait BuildAllocator {
    /// Builds the allocator for a machine and an ordering.
    ///
    /// # Errors
    /// The machine lacks something that the allocator needs; more memory than allowed.
    fn build<'a>(&self, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>>;
}

/// An allocator that needs no more than its options is built as it was parsed.
impl<A: Allocator + Clone + 'static> BuildAllocator for A {
    fn build<'a>(&self, _: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
        Ok(Box::new(self.clone()))
    }
}

/// Why an allocator refuses a job, in words that follow "job 7 of 64 nodes:".
pub type Reason = Cow<'static, str>;

/// An allocator's answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[must_use]
pub enum Choice {
    /// The ranks are chosen.
    Placed,
    /// Not on these free ranks; with others free, the same job may be placed.
    NotNow(Reason),
    /// Whatever is free: such a job cannot be placed.
    Never(Reason),
}

impl Choice {
    /// Checks whether the job is placed.
    pub fn is_placed(&self) -> bool {
        matches!(self, Choice::Placed)
    }

    /// Names the answer in a word or two.
    pub fn short_answer(&self) -> &'static str {
        match self {
            Choice::Placed => "placed",
            Choice::NotNow(_) => "not now",
            Choice::Never(_) => "never",
        }
    }

    /// Returns the reason of a refusal; empty if the job is placed.
    pub fn refusal_reason(&self) -> &str {
        match self {
            Choice::Placed => "",
            Choice::NotNow(reason) | Choice::Never(reason) => reason,
        }
    }
}

/// A rule that chooses ranks for jobs.
pub trait Allocator: Send {
    /// Puts `count` of the free ranks into `chosen`, which comes empty; the caller settles it. The contents of
    /// `chosen` mean nothing where the answer is not [`Choice::Placed`]. `1 ≤ count ≤ free.len()`.
    fn choose_ranks(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice;

    /// Checks whether the allocator may answer other than [`Choice::Placed`]. Schedules plan for places only then;
    /// otherwise they count nodes.
    fn may_refuse(&self) -> bool {
        false
    }

    /// Finds the number of nodes of the largest job without options that the allocator would place on these free
    /// ranks; 0 if none. Asking changes no later choice.
    ///
    /// # Complexity
    /// A choice for each size from all free ranks down, unless the allocator is quicker.
    fn largest_job(&mut self, free: &FreeSet) -> u32 {
        if !self.may_refuse() {
            return free.free_count();
        }
        // A larger job may be placed where a smaller one is not, so no size is left out.
        (1..=free.free_count())
            .rev()
            .find(|count| {
                self.choose_ranks(free, *count, &mut Ranks::default())
                    .is_placed()
            })
            .unwrap_or(0)
    }

    /// Returns the sum of distances over all pairs of the ranks chosen last, in hops; `None` if the allocator does not
    /// choose by distance.
    fn total_distance(&self) -> Option<u64> {
        None
    }

    /// Counts how often the rule, as printed in its source, reads the list of free ranks to place the last job.
    fn list_refreshes(&self) -> u64 {
        1
    }

    /// Sets the options of the next job, which win over the allocator's own; `None` if it gives none.
    ///
    /// # Errors Options that the allocator does not have for jobs.
    fn set_options(&mut self, options: Option<&JobOptions>) -> Result<()> {
        let Some(options) = options else {
            return Ok(());
        };
        let expected = "an allocator that takes options of jobs, such as slurm-block";
        Err(Error::input(
            options.location.clone(),
            format!("`{}`", options.text),
            expected,
        ))
    }

    /// Computes how many seconds, in a schedule, a job of `count` nodes waits after its first refusal before it gets
    /// any allocation: for options that only prefer some. `None` if it waits for ever.
    fn max_wait(&mut self, _count: u32) -> Option<i64> {
        None
    }

    /// Tells that the next job has waited for [`Allocator::max_wait`].
    fn wait_expired(&mut self) {}

    /// Computes the smallest and the largest number of nodes that the next job, which asked for `count`, can take.
    fn job_sizes(&mut self, count: u32) -> (u32, u32) {
        (count, count)
    }

    /// Counts the nodes of broken units (Slurm's `topology_p_get_fragmentation`); `None` if the plugin has no
    /// such measure.
    fn count_broken_nodes(&mut self, _free: &FreeSet) -> Option<u64> {
        None
    }

    /// Measures the room that these free ranks leave for jobs.
    fn measure_room(&mut self, free: &FreeSet) -> PlaceableNodes {
        PlaceableNodes {
            free: free.free_count(),
            placeable: self.largest_job(free),
            fragmentation: self.count_broken_nodes(free),
        }
    }

    /// Returns the rules about pods; `None` if jobs take whole nodes.
    fn pod_rules(&mut self) -> Option<&mut dyn PodRules> {
        None
    }
}

/// Pods of a job on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodsOn {
    /// The node's rank.
    pub rank: u32,
    /// Number of pods, without leaders.
    pub pods: u32,
    /// Number of leaders.
    pub leaders: u32,
    /// Number of places (GPUs) that they take.
    pub places: u32,
}

/// Rules about pods, which may take part of a node.
pub trait PodRules {
    /// Returns the pods of the job placed last, node by node; pods of a slice that is not full are left out.
    fn chosen_pods(&self) -> &[PodsOn];

    /// Moves the pods that a job held on a failed rank, which has no place free, to other nodes; afterwards
    /// [`PodRules::chosen_pods`] has all its pods. The job's options are set before.
    fn replace_pods(&mut self, free: &FreeSet, held: &[PodsOn], failed: u32) -> Choice;

    /// Takes note that pods were put on their nodes (`taken`), or left them.
    fn settle_pods(&mut self, pods: &[PodsOn], taken: bool);

    /// Tells that a node failed (`up` is false), or came back.
    fn set_node_state(&mut self, rank: u32, up: bool);
}

/// The machine and the ordering that an allocator works on.
#[derive(Clone, Copy)]
pub struct AllocatorContext<'a> {
    /// The machine.
    pub topology: &'a Topology,
    /// The ordering.
    pub order: &'a NodeOrder,
    /// Distances between the ranks of the ordering.
    pub distances: &'a RankDistances,
}

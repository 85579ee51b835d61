//! Allocators: which free ranks a job gets.
//!
//! Each is one file with an [`AllocatorEntry`]; [`ALLOCATORS`] is the table that names them all. An
//! [`Allocator`] sees the free ranks of one ordering and chooses; the caller marks them as taken. What an
//! allocator wants to know of the machine it is given when it is made ([`AllocatorContext`]). Some refuse free
//! ranks that do not suit a job ([`Choice`]): the job then waits, or is left out where it can never be placed.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::metric::rank_distances::RankDistances;
use crate::ordering::NodeOrder;
use crate::params::{Opt, Params};
use crate::ranks::{FreeSet, Ranks};
use crate::registry::{Entry, Registry};
use crate::topology::Topology;
use crate::trace::JobOptions;

mod bfs;
mod closest_fit;
mod closest_mind;
mod components;
mod dilation;
mod fifo;
mod first_fit;
mod gen_alg;
mod groups;
mod guest_mesh;
mod kueue;
mod largest_fit;
mod mbs;
mod mc1x1;
mod near;
mod near_rows;
mod random;
mod ranks_by_location;
mod reach;
mod recent;
mod room;
mod runs;
mod slurm;
mod span;
mod units;

pub use components::FreeComponents;
pub use room::{Room, RoomSums};
pub use slurm::settings as slurm_settings;

/// An allocator by name: an entry of [`ALLOCATORS`]. It makes the allocator from its parameters.
pub type AllocatorEntry = Entry<Build>;

type Build = for<'a> fn(&Params, &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>>;

/// Every allocator.
pub static ALLOCATORS: Registry<Build> = Registry::new(
    "allocator",
    "",
    &[
        fifo::FIFO,
        first_fit::FIRST_FIT,
        largest_fit::LARGEST_FIT,
        first_fit::FIFO_FIT,
        first_fit::VARYING_FIT,
        closest_fit::CLOSEST_FIT,
        closest_mind::CLOSEST_MIND,
        span::FIRST,
        span::BEST,
        span::SUM_OF_SQUARES,
        slurm::BEST_FIT,
        slurm::TREE,
        slurm::BLOCK,
        slurm::TORUS3D,
        slurm::RING,
        kueue::KUEUE_TAS,
        groups::PACK,
        groups::SPREAD,
        random::RANDOM,
        mc1x1::MC1X1,
        gen_alg::GEN_ALG,
        mbs::MBS,
        bfs::BFS,
        dilation::DILATION,
    ],
)
.separated_by(':');

/// The largest step between neighbours in a run of free ranks.
const GAP: Opt = Opt::whole("gap", "largest step between neighbours in a run").or("1").positional();

/// Why an allocator refuses a job, in words that follow "job 7 of 64 nodes:".
pub type Reason = Cow<'static, str>;

/// What an allocator answers.
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
    /// Whether there are ranks.
    pub fn is_placed(&self) -> bool {
        matches!(self, Choice::Placed)
    }

    /// The answer in a word or two.
    pub fn answer(&self) -> &'static str {
        match self {
            Choice::Placed => "placed",
            Choice::NotNow(_) => "not now",
            Choice::Never(_) => "never",
        }
    }

    /// Why there are none.
    pub fn reason(&self) -> &str {
        match self {
            Choice::Placed => "",
            Choice::NotNow(reason) | Choice::Never(reason) => reason,
        }
    }
}

/// Chooses ranks for jobs.
pub trait Allocator: Send {
    /// Puts `count` of the free ranks into `chosen`, which comes empty; the caller settles it. What is in
    /// `chosen` means nothing where the answer is not [`Choice::Placed`]. `1 ≤ count ≤ free.len()`.
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks) -> Choice;

    /// Takes what the next job asks for itself: it wins over the allocator's own options.
    ///
    /// # Errors
    /// Options that it does not have for jobs: all of them, unless it says otherwise.
    fn ask(&mut self, options: &JobOptions) -> Result<()> {
        let expected = "an allocator that takes options of jobs, such as slurm-block";
        Err(Error::input(options.location.clone(), format!("`{}`", options.text), expected))
    }

    /// Whether it may answer other than [`Choice::Placed`]. Schedules plan for places only then; otherwise they
    /// count nodes.
    fn may_refuse(&self) -> bool {
        false
    }

    /// Seconds after its first refusal at which a waiting job gets what it was refused, in a schedule: for allocators
    /// that only prefer some allocations.
    fn patience(&self) -> Option<i64> {
        None
    }

    /// The next job has waited for as long as that.
    fn relent(&mut self) {}

    /// The most nodes of a job that asks for nothing besides which it would place on these free ranks, 0 for none;
    /// none of its later choices depends on having been asked.
    ///
    /// # Complexity
    /// A choice for each size from all free ranks down, unless the allocator is quicker.
    fn largest(&mut self, free: &FreeSet) -> u32 {
        if !self.may_refuse() {
            return free.len();
        }
        let mut placed = |count: &u32| self.choose(free, *count, &mut Ranks::default()).is_placed();
        (1..=free.len()).rev().find(|count| placed(count)).unwrap_or(0)
    }

    /// Slurm's own measure of how broken up these free ranks are (`topology_p_get_fragmentation`), in nodes; none
    /// where its plugin has none.
    fn fragmentation(&mut self, _free: &FreeSet) -> Option<u64> {
        None
    }

    /// What these free ranks leave room for.
    fn room(&mut self, free: &FreeSet) -> Room {
        Room {
            free: free.len(),
            placeable: self.largest(free),
            fragmentation: self.fragmentation(free),
        }
    }

    /// Σ of the pairwise distances of the ranks chosen last, in hops, where the choice was made by it.
    fn total_distance(&self) -> Option<u64> {
        None
    }
}

/// The machine and the ordering that allocators work on.
#[derive(Clone, Copy)]
pub struct AllocatorContext<'a> {
    /// The machine.
    pub topology: &'a Topology,
    /// The ordering.
    pub order: &'a NodeOrder,
    /// Where its ranks stand.
    pub distances: &'a RankDistances,
}

/// Makes the allocator that `text` asks for, such as `first-fit:8`, on one context.
///
/// # Errors
/// An unknown name, parameters out of range, a rule that does not suit the topology.
///
/// # Examples
/// ```
/// use nodeorder::{NodeOrder, Topology, allocator, metric::rank_distances::RankDistances, ranks::{FreeSet, Ranks, Run}};
/// let topology = Topology::inline("torus:4x4", &Default::default())?;
/// let order = NodeOrder::make(&topology, "snake")?;
/// let distances = RankDistances::new(&topology, &order)?;
/// let context = allocator::AllocatorContext { topology: &topology, order: &order, distances: &distances };
/// let mut first_fit = allocator::make("first-fit:1", &context)?;
/// let (mut free, mut chosen) = (FreeSet::new(16), Ranks::default());
/// free.take(Run { first: 2, count: 3 });
/// assert!(first_fit.choose(&free, 4, &mut chosen).is_placed());
/// assert_eq!(chosen.to_string(), "5-8");
/// # Ok::<(), nodeorder::Error>(())
/// ```
pub fn make<'a>(text: &str, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
    let (entry, params) = ALLOCATORS.read(text, context.topology.context().seed)?;
    let allocator = (entry.build)(&params, context)?;
    params.finish()?;
    Ok(allocator)
}

/// Stoltzfus' seven algorithms at their usual settings: what `compare` and examples replay.
pub const STOLTZFUS: [&str; 7] = [
    "fifo:0",
    "first-fit:8",
    "largest-fit:8",
    "fifo-fit:16:8",
    "varying-fit",
    "closest-fit",
    "closest-mind",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::{build, from_file};

    #[test]
    fn allocators_ask_for_what_they_declare() {
        let rings = from_file("slurm-topology", "RingName=r Nodes=n[0-7]\n", "").unwrap();
        // Each is made on the first that suits it.
        let machines = [build("torus:4x4x4"), build("dragonfly:p=2,a=4,h=2"), rings];
        let machines = machines.map(|topology| {
            let order = NodeOrder::make(&topology, "row-major").unwrap();
            let distances = RankDistances::new(&topology, &order).unwrap();
            (topology, order, distances)
        });
        let contexts = machines.each_ref().map(|(topology, order, distances)| AllocatorContext {
            topology,
            order,
            distances,
        });
        crate::registry::testing::check(&ALLOCATORS, |entry, params| {
            let made = contexts.iter().map(|context| (entry.build)(params, context).map(|_| ()));
            made.reduce(|before, here| before.or(here)).unwrap()
        });
        STOLTZFUS.iter().for_each(|text| drop(make(text, &contexts[0]).unwrap()));
    }
}

//! Scores of allocations, and what all scores need of the machine.

use nodeorder_base::ids::NodeId;
use nodeorder_base::ranks::Ranks;
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::metric::ring::{Ring, ring};
use nodeorder_order::metric::shape::AllocationShape;
use nodeorder_order::metric::units::{UnitCounter, Units};
use nodeorder_order::ordering::NodeOrder;

/// Metrics of a job's allocation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Its nodes.
    pub size: u32,
    /// Mean distance of two of them, in hops; none for one node, and where no path joins some.
    pub mean_hops: Option<f64>,
    /// The largest distance of two of them, in hops; none where no path joins some.
    pub diameter: Option<u32>,
    /// The ring through them: in the order of the record, or of the ranks; none where no path joins some.
    pub ring: Option<Ring>,
    /// Units that they span at each level, leaf first.
    pub spanned: Vec<u32>,
    /// The fewest units at each level that have as many nodes.
    pub fewest: Vec<u32>,
    /// Its shape, its nodes in the order of the ring, where wanted.
    pub shape: Option<Box<AllocationShape>>,
    /// Segments in one unit each, and those that are not, of a job that was to be made of some ([`Units::segments`]).
    pub segments: Option<(u32, u32)>,
}

/// A scored job.
#[derive(Clone, Copy, Debug)]
pub struct Scored<'a> {
    /// Which placement: 0 is the recorded one, then each ordering with each allocator.
    pub placement: usize,
    /// The job's name.
    pub job: &'a str,
    /// When it started, in seconds.
    pub start: Option<i64>,
    /// Metrics of its allocation.
    pub score: &'a Score,
}

/// Settings of an audit.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditSettings<'a> {
    /// Orderings that are tried on the same jobs.
    pub orders: &'a [NodeOrder],
    /// Allocators that are tried on each of them.
    pub allocators: &'a [String],
    /// Whether shapes are wanted.
    pub shape: bool,
}

/// Records that were not scored for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// A short name for JSON.
    pub name: &'static str,
    /// The reason in words.
    pub about: &'static str,
    /// How many.
    pub count: u64,
    /// The first of them: file, line, what was found and expected. Empty where the reason says all.
    pub first: String,
}

/// The machine and the units of its levels, which all scores need.
pub(super) struct Machine<'t> {
    pub(super) topology: &'t Topology,
    pub(super) units: Units,
}

impl Machine<'_> {
    /// Completes a score by the units that its nodes span.
    pub(super) fn score(
        &self,
        counter: &mut UnitCounter<'_>,
        measured: Score,
        nodes: impl Iterator<Item = NodeId>,
    ) -> Score {
        let spanned = counter.count(nodes);
        let fewest = (0..spanned.len())
            .map(|level| self.units.fewest(level, measured.size))
            .collect();
        Score {
            spanned,
            fewest,
            ..measured
        }
    }
}

/// The ring through ranks in their order, where paths join them all.
pub(super) fn joined_ring(
    topology: &Topology,
    distances: &RankDistances,
    set: &Ranks,
    ranks: &[u32],
) -> Option<Ring> {
    distances
        .within_one_component(topology, set)
        .then(|| ring(distances, ranks))
}

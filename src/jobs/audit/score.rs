//! Scores of allocations, the settings of an audit, and the machine that all scores are measured on.

use nodeorder_base::{NodeId, Ranks};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::metric::ring::{RingLength, measure_ring};
use nodeorder_order::metric::shape::AllocationShape;
use nodeorder_order::metric::units::{UnitCounter, Units};
use nodeorder_traffic::mapping::guest::make_sized_guest;
use nodeorder_traffic::mapping::volumes_between_units;

/// Metrics of the allocation of one job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Number of nodes.
    pub size: u32,
    /// Mean distance over all pairs of nodes, in hops; `None` for one node, or if no path joins some.
    pub mean_hops: Option<f64>,
    /// Largest distance of two nodes, in hops; `None` if no path joins some.
    pub diameter: Option<u32>,
    /// Ring through the nodes in the order of the record, or of their ranks; `None` if no path joins some.
    pub ring: Option<RingLength>,
    /// Number of units that the nodes span at each level, leaf first.
    pub spanned: Vec<u32>,
    /// Smallest number of units at each level that together have as many nodes, leaf first.
    pub fewest: Vec<u32>,
    /// Shape of the allocation, with its nodes in the order of the ring, if measured.
    pub shape: Option<Box<AllocationShape>>,
    /// Number of segments that lie in one unit and of those that do not, for a job made of segments
    /// ([`Units::count_segments`]).
    pub segments: Option<(u32, u32)>,
    /// Volume of the guest between units of each level, leaf first; empty if the guest does not exist for as many
    /// nodes.
    pub bytes: Vec<f64>,
}

/// Score of a job under one placement, as it is handed to the caller.
#[derive(Clone, Copy, Debug)]
pub struct Scored<'a> {
    /// Index of the placement: 0 is the recorded one, then each ordering with each allocator.
    pub placement: usize,
    /// Name of the job.
    pub job: &'a str,
    /// Start time in seconds, if it is known.
    pub start: Option<i64>,
    /// Metrics of the job's allocation.
    pub score: &'a Score,
}

/// Orderings and allocators that an audit tries on the recorded jobs.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditSettings<'a> {
    /// Orderings to try on the same jobs.
    pub orders: &'a [NodeOrder],
    /// Allocators to try on each ordering.
    pub allocators: &'a [String],
    /// Whether shapes are measured.
    pub shape: bool,
    /// Traffic of each job, process i on its i-th node, of which the volume between units is summed up: a pattern for
    /// any number of processes.
    pub guest: Option<&'a str>,
}

/// Number of records that were left out, or read by an assumption, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReasonCount {
    /// Short name of the reason, for JSON.
    pub name: &'static str,
    /// Reason in words.
    pub about: &'static str,
    /// Number of records.
    pub count: u64,
    /// First such record: file, line, what was found and expected. Empty if the reason says all.
    pub first: String,
}

/// Counts a case of a reason; `first` describes the case if it is the first.
pub(super) fn count_case(
    counts: &mut Vec<ReasonCount>,
    name: &'static str,
    about: &'static str,
    first: impl FnOnce() -> String,
) {
    match counts.iter_mut().find(|known| known.name == name) {
        Some(known) => known.count += 1,
        None => counts.push(ReasonCount {
            name,
            about,
            count: 1,
            first: first(),
        }),
    }
}

/// Machine and the units of its levels, which all scores need.
pub(super) struct AuditMachine<'t> {
    pub(super) topology: &'t Topology,
    pub(super) units: Units,
    pub(super) guest: Option<&'t str>,
}

impl AuditMachine<'_> {
    /// Sums up what a job on these nodes sends between units of each level; nothing if no guest is given, or it has no
    /// such size.
    fn sum_bytes(&self, nodes: &[NodeId]) -> Vec<f64> {
        let context = self.topology.context();
        let made = self
            .guest
            .and_then(|text| make_sized_guest(text, nodes.len() as u32, context).ok());
        let volumes = made.map(|guest| volumes_between_units(self.topology, &guest, nodes));
        let volumes = volumes.into_iter().flatten();
        volumes.map(|(_, volume)| volume).collect()
    }

    /// Completes a score by the units that its nodes span, the fewest possible, and the volume between them.
    pub(super) fn complete_score(
        &self,
        counter: &mut UnitCounter<'_>,
        measured: Score,
        nodes: impl Iterator<Item = NodeId>,
    ) -> Score {
        let nodes: Vec<NodeId> = nodes.collect();
        let spanned = counter.count_units(nodes.iter().copied());
        let fewest = (0..spanned.len())
            .map(|level| self.units.fewest_units(level, measured.size))
            .collect();
        Score {
            spanned,
            fewest,
            bytes: self.sum_bytes(&nodes),
            ..measured
        }
    }
}

/// Measures the ring through ranks in their order; `None` if no path joins some.
pub(super) fn connected_ring(
    topology: &Topology,
    distances: &RankDistances,
    set: &Ranks,
    ranks: &[u32],
) -> Option<RingLength> {
    distances
        .within_one_component(topology, set)
        .then(|| measure_ring(distances, ranks))
}

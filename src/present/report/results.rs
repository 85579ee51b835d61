//! What a page of a comparison shows: the orderings, their figures and the results of a workload.

use super::html::Figure;
use crate::columns::throughput::WindowRow;
use nodeorder_jobs::replay::prediction::Prediction;
use nodeorder_jobs::schedule::orderings::Schedules;
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::ordering::NodeOrder;

/// All figures of a comparison.
pub struct Figures {
    pub winners: Figure,
    pub curves: Vec<Figure>,
    /// Pictures of the machine, one for each ordering, in the comparison's order.
    pub machines: Vec<Figure>,
}

/// Orderings of a machine and their comparison.
pub(super) struct ComparedOrders<'a> {
    pub topology: &'a Topology,
    /// The orderings, as the user named them.
    pub orders: &'a [NodeOrder],
    pub comparison: &'a Comparison,
    /// Which of `orders` each entry is.
    pub slots: Vec<usize>,
}

/// Results of a workload on the orderings compared; rows in the order in which the user named the orderings.
#[derive(Clone, Debug, Default)]
pub struct WorkloadResults<'a> {
    /// Replays beside the curves' forecast.
    pub prediction: Option<Prediction>,
    /// Schedules, of a trace that has times.
    pub schedules: Option<Schedules>,
    /// A hint that the trace's processors were wrongly taken for nodes.
    pub processors: Option<String>,
    /// Throughput of the orderings when jobs fill the machine; empty where that was not asked.
    pub windows: Vec<WindowRow<'a>>,
}

//! Input of a page of a comparison: the orderings, their figures and the results of a workload.

use super::advice::Advice;
use super::html::Figure;
use crate::columns::throughput::WindowRow;
use nodeorder_jobs::replay::prediction::Prediction;
use nodeorder_jobs::schedule::orderings::Schedules;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::comparison::Comparison;

/// All figures of a comparison.
pub struct ComparisonFigures {
    /// Best ordering at each job size.
    pub winners: Figure,
    /// Curves in every view that shows something of them.
    pub curves: Vec<Figure>,
    /// Pictures of the machine, one for each ordering, in the comparison's order.
    pub machines: Vec<Figure>,
}

/// Orderings of a machine and their comparison.
pub struct ComparedOrders<'a> {
    pub topology: &'a Topology,
    /// Orderings, as the user named them.
    pub orders: &'a [NodeOrder],
    pub comparison: &'a Comparison,
    /// Index in `orders` of each entry of the comparison.
    pub slots: Vec<usize>,
}

/// Results of a workload on the orderings compared; rows in the order in which the user named the orderings.
#[derive(Clone, Debug, Default)]
pub struct WorkloadResults<'a> {
    /// Replays beside the forecast of the curves; none without a workload.
    pub prediction: Option<Prediction>,
    /// Schedules; none unless the jobs have times.
    pub schedules: Option<Schedules>,
    /// Hint that the trace's processors were wrongly taken for nodes.
    pub processors: Option<String>,
    /// Throughput of the orderings when jobs fill the machine; empty where that was not asked.
    pub windows: Vec<WindowRow<'a>>,
    /// What is advised, with the slowdowns of the orderings; none where nobody asks for advice.
    pub advice: Option<Advice>,
}

//! Process i on the node of rank i, as with a scheduler's node list.

use super::{MapProcesses, MappingMethodEntry, MappingProblem, MappingResult};
use nodeorder_base::{Observer, Result};

/// `rank`: processes in rank order.
pub const METHOD: MappingMethodEntry = MappingMethodEntry::plain(
    "rank",
    "process i on the i-th node: the ordering as it is",
    |_| Ok(Box::new(RankOrder)),
);

/// The method `rank`.
pub struct RankOrder;

impl MapProcesses for RankOrder {
    fn map_processes(&self, problem: &MappingProblem, _: &dyn Observer) -> Result<MappingResult> {
        let slots = (0..problem.len() as u32).collect();
        Ok(MappingResult::new("rank", slots))
    }
}

//! Process i on the node of rank i, as with a scheduler's node list.

use super::{MappingMethodEntry, MappingResult};

/// `rank`: processes in rank order.
pub const METHOD: MappingMethodEntry = MappingMethodEntry::plain(
    "rank",
    "process i on the i-th node: the ordering as it is",
    |problem, _, _| {
        let slots = (0..problem.len() as u32).collect();
        Ok(MappingResult::new("rank", slots))
    },
);

//! Process i on rank i: what a scheduler's node list gives.

use super::{Found, MappingMethodEntry};

/// `rank`: processes in rank order.
pub const METHOD: MappingMethodEntry = MappingMethodEntry::plain(
    "rank",
    "process i on the i-th node: the ordering as it is",
    |problem, _, _| Ok(Found { slots: (0..problem.len() as u32).collect(), method: "rank" }),
);

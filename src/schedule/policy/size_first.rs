//! The queue of Cplant's simulations: by size, then by requested time.

use super::fcfs::InTurn;
use super::{INTERVAL, PolicyEntry};
use crate::params::Opt;

/// `size-first[:desc=true,interval=30]`: the queue is sorted by nodes, then by requested time, then by submit;
/// `desc=true` reverses the first two. Every `interval` seconds from the first submit (0: whenever something
/// happened) tasks start from its head; one that does not fit blocks.
///
/// # Complexity
/// O(log queue) a task beside the allocator.
///
/// # References
/// Leung et al., "Processor Allocation on Cplant: Achieving General Processor Locality using One-Dimensional
/// Allocation Strategies", 2002, section 3.
pub(super) const SIZE_FIRST: PolicyEntry = PolicyEntry {
    name: "size-first",
    about: "by nodes, then requested time (desc=true reverses), every interval=30 seconds; the head blocks",
    example: "size-first:interval=30",
    options: &[Opt::flag("desc", "largest first"), INTERVAL],
    build: |params, context| {
        let (sign, order) =
            if params.flag("desc")? { (-1, "descending") } else { (1, "ascending") };
        let passes = context.passes(params)?.in_words();
        let rule = format!(
            "queue {order} by nodes, then requested time, then submit; the head blocks; {passes}"
        );
        Ok(Box::new(InTurn::new(sign, rule)))
    },
};

//! A machine full of jobs of one size: all windows of an ordering at once.

use crate::mapping::guest::make_sized_guest;
use crate::mapping::{Demand, Guest, ProcessMapping};
use nodeorder_base::{NodeId, Result};
use nodeorder_network::Topology;

/// Builds the traffic of windows of `size` consecutive nodes of `order`, one beside the other from the first on, each
/// with the traffic of its own: the pattern `guest`, in which a node sends 1 on the mean. Nodes left at the end send
/// nothing. Only the first window sends where it is `alone`.
///
/// # Errors
/// An unknown pattern; more memory than allowed; a machine in several components.
///
/// # Complexity
/// O(messages of all windows).
pub fn build_window_traffic(
    topology: &Topology,
    order: &[NodeId],
    size: u32,
    guest: &str,
    alone: bool,
) -> Result<Demand> {
    let one = make_sized_guest(guest, size, topology.context())?;
    let count = if alone {
        1
    } else {
        order.len() as u32 / size.max(1)
    };
    topology.require_memory(
        "the traffic of all windows",
        24 * one.pair_count() * u64::from(count),
    )?;
    let mut messages = Vec::new();
    for window in 0..count {
        one.for_each_message(|m| {
            messages.push((window * size + m.source, window * size + m.target, m.volume));
        });
    }
    let all = Guest::new(guest, count * size, messages)?;
    // Window w has the processes from w · size on.
    let nodes = order[..(count * size) as usize].to_vec();
    Demand::new(
        topology,
        &all,
        &ProcessMapping::new(topology, "windows", nodes)?,
    )
}

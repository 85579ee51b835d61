//! Sizes that users choose, checked before anything is allocated.

use super::context::Context;
use nodeorder_base::{Error, Result, SourceLocation};

/// Most slots (node ids, schedulable or not) of a machine.
pub const MAX_NODES: u64 = 1 << 31;

/// Checks that a machine has at least one slot and at most [`MAX_NODES`].
pub fn check_nodes(location: &SourceLocation, slots: u64) -> Result<()> {
    if slots > MAX_NODES || slots == 0 {
        let found = format!("a machine of {slots} nodes");
        let expected = format!("1 to {MAX_NODES} nodes");
        return Err(Error::input(location.clone(), found, expected));
    }
    Ok(())
}

/// Multiplies sizes that users choose. Fails if the product is 0 or above [`MAX_NODES`].
pub fn multiply_sizes(
    location: &SourceLocation,
    factors: impl IntoIterator<Item = u32>,
) -> Result<u32> {
    let factors = factors.into_iter().map(u64::from);
    let all = factors.fold(1, u64::saturating_mul);
    check_nodes(location, all)?;
    // 2³¹ itself still fits.
    Ok(all as u32)
}

/// Checks that a router graph would fit: for families whose distances are found by search, which need it for
/// everything, before anything is allocated.
pub fn require_graph(context: &Context, routers: u64, links: u64) -> Result<()> {
    // The list of links, and two arcs a link in the graph.
    let of_links = links.saturating_mul(56);
    let bytes = of_links.saturating_add(routers.saturating_mul(16));
    let what = format!("a network of {routers} routers and {links} links");
    context.require_memory(&what, bytes)
}

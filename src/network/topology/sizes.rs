//! Sizes that users choose, checked before anything is allocated.

use super::context::Context;
use nodeorder_base::error::{Error, Result, SourceLocation};

/// Slots (nodes, schedulable or not) of a machine, at most.
pub const MAX_NODES: u64 = 1 << 31;

/// Refuses machines of more than [`MAX_NODES`] slots, or of none.
pub fn check_nodes(location: &SourceLocation, slots: u64) -> Result<()> {
    if slots > MAX_NODES || slots == 0 {
        let found = format!("a machine of {slots} nodes");
        return Err(Error::input(
            location.clone(),
            found,
            format!("1 to {MAX_NODES} nodes"),
        ));
    }
    Ok(())
}

/// `a · b · …` as a checked product for sizes that users choose. Errors: more than [`MAX_NODES`].
pub fn product(location: &SourceLocation, factors: impl IntoIterator<Item = u32>) -> Result<u32> {
    let all = factors
        .into_iter()
        .fold(1u64, |all, factor| all.saturating_mul(u64::from(factor)));
    check_nodes(location, all)?;
    // 2³¹ itself still fits.
    Ok(all as u32)
}

/// Refuses networks whose router graph would not fit: for families whose distances are found by search,
/// which need it for everything, before anything is allocated.
pub fn require_graph(context: &Context, routers: u64, links: u64) -> Result<()> {
    let bytes = links
        .saturating_mul(56)
        .saturating_add(routers.saturating_mul(16));
    context.require(
        &format!("a network of {routers} routers and {links} links"),
        bytes,
    )
}

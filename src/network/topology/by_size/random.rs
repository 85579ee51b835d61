//! Sizes of random networks.

use super::shape::{ShapeOptions, drop_given, nodes_per_router, number_options};
use crate::topology::sizes::MAX_NODES;
use nodeorder_base::{Params, Result};

/// Counts the routers that `nodes` need, `least` or more.
pub fn count_routers(params: &Params, nodes: u64, least: u64) -> Result<u64> {
    Ok(nodes.div_ceil(nodes_per_router(params, 1)?).max(least))
}

/// Chooses `n`, and `k` and `p` unless given, of a Watts-Strogatz network.
pub fn size_watts_strogatz(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    // Three routers make the smallest ring.
    let n = count_routers(params, nodes, 3)?;
    let mut keys = number_options([("n", n), ("k", (n - 1).min(6))]);
    keys.push(("p", "0.1".into()));
    Ok(drop_given(params, keys))
}

/// Chooses `n`, and `d` unless given, of a random regular network.
pub fn size_random_regular(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let mut n = count_routers(params, nodes, 1)?;
    // Every link has two ends, so n·d is even. Without a degree, n·(n-1) is.
    n += n * params
        .optional_integer::<u64>("d", 0, MAX_NODES)?
        .unwrap_or(0)
        % 2;
    let keys = number_options([("n", n), ("d", (n - 1).min(6))]);
    Ok(drop_given(params, keys))
}

/// Chooses `n`, and `m` unless given, of a random network of n routers and m links.
pub fn size_gnm(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let n = count_routers(params, nodes, 1)?;
    // Whole numbers alone, so that all machines choose the same: log₂n·7/20 is just above ln(n)/2.
    let logarithm = u64::from(n.next_power_of_two().ilog2());
    let links = (n + (n * logarithm * 7).div_ceil(20)).min(n * (n - 1) / 2);
    let keys = number_options([("n", n), ("m", links)]);
    Ok(drop_given(params, keys))
}

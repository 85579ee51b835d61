//! Sizes of random networks.

use super::shape::{Keys, per_router, unless_given};
use crate::topology::sizes::MAX_NODES;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

pub(super) fn routers(params: &Params, nodes: u64, least: u64) -> Result<u64> {
    Ok(nodes.div_ceil(per_router(params, 1)?).max(least))
}

pub(super) fn watts_strogatz(params: &Params, nodes: u64) -> Result<Keys> {
    let n = routers(params, nodes, 3)?;
    let k = (n - 1).min(6);
    Ok(unless_given(
        params,
        [
            ("n", n.to_string()),
            ("k", k.to_string()),
            ("p", "0.1".into()),
        ],
    ))
}

pub(super) fn random_regular(params: &Params, nodes: u64) -> Result<Keys> {
    let mut n = routers(params, nodes, 1)?;
    // Without a degree, n·(n-1) is even.
    n += n * params.integer::<u64>("d", 0, MAX_NODES)?.unwrap_or(0) % 2;
    Ok(unless_given(
        params,
        [("n", n.to_string()), ("d", (n - 1).min(6).to_string())],
    ))
}

pub(super) fn gnm(params: &Params, nodes: u64) -> Result<Keys> {
    let n = routers(params, nodes, 1)?;
    let logarithm = u64::from(n.next_power_of_two().ilog2());
    let links = (n + (n * logarithm * 7).div_ceil(20)).min(n * (n - 1) / 2);
    Ok(unless_given(
        params,
        [("n", n.to_string()), ("m", links.to_string())],
    ))
}

//! Shapes of dragonflies.

use super::numbers::saturating_power;
use super::shape::{ShapeOptions, number_options};
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

/// Chooses `p`, `a`, `h` and `g` of a balanced dragonfly.
pub(super) fn size_dragonfly(_: &Params, nodes: u64) -> Result<ShapeOptions> {
    // p·2p·(2p² + 1) nodes; below 2³¹ p stays below 153.
    let p = (1..)
        .find(|p| {
            2 * saturating_power(*p, 2) * (2 * saturating_power(*p, 2) + 1) >= u128::from(nodes)
        })
        .unwrap_or(1);
    let groups = nodes.div_ceil(2 * p * p);
    Ok(number_options([
        ("p", p),
        ("a", 2 * p),
        ("h", p),
        ("g", groups),
    ]))
}

/// Chooses `p`, `l`, `s`, `h` and `g` of a dragonfly+ with half of a switch's ports each way.
pub(super) fn size_dragonfly_plus(_: &Params, nodes: u64) -> Result<ShapeOptions> {
    // p²·(p² + 1) nodes; below 2³¹ p stays below 216.
    let p = (1..)
        .find(|p| saturating_power(*p, 2) * (saturating_power(*p, 2) + 1) >= u128::from(nodes))
        .unwrap_or(1);
    let groups = nodes.div_ceil(p * p);
    Ok(number_options([
        ("p", p),
        ("l", p),
        ("s", p),
        ("h", p),
        ("g", groups),
    ]))
}

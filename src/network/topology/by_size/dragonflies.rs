//! Shapes of dragonflies.

use super::shape::{ShapeOptions, number_options};
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

/// Finds the smallest p that is enough where groups have share·p² nodes and are one more in number. Returns it and
/// the number of groups that are needed.
fn find_smallest_p(nodes: u64, share: u64) -> (u64, u64) {
    let mut all = 1..;
    let p = all
        .find(|p| share * p * p * (share * p * p + 1) >= nodes)
        .unwrap_or(1);
    (p, nodes.div_ceil(share * p * p))
}

/// Chooses `p`, `a`, `h` and `g` of a balanced dragonfly.
pub(super) fn size_dragonfly(_: &Params, nodes: u64) -> Result<ShapeOptions> {
    // p·2p·(2p² + 1) nodes; below 2³¹ p stays below 153.
    let (p, groups) = find_smallest_p(nodes, 2);
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
    let (p, groups) = find_smallest_p(nodes, 1);
    Ok(number_options([
        ("p", p),
        ("l", p),
        ("s", p),
        ("h", p),
        ("g", groups),
    ]))
}

//! Shapes of dragonflies.

use super::shape::{ShapeOptions, number_options};
use nodeorder_base::{Params, Result};

/// Finds the smallest p that is enough where groups have share·p² nodes and are one more in number. Returns it and
/// the number of groups that are needed.
fn find_smallest_p(nodes: u64, share: u64) -> (u64, u64) {
    let mut all = 1..;
    let p = all
        .find(|p| share * p * p * (share * p * p + 1) >= nodes)
        .unwrap_or(1);
    (p, nodes.div_ceil(share * p * p))
}

/// Chooses `g`, `cables` and `h` for `groups` groups of `routers` routers that have room for `ports` global ports
/// each: as many cables between every two groups as there is room for, and no more ports than these take.
fn choose_global_ports(groups: u64, routers: u64, ports: u64) -> ShapeOptions {
    let others = groups - 1;
    // A group alone has no cable to another.
    if others == 0 {
        return number_options([("h", 0), ("g", 1)]);
    }
    let cables = (routers * ports / others).max(1);
    let h = (cables * others).div_ceil(routers);
    number_options([("h", h), ("g", groups), ("cables", cables)])
}

/// Chooses `p`, `a`, `h`, `g` and `cables` of a dragonfly with a = 2p and room for p global ports on a router.
pub fn size_dragonfly(_: &Params, nodes: u64) -> Result<ShapeOptions> {
    // p·2p·(2p² + 1) nodes; below 2³¹ p stays below 153.
    let (p, groups) = find_smallest_p(nodes, 2);
    let mut keys = number_options([("p", p), ("a", 2 * p)]);
    keys.extend(choose_global_ports(groups, 2 * p, p));
    Ok(keys)
}

/// Chooses `p`, `l`, `s`, `h`, `g` and `cables` of a dragonfly+ with room for half of a switch's ports each way.
pub fn size_dragonfly_plus(_: &Params, nodes: u64) -> Result<ShapeOptions> {
    // p²·(p² + 1) nodes; below 2³¹ p stays below 216.
    let (p, groups) = find_smallest_p(nodes, 1);
    let mut keys = number_options([("p", p), ("l", p), ("s", p)]);
    keys.extend(choose_global_ports(groups, p, p));
    Ok(keys)
}

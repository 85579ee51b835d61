//! Shapes of dragonflies.

use super::numbers::power;
use super::shape::Keys;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

pub(super) fn dragonfly(_: &Params, nodes: u64) -> Result<Keys> {
    // p·2p·(2p² + 1) nodes.
    let full = |p: &u64| 2 * power(*p, 2) * (2 * power(*p, 2) + 1);
    let enough = (1..).find(|p| full(p) >= u128::from(nodes));
    // Below 2³¹ nodes p stays below 153.
    let p = enough.unwrap_or(1);
    let groups = nodes.div_ceil(2 * p * p);
    let text = |n: u64| n.to_string();
    Ok(vec![
        ("p", text(p)),
        ("a", text(2 * p)),
        ("h", text(p)),
        ("g", text(groups)),
    ])
}

pub(super) fn dragonfly_plus(_: &Params, nodes: u64) -> Result<Keys> {
    // p²·(p² + 1) nodes; below 2³¹ p stays below 216.
    let full = |p: &u64| power(*p, 2) * (power(*p, 2) + 1);
    let p = (1..).find(|p| full(p) >= u128::from(nodes)).unwrap_or(1);
    let mut keys: Vec<_> = ["p", "l", "s", "h"]
        .map(|key| (key, p.to_string()))
        .to_vec();
    keys.push(("g", nodes.div_ceil(p * p).to_string()));
    Ok(keys)
}

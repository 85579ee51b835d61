//! Shapes of fat trees and of rails of them.

use super::numbers::{even_extents, floor_root, saturating_power};
use super::shape::{ShapeOptions, drop_given, number_options};
use crate::topology::families::fat_tree::MAX_LEVELS;
use crate::topology::family::by_x;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

/// Number of ports of a spine switch of a multi-rail network, where its units allow.
const SPINE_PORTS: u64 = 64;

/// Chooses `k` of a fat tree for `nodes` nodes unless given (the number of ports of a switch or, if the number of levels
/// `n` is given, of children of a switch), and as few `pods` as are needed.
pub(super) fn size_fat_tree(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let levels = params.optional_integer("n", 1, MAX_LEVELS)?;
    let given = params.optional_integer("k", 2, 1 << 20)?;
    let k = given.unwrap_or_else(|| match levels {
        Some(n) => {
            let m = floor_root(nodes, n);
            (m + u64::from(saturating_power(m, n) < u128::from(nodes))).max(2)
        }
        None => {
            // k³/4 nodes, k = 2·half.
            let half = (1..).find(|half| 2 * saturating_power(*half, 3) >= u128::from(nodes));
            2 * half.unwrap_or(1)
        }
    });
    let pod = match levels {
        Some(n) => saturating_power(k, n - 1),
        None => saturating_power(k / 2, 2),
    };
    let pods = u128::from(nodes).div_ceil(pod.max(1)) as u64;
    if pods > k {
        let most = pod * u128::from(k);
        return Err(params.invalid_value("nodes", format!("at most {most} nodes with k={k}")));
    }
    Ok(drop_given(
        params,
        number_options([("k", k), ("pods", pods)]),
    ))
}

/// Chooses `m` and `w` of an extended generalised fat tree of full bandwidth.
pub(super) fn size_xgft(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let levels = params.optional_integer("h", 1, MAX_LEVELS)?.unwrap_or(3);
    let m = even_extents(nodes, levels);
    // A switch has as many cables up as down: parents at a level are the children at the one below.
    let mut w = m.clone();
    w.rotate_right(1);
    w[0] = 1;
    Ok(vec![("m", by_x(&m)), ("w", by_x(&w))])
}

/// Chooses `domains` and `units` of a multi-rail network, and unless given its `rails`, `spines` and `cables`.
pub(super) fn size_multi_rail(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let domain = params.required_integer::<u64>("domain", 1, 1 << 20)?;
    let rails = params
        .optional_integer::<u64>("rails", 1, 1 << 20)?
        .unwrap_or(8);
    let gpus = if params.is_set("gpus")? { rails } else { 1 };
    let domains = if domain == 1 { 32 } else { 8 };
    let units = nodes.div_ceil(domains * domain * gpus);
    // As many cables from a leaf switch up as down; several to each spine switch while it has ports.
    let down = domains * domain;
    // With spine switches given, all is as given.
    let cables = if params.has_key("cables") || params.has_key("spines") || units == 1 {
        params.required_integer::<u64>("cables", 1, 1 << 20)?
    } else {
        (SPINE_PORTS / units).clamp(1, down)
    };
    let spines = if units > 1 { down.div_ceil(cables) } else { 0 };
    let keys = number_options([
        ("domains", domains),
        ("units", units),
        ("rails", 8),
        ("spines", spines),
        ("cables", cables),
    ]);
    Ok(drop_given(params, keys))
}

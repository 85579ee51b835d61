//! Shapes of fat trees and of rails of them.

use super::numbers::{even_extents, floor_root, saturating_power};
use super::shape::{ShapeOptions, drop_given, number_options};
use crate::topology::families::fat_tree::{Blocking, MAX_LEVELS};
use crate::topology::family::by_x;
use nodeorder_base::{Error, Params, Result};

/// Number of ports of a spine switch of a multi-rail network, where its units allow.
const SPINE_PORTS: u64 = 64;

/// Chooses `k` of a fat tree for `nodes` nodes unless given (the number of ports of a switch or, if the number of
/// levels
/// `n` is given, of children of a switch), and as few `pods` as are needed.
pub fn size_fat_tree(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let levels = params.optional_integer("n", 1, MAX_LEVELS)?;
    let given = params.optional_integer("k", 2, 1 << 20)?;
    let blocking = Blocking::parse(params)?;
    let pod_of = |k: u64| u128::from(k / 2) * u128::from(blocking.count_node_links(k));
    let k = given.unwrap_or_else(|| match levels {
        Some(n) => {
            let m = floor_root(nodes, n);
            (m + u64::from(saturating_power(m, n) < u128::from(nodes))).max(2)
        }
        // Below 2³¹ nodes of at least one node link a switch: the search ends.
        None => (2..)
            .step_by(2)
            .find(|k| u128::from(*k) * pod_of(*k) >= u128::from(nodes))
            .unwrap_or(2),
    });
    let pod = match levels {
        Some(n) => saturating_power(k, n - 1),
        None => pod_of(k),
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
pub fn size_xgft(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let levels = params.optional_integer("h", 1, MAX_LEVELS)?.unwrap_or(3);
    let m = even_extents(nodes, levels);
    // A switch has as many cables up as down: parents at a level are the children at the one below.
    let mut w = m.clone();
    w.rotate_right(1);
    w[0] = 1;
    Ok(vec![("m", by_x(&m)), ("w", by_x(&w))])
}

/// Chooses `leaves`, `down`, `up` and `spines` of a leaf-spine network of switches of `radix` ports.
pub fn size_leaf_spine(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let blocking = Blocking::parse(params)?;
    let radix = params.required_integer::<u64>("radix", 2, 1 << 20)?;
    let down = blocking.count_node_links(radix);
    if down == 0 {
        return Err(params.invalid_value("blocking", format!("node links within {radix} ports")));
    }
    let up = blocking.count_uplinks(down);
    let leaves = nodes.div_ceil(down);
    let spines =
        (1..=up).find(|spines| up.is_multiple_of(*spines) && leaves * up / spines <= radix);
    let Some(spines) = spines else {
        let found = format!("{leaves} leaf switches of {down} nodes");
        let expected = format!(
            "at most {radix}, one a port of a spine switch; more take three levels, as in \
             fat-tree:nodes={nodes}"
        );
        return Err(Error::input(params.location_of("nodes"), found, expected));
    };
    Ok(number_options([
        ("leaves", leaves),
        ("down", down),
        ("up", up),
        ("spines", spines),
    ]))
}

/// Chooses `domains` and `units` of a multi-rail network, and unless given its `rails`, `spines` and `cables`.
pub fn size_multi_rail(params: &Params, nodes: u64) -> Result<ShapeOptions> {
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

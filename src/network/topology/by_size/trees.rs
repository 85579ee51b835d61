//! Shapes of fat trees and of rails of them.

use super::numbers::{even_extents, power, root};
use super::shape::{Keys, unless_given};
use crate::topology::families::fat_tree::MAX_LEVELS;
use crate::topology::family::by_x;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

/// Ports of a spine switch of a multi-rail network, where its units allow.
const PORTS: u64 = 64;

pub(super) fn fat_tree(params: &Params, nodes: u64) -> Result<Keys> {
    let k = match params.integer("n", 1, MAX_LEVELS)? {
        Some(n) => {
            let m = root(nodes, n);
            (m + u64::from(power(m, n) < u128::from(nodes))).max(2)
        }
        None => {
            (1..)
                .find(|half| 2 * power(*half, 3) >= u128::from(nodes))
                .unwrap_or(1)
                * 2
        }
    };
    Ok(vec![("k", k.to_string())])
}

pub(super) fn xgft(params: &Params, nodes: u64) -> Result<Keys> {
    let levels = params.integer("h", 1, MAX_LEVELS)?.unwrap_or(3);
    let m = even_extents(nodes, levels);
    let w: Vec<u64> = std::iter::once(1)
        .chain(m.iter().copied())
        .take(m.len())
        .collect();
    Ok(vec![("m", by_x(&m)), ("w", by_x(&w))])
}

pub(super) fn multi_rail(params: &Params, nodes: u64) -> Result<Keys> {
    let domain = params.whole::<u64>("domain", 1, 1 << 20)?;
    let rails = params.integer::<u64>("rails", 1, 1 << 20)?.unwrap_or(8);
    let gpus = if params.flag("gpus")? { rails } else { 1 };
    let domains = if domain == 1 { 32 } else { 8 };
    let units = nodes.div_ceil(domains * domain * gpus);
    // As many cables from a leaf switch up as down; several to each spine switch while it has ports.
    let down = domains * domain;
    // With spine switches given, all is as given.
    let cables = match params.has("cables") || params.has("spines") || units == 1 {
        true => params.whole::<u64>("cables", 1, 1 << 20)?,
        false => (PORTS / units).clamp(1, down),
    };
    let spines = if units > 1 { down.div_ceil(cables) } else { 0 };
    let shape = [
        ("domains", domains),
        ("units", units),
        ("rails", 8),
        ("spines", spines),
        ("cables", cables),
    ];
    Ok(unless_given(
        params,
        shape.map(|(key, n)| (key, n.to_string())),
    ))
}

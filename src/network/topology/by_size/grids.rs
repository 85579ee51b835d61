//! Shapes of grids and of what is numbered as one.

use super::numbers::{even_extents, floor_root, saturating_power};
use super::shape::{ShapeOptions, nodes_per_router};
use crate::topology::family::by_x;
use nodeorder_base::params::Value;
use nodeorder_base::{Params, Result};

/// Chooses `dims` of a mesh, torus or mixed grid.
pub(super) fn size_grid(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    // Only families that take it declare it.
    let wrap = if params.has_key("wrap") && params.kind() != "mesh" {
        params.located_value("wrap")
    } else {
        None
    };
    let dimensions = match wrap {
        Some((Value::Word(digits), _)) => digits.len(),
        Some((Value::List(items), _)) => items.len(),
        _ => 3,
    };
    let routers = nodes.div_ceil(nodes_per_router(params, 1)?);
    // 2³¹ nodes fill 31 dimensions of extent 2; a `wrap` of no digits is refused when it is read.
    let extents = even_extents(routers, (dimensions as u32).clamp(1, 64));
    Ok(vec![("dims", by_x(&extents))])
}

/// Chooses `dims`, and `per_router` unless given, of a HyperX.
pub(super) fn size_hyperx(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    if params.has_key("per_router") {
        return size_grid(params, nodes);
    }
    // Extents m, …, m+1 with m nodes a router: products grow with m and with the number of larger extents.
    let mut m = floor_root(nodes, 4);
    loop {
        let routers = nodes.div_ceil(m);
        if saturating_power(m + 1, 3) >= u128::from(routers) {
            let mut extents = even_extents(routers.max(saturating_power(m, 3) as u64), 3);
            extents.iter_mut().for_each(|n| *n = (*n).max(m));
            return Ok(vec![
                ("dims", by_x(&extents)),
                ("per_router", m.to_string()),
            ]);
        }
        m += 1;
    }
}

/// Chooses `dims` of a Cascade: groups of 16x6 blades, four nodes a blade unless `per_router` is given.
pub(super) fn size_cascade(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let per_router = nodes_per_router(params, 4)?;
    let groups = nodes.div_ceil(96 * per_router);
    Ok(vec![
        ("dims", format!("16x6x{groups}")),
        ("per_router", per_router.to_string()),
    ])
}

/// Chooses `dims` of a TPU slice: a part of one cube as it is sold, or whole cubes.
pub(super) fn size_tpu(_: &Params, nodes: u64) -> Result<ShapeOptions> {
    let shape = match nodes {
        0..=4 => "2x2x1".into(),
        5..=8 => "2x2x2".into(),
        9..=16 => "2x2x4".into(),
        17..=32 => "2x4x4".into(),
        _ => {
            let cubes = even_extents(nodes.div_ceil(64), 3);
            // The longest side comes last, as shapes are written.
            by_x(&cubes.iter().rev().map(|n| 4 * n).collect::<Vec<_>>())
        }
    };
    Ok(vec![("dims", shape)])
}

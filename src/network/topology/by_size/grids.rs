//! Shapes of grids and of what is numbered as one.

use super::numbers::{even_extents, power, root};
use super::shape::{Keys, per_router};
use crate::topology::family::by_x;
use nodeorder_base::error::Result;
use nodeorder_base::params::{Params, Value};

pub(super) fn grid(params: &Params, nodes: u64) -> Result<Keys> {
    // Only families that take it declare it.
    let wrap = if params.has("wrap") && params.kind() != "mesh" {
        params.value("wrap")
    } else {
        None
    };
    let dimensions = match wrap {
        Some((Value::Word(digits), _)) => digits.len(),
        Some((Value::List(items), _)) => items.len(),
        _ => 3,
    };
    let routers = nodes.div_ceil(per_router(params, 1)?);
    Ok(vec![(
        "dims",
        by_x(&even_extents(routers, (dimensions as u32).clamp(1, 64))),
    )])
}

pub(super) fn hyperx(params: &Params, nodes: u64) -> Result<Keys> {
    if params.has("per_router") {
        return grid(params, nodes);
    }
    // Extents m, …, m+1 with m nodes a router: products grow with m and with the number of larger extents.
    let mut m = root(nodes, 4);
    loop {
        let routers = nodes.div_ceil(m);
        if power(m + 1, 3) >= u128::from(routers) {
            let mut extents = even_extents(routers.max(power(m, 3) as u64), 3);
            extents.iter_mut().for_each(|n| *n = (*n).max(m));
            return Ok(vec![
                ("dims", by_x(&extents)),
                ("per_router", m.to_string()),
            ]);
        }
        m += 1;
    }
}

pub(super) fn cascade(params: &Params, nodes: u64) -> Result<Keys> {
    let per_router = per_router(params, 4)?;
    let groups = nodes.div_ceil(96 * per_router);
    Ok(vec![
        ("dims", format!("16x6x{groups}")),
        ("per_router", per_router.to_string()),
    ])
}

pub(super) fn tpu(_: &Params, nodes: u64) -> Result<Keys> {
    let parts = [(4, "2x2x1"), (8, "2x2x2"), (16, "2x2x4"), (32, "2x4x4")];
    let shape = match parts.iter().find(|(chips, _)| nodes <= *chips) {
        Some((_, shape)) => (*shape).to_string(),
        None => {
            let cubes = even_extents(nodes.div_ceil(64), 3);
            by_x(&cubes.iter().rev().map(|n| 4 * n).collect::<Vec<_>>())
        }
    };
    Ok(vec![("dims", shape)])
}

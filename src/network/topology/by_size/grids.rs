//! Shapes of grids and of what is numbered as one.

use super::numbers::{even_extents, floor_root, list_extents, saturating_power};
use super::shape::{ShapeOptions, nodes_per_router};
use crate::topology::family::by_x;
use nodeorder_base::params::Value;
use nodeorder_base::{Params, Result};

/// Largest number of routers for which other shapes than the even one are tried. Beyond it the even shape of three
/// extents has at most 2 % more routers than asked, and costs at most 1.1 times the cheapest.
const MOST_TRIED: u64 = 100_000;

/// Finds the extents of a grid whose cost, at 1 a link and 16 a router, is at most 1.1 times that of the cheapest grid
/// with as many dimensions of two routers or more: `even` if its cost is low enough, else the grid with the smallest
/// ratio of the largest to the smallest extent, of equal ones that with the fewest routers. `links` is twice the number
/// of links a router along a dimension. From four dimensions on an even shape always costs more than rings of two:
/// there `even` stays.
fn find_affordable_extents(even: Vec<u64>, routers: u64, links: fn(u64) -> u64) -> Vec<u64> {
    if even.len() > 3 || routers > MOST_TRIED || even.contains(&1) {
        return even;
    }
    let mut shapes = list_extents(routers, even.len(), 2);
    let cheapest = shapes
        .iter()
        .map(|extents| double_cost(extents, links))
        .min();
    let most = cheapest.map_or(u64::MAX, |cheapest| cheapest * 11 / 10);
    if double_cost(&even, links) <= most {
        return even;
    }
    shapes.retain(|extents| double_cost(extents, links) <= most);
    let evenest = shapes.into_iter().min_by(|a, b| {
        let last = a.len() - 1;
        let by_ratio = (a[0] * b[last]).cmp(&(b[0] * a[last]));
        let by_routers = a.iter().product::<u64>().cmp(&b.iter().product());
        by_ratio.then(by_routers).then_with(|| a.cmp(b))
    });
    evenest.unwrap_or(even)
}

/// Computes twice the cost of a grid, at 1 a link and 16 a router.
fn double_cost(extents: &[u64], links: fn(u64) -> u64) -> u64 {
    let each: u64 = extents.iter().map(|extent| links(*extent)).sum();
    extents.iter().product::<u64>() * (32 + each)
}

/// Counts twice the links of a router along a ring of `extent`: a ring of two has one link.
fn ring_links(extent: u64) -> u64 {
    extent.min(3) - 1
}

/// Counts twice the links a router along a line that is joined all-to-all.
fn clique_links(extent: u64) -> u64 {
    extent - 1
}

/// Chooses `dims` of a mesh, torus or mixed grid.
pub fn size_grid(params: &Params, nodes: u64) -> Result<ShapeOptions> {
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
    let mut extents = even_extents(routers, (dimensions as u32).clamp(1, 64));
    match params.kind() {
        "torus" => extents = find_affordable_extents(extents, routers, ring_links),
        "hyperx" => extents = find_affordable_extents(extents, routers, clique_links),
        _ => {}
    }
    Ok(vec![("dims", by_x(&extents))])
}

/// Chooses `dims`, and `per_router` unless given, of a HyperX.
pub fn size_hyperx(params: &Params, nodes: u64) -> Result<ShapeOptions> {
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
            extents = find_affordable_extents(extents, routers, clique_links);
            return Ok(vec![
                ("dims", by_x(&extents)),
                ("per_router", m.to_string()),
            ]);
        }
        m += 1;
    }
}

/// Chooses `dims` of a Cascade: groups of 16x6 blades, four nodes a blade unless `per_router` is given.
pub fn size_cascade(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let per_router = nodes_per_router(params, 4)?;
    let groups = nodes.div_ceil(96 * per_router);
    Ok(vec![
        ("dims", format!("16x6x{groups}")),
        ("per_router", per_router.to_string()),
    ])
}

/// Chooses `dims` of a TPU slice: a part of one cube as it is sold, or whole cubes.
pub fn size_tpu(_: &Params, nodes: u64) -> Result<ShapeOptions> {
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

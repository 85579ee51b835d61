//! Shapes of networks over finite fields.

use super::numbers::saturating_power;
use super::shape::{ShapeOptions, drop_given, nodes_per_router, number_options};
use crate::topology::families::galois::prime_power;
use crate::topology::families::slim_fly as mms;
use nodeorder_base::{Params, Result};

/// Finds the first q of `all` whose routers carry enough, each `per_router` nodes, or half its degree, rounded up.
fn find_smallest_q(
    params: &Params,
    nodes: u64,
    mut all: impl Iterator<Item = u32>,
    routers: impl Fn(u64) -> u128,
    degree: impl Fn(u32) -> u64,
) -> Result<ShapeOptions> {
    let given = params
        .has_key("per_router")
        .then(|| nodes_per_router(params, 1))
        .transpose()?;
    let carried = |q: u32| given.unwrap_or(degree(q).div_ceil(2));
    // There are primes above every bound: the search ends.
    let q = all
        .find(|&q| routers(q.into()) * u128::from(carried(q)) >= nodes.into())
        .unwrap_or(3);
    Ok(number_options([
        ("q", q.into()),
        ("per_router", carried(q)),
    ]))
}

/// Chooses `q`, and `per_router` unless given, of a Slim Fly: 2q² routers.
pub fn size_slim_fly(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    let all = (3..).filter(|q| mms::is_valid_order(*q));
    find_smallest_q(
        params,
        nodes,
        all,
        |q| 2 * saturating_power(q, 2),
        mms::router_degree,
    )
}

/// Counts the points of the polarity graph of q.
fn count_points(q: u64) -> u128 {
    saturating_power(q, 2) + u128::from(q) + 1
}

/// Lists the prime powers, ascending.
fn prime_powers() -> impl Iterator<Item = u32> {
    (2..).filter(|q| prime_power(*q).is_some())
}

/// Chooses `q`, and `per_router` unless given, of a PolarFly.
pub fn size_polarfly(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    find_smallest_q(params, nodes, prime_powers(), count_points, |q| {
        u64::from(q + 1)
    })
}

/// Chooses `q`, the order of the outer polarity graph, and `d` unless given, which sets the routers at each of its
/// points.
pub fn size_polarstar(params: &Params, nodes: u64) -> Result<ShapeOptions> {
    // A wrong d is refused when the family reads it.
    let d = params
        .optional_integer::<u64>("d", 0, 1 << 12)
        .ok()
        .flatten();
    let extra = if params.required_choice("supernode")? == "paley" {
        1
    } else {
        2
    };
    let carried = u128::from(2 * d.unwrap_or(4) + extra) * u128::from(nodes_per_router(params, 1)?);
    // There are primes above every bound: the search ends.
    let q = prime_powers()
        .find(|q| count_points((*q).into()) * carried >= nodes.into())
        .unwrap_or(2);
    let keys = number_options([("q", q.into()), ("d", 4)]);
    Ok(drop_given(params, keys))
}

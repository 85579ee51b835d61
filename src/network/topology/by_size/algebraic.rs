//! Shapes of networks over finite fields.

use super::numbers::power;
use super::shape::{Keys, number_keys, per_router, unless_given};
use crate::topology::families::galois::prime_power;
use crate::topology::families::slim_fly as mms;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

/// Finds the first q of `all` whose routers carry enough, each `per_router` nodes, or half its degree, rounded up.
fn enough_routers(
    params: &Params,
    nodes: u64,
    mut all: impl Iterator<Item = u32>,
    routers: impl Fn(u64) -> u128,
    degree: impl Fn(u32) -> u64,
) -> Result<Keys> {
    let given = params
        .has("per_router")
        .then(|| per_router(params, 1))
        .transpose()?;
    let carried = |q: u32| given.unwrap_or(degree(q).div_ceil(2));
    // There are primes above every bound: the search ends.
    let q = all
        .find(|&q| routers(q.into()) * u128::from(carried(q)) >= nodes.into())
        .unwrap_or(3);
    Ok(number_keys([("q", q.into()), ("per_router", carried(q))]))
}

/// Chooses `q`, and `per_router` unless given, of a Slim Fly: 2q² routers.
pub(super) fn slim_fly(params: &Params, nodes: u64) -> Result<Keys> {
    let all = (3..).filter(|q| mms::valid(*q));
    enough_routers(params, nodes, all, |q| 2 * power(q, 2), mms::degree)
}

/// Returns the number of points of the polarity graph of q.
fn points(q: u64) -> u128 {
    power(q, 2) + u128::from(q) + 1
}

/// Returns the prime powers, ascending.
fn prime_powers() -> impl Iterator<Item = u32> {
    (2..).filter(|q| prime_power(*q).is_some())
}

/// Chooses `q`, and `per_router` unless given, of a PolarFly.
pub(super) fn polarfly(params: &Params, nodes: u64) -> Result<Keys> {
    enough_routers(params, nodes, prime_powers(), points, |q| u64::from(q + 1))
}

/// Chooses `q`, and `d` unless given, of a PolarStar: so many routers in each of the points.
pub(super) fn polarstar(params: &Params, nodes: u64) -> Result<Keys> {
    // A wrong d is refused when the family reads it.
    let d = params.integer::<u64>("d", 0, 1 << 12).ok().flatten();
    let extra = if params.choice("supernode")? == "paley" {
        1
    } else {
        2
    };
    let carried = u128::from(2 * d.unwrap_or(4) + extra) * u128::from(per_router(params, 1)?);
    // There are primes above every bound: the search ends.
    let q = prime_powers()
        .find(|q| points((*q).into()) * carried >= nodes.into())
        .unwrap_or(2);
    let keys = number_keys([("q", q.into()), ("d", 4)]);
    Ok(unless_given(params, keys))
}

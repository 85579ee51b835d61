//! Shapes of networks over finite fields.

use super::numbers::power;
use super::shape::{Keys, per_router, unless_given};
use crate::topology::families::galois::prime_power;
use crate::topology::families::slim_fly as mms;
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

/// The first q of `all` whose routers carry enough, each `per_router` nodes, or half its degree, rounded up.
fn enough_routers(
    params: &Params,
    nodes: u64,
    all: impl Iterator<Item = u32>,
    routers: impl Fn(u64) -> u128,
    degree: impl Fn(u32) -> u64,
) -> Result<Keys> {
    let given = params
        .has("per_router")
        .then(|| per_router(params, 1))
        .transpose()?;
    let carried = |q: u32| given.unwrap_or(degree(q).div_ceil(2));
    let fits = |q: &u32| routers((*q).into()) * u128::from(carried(*q)) >= nodes.into();
    // There are primes above every bound: the search ends.
    let q = { all }.find(fits).unwrap_or(3);
    Ok(vec![
        ("q", q.to_string()),
        ("per_router", carried(q).to_string()),
    ])
}

pub(super) fn slim_fly(params: &Params, nodes: u64) -> Result<Keys> {
    let all = (3..).filter(|q| mms::valid(*q));
    enough_routers(params, nodes, all, |q| 2 * power(q, 2), mms::degree)
}

/// The points of the polarity graph of q.
fn points(q: u64) -> u128 {
    power(q, 2) + u128::from(q) + 1
}

fn prime_powers() -> impl Iterator<Item = u32> {
    (2..).filter(|q| prime_power(*q).is_some())
}

pub(super) fn polarfly(params: &Params, nodes: u64) -> Result<Keys> {
    enough_routers(params, nodes, prime_powers(), points, |q| u64::from(q + 1))
}

pub(super) fn polarstar(params: &Params, nodes: u64) -> Result<Keys> {
    let d = params.integer::<u64>("d", 0, 1 << 12).ok().flatten();
    let per = 2 * d.unwrap_or(4)
        + if params.choice("supernode")? == "paley" {
            1
        } else {
            2
        };
    let per = u128::from(per) * u128::from(per_router(params, 1)?);
    // There are primes above every bound: the search ends.
    let q = prime_powers()
        .find(|q| points((*q).into()) * per >= nodes.into())
        .unwrap_or(2);
    Ok(unless_given(
        params,
        [("q", q.to_string()), ("d", "4".into())],
    ))
}

//! Networks so regular that a fixed routing is the best one, proved by the links that it fills.

use super::Found;
use super::dense::Dense;
use super::descent::Blocks;
use super::network::Network;
use crate::error::Result;
use crate::mapping::{Demand, Fabric, ROUTINGS};

/// How close a floor and a load have to be to be called equal.
const EQUAL: f64 = 1e-9;

/// The loads of the first fixed routing of shortest paths that meets a floor: that of lengths 1 on the links that it fills
/// most and (almost) 0 on all others. Nothing is taken for granted: both are added up.
pub(super) fn meet(
    fabric: &Fabric<'_>,
    network: &Network<'_>,
    demand: &Demand,
    shortest: bool,
) -> Result<Option<Found>> {
    let rails = fabric.topology.network().rails().is_some();
    if rails || fabric.links.is_weighted() {
        return Ok(None);
    }
    let blocks = Dense { network, demand, shortest };
    for routing in ["dimension-order", "ecmp-hop", "up-down"] {
        let routing = ROUTINGS.find(routing)?;
        if !routing.suits(fabric.topology) {
            continue;
        }
        let loads = routing.loads(fabric, demand)?;
        let worst = network.worst(&loads);
        let full = |(load, per): (&f64, &f64)| load * per >= worst * (1.0 - EQUAL);
        let lengths: Vec<f64> =
            loads.iter().zip(&network.per).map(|link| if full(link) { 1.0 } else { 0.0 }).collect();
        let floor = blocks.floor(&lengths);
        if floor >= worst * (1.0 - 1e-6) {
            return Ok(Some(Found { loads, worst, floor, detoured: None }));
        }
    }
    Ok(None)
}

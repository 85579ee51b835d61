//! What slowdowns are measured on and with where a caller names nothing else.

use super::tiling::{Tilings, power_sizes};
use crate::mapping::FixedRouting;
use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::sizes::parse_sizes;

/// Guests of jobs unless some are named.
pub const GUESTS: [&str; 3] = ["all-to-all", "stencil3d", "ring"];

/// Finds the routing `name`; unless one is named, the natural one of the machine: `dimension-order` on grids, else
/// `ecmp-hop`.
///
/// # Errors
/// An unknown name.
pub fn choose_routing(topology: &Topology, name: Option<&str>) -> Result<FixedRouting> {
    match name {
        Some(name) => FixedRouting::find_for_jobs(name),
        None => FixedRouting::choose_natural(topology),
    }
}

/// Reads the job sizes for an ordering: `log` for the powers of two and all nodes, else as [`parse_sizes`] does.
///
/// # Errors
/// An ordering of fewer than two nodes; no list, or a size out of range.
pub fn choose_sizes(order: &NodeOrder, text: &str) -> Result<Vec<usize>> {
    let nodes = order.len();
    if nodes < 2 {
        let location = SourceLocation::option(order.label());
        return Err(Error::unsuited(
            location,
            format!("{nodes} nodes"),
            "an ordering of at least 2 nodes",
        ));
    }
    if text == "log" {
        return Ok(power_sizes(nodes));
    }
    Ok(parse_sizes(text, nodes)?.unwrap_or_else(|| (2..=nodes).collect()))
}

/// Reads a duty.
///
/// # Errors
/// No number from 0 to 1.
pub fn parse_duty(text: &str) -> Result<f64> {
    let duty = text.parse().ok();
    duty.filter(|duty| (0.0..=1.0).contains(duty))
        .ok_or_else(|| {
            Error::option(
                "--duty",
                format!("`{text}`"),
                "a share of the time, from 0 to 1",
            )
        })
}

/// Reads a number of tilings.
///
/// # Errors
/// Another number than 1, 2 or 4.
pub fn parse_tilings(text: &str) -> Result<Tilings> {
    // What is no number is no number of tilings: one message for both.
    Tilings::new(text.parse().unwrap_or(0))
        .map_err(|_| Error::option("--tilings", format!("`{text}`"), "1, 2 or 4"))
}

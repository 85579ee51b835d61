//! The table of routings, and how a text names one of them.

use super::entry::{BestShares, RoutingMethod};
use super::{
    best_shares, dimension_order, ecmp_hop, ecmp_path, minimal, one_path, rail, ugal, up_down,
    valiant,
};
use nodeorder_base::{Registry, Result};

/// Every routing.
pub static ROUTINGS: Registry<RoutingMethod> = Registry::new(
    "routing",
    "--routing",
    &[
        dimension_order::ROUTING,
        ecmp_path::ROUTING,
        ecmp_hop::ROUTING,
        minimal::ROUTING,
        valiant::ROUTING,
        ugal::ROUTING,
        up_down::ROUTING,
        rail::ROUTING,
        one_path::ROUTING,
        best_shares::MINIMAL_ADAPTIVE,
        best_shares::ADAPTIVE,
        best_shares::IDEAL,
    ],
);

impl BestShares {
    /// Reads the routing that `text` names; `None` if it has fixed shares or there is none.
    ///
    /// # Errors
    /// Options that cannot be read.
    pub fn parse_routing(text: &str) -> Result<Option<Self>> {
        let Some(entry) = ROUTINGS.get(text) else {
            return Ok(None);
        };
        match entry.parse {
            RoutingMethod::Searched(parse) => {
                parse(&ROUTINGS.read_options(entry, text, 1)?).map(Some)
            }
            _ => Ok(None),
        }
    }
}

//! Routings: which links the traffic between two routers takes, and how much of it each.
//!
//! Each routing is one file with a [`RoutingEntry`] constant; [`ROUTINGS`] is the table that names them all.
//! A routing adds up the loads of all directed links for a whole [`Demand`], source by source or target by
//! target, without ever listing paths.

use rayon::prelude::*;

use super::demand::Demand;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::registry::Registry;
use nodeorder_network::topology::Topology;

mod best_shares;
mod dimension_order;
mod dragonfly;
mod ecmp_hop;
mod ecmp_path;
mod entry;
mod fabric;
mod kit;
mod levels;
mod minimal;
mod one_path;
mod rail;
mod up_down;
mod valiant;
mod wave;
mod weighted;

pub use best_shares::BestShares;
pub use dragonfly::{Cable, Groups, is_dragonfly};
pub(super) use entry::Lengths;
pub use entry::{Freedom, Paths, Route, RoutingEntry};
pub use fabric::Fabric;
use fabric::over_roots;
pub use one_path::Routes;

/// Every routing.
pub static ROUTINGS: Registry<Paths> = Registry::new(
    "routing",
    "--routing",
    &[
        dimension_order::ROUTING,
        ecmp_path::ROUTING,
        ecmp_hop::ROUTING,
        minimal::ROUTING,
        valiant::ROUTING,
        up_down::ROUTING,
        rail::ROUTING,
        one_path::ROUTING,
        best_shares::MINIMAL_ADAPTIVE,
        best_shares::ADAPTIVE,
        best_shares::IDEAL,
    ],
);

/// A routing of [`ROUTINGS`] whose shares of a pair depend on nothing but the machine.
#[derive(Clone, Copy)]
pub struct FixedRouting {
    entry: &'static RoutingEntry,
}

impl FixedRouting {
    /// Returns the routing called `name`.
    ///
    /// # Errors
    /// An unknown name; a routing with the best shares, which [`BestShares::read`] takes.
    pub fn named(name: &str) -> Result<Self> {
        let (entry, params) = ROUTINGS.read(name, 1)?;
        if entry.parse.freedom.is_some() {
            let fixed: Vec<&str> = FixedRouting::all().map(|r| r.name()).collect();
            return Err(Error::option(
                format!("--routing {name}"),
                "shares of a pair that depend on all other traffic (map and topology --throughput find them)",
                format!("a fixed routing: {}", fixed.join(", ")),
            ));
        }
        params.finish()?;
        Ok(FixedRouting { entry })
    }

    /// Iterates over the routings with fixed shares, in the table's order.
    pub fn all() -> impl Iterator<Item = FixedRouting> {
        let fixed = ROUTINGS
            .iter()
            .filter(|entry| entry.parse.freedom.is_none());
        fixed.map(|entry| FixedRouting { entry })
    }

    /// Returns the name of its entry.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// Returns whether it works on `topology`.
    pub fn suits(&self, topology: &Topology) -> bool {
        (self.entry.parse.suits)(topology)
    }

    /// Refuses a machine that does not have what this routing needs.
    ///
    /// # Errors
    /// [`Error::Unsuited`], with the routings that work there.
    pub fn check(&self, topology: &Topology) -> Result<()> {
        if self.suits(topology) {
            return Ok(());
        }
        let works: Vec<&str> = suitable(topology).iter().map(FixedRouting::name).collect();
        Err(Error::unsuited(
            SourceLocation::option(format!("--routing {}", self.entry.name)),
            format!(
                "{} is no {}, which `{}` needs",
                topology.name(),
                self.entry.parse.needs,
                self.entry.name
            ),
            format!("what works here: {}", works.join(", ")),
        ))
    }

    /// The load of every directed link, before division by capacity, in the order of
    /// [`nodeorder_network::topology::RouterGraph`]. Same bytes for any number of threads.
    ///
    /// # Errors
    /// A machine that does not suit; more memory than allowed.
    pub fn loads(&self, fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
        self.check(fabric.topology)?;
        let mut loads = (self.entry.parse.loads)(fabric, demand)?;
        fabric.settle(&mut loads);
        Ok(loads)
    }

    /// The directed links that traffic takes from the first to the second router of each pair. The sum of a
    /// route's shares, each times its link's weight, is its mean length in hops; the
    /// route from a router to itself is empty.
    ///
    /// # Errors
    /// A machine that does not suit; more memory than allowed.
    ///
    /// # Complexity
    /// `one-path` takes O(hops) a pair where there are dimensions, else a search for each target; the others find
    /// the loads of all links for each pair.
    pub fn routes(&self, fabric: &Fabric<'_>, pairs: &[(u32, u32)]) -> Result<Vec<Route>> {
        self.check(fabric.topology)?;
        let mut all = self.routes_of(fabric, pairs)?;
        all.iter_mut()
            .for_each(|route| fabric.share_among_rails(route));
        Ok(all)
    }

    fn routes_of(&self, fabric: &Fabric<'_>, pairs: &[(u32, u32)]) -> Result<Vec<Route>> {
        if let Some(routes) = self.entry.parse.routes {
            return routes(fabric, pairs);
        }
        let route = |(from, to): &(u32, u32)| {
            if from == to {
                return Ok(Route::new());
            }
            let loads = (self.entry.parse.loads)(fabric, &Demand::between(*from, *to))?;
            Ok((0..).zip(loads).filter(|(_, share)| *share > 0.0).collect())
        };
        pairs.par_iter().map(route).collect()
    }

    pub(super) fn lengths(&self, fabric: &Fabric<'_>) -> Result<Lengths> {
        self.check(fabric.topology)?;
        (self.entry.parse.lengths)(fabric)
    }
}

/// Returns the routings with fixed shares that work on a topology.
pub fn suitable(topology: &Topology) -> Vec<FixedRouting> {
    FixedRouting::all()
        .filter(|routing| routing.suits(topology))
        .collect()
}

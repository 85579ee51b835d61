//! Routings: which links the traffic between two routers takes, and how much of it each.
//!
//! Each routing is one file with a [`RoutingEntry`] constant; [`ROUTINGS`] is the table that names them all.
//! A routing adds up the loads of all directed links for a whole [`Demand`], source by source or target by
//! target, without ever listing paths.

use rayon::prelude::*;

use super::demand::Demand;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_network::topology::Topology;

mod best_shares;
mod dimension_order;
mod dragonfly;
mod ecmp_hop;
mod ecmp_path;
mod entry;
mod fabric;
mod levels;
mod minimal;
mod one_path;
mod rail;
mod shortest_paths;
mod table;
mod up_down;
mod valiant;
mod wave;
mod weighted;

pub use dragonfly::{Cable, Groups, is_dragonfly};
pub(super) use entry::PathLengths;
pub use entry::{BestShares, FixedPaths, PathSet, Route, RoutingEntry, RoutingMethod};
pub use fabric::Fabric;
pub use one_path::Routes;
pub use shortest_paths::ShortestPathDag;
pub use table::ROUTINGS;

/// Routing of everything that ranks machines, unless one is given. Every machine has it, and it needs no more than the
/// links: a routing chosen by how a network is described would give one network two verdicts.
pub const RANKING_ROUTING: &str = "ecmp-hop";

/// A routing of [`ROUTINGS`] whose shares of a pair depend on nothing but the machine.
#[derive(Clone, Copy)]
pub struct FixedRouting {
    name: &'static str,
    paths: &'static FixedPaths,
}

impl FixedRouting {
    /// Finds the routing called `name`.
    ///
    /// # Errors
    /// An unknown name; a routing with the best shares, which [`BestShares::parse_routing`] takes.
    pub fn find_by_name(name: &str) -> Result<Self> {
        let entry = ROUTINGS.find(name)?;
        if let Some(routing) = FixedRouting::new(entry) {
            // It has no options: any is refused.
            ROUTINGS.read_options(entry, name, 1)?;
            return Ok(routing);
        }
        let fixed: Vec<&str> = FixedRouting::all().map(|r| r.name).collect();
        Err(Error::option(
            format!("--routing {name}"),
            "shares of a pair that depend on all other traffic (map and throughput find them)",
            format!("a fixed routing: {}", fixed.join(", ")),
        ))
    }

    /// Returns the routing of an entry; `None` if it has the best shares.
    fn new(entry: &'static RoutingEntry) -> Option<Self> {
        match &entry.parse {
            RoutingMethod::Fixed(paths) => Some(FixedRouting {
                name: entry.name,
                paths,
            }),
            RoutingMethod::Searched(_) => None,
        }
    }

    /// Iterates over the routings with fixed shares, in the table's order.
    pub fn all() -> impl Iterator<Item = FixedRouting> {
        ROUTINGS.iter().filter_map(FixedRouting::new)
    }

    /// Returns the name of its entry.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Checks whether it works on `topology`.
    pub fn works_on(&self, topology: &Topology) -> bool {
        (self.paths.suits)(topology)
    }

    /// Checks that a machine has what this routing needs.
    ///
    /// # Errors
    /// [`Error::Unsuited`], with the routings that work there.
    pub fn check_machine(&self, topology: &Topology) -> Result<()> {
        if self.works_on(topology) {
            return Ok(());
        }
        let works: Vec<&str> = suitable(topology).iter().map(FixedRouting::name).collect();
        Err(Error::unsuited(
            SourceLocation::option(format!("--routing {}", self.name)),
            format!(
                "{} is no {}, which `{}` needs",
                topology.name(),
                self.paths.needs,
                self.name
            ),
            format!("what works here: {}", works.join(", ")),
        ))
    }

    /// Finds the load of every directed link, before division by capacity, in the order of
    /// [`nodeorder_network::topology::RouterGraph`]. Same bytes for any number of threads.
    ///
    /// # Errors
    /// A machine that does not suit; more memory than allowed.
    pub fn link_loads(&self, fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
        self.check_machine(fabric.topology)?;
        let mut loads = (self.paths.loads)(fabric, demand)?;
        fabric.complete_loads(&mut loads);
        Ok(loads)
    }

    /// Finds the directed links that traffic takes from the first to the second router of each pair. The sum of a
    /// route's shares, each times its link's weight, is its mean length in hops; the route from a router to
    /// itself is empty.
    ///
    /// # Errors
    /// A machine that does not suit; more memory than allowed.
    ///
    /// # Complexity
    /// `one-path` takes O(hops) a pair where there are dimensions, else a search for each target; the others find
    /// the loads of all links for each pair.
    pub fn find_routes(&self, fabric: &Fabric<'_>, pairs: &[(u32, u32)]) -> Result<Vec<Route>> {
        self.check_machine(fabric.topology)?;
        let mut all: Vec<Route> = if let Some(find) = self.paths.routes {
            find(fabric, pairs)?
        } else {
            // The loads of one unit of traffic are the shares.
            let routes = pairs.par_iter().map(|(from, to)| {
                if from == to {
                    return Ok(Route::new());
                }
                let loads = (self.paths.loads)(fabric, &Demand::unit_between(*from, *to))?;
                Ok((0..).zip(loads).filter(|(_, share)| *share > 0.0).collect())
            });
            routes.collect::<Result<_>>()?
        };
        for route in &mut all {
            fabric.share_among_rails(route);
        }
        Ok(all)
    }

    /// Finds how long the paths between two routers are.
    pub(super) fn path_lengths(&self, fabric: &Fabric<'_>) -> Result<PathLengths> {
        self.check_machine(fabric.topology)?;
        (self.paths.lengths)(fabric)
    }
}

/// Returns the routings with fixed shares that work on a topology.
pub fn suitable(topology: &Topology) -> Vec<FixedRouting> {
    FixedRouting::all()
        .filter(|routing| routing.works_on(topology))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_parse_and_options_are_read() {
        nodeorder_base::registry::testing::check_table(&ROUTINGS, |entry, params| {
            match entry.parse {
                RoutingMethod::Fixed(_) => Ok(()),
                RoutingMethod::Searched(parse) => parse(params).map(drop),
            }
        });
    }

    #[test]
    fn fixed_routings_have_no_options() {
        let refused = |name: &str| FixedRouting::find_by_name(name).err().unwrap().to_string();
        assert!(refused("ecmp-hop:gap=1").contains("unknown key for ecmp-hop `gap`"));
        assert!(refused("ideal").contains("expected a fixed routing: dimension-order"));
    }
}

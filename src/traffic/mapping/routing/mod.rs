//! Routings: which links the traffic between two routers takes, and how much of it each.
//!
//! Each routing is one file with a [`RoutingEntry`] constant; [`ROUTINGS`] is the table that names them all.
//! A routing adds up the loads of all directed links for a whole [`Demand`], source by source or target by
//! target, without ever listing paths.

use rayon::prelude::*;

use super::demand::Demand;
use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_network::Topology;

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
mod over_routers;
mod rail;
mod shortest_paths;
mod table;
mod ugal;
mod up_down;
mod valiant;
mod wave;
mod weighted;

pub(crate) use dimension_order::{AxisLinks, Grid, TieRule};
pub use dragonfly::{Cable, Groups, is_dragonfly};
pub(super) use entry::PathLengths;
pub use entry::{
    BestShares, DetourPaths, FixedPaths, JobLoads, PathSet, Route, RoutingEntry, RoutingMethod,
};
pub use fabric::Fabric;
pub use one_path::Routes;
pub use shortest_paths::ShortestPathDag;
pub use table::ROUTINGS;
pub(crate) use ugal::{choose_detour_share, mix_loads};

/// Routing of everything that ranks machines, unless one is given. Every machine has it, and it needs no more than the
/// links: a routing chosen by how a network is described would give one network two verdicts.
pub const RANKING_ROUTING: &str = "ecmp-hop";

/// A routing of [`ROUTINGS`] whose shares of a pair depend on nothing but the machine, or of `ugal` on nothing but the
/// machine and one job's traffic.
#[derive(Clone, Copy)]
pub struct FixedRouting {
    name: &'static str,
    paths: &'static FixedPaths,
}

impl FixedRouting {
    /// Finds the routing called `name`.
    ///
    /// # Errors
    /// An unknown name; a routing whose shares depend on a job's traffic, which [`FixedRouting::find_for_jobs`] takes;
    /// one with the best shares, which [`BestShares::parse_routing`] takes.
    pub fn find_by_name(name: &str) -> Result<Self> {
        if let RoutingMethod::OfJob(_) = ROUTINGS.find(name)?.parse {
            let found = "shares that follow from each job's own traffic (slowdown finds them)";
            return Err(refuse_shares(name, found, FixedRouting::all()));
        }
        FixedRouting::find_for_jobs(name)
    }

    /// Finds the routing called `name`, for loads of one job at a time.
    ///
    /// # Errors
    /// An unknown name or option; a routing with the best shares.
    pub fn find_for_jobs(name: &str) -> Result<Self> {
        let entry = ROUTINGS.find(name)?;
        let params = ROUTINGS.read_options(entry, name, 1)?;
        let over = match entry.parse {
            RoutingMethod::Over(_) => params.required_choice("over")?,
            _ => "",
        };
        let found = list_variants(entry).find(|(word, _)| *word == over);
        found.map(|(_, routing)| routing).ok_or_else(|| {
            let found =
                "shares of a pair that depend on all other traffic (map and throughput find them)";
            let known = ROUTINGS.iter().flat_map(list_variants);
            refuse_shares(name, found, known.map(|(_, routing)| routing))
        })
    }

    /// Chooses the routing of a machine that is not compared with others: `dimension-order` on grids, else
    /// `ecmp-hop`.
    ///
    /// # Errors
    /// None: the table has both.
    pub fn choose_natural(topology: &Topology) -> Result<Self> {
        let along_axes = FixedRouting::find_by_name("dimension-order")?;
        if along_axes.works_on(topology) {
            return Ok(along_axes);
        }
        FixedRouting::find_by_name("ecmp-hop")
    }

    /// Iterates over the routings with fixed shares, in the table's order.
    pub fn all() -> impl Iterator<Item = FixedRouting> {
        let fixed = ROUTINGS
            .iter()
            .filter(|entry| !matches!(entry.parse, RoutingMethod::OfJob(_)));
        fixed.flat_map(list_variants).map(|(_, routing)| routing)
    }

    /// Returns the name of the routing's entry.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Checks whether the routing works on `topology`.
    pub fn works_on(&self, topology: &Topology) -> bool {
        (self.paths.suits)(topology)
    }

    /// Checks that a machine has what this routing needs.
    ///
    /// # Errors
    /// [`Error::Unsuited`], with the routings that work there; a machine without links.
    pub fn check_machine(&self, topology: &Topology) -> Result<()> {
        topology.require_links()?;
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

    /// Says how the loads of one job after the other are had fastest.
    pub fn job_loads(&self, topology: &Topology) -> JobLoads {
        (self.paths.job_loads)(topology)
    }

    /// Finds how long the paths between two routers are.
    pub(super) fn path_lengths(&self, fabric: &Fabric<'_>) -> Result<PathLengths> {
        self.check_machine(fabric.topology)?;
        (self.paths.lengths)(fabric)
    }
}

/// Lists the routings of an entry with the words of `over` that choose them; none with the best shares.
fn list_variants(
    entry: &'static RoutingEntry,
) -> impl Iterator<Item = (&'static str, FixedRouting)> {
    let variants: Vec<(&str, &str, &FixedPaths)> = match &entry.parse {
        RoutingMethod::Fixed(paths) | RoutingMethod::OfJob(paths) => vec![("", entry.name, paths)],
        RoutingMethod::Over(all) => all.iter().map(|d| (d.over, d.name, &d.paths)).collect(),
        RoutingMethod::Searched(_) => Vec::new(),
    };
    let routings = variants.into_iter();
    routings.map(|(over, name, paths)| (over, FixedRouting { name, paths }))
}

/// Makes the error of a routing whose shares are not fixed, where one of `known` is wanted.
fn refuse_shares(name: &str, found: &str, known: impl Iterator<Item = FixedRouting>) -> Error {
    let known: Vec<&str> = known.map(|routing| routing.name).collect();
    Error::option(
        format!("--routing {name}"),
        found,
        format!("a fixed routing: {}", known.join(", ")),
    )
}

/// Lists the routings with fixed shares that work on a topology.
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
                RoutingMethod::Searched(parse) => parse(params).map(drop),
                RoutingMethod::Over(_) => params.required_choice("over").map(drop),
                _ => Ok(()),
            }
        });
    }

    #[test]
    fn fixed_routings_have_no_options() {
        let refused = |name: &str| FixedRouting::find_by_name(name).err().unwrap().to_string();
        assert!(refused("ecmp-hop:gap=1").contains("unknown key for ecmp-hop `gap`"));
        assert!(refused("ideal").contains("expected a fixed routing: dimension-order"));
        assert!(refused("ugal").contains("each job's own traffic"));
        assert!(refused("valiant:over=nodes").contains("nodes"));
    }
}

//! Routings: which links the traffic between two routers takes, and how much of it each.
//!
//! Each routing is one file with a [`RoutingEntry`] constant; [`ROUTINGS`] is the table that names them all.
//! A routing adds up the loads of all directed links for a whole [`Demand`], source by source or target by
//! target, without ever listing paths.

use std::sync::Mutex;

use rayon::prelude::*;

use super::demand::Demand;
use crate::error::{Error, Result, SourceLocation};
use crate::ids::RouterId;
use crate::registry::{Entry, Registry};
use crate::topology::{Lattice, RouterGraph, Topology};

mod dimension_order;
mod dragonfly;
mod ecmp_hop;
mod ecmp_path;
mod levels;
mod minimal;
mod one_path;
mod rail;
mod up_down;
mod valiant;
mod wave;
mod weighted;

pub use one_path::Routes;

/// A routing: an entry of [`ROUTINGS`].
pub type RoutingEntry = Entry<Paths>;

/// Which paths a routing takes.
#[derive(Clone, Copy)]
pub struct Paths {
    /// What it needs of a machine, in words; empty if nothing.
    pub needs: &'static str,
    /// Whether a machine has it.
    suits: fn(&Topology) -> bool,
    /// The load of every directed link.
    loads: fn(&Fabric<'_>, &Demand) -> Result<Vec<f64>>,
    /// How long its paths are.
    lengths: fn(&Fabric<'_>) -> Result<Lengths>,
    /// The links between each pair of routers, where there is a faster way than by the loads each pair causes.
    routes: Option<FindRoutes>,
}

type FindRoutes = fn(&Fabric<'_>, &[(u32, u32)]) -> Result<Vec<Route>>;

/// The directed links that the traffic from one router to another takes, ascending, with the share of it that
/// each carries.
pub type Route = Vec<(u32, f64)>;

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
    ],
);

/// Mean path length between two routers.
pub(super) enum Lengths {
    /// All paths are shortest ones.
    Shortest,
    /// Longer ones occur: the mean, weighted by traffic share.
    Mean(Box<dyn Fn(RouterId, RouterId) -> f64 + Send + Sync>),
}

impl RoutingEntry {
    /// The routing called `name`.
    ///
    /// # Errors
    /// An unknown name.
    pub fn named(name: &str) -> Result<&'static Self> {
        let (entry, params) = ROUTINGS.read(name, 1)?;
        params.finish()?;
        Ok(entry)
    }

    /// Whether it works on `topology`.
    pub fn suits(&self, topology: &Topology) -> bool {
        (self.build.suits)(topology)
    }

    /// Refuses a machine that does not have what this routing needs.
    ///
    /// # Errors
    /// [`Error::Unsuited`], with the routings that work there.
    pub fn check(&self, topology: &Topology) -> Result<()> {
        if self.suits(topology) {
            return Ok(());
        }
        let works: Vec<&str> =
            ROUTINGS.iter().filter(|r| r.suits(topology)).map(|r| r.name).collect();
        Err(Error::unsuited(
            SourceLocation::option(format!("--routing {}", self.name)),
            format!("{} is no {}, which `{}` needs", topology.name(), self.build.needs, self.name),
            format!("what works here: {}", works.join(", ")),
        ))
    }

    /// The load of every directed link, before division by capacity, in the order of
    /// [`RouterGraph`]. Same bytes for any number of threads.
    ///
    /// # Errors
    /// A machine that does not suit; more memory than allowed.
    pub fn loads(&self, fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
        self.check(fabric.topology)?;
        (self.build.loads)(fabric, demand)
    }

    /// The directed links that traffic takes from the first to the second router of each pair. The sum of a
    /// route's shares, each times its link's weight, is its mean length in hops; from a router to itself there is nothing on the way.
    ///
    /// # Errors
    /// A machine that does not suit; more memory than allowed.
    ///
    /// # Complexity
    /// `one-path` takes O(hops) a pair where there are dimensions, else a search for each target; the others find
    /// the loads of all links for each pair.
    pub fn routes(&self, fabric: &Fabric<'_>, pairs: &[(u32, u32)]) -> Result<Vec<Route>> {
        self.check(fabric.topology)?;
        if let Some(routes) = self.build.routes {
            return routes(fabric, pairs);
        }
        let route = |(from, to): &(u32, u32)| {
            if from == to {
                return Ok(Route::new());
            }
            let loads = (self.build.loads)(fabric, &Demand::between(*from, *to))?;
            Ok((0..).zip(loads).filter(|(_, share)| *share > 0.0).collect())
        };
        pairs.par_iter().map(route).collect()
    }

    pub(super) fn lengths(&self, fabric: &Fabric<'_>) -> Result<Lengths> {
        self.check(fabric.topology)?;
        (self.build.lengths)(fabric)
    }
}

/// The routings that work on a topology.
pub fn suitable(topology: &Topology) -> Vec<&'static RoutingEntry> {
    ROUTINGS.iter().filter(|r| r.suits(topology)).collect()
}

/// A machine with its directed links: build it once for many jobs.
#[derive(Debug)]
pub struct Fabric<'t> {
    /// The machine.
    pub topology: &'t Topology,
    /// Its directed links.
    pub links: &'t RouterGraph,
    /// Arrays of all links that were given back.
    spare: Mutex<Vec<Vec<f64>>>,
}

impl<'t> Fabric<'t> {
    /// Collects the links of `topology`.
    ///
    /// # Errors
    /// More memory than allowed; a machine in several components, between which there are no routes.
    pub fn new(topology: &'t Topology) -> Result<Self> {
        topology.require_one_component("traffic")?;
        Ok(Fabric { topology, links: topology.graph()?, spare: Mutex::default() })
    }

    /// A zero for every link. Schedules ask for loads at every start: arrays that were given back are used again, as
    /// fresh memory costs more than the sums.
    fn no_loads(&self) -> Vec<f64> {
        let spare = self.spare.lock().unwrap_or_else(|e| e.into_inner()).pop();
        spare.map_or_else(
            || vec![0.0; self.links.len()],
            |mut loads| {
                loads.fill(0.0);
                loads
            },
        )
    }

    /// Takes loads of all links that are no longer needed.
    pub fn give_back(&self, loads: Vec<f64>) {
        debug_assert_eq!(loads.len(), self.links.len());
        self.spare.lock().unwrap_or_else(|e| e.into_inner()).push(loads);
    }

    /// What people call a router: its coordinates, its path in the hierarchy, or its number.
    pub fn router_name(&self, router: u32) -> String {
        let network = self.topology.network();
        let cells = |l: &&Lattice| l.cells.is_none() && l.cell_count() == self.links.router_count();
        if let Some(lattice) = self.topology.lattice().filter(cells) {
            let mut position = vec![0; lattice.extents.len()];
            lattice.coordinates(router, &mut position);
            let words: Vec<String> = position.iter().map(u32::to_string).collect();
            return format!("({})", words.join(","));
        }
        let levels = network.levels();
        if router >= network.hosts() || levels.is_empty() {
            let what = if router < network.hosts() { "router" } else { "switch" };
            return format!("{what} {router}");
        }
        if let Some(level) = levels.last().filter(|level| level.has_names()) {
            return level.unit_name(level.unit_of(RouterId(router)));
        }
        let (mut rest, mut words) = (router, Vec::new());
        for level in levels {
            words.push(format!("{} {}", level.name, rest / level.routers));
            rest %= level.routers;
        }
        words.join(", ")
    }
}

/// Sums what `add` puts on the links for each of `roots` roots. Roots are dealt out in fixed pieces whose
/// sums are added in order, so that the number of threads does not show in the result.
fn over_roots<S>(
    fabric: &Fabric<'_>,
    roots: usize,
    scratch: impl Fn() -> S + Sync,
    add: impl Fn(&mut S, usize, &mut [f64]) -> Result<()> + Sync,
) -> Result<Vec<f64>> {
    let links = fabric.links.len();
    // A piece costs an array of all links: fewer on large machines, and none for a handful of roots.
    let most = ((1usize << 25) / links.max(1)).clamp(4, 64);
    let size = roots.div_ceil(most).max(16);
    let pieces: Vec<usize> = (0..roots).step_by(size).collect();
    fabric.topology.require("link loads", 8 * (links as u64) * (pieces.len() as u64 + 1))?;
    let run = |first: &usize| -> Result<Vec<f64>> {
        let (mut scratch, mut loads) = (scratch(), fabric.no_loads());
        for root in *first..roots.min(first + size) {
            add(&mut scratch, root, &mut loads)?;
        }
        Ok(loads)
    };
    let parts: Vec<Result<Vec<f64>>> = pieces.par_iter().map(run).collect();
    let mut all = fabric.no_loads();
    for part in parts {
        let part = part?;
        all.iter_mut().zip(&part).for_each(|(all, part)| *all += part);
        fabric.give_back(part);
    }
    Ok(all)
}

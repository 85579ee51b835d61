//! Entries of the table of routings: which paths a routing takes.

use super::dragonfly::is_dragonfly;
use super::fabric::Fabric;
use crate::mapping::demand::Demand;
use nodeorder_base::{Entry, Params, Result, RouterId};
use nodeorder_network::Topology;

/// A routing: an entry of [`super::ROUTINGS`].
pub type RoutingEntry = Entry<RoutingMethod>;

/// How the shares of a pair on its paths are found.
#[derive(Clone, Copy)]
pub enum RoutingMethod {
    /// Shares that depend on nothing but the machine. Such a routing has no options.
    Fixed(FixedPaths),
    /// Fixed shares, with other paths for each word of the option `over`.
    Over(&'static [DetourPaths]),
    /// Shares that follow from the traffic of one job alone: figures of single pairs, or sums over jobs, are not
    /// defined.
    OfJob(FixedPaths),
    /// Shares that depend on all traffic and are searched for; the function reads the options.
    Searched(fn(&Params) -> Result<BestShares>),
}

/// Which paths a routing with the best shares may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathSet {
    /// All paths of the network.
    Any,
    /// Paths of the least distance.
    Shortest,
    /// Minimal paths, and paths over one intermediate, minimal to it and from it.
    Detours,
}

/// A routing whose shares follow from all traffic together, and how closely to find them.
#[derive(Clone)]
pub struct BestShares {
    /// Name of the routing's entry.
    pub name: &'static str,
    /// Paths that it may take.
    pub path_set: PathSet,
    /// Whether each pair of routers sends an equal share over all its intermediates; false without detours.
    pub even: bool,
    /// Relative gap at which the search ends: how far the throughput found may stay below the proved best.
    pub gap: f64,
    /// Seconds after which the search stops.
    pub seconds: f64,
}

/// Paths that a word of the option `over` stands for.
#[derive(Clone, Copy)]
pub struct DetourPaths {
    /// Word of the option `over`.
    pub(super) over: &'static str,
    /// Name of the routing with this word.
    pub(super) name: &'static str,
    pub(super) paths: FixedPaths,
}

/// The fastest way to find the loads of many small jobs, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobLoads {
    /// The loads of all links, as for any demand.
    AllLinks,
    /// Counts along the lines of a grid.
    AlongLines,
    /// Flows gathered towards each target, equal parts to all neighbours that are one hop nearer.
    NextHops,
    /// Flows gathered from the sources to every router, and from there to the targets.
    NextHopsOverRouters,
    /// Loads of two routings, mixed by [`super::choose_detour_share`].
    Mixed,
}

/// Paths of a routing with fixed shares, and the machines that have them.
#[derive(Clone, Copy)]
pub struct FixedPaths {
    /// Kind of machine that it needs, in words; empty if any will do.
    pub(super) needs: &'static str,
    /// Checks whether a machine is of that kind.
    pub(super) suits: fn(&Topology) -> bool,
    /// Finds the load of every directed link.
    pub(super) loads: fn(&Fabric<'_>, &Demand) -> Result<Vec<f64>>,
    /// Finds the mean path length between two routers.
    pub(super) lengths: fn(&Fabric<'_>) -> Result<PathLengths>,
    /// Finds the links between each pair of routers, where there is a faster way than by the loads each pair causes.
    pub(super) routes: Option<FindRoutes>,
    /// Chooses how the loads of jobs are found fastest, on a machine of one rail without weights.
    pub(super) job_loads: fn(&Topology) -> JobLoads,
}

impl FixedPaths {
    /// Makes an entry of shortest paths on the machines that `suits` accepts, which the text `needs` describes.
    pub(super) const fn shortest_paths(
        needs: &'static str,
        suits: fn(&Topology) -> bool,
        loads: fn(&Fabric<'_>, &Demand) -> Result<Vec<f64>>,
    ) -> Self {
        FixedPaths {
            needs,
            suits,
            loads,
            lengths: |_| Ok(PathLengths::Shortest),
            routes: None,
            job_loads: |_| JobLoads::AllLinks,
        }
    }

    /// Creates a set of paths on dragonflies, some of which are longer than the shortest.
    pub(super) const fn dragonfly_paths(
        loads: fn(&Fabric<'_>, &Demand) -> Result<Vec<f64>>,
        lengths: fn(&Fabric<'_>) -> Result<PathLengths>,
    ) -> Self {
        FixedPaths {
            lengths,
            ..FixedPaths::shortest_paths("dragonfly", is_dragonfly, loads)
        }
    }
}

/// Finds the route of each pair of routers.
pub type FindRoutes = fn(&Fabric<'_>, &[(u32, u32)]) -> Result<Vec<Route>>;

/// Directed links that the traffic from one router to another takes, ascending, with the share of it that each
/// carries.
pub type Route = Vec<(u32, f64)>;

/// Mean path length between two routers.
pub(in crate::mapping) enum PathLengths {
    /// All paths are shortest ones.
    Shortest,
    /// Some paths are longer: the mean length between two routers, weighted by the shares of paths.
    Mean(Box<dyn Fn(RouterId, RouterId) -> f64 + Send + Sync>),
}

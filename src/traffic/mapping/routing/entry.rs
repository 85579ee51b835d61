//! Entries of the table of routings: which paths a routing takes.

use super::fabric::Fabric;
use crate::mapping::demand::Demand;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::RouterId;
use nodeorder_base::registry::Entry;
use nodeorder_network::topology::Topology;

/// A routing: an entry of [`super::ROUTINGS`].
pub type RoutingEntry = Entry<Paths>;

/// Which paths a routing with the best shares may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Any.
    Any,
    /// Paths of the least distance.
    Shortest,
    /// A minimal way, or over one intermediate.
    Detours,
}

/// Which paths a routing takes.
#[derive(Clone, Copy)]
pub struct Paths {
    /// Kind of machine that it needs, in words; empty if any will do.
    pub needs: &'static str,
    /// Whether a machine is of that kind.
    pub(super) suits: fn(&Topology) -> bool,
    /// The load of every directed link.
    pub(super) loads: fn(&Fabric<'_>, &Demand) -> Result<Vec<f64>>,
    /// How long its paths are.
    pub(super) lengths: fn(&Fabric<'_>) -> Result<Lengths>,
    /// The links between each pair of routers, where there is a faster way than by the loads each pair causes.
    pub(super) routes: Option<FindRoutes>,
    /// The paths that it may take, where shares depend on all traffic and have to be searched for: it then has no loads of
    /// its own.
    pub(super) freedom: Option<Freedom>,
}

impl Paths {
    /// Shortest paths on the machines that `suits` accepts, which the text `needs` describes.
    pub(super) const fn shortest(
        needs: &'static str,
        suits: fn(&Topology) -> bool,
        loads: fn(&Fabric<'_>, &Demand) -> Result<Vec<f64>>,
    ) -> Self {
        Paths {
            needs,
            suits,
            loads,
            lengths: |_| Ok(Lengths::Shortest),
            routes: None,
            freedom: None,
        }
    }

    /// Shares that are searched for: see `BestShares`.
    pub(super) const fn found(freedom: Freedom) -> Self {
        let mut paths = Paths::shortest("", |_| true, |_, _| Err(no_loads()));
        paths.freedom = Some(freedom);
        paths
    }
}

fn no_loads() -> Error {
    let all = "shares of a pair that depend on all other traffic";
    Error::input(
        SourceLocation::option("--routing"),
        all,
        "a fixed routing, such as ecmp-hop",
    )
}

pub(super) type FindRoutes = fn(&Fabric<'_>, &[(u32, u32)]) -> Result<Vec<Route>>;

/// The directed links that the traffic from one router to another takes, ascending, with the share of it that
/// each carries.
pub type Route = Vec<(u32, f64)>;

/// Mean path length between two routers.
pub(in crate::mapping) enum Lengths {
    /// All paths are shortest ones.
    Shortest,
    /// Longer ones occur: the mean, weighted by traffic share.
    Mean(Box<dyn Fn(RouterId, RouterId) -> f64 + Send + Sync>),
}

//! Routings that split traffic in the shares that load the links least: `throughput` finds these.

use super::ROUTINGS;
use super::entry::{PathSet, RoutingEntry, RoutingMethod};
use super::up_down::is_fat_tree;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Topology;

const GAP: Opt = Opt::number(
    "gap",
    "stop when this close to the proved best, as a part of it",
)
.or("0.01");
const TIME: Opt = Opt::number(
    "time",
    "seconds after which to stop with what is proved by then",
)
.or("60");
const SHARES: Opt = Opt::one_of(
    "shares",
    &["own", "even"],
    "own: each intermediate has its own share; even: one share a pair for all of them",
);

/// `ideal`: any paths in any shares, the maximum concurrent flow. No routing carries more.
///
/// # References
/// Shahrokhi, Matula, "The maximum concurrent flow problem", J. ACM 37(2), 1990, <https://doi.org/10.1145/77600.77620>.
pub(super) const IDEAL: RoutingEntry = RoutingEntry::new(
    "ideal",
    "any paths in the shares that load the links least: no routing carries more",
    &[GAP, TIME],
    RoutingMethod::Searched(|params| BestShares::parse("ideal", PathSet::Any, params)),
);

/// `minimal-adaptive`: shortest paths, in the shares that load the links least.
pub(super) const MINIMAL_ADAPTIVE: RoutingEntry = RoutingEntry::new(
    "minimal-adaptive",
    "shortest paths in the shares that load the links least",
    &[GAP, TIME],
    RoutingMethod::Searched(|params| {
        BestShares::parse("minimal-adaptive", PathSet::Shortest, params)
    }),
);

/// `adaptive`: the minimal way (`minimal` on dragonflies, `ecmp-hop` elsewhere) or over one intermediate (a third group,
/// elsewhere another router with nodes), minimally to it and on. Each intermediate has a share of its own, at most 1 over
/// their number, as where one candidate is drawn for each packet and may be refused: the limit of UGAL.
///
/// # References
/// Singh, "Load-balanced routing in interconnection networks", PhD thesis, Stanford, 2005, has UGAL.
pub(super) const ADAPTIVE: RoutingEntry = RoutingEntry::new(
    "adaptive",
    "minimal ways and detours over one intermediate in the shares that load the links least",
    &[SHARES, GAP, TIME],
    RoutingMethod::Searched(|params| BestShares::parse("adaptive", PathSet::Detours, params)),
);

/// A routing whose shares follow from all traffic together, and how closely to find them.
#[derive(Clone)]
pub struct BestShares {
    /// The name of its entry.
    pub name: &'static str,
    /// The paths it may take.
    pub path_set: PathSet,
    /// With detours: whether all intermediates of a pair have one share.
    pub even: bool,
    /// The largest part by which what is found may stay below what is proved possible.
    pub gap: f64,
    /// Seconds after which to stop.
    pub seconds: f64,
}

impl BestShares {
    /// Reads the routing that `text` names; `None` if it has fixed shares or there is none.
    ///
    /// # Errors
    /// Options that cannot be read.
    pub fn read(text: &str) -> Result<Option<Self>> {
        let Some(entry) = ROUTINGS.get(text) else {
            return Ok(None);
        };
        match entry.parse {
            RoutingMethod::Fixed(_) => Ok(None),
            RoutingMethod::Searched(parse) => parse(&ROUTINGS.params(entry, text, 1)?).map(Some),
        }
    }

    fn parse(name: &'static str, path_set: PathSet, params: &Params) -> Result<Self> {
        Ok(BestShares {
            name,
            path_set,
            even: path_set == PathSet::Detours && params.choice("shares")? == "even",
            gap: params.number("gap", 1e-6, 1.0)?,
            seconds: params.number("time", 1e-3, 1e9)?,
        })
    }

    /// Refuses a machine on which the routing is not defined.
    ///
    /// # Errors
    /// [`Error::Unsuited`], with the routings that work there.
    pub fn check(&self, topology: &Topology) -> Result<()> {
        let tree = is_fat_tree(topology);
        let rails = topology.network().rails().is_some();
        if self.path_set != PathSet::Detours || !(tree || rails) {
            return Ok(());
        }
        let kind = if tree {
            "a tree"
        } else {
            "a multi-rail network"
        };
        Err(Error::unsuited(
            SourceLocation::option(format!("--routing {}", self.name)),
            format!(
                "{} is {kind}, which has no detours over one intermediate",
                topology.name()
            ),
            "use ideal or minimal-adaptive",
        ))
    }
}

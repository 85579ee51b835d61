//! Routings that split traffic in the shares that load the links least: `throughput` finds these.

use super::entry::{BestShares, PathSet, RoutingEntry, RoutingMethod};
use super::up_down::is_fat_tree;
use nodeorder_base::{Error, Opt, Params, Result, SourceLocation};
use nodeorder_network::Topology;

const GAP: Opt = Opt::number(
    "gap",
    "stop when this close to the proved best, as a part of it",
)
.default_value("0.01");
const TIME: Opt = Opt::number(
    "time",
    "seconds after which to stop with what is proved by then",
)
.default_value("60");
const SHARES: Opt = Opt::one_of(
    "shares",
    &["own", "even"],
    "own: each intermediate has its own share; even: one share a pair for all of them",
);

/// `ideal`: any paths in any shares, the maximum concurrent flow. No routing carries more.
///
/// # References
/// Shahrokhi, Matula, "The maximum concurrent flow problem", J. ACM 37(2), 1990,
/// <https://doi.org/10.1145/77600.77620>.
pub const IDEAL: RoutingEntry = RoutingEntry::new(
    "ideal",
    "any paths in the shares that load the links least: no routing carries more",
    &[GAP, TIME],
    RoutingMethod::Searched(|params| BestShares::parse("ideal", PathSet::Any, params)),
);

/// `minimal-adaptive`: shortest paths, in the shares that load the links least.
pub const MINIMAL_ADAPTIVE: RoutingEntry = RoutingEntry::new(
    "minimal-adaptive",
    "shortest paths in the shares that load the links least",
    &[GAP, TIME],
    RoutingMethod::Searched(|params| {
        BestShares::parse("minimal-adaptive", PathSet::Shortest, params)
    }),
);

/// `adaptive`: the minimal way (`minimal` on dragonflies, `ecmp-hop` elsewhere) or over one intermediate (a third
/// group, elsewhere another router with nodes), minimally to it and on. Each intermediate has a share of its own, at
/// most 1 over their number, as where one candidate is drawn for each packet and may be refused: the limit of UGAL.
///
/// # References
/// Singh, "Load-balanced routing in interconnection networks", PhD thesis, Stanford, 2005, has UGAL.
pub const ADAPTIVE: RoutingEntry = RoutingEntry::new(
    "adaptive",
    "minimal ways and detours over one intermediate in the shares that load the links least",
    &[SHARES, GAP, TIME],
    RoutingMethod::Searched(|params| BestShares::parse("adaptive", PathSet::Detours, params)),
);

impl BestShares {
    /// Reads the options of the routing `name`, which may take the paths of `path_set`.
    fn parse(name: &'static str, path_set: PathSet, params: &Params) -> Result<Self> {
        Ok(BestShares {
            name,
            path_set,
            // Only detours have intermediates, and so the option.
            even: path_set == PathSet::Detours && params.required_choice("shares")? == "even",
            gap: params.required_real("gap", 1e-6, 1.0)?,
            seconds: params.required_real("time", 1e-3, 1e9)?,
        })
    }

    /// Checks that the routing is defined on a machine.
    ///
    /// # Errors
    /// [`Error::Unsuited`], with the routings that work there; a machine without links.
    pub fn check_machine(&self, topology: &Topology) -> Result<()> {
        topology.require_links()?;
        let kind = if self.path_set != PathSet::Detours {
            return Ok(());
        } else if is_fat_tree(topology) {
            "a tree"
        } else if topology.network().rails().is_some() {
            "a multi-rail network"
        } else {
            return Ok(());
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

//! A topology family: an entry of the table, and the options and helpers that families share.

use std::fmt;

use super::{Context, Network};
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};
use nodeorder_base::registry::Entry;

/// A topology family: an entry of [`super::TOPOLOGIES`].
pub type TopologyEntry = Entry<Build>;

/// How a family makes a network from its options.
#[derive(Clone, Copy)]
pub enum Build {
    /// By formulas, in no time: to check the options is to make the network.
    Formula(fn(&Params, &Context) -> Result<Network>),
    /// From a file or random numbers, in two steps: checks the options, which takes no time, then builds.
    Steps(fn(&Params, &Context) -> Result<Step>),
}

/// Builds the network of options that are checked; it may read a file and take time and memory.
pub type Step = Box<dyn FnOnce(&Params, &Context) -> Result<Network> + Send>;

impl Build {
    /// Checks the options and returns what builds their network.
    ///
    /// # Errors
    /// With their location: options that are missing, wrong or contradictory; a network too large for the context.
    pub fn parse(self, params: &Params, context: &Context) -> Result<Step> {
        match self {
            Build::Formula(network) => {
                let network = network(params, context)?;
                Ok(Box::new(|_, _| Ok(network)))
            }
            Build::Steps(parse) => parse(params, context),
        }
    }
}

/// Options of every topology besides those of its family.
pub const COMMON: &[Opt] = &[
    Opt::whole("limit", "keep the first so many node ids").or_else("all"),
    Opt::text(
        "exclude",
        "nodes to leave out: ids, ranges, names and host lists, as in 0-3+17+n[20-24], or a file of names or of sinfo -h -N -o \"%N %t\"",
    )
    .or_else("none"),
    Opt::text("names", "names of the nodes: nid{:05}, {:05+1000} from 1000, ranges as in x{4000-4007}c{0-7}, the last the fastest, or a CSV file of node,name[,coordinates]")
        .or_else("the file's own, else n and the id"),
    Opt::text("name", "name of the machine").or_else("the file's or the specification"),
    Opt::text("source", "where the description comes from").or_else("none"),
];

/// The `per_router` option of families that leave it free.
pub(super) const PER_ROUTER: Opt = Opt::whole("per_router", "nodes on each router").or("1");

/// The `nodes` option of families whose shape a line of [`super::by_size`] chooses. `about` is `in the place of`, the
/// keys of the shape, a colon and the rule in words.
pub(super) const fn nodes_option(about: &'static str) -> Opt {
    Opt::whole("nodes", about).or_else("none")
}

/// The `per_router` key of families that leave it free.
pub fn per_router(params: &Params) -> Result<u32> {
    params.whole("per_router", 1, 1 << 20)
}

/// `per_router` as a suffix of an inline specification.
pub fn per_router_suffix(per_router: u32) -> String {
    if per_router == 1 {
        String::new()
    } else {
        format!(",per_router={per_router}")
    }
}

/// `8x8x5`.
pub fn by_x<T: fmt::Display>(extents: &[T]) -> String {
    extents
        .iter()
        .map(T::to_string)
        .collect::<Vec<_>>()
        .join("x")
}

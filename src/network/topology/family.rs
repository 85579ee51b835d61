//! A topology family: an entry of the table, and the options and helpers that families share.

use std::fmt;

use super::context::Context;
use super::link_list::MOST_CAPACITY;
use super::network::Network;
use nodeorder_base::{Entry, Opt, Params, Result};

/// A topology family: an entry of [`super::TOPOLOGIES`].
pub type TopologyEntry = Entry<ParseNetwork>;

/// Function that reads and checks the options of a network; it takes no time and reads no file.
///
/// # Errors
/// With their location: options that are missing, wrong or contradictory; a network too large for the context.
pub type ParseNetwork = fn(&Params, &Context) -> Result<Box<dyn BuildNetwork>>;

/// The options of a network, read and checked.
pub trait BuildNetwork: Send + Sync {
    /// Builds the network. It may read a file and take time and memory.
    ///
    /// # Errors
    /// Faults of a file, with their line; no network of these options; more memory than `context` allows.
    fn build(&self, context: &Context) -> Result<Network>;
}

/// Builds the network of an inline specification of `family`.
///
/// # Errors
/// As [`ParseNetwork`] and [`BuildNetwork::build`].
pub fn build_inline(family: &TopologyEntry, spec: &str, context: &Context) -> Result<Network> {
    let params = Params::parse_inline(spec, ',', family.options, context.seed)?;
    (family.parse)(&params, context)?.build(context)
}

/// Option `per_router` of families that leave it free.
pub const PER_ROUTER: Opt = Opt::whole("per_router", "nodes on each router").default_value("1");

/// Declares the option `nodes` of families whose shape a line of [`super::by_size`] chooses. `about` is `in the place
/// of`, the keys of the shape, a colon and the rule in words.
pub const fn nodes_option(about: &'static str) -> Opt {
    Opt::whole("nodes", about).default_in_words("none")
}

/// Reads the `per_router` key of families that leave it free.
pub fn per_router(params: &Params) -> Result<u32> {
    params.required_integer("per_router", 1, 1 << 20)
}

/// Option `node_capacity` of families that read capacities of links.
pub const NODE_CAPACITY: Opt = Opt::number("node_capacity", "capacity of a node link")
    .default_in_words("the smallest capacity of a link of the file, 1 without capacities");

/// Reads the `node_capacity` key; `None` if it is not given.
pub fn node_capacity(params: &Params) -> Result<Option<f64>> {
    match params.optional_real("node_capacity", 0.0, MOST_CAPACITY)? {
        Some(0.0) => Err(params.invalid_value("node_capacity", "a number above 0")),
        capacity => Ok(capacity),
    }
}

/// Writes `,node_capacity=…` of an inline specification; nothing if it is not given.
pub fn node_capacity_suffix(given: Option<f64>) -> String {
    given.map_or(String::new(), |capacity| {
        format!(",node_capacity={capacity}")
    })
}

/// Finds the smallest of the capacities of the links of `file` for its node links, which the file does not name, and
/// a note that says so unless it is 1: capacities in Gbit/s would otherwise make node links of capacity 1 the
/// bottleneck of everything.
pub fn find_smallest_capacity(
    file: &str,
    capacities: impl Iterator<Item = f64>,
) -> (f64, Option<String>) {
    let smallest = capacities.min_by(f64::total_cmp).unwrap_or(1.0);
    let note = format!(
        "{file}: a node link has capacity {smallest}, the smallest of a link; \
         node_capacity= says otherwise"
    );
    (smallest, (smallest != 1.0).then_some(note))
}

/// Writes `,per_router=…` of an inline specification; nothing for 1, which is the default.
pub fn per_router_suffix(per_router: u32) -> String {
    if per_router == 1 {
        String::new()
    } else {
        format!(",per_router={per_router}")
    }
}

/// Writes extents as `8x8x5`.
pub fn by_x<T: fmt::Display>(extents: &[T]) -> String {
    let extents: Vec<String> = extents.iter().map(T::to_string).collect();
    extents.join("x")
}

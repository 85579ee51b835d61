//! Topologies: routers, links, nodes and the distance between them.
//!
//! Each family is one file with a [`TopologyEntry`] constant; [`TOPOLOGIES`] is the table that names them all.
//! A [`Topology`] is a family's [`Network`] plus what the machine adds: which nodes are schedulable and
//! what they are called. Nothing is built that is not asked for: the router graph appears on first use,
//! distances on grids and trees come from closed forms.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

use crate::error::Result;
use crate::ids::{NodeId, RouterId};
use crate::input::Text;
use crate::params::{Opt, Params};
use crate::registry::{Entry, Registry};

pub mod bisection;
mod by_size;
mod cascade;
mod components;
mod context;
pub mod distance;
mod dragonfly;
mod dragonfly_plus;
pub mod drift;
mod fat_tree;
mod from_links;
mod galois;
mod global_links;
mod gnm;
pub mod graph;
mod graph_file;
mod grid;
mod hyperx;
mod import;
pub mod lattice;
pub mod levels;
mod link_list;
mod multi_rail;
mod names;
mod network;
pub mod nodes;
mod polarfly;
mod polarity;
mod polarstar;
pub mod rails;
mod random_graph;
mod random_regular;
pub mod search;
pub mod site;
mod sizes;
mod slim_fly;
pub mod statistics;
#[cfg(test)]
pub(crate) mod testing;
mod tpu;
mod watts_strogatz;

pub use context::Context;
pub use distance::Metric;
pub use from_links::LinkedRouters;
pub use graph::RouterGraph;
pub use import::host_list::compact as compact_list;
pub use lattice::Lattice;
pub(crate) use link_list::numbered_sets;
pub use network::{Level, LinkVisitor, Network};
pub use nodes::NodeSet;
pub(crate) use sizes::{check_nodes, product, require_graph};
pub use statistics::Statistics;

/// The most slots (nodes, schedulable or not) a machine may have.
pub const MAX_NODES: u64 = 1 << 31;

/// A topology family: an entry of [`TOPOLOGIES`]. It builds the network from its parameters.
pub type TopologyEntry = Entry<Build>;

type Build = fn(&Params, &Context) -> Result<Network>;

/// Every family.
pub static TOPOLOGIES: Registry<Build> = Registry::new(
    "topology kind",
    "",
    &[
        grid::MESH,
        grid::TORUS,
        grid::GRID,
        tpu::FAMILY,
        hyperx::FAMILY,
        cascade::FAMILY,
        dragonfly::FAMILY,
        dragonfly_plus::FAMILY,
        fat_tree::FAT_TREE,
        fat_tree::XGFT,
        multi_rail::FAMILY,
        slim_fly::FAMILY,
        polarfly::FAMILY,
        polarstar::FAMILY,
        watts_strogatz::FAMILY,
        random_regular::FAMILY,
        gnm::FAMILY,
        graph_file::FAMILY,
        import::SLURM_TOPOLOGY,
        import::TIERS,
        import::K8S_NODES,
        import::TOPOGRAPH,
        import::JGF,
        import::XTDB2PROC,
        import::IBNETDISCOVER,
        import::TGT,
    ],
);

/// What every topology takes besides the options of its family.
pub const COMMON: &[Opt] = &[
    Opt::whole("limit", "keep the first so many node ids").or_else("all"),
    Opt::text(
        "exclude",
        "nodes to leave out: ids, ranges, names and host lists, as in 0-3+17+n[20-24], or a file of names or of sinfo -h -N -o \"%N %t\"",
    )
    .or_else("none"),
    Opt::text("names", "names of the nodes: nid{:05}, or a CSV file of node,name[,coordinates]")
        .or_else("the file's own, else n and the id"),
    Opt::text("name", "name of the machine").or_else("the file's or the specification"),
    Opt::text("source", "where the description comes from").or_else("none"),
];

/// The `per_router` option of families that leave it free.
const PER_ROUTER: Opt = Opt::whole("per_router", "nodes on each router").or("1");

/// The `nodes` option of families that a line of [`by_size`] chooses the shape of: `in the place of` the keys of the
/// shape, a colon, the rule in words.
const fn nodes_option(about: &'static str) -> Opt {
    Opt::whole("nodes", about).or_else("none")
}

/// A machine: a network, its schedulable nodes and their names.
#[derive(Debug)]
pub struct Topology {
    name: String,
    spec: String,
    source: Option<String>,
    chosen: Option<&'static str>,
    network: Network,
    nodes: NodeSet,
    names: nodes::Names,
    context: Context,
    graph: OnceLock<RouterGraph>,
    /// The graph with its components joined; made where there are several.
    joined: OnceLock<RouterGraph>,
    /// How many components hold schedulable nodes.
    components: u32,
    /// Ids by name, where names are a table.
    by_name: OnceLock<HashMap<String, u32>>,
}

impl Topology {
    /// Builds a machine from an inline specification such as `torus:8x8x5,per_router=2`.
    ///
    /// # Errors
    /// Unknown kind or key, a value out of range, a machine of more than 2³¹ nodes or more memory than
    /// `context` allows.
    ///
    /// # Examples
    /// ```
    /// use nodeorder::{NodeId, Topology};
    /// let torus = Topology::inline("torus:4x4", &Default::default())?;
    /// assert_eq!(torus.node_count(), 16);
    /// assert_eq!(torus.distance(NodeId(0), NodeId(15)), 2); // both dimensions wrap
    /// # Ok::<(), nodeorder::Error>(())
    /// ```
    pub fn inline(spec: &str, context: &Context) -> Result<Self> {
        let family = TOPOLOGIES.find(spec)?;
        let options = family.options.iter().chain(COMMON);
        let params = Params::inline(spec, TOPOLOGIES.separator, options, context.seed)?;
        Topology::build(family, &params, spec, context)
    }

    /// Builds a machine from TOML text; paths in it are relative to `base`, the file it came from.
    ///
    /// # Errors
    /// As [`Topology::inline`], with file and line; also bad TOML.
    pub fn toml(text: &Text, base: Option<&Path>, context: &Context) -> Result<Self> {
        let name = Path::new(text.name()).file_stem().map(|s| s.to_string_lossy().into_owned());
        let mut params = Params::toml(text, base, context.seed)?;
        let family = TOPOLOGIES.find_at(params.kind(), || params.location_of("kind"))?;
        params.declare(family.options.iter().chain(COMMON));
        Topology::build(family, &params, name.as_deref().unwrap_or(text.name()), context)
    }

    fn build(
        family: &TopologyEntry,
        params: &Params,
        default_name: &str,
        context: &Context,
    ) -> Result<Self> {
        let by_size = by_size::chosen(family, params)?;
        let (params, chosen) = match &by_size {
            Some((params, rule)) => (params, Some(*rule)),
            None => (params, None),
        };
        let network = (family.build)(params, context)?;
        Topology::of_network(network, params, chosen, default_name, context)
    }

    /// The machine of `network` with the options of [`COMMON`].
    fn of_network(
        network: Network,
        params: &Params,
        chosen: Option<&'static str>,
        default_name: &str,
        context: &Context,
    ) -> Result<Self> {
        let slots = u64::from(network.hosts()) * u64::from(network.per_router());
        check_nodes(params.location(), slots)?;
        let (names, coordinates) = match network.names() {
            Some(names) if !params.has("names") => (nodes::Names::Table(names.to_vec()), None),
            _ => nodes::Names::from_params(params, slots as u32, context)?,
        };
        let by_name = OnceLock::new();
        let named = nodes::Named { names: &names, slots: slots as u32, by_name: &by_name };
        let nodes = NodeSet::from_params(params, slots as u32, network.names(), &named, context)?;
        let name = params.word("name")?.unwrap_or_else(|| default_name.to_string());
        let source = params.word("source")?;
        params.finish()?;
        let lattice = network.lattice.clone().or(coordinates);
        let mut topology = Topology {
            name,
            spec: format!("{}{}", network.spec(), nodes.spec_suffix()),
            source,
            chosen,
            network: Network { lattice, ..network },
            nodes,
            names,
            context: *context,
            graph: OnceLock::new(),
            joined: OnceLock::new(),
            components: 1,
            by_name,
        };
        if topology.network.component_of().is_some() {
            topology.components =
                components::count(&topology.network, &topology.nodes_per_router());
        }
        Ok(topology)
    }

    /// The machine's name: as its file says, else the file's stem or the inline specification.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The canonical inline specification.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// Where the description comes from, if it says.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// The rule that chose the shape, where `nodes=` asked for one; [`Topology::spec`] says which was chosen.
    pub fn chosen(&self) -> Option<&'static str> {
        self.chosen
    }

    /// The network without the machine's choice of nodes.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// How distances are found.
    pub fn metric(&self) -> &Metric {
        &self.network.metric
    }

    /// Coordinates, where the family has them or the names file gives them.
    pub fn lattice(&self) -> Option<&Lattice> {
        self.network.lattice.as_ref()
    }

    /// The schedulable nodes.
    pub fn nodes(&self) -> &NodeSet {
        &self.nodes
    }

    /// How many nodes are schedulable.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The run's seed and memory limit.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Checks that `bytes` for `what` of this machine stay within the run's limit.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] with both figures.
    pub fn require(&self, what: &str, bytes: u64) -> Result<()> {
        self.context.require(&format!("{}: {what}", self.name), bytes)
    }

    /// The node's name for people and resource managers.
    pub fn node_name(&self, node: NodeId) -> String {
        self.names.name(node)
    }

    /// The text before and after the ids of all names, and the width to which ids are padded with zeros; none where
    /// names follow no such pattern.
    pub(crate) fn name_pattern(&self) -> Option<(&str, usize, &str)> {
        match &self.names {
            nodes::Names::Pattern { before, width, after } => Some((before, *width, after)),
            nodes::Names::Table(_) => None,
        }
    }

    /// The router a node sits on.
    pub fn router_of(&self, node: NodeId) -> RouterId {
        RouterId(node.0 / self.network.per_router())
    }

    /// The schedulable nodes of a router, in slot order.
    pub fn nodes_of(&self, router: RouterId) -> impl Iterator<Item = NodeId> + '_ {
        let per = u64::from(self.network.per_router());
        let (first, hosts) = (u64::from(router.0) * per, self.network.hosts());
        let end = if router.0 < hosts { first + per } else { first };
        (first..end).map(|n| NodeId(n as u32)).filter(|n| self.nodes.contains(*n))
    }

    /// Schedulable nodes on each node-carrying router. O(hosts) memory, O(hosts + slots/64 + gaps) time.
    pub fn nodes_per_router(&self) -> Vec<u32> {
        let per = self.network.per_router();
        let mut counts = vec![per; self.network.hosts() as usize];
        for absent in self.nodes.gaps() {
            counts[(absent.0 / per) as usize] -= 1;
        }
        counts
    }

    /// The router graph, built on first use.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] when it would not fit.
    pub fn graph(&self) -> Result<&RouterGraph> {
        if let Some(graph) = self.graph.get() {
            return Ok(graph);
        }
        let built = RouterGraph::build(&self.network, &self.context)?;
        Ok(self.graph.get_or_init(|| built))
    }

    /// Hops between two nodes, [`graph::UNREACHED`] where no path joins them. O(dimensions) where a closed form exists; otherwise one breadth-first
    /// search: use [`Topology::hops_from`] for many targets.
    ///
    /// # Panics
    /// Where there is no closed form and the router graph does not fit in memory: call
    /// [`Topology::graph`] first to have that as an error.
    pub fn distance(&self, a: NodeId, b: NodeId) -> u32 {
        let (a, b) = (self.router_of(a), self.router_of(b));
        match self.metric().between(a, b) {
            Some(d) => d,
            None => {
                let graph = self.graph().expect("the router graph fits in memory");
                graph.hops_from(a)[b.index()]
            }
        }
    }

    /// Hops from one router to every node-carrying router, [`graph::UNREACHED`] where there is no path.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] when the graph is needed and does not fit.
    pub fn hops_from(&self, from: RouterId) -> Result<Vec<u32>> {
        let hosts = self.network.hosts();
        if matches!(self.metric(), Metric::Hops) {
            let mut hops = self.graph()?.hops_from(from);
            hops.truncate(hosts as usize);
            return Ok(hops);
        }
        let hop = |to| self.metric().between(from, RouterId(to)).unwrap_or(0);
        Ok((0..hosts).map(hop).collect())
    }

    /// Counts, degrees, diameter and mean distance; see [`Statistics`].
    ///
    /// # Errors
    /// [`crate::Error::Memory`] when the graph is needed and does not fit.
    pub fn statistics(&self) -> Result<Statistics> {
        Statistics::of(self)
    }
}

/// The `per_router` key of families that leave it free.
pub(crate) fn per_router(params: &Params) -> Result<u32> {
    params.whole("per_router", 1, 1 << 20)
}

/// `per_router` as a suffix of an inline specification.
pub(crate) fn per_router_suffix(per_router: u32) -> String {
    if per_router == 1 { String::new() } else { format!(",per_router={per_router}") }
}

/// `8x8x5`.
pub(crate) fn by_x<T: fmt::Display>(extents: &[T]) -> String {
    extents.iter().map(T::to_string).collect::<Vec<_>>().join("x")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Small machines of every family whose distance is a closed form. Fat trees have their own test.
    fn closed_form() -> impl Strategy<Value = String> {
        let dims = prop::collection::vec(1u32..6, 1..4);
        let kind = prop::sample::select(vec!["mesh", "torus", "hyperx", "grid"]);
        let products = (kind, dims, 1u32..4, any::<u8>()).prop_map(|(kind, dims, per, bits)| {
            let wrap: String =
                (0..dims.len()).map(|i| if bits >> i & 1 == 1 { '1' } else { '0' }).collect();
            let wrap = if kind == "grid" { format!(",wrap={wrap}") } else { String::new() };
            format!("{kind}:{}{wrap},per_router={per}", by_x(&dims))
        });
        let cascades = ([1u32..5, 1u32..4, 1u32..5], 1u32..4, any::<bool>()).prop_map(
            |(dims, per, single)| {
                let global = if single { ",global=single" } else { "" };
                format!("cascade:{},per_router={per}{global}", by_x(&dims))
            },
        );
        prop_oneof![3 => products, 1 => cascades]
    }

    proptest! {
        #[test]
        fn closed_forms_equal_a_search(spec in closed_form(), keep in 0.1f64..1.0) {
            let full = Topology::inline(&spec, &Context::default()).unwrap();
            prop_assert!(!matches!(full.metric(), Metric::Hops));
            testing::check_links(&full);
            testing::check_metric(&full);
            let limit = ((f64::from(full.nodes().slot_count()) * keep) as u32).max(1);
            let part = Topology::inline(&format!("{spec},limit={limit}"), &Context::default());
            testing::check_metric(&part.unwrap());
        }
    }

    fn reads_a_file(family: &TopologyEntry) -> bool {
        family.options.iter().any(|option| option.key == "file")
    }

    #[test]
    fn families_ask_for_what_they_declare() {
        let read = |family: &TopologyEntry, params: &Params| {
            // Asks for nodes=, which stands for the shape.
            by_size::chosen(family, params)?;
            let built = (family.build)(params, &Context::default()).map(|_| ());
            // Where the file of an example is not there, all keys have been asked for before.
            if reads_a_file(family) { built.or(Ok(())) } else { built }
        };
        crate::registry::testing::check(&TOPOLOGIES, read);
    }

    #[test]
    fn every_example_builds_and_comes_back() {
        // Examples that name a file, which is not here, are left to the families' own tests.
        for family in TOPOLOGIES.iter().filter(|f| !reads_a_file(f)) {
            let machine = Topology::inline(family.example, &Context::default()).unwrap();
            testing::check_links(&machine);
            let again = Topology::inline(machine.spec(), &Context::default()).unwrap();
            assert_eq!(again.spec(), machine.spec());
            let total = |machine: &Topology| machine.statistics().unwrap().total_distance;
            assert_eq!(total(&again), total(&machine));
            for level in machine.network().levels() {
                assert_eq!(machine.network().hosts() % level.routers, 0, "{}", family.name);
            }
        }
    }
}

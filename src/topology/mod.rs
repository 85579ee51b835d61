//! Topologies: routers, links, nodes and the distance between them.
//!
//! Each family is one file with a [`Family`] constant; [`FAMILIES`] is the table that names them all.
//! A [`Topology`] is a family's [`Network`] plus what the machine adds: which nodes are schedulable and
//! what they are called. Nothing is built that is not asked for: the router graph appears on first use,
//! distances on grids and trees come from closed forms.

use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

use crate::error::{Error, Result, SourceLocation};
use crate::ids::{NodeId, RouterId};
use crate::input::Text;
use crate::params::{self, Params};

pub mod bisection;
pub mod by_size;
mod cascade;
pub mod distance;
mod dragonfly;
mod fat_tree;
mod galois;
mod gnm;
pub mod graph;
mod graph_file;
mod grid;
mod hyperx;
mod import;
pub mod lattice;
pub mod levels;
pub mod nodes;
mod random_graph;
mod random_regular;
pub mod search;
mod slim_fly;
pub mod statistics;
mod watts_strogatz;

pub use distance::Metric;
pub use graph::RouterGraph;
pub use lattice::Lattice;
pub use nodes::NodeSet;
pub use statistics::Statistics;

/// The most places (nodes, schedulable or not) a machine may have.
pub const MAX_NODES: u64 = 1 << 31;

/// What a run gives every builder: the default seed and the memory it may use.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Seed of everything random that names none itself.
    pub seed: u64,
    /// Bytes a single structure may take; larger requests are refused with the figure.
    pub memory: u64,
}

impl Default for Context {
    /// Seed 1 and 8 GB.
    fn default() -> Self {
        Context { seed: 1, memory: 8_000_000_000 }
    }
}

impl Context {
    /// Checks that `bytes` for `what` stay within the limit.
    ///
    /// # Errors
    /// [`Error::Memory`] with both figures.
    pub fn require(&self, what: &str, bytes: u64) -> Result<()> {
        if bytes > self.memory {
            return Err(Error::Memory { what: what.into(), needed: bytes, limit: self.memory });
        }
        Ok(())
    }
}

/// A topology family: a line of [`FAMILIES`].
pub struct Family {
    /// The kind, as in `torus:…` and `kind = "torus"`.
    pub name: &'static str,
    /// The key of the bare first parameter of the inline form, where there is one.
    pub positional: Option<&'static str>,
    /// One line for lists.
    pub about: &'static str,
    /// An inline specification that works.
    pub example: &'static str,
    /// Builds the network from its parameters.
    pub build: fn(&Params, &Context) -> Result<Box<dyn Network>>,
}

/// Every family, in the order of lists.
pub const FAMILIES: &[Family] = &[
    grid::MESH,
    grid::TORUS,
    grid::GRID,
    hyperx::FAMILY,
    cascade::FAMILY,
    dragonfly::FAMILY,
    fat_tree::FAT_TREE,
    fat_tree::XGFT,
    slim_fly::FAMILY,
    watts_strogatz::FAMILY,
    random_regular::FAMILY,
    gnm::FAMILY,
    graph_file::FAMILY,
    import::SLURM_TOPOLOGY,
    import::IBNETDISCOVER,
    import::TGT,
];

/// Called for every link: its two routers and its capacity (1 is an ordinary link).
pub type LinkVisitor<'a> = dyn FnMut(u32, u32, f64) + 'a;

/// One level of a machine's hierarchy, such as its groups or its leaf switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// What a unit of this level is called.
    pub name: &'static str,
    /// How many consecutive node-carrying routers make one unit.
    pub routers: u32,
}

/// A network of routers: what a family's file provides.
pub trait Network: fmt::Debug + Send + Sync {
    /// The canonical inline specification of the network alone.
    fn spec(&self) -> String;

    /// Number of routers (switches), those without nodes included.
    fn routers(&self) -> u32;

    /// Number of routers that carry nodes; they are `0..hosts`.
    fn hosts(&self) -> u32 {
        self.routers()
    }

    /// Nodes on each node-carrying router; node id = router · per_router + slot.
    fn per_router(&self) -> u32;

    /// Visits every link once, in a fixed order. No pair of routers is visited twice: parallel cables are
    /// one link of higher capacity.
    fn for_each_link(&self, visit: &mut LinkVisitor<'_>);

    /// Number of links. The default counts them in O(links).
    fn link_count(&self) -> u64 {
        let mut count = 0;
        self.for_each_link(&mut |_, _, _| count += 1);
        count
    }

    /// Smallest and largest number of links at a router. The default counts them in O(routers + links).
    fn degrees(&self) -> (u32, u32) {
        let mut degree = vec![0u32; self.routers() as usize];
        self.for_each_link(&mut |u, v, _| {
            degree[u as usize] += 1;
            degree[v as usize] += 1;
        });
        let low = degree.iter().copied().min().unwrap_or(0);
        (low, degree.iter().copied().max().unwrap_or(0))
    }

    /// How the distance between two node-carrying routers is found. The default walks the graph.
    fn metric(&self) -> Metric {
        Metric::Hops
    }

    /// Integer coordinates of the routers, where the family has them.
    fn lattice(&self) -> Option<Lattice> {
        None
    }

    /// The hierarchy from the outermost level in, where the family has one. Units are consecutive routers.
    fn levels(&self) -> Vec<Level> {
        Vec::new()
    }

    /// Links from the units of each of [`Network::levels`] up, where routers stand above them, as in trees.
    fn links_up(&self) -> Option<Vec<u64>> {
        None
    }

    /// What can be proved of cuts into halves; see [`bisection`].
    fn cut_bounds(&self) -> Option<bisection::CutBounds> {
        None
    }

    /// What the nodes are called, by place, where the family knows; empty where a place has no node.
    fn names(&self) -> Option<&[String]> {
        None
    }

    /// Whether every router looks like every other (so that one search tells all distances).
    fn vertex_transitive(&self) -> bool {
        false
    }
}

/// A machine: a network, its schedulable nodes and their names.
#[derive(Debug)]
pub struct Topology {
    name: String,
    spec: String,
    source: Option<String>,
    chosen: Option<&'static str>,
    network: Box<dyn Network>,
    metric: Metric,
    lattice: Option<Lattice>,
    nodes: NodeSet,
    names: nodes::Names,
    context: Context,
    graph: OnceLock<RouterGraph>,
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
        let kind = params::head(spec);
        let positional =
            FAMILIES.iter().find(|f| f.name == kind).and_then(|family| family.positional);
        Topology::build(&Params::inline(spec, positional, context.seed)?, spec, context)
    }

    /// Builds a machine from TOML text; paths in it are relative to `base`, the file it came from.
    ///
    /// # Errors
    /// As [`Topology::inline`], with file and line; also bad TOML.
    pub fn toml(text: &Text, base: Option<&Path>, context: &Context) -> Result<Self> {
        let name = Path::new(text.name()).file_stem().map(|s| s.to_string_lossy().into_owned());
        let params = Params::toml(text, base, context.seed)?;
        Topology::build(&params, name.as_deref().unwrap_or(text.name()), context)
    }

    fn build(params: &Params, default_name: &str, context: &Context) -> Result<Self> {
        let family = FAMILIES.iter().find(|f| f.name == params.kind()).ok_or_else(|| {
            let location = params.location_of("kind");
            Error::unknown(
                location,
                "topology kind",
                params.kind(),
                FAMILIES.iter().map(|f| f.name),
            )
        })?;
        let by_size = by_size::chosen(params)?;
        let (params, chosen) = match &by_size {
            Some((params, rule)) => (params, Some(*rule)),
            None => (params, None),
        };
        let network = (family.build)(params, context)?;
        let places = u64::from(network.hosts()) * u64::from(network.per_router());
        check_nodes(params.location(), places)?;
        let nodes = NodeSet::from_params(params, places as u32, network.names(), context)?;
        let (names, coordinates) = match network.names() {
            Some(names) if !params.has("names") => (nodes::Names::Table(names.to_vec()), None),
            _ => nodes::Names::from_params(params, places as u32, context)?,
        };
        let name = params.word("name")?.unwrap_or_else(|| default_name.to_string());
        let source = params.word("source")?;
        params.finish()?;
        Ok(Topology {
            name,
            spec: format!("{}{}", network.spec(), nodes.spec_suffix()),
            source,
            chosen,
            metric: network.metric(),
            lattice: network.lattice().or(coordinates),
            network,
            nodes,
            names,
            context: *context,
            graph: OnceLock::new(),
        })
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
    pub fn network(&self) -> &dyn Network {
        &*self.network
    }

    /// How distances are found.
    pub fn metric(&self) -> &Metric {
        &self.metric
    }

    /// Coordinates, where the family has them or the names file gives them.
    pub fn lattice(&self) -> Option<&Lattice> {
        self.lattice.as_ref()
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
    /// [`Error::Memory`] with both figures.
    pub fn require(&self, what: &str, bytes: u64) -> Result<()> {
        self.context.require(&format!("{}: {what}", self.name), bytes)
    }

    /// The node's name for people and resource managers.
    pub fn node_name(&self, node: NodeId) -> String {
        self.names.name(node)
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

    /// Schedulable nodes on each node-carrying router. O(hosts) memory.
    pub fn nodes_per_router(&self) -> Vec<u32> {
        let per = self.network.per_router();
        let mut counts =
            vec![if self.nodes.is_full() { per } else { 0 }; self.network.hosts() as usize];
        if !self.nodes.is_full() {
            self.nodes.iter().for_each(|n| counts[(n.0 / per) as usize] += 1);
        }
        counts
    }

    /// The router graph, built on first use.
    ///
    /// # Errors
    /// [`Error::Memory`] when it would not fit.
    pub fn graph(&self) -> Result<&RouterGraph> {
        if let Some(graph) = self.graph.get() {
            return Ok(graph);
        }
        let built = RouterGraph::build(&*self.network, &self.context)?;
        Ok(self.graph.get_or_init(|| built))
    }

    /// Hops between two nodes. O(dimensions) where a closed form exists; otherwise one breadth-first
    /// search: use [`Topology::hops_from`] for many targets.
    ///
    /// # Panics
    /// Where there is no closed form and the router graph does not fit in memory: call
    /// [`Topology::graph`] first to have that as an error.
    pub fn distance(&self, a: NodeId, b: NodeId) -> u32 {
        let (a, b) = (self.router_of(a), self.router_of(b));
        match self.metric.between(a, b) {
            Some(d) => d,
            None => {
                let graph = self.graph().expect("the router graph fits in memory");
                graph.hops_from(a)[b.index()]
            }
        }
    }

    /// Hops from one router to every node-carrying router.
    ///
    /// # Errors
    /// [`Error::Memory`] when the graph is needed and does not fit.
    pub fn hops_from(&self, from: RouterId) -> Result<Vec<u32>> {
        let hosts = self.network.hosts();
        if matches!(self.metric, Metric::Hops) {
            let mut hops = self.graph()?.hops_from(from);
            hops.truncate(hosts as usize);
            return Ok(hops);
        }
        let hop = |to| self.metric.between(from, RouterId(to)).unwrap_or(0);
        Ok((0..hosts).map(hop).collect())
    }

    /// Counts, degrees, diameter and mean distance; see [`Statistics`].
    ///
    /// # Errors
    /// [`Error::Memory`] when the graph is needed and does not fit.
    pub fn statistics(&self) -> Result<Statistics> {
        Statistics::of(self)
    }
}

/// Refuses machines of more than [`MAX_NODES`] places, or of none.
pub(crate) fn check_nodes(location: &SourceLocation, places: u64) -> Result<()> {
    if places > MAX_NODES || places == 0 {
        return Err(Error::input(
            location.clone(),
            format!("a machine of {places} nodes"),
            format!("1 to {MAX_NODES} nodes"),
        ));
    }
    Ok(())
}

/// `a · b · …` as a checked product for sizes that users choose.
///
/// # Errors
/// More than [`MAX_NODES`].
pub(crate) fn product(
    location: &SourceLocation,
    factors: impl IntoIterator<Item = u32>,
) -> Result<u32> {
    let all = factors.into_iter().fold(1u64, |all, factor| all.saturating_mul(u64::from(factor)));
    check_nodes(location, all)?;
    // 2³¹ itself still fits.
    Ok(all as u32)
}

/// Refuses networks whose router graph would not fit: for families whose distances are found by search,
/// where nothing can be said without it, before anything is allocated.
pub(crate) fn require_graph(context: &Context, routers: u64, links: u64) -> Result<()> {
    let bytes = links.saturating_mul(56).saturating_add(routers.saturating_mul(16));
    context.require(&format!("a network of {routers} routers and {links} links"), bytes)
}

/// The `per_router` key of families that leave it free: 1 unless given.
pub(crate) fn per_router(params: &Params) -> Result<u32> {
    Ok(params.integer("per_router", 1, 1 << 20)?.unwrap_or(1))
}

/// `per_router` as a suffix of an inline specification.
pub(crate) fn per_router_suffix(per_router: u32) -> String {
    if per_router == 1 { String::new() } else { format!(",per_router={per_router}") }
}

/// `8x8x5`.
pub(crate) fn by_x<T: fmt::Display>(extents: &[T]) -> String {
    extents.iter().map(T::to_string).collect::<Vec<_>>().join("x")
}

/// What every family's tests check against the graph.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Links are simple, counted right, and agree with the degrees the family states.
    pub(crate) fn check_links(topology: &Topology) {
        let network = topology.network();
        let mut degree = vec![0u32; network.routers() as usize];
        let mut seen = std::collections::BTreeSet::new();
        network.for_each_link(&mut |u, v, capacity| {
            assert!(u != v && capacity > 0.0, "{}: {u}-{v}", topology.spec());
            assert!(seen.insert((u.min(v), u.max(v))), "{}: {u}-{v} twice", topology.spec());
            degree[u as usize] += 1;
            degree[v as usize] += 1;
        });
        assert_eq!(network.link_count(), seen.len() as u64, "{}", topology.spec());
        let low = degree.iter().copied().min().unwrap_or(0);
        let high = degree.iter().copied().max().unwrap_or(0);
        assert_eq!(network.degrees(), (low, high), "{}", topology.spec());
    }

    /// The closed-form distance is the hop count of a breadth-first search, for every pair of routers
    /// that carry nodes, and the statistics say the same.
    pub(crate) fn check_metric(topology: &Topology) {
        let graph = topology.graph().unwrap();
        let counts = topology.nodes_per_router();
        let (mut sum, mut largest) = (0u128, 0);
        for (a, here) in counts.iter().enumerate() {
            let from = RouterId(a as u32);
            let hops = graph.hops_from(from);
            for (b, there) in counts.iter().enumerate() {
                if let Some(d) = topology.metric().between(from, RouterId(b as u32)) {
                    assert_eq!(d, hops[b], "{}: {a} to {b}", topology.spec());
                }
                if *here > 0 && *there > 0 {
                    sum += u128::from(*here) * u128::from(*there) * u128::from(hops[b]);
                    largest = largest.max(hops[b]);
                }
            }
        }
        let statistics = topology.statistics().unwrap();
        assert_eq!(statistics.total_distance, sum / 2, "{}", topology.spec());
        assert_eq!(statistics.diameter, largest, "{}", topology.spec());
    }
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

    #[test]
    fn every_example_builds_and_comes_back() {
        // Examples that name a file, which is not here, are left to the families' own tests.
        for family in FAMILIES.iter().filter(|f| f.positional != Some("file")) {
            let machine = Topology::inline(family.example, &Context::default()).unwrap();
            testing::check_links(&machine);
            let again = Topology::inline(machine.spec(), &Context::default()).unwrap();
            assert_eq!(again.spec(), machine.spec());
            assert_eq!(
                again.statistics().unwrap().total_distance,
                machine.statistics().unwrap().total_distance
            );
            for level in machine.network().levels() {
                assert_eq!(machine.network().hosts() % level.routers, 0, "{}", family.name);
            }
        }
    }
}

//! A machine: a network, its schedulable nodes and their names.

use std::sync::OnceLock;

use super::context::Context;
use super::distance::Metric;
use super::graph::RouterGraph;
use super::lattice::Lattice;
use super::machine_options::MachineOptions;
use super::name_source::Names;
use super::network::Network;
use super::node_names::NodeNames;
use super::nodes::NodeSet;
use super::sizes::check_nodes;
use nodeorder_base::error::Result;
use nodeorder_base::ids::{NodeId, RouterId};

/// A machine: a network, its schedulable nodes and their names.
#[derive(Debug)]
pub struct Topology {
    name: String,
    spec: String,
    source: Option<String>,
    chosen: Option<&'static str>,
    network: Network,
    pub(super) nodes: NodeSet,
    pub(super) names: NodeNames,
    context: Context,
    graph: OnceLock<RouterGraph>,
    /// The graph in which halves are told apart, where it is another one.
    units: OnceLock<RouterGraph>,
    /// The graph with its components joined; made where there are several.
    pub(super) joined: OnceLock<RouterGraph>,
    /// Components with schedulable nodes.
    pub(super) components: u32,
}

impl Topology {
    /// Returns the machine of `network`; `chosen` is the rule that chose its shape.
    pub(super) fn new(
        network: Network,
        options: &MachineOptions,
        chosen: Option<&'static str>,
        context: &Context,
    ) -> Result<Self> {
        let slots = u64::from(network.hosts()) * u64::from(network.per_router());
        check_nodes(&options.location, slots)?;
        let (names, coordinates) = match network.names() {
            Some(names) if options.names.is_none() => (Names::Table(names.to_vec()), None),
            _ => Names::read(options, slots as u32, context)?,
        };
        let names = NodeNames::new(names, slots as u32);
        let nodes = NodeSet::choose(options, slots as u32, network.names(), &names, context)?;
        let lattice = network.lattice.clone().or(coordinates);
        let mut topology = Topology {
            name: options.name.clone(),
            spec: format!("{}{}", network.spec(), nodes.spec_suffix(network.names())),
            source: options.source.clone(),
            chosen,
            network: Network { lattice, ..network },
            nodes,
            names,
            context: *context,
            graph: OnceLock::new(),
            units: OnceLock::new(),
            joined: OnceLock::new(),
            components: 1,
        };
        if topology.network.component_of().is_some() {
            topology.components = components(&topology.network, &topology.nodes_per_router());
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

    /// Assumption about the capacities of its links, after its name.
    pub fn assumed(&self) -> Option<String> {
        Some(format!(
            "{}: assumed: {}",
            self.name,
            self.network.assumption()?
        ))
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
    /// [`nodeorder_base::error::Error::Memory`] with both figures.
    pub fn require(&self, what: &str, bytes: u64) -> Result<()> {
        self.context
            .require(&format!("{}: {what}", self.name), bytes)
    }

    /// The node's name for people and resource managers.
    pub fn node_name(&self, node: NodeId) -> String {
        self.names.names.name(node)
    }

    /// The text before and after the ids of all names, and the width to which ids are padded with zeros; none where
    /// names follow no such pattern.
    pub fn name_pattern(&self) -> Option<(&str, usize, &str)> {
        match &self.names.names {
            // Exports that write the pattern for other programs have no place for an offset.
            Names::Pattern(pattern) if pattern.offset == 0 => {
                Some((&pattern.before, pattern.width, &pattern.after))
            }
            _ => None,
        }
    }

    /// The router a node sits on.
    pub fn router_of(&self, node: NodeId) -> RouterId {
        self.network.router_of(node)
    }

    /// The nodes whose node links a message takes: of its sender, and of its receiver. A GPU hands what is for another
    /// rail to the GPU of its own server on that rail. None inside a node, or inside a domain, which has links of its own.
    pub fn node_links(&self, [from, to]: [NodeId; 2]) -> Option<[NodeId; 2]> {
        match self.network.rails() {
            None => (from != to).then_some([from, to]),
            Some(rails) if rails.domain_of(from) == rails.domain_of(to) => None,
            Some(rails) => match (rails.rail_of(from), rails.rail_of(to)) {
                (Some(own), Some(rail)) => Some([NodeId(from.0 - own + rail), to]),
                _ => Some([from, to]),
            },
        }
    }

    /// The routers that the node links of a node lead to, each with its share of what the node sends, ascending.
    pub fn leaves_of(&self, node: NodeId) -> impl Iterator<Item = (u32, f64)> {
        let (rails, step) = match self.network.rails() {
            Some(rails) => (rails.interfaces(), rails.per_rail()),
            None => (1, 0),
        };
        let first = self.router_of(node).0;
        (0..rails).map(move |rail| (first + rail * step, 1.0 / f64::from(rails)))
    }

    /// The schedulable nodes of a router, in slot order.
    pub fn nodes_of(&self, router: RouterId) -> impl Iterator<Item = NodeId> + '_ {
        self.network
            .slots_of(router)
            .filter(|n| self.nodes.contains(*n))
    }

    /// Schedulable nodes on each node-carrying router. O(hosts) memory, O(hosts + slots/64 + gaps) time.
    pub fn nodes_per_router(&self) -> Vec<u32> {
        let mut counts = vec![self.network.per_router(); self.network.hosts() as usize];
        for absent in self.nodes.gaps() {
            counts[self.router_of(absent).index()] -= 1;
        }
        counts
    }

    /// The router graph, built on first use.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] when it would not fit.
    pub fn graph(&self) -> Result<&RouterGraph> {
        if let Some(graph) = self.graph.get() {
            return Ok(graph);
        }
        let built = RouterGraph::build(&self.network, &self.context)?;
        Ok(self.graph.get_or_init(|| built))
    }

    /// The graph in which halves of the machine are told apart: the router graph, or where nodes pass traffic from one
    /// rail to another by themselves, units and one rail that stands for all. A router with nodes has the number
    /// `router / dealt_over` in it. Errors: [`nodeorder_base::error::Error::Memory`] when it would not fit.
    pub fn halves_graph(&self) -> Result<&RouterGraph> {
        match self.network.rails().filter(|rails| rails.rails > 1) {
            Some(rails) => Ok(self
                .units
                .get_or_init(|| RouterGraph::from_arcs(rails.per_rail(), rails.one_rail()))),
            None => self.graph(),
        }
    }

    /// Hops between two nodes, [`super::graph::UNREACHED`] where no path joins them. O(dimensions) where a closed form
    /// exists; otherwise one breadth-first search: use [`Topology::hops_from`] for many targets.
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

    /// Hops from one router to every node-carrying router, [`super::graph::UNREACHED`] where there is no path.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] when the graph is needed and does not fit.
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
}

/// Components with schedulable nodes; `counts` are the schedulable nodes of each router that carries nodes.
fn components(network: &Network, counts: &[u32]) -> u32 {
    let Some(of) = network.component_of() else {
        return 1;
    };
    let carrying = counts.iter().zip(of).filter(|(count, _)| **count > 0);
    let mut found: Vec<u32> = carrying.map(|(_, component)| *component).collect();
    found.sort_unstable();
    found.dedup();
    found.len().max(1) as u32
}

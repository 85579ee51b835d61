//! A machine: a network, its schedulable nodes and their names.
//!
//! It is what all other rooms are given. Distances come from a formula of the family where there is one, else from the
//! router graph, which is built on first use.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::context::Context;
use super::distance::Metric;
use super::graph::RouterGraph;
use super::lattice::Lattice;
use super::machine_options::MachineOptions;
use super::name_source::NameTable;
use super::network::Network;
use super::node_names::NodeNames;
use super::nodes::NodeSet;
use super::sizes::check_nodes;
use nodeorder_base::{Error, NodeId, Result, RouterId, SourceLocation};

/// A machine: a network, its schedulable nodes and their names.
#[derive(Debug)]
pub struct Topology {
    name: String,
    /// Canonical inline specification.
    spec: String,
    /// Where the description comes from, as its author states it.
    source: Option<String>,
    /// Rule that chose the shape for `nodes=`.
    chosen: Option<&'static str>,
    network: Network,
    pub(super) nodes: NodeSet,
    pub(super) names: NodeNames,
    /// Seed and memory limit of the run.
    context: Context,
    /// Router graph, made on first use.
    graph: OnceLock<RouterGraph>,
    /// Graph whose cuts into halves are searched, if it is another one than `graph`; made on first use.
    units: OnceLock<RouterGraph>,
    /// Graph with its components joined, if there are several; made on first use.
    pub(super) joined_graph: OnceLock<RouterGraph>,
    /// Number of components with schedulable nodes.
    pub(super) components: u32,
    /// Number of nodes that are out of service by what is broken.
    unreachable: u64,
}

impl Topology {
    /// Builds the machine of `network`; `chosen` is the rule that chose its shape.
    pub(super) fn new(
        network: Network,
        options: &MachineOptions,
        chosen: Option<&'static str>,
        context: &Context,
    ) -> Result<Self> {
        let slots = u64::from(network.hosts()) * u64::from(network.per_router());
        check_nodes(&options.location, slots)?;
        // The option `names` wins over names that the file gives.
        let (names, coordinates) = match network.names() {
            Some(names) if options.names.is_none() => (NameTable::Table(names.to_vec()), None),
            _ => NameTable::read_node_names(options, slots as u32, context)?,
        };
        let names = NodeNames::new(names, slots as u32);
        let mut network = network;
        let mut nodes = NodeSet::apply_limit_and_exclude(options, &network, &names, context)?;
        let mut unreachable = 0;
        if let Some(broken) = &options.broken {
            let before = nodes.len();
            let mut nodes_at = vec![0; network.routers() as usize];
            for node in nodes.iter() {
                nodes_at[network.router_of(node).index()] += 1;
            }
            network = broken.break_network(network, &nodes_at, context)?;
            nodes = NodeSet::apply_limit_and_exclude(options, &network, &names, context)?;
            unreachable = before - nodes.len();
        }
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
            joined_graph: OnceLock::new(),
            components: 1,
            unreachable: unreachable as u64,
        };
        if let Some(component_of) = topology.network.component_of() {
            topology.components = count_components(component_of, &topology.nodes_per_router());
        }
        Ok(topology)
    }

    /// Calls the machine `name`.
    pub fn renamed(self, name: &str) -> Self {
        Topology {
            name: name.to_string(),
            ..self
        }
    }

    /// Counts the nodes that `broken=` removes with their switches or cuts off from the largest piece.
    pub fn unreachable_nodes(&self) -> u64 {
        self.unreachable
    }

    /// Returns the machine's name: as its file says, else the file's stem or the inline specification.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the canonical inline specification.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// Returns where the description comes from; `None` if the file does not say.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Returns the rule by which the number of nodes (`nodes=`) chose the shape that [`Topology::spec`] states;
    /// `None` if `nodes=` was not given.
    pub fn shape_rule(&self) -> Option<&'static str> {
        self.chosen
    }

    /// Returns the network without the machine's choice of nodes.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the formula of distances.
    pub fn metric(&self) -> &Metric {
        &self.network.metric
    }

    /// Describes what is assumed about the capacities of links, after the machine's name; `None` if nothing is.
    pub fn capacity_assumption(&self) -> Option<String> {
        let assumption = self.network.assumption()?;
        Some(format!("{}: assumed: {assumption}", self.name))
    }

    /// Returns coordinates; `None` if neither the family nor the names file has any.
    pub fn lattice(&self) -> Option<&Lattice> {
        self.network.lattice.as_ref()
    }

    /// Returns the schedulable nodes.
    pub fn nodes(&self) -> &NodeSet {
        &self.nodes
    }

    /// Counts the schedulable nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the run's seed and memory limit.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Checks that `bytes` for `what` of this machine stay within the run's limit.
    ///
    /// # Errors
    /// [`nodeorder_base::error::Error::Memory`] with both figures.
    pub fn require_memory(&self, what: &str, bytes: u64) -> Result<()> {
        self.context
            .require_memory(&format!("{}: {what}", self.name), bytes)
    }

    /// Looks up a node's name for people and resource managers.
    pub fn node_name(&self, node: NodeId) -> String {
        self.names.names.name_of_node(node)
    }

    /// Takes apart the pattern of names: the text before the id, the number of digits to which ids are padded with
    /// zeros, and the text after; `None` if names follow no such pattern.
    pub fn name_pattern(&self) -> Option<(&str, usize, &str)> {
        match &self.names.names {
            // Exports that write the pattern for other programs have no place for an offset.
            NameTable::Pattern(pattern) if pattern.offset == 0 => {
                Some((&pattern.before, pattern.width, &pattern.after))
            }
            _ => None,
        }
    }

    /// Finds the router that a node sits on.
    pub fn router_of(&self, node: NodeId) -> RouterId {
        self.network.router_of(node)
    }

    /// Finds the nodes whose node links a message takes, of its sender's and of its receiver's. `None` inside a
    /// node, or inside a domain, which has links of its own.
    pub fn node_links(&self, [from, to]: [NodeId; 2]) -> Option<[NodeId; 2]> {
        match self.network.rails() {
            None => (from != to).then_some([from, to]),
            Some(rails) if rails.domain_of(from) == rails.domain_of(to) => None,
            // A GPU hands what is for another rail to the GPU of its own server on that rail.
            Some(rails) => match (rails.rail_of(from), rails.rail_of(to)) {
                (Some(own), Some(rail)) => Some([NodeId(from.0 - own + rail), to]),
                _ => Some([from, to]),
            },
        }
    }

    /// Lists the routers that the node links of a node lead to, ascending, each with its share of what the node sends.
    pub fn leaf_shares(&self, node: NodeId) -> impl Iterator<Item = (u32, f64)> {
        let (rails, step) = match self.network.rails() {
            Some(rails) => (rails.interfaces_per_node(), rails.switches_per_rail()),
            None => (1, 0),
        };
        let first = self.router_of(node).0;
        (0..rails).map(move |rail| (first + rail * step, 1.0 / f64::from(rails)))
    }

    /// Lists the schedulable nodes of a router, in slot order.
    pub fn nodes_of(&self, router: RouterId) -> impl Iterator<Item = NodeId> + '_ {
        self.network
            .slots_of(router)
            .filter(|n| self.nodes.contains(*n))
    }

    /// Counts the schedulable nodes on each node-carrying router. O(hosts) memory, O(hosts + slots/64 + gaps) time.
    pub fn nodes_per_router(&self) -> Vec<u32> {
        let mut counts = vec![self.network.per_router(); self.network.hosts() as usize];
        for absent in self.nodes.unschedulable_slots() {
            counts[self.router_of(absent).index()] -= 1;
        }
        counts
    }

    /// Checks whether the machine is known by distances alone, which no links explain.
    pub fn has_distances_alone(&self) -> bool {
        self.network.joints.is_some() && self.network.link_count() == 0
    }

    /// Checks that the machine has links.
    ///
    /// # Errors
    /// It is known by distances alone.
    pub fn require_links(&self) -> Result<()> {
        if !self.has_distances_alone() {
            return Ok(());
        }
        let problem = format!("{} has distances and no links", self.name);
        let remedy = "order, hosts, mpc, score and map --map take distances alone";
        let location = SourceLocation::option(&self.spec);
        Err(Error::unsuited(location, problem, remedy))
    }

    /// Builds the router graph, on first use.
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

    /// Builds the graph in which the machine is cut into halves, on first use: the router graph, or if nodes pass
    /// traffic from one rail to another by themselves, units and one rail that stands for all. A router with nodes has
    /// the number `router / dealt_over` in it. Fails with [`nodeorder_base::error::Error::Memory`] if it would not fit.
    pub fn bisection_graph(&self) -> Result<&RouterGraph> {
        match self.network.rails().filter(|rails| rails.rails > 1) {
            Some(rails) => Ok(self.units.get_or_init(|| {
                RouterGraph::from_arcs(rails.switches_per_rail(), rails.links_of_one_rail())
            })),
            None => self.graph(),
        }
    }

    /// Computes the hops between two nodes, [`super::graph::UNREACHED`] if no path joins them. O(dimensions) if a
    /// closed form exists; otherwise one breadth-first search: use [`Topology::hops_from`] for many targets.
    ///
    /// # Panics
    /// Where there is no closed form and the router graph does not fit in memory: call
    /// [`Topology::graph`] first to have that as an error.
    pub fn distance(&self, a: NodeId, b: NodeId) -> u32 {
        let a = self.router_of(a);
        let b = self.router_of(b);
        if let Some(hops) = self.metric().distance_between(a, b) {
            return hops;
        }
        let graph = self.graph().expect("the router graph fits in memory");
        graph.hops_from(a)[b.index()]
    }

    /// Computes the hops from one router to every node-carrying router, [`super::graph::UNREACHED`] if there is no
    /// path.
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
        let routers = (0..hosts).map(RouterId);
        let hops = routers.map(|to| self.metric().distance_between(from, to).unwrap_or(0));
        Ok(hops.collect())
    }
}

/// Counts the components with schedulable nodes; `counts` are the schedulable nodes of each router that carries nodes.
fn count_components(component_of: &[u32], counts: &[u32]) -> u32 {
    let carrying = counts.iter().zip(component_of);
    let carrying = carrying.filter(|(count, _)| **count > 0);
    let found: BTreeSet<u32> = carrying.map(|(_, component)| *component).collect();
    found.len().max(1) as u32
}

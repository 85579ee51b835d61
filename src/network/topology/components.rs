//! Networks in several components, between which there is no path: forests, rings, toruses, nodes without a switch.
//!
//! A distance between components does not exist, and no sum counts one. Methods that only choose (orderings by
//! search, allocators) want a number for every pair: they walk [`Topology::joined_graph`], where such a pair is
//! farther apart than any two nodes of one component.

use super::arcs::both_directions;
use super::graph::RouterGraph;
use super::machine::Topology;
use super::network::Network;
use nodeorder_base::{Error, NodeId, Result, RouterId, SourceLocation};

impl Topology {
    /// Counts the components that hold schedulable nodes; 1 if every node reaches every other. O(1).
    pub fn component_count(&self) -> u32 {
        self.components
    }

    /// Looks up the component of a node, an arbitrary number; 0 if the network is in one.
    pub fn component_of(&self, node: NodeId) -> u32 {
        self.network()
            .component_of()
            .map_or(0, |of| of[self.router_of(node).index()])
    }

    /// Checks whether all of these nodes are of one component.
    pub fn within_one_component(&self, nodes: impl IntoIterator<Item = NodeId>) -> bool {
        if self.components == 1 {
            return true;
        }
        let mut components = nodes.into_iter().map(|node| self.component_of(node));
        let first = components.next();
        components.all(|component| Some(component) == first)
    }

    /// Checks that the machine is in one component, for `what`, which needs every distance. The error has their
    /// number.
    pub fn require_one_component(&self, what: &str) -> Result<()> {
        if self.components == 1 {
            return Ok(());
        }
        let problem = format!(
            "{what} on {}, whose nodes are in {} components that no path joins",
            self.name(),
            self.components
        );
        let remedy = "exclude= can leave out all components but one";
        let location = SourceLocation::option(self.spec());
        Err(Error::unsuited(location, problem, remedy))
    }

    /// Counts the pairs of schedulable nodes that no path joins. O(slots) if there are any.
    pub fn unreachable_pairs(&self) -> u128 {
        let Some(of) = self.network().component_of() else {
            return 0;
        };
        let mut counts = std::collections::BTreeMap::new();
        for (router, nodes) in self.nodes_per_router().into_iter().enumerate() {
            *counts.entry(of[router]).or_insert(0u128) += u128::from(nodes);
        }
        // Ordered pairs of all nodes less those inside a component, each pair twice.
        let all = self.node_count() as u128;
        let inside: u128 = counts.values().map(|n| n * n).sum();
        (all * all - inside) / 2
    }

    /// Builds the router graph with its components joined by further routers far from all: pairs of nodes of two
    /// components are farther apart than any two of one.
    ///
    /// # Errors
    /// [`Error::Memory`] when it would not fit.
    ///
    /// # Complexity
    /// O(routers + links) once; nothing where the network is in one component.
    pub fn joined_graph(&self) -> Result<&RouterGraph> {
        let graph = self.graph()?;
        let Some(of) = self.network().component_of() else {
            return Ok(graph);
        };
        if let Some(joined) = self.joined_graph.get() {
            return Ok(joined);
        }
        let joined = join_components(self.network(), graph, of);
        Ok(self.joined_graph.get_or_init(|| joined))
    }
}

/// Adds a path of new routers from the first router of each component to one in the middle. With `far` the most hops
/// from such a first router to any other, paths have `far` + 1 links:
///
/// ```text
/// component 0   first - new - … - new - middle - new - … - new - first   component 1
/// ```
///
/// Two nodes of one component are at most 2·far hops apart, two of different ones at least 2·far + 2.
fn join_components(network: &Network, graph: &RouterGraph, component_of: &[u32]) -> RouterGraph {
    let mut firsts: Vec<(u32, u32)> = component_of.iter().copied().zip(0..).collect();
    firsts.sort_unstable();
    firsts.dedup_by_key(|(component, _)| *component);
    let mut hops = vec![0; graph.router_count()];
    let mut queue = Vec::new();
    let mut far = 0;
    for (_, first) in &firsts {
        graph.fill_hops(RouterId(*first), &mut hops, &mut queue);
        // The search reaches the farthest router last.
        far = far.max(queue.last().map_or(0, |last| hops[*last as usize]));
    }
    let mut arcs = Vec::new();
    network.for_each_link(&mut |u, v, capacity| arcs.extend(both_directions(u, v, capacity)));
    let middle = network.routers();
    let mut next = middle + 1;
    for (_, first) in firsts {
        let mut end = first;
        for _ in 0..far {
            arcs.extend(both_directions(end, next, 1.0));
            end = next;
            next += 1;
        }
        arcs.extend(both_directions(end, middle, 1.0));
    }
    RouterGraph::from_arcs(next, arcs)
}

#[cfg(test)]
mod tests {
    use crate::topology::graph::UNREACHED;
    use crate::topology::testing::from_file;
    use nodeorder_base::NodeId;

    /// Two trees and a ring of nodes apart, with all pairs by search.
    #[test]
    fn pairs_of_two_components_are_never_counted() {
        let text = "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n4\nSwitchName=c Nodes=n[5-6]\nSwitchName=t Switches=a,b\n";
        let machine = from_file("slurm-topology", text, ",nodes=n[1-8]").unwrap();
        assert_eq!(machine.component_count(), 4);
        let nodes: Vec<NodeId> = machine.nodes().iter().collect();
        assert_eq!(nodes.len(), 8);
        let joined = machine.joined_graph().unwrap();
        let (mut sum, mut apart, mut inside, mut outside) = (0u128, 0u128, 0, u32::MAX);
        for (i, a) in nodes.iter().enumerate() {
            let ways = joined.hops_from(machine.router_of(*a));
            for b in &nodes[..i] {
                let d = machine.distance(*a, *b);
                let way = ways[machine.router_of(*b).index()];
                let same = machine.component_of(*a) == machine.component_of(*b);
                assert_eq!(same, d != UNREACHED);
                assert_eq!(same, machine.within_one_component([*a, *b]));
                if same {
                    sum += u128::from(d);
                    inside = inside.max(way);
                } else {
                    apart += 1;
                    outside = outside.min(way);
                }
                assert!(!same || way == d);
            }
        }
        assert!(outside > inside, "{outside} {inside}");
        let s = machine.statistics().unwrap();
        assert_eq!(
            (s.total_distance, s.unreachable_pairs, s.components),
            (sum, apart, 4)
        );
        assert_eq!(s.mean_distance, sum as f64 / (28 - apart) as f64);
        assert_eq!(s.diameter, 2);
        let pairs = machine.distance_histogram().unwrap();
        assert_eq!(pairs.iter().sum::<u128>(), 28 - apart);
        let one = from_file("slurm-topology", text, ",nodes=n[1-8],exclude=n[5-8]").unwrap();
        assert_eq!((one.component_count(), one.unreachable_pairs()), (1, 0));
        assert!(
            one.require_one_component("x").is_ok() && machine.require_one_component("x").is_err()
        );
    }
}

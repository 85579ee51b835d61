//! A machine's network as a graph of petgraph, for other programs' algorithms.

use petgraph::graph::{NodeIndex, UnGraph};

use super::machine::Topology;
use nodeorder_base::{NodeId, RouterId};

impl Topology {
    /// Builds the network as a graph of petgraph 0.8. Vertex r is router r and holds its schedulable nodes, ascending;
    /// an edge holds the capacity of its link. Joints and weights of links are no part of it.
    ///
    /// # Complexity
    /// O(routers + nodes + links), in time and memory, whatever memory the context allows.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_network::topology::Topology;
    /// let mesh = Topology::inline("mesh:3x2,per_router=4", &Default::default())?;
    /// let graph = mesh.to_petgraph();
    /// assert_eq!((graph.node_count(), graph.edge_count()), (6, 7));
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn to_petgraph(&self) -> UnGraph<Vec<NodeId>, f64> {
        let network = self.network();
        let mut graph = UnGraph::with_capacity(network.routers() as usize, 0);
        for router in 0..network.routers() {
            let slots = network.slots_of(RouterId(router));
            graph.add_node(slots.filter(|node| self.nodes().contains(*node)).collect());
        }
        network.for_each_link(&mut |u, v, capacity| {
            graph.add_edge(
                NodeIndex::new(u as usize),
                NodeIndex::new(v as usize),
                capacity,
            );
        });
        graph
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::build;
    use petgraph::algo::dijkstra;

    #[test]
    fn shortest_paths_of_petgraph_are_our_distances() {
        for spec in [
            "torus:4x3x2,per_router=2,exclude=5",
            "fat-tree:k=4",
            "dragonfly:p=2,a=4,h=2",
            "random-regular:n=20,d=3,seed=1",
        ] {
            let machine = build(spec);
            let graph = machine.to_petgraph();
            let held: usize = graph.node_weights().map(Vec::len).sum();
            assert_eq!(held, machine.node_count(), "{spec}");
            for router in graph.node_indices() {
                let hops = dijkstra(&graph, router, None, |_| 1u32);
                for node in &graph[router] {
                    for (other, far) in &hops {
                        let mut others = graph[*other].iter();
                        assert!(
                            others.all(|o| machine.distance(*node, *o) == *far),
                            "{spec}"
                        );
                    }
                }
            }
            let capacity: f64 = graph.edge_weights().sum();
            let mut expected = 0.0;
            machine
                .network()
                .for_each_link(&mut |_, _, c| expected += c);
            assert_eq!(capacity, expected, "{spec}");
        }
    }
}

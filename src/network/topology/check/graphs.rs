//! The router graphs of both descriptions, with one numbering for the switches of both.
//!
//! Switches of the first description keep their numbers, those of the second follow. With three and two switches:
//!
//! ```text
//!          first description   second description
//! router         0 1 2                0 1
//! switch         0 1 2                3 4
//! ```

use super::findings::switch_name;
use crate::topology::graph::RouterGraph;
use crate::topology::machine::Topology;
use nodeorder_base::RouterId;

/// Capacity of a link, as the bits of its `f64` (of 1 where capacities are not compared), and its weight.
pub type LinkLabel = (u64, u32);

/// Both descriptions with their router graphs, and the switches that are known by their nodes.
pub struct PairedGraphs<'a> {
    pub machines: [&'a Topology; 2],
    pub graphs: [&'a RouterGraph; 2],
    /// Routers of the first and the second description that carry the same nodes, ascending.
    pub leaves: Vec<(u32, u32)>,
    /// Whether both descriptions state the capacities of links.
    pub compare_capacities: bool,
}

impl PairedGraphs<'_> {
    /// Computes the number of the second description's first switch.
    pub fn first_there(&self) -> u32 {
        self.graphs[0].router_count() as u32
    }

    /// Counts the switches of both descriptions.
    pub fn switch_count(&self) -> usize {
        self.graphs[0].router_count() + self.graphs[1].router_count()
    }

    /// Finds the side of a switch, 0 for the first description and 1 for the second, and its router there.
    pub fn side_and_router(&self, switch: u32) -> (usize, RouterId) {
        match switch.checked_sub(self.first_there()) {
            Some(router) => (1, RouterId(router)),
            None => (0, RouterId(switch)),
        }
    }

    /// Lists the switches linked to `switch`, each with the label of its link.
    pub fn links_of(&self, switch: u32) -> impl Iterator<Item = (u32, LinkLabel)> + '_ {
        let (side, router) = self.side_and_router(switch);
        let graph = self.graphs[side];
        let base = switch - router.0;
        let links = graph
            .neighbours(router)
            .iter()
            .zip(graph.neighbour_capacities(router));
        links
            .zip(graph.neighbour_weights(router))
            .map(move |((to, capacity), weight)| {
                let capacity = if self.compare_capacities {
                    *capacity
                } else {
                    1.0
                };
                (base + to, (capacity.to_bits(), weight))
            })
    }

    /// Checks whether a switch carries schedulable nodes.
    pub fn has_nodes(&self, switch: u32) -> bool {
        let (side, router) = self.side_and_router(switch);
        self.machines[side].nodes_of(router).next().is_some()
    }

    /// Finds the name of a switch, as [`switch_name`].
    pub fn switch_name_of(&self, switch: u32) -> String {
        let (side, router) = self.side_and_router(switch);
        switch_name(self.machines[side], router)
    }

    /// Counts the switches of each description among `members`.
    pub fn count_sides(&self, members: &[u32]) -> [usize; 2] {
        let first_there = self.first_there();
        let here = members.iter().filter(|switch| **switch < first_there);
        let here = here.count();
        [here, members.len() - here]
    }

    /// Checks whether `members` are equally many switches of both descriptions.
    pub fn is_balanced(&self, members: &[u32]) -> bool {
        let [here, there] = self.count_sides(members);
        here == there
    }
}

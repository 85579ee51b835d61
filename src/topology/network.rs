//! A network of routers: what each family provides.

use std::fmt;

use super::distance::Metric;
use super::lattice::Lattice;

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

    /// Links between the units of each of [`Network::levels`], or from them up to routers above, by a formula.
    fn links_up(&self) -> Option<Vec<u64>> {
        None
    }

    /// What can be proved of cuts into halves; see [`super::bisection`].
    fn cut_bounds(&self) -> Option<super::bisection::CutBounds> {
        None
    }

    /// Names of the nodes, by slot, where the family gives them; empty where a slot has no node.
    fn names(&self) -> Option<&[String]> {
        None
    }

    /// Whether every router looks like every other (so that one search gives all distances).
    fn vertex_transitive(&self) -> bool {
        false
    }
}

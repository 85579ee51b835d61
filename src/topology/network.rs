//! A network of routers: what each family provides.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::distance::Metric;
use super::lattice::Lattice;
use super::rails::Rails;
use super::site::Site;
use crate::ids::RouterId;

/// Called for every link: its two routers and its capacity (1 is an ordinary link).
pub type LinkVisitor<'a> = dyn FnMut(u32, u32, f64) + 'a;

/// One level of a machine's hierarchy, such as its groups or its leaf switches: units of consecutive routers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// What a unit of this level is called.
    pub name: Cow<'static, str>,
    /// How many consecutive node-carrying routers make one unit; of units that differ, the largest.
    pub routers: u32,
    /// Where units differ or have names of their own.
    named: Option<Arc<NamedUnits>>,
}

/// Units that a file describes.
#[derive(Debug, PartialEq, Eq)]
struct NamedUnits {
    /// The router after the last of each unit, ascending.
    ends: Vec<u32>,
    names: Vec<String>,
}

impl Level {
    /// A level whose units are all of so many routers, and have numbers for names.
    pub const fn even(name: &'static str, routers: u32) -> Self {
        Level { name: Cow::Borrowed(name), routers, named: None }
    }

    /// A level of units that end before these routers, ascending, each with its name.
    pub(super) fn named(name: String, ends: Vec<u32>, names: Vec<String>) -> Self {
        let starts = std::iter::once(&0).chain(&ends);
        let routers = ends.iter().zip(starts).map(|(end, start)| end - start).max().unwrap_or(1);
        let named = Some(Arc::new(NamedUnits { ends, names }));
        Level { name: Cow::Owned(name), routers, named }
    }

    /// How many units `hosts` node-carrying routers make.
    pub fn units(&self, hosts: u32) -> u32 {
        match &self.named {
            Some(named) => named.ends.len() as u32,
            None => hosts.div_ceil(self.routers.max(1)),
        }
    }

    /// The unit of a node-carrying router. O(1), or O(log units) where they differ.
    pub fn unit_of(&self, router: RouterId) -> u32 {
        match &self.named {
            Some(named) => named.ends.partition_point(|end| *end <= router.0) as u32,
            None => router.0 / self.routers.max(1),
        }
    }

    /// The routers of a unit, of `hosts` that carry nodes.
    pub fn range(&self, unit: u32, hosts: u32) -> Range<u32> {
        match &self.named {
            Some(named) => {
                let start = unit.checked_sub(1).map_or(0, |before| named.ends[before as usize]);
                start..named.ends[unit as usize]
            }
            None => {
                let start = (unit * self.routers).min(hosts);
                start..start.saturating_add(self.routers).min(hosts)
            }
        }
    }

    /// The name of a unit: its own, else the level's and its number, as in `pod 3`.
    pub fn unit_name(&self, unit: u32) -> String {
        match &self.named {
            Some(named) => named.names[unit as usize].clone(),
            None => format!("{} {unit}", self.name),
        }
    }

    /// Whether the units have names of their own.
    pub fn has_names(&self) -> bool {
        self.named.is_some()
    }
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

    /// What a hop over each link counts in distances, 0 or more, in the order of [`Network::for_each_link`]; `None`
    /// where every hop counts 1.
    fn link_weights(&self) -> Option<Vec<u32>> {
        None
    }

    /// How a multi-rail network is numbered, where it is one.
    fn rails(&self) -> Option<&Rails> {
        None
    }

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

    /// The component of every router, numbered from 0, where the network is in several that no path joins.
    fn component_of(&self) -> Option<&[u32]> {
        None
    }

    /// What a site's own file says of the fabric, in its order and words, where there is one.
    fn site(&self) -> Option<&Site> {
        None
    }

    /// What the file's reader should be told: what was guessed, and what another program will not take.
    fn remarks(&self) -> &[String] {
        &[]
    }

    /// Whether every router looks like every other (so that one search gives all distances).
    fn vertex_transitive(&self) -> bool {
        false
    }
}

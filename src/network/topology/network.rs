//! A network of routers, as each family makes it.
//!
//! Routers are numbered from 0. Nodes sit on the first `hosts` of them, `per_router` on each, and are numbered router
//! by router; the routers after these carry none. A torus of two nodes a router, and a tree of two leaf switches:
//!
//! ```text
//! router  0    1    2             2         no nodes
//! nodes   0 1  2 3  4 5         /   \
//!                              0     1      hosts = 2, per_router = 3
//!                            0 1 2 3 4 5
//! ```
//!
//! A family gives the links as a function that visits them, and numbers and distances by formula where it has one: a
//! torus of a billion nodes takes no memory.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::bisection::CutBounds;
use super::distance::Metric;
use super::lattice::Lattice;
use super::rails::Rails;
use super::site::Site;
use nodeorder_base::{NodeId, RouterId};

/// Function called for every link, with its two routers and its capacity (1 is an ordinary link).
pub type LinkVisitor<'a> = dyn FnMut(u32, u32, f64) + 'a;

/// Function called for every link, with its two routers, its capacity and the number of its cables.
pub type CableVisitor<'a> = dyn FnMut(u32, u32, f64, u32) + 'a;

/// Function called for every joint, with two routers whose nodes pass traffic on by themselves, without a cable of the
/// network, and the hops that this counts in distances.
pub type JointVisitor<'a> = dyn FnMut(u32, u32, u32) + 'a;

/// Function that visits every link.
pub type Links = Box<dyn Fn(&mut LinkVisitor<'_>) + Send + Sync>;
/// Function that visits every joint.
pub type Joints = Box<dyn Fn(&mut JointVisitor<'_>) + Send + Sync>;

/// One level of a machine's hierarchy, such as its groups or its leaf switches: units of consecutive node ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Name of a unit of this level, such as `group`.
    pub name: Cow<'static, str>,
    /// Number of consecutive slots of a unit; of the largest, if units differ.
    pub slots: u32,
    /// Ends and names of the units, if these differ or have names of their own.
    named: Option<Arc<NamedUnits>>,
}

/// Units that a file describes, in the order of their slots.
#[derive(Debug, PartialEq, Eq)]
struct NamedUnits {
    /// Slot after the last one of each unit, ascending.
    ends: Vec<u32>,
    names: Vec<String>,
}

impl Level {
    /// Makes a level of units of `slots` slots each, named by their numbers.
    pub const fn with_equal_units(name: &'static str, slots: u32) -> Self {
        Level {
            name: Cow::Borrowed(name),
            slots,
            named: None,
        }
    }

    /// Makes a level whose units are `routers` consecutive routers with `per_router` slots each, named by their
    /// numbers.
    pub(super) const fn with_router_units(
        name: &'static str,
        routers: u32,
        per_router: u32,
    ) -> Self {
        Level::with_equal_units(name, routers.saturating_mul(per_router))
    }

    /// Gives the units of the level another name.
    pub(super) fn renamed(self, name: &str) -> Self {
        Level {
            name: Cow::Owned(name.to_string()),
            ..self
        }
    }

    /// Makes a level of units that end before the slots `ends`, ascending, each with its name.
    pub(super) fn with_named_units(name: String, ends: Vec<u32>, names: Vec<String>) -> Self {
        let starts = std::iter::once(&0).chain(&ends);
        let sizes = ends.iter().zip(starts).map(|(end, start)| end - start);
        Level {
            name: Cow::Owned(name),
            slots: sizes.max().unwrap_or(1),
            named: Some(Arc::new(NamedUnits { ends, names })),
        }
    }

    /// Counts the units on a machine with `slots`.
    pub fn unit_count(&self, slots: u32) -> u32 {
        match &self.named {
            Some(named) => named.ends.len() as u32,
            None => slots.div_ceil(self.slots.max(1)),
        }
    }

    /// Finds the unit of a node. O(1), or O(log units) if units differ.
    pub fn unit_of(&self, node: NodeId) -> u32 {
        match &self.named {
            Some(named) => named.ends.partition_point(|end| *end <= node.0) as u32,
            None => node.0 / self.slots.max(1),
        }
    }

    /// Lists the node ids of a unit, on a machine with `slots`.
    pub fn node_ids_of(&self, unit: u32, slots: u32) -> Range<u32> {
        match &self.named {
            Some(named) => {
                let ends = &named.ends;
                let start = if unit == 0 {
                    0
                } else {
                    ends[unit as usize - 1]
                };
                start..ends[unit as usize]
            }
            None => {
                // The last unit may be cut off.
                let start = unit.saturating_mul(self.slots).min(slots);
                start..start.saturating_add(self.slots).min(slots)
            }
        }
    }

    /// Looks up the name of a unit: its own, else the level's and its number, as in `pod 3`.
    pub fn unit_name(&self, unit: u32) -> String {
        match &self.named {
            Some(named) => named.names[unit as usize].clone(),
            None => format!("{} {unit}", self.name),
        }
    }

    /// Checks whether the units have names of their own.
    pub fn has_names(&self) -> bool {
        self.named.is_some()
    }
}

/// Cables between switches, by a family's formula for the whole network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cables {
    /// Number of all cables.
    pub all: u64,
    /// Fewest and most cables at a switch with nodes, cables of nodes not counted.
    pub fewest_and_most_at_hosts: (u32, u32),
    /// Most cables at any switch, cables of nodes not counted.
    pub most: u32,
}

/// A value that is computed on request, as it takes time or memory and few callers ask; `None` if there is no formula.
type Lazy<T> = Option<Box<dyn Fn() -> T + Send + Sync>>;

/// Makes a field of [`Network`] that `make` computes on request.
pub fn on_request<T>(make: impl Fn() -> T + Send + Sync + 'static) -> Lazy<T> {
    Some(Box::new(make))
}

/// A network of routers, as a family makes it: it begins with `Network::new` and sets the fields for which it has
/// formulas. Fields without a description are described by the methods of their names.
#[derive(Default)]
pub struct Network {
    pub(super) spec: String,
    pub(super) routers: u32,
    pub(super) hosts: u32,
    pub(super) per_router: u32,
    pub(super) dealt_over: u32,
    /// `None` in the default alone, which has no links.
    pub(super) links: Option<Links>,
    pub(super) link_weights: Lazy<Vec<u32>>,
    pub(super) joints: Option<Joints>,
    pub(super) rails: Option<Rails>,
    pub(super) link_count: Lazy<u64>,
    pub(super) degrees: Option<(u32, u32)>,
    pub(super) cables: Option<Cables>,
    /// Number of cables of every link, in the order of the links; `None` if each cable has a capacity of 1, so that
    /// there are as many as the capacity says.
    pub(super) cable_counts: Option<Vec<u32>>,
    /// Whether cables or switches of the network are broken, so that it has not the shape of its family.
    pub is_broken: bool,
    /// Number of ports that the switches have beyond what a cable or a place for a node takes.
    pub(super) idle_ports: u64,
    pub(super) node_capacity: f64,
    /// Capacity of the node link of every slot; empty if all are `node_capacity`.
    pub(super) slot_capacities: Vec<f64>,
    /// Formula of the distance between two node-carrying routers; [`Metric::Hops`], which walks the graph, if the
    /// family has none.
    pub(super) metric: Metric,
    /// Integer coordinates of the routers; `None` if the family has none.
    pub(super) lattice: Option<Lattice>,
    pub(super) levels: Vec<Level>,
    pub(super) links_up: Lazy<Vec<u64>>,
    pub(super) cut_bounds: Lazy<CutBounds>,
    pub(super) names: Vec<String>,
    pub(super) component_of: Vec<u32>,
    pub(super) site: Option<Site>,
    /// Number of GPUs of each node by its name; empty if the description gives none.
    pub(super) gpus: HashMap<String, u32>,
    /// Most pods of each node by its name; empty if the description gives none.
    pub(super) pods: HashMap<String, u32>,
    /// Slots of the nodes that the description says are out of service, ascending.
    pub(super) down: Vec<u32>,
    pub(super) whole_levels: Vec<(String, String)>,
    pub(super) remarks: Vec<String>,
    /// Name of every router; empty if the description gives none.
    pub switch_names: Vec<String>,
    /// Whether routers above those with nodes may stand for several switches.
    pub outline: bool,
    /// Whether the description says how wide links are.
    pub widths: bool,
    pub(super) assumption: Option<String>,
    /// Whether every router looks like every other, so that distances from one are those from all.
    pub vertex_transitive: bool,
}

impl Network {
    /// Creates a network whose routers all carry nodes, with the links that `links` visits (see
    /// [`Network::for_each_link`]) and without formulas.
    pub(super) fn new(
        spec: String,
        routers: u32,
        per_router: u32,
        links: impl Fn(&mut LinkVisitor<'_>) + Send + Sync + 'static,
    ) -> Self {
        Network {
            spec,
            routers,
            hosts: routers,
            per_router,
            dealt_over: 1,
            links: Some(Box::new(links)),
            node_capacity: 1.0,
            widths: true,
            ..Network::default()
        }
    }

    /// Composes the canonical inline specification of the network, without the machine's choice of nodes.
    pub fn spec(&self) -> String {
        self.spec.clone()
    }

    /// Returns the number of routers (switches), those without nodes included.
    pub fn routers(&self) -> u32 {
        self.routers
    }

    /// Returns the number of routers that carry nodes; they are `0..hosts`.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// Returns the number of slots on each node-carrying router. [`Network::router_of`] maps node ids to routers.
    pub fn per_router(&self) -> u32 {
        self.per_router
    }

    /// Counts the slots (node ids, schedulable or not). Networks with more than 32 bits hold are
    /// refused when a machine is made of them.
    pub fn slots(&self) -> u32 {
        self.hosts.saturating_mul(self.per_router)
    }

    /// Returns the number of node-carrying routers over which consecutive node ids are dealt in turn: 1, unless
    /// the nodes of a multi-rail network are GPUs, each on the leaf switch of its own rail.
    pub fn dealt_over(&self) -> u32 {
        self.dealt_over
    }

    /// Computes the router of a node: node id = router · per_router + slot, if ids are not dealt.
    #[inline]
    pub fn router_of(&self, node: NodeId) -> RouterId {
        match self.dealt_over {
            1 => RouterId(node.0 / self.per_router),
            // `over` routers make a block of over · per_router ids; within it ids go round the routers.
            over => RouterId(node.0 / over / self.per_router * over + node.0 % over),
        }
    }

    /// Lists the slots of a router, ascending; none if it carries no nodes.
    pub fn slots_of(&self, router: RouterId) -> impl Iterator<Item = NodeId> + use<> {
        let over = u64::from(self.dealt_over);
        let block = u64::from(router.0) / over;
        let turn = u64::from(router.0) % over;
        let mut count = u64::from(self.per_router);
        let first = block * over * count + turn;
        if router.0 >= self.hosts {
            count = 0;
        }
        (0..count).map(move |slot| NodeId((first + slot * over) as u32))
    }

    /// Visits every link once, in a fixed order. No pair of routers is visited twice: parallel cables are
    /// one link of higher capacity.
    pub fn for_each_link(&self, visit: &mut LinkVisitor<'_>) {
        self.links.iter().for_each(|links| links(visit));
    }

    /// Visits every link once, in the order of [`Network::for_each_link`], with the number of its cables.
    pub fn for_each_cabled_link(&self, visit: &mut CableVisitor<'_>) {
        let mut counts = self.cable_counts.iter().flatten();
        self.for_each_link(&mut |u, v, capacity| {
            let cables = counts.next().copied().unwrap_or(capacity as u32);
            visit(u, v, capacity, cables);
        });
    }

    /// Checks whether the source of the network states capacities beside numbers of cables, so that cables may be of
    /// several speeds.
    pub fn has_speeds(&self) -> bool {
        self.cable_counts.is_some() || self.node_capacity != 1.0 || !self.slot_capacities.is_empty()
    }

    /// Returns the capacity of a node link; if capacities differ, that of most node links. 1 unless the source of the
    /// network says otherwise.
    pub fn node_capacity(&self) -> f64 {
        self.node_capacity
    }

    /// Looks up the capacity of a node's link.
    pub fn capacity_of_node(&self, node: NodeId) -> f64 {
        let own = self.slot_capacities.get(node.index());
        own.copied().unwrap_or(self.node_capacity)
    }

    /// Checks whether the source of the network gives nodes links of their own capacities.
    pub fn has_own_node_capacities(&self) -> bool {
        !self.slot_capacities.is_empty()
    }

    /// Computes the weight of each link, 0 or more, in the order of [`Network::for_each_link`]; `None` if all are 1.
    pub fn link_weights(&self) -> Option<Vec<u32>> {
        self.link_weights.as_ref().map(|weights| weights())
    }

    /// Visits every joint once, in a fixed order; no two routers are joined twice, nor linked as well.
    pub fn for_each_joint(&self, visit: &mut JointVisitor<'_>) {
        self.joints.iter().for_each(|joints| joints(visit));
    }

    /// Returns the numbering of a multi-rail network; `None` for other networks.
    pub fn rails(&self) -> Option<&Rails> {
        self.rails.as_ref()
    }

    /// Counts the links: by formula, else in O(links).
    pub fn link_count(&self) -> u64 {
        if let Some(count) = &self.link_count {
            return count();
        }
        let mut count = 0;
        self.for_each_link(&mut |_, _, _| count += 1);
        count
    }

    /// Finds the smallest and largest number of links at a router: by formula, else counted in O(routers + links).
    pub fn degrees(&self) -> (u32, u32) {
        if let Some(degrees) = self.degrees {
            return degrees;
        }
        let mut degree = vec![0u32; self.routers as usize];
        self.for_each_link(&mut |u, v, _| {
            degree[u as usize] += 1;
            degree[v as usize] += 1;
        });
        let low = degree.iter().copied().min();
        let high = degree.iter().copied().max();
        (low.unwrap_or(0), high.unwrap_or(0))
    }

    /// Returns the levels of the hierarchy from the outermost in; none if the family has no hierarchy.
    pub fn levels(&self) -> Vec<Level> {
        self.levels.clone()
    }

    /// Computes, for each of [`Network::levels`], the number of links between its units or, in trees, from its
    /// units up to the routers above; `None` if the family has no formula.
    pub fn links_up(&self) -> Option<Vec<u64>> {
        self.links_up.as_ref().map(|links| links())
    }

    /// Computes proved bounds of cuts into halves (see [`super::bisection`]); `None` if the family has none.
    pub fn cut_bounds(&self) -> Option<CutBounds> {
        self.cut_bounds.as_ref().map(|bounds| bounds())
    }

    /// Returns the name of every slot, empty if it has no node; `None` if the family gives no names.
    pub fn names(&self) -> Option<&[String]> {
        (!self.names.is_empty()).then_some(&self.names)
    }

    /// Returns the component of every router, numbered from 0; `None` if paths join all routers.
    pub fn component_of(&self) -> Option<&[u32]> {
        (!self.component_of.is_empty()).then_some(&self.component_of)
    }

    /// Returns the contents of a site's own file about the fabric, in its order and words; `None` if there is no such
    /// file.
    pub fn site(&self) -> Option<&Site> {
        self.site.as_ref()
    }

    /// Returns the levels that the description names above [`Network::levels`] and that have a single unit, the
    /// outermost first, each with the name of its unit.
    pub fn whole_levels(&self) -> &[(String, String)] {
        &self.whole_levels
    }

    /// Returns notes on the file that the network is read from: guesses, and lines that another program does not
    /// accept.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns what is assumed about the capacities of links; `None` if the description says all.
    pub fn assumption(&self) -> Option<&str> {
        self.assumption.as_deref()
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Network").field(&self.spec).finish()
    }
}

//! A network of routers, as each family makes it.

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
use nodeorder_base::ids::{NodeId, RouterId};

/// Called for every link: its two routers and its capacity (1 is an ordinary link).
pub type LinkVisitor<'a> = dyn FnMut(u32, u32, f64) + 'a;

/// Called for every joint: two routers whose nodes pass traffic on by themselves, without a cable of the network, and
/// what that counts in distances.
pub type JointVisitor<'a> = dyn FnMut(u32, u32, u32) + 'a;

/// Visits every joint.
pub(super) type Joints = Box<dyn Fn(&mut JointVisitor<'_>) + Send + Sync>;

/// One level of a machine's hierarchy, such as its groups or its leaf switches: units of consecutive node ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Name of a unit of this level, such as `group`.
    pub name: Cow<'static, str>,
    /// Consecutive slots of a unit; where units differ, of the largest.
    pub slots: u32,
    /// Ends and names of the units, where these differ or have names of their own.
    named: Option<Arc<NamedUnits>>,
}

/// Units that a file describes.
#[derive(Debug, PartialEq, Eq)]
struct NamedUnits {
    /// The slot after the last of each unit, ascending.
    ends: Vec<u32>,
    names: Vec<String>,
}

impl Level {
    /// A level of units of `slots` slots each, named by their numbers.
    pub const fn even(name: &'static str, slots: u32) -> Self {
        Level {
            name: Cow::Borrowed(name),
            slots,
            named: None,
        }
    }

    /// A level of units of so many consecutive routers with `per_router` slots each, named by their numbers.
    pub(super) const fn of_routers(name: &'static str, routers: u32, per_router: u32) -> Self {
        Level::even(name, routers.saturating_mul(per_router))
    }

    /// The level with another name for its units.
    pub(super) fn called(self, name: &str) -> Self {
        Level {
            name: Cow::Owned(name.to_string()),
            ..self
        }
    }

    /// A level of units that end before these slots, ascending, each with its name.
    pub(super) fn named(name: String, ends: Vec<u32>, names: Vec<String>) -> Self {
        let starts = std::iter::once(&0).chain(&ends);
        let slots = ends
            .iter()
            .zip(starts)
            .map(|(end, start)| end - start)
            .max()
            .unwrap_or(1);
        let named = Some(Arc::new(NamedUnits { ends, names }));
        Level {
            name: Cow::Owned(name),
            slots,
            named,
        }
    }

    /// Number of units on so many slots.
    pub fn units(&self, slots: u32) -> u32 {
        match &self.named {
            Some(named) => named.ends.len() as u32,
            None => slots.div_ceil(self.slots.max(1)),
        }
    }

    /// The unit of a node. O(1), or O(log units) where they differ.
    pub fn unit_of(&self, node: NodeId) -> u32 {
        match &self.named {
            Some(named) => named.ends.partition_point(|end| *end <= node.0) as u32,
            None => node.0 / self.slots.max(1),
        }
    }

    /// The node ids of a unit, on a machine of so many slots.
    pub fn range(&self, unit: u32, slots: u32) -> Range<u32> {
        match &self.named {
            Some(named) => {
                let start = unit
                    .checked_sub(1)
                    .map_or(0, |before| named.ends[before as usize]);
                start..named.ends[unit as usize]
            }
            None => {
                let start = unit.saturating_mul(self.slots).min(slots);
                start..start.saturating_add(self.slots).min(slots)
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

/// Cables between switches, by a family's formula for the whole network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cables {
    /// All of them.
    pub all: u64,
    /// The fewest and the most at a switch with nodes.
    pub at_hosts: (u32, u32),
    /// The most at any switch.
    pub most: u32,
}

/// Computed on request, as it takes time or memory and few callers ask.
type Lazy<T> = Option<Box<dyn Fn() -> T + Send + Sync>>;

/// A field of [`Network`] that `make` computes on request.
pub(super) fn later<T>(make: impl Fn() -> T + Send + Sync + 'static) -> Lazy<T> {
    Some(Box::new(make))
}

/// A network of routers, as a family makes it. Fields are described by the methods of their names; a family begins with
/// `Network::new` and sets the fields for which it has formulas.
pub struct Network {
    pub(super) spec: String,
    pub(super) routers: u32,
    pub(super) hosts: u32,
    pub(super) per_router: u32,
    pub(super) dealt_over: u32,
    pub(super) links: Box<dyn Fn(&mut LinkVisitor<'_>) + Send + Sync>,
    pub(super) link_weights: Lazy<Vec<u32>>,
    pub(super) joints: Option<Joints>,
    pub(super) rails: Option<Rails>,
    pub(super) link_count: Lazy<u64>,
    pub(super) degrees: Option<(u32, u32)>,
    pub(super) cables: Option<Cables>,
    /// How the distance between two node-carrying routers is found: by walking the graph where the family has no
    /// closed form.
    pub(super) metric: Metric,
    /// Integer coordinates of the routers, where the family has them.
    pub(super) lattice: Option<Lattice>,
    pub(super) levels: Vec<Level>,
    pub(super) links_up: Lazy<Vec<u64>>,
    pub(super) cut_bounds: Lazy<CutBounds>,
    pub(super) names: Vec<String>,
    pub(super) component_of: Vec<u32>,
    pub(super) site: Option<Site>,
    /// GPUs of nodes by name, where the description gives them.
    pub(super) gpus: HashMap<String, u32>,
    pub(super) remarks: Vec<String>,
    pub switch_names: Vec<String>,
    pub outline: bool,
    pub widths: bool,
    pub(super) assumption: Option<String>,
    pub vertex_transitive: bool,
}

impl Network {
    /// A network whose routers all carry nodes, with the links that `links` visits (see [`Network::for_each_link`]) and
    /// without formulas.
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
            links: Box::new(links),
            link_weights: None,
            joints: None,
            rails: None,
            link_count: None,
            degrees: None,
            cables: None,
            metric: Metric::Hops,
            lattice: None,
            levels: Vec::new(),
            links_up: None,
            cut_bounds: None,
            names: Vec::new(),
            component_of: Vec::new(),
            site: None,
            gpus: HashMap::new(),
            remarks: Vec::new(),
            switch_names: Vec::new(),
            outline: false,
            widths: true,
            assumption: None,
            vertex_transitive: false,
        }
    }

    /// The canonical inline specification of the network alone.
    pub fn spec(&self) -> String {
        self.spec.clone()
    }

    /// Number of routers (switches), those without nodes included.
    pub fn routers(&self) -> u32 {
        self.routers
    }

    /// Number of routers that carry nodes; they are `0..hosts`.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// Nodes on each node-carrying router. Which they are, [`Network::router_of`] says.
    pub fn per_router(&self) -> u32 {
        self.per_router
    }

    /// Slots: node ids, schedulable or not. More than 32 bits hold are refused when a machine is made.
    pub fn slots(&self) -> u32 {
        self.hosts.saturating_mul(self.per_router)
    }

    /// Node-carrying routers over which consecutive node ids are dealt in turn: 1 but where the nodes of a multi-rail
    /// network are GPUs, each on the leaf switch of its own rail.
    pub fn dealt_over(&self) -> u32 {
        self.dealt_over
    }

    /// The router of a node: node id = router · per_router + slot, where ids are not dealt.
    #[inline]
    pub fn router_of(&self, node: NodeId) -> RouterId {
        match self.dealt_over {
            1 => RouterId(node.0 / self.per_router),
            over => RouterId(node.0 / over / self.per_router * over + node.0 % over),
        }
    }

    /// The slots of a node-carrying router, ascending.
    pub fn slots_of(&self, router: RouterId) -> impl Iterator<Item = NodeId> + use<> {
        let over = u64::from(self.dealt_over);
        let (block, turn) = (u64::from(router.0) / over, u64::from(router.0) % over);
        let count = if router.0 < self.hosts {
            self.per_router
        } else {
            0
        };
        let first = block * over * u64::from(self.per_router) + turn;
        (0..u64::from(count)).map(move |slot| NodeId((first + slot * over) as u32))
    }

    /// Visits every link once, in a fixed order. No pair of routers is visited twice: parallel cables are
    /// one link of higher capacity.
    pub fn for_each_link(&self, visit: &mut LinkVisitor<'_>) {
        (self.links)(visit);
    }

    /// Weight of each link, 0 or more, in the order of [`Network::for_each_link`]; `None` where all are 1.
    pub fn link_weights(&self) -> Option<Vec<u32>> {
        self.link_weights.as_ref().map(|weights| weights())
    }

    /// Visits every joint once, in a fixed order; no two routers are joined twice, nor linked as well.
    pub fn for_each_joint(&self, visit: &mut JointVisitor<'_>) {
        self.joints.iter().for_each(|joints| joints(visit));
    }

    /// How a multi-rail network is numbered, where it is one.
    pub fn rails(&self) -> Option<&Rails> {
        self.rails.as_ref()
    }

    /// Number of links. Where the family has no formula, they are counted in O(links).
    pub fn link_count(&self) -> u64 {
        self.link_count.as_ref().map_or_else(
            || {
                let mut count = 0;
                self.for_each_link(&mut |_, _, _| count += 1);
                count
            },
            |count| count(),
        )
    }

    /// Smallest and largest number of links at a router. Where the family has no formula, they are counted in
    /// O(routers + links).
    pub fn degrees(&self) -> (u32, u32) {
        self.degrees.unwrap_or_else(|| {
            let mut degree = vec![0u32; self.routers as usize];
            self.for_each_link(&mut |u, v, _| {
                degree[u as usize] += 1;
                degree[v as usize] += 1;
            });
            let low = degree.iter().copied().min().unwrap_or(0);
            (low, degree.iter().copied().max().unwrap_or(0))
        })
    }

    /// The hierarchy from the outermost level in, where the family has one. Units are consecutive node ids.
    pub fn levels(&self) -> Vec<Level> {
        self.levels.clone()
    }

    /// Links between the units of each of [`Network::levels`], or from them up to routers above, by a formula.
    pub fn links_up(&self) -> Option<Vec<u64>> {
        self.links_up.as_ref().map(|links| links())
    }

    /// Proved bounds of cuts into halves; see [`super::bisection`].
    pub fn cut_bounds(&self) -> Option<CutBounds> {
        self.cut_bounds.as_ref().map(|bounds| bounds())
    }

    /// Names of the nodes, by slot, where the family gives them; empty where a slot has no node.
    pub fn names(&self) -> Option<&[String]> {
        (!self.names.is_empty()).then_some(&self.names)
    }

    /// The component of every router, numbered from 0, where the network is in several that no path joins.
    pub fn component_of(&self) -> Option<&[u32]> {
        (!self.component_of.is_empty()).then_some(&self.component_of)
    }

    /// Contents of a site's own file about the fabric, in its order and words, where there is one.
    pub fn site(&self) -> Option<&Site> {
        self.site.as_ref()
    }

    /// Notes for the reader of the file: guesses, and lines that another program does not accept.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Assumption about the capacities of links, where the description leaves it open.
    pub fn assumption(&self) -> Option<&str> {
        self.assumption.as_deref()
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Network").field(&self.spec).finish()
    }
}

//! Orderings: sequences of distinct schedulable nodes; a node's rank is its position.
//!
//! Each family is one file with an [`OrderingEntry`]; [`ORDERINGS`] is the table that names them all.
//! A family takes a topology and its options and returns node ids, nothing else. [`NodeOrder`] accepts
//! only what is a valid ordering of its topology.

use std::io::Write;
use std::path::Path;

use fixedbitset::FixedBitSet;

use crate::error::{Error, Result, SourceLocation};
use crate::ids::NodeId;
use crate::input::Text;
use crate::params::Params;
use crate::registry::{Entry, Registry};
use crate::topology::Topology;

pub use optimise::{NoObserver, Observer, SearchResult};

pub mod axes;
mod brick;
mod coverage;
pub mod defaults;
mod file;
mod gilbert;
mod helical;
mod hierarchical;
mod hilbert;
pub mod ilp;
mod interleave;
mod linear;
pub mod optimise;
mod random;
mod spectral;
#[cfg(test)]
mod testing;
mod traversal;

/// A family of orderings: an entry of [`ORDERINGS`].
pub type OrderingEntry = Entry<Method>;

/// How a family makes an ordering, and what for.
#[derive(Clone, Copy)]
pub struct Method {
    /// What it needs of a topology.
    pub needs: Needs,
    /// Whether the nodes of a router stand together in rank order, unless an option says otherwise.
    pub keeps_routers: bool,
    make: Make,
}

#[derive(Clone, Copy)]
enum Make {
    /// From the topology and the options alone.
    Direct(fn(&Topology, &Params) -> Result<Vec<NodeId>>),
    /// By a search that an observer times and may stop, and that says how good its result is.
    Search(fn(&Topology, &Params, &dyn Observer) -> Result<SearchResult>),
}

impl Method {
    const fn direct(needs: Needs, order: fn(&Topology, &Params) -> Result<Vec<NodeId>>) -> Self {
        Method { needs, keeps_routers: true, make: Make::Direct(order) }
    }

    const fn search(search: fn(&Topology, &Params, &dyn Observer) -> Result<SearchResult>) -> Self {
        Method { needs: Needs::Nothing, keeps_routers: true, make: Make::Search(search) }
    }

    /// The same for a method that parts the nodes of a router.
    const fn parting_routers(mut self) -> Self {
        self.keeps_routers = false;
        self
    }
}

impl OrderingEntry {
    /// Whether it works on `topology`.
    pub fn suits(&self, topology: &Topology) -> bool {
        self.build.needs.met_by(topology)
    }
}

/// What a method needs of a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: works everywhere.
    Nothing,
    /// Integer coordinates.
    Lattice,
    /// A hierarchy of units, or coordinates to cut blocks from.
    Levels,
}

impl Needs {
    /// Whether `topology` has it.
    pub fn met_by(self, topology: &Topology) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Lattice => topology.lattice().is_some(),
            Needs::Levels => {
                !topology.network().levels().is_empty() || topology.lattice().is_some()
            }
        }
    }
}

/// Every family of orderings.
pub static ORDERINGS: Registry<Method> = Registry::new(
    "ordering",
    "",
    &[
        linear::ROW_MAJOR,
        helical::HELICAL,
        linear::SNAKE,
        interleave::MORTON,
        interleave::GRAY,
        hilbert::HILBERT,
        gilbert::GILBERT,
        brick::BRICK,
        hierarchical::HIERARCHICAL,
        traversal::BFS,
        traversal::DFS,
        traversal::RCM,
        spectral::SPECTRAL,
        traversal::NEAREST,
        random::RANDOM,
        ilp::ILP,
        optimise::OPTIMISE,
    ],
);

/// A sequence of distinct schedulable nodes of one topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOrder {
    label: String,
    nodes: Vec<NodeId>,
    /// How it was found, a line each, for its file's header.
    notes: Vec<String>,
}

impl NodeOrder {
    /// Accepts `nodes` as an ordering called `label`. Nodes left out are not schedulable under it.
    ///
    /// # Errors
    /// An unknown, unschedulable or repeated node.
    ///
    /// # Examples
    /// ```
    /// use nodeorder::{NodeId, NodeOrder, Topology};
    /// let ring = Topology::inline("torus:4", &Default::default())?;
    /// let order = NodeOrder::new(&ring, "mine", vec![NodeId(2), NodeId(0)])?;
    /// assert_eq!(order.nodes()[0], NodeId(2));
    /// assert!(NodeOrder::new(&ring, "twice", vec![NodeId(2), NodeId(2)]).is_err());
    /// # Ok::<(), nodeorder::Error>(())
    /// ```
    pub fn new(topology: &Topology, label: impl Into<String>, nodes: Vec<NodeId>) -> Result<Self> {
        let label = label.into();
        let mut check = Check::new(topology);
        for node in &nodes {
            check.add(*node, || SourceLocation::option(&label))?;
        }
        Ok(NodeOrder { label, nodes, notes: Vec::new() })
    }

    /// Makes the ordering that `text` asks for: a method's name with options, or an ordering file.
    ///
    /// # Errors
    /// An unknown name, bad options, a method that does not suit the topology, a bad file.
    ///
    /// # Examples
    /// ```
    /// use nodeorder::{NodeOrder, Topology};
    /// let mesh = Topology::inline("mesh:2x3", &Default::default())?;
    /// let order = NodeOrder::make(&mesh, "snake")?;
    /// let ids: Vec<u32> = order.nodes().iter().map(|n| n.0).collect();
    /// assert_eq!(ids, [0, 1, 2, 5, 4, 3]);
    /// # Ok::<(), nodeorder::Error>(())
    /// ```
    pub fn make(topology: &Topology, text: &str) -> Result<Self> {
        Ok(NodeOrder::make_with(topology, text, &NoObserver)?.0)
    }

    /// As [`NodeOrder::make`], with an observer: searches (`ilp`, `optimise`) ask it for the time and whether to
    /// stop, report progress to it, and also return how good their result is.
    ///
    /// # Errors
    /// As [`NodeOrder::make`].
    pub fn make_with(
        topology: &Topology,
        text: &str,
        observer: &dyn Observer,
    ) -> Result<(Self, Option<SearchResult>)> {
        topology.require("an ordering", NodeOrder::memory(topology))?;
        let Some(entry) = ORDERINGS.get(text) else {
            return Ok((NodeOrder::from_file(topology, text)?, None));
        };
        let params = ORDERINGS.params(entry, text, topology.context().seed)?;
        if !entry.suits(topology) {
            return Err(unsuited(topology, entry, &params));
        }
        match entry.build.make {
            Make::Direct(order) => {
                let nodes = order(topology, &params)?;
                params.finish()?;
                Ok((NodeOrder::new(topology, text, nodes)?, None))
            }
            Make::Search(search) => {
                let outcome = search(topology, &params, observer)?;
                let mut order = NodeOrder::new(topology, text, outcome.nodes.clone())?;
                order.notes.clone_from(&outcome.notes);
                Ok((order, Some(outcome)))
            }
        }
    }

    /// Bytes that making an ordering of `topology` takes at least: the nodes, their cells and which are there already.
    pub fn memory(topology: &Topology) -> u64 {
        8 * topology.node_count() as u64 + u64::from(topology.nodes().slot_count()) / 8
    }

    fn from_file(topology: &Topology, path: &str) -> Result<Self> {
        if !Path::new(path).exists() && path != "-" {
            return Err(ORDERINGS.neither(path, "an ordering file"));
        }
        NodeOrder::read(topology, &Text::read(Path::new(path), topology.context().memory)?)
    }

    /// Reads an ordering file: one node id a line, `#` comments, blank lines ignored.
    ///
    /// # Errors
    /// A malformed, unknown, unschedulable or repeated id, with its line; a file without ids.
    pub fn read(topology: &Topology, text: &Text) -> Result<Self> {
        let nodes = file::read(topology, text)?;
        Ok(NodeOrder { label: text.name().to_string(), nodes, notes: Vec::new() })
    }

    /// The file's text: a header of comments (tool version, topology, ordering, node count), then one id
    /// a line.
    pub fn to_file(&self, topology: &Topology) -> String {
        let mut text = Vec::new();
        // Writing to memory cannot fail, and all of it is text.
        let _ = self.write_to(topology, false, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Writes the file's text, with `names` a node's name in the place of its id.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_to(
        &self,
        topology: &Topology,
        names: bool,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        file::write(topology, self, names, out)
    }

    /// How it was found, where a search found it: lines for a file's header.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What the user called it.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The nodes in rank order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// The names of the methods that suit a topology.
pub fn suitable(topology: &Topology) -> Vec<&'static str> {
    ORDERINGS.iter().filter(|entry| entry.suits(topology)).map(|entry| entry.name).collect()
}

fn unsuited(topology: &Topology, entry: &OrderingEntry, params: &Params) -> Error {
    let lacks = match entry.build.needs {
        Needs::Levels => "no hierarchy of groups, chassis or leaf switches",
        _ => "no coordinates",
    };
    params.unsuited(
        format!("{} has {lacks}, which `{}` needs", topology.name(), entry.name),
        format!("what works here: {}", suitable(topology).join(", ")),
    )
}

/// Accepts node ids one by one, refusing what no ordering may hold.
pub(crate) struct Check<'a> {
    topology: &'a Topology,
    seen: FixedBitSet,
}

impl<'a> Check<'a> {
    pub(crate) fn new(topology: &'a Topology) -> Self {
        let slots = topology.nodes().slot_count() as usize;
        Check { topology, seen: FixedBitSet::with_capacity(slots) }
    }

    pub(crate) fn add(
        &mut self,
        node: NodeId,
        location: impl Fn() -> SourceLocation,
    ) -> Result<()> {
        self.topology.check_node(node, &location)?;
        if self.seen.put(node.index()) {
            return Err(Error::input(location(), format!("node {node} again"), "each node once"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{error, topology};
    use super::*;
    use proptest::prelude::*;

    /// A permutation of exactly the schedulable nodes; those of a router consecutive, except where the entry says
    /// otherwise.
    fn check(spec: &str, by: &str) {
        let topology = topology(spec);
        let order =
            NodeOrder::make(&topology, by).unwrap_or_else(|e| panic!("{by} on {spec}: {e}"));
        let mut sorted = order.nodes().to_vec();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(topology.nodes().iter()), "{by} on {spec}");
        let entry = ORDERINGS.get(by).unwrap();
        if entry.build.keeps_routers || by.contains("unit=router") {
            let routers: Vec<u32> =
                order.nodes().iter().map(|n| topology.router_of(*n).0).collect();
            let mut stretches: Vec<u32> = routers.chunk_by(|a, b| a == b).map(|c| c[0]).collect();
            let count = stretches.len();
            stretches.sort_unstable();
            stretches.dedup();
            assert_eq!(stretches.len(), count, "{by} on {spec} parts a router");
        }
        assert_eq!(order, NodeOrder::make(&topology, by).unwrap());
    }

    fn check_all(spec: &str) {
        let machine = topology(spec);
        for method in ORDERINGS.iter().filter(|entry| entry.suits(&machine)) {
            let axes = machine.lattice().map_or(0, |l| l.extents.len());
            let wide = machine.lattice().is_some_and(|l| {
                l.extents.iter().filter(|n| **n > 1).count() > 3 || l.extents.len() > 10
            });
            let back: String = (0..axes).rev().map(|d| d.to_string()).collect();
            let turned = format!("{}:axes={back},reverse=0", method.name);
            match method.name {
                "gilbert" if wide => {
                    assert!(error(spec, "gilbert").contains("at most three"));
                }
                "hierarchical" if machine.network().levels().is_empty() => {
                    let block = vec!["2"; axes].join("x");
                    check(spec, &format!("hierarchical:block={block}"));
                    check(spec, &format!("hierarchical:block={block},scatter=true,axes={back}"));
                }
                "hierarchical" => {
                    check(spec, "hierarchical");
                    check(spec, "hierarchical:scatter=true");
                }
                "brick" => {
                    check(spec, "brick");
                    check(spec, "brick:inner=gray,outer=hilbert,reverse=0");
                    check(spec, &format!("brick:inner=row,outer=row,axes={back}"));
                }
                "ilp" => {}
                "optimise" => {
                    check(spec, "optimise:steps=40,weights=harmonic,window=8");
                    check(spec, "optimise:steps=40,window=5,ring=true");
                }
                "random" => {
                    check(spec, "random");
                    check(spec, "random:unit=router,seed=3");
                }
                _ => {
                    check(spec, method.name);
                    if method.build.needs == Needs::Lattice {
                        check(spec, &turned);
                    }
                }
            }
        }
    }

    #[test]
    fn every_method_orders_every_node_once() {
        for spec in [
            "mesh:8x8x5",
            "torus:1",
            "torus:2x1x2",
            "torus:5x4x3,per_router=2,limit=111,exclude=0-2+17+40-47",
            "grid:6x5x4,wrap=101,per_router=3,exclude=0-119",
            "mesh:3x2x4x2,exclude=5",
            "mesh:1x1x1x1x1x1x1x1x1x1",
            "cascade:4x3x2,per_router=2,limit=40,exclude=0-5",
            "cascade:4x3x2,global=single",
        ] {
            check_all(spec);
        }
    }

    #[test]
    fn examples_work_somewhere() {
        for method in &ORDERINGS {
            let spec = match method.build.needs {
                Needs::Levels => "cascade:16x6x8,per_router=4",
                _ if method.name == "ilp" => "torus:4x4",
                _ => "torus:6x4x4",
            };
            check(spec, method.example);
        }
    }

    #[test]
    fn families_ask_for_what_they_declare() {
        crate::registry::testing::check(&ORDERINGS, |entry, params| {
            let machine = topology(match entry.build.needs {
                Needs::Levels => "cascade:16x6x8,per_router=4",
                _ if entry.name == "ilp" => "torus:4x4",
                _ => "torus:6x4x4",
            });
            match entry.build.make {
                Make::Direct(order) => order(&machine, params).map(|_| ()),
                Make::Search(search) => search(&machine, params, &NoObserver).map(|_| ()),
            }
        });
    }

    #[test]
    fn more_axes_than_any_array_holds_are_no_problem() {
        let ones = vec!["1"; 40].join("x");
        check(&format!("mesh:{ones}x3"), "snake");
        check(&format!("mesh:{ones}x3"), "morton");
        check(&format!("mesh:{ones}x3"), "brick");
        check(&format!("mesh:{ones}x300"), "gilbert");
        assert!(error(&format!("mesh:{ones}x300"), "hilbert").contains("more than 128 bits"));
    }

    proptest! {
        // Searches are among them: a few machines are many seconds.
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_method_orders_any_grid(
            dims in prop::collection::vec(1u32..6, 1..5),
            per_router in 1u32..3,
            torus in any::<bool>(),
        ) {
            let x: Vec<String> = dims.iter().map(u32::to_string).collect();
            let kind = if torus { "torus" } else { "mesh" };
            check_all(&format!("{kind}:{},per_router={per_router}", x.join("x")));
        }
    }
}

//! Orderings: sequences of distinct schedulable nodes; a node's rank is its position.
//!
//! Each family is one file with an [`OrderingEntry`]; [`ORDERINGS`] is the table that names them all.
//! A family takes a topology and its options and returns node ids, nothing else. [`NodeOrder`] accepts
//! only what is a valid ordering of its topology.

use std::path::Path;

use nodeorder_base::error::{Error, Result};
use nodeorder_base::input::Text;
use nodeorder_base::params::Params;
use nodeorder_base::registry::Registry;
use nodeorder_network::topology::Topology;

use entry::{Make, Work};
pub use entry::{Method, Needs, OrderingEntry};
pub use node_order::NodeOrder;
pub use nodeorder_base::observer::{NoObserver, Observer};
pub use optimise::SearchResult;

pub mod axes;
mod brick;
mod coverage;
pub mod defaults;
mod entry;
mod file;
mod gilbert;
mod helical;
mod hierarchical;
mod hilbert;
pub mod ilp;
mod interleave;
mod kit;
mod linear;
mod node_order;
pub mod optimise;
mod random;
mod spectral;
#[cfg(test)]
mod testing;
mod traversal;

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

impl NodeOrder {
    /// Makes the ordering that `text` asks for: a method's name with options, or an ordering file.
    ///
    /// # Errors
    /// An unknown name, bad options, a method that does not suit the topology, a bad file.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_order::ordering::NodeOrder;
    /// use nodeorder_network::topology::Topology;
    /// let mesh = Topology::inline("mesh:2x3", &Default::default())?;
    /// let order = NodeOrder::make(&mesh, "snake")?;
    /// let ids: Vec<u32> = order.nodes().iter().map(|n| n.0).collect();
    /// assert_eq!(ids, [0, 1, 2, 5, 4, 3]);
    /// # Ok::<(), nodeorder_base::error::Error>(())
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
        let Some((entry, params)) = read(topology, text)? else {
            return Ok((NodeOrder::from_file(topology, text)?, None));
        };
        match entry.parse.make {
            Make::Direct(order) => {
                let nodes = checked(order(topology, &params), &params)?()?;
                Ok((NodeOrder::new(topology, text, nodes)?, None))
            }
            Make::Search(search) => {
                let outcome = checked(search(topology, &params, observer), &params)?()?;
                let mut order = NodeOrder::new(topology, text, outcome.nodes.clone())?;
                order.notes.clone_from(&outcome.notes);
                Ok((order, Some(outcome)))
            }
        }
    }

    /// Checks the ordering that `text` asks for as [`NodeOrder::make`] would, without working it out: its options; a
    /// file is read, and its ordering returned. Errors: as [`NodeOrder::make`], as far as options and files show them.
    pub fn check(topology: &Topology, text: &str) -> Result<Option<Self>> {
        let Some((entry, params)) = read(topology, text)? else {
            return NodeOrder::from_file(topology, text).map(Some);
        };
        match entry.parse.make {
            Make::Direct(order) => checked(order(topology, &params), &params).map(|_| None),
            Make::Search(search) => {
                checked(search(topology, &params, &NoObserver), &params).map(|_| None)
            }
        }
    }

    fn from_file(topology: &Topology, path: &str) -> Result<Self> {
        if !Path::new(path).exists() && path != "-" {
            return Err(ORDERINGS.neither(path, "an ordering file"));
        }
        NodeOrder::read(
            topology,
            &Text::read(Path::new(path), topology.context().memory)?,
        )
    }
}

/// The method that `text` names, which suits the topology, and its options; none where `text` is no method's.
fn read(topology: &Topology, text: &str) -> Result<Option<(&'static OrderingEntry, Params)>> {
    let Some(entry) = ORDERINGS.get(text) else {
        return Ok(None);
    };
    let params = ORDERINGS.params(entry, text, topology.context().seed)?;
    match entry.parse.suits(topology) {
        true => Ok(Some((entry, params))),
        false => Err(unsuited(topology, entry, &params)),
    }
}

/// The work that is left, where no option is unknown: that is said before anything takes time.
fn checked<T>(work: Result<T>, params: &Params) -> Result<T> {
    let work = work?;
    params.finish()?;
    Ok(work)
}

/// The names of the methods that suit a topology.
pub fn suitable(topology: &Topology) -> Vec<&'static str> {
    ORDERINGS
        .iter()
        .filter(|entry| entry.parse.suits(topology))
        .map(|entry| entry.name)
        .collect()
}

fn unsuited(topology: &Topology, entry: &OrderingEntry, params: &Params) -> Error {
    let lacks = match entry.parse.needs {
        Needs::Levels => "no hierarchy of groups, chassis or leaf switches",
        _ => "no coordinates",
    };
    params.unsuited(
        format!(
            "{} has {lacks}, which `{}` needs",
            topology.name(),
            entry.name
        ),
        format!("what works here: {}", suitable(topology).join(", ")),
    )
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
        assert!(
            sorted.into_iter().eq(topology.nodes().iter()),
            "{by} on {spec}"
        );
        let entry = ORDERINGS.get(by).unwrap();
        if entry.parse.keeps_routers || by.contains("unit=router") {
            let routers: Vec<u32> = order
                .nodes()
                .iter()
                .map(|n| topology.router_of(*n).0)
                .collect();
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
        for method in ORDERINGS.iter().filter(|entry| entry.parse.suits(&machine)) {
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
                    check(
                        spec,
                        &format!("hierarchical:block={block},scatter=true,axes={back}"),
                    );
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
                    if method.parse.needs == Needs::Lattice {
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

    /// A machine for the example of an ordering.
    fn suiting(entry: &OrderingEntry) -> &'static str {
        match entry.parse.needs {
            Needs::Levels => "cascade:16x6x8,per_router=4",
            _ if entry.name == "ilp" => "torus:4x4",
            _ => "torus:6x4x4",
        }
    }

    #[test]
    fn examples_work_somewhere() {
        for method in &ORDERINGS {
            check(suiting(method), method.example);
        }
    }

    #[test]
    fn families_ask_for_what_they_declare() {
        nodeorder_base::registry::testing::check(&ORDERINGS, |entry, params| {
            let machine = topology(suiting(entry));
            match entry.parse.make {
                Make::Direct(order) => order(&machine, params)?().map(|_| ()),
                Make::Search(search) => search(&machine, params, &NoObserver)?().map(|_| ()),
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

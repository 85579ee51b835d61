//! Orders by walking the router graph: breadth first, depth first, reverse Cuthill-McKee, nearest
//! neighbour.
//!
//! All walk every router, also switches and routers whose nodes are not schedulable; those add no nodes to the order.

use crate::ordering::entry::{Method, Needs, OrderNodes, OrderedNodes, OrderingEntry};
use nodeorder_base::{NodeId, Observer, Opt, Params, Result, RouterId};
use nodeorder_network::topology::graph::UNREACHED;
use nodeorder_network::{RouterGraph, Topology};

/// `bfs[:start=NODE]`: breadth first from the router of NODE (default: the lowest schedulable node's),
/// neighbours by ascending id. O(routers + links).
pub const BFS: OrderingEntry = OrderingEntry {
    name: "bfs",
    about: "breadth-first search of the router graph",
    example: "bfs:start=0",
    options: &[START],
    parse: Method::new(Needs::Nothing, |topology, params| {
        parse_walk(topology, params, |walk, _, graph| {
            walk_breadth_first(graph, walk.start, |router, next| {
                next.extend(graph.neighbours(RouterId(router)));
            })
        })
    }),
};

/// `dfs[:start=NODE]`: depth first from the router of NODE (default: the lowest schedulable node's),
/// neighbours by ascending id; routers in the order in which they are first met. O(routers + links), without
/// recursion.
pub const DFS: OrderingEntry = OrderingEntry {
    name: "dfs",
    about: "depth-first search of the router graph",
    example: "dfs:start=0",
    options: &[START],
    parse: Method::new(Needs::Nothing, |topology, params| {
        parse_walk(topology, params, |walk, _, graph| {
            walk_depth_first(graph, walk.start)
        })
    }),
};

/// `rcm[:start=NODE]`: reverse Cuthill-McKee, which keeps linked routers close in rank (small bandwidth).
///
/// Breadth first, neighbours by ascending degree, then id; the whole reversed, so that the start comes
/// last. Default start: of three routers the one whose order has the smallest bandwidth, the first of equals. They are
/// a pseudo-peripheral one, found from the lowest schedulable node's router by going to a router of least degree (then
/// least id) among the farthest as long as that is farther from its own farthest; the one before it on that way; and
/// the first of least degree, where SciPy starts. From the two ends of a long mesh, ids lead along its short or its
/// long side first. O(routers + links · log degree), and one search a step of the choice of the start.
///
/// # References
/// Cuthill, McKee 1969, <https://doi.org/10.1145/800195.805928>; reversed: George 1971; start: George, Liu
/// 1979, <https://doi.org/10.1145/355841.355845>; the third start: scipy.sparse.csgraph, `reverse_cuthill_mckee`.
pub const RCM: OrderingEntry = OrderingEntry::new(
    "rcm",
    "reverse Cuthill-McKee: breadth first by degree from a peripheral router, reversed",
    &[START.default_in_words("a router at the edge of the machine")],
    Method::new(Needs::Nothing, |topology, params| {
        parse_walk(topology, params, reverse_cuthill_mckee)
    }),
);

/// `nearest[:start=NODE]`: from the router of NODE (default: the lowest schedulable node's) always on to
/// the nearest router, by hops, that still has nodes to give; of several the lowest id.
///
/// # Complexity
/// One search a step, which ends at the first ring with a candidate: about O(routers · degree) as long as
/// candidates are near, O(routers · links) at worst.
///
/// # Limits
/// Greedy: it leaves islands behind and comes back for them in long steps at the end.
pub const NEAREST: OrderingEntry = OrderingEntry {
    name: "nearest",
    about: "greedy: always on to the nearest router that has nodes left",
    example: "nearest:start=0",
    options: &[START],
    parse: Method::new(Needs::Nothing, |topology, params| {
        parse_walk(topology, params, |walk, topology, graph| {
            walk_to_nearest(topology, graph, walk.start)
        })
    }),
};

/// Option for the node at which a traversal begins.
pub(super) const START: Opt =
    Opt::whole("start", "node to start from").default_in_words("the lowest schedulable node");

/// Walk of the router graph.
struct Walk {
    /// Router that the walk starts from.
    start: u32,
    /// Whether the user named that router.
    is_chosen: bool,
    visit: ListRouters,
}

/// Function that returns the routers in the order in which a walk visits them.
type ListRouters = fn(&Walk, &Topology, &RouterGraph) -> Vec<u32>;

/// Reads the start of a walk.
fn parse_walk(
    topology: &Topology,
    params: &Params,
    visit: ListRouters,
) -> Result<Box<dyn OrderNodes>> {
    Ok(Box::new(Walk {
        start: parse_start(topology, params)?,
        is_chosen: params.has_key("start"),
        visit,
    }))
}

impl OrderNodes for Walk {
    fn order_nodes(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let routers = (self.visit)(self, topology, topology.joined_graph()?);
        Ok(OrderedNodes::Constructed(list_nodes(topology, routers)))
    }
}

/// Reads `start=NODE` and returns the node's router, by default that of the lowest schedulable node.
pub(super) fn parse_start(topology: &Topology, params: &Params) -> Result<u32> {
    let nodes = topology.nodes();
    let node = match params
        .optional_integer("start", 0, nodes.slot_count() - 1)?
        .map(NodeId)
    {
        Some(node) if !nodes.contains(node) => {
            return Err(
                params.invalid_value("start", "a schedulable node, which limit and exclude leave")
            );
        }
        Some(node) => node,
        // A machine has at least one.
        None => nodes.iter().next().unwrap_or(NodeId(0)),
    };
    Ok(topology.router_of(node).0)
}

/// Lists the schedulable nodes of the routers in turn.
pub(super) fn list_nodes(topology: &Topology, routers: Vec<u32>) -> Vec<NodeId> {
    routers
        .into_iter()
        .flat_map(|r| topology.nodes_of(RouterId(r)))
        .collect()
}

/// Lists the routers in breadth-first order. `near` lists a router's neighbours in the order in which they are
/// visited. Routers out of reach start a search of their own, the lowest first.
fn walk_breadth_first(
    graph: &RouterGraph,
    start: u32,
    near: impl Fn(u32, &mut Vec<u32>),
) -> Vec<u32> {
    let routers = graph.router_count();
    let mut met = vec![false; routers];
    let mut queue = Vec::with_capacity(routers);
    let mut next = Vec::new();
    for root in std::iter::once(start).chain(0..routers as u32) {
        if std::mem::replace(&mut met[root as usize], true) {
            continue;
        }
        let mut head = queue.len();
        queue.push(root);
        while let Some(&router) = queue.get(head) {
            head += 1;
            near(router, &mut next);
            let unmet = next
                .drain(..)
                .filter(|v| !std::mem::replace(&mut met[*v as usize], true));
            queue.extend(unmet);
        }
    }
    queue
}

/// Lists the routers in depth-first order; those out of reach start a search of their own.
fn walk_depth_first(graph: &RouterGraph, start: u32) -> Vec<u32> {
    let routers = graph.router_count();
    let mut met = vec![false; routers];
    let mut order = Vec::with_capacity(routers);
    for root in std::iter::once(start).chain(0..routers as u32) {
        if std::mem::replace(&mut met[root as usize], true) {
            continue;
        }
        order.push(root);
        // The way from the root to here, each router with its neighbours not yet looked at.
        let mut way = vec![graph.neighbours(RouterId(root)).iter()];
        while let Some(neighbours) = way.last_mut() {
            match neighbours.next() {
                None => {
                    way.pop();
                }
                Some(&v) if !met[v as usize] => {
                    met[v as usize] = true;
                    order.push(v);
                    way.push(graph.neighbours(RouterId(v)).iter());
                }
                Some(_) => {}
            }
        }
    }
    order
}

/// Lists the routers in reverse Cuthill-McKee order.
fn reverse_cuthill_mckee(walk: &Walk, _: &Topology, graph: &RouterGraph) -> Vec<u32> {
    let mut roots = vec![walk.start];
    if !walk.is_chosen {
        roots = find_peripheral_routers(graph, walk.start).to_vec();
        let all = 0..graph.router_count() as u32;
        roots.extend(all.min_by_key(|v| graph.neighbours(RouterId(*v)).len()));
    }
    let orders = roots.into_iter().map(|root| {
        walk_breadth_first(graph, root, |router, next| {
            next.extend(graph.neighbours(RouterId(router)));
            // Stable, so that equal degrees stay in the order of ids.
            next.sort_by_key(|v| graph.neighbours(RouterId(*v)).len());
        })
    });
    let best = orders.min_by_key(|routers| measure_bandwidth(graph, routers));
    let mut routers = best.unwrap_or_default();
    routers.reverse();
    routers
}

/// Measures the bandwidth of an order of all routers: the largest difference of the places of two linked routers.
fn measure_bandwidth(graph: &RouterGraph, routers: &[u32]) -> u32 {
    let mut place = vec![0u32; routers.len()];
    for (i, router) in (0..).zip(routers) {
        place[*router as usize] = i;
    }
    let apart = graph
        .iter()
        .map(|(u, v, _)| place[u as usize].abs_diff(place[v as usize]));
    apart.max().unwrap_or(0)
}

/// Finds two routers that are about as far apart as the diameter.
fn find_peripheral_routers(graph: &RouterGraph, start: u32) -> [u32; 2] {
    let mut hops = vec![UNREACHED; graph.router_count()];
    let mut queue = Vec::new();
    let mut root = start;
    let mut before = start;
    let mut height = None;
    loop {
        graph.fill_hops(RouterId(root), &mut hops, &mut queue);
        // The search ends with the farthest routers.
        let far = queue.last().map_or(0, |v| hops[*v as usize]);
        if height.is_some_and(|h| far <= h) {
            return [root, before];
        }
        height = Some(far);
        let last = queue.iter().rev().take_while(|v| hops[**v as usize] == far);
        let least = last.min_by_key(|v| (graph.neighbours(RouterId(**v)).len(), **v));
        before = root;
        root = least.copied().unwrap_or(root);
    }
}

/// Lists the routers with nodes, each the nearest one left to that before it.
fn walk_to_nearest(topology: &Topology, graph: &RouterGraph, start: u32) -> Vec<u32> {
    let mut waiting: Vec<bool> = topology
        .nodes_per_router()
        .into_iter()
        .map(|n| n > 0)
        .collect();
    let count = waiting.iter().filter(|w| **w).count();
    waiting.resize(graph.router_count(), false);
    // `seen` holds the number of the last search that met a router: nothing is cleared between searches.
    let mut seen = vec![u32::MAX; graph.router_count()];
    let mut ring = Vec::new();
    let mut next = Vec::new();
    let mut order = Vec::with_capacity(count);
    let mut here = start;
    for search in 0..count as u32 {
        ring.clear();
        ring.push(here);
        seen[here as usize] = search;
        here = loop {
            let mut left = ring.iter().copied().filter(|r| waiting[*r as usize]);
            // A ring of a table of distances is sorted by these.
            let nearest = if graph.is_distance_table() {
                left.next()
            } else {
                left.min()
            };
            if let Some(found) = nearest {
                break found;
            }
            list_next_ring(graph, &ring, search, &mut seen, &mut next);
            std::mem::swap(&mut ring, &mut next);
            if ring.is_empty() {
                // Out of reach: go on at the lowest router that has nodes left.
                break waiting.iter().position(|w| *w).unwrap_or(0) as u32;
            }
        };
        waiting[here as usize] = false;
        order.push(here);
    }
    order
}

/// Replaces `next` by the routers beside `ring` that search number `search` has not met yet.
pub(in crate::ordering) fn list_next_ring(
    graph: &RouterGraph,
    ring: &[u32],
    search: u32,
    seen: &mut [u32],
    next: &mut Vec<u32>,
) {
    next.clear();
    for router in ring {
        for v in graph.neighbours(RouterId(*router)) {
            if std::mem::replace(&mut seen[*v as usize], search) != search {
                next.push(*v);
            }
        }
    }
    if let [router] = ring
        && graph.is_distance_table()
    {
        // Whole numbers: the distances of a table.
        next.sort_by_cached_key(|v| {
            let link = graph.find_link(*router, *v);
            link.map(|link| graph.weight(link) as u32)
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{build, error, ids, steps};
    use nodeorder_base::RouterId;
    use proptest::prelude::*;

    #[test]
    fn small_orders_are_as_by_hand() {
        assert_eq!(ids("mesh:3x3", "bfs"), [0, 1, 3, 2, 4, 6, 5, 7, 8]);
        assert_eq!(ids("mesh:3x3", "bfs:start=4"), [4, 1, 3, 5, 7, 0, 2, 6, 8]);
        assert_eq!(ids("mesh:3x3", "dfs"), [0, 1, 2, 5, 4, 3, 6, 7, 8]);
        assert_eq!(ids("mesh:3x3", "nearest"), [0, 1, 2, 5, 4, 3, 6, 7, 8]);
        assert_eq!(
            ids("mesh:3x3", "nearest:start=8"),
            [8, 5, 2, 1, 0, 3, 4, 7, 6]
        );
        assert_eq!(ids("mesh:5", "nearest:start=2"), [2, 1, 0, 3, 4]);
    }

    #[test]
    fn rcm_has_the_bandwidth_of_a_long_mesh() {
        use super::{Topology, measure_bandwidth};
        // The short side, as SciPy's has; in a square both sides are as good.
        for (spec, short) in [
            ("mesh:20x7", 7),
            ("mesh:7x20", 7),
            ("mesh:9x9", 9),
            ("mesh:3x40", 3),
        ] {
            let machine = Topology::inline(spec, &Default::default()).unwrap();
            let order = ids(spec, "rcm");
            assert_eq!(
                measure_bandwidth(machine.graph().unwrap(), &order),
                short,
                "{spec}"
            );
        }
    }

    #[test]
    fn rcm_starts_at_the_rim_and_ends_there_reversed() {
        assert_eq!(ids("mesh:5", "rcm"), [0, 1, 2, 3, 4]);
        assert_eq!(ids("mesh:5", "rcm:start=0"), [4, 3, 2, 1, 0]);
        // The corner (2,0) is as far from (0,1) as it gets.
        assert_eq!(ids("mesh:3x2,per_router=2", "rcm:start=1").last(), Some(&1));
        // From 4, the middle, neighbours by degree: all 3, so by id.
        assert_eq!(ids("mesh:3x3", "rcm:start=4"), [8, 6, 2, 0, 7, 5, 3, 1, 4]);
    }

    #[test]
    fn bad_starts_are_refused() {
        for by in ["bfs", "dfs", "rcm", "nearest", "spectral"] {
            let spec = "torus:4x4,limit=10,exclude=3";
            assert!(error(spec, &format!("{by}:start=16")).contains("from 0 to 15"));
            for node in [3, 12] {
                let message = error(spec, &format!("{by}:start={node}"));
                assert!(message.contains("a schedulable node"), "{message}");
            }
            assert!(error(spec, &format!("{by}:strat=1")).contains("did you mean `start`"));
        }
    }

    #[test]
    fn long_paths_do_not_exhaust_the_stack() {
        assert_eq!(ids("mesh:200000", "dfs").len(), 200_000);
    }

    proptest! {
        #[test]
        fn rcm_is_no_wider_than_two_levels(w in 1u32..9, h in 1u32..9) {
            // On a grid the levels from a corner hold at most min(w, h) routers, and linked routers are
            // in neighbouring levels.
            let order = ids(&format!("mesh:{w}x{h}"), "rcm");
            let mut rank = vec![0usize; order.len()];
            order.iter().enumerate().for_each(|(r, n)| rank[*n as usize] = r);
            let topology = build(&format!("mesh:{w}x{h}"));
            let graph = topology.graph().unwrap();
            for u in 0..w * h {
                for v in graph.neighbours(RouterId(u)) {
                    let width = rank[u as usize].abs_diff(rank[*v as usize]);
                    prop_assert!(width < 2 * w.min(h) as usize);
                }
            }
        }

        #[test]
        fn nearest_takes_the_lowest_of_the_nearest(w in 1u32..6, h in 1u32..6, from in 0u32..25) {
            let spec = format!("torus:{w}x{h}");
            let start = from % (w * h);
            let order = ids(&spec, &format!("nearest:start={start}"));
            prop_assert_eq!(order[0], start);
            let topology = build(&spec);
            let far = |a: u32, b: u32| topology.distance(nodeorder_base::ids::NodeId(a), nodeorder_base::ids::NodeId(b));
            for i in 1..order.len() {
                let best = order[i..].iter().map(|v| (far(order[i - 1], *v), *v)).min();
                prop_assert_eq!(best.map(|b| b.1), Some(order[i]));
            }
            prop_assert_eq!(steps(&spec, "dfs").len() + 1, order.len());
        }
    }
}

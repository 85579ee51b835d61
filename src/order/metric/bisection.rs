//! Bisection: how few links join two halves of a machine's nodes.
//!
//! A cut puts every router on one of two sides; what counts is the capacity of the links between the sides. On a mesh
//! of 4x4 routers with a node each, the two upper rows against the two lower ones cut 4 links, and no two halves of 8
//! nodes are joined by fewer: its bisection is 4.
//!
//! - The nodes of a router stay together, and in multi-rail networks those of a unit, since each is on, or passes
//!   traffic to, all leaf switches of the unit.
//! - Sides are halves where their numbers of schedulable nodes differ by no more than the fullest router holds.
//! - Routers without schedulable nodes are on the side where they cost least. Links of nodes do not count.
//!
//! Where a formula or a proved floor meets a cut (`topology::bisection`), that is the bisection,
//! exactly. Elsewhere the best cut that is found is stated, as an upper bound: orders of the routers (by id, along
//! every axis, by hops, spectral) are cut in the middle and improved router by router, and the search starts again
//! from the best of them and from orders drawn at random, as often as a second or so allows ([`super::halving`]). The
//! draws are always the same.
//!
//! # References
//! Fiduccia, Mattheyses, "A linear-time heuristic for improving network partitions", DAC 1982, here with heaps in
//! the place of buckets; Fiedler vectors as a start: Pothen, Simon, Liou, "Partitioning sparse matrices with
//! eigenvectors of graphs", SIAM J. Matrix Anal. Appl. 11(3), 1990.

use rayon::prelude::*;

use super::halving::{BalanceRule, HalvingSearch};
use crate::ordering::NodeOrder;
use nodeorder_base::random::{seed_generator, shuffle};
use nodeorder_base::{Result, RouterId};
use nodeorder_network::{RouterGraph, Topology};

/// Largest number of links of a machine whose cuts are searched.
const MOST_LINKS: u64 = 2_000_000;
/// Number of searches that start again from their best cut, each from an order of its own.
const CHAINS: u64 = 8;
/// Number of directed links that all further starts together look at.
const RESTARTED_LINKS: u64 = 4_000_000;
/// Most further starts of each chain for each router.
const ROUNDS_PER_ROUTER: u64 = 6;
/// Largest number of routers for which a search starts from a Fiedler vector, too.
const MOST_SPECTRAL: u32 = 20_000;

/// The best cut into halves that is known, and a floor under all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Bisection {
    /// Links of the best cut; a link of capacity c counts c.
    cut: f64,
    /// Whether no cut has fewer links.
    pub exact: bool,
    /// Proved floor: no cut has fewer links; none where nothing is proved.
    pub at_least: Option<u64>,
    /// Name of the method that found the cut.
    pub method: &'static str,
}

impl Bisection {
    /// Counts the links of the cut; a link of capacity c counts c.
    pub fn cut_links(&self) -> f64 {
        self.cut
    }

    /// Counts the links of the cut; `None` if the weight is no whole number, or too large for an `f64` to hold exactly.
    pub fn whole_links(&self) -> Option<u64> {
        let is_whole = self.cut.fract() == 0.0 && self.cut <= (1u64 << 53) as f64;
        is_whole.then_some(self.cut as u64)
    }
}

/// Finds the bisection of a machine; `None` if the machine is in several components, or so large that only a formula
/// would do and there is none.
///
/// # Errors
/// More memory than allowed for the counts of a machine with holes.
///
/// # Complexity
/// O(1) where a formula is exact; else O(links · log links) for each pass of each start.
pub fn bisection(topology: &Topology) -> Result<Option<Bisection>> {
    // Components may be parted without a cut.
    if topology.component_count() > 1 {
        return Ok(None);
    }
    let network = topology.network();
    // Routers that a server's GPUs are dealt over stay together, as one place.
    let per_place = network.per_router() * network.dealt_over();
    let nodes = topology.node_count() as u64;
    let full = topology.nodes().is_full();
    let mut counts = None;
    // Counts of a full machine, all equal, are made only if a search needs them.
    if !full {
        let bytes = 12 * u64::from(network.hosts());
        topology.require_memory("counting the nodes of every router", bytes)?;
        counts = Some(nodes_per_place(topology));
    }
    let rule = match &counts {
        None => BalanceRule::for_equal_routers(nodes, per_place),
        Some(counts) => BalanceRule::new(counts),
    };
    let bounds = network.cut_bounds();
    let floor = bounds
        .as_ref()
        .map(|bounds| bounds.fewest_links(nodes, rule.least, per_place));
    let mut closed = None;
    if let Some(bounds) = bounds.filter(|_| full)
        && let Some(cut) = bounds.cut
    {
        closed = Some(Bisection {
            cut: cut as f64,
            exact: bounds.least || Some(cut) == floor,
            at_least: if bounds.least { Some(cut) } else { floor },
            method: "closed form",
        });
    }
    if closed.as_ref().is_some_and(|c| c.exact) || network.link_count() > MOST_LINKS {
        return Ok(closed);
    }
    let Ok(graph) = topology.bisection_graph() else {
        return Ok(closed);
    };
    let counts = counts.unwrap_or_else(|| nodes_per_place(topology));
    let search = HalvingSearch::new(graph, counts, rule);
    // The first method in the list wins a tie, whichever thread is the fastest.
    let starts = list_starts(topology, graph);
    let improved = starts
        .par_iter()
        .map(|(order, method)| (search.improve_middle(order), *method));
    let mut improved: Vec<(u64, usize)> = improved.collect();
    let mut ranked: Vec<usize> = (0..improved.len()).collect();
    ranked.sort_by_key(|start| improved[*start]);
    let least = ranked
        .first()
        .map(|start| search.units.capacity_of(improved[*start].0));
    let is_proved = least == Some(0.0) || floor.is_some_and(|floor| least == Some(floor as f64));
    let rounds = (RESTARTED_LINKS / CHAINS / (graph.len() as u64).max(1))
        .min(ROUNDS_PER_ROUTER * graph.router_count() as u64);
    if !is_proved && rounds > 0 {
        // Half of the chains start from the best cuts, the others from orders drawn at random.
        let chains = (0..CHAINS).into_par_iter().map(|chain| {
            let mut random = seed_generator(chain);
            let mut order = starts[ranked[chain as usize / 2 % ranked.len()]].0.clone();
            if chain % 2 == 1 {
                shuffle(&mut order, &mut random);
            }
            (search.improve_again(&order, rounds, &mut random), RESTARTED)
        });
        improved.extend(chains.collect::<Vec<_>>());
    }
    let searched = improved.into_iter().min();
    let searched = searched.map(|(cut, method)| (search.units.capacity_of(cut), METHODS[method]));
    let known = closed.map(|c| (c.cut, "closed form"));
    let found = known.into_iter().chain(searched);
    let best = found.min_by(|(a, _), (b, _)| a.total_cmp(b));
    Ok(best.map(|(cut, method)| Bisection {
        cut,
        exact: floor.is_some_and(|floor| floor as f64 == cut) || cut == 0.0,
        at_least: floor,
        method,
    }))
}

/// Counts the schedulable nodes of each place: of each router, or of the routers that a server's GPUs are dealt over.
fn nodes_per_place(topology: &Topology) -> Vec<u32> {
    let counts = topology.nodes_per_router();
    counts
        .chunks(topology.network().dealt_over() as usize)
        .map(|c| c.iter().sum())
        .collect()
}

/// Line of [`METHODS`] of searches that start again.
const RESTARTED: usize = 4;

/// Names of the methods, by kind of start.
const METHODS: [&str; 5] = [
    "routers by id, Fiduccia-Mattheyses",
    "routers along an axis, Fiduccia-Mattheyses",
    "routers by hops, Fiduccia-Mattheyses",
    "spectral, Fiduccia-Mattheyses",
    "started again, Fiduccia-Mattheyses",
];

/// Largest number of places on a ring where halves begin.
const MOST_TURNS: usize = 16;

/// Lists orders of the node-carrying routers to cut in the middle, each with its line of [`METHODS`]: by id (0), along
/// each axis of a lattice (1), by hops from two routers far apart (2), spectral (3).
fn list_starts(topology: &Topology, graph: &RouterGraph) -> Vec<(Vec<u32>, usize)> {
    let network = topology.network();
    let ids: Vec<u32> = (0..network.hosts() / network.dealt_over()).collect();
    let mut starts = vec![(ids.clone(), 0)];
    if let Some(lattice) = topology.lattice().filter(|l| l.cells.is_none()) {
        let axes = lattice.extents.len();
        // Across the longest axis a cut is smallest; the others order the routers within a layer.
        let mut longest: Vec<usize> = (0..axes).collect();
        longest.sort_by_key(|axis| (std::cmp::Reverse(lattice.extents[*axis]), *axis));
        for first in 0..axes {
            let mut order = longest.clone();
            order.retain(|axis| *axis != first);
            order.insert(0, first);
            let mut x = vec![0; axes];
            let mut routers = ids.clone();
            routers.sort_by_cached_key(|router| {
                lattice.coordinates(*router, &mut x);
                order.iter().map(|axis| x[*axis]).collect::<Vec<u32>>()
            });
            // Around a ring, halves may begin anywhere: with holes not all have as many nodes.
            let extent = lattice.extents[first] as usize;
            let layer = routers.len() / extent.max(1);
            let mut turns = 1;
            if lattice.wrap[first] && !topology.nodes().is_full() {
                turns = extent.div_ceil(2).min(MOST_TURNS);
            }
            for turn in 1..turns {
                let mut turned = routers.clone();
                turned.rotate_left(turn * layer);
                starts.push((turned, 1));
            }
            starts.push((routers, 1));
        }
    }
    // By hops from router 0, and from a router that is farthest from it.
    let mut from = Some(0);
    for _ in 0..2 {
        if let Some(router) = from {
            let hops = graph.hops_from(RouterId(router));
            let mut routers = ids.clone();
            routers.sort_by_key(|router| hops[*router as usize]);
            from = routers.last().copied();
            starts.push((routers, 2));
        }
    }
    if network.routers() <= MOST_SPECTRAL
        && network.rails().is_none_or(|rails| rails.rails == 1)
        && let Ok(order) = NodeOrder::make(topology, "spectral")
    {
        let nodes = order.nodes().iter();
        let mut routers: Vec<u32> = nodes.map(|node| topology.router_of(*node).0).collect();
        routers.dedup();
        starts.push((routers, 3));
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::build;
    use proptest::prelude::*;

    fn found(spec: &str) -> Bisection {
        bisection(&build(spec)).unwrap().unwrap()
    }

    /// The fewest links over all balanced cuts, by trying every placing of every router.
    fn by_force(topology: &Topology) -> u64 {
        let graph = topology.graph().unwrap();
        let routers = graph.router_count();
        assert!(routers <= 20);
        let mut counts = topology.nodes_per_router();
        counts.resize(routers, 0);
        let nodes = topology.node_count() as i64;
        let slack = i64::from(*counts.iter().max().unwrap());
        let (mut side, mut here, mut cut, mut best) = (vec![false; routers], 0i64, 0i64, i64::MAX);
        // A Gray code: one router changes sides a step; the last stays, as the mirror image is the same.
        for step in 1u64..=1 << (routers - 1) {
            if (2 * here - nodes).abs() <= slack {
                best = best.min(cut);
            }
            let r = step.trailing_zeros() as usize;
            if r + 1 >= routers {
                break;
            }
            let id = RouterId(r as u32);
            for (other, capacity) in graph
                .neighbours(id)
                .iter()
                .zip(graph.neighbour_capacities(id))
            {
                let apart = side[*other as usize] != side[r];
                cut += if apart {
                    -(*capacity as i64)
                } else {
                    *capacity as i64
                };
            }
            side[r] = !side[r];
            here += if side[r] {
                i64::from(counts[r])
            } else {
                -i64::from(counts[r])
            };
        }
        best as u64
    }

    fn check(spec: &str) -> (Bisection, u64) {
        let topology = build(spec);
        let (found, least) = (bisection(&topology).unwrap().unwrap(), by_force(&topology));
        let links = found.whole_links().unwrap();
        assert!(links >= least, "{spec}: {found:?}, by force {least}");
        assert!(
            found.at_least.is_none_or(|floor| floor <= least),
            "{spec}: {found:?} {least}"
        );
        assert!(
            !found.exact || links == least,
            "{spec}: {found:?}, by force {least}"
        );
        (found, least)
    }

    #[test]
    fn the_least_of_all_cuts_is_found_on_small_machines() {
        for spec in [
            "mesh:4x4",
            "mesh:3x3",
            "mesh:5x3",
            "mesh:7x2",
            "mesh:3x3x2",
            "torus:4x4",
            "torus:3x3",
            "torus:5x3",
            "torus:4x2,double=true",
            "torus:4x2x2,per_router=3",
            "grid:4x3,wrap=01",
            "grid:5x3,wrap=10",
            "hyperx:3x3,per_router=2",
            "hyperx:4x3",
            "hyperx:5x3",
            "cascade:2x3x3,per_router=2",
            "cascade:2x3x3,per_router=2,global=single",
            "dragonfly:p=2,a=4,h=1,g=4",
            "dragonfly:p=1,a=2,h=1",
            "dragonfly:p=1,a=3,h=2,g=4,global=circulant",
            "fat-tree:k=2",
            "fat-tree:k=2,n=3",
            "fat-tree:k=3,n=2",
            "xgft:h=2,m=3x5,w=1x2",
            "xgft:h=3,m=2x3x3,w=1x1x2",
            "torus:4x4,limit=13",
            "mesh:4x4,per_router=3,limit=40",
            "fat-tree:k=4,limit=11",
            "fat-tree:k=2,n=3,exclude=3",
            "random-regular:n=16,d=3",
            "random-regular:n=14,d=5",
            "gnm:n=17,m=40",
            "watts-strogatz:n=18,k=4,p=0.2",
            "torus:1x1",
            "torus:1x1,per_router=4",
            "mesh:2",
        ] {
            let (found, least) = check(spec);
            assert_eq!(found.whole_links(), Some(least), "{spec}: {found:?}");
        }
    }

    /// Published figures: k^(d-1) links for even meshes, (k^d-1)/(k-1) for odd ones, twice that for tori, R/2 for
    /// hypercubes, half the nodes for fat trees of full bandwidth, c·g²/4 for dragonflies.
    #[test]
    fn exact_where_formulas_are() {
        for (spec, links) in [
            ("mesh:4x4x4", 16),
            ("mesh:5x5x5", 31),
            ("mesh:7x7x7", 57),
            ("mesh:8x3", 3),
            ("torus:8x8x8", 128),
            ("torus:5x5", 12),
            ("torus:15x6x16,per_router=2", 2 * 15 * 6),
            ("grid:8x5,wrap=01", 5),
            ("hyperx:2x2x2x2x2", 16),
            ("hyperx:8x8,per_router=8", 128),
            ("hyperx:8x8x8,per_router=8", 8 * 8 * 16),
            ("cascade:16x6x8,per_router=4", 9 * 128),
            ("fat-tree:k=16", 512),
            ("fat-tree:k=4,n=3", 32),
            ("fat-tree:k=3,n=3", 3 * 4),
            ("xgft:h=3,m=4x4x8,w=1x2x2", 4 * 4),
            ("dragonfly:p=1,a=8,h=2,g=16", 64),
            ("dragonfly:p=2,a=4,h=0,g=1", 4),
            ("torus:1290x1290x1290", 2 * 1290 * 1290),
        ] {
            let found = found(spec);
            assert_eq!(
                (found.whole_links(), found.exact),
                (Some(links), true),
                "{spec}"
            );
            assert_eq!(
                (found.at_least, found.method),
                (Some(links), "closed form"),
                "{spec}"
            );
        }
    }

    #[test]
    fn a_balanced_dragonfly_is_bracketed() {
        let found = found("dragonfly:p=4,a=8,h=4");
        // 33 groups: 16 on either side and one parted along its cables, 16² + 4² links.
        assert_eq!(found.whole_links(), Some(16 * 16 + 4 * 4), "{found:?}");
        assert!(found.at_least.unwrap() >= 260 && !found.exact);
        // An even number of groups: the local links are a little busier.
        let even = super::bisection(&build("dragonfly:p=6,a=12,h=6,g=70"))
            .unwrap()
            .unwrap();
        assert_eq!(even.whole_links(), Some(35 * 35));
        assert!((1200..=1225).contains(&even.at_least.unwrap()), "{even:?}");
    }

    #[test]
    fn holes_leave_a_proved_floor() {
        let found = found("fat-tree:nodes=250");
        let (links, floor) = (found.whole_links().unwrap(), found.at_least.unwrap());
        assert!(floor <= links && links <= 130 && floor >= 120, "{found:?}");
    }

    #[test]
    fn capacities_count() {
        // Two cables between any two of four routers: all to all, twice.
        let (found, least) = check("dragonfly:p=1,a=1,h=6,g=4");
        assert_eq!(
            (found.whole_links(), found.exact, least),
            (Some(8), true, 8)
        );
        check("dragonfly:p=1,a=2,h=4,g=3");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.csv");
        std::fs::write(&path, "u,v,capacity\n0,1,0.5\n1,2,0.25\n2,3,3\n3,0,1\n").unwrap();
        let halves = self::found(&format!("graph:{}", path.display()));
        assert_eq!((halves.cut_links(), halves.whole_links()), (1.25, None));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn never_below_what_trying_all_finds(
            dims in prop::collection::vec(1u32..6, 1..4), kind in 0usize..4, per in 1u32..4, keep in 0.3f64..1.0,
        ) {
            let extents: Vec<String> = dims.iter().map(u32::to_string).collect();
            let routers: u32 = dims.iter().product();
            prop_assume!(routers <= 16);
            let kind = ["mesh", "torus", "hyperx", "grid"][kind];
            let wrap: String = (0..dims.len()).map(|i| if i % 2 == 0 { '1' } else { '0' }).collect();
            let wrap = if kind == "grid" { format!(",wrap={wrap}") } else { String::new() };
            let limit = ((f64::from(routers * per) * keep) as u32).max(1);
            let whole = format!("{kind}:{}{wrap},per_router={per}", extents.join("x"));
            check(&whole);
            check(&format!("{whole},limit={limit}"));
        }

        #[test]
        fn trees_and_random_graphs_too(
            m in prop::collection::vec(1u32..4, 2..4), w in prop::collection::vec(1u32..3, 3), n in 5u32..17,
            seed in 0u64..50,
        ) {
            let w: Vec<u32> = std::iter::once(1).chain(w).take(m.len()).collect();
            let by_x = |list: &[u32]| list.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
            let tree = format!("xgft:m={},w={}", by_x(&m), by_x(&w));
            if build(&tree).network().routers() <= 16 {
                check(&tree);
            }
            check(&format!("random-regular:n={},d=4,seed={seed}", n.max(6)));
        }
    }
}

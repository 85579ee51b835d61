//! Optimised orderings against exhaustive search, published values and each other.

use std::collections::BTreeSet;
use std::fmt::Write;

use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::ordering::{NoObserver, Observer, SearchResult};

/// A graph on n nodes: bit `a·n + b` for an edge a < b.
type Graph = u64;

fn edges(n: usize, graph: Graph) -> impl Iterator<Item = (usize, usize)> {
    (0..n)
        .flat_map(move |a| (a + 1..n).map(move |b| (a, b)))
        .filter(move |(a, b)| graph >> (a * n + b) & 1 == 1)
}

/// The least code over all relabellings that list nodes by descending degree.
fn canonical(n: usize, graph: Graph) -> Graph {
    let mut adjacent = vec![vec![false; n]; n];
    for (a, b) in edges(n, graph) {
        adjacent[a][b] = true;
        adjacent[b][a] = true;
    }
    let degree: Vec<usize> = adjacent
        .iter()
        .map(|row| row.iter().filter(|x| **x).count())
        .collect();
    let mut slots = degree.clone();
    slots.sort_unstable_by(|a, b| b.cmp(a));
    let mut least = Graph::MAX;
    place(&adjacent, &degree, &slots, &mut Vec::new(), &mut least);
    least
}

fn place(
    adjacent: &[Vec<bool>],
    degree: &[usize],
    slots: &[usize],
    chosen: &mut Vec<usize>,
    least: &mut Graph,
) {
    let n = degree.len();
    if chosen.len() == n {
        let mut code = 0;
        for a in 0..n {
            for b in a + 1..n {
                code |= u64::from(adjacent[chosen[a]][chosen[b]]) << (a * n + b);
            }
        }
        *least = code.min(*least);
        return;
    }
    for v in 0..n {
        if degree[v] == slots[chosen.len()] && !chosen.contains(&v) {
            chosen.push(v);
            place(adjacent, degree, slots, chosen, least);
            chosen.pop();
        }
    }
}

/// Every connected graph on n nodes, up to isomorphism: each has a node whose removal leaves it connected.
fn connected(n: usize) -> BTreeSet<Graph> {
    if n == 1 {
        return BTreeSet::from([0]);
    }
    let mut all = BTreeSet::new();
    for smaller in connected(n - 1) {
        let base = edges(n - 1, smaller).fold(0, |g, (a, b)| g | 1 << (a * n + b));
        for neighbours in 1u64..1 << (n - 1) {
            let new = (0..n - 1).filter(|a| neighbours >> a & 1 == 1);
            all.insert(canonical(
                n,
                new.fold(base, |g, a| g | 1 << (a * n + n - 1)),
            ));
        }
    }
    all
}

/// The graph as a machine.
fn machine(folder: &std::path::Path, n: usize, graph: Graph) -> Topology {
    let mut text = String::new();
    edges(n, graph).for_each(|(a, b)| writeln!(text, "{a},{b}").unwrap());
    let path = folder.join("graph.csv");
    std::fs::write(&path, text).unwrap();
    Topology::inline(&format!("graph:{}", path.display()), &Default::default()).unwrap()
}

/// The least objective over all orders, by trying them: `weight[a][b]` of ranks a < b.
fn by_trying(distance: &[Vec<f64>], weight: &[Vec<f64>]) -> f64 {
    fn go(
        distance: &[Vec<f64>],
        weight: &[Vec<f64>],
        order: &mut Vec<usize>,
        cost: f64,
        least: &mut f64,
    ) {
        let n = distance.len();
        if order.len() == n {
            *least = least.min(cost);
            return;
        }
        for v in 0..n {
            if !order.contains(&v) {
                let b = order.len();
                let more: f64 = (0..b).map(|a| weight[a][b] * distance[order[a]][v]).sum();
                order.push(v);
                go(distance, weight, order, cost + more, least);
                order.pop();
            }
        }
    }
    let mut least = f64::INFINITY;
    go(distance, weight, &mut Vec::new(), 0.0, &mut least);
    least
}

fn distances(topology: &Topology) -> Vec<Vec<f64>> {
    let nodes: Vec<_> = topology.nodes().iter().collect();
    let row = |a| {
        nodes
            .iter()
            .map(|b| f64::from(topology.distance(a, *b)))
            .collect()
    };
    nodes.iter().map(|a| row(*a)).collect()
}

fn weights(n: usize, window: usize, ring: bool, of: impl Fn(usize) -> f64) -> Vec<Vec<f64>> {
    let lag = |a: usize, b: usize| {
        let k = if ring {
            (b - a).min(n - (b - a))
        } else {
            b - a
        };
        if k <= window { of(k) } else { 0.0 }
    };
    (0..n)
        .map(|a| {
            (0..n)
                .map(|b| if a < b { lag(a, b) } else { 0.0 })
                .collect()
        })
        .collect()
}

fn geometric(k: usize) -> f64 {
    0.5f64.powi(k as i32 - 1)
}

fn search(topology: &Topology, by: &str) -> SearchResult {
    let (order, outcome) = NodeOrder::make_observed(topology, by, &NoObserver).unwrap();
    let outcome = outcome.unwrap();
    assert_eq!(order.nodes(), outcome.nodes);
    outcome
}

/// What the outcome says of its order is true, and it is the least there is.
fn check(topology: &Topology, by: &str, weight: &[Vec<f64>], solver: &str) {
    let outcome = search(topology, by);
    let distance = distances(topology);
    let mut value = 0.0;
    for (b, y) in outcome.nodes.iter().enumerate() {
        for (a, x) in outcome.nodes[..b].iter().enumerate() {
            value += weight[a][b] * distance[x.index()][y.index()];
        }
    }
    let least = by_trying(&distance, weight);
    assert!(
        (outcome.objective - value).abs() < 1e-9,
        "{by}: {} is {value}",
        outcome.objective
    );
    assert!(
        (value - least).abs() < 1e-9,
        "{by} on {}: {value}, not {least}",
        topology.spec()
    );
    assert!(outcome.optimal && outcome.gap == 0.0 && outcome.lower_bound == outcome.objective);
    assert!(outcome.solver.contains(solver), "{by}: {}", outcome.solver);
}

#[test]
fn there_are_as_many_connected_graphs_as_is_known() {
    // Sequence A001349 of the On-Line Encyclopedia of Integer Sequences.
    for (n, count) in [(2, 1), (3, 2), (4, 6), (5, 21), (6, 112)] {
        assert_eq!(connected(n).len(), count);
    }
}

#[test]
fn the_dynamic_program_is_right_on_every_connected_graph_of_up_to_seven_nodes() {
    let folder = tempfile::tempdir().unwrap();
    for n in 3..=7 {
        let graphs = connected(n);
        assert!(n < 7 || graphs.len() == 853);
        for (i, graph) in graphs.into_iter().enumerate() {
            let topology = machine(folder.path(), n, graph);
            let window = 1 + i % (n - 1);
            let by = format!("ilp:solver=dp,weights=geometric,window={window}");
            check(
                &topology,
                &by,
                &weights(n, window, false, geometric),
                "dynamic",
            );
            if n < 7 {
                let by = format!("ilp:solver=dp,weights=harmonic,window={window},ring=true");
                check(
                    &topology,
                    &by,
                    &weights(n, window, true, |k| 1.0 / k as f64),
                    "dynamic",
                );
            }
        }
    }
}

#[test]
fn the_integer_program_is_right_on_every_connected_graph_of_up_to_five_nodes() {
    integer_programs(5);
}

/// Long: minutes. `.ci/run` runs it.
#[test]
#[ignore = "minutes: integer programs on 143 graphs of up to six nodes and 50 of seven and eight"]
fn the_integer_program_is_right_on_larger_graphs() {
    integer_programs(6);
    let folder = tempfile::tempdir().unwrap();
    for seed in 1..=50 {
        let n = 7 + seed % 2;
        let spec = format!("gnm:n={n},m={},seed={seed}", n + seed % 4);
        let topology = Topology::inline(&spec, &Default::default()).unwrap();
        check(
            &topology,
            "ilp:solver=microlp,window=2",
            &weights(n, 2, false, geometric),
            "microlp",
        );
        check(
            &topology,
            "ilp:solver=dp,window=4",
            &weights(n, 4, false, geometric),
            "dynamic",
        );
    }
    drop(folder);
}

fn integer_programs(most: usize) {
    let folder = tempfile::tempdir().unwrap();
    for n in 3..=most {
        for (i, graph) in connected(n).into_iter().enumerate() {
            let topology = machine(folder.path(), n, graph);
            let window = 2 + i % 2;
            let by = format!("ilp:solver=microlp,window={window}");
            check(
                &topology,
                &by,
                &weights(n, window, false, geometric),
                "microlp",
            );
        }
    }
}

#[test]
fn the_exact_method_equals_trying_all_orders_on_eight_machines() {
    for spec in [
        "mesh:8",
        "torus:7",
        "mesh:2x4",
        "torus:2x4",
        "torus:2x2x2",
        "mesh:3x3",
        "random-regular:n=8,d=3,seed=1",
        "watts-strogatz:n=8,k=4,p=0.3,seed=2",
    ] {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let n = topology.node_count();
        check(&topology, "ilp", &weights(n, 16, false, geometric), "");
    }
}

/// An observer whose clock stands still until it was read some times, and then is past every limit.
struct Readings {
    left: std::sync::atomic::AtomicU32,
    stops: bool,
}

impl Readings {
    fn is_over(&self) -> bool {
        use std::sync::atomic::Ordering::Relaxed;
        self.left
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
            .is_err()
    }
}

impl Observer for Readings {
    fn elapsed_seconds(&self) -> Option<f64> {
        Some(if !self.stops && self.is_over() {
            1e9
        } else {
            0.0
        })
    }

    fn should_stop(&self) -> bool {
        self.stops && self.is_over()
    }
}

#[test]
fn integer_programs_that_are_ended_give_their_best_with_its_bound() {
    let topology = Topology::inline("torus:4x4", &Default::default()).unwrap();
    for (by, stops, name) in [
        ("ilp:solver=microlp", false, "time limit"),
        ("ilp:solver=microlp", true, "stopped"),
        (
            "ilp:weights=path,solver=microlp,start=random",
            false,
            "time limit",
        ),
        (
            "ilp:weights=path,solver=microlp,start=random",
            true,
            "stopped",
        ),
    ] {
        for left in [0u32, 20] {
            let left = left.into();
            let (order, found) =
                NodeOrder::make_observed(&topology, by, &Readings { left, stops }).unwrap();
            let found = found.unwrap();
            assert_eq!(order.len(), 16);
            assert!((0.0..=found.objective).contains(&found.lower_bound));
            // Some paths are proved before the clock was read as often.
            assert!(found.optimal || found.status.name() == name, "{by}");
            let said = order.notes().iter().any(|n| n.contains("another run"));
            assert_eq!(said, !found.optimal, "{by}");
        }
    }
}

#[test]
fn known_optima_are_found_and_proved() {
    for (spec, ring, value) in [
        ("mesh:3x3x3", false, 69.75),
        ("torus:3x3x3", false, 62.5),
        ("torus:5x5", false, 64.375),
        ("torus:4x6", false, 60.25),
        ("mesh:4x4", false, 39.25),
        ("mesh:2x2x2", false, 16.25),
        ("mesh:2x2x2", true, 21.0),
    ] {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        for method in ["ilp", "optimise"] {
            let by = format!("{method}:weights=geometric,window=4,ring={ring}");
            let outcome = search(&topology, &by);
            assert_eq!(outcome.objective, value, "{spec} {by}");
            assert!(
                outcome.optimal && outcome.lower_bound == value,
                "{spec} {by}"
            );
            // On the 4x6 torus a snake is as good as the bound: nothing is left to search.
            let by_bound = outcome.solver.ends_with(", which meets the bound");
            assert!(
                by_bound || outcome.solver == "dynamic program",
                "{}",
                outcome.solver
            );
        }
    }
}

/// The relaxation that remembers four elements tells 178.8, whatever the search finds.
#[test]
fn an_eight_by_eight_torus_comes_within_a_tenth_of_its_bound() {
    let topology = Topology::inline("torus:8x8", &Default::default()).unwrap();
    let outcome = search(
        &topology,
        "optimise:weights=geometric,window=16,steps=200000",
    );
    assert!(outcome.objective < 199.0, "{}", outcome.objective);
    assert!(outcome.lower_bound > 178.8, "{}", outcome.lower_bound);
    assert!(outcome.gap < 0.1 && !outcome.optimal, "{}", outcome.gap);
}

#[test]
fn hamiltonian_paths_are_found_and_proved_shortest() {
    for spec in ["torus:8x8", "torus:15x6x16"] {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let outcome = search(&topology, "ilp:weights=path");
        assert!(outcome.optimal);
        assert_eq!(outcome.objective, topology.node_count() as f64 - 1.0);
    }
    let cut = search(
        &Topology::inline("torus:8x8", &Default::default()).unwrap(),
        "ilp:weights=path,solver=microlp",
    );
    assert!(
        cut.optimal && cut.objective == 63.0 && cut.solver.contains("subtour"),
        "{}",
        cut.solver
    );
}

#[test]
fn bounds_lie_below_every_objective_and_a_number_of_steps_decides_the_result() {
    for (spec, by) in [
        ("torus:4x4", "optimise:window=6,steps=20000"),
        ("torus:8x8", "optimise:steps=40000"),
        (
            "torus:6x5,per_router=2",
            "optimise:weights=harmonic,window=9,steps=2000",
        ),
        (
            "torus:6x5,per_router=2,exclude=7",
            "optimise:window=9,steps=20000",
        ),
        (
            "mesh:5x4x3",
            "optimise:weights=workload,sizes=log-uniform,steps=20000",
        ),
        (
            "mesh:5x4x3",
            "optimise:weights=workload,sizes=log-uniform,ring=true,steps=20000",
        ),
        ("slim-fly:q=5", "optimise:ring=true,steps=20000"),
        (
            "torus:12x12x2",
            "optimise:ring=true,steps=20000,weights=harmonic",
        ),
        ("fat-tree:k=8", "optimise:steps=20000"),
        ("torus:6x6,per_router=2", "optimise:split=true,steps=20000"),
    ] {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let first = search(&topology, by);
        assert!(
            first.lower_bound <= first.objective && first.lower_bound > 0.0,
            "{spec} {by}"
        );
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let again = pool.install(|| search(&topology, by));
        assert_eq!(first.nodes, again.nodes, "{spec} {by}");
        let classic = search(&topology, &format!("{by},start=row-major"));
        assert!(first.lower_bound <= classic.objective + 1e-9, "{spec} {by}");
        let other = search(&topology, &format!("{by},seed=2"));
        assert!(first.lower_bound <= other.objective + 1e-9, "{spec} {by}");
    }
}

/// The snake is as good as what the search finds on this torus (searches from random orderings end within a
/// part in a thousand above it); all others are beaten.
#[test]
fn workload_orderings_are_no_worse_than_any_other() {
    let log_uniform = |spec: &str, others: &[(&str, f64)]| {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let by = "optimise:weights=workload,sizes=log-uniform,steps=200000";
        let found = search(&topology, by);
        let sizes = 2..=topology.node_count();
        let total: f64 = sizes.clone().map(|s| 1.0 / s as f64).sum();
        let mean = |order: &NodeOrder| {
            let curve = nodeorder_order::metric::mpc::curve(&topology, order).unwrap();
            sizes.clone().map(|s| curve.mpc(s) / s as f64).sum::<f64>() / total
        };
        let ours = mean(&NodeOrder::new(&topology, "found", found.nodes.clone()).unwrap());
        assert!((ours - found.objective).abs() < 1e-9, "{spec}");
        for (other, ahead) in others {
            let theirs = mean(&NodeOrder::make(&topology, other).unwrap());
            assert!(
                ours <= theirs - ahead + 1e-9,
                "{spec}: {ours}, {other} {theirs}"
            );
        }
    };
    let torus = [
        ("snake", 0.0),
        ("gilbert", 0.05),
        ("hilbert", 0.1),
        ("brick", 0.1),
    ];
    log_uniform("torus:6x6x4", &torus);
    let graph = [
        ("bfs", 0.05),
        ("rcm", 0.05),
        ("spectral", 0.05),
        ("nearest", 0.05),
        ("dfs", 0.05),
    ];
    log_uniform("random-regular:n=96,d=4,seed=3", &graph);
}

/// The files in `orderings/`: each orders its machine; those for sizes of every octave are worth what their headers
/// say, and better than any ordering that `compare` would show.
#[test]
fn kept_orderings_fit_their_machines() {
    let folder = crate::root().join("orderings");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "txt") {
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let header = |key: &str| {
            text.lines()
                .find_map(|l| l.strip_prefix(&format!("# {key}: ")))
        };
        let name = header("topology")
            .and_then(|t| t.split(' ').next())
            .unwrap();
        let topology = nodeorder_network::catalog::topology(name, &Default::default()).unwrap();
        let kept = NodeOrder::make(&topology, path.to_str().unwrap()).unwrap();
        assert_eq!(kept.len(), topology.node_count(), "{name}");
        if header("sizes") != Some("log-uniform") {
            continue;
        }
        let shares = nodeorder_trace::Sizes::log_uniform()
            .shares_up_to(kept.len() as u32)
            .unwrap();
        let value = |order: &NodeOrder| {
            let curve = nodeorder_order::metric::mpc::curve(&topology, order).unwrap();
            nodeorder_jobs::replay::prediction::weighted_mpc(&curve, &shares)
        };
        let objective: f64 = header("objective")
            .and_then(|t| t.split(',').next())
            .unwrap()
            .parse()
            .unwrap();
        assert!((value(&kept) - objective).abs() < 1e-9, "{}", value(&kept));
        for other in nodeorder_order::ordering::defaults::default_orderings(&topology) {
            let other = NodeOrder::make(&topology, &other).unwrap();
            assert!(value(&other) > objective, "{name}: {}", other.label());
        }
    }
    assert!(files >= 12, "{files}");
}

/// Long: half an hour or more. `ordering` in a file's header is its recipe.
#[test]
#[ignore = "half an hour: every search behind `orderings/` anew"]
fn kept_orderings_are_made_again_by_their_recipes() {
    for entry in std::fs::read_dir(crate::root().join("orderings")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "txt") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let header = |key: &str| {
            let mut lines = text.lines();
            lines.find_map(|l| l.strip_prefix(&format!("# {key}: ")))
        };
        let name = header("topology")
            .and_then(|t| t.split(' ').next())
            .unwrap();
        let recipe = header("ordering").unwrap();
        assert!(!recipe.contains("time="), "{name}: {recipe}");
        let topology = nodeorder_network::catalog::topology(name, &Default::default()).unwrap();
        let (made, found) = NodeOrder::make_observed(&topology, recipe, &NoObserver).unwrap();
        let kept: Vec<u32> = text.lines().filter_map(|l| l.parse().ok()).collect();
        assert!(
            made.nodes().iter().map(|node| node.0).eq(kept),
            "{name}: {recipe}"
        );
        // The bound that the header states is the one that is proved today.
        let notes = found.map_or_else(Vec::new, |found| found.notes);
        for note in notes.iter().filter(|note| note.starts_with("objective: ")) {
            assert!(text.contains(&format!("# {note}\n")), "{name}: {note}");
        }
    }
}

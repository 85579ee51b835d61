//! Exact curves against the definition, method against method, one thread against several.

use nodeorder_base::NodeId;
use nodeorder_network::{Context, Metric, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::mpc::{self, Curve, SumMethod};
use proptest::prelude::*;

/// T(S) by the definition: all windows, all pairs, distances by search on the router graph.
fn totals_by_definition(topology: &Topology, order: &NodeOrder) -> Vec<u128> {
    let graph = topology.graph().unwrap();
    let hops: Vec<Vec<u32>> = order
        .nodes()
        .iter()
        .map(|a| {
            let all = graph.hops_from(topology.router_of(*a));
            order
                .nodes()
                .iter()
                .map(|b| all[topology.router_of(*b).index()])
                .collect()
        })
        .collect();
    let n = order.len();
    let window = |start: usize, size: usize| -> u128 {
        let inside = start..start + size;
        inside
            .clone()
            .map(|i| {
                (i + 1..start + size)
                    .map(|j| u128::from(hops[i][j]))
                    .sum::<u128>()
            })
            .sum()
    };
    (0..=n)
        .map(|size| {
            if size < 2 {
                0
            } else {
                (0..=n - size).map(|a| window(a, size)).sum()
            }
        })
        .collect()
}

fn totals(curve: &Curve) -> Vec<u128> {
    (0..=curve.node_count())
        .map(|s| curve.window_total(s))
        .collect()
}

fn build(spec: &str) -> Topology {
    Topology::inline(spec, &Context::default()).unwrap()
}

/// A seeded shuffle of the schedulable nodes, some left out.
fn shuffled(topology: &Topology, seed: u64, leave_out: usize) -> NodeOrder {
    let mut nodes: Vec<NodeId> = topology.nodes().iter().collect();
    let mut state = seed | 1;
    for i in (1..nodes.len()).rev() {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        nodes.swap(i, (state >> 33) as usize % (i + 1));
    }
    nodes.truncate((nodes.len() - leave_out.min(nodes.len() - 2)).max(2));
    NodeOrder::new(topology, "shuffled", nodes).unwrap()
}

fn small_spec() -> impl Strategy<Value = String> {
    let dims = prop::collection::vec(1u32..7, 1..4).prop_map(|dims| {
        dims.iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join("x")
    });
    let grid = (
        prop_oneof![Just("mesh"), Just("torus"), Just("hyperx")],
        dims,
    )
        .prop_map(|(kind, dims)| format!("{kind}:{dims}"));
    let cascade = (1u32..4, 1u32..4, 1u32..4, any::<bool>()).prop_map(|(b, c, g, single)| {
        format!(
            "cascade:{b}x{c}x{g}{}",
            if single { ",global=single" } else { "" }
        )
    });
    let tree = (2u32..4, 1u32..4).prop_map(|(k, n)| format!("fat-tree:k={k},n={n}"));
    let xgft =
        (1u32..4, 1u32..4, 1u32..4).prop_map(|(a, b, c)| format!("xgft:h=3,m={a}x{b}x{c},w=1x2x1"));
    let dragonfly =
        (1u32..3, 2u32..5, 1u32..3).prop_map(|(p, a, h)| format!("dragonfly:p={p},a={a},h={h}"));
    let graph = (8u32..40, 1u64..9)
        .prop_map(|(n, seed)| format!("random-regular:n={},d=3,seed={seed}", 2 * n));
    let world = (10u32..60, 1u64..9)
        .prop_map(|(n, seed)| format!("watts-strogatz:n={n},k=4,p=0.2,seed={seed}"));
    let dense =
        (16u32..40, 1u64..9).prop_map(|(n, seed)| format!("gnm:n={n},m={},seed={seed}", 5 * n));
    let slim = (prop_oneof![Just(3), Just(4), Just(5)], 1u32..3)
        .prop_map(|(q, per)| format!("slim-fly:q={q},per_router={per}"));
    let plus = (1u32..3, [1u32..4, 1u32..4, 1u32..3])
        .prop_map(|(p, [l, s, h])| format!("dragonfly+:p={p},l={l},s={s},h={h}"));
    let polar = prop_oneof![
        Just("fly:q=2"),
        Just("fly:q=5"),
        Just("star:q=2,d=0"),
        Just("star:q=2,d=3")
    ]
    .prop_map(|rest| format!("polar{rest}"));
    let tpu = prop_oneof![
        Just("2x2x4"),
        Just("4x4x8,twisted=true"),
        Just("4x8x4,twisted=true")
    ]
    .prop_map(|shape| format!("tpu:{shape}"));
    let rails = ([1u32..4, 1u32..4, 1u32..4, 1u32..4], any::<bool>(), 0u32..3, 1u32..3).prop_map(
        |([rails, domain, domains, units], gpus, nvlink, more)| {
            format!(
                "multi-rail:rails={rails},domain={domain},domains={domains},units={units},spines=1,gpus={gpus},\
                 nvlink={nvlink},fabric={}",
                nvlink + more
            )
        },
    );
    let several = (prop_oneof![grid, cascade], 1u32..4)
        .prop_map(|(spec, per)| format!("{spec},per_router={per}"));
    prop_oneof![
        3 => several,
        1 => tree,
        1 => xgft,
        1 => dragonfly,
        1 => graph,
        1 => world,
        1 => dense,
        1 => slim,
        1 => plus,
        1 => polar,
        1 => tpu,
        2 => rails,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn every_method_equals_the_definition(spec in small_spec(), seed in any::<u64>(), out in 0usize..9) {
        let topology = build(&spec);
        prop_assume!((2..=150).contains(&topology.node_count()));
        let order = shuffled(&topology, seed, out);
        let definition = totals_by_definition(&topology, &order);
        for method in [SumMethod::Auto, SumMethod::Pairs, SumMethod::Transform] {
            match mpc::curve_by(&topology, &order, method) {
                Ok(curve) => prop_assert_eq!(&totals(&curve), &definition, "{:?}", method),
                Err(_) => prop_assert_eq!(method, SumMethod::Transform),
            }
        }
        let n = order.len();
        let sizes = [2, n, 2.max(n / 2), 2.max(n / 3)];
        let curve = mpc::curve(&topology, &order).unwrap();
        for method in [SumMethod::Auto, SumMethod::Pairs] {
            for (size, value) in mpc::at_sizes(&topology, &order, &sizes, method).unwrap() {
                prop_assert_eq!(value, curve.mpc(size));
            }
        }
    }
}

/// Lags beyond a lane block, flushes, batches of sources, padding: sizes where the fast paths have seams.
#[test]
fn fast_methods_equal_the_definition_at_the_sizes_of_their_seams() {
    for spec in [
        "torus:7x6x7,per_router=2,limit=511",
        "mesh:3x5x53",
        "grid:30x30,wrap=10,exclude=3-40+77",
        "mesh:300x2",
        "torus:521",
        "torus:600",
        "hyperx:9x8x10",
        "cascade:16x6x8,limit=700,global=single",
        "fat-tree:k=12",
        "xgft:h=3,m=5x12x11,w=1x2x2",
        "dragonfly:p=2,a=8,h=4",
        "random-regular:n=1030,d=4,seed=3",
        "watts-strogatz:n=1500,k=2,p=0.002,seed=5",
        // Too wide for counts of hops in bytes.
        "watts-strogatz:n=600,k=2,p=0",
        "mesh:520x2",
        "torus:3x514,limit=1200",
    ] {
        let topology = build(spec);
        let order = shuffled(&topology, 42, 5);
        let plain = plain_totals(&topology, &order);
        // Single sizes take lags up to these only.
        let (sizes, curve) = ([2, order.len() / 3], mpc::curve(&topology, &order).unwrap());
        for (size, value) in mpc::at_sizes(&topology, &order, &sizes, SumMethod::Auto).unwrap() {
            assert_eq!(value, curve.mpc(size), "{spec} {size}");
        }
        for method in [SumMethod::Auto, SumMethod::Pairs, SumMethod::Transform] {
            let searched = matches!(topology.metric(), Metric::Hops);
            match mpc::curve_by(&topology, &order, method) {
                Ok(curve) => assert!(totals(&curve) == plain, "{spec} {method:?}"),
                // Only searched distances are no sum of cuts.
                Err(error) => {
                    assert!(
                        searched && method == SumMethod::Transform,
                        "{spec} {method:?}: {error}"
                    )
                }
            }
        }
    }
}

/// T(S) by adding each pair's distance at its places in the slope array, searches one by one.
fn plain_totals(topology: &Topology, order: &NodeOrder) -> Vec<u128> {
    let graph = topology.graph().unwrap();
    let n = order.len();
    let mut slope = vec![0i128; n + 2];
    for (i, a) in order.nodes().iter().enumerate() {
        let hops = graph.hops_from(topology.router_of(*a));
        for (j, b) in order.nodes().iter().enumerate().skip(i + 1) {
            let d = i128::from(hops[topology.router_of(*b).index()]);
            slope[j - i] += d;
            slope[j + 1] -= d;
            slope[n - i] -= d;
        }
    }
    let (mut running, mut total) = (0, 0);
    (0..=n)
        .map(|s| {
            let here = total;
            running += slope[s];
            total += running;
            here as u128
        })
        .collect()
}

#[test]
fn the_number_of_threads_changes_no_result() {
    for spec in [
        "torus:13x9x8",
        "random-regular:n=1200,d=5,seed=2",
        "xgft:h=3,m=8x8x16,w=1x4x4",
    ] {
        let topology = build(spec);
        let order = shuffled(&topology, 7, 0);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                (
                    mpc::curve(&topology, &order).unwrap(),
                    topology.statistics().unwrap(),
                )
            })
        };
        let (one, many) = (with(1), with(3));
        assert_eq!(one.0, many.0, "{spec}");
        assert_eq!(
            one.1.mean_distance.to_bits(),
            many.1.mean_distance.to_bits(),
            "{spec}"
        );
    }
}

#[test]
fn pairs_equal_transform_on_64000_nodes() {
    let topology = build("torus:40x40x40");
    let order = shuffled(&topology, 11, 17);
    let pairs = mpc::curve_by(&topology, &order, SumMethod::Pairs).unwrap();
    let transform = mpc::curve_by(&topology, &order, SumMethod::Transform).unwrap();
    assert!(pairs == transform);
    // All sizes end at the mean over the whole set: recomputed from the machine's own statistics.
    let full = NodeOrder::make(&topology, "snake").unwrap();
    let curve = mpc::curve(&topology, &full).unwrap();
    assert_eq!(
        curve.mpc(64_000),
        topology.statistics().unwrap().mean_distance
    );
    assert_eq!(curve.mpc(2), 1.0);
}

#[test]
fn a_million_nodes_have_the_values_known_in_closed_form() {
    let topology = build("torus:100x100x100");
    let order = NodeOrder::make(&topology, "row-major").unwrap();
    let at = mpc::at_sizes(&topology, &order, &[2, 64, 1_000_000], SumMethod::Auto).unwrap();
    let (nodes, size) = (1_000_000, 64);
    // Of the steps between ranks 990,000 stay in a row, 9,900 lead to the next row, 99 to the next plane.
    let steps = (990_000 + 2 * 9_900 + 3 * 99) as f64 / 999_999.0;
    // 25 hops an axis on average, the node itself included.
    let all = 75.0 * 1e6 / 999_999.0;
    // Every pair of ranks below 64 apart, as often as a window holds both.
    let hops = |a: i64, b: i64| {
        let axis = |a: i64, b: i64| (a - b).rem_euclid(100).min((b - a).rem_euclid(100));
        axis(a / 10_000, b / 10_000) + axis(a / 100 % 100, b / 100 % 100) + axis(a % 100, b % 100)
    };
    let mut total = 0;
    for lag in 1..size {
        for a in 0..nodes - lag {
            let windows = a.min(nodes - size) - (a + lag + 1 - size).max(0) + 1;
            total += windows * hops(a, a + lag);
        }
    }
    let windows = total as f64 / ((nodes - size + 1) * (size * (size - 1) / 2)) as f64;
    assert_eq!(at, [(2, steps), (64, windows), (1_000_000, all)]);
}

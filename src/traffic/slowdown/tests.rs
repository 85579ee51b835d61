//! Slowdowns against the plain definition: every pair, every link.

use super::*;
use crate::mapping::guest::make_sized_guest;
use crate::mapping::routing::Route;
use crate::mapping::{Contention, Fabric, FixedRouting, Guest};
use crate::throughput::windows::build_window_traffic;
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use proptest::prelude::*;
use std::collections::BTreeSet;

const OVER_ROUTERS: &str = "valiant:over=routers";

/// Lists the messages of a guest.
fn list_messages(guest: &Guest) -> Vec<(usize, usize, f64)> {
    let mut list = Vec::new();
    guest.for_each_message(|m| list.push((m.source as usize, m.target as usize, m.volume)));
    list
}

/// Lists the links and shares from every router to every other, at `from · routers + to`; of `valiant:over=routers` for
/// every router between by itself.
fn list_routes(fabric: &Fabric<'_>, routing: FixedRouting) -> Vec<Route> {
    let routers = fabric.links.router_count() as u32;
    let mut pairs = Vec::new();
    for from in 0..routers {
        pairs.extend((0..routers).map(|to| (from, to)));
    }
    if routing.name() != OVER_ROUTERS {
        return routing.find_routes(fabric, &pairs).unwrap();
    }
    let direct = FixedRouting::choose_natural(fabric.topology).unwrap();
    let legs = list_routes(fabric, direct);
    let mut routes = Vec::new();
    for (from, to) in pairs {
        let mut route = Route::new();
        for middle in (0..routers).filter(|_| from != to) {
            for leg in [from * routers + middle, middle * routers + to] {
                let links = legs[leg as usize].iter();
                route.extend(links.map(|(link, share)| (*link, share / f64::from(routers))));
            }
        }
        routes.push(route);
    }
    routes
}

/// Mixes the loads of two routings by trying every share at which two links cross.
fn mix_by_trying(fabric: &Fabric<'_>, direct: &[f64], detours: &[f64]) -> Vec<f64> {
    let mixed = |share: f64| -> Vec<f64> {
        let pairs = direct.iter().zip(detours);
        pairs.map(|(a, b)| a + share * (b - a)).collect()
    };
    let most = |share: f64| {
        let loads = mixed(share);
        let over = loads.iter().enumerate();
        over.map(|(link, load)| load / fabric.links.capacity(link))
            .fold(0.0, f64::max)
    };
    let mut shares = vec![0.0, 1.0];
    let ends: BTreeSet<[u64; 2]> = (0..direct.len())
        .map(|link| {
            [direct[link], detours[link]].map(|load| (load / fabric.links.capacity(link)).to_bits())
        })
        .collect();
    let ends: Vec<[f64; 2]> = ends.into_iter().map(|e| e.map(f64::from_bits)).collect();
    for (i, a) in ends.iter().enumerate() {
        for b in &ends[..i] {
            let share = (b[0] - a[0]) / (a[1] - a[0] - b[1] + b[0]);
            if (0.0..=1.0).contains(&share) {
                shares.push(share);
            }
        }
    }
    let least = shares
        .iter()
        .map(|share| most(*share))
        .fold(f64::INFINITY, f64::min);
    let good = shares
        .into_iter()
        .filter(|share| most(*share) <= least * (1.0 + 1e-12));
    mixed(good.fold(1.0, f64::min))
}

/// Computes a point by the definition, with the loads of all links of each pair of nodes by itself.
fn point_by_definition(
    fabric: &Fabric<'_>,
    order: &NodeOrder,
    guest: &str,
    size: usize,
    options: &SlowdownOptions,
) -> Option<SlowdownPoint> {
    let machine = fabric.topology;
    let messages =
        list_messages(&make_sized_guest(guest, size as u32, &Context::default()).unwrap());
    let routings = if options.routing.name() == "ugal" {
        vec![
            FixedRouting::choose_natural(machine).unwrap(),
            FixedRouting::find_by_name(OVER_ROUTERS).unwrap(),
        ]
    } else {
        vec![options.routing]
    };
    let routes: Vec<Vec<Route>> = routings.iter().map(|r| list_routes(fabric, *r)).collect();
    let offsets: &[usize] = match options.tilings.tiling_count() {
        1 => &[0],
        2 => &[0, size / 2],
        _ => &[0, size / 2, size / 4, 3 * size / 4],
    };
    let mut windows = Vec::new();
    for offset in offsets {
        let mut tiling = Vec::new();
        let ranks = order.nodes().get(*offset..).unwrap_or(&[]);
        for nodes in ranks.chunks_exact(size) {
            let mut parts = vec![vec![0.0; fabric.links.len()]; routes.len()];
            let mut sent = vec![0.0; size];
            let mut received = vec![0.0; size];
            for (from, to, volume) in &messages {
                let link_of = |process: usize| machine.network().capacity_of_node(nodes[process]);
                sent[*from] += volume / link_of(*from);
                received[*to] += volume / link_of(*to);
                let ends = [*from, *to].map(|process| machine.router_of(nodes[process]).index());
                for (loads, routes) in parts.iter_mut().zip(&routes) {
                    for (link, share) in &routes[ends[0] * fabric.links.router_count() + ends[1]] {
                        loads[*link as usize] += share * volume;
                    }
                }
            }
            let loads = match &parts[..] {
                [direct, detours] => mix_by_trying(fabric, direct, detours),
                _ => parts.remove(0),
            };
            let time = sent.into_iter().chain(received).fold(0.0, f64::max);
            if time > 0.0 {
                tiling.push((loads, time));
            }
        }
        for (k, (loads, time)) in tiling.iter().enumerate() {
            let slowdown = |duty: f64| {
                let mut most = 1f64;
                for (link, own) in loads.iter().enumerate().filter(|(_, own)| **own > 0.0) {
                    let others = tiling.iter().enumerate().filter(|(m, _)| *m != k);
                    let others: f64 = others.map(|(_, (loads, _))| loads[link]).sum();
                    most = most.max((own + duty * others) / fabric.links.capacity(link) / time);
                }
                most
            };
            let steps = std::array::from_fn(|i| slowdown(i as f64 / 10.0));
            windows.push((
                [slowdown(0.0), slowdown(options.duty), slowdown(1.0)],
                steps,
            ));
        }
    }
    if windows.is_empty() {
        return None;
    }
    let mean = |i: usize| windows.iter().map(|w| w.0[i]).sum::<f64>() / windows.len() as f64;
    let mut mixed: Vec<f64> = windows.iter().map(|w| w.0[1]).collect();
    mixed.sort_by(f64::total_cmp);
    // The smallest value that at least nine of ten do not exceed.
    let enough = |value: &&f64| 10 * mixed.iter().filter(|m| m <= value).count() >= 9 * mixed.len();
    Some(SlowdownPoint {
        size,
        windows: windows.len() as u64,
        alone: mean(0),
        mixed: mean(1),
        all: mean(2),
        mixed_p90: *mixed.iter().find(enough).unwrap(),
        mixed_max: mixed[mixed.len() - 1],
        at_duties: std::array::from_fn(|i| {
            let steps = windows
                .iter()
                .map(|w: &([f64; 3], [f64; DUTY_STEPS])| w.1[i]);
            steps.sum::<f64>() / windows.len() as f64
        }),
    })
}

/// Checks that two points are the same but for rounding.
fn check_close(found: &SlowdownPoint, expected: &SlowdownPoint) {
    assert_eq!(
        (found.size, found.windows),
        (expected.size, expected.windows)
    );
    for (found, expected) in [
        (found.alone, expected.alone),
        (found.mixed, expected.mixed),
        (found.all, expected.all),
        (found.mixed_p90, expected.mixed_p90),
        (found.mixed_max, expected.mixed_max),
    ]
    .into_iter()
    .chain(found.at_duties.into_iter().zip(expected.at_duties))
    {
        assert!(
            (found - expected).abs() <= 1e-12 * expected,
            "{found} {expected}"
        );
    }
}

/// Machines of every family, with capacities, several nodes a router, holes and even and odd rings.
const MACHINES: [&str; 16] = [
    "torus:4x4",
    "torus:5x3x2,per_router=2",
    "torus:2x6x3",
    "mesh:7x3",
    "grid:4x5,wrap=10",
    "torus:4x4x2,limit=21",
    "hyperx:4x3,per_router=2",
    "cascade:3x2x4,per_router=2",
    "dragonfly:p=2,a=4,h=2",
    "fat-tree:k=4",
    "xgft:h=2,m=4x4,w=1x2",
    "random-regular:n=20,d=3,seed=1",
    "watts-strogatz:n=18,k=4,p=0.3,seed=2",
    "gnm:n=16,m=40,seed=3",
    "slim-fly:q=5",
    "torus:9",
];

const ROUTINGS_TRIED: [&str; 5] = [
    "dimension-order",
    "ecmp-hop",
    "ecmp-path",
    OVER_ROUTERS,
    "ugal",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn slowdowns_are_those_of_the_definition(
        machine in 0..MACHINES.len(),
        guest in 0..4usize,
        order in 0..3usize,
        size in 2..20usize,
        tilings in prop::sample::select(vec![1u32, 2, 4]),
        routing in prop::sample::select(ROUTINGS_TRIED.to_vec()),
        duty in 0.0..1.0f64,
    ) {
        let machine = Topology::inline(MACHINES[machine], &Context::default()).unwrap();
        let routing = FixedRouting::find_for_jobs(routing).unwrap();
        if routing.works_on(&machine) {
            let fabric = Fabric::new(&machine).unwrap();
            let order = NodeOrder::make(&machine, ["row-major", "random", "bfs"][order]).unwrap();
            let tilings = Tilings::new(tilings).unwrap();
            let options = SlowdownOptions { routing, duty, tilings };
            let guest = ["all-to-all", "ring", "stencil3d", "stencil2d"][guest];
            let slowdowns = Slowdowns::new(&fabric, options).unwrap();
            let curve = slowdowns.measure_curve(&order, guest, &[size]).unwrap();
            match point_by_definition(&fabric, &order, guest, size, &options) {
                Some(expected) => check_close(&curve.points[0], &expected),
                None => prop_assert!(curve.points.is_empty()),
            }
        }
    }
}

#[test]
fn a_ring_of_eight_is_as_counted_by_hand() {
    let machine = Topology::inline("torus:8", &Context::default()).unwrap();
    let fabric = Fabric::new(&machine).unwrap();
    let order = NodeOrder::make(&machine, "row-major").unwrap();
    let routing = FixedRouting::find_by_name("dimension-order").unwrap();
    let mut options = SlowdownOptions::new(routing);
    options.tilings = Tilings::new(1).unwrap();
    let slowdowns = Slowdowns::new(&fabric, options).unwrap();
    let curve = slowdowns
        .measure_curve(&order, "all-to-all", &[4, 8])
        .unwrap();
    // The link in the middle of four carries 2 · 2 messages where a node sends 3; no other window takes it.
    let four = curve.points[0];
    assert_eq!(
        (four.windows, four.alone, four.all),
        (2, 4.0 / 3.0, 4.0 / 3.0)
    );
    // Of eight, a link carries those of 1, 2 and 3 hops (1 + 2 + 3) and half of 4 at 4 hops: 8, where a node sends 7.
    assert!((curve.points[1].alone - 8.0 / 7.0).abs() < 1e-15);
    assert_eq!(
        curve.log_uniform_mean(|point| point.windows as f64),
        Some(1.5)
    );
}

/// With one tiling and all sending at once, the worst window tells what all windows carry together.
#[test]
fn the_worst_window_is_the_inverse_of_the_throughput() {
    let machine = Topology::inline("dragonfly:p=4,a=8,h=4", &Context::default()).unwrap();
    let fabric = Fabric::new(&machine).unwrap();
    let order = NodeOrder::make(&machine, "row-major").unwrap();
    let routing = FixedRouting::find_by_name("ecmp-hop").unwrap();
    let options = SlowdownOptions {
        routing,
        duty: 1.0,
        tilings: Tilings::new(1).unwrap(),
    };
    let slowdowns = Slowdowns::new(&fabric, options).unwrap();
    for guest in ["all-to-all", "ring", "stencil3d", "stencil2d"] {
        let curve = slowdowns
            .measure_curve(&order, guest, &[32, 128, 1056])
            .unwrap();
        for point in &curve.points {
            let demand =
                build_window_traffic(&machine, order.nodes(), point.size as u32, guest, false)
                    .unwrap();
            let loads = routing.link_loads(&fabric, &demand).unwrap();
            let busiest = Contention::measure_links(fabric.links, loads).max;
            // The busiest process of a stencil without wrap sends more than 1: its node link needs so long.
            let messages = list_messages(
                &make_sized_guest(guest, point.size as u32, &Context::default()).unwrap(),
            );
            let mut ends = vec![[0.0; 2]; point.size];
            for (from, to, volume) in messages {
                ends[from][0] += volume;
                ends[to][1] += volume;
            }
            let time = ends.concat().into_iter().fold(0.0, f64::max);
            let expected = (busiest / time).max(1.0);
            assert!(
                (point.mixed_max - expected).abs() < 1e-12 * expected,
                "{guest} {point:?}"
            );
        }
    }
    let worst = slowdowns
        .measure_curve(&order, "all-to-all", &[128])
        .unwrap()
        .points[0];
    // `throughput --sizes 128 --routing ecmp-hop` prints 0.13592.
    assert!((1.0 / worst.mixed_max - 0.13592).abs() < 5e-6);
}

#[test]
fn windows_in_two_components_and_silent_ones_are_left_out() {
    let context = Context::default();
    // Two switches of four nodes each that no cable joins.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("topology.conf");
    let text = "SwitchName=s0 Nodes=a[0-3]\nSwitchName=s1 Nodes=b[0-3]\n";
    std::fs::write(&file, text).unwrap();
    let machine =
        Topology::inline(&format!("slurm-topology:{}", file.display()), &context).unwrap();
    let fabric = Fabric::with_components(&machine).unwrap();
    let order = NodeOrder::make(&machine, "row-major").unwrap();
    let routing = FixedRouting::find_by_name("ecmp-hop").unwrap();
    let slowdowns = Slowdowns::new(&fabric, SlowdownOptions::new(routing)).unwrap();
    // Starts 0 and 4, then 2, which has nodes of both; of eight nodes no window is left.
    let curve = slowdowns
        .measure_curve(&order, "all-to-all", &[4, 8])
        .unwrap();
    assert_eq!((curve.points.len(), curve.points[0].windows), (1, 2));
    assert_eq!((curve.left_out, curve.absent), (2, vec![8]));
    // Below four processes this benchmark sends nothing.
    let silent = slowdowns.measure_curve(&order, "npb-bt", &[2]).unwrap();
    assert_eq!((silent.points.len(), silent.left_out), (0, 7));
}

#[test]
fn sizes_and_tilings_are_as_named() {
    assert_eq!(power_sizes(1), [0usize; 0]);
    assert_eq!(power_sizes(2), [2]);
    assert_eq!(power_sizes(9), [2, 4, 8, 9]);
    assert!(Tilings::new(3).is_err());
    let starts = Tilings::new(4).unwrap().window_starts(9, 4);
    assert_eq!(starts, [vec![0, 4], vec![2], vec![1, 5], vec![3]]);
}

/// Links and hosts of several rates: two switches, of which the second has a slow host.
const MIXED_RATES: &str = r#"switchguids=0x1
Switch  24 "S-1"   # "s1" base port 0 lid 1 lmc 0
[1] "H-1"[1](1)  # "n1 HCA-1" lid 1 4xHDR
[2] "H-2"[1](2)  # "n2 HCA-1" lid 2 4xHDR
[3] "S-2"[3]  # "s2" lid 5 4xEDR

switchguids=0x2
Switch  24 "S-2"   # "s2" base port 0 lid 2 lmc 0
[1] "H-3"[1](3)  # "n3 HCA-1" lid 3 4xHDR
[2] "H-4"[1](4)  # "n4 HCA-1" lid 4 4xFDR
[3] "S-1"[3]  # "s1" lid 6 4xEDR
"#;

#[test]
fn every_node_link_has_its_own_capacity() {
    let context = Context::default();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fabric.txt");
    std::fs::write(&file, MIXED_RATES).unwrap();
    let machine = Topology::inline(&format!("ibnetdiscover:{}", file.display()), &context).unwrap();
    assert!(machine.network().has_own_node_capacities());
    let fabric = Fabric::new(&machine).unwrap();
    let order = NodeOrder::make(&machine, "row-major").unwrap();
    for routing in ["ecmp-hop", OVER_ROUTERS, "ugal"] {
        let options = SlowdownOptions::new(FixedRouting::find_for_jobs(routing).unwrap());
        let slowdowns = Slowdowns::new(&fabric, options).unwrap();
        let curve = slowdowns
            .measure_curve(&order, "all-to-all", &[2, 3, 4])
            .unwrap();
        for point in &curve.points {
            let expected =
                point_by_definition(&fabric, &order, "all-to-all", point.size, &options).unwrap();
            check_close(point, &expected);
        }
        if routing == "ecmp-hop" {
            // The slow node sends 3 at 56 Gbit/s; the link between carries 4 at 100: never the longer.
            assert_eq!(curve.points[2].alone, 1.0);
        }
    }
}

#[test]
fn two_switches_gain_nothing_by_detours() {
    let machine = Topology::inline("mesh:2,per_router=2", &Context::default()).unwrap();
    let fabric = Fabric::new(&machine).unwrap();
    let order = NodeOrder::make(&machine, "row-major").unwrap();
    let mut points = Vec::new();
    for routing in ["dimension-order", OVER_ROUTERS, "ugal"] {
        let options = SlowdownOptions::new(FixedRouting::find_for_jobs(routing).unwrap());
        let slowdowns = Slowdowns::new(&fabric, options).unwrap();
        let curve = slowdowns.measure_curve(&order, "all-to-all", &[4]).unwrap();
        points.push(curve.points[0].alone);
    }
    // Of three messages that a node sends, two cross: four each way in all, whichever switch is between.
    assert_eq!(points, [4.0 / 3.0; 3]);
}

/// Makes a curve whose means are straight in the duty: from `alone` to `all` at each size.
fn straight_curve(points: &[(usize, f64, f64)]) -> SlowdownCurve {
    let mut curve = SlowdownCurve::default();
    for (size, alone, all) in points {
        let at = |duty: f64| alone + duty * (all - alone);
        curve.points.push(SlowdownPoint {
            size: *size,
            windows: 1,
            alone: *alone,
            mixed: at(0.2),
            all: *all,
            mixed_p90: at(0.2),
            mixed_max: at(0.2),
            at_duties: std::array::from_fn(|i| at(i as f64 / 10.0)),
        });
    }
    curve
}

#[test]
fn orderings_are_ranked_by_mixed_with_size_and_duty_at_which_they_change() {
    // Spread out: good alone and bad where all send; compact: the same whatever the others do.
    let spread = straight_curve(&[(2, 2.0, 8.0), (4, 1.0, 5.0), (8, 1.0, 5.0)]);
    let compact = straight_curve(&[(2, 1.0, 1.0), (4, 2.44, 2.44), (8, 2.44, 2.44)]);
    let guests = vec![GuestSlowdowns {
        guest: "ring".into(),
        curves: vec![compact.clone(), spread.clone(), compact, spread],
    }];
    let compared = SlowdownComparison {
        routing: "ecmp-hop",
        duty: 0.2,
        tilings: 2,
        orderings: ["c", "s", "c2", "s2"].map(String::from).to_vec(),
        guests,
    };
    let ring = &compared.guests[0];
    // Means over two octaves: (1 + 2.44) / 4 + 2.44 / 2 against, at 0.2, (3.2 + 1.8) / 4 + 1.8 / 2; of equal ones the
    // first.
    assert_eq!(ring.find_best(|point| point.mixed), Some(0));
    assert_eq!(ring.find_best(|point| point.alone), Some(1));
    assert_eq!(ring.find_best(|point| point.all), Some(0));
    assert_eq!((ring.best_from(0), ring.best_from(1)), (None, Some(4)));
    // 1.25 + 4.5 · duty = 2.08: a straight line between the duties known is the curve itself.
    let changes = ring.list_changes();
    assert_eq!((changes.len(), changes[0].1), (1, 0));
    assert!((changes[0].0 - 0.83 / 4.5).abs() < 1e-12, "{changes:?}");
    let loss = compared.find_largest_loss(0).unwrap();
    // 2.44 over 1.8 from four nodes on: the worst is the first such size, the largest is as bad.
    assert_eq!((loss.guest.guest.as_str(), loss.winner), ("ring", 1));
    assert_eq!((loss.worst_size, loss.size), (4, 8));
    assert_eq!(
        [0, 1, 2].map(|i| ring.is_best(i, |point| point.mixed)),
        [true, false, true]
    );
    let mut sorted = compared.clone();
    sorted.sort_by_labels(&["s", "s2", "c", "c2"]);
    assert_eq!(sorted.orderings, ["s", "s2", "c", "c2"]);
    assert_eq!(sorted.guests[0].curves[2], compared.guests[0].curves[0]);
}

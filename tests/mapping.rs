//! Link loads against paths written out one by one, with shares as fractions; published and hand-worked
//! figures; the same bytes for any number of threads.

use std::collections::{BTreeMap, BTreeSet};

use nodeorder_base::{NodeId, RouterId, Text};
use nodeorder_network::{Metric, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_present::columns::{self, mapping::PROCESS};
use nodeorder_traffic::mapping::{
    self, Analysis, Demand, End, Fabric, FixedRouting, Guest, ProcessMapping,
};
use proptest::prelude::*;

/// A fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction(i128, i128);

impl Fraction {
    fn new(a: i128, b: i128) -> Self {
        let (mut x, mut y) = (a.abs(), b.abs());
        while y > 0 {
            (x, y) = (y, x % y);
        }
        Fraction(a / x.max(1), b / x.max(1))
    }

    fn plus(self, other: Fraction) -> Self {
        Fraction::new(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn times(self, other: Fraction) -> Self {
        Fraction::new(self.0 * other.0, self.1 * other.1)
    }

    fn value(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

const ONE: Fraction = Fraction(1, 1);

/// A path as its routers, and its share of the traffic.
type Path = (Vec<u32>, Fraction);

fn neighbours(machine: &Topology, router: u32) -> Vec<u32> {
    machine
        .graph()
        .unwrap()
        .neighbours(RouterId(router))
        .to_vec()
}

/// What a hop over each link counts, by its two routers.
fn weights(machine: &Topology) -> BTreeMap<(u32, u32), u32> {
    let given = machine.network().link_weights();
    let (mut all, mut i) = (BTreeMap::new(), 0);
    machine.network().for_each_link(&mut |u, v, _| {
        let weight = given.as_ref().map_or(1, |given| given[i]);
        all.extend([((u, v), weight), ((v, u), weight)]);
        i += 1;
    });
    let graph = machine.graph().unwrap();
    for (u, v, link) in graph.iter().filter(|(_, _, link)| graph.is_joint(*link)) {
        all.insert((u, v), graph.weight(link) as u32);
    }
    all
}

/// The length of a path, as distances count.
fn length(weights: &BTreeMap<(u32, u32), u32>, path: &[u32]) -> u32 {
    path.windows(2)
        .map(|pair| weights[&(pair[0], pair[1])])
        .sum()
}

/// All paths of least distance, and of these those over the fewest links, by relaxing all links until nothing changes.
fn shortest(machine: &Topology, from: u32, to: u32) -> Vec<Vec<u32>> {
    let weights = weights(machine);
    let far = (u32::MAX, u32::MAX);
    let mut ways = vec![far; machine.network().routers() as usize];
    ways[to as usize] = (0, 0);
    loop {
        let before = ways.clone();
        for ((u, v), weight) in &weights {
            if ways[*v as usize] != far {
                let way = (ways[*v as usize].0 + weight, ways[*v as usize].1 + 1);
                ways[*u as usize] = way.min(ways[*u as usize]);
            }
        }
        if ways == before {
            break;
        }
    }
    let mut done = Vec::new();
    let mut open = vec![vec![from]];
    while let Some(path) = open.pop() {
        let last = *path.last().unwrap();
        if last == to {
            done.push(path);
            continue;
        }
        for next in neighbours(machine, last) {
            let (distance, links) = ways[next as usize];
            if (distance + weights[&(last, next)], links + 1) == ways[last as usize] {
                open.push([path.clone(), vec![next]].concat());
            }
        }
    }
    done
}

fn by_path(machine: &Topology, from: u32, to: u32) -> Vec<Path> {
    let all = shortest(machine, from, to);
    let share = Fraction::new(1, all.len() as i128);
    all.into_iter().map(|path| (path, share)).collect()
}

/// At every router an equal part to each neighbour that lies on some shortest path.
fn by_hop(machine: &Topology, from: u32, to: u32) -> Vec<Path> {
    let all = shortest(machine, from, to);
    let share = |path: &Vec<u32>| {
        let mut share = ONE;
        for (i, router) in path.iter().enumerate().take(path.len() - 1) {
            let mut next: Vec<u32> = all
                .iter()
                .filter(|p| p.get(i) == Some(router))
                .map(|p| p[i + 1])
                .collect();
            next.sort_unstable();
            next.dedup();
            share = share.times(Fraction::new(1, next.len() as i128));
        }
        share
    };
    all.iter().map(|path| (path.clone(), share(path))).collect()
}

/// Coordinate by coordinate, both ways round where they are as long.
fn by_dimension(machine: &Topology, from: u32, to: u32) -> Vec<Path> {
    let Metric::Product(product) = machine.metric() else {
        panic!("a grid")
    };
    let graph = machine.graph().unwrap();
    let mut paths = vec![(vec![from], ONE)];
    for i in 0..product.axes.len() {
        let (extent, stride) = (product.axes[i].extent, product.stride(i));
        let goal = product.coordinate(i, to);
        let mut next: Vec<Path> = Vec::new();
        for (path, share) in paths {
            let last = *path.last().unwrap();
            // Every simple way along the line of this coordinate, the shortest kept.
            let base = last - product.coordinate(i, last) * stride;
            let mut ways = vec![vec![last]];
            let mut found: Vec<Vec<u32>> = Vec::new();
            while found.is_empty() {
                found = ways
                    .iter()
                    .filter(|w| product.coordinate(i, *w.last().unwrap()) == goal)
                    .cloned()
                    .collect();
                ways = ways
                    .iter()
                    .flat_map(|w| (0..extent).map(|x| (w.clone(), base + x * stride)))
                    .filter(|(w, r)| {
                        graph.neighbours(RouterId(*w.last().unwrap())).contains(r) && !w.contains(r)
                    })
                    .map(|(w, r)| [w, vec![r]].concat())
                    .collect();
            }
            let part = share.times(Fraction::new(1, found.len() as i128));
            next.extend(
                found
                    .into_iter()
                    .map(|w| ([&path[..], &w[1..]].concat(), part)),
            );
        }
        paths = next;
    }
    paths
}

/// The cables between two groups of a dragonfly, each as often as it counts.
fn cables(machine: &Topology, from: u32, to: u32) -> Vec<(u32, u32)> {
    let a = machine.network().levels()[0].slots / machine.network().per_router();
    let mut list = Vec::new();
    machine.network().for_each_link(&mut |u, v, capacity| {
        for (u, v) in [(u, v), (v, u)] {
            if u / a == from && v / a == to && from != to {
                (0..capacity as usize).for_each(|_| list.push((u, v)));
            }
        }
    });
    list
}

/// Router sequences without standing still.
fn walk(stops: &[u32]) -> Vec<u32> {
    let mut path = stops.to_vec();
    path.dedup();
    path
}

fn directly(machine: &Topology, from: u32, to: u32) -> Vec<Path> {
    let a = machine.network().levels()[0].slots / machine.network().per_router();
    if from / a == to / a {
        return vec![(walk(&[from, to]), ONE)];
    }
    let cables = cables(machine, from / a, to / a);
    let share = Fraction::new(1, cables.len() as i128);
    cables
        .into_iter()
        .map(|(u, v)| (walk(&[from, u, v, to]), share))
        .collect()
}

fn by_third_group(machine: &Topology, from: u32, to: u32) -> Vec<Path> {
    let a = machine.network().levels()[0].slots / machine.network().per_router();
    let groups = machine.network().routers() / a;
    let (start, end) = (from / a, to / a);
    if start == end || groups < 3 {
        return directly(machine, from, to);
    }
    let mut paths = Vec::new();
    for middle in (0..groups).filter(|g| *g != start && *g != end) {
        let (first, second) = (cables(machine, start, middle), cables(machine, middle, end));
        let all = first.len() * second.len() * (groups - 2) as usize;
        for (u, v) in &first {
            for (x, y) in &second {
                let path = walk(&[from, *u, *v, *x, *y, to]);
                paths.push((path, Fraction::new(1, all as i128)));
            }
        }
    }
    paths
}

/// Up to every router that is above both and no higher than needed, and down. Up links lead to higher
/// router numbers.
fn up_and_down(machine: &Topology, from: u32, to: u32) -> Vec<Path> {
    let rising = |start: u32, steps: usize| -> Vec<Path> {
        let mut paths = vec![(vec![start], ONE)];
        for _ in 0..steps {
            paths = paths
                .into_iter()
                .flat_map(|(path, share)| {
                    let last = *path.last().unwrap();
                    let up: Vec<u32> = neighbours(machine, last)
                        .into_iter()
                        .filter(|n| *n > last)
                        .collect();
                    let part = share.times(Fraction::new(1, up.len() as i128));
                    up.into_iter()
                        .map(move |n| ([path.clone(), vec![n]].concat(), part))
                        .collect::<Vec<_>>()
                })
                .collect();
        }
        paths
    };
    for steps in 0.. {
        let down: BTreeMap<u32, Vec<u32>> = rising(to, steps)
            .into_iter()
            .map(|(p, _)| (*p.last().unwrap(), p))
            .collect();
        let up = rising(from, steps);
        if up.iter().any(|(p, _)| down.contains_key(p.last().unwrap())) {
            return up
                .into_iter()
                .map(|(path, share)| {
                    let rest = down[path.last().unwrap()].iter().rev().skip(1).copied();
                    (path.iter().copied().chain(rest).collect(), share)
                })
                .collect();
        }
    }
    unreachable!("a tree has a top")
}

/// The one path of a pair: of two ways round a ring that from even positions up and from odd ones down; without
/// dimensions, at every router the neighbour on a shortest path whose number among them is the target's modulo
/// their count.
fn alone(machine: &Topology, from: u32, to: u32) -> Vec<u32> {
    if let Metric::Product(product) = machine.metric() {
        let mut all: Vec<Vec<u32>> = by_dimension(machine, from, to)
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        for (i, axis) in product.axes.iter().enumerate() {
            let place = |router: u32| product.coordinate(i, router);
            let turn = |path: &Vec<u32>| {
                path.windows(2)
                    .map(|w| (place(w[0]), place(w[1])))
                    .find(|(a, b)| a != b)
            };
            let turns: BTreeSet<_> = all.iter().filter_map(turn).collect();
            if turns.len() > 1 {
                let a = place(from);
                let kept = if a % 2 == 0 { a + 1 } else { a - 1 } % axis.extent;
                all.retain(|path| turn(path) == Some((a, kept)));
            }
        }
        assert_eq!(all.len(), 1);
        return all.remove(0);
    }
    let all = shortest(machine, from, to);
    let mut path = vec![from];
    while *path.last().unwrap() != to {
        let ahead = all
            .iter()
            .filter(|p| p[..path.len()] == path[..])
            .map(|p| p[path.len()]);
        let next: BTreeSet<u32> = ahead.collect();
        path.push(*next.iter().nth(to as usize % next.len()).unwrap());
    }
    path
}

/// First to the leaf switch of the target's rail in the own unit, then over any spine switch of that rail.
fn along_rails(machine: &Topology, from: u32, to: u32) -> Vec<Path> {
    let (rails, each) = (
        machine.network().rails().unwrap(),
        machine.network().dealt_over(),
    );
    let own = from / each * each + to % each;
    let start = walk(&[from, own]);
    if own == to {
        return vec![(start, ONE)];
    }
    let share = Fraction::new(1, rails.spines.into());
    let over = |spine| [&start[..], &[rails.spine_switch(to % each, spine), to]].concat();
    (0..rails.spines)
        .map(|spine| (over(spine), share))
        .collect()
}

/// Paths as they are, or where nodes are on several rails, the same on each rail for an equal share.
fn on_all_rails(machine: &Topology, paths: Vec<Path>) -> Vec<Path> {
    let Some(rails) = machine.network().rails().filter(|rails| !rails.gpus) else {
        return paths;
    };
    let share = Fraction::new(1, rails.rails.into());
    let number = |router: u32| rails.leaf_switch(router, 0) == router && router < rails.units;
    let shifted = |router: u32, rail| match number(router) {
        true => rails.leaf_switch(router, rail),
        false => rails.spine_switch(rail, router - rails.spine_switch(0, 0)),
    };
    let copies = |(path, part): Path| {
        (0..rails.rails).map(move |rail| {
            let path = path.iter().map(|router| shifted(*router, rail)).collect();
            (path, part.times(share))
        })
    };
    paths.into_iter().flat_map(copies).collect()
}

/// To every router of the one component and on, along dimensions or by equal parts at every hop.
fn over_every_router(machine: &Topology, from: u32, to: u32) -> Vec<Path> {
    let routers = machine.graph().unwrap().router_count() as u32;
    let share = Fraction::new(1, routers.into());
    let legs = |a, b| match machine.metric() {
        Metric::Product(_) => by_dimension(machine, a, b),
        _ => by_hop(machine, a, b),
    };
    let mut all = Vec::new();
    for middle in 0..routers {
        for (first, part) in legs(from, middle) {
            for (second, other) in legs(middle, to) {
                let path = [&first[..], &second[1..]].concat();
                all.push((path, share.times(part).times(other)));
            }
        }
    }
    all
}

fn paths(routing: &str, machine: &Topology, from: u32, to: u32) -> Vec<Path> {
    match routing {
        "dimension-order" => by_dimension(machine, from, to),
        "ecmp-path" => by_path(machine, from, to),
        "ecmp-hop" => by_hop(machine, from, to),
        "minimal" => directly(machine, from, to),
        "valiant" => by_third_group(machine, from, to),
        "valiant:over=routers" => over_every_router(machine, from, to),
        "up-down" => up_and_down(machine, from, to),
        "rail" => along_rails(machine, from, to),
        "one-path" => vec![(alone(machine, from, to), ONE)],
        other => panic!("no paths for {other}"),
    }
}

fn machine(spec: &str) -> Topology {
    Topology::inline(spec, &Default::default()).unwrap()
}

fn guest(text: &str) -> Guest {
    Guest::make(text, &Default::default()).unwrap()
}

fn in_order(topology: &Topology, guest: &Guest, order: &str, routing: &str) -> Analysis {
    let fabric = Fabric::new(topology).unwrap();
    let order = NodeOrder::make(topology, order).unwrap();
    let placement = ProcessMapping::in_order(guest, order.label(), order.nodes()).unwrap();
    mapping::analyse(
        &fabric,
        guest,
        &placement,
        FixedRouting::find_by_name(routing).unwrap(),
    )
    .unwrap()
}

/// Loads, dilation and their sum against paths written out; volumes are whole numbers.
fn check(spec: &str, guest: &Guest, nodes: Vec<NodeId>) {
    let topology = machine(spec);
    let fabric = Fabric::new(&topology).unwrap();
    let placement = ProcessMapping::new(&topology, "by hand", nodes).unwrap();
    let weights = weights(&topology);
    for routing in mapping::routing::suitable(&topology) {
        // Paths over every router are as many as pairs of paths: too many to write out on larger machines.
        if routing.name() == "valiant:over=routers" && fabric.links.router_count() > 32 {
            continue;
        }
        let found = mapping::analyse(&fabric, guest, &placement, routing).unwrap();
        let mut loads = vec![Fraction(0, 1); fabric.links.len()];
        let (mut most, mut sum, mut pairs) = (0f64, Fraction(0, 1), Fraction(0, 1));
        let mut handed = Fraction(0, 1);
        guest.for_each_message(|m| {
            let router = |p| topology.router_of(placement.node_of(p)).0;
            let (from, to) = (router(m.source), router(m.target));
            let volume = Fraction(m.volume as i128, 1);
            let (mut all, mut mean) = (Fraction(0, 1), Fraction(0, 1));
            if from != to {
                let taken = paths(routing.name(), &topology, from, to);
                for (path, share) in on_all_rails(&topology, taken) {
                    all = all.plus(share);
                    let hops = Fraction(length(&weights, &path).into(), 1);
                    mean = mean.plus(share.times(hops));
                    for pair in path.windows(2) {
                        let link = fabric
                            .links
                            .find_link(pair[0], pair[1])
                            .expect("paths follow links");
                        // What nodes hand over by themselves loads no link.
                        if fabric.links.is_joint(link) {
                            let hops = Fraction(weights[&(pair[0], pair[1])].into(), 1);
                            handed = handed.plus(share.times(volume).times(hops));
                        } else {
                            loads[link] = loads[link].plus(share.times(volume));
                        }
                    }
                }
                assert_eq!(all, ONE, "all of it arrives: {} on {spec}", routing.name());
            }
            most = most.max(mean.value());
            sum = sum.plus(mean.times(volume));
            pairs = pairs.plus(mean);
        });
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs().max(1e-3);
        let what = format!("{} on {spec}", routing.name());
        for (i, exact) in loads.iter().enumerate() {
            let load = found.contention.loads[i];
            assert!(
                near(load, exact.value()),
                "{what}: link {:?}: {load}, {exact:?}",
                fabric.links.link_ends(i)
            );
        }
        let total = weighed(&fabric, &weights, &found.contention.loads) + handed.value();
        let dilation = &found.dilation;
        assert!(
            near(total, sum.value()) && near(dilation.hop_bytes, sum.value()),
            "{what}"
        );
        assert!(near(dilation.max, most), "{what}: {} {most}", dilation.max);
        if dilation.pairs > 0 {
            assert!(near(dilation.mean, sum.value() / dilation.volume), "{what}");
            assert!(
                near(dilation.mean_pairs, pairs.value() / dilation.pairs as f64),
                "{what}"
            );
        }
        let counted: u64 = dilation.histogram.iter().map(|(pairs, _)| pairs).sum();
        assert_eq!(counted, guest.pair_count(), "{what}");
        let most = loads
            .iter()
            .enumerate()
            .map(|(i, l)| l.value() / fabric.links.capacity(i));
        assert!(
            near(found.contention.max, most.fold(0.0, f64::max)),
            "{what}"
        );
    }
}

/// The sum of all loads, each times what a hop over the link counts.
fn weighed(fabric: &Fabric<'_>, weights: &BTreeMap<(u32, u32), u32>, loads: &[f64]) -> f64 {
    let load = |(i, load): (usize, &f64)| load * f64::from(weights[&fabric.links.link_ends(i)]);
    loads.iter().enumerate().map(load).sum()
}

const MACHINES: &[&str] = &[
    "torus:4x3",
    "torus:4x4x2,per_router=2",
    "torus:2x2,double=true",
    "torus:6x2x1",
    "grid:4x5,wrap=10",
    "mesh:3x3x2",
    "mesh:7",
    "hyperx:3x4",
    "cascade:3x2x3,per_router=2",
    "cascade:3x2x3,global=single",
    "dragonfly:p=2,a=2,h=1",
    "dragonfly:p=1,a=3,h=2,g=4",
    "dragonfly:p=1,a=2,h=4,g=2",
    "dragonfly:p=1,a=4,h=2,g=5,global=circulant",
    "fat-tree:k=4",
    "fat-tree:k=2,n=4",
    "xgft:h=3,m=2x3x4,w=1x2x3",
    "slim-fly:q=5",
    "watts-strogatz:n=20,k=4,p=0.3,seed=5",
    "random-regular:n=24,d=3,seed=2",
    "dragonfly+:p=1,l=3,s=2,h=1",
    "polarfly:q=3",
    "polarstar:q=2,d=0",
    "tpu:4x4x8,twisted=true",
    "multi-rail:rails=2,domain=2,domains=2,units=2,spines=2",
    "multi-rail:rails=3,domains=3,units=2,spines=2,fabric=4",
    "multi-rail:rails=2,domains=3,units=2,spines=2,cores=1,gpus=true,nvlink=1",
    "multi-rail:rails=2,domains=3,units=2,spines=2,cores=1,gpus=true,nvlink=1,fabric=2",
    "multi-rail:rails=2,domain=2,domains=2,units=2,spines=1,gpus=true",
];

/// All pairs of routers at once, and each of them alone on a few machines.
#[test]
fn a_mapping_written_as_csv_is_read_back() {
    let topology = machine("torus:4x4");
    let ring = guest("ring:n=3");
    let nodes = [4, 4, 9].map(NodeId).to_vec();
    let mapping = ProcessMapping::new(&topology, "m", nodes).unwrap();
    let mut file = Vec::new();
    columns::write_table(&mut file, PROCESS, mapping.process_nodes()).unwrap();
    let text = Text::new("m", String::from_utf8(file).unwrap());
    let again = ProcessMapping::read(&topology, &ring, &text).unwrap();
    assert_eq!(again.nodes(), mapping.nodes());
}

#[test]
fn all_to_all_equals_paths_written_out() {
    for spec in MACHINES {
        let n = machine(spec).node_count().min(40);
        let nodes: Vec<NodeId> = machine(spec).nodes().iter().take(n).collect();
        check(spec, &guest(&format!("all-to-all:n={n}")), nodes);
    }
    for spec in [
        "torus:4x3",
        "dragonfly:p=1,a=4,h=2,g=5",
        "xgft:h=3,m=1x3x4,w=1x2x3",
    ] {
        let n = machine(spec).node_count() as u32;
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            let pair = Guest::new("pair", 2, [(0, 1, 12.0)]).unwrap();
            check(spec, &pair, vec![NodeId(a), NodeId(b)]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Any traffic on any nodes, several processes on one included.
    #[test]
    fn any_guest_equals_paths_written_out(
        which in 0..MACHINES.len(),
        messages in prop::collection::vec((0u32..9, 0u32..9, 0u32..50), 0..40),
        draws in prop::collection::vec(0usize..1000, 9),
    ) {
        let spec = MACHINES[which];
        let topology = machine(spec);
        let all: Vec<NodeId> = topology.nodes().iter().collect();
        let nodes = draws.iter().map(|d| all[d % all.len()]).collect();
        let messages = messages.into_iter().map(|(a, b, v)| (a, b, f64::from(v)));
        check(spec, &Guest::new("any", 9, messages).unwrap(), nodes);
    }

    /// Decimal volumes: loads add up to hop-bytes.
    #[test]
    fn loads_add_up_to_hop_bytes(which in 0..MACHINES.len(), seed in 0u64..100, volume in 0.001f64..1e9) {
        let topology = machine(MACHINES[which]);
        let n = topology.node_count();
        let guest = guest(&format!("random:n={n},degree=2,seed={seed},volume={volume}"));
        let (fabric, weights) = (Fabric::new(&topology).unwrap(), weights(&topology));
        let mut links = fabric.links.iter().map(|(_, _, link)| link);
        // Hops that load no link are not in the sum.
        if links.any(|link| fabric.links.is_joint(link) && fabric.links.weight(link) > 0.0) {
            return Ok(());
        }
        for routing in mapping::routing::suitable(&topology) {
            let found = in_order(&topology, &guest, "random", routing.name());
            let total = weighed(&fabric, &weights, &found.contention.loads);
            let off = (total - found.dilation.hop_bytes).abs();
            prop_assert!(off <= 1e-10 * found.dilation.hop_bytes, "{}: {total}", routing.name());
        }
    }
}

/// Machines on which all-to-all traffic of all nodes has a way of its own.
const LARGER: &[&str] = &[
    "torus:7x5x3",
    "torus:9x8,exclude=3-20",
    "mesh:97",
    "fat-tree:k=6",
    "hyperx:5x4",
    "random-regular:n=300,d=5,seed=3",
    "random-regular:n=90,d=3,seed=1",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    /// All-to-all traffic, which is not listed, and the same messages one by one.
    #[test]
    fn all_to_all_equals_its_list(
        which in 0..2 * MACHINES.len(),
        parts in 1usize..9,
        again in any::<bool>(),
        volume in prop_oneof![Just(0.5), Just(3.0)],
    ) {
        let spec = MACHINES.get(which).unwrap_or(&LARGER[which % LARGER.len()]);
        let topology = machine(spec);
        let order = NodeOrder::make(&topology, "random:seed=5").unwrap();
        let mut nodes = order.nodes()[..(order.len() * parts / 8).max(1)].to_vec();
        // Several processes on some nodes.
        if again {
            nodes.extend_from_within(..nodes.len().min(30) / 2);
        }
        let n = nodes.len() as u32;
        let uniform = guest(&format!("all-to-all:n={n},volume={volume}"));
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b, volume)));
        let listed = Guest::new("listed", n, pairs).unwrap();
        let fabric = Fabric::new(&topology).unwrap();
        let placement = ProcessMapping::new(&topology, "by hand", nodes).unwrap();
        for routing in mapping::routing::suitable(&topology) {
            let [a, b] = [&uniform, &listed]
                .map(|guest| mapping::analyse(&fabric, guest, &placement, routing).unwrap());
            prop_assert_eq!(&a.node_loads, &b.node_loads);
            prop_assert_eq!(a.domain_load, b.domain_load);
            prop_assert_eq!(a.share_between_routers, b.share_between_routers);
            prop_assert_eq!(a.dilation.pairs, b.dilation.pairs);
            let exact = routing.name().starts_with("ecmp");
            for (a, b) in a.contention.loads.iter().zip(&b.contention.loads) {
                let near = (a - b).abs() <= 1e-12 * b.abs();
                prop_assert!(if exact { a == b } else { near }, "{} on {spec}", routing.name());
            }
        }
    }
}

/// Both ways of the dimension-order routing: a source that sends to all, and the same flows one by one.
#[test]
fn one_guest_is_the_sum_of_its_messages() {
    for spec in [
        "torus:6x5x4",
        "mesh:5x4x3",
        "hyperx:4x5",
        "grid:8x3,wrap=10",
    ] {
        let topology = machine(spec);
        let fabric = Fabric::new(&topology).unwrap();
        let routing = FixedRouting::find_by_name("dimension-order").unwrap();
        let n = topology.node_count() as u32;
        let nodes: Vec<NodeId> = topology.nodes().iter().collect();
        let placement = ProcessMapping::new(&topology, "all", nodes).unwrap();
        let loads = |guest: &Guest| {
            let demand = Demand::new(&topology, guest, &placement).unwrap();
            routing.link_loads(&fabric, &demand).unwrap()
        };
        let mut sum = vec![0.0; fabric.links.len()];
        for (a, b) in (0..n)
            .flat_map(|a| (0..n).map(move |b| (a, b)))
            .filter(|(a, b)| a != b)
        {
            let one = loads(&Guest::new("one", n, [(a, b, 2.0)]).unwrap());
            sum.iter_mut().zip(one).for_each(|(sum, load)| *sum += load);
        }
        // Halves of whole numbers: exact.
        assert_eq!(
            sum,
            loads(&guest(&format!("all-to-all:n={n},volume=2"))),
            "{spec}"
        );
    }
}

#[test]
fn a_periodic_stencil_fits_a_torus_in_rows_and_not_in_snakes() {
    let topology = machine("torus:4x4x4");
    let stencil = guest("stencil:4x4x4,wrap=true");
    for routing in ["dimension-order", "ecmp-path", "ecmp-hop"] {
        let rows = in_order(&topology, &stencil, "row-major", routing);
        assert_eq!(
            (rows.contention.max, rows.dilation.mean),
            (1.0, 1.0),
            "{routing}"
        );
        let snake = in_order(&topology, &stencil, "snake", routing);
        assert_eq!(snake.contention.max, 3.0, "{routing}");
        assert_eq!(snake.dilation.mean, 5.0 / 3.0, "{routing}");
    }
}

#[test]
fn routings_share_a_pair_of_corners_as_worked_out_by_hand() {
    let topology = machine("mesh:3x2");
    let fabric = Fabric::new(&topology).unwrap();
    let pair = Guest::new("pair", 2, [(0, 1, 6.0)]).unwrap();
    let placement = ProcessMapping::new(&topology, "corners", vec![NodeId(0), NodeId(5)]).unwrap();
    for (routing, most) in [
        ("dimension-order", 6.0),
        ("ecmp-path", 4.0),
        ("ecmp-hop", 4.5),
    ] {
        let routing = FixedRouting::find_by_name(routing).unwrap();
        let found = mapping::analyse(&fabric, &pair, &placement, routing).unwrap();
        assert_eq!(found.contention.max, most, "{}", routing.name());
        assert_eq!((found.dilation.hop_bytes, found.dilation.max), (18.0, 3.0));
    }
}

/// A doubled link of a ring of two carries the same, at half the contention.
#[test]
fn capacity_divides_contention() {
    let pair = guest("ring:n=2,volume=10");
    let single = in_order(&machine("torus:2"), &pair, "row-major", "ecmp-path");
    let double = in_order(
        &machine("torus:2,double=true"),
        &pair,
        "row-major",
        "ecmp-path",
    );
    assert_eq!((single.contention.max, double.contention.max), (10.0, 5.0));
    assert_eq!(single.contention.loads, double.contention.loads);
}

/// Edge betweenness of a path of n: the link after k routers lies between k·(n-k) pairs. Of an even ring of n,
/// every directed link carries n²/8; of a complete graph, 1.
#[test]
fn all_to_all_equals_betweenness_in_closed_form() {
    for routing in ["ecmp-path", "ecmp-hop"] {
        let path = in_order(
            &machine("mesh:9"),
            &guest("all-to-all:n=9"),
            "row-major",
            routing,
        );
        let fabric_machine = machine("mesh:9");
        let fabric = Fabric::new(&fabric_machine).unwrap();
        for k in 1..9u32 {
            let link = fabric.links.find_link(k - 1, k).unwrap();
            assert_eq!(path.contention.loads[link], f64::from(k * (9 - k)));
        }
        let ring = in_order(
            &machine("torus:12"),
            &guest("all-to-all:n=12"),
            "row-major",
            routing,
        );
        assert!(ring.contention.loads.iter().all(|load| *load == 18.0));
        let clique = in_order(
            &machine("hyperx:7"),
            &guest("all-to-all:n=7"),
            "row-major",
            routing,
        );
        assert!(clique.contention.loads.iter().all(|load| *load == 1.0));
    }
}

#[test]
fn the_number_of_threads_changes_no_result() {
    for spec in [
        "torus:8x8x8",
        "random-regular:n=500,d=5,seed=3",
        "dragonfly:p=2,a=4,h=2",
    ] {
        let topology = machine(spec);
        let n = topology.node_count();
        for text in [
            format!("all-to-all:n={n},volume=0.1"),
            format!("random:n={n},degree=3,volume=0.7"),
        ] {
            let guest = guest(&text);
            for routing in mapping::routing::suitable(&topology) {
                let run = |threads| {
                    let pool = rayon::ThreadPoolBuilder::new()
                        .num_threads(threads)
                        .build()
                        .unwrap();
                    pool.install(|| in_order(&topology, &guest, "random", routing.name()))
                };
                let (one, three) = (run(1), run(3));
                let bits = |a: &Analysis| -> Vec<u64> {
                    let means = [a.dilation.mean, a.dilation.hop_bytes, a.contention.mean];
                    a.contention
                        .loads
                        .iter()
                        .chain(&means)
                        .map(|x| x.to_bits())
                        .collect()
                };
                assert_eq!(bits(&one), bits(&three), "{} on {spec}", routing.name());
            }
        }
    }
}

/// The demand of a guest is what its messages add up to.
#[test]
fn rows_and_columns_of_the_demand_agree() {
    let topology = machine("torus:4x4,per_router=2");
    let guest = guest("random:n=32,degree=5,seed=9");
    let order = NodeOrder::make(&topology, "random").unwrap();
    let placement = ProcessMapping::in_order(&guest, order.label(), order.nodes()).unwrap();
    let demand = Demand::new(&topology, &guest, &placement).unwrap();
    let cells = |end| {
        let mut cells = BTreeMap::new();
        for (i, root) in demand.roots(end).iter().enumerate() {
            for flow in demand.flows_at(end, i, &mut Vec::new()) {
                let key = if end == End::Source {
                    (*root, flow.router)
                } else {
                    (flow.router, *root)
                };
                cells.insert(key, flow.volume);
            }
        }
        cells
    };
    let mut plain: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    guest.for_each_message(|m| {
        let router = |p| topology.router_of(placement.node_of(p)).0;
        if router(m.source) != router(m.target) {
            *plain
                .entry((router(m.source), router(m.target)))
                .or_default() += m.volume;
        }
    });
    assert_eq!(cells(End::Source), plain);
    assert_eq!(cells(End::Target), plain);
}

/// The most paths a machine may have before `ecmp-path` gives up: a mesh of 600×600 has 10³⁵⁹ from corner to
/// corner.
#[test]
fn paths_beyond_counting_are_refused() {
    let topology = machine("mesh:600x600");
    let fabric = Fabric::new(&topology).unwrap();
    let pair = Guest::new("pair", 2, [(0, 1, 1.0)]).unwrap();
    let corners = vec![NodeId(0), NodeId(600 * 600 - 1)];
    let placement = ProcessMapping::new(&topology, "corners", corners).unwrap();
    let analyse = |name| {
        mapping::analyse(
            &fabric,
            &pair,
            &placement,
            FixedRouting::find_by_name(name).unwrap(),
        )
    };
    let error = analyse("ecmp-path").unwrap_err().to_string();
    assert!(error.contains("10^308 shortest paths"), "{error}");
    assert_eq!(analyse("ecmp-hop").unwrap().dilation.hop_bytes, 1198.0);
}

#[test]
fn routings_that_do_not_suit_say_what_does() {
    let topology = machine("random-regular:n=10,d=3");
    let fabric = Fabric::new(&topology).unwrap();
    let ring = guest("ring:n=10");
    let order = NodeOrder::make(&topology, "row-major").unwrap();
    let placement = ProcessMapping::in_order(&ring, order.label(), order.nodes()).unwrap();
    for name in ["dimension-order", "minimal", "valiant", "up-down"] {
        let routing = FixedRouting::find_by_name(name).unwrap();
        let error = mapping::analyse(&fabric, &ring, &placement, routing)
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("what works here: ecmp-path, ecmp-hop, valiant:over=routers, one-path"),
            "{error}"
        );
    }
    let Err(error) = FixedRouting::find_by_name("ecmp-pth") else {
        panic!("no such routing")
    };
    assert!(
        error.to_string().contains("did you mean `ecmp-path`"),
        "{error}"
    );
}

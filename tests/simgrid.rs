//! A real SimGrid reads the exported platform: its routes are ours link by link, and of two allocations it finds
//! the one slower that has the higher contention here. Skipped, by name, where SimGrid's Python module is not
//! installed (`apt-get install python3-simgrid`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use nodeorder_base::NodeId;
use nodeorder_base::random;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_present::export;
use nodeorder_traffic::mapping::{self, Fabric, FixedRouting, Guest, ProcessMapping};

use crate::skip::{Peer, without};

/// `routes PLATFORM PAIRS`: a line `source target link,link,…` for each pair of a file.
/// `all-to-all PLATFORM HOSTS BYTES`: the simulated seconds, with everything sent at once.
const SCRIPT: &str = r#"
import sys
from simgrid import Comm, Engine, Host, Actor
mode, platform, names = sys.argv[1:4]
e = Engine(["test", "--cfg=contexts/factory:thread", "--log=root.thres:critical",
            "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0"])
e.load_platform(platform)
if mode == "routes":
    # Searches know the links once the zone is complete.
    e.netzone_root.seal()
    for pair in open(names):
        a, b = pair.split()
        links, latency = e.host_by_name(a).route_to(e.host_by_name(b))
        print(a, b, ",".join(link.name for link in links))
else:
    hosts = [Host.by_name(name.strip()) for name in open(names)]
    def everyone():
        size = int(sys.argv[4])
        Comm.wait_all([Comm.sendto_async(a, b, size) for a in hosts for b in hosts if a != b])
        print(Engine.clock)
    Actor.create("everyone", hosts[0], everyone)
    e.run()
"#;

/// The interpreter that knows SimGrid: Debian's, whatever else is on the path.
fn python() -> Option<&'static str> {
    ["/usr/bin/python3", "python3"].into_iter().find(|python| {
        let asked = Command::new(python).args(["-c", "import simgrid"]).output();
        asked.is_ok_and(|out| out.status.success())
    })
}

fn ready(test: &str) -> Option<&'static str> {
    let found = python();
    if found.is_none() {
        without(
            Peer::SimGrid,
            &format!("simgrid::{test}"),
            "no Python module simgrid",
        );
    }
    found
}

fn simulate(python: &str, folder: &Path, arguments: &[&str]) -> String {
    std::fs::write(folder.join("script.py"), SCRIPT).unwrap();
    let mut command = Command::new(python);
    let out = command
        .arg("script.py")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{stderr}");
    String::from_utf8(out.stdout).unwrap()
}

/// A machine's platform on disk, with its hosts beside it.
fn platform(folder: &Path, spec: &str, by: &str) -> (Topology, NodeOrder) {
    let machine = Topology::inline(spec, &Default::default()).unwrap();
    let order = NodeOrder::make(&machine, by).unwrap();
    let made = export::write_order("simgrid", &machine, &order).unwrap();
    std::fs::write(folder.join("p.xml"), made.text).unwrap();
    std::fs::write(folder.join("p.xml.hosts"), &made.beside[0].1).unwrap();
    (machine, order)
}

/// Routes as SimGrid tells them: the links between routers, by the pair of nodes.
fn routes(
    python: &str,
    folder: &Path,
    machine: &Topology,
    pairs: &[(NodeId, NodeId)],
) -> BTreeMap<(NodeId, NodeId), Vec<String>> {
    let name = |n: NodeId| machine.node_name(n);
    let text: String = pairs
        .iter()
        .map(|(a, b)| format!("{} {}\n", name(*a), name(*b)))
        .collect();
    std::fs::write(folder.join("pairs"), text).unwrap();
    let said = simulate(python, folder, &["routes", "p.xml", "pairs"]);
    let mut all = BTreeMap::new();
    for (line, (a, b)) in said.lines().zip(pairs) {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[..2], [name(*a), name(*b)]);
        let links: Vec<&str> = words[2].split(',').collect();
        let ends = [links[0], links[links.len() - 1]];
        assert_eq!(
            ends,
            [
                format!("node-{}_UP", name(*a)),
                format!("node-{}_DOWN", name(*b))
            ]
        );
        all.insert(
            (*a, *b),
            links[1..links.len() - 1]
                .iter()
                .map(|l| l.to_string())
                .collect(),
        );
    }
    assert_eq!(all.len(), pairs.len());
    all
}

/// The directed links that carry a message from a to b here, with their shares.
fn ours(fabric: &Fabric<'_>, routing: FixedRouting, a: NodeId, b: NodeId) -> BTreeMap<String, f64> {
    let guest = Guest::new("pair", 2, vec![(0, 1, 1.0)]).unwrap();
    let placement = ProcessMapping::new(fabric.topology, "pair", vec![a, b]).unwrap();
    let loads = mapping::analyse(fabric, &guest, &placement, routing)
        .unwrap()
        .contention
        .loads;
    let used = fabric
        .links
        .iter()
        .filter(|(_, _, link)| loads[*link] > 0.0);
    used.map(|(u, v, link)| {
        let way = if u < v { "UP" } else { "DOWN" };
        (format!("link-{}-{}_{way}", u.min(v), u.max(v)), loads[link])
    })
    .collect()
}

#[test]
fn simgrid_takes_our_routes_link_by_link() {
    let Some(python) = ready("simgrid_takes_our_routes_link_by_link") else {
        return;
    };
    for (spec, by, routing) in [
        ("torus:5x3x3", "hilbert", "dimension-order"),
        ("torus:4x4,per_router=2", "snake", "dimension-order"),
        ("mesh:4x6", "random", "dimension-order"),
        ("hyperx:4x4", "random", "dimension-order"),
        ("fat-tree:k=4", "random", "ecmp-path"),
        ("dragonfly:p=2,a=4,h=2", "row-major", "ecmp-path"),
        ("random-regular:n=30,d=4", "bfs", "ecmp-hop"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (machine, order) = platform(folder.path(), spec, by);
        let nodes = order.nodes();
        let pairs: Vec<(NodeId, NodeId)> = nodes
            .iter()
            .flat_map(|a| nodes.iter().filter(move |b| *b != a).map(move |b| (*a, *b)))
            .collect();
        let fabric = Fabric::new(&machine).unwrap();
        let routing = FixedRouting::find_by_name(routing).unwrap();
        let mut same = 0;
        for ((a, b), theirs) in routes(python, folder.path(), &machine, &pairs) {
            let ours = ours(&fabric, routing, a, b);
            let links: BTreeSet<&String> = theirs.iter().collect();
            assert_eq!(
                links.len() as u32,
                machine.distance(a, b),
                "{spec} {a} {b}: {theirs:?}"
            );
            assert!(
                links.iter().all(|link| ours.contains_key(*link)),
                "{spec} {a} {b}: {theirs:?}"
            );
            if ours.values().all(|share| *share == 1.0) {
                assert!(
                    links.into_iter().eq(ours.keys()),
                    "{spec} {a} {b}: {theirs:?}"
                );
                same += 1;
            }
        }
        eprintln!(
            "{spec}: {} routes, {same} of them the only ones",
            pairs.len()
        );
        assert!(same > 0, "{spec}: some routes have no alternative");
    }
}

/// Beyond the limit SimGrid searches: its paths are shortest ones, too.
#[test]
fn simgrid_finds_shortest_paths_on_large_machines() {
    let Some(python) = ready("simgrid_finds_shortest_paths_on_large_machines") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for spec in ["torus:9x8x4,per_router=2", "fat-tree:k=12"] {
        let (machine, order) = platform(folder.path(), spec, "row-major");
        assert!(order.len() > export::EXPLICIT);
        let mut random = random::seed_generator(3);
        let mut draw =
            || order.nodes()[random::random_below(order.len() as u64, &mut random) as usize];
        let pairs: BTreeSet<(NodeId, NodeId)> = (0..200)
            .map(|_| (draw(), draw()))
            .filter(|(a, b)| a != b)
            .collect();
        let pairs: Vec<(NodeId, NodeId)> = pairs.into_iter().collect();
        for ((a, b), links) in routes(python, folder.path(), &machine, &pairs) {
            assert_eq!(
                links.len() as u32,
                machine.distance(a, b),
                "{spec} {a} {b}: {links:?}"
            );
        }
    }
}

/// All-to-all under CM02 (max-min sharing, no cross traffic): never faster than the busiest link allows, and the
/// allocation with the higher contention takes longer.
#[test]
fn simulated_times_stand_in_the_order_of_contention() {
    let Some(python) = ready("simulated_times_stand_in_the_order_of_contention") else {
        return;
    };
    const BYTES: f64 = 1e9;
    const BANDWIDTH: f64 = 1.25e9;
    for (spec, routing, allocations) in [
        (
            "torus:7x7",
            "dimension-order",
            // A square, two rows and a bit, every third node.
            vec![
                "0 1 2 3 7 8 9 10 14 15 16 17 21 22 23 24",
                "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
                "0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45",
            ],
        ),
        (
            "mesh:8x8",
            "dimension-order",
            vec![
                "0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27",
                "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
                "0 9 18 27 36 45 54 63 7 14 21 28 35 42 49 56",
            ],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (machine, _) = platform(folder.path(), spec, "row-major");
        let fabric = Fabric::new(&machine).unwrap();
        let routing = FixedRouting::find_by_name(routing).unwrap();
        let mut found = Vec::new();
        for list in allocations {
            let nodes: Vec<NodeId> = list
                .split(' ')
                .map(|n| NodeId(n.parse().unwrap()))
                .collect();
            let guest = Guest::make(
                &format!("all-to-all:n={}", nodes.len()),
                &Default::default(),
            )
            .unwrap();
            let hosts: String = nodes.iter().map(|n| machine.node_name(*n) + "\n").collect();
            std::fs::write(folder.path().join("hosts"), hosts).unwrap();
            let placement = ProcessMapping::new(&machine, "a", nodes).unwrap();
            let contention = mapping::analyse(&fabric, &guest, &placement, routing)
                .unwrap()
                .contention
                .max;
            let bytes = BYTES.to_string();
            let said = simulate(
                python,
                folder.path(),
                &["all-to-all", "p.xml", "hosts", &bytes],
            );
            let seconds: f64 = said.trim().parse().unwrap();
            let least = contention * BYTES / BANDWIDTH;
            eprintln!(
                "{spec}: contention {contention}, {seconds:.3} s, at least {least:.3} s by the busiest link"
            );
            assert!(
                seconds > 0.999 * least,
                "{spec} {list}: {seconds} < {least}"
            );
            found.push((contention, seconds));
        }
        for (i, a) in found.iter().enumerate() {
            for b in &found[..i] {
                assert!(
                    a.0 != b.0,
                    "{spec}: allocations of different contention, {found:?}"
                );
                assert_eq!(a.0 < b.0, a.1 < b.1, "{spec}: {found:?}");
            }
        }
    }
}

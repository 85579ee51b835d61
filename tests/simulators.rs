//! What is written for simulators, read back: by our own readers, by small ones here, by networkx and InfraGraph.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use nodeorder_base::{NodeId, RouterId};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_present::export::{self, Export, ExportJob};
use proptest::prelude::*;

/// A torus, a dragonfly, and a tree from a file.
fn machines() -> Vec<Topology> {
    let data = crate::root().join("tests/data");
    let tree = format!("slurm-topology:{}", data.join("topology.conf").display());
    let specs = ["torus:4x3,per_router=2", "dragonfly:p=2,a=4,h=2", &tree];
    specs
        .iter()
        .map(|spec| Topology::inline(spec, &Default::default()).unwrap())
        .collect()
}

/// The targets for simulators, and those that take jobs.
const TARGETS: [&str; 6] = [
    "caminos",
    "sst",
    "codes",
    "booksim",
    "infragraph",
    "mpich-coords",
];

fn write(target: &str, machine: &Topology, by: &str) -> Export {
    export::write_order(target, machine, &NodeOrder::make(machine, by).unwrap()).unwrap()
}

fn beside<'e>(export: &'e Export, name: &str) -> &'e str {
    &export
        .beside
        .iter()
        .find(|(file, _)| file == name)
        .unwrap()
        .1
}

/// The file of an export read as a machine.
fn read(kind: &str, text: &str, options: &str) -> Topology {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    std::fs::write(&path, text).unwrap();
    let spec = format!("{kind}:{}{options}", path.display());
    Topology::inline(&spec, &Default::default()).unwrap_or_else(|e| panic!("{e}:\n{text}"))
}

type Links = BTreeMap<(u32, u32), f64>;

fn links(machine: &Topology) -> Links {
    let mut links = Links::new();
    machine.network().for_each_link(&mut |u, v, c| {
        links.insert((u.min(v), u.max(v)), c);
    });
    links
}

/// The router of every node by name.
fn homes(machine: &Topology) -> BTreeMap<String, u32> {
    let nodes = machine.nodes().iter();
    nodes
        .map(|node| (machine.node_name(node), machine.router_of(node).0))
        .collect()
}

fn assert_same(here: &Topology, back: &Topology, about: &str) {
    assert_eq!(links(here), links(back), "{about}");
    assert_eq!(homes(here), homes(back), "{about}");
    assert_eq!(
        here.network().routers(),
        back.network().routers(),
        "{about}"
    );
}

/// The routers of net.any: of each node by its number, and the links.
fn any_net(text: &str) -> (BTreeMap<usize, u32>, BTreeSet<(u32, u32)>) {
    let (mut nodes, mut links) = (BTreeMap::new(), BTreeSet::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!((words[0], words.len() % 2), ("router", 0), "{line}");
        let router: u32 = words[1].parse().unwrap();
        for pair in words[2..].chunks(2) {
            let number: u32 = pair[1].parse().unwrap();
            match pair[0] {
                "node" => assert!(nodes.insert(number as usize, router).is_none()),
                _ => assert!(links.insert((router.min(number), router.max(number)))),
            }
        }
    }
    (nodes, links)
}

/// Everything that `machine` becomes under an ordering, and back.
fn check_round_trips(machine: &Topology, by: &str) {
    let (about, per) = (machine.spec(), machine.network().per_router());
    let order = NodeOrder::make(machine, by).unwrap();
    let caminos = write("caminos", machine, by);
    let back = read(
        "caminos",
        beside(&caminos, "network.adj"),
        &format!(",per_router={per}"),
    );
    assert!(links(machine).keys().eq(links(&back).keys()), "{about}");
    // Servers are node ids: task t, of rank t, on server s.
    let map = beside(&caminos, "order.map").lines().enumerate();
    let servers = map.map(|(task, line)| {
        let (t, server) = line.split_once(' ').unwrap();
        assert_eq!(t, task.to_string());
        NodeId(server.parse().unwrap())
    });
    assert!(servers.eq(order.nodes().iter().copied()), "{about}");
    for node in order.nodes() {
        assert_eq!(machine.router_of(*node), back.router_of(*node), "{about}");
    }
    assert_same(
        machine,
        &read("graphml", &write("sst", machine, by).text, ""),
        about,
    );
    let infragraph = write("infragraph", machine, by).text;
    assert_same(machine, &read("infragraph", &infragraph, ""), about);
    // Instances stand in rank order.
    let names = infragraph
        .lines()
        .filter_map(|l| l.strip_prefix("- {name: \"")?.split_once('"'));
    assert!(
        names
            .map(|(name, _)| name.to_string())
            .eq(order.nodes().iter().map(|n| machine.node_name(*n)))
    );
    let (nodes, found) = any_net(beside(&write("booksim", machine, by), "net.any"));
    assert!(found.iter().eq(links(machine).keys()), "{about}");
    assert!(
        nodes.into_iter().eq(order
            .nodes()
            .iter()
            .map(|n| machine.router_of(*n).0)
            .enumerate())
    );
}

/// Up to 256 nodes the routes of all pairs are written, above only those of links.
#[test]
fn simgrid_platforms_read_back_as_the_same_network() {
    for spec in [
        "torus:4x3,per_router=2",
        "hyperx:3x4",
        "random-regular:n=14,d=3",
        "torus:9x8x5",
        "dragonfly:p=4,a=8,h=4",
        "xgft:h=2,m=18x16,w=1x3",
    ] {
        let here = Topology::inline(spec, &Default::default()).unwrap();
        for by in ["row-major", "random:seed=4"] {
            let back = read("simgrid", &write("simgrid", &here, by).text, "");
            let counts = [&here, &back].map(|machine| {
                let s = machine.statistics().unwrap();
                let degrees = (s.degree_min, s.degree_max);
                (s.nodes, s.routers, s.links, s.cables, s.diameter, degrees)
            });
            assert_eq!(counts[0], counts[1], "{spec}");
            assert_eq!(
                here.network().node_capacity(),
                back.network().node_capacity()
            );
            let [ours, theirs] = [homes(&here), homes(&back)];
            for first in ours.keys().step_by(1 + ours.len() / 7) {
                let near = here.hops_from(RouterId(ours[first])).unwrap();
                let far = back.hops_from(RouterId(theirs[first])).unwrap();
                for (name, router) in &ours {
                    let there = far[theirs[name] as usize];
                    assert_eq!(near[*router as usize], there, "{spec}: {first} to {name}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn what_is_written_is_the_same_network(spec in prop_oneof![
        (2u32..5, 1u32..5, 1u32..4).prop_map(|(a, b, p)| format!("torus:{a}x{b},per_router={p}")),
        (2u32..5, 2u32..4, 1u32..3).prop_map(|(a, b, p)| format!("hyperx:{a}x{b},per_router={p}")),
        (1u32..3, 2u32..5, 1u32..3).prop_map(|(p, a, h)| format!("dragonfly:p={p},a={a},h={h}")),
        (2u32..4, 1u32..4, 1u32..3).prop_map(|(a, b, w)| format!("xgft:h=2,m={a}x{b},w=1x{w}")),
        (5u32..12, 1u64..99).prop_map(|(n, seed)| format!("random-regular:n={},d=3,seed={seed}", 2 * n)),
        (2u32..4, 1u32..3, 2u32..4).prop_map(|(a, b, c)| format!("cascade:{a}x{b}x{c},per_router=2")),
    ], by in prop::sample::select(vec!["row-major", "random:seed=4", "bfs"])) {
        check_round_trips(&Topology::inline(&spec, &Default::default()).unwrap(), by);
    }
}

#[test]
fn every_target_writes_a_torus_a_dragonfly_and_a_tree() {
    for machine in machines() {
        check_round_trips(&machine, "random:seed=2");
        let order = NodeOrder::make(&machine, "random:seed=2").unwrap();
        for target in TARGETS {
            let example = export::find_target(target).unwrap().example;
            let export = export::write_order(example, &machine, &order).unwrap();
            assert!(!export.text.is_empty(), "{example}");
            if export.text.contains("nodeorder ") && target != "mpich-coords" {
                for part in [
                    "topology: ",
                    "What it does: ",
                    "Run with: ",
                    "How to undo it: ",
                ] {
                    assert!(export.text.contains(part), "{target}: {part}");
                }
            }
        }
        let ids: Vec<String> = order.nodes().iter().map(NodeId::to_string).collect();
        assert_eq!(
            write("codes", &machine, "random:seed=2").text,
            ids.join(" ") + "\n"
        );
        let coordinates = write("mpich-coords", &machine, "random:seed=2").text;
        let mut seen = BTreeSet::new();
        for (rank, (line, node)) in coordinates.lines().skip(1).zip(order.nodes()).enumerate() {
            let (r, rest) = line.split_once(": ").unwrap();
            let numbers: Vec<u32> = rest.split(' ').map(|n| n.parse().unwrap()).collect();
            assert_eq!(
                (r, numbers[1]),
                (&*rank.to_string(), machine.router_of(*node).0)
            );
            assert!(seen.insert((numbers[1], numbers[2])), "a port for each");
        }
        assert_eq!(seen.len(), machine.node_count());
    }
    // Group 1 of the dragonfly is routers 4 to 7.
    let text = write("mpich-coords", &machines()[1], "row-major").text;
    assert!(text.contains("\n8: 1 4 0\n9: 1 4 1\n"), "{text}");
    // Endpoints of SST are numbered vertex by vertex.
    let sst = write("sst", &machines()[0], "random:seed=2");
    let order = NodeOrder::make(&machines()[0], "random:seed=2").unwrap();
    let ids: Vec<String> = order.nodes().iter().map(NodeId::to_string).collect();
    assert!(beside(&sst, "ember.load").contains(&format!("[NID_LIST] {}\n", ids.join(","))));
}

/// Parallel cables stay parallel where the format has them.
#[test]
fn cables_are_counted() {
    let machine = Topology::inline("torus:2x3,double=true", &Default::default()).unwrap();
    assert!(links(&machine).values().any(|c| *c == 2.0));
    for (target, kind) in [("sst", "graphml"), ("infragraph", "infragraph")] {
        assert_same(
            &machine,
            &read(kind, &write(target, &machine, "snake").text, ""),
            target,
        );
    }
}

/// The binary files, unpacked, are the dragonfly's links.
#[test]
fn codes_wiring_is_the_dragonflys() {
    for spec in ["dragonfly:p=2,a=4,h=2", "cascade:4x3x2,per_router=2"] {
        let machine = Topology::inline(spec, &Default::default()).unwrap();
        let export = write("codes:wiring=true", &machine, "row-major");
        assert_eq!(export.folder, Some("alloc.conf"));
        let words = |name: &str| -> Vec<u32> {
            let bytes = &export
                .binary
                .iter()
                .find(|(file, _)| *file == name)
                .unwrap()
                .1;
            bytes
                .chunks(4)
                .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
                .collect()
        };
        let size = machine.network().levels()[0].slots / machine.network().per_router();
        let mut found: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for triple in words("intra").chunks(3) {
            // A chassis of the cascade is a row of four.
            let row = spec.starts_with("dragonfly") || triple[0] / 4 == triple[1] / 4;
            assert_eq!(triple[2], u32::from(!row));
            for group in 0..machine.network().routers() / size {
                *found
                    .entry((group * size + triple[0], group * size + triple[1]))
                    .or_default() += 1;
            }
        }
        words("inter")
            .chunks(2)
            .for_each(|pair| *found.entry((pair[0], pair[1])).or_default() += 1);
        assert!(
            found.iter().all(|((u, v), n)| found[&(*v, *u)] == *n),
            "both directions"
        );
        let once = found.into_iter().filter(|((u, v), _)| u < v);
        assert!(
            once.map(|(pair, n)| (pair, f64::from(n)))
                .eq(links(&machine)),
            "{spec}"
        );
    }
}

/// A machine or jobs that a format cannot say are refused, with the reason.
#[test]
fn what_a_format_cannot_say_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let wide = folder.path().join("wide.csv");
    std::fs::write(&wide, "0,1,1\n1,2,2.5\n").unwrap();
    let names = folder.path().join("names.csv");
    std::fs::write(&names, "0,a.x\n1,b.x\n2,c.x\n3,d.x\n").unwrap();
    let rails = "multi-rail:rails=2,domains=4,units=2,spines=2";
    let wide = format!("graph:{}", wide.display());
    let dots = format!("mesh:4,names={}", names.display());
    let job = |name: &str, nodes: &[u32]| ExportJob {
        name: name.into(),
        nodes: nodes.iter().map(|n| NodeId(*n)).collect(),
        traffic: Vec::new(),
    };
    let (a, b, twice) = (job("a", &[0, 1]), job("b", &[1, 2]), job("c", &[3, 3]));
    for (target, spec, jobs, reason) in [
        ("caminos", rails, vec![], "nodes on several rails"),
        ("caminos", &wide, vec![], "links of different capacities"),
        (
            "caminos",
            "mesh:1,per_router=4",
            vec![],
            "a machine of one router",
        ),
        (
            "caminos",
            "mesh:4",
            vec![a.clone(), b.clone()],
            "two processes on node n1 (jobs `a` and `b`)",
        ),
        ("caminos", "mesh:4", vec![job("x", &[1])], "nothing to send"),
        ("sst", rails, vec![], "nodes on several rails"),
        ("sst", &wide, vec![], "cables of different capacities"),
        ("codes", rails, vec![], "nodes on rails"),
        ("codes", "mesh:4", vec![twice], "two processes on node n3"),
        (
            "codes:wiring=true",
            "torus:4x4",
            vec![],
            "a machine without groups",
        ),
        ("booksim", &wide, vec![], "links of different capacities"),
        (
            "booksim",
            "mesh:4",
            vec![a.clone()],
            "jobs, which it does not write",
        ),
        (
            "csv",
            "mesh:4",
            vec![a.clone()],
            "one of caminos, sst, codes, mpich-coords",
        ),
        ("infragraph", rails, vec![], "nodes on several rails"),
        ("infragraph", &dots, vec![], "a node called `a.x`"),
        ("mpich-coords", rails, vec![], "nodes on several switches"),
        ("mpich-coords", "mesh:4", vec![a, b], "2 jobs"),
    ] {
        let machine = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&machine, "row-major").unwrap();
        let found = export::write_jobs(target, &machine, &order, &jobs);
        let error = found.unwrap_err().to_string();
        assert!(error.contains(reason), "{target} {spec}: {error}");
    }
}

/// Runs the command in `folder` and returns what it says.
fn run(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let out = crate::command()
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    (
        out.status.success(),
        String::from_utf8([out.stdout, out.stderr].concat()).unwrap(),
    )
}

#[test]
fn jobs_come_from_a_file_or_a_log_at_an_event() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(
        at.join("jobs.log"),
        "P a 3\nP b 4\nF a\nP c 2\nP d 50\nF b\n",
    )
    .unwrap();
    std::fs::write(at.join("t.csv"), "0,1,1000\n1,0,1000\n2,0,10\n").unwrap();
    let jobs = "[[jobs]]\nname = 'x'\nguest = 't.csv'\nbytes = 8\nnodes = [3, 1, 7]\n\
                [[jobs]]\nname = 'y'\nguest = 'ring:n=2'\nbytes = 1024\nnodes = ['4-5']\n";
    std::fs::write(at.join("jobs.toml"), jobs).unwrap();
    let export = |to: &str, rest: &[&str]| {
        run(
            at,
            &[
                &["export", "mesh:8", "--order", "row-major", "--to", to],
                rest,
            ]
            .concat(),
        )
    };
    let log = |event: &'static str| ["--log", "jobs.log", "--alloc", "first-fit:1", "--at", event];
    // Lines of numbers alone: what is said on standard error comes after them.
    let numbers = |line: &&str| line.bytes().all(|b| b.is_ascii_digit() || b == b' ');
    let ids = |text: &str| text.lines().filter(numbers).collect::<Vec<_>>().join("|");
    for (event, expected) in [
        ("1", "0 1 2"),
        ("2", "0 1 2|3 4 5 6"),
        ("3", "3 4 5 6"),
        ("4", "3 4 5 6|0 1"),
        ("6", "0 1"),
    ] {
        let (done, text) = export("codes", &log(event));
        assert!(done && ids(&text) == expected, "{event}: {text}");
        assert_eq!(
            text.contains("1 of the jobs before event"),
            event == "6",
            "{text}"
        );
    }
    let (done, text) = export("codes", &log("7"));
    assert!(
        !done && text.contains("found 6 events in jobs.log; expected --at from 1 to 6"),
        "{text}"
    );
    let (done, text) = export("codes", &["--jobs", "jobs.toml"]);
    assert!(done && ids(&text) == "3 1 7|4 5", "{text}");
    let (done, text) = export(
        "caminos:phit=8,message=4",
        &["--jobs", "jobs.toml", "-o", "out"],
    );
    assert!(done, "{text}");
    let file = |name: &str| std::fs::read_to_string(at.join("out").join(name)).unwrap();
    assert_eq!(
        (file("job-0.map").as_str(), file("job-1.map").as_str()),
        ("0 3\n1 1\n2 7\n", "0 4\n1 5\n")
    );
    // 8000 bytes are 250 messages of 32; 80 are three. Receivers count from the sender on: 1 for 0, 0 for 1 and 2.
    let main = file("main.cfg");
    assert!(
        main.contains("map: [1,0,2] }, tasks: 3, messages_per_task: 250"),
        "{main}"
    );
    assert!(
        main.contains("map: [0,1,0] }, tasks: 3, messages_per_task: 3,"),
        "{main}"
    );
    assert!(
        main.contains("map: [1,0] }, tasks: 2, messages_per_task: 32,"),
        "{main}"
    );
    let (done, text) = export("caminos", &[]);
    assert!(
        done && text.contains("this is main.cfg; -o FOLDER also writes network.adj, order.map"),
        "{text}"
    );
    let (done, text) = export("csv", &["--jobs", "jobs.toml"]);
    assert!(
        !done && text.contains("jobs, which it does not write"),
        "{text}"
    );
    let (done, text) = export(
        "codes",
        &["--log", "jobs.log", "--alloc", "kueue-tas", "--at", "1"],
    );
    assert!(!done && !text.contains("panicked"), "{text}");
}

/// networkx and InfraGraph's own package load what is written, where they are installed.
#[test]
fn networkx_and_infragraph_load_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let has = |python: &str, module: &str| {
        let asked = Command::new(python)
            .args(["-c", &format!("import {module}")])
            .output();
        asked.is_ok_and(|out| out.status.success())
    };
    let python = |module: &str| {
        let own = std::env::var("NODEORDER_PYTHON").ok();
        let found = own
            .into_iter()
            .chain(["python3".into()])
            .find(|python| has(python, module));
        if found.is_none() {
            let test = "simulators::networkx_and_infragraph_load_what_is_written";
            crate::skip::skipped(test, &format!("no Python module {module}"));
        }
        found
    };
    for (module, target, script) in [
        (
            "networkx",
            "sst",
            "import networkx, sys\ng = networkx.read_graphml(sys.argv[1], node_type=int, force_multigraph=True)\n\
             assert list(g) == sorted(g)\n\
             print(len(g), g.number_of_edges(), sum(d for _, d in g.nodes(data='endpoints')))",
        ),
        (
            "infragraph",
            "infragraph",
            "import sys\nfrom infragraph.infragraph_service import InfraGraphService\nfrom infragraph import Infrastructure\n\
             s = InfraGraphService(); i = Infrastructure(); i.deserialize(open(sys.argv[1]).read()); s.set_graph(i)\n\
             g = s.get_networkx_graph()\nimport networkx\nassert networkx.is_connected(g)\n\
             switch = lambda v: v.startswith('switch.')\nports = lambda u, v: u.split('.')[-2] == v.split('.')[-2] == 'port'\n\
             print(len({v.split('.')[1] for v in g if switch(v)}), sum(ports(u, v) for u, v in g.edges), sum(v.endswith('.nic.0') for v in g))",
        ),
    ] {
        let Some(python) = python(module) else {
            continue;
        };
        for machine in machines() {
            let file = folder.path().join("f");
            std::fs::write(&file, write(target, &machine, "random").text).unwrap();
            let out = Command::new(&python)
                .args(["-c", script])
                .arg(&file)
                .output()
                .unwrap();
            let said = String::from_utf8([out.stdout, out.stderr].concat()).unwrap();
            let (routers, nodes) = (machine.network().routers(), machine.node_count());
            let expected = format!("{routers} {} {nodes}", links(&machine).len());
            assert_eq!(said.trim(), expected, "{module}: {}", machine.spec());
        }
    }
}

/// What networkx writes of a graph with endpoints, and an InfraGraph of slices and many2many.
#[test]
fn files_of_others_are_read() {
    let machine = read(
        "graphml",
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n<key id=\"d0\" for=\"node\" attr.name=\"endpoints\" attr.type=\"long\"/>\n\
         <graph edgedefault=\"undirected\">\n<node id=\"7\"><data key=\"d0\">1</data></node>\n<node id=\"s\"><data key=\"d0\">0</data></node>\n\
         <node id=\"8\"/>\n<edge source=\"7\" target=\"s\"/><edge source=\"s\" target=\"8\"/></graph></graphml>",
        ",per_router=2",
    );
    assert_eq!(
        homes(&machine),
        [("n0", 0), ("n1", 1), ("n2", 1)]
            .map(|(n, r)| (n.to_string(), r))
            .into()
    );
    assert_eq!(links(&machine), [((0, 2), 1.0), ((1, 2), 1.0)].into());
    let machine = read(
        "infragraph",
        "name: f\ndevices:\n- {name: cx, components: [{name: p, count: 1, choice: nic}]}\n\
         - {name: host, components: [{name: cx, count: 1, choice: device}, {name: cpu, count: 1, choice: cpu}]}\n\
         - {name: sw, components: [{name: port, count: 4, choice: port}]}\n\
         instances: [{name: h, device: host, count: 4}, {name: leaf, device: sw, count: 2}, {name: top, device: sw, count: 1}]\n\
         edges:\n- {ep1: {instance: \"h[:2]\", component: \"cx[0].p[0]\"}, ep2: {instance: \"leaf[0]\", component: \"port[0:2]\"}, scheme: one2one, link: l}\n\
         - {ep1: {instance: \"h[2:]\", component: \"cx.p\"}, ep2: {instance: \"leaf[-1]\", component: \"port[0:2]\"}, scheme: one2one, link: l}\n\
         - {ep1: {instance: \"leaf\", component: \"port[2:4]\"}, ep2: {instance: top, component: \"port[0]\"}, scheme: many2many, link: l}\n",
        "",
    );
    let home = [("h.0", 0), ("h.1", 0), ("h.2", 1), ("h.3", 1)];
    assert_eq!(
        homes(&machine),
        home.map(|(n, r)| (n.to_string(), r)).into()
    );
    assert_eq!(links(&machine), [((0, 2), 2.0), ((1, 2), 2.0)].into());
}

/// An architecture of Scotch's is a family of ours, processor p node p.
#[test]
fn target_files_are_families_of_ours() {
    for (text, spec) in [
        ("torusXD 3\t8 4 2\n", "torus:2x4x8"),
        ("torus2D\n4 3\n", "torus:3x4"),
        ("# a cluster\nmesh3D 2 3 4", "mesh:4x3x2"),
        ("meshXD 1 5", "mesh:5"),
        ("hcub 4", "torus:2x2x2x2"),
        ("cmplt 6", "hyperx:6"),
        ("tleaf 3 2 300 3 200 4 100\n", "xgft:h=3,m=4x3x2,w=1x1x1"),
    ] {
        let ours = Topology::inline(spec, &Default::default()).unwrap();
        let made = read("tgt", text, "");
        assert_eq!(made.spec(), ours.spec(), "{text}");
        assert_same(&made, &ours, text);
    }
    // In torus2D 4 3 processor 1 is one step along the dimension of 4; in tleaf 2 3 20 4 10 there are 3 switches of 4.
    for (text, to, hops) in [
        ("torus2D 4 3", vec![1, 2, 3, 4, 5], vec![1, 2, 1, 1, 2]),
        ("tleaf 2 3 20 4 10", vec![3, 4, 11], vec![0, 2, 2]),
    ] {
        let machine = read("tgt", text, "");
        let found = to.iter().map(|p| machine.distance(NodeId(0), NodeId(*p)));
        assert_eq!(found.collect::<Vec<_>>(), hops, "{text}");
    }
}

/// Wrong files of each kind, each refused with its line.
#[test]
fn faults_are_named_with_their_line() {
    let xml = |body: &str| {
        format!(
            "<graphml><key id=\"e\" for=\"node\" attr.name=\"endpoints\"/><key id=\"n\" attr.name=\"names\"/><key id=\"c\" attr.name=\"capacity\"/>\n<graph edgedefault=\"undirected\">\n{body}\n</graph></graphml>"
        )
    };
    let infra = |instances: &str, edges: &str| {
        format!(
            "devices:\n- {{name: h, components: [{{name: nic, count: 1, choice: nic}}]}}\n- {{name: s, components: [{{name: port, count: 2, choice: port}}]}}\ninstances: [{instances}]\nedges:\n{edges}\n"
        )
    };
    let edge = |a: &str, b: &str, scheme: &str| {
        let end = |text: &str| {
            let (instance, component) = text.split_once('.').unwrap();
            format!("{{instance: \"{instance}\", component: \"{component}\"}}")
        };
        format!(
            "- {{ep1: {}, ep2: {}, scheme: {scheme}, link: l}}",
            end(a),
            end(b)
        )
    };
    let two = "{name: a, device: h, count: 1}, {name: b, device: s, count: 2}";
    let pair = "<node id=\"0\"/><node id=\"1\"/>";
    let cases: Vec<(&str, String, &str)> = vec![
        ("graphml", "<graphml>\n<".into(), ":2: unknown token"),
        (
            "graphml",
            "<graphml></graphml>".into(),
            ":1: found no `graph`",
        ),
        (
            "graphml",
            "<graphml>\n<graph edgedefault=\"directed\"/></graphml>".into(),
            ":2: found directed edges",
        ),
        (
            "graphml",
            xml("<node/>"),
            ":3: found a vertex without an id",
        ),
        (
            "graphml",
            xml("<node id=\"0\"/>\n<node id=\"0\"/>"),
            ":4: found vertex `0` again",
        ),
        (
            "graphml",
            xml("<node id=\"0\"><data key=\"e\">x</data></node>"),
            ":3: found endpoints `x`",
        ),
        (
            "graphml",
            xml("<node id=\"0\"><data key=\"e\">2</data><data key=\"n\">a</data></node>"),
            ":3: found 1 names of 2 endpoints",
        ),
        (
            "graphml",
            xml(&format!("{pair}\n<edge source=\"0\" target=\"2\"/>")),
            ":4: found target `2`",
        ),
        (
            "graphml",
            xml(&format!("{pair}\n<edge source=\"0\" target=\"0\"/>")),
            ":4: found an edge from a vertex to itself",
        ),
        (
            "graphml",
            xml(&format!(
                "{pair}\n<edge source=\"0\" target=\"1\"><data key=\"c\">-1</data></edge>"
            )),
            ":4: found capacity `-1`",
        ),
        (
            "graphml",
            xml(pair),
            ":3: found switch `1`, which no path joins",
        ),
        ("caminos", "".into(), ": found the end; expected NODOS"),
        ("caminos", "NODES 4\n".into(), ":1: found `NODES 4`"),
        (
            "caminos",
            "NODOS 2\nGRADO 3\n".into(),
            ":2: found `GRADO 3`",
        ),
        (
            "caminos",
            "NODOS 2\nGRADO 1\n0 1\n".into(),
            ":3: found `0 1`",
        ),
        (
            "caminos",
            "NODOS 2\nGRADO 1\nN 2\n1\n".into(),
            ":3: found router `2`",
        ),
        (
            "caminos",
            "NODOS 2\nGRADO 1\nN 0\n1\nN 0\n1\n".into(),
            ":5: found router 0 again (line 3 has it)",
        ),
        (
            "caminos",
            "NODOS 3\nGRADO 1\nN 0\n1 2\n".into(),
            ":4: found more neighbours",
        ),
        (
            "caminos",
            "NODOS 2\nGRADO 1\nN 0\n0\n".into(),
            ":4: found neighbour 0 of router 0, itself",
        ),
        (
            "caminos",
            "NODOS 2\nGRADO 1\nN 0\n1\n".into(),
            ":4: found neighbour 1 of router 0, but not 0 of 1",
        ),
        (
            "caminos",
            "NODOS 3\nGRADO 1\nN 0\n1\nN 1\n0\n".into(),
            ": found routers 0 to 1 alone",
        ),
        (
            "infragraph",
            "- 1\n".into(),
            ":1: found a list of 1 without `devices`",
        ),
        (
            "infragraph",
            infra("{name: a, device: x, count: 1}", " []"),
            ":4: found device `x`",
        ),
        (
            "infragraph",
            infra("{name: a, device: h, count: 0}", " []"),
            ":4: found count `0`",
        ),
        (
            "infragraph",
            infra(
                "{name: a, device: h, count: 1}, {name: a, device: s, count: 1}",
                " []",
            ),
            ":4: found instance `a` again",
        ),
        (
            "infragraph",
            infra(two, " []"),
            ":4: found node `a`, which no edge joins",
        ),
        (
            "infragraph",
            infra(two, &edge("a[1].nic", "b[0].port[0]", "one2one")),
            ":6: found `a[1]`",
        ),
        (
            "infragraph",
            infra(two, &edge("a[0].nic", "b[0].plug[0]", "one2one")),
            ":6: found component `plug`",
        ),
        (
            "infragraph",
            infra(two, &edge("a[0].nic", "c[0].port[0]", "one2one")),
            ":6: found instance `c`",
        ),
        (
            "infragraph",
            infra(two, &edge("a[0].nic", "b[0].port[0]", "ring")),
            ":6: found scheme `ring`",
        ),
        (
            "infragraph",
            // A cable from a switch to itself is left out: nothing joins the host.
            infra(two, &edge("b[0].port", "b[0].port", "one2one")),
            ":4: found node `a`, which no edge joins to a switch",
        ),
        (
            "infragraph",
            infra(two, &edge("a[0].nic", "b.port[0]", "many2many")),
            ":6: found node `a` on a second switch",
        ),
        ("tgt", "".into(), ": found an empty file"),
        (
            "tgt",
            "# c\ndeco 0\n".into(),
            ":2: found `deco 0`; expected torusXD",
        ),
        (
            "tgt",
            "torusXD 3 8 8\n".into(),
            ":1: found `torusXD 3 8 8`; expected the number of dimensions",
        ),
        (
            "tgt",
            "torusXD 2\n8 x\n".into(),
            ":2: found `x`; expected a whole number",
        ),
        (
            "tgt",
            "torus2D 0 4".into(),
            ":1: found `torus2D 0 4`; expected 2 dimensions",
        ),
        (
            "tgt",
            "tleaf 2 3 20 4".into(),
            ":1: found `tleaf 2 3 20 4`; expected the number of levels",
        ),
        ("tgt", "hcub 31".into(), ":1: found `hcub 31`"),
    ];
    for (kind, text, message) in cases {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, &text).unwrap();
        let made = Topology::inline(&format!("{kind}:{}", path.display()), &Default::default());
        let error = made.map(|m| m.spec().to_string()).unwrap_err().to_string();
        let error = error
            .strip_prefix(&path.display().to_string())
            .unwrap_or(&error);
        assert!(error.starts_with(message), "{kind} {text}: {error}");
    }
}

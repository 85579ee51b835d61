//! Nodes, switches and the cables between them mean the same in every family: one fabric, written in every way that can
//! say it, has one set of figures.

use std::path::{Path, PathBuf};

use nodeorder_network::Topology;
use proptest::prelude::*;
use serde_json::Value;

/// What the command prints.
fn run(arguments: &[&str]) -> String {
    let output = crate::command()
        .args(arguments)
        .arg("--quiet")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&run(&[arguments, &["--json"]].concat())).unwrap()
}

fn figures(spec: &str) -> Value {
    json(&["topology", spec, "--histogram"])
}

/// Numbers agree to 1e-12, lists one by one, all else exactly.
fn near(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b))
        }
        _ => a == b,
    }
}

/// These keys are equal in both documents, and in the first they are there.
fn same(what: &str, keys: &[&str], [a, b]: [&Value; 2]) {
    for key in keys {
        assert!(
            !a[key].is_null() || *key == "oversubscription",
            "{what}: no {key} in {a:#}"
        );
        assert!(
            near(&a[key], &b[key]),
            "{what}: {key} is {} and {}",
            a[key],
            b[key]
        );
    }
}

const FIGURES: &[&str] = &[
    "nodes",
    "routers",
    "links",
    "cables",
    "node_links",
    "ports",
    "oversubscription",
    "degree_min",
    "degree_max",
    "diameter",
    "mean_distance",
    "total_distance",
    "components",
    "distance_histogram",
];
const MAPPED: &[&str] = &[
    "dilation_max",
    "dilation_mean",
    "dilation_mean_pairs",
    "hop_bytes",
    "contention_max",
    "contention_mean",
    "links",
    "links_used",
    "volume",
    "share_between_routers",
    "dilation_histogram",
];

/// Every figure of these notations of one fabric, whose nodes have the same order, agrees.
fn agree(folder: &Path, specs: &[String]) {
    let jobs = folder.join("jobs.toml");
    let nodes = figures(&specs[0])["nodes"].as_u64().unwrap();
    let (half, first) = (nodes / 2, nodes / 2 - 1);
    let text = format!(
        "[[jobs]]\nname = \"a\"\nnodes = \"0-{first}\"\nguest = \"all-to-all:n={half}\"\nbytes = 100000\ncompute = 1e-6\n\
         [[jobs]]\nname = \"b\"\nnodes = \"{half}-{}\"\nguest = \"ring:n={half}\"\nbytes = 90000\n",
        2 * half - 1
    );
    std::fs::write(&jobs, text).unwrap();
    let jobs = jobs.display().to_string();
    let guests = [
        format!("all-to-all:n={nodes}"),
        format!("random:n={nodes},degree={},seed=3", 2.min(nodes - 1)),
    ];
    let all = |spec: &String| {
        let order = ["--order", "row-major"];
        let map = |guest: &String| {
            json(
                &[
                    &["map", spec, "--guest", guest][..],
                    &order,
                    &["--routing", "ecmp-hop"],
                ]
                .concat(),
            )
        };
        let mapped = vec![map(&guests[0]), map(&guests[1])];
        let corun = json(&["corun", spec, "--jobs", &jobs, "--routing", "ecmp-hop"]);
        let curve = run(&[&["mpc", spec][..], &order].concat());
        (
            figures(spec),
            mapped,
            corun,
            curve.lines().skip(1).map(values).collect::<Vec<_>>(),
        )
    };
    let (reference, mapped, corun, curve) = all(&specs[0]);
    for spec in &specs[1..] {
        let what = format!("{} and {spec}", specs[0]);
        let found = all(spec);
        same(&what, FIGURES, [&reference, &found.0]);
        mapped
            .iter()
            .zip(&found.1)
            .for_each(|(a, b)| same(&what, MAPPED, [a, b]));
        same(
            &what,
            &["seconds", "utilisation_max", "utilisation_mean"],
            [&corun, &found.2],
        );
        for (a, b) in corun["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .zip(found.2["jobs"].as_array().unwrap())
        {
            same(&what, &["seconds", "alone"], [a, b]);
        }
        assert!(
            near(&curve.clone().into(), &found.3.into()),
            "{what}: curves"
        );
        let prices = "links=3,node_links=5,routers=7,nodes=11";
        let arguments = [
            "machines",
            &specs[0],
            spec,
            "--order",
            "row-major",
            "--prices",
            prices,
        ];
        let compared = json(&arguments);
        let machines = compared["machines"].as_array().unwrap();
        let keys = [
            "cost",
            "cost_per_node",
            "cables",
            "node_links",
            "ports",
            "mean_log",
        ];
        same(&what, &keys, [&machines[0], &machines[1]]);
        let priced = [
            ("cables", 3.0),
            ("node_links", 5.0),
            ("routers", 7.0),
            ("nodes", 11.0),
        ];
        let cost: f64 = priced
            .iter()
            .map(|(key, p)| p * reference[key].as_f64().unwrap())
            .sum();
        assert_eq!(machines[0]["cost"], cost, "{what}");
    }
}

/// The numbers of a line of a curve, size and mean.
fn values(line: &str) -> Value {
    line.split(',')
        .filter_map(|field| field.parse::<f64>().ok())
        .collect()
}

/// A notation with a file: `kind:FILE`, and what follows it.
fn file(folder: &Path, kind: &str, name: &str, text: &str) -> String {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).unwrap();
    format!("{kind}:{}", path.display())
}

/// The router graph of a machine as a file of links.
fn graph(folder: &Path, spec: &str) -> String {
    let path = folder.join("links.csv").display().to_string();
    run(&["topology", spec, "--edges", &path]);
    let machine = Topology::inline(spec, &Default::default()).unwrap();
    let per_router = machine.network().per_router();
    format!(
        "graph:{path},per_router={per_router},limit={}",
        machine.node_count()
    )
}

/// A tree in which every switch has one parent, as the files of real fabrics say it.
fn files_of_a_tree(folder: &Path, m: &[u32]) -> Vec<String> {
    let nodes: u32 = m.iter().product();
    let under = |level: usize| m[..level].iter().product::<u32>();
    let levels = 1..m.len();
    let names: Vec<String> = levels.clone().rev().map(|l| format!("tier{l}")).collect();
    let mut tiers = format!("host,{}\n", names.join(","));
    for node in 0..nodes {
        let path: Vec<String> = levels
            .clone()
            .rev()
            .map(|l| format!("s{l}-{}", node / under(l)))
            .collect();
        tiers += &format!("n{node:04},{}\n", path.join(","));
    }
    let mut slurm = String::new();
    for level in 1..=m.len() {
        for unit in 0..nodes / under(level) {
            let below = unit * m[level - 1]..(unit + 1) * m[level - 1];
            let names: Vec<String> = match level {
                1 => below.map(|node| format!("n{node:04}")).collect(),
                _ => below.map(|unit| format!("s{}-{unit}", level - 1)).collect(),
            };
            let key = if level == 1 { "Nodes" } else { "Switches" };
            slurm += &format!("SwitchName=s{level}-{unit} {key}={}\n", names.join(","));
        }
    }
    let mut all = vec![file(folder, "slurm-topology", "topology.conf", &slurm)];
    if m.len() > 1 {
        all.push(file(folder, "tiers", "tiers.csv", &tiers) + ",order=leaf-last");
    }
    // What is exported comes back.
    let tree = all[0].clone();
    for (target, kind, name) in [
        ("slurm-yaml", "slurm-topology", "topology.yaml"),
        ("jgf", "jgf", "cluster.json"),
    ] {
        let path = folder.join(name).display().to_string();
        run(&[
            "export",
            &tree,
            "--order",
            "row-major",
            "--to",
            target,
            "-o",
            &path,
        ]);
        all.push(format!("{kind}:{path}"));
    }
    all
}

/// Leaf switches with some cables to each of some spine switches, as `ibnetdiscover` prints them.
fn infiniband(folder: &Path, [nodes, leaves, spines, cables]: [u32; 4]) -> String {
    let mut text = String::new();
    let mut switch = |id: u32, ports: Vec<String>| {
        text +=
            &format!("\nSwitch\t40 \"S-{id:04}\"\t# \"switch {id}\" enhanced port 0 lid 1 lmc 0\n");
        ports
            .into_iter()
            .zip(1..)
            .for_each(|(port, i)| text += &format!("[{i}]\t{port}\n"));
    };
    for leaf in 0..leaves {
        let host = |slot| {
            let node = leaf * nodes + slot;
            format!("\"H-{node:08}\"[1](0c42) \t\t# \"n{node:04} mlx5_0\" lid 1 4xHDR")
        };
        let cable = |i| {
            let (spine, port) = (leaves + i / cables, leaf * cables + i % cables + 1);
            format!("\"S-{spine:04}\"[{port}]\t\t# \"switch {spine}\" lid 1 4xHDR")
        };
        switch(
            leaf,
            (0..nodes)
                .map(host)
                .chain((0..spines * cables).map(cable))
                .collect(),
        );
    }
    for spine in 0..spines {
        let cable = |i| {
            let (leaf, port) = (i / cables, nodes + spine * cables + i % cables + 1);
            format!("\"S-{leaf:04}\"[{port}]\t\t# \"switch {leaf}\" lid 1 4xHDR")
        };
        switch(leaves + spine, (0..leaves * cables).map(cable).collect());
    }
    file(folder, "ibnetdiscover", "fabric.txt", &text)
}

/// The notations of each fabric, without those of files.
const FABRICS: &[&[&str]] = &[
    &[
        "xgft:m=16x4,w=1x4",
        "multi-rail:rails=1,domains=16,units=4,spines=4",
    ],
    &[
        "xgft:m=8x5,w=1x3",
        "multi-rail:rails=1,domains=8,units=5,spines=3",
    ],
    &["fat-tree:k=4", "xgft:m=2x2x4,w=1x2x2"],
    &["fat-tree:k=3,n=3", "xgft:m=3x3x3,w=1x3x3"],
    &["torus:4x5", "grid:4x5,wrap=11"],
    &[
        "torus:4x3x2,per_router=2",
        "grid:4x3x2,wrap=111,per_router=2",
    ],
    &["torus:2x2x3,double=true", "grid:2x2x3,wrap=111,double=true"],
    &["mesh:3x4x2", "grid:3x4x2,wrap=000"],
    &["hyperx:2x2x2x2", "mesh:2x2x2x2", "torus:2x2x2x2"],
    &[
        "hyperx:6,per_router=2",
        "dragonfly:p=2,a=6,h=0,g=1",
        "cascade:6x1x1,per_router=2",
    ],
    &["cascade:3x2x4,per_router=2", "hyperx:4x2x3,per_router=2"],
    &["cascade:3x2x2,global=single"],
    &["tpu:4x4x4", "torus:4x4x4"],
    &["dragonfly:p=2,a=4,h=2"],
    &["dragonfly:p=1,a=2,h=4,g=2"],
    &["dragonfly+:p=2,l=2,s=2,h=2"],
    &["slim-fly:q=5"],
    &["polarfly:q=3,per_router=2"],
    &["multi-rail:rails=1,domains=8,units=4,spines=2,cables=4"],
];

#[test]
fn one_fabric_has_one_set_of_figures() {
    for fabric in FABRICS {
        let folder = tempfile::tempdir().unwrap();
        let mut specs: Vec<String> = fabric.iter().map(|spec| spec.to_string()).collect();
        specs.push(graph(folder.path(), fabric[0]));
        agree(folder.path(), &specs);
    }
    let folder = tempfile::tempdir().unwrap();
    let leaves = "multi-rail:rails=1,domains=6,units=4,spines=3,cables=2".to_string();
    agree(
        folder.path(),
        &[leaves, infiniband(folder.path(), [6, 4, 3, 2])],
    );
    // One switch.
    let folder = tempfile::tempdir().unwrap();
    let one = [
        "xgft:m=8,w=1",
        "multi-rail:rails=1,domains=8",
        "mesh:1,per_router=8",
    ];
    let mut specs = one.map(String::from).to_vec();
    specs.push(files_of_a_tree(folder.path(), &[8])[0].clone());
    agree(folder.path(), &specs);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5))]

    /// Trees of one parent a switch, in every file that can say them.
    #[test]
    fn trees_are_the_same_in_every_notation(m in prop::collection::vec(2u32..5, 2..4)) {
        let folder = tempfile::tempdir().unwrap();
        let by = |list: &[u32]| list.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
        let xgft = format!("xgft:m={},w={}", by(&m), by(&vec![1; m.len()]));
        let mut specs = vec![xgft.clone(), graph(folder.path(), &xgft)];
        specs.extend(files_of_a_tree(folder.path(), &m));
        if let [per_leaf, units] = m[..] {
            specs.push(format!("multi-rail:rails=1,domains={per_leaf},units={units},spines=1"));
        }
        agree(folder.path(), &specs);
    }

    /// Leaves and spines.
    #[test]
    fn leaves_and_spines_are_the_same_in_every_notation(
        [nodes, leaves, spines, cables] in [2u32..6, 2u32..6, 1u32..4, 1u32..3],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let rails =
            format!("multi-rail:rails=1,domains={nodes},units={leaves},spines={spines},cables={cables}");
        let mut specs = vec![rails.clone(), graph(folder.path(), &rails)];
        specs.push(infiniband(folder.path(), [nodes, leaves, spines, cables]));
        if cables == 1 {
            specs.push(format!("xgft:m={nodes}x{leaves},w=1x{spines}"));
        }
        agree(folder.path(), &specs);
    }

    /// Grids of any extents and wraps.
    #[test]
    fn grids_are_the_same_in_every_notation(
        dims in prop::collection::vec(2u32..6, 2..4),
        per in 1u32..3,
        wrapped in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let by: Vec<String> = dims.iter().map(u32::to_string).collect();
        let (by, bit) = (by.join("x"), if wrapped { "1" } else { "0" });
        let kind = if wrapped { "torus" } else { "mesh" };
        let spec = format!("{kind}:{by},per_router={per}");
        let digits = bit.repeat(dims.len());
        let specs = [
            spec.clone(),
            format!("grid:{by},wrap={digits},per_router={per}"),
            graph(folder.path(), &spec),
        ];
        agree(folder.path(), &specs);
    }
}

/// 64 nodes, four leaf and four spine switches, by hand: eight switches, 16 cables between them, 64 to nodes; 20 cables
/// at a leaf switch, of which 16 lead down and four up.
#[test]
fn servers_are_no_switches() {
    let found = figures("multi-rail:rails=1,domains=16,units=4,spines=4");
    let expected = [
        ("routers", 8.0),
        ("links", 16.0),
        ("cables", 16.0),
        ("node_links", 64.0),
        ("ports", 20.0),
        ("oversubscription", 4.0),
        ("diameter", 2.0),
        ("bisection_links", 8.0),
    ];
    for (key, value) in expected {
        assert_eq!(found[key].as_f64(), Some(value), "{key}");
    }
}

/// Seven units of eight racks of 18 servers on four rails: 28 leaf and 16 spine switches, 112 cables between them, and
/// 4,000 of 1,000 servers. 44 · 8,000 + 112 · 300 + 4,000 · 50 + 1,000 · 10,000.
#[test]
fn several_rails_are_priced_by_their_switches_and_cables() {
    let spec = "multi-rail:rails=4,domain=18,nodes=1000,spines=4";
    let prices = "links=300,node_links=50,routers=8000,nodes=10000";
    let found = json(&["machines", spec, "torus:nodes=1000", "--prices", prices]);
    let machines = found["machines"].as_array().unwrap();
    let rails = machines.iter().find(|m| m["machine"] == spec).unwrap();
    assert_eq!(
        (&rails["routers"], &rails["cables"]),
        (&44.into(), &112.into())
    );
    assert_eq!(
        (&rails["node_links"], &rails["oversubscription"]),
        (&4000.into(), &36.0.into())
    );
    assert_eq!(
        rails["cost"],
        352_000.0 + 33_600.0 + 200_000.0 + 10_000_000.0
    );
}

/// Servers share what they send among all rails: R rails carry an R-th each of what one would.
#[test]
fn rails_share_the_traffic() {
    for routing in ["ecmp-hop", "ecmp-path", "one-path", "rail", "up-down"] {
        let most = |rails| {
            let spec = format!("multi-rail:rails={rails},domains=4,units=3,spines=2");
            let guest = [
                "--guest",
                "all-to-all:n=12",
                "--order",
                "row-major",
                "--routing",
                routing,
            ];
            let found = json(&[&["map", &spec][..], &guest].concat());
            // One path a pair leaves some links of a rail idle, the same on each.
            assert!(
                routing == "one-path" || found["links_used"] == found["links"],
                "{routing}"
            );
            found["contention_max"].as_f64().unwrap()
        };
        assert_eq!(most(1), 4.0 * most(4), "{routing}");
    }
    // 12 of 16 partners are outside a node's unit, each way 4 · 12 of two cables.
    let jobs = tempfile::tempdir().unwrap();
    let path = jobs.path().join("jobs.toml");
    let text =
        "[[jobs]]\nname = \"a\"\nnodes = \"0-15\"\nguest = \"all-to-all:n=16\"\nbytes = 1000\n";
    std::fs::write(&path, text).unwrap();
    let path = path.display().to_string();
    let seconds = |rails| {
        let spec = format!("multi-rail:rails={rails},domains=4,units=4,spines=2");
        let arguments = ["corun", &spec, "--jobs", &path, "--bandwidth", "1000B/s"];
        let found = json(&[&arguments[..], &["--routing", "ecmp-hop"]].concat());
        found["jobs"][0]["seconds"].as_f64().unwrap()
    };
    assert!((seconds(1) - 24.0).abs() < 1e-9);
    // With four rails cables carry a fourth; a message may still take no less than its own second.
    assert!((seconds(4) - 6.0).abs() < 1e-9);
}

/// GPUs of one server on a switch of their rail each. NVLink's loads are told apart and counted in nothing else.
#[test]
fn loads_of_nvlink_are_in_no_load_of_a_link() {
    let spec = "multi-rail:rails=2,domain=2,domains=2,units=2,spines=2,gpus=true,nvlink_capacity=9";
    let found = figures(spec);
    for (key, value) in [
        ("routers", 8),
        ("links", 8),
        ("node_links", 16),
        ("ports", 6),
        ("diameter", 2),
    ] {
        assert_eq!(found[key], value, "{key}");
    }
    let guest = [
        "--order",
        "row-major",
        "--guest",
        "all-to-all:n=16",
        "--routing",
        "rail",
    ];
    let found = json(&[&["map", spec][..], &guest].concat());
    // A GPU sends to 3 of its domain and, over the other GPU, to the 6 of the other domains on the other rail.
    assert_eq!(
        (&found["nvlink_load_max"], &found["nvlink_contention_max"]),
        (&9.0.into(), &1.0.into())
    );
    // To the 8 GPUs of the other unit, half on each rail: 8 · 4 of each rail over two cables.
    assert_eq!(
        (&found["contention_max"], &found["links"]),
        (&16.0.into(), &16.into())
    );
    assert_eq!(found["hop_bytes"], 16.0 * 8.0 * 2.0);
}

/// Units of domains are those of node ids, wherever the nodes hang.
#[test]
fn levels_are_units_of_nodes() {
    let rows = |spec: &str| -> Vec<(String, u64, u64)> {
        let found = figures(spec);
        let row = |l: &Value| {
            let count = |key: &str| l[key].as_u64().unwrap();
            (
                l["name"].as_str().unwrap().to_string(),
                count("units"),
                count("nodes"),
            )
        };
        found["levels"]
            .as_array()
            .unwrap()
            .iter()
            .map(row)
            .collect()
    };
    let row = |name: &str, units, nodes| (name.to_string(), units, nodes);
    assert_eq!(
        rows("gb200-nvl72"),
        [
            row("unit", 16, 576),
            row("domain", 128, 72),
            row("node", 2304, 4)
        ]
    );
    let rails = "multi-rail:rails=4,domain=18,domains=8,units=2,spines=4";
    assert_eq!(rows(rails), [row("unit", 2, 144), row("domain", 16, 18)]);
}

/// As many cables up as down at each leaf switch, unless spine switches are given.
#[test]
fn machines_by_size_are_not_oversubscribed() {
    for nodes in [100, 4000, 10_000] {
        for family in [
            "multi-rail",
            "fat-tree",
            "xgft",
            "dragonfly",
            "dragonfly+",
            "hyperx",
            "slim-fly",
        ] {
            let found = figures(&format!("{family}:nodes={nodes}"));
            let ratio = found["oversubscription"].as_f64().unwrap();
            assert!(ratio <= 1.0, "{family}:nodes={nodes}: {ratio}");
        }
    }
    let output = crate::command()
        .args(["topology", "multi-rail:nodes=256"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("units=8,spines=4,cables=8"), "{said}");
}

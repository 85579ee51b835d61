//! Every shipped machine builds and has the numbers its source gives or a closed form tells.

use std::collections::BTreeMap;

use nodeorder_base::{NodeId, Text};
use nodeorder_network::catalog;
use nodeorder_network::{Context, Topology};

/// Nodes, routers, links, diameter.
type Numbers = (u64, u64, u64, u32);

/// Torus: Π extents routers, as many links a dimension (half for extent 2), Σ ⌊n/2⌋. Cascade:
/// degree 15+5+(groups-1). Dragonfly: g·a(a-1)/2 links in groups and as many as published for each of the g(g-1)/2
/// pairs of groups; dragonfly+: g·l·s in groups. Fat tree: 5k²/4 switches, k³/2 links. Multi-rail: a link for each leaf
/// and spine switch of a rail and each spine and core switch of a number.
const EXPECTED: &[(&str, Numbers)] = &[
    ("alps", (2688, 672, 24 * 28 * 27 / 2 + 24 * 23 / 2 * 19, 3)),
    ("archer2", (5860, 736, 46 * 120 + 46 * 45 / 2, 3)),
    (
        "aurora",
        (10_624, 5312, 166 * 32 * 31 / 2 + 166 * 165 / 2 * 2, 3),
    ),
    ("blue-waters", (27_648, 13_824, 3 * 13_824, 36)),
    ("cplant", (320, 320, 2 * 7 * 8 * 5 + 8 * 8 * 4, 18)),
    // Rows 0 to 3 without their wrap, columns with theirs.
    ("cplant-test", (128, 64, 128, 3 + 4)),
    ("derecho", (2488, 160, 10 * 120 + 45, 3)),
    ("edison", (5760, 1440, 1440 * (15 + 5 + 14) / 2, 3)),
    // Links of the two wired machines and their diameters are those of the files.
    ("edison-wired", (5760, 1440, 15_660, 4)),
    ("fat-tree-hdr", (16_000, 2000, 32_000, 4)),
    (
        "frontier",
        (9856, 2464, 77 * 32 * 31 / 2 + 77 * 76 / 2 * 4, 3),
    ),
    (
        "fugaku",
        (158_976, 158_976, 5 * 158_976, 12 + 11 + 12 + 1 + 1 + 1),
    ),
    ("gb200-nvl72", (9216, 64 + 16, 64 * 4, 2)),
    ("h100-4096", (4096, 128 + 128 + 64, 128 * 16 + 128 * 4, 2)),
    ("hector", (2816, 1440, 3 * 1440, 18)),
    (
        "hector-dragonfly-best",
        (2816, 768, 768 * (15 + 5 + 7) / 2, 3),
    ),
    (
        "hector-dragonfly-worst",
        (2816, 768, 768 * (15 + 5) / 2 + 8 * 7 / 2, 5),
    ),
    ("hector-torus5d", (2816, 2816, 2816 * 9 / 2, 14)),
    ("hopper", (6528, 3264, 3 * 3264, 8 + 4 + 12)),
    // The diameters of the two random machines are those of the networks drawn.
    ("hu-random", (3072, 3072, 9216, 7)),
    ("hu-torus", (3072, 3072, 9216, 8 + 8 + 6)),
    ("hu-ws", (3072, 3072, 9216, 13)),
    (
        "jupiter",
        (5884, 25 * 31, 25 * 15 * 16 + 25 * 24 / 2 * 16, 3),
    ),
    ("lassen", (792, 44 + 12, 44 * 12, 2)),
    ("lumi", (2978, 768, 24 * 32 * 31 / 2 + 24 * 23 / 2 * 20, 3)),
    ("marconi100", (980, 7 * 23, 7 * 7 * 16 + 21 * 16, 3)),
    ("noaa", (1316, 1344, 3 * 1344, 3 + 6 + 8)),
    ("nvl72", (2304, 128 + 64 + 16, 128 * 4 + 64 * 4, 4)),
    ("polaris", (560, 40, 10 * 6 + 45, 3)),
    ("theta", (4360, 1152, 1152 * (15 + 5 + 11) / 2, 3)),
    ("theta-wired", (3456, 864, 9504, 4)),
    ("titan", (19_200 - 512, 9600, 3 * 9600, 12 + 8 + 12)),
    ("tpu-v4", (4096, 4096, 3 * 4096, 24)),
    ("tpu-v5p", (8960, 8960, 3 * 8960, 8 + 10 + 14)),
];

/// Machines whose sources give the links of a router: how many the busiest has, and how many the least busy.
const DEGREES: &[(&str, (u32, u32))] = &[
    // All-to-all in the group; two, four and twenty ports to each of the others, the last switches' left over.
    ("aurora", (31, 31 + 11)),
    ("frontier", (31, 31 + 10)),
    ("lumi", (31, 31 + 15)),
    // Ten ports of the Tofu interconnect D, six of a TPU.
    ("fugaku", (10, 10)),
    ("tpu-v5p", (6, 6)),
    // Leaf switches to 16 spine switches; these to 15 leaf switches and, with 24 ports, to other groups.
    ("jupiter", (16, 15 + 24)),
];

#[test]
fn routers_have_the_links_of_their_source() {
    for (name, expected) in DEGREES {
        let s = catalog::topology(name, &Context::default())
            .unwrap()
            .statistics()
            .unwrap();
        assert_eq!(&(s.degree_min, s.degree_max), expected, "{name}");
    }
}

/// Sums that sources state: bandwidth between halves of Aurora's groups (0.69 PB/s) and between all pairs of nodes of
/// LUMI-G's (276 TB/s), links of 25 GB/s each way; cables of the 4,096 GPUs at each of three levels.
#[test]
fn links_carry_what_their_source_says() {
    let machine = |name| catalog::topology(name, &Context::default()).unwrap();
    let cables = |name, first: fn(u32) -> u32| {
        let mut all = std::collections::HashMap::new();
        machine(name)
            .network()
            .for_each_link(&mut |u, v, capacity| {
                *all.entry((first(u), first(v))).or_insert(0.0) += capacity;
            });
        all
    };
    let between = |name| -> Vec<f64> {
        let all = cables(name, |router| router / 32);
        all.into_iter()
            .filter(|((a, b), _)| a != b)
            .map(|(_, links)| links * 50e9)
            .collect()
    };
    let aurora = between("aurora");
    assert_eq!(aurora.len(), 166 * 165 / 2);
    assert!((83.0 * 83.0 * aurora[0] - 0.69e15).abs() < 0.005e15);
    assert_eq!(between("lumi").iter().sum::<f64>(), 276e12);
    let level = |router: u32| match router {
        ..128 => 0,
        128..256 => 1,
        _ => 2,
    };
    let h100 = cables("h100-4096", level);
    for pair in [(0, 1), (1, 2)] {
        assert_eq!(h100[&pair], 4096.0, "{pair:?}");
    }
    assert_eq!(machine("h100-4096").statistics().unwrap().node_links, 4096);
}

/// The files of `topologies/`, by name.
fn files() -> BTreeMap<String, Text> {
    let folder = crate::root().join("topologies");
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            files.insert(name, Text::read(&path, 1 << 20).unwrap());
        }
    }
    files
}

#[test]
fn every_shipped_machine_has_the_numbers_of_its_source() {
    let files = files();
    let listed: Vec<&str> = EXPECTED.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        listed,
        "files of topologies/ and the table"
    );
    assert_eq!(catalog::machine_names(), listed);
    for (name, expected) in EXPECTED {
        let machine = Topology::toml(&files[*name], None, &Context::default()).unwrap();
        let s = machine.statistics().unwrap();
        assert_eq!(
            &(s.nodes, s.routers, s.links, s.diameter),
            expected,
            "{name}"
        );
        assert_eq!(machine.graph().unwrap().count_components(), 1, "{name}");
    }
}

#[test]
fn shipped_machines_say_who_they_are() {
    for (name, text) in files() {
        let machine = catalog::topology(&name, &Context::default()).unwrap();
        assert_eq!(machine.name(), name);
        assert!(machine.source().is_some(), "{name}: no source");
        assert!(
            text.as_str().contains("\n# Source: "),
            "{name}: no `# Source:` in the header"
        );
        assert!(
            text.as_str().contains("\n# Date: "),
            "{name}: no `# Date:` in the header"
        );
        // Another default seed draws nothing anew: what is shipped is one machine.
        let again = Topology::inline(
            machine.spec(),
            &Context {
                seed: 9,
                ..Context::default()
            },
        );
        assert_eq!(again.unwrap().spec(), machine.spec());
    }
}

#[test]
fn names_follow_the_pattern_of_the_file() {
    let name = |machine, node| {
        catalog::topology(machine, &Context::default())
            .unwrap()
            .node_name(NodeId(node))
    };
    assert_eq!(name("theta", 17), "nid00017");
    assert_eq!(name("archer2", 0), "nid001000");
    assert_eq!(name("archer2", 5859), "nid006859");
    // Groups of 240 are five racks of 48.
    assert_eq!(name("jupiter", 0), "jpbo-001-01");
    assert_eq!(name("jupiter", 240), "jpbo-006-01");
    assert_eq!(name("jupiter", 5883), "jpbo-123-28");
    assert_eq!(name("nvl72", 2303), "tray2303");
    assert_eq!(name("gb200-nvl72", 9215), "gpu9215");
    assert_eq!(name("hector", 5), "n0005");
}

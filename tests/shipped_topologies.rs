//! Every shipped machine builds and has the numbers its source gives or a closed form tells.

use std::collections::BTreeMap;
use std::path::Path;

use nodeorder::input::Text;
use nodeorder::{Context, NodeId, Topology, catalog};

/// Nodes, routers, links, diameter.
type Numbers = (u64, u64, u64, u32);

/// Torus: Π extents routers, as many links a dimension (half for extent 2), Σ ⌊n/2⌋. Cascade:
/// degree 15+5+(groups-1). Dragonfly: g·a(a-1)/2 + g(g-1)/2 links. Fat tree: 5k²/4 switches, k³/2 links.
const EXPECTED: &[(&str, Numbers)] = &[
    ("archer2", (5860, 736, 46 * 120 + 46 * 45 / 2, 3)),
    ("cplant", (320, 320, 2 * 7 * 8 * 5 + 8 * 8 * 4, 18)),
    // Rows 0 to 3 without their wrap, columns with theirs.
    ("cplant-test", (128, 64, 128, 3 + 4)),
    ("fat-tree-hdr", (16_000, 2000, 32_000, 4)),
    ("hector", (2816, 1440, 3 * 1440, 18)),
    ("hector-dragonfly-best", (2816, 768, 768 * (15 + 5 + 7) / 2, 3)),
    ("hector-dragonfly-worst", (2816, 768, 768 * (15 + 5) / 2 + 8 * 7 / 2, 5)),
    ("hector-torus5d", (2816, 2816, 2816 * 9 / 2, 14)),
    ("hopper", (6528, 3264, 3 * 3264, 8 + 4 + 12)),
    // The diameters of the two random machines are those of the networks drawn.
    ("hu-random", (3072, 3072, 9216, 7)),
    ("hu-torus", (3072, 3072, 9216, 8 + 8 + 6)),
    ("hu-ws", (3072, 3072, 9216, 13)),
    ("noaa", (1316, 1344, 3 * 1344, 3 + 6 + 8)),
    ("nvl72", (2304, 128 + 64 + 16, 128 * 4 + 64 * 4, 4)),
    ("theta", (4360, 1152, 1152 * (15 + 5 + 11) / 2, 3)),
    ("titan", (18_944, 19_200, 3 * 19_200, 12 + 16 + 12)),
    ("tpu-v4", (4096, 4096, 3 * 4096, 24)),
];

/// The files of `topologies/`, by name.
fn files() -> BTreeMap<String, Text> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("topologies");
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
    assert_eq!(files.keys().collect::<Vec<_>>(), listed, "files of topologies/ and the table");
    assert_eq!(catalog::machines(), listed);
    for (name, expected) in EXPECTED {
        let machine = Topology::toml(&files[*name], None, &Context::default()).unwrap();
        let s = machine.statistics().unwrap();
        assert_eq!(&(s.nodes, s.routers, s.links, s.diameter), expected, "{name}");
        assert!(machine.graph().unwrap().is_connected(), "{name}");
    }
}

#[test]
fn shipped_machines_say_who_they_are() {
    for (name, text) in files() {
        let machine = catalog::topology(&name, &Context::default()).unwrap();
        assert_eq!(machine.name(), name);
        assert!(machine.source().is_some(), "{name}: no source");
        assert!(text.as_str().contains("\n# Source: "), "{name}: no `# Source:` in the header");
        assert!(text.as_str().contains("\n# Date: "), "{name}: no `# Date:` in the header");
        // Another default seed draws nothing anew: what is shipped is one machine.
        let again = Topology::inline(machine.spec(), &Context { seed: 9, ..Context::default() });
        assert_eq!(again.unwrap().spec(), machine.spec());
    }
}

#[test]
fn names_follow_the_pattern_of_the_file() {
    let name = |machine, node| {
        catalog::topology(machine, &Context::default()).unwrap().node_name(NodeId(node))
    };
    assert_eq!(name("theta", 17), "nid00017");
    assert_eq!(name("nvl72", 2303), "tray2303");
    assert_eq!(name("hector", 5), "n0005");
}

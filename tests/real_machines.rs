//! Machines as their sites name and wire them: the published arithmetic against the shipped tables.

use std::collections::HashMap;

use nodeorder_base::NodeId;
use nodeorder_network::catalog;
use nodeorder_network::{Context, Topology};

fn machine(spec: &str) -> Topology {
    catalog::topology(spec, &Context::default()).unwrap()
}

/// Where a torus of two nodes a router has a nid: x, y, z and the node's place on the router. Titan's rule; that of
/// Blue Waters by analogy.
fn place(nid: u32, [nx, ny, nz]: [u32; 3]) -> [u32; 4] {
    let p = nid / 2;
    let (plane, column, row) = (p / (ny * nz), p % (ny * nz) / nz, p % nz);
    let x = (nx - plane) % nx;
    let y = if plane % 2 == 1 {
        ny - 1 - column
    } else {
        column
    };
    let z = if (ny * plane + column) % 2 == 1 {
        nz - 1 - row
    } else {
        row
    };
    [x, y, z, nid % 2]
}

fn id(at: [u32; 4], [_, ny, nz]: [u32; 3]) -> NodeId {
    NodeId(((at[0] * ny + at[1]) * nz + at[2]) * 2 + at[3])
}

#[test]
fn nids_of_gemini_follow_the_published_arithmetic() {
    for (name, dims) in [("titan", [25, 16, 24]), ("blue-waters", [24, 24, 24])] {
        let machine = machine(name);
        for nid in 0..2 * dims.iter().product::<u32>() {
            let node = Some(id(place(nid, dims), dims));
            assert_eq!(machine.node_named(&format!("nid{nid:05}")), node, "{name}");
            for spelling in [
                format!("nid{nid}"),
                nid.to_string(),
                format!("nid{nid:05}.site.org"),
            ] {
                assert_eq!(machine.host_named(&spelling), node, "{name}: {spelling}");
            }
        }
        // Ids run as in `torus:`: the node on a router fastest, then z, y and x.
        let far = |b: [u32; 4]| machine.distance(id([0, 0, 0, 0], dims), id(b, dims));
        assert_eq!(
            [[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]].map(far),
            [0, 1, 1, 1]
        );
        assert_eq!(far([12, dims[1] / 2, 12, 1]), 24 + dims[1] / 2);
    }
}

/// A blade cCOL-ROWcCsS by the rule for names of blades: its column of cabinets gives x, its row y, cage and slot z.
fn blade(name: &str) -> [u32; 3] {
    let numbers: Vec<u32> = name[1..]
        .split(['-', 'c', 's'])
        .map(|n| n.parse().unwrap())
        .collect();
    let [column, row, cage, slot] = numbers[..] else {
        panic!("{name}")
    };
    let x = if column % 2 == 0 {
        (25 - column / 2) % 25
    } else {
        column.div_ceil(2)
    };
    let y = 2 * [0, 2, 4, 6, 7, 5, 3, 1]
        .iter()
        .position(|r| *r == row)
        .unwrap() as u32;
    let cage = if (y / 2) % 2 == 1 { 2 - cage } else { cage };
    [x, y, 8 * cage + if cage == 1 { 7 - slot } else { slot }]
}

#[test]
fn service_blades_of_titan_are_not_schedulable() {
    let (machine, dims) = (machine("titan"), [25, 16, 24]);
    let file = crate::root().join("topologies/titan-service-blades.txt");
    let text = std::fs::read_to_string(file).unwrap();
    let mut blades = HashMap::new();
    for (name, nids) in text
        .lines()
        .filter_map(|line| line.split_once("  # ")?.1.split_once(": "))
    {
        let [x, y, z] = blade(name);
        let mut found = Vec::new();
        for nid in nids.split(' ').map(|nid| nid.parse::<u32>().unwrap()) {
            let node = machine.host_named(&format!("nid{nid}")).unwrap();
            assert!(!machine.nodes().contains(node), "{name}: {nid}");
            found.push(place(nid, dims));
        }
        found.sort_unstable();
        let here = [
            [x, y, z, 0],
            [x, y, z, 1],
            [x, y + 1, z, 0],
            [x, y + 1, z, 1],
        ];
        assert_eq!(found, here, "{name}");
        blades.insert(name.to_string(), nids.to_string());
    }
    assert_eq!(
        (blades.len(), machine.node_count()),
        (128, 25 * 16 * 24 * 2 - 512)
    );
    let Some(published) = crate::skip::shared("service_blades", "records/titan-service-blades.txt")
    else {
        return;
    };
    for line in std::fs::read_to_string(published)
        .unwrap()
        .lines()
        .filter(|l| !l.starts_with('#'))
    {
        let part: Vec<&str> = line.split(' ').collect();
        let name = format!("c{}-{}c{}s{}", part[0], part[1], part[2], part[3]);
        assert_eq!(blades.remove(&name), Some(part[4..].join(" ")));
    }
    assert!(blades.is_empty());
}

/// nids 2, 40 and 767 sit at (0,0,1), (0,0,20) and (0,15,0): 5, 2 and 5 hops apart.
#[test]
fn titans_nids_are_audited() {
    let folder = tempfile::tempdir().unwrap();
    for list in [
        "nid00002,nid00040,nid00767",
        "nid[2,40,767]",
        "2,40,767",
        "nid2,nid040,0767",
    ] {
        let table = format!("j,s,e,n,l\n1,0,9,3,\"{list}\"\n");
        std::fs::write(folder.path().join("r.csv"), table).unwrap();
        let columns = "job=j,submit=s,start=s,end=e,nodes=n,list=l";
        let mut command = crate::command();
        command.args(["audit", "titan", "--trace", "r.csv", "--columns", columns]);
        let output = command.current_dir(folder.path()).output().unwrap();
        let rows = String::from_utf8(output.stdout).unwrap();
        let mut reader = csv::Reader::from_reader(rows.as_bytes());
        let row: HashMap<String, String> = reader.deserialize().next().unwrap().unwrap();
        let [hops, far, routers] =
            ["mean_hops", "diameter", "units_router"].map(|key| row[key].parse::<f64>().unwrap());
        assert_eq!((hops, far, routers), (4.0, 5.0, 3.0), "{list}");
    }
}

#[test]
fn titans_distances_are_the_published_ones() {
    let mean = |spec: &str| {
        let s = machine(spec).statistics().unwrap();
        (s.mean_distance, s.diameter)
    };
    let (all, diameter) = mean("torus:25x16x24,per_router=2");
    assert!(
        (all - 16.24).abs() < 0.005 && diameter == 32,
        "{all} {diameter}"
    );
    let (computing, diameter) = mean("titan");
    assert!(
        (computing - 16.24).abs() < 0.01 && diameter == 32,
        "{computing} {diameter}"
    );
}

#[test]
fn wired_machines_have_their_real_links() {
    for (name, ideal, mean, links) in [
        ("theta-wired", "cascade:16x6x9,per_router=4", 3.1954, 9504),
        ("edison-wired", "edison", 3.4658, 15_660),
    ] {
        let machine = machine(name);
        let s = machine.statistics().unwrap();
        assert!(
            (s.mean_distance - mean).abs() < 5e-5,
            "{name}: {}",
            s.mean_distance
        );
        assert_eq!((s.diameter, s.links), (4, links));
        // The same blades, chassis and groups as the ideal one; of its links those within a chassis are real.
        let levels: Vec<(String, u32)> = machine
            .network()
            .levels()
            .iter()
            .map(|l| (l.name.to_string(), l.slots))
            .collect();
        assert_eq!(
            levels,
            [("group".to_string(), 384), ("chassis".to_string(), 64)]
        );
        let ideal = self::machine(ideal);
        let mut capacities = HashMap::new();
        machine.network().for_each_link(&mut |u, v, capacity| {
            let kind = if u / 16 == v / 16 {
                "chassis"
            } else if u / 96 == v / 96 {
                "group"
            } else {
                "far"
            };
            let kinds: &mut Vec<u32> = capacities.entry(kind).or_default();
            kinds.push(capacity as u32);
            if kind == "chassis" {
                assert_eq!(ideal.distance(NodeId(4 * u), NodeId(4 * v)), 1);
            }
        });
        let groups = s.routers as usize / 96;
        assert_eq!(
            capacities["chassis"].len(),
            groups * 6 * 16 * 15 / 2,
            "all of a chassis are joined"
        );
        assert!(capacities["chassis"].iter().all(|c| *c == 1), "by one link");
        // Chassis pairs by three links each, blade to blade.
        assert_eq!(capacities["group"], vec![3; groups * 15 * 16]);
        assert_eq!(
            capacities["far"].len(),
            s.links as usize - groups * (6 * 120 + 15 * 16)
        );
    }
    assert_eq!(
        machine("theta-wired").host_named("nid03455"),
        Some(NodeId(3455))
    );
    // Nids of the group that was never built are left out.
    for name in ["edison", "edison-wired"] {
        let found = [
            "nid04607", "nid04608", "nid04991", "nid04992", "6143", "4700",
        ]
        .map(|nid| machine(name).host_named(nid).map(|node| node.0));
        assert_eq!(
            found,
            [Some(4607), None, None, Some(4608), Some(5759), None]
        );
    }
}

/// The nodes of one board of a chassis share two switches: frontier00001, 00003, … 00015.
#[test]
fn frontiers_numbers_run_through_cabinets_and_boards() {
    let machine = machine("frontier");
    for (number, at) in (1..9473).chain(10_113..10_497).zip(0u32..) {
        let (cabinet, chassis, slot, board) = (at / 128, at % 128 / 16, at % 16 / 2, at % 2);
        let node = machine.host_named(&format!("frontier{number}")).unwrap();
        let switches = 32 * cabinet + 4 * chassis + 2 * board;
        let router = machine.router_of(node).0;
        assert!(
            (switches..switches + 2).contains(&router),
            "{number}: {router}"
        );
        assert_eq!((router - switches, node.0 % 4), (slot / 4, slot % 4));
        assert_eq!(machine.node_name(node), format!("frontier{number:05}"));
    }
    for number in [0, 9473, 10_112, 10_497] {
        assert_eq!(machine.host_named(&format!("frontier{number:05}")), None);
    }
}

/// A name of each site, the unit of a level that it lies in, and its place there.
#[test]
fn sites_names_lie_where_the_sites_say() {
    for (spec, name, node) in [
        // Rack 17 is the first of row 31; slot 13 is the third of a rack, and has two boards.
        ("polaris", "x3101c0s13b1n0", 16 * 14 + 2 * 2 + 1),
        ("polaris", "x3212c0s37b1n0", 559),
        ("lassen", "lassen19", 18),
        ("lassen", "lassen792", 791),
        ("marconi100", "979", 979),
        ("derecho", "dec2488", 2487),
        ("derecho", "dec1", 0),
        ("lumi", "nid005128", 128),
        ("aurora", "x4718c7s7b0n0", 10_623),
        ("frontier", "frontier00129", 128),
    ] {
        assert_eq!(
            machine(spec).host_named(name),
            Some(NodeId(node)),
            "{spec} {name}"
        );
    }
    // Rack and group of Polaris are levels: tier0 and tier1.
    let polaris = machine("polaris");
    let names: Vec<_> = polaris
        .network()
        .levels()
        .iter()
        .map(|l| (l.name.to_string(), l.slots))
        .collect();
    assert_eq!(
        names,
        [("group".to_string(), 56), ("router".to_string(), 14)]
    );
}

#[test]
fn levels_of_a_file_of_links_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ring.csv");
    let ring: String = (0..8).map(|i| format!("{i},{}\n", (i + 1) % 8)).collect();
    std::fs::write(&file, ring).unwrap();
    let build = |levels: &str| {
        let spec = format!("graph:{},per_router=2,levels={levels}", file.display());
        Topology::inline(&spec, &Context::default()).map(|machine| (spec, machine))
    };
    let (spec, machine) = build("row:4/pair:2").unwrap();
    assert_eq!(machine.spec(), spec);
    let levels = machine.network().levels();
    assert_eq!(
        levels
            .iter()
            .map(|l| (&*l.name, l.slots))
            .collect::<Vec<_>>(),
        [("row", 8), ("pair", 4)]
    );
    for levels in [
        "row",
        "row:",
        ":4",
        "row:0",
        "row:3/pair:2",
        "a:2/b:2",
        "row:2/pair:4",
        "a b:2",
    ] {
        let said = build(levels).unwrap_err().to_string();
        assert!(
            said.contains("NAME:ROUTERS of each level"),
            "{levels}: {said}"
        );
    }
}

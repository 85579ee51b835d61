//! Exports read back: every target gives the rank order again, by the rule of the program it is for.

use std::collections::BTreeMap;

use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_present::export::{self, Export};
use nodeorder_traffic::mapping::{self, Fabric, FixedRouting, Guest, ProcessMapping};

const MACHINES: &[(&str, &str)] = &[
    ("torus:4x4x4", "hilbert"),
    ("torus:5x3,per_router=2,limit=27,exclude=4-6", "snake"),
    ("fat-tree:k=4", "random"),
    ("mesh:1", "row-major"),
    ("mesh:11", "random:seed=3"),
];

/// Runs `check` on an export to `target` of several machines, with the names in rank order.
fn on_all(target: &str, check: impl Fn(&Export, &[String], &str)) {
    for (spec, by) in MACHINES {
        let machine = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&machine, by).unwrap();
        let export = export::write_order(target, &machine, &order).unwrap();
        let names: Vec<String> = order
            .nodes()
            .iter()
            .map(|n| machine.node_name(*n))
            .collect();
        for part in [
            "nodeorder ",
            "topology: ",
            "What it does: ",
            "Run with: ",
            "How to undo it: ",
        ] {
            assert!(export.text.contains(part), "{target}: {part}");
        }
        assert!(
            export.text.contains(&format!("ordering: {by}\n")),
            "{target}"
        );
        check(&export, &names, spec);
    }
}

/// The lines that are no comments.
fn data(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// `key=value` words of a line.
fn words(line: &str) -> BTreeMap<&str, &str> {
    line.split(' ')
        .map(|word| word.split_once('=').unwrap())
        .collect()
}

/// The nodes that a machine of [`MACHINES`] keeps out: they come after the others.
fn excluded(spec: &str) -> &'static [&'static str] {
    if spec.contains("exclude=4-6") {
        &["n04", "n05", "n06"]
    } else {
        &[]
    }
}

#[test]
fn slurm_weights_sort_into_rank_order() {
    on_all("slurm-weights", |export, names, spec| {
        let mut nodes: Vec<(u32, &str)> = data(&export.text)
            .map(words)
            .map(|w| (w["Weight"].parse().unwrap(), w["NodeName"]))
            .collect();
        nodes.sort_unstable();
        assert!(nodes.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let (ordered, rest) = nodes.split_at(names.len());
        assert!(ordered.iter().map(|(_, name)| *name).eq(names.iter()));
        assert!(
            rest.iter().map(|(_, name)| name).eq(excluded(spec)),
            "{spec}"
        );
    });
}

#[test]
fn slurm_aliases_sort_into_rank_order_as_text() {
    on_all("slurm-names", |export, names, spec| {
        let mut nodes: Vec<(&str, &str)> = data(&export.text)
            .map(words)
            .map(|w| (w["NodeName"], w["NodeHostname"]))
            .collect();
        nodes.sort_unstable();
        let (ordered, rest) = nodes.split_at(names.len());
        assert!(
            ordered.iter().map(|(_, host)| *host).eq(names.iter()),
            "{spec}"
        );
        assert!(
            rest.iter().map(|(_, host)| host).eq(excluded(spec)),
            "{spec}"
        );
        assert!(
            nodes
                .iter()
                .all(|(alias, _)| alias.len() == nodes[0].0.len())
        );
    });
}

#[test]
fn slurm_leaves_stand_in_rank_order() {
    on_all("slurm-topology", |export, names, _| {
        let lines: Vec<_> = data(&export.text).map(words).collect();
        let (root, leaves) = lines.split_last().unwrap();
        assert!(leaves.iter().map(|w| w["Nodes"]).eq(names.iter()));
        let [first, last] = [&leaves[0], &leaves[leaves.len() - 1]].map(|w| &w["SwitchName"][4..]);
        assert_eq!(root["Switches"], format!("leaf[{first}-{last}]"));
        assert!(
            leaves
                .windows(2)
                .all(|w| w[0]["SwitchName"] < w[1]["SwitchName"])
        );
    });
}

#[test]
fn flux_lists_hosts_in_rank_order() {
    on_all("flux", |export, names, _| {
        let table: toml::Table = export.text.parse().unwrap();
        let boot = table["bootstrap"]["hosts"][0]["host"].as_str().unwrap();
        assert_eq!(
            table["resource"]["config"][0]["hosts"].as_str().unwrap(),
            boot
        );
        // Names here share their stem: one bracket, or a single name.
        let numbers = boot.trim_start_matches('n').trim_matches(['[', ']']);
        let mut listed = Vec::new();
        for run in numbers.split(',') {
            let (a, b) = run.split_once('-').unwrap_or((run, run));
            let width = a.len();
            let (a, b): (u32, u32) = (a.parse().unwrap(), b.parse().unwrap());
            listed.extend((a..=b).map(|n| format!("n{n:0width$}")));
        }
        assert_eq!(listed, names);
    });
}

#[test]
fn pbs_ranks_sort_into_rank_order() {
    on_all("pbs", |export, names, _| {
        let mut lines = data(&export.text);
        assert_eq!(lines.next(), Some("create resource rank type=long, flag=h"));
        for (rank, (name, line)) in names.iter().zip(lines.by_ref()).enumerate() {
            assert_eq!(
                line,
                format!("set node {name} resources_available.rank = {rank}")
            );
        }
        // Those that are left out follow: without a rank OpenPBS would take them for the first.
        let left_out = (names.len()..).zip(lines);
        for (rank, line) in left_out {
            assert!(
                line.ends_with(&format!(" resources_available.rank = {rank}")),
                "{line}"
            );
        }
    });
}

#[test]
fn lsf_units_stand_in_rank_order() {
    on_all("lsf", |export, names, _| {
        let lines: Vec<&str> = data(&export.text).collect();
        assert_eq!(lines[..2], ["Begin ComputeUnit", "NAME MEMBER TYPE"]);
        assert_eq!(lines[lines.len() - 1], "End ComputeUnit");
        let units: Vec<Vec<&str>> = lines[2..lines.len() - 1]
            .iter()
            .map(|l| l.split(' ').collect())
            .collect();
        assert!(
            units
                .iter()
                .map(|u| u[1].trim_matches(['(', ')']))
                .eq(names.iter())
        );
        assert!(units.windows(2).all(|u| u[0][0] < u[1][0]));
    });
}

fn xml(text: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    roxmltree::Document::parse_with_options(text, options).unwrap()
}

#[test]
fn simgrid_hosts_stand_in_rank_order() {
    on_all("simgrid", |export, names, spec| {
        let document = xml(&export.text);
        let of = |tag: &'static str| {
            document
                .descendants()
                .filter(move |n| n.has_tag_name(tag))
                .collect::<Vec<_>>()
        };
        let mut hosts: Vec<&str> = of("host")
            .iter()
            .map(|h| h.attribute("id").unwrap())
            .collect();
        // The last is for Batsim, and in no list.
        assert_eq!(hosts.pop(), Some("master_host"));
        assert_eq!(hosts, names);
        let [(ending, list)] = export.beside.as_slice() else {
            panic!("{:?}", export.beside)
        };
        assert_eq!(*ending, ".hosts");
        assert!(list.lines().eq(names.iter()));
        assert_eq!(of("route").len(), names.len() * (names.len() - 1), "{spec}");
    });
}

/// Every route in the platform is one that our routing takes: all of its links where there is one path,
/// some of the links where traffic is split.
#[test]
fn simgrid_routes_are_ours_link_by_link() {
    for (spec, routing) in [
        ("torus:4x3", "dimension-order"),
        ("torus:5x3,per_router=2", "dimension-order"),
        ("mesh:3x2x2", "dimension-order"),
        ("hyperx:3x3", "dimension-order"),
        ("fat-tree:k=4", "ecmp-path"),
        ("dragonfly:p=1,a=4,h=1", "ecmp-path"),
        ("random-regular:n=12,d=3", "ecmp-hop"),
    ] {
        let machine = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&machine, "row-major").unwrap();
        let export = export::write_order("simgrid", &machine, &order).unwrap();
        let fabric = Fabric::new(&machine).unwrap();
        let routing = FixedRouting::find_by_name(routing).unwrap();
        let guest = Guest::new("pair", 2, vec![(0, 1, 1.0)]).unwrap();
        let mut routes = BTreeMap::new();
        for route in xml(&export.text)
            .descendants()
            .filter(|n| n.has_tag_name("route"))
        {
            assert_eq!(route.attribute("symmetrical"), Some("NO"));
            let links: Vec<String> = route
                .children()
                .filter(|n| n.has_tag_name("link_ctn"))
                .map(|l| {
                    let direction = l
                        .attribute("direction")
                        .map_or(String::new(), |d| format!(" {d}"));
                    l.attribute("id").unwrap().to_string() + &direction
                })
                .collect();
            let ends = ["src", "dst"].map(|key| route.attribute(key).unwrap().to_string());
            assert!(routes.insert(ends, links).is_none());
        }
        for a in order.nodes() {
            for b in order.nodes().iter().filter(|b| *b != a) {
                let ends = [a, b].map(|n| machine.node_name(*n));
                let links = &routes[&ends];
                let (first, rest) = links.split_first().unwrap();
                let (last, path) = rest.split_last().unwrap();
                assert_eq!(
                    [first, last],
                    [
                        &format!("node-{} UP", ends[0]),
                        &format!("node-{} DOWN", ends[1])
                    ]
                );
                let placement = ProcessMapping::new(&machine, "pair", vec![*a, *b]).unwrap();
                let found = mapping::analyse(&fabric, &guest, &placement, routing).unwrap();
                let loads = found.contention.loads;
                let ours: BTreeMap<String, f64> = (fabric.links.iter())
                    .filter(|(_, _, link)| loads[*link] > 0.0)
                    .map(|(u, v, link)| {
                        let way = if u < v { "UP" } else { "DOWN" };
                        (format!("link-{}-{} {way}", u.min(v), u.max(v)), loads[link])
                    })
                    .collect();
                assert!(
                    path.iter().all(|link| ours.contains_key(link)),
                    "{spec} {ends:?} {path:?}"
                );
                assert_eq!(
                    path.len() as u32,
                    machine.distance(*a, *b),
                    "{spec} {ends:?}"
                );
                if ours.values().all(|load| *load == 1.0) {
                    assert_eq!(path.len(), ours.len(), "{spec} {ends:?}");
                }
            }
        }
    }
}

/// Beyond the limit every link is an edge of SimGrid's own search.
#[test]
fn large_machines_are_left_to_simgrids_search() {
    let machine = Topology::inline("torus:9x9x4", &Default::default()).unwrap();
    assert!(machine.node_count() > export::EXPLICIT);
    let order = NodeOrder::make(&machine, "snake").unwrap();
    let export = export::write_order("simgrid", &machine, &order).unwrap();
    let document = xml(&export.text);
    let count = |tag: &str| {
        document
            .descendants()
            .filter(|n| n.has_tag_name(tag))
            .count()
    };
    let links = machine.network().link_count() as usize;
    assert_eq!(count("route"), links + 324);
    assert_eq!(
        (count("link"), count("router"), count("host")),
        (links + 324, 324, 324 + 1)
    );
    assert!(export.text.contains("link loads differ from ours"));
}

#[test]
fn ways_that_do_not_work_are_refused_with_the_reason() {
    for (name, reason) in [
        ("slurm-order", "Slurm sorts nodes by name"),
        ("slurm-3d-torus", "fatal to Debian's 22.05"),
        ("slurm-torus3d", "does not follow an ordering"),
        ("pbs-priority", "too few ranks"),
        ("flux-lonodex", "number at the end of the host's name"),
    ] {
        let error = export::find_target(name)
            .map(|t| t.name)
            .unwrap_err()
            .to_string();
        assert!(error.contains(reason) && error.contains("use "), "{error}");
    }
    let error = export::find_target("slurm-nmaes")
        .map(|t| t.name)
        .unwrap_err()
        .to_string();
    assert!(error.contains("did you mean `slurm-names`"), "{error}");
}

/// Names that XML gives a meaning come back as they were.
/// Blanks, commas and brackets are syntax in the files of resource managers; a default name may be another node's.
#[test]
fn names_that_mean_something_else_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.csv");
    for (names, refusal) in [
        ("0,a\n1,b c\n2,d\n", "node 1 called `b c`"),
        ("0,a\n1,b[1-2]\n2,d\n", "node 1 called `b[1-2]`"),
        ("0,a\n1,n2\n", "name `n2`, which node 2"),
    ] {
        std::fs::write(&path, names).unwrap();
        let spec = format!("mesh:3,names={}", path.display());
        let written = Topology::inline(&spec, &Default::default()).and_then(|machine| {
            export::write_order(
                "slurm-weights",
                &machine,
                &NodeOrder::make(&machine, "row-major")?,
            )
        });
        let error = written.unwrap_err().to_string();
        assert!(error.contains(refusal), "{error}");
    }
}

#[test]
fn names_survive_xml() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("names.csv"), "0,a&b\n1,<c>\n2,d\"e\n").unwrap();
    let text =
        nodeorder_base::input::Text::new("m.toml", "kind='mesh'\ndims=[3]\nnames='names.csv'");
    let base = folder.path().join("m.toml");
    let machine = Topology::toml(&text, Some(&base), &Default::default()).unwrap();
    let order = NodeOrder::new(&machine, "mine --", vec![NodeId(2), NodeId(0)]).unwrap();
    let export = export::write_order("simgrid", &machine, &order).unwrap();
    let document = xml(&export.text);
    let hosts: Vec<_> = document
        .descendants()
        .filter(|n| n.has_tag_name("host"))
        .collect();
    let ids: Vec<_> = hosts.iter().map(|h| h.attribute("id").unwrap()).collect();
    assert_eq!(ids, ["d\"e", "a&b", "master_host"]);
}

/// A machine read from a file that is written for it.
fn imported(kind: &str, name: &str, text: &str, options: &str) -> (tempfile::TempDir, Topology) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    let spec = format!("{kind}:{}{options}", file.display());
    let machine = Topology::inline(&spec, &Default::default()).unwrap();
    (folder, machine)
}

fn write(target: &str, machine: &Topology, by: &str) -> Export {
    export::write_order(target, machine, &NodeOrder::make(machine, by).unwrap()).unwrap()
}

/// All distances by name.
fn by_name(machine: &Topology) -> BTreeMap<(String, String), u32> {
    let nodes: Vec<NodeId> = machine.nodes().iter().collect();
    let pairs = nodes
        .iter()
        .flat_map(|a| nodes.iter().map(move |b| (*a, *b)));
    pairs
        .map(|(a, b)| {
            (
                (machine.node_name(a), machine.node_name(b)),
                machine.distance(a, b),
            )
        })
        .collect()
}

const TREE: &str = "SwitchName=s3 Nodes=n[5-6]\nSwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\n\
                    SwitchName=m1 Switches=s[1-2]\nSwitchName=m2 Switches=s3\nSwitchName=top Switches=m[1-2]\n";

#[test]
fn slurm_lines_stand_in_rank_order_in_one_leaf_or_the_sites() {
    on_all("slurm-lines", |export, names, spec| {
        let lines = || data(&export.text);
        let nodes: Vec<&str> = lines()
            .filter_map(|line| line.strip_prefix("NodeName="))
            .collect();
        assert_eq!(
            nodes,
            [
                &names.iter().map(String::as_str).collect::<Vec<_>>()[..],
                excluded(spec)
            ]
            .concat()
        );
        assert!(lines().any(|line| line == "TopologyParam=SwitchAsNodeRank,TopoOptional"));
        assert!(export.text.contains("--alloc slurm-best-fit:26`"));
        let (ending, topology) = &export.beside[0];
        assert_eq!(*ending, ".topology.conf");
        assert_eq!(data(topology).count(), 1);
        assert!(data(topology).all(|line| line.starts_with("SwitchName=all Nodes=")));
    });
    // One leaf that every job sees: the first free nodes of the table.
    on_all("slurm-lines:choose=first", |export, names, _| {
        let nodes = data(&export.text).filter_map(|line| line.strip_prefix("NodeName="));
        assert!(nodes.take(names.len()).eq(names.iter().map(String::as_str)));
        assert!(data(&export.text).any(|line| line == "TopologyParam=SwitchAsNodeRank"));
        assert!(export.text.contains("--alloc fifo:0`") && !export.text.contains("best-fit"));
        assert!(data(&export.beside[0].1).all(|line| line.starts_with("SwitchName=all Nodes=")));
    });
    let (_folder, machine) = imported("slurm-topology", "topology.conf", TREE, "");
    let both = export::write_order(
        "slurm-lines:leaf=site,choose=first",
        &machine,
        &NodeOrder::make(&machine, "row-major").unwrap(),
    );
    assert!(both.unwrap_err().to_string().contains("choose=first"));
    let order = NodeOrder::new(
        &machine,
        "mine",
        ["n4", "n3", "n1", "n2", "n6", "n5"]
            .map(|n| machine.node_named(n).unwrap())
            .to_vec(),
    )
    .unwrap();
    let export = export::write_order("slurm-lines:leaf=site", &machine, &order).unwrap();
    let lines: Vec<&str> = data(&export.beside[0].1).collect();
    assert_eq!(
        lines,
        [
            "SwitchName=s2 Nodes=n[4,3]",
            "SwitchName=s1 Nodes=n[1-2]",
            "SwitchName=s3 Nodes=n[6,5]",
            "SwitchName=m1 Switches=s[2,1]",
            "SwitchName=m2 Switches=s3",
            "SwitchName=top Switches=m[1-2]",
        ]
    );
    let (_again, back) = imported("slurm-topology", "t.conf", &export.beside[0].1, "");
    assert_eq!(by_name(&back), by_name(&machine));
    let parted = ["n1", "n3", "n2", "n4", "n5", "n6"].map(|n| machine.node_named(n).unwrap());
    let parted = NodeOrder::new(&machine, "parted", parted.to_vec()).unwrap();
    let error = export::write_order("slurm-lines:leaf=site", &machine, &parted)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("leaves switch") && error.contains("leaf=one"),
        "{error}"
    );
}

#[test]
fn permuted_lines_and_yaml_are_the_same_fabric() {
    let blocks = "BlockName=b1 Nodes=n[1-2]\nBlockName=b2\nBlockName=b3 Nodes=n[3-4]\nBlockName=b4 Nodes=n[5-6]\n\
                  BlockName=b5 Nodes=n[7-8]\nBlockSizes=2,4\n";
    let rings = "RingName=r0 Nodes=n[3,1,2,4]\nRingName=r1 Nodes=n[5-7]\n";
    let torus = "- topology: t\n  cluster_default: true\n  torus3d:\n    toruses:\n    - name: p\n      dims: {x: 3, y: 2, z: 1}\n      \
                 nodes: n[0-5]\n      placements: [{dims: {x: 1, y: 2, z: 1}, anchor_seed: {x: 1, y: 0, z: 0}}]\n";
    for (name, text) in [
        ("topology.conf", TREE),
        ("b.conf", blocks),
        ("r.conf", rings),
        ("t.yaml", torus),
    ] {
        let (_folder, machine) = imported("slurm-topology", name, text, "");
        for by in ["row-major", "random", "random:seed=2"] {
            for target in ["slurm-permuted", "slurm-yaml"] {
                if name == "t.yaml" && target == "slurm-permuted" {
                    let order = NodeOrder::make(&machine, by).unwrap();
                    assert!(export::write_order(target, &machine, &order).is_err());
                    continue;
                }
                let export = write(target, &machine, by);
                let (_again, back) = imported("slurm-topology", "back", &export.text, "");
                assert_eq!(
                    by_name(&back),
                    by_name(&machine),
                    "{name} {by} {target}: {}",
                    export.text
                );
                assert!(
                    back.network().remarks().is_empty(),
                    "{:?}",
                    back.network().remarks()
                );
            }
        }
    }
    let (_folder, machine) = imported("slurm-topology", "b.conf", blocks, "");
    let order = NodeOrder::new(
        &machine,
        "mine",
        ["n7", "n5", "n6", "n8", "n3", "n4", "n2", "n1"]
            .map(|n| machine.node_named(n).unwrap())
            .to_vec(),
    )
    .unwrap();
    let lines = export::write_order("slurm-permuted", &machine, &order)
        .unwrap()
        .text;
    // b5 alone is no whole pair: it stays last.
    assert_eq!(
        data(&lines).collect::<Vec<_>>(),
        [
            "BlockName=b4 Nodes=n[5-6]",
            "BlockName=b3 Nodes=n[3-4]",
            "BlockName=b1 Nodes=n[2,1]",
            "BlockName=b2",
            "BlockName=b5 Nodes=n[7-8]",
            "BlockSizes=2,4",
        ]
    );
    // Machines of ours become a tree.
    let fat_tree = Topology::inline("fat-tree:k=4", &Default::default()).unwrap();
    let (_again, back) = imported(
        "slurm-topology",
        "y",
        &write("slurm-yaml", &fat_tree, "row-major").text,
        "",
    );
    assert_eq!(by_name(&back), by_name(&fat_tree));
}

#[test]
fn kubernetes_gets_levels_members_and_labels_in_rank_order() {
    let (_folder, machine) = imported("slurm-topology", "topology.conf", TREE, "");
    let export = write("kueue", &machine, "row-major");
    let lines: Vec<&str> = data(&export.text).collect();
    assert_eq!(
        lines,
        [
            "apiVersion: kueue.x-k8s.io/v1beta2",
            "kind: Topology",
            "metadata:",
            "  name: nodeorder",
            "spec:",
            "  levels:",
            "  - nodeLabel: \"topology.nodeorder.io/level1\"",
            "  - nodeLabel: \"topology.nodeorder.io/leaf\"",
            "  - nodeLabel: \"kubernetes.io/hostname\"",
        ]
    );
    let labels = &export.beside[0].1;
    assert!(
        labels.contains(
            "node n5 topology.nodeorder.io/leaf=0-s3 topology.nodeorder.io/level1=0-m2\n"
        ),
        "{labels}"
    );
    assert_eq!(
        labels
            .lines()
            .filter(|line| line.starts_with("kubectl label --overwrite node "))
            .count(),
        6
    );
    let hypernodes = write("hypernodes", &machine, "row-major").text;
    let documents: Vec<&str> = hypernodes.split("---\n").skip(1).collect();
    assert_eq!(documents.len(), 6);
    assert_eq!(
        documents[0],
        "apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata:\n  name: u-s3\nspec:\n  tier: 1\n  members:\n\
         \x20 - type: Node\n    selector:\n      exactMatch:\n        name: \"n5\"\n\
         \x20 - type: Node\n    selector:\n      exactMatch:\n        name: \"n6\"\n"
    );
    assert!(documents[5].contains("tier: 3\n") && documents[5].contains("type: HyperNode\n"));
}

#[test]
fn a_resource_graph_comes_back() {
    for (spec, by) in MACHINES {
        let machine = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&machine, by).unwrap();
        let text = export::write_order("jgf", &machine, &order).unwrap().text;
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let vertices = document["graph"]["nodes"].as_array().unwrap();
        let nodes = vertices
            .iter()
            .map(|v| &v["metadata"])
            .filter(|m| m["type"] == "node");
        let names: Vec<&str> = nodes.clone().map(|m| m["name"].as_str().unwrap()).collect();
        let ordered: Vec<String> = order
            .nodes()
            .iter()
            .map(|n| machine.node_name(*n))
            .collect();
        assert_eq!(names[..ordered.len()], ordered);
        // The broker's rank is the node's number, whatever its rank in the ordering.
        for (rank, m) in nodes.enumerate() {
            let node = machine.node_named(names[rank]).unwrap();
            assert!(m["id"] == rank && m["rank"] == node.0, "{m}");
        }
        assert_eq!(
            document["graph"]["edges"].as_array().unwrap().len(),
            vertices.len() - 1
        );
    }
    let (_folder, machine) = imported("slurm-topology", "topology.conf", TREE, "");
    let (_again, back) = imported("jgf", "r.json", &write("jgf", &machine, "random").text, "");
    assert_eq!(by_name(&back), by_name(&machine));
}

#[test]
fn forms_are_as_launchers_read_them() {
    let names = |names: &str| -> Vec<String> { names.split(' ').map(String::from).collect() };
    let (hosts, given) = (names("n3 n1 n2"), names("n1 n2 n3"));
    let job = nodeorder_present::export::JobHosts {
        hosts: &hosts,
        given: &given,
        spares: &names("n4 n5"),
        domains: &names("rack0 rack1 rack1"),
        ranks: &[vec![0, 1], vec![2, 3], vec![4, 5]],
        per_node: 2,
    };
    for (form, text) in [
        ("hosts", "n3\nn1\nn2\n"),
        ("host-list", "n[3,1-2]\n"),
        ("slurm-hostfile", "n3\nn3\nn1\nn1\nn2\nn2\n"),
        (
            "rankfile",
            "rank 0=n3 slot=0\nrank 1=n3 slot=1\nrank 2=n1 slot=0\nrank 3=n1 slot=1\nrank 4=n2 slot=0\nrank 5=n2 slot=1\n",
        ),
        ("machinefile", "n3:2\nn1:2\nn2:2\n"),
        (
            "mpich-rank-order",
            "# MPICH_RANK_REORDER_METHOD=3, MPICH_RANK_REORDER_FILE: this file\n2,3\n4,5\n0,1\n",
        ),
        ("node-ranks", "{\"n3\": 0, \"n1\": 1, \"n2\": 2}\n"),
        ("spares", "n4\nn5\n"),
        (
            "topo-ranks",
            "{\"ranks\": {\"n3\": 0, \"n1\": 1, \"n2\": 2}, \"domains\": {\"n3\": \"rack0\", \"n1\": \"rack1\", \"n2\": \"rack1\"}}\n",
        ),
    ] {
        assert_eq!(
            (nodeorder_present::export::HOST_FORMS
                .get(form)
                .unwrap()
                .parse)(&job),
            text,
            "{form}"
        );
    }
    assert_eq!(nodeorder_present::export::HOST_FORMS.iter().count(), 9);
}

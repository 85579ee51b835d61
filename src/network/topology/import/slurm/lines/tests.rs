//! Tests of the reader of lines.

use super::super::super::tests::{check_refused, error, machine, names};
use crate::topology::testing::{check_links, check_metric, from_file};
use crate::topology::{Context, Topology};
use nodeorder_base::NodeId;

const TREE: &str = "# two leaves\nSwitchName=s0 Nodes=nid[001-003]\nSWITCHNAME=s1 nodes=login1,nid010 LinkSpeed=100\n\
                    SwitchName=top Switches=s[0-1]\n";

#[test]
fn a_tree_keeps_names_and_leaves() {
    let tree = machine("slurm-topology", TREE).unwrap();
    check_links(&tree);
    check_metric(&tree);
    let s = tree.statistics().unwrap();
    assert_eq!((s.nodes, s.routers, s.links, s.diameter), (5, 3, 2, 2));
    assert_eq!(names(&tree), "nid001 nid002 nid003 login1 nid010");
    let at = |name: &str| {
        tree.nodes()
            .iter()
            .find(|n| tree.node_name(*n) == name)
            .unwrap()
    };
    assert_eq!(tree.distance(at("nid001"), at("nid003")), 0);
    assert_eq!(tree.distance(at("nid001"), at("nid010")), 2);
    // The second leaf has a slot without a node.
    assert!(!tree.nodes().contains(NodeId(5)) && tree.nodes().slot_count() == 6);
}

/// 5 blocks of base size 2: pairs of blocks, then all.
#[test]
fn blocks_are_grouped_by_their_sizes() {
    let text = "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockName=b3 Nodes=n[5-6]\n\
                BlockName=b4 Nodes=n[7-8]\nBlockName=b5 Nodes=n[9-10]\nBlockSizes=2,4\n";
    let blocks = machine("slurm-topology", text).unwrap();
    check_links(&blocks);
    let s = blocks.statistics().unwrap();
    assert_eq!((s.nodes, s.routers, s.links), (10, 5 + 3 + 1, 5 + 3));
    let distances: Vec<u32> = (0..10)
        .step_by(2)
        .map(|n| blocks.distance(NodeId(0), NodeId(n)))
        .collect();
    assert_eq!(distances, [0, 2, 4, 4, 4]);
    let plain = machine("slurm-topology", &text.replace("BlockSizes=2,4\n", "")).unwrap();
    assert_eq!(plain.statistics().unwrap().diameter, 2);
    let one = machine("slurm-topology", "BlockName=b Nodes=n[1-4]\nBlockSizes=4\n").unwrap();
    assert_eq!(
        (one.statistics().unwrap().routers, one.node_count()),
        (1, 4)
    );
}

#[test]
fn faults_are_named_with_their_line() {
    let with = |more: &str| error("slurm-topology", &format!("{TREE}{more}\n"));
    for (more, message) in [
        (
            "SwitchName=s0 Nodes=a",
            ":5: found `s0` again (line 2 has it)",
        ),
        (
            "SwitchName=s5 Nodes=nid003",
            ":5: found node `nid003` again (line 2 has it)",
        ),
        (
            "SwitchName=s5 Switches=s[8-9]",
            ":5: found switch `s8`, which no line describes",
        ),
        (
            "SwitchName=s5 Nodes=n[1-",
            ":5: found `n[1-`; expected a host list",
        ),
        (
            "SwitchName=s5 Nodes=a Switches=s0",
            ":5: found `SwitchName=s5 Nodes=a Switches=s0`",
        ),
        ("SwitchName=s5 Node=a", ":5: unknown key `node`"),
        ("SwitchName=s5 Nodes=a Nodes=b", ":5: found `nodes` twice"),
        (
            "SwitchName=s5 Nodes",
            ":5: found `Nodes`; expected Key=value",
        ),
        (
            "NodeName=a",
            ":5: found `NodeName=a`; expected NodeName=LIST Weight=N",
        ),
        (
            "NodeAddr=a",
            ":5: found `NodeAddr=a`; expected a line SwitchName",
        ),
        (
            "SwitchName=top2 Switches=s0,top\nSwitchName=s5 Switches=top2\nSwitchName=s6 Switches=s5,s7\nSwitchName=s7 Switches=s6x",
            ":8: found switch `s6x`",
        ),
        (
            "SwitchName=s5 Nodes=nid004,\\\nnid003",
            ":5: found node `nid003` again (line 2 has it)",
        ),
        ("SwitchName=s5 Nodes=nid004,\\\n# no\nnid[", ":5: found"),
        (
            "SwitchName=s5 Switches=s6\nSwitchName=s6 Switches=s7\nSwitchName=s7 Switches=s5",
            ":5: found switch `s5` below itself, in a loop",
        ),
        (
            "RingName=r Nodes=x",
            ":5: found `RingName=r Nodes=x`, though line 2 is of another kind",
        ),
        (
            "TorusName=t Dims=2x2x2 Nodes=n[1-8]",
            ":5: found `TorusName=t Dims=2x2x2 Nodes=n[1-8]`; expected the output of `scontrol show topoconf`",
        ),
        ("SwitchName=s5 Level=", ":5: found `Level=`"),
        ("SwitchName=s5 Switches=s5,s0", ":5: found `s5` below `s5`"),
        (
            "BlockName=b Nodes=x",
            ":5: found `BlockName=b Nodes=x`, though line 2",
        ),
    ] {
        let error = with(more);
        assert!(error.starts_with(message), "{more}: {error}");
    }
    check_refused(
        "slurm-topology",
        &[
            ("# nothing\n", ": found no nodes"),
            (
                "BlockName=b Nodes=n\nBlockSizes=2,3\n",
                ":2: found BlockSizes=2,3; expected ascending",
            ),
            (
                "BlockName=b Nodes=n\nBlockSizes=x\n",
                ":2: found BlockSizes=x",
            ),
            (
                "BlockName=b Nodes=n\nBlockSizes=8,4\n",
                ":2: found BlockSizes=8,4; expected ascending",
            ),
            (
                "BlockName=b Nodes=n BlockSize=0\n",
                ":1: found BlockSize=0; expected a whole number",
            ),
            (
                "BlockName=b Nodes=n[1-2]\nBlockName=c Nodes=n[2-3]\n",
                ":2: found node `n2` again (line 1",
            ),
            (
                "RingName=a Nodes=n1\nRingName=b Nodes=n1\n",
                ":2: found node `n1` again (line 1",
            ),
            (
                "RingName=a Nodes=n1\nRingName=a Nodes=n2\n",
                ":2: found `a` again (line 1",
            ),
            ("SwitchName=a\n", ": found no nodes"),
            (
                "BlockName=b Nodes=n\nBlockSizes=2\nBlockSizes=2\n",
                ":3: found BlockSizes again",
            ),
        ],
    );
}

fn levels(machine: &crate::topology::Topology) -> Vec<(String, u64, u64)> {
    let rows = machine.level_table().into_iter();
    rows.map(|l| (l.name.into_owned(), l.units, l.nodes))
        .collect()
}

#[test]
fn a_forest_has_components_and_levels_gather_units() {
    // The leaves of both trees alternate; a continued line; an empty leaf; root first and last.
    let text = "SwitchName=r1 Switches=a,c,e\nSwitchName=a Nodes=n[1-2],\\\n  n9\nSwitchName=b Nodes=n3\n\
                SwitchName=c Nodes=n4 # leaf\nSwitchName=d Nodes=n[5-6]\nSwitchName=e\nSwitchName=r2 Switches=b,d\n";
    let error = machine("slurm-topology", text).unwrap_err().to_string();
    assert!(
        error.contains(":2: found `n9`; expected Key=value"),
        "{error}"
    );
    let forest = machine(
        "slurm-topology",
        &text.replace(",\\\n  n9", "\\\n LinkSpeed=1"),
    )
    .unwrap();
    check_links(&forest);
    assert_eq!(names(&forest), "n1 n2 n4 n3 n5 n6");
    assert_eq!(forest.component_count(), 2);
    assert_eq!(
        levels(&forest),
        [("level1".into(), 2, 3), ("leaf".into(), 4, 2)]
    );
    let s = forest.statistics().unwrap();
    assert_eq!(
        (s.unreachable_pairs, s.total_distance, s.diameter),
        (9, 2 * 2 + 2 * 2, 2)
    );
    let levels = forest.network().levels();
    let called = |level: usize| -> Vec<String> {
        (0..levels[level].unit_count(4))
            .map(|unit| levels[level].unit_name(unit))
            .collect()
    };
    assert_eq!(
        (called(0), called(1)),
        (
            vec!["r1".into(), "r2".into()],
            ["a", "c", "b", "d"].map(String::from).to_vec()
        )
    );
}

#[test]
fn what_scontrol_prints_is_read() {
    let tree = "SwitchName=m0 Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=l0,l1\n\
                SwitchName=l0 Level=0 LinkSpeed=1 Nodes=n[1-2]\nSwitchName=l1 Level=0 LinkSpeed=1 Nodes=n[3-4]\n\
                SwitchName=l2 Level=0 LinkSpeed=0 Nodes=\n";
    let tree = machine("slurm-topology", tree).unwrap();
    assert_eq!(
        (names(&tree).as_str(), tree.statistics().unwrap().diameter),
        ("n1 n2 n3 n4", 2)
    );
    assert!(
        tree.network().remarks()[0]
            .ends_with(":1: Level= is what scontrol prints: Slurm stops at it in a topology.conf")
    );
    let blocks = "BlockName=b0 BlockIndex=0 Nodes=n[1-2] BlockSize=2\nBlockName=b1 BlockIndex=1 BlockSize=2\n\
                  BlockName=b2 BlockIndex=2 Nodes=n[5-6] BlockSize=2\nBlockName=b3 BlockIndex=3 Nodes=n7 BlockSize=2\n\
                  AggregatedBlock=b[2-3] BlockIndex=5 Nodes=n[5-7] BlockSize=4\nAggregatedBlock=b[0-1] BlockIndex=4 Nodes=n[1-2] BlockSize=4\n";
    let blocks = machine("slurm-topology", blocks).unwrap();
    assert_eq!(
        levels(&blocks),
        [("aggregate4".into(), 2, 3), ("block".into(), 3, 2)]
    );
    let site = blocks.network().site().unwrap();
    assert_eq!((site.sizes.as_slice(), site.lines.len()), (&[2, 4][..], 4));
}

#[test]
fn rings_blocks_with_gaps_and_odd_sizes() {
    let rings = "RingName=r0 Nodes=n[3,1,2,4,5]\nRingName=r1 Nodes=n[8-9]\n";
    let rings = machine("slurm-topology", rings).unwrap();
    check_links(&rings);
    assert_eq!(
        (names(&rings).as_str(), rings.component_count()),
        ("n3 n1 n2 n4 n5 n8 n9", 2)
    );
    assert_eq!(rings.distance(NodeId(0), NodeId(4)), 1);
    assert_eq!(levels(&rings), [("ring".into(), 2, 5)]);
    let long = machine("slurm-topology", "RingName=r Nodes=n[1-17]\n").unwrap();
    assert!(
        long.network().remarks()[0]
            .ends_with(":1: ring r has 17 nodes: Slurm stops at more than 16")
    );
    // An empty block counts as a line: b3 and b4 are the second pair.
    let text = "BlockName=b1 Nodes=n[1-2]\nBlockName=b2\nBlockName=b3 Nodes=n[3-4]\nBlockName=b4 Nodes=n[5-6]\nBlockSizes=2,6\n";
    let blocks = machine("slurm-topology", &text.replace("2,6", "2,4")).unwrap();
    let d = |b: u32| blocks.distance(NodeId(0), NodeId(b));
    assert_eq!([d(2), d(4)], [4, 4]);
    assert_eq!(blocks.distance(NodeId(2), NodeId(4)), 2);
    let odd = machine("slurm-topology", text).unwrap();
    assert!(odd.network().remarks()[0].contains(":5: block size 6 is not 2 times a power of two"));
    let all = machine(
        "slurm-topology",
        "SwitchName=a Nodes=ALL\nSwitchName=b Nodes=n1\n",
    )
    .unwrap();
    assert_eq!(names(&all), "n1");
    assert!(all.network().remarks()[0].contains("ALL is no wildcard"));
}

#[test]
fn a_child_of_two_parents_belongs_to_the_last() {
    let text = "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=s Switches=a,b\nSwitchName=t Switches=b\n";
    let tree = machine("slurm-topology", text).unwrap();
    check_metric(&tree);
    assert_eq!(levels(&tree)[0], ("level1".into(), 2, 1));
}

/// The tree of [`TREE`] as sites write it: lists over several lines, blanks around the sign, files within files.
#[test]
fn lines_are_those_of_slurms_own_reader() {
    let plain = machine("slurm-topology", TREE).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let leaves = "SwitchName = s0 Nodes = nid[001-003]\ninclude deeper.conf # the other\n";
    std::fs::write(file("leaves.conf"), leaves).unwrap();
    let deeper = "SWITCHNAME=s1 nodes=login1,\\\nnid010 \\\nLinkSpeed = 100\n";
    std::fs::write(file("deeper.conf"), deeper).unwrap();
    for text in [
        "Include leaves.conf\nSwitchName=top Switches=s0,\\\ns1\n",
        "SwitchName = top Switches= s[0-1]\nInclude leaves.conf\n",
        "\\\nSwitchName\\\n=top \\\nSwitches=s[0-1]\nINCLUDE\tleaves.conf\n",
    ] {
        std::fs::write(file("topology.conf"), text).unwrap();
        let spec = format!("slurm-topology:{}", file("topology.conf").display());
        let tree = Topology::inline(&spec, &Context::default()).unwrap();
        assert_eq!(names(&tree), names(&plain), "{text}");
        assert_eq!(tree.network().routers(), 3, "{text}");
    }
    // Faults are named in the file that they stand in.
    std::fs::write(file("deeper.conf"), "\nSwitchName=s0 Nodes=x\n").unwrap();
    let spec = format!("slurm-topology:{}", file("topology.conf").display());
    let of = |spec: &str| {
        Topology::inline(spec, &Context::default())
            .unwrap_err()
            .to_string()
    };
    assert!(
        of(&spec).contains("deeper.conf:2: found `s0` again"),
        "{}",
        of(&spec)
    );
    std::fs::write(file("deeper.conf"), "Include deeper.conf\n").unwrap();
    assert!(
        of(&spec).contains("files more than 16 deep"),
        "{}",
        of(&spec)
    );
    std::fs::remove_file(file("deeper.conf")).unwrap();
    assert!(of(&spec).contains("deeper.conf"), "{}", of(&spec));
}

#[test]
fn nodes_say_where_they_stand() {
    // slurm.conf, with lines about other things, of any form.
    let conf = "ClusterName=c\nNodeName=DEFAULT CPUs=4 Weight=7\nNodeName=a[1-2] CPUs=8 Topology=default:b1,other:s1\n\
                NodeName=a3 Topology=default:b2,other:s2 Weight=1\nNodeName=login State=UNKNOWN\nPartitionName=p Nodes=ALL junk\n";
    let cluster = machine("slurm-topology", conf).unwrap();
    assert_eq!(names(&cluster), "a1 a2 a3 login");
    assert_eq!(levels(&cluster)[0], ("block".into(), 3, 2));
    let remarks = cluster.network().remarks().join("\n");
    for said in [
        "nodes have units of 2 topologies: `default` is read",
        "are taken for blocks",
        "2 lines of slurm.conf about other things are passed over",
        "1 nodes are not placed, the first login",
    ] {
        assert!(remarks.contains(said), "{said}: {remarks}");
    }
    let weights = &cluster.network().site().unwrap().weights;
    assert_eq!((weights["a1"], weights["a3"]), (7, 1));
    let other = from_file("slurm-topology", conf, ",name=other").unwrap();
    assert_eq!(other.network().site().unwrap().lines[0].name, "s1");
    // Switches above, by the plugin or by their names; a node's own word wins over a line.
    let tree = "TopologyPlugin=topology/tree\nSwitchName=s1 Nodes=n[1-3]\nSwitchName=s2\nSwitchName=top Switches=s[1-2]\n\
                NodeName=n[1-2]\nNodeName=n3 Topology=default:s2\nNodeName=n4 Topology=default:top:mid:s3\n";
    let tree = machine("slurm-topology", tree).unwrap();
    assert_eq!(names(&tree), "n1 n2 n3 n4");
    let at = |name: &str| tree.node_named(name).unwrap();
    assert_eq!(
        [
            tree.distance(at("n1"), at("n3")),
            tree.distance(at("n1"), at("n4"))
        ],
        [2, 3]
    );
    let deep = "NodeName=n1 Topology=t:top:s1\nNodeName=n2 Topology=t:top:s2\n";
    let deep = machine("slurm-topology", deep).unwrap();
    assert_eq!(
        (
            deep.statistics().unwrap().diameter,
            deep.network().routers()
        ),
        (2, 3)
    );
    let bad = error(
        "slurm-topology",
        "NodeName=a Topology=default:b\nNodeName=b Topology=b1\n",
    );
    assert!(
        bad.starts_with(":2: found Topology=b1; expected TOPOLOGY:UNIT"),
        "{bad}"
    );
}

#[test]
fn what_scontrol_prints_of_nodes_is_read() {
    let node = |name: &str, topology: &str| {
        format!(
            "NodeName={name} Arch=x86_64 CoresPerSocket=1\n   CPUAlloc=0 CPUTot=2 CPULoad=0.01\n   OS=Linux 6.1.0 #1 SMP x\n   \
             State=IDLE Weight=3 Owner=N/A\n{topology}   CfgTRES=cpu=2,mem=1M\n\n"
        )
    };
    let text = node("n1", "   Topology=topo-switch:s2,topo-block:b2\n")
        + &node("n2", "   Topology=topo-switch:s2,topo-block:b1\n")
        + &node("n3", "");
    let lines: String = text
        .split("\n\n")
        .map(|record| record.replace('\n', " ") + "\n")
        .collect();
    for text in [text, lines] {
        let blocks = from_file("slurm-topology", &text, ",name=topo-block").unwrap();
        assert_eq!(names(&blocks), "n1 n2 n3");
        let site = blocks.network().site().unwrap();
        assert_eq!((site.lines[0].name.as_str(), site.weights["n1"]), ("b2", 3));
        let switches = machine("slurm-topology", &text).unwrap();
        assert_eq!(switches.network().site().unwrap().lines.len(), 1);
    }
    let json = "{\"nodes\": [{\"name\": \"n1\", \"topology\": \"default:b1\"},\n{\"name\": \"n2\", \"topology\": \"\"}]}";
    assert_eq!(names(&machine("slurm-topology", json).unwrap()), "n1 n2");
}

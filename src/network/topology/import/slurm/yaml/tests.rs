//! Tests of the reader of YAML.

use super::super::super::tests::{check_refused, machine, names};
use crate::topology::machine::Topology;
use crate::topology::testing::{check_links, check_metric, from_file};

const TREE: &str = "---\n- topology: tree1\n  cluster_default: true\n  tree:\n    switches:\n      - switch: top\n        children: s[1-2]\n      - switch: s1\n        nodes: n[01-02]\n      - switch: s2\n        nodes: n[03-04]\n- topology: blocks\n  cluster_default: false\n  block:\n    block_sizes: [2, 4]\n    blocks:\n      - block: b1\n        nodes: n[01-02]\n      - block: b2\n      - {block: b3, nodes: \"n[03-04]\"}\n- topology: flat1\n  flat: true\n";

fn with(text: &str, options: &str) -> nodeorder_base::error::Result<Topology> {
    from_file("slurm-topology", text, options)
}

#[test]
fn each_topology_may_be_taken() {
    let tree = with(TREE, "").unwrap();
    check_metric(&tree);
    assert_eq!(
        (names(&tree).as_str(), tree.network().routers()),
        ("n01 n02 n03 n04", 3)
    );
    assert!(tree.network().remarks().is_empty());
    let blocks = with(TREE, ",name=blocks").unwrap();
    assert_eq!(blocks.statistics().unwrap().diameter, 4);
    assert!(blocks.spec().ends_with(",name=blocks"));
    let flat = with(TREE, ",name=flat1,nodes=n[01-10]+x").unwrap();
    assert_eq!(
        (flat.node_count(), flat.statistics().unwrap().diameter),
        (11, 0)
    );
    assert_eq!(names(&flat).split(' ').next(), Some("n01"));
    assert!(
        with(TREE, ",name=flat1")
            .unwrap_err()
            .to_string()
            .contains("names no nodes")
    );
    let missing = with(TREE, ",name=no").unwrap_err().to_string();
    assert!(
        missing.contains("no topology called `no`; expected one of tree1, blocks, flat1"),
        "{missing}"
    );
    let nodes = with(TREE, ",nodes=n[01-03,05]").unwrap();
    assert_eq!(
        (names(&nodes).as_str(), nodes.component_count()),
        ("n01 n02 n03 n05", 2)
    );
    assert_eq!(nodes.network().remarks().len(), 2);
}

/// A file in the form that scontrol show topoconf prints.
#[test]
fn topoconf_is_read_back() {
    let text = "%YAML 1.1\n---\n- topology: default\n  cluster_default: true\n  block: {}\n  flat: false\n  ring: {}\n  \
                torus3d:\n    toruses:\n    - name: podA\n      dims:\n        x: 3\n        y: 2\n        z: 2\n      nodes:\n      \
                regions:\n      - anchor: {x: 0, y: 0, z: 0}\n        dims: {x: 3, y: 2, z: 1}\n        nodes: n[0-5]\n      - anchor:\n          \
                x: 1\n          y: 0\n          z: 1\n        dims: {x: 2, y: 1, z: 1}\n        nodes: m[0-1]\n      placements:\n      \
                - dims: {x: 1, y: 2, z: 1}\n        anchor_spacing: {x: 1, y: 2, z: 1}\n  tree: {}\n...\n";
    let torus = machine("slurm-topology", text).unwrap();
    check_links(&torus);
    let lattice = torus.lattice().unwrap();
    assert_eq!(lattice.extents, [3, 2, 2]);
    // n4 is at x 1, y 1, z 0; m0 at x 1, y 0, z 1.
    let at = |name: &str| torus.node_named(name).unwrap();
    let cell = |name: &str| {
        let mut x = [0; 3];
        lattice.coordinates(torus.router_of(at(name)).0, &mut x);
        x
    };
    assert_eq!(
        [cell("n4"), cell("m0"), cell("n2")],
        [[1, 1, 0], [1, 0, 1], [2, 0, 0]]
    );
    assert_eq!(
        [
            torus.distance(at("n0"), at("n2")),
            torus.distance(at("n4"), at("m0"))
        ],
        [1, 2]
    );
    assert_eq!((torus.node_count(), torus.network().hosts()), (8, 12));
    let site = torus.network().site().unwrap();
    assert_eq!(site.toruses[0].placements[0].spacing, Some([1, 2, 1]));
    let ring =
        "- topology: r\n  ring: {rings: [{ring: a, nodes: \"n[1-3]\"}, {ring: b, nodes: n4}]}\n";
    let rings = machine("slurm-topology", ring).unwrap();
    assert_eq!(
        (rings.component_count(), rings.network().remarks().len()),
        (2, 1)
    );
}

#[test]
fn faults_are_named_with_their_line() {
    let torus = |dims: &str, rest: &str| {
        format!(
            "- topology: t\n  torus3d:\n    toruses:\n    - name: p\n      dims: {dims}\n      {rest}\n"
        )
    };
    let tree = |switches: &str| format!("- topology: t\n  tree:\n    switches:\n{switches}");
    check_refused(
        "slurm-topology",
        &[
            (
                "topology: t\ntree: {}\n",
                ":1: found a map of 2 keys; expected a list of topologies",
            ),
            ("- topology: t\n  tree: [\n", ":"),
            (
                "- topology: t\n  tree: {}\n",
                ":1: found topology `t` without nodes of any type",
            ),
            (
                "- topology: t\n  flat: true\n  tree: {switches: []}\n",
                ":1: found topology `t` with flat and tree",
            ),
            (
                "- tree: {}\n",
                ":1: found a map of 1 keys without `topology`",
            ),
            (
                "- topology: t\n  tree:\n    swtches: []\n",
                ":3: found a map of 1 keys without `switches`",
            ),
            (
                &tree("    - nodes: a\n"),
                ":4: found a map of 1 keys without `switch`",
            ),
            (
                &tree("    - switch: a\n      nodes: [x]\n"),
                ":5: found nodes: a list of 1; expected a host list",
            ),
            (
                &tree("    - switch: a\n      nodes: n[1-\n"),
                ":5: found `n[1-`; expected a host list",
            ),
            (
                &tree("    - switch: a\n      nodes: x\n      children: b\n"),
                ":4: found switch `a` with nodes and children",
            ),
            (
                &tree("    - switch: a\n      nodes: x\n    - switch: a\n"),
                ":6: found `a` again (line 4 has it)",
            ),
            (
                &tree("    - switch: a\n      nodes: x\n    - switch: b\n      nodes: x\n"),
                ":6: found node `x` again (line 4",
            ),
            (
                &tree("    - switch: a\n      children: b\n"),
                ":4: found switch `b`, which no line describes",
            ),
            (
                "- topology: t\n  block:\n    block_sizes: [2, 3]\n    blocks: [{block: b, nodes: n}]\n",
                ":3: found block_sizes [2, 3]",
            ),
            (
                "- topology: t\n  block:\n    block_sizes: [x]\n    blocks: []\n",
                ":3: found block size `x`",
            ),
            (
                &torus("{x: 2, y: 2}", "nodes: n[1-4]"),
                ":5: found dims without z",
            ),
            (
                &torus("{x: 2, y: 2, z: 0}", "nodes: n[1-4]"),
                ":5: found dims: z: `0`",
            ),
            (
                &torus("{x: 2, y: 2, z: 1}", "nodes: n[1-3]"),
                ":4: found 3 nodes for 4 cells",
            ),
            (
                &torus("{x: 2, y: 1, z: 1}", "nodes: \"a,a\""),
                ":4: found node `a` twice",
            ),
            (
                &torus(
                    "{x: 2, y: 1, z: 1}",
                    "nodes: \"a,b\"\n      placements: [{dims: {x: 3, y: 1, z: 1}}]",
                ),
                ":7: found a placement of [3, 1, 1] in a torus of [2, 1, 1]",
            ),
            (
                &torus(
                    "{x: 2, y: 1, z: 1}",
                    "regions: [{anchor: {x: 1, y: 0, z: 0}, dims: {x: 2, y: 1, z: 1}, nodes: \"a,b\"}]",
                ),
                ":6: found a region of [2, 1, 1] at [1, 0, 0]",
            ),
            (
                &torus("{x: 9999999, y: 9999999, z: 9}", "nodes: a"),
                ":4: found dims",
            ),
        ],
    );
}

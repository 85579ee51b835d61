use crate::topology::import::tests::{check_refused, levels, machine, names};
use crate::topology::testing::{check_links, check_metric};
use crate::topology::{Context, Topology};

fn node(name: &str, labels: &str) -> String {
    format!(
        "{{\"metadata\": {{\"name\": \"{name}\",\n \"labels\": {{{labels}}}}}, \"status\": {{}}}}"
    )
}

fn nodes(nodes: &[(&str, &str)]) -> String {
    let nodes: Vec<String> = nodes
        .iter()
        .map(|(name, labels)| node(name, labels))
        .collect();
    format!(
        "{{\"kind\": \"List\", \"items\": [\n{}\n]}}",
        nodes.join(",\n")
    )
}

#[test]
fn known_labels_are_found() {
    let t = |tier: usize, value: &str| format!("\"fabric.topograph.run/tier-{tier}\": \"{value}\"");
    let both = |leaf: &str, spine: &str| format!("\"a\": \"b\", {}, {}", t(0, leaf), t(1, spine));
    let text = nodes(&[
        ("g1", &both("l1", "s1")),
        ("g2", &both("l2", "s1")),
        ("g3", &both("l3", "s2")),
        ("g4", &both("l1", "s1")),
        ("cpu", "\"a\": \"b\""),
    ]);
    let cluster = machine("k8s-nodes", &text).unwrap();
    check_links(&cluster);
    assert_eq!(names(&cluster), "g1 g4 g2 g3 cpu");
    assert_eq!(
        levels(&cluster),
        [
            ("all".into(), 2),
            ("tier-1".into(), 3),
            ("tier-0".into(), 4)
        ]
    );
    let remarks = cluster.network().remarks();
    assert!(
        remarks[0].contains("1 nodes have none of the labels, the first cpu"),
        "{remarks:?}"
    );
    let aws = |layers: [&str; 3]| {
        let layer = |(i, value): (usize, &&str)| {
            format!(
                "\"topology.k8s.aws/network-node-layer-{}\": \"{value}\"",
                i + 1
            )
        };
        layers
            .iter()
            .enumerate()
            .map(layer)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let text = nodes(&[
        ("a", &aws(["x", "y", "z"])),
        ("b", &aws(["x", "y", "w"])),
        ("c", &aws(["x", "v", "u"])),
    ]);
    let cluster = machine("k8s-nodes", &text).unwrap();
    check_metric(&cluster);
    assert_eq!(
        levels(&cluster),
        [
            ("network-node-layer-2".into(), 2),
            ("network-node-layer-3".into(), 3)
        ]
    );
    let google = "\"cloud.google.com/gce-topology-block\": \"b\", \"cloud.google.com/gce-topology-subblock\": \"s\"";
    let zone = "\"topology.kubernetes.io/zone\": \"z\", \"nvidia.com/gpu.clique\": \"c.0\"";
    let cluster = machine("k8s-nodes", &nodes(&[("a", &format!("{google}, {zone}"))])).unwrap();
    assert_eq!(levels(&cluster), [("gpu.clique".into(), 1)]);
    let oracle = "\"oci.oraclecloud.com/host.network_block_id\": \"b\", \"oci.oraclecloud.com/host.rack_id\": \"r\"";
    let cluster = machine("k8s-nodes", &nodes(&[("a", oracle), ("b", oracle)])).unwrap();
    assert_eq!(cluster.statistics().unwrap().diameter, 0);
}

#[test]
fn levels_may_be_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("n.json");
    let text = nodes(&[
        ("a", "\"x.io/row\": \"1\", \"rack\": \"A\""),
        ("b", "\"x.io/row\": \"2\", \"rack\": \"A\""),
    ]);
    std::fs::write(&file, text).unwrap();
    for spelled in ["row/rack", "x.io/row/rack"] {
        let spec = format!("k8s-nodes:{},levels={spelled}", file.display());
        let machine = Topology::inline(&spec, &Context::default()).unwrap();
        assert_eq!(levels(&machine), [("row".into(), 2), ("rack".into(), 2)]);
        assert_eq!(machine.spec(), spec);
    }
    let spec = format!("k8s-nodes:{},levels=row/rax", file.display());
    let error = Topology::inline(&spec, &Context::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("none of them has `rax`"), "{error}");
}

#[test]
fn faults_are_named_with_their_line() {
    let leaf = "\"fabric.topograph.run/tier-0\": \"l\"";
    check_refused(
        "k8s-nodes",
        &[
            ("", ":1: found an empty file"),
            ("{\"items\":\n [}", ":2: found while parsing a node"),
            ("[]", ":1: found a list of 0 without `items`"),
            ("{\"items\": 3}", ":1: found items: `3`; expected a list"),
            ("{\"items\": []}", ": nodes of 0 labels"),
            (&nodes(&[("a", "\"x\": \"y\"")]), ": nodes of 1 labels"),
            (&nodes(&[("", leaf)]), ":2: found name: ``"),
            (
                &nodes(&[("a", leaf), ("a", leaf)]),
                ":4: found host `a` again (line 2 has it)",
            ),
            (
                &nodes(&[("a", leaf), ("b", "\"topology.kubernetes.io/zone\": \"z\"")]),
                ":2: found node `a` with label fabric.topograph.run/tier-0 and without topology.kubernetes.io/zone",
            ),
            (
                &format!(
                    "{{\"items\": [{},\n{{\"metadata\": {{\"labels\": {{}}}}}}]}}",
                    node("a", leaf)
                ),
                ":3: found a map of 1 keys without `name`",
            ),
        ],
    );
}

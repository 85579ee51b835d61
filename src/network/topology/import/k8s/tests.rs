//! Nodes of Kubernetes: labels, service and domains.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::topology::import::tests::{check_refused, error, levels, machine, names};
use crate::topology::testing::{check_links, check_metric, from_file};
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
    // An NVLink domain is no switch; the zone is one where there is a network in it.
    let zone = "\"topology.kubernetes.io/zone\": \"z\", \"nvidia.com/gpu.clique\": \"c.0\"";
    let cluster = machine("k8s-nodes", &nodes(&[("a", &format!("{google}, {zone}"))])).unwrap();
    assert_eq!(levels(&cluster), [("gce-topology-subblock".into(), 1)]);
    assert_eq!(cluster.network().routers(), 3);
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
            ("{\"items\": []}", ":1: found no nodes among 0 items"),
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

/// Labels that providers and tools set, widest first, by their own documents; the leaf is the last.
const PROVIDERS: [&[&str]; 11] = [
    &[
        "fabric.topograph.run/tier-2",
        "fabric.topograph.run/tier-1",
        "fabric.topograph.run/tier-0",
    ],
    &[
        "network.topology.nvidia.com/tier-11",
        "network.topology.nvidia.com/tier-2",
    ],
    &[
        "network.topology.nvidia.com/core",
        "network.topology.nvidia.com/spine",
        "network.topology.nvidia.com/leaf",
    ],
    &[
        "network.topology.kubernetes.io/datacenter",
        "network.topology.kubernetes.io/spine",
        "network.topology.kubernetes.io/block",
    ],
    &[
        "topology.kubernetes.io/network-level-3",
        "topology.kubernetes.io/network-level-1",
    ],
    &[
        "topology.k8s.aws/network-node-layer-1",
        "topology.k8s.aws/network-node-layer-2",
        "topology.k8s.aws/network-node-layer-3",
        "topology.k8s.aws/network-node-layer-4",
    ],
    &[
        "cloud.google.com/gce-topology-block",
        "cloud.google.com/gce-topology-subblock",
    ],
    &[
        "oci.oraclecloud.com/rdma.hpc_island_id",
        "oci.oraclecloud.com/rdma.network_block_id",
        "oci.oraclecloud.com/rdma.local_block_id",
    ],
    &[
        "backend.coreweave.cloud/fabric",
        "backend.coreweave.cloud/superpod",
        "backend.coreweave.cloud/leafgroup",
    ],
    &["crusoe.ai/ib.partition.id", "crusoe.ai/pod.id"],
    &[
        "topology.nebius.com/gpu-cluster-id",
        "topology.nebius.com/tier-2",
        "topology.nebius.com/tier-1",
    ],
];

/// Labels beside those of switches, different for every node or pair of nodes.
const BESIDE: [&str; 6] = [
    "kubernetes.io/hostname",
    "cloud.google.com/gce-topology-host",
    "oci.oraclecloud.com/rdma.host_id",
    "nvidia.com/gpu.clique",
    "topology.k8s.aws/ultraserver-id",
    "ds.coreweave.com/nvlink.domain",
];

proptest! {
    #[test]
    fn switches_are_the_paths_of_labels(
        provider in 0..PROVIDERS.len(),
        places in prop::collection::vec((prop::collection::vec(0..2u8, 4), 1..=4usize), 1..12),
    ) {
        let labels = PROVIDERS[provider];
        let mut listed = Vec::new();
        let mut paths = BTreeSet::new();
        for (number, (values, depth)) in places.iter().enumerate() {
            // A leaf is the deepest that a node has: types of nodes differ.
            let depth = (*depth).min(labels.len());
            let mut text = "\"topology.kubernetes.io/zone\": \"z\"".to_string();
            for (label, value) in labels.iter().zip(values).take(depth) {
                text += &format!(", \"{label}\": \"v{value}\"");
            }
            for label in BESIDE {
                text += &format!(", \"{label}\": \"own{number}\"");
            }
            for end in 0..=depth {
                paths.insert(values[..end].to_vec());
            }
            listed.push((format!("n{number}"), text));
        }
        let listed: Vec<(&str, &str)> = listed.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let cluster = machine("k8s-nodes", &nodes(&listed)).unwrap();
        prop_assert_eq!(cluster.network().routers() as usize, paths.len());
        prop_assert_eq!(cluster.component_count(), 1);
        // Hops in a tree: up from both leaves to the narrowest switch that they share.
        for (a, (values, depth)) in places.iter().enumerate() {
            for (b, (others, other_depth)) in places.iter().enumerate() {
                let (depth, other_depth) = ((*depth).min(labels.len()), (*other_depth).min(labels.len()));
                let pairs = values.iter().zip(others).take(depth.min(other_depth));
                let shared = pairs.take_while(|(a, b)| a == b).count();
                let at = |number: usize| cluster.node_named(&format!("n{number}")).unwrap();
                let hops = depth + other_depth - 2 * shared;
                prop_assert_eq!(cluster.distance(at(a), at(b)) as usize, hops);
            }
        }
    }
}

#[test]
fn other_items_are_passed_over() {
    let leaf = "\"fabric.topograph.run/tier-0\": \"l\"";
    let pod = "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p\"}}";
    let text = format!("{{\"items\": [{}, {pod}]}}", node("a", leaf));
    let cluster = machine("k8s-nodes", &text).unwrap();
    assert_eq!(names(&cluster), "a");
    let remarks = cluster.network().remarks();
    assert!(
        remarks[1].ends_with("1 items that are no nodes are passed over"),
        "{remarks:?}"
    );
}

#[test]
fn a_zone_alone_is_no_network() {
    let labels = "\"topology.kubernetes.io/zone\": \"z\", \"kubernetes.io/hostname\": \"h\", \"site.io/leaf-switch\": \"l1\", \"nvidia.com/gpu.clique\": \"c\", \"colour\": \"red\"";
    let error = error("k8s-nodes", &nodes(&[("a", labels), ("b", labels)]));
    let likely =
        "these look like it: nvidia.com/gpu.clique (1 values), site.io/leaf-switch (1 values)";
    assert!(
        error.contains("none of a network that is known") && error.ends_with(likely),
        "{error}"
    );
}

/// Nodes with a leaf, a spine and a domain each.
fn with_domains(places: &[(&str, &str, &str)]) -> String {
    let listed: Vec<(String, String)> = places
        .iter()
        .enumerate()
        .map(|(number, (leaf, spine, domain))| {
            let labels = [
                ("fabric.topograph.run/tier-0", leaf),
                ("fabric.topograph.run/tier-1", spine),
                ("accelerator.topograph.run/domain", domain),
            ];
            let labels = labels.map(|(label, value)| format!("\"{label}\": \"{value}\""));
            (format!("n{number}"), labels.join(", "))
        })
        .collect();
    let listed: Vec<(&str, &str)> = listed
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    nodes(&listed)
}

#[test]
fn domains_are_no_switches_and_their_nesting_is_said() {
    for (places, said) in [
        (
            [
                ("a", "s", "x"),
                ("b", "s", "x"),
                ("c", "t", "y"),
                ("d", "t", "y"),
            ],
            "2 NVLink domains (accelerator.topograph.run/domain) over 4 leaf switches: no switches; levels=domain/tier-0 makes a level of them",
        ),
        (
            [
                ("a", "s", "x"),
                ("b", "s", "x"),
                ("c", "s", "y"),
                ("d", "s", "z"),
            ],
            "3 NVLink domains (accelerator.topograph.run/domain) over 4 leaf switches: no switches; levels=tier-1/domain/tier-0 makes a level of them",
        ),
        (
            [
                ("a", "s", "x"),
                ("a", "s", "y"),
                ("b", "t", "z"),
                ("b", "t", "z"),
            ],
            "3 NVLink domains (accelerator.topograph.run/domain) inside leaf switches: no switches; levels=tier-1/tier-0/domain makes a level of them",
        ),
        (
            [
                ("a", "s", "x"),
                ("a", "s", "y"),
                ("b", "s", "x"),
                ("b", "s", "y"),
            ],
            "2 NVLink domains (accelerator.topograph.run/domain) across leaf switches, which cut them into 4 pieces: no switches",
        ),
    ] {
        let text = with_domains(&places);
        let cluster = machine("k8s-nodes", &text).unwrap();
        let remarks = cluster.network().remarks();
        assert!(
            remarks.iter().any(|remark| remark.ends_with(said)),
            "{said}: {remarks:?}"
        );
        let leaves: BTreeSet<&str> = places.iter().map(|(leaf, ..)| *leaf).collect();
        assert_eq!(
            levels(&cluster).last().unwrap(),
            &("tier-0".into(), leaves.len() as u64)
        );
    }
    // What is offered is taken.
    let text = with_domains(&[
        ("a", "s", "x"),
        ("b", "s", "x"),
        ("c", "t", "y"),
        ("d", "t", "y"),
    ]);
    let cluster = from_file("k8s-nodes", &text, ",levels=domain/tier-0").unwrap();
    assert_eq!(
        levels(&cluster),
        [("domain".into(), 2), ("tier-0".into(), 4)]
    );
    // The same name below two others makes two switches, and that is said.
    let cluster = from_file("k8s-nodes", &text, ",levels=tier-0/domain").unwrap();
    let remarks = cluster.network().remarks();
    let said = "2 values of accelerator.topograph.run/domain stand below several of fabric.topograph.run/tier-0: they are 4 switches";
    assert!(
        remarks.iter().any(|remark| remark.ends_with(said)),
        "{remarks:?}"
    );
}

#[test]
fn nodes_that_take_no_pods_are_out_of_service() {
    let node = |name: &str, spec: &str, status: &str| {
        let labels = format!("\"fabric.topograph.run/tier-0\": \"l{name}\"");
        format!(
            "{{\"metadata\": {{\"name\": \"{name}\", \"labels\": {{{labels}}}}}, \"spec\": {{{spec}}}, \"status\": {{{status}}}}}"
        )
    };
    let ready = |status: &str| {
        format!(
            "\"conditions\": [{{\"type\": \"MemoryPressure\", \"status\": \"False\"}}, {{\"type\": \"Ready\", \"status\": \"{status}\"}}]"
        )
    };
    let taint = |key: &str, effect: &str| {
        format!("\"taints\": [{{\"key\": \"{key}\", \"effect\": \"{effect}\"}}]")
    };
    let gpu = "\"allocatable\": {\"nvidia.com/gpu\": \"8\"}";
    let all = [
        node("fine", "\"unschedulable\": false", &ready("True")),
        node("silent", "", ""),
        node("soft", &taint("x", "PreferNoSchedule"), ""),
        // Pods that ask for the resource tolerate its taint.
        node("gpu", &taint("nvidia.com/gpu", "NoSchedule"), gpu),
        node("cordoned", "\"unschedulable\": true", &ready("False")),
        node("lost", "", &ready("Unknown")),
        node("sick", "", &ready("False")),
        node("kept", &taint("maintenance", "NoSchedule"), gpu),
        node("gone", &taint("x.io/y", "NoExecute"), ""),
        node("full", "", "\"allocatable\": {\"pods\": \"0\"}"),
    ];
    let text = format!("{{\"items\": [{}]}}", all.join(",\n"));
    let cluster = machine("k8s-nodes", &text).unwrap();
    assert_eq!(names(&cluster), "fine silent soft gpu");
    let out: Vec<String> = cluster
        .nodes()
        .excluded_nodes()
        .map(|node| cluster.node_name(node))
        .collect();
    assert_eq!(out, ["cordoned", "lost", "sick", "kept", "gone", "full"]);
    let remarks = cluster.network().remarks();
    let said = "6 of 10 nodes are out of service, the first cordoned: 1 cordoned, 2 not ready, 2 tainted, 1 without room for pods; down=keep keeps them";
    assert!(
        remarks.iter().any(|remark| remark.ends_with(said)),
        "{remarks:?}"
    );
    let healthy = from_file("k8s-nodes", &text, ",down=keep").unwrap();
    assert_eq!(healthy.node_count(), 10);
    assert!(healthy.spec().ends_with(",down=keep"), "{}", healthy.spec());
    let tolerant = from_file("k8s-nodes", &text, ",tolerate=maintenance+x.io/y").unwrap();
    assert_eq!(names(&tolerant), "fine silent soft gpu kept gone");
    let none = format!("{{\"items\": [{}]}}", all[4..].join(",\n"));
    let error = error("k8s-nodes", &none);
    assert!(
        error.contains("nodes all out of service: 1 cordoned"),
        "{error}"
    );
}

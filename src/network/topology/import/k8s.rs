//! Kubernetes nodes with the labels that say where they stand.
//!
//! Providers label nodes with the switches above them, each under names of its own. With `levels=block/rack/host` a
//! node labelled `example.org/block: b1` and `example.org/rack: r2` stands on switch r2, below b1.

use std::collections::{BTreeSet, HashMap};

use super::document::{self, Node};
use super::outline::{OutlineOptions, UPLINKS};
use super::paths::HostPaths;
use super::wiring::Wiring;
use crate::topology::context::Context;
use crate::topology::family::{BuildNetwork, TopologyEntry};
use crate::topology::network::Network;
use crate::topology::source_file::SourceFile;
use nodeorder_base::error::{Error, Result};
use nodeorder_base::params::{Opt, Params, Written};

/// `k8s-nodes:FILE.json[,levels=a/b/c]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "k8s-nodes",
    about: "the nodes that kubectl get nodes -o json printed, placed by their labels, names kept",
    example: "k8s-nodes:nodes.json",
    options: &[
        Opt::file("file", "what kubectl get nodes -o json printed").positional(),
        Opt::text("levels", "labels of the levels, widest first, joined by /; the part of a label after its / will do; `host` as the last is each node")
            .default_in_words("known labels of topograph, AWS, Google, Oracle and NVIDIA"),
        Opt::whole("gpus", "GPUs of each node").default_in_words("those of status.allocatable"),
        UPLINKS,
    ],
    parse: parse_options,
};

/// Options of the family.
struct KubernetesOptions {
    outline: OutlineOptions,
    /// Labels of the levels, widest first, joined by /; `None` if known ones are looked for.
    levels: Option<String>,
    /// The option `levels` as written, for messages.
    written: Written,
    /// Number of GPUs of each node; `None` if the file says it.
    gpus: Option<u32>,
}

/// Reads the options.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let levels = params.optional_word("levels")?;
    let gpus = params.optional_integer("gpus", 1, 1 << 16)?;
    let expected = "a JSON file, as in k8s-nodes:nodes.json";
    Ok(Box::new(KubernetesOptions {
        outline: OutlineOptions::parse(params, expected)?,
        levels,
        written: params.written_value("levels"),
        gpus,
    }))
}

impl BuildNetwork for KubernetesOptions {
    fn build(&self, context: &Context) -> Result<Network> {
        self.outline.build(context, |file| read_nodes(file, self))
    }
}

/// Labels of one source (topograph, AWS, Google, Oracle) each, widest first.
const KNOWN: [&[&str]; 4] = [
    &[
        "fabric.topograph.run/tier-4",
        "fabric.topograph.run/tier-3",
        "fabric.topograph.run/tier-2",
        "fabric.topograph.run/tier-1",
        "fabric.topograph.run/tier-0",
        "accelerator.topograph.run/domain",
    ],
    &[
        "topology.k8s.aws/network-node-layer-1",
        "topology.k8s.aws/network-node-layer-2",
        "topology.k8s.aws/network-node-layer-3",
        "topology.k8s.aws/ultraserver-id",
    ],
    &[
        "cloud.google.com/gce-topology-block",
        "cloud.google.com/gce-topology-subblock",
        "cloud.google.com/gce-topology-host",
    ],
    &[
        "oci.oraclecloud.com/host.network_block_id",
        "oci.oraclecloud.com/host.rack_id",
    ],
];

/// Label of any source that is wider than the widest of [`KNOWN`].
const ZONE: &str = "topology.kubernetes.io/zone";

/// Label of any source that is narrower than the narrowest of [`KNOWN`]: nodes that NVLink joins.
const CLIQUE: &str = "nvidia.com/gpu.clique";

/// Reads a switch for each value of each label within that of the label before; the widest are joined by one above
/// them all. A node that lacks the last labels stands on the switch of the last it has, one without any on none.
/// Fails, with the line, if there is no JSON or no nodes, a node has no name or comes again, or has a label and lacks
/// a wider one; or if no label is known.
///
/// # References
/// Labels: NVIDIA topograph's `docs`, "Kubernetes"; AWS "Amazon EC2 instance topology"; Google Kubernetes Engine
/// "Topology Aware Scheduling"; Oracle "Using RDMA network locality".
fn read_nodes(file: &SourceFile<'_>, options: &KubernetesOptions) -> Result<(Wiring, String)> {
    let text = &file.text;
    let levels = options.levels.as_deref();
    let document = document::read_document(text)?;
    let items = document.require_list("items")?;
    let mut all = BTreeSet::new();
    for item in items {
        if let Some(labels) = item.find_path(&["metadata", "labels"]) {
            all.extend(labels.entries().iter().map(|(label, _)| label.as_str()));
        }
    }
    let wanted = match levels {
        Some(levels) => find_labels(levels, &all).map_err(|part| {
            let expected = format!("labels of the nodes; none of them has `{part}`");
            options.written.invalid_value(expected)
        })?,
        None => find_known_labels(&all),
    };
    if wanted.is_empty() {
        let count = all.len();
        let what = format!("nodes of {count} labels, none of a network that is known");
        let remedy = "levels=WIDEST/…/LEAF names the labels that say where a node stands";
        return Err(Error::unsuited(text.location(), what, remedy));
    }
    let mut paths = HostPaths::default();
    let mut alone = Vec::new();
    let mut gpus = HashMap::new();
    for item in items {
        let Some(metadata) = item.find_key("metadata") else {
            return Err(item.error_here(item.describe(), "a node with `metadata`"));
        };
        let name = metadata.require_text("name")?;
        let labels = metadata.find_key("labels");
        let mut path = Vec::new();
        let mut lacks = None;
        for label in &wanted {
            let value = labels.and_then(|labels| labels.find_key(label));
            let value = value
                .and_then(Node::as_text)
                .filter(|value| !value.is_empty());
            match (value, lacks) {
                (None, None) => lacks = Some(label),
                (None, Some(_)) => {}
                (Some(value), None) => path.push(value),
                (Some(_), Some(lacks)) => {
                    let found = format!("node `{name}` with label {label} and without {lacks}");
                    return Err(metadata.error_here(found, "the wider label, too"));
                }
            }
        }
        if path.is_empty() {
            alone.push(name);
        }
        paths.add_host(text.name(), metadata.line, name, &path)?;
        // Faults of the file are told even if the option wins.
        let allocatable = count_gpus(item)?;
        if let Some(count) = options.gpus.or(allocatable) {
            gpus.insert(name.to_string(), count);
        }
    }
    let mut wiring = paths.into_wiring(&|height| match wanted.iter().rev().nth(height) {
        Some(label) => last_part(label).to_string(),
        None => "all".into(),
    });
    if let Some(first) = alone.first() {
        let (count, file) = (alone.len(), text.name());
        wiring.remarks.push(format!("{file}: {count} nodes have none of the labels, the first {first}: reachable from nowhere"));
    }
    wiring.remarks.push(format!(
        "{}: levels by the labels {}",
        text.name(),
        wanted.join(", ")
    ));
    wiring.gpus = gpus;
    let mut suffix = String::new();
    if let Some(levels) = levels {
        suffix += &format!(",levels={levels}");
    }
    if let Some(gpus) = options.gpus {
        suffix += &format!(",gpus={gpus}");
    }
    Ok((wiring, suffix))
}

/// Counts the GPUs that a node has to give: all resources of `status.allocatable` that end in `/gpu`; `None` if it
/// names none.
fn count_gpus(item: &Node) -> Result<Option<u32>> {
    let mut sum = None;
    let Some(resources) = item.find_path(&["status", "allocatable"]) else {
        return Ok(sum);
    };
    let resources = resources.entries();
    for (_, value) in resources.iter().filter(|(name, _)| name.ends_with("/gpu")) {
        let Some(count) = value.as_text().and_then(|text| text.parse::<u16>().ok()) else {
            return Err(value.error_here(value.describe(), "a whole number of GPUs, up to 65535"));
        };
        sum = Some(sum.unwrap_or(0) + u32::from(count));
    }
    Ok(sum)
}

/// Cuts out the part of a label after its last `/`.
fn last_part(label: &str) -> &str {
    label.rsplit('/').next().unwrap_or(label)
}

/// Finds the labels of `a/b/c`, each whole or the part after its `/`. Fails with the part that no node has.
fn find_labels<'l>(levels: &str, all: &BTreeSet<&'l str>) -> Result<Vec<&'l str>, String> {
    // Nodes are a level of their own, by their host names, whether it is named or not.
    let host = ["/host", "/kubernetes.io/hostname"];
    let levels = host
        .iter()
        .find_map(|end| levels.strip_suffix(end))
        .unwrap_or(levels);
    let parts: Vec<&str> = levels.split('/').map(str::trim).collect();
    let mut wanted = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let part = parts[at];
        // Labels hold a `/` themselves: two parts may be one.
        let next = parts.get(at + 1).map(|next| format!("{part}/{next}"));
        if let Some(label) = next.and_then(|two| all.get(two.as_str())) {
            wanted.push(*label);
            at += 2;
            continue;
        }
        let mut labels = all.iter();
        let label = all
            .get(part)
            .or_else(|| labels.find(|label| last_part(label) == part));
        wanted.push(*label.ok_or(part)?);
        at += 1;
    }
    Ok(wanted)
}

/// Finds the labels of the first source that some node has, with the zone around and the clique inside.
fn find_known_labels<'l>(all: &BTreeSet<&'l str>) -> Vec<&'l str> {
    let mut sources = KNOWN.into_iter();
    let source = sources.find(|labels| labels.iter().any(|label| all.contains(label)));
    let source = source.unwrap_or_default();
    let wanted = std::iter::once(&ZONE).chain(source).chain([&CLIQUE]);
    wanted.filter_map(|label| all.get(label).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_refused, levels, machine, names};
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
        let t =
            |tier: usize, value: &str| format!("\"fabric.topograph.run/tier-{tier}\": \"{value}\"");
        let both =
            |leaf: &str, spine: &str| format!("\"a\": \"b\", {}, {}", t(0, leaf), t(1, spine));
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
}

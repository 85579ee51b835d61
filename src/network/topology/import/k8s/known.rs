//! Labels with which providers say where a node stands in their networks.
//!
//! # References
//! - topograph: `docs`, "Node labels and annotations", of v0.1 (`network.topology.kubernetes.io/block`), v0.5
//!   (`network.topology.nvidia.com/leaf`) and v1.1 (`fabric.topograph.run/tier-N`, `accelerator.topograph.run/domain`).
//! - AWS: "Amazon EC2 instance topology": layer 1 is the widest, the last one is the leaf: 3 or 4 layers by type.
//! - Google Kubernetes Engine: "Topology Aware Scheduling".
//! - Oracle: "Using RDMA network locality"; the labels of OKE, `oci.oraclecloud.com/rdma.…`.
//! - CoreWeave: "InfiniBand and RoCE labels". Crusoe and Nebius: the providers of topograph and soperator.

use std::collections::{BTreeSet, HashSet};

use crate::topology::import::labelled::{LabelledHost, is_domain_label, is_host_label, last_part};

/// The labels of one source, widest first. One that ends in `-` stands for all labels of that beginning and a number.
struct LabelSource {
    labels: &'static [&'static str],
    /// Whether the largest number of a numbered label is the leaf; else the smallest.
    leaf_is_last: bool,
}

/// Creates a source of labels whose numbers rise from the leaf up.
const fn rising(labels: &'static [&'static str]) -> LabelSource {
    LabelSource {
        labels,
        leaf_is_last: false,
    }
}

/// Sources that are known; the first that some node has labels of is taken.
const KNOWN: [LabelSource; 13] = [
    rising(&["fabric.topograph.run/tier-"]),
    rising(&["network.topology.nvidia.com/tier-"]),
    // Either `leaf`, or `block` of earlier versions.
    rising(&[
        "network.topology.nvidia.com/core",
        "network.topology.nvidia.com/datacenter",
        "network.topology.nvidia.com/spine",
        "network.topology.nvidia.com/block",
        "network.topology.nvidia.com/leaf",
    ]),
    rising(&[
        "network.topology.kubernetes.io/datacenter",
        "network.topology.kubernetes.io/spine",
        "network.topology.kubernetes.io/block",
    ]),
    rising(&["topology.kubernetes.io/network-level-"]),
    LabelSource {
        labels: &["topology.k8s.aws/network-node-layer-"],
        leaf_is_last: true,
    },
    rising(&[
        "cloud.google.com/gce-topology-block",
        "cloud.google.com/gce-topology-subblock",
    ]),
    rising(&[
        "oci.oraclecloud.com/rdma.hpc_island_id",
        "oci.oraclecloud.com/rdma.network_block_id",
        "oci.oraclecloud.com/rdma.local_block_id",
    ]),
    rising(&[
        "oci.oraclecloud.com/host.network_block_id",
        "oci.oraclecloud.com/host.rack_id",
    ]),
    rising(&[
        "backend.coreweave.cloud/fabric",
        "backend.coreweave.cloud/superpod",
        "backend.coreweave.cloud/leafgroup",
    ]),
    rising(&[
        "ib.coreweave.cloud/fabric",
        "ib.coreweave.cloud/superpod",
        "ib.coreweave.cloud/leafgroup",
    ]),
    rising(&["crusoe.ai/ib.partition.id", "crusoe.ai/pod.id"]),
    rising(&[
        "topology.nebius.com/gpu-cluster-id",
        "topology.nebius.com/tier-",
    ]),
];

/// Label of any source that is wider than the widest of [`KNOWN`]. It is no network of its own.
const ZONE: &str = "topology.kubernetes.io/zone";

/// Finds the labels of the first source that some node has, with the zone around; none if there is no such source.
pub(super) fn find_known_labels<'l>(all: &BTreeSet<&'l str>) -> Vec<&'l str> {
    let mut sources = KNOWN.iter().map(|source| list_source_labels(source, all));
    let mut wanted = sources
        .find(|labels| !labels.is_empty())
        .unwrap_or_default();
    if !wanted.is_empty() {
        wanted.splice(0..0, all.get(ZONE).copied());
    }
    wanted
}

/// Lists the labels of a source that nodes have, widest first.
fn list_source_labels<'l>(source: &LabelSource, all: &BTreeSet<&'l str>) -> Vec<&'l str> {
    let mut found = Vec::new();
    for label in source.labels {
        if !label.ends_with('-') {
            found.extend(all.get(label));
            continue;
        }
        let numbered = all.iter().filter_map(|other| {
            let number: u32 = other.strip_prefix(label)?.parse().ok()?;
            Some((number, *other))
        });
        let mut numbered: Vec<(u32, &str)> = numbered.collect();
        numbered.sort_unstable();
        if !source.leaf_is_last {
            numbered.reverse();
        }
        found.extend(numbered.into_iter().map(|(_, label)| label));
    }
    found
}

/// Words of labels that may be about a network.
const WORDS: [&str; 20] = [
    "topology",
    "network",
    "fabric",
    "switch",
    "leaf",
    "spine",
    "tier",
    "layer",
    "block",
    "rack",
    "row",
    "island",
    "pod",
    "superpod",
    "leafgroup",
    "domain",
    "nvlink",
    "clique",
    "infiniband",
    "rdma",
];

/// Most labels that a message names.
const MOST_NAMED: usize = 12;

/// Says which labels look like those of a network, with their numbers of values, for the message that none is known.
pub(super) fn name_likely_labels(hosts: &[LabelledHost<'_>], all: &BTreeSet<&str>) -> String {
    let remedy = "levels=WIDEST/…/LEAF names the labels that say where a node stands";
    let mut named = Vec::new();
    for label in all {
        let lower = label.to_ascii_lowercase();
        let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
        let mut last = last_part(&lower).split(|c: char| !c.is_ascii_alphanumeric());
        if last.any(|word| ["zone", "region"].contains(&word)) || is_host_label(label) {
            continue;
        }
        let is_likely = words.any(|word| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
            WORDS.contains(&word)
        });
        if is_likely || is_domain_label(label) {
            let values: HashSet<&str> = hosts.iter().filter_map(|host| host.label(label)).collect();
            named.push(format!("{label} ({} values)", values.len()));
        }
    }
    if named.is_empty() {
        return format!("{remedy}; no label looks like it");
    }
    let more = named.len().saturating_sub(MOST_NAMED);
    named.truncate(MOST_NAMED);
    let mut list = named.join(", ");
    if more > 0 {
        list += &format!(" and {more} more");
    }
    format!("{remedy}; these look like it: {list}")
}

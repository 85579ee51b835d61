//! Hosts with labels, some of which name the switches above them: nodes of Kubernetes, instances of topograph.
//!
//! Labels of NVLink domains ([`DOMAINS`]) name no switches. Whether the domains lie inside leaf switches, span several,
//! or lie across them is tested on the hosts and said.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::document::Node;
use super::paths::HostPaths;
use super::wiring::Wiring;
use nodeorder_base::params::Written;
use nodeorder_base::{Result, Text};

/// Labels of domains that NVLink joins.
const DOMAINS: [&str; 11] = [
    "accelerator.topograph.run/domain",
    "accelerator.topograph.run/sub-domain",
    "xclr.topology.nvidia.com/domain",
    "xclr.topology.nvidia.com/sub-domain",
    "network.topology.nvidia.com/accelerator",
    "network.topology.kubernetes.io/accelerator",
    "topology.k8s.aws/ultraserver-id",
    "ds.coreweave.com/nvlink.domain",
    "topology.nebius.com/nvl-instance-group-id",
    "nvidia.com/gpu.clique",
    "nvidia.com/gpu.imex-domain",
];

/// A host with its labels.
pub(super) struct LabelledHost<'d> {
    pub name: &'d str,
    /// The value of the document that describes it, for messages.
    source: &'d Node,
    labels: HashMap<&'d str, &'d str>,
}

impl<'d> LabelledHost<'d> {
    /// Creates a host without labels.
    pub fn new(name: &'d str, source: &'d Node) -> Self {
        LabelledHost {
            name,
            source,
            labels: HashMap::new(),
        }
    }

    /// Adds the labels of a map; an empty value is none.
    pub fn with_labels(mut self, labels: Option<&'d Node>) -> Self {
        let entries = labels.map(Node::entries).unwrap_or_default();
        for (label, value) in entries {
            if let Some(value) = value.as_text().filter(|value| !value.is_empty()) {
                self.labels.insert(label, value);
            }
        }
        self
    }

    /// Adds a label.
    pub fn add_label(&mut self, label: &'d str, value: &'d str) {
        self.labels.insert(label, value);
    }

    /// Returns the value of a label; `None` if the host lacks the label.
    pub fn label(&self, label: &str) -> Option<&'d str> {
        self.labels.get(label).copied()
    }

    /// Lists the host's values of those of `labels` that it has.
    fn path_of(&self, labels: &[&str]) -> Vec<&'d str> {
        labels
            .iter()
            .filter_map(|label| self.label(label))
            .collect()
    }
}

/// Lists the labels that some host has.
pub(super) fn list_labels<'d>(hosts: &[LabelledHost<'d>]) -> BTreeSet<&'d str> {
    hosts
        .iter()
        .flat_map(|host| host.labels.keys().copied())
        .collect()
}

/// Extracts the part of a label after its last `/`.
pub(super) fn last_part(label: &str) -> &str {
    label.rsplit('/').next().unwrap_or(label)
}

/// Shortens a label to the part after its last `/`, unless another label of `all` ends in the same part.
fn name_briefly<'l>(label: &'l str, all: &BTreeSet<&str>) -> &'l str {
    let part = last_part(label);
    let alike = all.iter().filter(|other| last_part(other) == part);
    if alike.count() > 1 { label } else { part }
}

/// Checks whether a label names the host itself, or the physical host of a virtual one: its last words are `host`,
/// `hostname` or `host_id`.
pub(super) fn is_host_label(label: &str) -> bool {
    let words = last_part(label).rsplit(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.take(2).collect();
    ["host", "hostname"].contains(&words[0]) || words == ["id", "host"]
}

/// Checks whether a label names a domain that NVLink joins.
pub(super) fn is_domain_label(label: &str) -> bool {
    DOMAINS.contains(&label)
}

/// Finds the labels of `a/b/c`, each whole or the part after its `/`. Labels of hosts at the end are left out: nodes
/// are a level of their own. Fails if no host has one of them.
pub(super) fn find_labels<'l>(
    levels: &str,
    all: &BTreeSet<&'l str>,
    written: &Written,
) -> Result<Vec<&'l str>> {
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
        let Some(label) = label else {
            let expected = format!("labels of the nodes; none of them has `{part}`");
            return Err(written.invalid_value(expected));
        };
        wanted.push(*label);
        at += 1;
    }
    while wanted.len() > 1 && wanted.last().is_some_and(|label| is_host_label(label)) {
        wanted.pop();
    }
    Ok(wanted)
}

/// Builds a switch for each value of each label of `wanted`, widest first, within that of the label before. A host
/// that lacks the last labels stands on the switch of the last it has, one without any on none. Says which labels
/// these are, and which values stand below several others, as `rack 1` of two rows does. Fails, with the line, if a
/// host comes again, or has a label and lacks a wider one.
pub(super) fn wire_hosts(
    text: &Text,
    hosts: &[LabelledHost<'_>],
    wanted: &[&str],
) -> Result<Wiring> {
    let file = text.name();
    let mut paths = HostPaths::default();
    let mut alone = Vec::new();
    for host in hosts {
        let path = host.path_of(wanted);
        let at_end = wanted[path.len()..]
            .iter()
            .find_map(|label| host.label(label).and(Some(label)));
        if let Some(label) = at_end {
            let lacks = wanted
                .iter()
                .find(|label| host.label(label).is_none())
                .unwrap_or(label);
            let found = format!(
                "node `{}` with label {label} and without {lacks}",
                host.name
            );
            return Err(host.source.error_here(found, "the wider label, too"));
        }
        if path.is_empty() {
            alone.push(host.name);
        }
        paths.add_host(file, host.source.line, host.name, &path)?;
    }
    let mut wiring = paths.into_wiring(&|height| match wanted.iter().rev().nth(height) {
        Some(label) => last_part(label).to_string(),
        None => "all".into(),
    });
    if let Some(first) = alone.first() {
        let count = alone.len();
        wiring.remarks.push(format!(
            "{file}: {count} nodes have none of the labels, the \
         first {first}: reachable from nowhere"
        ));
    }
    let labels = wanted.join(", ");
    wiring
        .remarks
        .push(format!("{file}: levels by the labels {labels}"));
    for at in 1..wanted.len() {
        let units = list_units(hosts, &wanted[..=at]);
        let complete = units.iter().filter(|unit| unit.len() == at + 1);
        let names: HashSet<&str> = complete.clone().map(|unit| unit[at]).collect();
        let complete = complete.count();
        if names.len() < complete {
            wiring.remarks.push(format!(
                "{file}: {} values of {} stand below several of {}: they are {complete} switches",
                names.len(),
                wanted[at],
                wanted[at - 1]
            ));
        }
    }
    Ok(wiring)
}

/// Lists the different paths of hosts along these labels.
fn list_units<'d>(hosts: &[LabelledHost<'d>], labels: &[&str]) -> HashSet<Vec<&'d str>> {
    let paths = hosts.iter().map(|host| host.path_of(labels));
    paths.collect()
}

/// Counts the pieces into which the units of `labels` cut the domains of `domain`.
fn count_pieces(hosts: &[&LabelledHost<'_>], domain: &str, labels: &[&str]) -> usize {
    let pieces = hosts
        .iter()
        .map(|host| (host.label(domain), host.path_of(labels)));
    pieces.collect::<HashSet<_>>().len()
}

/// Counts the units of `labels` that have some of these hosts.
fn count_units(hosts: &[&LabelledHost<'_>], labels: &[&str]) -> usize {
    let units = hosts.iter().map(|host| host.path_of(labels));
    units.collect::<HashSet<_>>().len()
}

/// Notes how the domains of each label of [`DOMAINS`] that is not `wanted` lie to the switches, and which `levels=`
/// makes levels of them if they nest.
pub(super) fn note_domains(
    wiring: &mut Wiring,
    text: &Text,
    hosts: &[LabelledHost<'_>],
    wanted: &[&str],
    all: &BTreeSet<&str>,
) {
    let labels = DOMAINS.into_iter().filter(|label| all.contains(label));
    for label in labels.filter(|label| !wanted.contains(label)) {
        let hosts = hosts.iter().filter(|host| host.label(label).is_some());
        let hosts: Vec<&LabelledHost<'_>> = hosts.collect();
        let domains = count_pieces(&hosts, label, &[]);
        let leaves = count_pieces(&hosts, label, wanted);
        // The narrowest level each unit of which holds whole domains.
        let depths = (0..=wanted.len()).rev();
        let whole =
            depths.filter(|depth| count_pieces(&hosts, label, &wanted[..*depth]) == domains);
        let whole = whole.max().unwrap_or(0);
        let below = &wanted[..wanted.len().min(whole + 1)];
        let mut levels: Vec<&str> = wanted
            .iter()
            .map(|label| name_briefly(label, all))
            .collect();
        let mut remark = format!("{}: {domains} NVLink domains ({label}) ", text.name());
        if whole == wanted.len() {
            levels.push(name_briefly(label, all));
            remark += "inside leaf switches";
        } else if count_pieces(&hosts, label, below) == count_units(&hosts, below) {
            levels.insert(whole, name_briefly(label, all));
            // A level of the same units says nothing more.
            if whole > 0 && count_units(&hosts, &wanted[..whole]) == domains {
                levels.drain(..whole);
            }
            remark += &format!("over {leaves} leaf switches");
        } else {
            levels.clear();
            remark += &format!("across leaf switches, which cut them into {leaves} pieces");
        }
        remark += ": no switches";
        if !levels.is_empty() {
            remark += &format!("; levels={} makes a level of them", levels.join("/"));
        }
        wiring.remarks.push(remark);
    }
}

//! Kubernetes nodes with the labels that say where they stand.
//!
//! Providers label nodes with the switches above them, each under names of its own. With `levels=block/rack/host` a
//! node labelled `example.org/block: b1` and `example.org/rack: r2` stands on switch r2, below b1. Hosts and NVLink
//! domains are no switches, unless `levels=` names the label of a domain. Nodes on which Kueue would place nothing
//! ([`service`]) are out of service.

use std::collections::HashMap;

use super::document::{self, Node};
use super::labelled::{LabelledHost, find_labels, list_labels, note_domains, wire_hosts};
use super::outline::{OutlineNetwork, UPLINKS};
use super::wiring::Wiring;
use crate::topology::context::Context;
use crate::topology::family::{BuildNetwork, TopologyEntry};
use crate::topology::source_file::SourceFile;
use nodeorder_base::params::Written;
use nodeorder_base::{Error, Opt, Params, Result};
use service::ServiceRules;

mod known;
mod service;

/// `k8s-nodes:FILE.json[,levels=a/b/c][,down=keep][,tolerate=KEY]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "k8s-nodes",
    about: "the nodes that kubectl get nodes -o json printed, placed by their labels, names kept",
    example: "k8s-nodes:nodes.json",
    options: &[
        Opt::file("file", "what kubectl get nodes -o json printed").positional(),
        Opt::text("levels", "labels of the levels, widest first, joined by /; the part \
         of a label after its / will do; `host` as the last is each node")
            .default_in_words("known labels of topograph, AWS, Google, Oracle, CoreWeave, Crusoe and Nebius"),
        Opt::whole("gpus", "GPUs of each node").default_in_words("those of status.allocatable"),
        Opt::one_of(
            "down",
            &["out", "keep"],
            "nodes that are cordoned, not ready, tainted or without room for pods: out of service, or kept",
        )
        .default_value("out"),
        Opt::text("tolerate", "keys of the taints that jobs tolerate, joined by +")
            .default_in_words("those that are names of resources of the node, as nvidia.com/gpu"),
        UPLINKS,
    ],
    parse: parse_options,
};

/// Options of the family.
struct KubernetesOptions {
    /// Labels of the levels, widest first, joined by /; `None` if known ones are looked for.
    levels: Option<String>,
    /// The option `levels` as written, for messages.
    written: Written,
    /// Number of GPUs of each node; `None` if the file says it.
    gpus: Option<u32>,
    /// Which nodes are out of service; `None` if all are kept.
    service: Option<ServiceRules>,
}

/// Reads the options.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let levels = params.optional_word("levels")?;
    let gpus = params.optional_integer("gpus", 1, 1 << 16)?;
    let keeps = params.required_choice("down")? == "keep";
    let tolerated = params.optional_word("tolerate")?;
    let expected = "a JSON file, as in k8s-nodes:nodes.json";
    let options = KubernetesOptions {
        levels,
        written: params.written_value("levels"),
        gpus,
        service: (!keeps).then(|| ServiceRules::new(tolerated)),
    };
    OutlineNetwork::parse(params, expected, move |file| read_nodes(file, &options))
}

/// Reads a switch for each value of each label within that of the label before; the widest are joined by one above
/// them all. A node that lacks the last labels stands on the switch of the last it has, one without any on none.
/// Fails, with the line, if there is no JSON or no nodes, a node has no name or comes again, or has a label and lacks
/// a wider one; if no label of a network is known, with the labels that look like one; or if all nodes are out of
/// service.
///
/// # References
/// Labels: those of [`known`]. Service: those of [`service`].
fn read_nodes(file: &SourceFile<'_>, options: &KubernetesOptions) -> Result<(Wiring, String)> {
    let text = &file.text;
    let levels = options.levels.as_deref();
    let document = document::read_document(text)?;
    let mut hosts = Vec::new();
    let mut gpus = HashMap::new();
    let mut pods = HashMap::new();
    let mut others = 0u64;
    for item in document.require_list("items")? {
        // `kubectl get nodes,pods` lists both.
        if item.text_at(&["kind"]).is_some_and(|kind| kind != "Node") {
            others += 1;
            continue;
        }
        let Some(metadata) = item.find_key("metadata") else {
            return Err(item.error_here(item.describe(), "a node with `metadata`"));
        };
        let host = LabelledHost::new(metadata.require_text("name")?, metadata)
            .with_labels(metadata.find_key("labels"));
        // Faults of the file are told even if the option wins.
        let allocatable = count_gpus(item)?;
        if let Some(count) = options.gpus.or(allocatable) {
            gpus.insert(host.name.to_string(), count);
        }
        if let Some(count) = count_pods(item)? {
            pods.insert(host.name.to_string(), count);
        }
        hosts.push((host, item));
    }
    if hosts.is_empty() {
        let found = format!("no nodes among {others} items");
        return Err(text.error_at(1, found, "the output of kubectl get nodes -o json"));
    }
    let mut out = Vec::new();
    if let Some(rules) = &options.service {
        for (host, item) in &hosts {
            out.extend(rules.find_reason(item).map(|reason| (host.name, reason)));
        }
    }
    if out.len() == hosts.len() {
        let what = format!("nodes all out of service: {}", service::count_reasons(&out));
        let remedy = "down=keep takes them as the healthy machine";
        return Err(Error::unsuited(text.location(), what, remedy));
    }
    let hosts: Vec<LabelledHost<'_>> = hosts.into_iter().map(|(host, _)| host).collect();
    let all = list_labels(&hosts);
    let wanted = match levels {
        Some(levels) => find_labels(levels, &all, &options.written)?,
        None => known::find_known_labels(&all),
    };
    if wanted.is_empty() {
        let count = all.len();
        let what = format!("nodes of {count} labels, none of a network that is known");
        return Err(Error::unsuited(
            text.location(),
            what,
            known::name_likely_labels(&hosts, &all),
        ));
    }
    let mut wiring = wire_hosts(text, &hosts, &wanted)?;
    note_domains(&mut wiring, text, &hosts, &wanted, &all);
    if let Some((first, _)) = out.first() {
        wiring.remarks.push(format!(
            "{}: {} of {} nodes are out of service, the first {first}: {}; down=keep keeps them",
            text.name(),
            out.len(),
            hosts.len(),
            service::count_reasons(&out)
        ));
    }
    if others > 0 {
        let name = text.name();
        wiring.remarks.push(format!(
            "{name}: {others} items that are no nodes are passed over"
        ));
    }
    wiring.down = out.iter().map(|(name, _)| name.to_string()).collect();
    wiring.gpus = gpus;
    wiring.pods = pods;
    let mut suffix = String::new();
    if let Some(levels) = levels {
        suffix += &format!(",levels={levels}");
    }
    if let Some(gpus) = options.gpus {
        suffix += &format!(",gpus={gpus}");
    }
    match &options.service {
        None => suffix += ",down=keep",
        Some(rules) => suffix += &rules.suffix(),
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
        let Some(count) = value.parse_text::<u16>() else {
            return Err(value.error_here(value.describe(), "a whole number of GPUs, up to 65535"));
        };
        sum = Some(sum.unwrap_or(0) + u32::from(count));
    }
    Ok(sum)
}

/// Reads how many pods a node takes at most (`status.allocatable.pods`); `None` if it does not say.
fn count_pods(item: &Node) -> Result<Option<u32>> {
    let Some(value) = item.find_path(&["status", "allocatable", "pods"]) else {
        return Ok(None);
    };
    let count = value.parse_text();
    let expected = "a whole number of pods, up to 4294967295";
    let count = count.ok_or_else(|| value.error_here(value.describe(), expected));
    count.map(Some)
}

#[cfg(test)]
mod tests;

//! InfraGraph's description of an infrastructure: devices, their instances, and edges between them.
//!
//! A device is a kind of thing (a server with two NICs, a switch with 64 ports); instances say how many there are; an
//! edge joins components of instances, such as `server[0:4]` `nic[0]` to `leaf[0]` `port[0:4]`.

use std::collections::HashMap;

use super::document::{self, Node};
use super::wiring::Wiring;
use crate::topology::context::Context;
use crate::topology::family::TopologyEntry;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::{Opt, Result};

/// `infragraph:FILE`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "infragraph",
    about: "InfraGraph's YAML or JSON: instances of devices with a NIC or XPU are \
     nodes, others with ports are switches",
    example: "infragraph:fabric.yaml",
    options: &[Opt::file("file", "an infrastructure").positional()],
    parse: |params, _| {
        let expected = "a YAML or JSON file, as in infragraph:fabric.yaml";
        FileNetwork::parse(params, expected, |file| {
            read_infrastructure(file)?.into_network(file, "")
        })
    },
};

/// Largest depth of nested devices; a device within itself would have no end.
const MAX_DEVICE_DEPTH: usize = 16;

/// The devices by name.
struct Devices<'d>(HashMap<&'d str, &'d Node>);

impl<'d> Devices<'d> {
    /// Finds the device of this name. Fails if there is none.
    fn find_device(&self, name: &str, at: &Node) -> Result<&'d Node> {
        let device = self.0.get(name).copied();
        device.ok_or_else(|| at.error_here(format!("device `{name}`"), "the name of a device"))
    }

    /// Checks whether a device is a switch: it has ports, and neither it nor a device within it has a NIC or an XPU.
    fn is_switch(&self, name: &str, at: &Node, depth: usize) -> Result<bool> {
        let mut has_ports = false;
        for component in self.find_device(name, at)?.require_list("components")? {
            match component.require_text("choice")? {
                "nic" | "xpu" => return Ok(false),
                "port" | "switch" => has_ports = true,
                "device" => {
                    if depth == MAX_DEVICE_DEPTH {
                        let found = format!("devices more than {MAX_DEVICE_DEPTH} deep");
                        return Err(component.error_here(found, "fewer"));
                    }
                    let inner = component.require_text("name")?;
                    if !self.is_switch(inner, component, depth + 1)? {
                        return Ok(false);
                    }
                    has_ports = true;
                }
                _ => {}
            }
        }
        Ok(has_ports)
    }

    /// Counts the components of a device that a path such as `cx5[0].port[0:2]` names.
    fn count_components(&self, mut device: &'d str, path: &'d str, at: &Node) -> Result<u64> {
        let mut count = 1u64;
        for part in path.split('.') {
            let name = part.split('[').next().unwrap_or("");
            let parts = self.find_device(device, at)?.require_list("components")?;
            let mut named = parts.iter();
            let Some(component) = named.find(|c| c.require_text("name").is_ok_and(|n| n == name))
            else {
                let found = format!("component `{name}`");
                return Err(at.error_here(found, "a component of its device"));
            };
            let has = read_count(component)?;
            count = count.saturating_mul(expand_slice(part, has, at)?.len() as u64);
            // A component that is a device has that device's name.
            device = name;
        }
        Ok(count)
    }
}

/// Reads the `count` of an instance or component.
fn read_count(node: &Node) -> Result<usize> {
    let text = node.require_text("count")?;
    match text.parse::<usize>() {
        Ok(count) if (1..=1 << 24).contains(&count) => Ok(count),
        _ => Err(node.error_here(
            format!("count `{text}`"),
            "a whole number from 1 to 16777216",
        )),
    }
}

/// Lists the indices of `name[…]` below `count`: one, a slice as Python writes it, or all if there are no brackets.
/// Fails if there is no such index or slice.
fn expand_slice(text: &str, count: usize, at: &Node) -> Result<Vec<usize>> {
    slice_indices(text, count).ok_or_else(|| {
        let expected = format!("name[I] or name[from:to:step] of the {count} that there are");
        at.error_here(format!("`{text}`"), expected)
    })
}

/// Lists the indices as [`expand_slice`]; `None` if it fails.
fn slice_indices(text: &str, count: usize) -> Option<Vec<usize>> {
    let Some((_, slice)) = text.split_once('[') else {
        return Some((0..count).collect());
    };
    let slice = slice.strip_suffix(']')?;
    let parts: Vec<&str> = slice.split(':').map(str::trim).collect();
    let mut numbers = [0, count as i64, 1];
    for (number, part) in numbers.iter_mut().zip(&parts) {
        if !part.is_empty() {
            *number = part.parse().ok()?;
        }
    }
    let [from, to, step] = numbers;
    let from = count_from_end(from, count);
    let to = count_from_end(to, count).min(count);
    let step = usize::try_from(step).ok().filter(|step| *step > 0)?;
    match parts.len() {
        1 if !slice.is_empty() => (from < count).then(|| vec![from]),
        1..=3 => Some((from..to).step_by(step).collect()),
        _ => None,
    }
}

/// Computes a bound of a slice, which counts from the end if it is negative.
fn count_from_end(bound: i64, count: usize) -> usize {
    if bound < 0 {
        bound.saturating_add(count as i64).max(0) as usize
    } else {
        bound as usize
    }
}

/// An instance of the file: one or more elements of a device.
struct Instance<'d> {
    /// Name of the device.
    device: &'d str,
    /// Index of the first element of the instance.
    first: usize,
    /// Number of elements of the instance.
    count: usize,
}

/// A node or switch of the fabric.
struct Element<'d> {
    name: String,
    /// Number of the switch; `None` if it is a node.
    switch: Option<usize>,
    /// The instance in the file, for messages.
    source: &'d Node,
}

/// A fabric as the file describes it: its devices, its instances by name, and the elements of all instances.
struct Fabric<'d> {
    devices: Devices<'d>,
    instances: HashMap<&'d str, Instance<'d>>,
    elements: Vec<Element<'d>>,
}

impl<'d> Fabric<'d> {
    /// Lists the elements at an end of an edge, each as often as it has components there.
    fn list_end(&self, edge: &'d Node, end: &str, context: &Context) -> Result<Vec<usize>> {
        let end = edge.require_key(end, "an instance and a component")?;
        let slice = end.require_text("instance")?;
        let component = end.require_text("component")?;
        let name = slice.split('[').next().unwrap_or("");
        let Some(instance) = self.instances.get(name) else {
            let found = format!("instance `{name}`");
            return Err(end.error_here(found, "the name of an instance"));
        };
        let each = self
            .devices
            .count_components(instance.device, component, end)?;
        let chosen = expand_slice(slice, instance.count, end)?;
        context.require_memory("an edge", (16 * chosen.len() as u64).saturating_mul(each))?;
        let mut elements = Vec::new();
        for i in chosen {
            elements.extend(std::iter::repeat_n(instance.first + i, each as usize));
        }
        Ok(elements)
    }

    /// Lists the pairs of elements that an edge joins.
    fn list_pairs(&self, edge: &'d Node, context: &Context) -> Result<Vec<(usize, usize)>> {
        let a = self.list_end(edge, "ep1", context)?;
        let b = self.list_end(edge, "ep2", context)?;
        match edge.require_text("scheme")? {
            "one2one" => Ok(a.into_iter().zip(b).collect()),
            "many2many" => {
                let pairs = (a.len() as u64).saturating_mul(b.len() as u64);
                context.require_memory("an edge", pairs.saturating_mul(16))?;
                let all = a.iter().flat_map(|a| b.iter().map(|b| (*a, *b)));
                Ok(all.collect())
            }
            other => Err(edge.error_here(format!("scheme `{other}`"), "one2one or many2many")),
        }
    }
}

/// Reads the switches, nodes and cables. Cables count 1 each, whatever their bandwidth; those from a switch to itself
/// are left out, with a remark. A single instance has its own
/// name, others `name.0`, `name.1`, …
///
/// # Errors
/// With the line: no YAML or JSON, a device, instance or component that is not there, an index out of range, an edge
/// between two nodes, a node on two switches or on none.
///
/// # References
/// Keysight InfraGraph 3.1: `Infrastructure` of its OpenAPI model.
fn read_infrastructure(file: &SourceFile<'_>) -> Result<Wiring> {
    let document = document::read_document(&file.text)?;
    let mut wiring = Wiring::default();
    let mut devices = Devices(HashMap::new());
    for device in document.require_list("devices")? {
        devices.0.insert(device.require_text("name")?, device);
    }
    let mut fabric = Fabric {
        devices,
        instances: HashMap::new(),
        elements: Vec::new(),
    };
    for source in document.require_list("instances")? {
        let name = source.require_text("name")?;
        let device = source.require_text("device")?;
        let count = read_count(source)?;
        let is_switch = fabric.devices.is_switch(device, source, 0)?;
        let first = fabric.elements.len();
        let instance = Instance {
            device,
            first,
            count,
        };
        if fabric.instances.insert(name, instance).is_some() {
            return Err(source.error_here(format!("instance `{name}` again"), "each name once"));
        }
        file.context
            .require_memory("the instances", 128 * (first + count) as u64)?;
        for i in 0..count {
            let mut name = name.to_string();
            if count > 1 {
                name += &format!(".{i}");
            }
            let switch = is_switch.then(|| wiring.add_switch(&name, Vec::new(), source.line));
            fabric.elements.push(Element {
                name,
                switch,
                source,
            });
        }
    }
    // The switch of each element; of switches themselves.
    let mut switch_of: Vec<Option<usize>> = fabric.elements.iter().map(|e| e.switch).collect();
    let mut looped = Vec::new();
    for edge in document.require_list("edges")? {
        for (a, b) in fabric.list_pairs(edge, file.context)? {
            let [one, other] = [&fabric.elements[a], &fabric.elements[b]];
            let (node, switch) = match (one.switch, other.switch) {
                (Some(u), Some(v)) => {
                    // Two ports of one switch: no path takes such a cable.
                    if u == v {
                        looped.push(a);
                    } else {
                        wiring.add_cable(u, v, 1.0);
                    }
                    continue;
                }
                (Some(switch), None) => (b, switch),
                (None, Some(switch)) => (a, switch),
                (None, None) => {
                    let found = format!("an edge between `{}` and `{}`", one.name, other.name);
                    return Err(edge.error_here(found, "a switch and a node, or two switches"));
                }
            };
            let before = switch_of[node].replace(switch);
            if before.is_some_and(|before| before != switch) {
                let found = format!("node `{}` on a second switch", fabric.elements[node].name);
                return Err(edge.error_here(found, "one switch (multi-rail is a kind of its own)"));
            }
        }
    }
    if let Some(first) = looped.first() {
        wiring.remarks.push(format!(
            "{}: {} cables from a switch to itself are left out, the first at `{}`",
            file.text.name(),
            looped.len(),
            fabric.elements[*first].name
        ));
    }
    for (element, switch) in fabric.elements.into_iter().zip(switch_of) {
        let name = element.name;
        let Some(switch) = switch else {
            let found = format!("node `{name}`, which no edge joins to a switch");
            return Err(element.source.error_here(found, "an edge to a switch"));
        };
        if element.switch.is_none() {
            wiring.switches[switch].nodes.push(name);
        }
    }
    let links = document.items_of("links").iter();
    let fast = links.filter(|link| link.find_path(&["physical", "bandwidth"]).is_some());
    let fast = fast.count();
    // One kind of link makes all cables alike: then nothing is lost.
    if fast > 1 {
        let remark = format!("bandwidths of {fast} links are passed over: a cable counts 1");
        wiring.remarks.push(remark);
    }
    Ok(wiring)
}

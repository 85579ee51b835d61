//! InfraGraph's description of an infrastructure: devices, their instances, and edges between them.

use std::collections::HashMap;

use super::document::{self, Node};
use super::wiring::Wiring;
use crate::topology::context::Context;
use crate::topology::family::TopologyEntry;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::error::Result;
use nodeorder_base::params::Opt;

/// `infragraph:FILE`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "infragraph",
    about: "InfraGraph's YAML or JSON: instances of devices with a NIC or XPU are nodes, others with ports are switches",
    example: "infragraph:fabric.yaml",
    options: &[Opt::file("file", "an infrastructure").positional()],
    parse: |params, _| {
        let expected = "a YAML or JSON file, as in infragraph:fabric.yaml";
        FileNetwork::parse(params, expected, |file| wiring(file)?.network(file, ""))
    },
};

/// A device within a device within a device, at most so many.
const DEEPEST: usize = 16;

/// The devices by name.
struct Devices<'d>(HashMap<&'d str, &'d Node>);

impl<'d> Devices<'d> {
    fn get(&self, name: &str, at: &Node) -> Result<&'d Node> {
        let unknown = || at.wrong(format!("device `{name}`"), "the name of a device");
        self.0.get(name).copied().ok_or_else(unknown)
    }

    /// Whether a device is a switch: it has ports, and neither it nor a device within it has a NIC or an XPU.
    fn is_switch(&self, name: &str, at: &Node, depth: usize) -> Result<bool> {
        let mut ports = false;
        for component in self.get(name, at)?.list("components")? {
            match component.word("choice")? {
                "nic" | "xpu" => return Ok(false),
                "port" | "switch" => ports = true,
                "device" if depth == DEEPEST => {
                    let found = format!("devices more than {DEEPEST} deep");
                    return Err(component.wrong(found, "fewer"));
                }
                "device" if !self.is_switch(component.word("name")?, component, depth + 1)? => {
                    return Ok(false);
                }
                "device" => ports = true,
                _ => {}
            }
        }
        Ok(ports)
    }

    /// How many components of a device a path such as `cx5[0].port[0:2]` names.
    fn count(&self, mut device: &'d str, path: &'d str, at: &Node) -> Result<u64> {
        let mut count = 1u64;
        for part in path.split('.') {
            let name = part.split('[').next().unwrap_or("");
            let parts = self.get(device, at)?.list("components")?;
            let component = parts
                .iter()
                .find(|c| c.word("name").is_ok_and(|other| other == name));
            let unknown = || at.wrong(format!("component `{name}`"), "a component of its device");
            let has = number(component.ok_or_else(unknown)?)?;
            count = count.saturating_mul(indices(part, has, at)?.len() as u64);
            device = name;
        }
        Ok(count)
    }
}

/// The `count` of an instance or component.
fn number(node: &Node) -> Result<usize> {
    let text = node.word("count")?;
    let count = text
        .parse::<usize>()
        .ok()
        .filter(|count| (1..=1 << 24).contains(count));
    count.ok_or_else(|| {
        node.wrong(
            format!("count `{text}`"),
            "a whole number from 1 to 16777216",
        )
    })
}

/// The indices of `name[…]` below `count`: one, a slice as Python writes it, or all where there are no brackets.
fn indices(text: &str, count: usize, at: &Node) -> Result<Vec<usize>> {
    let wrong = || {
        at.wrong(
            format!("`{text}`"),
            format!("name[I] or name[from:to:step] of the {count} that there are"),
        )
    };
    let Some((_, slice)) = text.split_once('[') else {
        return Ok((0..count).collect());
    };
    let slice = slice.strip_suffix(']').ok_or_else(wrong)?;
    let parts: Vec<&str> = slice.split(':').map(str::trim).collect();
    let number = |i: usize, default: i64| match parts.get(i).copied().unwrap_or("") {
        "" => Ok(default),
        text => text.parse::<i64>().map_err(|_| wrong()),
    };
    let bound = |n: i64| {
        if n < 0 {
            (n.saturating_add(count as i64)).max(0) as usize
        } else {
            n as usize
        }
    };
    let (from, to) = (
        bound(number(0, 0)?),
        bound(number(1, count as i64)?).min(count),
    );
    let step = usize::try_from(number(2, 1)?)
        .ok()
        .filter(|step| *step > 0)
        .ok_or_else(wrong)?;
    match parts.len() {
        1 if !slice.is_empty() => Some(from)
            .filter(|i| *i < count)
            .map(|i| vec![i])
            .ok_or_else(wrong),
        1..=3 => Ok((from..to).step_by(step).collect()),
        _ => Err(wrong()),
    }
}

/// Instances by name, and what they stand for: each with its name, its switch where it is one, and its line.
struct Fabric<'d> {
    devices: Devices<'d>,
    /// Device, first thing and number of things of an instance.
    instances: HashMap<&'d str, (&'d str, usize, usize)>,
    things: Vec<(String, Option<usize>, &'d Node)>,
}

impl<'d> Fabric<'d> {
    /// The things at an end of an edge, each as often as it has components there.
    fn end(&self, edge: &'d Node, end: &str, context: &Context) -> Result<Vec<usize>> {
        let end = edge.need(end, "an instance and a component")?;
        let (instance, component) = (end.word("instance")?, end.word("component")?);
        let name = instance.split('[').next().unwrap_or("");
        let unknown = || end.wrong(format!("instance `{name}`"), "the name of an instance");
        let (device, first, count) = *self.instances.get(name).ok_or_else(unknown)?;
        let each = self.devices.count(device, component, end)?;
        let chosen = indices(instance, count, end)?;
        context.require("an edge", (16 * chosen.len() as u64).saturating_mul(each))?;
        let repeat = |i: usize| std::iter::repeat_n(first + i, each as usize);
        Ok(chosen.into_iter().flat_map(repeat).collect())
    }

    /// The pairs of things that an edge joins.
    fn pairs(&self, edge: &'d Node, context: &Context) -> Result<Vec<(usize, usize)>> {
        let (a, b) = (
            self.end(edge, "ep1", context)?,
            self.end(edge, "ep2", context)?,
        );
        match edge.word("scheme")? {
            "one2one" => Ok(a.into_iter().zip(b).collect()),
            "many2many" => {
                let pairs = (a.len() as u64).saturating_mul(b.len() as u64);
                context.require("an edge", pairs.saturating_mul(16))?;
                Ok(a.iter().flat_map(|a| b.iter().map(|b| (*a, *b))).collect())
            }
            other => Err(edge.wrong(format!("scheme `{other}`"), "one2one or many2many")),
        }
    }
}

/// Cables count 1 each, whatever their bandwidth. A single instance has its own name, others `name.0`, `name.1`, …
///
/// # Errors
/// With the line: no YAML or JSON, a device, instance or component that is not there, an index out of range, an edge
/// between two nodes or from a switch to itself, a node on two switches or on none.
///
/// # References
/// Keysight InfraGraph 3.1: `Infrastructure` of its OpenAPI model.
fn wiring(file: &SourceFile<'_>) -> Result<Wiring> {
    let document = document::read(&file.text)?;
    let mut wiring = Wiring::default();
    let devices = document.list("devices")?.iter();
    let devices = devices
        .map(|device| Ok((device.word("name")?, device)))
        .collect::<Result<_>>()?;
    let (devices, instances) = (Devices(devices), HashMap::new());
    let mut fabric = Fabric {
        devices,
        instances,
        things: Vec::new(),
    };
    for instance in document.list("instances")? {
        let (name, device) = (instance.word("name")?, instance.word("device")?);
        let count = number(instance)?;
        let switch = fabric.devices.is_switch(device, instance, 0)?;
        let first = fabric.things.len();
        if fabric
            .instances
            .insert(name, (device, first, count))
            .is_some()
        {
            return Err(instance.wrong(format!("instance `{name}` again"), "each name once"));
        }
        file.context
            .require("the instances", 128 * (first + count) as u64)?;
        for i in 0..count {
            let name = if count == 1 {
                name.to_string()
            } else {
                format!("{name}.{i}")
            };
            let router = switch.then(|| wiring.add(&name, Vec::new(), instance.line));
            fabric.things.push((name, router, instance));
        }
    }
    let mut home: Vec<Option<usize>> = fabric.things.iter().map(|thing| thing.1).collect();
    for edge in document.list("edges")? {
        for (a, b) in fabric.pairs(edge, file.context)? {
            let [(first, u, _), (second, v, _)] = [&fabric.things[a], &fabric.things[b]];
            let (node, switch) = match (*u, *v) {
                (Some(u), Some(v)) if u != v => {
                    wiring.join(u, v, 1.0);
                    continue;
                }
                (Some(switch), None) => (b, switch),
                (None, Some(switch)) => (a, switch),
                _ => {
                    let found = format!("an edge between `{first}` and `{second}`");
                    return Err(edge.wrong(found, "a switch and a node, or two switches"));
                }
            };
            if home[node]
                .replace(switch)
                .is_some_and(|other| other != switch)
            {
                let found = format!("node `{}` on a second switch", fabric.things[node].0);
                return Err(edge.wrong(found, "one switch (multi-rail is a kind of its own)"));
            }
        }
    }
    for ((name, router, instance), home) in fabric.things.into_iter().zip(home) {
        let Some(switch) = home else {
            let found = format!("node `{name}`, which no edge joins to a switch");
            return Err(instance.wrong(found, "an edge to a switch"));
        };
        if router.is_none() {
            wiring.switches[switch].nodes.push(name);
        }
    }
    let links = document
        .get("links")
        .and_then(Node::items)
        .unwrap_or_default()
        .iter();
    let fast = links
        .filter(|link| link.path(&["physical", "bandwidth"]).is_some())
        .count();
    if fast > 1 {
        let remark = format!("bandwidths of {fast} links are passed over: a cable counts 1");
        wiring.remarks.push(remark);
    }
    Ok(wiring)
}

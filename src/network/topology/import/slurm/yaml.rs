//! `topology.yaml`, and the output of `scontrol show topoconf`, which is of the same form.

use std::collections::HashSet;

use super::found::{
    ALL_IS_NO_WILDCARD, NamedTopology, SiteUnit, check_sizes, file_and_line, remark_on_sizes,
};
use crate::topology::context::Context;
use crate::topology::import::document::{self, Node};
use crate::topology::import::host_list::expand_host_list;
use crate::topology::site::{SiteKind, SitePlacement, SiteTorus};
use crate::topology::sizes::MAX_NODES;
use nodeorder_base::error::Result;
use nodeorder_base::input::Text;

/// Checks whether a text is YAML rather than lines of `Key=value`: its first word ends in a colon, or begins a list, a
/// document or a directive.
pub(super) fn is_yaml(text: &Text) -> bool {
    let mut words = text
        .data_lines()
        .filter_map(|line| line.text.split_whitespace().next());
    words.next().is_some_and(|word| {
        word.starts_with(['-', '%', '{', '[']) || word.ends_with(':') || !word.contains('=')
    })
}

/// Kinds of topologies by their keys.
const KINDS: [(&str, SiteKind); 5] = [
    ("tree", SiteKind::Tree),
    ("block", SiteKind::Block),
    ("flat", SiteKind::Flat),
    ("ring", SiteKind::Ring),
    ("torus3d", SiteKind::Torus),
];

/// The keys of [`KINDS`], for messages.
const EXPECTED: &str = "one of tree, block, flat, ring and torus3d";

/// Reads the topology called `wanted`, else the cluster's default, else the first. If `must` does not hold, a name
/// that no topology has means none. Fails, with the line, if there is no YAML, no list of topologies or no topology
/// of that name, or if it has no type, two types, or what its type does not have.
pub(super) fn read_yaml(
    text: &Text,
    wanted: Option<&str>,
    must: bool,
    context: &Context,
) -> Result<NamedTopology> {
    let document = document::read_document(text)?;
    let Some(topologies) = document.items() else {
        let expected = "a list of topologies, `- topology: NAME`: Slurm takes anything else for a flat network, silently";
        return Err(document.error_here(document.describe(), expected));
    };
    let mut named = Vec::new();
    for topology in topologies {
        named.push((topology.require_text("topology")?, topology));
    }
    let Some(first) = named.first() else {
        return Err(document.error_here("an empty list", "a topology"));
    };
    let mut chosen = None;
    if let Some(name) = wanted {
        chosen = named.iter().find(|(other, _)| *other == name);
        if chosen.is_none() && must {
            let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
            let found = format!("no topology called `{name}`");
            return Err(document.error_here(found, format!("one of {}", names.join(", "))));
        }
    }
    let defaults: Vec<_> = named.iter().filter(|(_, t)| is_default(t)).collect();
    let (name, topology) = *chosen.or(defaults.first().copied()).unwrap_or(first);
    let mut reader = YamlReader {
        text,
        context,
        remarks: Vec::new(),
        nodes: 0,
    };
    if defaults.len() != 1 {
        let what = "Slurm then takes the first topology";
        reader.remarks.push(format!(
            "{}: {} topologies with cluster_default: {what}",
            text.name(),
            defaults.len()
        ));
    }
    let mut found = reader.read_topology(name, topology)?;
    found.remarks = reader.remarks;
    Ok(found)
}

/// Checks whether a topology is marked as the cluster's default.
fn is_default(topology: &Node) -> bool {
    let value = topology.find_key("cluster_default").and_then(Node::as_text);
    let value = value.unwrap_or_default().to_ascii_lowercase();
    ["true", "yes", "on"].contains(&value.as_str())
}

/// Reader of one topology.
struct YamlReader<'t> {
    text: &'t Text,
    context: &'t Context,
    /// Notes on the file so far.
    remarks: Vec<String>,
    /// Number of nodes so far.
    nodes: usize,
}

impl YamlReader<'_> {
    /// Adds a note on a line of the file.
    fn add_remark(&mut self, line: usize, what: &str) {
        let place = file_and_line(self.text, line);
        self.remarks.push(format!("{place}: {what}"));
    }

    /// Reads a topology, remarks apart. Fails if it has no type, or several.
    fn read_topology(&mut self, name: &str, topology: &Node) -> Result<NamedTopology> {
        let mut types = Vec::new();
        for (key, value) in topology.entries() {
            let Some((name, kind)) = KINDS.iter().find(|(name, _)| name == key) else {
                if !["topology", "cluster_default"].contains(&key.as_str()) {
                    let what = format!("`{key}` is no key that Slurm has: passed over");
                    self.add_remark(value.line, &what);
                }
                continue;
            };
            // `scontrol show topoconf` prints `flat: false` and the like for types that are not used.
            let is_used = match value.as_text() {
                Some(text) => text.eq_ignore_ascii_case("true"),
                None => !value.entries().is_empty(),
            };
            if is_used {
                types.push((*name, *kind, value));
            }
        }
        let (kind, value) = match types.as_slice() {
            [(_, kind, value)] => (*kind, *value),
            [] => {
                let found = format!("topology `{name}` without nodes of any type");
                return Err(topology.error_here(found, EXPECTED));
            }
            [(a, ..), (b, ..), ..] => {
                let found = format!("topology `{name}` with {a} and {b}");
                return Err(topology.error_here(found, EXPECTED));
            }
        };
        let mut found = NamedTopology::new(kind, name);
        match kind {
            SiteKind::Tree => found.units = self.read_units(value, "switches", "switch")?,
            SiteKind::Ring => found.units = self.read_units(value, "rings", "ring")?,
            SiteKind::Block => {
                found.sizes = self.read_sizes(value)?;
                found.units = self.read_units(value, "blocks", "block")?;
            }
            SiteKind::Torus => {
                for torus in value.require_list("toruses")? {
                    found.toruses.push(self.read_torus(torus)?);
                }
            }
            SiteKind::Flat => {}
        }
        Ok(found)
    }

    /// Reads the switches, blocks or rings of a list; `key` has the name of each.
    fn read_units(&mut self, of: &Node, list: &str, key: &str) -> Result<Vec<SiteUnit>> {
        let mut units: Vec<SiteUnit> = Vec::new();
        for entry in of.require_list(list)? {
            let name = entry.require_text(key)?.to_string();
            let children = self.read_hosts(entry, "children", false)?;
            let nodes = self.read_hosts(entry, "nodes", true)?;
            if !children.is_empty() && !nodes.is_empty() {
                let found = format!("{key} `{name}` with nodes and children");
                return Err(entry.error_here(found, "one of the two"));
            }
            for (other, value) in entry.entries() {
                if ![key, "children", "nodes"].contains(&other.as_str()) {
                    self.add_remark(value.line, &format!("`{other}` is passed over"));
                }
            }
            units.push(SiteUnit {
                name,
                nodes,
                children,
                line: entry.line,
                speed: None,
            });
        }
        Ok(units)
    }

    /// Reads the host list under a key; empty if there is no such key.
    fn read_hosts(&mut self, entry: &Node, key: &str, nodes: bool) -> Result<Vec<String>> {
        let Some(value) = entry.find_key(key) else {
            return Ok(Vec::new());
        };
        let Some(list) = value.as_text() else {
            return Err(value.wrong_value(key, "a host list"));
        };
        if list.is_empty() || list == "~" || list == "null" {
            return Ok(Vec::new());
        }
        if nodes && list.eq_ignore_ascii_case("ALL") {
            self.add_remark(value.line, ALL_IS_NO_WILDCARD);
            return Ok(Vec::new());
        }
        let line = self.text.line_at(value.line, list);
        let names = expand_host_list(list, &line, self.nodes, self.context)?;
        self.nodes += names.len();
        Ok(names)
    }

    /// Reads the block sizes and their line.
    fn read_sizes(&mut self, block: &Node) -> Result<(Vec<u64>, usize)> {
        let Some(value) = block.find_key("block_sizes") else {
            return Ok((Vec::new(), block.line));
        };
        let mut sizes = Vec::new();
        // A single size need not be a list.
        for item in value.items().unwrap_or(std::slice::from_ref(value)) {
            match item.as_text().and_then(|text| text.parse::<u64>().ok()) {
                Some(size) if size > 0 => sizes.push(size),
                _ => {
                    let found = format!("block size {}", item.describe());
                    return Err(item.error_here(found, "a whole number above 0"));
                }
            }
        }
        if !check_sizes(&sizes) {
            let expected = "ascending multiples of the first size, as in [18, 36]";
            return Err(value.error_here(format!("block_sizes {sizes:?}"), expected));
        }
        let remark = remark_on_sizes(self.text, value.line, &sizes);
        self.remarks.extend(remark);
        Ok((sizes, value.line))
    }

    /// Reads `{x, y, z}` under a key, each at least `low`; `None` if there is no such key.
    fn read_triple(&self, of: &Node, key: &str, low: u32) -> Result<Option<[u32; 3]>> {
        let Some(value) = of.find_key(key) else {
            return Ok(None);
        };
        let mut triple = [0; 3];
        for (slot, axis) in triple.iter_mut().zip(["x", "y", "z"]) {
            let given = value.find_key(axis);
            let text = given.and_then(Node::as_text);
            match text.and_then(|text| text.parse::<u32>().ok()) {
                Some(number) if number >= low => *slot = number,
                _ => {
                    let found = match given {
                        Some(other) => format!("{key}: {axis}: {}", other.describe()),
                        None => format!("{key} without {axis}"),
                    };
                    let expected = format!("x, y and z, whole numbers from {low}");
                    return Err(value.error_here(found, expected));
                }
            }
        }
        Ok(Some(triple))
    }

    /// Reads a torus: its nodes as a whole or by regions, and the boxes that jobs are placed in.
    fn read_torus(&mut self, torus: &Node) -> Result<SiteTorus> {
        let name = torus.require_text("name")?.to_string();
        let Some(dims) = self.read_triple(torus, "dims", 1)? else {
            return Err(torus.error_here(format!("torus `{name}` without dims"), "dims: {x, y, z}"));
        };
        let count = count_cells(dims);
        if count > MAX_NODES {
            return Err(torus.error_here(format!("dims {dims:?}"), "at most 2147483648 cells"));
        }
        self.context
            .require_memory(&format!("torus {name}"), count * 32)?;
        let mut cells: Vec<Option<String>> = vec![None; count as usize];
        let whole = self.read_hosts(torus, "nodes", true)?;
        let regions = torus.items_of("regions");
        if !whole.is_empty() && !regions.is_empty() {
            let found = format!("torus `{name}` with nodes and regions");
            return Err(torus.error_here(found, "one of the two"));
        }
        if !whole.is_empty() {
            fill_region(torus, &mut cells, dims, ([0; 3], dims), whole)?;
        }
        for region in regions {
            let anchor = self.read_triple(region, "anchor", 0)?.unwrap_or_default();
            let Some(extent) = self.read_triple(region, "dims", 1)? else {
                let found = format!("a region of `{name}` without dims");
                return Err(region.error_here(found, "dims: {x, y, z}"));
            };
            let nodes = self.read_hosts(region, "nodes", true)?;
            fill_region(region, &mut cells, dims, (anchor, extent), nodes)?;
        }
        let mut seen = HashSet::new();
        if let Some(again) = cells.iter().flatten().find(|node| !seen.insert(*node)) {
            let found = format!("node `{again}` twice in torus `{name}`");
            return Err(torus.error_here(found, "each node once"));
        }
        let mut placements = Vec::new();
        for placement in torus.items_of("placements") {
            let Some(box_dims) = self.read_triple(placement, "dims", 1)? else {
                return Err(placement.error_here("a placement without dims", "dims: {x, y, z}"));
            };
            if box_dims.iter().zip(dims).any(|(n, all)| *n > all) {
                let found = format!("a placement of {box_dims:?} in a torus of {dims:?}");
                return Err(placement.error_here(found, "one that fits"));
            }
            placements.push(SitePlacement {
                dims: box_dims,
                spacing: self.read_triple(placement, "anchor_spacing", 0)?,
                seed: self.read_triple(placement, "anchor_seed", 0)?,
            });
        }
        if placements.is_empty() {
            let what = format!("torus {name} has no placements: Slurm places no job in it");
            self.add_remark(torus.line, &what);
        }
        Ok(SiteTorus {
            name,
            dims,
            cells,
            placements,
        })
    }
}

/// Counts the cells of a box.
fn count_cells(dims: [u32; 3]) -> u64 {
    dims.into_iter().map(u64::from).fold(1, u64::saturating_mul)
}

/// Puts nodes into a box of cells, x fastest. Fails if there are not as many nodes as cells, the box is not inside the
/// torus, or a cell has a node.
fn fill_region(
    region: &Node,
    cells: &mut [Option<String>],
    dims: [u32; 3],
    (anchor, extent): ([u32; 3], [u32; 3]),
    nodes: Vec<String>,
) -> Result<()> {
    let room = count_cells(extent);
    if room != nodes.len() as u64 {
        let found = format!("{} nodes for {room} cells", nodes.len());
        return Err(region.error_here(found, "a node for each cell"));
    }
    if (0..3).any(|i| u64::from(anchor[i]) + u64::from(extent[i]) > u64::from(dims[i])) {
        let found = format!("a region of {extent:?} at {anchor:?} in a torus of {dims:?}");
        return Err(region.error_here(found, "one inside the torus"));
    }
    let mut nodes = nodes.into_iter();
    for z in anchor[2]..anchor[2] + extent[2] {
        for y in anchor[1]..anchor[1] + extent[1] {
            for x in anchor[0]..anchor[0] + extent[0] {
                let cell = &mut cells[(x + dims[0] * (y + dims[1] * z)) as usize];
                if let Some(other) = cell.replace(nodes.next().unwrap_or_default()) {
                    let found = format!("a second node at {x},{y},{z}, beside `{other}`");
                    return Err(region.error_here(found, "a node for each cell"));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
